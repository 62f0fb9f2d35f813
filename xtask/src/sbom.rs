//! What a binary is made of, for who it is given to: `cargo xtask sbom TRIPLE` writes a CycloneDX document of the binary's
//! crates, `cargo xtask notices TRIPLE` their licence texts.
//!
//! What always holds: the crates are those that are linked or run while the binary is built for that platform, tests' left out; both
//! are the same for the same Cargo.lock. It reads what cargo knows of the packages; it looks into no binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// A crate of the binary.
struct Part<'a> {
    name: &'a str,
    version: &'a str,
    package: &'a Value,
}

fn metadata(root: &Path, triple: &str) -> Result<Value, String> {
    let done = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--filter-platform", triple])
        .current_dir(root)
        .output()
        .map_err(|error| error.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    serde_json::from_slice(&done.stdout).map_err(|error| error.to_string())
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn array<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}

/// The numbers of the packages that the binary's needs, itself first, with what each of them needs.
fn needed(metadata: &Value) -> Result<BTreeMap<&str, Vec<&str>>, String> {
    let binary = array(metadata, "packages").iter().find(|package| text(package, "name") == "millpond");
    let first = text(binary.ok_or("the workspace has no package millpond")?, "id");
    let nodes: BTreeMap<&str, &Value> =
        array(&metadata["resolve"], "nodes").iter().map(|node| (text(node, "id"), node)).collect();
    let (mut found, mut waiting) = (BTreeMap::new(), vec![first]);
    while let Some(id) = waiting.pop() {
        if found.contains_key(id) {
            continue;
        }
        let node = nodes.get(id).ok_or_else(|| format!("cargo does not know {id}"))?;
        let is_built = |needs: &&Value| array(needs, "dep_kinds").iter().any(|kind| kind["kind"] != "dev");
        let needs: Vec<&str> = array(node, "deps").iter().filter(is_built).map(|needs| text(needs, "pkg")).collect();
        waiting.extend(&needs);
        found.insert(id, needs);
    }
    Ok(found)
}

/// Where a package is from, as package URLs have it.
fn purl(name: &str, version: &str) -> String {
    format!("pkg:cargo/{name}@{version}")
}

/// Checksums of Cargo.lock, by name and version.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let mut found = BTreeMap::new();
    for block in lock.split("[[package]]") {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
            line.map(|value| value.trim().trim_matches('"').to_owned())
        };
        if let (Some(name), Some(version), Some(checksum)) = (value("name"), value("version"), value("checksum")) {
            found.insert((name, version), checksum);
        }
    }
    found
}

/// A CycloneDX 1.5 document.
///
/// # Errors
/// What cargo says.
pub fn document(root: &Path, triple: &str) -> Result<String, String> {
    let metadata = metadata(root, triple)?;
    let needed = needed(&metadata)?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock")).map_err(|error| error.to_string())?;
    let checksums = checksums(&lock);
    let parts = parts(&metadata, &needed);
    let reference: BTreeMap<&str, String> =
        parts.iter().map(|(id, part)| (*id, purl(part.name, part.version))).collect();
    let component = |part: &Part<'_>| {
        let mut component = json!({
            "type": if part.name == "millpond" { "application" } else { "library" },
            "bom-ref": purl(part.name, part.version),
            "name": part.name,
            "version": part.version,
        });
        // A crate of the workspace is not to be had under its name.
        if !part.package["source"].is_null() {
            component["purl"] = json!(purl(part.name, part.version));
        }
        let licence = text(part.package, "license").replace('/', " OR ");
        if !licence.is_empty() {
            component["licenses"] = json!([{ "expression": licence }]);
        }
        if let Some(checksum) = checksums.get(&(part.name.to_owned(), part.version.to_owned())) {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
        }
        component
    };
    let of_binary = parts.values().find(|part| part.name == "millpond").map(component);
    let mut others: Vec<&Part<'_>> = parts.values().filter(|part| part.name != "millpond").collect();
    others.sort_by_key(|part| (part.name, part.version));
    let dependencies: BTreeMap<&String, BTreeSet<&String>> = needed
        .iter()
        .map(|(id, needs)| (&reference[id], needs.iter().map(|needs| &reference[needs]).collect()))
        .collect();
    let dependencies: Vec<Value> = dependencies.iter().map(|(of, on)| json!({ "ref": of, "dependsOn": on })).collect();
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": of_binary,
            "properties": [{ "name": "millpond:target", "value": triple }],
        },
        "components": others.into_iter().map(component).collect::<Vec<_>>(),
        "dependencies": dependencies,
    });
    serde_json::to_string_pretty(&document).map(|text| text + "\n").map_err(|error| error.to_string())
}

