//! What every file has in common: it opens with what it is, it has one subject, it leaves nothing to do.

use std::path::Path;

use crate::source::rust_files;

/// A file beyond this has more than one subject.
const LINES_MAX: usize = 1200;

/// Words that no source may contain: each is a debt, and debts are issues. Split, so that this file has none.
const DEBTS: [&str; 5] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("FIX", "ME"),
    concat!("#[ig", "nore"),
    concat!("dbg", "!("),
];

/// All findings.
pub fn check(root: &Path) -> Vec<String> {
    let mut findings = Vec::new();
    for folder in ["crates", "xtask", "fuzz"] {
        for source in rust_files(&root.join(folder)) {
            let path = source.path.strip_prefix(root).unwrap_or(&source.path).display().to_string();
            findings.extend(check_file(&path, &source.text));
        }
    }
    findings
}

fn check_file(path: &str, text: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let opening = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    if !opening.is_some_and(|line| line.starts_with("//!")) {
        findings.push(format!("{path}: does not open with what it is (`//!`)"));
    }
    let lines = text.lines().count();
    if lines > LINES_MAX {
        findings.push(format!("{path}: {lines} lines, more than one subject ({LINES_MAX} at most)"));
    }
    for (number, line) in text.lines().enumerate() {
        for debt in DEBTS {
            if line.contains(debt) {
                findings.push(format!("{path}:{}: {debt}", number + 1));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tidy_file_passes_and_each_fault_is_named() {
        assert!(check_file("a.rs", "//! What it is.\nfn main() {}\n").is_empty());
        assert!(check_file("a.rs", "#![allow(unsafe_code)]\n//! What it is.\n").is_empty());
        assert_eq!(check_file("a.rs", "fn main() {}\n").len(), 1);
        assert_eq!(check_file("a.rs", &format!("//! It.\n{}\n", DEBTS[0])).len(), 1);
        assert_eq!(check_file("a.rs", &format!("//! It.\n{}", "x\n".repeat(LINES_MAX))).len(), 1);
    }
}
