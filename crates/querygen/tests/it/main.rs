//! A small dose for every run of the tests.

mod histories;
mod sessions;

use millpond_querygen::campaign::Campaign;

#[test]
fn no_wrong_answer_in_a_small_dose() {
    let campaign = Campaign {
        seed: 1,
        cases: 200,
        per_schema: 40,
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
