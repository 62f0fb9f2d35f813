//! Checks of the repository itself: `cargo xtask layers`, `cargo xtask tidy`, `cargo xtask asserts`, `cargo xtask
//! dependencies`. Others check nothing: `cargo xtask circles [CRATE]` lists the circles inside of crates with the arrows and
//! names that make them, `cargo xtask sbom TRIPLE` and `cargo xtask notices TRIPLE` what a binary is made of.
//!
//! All read sources as text; they know no compiler. Each prints what it found wrong, one line per finding, and exits
//! with 1 if there was any.

mod asserts;
mod circles;
mod dependencies;
mod layers;
mod links;
mod sbom;
mod source;
mod tidy;
mod types;

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace");
    let command = std::env::args().nth(1).unwrap_or_default();
    let findings = match command.as_str() {
        "layers" => layers::check(root),
        "tidy" => [tidy::check(root), links::check(root)].concat(),
        "asserts" => asserts::check(root),
        "dependencies" => dependencies::check(root),
        "circles" => {
            let of = std::env::args().nth(2);
            layers::list_circles(root, of.as_deref()).iter().for_each(|line| println!("{line}"));
            return ExitCode::SUCCESS;
        }
        "sbom" | "notices" => return write(command == "sbom", root),
        _ => {
            eprintln!(
                "usage: cargo xtask layers | circles [CRATE] | tidy | asserts | dependencies | sbom TRIPLE | notices TRIPLE"
            );
            return ExitCode::from(2);
        }
    };
    for finding in &findings {
        println!("{finding}");
    }
    println!(
        "{command}: {}",
        if findings.is_empty() { "in order".to_owned() } else { format!("{} findings", findings.len()) }
    );
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Writes what a binary of a platform is made of to the standard output.
fn write(is_sbom: bool, root: &Path) -> ExitCode {
    let Some(triple) = std::env::args().nth(2) else {
        eprintln!("the platform is missing, as in x86_64-unknown-linux-gnu");
        return ExitCode::from(2);
    };
    let written = if is_sbom { sbom::document(root, &triple) } else { sbom::notices(root, &triple) };
    match written {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
