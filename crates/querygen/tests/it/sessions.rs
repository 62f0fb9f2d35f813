//! A small dose of sessions against each other.

use millpond_querygen::sessions::Cases;

#[test]
fn sessions_that_vanish_leave_what_the_model_says() {
    let cases = Cases { seed: 1, cases: 6, sessions_min: 4, sessions_max: 16, acts: 150, is_reduced: true };
    let account = cases.run(&mut |_| ());
    let scripts: Vec<&String> = account.found.values().map(|(_, script)| script).collect();
    assert!(scripts.is_empty(), "{scripts:#?}");
    assert!(account.done > 80 && account.commits > 25, "{}", account.words());
}
