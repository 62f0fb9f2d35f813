//! What the workspace is built of: licences that may be given on, no library in two generations without a reason, no
//! library that wants a newer compiler than ours, and a reason beside each dependency in the root `Cargo.toml`.
//!
//! It reads what cargo knows of the packages (`cargo metadata`); it knows no advisories.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences whose works may stand in a binary that is given on under ours.
const LICENCES: [&str; 11] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Libraries that are there in several versions, with the reason: one goes when its reason goes.
const DOUBLES: [(&str, &str); 15] = [
    ("compact_str", "ratatui is one generation behind"),
    ("cpufeatures", "argon2 and the hashes are one generation behind the random generators"),
    ("foldhash", "by hashbrown"),
    ("getrandom", "by ring, tempfile and the generations of rand"),
    ("hashbrown", "by dashmap and indexmap below DataFusion"),
    ("itertools", "by DataFusion, sqllogictest and tpchgen"),
    ("num-bigint", "by arrow and yasna"),
    ("r-efi", "by getrandom, for a platform that is not ours"),
    ("rand", "by proptest, DataFusion and the PostgreSQL driver of tests"),
    ("rand_chacha", "by rand"),
    ("rand_core", "by rand and argon2"),
    ("syn", "derives are moving to the new one"),
    ("synstructure", "by derives"),
    ("unicode-width", "by clap and rustyline"),
    ("windows-sys", "for a platform that is not ours"),
];

/// All findings.
pub fn check(root: &Path) -> Vec<String> {
    let mut findings = reasons(&std::fs::read_to_string(root.join("Cargo.toml")).unwrap_or_default());
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked"])
        .current_dir(root)
        .output()
        .expect("cargo runs this program");
    if !done.status.success() {
        findings.push(String::from_utf8_lossy(&done.stderr).into_owned());
        return findings;
    }
    let metadata: Value = serde_json::from_slice(&done.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let ours = packages.iter().find(|package| package["name"] == "millpond").and_then(|p| p["rust_version"].as_str());
    let ours = version(ours.unwrap_or_default());
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let name = text("name");
        versions.entry(name).or_default().insert(text("version"));
        if !may_be_given_on(text("license")) {
            findings.push(format!("{name}: its licence is {:?}", text("license")));
        }
        if version(text("rust_version")) > ours {
            findings.push(format!("{name}: wants Rust {}, newer than rust-version", text("rust_version")));
        }
    }
    findings.extend(doubles(&versions));
    findings
}

fn doubles(versions: &BTreeMap<&str, BTreeSet<&str>>) -> Vec<String> {
    let is_known = |name: &str| DOUBLES.iter().any(|(known, _)| *known == name);
    let new =
        versions.iter().filter(|(name, versions)| versions.len() > 1 && !is_known(name)).map(|(name, versions)| {
            format!("{name}: is there {} times, {versions:?}, and no reason is given", versions.len())
        });
    let gone = DOUBLES.iter().filter(|(name, _)| versions.get(name).is_none_or(|versions| versions.len() < 2));
    let gone = gone.map(|(name, _)| format!("{name}: is not there twice any more: take it off the list"));
    new.chain(gone).collect()
}

/// A library of others without a comment above it or above the lines that it stands with.
fn reasons(manifest: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut has_reason = false;
    let lines = manifest.lines().skip_while(|line| *line != "[workspace.dependencies]").skip(1);
    for line in lines.take_while(|line| !line.starts_with('[')) {
        match line.split_once(" = ") {
            _ if line.starts_with('#') => has_reason = true,
            Some((name, _)) if !has_reason && !name.starts_with("millpond-") => {
                findings.push(format!("Cargo.toml: {name} has no reason beside it"));
            }
            Some(_) => {}
            None => has_reason = false,
        }
    }
    findings
}

/// Major and minor number.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Whether an SPDX expression leaves a choice of which all parts are good.
fn may_be_given_on(licence: &str) -> bool {
    let licence = licence.replace('/', " OR ");
    any_of(&licence)
}

fn any_of(expression: &str) -> bool {
    split(expression, " OR ").iter().any(|part| split(part, " AND ").iter().all(|part| one(part)))
}

fn one(licence: &str) -> bool {
    match licence.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => any_of(inner),
        None => LICENCES.contains(&licence),
    }
}

/// The parts between a word that stands in no parentheses.
fn split<'a>(expression: &'a str, word: &str) -> Vec<&'a str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in expression.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= start && expression[at..].starts_with(word) => {
                parts.push(expression[start..at].trim());
                start = at + word.len();
            }
            _ => {}
        }
    }
    parts.push(expression[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_good_where_one_choice_is() {
        for good in ["MIT", "MIT/Apache-2.0", "(MIT OR GPL-3.0) AND Unicode-3.0", "LGPL-2.1-or-later OR MIT"] {
            assert!(may_be_given_on(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND SSPL-1.0", "MIT WITH something"] {
            assert!(!may_be_given_on(bad), "{bad}");
        }
    }

    #[test]
    fn doubles_want_a_reason_that_holds() {
        let versions = |list: &[(&'static str, &[&'static str])]| -> BTreeMap<&str, BTreeSet<&str>> {
            list.iter().map(|(name, versions)| (*name, versions.iter().copied().collect())).collect()
        };
        let all: Vec<_> = DOUBLES.iter().map(|(name, _)| (*name, &["1", "2"][..])).collect();
        assert!(doubles(&versions(&all)).is_empty());
        let mut more = all.clone();
        more.push(("other", &["1", "2"]));
        assert_eq!(doubles(&versions(&more)).len(), 1);
        assert_eq!(doubles(&versions(&all[1..])).len(), 1);
    }

    #[test]
    fn a_dependency_has_a_reason() {
        let manifest = "[workspace.dependencies]\nmillpond-types = 1\n\n# For this.\na = \"1\"\nb = \"2\"\n\nc = \"3\"\n[profile]\n";
        assert_eq!(reasons(manifest), ["Cargo.toml: c has no reason beside it"]);
    }
}
