//! Accesses to images become ordinary code, for the formats and samplers that a launch has.
//!
//! Where the image and the sampler are arguments of the kernel (or the sampler is a literal), the launch facts say which they are, and an
//! access is address arithmetic ([`position`]), loads and conversions ([`texel`]) without a branch on the format, which vectorize like any other
//! code. Otherwise it is a call of [`device::image::access`] a lane.
//!
//! Reads never leave the image: what `CL_ADDRESS_NONE` leaves open is taken as clamping to the edge, and writes outside are dropped. Where the
//! lanes of a gang are neighbours in a row, one test says that they are all inside: then they share one load, and nothing is clamped.

mod level;
mod linear;
mod position;
mod texel;

use analysis::GangFacts;
use analysis::uniformity::{Shape, Uniformity};
use core::mem::{offset_of, size_of};
use device::image::access::{AccessWord, Exchange};
use device::image::{Format, ImageRecord, SamplerWord};
use interface::{ArgumentFact, ArgumentFacts};
use ir::cfg::{Cfg, Loops, PostDominators};
use ir::image::IMAGE_MEMORY;
use ir::*;
use position::{Axis, Spot};
use smallvec::SmallVec;

/// The function has accesses to images.
pub fn has_images(func: &Function) -> bool {
    func.insts().any(|inst| matches!(func.inst(inst).data, InstData::Image { .. }))
}

/// Expands all accesses.
pub fn run(func: &mut Function, arguments: &ArgumentFacts, facts: &GangFacts) {
    let shapes = {
        let cfg = Cfg::new(func);
        let loops = Loops::new(&cfg);
        let post = PostDominators::new(&cfg);
        (!loops.irreducible).then(|| Uniformity::new(func, &cfg, &post, &loops, facts))
    };
    let mut expander = Expander {
        func,
        arguments,
        shapes,
        alone: facts.width == 1,
        map: ValueMap::default(),
        exchange: None,
    };
    for block in expander.func.layout.clone() {
        let is_access = |&inst: &Inst| matches!(expander.func.inst(inst).data, InstData::Image { .. });
        if expander.func.block(block).insts.iter().any(is_access) {
            expander.block(block);
        }
    }
    let Expander { func, map, .. } = expander;
    func.substitute(&map);
}

struct Expander<'a> {
    func: &'a mut Function,
    arguments: &'a ArgumentFacts,
    shapes: Option<Uniformity>,
    /// Gangs have one lane.
    alone: bool,
    map: ValueMap,
    /// Where calls of the device get and leave their texels.
    exchange: Option<Slot>,
}

/// What is known of the image of an access.
#[derive(Clone, Copy, Debug)]
struct Known {
    format: Format,
    /// Offsets in it fit 31 bits.
    compact: bool,
    /// Each of its dimensions has at least two texels.
    pairs: bool,
    sampler: SamplerWord,
}

/// A texel's components.
type Texel = SmallVec<[Value; 4]>;

