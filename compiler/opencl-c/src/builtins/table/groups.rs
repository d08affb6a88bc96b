//! Collective functions of work-groups (6.15.16) and cl_khr_work_group_uniform_arithmetic.

use crate::builtins::row::{COLLECTIVE, Emit, Group, ONE, Row, WIDE};
use crate::types::Scalar;
use rspirv::spirv::{GroupOperation, Op};

const WHEN: &str = "2.0 & __opencl_c_work_group_collective_functions";
const UNIFORM: &str = "cl_khr_work_group_uniform_arithmetic";

const ADD: [Op; 3] = [Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd];
const MIN: [Op; 3] = [Op::GroupSMin, Op::GroupUMin, Op::GroupFMin];
const MAX: [Op; 3] = [Op::GroupSMax, Op::GroupUMax, Op::GroupFMax];
const MUL: [Op; 3] = [Op::GroupIMulKHR, Op::GroupIMulKHR, Op::GroupFMulKHR];
const AND: [Op; 3] = [Op::GroupBitwiseAndKHR; 3];
const OR: [Op; 3] = [Op::GroupBitwiseOrKHR; 3];
const XOR: [Op; 3] = [Op::GroupBitwiseXorKHR; 3];
const LOGICAL_AND: [Op; 3] = [Op::GroupLogicalAndKHR; 3];
const LOGICAL_OR: [Op; 3] = [Op::GroupLogicalOrKHR; 3];
const LOGICAL_XOR: [Op; 3] = [Op::GroupLogicalXorKHR; 3];

const INT: &[Scalar] = &[Scalar::Int];

const fn arithmetic(name: &'static str, bases: &'static [Scalar], when: &'static str, operation: GroupOperation, ops: [Op; 3]) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        bases,
        ONE,
        when,
        Emit::GroupArithmetic(Group::Work, operation, ops),
    )
}

pub static ROWS: &[Row] = &[
    Row::new("work_group_all", "int(int)", WHEN, Emit::Group(Group::Work, Op::GroupAll)),
    Row::new("work_group_any", "int(int)", WHEN, Emit::Group(Group::Work, Op::GroupAny)),
    Row::of(
        "work_group_broadcast",
        "gentype(gentype, size_t)",
        COLLECTIVE,
        ONE,
        WHEN,
        Emit::GroupBroadcast(Group::Work),
    ),
    Row::of(
        "work_group_broadcast",
        "gentype(gentype, size_t, size_t)",
        COLLECTIVE,
        ONE,
        WHEN,
        Emit::GroupBroadcast(Group::Work),
    ),
    Row::of(
        "work_group_broadcast",
        "gentype(gentype, size_t, size_t, size_t)",
        COLLECTIVE,
        ONE,
        WHEN,
        Emit::GroupBroadcast(Group::Work),
    ),
    arithmetic("work_group_reduce_add", COLLECTIVE, WHEN, GroupOperation::Reduce, ADD),
    arithmetic("work_group_reduce_min", COLLECTIVE, WHEN, GroupOperation::Reduce, MIN),
    arithmetic("work_group_reduce_max", COLLECTIVE, WHEN, GroupOperation::Reduce, MAX),
    arithmetic(
        "work_group_scan_exclusive_add",
        COLLECTIVE,
        WHEN,
        GroupOperation::ExclusiveScan,
        ADD,
    ),
    arithmetic(
        "work_group_scan_exclusive_min",
        COLLECTIVE,
        WHEN,
        GroupOperation::ExclusiveScan,
        MIN,
    ),
    arithmetic(
        "work_group_scan_exclusive_max",
        COLLECTIVE,
        WHEN,
        GroupOperation::ExclusiveScan,
        MAX,
    ),
    arithmetic(
        "work_group_scan_inclusive_add",
        COLLECTIVE,
        WHEN,
        GroupOperation::InclusiveScan,
        ADD,
    ),
    arithmetic(
        "work_group_scan_inclusive_min",
        COLLECTIVE,
        WHEN,
        GroupOperation::InclusiveScan,
        MIN,
    ),
    arithmetic(
        "work_group_scan_inclusive_max",
        COLLECTIVE,
        WHEN,
        GroupOperation::InclusiveScan,
        MAX,
    ),
    arithmetic("work_group_reduce_mul", COLLECTIVE, UNIFORM, GroupOperation::Reduce, MUL),
    arithmetic("work_group_reduce_and", WIDE, UNIFORM, GroupOperation::Reduce, AND),
    arithmetic("work_group_reduce_logical_and", INT, UNIFORM, GroupOperation::Reduce, LOGICAL_AND),
    arithmetic("work_group_reduce_or", WIDE, UNIFORM, GroupOperation::Reduce, OR),
    arithmetic("work_group_reduce_logical_or", INT, UNIFORM, GroupOperation::Reduce, LOGICAL_OR),
    arithmetic("work_group_reduce_xor", WIDE, UNIFORM, GroupOperation::Reduce, XOR),
    arithmetic("work_group_reduce_logical_xor", INT, UNIFORM, GroupOperation::Reduce, LOGICAL_XOR),
    arithmetic(
        "work_group_scan_exclusive_mul",
        COLLECTIVE,
        UNIFORM,
        GroupOperation::ExclusiveScan,
        MUL,
    ),
    arithmetic("work_group_scan_exclusive_and", WIDE, UNIFORM, GroupOperation::ExclusiveScan, AND),
    arithmetic(
        "work_group_scan_exclusive_logical_and",
        INT,
        UNIFORM,
        GroupOperation::ExclusiveScan,
        LOGICAL_AND,
    ),
    arithmetic("work_group_scan_exclusive_or", WIDE, UNIFORM, GroupOperation::ExclusiveScan, OR),
    arithmetic(
        "work_group_scan_exclusive_logical_or",
        INT,
        UNIFORM,
        GroupOperation::ExclusiveScan,
        LOGICAL_OR,
    ),
    arithmetic("work_group_scan_exclusive_xor", WIDE, UNIFORM, GroupOperation::ExclusiveScan, XOR),
    arithmetic(
        "work_group_scan_exclusive_logical_xor",
        INT,
        UNIFORM,
        GroupOperation::ExclusiveScan,
        LOGICAL_XOR,
    ),
    arithmetic(
        "work_group_scan_inclusive_mul",
        COLLECTIVE,
        UNIFORM,
        GroupOperation::InclusiveScan,
        MUL,
    ),
    arithmetic("work_group_scan_inclusive_and", WIDE, UNIFORM, GroupOperation::InclusiveScan, AND),
    arithmetic(
        "work_group_scan_inclusive_logical_and",
        INT,
        UNIFORM,
        GroupOperation::InclusiveScan,
        LOGICAL_AND,
    ),
    arithmetic("work_group_scan_inclusive_or", WIDE, UNIFORM, GroupOperation::InclusiveScan, OR),
    arithmetic(
        "work_group_scan_inclusive_logical_or",
        INT,
        UNIFORM,
        GroupOperation::InclusiveScan,
        LOGICAL_OR,
    ),
    arithmetic("work_group_scan_inclusive_xor", WIDE, UNIFORM, GroupOperation::InclusiveScan, XOR),
    arithmetic(
        "work_group_scan_inclusive_logical_xor",
        INT,
        UNIFORM,
        GroupOperation::InclusiveScan,
        LOGICAL_XOR,
    ),
];
