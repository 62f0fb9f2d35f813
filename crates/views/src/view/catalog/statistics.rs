//! Views of statistics: `sys.stats`, `sys.stats_columns`, `sys.dm_db_stats_properties`, `sys.dm_db_stats_histogram`.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::histogram::Statistics;
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{StatisticsObject, Within};
use millpond_engine::context::RunContext;
use millpond_engine::inventory::{self, ListedTable};
use millpond_engine::rows::TableRows;
use millpond_message::error::SqlResult;
use millpond_plan::seek::changes_since;
use millpond_types::{CastRules, SqlType, Value};

use crate::view::LedViewRows;
use crate::view::columns::{BIGINT, BIT, INT, NVARCHAR_MAX, SYSNAME, big, bit, col, int, maybe, null, text, varchar};
use crate::view::narrow::OF_PARTS;

type Rows = SqlResult<Vec<Vec<Value>>>;

/// `sys.stats`: an index has statistics of its own name and number, others are CREATE STATISTICS'.
pub static STATS: ViewDef = ViewDef {
    schema: "sys",
    name: "stats",
    columns: &[
        col("object_id", INT),
        null("name", SYSNAME),
        col("stats_id", INT),
        null("auto_created", BIT),
        null("user_created", BIT),
        null("no_recompute", BIT),
        null("has_filter", BIT),
        null("filter_definition", NVARCHAR_MAX),
        null("is_temporary", BIT),
        null("is_incremental", BIT),
        null("has_persisted_sample", BIT),
        null("stats_generation_method", INT),
        null("stats_generation_method_desc", varchar(80)),
        null("auto_drop", BIT),
    ],
    rows: &LedViewRows(OF_PARTS, |ctx, database| each(ctx, database, |table, object| vec![stats_row(table, object)])),
};

/// `sys.stats_columns`
pub static STATS_COLUMNS: ViewDef = ViewDef {
    schema: "sys",
    name: "stats_columns",
    columns: &[col("object_id", INT), col("stats_id", INT), null("stats_column_id", INT), null("column_id", INT)],
    rows: &LedViewRows(OF_PARTS, |ctx, database| {
        each(ctx, database, |table, object| {
            let named = object.columns[..object.named].iter().zip(1..);
            let row = |(column, ordinal): (&usize, i32)| {
                vec![int(table.id), int(object.id), int(ordinal), int(table.def.columns[*column].id)]
            };
            named.map(row).collect()
        })
    }),
};

fn each(
    ctx: &RunContext,
    database: Within<'_>,
    rows_of: impl Fn(&ListedTable, &StatisticsObject) -> Vec<Vec<Value>>,
) -> Rows {
    let mut rows = Vec::new();
    for table in inventory::tables(ctx, database)? {
        for object in table.def.statistics_objects() {
            rows.extend(rows_of(&table, &object));
        }
    }
    Ok(rows)
}

fn stats_row(table: &ListedTable, object: &StatisticsObject) -> Vec<Value> {
    let index = object.index.map(|position| &table.def.indexes[position]);
    let filter = index.and_then(|index| index.filter.as_ref());
    let filter = filter.map(|(filter, _)| inventory::shown_expression(filter));
    vec![
        int(table.id),
        text(&object.name),
        int(object.id),
        bit(false),
        bit(index.is_none()),
        bit(object.no_recompute),
        bit(filter.is_some()),
        maybe(filter.as_deref()),
        bit(false),
        bit(false),
        bit(made(table, object).is_some_and(|made| made.persisted_percent.is_some())),
        int(0),
        text("Sort based statistics"),
        bit(false),
    ]
}

