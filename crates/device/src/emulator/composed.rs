//! Several devices as one: a stripe, block by block in turn, or a mirror with the same bytes on each.
//!
//! What always holds: a request is done when its last part is. A stripe hands each member one request for all its blocks
//! of a request, since neighbouring blocks of one member are neighbours there. A mirror writes to all members and reads
//! from the one with the fewest requests open, the next one in turn among equals. Members keep counters of their own;
//! other files may lie on them too.

use std::collections::HashMap;
use std::sync::Arc;

use super::station::{Direction, Member, Progress, Request, Station, Ticket};

/// Requests to members that make one of the whole.
#[derive(Debug, Default)]
struct Parts {
    open: HashMap<Ticket, Vec<Part>>,
    last: u64,
}

#[derive(Debug)]
struct Part {
    member: usize,
    ticket: Ticket,
    done_ns: Option<u64>,
}

impl Parts {
    fn open(&mut self, parts: Vec<Part>) -> Ticket {
        self.last += 1;
        self.open.insert(Ticket(self.last), parts);
        Ticket(self.last)
    }

    fn poll(&mut self, members: &[Arc<dyn Member>], ticket: Ticket, now_ns: u64) -> Progress {
        let parts = self.open.get_mut(&ticket).expect("a ticket that is not done");
        let mut next_ns: Option<u64> = None;
        for part in parts.iter_mut().filter(|part| part.done_ns.is_none()) {
            match members[part.member].poll(part.ticket, now_ns) {
                Progress::Done { at_ns } => part.done_ns = Some(at_ns),
                Progress::NotBefore { at_ns } => next_ns = Some(next_ns.map_or(at_ns, |next_ns| next_ns.min(at_ns))),
            }
        }
        if let Some(at_ns) = next_ns {
            return Progress::NotBefore { at_ns };
        }
        let at_ns = parts.iter().filter_map(|part| part.done_ns).max().expect("a request has a part");
        self.open.remove(&ticket);
        Progress::Done { at_ns }
    }
}

/// Block by block in turn.
#[derive(Debug)]
pub struct Stripe {
    members: Vec<Arc<dyn Member>>,
    stripe_bytes: u64,
    parts: Parts,
}

impl Stripe {
    /// A stripe of two devices or more.
    #[must_use]
    pub fn new(members: Vec<Arc<dyn Member>>, stripe_bytes: u64) -> Stripe {
        Stripe { members, stripe_bytes, parts: Parts::default() }
    }

    /// The part of a request that lies on a member, if there is one.
    fn part(&self, member: u64, request: &Request) -> Option<Request> {
        let count = self.members.len() as u64;
        // Bytes of the member that lie before a place of the whole.
        let before = |place: u64| {
            let (block, within) = (place / self.stripe_bytes, place % self.stripe_bytes);
            let whole = (block + count - 1 - member) / count * self.stripe_bytes;
            whole + if block % count == member { within } else { 0 }
        };
        let (offset_bytes, end) = (before(request.offset_bytes), before(request.end_bytes()));
        (end > offset_bytes).then_some(Request { offset_bytes, bytes: end - offset_bytes, ..*request })
    }
}

impl Station for Stripe {
    fn submit(&mut self, at_ns: u64, request: Request, span_bytes: u64) -> Ticket {
        let share_bytes = span_bytes / self.members.len() as u64;
        let on = |(member, device): (usize, &Arc<dyn Member>)| {
            let part = self.part(member as u64, &request)?;
            Some(Part { member, ticket: device.submit(at_ns, part, share_bytes), done_ns: None })
        };
        let parts = self.members.iter().enumerate().filter_map(on).collect();
        self.parts.open(parts)
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.parts.poll(&self.members, ticket, now_ns)
    }
}

/// The same bytes on each.
#[derive(Debug)]
pub struct Mirror {
    members: Vec<Arc<dyn Member>>,
    last_read: usize,
    parts: Parts,
}

impl Mirror {
    /// A mirror of two devices or more.
    #[must_use]
    pub fn new(members: Vec<Arc<dyn Member>>) -> Mirror {
        Mirror { members, last_read: 0, parts: Parts::default() }
    }

