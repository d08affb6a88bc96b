//! Collective functions of sub-groups (6.15.19), and what Khronos's extensions add to them.

use crate::builtins::row::{ALL, COLLECTIVE, Emit, Group, INTEGERS, NUMBERS, ONE, Row, SMALL, VECTORS};
use rspirv::spirv::{GroupOperation, Op};

const WHEN: &str = "sub_groups";
const TYPES: &str = "cl_khr_subgroup_extended_types & sub_groups";
const VOTE: &str = "cl_khr_subgroup_non_uniform_vote";
const BALLOT: &str = "cl_khr_subgroup_ballot";
const ARITHMETIC: &str = "cl_khr_subgroup_non_uniform_arithmetic";
const SHUFFLE: &str = "cl_khr_subgroup_shuffle";
const RELATIVE: &str = "cl_khr_subgroup_shuffle_relative";
const CLUSTERED: &str = "cl_khr_subgroup_clustered_reduce";
const ROTATE: &str = "cl_khr_subgroup_rotate";

const ADD: [Op; 3] = [Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd];
const MIN: [Op; 3] = [Op::GroupSMin, Op::GroupUMin, Op::GroupFMin];
const MAX: [Op; 3] = [Op::GroupSMax, Op::GroupUMax, Op::GroupFMax];

const fn arithmetic(name: &'static str, operation: GroupOperation, ops: [Op; 3]) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        COLLECTIVE,
        ONE,
        WHEN,
        Emit::GroupArithmetic(Group::Sub, operation, ops),
    )
}

const fn small(name: &'static str, operation: GroupOperation, ops: [Op; 3]) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        SMALL,
        ONE,
        TYPES,
        Emit::GroupArithmetic(Group::Sub, operation, ops),
    )
}

pub static ROWS: &[Row] = &[
    Row::new("sub_group_all", "int(int)", WHEN, Emit::Group(Group::Sub, Op::GroupAll)),
    Row::new("sub_group_any", "int(int)", WHEN, Emit::Group(Group::Sub, Op::GroupAny)),
    Row::of(
        "sub_group_broadcast",
        "gentype(gentype, uint)",
        COLLECTIVE,
        ONE,
        WHEN,
        Emit::GroupBroadcast(Group::Sub),
    ),
    Row::of(
        "sub_group_broadcast",
        "gentype(gentype, uint)",
        SMALL,
        ONE,
        TYPES,
        Emit::GroupBroadcast(Group::Sub),
    ),
    Row::of(
        "sub_group_broadcast",
        "gentype(gentype, uint)",
        NUMBERS,
        VECTORS,
        TYPES,
        Emit::GroupBroadcast(Group::Sub),
    ),
    arithmetic("sub_group_reduce_add", GroupOperation::Reduce, ADD),
    arithmetic("sub_group_reduce_min", GroupOperation::Reduce, MIN),
    arithmetic("sub_group_reduce_max", GroupOperation::Reduce, MAX),
    arithmetic("sub_group_scan_exclusive_add", GroupOperation::ExclusiveScan, ADD),
    arithmetic("sub_group_scan_exclusive_min", GroupOperation::ExclusiveScan, MIN),
    arithmetic("sub_group_scan_exclusive_max", GroupOperation::ExclusiveScan, MAX),
    arithmetic("sub_group_scan_inclusive_add", GroupOperation::InclusiveScan, ADD),
    arithmetic("sub_group_scan_inclusive_min", GroupOperation::InclusiveScan, MIN),
    arithmetic("sub_group_scan_inclusive_max", GroupOperation::InclusiveScan, MAX),
    small("sub_group_reduce_add", GroupOperation::Reduce, ADD),
    small("sub_group_reduce_min", GroupOperation::Reduce, MIN),
    small("sub_group_reduce_max", GroupOperation::Reduce, MAX),
    small("sub_group_scan_exclusive_add", GroupOperation::ExclusiveScan, ADD),
    small("sub_group_scan_exclusive_min", GroupOperation::ExclusiveScan, MIN),
    small("sub_group_scan_exclusive_max", GroupOperation::ExclusiveScan, MAX),
    small("sub_group_scan_inclusive_add", GroupOperation::InclusiveScan, ADD),
    small("sub_group_scan_inclusive_min", GroupOperation::InclusiveScan, MIN),
    small("sub_group_scan_inclusive_max", GroupOperation::InclusiveScan, MAX),
];

