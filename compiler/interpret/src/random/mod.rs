//! Random kernels, to compare whatever runs them: a seed always gives the same one.
//!
//! The variables of a kernel are private slots, which may be written anywhere in nested branches, switches, loops (also such with two
//! entries) and calls. Work-items exchange values through local memory between barriers, through operations across the sub-group and
//! the work-group, and through atomics whose result nobody sees. They count with their ids in 32 and 64 bits ([`numbers`]) and with bytes
//! in memory ([`pixels`]), read what that addresses, and keep sums in their own elements of other buffers ([`buffers`]). They read images,
//! and write their own texels of one ([`images`]), and read constants of the program ([`tables`]). Each writes what it has to its own place.
//! Nothing is generated whose result the IR leaves open: no division by zero, no conversion out of range without saturation, no bits of
//! a NaN.

mod arrays;
mod buffers;
mod flow;
mod functions;
mod generator;
mod groups;
mod images;
mod loops;
mod numbers;
mod pictures;
mod pixels;
mod tables;
mod values;
mod windows;

use super::{Config, GlobalMemory, Stop};
use cranelift_entity::EntityRef;
use device::abi::LaunchRecord;
use generator::Generator;
use interface::LaunchFacts;
use ir::*;
use pictures::Pictures;
use rustc_hash::FxHashMap;

/// Bytes that each work-item writes.
const ITEM_BYTES: u64 = 64;
/// Bytes of input before and after the address that the kernel is given.
const INPUT_BYTES: u64 = 4096;
/// Memory that all work-items share for atomics: a word of 8 bytes for each kind, then [`BINS`] of 4 bytes, side by side or far apart.
const SHARED_BYTES: u64 = (FIRST_BIN + BINS * FAR) as u64;
const BINS: i64 = 8;
/// From one to the next of bins that are far apart: the last ones have no place in a tally.
const FAR: i64 = 2400;
/// Where the bins begin.
const FIRST_BIN: i64 = 64;
/// Buffers of which each work-item has an element.
const COLUMNS: usize = 3;
/// Where the images are in the argument block, behind output, input, shared memory and the columns.
const IMAGES_AT: usize = 3 + COLUMNS;
/// The argument block: images, samplers and numbers come last.
const ARGUMENTS: usize = IMAGES_AT + pictures::IMAGES + pictures::SAMPLERS + numbers::UNIFORMS;

/// The NDRange that a kernel is made for.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// Global offset.
    pub offset: [u64; 3],
    /// Global size.
    pub global: [u64; 3],
    /// Enqueued local size. Groups may be cut off.
    pub local: [u64; 3],
}

impl Range {
    fn new(random: &mut Random) -> Range {
        let local = *random.choose(&[
            [8, 1, 1],
            [16, 1, 1],
            [5, 1, 1],
            [4, 4, 1],
            [3, 5, 1],
            [1, 1, 1],
            [2, 2, 5],
            [40, 1, 1],
            [64, 1, 1],
            [16, 3, 1],
            [32, 2, 1],
            [1, 16, 1],
        ]);
        let extra = random.below(3);
        let rows = 1 + random.below(2);
        let global = [
            local[0] * 2 + if random.one_in(3) { extra } else { 0 },
            local[1] * if random.one_in(4) { rows } else { 1 },
            local[2],
        ];
        let offset = match random.below(8) {
            0 => [random.below(40), random.below(5), 1],
            // The ids go over a limit.
            1 => [(1 << *random.choose(&[31, 31, 32, 33, 40])) - random.below(30), 0, random.below(2)],
            2 => [0, (1 << 32) - 1, 0],
            _ => [0; 3],
        };
        Range { offset, global, local }
    }

    fn items(&self) -> u64 {
        self.global.iter().product()
    }

    fn group_items(&self) -> u64 {
        self.local.iter().product()
    }
}

/// A kernel, function 0 of a module, and the NDRange that it is meant for.
#[derive(Clone, Debug)]
pub struct RandomKernel {
    /// Function 0 is the kernel; its program-scope variables are constants.
    pub module: Module,
    /// What it runs over.
    pub range: Range,
    /// Local memory that it uses.
    pub local_bytes: u64,
    /// Elements of the columns.
    columns: [Type; COLUMNS],
    /// Numbers among the arguments.
    uniforms: [i64; numbers::UNIFORMS],
    pictures: Pictures,
}

