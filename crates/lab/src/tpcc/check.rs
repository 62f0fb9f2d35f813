//! The twelve consistency conditions (revision 5.11 of the standard, clause 3.3.2), as queries for the rows that break
//! them.

use millpond_tsql::batch::split_script;
use millpond_types::Value;

use super::target::Session;
use crate::failure::{Doing, LabError};
use crate::link::Table;

pub(crate) const CONSISTENCY: &str = include_str!("../../../../examples/tpcc/consistency.sql");

/// Rows of a broken condition that are shown.
const SHOWN_ROWS: usize = 5;

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) number: u32,
    /// What holds.
    pub(crate) text: String,
    query: String,
}

/// All conditions, in their order.
pub(crate) fn conditions() -> Vec<Condition> {
    split_script(CONSISTENCY)
        .into_iter()
        .map(|batch| {
            let heading = batch.text.lines().find_map(|line| line.strip_prefix("-- condition "));
            let (number, text) = heading.and_then(|line| line.split_once(": ")).expect("every query has its heading");
            let number = number.parse().expect("conditions are numbered");
            Condition { number, text: text.to_owned(), query: batch.text }
        })
        .collect()
}

/// Runs the conditions of these numbers, prints each on standard error, and says whether all hold.
pub(crate) fn check(session: &mut impl Session, numbers: &[u32]) -> Result<bool, LabError> {
    let mut all_hold = true;
    for condition in conditions().into_iter().filter(|condition| numbers.contains(&condition.number)) {
        let answer = session.batch(&condition.query).doing(format!("condition {}", condition.number))?;
        let Some(broken) = answer.tables.first() else {
            return Err(LabError::Answer(format!("condition {} returned no result", condition.number)));
        };
        all_hold &= broken.rows.is_empty();
        eprint!("{}", text_of(&condition, broken));
    }
    Ok(all_hold)
}

fn text_of(condition: &Condition, broken: &Table) -> String {
    let Condition { number, text, .. } = condition;
    if broken.rows.is_empty() {
        return format!("condition {number:2} holds\n");
    }
    let mut out = format!("condition {number:2} BROKEN in {} rows: {text}\n", broken.rows.len());
    for row in broken.rows.iter().take(SHOWN_ROWS) {
        let cells = broken.columns.iter().zip(row);
        let cells: Vec<String> = cells.map(|(column, value)| format!("{}={}", column.name, shown(value))).collect();
        out += &format!("    {}\n", cells.join(" "));
    }
    out
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Str(text) => text.to_string(),
        Value::Decimal(decimal) => decimal.to_string(),
        other => other.as_i64().map_or_else(|| format!("{other:?}"), |number| number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use millpond_tds::ColumnMeta;
    use millpond_tsql::{ParseOptions, parse_batch};
    use millpond_types::SqlType;

    use super::*;

    #[test]
    fn there_are_twelve_and_they_are_t_sql() {
        let conditions = conditions();
        assert_eq!(conditions.iter().map(|condition| condition.number).collect::<Vec<_>>(), Vec::from_iter(1..=12));
        for condition in conditions {
            let parsed = parse_batch(&condition.query, ParseOptions { quoted_identifier: true });
            assert!(parsed.is_ok(), "condition {}: {parsed:?}", condition.number);
        }
    }

    #[test]
    fn a_broken_condition_shows_its_rows() {
        let column = |name: &str| ColumnMeta::new(name, SqlType::Int);
        let rows = (0..7).map(|number| vec![Value::Int(number), Value::Null]).collect();
        let table = Table { columns: vec![column("w_id"), column("paid")], rows };
        let text = text_of(&conditions()[7], &table);
        assert!(text.starts_with("condition  8 BROKEN in 7 rows: a warehouse's w_ytd is"), "{text}");
        assert_eq!(text.matches("w_id=").count(), SHOWN_ROWS);
        assert!(text.contains("    w_id=0 paid=NULL\n"), "{text}");
    }
}
