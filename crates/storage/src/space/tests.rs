//! Allocation over devices in memory and a plain table of map pages: after each story the maps on the pages must say
//! what the state in memory says.

use std::collections::{BTreeMap, BTreeSet};

use millpond_device::fault::Fault;
use millpond_device::{BlockDevice, FaultDevice, ManualClock, RamDevice};
use proptest::prelude::*;

use super::*;
use crate::ask::{IoCount, Task};
use crate::contract::{ExtentNo, PageNo, SessionId, WriteReason};
use crate::file::file_header::{FileHeader, FileKind};
use crate::file::growth::{Growth, Limits};
use crate::file::tier::Tier;
use crate::file::{Medium, StorageFile};
use crate::space::map_init::{DATA_FILE_PAGES_MIN, make_maps};
use crate::space::page_set::PageSet;
use crate::space::state::TROUBLE_PAUSE_US;
use crate::space::supply::GROWTH_PAUSE_US;

const MB: u32 = 128;
const DB: DbId = DbId::TEMPDB;

struct World {
    task: Task,
    io: IoCount,
    pages: PageSet,
    clock: Arc<ManualClock>,
    space: SpaceManager,
    files: Vec<(Arc<StorageFile>, Arc<FaultDevice>)>,
}

#[derive(Clone, Copy)]
struct Spec {
    pages: u32,
    max_pages: Option<u32>,
    growth: Growth,
    tier: Tier,
}

fn fixed(pages: u32) -> Spec {
    Spec { pages, max_pages: None, growth: Growth::Pages(0), tier: Tier::FIRST }
}

fn growing(pages: u32, growth: u32) -> Spec {
    Spec { growth: Growth::Pages(growth), ..fixed(pages) }
}

fn overflow(spec: Spec) -> Spec {
    Spec { tier: Tier::LAST, ..spec }
}

impl World {
    fn new(specs: &[Spec]) -> World {
        let clock = Arc::new(ManualClock::default());
        let waits = Arc::new(WaitStats::new(clock.clone()));
        let mut world = World {
            task: Task::new(SessionId(51)),
            io: IoCount::default(),
            pages: PageSet::default(),
            clock,
            space: SpaceManager::new(SpaceState::new(DB), DB, false, waits),
            files: Vec::new(),
        };
        specs.iter().for_each(|spec| world.add(*spec));
        world
    }

