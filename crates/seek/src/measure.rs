//! Statistics made of the rows: of all leaves of a tree or pages of a heap, or of some far apart. Reads what is there now,
//! committed or not; no lock is asked for and no latch held while a key is looked at.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_access::{AccessError, heap, tree};
use millpond_builtin::eval::{Rows, truth};
use millpond_catalog::statistics::histogram::{Collector, Statistics};
use millpond_catalog::trees::split_payload;
use millpond_catalog::{StatisticsObject, TableDef};
use millpond_engine::context::RunContext;
use millpond_engine::rows::TableRows;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_storage::ask::Ask;
use millpond_types::{RowError, SqlType, Value};

/// Leaves that are sampled where UPDATE STATISTICS does not say how many: small tables are read as a whole.
const SAMPLED_PAGES: usize = 1024;
/// Leaves that are read when a statement meets statistics that are missing or old: it waits for them.
const SAMPLED_PAGES_MEANWHILE: usize = 256;
/// Rows of a sample that has to be sorted, at most: what is in no index's order.
const SORTED_ROWS_MAX: u64 = 300_000;
/// Pages of such a sample: 128 MB.
const SORTED_PAGES_MAX: usize = 16_384;

/// How much is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// `SAMPLED_PAGES`
    Usual,
    /// `SAMPLED_PAGES_MEANWHILE`
    Meanwhile,
    /// FULLSCAN
    Full,
    /// SAMPLE n PERCENT
    Percent(f64),
    /// SAMPLE n ROWS
    Rows(u64),
}

/// Makes statistics of a table; `now_us` is local time. What a filter means is what it means to `ctx`.
///
/// # Errors
/// Those of reading, and of the filter.
pub fn measure(
    ask: &Ask<'_>,
    (def, table): (&TableDef, &TableRows),
    (object, ctx): (&StatisticsObject, Option<&RunContext>),
    sample: Sample,
    now_us: i64,
) -> SqlResult<Statistics> {
    let failed = |error| {
        let place = Place { schema: &def.schema.name, object: &def.name, database: &def.database_name };
        message::of_access(error, place)
    };
    let changes = changes_of(table, object, def);
    let (rows, pages) = size(ask, table, object).map_err(failed)?;
    let mut pages_max = pages_of(sample, pages, rows);
    if object.index.is_none() {
        let share = (SORTED_ROWS_MAX as f64 / rows.max(1) as f64).min(1.0);
        pages_max = pages_max.min((pages as f64 * share).ceil() as usize).clamp(1, SORTED_PAGES_MAX);
    }
    let collations: Vec<_> = object.columns.iter().map(|column| def.columns[*column].ty.collation).collect();
    let mut collector = Collector::new(collations.clone());
    let mut bytes = vec![0_u64; object.columns.len()];
    let (mut keys, mut error) = (Vec::new(), None::<SqlError>);
    let mut take = |payloads: &[Vec<u8>]| {
        let page = payloads.iter().filter_map(|payload| match is_counted(def, (object, ctx), payload) {
            Ok(true) => key_of(def, object, payload).transpose(),
            Ok(false) => None,
            Err(error) => Some(Err(error)),
        });
        match page.collect::<SqlResult<Vec<_>>>() {
            Ok(page) => {
                for key in &page {
                    let parts = bytes.iter_mut().zip(key).zip(&object.columns);
                    parts.for_each(|((bytes, value), column)| *bytes += width(value, &def.columns[*column].ty.sql));
                }
                if object.index.is_some() {
                    collector.add_page(page);
                } else {
                    keys.extend(page);
                }
            }
            Err(cause) => error = error.take().or(Some(cause)),
        }
    };
    let share = match table {
        TableRows::Heap(heap) => heap::sample::sample_pages(heap, ask, pages_max, &mut take),
        TableRows::Trees(trees) => {
            let tree = &trees.trees[object.index.unwrap_or(0)];
            tree::statistics::sample_leaves(tree, ask, pages_max, &mut take)
        }
    };
    let share = share.map_err(failed)?;
    if let Some(error) = error {
        return Err(error);
    }
    if object.index.is_none() {
        collector = Collector::of_rows(collations, keys);
    }
    let sampled = collector.sampled();
    let rows = if share < 1.0 {
        let by_share = (sampled as f64 / share) as u64;
        known_rows(table, object).filter(|_| object.filter.is_none()).unwrap_or(by_share).max(sampled)
    } else {
        sampled
    };
    let (distinct, steps) = collector.finish(rows);
    Ok(Statistics {
        columns: object.column_ids(def),
        rows,
        sampled,
        updated_us: now_us,
        changes,
        persisted_percent: None,
        no_recompute: false,
        distinct,
        average_bytes: bytes.iter().map(|bytes| *bytes as f64 / sampled.max(1) as f64).collect(),
        steps,
        collation: object.columns.first().map(|column| def.columns[*column].ty.collation).unwrap_or_default(),
    })
}

