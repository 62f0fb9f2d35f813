//! A log as text: one line for each record and one for each change of a page, in the order of the log.
//!
//! ```text
//!   0000000a:00000130:0002  change        transaction 1204, previous 0000000a:00000130:0001, 40 bytes of undo
//!       (1:312)  insert: slot 14, 61 bytes
//! ```
//!
//! What always holds: nothing is written to the files, so the log of a database that does not open can be printed, and a
//! copy of one as well. What is printed begins where the part begins in which recovery begins, and ends where recovery
//! would end; the last line says where that is.
//!
//! It does not know what undo means, nor whose rows the bytes are.

use std::fmt::{self, Write};
use std::sync::Arc;

use millpond_device::DeviceError;

use crate::check;
use crate::contract::DbId;
use crate::file::StorageFile;
use crate::page::header::Lsn;
use crate::wal::log::{Log, LogConfig, LogOpenError, resume};
use crate::wal::page_op::{LoggedOp, Ops, PageOp};
use crate::wal::record::{CheckpointBody, Coordinator, RecordKind, RecordView, Records};
use millpond_device::guid::hex;

/// Why a log could not be printed to its end.
#[derive(Debug, thiserror::Error)]
pub enum PrintError {
    /// The files are not those of a log of this database.
    #[error(transparent)]
    Open(#[from] LogOpenError),
    /// The part in which recovery begins is not there.
    #[error("no part of the log holds {redo}, where recovery begins")]
    NoStart {
        /// Where recovery begins.
        redo: Lsn,
    },
    /// Reading failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The text could not be written.
    #[error("the text could not be written")]
    Text(#[from] fmt::Error),
}

/// Prints the log that lies in `files`, in the order that they have in the database.
///
/// # Errors
/// [`PrintError`]; what could be read until then is in `out`.
///
/// # Panics
/// Without files.
pub fn print_log(config: LogConfig, files: Vec<Arc<StorageFile>>, out: &mut dyn Write) -> Result<(), PrintError> {
    assert!(!files.is_empty(), "a log lies in a file at least");
    let db = config.db;
    let log = Log::open(config, files)?;
    let Some(opening) = resume::take_opening(&log) else { return Ok(()) };
    let redo = opening.anchor.redo;
    writeln!(
        out,
        "recovery begins at {redo}; last checkpoint {}; next transaction {}; closed in order: {}",
        opening.anchor.checkpoint.map_or_else(|| "none".to_owned(), |lsn| lsn.to_string()),
        opening.anchor.next_txn.0,
        if opening.anchor.is_clean { "yes" } else { "no" }
    )?;
    let firsts = opening.firsts;
    let positions = firsts.iter().flatten().map(|first| first.position);
    let Some(start) = positions.clone().find(|at| at.sequence() == redo.sequence) else {
        // No block at all: a log that nothing was written to.
        return if positions.count() == 0 {
            Ok(writeln!(out, "no records")?)
        } else {
            Err(PrintError::NoStart { redo })
        };
    };
    let mut reader = resume::reader(&log.core, firsts, start).ok_or(PrintError::NoStart { redo })?;
    let mut printed = None;
    while let Some(block) = reader.next()? {
        for record in Records::new(block.header.position.first_lsn(), block.records()) {
            match record {
                Ok(record) => {
                    check!(printed < Some(record.lsn), "{} is printed after {printed:?}", record.lsn);
                    printed = Some(record.lsn);
                    print_record(db, record, out)?;
                }
                Err(lsn) => writeln!(out, "{lsn}  cannot be read, though its block has the right checksum")?,
            }
        }
    }
    check!(reader.last().is_none_or(|(last, _)| last >= start), "the log ends before it begins");
    let (file, offset) = reader.offset();
    match reader.last() {
        Some((last, _)) => write!(out, "the last block is {}", last.first_lsn())?,
        None => write!(out, "no block")?,
    }
    writeln!(out, "; no further one at byte {offset} of file {file}")?;
    Ok(())
}

fn name(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::System => "system",
        RecordKind::Change => "change",
        RecordKind::Compensation => "compensation",
        RecordKind::Commit => "commit",
        RecordKind::RolledBack => "rolled back",
        RecordKind::Checkpoint => "checkpoint",
        RecordKind::Prepare => "prepare",
        RecordKind::Decide => "decide",
    }
}

fn print_record(db: DbId, record: RecordView<'_>, out: &mut dyn Write) -> fmt::Result {
    match record.txn.0 {
        0 => write!(out, "{}  {}", record.lsn, name(record.kind))?,
        txn => write!(out, "{}  {:<12}  transaction {txn}", record.lsn, name(record.kind))?,
    }
    if let Some(prev) = record.prev {
        write!(out, ", previous {prev}")?;
    }
    match record.kind {
        RecordKind::System | RecordKind::Change | RecordKind::Compensation => print_change(db, record, out),
        RecordKind::Commit | RecordKind::RolledBack => {
            writeln!(out, ", at {} µs since 1970", record.time_us().unwrap_or_default())
        }
        RecordKind::Checkpoint => print_checkpoint(record.body, out),
        RecordKind::Prepare => match Coordinator::read(record.body) {
            Some(coordinator) => {
                writeln!(out, ", decided by transaction {} of {}", coordinator.txn.0, hex(&coordinator.guid))
            }
            None => writeln!(out, ", a body that cannot be read"),
        },
        RecordKind::Decide => {
            let guids = record.body.get(8..).unwrap_or_default().chunks_exact(16);
            let names: Vec<String> = guids.map(hex).collect();
            writeln!(out, ", for the databases {}", names.join(" "))
        }
    }
}

fn print_checkpoint(body: &[u8], out: &mut dyn Write) -> fmt::Result {
    let Some(body) = CheckpointBody::read(body) else { return writeln!(out, "  a body that cannot be read") };
    writeln!(out, "  recovery begins at {}, next transaction {}", body.redo, body.next_txn.0)?;
    for open in &body.active {
        writeln!(out, "    transaction {} is open, from {} to {}", open.id.0, open.first, open.last)?;
    }
    Ok(())
}

fn print_change(db: DbId, record: RecordView<'_>, out: &mut dyn Write) -> fmt::Result {
    let Some(change) = record.change() else { return writeln!(out, ", a body that cannot be read") };
    if let Some(next) = change.undo_next {
        write!(out, ", next to be undone {next}")?;
    }
    if !change.undo.is_empty() {
        write!(out, ", {} bytes of undo", change.undo.len())?;
    }
    writeln!(out)?;
    for op in Ops::new(change.ops) {
        match op {
            Ok((index, op)) => {
                match change.page(db, index.into()) {
                    Some(page) => write!(out, "    ({}:{})  ", page.file, page.page)?,
                    None => write!(out, "    (page {index} of the record, which names fewer)  ")?,
                }
                print_op(&op, out)?;
            }
            Err(error) => writeln!(out, "    {error}")?,
        }
    }
    Ok(())
}

fn print_op(op: &LoggedOp<'_>, out: &mut dyn Write) -> fmt::Result {
    match op {
        LoggedOp::Image { head, tail } => writeln!(out, "image: {} bytes", head.len() + tail.len()),
        LoggedOp::Op(PageOp::Format { kind, object_id, index_id, level }) => {
            writeln!(out, "format: {kind:?}, object {object_id}, index {index_id}, level {level}")
        }
        LoggedOp::Op(PageOp::Insert { slot, record }) => writeln!(out, "insert: slot {slot}, {} bytes", record.len()),
        LoggedOp::Op(PageOp::Delete { slot }) => writeln!(out, "delete: slot {slot}"),
        LoggedOp::Op(PageOp::Replace { slot, record }) => writeln!(out, "replace: slot {slot}, {} bytes", record.len()),
        LoggedOp::Op(PageOp::Patch { slot, offset, bytes }) => {
            writeln!(out, "patch: slot {slot}, {} bytes at {offset}", bytes.len())
        }
        LoggedOp::Op(PageOp::Cut { slots }) => writeln!(out, "cut: {slots} slots stay"),
        LoggedOp::Op(PageOp::Bytes { offset, bytes }) => writeln!(out, "bytes: {} at {offset}", bytes.len()),
        LoggedOp::Op(PageOp::Image { .. }) => writeln!(out, "image: a page"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::PageKind;
    use crate::file::file_header::FileKind;
    use crate::file::growth::{Growth, Limits};
    use crate::wal::log::CommitMode;
    use crate::wal::mtr::Mtr;
    use crate::wal::tests::test_world::{Shape, World, config, file_on, page, with_ask};
    use millpond_device::{BlockDevice, RamDevice};

    const PAGE: u32 = 9;

    /// A page is made; then a checkpoint, a transaction that changes it, and its commit.
    fn written() -> Vec<u8> {
        let world = World::create(Shape::small(), 24);
        with_ask(51, |ask| {
            let mut mtr = Mtr::begin(&world.handle, ask, 1000).unwrap();
            let index = mtr.create(page(PAGE), PageKind::Index, 7, 1, 0).unwrap();
            mtr.apply(index, PageOp::Insert { slot: 0, record: b"first" }).unwrap();
            mtr.commit();
            world.checkpoint().unwrap();
            let mut txn = world.log().begin();
            let mut mtr = Mtr::begin(&world.handle, ask, 1000).unwrap();
            let index = mtr.latch(page(PAGE)).unwrap();
            mtr.apply(index, PageOp::Replace { slot: 0, record: b"second" }).unwrap();
            mtr.commit_change(&mut txn, b"five!");
            world.log().commit(ask, txn, CommitMode::Durable).unwrap();
        });
        world.images()["log"].clone()
    }

    fn printed(log: &[u8], config: LogConfig) -> (Result<(), PrintError>, String, Vec<u8>) {
        let ram = Arc::new(RamDevice::new("log"));
        ram.set_len(log.len() as u64).unwrap();
        ram.write_at(0, log).unwrap();
        let limits = Limits { max_pages: None, growth: Growth::Pages(64) };
        let mut text = String::new();
        let said = print_log(config, vec![file_on(ram.clone(), 2, FileKind::Log, limits)], &mut text);
        let mut after = vec![0; log.len()];
        ram.read_at(0, &mut after).unwrap();
        (said, text, after)
    }

    /// What a line says after its LSN.
    fn facts(text: &str) -> Vec<&str> {
        text.lines().map(|line| line.split_once("  ").map_or(line, |(_, facts)| facts.trim())).collect()
    }

    #[test]
    fn every_record_and_every_change_has_a_line_and_the_files_stay_as_they_are() {
        let log = written();
        let (said, text, after) = printed(&log, config());
        said.unwrap();
        let lines = facts(&text);
        let at = |wanted: &str| {
            lines.iter().position(|line| line.starts_with(wanted)).unwrap_or_else(|| panic!("{wanted} in\n{text}"))
        };
        let order = [
            at("recovery begins at"),
            at("(1:9)  format: Index, object 7, index 1, level 0"),
            at("(1:9)  insert: slot 0, 5 bytes"),
            at("checkpoint"),
            at("change        transaction 1, 5 bytes of undo"),
            at("(1:9)  replace: slot 0, 6 bytes"),
            at("commit        transaction 1, previous"),
            at("the last block is"),
        ];
        assert!(order.is_sorted(), "{text}");
        assert!(after == log, "a log that is printed is changed");
    }

    #[test]
    fn what_is_damaged_is_not_printed_and_the_log_of_others_is_refused() {
        let mut log = written();
        let (_, whole, _) = printed(&log, config());
        let last = log.windows(5).rposition(|bytes| bytes == b"five!").expect("the undo is in the log");
        log[last] ^= 1;
        let (said, text, _) = printed(&log, config());
        said.unwrap();
        assert!(whole.contains("5 bytes of undo") && !text.contains("5 bytes of undo"), "{text}");
        let (said, text, _) = printed(&log, LogConfig { guid: [1; 16], ..config() });
        assert!(matches!(said, Err(PrintError::Open(LogOpenError::Foreign { .. }))), "{said:?}");
        assert_eq!(text, "");
    }
}
