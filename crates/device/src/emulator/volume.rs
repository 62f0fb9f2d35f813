//! A volume: a device of the configuration, with the state that the files on it share: an arm, links, a cache, counters.
//!
//! What always holds:
//! - V1 Every request takes the time that its station and cache give it, on the volume's clock, from the time at which it
//!   was asked for: moving the bytes is part of that time. It counts once when it is done. What it cost is worked out at
//!   its exact moments, so a thread that wakes late does not slow the device down.
//! - V2 Each file has areas of its own on the volume: neighbours in a file are neighbours on the volume within an area of
//!   4 MB, and two files on one disk cost ways between them.
//! - V3 Locks go from a volume to its members; members never know what uses them.
//!
//! The model `file` has no station: a request takes what the file takes, and only counts.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use super::cache::{Cache, CacheReport};
use super::composed::{Mirror, Stripe};
use super::disk::{Disk, DiskParameters};
use super::flash::{Flash, FlashParameters};
use super::measured::Measured;
use super::station::{Direction, Instantly, Member, Progress, Request, Station, Ticket};
use crate::block::{BlockDevice, DeviceError};
use crate::clock::Clock;
use crate::latency::Latencies;
use crate::profile::{DeviceProfile, ModelKind};

/// Size of an area.
pub const AREA_BYTES: u64 = 4 << 20;
/// Blocks of a stripe when the profile does not say.
const STRIPE_KB: u32 = 64;

/// The counters of a volume at one point in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VolumeReport {
    /// Name of the device in the configuration, or the mount of plain files.
    pub name: Arc<str>,
    /// Name of its model.
    pub model: &'static str,
    /// Time that the counters cover.
    pub elapsed_us: u64,
    /// Requests, bytes that arrived, and time of the requests.
    pub reads: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Time in reads.
    pub read_us: u64,
    /// Write requests.
    pub writes: u64,
    /// Bytes written.
    pub write_bytes: u64,
    /// Time in writes.
    pub write_us: u64,
    /// Syncs.
    pub syncs: u64,
    /// Time in syncs.
    pub sync_us: u64,
    /// Requests open now.
    pub queue_length: u64,
    /// Sum of the queue's length over time: requests × µs. Over `elapsed_us` it is the average length.
    pub queue_length_us: u64,
    /// Bytes of the areas that files have on it.
    pub used_bytes: u64,
    /// Its controller cache.
    pub cache: Option<CacheReport>,
    /// How long reads, writes and syncs took.
    pub latencies: [Latencies; 3],
    /// Time that its arm has worked for reads and for writes, of an emulated disk.
    pub worked_us: Option<[u64; 2]>,
}

#[derive(Debug, Default)]
struct Counters {
    counts: [u64; 3],
    bytes: [u64; 3],
    time_ns: [u64; 3],
    latencies: [Latencies; 3],
    open: u64,
    queue_ns: u128,
    queue_until_ns: u64,
}

/// What is open, for the counters.
#[derive(Clone, Copy, Debug)]
struct Begun {
    at_ns: u64,
    kind: usize,
    bytes: u64,
}

const SYNC: usize = 2;

fn kind_of(request: &Request) -> usize {
    match request.direction {
        Direction::Read => 0,
        Direction::Write => 1,
    }
}

impl Counters {
    fn queue_changes(&mut self, at_ns: u64) {
        let passed_ns = at_ns.saturating_sub(self.queue_until_ns);
        self.queue_ns += u128::from(passed_ns) * u128::from(self.open);
        self.queue_until_ns = self.queue_until_ns.max(at_ns);
    }

    fn begin(&mut self, at_ns: u64) {
        self.queue_changes(at_ns);
        self.open += 1;
    }

    fn end(&mut self, begun: Begun, at_ns: u64, arrived: bool) {
        self.queue_changes(at_ns);
        self.open -= 1;
        self.counts[begun.kind] += 1;
        let took_ns = at_ns.saturating_sub(begun.at_ns);
        self.time_ns[begun.kind] += took_ns;
        self.latencies[begun.kind].count(took_ns.div_ceil(1_000));
        if arrived {
            self.bytes[begun.kind] += begun.bytes;
        }
    }
}

#[derive(Debug)]
struct State {
    /// `None`: the file's own time.
    station: Option<Box<dyn Station>>,
    cache: Option<Cache>,
    open: HashMap<Ticket, Begun>,
    counters: Counters,
    /// What lies before the members of a composed volume, or what a file needs.
    span_bytes: u64,
}

