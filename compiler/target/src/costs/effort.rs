//! How much passes look at whose work grows faster than the function: so it stays a small part of compiling. Estimates, above what programs in use have.

/// Operations between a value and what it is made of: the dimensions of an index, with their strides, extensions and offsets.
pub const OPERATIONS: u32 = 16;
/// The same where both operands of each are followed, for each comparison or access.
pub const SOME_OPERATIONS: u32 = 6;
/// The same where it is asked for each instruction.
pub const FEW_OPERATIONS: u32 = 4;
/// Values that a launch works out the numbers of, to tell which indices don't wrap.
pub const NO_WRAP_NODES: usize = 512;
/// Conditions that one is made of by "and", "or" and "not".
pub const CONDITIONS: u32 = 8;
/// The same of a guard of checked mode: one for each thing that an access must keep.
pub const CHECKED_CONDITIONS: u32 = 24;
/// Guards behind each other at the start of a kernel.
pub const GUARDS: usize = 4;
/// Conditions of a kernel under which its groups are idle.
pub const IDLE_CONDITIONS: usize = 6;
/// Terms of a sum, or factors of a product, that are put in order.
pub const TERMS: usize = 32;
/// Times that an instruction may be replaced by another before the next is looked at, and loops that meet are rotated.
pub const REWRITES: usize = 8;
/// Times that a whole function is gone through again: the first does nearly everything.
pub const ROUNDS: usize = 4;
/// Loops in each other of which the outer ones may be small once the inner ones are unrolled.
pub const NESTS: u32 = 4;
/// Iterations of a loop of which each is looked at.
pub const ITERATIONS: u32 = 256;
/// Accesses of a loop, or of a group, each of which is compared with the places of all others.
pub const ACCESSES_COMPARED: usize = 64;
/// Kinds of accesses that are followed at once: each access is compared with all.
pub const KINDS_OF_ACCESSES: usize = 16;
/// Kinds of writes of a loop that are told apart: each load is asked whether one of them may change it.
pub const KINDS_OF_WRITES: usize = 16;
/// Places in memory of which it is known what was there last.
pub const PLACES: usize = 32;
/// Products of a loop, of each of which it is asked whether iterations wait for it.
pub const PRODUCTS: usize = 16;
/// Loops of a function that change the flow graph, after each of which it is looked at anew.
pub const LOOPS_CHANGED: usize = 32;
/// Blocks between a block and one that it dominates, each of which is asked what memory it writes, or what its branch says.
pub const BLOCKS_BETWEEN: usize = 16;
/// Blocks of one way, each of which may be gone on from.
pub const BLOCKS_WALKED: u32 = 12;
/// Blocks that an instruction may be moved to, each of which is asked which loops it is in.
pub const BLOCKS_TRIED: usize = 64;
/// Instructions behind a load in which a store to its place is looked for.
pub const INSTRUCTIONS_BEHIND: usize = 16;
/// Instructions of a side of a branch each of which is compared with as many of the other side, and behind which a store may leave it.
pub const SIDES_COMPARED: usize = 32;
/// Instructions behind a bound of an index in which the access that it is for is looked for.
pub const INSTRUCTIONS_TO_ACCESS: usize = 60;
/// Instructions of a block that is put into another order.
pub const SCHEDULED_BLOCK: usize = 6000;
/// Instructions that are compared for a place in it.
pub const SCHEDULED_AT_ONCE: usize = 64;
/// Parts that are tried for a block's chains, if no order of all of them is good enough.
pub const SCHEDULED_PARTS: &[usize] = &[2, 4];
/// Instructions that are looked at, with their operands, for each of the block, before the rest stays in its order.
pub const SCHEDULED_LOOKS: usize = 64;
/// Pairs of accesses to memory, for each instruction of the block.
pub const SCHEDULED_PAIRS: usize = 64;
/// Places of a frame that are tried for a value before it gets a new one.
pub const SLOTS_TRIED: usize = 12;
/// Instructions that Cranelift's backtracking register allocator looks at: it takes half a second then.
pub const BACKTRACKED: u64 = 250_000_000;
/// Instructions of the IR of a function that Cranelift optimizes.
pub const OPTIMIZED: usize = 30_000;
/// Rounds over a function in which it is found which floats are numbers: one for each loop that hands on to another what need not be one, and one more.
pub const KNOWN_NUMBERS: u32 = 16;
