//! Flash in its forms: a disk behind SATA, a card on the bus, an array behind several links.
//!
//! ```text
//!   request ─▶ one of `channels`: latency ─▶ medium: bytes at read_mb_s or write_mb_s ─┐
//!                                        └▶ link that is free first: bytes at link_mb_s ─┴▶ done when both are
//! ```
//!
//! The defaults of the card give 62 µs for a read of 8 KB, and 700 MB/s of them at any depth from six on.
//!
//! What always holds: a channel looks for one request's bytes at a time; medium and links move one request's bytes at a time, first
//! come, first served, so nothing is faster than any of them; bytes pass medium and link at the same time. Reads and
//! writes share channels and links, and each has its rate on the medium. The end of a request is known when it arrives.

use super::station::{Direction, Known, Progress, Request, Station, Ticket};
use super::{ns_of_us, transfer_ns};
use crate::profile::{DeviceProfile, ModelKind};

/// Numbers of a flash device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlashParameters {
    /// Until the first byte of a read.
    pub read_latency_ns: u64,
    /// Until the first byte of a write.
    pub write_latency_ns: u64,
    /// Rate of the medium for reads.
    pub read_mb_s: f64,
    /// Rate of the medium for writes.
    pub write_mb_s: f64,
    /// Requests at a time.
    pub channels: usize,
    /// Links.
    pub links: usize,
    /// Rate of each link.
    pub link_mb_s: f64,
}

impl FlashParameters {
    /// What a profile says, with the model's defaults.
    #[must_use]
    pub fn of(profile: &DeviceProfile) -> FlashParameters {
        // read and write: latency in µs, MB/s; channels; links and the MB/s of each
        let (read_us, write_us, read_mb_s, write_mb_s, channels, links, link_mb_s) = match profile.model {
            ModelKind::PcieFlash => (50.0, 30.0, 700.0, 600.0, 25, 1, 1_000.0),
            ModelKind::Array => (250.0, 150.0, 1_600.0, 1_200.0, 64, 2, 400.0),
            _ => (100.0, 100.0, 250.0, 200.0, 10, 1, 300.0),
        };
        FlashParameters {
            read_latency_ns: ns_of_us(profile.read_latency_us.unwrap_or(read_us)),
            write_latency_ns: ns_of_us(profile.write_latency_us.unwrap_or(write_us)),
            read_mb_s: profile.read_mb_s.unwrap_or(read_mb_s),
            write_mb_s: profile.write_mb_s.unwrap_or(write_mb_s),
            channels: profile.channels.unwrap_or(channels) as usize,
            links: profile.links.unwrap_or(links) as usize,
            link_mb_s: profile.link_mb_s.unwrap_or(link_mb_s),
        }
    }

    fn latency_ns(&self, direction: Direction) -> u64 {
        match direction {
            Direction::Read => self.read_latency_ns,
            Direction::Write => self.write_latency_ns,
        }
    }

    fn medium_ns(&self, request: &Request) -> u64 {
        let mb_s = if request.is_read() { self.read_mb_s } else { self.write_mb_s };
        transfer_ns(request.bytes, mb_s)
    }

    /// What a request takes on a device that does nothing else.
    #[must_use]
    pub fn alone_ns(&self, request: &Request) -> u64 {
        let transfer_ns = self.medium_ns(request).max(transfer_ns(request.bytes, self.link_mb_s));
        self.latency_ns(request.direction) + transfer_ns
    }
}

/// A flash device.
#[derive(Debug)]
pub struct Flash {
    parameters: FlashParameters,
    /// When each channel is free.
    channels_ns: Vec<u64>,
    medium_ns: u64,
    links_ns: Vec<u64>,
    known: Known,
}

/// The one that is free first.
fn first_free(servers_ns: &mut [u64]) -> &mut u64 {
    servers_ns.iter_mut().min().expect("one server at least")
}

impl Flash {
    /// A device that was not used yet.
    #[must_use]
    pub fn new(parameters: FlashParameters) -> Flash {
        Flash {
            channels_ns: vec![0; parameters.channels],
            medium_ns: 0,
            links_ns: vec![0; parameters.links],
            known: Known::default(),
            parameters,
        }
    }

