//! Which front end compiles a program: our own, or clang.

use super::{Compiled, SourceRequest, compile_by_clang, own, source_error};
use interface::BuildError;
use once_cell::race::OnceBox;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What `BROLGA_FRONTEND` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frontend {
    /// `auto`, or nothing: our own, and clang where our own refuses a program and there is clang.
    Auto,
    /// `own`: our own, and no other.
    Own,
    /// `clang`: clang, and no other.
    Clang,
}

impl Frontend {
    /// What is asked for. The variable is read once a process.
    pub fn chosen() -> Frontend {
        static CHOSEN: OnceBox<Frontend> = OnceBox::new();
        *CHOSEN.get_or_init(|| {
            let value = std::env::var("BROLGA_FRONTEND").unwrap_or_default();
            Box::new(Frontend::named(&value).unwrap_or_else(|| {
                debug::complain(format_args!("BROLGA_FRONTEND={value} is none of auto, own, clang; taken as auto"));
                Frontend::Auto
            }))
        })
    }

    fn named(value: &str) -> Option<Frontend> {
        match value {
            "" | "auto" => Some(Frontend::Auto),
            "own" => Some(Frontend::Own),
            "clang" => Some(Frontend::Clang),
            _ => None,
        }
    }
}

/// How many programs our own front end refused and clang took.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// How many programs our own front end has refused in this process that clang took. Each is a defect of ours.
pub fn refused_by_own() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

/// Compiles a program by the front end that is asked for. C++ for OpenCL is clang's.
pub(super) fn compile(request: &SourceRequest, frontend: Frontend) -> Result<Compiled, BuildError> {
    let is_cpp = request.options.standard.is_cpp();
    match frontend {
        Frontend::Own if is_cpp => Err(source_error(
            "error: C++ for OpenCL is compiled by clang, and BROLGA_FRONTEND=own is set\n".to_owned(),
        )),
        Frontend::Own => own::compile(request),
        Frontend::Clang => compile_by_clang(request),
        Frontend::Auto if is_cpp => compile_by_clang(request),
        Frontend::Auto => own::compile(request).or_else(|refusal| {
            let reason = refusal
                .log
                .lines()
                .find(|line| line.contains("error: "))
                .unwrap_or_default()
                .to_owned();
            // What both refuse is refused in our own words.
            instead_of_own(request, &reason).map_err(|_| refusal)
        }),
    }
}

/// Compiles a program by clang, after our own front end has failed on it. Nobody hears of it but who asks with `BROLGA_DEBUG=frontend`.
pub(super) fn instead_of_own(request: &SourceRequest, reason: &str) -> Result<Compiled, BuildError> {
    if Frontend::chosen() == Frontend::Own {
        return Err(source_error(format!("{reason}\n")));
    }
    let compiled = compile_by_clang(request)?;
    REFUSED.fetch_add(1, Ordering::Relaxed);
    debug::show("frontend", "clang took what our own front end refused", || reason.to_owned());
    Ok(compiled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_has_three_values() {
        for (text, meaning) in [
            ("", Some(Frontend::Auto)),
            ("auto", Some(Frontend::Auto)),
            ("own", Some(Frontend::Own)),
            ("clang", Some(Frontend::Clang)),
            ("gcc", None),
        ] {
            assert_eq!(Frontend::named(text), meaning);
        }
    }
}
