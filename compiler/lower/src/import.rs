//! Calls of functions that no module defines: built-ins of OpenCL C that compilers leave behind by their mangled names.

use super::Failure;
use super::arithmetic::{clamp_int, resize_int};
use super::atomic::Place;
use super::conversion::{float_to_float, float_to_int, int_to_float};
use super::function::{Lowering, Result};
use super::image::{ImageField, MipLevel};
use super::value::{BuiltInPointer, Component, Pointer, Scalars, Val};
use builtins::StdOp;
use ir::*;
use rspirv::spirv::{BuiltIn, Dim};
use spirv::{Id, Instruction, Type as SpirvType};

/// An Itanium-mangled function: its name, and its parameters as they are mangled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mangled<'a> {
    pub name: &'a str,
    parameters: &'a str,
}

impl<'a> Mangled<'a> {
    fn parse(symbol: &'a str) -> Mangled<'a> {
        let plain = Mangled {
            name: symbol,
            parameters: "",
        };
        let Some(rest) = symbol.strip_prefix("_Z") else { return plain };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(length) = rest[..digits].parse::<usize>() else {
            return plain;
        };
        match rest[digits..].split_at_checked(length) {
            Some((name, parameters)) => Mangled { name, parameters },
            None => plain,
        }
    }

    /// The last parameter's type is a signed integer.
    fn last_is_signed(&self) -> bool {
        matches!(self.parameters.bytes().last(), Some(b'c' | b'a' | b's' | b'i' | b'l'))
    }

    /// The first parameter's element is a signed integer.
    fn first_is_signed(&self) -> bool {
        let mut rest = self.parameters;
        if let Some(vector) = rest.strip_prefix("Dv") {
            rest = vector.split_once('_').map_or("", |(_, element)| element);
        }
        matches!(rest.bytes().next(), Some(b'c' | b'a' | b's' | b'i' | b'l'))
    }
}

impl<'m> Lowering<'_, 'm> {
    /// A call of a function that no module defines.
    pub(super) fn call_import(&mut self, inst: &Instruction<'m>) -> Result<()> {
        let symbol = self.spirv.linkage(inst.word(0)).map(|(name, _)| name).unwrap_or_default();
        let mangled = Mangled::parse(&symbol);
        let operands = inst.operands.get(1..).unwrap_or(&[]);
        match (mangled.name, operands) {
            ("__assert_fail", &[expression, file, line, function, ..]) => return self.assert_fail([file, line, function, expression]),
            ("__brolga_null_reserve_id", _) => {
                self.null_reservation(inst);
                return Ok(());
            }
            _ => {}
        }
        if let Some(row) = self.lacking_row(inst, mangled, operands) {
            return Err(Failure::Message(format!(
                "the built-in function '{}' needs {row}, which the device does not have",
                mangled.name
            )));
        }
        let known = self.imported_conversion(inst, mangled, operands)?
            || self.imported_atomic(inst, mangled, operands)?
            || self.imported_fence(inst, mangled, operands)?
            || self.imported_pointer(inst, mangled, operands)?
            || self.imported_id(inst, mangled, operands)?
            || self.imported_image(inst, mangled, operands)?
            || self.imported_standard(inst, mangled, operands)?;
        match known {
            true => Ok(()),
            false => Err(Failure::Link(format!(
                "the function '{symbol}' is called, but no module of the program defines it"
            ))),
        }
    }

    /// What C's `assert` calls: says where it stands, and stops the launch.
    fn assert_fail(&mut self, parts: [Id; 4]) -> Result<()> {
        let global = self.program.ir.globals.push(GlobalData {
            name: "assertion".into(),
            align: 1,
            constant: true,
            bytes: b"%s:%u: %s: Assertion `%s' failed.\n\0".to_vec(),
            relocations: Vec::new(),
        });
        let format = self.root(InstData::GlobalAddress { global });
        self.print(format, &parts)?;
        // The block goes on for lowering's sake: a condition that is always true leaves it.
        let (stop, after) = (self.func.add_block(), self.func.add_block());
        let always = self.b().mask(Type::MASK, true);
        self.b().branch(always, to(stop, &[]), to(after, &[]));
        self.block = stop;
        self.b().push(InstData::Trap {
            reason: device::abi::Trap::Assertion as u32,
        });
        self.block = after;
        Ok(())
    }

