//! What the system says of itself and of this process, for those who look at a server from outside: the distribution, packages of
//! processors, times and faults. Read anew at each call; what cannot be read is 0 or empty.

use std::fs;

/// The machine and its system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// `Ubuntu`
    pub distribution: String,
    /// `22.04`
    pub release: String,
    /// Packages of processors; one at least.
    pub sockets: u32,
    /// Logical processors of a package; one at least.
    pub threads_per_socket: u32,
    /// Cores of a package; one at least.
    pub cores_per_socket: u32,
    /// Whether the processors say that they are a hypervisor's.
    pub is_virtual: bool,
    /// Nodes of memory; one at least.
    pub numa_nodes: u32,
    /// Milliseconds since the machine started.
    pub uptime_ms: u64,
    /// Bytes of files that the system keeps in memory.
    pub file_cache_bytes: u64,
    /// Memory of the kernel that it could give back, and that it could not.
    pub kernel_bytes: (u64, u64),
}

/// What this process has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUse {
    /// Milliseconds of CPU time outside of the kernel.
    pub user_ms: u64,
    /// Milliseconds of CPU time in the kernel.
    pub kernel_ms: u64,
    /// Page faults, whether they read or not.
    pub page_faults: u64,
    /// Address space.
    pub virtual_bytes: u64,
    /// Memory that cannot be swapped out.
    pub locked_bytes: u64,
    /// Bytes swapped out.
    pub swapped_bytes: u64,
}

/// Clock ticks of a second in `/proc`, on every platform that Linux supports today.
const TICKS_PER_SECOND: u64 = 100;

/// The machine now.
#[must_use]
pub fn host() -> Host {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (release, processors, memory) = (read("/etc/os-release"), read("/proc/cpuinfo"), read("/proc/meminfo"));
    let named = |name: &str| {
        let line = release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    let mut packages: Vec<&str> = values(&processors, "physical id").collect();
    packages.sort_unstable();
    packages.dedup();
    let number = |name: &str| values(&processors, name).next().and_then(|value| value.parse().ok()).unwrap_or(1).max(1);
    let flags = values(&processors, "flags").next().unwrap_or_default();
    let nodes = fs::read_dir("/sys/devices/system/node").map_or(0, |entries| {
        let is_node = |name: &str| name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok());
        entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_node)).count()
    });
    let uptime: f64 = read("/proc/uptime").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let kilobytes = |name: &str| kilobytes(&memory, name) * 1024;
    Host {
        distribution: named("NAME"),
        release: named("VERSION_ID"),
        sockets: u32::try_from(packages.len()).unwrap_or(1).max(1),
        threads_per_socket: number("siblings"),
        cores_per_socket: number("cpu cores"),
        is_virtual: flags.split(' ').any(|flag| flag == "hypervisor"),
        numa_nodes: u32::try_from(nodes).unwrap_or(1).max(1),
        uptime_ms: (uptime * 1000.0) as u64,
        file_cache_bytes: kilobytes("Cached"),
        kernel_bytes: (kilobytes("SReclaimable"), kilobytes("SUnreclaim")),
    }
}

/// This process now.
#[must_use]
pub fn process_use() -> ProcessUse {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (stat, status) = (read("/proc/self/stat"), read("/proc/self/status"));
    // The name of the program, in parentheses, may have blanks and parentheses.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ms = |ticks: u64| ticks * 1000 / TICKS_PER_SECOND;
    let kilobytes = |name: &str| kilobytes(&status, name) * 1024;
    ProcessUse {
        // Of `man 5 proc`: state is the third field, and the first here.
        user_ms: ms(field(11)),
        kernel_ms: ms(field(12)),
        page_faults: field(7) + field(9),
        virtual_bytes: kilobytes("VmSize"),
        locked_bytes: kilobytes("VmLck"),
        swapped_bytes: kilobytes("VmSwap"),
    }
}

/// The values of lines `name : value`.
fn values<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn kilobytes(text: &str, name: &str) -> u64 {
    values(text, name).next().and_then(|value| value.trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_it_is_and_what_was_used() {
        let host = host();
        assert!(!host.distribution.is_empty() && host.uptime_ms > 0);
        assert!(host.cores_per_socket <= host.threads_per_socket && host.sockets >= 1 && host.numa_nodes >= 1);
        let used = process_use();
        assert!(used.page_faults > 0 && used.virtual_bytes > 0);
    }
}
