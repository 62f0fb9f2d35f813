//! Result sets as EXECUTE … WITH RESULT SETS declares them, and a sink that holds what a call sends against these.

use millpond_bind::declared_collation;
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, ColumnSource, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_tsql::ast::ResultColumn;
use millpond_types::{CastRules, Collation, SqlType, Value, cast, coerce};

use crate::declared::declared_scalar;

/// A declared column.
struct Declared {
    name: String,
    sql: SqlType,
    collation: Option<Collation>,
    takes_null: bool,
}

/// The declared result sets of a call that runs.
pub struct ShapedResults {
    sets: Vec<Vec<Declared>>,
    /// Sets that have begun.
    begun: usize,
    /// Types of the columns that are sent now.
    types: Vec<SqlType>,
    /// Why the sender is stopped.
    failed: Option<SqlError>,
    rules: CastRules,
}

fn declared_column(ctx: &RunContext, column: &ResultColumn) -> SqlResult<Declared> {
    let sql = declared_scalar(ctx, None, &column.data_type)?
        .ok_or_else(|| message::missing("a table's type in WITH RESULT SETS"))?;
    let collation =
        column.collation.as_deref().map(|name| declared_collation(name, ctx.facts.collation)).transpose()?;
    Ok(Declared { name: column.name.clone(), sql, collation, takes_null: column.nullable != Some(false) })
}

impl ShapedResults {
    /// The sets of a declaration.
    ///
    /// # Errors
    /// 2715 and 448 for what is no type and no collation.
    pub fn of(ctx: &RunContext, sets: &[Vec<ResultColumn>]) -> SqlResult<ShapedResults> {
        let columns = |set: &Vec<ResultColumn>| set.iter().map(|column| declared_column(ctx, column)).collect();
        let sets = sets.iter().map(columns).collect::<SqlResult<Vec<Vec<Declared>>>>()?;
        let rules = ctx.facts.settings.cast_rules();
        Ok(ShapedResults { sets, begun: 0, types: Vec::new(), failed: None, rules })
    }

    /// Why the sender was stopped.
    pub fn failure(&mut self) -> Option<SqlError> {
        self.failed.take()
    }

    /// Whether all sets have come.
    ///
    /// # Errors
    /// 11536
    pub fn check_whole(&self) -> SqlResult<()> {
        if self.begun < self.sets.len() {
            return Err(SqlError::of(11_536, 1, &[&self.sets.len(), &self.begun]));
        }
        Ok(())
    }

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

/// A sink that sends what was declared.
pub struct ShapedSink<'a> {
    /// What was declared.
    pub results: &'a mut ShapedResults,
    /// Where it goes.
    pub sink: &'a mut dyn Sink,
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
