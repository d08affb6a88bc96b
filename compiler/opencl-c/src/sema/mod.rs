//! The rules of the language: what the parser has read is checked, and becomes part of the typed tree.

mod address;
mod assign;
mod binary;
mod blocks;
mod call;
mod cast;
mod condition;
mod convert;
mod declare;
mod enqueue;
pub(crate) mod fold;
mod functions;
mod gnu_atomics;
mod init;
mod intrinsics;
mod kernel;
mod lang;
mod member;
mod names;
mod overload;
mod printf;
mod reach;
mod scope;
mod unary;
mod value;
mod vectors;

pub(crate) use blocks::{BlockState, KnownBlock};
pub(crate) use call::CallShape;
pub(crate) use convert::Purpose;
pub(crate) use functions::{FunctionState, SwitchState};
pub(crate) use init::Initial;
pub(crate) use intrinsics::is_intrinsic;
pub(crate) use lang::Lang;
pub(crate) use reach::End;
pub(crate) use scope::{Entity, Scopes};
pub(crate) use value::{Operand, OperandKind};