    fn ask(&self) -> Ask<'_> {
        Ask::new(&self.task, &self.io)
    }

    /// Adds a file with the next number; log files have number 2.
    fn add(&mut self, spec: Spec) {
        let number = self.files.len() as u16 + 1;
        let id = FileId(if number == 1 { 1 } else { number + 1 });
        let device = Arc::new(FaultDevice::new(Arc::new(RamDevice::new("t"))));
        device.set_len(u64::from(spec.pages) * 8192).unwrap();
        let header = FileHeader {
            db: DB,
            file: id,
            file_guid: [0; 16],
            server_guid: [0; 16],
            database_guid: [0; 16],
            size_pages: spec.pages,
            configured_pages: spec.pages,
            limits: Limits { max_pages: spec.max_pages, growth: spec.growth },
            kind: FileKind::Data,
            tier: spec.tier,
            name: format!("f{number}"),
        };
        let file = Arc::new(StorageFile::new(header, Medium::Ram, device.clone()));
        make_maps(&self.ask(), &self.pages, (DB, id), 0, spec.pages).unwrap();
        self.space.supply.add_file(&file);
        self.files.push((file, device));
    }

    fn try_allocate(&self, count: u32) -> Result<Vec<ExtentId>, SpaceError> {
        let mut out = Vec::new();
        self.space.allocate_extents(&self.ask(), &self.pages, Owner::User, count, &mut out)?;
        Ok(out)
    }

    fn one(&self) -> ExtentId {
        self.try_allocate(1).unwrap()[0]
    }

    fn free(&self, extents: &[ExtentId]) {
        self.space.free_extents(&self.ask(), &self.pages, Owner::User, extents).unwrap();
    }

    fn page(&self) -> PageId {
        self.space.allocate_page(&self.ask(), &self.pages).unwrap()
    }

    /// Allocates until the filegroup is full.
    fn fill(&self) -> Vec<ExtentId> {
        let mut all = Vec::new();
        loop {
            match self.try_allocate(8) {
                Ok(some) => all.extend(some),
                Err(SpaceError::Full { .. }) => return all,
                Err(other) => panic!("{other}"),
            }
        }
    }

    /// Free extents and mixed extents with room of a file as its map pages say; checks them against each other.
    fn check_maps(&self) {
        for (file, _) in &self.files {
            let id = |page| PageId { db: DB, file: file.id(), page };
            let extents = file.size_pages() / 8;
            let gam = self.pages.page(id(PageNo(2))).unwrap();
            let sgam = self.pages.page(id(PageNo(3))).unwrap();
            let free: BTreeSet<_> = maps::set_bits(&gam, 0).collect();
            let with_room: BTreeSet<_> = maps::set_bits(&sgam, 0).collect();
            assert!(free.is_disjoint(&with_room));
            assert!(free.iter().chain(&with_room).all(|e| e.0 < extents));
            let report = self.space.report().into_iter().find(|r| r.file == file.id()).unwrap();
            assert_eq!(report.total, u64::from(file.size_pages()));
            assert_eq!(report.total - report.allocated, free.len() as u64 * 8, "file {}", file.id());
            assert_eq!(report.allocated, report.mixed + report.reserved.iter().sum::<u64>());
            for extent in (0..extents).map(ExtentNo) {
                let pfs = self.pages.page(id(maps::pfs_page_of(extent.first_page()))).unwrap();
                let bytes: Vec<u8> = (0..8).map(|n| maps::pfs(&pfs, PageNo(extent.first_page().0 + n))).collect();
                if free.contains(&extent) {
                    assert_eq!(bytes, [0; 8], "free extent {extent}");
                } else if bytes.iter().all(|b| b & PFS_MIXED != 0) {
                    let has_room = bytes.iter().any(|b| b & PFS_ALLOCATED == 0);
                    assert_eq!(with_room.contains(&extent), has_room, "mixed extent {extent}");
                } else {
                    assert!(!with_room.contains(&extent), "uniform extent {extent}");
                }
            }
        }
    }

    fn by_file(&self, extents: &[ExtentId]) -> BTreeMap<u16, usize> {
        let mut count = BTreeMap::new();
        extents.iter().for_each(|e| *count.entry(e.file.0).or_default() += 1);
        count
    }
}

#[test]
fn a_new_file_has_its_maps_and_the_rest_is_free() {
    let world = World::new(&[fixed(8 * MB)]);
    world.check_maps();
    let [report] = world.space.report()[..] else { panic!() };
    assert_eq!((report.total, report.allocated, report.mixed), (1024, 16, 16));
    assert_eq!(world.one().extent, ExtentNo(2));
}

#[test]
fn each_extent_is_given_once_and_all_come_back() {
    let world = World::new(&[fixed(DATA_FILE_PAGES_MIN + 80), fixed(64)]);
    let before = world.space.report();
    let all = world.fill();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(all.len(), 11 + 6);
    world.check_maps();
    assert!(matches!(world.try_allocate(1), Err(SpaceError::Full { db: DB, filegroup: "PRIMARY" })));
    world.free(&all);
    world.check_maps();
    assert_eq!(world.space.report(), before);
}

#[test]
fn the_last_freed_is_the_first_reused() {
    let world = World::new(&[fixed(8 * MB)]);
    let a = world.try_allocate(8).unwrap();
    let b = world.try_allocate(8).unwrap();
    world.free(&a);
    world.free(&b);
    assert_eq!((0..8).map(|_| world.one()).collect::<Vec<_>>(), b);
    assert_eq!(world.try_allocate(8).unwrap(), a);
}

#[test]
fn the_old_search_goes_through_the_whole_file_first() {
    let world = World::new(&[fixed(8 * MB)]);
    world.space.set_forward_only_search(true);
    let first = world.one();
    world.free(&[first]);
    let rest: Vec<_> = (0..125).map(|_| world.one()).collect();
    assert!(!rest.contains(&first), "126 extents are free, the freed one is the last to come");
    assert_eq!(world.one(), first);
    world.free(&rest);
    world.space.set_forward_only_search(false);
    assert_eq!(world.one(), rest[0], "what was freed under the old rule is found by the search");
    world.free(&[first]);
    assert_eq!(world.one(), first, "and the new rule holds at once");
}

