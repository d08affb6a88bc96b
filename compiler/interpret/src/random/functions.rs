//! Functions that the kernel calls: values of all types, truth values and addresses go in, values come out.
//!
//! A function may be pure, or read built-ins and memory as a kernel does. Some have operations across the sub-group, and some, which are
//! called where the whole group comes, barriers; such functions are inlined, however large they are.

use super::COLUMNS;
use super::arrays::{Array, ELEMENTS};
use super::generator::{Generator, Place, VARIABLES};
use super::pictures::IMAGES;
use ir::*;

/// What a function takes.
#[derive(Clone, Copy, Debug)]
enum Param {
    Value(Type),
    /// The address of an array in the caller's private memory.
    Array(Type),
    /// The address of a variable there.
    Variable(Type),
    /// The address of the input.
    Input,
    /// The address of the work-item's own element of a column.
    Element(usize),
    /// An image.
    Image(usize),
}

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    callee: FuncRef,
    params: Vec<Param>,
    results: Vec<Type>,
    /// It has barriers: the whole group must come to its calls.
    group_uniform: bool,
}

impl Generator<'_> {
    /// Types of values that are passed.
    fn passed_type(&mut self) -> Type {
        match self.random.one_in(6) {
            true => Type::MASK,
            false => *self.random.choose(&VARIABLES),
        }
    }

    /// Writes a function, which has this number in the module.
    pub fn helper(&mut self, callee: FuncRef) -> Helper {
        let results: Vec<Type> = (0..self.random.below(4)).map(|_| self.passed_type()).collect();
        self.b.func.results = results.iter().copied().collect();
        let params: Vec<Param> = (0..self.random.below(6)).map(|_| self.param()).collect();
        let addresses: Vec<(Param, Value)> = params.iter().map(|&param| (param, self.add_param(param))).collect();
        let group_uniform = self.random.one_in(5);
        self.meets = group_uniform || self.random.one_in(5);
        self.kinds.leaving &= !group_uniform;
        if self.meets || !self.random.one_in(3) {
            self.find_roots();
        }
        for &(param, value) in &addresses {
            self.take(param, value);
        }
        let count = 1 + self.random.below(4);
        self.declare(count as usize);
        self.declare_arrays();
        self.statements(
            3,
            Place {
                depth: 2,
                group_uniform,
                reducible: true,
            },
        );
        self.finish();
        Helper {
            callee,
            params,
            results,
            group_uniform,
        }
    }

    fn param(&mut self) -> Param {
        match self.random.below(10) {
            _ if self.kinds.images && self.random.one_in(6) => Param::Image(self.random.below(IMAGES as u64) as usize),
            0 | 1 => Param::Array(*self.random.choose(&VARIABLES)),
            2 => Param::Variable(*self.random.choose(&VARIABLES)),
            3 => Param::Input,
            4 => Param::Element(self.random.below(COLUMNS as u64) as usize),
            _ => Param::Value(self.passed_type()),
        }
    }

    fn add_param(&mut self, param: Param) -> Value {
        let entry = self.b.block;
        let ty = if let Param::Value(ty) = param { ty } else { Type::I64 };
        self.b.func.add_param(entry, ty)
    }

    /// Makes a parameter known to what is written from here on.
    fn take(&mut self, param: Param, value: Value) {
        match param {
            Param::Value(Type::MASK) => self.masks.push(value),
            Param::Value(ty) => {
                let variable = self.new_variable(ty);
                self.write(variable, value);
            }
            Param::Array(ty) => self.arrays.push(Array::at(value, ty, ELEMENTS)),
            Param::Variable(ty) => self.arrays.push(Array::at(value, ty, 1)),
            Param::Input => {
                if let Some(roots) = &mut self.roots {
                    roots.input = value;
                }
            }
            Param::Element(column) => self.elements.push((column, value)),
            Param::Image(which) => self.images.push((which, value)),
        }
    }

    fn argument(&mut self, param: Param) -> Value {
        match param {
            Param::Value(Type::MASK) => self.condition(2),
            Param::Value(ty) => self.value(ty, 2),
            Param::Array(ty) => {
                let address = self.array_address(ty);
                match self.random.one_in(4) {
                    true => {
                        let (condition, other) = (self.condition(2), self.array_address(ty));
                        self.b.select(condition, address, other)
                    }
                    false => address,
                }
            }
            Param::Variable(ty) => {
                let (slot, _) = match self.variable(ty) {
                    Some(variable) => variable,
                    None => {
                        // Elsewhere it would be used without having been made.
                        let variable = self.new_variable(ty);
                        self.variables.pop();
                        variable
                    }
                };
                self.b.slot_address(slot)
            }
            Param::Input => match self.roots {
                Some(roots) => roots.input,
                None => self.b.i64(0),
            },
            Param::Image(which) => self.image_argument(which),
            Param::Element(column) => match self.own_element(column) {
                Some(address) => self.b.base_and_index(&address),
                None => self.b.i64(0),
            },
        }
    }

    /// Calls a function, if there is one that may be called here.
    pub fn call(&mut self, place: Place) {
        let has_roots = self.roots.is_some();
        let callable = |helper: &&Helper| {
            let wants_memory = |param: &Param| matches!(param, Param::Input | Param::Element(_) | Param::Image(_));
            (place.group_uniform || !helper.group_uniform) && (has_roots || !helper.params.iter().any(wants_memory))
        };
        let callable: Vec<&Helper> = self.helpers.iter().filter(callable).collect();
        if callable.is_empty() {
            return;
        }
        let helper = (*self.random.choose(&callable)).clone();
        let args = helper.params.iter().map(|&param| self.argument(param)).collect();
        let inst = self.b.push(InstData::Call {
            callee: helper.callee,
            args,
            results: helper.results.iter().copied().collect(),
        });
        let results = self.b.func.inst(inst).results.clone();
        for mut result in results {
            if self.b.ty(result) == Type::MASK {
                result = self.b.convert(ConvertOp::MaskToInt, Elem::I32, result);
            }
            if let Some(variable) = self.variable(self.b.ty(result)) {
                self.write(variable, result);
            }
        }
    }

    /// What a function returns, or a kernel leaves.
    pub fn finish(&mut self) {
        if self.is_kernel {
            self.write_out();
        }
        let results = self.b.func.results.clone();
        let values: Vec<Value> = results
            .into_iter()
            .map(|ty| match ty {
                Type::MASK => self.condition(1),
                _ => self.value(ty, 1),
            })
            .collect();
        self.b.ret(&values);
    }
}
