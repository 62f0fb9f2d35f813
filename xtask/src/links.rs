//! Documents lead where they say: each link to a file and to a heading of one, and each source file that is named in
//! backticks (`storage/src/wait.rs`, with or without `crates/` before it), is there.
//!
//! Blocks of code are not looked at, nor are links to other machines. What a module path such as `txn::lock` means is not
//! known here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders without documents of ours.
const PASSED_BY: [&str; 4] = [".git", "target", "node_modules", "corpus"];

/// All findings.
pub fn check(root: &Path) -> Vec<String> {
    let mut documents = Vec::new();
    collect(root, &mut documents);
    documents.sort();
    let mut findings = Vec::new();
    for document in documents {
        let Ok(text) = fs::read_to_string(&document) else { continue };
        let name = document.strip_prefix(root).unwrap_or(&document).display().to_string();
        // The changelog names files as they were.
        let names_files = name != "CHANGELOG.md";
        for (number, line) in prose(&text) {
            let links = links(line).filter(|link| !link.contains("://"));
            let lost = links.filter(|link| !leads(&document, link)).map(|link| format!("the link {link}"));
            let sources = sources(line).filter(|_| names_files).filter(|path| !is_source(root, path));
            for lost in lost.chain(sources.map(|path| format!("the file {path}"))) {
                findings.push(format!("{name}:{number}: {lost} leads nowhere"));
            }
        }
    }
    findings
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !PASSED_BY.contains(&name.as_str()) {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The lines outside of blocks of code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some((index + 1, line))
    })
}

/// What the links of a line name.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(link, _)| link))
}

/// Source files in backticks. A name with a gap in it (`<NAME>.rs`, `*.rs`) is none.
fn sources(line: &str) -> impl Iterator<Item = &str> {
    let is_plain = |text: &&str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c));
    line.split('`').skip(1).step_by(2).filter(|text| text.contains("/src/") && text.ends_with(".rs")).filter(is_plain)
}

fn is_source(root: &Path, path: &str) -> bool {
    root.join(path).is_file() || root.join("crates").join(path).is_file()
}

fn leads(document: &Path, link: &str) -> bool {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => document.to_path_buf(),
        path => document.parent().unwrap_or(Path::new("")).join(path),
    };
    match heading {
        "" => target.exists(),
        heading => fs::read_to_string(target).is_ok_and(|text| headings(&text).contains(heading)),
    }
}

/// The headings of a document as links name them: lower case, blanks as hyphens, without all else.
fn headings(text: &str) -> BTreeSet<String> {
    let name = |line: &str| -> String {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    prose(text).filter(|(_, line)| line.starts_with('#')).map(|(_, line)| name(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_sources_are_found_outside_of_blocks() {
        let text = "see [a](b.md#c) and `x/src/y.rs`\n```\n[d](e.md)\n```\n![f](g.svg), `x/src/*.rs`\n";
        let lines: Vec<_> = prose(text).collect();
        let found: Vec<_> = lines.iter().flat_map(|(_, line)| links(line)).collect();
        assert_eq!(found, ["b.md#c", "g.svg"]);
        let found: Vec<_> = lines.iter().flat_map(|(_, line)| sources(line)).collect();
        assert_eq!(found, ["x/src/y.rs"]);
    }

    #[test]
    fn a_heading_is_named_as_links_name_it() {
        let text = "# To add … go to …\n```\n# no heading\n```\n## Bird's eye\n";
        assert_eq!(headings(text), BTreeSet::from(["to-add--go-to-".to_owned(), "birds-eye".to_owned()]));
    }

    #[test]
    fn what_is_not_there_is_found() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
        let document = root.join("README.md");
        assert!(leads(&document, "LICENSE") && leads(&document, "ARCHITECTURE.md#invariants"));
        assert!(!leads(&document, "LICENCE") && !leads(&document, "ARCHITECTURE.md#no-heading"));
        assert!(is_source(root, "storage/src/wait.rs") && !is_source(root, "storage/src/weight.rs"));
    }
}