impl Expander<'_> {
    fn block(&mut self, block: Block) {
        let mut at = block;
        for inst in self.func.take_insts(block) {
            let InstData::Image { op, args } = &self.func.inst(inst).data else {
                self.func.block_mut(at).insts.push(inst);
                continue;
            };
            let (op, args) = (*op, args.clone());
            let results = self.func.inst(inst).results.clone();
            let known = self.known(op, &args);
            let (handles, rest) = args.split_at(op.handles());
            let (coordinates, rest) = rest.split_at(op.dim.coordinates());
            let (level, texel) = rest.split_at(usize::from(op.level));
            let level = level.first().copied();
            // Lanes with levels of their own have rows of their own.
            let one_level = level.is_none_or(|level| self.is_uniform(level));
            let access = Access {
                op,
                handles,
                coordinates,
                x_is_linear: if one_level { self.is_linear(coordinates) } else { None },
                rows_are_uniform: one_level && coordinates[1..].iter().all(|&value| self.is_uniform(value)),
            };
            let exchange = match known {
                None => Some(self.exchange_slot()),
                Some(_) => None,
            };
            let mut b = Builder::new(self.func, at);
            let values = match (known, exchange) {
                (Some(known), _) if op.is_write() => {
                    access.write_to(&mut b, &known, level, texel);
                    Texel::new()
                }
                (Some(known), _) => access.read_from(&mut b, &known, level),
                (None, Some(exchange)) => access.call(&mut b, exchange, level, texel),
                (None, None) => Texel::new(),
            };
            at = b.block;
            for (&result, value) in results.iter().zip(values) {
                self.map.insert(result, value);
            }
        }
    }

    /// The format and the sampler of an access, if the launch says which.
    fn known(&self, op: ImageOp, args: &[Value]) -> Option<Known> {
        let &ArgumentFact::Image {
            order,
            data_type,
            compact,
            pairs,
        } = self.argument(args[0])?
        else {
            return None;
        };
        let sampler = match op.access {
            ImageAccess::Sample => match self.func.constant(args[1]) {
                Some(bits) => SamplerWord(bits as u32),
                None => match self.argument(args[1])? {
                    ArgumentFact::Sampler(word) => *word,
                    ArgumentFact::Image { .. } | ArgumentFact::Large | ArgumentFact::One { .. } => return None,
                },
            },
            ImageAccess::Read | ImageAccess::Write => SamplerWord::NONE,
        };
        Some(Known {
            format: Format::new(order, data_type)?,
            compact,
            // Small levels have single texels.
            pairs: pairs && !op.level,
            sampler,
        })
    }

    /// What the launch says of the argument that a value is.
    fn argument(&self, value: Value) -> Option<&ArgumentFact> {
        self.arguments.at(self.func.argument(value)?)
    }

    /// The lanes are neighbours, with increasing numbers, in one row.
    fn is_linear(&self, coordinates: &[Value]) -> Option<bool> {
        let shapes = self.shapes.as_ref()?;
        let x = position::whole_number(self.func, coordinates[0])?;
        match shapes.shape(x) {
            Shape::Linear {
                stride: 1, no_signed_wrap, ..
            } if !self.alone => Some(no_signed_wrap),
            _ => None,
        }
    }

    fn is_uniform(&self, value: Value) -> bool {
        self.alone || self.shapes.as_ref().is_some_and(|shapes| shapes.shape(value).is_uniform())
    }

    fn exchange_slot(&mut self) -> Slot {
        let func = &mut *self.func;
        *self.exchange.get_or_insert_with(|| {
            func.slots.push(SlotData {
                size: size_of::<Exchange>() as u32,
                align: 16,
            })
        })
    }
}

/// A field of the record of an image.
fn field(b: &mut Builder, image: Value, ty: Type, offset: usize) -> Value {
    let mem = MemInfo {
        flags: MemFlags::INVARIANT | MemFlags::DEREFERENCEABLE,
        ..MemInfo::new(Space::Constant, ty.bytes())
    };
    b.load(ty, Address::offset(image, offset as i32), mem)
}

/// The size of an image along each coordinate of an access, each an `i32`.
pub fn sizes(b: &mut Builder, image: Value, dim: ImageDim) -> SmallVec<[Value; 3]> {
    let width = offset_of!(ImageRecord, width);
    let height = offset_of!(ImageRecord, height);
    let depth = offset_of!(ImageRecord, depth);
    let layers = offset_of!(ImageRecord, array_size);
    let fields: &[usize] = match dim {
        ImageDim::D1 => &[width],
        ImageDim::D1Array => &[width, layers],
        ImageDim::D2 => &[width, height],
        ImageDim::D2Array => &[width, height, layers],
        ImageDim::D3 => &[width, height, depth],
    };
    fields.iter().map(|&offset| field(b, image, Type::I32, offset)).collect()
}

