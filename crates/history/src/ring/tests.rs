//! Bytes of the file: what was written comes back, what was not never does.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use super::slot::{Found, encode, find};
use super::*;
use crate::figure::{Figure, Figures};
use crate::parts;
use crate::sample::{FileUse, Sample, StatementUse, TextId, WaitUse};
use crate::series;

const RUN_US: i64 = 1_700_000_000_000_000;

/// A sample at that second of a run, with a bit of everything.
fn sample(second: u64) -> Sample {
    let mut figures = Figures::default();
    figures.set(Figure::batches, second * 10);
    figures.set(Figure::sessions, 3000);
    let statement = |text: &str| StatementUse {
        text: TextId::of(text),
        query_hash: second,
        database: TextId::of("pond"),
        object_id: -7,
        counters: [1, second, 3, 4, 5, 6, 7, 8],
    };
    let wait = WaitUse { wait_type: TextId::of("WRITELOG"), counters: [1, 2, 3] };
    let file = FileUse {
        database: TextId::of("pond"),
        name: TextId::of("lily"),
        path: TextId::NONE,
        size_bytes: 1 << 30,
        counters: [1, 2, 3, 4, 5, second],
    };
    Sample {
        run_us: RUN_US,
        end_us: RUN_US + (second * 1_000_000).cast_signed(),
        uptime_us: second * 1_000_000,
        span_us: 1_000_000,
        is_first: second == 1,
        is_last: false,
        figures,
        statements: vec![statement("select 1"), statement("select 2")],
        waits: vec![wait],
        files: vec![file],
    }
}

const TEXTS: [&str; 5] = ["select 1", "select 2", "pond", "WRITELOG", "lily"];

fn path(dir: &TempDir) -> PathBuf {
    dir.path().join(FILE_NAME)
}

fn written(dir: &TempDir, seconds: std::ops::RangeInclusive<u64>) -> PathBuf {
    let path = path(dir);
    let mut writer = Writer::open(&path).expect("it opens");
    for second in seconds {
        writer.put(0, &sample(second), TEXTS).expect("there is space");
    }
    path
}

fn all(path: &Path) -> (Vec<(usize, Sample)>, Health) {
    let mut reader = Reader::open(path).expect("it opens").expect("it is there");
    let mut found = Vec::new();
    let health = reader.each(Range::default(), true, |tier, slot| found.push((tier, slot.sample()))).expect("it reads");
    (found, health)
}

fn change(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).expect("it opens");
    file.seek(SeekFrom::Start(at)).and_then(|_| file.write_all(bytes)).expect("it is written");
}

#[test]
fn samples_come_back_whole_and_numbers_go_on_after_a_start() {
    let dir = TempDir::new().expect("a folder");
    written(&dir, 1..=3);
    let path = written(&dir, 4..=5);
    let mut writer = Writer::open(&path).expect("it opens");
    writer.put(2, &sample(60), []).expect("there is space");
    let (found, health) = all(&path);
    let expected: Vec<_> = (1..=5).map(|second| (0, sample(second))).chain([(2, sample(60))]).collect();
    assert_eq!(found, expected);
    assert_eq!(health, Health { samples: 6, ..Health::default() });
    let length = std::fs::metadata(&path).expect("it is there").len();
    assert_eq!(length, FILE_BYTES);
    let mut reader = Reader::open(&path).expect("it opens").expect("it is there");
    for text in TEXTS {
        assert_eq!(reader.text(TextId::of(text)).as_deref(), Some(text));
    }
    assert_eq!(reader.text(TextId::of("never")), None);
    assert_eq!(reader.text(TextId::NONE), None);
}

#[test]
fn the_oldest_samples_make_room() {
    let dir = TempDir::new().expect("a folder");
    let count = TIERS[0].slots;
    let path = written(&dir, 1..=count + 10);
    let (found, _) = all(&path);
    let ends: BTreeSet<_> = found.iter().map(|(_, sample)| sample.uptime_us / 1_000_000).collect();
    assert_eq!(ends, (11..=count + 10).collect());
    let from = |second: u64| Range { from_us: Some(sample(second).end_us), to_us: None };
    let mut reader = Reader::open(&path).expect("it opens").expect("it is there");
    let mut late = Vec::new();
    reader.each(from(count + 8), false, |_, slot| late.push(slot.uptime_us() / 1_000_000)).expect("it reads");
    late.sort_unstable();
    assert_eq!(late, [count + 7, count + 8, count + 9, count + 10], "and what they are counted from");
}

#[test]
fn a_torn_sample_is_left_out() {
    let dir = TempDir::new().expect("a folder");
    let path = written(&dir, 1..=3);
    change(&path, slot_offset(0, 1) + 100, &[0xee; 700]);
    let (found, health) = all(&path);
    assert_eq!(found, [(0, sample(1)), (0, sample(3))]);
    assert_eq!(health, Health { samples: 2, damaged: 1, is_cut: false });
    // A whole one in another place is none of it.
    change(&path, slot_offset(0, 5), &encode(0, 4, &sample(9)));
    change(&path, slot_offset(1, 4), &encode(0, 4, &sample(9)));
    assert_eq!(all(&path).1, Health { samples: 2, damaged: 3, is_cut: false });
}

