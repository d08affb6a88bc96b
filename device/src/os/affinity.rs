//! Which processors this process may run on: `sched_getaffinity`, taken over all threads.
//!
//! The mask of a single thread misleads: OpenMP and the like pin the main thread to one core. What the process as a whole
//! was given (by taskset, mpirun, a cpuset) is the union of its threads' masks.

use std::fs;

/// Kernel masks are at most this long (CONFIG_NR_CPUS goes up to 8192).
const MASK_WORDS: usize = 8192 / 64;

/// A set of processor numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuSet {
    words: Vec<u64>,
}

impl CpuSet {
    /// The processors that the process may use, in the union over its threads; never empty.
    pub fn of_process() -> CpuSet {
        let mut set = CpuSet {
            words: vec![0; MASK_WORDS],
        };
        set.add_thread(0);
        for task in fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
            if let Some(thread) = task.file_name().to_str().and_then(|name| name.parse().ok()) {
                set.add_thread(thread);
            }
        }
        if set.count() == 0 {
            let online = std::thread::available_parallelism().map_or(1, |count| count.get());
            (0..online.min(MASK_WORDS * 64)).for_each(|cpu| set.words[cpu / 64] |= 1 << (cpu % 64));
        }
        set
    }

    /// Adds the mask of a thread (0: the calling one). A thread that has ended adds nothing.
    fn add_thread(&mut self, thread: libc::pid_t) {
        let mut mask = [0u64; MASK_WORDS];
        // SAFETY: the system call writes at most `size_of_val(&mask)` bytes to `mask`. (glibc's wrapper zeroes the rest of a
        // `cpu_set_t`; the raw call serves masks of any length.)
        let written = unsafe { libc::syscall(libc::SYS_sched_getaffinity, thread, size_of_val(&mask), mask.as_mut_ptr()) };
        if written > 0 {
            self.words.iter_mut().zip(mask).for_each(|(word, more)| *word |= more);
        }
    }

    /// How many processors are in it.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Is this processor in it?
    pub fn contains(&self, cpu: usize) -> bool {
        self.words.get(cpu / 64).is_some_and(|word| word >> (cpu % 64) & 1 != 0)
    }

    /// The processor numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.words.len() * 64).filter(|&cpu| self.contains(cpu))
    }

    /// Lets the calling thread run on these processors. A refusal is no harm: the thread then runs where it was let.
    pub fn apply_to_this_thread(&self) {
        // SAFETY: the system call reads the mask, whose size is given.
        unsafe { libc::syscall(libc::SYS_sched_setaffinity, 0, self.words.len() * 8, self.words.as_ptr()) };
    }
}

/// Reads the kernel's notation of a set: `0-3,8,10-11`.
pub fn parse_list(text: &str) -> Vec<usize> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',') {
        let mut ends = part.splitn(2, '-').map(|end| end.trim().parse::<usize>().ok());
        match (ends.next().flatten(), ends.next()) {
            (Some(first), None) => cpus.push(first),
            (Some(first), Some(Some(last))) => cpus.extend(first..=last.min(first.saturating_add(MASK_WORDS * 64))),
            _ => {}
        }
    }
    cpus
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_has_a_processor() {
        let set = CpuSet::of_process();
        assert!(set.count() >= 1);
        assert_eq!(set.iter().count(), set.count());
        assert!(set.iter().all(|cpu| set.contains(cpu)));
        assert!(!set.contains(MASK_WORDS * 64));
    }

    #[test]
    fn a_pinned_thread_does_not_hide_the_rest() {
        let all = CpuSet::of_process();
        std::thread::spawn(move || {
            let mut one = CpuSet {
                words: vec![0; MASK_WORDS],
            };
            let first = all.iter().next().expect("a processor");
            one.words[first / 64] |= 1 << (first % 64);
            one.apply_to_this_thread();
            assert_eq!(CpuSet::of_process(), all);
        })
        .join()
        .expect("the thread ends well");
    }

    #[test]
    fn lists_are_read() {
        assert_eq!(parse_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(parse_list("5"), [5]);
        assert_eq!(parse_list(""), []);
        assert_eq!(parse_list("x,2-y,7"), [7]);
    }
}
