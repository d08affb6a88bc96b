//! A kernel's arguments as the command line describes them.

use super::npy;

/// What the help says of arguments.
pub const HELP: &str = "\
Arguments:
  buffer:TYPE:COUNT[:FILL]    a buffer; FILL is zero, iota (0, 1, 2, …), random, a number, or unwritten
  readonly:TYPE:COUNT[:FILL]  a buffer that the kernel may only read
  npy:FILE                    a buffer with an array of NumPy
  file:TYPE:FILE              a buffer with a file's bytes
  value:TYPE:NUMBER[,NUMBER]  a number, or a vector
  local:BYTES                 local memory
  null                        a null pointer
Types are i8 u8 i16 u16 i32 u32 i64 u64 f32 f64.";

/// An element's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Ty {
    /// Name, NumPy's name.
    const NAMES: &[(Ty, &str, &str)] = &[
        (Ty::I8, "i8", "|i1"),
        (Ty::U8, "u8", "|u1"),
        (Ty::I16, "i16", "<i2"),
        (Ty::U16, "u16", "<u2"),
        (Ty::I32, "i32", "<i4"),
        (Ty::U32, "u32", "<u4"),
        (Ty::I64, "i64", "<i8"),
        (Ty::U64, "u64", "<u8"),
        (Ty::F32, "f32", "<f4"),
        (Ty::F64, "f64", "<f8"),
    ];

    pub fn parse(name: &str) -> Result<Ty, String> {
        let found = Ty::NAMES.iter().find(|(_, known, _)| *known == name);
        found.map(|&(ty, ..)| ty).ok_or_else(|| format!("there is no type '{name}'"))
    }

    pub fn of_numpy(name: &str) -> Option<Ty> {
        Ty::NAMES.iter().find(|(_, _, known)| *known == name).map(|&(ty, ..)| ty)
    }

    pub fn numpy(self) -> &'static str {
        Ty::NAMES.iter().find(|(ty, ..)| *ty == self).map_or("", |&(_, _, name)| name)
    }

    pub fn bytes(self) -> usize {
        match self {
            Ty::I8 | Ty::U8 => 1,
            Ty::I16 | Ty::U16 => 2,
            Ty::I32 | Ty::U32 | Ty::F32 => 4,
            Ty::I64 | Ty::U64 | Ty::F64 => 8,
        }
    }

    /// A number in this type: whole numbers wrap.
    fn encode(self, number: Number) -> Vec<u8> {
        let (whole, float) = match number {
            Number::Whole(whole) => (whole, whole as f64),
            Number::Float(float) => (float as i128, float),
        };
        match self {
            Ty::F32 => (float as f32).to_ne_bytes().to_vec(),
            Ty::F64 => float.to_ne_bytes().to_vec(),
            _ => whole.to_le_bytes()[..self.bytes()].to_vec(),
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn parse(text: &str) -> Result<Number, String> {
        let hexadecimal = text.strip_prefix("0x").and_then(|digits| i128::from_str_radix(digits, 16).ok());
        let whole = hexadecimal.or_else(|| text.parse().ok()).map(Number::Whole);
        let number = whole.or_else(|| text.parse().ok().map(Number::Float));
        number.ok_or_else(|| format!("'{text}' is no number"))
    }
}

/// What a buffer holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    pub ty: Ty,
    pub bytes: Vec<u8>,
}

