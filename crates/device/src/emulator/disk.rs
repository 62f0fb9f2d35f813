//! A disk with an arm and turning platters, and a drive that sorts the commands it has.
//!
//! ```text
//!   command ─▶ way of the arm ─▶ wait for the sector ─▶ transfer
//!   0.1 ms     0 for the same track,   where the platter stands      bytes at the rate that
//!              then ~ √distance        follows from the time          passes under the head
//! ```
//!
//! The defaults of the SATA disk give 130 random reads of 8 KB a second: 0.1 + 4.5 + half a turn of 6.0 + 0.1 = 7.7 ms.
//!
//! What always holds:
//! - D1 The mean way between two places chosen by chance is `seek_ms`: way(d) = near + (mean − near) · √d · 15/8 for a
//!   share d of the disk, since the mean of √|x − y| is 8/15. The disk is as large as its files unless it has a
//!   capacity, so a small test seeks as a full disk does.
//! - D2 The platter turns with the time, not by chance: what follows without a pause waits for nothing, what comes a
//!   little too late waits for a whole turn. Reads are spared that: the drive reads on into its buffer.
//! - D3 Among the commands that have arrived, the first `queue_depth` by arrival, the drive takes the one that it reaches
//!   first; one that has waited for [`PATIENCE_NS`] goes first.
//!
//! Left out: zones, head switches, defects, a write buffer in the drive (see the controller cache).

use std::collections::HashMap;

use super::station::{Progress, Request, Station, Ticket};
use super::{ns_of_us, transfer_ns};
use crate::profile::{DeviceProfile, ModelKind};

/// What the drive's own buffer gives in a second, beside the medium.
const INTERFACE_MB_S: f64 = 300.0;
/// How far the drive reads on after a read.
const LOOK_AHEAD_BYTES: u64 = 1 << 20;
/// No command waits longer for others that lie nearer.
pub const PATIENCE_NS: u64 = 500_000_000;
/// A sector that is this near in front of the head still counts as reached: rounding, not movement.
const TOLERANCE_NS: u64 = 2_000;

/// Numbers of a disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DiskParameters {
    /// Time of a turn.
    pub turn_ns: u64,
    /// Mean way of the arm.
    pub seek_ns: u64,
    /// Way to the next track.
    pub track_seek_ns: u64,
    /// Rate of the medium.
    pub transfer_mb_s: f64,
    /// Time of a command beside all movement.
    pub command_ns: u64,
    /// Commands that it sorts.
    pub queue_depth: usize,
}

impl DiskParameters {
    /// What a profile says, with the model's defaults.
    #[must_use]
    pub fn of(profile: &DeviceProfile) -> DiskParameters {
        let is_sas = profile.model == ModelKind::Disk10kSas;
        let (seek_ms, track_ms, rate, command_us, depth) =
            if is_sas { (3.8, 0.4, 100.0, 60.0, 64) } else { (4.5, 0.5, 85.0, 100.0, 32) };
        let seek_ms = profile.seek_ms.unwrap_or(seek_ms);
        DiskParameters {
            turn_ns: ns_of_us(60e6 / profile.rpm.unwrap_or(10_000.0)),
            seek_ns: ns_of_us(seek_ms * 1e3),
            track_seek_ns: ns_of_us(profile.track_seek_ms.unwrap_or(track_ms).min(seek_ms) * 1e3),
            transfer_mb_s: profile.transfer_mb_s.unwrap_or(rate),
            command_ns: ns_of_us(profile.command_us.unwrap_or(command_us)),
            queue_depth: profile.queue_depth.unwrap_or(depth) as usize,
        }
    }

    /// Bytes that pass under the head in a turn.
    #[must_use]
    pub fn track_bytes(&self) -> u64 {
        ((self.transfer_mb_s * self.turn_ns as f64 / 1e3) as u64).max(1)
    }

    /// D1: way of the arm over `distance_bytes` of a disk of `span_bytes`.
    #[must_use]
    pub fn way_ns(&self, distance_bytes: u64, span_bytes: u64) -> u64 {
        if distance_bytes < self.track_bytes() {
            return 0;
        }
        let share = (distance_bytes as f64 / span_bytes.max(1) as f64).min(1.0);
        self.track_seek_ns + ((self.seek_ns - self.track_seek_ns) as f64 * share.sqrt() * 15.0 / 8.0) as u64
    }

