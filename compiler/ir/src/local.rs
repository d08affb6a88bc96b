//! What is known of values for a while, such as in one block: a table that is emptied at once, and keeps its memory.

use super::entities::Value;
use cranelift_entity::SecondaryMap;

/// What is known of some values.
#[derive(Clone, Debug)]
pub struct Local<V: Clone + Default> {
    /// With the number of the while that it is of.
    entries: SecondaryMap<Value, (u32, V)>,
    /// Counts how often the table has been emptied.
    now: u32,
}

impl<V: Clone + Default> Default for Local<V> {
    fn default() -> Local<V> {
        // Entries that nobody has written are of while 0.
        Local {
            entries: SecondaryMap::new(),
            now: 1,
        }
    }
}

impl<V: Clone + Default> Local<V> {
    /// Nothing is known.
    pub fn new() -> Local<V> {
        Local::default()
    }

    /// What is known of a value.
    pub fn get(&self, value: Value) -> Option<&V> {
        let (of, known) = &self.entries[value];
        (*of == self.now).then_some(known)
    }

    /// From now on this is known; true if nothing was.
    pub fn insert(&mut self, value: Value, known: V) -> bool {
        let before = std::mem::replace(&mut self.entries[value], (self.now, known));
        before.0 != self.now
    }

    /// Nothing is known of this value any more; true if something was.
    pub fn remove(&mut self, value: Value) -> bool {
        std::mem::replace(&mut self.entries[value].0, 0) == self.now
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.now += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_forgotten_at_once() {
        let [a, b] = [0, 7].map(Value::from_u32);
        let mut local: Local<u32> = Local::new();
        assert!(local.get(a).is_none() && local.insert(b, 1) && !local.insert(b, 2));
        assert_eq!(local.get(b), Some(&2));
        assert!(local.insert(a, 3) && local.remove(a) && !local.remove(a));
        assert!(local.get(a).is_none());
        local.clear();
        assert!(local.get(b).is_none() && !local.remove(b) && local.insert(b, 4));
    }
}
