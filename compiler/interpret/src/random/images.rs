//! Images: some are read, with and without samplers, wherever ids and variables lead; in another each work-item has a texel of its own.

use super::generator::Generator;
use super::numbers::Number;
use super::pictures::{self, IMAGES, Picture, TEXTURES};
use super::{IMAGES_AT, Range};
use device::image::{Encoding, SamplerWord};
use ir::*;

/// What coordinates are multiples of, so that filters are exact.
const QUARTER: f32 = 0.25;

impl Generator<'_> {
    /// An image among the arguments, or, behind them, a sampler.
    fn handle(&mut self, which: usize) -> Option<Value> {
        let roots = self.roots?;
        let given = self.images.iter().find(|(image, _)| *image == which);
        if let Some(&(_, value)) = given.filter(|_| self.random.one_in(2)) {
            return Some(value);
        }
        let mem = MemInfo {
            flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
            ..MemInfo::new(Space::Constant, 8)
        };
        let address = Address::offset(roots.arguments, 8 * (IMAGES_AT + which) as i32);
        Some(self.b.load(Type::I64, address, mem))
    }

    /// An image as an argument of a function.
    pub fn image_argument(&mut self, which: usize) -> Value {
        match self.handle(which) {
            Some(value) => value,
            None => self.b.i64(0),
        }
    }

    /// A texel is read, or the work-item's own is written.
    pub fn use_image(&mut self) {
        if self.roots.is_none() {
            return;
        }
        match self.random.below(8) {
            0 | 1 => self.write_texel(),
            2 if self.pictures.shift == 0 => self.read_own_texel(),
            3 | 4 => self.read_texel(),
            _ => self.sample(),
        }
    }

    fn op(&mut self, access: ImageAccess, picture: &Picture) -> ImageOp {
        let float = picture.format.encoding.is_float();
        ImageOp {
            access,
            dim: picture.dim,
            texel: match float {
                true => *self.random.choose(&[Elem::F32, Elem::F32, Elem::F16]),
                false => Elem::I32,
            },
            depth: picture.format.is_depth(),
            constant: false,
            level: false,
        }
    }

    /// One of the images that are only read.
    fn texture(&mut self) -> (usize, Picture) {
        let which = self.random.below(TEXTURES as u64) as usize;
        (which, self.pictures.pictures[which])
    }

    fn read_texel(&mut self) {
        let (which, picture) = self.texture();
        let op = ImageOp {
            constant: self.random.one_in(2),
            level: self.random.one_in(4),
            ..self.op(ImageAccess::Read, &picture)
        };
        let Some(image) = self.handle(which) else { return };
        let mut args = ValueList::from_slice(&[image]);
        args.extend(self.whole_coordinates(op.dim));
        if op.level {
            let level = self.coordinate();
            args.push(level.value);
        }
        self.read_into_variables(op, args);
    }

    fn sample(&mut self) {
        let (which, picture) = self.texture();
        let op = ImageOp {
            constant: self.random.one_in(2),
            level: self.random.one_in(4),
            ..self.op(ImageAccess::Sample, &picture)
        };
        let Some(image) = self.handle(which) else { return };
        let floats = !self.random.one_in(3);
        let linear = floats && self.random.one_in(3);
        let (sampler, word) = match linear {
            true => {
                let mut word = pictures::linear_sampler(self.random);
                if picture.format.encoding == Encoding::Float && self.random.one_in(2) {
                    word = u64::from(SamplerWord(word as u32).with_linear_levels().0) | word >> 32 << 32;
                }
                (self.b.i64(word as i64), word)
            }
            false if self.random.one_in(2) => {
                let word = pictures::sampler(self.random, floats);
                (self.b.i64(word as i64), word)
            }
            false => {
                let argument = if floats { 0 } else { 1 };
                let word = self.pictures.samplers[argument];
                match self.handle(IMAGES + argument) {
                    Some(sampler) => (sampler, word),
                    None => return,
                }
            }
        };
        let mut args = ValueList::from_slice(&[image, sampler]);
        let whole = self.whole_coordinates(op.dim);
        if floats {
            let between = !linear || picture.format.encoding == Encoding::Float;
            for (n, whole) in whole.into_iter().enumerate() {
                let layer = op.dim.is_arrayed() && n + 1 == op.dim.coordinates();
                let normalized = SamplerWord(word as u32).is_normalized() && !layer;
                let coordinate = self.float_coordinate(whole, between, normalized);
                args.push(coordinate);
            }
        } else {
            args.extend(whole);
        }
        if op.level {
            let level = self.coordinate();
            let level = self.b.binary_imm(BinaryOp::And, level.value, 31);
            let level = self.b.convert(ConvertOp::SToF, Elem::F32, level);
            let quarter = self.b.f32(QUARTER);
            args.push(self.b.binary(BinaryOp::FMul, level, quarter));
        }
        self.read_into_variables(op, args);
    }

    /// A coordinate in floats: in the middle of a texel, or `between` texels.
    fn float_coordinate(&mut self, whole: Value, between: bool, normalized: bool) -> Value {
        let small = match self.random.one_in(3) {
            true => whole,
            false => {
                let some = self.b.binary_imm(BinaryOp::And, whole, 63);
                self.b.binary_imm(BinaryOp::Sub, some, self.random.below(16) as i64)
            }
        };
        let small = if between || small != whole {
            small
        } else {
            // Where numbers are so large that they have no halves there is no middle.
            self.b.binary_imm(BinaryOp::And, small, 0xffff)
        };
        let mut coordinate = self.b.convert(ConvertOp::SToF, Elem::F32, small);
        if normalized {
            let size = *self.random.choose(&[0.03125, 0.25, 0.1]);
            let step = self.b.f32(size);
            coordinate = self.b.binary(BinaryOp::FMul, coordinate, step);
        }
        let part = match between {
            true => self.random.below(4) as f32 * QUARTER,
            false => 0.5,
        };
        let part = self.b.f32(part);
        self.b.fadd(coordinate, part)
    }

    /// Each of an image's coordinates as an integer: neighbours in a row, or anything.
    fn whole_coordinates(&mut self, dim: ImageDim) -> ValueList {
        let mut coordinates = ValueList::new();
        let row = self.random.one_in(2);
        for n in 0..dim.coordinates() {
            let number = match (row, n) {
                (true, 0) => {
                    let id = self.small_id();
                    let id = self.resized(id, Type::I32);
                    let more = self.random.below(24) as i64 - 12;
                    let more = self.plain(Type::I32, more);
                    self.exact(BinaryOp::Add, id, more)
                }
                (true, _) if self.random.one_in(2) => {
                    let row = self.random.below(9) as i64 - 1;
                    self.plain(Type::I32, row)
                }
                (true, _) => {
                    let row = self.uniform(2);
                    self.resized(row, Type::I32)
                }
                _ => self.coordinate(),
            };
            coordinates.push(number.value);
        }
        coordinates
    }

    fn coordinate(&mut self) -> Number {
        let number = self.number(2);
        let number = self.resized(number, Type::I32);
        if self.random.one_in(4) {
            return number;
        }
        let value = self.b.binary_imm(BinaryOp::And, number.value, 7);
        Number {
            value,
            min: 0,
            max: 7,
            ..number
        }
    }

    /// Makes a read, and adds what it gives to variables.
    fn read_into_variables(&mut self, op: ImageOp, args: ValueList) {
        let read = self.b.push(InstData::Image { op, args });
        let components = self.b.func.inst(read).results.clone();
        let Some(variable) = self.variable(Type::scalar(op.texel)) else {
            return;
        };
        let mut sum = self.read(variable);
        for component in components {
            // Zeros have one sign: filters give either.
            let component = match op.texel.is_float() {
                true => {
                    let zero = self.b.constant(variable.1, 0);
                    self.b.fadd(component, zero)
                }
                false => component,
            };
            sum = self.combined(sum, component);
        }
        self.write(variable, sum);
    }

    /// The place of the work-item's own texel.
    fn own_texel(&mut self, dim: ImageDim) -> ValueList {
        let Range { global, .. } = self.range;
        let mut ids = [0, 1, 2].map(|d: u8| {
            let value = self.b.builtin(Builtin::GlobalId, d);
            let offset = self.range.offset[usize::from(d)];
            let id = Number {
                value,
                ty: Type::I64,
                min: offset.into(),
                max: (offset + global[usize::from(d)] - 1).into(),
            };
            let id = self.without_offset(id, d);
            self.resized(id, Type::I32)
        });
        let coordinates = dim.coordinates();
        // The last coordinate counts what the image has no dimension for.
        for d in (coordinates..3).rev() {
            let size = self.plain(Type::I32, global[d - 1] as i64);
            let before = self.exact(BinaryOp::Mul, ids[d], size);
            ids[d - 1] = self.exact(BinaryOp::Add, before, ids[d - 1]);
        }
        if self.pictures.shift != 0 {
            let shift = self.plain(Type::I32, self.pictures.shift);
            ids[0] = self.exact(BinaryOp::Add, ids[0], shift);
        }
        ids[..coordinates].iter().map(|id| id.value).collect()
    }

    fn read_own_texel(&mut self) {
        let picture = self.pictures.pictures[TEXTURES];
        let op = self.op(ImageAccess::Read, &picture);
        let Some(image) = self.handle(TEXTURES) else { return };
        let mut args = ValueList::from_slice(&[image]);
        args.extend(self.own_texel(op.dim));
        self.read_into_variables(op, args);
    }

    fn write_texel(&mut self) {
        let picture = self.pictures.pictures[TEXTURES];
        let op = self.op(ImageAccess::Write, &picture);
        let Some(image) = self.handle(TEXTURES) else { return };
        let mut args = ValueList::from_slice(&[image]);
        args.extend(self.own_texel(op.dim));
        for _ in 0..op.components() {
            let value = self.value(Type::scalar(op.texel), 2);
            let value = self.without_nan(value);
            args.push(value);
        }
        self.b.push(InstData::Image { op, args });
    }
}
