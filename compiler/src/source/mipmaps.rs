//! Reads and writes of mip levels (OpenCL C, section "Mipmapped Image Reads and Queries").
//!
//! clang 22's SPIR-V back end knows the functions that take a level of detail, or gradients, by their names alone, and drops what makes them
//! different. So where a program has calls with so many arguments, these get names of our own, which lowering knows (`lower::import`).

use std::fmt::Write;

const READS: [(&str, &str); 3] = [("read_imagef", "float4"), ("read_imagei", "int4"), ("read_imageui", "uint4")];
const WRITES: [(&str, &str); 3] = [("write_imagef", "float4"), ("write_imagei", "int4"), ("write_imageui", "uint4")];

/// An image type, the dimensions of its coordinates and of gradients, and the macro that says that there is such a type.
const IMAGES: [(&str, u8, u8, Option<&str>); 7] = [
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

/// Declares the functions, and gives calls their names.
pub fn declare(prelude: &mut String) {
    let attributes = "__attribute__((overloadable))";
    let mut text = String::from("#ifdef cl_khr_mipmap_image\n#define __brolga_sixth(_1, _2, _3, _4, _5, name, ...) name\n");
    let vector = |element: &str, count: u8| match count {
        1 => element.to_string(),
        _ => format!("{element}{count}"),
    };
    let guarded = |text: &mut String, guards: &[&str], line: String| {
        let ends = "#endif\n".repeat(guards.len());
        let starts: String = guards.iter().map(|guard| format!("#ifdef {guard}\n")).collect();
        let _ = write!(text, "{starts}{line}\n{ends}");
    };
    for (name, ty) in READS {
        for (image, coordinates, gradients, guard) in IMAGES {
            let ty = match guard {
                Some(_) if ty != "float4" => continue,
                Some(_) => "float",
                None => ty,
            };
            let (coordinates, gradient) = (vector("float", coordinates), vector("float", gradients));
            let head = format!("{ty} {attributes} __attribute__((pure)) __brolga_{name}(read_only {image}, sampler_t, {coordinates}");
            guarded(
                &mut text,
                guard.as_slice(),
                format!("{head}, float);\n{head}, {gradient}, {gradient});"),
            );
        }
        let longer = format!("__brolga_{name}");
        let _ = writeln!(
            text,
            "#define {name}(...) __brolga_sixth(__VA_ARGS__, {longer}, {longer}, {name}, {name}, {name})(__VA_ARGS__)"
        );
    }
    text.push_str("#ifdef cl_khr_mipmap_image_writes\n");
    for (name, ty) in WRITES {
        for (image, coordinates, _, guard) in IMAGES {
            let ty = match guard {
                Some(_) if ty != "float4" => continue,
                Some(_) => "float",
                None => ty,
            };
            let coordinates = vector("int", coordinates);
            let volume = (image == "image3d_t").then_some("cl_khr_3d_image_writes");
            for (access, access_guard) in [("write_only", None), ("read_write", Some("__opencl_c_read_write_images"))] {
                let line = format!("void {attributes} __brolga_{name}({access} {image}, {coordinates}, int, {ty});");
                let guards: Vec<&str> = [guard, volume, access_guard].into_iter().flatten().collect();
                guarded(&mut text, &guards, line);
            }
        }
        let _ = writeln!(
            text,
            "#define {name}(...) __brolga_sixth(__VA_ARGS__, {name}, __brolga_{name}, {name}, {name}, {name})(__VA_ARGS__)"
        );
    }
    text.push_str("#endif\n#endif\n");
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
