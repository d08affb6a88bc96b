//! Values that stand for others.

use super::entities::Value;
use cranelift_entity::SecondaryMap;

/// Values that stand for others: what a pass collects before [`Function::substitute`].
#[derive(Clone, Debug, Default)]
pub struct ValueMap {
    map: SecondaryMap<Value, Option<Value>>,
    any: bool,
}

impl ValueMap {
    /// From now on `value` is `by`.
    pub fn insert(&mut self, value: Value, by: Value) {
        let by = self.resolve(by);
        debug_assert_ne!(value, by, "a value can't stand for itself");
        self.map[value] = Some(by);
        self.any = true;
    }

    /// What `value` is now.
    pub fn resolve(&self, mut value: Value) -> Value {
        while let Some(by) = self.map[value] {
            value = by;
        }
        value
    }

    /// Another value stands for it.
    pub fn contains(&self, value: Value) -> bool {
        self.map[value].is_some()
    }

    /// What `value` is now; what is on the way there is found at once from now on, so that long chains are followed once.
    pub fn shorten(&mut self, value: Value) -> Value {
        if self.map[value].is_none() {
            return value;
        }
        let end = self.resolve(value);
        let mut at = value;
        while let Some(by) = self.map[at].filter(|&by| by != end) {
            self.map[at] = Some(end);
            at = by;
        }
        end
    }

    /// Nothing is replaced.
    pub fn is_empty(&self) -> bool {
        !self.any
    }
}
