//! Views of indexes and where they lie: `sys.indexes`, `index_columns`, `partitions`, `allocation_units`,
//! `dm_db_partition_stats`, `data_spaces`, `filegroups`.

use millpond_catalog::system_view::ViewDef;
use millpond_catalog::trees::tree_ids;
use millpond_catalog::{IndexDef, IndexKind, ObjectId, SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, LargePages, ListedTable, Pages};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::view::columns::{
    BIGINT, BIT, INT, NVARCHAR_MAX, SYSNAME, TINYINT, big, bit, char2, col, int, maybe, null, nvarchar, text, tiny,
};
use crate::view::narrow::OF_PARTS;
use crate::view::{LedViewRows, ViewRows};

/// `sys.indexes`
pub static INDEXES: ViewDef = ViewDef {
    schema: "sys",
    name: "indexes",
    columns: &[
        col("object_id", INT),
        null("name", SYSNAME),
        col("index_id", INT),
        col("type", TINYINT),
        null("type_desc", nvarchar(60)),
        null("is_unique", BIT),
        null("data_space_id", INT),
        null("ignore_dup_key", BIT),
        null("is_primary_key", BIT),
        null("is_unique_constraint", BIT),
        col("fill_factor", TINYINT),
        null("is_padded", BIT),
        null("is_disabled", BIT),
        null("is_hypothetical", BIT),
        null("is_ignored_in_optimization", BIT),
        null("allow_row_locks", BIT),
        null("allow_page_locks", BIT),
        null("has_filter", BIT),
        null("filter_definition", NVARCHAR_MAX),
        null("compression_delay", INT),
        null("suppress_dup_key_messages", BIT),
        null("auto_created", BIT),
        null("optimize_for_sequential_key", BIT),
    ],
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        each_index(ctx, database, |table, _, index| Ok(vec![index_row(table, index)]))
    }),
};

/// `sys.index_columns`
pub static INDEX_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "index_columns",
    columns: &[
        col("object_id", INT),
        col("index_id", INT),
        col("index_column_id", INT),
        col("column_id", INT),
        col("key_ordinal", TINYINT),
        col("partition_ordinal", TINYINT),
        null("is_descending_key", BIT),
        null("is_included_column", BIT),
        null("column_store_order_ordinal", TINYINT),
    ],
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        each_index(ctx, database, |table, _, index| Ok(column_rows(table, index)))
    }),
};

/// `sys.partitions`: one per index.
pub static PARTITIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "partitions",
    columns: &[
        col("partition_id", BIGINT),
        col("object_id", INT),
        col("index_id", INT),
        col("partition_number", INT),
        col("hobt_id", BIGINT),
        null("rows", BIGINT),
        col("filestream_filegroup_id", crate::view::columns::SMALLINT),
        col("data_compression", TINYINT),
        null("data_compression_desc", nvarchar(60)),
        null("xml_compression", BIT),
        null("xml_compression_desc", crate::view::columns::varchar(3)),
    ],
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        each_index(ctx, database, |table, position, index| {
            let id = hobt(table, index);
            Ok(vec![vec![
                big(id),
                int(table.id),
                int(index.id),
                int(1),
                big(id),
                big(table.index_row_count(ctx, position)?),
                Value::SmallInt(0),
                tiny(0),
                text("NONE"),
                bit(false),
                text("OFF"),
            ]])
        })
    }),
};

/// `sys.allocation_units`: one per index, its number that of the tree; another one for its values beyond the rows.
pub static ALLOCATION_UNITS: ViewDef = ViewDef {
    schema: "sys",
    name: "allocation_units",
    columns: &[
        col("allocation_unit_id", BIGINT),
        col("type", TINYINT),
        null("type_desc", nvarchar(60)),
        col("container_id", BIGINT),
        null("data_space_id", INT),
        col("total_pages", BIGINT),
        col("used_pages", BIGINT),
        col("data_pages", BIGINT),
    ],
    rows: &ViewRows(|ctx, database| {
        each_index(ctx, database, |table, position, index| {
            let id = hobt(table, index);
            let unit = |number: u64, kind: u8, name: &str, pages: Pages, data_pages: u64| {
                let (reserved, used) = (big(pages.reserved), big(pages.used));
                vec![big(number), tiny(kind), text(name), big(id), int(1), reserved, used, big(data_pages)]
            };
            let pages = table.index_pages(ctx, position)?;
            let data_pages = if index.holds_rows() { pages.used.saturating_sub(1) } else { 0 };
            let mut units = vec![unit(id, 1, "IN_ROW_DATA", pages, data_pages)];
            if let Some(large) = table.large_pages(ctx, position)? {
                let (kind, name) = large.kind();
                // A number of its own: these bits are the same in all trees' numbers.
                units.push(unit(id ^ u64::from(kind) << 56, kind, name, large.pages, 0));
            }
            Ok(units)
        })
    }),
};

