//! What operations take on a machine. Passes have no numbers of this kind of their own: they take these, and say in what unit they add them up.
//!
//! Latencies are those that Zen 3 to 5, Skylake and Sapphire Rapids have in common in Agner Fog's instruction tables, rounded: for machines
//! that [`super::models`] has no numbers for. What code takes that is several instructions (gathers, rotations, masks) is what the code
//! generator's sequences for it add up to at the rates below.

pub mod effort;
pub mod lookup;
pub mod strided;

use super::BackEnd;

/// Bytes of a cache line, of every machine that there is code for.
pub const CACHE_LINE: u32 = 64;
/// Instructions that one may run for nothing instead of branching around them in scalar code: half of what a mispredicted branch costs, since
/// it is one time in two that they were wanted.
pub const SPECULATED_INSTRUCTIONS: u32 = 6;
/// Values that selects may choose where scalar code branches: each takes an instruction, and has both of what it chooses from computed. An estimate.
pub const SELECTS_FOR_BRANCH: usize = 4;
/// Instructions of a block for which one register less is stored or loaded, or another order is not worth it: what is loaded early hides that loads
/// take time. An estimate.
pub const INSTRUCTIONS_FOR_SPILL: u64 = 8;
/// Instructions of vectors with masks that one may run for nothing instead of testing whether any lane is active.
pub const MASKED_INSTRUCTIONS: usize = 12;
/// The same of a block that is hardly ever executed, where the branch is foretold: what the test takes.
pub const COLD_MASKED_INSTRUCTIONS: usize = 3;
/// Operations on vectors that are done again in each region between barriers instead of storing what they give for each gang and loading it: a load
/// that waits for its store takes about as long. An estimate.
pub const OPERATIONS_FOR_SPILL: u32 = 6;
/// Operations on scalars that are done again for a single lane instead of taking it from a vector: what a shuffle and a move to another register file
/// take, and the vector is often not needed then. An estimate.
pub const OPERATIONS_FOR_LANE: u32 = 6;
/// Instructions after which a constant is loaded again instead of keeping a register: it is in the nearest cache. An estimate.
pub const INSTRUCTIONS_FOR_RELOAD: usize = 64;
/// Vector constants of a function that registers are left to, of the sixteen that the shortest of machines has.
pub const CONSTANTS_IN_REGISTERS: usize = 8;
/// Shuffles of one register that a permutation may take where nothing shuffles several: with more, storing and loading lanes is no slower.
pub const SHUFFLES_FOR_MEMORY: usize = 16;
/// Cases of a switch that are compared one after the other: with more, searching in halves takes fewer comparisons.
pub const CASES_IN_A_ROW: usize = 4;
/// Lanes of 32 bits from which on a scalar reciprocal in doubles is better than dividing them: fewer fit one vector of doubles, which is divided in
/// about the time of the scalar.
pub const LANES_BY_RECIPROCAL: u16 = 8;
/// Elements between neighbours' places up to which a load of all that lies between, and shuffles, are better than a gather.
pub const ELEMENTS_APART: i64 = 4;
/// In so many gangs one wraps around in a ring buffer: from here on it pays to ask whether a gang does.
pub const GANGS_IN_RING: i64 = 8;
/// Stores past the caches of a kernel: machines put together 8 to 12 lines at a time, for all that runs on a core.
pub const OPEN_LINES: usize = 4;

/// How far code may grow by being written twice, for gangs of which more is known and for the others. It is compiled for each kernel, and half of
/// it is not run.
pub mod versioning {
    /// Instructions of a region.
    pub const REGION: usize = 300;
    /// Instructions of all regions that one pass writes twice in a function.
    pub const FUNCTION: usize = 1200;
    /// Regions that one pass writes twice in a function, where all is analysed anew after each.
    pub const REGIONS: usize = 4;
    /// How often copied code is looked at for what may be assumed of it as well.
    pub const ROUNDS: usize = 3;
}

