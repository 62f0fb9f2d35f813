//! Views of indexes and where they lie: `sys.indexes`, `index_columns`, `partitions`, `allocation_units`,
//! `dm_db_partition_stats`.

use millpond_catalog::data_space::DataSpaces;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{Compression, IndexDef, IndexKind, ObjectId, TableDef, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, LargePages, ListedTable, Pages};
use millpond_message::error::SqlResult;

use crate::catalog::data_spaces::spaces_of;
use crate::columns::{NVarChar, NVarCharMax, Sysname, VarChar, big, int, maybe, text};
use crate::narrow::OF_PARTS;
use crate::row::{RowPart, Rows, ViewRows, led_view, row, unless_gone, view};
use crate::units::{unit_of_rows, unit_of_values};

row! {
    /// A row of `sys.indexes`.
    struct Indexes {
        object_id: i32,
        name: Option<Sysname>,
        index_id: i32,
        r#type: u8,
        type_desc: Option<NVarChar<60>>,
        is_unique: Option<bool>,
        data_space_id: Option<i32>,
        ignore_dup_key: Option<bool>,
        is_primary_key: Option<bool>,
        is_unique_constraint: Option<bool>,
        fill_factor: u8,
        is_padded: Option<bool>,
        is_disabled: Option<bool>,
        is_hypothetical: Option<bool>,
        is_ignored_in_optimization: Option<bool>,
        allow_row_locks: Option<bool>,
        allow_page_locks: Option<bool>,
        has_filter: Option<bool>,
        filter_definition: Option<NVarCharMax>,
        compression_delay: Option<i32>,
        suppress_dup_key_messages: Option<bool>,
        auto_created: Option<bool>,
        optimize_for_sequential_key: Option<bool>,
    }
}

/// `sys.indexes`
pub static INDEXES: ViewDef = led_view(
    "sys",
    "indexes",
    OF_PARTS,
    &ViewRows(|ctx, database| {
        let spaces = spaces_of(ctx, database)?;
        let mut rows = each_index(ctx, database, |table, _, index| {
            Ok([index_row((table.id, table.stored_id()), index, &spaces)])
        })?;
        each_index_of_types(ctx, database, |table, index| {
            rows.push(index_row((table.id.0, table.id), index, &spaces));
        })?;
        Ok(rows)
    }),
);

row! {
    /// A row of `sys.index_columns`.
    struct IndexColumns {
        object_id: i32,
        index_id: i32,
        index_column_id: i32,
        column_id: i32,
        key_ordinal: u8,
        partition_ordinal: u8,
        is_descending_key: Option<bool>,
        is_included_column: Option<bool>,
        column_store_order_ordinal: Option<u8>,
    }
}

/// `sys.index_columns`
pub static INDEX_COLUMNS: ViewDef = led_view(
    "sys",
    "index_columns",
    OF_PARTS,
    &ViewRows(|ctx, database| {
        let spaces = spaces_of(ctx, database)?;
        let mut rows = each_index(ctx, database, |table, _, index| {
            Ok(column_rows((table.id, table.stored_id()), &table.def, index, &spaces))
        })?;
        each_index_of_types(ctx, database, |table, index| {
            rows.extend(column_rows((table.id.0, table.id), table, index, &spaces));
        })?;
        Ok(rows)
    }),
);

row! {
    /// A row of `sys.partitions`.
    struct Partitions {
        partition_id: i64,
        object_id: i32,
        index_id: i32,
        partition_number: i32,
        hobt_id: i64,
        rows: Option<i64>,
        filestream_filegroup_id: i16,
        data_compression: u8,
        data_compression_desc: Option<NVarChar<60>>,
        xml_compression: Option<bool>,
        xml_compression_desc: Option<VarChar<3>>,
    }
}

