//! Passes by name over the IR's text, under a launch: what `brolga opt` and the tests in files do.
//!
//! ```text
//! ; test: words dce; width 8; local 64 1 1; target avx512; launch cut-groups one=8:4
//! ```

use crate::{Context, Gang, Plan, Settings};
use analysis::no_wrap::NoWrap;
use analysis::{Flow, GangFacts, gang_shape};
use interface::{LaunchFacts, LocalSize};
use ir::parse::{parse_function, parse_module};
use ir::verify::verify;
use ir::{AliasSet, Function, Level, Module, VARIABLE_SETS};
use rustc_hash::FxHashMap;
use target::Machine;

/// The argument block's first so many pointers have alias sets of their own under `separate`.
const SEPARATE_ARGUMENTS: i32 = 8;

/// What is done to a text: passes, and the launch and the machine that code is made for.
#[derive(Clone, Debug)]
pub struct Script {
    /// Passes or lists, by name.
    pub passes: Vec<String>,
    /// Lanes of a gang; without, as many as suit the machine and the local size.
    pub width: Option<u32>,
    /// The launch.
    pub launch: LaunchFacts,
    /// Bytes of variables in local memory.
    pub local_bytes: u64,
    /// Buffers don't overlap.
    pub is_separate: bool,
    /// The machine; without, this one.
    pub machine: Option<Machine>,
}

/// What has become of a text.
#[derive(Debug)]
pub struct Outcome {
    /// The function.
    pub func: Function,
    /// What passes say beside the function: the gang's width, …
    pub notes: Vec<String>,
    /// For each pass or list, in order, whether it changed something.
    pub changed: Vec<(String, bool)>,
}

impl Default for Script {
    fn default() -> Script {
        Script {
            passes: Vec::new(),
            width: None,
            launch: LaunchFacts::usual([64, 1, 1]),
            local_bytes: 0,
            is_separate: false,
            machine: None,
        }
    }
}

impl Script {
    /// Reads what a file's first line says behind `; test:`. The error names the item that is not understood.
    pub fn parse(header: &str) -> Result<Script, String> {
        let mut script = Script::default();
        let mut items = header.split(';').map(str::trim);
        let passes = items.next().unwrap_or_default();
        script.passes = passes.split_whitespace().map(str::to_owned).collect();
        for item in items {
            let (key, value) = item.split_once(' ').unwrap_or((item, ""));
            script.set(key, value)?;
        }
        Ok(script)
    }

    /// The script in the first line of a text, if there is one.
    pub fn of_text(text: &str) -> Option<Result<Script, String>> {
        let header = text.lines().next()?.strip_prefix("; test:")?;
        Some(Script::parse(header))
    }

