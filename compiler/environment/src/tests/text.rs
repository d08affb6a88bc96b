//! Modules of one kernel as text: what a test is about, among declarations of everything that it may need.

use crate::{Environment, validate};
use spirv::{assemble, parse};

/// A kernel `k` and what it declares; `%p` is its parameter, if it has one.
#[derive(Clone, Debug)]
pub struct Kernel {
    version: String,
    capabilities: Vec<String>,
    extensions: Vec<String>,
    annotations: Vec<String>,
    parameter: Option<String>,
    import: bool,
    beside: String,
    body: String,
}

/// Types that a text may mention: name and declaration. Those that are mentioned (by others, too) are declared.
const TYPES: &[(&str, &str)] = &[
    ("%void", "OpTypeVoid"),
    ("%bool", "OpTypeBool"),
    ("%char", "OpTypeInt 8 0"),
    ("%short", "OpTypeInt 16 0"),
    ("%int", "OpTypeInt 32 0"),
    ("%long", "OpTypeInt 64 0"),
    ("%half", "OpTypeFloat 16"),
    ("%float", "OpTypeFloat 32"),
    ("%double", "OpTypeFloat 64"),
    ("%e4m3", "OpTypeFloat 8 Float8E4M3EXT"),
    ("%e5m2", "OpTypeFloat 8 Float8E5M2EXT"),
    ("%char16", "OpTypeVector %char 16"),
    ("%char4", "OpTypeVector %char 4"),
    ("%short2", "OpTypeVector %short 2"),
    ("%short4", "OpTypeVector %short 4"),
    ("%short8", "OpTypeVector %short 8"),
    ("%short16", "OpTypeVector %short 16"),
    ("%int2", "OpTypeVector %int 2"),
    ("%int3", "OpTypeVector %int 3"),
    ("%int4", "OpTypeVector %int 4"),
    ("%int8", "OpTypeVector %int 8"),
    ("%long2", "OpTypeVector %long 2"),
    ("%half2", "OpTypeVector %half 2"),
    ("%float2", "OpTypeVector %float 2"),
    ("%float4", "OpTypeVector %float 4"),
    ("%float8", "OpTypeVector %float 8"),
    ("%double2", "OpTypeVector %double 2"),
    ("%event", "OpTypeEvent"),
    ("%queue", "OpTypeQueue"),
    ("%device_event", "OpTypeDeviceEvent"),
    ("%fp_event", "OpTypePointer Function %device_event"),
    ("%fp_char", "OpTypePointer Function %char"),
    ("%range", "OpTypeStruct %int %long %long %long"),
    ("%sampler", "OpTypeSampler"),
    ("%image", "OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly"),
    ("%image_out", "OpTypeImage %void 2D 0 0 0 0 Unknown WriteOnly"),
    ("%image_both", "OpTypeImage %void 2D 0 0 0 0 Unknown ReadWrite"),
    ("%image_buffer", "OpTypeImage %void Buffer 0 0 0 0 Unknown ReadOnly"),
    ("%sampled", "OpTypeSampledImage %image"),
    ("%sampled_buffer", "OpTypeSampledImage %image_buffer"),
    ("%gp_char", "OpTypePointer CrossWorkgroup %char"),
    ("%gp_short", "OpTypePointer CrossWorkgroup %short"),
    ("%gp_int", "OpTypePointer CrossWorkgroup %int"),
    ("%gp_long", "OpTypePointer CrossWorkgroup %long"),
    ("%gp_half", "OpTypePointer CrossWorkgroup %half"),
    ("%gp_float", "OpTypePointer CrossWorkgroup %float"),
    ("%gp_double", "OpTypePointer CrossWorkgroup %double"),
    ("%lp_int", "OpTypePointer Workgroup %int"),
    ("%lp_half", "OpTypePointer Workgroup %half"),
    ("%lp_float", "OpTypePointer Workgroup %float"),
    ("%lp_double", "OpTypePointer Workgroup %double"),
    ("%cp_int", "OpTypePointer UniformConstant %int"),
    ("%fp_int", "OpTypePointer Function %int"),
    ("%generic_int", "OpTypePointer Generic %int"),
    ("%up", "OpTypeUntypedPointerKHR CrossWorkgroup"),
    ("%ul", "OpTypeUntypedPointerKHR Workgroup"),
    ("%uf", "OpTypeUntypedPointerKHR Function"),
    ("%pair", "OpTypeStruct %int %float"),
    ("%zero", "OpConstant %int 0"),
    ("%one", "OpConstant %int 1"),
    ("%two", "OpConstant %int 2"),
    ("%true", "OpConstantTrue %bool"),
    ("%four", "OpConstant %int 4"),
    ("%n8", "OpConstant %int 8"),
    ("%n16", "OpConstant %int 16"),
    ("%n32", "OpConstant %int 32"),
    ("%n64", "OpConstant %int 64"),
    ("%nowhere", "OpConstantNull %ul"),
    ("%nearest", "OpConstantSampler %sampler ClampToEdge 0 Nearest"),
    ("%zero_float", "OpConstant %float 0"),
    ("%middle", "OpConstantNull %float2"),
    ("%no_event", "OpConstantNull %event"),
    ("%no_local", "OpConstantNull %lp_int"),
    ("%zeros2", "OpConstantNull %int2"),
    ("%zero_long", "OpConstantNull %long"),
    ("%zerosf4", "OpConstantNull %float4"),
    ("%array", "OpTypeArray %int %two"),
    ("%cross_device", "OpConstant %int 0"),
    ("%device", "OpConstant %int 1"),
    ("%workgroup", "OpConstant %int 2"),
    ("%subgroup", "OpConstant %int 3"),
    ("%invocation", "OpConstant %int 4"),
    ("%queue_family", "OpConstant %int 5"),
    ("%acquire_release", "OpConstant %int 520"),
];

