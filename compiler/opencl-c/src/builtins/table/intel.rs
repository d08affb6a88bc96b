//! Functions of Intel's extensions.

use crate::builtins::row::{ALL, Emit, Group, ONE, Row};
use crate::types::Scalar;
use rspirv::spirv::{GroupOperation, MatrixMultiplyAccumulateOperands as Mad, Op};

const BASE: &str = "cl_intel_subgroups";
const SHORT: &str = "cl_intel_subgroups_short";
const CHAR: &str = "cl_intel_subgroups_char";
const LONG: &str = "cl_intel_subgroups_long";

const SPLIT: &str = "cl_intel_split_work_group_barrier";
const SPLIT_SCOPE: &str = "2.0 & cl_intel_split_work_group_barrier";
const BFLOAT: &str = "cl_intel_bfloat16_conversions";
const BASE_IMAGES: &str = "cl_intel_subgroups & cl_intel_spirv_subgroups";
const SHORT_IMAGES: &str = "cl_intel_subgroups_short & cl_intel_spirv_subgroups";
const CHAR_IMAGES: &str = "cl_intel_subgroups_char & cl_intel_spirv_subgroups";
const LONG_IMAGES: &str = "cl_intel_subgroups_long & cl_intel_spirv_subgroups";

const WORDS: &[Scalar] = &[Scalar::Float, Scalar::Int, Scalar::UInt];
const LONGS: &[Scalar] = &[Scalar::Long, Scalar::ULong, Scalar::Double, Scalar::Half];
const SHORTS: &[Scalar] = &[Scalar::Short, Scalar::UShort];
const CHARS: &[Scalar] = &[Scalar::Char, Scalar::UChar];

const fn shuffle(
    name: &'static str,
    signature: &'static str,
    bases: &'static [Scalar],
    lanes: &'static [u8],
    when: &'static str,
    op: Op,
) -> Row {
    Row::of(name, signature, bases, lanes, when, Emit::Intel(op))
}

const fn broadcast(bases: &'static [Scalar], when: &'static str) -> Row {
    Row::of(
        "intel_sub_group_broadcast",
        "gentype(gentype, uint)",
        bases,
        ALL,
        when,
        Emit::GroupBroadcast(Group::Sub),
    )
}

const fn arithmetic(name: &'static str, bases: &'static [Scalar], when: &'static str, operation: GroupOperation, ops: [Op; 3]) -> Row {
    Row::of(
        name,
        "gentype(gentype)",
        bases,
        ONE,
        when,
        Emit::GroupArithmetic(Group::Sub, operation, ops),
    )
}

const ADD: [Op; 3] = [Op::GroupIAdd, Op::GroupIAdd, Op::GroupFAdd];
const MIN: [Op; 3] = [Op::GroupSMin, Op::GroupUMin, Op::GroupFMin];
const MAX: [Op; 3] = [Op::GroupSMax, Op::GroupUMax, Op::GroupFMax];

const MAD: &str = "cl_intel_subgroup_matrix_multiply_accumulate";
const SPLIT_MAD: &str = "cl_intel_subgroup_split_matrix_multiply_accumulate";
const MAD_TF32: &str = "cl_intel_subgroup_matrix_multiply_accumulate_tf32";

/// What is A for sub-groups of 8, and for those of 16.
const SIGNED_A: &[Scalar] = &[Scalar::Int, Scalar::Short];
const UNSIGNED_A: &[Scalar] = &[Scalar::UInt, Scalar::UShort];
const SHORT_A: &[Scalar] = &[Scalar::Short];

