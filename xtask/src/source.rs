//! Source files of the workspace as text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A path of names from the crate's root.
pub type Names = Vec<String>;

/// The files of a crate by their modules, parsed.
pub type Files = BTreeMap<Names, syn::File>;

/// A file of a crate.
pub struct Source {
    /// Path below the workspace.
    pub path: PathBuf,
    /// Text.
    pub text: String,
}

/// All Rust files below a folder, in order of their paths.
pub fn rust_files(folder: &Path) -> Vec<Source> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The Rust files below a crate's `src` without those of tests: modules that their parents declare under `#[cfg(test)]`, and
/// all below them.
pub fn product_files(src: &Path) -> Vec<Source> {
    let files = rust_files(src);
    let texts: BTreeMap<Names, &str> =
        files.iter().map(|source| (module_of(src, &source.path), source.text.as_str())).collect();
    let of_tests: Vec<bool> = files.iter().map(|source| is_of_tests(&module_of(src, &source.path), &texts)).collect();
    files.into_iter().zip(of_tests).filter(|(_, is)| !is).map(|(source, _)| source).collect()
}

/// [`product_files`], parsed.
///
/// # Panics
/// A file that the compiler would not read either.
pub fn parsed(src: &Path) -> Files {
    parse(product_files(src).into_iter().map(|source| (module_of(src, &source.path), source.text)))
}

/// Parses the texts of modules.
///
/// # Panics
/// As [`parsed`].
pub fn parse(texts: impl IntoIterator<Item = (Names, String)>) -> Files {
    let one = |(module, text): (Names, String)| {
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", module.join("::")));
        (module, file)
    };
    texts.into_iter().map(one).collect()
}

fn is_of_tests(module: &[String], texts: &BTreeMap<Names, &str>) -> bool {
    (1..=module.len()).any(|len| {
        let declared = format!("#[cfg(test)]\nmod {};", module[len - 1]);
        texts.get(&module[..len - 1]).is_some_and(|text| text.contains(&declared))
    })
}

/// The module of a file below a crate's `src`.
pub fn module_of(src: &Path, path: &Path) -> Names {
    let below = path.strip_prefix(src).unwrap_or(path).with_extension("");
    let mut parts: Names = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

fn collect(folder: &Path, files: &mut Vec<Source>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_some_and(|name| name != "target") {
                collect(&path, files);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            files.push(Source { path, text });
        }
    }
}

/// The text without comments, strings' contents kept: enough to look for paths. Test modules at a file's end go too.
pub fn code_of(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.starts_with("#[cfg(test)]") {
            break;
        }
        let line = line.split("//").next().unwrap_or("");
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The crates of the workspace: folder name and folder.
pub fn crates(root: &Path) -> Vec<(String, PathBuf)> {
    let mut crates: Vec<(String, PathBuf)> = std::fs::read_dir(root.join("crates"))
        .expect("the workspace has crates")
        .flatten()
        .filter(|entry| entry.path().join("Cargo.toml").is_file())
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()))
        .collect();
    crates.sort();
    crates
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str) -> Names {
        module_of(Path::new("src"), Path::new(path))
    }

    #[test]
    fn a_file_of_tests_is_known_by_who_declares_it_and_so_is_all_below() {
        let texts = [
            ("src/lib.rs", "mod a;\n#[cfg(test)]\nmod pool_tests;"),
            ("src/a.rs", "#[cfg(test)]\nmod tests;"),
            ("src/wal/mod.rs", "#[cfg(test)]\nmod b;"),
        ];
        let texts = texts.map(|(path, text)| (module(path), text)).into();
        let is = |path: &str| is_of_tests(&module(path), &texts);
        assert!(
            is("src/pool_tests.rs") && is("src/a/tests.rs") && is("src/a/tests/mod.rs") && is("src/a/tests/rig.rs")
        );
        assert!(!is("src/lib.rs") && !is("src/a.rs") && !is("src/b.rs") && !is("src/tests.rs"));
    }
}