    /// D2: from `at_ns` until the sector at `offset_bytes` passes under the head.
    fn turn_wait_ns(&self, offset_bytes: u64, at_ns: u64) -> u64 {
        let track = self.track_bytes();
        let sector_ns = (offset_bytes % track) as f64 / track as f64 * self.turn_ns as f64;
        let wait_ns = (sector_ns as u64 + self.turn_ns - at_ns % self.turn_ns) % self.turn_ns;
        if wait_ns + TOLERANCE_NS >= self.turn_ns { 0 } else { wait_ns }
    }
}

/// What the head did last.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// After the last sector.
    at_bytes: u64,
    /// When it was there.
    at_ns: u64,
    /// Whether the drive reads on from there.
    reads_on: bool,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    ticket: Ticket,
    arrived_ns: u64,
    request: Request,
}

/// A disk.
#[derive(Debug)]
pub struct Disk {
    parameters: DiskParameters,
    span_bytes: u64,
    head: Head,
    /// In order of arrival.
    waiting: Vec<Waiting>,
    /// The command that it works on, and when it ends.
    current: Option<(Ticket, u64)>,
    free_at_ns: u64,
    done: HashMap<Ticket, u64>,
    last_ticket: u64,
    /// For reads and for writes.
    worked_ns: [u64; 2],
}

impl Disk {
    /// A disk that was not used yet.
    #[must_use]
    pub fn new(parameters: DiskParameters) -> Disk {
        Disk {
            parameters,
            span_bytes: 1,
            head: Head::default(),
            waiting: Vec::new(),
            current: None,
            free_at_ns: 0,
            done: HashMap::new(),
            last_ticket: 0,
            worked_ns: [0; 2],
        }
    }

    /// When the command would end that begins now, and when its first sector is reached.
    fn ends_ns(&self, waiting: &Waiting, start_ns: u64) -> (u64, u64) {
        let (disk, request) = (&self.parameters, &waiting.request);
        // A command that was in the queue was taken in while the one before was worked on. Clocks count microseconds, so
        // one that answers the end of the one before may seem to come a little earlier.
        let command_ns = if waiting.arrived_ns + 1_000 < start_ns { 0 } else { disk.command_ns };
        let ready_ns = start_ns + command_ns;
        if let Some(buffered_ns) = self.buffered_ns(request) {
            let ends_ns = buffered_ns.max(ready_ns + transfer_ns(request.bytes, INTERFACE_MB_S));
            return (ready_ns, ends_ns);
        }
        let there_ns = ready_ns + disk.way_ns(self.head.at_bytes.abs_diff(request.offset_bytes), self.span_bytes);
        let reached_ns = there_ns + disk.turn_wait_ns(request.offset_bytes, there_ns);
        (reached_ns, reached_ns + transfer_ns(request.bytes, disk.transfer_mb_s))
    }

    /// When the drive's reading on has the bytes, if it comes by them.
    fn buffered_ns(&self, request: &Request) -> Option<u64> {
        let is_ahead = self.head.reads_on
            && request.is_read()
            && (self.head.at_bytes..=self.head.at_bytes + LOOK_AHEAD_BYTES).contains(&request.offset_bytes);
        is_ahead.then(|| {
            self.head.at_ns + transfer_ns(request.end_bytes() - self.head.at_bytes, self.parameters.transfer_mb_s)
        })
    }

    /// D3: the next command at that time.
    fn choose(&self, start_ns: u64) -> usize {
        let arrived = self.waiting.iter().take_while(|waiting| waiting.arrived_ns <= start_ns);
        let candidates = arrived.take(self.parameters.queue_depth).enumerate();
        if start_ns.saturating_sub(self.waiting[0].arrived_ns) > PATIENCE_NS {
            return 0;
        }
        let nearest =
            candidates.min_by_key(|(_, waiting)| (self.ends_ns(waiting, start_ns).0, waiting.request.offset_bytes));
        nearest.map_or(0, |(index, _)| index)
    }

