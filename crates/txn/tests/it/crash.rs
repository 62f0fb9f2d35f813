//! Power cuts under transactions: the matrix of `examples/crash_matrix`, small.

use millpond_access::tree::TreeIds;
use millpond_device::CacheProfile;
use millpond_storage::extension::ExtensionMode;

use crate::crash_matrix::{Covered, Failure, Pace, Under, record};
use crate::table::Table;
use millpond_txn::transaction;
use millpond_txn::tree_rows;
use millpond_txn::trees;

fn survive(seed: u64, pace: Pace, points: usize, extension: Option<ExtensionMode>) -> Covered {
    let recording = record(seed, 700, pace, &Under { extension, cache: None });
    recording.cut_all(points, 2).unwrap_or_else(|Failure(cause)| panic!("{cause}"))
}

/// Seed 1 found that a crash after the last checkpoint of a recovery was taken for an orderly end, so that leaked space
/// was never reclaimed.
#[test]
fn transactions_survive_power_cuts_as_a_whole_or_not_at_all() {
    let mut covered = survive(1, Pace::Turns, 60, None);
    covered.add(&survive(2, Pace::Threads, 30, None));
    assert_eq!(covered.points, 90, "{}", covered.counts);
    assert!(covered.redone > 60 && covered.reclaimed_pages > 0 && covered.in_recovery > 0, "{covered}");
    assert!(covered.at_syncs > 60 && covered.unpromised > 0, "{covered}");
    assert!(!covered.counts.contains("edits: 0,"), "parts of large values change: {}", covered.counts);
}

/// A copy in the extension that is older than its page is never served, whatever the cut left of its directory.
#[test]
fn no_cut_brings_a_stale_page_back_from_the_extension() {
    let covered = survive(3, Pace::Turns, 50, Some(ExtensionMode::WriteBack));
    assert_eq!(covered.points, 50, "{}", covered.counts);
    assert!(covered.kept_copies > 1000 && covered.used_copies > 1000, "{covered}");
    let covered = survive(4, Pace::Threads, 30, Some(ExtensionMode::Clean));
    assert_eq!(covered.points, 30, "{}", covered.counts);
    assert!(covered.used_copies > 0, "{covered}");
}

fn survive_behind(cache: CacheProfile, seed: u64) -> Result<Covered, Failure> {
    record(seed, 500, Pace::Turns, &Under { extension: None, cache: Some(cache) }).cut_all(40, 2)
}

/// With a battery nothing that was answered is lost; without one a sync is what counts. Either way promises are kept.
#[test]
fn promises_are_kept_behind_a_controller_cache() {
    for battery in [true, false] {
        let cache = CacheProfile { battery, ..CacheProfile::of_mb(1) };
        let covered = survive_behind(cache, 5).unwrap_or_else(|Failure(cause)| panic!("battery {battery}: {cause}"));
        assert_eq!(covered.points, 40, "{}", covered.counts);
    }
}

/// The canary: a cache that acknowledges syncs and forgets them breaks promises, and the matrix sees it.
#[test]
fn a_cache_that_ignores_syncs_is_caught() {
    let cache = CacheProfile { ignores_sync: true, ..CacheProfile::of_mb(1) };
    assert!(survive_behind(cache, 6).is_err());
}

/// Found by seed 1003: the second tree of a transaction lies where the first one lay, which was undone; its rows were
/// taken back in the first one, which failed and closed the database.
#[test]
fn a_tree_made_where_one_was_undone_can_be_undone_too() {
    let table = Table::both();
    let mut person = table.session(51);
    let (task, ids) = (person.task.clone(), TreeIds { hobt: 5, object_id: 77, index_id: 1 });
    let io = millpond_storage::ask::IoCount::default();
    let ask = millpond_storage::ask::Ask::new(&task, &io);
    let ctx = table.tree.ctx().clone();
    transaction::begin(&mut person.work);
    transaction::save(&mut person.work, "empty");
    let mut places = Vec::new();
    for _ in 0..2 {
        let (tree, place) = trees::create_tree(&mut person.work, &ask, &ctx, ids).expect("room");
        tree_rows::insert(&mut person.work, &ask, &tree, b"key", b"payload").expect("new");
        transaction::rollback_to(&mut person.work, &ask, "empty").expect("undo works");
        places.push(place);
    }
    assert_eq!(places[0], places[1], "the pages are used again");
    person.insert(3, 30).expect("the database is open");
    person.commit();
    assert_eq!(person.scan().expect("readable").len(), 3);
}
