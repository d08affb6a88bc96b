//! Barriers, fences (6.15.8) and atomic functions (6.15.12).

use crate::builtins::row::{C11 as Kind, Emit, Group, ONE, Row, WIDE};
use crate::types::Scalar;
use rspirv::spirv::Op;

const ACQUIRE: u32 = 2;
const RELEASE: u32 = 4;
const ACQUIRE_RELEASE: u32 = 8;

pub static FENCES: &[Row] = &[
    Row::new("barrier", "void(cl_mem_fence_flags)", "", Emit::Barrier(Group::Work)),
    Row::new("work_group_barrier", "void(cl_mem_fence_flags)", "2.0", Emit::Barrier(Group::Work)),
    Row::new(
        "work_group_barrier",
        "void(cl_mem_fence_flags, memory_scope)",
        "2.0",
        Emit::Barrier(Group::Work),
    ),
    Row::new(
        "sub_group_barrier",
        "void(cl_mem_fence_flags)",
        "sub_groups",
        Emit::Barrier(Group::Sub),
    ),
    Row::new(
        "sub_group_barrier",
        "void(cl_mem_fence_flags, memory_scope)",
        "2.0 & sub_groups",
        Emit::Barrier(Group::Sub),
    ),
    Row::new("mem_fence", "void(cl_mem_fence_flags)", "", Emit::Fence(ACQUIRE_RELEASE)),
    Row::new("read_mem_fence", "void(cl_mem_fence_flags)", "", Emit::Fence(ACQUIRE)),
    Row::new("write_mem_fence", "void(cl_mem_fence_flags)", "", Emit::Fence(RELEASE)),
    Row::new(
        "atomic_work_item_fence",
        "void(cl_mem_fence_flags, memory_order, memory_scope)",
        "2.0",
        Emit::FenceExplicit,
    ),
];

const FLOAT: &[Scalar] = &[Scalar::Float];

/// `atomic_` functions are of 32 bits; `atom_` are the extensions' names for them, and have 64 bits too.
const WORDS: &[Scalar] = &[Scalar::Int, Scalar::UInt];
const LONGS: &[Scalar] = &[Scalar::Long, Scalar::ULong];

const fn old(name: &'static str, signature: &'static str, bases: &'static [Scalar], when: &'static str, emit: Emit) -> Row {
    Row::of(name, signature, bases, ONE, when, emit)
}

const INT32: &str = "";
const INT64: &str = "cl_khr_int64_base_atomics";
const INT64_MORE: &str = "cl_khr_int64_extended_atomics";

