//! Programs that are whole.
//!
//! By the rules of C, a function without `static` may be called from elsewhere: clang's optimizer keeps it after every call of it is inlined, and
//! whether or not there is one, and its back end writes it. A large program that is a library of functions and a few kernels (hashcat's are
//! 150 functions around five kernels) takes clang half a minute. Given to `clBuildProgram`, a program is whole, and the host names only kernels. So
//! its other functions can be made internal, as `static` would, between clang's front end and its optimizer, where they are lines of text:
//!
//! ```text
//! define spir_func i32 @f(i32 noundef %0) #0 {
//! ```
//!
//! That needs clang twice. A small program is sooner done in one run.

/// From this length on a source is taken to be worth a second run of clang. (A run costs some 45 ms, whatever it does.)
const LARGE: usize = 16 << 10;

/// Would a program with these texts gain by it? What it includes from files isn't seen here; small things are seldom in files of their own.
pub fn is_large<'a>(mut texts: impl Iterator<Item = &'a [u8]> + Clone) -> bool {
    let length: usize = texts.clone().map(<[u8]>::len).sum();
    length >= LARGE || texts.any(|text| text.windows(8).any(|window| window == b"#include"))
}

/// A module in LLVM's textual form whose functions are internal, but for kernels and for those whose linkage says something else.
pub fn internal(module: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(module.len() + module.len() / 64);
    for line in module.split_inclusive(|&byte| byte == b'\n') {
        let function = [
            &b"define spir_func "[..],
            b"define dso_local spir_func ",
            b"define hidden spir_func ",
        ]
        .into_iter()
        .find_map(|start| line.strip_prefix(start));
        match function {
            Some(rest) => text.extend([b"define internal spir_func ", rest].concat()),
            None => text.extend_from_slice(line),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_become_internal_and_kernels_stay() {
        let module = b"define spir_func i32 @f(i32 %0) {\nret i32 %0 }\ndefine dso_local spir_func void @g() {\n\
                       define spir_kernel void @k() {\ndefine linkonce_odr spir_func void @h() {\ndeclare spir_func void @d()";
        let expected = "define internal spir_func i32 @f(i32 %0) {\nret i32 %0 }\ndefine internal spir_func void @g() {\n\
                        define spir_kernel void @k() {\ndefine linkonce_odr spir_func void @h() {\ndeclare spir_func void @d()";
        assert_eq!(String::from_utf8(internal(module)).unwrap(), expected);
    }
}
