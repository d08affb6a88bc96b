//! Modules in pairs: one keeps a rule, and the other, next to it, breaks it.

use super::text::{Kernel, refusals};
use crate::{Environment, validate};
use spirv::{assemble, parse};

/// The one is taken, whatever is strict; the other is refused by the rule, with this said.
fn pair(keeps: &str, breaks: &str, rule: &str, said: &str) {
    let environment = Environment::of_registry(vendors::Registry::everything());
    assert_eq!(refusals(keeps, &environment), [""; 0], "{keeps}");
    let binary = parse(&assemble(breaks).unwrap_or_else(|error| panic!("{error}\n{breaks}"))).unwrap();
    let errors = validate(binary, &environment, &[], false).expect_err(breaks);
    let told = errors.iter().any(|error| error.rule.id == rule && error.detail.contains(said));
    assert!(told, "{rule}: {said}, but:\n{}", crate::log(&errors));
}

/// A kernel whose body is in two forms.
fn bodies(kernel: &Kernel, [keeps, breaks]: [&str; 2], rule: &str, said: &str) {
    pair(&kernel.body(keeps).text(), &kernel.body(breaks).text(), rule, said);
}

fn images() -> Kernel {
    Kernel::new()
        .capability("ImageBasic")
        .capability("LiteralSampler")
        .parameter("%image")
}

#[test]
fn sampling() {
    let sample =
        |operands: &str| format!("%s = OpSampledImage %sampled %p %nearest\n%x = OpImageSampleExplicitLod %float4 %s %middle {operands}");
    bodies(
        &images(),
        [&sample("Lod %zero_float"), &sample("Lod|Grad %zero_float %middle %middle")],
        "IMAGE_OPERANDS",
        "exclude each other",
    );
    bodies(
        &images(),
        [&sample("Grad %middle %middle"), &sample("Lod %zero")],
        "OPERAND_TYPE",
        "Lod must be a floating-point number",
    );
    let elsewhere = sample("Lod %zero_float").replace("%x =", "OpBranch %next\n%next = OpLabel\n%x =");
    bodies(
        &images(),
        [&sample("Lod %zero_float"), &elsewhere],
        "SAMPLED_IMAGE",
        "of another block",
    );
    let buffer = images().capability("SampledBuffer").parameter("%image_buffer");
    bodies(
        &buffer,
        [
            "%x = OpImageRead %float4 %p %zero",
            "%s = OpSampledImage %sampled_buffer %p %nearest",
        ],
        "SAMPLED_IMAGE",
        "without a sampler",
    );
}

#[test]
fn images_that_are_chosen_or_asked() {
    bodies(
        &images(),
        ["%x = OpImageQueryFormat %int %p", "%x = OpImageQuerySamples %int %p"],
        "OPERAND_TYPE",
        "MS must be 1",
    );
    bodies(&images(), ["", "%x = OpSelect %image %true %p %p"], "OPAQUE_CHOICE", "");
    let choice = "OpBranchConditional %true %a %b\n%a = OpLabel\nOpBranch %b\n%b = OpLabel\n";
    let phi = format!("{choice}%x = OpPhi %image %p %entry %p %a");
    bodies(&images(), [choice, &phi], "OPAQUE_CHOICE", "");
}

#[test]
fn blocks_of_images() {
    let blocks = |image: &str| {
        Kernel::new()
            .capability("ImageBasic")
            .capability("SubgroupImageBlockIOINTEL")
            .extension("SPV_INTEL_subgroups")
            .parameter(image)
    };
    let read = "%x = OpSubgroupImageBlockReadINTEL %int %p %zeros2";
    let write = "OpSubgroupImageBlockWriteINTEL %p %zeros2 %one";
    pair(
        &blocks("%image").body(read).text(),
        &blocks("%image_out").body(read).text(),
        "OPERAND_TYPE",
        "the image is WriteOnly",
    );
    pair(
        &blocks("%image_out").body(write).text(),
        &blocks("%image").body(write).text(),
        "OPERAND_TYPE",
        "the image is ReadOnly",
    );
}

