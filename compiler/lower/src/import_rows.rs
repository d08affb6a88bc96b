//! Which rows of the registry built-in functions are of that modules call by their mangled names: what is switched off is not there by this way,
//! either.

use super::function::Lowering;
use super::import::{Mangled, c_order, c_scope};
use ir::{Elem, Order, Scope};
use rspirv::spirv::Dim;
use smallvec::SmallVec;
use spirv::{Id, Instruction, Type as SpirvType};

type Rows = SmallVec<[&'static str; 4]>;

impl<'m> Lowering<'_, 'm> {
    /// The first row that a function needs and the device lacks. What types need, validation has seen to.
    pub(super) fn lacking_row(&mut self, inst: &Instruction<'m>, mangled: Mangled, operands: &[Id]) -> Option<&'static str> {
        let registry = vendors::supported();
        let is_of_type = |id: &Id, wanted: &dyn Fn(&SpirvType) -> bool| wanted(self.spirv.value_type(*id));
        let image = operands.first().and_then(|&first| match *self.spirv.value_type(first) {
            SpirvType::Image(ty) => Some(ty.dim),
            _ => None,
        });
        let mut needed = Rows::new();
        if let Some(dim) = image {
            let samples = operands.iter().any(|id| is_of_type(id, &|ty| *ty == SpirvType::Sampler));
            needed.extend(image_rows(mangled.name, dim, operands.len(), samples));
        } else if let Some(operation) = mangled.name.strip_prefix("atomic_").or_else(|| mangled.name.strip_prefix("atom_")) {
            let elem = self.result_elem(inst).unwrap_or(Elem::I32);
            needed.extend(atomic_row(operation, elem));
            if operation.ends_with("_explicit") {
                if let Some(&order) = operands.get(2) {
                    needed.extend(order_row(c_order(self.literal(order))));
                }
                if let Some(&scope) = operands.get(3) {
                    needed.extend(scope_row(c_scope(self.literal(scope))));
                }
            }
        } else {
            needed.extend(row_of(mangled.name));
        }
        needed.into_iter().find(|row| !registry.has(row))
    }
}

/// Of functions of images: whether they take a sampler, and how many operands they have, tells which are of mip levels.
fn image_rows(name: &str, dim: Dim, operands: usize, samples: bool) -> Rows {
    let mut rows = Rows::new();
    rows.push("core:images");
    // Names of our own are those of mip levels (`source::mipmaps`).
    let plain = name.strip_prefix("__brolga_").unwrap_or(name);
    let reads = plain.starts_with("read_image");
    let writes = plain.starts_with("write_image");
    if matches!(plain, "read_imageh" | "write_imageh") {
        rows.push("cl_khr_fp16");
    }
    if plain == "get_image_num_mip_levels" || reads && operands > 2 + usize::from(samples) {
        rows.push("cl_khr_mipmap_image");
    }
    if writes && operands > 3 {
        rows.push("cl_khr_mipmap_image_writes");
    }
    if writes && dim == Dim::Dim3D {
        rows.push("cl_khr_3d_image_writes");
    }
    if plain == "get_image_num_samples" {
        rows.push("cl_khr_gl_msaa_sharing");
    }
    rows
}

fn atomic_row(operation: &str, elem: Elem) -> Option<&'static str> {
    let float = |row: &'static str| {
        let computes = ["add", "sub", "min", "max"].iter().any(|name| operation.contains(name));
        computes.then_some(row)
    };
    match elem {
        Elem::F16 => float("cl_ext_float_atomics:half"),
        Elem::F32 => float("cl_ext_float_atomics:single"),
        Elem::F64 => float("cl_ext_float_atomics:double"),
        Elem::I64 => Some("cl_khr_int64_atomics"),
        _ => None,
    }
}

fn order_row(order: Order) -> Option<&'static str> {
    match order {
        Order::Relaxed => None,
        Order::SequentiallyConsistent => Some("core:atomic_order_seq_cst"),
        _ => Some("core:atomic_order_acq_rel"),
    }
}

fn scope_row(scope: Scope) -> Option<&'static str> {
    match scope {
        Scope::AllDevices => Some("core:atomic_scope_all_devices"),
        Scope::Device => Some("core:atomic_scope_device"),
        Scope::SubGroup => Some("core:sub_groups"),
        _ => None,
    }
}

fn row_of(name: &str) -> Option<&'static str> {
    match name {
        "get_fence" | "to_global" | "to_local" | "to_private" | "__to_global" | "__to_local" | "__to_private" => {
            Some("core:generic_address_space")
        }
        _ if name.contains("sub_group") => Some("core:sub_groups"),
        _ => None,
    }
}