/// Types that ask for a capability.
const CAPABILITIES: &[(&str, &str)] = &[
    ("%char", "Int8"),
    ("%short", "Int16"),
    ("%long", "Int64"),
    ("%half", "Float16Buffer"),
    ("%double", "Float64"),
    ("%char16", "Vector16"),
    ("%short8", "Vector16"),
    ("%short16", "Vector16"),
    ("%int8", "Vector16"),
    ("%float8", "Vector16"),
    ("%image", "ImageBasic"),
    ("%image_out", "ImageBasic"),
    ("%image_both", "ImageBasic"),
    ("%image_both", "ImageReadWrite"),
    ("%image_buffer", "ImageBasic"),
    ("%image_buffer", "SampledBuffer"),
    ("%sampler", "ImageBasic"),
    ("%queue", "DeviceEnqueue"),
    ("%device_event", "DeviceEnqueue"),
    ("%generic_int", "GenericPointer"),
];

impl Kernel {
    pub fn new() -> Kernel {
        Kernel {
            version: "1.0".into(),
            capabilities: Vec::new(),
            extensions: Vec::new(),
            annotations: Vec::new(),
            parameter: None,
            import: false,
            beside: String::new(),
            body: String::new(),
        }
    }

    pub fn version(mut self, version: &str) -> Kernel {
        self.version = version.into();
        self
    }

    pub fn capability(mut self, name: &str) -> Kernel {
        self.capabilities.push(name.into());
        self
    }

    pub fn extension(mut self, name: &str) -> Kernel {
        self.extensions.push(name.into());
        self
    }

    /// With OpenCL.std, as `%std`.
    pub fn import(mut self) -> Kernel {
        self.import = true;
        self
    }

    /// Functions before the kernel.
    pub fn beside(mut self, functions: &str) -> Kernel {
        self.beside = functions.into();
        self
    }

    pub fn annotation(mut self, line: &str) -> Kernel {
        self.annotations.push(line.into());
        self
    }

    pub fn parameter(mut self, ty: &str) -> Kernel {
        self.parameter = Some(ty.into());
        self
    }

    pub fn body(&self, body: &str) -> Kernel {
        Kernel {
            body: body.into(),
            ..self.clone()
        }
    }

    /// The module.
    pub fn text(&self) -> String {
        let parameter = self.parameter.as_deref().unwrap_or("");
        let mentioned = mentioned(&format!("%void {parameter} {} {}", self.beside, self.body));
        let mut capabilities: Vec<&str> = vec!["Kernel", "Addresses"];
        capabilities.extend(self.capabilities.iter().map(String::as_str));
        for (ty, capability) in CAPABILITIES {
            if mentioned.contains(ty) && !capabilities.contains(capability) {
                capabilities.push(capability);
            }
        }
        let mut text = format!("; Version: {}\n", self.version);
        for capability in capabilities {
            text += &format!("OpCapability {capability}\n");
        }
        for extension in &self.extensions {
            text += &format!("OpExtension \"{extension}\"\n");
        }
        if self.import {
            text += "%std = OpExtInstImport \"OpenCL.std\"\n";
        }
        text += "OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"\n";
        for line in &self.annotations {
            text += &format!("{line}\n");
        }
        for (name, declaration) in TYPES.iter().filter(|(name, _)| mentioned.contains(name)) {
            text += &format!("{name} = {declaration}\n");
        }
        text += &format!(
            "%k_type = OpTypeFunction %void {parameter}\n{}%k = OpFunction %void None %k_type\n",
            self.beside
        );
        if self.parameter.is_some() {
            text += &format!("%p = OpFunctionParameter {parameter}\n");
        }
        text + "%entry = OpLabel\n" + &self.body + "\nOpReturn\nOpFunctionEnd\n"
    }
}

/// The declarations that a text mentions, and those that these mention.
fn mentioned(text: &str) -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    let mut open = vec![text.to_string()];
    while let Some(text) = open.pop() {
        for word in text.split_whitespace() {
            if let Some((name, declaration)) = TYPES.iter().find(|(name, _)| *name == word)
                && !found.contains(name)
            {
                found.push(name);
                open.push(declaration.to_string());
            }
        }
    }
    found
}

/// The names of the rules that a module breaks, each once.
pub fn refusals(text: &str, environment: &Environment) -> Vec<&'static str> {
    let bytes = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let binary = parse(&bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let diagnostics = validate(binary, environment, &[], true).err().unwrap_or_default();
    let mut rules: Vec<&'static str> = diagnostics.iter().map(|diagnostic| diagnostic.rule.id).collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}
