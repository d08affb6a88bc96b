//! A launch whose x is another dimension, and the other way round.
//!
//! Gangs lie along x. Many programs have rows of memory along y, as `a[get_global_id(0) * n + get_global_id(1)]`; where no work-item knows its group, such a
//! launch can as well be run with the two dimensions exchanged, and all that is decided about x is decided about the one along which memory is.

use super::groups_of_one::callees;
use ir::*;

/// Whether the dimensions of a kernel, which knows no groups, can be exchanged: neither it nor what it calls counts work-items along all of them.
pub fn can_exchange(func: &Function, module: &Module) -> bool {
    let counts = |data: &InstData| {
        matches!(
            data,
            InstData::Builtin {
                builtin: Builtin::GlobalLinearId,
                ..
            }
        )
    };
    let counts_none = |func: &Function| func.insts().all(|inst| !counts(&func.inst(inst).data));
    counts_none(func) && callees(func, module).all(counts_none)
}

/// What a function reads along x becomes what is read along another dimension, and the other way round. True if something changed.
pub fn run(func: &mut Function, dimension: u8) -> bool {
    let mut changed = false;
    for block in func.layout.clone() {
        for inst in func.block(block).insts.clone() {
            if let InstData::Builtin { builtin, dimension: of } = func.inst(inst).data
                && builtin.has_dimension()
            {
                let exchanged = exchanged(of, dimension);
                changed |= exchanged != of;
                func.replace(
                    inst,
                    InstData::Builtin {
                        builtin,
                        dimension: exchanged,
                    },
                );
            }
        }
    }
    changed
}

fn exchanged(of: u8, dimension: u8) -> u8 {
    match of {
        0 => dimension,
        of if of == dimension => 0,
        of => of,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_entity::EntityRef;
    use ir::parse::parse_module;

    #[test]
    fn what_counts_along_all_dimensions_stays() {
        let can = |builtin: &str| {
            let text = format!(
                "fn0 = function workitem @kernel {{\nblock0:\n  call fn1()\n  return\n}}\n\n\
                 fn1 = function workitem @callee {{\nblock0:\n  v0 = builtin {builtin}\n  return\n}}\n"
            );
            let module = parse_module(&text).expect("the test's text is IR");
            can_exchange(&module.functions[FuncRef::new(0)], &module)
        };
        assert!(can("global_id 0") && can("global_size 2"));
        assert!(!can("global_linear_id"));
    }

    #[test]
    fn one_of_three_stays() {
        assert_eq!([0, 1, 2].map(|of| exchanged(of, 1)), [1, 0, 2]);
        assert_eq!([0, 1, 2].map(|of| exchanged(of, 2)), [2, 1, 0]);
    }
}