    /// `convert_uchar4_sat_rte` and its kin.
    fn imported_conversion(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let (Some(target), &[operand]) = (mangled.name.strip_prefix("convert_"), operands) else {
            return Ok(false);
        };
        let mut rounding = None;
        let mut saturate = false;
        for suffix in target.split('_').skip(1) {
            match suffix {
                "sat" => saturate = true,
                "rte" => rounding = Some(Rounding::Nearest),
                "rtz" => rounding = Some(Rounding::Zero),
                "rtp" => rounding = Some(Rounding::Up),
                "rtn" => rounding = Some(Rounding::Down),
                _ => return Ok(false),
            }
        }
        let to_signed = !target.starts_with('u');
        let from_signed = mangled.first_is_signed();
        let elem = self.result_elem(inst)?;
        let values = self.scalars(operand)?;
        let mut results = Scalars::new();
        for &value in &values {
            let b = &mut self.b();
            results.push(match (b.ty(value).elem.is_float(), elem.is_float()) {
                (true, true) => float_to_float(b, elem, value, rounding.unwrap_or(Rounding::Nearest)),
                (true, false) => float_to_int(b, elem, value, to_signed, rounding.unwrap_or(Rounding::Zero), saturate),
                (false, true) => int_to_float(b, elem, value, from_signed, rounding.unwrap_or(Rounding::Nearest)),
                (false, false) => {
                    let value = if saturate {
                        clamp_int(b, elem, value, from_signed, to_signed)
                    } else {
                        value
                    };
                    resize_int(b, elem, value, from_signed)
                }
            });
        }
        self.define(inst, results);
        Ok(true)
    }

    /// `atomic_inc`, `atom_max`, `atomic_fetch_min_explicit` and their kin.
    fn imported_atomic(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let Some(name) = mangled.name.strip_prefix("atomic_").or_else(|| mangled.name.strip_prefix("atom_")) else {
            return Ok(false);
        };
        let (name, explicit) = match name.strip_suffix("_explicit") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let (name, fetch) = match name.strip_prefix("fetch_") {
            Some(name) => (name, true),
            None => (name, name == "exchange"),
        };
        let Some(&place) = operands.first() else { return Ok(false) };
        let elem = self.result_elem(inst).unwrap_or(Elem::I32);
        let ty = Type::scalar(elem);
        // With `_explicit` the order and perhaps the scope follow; the value's type stands before them.
        let signed = if explicit {
            mangled.parameters.contains("Atomici") || mangled.parameters.contains("Atomicl")
        } else {
            mangled.last_is_signed()
        };
        let (op, value) = match name {
            "inc" => (AtomicOp::Add, self.constant(ty, 1)),
            "dec" => (AtomicOp::Sub, self.constant(ty, 1)),
            "cmpxchg" => {
                let &[_, expected, desired] = operands else { return Ok(false) };
                let (expected, desired) = (self.scalar(expected)?, self.scalar(desired)?);
                let place = self.imported_place(place, elem, Order::Relaxed, Scope::Device)?;
                let old = self.b().value(place.compare_exchange(expected, desired));
                self.define_scalar(inst, old);
                return Ok(true);
            }
            _ => {
                let Some(op) = atomic_named(name, elem.is_float(), signed) else {
                    return Ok(false);
                };
                let &[_, value, ..] = operands else { return Ok(false) };
                (op, self.scalar(value)?)
            }
        };
        // The functions of OpenCL 1 are relaxed, those of C11 sequentially consistent if nothing else is said.
        let order = match (fetch, operands.get(2)) {
            (false, _) => Order::Relaxed,
            (true, Some(&order)) if explicit => c_order(self.literal(order)),
            (true, _) => Order::SequentiallyConsistent,
        };
        let scope = match operands.get(3) {
            Some(&scope) if explicit => c_scope(self.literal(scope)),
            _ => Scope::Device,
        };
        let place = self.imported_place(place, elem, order, scope)?;
        let old = self.b().value(place.rmw(op, value));
        self.define_scalar(inst, old);
        Ok(true)
    }

    fn imported_place(&mut self, pointer: Id, elem: Elem, order: Order, scope: Scope) -> Result<Place> {
        let pointer = self.pointer(pointer)?;
        let mem = pointer.mem(elem.bytes(), MemFlags::empty());
        let address = self.materialize(&pointer);
        Ok(Place {
            address,
            mem,
            order,
            scope,
        })
    }

    fn imported_fence(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let memory = match operands {
            [_, scope] => c_scope(self.literal(*scope)),
            _ => Scope::WorkGroup,
        };
        match mangled.name {
            "mem_fence" => self.fence(Order::AcquireRelease, Scope::WorkGroup),
            "read_mem_fence" => self.fence(Order::Acquire, Scope::WorkGroup),
            "write_mem_fence" => self.fence(Order::Release, Scope::WorkGroup),
            "barrier" | "work_group_barrier" => self.barrier(Scope::WorkGroup, Order::AcquireRelease, memory),
            "sub_group_barrier" => self.barrier(Scope::SubGroup, Order::AcquireRelease, memory),
            _ => return Ok(false),
        }
        self.bind(inst.result, Val::Scalars(Scalars::new()));
        Ok(true)
    }

