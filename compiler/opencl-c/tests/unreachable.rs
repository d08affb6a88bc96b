//! Code that nothing reaches is left out of a module, and all that would be said of it.

use opencl_c::{CompileOptions, Input, Product, compile};

/// The instructions of a program: operation and operands.
fn instructions(source: &str) -> Vec<(u32, Vec<u32>)> {
    let options = CompileOptions {
        whole: true,
        ..CompileOptions::default()
    };
    let input = Input {
        name: "test.cl",
        source: source.as_bytes(),
        headers: &[],
        options: &options,
    };
    let output = compile(&input);
    let Some(Product::Spirv(words)) = output.product else {
        panic!("{}", output.log);
    };
    let mut rest = &words[5..];
    let mut list = Vec::new();
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at((first >> 16) as usize);
        list.push((first & 0xffff, instruction[1..].to_vec()));
        rest = after;
    }
    list
}

/// How many sums do not wrap; each of them must be there.
fn sums(statements: &str) -> usize {
    const DECORATE: u32 = 71;
    const NO_SIGNED_WRAP: u32 = 4469;
    const ADD: u32 = 128;
    let list = instructions(&format!("kernel void k(global int *p, int a) {{ {statements} }}"));
    let decorated: Vec<u32> = list
        .iter()
        .filter(|(op, words)| *op == DECORATE && words[1] == NO_SIGNED_WRAP)
        .map(|(_, words)| words[0])
        .collect();
    for id in &decorated {
        assert!(
            list.iter().any(|(op, words)| *op == ADD && words[1] == *id),
            "{statements}: {id} is nowhere"
        );
    }
    decorated.len()
}

#[test]
fn nothing_is_said_of_what_is_left_out() {
    assert_eq!(sums("p[0] = a + 1;"), 1);
    assert_eq!(sums("for (;;) { p[0] = a + 1; } p[1] = a + 2;"), 1);
    assert_eq!(sums("if (a) return; else return; p[0] = a + 1;"), 0);
    assert_eq!(sums("while (1) { if (a) continue; else return; a = a + 2; }"), 0);
}