    fn ends_ns(&mut self, at_ns: u64, request: &Request) -> u64 {
        let flash = self.parameters;
        let channel = first_free(&mut self.channels_ns);
        let found_ns = at_ns.max(*channel) + flash.latency_ns(request.direction);
        // The next page is looked for while the bytes of this one pass.
        *channel = found_ns;
        self.medium_ns = self.medium_ns.max(found_ns) + flash.medium_ns(request);
        let link = first_free(&mut self.links_ns);
        *link = found_ns.max(*link) + transfer_ns(request.bytes, flash.link_mb_s);
        self.medium_ns.max(*link)
    }
}

impl Station for Flash {
    fn submit(&mut self, at_ns: u64, request: Request, _: u64) -> Ticket {
        let ends_ns = self.ends_ns(at_ns, &request);
        self.known.ticket(ends_ns)
    }

    fn poll(&mut self, ticket: Ticket, now_ns: u64) -> Progress {
        self.known.poll(ticket, now_ns)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::station::finish;
    use super::*;

    fn request(direction: Direction, bytes: u64) -> Request {
        Request { direction, offset_bytes: 0, bytes }
    }

    /// MB/s when as many requests are open as `depth`.
    fn rate(parameters: FlashParameters, request: Request, depth: usize) -> f64 {
        let mut flash = Flash::new(parameters);
        let mut ends: std::collections::VecDeque<u64> = vec![0; depth].into();
        let count = 4_000;
        for _ in 0..count {
            let at_ns = ends.pop_front().unwrap();
            let ticket = flash.submit(at_ns, request, 0);
            ends.push_back(finish(&mut flash, ticket, at_ns));
        }
        (count * request.bytes) as f64 * 1e3 / *ends.back().unwrap() as f64
    }

    #[test]
    fn bandwidth_grows_with_size_and_depth_up_to_the_medium() {
        let card = FlashParameters::of(&DeviceProfile::of(ModelKind::PcieFlash));
        let read = |bytes, depth| rate(card, request(Direction::Read, bytes), depth);
        // 50 µs and 8,192 bytes at 700 MB/s: 61.7 µs.
        assert!((read(8192, 1) / (8192.0 / 61.7) - 1.0).abs() < 0.01, "{}", read(8192, 1));
        assert!(read(65_536, 1) > read(8192, 1) * 3.0);
        assert!((read(8192, 32) / 700.0 - 1.0).abs() < 0.02, "{}", read(8192, 32));
        assert!((rate(card, request(Direction::Write, 1 << 20), 32) / 600.0 - 1.0).abs() < 0.02);
        // 25 channels of 50 µs: half a million reads a second, whatever their size.
        assert!((read(512, 64) / 256.0 - 1.0).abs() < 0.02, "{}", read(512, 64));
    }

    #[test]
    fn links_share_the_load_and_each_has_its_limit() {
        let array = FlashParameters::of(&DeviceProfile::of(ModelKind::Array));
        let read = request(Direction::Read, 256 << 10);
        for links in 1..=4 {
            let rate = rate(FlashParameters { links, ..array }, read, 32);
            let expected = (links as f64 * 400.0).min(1_600.0);
            assert!((rate / expected - 1.0).abs() < 0.03, "{links} links: {rate} MB/s");
        }
        assert!(rate(array, read, 1) < 400.0, "one request uses one link");
    }

    proptest! {
        /// Never before it arrived, never faster than alone; a larger request never ends earlier.
        #[test]
        fn no_request_is_faster_than_alone(
            requests in prop::collection::vec((0_u64..5_000, prop::bool::ANY, 1_u64..2_000_000), 1..50),
        ) {
            let parameters = FlashParameters::of(&DeviceProfile::of(ModelKind::Array));
            let (mut flash, mut larger) = (Flash::new(parameters), Flash::new(parameters));
            let mut at_ns = 0;
            for (pause_ns, is_read, bytes) in requests {
                at_ns += pause_ns;
                let direction = if is_read { Direction::Read } else { Direction::Write };
                let ends_ns = flash.ends_ns(at_ns, &request(direction, bytes));
                prop_assert!(ends_ns >= at_ns + parameters.alone_ns(&request(direction, bytes)));
                let larger_ns = larger.ends_ns(at_ns, &request(direction, bytes + 4096));
                prop_assert!(larger_ns >= ends_ns);
            }
        }
    }
}
