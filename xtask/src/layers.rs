//! Dependencies point down: the crates' arrows are those of `layers.txt`, libraries stay where they belong, no crate has a
//! circle of modules or a large type beyond those that the file admits, no folder has more files than a reader can look over,
//! and no crate more lines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::circles::{self, Circles};
use crate::source::{self, code_of, crates, rust_files};
use crate::types::{self, Size};

/// Files that lie directly in a folder of sources at most: what has more holds several subjects.
const FOLDER_FILES_MAX: usize = 25;

/// Lines below a crate's `src` at most, where `layers.txt` does not admit more.
const CRATE_LINES_MAX: usize = 22_000;

struct Rules {
    /// Crate → crates that it may use.
    arrows: BTreeMap<String, BTreeSet<String>>,
    /// Library → places (folders below `crates/`) that may name it.
    only: Vec<(String, Vec<String>)>,
    /// Crate → files and top modules in all its circles that are admitted.
    circles: BTreeMap<String, (usize, usize)>,
    /// Crate → lines that it may have beyond [`CRATE_LINES_MAX`].
    sizes: BTreeMap<String, usize>,
    /// Crate → its large types that are admitted.
    types: BTreeMap<String, BTreeMap<String, Size>>,
}

/// All findings.
pub fn check(root: &Path) -> Vec<String> {
    let rules = rules(root);
    let mut findings = Vec::new();
    for (folder, path) in crates(root) {
        let manifest = std::fs::read_to_string(path.join("Cargo.toml")).expect("listed because it has one");
        let name = name_of(&folder);
        findings.extend(check_arrows(&name, &manifest, &rules));
        findings.extend(check_only(&name, &path, &rules));
        findings.extend(check_folders(&path.join("src"), &name));
        let lines_max = rules.sizes.get(&name).copied().unwrap_or(CRATE_LINES_MAX);
        findings.extend(check_size(&path.join("src"), &name, lines_max));
        let admitted = rules.circles.get(&name).copied().unwrap_or_default();
        let files = source::parsed(&path.join("src"));
        let arrows = circles::arrows(&files);
        findings.extend(check_circles(&name, &circles::in_arrows(&arrows), admitted));
        findings.extend(types::check(&name, &files, rules.types.get(&name).unwrap_or(&BTreeMap::new())));
    }
    findings
}

/// The name of a crate in `layers.txt`: the binary's is that of the house.
fn name_of(folder: &str) -> String {
    if folder == "cli" { "millpond".to_owned() } else { folder.to_owned() }
}

fn rules(root: &Path) -> Rules {
    parse(&std::fs::read_to_string(root.join("layers.txt")).expect("layers.txt lies in the workspace"))
}

fn parse(text: &str) -> Rules {
    let mut rules = Rules {
        arrows: BTreeMap::new(),
        only: Vec::new(),
        circles: BTreeMap::new(),
        sizes: BTreeMap::new(),
        types: BTreeMap::new(),
    };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let first = words.next().expect("the line is not empty");
        match first {
            "only" => {
                let library = words.next().unwrap_or("").to_owned();
                rules.only.push((library, words.map(str::to_owned).collect()));
            }
            "circle" => {
                let name = words.next().unwrap_or("").to_owned();
                let mut count = || words.next().and_then(|count| count.parse().ok()).unwrap_or(0);
                rules.circles.insert(name, (count(), count()));
            }
            "size" => {
                let name = words.next().unwrap_or("").to_owned();
                rules.sizes.insert(name, words.next().and_then(|lines| lines.parse().ok()).unwrap_or(0));
            }
            "type" => {
                let of = words.next().unwrap_or("").to_owned();
                let name = words.next().unwrap_or("").to_owned();
                let mut count = || words.next().and_then(|count| count.parse().ok()).unwrap_or(0);
                let size = Size { methods: count(), files: count() };
                rules.types.entry(of).or_default().insert(name, size);
            }
            name => {
                let name = name.trim_end_matches(':').to_owned();
                rules.arrows.insert(name, words.map(str::to_owned).collect());
            }
        }
    }
    rules
}

/// Folders with too many files, below `folder` and itself.
fn check_folders(folder: &Path, name: &str) -> Vec<String> {
    let (mut files, mut findings) = (0, Vec::new());
    let Ok(entries) = std::fs::read_dir(folder) else { return findings };
    let mut entries: Vec<_> = entries.map(|entry| entry.expect("a folder that can be listed").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            let below = path.file_name().map(|last| last.to_string_lossy().into_owned()).unwrap_or_default();
            findings.extend(check_folders(&path, &format!("{name}/{below}")));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files += 1;
        }
    }
    if files > FOLDER_FILES_MAX {
        findings.push(format!("{name}: {files} files directly in the folder, {FOLDER_FILES_MAX} at most"));
    }
    findings
}

/// A crate of more lines than one reader can know.
fn check_size(src: &Path, name: &str, lines_max: usize) -> Option<String> {
    let lines: usize = rust_files(src).iter().map(|source| source.text.lines().count()).sum();
    (lines > lines_max)
        .then(|| format!("{name}: {lines} lines, {lines_max} at most: a part of it wants a crate of its own"))
}

