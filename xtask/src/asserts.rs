//! How many assertions the crates execute that must not be wrong: storage, access, txn, per thousand lines of code.
//!
//! Counted is what asks a rule and ends the program where it is broken: `assert!` and its kin, `check!`, and `unreachable!`,
//! `expect` with its reason. Not counted are tests, constants (`const _: () = assert!`), and refusals of what a file or a
//! caller may bring, which are errors. Lines are those with code: no comments, no blank ones, no tests.
//!
//! The figures below only grow: who takes an assertion away puts another one in its place, or writes why not.

use std::path::Path;

use crate::source::product_files;

/// The least of each crate, per thousand lines: assertions (`assert!`, `debug_assert!`, `check!`).
const LEAST: [(&str, usize); 3] = [("storage", 30), ("access", 30), ("txn", 30)];

/// What a crate has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    lines: usize,
    /// In every build.
    asserts: usize,
    /// In debug builds and under the feature `checks`.
    checks: usize,
    /// `expect` and `unreachable!` with a reason.
    reasons: usize,
}

impl Count {
    fn per_thousand(self) -> usize {
        (self.asserts + self.checks) * 1000 / self.lines.max(1)
    }
}

/// Prints the figures of each crate; a finding where one is below what it was.
pub fn check(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    println!("crate     lines  assert  check  per 1,000  expect, unreachable");
    for (name, least) in LEAST {
        let count = of_crate(&root.join("crates").join(name).join("src"));
        let per_thousand = count.per_thousand();
        println!(
            "{name:8} {:6} {:7} {:6} {per_thousand:10} {:20}",
            count.lines, count.asserts, count.checks, count.reasons
        );
        if per_thousand < least {
            findings.push(format!("{name}: {per_thousand} assertions in 1,000 lines, {least} before"));
        }
    }
    findings
}

fn of_crate(folder: &Path) -> Count {
    product_files(folder).iter().fold(Count::default(), |sum, source| {
        let one = count(&source.text);
        Count {
            lines: sum.lines + one.lines,
            asserts: sum.asserts + one.asserts,
            checks: sum.checks + one.checks,
            reasons: sum.reasons + one.reasons,
        }
    })
}

/// What a file has before its module of tests.
fn count(text: &str) -> Count {
    let mut count = Count::default();
    let mut is_next_a_test = false;
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or("").trim();
        if is_next_a_test && code.starts_with("mod ") && code.ends_with('{') {
            break;
        }
        is_next_a_test = code == "#[cfg(test)]";
        if code.is_empty() {
            continue;
        }
        count.lines += 1;
        if code.starts_with("const ") || code.starts_with("macro_rules!") {
            continue;
        }
        for (at, _) in code.match_indices("!(") {
            let start =
                code[..at].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |before| before + 1);
            match &code[start..at] {
                "assert" | "assert_eq" | "assert_ne" => count.asserts += 1,
                "debug_assert" | "debug_assert_eq" | "debug_assert_ne" | "check" => count.checks += 1,
                "unreachable" => count.reasons += 1,
                _ => {}
            }
        }
        count.reasons += code.matches(".expect(\"").count();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_executed_counts_and_nothing_else() {
        let text = "//! assert!(x)\nuse a;\n\nconst _: () = assert!(1 == 1);\nfn f() {\n    assert!(a); // assert!(b)\n    \
                    check!(c);\n    debug_assert_eq!(a, b);\n    d.expect(\"why\");\n    unreachable!(\"why\");\n}\n\
                    #[cfg(test)]\nmod tests {\n    assert!(e);\n}\n";
        assert_eq!(count(text), Count { lines: 10, asserts: 1, checks: 2, reasons: 2 });
    }
}