    /// Carries the state forward.
    fn advance(&mut self, now_ns: u64) {
        loop {
            if let Some((ticket, ends_ns)) = self.current {
                if ends_ns > now_ns {
                    return;
                }
                self.done.insert(ticket, ends_ns);
                self.current = None;
            }
            let Some(start_ns) = self.next_start_ns().filter(|start_ns| *start_ns <= now_ns) else { return };
            let waiting = self.waiting.remove(self.choose(start_ns));
            let from_buffer = self.buffered_ns(&waiting.request);
            let (_, ends_ns) = self.ends_ns(&waiting, start_ns);
            self.current = Some((waiting.ticket, ends_ns));
            self.free_at_ns = ends_ns;
            let request = waiting.request;
            self.worked_ns[usize::from(!request.is_read())] += ends_ns - start_ns;
            self.head = Head {
                at_bytes: request.end_bytes(),
                at_ns: from_buffer.unwrap_or(ends_ns),
                reads_on: request.is_read(),
            };
        }
    }

    /// When the next command begins, if there is one.
    fn next_start_ns(&self) -> Option<u64> {
        self.waiting.first().map(|first| first.arrived_ns.max(self.free_at_ns))
    }
}

impl Station for Disk {
    fn submit(&mut self, at_ns: u64, request: Request, span_bytes: u64) -> Ticket {
        self.span_bytes = span_bytes.max(request.end_bytes());
        self.last_ticket += 1;
        let ticket = Ticket(self.last_ticket);
        let place = self.waiting.partition_point(|waiting| waiting.arrived_ns <= at_ns);
        self.waiting.insert(place, Waiting { ticket, arrived_ns: at_ns, request });
        ticket
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.advance(now_ns);
        if let Some(at_ns) = self.done.remove(&ticket) {
            return Progress::Done { at_ns };
        }
        let next_ns = self.current.map(|(_, ends_ns)| ends_ns).or_else(|| self.next_start_ns());
        Progress::NotBefore { at_ns: next_ns.expect("a ticket that is not done waits or is worked on") }
    }

