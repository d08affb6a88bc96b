//! Each tolerated deviation: taken with a warning, whoever signed the module, and refused where nothing is tolerated.

use super::rule_cases::{Changes, changed, everything};
use super::text::Kernel;
use super::{ARITHMETIC, CONSTANTS, IMAGES, LOOP, SMALL, words};
use crate::deviations::{Deviation, TOLERATED, Toleration};
use crate::{Diagnostic, Environment, Severity, log, validate};
use spirv::{assemble, parse};

/// Nobody, Khronos's translator, its assembler, its linker, and LLVM's back end (SPIRV-Headers, spir-v.xml).
const TOOLS: [u16; 5] = [0, 6, 7, 17, 43];

/// A module, and the changes that make it deviate.
#[rustfmt::skip]
static CASES: &[(Deviation, &str, Changes)] = &[
    (Deviation::ExtendedTexel, IMAGES, &[("; Images:", "; Version: 1.4\n; Images:"), ("OpImageWrite %target %size %sum", "OpImageWrite %target %size %sum SignExtend")]),
    (Deviation::PrintfArray, ARITHMETIC, &[("OpCapability Int16", "OpCapability Int8\nOpCapability Int16"),
        ("%half =", "%char = OpTypeInt 8 0\n%text = OpTypeArray %char %c7\n%cp_text = OpTypePointer UniformConstant %text\n%empty = OpConstantNull %text\n\
          %format = OpVariable %cp_text UniformConstant %empty\n%half ="), ("OpStore %first %sel", "%x = OpExtInst %int %std printf %format\nOpStore %first %sel")]),
    (Deviation::OddVector, SMALL, &[("%type =", "%x = OpTypeVector %int 7\n%type =")]),
    (Deviation::CastOfPointee, ARITHMETIC, &[("OpStore %first %sel", "%x = OpPtrCastToGeneric %gen_float4 %pairs\nOpStore %first %sel")]),
    (Deviation::ByValArgument, SMALL, &[("%type =", "%pair = OpTypeStruct %int %int\n%private = OpTypePointer Function %pair\n%type ="), ("%void %int", "%void %private"),
        ("Parameter %int", "Parameter %private"), ("%void =", "OpDecorate %argument FuncParamAttr ByVal\n%void =")]),
    (Deviation::ArrayInArgument, SMALL, &[("%type =", "%two = OpConstant %int 2\n%array = OpTypeArray %int %two\n%pair = OpTypeStruct %int %array\n%type ="),
        ("%void %int", "%void %pair"), ("Parameter %int", "Parameter %pair")]),
    (Deviation::OddArgument, SMALL, &[("%type =", "%two = OpConstant %int 2\n%array = OpTypeArray %int %two\n%type ="), ("%void %int", "%void %array"),
        ("Parameter %int", "Parameter %array")]),
    (Deviation::AlignmentWithSign, CONSTANTS, &[("Alignment 8", "Alignment 4294967168")]),
    (Deviation::ByteOffset, CONSTANTS, &[("%inner =", "%numbers_type = OpTypeArray %int %two\n%gp_numbers = OpTypePointer CrossWorkgroup %numbers_type\n\
          %numbers = OpVariable %gp_numbers CrossWorkgroup\n%inner ="), ("InBoundsPtrAccessChain %table", "InBoundsPtrAccessChain %numbers")]),
    (Deviation::ChainPointee, ARITHMETIC, &[("%index =", "%x = OpInBoundsPtrAccessChain %gp_float %pairs %next %c1\n%index =")]),
    (Deviation::VectorAccessPointee, ARITHMETIC, &[("OpStore %first %sel", "%x = OpExtInst %void %std vstoren %halves %c3l %pairs\nOpStore %first %sel")]),
    (Deviation::UndeclaredInt64Atomics, LOOP, &[("OpCapability Int64Atomics\n", "")]),
    (Deviation::InitializerPointee, CONSTANTS, &[("%kernel_type =", "%gp_int = OpTypePointer CrossWorkgroup %int\n%gp_gp_int = OpTypePointer CrossWorkgroup %gp_int\n\
          %pointer = OpVariable %gp_gp_int CrossWorkgroup %table\n%kernel_type =")]),
    (Deviation::NullNumber, CONSTANTS, &[("%kernel_type =", "%gp_int = OpTypePointer CrossWorkgroup %int\n%gp_gp_int = OpTypePointer CrossWorkgroup %gp_int\n\
          %no_number = OpConstantNull %long\n%pointer = OpVariable %gp_gp_int CrossWorkgroup %no_number\n%kernel_type =")]),
    (Deviation::PartOfOtherPointers, CONSTANTS, &[("%kernel_type =", "%gp_int = OpTypePointer CrossWorkgroup %int\n%gp_long = OpTypePointer CrossWorkgroup %long\n\
          %two_pointers = OpTypeStruct %gp_int %gp_long\n%gp_two = OpTypePointer CrossWorkgroup %two_pointers\n%no_number = OpConstantNull %long\n%no_pointer = OpConstantNull %gp_int\n\
          %two_nulls = OpConstantComposite %two_pointers %no_number %no_pointer\n%nulls = OpVariable %gp_two CrossWorkgroup %two_nulls\n%kernel_type =")]),
    (Deviation::BuiltInInUniformConstant, ARITHMETIC, &[("OpTypePointer Input", "OpTypePointer UniformConstant"), ("%in_long3 Input", "%in_long3 UniformConstant"),
        ("\"arithmetic\" %gid", "\"arithmetic\"")]),
    (Deviation::NarrowBuiltIn, ARITHMETIC, &[("OpStore %first %sel", "%small_ids = OpLoad %int3 %small_id\nOpStore %first %sel"),
        ("OpDecorate %gid Constant", "OpDecorate %gid Constant\nOpDecorate %small_id BuiltIn LocalInvocationId"),
        ("%half =", "%int3 = OpTypeVector %int 3\n%in_int3 = OpTypePointer Input %int3\n%small_id = OpVariable %in_int3 Input\n%half =")]),
    (Deviation::InterfaceOfAllClasses, LOOP, &[("\"loop\" %lid", "\"loop\" %lid %tile")]),
    (Deviation::EarlyDecorateId, SMALL, &[("Version: 1.2", "Version: 1.0"), ("OpMemoryModel", "OpCapability MemoryAccessAliasingINTEL\nOpExtension \"SPV_INTEL_memory_access_aliasing\"\nOpMemoryModel"),
        ("%void =", "OpDecorateId %argument NoAliasINTEL %list\n%void ="),
        ("%type =", "%domain = OpAliasDomainDeclINTEL\n%scope = OpAliasScopeDeclINTEL %domain\n%list = OpAliasScopeListDeclINTEL %scope\n%type =")]),
    (Deviation::UndeclaredSubgroupDispatch, SMALL, &[("%void =", "OpExecutionMode %kernel SubgroupSize 8\n%void =")]),
    (Deviation::UndeclaredFloatControls, SMALL, &[("%void =", "OpExecutionModeId %kernel FPFastMathDefault %float %no_mode\n%void ="),
        ("%type =", "%float = OpTypeFloat 32\n%no_mode = OpConstantNull %int\n%type =")]),
    (Deviation::UndeclaredIntelSubgroups, SMALL, &[("OpMemoryModel", "OpCapability SubgroupShuffleINTEL\nOpMemoryModel")]),
    (Deviation::BlockOrder, SMALL, &[("OpReturn", "OpBranch %b\n%a = OpLabel\nOpReturn\n%b = OpLabel\nOpBranch %a")]),
];

