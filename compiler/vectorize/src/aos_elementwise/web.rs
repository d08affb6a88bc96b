//! Operations that do the same to all components of records, from loads to stores.

use super::Fields;
use analysis::uniformity::{Extent, Uniformity};
use cranelift_entity::SecondaryMap;
use ir::cfg::Cfg;
use ir::*;
use rustc_hash::FxHashMap;

/// What a value of each component is to an operation.
enum Operand {
    /// All the same, for all lanes too.
    Same,
    /// A node's values.
    Node(usize),
    /// Something else.
    Other,
}

/// Values that are made in the same way, one for each component.
struct Node {
    values: Vec<Value>,
    /// Nodes that use this one, or that this one uses.
    linked: Vec<usize>,
    /// They have to be lane by lane.
    is_cut: bool,
}

/// What stays whole.
#[derive(Default)]
pub(super) struct Whole {
    /// Accesses to records.
    pub accesses: Vec<Fields>,
    /// How many stores of records don't.
    pub parted: usize,
    /// Instructions before the stores, and which component they are for.
    pub components: FxHashMap<Inst, usize>,
}

/// What is computed of records and stored as records.
pub(super) struct Web<'a> {
    func: &'a Function,
    cfg: &'a Cfg,
    uniformity: &'a Uniformity,
    groups: Vec<Fields>,
    nodes: Vec<Node>,
    /// By value: the node that it is in, and which component it is.
    places: FxHashMap<Value, (usize, usize)>,
    /// How often values are used by nodes and stores.
    used: SecondaryMap<Value, u32>,
}