const fn plain(name: &'static str, signature: &'static str, when: &'static str, op: Op) -> Row {
    Row::new(name, signature, when, Emit::NonUniform(op))
}

const fn lanes(name: &'static str, signature: &'static str, when: &'static str, op: Op) -> Row {
    Row::of(name, signature, NUMBERS, ONE, when, Emit::NonUniform(op))
}

const fn reduce(name: &'static str, operation: GroupOperation, ops: [Op; 3]) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        NUMBERS,
        ONE,
        ARITHMETIC,
        Emit::NonUniformArithmetic(operation, ops),
    )
}

const fn bitwise(name: &'static str, operation: GroupOperation, op: Op) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        INTEGERS,
        ONE,
        ARITHMETIC,
        Emit::NonUniformArithmetic(operation, [op; 3]),
    )
}

const fn logical(name: &'static str, operation: GroupOperation, op: Op) -> Row {
    Row::new(name, "int(int)", ARITHMETIC, Emit::NonUniformLogical(operation, op))
}

const NON_UNIFORM_ADD: [Op; 3] = [Op::GroupNonUniformIAdd, Op::GroupNonUniformIAdd, Op::GroupNonUniformFAdd];
const NON_UNIFORM_MUL: [Op; 3] = [Op::GroupNonUniformIMul, Op::GroupNonUniformIMul, Op::GroupNonUniformFMul];
const NON_UNIFORM_MIN: [Op; 3] = [Op::GroupNonUniformSMin, Op::GroupNonUniformUMin, Op::GroupNonUniformFMin];
const NON_UNIFORM_MAX: [Op; 3] = [Op::GroupNonUniformSMax, Op::GroupNonUniformUMax, Op::GroupNonUniformFMax];