/// `sys.dm_db_partition_stats`
pub static DM_DB_PARTITION_STATS: ViewDef = ViewDef {
    schema: "sys",
    name: "dm_db_partition_stats",
    columns: &[
        null("partition_id", BIGINT),
        col("object_id", INT),
        col("index_id", INT),
        col("partition_number", INT),
        null("in_row_data_page_count", BIGINT),
        null("in_row_used_page_count", BIGINT),
        null("in_row_reserved_page_count", BIGINT),
        null("lob_used_page_count", BIGINT),
        null("lob_reserved_page_count", BIGINT),
        null("row_overflow_used_page_count", BIGINT),
        null("row_overflow_reserved_page_count", BIGINT),
        null("used_page_count", BIGINT),
        null("reserved_page_count", BIGINT),
        null("row_count", BIGINT),
    ],
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        each_index(ctx, database, |table, position, index| {
            let pages = table.index_pages(ctx, position)?;
            let (used, reserved) = (big(pages.used), big(pages.reserved));
            let large = table.large_pages(ctx, position)?;
            let (lob, overflow) = match large {
                Some(LargePages { pages, is_overflow: true }) => (Pages::default(), pages),
                Some(LargePages { pages, is_overflow: false }) => (pages, Pages::default()),
                None => (Pages::default(), Pages::default()),
            };
            let all = table.all_pages(ctx, position)?;
            Ok(vec![vec![
                big(hobt(table, index)),
                int(table.id),
                int(index.id),
                int(1),
                big(pages.used.saturating_sub(1)),
                used,
                reserved,
                big(lob.used),
                big(lob.reserved),
                big(overflow.used),
                big(overflow.reserved),
                big(all.used),
                big(all.reserved),
                big(table.index_row_count(ctx, position)?),
            ]])
        })
    }),
};

const SPACE_COLUMNS: [SystemColumn; 6] = [
    col("name", SYSNAME),
    col("data_space_id", INT),
    col("type", char2()),
    null("type_desc", nvarchar(60)),
    null("is_default", BIT),
    null("is_system", BIT),
];

/// `sys.data_spaces`: all rows are in PRIMARY.
pub static DATA_SPACES: ViewDef = ViewDef {
    schema: "sys",
    name: "data_spaces",
    columns: &SPACE_COLUMNS,
    rows: &ViewRows(|_, _| Ok(vec![primary()])),
};

/// `sys.filegroups`
pub static FILEGROUPS: ViewDef = ViewDef {
    schema: "sys",
    name: "filegroups",
    columns: &crate::view::columns::joined::<6, 4, 10>(
        SPACE_COLUMNS,
        [
            null("filegroup_guid", crate::view::columns::GUID),
            null("log_filegroup_id", INT),
            null("is_read_only", BIT),
            null("is_autogrow_all_files", BIT),
        ],
    ),
    rows: &ViewRows(|_, database| {
        let mut row = primary();
        row.extend([Value::Null, Value::Null, bit(false), bit(database.database == DbId::TEMPDB)]);
        Ok(vec![row])
    }),
};

fn primary() -> Vec<Value> {
    vec![text("PRIMARY"), int(1), text("FG"), text("ROWS_FILEGROUP"), bit(true), bit(false)]
}

type Rows = SqlResult<Vec<Vec<Value>>>;

/// The rows of every index of every table, the position in the definition beside it.
fn each_index(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&ListedTable, usize, &IndexDef) -> Rows,
) -> Rows {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        let mut indexes: Vec<(usize, IndexDef)> = table.indexes().into_iter().enumerate().collect();
        indexes.sort_by_key(|(_, index)| index.id);
        for (position, index) in &indexes {
            rows.extend(rows_of(&table, *position, index)?);
        }
    }
    Ok(rows)
}

/// The number of an index's tree, by which pages are told in `dm_os_buffer_descriptors`.
fn hobt(table: &ListedTable, index: &IndexDef) -> u64 {
    tree_ids(ObjectId(table.id), index.id).hobt
}

fn index_row(table: &ListedTable, index: &IndexDef) -> Vec<Value> {
    let (number, kind) = match index.id {
        0 => (0, "HEAP"),
        1 => (1, "CLUSTERED"),
        _ => (2, "NONCLUSTERED"),
    };
    let filter = index.filter.as_ref().map(|(filter, _)| inventory::shown_expression(filter));
    let options = &index.options;
    vec![
        int(table.id),
        maybe((index.id != 0).then_some(index.name.as_str())),
        int(index.id),
        tiny(number),
        text(kind),
        bit(index.unique),
        int(1),
        bit(options.ignore_dup_key),
        bit(index.kind == IndexKind::PrimaryKey),
        bit(index.kind == IndexKind::Unique),
        tiny(options.fill_factor),
        bit(options.pad_index),
        bit(index.disabled || index.is_outdated()),
        bit(false),
        bit(false),
        bit(options.allow_row_locks),
        bit(options.allow_page_locks),
        bit(filter.is_some()),
        maybe(filter.as_deref()),
        Value::Null,
        bit(false),
        bit(false),
        bit(false),
    ]
}

fn column_rows(table: &ListedTable, index: &IndexDef) -> Vec<Vec<Value>> {
    let keys = index.key.iter().zip(1u8..).map(|(key, ordinal)| (key.column, ordinal, key.descending, false));
    let included = index.included.iter().map(|column| (*column, 0, false, true));
    let all = keys.chain(included).zip(1i32..);
    all.map(|((column, ordinal, descending, is_included), id)| {
        vec![
            int(table.id),
            int(index.id),
            int(id),
            int(table.def.columns[column].id),
            tiny(ordinal),
            tiny(0),
            bit(descending),
            bit(is_included),
            tiny(0),
        ]
    })
    .collect()
}
