//! Loops that can be stopped from outside: each time round, they look at a word, and the function traps once it is not zero.
//!
//! Only launches of contexts that can be terminated have this (cl_khr_terminate_context); it is done last, at the work-group level, so that
//! the loops over gangs and groups look too, and no other pass has to know.

use device::abi::Trap;
use ir::cfg::{Cfg, Loop, Loops};
use ir::*;

/// Has every loop look at the word (an aligned `u32`) at an address that is valid whenever the code runs. True if there were loops.
pub fn run(func: &mut Function, word: u64) -> bool {
    let loops = Loops::new(&Cfg::new(func)).loops;
    for Loop { header, latches, .. } in &loops {
        let types: Vec<Type> = func.block(*header).params.iter().map(|&param| func.ty(param)).collect();
        let (poll, stop) = (func.add_block(), func.add_block());
        let params: ValueList = types.into_iter().map(|ty| func.add_param(poll, ty)).collect();
        for &latch in latches {
            func.retarget(latch, *header, poll);
        }
        let mut b = Builder::new(func, poll);
        let address = b.i64(word as i64);
        let mut mem = MemInfo::new(Space::Global, 4);
        mem.flags |= MemFlags::VOLATILE;
        let stopped = b.load(Type::I32, Address::offset(address, 0), mem);
        let stopped = b.icmp_imm(IntCc::Ne, stopped, 0);
        b.branch(stopped, to(stop, &[]), to(*header, &params));
        Builder::new(func, stop).push(InstData::Trap {
            reason: Trap::Stopped as u32,
        });
    }
    !loops.is_empty()
}
