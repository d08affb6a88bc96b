//! What the models of machines say.

use scale::model::{MS, Machine, US};

#[test]
fn work_takes_longer_on_slow_and_on_stolen_cores() {
    let machine = Machine::hybrid(1, 1).with_a_stolen_core(4 * MS);
    assert_eq!(machine.end_of(0, 7, 55 * US), 55 * US + 7);
    // 1 ms of work is 1.82 ms of the slow core; it is there for 2 ms of 4.
    assert_eq!(machine.end_of(1, 0, 1100 * US), 2 * MS);
    assert_eq!(machine.end_of(1, 0, 2200 * US), 6 * MS);
    assert_eq!(machine.end_of(1, 3 * MS, 550 * US), 5 * MS);
    assert!((machine.capacity() - 1.275).abs() < 1e-9);
}

#[test]
fn lines_come_from_near_and_far() {
    let machine = Machine::server(2, 2, 2);
    let times = [0, 1, 2, 4].map(|core| machine.distance(0, core));
    assert_eq!(
        times,
        [machine.hit, machine.within_cluster, machine.within_socket, machine.across_sockets]
    );
}