/// How large code may get in other ways: it is compiled for each kernel before its first launch. Estimates.
pub mod code_size {
    /// Code that is twice as long must be better by this factor, where all of what it takes is known.
    pub const WORTH_TWICE: f32 = 1.1;
    /// Gangs of half as many lanes must be better by this factor, where more registers a value were thought to pay: what a gang costs to get to is not counted.
    pub const WORTH_HALVING: f32 = 1.03;
    /// Instructions of a function that copies of its loops or of its gangs may make it.
    pub const FUNCTION: usize = 4000;
    /// Instructions that it may have for a time, if all but a few of them prove to be constants.
    pub const BEFORE_FOLDING: usize = 4 * FUNCTION;
    /// Instructions of a function that takes in all that it calls: what calls take is a small part of such a function then. What is called once
    /// is not bound by it, since that does not grow.
    pub const CALLER: usize = 2 * FUNCTION;
    /// Instructions of a function that had to take in what it calls, since work-items do something together there. More than any program in use
    /// has: it bounds the memory that compiling takes.
    pub const LARGEST: usize = 1_000_000;
    /// Instructions of a callee that is always taken in: about what a call takes, which saves the registers of a gang and hands on masks.
    pub const INLINED: usize = 40;
    /// Instructions of the copies of an unrolled loop: a few times what a loop of ours costs to enter and to leave.
    pub const UNROLLED: usize = 200;
    /// The same where they find their places in an array by the counter, or compute constants: the array becomes values, and what is known goes away.
    pub const UNROLLED_TO_VALUES: usize = 600;
    /// Iterations of a loop that are looked at one by one: those of two instructions fill [`UNROLLED`].
    pub const UNROLLED_ITERATIONS: usize = UNROLLED / 2;
    /// Instructions of a loop's test that is copied in front of the loop, which saves a jump in each iteration and lets invariants out.
    pub const ROTATED_TEST: usize = 16;
    /// Instructions that an access to an image becomes, about.
    pub const IMAGE_ACCESS: usize = 16;
    /// Instructions of a loop along rows that is written a second time, for several iterations at once.
    pub const ROW_LOOP: usize = 40;
    /// Instructions of the iterations of such a loop that are done at once, where those of bytes are four words': in lanes of 16 the loads of one word take 64.
    pub const ROW_ITERATIONS: usize = 600;
    /// Those of a loop along rows that is written for one lane after the other: scalars take an instruction where vectors take several.
    pub const SCALARIZED_LOOP: usize = 60;
    /// Instructions of a loop that is written for a lane instead of for the gang: it replaces the other one, and what it takes is compared as well.
    pub const SCALARIZED_DIVERGENT_LOOP: usize = 200;
    /// Instructions of all regions between barriers, each with copies of its own of the blocks that it shares: so many times those of the function,
    pub const REGIONS_OF_FUNCTION: usize = 3;
    /// and some, since a small function may be anything.
    pub const REGIONS: usize = 400;
    /// Elements of a copy that becomes loads and stores, which may become values. Estimates, here and where bytes are copied.
    pub const COPIED_ELEMENTS: u64 = 64;
    /// Bytes of a copy that is written out: four registers of 32 bytes. What a call takes is little beside copying more.
    pub const COPIED_BYTES: u64 = 128;
    /// Lanes that are stored one by one in straight code; with more, they are gone through in a loop.
    pub const LANES: u32 = 8;
    /// Operations that two ways to a block have in common and that are done behind it instead, for one of its parameters.
    pub const PHI_OPERATIONS: usize = 6;
    /// Comparisons of one parameter that are done before its block instead: each hands on a mask.
    pub const PHI_COMPARISONS: usize = 2;
    /// Arguments of a kernel that it is asked of whether they are 1 as strides: each is one more launch fact, and perhaps a variant of the code.
    pub const UNIT_STRIDES: usize = 4;
    /// Instructions of a condition under which a group is idle: it is computed for each row of groups, and at each step of a search.
    pub const IDLE_CONDITION: usize = 24;
    /// Bytes of a copy of which checked mode copies by its own code what has been written.
    pub const SHADOWED_COPY: u64 = 512;
    /// Bytes that checked mode marks as not written by straight code; more by a loop.
    pub const SHADOWED_AT_ONCE: u64 = 64;
    /// Atomics of a kernel that may be written twice, on memory of the worker's own and on the buffer.
    pub const PRIVATIZED_ATOMICS: usize = 100;
    /// Values of an instruction or two that are computed before a loop: far more than there are registers, but not so many that whoever gives out
    /// registers looks at each of them in each block.
    pub const HOISTED_VALUES: u32 = 256;
}

