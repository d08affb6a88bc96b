//! Checked mode: what kernels can be checked for, and what a launch tells them for it.

bitflags::bitflags! {
    /// What kernels are checked for while they run.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Checks: u32 {
        /// Accesses outside the object that the pointer was derived from; writes to memory that is only read.
        const BOUNDS = 1;
        /// Integer divisions that have no result.
        const ARITH = 2;
        /// Accesses that are not aligned as their types ask for.
        const ALIGN = 4;
        /// `__builtin_assume` of what does not hold.
        const ASSUME = 8;
        /// Barriers that some work-items of the group do not reach.
        const BARRIERS = 16;
        /// Private variables that are read before they are written.
        const UNINIT = 32;
        /// Local memory that is read before it is written.
        const UNWRITTEN = 64;
        /// Work-items of a group that access the same local memory, one of them writing, without a barrier between.
        const RACES = 128;
        /// Accesses outside of images.
        const IMAGES = 256;
        /// Arguments that overlap though they are `restrict`, or are mapped for writing.
        const HOST = 512;
        /// Objects that the application never releases.
        const LEAKS = 1024;
        /// Work-items, of different groups too, that access the same buffer memory, one of them writing.
        const GLOBAL_RACES = 2048;
        /// Events that no asynchronous copy gave.
        const EVENTS = 4096;
        /// Sub-group operations that not all work-items of the sub-group reach.
        const SUB_GROUPS = 8192;
        /// Operations on finite numbers whose results are not.
        const NAN = 16384;
        /// Work-group sizes that leave many lanes idle.
        const LANES = 32768;
        /// Conversions of floating-point numbers that the integer has no room for.
        const CONVERSIONS = 65536;
        /// Memory of buffers that is read before host or device have written it.
        const GLOBAL_UNWRITTEN = 131072;
    }
}

/// A check as people name it.
#[derive(Clone, Copy, Debug)]
pub struct Named {
    /// Its name in `BROLGA_CHECK` and `-brolga-check=`.
    pub name: &'static str,
    /// The check.
    pub check: Checks,
    /// `BROLGA_CHECK=1` has it; else it must be named.
    pub usual: bool,
    /// What it finds.
    pub finds: &'static str,
}

/// Every check that there is.
pub const CHECKS: &[Named] = &[
    usual(
        "bounds",
        Checks::BOUNDS,
        "accesses outside the buffer, argument, variable or array that a pointer was derived from; writes to CL_MEM_READ_ONLY buffers",
    ),
    usual(
        "arith",
        Checks::ARITH,
        "integer division by zero, and of the smallest integer by -1",
    ),
    usual(
        "align",
        Checks::ALIGN,
        "accesses at addresses that are not aligned as their types ask for",
    ),
    usual(
        "images",
        Checks::IMAGES,
        "writes outside of images, and reads without a sampler, or with CLK_ADDRESS_NONE",
    ),
    usual(
        "barriers",
        Checks::BARRIERS.union(Checks::SUB_GROUPS),
        "barriers, and operations of a sub-group, that not all its work-items reach",
    ),
    usual(
        "events",
        Checks::EVENTS,
        "wait_group_events, and asynchronous copies, with events that no asynchronous copy gave",
    ),
    usual(
        "uninit",
        Checks::UNINIT.union(Checks::UNWRITTEN),
        "private variables and local memory that are read before they are written",
    ),
    Named {
        usual: false,
        ..usual(
            "global-uninit",
            Checks::GLOBAL_UNWRITTEN,
            "memory of buffers and of shared allocations that is read though neither host nor device have written it",
        )
    },
    Named {
        usual: false,
        ..usual(
            "races",
            Checks::RACES,
            "work-items of a group that access the same local memory, one of them writing, without a barrier between",
        )
    },
    Named {
        usual: false,
        ..usual(
            "global-races",
            Checks::GLOBAL_RACES,
            "work-items that access the same memory of a buffer, one of them writing, with nothing between that orders them",
        )
    },
    Named {
        usual: false,
        ..usual("nan", Checks::NAN, "operations on finite numbers that give a NaN or an infinity")
    },
    Named {
        usual: false,
        ..usual(
            "conversions",
            Checks::CONVERSIONS,
            "floating-point numbers that are converted to integers that have no room for them",
        )
    },
    Named {
        usual: false,
        ..usual(
            "lanes",
            Checks::LANES,
            "work-group sizes that leave a quarter of all lanes idle, when a kernel is enqueued",
        )
    },
    Named {
        usual: false,
        ..usual(
            "host",
            Checks::HOST,
            "arguments that were never set, share memory though they are restrict, or are mapped for writing; commands that nothing orders",
        )
    },
    Named {
        usual: false,
        ..usual(
            "leaks",
            Checks::LEAKS,
            "objects that are never released, counted at exit (BROLGA_CHECK only)",
        )
    },
    usual("assume", Checks::ASSUME, "__builtin_assume (OpAssumeTrueKHR) of what does not hold"),
];

