//! What the system says of the process and of the machine.
//!
//! What always holds: a check judges what it is given, and reads nothing itself; what is not there to be read gives no finding.

use std::time::Instant;

use millpond_device::{Submission, machine};
use rustix::process::{Resource, getrlimit};

use super::finding::{Finding, Level};

/// Descriptors that a server of many clients wants.
const FILES_WANTED: u64 = 65_536;
/// With fewer than these a server has hardly any clients.
const FILES_LEAST: u64 = 256;
/// Calls of the clock whose time is taken.
const CLOCK_CALLS: u32 = 20_000;
/// A clock that takes longer is none of the processor's.
const CLOCK_NS_MAX: u64 = 200;
const MB: u64 = 1 << 20;

/// Everything but the disk.
pub fn machine() -> Vec<Finding> {
    let read = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let limit = |resource| getrlimit(resource);
    let (files, locked, space) = (limit(Resource::Nofile), limit(Resource::Memlock), limit(Resource::As));
    let memory = machine::memory();
    let found = [
        Some(open_files(files.current, files.maximum)),
        Some(locked_memory(locked.current)),
        Some(address_space(space.current)),
        Some(memory_finding(memory.total_bytes, memory.available_bytes)),
        Some(swap(memory.swap_total_bytes, memory.swap_free_bytes)),
        read("/proc/sys/vm/overcommit_memory").map(|text| overcommit(&text)),
        read("/sys/kernel/mm/transparent_hugepage/enabled").map(|text| transparent_huge_pages(&text)),
        read("/proc/sys/vm/nr_hugepages").and_then(|text| reserved_huge_pages(&text)),
        Some(processors(machine::processors(), read("/sys/fs/cgroup/cpu.max").as_deref())),
        Some(io_uring(Submission::refusal())),
        read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .map(|name| clock_source(&name, clock_ns())),
        time_is_synchronized().map(time_synchronization),
    ];
    found.into_iter().flatten().collect()
}

fn open_files(current: Option<u64>, maximum: Option<u64>) -> Finding {
    let shown = |limit: Option<u64>| limit.map_or("unlimited".to_owned(), |limit| limit.to_string());
    let level = match current {
        Some(current) if current < FILES_LEAST => Level::Fail,
        Some(current) if current < FILES_WANTED => Level::Warn,
        _ => Level::Ok,
    };
    let value = format!("{} (hard limit {})", shown(current), shown(maximum));
    let why = "each client and each file of a database takes one; when there are none left, clients are refused";
    let fix = "ulimit -n 1048576   (systemd: LimitNOFILE=1048576; Docker: --ulimit nofile=1048576:1048576)";
    Finding::ok("open files", value, why).at(level, fix)
}

fn locked_memory(current: Option<u64>) -> Finding {
    let value = current.map_or("unlimited".to_owned(), |bytes| format!("{} KB", bytes >> 10));
    let level = if current.is_none_or(|bytes| bytes >= 8 * MB) { Level::Ok } else { Level::Warn };
    let why = "kernels before 5.12 charge the queues of io_uring to it; without it files take one request at a time";
    let fix = "ulimit -l unlimited   (systemd: LimitMEMLOCK=infinity; Docker: --ulimit memlock=-1)";
    Finding::ok("locked memory", value, why).at(level, fix)
}

fn address_space(current: Option<u64>) -> Finding {
    // The least that `serve` starts with.
    let level = match current {
        Some(bytes) if bytes < 3 << 30 => Level::Fail,
        Some(_) => Level::Warn,
        None => Level::Ok,
    };
    let value = current.map_or("unlimited".to_owned(), |bytes| format!("{} MB", bytes / MB));
    let why = "addresses are taken at once and memory only when it is used; the buffer pool gets half of what is left";
    Finding::ok("address space", value, why).at(level, "ulimit -v unlimited")
}

fn memory_finding(total_bytes: u64, available_bytes: u64) -> Finding {
    let value = format!("{} MB of {} MB available", available_bytes / MB, total_bytes / MB);
    let level = match total_bytes / MB {
        0..128 => Level::Fail,
        128..512 => Level::Warn,
        _ => Level::Ok,
    };
    let why = "what the machine and the control group allow; a server takes three quarters of it at most";
    Finding::ok("memory", value, why).at(level, "docker run --memory 2g …   (systemd: MemoryMax=2G)")
}

fn swap(total_bytes: u64, free_bytes: u64) -> Finding {
    let used = total_bytes.saturating_sub(free_bytes);
    let value = format!("{} MB used of {} MB", used / MB, total_bytes / MB);
    let level = if used > total_bytes / 4 && used > 64 * MB { Level::Warn } else { Level::Ok };
    let why = "pages of the buffer pool that are swapped out are read twice";
    Finding::ok("swap", value, why).at(level, "sysctl -w vm.swappiness=1   (and 'max server memory' by sp_configure)")
}

fn overcommit(text: &str) -> Finding {
    let level = if text == "2" { Level::Warn } else { Level::Ok };
    let value = match text {
        "0" => "by the kernel's judgement",
        "1" => "always",
        _ => "never",
    };
    let why = "addresses that are taken and not used count as memory: a start may be refused";
    Finding::ok("memory overcommit", value, why).at(level, "sysctl -w vm.overcommit_memory=0")
}

/// `always [madvise] never`
fn transparent_huge_pages(text: &str) -> Finding {
    let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    let level = if chosen == Some("never") { Level::Warn } else { Level::Ok };
    let why = "the buffer pool asks for them: a fresh page costs a fraction of the time then";
    let fix = "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled";
    Finding::ok("huge pages", chosen.unwrap_or(text), why).at(level, fix)
}

