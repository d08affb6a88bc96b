//! Sub-groups.

use crate::row::{Features, Row, version};
use rspirv::spirv::Capability;

pub(super) static ROWS: &[&Row] = &[
    &SUBGROUPS,
    &SUBGROUP_EXTENDED_TYPES,
    &SUBGROUP_NON_UNIFORM_VOTE,
    &SUBGROUP_BALLOT,
    &SUBGROUP_NON_UNIFORM_ARITHMETIC,
    &SUBGROUP_SHUFFLE,
    &SUBGROUP_SHUFFLE_RELATIVE,
    &SUBGROUP_CLUSTERED_REDUCE,
    &SUBGROUP_ROTATE,
    &SUBGROUP_NAMED_BARRIER,
    &SHADER_BALLOT,
    &SHADER_VOTE,
];

/// Core sub-groups, and besides that independent forward progress.
static SUBGROUPS: Row = Row {
    opencl: &[("cl_khr_subgroups", version(1, 0, 0))],
    features: Features::INDEPENDENT_FORWARD_PROGRESS,
    needs: &["core:sub_groups"],
    ..Row::off(
        "cl_khr_subgroups",
        "sub-groups of a work-group run one after another between barriers: they can't wait for each other",
    )
};

static SUBGROUP_EXTENDED_TYPES: Row = Row {
    opencl: &[("cl_khr_subgroup_extended_types", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    features: Features::SUB_GROUP_EXTENDED_TYPES,
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_extended_types")
};

static SUBGROUP_NON_UNIFORM_VOTE: Row = Row {
    opencl: &[("cl_khr_subgroup_non_uniform_vote", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformVote],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_non_uniform_vote")
};

static SUBGROUP_BALLOT: Row = Row {
    opencl: &[("cl_khr_subgroup_ballot", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformBallot],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_ballot")
};

static SUBGROUP_NON_UNIFORM_ARITHMETIC: Row = Row {
    opencl: &[("cl_khr_subgroup_non_uniform_arithmetic", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformArithmetic],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_non_uniform_arithmetic")
};

static SUBGROUP_SHUFFLE: Row = Row {
    opencl: &[("cl_khr_subgroup_shuffle", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformShuffle],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_shuffle")
};

static SUBGROUP_SHUFFLE_RELATIVE: Row = Row {
    opencl: &[("cl_khr_subgroup_shuffle_relative", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformShuffleRelative],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_shuffle_relative")
};

static SUBGROUP_CLUSTERED_REDUCE: Row = Row {
    opencl: &[("cl_khr_subgroup_clustered_reduce", version(1, 0, 0))],
    level_zero: &["ZE_extension_subgroups"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformClustered],
    features: Features::SUB_GROUP_CLUSTERED,
    needs: &["core:sub_groups", "cl_khr_subgroup_non_uniform_arithmetic"],
    ..Row::on("cl_khr_subgroup_clustered_reduce")
};

static SUBGROUP_ROTATE: Row = Row {
    opencl: &[("cl_khr_subgroup_rotate", version(1, 0, 0))],
    spirv_extensions: &["SPV_KHR_subgroup_rotate"],
    capabilities: &[Capability::GroupNonUniform, Capability::GroupNonUniformRotateKHR],
    needs: &["core:sub_groups"],
    ..Row::on("cl_khr_subgroup_rotate")
};

/// Named barriers hold up some of a work-group's sub-groups, while the others go on.
static SUBGROUP_NAMED_BARRIER: Row = Row {
    opencl: &[("cl_khr_subgroup_named_barrier", version(1, 0, 0))],
    capabilities: &[Capability::NamedBarrier],
    needs: &["core:sub_groups"],
    ..Row::off(
        "cl_khr_subgroup_named_barrier",
        "a work-group's sub-groups run one after another, from one barrier that all of them reach to the next; at a barrier of some of them, \
         none could go on",
    )
};

/// OpSubgroupBallotKHR, OpSubgroupFirstInvocationKHR, OpSubgroupReadInvocationKHR.
static SHADER_BALLOT: Row = Row {
    spirv_extensions: &["SPV_KHR_shader_ballot"],
    not_from_clang: &["SPV_KHR_shader_ballot"],
    capabilities: &[Capability::SubgroupBallotKHR],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_KHR_shader_ballot")
};

/// OpSubgroupAllKHR and its kin.
static SHADER_VOTE: Row = Row {
    spirv_extensions: &["SPV_KHR_subgroup_vote"],
    not_from_clang: &["SPV_KHR_subgroup_vote"],
    capabilities: &[Capability::SubgroupVoteKHR],
    needs: &["core:sub_groups"],
    ..Row::on("SPV_KHR_subgroup_vote")
};
