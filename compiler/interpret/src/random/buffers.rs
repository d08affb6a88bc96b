//! Buffers: input that ids address, elements of one's own in other buffers, and loops that add to them.

use super::generator::{Generator, Place, Roots};
use super::loops::LoopTest;
use super::numbers::{Number, TURNS};
use super::{COLUMNS, INPUT_BYTES, Range};
use ir::*;

impl Generator<'_> {
    /// Memory of a buffer.
    pub fn buffer(&mut self, align: u32) -> MemInfo {
        let flags = match self.random.below(24) {
            0 => MemFlags::VOLATILE,
            1 => MemFlags::NONTEMPORAL,
            _ => MemFlags::empty(),
        };
        MemInfo {
            alias: self.alias,
            flags,
            ..MemInfo::new(Space::Global, align)
        }
    }

    /// An index of elements of so many bytes that stays within the input.
    fn input_index(&mut self, bytes: i128) -> Number {
        let mut number = match self.random.one_in(3) {
            true => self.number(2),
            false => {
                let id = self.small_id();
                let (by, more) = (self.random.below(4) as i64, self.random.below(12) as i64 - 6);
                let by = if self.random.one_in(6) { -by } else { by };
                let by = self.plain(id.ty, by);
                let id = self.exact(BinaryOp::Mul, id, by);
                let more = self.plain(id.ty, more);
                self.exact(BinaryOp::Add, id, more)
            }
        };
        if let Some(&(slot, ty, turns)) = self.counters.last()
            && self.random.one_in(2)
        {
            let counter = Number {
                value: self.read((slot, ty)),
                ty,
                min: 0,
                max: turns,
            };
            let by = if self.random.one_in(3) {
                self.uniform(2)
            } else {
                self.plain(ty, 1)
            };
            let far = self.exact(BinaryOp::Mul, counter, by);
            number = self.exact(BinaryOp::Add, number, far);
        }
        if self.random.one_in(4) {
            number = self.clamped(number);
        }
        if self.random.one_in(3) {
            number = self.resized(number, if number.ty == Type::I32 { Type::I64 } else { Type::I32 });
        }
        let room = i128::from(INPUT_BYTES) / bytes - 4;
        if number.min >= -room && number.max < room {
            return number;
        }
        let value = self.b.binary_imm(BinaryOp::And, number.value, 63);
        Number {
            value,
            min: 0,
            max: 63,
            ..number
        }
    }

    pub fn input_mem(&mut self, ty: Type) -> MemInfo {
        let mut mem = self.buffer(ty.bytes());
        if self.random.one_in(4) {
            mem.flags = MemFlags::INVARIANT;
        }
        mem
    }

    /// Something of the input.
    pub fn input_element(&mut self, ty: Type) -> Value {
        if self.random.one_in(4)
            && let Some(entry) = self.table_entry(ty)
        {
            return entry;
        }
        let Some(Roots { input, .. }) = self.roots else {
            return self.constant(ty);
        };
        let bytes = *self.random.choose(&[ty.bytes(), ty.bytes(), 8]);
        let index = self.input_index(bytes.into());
        let address = Address {
            base: input,
            index: Some(index.value),
            scale: bytes,
            offset: (bytes * self.random.below(4) as u32) as i32,
        };
        let mem = self.input_mem(ty);
        let value = self.b.load(ty, address, mem);
        self.without_nan(value)
    }

    /// What stands some elements behind a work-item's own, as `if (i >= n) x = a[i - n];` reads it, which promises no wrapping to those
    /// alone that go there.
    pub fn element_behind(&mut self) {
        let Some(Roots { input, .. }) = self.roots else { return };
        let id = self.small_id();
        let id = self.resized(id, Type::I32);
        let distance = self.random.below(20) as i64;
        let distance = match self.random.one_in(3) {
            true => self.uniform(2),
            false => self.plain(Type::I32, distance),
        };
        let distance = self.resized(distance, Type::I32);
        let variable = *self.random.choose(&self.variables.clone());
        let (near, far) = (self.b.add_block(&[]), self.b.add_block(&[]));
        let behind = self.b.icmp(IntCc::Uge, id.value, distance.value);
        self.b.branch(behind, to(near, &[]), to(far, &[]));
        self.b.block = near;
        self.b.flags = Flags::NUW;
        let index = self.b.sub(id.value, distance.value);
        self.b.flags = Flags::empty();
        let op = *self.random.choose(&[ConvertOp::ZExt, ConvertOp::ZExt, ConvertOp::SExt]);
        let index = self.b.convert(op, Elem::I64, index);
        let bytes = variable.1.bytes();
        let mem = self.input_mem(variable.1);
        let address = Address {
            base: input,
            index: Some(index),
            scale: bytes,
            offset: 0,
        };
        let value = self.b.load(variable.1, address, mem);
        let value = self.without_nan(value);
        self.write(variable, value);
        self.b.jump(far, &[]);
        self.b.block = far;
    }

    /// A number held within bounds that some of the work-items leave.
    fn clamped(&mut self, number: Number) -> Number {
        let number = match self.random.one_in(2) {
            true => self.resized(number, Type::I32),
            false => number,
        };
        let least = self.random.below(12) as i64 - 2;
        let most = least + self.random.below(40) as i64;
        let mut value = number.value;
        if self.random.one_in(5) {
            // A ring that only the launch knows, and less than that where it is none.
            let size = self.uniform(1);
            let size = self.resized(size, number.ty);
            let mask = self.b.binary_imm(BinaryOp::Add, size.value, -1);
            return Number {
                value: self.b.and(value, mask),
                min: 0,
                max: size.max - 1,
                ..number
            };
        }
        if number.min >= 0 && self.random.one_in(4) {
            value = self.b.binary_imm(BinaryOp::UMax, value, most - least);
            let bound = self.uniform(0);
            let bound = self.resized(bound, number.ty);
            if bound.min >= 0 {
                return Number {
                    value: self.b.binary(BinaryOp::UMin, value, bound.value),
                    min: 0,
                    max: bound.max,
                    ..number
                };
            }
            value = number.value;
        }
        if self.random.one_in(3) {
            let mask = *self.random.choose(&[63, 255]);
            return Number {
                value: self.b.binary_imm(BinaryOp::And, value, mask),
                min: 0,
                max: mask.into(),
                ..number
            };
        }
        if self.random.one_in(2) {
            value = self.b.binary_imm(BinaryOp::SMax, value, least);
            value = self.b.binary_imm(BinaryOp::SMin, value, most);
        } else {
            let bound = self.uniform(0);
            let bound = self.resized(bound, number.ty);
            value = self.b.binary(BinaryOp::SMin, value, bound.value);
            return Number {
                value,
                min: number.min.min(bound.min),
                max: number.max.min(bound.max),
                ..number
            };
        }
        Number {
            value,
            min: least.into(),
            max: most.into(),
            ..number
        }
    }

    /// The sum of a record's components.
    pub fn record(&mut self) {
        let Some(Roots { input, .. }) = self.roots else { return };
        let variable = *self.random.choose(&self.variables.clone());
        let ty = variable.1;
        let parts = 2 + self.random.below(3) as u32;
        let bytes = parts * ty.bytes();
        let index = self.input_index(bytes.into());
        let mem = self.input_mem(ty);
        let mut sum = self.read(variable);
        for part in 0..parts {
            let address = Address {
                base: input,
                index: Some(index.value),
                scale: bytes,
                offset: (part * ty.bytes()) as i32,
            };
            let value = self.b.load(ty, address, mem);
            let value = self.without_nan(value);
            sum = self.combined(sum, value);
        }
        self.write(variable, sum);
    }

    /// Two values put together.
    pub fn combined(&mut self, a: Value, b: Value) -> Value {
        use BinaryOp::*;
        let op = match self.b.ty(a).elem.is_float() {
            true => *self.random.choose(&[FAdd, FAdd, FMul, FMax]),
            false => *self.random.choose(&[Add, Add, Xor, UMax, Mul]),
        };
        self.b.binary(op, a, b)
    }

    /// Where the work-item's own element of a column is.
    pub fn own_element(&mut self, which: usize) -> Option<Address> {
        let given = self.elements.iter().find(|(column, _)| *column == which);
        if let Some(&(_, address)) = given.filter(|_| self.random.one_in(2)) {
            return Some(Address::base(address));
        }
        let base = self.roots?.columns[which];
        let bytes = self.columns[which].bytes();
        let index = self.own_index();
        let index = match self.random.one_in(2) {
            true => self.resized(index, Type::I32),
            false => index,
        };
        Some(Address {
            base,
            index: Some(index.value),
            scale: bytes,
            offset: 0,
        })
    }

    /// The number of the work-item in the launch.
    fn own_index(&mut self) -> Number {
        let Range { global, offset, .. } = self.range;
        let items = self.range.items();
        let mut number = None;
        if self.random.one_in(3) {
            let value = self.b.builtin(Builtin::GlobalLinearId, 0);
            return Number {
                value,
                ty: Type::I64,
                min: 0,
                max: i128::from(items) - 1,
            };
        }
        let ty = *self.random.choose(&[Type::I32, Type::I64]);
        for d in [2, 1, 0] {
            let id = match self.random.one_in(2) {
                true => {
                    let value = self.b.builtin(Builtin::GlobalId, d as u8);
                    let id = Number {
                        value,
                        ty: Type::I64,
                        min: offset[d].into(),
                        max: (offset[d] + global[d] - 1).into(),
                    };
                    self.without_offset(id, d as u8)
                }
                false => {
                    let [group, size, local] =
                        [Builtin::GroupId, Builtin::EnqueuedLocalSize, Builtin::LocalId].map(|builtin| self.b.builtin(builtin, d as u8));
                    let start = self.b.mul(group, size);
                    Number {
                        value: self.b.add(start, local),
                        ty: Type::I64,
                        min: 0,
                        max: i128::from(global[d]) - 1,
                    }
                }
            };
            let id = self.resized(id, ty);
            number = Some(match number {
                None => id,
                Some(rows) => {
                    let row = match self.random.one_in(2) {
                        true => self.plain(ty, global[d] as i64),
                        false => {
                            let value = self.b.builtin(Builtin::GlobalSize, d as u8);
                            let size = Number {
                                value,
                                ty: Type::I64,
                                min: global[d].into(),
                                max: global[d].into(),
                            };
                            self.resized(size, ty)
                        }
                    };
                    let start = self.exact(BinaryOp::Mul, rows, row);
                    self.exact(BinaryOp::Add, start, id)
                }
            });
        }
        number.unwrap_or_else(|| self.plain(Type::I64, 0))
    }

    /// The own element of a column is changed, or read.
    pub fn column(&mut self) {
        let which = self.random.below(COLUMNS as u64) as usize;
        let ty = self.columns[which];
        let Some(address) = self.own_element(which) else { return };
        let mem = self.buffer(ty.bytes());
        if self.random.one_in(3) {
            let Some(variable) = self.variable(ty) else { return };
            let value = self.b.load(ty, address, mem);
            return self.write(variable, value);
        }
        let mut value = self.value(ty, 2);
        if self.random.one_in(2) {
            let old = self.b.load(ty, address, mem);
            value = self.combined(old, value);
        }
        let value = self.without_nan(value);
        self.b.store(value, address, mem);
    }

    /// A loop that counts up, and may add to the own element of a column.
    pub fn memory_loop(&mut self, place: Place) {
        let ty = *self.random.choose(&[Type::I32, Type::I64]);
        let bytes = ty.bytes();
        let counter = (self.b.func.slots.push(SlotData { size: bytes, align: bytes }), ty);
        let turns = match self.random.below(4) {
            0 => self.plain(ty, 5),
            1 | 2 => self.uniform(TURNS),
            _ => {
                let number = self.number(2);
                let value = self.b.binary_imm(BinaryOp::And, number.value, 3);
                Number {
                    value,
                    min: 0,
                    max: 3,
                    ..number
                }
            }
        };
        let turns = self.resized(turns, ty);
        let which = self.random.below(COLUMNS as u64) as usize;
        let column = self.columns[which];
        let Some(address) = self.own_element(which) else { return };
        let mem = self.buffer(column.bytes());
        // From one on, or as the work-items of a group share what there is to do.
        let strided = self.random.one_in(3);
        let (start, step, end, most) = if strided {
            let items = self.range.group_items() as i64;
            let id = self.b.builtin(Builtin::LocalLinearId, 0);
            let start = if ty == Type::I64 {
                id
            } else {
                self.b.convert(ConvertOp::Trunc, Elem::I32, id)
            };
            let all = self.b.binary_imm(BinaryOp::Mul, turns.value, items);
            let end = self.b.binary_imm(BinaryOp::Sub, all, self.random.below(4) as i64);
            (start, items, end, 6 * items)
        } else {
            (self.b.constant(ty, 0), 1, turns.value, 5)
        };
        // Loops are rotated as often as not.
        let rotated = self.random.one_in(2);
        let cc = match strided {
            true => IntCc::Slt,
            false => *self.random.choose(&[IntCc::Slt, IntCc::Ult, IntCc::Ne]),
        };
        let test = LoopTest { counter, cc, end, rotated };
        let blocks = self.begin_loop(&test, start);
        self.counters.push((counter.0, ty, most.into()));
        for _ in 0..1 + self.random.below(2) {
            let old = self.b.load(column, address, mem);
            let value = self.input_element(column);
            let sum = self.combined(old, value);
            let sum = self.without_nan(sum);
            self.b.store(sum, address, mem);
        }
        if self.random.one_in(2) {
            let inside = Place {
                group_uniform: false,
                ..self.inside(place)
            };
            self.statements(2, inside);
        }
        self.counters.pop();
        self.end_loop(&test, blocks, step, Flags::NSW);
    }
}
