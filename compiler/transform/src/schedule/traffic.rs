//! How many vectors an order stores and loads.

use super::graph::{Graph, Origin};
use std::collections::BTreeSet;

impl Graph {
    /// How many registers are stored and loaded because there are too few, if what is needed last goes to memory first (Belady).
    pub fn traffic(&self, order: impl DoubleEndedIterator<Item = usize> + Clone, registers: u32) -> u64 {
        let end = self.nodes.len();
        // The places where each value is used, the next one last.
        let mut uses: Vec<Vec<usize>> = self
            .values
            .iter()
            .map(|value| if value.leaves { vec![end] } else { Vec::new() })
            .collect();
        for (place, at) in (0..end).rev().zip(order.clone().rev()) {
            self.nodes[at].uses.iter().for_each(|&value| uses[value].push(place));
        }
        let mut is_stored: Vec<bool> = self.values.iter().map(|value| value.origin == Origin::Elsewhere).collect();
        // By next use.
        let mut held = BTreeSet::new();
        let (mut count, mut traffic) = (0, 0);
        for (number, value) in self.values.iter().enumerate() {
            if value.origin == Origin::Param
                && value.registers > 0
                && let Some(&next) = uses[number].last()
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
                uses[number].pop();
                match uses[number].last() {
                    Some(&next) => _ = held.insert((next, number)),
                    None => count -= taken,
                }
            }
            for &number in node.makes.iter().filter(|&&number| self.values[number].registers > 0) {
                if let Some(&next) = uses[number].last() {
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