#[test]
fn sizes_have_the_address_width() {
    let vectors = Kernel::new().import().parameter("%gp_int");
    bodies(
        &vectors,
        [
            "%x = OpExtInst %void %std vstoren %zeros2 %zero_long %p",
            "%x = OpExtInst %void %std vstoren %zeros2 %zero %p",
        ],
        "OPERAND_TYPE",
        "the address width",
    );
}

/// Beside DotProduct, each form of the operands has a capability.
#[test]
fn dot_products() {
    let with = |capability: &str, ty: &str, operands: &str| {
        let kernel = Kernel::new().version("1.6").capability("DotProduct").capability(capability);
        kernel
            .body(&format!("%v = OpUndef %{ty}\n%x = OpSDot %int %v %v {operands}"))
            .text()
    };
    for (ty, operands, capability) in [
        ("char4", "", "DotProductInput4x8Bit"),
        ("int", "PackedVectorFormat4x8Bit", "DotProductInput4x8BitPacked"),
        ("int2", "", "DotProductInputAll"),
    ] {
        let breaks = with("Int16", ty, operands);
        pair(&with(capability, ty, operands), &breaks, "INSTRUCTION_CAPABILITY", capability);
    }
}

/// With Float16Buffer alone, halves are read by vload_half, where Float16 is not a capability of the device's.
#[test]
fn halves() {
    let mut without = Environment::device();
    without.switch("cl_khr_fp16", false).unwrap();
    let kernel = Kernel::new().import().parameter("%gp_half");
    let breaks = [
        "%v = OpLoad %half %p Aligned 2",
        "%v = OpUndef %half\n%x = OpFAdd %half %v %v",
        "%v = OpUndef %half\n%x = OpGroupFAdd %half %workgroup Reduce %v",
        "%v = OpUndef %half2",
    ];
    let load = kernel.body("%x = OpExtInst %float %std vload_half %zero_long %p").text();
    assert_eq!(refusals(&load, &without), [""; 0]);
    for body in breaks {
        let text = kernel.clone().capability("Groups").body(body).text();
        assert!(refusals(&text, &without).contains(&"HALF_VALUE"), "{body}");
        let declared = kernel.clone().capability("Groups").capability("Float16").body(body).text();
        assert_eq!(refusals(&declared, &Environment::device()), [""; 0], "{body}");
    }
    let bare = Kernel::new().parameter("%half").text();
    assert!(refusals(&bare, &without).contains(&"HALF_VALUE"), "{bare}");
}

#[test]
fn images_need_their_capabilities() {
    let environment = Environment::device();
    for (parameter, capability) in [("%image", "ImageBasic"), ("%image_both", "ImageReadWrite")] {
        let text = Kernel::new().parameter(parameter).text();
        assert_eq!(refusals(&text, &environment), [""; 0], "{text}");
        let line = format!("OpCapability {capability}\n");
        // What implies the capability is another way to declare it.
        let without = text.replace(&line, "");
        let without = without.replace("OpCapability ImageReadWrite\n", "");
        assert!(refusals(&without, &environment).contains(&"TYPE_CAPABILITY"), "{without}");
    }
}

