//! What a prepared text and its declarations are, and the arguments of a call in its parameters' places.

use std::sync::Arc;

use millpond_code::prepared_calls::{Declarations, Prepared, PreparedTable, Slot};
use millpond_code::text_variables::Parameters;
use millpond_engine::arguments::{RpcParam, convert_argument};
use millpond_engine::context::RunContext;
use millpond_engine::module::Signature;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Done, EnvChange, Message, Sink, SinkClosed};
use millpond_tsql::ast::DataType;
use millpond_tsql::{ParseOptions, parse_parameters};
use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::declared::{Declared, TableArgument, declared, table_argument, table_of};
use crate::module_check::{needs_readonly, not_readonly};

/// Arguments of a prepared text in their places.
pub struct BoundText {
    /// The values of its parameters.
    pub parameters: Parameters,
    /// For each scalar parameter the argument that wants its value back.
    pub wanted: Vec<Option<usize>>,
    /// Its table parameters.
    pub tables: Vec<TableArgument>,
    /// CURSOR parameters, each with the variable of the caller that takes its cursor.
    pub cursors: Vec<(String, String)>,
}

/// What texts are converted to.
pub const TEXT: SqlType = SqlType::NVarChar { len: MaxLen::Max };

/// What declarations mean, and whether they will mean it whatever the catalog says.
///
/// # Errors
/// Those of the syntax, 2715; 346 and 352 for READONLY where it must not or must be.
pub fn declarations_of(ctx: &RunContext, declarations: &str) -> SqlResult<(Declarations, bool)> {
    let mut found = Declarations::default();
    if declarations.trim().is_empty() {
        return Ok((found, true));
    }
    let options = ParseOptions { quoted_identifier: true };
    let parameters = parse_parameters(declarations, options).map_err(message::of_stored_syntax)?;
    let lasts = parameters.iter().all(|parameter| matches!(parameter.data_type, DataType::Scalar { .. }));
    let mut signature = Signature::default();
    for parameter in parameters {
        if parameter.data_type == DataType::Cursor {
            found.order.push(Slot::Cursor(found.cursors.len()));
            found.cursors.push(parameter.name);
            continue;
        }
        match declared(ctx, None, &parameter.data_type)? {
            Declared::Scalar(_) if parameter.readonly => return Err(not_readonly(&parameter.name)),
            Declared::Scalar(sql) => {
                found.order.push(Slot::Scalar(signature.names.len()));
                signature.names.push(parameter.name);
                signature.types.push(sql);
                found.outputs.push(parameter.output);
            }
            Declared::Table(_) if !parameter.readonly => {
                return Err(needs_readonly(&parameter.name));
            }
            Declared::Table(ty) => {
                found.order.push(Slot::Table(found.tables.len()));
                let def = table_of(&ty, &parameter.name)?;
                found.tables.push(PreparedTable { ty, def });
            }
        }
    }
    found.signature = Arc::new(signature);
    Ok((found, lasts))
}

