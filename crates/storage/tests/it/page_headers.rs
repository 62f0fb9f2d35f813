//! What the header of a page says.

use millpond_storage::contract::DbId;
use millpond_storage::contract::{FileId, PAGE_BYTES, PageBytes, PageId, PageKind, PageNo};
use millpond_storage::page::header::*;

fn id(page: u32) -> PageId {
    PageId { db: DbId(2), file: FileId(3), page: PageNo(page) }
}

fn written(page: u32) -> Box<PageBytes> {
    let mut bytes = Box::new([7; PAGE_BYTES]);
    init(&mut bytes, id(page), PageKind::Data, 4711);
    set_checksum(&mut bytes);
    bytes
}

#[test]
fn an_empty_page_says_what_it_is() {
    let mut page = Box::new([0xff; PAGE_BYTES]);
    init(&mut page, id(4242), PageKind::Iam, 99);
    assert_eq!((version(&page), kind(&page), object_id(&page)), (1, Some(PageKind::Iam), 99));
    assert_eq!((file_id(&page), page_no(&page)), (FileId(3), PageNo(4242)));
    assert_eq!((slot_count(&page), free_count(&page), free_data(&page)), (0, 8096, 96));
    assert_eq!((prev(&page), next(&page), ghost_count(&page), level(&page)), (None, None, 0, 0));
    assert_eq!(page[HEADER_BYTES], 0xff, "the body is left alone");
    init_zeroed(&mut page, id(1), PageKind::Pfs, 0);
    assert_eq!(page[HEADER_BYTES..], [0; BODY_BYTES]);
}

/// Every setter changes its own field only: all fields are set to different values, then all are read.
#[test]
fn fields_do_not_overlap() {
    let mut page = written(5);
    set_type_flags(&mut page, 1);
    set_level(&mut page, 2);
    set_index_id(&mut page, 3);
    set_prev(&mut page, Some(PageLink { file: FileId(4), page: PageNo(5) }));
    set_next(&mut page, Some(PageLink { file: FileId(6), page: PageNo(7) }));
    set_row_bytes_min(&mut page, 8);
    set_slot_count(&mut page, 9);
    set_object_id(&mut page, 10);
    set_free_count(&mut page, 11);
    set_free_data(&mut page, 12);
    set_lsn(&mut page, Lsn { sequence: 13, block: 14, slot: 15 });
    set_ghost_count(&mut page, 16);
    assert_eq!((type_flags(&page), level(&page), index_id(&page)), (1, 2, 3));
    assert_eq!(prev(&page), Some(PageLink { file: FileId(4), page: PageNo(5) }));
    assert_eq!(next(&page), Some(PageLink { file: FileId(6), page: PageNo(7) }));
    assert_eq!((row_bytes_min(&page), slot_count(&page), object_id(&page)), (8, 9, 10));
    assert_eq!((free_count(&page), free_data(&page)), (11, 12));
    assert_eq!((lsn(&page), ghost_count(&page)), (Lsn { sequence: 13, block: 14, slot: 15 }, 16));
    assert_eq!((version(&page), kind(&page), page_no(&page)), (1, Some(PageKind::Data), PageNo(5)));
    assert_eq!((file_id(&page), reserved_count(&page)), (FileId(3), 0));
}

#[test]
fn a_written_page_is_believed_and_any_flipped_bit_is_not() {
    let page = written(5);
    assert_eq!(verify(&page, id(5)), Ok(()));
    for byte in [0, 1, 4, 5, 33, 36, 59, 60, 63, 64, 96, 4000, 8191] {
        let mut damaged = page.clone();
        damaged[byte] ^= 0x10;
        assert!(verify(&damaged, id(5)).is_err(), "byte {byte}");
    }
}

#[test]
fn damage_is_told_apart() {
    let expected = id(6);
    assert_eq!(
        verify(&written(5), expected),
        Err(PageDamage::WrongPage { expected, file: FileId(3), page: PageNo(5) })
    );
    assert_eq!(verify(&[0; PAGE_BYTES], expected), Err(PageDamage::NeverWritten { expected }));
    let mut newer = written(6);
    newer[0] = 2;
    set_checksum(&mut newer);
    assert_eq!(verify(&newer, expected), Err(PageDamage::Version { expected, found: 2 }));
    let mut torn = written(6);
    torn[4096..].fill(0);
    assert!(matches!(verify(&torn, expected), Err(PageDamage::Checksum { .. })));
}

#[test]
fn log_numbers_are_ordered_shown_and_stored() {
    let lsn = Lsn { sequence: 31, block: 304, slot: 2 };
    assert_eq!((lsn.to_string().as_str(), lsn.to_decimal()), ("0000001f:00000130:0002", 31_000_000_030_400_002));
    assert_eq!(Lsn::from_bytes(lsn.to_bytes()), lsn);
    assert_eq!(lsn.position().first_lsn(), Lsn { slot: 0, ..lsn });
    assert!(lsn < Lsn { block: 305, slot: 0, ..lsn } && lsn.position() < LogPos(32 << 32));
}

#[test]
fn kinds_survive_their_numbers() {
    use PageKind::*;
    for kind in [Data, Index, Gam, Sgam, Iam, Pfs, Boot, FileHeader, Dcm, Bcm] {
        assert_eq!(kind_of_number(kind as u8), Some(kind));
    }
    assert_eq!((kind_of_number(0), kind_of_number(255)), (None, None));
}
