//! A small dose for every run of the tests.

mod histories;
mod sessions;

use millpond_querygen::campaign::Campaign;

/// Cases of a test: some 10,000 statements.
const CASES: u64 = 600;
const PER_SCHEMA: u64 = 40;

fn no_wrong_answer_from(seed: u64) {
    let campaign = Campaign {
        seed,
        cases: CASES,
        per_schema: PER_SCHEMA,
        time: None,
        folder: None,
        is_reduced: true,
        each: 1,
        only: None,
        known: Vec::new(),
    };
    let account = campaign.run(&mut |_| ());
    let scripts: Vec<&String> = account.found.values().map(|(_, script)| script).collect();
    assert!(scripts.is_empty(), "{scripts:#?}");
    assert!(account.good * 2 > account.cases, "{}", account.words());
}

#[test]
fn no_wrong_answer_in_a_small_dose() {
    no_wrong_answer_from(1);
}

/// The schemas behind those of the other test, beside it.
#[test]
fn no_wrong_answer_in_another_small_dose() {
    no_wrong_answer_from(1 + CASES / PER_SCHEMA);
}
