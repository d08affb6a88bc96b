//! Ten thousand modules with changes that no compiler makes: refused or built, never the end of the process.

use brolga_tests::cl_sys::*;
use brolga_tests::{Context, Program, cl};
use std::path::Path;
use std::ptr::null_mut;

const MODULES: usize = 10_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

/// Where each instruction begins, and the end.
fn instructions(words: &[u32]) -> Vec<usize> {
    let mut starts = vec![5];
    while let Some(&first) = words.get(starts[starts.len() - 1]) {
        let length = (first >> 16) as usize;
        if length == 0 {
            break;
        }
        starts.push((starts[starts.len() - 1] + length).min(words.len()));
    }
    starts
}

/// One of several kinds of damage.
fn mutate(original: &[u32], random: &mut Random) -> Vec<u32> {
    let mut words = original.to_vec();
    for _ in 0..1 + random.below(3) {
        let starts = instructions(&words);
        let n = starts.len() - 1;
        if n < 2 {
            return words;
        }
        let (a, b) = (random.below(n), random.below(n));
        let at = 5 + random.below(words.len() - 5);
        match random.below(8) {
            0 => words[at] = random.below(usize::MAX) as u32,
            1 => words[at] ^= 1 << random.below(32),
            // An operand becomes another id.
            2 | 3 => {
                let length = starts[a + 1] - starts[a];
                if length > 1 {
                    let bound = words[3].max(2) as usize;
                    words[starts[a] + 1 + random.below(length - 1)] = random.below(bound) as u32;
                }
            }
            4 => drop(words.drain(starts[a]..starts[a + 1])),
            5 => {
                let copy = words[starts[a]..starts[a + 1]].to_vec();
                words.splice(starts[b]..starts[b], copy);
            }
            // Another opcode.
            6 => words[starts[a]] = words[starts[a]] & 0xffff_0000 | random.below(400) as u32,
            _ => words.truncate(at),
        }
    }
    words
}

/// Every module that the demo and the cases have.
fn modules() -> Vec<Vec<u32>> {
    let mut texts = Vec::new();
    for directory in ["cases", "demo"] {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
        let mut files: Vec<_> = std::fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path()).collect();
        files.sort();
        texts.extend(
            files
                .into_iter()
                .filter(|file| file.extension().is_some_and(|e| e == "spvasm"))
                .map(|file| std::fs::read_to_string(file).unwrap()),
        );
    }
    let words = |il: Vec<u8>| {
        il.chunks_exact(4)
            .map(|bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
            .collect()
    };
    texts
        .iter()
        .map(|text| words(compiler::spirv::assemble(text).expect("a module")))
        .collect()
}

#[test]
fn ten_thousand_mutated_modules() {
    let context = Context::new();
    let originals = modules();
    let mut random = Random(1);
    let (mut refused, mut built) = (0, 0);
    for i in 0..MODULES {
        let words = mutate(&originals[i % originals.len()], &mut random);
        let il: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        if std::env::var_os("BROLGA_TEST_KEEP").is_some() {
            std::fs::write(std::env::temp_dir().join("brolga-mutated.spv"), &il).unwrap();
        }
        let Ok(program) = Program::from_il(&context, &il) else {
            refused += 1;
            continue;
        };
        match cl!(clBuildProgram(program.id, 1, &program.device, c"".as_ptr(), None, null_mut())) {
            CL_SUCCESS => {
                built += 1;
                // Its kernels can be made and asked about; what they would do when run is another matter.
                let mut count = 0;
                if cl!(clCreateKernelsInProgram(program.id, 0, null_mut(), &mut count)) == CL_SUCCESS {
                    let mut kernels = vec![null_mut(); count as usize];
                    if count > 0 && cl!(clCreateKernelsInProgram(program.id, count, kernels.as_mut_ptr(), null_mut())) == CL_SUCCESS {
                        for kernel in kernels {
                            assert_eq!(cl!(clReleaseKernel(kernel)), CL_SUCCESS);
                        }
                    }
                }
            }
            status => {
                assert!(
                    [CL_BUILD_PROGRAM_FAILURE, CL_INVALID_OPERATION].contains(&status),
                    "module {i}: clBuildProgram gave {status}: {}",
                    program.log()
                );
                assert!(!program.log().is_empty(), "module {i} was refused without a word");
                refused += 1;
            }
        }
    }
    println!("{MODULES} mutated modules: {refused} refused, {built} built");
    assert!(refused > MODULES / 2, "{refused} refused, {built} built");
}
