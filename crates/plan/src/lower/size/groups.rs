//! How many groups there are, and rows without duplicates: as many as their columns have distinct values together.

use millpond_catalog::expr::{ArithOp, BoundExpr, Kind};
use millpond_catalog::rel::Rel;
use millpond_types::SqlType;

use crate::lower::size::column::{self, drawn};
use crate::lower::size::estimate;
use crate::lowering::Lowering;

/// Part of the rows that groups are, when nothing is known of them.
pub(crate) const GROUPS: f64 = 0.25;

/// The groups of a relation's rows; none without an estimate.
pub(crate) fn of(lowering: &Lowering<'_>, input: &Rel, groups: &[BoundExpr]) -> Option<f64> {
    let rows = estimate(lowering, input)?;
    let by_rule = (rows * GROUPS).max(1.0);
    let (mut known, mut unknown) = (Vec::new(), None);
    // Columns of one table have no more values together than it has rows.
    let mut tables: Vec<(*const Rel, Vec<f64>, f64)> = Vec::new();
    for group in groups {
        match values(lowering, input, group, (rows, by_rule)) {
            None => unknown = Some(by_rule),
            Some((values, None)) => known.push(values),
            Some((values, Some((table, most)))) => match tables.iter_mut().find(|(of, ..)| *of == table) {
                Some((_, all, _)) => all.push(values),
                None => tables.push((table, vec![values], most)),
            },
        }
    }
    known.extend(tables.into_iter().map(|(_, values, most)| together(values).min(most)));
    known.extend(unknown);
    Some(together(known).min(rows).max(1.0))
}

/// The table that an expression is over, and how many rows that has.
type Table = Option<(*const Rel, f64)>;

/// How many values a group expression has in a relation's rows; none where nothing is known.
fn values(
    lowering: &Lowering<'_>,
    input: &Rel,
    group: &BoundExpr,
    (rows, by_rule): (f64, f64),
) -> Option<(f64, Table)> {
    let place = match group.kind {
        Kind::Column(place) => place,
        Kind::Literal(_) => return Some((1.0, None)),
        _ => {
            // A function of one column has no more values than that.
            let mut places = Vec::new();
            group.visit(&mut |node| {
                if let Kind::Column(place) = node.kind
                    && !places.contains(&place)
                {
                    places.push(place);
                }
            });
            let [place] = places[..] else { return None };
            let (values, _) = values(lowering, input, &BoundExpr::column(place, group.ty), (rows, by_rule))?;
            let most = values_of_function(lowering, input, group, place).unwrap_or(by_rule);
            return Some((values.min(most), None));
        }
    };
    let origin = column::origin(input, place)?;
    let column = column::column(lowering, input, place)?;
    let values = match (&column.spread, column.most) {
        (Some(spread), _) => drawn(spread.distinct, spread.rows, rows) + if column.not_null < 1.0 { 1.0 } else { 0.0 },
        (None, Some(most)) if column.is_unique => most.min(rows),
        (None, Some(most)) => most.min(by_rule),
        (None, None) => return None,
    };
    Some((values, column.most.map(|most| (std::ptr::from_ref(origin.table), most))))
}

/// How many values a function of a column has at most, where its name says so: parts of dates, and remainders.
fn values_of_function(lowering: &Lowering<'_>, input: &Rel, group: &BoundExpr, place: usize) -> Option<f64> {
    let days = || column::column(lowering, input, place)?.spread?.days();
    match &group.kind {
        Kind::Function(def, _) => match def.name {
            "YEAR" => Some((days()? / 365.0).ceil()),
            "MONTH" => Some(12.0),
            "DAY" => Some(31.0),
            _ => None,
        },
        Kind::Cast { .. } if group.ty.sql == SqlType::Date => days(),
        Kind::Arith(ArithOp::Mod, _, by) => match &by.kind {
            Kind::Literal(by) => by.as_i64().map(|by| by.unsigned_abs().max(1) as f64),
            _ => None,
        },
        _ => None,
    }
}

/// Values of several columns together, which hang together somewhat: the most count whole, of each other column the root.
fn together(mut values: Vec<f64>) -> f64 {
    values.sort_by(|a, b| b.total_cmp(a));
    let mut values = values.into_iter();
    let first = values.next().unwrap_or(1.0);
    values.fold(first, |all, values| all * values.max(1.0).sqrt())
}
