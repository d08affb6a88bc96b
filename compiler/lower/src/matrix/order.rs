//! Where the elements of a matrix are: which work-item has them, as which component.
//!
//! Elements are numbered row by row, and spread over lanes in that order. Of bytes that are multiplied, what is numbered are the words of four that one
//! instruction multiplies: four columns of A, four rows of B. A word's bytes are neighbouring components of one work-item.

use super::LANES;
use crate::function::Lowering;
use crate::value::Scalars;
use rspirv::spirv::CooperativeMatrixUse as Use;
use spirv::{MatrixType, Type};

/// Where an element is: the component, and the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub component: u32,
    pub lane: u32,
}

/// The place of an element, or of a word, with this number, where words are one component.
pub(super) fn place(number: u32) -> Place {
    Place {
        component: number / LANES,
        lane: number % LANES,
    }
}

/// How the elements of a matrix are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Order {
    /// Rows and columns of a word.
    pub word: [u32; 2],
    /// Words in a row of them.
    pub columns: u32,
}

impl Order {
    fn new(matrix: &MatrixType, is_byte: bool) -> Order {
        // Work-items have whole words.
        let whole = |size: u32| size.is_multiple_of(4) && matrix.length.is_multiple_of(4);
        let word = match matrix.used_as {
            Some(Use::MatrixAKHR) if is_byte && whole(matrix.columns) => [1, 4],
            Some(Use::MatrixBKHR) if is_byte && whole(matrix.rows) => [4, 1],
            _ => [1, 1],
        };
        Order {
            word,
            columns: (matrix.columns / word[1]).max(1),
        }
    }

    /// Elements of a word.
    pub fn in_word(&self) -> u32 {
        self.word[0] * self.word[1]
    }

    /// Where the element of a row and column is.
    pub fn place(&self, [row, column]: [u32; 2]) -> Place {
        let [height, width] = self.word;
        let word = place(row / height * self.columns + column / width);
        Place {
            component: word.component * self.in_word() + row % height * width + column % width,
            ..word
        }
    }

    /// The row and column of what is in a place.
    pub fn element(&self, place: Place) -> [u32; 2] {
        let [height, width] = self.word;
        let (word, within) = (
            place.component / self.in_word() * LANES + place.lane,
            place.component % self.in_word(),
        );
        [
            word / self.columns * height + within / width,
            word % self.columns * width + within % width,
        ]
    }
}

impl Lowering<'_, '_> {
    pub(super) fn matrix_order(&self, matrix: &MatrixType) -> Order {
        let is_byte = matches!(self.spirv.ty(matrix.component), Type::Int { width: 8 });
        Order::new(matrix, is_byte)
    }

    /// A matrix in the order of another that has the same rows and columns.
    pub(super) fn reorder(&mut self, matrix: &Scalars, from: Order, to: Order) -> Scalars {
        if from == to {
            return matrix.clone();
        }
        (0..matrix.len() as u32)
            .map(|component| {
                let place = |lane| from.place(to.element(Place { component, lane }));
                let places: Vec<Place> = (0..LANES).map(place).collect();
                self.fetch(matrix, &places)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_a_place() {
        for (word, [rows, columns]) in [
            ([1, 1], [4, 8]),
            ([1, 4], [8, 32]),
            ([1, 4], [16, 64]),
            ([4, 1], [32, 8]),
            ([4, 1], [64, 16]),
        ] {
            let order = Order {
                word,
                columns: columns / word[1],
            };
            let places = (0..rows * columns / LANES).flat_map(|component| (0..LANES).map(move |lane| Place { component, lane }));
            for place in places {
                let [row, column] = order.element(place);
                assert!(row < rows && column < columns, "{order:?}: {place:?}");
                assert_eq!(order.place([row, column]), place, "{order:?}");
            }
        }
    }
}