const BYTES: Mad = Mad::MATRIX_A_PACKED_INT8_INTEL.union(Mad::MATRIX_B_PACKED_INT8_INTEL);
const DIGITS: Mad = Mad::MATRIX_A_PACKED_INT4_INTEL.union(Mad::MATRIX_B_PACKED_INT4_INTEL);
const HALVES: Mad = Mad::MATRIX_A_PACKED_FLOAT16_INTEL.union(Mad::MATRIX_B_PACKED_FLOAT16_INTEL);
const BFLOATS: Mad = Mad::MATRIX_A_PACKED_B_FLOAT16_INTEL.union(Mad::MATRIX_B_PACKED_B_FLOAT16_INTEL);
const BFLOAT_SUMS: Mad = BFLOATS
    .union(Mad::MATRIX_CB_FLOAT16_INTEL)
    .union(Mad::MATRIX_RESULT_B_FLOAT16_INTEL);
const TF32S: Mad = Mad::MATRIX_ATF32INTEL.union(Mad::MATRIX_BTF32INTEL);
const A_SIGNED: Mad = Mad::MATRIX_A_SIGNED_COMPONENTS_INTEL;
const B_SIGNED: Mad = Mad::MATRIX_B_SIGNED_COMPONENTS_INTEL;

const fn mad(name: &'static str, signature: &'static str, a: &'static [Scalar], depth: u32, operands: Mad) -> Row {
    Row::of(name, signature, a, &[1, 2, 4, 8], MAD, Emit::MatrixMad(depth, operands.bits()))
}

const fn split_mad(name: &'static str, signature: &'static str, depth: u32, operands: Mad) -> Row {
    Row::new(name, signature, SPLIT_MAD, Emit::SplitMatrixMad(depth, operands.bits()))
}

const fn mad_tf32(signature: &'static str) -> Row {
    Row::new(
        "intel_sub_group_tf32_tf32_matrix_mad_k8",
        signature,
        MAD_TF32,
        Emit::MatrixMad(8, TF32S.bits()),
    )
}

const READ: Emit = Emit::Block {
    buffer: Op::SubgroupBlockReadINTEL,
    image: Op::SubgroupImageBlockReadINTEL,
};
const WRITE: Emit = Emit::Block {
    buffer: Op::SubgroupBlockWriteINTEL,
    image: Op::SubgroupImageBlockWriteINTEL,
};

