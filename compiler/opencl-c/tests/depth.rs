//! The deepest programs that the parser lets through are compiled, on whatever stack the caller has.

use opencl_c::{CompileOptions, Input, Product, compile};

#[track_caller]
fn compiles(statements: &str) {
    let source = format!("kernel void k(global int *p, int i) {{ {statements} }}");
    let options = CompileOptions::default();
    let input = Input {
        name: "test.cl",
        source: source.as_bytes(),
        headers: &[],
        options: &options,
    };
    let output = compile(&input);
    assert!(matches!(output.product, Some(Product::Spirv(_))), "{}", output.log);
}

#[test]
fn long_expressions() {
    compiles(&format!("p[0] = i{};", " + p[i]".repeat(5000)));
    compiles(&format!("p[0] = i{};", " ^ (i << 3)".repeat(5000)));
    compiles(&format!("p[0] = i{};", ", i".repeat(16000)));
}

#[test]
fn nested_expressions() {
    compiles(&format!("p[0] = {}i{};", "(1 + ".repeat(250), ")".repeat(250)));
    compiles(&format!("p[0] = {}i{};", "p[".repeat(250), "]".repeat(250)));
    compiles(&format!("p[0] = {}i{};", "i ? ".repeat(500), " : 2".repeat(500)));
    compiles(&format!("p[0] = {}i;", "~-".repeat(500)));
    compiles(&format!("p[0] = {}i;", "i && ".repeat(5000)));
}

#[test]
fn nested_statements() {
    compiles(&format!("{} p[0] = i;", "if (i++) p[1] = i; else ".repeat(20_000)));
    let cases: String = (0..20_000).map(|value| format!("case {value}: ")).collect();
    compiles(&format!("switch (i) {{ {cases} p[0] = i; }}"));
    compiles(&format!(
        "for (;;) {{ {} p[0] = i; {} }}",
        "{ for (;;) ".repeat(240),
        "break; }".repeat(240)
    ));
    compiles(&format!("{} p[0] = i; {}", "while (i) {".repeat(250), "}".repeat(250)));
}
