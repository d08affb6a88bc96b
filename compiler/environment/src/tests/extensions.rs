//! Extensions, each by a kernel that keeps its rules, the same next to it that breaks one, and the row without which it is refused by its name.

use super::text::{Kernel, refusals};
use crate::{Environment, validate};
use spirv::{assemble, parse};
use vendors::Registry;

/// What a module is told in an environment, by rules and details.
pub(super) fn told(text: &str, environment: &Environment) -> Vec<(&'static str, String)> {
    let binary = parse(&assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"))).unwrap();
    let errors = validate(binary, environment, &[], true).err().unwrap_or_default();
    errors
        .into_iter()
        .map(|error| (error.rule.id, format!("{}: {}", error.detail, error.advice)))
        .collect()
}

/// The kernel is taken; with its body changed it is refused by the rule, with this said.
pub(super) fn changed(kernel: &Kernel, body: &str, from: &str, to: &str, rule: &str, said: &str) {
    let everything = Environment::of_registry(Registry::everything());
    let keeps = kernel.clone().body(body).text();
    assert_eq!(refusals(&keeps, &everything), [""; 0], "{keeps}");
    assert!(body.contains(from), "{from} is not in {body}");
    let breaks = kernel.clone().body(&body.replacen(from, to, 1)).text();
    let errors = told(&breaks, &everything);
    let named = errors.iter().any(|(id, detail)| *id == rule && detail.contains(said));
    assert!(named, "{rule}: {said}, but: {errors:?}\n{breaks}");
}

/// Without the row, the kernel is refused by its name.
pub(super) fn needs_row(kernel: &Kernel, row: &str, rule: &str) {
    let without = Environment::of_registry(Registry::everything().switched(row, false));
    let errors = told(&kernel.text(), &without);
    let named = errors.iter().any(|(id, detail)| *id == rule && detail.contains(row));
    assert!(named, "{row}: {errors:?}");
}

#[test]
fn tensor_float32() {
    let kernel = Kernel::new()
        .capability("TensorFloat32RoundingINTEL")
        .extension("SPV_INTEL_tensor_float32_conversion");
    let body = "%x = OpRoundFToTF32INTEL %float4 %zerosf4";
    changed(&kernel, body, "%float4", "%float2", "RESULT_TYPE", "Float Value");
    changed(
        &kernel.clone().capability("Float64"),
        "%d = OpFConvert %double %zero_float\n%x = OpRoundFToTF32INTEL %float %zero_float",
        "OpRoundFToTF32INTEL %float %zero_float",
        "OpRoundFToTF32INTEL %double %d",
        "OPERAND_TYPE",
        "32-bit",
    );
    needs_row(&kernel.body(body), "SPV_INTEL_tensor_float32_conversion", "EXTENSION");
}

/// Products of matrices by sub-groups: what is in the tables, and next to it what is not.
#[test]
fn sub_group_products() {
    let kernel = Kernel::new()
        .capability("SubgroupMatrixMultiplyAccumulateINTEL")
        .capability("Float16")
        .extension("SPV_INTEL_subgroup_matrix_multiply_accumulate");
    let check = |body: &str, from: &str, to: &str| changed(&kernel, body, from, to, "SUB_GROUP_PRODUCT", "sub-groups of 8");
    let product = |[ty, depth, a, b]: [&str; 4], operands: &str| {
        format!(
            "%a = OpUndef {a}\n%b = OpUndef {b}\n%c = OpUndef {ty}\n\
             %x = OpSubgroupMatrixMultiplyAccumulateINTEL {ty} {depth} %a %b %c {operands}"
        )
    };
    let signed = "MatrixASignedComponentsINTEL|MatrixBSignedComponentsINTEL";
    let bytes = "MatrixAPackedInt8INTEL|MatrixBPackedInt8INTEL";
    let of_bytes = product(["%int4", "%n32", "%int4", "%int8"], &format!("{signed}|{bytes}"));
    check(&of_bytes, "%n32 ", "%n64 ");
    check(&of_bytes, "MatrixBPackedInt8INTEL", "MatrixBPackedInt4INTEL");
    check(&of_bytes, "MatrixAPackedInt8INTEL", "MatrixAPackedInt8INTEL|MatrixCBFloat16INTEL");
    check(&of_bytes, "OpUndef %int8", "OpUndef %short8");
    changed(&kernel, &of_bytes, "%n32 ", "%a ", "OPERAND_TYPE", "K Dim");
    let of_shorts = product(["%int4", "%n32", "%short4", "%int8"], bytes);
    check(&of_shorts, "AccumulateINTEL %int4", "AccumulateINTEL %int2");
    check(&of_shorts, "= OpUndef %short4", "= OpUndef %int2");
    let halves = "MatrixAPackedFloat16INTEL|MatrixBPackedFloat16INTEL";
    let of_halves = product(["%half2", "%n16", "%short2", "%int8"], halves);
    check(&of_halves, "OpUndef %short2", "OpUndef %int2");
    check(&of_halves, "MatrixAPacked", "MatrixASignedComponentsINTEL|MatrixAPacked");
    let bfloats = "MatrixAPackedBFloat16INTEL|MatrixBPackedBFloat16INTEL";
    let sums = "MatrixCBFloat16INTEL|MatrixResultBFloat16INTEL";
    let of_bfloats = product(["%short2", "%n16", "%short2", "%int8"], &format!("{bfloats}|{sums}"));
    check(&of_bfloats, "|MatrixResultBFloat16INTEL", "");
    let of_tf32 = product(["%float2", "%n8", "%float", "%float8"], "MatrixATF32INTEL|MatrixBTF32INTEL");
    check(&of_tf32, "%a = OpUndef %float", "%a = OpUndef %float2");
    needs_row(&kernel.body(&of_bytes), "cl_intel_subgroup_matrix_multiply_accumulate", "EXTENSION");
}

/// What SPV_INTEL_joint_matrix, a draft, adds to cooperative matrices.
#[test]
fn joint_matrices() {
    let declared = "%a_type = OpTypeCooperativeMatrixKHR %short %subgroup %n16 %n16 %zero
%b_type = OpTypeCooperativeMatrixKHR %short %subgroup %n16 %n16 %one
%c_type = OpTypeCooperativeMatrixKHR %float %subgroup %n16 %n16 %two
%fa_type = OpTypeCooperativeMatrixKHR %float %subgroup %n16 %n16 %zero
%fb_type = OpTypeCooperativeMatrixKHR %float %subgroup %n16 %n16 %one
%s_type = OpTypeCooperativeMatrixKHR %short %subgroup %n16 %n16 %two\n";
    let of = |numbers: &[u32]| {
        let capabilities = numbers.iter().map(|number| number.to_string());
        capabilities
            .fold(Kernel::new(), |kernel, capability| kernel.capability(&capability))
            .capability("BFloat16ConversionINTEL")
            .extension("SPV_INTEL_bfloat16_conversion")
            .extension("SPV_INTEL_joint_matrix")
            .beside(declared)
            .parameter("%gp_short")
    };
    let kernel = of(&[6434, 6436, 6437]);
    let check = |body: &str, from: &str, to: &str, rule: &str, said: &str| changed(&kernel, body, from, to, rule, said);
    let packed = "%b = OpCooperativeMatrixLoadKHR %b_type %p %two %n64\nOpCooperativeMatrixStoreKHR %p %b %two %n64";
    check(packed, "KHR %b_type", "KHR %a_type", "MATRIX_LAYOUT", "neither");
    check(packed, "%b %two", "%b %four", "MATRIX_LAYOUT", "neither");
    let undefined = "%a = OpUndef %a_type\n%b = OpUndef %b_type\n%c = OpUndef %c_type\n%fa = OpUndef %fa_type\n%fb = OpUndef %fb_type\n";
    let bfloats = format!("{undefined}%r = OpCooperativeMatrixMulAddKHR %c_type %a %b %c 64");
    check(&bfloats, " 64", "", "MATRIX_PRODUCT", "by");
    check(&bfloats, "64", "96", "MATRIX_PRODUCT", "exclude");
    check(&bfloats, "64", "65", "MATRIX_PRODUCT", "by");
    check(&bfloats, "%a %b", "%fa %fb", "MATRIX_PRODUCT", "by");
    let tf32 = format!("{undefined}%r = OpCooperativeMatrixMulAddKHR %c_type %fa %fb %c 32");
    check(&tf32, "%fa %fb", "%a %b", "MATRIX_PRODUCT", "by");
    let converted = format!("{undefined}%x = OpConvertFToBF16INTEL %a_type %fa\n%y = OpConvertBF16ToFINTEL %fa_type %x");
    check(&converted, "%a_type %fa", "%b_type %fa", "MATRIX_CONVERSION", "");
    let sums = format!("{undefined}%s = OpUndef %s_type\n%r = OpCooperativeMatrixMulAddKHR %s_type %a %b %s 448");
    check(&sums, " 448", " 320", "MATRIX_PRODUCT", "by");
    check(&sums, " 448", " 456", "MATRIX_PRODUCT", "by");
    check(&sums, "%s 448", "%c 448", "MATRIX_PRODUCT", "by");
    check(&sums, "KHR %s_type", "KHR %c_type", "MATRIX_PRODUCT", "by");
    // Each by its own capability, and all by the row.
    let everything = Environment::of_registry(Registry::everything());
    for (numbers, body, rule) in [
        ([6436, 6437], packed, "MATRIX_LAYOUT"),
        ([6434, 6437], &tf32, "MATRIX_PRODUCT"),
        ([6434, 6436], &bfloats, "MATRIX_SHAPE"),
    ] {
        let errors = told(&of(&numbers).body(body).text(), &everything);
        assert!(errors.iter().any(|(id, _)| *id == rule), "{rule}: {errors:?}");
    }
    let undeclared = kernel.text().replace("OpExtension \"SPV_INTEL_joint_matrix\"\n", "");
    assert_eq!(refusals(&undeclared, &everything), ["CAPABILITY_EXTENSION"]);
    needs_row(&kernel.body(packed), "SPV_INTEL_joint_matrix", "CAPABILITY");
}

/// Its instructions: each rule broken and kept.
#[test]
fn joint_matrix_instructions() {
    let of = |capability: &str| {
        let capabilities = ["Float16", "CooperativeMatrixKHR", "PackedCooperativeMatrixINTEL", capability].into_iter();
        capabilities
            .fold(Kernel::new(), |kernel, capability| kernel.capability(capability))
            .extension("SPV_KHR_cooperative_matrix")
            .extension("SPV_INTEL_joint_matrix")
            .beside(
                "%b_type = OpTypeCooperativeMatrixKHR %half %subgroup %n16 %n16 %one
%c_type = OpTypeCooperativeMatrixKHR %float %subgroup %n16 %n16 %two\n",
            )
            .parameter("%gp_half")
    };
    let cases: [(&str, &str, &[[&str; 4]]); 5] = [
        (
            "CooperativeMatrixCheckedInstructionsINTEL",
            "%m = OpCooperativeMatrixLoadCheckedINTEL %b_type %p %one %two %two %n32 %n64 %n16 Aligned 2",
            &[
                ["%b_type", "%half", "RESULT_TYPE", "a cooperative matrix"],
                ["%p %one", "%p %zero_long", "OPERAND_TYPE", "X offset"],
                ["%one %two", "%one %zero_long", "OPERAND_TYPE", "Y offset"],
                ["%n32", "%zero_float", "OPERAND_TYPE", "Height"],
                ["%n64", "%zero_float", "OPERAND_TYPE", "Width"],
                ["%two %two", "%two %four", "MATRIX_LAYOUT", "neither"],
                [" %n16 Aligned 2", "", "MATRIX_LAYOUT", "Stride"],
                ["Aligned 2", "Aligned 3", "ALIGNMENT", "3"],
                ["%p", "%one", "OPERAND_TYPE", "pointer"],
            ],
        ),
        (
            "CooperativeMatrixCheckedInstructionsINTEL",
            "%b = OpUndef %b_type\nOpCooperativeMatrixStoreCheckedINTEL %p %one %two %b %two %n32 %n64 %n16",
            &[
                ["%p %one", "%p %zero_long", "OPERAND_TYPE", "X offset"],
                ["%one %two", "%one %zero_long", "OPERAND_TYPE", "Y offset"],
                ["%two %b", "%two %one", "OPERAND_TYPE", "Object"],
                ["%n32", "%zero_float", "OPERAND_TYPE", "Height"],
                ["%n64", "%zero_float", "OPERAND_TYPE", "Width"],
                ["%b %two", "%b %four", "MATRIX_LAYOUT", "neither"],
                [" %n16", "", "MATRIX_LAYOUT", "Stride"],
            ],
        ),
        (
            "CooperativeMatrixCheckedInstructionsINTEL",
            "%m = OpCooperativeMatrixConstructCheckedINTEL %c_type %one %two %n32 %n64 %zero_float",
            &[
                ["%c_type", "%float", "RESULT_TYPE", "a cooperative matrix"],
                ["%one %two", "%zero_long %two", "OPERAND_TYPE", "X offset"],
                ["%one %two", "%one %zero_long", "OPERAND_TYPE", "Y offset"],
                ["%n32", "%zero_float", "OPERAND_TYPE", "Height"],
                ["%n64", "%zero_float", "OPERAND_TYPE", "Width"],
                ["%zero_float", "%zero", "OPERAND_TYPE", "must be of type"],
            ],
        ),
        (
            "CooperativeMatrixInvocationInstructionsINTEL",
            "%c = OpUndef %c_type\n%m = OpCooperativeMatrixGetElementCoordINTEL %int2 %c %one",
            &[
                ["%int2", "%int4", "RESULT_TYPE", "two 32-bit integers"],
                ["%int2 %c", "%int2 %one", "OPERAND_TYPE", "Matrix"],
                ["%c %one", "%c %zero_long", "OPERAND_TYPE", "Index"],
            ],
        ),
        (
            "CooperativeMatrixPrefetchINTEL",
            "OpCooperativeMatrixPrefetchINTEL %p %one %two %n32 %n16 1 %two %n64",
            &[
                ["%p %one", "%p %zero_long", "OPERAND_TYPE", "X offset"],
                ["%one %two", "%one %zero_long", "OPERAND_TYPE", "Y offset"],
                ["%n32", "%zero_float", "OPERAND_TYPE", "Rows"],
                ["%n16", "%zero_float", "OPERAND_TYPE", "Columns"],
                ["1 %two", "1 %four", "MATRIX_LAYOUT", "neither"],
                [" %n64", "", "MATRIX_LAYOUT", "Stride"],
            ],
        ),
    ];
    let everything = Environment::of_registry(Registry::everything());
    for (capability, body, broken) in cases {
        let kernel = of(capability);
        for [from, to, rule, said] in broken {
            changed(&kernel, body, from, to, rule, said);
        }
        let undeclared = kernel.body(body).text().replace(&format!("OpCapability {capability}\n"), "");
        let errors = told(&undeclared, &everything);
        let named = errors
            .iter()
            .any(|(id, detail)| *id == "INSTRUCTION_CAPABILITY" && detail.contains(capability));
        assert!(named, "{capability}: {errors:?}");
    }
}

/// What no processor of this driver's can do says why.
#[test]
fn refused_with_the_reason() {
    let device = Environment::device();
    for (capability, extension, reason) in [
        ("AsmINTEL", "SPV_INTEL_inline_assembly", "one processor's"),
        ("NamedBarrier", "", "run one after another"),
    ] {
        let mut kernel = Kernel::new().version("1.1").capability(capability);
        if !extension.is_empty() {
            kernel = kernel.extension(extension);
        }
        let errors = told(&kernel.text(), &device);
        let named = errors
            .iter()
            .any(|(id, detail)| *id == "CAPABILITY" && detail.contains(capability) && detail.contains(reason));
        assert!(named, "{capability}: {errors:?}");
    }
}

#[test]
fn arbitrary_precision_integers() {
    let kernel = |types: &str| {
        Kernel::new()
            .capability("ArbitraryPrecisionIntegersINTEL")
            .extension("SPV_INTEL_arbitrary_precision_integers")
            .beside(&format!("{types}\n"))
    };
    let odd =
        kernel("%i24 = OpTypeInt 24 0\n%few = OpConstant %i24 5\n%lp_i24 = OpTypePointer Workgroup %i24\n%place = OpConstantNull %lp_i24");
    let sum = "%x = OpIAdd %i24 %few %few";
    changed(&odd, sum, sum, "%x = OpBitcast %i24 %few", "ODD_INTEGER", "24 bits");
    let load = "%x = OpLoad %i24 %place";
    changed(
        &odd,
        load,
        load,
        "%x = OpAtomicLoad %i24 %place %workgroup %zero",
        "ODD_INTEGER",
        "24 bits",
    );
    // The name that it has got since.
    let renamed = odd.body(sum).text().replace("SPV_INTEL_arb", "SPV_ALTERA_arb");
    assert_eq!(refusals(&renamed, &Environment::device()), [""; 0]);
    for (types, taken) in [
        ("%i1 = OpTypeInt 1 0", true),
        ("%i63 = OpTypeInt 63 0", true),
        ("%i65 = OpTypeInt 65 0", false),
        ("%i0 = OpTypeInt 0 0", false),
        ("%i24 = OpTypeInt 24 0\n%few = OpConstant %i24 16777215", true),
    ] {
        let wanted: &[&str] = if taken { &[] } else { &["INTEGER_WIDTH"] };
        assert_eq!(refusals(&kernel(types).text(), &Environment::device()), wanted, "{types}");
    }
    let many = kernel("%i24 = OpTypeInt 24 0\n%few = OpConstant %i24 !16777216");
    assert_eq!(refusals(&many.text(), &Environment::device()), ["CONSTANT_LITERAL"]);
    needs_row(&odd.body(sum), "SPV_INTEL_arbitrary_precision_integers", "EXTENSION");
}

/// A kernel with untyped pointers to global, local and private memory: `%p` is the first.
fn untyped() -> Kernel {
    Kernel::new()
        .capability("UntypedPointersKHR")
        .extension("SPV_KHR_untyped_pointers")
        .parameter("%up")
}

#[test]
fn untyped_pointers() {
    let kernel = untyped();
    let check = |body: &str, from: &str, to: &str, rule: &str, said: &str| changed(&kernel, body, from, to, rule, said);
    let load = "%x = OpLoad %float4 %p Aligned 16\nOpStore %p %zero Aligned 4";
    check(load, "OpLoad %float4", "OpLoad %void", "OPERAND_TYPE", "the type of no value");
    let chain = "%x = OpUntypedAccessChainKHR %up %pair %p %one\n%y = OpUntypedInBoundsAccessChainKHR %up %array %x %zero";
    check(chain, "%pair %p %one", "%pair %p %two", "INDEX_RANGE", "member 2");
    check(chain, "KHR %up %pair", "KHR %ul %pair", "RESULT_TYPE", "CrossWorkgroup");
    check(chain, "KHR %up %pair %p", "KHR %up %gp_int %p", "OPERAND_TYPE", "Base Type");
    let element =
        "%x = OpUntypedPtrAccessChainKHR %up %int4 %p %zero_long %one\n%y = OpUntypedInBoundsPtrAccessChainKHR %up %gp_int %x %one";
    check(element, "%zero_long %one", "%zerosf4 %one", "OPERAND_TYPE", "Element");
    let compared = "%x = OpPtrEqual %bool %p %p";
    let newer = kernel.clone().version("1.4");
    changed(&newer, compared, "%p %p", "%p %nowhere", "OPERAND_TYPE", "");
    let copied = "%t = OpBitcast %gp_int %p\nOpCopyMemory %p %t Aligned 4";
    check(copied, "%p %t Aligned", "%p %p Aligned", "OPERAND_TYPE", "one of them to no type");
    let variable = "%v = OpUntypedVariableKHR %uf Function %int %one\n%x = OpLoad %int %v";
    check(variable, "%int %one", "", "VARIABLE_TYPE", "");
    check(variable, "%int %one", "%float %one", "VARIABLE_INITIALIZER", "");
    check(variable, "KHR %uf Function", "KHR %up Function", "VARIABLE_TYPE", "");
    let atomic = "%x = OpAtomicIAdd %int %p %device %zero %one";
    check(
        atomic,
        "%x = OpAtomicIAdd %int %p %device %zero %one",
        "%x = OpAtomicIAdd %pair %p %device %zero %one",
        "ATOMIC_TYPE",
        "",
    );
    let prefetch = "OpUntypedPrefetchKHR %p %four %zero %two %one\nOpUntypedPrefetchKHR %p %four";
    check(prefetch, "%zero %two %one", "%zero %four %one", "OPERAND_TYPE", "Locality");
    check(prefetch, "%zero %two %one", "%zero %two", "OPERAND_TYPE", "together");
    check(prefetch, "%p %four", "%nowhere %four", "OPERAND_TYPE", "CrossWorkgroup");
    let copy = "%e = OpUntypedGroupAsyncCopyKHR %event %workgroup %nowhere %p %zero_long %zero_long %zero_long %no_event";
    check(copy, "%nowhere %p", "%p %p", "OPERAND_TYPE", "one to Workgroup");
    check(copy, "%p %zero_long", "%p %zero", "OPERAND_TYPE", "address width");
    needs_row(&kernel.body(load), "SPV_KHR_untyped_pointers", "EXTENSION");
}

/// Where an instruction says nothing of the type, a typed pointer is asked for.
#[test]
fn untyped_pointers_that_need_a_type() {
    let everything = Environment::of_registry(Registry::everything());
    let kernel = untyped().import();
    for (body, rule) in [
        ("%x = OpSizeOf %int %p", "OPERAND_TYPE"),
        ("%x = OpExtInst %void %std prefetch %p %zero_long", "OPERAND_TYPE"),
        (
            "%x = OpGroupAsyncCopy %event %workgroup %nowhere %p %zero_long %zero_long %no_event",
            "OPERAND_TYPE",
        ),
        ("%x = OpInBoundsPtrAccessChain %up %p %zero_long", "OPERAND_TYPE"),
    ] {
        let text = kernel.clone().version("1.1").body(body).text();
        assert_eq!(refusals(&text, &everything), [rule], "{body}");
    }
    let twice = Kernel::new()
        .capability("UntypedPointersKHR")
        .extension("SPV_KHR_untyped_pointers")
        .beside("%first = OpTypeUntypedPointerKHR CrossWorkgroup\n%again = OpTypeUntypedPointerKHR CrossWorkgroup\n");
    assert_eq!(refusals(&twice.text(), &everything), ["TYPE_UNIQUE"]);
}

#[test]
fn blocks_of_two_dimensions() {
    let kernel = Kernel::new()
        .capability("Subgroup2DBlockIOINTEL")
        .capability("Subgroup2DBlockTransformINTEL")
        .capability("Subgroup2DBlockTransposeINTEL")
        .extension("SPV_INTEL_2d_block_io")
        .parameter("%gp_int");
    let check = |body: &str, from: &str, to: &str, said: &str| changed(&kernel, body, from, to, "OPERAND_TYPE", said);
    let share = "%own = OpVariable %fp_int Function";
    for op in ["Load", "LoadTranspose", "LoadTransform"] {
        let load = format!("{share}\nOpSubgroup2DBlock{op}INTEL %two %four %two %one %p %four %four %four %zeros2 %own");
        check(&load, "INTEL %two", "INTEL %zero", "Element Size must be a constant");
        check(&load, "INTEL %two %four", "INTEL %one %two", "no multiple of 4");
        check(&load, "%zeros2", "%zerosf4", "vector of two integers");
        check(&load, "%zeros2 %own", "%zeros2 %p", "to Function");
        check(&load, "%one %p", "%one %own", "to CrossWorkgroup");
        check(&load, "%p %four", "%p %zero_float", "Memory Width");
    }
    let packed = format!("{share}\nOpSubgroup2DBlockLoadTransformINTEL %two %four %two %one %p %four %four %four %zeros2 %own");
    check(&packed, "INTEL %two", "INTEL %four", "1 or 2 bytes");
    let store = format!("{share}\nOpSubgroup2DBlockStoreINTEL %four %four %two %one %own %p %four %four %four %zeros2");
    check(&store, "%own %p", "%p %own", "to CrossWorkgroup");
    let prefetch = "OpSubgroup2DBlockPrefetchINTEL %four %four %two %one %p %four %four %four %zeros2";
    check(prefetch, "%four %zeros2", "%zerosf4 %zeros2", "Memory Pitch");
    needs_row(&kernel.body(prefetch), "SPV_INTEL_2d_block_io", "EXTENSION");
}
