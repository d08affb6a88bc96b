//! Reads and writes of mip levels (OpenCL C, section "Mipmapped Image Reads and Queries").
//!
//! clang 22's SPIR-V back end knows the functions that take a level of detail, or gradients, by their names alone, and drops what makes them
//! different. So where a program has calls with so many arguments, its reads and writes get names of our own, which lowering knows
//! (`lower::import`).

use std::fmt::Write;

const READS: [(&str, &str); 3] = [("read_imagef", "float4"), ("read_imagei", "int4"), ("read_imageui", "uint4")];
const WRITES: [(&str, &str); 3] = [("write_imagef", "float4"), ("write_imagei", "int4"), ("write_imageui", "uint4")];

/// An image type, the dimensions of its coordinates and of gradients (0 without levels), and the macro that says that there is such a type.
const IMAGES: [(&str, u8, u8, Option<&str>); 8] = [
    ("image1d_buffer_t", 1, 0, None),
    ("image1d_t", 1, 1, None),
    ("image2d_t", 2, 2, None),
    ("image3d_t", 4, 4, None),
    ("image1d_array_t", 2, 1, None),
    ("image2d_array_t", 4, 2, None),
    ("image2d_depth_t", 2, 2, Some("cl_khr_depth_images")),
    ("image2d_array_depth_t", 4, 2, Some("cl_khr_depth_images")),
];

/// Could a text read or write mip levels?
pub fn are_used(text: &[u8]) -> bool {
    // Macros of the program may hide its calls, but a program that knows of mipmaps says so.
    let names = READS.iter().chain(&WRITES).any(|(name, _)| has_longer_call(text, name));
    names || text.windows(6).any(|window| window.eq_ignore_ascii_case(b"mipmap"))
}

/// Is a function called with more than three arguments?
fn has_longer_call(text: &[u8], name: &str) -> bool {
    let calls = text
        .windows(name.len())
        .enumerate()
        .filter(|(_, window)| *window == name.as_bytes());
    calls.into_iter().any(|(at, _)| {
        let (mut depth, mut commas) = (0, 0);
        for &byte in &text[at + name.len()..] {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                b',' if depth == 1 => commas += 1,
                byte if depth == 0 && !byte.is_ascii_whitespace() => return false,
                _ => {}
            }
            if depth <= 0 && byte == b')' {
                break;
            }
        }
        commas > 2
    })
}

/// Declares the functions, and gives calls their names: all calls, since a macro can't tell how many arguments one has (`(int2){x, y}` is two to it).
pub fn declare(prelude: &mut String) {
    let mut text = String::from("#ifdef cl_khr_mipmap_image\n");
    let vector = |element: &str, count: u8| match count {
        1 => element.to_string(),
        _ => format!("{element}{count}"),
    };
    let mut declare = |guards: &[Option<&str>], function: String| {
        let guards = || guards.iter().flatten();
        let starts: String = guards().map(|guard| format!("#ifdef {guard}\n")).collect();
        let ends = "#endif\n".repeat(guards().count());
        let _ = write!(text, "{starts}__attribute__((overloadable)) {function};\n{ends}");
    };
    let written_too = Some("__opencl_c_read_write_images");
    for (image, coordinates, gradients, guard) in IMAGES {
        let [at, texel_at, gradient] = [("int", coordinates), ("float", coordinates), ("float", gradients)].map(|(ty, n)| vector(ty, n));
        let volume = (image == "image3d_t").then_some("cl_khr_3d_image_writes");
        for ((read, ty), (write, _)) in READS.into_iter().zip(WRITES) {
            let ty = match guard {
                Some(_) if ty != "float4" => continue,
                Some(_) => "float",
                None => ty,
            };
            let read = format!("__attribute__((pure)) {ty} __brolga_{read}");
            if gradients > 0 {
                for rest in [
                    at.clone(),
                    texel_at.clone(),
                    format!("{texel_at}, float"),
                    format!("{texel_at}, {gradient}, {gradient}"),
                ] {
                    declare(&[guard], format!("{read}(read_only {image}, sampler_t, {rest})"));
                }
            }
            declare(&[guard], format!("{read}(read_only {image}, {at})"));
            declare(&[guard, written_too], format!("{read}(read_write {image}, {at})"));
            for (access, access_guard) in [("write_only", None), ("read_write", written_too)] {
                let write = format!("void __brolga_{write}({access} {image}, {at}");
                declare(&[guard, volume, access_guard], format!("{write}, {ty})"));
                if gradients > 0 {
                    let levels = Some("cl_khr_mipmap_image_writes");
                    declare(&[guard, volume, access_guard, levels], format!("{write}, int, {ty})"));
                }
            }
        }
    }
    for (name, _) in READS.iter().chain(&WRITES) {
        let _ = writeln!(text, "#define {name} __brolga_{name}");
    }
    text.push_str("#endif\n");
    prelude.push_str(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_name_levels_are_told_apart() {
        let of = |text: &str| are_used(text.as_bytes());
        assert!(!of(
            "r = read_imagef(a, s, (float2)(x, y)); read_imagef(a, b); f(read_imagei(a, b, c), 1, 2, 3);"
        ));
        assert!(!of("#define f read_imagef\nwrite_imagef(a, (int2)(x, y), (float4)(1, 2, 3, 4));"));
        assert!(of("r = read_imagef (a, s, (float2)(x, y), 1.0f);"));
        assert!(of("write_imageui(a, (int2)(x, y), 1, c)"));
        assert!(of("#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable"));
    }
}