#[test]
fn printf_takes_what_its_format_says() {
    let kernel = Kernel::new().import().version("1.0");
    let call = |arguments: &str| format!("%x = OpExtInst %int %std printf %first {arguments}");
    let text = |arguments: &str| {
        let format = "%char = OpTypeInt 8 0\n%percent = OpConstant %char 37\n%letter = OpConstant %char 100\n%end = OpConstant %char 0\n\
                      %three = OpConstant %int 3\n%text = OpTypeArray %char %three\n%cp_text = OpTypePointer UniformConstant %text\n\
                      %cp_char = OpTypePointer UniformConstant %char\n%format_value = OpConstantComposite %text %percent %letter %end\n\
                      %format = OpVariable %cp_text UniformConstant %format_value\n\
                      %first = OpSpecConstantOp %cp_char InBoundsAccessChain %format %zero\n%k_type =";
        let text = kernel
            .body(&format!("{}\n%y = OpIAdd %int %zero %one\n%z = OpUndef %float", call(arguments)))
            .text();
        let text = text.replace("OpCapability Kernel", "OpCapability Kernel\nOpCapability Int8");
        text.replace("%k_type =", format)
    };
    let environment = Environment::device();
    assert_eq!(refusals(&text("%one"), &environment), [""; 0]);
    assert_eq!(refusals(&text(""), &environment), ["PRINTF_ARGUMENTS"]);
    let float = text("%no_float").replace("%format =", "%no_float = OpConstantNull %float\n%format =");
    assert_eq!(refusals(&float, &environment), ["PRINTF_ARGUMENTS"]);
    // Programs that do so are compiled all the same.
    let (_, warnings) = validate(parse(&assemble(&float).unwrap()).unwrap(), &environment, &[], false).expect("it is taken");
    assert_eq!(warnings[0].rule.id, "PRINTF_ARGUMENTS");
}

/// In version 2.0, kernels enqueue kernels.
#[test]
fn device_enqueue() {
    let environment = Environment::named("opencl2.0-minimal").unwrap();
    let kernel = Kernel::new().capability("DeviceEnqueue");
    let body = |queue: &str, count: &str| {
        format!(
            "%e = OpVariable %fp_event Function\n%g = OpVariable %fp_char Function\n\
             %q = OpGetDefaultQueue %queue\n%u = OpCreateUserEvent %device_event\nOpStore %e %u\nOpRetainEvent %u\nOpReleaseEvent %u\n\
             %v = OpIsValidEvent %bool %u\nOpSetUserEventStatus %u %zero\n%r = OpBuildNDRange %range %zero_long %zero_long %zero_long\n\
             %m = OpEnqueueMarker %int {queue} %one %e %e\n%b = OpBitcast %fp_char %g\n\
             %n = OpEnqueueKernel %int %q %zero %r {count} %e %e %block %b %one %one\n\
             %s = OpGetKernelWorkGroupSize %int %block %b %one %one\n%t = OpGetKernelNDrangeSubGroupCount %int %r %block %b %one %one"
        )
    };
    let text = |queue: &str, count: &str| {
        let block = "%block_type = OpTypeFunction %void %fp_char\n%block = OpFunction %void None %block_type\n%block_parameter = OpFunctionParameter %fp_char\n\
                     %block_entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
        kernel.clone().beside(block).body(&body(queue, count)).text()
    };
    assert_eq!(refusals(&text("%q", "%one"), &environment), [""; 0], "{}", text("%q", "%one"));
    assert_eq!(refusals(&text("%u", "%one"), &environment), ["OPERAND_TYPE"]);
    assert_eq!(refusals(&text("%q", "%zero_long"), &environment), ["OPERAND_TYPE"]);
    // A local size without a pointer, and a pointer without a size.
    let sized = text("%q", "%one").replace("%block %b %one %one\n%s", "%block %b %one %one %one\n%s");
    assert_eq!(refusals(&sized, &environment), ["OPERAND_TYPE"]);
    let pointed = text("%q", "%one")
        .replace("%void %fp_char\n%block =", "%void %fp_char %fp_char\n%block =")
        .replace(
            "OpFunctionParameter %fp_char\n",
            "OpFunctionParameter %fp_char\n%local = OpFunctionParameter %fp_char\n",
        );
    assert_eq!(refusals(&pointed, &environment), ["OPERAND_TYPE"]);
    let mut without = Environment::device();
    without.switch("core:device_enqueue", false).unwrap();
    let refused = refusals(&text("%q", "%one"), &without);
    assert!(
        refused.contains(&"CAPABILITY") && refused.contains(&"INSTRUCTION_CAPABILITY"),
        "{refused:?}"
    );
}
