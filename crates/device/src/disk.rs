//! The machine's volumes and the room on them.

use std::path::{Path, PathBuf};

/// A mounted volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Where it is mounted.
    pub path: PathBuf,
    /// What is mounted (`/dev/sda1`, `tmpfs`).
    pub source: String,
    /// Kind of file system.
    pub file_system: String,
    /// Its size.
    pub total_bytes: u64,
    /// What an ordinary user may still write.
    pub free_bytes: u64,
}

/// Room that an ordinary user has on the volume of `path`.
///
/// # Errors
/// The system's, such as a path that does not exist.
pub fn free_bytes(path: &Path) -> std::io::Result<u64> {
    volume_bytes(path).map(|(_, free)| free)
}

/// Size of the volume of `path` and the room on it.
#[cfg(unix)]
fn volume_bytes(path: &Path) -> std::io::Result<(u64, u64)> {
    let volume = rustix::fs::statvfs(path)?;
    Ok((volume.f_blocks.saturating_mul(volume.f_frsize), volume.f_bavail.saturating_mul(volume.f_frsize)))
}

#[cfg(not(unix))]
fn volume_bytes(_: &Path) -> std::io::Result<(u64, u64)> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// All mounted volumes that hold bytes, sorted by path. Empty where the system has no list of mounts.
#[must_use]
pub fn mounts() -> Vec<Mount> {
    let list = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut mounts: Vec<Mount> = list.lines().filter_map(mount_of_line).filter(|m| m.total_bytes > 0).collect();
    mounts.sort_by(|a, b| a.path.cmp(&b.path));
    mounts.dedup_by(|later, kept| later.path == kept.path);
    mounts
}

/// The volume of `path`: the mount with the longest matching prefix.
#[must_use]
pub fn mount_of<'a>(mounts: &'a [Mount], path: &Path) -> Option<&'a Mount> {
    mounts.iter().filter(|m| path.starts_with(&m.path)).max_by_key(|m| m.path.as_os_str().len())
}

fn mount_of_line(line: &str) -> Option<Mount> {
    let mut words = line.split(' ').map(unescaped);
    let (source, path, file_system) = (words.next()?, words.next()?, words.next()?);
    let (total_bytes, free_bytes) = volume_bytes(Path::new(&path)).ok()?;
    Some(Mount { path: path.into(), source, file_system, total_bytes, free_bytes })
}

/// The list writes blanks and backslashes of a path as `\ooo`.
fn unescaped(word: &str) -> String {
    let mut text = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        match rest.get(at + 1..at + 4).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                text.push(byte.into());
                rest = &rest[at + 4..];
            }
            None => {
                text.push('\\');
                rest = &rest[at + 1..];
            }
        }
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_blanks_are_read() {
        assert_eq!(unescaped(r"/mnt/ram\040drive"), "/mnt/ram drive");
        assert_eq!(unescaped(r"/a\x\"), r"/a\x\");
        assert_eq!(unescaped("é\\"), "é\\");
    }

    #[test]
    fn a_directory_has_room_and_a_missing_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(free_bytes(dir.path()).is_ok());
        assert!(free_bytes(&dir.path().join("none")).is_err());
    }

    #[test]
    fn the_longest_mount_wins() {
        let mount = |path: &str| Mount {
            path: path.into(),
            source: String::new(),
            file_system: String::new(),
            total_bytes: 1,
            free_bytes: 1,
        };
        let mounts = [mount("/"), mount("/data"), mount("/data/ram")];
        assert_eq!(mount_of(&mounts, Path::new("/data/ram/x")).unwrap().path, Path::new("/data/ram"));
        assert_eq!(mount_of(&mounts, Path::new("/database")).unwrap().path, Path::new("/"));
    }
}
