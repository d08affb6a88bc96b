//! What guards stand before, and what the driver is told where one fails.

use super::Guards;
use super::accesses::{Bytes, Part};
use super::calls::SITE_BITS;
use super::objects::Root;
use super::site::{Object, Site, What};
use device::findings::NOWHERE;
use ir::*;

/// What a guard stands before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Guarded {
    /// An access stays within its object.
    Inside(Part),
    /// An access has the alignment that its type asks for.
    Aligned(Part),
    /// An integer division has a result.
    Division { dividend: Value, divisor: Value },
    /// What is said to hold. With what is told of it.
    Held(Held, Value),
    /// A private variable was written.
    Written(Slot),
    /// Memory that is read was written.
    Unwritten(Part),
    /// An access stays inside its image. With its coordinates.
    Image(ImageOp, Option<u32>, Value),
    /// All work-items have come to a barrier. With what is told of it.
    Barrier(Value),
}

/// A condition that must hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    pub ok: Value,
    pub of: Guarded,
}

impl Guards<'_> {
    /// Where an instruction is, and the calls that it was inlined by.
    pub(super) fn trace(&self, func: &Function, inst: Inst) -> Vec<SourcePlace> {
        let origins = func.origins.as_deref();
        let trace = origins.map_or(Vec::new(), |origins| origins.trace(origins.places[inst]));
        trace.iter().map(|&number| self.module.places[number].clone()).collect()
    }

    /// The number of a place where something is checked.
    pub(super) fn site(&mut self, func: &Function, inst: Inst, what: What) -> usize {
        let site = Site {
            what,
            trace: self.trace(func, inst),
            callee: self.callee.0,
        };
        // Neighbours in the source are neighbours in the list.
        let near = self.sites.len().saturating_sub(8);
        if !site.trace.is_empty()
            && let Some(position) = self.sites[near..].iter().position(|known| *known == site)
        {
            return near + position;
        }
        self.sites.push(site);
        // (No kernel has more. What would be told there is told of the last place.)
        (self.sites.len() - 1).min((1 << SITE_BITS) - 1)
    }

    /// Calls the driver, unless the guard holds, which one that is `alone` does not.
    pub(super) fn report(&mut self, func: &mut Function, block: Block, inst: Inst, guard: &Guard, alone: bool) {
        let object = |func: &Function, part: &Part| Object::of(part.root, func, self.module, self.info);
        let what = match &guard.of {
            Guarded::Inside(part) => What::Access {
                access: part.kind,
                object: object(func, part),
            },
            Guarded::Aligned(part) => What::Alignment {
                access: part.kind,
                object: object(func, part),
                align: part.align.bytes(),
            },
            Guarded::Division { .. } => What::Division,
            &Guarded::Held(held, _) => What::Held(held),
            Guarded::Written(slot) => What::Uninitialized {
                object: Object::of(Root::Slot(*slot), func, self.module, self.info),
            },
            Guarded::Unwritten(part) => What::Unwritten {
                global: !part.root.is_local(self.info),
                object: object(func, part),
            },
            &Guarded::Image(op, argument, _) => What::Image { op, argument },
            Guarded::Barrier(_) => What::Barrier,
        };
        let site = self.site(func, inst, what);
        let (bytes, detail) = match guard.of {
            Guarded::Inside(part) | Guarded::Unwritten(part) => (Some(part.bytes), self.extents.distance(func, block, &part)),
            Guarded::Aligned(part) => (Some(part.bytes), self.extents.address(func, block, &part)),
            Guarded::Division { dividend, divisor } => {
                // The dividend where its quotient by -1 is too large, 0 where the divisor is 0.
                let mut b = Builder::new(func, block);
                let [dividend, divisor] = [dividend, divisor].map(|value| b.convert(ConvertOp::SExt, Elem::I64, value));
                let (zero, by_zero) = (b.i64(0), b.icmp_imm(IntCc::Eq, divisor, 0));
                (None, b.select(by_zero, zero, dividend))
            }
            Guarded::Written(_) => (None, Builder::new(func, block).i64(0)),
            Guarded::Image(_, _, detail) | Guarded::Barrier(detail) | Guarded::Held(_, detail) => (None, detail),
        };
        let mut b = Builder::new(func, block);
        let bytes = match bytes {
            None => b.i64(0),
            Some(Bytes::Constant(bytes)) => b.i64((bytes << 32) as i64),
            Some(Bytes::Value(value)) => {
                let most = b.i64(u32::MAX.into());
                let least = b.binary(BinaryOp::UMin, value, most);
                b.binary_imm(BinaryOp::Shl, least, 32)
            }
        };
        let mut site = b.binary_imm(BinaryOp::Or, bytes, site as i64);
        if let Guarded::Inside(part) | Guarded::Aligned(part) | Guarded::Unwritten(part) = &guard.of
            && let Some(words) = self.extents.handed_on(part.root)
        {
            site = b.or(site, words.object);
        }
        if !alone {
            let nowhere = b.i64(NOWHERE as i64);
            site = b.select(guard.ok, nowhere, site);
        }
        let item = b.builtin(Builtin::GlobalLinearId, 0);
        match self.callee.1 {
            None => call(&mut b, Runtime::Found, &[site, detail, item]),
            Some(way) => call(&mut b, Runtime::FoundInCallee, &[site, detail, item, way]),
        }
    }
}

/// Calls the driver with what was found.
pub(super) fn call(b: &mut Builder, routine: Runtime, found: &[Value]) {
    let records = [b.builtin(Builtin::Launch, 0), b.builtin(Builtin::Worker, 0)];
    let args: ValueList = records.iter().chain(found).copied().collect();
    b.push(InstData::CallRuntime { routine, args });
}