/// `sys.dm_db_stats_properties(object_id, stats_id)`
pub static DM_DB_STATS_PROPERTIES: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_db_stats_properties",
    params: &[INT, INT],
    optional: 0,
    columns: &[
        col("object_id", INT),
        col("stats_id", INT),
        null("last_updated", SqlType::DateTime2 { scale: 7 }),
        null("rows", BIGINT),
        null("rows_sampled", BIGINT),
        null("steps", INT),
        null("unfiltered_rows", BIGINT),
        null("modification_counter", BIGINT),
        null("persisted_sample_percent", SqlType::Float),
    ],
    rows: |ctx, args| {
        let Some((table, object, made)) = named(RunContext::of(ctx), args)? else { return Ok(Vec::new()) };
        let mut row = vec![int(table.id), int(object.id)];
        match (made, &table.rows) {
            (Some(made), TableRows::Trees(trees)) => {
                let whole = trees.trees[0].known_entries().unwrap_or(made.rows);
                let is_filtered = object.index.is_some_and(|position| table.def.indexes[position].filter.is_some());
                row.extend([
                    Value::DateTime2(datetime2_of_unix_us(made.updated_us)),
                    big(made.rows.cast_signed()),
                    big(made.sampled.cast_signed()),
                    int(made.steps.len() as i32),
                    big(if is_filtered { whole } else { made.rows }.cast_signed()),
                    big(changes_since(trees, &object, &made).cast_signed()),
                    Value::Float(made.persisted_percent.unwrap_or(0.0)),
                ]);
            }
            _ => row.extend([const { Value::Null }; 7]),
        }
        Ok(vec![row])
    },
};

/// `sys.dm_db_stats_histogram(object_id, stats_id)`
pub static DM_DB_STATS_HISTOGRAM: TableFunctionDef = TableFunctionDef {
    schema: "sys",
    name: "dm_db_stats_histogram",
    params: &[INT, INT],
    optional: 0,
    columns: &[
        col("object_id", INT),
        col("stats_id", INT),
        col("step_number", INT),
        null("range_high_key", SqlType::Variant),
        null("range_rows", SqlType::Real),
        null("equal_rows", SqlType::Real),
        null("distinct_range_rows", BIGINT),
        null("average_range_rows", SqlType::Real),
    ],
    rows: |ctx, args| {
        let Some((table, object, Some(made))) = named(RunContext::of(ctx), args)? else { return Ok(Vec::new()) };
        let Some(first) = object.columns.first() else { return Ok(Vec::new()) };
        let from = table.def.columns[*first].ty.sql;
        let rows = made.steps.iter().zip(1..).map(|(step, number)| {
            let high = millpond_types::cast::cast(&step.high, &from, &SqlType::Variant, None, CastRules::DEFAULT);
            vec![
                int(table.id),
                int(object.id),
                int(number),
                high.unwrap_or_default(),
                Value::Real(step.range_rows as f32),
                Value::Real(step.equal_rows as f32),
                big(step.distinct_range as i64),
                Value::Real(step.average_range_rows() as f32),
            ]
        });
        Ok(rows.collect())
    },
};

/// Statistics, and what was made of them.
type Found = (ListedTable, StatisticsObject, Option<Arc<Statistics>>);

/// The statistics of an object's number and their own.
fn named(ctx: &RunContext, args: &[Value]) -> SqlResult<Option<Found>> {
    let number = |at: usize| args.get(at).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok());
    let (Some(object), Some(stats)) = (number(0), number(1)) else { return Ok(None) };
    let Some(table) = inventory::table(ctx, ctx.facts.database, object)? else { return Ok(None) };
    let objects = table.def.statistics_objects();
    let Some(object) = objects.into_iter().find(|object| i32::from(object.id) == stats) else { return Ok(None) };
    let made = made(&table, &object);
    Ok(Some((table, object, made)))
}

/// What was made of them; none of an empty table.
fn made(table: &ListedTable, object: &StatisticsObject) -> Option<Arc<Statistics>> {
    let TableRows::Trees(trees) = &table.rows else { return None };
    trees.counters.statistics.get(object.id, &object.column_ids(&table.def)).filter(|made| made.rows > 0)
}
