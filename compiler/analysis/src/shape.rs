//! How a work-group is cut into gangs: the width, and which work-items stand in which lane.

/// Widths that a gang may have.
pub const WIDTHS: [u32; 5] = [1, 4, 8, 16, 32];

/// How local ids follow from gang and lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// A gang is `width` neighbours along one dimension and the same in the other two.
    Rows {
        /// That dimension; those before it have size 1.
        dimension: u8,
    },
    /// A gang is `width` neighbours in local linear order, which may go over the end of a row: each lane's ids are divided out.
    Linear,
}

/// A gang's width and layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GangShape {
    /// Lanes: the maximum sub-group size.
    pub width: u32,
    /// Where the lanes' work-items stand.
    pub layout: Layout,
}

/// The shape of gangs, from what the kernel asks for, what the device likes and the local size, and nothing else: the sub-group queries
/// and the code generator both come here.
///
/// Sub-groups follow local linear order, all of the same size but the last (OpenCL C §6.15.19), so a row is cut only where the width
/// divides it.
pub fn gang_shape(required: Option<u32>, preferred: u32, local_size: [u64; 3]) -> GangShape {
    let dimension = local_size.iter().position(|&size| size > 1).unwrap_or(0);
    let along = local_size[dimension];
    let rows: u64 = local_size[dimension + 1..].iter().product();
    let in_rows = |width: u32| rows == 1 || along.is_multiple_of(u64::from(width));
    let layout = |width: u32| {
        if in_rows(width) {
            Layout::Rows {
                dimension: dimension as u8,
            }
        } else {
            Layout::Linear
        }
    };
    if let Some(width) = required {
        return GangShape {
            width,
            layout: layout(width),
        };
    }
    if preferred == 1 || rows * along == 1 {
        return GangShape {
            width: 1,
            layout: Layout::Rows {
                dimension: dimension as u8,
            },
        };
    }
    // A short group doesn't need more lanes than it has work-items.
    let enough = WIDTHS
        .into_iter()
        .find(|&width| u64::from(width) >= rows * along)
        .unwrap_or(preferred)
        .max(4);
    let widest = preferred.min(enough);
    let dividing = WIDTHS
        .into_iter()
        .rev()
        .filter(|&width| width > 1 && width <= widest)
        .find(|&width| in_rows(width));
    let width = dividing.unwrap_or(widest);
    GangShape {
        width,
        layout: layout(width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_where_the_width_divides_them() {
        let rows = |width, dimension| GangShape {
            width,
            layout: Layout::Rows { dimension },
        };
        assert_eq!(gang_shape(None, 8, [64, 1, 1]), rows(8, 0));
        assert_eq!(gang_shape(None, 8, [16, 16, 1]), rows(8, 0));
        assert_eq!(gang_shape(None, 8, [4, 16, 1]), rows(4, 0));
        assert_eq!(gang_shape(None, 8, [1, 64, 1]), rows(8, 1));
        assert_eq!(gang_shape(None, 8, [1, 1, 1]), rows(1, 0));
        assert_eq!(gang_shape(None, 8, [3, 1, 1]), rows(4, 0));
        assert_eq!(gang_shape(None, 8, [10, 1, 1]), rows(8, 0));
        assert_eq!(
            gang_shape(None, 8, [3, 5, 1]),
            GangShape {
                width: 8,
                layout: Layout::Linear
            }
        );
        assert_eq!(
            gang_shape(Some(16), 8, [8, 8, 1]),
            GangShape {
                width: 16,
                layout: Layout::Linear
            }
        );
        assert_eq!(gang_shape(Some(16), 8, [100, 1, 1]), rows(16, 0));
    }
}
