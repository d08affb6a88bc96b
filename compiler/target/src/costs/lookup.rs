//! Loads from small constant tables that registers hold: instead of gathering, lanes are taken out of the table's registers.

use crate::Machine;

/// Bytes of a table that some machine looks up faster than it gathers: one whose bytes are numbered by bytes.
pub const MOST_BYTES: u32 = 256;

impl Machine {
    /// Bytes that tables of such entries have at least: with those, the instructions need no remainder of an index.
    pub fn least_table(&self, bytes: u32) -> u32 {
        // AVX2 shuffles short entries by blocks.
        if bytes <= 2 && self.registers.bytes == 32 {
            16
        } else {
            self.registers.bytes
        }
    }

    /// Looking up takes less than a gather, for gangs of the usual width.
    pub fn looks_up(&self, bytes: u32, table: u32) -> bool {
        let cycles = self.lookup(bytes, table, self.gang_width);
        cycles.is_some_and(|cycles| cycles < self.costs.gather(bytes, self.gang_width))
    }

    /// Cycles of looking up so many lanes, by indices of 32 bits, in a table of so many bytes whose entries have `bytes` bytes each; both are
    /// powers of two. None where the code generator has no sequence for it that is worth it.
    fn lookup(&self, bytes: u32, table: u32, lanes: u32) -> Option<f32> {
        if table > MOST_BYTES {
            return None;
        }
        let registers = |bytes: u32| bytes.div_ceil(self.registers.bytes).max(1) as f32;
        let (shuffle, vector) = (self.costs.shuffle, self.costs.vector);
        // Registers of indices come to the width of the entries.
        let resizing = match bytes {
            4 => 0.0,
            8 => shuffle * registers(lanes * bytes),
            _ => (shuffle + vector) * registers(lanes * 4),
        };
        Some(match self.registers.bytes {
            64 => {
                let width = if self.has_byte_permutation { bytes } else { bytes.max(2) };
                let (sources, results) = (registers(table / bytes * width), registers(lanes * width));
                // Bytes that become words, and words again bytes.
                let widening = if width == bytes { 0.0 } else { shuffle * (sources + results) };
                // Those of short lanes are several operations, but for bytes of one register.
                let of_one = if width == 2 { 2.0 * shuffle } else { shuffle };
                let of_two = if width <= 2 { 2.0 * shuffle } else { shuffle };
                let each = match sources {
                    1.0 => of_one,
                    // A shift, a mask of signs and a blend for each two.
                    _ => of_two * sources / 2.0 + 3.0 * vector * (sources / 2.0 - 1.0),
                };
                each * results + widening + resizing
            }
            32 if bytes >= 4 => {
                let sources = registers(table);
                // Numbers of both halves of long lanes.
                let numbers = if bytes == 8 { 5.0 * vector } else { 0.0 };
                let each = match sources {
                    1.0 => shuffle,
                    2.0 => 2.0 * (shuffle + vector),
                    // A comparison and a blend, which is two operations.
                    _ => sources * (shuffle + 3.0 * vector),
                };
                (numbers + each) * registers(lanes * bytes) + resizing
            }
            _ => {
                // By shuffles of bytes in blocks of 128 bits, each of which is in all blocks of a register first.
                let blocks = table.div_ceil(16) as f32;
                let spreading = if self.registers.bytes > 16 { shuffle * blocks } else { 0.0 };
                let numbers = if bytes == 1 { vector } else { 3.0 * vector };
                (numbers + blocks * (shuffle + 3.0 * vector)) * registers(lanes * bytes) + spreading + resizing
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::Machine;

    /// Whether a machine looks up instead of gathering, in gangs of its own width.
    fn pays(machine: &str, bytes: u32, table: u32) -> bool {
        Machine::named(machine).expect("a machine").looks_up(bytes, table)
    }

    #[test]
    fn small_tables_pay_and_large_ones_do_not() {
        for machine in ["sapphire-rapids", "zen4", "zen3", "skylake", "neoverse-v2"] {
            for bytes in [1, 2, 4, 8] {
                // Long lanes of 128 bits are few.
                let is_short = machine == "neoverse-v2" && bytes == 8;
                assert!(pays(machine, bytes, 32) != is_short, "{machine} {bytes}");
                assert!(!pays(machine, bytes, 512), "{machine} {bytes}");
            }
        }
        assert!(pays("sapphire-rapids", 4, 256) && !pays("zen3", 4, 256));
    }
}
