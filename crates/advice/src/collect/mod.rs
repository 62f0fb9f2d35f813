//! Asks a server for facts: documented views of SQL Server, and what Millpond has beside them.
//!
//! What always holds: a question that is refused is named in the facts, and the rest goes on; that a server has not what Millpond alone
//! has is no refusal. Views are asked one by one and joined here, so that the same code reads a server from within and over a
//! connection. Answers are bounded: databases, files and statements beyond the first are left out ([`DATABASES_MAX`] and its kin).

mod indexes;
mod server;
pub(crate) mod space;
mod statements;
#[cfg(test)]
mod tests;

use crate::facts::{Facts, Refused};
use crate::source::{Cells, Question, Row, Source, SourceError};

/// Databases that are looked at: those opened first.
pub const DATABASES_MAX: usize = 100;
/// Files whose devices are asked for.
pub const FILES_MAX: usize = 256;
/// Statements that spilled.
pub const STATEMENTS_MAX: usize = 20;
/// Indexes with the most changes.
pub const INDEXES_MAX: usize = 500;

/// Asks for all facts.
///
/// # Errors
/// Why there is no connection any more.
pub fn collect(source: &mut dyn Source) -> Result<Facts, String> {
    let mut asker = Asker { source, refused: Vec::new() };
    let mut facts = Facts::default();
    server::collect(&mut asker, &mut facts)?;
    space::collect(&mut asker, &mut facts)?;
    statements::collect(&mut asker, &mut facts)?;
    indexes::collect(&mut asker, &mut facts)?;
    facts.refused = asker.refused;
    Ok(facts)
}

/// A database that can be asked.
struct Database {
    id: i64,
    name: String,
    recovery_model: String,
    reuse_wait: String,
}

struct Asker<'a> {
    source: &'a mut dyn Source,
    refused: Vec<Refused>,
}

impl Asker<'_> {
    /// The rows of a question; none where it is refused.
    fn rows(&mut self, question: &Question) -> Result<Cells, String> {
        match self.source.rows(question) {
            Ok(rows) => Ok(rows),
            Err(SourceError::Lost(why)) => Err(why),
            Err(SourceError::Refused { number, text }) => {
                let view = question.view.to_owned();
                let is_known = self.refused.iter().any(|refused| (&refused.view, refused.number) == (&view, number));
                if !view.starts_with("dm_millpond_") && !is_known {
                    self.refused.push(Refused { view, number, text });
                }
                Ok(Cells::new())
            }
        }
    }

    /// The same, each row made into something.
    fn mapped<T>(&mut self, question: &Question, of: impl FnMut(Row<'_>) -> T) -> Result<Vec<T>, String> {
        let rows = self.rows(question)?;
        Ok(rows.iter().map(|cells| Row::new(question.columns, cells)).map(of).collect())
    }
}

/// Pages of 8 KB as KB.
fn pages_kb(pages: i64) -> i64 {
    pages.saturating_mul(8)
}
