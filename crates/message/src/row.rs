//! A row of the table of messages: what a number means, and what an error of it ends.

/// What an error ends, when no TRY waits for it and XACT_ABORT is off. Each ends what the ones before it end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// The statement alone.
    Statement,
    /// The procedure or text: a statement of it cannot be bound.
    Scope,
    /// The whole batch.
    Batch,
    /// The batch, and the transaction is rolled back. A TRY that catches it finds the transaction doomed.
    Transaction,
    /// The transaction, the batch and the connection.
    Connection,
}

/// What a number means.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Number.
    pub number: i32,
    /// Severity; up to 10 it is a message that informs.
    pub severity: u8,
    /// What an error of the number ends.
    pub ends: Ends,
    /// K3
    pub is_of_binding: bool,
    /// SQL Server writes it into its error log each time.
    pub is_logged: bool,
    /// Text with a place for each argument.
    pub text: &'static str,
}

impl Row {
    /// An error that is logged.
    pub(crate) const fn logged(self) -> Row {
        Row { is_logged: true, ..self }
    }
}

/// An error of a statement that runs, or a message.
pub(crate) const fn running(number: i32, severity: u8, ends: Ends, text: &'static str) -> Row {
    Row { number, severity, ends, is_of_binding: false, is_logged: false, text }
}

/// An error of a statement that is bound.
pub(crate) const fn binding(number: i32, severity: u8, ends: Ends, text: &'static str) -> Row {
    Row { number, severity, ends, is_of_binding: true, is_logged: false, text }
}
