//! What a file of this machine does with many requests at a time: by io_uring from one thread, by threads, one by one.
//!
//! `cargo run --release -p millpond-device --example submission -- DIRECTORY [MB [seconds of each cell]]`
//!
//! Sequential, 64 KB to 1 MB, depth 32 (`one by one`: depth 1). MB/s and the mean time of a request.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::probe::{DepthBy, ProbePlan, run};
use millpond_device::profile::{Direction, Order};
use millpond_device::{BlockDevice, Clock, FileDevice, OpenMode, Submission, SystemClock};

const DEPTH: usize = 32;

fn measure(path: &Path, submission: Submission, plan: &ProbePlan) -> String {
    let device: Arc<dyn BlockDevice> =
        Arc::new(FileDevice::open(path, OpenMode::Existing).expect("made before").by(submission));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let cells = run(&device, &clock, plan, |_| {}).expect("a file");
    cells.iter().map(|cell| format!("{:>8.0} {:>8.0}", cell.mb_s().unwrap_or(0.0), cell.mean_us)).collect()
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().expect("a directory"));
    let mb: u64 = arguments.next().map_or(512, |text| text.parse().expect("a number"));
    let seconds: f64 = arguments.next().map_or(1.0, |text| text.parse().expect("a number"));
    let path = dir.join(".millpond-submission");
    let device = FileDevice::open(&path, OpenMode::CreateOrTruncate).expect("a directory that may be written");
    device.set_len(mb << 20).expect("room");
    let block = vec![0x5a; 1 << 20];
    (0..mb).for_each(|at| device.write_at(at << 20, &block).expect("room"));
    device.sync().expect("a disk");
    println!("best here: {}", Submission::best().name());
    println!("{:<34}{:>8} {:>8}", "", "MB/s", "mean µs");
    for direction in [Direction::Write, Direction::Read] {
        for size_bytes in [64 << 10, 256 << 10, 1 << 20] {
            let plan = |depth, depth_by| ProbePlan {
                sizes_bytes: vec![size_bytes],
                depths: vec![depth],
                directions: vec![direction],
                orders: vec![Order::Sequential],
                depth_by,
                ..ProbePlan::new(mb << 20, (seconds * 1e6) as u64)
            };
            let ways = [
                ("io_uring", Submission::IoUring, plan(DEPTH, DepthBy::Calls)),
                ("threads", Submission::Calls, plan(DEPTH, DepthBy::Threads)),
                ("4 threads", Submission::Calls, plan(4, DepthBy::Threads)),
                ("one by one", Submission::Calls, plan(1, DepthBy::Threads)),
            ];
            for (name, submission, plan) in ways {
                let what = format!("{direction:?} {} KB, {name}", size_bytes >> 10);
                println!("{what:<34}{}", measure(&path, submission, &plan));
            }
        }
    }
    std::fs::remove_file(&path).expect("our file");
}
