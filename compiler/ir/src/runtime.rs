//! Functions of the driver, and of mathematics libraries, that generated code may call a lane at a time.

use super::named::named;
use super::op::BinaryOp;
use super::types::{Elem, Type};
use core::ffi::c_void;

/// C's mathematics library, which the standard library links: for what has one right result.
mod exact {
    unsafe extern "C" {
        pub fn fmod(x: f64, y: f64) -> f64;
        pub fn fmodf(x: f32, y: f32) -> f32;
        pub fn remainder(x: f64, y: f64) -> f64;
    }
}

/// A library that is compiled with the driver, for what each system's C library rounds in its own way.
mod rounded {
    macro_rules! functions {
        ($($name:ident)+) => { $(pub extern "C" fn $name(x: f64) -> f64 { libm::$name(x) })+ };
    }
    functions! { cos erf erfc sin tan }
}

/// Operations that not all machines have instructions for.
mod powers {
    use crate::eval::powers;

    pub extern "C" fn exponent(x: f64, limit: f64) -> f64 {
        powers::exponent(x, limit)
    }
    pub extern "C" fn exponentf(x: f32, limit: f32) -> f32 {
        exponent(x.into(), limit.into()) as f32
    }
    pub extern "C" fn fraction(x: f64, limit: f64) -> f64 {
        powers::fraction(x, limit)
    }
    pub extern "C" fn fractionf(x: f32, limit: f32) -> f32 {
        fraction(x.into(), limit.into()) as f32
    }
    pub extern "C" fn scale(x: f64, exponent: f64) -> f64 {
        powers::scale(x, exponent)
    }
    pub extern "C" fn scalef(x: f32, exponent: f32) -> f32 {
        scale(x.into(), exponent.into()) as f32
    }
}

macro_rules! runtime {
    ($($variant:ident = $name:literal, $address:expr, ($($param:ident),*) -> $result:tt, $purity:ident;)+) => {
        named! {
            /// A function that generated code may call. Those of mathematics are named as in C.
            #[allow(missing_docs)]
            pub enum Runtime { $($variant = $name),+ }
        }

        impl Runtime {
            /// Types of the parameters and of the result.
            pub const fn signature(self) -> (&'static [Type], Option<Type>) {
                match self { $(Runtime::$variant => (&[$(Type::$param),*], runtime!(@result $result))),+ }
            }

            /// A pure function of its operands.
            pub const fn is_pure(self) -> bool {
                match self { $(Runtime::$variant => runtime!(@pure $purity)),+ }
            }

            /// Where it is.
            pub fn address(self) -> *const c_void {
                match self { $(Runtime::$variant => $address),+ }
            }
        }
    };
    (@result none) => { None };
    (@result $result:ident) => { Some(Type::$result) };
    (@pure pure) => { true };
    (@pure acts) => { false };
}

