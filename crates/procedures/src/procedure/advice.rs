//! `sp_tempdb_advice`: what the server's own figures advise. The rules, and what is asked for them, are `millpond_advice`'s; here a question
//! is answered by the view that it names, as a session would see it.
//!
//! What always holds: nothing is changed, and no statement of an advice is run. It takes VIEW SERVER STATE. Definitions of a database other
//! than the session's are read only for who may see those of all.

use millpond_advice::collect::collect;
use millpond_advice::source::{Argument, Cell, Cells, Question, Source, SourceError, hex};
use millpond_advice::{Topic, advise};
use millpond_catalog::Within;
use millpond_engine::context::RunContext;
use millpond_engine::security;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::{MaxLen, SqlType, Value, cast};

use super::named::nvarchar;

/// `sp_tempdb_advice [topic]`
pub static SP_TEMPDB_ADVICE: ProcedureDef =
    ProcedureDef { name: "sp_tempdb_advice", params: &[("@topic", nvarchar(128))], run };

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let ctx = call.ctx();
    if !security::may_on_server(ctx, "VIEW SERVER STATE")? {
        return Err(SqlError::of(297, 1, &[]).after(SqlError::of(
            300,
            1,
            &[&"VIEW SERVER STATE", &"server", &"master"],
        )));
    }
    let topic = call.arg(&SP_TEMPDB_ADVICE, 0).and_then(Value::as_str).map(Topic::of);
    if topic == Some(None) {
        call.inform_text(format!("@topic: {}", Topic::ALL.map(Topic::name).join(", ")));
        return Err(SqlError::of(15_600, 1, &[&SP_TEMPDB_ADVICE.name]));
    }
    let mut views = Views { ctx, failed: None };
    let facts = collect(&mut views);
    // Who is cancelled, or has no memory left, is told so, and not what little is known.
    if let Some(error) = views.failed {
        return Err(error);
    }
    let advice = facts.map_or_else(|_| Vec::new(), |facts| advise(&facts, topic.flatten()));
    let long = SqlType::NVarChar { len: MaxLen::Max };
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::str);
    let rows = advice
        .iter()
        .map(|advice| {
            vec![
                Value::str(advice.topic.name()),
                Value::str(advice.severity.name()),
                Value::str(&advice.finding),
                Value::str(&advice.evidence),
                text(&advice.effect),
                text(&advice.statement),
            ]
        })
        .collect();
    call.result(
        &[
            ("topic", nvarchar(128)),
            ("severity", nvarchar(20)),
            ("finding", long),
            ("evidence", long),
            ("effect", long),
            ("statement", long),
        ],
        rows,
    )?;
    Ok(0)
}

/// The views of this server, as the session sees them.
struct Views<'c> {
    ctx: &'c RunContext,
    /// An error that ends more than a question.
    failed: Option<SqlError>,
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
        cast::cast(&Value::BigInt(number), &SqlType::BigInt, sql, None, millpond_types::CastRules::DEFAULT)
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
