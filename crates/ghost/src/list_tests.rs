//! The list beside caches that drop what was used least recently, of all the sizes that it speaks of.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

/// A cache of so many pages that drops the one used least recently.
struct Lru {
    pages: usize,
    /// Newest at the end.
    order: VecDeque<u64>,
    misses: u64,
}

impl Lru {
    fn new(pages: u64) -> Lru {
        Lru { pages: pages as usize, order: VecDeque::new(), misses: 0 }
    }

    /// Uses a page; true when it had to be read. What had to leave for it is second.
    fn access(&mut self, page: u64) -> (bool, Option<u64>) {
        let found = self.order.iter().position(|it| *it == page);
        if let Some(place) = found {
            self.order.remove(place);
        } else {
            self.misses += 1;
        }
        self.order.push_back(page);
        let left = if self.order.len() > self.pages { self.order.pop_front() } else { None };
        (found.is_none(), left)
    }
}

/// A cache with its ghosts, and a cache of each of the larger sizes.
struct Beside {
    small: Lru,
    list: GhostList,
    larger: Vec<Lru>,
}

impl Beside {
    fn new(pages: u64) -> Beside {
        let larger = (0..STEPS_EIGHTHS.len()).map(|step| Lru::new(pages + step_pages(pages, step))).collect();
        Beside { small: Lru::new(pages), list: GhostList::new(pages, 0), larger }
    }

    fn access(&mut self, page: u64) {
        let mask = self.list.sampling().mask();
        let (is_read, left) = self.small.access(page);
        // As a pool does: room is made before the page is there.
        if let Some(left) = left.filter(|left| Sampling::has(mask, *left)) {
            self.list.leave(left);
        }
        if is_read && Sampling::has(mask, page) {
            self.list.come(page, Origin::File);
        }
        self.larger.iter_mut().for_each(|cache| {
            cache.access(page);
        });
    }
}

proptest! {
    #[test]
    fn a_small_cache_is_followed_exactly(pages in 1_u64..40, accesses in prop::collection::vec((0_u64..300, 0_u8..4), 1..2_000)) {
        let mut beside = Beside::new(pages);
        for (page, skew) in accesses {
            beside.access(page >> (skew * 2));
        }
        let curve = beside.list.curve();
        prop_assert_eq!(curve.sampled_one_of, 1);
        prop_assert_eq!(curve.read_pages, beside.small.misses);
        for (step, point) in curve.points().into_iter().enumerate() {
            prop_assert_eq!(point.hits, beside.small.misses - beside.larger[step].misses, "step {}", step);
        }
    }

    #[test]
    fn any_events_keep_the_list_whole(pages in 1_u64..5_000, events in prop::collection::vec((0_u8..4, 0_u64..60), 0..600)) {
        let mut list = GhostList::new(pages, 0);
        for (event, page) in events {
            match event {
                0 => list.leave(page),
                1 => list.come(page, Origin::File),
                2 => list.free(page),
                _ => list.free_all(|it| it % 7 == page % 7),
            }
            let taken: u32 = list.taken.iter().map(|word| word.count_ones()).sum();
            prop_assert_eq!(taken as usize, list.len(), "G1");
            prop_assert!(list.places.iter().all(|(page, place)| list.by_place[*place as usize] == *page), "G1");
        }
    }
}

/// A sequence of numbers without a library: xorshift.
fn numbers(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    }
}

