//! How many vectors an order stores and loads.

use super::graph::{Graph, Origin};
use std::collections::BTreeSet;

/// The places where each value is used and that are still to come, one value's after the other's.
struct Uses {
    places: Vec<usize>,
    /// By value: from its next use up to its last.
    left: Vec<(usize, usize)>,
}

impl Uses {
    fn new(graph: &Graph, end: usize, order: impl Iterator<Item = usize> + Clone) -> Uses {
        let mut first = 0;
        let counted = graph.values.iter().map(|value| {
            let start = first;
            first += value.count as usize;
            (start, start)
        });
        let mut left: Vec<(usize, usize)> = counted.collect();
        let mut places = vec![end; first];
        for (place, at) in order.enumerate() {
            for &value in &graph.nodes[at].uses {
                places[left[value].1] = place;
                left[value].1 += 1;
            }
        }
        for (value, left) in graph.values.iter().zip(&mut left) {
            left.1 += usize::from(value.leaves);
        }
        Uses { places, left }
    }

    fn next(&self, value: usize) -> Option<usize> {
        let (next, end) = self.left[value];
        (next < end).then(|| self.places[next])
    }

    fn pass(&mut self, value: usize) {
        self.left[value].0 += 1;
    }
}

impl Graph {
    /// How many registers are stored and loaded because there are too few, if what is needed last goes to memory first (Belady).
    pub fn traffic(&self, order: impl Iterator<Item = usize> + Clone, registers: u32) -> u64 {
        let end = self.nodes.len();
        let mut uses = Uses::new(self, end, order.clone());
        let mut is_stored: Vec<bool> = self.values.iter().map(|value| value.origin == Origin::Elsewhere).collect();
        // By next use.
        let mut held = BTreeSet::new();
        let (mut count, mut traffic) = (0, 0);
        for (number, value) in self.values.iter().enumerate() {
            if value.origin == Origin::Param
                && value.registers > 0
                && let Some(next) = uses.next(number)
            {
                held.insert((next, number));
                count += value.registers;
            }
        }
        for (place, at) in order.enumerate() {
            let node = &self.nodes[at];
            for &number in node.uses.iter().filter(|&&number| self.values[number].registers > 0) {
                let taken = self.values[number].registers;
                if !held.remove(&(place, number)) {
                    traffic += u64::from(taken);
                    count += taken;
                }
                uses.pass(number);
                match uses.next(number) {
                    Some(next) => _ = held.insert((next, number)),
                    None => count -= taken,
                }
            }
            for &number in node.makes.iter().filter(|&&number| self.values[number].registers > 0) {
                if let Some(next) = uses.next(number) {
                    held.insert((next, number));
                    count += self.values[number].registers;
                }
            }
            while count > registers
                && let Some((_, number)) = held.pop_last()
            {
                let taken = self.values[number].registers;
                count -= taken;
                if !std::mem::replace(&mut is_stored[number], true) {
                    traffic += u64::from(taken);
                }
            }
        }
        traffic
    }
}
