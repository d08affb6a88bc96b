//! Which known name was meant by one that nobody knows.

/// Names longer than this are like no other.
const LONGEST: usize = 64;

/// The name nearest to `name` of those that are at most `most` letters changed, added or taken away from it; the first in the alphabet among equals.
pub fn nearest<'n>(name: &str, most: usize, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > LONGEST {
        return None;
    }
    let set = letters(name);
    let mut best: Option<(usize, &str)> = None;
    for other in names {
        let most = best.map_or(most, |best| best.0);
        if other.len() > LONGEST || other.len().abs_diff(name.len()) > most {
            continue;
        }
        // A letter that only one of them has takes a change of its own.
        let their = letters(other);
        if (set & !their).count_ones().max((their & !set).count_ones()) as usize > most {
            continue;
        }
        if let Some(distance) = distance(name, other, most)
            && best.is_none_or(|best| (distance, other) < best)
        {
            best = Some((distance, other));
        }
    }
    best.map(|(_, other)| other)
}

/// Which letters a name has; some share a bit.
fn letters(name: &str) -> u64 {
    name.bytes().fold(0, |set, byte| set | 1 << (byte & 63))
}

/// How many letters must be changed, added or taken away, if no more than `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: [usize; LONGEST + 1] = std::array::from_fn(|index| index);
    let row = &mut row[..=b.len()];
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        let mut least = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
            least = least.min(row[j + 1]);
        }
        if least > most {
            return None;
        }
    }
    Some(row[b.len()]).filter(|&distance| distance <= most)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_found_within_the_limit() {
        let names = ["get_global_id", "get_local_id", "get_group_id", "barrier"];
        let near = |name: &str, most| nearest(name, most, names.into_iter());
        assert_eq!(near("get_globl_id", 3), Some("get_global_id"));
        assert_eq!(near("get_lobal_id", 3), Some("get_global_id"), "both are one letter away");
        assert_eq!(near("get_lobal_id", 0), None);
        assert_eq!(near("reirrab", 3), None, "the same letters in another order");
        assert_eq!(near("barrier", 0), Some("barrier"));
        assert_eq!(near("", 3), None);
        assert_eq!(near("\u{e9}arrier", 2), Some("barrier"));
    }

    #[test]
    fn long_names_are_like_no_other() {
        let long = "x".repeat(100_000);
        assert_eq!(nearest(&long, 100_000, [long.as_str(), "x"].into_iter()), None);
        assert_eq!(nearest("x", 100_000, std::iter::once(long.as_str())), None);
    }
}
