//! What code is made for: the back ends, and what each offers on this machine.

pub mod costs;
mod features;
mod models;
mod reproducible;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use costs::Costs;
pub use features::Features;
pub use models::{MODELS, Model};
pub use reproducible::reproducible;

use once_cell::race::OnceBox;

/// A code generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackEnd {
    /// Cranelift's: vectors of 128 bits, on many machines.
    Cranelift,
    /// Our own for x86-64 with AVX2 and nothing that came later.
    Avx2Base,
    /// The same with what else the machine has.
    Avx2,
    /// Our own for x86-64 with AVX-512 (F, BW, DQ, VL, CD) and nothing that came later.
    Avx512Base,
    /// The same with what else the machine has.
    Avx512,
}

impl BackEnd {
    /// Their names in `BROLGA_TARGET`.
    pub const NAMES: [(&str, BackEnd); 5] = [
        ("cranelift", BackEnd::Cranelift),
        ("avx2-base", BackEnd::Avx2Base),
        ("avx2", BackEnd::Avx2),
        ("avx512-base", BackEnd::Avx512Base),
        ("avx512", BackEnd::Avx512),
    ];

    /// Those that can make code for this machine, the best one last.
    pub fn available() -> Vec<BackEnd> {
        #[cfg(target_arch = "x86_64")]
        if x86::has_avx2() {
            let mut all = vec![BackEnd::Cranelift, BackEnd::Avx2Base, BackEnd::Avx2];
            if x86::has_avx512() {
                all.extend([BackEnd::Avx512Base, BackEnd::Avx512]);
            }
            return all;
        }
        vec![BackEnd::Cranelift]
    }

    /// The one that is used: what `BROLGA_TARGET` names if the machine has what it needs, else the best that there is.
    pub fn chosen() -> BackEnd {
        Chosen::of_process().back_end
    }

    /// What it may use beside its base.
    pub fn features(self) -> Features {
        match self {
            #[cfg(target_arch = "x86_64")]
            BackEnd::Avx2 => Features::beside_avx2(),
            #[cfg(target_arch = "x86_64")]
            BackEnd::Avx512 => Features::beside_avx512(),
            _ => Features::NONE,
        }
    }
}

/// What `BROLGA_TARGET` takes beside `auto`: back ends, and machines.
pub fn names() -> impl Iterator<Item = &'static str> {
    let back_ends = BackEnd::NAMES.iter().map(|(name, _)| *name);
    back_ends.chain(MODELS.iter().map(|model| model.name))
}

/// What code is made for in this process.
struct Chosen {
    back_end: BackEnd,
    /// The machine that decisions are made for, if one was named.
    model: Option<&'static Model>,
}

impl Chosen {
    fn of_process() -> &'static Chosen {
        // A racing cell: a child of fork() may find a blocking one in the hands of a thread that it does not have.
        static CHOSEN: OnceBox<Chosen> = OnceBox::new();
        CHOSEN.get_or_init(|| {
            let name = std::env::var("BROLGA_TARGET").unwrap_or_default();
            let available = BackEnd::available();
            Box::new(Chosen::by_name(&name, &available).unwrap_or_else(|error| {
                debug::complain(format_args!("{error}: auto is taken"));
                Chosen::best(&available)
            }))
        })
    }

    fn best(available: &[BackEnd]) -> Chosen {
        Chosen {
            back_end: available.last().copied().unwrap_or(BackEnd::Cranelift),
            model: None,
        }
    }

    /// What a name stands for on a machine that can run the code of these back ends.
    fn by_name(name: &str, available: &[BackEnd]) -> Result<Chosen, String> {
        let best = Chosen::best(available);
        let back_end = BackEnd::NAMES.iter().find(|(known, _)| *known == name).map(|named| named.1);
        let model = Model::named(name);
        let named = back_end.or(model.map(|model| model.back_end));
        if named.is_none() && !matches!(name, "" | "auto") {
            let names: Vec<_> = names().collect();
            return Err(format!("BROLGA_TARGET is auto or one of {}, not {name:?}", names.join(", ")));
        }
        let back_end = named.filter(|named| available.contains(named)).unwrap_or(best.back_end);
        Ok(Chosen { back_end, model })
    }
}

fn has_fma() -> bool {
    BackEnd::chosen() != BackEnd::Cranelift || cranelift_has_fma()
}

/// Cranelift's code uses fused multiply-adds on this machine.
fn cranelift_has_fma() -> bool {
    // As `cranelift_native` detects it; other architectures that Cranelift knows always have them.
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    true
}

fn has_half_arithmetic() -> bool {
    BackEnd::chosen().features().fp16
}

/// The vector registers of the machine, as a back end uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// How many.
    pub count: u32,
    /// Bytes of each.
    pub bytes: u32,
}

impl Registers {
    /// So many values at once are worth having even so: a third of them is in memory, where operands may be.
    pub fn with_spills(&self) -> u32 {
        self.count * 3 / 2
    }

    /// Vectors of one constant are in registers as well: code for such short ones is Cranelift's, which has few operands in memory.
    pub fn hold_constants(&self) -> bool {
        self.bytes == 16
    }

    /// Masks are in registers of their own.
    pub fn have_masks_apart(&self) -> bool {
        self.bytes == 64
    }

    /// Operations on the bits of three values are one instruction.
    pub fn have_ternary_logic(&self) -> bool {
        self.bytes == 64
    }
}

