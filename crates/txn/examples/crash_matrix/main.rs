//! Power cuts under transactions, thousands of them.
//!
//! `cargo run --release -p millpond-txn --example crash_matrix -- [--extension clean|write-back]
//! [--cache battery|no-battery|ignores-sync] [points] [seed]`
//!
//! 10,000 points are the default and run in CI; `-- 100000` takes ten times as long. Each point is one power cut at one
//! position of a recorded workload, verified as [`matrix`] says. Prints what was covered; the exit code is 1 at the first
//! cut that was not survived, with the seed that leads to the same workload again (threads in the background may make the
//! tape differ; a few repetitions find the same fault). With `--extension` a buffer pool extension of that mode takes part:
//! a page that is older than what its session knows would be found. With `--cache` all files are on an emulated disk behind a
//! controller cache of 1 MB; one that ignores syncs loses promises, so that run has to end with a cut that was not survived.

#[path = "matrix.rs"]
mod matrix;

use std::process::ExitCode;
use std::time::Instant;

use millpond_device::CacheProfile;
use millpond_storage::extension::ExtensionMode;

use matrix::{Covered, Failure, Pace, Under, record};

/// Cuts of one recording.
const POINTS_EACH: usize = 1_250;
/// Steps of its sessions together.
const STEPS: usize = 3_600;

fn run(points: usize, seed: u64, under: &Under) -> Result<Covered, Failure> {
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let mut total = Covered::default();
    let mut rest = points;
    for number in 0.. {
        if rest == 0 {
            break;
        }
        let here = rest.min(POINTS_EACH);
        rest -= here;
        let pace = if number % 2 == 0 { Pace::Turns } else { Pace::Threads };
        let recording = record(seed + number, STEPS, pace, under);
        let covered = recording.cut_all(here, threads)?;
        println!("{pace:?}, {}", covered.counts);
        total.add(&covered);
    }
    Ok(total)
}

fn mode_of(word: &str) -> ExtensionMode {
    match word {
        "clean" => ExtensionMode::Clean,
        "write-back" => ExtensionMode::WriteBack,
        other => panic!("'{other}' is no mode: clean or write-back"),
    }
}

fn cache_of(word: &str) -> CacheProfile {
    let cache = CacheProfile::of_mb(1);
    match word {
        "battery" => CacheProfile { battery: true, ..cache },
        "no-battery" => cache,
        "ignores-sync" => CacheProfile { ignores_sync: true, ..cache },
        other => panic!("'{other}' is no cache: battery, no-battery or ignores-sync"),
    }
}

/// Takes an option and its word out of the arguments.
fn option(words: &mut Vec<String>, name: &str) -> Option<String> {
    let at = words.iter().position(|word| word == name)?;
    assert!(at + 1 < words.len(), "{name} needs a word");
    words.drain(at..at + 2).nth(1)
}

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let under = Under {
        extension: option(&mut words, "--extension").map(|word| mode_of(&word)),
        cache: option(&mut words, "--cache").map(|word| cache_of(&word)),
    };
    let mut arguments = words.iter().map(|argument| argument.parse::<u64>().expect("a number"));
    let points = arguments.next().unwrap_or(10_000) as usize;
    let seed = arguments.next().unwrap_or(1);
    // What a cut does is printed once, at the end.
    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));
    let start = Instant::now();
    match run(points, seed, &under) {
        Ok(total) => {
            println!("{total}, in {} s", start.elapsed().as_secs());
            ExitCode::SUCCESS
        }
        Err(Failure(cause)) => {
            println!("FAILED {cause}");
            ExitCode::FAILURE
        }
    }
}
