//! What a kernel's declaration says of its arguments (`-cl-kernel-arg-info`), brought into SPIR-V.
//!
//! clang's SPIR-V back end drops the names of types and most qualifiers. Its LLVM output has them as metadata:
//!
//! ```text
//! define … spir_kernel void @k(…) … !kernel_arg_type !10 … !kernel_arg_type_qual !12 … {
//! !10 = !{!"float*", !"uint"}
//! ```
//!
//! They are appended to the module's OpString instructions in the form that the Khronos translator gives them, and that consumers know:
//! `kernel_arg_type.k.float*,uint,` and `kernel_arg_type_qual.k.const restrict,,`.

use std::collections::HashMap;

/// The two kinds of metadata that are carried over.
const KINDS: [&str; 2] = ["kernel_arg_type", "kernel_arg_type_qual"];

/// Adds the strings to a SPIR-V module made of the same source as `llvm`. Leaves the module alone where it makes no sense of either.
pub fn add_to(module: &mut Vec<u8>, llvm: &str, arguments: bool) {
    let strings = strings(llvm, arguments);
    let Some(place) = place_of_strings(module) else { return };
    let Some(bound) = word(module, 3) else { return };
    let mut words = Vec::new();
    for (id, text) in (bound..).zip(&strings) {
        // OpString, as in the SPIR-V specification §3.42.2: opcode 7, result id, literal.
        let literal = text.len() / 4 + 1;
        words.push(((literal as u32 + 2) << 16) | 7);
        words.push(id);
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize(literal * 4, 0);
        words.extend(
            bytes
                .chunks_exact(4)
                .map(|chunk| u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]])),
        );
    }
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    module.splice(place..place, bytes);
    module[12..16].copy_from_slice(&(bound + strings.len() as u32).to_le_bytes());
}

/// The strings of all kernels of a module in LLVM's textual form: of their arguments, if those are wanted; and which have a vec_type_hint of
/// an unsigned type, for SPIR-V's knows no signs: `vec_type_hint.k.unsigned,`.
fn strings(llvm: &str, arguments: bool) -> Vec<String> {
    let metadata: HashMap<&str, &str> = llvm.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = !")).collect();
    let mut strings = Vec::new();
    for line in llvm.lines().filter(|line| line.starts_with("define ")) {
        let Some(name) = line.split_once(" spir_kernel ").and_then(|(_, rest)| kernel_name(rest)) else {
            continue;
        };
        let node = |kind: &str| {
            let (_, rest) = line.split_once(&format!(" !{kind} !"))?;
            let number = rest.split(|c: char| !c.is_ascii_digit()).next()?;
            metadata.get(number).copied()
        };
        // `!{<4 x i32> poison, i32 0}`: a value of the type, and whether it is signed.
        if node("vec_type_hint").is_some_and(|hint| hint.ends_with(", i32 0}")) {
            strings.push(format!("vec_type_hint.{name}.unsigned,"));
        }
        for kind in KINDS.into_iter().filter(|_| arguments) {
            let Some(node) = node(kind) else { continue };
            let values = quoted(node);
            let list: String = values.iter().map(|value| format!("{value},")).collect();
            strings.push(format!("{kind}.{name}.{list}"));
        }
    }
    strings
}

/// `void @name(…` (OpenCL C names need no quotes).
fn kernel_name(rest: &str) -> Option<&str> {
    let (_, rest) = rest.split_once('@')?;
    rest.split_once('(').map(|(name, _)| name)
}

/// The strings of a node: `{!"float*", !"uint"}`. Special characters are `\xx`; no type name needs one.
fn quoted(node: &str) -> Vec<&str> {
    node.split("!\"")
        .skip(1)
        .filter_map(|part| part.split_once('"').map(|(text, _)| text))
        .collect()
}

/// Byte offset behind the last instruction of the module's first parts (capabilities … execution modes, strings, sources).
fn place_of_strings(module: &[u8]) -> Option<usize> {
    let mut position = 5;
    loop {
        let first = word(module, position)?;
        let (opcode, length) = (first & 0xffff, first >> 16);
        // OpSourceContinued 2, OpSource 3, OpSourceExtension 4, OpString 7, OpExtension 10, OpExtInstImport 11, OpMemoryModel 14,
        // OpEntryPoint 15, OpExecutionMode 16, OpCapability 17, OpExecutionModeId 331
        if !matches!(opcode, 2 | 3 | 4 | 7 | 10 | 11 | 14 | 15 | 16 | 17 | 331) || length == 0 {
            return Some(position * 4);
        }
        position += length as usize;
    }
}

fn word(module: &[u8], index: usize) -> Option<u32> {
    let bytes = module.get(index * 4..index * 4 + 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LLVM: &str = "define spir_kernel void @k(ptr %0) #0 !kernel_arg_access_qual !9 !kernel_arg_type !10 !kernel_arg_base_type !11 \
                        !kernel_arg_type_qual !12 !kernel_arg_name !13 {\n\
                        define spir_func void @f(ptr %0) !kernel_arg_type !10 {\n\
                        !10 = !{!\"float*\", !\"uint\"}\n!12 = !{!\"const restrict\", !\"\"}\n";

    #[test]
    fn metadata_is_read() {
        assert_eq!(
            strings(LLVM, true),
            ["kernel_arg_type.k.float*,uint,", "kernel_arg_type_qual.k.const restrict,,"]
        );
    }

    #[test]
    fn hints_have_signs() {
        let llvm = "define spir_kernel void @k(ptr %0) !kernel_arg_type !10 !vec_type_hint !12 {\n\
                    define spir_kernel void @s(ptr %0) !vec_type_hint !13 {\n\
                    !12 = !{<4 x i32> poison, i32 0}\n!13 = !{<4 x i32> poison, i32 1}\n";
        assert_eq!(strings(llvm, false), ["vec_type_hint.k.unsigned,"]);
    }

    #[test]
    fn strings_come_before_names() {
        // Header, OpCapability Kernel, OpMemoryModel, OpName.
        let words: [u32; 13] = [0x0723_0203, 0x10400, 0, 7, 0, 0x20011, 6, 0x3000e, 2, 2, 0x30005, 1, 0x6b];
        let mut module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        add_to(&mut module, LLVM, true);
        assert_eq!(word(&module, 3), Some(9));
        let first = word(&module, 10).unwrap();
        assert_eq!((first & 0xffff, word(&module, 11)), (7, Some(7)));
        let second = 10 + (first >> 16) as usize;
        assert_eq!(word(&module, second).unwrap() & 0xffff, 7);
        assert_eq!(
            word(&module, second + (word(&module, second).unwrap() >> 16) as usize),
            Some(0x30005)
        );
    }
}