/// Requests of one transfer that are under way.
struct OpenGroup {
    number: usize,
    begun_us: u64,
    tickets: Vec<Ticket>,
}

/// Which areas are taken.
#[derive(Debug, Default)]
struct Areas {
    free: BTreeSet<u32>,
    next: u32,
}

/// The areas of one file, in the order of its bytes.
#[derive(Debug, Default)]
pub struct FileAreas(RwLock<Vec<u32>>);

/// A volume is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeFull;

/// A device of the configuration.
#[derive(Debug)]
pub struct Volume {
    name: Arc<str>,
    profile: DeviceProfile,
    clock: Arc<dyn Clock>,
    begun_us: u64,
    state: Mutex<State>,
    areas: Mutex<Areas>,
    residents: Mutex<Vec<Resident>>,
}

/// An open file on a volume.
#[derive(Debug)]
struct Resident {
    areas: Arc<FileAreas>,
    device: Weak<dyn BlockDevice>,
}

fn station_of(profile: &DeviceProfile, members: Vec<Arc<Volume>>) -> Option<Box<dyn Station>> {
    let members = members.into_iter().map(|member| member as Arc<dyn Member>).collect();
    Some(match profile.model {
        ModelKind::File => return None,
        ModelKind::Ram => Box::new(Instantly::default()),
        ModelKind::Disk10kSata | ModelKind::Disk10kSas => Box::new(Disk::new(DiskParameters::of(profile))),
        ModelKind::Ssd | ModelKind::PcieFlash | ModelKind::Array => Box::new(Flash::new(FlashParameters::of(profile))),
        ModelKind::Measured => Box::new(Measured::new(&profile.points)),
        ModelKind::Stripe => Box::new(Stripe::new(members, u64::from(profile.stripe_kb.unwrap_or(STRIPE_KB)) << 10)),
        ModelKind::Mirror => Box::new(Mirror::new(members)),
    })
}

/// The time of a clock in microseconds up to which a request counts as done: the nearest, so that times are right on
/// average.
fn until_ns(now_us: u64) -> u64 {
    now_us * 1_000 + 499
}

impl Volume {
    /// A volume of a profile that was checked; `members` are those of a composed one.
    #[must_use]
    pub fn new(name: &str, profile: &DeviceProfile, members: Vec<Arc<Volume>>, clock: Arc<dyn Clock>) -> Volume {
        let begun_us = clock.now_us();
        let state = State {
            station: station_of(profile, members),
            cache: profile.cache.as_ref().map(Cache::new),
            open: HashMap::new(),
            counters: Counters { queue_until_ns: begun_us * 1_000, ..Counters::default() },
            span_bytes: 0,
        };
        Volume {
            name: name.into(),
            profile: profile.clone(),
            clock,
            begun_us,
            state: Mutex::new(state),
            areas: Mutex::default(),
            residents: Mutex::default(),
        }
    }

    /// Its name in the configuration.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What it is.
    #[must_use]
    pub fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    /// Whose time it takes.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Counters now.
    #[must_use]
    pub fn report(&self) -> VolumeReport {
        let now_us = self.clock.now_us();
        let used_bytes = self.used_bytes();
        let state = &mut *self.state.lock();
        state.counters.queue_changes(now_us * 1_000);
        let span_bytes = self.span_bytes(used_bytes, state.span_bytes);
        if let (Some(cache), Some(station)) = (&mut state.cache, &mut state.station) {
            cache.advance(until_ns(now_us), &mut **station, span_bytes);
        }
        let counters = &state.counters;
        VolumeReport {
            name: self.name.clone(),
            model: self.profile.model.name(),
            elapsed_us: now_us.saturating_sub(self.begun_us),
            reads: counters.counts[0],
            read_bytes: counters.bytes[0],
            read_us: counters.time_ns[0] / 1_000,
            writes: counters.counts[1],
            write_bytes: counters.bytes[1],
            write_us: counters.time_ns[1] / 1_000,
            syncs: counters.counts[SYNC],
            sync_us: counters.time_ns[SYNC] / 1_000,
            queue_length: counters.open,
            queue_length_us: u64::try_from(counters.queue_ns / 1_000).unwrap_or(u64::MAX),
            used_bytes,
            cache: state.cache.as_ref().map(Cache::report),
            latencies: counters.latencies,
            worked_us: state.station.as_ref().and_then(|station| station.worked_ns()).map(|ns| ns.map(|ns| ns / 1_000)),
        }
    }