/// A file added between two queries leaves all of the other one free.
#[test]
fn a_file_that_comes_after_others_were_used_is_used_too() {
    for is_all_free in [false, true] {
        let mut world = World::new(&[fixed(64 * MB)]);
        let (kept, freed) = (world.try_allocate(8).unwrap(), world.try_allocate(64).unwrap());
        world.free(&freed);
        if is_all_free {
            world.free(&kept);
        }
        world.add(fixed(64 * MB));
        let taken: Vec<_> = (0..8).flat_map(|_| world.try_allocate(8).unwrap()).collect();
        let count = world.by_file(&taken);
        assert!(count[&1].abs_diff(count[&3]) <= 4, "{is_all_free}: {count:?}");
        world.check_maps();
    }
}

/// Three files of 200 MB and one of 1 MB: the small one is hardly ever used.
#[test]
fn proportional_fill_spares_the_small_file() {
    let world = World::new(&[fixed(200 * MB), fixed(200 * MB), fixed(200 * MB), fixed(MB)]);
    let mut taken = Vec::new();
    while taken.len() < 4000 {
        taken.extend(world.try_allocate(8).unwrap());
    }
    let count = world.by_file(&taken);
    assert!(count[&1].abs_diff(count[&3]) <= 1 && count[&3].abs_diff(count[&4]) <= 1, "{count:?}");
    assert!((4..=7).contains(&count[&5]), "4000 / 640: {count:?}");
    world.check_maps();
}

#[test]
fn an_overflow_file_is_used_only_when_all_others_are_full() {
    let world = World::new(&[fixed(2 * MB), fixed(2 * MB), overflow(growing(MB, 8 * MB))]);
    let room = 2 * (32 - 2);
    let mut taken = Vec::new();
    while taken.len() < room {
        taken.extend(world.try_allocate(1).unwrap());
    }
    assert!(taken.iter().all(|e| e.file != FileId(4)), "not before");
    let beyond: Vec<_> = (0..200).map(|_| world.one()).collect();
    assert!(beyond.iter().all(|e| e.file == FileId(4)), "then, growing when it is full");
    world.free(&[taken[7]]);
    assert_eq!(world.one(), taken[7], "room in an ordinary file goes first");
    world.free(&beyond);
    assert_eq!(world.one().file, FileId(4));
    world.check_maps();
}

#[test]
fn ordinary_files_grow_before_overflow_is_used() {
    let world = World::new(&[Spec { max_pages: Some(3 * MB), ..growing(MB, MB) }, overflow(growing(MB, MB))]);
    let taken: Vec<_> = (0..48 - 2 + 1).map(|_| world.one()).collect();
    assert_eq!(world.by_file(&taken), BTreeMap::from([(1, 46), (3, 1)]));
    assert_eq!(world.files[0].0.size_pages(), 3 * MB);
}

#[test]
fn all_files_grow_together_by_their_own_increments() {
    let world = World::new(&[growing(MB, 2 * MB), Spec { growth: Growth::Percent(50), ..fixed(MB) }, fixed(MB)]);
    while world.files[0].0.size_pages() == MB {
        world.one();
    }
    let sizes: Vec<u32> = world.files.iter().map(|(f, _)| f.size_pages()).collect();
    assert_eq!(sizes, [3 * MB, MB + MB / 2, MB]);
    world.check_maps();
}

/// Growth across the borders of PFS pages makes them, and the extents that hold them are mixed.
#[test]
fn growth_makes_the_maps_of_the_new_space() {
    let world = World::new(&[growing(MB, 64 * MB)]);
    let taken: Vec<_> = (0..14 + 64 * 16).map(|_| world.one()).collect();
    assert!(taken.iter().all(|e| e.extent != ExtentNo(1011)), "page 8088 is a PFS page");
    assert!(taken.iter().any(|e| e.extent.0 > 1011));
    world.check_maps();
    let last = taken.iter().max().unwrap().page(7);
    let status = |page| world.space.pfs(&world.ask(), &world.pages, page).unwrap();
    assert_eq!(status(last), 0);
    world.space.set_pfs(&world.ask(), &world.pages, last, 0x44).unwrap();
    assert_eq!(status(last), 0x44);
}