    /// `width 8`, `local 64 1 1` (or with commas), `target avx512`, `launch FACT…` (see [`Script::set_fact`]).
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let error = || format!("{key} {value:?} is not understood");
        match key {
            "width" => {
                let width = value.trim().parse().ok().filter(|width| analysis::WIDTHS.contains(width));
                self.width = Some(width.ok_or_else(|| format!("a gang has {:?} lanes, not {value:?}", analysis::WIDTHS))?);
            }
            "local" => {
                let sizes: Result<Vec<u64>, _> = value.split([' ', ',']).filter(|size| !size.is_empty()).map(str::parse).collect();
                let mut sizes = sizes.map_err(|_| error())?;
                sizes.resize(3, 1);
                self.launch.local_size = LocalSize::Exactly(sizes.try_into().map_err(|_| error())?);
            }
            "target" => {
                let machine = Machine::named(value.trim());
                self.machine = Some(machine.ok_or_else(|| {
                    let names: Vec<_> = target::names().collect();
                    format!("a target is one of {}, not {value:?}", names.join(", "))
                })?);
            }
            "launch" => value
                .split([' ', ','])
                .filter(|fact| !fact.is_empty())
                .try_for_each(|fact| self.set_fact(fact))?,
            _ => return Err(format!("{key:?} is not width, local, target or launch")),
        }
        Ok(())
    }

    /// `cut-groups`, `ends-overlap`, `offset`, `aligned-offset`, `large-ids`, `large-objects`, `groups-of-one`, `whole-groups`, `separate`, `stop`,
    /// `exchanged=DIMENSION`, `local-bytes=BYTES` of variables in local memory, `large=OFFSET` of a buffer in the argument block, `one=OFFSET:BYTES` of a number
    /// that is 1, `no-wrap=BITS` of the indices that do not wrap.
    fn set_fact(&mut self, fact: &str) -> Result<(), String> {
        let error = || format!("{fact:?} is not a fact of launches");
        let launch = &mut self.launch;
        match fact.split_once('=') {
            None => match fact {
                "cut-groups" => launch.full_groups = false,
                "ends-overlap" => launch.ends_overlap = [true; 3],
                "offset" => (launch.zero_offset, launch.aligned_offset) = (false, false),
                "aligned-offset" => launch.zero_offset = false,
                "large-ids" => launch.small_ids = false,
                "large-objects" => launch.small_objects = false,
                "groups-of-one" => launch.groups_of_one = true,
                "whole-groups" => launch.whole_groups = Some([0; 3]),
                "stop" => launch.stop_word = Some(0x1000),
                "separate" => {
                    launch.arguments.set_separate();
                    self.is_separate = true;
                }
                _ => return Err(error()),
            },
            Some(("local-bytes", bytes)) => self.local_bytes = bytes.parse().map_err(|_| error())?,
            Some(("exchanged", dimension)) => launch.exchanged = Some(dimension.parse().map_err(|_| error())?),
            Some(("large", offset)) => launch.arguments.add_large(offset.parse().map_err(|_| error())?),
            Some(("no-wrap", bits)) => launch.arguments.set_no_wrap(bits.parse().map_err(|_| error())?),
            Some(("one", place)) => {
                let (offset, bytes) = place.split_once(':').ok_or_else(error)?;
                let number = |text: &str| text.parse().map_err(|_| error());
                launch.arguments.add_one(number(offset)?, number(bytes)?);
            }
            _ => return Err(error()),
        }
        Ok(())
    }

    /// Takes the text's function (of a module, the first) through the passes. `apply` runs the pass or the list of a name, and says whether it
    /// changed something, or that there is none. What each leaves is verified.
    pub fn run(
        &self,
        text: &str,
        settings: &Settings,
        mut apply: impl FnMut(&str, &mut Function, &mut Context) -> Option<bool>,
    ) -> Result<Outcome, String> {
        let module = match text.lines().any(|line| line.starts_with("fn0 =")) {
            true => parse_module(text).map_err(|error| error.to_string())?,
            false => {
                let mut module = Module::default();
                module.functions.push(parse_function(text).map_err(|error| error.to_string())?);
                module
            }
        };
        let mut func = module.functions.values().next().cloned().ok_or("there is no function")?;
        verify(&func, Some(&module)).map_err(|error| error.to_string())?;
        let sets: FxHashMap<i32, AliasSet> = (0..SEPARATE_ARGUMENTS)
            .map(|argument| 8 * argument)
            .zip((0..VARIABLE_SETS).rev())
            .collect();
        let no_wrap = NoWrap::find(&func, &Flow::new(&func));
        let machine = self.machine.unwrap_or_else(Machine::of_process);
        let shape = gang_shape(self.width, machine.gang_width, self.launch.local_size.most());
        let mut gang = Gang::new(&self.launch, GangFacts::new(shape, &self.launch), machine);
        gang.local_bytes = self.local_bytes;
        gang.own_sets = self.is_separate.then_some(&sets);
        gang.no_wrap = Some(&no_wrap);
        gang.plan = Plan::wanted();
        let mut context = Context {
            settings,
            ..Context::for_launch(Some(&module), gang)
        };
        let mut changed = Vec::new();
        for name in &self.passes {
            let before = notes(&context, shape.width);
            let result = apply(name, &mut func, &mut context).ok_or_else(|| format!("there is no pass {name} (brolga opt --list)"))?;
            let in_module = Some(&module).filter(|_| func.level == Level::WorkItem);
            verify(&func, in_module).map_err(|error| format!("after {name}: {error}\n{func}"))?;
            if let Some(why) = context.gang.as_mut().and_then(|gang| gang.unsuited.take()) {
                return Err(format!("{name}: {why}"));
            }
            changed.push((name.clone(), result || before != notes(&context, shape.width)));
        }
        let mut notes = notes(&context, shape.width);
        if let Some(gang) = &context.gang {
            notes.extend_from_slice(gang.plan.lines());
        }
        Ok(Outcome { func, notes, changed })
    }
}

/// What has become of a gang that had so many lanes.
fn notes(context: &Context, width: u32) -> Vec<String> {
    let Some(gang) = &context.gang else { return Vec::new() };
    let mut notes = Vec::new();
    if gang.facts.width != width {
        notes.push(format!("a gang has {} lanes", gang.facts.width));
    }
    if gang.facts.gangs_at_once > 1 {
        notes.push(format!("{} gangs at once", gang.facts.gangs_at_once));
    }
    if !gang.records.is_empty() {
        notes.push(format!("{} accesses to records", gang.records.len()));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_or_refused_by_name() {
        let script = Script::parse(" words dce; width 16; local 8 4; target avx2; launch cut-groups separate one=8:4 large=16").unwrap();
        assert_eq!(script.passes, ["words", "dce"]);
        assert_eq!((script.width, script.launch.local_size.most()), (Some(16), [8, 4, 1]));
        assert_eq!(script.machine.map(|machine| machine.registers.bytes), Some(32));
        assert!(!script.launch.full_groups && script.is_separate && script.launch.arguments.is_one(8, 4));
        for (header, named) in [
            ("dce; width 7", "7"),
            ("dce; local x", "x"),
            ("dce; target z80", "z80"),
            ("dce; launch sideways", "sideways"),
            ("dce; height 8", "height"),
        ] {
            assert!(Script::parse(header).unwrap_err().contains(named), "{header}");
        }
    }

    #[test]
    fn passes_that_nobody_knows_are_named() {
        let script = Script::parse("nothing").unwrap();
        let text = "function workitem @f {\nblock0:\n  return\n}\n";
        let error = script.run(text, &Settings::default(), |_, _, _| None).unwrap_err();
        assert!(error.contains("there is no pass nothing"), "{error}");
    }
}