impl Data {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.ty.bytes()
    }

    /// What a file holds: an array of NumPy, or elements of a type.
    pub fn from_file(file: &str, ty: Ty) -> Result<Data, String> {
        let bytes = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
        match file.ends_with(".npy") {
            true => npy::read(&bytes).map_err(|error| format!("{file}: {error}")),
            false => Ok(Data { ty, bytes }),
        }
    }

    fn raw(&self, at: usize) -> &[u8] {
        let size = self.ty.bytes();
        &self.bytes[at * size..][..size]
    }

    fn whole(&self, at: usize) -> i128 {
        let raw = self.raw(at);
        let signed = matches!(self.ty, Ty::I8 | Ty::I16 | Ty::I32 | Ty::I64);
        let fill = if signed && raw[raw.len() - 1] & 0x80 != 0 { 0xff } else { 0 };
        let mut all = [fill; 16];
        all[..raw.len()].copy_from_slice(raw);
        i128::from_le_bytes(all)
    }

    fn float(&self, at: usize) -> Option<f64> {
        let raw = self.raw(at);
        match self.ty {
            Ty::F32 => raw.try_into().ok().map(|bytes| f32::from_le_bytes(bytes).into()),
            Ty::F64 => raw.try_into().ok().map(f64::from_le_bytes),
            _ => None,
        }
    }

    /// An element, for people.
    pub fn element(&self, at: usize) -> String {
        match (self.ty, self.float(at)) {
            (Ty::F32, Some(float)) => (float as f32).to_string(),
            (_, Some(float)) => float.to_string(),
            (_, None) => self.whole(at).to_string(),
        }
    }

    /// What is different, if anything is; floats may differ by a tolerance, and NaN is NaN.
    pub fn difference(&self, expected: &Data, tolerance: f64) -> Option<String> {
        if (self.ty, self.len()) != (expected.ty, expected.len()) {
            let (found, wanted) = (self.len(), expected.len());
            return Some(format!(
                "{found} elements of {:?} instead of {wanted} of {:?}",
                self.ty, expected.ty
            ));
        }
        let same = |at: usize| match (self.float(at), expected.float(at)) {
            (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= tolerance,
            _ => self.raw(at) == expected.raw(at),
        };
        let wrong: Vec<usize> = (0..self.len()).filter(|&at| !same(at)).collect();
        let first = *wrong.first()?;
        let (found, wanted) = (self.element(first), expected.element(first));
        Some(format!(
            "element {first} is {found} instead of {wanted} ({} of {} differ)",
            wrong.len(),
            self.len()
        ))
    }
}

/// What a buffer is filled with that the host does not write to: the check `global-uninit` tells who reads it.
const UNWRITTEN: &str = "unwritten";

/// An argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A buffer.
    Buffer { data: Data, only_read: bool, is_written: bool },
    /// The bytes of a number, or of several.
    Value(Vec<u8>),
    /// Bytes of local memory.
    Local(usize),
    /// A null pointer.
    Null,
}

impl Argument {
    /// What a buffer begins with.
    pub fn data(&self) -> Option<&Data> {
        match self {
            Argument::Buffer { data, .. } => Some(data),
            _ => None,
        }
    }

    fn with_contents(data: Data) -> Argument {
        Argument::Buffer {
            data,
            only_read: false,
            is_written: true,
        }
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Argument, String> {
        Argument::read(text).map_err(|error| format!("--arg {text}: {error}"))
    }

    fn read(text: &str) -> Result<Argument, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let count = |text: &str| text.parse::<usize>().map_err(|_| format!("'{text}' is no count"));
        match kind {
            "buffer" | "readonly" => {
                let parts: Vec<&str> = rest.split(':').collect();
                let (ty, number, fill) = match parts[..] {
                    [ty, number] => (ty, number, "zero"),
                    [ty, number, fill] => (ty, number, fill),
                    _ => return Err(format!("a buffer is {kind}:TYPE:COUNT or {kind}:TYPE:COUNT:FILL")),
                };
                let (ty, number) = (Ty::parse(ty)?, count(number)?);
                if number == 0 {
                    return Err("a buffer has an element at least".to_owned());
                }
                let data = Data {
                    ty,
                    bytes: filled(ty, number, fill)?,
                };
                Ok(Argument::Buffer {
                    data,
                    only_read: kind == "readonly",
                    is_written: fill != UNWRITTEN,
                })
            }
            "npy" => {
                let bytes = std::fs::read(rest).map_err(|error| error.to_string())?;
                let data = npy::read(&bytes)?;
                Ok(Argument::with_contents(data))
            }
            "file" => {
                let (ty, file) = rest.split_once(':').ok_or("a file is file:TYPE:FILE")?;
                let data = Data::from_file(file, Ty::parse(ty)?)?;
                Ok(Argument::with_contents(data))
            }
            "value" => {
                let (ty, numbers) = rest.split_once(':').ok_or("a value is value:TYPE:NUMBER")?;
                let ty = Ty::parse(ty)?;
                let mut bytes = Vec::new();
                for number in numbers.split(',') {
                    bytes.extend(ty.encode(Number::parse(number)?));
                }
                // A vector of three has the size of one of four.
                if numbers.split(',').count() == 3 {
                    bytes.extend(vec![0; ty.bytes()]);
                }
                Ok(Argument::Value(bytes))
            }
            "local" => Ok(Argument::Local(count(rest)?)),
            "null" if rest.is_empty() => Ok(Argument::Null),
            _ => Err("the kinds are buffer, readonly, npy, file, value, local and null".to_owned()),
        }
    }
}

