//! Functions that stay calls: which objects their parameters point to.
//!
//! A parameter that points to the same object in all calls is followed to it, as a pointer of the kernel is. With one that points to several, each call
//! hands on four words: how far it is from its object's beginning, how much of the object may be read and written, and which object that is.

use super::accesses::{Bytes, Part};
use super::extents::Extents;
use super::objects::{Provenance, Root};
use super::site::{AccessKind, Object};
use interface::KernelInfo;
use ir::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bits of a site's number in a kernel with such functions; above them is the number of the object that was handed on.
pub const SITE_BITS: u32 = 20;

/// So many objects can be told of: pointers to others are taken for such to an object that is not known.
const MOST_OBJECTS: usize = 1 << (u32::BITS - SITE_BITS);

/// What a parameter points to in all calls that were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handed {
    /// No call has been seen.
    Unseen,
    /// Nothing.
    Null,
    /// The same object.
    One(Root),
    /// One of several objects that are known where it is called.
    Several {
        /// One of them is in local memory.
        may_be_local: bool,
    },
    /// No pointer, or to what is not known.
    Unknown,
}

impl Handed {
    fn meet(self, other: Handed, info: &KernelInfo) -> Handed {
        let is_local = |handed| match handed {
            Handed::One(root) => root.is_local(info),
            Handed::Several { may_be_local } => may_be_local,
            _ => false,
        };
        match (self, other) {
            (Handed::Unseen, other) | (other, Handed::Unseen) => other,
            (Handed::Unknown, _) | (_, Handed::Unknown) => Handed::Unknown,
            _ if self == other => self,
            _ => Handed::Several {
                may_be_local: is_local(self) || is_local(other),
            },
        }
    }
}

/// The words that a call hands on with a pointer.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Bytes from the object's beginning to where the pointer leads.
    pub before: Value,
    /// The object's size.
    pub readable: Value,
    /// The same for what writes.
    pub writable: Value,
    /// The object's number, where a site's number leaves room for it.
    pub object: Value,
}

/// All calls of a kernel that are left.
#[derive(Debug, Default)]
pub struct Calls {
    params: FxHashMap<FuncRef, Vec<Handed>>,
    /// Functions call each other in a cycle: nothing is known of their parameters.
    cycle: bool,
    /// What parameters can point to, by number; the first is nothing.
    objects: Vec<Object>,
    numbers: FxHashMap<Object, u64>,
}

impl Calls {
    /// With the functions that a kernel calls, directly or not, callers before callees.
    pub fn new(kernel: &Function, callees: &FxHashMap<FuncRef, Function>) -> (Calls, Vec<FuncRef>) {
        let mut calls = Calls::default();
        let mut order = Vec::new();
        let (mut seen, mut open) = (FxHashSet::default(), FxHashSet::default());
        let mut stack = vec![(None, kernel.callees())];
        while let Some((caller, left)) = stack.last_mut() {
            match left.pop() {
                Some(callee) if seen.insert(callee) => {
                    open.insert(callee);
                    stack.push((Some(callee), callees[&callee].callees()));
                }
                Some(callee) => calls.cycle |= open.contains(&callee),
                None => {
                    if let Some(caller) = *caller {
                        open.remove(&caller);
                        order.push(caller);
                    }
                    stack.pop();
                }
            }
        }
        order.reverse();
        if !order.is_empty() {
            calls.number(Object::Unknown);
        }
        (calls, order)
    }

    /// Notes what a function hands on.
    pub fn follow(&mut self, func: &Function, provenance: &Provenance, module: &Module, info: &KernelInfo) {
        for inst in func.insts() {
            let InstData::Call { callee, ref args, .. } = func.inst(inst).data else {
                continue;
            };
            for (position, &arg) in args.iter().enumerate() {
                let handed = match provenance.root(arg) {
                    _ if self.cycle || func.ty(arg) != Type::I64 => Handed::Unknown,
                    None if func.constant(arg) == Some(0) => Handed::Null,
                    None => Handed::Unknown,
                    Some(Root::Parameter(number)) => Handed::Several {
                        may_be_local: provenance.may_be_local(number),
                    },
                    Some(root) => match self.number(Object::of(root, func, module, info)) {
                        Some(_) if matches!(root, Root::Slot(_)) => Handed::Several { may_be_local: false },
                        Some(_) => Handed::One(root),
                        None => Handed::Unknown,
                    },
                };
                let params = self.params.entry(callee).or_default();
                params.resize(params.len().max(position + 1), Handed::Unseen);
                params[position] = params[position].meet(handed, info);
            }
        }
    }

    /// What a function's parameters point to, once all that call it were followed.
    pub fn params(&self, callee: FuncRef) -> &[Handed] {
        self.params.get(&callee).map_or(&[], Vec::as_slice)
    }

    /// Functions call each other in a cycle.
    pub fn in_cycle(&self) -> bool {
        self.cycle
    }

    /// What reports name by what is above [`SITE_BITS`].
    pub fn into_objects(self) -> Vec<Object> {
        self.objects
    }

