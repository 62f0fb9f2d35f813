//! The cache of a controller in front of a device: it answers writes before the device has them, reads ahead of streams,
//! and writes to the device in order of place.
//!
//! ```text
//!   write ─▶ room in the write part? ── yes ─▶ held: answered at once      destaging: sorted runs up to 1 MB,
//!                                   └── no ──▶ waits until a run made room    above `destage_percent`, when no request
//!   read  ─▶ all lines here or held? ─ yes ─▶ answered at once                asked for 100 ms, or for a sync
//!                                   └─ no ──▶ the device, then kept; two in a row: the device reads on ahead
//! ```
//!
//! What always holds:
//! - C1 A line of 8 KB is held once; what is held and what is on its way to the device never exceed the write part.
//! - C2 A sync is done when everything that was held at its arrival is on the device; with a battery, or when the cache
//!   ignores syncs, at once. Of a cache that ignores them [`Cache::take_arrived`] says what has come to the device, so
//!   that a power cut can be honest.
//! - C3 Hits wait for nothing but the bus, which moves one request's bytes at a time.
//! - C4 Writes that wait for room get it in their order. Only what is larger than the write part goes to the device
//!   itself: past the order of place it would cost the device more than what it waits for.
//!
//! It holds no bytes, only what time they would take.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use super::station::{Direction, Progress, Request, Station, Ticket};
use super::{ns_of_us, transfer_ns};
use crate::profile::CacheProfile;

/// What is held or kept at a time.
pub const LINE_BYTES: u64 = 8192;
/// Lines that go to the device in one request: 1 MB.
const RUN_LINES_MAX: u64 = 128;
/// No request came for as long: the device is idle.
const IDLE_NS: u64 = 100_000_000;
/// Requests to the device at a time when the write part is full or a sync waits: enough to hold their own against
/// those that read, in the queue of a drive; and otherwise.
const RUNS_URGENT: usize = 32;
const RUNS: usize = 4;
/// Full enough to be urgent: 15/16 of the write part.
const URGENT_SIXTEENTHS: u64 = 15;
/// Streams that are distinguished.
const STREAMS_MAX: usize = 16;

/// What a cache has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// Reads that it answered.
    pub read_hits: u64,
    /// Reads that went to the device.
    pub read_misses: u64,
    /// Writes that it held.
    pub writes_held: u64,
    /// Writes that waited for room before they were held.
    pub writes_waited: u64,
    /// Writes that went to the device because they are larger than the write part.
    pub writes_through: u64,
    /// Bytes read ahead.
    pub read_ahead_bytes: u64,
    /// Held bytes that have been written to the device.
    pub destaged_bytes: u64,
    /// Bytes held now.
    pub held_bytes: u64,
}

/// Lines kept for reads, the one that was used longest ago first to go.
#[derive(Debug, Default)]
struct Kept {
    lines_max: usize,
    used: HashMap<u64, u64>,
    by_use: BTreeMap<u64, u64>,
    last_use: u64,
}

impl Kept {
    fn keep(&mut self, line: u64) {
        if self.lines_max == 0 {
            return;
        }
        self.last_use += 1;
        if let Some(before) = self.used.insert(line, self.last_use) {
            self.by_use.remove(&before);
        }
        self.by_use.insert(self.last_use, line);
        if self.used.len() > self.lines_max
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.used.remove(&oldest);
        }
    }

    fn drop_line(&mut self, line: u64) {
        if let Some(used) = self.used.remove(&line) {
            self.by_use.remove(&used);
        }
    }
}

/// Lines on their way to or from the device.
#[derive(Debug)]
struct Run {
    ticket: Ticket,
    lines: Range<u64>,
    /// Of a destaging run: when its oldest line was written.
    oldest: u64,
}

/// A request of a caller.
#[derive(Debug)]
enum Open {
    /// Its end is known.
    At(u64),
    /// A write that waits for room.
    Room,
    /// The device answers it; a read is then kept, and a write has then arrived.
    Device { ticket: Ticket, request: Request },
    /// A read whose last line is read ahead already: arrival and size.
    Arriving { ahead: Ticket, at_ns: u64, bytes: u64 },
    /// A sync that waits for what was held before this stamp.
    Sync { before: u64, at_ns: u64 },
}