impl RandomKernel {
    /// The kernel of a seed.
    pub fn new(seed: u64) -> RandomKernel {
        let mut random = Random::new(seed);
        let range = Range::new(&mut random);
        let mut module = Module::default();
        let kernel = module.functions.push(Function::new("kernel", Level::WorkItem, &[]));
        let helper_count = random.below(4);
        let columns = [0; COLUMNS].map(|_| *random.choose(&generator::VARIABLES));
        let uniforms = numbers::uniforms(&mut random, &range);
        let kinds = generator::Kinds::new(&mut random);
        let pictures = Pictures::new(&mut random, &range);
        let tables = tables::add(&mut random, &mut module);
        let mut shared = generator::Shared {
            random,
            range,
            pictures,
            helpers: Vec::new(),
            kinds,
            columns,
            uniforms,
            tables,
        };
        for index in 0..helper_count {
            let mut func = Function::new(format!("helper{index}"), Level::WorkItem, &[]);
            let callee = module.functions.next_key();
            let helper = Generator::new(&mut func, &mut shared, false).helper(callee);
            shared.helpers.push(helper);
            module.functions.push(func);
        }
        let mut func = Function::new("kernel", Level::WorkItem, &[]);
        Generator::new(&mut func, &mut shared, true).kernel();
        module.functions[kernel] = func;
        RandomKernel {
            module,
            range,
            local_bytes: 8 * range.group_items() + groups::CELL_BYTES,
            columns,
            uniforms,
            pictures,
        }
    }

    /// What may be assumed of its launch; of what is true some is left out, which `choice` decides.
    pub fn facts(&self, choice: u64) -> LaunchFacts {
        let mut random = Random::new(choice);
        let Range { offset, global, local } = self.range;
        let large = 8 * (3 + random.below(COLUMNS as u64));
        let mut said = |is_true: bool| is_true && !random.one_in(4);
        let mut facts = LaunchFacts {
            full_groups: said((0..3).all(|d| global[d].is_multiple_of(local[d]))),
            zero_offset: said(offset == [0; 3]),
            aligned_offset: said(offset.iter().all(|offset| offset.is_multiple_of(interface::OFFSET_ALIGN))),
            small_ids: said((0..3).all(|d| offset[d] + global[d] <= interface::SMALL_IDS)),
            small_objects: said(true),
            ..LaunchFacts::usual(local)
        };
        if said(true) {
            facts.arguments.set_separate();
        }
        if said(true) {
            facts.arguments.add_large(large);
        }
        self.pictures.add_facts(8 * IMAGES_AT as u64, &mut facts.arguments, || said(true));
        facts
    }

    /// By offset in the argument block: an alias set for each buffer.
    pub fn own_sets(&self) -> FxHashMap<i32, AliasSet> {
        (0..3 + COLUMNS as u16).map(|index| (8 * i32::from(index), 100 + index)).collect()
    }

    /// The argument block, with the numbers in it but no addresses.
    pub fn block(&self) -> Vec<u8> {
        let addresses = [0; ARGUMENTS - numbers::UNIFORMS];
        addresses.into_iter().chain(self.uniforms).flat_map(i64::to_ne_bytes).collect()
    }

    /// Runs it through `run`, which gets launch record and arguments, and gives all that was written.
    pub fn output(&self, run: impl FnOnce(&LaunchRecord) -> Result<(), Stop>) -> Result<Vec<u64>, Stop> {
        let items = self.range.items();
        let mut out = vec![0u64; (items * ITEM_BYTES / 8) as usize];
        let mut random = Random(77);
        let mut shared: Vec<u64> = (0..SHARED_BYTES / 8).map(|_| random.next()).collect();
        let input: Vec<u64> = (0..2 * INPUT_BYTES / 8).map(|_| random.next()).collect();
        // (A guard behind each column shows what is written beyond its end.)
        let mut columns = self
            .columns
            .map(|ty| vec![0u64; (items * u64::from(ty.bytes())).div_ceil(8) as usize + 8]);
        let input = &input[INPUT_BYTES as usize / 8..];
        let mut arguments = vec![out.as_mut_ptr() as u64, input.as_ptr() as u64, shared.as_mut_ptr() as u64];
        arguments.extend(columns.iter_mut().map(|column| column.as_mut_ptr() as u64));
        let images = self.pictures.make();
        arguments.extend(images.arguments());
        arguments.extend(self.uniforms.map(|number| number as u64));
        debug_assert_eq!(arguments.len(), ARGUMENTS);
        let Range { offset, global, local } = self.range;
        let launch = LaunchRecord {
            global_offset: offset,
            ..LaunchRecord::new(arguments.as_ptr().cast(), global, local)
        };
        run(&launch)?;
        out.extend(shared);
        out.extend(columns.concat());
        out.extend(images.contents());
        Ok(out)
    }

    /// What the interpreter says that it writes, in gangs of a width.
    pub fn interpret(&self, gang_width: u32) -> Result<Vec<u64>, Stop> {
        self.interpret_as(&self.module, gang_width)
    }

    /// The same for another form of the kernel.
    pub fn interpret_as(&self, module: &Module, gang_width: u32) -> Result<Vec<u64>, Stop> {
        let globals = GlobalMemory::new(module);
        let config = Config {
            gang_width,
            local_bytes: self.local_bytes + 1024,
            globals: &globals.addresses,
            max_blocks: 5_000_000,
        };
        self.output(|launch| {
            // SAFETY: the kernels that are generated stay within the memory that they get.
            unsafe { super::run(module, FuncRef::new(0), launch, &config) }
        })
    }
}

/// Numbers that look random (xorshift64*).
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 33) % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn choose<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }
}
