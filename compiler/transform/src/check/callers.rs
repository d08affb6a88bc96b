//! Who called a function that stays a call: each way from the kernel to such a function has a number.
//!
//! A call hands on the number of the way to its own function, plus a constant of its own, so that no two ways have the same sum (Sumner et al., "Precise
//! calling context encoding", ICSE 2010). A finding tells the sum, from which the calls are found again one by one. Number 0 is a way of which nothing
//! is known.

use super::site::Site;
use ir::*;
use rustc_hash::FxHashMap;

/// The calls of functions that stay calls, with what they add to the numbers of ways.
#[derive(Debug, Default)]
pub struct Callers {
    callees: FxHashMap<FuncRef, Callee>,
}

#[derive(Debug)]
struct Callee {
    calls: Vec<Call>,
    /// The numbers of ways to it end before this.
    ways: u32,
}

/// A call, as ways to the function that it calls lead through it.
#[derive(Debug)]
struct Call {
    /// The number of the first.
    first: u32,
    /// The ways to its own function go on; else they are left out.
    adds: bool,
    /// The function that it is in; none for the kernel.
    caller: Option<FuncRef>,
    /// Where it is, and the calls that this was inlined by.
    trace: Vec<SourcePlace>,
}

impl Callers {
    /// Hands on the number of the way with a call, whose function came here by the way of that value (the kernel: by none). Callers come before what they
    /// call, unless they are `in_cycle`.
    pub fn hand_on(
        &mut self,
        func: &mut Function,
        at: Block,
        call: Inst,
        of: (Option<FuncRef>, Option<Value>),
        trace: Vec<SourcePlace>,
        in_cycle: bool,
    ) {
        let InstData::Call { callee, .. } = func.inst(call).data else {
            return;
        };
        let (caller, way) = of;
        let ways = caller.map_or(1, |caller| self.ways(caller));
        let known = self.callees.entry(callee).or_insert_with(Callee::new);
        let first = known.ways;
        // (Of so many ways that the numbers do not reach, only the last call is told.)
        let adds = !in_cycle && first.checked_add(ways).is_some();
        known.ways = first.saturating_add(if adds { ways } else { 1 });
        let mut b = Builder::new(func, at);
        let number = b.i64(first.into());
        let number = match way {
            Some(way) if adds => b.add(way, number),
            _ => number,
        };
        if let InstData::Call { args, .. } = &mut func.inst_mut(call).data {
            args.push(number);
        }
        known.calls.push(Call {
            first,
            adds,
            caller,
            trace,
        });
    }

    fn ways(&self, callee: FuncRef) -> u32 {
        self.callees.get(&callee).map_or(1, |callee| callee.ways)
    }

    /// A place in a function that stays a call, with the calls that led there by the way of this number.
    pub fn tell(&self, site: &mut Site, mut way: u32) {
        // A call says nothing of a place that is not known.
        while let Some(callee) = site.callee.filter(|_| !site.trace.is_empty()) {
            let calls = self.callees.get(&callee).map_or(&[][..], |callee| &callee.calls);
            let Some(call) = calls.iter().rfind(|call| call.first <= way).filter(|call| !call.trace.is_empty()) else {
                return;
            };
            site.trace.extend(call.trace.iter().cloned());
            site.callee = call.caller;
            way = if call.adds { way - call.first } else { 0 };
        }
    }
}

impl Callee {
    fn new() -> Callee {
        Callee {
            calls: Vec::new(),
            // Behind the way that is not known.
            ways: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::What;
    use super::*;
    use ir::parse::parse_module;

    const TEXT: &str = "fn0 = function workitem @kernel {
block0:
  call fn1()
  call fn1()
  call fn2()
  return
}

fn1 = function workitem @outer {
block0:
  call fn2()
  call fn2()
  return
}

fn2 = function workitem @inner {
block0:
  return
}";

    fn place(function: u32, call: usize) -> SourcePlace {
        SourcePlace {
            file: "a.cl".into(),
            line: function * 10 + call as u32,
            column: 1,
            function: "".into(),
        }
    }

    /// Hands on numbers with all calls, and gives those that the calls add: by caller.
    fn handed_on(in_cycle: bool) -> (Callers, [Vec<u32>; 2]) {
        let mut module = parse_module(TEXT).expect("the test's text is IR");
        let mut callers = Callers::default();
        let adds = [0, 1].map(|number| {
            let func = &mut module.functions[FuncRef::from_u32(number)];
            let entry = func.entry();
            let caller = (number > 0).then(|| FuncRef::from_u32(number));
            let way = caller.map(|_| func.add_param(entry, Type::I64));
            let calls: Vec<Inst> = func
                .insts()
                .filter(|&inst| matches!(func.inst(inst).data, InstData::Call { .. }))
                .collect();
            let told = calls.iter().enumerate().map(|(call, &inst)| {
                callers.hand_on(func, entry, inst, (caller, way), vec![place(number, call)], in_cycle);
                let InstData::Call { args, .. } = &func.inst(inst).data else {
                    unreachable!()
                };
                let number = match *func.def_data(args[0]).expect("what is handed on") {
                    InstData::Binary { args, .. } => args[1],
                    _ => args[0],
                };
                func.constant(number).expect("a constant") as u32
            });
            told.collect()
        });
        (callers, adds)
    }

    fn told(callers: &Callers, way: u32) -> (Vec<u32>, Option<FuncRef>) {
        let mut site = Site {
            what: What::Division,
            trace: vec![place(2, 0)],
            callee: Some(FuncRef::from_u32(2)),
        };
        callers.tell(&mut site, way);
        (site.trace[1..].iter().map(|place| place.line).collect(), site.callee)
    }

    #[test]
    fn each_way_has_a_number_that_tells_its_calls() {
        let (callers, [kernel, outer]) = handed_on(false);
        let mut numbers = vec![kernel[2]];
        assert_eq!(told(&callers, kernel[2]), (vec![2], None));
        for (n, first) in kernel[..2].iter().enumerate() {
            for (m, second) in outer.iter().enumerate() {
                numbers.push(first + second);
                assert_eq!(told(&callers, first + second), (vec![10 + m as u32, n as u32], None));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 5, "{numbers:?}");
        assert!(!numbers.contains(&0));
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        let (callers, [_, outer]) = handed_on(false);
        let callee = |number| Some(FuncRef::from_u32(number));
        assert_eq!(told(&callers, 0), (vec![], callee(2)));
        assert_eq!(told(&callers, outer[1]), (vec![11], callee(1)), "nobody says who called the caller");
        let (callers, [_, outer]) = handed_on(true);
        assert_eq!(told(&callers, outer[1]), (vec![11], callee(1)));
    }
}
