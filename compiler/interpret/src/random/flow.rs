//! Statements and the flow of control.

use super::generator::{Generator, Place};
use ir::*;

impl Generator<'_> {
    pub fn statements(&mut self, count: u64, place: Place) {
        for _ in 0..1 + self.random.below(count) {
            self.statement(place);
        }
    }

    pub fn inside(&self, place: Place) -> Place {
        Place {
            depth: place.depth - 1,
            ..place
        }
    }

    fn statement(&mut self, place: Place) {
        if self.budget < 0 {
            return;
        }
        if place.reducible && !self.helpers.is_empty() && self.random.one_in(5) {
            return self.call(place);
        }
        if self.kinds.images && self.random.one_in(4) {
            return self.use_image();
        }
        let nested = place.depth > 0;
        match self.random.below(28) {
            0 | 1 if nested => self.branch(place),
            2 if nested => self.switch(place),
            3 | 4 if nested => self.counted_loop(place),
            5 if nested && self.kinds.irreducible => self.two_entries(place),
            6 if place.group_uniform && self.kinds.barriers => self.exchange(),
            7 if place.group_uniform && self.kinds.barriers => self.work_group(),
            8 | 9 if place.reducible && self.meets && self.kinds.sub_groups => self.sub_group(),
            10 if self.kinds.atomics => self.atomic(),
            11 | 12 => self.use_array(),
            13 if self.kinds.leaving => self.leave(),
            14 | 15 => self.column(),
            16 | 17 if nested => self.memory_loop(place),
            18 if place.group_uniform && nested && self.kinds.barriers => self.tree(),
            19 if self.kinds.atomics => self.local_atomic(),
            20 if place.group_uniform && self.kinds.atomics => self.read_cells(),
            21 => self.record(),
            22 | 23 => self.use_array(),
            24 => self.element_behind(),
            25 | 26 if nested => self.window(),
            _ => {
                let variable = *self.random.choose(&self.variables.clone());
                let value = self.value(variable.1, 3);
                self.write(variable, value);
            }
        }
    }

    fn branch(&mut self, place: Place) {
        let condition = self.condition(3);
        let (then, otherwise, join) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        let inside = Place {
            group_uniform: false,
            ..self.inside(place)
        };
        let has_else = self.random.one_in(2);
        self.b
            .branch(condition, to(then, &[]), to(if has_else { otherwise } else { join }, &[]));
        self.b.block = then;
        self.statements(3, inside);
        // Some are hardly ever taken, as whoever wrote them says.
        self.b.func.block_mut(then).cold = then.as_u32().is_multiple_of(3);
        self.b.jump(join, &[]);
        // (Without an `else` this can't be reached.)
        self.b.block = otherwise;
        if has_else {
            self.statements(3, inside);
        }
        self.b.jump(join, &[]);
        self.b.block = join;
    }

    fn switch(&mut self, place: Place) {
        let value = self.value(Type::I32, 2);
        let value = self.b.binary_imm(BinaryOp::And, value, 3);
        let join = self.b.add_block(&[]);
        let sides = [0; 3].map(|_| self.b.add_block(&[]));
        self.b.push(InstData::Switch {
            value,
            cases: Box::new([(0, to(sides[0], &[])), (2, to(sides[1], &[])), (3, to(sides[0], &[]))]),
            default: to(sides[2], &[]),
        });
        let inside = Place {
            group_uniform: false,
            ..self.inside(place)
        };
        for (index, side) in sides.into_iter().enumerate() {
            self.b.block = side;
            self.statements(2, inside);
            // One case falls through into the next.
            let next = if index == 0 && self.random.one_in(2) { sides[1] } else { join };
            self.b.jump(next, &[]);
        }
        self.b.block = join;
    }

    fn counter(&mut self, start: Value) -> (Slot, Type) {
        let slot = self.b.func.slots.push(SlotData { size: 4, align: 4 });
        self.write((slot, Type::I32), start);
        (slot, Type::I32)
    }

    /// One less; true as long as it was not 0.
    fn count_down(&mut self, counter: (Slot, Type)) -> Value {
        let value = self.read(counter);
        self.b.flags = Flags::NSW;
        let next = self.b.binary_imm(BinaryOp::Sub, value, 1);
        self.b.flags = Flags::empty();
        self.write(counter, next);
        self.b.icmp_imm(IntCc::Sgt, value, 0)
    }

    fn counted_loop(&mut self, place: Place) {
        let uniform = place.group_uniform && self.random.one_in(2);
        let start = match uniform {
            true => self.b.i32(self.random.below(4) as i32),
            // Neighbours leave one after the other.
            false if self.roots.is_some() && self.kinds.sub_groups && self.random.one_in(4) => {
                let lane = self.b.builtin(Builtin::SubGroupLocalId, 0);
                let lane = if self.b.ty(lane) == Type::I32 {
                    lane
                } else {
                    self.as_int(lane, Type::I32)
                };
                self.b.flags = Flags::NSW;
                let start = self.b.binary_imm(BinaryOp::Sub, lane, self.random.below(9) as i64 - 3);
                self.b.flags = Flags::empty();
                start
            }
            false => {
                let value = self.value(Type::I32, 2);
                self.b.binary_imm(BinaryOp::And, value, 3)
            }
        };
        let counter = self.counter(start);
        let (header, body, exit) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        self.b.jump(header, &[]);
        self.b.block = header;
        let more = self.count_down(counter);
        self.b.branch(more, to(body, &[]), to(exit, &[]));
        self.b.block = body;
        let inside = Place {
            group_uniform: uniform,
            ..self.inside(place)
        };
        self.statements(3, inside);
        for _ in 0..self.random.below(4) {
            // Out of the loop, which may take a while, or to its next turn.
            let condition = match uniform {
                true => {
                    let (turn, when) = (self.read(counter), self.random.below(4) as i64);
                    self.b.icmp_imm(IntCc::Eq, turn, when)
                }
                false => self.condition(2),
            };
            let rest = self.b.add_block(&[]);
            match self.random.below(3) {
                0 => self.b.branch(condition, to(header, &[]), to(rest, &[])),
                1 => self.b.branch(condition, to(exit, &[]), to(rest, &[])),
                _ => {
                    let way = self.b.add_block(&[]);
                    self.b.branch(condition, to(way, &[]), to(rest, &[]));
                    self.b.block = way;
                    self.statements(2, inside);
                    self.b.jump(exit, &[]);
                }
            }
            self.b.block = rest;
            self.statements(2, inside);
        }
        self.b.jump(header, &[]);
        self.b.block = exit;
    }

    /// A cycle of two blocks that is entered at either.
    fn two_entries(&mut self, place: Place) {
        let start = self.b.i32(1 + self.random.below(4) as i32);
        let counter = self.counter(start);
        let (one, other, exit) = (self.b.add_block(&[]), self.b.add_block(&[]), self.b.add_block(&[]));
        let condition = self.condition(2);
        self.b.branch(condition, to(one, &[]), to(other, &[]));
        let inside = Place {
            group_uniform: false,
            reducible: false,
            ..self.inside(place)
        };
        self.b.block = one;
        self.statements(2, inside);
        self.b.jump(other, &[]);
        self.b.block = other;
        self.statements(2, inside);
        let more = self.count_down(counter);
        self.b.branch(more, to(one, &[]), to(exit, &[]));
        self.b.block = exit;
    }

    /// Some work-items leave the kernel, or return early from a function.
    fn leave(&mut self) {
        let condition = self.condition(2);
        let (leave, stay) = (self.b.add_block(&[]), self.b.add_block(&[]));
        self.b.branch(condition, to(leave, &[]), to(stay, &[]));
        self.b.block = leave;
        match self.is_kernel && self.random.one_in(4) {
            true => {
                self.write_out();
                self.b.push(InstData::Unreachable);
            }
            false => self.finish(),
        }
        self.b.block = stay;
    }

    /// Work-items whose ids are beyond bounds leave before anything is done.
    pub fn guard(&mut self) {
        for d in 0..1 + self.random.below(2) as u8 {
            let id = self.b.builtin(Builtin::GlobalId, d);
            let fewer = self.random.below(2);
            let bound = match d {
                0 => self.uniform(0),
                _ => self.plain(Type::I64, (self.range.offset[1] + self.range.global[1] - fewer) as i64),
            };
            // (Ids that are cut to 32 bits are compared as such; any of them may pass.)
            let id = if bound.ty == Type::I32 {
                self.b.convert(ConvertOp::Trunc, Elem::I32, id)
            } else {
                id
            };
            let cc = *self.random.choose(&[IntCc::Slt, IntCc::Ult, IntCc::Sge, IntCc::Uge]);
            let condition = self.b.icmp(cc, id, bound.value);
            let (leave, stay) = (self.b.add_block(&[]), self.b.add_block(&[]));
            let (holds, otherwise) = match cc {
                IntCc::Slt | IntCc::Ult => (stay, leave),
                _ => (leave, stay),
            };
            self.b.branch(condition, to(holds, &[]), to(otherwise, &[]));
            self.b.block = leave;
            self.b.ret(&[]);
            self.b.block = stay;
        }
    }
}