/// `sys.partitions`: one per index.
pub static PARTITIONS: ViewDef = led_view(
    "sys",
    "partitions",
    OF_PARTS,
    &ViewRows(|ctx, database| {
        each_index(ctx, database, |table, position, index| {
            let id = hobt(table, index);
            let (data_compression, data_compression_desc) = match index.options.compression {
                Compression::None => (0, "NONE"),
                Compression::Row => (1, "ROW"),
                Compression::Page => (2, "PAGE"),
            };
            let is_xml = index.options.xml_compression;
            Ok([Partitions {
                partition_id: id,
                object_id: table.id,
                index_id: int(index.id),
                partition_number: 1,
                hobt_id: id,
                rows: Some(big(table.index_row_count(ctx, position)?)),
                filestream_filegroup_id: 0,
                data_compression,
                data_compression_desc: Some(text(data_compression_desc)),
                xml_compression: Some(is_xml),
                xml_compression_desc: Some(text(if is_xml { "ON" } else { "OFF" })),
            }])
        })
    }),
);

row! {
    /// A row of `sys.allocation_units`.
    struct AllocationUnits {
        allocation_unit_id: i64,
        r#type: u8,
        type_desc: Option<NVarChar<60>>,
        container_id: i64,
        data_space_id: Option<i32>,
        total_pages: i64,
        used_pages: i64,
        data_pages: i64,
    }
}

/// `sys.allocation_units`: one per index, its number that of the tree; another one for its values beyond the rows.
pub static ALLOCATION_UNITS: ViewDef = view(
    "sys",
    "allocation_units",
    &ViewRows(|ctx, database| {
        let spaces = spaces_of(ctx, database)?;
        each_index(ctx, database, |table, position, index| {
            let id = hobt(table, index);
            let space = spaces.group_of_index(table.stored_id(), index.id);
            let unit = |number: i64, kind: u8, name: &str, pages: Pages, data_pages: u64| {
                let (reserved, used) = (big(pages.reserved), big(pages.used));
                AllocationUnits {
                    allocation_unit_id: number,
                    r#type: kind,
                    type_desc: Some(text(name)),
                    container_id: id,
                    data_space_id: Some(space),
                    total_pages: reserved,
                    used_pages: used,
                    data_pages: big(data_pages),
                }
            };
            let pages = table.index_pages(ctx, position)?;
            let data_pages = if index.holds_rows() { pages.used.saturating_sub(1) } else { 0 };
            let mut units = vec![unit(id, 1, "IN_ROW_DATA", pages, data_pages)];
            if let Some(large) = table.large_pages(ctx, position)? {
                let (kind, name) = large.kind();
                units.push(unit(unit_of_values(id), kind, name, large.pages, 0));
            }
            Ok(units)
        })
    }),
);

row! {
    /// A row of `sys.dm_db_partition_stats`.
    struct DmDbPartitionStats {
        partition_id: Option<i64>,
        object_id: i32,
        index_id: i32,
        partition_number: i32,
        in_row_data_page_count: Option<i64>,
        in_row_used_page_count: Option<i64>,
        in_row_reserved_page_count: Option<i64>,
        lob_used_page_count: Option<i64>,
        lob_reserved_page_count: Option<i64>,
        row_overflow_used_page_count: Option<i64>,
        row_overflow_reserved_page_count: Option<i64>,
        used_page_count: Option<i64>,
        reserved_page_count: Option<i64>,
        row_count: Option<i64>,
    }
}

/// `sys.dm_db_partition_stats`
pub static DM_DB_PARTITION_STATS: ViewDef = led_view(
    "sys",
    "dm_db_partition_stats",
    OF_PARTS,
    &ViewRows(|ctx, database| {
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
            Ok([DmDbPartitionStats {
                partition_id: Some(hobt(table, index)),
                object_id: table.id,
                index_id: int(index.id),
                partition_number: 1,
                in_row_data_page_count: Some(big(pages.used.saturating_sub(1))),
                in_row_used_page_count: Some(used),
                in_row_reserved_page_count: Some(reserved),
                lob_used_page_count: Some(big(lob.used)),
                lob_reserved_page_count: Some(big(lob.reserved)),
                row_overflow_used_page_count: Some(big(overflow.used)),
                row_overflow_reserved_page_count: Some(big(overflow.reserved)),
                used_page_count: Some(big(all.used)),
                reserved_page_count: Some(big(all.reserved)),
                row_count: Some(big(table.index_row_count(ctx, position)?)),
            }])
        })
    }),
);

