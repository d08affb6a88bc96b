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
