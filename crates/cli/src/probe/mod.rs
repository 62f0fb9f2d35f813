//! `millpond probe`: bandwidth and time of a request by size, direction, order and depth, of a real disk or of an emulated
//! device.
//!
//! What always holds: a file that was there before is read, never written; a file that the probe made is gone when it ends,
//! however it does. Results go to stdout, progress to stderr when it is a terminal. What a device is, `millpond_device` knows.

mod plot;
mod show;
mod target;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use millpond_device::probe::{self, DepthBy, ProbeCell, ProbePlan};
use millpond_device::profile::{Direction, Order};
use millpond_device::{ClockKind, DeviceError, DeviceProfile};

use target::{Target, TargetError};

/// Measure a disk, or an emulated device.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ProbeArgs {
    /// A directory, a file, a configuration with devices (*.toml), or the name of a model
    #[arg(value_name = "PATH|PROFILE.toml|MODEL")]
    target: String,
    /// The device of the configuration, where it has several
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Range that is used, in MB
    #[arg(long, value_name = "MB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=16_777_216))]
    size: u64,
    /// Time of the whole probe on the device's clock [default: 60; where waits are skipped: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<f64>,
    /// Whose time an emulated device takes [default: the profile's; of a model: frozen]
    #[arg(long, value_name = "CLOCK")]
    clock: Option<ClockArg>,
    /// Requests of each line at most [default: 1000000; where waits are skipped: 2000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    requests: Option<u32>,
    /// Sizes of requests, in KB [default: 4,8,16,64,256,1024]
    #[arg(long, value_name = "KB,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(4..=65_536))]
    sizes: Vec<u64>,
    /// Requests open at a time [default: 1,32]
    #[arg(long, value_name = "COUNT,…", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=256))]
    depths: Vec<u16>,
    /// Requests in this order only
    #[arg(long, value_name = "ORDER")]
    order: Option<OrderArg>,
    /// Requests in this direction only
    #[arg(long, value_name = "DIRECTION")]
    direction: Option<DirectionArg>,
    /// What keeps several requests open [default: calls for files where the system has io_uring, else threads]
    #[arg(long, value_name = "HOW")]
    depth_by: Option<DepthByArg>,
    /// How results are shown
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Write a device profile that emulates what was measured
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Draw what was measured
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  millpond probe ./data                                  the disk under a directory (a file is made there and removed)
  millpond probe disk-10k-sata                           a model with its defaults, on a clock that skips waits
  millpond probe millpond.toml --device sas1             a device of a configuration, with its controller cache
  millpond probe ./data --out here.toml --plot here.svg  a profile of this disk, and a picture
  millpond probe ./data --sizes 64,256,1024 --order sequential   what spills and checkpoints do
Models: disk-10k-sata, disk-10k-sas, ssd, pcie-flash, array, ram. Of a file that exists, only reads are measured.";

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("'{text}' is no number"))?;
    if (0.1..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("not between 0.1 and 86400".into()) }
}

/// As [`Order`], for the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OrderArg {
    /// At places chosen by chance.
    Random,
    /// One after the other.
    Sequential,
}

/// As [`Direction`], for the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DirectionArg {
    /// From the device.
    Read,
    /// To the device.
    Write,
}

/// As [`DepthBy`], for the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DepthByArg {
    /// One thread that asks for many together, as checkpoints and spills do.
    Calls,
    /// A thread for each.
    Threads,
}

/// How results are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Table,
    /// One JSON object per line and cell.
    Json,
}

/// Whose time an emulated device takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ClockArg {
    /// A request really takes its time.
    Real,
    /// Waits are skipped.
    Virtual,
    /// Waits are skipped and nothing else counts.
    Frozen,
}