/// Functions that OpenCL C 1.x has.
pub static C1X: &[Row] = &[
    old(
        "atomic_add",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIAdd),
    ),
    old(
        "atomic_sub",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicISub),
    ),
    old(
        "atomic_xchg",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicExchange),
    ),
    old(
        "atomic_inc",
        "gentype(globloc volatile gentype*)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIIncrement),
    ),
    old(
        "atomic_dec",
        "gentype(globloc volatile gentype*)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIDecrement),
    ),
    old(
        "atomic_cmpxchg",
        "gentype(globloc volatile gentype*, gentype, gentype)",
        WORDS,
        INT32,
        Emit::AtomicExchangeIf,
    ),
    old(
        "atomic_min",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::AtomicSigned(Op::AtomicSMin, Op::AtomicUMin),
    ),
    old(
        "atomic_max",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::AtomicSigned(Op::AtomicSMax, Op::AtomicUMax),
    ),
    old(
        "atomic_and",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicAnd),
    ),
    old(
        "atomic_or",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicOr),
    ),
    old(
        "atomic_xor",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicXor),
    ),
    old(
        "atom_add",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIAdd),
    ),
    old(
        "atom_sub",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicISub),
    ),
    old(
        "atom_xchg",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicExchange),
    ),
    old(
        "atom_inc",
        "gentype(globloc volatile gentype*)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIIncrement),
    ),
    old(
        "atom_dec",
        "gentype(globloc volatile gentype*)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicIDecrement),
    ),
    old(
        "atom_cmpxchg",
        "gentype(globloc volatile gentype*, gentype, gentype)",
        WORDS,
        INT32,
        Emit::AtomicExchangeIf,
    ),
    old(
        "atom_min",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::AtomicSigned(Op::AtomicSMin, Op::AtomicUMin),
    ),
    old(
        "atom_max",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::AtomicSigned(Op::AtomicSMax, Op::AtomicUMax),
    ),
    old(
        "atom_and",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicAnd),
    ),
    old(
        "atom_or",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicOr),
    ),
    old(
        "atom_xor",
        "gentype(globloc volatile gentype*, gentype)",
        WORDS,
        INT32,
        Emit::Atomic(Op::AtomicXor),
    ),
    old(
        "atom_add",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64,
        Emit::Atomic(Op::AtomicIAdd),
    ),
    old(
        "atom_sub",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64,
        Emit::Atomic(Op::AtomicISub),
    ),
    old(
        "atom_xchg",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64,
        Emit::Atomic(Op::AtomicExchange),
    ),
    old(
        "atom_inc",
        "gentype(globloc volatile gentype*)",
        LONGS,
        INT64,
        Emit::Atomic(Op::AtomicIIncrement),
    ),
    old(
        "atom_dec",
        "gentype(globloc volatile gentype*)",
        LONGS,
        INT64,
        Emit::Atomic(Op::AtomicIDecrement),
    ),
    old(
        "atom_cmpxchg",
        "gentype(globloc volatile gentype*, gentype, gentype)",
        LONGS,
        INT64,
        Emit::AtomicExchangeIf,
    ),
    old(
        "atom_min",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64_MORE,
        Emit::AtomicSigned(Op::AtomicSMin, Op::AtomicUMin),
    ),
    old(
        "atom_max",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64_MORE,
        Emit::AtomicSigned(Op::AtomicSMax, Op::AtomicUMax),
    ),
    old(
        "atom_and",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64_MORE,
        Emit::Atomic(Op::AtomicAnd),
    ),
    old(
        "atom_or",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64_MORE,
        Emit::Atomic(Op::AtomicOr),
    ),
    old(
        "atom_xor",
        "gentype(globloc volatile gentype*, gentype)",
        LONGS,
        INT64_MORE,
        Emit::Atomic(Op::AtomicXor),
    ),
    old(
        "atomic_xchg",
        "gentype(globloc volatile gentype*, gentype)",
        FLOAT,
        "",
        Emit::Atomic(Op::AtomicExchange),
    ),
];

const DOUBLE: &[Scalar] = &[Scalar::Double];
const HALF: &[Scalar] = &[Scalar::Half];
/// What is loaded, stored and exchanged.
const VALUES: &[Scalar] = &[
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::Float,
    Scalar::Double,
];

const fn new(name: &'static str, signature: &'static str, bases: &'static [Scalar], when: &'static str, kind: Kind) -> Row {
    Row::of(name, signature, bases, ONE, when, Emit::C11(kind))
}

const ADD: Kind = Kind::Fetch([Op::AtomicIAdd, Op::AtomicIAdd, Op::AtomicFAddEXT]);
/// Of floats: the operand is negated.
const SUB: Kind = Kind::Fetch([Op::AtomicISub, Op::AtomicISub, Op::AtomicFAddEXT]);
const MIN: Kind = Kind::Fetch([Op::AtomicSMin, Op::AtomicUMin, Op::AtomicFMinEXT]);
const MAX: Kind = Kind::Fetch([Op::AtomicSMax, Op::AtomicUMax, Op::AtomicFMaxEXT]);
const AND: Kind = Kind::Fetch([Op::AtomicAnd; 3]);
const OR: Kind = Kind::Fetch([Op::AtomicOr; 3]);
const XOR: Kind = Kind::Fetch([Op::AtomicXor; 3]);
const CAS: Kind = Kind::CompareExchange;