#[test]
fn a_full_disk_means_the_next_file_then_full_and_all_is_free_again_after_the_drop() {
    let world = World::new(&[growing(MB, 64 * MB), growing(MB, 64 * MB)]);
    // Room for 4 MB on the first disk and 2 MB on the second.
    world.files[0].1.fill_beyond(4 << 20);
    world.files[1].1.fill_beyond(2 << 20);
    let all = world.fill();
    assert_eq!(world.by_file(&all), BTreeMap::from([(1, 64 - 2), (3, 32 - 2)]));
    let sizes: Vec<u64> = world.files.iter().map(|(_, d)| d.len_bytes()).collect();
    assert_eq!(sizes, [4 << 20, 2 << 20], "the last growth takes what is there");
    world.check_maps();
    world.free(&all);
    world.check_maps();
    assert!(world.space.report().iter().all(|r| r.reserved == [0; 3] && r.allocated == 16));
    // The disk has room again: the files grow.
    world.files[0].1.lift();
    let again = world.fill_at_most(all.len() + 1);
    assert_eq!(again.len(), all.len(), "not at once");
    world.clock.advance_us(GROWTH_PAUSE_US);
    world.one();
    assert!(world.files[0].0.size_pages() > 4 * MB);
}

impl World {
    fn fill_at_most(&self, count: usize) -> Vec<ExtentId> {
        let mut all = Vec::new();
        while all.len() < count {
            match self.try_allocate(1) {
                Ok(one) => all.extend(one),
                Err(_) => break,
            }
        }
        all
    }
}

#[test]
fn single_pages_come_from_mixed_extents() {
    let world = World::new(&[fixed(8 * MB)]);
    let before = world.space.report();
    let pages: Vec<_> = (0..20).map(|_| world.page()).collect();
    assert_eq!(pages[0].page, PageNo(10), "8 and 9 are the second extent's own");
    let status = |page| world.space.pfs(&world.ask(), &world.pages, page).unwrap();
    assert_eq!(status(pages[19]), 0x70);
    assert_eq!(world.space.report()[0].mixed, 16 + 16, "6 of the second extent, 14 of two more");
    world.check_maps();
    world.space.free_page(&world.ask(), &world.pages, pages[3]).unwrap();
    assert_eq!(world.page(), pages[3]);
    for page in pages.iter().rev() {
        world.space.free_page(&world.ask(), &world.pages, *page).unwrap();
        world.check_maps();
    }
    assert_eq!(world.space.report(), before);
}

#[test]
fn a_file_leaves_only_when_it_is_empty_and_never_the_first() {
    let mut world = World::new(&[fixed(MB), fixed(MB)]);
    let taken = world.fill();
    assert_eq!(world.space.remove_file(FileId(3)), Err(InUse::NotEmpty));
    assert_eq!(world.space.remove_file(FileId(1)), Err(InUse::Primary));
    let (of_3, of_1): (Vec<_>, Vec<_>) = taken.into_iter().partition(|e| e.file == FileId(3));
    assert_eq!(world.space.supply.close_file(FileId(3), true), Ok(false));
    world.free(&of_3);
    assert!(world.try_allocate(1).is_err(), "a closed file gives nothing");
    assert_eq!(world.space.supply.close_file(FileId(3), true), Ok(true));
    world.space.remove_file(FileId(3)).unwrap();
    world.files.remove(1);
    world.free(&of_1);
    world.check_maps();
    assert_eq!(world.fill().len(), of_1.len());
}

#[test]
fn single_pages_keep_a_file() {
    let world = World::new(&[fixed(MB), fixed(MB)]);
    let pages: Vec<_> = (0..6 + 8).map(|_| world.page()).filter(|page| page.file == FileId(3)).collect();
    assert_eq!(pages.len(), 8, "the second extents of both files");
    for page in pages {
        assert_eq!(world.space.remove_file(FileId(3)), Err(InUse::NotEmpty));
        world.space.free_page(&world.ask(), &world.pages, page).unwrap();
    }
    assert_eq!(world.space.remove_file(FileId(3)), Ok(()));
}

#[test]
fn a_map_page_that_cannot_be_had_loses_no_space() {
    let world = World::new(&[fixed(MB)]);
    let gam = PageId { db: DB, file: FileId(1), page: PageNo(2) };
    let kept = world.pages.page(gam).unwrap();
    let before = world.space.report();
    world.pages.forget_page(gam);
    assert!(matches!(world.try_allocate(4), Err(SpaceError::Pool(_))));
    assert_eq!(world.space.report(), before);
    let restore = |bytes: &mut crate::contract::PageBytes| *bytes = *kept;
    world.pages.create_map(&world.ask(), gam, crate::contract::PageKind::Gam, &mut { restore }).unwrap();
    assert_eq!(world.fill().len(), 14);
}