#[test]
fn times_and_counts_that_cannot_be_are_damage() {
    for spoil in [
        |sample: &mut Sample| sample.end_us = i64::MAX,
        |sample: &mut Sample| sample.run_us = -1,
        |sample: &mut Sample| sample.run_us = sample.end_us + 1,
        |sample: &mut Sample| sample.span_us = u64::MAX,
        |sample: &mut Sample| sample.uptime_us = u64::MAX,
    ] {
        let mut spoiled = sample(5);
        spoil(&mut spoiled);
        assert!(matches!(find(0, 5, &encode(0, 5, &spoiled)), Found::Damaged), "{spoiled:?}");
    }
}

#[test]
fn another_format_and_another_file_are_named() {
    let dir = TempDir::new().expect("a folder");
    let path = written(&dir, 1..=1);
    let mut newer = head();
    newer[8] = 9;
    let checksum = crc32c::crc32c(&newer[..HEAD_BYTES - 4]);
    newer[HEAD_BYTES - 4..].copy_from_slice(&checksum.to_le_bytes());
    change(&path, 0, &newer);
    let message = "history.ring has format 9; this program knows format 1";
    assert_eq!(Writer::open(&path).expect_err("it is newer").to_string(), message);
    assert_eq!(Reader::open(&path).err().expect("it is newer").to_string(), message);
    change(&path, 0, &head());
    change(&path, 100, b"x");
    assert!(Reader::open(&path).is_ok_and(|found| found.is_some()) && Writer::open(&path).is_ok(), "it says nothing");
    change(&path, 8, b"x");
    assert!(matches!(Writer::open(&path), Err(RingError::Damaged)));
    assert!(matches!(Reader::open(&path), Err(RingError::Damaged)));
    std::fs::write(&path, "short").expect("it is written");
    assert!(matches!(Reader::open(&path), Err(RingError::Damaged)));
    assert!(matches!(Writer::open(&path), Err(RingError::Damaged)));
    assert_eq!(std::fs::read(&path).expect("it is there"), b"short", "somebody's");
    assert!(Reader::open(&dir.path().join("none")).expect("no error").is_none());
}

#[cfg(unix)]
#[test]
fn a_link_and_what_is_no_file_are_left_alone() {
    let dir = TempDir::new().expect("a folder");
    let (path, notes) = (dir.path().join(FILE_NAME), dir.path().join("notes"));
    std::fs::write(&notes, "mine").expect("it is written");
    std::os::unix::fs::symlink(&notes, &path).expect("it is made");
    let refused = |path: &Path| {
        assert!(matches!(Writer::open(path), Err(RingError::NoFile)));
        assert!(matches!(Reader::open(path), Err(RingError::NoFile)));
    };
    refused(&path);
    assert_eq!(std::fs::read(&notes).expect("it is there"), b"mine");
    std::fs::remove_file(&path).expect("it is there");
    std::fs::create_dir(&path).expect("it is made");
    refused(&path);
    std::fs::remove_dir(&path).expect("it is there");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).expect("it is made");
    refused(&path);
}

#[test]
fn a_file_that_was_cut_has_what_is_left_and_its_size_again() {
    let dir = TempDir::new().expect("a folder");
    let path = written(&dir, 1..=3);
    let file = OpenOptions::new().write(true).open(&path).expect("it opens");
    file.set_len(slot_offset(0, 2) + 17).expect("it is cut");
    let (found, health) = all(&path);
    assert_eq!(found, [(0, sample(1)), (0, sample(2))]);
    assert_eq!((health.damaged, health.is_cut), (1, true));
    let mut writer = Writer::open(&path).expect("it opens");
    writer.put(0, &sample(4), TEXTS).expect("there is space");
    assert_eq!(all(&path).0, [(0, sample(1)), (0, sample(2)), (0, sample(4))]);
    assert_eq!(std::fs::metadata(&path).expect("it is there").len(), FILE_BYTES);
}

#[test]
fn of_a_full_set_the_text_that_was_not_used_for_longest_goes() {
    let dir = TempDir::new().expect("a folder");
    let path = path(&dir);
    let mut writer = Writer::open(&path).expect("it opens");
    let of_set = |text: &String| texts::set_of(TextId::of(text)) == 7;
    let texts: Vec<String> = (0..).map(|number| format!("select {number}")).filter(of_set).take(9).collect();
    let hour_us = 3_600_000_000;
    for (at, text) in texts.iter().take(8).enumerate() {
        let used = Sample { end_us: RUN_US + at as i64, ..sample(1) };
        writer.put(0, &used, [text.as_str()]).expect("there is space");
    }
    // The first one is used again an hour later, so the second one is the oldest.
    let later = Sample { end_us: RUN_US + hour_us, ..sample(1) };
    writer.put(0, &later, [texts[0].as_str(), texts[8].as_str()]).expect("there is space");
    let mut reader = Reader::open(&path).expect("it opens").expect("it is there");
    let kept: Vec<_> = texts.iter().map(|text| reader.text(TextId::of(text)).is_some()).collect();
    assert_eq!(kept, [true, false, true, true, true, true, true, true, true]);
}

