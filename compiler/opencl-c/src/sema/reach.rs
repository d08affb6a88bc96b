//! Whether a function's end can be reached.

use crate::hir::{Callee, Const, ExprId, ExprKind, Intrinsic, StmtId, StmtKind};
use crate::parse::Parser;

/// Whether control comes to the end of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Never,
    Perhaps,
    /// There is no way but that.
    Reached,
}

/// How control leaves a statement.
#[derive(Clone, Copy, Default)]
struct Ways {
    falls: bool,
    breaks: bool,
    returns: bool,
}

impl Parser<'_> {
    /// Whether control comes to the end of a body.
    pub(crate) fn ends(&self, body: StmtId) -> End {
        let ways = self.ways(body);
        match (ways.falls, ways.returns) {
            (false, _) => End::Never,
            (true, true) => End::Perhaps,
            (true, false) => End::Reached,
        }
    }

    fn ways(&self, stmt: StmtId) -> Ways {
        match &self.body.stmt(stmt).kind {
            StmtKind::Return(_) => Ways {
                returns: true,
                ..Ways::default()
            },
            StmtKind::Goto(_) | StmtKind::Continue => Ways::default(),
            StmtKind::Break => Ways {
                breaks: true,
                ..Ways::default()
            },
            StmtKind::Expr(expr) => Ways {
                falls: !self.is_last(*expr),
                ..Ways::default()
            },
            StmtKind::Empty | StmtKind::Declare(_) | StmtKind::Initialize { .. } => Ways {
                falls: true,
                ..Ways::default()
            },
            StmtKind::Block(list) => {
                let mut all = Ways {
                    falls: true,
                    ..Ways::default()
                };
                for &stmt in list {
                    let ways = self.ways(stmt);
                    // What a label stands at can be reached from elsewhere.
                    let reached = all.falls || self.has_label(stmt);
                    all.falls = reached && ways.falls;
                    all.breaks |= ways.breaks;
                    all.returns |= ways.returns;
                }
                all
            }
            StmtKind::If { arms, otherwise } => {
                let none = Ways {
                    falls: true,
                    ..Ways::default()
                };
                let last = otherwise.map_or(none, |stmt| self.ways(stmt));
                arms.iter().rfold(last, |after, arm| {
                    let then = self.ways(arm.then);
                    let known = self.truth(arm.condition);
                    Ways {
                        falls: (then.falls && known != Some(false)) || (after.falls && known != Some(true)),
                        breaks: then.breaks || after.breaks,
                        returns: then.returns || after.returns,
                    }
                })
            }
            &StmtKind::While { condition, body, .. } => self.loop_ways(Some(condition), body),
            &StmtKind::For { condition, body, .. } => self.loop_ways(condition, body),
            &StmtKind::DoWhile { body, condition, .. } => {
                let ways = self.ways(body);
                Ways {
                    falls: ways.breaks || self.truth(condition) != Some(true),
                    breaks: false,
                    returns: ways.returns,
                }
            }
            StmtKind::Switch { body, has_default, .. } => {
                let ways = self.ways(*body);
                Ways {
                    falls: !has_default || ways.falls || ways.breaks,
                    breaks: false,
                    returns: ways.returns,
                }
            }
            &StmtKind::Cases(_, _, stmt) | &StmtKind::Default(stmt) | &StmtKind::Label(_, stmt) => self.ways(stmt),
        }
    }

    fn loop_ways(&self, condition: Option<ExprId>, body: StmtId) -> Ways {
        let ways = self.ways(body);
        let endless = condition.is_none_or(|condition| self.truth(condition) == Some(true));
        Ways {
            falls: !endless || ways.breaks,
            breaks: false,
            returns: ways.returns,
        }
    }

    fn has_label(&self, stmt: StmtId) -> bool {
        matches!(
            self.body.stmt(stmt).kind,
            StmtKind::Cases(..) | StmtKind::Default(_) | StmtKind::Label(..)
        )
    }

    fn truth(&self, condition: ExprId) -> Option<bool> {
        match self.body.expr(condition).kind {
            ExprKind::Const(Const::Int(value)) => Some(value != 0),
            ExprKind::Const(Const::Zero) => Some(false),
            _ => None,
        }
    }

    /// Does control never come back from an expression?
    fn is_last(&self, expr: ExprId) -> bool {
        match self.body.expr(expr).kind {
            ExprKind::Call(Callee::Intrinsic(Intrinsic::Unreachable | Intrinsic::Trap), _) => true,
            ExprKind::Call(Callee::Function(id), _) => self.program.function(id).attributes.noreturn,
            _ => false,
        }
    }
}