impl Web<'_> {
    /// With nothing in it yet. `groups` are the accesses that may stay whole.
    pub fn new<'a>(func: &'a Function, cfg: &'a Cfg, uniformity: &'a Uniformity, groups: Vec<Fields>) -> Web<'a> {
        Web {
            func,
            cfg,
            uniformity,
            groups,
            nodes: Vec::new(),
            places: FxHashMap::default(),
            used: SecondaryMap::new(),
        }
    }

    /// What does stay whole. All lanes come to a block `together`, or don't.
    pub fn whole(mut self, together: impl Fn(Block) -> bool) -> Whole {
        let func = self.func;
        let groups = std::mem::take(&mut self.groups);
        let mut loads: FxHashMap<Value, &Fields> = FxHashMap::default();
        // What each group that is stored has, if that is in order.
        let mut stored: Vec<(&Fields, Option<usize>)> = Vec::new();
        let mut parted = 0;
        for fields in &groups {
            let value = |&inst: &Inst| match func.inst(inst).data {
                InstData::Store { value, .. } => Some(value),
                _ => None,
            };
            match fields.iter().map(value).collect::<Option<Vec<Value>>>() {
                None => {
                    loads.insert(func.result(fields[0]), fields);
                }
                Some(values) => match self.operand(&values) {
                    Operand::Same => stored.push((fields, None)),
                    Operand::Node(node) => stored.push((fields, Some(node))),
                    Operand::Other => parted += 1,
                },
            }
        }
        let mut done = 0;
        while done < self.nodes.len() {
            if !self.grow(done, &loads, &together) {
                self.nodes[done].is_cut = true;
            }
            done += 1;
        }
        self.cut();
        let mut whole = Whole::default();
        let is_whole = |node: usize| !self.nodes[node].is_cut;
        let all_stored = stored.len();
        let stores = stored
            .into_iter()
            .filter(|(_, node)| node.is_none_or(is_whole))
            .map(|(fields, _)| fields);
        whole.accesses.extend(stores.cloned());
        whole.parted = parted + all_stored - whole.accesses.len();
        for node in self.nodes.iter().filter(|node| !node.is_cut) {
            whole.accesses.extend(loads.get(&node.values[0]).map(|&fields| fields.clone()));
            let insts = node.values.iter().enumerate();
            whole
                .components
                .extend(insts.filter_map(|(number, &value)| Some((func.def_inst(value)?, number))));
        }
        whole
    }

    /// What something uses of each component.
    fn operand(&mut self, values: &[Value]) -> Operand {
        let (func, first) = (self.func, values[0]);
        let same = |&value: &Value| value == first || func.constant(first).is_some() && func.constant(first) == func.constant(value);
        let ty = func.ty(first);
        if self.uniformity.shape(first).is_uniform() && values.iter().all(same) && values.iter().all(|&value| func.ty(value) == ty) {
            return Operand::Same;
        }
        let known = values.iter().enumerate().map(|(number, value)| {
            let place = self.places.get(value).copied();
            place.map(|(node, place)| (node, place == number))
        });
        let known: Vec<Option<(usize, bool)>> = known.collect();
        let node = match known[0] {
            Some((node, true)) if self.nodes[node].values == values => node,
            // Each value is one component, once.
            None if known.iter().all(Option::is_none) && values.iter().all(|&value| func.ty(value) == ty) => {
                let node = self.nodes.len();
                for (number, &value) in values.iter().enumerate() {
                    if self.places.insert(value, (node, number)).is_some() {
                        self.forget(node, values);
                        return Operand::Other;
                    }
                }
                self.nodes.push(Node {
                    values: values.to_vec(),
                    linked: Vec::new(),
                    is_cut: false,
                });
                node
            }
            // (Their nodes miss these uses, and are cut for that.)
            _ => return Operand::Other,
        };
        values.iter().for_each(|&value| self.used[value] += 1);
        Operand::Node(node)
    }

    /// Takes values out that have been put into a node which becomes none.
    fn forget(&mut self, node: usize, values: &[Value]) {
        for value in values {
            if self.places.get(value).is_some_and(|&(other, _)| other == node) {
                self.places.remove(value);
            }
        }
    }

    /// Finds what a node is made of. False if that is not the same for all components.
    fn grow(&mut self, node: usize, loads: &FxHashMap<Value, &Fields>, together: &impl Fn(Block) -> bool) -> bool {
        let func = self.func;
        let values = self.nodes[node].values.clone();
        match func.def(values[0]) {
            ValueDef::Param(block, _) => {
                let positions = values.iter().map(|&value| match func.def(value) {
                    ValueDef::Param(other, position) if other == block => Some(position as usize),
                    _ => None,
                });
                let Some(positions) = positions.collect::<Option<Vec<usize>>>() else {
                    return false;
                };
                // Lanes that come by different ways bring what is their own.
                if block == func.entry() || self.uniformity.joined(block) == Extent::Lane || !together(block) {
                    return false;
                }
                let mut preds = self.cfg.preds[block].to_vec();
                preds.sort_unstable();
                preds.dedup();
                let targets = preds.iter().flat_map(|&pred| func.terminator(pred).targets());
                targets.filter(|call| call.block == block).all(|call| {
                    let args: Vec<Value> = positions.iter().map(|&position| call.args[position]).collect();
                    self.link(node, &args)
                })
            }
            ValueDef::Result(first, _) => {
                let Some(insts) = values.iter().map(|&value| func.def_inst(value)).collect::<Option<Vec<Inst>>>() else {
                    return false;
                };
                if let InstData::Load { .. } = func.inst(first).data {
                    return loads.get(&values[0]).is_some_and(|fields| **fields == insts);
                }
                let form = form(func, first);
                if form.is_none() || insts.iter().any(|&inst| self::form(func, inst) != form) {
                    return false;
                }
                let operands: Vec<ValueList> = insts.iter().map(|&inst| operands(func, inst)).collect();
                (0..operands[0].len()).all(|number| {
                    let args: Vec<Value> = operands.iter().map(|operands| operands[number]).collect();
                    self.link(node, &args)
                })
            }
        }
    }

    /// The node uses these values. False if they are in no order.
    fn link(&mut self, node: usize, values: &[Value]) -> bool {
        match self.operand(values) {
            Operand::Same => true,
            Operand::Other => false,
            Operand::Node(used) => {
                self.nodes[node].linked.push(used);
                self.nodes[used].linked.push(node);
                true
            }
        }
    }

    /// Cuts nodes of which something else uses a value, and all that hangs together with one that is cut.
    fn cut(&mut self) {
        let uses = self.func.use_counts();
        for node in &mut self.nodes {
            node.is_cut |= node.values.iter().any(|&value| uses[value] != self.used[value]);
        }
        let mut work: Vec<usize> = (0..self.nodes.len()).filter(|&node| self.nodes[node].is_cut).collect();
        while let Some(node) = work.pop() {
            for linked in std::mem::take(&mut self.nodes[node].linked) {
                if !std::mem::replace(&mut self.nodes[linked].is_cut, true) {
                    work.push(linked);
                }
            }
        }
    }
}

/// An operation whose lanes don't meet, without its operands.
fn form(func: &Function, inst: Inst) -> Option<(InstData, Flags)> {
    let node = func.inst(inst);
    let mut data = node.data.clone();
    let lanes_alone = matches!(
        data,
        InstData::Unary { .. }
            | InstData::Binary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::IntCompare { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
    );
    data.for_each_operand_mut(|operand| *operand = Value::from_u32(0));
    lanes_alone.then_some((data, node.flags))
}

fn operands(func: &Function, inst: Inst) -> ValueList {
    let mut operands = ValueList::new();
    func.inst(inst).data.for_each_operand(|&value| operands.push(value));
    operands
}