    fn used_bytes(&self) -> u64 {
        let areas = self.areas.lock();
        (u64::from(areas.next) - areas.free.len() as u64) * AREA_BYTES
    }

    /// The size over which an arm travels.
    fn span_bytes(&self, used_bytes: u64, needed_bytes: u64) -> u64 {
        self.profile.capacity_mb.map_or(used_bytes.max(needed_bytes), |mb| mb << 20)
    }

    /// Waits for requests that began together at that time, until all are done.
    pub(crate) fn perform(&self, begun_us: u64, requests: &[Request]) {
        if self.profile.model == ModelKind::File {
            return;
        }
        let at_ns = begun_us * 1_000;
        let tickets: Vec<Ticket> = requests.iter().map(|request| self.submit(at_ns, *request, 0)).collect();
        tickets.into_iter().for_each(|ticket| self.wait(ticket));
    }

    /// Does groups of requests, the requests of a group together and up to `depth` groups at a time, the first ones
    /// from that time on; the time that each group took from its own begin.
    pub(crate) fn perform_many(&self, begun_us: u64, depth: usize, groups: Vec<Vec<Request>>) -> Vec<u64> {
        let mut took_us = vec![0; groups.len()];
        if self.profile.model == ModelKind::File {
            return took_us;
        }
        let mut coming = groups.into_iter().enumerate();
        let mut open: Vec<OpenGroup> = Vec::new();
        let mut next_begun_us = begun_us;
        loop {
            for (number, group) in coming.by_ref().take(depth.max(1) - open.len()) {
                let submit = |request| self.submit(next_begun_us * 1_000, request, 0);
                let tickets = group.into_iter().map(submit).collect();
                open.push(OpenGroup { number, begun_us: next_begun_us, tickets });
            }
            let now_us = self.clock.now_us();
            next_begun_us = now_us;
            if open.is_empty() {
                return took_us;
            }
            let before = open.len();
            let mut next_ns = u64::MAX;
            open.retain_mut(|group| {
                group.tickets.retain(|ticket| match self.poll(*ticket, until_ns(now_us)) {
                    Progress::Done { .. } => false,
                    Progress::NotBefore { at_ns } => {
                        next_ns = next_ns.min(at_ns);
                        true
                    }
                });
                took_us[group.number] = now_us - group.begun_us;
                !group.tickets.is_empty()
            });
            if open.len() == before {
                self.clock.sleep_until_us((next_ns + 500) / 1_000);
            }
        }
    }

    /// Waits for a sync.
    pub(crate) fn sync(&self) {
        let at_ns = self.clock.now_us() * 1_000;
        let ticket = {
            let areas_bytes = u64::from(self.areas.lock().next) * AREA_BYTES;
            let state = &mut *self.state.lock();
            let span_bytes = self.span_bytes(areas_bytes, state.span_bytes);
            let begun = Begun { at_ns, kind: SYNC, bytes: 0 };
            state.counters.begin(at_ns);
            let (Some(cache), Some(station)) = (&mut state.cache, &mut state.station) else {
                state.counters.end(begun, at_ns, false);
                return;
            };
            let ticket = cache.submit_sync(at_ns, &mut **station, span_bytes);
            state.open.insert(ticket, begun);
            ticket
        };
        self.wait(ticket);
    }

    fn wait(&self, ticket: Ticket) {
        loop {
            let now_us = self.clock.now_us();
            match self.poll(ticket, until_ns(now_us)) {
                Progress::Done { .. } => return,
                // Rounded as in `until_ns`.
                Progress::NotBefore { at_ns } => self.clock.sleep_until_us((at_ns + 500) / 1_000),
            }
        }
    }

    /// Counts a request of the model `file`, which took its own time.
    pub(crate) fn count(&self, direction: Option<Direction>, bytes: u64, at_ns: u64, end_ns: u64, arrived: bool) {
        let kind = direction.map_or(SYNC, |direction| usize::from(direction == Direction::Write));
        let counters = &mut self.state.lock().counters;
        counters.begin(at_ns);
        counters.end(Begun { at_ns, kind, bytes }, end_ns, arrived);
    }

