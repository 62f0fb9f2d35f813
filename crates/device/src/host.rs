//! What the system says of itself and of this process, for those who look at a server from outside: the distribution, packages of
//! processors, times and faults. Read anew at each call; what cannot be read is 0 or empty.

use std::collections::BTreeSet;
use std::fs;

use crate::machine::{field_bytes, read_small};

/// What the system calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// `Ubuntu`
    pub name: String,
    /// `22.04`
    pub release: String,
}

/// How the processors are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packages {
    /// Packages of processors; one at least.
    pub sockets: u32,
    /// Logical processors of a package; one at least.
    pub threads_per_socket: u32,
    /// Cores of a package; one at least.
    pub cores_per_socket: u32,
    /// Whether the processors say that they are a hypervisor's.
    pub is_virtual: bool,
    /// NUMA nodes; one at least.
    pub numa_nodes: u32,
}

/// Memory of the system's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SystemMemory {
    /// Bytes of files that it caches.
    pub file_cache_bytes: u64,
    /// Kernel memory that it could give back.
    pub reclaimable_bytes: u64,
    /// Kernel memory that it could not.
    pub unreclaimable_bytes: u64,
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
    /// Bytes in memory.
    pub resident_bytes: u64,
}

/// What the processors of the machine have done since it started, added up over all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MachineUse {
    /// Milliseconds, whatever they did.
    pub total_ms: u64,
    /// Milliseconds in which they had nothing to do, or waited for disks.
    pub idle_ms: u64,
}

/// A thread of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the system.
    pub id: u32,
    /// Milliseconds from the machine's start to its own.
    pub started_ms: u64,
    /// Milliseconds of CPU time outside of the kernel.
    pub user_ms: u64,
    /// Milliseconds of CPU time in the kernel.
    pub kernel_ms: u64,
    /// As the system's scheduler has it.
    pub priority: i32,
    /// A bit for each processor that it may run on; those beyond 63 have none.
    pub processors: u64,
}

/// Clock ticks of a second in `/proc`, on every platform that Linux supports today.
const TICKS_PER_SECOND: u64 = 100;

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The system's name and release, by `/etc/os-release`.
#[must_use]
pub fn distribution() -> Distribution {
    let text = read("/etc/os-release");
    let named = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        line.unwrap_or_default().trim_matches('"').to_owned()
    };
    Distribution { name: named("NAME"), release: named("VERSION_ID") }
}

/// The processors, by `/proc/cpuinfo`.
#[must_use]
pub fn packages() -> Packages {
    let text = read("/proc/cpuinfo");
    let sockets: BTreeSet<&str> = values(&text, "physical id").collect();
    let number = |name: &str| values(&text, name).next().and_then(|value| value.parse().ok()).unwrap_or(1).max(1);
    let flags = values(&text, "flags").next().unwrap_or_default();
    let nodes = fs::read_dir("/sys/devices/system/node").map_or(0, |entries| {
        let is_node = |name: &str| name.strip_prefix("node").is_some_and(|number| number.parse::<u32>().is_ok());
        entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_node)).count()
    });
    Packages {
        sockets: u32::try_from(sockets.len()).unwrap_or(1).max(1),
        threads_per_socket: number("siblings"),
        cores_per_socket: number("cpu cores"),
        is_virtual: flags.split(' ').any(|flag| flag == "hypervisor"),
        numa_nodes: u32::try_from(nodes).unwrap_or(1).max(1),
    }
}

/// Milliseconds since the machine started.
#[must_use]
pub fn uptime_ms() -> u64 {
    let seconds: f64 = read("/proc/uptime").split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0.0);
    (seconds * 1000.0) as u64
}

/// Memory of the system's own, by `/proc/meminfo`.
#[must_use]
pub fn system_memory() -> SystemMemory {
    let text = read_small("/proc/meminfo").unwrap_or_default();
    let bytes = |name: &str| field_bytes(&text, name).unwrap_or(0);
    SystemMemory {
        file_cache_bytes: bytes("Cached:"),
        reclaimable_bytes: bytes("SReclaimable:"),
        unreclaimable_bytes: bytes("SUnreclaim:"),
    }
}

