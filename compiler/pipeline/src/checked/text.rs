//! A finding in words, and as a line of JSON.

mod json;

use super::{Finding, Launched, source};
use device::live::{self, Near};
use interface::ArgumentKind;
use ir::{Held, ImageDim, SourcePlace, Space};
use std::fmt::Write as _;
use transform::check::{AccessKind, COORDINATE_BITS, Object, Site, What};

/// Behind an object that is written nevertheless.
const ONLY_READ: &str = ", which may only be read";

/// A finding that is told.
pub struct Told<'a> {
    launched: &'a Launched<'a>,
    site: &'a Site,
    finding: &'a Finding,
    /// The work-item's ids.
    global: [u64; 3],
    local: [u64; 3],
    group: [u64; 3],
    other: Option<Other<'a>>,
}

/// The other side of a race.
struct Other<'a> {
    site: &'a Site,
    global: [u64; 3],
    /// In another work-group.
    elsewhere: bool,
}

/// The object that an access left.
struct Described {
    /// In words: `argument 2 'in' (a buffer of 4096 bytes)`.
    words: String,
    readable: u64,
    writable: u64,
}

impl Told<'_> {
    pub fn new<'a>(launched: &'a Launched, site: &'a Site, other: Option<&'a Site>, finding: &'a Finding) -> Told<'a> {
        let global = launched.launch.global_size.map(|size| size.max(1));
        let local = launched.local.map(|size| size.max(1));
        let (groups, in_group) = match other {
            // A race tells the groups, and two work-items by their numbers in them.
            Some(_) => {
                let counts = [0, 1, 2].map(|axis| global[axis].div_ceil(local[axis]));
                let (first, second) = (finding.item & u64::from(u32::MAX), (finding.item >> 32).checked_sub(1));
                let groups = [first, second.unwrap_or(first)].map(|number| place(number, counts));
                let items = [finding.bytes >> 16, finding.bytes & 0xffff];
                let in_group = [0, 1].map(|which| {
                    // The last groups may be smaller.
                    let size = [0, 1, 2].map(|axis| local[axis].min(global[axis] - groups[which][axis] * local[axis]));
                    place(items[which].into(), size)
                });
                (groups, in_group)
            }
            None => {
                let item = place(finding.item, global);
                let each = |of: fn(u64, u64) -> u64| [0, 1, 2].map(|axis| of(item[axis], local[axis]));
                ([each(|id, size| id / size); 2], [each(|id, size| id % size); 2])
            }
        };
        let global_id = |which: usize| {
            [0, 1, 2].map(|axis| groups[which][axis] * local[axis] + in_group[which][axis] + launched.launch.global_offset[axis])
        };
        Told {
            launched,
            site,
            finding,
            global: global_id(0),
            local: in_group[0],
            group: groups[0],
            other: other.map(|site| Other {
                site,
                global: global_id(1),
                elsewhere: groups[0] != groups[1],
            }),
        }
    }

    fn kernel(&self) -> &str {
        &self.launched.kernel.info.name
    }

    /// The same for all findings of one place.
    pub fn key(&self) -> String {
        let other = self.other.iter().flat_map(|other| &other.site.trace);
        let place: Vec<String> = self.site.trace.iter().chain(other).map(position).collect();
        let number = if place.is_empty() {
            format!("{:?}", self.site)
        } else {
            place.join(" ")
        };
        format!("{} {number} {:?}", self.kernel(), self.site.what)
    }

    /// Everything in one line.
    pub fn sentence(&self) -> String {
        let place = self
            .site
            .trace
            .first()
            .map_or(String::new(), |place| format!(" {}", position(place)));
        let (global, local) = (id(self.global), id(self.local));
        let mut text = format!(
            "kernel '{}'{place}: {}, by work-item {global}, local {local}",
            self.kernel(),
            self.what()
        );
        if let Some(Other { site, global, elsewhere }) = &self.other
            && let What::Race { access, .. } = site.what
        {
            let place = site.trace.first().map_or(String::new(), |place| format!(" at {}", position(place)));
            let _ = write!(
                text,
                ", and {}{place} by work-item {}{}",
                done(access),
                id(*global),
                if *elsewhere {
                    ", of another work-group"
                } else {
                    ", with no barrier between"
                }
            );
        }
        text
    }

    /// For people: the sentence, the line, the calls, how often.
    pub fn paragraph(&self) -> String {
        let mut text = format!("brolga check: {}\n", self.sentence());
        if let Some((place, calls)) = self.site.trace.split_first() {
            if let Some(line) = source::line(self.launched.source, place) {
                text += &source::with_caret(&line, place);
            }
            let mut function = &place.function;
            for call in calls {
                let _ = writeln!(text, "  in '{function}', called from {}:{}:{}", call.file, call.line, call.column);
                function = &call.function;
            }
            // What called it is not known.
            if self.site.callee.is_some() {
                let _ = writeln!(text, "  in '{function}'");
            }
        }
        if let Some(place) = self.other.as_ref().and_then(|other| other.site.trace.first())
            && let Some(line) = source::line(self.launched.source, place)
            && self.site.trace.first() != Some(place)
        {
            text += &source::with_caret(&line, place);
        }
        // How often a race is seen depends on what runs at once.
        if self.finding.count > 1 && self.other.is_none() {
            let _ = writeln!(text, "  {} times in this launch", self.finding.count);
        }
        text
    }

    fn what(&self) -> String {
        match &self.site.what {
            What::Access { access, object } => self.access(*access, object),
            What::Alignment { access, object, align } => {
                let (done, words) = (done(*access), self.describe(object).words);
                let (bytes, beyond) = (self.finding.bytes, self.finding.detail % u64::from(*align));
                format!("{done} of {bytes} bytes at an address {beyond} beyond a multiple of {align}, in {words}")
            }
            What::Division => match self.finding.detail as i64 {
                0 => "integer division by zero".to_owned(),
                dividend => format!("division of {dividend} by -1, whose result is too large"),
            },
            What::Held(Held::Assumption) => "what is assumed here does not hold".to_owned(),
            What::Held(Held::Event) => "the event is none that an asynchronous copy gave".to_owned(),
            What::Held(Held::SubGroup) => {
                let (come, all) = (self.finding.detail as u32, self.finding.detail >> 32);
                format!("operation of a sub-group that {come} of its {all} work-items came to")
            }
            What::Held(Held::Finite) => {
                let value = number(f64::from_bits(self.finding.detail));
                format!("the result is {value}, of numbers that are finite")
            }
            &What::Held(Held::Fits { bits, signed }) => {
                let value = number(f64::from_bits(self.finding.detail));
                let integer = if signed { "a signed" } else { "an unsigned" };
                format!("{value} does not fit {integer} integer of {bits} bits, to which it is converted")
            }
            What::Uninitialized { object } => format!("read of {}, which was not written before", self.describe(object).words),
            What::Unwritten { object, .. } => {
                let (bytes, place) = (self.finding.bytes, self.place_in(object));
                format!("read of {bytes} bytes, {place}, which were not written before")
            }
            What::Race { access, object, .. } => {
                let (done, words) = (done(*access), self.describe(object).words);
                format!("race: {done}, {} bytes into {words}", self.finding.detail)
            }
            &What::Image { op, argument } => {
                let done = if op.is_write() { "write" } else { "read" };
                let lost = u64::BITS - COORDINATE_BITS as u32;
                let coordinates = (0..op.dim.coordinates() as u32).map(|number| {
                    let bits = self.finding.detail >> (number * COORDINATE_BITS as u32);
                    ((bits << lost) as i64 >> lost).to_string()
                });
                let place = coordinates.collect::<Vec<_>>().join(", ");
                format!("{done} at ({place}), outside of {}", self.image(op.dim, argument))
            }
            What::Barrier => {
                let (come, all) = (self.finding.detail as u32, self.finding.detail >> 32);
                format!("barrier that {come} of the {all} work-items of the group came to")
            }
        }
    }

    fn access(&self, access: AccessKind, object: &Object) -> String {
        let bytes = u64::from(self.finding.bytes);
        let done = done(access);
        if *object == Object::Unknown {
            return format!("{done} of {bytes} bytes{}", self.nowhere(self.finding.detail, bytes));
        }
        if let Some(address) = self.beside_null(object) {
            return format!("{done} of {bytes} bytes{}", self.nowhere(address, bytes));
        }
        let Described { words, readable, writable } = self.describe(object);
        let distance = self.finding.detail as i64;
        let inside = distance >= 0 && (distance as u64).saturating_add(bytes) <= readable;
        let place = match inside && access.writes() && writable < readable {
            true => format!("{distance} bytes into {words}{ONLY_READ}"),
            false => beside(distance, bytes, readable, &words),
        };
        format!("{done} of {bytes} bytes, {place}")
    }

    /// Where an access begins in its object.
    fn place_in(&self, object: &Object) -> String {
        let (distance, words) = match (object, live::near(self.finding.detail)) {
            (Object::Unknown, Some(near)) => (self.finding.detail - near.start as u64, self.object_at(&near)),
            _ => (self.finding.detail, self.describe(object).words),
        };
        format!("{distance} bytes into {words}")
    }

    /// The address of an access to an argument's object, where the pointer was null by choice.
    fn beside_null(&self, object: &Object) -> Option<u64> {
        let Object::Argument(number) = object else { return None };
        let mut objects = self.launched.launch.objects.iter();
        let start = objects.find(|object| object.argument == *number)?.start as u64;
        let address = start.wrapping_add(self.finding.detail);
        // An argument that is null has a name.
        (start != 0 && address < live::LOWEST).then_some(address)
    }

    /// Where an address is at which no object has so many bytes.
    fn nowhere(&self, address: u64, bytes: u64) -> String {
        if address == 0 {
            return " through a null pointer".to_owned();
        }
        if address < live::LOWEST {
            return format!(" at address {address}, {address} bytes beyond a null pointer");
        }
        let Some(near) = live::near(address) else {
            return format!(" at address {address:#x}, where no object is");
        };
        if near.arena {
            return ", outside of the work-group's local and private memory".to_owned();
        }
        let words = self.object_at(&near);
        let distance = address as i64 - near.start as i64;
        let place = beside(distance, bytes, near.bytes as u64, &words);
        // An access to what is there fails where it writes what is only read.
        let inside = !near.freed && distance >= 0 && distance as u64 + bytes <= near.bytes as u64;
        format!(", {place}{}", if inside { ONLY_READ } else { "" })
    }

    /// An object of which only the address is known.
    fn object_at(&self, near: &Near) -> String {
        let mut objects = self.launched.launch.objects.iter();
        let argument = objects.find(|object| (object.start, object.bytes) == (near.start, near.bytes));
        match argument {
            Some(object) => self.describe(&Object::Argument(object.argument)).words,
            None => format!(
                "an object of {} bytes{}",
                near.bytes,
                if near.freed { " that was freed" } else { "" }
            ),
        }
    }

    /// What is in the argument block.
    fn word(&self, place: u64) -> Option<u64> {
        let rest = self.launched.launch.arguments.as_slice().get(place as usize..)?;
        rest.first_chunk().map(|bytes| u64::from_ne_bytes(*bytes))
    }

    fn image(&self, dim: ImageDim, argument: Option<u32>) -> String {
        let Some(number) = argument else { return "an image".to_owned() };
        let info = &self.launched.kernel.info.arguments[number as usize];
        let image = self.word(info.offset).and_then(self.launched.image);
        let size = image.map_or(String::new(), |record| match dim {
            ImageDim::D1 => format!(" ({})", record.width),
            ImageDim::D1Array => format!(" ({}, {} layers)", record.width, record.array_size),
            ImageDim::D2 => format!(" ({} × {})", record.width, record.height),
            ImageDim::D2Array => format!(" ({} × {}, {} layers)", record.width, record.height, record.array_size),
            ImageDim::D3 => format!(" ({} × {} × {})", record.width, record.height, record.depth),
        });
        format!("image argument {number}{}{size}", named(&info.name))
    }

    fn describe(&self, object: &Object) -> Described {
        match object {
            Object::Unknown | Object::HandedOn => Described {
                words: "memory".to_owned(),
                readable: u64::MAX,
                writable: u64::MAX,
            },
            &Object::Argument(number) => {
                let info = &self.launched.kernel.info.arguments[number as usize];
                let word = |at: u64| self.word(info.extent.unwrap_or(0) + at).unwrap_or(0);
                let (readable, writable) = (word(8), word(16));
                let words = match info.kind {
                    ArgumentKind::LocalPointer => format!("{readable} bytes of local memory"),
                    _ if readable == 0 => "null, or an empty buffer".to_owned(),
                    _ if writable == 0 => format!("a read-only buffer of {readable} bytes"),
                    _ => format!("a buffer of {readable} bytes"),
                };
                Described {
                    words: format!("argument {number}{} ({words})", named(&info.name)),
                    readable,
                    writable,
                }
            }
            Object::Variable {
                space,
                name,
                bytes,
                constant,
            } => {
                let kind = match space {
                    Space::Local => "local variable",
                    Space::Private => "private variable",
                    Space::Constant => "constant",
                    _ => "program-scope variable",
                };
                Described {
                    words: format!("the {kind}{} of {bytes} bytes", named(name)),
                    readable: *bytes,
                    writable: if *constant { 0 } else { *bytes },
                }
            }
        }
    }
}

