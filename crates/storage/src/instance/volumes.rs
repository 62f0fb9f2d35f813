//! The volumes under the instance's files: what `xp_fixeddrives` lists. Files in memory lie on none.

use std::path::PathBuf;

use millpond_device::disk;

use crate::instance::Instance;

pub use millpond_device::disk::{Mount, mount_of, mounts};

/// A volume that holds files of the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeReport {
    /// Where it is mounted.
    pub path: PathBuf,
    /// Its size.
    pub total_bytes: u64,
    /// Room left on it.
    pub free_bytes: u64,
}

/// The volumes that hold the instance's files, in order of their paths; without any file on disk, that of the
/// working directory.
///
/// # Errors
/// None of its own; kept for systems whose list of mounts can fail.
pub fn volumes(instance: &Instance) -> std::io::Result<Vec<VolumeReport>> {
    let mounts = disk::mounts();
    let files = instance.database_reports().into_iter().flat_map(|database| instance.files(database.id));
    let mut places: Vec<PathBuf> =
        files.filter(|file| !file.is_ram).map(|file| PathBuf::from(file.physical_name)).collect();
    if places.is_empty() {
        places.push(std::env::current_dir()?);
    }
    let mut volumes: Vec<VolumeReport> = places
        .iter()
        .filter_map(|place| disk::mount_of(&mounts, place))
        .map(|mount| VolumeReport {
            path: mount.path.clone(),
            total_bytes: mount.total_bytes,
            free_bytes: mount.free_bytes,
        })
        .collect();
    volumes.sort_by(|a, b| a.path.cmp(&b.path));
    volumes.dedup_by(|later, kept| later.path == kept.path);
    Ok(volumes)
}
