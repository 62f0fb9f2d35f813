//! OPENJSON: the members of an object or the elements of an array as rows.
//!
//! What always holds: a row is made when it is asked for, and of the text is kept where reading goes on. Rows before a place
//! where the text is wrong are given before the error. What stands after the container is not read.

use millpond_catalog::run::Run;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::text::prefix;
use millpond_types::{SqlType, Value, cast};

use super::base64;
use super::find::{Found, Place, Sought, find, seek};
use super::functions::TEXT_MAX;
use super::path::Path;
use super::reader::{Container, Mark, Reader, Scalar, Token};
use crate::text::string::check_size;

/// Units of a key.
const KEY_UNITS_MAX: usize = 4000;

/// A call: what its columns are. Arguments are the text and, if there is one, the path.
#[derive(Debug)]
pub struct OpenJson {
    /// Those of WITH; without, they are key, value and type.
    pub columns: Option<Vec<Column>>,
}

/// A column of WITH.
#[derive(Clone, Debug)]
pub struct Column {
    /// Type.
    pub sql: SqlType,
    /// Where its value is, from the row on.
    pub path: Path,
    /// AS JSON: the value is an object or an array.
    pub is_json: bool,
}

impl Unfold for OpenJson {
    fn name(&self) -> &'static str {
        "OPENJSON"
    }

    fn open(&self, ctx: &dyn Run, mut args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let path = match args.get(1) {
            None => Path::default(),
            Some(path) => Path::parse(path.as_str().ok_or_else(null_path)?, false)?,
        };
        let document = args.swap_remove(0);
        let (container, mark) = match document.as_str() {
            None => (None, None),
            Some(text) => {
                let mut reader = Reader::new(text, ctx.watch());
                let container = self.sought(&mut reader, &path)?;
                (container, container.map(|_| reader.mark()))
            }
        };
        let of_object = container == Some(Container::Object);
        Ok(match (&self.columns, mark) {
            (_, None) => Box::new(Nothing),
            (None, Some(mark)) => Box::new(Members { document, mark, next: 0, of_object, is_over: false }),
            (Some(columns), Some(mark)) => {
                Box::new(Elements { document, mark, columns: columns.clone(), of_object, is_over: false })
            }
        })
    }
}

/// 8116 of a path that is NULL.
#[must_use]
pub fn null_path() -> SqlError {
    SqlError::of(8116, 9, &[&"NULL", &2, &"OPENJSON"])
}

impl OpenJson {
    /// The container that the path leads to, if it does; the reader stands after its first sign.
    fn sought(&self, reader: &mut Reader<'_>, path: &Path) -> SqlResult<Option<Container>> {
        let text = reader.text();
        // The state says whether the value itself was being read.
        let state = if path.steps.is_empty() { 4 } else { 3 };
        match seek(reader, &path.steps).map_err(|fault| fault.of(text, if reader.in_value() { 4 } else { state }))? {
            Sought::Value(Token::Open(container), _) => Ok(Some(container)),
            Sought::Value(..) if path.is_strict => {
                Err(SqlError::of(13_611, if self.columns.is_some() { 2 } else { 1 }, &[]))
            }
            Sought::Missing(_) if path.is_strict => Err(SqlError::of(13_608, 3, &[])),
            _ => Ok(None),
        }
    }
}

/// No rows.
struct Nothing;

impl UnfoldedRows for Nothing {
    fn next(&mut self, _: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        Ok(None)
    }
}

/// Rows of key, value and type.
struct Members {
    document: Value,
    mark: Mark,
    /// The number of the next element.
    next: u64,
    of_object: bool,
    is_over: bool,
}

impl UnfoldedRows for Members {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        if self.is_over {
            return Ok(None);
        }
        let text = self.document.as_str().unwrap_or_default();
        let mut reader = Reader::at_mark(text, self.mark, ctx.watch());
        let row = member(&mut reader, self.of_object, self.next, ctx)?;
        self.next += 1;
        self.mark = reader.mark();
        self.is_over = row.is_none();
        Ok(row)
    }
}

