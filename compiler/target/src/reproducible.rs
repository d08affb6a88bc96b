//! Reproducible mode: the same bits on every machine.

use once_cell::race::OnceBox;

/// `BROLGA_REPRODUCIBLE=1`: what kernels compute depends neither on the machine nor on how many threads it has.
///
/// All decisions are made for one machine ([`crate::Machine::of_process`]), so that the group's IR is the same on each, and floating-point operations
/// are those of the source: none is fused, reordered or made less exact.
pub fn reproducible() -> bool {
    static ASKED: OnceBox<bool> = OnceBox::new();
    *ASKED.get_or_init(|| {
        let variable = std::env::var("BROLGA_REPRODUCIBLE").unwrap_or_default();
        let asked = parse(&variable).unwrap_or_else(|| {
            debug::complain(format_args!("BROLGA_REPRODUCIBLE is 0 or 1, not {variable:?}: 0 is taken"));
            false
        });
        Box::new(asked)
    })
}

fn parse(text: &str) -> Option<bool> {
    match text {
        "" | "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_zero_and_one_are_understood() {
        assert_eq!(["", "0", "1", "yes"].map(parse), [Some(false), Some(false), Some(true), None]);
    }
}