/// What `cl_khr_subgroup_*` add.
pub static KHR: &[Row] = &[
    plain("sub_group_elect", "int()", VOTE, Op::GroupNonUniformElect),
    plain("sub_group_non_uniform_all", "int(int)", VOTE, Op::GroupNonUniformAll),
    plain("sub_group_non_uniform_any", "int(int)", VOTE, Op::GroupNonUniformAny),
    lanes("sub_group_non_uniform_all_equal", "int(gentype)", VOTE, Op::GroupNonUniformAllEqual),
    Row::of(
        "sub_group_non_uniform_broadcast",
        "gentype(gentype, uint)",
        NUMBERS,
        ALL,
        BALLOT,
        Emit::NonUniform(Op::GroupNonUniformBroadcast),
    ),
    lanes(
        "sub_group_broadcast_first",
        "gentype(gentype)",
        BALLOT,
        Op::GroupNonUniformBroadcastFirst,
    ),
    plain("sub_group_ballot", "uint4(int)", BALLOT, Op::GroupNonUniformBallot),
    plain("sub_group_inverse_ballot", "int(uint4)", BALLOT, Op::GroupNonUniformInverseBallot),
    plain(
        "sub_group_ballot_bit_extract",
        "int(uint4, uint)",
        BALLOT,
        Op::GroupNonUniformBallotBitExtract,
    ),
    Row::new(
        "sub_group_ballot_bit_count",
        "uint(uint4)",
        BALLOT,
        Emit::BallotCount(GroupOperation::Reduce),
    ),
    Row::new(
        "sub_group_ballot_inclusive_scan",
        "uint(uint4)",
        BALLOT,
        Emit::BallotCount(GroupOperation::InclusiveScan),
    ),
    Row::new(
        "sub_group_ballot_exclusive_scan",
        "uint(uint4)",
        BALLOT,
        Emit::BallotCount(GroupOperation::ExclusiveScan),
    ),
    plain("sub_group_ballot_find_lsb", "uint(uint4)", BALLOT, Op::GroupNonUniformBallotFindLSB),
    plain("sub_group_ballot_find_msb", "uint(uint4)", BALLOT, Op::GroupNonUniformBallotFindMSB),
    lanes("sub_group_shuffle", "gentype(gentype, uint)", SHUFFLE, Op::GroupNonUniformShuffle),
    lanes(
        "sub_group_shuffle_xor",
        "gentype(gentype, uint)",
        SHUFFLE,
        Op::GroupNonUniformShuffleXor,
    ),
    lanes(
        "sub_group_shuffle_up",
        "gentype(gentype, uint)",
        RELATIVE,
        Op::GroupNonUniformShuffleUp,
    ),
    lanes(
        "sub_group_shuffle_down",
        "gentype(gentype, uint)",
        RELATIVE,
        Op::GroupNonUniformShuffleDown,
    ),
    lanes("sub_group_rotate", "gentype(gentype, int)", ROTATE, Op::GroupNonUniformRotateKHR),
    lanes(
        "sub_group_clustered_rotate",
        "gentype(gentype, int, uint)",
        ROTATE,
        Op::GroupNonUniformRotateKHR,
    ),
    reduce("sub_group_non_uniform_reduce_add", GroupOperation::Reduce, NON_UNIFORM_ADD),
    reduce("sub_group_non_uniform_reduce_mul", GroupOperation::Reduce, NON_UNIFORM_MUL),
    reduce("sub_group_non_uniform_reduce_min", GroupOperation::Reduce, NON_UNIFORM_MIN),
    reduce("sub_group_non_uniform_reduce_max", GroupOperation::Reduce, NON_UNIFORM_MAX),
    bitwise(
        "sub_group_non_uniform_reduce_and",
        GroupOperation::Reduce,
        Op::GroupNonUniformBitwiseAnd,
    ),
    logical(
        "sub_group_non_uniform_reduce_logical_and",
        GroupOperation::Reduce,
        Op::GroupNonUniformLogicalAnd,
    ),
    bitwise(
        "sub_group_non_uniform_reduce_or",
        GroupOperation::Reduce,
        Op::GroupNonUniformBitwiseOr,
    ),
    logical(
        "sub_group_non_uniform_reduce_logical_or",
        GroupOperation::Reduce,
        Op::GroupNonUniformLogicalOr,
    ),
    bitwise(
        "sub_group_non_uniform_reduce_xor",
        GroupOperation::Reduce,
        Op::GroupNonUniformBitwiseXor,
    ),
    logical(
        "sub_group_non_uniform_reduce_logical_xor",
        GroupOperation::Reduce,
        Op::GroupNonUniformLogicalXor,
    ),
    reduce(
        "sub_group_non_uniform_scan_exclusive_add",
        GroupOperation::ExclusiveScan,
        NON_UNIFORM_ADD,
    ),
    reduce(
        "sub_group_non_uniform_scan_exclusive_mul",
        GroupOperation::ExclusiveScan,
        NON_UNIFORM_MUL,
    ),
    reduce(
        "sub_group_non_uniform_scan_exclusive_min",
        GroupOperation::ExclusiveScan,
        NON_UNIFORM_MIN,
    ),
    reduce(
        "sub_group_non_uniform_scan_exclusive_max",
        GroupOperation::ExclusiveScan,
        NON_UNIFORM_MAX,
    ),
    bitwise(
        "sub_group_non_uniform_scan_exclusive_and",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformBitwiseAnd,
    ),
    logical(
        "sub_group_non_uniform_scan_exclusive_logical_and",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformLogicalAnd,
    ),
    bitwise(
        "sub_group_non_uniform_scan_exclusive_or",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformBitwiseOr,
    ),
    logical(
        "sub_group_non_uniform_scan_exclusive_logical_or",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformLogicalOr,
    ),
    bitwise(
        "sub_group_non_uniform_scan_exclusive_xor",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformBitwiseXor,
    ),
    logical(
        "sub_group_non_uniform_scan_exclusive_logical_xor",
        GroupOperation::ExclusiveScan,
        Op::GroupNonUniformLogicalXor,
    ),
    reduce(
        "sub_group_non_uniform_scan_inclusive_add",
        GroupOperation::InclusiveScan,
        NON_UNIFORM_ADD,
    ),
    reduce(
        "sub_group_non_uniform_scan_inclusive_mul",
        GroupOperation::InclusiveScan,
        NON_UNIFORM_MUL,
    ),
    reduce(
        "sub_group_non_uniform_scan_inclusive_min",
        GroupOperation::InclusiveScan,
        NON_UNIFORM_MIN,
    ),
    reduce(
        "sub_group_non_uniform_scan_inclusive_max",
        GroupOperation::InclusiveScan,
        NON_UNIFORM_MAX,
    ),
    bitwise(
        "sub_group_non_uniform_scan_inclusive_and",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformBitwiseAnd,
    ),
    logical(
        "sub_group_non_uniform_scan_inclusive_logical_and",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformLogicalAnd,
    ),
    bitwise(
        "sub_group_non_uniform_scan_inclusive_or",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformBitwiseOr,
    ),
    logical(
        "sub_group_non_uniform_scan_inclusive_logical_or",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformLogicalOr,
    ),
    bitwise(
        "sub_group_non_uniform_scan_inclusive_xor",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformBitwiseXor,
    ),
    logical(
        "sub_group_non_uniform_scan_inclusive_logical_xor",
        GroupOperation::InclusiveScan,
        Op::GroupNonUniformLogicalXor,
    ),
    Row::of(
        "sub_group_clustered_reduce_add",
        "gentype(gentype, uint)",
        NUMBERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, NON_UNIFORM_ADD),
    ),
    Row::of(
        "sub_group_clustered_reduce_mul",
        "gentype(gentype, uint)",
        NUMBERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, NON_UNIFORM_MUL),
    ),
    Row::of(
        "sub_group_clustered_reduce_min",
        "gentype(gentype, uint)",
        NUMBERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, NON_UNIFORM_MIN),
    ),
    Row::of(
        "sub_group_clustered_reduce_max",
        "gentype(gentype, uint)",
        NUMBERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, NON_UNIFORM_MAX),
    ),
    Row::of(
        "sub_group_clustered_reduce_and",
        "gentype(gentype, uint)",
        INTEGERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, [Op::GroupNonUniformBitwiseAnd; 3]),
    ),
    Row::new(
        "sub_group_clustered_reduce_logical_and",
        "int(int, uint)",
        CLUSTERED,
        Emit::NonUniformLogical(GroupOperation::ClusteredReduce, Op::GroupNonUniformLogicalAnd),
    ),
    Row::of(
        "sub_group_clustered_reduce_or",
        "gentype(gentype, uint)",
        INTEGERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, [Op::GroupNonUniformBitwiseOr; 3]),
    ),
    Row::new(
        "sub_group_clustered_reduce_logical_or",
        "int(int, uint)",
        CLUSTERED,
        Emit::NonUniformLogical(GroupOperation::ClusteredReduce, Op::GroupNonUniformLogicalOr),
    ),
    Row::of(
        "sub_group_clustered_reduce_xor",
        "gentype(gentype, uint)",
        INTEGERS,
        ONE,
        CLUSTERED,
        Emit::NonUniformArithmetic(GroupOperation::ClusteredReduce, [Op::GroupNonUniformBitwiseXor; 3]),
    ),
    Row::new(
        "sub_group_clustered_reduce_logical_xor",
        "int(int, uint)",
        CLUSTERED,
        Emit::NonUniformLogical(GroupOperation::ClusteredReduce, Op::GroupNonUniformLogicalXor),
    ),
];