impl BackEnd {
    /// The vector registers that values live in.
    fn registers(self) -> Registers {
        let (count, bytes) = match self {
            BackEnd::Avx512 | BackEnd::Avx512Base => (32, 64),
            BackEnd::Avx2 | BackEnd::Avx2Base => (16, 32),
            BackEnd::Cranelift => (16, 16),
        };
        Registers { count, bytes }
    }

    /// Floats in a register with our own generator: two would not fit without spilling where much is live. With Cranelift's shorter vectors two
    /// registers of floats: enough independent work to hide latencies, without running out of the sixteen registers.
    fn gang_width(self) -> u32 {
        match self {
            BackEnd::Cranelift => 8,
            _ => self.registers().bytes / 4,
        }
    }
}

/// The machine that code is made for, as passes see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// The vector registers that values live in.
    pub registers: Registers,
    /// The registers of integers and addresses, of which code keeps some for itself.
    pub general_registers: u32,
    /// What operations take.
    pub costs: Costs,
    /// A multiplication and an addition with one rounding is one instruction, for floats and doubles. Where it is not, it takes a hundred times
    /// as long as the two.
    pub has_fma: bool,
    /// Sums, differences, products, quotients, roots, minima, maxima, comparisons and roundings of halves are one instruction each, and so is a
    /// multiplication and an addition with one rounding.
    pub has_half_arithmetic: bool,
    /// Fractions and exponents of floats and doubles, and their products with powers of two, are an instruction or a few.
    pub has_powers: bool,
    /// Minima and maxima of vectors of integers of 64 bits are one instruction each.
    pub has_long_minima: bool,
    /// Bytes are permuted over whole registers, as longer lanes are on machines with mask registers.
    pub has_byte_permutation: bool,
    /// The gang width that suits it where nothing else decides.
    pub gang_width: u32,
}

impl Machine {
    /// This machine, with the back end that is used, or the one that `BROLGA_TARGET` names; in reproducible mode one that all machines share.
    /// Whatever makes the code: it can make that of any machine, if need be by more instructions.
    pub fn of_process() -> Machine {
        if reproducible() {
            return Machine::with(BackEnd::Avx2Base);
        }
        let &Chosen { back_end, model } = Chosen::of_process();
        if let Some(model) = model {
            return model.machine();
        }
        let machine = match Model::of_process(back_end) {
            Some(model) => model.machine(),
            None if cfg!(target_arch = "aarch64") => Machine::with(back_end).of_aarch64(),
            None => Machine::with(back_end),
        };
        Machine {
            has_fma: has_fma(),
            has_half_arithmetic: has_half_arithmetic(),
            has_byte_permutation: BackEnd::chosen().features().vbmi,
            ..machine
        }
    }

    /// A machine that has what a back end asks for and nothing beside it, by the name of the back end in `BROLGA_TARGET` or of a [`Model`]: the
    /// same on every machine.
    pub fn named(name: &str) -> Option<Machine> {
        let back_end = BackEnd::NAMES.iter().find(|(known, _)| *known == name);
        let of_back_end = back_end.map(|(_, back_end)| Machine::with(*back_end));
        of_back_end.or_else(|| Some(Model::named(name)?.machine()))
    }

    /// With the registers of Arm's 64-bit architecture, and fused products, which all of them have.
    fn of_aarch64(self) -> Machine {
        Machine {
            registers: Registers { count: 32, bytes: 16 },
            general_registers: 31,
            has_fma: true,
            ..self
        }
    }

    fn with(back_end: BackEnd) -> Machine {
        Machine {
            registers: back_end.registers(),
            general_registers: 16,
            costs: back_end.costs(),
            has_fma: back_end != BackEnd::Cranelift,
            has_half_arithmetic: false,
            has_byte_permutation: false,
            has_powers: matches!(back_end, BackEnd::Avx512Base | BackEnd::Avx512),
            has_long_minima: matches!(back_end, BackEnd::Avx512Base | BackEnd::Avx512),
            gang_width: back_end.gang_width(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_back_ends_and_of_machines() {
        let chosen = |name, available: &[BackEnd]| {
            let Chosen { back_end, model } = Chosen::by_name(name, available)?;
            Ok::<_, String>((back_end, model.map(|model| model.name)))
        };
        let old = [BackEnd::Cranelift, BackEnd::Avx2Base, BackEnd::Avx2];
        assert_eq!(chosen("", &old), Ok((BackEnd::Avx2, None)));
        assert_eq!(chosen("auto", &old), Ok((BackEnd::Avx2, None)));
        assert_eq!(chosen("cranelift", &old), Ok((BackEnd::Cranelift, None)));
        assert_eq!(chosen("zen3", &old), Ok((BackEnd::Avx2Base, Some("zen3"))));
        // Code that this machine can run, as that one would have it decided.
        assert_eq!(chosen("avx512", &old), Ok((BackEnd::Avx2, None)));
        assert_eq!(chosen("zen4", &old), Ok((BackEnd::Avx2, Some("zen4"))));
        let error = chosen("zen2", &old).expect_err("no such machine");
        assert!(
            names().all(|name| error.contains(name)) && error.ends_with("not \"zen2\""),
            "{error}"
        );
        assert!(names().all(|name| Machine::named(name).is_some()));
    }
}
