//! What a batch returns, kept for its caller: results, and the first error.

use millpond_message::INFORMATION_MAX;
use millpond_message::sink::{Column, Message, SinkClosed};
use millpond_types::Value;

use super::target::{Listener, Target};

/// A result, whole.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Vec<Value>>,
}

/// Results and the first error.
#[derive(Debug, Default)]
pub struct Gathered {
    results: Vec<Table>,
    error: Option<Message>,
}

impl Gathered {
    /// The results of a batch.
    ///
    /// # Errors
    /// The text of its first error, or why the connection was lost.
    pub fn of(target: &mut dyn Target, batch: &str) -> Result<Vec<Table>, String> {
        let mut gathered = Gathered::default();
        target.run(batch, &mut gathered).map_err(|error| error.to_string())?;
        match gathered.error {
            None => Ok(gathered.results),
            Some(error) => Err(format!("Msg {}: {}", error.number, error.text)),
        }
    }
}

impl Listener for Gathered {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.results.push(Table { columns: columns.to_vec(), rows: Vec::new() });
        Ok(())
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        if let Some(result) = self.results.last_mut() {
            result.rows.push(values.to_vec());
        }
        Ok(())
    }

    fn message(&mut self, message: &Message, _: &str) {
        if message.severity > INFORMATION_MAX && self.error.is_none() {
            self.error = Some(message.clone());
        }
    }

    fn done(&mut self, _: Option<u64>) {}
}
