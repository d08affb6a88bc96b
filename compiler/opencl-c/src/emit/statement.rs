//! Statements.

use super::function::{Exits, Func, Home};
use super::module::Id;
use crate::hir::{Arm, Case, Const, ExprId, ExprKind, LocalId, LoopHint, PlaceId, StmtId, StmtKind};
use crate::types::TypeId;
use rspirv::spirv::{LoopControl, Op};

/// Constants longer than this many bytes are copied from a variable.
const LONGEST_STORE: u64 = 64;

/// A range of cases with more values than this is compared with.
const LONGEST_RANGE: u64 = 256;

impl<'a> Func<'_, 'a> {
    pub fn statement(&mut self, id: StmtId) {
        let body = self.body;
        let stmt = body.stmt(id);
        if !self.is_open() {
            if !self.has_entry(id) {
                return;
            }
            // What comes before the label is never executed, and dropped when the function is put together.
            let label = self.id();
            self.begin(label);
        }
        self.line(stmt.loc);
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.discard(*expr),
            StmtKind::Block(list) => {
                for &stmt in list {
                    self.statement(stmt);
                }
            }
            StmtKind::Declare(local) => self.declare(*local),
            StmtKind::Initialize { local, base, stores } => self.initialize(*local, base.as_ref(), stores),
            StmtKind::If { arms, otherwise } => self.arms(arms, *otherwise),
            StmtKind::While { condition, body, hint } => {
                let (head, inside, after) = (self.id(), self.id(), self.id());
                self.continue_in(head);
                self.condition_of_loop(*condition, inside, after, after, head, *hint);
                self.begin(inside);
                self.inside(*body, after, head);
                self.branch(head);
                self.begin(after);
            }
            StmtKind::DoWhile { body, condition, hint: _ } => {
                let (inside, test, after) = (self.id(), self.id(), self.id());
                self.continue_in(inside);
                self.inside(*body, after, test);
                self.branch(test);
                self.begin(test);
                self.condition(*condition, inside, after);
                self.begin(after);
            }
            StmtKind::For {
                init,
                condition,
                step,
                body,
                hint,
            } => {
                if let Some(init) = init {
                    self.statement(*init);
                }
                let (head, inside, next, after) = (self.id(), self.id(), self.id(), self.id());
                self.continue_in(head);
                match condition {
                    Some(condition) => {
                        self.condition_of_loop(*condition, inside, after, after, next, *hint);
                        self.begin(inside);
                    }
                    None => self.continue_in(inside),
                }
                self.inside(*body, after, next);
                self.branch(next);
                self.begin(next);
                if let Some(step) = step {
                    self.line(body_loc(self, *step));
                    self.discard(*step);
                }
                self.branch(head);
                self.begin(after);
            }
            StmtKind::Switch {
                value,
                cases,
                has_default,
                body,
            } => self.switch(*value, cases, *has_default, *body),
            StmtKind::Cases(first, last, stmt) => {
                for index in *first..=*last {
                    let label = self.cases.last().and_then(|labels| labels.get(index as usize)).copied();
                    if let Some(label) = label {
                        self.continue_in(label);
                    }
                }
                self.statement(*stmt);
            }
            StmtKind::Default(stmt) => {
                if let Some(&label) = self.defaults.last() {
                    self.continue_in(label);
                }
                self.statement(*stmt);
            }
            StmtKind::Label(label, stmt) => {
                let label = self.label(*label);
                self.continue_in(label);
                self.statement(*stmt);
            }
            StmtKind::Goto(label) => {
                let label = self.label(*label);
                self.branch(label);
            }
            StmtKind::Break => {
                if let Some(&exits) = self.exits.last() {
                    self.branch(exits.on_break);
                }
            }
            StmtKind::Continue => {
                if let Some(label) = self.exits.iter().rev().find_map(|exits| exits.on_continue) {
                    self.branch(label);
                }
            }
            StmtKind::Return(None) => self.end(Op::Return, &[], &[]),
            StmtKind::Return(Some(value)) => {
                if self.result == TypeId::VOID {
                    self.discard(*value);
                    self.end(Op::Return, &[], &[]);
                } else {
                    let value = self.expr(*value);
                    self.end(Op::ReturnValue, &[value], &[]);
                }
            }
        }
    }

    fn arms(&mut self, arms: &[Arm], otherwise: Option<StmtId>) {
        let after = self.id();
        for (index, arm) in arms.iter().enumerate() {
            if index > 0 {
                self.line(arm.loc);
            }
            let is_last = index + 1 == arms.len() && otherwise.is_none();
            let yes = self.id();
            let no = if is_last { after } else { self.id() };
            self.condition(arm.condition, yes, no);
            self.begin(yes);
            self.statement(arm.then);
            self.branch(after);
            if !is_last {
                self.begin(no);
            }
        }
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
            self.branch(after);
        }
        self.begin(after);
    }

    /// Can control come into a statement from elsewhere than before it?
    fn has_entry(&self, id: StmtId) -> bool {
        match &self.body.stmt(id).kind {
            StmtKind::Cases(..) | StmtKind::Default(_) | StmtKind::Label(..) => true,
            StmtKind::Block(list) => list.iter().any(|&stmt| self.has_entry(stmt)),
            StmtKind::If { arms, otherwise } => arms.iter().map(|arm| arm.then).chain(*otherwise).any(|stmt| self.has_entry(stmt)),
            StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } | StmtKind::For { body, .. } => self.has_entry(*body),
            // Its own cases don't count, but labels do.
            StmtKind::Switch { body, .. } => !self.body.labels.is_empty() && self.has_entry(*body),
            _ => false,
        }
    }

    /// The body of a loop.
    fn inside(&mut self, body: StmtId, on_break: Id, on_continue: Id) {
        self.exits.push(Exits {
            on_break,
            on_continue: Some(on_continue),
        });
        self.statement(body);
        self.exits.pop();
    }

    fn declare(&mut self, local: LocalId) {
        if self.facts.is_value(local) {
            self.homes[local.0 as usize] = Home::Unset;
            return;
        }
        let data = self.body.local(local);
        if self.e.session.options.initialize_private {
            let (ty, align) = (data.ty.id, data.align);
            if let Home::Memory(place) = self.home(local)
                && self.e.program.types.is_complete(ty)
            {
                self.store_constant(place, ty, &Const::Zero, align);
            }
        }
    }

    fn initialize(&mut self, local: LocalId, base: Option<&Const>, stores: &[(PlaceId, ExprId)]) {
        let data = self.body.local(local);
        let (ty, align) = (data.ty.id, data.align);
        if self.facts.is_value(local) {
            let value = match (base, stores) {
                (Some(value), _) => self.e.constant(ty, value),
                (None, [(_, value)]) => self.expr(*value),
                _ => return,
            };
            self.homes[local.0 as usize] = Home::Value(value);
            return;
        }
        if let Some(base) = base
            && let Home::Memory(place) = self.home(local)
        {
            self.store_constant(place, ty, base, align);
        }
        for &(place, value) in stores {
            self.line(self.body.expr(value).loc);
            self.assign(place, value);
        }
    }

    /// Fills an object of the function with a constant.
    pub fn store_constant(&mut self, place: Id, ty: TypeId, value: &Const, align: u64) {
        let size = self.e.program.types.size_of(ty).unwrap_or(0);
        if size > LONGEST_STORE {
            let from = self.e.anonymous_constant(ty, value, align);
            self.reached.variables.insert(from);
            let operands = if align > 0 {
                vec![place, from, 2, align as u32]
            } else {
                vec![place, from]
            };
            self.effect(Op::CopyMemory, &operands);
            return;
        }
        let value = self.e.memory_constant(ty, value);
        self.store_raw(place, value, align, false);
    }

    /// The condition of a loop, at its head: with a loop hint, OpLoopControl tells of it.
    fn condition_of_loop(&mut self, condition: ExprId, inside: Id, after: Id, merge: Id, next: Id, hint: LoopHint) {
        if let Some(control) = control(hint)
            && next != self.here()
        {
            // The condition may take several blocks; the merge instruction must be in the head, before its only branch.
            let test = self.id();
            let mut operands = vec![merge, next];
            operands.extend(control);
            self.effect(Op::LoopMerge, &operands);
            self.continue_in(test);
        }
        self.condition(condition, inside, after);
    }

    fn switch(&mut self, value: ExprId, cases: &[Case], has_default: bool, body: StmtId) {
        let ty = self.body.expr(value).ty;
        let (scalar, _) = self.shape(ty);
        let bits = scalar.bits();
        let value = self.expr(value);
        let after = self.id();
        let labels: Vec<Id> = cases.iter().map(|_| self.id()).collect();
        let default = if has_default { self.id() } else { after };
        // Long ranges are compared with before.
        for (case, &label) in cases.iter().zip(&labels) {
            if case.last.wrapping_sub(case.first) < LONGEST_RANGE {
                continue;
            }
            let (first, last) = (self.e.module.integer(bits, case.first), self.e.module.integer(bits, case.last));
            let truth = self.e.module.bool();
            let (at_least, at_most) = match scalar.is_signed() {
                true => (Op::SGreaterThanEqual, Op::SLessThanEqual),
                false => (Op::UGreaterThanEqual, Op::ULessThanEqual),
            };
            let low = self.value(at_least, truth, &[value, first]);
            let high = self.value(at_most, truth, &[value, last]);
            let both = self.value(Op::LogicalAnd, truth, &[low, high]);
            let next = self.id();
            self.branch_if(both, label, next);
            self.begin(next);
        }
        let mut operands = vec![value, default];
        let mut successors = vec![default];
        for (case, &label) in cases.iter().zip(&labels) {
            let count = case.last.wrapping_sub(case.first);
            if count >= LONGEST_RANGE {
                continue;
            }
            successors.push(label);
            for step in 0..=count {
                let literal = case.first.wrapping_add(step);
                operands.push(literal as u32);
                if bits == 64 {
                    operands.push((literal >> 32) as u32);
                }
                operands.push(label);
            }
        }
        self.end(Op::Switch, &operands, &successors);
        self.cases.push(labels);
        self.defaults.push(default);
        self.exits.push(Exits {
            on_break: after,
            on_continue: None,
        });
        self.statement(body);
        self.exits.pop();
        self.defaults.pop();
        self.cases.pop();
        self.branch(after);
        self.begin(after);
    }

    /// Goes to one of two blocks as a `bool` says, without making a value of `&&` and `||`.
    pub fn condition(&mut self, condition: ExprId, then: Id, otherwise: Id) {
        let body = self.body;
        match body.expr(condition).kind {
            ExprKind::Not(value) => self.condition(value, otherwise, then),
            ExprKind::And(left, right) => {
                if self.is_cheap(right) {
                    let value = self.expr(condition);
                    return self.branch_if(value, then, otherwise);
                }
                let middle = self.id();
                self.condition(left, middle, otherwise);
                self.begin(middle);
                self.condition(right, then, otherwise);
            }
            ExprKind::Or(left, right) => {
                if self.is_cheap(right) {
                    let value = self.expr(condition);
                    return self.branch_if(value, then, otherwise);
                }
                let middle = self.id();
                self.condition(left, then, middle);
                self.begin(middle);
                self.condition(right, then, otherwise);
            }
            ExprKind::Const(ref value) => {
                let taken = !matches!(value, Const::Zero | Const::Int(0));
                self.branch(if taken { then } else { otherwise });
            }
            _ => {
                let value = self.expr(condition);
                self.branch_if(value, then, otherwise);
            }
        }
    }

    /// May an expression be evaluated where the program might not?
    pub fn is_cheap(&self, expr: ExprId) -> bool {
        !self.e.session.options.as_written && super::purity::is_cheap(self.body, expr, &mut 6)
    }
}

fn body_loc(func: &Func, expr: ExprId) -> crate::Loc {
    func.body.expr(expr).loc
}

fn control(hint: LoopHint) -> Option<Vec<u32>> {
    Some(match hint {
        LoopHint::None => return None,
        LoopHint::Unroll => vec![LoopControl::UNROLL.bits()],
        LoopHint::UnrollBy(count) => vec![LoopControl::PARTIAL_COUNT.bits(), count],
        LoopHint::NoUnroll => vec![LoopControl::DONT_UNROLL.bits()],
    })
}
