//! What comes in for the parameters that an [`SsaBuilder`](super::SsaBuilder) makes, and which of them use which.

use super::super::Value;

/// The arguments of the parameters that an [`SsaBuilder`](super::SsaBuilder) makes.
pub(super) struct Incoming {
    pub values: Vec<Value>,
    pub starts: Vec<usize>,
}

impl Incoming {
    /// Of the parameter with this number, in the order of the block's predecessors.
    pub fn of(&self, index: usize) -> &[Value] {
        &self.values[self.starts[index]..self.starts[index + 1]]
    }
}

/// In which parameters' arguments each parameter is: lists in one table.
pub(super) struct Users {
    /// First and last entry of each parameter's list.
    ends: Vec<Option<(u32, u32)>>,
    /// A user, and the next entry; the last one's is itself.
    entries: Vec<(u32, u32)>,
}

impl Users {
    pub fn new(params: usize) -> Users {
        Users {
            ends: vec![None; params],
            entries: Vec::new(),
        }
    }

    pub fn add(&mut self, of: u32, user: u32) {
        let entry = self.entries.len() as u32;
        self.entries.push((user, entry));
        self.append(of, (entry, entry));
    }

    fn append(&mut self, of: u32, (first, last): (u32, u32)) {
        let ends = &mut self.ends[of as usize];
        if let Some((_, end)) = ends {
            self.entries[*end as usize].1 = first;
            *end = last;
        } else {
            *ends = Some((first, last));
        }
    }

    /// Keeps the users of a parameter for which that is so.
    pub fn retain(&mut self, of: u32, keeps: impl Fn(u32) -> bool) {
        let Some((first, last)) = self.ends[of as usize].take() else {
            return;
        };
        let mut at = first;
        loop {
            let (user, following) = self.entries[at as usize];
            if keeps(user) {
                self.entries[at as usize].1 = at;
                self.append(of, (at, at));
            }
            if at == last {
                return;
            }
            at = following;
        }
    }

    /// Who used one uses the other from now on.
    pub fn hand_over(&mut self, from: u32, to: u32) {
        if let Some(ends) = self.ends[from as usize].take() {
            self.append(to, ends);
        }
    }

    pub fn of(&self, param: u32) -> impl Iterator<Item = u32> {
        let mut next = self.ends[param as usize].map(|(first, _)| first);
        std::iter::from_fn(move || {
            let at = next?;
            let (user, following) = self.entries[at as usize];
            next = (following != at).then_some(following);
            Some(user)
        })
    }
}
