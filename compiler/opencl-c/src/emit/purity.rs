//! What a function does to its variables, and what may be evaluated though the program might not.

use crate::hir::{ArithmeticOp, Body, CastKind, ExprId, ExprKind, Local, LocalId, PlaceId, PlaceKind, StmtKind};
use crate::types::{TypeKind, Types};

/// How often variables are given values, and how else they are used.
#[derive(Clone, Debug)]
pub struct Facts {
    locals: Vec<Use>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Use {
    /// Initializations of the whole, by a statement.
    initialized: u32,
    /// Any other store, or an address that somebody has.
    changed: bool,
    /// An array, a struct, or an object whose accesses count.
    in_memory: bool,
    parameter: bool,
}

impl Facts {
    /// Is it one value for as long as it lives?
    pub fn is_value(&self, local: LocalId) -> bool {
        let used = self.locals[local.0 as usize];
        !used.changed && !used.in_memory && used.initialized == u32::from(!used.parameter)
    }
}

/// What a function's body does with its variables. Where they are kept, those with names are in memory.
pub fn facts(body: &Body, types: &Types, keep: bool) -> Facts {
    let is_shown = |id| types.element(id).is_some() || matches!(types.kind(id), TypeKind::Pointer(_));
    let is_kept = |local: &Local| keep && local.name.is_some() && is_shown(local.ty.id);
    let mut locals: Vec<Use> = body
        .locals
        .iter()
        .map(|local| Use {
            in_memory: is_kept(local)
                || local.ty.is_volatile()
                || matches!(
                    types.kind(local.ty.id),
                    TypeKind::Array(..) | TypeKind::Record(_) | TypeKind::Atomic(_) | TypeKind::Error
                ),
            ..Use::default()
        })
        .collect();
    let mut jumps = !body.labels.is_empty();
    let change = |locals: &mut Vec<Use>, place: PlaceId| {
        if let Some(local) = root(body, place) {
            locals[local.0 as usize].changed = true;
        }
    };
    for expr in &body.exprs {
        match expr.kind {
            ExprKind::AddressOf(place) | ExprKind::Decay(place) | ExprKind::Assign(place, _) | ExprKind::Update { place, .. } => {
                change(&mut locals, place);
            }
            _ => {}
        }
    }
    for place in &body.places {
        if let PlaceKind::Literal(_, local) = place.kind {
            locals[local.0 as usize].changed = true;
        }
    }
    let mut declared = vec![false; body.locals.len()];
    for stmt in &body.stmts {
        match &stmt.kind {
            StmtKind::Initialize { local, base, stores } => {
                let used = &mut locals[local.0 as usize];
                match (base, stores.as_slice()) {
                    (Some(_), []) => used.initialized += 1,
                    (None, [(place, _)]) if matches!(body.place(*place).kind, PlaceKind::Local(other) if other == *local) => {
                        used.initialized += 1;
                    }
                    _ => {
                        used.changed = true;
                        for (place, _) in stores {
                            change(&mut locals, *place);
                        }
                    }
                }
            }
            StmtKind::Declare(local) => declared[local.0 as usize] = true,
            StmtKind::Switch { .. } => jumps = true,
            _ => {}
        }
    }
    // Parameters come first and are never declared.
    let first = body.stmts.iter().filter_map(|stmt| match stmt.kind {
        StmtKind::Declare(local) | StmtKind::Initialize { local, .. } => Some(local.0 as usize),
        _ => None,
    });
    let literals = body.places.iter().filter_map(|place| match place.kind {
        PlaceKind::Literal(_, local) => Some(local.0 as usize),
        _ => None,
    });
    let params = first.chain(literals).min().unwrap_or(body.locals.len());
    for (index, used) in locals.iter_mut().enumerate() {
        used.parameter = index < params && !declared[index];
        // A jump may go around an initialization.
        used.changed |= jumps && !used.parameter;
    }
    Facts { locals }
}

/// The variable that a place is in, if it is not behind a pointer.
fn root(body: &Body, mut place: PlaceId) -> Option<LocalId> {
    loop {
        match body.place(place).kind {
            PlaceKind::Local(local) | PlaceKind::Literal(_, local) => return Some(local),
            PlaceKind::Member(base, _) | PlaceKind::Element(base, _) | PlaceKind::Lanes(base, _) | PlaceKind::Lane(base, _) => place = base,
            PlaceKind::Global(_) | PlaceKind::Deref(_) | PlaceKind::Temporary(_) | PlaceKind::Error => return None,
        }
    }
}

/// Can an expression be evaluated where the program would not, at little cost? `budget` is how many operations it may have.
pub fn is_cheap(body: &Body, expr: ExprId, budget: &mut u32) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    let node = body.expr(expr);
    match node.kind {
        ExprKind::Const(_) => true,
        ExprKind::Load(place) => match body.place(place).kind {
            PlaceKind::Local(_) => !body.place(place).ty.is_volatile(),
            PlaceKind::Lanes(base, _) => matches!(body.place(base).kind, PlaceKind::Local(_)) && !body.place(base).ty.is_volatile(),
            _ => false,
        },
        ExprKind::Negate(value) | ExprKind::Complement(value) | ExprKind::Not(value) => is_cheap(body, value, budget),
        ExprKind::Cast(cast) => {
            !matches!(cast.kind, CastKind::Void | CastKind::IntToSampler | CastKind::ZeroToOpaque) && is_cheap(body, cast.value, budget)
        }
        ExprKind::Arithmetic(op, left, right) => {
            let divides = matches!(op, ArithmeticOp::Divide | ArithmeticOp::Remainder);
            !divides && is_cheap(body, left, budget) && is_cheap(body, right, budget)
        }
        ExprKind::Compare(_, left, right) | ExprKind::And(left, right) | ExprKind::Or(left, right) => {
            is_cheap(body, left, budget) && is_cheap(body, right, budget)
        }
        _ => false,
    }
}