    fn reader(&mut self) -> usize {
        let count = self.members.len();
        let in_turn = (1..=count).map(|step| (self.last_read + step) % count);
        self.last_read = in_turn.min_by_key(|member| self.members[*member].open_count()).expect("two members at least");
        self.last_read
    }
}

impl Station for Mirror {
    fn submit(&mut self, at_ns: u64, request: Request, span_bytes: u64) -> Ticket {
        let members = match request.direction {
            Direction::Read => {
                let reader = self.reader();
                reader..reader + 1
            }
            Direction::Write => 0..self.members.len(),
        };
        let on = |member: usize| {
            let ticket = self.members[member].submit(at_ns, request, span_bytes);
            Part { member, ticket, done_ns: None }
        };
        let parts = members.map(on).collect();
        self.parts.open(parts)
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.parts.poll(&self.members, ticket, now_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::station::finish;
    use super::super::volume::Volume;
    use super::*;
    use crate::clock::ManualClock;
    use crate::profile::{DeviceProfile, ModelKind};

    fn new_cards(count: usize) -> Vec<Arc<Volume>> {
        let profile = DeviceProfile::of(ModelKind::PcieFlash);
        let card =
            |n| Arc::new(Volume::new(&format!("card{n}"), &profile, Vec::new(), Arc::new(ManualClock::default())));
        (0..count).map(card).collect()
    }

    fn members(volumes: &[Arc<Volume>]) -> Vec<Arc<dyn Member>> {
        volumes.iter().map(|volume| volume.clone() as Arc<dyn Member>).collect()
    }

    /// MB/s of requests of 1 MB, four at a time.
    fn rate(station: &mut dyn Station, direction: Direction) -> f64 {
        let mut ends: std::collections::VecDeque<u64> = vec![0; 4].into();
        for number in 0..500 {
            let at_ns = ends.pop_front().unwrap();
            let request = Request { direction, offset_bytes: number << 20, bytes: 1 << 20 };
            let ticket = station.submit(at_ns, request, 1 << 30);
            ends.push_back(finish(station, ticket, at_ns));
        }
        (500_u64 << 20) as f64 * 1e3 / *ends.back().unwrap() as f64
    }

    #[test]
    fn two_striped_devices_are_nearly_twice_as_fast_as_one() {
        for direction in [Direction::Read, Direction::Write] {
            let one = rate(&mut Stripe::new(members(&new_cards(1)), 64 << 10), direction);
            let two = rate(&mut Stripe::new(members(&new_cards(2)), 64 << 10), direction);
            assert!(two >= one * 1.9, "{one} and {two} MB/s");
        }
    }

    #[test]
    fn a_mirror_reads_from_all_and_writes_to_all() {
        let cards = new_cards(2);
        let mut mirror = Mirror::new(members(&cards));
        let one = rate(&mut Mirror::new(members(&new_cards(1))), Direction::Read);
        assert!(rate(&mut mirror, Direction::Read) >= one * 1.9);
        let reads: Vec<u64> = cards.iter().map(|card| card.report().reads).collect();
        assert_eq!(reads, [250, 250]);
        let written = rate(&mut mirror, Direction::Write);
        assert!(written <= rate(&mut Mirror::new(members(&new_cards(1))), Direction::Write) * 1.01);
        assert!(cards.iter().all(|card| card.report().writes == 500));
    }

    proptest! {
        /// The parts of a request are as many bytes as the request, and parts of neighbours are neighbours.
        #[test]
        fn parts_make_the_whole(count in 2_usize..5, cuts in prop::collection::vec(1_u64..300_000, 1..20)) {
            let stripe = Stripe::new(members(&new_cards(count)), 4096);
            let mut ends = vec![0; count];
            let mut offset_bytes = 0;
            for bytes in cuts {
                let request = Request { direction: Direction::Read, offset_bytes, bytes };
                let parts = (0..count).map(|member| (member, stripe.part(member as u64, &request)));
                let mut sum = 0;
                for (member, part) in parts.filter_map(|(member, part)| Some((member, part?))) {
                    prop_assert_eq!(part.offset_bytes, ends[member]);
                    ends[member] = part.end_bytes();
                    sum += part.bytes;
                }
                prop_assert_eq!(sum, bytes);
                offset_bytes += bytes;
            }
        }
    }
}
