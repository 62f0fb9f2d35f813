//! EXECUTE … WITH RESULT SETS: what a call sends is held against what was declared, and converted to it.
//!
//! What always holds: a statement of the call whose result set is not the next declared one fails with that, where a TRY around
//! it may catch it; what was sent before has gone to the client. Sets that are missing are the failure of EXECUTE.

use millpond_bind::declared_collation;
use millpond_engine::system_call;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, ColumnSource, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_tsql::ast::{ResultColumn, ResultSets};
use millpond_types::{CastRules, Collation, SqlType, Value, cast, coerce};

use crate::exec::batch::BatchRun;
use crate::exec::batch::gathering::{Gathering, GatheringSink};
use millpond_names::declared::declared_scalar;

/// A declared column.
struct Declared {
    name: String,
    sql: SqlType,
    collation: Option<Collation>,
    takes_null: bool,
}

/// The declared result sets of a call that runs.
pub(in crate::exec) struct ShapedResults {
    sets: Vec<Vec<Declared>>,
    /// Sets that have begun.
    begun: usize,
    /// Types of the columns that are sent now.
    types: Vec<SqlType>,
    /// Why the sender is stopped.
    failed: Option<SqlError>,
    rules: CastRules,
}

/// Runs a call whose result sets are declared.
///
/// # Errors
/// 2715 and 448 for what is no type and no collation, 11536 for sets that did not come; of the call,
/// and 11535, 11537, 11538, 11553 and 8114 of its statements.
pub(in crate::exec) fn with_result_sets(
    run: &mut BatchRun<'_>,
    declared: &ResultSets,
    call: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    let sets = match declared {
        ResultSets::Undefined => return call(run),
        ResultSets::None => Vec::new(),
        ResultSets::Sets(sets) => sets
            .iter()
            .map(|set| set.iter().map(|column| declared_column(run, column)).collect())
            .collect::<SqlResult<Vec<Vec<Declared>>>>()?,
    };
    let rules = run.ctx.facts.settings.cast_rules();
    run.shaped = Some(Box::new(ShapedResults { sets, begun: 0, types: Vec::new(), failed: None, rules }));
    let done = call(run);
    let Some(mut shaped) = run.shaped.take() else { return done };
    if let Some(error) = shaped.failed.take() {
        return Err(error);
    }
    done?;
    if !run.ends_batch && shaped.begun < shaped.sets.len() {
        return Err(SqlError::of(11_536, 1, &[&shaped.sets.len(), &shaped.begun]));
    }
    Ok(())
}

fn declared_column(run: &BatchRun<'_>, column: &ResultColumn) -> SqlResult<Declared> {
    let sql = declared_scalar(&run.ctx, None, &column.data_type)?
        .ok_or_else(|| message::missing("a table's type in WITH RESULT SETS"))?;
    let collation =
        column.collation.as_deref().map(|name| declared_collation(name, run.ctx.facts.collation)).transpose()?;
    Ok(Declared { name: column.name.clone(), sql, collation, takes_null: column.nullable != Some(false) })
}

impl ShapedResults {
    /// The columns of the next set in place of those that are sent.
    fn begin(&mut self, sent: &[Column]) -> SqlResult<Vec<Column>> {
        let Some(set) = self.sets.get(self.begun) else {
            return Err(SqlError::of(11_535, 1, &[&self.sets.len()]));
        };
        let number = self.begun + 1;
        if set.len() != sent.len() {
            return Err(SqlError::of(11_537, 1, &[&set.len(), &number, &sent.len()]));
        }
        for (place, (to, from)) in set.iter().zip(sent).enumerate() {
            if !coerce::implicit_allowed(&from.sql_type, &to.sql) {
                let (to, from) = (to.sql.name(), from.sql_type.name());
                return Err(SqlError::of(11_538, 1, &[&to, &(place + 1), &number, &from]));
            }
        }
        self.types = sent.iter().map(|column| column.sql_type).collect();
        self.begun = number;
        Ok(set.iter().zip(sent).map(|(to, from)| to.column(from)).collect())
    }

