//! Each policy's own rule, seen from outside: which pages are still in memory after what was asked for.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use crate::ask::Ask;
use crate::pool::EvictionPolicy;
use crate::pool::latch::FrameState;
use crate::pool::policy::{Policy, PoolPolicy, ROUNDS_MAX};
use crate::pool::test_disk::{Bench, page, under, under_each_policy, with_ask};

/// A pool of 256 frames, its pages on the device.
fn bench(policy: EvictionPolicy) -> Bench {
    let bench = under(policy, || Bench::new(256));
    (0..20_000).for_each(|n| bench.disk.put(page(n), n.into()));
    bench
}

fn read(bench: &Bench, ask: &Ask<'_>, pages: Range<u32>) {
    pages.for_each(|n| assert_eq!(bench.stamp(ask, page(n)).expect("readable"), n.into()));
}

/// How many of the pages are in memory.
fn in_memory(bench: &Bench, pages: Range<u32>) -> usize {
    let of_page =
        |n: &u32| bench.pool.buffers().states().any(|(_, state)| state.page.load(Relaxed) == page(*n).to_bits());
    pages.filter(of_page).count()
}

/// The state of a page in memory.
fn state_of(bench: &Bench, n: u32) -> &FrameState {
    let has_page = |state: &FrameState| state.page.load(Relaxed) == page(n).to_bits();
    bench.pool.buffers().states().map(|(_, state)| state).find(|state| has_page(state)).expect("in memory")
}

#[test]
fn a_policy_has_one_name_and_the_pool_reports_it() {
    #[derive(serde::Deserialize)]
    struct Config {
        policy: EvictionPolicy,
    }
    for policy in EvictionPolicy::ALL {
        let config: Config = toml::from_str(&format!("policy = \"{}\"", policy.name())).expect("a name");
        assert_eq!(config.policy, *policy);
        assert_eq!(under(*policy, || Bench::new(64)).pool.report().eviction_policy, *policy);
    }
    assert_eq!(EvictionPolicy::default(), EvictionPolicy::S3Fifo);
}

#[test]
fn the_last_round_protects_nothing_and_the_ones_before_protect_uses() {
    for policy in EvictionPolicy::ALL {
        let policy = PoolPolicy::new(*policy, 64);
        for pages in [0, 1, 64] {
            assert!((0..ROUNDS_MAX - 1).all(|round| !policy.plan_round(round, pages).ignore_uses));
            assert!(policy.plan_round(ROUNDS_MAX - 1, pages).takes_everything());
        }
    }
}

/// A page that was evicted or discarded leaves no class to the next one of its frame.
#[test]
fn a_free_frame_has_no_class() {
    under_each_policy(|| {
        let bench = Bench::new(256);
        (0..1000).for_each(|n| bench.disk.put(page(n), n.into()));
        with_ask(51, |ask| {
            (0..6).for_each(|_| read(&bench, ask, 0..100));
            (0..3).for_each(|_| read(&bench, ask, 200..1000));
            bench.pool.drop_clean();
            let occupied = bench.pool.buffers().states().filter(|(_, state)| state.page.load(Relaxed) != 0).count();
            assert_eq!(occupied, 0);
            assert!(bench.pool.buffers().states().all(|(_, state)| state.class.load(Relaxed) == 0));
        });
    });
}

mod s3_fifo {
    use super::*;

    #[test]
    fn a_long_scan_does_not_drive_out_pages_in_use() {
        let bench = bench(EvictionPolicy::S3Fifo);
        with_ask(51, |ask| {
            (0..4).for_each(|_| read(&bench, ask, 0..100));
            read(&bench, ask, 1000..9000);
            assert!(in_memory(&bench, 0..100) >= 90, "the scan has driven out pages in use");
        });
    }

    #[test]
    fn a_page_that_comes_back_soon_is_in_the_main_part_at_once() {
        let bench = bench(EvictionPolicy::S3Fifo);
        with_ask(51, |ask| {
            read(&bench, ask, 0..300);
            assert_eq!(in_memory(&bench, 0..20), 0, "read once");
            read(&bench, ask, 0..20);
            // Some ghosts were overwritten by others.
            let is_main = |n: &u32| state_of(&bench, *n).class.load(Relaxed) == 1;
            let main: Vec<u32> = (0..20).filter(is_main).collect();
            assert!(main.len() >= 10, "{main:?} are known again");
            assert_eq!(state_of(&bench, 299).class.load(Relaxed), 0);
            read(&bench, ask, 1000..9000);
            assert!(main.iter().all(|n| in_memory(&bench, *n..n + 1) == 1), "the main part stays");
            // Forgotten after as many evictions as there are frames.
            read(&bench, ask, 1000..1010);
            assert!((1000..1010).all(|n| state_of(&bench, n).class.load(Relaxed) == 0));
        });
    }
}

mod clock {
    use super::*;

    #[test]
    fn a_page_stays_for_as_many_rounds_as_it_had_uses() {
        let bench = bench(EvictionPolicy::Clock);
        with_ask(51, |ask| {
            (0..3).for_each(|_| read(&bench, ask, 0..50));
            assert_eq!(state_of(&bench, 0).uses.load(Relaxed), 3, "one by the read, two by hits");
            // The frames that are full, then a round of the hand or so.
            read(&bench, ask, 1000..1300);
            assert!(in_memory(&bench, 0..50) >= 45, "used again");
            assert!(in_memory(&bench, 1000..1100) < 10, "used once");
            assert!((0..50).all(|n| state_of(&bench, n).class.load(Relaxed) == 1), "the hand has seen two uses");
            read(&bench, ask, 2000..4000);
            assert_eq!(in_memory(&bench, 0..50), 0, "no use is left after three rounds");
            // It is not known any more, and begins anew.
            read(&bench, ask, 0..1);
            let state = state_of(&bench, 0);
            assert_eq!((state.uses.load(Relaxed), state.class.load(Relaxed)), (1, 0));
        });
    }
}
