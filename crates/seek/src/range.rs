//! The bytes of the keys that an access wants, for the values of one run.

use std::ops::Bound;

use millpond_builtin::eval::{Rows, compare_values, eval};
use millpond_catalog::expr::CompareOp;
use millpond_catalog::run::Run;
use millpond_catalog::{KeyBounds, KeyColumn, TableDef, after_all};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::temporal::DateTimeOffset;
use millpond_types::{Collation, SqlType, Value, append_key, append_key_beginning, cast};

use crate::{Access, BoundAt, Probe, RangeBound, sargable};

/// Characters from here on take two units of UTF-16, or stand for one of them.
const CUT_FROM: char = '\u{E000}';

/// The keys of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// None at all: a comparison with NULL, or with a value that the column cannot have.
    None,
    /// All keys that begin with these bytes; with `single` the key itself.
    Ranges(Vec<KeyBounds>),
    /// One key.
    Key(Vec<u8>),
}

/// What a probe's value is to its column.
enum Fit {
    /// The value in the column's type.
    Exact(Value),
    /// No value of the column equals it.
    Never,
    /// NULL
    Null,
}

impl Access {
    /// The keys that the access wants, `row` being the row as far as it is known.
    ///
    /// # Errors
    /// Those of evaluation.
    pub fn keys(&self, def: &TableDef, ctx: &RunContext, row: &[Value]) -> SqlResult<Keys> {
        let index = &def.indexes[self.index];
        let mut prefix = Vec::with_capacity(64);
        for (probe, key) in self.prefix.iter().zip(&index.key) {
            match fit(probe, def, ctx, row)? {
                Fit::Exact(value) => append(def, key, &value, &mut prefix),
                Fit::Null if probe.finds_null => append(def, key, &Value::Null, &mut prefix),
                Fit::Never | Fit::Null => return Ok(Keys::None),
            }
        }
        if self.single {
            return Ok(Keys::Key(prefix));
        }
        let next = index.key.get(self.prefix.len());
        if !self.list.is_empty() {
            let key = next.expect("a list is on the column after the prefix");
            return self.list_keys(def, key, prefix, ctx, row);
        }
        let mut low = if prefix.is_empty() { Bound::Unbounded } else { Bound::Included(prefix.clone()) };
        let mut high = end_of(prefix.clone());
        if let Some(key) = next {
            if self.skips_null {
                match key.descending {
                    false => low = beside_nulls(def, key, prefix.clone(), true),
                    true => high = beside_nulls(def, key, prefix.clone(), false),
                }
            }
            for (bound, is_low) in [(&self.low, true), (&self.high, false)] {
                let Some(bound) = bound else { continue };
                match edge(bound, is_low, def, key, &prefix, ctx, row)? {
                    Edge::Nothing => return Ok(Keys::None),
                    Edge::Unknown => {}
                    Edge::Low(edge) => low = edge,
                    Edge::High(edge) => high = edge,
                }
            }
        }
        Ok(Keys::Ranges(vec![(low, high)]))
    }

