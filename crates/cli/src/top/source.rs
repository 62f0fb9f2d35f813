//! A session on a server, as what samples are taken from.

use millpond_message::INFORMATION_MAX;
use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_top::source::{Cell, Rows, Source, SourceError};
use millpond_types::Value;

use crate::sql::{Listener, Target};

/// A session.
pub struct Session<T>(T);

impl<T: Target> Session<T> {
    /// Over a connection, or in this process.
    pub fn new(target: T) -> Session<T> {
        Session(target)
    }
}

impl<T: Target> Source for Session<T> {
    fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError> {
        let mut heard = Heard::default();
        let ran = self.0.run(text, &mut heard);
        match (heard.error, ran) {
            // KILL and SHUTDOWN say why before the connection ends.
            (Some((_, text)), _) if self.0.is_ended() => Err(SourceError::Lost(text)),
            (_, Err(error)) => Err(SourceError::Lost(error.to_string())),
            (Some((number, text)), Ok(())) => Err(SourceError::Refused { number, text }),
            (None, Ok(())) => Ok(heard.results),
        }
    }
}

#[derive(Default)]
struct Heard {
    results: Vec<Rows>,
    /// The first one.
    error: Option<(i32, String)>,
}

impl Listener for Heard {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        let columns = columns.iter().map(|column| column.name.to_string()).collect();
        self.results.push(Rows { columns, rows: Vec::new() });
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if let Some(result) = self.results.last_mut() {
            result.rows.push(values.iter().map(cell).collect());
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, _: &str) {
        if message.severity > INFORMATION_MAX && self.error.is_none() {
            self.error = Some((message.number, message.text.to_string()));
        }
    }

    fn done(&mut self, _: Option<u64>) {}
}

/// What is asked for has whole numbers and texts; other servers may have others in their place.
fn cell(value: &Value) -> Cell {
    match (value.as_i64(), value.as_f64(), value.as_decimal(), value.as_str()) {
        (Some(number), ..) => Cell::Int(number),
        (_, Some(number), ..) => Cell::Float(number),
        (_, _, Some(decimal), _) => decimal.to_string().parse().map_or(Cell::Null, Cell::Float),
        (_, _, _, Some(text)) => Cell::Text(text.to_owned()),
        _ => Cell::Null,
    }
}