#[derive(Debug)]
struct Stream {
    next_bytes: u64,
    ahead_to_line: u64,
}

/// A controller cache.
#[derive(Debug)]
pub struct Cache {
    write_lines: u64,
    high_lines: u64,
    latency_ns: u64,
    bus_mb_s: f64,
    ahead_lines: u64,
    syncs_at_once: bool,
    ignores_sync: bool,
    kept: Kept,
    /// Held lines with the stamp of their oldest write.
    held: BTreeMap<u64, u64>,
    by_stamp: BTreeMap<u64, u64>,
    last_stamp: u64,
    destaging: Vec<Run>,
    reading_ahead: Vec<Run>,
    open: HashMap<Ticket, Open>,
    last_ticket: u64,
    /// C4: in the order of their arrival.
    waiting: VecDeque<(Ticket, Request)>,
    streams: Vec<Stream>,
    /// Where the next run begins: one way over the device, then again from its start.
    cursor_line: u64,
    bus_free_ns: u64,
    asked_ns: u64,
    arrived: Vec<Range<u64>>,
    report: CacheReport,
}

fn lines_of(request: &Request) -> Range<u64> {
    request.offset_bytes / LINE_BYTES..request.end_bytes().div_ceil(LINE_BYTES)
}

fn bytes_of(lines: &Range<u64>) -> u64 {
    (lines.end - lines.start) * LINE_BYTES
}

impl Cache {
    /// A cache as the profile says, empty.
    #[must_use]
    pub fn new(profile: &CacheProfile) -> Cache {
        let lines = (profile.size_mb << 20) / LINE_BYTES;
        let read_lines = lines * u64::from(profile.read_percent) / 100;
        let write_lines = lines - read_lines;
        let ahead_lines = (u64::from(profile.read_ahead_kb) << 10) / LINE_BYTES;
        Cache {
            write_lines,
            high_lines: write_lines * u64::from(profile.destage_percent) / 100,
            latency_ns: ns_of_us(profile.latency_us),
            bus_mb_s: profile.bus_mb_s,
            ahead_lines: ahead_lines.min(read_lines / 2),
            syncs_at_once: profile.battery || profile.ignores_sync,
            ignores_sync: profile.ignores_sync,
            kept: Kept { lines_max: read_lines as usize, ..Kept::default() },
            held: BTreeMap::new(),
            by_stamp: BTreeMap::new(),
            last_stamp: 0,
            destaging: Vec::new(),
            reading_ahead: Vec::new(),
            open: HashMap::new(),
            last_ticket: 0,
            waiting: VecDeque::new(),
            streams: Vec::new(),
            cursor_line: 0,
            bus_free_ns: 0,
            asked_ns: 0,
            arrived: Vec::new(),
            report: CacheReport::default(),
        }
    }

    /// What it did so far, and holds now.
    #[must_use]
    pub fn report(&self) -> CacheReport {
        CacheReport { held_bytes: self.occupied_lines() * LINE_BYTES, ..self.report }
    }

