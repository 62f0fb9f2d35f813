//! Records of a page, beside a model.

use millpond_storage::contract::{DbId, FileId, PageId, PageKind, PageNo};
use millpond_storage::contract::{PAGE_BYTES, PageBytes};
use millpond_storage::page::header::{self, BODY_BYTES, HEADER_BYTES};
use millpond_storage::page::slotted::*;
use proptest::prelude::*;

fn empty() -> Box<PageBytes> {
    let mut page = Box::new([0xee; PAGE_BYTES]);
    let id = PageId { db: DbId(5), file: FileId(1), page: PageNo(88) };
    header::init_zeroed(&mut page, id, PageKind::Index, 7);
    page
}

fn records(page: &PageBytes) -> Vec<Vec<u8>> {
    (0..slot_count(page)).map(|slot| record(page, slot).expect("a sound page").to_vec()).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u16, Vec<u8>),
    Delete(u16),
    Replace(u16, Vec<u8>),
    Patch(u16, u16, Vec<u8>),
    Cut(u16),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let bytes =
        |max: usize| (any::<u8>(), prop_oneof![0..60_usize, 0..max]).prop_map(|(byte, length)| vec![byte; length]);
    let step = prop_oneof![
        6 => (any::<u16>(), bytes(1500)).prop_map(|(slot, record)| Step::Insert(slot, record)),
        3 => any::<u16>().prop_map(Step::Delete),
        3 => (any::<u16>(), bytes(3000)).prop_map(|(slot, record)| Step::Replace(slot, record)),
        2 => (any::<u16>(), 0..80_u16, bytes(40)).prop_map(|(slot, at, bytes)| Step::Patch(slot, at, bytes)),
        1 => any::<u16>().prop_map(Step::Cut),
    ];
    proptest::collection::vec(step, 1..120)
}

/// The bug: the room was made with the old record's length still in it, two bytes short of what was promised.
#[test]
fn a_record_may_grow_into_the_last_free_byte() {
    let mut page = empty();
    for slot in 0..8 {
        insert(&mut page, slot, &[slot as u8; 1000]).expect("room");
    }
    let longest = 1000 + free_bytes(&page);
    assert!(fits_instead(&page, 3, longest) && !fits_instead(&page, 3, longest + 1));
    replace(&mut page, 3, &vec![9; longest]).expect("promised");
    assert_eq!((free_bytes(&page), check(&page)), (0, Ok(())));
    assert_eq!(record(&page, 3), Ok(&vec![9; longest][..]));
}

fn bytes_of(model: &[Vec<u8>]) -> usize {
    model.iter().map(|record| record.len() + RECORD_OVERHEAD_BYTES).sum()
}

/// Does a step on both; whether it is refused is the model's decision.
fn both(page: &mut PageBytes, model: &mut Vec<Vec<u8>>, step: Step) -> Result<(), TestCaseError> {
    let before = *page;
    let mut next = model.clone();
    let pick = |slot: u16, len: usize| if len == 0 { 0 } else { usize::from(slot) % len };
    let (result, allowed) = match step {
        Step::Insert(slot, record) => {
            let at = pick(slot, next.len() + 1);
            next.insert(at, record.clone());
            (insert(page, at as u16, &record), true)
        }
        Step::Delete(slot) => {
            let (at, some) = (pick(slot, next.len()), !next.is_empty());
            if some {
                next.remove(at);
            }
            (delete(page, at as u16), some)
        }
        Step::Replace(slot, record) => {
            let (at, some) = (pick(slot, next.len()), !next.is_empty());
            if some {
                next[at] = record.clone();
            }
            (replace(page, at as u16, &record), some)
        }
        Step::Patch(slot, offset, bytes) => {
            let at = pick(slot, next.len());
            let range = usize::from(offset)..usize::from(offset) + bytes.len();
            let some = next.get_mut(at).and_then(|record| record.get_mut(range)).map(|r| r.copy_from_slice(&bytes));
            (patch(page, at as u16, offset, &bytes), some.is_some())
        }
        Step::Cut(slot) => {
            let kept = pick(slot, next.len() + 1);
            next.truncate(kept);
            (cut(page, kept as u16), true)
        }
    };
    if allowed && bytes_of(&next) <= BODY_BYTES {
        prop_assert_eq!(result, Ok(()));
        *model = next;
    } else {
        prop_assert!(result.is_err());
        prop_assert!(*page == before, "a refused change leaves the page as it was");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]
    #[test]
    fn the_page_is_a_list_of_records(steps in steps()) {
        let (mut page, mut model) = (empty(), Vec::new());
        for step in steps {
            both(&mut page, &mut model, step)?;
            prop_assert_eq!(check(&page), Ok(()));
            prop_assert_eq!(records(&page), model.clone());
            prop_assert_eq!(used_bytes(&page), bytes_of(&model));
        }
    }

    #[test]
    fn garbage_is_refused_without_panic(seed in any::<[u8; 32]>(), slots in any::<u16>(), step in steps()) {
        let mut page = empty();
        for (at, byte) in page[HEADER_BYTES..].iter_mut().enumerate() {
            *byte = seed[at % 32] ^ (at / 97) as u8;
        }
        header::set_slot_count(&mut page, slots % 4100);
        header::set_free_data(&mut page, u16::from(seed[0]) * 40);
        header::set_free_count(&mut page, u16::from(seed[1]) * 40);
        for step in step.into_iter().take(8) {
            let slot = match step {
                Step::Insert(slot, record) => { let _ = insert(&mut page, slot % 50, &record); slot }
                Step::Delete(slot) => { let _ = delete(&mut page, slot % 50); slot }
                Step::Replace(slot, record) => { let _ = replace(&mut page, slot % 50, &record); slot }
                Step::Patch(slot, at, bytes) => { let _ = patch(&mut page, slot % 50, at, &bytes); slot }
                Step::Cut(slot) => { let _ = cut(&mut page, slot); slot }
            };
            let _ = record(&page, slot);
            let _ = check(&page);
        }
    }
}

#[test]
fn the_longest_record_fits_alone_and_a_longer_one_is_refused() {
    let mut page = empty();
    assert_eq!(insert(&mut page, 0, &[1; 8061]), Err(SlottedError::TooLong { bytes: 8061 }));
    insert(&mut page, 0, &[1; RECORD_BYTES_MAX]).unwrap();
    assert!(!fits(&page, 29) && fits(&page, 28));
    assert!(fits_instead(&page, 0, 8060) && !fits_instead(&page, 1, 1));
    replace(&mut page, 0, &[2; 100]).unwrap();
    assert_eq!(record(&page, 0), Ok(&[2; 100][..]));
    assert_eq!(record(&page, 1), Err(RecordDamage::NoSlot { slot: 1, count: 1 }));
}