/// Bytes of memory that passes take for themselves. It is to stay in the nearest cache, of which all machines that there is code for have 32 KiB at least.
pub mod memory {
    /// What a worker counts on instead of a buffer: half of that cache, four thousand counters of 32 bits.
    pub const TALLY: u32 = 16 << 10;
    /// Buffers of a kernel that have one. With more of that length, they are not in that cache.
    pub const TALLIES: usize = 4;
    /// Vectors of a function that are stored to have their lanes loaded: a quarter.
    pub const STORED_LANES: u32 = 8 << 10;
    /// Vectors of a function that loops take lanes of by number: an eighth, since they stay there while the loop runs.
    pub const LANE_TABLES: u32 = 4 << 10;
    /// Local memory of a work-item that is a group by itself, where many are run together and each has its own: a gang of eight fills the cache.
    pub const OWN_LOCAL: u64 = 4 << 10;
    /// Private memory of a work-item in a function that stays a call: the widest gang has 1 MiB of it on the stack then.
    pub const CALLEE: u64 = 32 << 10;
    /// A private variable of which checked mode notes what has been written: more is cleared by as many stores at the start.
    pub const SHADOWED: u32 = 2048;
}

/// Lanes of 8 or 16 bits instead of 32, in instructions: what our code generator's sequences take.
pub mod short_lanes {
    /// What is saved, or comes to it, where an instruction has the shorter lanes.
    #[derive(Clone, Copy, Debug)]
    pub struct Saved {
        /// Registers of the shorter lanes, and of those of 32 bits.
        pub registers: [i32; 2],
        /// Bits of the shorter lanes.
        pub bits: u32,
    }

    impl Saved {
        /// In a gang of so many registers of lanes of 32 bits.
        pub fn new(bits: u32, registers: u32) -> Saved {
            let short = (registers * bits / 32).max(1);
            Saved {
                registers: [short as i32, registers as i32],
                bits,
            }
        }

        /// By an operation of so many instructions a register of the shorter lanes and of the longer ones.
        pub fn operation(&self, instructions: [u32; 2]) -> i32 {
            self.registers[1] * instructions[1] as i32 - self.registers[0] * instructions[0] as i32
        }

        /// What has fewer bits becomes such lanes, instead of the longer ones: each register but the first is cut out before.
        pub fn extended(&self) -> i32 {
            2 * (self.registers[1] - self.registers[0])
        }

        /// What is there as such lanes already is not extended.
        pub fn source(&self) -> i32 {
            2 * self.registers[1] - 1
        }

        /// Cutting lanes of 32 bits: each register is narrowed, which takes two, and they are put together.
        pub fn cut(&self) -> i32 {
            3 * self.registers[1] - 2
        }

        /// Going from one to the other, which comes to it.
        pub fn conversion(&self) -> i32 {
            2 * self.registers[1] - 1
        }

        /// By a shift by a constant.
        pub fn shift(&self) -> i32 {
            self.operation([if self.bits == 8 { BYTE_SHIFT } else { 1 }, 1])
        }
    }

    /// Instructions of a product of bytes: of the even ones and of the odd ones in 16 bits, which are put together.
    pub const BYTE_PRODUCT: u32 = 6;
    /// The same where all lanes have the same factor.
    pub const BYTE_PRODUCT_BY_SCALAR: u32 = 4;
    /// Instructions of a quotient by a constant, in 16 bits and in 32: upper halves of products have one in 16 bits.
    pub const QUOTIENT: [u32; 2] = [3, 8];
    /// Instructions of a product of 32 bits.
    pub const PRODUCT: u32 = 2;
    /// Instructions of a shift of bytes by a constant: one of 16 bits, and what came from the byte beside goes away.
    pub const BYTE_SHIFT: u32 = 2;
}

/// How many vectors a row must have that lanes go along one after the other.
pub mod row {
    /// One pays for the way into the loop over them and out of it.
    pub const VECTORS: u32 = 2;
    /// The same with sums, which are put together behind the loop: sixteen lanes in four shuffles and four sums that wait for each other, which takes as
    /// long as the sums of seven vectors.
    pub const VECTORS_WITH_SUMS: u32 = 8;
}

/// Records whose fields lie one behind the other, as lanes access them.
pub mod record {
    /// Elements of one of which the fields are loaded together and parted by shuffles: with more, each field takes as many as a gather.
    pub const INTERLEAVED: usize = 4;
    /// The same of words that are permuted over two whole registers: of eight, each register of a field takes three.
    pub const INTERLEAVED_WORDS: usize = 8;
    /// Bytes of a field over all lanes: what is shorter is taken lane by lane anyway.
    pub const FIELD: u32 = 4;
    /// Bytes of a field over all lanes from which on it is parted from others by shuffles rather than loaded with them as a word: it fills a register.
    pub const WHOLE_FIELD: u32 = 16;
    /// Components that are computed at once where records stay as they lie in memory: a few registers each.
    pub const COMPONENTS: usize = 4;
}