/// The threads of this process, by their numbers. One that ends meanwhile may be left out.
#[must_use]
pub fn threads() -> Vec<Thread> {
    let entries = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut threads: Vec<Thread> = ids.filter_map(thread).collect();
    threads.sort_by_key(|thread| thread.id);
    threads
}

fn thread(id: u32) -> Option<Thread> {
    let stat = fs::read_to_string(format!("/proc/self/task/{id}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ms =
        |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0) * 1000 / TICKS_PER_SECOND;
    let status = read(&format!("/proc/self/task/{id}/status"));
    let mask = values(&status, "Cpus_allowed").next().unwrap_or_default();
    // Words of 32 bits, the lowest last.
    let words = mask.rsplit(',').take(2).zip([0, 32]);
    let processors = words.filter_map(|(word, shift)| Some(u64::from_str_radix(word, 16).ok()? << shift)).sum();
    Some(Thread {
        id,
        // Of `man 5 proc`, whose third field is the first here.
        user_ms: ms(11),
        kernel_ms: ms(12),
        priority: fields.get(15).and_then(|text| text.parse().ok()).unwrap_or(0),
        started_ms: ms(19),
        processors,
    })
}

/// This process now.
#[must_use]
pub fn process_use() -> ProcessUse {
    let (stat, status) = (read("/proc/self/stat"), read_small("/proc/self/status").unwrap_or_default());
    // The name of the program, in parentheses, may have blanks and parentheses.
    let fields: Vec<&str> = stat.rsplit_once(')').map_or(Vec::new(), |(_, rest)| rest.split_whitespace().collect());
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let ms = |ticks: u64| ticks * 1000 / TICKS_PER_SECOND;
    let bytes = |name: &str| field_bytes(&status, name).unwrap_or(0);
    ProcessUse {
        // Of `man 5 proc`: state is the third field, and the first here.
        user_ms: ms(field(11)),
        kernel_ms: ms(field(12)),
        page_faults: field(7) + field(9),
        virtual_bytes: bytes("VmSize:"),
        locked_bytes: bytes("VmLck:"),
        swapped_bytes: bytes("VmSwap:"),
        resident_bytes: bytes("VmRSS:"),
    }
}

/// The processors now, by the first line of `/proc/stat`.
#[must_use]
pub fn machine_use() -> MachineUse {
    let text = read_small("/proc/stat").unwrap_or_default();
    let line = text.lines().next().and_then(|line| line.strip_prefix("cpu ")).unwrap_or_default();
    // user, nice, system, idle, iowait, irq, softirq, steal; what guests had is in the first two.
    let ticks: Vec<u64> = line.split_whitespace().take(8).filter_map(|text| text.parse().ok()).collect();
    let ms = |ticks: &[u64]| ticks.iter().sum::<u64>() * 1000 / TICKS_PER_SECOND;
    MachineUse { total_ms: ms(&ticks), idle_ms: ms(ticks.get(3..5).unwrap_or_default()) }
}

/// The values of lines `name : value`.
fn values<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_it_is_and_what_was_used() {
        assert!(!distribution().name.is_empty() && uptime_ms() > 0 && system_memory().file_cache_bytes > 0);
        let built = packages();
        assert!(built.cores_per_socket <= built.threads_per_socket && built.sockets >= 1 && built.numa_nodes >= 1);
        let used = process_use();
        assert!(used.page_faults > 0 && used.virtual_bytes > 0);
        let threads = threads();
        assert!(threads.iter().any(|thread| thread.id == std::process::id()), "{threads:?}");
        assert!(threads.iter().all(|thread| thread.processors != 0 && thread.started_ms <= uptime_ms()), "{threads:?}");
    }
}
