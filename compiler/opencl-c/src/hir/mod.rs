//! The typed tree that semantic analysis makes of a program and emission walks.
//!
//! Nothing in it is implicit: each conversion is a [`ExprKind::Cast`], each read of an object a [`ExprKind::Load`], each operator has operands of one
//! type. Expressions are *values*; what has an address, and what can be stored to, is a *place*. Both are kept in the vectors of their [`Body`] and
//! named by indices, so a tree of any shape is freed without recursion.

mod constant;
mod expr;
mod stmt;

pub use constant::{Address, AddressBase, Const};
pub use expr::{
    ArithmeticOp, Atomic, AtomicOp, Callee, Cast, CastKind, CompareOp, Expr, ExprId, ExprKind, Intrinsic, Place, PlaceId, PlaceKind,
    UpdateResult, ValueFlags,
};
pub use stmt::{Arm, Case, LoopHint, Stmt, StmtId, StmtKind};

use crate::types::{AddressSpace, QualType, TypeId, Types};
use crate::{Loc, Symbol};

/// A function of the program: an index into [`Program::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A variable with a place of its own for as long as the program, or a kernel's local variable: an index into [`Program::globals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalId(pub u32);

/// A private variable of a function: an index into [`Body::locals`]. Parameters come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(pub u32);

/// A label that `goto` names: an index into [`Body::labels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelId(pub u32);

/// A translation unit.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub types: Types,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
}

/// Who sees a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// This translation unit alone.
    Internal,
    /// Other translation units too. Without an initializer or a body, it is another's.
    External,
    /// As `External`, but others may define it too, alike: `inline` functions by GNU's rule for `extern inline`, and `weak`.
    Weak,
}

/// A variable at program scope, a `static` or `constant` variable in a function, a kernel's `local` variable, or a string literal.
#[derive(Clone, Debug)]
pub struct Global {
    pub name: Symbol,
    /// With the address space and the qualifiers.
    pub ty: QualType,
    /// In bytes.
    pub align: u64,
    pub linkage: Linkage,
    /// Is it defined elsewhere?
    pub is_extern: bool,
    /// `None`, where it is defined here, is zero; local variables have none and no value.
    pub init: Option<Const>,
    /// The function that a variable of a function belongs to.
    pub function: Option<FunctionId>,
    /// Is anything done with it? What isn't used need not be emitted, if its linkage is internal.
    pub used: bool,
    pub loc: Loc,
}

/// A function that the program declares or defines.
#[derive(Clone, Debug)]
pub struct Function {
    pub name: Symbol,
    /// Its name in the module: mangled for `overloadable` functions.
    pub link_name: Symbol,
    pub ty: TypeId,
    pub result: QualType,
    /// A block's have what it captures at the end.
    pub params: Vec<Param>,
    /// The variables of a block that the parameters at the end are; they are any of its body's. `None` is no block.
    pub captures: Option<Vec<LocalId>>,
    pub variadic: bool,
    pub is_kernel: bool,
    pub linkage: Linkage,
    pub attributes: Attributes,
    /// `None` is a declaration.
    pub body: Option<Body>,
    pub loc: Loc,
}

/// A parameter, with what `clGetKernelArgInfo` says of it.
#[derive(Clone, Debug)]
pub struct Param {
    pub name: Option<Symbol>,
    /// With its own qualifiers.
    pub ty: QualType,
    /// The name of the type as the program writes it, without qualifiers: `float4*`, or a `typedef`'s.
    pub type_name: String,
    /// `const`, `restrict` and `volatile`, as argument information counts them: those of what a pointer points to, and `restrict` of the pointer.
    pub info_quals: crate::types::Quals,
    pub loc: Loc,
}

/// What attributes say of a function.
#[derive(Clone, Debug, Default)]
pub struct Attributes {
    pub reqd_work_group_size: Option<[u64; 3]>,
    pub work_group_size_hint: Option<[u64; 3]>,
    pub vec_type_hint: Option<TypeId>,
    pub reqd_sub_group_size: Option<u64>,
    pub inline: Inline,
    /// Calls of it with the same arguments give the same, and do nothing else: `const`.
    pub is_const: bool,
    /// As `is_const`, but for what it reads: `pure`.
    pub is_pure: bool,
    pub noreturn: bool,
    pub convergent: bool,
    /// Others of its name may have other parameters; its `link_name` has them in it.
    pub overloadable: bool,
}

/// Whether calls are to be replaced by the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Inline {
    #[default]
    Default,
    /// `inline`
    Hint,
    /// `always_inline`
    Always,
    /// `noinline`
    Never,
}

/// The body of a function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    pub locals: Vec<Local>,
    pub labels: Vec<Symbol>,
    pub exprs: Vec<Expr>,
    pub places: Vec<Place>,
    pub stmts: Vec<Stmt>,
    /// Arguments and other lists, one after another; [`List`] names a part.
    pub lists: Vec<ExprId>,
    /// The outermost block.
    pub root: Option<StmtId>,
}

/// A part of [`Body::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct List {
    pub start: u32,
    pub len: u32,
}

/// A private variable or a parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// `None` is a temporary: a compound literal's, or a statement expression's.
    pub name: Option<Symbol>,
    /// The space is private.
    pub ty: QualType,
    /// In bytes.
    pub align: u64,
    pub loc: Loc,
}

impl Body {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0 as usize]
    }

    pub fn stmt(&self, id: StmtId) -> &Stmt {
        &self.stmts[id.0 as usize]
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    pub fn list(&self, list: List) -> &[ExprId] {
        &self.lists[list.start as usize..][..list.len as usize]
    }

    pub fn add_expr(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }

    pub fn add_place(&mut self, place: Place) -> PlaceId {
        self.places.push(place);
        PlaceId(self.places.len() as u32 - 1)
    }

    pub fn add_stmt(&mut self, stmt: Stmt) -> StmtId {
        self.stmts.push(stmt);
        StmtId(self.stmts.len() as u32 - 1)
    }

    pub fn add_list(&mut self, exprs: &[ExprId]) -> List {
        let start = self.lists.len() as u32;
        self.lists.extend_from_slice(exprs);
        List {
            start,
            len: exprs.len() as u32,
        }
    }

    pub fn add_local(&mut self, local: Local) -> LocalId {
        self.locals.push(local);
        LocalId(self.locals.len() as u32 - 1)
    }
}

impl Program {
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.0 as usize]
    }

    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
}

impl Global {
    /// Where it is.
    pub fn space(&self) -> AddressSpace {
        self.ty.space
    }
}
