//! DBCC SHOW_STATISTICS: header, densities and histogram of statistics.

use std::sync::Arc;

use millpond_catalog::clock::datetime2_of_unix_us;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_catalog::{StatisticsObject, TableDef, names_equal};
use millpond_engine::arguments::any_named_table;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_seek::current_statistics;
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

/// `DBCC SHOW_STATISTICS (table, name) [WITH STAT_HEADER | DENSITY_VECTOR | HISTOGRAM]`
pub static SHOW_STATISTICS: DbccDef = DbccDef {
    name: "SHOW_STATISTICS",
    syntax: "( 'table_or_indexed_view_name' , target )
    [ WITH { STAT_HEADER | DENSITY_VECTOR | HISTOGRAM } [ , ...n ] ]",
    takes: DbccTakes {
        args: 2..=2,
        options: &["STAT_HEADER", "DENSITY_VECTOR", "HISTOGRAM", "STATS_STREAM", "NO_INFOMSGS"],
    },
    run,
};

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(128) };
const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Limited(4000) };
const PARTS: [&str; 3] = ["STAT_HEADER", "DENSITY_VECTOR", "HISTOGRAM"];

fn run(call: &mut SystemCall<'_>) -> SqlResult<()> {
    if call.option("STATS_STREAM") {
        return Err(message::missing("DBCC SHOW_STATISTICS … WITH STATS_STREAM"));
    }
    let (dictionary, table) = any_named_table(call.ctx(), call.positional(0))?;
    let def = Arc::clone(&table.def);
    let name = call.positional(1).and_then(Value::as_str).unwrap_or_default().to_owned();
    let all = table.statistics();
    // Automatic ones are those of a column.
    let of_column = |object: &&StatisticsObject| object.is_automatic() && def.column(&name) == Some(object.columns[0]);
    let found = all.iter().find(|object| names_equal(&object.name, &name)).or_else(|| all.iter().find(of_column));
    let object = found.ok_or_else(|| SqlError::of(2767, 1, &[&name]))?;
    let made = current_statistics(call.ctx(), &dictionary, (&def, &table.rows), object);
    let made = made.filter(|made| made.rows > 0);
    let names_parts = PARTS.iter().any(|part| call.option(part));
    let wants = |call: &SystemCall<'_>, part: &str| !names_parts || call.option(part);
    if wants(call, "STAT_HEADER") {
        header(call, &def, object, made.as_deref(), table.rows.known_count())?;
    }
    if wants(call, "DENSITY_VECTOR") {
        densities(call, &def, object, made.as_deref())?;
    }
    if wants(call, "HISTOGRAM") {
        histogram(call, &def, object, made.as_deref())?;
    }
    Ok(())
}

/// `all`: rows of the table, when they were counted.
fn header(
    call: &mut SystemCall<'_>,
    def: &TableDef,
    object: &StatisticsObject,
    made: Option<&Statistics>,
    all: Option<u64>,
) -> SqlResult<()> {
    let filter = object.filter_in(def);
    let mut row = vec![Value::str(&object.name)];
    match made {
        None => row.extend([const { Value::Null }; 10]),
        Some(made) => {
            let is_text = object.columns.first().is_some_and(|column| def.columns[*column].ty.sql.is_string());
            let unfiltered = if filter.is_some() { all.unwrap_or(made.rows) } else { made.rows };
            row.extend([
                Value::str(&shown_time(made.updated_us)?),
                Value::BigInt(made.rows.cast_signed()),
                Value::BigInt(made.sampled.cast_signed()),
                Value::SmallInt(made.steps.len() as i16),
                Value::Real(density_between(made)),
                Value::Real(made.average_bytes.iter().sum::<f64>() as f32),
                Value::str(if is_text { "YES" } else { "NO " }),
                filter.map_or(Value::Null, |text| Value::str(&millpond_engine::inventory::shown_expression(text))),
                Value::BigInt(unfiltered.cast_signed()),
                Value::Float(made.persisted_percent.unwrap_or(0.0)),
            ]);
        }
    }
    call.result(
        &[
            ("Name", NAME),
            ("Updated", NAME),
            ("Rows", SqlType::BigInt),
            ("Rows Sampled", SqlType::BigInt),
            ("Steps", SqlType::SmallInt),
            ("Density", SqlType::Real),
            ("Average key length", SqlType::Real),
            ("String Index", SqlType::NChar { len: 3 }),
            ("Filter Expression", SqlType::NVarChar { len: MaxLen::Max }),
            ("Unfiltered Rows", SqlType::BigInt),
            ("Persisted Sample Percent", SqlType::Float),
        ],
        vec![row],
    )
}

/// `Nov 22 2026  7:10AM`
fn shown_time(local_us: i64) -> SqlResult<String> {
    let (from, to) = (SqlType::DateTime2 { scale: 7 }, SqlType::varchar(20));
    let shown = cast::cast(&Value::DateTime2(datetime2_of_unix_us(local_us)), &from, &to, Some(0), CastRules::DEFAULT);
    Ok(shown.map_err(message::of_eval)?.as_str().unwrap_or_default().to_owned())
}

/// One by the distinct values that are no steps.
fn density_between(made: &Statistics) -> f32 {
    let distinct: f64 = made.steps.iter().map(|step| step.distinct_range).sum();
    if distinct > 0.0 { (1.0 / distinct) as f32 } else { 0.0 }
}

fn densities(
    call: &mut SystemCall<'_>,
    def: &TableDef,
    object: &StatisticsObject,
    made: Option<&Statistics>,
) -> SqlResult<()> {
    let names: Vec<&str> = object.columns.iter().map(|column| def.columns[*column].name.as_str()).collect();
    let of = |made: &Statistics| {
        let mut bytes = 0.0;
        let prefixes = (1..=names.len()).zip(&made.average_bytes);
        prefixes
            .map(|(prefix, more)| {
                bytes += more;
                let density = Value::Real(made.density(prefix) as f32);
                vec![density, Value::Real(bytes as f32), Value::str(&names[..prefix].join(", "))]
            })
            .collect()
    };
    let rows = made.map_or_else(Vec::new, of);
    call.result(&[("All density", SqlType::Real), ("Average Length", SqlType::Real), ("Columns", TEXT)], rows)
}

fn histogram(
    call: &mut SystemCall<'_>,
    def: &TableDef,
    object: &StatisticsObject,
    made: Option<&Statistics>,
) -> SqlResult<()> {
    let Some(first) = object.columns.first() else { return Ok(()) };
    let rows = made.into_iter().flat_map(|made| &made.steps).map(|step| {
        vec![
            step.high.clone(),
            Value::Real(step.range_rows as f32),
            Value::Real(step.equal_rows as f32),
            Value::BigInt(step.distinct_range as i64),
            Value::Real(step.average_range_rows() as f32),
        ]
    });
    let rows = rows.collect();
    call.result(
        &[
            ("RANGE_HI_KEY", def.columns[*first].ty.sql),
            ("RANGE_ROWS", SqlType::Real),
            ("EQ_ROWS", SqlType::Real),
            ("DISTINCT_RANGE_ROWS", SqlType::BigInt),
            ("AVG_RANGE_ROWS", SqlType::Real),
        ],
        rows,
    )
}
