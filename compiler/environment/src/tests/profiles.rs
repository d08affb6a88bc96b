//! Rules that hold in some versions of OpenCL's environment.

use super::text::{Kernel, refusals};
use super::{IMAGES, rule_cases};
use crate::{Environment, rules};

fn breaks(environment: &str, text: &str, rule: &str) -> bool {
    let environment = Environment::named(environment).unwrap_or_else(|| panic!("no environment {environment}"));
    refusals(text, &environment).contains(&rule)
}

/// Version 3.0.8, section 4: OpImageWrite "must not include any optional Image Operands"; since version 3.1 it may. A device that writes mip
/// levels takes Lod in all versions.
#[test]
fn writes_with_image_operands_are_of_version_3_1() {
    let text = rule_cases::changed(
        &rules::IMAGE_WRITE_OPERANDS,
        IMAGES,
        &[("OpImageWrite %target %size %sum", "OpImageWrite %target %size %sum Lod %corner")],
    );
    for version in [
        "opencl1.2",
        "opencl2.0",
        "opencl2.1",
        "opencl2.2",
        "opencl3.0",
        "opencl3.0-embedded",
    ] {
        let mut environment = Environment::named(version).unwrap();
        environment.switch("cl_khr_mipmap_image_writes", false).unwrap();
        assert!(refusals(&text, &environment).contains(&"IMAGE_WRITE_OPERANDS"), "{version}");
        assert!(!breaks(version, &text, "IMAGE_WRITE_OPERANDS"), "{version}");
    }
    assert!(!breaks("opencl3.1", &text, "IMAGE_WRITE_OPERANDS"));
}

/// Before there were scopes and orders, atomics were the device's and relaxed.
#[test]
fn atomics_of_version_1_2_have_one_scope_and_one_order() {
    let atomic = |scope: &str, order: &str| {
        let body = format!("%x = OpAtomicIAdd %int %p {scope} {order} %one");
        Kernel::new().parameter("%gp_int").body(&body).text()
    };
    for (scope, order, rule) in [
        ("%workgroup", "%zero", "MEMORY_SCOPE"),
        ("%device", "%acquire_release", "MEMORY_ORDER"),
    ] {
        assert!(breaks("opencl1.2", &atomic(scope, order), rule));
        assert!(!breaks("opencl3.0", &atomic(scope, order), rule));
    }
    assert!(!breaks("opencl1.2", &atomic("%device", "%zero"), "MEMORY_SCOPE"));
}

/// Sub-groups are of version 2.1, and an extension's before.
#[test]
fn barriers_of_sub_groups() {
    let barrier = Kernel::new().body("OpControlBarrier %subgroup %subgroup %in_order").text();
    let barrier = barrier.replace(
        "%subgroup = OpConstant %int 3",
        "%subgroup = OpConstant %int 3\n%in_order = OpConstant %int 272",
    );
    for name in ["opencl1.2", "opencl2.0"] {
        let mut environment = Environment::named(name).unwrap();
        assert!(refusals(&barrier, &environment).contains(&"EXECUTION_SCOPE"), "{name}");
        environment.switch("cl_khr_subgroups", true).unwrap();
        assert_eq!(refusals(&barrier, &environment), [""; 0], "{name}");
    }
    assert_eq!(refusals(&barrier, &Environment::named("opencl2.1").unwrap()), [""; 0]);
}

/// cl_khr_gl_msaa_sharing has images of several samples, which are asked for their number and read a sample at a time.
#[test]
fn images_of_several_samples() {
    let text = Kernel::new()
        .parameter("%image")
        .body("%x = OpImageQuerySamples %int %p\n%y = OpImageRead %float4 %p %zeros2 Sample %one")
        .text()
        .replace("2D 0 0 0 0 Unknown ReadOnly", "2D 0 0 1 0 Unknown ReadOnly");
    let mut environment = Environment::device();
    assert!(refusals(&text, &environment).contains(&"IMAGE_MS"));
    environment.switch("cl_khr_gl_msaa_sharing", true).unwrap();
    assert_eq!(refusals(&text, &environment), [""; 0]);
    let one = text.replace("2D 0 0 1 0", "2D 0 0 0 0");
    assert_eq!(refusals(&one, &environment), ["IMAGE_OPERANDS", "OPERAND_TYPE"]);
}

/// A minimal environment has what its version asks of every device, and nothing else.
#[test]
fn minimal_environments() {
    let needs = |capability: &str| Kernel::new().capability(capability).text();
    let taken = |environment: &str, text: &str| refusals(text, &Environment::named(environment).unwrap()).is_empty();
    for (capability, since) in [
        ("Int64", "opencl1.2"),
        ("GenericPointer", "opencl2.0"),
        ("DeviceEnqueue", "opencl2.0"),
        ("Pipes", "opencl2.0"),
        ("BitInstructions", "opencl3.1"),
        ("ImageBasic", ""),
        ("Float64", ""),
        ("Float16", ""),
        ("Int64Atomics", ""),
    ] {
        let mut text = needs(capability);
        if capability == "BitInstructions" {
            text = text.replace("OpMemoryModel", "OpExtension \"SPV_KHR_bit_instructions\"\nOpMemoryModel");
        }
        for version in ["opencl1.2", "opencl2.0", "opencl2.1", "opencl2.2", "opencl3.0", "opencl3.1"] {
            let of_2 = since == "opencl2.0" && version.starts_with("opencl2");
            let expected = since == version || since == "opencl1.2" || of_2;
            assert_eq!(taken(&format!("{version}-minimal"), &text), expected, "{version}: {capability}");
        }
    }
    let newer = Kernel::new().version("1.4").text();
    assert!(taken("opencl3.1-minimal", &newer) && !taken("opencl3.0-minimal", &newer));
}

/// Constructors and destructors of program-scope variables are of OpenCL C++, which version 2.2 alone has.
#[test]
fn initializers_run_nowhere_else() {
    let text = Kernel::new().version("1.1").annotation("OpExecutionMode %k Initializer").text();
    assert!(!breaks("opencl2.2", &text, "EXECUTION_MODE_UNSUPPORTED"));
    for environment in ["opencl2.1", "opencl3.0", "opencl3.1", "level-zero"] {
        let text = text.replace("1.1", "1.0");
        assert!(breaks(environment, &text, "EXECUTION_MODE_UNSUPPORTED"), "{environment}");
    }
}
