//! Views of statistics: `sys.stats`, `sys.stats_columns`, `sys.dm_db_stats_properties`, `sys.dm_db_stats_histogram`.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{StatisticsObject, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, ListedTable};
use millpond_message::error::SqlResult;
use millpond_seek::changes_since;
use millpond_types::{CastRules, DateTime2, SqlType, Value};

use crate::columns::{NVarCharMax, Sysname, VarChar, Variant, int, maybe, text};
use crate::narrow::OF_PARTS;
use crate::row::{RowPart, Rows, ViewRows, led_view, row, table_function};

row! {
    /// A row of `sys.stats`.
    struct Stats {
        object_id: i32,
        name: Option<Sysname>,
        stats_id: i32,
        auto_created: Option<bool>,
        user_created: Option<bool>,
        no_recompute: Option<bool>,
        has_filter: Option<bool>,
        filter_definition: Option<NVarCharMax>,
        is_temporary: Option<bool>,
        is_incremental: Option<bool>,
        has_persisted_sample: Option<bool>,
        stats_generation_method: Option<i32>,
        stats_generation_method_desc: Option<VarChar<80>>,
        auto_drop: Option<bool>,
    }
}

/// `sys.stats`: an index has statistics of its own name and number, others are CREATE STATISTICS', or came when a plan asked.
pub static STATS: ViewDef = led_view(
    "sys",
    "stats",
    OF_PARTS,
    &ViewRows(|ctx, database| each(ctx, database, |table, object| [stats_row(table, object)])),
);

row! {
    /// A row of `sys.stats_columns`.
    struct StatsColumns {
        object_id: i32,
        stats_id: i32,
        stats_column_id: Option<i32>,
        column_id: Option<i32>,
    }
}

/// `sys.stats_columns`
pub static STATS_COLUMNS: ViewDef = led_view(
    "sys",
    "stats_columns",
    OF_PARTS,
    &ViewRows(|ctx, database| {
        each(ctx, database, |table, object| {
            let named = object.columns[..object.named].iter().zip(1..);
            let row = |(column, ordinal): (&usize, i32)| StatsColumns {
                object_id: table.id,
                stats_id: int(object.id),
                stats_column_id: Some(ordinal),
                column_id: Some(table.def.columns[*column].id),
            };
            named.map(row).collect::<Vec<_>>()
        })
    }),
);

fn each<R: RowPart, Of: IntoIterator<Item = R>>(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&ListedTable, &StatisticsObject) -> Of,
) -> SqlResult<Rows<R>> {
    let mut rows = Rows::new();
    for table in inventory::indexed(ctx, database)? {
        for object in table.statistics() {
            rows.extend(rows_of(&table, &object));
        }
    }
    Ok(rows)
}

fn stats_row(table: &ListedTable, object: &StatisticsObject) -> Stats {
    let index = object.index.map(|position| &table.def.indexes[position]);
    let filter = object.filter_in(&table.def).map(inventory::shown_filter);
    Stats {
        object_id: table.id,
        name: Some(text(&object.name)),
        stats_id: int(object.id),
        auto_created: Some(object.is_automatic()),
        user_created: Some(index.is_none() && !object.is_automatic()),
        no_recompute: Some(object.no_recompute),
        has_filter: Some(filter.is_some()),
        filter_definition: maybe(filter.as_deref()),
        is_temporary: Some(false),
        is_incremental: Some(false),
        has_persisted_sample: Some(made(table, object).is_some_and(|made| made.persisted_percent.is_some())),
        stats_generation_method: Some(0),
        stats_generation_method_desc: Some(text("Sort based statistics")),
        auto_drop: Some(false),
    }
}

row! {
    /// A row of `sys.dm_db_stats_properties`.
    #[derive(Default)]
    struct DmDbStatsProperties {
        object_id: i32,
        stats_id: i32,
        last_updated: Option<DateTime2>,
        rows: Option<i64>,
        rows_sampled: Option<i64>,
        steps: Option<i32>,
        unfiltered_rows: Option<i64>,
        modification_counter: Option<i64>,
        persisted_sample_percent: Option<f64>,
    }
}

