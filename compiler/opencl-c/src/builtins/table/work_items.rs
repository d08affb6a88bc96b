//! Work-item functions (6.15.1).

use crate::builtins::row::{Emit, Row};
use rspirv::spirv::BuiltIn;

const fn component(name: &'static str, variable: BuiltIn, beyond: u64) -> Row {
    Row::new(name, "size_t(uint)", "", Emit::Component(variable, beyond))
}

const fn plain(name: &'static str, signature: &'static str, when: &'static str, variable: BuiltIn) -> Row {
    Row::new(name, signature, when, Emit::Variable(variable))
}

pub static ROWS: &[Row] = &[
    plain("get_work_dim", "uint()", "", BuiltIn::WorkDim),
    component("get_global_size", BuiltIn::GlobalSize, 1),
    component("get_global_id", BuiltIn::GlobalInvocationId, 0),
    component("get_local_size", BuiltIn::WorkgroupSize, 1),
    Row::new(
        "get_enqueued_local_size",
        "size_t(uint)",
        "2.0",
        Emit::Component(BuiltIn::EnqueuedWorkgroupSize, 1),
    ),
    component("get_local_id", BuiltIn::LocalInvocationId, 0),
    component("get_num_groups", BuiltIn::NumWorkgroups, 1),
    component("get_group_id", BuiltIn::WorkgroupId, 0),
    component("get_global_offset", BuiltIn::GlobalOffset, 0),
    plain("get_global_linear_id", "size_t()", "2.0", BuiltIn::GlobalLinearId),
    plain("get_local_linear_id", "size_t()", "2.0", BuiltIn::LocalInvocationIndex),
    // 6.15.19: sub-groups.
    plain("get_sub_group_size", "uint()", "sub_groups", BuiltIn::SubgroupSize),
    plain("get_max_sub_group_size", "uint()", "sub_groups", BuiltIn::SubgroupMaxSize),
    plain("get_num_sub_groups", "uint()", "sub_groups", BuiltIn::NumSubgroups),
    plain(
        "get_enqueued_num_sub_groups",
        "uint()",
        "2.0 & sub_groups",
        BuiltIn::NumEnqueuedSubgroups,
    ),
    plain("get_sub_group_id", "uint()", "sub_groups", BuiltIn::SubgroupId),
    plain("get_sub_group_local_id", "uint()", "sub_groups", BuiltIn::SubgroupLocalInvocationId),
    plain(
        "get_sub_group_eq_mask",
        "uint4()",
        "cl_khr_subgroup_ballot",
        BuiltIn::SubgroupEqMask,
    ),
    plain(
        "get_sub_group_ge_mask",
        "uint4()",
        "cl_khr_subgroup_ballot",
        BuiltIn::SubgroupGeMask,
    ),
    plain(
        "get_sub_group_gt_mask",
        "uint4()",
        "cl_khr_subgroup_ballot",
        BuiltIn::SubgroupGtMask,
    ),
    plain(
        "get_sub_group_le_mask",
        "uint4()",
        "cl_khr_subgroup_ballot",
        BuiltIn::SubgroupLeMask,
    ),
    plain(
        "get_sub_group_lt_mask",
        "uint4()",
        "cl_khr_subgroup_ballot",
        BuiltIn::SubgroupLtMask,
    ),
];