    fn list_keys(
        &self,
        def: &TableDef,
        key: &KeyColumn,
        prefix: Vec<u8>,
        ctx: &RunContext,
        row: &[Value],
    ) -> SqlResult<Keys> {
        let mut starts = Vec::with_capacity(self.list.len());
        for probe in &self.list {
            if let Fit::Exact(value) = fit(probe, def, ctx, row)? {
                let mut start = prefix.clone();
                append(def, key, &value, &mut start);
                starts.push(start);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        if starts.is_empty() {
            return Ok(Keys::None);
        }
        Ok(Keys::Ranges(starts.into_iter().map(|start| (Bound::Included(start.clone()), end_of(start))).collect()))
    }
}

/// The keys of an index whose first column, of whole numbers, lies between two of them, both included; none where that has no
/// such values.
#[must_use]
pub fn between(def: &TableDef, index: usize, (least, most): (i64, i64)) -> Option<KeyBounds> {
    let key = def.indexes[index].key.first()?;
    let (lowest, highest) = match def.columns[key.column].ty.sql {
        SqlType::TinyInt => (i64::from(u8::MIN), i64::from(u8::MAX)),
        SqlType::SmallInt => (i64::from(i16::MIN), i64::from(i16::MAX)),
        SqlType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
        SqlType::BigInt => (i64::MIN, i64::MAX),
        _ => return None,
    };
    let (least, most) = (least.max(lowest), most.min(highest));
    if least > most {
        return None;
    }
    let (first, last) = if key.descending { (most, least) } else { (least, most) };
    let bytes = |number: i64| {
        let value = match def.columns[key.column].ty.sql {
            SqlType::TinyInt => Value::TinyInt(number as u8),
            SqlType::SmallInt => Value::SmallInt(number as i16),
            SqlType::Int => Value::Int(number as i32),
            _ => Value::BigInt(number),
        };
        let mut bytes = Vec::with_capacity(16);
        append(def, key, &value, &mut bytes);
        bytes
    };
    Some((Bound::Included(bytes(first)), end_of(bytes(last))))
}

/// The bound of the keys after a prefix that are not NULL: NULLs come first, in a descending column last.
fn beside_nulls(def: &TableDef, key: &KeyColumn, mut prefix: Vec<u8>, is_low: bool) -> Bound<Vec<u8>> {
    append(def, key, &Value::Null, &mut prefix);
    match is_low {
        true => after_all(prefix).map_or(Bound::Unbounded, Bound::Included),
        false => Bound::Excluded(prefix),
    }
}

/// Where a range bound lies among the keys.
enum Edge {
    Low(Bound<Vec<u8>>),
    High(Bound<Vec<u8>>),
    /// Nothing can be said.
    Unknown,
    /// No row.
    Nothing,
}

fn edge(
    bound: &RangeBound,
    is_low: bool,
    def: &TableDef,
    key: &KeyColumn,
    prefix: &[u8],
    ctx: &RunContext,
    row: &[Value],
) -> SqlResult<Edge> {
    let value = match &bound.at {
        BoundAt::Value => match fit(&bound.probe, def, ctx, row)? {
            Fit::Exact(value) => value,
            Fit::Never => return Ok(Edge::Unknown),
            Fit::Null => return Ok(Edge::Nothing),
        },
        at => {
            let value = eval(&bound.probe.expr, ctx, Rows::of(row))?;
            if value.is_null() {
                return Ok(Edge::Nothing);
            }
            let column = &def.columns[bound.probe.column].ty;
            let start = match at {
                BoundAt::Start(period) => sargable::start(*period, false, &value),
                BoundAt::Next(period) => sargable::start(*period, true, &value),
                BoundAt::Value | BoundAt::Beginning | BoundAt::Pattern(_) => {
                    let begun = beginning(at, &value, column.collation, ctx, row)?;
                    return Ok(begun.map_or(Edge::Unknown, |begun| around(&begun, is_low, def, key, prefix)));
                }
            };
            let first =
                start.and_then(|start| cast::cast(&start, &SqlType::Date, &column.sql, None, ctx.cast_rules()).ok());
            match first {
                Some(first) => first,
                None => return Ok(Edge::Unknown),
            }
        }
    };
    let mut bytes = prefix.to_vec();
    append(def, key, &value, &mut bytes);
    // In a descending column the greater values come first.
    let from_here = is_low != key.descending;
    Ok(match (from_here, bound.inclusive) {
        (true, true) => Edge::Low(Bound::Included(bytes)),
        (true, false) => match after_all(bytes) {
            Some(next) => Edge::Low(Bound::Included(next)),
            None => Edge::Nothing,
        },
        (false, true) => Edge::High(end_of(bytes)),
        (false, false) => Edge::High(Bound::Excluded(bytes)),
    })
}

/// The text with which those begin that a bound is around; `None` where it says nothing.
fn beginning(
    at: &BoundAt,
    value: &Value,
    collation: Collation,
    ctx: &RunContext,
    row: &[Value],
) -> SqlResult<Option<String>> {
    let Some(text) = value.as_str() else { return Ok(None) };
    let BoundAt::Pattern(escape) = at else {
        // What is cut may end in half of a character.
        return Ok(Some(text.to_owned()).filter(|text| text.chars().all(|c| c < CUT_FROM)));
    };
    let escape = escape.as_deref().map(|escape| eval(escape, ctx, Rows::of(row))).transpose()?;
    Ok(sargable::beginning(text, escape.as_ref(), collation))
}

/// An end of the keys of all texts that begin so.
fn around(begun: &str, is_low: bool, def: &TableDef, key: &KeyColumn, prefix: &[u8]) -> Edge {
    let mut bytes = prefix.to_vec();
    match append_key_beginning(begun, def.columns[key.column].ty.collation, key.order(), &mut bytes) {
        false => Edge::Unknown,
        true if is_low => Edge::Low(Bound::Included(bytes)),
        true => Edge::High(end_of(bytes)),
    }
}

fn end_of(prefix: Vec<u8>) -> Bound<Vec<u8>> {
    after_all(prefix).map_or(Bound::Unbounded, Bound::Excluded)
}

fn append(def: &TableDef, key: &KeyColumn, value: &Value, bytes: &mut Vec<u8>) {
    append_key(value, def.columns[key.column].ty.collation, key.order(), bytes);
}

/// The probe's value in the column's type, if one equals it.
fn fit(probe: &Probe, def: &TableDef, ctx: &RunContext, row: &[Value]) -> SqlResult<Fit> {
    let value = eval(&probe.expr, ctx, Rows::of(row))?;
    if value.is_null() {
        return Ok(Fit::Null);
    }
    let (from, column) = (&probe.expr.ty.sql, &def.columns[probe.column].ty);
    // Keys of texts are of their characters: a text that a code page has not may equal one that it has (ß and ss).
    if *from == column.sql || from.is_string() && column.sql.is_string() {
        return Ok(Fit::Exact(value));
    }
    // A column without offset is compared as one of UTC, where a cast takes what the clock of the offset shows.
    let value = match value {
        Value::DateTimeOffset(instant) => Value::DateTimeOffset(DateTimeOffset { offset_minutes: 0, ..instant }),
        value => value,
    };
    let Ok(converted) = cast::cast(&value, from, &column.sql, None, ctx.cast_rules()) else { return Ok(Fit::Never) };
    let Ok(back) = cast::cast(&converted, &column.sql, from, None, ctx.cast_rules()) else { return Ok(Fit::Never) };
    let same = compare_values(CompareOp::Eq, &back, &value, column.collation) == Some(true);
    Ok(if same { Fit::Exact(converted) } else { Fit::Never })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_above_all_that_begin_with_it() {
        assert_eq!(after_all(vec![1, 2]), Some(vec![1, 3]));
        assert_eq!(after_all(vec![1, 255, 255]), Some(vec![2]));
        assert_eq!(after_all(vec![255]), None);
        assert_eq!(after_all(Vec::new()), None);
    }
}
