//! DBCC PAGE and IND: a page as text, and the pages of a table.

use std::fmt::Write;

use millpond_access::tree::Tree;
use millpond_engine::arguments::{database_argument, table_in};
use millpond_engine::stored::place_of;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::{FileId, PAGE_BYTES, PageBytes, PageId, PageNo};
use millpond_storage::page::header::{self, PageDamage, PageLink};
use millpond_storage::page::slotted;
use millpond_storage::pool::PoolError;
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC PAGE (database, file, page [, 0 | 1 | 2 | 3])`: header; records; all bytes; records one by one.
pub static PAGE: DbccDef = DbccDef {
    name: "PAGE",
    syntax: "( { 'database_name' | database_id | 0 } , file_id , page_id [ , 0 | 1 | 2 | 3 ] ) [ WITH TABLERESULTS ]",
    takes: DbccTakes { args: 3..=4, options: &["TABLERESULTS", "NO_INFOMSGS"] },
    run: page,
};

/// `DBCC IND (database, table, index)`: index -1 for all.
pub static IND: DbccDef = DbccDef {
    name: "IND",
    syntax: "( { 'database_name' | database_id } , 'table_name' , index_id )",
    takes: DbccTakes { args: 2..=4, options: &["TABLERESULTS", "NO_INFOMSGS"] },
    run: pages,
};

/// Bytes of a child's address in front of an interior record.
const CHILD_BYTES: usize = 6;

fn number(call: &SystemCall<'_>, index: usize) -> SqlResult<i64> {
    let value = call.positional(index).and_then(Value::as_i64);
    value.ok_or_else(|| SqlError::of(2560, 9, &[&(index + 1)]))
}

/// A page as it is; what was never written is zeros, as it is in the file.
fn read(call: &SystemCall<'_>, id: PageId) -> SqlResult<Box<PageBytes>> {
    let pool = call.ctx().engine.instance().pool();
    match pool.shared(&call.ctx().ask_other(), id) {
        Ok(page) => Ok(Box::new(*page)),
        Err(PoolError::Damaged(PageDamage::NeverWritten { .. })) => Ok(Box::new([0; PAGE_BYTES])),
        Err(error @ (PoolError::Io(_) | PoolError::Damaged { .. })) => Err(message::of_pool(&error)),
        Err(_) => Err(SqlError::of(8968, 1, &[&id.file, &id.page, &id.db])),
    }
}

fn page(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let db = database_argument(call.ctx(), call.positional(0))?;
    let file = FileId(u16::try_from(number(call, 1)?).unwrap_or(0));
    let page = PageNo(u32::try_from(number(call, 2)?).unwrap_or(u32::MAX));
    let option = if call.positional(3).is_some() { number(call, 3)? } else { 0 };
    let files = call.ctx().engine.instance().files(db);
    if !files.iter().any(|known| known.file == file && page.0 < known.size_pages) {
        return Err(SqlError::of(8968, 1, &[&file, &page, &db]));
    }
    let bytes = read(call, PageId { db, file, page })?;
    let id = PageId { db, file, page };
    let is_slotted = slotted::check(&bytes).is_ok() && slotted::slot_count(&bytes) > 0;
    if call.option("TABLERESULTS") {
        return send_fields(call, &bytes, id, (option, is_slotted));
    }
    call.inform_text(header_text(&bytes, id));
    match option {
        1 | 3 if is_slotted => {
            for slot in 0..slotted::slot_count(&bytes) {
                call.inform_text(slot_text(&bytes, slot));
            }
        }
        1..=3 => call.inform_text(format!("DATA:\n\n{}", dump(&bytes[..], 0))),
        _ => {}
    }
    Ok(())
}

fn link_text(link: Option<PageLink>) -> String {
    link.map_or_else(|| "(0:0)".to_owned(), |link| format!("({}:{})", link.file, link.page))
}

/// The fields of a page's header as they are called there.
fn header_fields(page: &PageBytes) -> [(&'static str, String); 15] {
    let lsn = header::lsn(page);
    let kind = match header::kind(page) {
        Some(kind) => format!("{} ({kind:?})", kind as u8),
        None if header::version(page) == 0 => "0".to_owned(),
        None => "?".to_owned(),
    };
    [
        ("m_pageId", format!("({}:{})", header::file_id(page), header::page_no(page))),
        ("m_headerVersion", header::version(page).to_string()),
        ("m_type", kind),
        ("m_typeFlagBits", format!("0x{:x}", header::type_flags(page))),
        ("m_level", header::level(page).to_string()),
        ("m_flagBits", format!("0x{:x}", header::flags(page))),
        ("m_objId", header::object_id(page).to_string()),
        ("m_indexId", header::index_id(page).to_string()),
        ("m_prevPage", link_text(header::prev(page))),
        ("m_nextPage", link_text(header::next(page))),
        ("m_slotCnt", header::slot_count(page).to_string()),
        ("m_freeCnt", header::free_count(page).to_string()),
        ("m_freeData", header::free_data(page).to_string()),
        ("m_lsn", format!("({}:{}:{})", lsn.sequence, lsn.block, lsn.slot)),
        ("m_tornBits", header::stored_checksum(page).to_string()),
    ]
}

fn header_text(page: &PageBytes, id: PageId) -> String {
    let fields = header_fields(page).map(|(name, value)| format!("{name} = {value}"));
    let lines: Vec<String> = fields.chunks(3).map(|line| line.join("  ")).collect();
    format!("PAGE: ({}:{})\n\nPAGE HEADER:\n\n{}", id.file, id.page, lines.join("\n"))
}

/// The same and what the option asks for, a row each.
fn send_fields(
    call: &mut SystemCall<'_>,
    page: &PageBytes,
    id: PageId,
    (option, is_slotted): (i64, bool),
) -> SqlResult<()> {
    let about = format!("Page ({}:{})", id.file, id.page);
    let row =
        |parent: &str, object: &str, field: &str, value: &str| [parent, object, field, value].map(Value::str).to_vec();
    let mut rows: Vec<Vec<Value>> =
        header_fields(page).iter().map(|(name, value)| row("PAGE HEADER:", &about, name, value)).collect();
    let mut dumped = |object: &str, bytes: &[u8]| {
        rows.extend(dump(bytes, 0).lines().map(|line| row("DATA:", object, "", line)));
    };
    match option {
        1 | 3 if is_slotted => {
            for slot in 0..slotted::slot_count(page) {
                let Ok(record) = slotted::record(page, slot) else { continue };
                dumped(&format!("Slot {slot}, Length {}", record.len()), record);
            }
        }
        1..=3 => dumped("Memory Dump", &page[..]),
        _ => {}
    }
    const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(256) };
    call.result(&[("ParentObject", NAME), ("Object", NAME), ("Field", NAME), ("VALUE", NAME)], rows)
}

fn slot_text(page: &PageBytes, slot: u16) -> String {
    match slotted::record(page, slot) {
        Ok(record) => format!("Slot {slot}, Length {}\n\n{}", record.len(), dump(record, 0)),
        Err(damage) => format!("Slot {slot}: {damage}"),
    }
}

/// Twenty bytes per line, in hexadecimal and as letters.
fn dump(bytes: &[u8], from: usize) -> String {
    let mut text = String::with_capacity(bytes.len().min(PAGE_BYTES) * 4);
    for (line, chunk) in bytes.chunks(20).enumerate() {
        let _ = write!(text, "{:016X}:  ", from + line * 20);
        for word in chunk.chunks(4) {
            for byte in word {
                let _ = write!(text, "{byte:02x}");
            }
            text.push(' ');
        }
        let letters = chunk.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' });
        text.extend(std::iter::once(' ').chain(letters));
        text.push('\n');
    }
    text
}

fn pages(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let db = database_argument(call.ctx(), call.positional(0))?;
    let wanted = if call.positional(2).is_some() { number(call, 2)? } else { -1 };
    let (_, def, trees) = table_in(call.ctx(), db, call.positional(1))?;
    if def.database != db {
        return Err(SqlError::of(2501, 45, &[&def.name]));
    }
    let mut rows = Vec::new();
    for (index, tree) in def.indexes.iter().zip(&trees.trees) {
        if wanted < 0 || wanted == i64::from(index.id) {
            let chain =
                tree.iam_pages(&call.ctx().ask_other()).map_err(|cause| message::of_access(cause, place_of(&def)))?;
            let first = chain.first().copied();
            for page in chain {
                rows.push(ind_row(tree, page, None, 10, None, (None, None)));
            }
            linked(call, tree, tree.place().root, first, &mut rows)?;
        }
    }
    call.result(
        &[
            ("PageFID", SqlType::TinyInt),
            ("PagePID", SqlType::Int),
            ("IAMFID", SqlType::TinyInt),
            ("IAMPID", SqlType::Int),
            ("ObjectID", SqlType::Int),
            ("IndexID", SqlType::Int),
            ("PageType", SqlType::TinyInt),
            ("IndexLevel", SqlType::TinyInt),
            ("NextPageFID", SqlType::TinyInt),
            ("NextPagePID", SqlType::Int),
            ("PrevPageFID", SqlType::TinyInt),
            ("PrevPagePID", SqlType::Int),
        ],
        rows,
    )
}

/// A page and all below it. Pages may be split meanwhile: each page listed was there when it was read.
fn linked(
    call: &SystemCall<'_>,
    tree: &Tree,
    id: PageId,
    iam: Option<PageId>,
    rows: &mut Vec<Vec<Value>>,
) -> SqlResult<()> {
    let page = read(call, id)?;
    let level = header::level(&page);
    let kind = header::kind(&page).map_or(0, |kind| kind as u8);
    rows.push(ind_row(tree, id, iam, kind, Some(level), (header::next(&page), header::prev(&page))));
    if level == 0 {
        return Ok(());
    }
    for slot in 0..slotted::slot_count(&page) {
        let Ok(record) = slotted::record(&page, slot) else { continue };
        let Some(address) = record.first_chunk::<CHILD_BYTES>() else { continue };
        let file = FileId(u16::from_le_bytes([address[0], address[1]]));
        let number = PageNo(u32::from_le_bytes([address[2], address[3], address[4], address[5]]));
        linked(call, tree, PageId { db: id.db, file, page: number }, iam, rows)?;
    }
    Ok(())
}

fn ind_row(
    tree: &Tree,
    id: PageId,
    iam: Option<PageId>,
    kind: u8,
    level: Option<u8>,
    (next, prev): (Option<PageLink>, Option<PageLink>),
) -> Vec<Value> {
    let file = |file: FileId| Value::TinyInt(u8::try_from(file.0).unwrap_or(u8::MAX));
    let page = |page: PageNo| Value::Int(page.0.cast_signed());
    let ids = tree.ids();
    let link = |link: Option<PageLink>| match link {
        Some(link) => [file(link.file), page(link.page)],
        None => [Value::TinyInt(0), Value::Int(0)],
    };
    let [next_file, next_page] = link(next);
    let [prev_file, prev_page] = link(prev);
    vec![
        file(id.file),
        page(id.page),
        iam.map_or(Value::Null, |iam| file(iam.file)),
        iam.map_or(Value::Null, |iam| page(iam.page)),
        Value::Int(ids.object_id.cast_signed()),
        Value::Int(i32::from(ids.index_id)),
        Value::TinyInt(kind),
        level.map_or(Value::Null, Value::TinyInt),
        next_file,
        next_page,
        prev_file,
        prev_page,
    ]
}
