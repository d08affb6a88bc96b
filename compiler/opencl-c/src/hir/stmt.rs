//! Statements.

use super::{Const, ExprId, LabelId, LocalId, PlaceId};
use crate::Loc;

/// A statement: an index into [`super::Body::stmts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StmtId(pub u32);

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub loc: Loc,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StmtKind {
    Empty,
    /// Evaluates, and drops the value.
    Expr(ExprId),
    /// One after another.
    Block(Vec<StmtId>),
    /// A variable's life begins. It has no value unless the next statement initializes it.
    Declare(LocalId),
    /// Initializes an aggregate: first the whole of it with the constant, if there is one, then each place with its value, in order.
    Initialize {
        local: LocalId,
        base: Option<Const>,
        stores: Vec<(PlaceId, ExprId)>,
    },
    If {
        /// At least one: `if`, and each `else if` of a chain.
        arms: Vec<Arm>,
        otherwise: Option<StmtId>,
    },
    While {
        condition: ExprId,
        body: StmtId,
        hint: LoopHint,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
        hint: LoopHint,
    },
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
        hint: LoopHint,
    },
    Switch {
        /// An integer of at least `int`'s width.
        value: ExprId,
        /// None overlap. The `n`th is where the body has `Cases` with `n` among them.
        cases: Vec<Case>,
        /// Does the body have a `Default`?
        has_default: bool,
        body: StmtId,
    },
    /// Where control comes for cases of the innermost `switch` around it, the first and the last by their indices, and the statement there.
    Cases(u32, u32, StmtId),
    Default(StmtId),
    Label(LabelId, StmtId),
    Goto(LabelId),
    Break,
    Continue,
    Return(Option<ExprId>),
}

/// What is executed if a condition holds, and those of the arms before it do not.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// A `bool`, as in all statements but `switch`.
    pub condition: ExprId,
    pub then: StmtId,
    /// Of its `if`.
    pub loc: Loc,
}

/// Values of a `switch` that one `case` stands for: `first..=last` of the value's type, extended to 64 bits as its sign says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    pub first: u64,
    pub last: u64,
}

/// What `opencl_unroll_hint` or `#pragma unroll` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum LoopHint {
    #[default]
    None,
    /// As much as the compiler finds useful, or all of it.
    Unroll,
    /// This many iterations at once; more than 1.
    UnrollBy(u32),
    /// Not at all.
    NoUnroll,
}