fn parts<'a>(metadata: &'a Value, needed: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeMap<&'a str, Part<'a>> {
    let packages = array(metadata, "packages").iter();
    let packages = packages.filter(|package| needed.contains_key(text(package, "id")));
    packages
        .map(|package| {
            let part = Part { name: text(package, "name"), version: text(package, "version"), package };
            (text(package, "id"), part)
        })
        .collect()
}

/// The licence files of other people's crates, each text once, below the crates that have it.
///
/// # Errors
/// What cargo says.
pub fn notices(root: &Path, triple: &str) -> Result<String, String> {
    let metadata = metadata(root, triple)?;
    let needed = needed(&metadata)?;
    let mut by_text: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for part in parts(&metadata, &needed).values().filter(|part| !part.package["source"].is_null()) {
        let label = format!("{} {} ({})", part.name, part.version, text(part.package, "license"));
        let folder = Path::new(text(part.package, "manifest_path")).parent().unwrap_or(root);
        let texts = licence_texts(folder);
        if texts.is_empty() {
            let missing = "(The crate has no licence file; its manifest names the licence.)".to_owned();
            by_text.entry(missing).or_default().insert(label);
            continue;
        }
        for text in texts {
            by_text.entry(text).or_default().insert(label.clone());
        }
    }
    let mut sections: Vec<(BTreeSet<String>, String)> = by_text.into_iter().map(|(text, of)| (of, text)).collect();
    sections.sort();
    let mut all =
        String::from("Millpond contains the libraries below, each under the licence that follows its name.\n");
    for (of, text) in sections {
        let names: Vec<String> = of.into_iter().collect();
        all.push_str(&format!("\n{}\n{}\n\n{}\n", "=".repeat(80), names.join("\n"), text.trim_end()));
    }
    Ok(all)
}

fn licence_texts(folder: &Path) -> Vec<String> {
    const BEGINNINGS: [&str; 5] = ["license", "licence", "copying", "notice", "unlicense"];
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        path.is_file() && BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files.iter().filter_map(|path| std::fs::read_to_string(path).ok()).map(|text| text.replace("\r\n", "\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tests_alone_need_is_no_part_of_the_binary() {
        let node = |id: &str, deps: Value| json!({ "id": id, "deps": deps });
        let needs = |of: &str, kind: Value| json!({ "pkg": of, "dep_kinds": [{ "kind": kind }] });
        let packages: Vec<Value> =
            ["millpond", "a", "b", "c"].iter().map(|name| json!({ "name": name, "id": name })).collect();
        let metadata = json!({ "packages": packages, "resolve": { "nodes": [
            node("millpond", json!([needs("a", Value::Null), needs("b", json!("dev"))])),
            node("a", json!([needs("c", json!("build"))])),
            node("b", json!([])),
            node("c", json!([])),
        ] } });
        let found = needed(&metadata).unwrap();
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["a", "c", "millpond"]);
        assert_eq!(found["millpond"], ["a"]);
    }

    #[test]
    fn checksums_are_those_of_the_lock() {
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"ff\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\n";
        let found = checksums(lock);
        assert_eq!(found.len(), 1);
        assert_eq!(found[&("a".to_owned(), "1.0.0".to_owned())], "ff");
    }
}
