//! What every emulated device offers to threads that wait for it: a request goes in at a time, and later it is done.
//!
//! What always holds: a ticket is polled until it is done and then no more. Times of polls may run back;
//! the state never goes back. A request is never done before it arrived.

pub use crate::profile::Direction;

/// A request to a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which way.
    pub direction: Direction,
    /// Where on the volume.
    pub offset_bytes: u64,
    /// How much.
    pub bytes: u64,
}

impl Request {
    /// Where the next one begins if it follows.
    #[must_use]
    pub fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.bytes
    }

    /// Whether it is a read.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.direction == Direction::Read
    }
}

/// A request that was submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);

/// How far a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It was done at that time.
    Done {
        /// Nanoseconds.
        at_ns: u64,
    },
    /// It is not done; nothing is going to happen to it before that time, which lies ahead.
    NotBefore {
        /// Nanoseconds.
        at_ns: u64,
    },
}

/// An emulated device.
pub trait Station: Send + std::fmt::Debug {
    /// Takes a request that arrives at `at_ns`. `span_bytes` is the size of the volume now.
    fn submit(&mut self, at_ns: u64, request: Request, span_bytes: u64) -> Ticket;

    /// How far the request is at `now_ns`; once it is done the ticket is void.
    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress;

    /// Nanoseconds that it has worked for reads and for writes, if it does one thing at a time.
    fn worked_ns(&self) -> Option<[u64; 2]> {
        None
    }
}

/// A device that is a part of another one and may be used by others too.
pub trait Member: Send + Sync + std::fmt::Debug {
    /// As [`Station::submit`]; the whole lays `needed_bytes` on this part.
    fn submit(&self, at_ns: u64, request: Request, needed_bytes: u64) -> Ticket;

    /// As [`Station::poll`].
    fn poll(&self, ticket: Ticket, now_ns: u64) -> Progress;

    /// Requests open now.
    fn open_count(&self) -> u64;
}

/// Requests whose end is known when they arrive.
#[derive(Debug, Default)]
pub struct Known {
    last: u64,
    ends_ns: std::collections::HashMap<Ticket, u64>,
}

impl Known {
    /// A ticket for a request that is done at `end_ns`.
    pub fn ticket(&mut self, end_ns: u64) -> Ticket {
        self.last += 1;
        self.ends_ns.insert(Ticket(self.last), end_ns);
        Ticket(self.last)
    }

    /// As [`Station::poll`].
    ///
    /// # Panics
    /// When the ticket is void.
    pub fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        let at_ns = *self.ends_ns.get(&ticket).expect("a ticket that is not done");
        if at_ns > now_ns {
            return Progress::NotBefore { at_ns };
        }
        self.ends_ns.remove(&ticket);
        Progress::Done { at_ns }
    }

    /// Requests not yet seen to be done.
    #[must_use]
    pub fn count_after(&self, now_ns: u64) -> usize {
        self.ends_ns.values().filter(|end_ns| **end_ns > now_ns).count()
    }
}

/// No time at all.
#[derive(Debug, Default)]
pub struct Instantly(Known);

impl Station for Instantly {
    fn submit(&mut self, at_ns: u64, _: Request, _: u64) -> Ticket {
        self.0.ticket(at_ns)
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.0.poll(ticket, now_ns)
    }
}

/// Polls until the request is done and says when: for tests and for callers that need no clock.
pub fn finish(station: &mut dyn Station, ticket: Ticket, mut now_ns: u64) -> u64 {
    loop {
        match station.poll(ticket, now_ns) {
            Progress::Done { at_ns } => return at_ns,
            Progress::NotBefore { at_ns } => now_ns = at_ns,
        }
    }
}
