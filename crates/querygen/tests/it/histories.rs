//! The checker finds each anomaly in a history made by hand, and none that a level forbids in what the engine does.

use millpond_querygen::history::check::check;
use millpond_querygen::history::play::{Dose, LONG, run};
use millpond_querygen::history::{Anomaly, Level, Op, Transaction};

fn committed(ops: &[Op]) -> Transaction {
    Transaction { ops: ops.to_vec(), is_committed: true }
}

fn anomalies(history: &[Transaction]) -> Vec<Anomaly> {
    check(history).into_keys().collect()
}

fn read(key: u64, list: &[u64]) -> Op {
    Op::Read(key, list.to_vec())
}

#[test]
fn a_serial_history_is_clean() {
    let history = [
        committed(&[Op::Append(1, 1), read(1, &[1]), Op::Write(11, 10, Some(0))]),
        committed(&[read(1, &[1]), Op::Append(1, 2), Op::Append(2, 3), Op::Look(11, 10)]),
        committed(&[read(1, &[1, 2]), Op::Scan(1, 3, vec![(1, vec![1, 2]), (2, vec![3])])]),
    ];
    assert_eq!(anomalies(&history), []);
}

#[test]
fn g0_is_found() {
    let history = [
        committed(&[Op::Append(1, 1), Op::Append(2, 2)]),
        committed(&[Op::Append(1, 3), Op::Append(2, 4)]),
        committed(&[read(1, &[1, 3])]),
        committed(&[read(2, &[4, 2])]),
    ];
    assert!(anomalies(&history).contains(&Anomaly::G0), "{:?}", check(&history));
    let registers = [
        committed(&[Op::Write(1, 1, Some(0)), Op::Write(2, 2, Some(4))]),
        committed(&[Op::Write(1, 3, Some(1)), Op::Write(2, 4, Some(0))]),
    ];
    assert_eq!(anomalies(&registers), [Anomaly::G0]);
}

#[test]
fn g1a_is_found() {
    let undone = Transaction { ops: vec![Op::Append(1, 1), Op::Write(11, 5, Some(0))], is_committed: false };
    assert_eq!(anomalies(&[undone.clone(), committed(&[read(1, &[1])])]), [Anomaly::G1a]);
    assert_eq!(anomalies(&[undone.clone(), committed(&[Op::Look(11, 5)])]), [Anomaly::G1a]);
    assert_eq!(anomalies(&[undone, committed(&[Op::Scan(0, 4, vec![(1, vec![1])])])]), [Anomaly::G1a]);
}

#[test]
fn g1b_is_found() {
    let history =
        [committed(&[Op::Append(1, 1), Op::Append(1, 2)]), committed(&[read(1, &[1])]), committed(&[read(1, &[1, 2])])];
    assert!(anomalies(&history).contains(&Anomaly::G1b));
    let register = [committed(&[Op::Write(1, 1, Some(0)), Op::Write(1, 2, Some(1))]), committed(&[Op::Look(1, 1)])];
    assert!(anomalies(&register).contains(&Anomaly::G1b));
}

#[test]
fn g1c_is_found() {
    let history = [committed(&[Op::Append(1, 1), read(2, &[2])]), committed(&[Op::Append(2, 2), read(1, &[1])])];
    assert_eq!(anomalies(&history), [Anomaly::G1c]);
}

#[test]
fn g_single_is_found() {
    // The second reads one list before and the other after the first wrote both.
    let history = [
        committed(&[Op::Append(1, 1), Op::Append(2, 2)]),
        committed(&[read(1, &[]), read(2, &[2])]),
        committed(&[read(1, &[1]), read(2, &[2])]),
    ];
    assert_eq!(anomalies(&history), [Anomaly::GSingle]);
    let registers = [
        committed(&[Op::Write(1, 1, Some(0)), Op::Write(2, 2, Some(0))]),
        committed(&[Op::Look(1, 0), Op::Look(2, 2)]),
    ];
    assert_eq!(anomalies(&registers), [Anomaly::GSingle]);
}

#[test]
fn g2_item_is_found() {
    let history = [
        committed(&[read(1, &[]), Op::Append(2, 2)]),
        committed(&[read(2, &[]), Op::Append(1, 1)]),
        committed(&[read(1, &[1]), read(2, &[2])]),
    ];
    assert_eq!(anomalies(&history), [Anomaly::G2Item]);
}

#[test]
fn g2_is_found() {
    // Rows that neither of the two scans could see.
    let history = [
        committed(&[Op::Scan(1, 4, vec![]), Op::Append(2, 2)]),
        committed(&[Op::Scan(1, 4, vec![]), Op::Append(3, 3)]),
        committed(&[read(2, &[2]), read(3, &[3])]),
    ];
    assert_eq!(anomalies(&history), [Anomaly::G2]);
}

#[test]
fn lists_that_contradict_each_other_are_found() {
    let history = [
        committed(&[Op::Append(1, 1)]),
        committed(&[Op::Append(1, 2)]),
        committed(&[read(1, &[1, 2])]),
        committed(&[read(1, &[2])]),
    ];
    assert!(anomalies(&history).contains(&Anomaly::Incompatible));
    assert_eq!(anomalies(&[committed(&[Op::Append(1, 1), read(1, &[])])]), [Anomaly::Incompatible]);
}

/// So many histories of few transactions at each of the six levels: 2,000 and more.
const SHORT_HISTORIES: u64 = 340;
/// Transactions of a short history; one more reads what it left.
const SHORT: u64 = 10;

fn no_level_shows_what_it_forbids(transactions: u64, per_history: u64) {
    for level in Level::ALL {
        let dose = Dose { seed: 1, transactions, per_history, sessions_min: 4, sessions_max: 16 };
        let account = run(level, dose);
        assert_eq!(account.forbidden(level), Vec::<String>::new(), "{level:?}");
        assert!(account.committed * 4 > account.transactions, "{level:?}: {}", account.words());
    }
}

#[test]
fn no_level_shows_what_it_forbids_in_long_histories() {
    no_level_shows_what_it_forbids(400, LONG);
}

#[test]
fn no_level_shows_what_it_forbids_in_many_short_histories() {
    no_level_shows_what_it_forbids(SHORT_HISTORIES * (SHORT + 1), SHORT);
}