fn filled(ty: Ty, count: usize, fill: &str) -> Result<Vec<u8>, String> {
    let number = match fill {
        "zero" | UNWRITTEN => Some(Number::Whole(0)),
        "iota" | "random" => None,
        other => Some(Number::parse(other)?),
    };
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        // xorshift64: the same numbers each time.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut bytes = Vec::with_capacity(count * ty.bytes());
    for n in 0..count {
        let element = match (number, fill) {
            (Some(number), _) => number,
            (None, "iota") => Number::Whole(n as i128),
            (None, _) if matches!(ty, Ty::F32 | Ty::F64) => Number::Float((random() >> 11) as f64 / (1_u64 << 53) as f64),
            (None, _) => Number::Whole(random().into()),
        };
        bytes.extend(ty.encode(element));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(text: &str) -> Data {
        let argument = Argument::parse(text).unwrap_or_else(|error| panic!("{error}"));
        argument.data().cloned().expect("a buffer")
    }

    #[test]
    fn buffers_are_filled_as_they_say() {
        let elements = |text: &str| -> Vec<String> {
            let data = data(text);
            (0..data.len()).map(|at| data.element(at)).collect()
        };
        assert_eq!(elements("buffer:i32:3:iota"), ["0", "1", "2"]);
        assert_eq!(elements("buffer:u8:2:-1"), ["255", "255"]);
        assert_eq!(elements("readonly:f32:2:0.5"), ["0.5", "0.5"]);
        assert_eq!(elements("buffer:i64:1"), ["0"]);
        assert_eq!(elements("buffer:i64:1:unwritten"), ["0"]);
        assert_eq!(elements("buffer:f64:4:random"), elements("buffer:f64:4:random"));
    }

    #[test]
    fn values_have_the_sizes_of_their_types() {
        let size = |text: &str| match Argument::parse(text) {
            Ok(Argument::Value(bytes)) => bytes.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(size("value:i32:0x10"), 4);
        assert_eq!(size("value:f32:1,2,3"), 16);
        assert_eq!(size("value:u8:1,2"), 2);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for text in [
            "buffer:i32",
            "buffer:i33:4",
            "buffer:i32:x",
            "buffer:i32:0",
            "value:i32:a",
            "local:",
            "null:1",
            "nothing",
        ] {
            assert!(Argument::parse(text).is_err_and(|error| error.contains(text)), "{text}");
        }
    }

    #[test]
    fn differences_are_told_by_their_first() {
        let (found, expected) = (data("buffer:f32:4:iota"), data("buffer:f32:4:1"));
        assert_eq!(found.difference(&found, 0.0), None);
        let difference = found.difference(&expected, 0.0).expect("they differ");
        assert_eq!(difference, "element 0 is 0 instead of 1 (3 of 4 differ)");
        assert_eq!(found.difference(&expected, 2.0), None);
        assert!(found.difference(&data("buffer:i32:4"), 0.0).is_some());
    }
}