    /// A file lies here; it hears what comes to the device.
    pub(crate) fn settle(&self, areas: &Arc<FileAreas>, device: &Arc<dyn BlockDevice>) {
        let mut residents = self.residents.lock();
        residents.retain(|resident| resident.device.strong_count() > 0);
        residents.push(Resident { areas: areas.clone(), device: Arc::downgrade(device) });
    }

    /// A cache that ignores syncs: reports to the files what has come to the device and cannot be lost any more.
    pub(crate) fn harden_arrived(&self) -> Result<(), DeviceError> {
        let arrived = self.state.lock().cache.as_mut().map(Cache::take_arrived).unwrap_or_default();
        if arrived.is_empty() {
            return Ok(());
        }
        let residents = self.residents.lock();
        for resident in residents.iter() {
            let Some(device) = resident.device.upgrade() else { continue };
            for part in arrived.iter().flat_map(|range| resident.areas.of_volume(range)) {
                device.harden(part.start, part.end - part.start)?;
            }
        }
        Ok(())
    }

    /// Gives a file as many areas as `bytes` need, or takes some back.
    ///
    /// # Errors
    /// [`VolumeFull`]; the file then has what it had.
    pub(crate) fn resize(&self, file: &FileAreas, bytes: u64) -> Result<(), VolumeFull> {
        let wanted = usize::try_from(bytes.div_ceil(AREA_BYTES)).map_err(|_| VolumeFull)?;
        let (areas, own) = (&mut *self.areas.lock(), &mut *file.0.write());
        let more = wanted.saturating_sub(own.len());
        let most = self.profile.capacity_mb.map_or(u64::from(u32::MAX), |mb| (mb << 20) / AREA_BYTES);
        if more as u64 > most.saturating_sub(u64::from(areas.next) - areas.free.len() as u64) {
            return Err(VolumeFull);
        }
        areas.free.extend(own.drain(wanted.min(own.len())..));
        for _ in 0..more {
            own.push(areas.free.pop_first().unwrap_or_else(|| {
                areas.next += 1;
                areas.next - 1
            }));
        }
        Ok(())
    }

    /// Gives the areas of a file that is gone to others. A holder that has it open goes on where it was.
    pub(crate) fn release(&self, file: &FileAreas) {
        self.areas.lock().free.extend(file.0.read().iter().copied());
    }
}

impl Member for Volume {
    fn submit(&self, at_ns: u64, request: Request, needed_bytes: u64) -> Ticket {
        let areas_bytes = u64::from(self.areas.lock().next) * AREA_BYTES;
        let state = &mut *self.state.lock();
        state.span_bytes = state.span_bytes.max(needed_bytes);
        let span_bytes = self.span_bytes(areas_bytes, state.span_bytes);
        let mut instantly = Instantly::default();
        let ticket = match (&mut state.cache, &mut state.station) {
            (Some(cache), Some(station)) => cache.submit(at_ns, request, &mut **station, span_bytes),
            (None, Some(station)) => station.submit(at_ns, request, span_bytes),
            (_, None) => instantly.submit(at_ns, request, span_bytes),
        };
        state.counters.begin(at_ns);
        state.open.insert(ticket, Begun { at_ns, kind: kind_of(&request), bytes: request.bytes });
        ticket
    }

    fn poll(&self, ticket: Ticket, now_ns: u64) -> Progress {
        let areas_bytes = u64::from(self.areas.lock().next) * AREA_BYTES;
        let state = &mut *self.state.lock();
        let span_bytes = self.span_bytes(areas_bytes, state.span_bytes);
        let progress = match (&mut state.cache, &mut state.station) {
            (Some(cache), Some(station)) => cache.poll(ticket, now_ns, &mut **station, span_bytes),
            (None, Some(station)) => station.poll(ticket, now_ns),
            (_, None) => Progress::Done { at_ns: now_ns },
        };
        if let Progress::Done { at_ns } = progress
            && let Some(begun) = state.open.remove(&ticket)
        {
            state.counters.end(begun, at_ns, true);
        }
        progress
    }

    fn open_count(&self) -> u64 {
        self.state.lock().counters.open
    }
}

