//! Circles of modules inside a crate: files that all import each other, directly or not.
//!
//! An arrow is a `crate::a::b` or `super::b` in a file, resolved to the longest prefix that is a file of the crate.
//! A parent's arrow to its own child does not count (it declares it), nor one to the crate's root (a re-export).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::source::{code_of, rust_files};

type Module = Vec<String>;

/// The largest circle of the crate whose sources lie in `src`: names of its modules; one name or none when there is no
/// circle.
pub fn largest(src: &Path) -> Vec<String> {
    let files: BTreeMap<Module, String> = rust_files(src)
        .into_iter()
        .filter_map(|source| {
            let below = source.path.strip_prefix(src).ok()?;
            Some((module_of(below), code_of(&source.text)))
        })
        .collect();
    let arrows = arrows(&files);
    circles(&arrows).into_iter().max_by_key(Vec::len).unwrap_or_default()
}

fn module_of(path: &Path) -> Module {
    let mut parts: Module = path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

fn arrows(files: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    files
        .iter()
        .map(|(module, code)| {
            let mut targets = BTreeSet::new();
            for path in paths(code, module) {
                let longest =
                    (1..=path.len()).rev().map(|len| path[..len].to_vec()).find(|prefix| files.contains_key(prefix));
                if let Some(target) = longest
                    && target != *module
                    && !target.starts_with(module)
                {
                    targets.insert(target);
                }
            }
            (module.clone(), targets)
        })
        .collect()
}

/// Module paths that a file names, absolute within the crate.
fn paths(code: &str, module: &Module) -> Vec<Module> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        expand(&code[start + "crate::".len()..], &Vec::new(), &mut found);
    }
    for (start, _) in code.match_indices("super::") {
        let mut base = module.clone();
        base.pop();
        let mut rest = &code[start + "super::".len()..];
        while let Some(after) = rest.strip_prefix("super::") {
            base.pop();
            rest = after;
        }
        expand(rest, &base, &mut found);
    }
    found
}

/// `a::b::{c, d::e}` in all its branches; only the first level of braces is opened.
fn expand(text: &str, base: &Module, found: &mut Vec<Module>) {
    let mut path = base.clone();
    let mut rest = text;
    loop {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end > 0 {
            path.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        match rest.strip_prefix("::") {
            Some(after) => rest = after,
            None => break,
        }
    }
    match rest.strip_prefix('{') {
        Some(after) => {
            let inside = after.split('}').next().unwrap_or("");
            for part in inside.split(',') {
                let mut branch = path.clone();
                branch
                    .extend(part.trim().split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()));
                found.push(branch);
            }
        }
        None => found.push(path),
    }
}

/// Sets of modules that reach each other.
fn circles(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<String>> {
    let reach: BTreeMap<&Module, BTreeSet<&Module>> =
        arrows.keys().map(|module| (module, reachable(module, arrows))).collect();
    let mut seen: BTreeSet<&Module> = BTreeSet::new();
    let mut found = Vec::new();
    for module in arrows.keys() {
        if seen.contains(module) || module.is_empty() {
            continue;
        }
        let circle: Vec<&Module> =
            reach[module].iter().copied().filter(|other| !other.is_empty() && reach[*other].contains(module)).collect();
        if circle.len() > 1 {
            seen.extend(circle.iter().copied());
            found.push(circle.iter().map(|module| module.join("::")).collect());
        }
    }
    found
}

fn reachable<'a>(from: &'a Module, arrows: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in arrows.get(module).into_iter().flatten().filter(|next| !next.is_empty()) {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn imports_are_found_in_all_their_forms() {
        let code = "use crate::a::b;\nuse crate::{c, d::e};\nuse super::f::g;\nlet x = crate::h::i();";
        let found = paths(code, &module("m::n"));
        for path in ["a::b", "c", "d::e", "m::f::g", "h::i"] {
            assert!(found.contains(&module(path)), "{path} in {found:?}");
        }
    }

    #[test]
    fn a_circle_of_three_is_found_and_a_chain_is_none() {
        let arrows = |pairs: &[(&str, &str)]| {
            let mut arrows: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
            for (from, to) in pairs {
                arrows.entry(module(from)).or_default().insert(module(to));
                arrows.entry(module(to)).or_default();
            }
            arrows
        };
        let circle = circles(&arrows(&[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")]));
        assert_eq!(circle, [["a", "b", "c"]]);
        assert!(circles(&arrows(&[("a", "b"), ("b", "c")])).is_empty());
    }
}
