//! A program that calls every overload of every function: what tests compile, and compare with what another compiler makes of it.

use super::{Builtins, Candidate, all_names, row};
use crate::options::CompileOptions;
use crate::types::{Access, ImageDim, Quals, TypeId, TypeKind, Types};
use std::fmt::Write;

/// A function for each overload that there is for these options, in OpenCL C. Each has the overload's parameters, and calls it. `wanted` chooses names.
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
    let mut count = 0;
    for name in names.iter().filter(|name| wanted(name)) {
        for candidate in builtins.lookup(name, &mut types).iter() {
            if candidate.variadic || name.starts_with("__") || matches!(candidate.id.emit(), row::Emit::Refused(_)) {
                continue;
            }
            call(&mut text, name, candidate, count, &types);
            count += 1;
        }
    }
    text
}

fn call(text: &mut String, name: &str, candidate: &Candidate, count: usize, types: &Types) {
    let result = type_text(candidate.result, types);
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
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
        TypeKind::Pipe(_, access) => format!("{} pipe int", access_text(access)),
        TypeKind::Image(image) => {
            let dim = match image.dim {
                ImageDim::D1 => "1d",
                ImageDim::D1Buffer => "1d_buffer",
                ImageDim::D1Array => "1d_array",
                ImageDim::D2 => "2d",
                ImageDim::D2Array => "2d_array",
                ImageDim::D3 => "3d",
            };
            let depth = if image.depth { "_depth" } else { "" };
            let msaa = if image.msaa { "_msaa" } else { "" };
            format!("{} image{dim}{msaa}{depth}_t", access_text(image.access))
        }
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