runtime! {
    // (launch, worker, format, arguments, their number) -> 0 or -1. See `device::printf`.
    Printf = "printf", printf(), (I64, I64, I64, I64, I32) -> I32, acts;
    // (launch, worker, [`device::enqueue::Request`], words) -> its answer.
    Request = "request", device::enqueue::brolga_request as device::enqueue::RequestFunction as *const c_void, (I64, I64, I32, I64) -> I64, acts;
    // (launch, worker, site and bytes, detail, work-item). See `device::findings`.
    Found = "found", device::findings::brolga_found as device::findings::FoundFunction as *const c_void, (I64, I64, I64, I64, I64) -> none, acts;
    // The same in a function that stays a call, with the number of the way to it.
    FoundInCallee = "found_in_callee", device::findings::brolga_found_in_callee as device::findings::FoundInCalleeFunction as *const c_void,
        (I64, I64, I64, I64, I64, I64) -> none, acts;
    // (launch, worker, two accesses, distance, work-group). See `device::findings`.
    Raced = "raced", device::findings::brolga_raced as device::findings::FoundFunction as *const c_void, (I64, I64, I64, I64, I64) -> none, acts;
    // (launch, worker, address, bytes and whether they are written) -> 1 if they are there, else 0. See `device::live`.
    Live = "live", device::live::brolga_live as device::live::LiveFunction as *const c_void, (I64, I64, I64, I64) -> I32, acts;
    // (address, bytes and whether they are written) -> 1 if they were written, else 0. See `device::live::written`.
    WrittenAt = "written_at", device::live::written::brolga_written as device::live::written::WrittenFunction as *const c_void, (I64, I64) -> I32, acts;
    // (condition, [`Held`], detail): the condition is not 0. Checked mode makes a guard of it, else it does nothing.
    Holds = "holds", holds as *const c_void, (I32, I32, I64) -> none, acts;
    // (condition, slot): that it is not 0 says that the private variable was written. Checked mode makes a guard of it.
    Written = "written", written as *const c_void, (I32, I32) -> none, acts;
    // (to, from, bytes), as C's memmove.
    Memcpy = "memcpy", libc::memmove as *const c_void, (I64, I64, I64) -> none, acts;
    // Nanoseconds of the device's clock.
    Clock = "clock", clock as *const c_void, () -> I64, acts;
    // Bytes of an image's row that are texels.
    ImageRowBytes = "image_row_bytes", image_row_bytes as *const c_void, (I64) -> I32, pure;
    // See `device::pipe`: (pipe, packet, its size), (pipe, packets), (pipe, reservation, index, packet, its size), (pipe, reservation).
    PipeRead = "pipe_read", pipe("pipe_read"), (I64, I64, I32) -> I32, acts;
    PipeWrite = "pipe_write", pipe("pipe_write"), (I64, I64, I32) -> I32, acts;
    PipeReserveRead = "pipe_reserve_read", pipe("pipe_reserve_read"), (I64, I32) -> I64, acts;
    PipeReserveWrite = "pipe_reserve_write", pipe("pipe_reserve_write"), (I64, I32) -> I64, acts;
    PipeReservedRead = "pipe_reserved_read", pipe("pipe_reserved_read"), (I64, I64, I32, I64, I32) -> I32, acts;
    PipeReservedWrite = "pipe_reserved_write", pipe("pipe_reserved_write"), (I64, I64, I32, I64, I32) -> I32, acts;
    PipeCommitRead = "pipe_commit_read", pipe("pipe_commit_read"), (I64, I64) -> none, acts;
    PipeCommitWrite = "pipe_commit_write", pipe("pipe_commit_write"), (I64, I64) -> none, acts;
    PipePackets = "pipe_packets", pipe("pipe_packets"), (I64) -> I32, acts;
    PipeCapacity = "pipe_capacity", pipe("pipe_capacity"), (I64) -> I32, acts;
    // (image, access word, exchange). See `device::image::access`.
    ImageRead = "image_read", device::image::access::read as *const c_void, (I64, I32, I64) -> none, acts;
    ImageWrite = "image_write", device::image::access::write as *const c_void, (I64, I32, I64) -> none, acts;
    LinearToSrgb = "linear_to_srgb", device::image::srgb::linear_to_srgb as *const c_void, (F32) -> F32, pure;
    FmodF32 = "fmod.f32", exact::fmodf as *const c_void, (F32, F32) -> F32, pure;
    FmodF64 = "fmod.f64", exact::fmod as *const c_void, (F64, F64) -> F64, pure;
    CosF64 = "cos.f64", rounded::cos as *const c_void, (F64) -> F64, pure;
    ErfF64 = "erf.f64", rounded::erf as *const c_void, (F64) -> F64, pure;
    ErfcF64 = "erfc.f64", rounded::erfc as *const c_void, (F64) -> F64, pure;
    ExponentF32 = "exponent.f32", powers::exponentf as *const c_void, (F32, F32) -> F32, pure;
    ExponentF64 = "exponent.f64", powers::exponent as *const c_void, (F64, F64) -> F64, pure;
    FractionF32 = "fraction.f32", powers::fractionf as *const c_void, (F32, F32) -> F32, pure;
    FractionF64 = "fraction.f64", powers::fraction as *const c_void, (F64, F64) -> F64, pure;
    ScaleF32 = "scale.f32", powers::scalef as *const c_void, (F32, F32) -> F32, pure;
    ScaleF64 = "scale.f64", powers::scale as *const c_void, (F64, F64) -> F64, pure;
    RemainderF64 = "remainder.f64", exact::remainder as *const c_void, (F64, F64) -> F64, pure;
    SinF64 = "sin.f64", rounded::sin as *const c_void, (F64) -> F64, pure;
    TanF64 = "tan.f64", rounded::tan as *const c_void, (F64) -> F64, pure;
}

/// What [`Runtime::Holds`] says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The program's promise.
    Assumption,
    /// An event is one that an asynchronous copy gave. The detail is the event.
    Event,
    /// All work-items of the sub-group have come. The detail: how many have, and in the upper half how many there are.
    SubGroup,
    /// A result is finite, or an operand is not. The detail is the result, as bits of a double.
    Finite,
    /// A floating-point number fits an integer. The detail is the number, as bits of a double.
    Fits {
        /// Bits of the integer: 64 at most.
        bits: u8,
        /// It can be negative.
        signed: bool,
    },
}

impl Held {
    const SIMPLE: [Held; 4] = [Held::Assumption, Held::Event, Held::SubGroup, Held::Finite];
    /// Of what has an integer's type: its width is in the bits from 8 on.
    const FITS: u64 = 4;
    const SIGNED: u64 = 1 << 16;

    /// Its number, the second operand.
    pub fn number(self) -> u64 {
        match self {
            Held::Assumption => 0,
            Held::Event => 1,
            Held::SubGroup => 2,
            Held::Finite => 3,
            Held::Fits { bits, signed } => Held::FITS | u64::from(bits) << 8 | if signed { Held::SIGNED } else { 0 },
        }
    }