impl FileAreas {
    /// Where a range of the file lies on its volume: one request for each run of neighbours.
    pub(crate) fn requests(&self, direction: Direction, offset_bytes: u64, bytes: u64) -> Vec<Request> {
        let own = self.0.read();
        let mut requests: Vec<Request> = Vec::with_capacity(1);
        let (mut at, end) = (offset_bytes, offset_bytes + bytes);
        while at < end {
            let piece = (AREA_BYTES - at % AREA_BYTES).min(end - at);
            let area = own.get((at / AREA_BYTES) as usize).copied().unwrap_or_default();
            let place = u64::from(area) * AREA_BYTES + at % AREA_BYTES;
            match requests.last_mut() {
                Some(last) if last.end_bytes() == place => last.bytes += piece,
                _ => requests.push(Request { direction, offset_bytes: place, bytes: piece }),
            }
            at += piece;
        }
        requests
    }

    /// The parts of a range of the volume that are this file's, as ranges of the file.
    pub(crate) fn of_volume(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let own = self.0.read();
        let part = |(number, area): (usize, &u32)| {
            let begin = u64::from(*area) * AREA_BYTES;
            let (from, to) = (range.start.max(begin), range.end.min(begin + AREA_BYTES));
            let file_begin = number as u64 * AREA_BYTES;
            (from < to).then(|| file_begin + from - begin..file_begin + to - begin)
        };
        own.iter().enumerate().filter_map(part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn volume(change: impl FnOnce(&mut DeviceProfile)) -> Volume {
        let mut profile = DeviceProfile::of(ModelKind::Ssd);
        change(&mut profile);
        Volume::new("v", &profile, Vec::new(), Arc::new(ManualClock::default()))
    }

    #[test]
    fn files_have_areas_of_their_own_and_give_them_back() {
        let volume = volume(|p| p.capacity_mb = Some(16));
        let (a, b) = (FileAreas::default(), FileAreas::default());
        volume.resize(&a, 5 << 20).unwrap();
        volume.resize(&b, 1).unwrap();
        volume.resize(&a, 9 << 20).unwrap();
        assert_eq!(volume.resize(&b, 5 << 20), Err(VolumeFull));
        let requests = a.requests(Direction::Read, (8 << 20) - 10, 20);
        let ranges: Vec<_> = requests.iter().map(|r| (r.offset_bytes, r.bytes)).collect();
        assert_eq!(ranges, [((8 << 20) - 10, 10), (12 << 20, 10)], "b lies between");
        assert_eq!(a.requests(Direction::Read, (4 << 20) - 10, 20).len(), 1, "neighbours are one request");
        assert_eq!(a.of_volume(&((8 << 20) - 1..(12 << 20) + 1)), [(8 << 20) - 1..8 << 20, 8 << 20..(8 << 20) + 1]);
        volume.release(&a);
        volume.resize(&b, 16 << 20).unwrap();
        assert_eq!(volume.report().used_bytes, 16 << 20);
    }

    /// What one request takes as long as several, when they are under way together.
    #[test]
    fn many_requests_keep_to_their_depth() {
        let volume = volume(|p| {
            (p.read_latency_us, p.read_mb_s, p.link_mb_s) = (Some(100.0), Some(1e6), Some(1e6));
        });
        let file = FileAreas::default();
        volume.resize(&file, 1 << 20).unwrap();
        let groups =
            |count: u64| (0..count).map(|n| file.requests(Direction::Read, n * 4096, 4096)).collect::<Vec<_>>();
        for (depth, all_us) in [(1, 400), (2, 200), (9, 100)] {
            let begun_us = volume.clock().now_us();
            assert_eq!(volume.perform_many(begun_us, depth, groups(4)), [100; 4]);
            assert_eq!(volume.clock().now_us() - begun_us, all_us);
        }
        let report = volume.report();
        assert_eq!((report.reads, report.read_us, report.queue_length), (12, 1_200, 0));
    }

    #[test]
    fn requests_take_their_time_and_count_once() {
        let volume = volume(|p| (p.read_mb_s, p.write_latency_us) = (Some(100.0), Some(40.0)));
        let file = FileAreas::default();
        volume.resize(&file, 1 << 20).unwrap();
        volume.perform(0, &file.requests(Direction::Read, 0, 100_000));
        assert_eq!(volume.clock().now_us(), 1_100);
        volume.perform(1_100, &file.requests(Direction::Write, 0, 4096));
        volume.sync();
        let report = volume.report();
        assert_eq!((report.reads, report.read_bytes, report.read_us), (1, 100_000, 1_100));
        assert_eq!((report.writes, report.write_bytes, report.syncs), (1, 4096, 1));
        assert_eq!((report.queue_length, report.queue_length_us / 10), (0, report.elapsed_us / 10), "always one open");
    }
}