/// The deviations whose modules are small.
fn kernels() -> Vec<(Deviation, String)> {
    let number = Kernel::new().parameter("%gp_int");
    let ballot = Kernel::new().version("1.3").capability("GroupNonUniformBallot");
    vec![
        (Deviation::AnyAllOfIntegers, Kernel::new().body("%x = OpAny %bool %zeros2").text()),
        (
            Deviation::ConvertToSameWidth,
            Kernel::new().body("%x = OpSConvert %int %zero").text(),
        ),
        (
            Deviation::MaskOfWider,
            Kernel::new().body("%x = OpBitwiseAnd %int %zero_long %one").text(),
        ),
        (
            Deviation::AtomicLoadNumbers,
            number.body("%x = OpAtomicLoad %int %p %queue_family %zero").text(),
        ),
        (
            Deviation::AtomicOfInvocation,
            number.body("%x = OpAtomicIAdd %int %p %invocation %zero %one").text(),
        ),
        (
            Deviation::BarrierBeyondGroup,
            Kernel::new()
                .body("OpControlBarrier %cross_device %workgroup %acquire_release")
                .text(),
        ),
        (
            Deviation::NarrowCopySize,
            number
                .body("%x = OpGroupAsyncCopy %event %workgroup %no_local %p %zero_long %one %no_event")
                .text(),
        ),
        (
            Deviation::BroadcastFromVariable,
            ballot
                .body("%v = OpIAdd %int %one %two\n%x = OpGroupNonUniformBroadcast %int %subgroup %one %v")
                .text(),
        ),
        (
            Deviation::UndeclaredFloat16,
            Kernel::new()
                .capability("SubgroupShuffleINTEL")
                .extension("SPV_INTEL_subgroups")
                .parameter("%gp_half")
                .body("%v = OpLoad %half %p Aligned 2\n%x = OpSubgroupShuffleINTEL %half %v %zero")
                .text(),
        ),
        (
            Deviation::NullWithOperand,
            SMALL.replace("%type =", "%event = OpTypeEvent\n%null = OpConstantNull %event\n%type ="),
        ),
    ]
}

