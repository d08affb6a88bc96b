//! What SPV_INTEL_joint_matrix had before there were cooperative matrices: each rule kept, and broken.

use super::extensions::{changed, needs_row, told};
use super::text::{Kernel, refusals};
use crate::Environment;
use vendors::Registry;

/// The first three have no use, as revision 4 has them; the others have one, and some an interpretation.
const TYPES: &str = "%m8 = OpTypeJointMatrixINTEL %char %n8 %n32 %one %subgroup
%m8b = OpTypeJointMatrixINTEL %char %n32 %n8 %zero %subgroup
%m32 = OpTypeJointMatrixINTEL %int %n8 %n8 %one %subgroup
%pa = OpTypeJointMatrixINTEL %char %n8 %n32 %two %subgroup
%pb = OpTypeJointMatrixINTEL %char %n32 %n8 %subgroup %subgroup
%c32 = OpTypeJointMatrixINTEL %int %n8 %n8 %zero %subgroup %two
%fa = OpTypeJointMatrixINTEL %float %n16 %n16 %zero %subgroup %zero %one
%fb = OpTypeJointMatrixINTEL %float %n16 %n16 %zero %subgroup %one %one
%fbx = OpTypeJointMatrixINTEL %float %n16 %n16 %zero %subgroup %one %zero
%ba = OpTypeJointMatrixINTEL %short %n16 %n16 %zero %subgroup %zero %two
%bb = OpTypeJointMatrixINTEL %short %n16 %n16 %four %subgroup %one %two
%cf = OpTypeJointMatrixINTEL %float %n16 %n16 %zero %subgroup %two
%cb = OpTypeJointMatrixINTEL %short %n16 %n16 %zero %subgroup %two %two\n";

fn kernel_beside(types: &str) -> Kernel {
    Kernel::new()
        .capability("6118")
        .capability("6436")
        .capability("6437")
        .extension("SPV_INTEL_joint_matrix")
        .beside(types)
        .parameter("%gp_char")
}

fn check(body: &str, broken: &[[&str; 4]]) {
    for [from, to, rule, said] in broken {
        changed(&kernel_beside(TYPES), body, from, to, rule, said);
    }
}

#[test]
fn loads_and_stores() {
    check(
        "%m = OpJointMatrixLoadINTEL %m8 %p %n32 %one %subgroup Aligned 4",
        &[
            ["%m8", "%char", "RESULT_TYPE", "a joint matrix"],
            ["%p", "%one", "OPERAND_TYPE", "pointer"],
            ["%p %n32", "%p %zero_float", "MATRIX_LAYOUT", "Stride"],
            ["%one %subgroup", "%four %subgroup", "MATRIX_LAYOUT", "neither"],
            ["%one %subgroup", "%p %subgroup", "MATRIX_LAYOUT", "neither"],
            ["%subgroup", "%workgroup", "MATRIX_SCOPE", "another"],
            ["Aligned 4", "Aligned 3", "ALIGNMENT", "3"],
        ],
    );
    check(
        "%m = OpUndef %pb\nOpJointMatrixStoreINTEL %p %m %n32 %subgroup %subgroup Aligned 4",
        &[
            ["%p %m", "%p %one", "OPERAND_TYPE", "Object"],
            ["%n32", "%zero_float", "MATRIX_LAYOUT", "Stride"],
            ["%subgroup %subgroup A", "%two %subgroup A", "MATRIX_LAYOUT", "neither"],
            ["%subgroup A", "%device A", "MATRIX_SCOPE", "another"],
        ],
    );
    // PackedA is for A, and what is called Packed now is for A and B.
    check(
        "%m = OpJointMatrixLoadINTEL %pa %p %n32 %two %subgroup",
        &[["%two", "%subgroup", "MATRIX_LAYOUT", "neither"]],
    );
    check(
        "%m = OpJointMatrixLoadINTEL %bb %p %n32 %two %subgroup",
        &[["%bb", "%cb", "MATRIX_LAYOUT", "neither"]],
    );
    // Four bytes are no more than one integer.
    check(
        "%m = OpJointMatrixLoadINTEL %m8b %p %n32 %subgroup %subgroup",
        &[["%m8b", "%m32", "MATRIX_LAYOUT", "neither"]],
    );
    // Generic pointers are those of joint matrices alone.
    let everything = Environment::of_registry(Registry::everything());
    let generic =
        "%i = OpBitcast %gp_int %p\n%g = OpPtrCastToGeneric %generic_int %i\n%m = OpJointMatrixLoadINTEL %m32 %g %n8 %one %subgroup";
    assert_eq!(refusals(&kernel_beside(TYPES).body(generic).text(), &everything), [""; 0]);
    let cooperative = format!("{TYPES}%k32 = OpTypeCooperativeMatrixKHR %int %subgroup %n8 %n8 %two\n");
    let kernel = kernel_beside(&cooperative)
        .capability("CooperativeMatrixKHR")
        .extension("SPV_KHR_cooperative_matrix");
    let other = generic.replace(
        "OpJointMatrixLoadINTEL %m32 %g %n8 %one %subgroup",
        "OpCooperativeMatrixLoadKHR %k32 %g %zero %n8",
    );
    assert_eq!(refusals(&kernel.body(&other).text(), &everything), ["MATRIX_POINTER"]);
}

