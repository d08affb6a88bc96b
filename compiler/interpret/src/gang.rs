//! A gang: W work-items in lock step, as a coroutine.

use super::collective::{self, Part};
use super::group::{Code, Group};
use super::{Stop, images, memory};
use ir::eval;
use ir::*;
use smallvec::SmallVec;

/// A bit for each lane.
pub(super) type Lanes = u64;

/// The lanes of a set, the lowest first.
fn each(mut lanes: Lanes) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros();
        lanes &= lanes.wrapping_sub(1);
        (lane < Lanes::BITS).then_some(lane)
    })
}

/// Why a gang does not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pause {
    /// All its lanes are done.
    Finished,
    /// Before the instruction after a barrier of the work-group.
    Barrier,
    /// At an operation across the work-group, whose results are to be set with [`Gang::set_results`].
    WorkGroup,
    /// It has run for long enough; others may want to go on.
    Preempted,
}

/// A function that is being executed by some lanes.
struct Activation<'m> {
    code: &'m Code<'m>,
    /// `value * width + lane`.
    values: Vec<u64>,
    /// Where lanes go on that are not executing now: place in the order, block.
    waiting: Vec<Option<(u32, Block)>>,
    /// Block, position in it, and the lanes that execute it.
    at: Option<(Block, usize, Lanes)>,
    /// Bytes of private memory that activations below use.
    private_base: u64,
    /// What lanes returned: they have left this function.
    returned: Lanes,
    results: Vec<SmallVec<[u64; 2]>>,
}

pub(super) struct Gang<'m> {
    index: u32,
    width: u32,
    stack: Vec<Activation<'m>>,
}

