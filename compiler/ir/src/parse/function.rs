//! A function: its head, its slots, blocks and lines.

use super::Result;
use super::instruction::instruction;
use super::line::{Line, Lines};
use super::result_types::{Pending, declare_results};
use crate::*;
use cranelift_entity::EntityRef;
use std::collections::{HashMap, HashSet};

pub(super) fn function(line: &mut Line, lines: &mut Lines) -> Result<Function> {
    line.token("function")?;
    let level = line.read("`workitem`, `gang` or `workgroup`", |word| match word {
        "workitem" => Some(Level::WorkItem),
        "gang" => Some(Level::Gang),
        "workgroup" => Some(Level::WorkGroup),
        _ => None,
    })?;
    line.token("@")?;
    let head = line
        .rest
        .strip_suffix('{')
        .ok_or_else(|| line.expected("a name and `{`"))?
        .trim_end();
    let (name, results): (&str, TypeList) = match head.rsplit_once(" -> ") {
        Some((name, types)) => {
            line.rest = types;
            (name, line.list(Line::ty)?)
        }
        None => (head, TypeList::new()),
    };
    let mut func = Function::new(name, level, &results);
    let mut pending: Vec<Pending> = Vec::new();
    let mut defined: HashMap<Value, usize> = HashMap::new();
    let mut define = |value: Value, line: &Line| match defined.insert(value, line.number) {
        None => Ok(()),
        Some(other) => Err(line.error(format!("{value} is defined on line {other} already"))),
    };
    let mut blocks: HashSet<Block> = HashSet::new();
    let mut block = None;
    loop {
        let Some(mut line) = lines.next() else {
            return Err(lines.end("`}`"));
        };
        if line.eat("}") {
            line.finish()?;
            break;
        }
        if line.rest.starts_with("slot") && line.rest.contains(':') && block.is_none() {
            let slot: Slot = line.entity("slot")?;
            if slot.index() != func.slots.len() {
                return Err(line.error(format!("the next slot is slot{}", func.slots.len())));
            }
            line.token(":")?;
            let size = line.number("a size")?;
            line.token("align")?;
            let align = line.number("an alignment")?;
            func.slots.push(SlotData { size, align });
        } else if line.rest.starts_with("block") {
            let new: Block = line.entity("block")?;
            if !blocks.insert(new) {
                return Err(line.error(format!("{new} stands here twice")));
            }
            func.declare_block(new);
            func.block_mut(new).cold = line.eat("cold");
            if line.eat("(") {
                let params: Vec<(Value, Type)> = line.list(|line| {
                    let value = line.value()?;
                    define(value, line)?;
                    line.token(":")?;
                    Ok((value, line.ty()?))
                })?;
                line.token(")")?;
                params.into_iter().for_each(|(value, ty)| func.declare_param(new, value, ty));
            }
            line.token(":")?;
            block = Some(new);
        } else {
            let Some(block) = block else {
                return Err(line.expected("a block"));
            };
            let results = line.values_if_any()?;
            if !results.is_empty() {
                line.token("=")?;
            }
            results.iter().try_for_each(|&result| define(result, &line))?;
            let data = instruction(&mut line)?;
            let mut flags = Flags::empty();
            if line.eat("!") {
                let all: Vec<Flags> = line.list(|line| {
                    line.read("a flag", |word| {
                        Flags::NAMES.iter().find(|(_, name)| *name == word).map(|&(flag, _)| flag)
                    })
                })?;
                flags = all.into_iter().collect();
            }
            pending.push(Pending {
                line: line.number,
                inst: func.declare_inst(block, data, flags),
                results,
            });
        }
        line.finish()?;
    }
    for &block in &func.layout {
        for &param in &func.block(block).params {
            defined.remove(&param);
        }
    }
    declare_results(&mut func, pending, defined, &blocks)?;
    Ok(func)
}