/// Gangs of half as many lanes.
pub mod half_width {
    /// Lanes of a gang that is cut in halves: of fewer, a register of eight bytes a lane is not full.
    pub const LANES: u32 = 8;
    /// Of the registers that live values take, what half as many lanes must take at most to be worth twice the gangs.
    pub const PERCENT_LEFT: u32 = 60;
}

/// Reversed bytes and bits in place of shifts and masks.
pub mod bit_permutations {
    /// Operations that bits of words are reversed by where the machine has no instruction for it.
    pub const REVERSED_BITS: usize = 8;
    /// Operations that there must be fewer of.
    pub const FEWER: usize = 2;
}

/// Launches along one dimension that are run along two, in whose rows gangs don't fit: by how much longer a gang takes, in instructions. Estimates, from rows of
/// 16 to 512 work-items (filters, products, sums of rows and columns; AVX-512).
pub mod unfolding {
    /// Of a gang that goes over the end of a row, for each access and lane.
    pub const LANE: f64 = 1.0;
    /// For each access but one, of what it shares with gangs above or below.
    pub const ACCESS: f64 = 6.0;
    /// Of a gang in a row.
    pub const ROW: f64 = 1.0;
}

/// Several gangs at once.
pub mod interleaving {
    /// Gangs: sums of products wait four cycles for themselves, and machines begin two in each.
    pub const GANGS: u32 = 8;
    /// Gangs that share nothing.
    pub const GANGS_APART: u32 = 4;
    /// What a load of consecutive lanes costs, which takes in a line of the cache for each vector, …
    pub const VECTOR_LOAD: u32 = 3;
    /// … and other instructions beside it. Estimates, which order the shapes of tiles as measured (products of matrices, Emerald Rapids, AVX2 and AVX-512).
    pub const INSTRUCTION: u32 = 2;
    /// Gangs that lie in another way than in a row must do so much less, since the lines that a row goes along are fetched ahead. An estimate.
    pub const LESS: f32 = 0.85;
    /// Work-items for each lane of a row's last gang that may be idle.
    pub const IDLE_LANES: u64 = 8;
    /// Gangs at once that lie below each other: their words make a record of 16 bytes a lane.
    pub const ROWS: u32 = 4;
    /// Twice as many gangs must take a time that is shorter by this factor. An estimate: less gains nothing in a table of 1 KiB (CRC-32), and more leaves out
    /// loops whose units are half idle (xorshift).
    pub const GAIN: f32 = 1.18;
    /// Lanes of all gangs together, if each has a few instructions.
    pub const LANES: u32 = 64;
    /// Instructions of a gang that are hardly more than it takes to get from one gang to the next.
    pub const FEW_INSTRUCTIONS: usize = 40;
    /// Instructions of a gang from which on it pays to look at how they wait for each other.
    pub const MANY_INSTRUCTIONS: usize = 100;
    /// Registers that all live values together would take in code without loops that mostly computes. What sixteen have no room for is an operand in
    /// memory, stored and loaded while others wait: measured with functions of floats, FFT's butterflies and counters' hashes, on a Zen 4.
    pub const LIVE_REGISTERS: u32 = 48;
    /// Operations on lanes for each of their accesses to memory, from which on code mostly computes: with fewer, values that are stored and loaded
    /// again are in the way of these accesses.
    pub const OPERATIONS_FOR_ACCESS: usize = 4;
}

/// What is assumed of programs where nothing is known.
pub mod assumed {
    /// Iterations of an inner loop in one of the loop around it.
    pub const TRIP_COUNT: f32 = 8.0;
    /// Iterations that lanes need on average, of those that the last lane needs that leaves the loop: of eight to sixteen lanes that each need any number
    /// up to twice as many, or about as many as come together by chance.
    pub const LANES_USED: f32 = 0.6;
    /// A block of a loop that not every iteration goes through is executed so often.
    pub const BRANCH_TAKEN: f32 = 0.5;
    /// How often a block that is marked as rare is executed, of those around it.
    pub const COLD_BLOCK: f32 = 1.0 / 64.0;
    /// An estimate must be better by this factor to be believed.
    pub const MARGIN: f32 = 1.2;
}

