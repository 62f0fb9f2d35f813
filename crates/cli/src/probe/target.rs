//! What is probed: a directory or a file of this machine, a device of a configuration, a model by its name.
//!
//! What always holds: of a file that exists only reads are measured. A file that was made here has no name, so that it goes with the
//! process, however that ends.
//! Emulated devices have no bytes here, only times.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use millpond_device::hierarchy::clock_of;
use millpond_device::probe::DepthBy;
use millpond_device::profile::Direction;
use millpond_device::{
    BlockDevice, Clock, ClockKind, DeviceError, DeviceProfile, FileDevice, Hierarchy, ModelKind, OpenMode,
    ProfiledDevice, Submission, SystemClock, VoidDevice,
};
use millpond_server::{Config, ConfigError};

/// Bytes that are written at a time before a disk is read.
const FILL_BYTES: usize = 4 << 20;

/// Something to probe.
pub struct Target {
    /// What people call it.
    pub name: String,
    /// The device.
    pub device: Arc<dyn BlockDevice>,
    /// Whose time it takes.
    pub clock: Arc<dyn Clock>,
    /// Whether waits are skipped on it.
    pub skips_waits: bool,
    /// The range that may be used.
    pub range_bytes: u64,
    /// What may be measured.
    pub directions: Vec<Direction>,
    /// How a file gives many requests to the system; nothing for an emulated device.
    pub submission: Option<Submission>,
}

