//! Damage of a log: each byte of a small one flipped, blocks of the middle gone, and what an emergency still takes.

use crate::contract::PageKind;
use crate::file::growth::{Growth, Limits};
use crate::page::slotted;
use crate::wal::block::{BlockHeader, SECTOR_BYTES};
use crate::wal::mtr::Mtr;
use crate::wal::page_op::PageOp;
use crate::wal::recovery::{AtDamage, RecoveryError, RedoOptions};
use crate::wal::tests::test_world::GUID;
use crate::wal::tests::test_world::{Images, Shape, World, page, with_ask};

const PAGE: u32 = 9;
const COMMITS: u32 = 6;

fn shape() -> Shape {
    let log_limits = Limits { max_pages: None, growth: Growth::Pages(64) };
    Shape { frames: 64, log_bytes: 600 << 10, log_limits }
}

/// A page that each commit makes one record longer; every commit is a group of its own.
fn committed(closes: bool) -> Images {
    let world = World::create(shape(), 24);
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 1000).unwrap();
        mtr.create(page(PAGE), PageKind::Index, 7, 1, 0).unwrap();
        mtr.commit();
    });
    world.checkpoint().unwrap();
    for number in 0..COMMITS {
        add(&world, number);
    }
    if closes {
        with_ask(51, |ask| world.log().close(ask)).unwrap();
    }
    let mut images = world.images();
    // No page is torn: thousands of openings need not copy it.
    images.insert("area".into(), Vec::new());
    images
}

fn add(world: &World, number: u32) {
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 1000).unwrap();
        let index = mtr.latch(page(PAGE)).unwrap();
        mtr.apply(index, PageOp::Insert { slot: number as u16, record: &number.to_le_bytes() }).unwrap();
        let lsn = mtr.commit();
        world.log().make_durable(ask, lsn).unwrap();
    });
}

fn records(world: &World) -> u32 {
    with_ask(52, |ask| u32::from(slotted::slot_count(&world.handle.pool.shared(ask, page(PAGE)).unwrap())))
}

/// How many records recovery finds; an error where it refuses.
fn recovered(images: &Images, at_damage: AtDamage) -> Result<(World, u32), String> {
    let world = World::open(shape(), images).map_err(|error| error.to_string())?;
    let redone = world.redo_as(RedoOptions {
        threads: 1,
        stop_at_us: None,
        restored: crate::page::header::Lsn::default(),
        at_damage,
        of_backup: false,
    });
    redone.map_err(|error| error.to_string())?;
    let found = records(&world);
    Ok((world, found))
}

/// Places of the blocks in the file, in order.
fn blocks(log: &[u8]) -> Vec<(usize, BlockHeader)> {
    let places = (0..log.len()).step_by(SECTOR_BYTES as usize);
    let mut found: Vec<_> = places.filter_map(|at| Some((at, BlockHeader::read(&log[at..], &GUID)?))).collect();
    found.sort_by_key(|(_, header)| header.position);
    found
}

/// Flips bytes and counts the records: never fewer than `least` without an error.
fn flip_every_byte(images: &Images, least: u32) -> (u32, u32) {
    let (mut sound, mut refused) = (0, 0);
    let log = images["log"].clone();
    let blocks = blocks(&log);
    let used =
        |at: usize| blocks.iter().any(|(place, header)| (*place..place + header.used_bytes as usize).contains(&at));
    let heads = (8192..16384 + 64).step_by(4096).flat_map(|at| at..at + 200);
    let places = heads.chain((16384..log.len()).filter(|at| used(*at)));
    for at in places {
        let mut images = images.clone();
        images.get_mut("log").unwrap()[at] ^= 1 << (at % 8);
        match recovered(&images, AtDamage::Refuse) {
            Ok((_, found)) => {
                assert!(found >= least, "byte {at}: {found} of {COMMITS} records and no error");
                sound += 1;
            }
            Err(_) => refused += 1,
        }
    }
    (sound, refused)
}

#[test]
fn a_flipped_byte_of_a_closed_log_is_never_taken_for_its_end() {
    let (_, refused) = flip_every_byte(&committed(true), COMMITS);
    assert!(refused > 500, "{refused}");
}

#[test]
fn of_a_log_that_a_crash_left_at_most_the_last_group_is_lost_in_silence() {
    let (sound, refused) = flip_every_byte(&committed(false), COMMITS - 1);
    assert!(sound > 100 && refused > 500, "{sound}, {refused}");
}

#[test]
fn the_error_names_file_and_offset_and_an_emergency_takes_what_is_before() {
    let mut images = committed(false);
    let place = {
        let blocks = blocks(&images["log"]);
        blocks[blocks.len() - 4].0
    };
    images.get_mut("log").unwrap()[place + 70] ^= 8;
    let world = World::open(shape(), &images).unwrap();
    match world.redo(2) {
        Err(RecoveryError::Damaged { file, offset_bytes, .. }) => {
            assert_eq!((file.0, offset_bytes as usize), (2, place));
        }
        other => panic!("{other:?}"),
    }
    let (world, found) = recovered(&images, AtDamage::CutOff).unwrap();
    assert_eq!(found, COMMITS - 4);
    // What is appended now is not confused with what lies after the damage.
    world.checkpoint().unwrap();
    add(&world, COMMITS - 4);
    for _ in 0..2 {
        let (_, found) = recovered(&world.images(), AtDamage::Refuse).unwrap();
        assert_eq!(found, COMMITS - 3);
    }
}

#[test]
fn a_stretch_of_the_log_that_reads_as_zeros_is_damage() {
    let mut images = committed(false);
    let blocks = blocks(&images["log"]);
    let (from, to) = (blocks[blocks.len() - 4].0, blocks[blocks.len() - 1].0);
    images.get_mut("log").unwrap()[from..to].fill(0);
    assert!(recovered(&images, AtDamage::Refuse).is_err());
}

#[test]
fn a_damaged_first_block_of_a_part_does_not_end_the_log() {
    let world = World::create(shape(), 24);
    with_ask(51, |ask| {
        let mut mtr = Mtr::begin(&world.handle, ask, 1000).unwrap();
        mtr.create(page(PAGE), PageKind::Index, 7, 1, 0).unwrap();
        mtr.commit();
    });
    world.checkpoint().unwrap();
    // 75 groups of one sector fill the first of two parts of 300 KB.
    (0..100).for_each(|number| add(&world, number));
    let mut images = world.images();
    let blocks = blocks(&images["log"]);
    let second = blocks.iter().find(|(_, header)| header.position.sequence() == 2).unwrap().0;
    let (_, found) = recovered(&images, AtDamage::Refuse).unwrap();
    assert_eq!(found, 100);
    images.get_mut("log").unwrap()[second + 70] ^= 1;
    assert!(recovered(&images, AtDamage::Refuse).is_err());
    let (_, found) = recovered(&images, AtDamage::CutOff).unwrap();
    assert!((60..80).contains(&found), "{found}");
}

#[test]
fn a_torn_group_is_the_end_and_no_damage() {
    let mut images = committed(false);
    let blocks = blocks(&images["log"]);
    let log = images.get_mut("log").unwrap();
    let group = &blocks[blocks.len() - 3..];
    // As if the last three were one group.
    for (at, header) in &group[1..] {
        assert!(header.begins_group, "{header:?}");
        let sealed = BlockHeader { begins_group: false, ..*header };
        sealed.seal(&mut log[*at..*at + header.total_bytes as usize], &GUID);
    }
    log[group[0].0 + 70] ^= 1;
    let (_, found) = recovered(&images, AtDamage::Refuse).unwrap();
    assert_eq!(found, COMMITS - 3);
}
