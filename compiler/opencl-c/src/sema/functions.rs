//! What is known while a function is read.

use crate::hir::{Case, FunctionId, LabelId};
use crate::intern::Symbol;
use crate::parse::Parser;
use crate::source::Loc;
use crate::types::{QualType, Scalar};
use rustc_hash::FxHashMap;

/// The function that is being read.
#[derive(Debug)]
pub(crate) struct FunctionState {
    pub name: Symbol,
    pub id: FunctionId,
    pub result: QualType,
    /// Does the first `return` say what the result is? In block literals without one.
    pub result_is_open: bool,
    /// Has it?
    pub result_is_deduced: bool,
    pub is_kernel: bool,
    /// How many scopes are open in its outermost block.
    pub depth: usize,
    pub switches: Vec<SwitchState>,
    /// How many loops there are around.
    pub loops: u32,
    /// How many loops and `switch`es there are around.
    pub breakable: u32,
    /// Labels: where they are defined and where they are first used.
    labels: FxHashMap<Symbol, (LabelId, Option<Loc>, Option<Loc>)>,
}

/// A `switch` that is being read.
#[derive(Debug)]
pub(crate) struct SwitchState {
    /// The type of its value.
    pub scalar: Scalar,
    pub cases: Vec<(Case, Loc)>,
    pub default: Option<Loc>,
}

impl SwitchState {
    pub(crate) fn new(scalar: Scalar) -> SwitchState {
        SwitchState {
            scalar,
            cases: Vec::new(),
            default: None,
        }
    }
}

impl FunctionState {
    pub(crate) fn new(name: Symbol, id: FunctionId, result: QualType, is_kernel: bool, depth: usize) -> FunctionState {
        FunctionState {
            name,
            id,
            result,
            result_is_open: false,
            result_is_deduced: false,
            is_kernel,
            depth,
            switches: Vec::new(),
            loops: 0,
            breakable: 0,
            labels: FxHashMap::default(),
        }
    }
}

impl Parser<'_> {
    fn label_entry(&mut self, name: Symbol) -> Option<&mut (LabelId, Option<Loc>, Option<Loc>)> {
        let function = self.function.as_mut()?;
        let labels = &mut self.body.labels;
        Some(function.labels.entry(name).or_insert_with(|| {
            labels.push(name);
            (LabelId(labels.len() as u32 - 1), None, None)
        }))
    }

    /// A label is defined; also says where it was before, if it was.
    pub(crate) fn define_label(&mut self, name: Symbol, loc: Loc) -> (LabelId, Option<Loc>) {
        match self.label_entry(name) {
            Some((label, defined, _)) => (*label, defined.replace(loc)),
            None => (LabelId(0), None),
        }
    }

    /// A label is named by `goto`.
    pub(crate) fn use_label(&mut self, name: Symbol, loc: Loc) -> LabelId {
        match self.label_entry(name) {
            Some((label, _, used)) => {
                used.get_or_insert(loc);
                *label
            }
            None => LabelId(0),
        }
    }

    /// Reports labels that are used and not defined.
    pub(crate) fn check_labels(&mut self) {
        let Some(function) = &self.function else { return };
        let mut missing: Vec<(Loc, Symbol)> = function
            .labels
            .iter()
            .filter_map(|(&name, &(_, defined, used))| used.filter(|_| defined.is_none()).map(|loc| (loc, name)))
            .collect();
        missing.sort_by_key(|&(loc, _)| loc.0);
        for (loc, name) in missing {
            let message = format!("use of undeclared label '{}'", self.text(name));
            self.error(loc, &message);
        }
    }
}