#[test]
fn multiplications() {
    let undefined: String = ["m8", "m8b", "m32", "pa", "pb", "c32", "fa", "fb", "fbx", "ba", "bb", "cf", "cb"]
        .iter()
        .map(|name| format!("%u_{name} = OpUndef %{name}\n"))
        .collect();
    let of = |ty: &str, op: &str, matrices: &str| format!("{undefined}%r = OpJointMatrix{op}INTEL %{ty} {matrices} %subgroup");
    for op in ["Mad", "SUMad", "USMad", "UUMad"] {
        check(
            &of("m32", op, "%u_m8 %u_m8b %u_m32"),
            &[
                ["%u_m8 %u_m8b", "%u_m8b %u_m8", "MATRIX_PRODUCT", "by"],
                ["%u_m8 %u_m8b", "%u_pb %u_m8b", "MATRIX_PRODUCT", "uses"],
                ["%u_m8b %u_m32", "%u_m8b %u_m8", "MATRIX_PRODUCT", "by"],
                ["%u_m8 %u_m8b", "%u_m8 %one", "MATRIX_PRODUCT", "must be"],
                ["%u_m32 %subgroup", "%u_m32 %workgroup", "MATRIX_SCOPE", "another"],
                // A signed product of a signed accumulator is none of floats'.
                ["INTEL %m32", "INTEL %cf", "MATRIX_PRODUCT", "by"],
            ],
        );
    }
    // A scope may be missing, and what has a use goes together with what has none.
    let mixed = of("c32", "Mad", "%u_pa %u_pb %u_m32").replace(" %u_m32 %subgroup", " %u_m32");
    check(&mixed, &[["%u_pa %u_pb", "%u_pb %u_pa", "MATRIX_PRODUCT", "uses"]]);
    let tf32 = of("cf", "Mad", "%u_fa %u_fb %u_cf");
    check(
        &tf32,
        &[
            ["%u_fb %u_cf", "%u_fbx %u_cf", "MATRIX_PRODUCT", "stand for"],
            ["%u_fb %u_cf", "%u_fb %u_fb", "MATRIX_PRODUCT", "uses"],
        ],
    );
    let bfloats = of("cf", "Mad", "%u_ba %u_bb %u_cf");
    check(
        &bfloats,
        &[
            ["%u_bb %u_cf", "%u_fb %u_cf", "MATRIX_PRODUCT", "stand for"],
            ["%u_cf %subgroup", "%u_cb %subgroup", "MATRIX_PRODUCT", "by"],
        ],
    );
    check(
        &of("cb", "Mad", "%u_ba %u_bb %u_cb"),
        &[["INTEL %cb", "INTEL %cf", "MATRIX_PRODUCT", "by"]],
    );
}

#[test]
fn components_of_a_work_item() {
    check(
        "%m = OpUndef %m32\n%n = OpJointMatrixWorkItemLengthINTEL %int %m",
        &[
            ["%int %m", "%int %one", "OPERAND_TYPE", "joint matrix"],
            ["%int %m", "%float %m", "RESULT_TYPE", "an integer"],
        ],
    );
    check(
        "%n = OpJointMatrixWorkItemLengthINTEL %long %m32",
        &[["%long %m32", "%long %char", "OPERAND_TYPE", "joint matrix"]],
    );
    check(
        "%m = OpCompositeConstruct %m32 %one\n%e = OpVectorExtractDynamic %int %m %two\n%n = OpVectorInsertDynamic %m32 %m %e %one\n\
         %x = OpCompositeExtract %int %m 1",
        &[
            ["%m32 %one", "%m32 %one %one", "OPERAND_TYPE", "constituent"],
            ["%int %m %two", "%float %m %two", "RESULT_TYPE", "components"],
            ["%m %e %one", "%m %zero_float %one", "OPERAND_TYPE", "type"],
            ["%int %m 1", "%int %m 4", "INDEX_RANGE", "4 parts"],
            // They have no arithmetic of their own.
            [
                "%x = OpCompositeExtract %int %m 1",
                "%x = OpIAdd %m32 %m %m",
                "MATRIX_INSTRUCTION",
                "IAdd",
            ],
            [
                "%x = OpCompositeExtract %int %m 1",
                "%x = OpBitcast %m32 %m",
                "MATRIX_INSTRUCTION",
                "Bitcast",
            ],
        ],
    );
}