/// Changes of what statistics are of, so far: entries that came and went, and of columns that no index keeps new values, too.
pub(crate) fn changes_of(table: &TableRows, object: &StatisticsObject, def: &TableDef) -> u64 {
    let entries = table.changes(object.index.unwrap_or(0));
    entries + updates_of(table, object, def).map_or(0, |updates| updates.load(Relaxed))
}

/// The count of new values of the first column of statistics that are no index's.
pub(crate) fn updates_of(table: &TableRows, object: &StatisticsObject, def: &TableDef) -> Option<Arc<AtomicU64>> {
    let first = object.columns.first().filter(|_| object.index.is_none())?;
    Some(table.counters().statistics.updates_of(def.columns[*first].id))
}

/// About how many entries what statistics are of has, and pages.
fn size(ask: &Ask<'_>, table: &TableRows, object: &StatisticsObject) -> Result<(u64, u64), AccessError> {
    match table {
        TableRows::Heap(heap) => Ok((heap.row_count(), heap.page_count())),
        TableRows::Trees(trees) => {
            let tree = &trees.trees[object.index.unwrap_or(0)];
            Ok((tree::statistics::entry_estimate(tree, ask)?, tree.space(ask)?.used))
        }
    }
}

/// The entries of what statistics are of, where they were counted.
fn known_rows(table: &TableRows, object: &StatisticsObject) -> Option<u64> {
    match table {
        TableRows::Heap(heap) => Some(heap.row_count()),
        TableRows::Trees(trees) => trees.trees[object.index.unwrap_or(0)].known_entries(),
    }
}

/// Leaves to read of a tree of so many pages.
fn pages_of(sample: Sample, pages: u64, rows: u64) -> usize {
    let part = |part: f64| (pages as f64 * part.clamp(0.0, 1.0)).ceil() as usize;
    match sample {
        Sample::Usual => SAMPLED_PAGES,
        Sample::Meanwhile => SAMPLED_PAGES_MEANWHILE,
        Sample::Full => usize::MAX,
        Sample::Percent(percent) if percent >= 100.0 => usize::MAX,
        Sample::Percent(percent) => part(percent / 100.0),
        Sample::Rows(wanted) if rows <= wanted => usize::MAX,
        Sample::Rows(wanted) => part(wanted as f64 / rows as f64),
    }
}

/// Bytes that a value takes.
fn width(value: &Value, sql: &SqlType) -> u64 {
    match value {
        Value::Null => 0,
        Value::Str(text) if sql.is_unicode() => text.encode_utf16().count() as u64 * 2,
        Value::Str(text) => millpond_types::text::declared_len(text, sql) as u64,
        Value::Binary(bytes) => bytes.len() as u64,
        _ => sql.max_bytes().unwrap_or(0).into(),
    }
}

/// Whether the filter is true of a row, if there is one. A value outside the record is NULL to it.
fn is_counted(
    def: &TableDef,
    (object, ctx): (&StatisticsObject, Option<&RunContext>),
    record: &[u8],
) -> SqlResult<bool> {
    let (Some(filter), Some(ctx)) = (&object.filter, ctx) else { return Ok(object.filter.is_none()) };
    let mut row = Vec::with_capacity(def.columns.len());
    for column in 0..def.columns.len() {
        row.push(match def.layout.column(record, column) {
            Ok(value) => value,
            Err(RowError::OffRow { .. }) => Value::Null,
            Err(error) => return Err(message::of_row(error)),
        });
    }
    Ok(truth(&filter.1, ctx, Rows::of(&row))? == Some(true))
}

/// The columns' values of an entry; none where one of them lies outside the record.
fn key_of(def: &TableDef, object: &StatisticsObject, payload: &[u8]) -> SqlResult<Option<Vec<Value>>> {
    let index = object.index.map(|position| &def.indexes[position]).filter(|index| !index.holds_rows());
    let (layout, record) = match index {
        None => (&def.layout, payload),
        Some(index) => (&index.layout, split_payload(payload)?.1),
    };
    let mut key = Vec::with_capacity(object.columns.len());
    for column in &object.columns {
        let stored = |index: &millpond_catalog::IndexDef| index.stored.iter().position(|stored| stored == column);
        let place = index.map_or(Some(*column), stored).expect("an index has its key columns");
        match layout.column(record, place) {
            Ok(value) => key.push(value),
            Err(RowError::OffRow { .. }) => return Ok(None),
            Err(error) => return Err(message::of_row(error)),
        }
    }
    Ok(Some(key))
}
