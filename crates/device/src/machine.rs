//! The machine as this process may use it: memory within the limits of its control group and of its address space,
//! processors, its own size.

use std::fs::File;
use std::io::Read;

/// Memory of the machine and of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What the process may use at most: the machine's memory, the control group's limit, or half of its address space
    /// where that is limited (stacks and reserves take of it what they never touch), whichever is least.
    pub total_bytes: u64,
    /// What could still be had without swapping.
    pub available_bytes: u64,
    /// Resident size of this process.
    pub resident_bytes: u64,
    /// Swap space of the machine.
    pub swap_total_bytes: u64,
    /// Unused swap space.
    pub swap_free_bytes: u64,
}

/// Used when the system does not say: small enough for any machine of today.
const TOTAL_BYTES_UNKNOWN: u64 = 1 << 30;

/// What the process may use at most, as [`Memory::total_bytes`].
#[must_use]
pub fn memory_total_bytes() -> u64 {
    let info = read_small("/proc/meminfo").unwrap_or_default();
    let machine = field_bytes(&info, "MemTotal:").unwrap_or(TOTAL_BYTES_UNKNOWN);
    let group = group_limit().map_or(u64::MAX, |(limit, _)| limit);
    machine.min(group).min(addressable_bytes())
}

/// The address space that this process may take (`ulimit -v`); `None` when it is not limited.
#[must_use]
pub fn address_space_bytes() -> Option<u64> {
    address_limit()
}

/// What is left of it.
#[must_use]
pub fn address_space_left_bytes() -> Option<u64> {
    let taken = field_bytes(&read_small("/proc/self/status").unwrap_or_default(), "VmSize:").unwrap_or(0);
    address_limit().map(|limit| limit.saturating_sub(taken))
}

#[cfg(unix)]
fn address_limit() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::As).current
}

#[cfg(not(unix))]
fn address_limit() -> Option<u64> {
    None
}

/// What memory may fill of a limited address space.
fn addressable_bytes() -> u64 {
    address_limit().map_or(u64::MAX, |limit| limit / 2)
}

/// The text of a file of the system: one read each, because it is written for us as we read it. std asks for 32 bytes
/// first, as the length of such files is 0.
pub(crate) fn read_small(path: &str) -> Option<String> {
    let mut bytes = vec![0; 8192];
    let mut file = File::open(path).ok()?;
    let mut length = 0;
    while length < bytes.len() {
        match file.read(&mut bytes[length..]).ok()? {
            0 => break,
            count => length += count,
        }
    }
    bytes.truncate(length);
    String::from_utf8(bytes).ok()
}

/// Memory now.
#[must_use]
pub fn memory() -> Memory {
    let info = read_small("/proc/meminfo").unwrap_or_default();
    let machine = field_bytes(&info, "MemTotal:").unwrap_or(TOTAL_BYTES_UNKNOWN);
    let available = field_bytes(&info, "MemAvailable:").unwrap_or(machine);
    let group = group_limit();
    let total = machine.min(group.map_or(u64::MAX, |(limit, _)| limit)).min(addressable_bytes());
    let group_room = group.map_or(u64::MAX, |(limit, used)| limit.saturating_sub(used));
    Memory {
        total_bytes: total,
        available_bytes: available.min(group_room).min(total),
        resident_bytes: field_bytes(&read_small("/proc/self/status").unwrap_or_default(), "VmRSS:").unwrap_or(0),
        swap_total_bytes: field_bytes(&info, "SwapTotal:").unwrap_or(0),
        swap_free_bytes: field_bytes(&info, "SwapFree:").unwrap_or(0),
    }
}

/// Processors that this process may run on.
#[must_use]
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// A line such as `MemTotal:  16 kB`.
pub(crate) fn field_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|l| l.strip_prefix(name))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

/// Limit and use of the control group that this process is in (version 2, then 1), the tightest on the way up.
fn group_limit() -> Option<(u64, u64)> {
    let membership = read_small("/proc/self/cgroup")?;
    membership.lines().filter_map(group_folder).filter_map(|(root, path, names)| tightest(&root, &path, names)).min()
}

type FileNames = (&'static str, &'static str);

/// `(mount, path below it, names of limit and use)` of a line `id:controllers:path`.
fn group_folder(line: &str) -> Option<(String, String, FileNames)> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    if controllers.is_empty() {
        Some(("/sys/fs/cgroup".into(), path.into(), ("memory.max", "memory.current")))
    } else if controllers.split(',').any(|c| c == "memory") {
        let names = ("memory.limit_in_bytes", "memory.usage_in_bytes");
        Some(("/sys/fs/cgroup/memory".into(), path.into(), names))
    } else {
        None
    }
}

fn tightest(root: &str, path: &str, (limit_name, used_name): FileNames) -> Option<(u64, u64)> {
    let mut best = None;
    let mut path = path.trim_end_matches('/');
    loop {
        let number = |name: &str| read_small(&format!("{root}{path}/{name}"))?.trim().parse::<u64>().ok();
        if let Some(limit) = number(limit_name) {
            let found = (limit, number(used_name).unwrap_or(0));
            best = Some(best.map_or(found, |b: (u64, u64)| b.min(found)));
        }
        match path.rfind('/') {
            Some(at) => path = &path[..at],
            None => return best,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_a_parent_group_counts() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a/memory.max", "1000\n");
        write("a/memory.current", "400\n");
        write("a/b/memory.max", "max\n");
        let root = dir.path().to_str().unwrap();
        assert_eq!(tightest(root, "/a/b", ("memory.max", "memory.current")), Some((1000, 400)));
        assert_eq!(tightest(root, "/", ("memory.max", "memory.current")), None);
    }

    #[test]
    fn lines_of_the_membership_file_are_told_apart() {
        assert_eq!(group_folder("0::/user.slice").unwrap().1, "/user.slice");
        assert_eq!(group_folder("7:cpu,memory:/x").unwrap().0, "/sys/fs/cgroup/memory");
        assert_eq!(group_folder("7:cpu:/x"), None);
        assert_eq!(group_folder("garbage"), None);
    }

    #[test]
    fn this_machine_has_memory() {
        let memory = memory();
        assert!(memory.total_bytes >= memory.available_bytes);
        assert!(memory.total_bytes > 0);
        assert_eq!(memory.total_bytes, memory_total_bytes());
        assert!(processors() >= 1);
    }

    #[test]
    fn fields_are_found_by_their_whole_name() {
        assert_eq!(field_bytes("MemTotal:   16 kB\nMemFree: 4 kB", "MemFree:"), Some(4096));
        assert_eq!(field_bytes("MemTotal: x kB", "MemTotal:"), None);
    }
}
