//! The anomalies of the hermitage list, each at every level: which are let in, which are kept out, and how.
//!
//! Two or three transactions in one thread; a statement that would wait is tried with LOCK_TIMEOUT 0.

use millpond_txn::{Isolation, TxnError, Versioning};

use crate::table::{Person, Table};

/// Levels; READ COMMITTED with row versions and by locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Uncommitted,
    Committed,
    CommittedByLocks,
    Repeatable,
    Snapshot,
    Serializable,
}

use Level::{Committed, CommittedByLocks, Repeatable, Serializable, Snapshot, Uncommitted};

const ALL: [Level; 6] = [Uncommitted, Committed, CommittedByLocks, Repeatable, Snapshot, Serializable];

impl Level {
    fn isolation(self) -> Isolation {
        match self {
            Uncommitted => Isolation::ReadUncommitted,
            Committed | CommittedByLocks => Isolation::ReadCommitted,
            Repeatable => Isolation::RepeatableRead,
            Snapshot => Isolation::Snapshot,
            Serializable => Isolation::Serializable,
        }
    }

    /// Readers take locks, so that they wait for writers.
    fn reads_wait(self) -> bool {
        matches!(self, CommittedByLocks | Repeatable | Serializable)
    }

    /// Writers wait for readers.
    fn reads_stay_locked(self) -> bool {
        matches!(self, Repeatable | Serializable)
    }

    fn table(self) -> Table {
        Table::new(Versioning { read_committed: self != CommittedByLocks, snapshot: true })
    }

    fn start(self, table: &Table, number: u16) -> Person {
        let mut person = table.session(number);
        person.begin(self.isolation());
        person
    }
}

fn pair(table: &Table, level: Level) -> (Person, Person) {
    (level.start(table, 51), level.start(table, 52))
}

fn rows(table: &Table) -> Vec<(u32, i64)> {
    table.session(80).scan().unwrap()
}

#[test]
fn g0_writes_of_two_transactions_never_mix() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        two.get(2).unwrap();
        one.put(1, 11).unwrap();
        assert!(two.blocks(|two| two.put(1, 12)), "{level:?}");
        if level.reads_stay_locked() {
            assert!(one.blocks(|one| one.put(2, 21)));
            one.commit();
            assert_eq!(rows(&table), [(1, 11), (2, 20)]);
            continue;
        }
        one.put(2, 21).unwrap();
        one.commit();
        let second = two.put(1, 12);
        if level == Snapshot {
            assert!(matches!(second, Err(TxnError::SnapshotConflict { object: 245_575_913, .. })), "{second:?}");
            continue;
        }
        assert!(second.unwrap());
        two.put(2, 22).unwrap();
        two.commit();
        assert_eq!(rows(&table), [(1, 12), (2, 22)], "{level:?}");
    }
}

#[test]
fn g1a_nobody_reads_what_is_taken_back() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        one.put(1, 101).unwrap();
        if level.reads_wait() {
            assert!(two.blocks(|two| two.get(1)), "{level:?}");
            assert!(two.blocks(Person::scan), "{level:?}");
        } else {
            let seen = if level == Uncommitted { 101 } else { 10 };
            assert_eq!(two.get(1).unwrap(), Some(seen), "{level:?}");
            assert_eq!(two.scan().unwrap(), [(1, seen), (2, 20)], "{level:?}");
        }
        one.rollback();
        assert_eq!(two.scan().unwrap(), [(1, 10), (2, 20)], "{level:?}");
        two.commit();
    }
}

#[test]
fn g1b_nobody_reads_what_is_overwritten_before_the_commit() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        one.put(1, 101).unwrap();
        if level.reads_wait() {
            assert!(two.blocks(Person::scan));
        } else {
            assert_eq!(two.get(1).unwrap(), Some(if level == Uncommitted { 101 } else { 10 }));
        }
        one.put(1, 11).unwrap();
        one.commit();
        assert_eq!(two.get(1).unwrap(), Some(if level == Snapshot { 10 } else { 11 }), "{level:?}");
    }
}

#[test]
fn g1c_information_does_not_flow_in_circles() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        one.put(1, 11).unwrap();
        two.put(2, 22).unwrap();
        if level.reads_wait() {
            assert!(one.blocks(|one| one.get(2)) && two.blocks(|two| two.get(1)), "{level:?}");
        } else {
            let (first, second) = (one.get(2).unwrap(), two.get(1).unwrap());
            let expected = if level == Uncommitted { (Some(22), Some(11)) } else { (Some(20), Some(10)) };
            assert_eq!((first, second), expected, "{level:?}");
        }
        one.commit();
        two.commit();
        assert_eq!(rows(&table), [(1, 11), (2, 22)]);
    }
}