fn reserved_huge_pages(text: &str) -> Option<Finding> {
    let count: u64 = text.parse().ok()?;
    let level = if count > 0 { Level::Warn } else { Level::Ok };
    let why = "memory that is reserved for them is lost to the server, which takes transparent ones";
    Some(Finding::ok("reserved huge pages", count.to_string(), why).at(level, "sysctl -w vm.nr_hugepages=0"))
}

/// `cpu.max` of the control group: `max 100000`, `50000 100000`.
fn processors(count: usize, quota: Option<&str>) -> Finding {
    let parts = quota.and_then(|text| text.split_once(' '));
    let share = parts.and_then(|(quota, period)| Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?));
    let value = match share {
        Some(share) => format!("{count}, of which the control group gives {share:.1}"),
        None => count.to_string(),
    };
    let is_less = share.is_some_and(|share| share + 0.05 < count as f64);
    let why =
        "a quota stops all threads at the end of each period, also one that holds a latch; plans count the processors";
    let fix = "docker run --cpuset-cpus 0-1 … instead of --cpus   (systemd: AllowedCPUs instead of CPUQuota)";
    Finding::ok("processors", value, why).at(if is_less { Level::Warn } else { Level::Ok }, fix)
}

fn io_uring(refusal: Option<&str>) -> Finding {
    let why = "without it files take one request of a thread after the other: spills and checkpoints are slower";
    let value = refusal.map_or("available".to_owned(), |reason| format!("not available: {reason}"));
    let level = if refusal.is_some() { Level::Warn } else { Level::Ok };
    let fix = "sysctl -w kernel.io_uring_disabled=0   (Docker: a seccomp profile that allows io_uring_setup, _enter, _register)";
    Finding::ok("io_uring", value, why).at(level, fix)
}

/// Nanoseconds of a look at the clock.
fn clock_ns() -> u64 {
    let begun = Instant::now();
    let mut last = begun;
    for _ in 0..CLOCK_CALLS {
        last = std::hint::black_box(Instant::now());
    }
    u64::try_from(last.duration_since(begun).as_nanos() / u128::from(CLOCK_CALLS)).unwrap_or(u64::MAX)
}

fn clock_source(name: &str, call_ns: u64) -> Finding {
    let is_slow = matches!(name, "hpet" | "acpi_pm" | "jiffies" | "refined-jiffies" | "pit") || call_ns > CLOCK_NS_MAX;
    let why = "each wait is timed twice: a clock outside of the processor costs a system call and more";
    let fix = "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource";
    let value = format!("{name}, {call_ns} ns a look");
    Finding::ok("clock source", value, why).at(if is_slow { Level::Warn } else { Level::Ok }, fix)
}

/// Whether a service keeps the time; none: no service is known.
fn time_is_synchronized() -> Option<bool> {
    let systemd = std::path::Path::new("/run/systemd/timesync");
    systemd.exists().then(|| systemd.join("synchronized").exists())
}

fn time_synchronization(is_kept: bool) -> Finding {
    let value = if is_kept { "synchronized" } else { "not synchronized yet" };
    let why = "SYSDATETIME, schedules of jobs and times of backups are the machine's";
    Finding::ok("time", value, why).at(if is_kept { Level::Ok } else { Level::Warn }, "timedatectl set-ntp true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_judged() {
        for (finding, level) in [
            (open_files(Some(64), Some(64)), Level::Fail),
            (open_files(Some(1024), None), Level::Warn),
            (open_files(None, None), Level::Ok),
            (locked_memory(Some(64 << 10)), Level::Warn),
            (locked_memory(None), Level::Ok),
            (address_space(Some(1 << 30)), Level::Fail),
            (address_space(Some(8 << 30)), Level::Warn),
            (memory_finding(64 * MB, MB), Level::Fail),
            (memory_finding(1024 * MB, MB), Level::Ok),
            (swap(1024 * MB, 1024 * MB), Level::Ok),
            (swap(1024 * MB, 10 * MB), Level::Warn),
            (swap(0, 0), Level::Ok),
            (overcommit("0"), Level::Ok),
            (overcommit("2"), Level::Warn),
            (transparent_huge_pages("always [madvise] never"), Level::Ok),
            (transparent_huge_pages("always madvise [never]"), Level::Warn),
            (processors(4, Some("max 100000")), Level::Ok),
            (processors(4, Some("200000 100000")), Level::Warn),
            (processors(2, None), Level::Ok),
            (io_uring(None), Level::Ok),
            (io_uring(Some("seccomp")), Level::Warn),
            (clock_source("tsc", 25), Level::Ok),
            (clock_source("hpet", 25), Level::Warn),
            (clock_source("tsc", 900), Level::Warn),
            (time_synchronization(false), Level::Warn),
        ] {
            assert_eq!(finding.level, level, "{finding:?}");
            assert_eq!(finding.fix.is_empty(), level == Level::Ok, "{finding:?}");
            assert!(!finding.why.is_empty() && !finding.value.is_empty());
        }
        assert_eq!(reserved_huge_pages("none"), None);
        assert_eq!(reserved_huge_pages("128").map(|finding| finding.level), Some(Level::Warn));
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let findings = machine();
        assert!(findings.iter().any(|finding| finding.name == "open files"));
        assert!(findings.iter().any(|finding| finding.name == "io_uring"));
    }
}
