//! How many rows the keys of an access find, by the statistics of its first column.
//!
//! Values that are not known when a choice is made count as the average value of their column; those of variables are known where a
//! plan is made for them (`peeked`).

use millpond_catalog::TableDef;
use millpond_catalog::statistics::histogram::Statistics;
use millpond_types::{CastRules, Value, cast};

use crate::{Access, Probe, RangeBound, sargable};

/// Part of the rows that a bound of an unknown value lets pass.
const BOUNDED: f64 = 0.3;
/// The same of two bounds.
const BETWEEN: f64 = 0.1;

/// The part of the rows that bounds of unknown values let pass.
fn bounded(access: &Access) -> f64 {
    match (&access.low, &access.high) {
        (None, None) => 1.0,
        (Some(_), Some(_)) => BETWEEN,
        _ => BOUNDED,
    }
}

/// The rows that would have been found when the statistics were made.
pub(crate) fn found_then(def: &TableDef, statistics: &Statistics, access: &Access, values: &[Value]) -> f64 {
    let all = statistics.rows as f64;
    let each = |columns: usize| all * statistics.density(columns);
    let columns = access.prefix.len();
    let Some(first) = access.prefix.first() else {
        if !access.list.is_empty() {
            let of = |probe: &Probe| known(def, probe, values).map_or(each(1), |value| statistics.rows_equal(&value));
            return access.list.iter().map(of).sum();
        }
        return between(def, statistics, access, values);
    };
    // A value of the first column with more rows than others has more with each value of the next ones too.
    let weight =
        known(def, first, values).map_or(1.0, |value| statistics.rows_equal(&value) / each(1).max(f64::MIN_POSITIVE));
    if access.list.is_empty() {
        each(columns) * weight * bounded(access)
    } else {
        (each(columns + 1) * access.list.len() as f64).min(each(columns)) * weight
    }
}

/// Rows between bounds of the first column.
fn between(def: &TableDef, statistics: &Statistics, access: &Access, values: &[Value]) -> f64 {
    let all = statistics.rows as f64;
    let value = |bound: &RangeBound, is_low| {
        let column = &def.columns[bound.probe.column].ty;
        sargable::guessed(bound, is_low, &column.sql, column.collation, values)
    };
    let (low, high) = (&access.low, &access.high);
    if low.is_none() && high.is_none() {
        return all;
    }
    let below = match low {
        // No bound lets NULL pass.
        None => Some(statistics.rows_null()),
        Some(low) => value(low, true).map(|(value, inclusive)| statistics.rows_below(&value, !inclusive)),
    };
    let up_to = match high {
        None => Some(all),
        Some(high) => value(high, false).map(|(value, inclusive)| statistics.rows_below(&value, inclusive)),
    };
    match (below, up_to) {
        (Some(below), Some(up_to)) => up_to - below,
        _ => all * bounded(access),
    }
}

/// The value of a probe in its column's type, when it is a constant or a variable of these values.
pub(crate) fn known(def: &TableDef, probe: &Probe, values: &[Value]) -> Option<Value> {
    let (value, sql) = sargable::constant(&probe.expr, values)?;
    let column = def.columns[probe.column].ty.sql;
    if sql == column || value.is_null() {
        return Some(value);
    }
    cast::cast(&value, &sql, &column, None, CastRules::DEFAULT).ok()
}
