//! A trace as a host program in C.

use super::trace::{Argument, Kind, Memory, Trace};
use std::fmt::Write as _;

/// What is the same for all.
const HOST: &str = include_str!("host.c");

/// The program's text.
pub fn program(trace: &Trace) -> String {
    let mut text = format!("{HOST}\nint main(int count, char **arguments) {{\n    begin(count > 1 ? atoi(arguments[1]) : 0);\n");
    for (number, program) in trace.programs.iter().enumerate() {
        let creates: Vec<String> = program
            .files
            .iter()
            .map(|file| format!("create({}, {})", string(file.as_bytes()), u8::from(program.is_il)))
            .collect();
        let options = string(program.options.as_bytes());
        let _ = match &creates[..] {
            [create] => {
                let _ = writeln!(text, "    cl_program program{number} = {create};");
                for (id, value) in &program.constants {
                    let (bytes, value) = (value.len(), string(value));
                    let set = format!("clSetProgramSpecializationConstant(program{number}, {id}, {bytes}, {value})");
                    let _ = writeln!(text, "    check({set}, \"clSetProgramSpecializationConstant\");");
                }
                writeln!(text, "    build(program{number}, {options});")
            }
            _ => {
                let (count, all) = (creates.len(), creates.join(", "));
                writeln!(
                    text,
                    "    cl_program program{number} = link_all({count}, (cl_program[]){{{all}}}, {options});"
                )
            }
        };
    }
    for (number, Memory { bytes, kind }) in &trace.memories {
        let make = match kind {
            Kind::Buffer(flags) => format!("make({bytes}, {flags})"),
            Kind::Shared => format!("make_shared({bytes})"),
            Kind::Image(flags, image) => {
                let [x, y, z] = image.region;
                format!(
                    "make_image({bytes}, {flags}, {}, {}, {}, {x}, {y}, {z})",
                    image.kind, image.order, image.data_type
                )
            }
        };
        let _ = writeln!(text, "    struct memory memory{number} = {make};");
    }
    for (number, launch) in trace.launches.iter().enumerate() {
        let _ = writeln!(text, "    {{ /* launch {number} */");
        for (memory, name) in &launch.set {
            let _ = writeln!(text, "        set(&memory{memory}, \"{name}\");");
        }
        let kernel = string(launch.kernel.as_bytes());
        let _ = writeln!(text, "        cl_kernel kernel = kernel_of(program{}, {kernel});", launch.program);
        for (index, argument) in &launch.arguments {
            let set = match argument {
                Argument::Buffer { memory, origin, bytes } => format!("buffer(kernel, {index}, &memory{memory}, {origin}, {bytes})"),
                Argument::Pointer { memory, origin } => format!("pointer(kernel, {index}, &memory{memory}, {origin})"),
                Argument::Image { memory } => format!("argument(kernel, {index}, sizeof(cl_mem), &memory{memory}.buffer)"),
                Argument::Sampler([normalized, addressing, filter]) => {
                    format!("sampler(kernel, {index}, {normalized}, {addressing}, {filter})")
                }
                Argument::Value(bytes, pointers) if pointers.is_empty() => {
                    format!("argument(kernel, {index}, {}, {})", bytes.len(), string(bytes))
                }
                Argument::Value(bytes, pointers) => {
                    let mut set = format!("char value{index}[] = {}", string(bytes));
                    for [offset, memory, origin] in pointers {
                        let _ = write!(set, "; inside(value{index} + {offset}, &memory{memory}, {origin})");
                    }
                    set + &format!("; argument(kernel, {index}, {}, value{index})", bytes.len())
                }
                Argument::Local(bytes) => format!("argument(kernel, {index}, {bytes}, NULL)"),
                Argument::Null => format!("argument(kernel, {index}, sizeof(cl_mem), NULL)"),
            };
            let _ = writeln!(text, "        {set};");
        }
        let list = |[x, y, z]: [usize; 3]| format!("(size_t[]){{{x}, {y}, {z}}}");
        let local = if launch.local == [0; 3] {
            "NULL".to_owned()
        } else {
            list(launch.local)
        };
        let (dimensions, global, offset) = (launch.dimensions, list(launch.global), list(launch.offset));
        let _ = writeln!(text, "        launch(kernel, {dimensions}, {global}, {local}, {offset});");
        for (memory, name) in &launch.after {
            let _ = writeln!(text, "        after(&memory{memory}, {kernel}, {memory}, \"{name}\");");
        }
        text += "    }\n";
    }
    text += "    printf(\"%d launches, %d buffers not as recorded\\n\", number, faults);\n    return faults != 0;\n}\n";
    text
}

/// A string of C. Octal escapes end after three digits, whatever follows.
fn string(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => text.extend(['\\', byte.into()]),
            b' '..=b'~' if byte != b'?' => text.push(byte.into()),
            byte => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text + "\""
}

#[cfg(test)]
mod tests {
    #[test]
    fn strings_hold_any_bytes() {
        assert_eq!(super::string(b"a\"\\\x001\xff"), "\"a\\\"\\\\\\0001\\377\"");
    }
}
