//! Checks of the repository itself: `cargo xtask layers`, `cargo xtask tidy`, `cargo xtask asserts`, `cargo xtask
//! dependencies`. One lists and checks nothing: `cargo xtask circles [CRATE]` the circles inside of crates with the arrows and
//! names that make them.
//!
//! All read sources as text; they know no compiler. Each prints what it found wrong, one line per finding, and exits
//! with 1 if there was any.

mod asserts;
mod circles;
mod dependencies;
mod layers;
mod links;
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
        _ => {
            eprintln!("usage: cargo xtask layers | circles [CRATE] | tidy | asserts | dependencies");
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