impl<'m> Gang<'m> {
    pub(super) fn new(index: u32, width: u32, lanes: u32, kernel: &'m Code<'m>) -> Gang<'m> {
        let mut gang = Gang {
            index,
            width,
            stack: Vec::new(),
        };
        let all = Lanes::MAX >> (Lanes::BITS - lanes);
        gang.enter(kernel, all, 0);
        gang
    }

    fn enter(&mut self, code: &'m Code<'m>, lanes: Lanes, private_base: u64) {
        let width = self.width as usize;
        self.stack.push(Activation {
            code,
            values: vec![0; code.func.counts().2 * width],
            waiting: vec![None; width],
            at: Some((code.func.entry(), 0, lanes)),
            private_base,
            returned: 0,
            results: vec![SmallVec::new(); width],
        });
    }

    /// Runs until something stops it.
    pub(super) fn run(&mut self, group: &mut Group<'_, 'm>, mut blocks: u64) -> Result<Pause, Stop> {
        loop {
            let Some(top) = self.stack.last_mut() else {
                return Ok(Pause::Finished);
            };
            let Some((block, position, lanes)) = top.at else {
                if !top.choose() {
                    self.leave();
                } else if blocks == 0 {
                    return Ok(Pause::Preempted);
                } else {
                    blocks -= 1;
                    group.count_block()?;
                }
                continue;
            };
            let func = top.code.func;
            let inst = func.block(block).insts[position];
            top.at = Some((block, position + 1, lanes));
            match &func.inst(inst).data {
                InstData::Barrier {
                    execution: Scope::SubGroup,
                    ..
                } => {}
                InstData::Barrier { .. } => return Ok(Pause::Barrier),
                InstData::WorkGroup { .. } => {
                    // The results are set while the gang stands here.
                    top.at = Some((block, position, lanes));
                    return Ok(Pause::WorkGroup);
                }
                InstData::SubGroup { op, args } => self.sub_group(*op, args, inst, lanes),
                InstData::Call { callee, args, .. } => {
                    let code = group.code(*callee)?;
                    let private_base = top.private_base + top.code.own_private_bytes;
                    top.at = Some((block, position, lanes));
                    self.enter(code, lanes, private_base);
                    self.pass_parameters(args, lanes);
                }
                data if data.is_terminator() => self.terminate(group, data, lanes),
                _ => {
                    for lane in each(lanes) {
                        self.execute(group, inst, lane)?;
                    }
                }
            }
        }
    }

    /// The operands of the operation across the work-group at which the gang stands: (instruction, local linear id, operands).
    pub(super) fn work_group_parts(&self) -> Vec<(Inst, u32, SmallVec<[u64; 4]>)> {
        let Some((top, (block, position, lanes))) = self.stack.last().and_then(|top| Some((top, top.at?))) else {
            return Vec::new();
        };
        let inst = top.code.func.block(block).insts[position];
        let mut args: SmallVec<[Value; 4]> = SmallVec::new();
        top.code.func.inst(inst).data.for_each_operand(|&value| args.push(value));
        each(lanes)
            .map(|lane| {
                let bits = args.iter().map(|&value| top.get(self.width, value, lane)).collect();
                (inst, self.index * self.width + lane, bits)
            })
            .collect()
    }

    /// Gives the operation across the work-group its results, one a lane that takes part, and goes past it.
    pub(super) fn set_results(&mut self, results: &[u64]) {
        let width = self.width;
        if let Some(top) = self.stack.last_mut()
            && let Some((block, position, lanes)) = top.at
        {
            let func = top.code.func;
            let result = func.result(func.block(block).insts[position]);
            for (lane, &bits) in each(lanes).zip(results) {
                top.set(width, result, lane, bits);
            }
            top.at = Some((block, position + 1, lanes));
        }
    }

    /// The function and operation that the gang stands at.
    pub(super) fn work_group_op(&self) -> Option<(&'m Function, Inst)> {
        let top = self.stack.last()?;
        let (block, position, _) = top.at?;
        Some((top.code.func, top.code.func.block(block).insts[position]))
    }

    fn pass_parameters(&mut self, args: &[Value], lanes: Lanes) {
        let width = self.width;
        let [.., caller, callee] = self.stack.as_mut_slice() else { return };
        for (&param, &arg) in callee.code.func.params().iter().zip(args) {
            for lane in each(lanes) {
                callee.set(width, param, lane, caller.get(width, arg, lane));
            }
        }
    }

    /// All lanes have left the function on top: those that returned go on behind the call.
    fn leave(&mut self) {
        let width = self.width;
        let Some(done) = self.stack.pop() else { return };
        let Some(caller) = self.stack.last_mut() else { return };
        let Some((block, position, _)) = caller.at else { return };
        let func = caller.code.func;
        let results = &func.inst(func.block(block).insts[position]).results;
        for lane in each(done.returned) {
            for (&result, &bits) in results.iter().zip(&done.results[lane as usize]) {
                caller.set(width, result, lane, bits);
            }
        }
        caller.at = (done.returned != 0).then_some((block, position + 1, done.returned));
    }

    fn sub_group(&mut self, op: SubGroupOp, args: &[Value], inst: Inst, lanes: Lanes) {
        let width = self.width;
        let Some(top) = self.stack.last_mut() else { return };
        let func = top.code.func;
        let operands: Vec<SmallVec<[u64; 2]>> = each(lanes)
            .map(|lane| args.iter().map(|&value| top.get(width, value, lane)).collect())
            .collect();
        let parts: Vec<Part> = each(lanes).zip(&operands).map(|(id, args)| Part { id, args }).collect();
        let elem = args.first().map_or(Elem::Mask, |&arg| func.ty(arg).elem);
        let results = collective::sub_group(op, elem, &parts);
        for (lane, bits) in each(lanes).zip(results) {
            top.set(width, func.result(inst), lane, bits);
        }
    }

    fn terminate(&mut self, group: &mut Group<'_, 'm>, data: &InstData, lanes: Lanes) {
        let (width, index) = (self.width, self.index);
        let Some(top) = self.stack.last_mut() else { return };
        let from = top.at.take().map_or(top.code.func.entry(), |(block, ..)| block);
        for lane in each(lanes) {
            match data {
                InstData::Jump { target } => top.jump(width, lane, from, target),
                InstData::Branch { condition, targets } => {
                    let taken = usize::from(top.get(width, *condition, lane) == 0);
                    top.jump(width, lane, from, &targets[taken]);
                }
                InstData::Switch { value, cases, default } => {
                    let bits = top.get(width, *value, lane);
                    let chosen = cases.iter().find(|(case, _)| *case == bits);
                    top.jump(width, lane, from, chosen.map_or(default, |(_, target)| target));
                }
                InstData::Return { values } => {
                    let results = values.iter().map(|&value| top.get(width, value, lane)).collect();
                    top.results[lane as usize] = results;
                    top.returned |= 1 << lane;
                }
                InstData::Trap { reason } => group.trap(*reason, index * width + lane),
                // It retires.
                _ => {}
            }
        }
    }

    /// Executes an instruction that concerns one lane alone.
    fn execute(&mut self, group: &mut Group<'_, 'm>, inst: Inst, lane: u32) -> Result<(), Stop> {
        let (width, item) = (self.width, self.index * self.width + lane);
        let Some(top) = self.stack.last_mut() else { return Ok(()) };
        let func = top.code.func;
        let node = func.inst(inst);
        let get = |value: Value| top.get(width, value, lane);
        let elem = |value: Value| func.ty(value).elem;
        let address = |address: &Address| {
            let index = address.index.map_or(0, |index| eval::signed(elem(index), get(index)));
            get(address.base)
                .wrapping_add_signed(index.wrapping_mul(i64::from(address.scale)))
                .wrapping_add_signed(i64::from(address.offset))
        };
        let on = |mask: &Option<Value>| mask.is_none_or(|mask| get(mask) != 0);
        let result = match &node.data {
            InstData::Const { bits, .. } => *bits,
            InstData::Unary { op, arg } => eval::unary(*op, elem(*arg), get(*arg)),
            InstData::Binary { op, args: [a, b] } => eval::binary(*op, elem(*a), get(*a), get(*b)),
            InstData::Fma { args: [a, b, c] } => eval::fma(elem(*a), get(*a), get(*b), get(*c)),
            InstData::Dot { op, args: [a, b, c] } => op.eval(get(*a), get(*b), get(*c)),
            InstData::Select { mask, args: [a, b] } => get(if get(*mask) != 0 { *a } else { *b }),
            InstData::IntCompare { cc, args: [a, b] } => u64::from(eval::int_compare(*cc, elem(*a), get(*a), get(*b))),
            InstData::FloatCompare { cc, args: [a, b] } => u64::from(eval::float_compare(*cc, elem(*a), get(*a), get(*b))),
            InstData::Convert { op, ty, arg, rounding, .. } => eval::convert(*op, elem(*arg), ty.elem, *rounding, get(*arg)),
            InstData::Builtin { builtin, dimension } => group.builtin(*builtin, *dimension, item),
            InstData::SlotAddress { slot } => group.private_address(item) + top.private_base + top.code.slot_offsets[*slot],
            InstData::GlobalAddress { global } => group.global_address(*global)?,
            InstData::Load {
                ty,
                address: from,
                mask,
                passthru,
                ..
            } => match on(mask) {
                // SAFETY: the kernel is run on the promise that its accesses are valid.
                true => unsafe { memory::load(ty.elem, address(from)) },
                false => passthru.map_or(0, get),
            },
            InstData::Store {
                value, address: to, mask, ..
            } => {
                if on(mask) {
                    // SAFETY: as above.
                    unsafe { memory::store(elem(*value), address(to), get(*value)) };
                }
                return Ok(());
            }
            InstData::Copy { to, from, bytes, .. } => {
                // SAFETY: as above.
                unsafe { std::ptr::copy(get(*from) as *const u8, get(*to) as *mut u8, get(*bytes) as usize) };
                return Ok(());
            }
            InstData::AtomicLoad { ty, address, mask, .. } => match on(mask) {
                // SAFETY: as above.
                true => unsafe { memory::update(ty.elem, get(*address), |_| None) },
                false => 0,
            },
            InstData::AtomicStore { value, address, mask, .. } => {
                let new = get(*value);
                if on(mask) {
                    // SAFETY: as above.
                    unsafe { memory::update(elem(*value), get(*address), |_| Some(new)) };
                }
                return Ok(());
            }
            InstData::AtomicRmw {
                op, value, address, mask, ..
            } => {
                let (elem, by) = (elem(*value), get(*value));
                match on(mask) {
                    // SAFETY: as above.
                    true => unsafe { memory::update(elem, get(*address), |old| Some(eval::atomic(*op, elem, old, by))) },
                    false => 0,
                }
            }
            InstData::AtomicCas {
                expected,
                desired,
                address,
                mask,
                ..
            } => {
                let (from, to) = (get(*expected), get(*desired));
                match on(mask) {
                    // SAFETY: as above.
                    true => unsafe { memory::update(elem(*expected), get(*address), |old| (old == from).then_some(to)) },
                    false => 0,
                }
            }
            InstData::Fence { .. } => return Ok(()),
            InstData::CallRuntime { routine, args } => {
                let args: SmallVec<[u64; 4]> = args.iter().map(|&arg| get(arg)).collect();
                match runtime(*routine, &args)? {
                    Some(bits) => bits,
                    None => return Ok(()),
                }
            }
            InstData::Image { op, args } => {
                let floats = elem(args[op.handles()]).is_float();
                let args: SmallVec<[u64; 8]> = args.iter().map(|&arg| get(arg)).collect();
                // SAFETY: as above.
                let texel = unsafe { images::access(*op, floats, &args) };
                for (&result, bits) in node.results.iter().zip(texel) {
                    top.set(width, result, lane, bits);
                }
                return Ok(());
            }
            _ => {
                let text = func.display_inst(inst);
                return Err(Stop::Unsupported(format!("the interpreter runs no `{text}`")));
            }
        };
        top.set(width, node.results[0], lane, result);
        Ok(())
    }
}