/// Without an order, which is sequentially consistent, on the whole device.
const PLAIN: &str = "2.0 & __opencl_c_atomic_order_seq_cst & __opencl_c_atomic_scope_device";
/// With an order, on the whole device.
const ORDER: &str = "2.0 & __opencl_c_atomic_scope_device";
const SCOPE: &str = "2.0";
const HALF_STORE: &str = "2.0 & __opencl_c_ext_fp16_global_atomic_load_store";
const HALF_ADD: &str = "2.0 & __opencl_c_ext_fp16_global_atomic_add";
const HALF_MIN: &str = "2.0 & __opencl_c_ext_fp16_global_atomic_min_max";
const FLOAT_ADD: &str = "2.0 & __opencl_c_ext_fp32_global_atomic_add";
const FLOAT_MIN: &str = "2.0 & __opencl_c_ext_fp32_global_atomic_min_max";
const DOUBLE_ADD: &str = "2.0 & __opencl_c_ext_fp64_global_atomic_add";
const DOUBLE_MIN: &str = "2.0 & __opencl_c_ext_fp64_global_atomic_min_max";

/// Flags are integers.
const WORDS_ONCE: &[Scalar] = &[Scalar::Int];

/// Functions that OpenCL C 2.0 has.
pub static C11: &[Row] = &[
    new(
        "atomic_init",
        "void(shared volatile _Atomic gentype*, gentype)",
        VALUES,
        "2.0",
        Kind::Init,
    ),
    new(
        "atomic_init",
        "void(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_STORE,
        Kind::Init,
    ),
    new(
        "atomic_load",
        "gentype(shared volatile _Atomic gentype*)",
        VALUES,
        PLAIN,
        Kind::Load,
    ),
    new(
        "atomic_load_explicit",
        "gentype(shared volatile _Atomic gentype*, memory_order)",
        VALUES,
        ORDER,
        Kind::Load,
    ),
    new(
        "atomic_load_explicit",
        "gentype(shared volatile _Atomic gentype*, memory_order, memory_scope)",
        VALUES,
        SCOPE,
        Kind::Load,
    ),
    new(
        "atomic_load",
        "gentype(shared volatile _Atomic gentype*)",
        HALF,
        HALF_STORE,
        Kind::Load,
    ),
    new(
        "atomic_load_explicit",
        "gentype(shared volatile _Atomic gentype*, memory_order)",
        HALF,
        HALF_STORE,
        Kind::Load,
    ),
    new(
        "atomic_load_explicit",
        "gentype(shared volatile _Atomic gentype*, memory_order, memory_scope)",
        HALF,
        HALF_STORE,
        Kind::Load,
    ),
    new(
        "atomic_store",
        "void(shared volatile _Atomic gentype*, gentype)",
        VALUES,
        PLAIN,
        Kind::Store,
    ),
    new(
        "atomic_store_explicit",
        "void(shared volatile _Atomic gentype*, gentype, memory_order)",
        VALUES,
        ORDER,
        Kind::Store,
    ),
    new(
        "atomic_store_explicit",
        "void(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        VALUES,
        SCOPE,
        Kind::Store,
    ),
    new(
        "atomic_store",
        "void(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_STORE,
        Kind::Store,
    ),
    new(
        "atomic_store_explicit",
        "void(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_STORE,
        Kind::Store,
    ),
    new(
        "atomic_store_explicit",
        "void(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_STORE,
        Kind::Store,
    ),
    new(
        "atomic_exchange",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        VALUES,
        PLAIN,
        Kind::Exchange,
    ),
    new(
        "atomic_exchange_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        VALUES,
        ORDER,
        Kind::Exchange,
    ),
    new(
        "atomic_exchange_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        VALUES,
        SCOPE,
        Kind::Exchange,
    ),
    new(
        "atomic_exchange",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_STORE,
        Kind::Exchange,
    ),
    new(
        "atomic_exchange_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_STORE,
        Kind::Exchange,
    ),
    new(
        "atomic_exchange_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_STORE,
        Kind::Exchange,
    ),
    new(
        "atomic_compare_exchange_strong",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype)",
        VALUES,
        PLAIN,
        CAS,
    ),
    new(
        "atomic_compare_exchange_strong_explicit",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype, memory_order, memory_order)",
        VALUES,
        ORDER,
        CAS,
    ),
    new(
        "atomic_compare_exchange_strong_explicit",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype, memory_order, memory_order, memory_scope)",
        VALUES,
        SCOPE,
        CAS,
    ),
    new(
        "atomic_compare_exchange_weak",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype)",
        VALUES,
        PLAIN,
        CAS,
    ),
    new(
        "atomic_compare_exchange_weak_explicit",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype, memory_order, memory_order)",
        VALUES,
        ORDER,
        CAS,
    ),
    new(
        "atomic_compare_exchange_weak_explicit",
        "bool(shared volatile _Atomic gentype*, gen gentype*, gentype, memory_order, memory_order, memory_scope)",
        VALUES,
        SCOPE,
        CAS,
    ),
    new(
        "atomic_fetch_add",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        ADD,
    ),
    new(
        "atomic_fetch_add",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        FLOAT,
        FLOAT_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        FLOAT,
        FLOAT_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        FLOAT,
        FLOAT_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        DOUBLE,
        DOUBLE_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        DOUBLE,
        DOUBLE_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        DOUBLE,
        DOUBLE_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_add_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_ADD,
        ADD,
    ),
    new(
        "atomic_fetch_sub",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        SUB,
    ),
    new(
        "atomic_fetch_sub",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        FLOAT,
        FLOAT_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        FLOAT,
        FLOAT_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        FLOAT,
        FLOAT_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        DOUBLE,
        DOUBLE_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        DOUBLE,
        DOUBLE_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        DOUBLE,
        DOUBLE_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_sub_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_ADD,
        SUB,
    ),
    new(
        "atomic_fetch_min",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        MIN,
    ),
    new(
        "atomic_fetch_min",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        FLOAT,
        FLOAT_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        FLOAT,
        FLOAT_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        FLOAT,
        FLOAT_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        DOUBLE,
        DOUBLE_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        DOUBLE,
        DOUBLE_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        DOUBLE,
        DOUBLE_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_min_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_MIN,
        MIN,
    ),
    new(
        "atomic_fetch_max",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        MAX,
    ),
    new(
        "atomic_fetch_max",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        FLOAT,
        FLOAT_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        FLOAT,
        FLOAT_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        FLOAT,
        FLOAT_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        DOUBLE,
        DOUBLE_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        DOUBLE,
        DOUBLE_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        DOUBLE,
        DOUBLE_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        HALF,
        HALF_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        HALF,
        HALF_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_max_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        HALF,
        HALF_MIN,
        MAX,
    ),
    new(
        "atomic_fetch_and",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        AND,
    ),
    new(
        "atomic_fetch_and_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        AND,
    ),
    new(
        "atomic_fetch_and_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        AND,
    ),
    new(
        "atomic_fetch_or",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        OR,
    ),
    new(
        "atomic_fetch_or_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        OR,
    ),
    new(
        "atomic_fetch_or_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        OR,
    ),
    new(
        "atomic_fetch_xor",
        "gentype(shared volatile _Atomic gentype*, gentype)",
        WIDE,
        PLAIN,
        XOR,
    ),
    new(
        "atomic_fetch_xor_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order)",
        WIDE,
        ORDER,
        XOR,
    ),
    new(
        "atomic_fetch_xor_explicit",
        "gentype(shared volatile _Atomic gentype*, gentype, memory_order, memory_scope)",
        WIDE,
        SCOPE,
        XOR,
    ),
    new(
        "atomic_flag_test_and_set",
        "bool(shared volatile _Atomic int*)",
        WORDS_ONCE,
        PLAIN,
        Kind::FlagTestAndSet,
    ),
    new(
        "atomic_flag_clear",
        "void(shared volatile _Atomic int*)",
        WORDS_ONCE,
        PLAIN,
        Kind::FlagClear,
    ),
    new(
        "atomic_flag_test_and_set_explicit",
        "bool(shared volatile _Atomic int*, memory_order)",
        WORDS_ONCE,
        ORDER,
        Kind::FlagTestAndSet,
    ),
    new(
        "atomic_flag_clear_explicit",
        "void(shared volatile _Atomic int*, memory_order)",
        WORDS_ONCE,
        ORDER,
        Kind::FlagClear,
    ),
    new(
        "atomic_flag_test_and_set_explicit",
        "bool(shared volatile _Atomic int*, memory_order, memory_scope)",
        WORDS_ONCE,
        SCOPE,
        Kind::FlagTestAndSet,
    ),
    new(
        "atomic_flag_clear_explicit",
        "void(shared volatile _Atomic int*, memory_order, memory_scope)",
        WORDS_ONCE,
        SCOPE,
        Kind::FlagClear,
    ),
];