/// Cycles from the operands to the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latencies {
    /// Integers and bits, moves, selects, and what is not named below.
    pub simple: u32,
    /// Sums, products and fused products of floating-point numbers, and dot products of bytes.
    pub float: u32,
    /// Quotients and remainders of floating-point numbers.
    pub float_division: u32,
    /// Square roots.
    pub square_root: u32,
    /// Rounding to integral values.
    pub rounding: u32,
    /// Comparisons of floating-point numbers.
    pub float_comparison: u32,
    /// From one floating-point type to another.
    pub float_conversion: u32,
    /// Quotients and remainders of integers.
    pub integer_division: u32,
    /// Products of vectors of 32-bit integers.
    pub vector_multiplication: u32,
    /// The same of 64 bits.
    pub vector_long_multiplication: u32,
    /// The same of 16 bits and fewer.
    pub vector_short_multiplication: u32,
    /// From lane to lane: shuffles, insertions, extractions.
    pub lane: u32,
    /// A load of a scalar or of consecutive lanes from the nearest cache.
    pub load: u32,
    /// What comes to a load or store where each lane has an address of its own: addresses go through memory, and what is loaded is put together.
    pub scattered: u32,
}

impl Latencies {
    /// A product of vectors of integers with so many bits.
    pub fn of_product(&self, bits: u32) -> u32 {
        match bits {
            64 => self.vector_long_multiplication,
            32 => self.vector_multiplication,
            _ => self.vector_short_multiplication,
        }
    }
}

/// Cycles that operations keep the machine busy, where none waits for another (reciprocal throughput), and what limits overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// From operands to results.
    pub latency: Latencies,
    /// A scalar instruction.
    pub scalar: f32,
    /// A scalar quotient or root of floating-point numbers.
    pub scalar_float_division: f32,
    /// A scalar quotient or remainder of integers.
    pub scalar_integer_division: f32,
    /// An instruction on a vector register.
    pub vector: f32,
    /// An instruction on a vector register of integers that is no division.
    pub integer_vector: f32,
    /// A product of 32-bit integers, a register. Here and for 64 bits, the least that machines with these vectors take, so that what replaces
    /// products pays on each of them.
    pub vector_multiplication: f32,
    /// A product of 64-bit integers, a register.
    pub vector_long_multiplication: f32,
    /// A rotation of the lanes' bits, a register.
    pub vector_rotation: f32,
    /// Moving a lane to another part of the register, or to all lanes.
    pub shuffle: f32,
    /// Quotients or roots of floating-point numbers, a register.
    pub vector_float_division: f32,
    /// Quotients or remainders of integers, a register.
    pub vector_integer_division: f32,
    /// A lane that is loaded from, or stored to, a place of its own, of 32 or 64 bits.
    pub gathered_lane: f32,
    /// The same for lanes of fewer bits.
    pub short_gathered_lane: f32,
    /// What comes to that once an access.
    pub short_gather: f32,
    /// A lane's part of a gather along rows as far apart as powers of two: lanes' lines push each other out of the nearest cache.
    pub conflicting_lane: f32,
    /// A lane's part of four iterations of a loop along rows that are loaded at once and transposed.
    pub transposed_lane: f32,
    /// Going on under a mask where lanes part.
    pub divergent_branch: f32,
    /// An iteration of a loop that has a mask of the lanes that are left.
    pub masked_iteration: f32,
    /// A choice that nothing foretells: half of the times, a branch is mispredicted.
    pub unpredictable_choice: u32,
    /// Instructions that the machine looks ahead.
    pub reorder_window: usize,
    /// Instructions on vectors that it takes in while they wait for their operands.
    pub vector_window: usize,
    /// A register that an iteration stores or loads again since there are too few: most of that is done by units of its own meanwhile. What is left fits what
    /// 134 functions of numbers take on a Zen 4 in gangs of one to eight registers a value.
    pub spilled_vector: f32,
    /// Of the time that iterations wait for each other, what the machine has nothing else to do in.
    pub exposed_latency: f32,
}

impl Costs {
    /// Cycles of a branch that is mispredicted.
    pub fn misprediction(&self) -> u32 {
        2 * self.unpredictable_choice
    }

    /// Lanes of a vector that are spread one by one, from so many on by way of memory: each lane takes two shuffles, and a load waits for the store
    /// once, a cycle longer than for any other. Loads that spread what they load leave the units of vectors alone.
    pub fn lanes_through_memory(&self) -> usize {
        ((self.latency.load + 1) as f32 / (2.0 * self.shuffle)).round_ties_even() as usize
    }

    /// The same where lanes are known distances behind one address: nothing is taken out of a register, and each lane is put in by a shuffle.
    pub fn gather_apart(&self, bytes: u32, lanes: u32) -> f32 {
        self.gather(bytes, lanes).min(self.shuffle * lanes as f32)
    }