    /// By its number.
    pub fn from_number(number: u64) -> Option<Held> {
        if number & 0xff == Held::FITS {
            let (bits, signed) = ((number >> 8) as u8, number & Held::SIGNED != 0);
            return Some(Held::Fits { bits, signed });
        }
        Held::SIMPLE.get(number as usize).copied()
    }
}

fn printf() -> *const c_void {
    device::printf::brolga_printf as device::printf::PrintfFunction as *const c_void
}

extern "C" fn holds(_: u32, _: u32, _: u64) {}

extern "C" fn written(_: u32, _: u32) {}

extern "C" fn clock() -> u64 {
    device::clock::now()
}

extern "C" fn image_row_bytes(image: *const device::image::ImageRecord) -> u32 {
    // SAFETY: an image that a kernel has is the address of its record.
    unsafe { &*image }.row_bytes()
}

fn pipe(name: &str) -> *const c_void {
    let symbols = device::pipe::runtime_symbols();
    let found = symbols.iter().find(|(symbol, _)| *symbol == name);
    found.map_or(core::ptr::null(), |(_, address)| address.cast())
}

impl Runtime {
    /// What computes an operation on floats or doubles where the machine has no instruction for it.
    pub const fn of_operation(op: BinaryOp, elem: Elem) -> Option<Runtime> {
        let [single, double] = match op {
            BinaryOp::FRem => [Runtime::FmodF32, Runtime::FmodF64],
            BinaryOp::Scale => [Runtime::ScaleF32, Runtime::ScaleF64],
            BinaryOp::Fraction => [Runtime::FractionF32, Runtime::FractionF64],
            BinaryOp::Exponent => [Runtime::ExponentF32, Runtime::ExponentF64],
            _ => return None,
        };
        Some(if matches!(elem, Elem::F64) { double } else { single })
    }

    /// It is called only where something is wrong.
    pub const fn tells_of_a_fault(self) -> bool {
        matches!(self, Runtime::Found | Runtime::FoundInCallee | Runtime::Raced)
    }

    /// Calls a function of integers and addresses that acts on memory, as the interpreter does; the bits of its result, 0 where it has none.
    ///
    /// # Safety
    /// The operands must be what the function takes.
    pub unsafe fn act(self, args: &[u64]) -> u64 {
        let mut all = [0; 6];
        all[..args.len()].copy_from_slice(args);
        let [a, b, c, d, e, f] = all;
        // SAFETY: a C function of up to six integers: each is in a register of its own, with those that it does not have after them.
        let call: extern "C" fn(u64, u64, u64, u64, u64, u64) -> u64 = unsafe { core::mem::transmute(self.address()) };
        let bits = call(a, b, c, d, e, f);
        self.signature().1.map_or(0, |ty| bits & ty.elem.bit_mask())
    }

    /// Calls a function of floats, all operands and the result given by their bits; none for the others.
    pub fn evaluate(self, args: &[u64]) -> Option<u64> {
        let (params, result) = self.signature();
        let f64 = |n: usize| f64::from_bits(args[n]);
        match (params, result) {
            ([Type::F64], Some(Type::F64)) => {
                // SAFETY: the signature says that this is a C function of one double.
                let call: unsafe extern "C" fn(f64) -> f64 = unsafe { core::mem::transmute(self.address()) };
                // SAFETY: functions of mathematics take any operand.
                Some(unsafe { call(f64(0)) }.to_bits())
            }
            ([Type::F64, Type::F64], Some(Type::F64)) => {
                // SAFETY: the signature says that this is a C function of two doubles.
                let call: unsafe extern "C" fn(f64, f64) -> f64 = unsafe { core::mem::transmute(self.address()) };
                // SAFETY: functions of mathematics take any operands.
                Some(unsafe { call(f64(0), f64(1)) }.to_bits())
            }
            ([Type::F32], Some(Type::F32)) => {
                // SAFETY: the signature says that this is a C function of one float.
                let call: unsafe extern "C" fn(f32) -> f32 = unsafe { core::mem::transmute(self.address()) };
                // SAFETY: it takes any operand.
                Some(u64::from(unsafe { call(f32::from_bits(args[0] as u32)) }.to_bits()))
            }
            ([Type::F32, Type::F32], Some(Type::F32)) => {
                let f32 = |n: usize| f32::from_bits(args[n] as u32);
                // SAFETY: the signature says that this is a C function of two floats.
                let call: unsafe extern "C" fn(f32, f32) -> f32 = unsafe { core::mem::transmute(self.address()) };
                // SAFETY: functions of mathematics take any operands.
                Some(u64::from(unsafe { call(f32(0), f32(1)) }.to_bits()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_somewhere() {
        for (function, name) in Runtime::NAMES {
            assert!(!function.address().is_null(), "{name}");
        }
    }
}
