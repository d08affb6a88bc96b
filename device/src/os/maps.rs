//! What the process has mapped.

/// Addresses that are mapped: the first, and one behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapped {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) readable: bool,
    pub(crate) writable: bool,
}

/// All that is mapped, in the order of addresses; `None` where the system does not tell.
pub(crate) fn all() -> Option<Vec<Mapped>> {
    let text = std::fs::read("/proc/self/maps").ok()?;
    // File names at lines' ends can be of any bytes.
    Some(String::from_utf8_lossy(&text).lines().filter_map(parse).collect())
}

/// `7f0c1000-7f0c2000 rw-p …`
fn parse(line: &str) -> Option<Mapped> {
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some(Mapped {
        start: number(start)?,
        end: number(end)?,
        readable: rest.starts_with('r'),
        writable: rest.as_bytes().get(1) == Some(&b'w'),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_mapped_and_null_is_not() {
        let here = 7;
        let address = std::ptr::from_ref(&here) as usize;
        let all = all().expect("the system tells");
        let of = |address| all.iter().find(|mapped| (mapped.start..mapped.end).contains(&address));
        assert!(of(address).is_some_and(|mapped| mapped.readable && mapped.writable));
        assert!(of(parse as *const () as usize).is_some_and(|mapped| mapped.readable && !mapped.writable));
        assert_eq!(of(0), None);
    }
}
