//! The version that `--version` shows: the package's, with the commit where it is known. MILLPOND_COMMIT says which it is where
//! there is no repository; built again when the checkout has another one.

use std::process::Command;

/// Digits of a commit that are shown.
const DIGITS: usize = 12;

fn git(arguments: &[&str]) -> Option<String> {
    let done = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(done.stdout).ok()?;
    (done.status.success() && !text.trim().is_empty()).then(|| text.trim().to_owned())
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=MILLPOND_COMMIT");
    // Written at each commit and each checkout.
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
    let said = std::env::var("MILLPOND_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = said.or_else(|| git(&["rev-parse", "HEAD"]));
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let shown = commit.map_or(version.clone(), |commit| {
        let short: String = commit.chars().take(DIGITS).collect();
        format!("{version} ({short})")
    });
    println!("cargo::rustc-env=MILLPOND_VERSION={shown}");
}