pub static ROWS: &[Row] = &[
    shuffle(
        "intel_sub_group_shuffle",
        "gentype(gentype, uint)",
        WORDS,
        ALL,
        BASE,
        Op::SubgroupShuffleINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle",
        "gentype(gentype, uint)",
        LONGS,
        ONE,
        BASE,
        Op::SubgroupShuffleINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle",
        "gentype(gentype, uint)",
        SHORTS,
        ALL,
        SHORT,
        Op::SubgroupShuffleINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle",
        "gentype(gentype, uint)",
        CHARS,
        ALL,
        CHAR,
        Op::SubgroupShuffleINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_xor",
        "gentype(gentype, uint)",
        WORDS,
        ALL,
        BASE,
        Op::SubgroupShuffleXorINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_xor",
        "gentype(gentype, uint)",
        LONGS,
        ONE,
        BASE,
        Op::SubgroupShuffleXorINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_xor",
        "gentype(gentype, uint)",
        SHORTS,
        ALL,
        SHORT,
        Op::SubgroupShuffleXorINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_xor",
        "gentype(gentype, uint)",
        CHARS,
        ALL,
        CHAR,
        Op::SubgroupShuffleXorINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_up",
        "gentype(gentype, gentype, uint)",
        WORDS,
        ALL,
        BASE,
        Op::SubgroupShuffleUpINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_up",
        "gentype(gentype, gentype, uint)",
        LONGS,
        ONE,
        BASE,
        Op::SubgroupShuffleUpINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_up",
        "gentype(gentype, gentype, uint)",
        SHORTS,
        ALL,
        SHORT,
        Op::SubgroupShuffleUpINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_up",
        "gentype(gentype, gentype, uint)",
        CHARS,
        ALL,
        CHAR,
        Op::SubgroupShuffleUpINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_down",
        "gentype(gentype, gentype, uint)",
        WORDS,
        ALL,
        BASE,
        Op::SubgroupShuffleDownINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_down",
        "gentype(gentype, gentype, uint)",
        LONGS,
        ONE,
        BASE,
        Op::SubgroupShuffleDownINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_down",
        "gentype(gentype, gentype, uint)",
        SHORTS,
        ALL,
        SHORT,
        Op::SubgroupShuffleDownINTEL,
    ),
    shuffle(
        "intel_sub_group_shuffle_down",
        "gentype(gentype, gentype, uint)",
        CHARS,
        ALL,
        CHAR,
        Op::SubgroupShuffleDownINTEL,
    ),
    broadcast(SHORTS, SHORT),
    broadcast(CHARS, CHAR),
    arithmetic("intel_sub_group_reduce_add", SHORTS, SHORT, GroupOperation::Reduce, ADD),
    arithmetic("intel_sub_group_reduce_add", CHARS, CHAR, GroupOperation::Reduce, ADD),
    arithmetic("intel_sub_group_reduce_min", SHORTS, SHORT, GroupOperation::Reduce, MIN),
    arithmetic("intel_sub_group_reduce_min", CHARS, CHAR, GroupOperation::Reduce, MIN),
    arithmetic("intel_sub_group_reduce_max", SHORTS, SHORT, GroupOperation::Reduce, MAX),
    arithmetic("intel_sub_group_reduce_max", CHARS, CHAR, GroupOperation::Reduce, MAX),
    arithmetic(
        "intel_sub_group_scan_exclusive_add",
        SHORTS,
        SHORT,
        GroupOperation::ExclusiveScan,
        ADD,
    ),
    arithmetic(
        "intel_sub_group_scan_exclusive_add",
        CHARS,
        CHAR,
        GroupOperation::ExclusiveScan,
        ADD,
    ),
    arithmetic(
        "intel_sub_group_scan_exclusive_min",
        SHORTS,
        SHORT,
        GroupOperation::ExclusiveScan,
        MIN,
    ),
    arithmetic(
        "intel_sub_group_scan_exclusive_min",
        CHARS,
        CHAR,
        GroupOperation::ExclusiveScan,
        MIN,
    ),
    arithmetic(
        "intel_sub_group_scan_exclusive_max",
        SHORTS,
        SHORT,
        GroupOperation::ExclusiveScan,
        MAX,
    ),
    arithmetic(
        "intel_sub_group_scan_exclusive_max",
        CHARS,
        CHAR,
        GroupOperation::ExclusiveScan,
        MAX,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_add",
        SHORTS,
        SHORT,
        GroupOperation::InclusiveScan,
        ADD,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_add",
        CHARS,
        CHAR,
        GroupOperation::InclusiveScan,
        ADD,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_min",
        SHORTS,
        SHORT,
        GroupOperation::InclusiveScan,
        MIN,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_min",
        CHARS,
        CHAR,
        GroupOperation::InclusiveScan,
        MIN,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_max",
        SHORTS,
        SHORT,
        GroupOperation::InclusiveScan,
        MAX,
    ),
    arithmetic(
        "intel_sub_group_scan_inclusive_max",
        CHARS,
        CHAR,
        GroupOperation::InclusiveScan,
        MAX,
    ),
    Row::new("intel_sub_group_block_read", "uint(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write", "void(blocks uint*, uint)", BASE, WRITE),
    Row::new("intel_sub_group_block_read", "uint(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new("intel_sub_group_block_write", "void(w:image2d_t, int2, uint)", BASE_IMAGES, WRITE),
    Row::new("intel_sub_group_block_read2", "uint2(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write2", "void(blocks uint*, uint2)", BASE, WRITE),
    Row::new("intel_sub_group_block_read2", "uint2(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new("intel_sub_group_block_write2", "void(w:image2d_t, int2, uint2)", BASE_IMAGES, WRITE),
    Row::new("intel_sub_group_block_read4", "uint4(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write4", "void(blocks uint*, uint4)", BASE, WRITE),
    Row::new("intel_sub_group_block_read4", "uint4(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new("intel_sub_group_block_write4", "void(w:image2d_t, int2, uint4)", BASE_IMAGES, WRITE),
    Row::new("intel_sub_group_block_read8", "uint8(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write8", "void(blocks uint*, uint8)", BASE, WRITE),
    Row::new("intel_sub_group_block_read8", "uint8(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new("intel_sub_group_block_write8", "void(w:image2d_t, int2, uint8)", BASE_IMAGES, WRITE),
    Row::new("intel_sub_group_block_read_ui", "uint(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write_ui", "void(blocks uint*, uint)", BASE, WRITE),
    Row::new("intel_sub_group_block_read_ui", "uint(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ui",
        "void(w:image2d_t, int2, uint)",
        BASE_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ui2", "uint2(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write_ui2", "void(blocks uint*, uint2)", BASE, WRITE),
    Row::new("intel_sub_group_block_read_ui2", "uint2(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ui2",
        "void(w:image2d_t, int2, uint2)",
        BASE_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ui4", "uint4(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write_ui4", "void(blocks uint*, uint4)", BASE, WRITE),
    Row::new("intel_sub_group_block_read_ui4", "uint4(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ui4",
        "void(w:image2d_t, int2, uint4)",
        BASE_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ui8", "uint8(const blocks uint*)", BASE, READ),
    Row::new("intel_sub_group_block_write_ui8", "void(blocks uint*, uint8)", BASE, WRITE),
    Row::new("intel_sub_group_block_read_ui8", "uint8(r:image2d_t, int2)", BASE_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ui8",
        "void(w:image2d_t, int2, uint8)",
        BASE_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_us", "ushort(const blocks ushort*)", SHORT, READ),
    Row::new("intel_sub_group_block_write_us", "void(blocks ushort*, ushort)", SHORT, WRITE),
    Row::new("intel_sub_group_block_read_us", "ushort(r:image2d_t, int2)", SHORT_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_us",
        "void(w:image2d_t, int2, ushort)",
        SHORT_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_us2", "ushort2(const blocks ushort*)", SHORT, READ),
    Row::new("intel_sub_group_block_write_us2", "void(blocks ushort*, ushort2)", SHORT, WRITE),
    Row::new("intel_sub_group_block_read_us2", "ushort2(r:image2d_t, int2)", SHORT_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_us2",
        "void(w:image2d_t, int2, ushort2)",
        SHORT_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_us4", "ushort4(const blocks ushort*)", SHORT, READ),
    Row::new("intel_sub_group_block_write_us4", "void(blocks ushort*, ushort4)", SHORT, WRITE),
    Row::new("intel_sub_group_block_read_us4", "ushort4(r:image2d_t, int2)", SHORT_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_us4",
        "void(w:image2d_t, int2, ushort4)",
        SHORT_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_us8", "ushort8(const blocks ushort*)", SHORT, READ),
    Row::new("intel_sub_group_block_write_us8", "void(blocks ushort*, ushort8)", SHORT, WRITE),
    Row::new("intel_sub_group_block_read_us8", "ushort8(r:image2d_t, int2)", SHORT_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_us8",
        "void(w:image2d_t, int2, ushort8)",
        SHORT_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_us16", "ushort16(const blocks ushort*)", SHORT, READ),
    Row::new("intel_sub_group_block_write_us16", "void(blocks ushort*, ushort16)", SHORT, WRITE),
    Row::new("intel_sub_group_block_read_us16", "ushort16(r:image2d_t, int2)", SHORT_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_us16",
        "void(w:image2d_t, int2, ushort16)",
        SHORT_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_uc", "uchar(const blocks uchar*)", CHAR, READ),
    Row::new("intel_sub_group_block_write_uc", "void(blocks uchar*, uchar)", CHAR, WRITE),
    Row::new("intel_sub_group_block_read_uc", "uchar(r:image2d_t, int2)", CHAR_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_uc",
        "void(w:image2d_t, int2, uchar)",
        CHAR_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_uc2", "uchar2(const blocks uchar*)", CHAR, READ),
    Row::new("intel_sub_group_block_write_uc2", "void(blocks uchar*, uchar2)", CHAR, WRITE),
    Row::new("intel_sub_group_block_read_uc2", "uchar2(r:image2d_t, int2)", CHAR_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_uc2",
        "void(w:image2d_t, int2, uchar2)",
        CHAR_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_uc4", "uchar4(const blocks uchar*)", CHAR, READ),
    Row::new("intel_sub_group_block_write_uc4", "void(blocks uchar*, uchar4)", CHAR, WRITE),
    Row::new("intel_sub_group_block_read_uc4", "uchar4(r:image2d_t, int2)", CHAR_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_uc4",
        "void(w:image2d_t, int2, uchar4)",
        CHAR_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_uc8", "uchar8(const blocks uchar*)", CHAR, READ),
    Row::new("intel_sub_group_block_write_uc8", "void(blocks uchar*, uchar8)", CHAR, WRITE),
    Row::new("intel_sub_group_block_read_uc8", "uchar8(r:image2d_t, int2)", CHAR_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_uc8",
        "void(w:image2d_t, int2, uchar8)",
        CHAR_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_uc16", "uchar16(const blocks uchar*)", CHAR, READ),
    Row::new("intel_sub_group_block_write_uc16", "void(blocks uchar*, uchar16)", CHAR, WRITE),
    Row::new("intel_sub_group_block_read_uc16", "uchar16(r:image2d_t, int2)", CHAR_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_uc16",
        "void(w:image2d_t, int2, uchar16)",
        CHAR_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ul", "ulong(const blocks ulong*)", LONG, READ),
    Row::new("intel_sub_group_block_write_ul", "void(blocks ulong*, ulong)", LONG, WRITE),
    Row::new("intel_sub_group_block_read_ul", "ulong(r:image2d_t, int2)", LONG_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ul",
        "void(w:image2d_t, int2, ulong)",
        LONG_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ul2", "ulong2(const blocks ulong*)", LONG, READ),
    Row::new("intel_sub_group_block_write_ul2", "void(blocks ulong*, ulong2)", LONG, WRITE),
    Row::new("intel_sub_group_block_read_ul2", "ulong2(r:image2d_t, int2)", LONG_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ul2",
        "void(w:image2d_t, int2, ulong2)",
        LONG_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ul4", "ulong4(const blocks ulong*)", LONG, READ),
    Row::new("intel_sub_group_block_write_ul4", "void(blocks ulong*, ulong4)", LONG, WRITE),
    Row::new("intel_sub_group_block_read_ul4", "ulong4(r:image2d_t, int2)", LONG_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ul4",
        "void(w:image2d_t, int2, ulong4)",
        LONG_IMAGES,
        WRITE,
    ),
    Row::new("intel_sub_group_block_read_ul8", "ulong8(const blocks ulong*)", LONG, READ),
    Row::new("intel_sub_group_block_write_ul8", "void(blocks ulong*, ulong8)", LONG, WRITE),
    Row::new("intel_sub_group_block_read_ul8", "ulong8(r:image2d_t, int2)", LONG_IMAGES, READ),
    Row::new(
        "intel_sub_group_block_write_ul8",
        "void(w:image2d_t, int2, ulong8)",
        LONG_IMAGES,
        WRITE,
    ),
    Row::new(
        "intel_work_group_barrier_arrive",
        "void(cl_mem_fence_flags)",
        SPLIT,
        Emit::SplitBarrier(Op::ControlBarrierArriveINTEL),
    ),
    Row::new(
        "intel_work_group_barrier_arrive",
        "void(cl_mem_fence_flags, memory_scope)",
        SPLIT_SCOPE,
        Emit::SplitBarrier(Op::ControlBarrierArriveINTEL),
    ),
    Row::new(
        "intel_work_group_barrier_wait",
        "void(cl_mem_fence_flags)",
        SPLIT,
        Emit::SplitBarrier(Op::ControlBarrierWaitINTEL),
    ),
    Row::new(
        "intel_work_group_barrier_wait",
        "void(cl_mem_fence_flags, memory_scope)",
        SPLIT_SCOPE,
        Emit::SplitBarrier(Op::ControlBarrierWaitINTEL),
    ),
    Row::new(
        "intel_convert_bfloat16_as_ushort",
        "ushort(float)",
        BFLOAT,
        Emit::Intel(Op::ConvertFToBF16INTEL),
    ),
    Row::new(
        "intel_convert_bfloat16#_as_ushort#",
        "ushort#(float#)",
        BFLOAT,
        Emit::Intel(Op::ConvertFToBF16INTEL),
    ),
    Row::new(
        "intel_convert_as_bfloat16_float",
        "float(ushort)",
        BFLOAT,
        Emit::Intel(Op::ConvertBF16ToFINTEL),
    ),
    Row::new(
        "intel_convert_as_bfloat16#_float#",
        "float#(ushort#)",
        BFLOAT,
        Emit::Intel(Op::ConvertBF16ToFINTEL),
    ),
    mad(
        "intel_sub_group_i8_i8_matrix_mad_k32",
        "intn(gentype, int8, intn)",
        SIGNED_A,
        32,
        BYTES.union(A_SIGNED).union(B_SIGNED),
    ),
    mad(
        "intel_sub_group_i8_u8_matrix_mad_k32",
        "intn(gentype, uint8, intn)",
        SIGNED_A,
        32,
        BYTES.union(A_SIGNED),
    ),
    mad(
        "intel_sub_group_u8_i8_matrix_mad_k32",
        "intn(gentype, int8, intn)",
        UNSIGNED_A,
        32,
        BYTES.union(B_SIGNED),
    ),
    mad(
        "intel_sub_group_u8_u8_matrix_mad_k32",
        "intn(gentype, uint8, intn)",
        UNSIGNED_A,
        32,
        BYTES,
    ),
    mad(
        "intel_sub_group_i4_i4_matrix_mad_k64",
        "intn(gentype, int8, intn)",
        SIGNED_A,
        64,
        DIGITS.union(A_SIGNED).union(B_SIGNED),
    ),
    mad(
        "intel_sub_group_i4_u4_matrix_mad_k64",
        "intn(gentype, uint8, intn)",
        SIGNED_A,
        64,
        DIGITS.union(A_SIGNED),
    ),
    mad(
        "intel_sub_group_u4_i4_matrix_mad_k64",
        "intn(gentype, int8, intn)",
        UNSIGNED_A,
        64,
        DIGITS.union(B_SIGNED),
    ),
    mad(
        "intel_sub_group_u4_u4_matrix_mad_k64",
        "intn(gentype, uint8, intn)",
        UNSIGNED_A,
        64,
        DIGITS,
    ),
    mad(
        "intel_sub_group_bf16_bf16_matrix_mad_k16",
        "floatn(gentype, int8, floatn)",
        SIGNED_A,
        16,
        BFLOATS,
    ),
    mad(
        "intel_sub_group_bf16_bf16_matrix_mad_k16",
        "shortn(gentype, int8, shortn)",
        SHORT_A,
        16,
        BFLOAT_SUMS,
    ),
    mad(
        "intel_sub_group_f16_f16_matrix_mad_k16",
        "floatn(gentype, int8, floatn)",
        SIGNED_A,
        16,
        HALVES,
    ),
    mad(
        "intel_sub_group_f16_f16_matrix_mad_k16",
        "halfn(gentype, int8, halfn)",
        SHORT_A,
        16,
        HALVES,
    ),
    split_mad(
        "intel_sub_group_i8_i8_split_matrix_mad_k32",
        "int2(int, int8, int2)",
        32,
        BYTES.union(A_SIGNED).union(B_SIGNED),
    ),
    split_mad(
        "intel_sub_group_i8_i8_split_matrix_mad_k32",
        "int4(int2, int8, int4)",
        32,
        BYTES.union(A_SIGNED).union(B_SIGNED),
    ),
    split_mad(
        "intel_sub_group_i8_i8_split_matrix_mad_k32",
        "int8(int4, int8, int8)",
        32,
        BYTES.union(A_SIGNED).union(B_SIGNED),
    ),
    split_mad(
        "intel_sub_group_i8_u8_split_matrix_mad_k32",
        "int2(int, uint8, int2)",
        32,
        BYTES.union(A_SIGNED),
    ),
    split_mad(
        "intel_sub_group_i8_u8_split_matrix_mad_k32",
        "int4(int2, uint8, int4)",
        32,
        BYTES.union(A_SIGNED),
    ),
    split_mad(
        "intel_sub_group_i8_u8_split_matrix_mad_k32",
        "int8(int4, uint8, int8)",
        32,
        BYTES.union(A_SIGNED),
    ),
    split_mad(
        "intel_sub_group_u8_i8_split_matrix_mad_k32",
        "int2(uint, int8, int2)",
        32,
        BYTES.union(B_SIGNED),
    ),
    split_mad(
        "intel_sub_group_u8_i8_split_matrix_mad_k32",
        "int4(uint2, int8, int4)",
        32,
        BYTES.union(B_SIGNED),
    ),
    split_mad(
        "intel_sub_group_u8_i8_split_matrix_mad_k32",
        "int8(uint4, int8, int8)",
        32,
        BYTES.union(B_SIGNED),
    ),
    split_mad("intel_sub_group_u8_u8_split_matrix_mad_k32", "int2(uint, uint8, int2)", 32, BYTES),
    split_mad("intel_sub_group_u8_u8_split_matrix_mad_k32", "int4(uint2, uint8, int4)", 32, BYTES),
    split_mad("intel_sub_group_u8_u8_split_matrix_mad_k32", "int8(uint4, uint8, int8)", 32, BYTES),
    split_mad(
        "intel_sub_group_bf16_bf16_split_matrix_mad_k16",
        "float2(int, int8, float2)",
        16,
        BFLOATS,
    ),
    split_mad(
        "intel_sub_group_bf16_bf16_split_matrix_mad_k16",
        "float4(int2, int8, float4)",
        16,
        BFLOATS,
    ),
    split_mad(
        "intel_sub_group_bf16_bf16_split_matrix_mad_k16",
        "float8(int4, int8, float8)",
        16,
        BFLOATS,
    ),
    split_mad(
        "intel_sub_group_f16_f16_split_matrix_mad_k16",
        "float2(int, int8, float2)",
        16,
        HALVES,
    ),
    split_mad(
        "intel_sub_group_f16_f16_split_matrix_mad_k16",
        "float4(int2, int8, float4)",
        16,
        HALVES,
    ),
    split_mad(
        "intel_sub_group_f16_f16_split_matrix_mad_k16",
        "float8(int4, int8, float8)",
        16,
        HALVES,
    ),
    mad_tf32("float(float, float8, float)"),
    mad_tf32("float2(float, float8, float2)"),
    mad_tf32("float4(float2, float8, float4)"),
    mad_tf32("float8(float4, float8, float8)"),
    Row::new(
        "intel_convert_tfloat32_as_float",
        "float(float)",
        MAD_TF32,
        Emit::Intel(Op::RoundFToTF32INTEL),
    ),
    Row::new(
        "intel_convert_tfloat32#_as_float#",
        "float#(float#)",
        MAD_TF32,
        Emit::Intel(Op::RoundFToTF32INTEL),
    ),
];