    fn number(&mut self, object: Object) -> Option<u64> {
        if let Some(&known) = self.numbers.get(&object) {
            return Some(known);
        }
        let number = self.objects.len();
        (number < MOST_OBJECTS).then(|| {
            self.objects.push(object.clone());
            self.numbers.insert(object, number as u64);
            number as u64
        })
    }

    /// Hands on with a call what its callee wants to know.
    pub fn hand_on(&mut self, func: &mut Function, at: Block, call: Inst, extents: &mut Extents, (module, info): (&Module, &KernelInfo)) {
        let InstData::Call { callee, ref args, .. } = func.inst(call).data else {
            return;
        };
        let several = |(_, handed): &(&Value, &Handed)| matches!(handed, Handed::Several { .. });
        let told: Vec<Value> = args.iter().zip(self.params(callee)).filter(several).map(|(&arg, _)| arg).collect();
        for arg in told {
            let words = match extents.provenance.root(arg) {
                Some(root) => {
                    let number = match root {
                        Root::Parameter(_) => None,
                        root => self.number(Object::of(root, func, module, info)),
                    };
                    let part = Part {
                        kind: AccessKind::Read,
                        root,
                        address: Address::base(arg),
                        bytes: Bytes::Constant(0),
                        align: Align::of(1),
                        space: Space::Generic,
                    };
                    extents.words_of(func, at, &part, number.unwrap_or(0) << SITE_BITS)
                }
                // Nothing can be read there.
                None => {
                    let zero = Builder::new(func, at).i64(0);
                    Words {
                        before: zero,
                        readable: zero,
                        writable: zero,
                        object: zero,
                    }
                }
            };
            if let InstData::Call { args, .. } = &mut func.inst_mut(call).data {
                args.extend([words.before, words.readable, words.writable, words.object]);
            }
        }
    }
}

/// Gives a function parameters for what calls hand on with its own, by their numbers.
pub fn add_params(func: &mut Function, params: &[Handed]) -> FxHashMap<u32, Words> {
    let entry = func.entry();
    let several = |(_, handed): &(usize, &Handed)| matches!(handed, Handed::Several { .. });
    let numbers = params.iter().enumerate().filter(several).map(|(number, _)| number as u32);
    numbers
        .map(|number| {
            let mut word = || func.add_param(entry, Type::I64);
            let words = Words {
                before: word(),
                readable: word(),
                writable: word(),
                object: word(),
            };
            (number, words)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use interface::Checks;
    use ir::parse::parse_module;

    /// A kernel that calls a function with the addresses of these.
    fn checked(pointers: [&str; 2]) -> (String, Vec<Object>) {
        let text = format!(
            "fn0 = function workitem @kernel {{
  slot0: 8 align 8
  slot1: 16 align 8
block0:
  v0 = slot_address slot0
  v1 = slot_address slot1
  v2 = builtin local_memory
  v3 = const.i64 0
  v4 = add v2, v3
  v5 = call fn1({}) -> i64
  v6 = call fn1({}) -> i64
  return
}}

fn1 = function workitem @callee -> i64 {{
block0(v0: i64):
  v1 = load.i64 generic align 8 [v0]
  return v1
}}",
            pointers[0], pointers[1]
        );
        let mut module = parse_module(&text).expect("the test's text is IR");
        let local = interface::checks::LocalVariable {
            name: "local".to_owned(),
            offset: 0,
            bytes: 8,
        };
        let info = KernelInfo {
            local_bytes: 8,
            local_variables: vec![local],
            ..KernelInfo::default()
        };
        let callee = FuncRef::from_u32(1);
        let mut kernel = module.functions[FuncRef::from_u32(0)].clone();
        let mut callees: FxHashMap<_, _> = [(callee, module.functions[callee].clone())].into_iter().collect();
        let checked = super::super::run(&mut kernel, &mut callees, &module, &info, Checks::BOUNDS);
        module.functions[callee] = callees[&callee].clone();
        let args = kernel.insts().find_map(|inst| match &kernel.inst(inst).data {
            InstData::Call { args, .. } => Some(args.len()),
            _ => None,
        });
        assert_eq!(args, Some(module.functions[callee].params().len()));
        (module.functions[callee].to_string(), checked.handed_on)
    }

    #[test]
    fn pointers_to_several_objects_have_words_with_them() {
        let (callee, objects) = checked(["v0", "v1"]);
        assert!(callee.contains("v6: i64") && !callee.contains("live"), "{callee}");
        assert_eq!(objects.len(), 3, "nothing, and two variables: {objects:?}");
        let (callee, _) = checked(["v0", "v3"]);
        assert!(callee.contains("v6: i64") && !callee.contains("live"), "one may be null: {callee}");
    }

    #[test]
    fn pointers_to_one_object_lead_to_it_and_others_to_none() {
        let (callee, _) = checked(["v4", "v4"]);
        assert!(
            callee.contains("block0(v0: i64, v2: i64):") && callee.contains("builtin local_memory"),
            "{callee}"
        );
        let (callee, _) = checked(["v0", "v5"]);
        assert!(callee.contains("block0(v0: i64, v2: i64):") && callee.contains("live"), "{callee}");
    }
}