/// An access, and what is known of its coordinates.
struct Access<'a> {
    op: ImageOp,
    handles: &'a [Value],
    coordinates: &'a [Value],
    /// The lanes' first coordinates are consecutive integers; known not to wrap?
    x_is_linear: Option<bool>,
    /// The other coordinates are the same in all lanes.
    rows_are_uniform: bool,
}

impl Access<'_> {
    fn image(&self) -> Value {
        self.handles[0]
    }

    /// A field of the image's record.
    fn field(&self, b: &mut Builder, ty: Type, offset: usize) -> Value {
        field(b, self.image(), ty, offset)
    }

    /// The size along each coordinate.
    fn sizes(&self, b: &mut Builder) -> SmallVec<[Value; 3]> {
        sizes(b, self.image(), self.op.dim)
    }

    /// Where the pitch of a coordinate stands in the record.
    fn pitch(&self, coordinate: usize) -> usize {
        match (coordinate, self.op.dim) {
            (1, ImageDim::D2 | ImageDim::D2Array | ImageDim::D3) => offset_of!(ImageRecord, row_pitch),
            _ => offset_of!(ImageRecord, slice_pitch),
        }
    }

    /// The address of a texel.
    fn address(&self, b: &mut Builder, known: &Known, indices: &[Value]) -> Address {
        let bytes = known.format.bytes;
        let data = self.field(b, Type::I64, offset_of!(ImageRecord, data));
        if known.compact && !self.rows_are_uniform {
            // Each lane has a row of its own: offsets of 32 bits are cheaper to compute than addresses.
            b.flags = Flags::NSW;
            let mut offset = match bytes {
                1 => indices[0],
                bytes => b.binary_imm(BinaryOp::Mul, indices[0], i64::from(bytes)),
            };
            for (n, &index) in indices.iter().enumerate().skip(1) {
                b.flags = Flags::empty();
                let pitch = self.field(b, Type::I32, self.pitch(n));
                b.flags = Flags::NSW;
                let rows = b.mul(index, pitch);
                offset = b.add(offset, rows);
            }
            b.flags = Flags::empty();
            return Address {
                base: data,
                index: Some(offset),
                scale: 1,
                offset: 0,
            };
        }
        let mut base = data;
        for (n, &index) in indices.iter().enumerate().skip(1) {
            let pitch = self.field(b, Type::I64, self.pitch(n));
            let index = b.convert(ConvertOp::SExt, Elem::I64, index);
            let rows = b.mul(index, pitch);
            base = b.add(base, rows);
        }
        Address {
            base,
            index: Some(indices[0]),
            scale: bytes,
            offset: 0,
        }
    }

    fn mem(&self, align: u32) -> MemInfo {
        MemInfo {
            space: Space::Global,
            align: Align::of(align),
            flags: if self.op.constant { MemFlags::INVARIANT } else { MemFlags::empty() },
            alias: IMAGE_MEMORY,
        }
    }

    /// For loads of places that are inside whatever the coordinates are.
    fn mem_inside(&self) -> MemInfo {
        let mut mem = self.mem(1);
        if self.op.constant {
            // Lanes that are switched off may read, too.
            mem.flags |= MemFlags::DEREFERENCEABLE;
        }
        mem
    }

    fn axes(&self, b: &mut Builder) -> SmallVec<[Axis; 3]> {
        let sizes = self.sizes(b);
        let last = sizes.len() - 1;
        let axes = self.coordinates.iter().zip(sizes).enumerate();
        axes.map(|(n, (&coordinate, size))| Axis {
            coordinate,
            size,
            layer: n == last && self.op.dim.is_arrayed(),
        })
        .collect()
    }

    fn read(&self, b: &mut Builder, known: &Known) -> Texel {
        let axes = self.axes(b);
        let encoding = known.format.encoding;
        let texel = if known.sampler.is_linear() && encoding.is_float() {
            self.read_linear(b, known, &axes)
        } else {
            self.read_nearest(b, known, &axes)
        };
        texel::as_result(b, self.op, encoding.is_float(), &texel)
    }

    fn read_nearest(&self, b: &mut Builder, known: &Known, axes: &[Axis]) -> Texel {
        let neighbours = match self.x_is_linear {
            Some(no_wrap) if self.rows_are_uniform && !known.sampler.is_normalized() => axes[0].neighbours(b, no_wrap),
            _ => None,
        };
        let Some((x, inside)) = neighbours else {
            let spots: SmallVec<[Spot; 3]> = axes.iter().map(|axis| axis.nearest(b, known.sampler)).collect();
            let (words, all_inside) = self.words_at(b, known, &spots, true);
            return texel::decode(b, &known.format, &words, all_inside);
        };
        // The other coordinates are the same for all lanes; so is whether they are inside.
        let rows: SmallVec<[Spot; 3]> = axes[1..].iter().map(|axis| axis.nearest(b, known.sampler)).collect();
        let row_inside = position::both(b, rows.iter().filter_map(|spot| spot.inside));
        let here = match row_inside {
            Some(row) => b.and(inside, row),
            None => inside,
        };
        let all = b.sub_group(SubGroupOp::All, &[here]);
        let (fast, slow, next) = (b.add_block(&[]), b.add_block(&[]), b.add_block(&[]));
        b.branch(all, to(fast, &[]), to(slow, &[]));

        b.block = fast;
        let mut spots: SmallVec<[Spot; 3]> = SmallVec::from_slice(&[Spot::inside(x)]);
        spots.extend(rows.iter().map(|row| Spot::inside(row.index)));
        let (mut fast_words, _) = self.words_at(b, known, &spots, false);
        if row_inside.is_some() || known.sampler.addressing() == device::image::Addressing::Clamp {
            fast_words.push(b.mask(Type::MASK, true));
        }
        b.jump(next, &fast_words);

        b.block = slow;
        spots = SmallVec::from_slice(&[axes[0].nearest(b, known.sampler)]);
        spots.extend(rows);
        let (mut words, slow_inside) = self.words_at(b, known, &spots, true);
        words.extend(slow_inside);
        b.jump(next, &words);

        b.block = next;
        let mut params: Texel = fast_words
            .iter()
            .map(|&word| {
                let ty = b.ty(word);
                b.func.add_param(next, ty)
            })
            .collect();
        let all_inside = if slow_inside.is_some() { params.pop() } else { None };
        texel::decode(b, &known.format, &params, all_inside)
    }

    /// The words of a texel, 0 where it is outside (`clamped`: the indices are in the image whatever the coordinates are); and whether it is inside, where that is in question.
    fn words_at(&self, b: &mut Builder, known: &Known, spots: &[Spot], clamped: bool) -> (Texel, Option<Value>) {
        let indices: SmallVec<[Value; 3]> = spots.iter().map(|spot| spot.index).collect();
        let address = self.address(b, known, &indices);
        let mem = if clamped { self.mem_inside() } else { self.mem(1) };
        let mut words = self.load_words(b, known, address, 0, mem);
        let inside = position::both(b, spots.iter().filter_map(|spot| spot.inside));
        if let Some(inside) = inside {
            for value in &mut words {
                let zero = b.constant(b.ty(*value), 0);
                *value = b.select(inside, *value, zero);
            }
        }
        (words, inside)
    }

    /// The words of a texel, so many bytes behind an address.
    fn load_words(&self, b: &mut Builder, known: &Known, address: Address, skipped: u32, mem: MemInfo) -> Texel {
        let word = texel::word(&known.format);
        let offsets = (0..known.format.bytes).step_by(word.bytes() as usize);
        offsets
            .map(|offset| {
                let address = Address {
                    offset: address.offset + (skipped + offset) as i32,
                    ..address
                };
                b.load(Type::scalar(word), address, mem)
            })
            .collect()
    }

    fn write(&self, b: &mut Builder, known: &Known, texel: &[Value]) {
        let axes = self.axes(b);
        let words = texel::encode(b, &known.format, self.op, texel);
        let inside = axes.iter().map(|axis| axis.holds(b)).collect::<SmallVec<[Value; 3]>>();
        let Some(inside) = position::both(b, inside.into_iter()) else {
            return;
        };
        let (store, outside, next) = (b.add_block(&[]), b.add_block(&[]), b.add_block(&[]));
        let mut x = axes[0].coordinate;
        let mut condition = inside;
        let together = match self.x_is_linear {
            Some(no_wrap) if self.rows_are_uniform => axes[0].neighbours(b, no_wrap),
            _ => None,
        };
        if let Some((neighbour, _)) = together {
            x = neighbour;
            condition = b.sub_group(SubGroupOp::All, &[inside]);
        }
        b.branch(condition, to(store, &[]), to(outside, &[]));

        b.block = store;
        let mut indices: SmallVec<[Value; 3]> = SmallVec::from_slice(self.coordinates);
        indices[0] = x;
        self.store(b, known, &indices, &words);
        b.jump(next, &[]);

        b.block = outside;
        if together.is_some() {
            // Some are outside; the others write one by one.
            let (store, outside) = (b.add_block(&[]), b.add_block(&[]));
            b.branch(inside, to(store, &[]), to(outside, &[]));
            b.block = store;
            self.store(b, known, self.coordinates, &words);
            b.jump(next, &[]);
            b.block = outside;
        }
        b.jump(next, &[]);
        b.block = next;
    }

    fn store(&self, b: &mut Builder, known: &Known, indices: &[Value], words: &[Value]) {
        let address = self.address(b, known, indices);
        for (n, &word) in words.iter().enumerate() {
            let bytes = b.ty(word).bytes();
            let address = Address {
                offset: n as i32 * bytes as i32,
                ..address
            };
            b.store(word, address, self.mem(1));
        }
    }

    /// Calls the device, a lane at a time.
    fn call(&self, b: &mut Builder, exchange: Slot, level: Option<Value>, texel: &[Value]) -> Texel {
        let place = b.slot_address(exchange);
        let mem = MemInfo::new(Space::Private, 4);
        let texels = offset_of!(Exchange, texel) as i32;
        let floats = b.ty(self.coordinates[0]).elem.is_float();
        for (n, &coordinate) in (0..).zip(self.coordinates) {
            let bits = b.bitcast(Elem::I32, coordinate);
            b.store(bits, Address::offset(place, 4 * n), mem);
        }
        for (n, &value) in (0..).zip(texel) {
            let value = texel::component_bits(b, value);
            b.store(value, Address::offset(place, texels + 4 * n), mem);
        }
        let mut flags = if floats { AccessWord::FLOATS } else { 0 };
        if let Some(level) = level {
            let level = self.level_as_float(b, level);
            b.store(level, Address::offset(place, 4 * 3), mem);
            flags |= AccessWord::LEVEL;
        }
        let mut word = b.i32(flags as i32);
        if let Some(&sampler) = self.handles.get(1) {
            let sampler = b.convert(ConvertOp::Trunc, Elem::I32, sampler);
            word = b.or(word, sampler);
        }
        let routine = if self.op.is_write() {
            Runtime::ImageWrite
        } else {
            Runtime::ImageRead
        };
        b.push(InstData::CallRuntime {
            routine,
            args: ValueList::from_slice(&[self.image(), word, place]),
        });
        if self.op.is_write() {
            return Texel::new();
        }
        let components = (0..self.op.components() as i32)
            .map(|n| b.load(Type::I32, Address::offset(place, texels + 4 * n), mem))
            .collect::<Texel>();
        texel::from_bits(b, self.op, &components)
    }
}