    /// What has come to the device since the last call, of a cache that ignores syncs: offsets in bytes.
    pub fn take_arrived(&mut self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.arrived)
    }

    fn occupied_lines(&self) -> u64 {
        let on_the_way: u64 = self.destaging.iter().map(|run| run.lines.end - run.lines.start).sum();
        self.held.len() as u64 + on_the_way
    }

    fn open(&mut self, open: Open) -> Ticket {
        self.last_ticket += 1;
        self.open.insert(Ticket(self.last_ticket), open);
        Ticket(self.last_ticket)
    }

    /// C3: when a request is answered from memory.
    fn answer_ns(&mut self, at_ns: u64, bytes: u64) -> u64 {
        self.bus_free_ns = self.bus_free_ns.max(at_ns + self.latency_ns) + transfer_ns(bytes, self.bus_mb_s);
        self.bus_free_ns
    }

    /// Takes a request; `device` is what lies below.
    pub fn submit(&mut self, at_ns: u64, request: Request, device: &mut dyn Station, span_bytes: u64) -> Ticket {
        self.advance(at_ns, device, span_bytes);
        self.asked_ns = self.asked_ns.max(at_ns);
        let open = match request.direction {
            Direction::Read => self.read(at_ns, request, device, span_bytes),
            Direction::Write => self.write(at_ns, request, device, span_bytes),
        };
        let has_to_wait = matches!(open, Open::Room);
        let ticket = self.open(open);
        if has_to_wait {
            self.report.writes_waited += 1;
            self.waiting.push_back((ticket, request));
            self.destage(at_ns, device, span_bytes);
        }
        ticket
    }

    /// Takes a sync.
    pub fn submit_sync(&mut self, at_ns: u64, device: &mut dyn Station, span_bytes: u64) -> Ticket {
        self.advance(at_ns, device, span_bytes);
        if self.syncs_at_once {
            let answer_ns = self.answer_ns(at_ns, 0);
            return self.open(Open::At(answer_ns));
        }
        let ticket = self.open(Open::Sync { before: self.last_stamp + 1, at_ns });
        self.destage(at_ns, device, span_bytes);
        self.settle_syncs(at_ns);
        ticket
    }

    fn read(&mut self, at_ns: u64, request: Request, device: &mut dyn Station, span_bytes: u64) -> Open {
        let lines = lines_of(&request);
        let open = match self.find(&lines) {
            Some(None) => Open::At(self.answer_ns(at_ns, request.bytes)),
            Some(Some(ahead)) => Open::Arriving { ahead, at_ns, bytes: request.bytes },
            None => {
                self.report.read_misses += 1;
                let ticket = device.submit(at_ns, request, span_bytes);
                self.read_on(at_ns, &request, device, span_bytes);
                return Open::Device { ticket, request };
            }
        };
        self.report.read_hits += 1;
        let used = lines.filter(|line| self.kept.used.contains_key(line)).collect::<Vec<_>>();
        used.into_iter().for_each(|line| self.kept.keep(line));
        self.read_on(at_ns, &request, device, span_bytes);
        open
    }

    /// Whether all lines are here, or on their way here; then with the read that brings the last of them.
    fn find(&self, lines: &Range<u64>) -> Option<Option<Ticket>> {
        let mut last = None;
        for line in lines.clone() {
            let is_here = self.held.contains_key(&line)
                || self.kept.used.contains_key(&line)
                || self.destaging.iter().any(|run| run.lines.contains(&line));
            if !is_here {
                last = Some(self.reading_ahead.iter().find(|run| run.lines.contains(&line))?.ticket);
            }
        }
        Some(last)
    }

    /// The second request of a stream and those after it make the device read on.
    fn read_on(&mut self, at_ns: u64, request: &Request, device: &mut dyn Station, span_bytes: u64) {
        let after_line = lines_of(request).end;
        let found = self.streams.iter().position(|stream| stream.next_bytes == request.offset_bytes);
        let mut stream = match found {
            Some(number) => self.streams.remove(number),
            None => Stream { next_bytes: 0, ahead_to_line: 0 },
        };
        stream.next_bytes = request.end_bytes();
        let wanted_line = (after_line + self.ahead_lines).min(span_bytes / LINE_BYTES);
        let from_line = stream.ahead_to_line.max(after_line);
        if found.is_some() && from_line < wanted_line && from_line <= after_line + self.ahead_lines / 2 {
            let lines = from_line..wanted_line;
            let ahead =
                Request { direction: Direction::Read, offset_bytes: from_line * LINE_BYTES, bytes: bytes_of(&lines) };
            self.report.read_ahead_bytes += ahead.bytes;
            let ticket = device.submit(at_ns, ahead, span_bytes);
            self.reading_ahead.push(Run { ticket, lines, oldest: 0 });
            stream.ahead_to_line = wanted_line;
        }
        self.streams.insert(0, stream);
        self.streams.truncate(STREAMS_MAX);
    }

    fn write(&mut self, at_ns: u64, request: Request, device: &mut dyn Station, span_bytes: u64) -> Open {
        let lines = lines_of(&request);
        lines.clone().for_each(|line| self.kept.drop_line(line));
        if lines.end - lines.start > self.write_lines {
            self.report.writes_through += 1;
            self.forget(&request);
            return Open::Device { ticket: device.submit(at_ns, request, span_bytes), request };
        }
        if !self.waiting.is_empty() || !self.has_room(&lines) {
            return Open::Room;
        }
        self.hold(lines);
        self.destage(at_ns, device, span_bytes);
        Open::At(self.answer_ns(at_ns, request.bytes))
    }

    /// C1: whether these lines can be held beside what is.
    fn has_room(&self, lines: &Range<u64>) -> bool {
        let new = lines.clone().filter(|line| !self.held.contains_key(line)).count() as u64;
        self.occupied_lines() + new <= self.write_lines
    }

    fn hold(&mut self, lines: Range<u64>) {
        self.report.writes_held += 1;
        for line in lines {
            self.last_stamp += 1;
            let stamp = self.last_stamp;
            if let std::collections::btree_map::Entry::Vacant(place) = self.held.entry(line) {
                place.insert(stamp);
                self.by_stamp.insert(stamp, line);
            }
        }
    }

    /// C4: a run has made room.
    fn admit(&mut self, at_ns: u64) {
        while let Some(&(ticket, request)) = self.waiting.front()
            && self.has_room(&lines_of(&request))
        {
            self.waiting.pop_front();
            self.hold(lines_of(&request));
            let answer_ns = self.answer_ns(at_ns, request.bytes);
            self.open.insert(ticket, Open::At(answer_ns));
        }
    }

    /// What a write through the cache covers whole need not be written again.
    fn forget(&mut self, request: &Request) {
        let whole = request.offset_bytes.div_ceil(LINE_BYTES)..request.end_bytes() / LINE_BYTES;
        for line in whole {
            if let Some(stamp) = self.held.remove(&line) {
                self.by_stamp.remove(&stamp);
            }
        }
    }

    /// Runs that may be on their way at that time.
    fn runs_max(&self, at_ns: u64) -> usize {
        let is_urgent = !self.waiting.is_empty()
            || self.occupied_lines() * 16 >= self.write_lines * URGENT_SIXTEENTHS
            || self.open.values().any(|open| matches!(open, Open::Sync { .. }));
        let is_wanted = self.held.len() as u64 > self.high_lines || at_ns >= self.asked_ns + IDLE_NS;
        match (is_urgent, is_wanted) {
            (true, _) => RUNS_URGENT,
            (false, true) => RUNS,
            (false, false) => 0,
        }
    }

    /// Sends sorted runs to the device, as many as may be on their way.
    fn destage(&mut self, at_ns: u64, device: &mut dyn Station, span_bytes: u64) {
        while self.destaging.len() < self.runs_max(at_ns) {
            let Some(run) = self.next_run() else { return };
            let request = Request {
                direction: Direction::Write,
                offset_bytes: run.0.start * LINE_BYTES,
                bytes: bytes_of(&run.0),
            };
            let ticket = device.submit(at_ns, request, span_bytes);
            self.destaging.push(Run { ticket, lines: run.0, oldest: run.1 });
        }
    }

    /// The next neighbours in order of place, taken out of what is held; with the oldest stamp among them.
    fn next_run(&mut self) -> Option<(Range<u64>, u64)> {
        let ahead = self.held.range(self.cursor_line..).next();
        let (&first, _) = ahead.or_else(|| self.held.iter().next())?;
        let mut lines = first..first;
        let mut oldest = u64::MAX;
        while lines.end - first < RUN_LINES_MAX
            && let Some(stamp) = self.held.remove(&lines.end)
        {
            self.by_stamp.remove(&stamp);
            oldest = oldest.min(stamp);
            lines.end += 1;
        }
        self.cursor_line = lines.end;
        Some((lines, oldest))
    }

    /// Carries the state forward: what came to the device, what came from it, what then was sent.
    pub fn advance(&mut self, now_ns: u64, device: &mut dyn Station, span_bytes: u64) {
        loop {
            let came_ns = self.collect(now_ns, device);
            let idle_ns = self.asked_ns + IDLE_NS;
            let is_idle = idle_ns <= now_ns && self.destaging.is_empty() && !self.held.is_empty();
            match came_ns {
                Some(came_ns) => self.destage(came_ns, device, span_bytes),
                None if is_idle => self.destage(idle_ns, device, span_bytes),
                None => return,
            }
        }
    }

    /// Takes in what is done; says when the last of it was.
    fn collect(&mut self, now_ns: u64, device: &mut dyn Station) -> Option<u64> {
        let mut came_ns = None;
        for number in (0..self.reading_ahead.len()).rev() {
            if let Progress::Done { at_ns } = device.poll(self.reading_ahead[number].ticket, now_ns) {
                let run = self.reading_ahead.swap_remove(number);
                self.settle(run.ticket, at_ns);
                self.keep(run.lines);
                came_ns = came_ns.max(Some(at_ns));
            }
        }
        for number in (0..self.destaging.len()).rev() {
            if let Progress::Done { at_ns } = device.poll(self.destaging[number].ticket, now_ns) {
                let run = self.destaging.swap_remove(number);
                self.report.destaged_bytes += bytes_of(&run.lines);
                self.arrived(run.lines.start * LINE_BYTES..run.lines.end * LINE_BYTES);
                self.keep(run.lines);
                self.admit(at_ns);
                came_ns = came_ns.max(Some(at_ns));
            }
        }
        if let Some(at_ns) = came_ns {
            self.settle_syncs(at_ns);
        }
        came_ns
    }

    fn arrived(&mut self, range: Range<u64>) {
        if self.ignores_sync {
            self.arrived.push(range);
        }
    }

    fn keep(&mut self, lines: Range<u64>) {
        for line in lines {
            if !self.held.contains_key(&line) {
                self.kept.keep(line);
            }
        }
    }

    /// Reads that waited for what was read ahead get their end.
    fn settle(&mut self, ahead: Ticket, came_ns: u64) {
        let waiting = self.open.iter().filter_map(|(ticket, open)| match open {
            Open::Arriving { ahead: of, at_ns, bytes } if *of == ahead => Some((*ticket, *at_ns, *bytes)),
            _ => None,
        });
        let mut waiting: Vec<_> = waiting.collect();
        waiting.sort_unstable();
        for (ticket, at_ns, bytes) in waiting {
            let answer_ns = self.answer_ns(at_ns.max(came_ns), bytes);
            self.open.insert(ticket, Open::At(answer_ns));
        }
    }

    fn settle_syncs(&mut self, at_ns: u64) {
        let on_the_way = self.destaging.iter().map(|run| run.oldest).min();
        let oldest = on_the_way.into_iter().chain(self.by_stamp.first_key_value().map(|(stamp, _)| *stamp)).min();
        for open in self.open.values_mut() {
            if let Open::Sync { before, at_ns: asked_ns } = open
                && oldest.is_none_or(|oldest| oldest >= *before)
            {
                *open = Open::At(at_ns.max(*asked_ns));
            }
        }
    }

    /// As [`Station::poll`], for a request or a sync.
    ///
    /// # Panics
    /// When the ticket is void.
    pub fn poll(&mut self, ticket: Ticket, now_ns: u64, device: &mut dyn Station, span_bytes: u64) -> Progress {
        self.advance(now_ns, device, span_bytes);
        self.settle_syncs(now_ns);
        let open = self.open.get(&ticket).expect("a ticket that is not done");
        let progress = match open {
            Open::At(at_ns) if *at_ns <= now_ns => Progress::Done { at_ns: *at_ns },
            Open::At(at_ns) => Progress::NotBefore { at_ns: *at_ns },
            Open::Device { ticket, .. } => device.poll(*ticket, now_ns),
            Open::Arriving { ahead, .. } => device.poll(*ahead, now_ns),
            Open::Room | Open::Sync { .. } => self.next_destaged(now_ns, device),
        };
        if let Progress::Done { .. } = progress
            && let Some(Open::Device { request, .. }) = self.open.remove(&ticket)
        {
            match request.direction {
                Direction::Read => self.keep(lines_of(&request)),
                Direction::Write => self.arrived(request.offset_bytes..request.end_bytes()),
            }
        }
        progress
    }

    /// When the next run comes to the device.
    fn next_destaged(&self, now_ns: u64, device: &mut dyn Station) -> Progress {
        let next = self.destaging.iter().map(|run| match device.poll(run.ticket, now_ns) {
            Progress::NotBefore { at_ns } => at_ns,
            Progress::Done { .. } => unreachable!("collected just now"),
        });
        Progress::NotBefore { at_ns: next.min().expect("a request that waits for runs has one on its way") }
    }
}