#[test]
fn otv_a_transaction_that_was_seen_does_not_vanish() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        let mut three = level.start(&table, 53);
        one.put(1, 11).unwrap();
        one.put(2, 19).unwrap();
        assert!(two.blocks(|two| two.put(1, 12)), "{level:?}");
        one.commit();
        if level == Snapshot {
            // Its snapshot is of now: the first statement failed before it read.
            two = level.start(&table, 54);
        }
        assert!(two.put(1, 12).unwrap());
        if level.reads_wait() {
            assert!(three.blocks(|three| three.get(1)));
        } else {
            assert_eq!(three.get(1).unwrap(), Some(if level == Uncommitted { 12 } else { 11 }), "{level:?}");
        }
        two.put(2, 18).unwrap();
        if !level.reads_wait() {
            assert_eq!(three.get(2).unwrap(), Some(if level == Uncommitted { 18 } else { 19 }), "{level:?}");
        }
        two.commit();
        let expected = if level == Snapshot { (Some(19), Some(11)) } else { (Some(18), Some(12)) };
        assert_eq!((three.get(2).unwrap(), three.get(1).unwrap()), expected, "{level:?}");
    }
}

#[test]
fn pmp_rows_that_come_into_a_range() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        assert_eq!(one.scan().unwrap().len(), 2);
        if level == Serializable {
            assert!(two.blocks(|two| two.insert(3, 30)));
            assert_eq!(one.scan().unwrap().len(), 2);
            one.commit();
            two.insert(3, 30).unwrap();
            two.commit();
            continue;
        }
        two.insert(3, 30).unwrap();
        two.commit();
        assert_eq!(one.scan().unwrap().len(), if level == Snapshot { 2 } else { 3 }, "{level:?}");
    }
}

#[test]
fn p4_an_update_is_lost() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        assert_eq!((one.get(1).unwrap(), two.get(1).unwrap()), (Some(10), Some(10)));
        if level.reads_stay_locked() {
            assert!(one.blocks(|one| one.put(1, 11)) && two.blocks(|two| two.put(1, 11)), "{level:?}");
            continue;
        }
        one.put(1, 11).unwrap();
        assert!(two.blocks(|two| two.put(1, 12)));
        one.commit();
        let second = two.put(1, 12);
        match level {
            Snapshot => assert!(matches!(second, Err(TxnError::SnapshotConflict { .. })), "{second:?}"),
            _ => assert!(second.unwrap(), "{level:?}"),
        }
    }
}

#[test]
fn g_single_two_reads_of_different_times() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        assert_eq!(one.get(1).unwrap(), Some(10));
        if level.reads_stay_locked() {
            assert!(two.blocks(|two| two.put(1, 12)), "{level:?}");
            assert_eq!(one.get(2).unwrap(), Some(20));
            continue;
        }
        two.put(1, 12).unwrap();
        two.put(2, 18).unwrap();
        two.commit();
        assert_eq!(one.get(2).unwrap(), Some(if level == Snapshot { 20 } else { 18 }), "{level:?}");
    }
}

#[test]
fn g2_item_each_writes_what_the_other_read() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        for person in [&mut one, &mut two] {
            assert_eq!((person.get(1).unwrap(), person.get(2).unwrap()), (Some(10), Some(20)));
        }
        if level.reads_stay_locked() {
            assert!(one.blocks(|one| one.put(1, 11)) && two.blocks(|two| two.put(2, 21)), "{level:?}");
            continue;
        }
        one.put(1, 11).unwrap();
        two.put(2, 21).unwrap();
        one.commit();
        two.commit();
        assert_eq!(rows(&table), [(1, 11), (2, 21)], "{level:?}: write skew is let in");
    }
}

#[test]
fn g2_each_adds_to_the_range_that_the_other_read() {
    for level in ALL {
        let table = level.table();
        let (mut one, mut two) = pair(&table, level);
        assert_eq!((one.scan().unwrap().len(), two.scan().unwrap().len()), (2, 2));
        if level == Serializable {
            assert!(one.blocks(|one| one.insert(3, 30)) && two.blocks(|two| two.insert(4, 42)));
            continue;
        }
        one.insert(3, 30).unwrap();
        two.insert(4, 42).unwrap();
        one.commit();
        two.commit();
        assert_eq!(rows(&table).len(), 4, "{level:?}");
    }
}