fn member(reader: &mut Reader<'_>, of_object: bool, number: u64, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
    let text = reader.text();
    let mut next = || reader.token().map_err(|fault| fault.of(text, 4));
    let (key, value) = match next()? {
        Token::Name(name) if of_object => (Value::from(prefix(&name.meaning(), KEY_UNITS_MAX)), next()?),
        value if !of_object => (Value::str(&number.to_string()), value),
        _ => return Ok(None),
    };
    if value == Token::Close {
        return Ok(None);
    }
    let start = reader.start();
    reader.skip(value).map_err(|fault| fault.of(text, 4))?;
    let kind = match value {
        Token::Scalar(Scalar::Null) => 0,
        Token::Scalar(Scalar::String(_)) => 1,
        Token::Scalar(Scalar::Number(_)) => 2,
        Token::Scalar(Scalar::Bool(_)) => 3,
        Token::Open(Container::Array) => 4,
        _ => 5,
    };
    let written = &text[start..reader.at()];
    check_size(ctx.watch(), written.len())?;
    let value = match value {
        Token::Scalar(scalar) => scalar.text().map_or(Value::Null, |text| Value::str(&text)),
        _ => Value::str(written),
    };
    Ok(Some(vec![key, ctx.hold(Ok(value))?, Value::TinyInt(kind)]))
}

/// Rows of the columns of WITH: one of each element of an array, one of an object.
struct Elements {
    document: Value,
    mark: Mark,
    columns: Vec<Column>,
    of_object: bool,
    is_over: bool,
}

impl UnfoldedRows for Elements {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        if self.is_over {
            return Ok(None);
        }
        let text = self.document.as_str().unwrap_or_default();
        let mut reader = Reader::at_mark(text, self.mark, ctx.watch());
        let start = if self.of_object {
            self.is_over = true;
            let start = reader.start();
            reader.leave().map_err(|fault| fault.of(text, 4))?;
            start
        } else {
            let value = reader.token().map_err(|fault| fault.of(text, 4))?;
            if value == Token::Close {
                self.is_over = true;
                return Ok(None);
            }
            let start = reader.start();
            reader.skip(value).map_err(|fault| fault.of(text, 4))?;
            start
        };
        self.mark = reader.mark();
        let element = &text[start..reader.at()];
        self.columns.iter().map(|column| ctx.hold(column.value(element, ctx))).collect::<SqlResult<_>>().map(Some)
    }
}

impl Column {
    /// The column's value in a row.
    fn value(&self, element: &str, ctx: &dyn Run) -> SqlResult<Value> {
        let mut reader = Reader::of_any(element, ctx.watch());
        match find(&mut reader, &self.path.steps).map_err(|fault| fault.of(element, 4))? {
            Found::Missing(_) if self.path.is_strict => Err(SqlError::of(13_608, 6, &[])),
            Found::Missing(_) | Found::Value(Place { scalar: Some(Scalar::Null), .. }) => Ok(Value::Null),
            Found::Value(Place { scalar: None, range, .. }) if self.is_json => {
                check_size(ctx.watch(), range.len())?;
                Ok(Value::str(&element[range]))
            }
            Found::Value(Place { scalar: Some(scalar), .. }) if !self.is_json => {
                let text = scalar.text().unwrap_or_default();
                check_size(ctx.watch(), text.len())?;
                self.converted(&text, ctx)
            }
            Found::Value(_) if self.path.is_strict => Err(SqlError::of(13_624, 1, &[])),
            Found::Value(_) => Ok(Value::Null),
        }
    }

    /// A scalar's text in the column's type. Texts are cut to their length, and bytes are written as Base64.
    fn converted(&self, text: &str, ctx: &dyn Run) -> SqlResult<Value> {
        if self.sql.is_binary() || self.sql == SqlType::RowVersion {
            return self.bytes(text);
        }
        let value = cast::cast(&Value::str(text), &TEXT_MAX, &self.sql, None, ctx.cast_rules());
        value.map_err(|error| match (message::of_eval(error), self.sql) {
            // The type is named as it was written, which that of CAST is not.
            (error, SqlType::Decimal { .. }) if error.number == 8114 => {
                SqlError::of(8114, 5, &[&"nvarchar", &self.sql.name()])
            }
            (error, _) => error,
        })
    }

    fn bytes(&self, text: &str) -> SqlResult<Value> {
        let too_long = |state| SqlError::of(13_613, state, &[]);
        let bytes = base64::decode(text);
        if self.sql == SqlType::RowVersion {
            let mut bytes = bytes.filter(|bytes| bytes.len() <= 8).ok_or_else(|| too_long(2))?;
            bytes.resize(8, 0);
            return Ok(Value::Binary(bytes.into()));
        }
        let mut bytes = bytes.ok_or_else(|| SqlError::of(13_612, 5, &[]))?;
        match crate::args::length(self.sql) {
            Some(most) if bytes.len() > most as usize => return Err(too_long(1)),
            Some(most) if matches!(self.sql, SqlType::Binary { .. }) => bytes.resize(most as usize, 0),
            _ => {}
        }
        Ok(Value::Binary(bytes.into()))
    }
}