    fn worked_ns(&self) -> Option<[u64; 2]> {
        Some(self.worked_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::super::station::{Direction, finish};
    use super::*;

    const SPAN: u64 = 100 << 30;

    fn disk(model: ModelKind) -> Disk {
        Disk::new(DiskParameters::of(&DeviceProfile::of(model)))
    }

    fn read(offset_bytes: u64, bytes: u64) -> Request {
        Request { direction: Direction::Read, offset_bytes, bytes }
    }

    fn write(offset_bytes: u64, bytes: u64) -> Request {
        Request { direction: Direction::Write, offset_bytes, bytes }
    }

    /// Numbers that look like chance, the same each time.
    fn places() -> impl FnMut() -> u64 {
        let mut dice = crate::chance::Dice::new(7);
        move || dice.roll() % (SPAN / 8192) * 8192
    }

    /// Requests one after another: mean time of each.
    fn one_by_one(disk: &mut Disk, count: u64, mut request: impl FnMut(u64) -> Request) -> f64 {
        let mut now_ns = 0;
        for number in 0..count {
            let ticket = disk.submit(now_ns, request(number), SPAN);
            now_ns = finish(disk, ticket, now_ns);
        }
        now_ns as f64 / count as f64 / 1e6
    }

    /// As many at a time as `depth`; mean time from one end to the next.
    fn at_depth(disk: &mut Disk, depth: usize, count: usize, mut request: impl FnMut() -> Request) -> f64 {
        let mut now_ns = 0;
        let mut open: Vec<Ticket> = (0..depth).map(|_| disk.submit(0, request(), SPAN)).collect();
        let mut done = 0;
        while done < count {
            let mut next_ns = u64::MAX;
            for ticket in &mut open {
                match disk.poll(*ticket, now_ns) {
                    Progress::Done { at_ns } => {
                        done += 1;
                        *ticket = disk.submit(at_ns, request(), SPAN);
                        next_ns = next_ns.min(now_ns + 1);
                    }
                    Progress::NotBefore { at_ns } => next_ns = next_ns.min(at_ns),
                }
            }
            now_ns = next_ns;
        }
        now_ns as f64 / done as f64 / 1e6
    }

    #[test]
    fn a_sata_disk_does_130_random_reads_a_second() {
        let mut place = places();
        let mean_ms = one_by_one(&mut disk(ModelKind::Disk10kSata), 20_000, |_| read(place(), 8192));
        // 0.1 command, 4.5 arm, 3.0 half a turn, 8,192 bytes at 85 MB/s.
        let expected_ms = 0.1 + 4.5 + 3.0 + 8192.0 / 85e3;
        assert!((mean_ms / expected_ms - 1.0).abs() < 0.01, "{mean_ms} against {expected_ms}");
        assert!((125.0..135.0).contains(&(1e3 / mean_ms)));
        let sas_ms = one_by_one(&mut disk(ModelKind::Disk10kSas), 20_000, |_| read(place(), 8192));
        assert!(sas_ms < mean_ms * 0.95, "{sas_ms}");
    }

    #[test]
    fn streams_run_at_the_rate_of_the_medium() {
        let rate = |bytes: u64, mean_ms: f64| bytes as f64 / 1e3 / mean_ms;
        let size = 256 << 10;
        let reads = rate(size, one_by_one(&mut disk(ModelKind::Disk10kSata), 1_000, |n| read(n * size, size)));
        assert!((80.0..=85.5).contains(&reads), "{reads} MB/s");
        let small = rate(8192, one_by_one(&mut disk(ModelKind::Disk10kSata), 1_000, |n| read(n * 8192, 8192)));
        assert!((50.0..=85.5).contains(&small), "{small} MB/s");
        let mut next = 0;
        let queued_ms = at_depth(&mut disk(ModelKind::Disk10kSata), 32, 2_000, || {
            next += size;
            write(next, size)
        });
        let queued = rate(size, queued_ms);
        assert!((75.0..=85.5).contains(&queued), "{queued} MB/s");
    }

    /// Without a buffer for writes, the next block has passed when the command arrives.
    #[test]
    fn one_write_after_another_waits_for_a_turn_each() {
        let mean_ms = one_by_one(&mut disk(ModelKind::Disk10kSata), 1_000, |n| write(n * 8192, 8192));
        assert!((5.9..6.2).contains(&mean_ms), "{mean_ms} ms");
    }

    #[test]
    fn a_drive_that_sorts_gains_with_depth() {
        let mut place = places();
        let mut mean_ms = |depth| at_depth(&mut disk(ModelKind::Disk10kSata), depth, 5_000, || read(place(), 8192));
        let (one, four, many) = (mean_ms(1), mean_ms(4), mean_ms(32));
        assert!(four < one * 0.85, "{four} against {one}");
        assert!(many < four * 0.8, "{many} against {four}");
        assert!((200.0..500.0).contains(&(1e3 / many)), "{} IOPS at depth 32", 1e3 / many);
        let unsorted =
            DiskParameters { queue_depth: 1, ..DiskParameters::of(&DeviceProfile::of(ModelKind::Disk10kSata)) };
        let unsorted_ms = at_depth(&mut Disk::new(unsorted), 32, 5_000, || read(place(), 8192));
        assert!((unsorted_ms / (one - 0.1) - 1.0).abs() < 0.02, "{unsorted_ms}: only the command overlaps");
    }

    #[test]
    fn work_is_counted_for_reads_and_for_writes() {
        let mut disk = disk(ModelKind::Disk10kSata);
        let mut place = places();
        let mut time_ns = |request: fn(u64, u64) -> Request| {
            let before = disk.worked_ns;
            one_by_one(&mut disk, 100, |_| request(place(), 8192));
            [0, 1].map(|kind| disk.worked_ns[kind] - before[kind])
        };
        let (reads, writes) = (time_ns(read), time_ns(write));
        assert!((600_000_000..900_000_000).contains(&reads[0]) && reads[1] == 0, "{reads:?}");
        assert!((600_000_000..900_000_000).contains(&writes[1]) && writes[0] == 0, "{writes:?}");
    }

    #[test]
    fn no_request_starves() {
        let mut disk = disk(ModelKind::Disk10kSata);
        let far = disk.submit(0, read(SPAN - 8192, 8192), SPAN);
        let mut near = disk.submit(0, read(0, 8192), SPAN);
        let (mut now_ns, mut next) = (0, 0);
        let far_ns = loop {
            if let Progress::Done { at_ns } = disk.poll(far, now_ns) {
                break at_ns;
            }
            match disk.poll(near, now_ns) {
                Progress::Done { at_ns } => {
                    next += 8192;
                    near = disk.submit(at_ns, read(next, 8192), SPAN);
                }
                Progress::NotBefore { at_ns } => now_ns = at_ns,
            }
        };
        assert!(far_ns < PATIENCE_NS + 50_000_000, "{far_ns}");
    }
}