    /// A row of the set that was begun last.
    fn convert(&self, values: &[Value]) -> SqlResult<Vec<Value>> {
        let set = self.begun.checked_sub(1).and_then(|set| self.sets.get(set)).map_or(&[][..], Vec::as_slice);
        let columns = values.iter().zip(&self.types).zip(set).enumerate();
        columns.map(|(place, ((value, from), to))| to.value(value, from, (place + 1, self.begun), self.rules)).collect()
    }

    fn noted<T>(&mut self, result: SqlResult<T>) -> Result<T, SinkClosed> {
        result.map_err(|error| {
            self.failed.get_or_insert(error);
            SinkClosed
        })
    }
}

impl Declared {
    /// The column in place of one that is sent; without COLLATE it has that one's collation.
    fn column(&self, sent: &Column) -> Column {
        let collation = self.collation.unwrap_or(sent.collation);
        let sql_type = if self.sql.is_string() { self.sql.in_page(collation.page()) } else { self.sql };
        let collation = if self.sql.is_string() { collation } else { Collation::default() };
        Column {
            name: self.name.clone(),
            sql_type,
            collation,
            nullable: self.takes_null,
            source: ColumnSource::Computed,
        }
    }

    /// A value in place of one that is sent; `place` is the column's number and the set's.
    fn value(&self, value: &Value, from: &SqlType, place: (usize, usize), rules: CastRules) -> SqlResult<Value> {
        if value.is_null() && !self.takes_null {
            return Err(SqlError::of(11_553, 1, &[&place.0, &place.1]));
        }
        let converted = cast::cast(value, from, &self.sql, None, rules);
        converted.map_err(|_| SqlError::of(8114, 2, &[&from, &self.sql]))
    }
}

/// Calls something for a batch: what it sends goes to the rows that INSERT … EXEC gathers, else to the result sets that are
/// declared, else to the batch's own sink.
pub(in crate::exec) fn for_receiver<T>(
    gathering: &mut Option<Box<Gathering>>,
    shaped: &mut Option<Box<ShapedResults>>,
    sink: &mut dyn Sink,
    call: impl FnOnce(&mut dyn Sink) -> T,
) -> T {
    match (gathering, shaped) {
        (Some(rows), _) => call(&mut GatheringSink { rows, sink }),
        (None, Some(results)) => call(&mut ShapedSink { results, sink }),
        (None, None) => call(sink),
    }
}

/// A sink that sends what was declared.
struct ShapedSink<'a> {
    results: &'a mut ShapedResults,
    sink: &'a mut dyn Sink,
}

impl Sink for ShapedSink<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        let begun = self.results.begin(columns);
        self.sink.columns(&self.results.noted(begun)?)
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let converted = self.results.convert(values);
        self.sink.row(&self.results.noted(converted)?)
    }

    fn refusal(&mut self) -> Option<SqlError> {
        self.results.failed.take().or_else(|| self.sink.refusal())
    }

    fn message(&mut self, message: &Message) {
        self.sink.message(message);
    }

    fn done(&mut self, done: Done) {
        self.sink.done(done);
    }

    fn env_change(&mut self, change: &EnvChange) {
        self.sink.env_change(change);
    }

    fn return_status(&mut self, status: i32) {
        self.sink.return_status(status);
    }

    fn return_value(&mut self, name: &str, sql_type: SqlType, value: &Value) {
        self.sink.return_value(name, sql_type, value);
    }

    fn flush(&mut self) {
        self.sink.flush();
    }
}

/// The error of a statement whose rows the receiver does not take: why it does not, or that it is gone.
pub(in crate::exec) fn refused(sink: &mut dyn Sink, closed: SinkClosed) -> SqlError {
    sink.refusal().unwrap_or_else(|| system_call::closed(closed))
}
