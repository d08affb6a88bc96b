//! The functions that are compiled together.

use super::CodeRequest;
use ir::{self, FuncRef, InstData};
use rustc_hash::FxHashMap;

/// Functions to compile, the kernel first; calls name them by their position.
pub struct Program<'a> {
    /// The functions.
    pub functions: Vec<&'a ir::Function>,
    /// Where each callee is among them.
    pub positions: FxHashMap<FuncRef, u32>,
}

impl<'a> Program<'a> {
    /// Finds the functions that the kernel reaches.
    pub fn reach(request: &CodeRequest<'a>) -> Result<Program<'a>, String> {
        let mut program = Program {
            functions: vec![request.entry],
            positions: FxHashMap::default(),
        };
        let mut next = 0;
        while next < program.functions.len() {
            let function = program.functions[next];
            next += 1;
            for &block in &function.layout {
                for &inst in &function.block(block).insts {
                    let InstData::Call { callee, .. } = function.inst(inst).data else {
                        continue;
                    };
                    if program.positions.contains_key(&callee) {
                        continue;
                    }
                    let body = (request.callees)(callee)
                        .ok_or_else(|| format!("function {} calls {callee}, which is not there", function.name))?;
                    program.positions.insert(callee, program.functions.len() as u32);
                    program.functions.push(body);
                }
            }
        }
        Ok(program)
    }
}

/// A kernel's parameters and result are what [`device::abi::KernelEntry`] says.
pub fn check_entry(func: &ir::Function, is_entry: bool) -> Result<(), String> {
    let params_fit = func.params().iter().map(|&param| func.ty(param)).eq([ir::Type::I64; 6]);
    match !is_entry || (params_fit && func.results[..] == [ir::Type::I32]) {
        true => Ok(()),
        false => Err(format!(
            "function {} does not have the parameters and the result of a kernel",
            func.name
        )),
    }
}
