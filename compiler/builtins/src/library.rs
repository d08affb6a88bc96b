//! Functions of the library that stay functions: written into a module once, when first called.

use ir::{Builder, FuncRef, Function, InstData, Level, Module, Type, TypeList, Value, ValueList};
use rustc_hash::FxHashMap;

/// How exact functions have to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Precision {
    /// `-cl-fast-relaxed-math`, `-cl-unsafe-math-optimizations`: the relaxed limits of OpenCL C §7.4 will do.
    pub relaxed: bool,
    /// The machine looks up entries of small tables of doubles in registers.
    pub has_tables: bool,
    /// Fractions, exponents and products with powers of two are an instruction each or a few. Powers of infinite numbers are infinite or 0.
    pub has_powers: bool,
    /// So are minima and maxima of integers of 64 bits.
    pub has_long_minima: bool,
    /// A root and a quotient of doubles take longer than twice as many products and sums as an inverse root takes, and there are no estimates.
    pub has_slow_roots: bool,
}

/// Functions that a module has already.
#[derive(Clone, Debug, Default)]
pub struct LibraryCache {
    known: FxHashMap<(&'static str, Type, Precision), FuncRef>,
}

/// Where library functions are written.
pub struct Library<'a> {
    /// The module that gets them.
    pub module: &'a mut Module,
    /// Those that it has.
    pub cache: &'a mut LibraryCache,
    /// What is asked of them.
    pub precision: Precision,
}

impl Library<'_> {
    /// Calls a library function, which `write` makes when it is not there yet: it is given a builder at the entry block of a new function, and
    /// its parameters, and returns the results (the builder may stand in another block by then).
    pub fn call(
        &mut self,
        b: &mut Builder,
        name: &'static str,
        args: &[Value],
        results: &[Type],
        write: impl FnOnce(&mut Builder, &mut Library, &[Value]) -> ValueList,
    ) -> ValueList {
        let key = (name, b.ty(args[0]), self.precision);
        let callee = match self.cache.known.get(&key) {
            Some(&known) => known,
            None => {
                let mut func = Function::new(format!("{name}.{}", b.ty(args[0])), Level::WorkItem, results);
                let entry = func.add_block();
                let params: Vec<Value> = args.iter().map(|&arg| func.add_param(entry, b.ty(arg))).collect();
                let mut inside = Builder::new(&mut func, entry);
                let values = write(&mut inside, self, &params);
                inside.ret(&values);
                let callee = self.module.functions.push(func);
                self.cache.known.insert(key, callee);
                callee
            }
        };
        let call = b.push(InstData::Call {
            callee,
            args: ValueList::from_slice(args),
            results: TypeList::from_slice(results),
        });
        b.func.inst(call).results.iter().copied().collect()
    }
}
