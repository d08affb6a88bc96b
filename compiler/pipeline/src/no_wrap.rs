//! What launches have been told of their indices ([`analysis::no_wrap`]): most launches of a kernel are like the one before.

use analysis::no_wrap::{NoWrap, Sizes};
use device::lock::Lock;
use smallvec::SmallVec;

/// What the kernel's last launch was told.
#[derive(Debug, Default)]
pub struct LastAnswer(Lock<Option<Answer>>);

/// What follows from sizes and arguments.
#[derive(Debug)]
struct Answer {
    sizes: Sizes,
    /// The bytes of those arguments that count.
    arguments: SmallVec<[u8; 16]>,
    holds: u64,
}

impl LastAnswer {
    /// [`NoWrap::holds`]
    pub fn holds(&self, found: &NoWrap, sizes: &Sizes, block: &[u8]) -> u64 {
        if found.is_empty() {
            return 0;
        }
        let arguments: SmallVec<[u8; 16]> = found.arguments(block).flatten().copied().collect();
        let mut last = self.0.lock();
        match &*last {
            Some(answer) if answer.sizes == *sizes && answer.arguments == arguments => answer.holds,
            _ => {
                let holds = found.holds(sizes, block);
                *last = Some(Answer {
                    sizes: *sizes,
                    arguments,
                    holds,
                });
                holds
            }
        }
    }
}