impl Activation<'_> {
    fn get(&self, width: u32, value: Value, lane: u32) -> u64 {
        self.values[value.as_u32() as usize * width as usize + lane as usize]
    }

    fn set(&mut self, width: u32, value: Value, lane: u32, bits: u64) {
        self.values[value.as_u32() as usize * width as usize + lane as usize] = bits;
    }

    fn jump(&mut self, width: u32, lane: u32, from: Block, target: &BlockCall) {
        // All arguments are read before a parameter is set.
        let args: SmallVec<[u64; 8]> = target.args.iter().map(|&arg| self.get(width, arg, lane)).collect();
        for (&param, bits) in self.code.func.block(target.block).params.iter().zip(args) {
            self.set(width, param, lane, bits);
        }
        let place = self.code.order.place(from, target.block);
        self.waiting[lane as usize] = Some((place, target.block));
    }

    /// Chooses the block that is executed next, with all lanes that wait for it. False if no lane is left.
    fn choose(&mut self) -> bool {
        let Some(first) = self.waiting.iter().flatten().copied().min() else {
            return false;
        };
        let mut lanes: Lanes = 0;
        for (lane, waiting) in self.waiting.iter_mut().enumerate() {
            if *waiting == Some(first) {
                *waiting = None;
                lanes |= 1 << lane;
            }
        }
        self.at = Some((first.1, 0, lanes));
        true
    }
}

fn runtime(routine: Runtime, args: &[u64]) -> Result<Option<u64>, Stop> {
    if routine == Runtime::Memcpy {
        // SAFETY: the kernel is run on the promise that its accesses are valid.
        unsafe { std::ptr::copy(args[1] as *const u8, args[0] as *mut u8, args[2] as usize) };
        return Ok(None);
    }
    let acts = routine.signature().0.first() == Some(&Type::I64) || routine == Runtime::Clock;
    if acts && routine != Runtime::Printf {
        // SAFETY: as above.
        let bits = unsafe { routine.act(args) };
        return Ok(routine.signature().1.map(|_| bits));
    }
    match routine.evaluate(args) {
        Some(bits) => Ok(Some(bits)),
        None => Err(Stop::Unsupported(format!("the interpreter runs no {routine}"))),
    }
}
