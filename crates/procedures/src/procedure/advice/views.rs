//! The server's own views as a source of facts: a question is answered by the view that it names, as the session that calls sees it.
//!
//! What always holds: a view that fails is a refusal of its question; an error that ends the statement is kept and returned
//! ([`Views::failed`]). Definitions of a database other than the session's are read only for who may see those of all.

use millpond_advice::source::{Argument, Cell, Cells, Question, Source, SourceError, hex};
use millpond_catalog::Within;
use millpond_engine::context::RunContext;
use millpond_engine::security;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::{CastRules, SqlType, Value, cast};

/// The views of this server, as the session sees them.
pub(super) struct Views<'c> {
    ctx: &'c RunContext,
    /// An error that ends more than a question.
    pub(super) failed: Option<SqlError>,
}

impl<'c> Views<'c> {
    /// As a statement sees them.
    pub(super) fn of(ctx: &'c RunContext) -> Views<'c> {
        Views { ctx, failed: None }
    }
}

impl Source for Views<'_> {
    fn rows(&mut self, question: &Question) -> Result<Cells, SourceError> {
        match answer(self.ctx, question) {
            Ok(rows) => Ok(rows),
            Err(error) if error.number == millpond_message::CANCELLED || error.number == 701 => {
                let why = error.to_string();
                self.failed = Some(error);
                Err(SourceError::Lost(why))
            }
            Err(error) => Err(SourceError::Refused { number: error.number, text: error.text.to_string() }),
        }
    }
}

fn answer(ctx: &RunContext, question: &Question) -> SqlResult<Cells> {
    let absent = || SqlError::of(208, 1, &[&format!("sys.{}", question.view)]);
    let database = match &question.database {
        None => ctx.facts.database,
        Some(name) => ctx.engine.database_id(name).ok_or_else(|| SqlError::of(911, 1, &[name]))?,
    };
    let is_open = [ctx.facts.database, DbId::TEMPDB, DbId::MASTER].contains(&database);
    if !is_open && !security::may_on_server(ctx, "VIEW ANY DEFINITION")? {
        let (login, name) = (&ctx.facts.security.login_name, ctx.engine.database_name(database).unwrap_or_default());
        return Err(SqlError::of(916, 1, &[login, &name]));
    }
    let (columns, rows) = match &question.arguments {
        None => {
            let view = millpond_views::find("sys", question.view).ok_or_else(absent)?;
            (view.columns, view.rows.rows(ctx, Within::from(database))?)
        }
        Some(arguments) => {
            let function = millpond_views::find_function("sys", question.view).ok_or_else(absent)?;
            let values = arguments.iter().zip(function.params).map(|(argument, sql)| value(argument, sql));
            (function.columns, (function.rows)(ctx, &values.collect::<SqlResult<Vec<Value>>>()?)?)
        }
    };
    let place = |name: &str| columns.iter().position(|column| column.name == name);
    let places: Vec<Option<usize>> = question.columns.iter().map(|name| place(name)).collect();
    let wanted = |row: &Vec<Value>| {
        places.iter().map(|place| place.and_then(|place| row.get(place)).map_or(Cell::Null, cell)).collect()
    };
    let mut cells: Cells = rows.iter().map(wanted).collect();
    if let Some((by, count)) = question.most {
        let place = question.columns.iter().position(|column| *column == by).unwrap_or_default();
        cells.sort_by_key(|row: &Vec<Cell>| match row.get(place) {
            Some(Cell::Int(number)) => std::cmp::Reverse(*number),
            _ => std::cmp::Reverse(i64::MIN),
        });
        cells.truncate(count);
    }
    Ok(cells)
}

/// An argument in the type of its parameter.
fn value(argument: &Argument, sql: &SqlType) -> SqlResult<Value> {
    let number = |number: i64| {
        cast::cast(&Value::BigInt(number), &SqlType::BigInt, sql, None, CastRules::DEFAULT)
            .map_err(millpond_message::of_eval)
    };
    match argument {
        Argument::Null => Ok(Value::Null),
        Argument::Number(value) => number(*value),
        Argument::Bytes(bytes) => Ok(Value::Binary(bytes.as_slice().into())),
    }
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Binary(bytes) => Cell::Text(hex(bytes)),
        value => match (value.as_i64(), value.as_f64(), value.as_str()) {
            (Some(number), ..) => Cell::Int(number),
            (_, Some(number), _) => Cell::Float(number),
            (_, _, Some(text)) => Cell::Text(text.to_owned()),
            _ => Cell::Null,
        },
    }
}
