//! Rounds over a function's blocks until nothing changes any more, without those in which nothing can.

/// Which blocks are to be looked at, by their position in reverse postorder: in rounds over all of them, from the first to the last.
pub(super) struct Rounds {
    /// These, whatever has changed.
    pending: Vec<bool>,
    is_pending: bool,
    /// In this round, all from here on.
    from: usize,
    /// In the next round.
    pub(super) next_from: usize,
    /// A value has changed in this round: what follows may depend on it.
    pub(super) changed: bool,
}

impl Rounds {
    /// All of so many blocks.
    pub(super) fn new(blocks: usize) -> Rounds {
        Rounds {
            pending: vec![false; blocks],
            is_pending: false,
            from: 0,
            next_from: 0,
            changed: false,
        }
    }

    /// False if there is nothing to do.
    pub(super) fn begin_round(&mut self) -> bool {
        self.from = std::mem::replace(&mut self.next_from, usize::MAX);
        self.changed = false;
        std::mem::take(&mut self.is_pending) || self.from != usize::MAX
    }

    /// The block is to be looked at.
    pub(super) fn takes(&mut self, position: usize) -> bool {
        std::mem::take(&mut self.pending[position]) | self.changed | (position >= self.from)
    }

    /// A block is to be looked at once more, in this round if it comes later.
    pub(super) fn again(&mut self, position: u32) {
        self.pending[position as usize] = true;
        self.is_pending = true;
    }
}
