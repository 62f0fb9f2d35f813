//! The dashboard and the alerts in `docs/grafana`, compared with what there is: each metric that they name is a family, with the
//! labels that they ask for.

use std::collections::BTreeSet;
use std::path::Path;

use super::{FAMILIES, Family, Kind};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grafana").join(name);
    std::fs::read_to_string(path).expect("the file is there")
}

/// Names that begin with ours.
fn metrics(text: &str) -> BTreeSet<String> {
    let places = text.match_indices("millpond_").filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    });
    let end = |at: usize| {
        text[at..].find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').map_or(text.len(), |end| at + end)
    };
    places.map(|(at, _)| text[at..end(at)].to_owned()).collect()
}

/// Labels that a query names, of `{…}`, `by (…)` and `sum by`.
fn labels(query: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rest in query.split('{').skip(1) {
        let inside = rest.split('}').next().unwrap_or_default();
        let pairs = inside.split(',').filter_map(|pair| pair.find(['=', '!']).map(|end| pair[..end].trim().to_owned()));
        found.extend(pairs.filter(|label| !label.is_empty()));
    }
    for rest in query.split("by (").skip(1).chain(query.split("on (").skip(1)) {
        let inside = rest.split(')').next().unwrap_or_default();
        found.extend(inside.split(',').map(|label| label.trim().to_owned()).filter(|label| !label.is_empty()));
    }
    found
}

fn check(query: &str) {
    let named = metrics(query);
    assert!(!named.is_empty() || query.starts_with("up"), "no metric in {query}");
    let mut allowed: BTreeSet<&str> = BTreeSet::from(["instance", "job"]);
    for name in &named {
        let is_bucket =
            |family: &&Family| family.kind == Kind::Histogram && name.strip_suffix("_bucket") == Some(family.name);
        let bucket = FAMILIES.iter().find(is_bucket);
        let family = bucket.or_else(|| FAMILIES.iter().find(|family| family.name == name));
        let family = family.unwrap_or_else(|| panic!("{name} is no metric: {query}"));
        allowed.extend(family.labels);
        allowed.extend(bucket.map(|_| "le"));
        let is_rate = query.contains(&format!("rate({name}")) || query.contains(&format!("increase({name}"));
        assert_eq!(
            name.ends_with("_total") || bucket.is_some(),
            is_rate,
            "a rate is of what grows, and of nothing else: {query}"
        );
    }
    for label in labels(query) {
        assert!(allowed.contains(label.as_str()), "{label} is no label: {query}");
    }
}

#[test]
fn the_dashboard_asks_for_what_there_is() {
    let dashboard: serde_json::Value = serde_json::from_str(&file("millpond.json")).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let mut queries = 0;
    let mut ids = BTreeSet::new();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_i64().expect("a number")), "a number twice: {}", panel["id"]);
        assert!(panel["title"].as_str().is_some_and(|title| !title.is_empty()));
        for target in panel["targets"].as_array().into_iter().flatten() {
            check(target["expr"].as_str().expect("a query"));
            queries += 1;
        }
    }
    assert!(queries >= 15, "{queries}");
    assert!(dashboard["schemaVersion"].is_number() && dashboard["uid"] == "millpond");
}

#[test]
fn alerts_ask_for_what_there_is() {
    let text = file("alerts.yml");
    let mut names = BTreeSet::new();
    for rule in text.split("- alert: ").skip(1) {
        let name = rule.lines().next().unwrap_or_default().trim().to_owned();
        let field = |name: &str| rule.lines().find_map(|line| line.trim().strip_prefix(name).map(str::trim));
        let expression = field("expr: ").unwrap_or_else(|| panic!("{name} asks for nothing"));
        check(expression.trim_matches('\''));
        assert!(field("severity: ").is_some() && field("summary: ").is_some(), "{name}");
        assert!(names.insert(name), "an alert twice");
    }
    assert!(names.len() >= 8, "{names:?}");
}
