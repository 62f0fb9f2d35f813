//! What the model answers to a query.

use super::definition::{Kind, Refused};
use super::model::Model;
use super::read::{By, Look, Read};

fn shown(value: Option<&String>) -> String {
    value.cloned().unwrap_or_else(|| "NULL".into())
}

fn base(kind: Kind) -> String {
    kind.described().split('|').next().unwrap_or_default().to_owned()
}

impl Model {
    /// The rows of a query.
    ///
    /// # Errors
    /// [`Refused`]: what it reads is not there.
    pub fn answer(&self, read: &Read) -> Result<Vec<Vec<String>>, Refused> {
        let table = |name: &String| self.tables.get(name).ok_or(Refused("no such table"));
        Ok(match read {
            Read::Rows { table: name, column, from, to } => {
                let of = table(name)?;
                let place = of.place(column).ok_or(Refused("no such column"))?;
                let rows = of.rows.range(*from..=*to);
                rows.map(|(id, row)| vec![id.to_string(), shown(row[place].as_ref())]).collect()
            }
            Read::Count { table: name, column } => {
                let of = table(name)?;
                let place = of.place(column).ok_or(Refused("no such column"))?;
                let known = of.rows.values().filter(|row| row[place].is_some()).count();
                let end = |entry: Option<(&i64, _)>| entry.map_or(0, |(id, _): (&i64, &Vec<_>)| *id).to_string();
                let (least, most) = (end(of.rows.first_key_value()), end(of.rows.last_key_value()));
                vec![vec![of.rows.len().to_string(), known.to_string(), least, most]]
            }
            Read::Joined { table: name, column, other } => {
                let (of, other) = (table(name)?, table(other)?);
                let place = of.place(column).ok_or(Refused("no such column"))?;
                let leads = |(id, row): (&i64, &Vec<Option<String>>)| {
                    let to = row[place].as_ref()?.parse::<i64>().ok()?;
                    other.rows.contains_key(&to).then(|| vec![id.to_string(), to.to_string()])
                };
                of.rows.iter().filter_map(leads).collect()
            }
            Read::AliasType(name) => {
                let kind = self.types.get(name).ok_or(Refused("no such type"))?;
                vec![vec![base(*kind), "7".into()]]
            }
            Read::TableType(name) => {
                let kinds = self.table_types.get(name).ok_or(Refused("no such type"))?;
                let mut row = vec![kinds.first().map_or_else(String::new, |kind| base(*kind)), "7".into()];
                row.resize(kinds.len() + 1, "NULL".into());
                vec![row]
            }
        })
    }

    /// What a look means now.
    #[must_use]
    pub fn meaning(&self, by: &By) -> Option<Read> {
        let read = |name: &String| self.modules.get(name).and_then(|module| module.read.clone());
        match by {
            By::Text(read) => Some(read.clone()),
            By::View(name) | By::Procedure(name) => read(name),
            By::Inline(name, between) => read(name).map(|read| read.of_ids(*between)),
        }
    }

    /// Whether these rows are the answer to what a look may have meant.
    #[must_use]
    pub fn is_answer(&self, rows: &[Vec<String>], meant: &[Read]) -> bool {
        let sorted = |mut rows: Vec<Vec<String>>| {
            rows.sort();
            rows
        };
        let rows = sorted(rows.to_vec());
        let is_right = |read: &Read| match self.answer(read) {
            Ok(answer) => sorted(answer) == rows,
            // A join of nothing does not look at the other table, and does not keep it.
            Err(_) => rows.is_empty() && matches!(read, Read::Joined { .. }),
        };
        meant.iter().any(is_right)
    }

    /// Refused when a look had another answer.
    pub(super) fn check_look(&self, look: &Look) -> Result<(), Refused> {
        let is_right = look.answer.as_ref().is_none_or(|rows| self.is_answer(rows, &look.meant));
        if is_right { Ok(()) } else { Err(Refused("another answer")) }
    }
}