/// The rows of every index of every table, the position in the definition beside it.
fn each_index<R: RowPart, Of: IntoIterator<Item = R>>(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&ListedTable, usize, &IndexDef) -> SqlResult<Of>,
) -> SqlResult<Rows<R>> {
    let mut rows = Rows::new();
    for table in inventory::indexed(ctx, database)? {
        let mut indexes: Vec<(usize, IndexDef)> = table.indexes().into_iter().enumerate().collect();
        indexes.sort_by_key(|(_, index)| index.id);
        for (position, index) in &indexes {
            if let Some(found) = unless_gone(rows_of(&table, *position, index))? {
                rows.extend(found);
            }
        }
    }
    Ok(rows)
}

/// Every index of the table of every table type.
fn each_index_of_types(
    ctx: &RunContext,
    database: Within<'_>,
    mut row: impl FnMut(&TableDef, &IndexDef),
) -> SqlResult<()> {
    let objects = inventory::definitions(ctx, database)?;
    for (table, _) in inventory::type_constraints(&objects, database, 0) {
        inventory::indexes_of(&table).iter().for_each(|index| row(&table, index));
    }
    Ok(())
}

/// The number of an index's tree, which is that of its rows' allocation unit.
fn hobt(table: &ListedTable, index: &IndexDef) -> i64 {
    unit_of_rows(table.stored_id(), index.id)
}

/// `stored`: the number under which its place is known.
fn index_row((object, stored): (i32, ObjectId), index: &IndexDef, spaces: &DataSpaces) -> Indexes {
    let (number, kind) = match index.id {
        0 => (0, "HEAP"),
        1 => (1, "CLUSTERED"),
        _ => (2, "NONCLUSTERED"),
    };
    let filter = index.filter.as_ref().map(|(filter, _)| inventory::shown_filter(filter));
    let options = &index.options;
    Indexes {
        object_id: object,
        name: maybe((index.id != 0).then_some(index.name.as_str())),
        index_id: int(index.id),
        r#type: number,
        type_desc: Some(text(kind)),
        is_unique: Some(index.unique),
        data_space_id: Some(spaces.placement(stored, index.id).space),
        ignore_dup_key: Some(options.ignore_dup_key),
        is_primary_key: Some(index.kind == IndexKind::PrimaryKey),
        is_unique_constraint: Some(index.kind == IndexKind::Unique),
        fill_factor: options.fill_factor,
        is_padded: Some(options.pad_index),
        is_disabled: Some(index.disabled || index.is_outdated()),
        is_hypothetical: Some(false),
        is_ignored_in_optimization: Some(false),
        allow_row_locks: Some(options.allow_row_locks),
        allow_page_locks: Some(options.allow_page_locks),
        has_filter: Some(filter.is_some()),
        filter_definition: maybe(filter.as_deref()),
        compression_delay: None,
        suppress_dup_key_messages: Some(false),
        auto_created: Some(false),
        optimize_for_sequential_key: Some(options.sequential_key),
    }
}

fn column_rows(
    (object, stored): (i32, ObjectId),
    def: &TableDef,
    index: &IndexDef,
    spaces: &DataSpaces,
) -> Vec<IndexColumns> {
    let divided_by = spaces.placement(stored, index.id).column;
    let keys = index.key.iter().zip(1u8..).map(|(key, ordinal)| (key.column, ordinal, key.descending, false));
    let included = index.included.iter().map(|column| (*column, 0, false, true));
    let all = keys.chain(included).zip(1i32..);
    all.map(|((column, ordinal, descending, is_included), id)| IndexColumns {
        object_id: object,
        index_id: int(index.id),
        index_column_id: id,
        column_id: def.columns[column].id,
        key_ordinal: ordinal,
        partition_ordinal: u8::from(def.columns[column].id == divided_by),
        is_descending_key: Some(descending),
        is_included_column: Some(is_included),
        column_store_order_ordinal: Some(0),
    })
    .collect()
}
