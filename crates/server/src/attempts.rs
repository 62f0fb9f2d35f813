//! Which names failed to log in, and how long the next attempt waits; and which addresses sent a login in the clear.
//!
//! ```text
//!   attempt ─▶ no failure known: at once ─▶ password ─▶ right: forgotten
//!           └▶ else its turn ─▶ password                └▶ wrong: the next turns are further apart
//! ```
//!
//! What always holds: a name that never failed from an address waits for nothing; attempts of one name from one address
//! take turns, so that many connections at a time are no faster than one; none waits longer than [`WAIT_MAX`] or for
//! another name or address. Memory is bounded: the oldest failures are forgotten first.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

/// Pairs of address and name that are remembered.
const KNOWN_MAX: usize = 4096;
/// An attempt never waits longer: clients give up after 15 s.
const WAIT_MAX: Duration = Duration::from_secs(8);
/// So long after the last failure all is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(600);
/// Between the first failure and the next attempt; twice that after the second, and so on.
const FIRST_STEP: Duration = Duration::from_millis(250);
/// From this machine: the first, and the longest.
const LOCAL_STEPS: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));
/// Longer names are distinguished by so many bytes.
const NAME_BYTES_MAX: usize = 256;

/// What is known of a name at an address.
#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Instant,
    /// When the next attempt may be made.
    next: Instant,
}

type Origin = (IpAddr, Box<str>);

/// Failed logins of all addresses.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    failed: Mutex<HashMap<Origin, Failures>>,
    in_the_clear: Mutex<HashSet<IpAddr>>,
}

/// The distance of two attempts after so many failures.
fn step(address: IpAddr, count: u32) -> Duration {
    let (first, most) = if address.is_loopback() { LOCAL_STEPS } else { (FIRST_STEP, WAIT_MAX) };
    first.saturating_mul(1 << count.saturating_sub(1).min(16)).min(most)
}

fn origin(address: IpAddr, name: &str) -> Origin {
    let end = (0..=name.len().min(NAME_BYTES_MAX)).rev().find(|at| name.is_char_boundary(*at)).unwrap_or(0);
    (address.to_canonical(), name[..end].to_lowercase().into())
}

impl Attempts {
    /// When an attempt that comes now may be checked: takes its turn.
    pub(crate) fn turn(&self, address: IpAddr, name: &str, now: Instant) -> Instant {
        let origin = origin(address, name);
        let mut failed = self.failed.lock();
        let Some(known) = failed.get_mut(&origin) else { return now };
        if now.duration_since(known.last) > FORGOTTEN_AFTER {
            failed.remove(&origin);
            return now;
        }
        let turn = known.next.max(now).min(now + WAIT_MAX);
        known.next = turn + step(origin.0, known.count);
        turn
    }

    /// The password was wrong.
    pub(crate) fn fail(&self, address: IpAddr, name: &str, now: Instant) {
        let origin = origin(address, name);
        let mut failed = self.failed.lock();
        if failed.len() >= KNOWN_MAX && !failed.contains_key(&origin) {
            let oldest = failed.iter().min_by_key(|(_, known)| known.last).map(|(origin, _)| origin.clone());
            oldest.map(|oldest| failed.remove(&oldest));
        }
        let known = failed.entry(origin.clone()).or_insert(Failures { count: 0, last: now, next: now });
        known.count = known.count.saturating_add(1);
        known.last = now;
        known.next = known.next.max(now + step(origin.0, known.count));
    }

    /// The password was right.
    pub(crate) fn succeed(&self, address: IpAddr, name: &str) {
        self.failed.lock().remove(&origin(address, name));
    }

    /// Whether a login in the clear from that address is the first one of it.
    pub(crate) fn is_first_in_the_clear(&self, address: IpAddr) -> bool {
        let mut known = self.in_the_clear.lock();
        known.len() < KNOWN_MAX && known.insert(address.to_canonical())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const NEAR: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn delays_grow_per_address_and_name_and_end_with_a_right_password() {
        let (attempts, start) = (Attempts::default(), Instant::now());
        let mut now = start;
        let mut waits = Vec::new();
        for _ in 0..12 {
            let turn = attempts.turn(FAR, "sa", now);
            waits.push(turn - now);
            now = turn;
            attempts.fail(FAR, "SA", now);
        }
        assert_eq!(waits[0], Duration::ZERO);
        assert!(waits.windows(2).all(|pair| pair[0] <= pair[1] && pair[1] <= WAIT_MAX), "{waits:?}");
        assert_eq!(waits[11], WAIT_MAX);
        assert_eq!(attempts.turn(FAR, "other", now), now);
        assert_eq!(attempts.turn(NEAR, "sa", now), now);
        attempts.succeed(FAR, "sa");
        assert_eq!(attempts.turn(FAR, "sa", now), now);
    }

    #[test]
    fn attempts_side_by_side_take_turns() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        (0..3).for_each(|_| attempts.fail(FAR, "sa", now));
        let turns: Vec<Instant> = (0..5).map(|_| attempts.turn(FAR, "sa", now)).collect();
        assert!(turns[0] > now && turns.windows(2).take(3).all(|pair| pair[0] < pair[1]), "{turns:?}");
        assert!(turns.iter().all(|turn| *turn <= now + WAIT_MAX));
    }

    #[test]
    fn this_machine_waits_little_and_memory_is_bounded() {
        let (attempts, now) = (Attempts::default(), Instant::now());
        (0..50).for_each(|_| attempts.fail(NEAR, "sa", now));
        assert!(attempts.turn(NEAR, "sa", now) <= now + LOCAL_STEPS.1);
        for number in 0..KNOWN_MAX + 100 {
            attempts.fail(FAR, &format!("name {number}"), now + Duration::from_millis(number as u64));
        }
        assert_eq!(attempts.failed.lock().len(), KNOWN_MAX);
        attempts.fail(FAR, &"é".repeat(1000), now);
        let later = now + FORGOTTEN_AFTER * 2;
        assert_eq!(attempts.turn(FAR, "name 4000", later), later);
    }
}