    fn imported_pointer(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let &[operand] = operands else { return Ok(false) };
        let space = match mangled.name {
            "__to_global" | "to_global" => Space::Global,
            "__to_local" | "to_local" => Space::Local,
            "__to_private" | "to_private" => Space::Private,
            "get_fence" => {
                let pointer = self.scalar(operand)?;
                let (local, _) = self.places(pointer);
                let (to_local, to_global) = (self.i32(1), self.i32(2));
                let fence = self.b().select(local, to_local, to_global);
                self.define_scalar(inst, fence);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let pointer = self.pointer(operand)?;
        let result = self.cast_explicitly(&pointer, space);
        // It stays a generic pointer to the module.
        self.bind(inst.result, Val::Pointer(Pointer::new(result, space)));
        Ok(true)
    }

    /// `get_global_id` and its kin.
    fn imported_id(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let built_in = match mangled.name {
            "get_global_id" => BuiltIn::GlobalInvocationId,
            "get_local_id" => BuiltIn::LocalInvocationId,
            "get_group_id" => BuiltIn::WorkgroupId,
            "get_global_size" => BuiltIn::GlobalSize,
            "get_local_size" => BuiltIn::WorkgroupSize,
            "get_enqueued_local_size" => BuiltIn::EnqueuedWorkgroupSize,
            "get_num_groups" => BuiltIn::NumWorkgroups,
            "get_global_offset" => BuiltIn::GlobalOffset,
            "get_global_linear_id" => BuiltIn::GlobalLinearId,
            "get_local_linear_id" => BuiltIn::LocalInvocationIndex,
            "get_work_dim" => BuiltIn::WorkDim,
            "get_sub_group_size" => BuiltIn::SubgroupSize,
            "get_max_sub_group_size" => BuiltIn::SubgroupMaxSize,
            "get_num_sub_groups" => BuiltIn::NumSubgroups,
            "get_enqueued_num_sub_groups" => BuiltIn::NumEnqueuedSubgroups,
            "get_sub_group_id" => BuiltIn::SubgroupId,
            "get_sub_group_local_id" => BuiltIn::SubgroupLocalInvocationId,
            _ => return Ok(false),
        };
        let elem = self.result_elem(inst)?;
        let Some(&dimension) = operands.first() else {
            let value = self.load_built_in(&BuiltInPointer {
                built_in,
                type_id: inst.result_type,
                component: None,
            })?;
            self.define(inst, value);
            return Ok(true);
        };
        let dimension = self.scalar(dimension)?;
        let sizes = !matches!(
            mangled.name,
            "get_global_id" | "get_local_id" | "get_group_id" | "get_global_offset"
        );
        let ty = Type::scalar(elem);
        let beyond = self.constant(ty, u64::from(sizes));
        let mut value = beyond;
        for n in 0..3 {
            let pointer = BuiltInPointer {
                built_in,
                type_id: inst.result_type,
                component: Some(Component::Constant(n)),
            };
            let here = self.load_built_in(&pointer)?[0];
            let b = &mut self.b();
            let chosen = b.icmp_imm(IntCc::Eq, dimension, i64::from(n));
            value = b.select(chosen, here, value);
        }
        self.define_scalar(inst, value);
        Ok(true)
    }

    /// `read_imageh`, `get_image_channel_order` and their kin.
    fn imported_image(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let Some(&image) = operands.first() else { return Ok(false) };
        let SpirvType::Image(ty) = *self.spirv.value_type(image) else {
            return Ok(false);
        };
        // Functions of mip levels have names of our own (`source::mipmaps`).
        let name = mangled.name.strip_prefix("__brolga_").unwrap_or(mangled.name);
        let fields: &[ImageField] = match name {
            "get_image_width" => &[ImageField::Width],
            "get_image_height" => &[ImageField::Height],
            "get_image_depth" => &[ImageField::Depth],
            "get_image_array_size" => &[ImageField::ArraySize],
            "get_image_dim" if ty.dim == Dim::Dim3D => &[ImageField::Width, ImageField::Height, ImageField::Depth],
            "get_image_dim" => &[ImageField::Width, ImageField::Height],
            "get_image_channel_order" => &[ImageField::Order],
            "get_image_channel_data_type" => &[ImageField::DataType],
            "get_image_num_mip_levels" => &[ImageField::Levels],
            "get_image_num_samples" => &[ImageField::Samples],
            "read_imagef" | "read_imagei" | "read_imageui" | "read_imageh" => {
                let mut handles = Scalars::from_slice(&[self.scalar(image)?]);
                let mut rest = &operands[1..];
                if let Some((&sampler, after)) = rest.split_first()
                    && *self.spirv.value_type(sampler) == SpirvType::Sampler
                {
                    handles.push(self.scalar(sampler)?);
                    rest = after;
                }
                let &[coordinate, ref level @ ..] = rest else { return Ok(false) };
                let level = match *level {
                    [lod] if handles.len() == 2 => Some(MipLevel::Lod(lod)),
                    [dx, dy] => Some(MipLevel::Gradients(dx, dy)),
                    _ => None,
                };
                self.image_read(inst, self.spirv.type_of(image), &handles, coordinate, level)?;
                return Ok(true);
            }
            "write_imagef" | "write_imagei" | "write_imageui" | "write_imageh" => {
                let (coordinate, level, texel) = match *operands {
                    [_, coordinate, texel] => (coordinate, None, texel),
                    [_, coordinate, level, texel] => (coordinate, Some(MipLevel::Lod(level)), texel),
                    _ => return Ok(false),
                };
                self.image_write(image, coordinate, level, texel)?;
                self.bind(inst.result, Val::Scalars(Scalars::new()));
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let image = self.scalar(image)?;
        self.image_query(inst, image, fields)?;
        Ok(true)
    }

    /// A function of OpenCL.std by its name in OpenCL C.
    fn imported_standard(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[u32]) -> Result<bool> {
        let signedness = if mangled.first_is_signed() { "s_" } else { "u_" };
        let op = standard_named(mangled.name).or_else(|| standard_named(&format!("{signedness}{}", mangled.name)));
        let float = self.result_elem(inst).is_ok_and(Elem::is_float);
        self.flags = self.arithmetic_flags(inst, float);
        match op {
            // Those with literal operands have other parameters as functions.
            Some(op) if !operands.is_empty() && !format!("{op:?}").starts_with('v') => self.standard(inst, op, operands).map(|()| true),
            _ => Ok(false),
        }
    }
}

fn standard_named(name: &str) -> Option<StdOp> {
    (0..256).filter_map(StdOp::from_u32).find(|op| format!("{op:?}") == name)
}

fn atomic_named(name: &str, float: bool, signed: bool) -> Option<AtomicOp> {
    Some(match (name, float) {
        ("xchg" | "exchange", _) => AtomicOp::Exchange,
        ("add", true) => AtomicOp::FAdd,
        ("min", true) => AtomicOp::FMin,
        ("max", true) => AtomicOp::FMax,
        ("add", false) => AtomicOp::Add,
        ("sub", false) => AtomicOp::Sub,
        ("and", false) => AtomicOp::And,
        ("or", false) => AtomicOp::Or,
        ("xor", false) => AtomicOp::Xor,
        ("min", false) if signed => AtomicOp::SMin,
        ("max", false) if signed => AtomicOp::SMax,
        ("min", false) => AtomicOp::UMin,
        ("max", false) => AtomicOp::UMax,
        _ => return None,
    })
}

/// memory_order as clang numbers it.
pub(super) fn c_order(word: Option<u64>) -> Order {
    match word {
        Some(0) => Order::Relaxed,
        Some(1 | 2) => Order::Acquire,
        Some(3) => Order::Release,
        Some(4) => Order::AcquireRelease,
        _ => Order::SequentiallyConsistent,
    }
}

/// memory_scope as clang numbers it.
pub(super) fn c_scope(word: Option<u64>) -> Scope {
    match word {
        Some(0) => Scope::WorkItem,
        Some(1) => Scope::WorkGroup,
        Some(2) => Scope::Device,
        Some(4) => Scope::SubGroup,
        _ => Scope::AllDevices,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parameters_are_read_off_symbols() {
        let mangled = Mangled::parse("_Z17convert_half4_rtzDv4_f");
        assert_eq!(
            mangled,
            Mangled {
                name: "convert_half4_rtz",
                parameters: "Dv4_f"
            }
        );
        assert!(Mangled::parse("_Z10atomic_minPU3AS1Vii").last_is_signed());
        assert!(!Mangled::parse("_Z10atomic_maxPU3AS3Vjj").last_is_signed());
        assert!(Mangled::parse("_Z11convert_intDv4_s").first_is_signed());
        assert_eq!(Mangled::parse("_Z99x").name, "_Z99x");
        assert_eq!(standard_named("fma"), Some(StdOp::fma));
    }
}
