//! A program that calls every overload of every function: what tests compile, and compare with what another compiler makes of it.

use super::row::{self, Emit};
use super::{Builtins, Candidate, all_names};
use crate::options::CompileOptions;
use crate::types::{Access, AddressSpace, Quals, TypeId, TypeKind, Types};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How many functions a kernel calls.
const CALLS: usize = 64;

/// A function for each overload that there is for these options, in OpenCL C. Each has the overload's parameters, and calls it; kernels call the functions,
/// so that all of them are compiled to the end. `wanted` chooses names.
pub fn program(options: &CompileOptions, wanted: impl Fn(&str) -> bool) -> String {
    let mut builtins = Builtins::new(options);
    let mut types = Types::new();
    let mut names: Vec<String> = all_names().into_iter().map(String::from).collect();
    for to in row::NUMBERS {
        for lanes in ["", "2", "3", "4", "8", "16"] {
            for saturation in ["", "_sat"] {
                for mode in ["", "_rte", "_rtz", "_rtp", "_rtn"] {
                    names.push(format!("convert_{}{lanes}{saturation}{mode}", to.name()));
                }
            }
        }
    }
    let mut text = String::new();
    let mut kernel = Kernel::default();
    let mut count = 0;
    for name in names.iter().filter(|name| wanted(name)) {
        for candidate in builtins.lookup(name, &mut types).iter() {
            if candidate.variadic || name.starts_with("__") {
                continue;
            }
            // Products of matrices by sub-groups say how large these are: some say 8, and others 16.
            let alone = candidate
                .id
                .row()
                .is_some_and(|row| matches!(row.emit, Emit::MatrixMad(..) | Emit::SplitMatrixMad(..)));
            if alone {
                kernel.write(&mut text, count);
            }
            let passed = call(&mut text, name, candidate, count, &types);
            kernel.call(count, &passed, &types);
            count += 1;
            if alone || count % CALLS == 0 {
                kernel.write(&mut text, count);
            }
        }
    }
    kernel.write(&mut text, count);
    text
}

/// A kernel that calls functions.
#[derive(Default)]
struct Kernel {
    /// Images and pipes, of which a kernel has only those that it is given.
    parameters: BTreeSet<String>,
    calls: String,
}

impl Kernel {
    /// Adds a call of a function with parameters of these types.
    fn call(&mut self, count: usize, passed: &[TypeId], types: &Types) {
        let arguments: Vec<String> = passed.iter().map(|&ty| self.argument(ty, types)).collect();
        _ = writeln!(self.calls, "    f{count}({});", arguments.join(", "));
    }

    /// Something of a type.
    fn argument(&mut self, ty: TypeId, types: &Types) -> String {
        let name = type_text(ty, types);
        match *types.kind(ty) {
            TypeKind::Pointer(pointee) if pointee.id == TypeId::EVENT && pointee.space == AddressSpace::Private => "&event".to_owned(),
            TypeKind::Pointer(pointee) => {
                let from = match pointee.space {
                    AddressSpace::Local => "l",
                    AddressSpace::Constant => "c",
                    AddressSpace::Private => "own",
                    AddressSpace::Global | AddressSpace::Generic => "g",
                };
                format!("({name}){from}")
            }
            TypeKind::Image(_) | TypeKind::Pipe(..) => {
                let parameter = name.replace(' ', "_");
                self.parameters.insert(format!("{name} {parameter}"));
                parameter
            }
            TypeKind::Sampler => "s".to_owned(),
            TypeKind::Event => "event".to_owned(),
            TypeKind::ReserveId => "CLK_NULL_RESERVE_ID".to_owned(),
            TypeKind::Queue => "get_default_queue()".to_owned(),
            TypeKind::ClkEvent => "create_user_event()".to_owned(),
            _ => format!("*(global {name} *)g"),
        }
    }

    /// Writes the kernel, if it has calls, and begins another.
    fn write(&mut self, text: &mut String, count: usize) {
        let Kernel { parameters, calls } = std::mem::take(self);
        if calls.is_empty() {
            return;
        }
        let more: String = parameters.iter().map(|parameter| format!(", {parameter}")).collect();
        _ = writeln!(
            text,
            "kernel void k{count}(global char *g, constant char *c, local char *l, sampler_t s{more}) {{\n    long own[16];\n    event_t event = 0;\n{calls}}}"
        );
    }
}

/// Writes a function that calls an overload. Gives the types of its parameters.
fn call(text: &mut String, name: &str, candidate: &Candidate, count: usize, types: &Types) -> Vec<TypeId> {
    let result = type_text(candidate.result, types);
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
    let mut passed = Vec::new();
    let words: Vec<&str> = match candidate.id.row() {
        Some(row) => row
            .signature
            .split_once('(')
            .map_or("", |(_, rest)| rest)
            .split(',')
            .map(|word| word.trim_matches([' ', ')']))
            .collect(),
        None => Vec::new(),
    };
    for (index, &param) in candidate.params.iter().enumerate() {
        let constant = match words.get(index).copied() {
            Some("memory_order") => "memory_order_seq_cst",
            Some("memory_scope") => "memory_scope_device",
            Some("cl_mem_fence_flags") => "CLK_LOCAL_MEM_FENCE",
            Some("uint") if name.contains("clustered") => "4u",
            _ => {
                arguments.push(format!("p{index}"));
                parameters.push(format!("{} p{index}", type_text(param, types)));
                passed.push(param);
                continue;
            }
        };
        arguments.push(constant.to_owned());
    }
    let give = if candidate.result == TypeId::VOID { "" } else { "return " };
    let _ = writeln!(
        text,
        "{result} f{count}({}) {{ {give}{name}({}); }}",
        parameters.join(", "),
        arguments.join(", ")
    );
    passed
}

/// A type as a program writes it.
fn type_text(id: TypeId, types: &Types) -> String {
    match *types.kind(id) {
        TypeKind::Void => "void".into(),
        TypeKind::Scalar(scalar) => scalar.name().into(),
        TypeKind::Vector(scalar, lanes) => format!("{}{lanes}", scalar.name()),
        TypeKind::Pointer(pointee) => {
            let mut words = vec![pointee.space.name().to_owned()];
            if pointee.quals.contains(Quals::CONST) {
                words.push("const".into());
            }
            if pointee.quals.contains(Quals::VOLATILE) {
                words.push("volatile".into());
            }
            words.push(type_text(pointee.id, types));
            format!("{} *", words.join(" "))
        }
        TypeKind::Atomic(inner) => format!("atomic_{}", type_text(inner, types)),
        TypeKind::Sampler => "sampler_t".into(),
        TypeKind::Event => "event_t".into(),
        TypeKind::ReserveId => "reserve_id_t".into(),
        TypeKind::Queue => "queue_t".into(),
        TypeKind::ClkEvent => "clk_event_t".into(),
        TypeKind::Record(_) if id == TypeId::NDRANGE => "ndrange_t".into(),
        TypeKind::Pipe(_, access) => format!("{} pipe int", access_text(access)),
        TypeKind::Image(image) => format!("{} {}", access_text(image.access), image.name()),
        _ => "int".into(),
    }
}

fn access_text(access: Access) -> &'static str {
    match access {
        Access::ReadOnly => "read_only",
        Access::WriteOnly => "write_only",
        Access::ReadWrite => "read_write",
    }
}
