//! Runs passes on the files in `compiler/transform/filetests`.
//!
//! A file's first line names the passes: `; test: mem2reg dce`. Then comes a function (or a module, of which function 0 is meant), then,
//! as comments, what must become of it. `BROLGA_BLESS=1 cargo test` writes that part anew; look at the difference before committing it.

use super::*;
use cranelift_entity::EntityRef;
use ir::parse::{parse_function, parse_module};
use ir::verify::verify;
use std::path::Path;

fn apply(pass: &str, module: &Module, func: &mut Function) {
    match pass {
        "inline" => *func = inline::run(module, FuncRef::new(0), Inlining::WhatPays, |_| ()),
        "standard" => *func = standard(module, FuncRef::new(0), Inlining::WhatPays),
        "group" => passes::run(order::GROUP, func, &mut Context::new(None)),
        "expand_work_group_ops" => {
            let scratch = expand_work_group_ops::Scratch {
                offset: 64,
                max_items: 256,
            };
            expand_work_group_ops::run(func, scratch);
        }
        other => {
            let pass = registry::find(other).unwrap_or_else(|| panic!("there is no pass {other}"));
            assert!(!matches!(pass.run, passes::Run::Gang(_)), "{other} takes more than a function");
            passes::run_pass(pass, func, &mut Context::new(Some(module)));
        }
    }
}

fn run_file(path: &Path, bless: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let passes = text.lines().next().and_then(|line| line.strip_prefix("; test:"));
    let passes = passes.ok_or("the first line must name the passes: `; test: dce`")?;
    let module = match text.lines().any(|line| line.starts_with("fn0 =")) {
        true => parse_module(&text).map_err(|error| error.to_string())?,
        false => {
            let mut module = Module::default();
            module.functions.push(parse_function(&text).map_err(|error| error.to_string())?);
            module
        }
    };
    let mut func = module.functions[FuncRef::new(0)].clone();
    verify(&func, Some(&module)).map_err(|error| error.to_string())?;
    for pass in passes.split_whitespace() {
        apply(pass, &module, &mut func);
        verify(&func, Some(&module)).map_err(|error| format!("after {pass}: {error}\n{func}"))?;
    }
    let input: Vec<&str> = text.lines().take_while(|line| !line.starts_with("; function")).collect();
    let output: String = func.to_string().lines().map(|line| format!("; {line}\n")).collect();
    let wanted = format!("{}\n\n{output}", input.join("\n").trim_end());
    if text == wanted {
        Ok(())
    } else if bless {
        std::fs::write(path, wanted).map_err(|error| error.to_string())
    } else {
        Err(format!("the result is another now:\n{func}\n(BROLGA_BLESS=1 takes it as right)"))
    }
}

#[test]
fn files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let bless = std::env::var_os("BROLGA_BLESS").is_some();
    let mut failed = String::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&directory).expect("the directory with the tests") {
        let path = entry.expect("an entry of the directory").path();
        if path.extension().is_some_and(|extension| extension == "ir") {
            count += 1;
            if let Err(message) = run_file(&path, bless) {
                failed += &format!("{}: {message}\n\n", path.display());
            }
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
    assert!(count > 0, "no tests in {}", directory.display());
}