#[test]
fn ten_sessions_at_once_share_no_extent() {
    let world = World::new(&[growing(MB, MB), growing(MB, MB)]);
    std::thread::scope(|scope| {
        for session in 0..10_u16 {
            let world = &world;
            scope.spawn(move || {
                let (task, io) = (Task::new(SessionId(51 + session)), IoCount::default());
                let ask = Ask::new(&task, &io);
                for round in 0..50 {
                    let mut out = Vec::new();
                    let iam = world.space.allocate_page(&ask, &world.pages).unwrap();
                    for _ in 0..=round % 4 {
                        world.space.allocate_extents(&ask, &world.pages, Owner::User, 4, &mut out).unwrap();
                    }
                    world.space.free_extents(&ask, &world.pages, Owner::User, &out).unwrap();
                    world.space.free_page(&ask, &world.pages, iam).unwrap();
                }
            });
        }
    });
    world.check_maps();
    assert!(world.space.report().iter().all(|r| r.reserved == [0; 3]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any mixture of calls: nothing is given twice, and the maps agree with the state.
    #[test]
    fn maps_follow_the_state(ops in proptest::collection::vec((0..5_u8, 1..12_u32), 1..120)) {
        let world = World::new(&[fixed(2 * MB), growing(MB, MB / 2), overflow(fixed(MB))]);
        let (mut extents, mut pages): (Vec<ExtentId>, Vec<PageId>) = Default::default();
        for (op, n) in ops {
            match op {
                0 => if let Ok(some) = world.try_allocate(n) {
                    prop_assert!(some.iter().all(|e| !extents.contains(e)));
                    extents.extend(some);
                },
                1 => {
                    let at = extents.len().saturating_sub(n as usize);
                    world.free(&extents.split_off(at));
                }
                2 => pages.push(world.page()),
                3 => if let Some(page) = pages.pop() {
                    world.space.free_page(&world.ask(), &world.pages, page).unwrap();
                },
                _ => world.space.set_forward_only_search(n % 2 == 0),
            }
        }
        let unique: BTreeSet<_> = pages.iter().collect();
        prop_assert_eq!(unique.len(), pages.len());
        prop_assert!(pages.iter().all(|p| !extents.contains(&extent_of(*p))));
        world.check_maps();
    }
}

#[test]
fn tiers_fill_in_their_order_and_the_better_one_is_used_again() {
    let tier = |tier, spec| Spec { tier, ..spec };
    // The second grows before the last is asked; the numbers of the files are not their order.
    let mut world = World::new(&[fixed(MB), tier(Tier::LAST, growing(MB, MB)), tier(Tier::SECOND, fixed(MB))]);
    let order = |world: &World, count: usize| -> Vec<u16> {
        let mut files: Vec<u16> = (0..count).map(|_| world.one().file.0).collect();
        files.dedup();
        files
    };
    let first = world.try_allocate(14).unwrap();
    assert_eq!(first.iter().filter(|extent| extent.file == FileId(1)).count(), 14, "14 of 16 extents are free");
    assert_eq!(order(&world, 40), [4, 3]);
    assert!(world.files[1].0.size_pages() > MB, "the last one grew");
    world.free(&first[..3]);
    assert_eq!(order(&world, 3), [1], "room came back");
    assert_eq!(order(&world, 1), [3]);
    // Single pages go the same way.
    world.free(&first[3..4]);
    assert_eq!(world.page().file, FileId(1));
    world.add(tier(Tier::SECOND, fixed(MB)));
    assert_eq!(order(&world, 3), [1, 5], "the page came from the file's own mixed extent");
    world.check_maps();
}

#[test]
fn a_file_whose_device_fails_is_left_for_a_while() {
    let world = World::new(&[fixed(MB), Spec { tier: Tier::LAST, ..fixed(MB) }]);
    let fail = |at: usize| {
        let (file, device) = &world.files[at];
        device.order(Fault::WriteError, 0);
        file.write_pages(&world.ask(), PageNo(9), &[&[0; 8192]], WriteReason::Lazy).unwrap_err();
    };
    assert_eq!(world.one().file, FileId(1));
    fail(0);
    assert_eq!([world.one().file, world.page().file], [FileId(3); 2], "the next tier");
    assert!(world.space.report()[0].is_left);
    world.clock.advance_us(TROUBLE_PAUSE_US);
    assert_eq!(world.one().file, FileId(1), "it is tried again");
    assert!(!world.space.report()[0].is_left);
    fail(0);
    fail(1);
    assert_eq!(world.one().file, FileId(1), "a device that may fail is better than none");
    let all = world.fill();
    assert!(all.len() > 20, "both files are filled: {}", all.len());
    world.check_maps();
}