#[test]
fn types() {
    let everything = Environment::of_registry(Registry::everything());
    let keeps = kernel_beside(TYPES).body("%n = OpJointMatrixWorkItemLengthINTEL %int %m32");
    assert_eq!(refusals(&keeps.text(), &everything), [""; 0]);
    for (from, to, rule, said) in [
        (
            "%m8 = OpTypeJointMatrixINTEL %char %n8",
            "%m8 = OpTypeJointMatrixINTEL %char %four",
            "MATRIX_SHAPE",
            "4x32",
        ),
        (
            "%m8 = OpTypeJointMatrixINTEL %char",
            "%m8 = OpTypeJointMatrixINTEL %bool",
            "MATRIX_TYPE",
            "component",
        ),
        (
            "%n8 %n32 %one %subgroup",
            "%zero_float %n32 %one %subgroup",
            "MATRIX_TYPE",
            "Row Count",
        ),
        (
            "%n8 %n32 %one %subgroup",
            "%n8 %zero_float %one %subgroup",
            "MATRIX_TYPE",
            "Column Count",
        ),
        ("%n8 %n32 %one %subgroup", "%n8 %n32 %zero_float %subgroup", "MATRIX_TYPE", "Layout"),
        ("%n8 %n32 %one %subgroup", "%n8 %n32 %four %subgroup", "MATRIX_TYPE", "no Layout 4"),
        ("%n16 %n16 %four", "%n16 %n16 %n8", "MATRIX_TYPE", "no Layout 8"),
        ("%n8 %n32 %one %subgroup", "%n8 %n32 %one %zero_float", "MATRIX_TYPE", "Scope"),
        ("%n8 %n32 %one %subgroup", "%n8 %n32 %one %workgroup", "MATRIX_SCOPE", "2"),
        ("%subgroup %two\n", "%subgroup %subgroup\n", "MATRIX_TYPE", "no Use 3"),
        (
            "%zero %subgroup %zero %one",
            "%zero %subgroup %zero %four",
            "MATRIX_TYPE",
            "Interpretation 4",
        ),
        (
            "%zero %subgroup %zero %one",
            "%zero %subgroup %zero %two",
            "MATRIX_TYPE",
            "16-bit integer",
        ),
        ("%subgroup %one %two\n", "%subgroup %one %one\n", "MATRIX_TYPE", "32-bit float"),
        (
            "%m32 = OpTypeJointMatrixINTEL %int %n8 %n8 %one",
            "%m32 = OpTypeJointMatrixINTEL %int %n8 %n8 %one %subgroup\n%other = OpTypeJointMatrixINTEL %int %n8 %n8 %one",
            "TYPE_UNIQUE",
            "same",
        ),
    ] {
        assert!(TYPES.contains(from), "{from}");
        let text = kernel_beside(&TYPES.replacen(from, to, 1))
            .body("%n = OpIAdd %int %one %two")
            .text();
        let errors = told(&text, &everything);
        let named = errors.iter().any(|(id, detail)| *id == rule && detail.contains(said));
        assert!(named, "{rule}: {said}, but: {errors:?}\n{text}");
    }
    for (capability, rule, said) in [
        ("6118", "INSTRUCTION_CAPABILITY", "JointMatrixINTEL"),
        ("6436", "MATRIX_TYPE", "TF32"),
        ("6437", "MATRIX_TYPE", "BFloat16"),
    ] {
        let text = keeps.text().replace(&format!("OpCapability {capability}\n"), "");
        let errors = told(&text, &everything);
        let named = errors.iter().any(|(id, detail)| *id == rule && detail.contains(said));
        assert!(named, "{capability}: {errors:?}");
    }
    // Cooperative matrices have a capability and instructions of their own.
    let cooperative = format!("{TYPES}%k32 = OpTypeCooperativeMatrixKHR %int %subgroup %n8 %n8 %two\n");
    let body = "%q = OpUndef %k32\n%m = OpUndef %m32";
    let plain: String = ["%m32", "%k32"]
        .iter()
        .filter_map(|name| cooperative.lines().find(|line| line.starts_with(name)))
        .map(|line| format!("{line}\n"))
        .collect();
    let alone = Kernel::new().capability("6118").extension("SPV_INTEL_joint_matrix").beside(&plain);
    assert_eq!(refusals(&alone.body(body).text(), &everything), ["INSTRUCTION_CAPABILITY"]);
    let both = kernel_beside(&cooperative)
        .capability("CooperativeMatrixKHR")
        .extension("SPV_KHR_cooperative_matrix");
    for (body, rule) in [
        (format!("{body}\nOpCooperativeMatrixStoreKHR %p %q %zero %n8"), None),
        (
            format!("{body}\nOpJointMatrixStoreINTEL %p %q %n8 %zero %subgroup"),
            Some("OPERAND_TYPE"),
        ),
        (
            format!("{body}\n%a = OpUndef %m8\n%b = OpUndef %m8b\n%r = OpJointMatrixMadINTEL %k32 %a %b %q %subgroup"),
            Some("MATRIX_PRODUCT"),
        ),
    ] {
        let errors = refusals(&both.body(&body).text(), &everything);
        assert_eq!(errors.first().copied(), rule, "{body}");
    }
    let undeclared = keeps.text().replace("OpExtension \"SPV_INTEL_joint_matrix\"\n", "");
    assert!(refusals(&undeclared, &everything).contains(&"CAPABILITY_EXTENSION"));
    needs_row(&keeps, "SPV_INTEL_joint_matrix", "CAPABILITY");
}
