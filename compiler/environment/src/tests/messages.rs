//! What is said to people.

use super::ARITHMETIC;
use super::text::Kernel;
use crate::diagnostics::MAX_ERRORS;
use crate::{Environment, log, validate};
use spirv::{assemble, parse};

fn told(text: &str) -> String {
    let binary = parse(&assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"))).unwrap();
    log(&validate(binary, &Environment::device(), &[], true).expect_err("it is broken"))
}

/// Place in the source, rule, instruction with names, ids with what they are.
#[test]
fn an_operand_of_another_type() {
    let text = ARITHMETIC
        .replace("OpName %gid \"gid\"", "OpName %gid \"gid\"\nOpName %scale \"factor\"")
        .replace("OpVectorTimesScalar %float4 %hx %hy", "OpFAdd %float4 %hx %c7")
        .replace("%hentry = OpLabel", "%hentry = OpLabel\nOpLine %file 12 5");
    assert_eq!(
        told(&text),
        "arithmetic.cl:12:5: error: An operand is not one that the instruction takes: %34 (int 7) must be of type %21 (float4)\n  \
         at instruction 58 (word 222): %41 = OpFAdd %21 %38 %34\n  \
         in function %8\n  \
         rule OPERAND_TYPE (SPIR-V 3.52)\n"
    );
}

/// A kernel without an OpName is called by its own name; functions and masks by theirs, too.
#[test]
fn names_that_the_grammar_has() {
    let text = ARITHMETIC.replace("OpName %kernel \"arithmetic\"\n", "").replace(
        "OpStore %first %sel",
        "%x = OpExtInst %int %std printf %first\nOpStore %first %sel Volatile|Aligned 3",
    );
    let log = told(&text);
    assert!(log.contains(" printf %"), "{log}");
    assert!(log.contains(" Volatile|Aligned 3\n  in function arithmetic\n"), "{log}");
}

#[test]
fn there_is_an_end_of_errors() {
    let body = "%x = OpFAdd %int %one %two\n";
    let many: String = (0..MAX_ERRORS + 7).map(|n| body.replace("%x", &format!("%x{n}"))).collect();
    let log = told(&Kernel::new().body(&many).text());
    assert_eq!(log.matches("error: ").count(), MAX_ERRORS, "{log}");
    assert!(log.ends_with("\n  There are 7 more errors.\n"), "{log}");
}