const fn usual(name: &'static str, check: Checks, finds: &'static str) -> Named {
    Named {
        name,
        check,
        usual: true,
        finds,
    }
}

impl Checks {
    /// Reads a list with commas: names of [`CHECKS`], `1` for all usual ones, `0` or nothing for none. An unknown name is an error, in a sentence.
    pub fn parse(list: &str) -> Result<Checks, String> {
        let mut checks = Checks::empty();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            checks |= match name {
                "0" => Checks::empty(),
                "1" => Checks::usual(),
                name => match CHECKS.iter().find(|check| check.name == name) {
                    Some(named) => named.check,
                    None => {
                        let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
                        return Err(format!(
                            "there is no check '{name}'; the checks are {}, and 1 for the usual ones",
                            names.join(", ")
                        ));
                    }
                },
            };
        }
        if checks.intersects(Checks::UNWRITTEN | Checks::GLOBAL_UNWRITTEN | Checks::RACES | Checks::GLOBAL_RACES) {
            // Memory outside an object has no shadow.
            checks |= Checks::BOUNDS;
        }
        Ok(checks)
    }

    /// What `1` stands for.
    pub fn usual() -> Checks {
        let usual = CHECKS.iter().filter(|check| check.usual);
        usual.fold(Checks::empty(), |all, named| all | named.check)
    }

    /// The checks, a line each.
    pub fn help() -> String {
        let mut text = String::from("BROLGA_CHECK and -brolga-check= take 1 for all checks marked *, or a list with commas of:\n");
        for named in CHECKS {
            let mark = if named.usual { '*' } else { ' ' };
            text += &format!("  {mark} {:<12} {}\n", named.name, named.finds);
        }
        text
    }
}

/// What a launch says of the object that a pointer argument leads into: six words of 8 bytes in the argument block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes of the object before the place that the pointer leads to.
    pub before: u64,
    /// Bytes of the object that may be read.
    pub readable: u64,
    /// Bytes of the object that may be written: 0 where it is only read.
    pub writable: u64,
    /// Where the words are that tell who accesses the object (the check `global-races`).
    pub words: u64,
    /// Bytes from a plane of these words to the next; 0 where there are none.
    pub plane: u64,
    /// Where the shadow of the object begins that tells what of it was written (the check `global-uninit`); 0 where that is not followed.
    pub shadow: u64,
}

impl Extent {
    /// Its size in the block.
    pub const BYTES: u64 = 48;

    /// Nothing is known of the object.
    pub const ANYTHING: Extent = Extent {
        before: 1 << 61,
        readable: 1 << 62,
        writable: 1 << 62,
        words: 0,
        plane: 0,
        shadow: 0,
    };

    /// A whole object of so many bytes.
    pub const fn of(bytes: u64) -> Extent {
        Extent {
            before: 0,
            readable: bytes,
            writable: bytes,
            words: 0,
            plane: 0,
            shadow: 0,
        }
    }

    /// Its words in their order.
    pub fn to_bytes(self) -> [u8; Extent::BYTES as usize] {
        let mut bytes = [0; Extent::BYTES as usize];
        let words = [self.before, self.readable, self.writable, self.words, self.plane, self.shadow];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }
}

/// A shadow of local memory, and what it belongs to, begin at multiples of so many bytes from each other.
pub const SHADOW_ALIGN: u64 = 16;

/// How far behind the beginning of an argument of so many bytes of local memory its first shadow is, and behind that the next.
pub const fn shadow_distance(bytes: u64) -> u64 {
    bytes.next_multiple_of(SHADOW_ALIGN)
}

/// A variable in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Its name; empty where the module does not tell.
    pub name: String,
    /// Where it is in the work-group's memory.
    pub offset: u64,
    /// Its size.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_checks_and_unknown_names_are_refused_in_a_sentence() {
        assert_eq!(Checks::parse(""), Ok(Checks::empty()));
        assert_eq!(Checks::parse("0"), Ok(Checks::empty()));
        assert_eq!(Checks::parse("1"), Ok(Checks::usual()));
        for named in CHECKS {
            let parsed = Checks::parse(&format!(" {} ,", named.name));
            assert!(parsed.is_ok_and(|checks| checks.contains(named.check)), "{}", named.name);
            assert!(Checks::help().contains(named.name));
        }
        let error = Checks::parse("bounds,nonsense").unwrap_err();
        assert!(error.contains("'nonsense'") && error.contains("bounds"), "{error}");
    }
}
