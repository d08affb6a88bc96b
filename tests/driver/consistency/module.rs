//! Modules with one kernel, `k(global uint *out)`, of which a case says the part that it is about.

/// A module, and what its kernel leaves in the first word of `out`.
#[derive(Clone, Debug)]
pub struct Module {
    minor: u32,
    capabilities: Vec<String>,
    extensions: Vec<String>,
    imports: Vec<String>,
    annotations: Vec<String>,
    types: Vec<String>,
    control: &'static str,
    body: String,
    declarations: Vec<String>,
    functions: Vec<String>,
    pub expected: u32,
}

/// Declared in every module.
const DECLARATIONS: &str = "\
%void = OpTypeVoid
%bool = OpTypeBool
%int = OpTypeInt 32 0
%float = OpTypeFloat 32
%int2 = OpTypeVector %int 2
%int4 = OpTypeVector %int 4
%gp_int = OpTypePointer CrossWorkgroup %int
%gp_float = OpTypePointer CrossWorkgroup %float
%lp_int = OpTypePointer Workgroup %int
%lp_float = OpTypePointer Workgroup %float
%zero = OpConstant %int 0
%one = OpConstant %int 1
%two = OpConstant %int 2
%three = OpConstant %int 3
%four = OpConstant %int 4
%five = OpConstant %int 5
%seven = OpConstant %int 7
%answer = OpConstant %int 42
%f2 = OpConstant %float 2
%true = OpConstantTrue %bool
%sevens = OpConstantComposite %int2 %seven %seven
%sevens4 = OpConstantComposite %int4 %seven %seven %seven %seven
%acquire = OpConstant %int 514
%acq_rel = OpConstant %int 520
%seq_cst = OpConstant %int 528
%local_int = OpVariable %lp_int Workgroup
%local_float = OpVariable %lp_float Workgroup
";

impl Module {
    pub fn new() -> Module {
        Module {
            minor: 0,
            capabilities: Vec::new(),
            extensions: Vec::new(),
            imports: Vec::new(),
            annotations: Vec::new(),
            types: Vec::new(),
            control: "None",
            body: "OpStore %out %answer Aligned 4".into(),
            declarations: Vec::new(),
            functions: Vec::new(),
            expected: 42,
        }
    }

    pub fn version(mut self, minor: u32) -> Module {
        self.minor = minor;
        self
    }

    pub fn capability(mut self, name: &str) -> Module {
        self.capabilities.push(name.into());
        self
    }

    pub fn extension(mut self, name: &str) -> Module {
        self.extensions.push(name.into());
        self
    }

    pub fn import(mut self, name: &str) -> Module {
        self.imports.push(name.into());
        self
    }

    pub fn annotation(mut self, line: &str) -> Module {
        self.annotations.push(line.into());
        self
    }

    pub fn types(mut self, lines: &str) -> Module {
        self.types.push(lines.into());
        self
    }

    /// Declares `%built_in`, a built-in function of OpenCL C by its mangled name.
    pub fn built_in(mut self, symbol: &str, result: &str, parameters: &[&str]) -> Module {
        self.declarations
            .push(format!("%built_in = OpFunction {result} None %built_in_type\n"));
        for (number, ty) in parameters.iter().enumerate() {
            self.declarations.push(format!("%parameter{number} = OpFunctionParameter {ty}\n"));
        }
        self.declarations.push("OpFunctionEnd\n".into());
        self.capability("Linkage")
            .annotation(&format!("OpDecorate %built_in LinkageAttributes \"{symbol}\" Import"))
            .types(&format!("%built_in_type = OpTypeFunction {result} {}", parameters.join(" ")))
    }

    /// A second kernel, with one parameter, `%argument`; nobody launches it.
    pub fn second_kernel(mut self, parameter: &str, body: &str) -> Module {
        self.annotations.insert(0, "OpEntryPoint Kernel %second \"second\"".into());
        self.types(&format!("%second_type = OpTypeFunction %void {parameter}"))
            .function(&format!(
                "%second = OpFunction %void None %second_type\n%argument = OpFunctionParameter {parameter}\n%start = OpLabel\n\
             {body}\nOpReturn\nOpFunctionEnd\n"
            ))
    }

    /// A function that nobody calls.
    pub fn function(mut self, lines: &str) -> Module {
        self.functions.push(lines.into());
        self
    }

    /// The capabilities and extensions that it declares.
    pub fn needs(&self) -> impl Iterator<Item = &str> {
        self.capabilities.iter().chain(&self.extensions).map(String::as_str)
    }

    pub fn control(mut self, control: &'static str) -> Module {
        self.control = control;
        self
    }

    /// The kernel's body: what it computes as `%r`, an integer, is stored.
    pub fn gives(mut self, body: &str, expected: u32) -> Module {
        self.body = format!("{body}\nOpStore %out %r Aligned 4");
        self.expected = expected;
        self
    }

    /// The kernel's body, which does itself what is to be seen.
    pub fn does(mut self, body: &str, expected: u32) -> Module {
        self.body = body.into();
        self.expected = expected;
        self
    }

    pub fn text(&self) -> String {
        let mut text = format!("; Version: 1.{}\nOpCapability Kernel\nOpCapability Addresses\n", self.minor);
        for name in &self.capabilities {
            text += &format!("OpCapability {name}\n");
        }
        for name in &self.extensions {
            text += &format!("OpExtension \"{name}\"\n");
        }
        for (number, name) in self.imports.iter().enumerate() {
            text += &format!("%set{number} = OpExtInstImport \"{name}\"\n");
        }
        let interface = if self.minor >= 4 { " %local_int %local_float" } else { "" };
        text += &format!("OpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %k \"k\"{interface}\n");
        for line in &self.annotations {
            text += &format!("{line}\n");
        }
        text += DECLARATIONS;
        for lines in &self.types {
            text += &format!("{lines}\n");
        }
        text += "%k_type = OpTypeFunction %void %gp_int\n";
        text += &self.declarations.concat();
        text += &format!(
            "%k = OpFunction %void {} %k_type\n%out = OpFunctionParameter %gp_int\n%entry = OpLabel\n",
            self.control
        );
        text + &self.body + "\nOpReturn\nOpFunctionEnd\n" + &self.functions.concat()
    }
}