#[test]
fn a_sampled_cache_is_followed_within_a_twentieth() {
    let pages = 20_000;
    let mut list = GhostList::new(pages, 0);
    let mask = list.sampling().mask();
    assert_eq!(list.sampling().one_of, 32);
    // Uniform over three times the cache, with random victims: a ghost's depth is even over two caches.
    let (mut inside, mut outside): (Vec<u64>, Vec<u64>) = ((0..pages).collect(), (pages..3 * pages).collect());
    let mut next = numbers(7);
    let mut reads = |list: &mut GhostList, count: u32| {
        for _ in 0..count {
            let (victim, comer) = (next() as usize % inside.len(), next() as usize % outside.len());
            let (left, came) = (inside[victim], outside[comer]);
            (inside[victim], outside[comer]) = (came, left);
            if Sampling::has(mask, left) {
                list.leave(left);
            }
            if Sampling::has(mask, came) {
                list.come(came, Origin::File);
            }
        }
        list.curve()
    };
    // Until each page that is outside has been inside before.
    let begun = reads(&mut list, 300_000);
    let curve = reads(&mut list, 400_000);
    let count = curve.read_pages - begun.read_pages;
    assert!(count.abs_diff(400_000) < 20_000, "{curve:?}");
    let share = |step: usize| (curve.points()[step].hits - begun.points()[step].hits) as f64 / count as f64;
    // Those who come are drawn evenly from 40,000 that are outside: the youngest 20,000 are half of them.
    assert!((share(4) - 0.5).abs() < 0.05, "twice the cache: {}", share(4));
    assert!(share(5) > 0.95, "three times the cache: {}", share(5));
}

#[test]
fn what_goes_round_is_saved_by_all_of_it_or_nothing() {
    // Three caches in a circle, which is the worst that there is for a cache that drops the oldest.
    let mut beside = Beside::new(64);
    for page in (0..192).cycle().take(192 * 20) {
        beside.access(page);
    }
    let curve = beside.list.curve();
    assert_eq!(curve.points()[4].hits, 0, "twice the cache saves nothing");
    assert_eq!(curve.points()[5].hits, curve.read_pages - 192, "three times the cache saves all but the first reads");
}

#[test]
fn freed_pages_are_no_misses_and_take_no_place() {
    let mut list = GhostList::new(8, 0);
    list.leave(1);
    (100..200).for_each(|page| list.leave(page));
    (100..200).for_each(|page| list.free(page));
    list.come(1, Origin::File);
    let curve = list.curve();
    assert_eq!(curve.points()[1].hits, 1, "nothing lies above it any more");
    assert_eq!(curve.read_pages, 1);
    list.free(150);
    list.come(150, Origin::Extension);
    let curve = list.curve();
    assert_eq!((curve.read_pages, curve.extension_pages, curve.file_pages(), curve.points()[10].hits), (2, 1, 1, 1));
}

#[test]
fn memory_is_bounded_and_the_oldest_are_forgotten() {
    let mut list = GhostList::new(1_000_000_000, 0);
    (0..5 * PLACES_MAX as u64).for_each(|page| list.leave(page));
    assert_eq!(list.len(), GHOSTS_MAX);
    assert!(list.by_place.len() <= PLACES_MAX && list.taken.len() <= PLACES_MAX / 64 + 1);
    list.come(0, Origin::File);
    assert_eq!(list.curve().points()[10].hits, 0, "the first one is forgotten");
    list.come(5 * PLACES_MAX as u64 - 1, Origin::File);
    assert!(list.curve().points()[1].hits > 0, "the last one is not");
}

#[test]
fn sampling_follows_the_size() {
    assert_eq!(Sampling::of(1).mask(), 0);
    assert_eq!(Sampling::of(1_092).mask(), 0, "all of 8 MB");
    assert_eq!(Sampling::of(8_192).mask(), 7, "one of 8 of 64 MB");
    assert_eq!(Sampling::of(1 << 20).mask(), 1023, "one of 1,024 of 8 GB");
    let followed = (0..100_000_u64).filter(|page| Sampling::has(7, *page)).count();
    assert!((11_000..14_000).contains(&followed), "{followed} of 100,000");
}

#[test]
fn what_is_lent_is_a_part_of_the_size() {
    let mut list = GhostList::new(80, 0);
    list.set_resident_max(60);
    (0..25).for_each(|page| list.leave(page));
    list.come(3, Origin::File);
    list.come(0, Origin::File);
    let points = list.curve().points();
    assert_eq!((points[0].hits, points[1].hits), (0, 2), "21 and 23 deep, of which 20 are lent");
    list.come(10, Origin::File);
    assert_eq!(list.curve().points()[0].hits, 1, "14 deep: it would be there, had nothing been lent");
}