fn check_arrows(name: &str, manifest: &str, rules: &Rules) -> Vec<String> {
    let Some(allowed) = rules.arrows.get(name) else {
        return vec![format!("{name}: not in layers.txt")];
    };
    uses(manifest)
        .into_iter()
        .filter(|used| !allowed.contains(used))
        .map(|used| format!("{name} uses {used}: layers.txt has no such arrow"))
        .collect()
}

/// Crates of the workspace among a manifest's dependencies; those of tests do not count.
fn uses(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut uses = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[dependencies]"
            && let Some(rest) = line.strip_prefix("millpond-")
        {
            uses.insert(rest.split(['.', ' ', '=']).next().unwrap_or("").to_owned());
        }
    }
    uses
}

/// More files or top modules in circles than are admitted, or fewer: then the file of rules is out of date.
fn check_circles(name: &str, found: &Circles, (files, modules): (usize, usize)) -> Vec<String> {
    let words = |circles: &[Vec<String>]| {
        let lines: Vec<String> = circles.iter().map(|circle| circle.join(", ")).collect();
        lines.join("; and ")
    };
    let mut findings = Vec::new();
    let mut check = |what: &str, count: usize, admitted: usize, circles: &[Vec<String>]| {
        if count > admitted {
            findings.push(format!("{name}: {count} {what} in circles, {admitted} admitted (`cargo xtask circles {name}` has their arrows): {}", words(circles)));
        } else if count < admitted {
            findings
                .push(format!("{name}: {count} {what} in circles, layers.txt admits {admitted}: say {count} there"));
        }
    };
    check("files", found.file_count(), files, &found.files);
    check("top modules", found.module_count(), modules, &found.modules);
    findings
}

/// The circles inside of crates (of all, or of one) with the arrows and names that make them.
pub fn list_circles(root: &Path, of: Option<&str>) -> Vec<String> {
    let mut lines = Vec::new();
    for (folder, path) in crates(root) {
        let name = name_of(&folder);
        if of.is_none_or(|of| of == name) {
            let found = circles::lines(&circles::arrows(&source::parsed(&path.join("src"))));
            lines.extend(found.into_iter().map(|line| format!("{name}: {line}")));
        }
    }
    lines
}

fn check_only(name: &str, path: &Path, rules: &Rules) -> Vec<String> {
    let mut findings = Vec::new();
    for source in rust_files(&path.join("src")) {
        let below = source.path.strip_prefix(path).expect("found below it");
        let place = format!("{name}/{}", below.display());
        let code = code_of(&source.text);
        for (library, places) in &rules.only {
            let named = code.contains(&format!("{library}::")) || code.contains(&format!("use {library};"));
            if named && !places.iter().any(|allowed| place.starts_with(allowed.as_str())) {
                findings.push(format!("{place} names {library}, which belongs to {}", places.join(", ")));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_that_is_not_listed_is_found() {
        let rules = parse("types:\ndevice:\nstorage: device\n");
        let manifest = "[dependencies]\nmillpond-device.workspace = true\nmillpond-types = { path = \"x\" }\n[dev-dependencies]\nmillpond-query.workspace = true\n";
        assert_eq!(check_arrows("storage", manifest, &rules), ["storage uses types: layers.txt has no such arrow"]);
        assert_eq!(check_arrows("missing", manifest, &rules), ["missing: not in layers.txt"]);
    }

    #[test]
    fn the_file_of_rules_is_understood() {
        let rules = parse(
            "# words\nquery: types tsql\nonly datafusion plan/src\ncircle query 14 4\nsize storage 38000\ntype query Session 64 16\n",
        );
        assert!(rules.arrows["query"].contains("tsql"));
        assert_eq!(rules.only, [("datafusion".to_owned(), vec!["plan/src".to_owned()])]);
        assert_eq!(rules.circles["query"], (14, 4));
        assert_eq!(rules.sizes["storage"], 38_000);
        assert_eq!(rules.types["query"]["Session"], Size { methods: 64, files: 16 });
    }

    #[test]
    fn a_crowded_folder_is_found_wherever_it_lies() {
        let dir = std::env::temp_dir().join(format!("crowded-{}", std::process::id()));
        let below = dir.join("below");
        std::fs::create_dir_all(&below).expect("a folder");
        for number in 0..FOLDER_FILES_MAX {
            std::fs::write(below.join(format!("f{number}.rs")), "").expect("a file");
            std::fs::write(below.join(format!("f{number}.txt")), "").expect("a file");
        }
        assert!(check_folders(&dir, "one").is_empty());
        std::fs::write(below.join("more.rs"), "").expect("a file");
        let found = check_folders(&dir, "one");
        std::fs::remove_dir_all(&dir).expect("it was made here");
        assert_eq!(found, ["one/below: 26 files directly in the folder, 25 at most"]);
    }
}
