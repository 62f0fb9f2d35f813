//! What the files of an instance say of themselves: headers, boot page, slotted pages, the list of databases, the directory
//! of the buffer pool extension, backups. The first byte says which reader gets the rest; checksums are set right first.
//!
//! What must hold: nothing panics; what is read is written as something that reads as the same again; a slotted page that
//! is sound stays so whatever is done to it.

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use millpond_device::{BlockDevice, RamDevice};
use millpond_storage::backup::format::{BackupReadError, read};
use millpond_storage::database::boot_page::BootFacts;
use millpond_storage::contract::{DbId, FileId, PAGE_BYTES, PageBytes, PageId, PageNo};
use millpond_storage::settings::databases::StoredDatabase;
use millpond_storage::file::file_header::FileHeader;
use millpond_storage::{extension, page::header, page::slotted};

/// A page of the input's pairs of place and byte, so that short inputs reach all of it.
fn page_of(bytes: &[u8]) -> PageBytes {
    let mut page = [0; PAGE_BYTES];
    for place in bytes.chunks_exact(3) {
        page[(usize::from(place[0]) | usize::from(place[1]) << 8) % PAGE_BYTES] = place[2];
    }
    page
}

fn file_header(bytes: &[u8]) {
    let mut page = page_of(bytes);
    page[96..104].copy_from_slice(b"MILLPOND");
    header::set_checksum(&mut page);
    // Once written by us: a name that was no text, or too long, is another one by then.
    let put = |read: &FileHeader| {
        let mut again = page;
        read.put(&mut again);
        FileHeader::parse(&again).expect("written by us")
    };
    if let Ok(read) = FileHeader::parse(&page) {
        let once = put(&read);
        assert_eq!(put(&once), once, "a header reads as it was written");
    }
    let id = PageId { db: DbId(5), file: FileId(1), page: PageNo(0) };
    let _ = FileHeader::read(&page, id);
    let write = |facts: &BootFacts| {
        let mut again = page;
        facts.write(&mut again);
        BootFacts::read(&again)
    };
    let once = write(&BootFacts::read(&page));
    assert_eq!(write(&once), once, "a boot page reads as it was written");
}

/// Ops of a slotted page, each some bytes of the input.
fn slotted_page(bytes: &[u8]) {
    let (head, ops) = bytes.split_at(bytes.len().min(48));
    let mut page = page_of(head);
    for op in ops.chunks(6) {
        let slot = u16::from(op.get(1).copied().unwrap_or(0));
        let record = vec![op[0]; usize::from(op.get(2).copied().unwrap_or(0)) * usize::from(op.get(3).copied().unwrap_or(1))];
        let (before, was_sound) = (page, slotted::check(&page).is_ok());
        let done = match op[0] % 5 {
            0 => slotted::insert(&mut page, slot, &record),
            1 => slotted::delete(&mut page, slot),
            2 => slotted::replace(&mut page, slot, &record),
            3 => slotted::patch(&mut page, slot, slot, &record),
            _ => slotted::cut(&mut page, slot),
        };
        assert!(done.is_ok() || page == before, "a page that refuses is as it was");
        assert!(!was_sound || slotted::check(&page).is_ok(), "a sound page stays sound");
    }
}

/// A backup of the input's sections: tag, length, payload; numbers and checksums are set right.
fn backup(bytes: &[u8]) {
    let mut file = b"MPBACKUP\x01\0\0\0\0\0\0\0".to_vec();
    let (mut rest, mut number) = (bytes, 0_u32);
    while let [tag, len, payload @ ..] = rest {
        let (payload, behind) = payload.split_at(payload.len().min(usize::from(*len)));
        let mut head = [0; 12];
        head[0] = tag % 5;
        head[4..8].copy_from_slice(&number.to_le_bytes());
        head[8..].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        file.extend_from_slice(&head);
        file.extend_from_slice(&crc32c::crc32c_append(crc32c::crc32c(&head), payload).to_le_bytes());
        file.extend_from_slice(payload);
        (rest, number) = (behind, number + 1);
    }
    let device = Arc::new(RamDevice::new("backup"));
    device.set_len(file.len() as u64).expect("memory");
    device.write_at(0, &file).expect("memory");
    let _ = read(&*device, |section| {
        let _ = format!("{section:?}").len();
        Ok::<(), BackupReadError>(())
    });
}

/// An entry of the list of databases.
fn stored(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(entry) = toml::from_str::<StoredDatabase>(text) {
        if entry.is_sound() {
            let _ = (entry.guid(), entry.id());
        }
        let again = toml::to_string(&entry).expect("numbers and words");
        assert_eq!(toml::from_str::<StoredDatabase>(&again).as_ref().ok(), Some(&entry));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&reader, bytes)) = bytes.split_first() else { return };
    match reader % 5 {
        0 => file_header(bytes),
        1 => slotted_page(bytes),
        2 => backup(bytes),
        3 => stored(bytes),
        _ => extension::any_bytes::read(bytes),
    }
});