/// Why there is nothing to probe.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// No such thing.
    #[error("'{0}' is no directory, no file, and no model; models are {models}", models = models())]
    Unknown(String),
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A configuration without the device.
    #[error("{} {}", path.display(), match named { Some(name) => format!("has no [device.{name}]; it has {has}"), None => format!("has not one device but {has}; choose with --device") })]
    Device {
        /// The configuration.
        path: PathBuf,
        /// The name asked for.
        named: Option<String>,
        /// The names it has.
        has: String,
    },
    /// A model that is nothing alone.
    #[error("the model '{0}' needs a profile: put it in a [device.NAME] of a file and probe that")]
    NeedsProfile(&'static str),
    /// An empty file.
    #[error("{} is too small to be probed: less than 4 KB", .0.display())]
    TooSmall(PathBuf),
    /// A file that was made here keeps its name.
    #[error("cannot remove {}: {source}", path.display())]
    Named {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The system's reason.
    #[error(transparent)]
    System(#[from] DeviceError),
}

fn models() -> String {
    let names = ModelKind::ALL.iter().filter(|kind| DeviceProfile::of(**kind).check().is_ok());
    let names: Vec<&str> = names.filter(|kind| **kind != ModelKind::File).map(|kind| kind.name()).collect();
    names.join(", ")
}

impl Target {
    /// What `text` names, with a range of at most `range_bytes`.
    ///
    /// # Errors
    /// [`TargetError`].
    pub fn open(
        text: &str,
        device: Option<&str>,
        range_bytes: u64,
        clock: Option<ClockKind>,
    ) -> Result<Target, TargetError> {
        let path = Path::new(text);
        if path.is_dir() {
            return Target::directory(path, range_bytes);
        }
        if path.extension().is_some_and(|extension| extension == "toml") {
            return Target::configured(path, device, range_bytes, clock);
        }
        if path.exists() {
            return Target::file(path, range_bytes);
        }
        let model = ModelKind::of_name(text).filter(|model| *model != ModelKind::File);
        let model = model.ok_or_else(|| TargetError::Unknown(text.into()))?;
        let profile = DeviceProfile::of(model);
        if profile.check().is_err() {
            return Err(TargetError::NeedsProfile(model.name()));
        }
        let hierarchy = Hierarchy { devices: [(text.into(), profile)].into(), placements: Vec::new() };
        Target::emulated(&hierarchy, text, range_bytes, clock.unwrap_or(ClockKind::Frozen))
    }

    /// What keeps several requests open, unless it is given: one call as the server makes it, where the system takes
    /// many at a time.
    pub fn depth_by(&self) -> DepthBy {
        if self.submission == Some(Submission::IoUring) { DepthBy::Calls } else { DepthBy::Threads }
    }

    fn directory(dir: &Path, range_bytes: u64) -> Result<Target, TargetError> {
        let path = dir.join(format!(".millpond-probe-{}", std::process::id()));
        let device = FileDevice::open(&path, OpenMode::CreateNew)?;
        std::fs::remove_file(&path).map_err(|source| TargetError::Named { path, source })?;
        device.set_len(range_bytes)?;
        fill(&device, range_bytes)?;
        Ok(Target {
            name: dir.display().to_string(),
            submission: Some(device.submission()),
            device: Arc::new(device),
            clock: Arc::new(SystemClock::new()),
            skips_waits: false,
            range_bytes,
            directions: vec![Direction::Read, Direction::Write],
        })
    }

    fn file(path: &Path, range_bytes: u64) -> Result<Target, TargetError> {
        let device = FileDevice::open(path, OpenMode::ReadOnly)?;
        let range_bytes = range_bytes.min(device.len_bytes());
        if range_bytes < 4096 {
            return Err(TargetError::TooSmall(path.into()));
        }
        Ok(Target {
            name: path.display().to_string(),
            submission: Some(device.submission()),
            device: Arc::new(device),
            clock: Arc::new(SystemClock::new()),
            skips_waits: false,
            range_bytes,
            directions: vec![Direction::Read],
        })
    }

    fn configured(
        path: &Path,
        named: Option<&str>,
        range_bytes: u64,
        clock: Option<ClockKind>,
    ) -> Result<Target, TargetError> {
        let hierarchy = Config::load(path)?.hierarchy();
        let only = || hierarchy.devices.keys().next().filter(|_| hierarchy.devices.len() == 1).map(String::as_str);
        let name = named.or_else(only).filter(|name| hierarchy.devices.contains_key(*name));
        let Some(name) = name else {
            let names: Vec<&str> = hierarchy.devices.keys().map(String::as_str).collect();
            let has = if names.is_empty() { "none".into() } else { names.join(", ") };
            return Err(TargetError::Device { path: path.into(), named: named.map(str::to_owned), has });
        };
        if hierarchy.devices[name].model == ModelKind::File {
            return Err(TargetError::NeedsProfile("file"));
        }
        Target::emulated(&hierarchy, name, range_bytes, clock.unwrap_or(hierarchy.clock_kind()))
    }

    fn emulated(hierarchy: &Hierarchy, name: &str, range_bytes: u64, clock: ClockKind) -> Result<Target, TargetError> {
        let skips_waits = clock != ClockKind::Real;
        let clock = clock_of(clock);
        let volume = hierarchy.volumes(&clock)[name].clone();
        let device = ProfiledDevice::alone(Arc::new(VoidDevice::new(name, range_bytes)), volume)?;
        Ok(Target {
            name: name.into(),
            submission: None,
            device: Arc::new(device),
            clock,
            skips_waits,
            range_bytes,
            directions: vec![Direction::Read, Direction::Write],
        })
    }
}

/// Blocks that were never written are read from nowhere: they are written first.
fn fill(device: &FileDevice, range_bytes: u64) -> Result<(), DeviceError> {
    let block = vec![0x5a; FILL_BYTES];
    let mut at = 0;
    while at < range_bytes {
        let bytes = (range_bytes - at).min(FILL_BYTES as u64);
        device.write_at(at, &block[..bytes as usize])?;
        at += bytes;
    }
    device.sync()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str, device: Option<&str>) -> String {
        match Target::open(text, device, 1 << 20, None) {
            Ok(target) => panic!("{} can be probed", target.name),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_not_there_is_reported_with_what_is() {
        let unknown = refusal("disk-7k", None);
        assert!(
            unknown.starts_with("'disk-7k' is no directory, no file, and no model; models are ram, disk-10k-sata,")
        );
        assert!(refusal("stripe", None).starts_with("the model 'stripe' needs a profile"));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("d.toml");
        std::fs::write(&path, "[device.a]\nmodel = \"ssd\"\n[device.b]\nmodel = \"ram\"\n").unwrap();
        let text = path.display().to_string();
        assert_eq!(refusal(&text, None), format!("{text} has not one device but a, b; choose with --device"));
        assert_eq!(refusal(&text, Some("c")), format!("{text} has no [device.c]; it has a, b"));
        assert_eq!(Target::open(&text, Some("b"), 1 << 20, None).map(|target| target.name).ok().as_deref(), Some("b"));
        std::fs::write(&path, "[device.a]\nmodel = \"ssd\"\nrpm = 1\n").unwrap();
        assert_eq!(refusal(&text, None), format!("{text}, line 3, device.a.rpm: the model 'ssd' has no such key"));
        let empty = dir.path().join("empty");
        std::fs::write(&empty, "").unwrap();
        assert!(refusal(&empty.display().to_string(), None).contains("too small"));
    }

    #[test]
    fn a_directory_is_left_as_it_was_and_a_file_is_only_read() {
        let dir = tempfile::tempdir().unwrap();
        let target = Target::open(&dir.path().display().to_string(), None, 1 << 20, None).ok().unwrap();
        assert_eq!((target.directions.len(), std::fs::read_dir(dir.path()).unwrap().count()), (2, 0));
        drop(target);
        let path = dir.path().join("mine");
        std::fs::write(&path, vec![1; 8192]).unwrap();
        let target = Target::open(&path.display().to_string(), None, 1 << 20, None).ok().unwrap();
        assert_eq!((target.directions.clone(), target.range_bytes), (vec![Direction::Read], 8192));
        drop(target);
        assert!(path.exists());
    }
}