/// The module as a tool would have written it.
fn by_tool(deviation: Deviation, text: &str, tool: u16) -> Vec<u8> {
    let mut words = words(&assemble(&format!("; Generator: {tool}\n{text}")).unwrap_or_else(|error| panic!("{error}\n{text}")));
    if deviation == Deviation::NullWithOperand {
        // No text has it: the type once more behind OpConstantNull.
        let at = words.iter().position(|&word| word == 3 << 16 | 46).expect("an OpConstantNull");
        words[at] += 1 << 16;
        words.insert(at + 3, words[at + 1]);
    }
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// An environment that has the rule.
fn environment(row: &Toleration) -> Environment {
    match row.deviation {
        Deviation::ExtendedTexel => Environment::level_zero(),
        _ => everything(),
    }
}

fn check(row: &Toleration, text: &str) -> Result<(), String> {
    let environment = environment(row);
    let told = |tool: u16, strict: bool| -> Result<(bool, Vec<Diagnostic>), String> {
        let binary = parse(&by_tool(row.deviation, text, tool)).map_err(|error| error.to_string())?;
        Ok(match validate(binary, &environment, &[], strict) {
            Ok((_, warnings)) => (true, warnings),
            Err(errors) => (false, errors),
        })
    };
    let about = |diagnostics: &[Diagnostic], part: &str| {
        diagnostics
            .iter()
            .any(|one| std::ptr::eq(one.rule, row.rule) && one.detail.contains(part))
    };
    for tool in TOOLS {
        let (taken, warnings) = told(tool, false)?;
        let mild = warnings.iter().all(|warning| warning.severity == Severity::Warning);
        if !taken || !mild || !row.producers.iter().all(|producer| about(&warnings, producer)) {
            return Err(format!("signed by {tool}: {}", log(&warnings)));
        }
        let (taken, errors) = told(tool, true)?;
        if taken || !about(&errors, "") {
            return Err(format!("signed by {tool}, strictly: {}", log(&errors)));
        }
    }
    Ok(())
}

#[test]
fn deviations_are_tolerated_whoever_signed_the_module() {
    let mut cases = kernels();
    cases.extend(CASES.iter().map(|&(deviation, module, changes)| {
        let row = TOLERATED.iter().find(|row| row.deviation == deviation).expect("a row");
        (deviation, changed(row.rule, module, changes))
    }));
    let mut faults = Vec::new();
    for row in TOLERATED {
        let case = cases.iter().find(|(deviation, _)| *deviation == row.deviation);
        let judged = case.ok_or_else(|| "no case".to_owned()).and_then(|(_, text)| check(row, text));
        faults.extend(judged.err().map(|fault| format!("{:?} {fault}", row.deviation)));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
