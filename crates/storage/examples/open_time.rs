//! How long an instance takes to open: `cargo run --release -p millpond-storage --example open_time [DIR]`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use millpond_device::SystemClock;
use millpond_storage::instance::{Instance, InstanceConfig};

fn timed(what: &str, data_dir: Option<PathBuf>) -> Result<(), Box<dyn std::error::Error>> {
    let config = InstanceConfig::new(data_dir, Arc::new(SystemClock::new()));
    let start = Instant::now();
    let instance = Instance::open(config)?;
    let open_us = start.elapsed().as_micros();
    let start = Instant::now();
    drop(instance);
    println!("{what:12} open {open_us:>6} µs   close {:>6} µs", start.elapsed().as_micros());
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    for round in 0..5 {
        let dir = root.join(format!("open_time.{}.{round}", std::process::id()));
        timed("memory", None)?;
        timed("first start", Some(dir.clone()))?;
        timed("start", Some(dir.clone()))?;
        timed("start", Some(dir.clone()))?;
        std::fs::remove_dir_all(dir)?;
    }
    Ok(())
}