#[test]
fn a_long_text_is_kept_by_its_begin_and_no_character_is_cut() {
    let dir = TempDir::new().expect("a folder");
    let path = path(&dir);
    let long = format!("{}é{}", "x".repeat(991), "y".repeat(5000));
    Writer::open(&path).expect("it opens").put(0, &sample(1), [long.as_str()]).expect("there is space");
    let mut reader = Reader::open(&path).expect("it opens").expect("it is there");
    assert_eq!(reader.text(TextId::of(&long)).as_deref(), Some("x".repeat(991).as_str()));
}

/// Places where something stands: head, the first slots of each resolution, sets of the texts.
fn offset() -> impl Strategy<Value = u64> {
    let slots =
        (0..TIERS.len(), 0..6u64, 0..SLOT_BYTES as u64).prop_map(|(tier, slot, at)| slot_offset(tier, slot) + at);
    let texts = (0..TEXTS.len(), 0..SET_BYTES as u64)
        .prop_map(|(text, at)| set_offset(texts::set_of(TextId::of(TEXTS[text]))) + at);
    prop_oneof![1 => 0..HEAD_BYTES as u64, 6 => slots, 3 => texts, 1 => 0..FILE_BYTES]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_changed_byte_of_a_slot_is_seen(at in 0..SLOT_BYTES, bits in 1..=255u8, cut in 0..SLOT_BYTES) {
        let whole = encode(0, 3, &sample(3));
        let mut changed = whole.clone();
        changed[at] ^= bits;
        prop_assert!(matches!(find(0, 3, &changed), Found::Damaged));
        prop_assert!(matches!(find(0, 3, &whole[..cut]), Found::Damaged | Found::Empty));
        let mut torn = whole.clone();
        torn[cut..].fill(0);
        let is_same = torn == whole;
        prop_assert_eq!(matches!(find(0, 3, &torn), Found::Slot(_)), is_same);
    }

    #[test]
    fn whatever_happens_to_the_file_only_what_was_written_is_given_out(
        changes in prop::collection::vec((offset(), prop::collection::vec(any::<u8>(), 1..300)), 0..12),
        cut in prop::option::weighted(0.3, offset()),
    ) {
        let dir = TempDir::new().expect("a folder");
        let path = written(&dir, 1..=5);
        let mut writer = Writer::open(&path).expect("it opens");
        for tier in 1..TIERS.len() {
            writer.put(tier, &sample(tier as u64 * 10), TEXTS).expect("there is space");
        }
        drop(writer);
        let known: Vec<_> = all(&path).0;
        for (at, bytes) in &changes {
            change(&path, *at, bytes);
        }
        if let Some(cut) = cut {
            OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(cut)).expect("it is cut");
        }
        let Ok(Some(mut reader)) = Reader::open(&path) else { return Ok(()) };
        let mut found = Vec::new();
        let read = reader.each(Range::default(), true, |tier, slot| found.push((tier, slot.sample())));
        prop_assert!(read.is_ok());
        prop_assert!(found.iter().all(|sample| known.contains(sample)));
        for text in TEXTS {
            let kept = reader.text(TextId::of(text));
            prop_assert!(kept.is_none_or(|kept| &*kept == text));
        }
        prop_assert!(series::read(&mut reader, Range::default(), None).is_ok());
        prop_assert!(parts::read::<StatementUse>(&mut reader, Range::default(), Some(10)).is_ok());
        // It can be written on, or is refused as a whole.
        if let Ok(mut writer) = Writer::open(&path) {
            prop_assert!(writer.put(0, &sample(77), TEXTS).is_ok());
            prop_assert!(all(&path).0.contains(&(0, sample(77))));
        }
    }
}

#[test]
fn nothing_but_the_places_of_a_sample_is_written() {
    let dir = TempDir::new().expect("a folder");
    let path = written(&dir, 1..=1);
    let mut bytes = Vec::new();
    std::fs::File::open(&path).and_then(|mut file| file.read_to_end(&mut bytes)).expect("it reads");
    let second = slot_offset(0, 1) as usize;
    let texts = set_offset(0) as usize;
    assert!(bytes[second..texts].iter().all(|byte| *byte == 0));
    let used = bytes[texts..].chunks(TEXT_BYTES).filter(|place| place.iter().any(|byte| *byte != 0)).count();
    assert_eq!(used, TEXTS.len());
}
