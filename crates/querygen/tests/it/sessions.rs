//! A small dose of sessions against each other.

use millpond_querygen::sessions::Cases;
use millpond_querygen::sessions::crowd::Crowds;

#[test]
fn sessions_that_vanish_leave_what_the_model_says() {
    let cases = Cases { seed: 1, cases: 6, sessions_min: 4, sessions_max: 16, acts: 150, is_reduced: true };
    let account = cases.run(&mut |_| ());
    let scripts: Vec<&String> = account.found.values().map(|(_, script)| script).collect();
    assert!(scripts.is_empty(), "{scripts:#?}");
    assert!(account.done > 80 && account.commits > 25, "{}", account.words());
}

#[test]
fn sessions_that_wait_for_each_other_leave_what_was_committed_in_the_order_of_the_commits() {
    let crowds = Crowds { seed: 1, cases: 4, sessions_min: 4, sessions_max: 12, transactions: 20, rounds: 2 };
    let account = crowds.run(&mut |_| ());
    let protocols: Vec<&String> = account.found.values().map(|(_, protocol)| protocol).collect();
    assert!(protocols.is_empty(), "{protocols:#?}");
    assert!(account.commits > 200 && account.steps > 200, "{}", account.words());
}