/// The arguments of a prepared text in its parameters' places.
///
/// # Errors
/// 8144, 8145, 8178, 8162, 206 and 8114; 16948 and 16949 where cursors are meant.
pub fn bind_prepared(prepared: &Prepared, given: &[CallArg], rules: CastRules) -> SqlResult<BoundText> {
    let declared = &*prepared.declared;
    let types = &declared.signature.types;
    let count = types.len();
    let (mut values, mut supplied, mut wanted) = (vec![Value::Null; count], vec![false; count], vec![None; count]);
    let mut tables: Vec<Option<&CallArg>> = vec![None; declared.tables.len()];
    let mut cursors = Vec::new();
    for (position, arg) in given.iter().enumerate() {
        let name = arg.name.as_deref();
        match declared.slot(position, name).ok_or_else(|| too_many(name.unwrap_or("")))? {
            Slot::Table(index) => tables[index] = Some(arg),
            Slot::Cursor(index) => {
                let parameter = &declared.cursors[index];
                let variable = arg.cursor.clone().ok_or_else(|| SqlError::of(16_948, 1, &[parameter]))?;
                cursors.push((parameter.to_lowercase(), variable));
            }
            Slot::Scalar(index) => {
                if let Some(variable) = &arg.cursor {
                    return Err(SqlError::of(16_949, 2, &[variable]));
                }
                if arg.table.is_some() || arg.sent.is_some() {
                    let to = types[index].name();
                    return Err(SqlError::of(206, 2, &[&"table type", &to]));
                }
                if let Some(value) = &arg.value {
                    values[index] = convert_argument(value, &arg.sql, &types[index], rules)?;
                    supplied[index] = true;
                }
                if arg.output && !declared.outputs[index] {
                    return Err(not_an_output(&declared.signature.names[index]));
                }
                wanted[index] = Some(position).filter(|_| declared.outputs[index]);
            }
        }
    }
    if let Some(missing) = supplied.iter().position(|supplied| !supplied) {
        return Err(not_supplied(prepared, &declared.signature.names[missing]));
    }
    let given = |name: &&String| cursors.iter().any(|(parameter, _)| *parameter == name.to_lowercase());
    if let Some(missing) = declared.cursors.iter().find(|name| !given(name)) {
        return Err(not_supplied(prepared, missing));
    }
    let tables = declared.tables.iter().zip(tables);
    let tables = tables.map(|(table, given)| table_argument(&table.ty, Arc::clone(&table.def), given));
    let parameters = Parameters { signature: Arc::clone(&declared.signature), values };
    Ok(BoundText { parameters, wanted, tables: tables.collect::<SqlResult<_>>()?, cursors })
}

/// The text of a parameter; `name` is what the procedure calls it.
///
/// # Errors
/// 214 for a text that is not of a Unicode type.
pub fn text_of(param: Option<&RpcParam>, name: &str) -> SqlResult<Option<String>> {
    let Some(RpcParam { value: Some(value), sql_type, .. }) = param else {
        return Ok(None);
    };
    if !value.is_null() && !sql_type.is_unicode() {
        return Err(not_unicode(name));
    }
    match cast::cast(value, sql_type, &TEXT, None, CastRules::DEFAULT).map_err(message::of_eval)? {
        Value::Str(text) => Ok(Some(text.to_string())),
        _ => Ok(None),
    }
}

/// Whether `sp_executesql` has a NULL to run: then it does nothing.
#[must_use]
pub fn is_no_text(value: Option<&Value>, sql: &SqlType) -> bool {
    value.is_some_and(Value::is_null) && (sql.is_unicode() || !sql.is_string())
}

/// 214
#[must_use]
pub fn not_unicode(name: &str) -> SqlError {
    SqlError::of(214, 2, &[&name, &"ntext/nchar/nvarchar"])
}

/// 8162
#[must_use]
pub fn not_an_output(parameter: &str) -> SqlError {
    SqlError::of(8162, 2, &[&parameter])
}

fn too_many(name: &str) -> SqlError {
    if name.is_empty() { SqlError::of(8144, 2, &[&""]) } else { SqlError::of(8145, 2, &[&name, &""]) }
}

fn not_supplied(prepared: &Prepared, parameter: &str) -> SqlError {
    let Signature { names, types } = &*prepared.declared.signature;
    let declarations: Vec<String> = names.iter().zip(types).map(|(name, sql)| format!("{name} {sql}")).collect();
    SqlError::of(8178, 1, &[&format_args!("({}){}", declarations.join(","), prepared.text), &parameter])
}

/// Takes what a text that is being prepared says: its columns go on, its first error is kept.
pub struct PreparedShape<'a> {
    /// Where the columns go.
    pub sink: &'a mut dyn Sink,
    /// They are wanted.
    pub sends: bool,
    /// The first error.
    pub error: Option<Message>,
}

impl Sink for PreparedShape<'_> {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        // The first result's alone.
        if std::mem::take(&mut self.sends) { self.sink.columns(columns) } else { Ok(()) }
    }

    fn row(&mut self, _: &[Value]) -> Result<(), SinkClosed> {
        Ok(())
    }

    fn message(&mut self, message: &Message) {
        if message.severity > 10 && self.error.is_none() {
            self.error = Some(message.clone());
        }
    }

    fn done(&mut self, _: Done) {}

    fn env_change(&mut self, _: &EnvChange) {}

    fn return_status(&mut self, _: i32) {}

    fn return_value(&mut self, _: &str, _: SqlType, _: &Value) {}
}