/// Where so many bytes are that begin at a distance from an object's first byte.
fn beside(distance: i64, bytes: u64, size: u64, words: &str) -> String {
    let beyond = (distance as u64).saturating_add(bytes).saturating_sub(size);
    match distance as u64 {
        _ if distance < 0 => format!("{} bytes before the beginning of {words}", distance.unsigned_abs()),
        start if start > size => format!("{} bytes beyond the end of {words}", start - size),
        start if start == size => format!("just beyond the end of {words}"),
        _ if beyond > 0 => format!("the last {beyond} of them beyond the end of {words}"),
        start => format!("{start} bytes into {words}"),
    }
}

/// A floating-point number in words.
fn number(value: f64) -> String {
    match value {
        f64::INFINITY => "infinity".to_owned(),
        f64::NEG_INFINITY => "-infinity".to_owned(),
        // NaN has no sign that anybody asks for.
        value => format!("{value:?}"),
    }
}

/// A name in quotes, behind what it is the name of.
fn named(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" '{name}'") }
}

/// What has a number among so many along x, y and z.
fn place(number: u64, [width, height, _]: [u64; 3]) -> [u64; 3] {
    [number % width, number / width % height, number / width / height]
}

fn position(place: &SourcePlace) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

fn id([x, y, z]: [u64; 3]) -> String {
    format!("({x}, {y}, {z})")
}

/// What was done, before `of 4 bytes`.
fn done(access: AccessKind) -> &'static str {
    match access {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::Atomic => "atomic access",
        AccessKind::CopyFrom => "copy from memory",
        AccessKind::CopyTo => "copy to memory",
    }
}
