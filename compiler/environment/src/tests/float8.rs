//! SPV_EXT_float8: what floats of 8 bits are for.

use super::text::{Kernel, refusals};
use crate::Environment;

fn broken(kernel: &Kernel) -> Vec<&'static str> {
    refusals(&kernel.text(), &Environment::device())
}

fn float8(body: &str) -> Kernel {
    let all = format!("%small = OpFConvert %e4m3 %x\n{body}");
    let body = format!(
        "%x = OpLoad %float %p Aligned 4\n{}",
        if body.contains("%small") { &all } else { body }
    );
    Kernel::new()
        .capability("Float8EXT")
        .extension("SPV_EXT_float8")
        .parameter("%gp_float")
        .body(&body)
}

#[test]
fn they_are_converted_and_moved() {
    for body in [
        "%r = OpFConvert %float %small",
        "%r = OpFConvert %e5m2 %small",
        "%r = OpConvertFToS %int %small",
        "%r = OpConvertSToF %e5m2 %one",
        "%r = OpBitcast %char %small",
        "%r = OpSelect %e4m3 %true %small %small",
        "%r = OpCopyObject %e4m3 %small",
    ] {
        assert_eq!(broken(&float8(body)), [""; 0], "{body}");
    }
}

#[test]
fn nothing_is_computed_in_them() {
    for (body, rule) in [
        ("%r = OpFAdd %e4m3 %small %small", "OPERAND_TYPE"),
        ("%r = OpFNegate %e4m3 %small", "OPERAND_TYPE"),
        ("%r = OpFOrdLessThan %bool %small %small", "OPERAND_TYPE"),
        ("%r = OpFConvert %e4m3 %small", "RESULT_TYPE"),
        ("%r = OpBitcast %e4m3 %one", "RESULT_TYPE"),
    ] {
        let refused = broken(&float8(body));
        assert!(refused.contains(&rule) || refused.contains(&"RESULT_TYPE"), "{body}: {refused:?}");
    }
}

#[test]
fn they_need_the_capability_and_eight_bits() {
    let without = Kernel::new().parameter("%gp_float").body("%x = OpConvertSToF %e4m3 %one");
    assert!(broken(&without).contains(&"OPERAND_CAPABILITY"), "{:?}", broken(&without));
    let text = float8("%r = OpConvertSToF %e4m3 %one").text();
    let wide = text.replace("OpTypeFloat 8 Float8E4M3EXT", "OpTypeFloat 16 Float8E4M3EXT");
    assert!(refusals(&wide, &Environment::device()).contains(&"TYPE_OPERAND"));
    let plain = text.replace("OpTypeFloat 8 Float8E4M3EXT", "OpTypeFloat 8");
    assert!(refusals(&plain, &Environment::device()).contains(&"FLOAT_WIDTH"));
}

#[test]
fn conversions_to_them_may_saturate() {
    let saturated = |body: &str| float8(body).annotation("OpDecorate %r SaturatedToLargestFloat8NormalConversionEXT");
    for body in ["%r = OpFConvert %e5m2 %x", "%r = OpConvertUToF %e4m3 %one"] {
        assert_eq!(broken(&saturated(body)), [""; 0], "{body}");
    }
    for body in ["%r = OpFConvert %float %small", "%r = OpConvertFToS %int %small"] {
        assert_eq!(broken(&saturated(body)), ["DECORATION_TARGET"], "{body}");
    }
}
