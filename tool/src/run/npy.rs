//! NumPy's files of one array (NEP 1), as far as buffers need them: little-endian numbers in C order.

use super::argument::{Data, Ty};

const MAGIC: &[u8] = b"\x93NUMPY";

/// The array in a file.
pub fn read(file: &[u8]) -> Result<Data, String> {
    let rest = file.strip_prefix(MAGIC).ok_or("this is no npy file")?;
    let (length, start) = match rest {
        [1, _, a, b, ..] => (usize::from(u16::from_le_bytes([*a, *b])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err("its version is not known".to_owned()),
    };
    let header = rest
        .get(start..)
        .and_then(|rest| rest.get(..length))
        .ok_or("its header is cut off")?;
    let header = String::from_utf8_lossy(header);
    let entry = |name: &str| {
        let at = header.find(&format!("'{name}'"))?;
        header[at..].split_once(':').map(|(_, value)| value.trim_start())
    };
    let descr = entry("descr").and_then(|value| value.split('\'').nth(1)).unwrap_or_default();
    let ty = Ty::of_numpy(descr).ok_or_else(|| format!("arrays of '{descr}' are not known here"))?;
    if entry("fortran_order").is_some_and(|value| value.starts_with("True")) {
        return Err("arrays in Fortran's order are not known here".to_owned());
    }
    let shape = entry("shape").and_then(|value| value.strip_prefix('(')?.split(')').next());
    let shape = shape
        .ok_or("it has no shape")?
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let mut count = 1_usize;
    for size in shape {
        let size: usize = size.parse().map_err(|_| "its shape is no list of numbers")?;
        count = count.checked_mul(size).ok_or("it is larger than memory")?;
    }
    let bytes = rest.get(start + length..).unwrap_or_default();
    let wanted = count.checked_mul(ty.bytes()).ok_or("it is larger than memory")?;
    let bytes = bytes.get(..wanted).ok_or("it is shorter than its shape")?.to_vec();
    if bytes.is_empty() {
        return Err("it is empty".to_owned());
    }
    Ok(Data { ty, bytes })
}

/// A file of one array with one dimension.
pub fn write(data: &Data) -> Vec<u8> {
    let descr = data.ty.numpy();
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({},), }}", data.len());
    // The data begin at a multiple of 64.
    let length = (MAGIC.len() + 4 + header.len() + 1).next_multiple_of(64) - MAGIC.len() - 4;
    header += &" ".repeat(length - header.len() - 1);
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((length as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(&data.bytes);
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let data = Data {
            ty: Ty::U16,
            bytes: vec![1, 0, 2, 0, 3, 0],
        };
        let file = write(&data);
        assert!((file.len() - 6).is_multiple_of(64));
        assert_eq!(read(&file), Ok(data));
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn arrays_of_several_dimensions_are_read_as_they_lie() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
        let mut file = MAGIC.to_vec();
        file.extend([2, 0]);
        file.extend((header.len() as u32).to_le_bytes());
        file.extend(header.bytes());
        file.extend([0; 24]);
        assert_eq!(read(&file).map(|data| data.len()), Ok(6));
        let fortran = String::from_utf8_lossy(&file).contains("False");
        assert!(fortran);
    }
}