impl From<ClockArg> for ClockKind {
    fn from(clock: ClockArg) -> ClockKind {
        match clock {
            ClockArg::Real => ClockKind::Real,
            ClockArg::Virtual => ClockKind::Virtual,
            ClockArg::Frozen => ClockKind::Frozen,
        }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
enum ProbeError {
    #[error(transparent)]
    Target(#[from] TargetError),
    #[error(transparent)]
    Device(#[from] DeviceError),
    #[error(
        "nothing of that can be measured of {0}: of a file that exists only reads, and no request larger than the range"
    )]
    Nothing(String),
    #[error("cannot write {}: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
}

/// Runs the command.
pub fn run(args: &ProbeArgs) -> ExitCode {
    match measure(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("millpond: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(args: &ProbeArgs) -> Result<(), ProbeError> {
    let target = Target::open(&args.target, args.device.as_deref(), args.size << 20, args.clock.map(ClockKind::from))?;
    let plan = plan_of(args, &target);
    if plan.cells().is_empty() {
        return Err(ProbeError::Nothing(target.name.clone()));
    }
    let progress = progress(&plan, &target.name);
    let cells = probe::run(&target.device, &target.clock, &plan, |cell| {
        progress.set_message(show::kind(&cell.kind));
        progress.inc(1);
    });
    progress.finish_and_clear();
    let cells = cells?;
    match args.format {
        Format::Table => print!("{}", show::table(&format!("{}, {}", target.name, way(&target, &plan)), &cells)),
        Format::Json => print!("{}", show::json(&target.name, &cells)),
    }
    if let Some(path) = &args.out {
        write(path, &profile_text(&target.name, &cells))?;
    }
    match &args.plot {
        Some(path) => write(path, &plot::svg(&target.name, &cells)),
        None => Ok(()),
    }
}

/// What is to be measured.
fn plan_of(args: &ProbeArgs, target: &Target) -> ProbePlan {
    let mut plan = ProbePlan::new(target.range_bytes, 0);
    let direction = args.direction.map(|direction| match direction {
        DirectionArg::Read => Direction::Read,
        DirectionArg::Write => Direction::Write,
    });
    plan.directions = target.directions.clone();
    plan.directions.retain(|may| direction.is_none_or(|direction| direction == *may));
    if let Some(order) = args.order {
        plan.orders = vec![if order == OrderArg::Random { Order::Random } else { Order::Sequential }];
    }
    if !args.sizes.is_empty() {
        plan.sizes_bytes = args.sizes.iter().map(|kb| kb << 10).collect();
    }
    if !args.depths.is_empty() {
        plan.depths = args.depths.iter().map(|depth| usize::from(*depth)).collect();
    }
    plan.depth_by = match args.depth_by {
        Some(DepthByArg::Calls) => DepthBy::Calls,
        Some(DepthByArg::Threads) => DepthBy::Threads,
        None => target.depth_by(),
    };
    plan.sizes_bytes.retain(|bytes| *bytes <= target.range_bytes);
    // Where waits are skipped, requests cost only what their threads do.
    let (seconds, requests) = if target.skips_waits { (3_600.0, 2_000) } else { (60.0, probe::REQUESTS_MAX) };
    plan.cell_us = (args.seconds.unwrap_or(seconds) * 1e6 / plan.cells().len().max(1) as f64) as u64;
    plan.requests_max = args.requests.map_or(requests, |requests| requests as usize);
    plan
}

/// How several requests are kept open, in words.
fn way(target: &Target, plan: &ProbePlan) -> String {
    match (plan.depth_by, target.submission) {
        (DepthBy::Threads, _) => "a thread for each request".into(),
        (DepthBy::Calls, None) => "many requests of one thread".into(),
        (DepthBy::Calls, Some(submission)) => format!("many requests of one thread by {}", submission.name()),
    }
}

fn progress(plan: &ProbePlan, name: &str) -> ProgressBar {
    let bar = ProgressBar::new(plan.cells().len() as u64);
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {pos}/{len} {msg}").expect("a template of ours");
    bar.set_style(style);
    bar.set_prefix(name.to_owned());
    bar
}

fn write(path: &std::path::Path, text: &str) -> Result<(), ProbeError> {
    std::fs::write(path, text).map_err(|source| ProbeError::Write { path: path.into(), source })
}

/// A file of a configuration's form with one device.
fn profile_text(name: &str, cells: &[ProbeCell]) -> String {
    #[derive(serde::Serialize)]
    struct File {
        device: std::collections::BTreeMap<&'static str, DeviceProfile>,
    }
    let file = File { device: [("measured", probe::profile_of(cells))].into() };
    let text = toml::to_string(&file).expect("a profile is a table");
    let name = name.replace(['\n', '\r'], " ");
    format!("# Mean times of requests to {name}, measured by `millpond probe`.\n\n{text}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use millpond_device::{BlockDevice, Clock, ModelKind, ProfiledDevice, VoidDevice, Volume};
    use millpond_server::Config;

    use super::*;

    /// Cells of a model, few and quick.
    pub(super) fn cells_of(model: ModelKind) -> Vec<ProbeCell> {
        let clock: Arc<dyn Clock> = millpond_device::hierarchy::clock_of(ClockKind::Frozen);
        let volume = Arc::new(Volume::new("v", &DeviceProfile::of(model), Vec::new(), clock.clone()));
        let device = ProfiledDevice::alone(Arc::new(VoidDevice::new("void", 64 << 20)), volume).expect("room");
        let device: Arc<dyn BlockDevice> = Arc::new(device);
        let mut plan = ProbePlan { requests_max: 64, ..ProbePlan::new(64 << 20, 60_000_000) };
        plan.sizes_bytes = vec![8 << 10, 64 << 10];
        plan.depths = vec![1, 4];
        probe::run(&device, &clock, &plan, |_| {}).expect("void takes everything")
    }

    #[test]
    fn a_profile_that_was_written_is_a_configuration() {
        let cells = cells_of(ModelKind::Ssd);
        let text = profile_text("a\nb", &cells);
        let config = Config::parse(&text, std::path::Path::new("here.toml")).expect("a configuration");
        assert_eq!(config.device["measured"].points.len(), cells.len());
        assert!(text.starts_with("# Mean times of requests to a b, measured"));
    }
}
