//! Models of machines: how many cores, how far apart, how fast, and what the system's calls cost. Times are picoseconds.

/// A nanosecond.
pub const NS: u64 = 1_000;
/// A microsecond.
pub const US: u64 = 1_000_000;
/// A millisecond.
pub const MS: u64 = 1_000_000_000;

/// A machine.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its cores, in the order in which threads get them.
    pub cores: Vec<Core>,
    /// A line that another core of the same cluster has (cores that share a last-level cache) moves in this time.
    pub within_cluster: u64,
    /// The same from another cluster of the socket.
    pub within_socket: u64,
    /// The same from another socket.
    pub across_sockets: u64,
    /// An access to a line that the core has.
    pub hit: u64,
    /// A read-modify-write of a line that the core has for itself.
    pub locked: u64,
    /// One `pause`.
    pub pause: u64,
    /// A call of the system that finds nothing to do.
    pub call: u64,
    /// What waking a thread costs the one that wakes it, …
    pub wake: u64,
    /// … and how long after that it runs.
    pub wake_latency: u64,
    /// What starting a thread costs the one that starts it, …
    pub start: u64,
    /// … and how long after that it runs.
    pub start_latency: u64,
}

/// A core.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// Which last-level cache it shares.
    pub cluster: u32,
    /// Which socket it is in.
    pub socket: u32,
    /// Its speed, in percent of the fastest's.
    pub percent: u64,
    /// It is taken away for the second half of each period of this length (0: never), as a hypervisor or another process would.
    pub taken: u64,
}

impl Machine {
    /// Sockets of clusters of cores, all alike. The times are assumed, of the order of published measurements of servers with eight cores a cluster.
    pub fn server(sockets: u32, clusters: u32, cores: u32) -> Machine {
        let mut all = Vec::new();
        for socket in 0..sockets {
            for cluster in 0..clusters {
                all.extend((0..cores).map(|_| Core {
                    cluster: socket * clusters + cluster,
                    socket,
                    percent: 100,
                    taken: 0,
                }));
            }
        }
        Machine {
            cores: all,
            within_cluster: 25 * NS,
            within_socket: 100 * NS,
            across_sockets: 200 * NS,
            hit: NS,
            locked: 5 * NS,
            pause: 40 * NS,
            call: 200 * NS,
            wake: 1_500 * NS,
            wake_latency: 5 * US,
            start: 15 * US,
            start_latency: 30 * US,
        }
    }

    /// So many cores of the largest server that has them in use: 8 a cluster, 16 clusters a socket, 2 sockets.
    pub fn of_cores(cores: usize) -> Machine {
        let mut machine = Machine::server(2, 16, 8);
        machine.cores.truncate(cores);
        machine
    }

    /// A desktop with cores of two speeds under one cache.
    pub fn hybrid(fast: usize, slow: usize) -> Machine {
        let mut machine = Machine::server(1, 1, (fast + slow) as u32);
        machine.cores[fast..].iter_mut().for_each(|core| core.percent = 55);
        machine
    }

    /// The machine with its last core taken away half of the time, in periods of so long.
    pub fn with_a_stolen_core(mut self, period: u64) -> Machine {
        if let Some(core) = self.cores.last_mut() {
            core.taken = period;
        }
        self
    }

    /// How long a line takes from one core to another.
    pub fn distance(&self, from: usize, to: usize) -> u64 {
        let (a, b) = (&self.cores[from], &self.cores[to]);
        if from == to {
            self.hit
        } else if a.cluster == b.cluster {
            self.within_cluster
        } else if a.socket == b.socket {
            self.within_socket
        } else {
            self.across_sockets
        }
    }

    /// When work is done that a core of full speed and without interruptions needs `time` for.
    pub fn end_of(&self, core: usize, start: u64, time: u64) -> u64 {
        let Core { percent, taken, .. } = self.cores[core];
        let mut left = time * 100 / percent;
        if taken == 0 {
            return start + left;
        }
        let half = taken / 2;
        let mut now = start;
        loop {
            let phase = now % taken;
            if phase < half {
                let here = (half - phase).min(left);
                now += here;
                left -= here;
                if left == 0 {
                    return now;
                }
            }
            now += taken - now % taken;
        }
    }

    /// What all cores do together, in cores of full speed.
    pub fn capacity(&self) -> f64 {
        self.cores
            .iter()
            .map(|core| core.percent as f64 / 100.0 * if core.taken == 0 { 1.0 } else { 0.5 })
            .sum()
    }
}