/// `sys.dm_db_stats_properties(object_id, stats_id)`
pub static DM_DB_STATS_PROPERTIES: TableFunctionDef =
    table_function!("sys", "dm_db_stats_properties", [i32, i32], optional 0, DmDbStatsProperties, properties);

fn properties(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbStatsProperties>> {
    let Some((table, object, made)) = named(ctx, args)? else { return Ok(Rows::new()) };
    let mut row =
        DmDbStatsProperties { object_id: table.id, stats_id: int(object.id), ..DmDbStatsProperties::default() };
    if let Some(made) = made {
        let whole = table.rows.known_count().unwrap_or(made.rows);
        let is_filtered = object.filter_in(&table.def).is_some();
        row.last_updated = Some(datetime2_of_unix_us(made.updated_us));
        row.rows = Some(made.rows.cast_signed());
        row.rows_sampled = Some(made.sampled.cast_signed());
        row.steps = Some(int(made.steps.len()));
        row.unfiltered_rows = Some(if is_filtered { whole } else { made.rows }.cast_signed());
        row.modification_counter = Some(changes_since((&table.def, &table.rows), &object, &made).cast_signed());
        row.persisted_sample_percent = Some(made.persisted_percent.unwrap_or(0.0));
    }
    Ok(Rows::one(row))
}

row! {
    /// A row of `sys.dm_db_stats_histogram`.
    struct DmDbStatsHistogram {
        object_id: i32,
        stats_id: i32,
        step_number: i32,
        range_high_key: Option<Variant>,
        range_rows: Option<f32>,
        equal_rows: Option<f32>,
        distinct_range_rows: Option<i64>,
        average_range_rows: Option<f32>,
    }
}

/// `sys.dm_db_stats_histogram(object_id, stats_id)`
pub static DM_DB_STATS_HISTOGRAM: TableFunctionDef =
    table_function!("sys", "dm_db_stats_histogram", [i32, i32], optional 0, DmDbStatsHistogram, histogram);

fn histogram(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<DmDbStatsHistogram>> {
    let Some((table, object, Some(made))) = named(ctx, args)? else { return Ok(Rows::new()) };
    let Some(first) = object.columns.first() else { return Ok(Rows::new()) };
    let from = table.def.columns[*first].ty.sql;
    let rows = made.steps.iter().zip(1..).map(|(step, number)| {
        let high = millpond_types::cast::cast(&step.high, &from, &SqlType::Variant, None, CastRules::DEFAULT);
        DmDbStatsHistogram {
            object_id: table.id,
            stats_id: int(object.id),
            step_number: number,
            range_high_key: high.ok().map(Variant),
            range_rows: Some(step.range_rows as f32),
            equal_rows: Some(step.equal_rows as f32),
            distinct_range_rows: Some(step.distinct_range as i64),
            average_range_rows: Some(step.average_range_rows() as f32),
        }
    });
    Ok(rows.collect())
}

/// Statistics, and what was made of them.
type Found = (ListedTable, StatisticsObject, Option<Arc<Statistics>>);

/// The statistics of an object's number and their own.
fn named(ctx: &RunContext, args: &[Value]) -> SqlResult<Option<Found>> {
    let number = |at: usize| args.get(at).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
    let (Some(object), Some(stats)) = (number(0), number(1)) else { return Ok(None) };
    let Some(table) = inventory::table(ctx, ctx.facts.database, object)? else { return Ok(None) };
    let objects = table.statistics();
    let Some(object) = objects.into_iter().find(|object| i32::from(object.id) == stats) else { return Ok(None) };
    let made = made(&table, &object);
    Ok(Some((table, object, made)))
}

/// Changes of an index's first column since its statistics were made.
pub(crate) fn changes_of(table: &ListedTable, index: u16) -> u64 {
    let found = table.statistics().into_iter().find(|object| object.id == index);
    let made = found.and_then(|object| Some((made(table, &object)?, object)));
    made.map_or(0, |(made, object)| changes_since((&table.def, &table.rows), &object, &made))
}

/// What was made of them; none of an empty table.
fn made(table: &ListedTable, object: &StatisticsObject) -> Option<Arc<Statistics>> {
    let counters = table.rows.known_counters()?;
    counters.statistics.get(object.id, &object.column_ids(&table.def)).filter(|made| made.rows > 0)
}