    /// A load or a store of which each lane has a place of its own.
    pub fn gather(&self, bytes: u32, lanes: u32) -> f32 {
        match bytes {
            ..4 => self.short_gathered_lane * lanes as f32 + self.short_gather,
            _ => self.gathered_lane * lanes as f32,
        }
    }
}

pub(super) const LATENCIES: Latencies = Latencies {
    simple: 1,
    float: 4,
    float_division: 12,
    square_root: 16,
    rounding: 4,
    float_comparison: 3,
    float_conversion: 7,
    integer_division: 20,
    // Of Intel's machines since Haswell; the others take less.
    vector_multiplication: 10,
    // Three products of 32 bits, two of them at once, and what adds them up.
    vector_long_multiplication: 8,
    vector_short_multiplication: 5,
    lane: 3,
    load: 6,
    scattered: 30,
};

/// Vectors of 128 or 256 bits, gathered by scalar loads and insertions.
pub(super) const SHORT_VECTORS: Costs = Costs {
    latency: LATENCIES,
    scalar: 1.0 / 3.0,
    scalar_float_division: 4.0,
    scalar_integer_division: 6.0,
    vector: 1.0 / 2.0,
    integer_vector: 1.0 / 3.0,
    // Zen 3 to 5; Skylake takes 1.
    vector_multiplication: 1.0 / 2.0,
    // Three products of 32 bits, and what adds them up.
    vector_long_multiplication: 3.0,
    vector_rotation: 1.0,
    // In LLVM's tables for all that there are numbers for, whether a register has 256 bits or 512.
    shuffle: 1.0,
    vector_float_division: 3.0,
    vector_integer_division: 8.0,
    // A lane's address is taken out, and what is there is loaded and put in; bytes and shorts are extended before and put in one by one.
    gathered_lane: 1.25,
    short_gathered_lane: 2.0,
    short_gather: 0.0,
    conflicting_lane: 6.0,
    transposed_lane: 1.5,
    divergent_branch: 2.0,
    masked_iteration: 4.0,
    unpredictable_choice: 12,
    reorder_window: 256,
    // Skylake's, which is the least of them.
    vector_window: 97,
    spilled_vector: 1.0 / 4.0,
    exposed_latency: 0.7,
};

/// Vectors of 512 bits: two units instead of three for integers too, rotations, and gathers of 32 and 64 bits, which gather the words around
/// bytes and shorts as well, to be shifted and narrowed.
pub(super) const LONG_VECTORS: Costs = Costs {
    latency: Latencies {
        vector_long_multiplication: 15,
        ..LATENCIES
    },
    integer_vector: 1.0 / 2.0,
    vector_multiplication: 1.0,
    // Zen 4 and 5; Sapphire Rapids takes 1.5.
    vector_long_multiplication: 1.0,
    vector_rotation: 1.0 / 2.0,
    gathered_lane: 1.0,
    short_gathered_lane: 1.0,
    short_gather: 4.0,
    ..SHORT_VECTORS
};

impl BackEnd {
    /// What code of this back end takes.
    pub(super) fn costs(self) -> Costs {
        match self {
            BackEnd::Avx512 | BackEnd::Avx512Base => LONG_VECTORS,
            BackEnd::Avx2 | BackEnd::Avx2Base | BackEnd::Cranelift => SHORT_VECTORS,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Machine;

    #[test]
    fn costs_agree_with_each_other() {
        let models = crate::MODELS.iter().map(|model| model.name);
        for name in ["cranelift", "avx2", "avx512"].into_iter().chain(models) {
            let costs = Machine::named(name).expect("there is one").costs;
            let latency = costs.latency;
            assert!(costs.scalar <= costs.vector && costs.integer_vector <= costs.vector, "{name}");
            assert!(costs.gathered_lane <= costs.short_gathered_lane && costs.short_gathered_lane < costs.conflicting_lane);
            // (Where it was measured.)
            let has_long_vectors = Machine::named(name).is_some_and(|machine| machine.registers.bytes > 16);
            assert!(!has_long_vectors || costs.lanes_through_memory() == 4, "{name}");
            // A unit that does one thing at a time is busy for no longer than it takes.
            assert!(costs.scalar_float_division <= latency.float_division as f32);
            assert!(costs.scalar_integer_division <= latency.integer_division as f32);
            assert!(latency.simple < latency.lane && latency.lane <= latency.float && latency.float < latency.float_division);
        }
    }
}
