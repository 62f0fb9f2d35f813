//! The answer to one request: what a session sends to its sink, as packets for an [`Outlet`].
//!
//! What always holds: every DONE but the last says MORE, and the last does not, so the newest DONE is held back until
//! something follows it or the answer ends; an answer ends with exactly one DONE without MORE. After an attention
//! nothing is appended but that end. The thread that runs the session waits when the client reads slowly.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Acquire};

use millpond_message::error::SqlError;
use millpond_message::sink::{self, Column, ColumnSource, Message, Origins, Sink, SinkClosed};
use millpond_message::{INFORMATION_MAX, SEVERITY_FATAL};
use millpond_tds::Collation;
use millpond_tds::packet::DEFAULT_PACKET_BYTES;
use millpond_tds::token::{ColumnInfo, Done, DoneKind, DoneStatus, EnvChange, ReturnValue, ServerMessage};
use millpond_tds::{ColumnMeta, ServerEncoder, TdsError, TdsVersion};
use millpond_types::{SqlType, Value};

/// Where packets go.
pub trait Outlet: Send + Sync {
    /// Takes packets; may wait until there is space for more. `ends_row`: an answer that ends here is one that clients can read.
    ///
    /// # Errors
    /// [`NotSent`].
    fn send(&self, packets: Vec<u8>, ends_row: bool) -> Result<(), NotSent>;
}

/// Why an outlet takes no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotSent {
    /// Nobody is there.
    Closed,
    /// These packets were taken, and there is no memory for others: the answer is to end with 701.
    NoMemory,
}

/// A chunk goes when it has so many bytes.
const CHUNK_BYTES: usize = 32 * 1024;

/// The end of an answer.
pub struct Tail {
    /// Packets that go after those in the outlet.
    pub packets: Vec<u8>,
}

/// Encodes one answer.
pub struct Responder {
    encoder: ServerEncoder,
    outlet: Option<Arc<dyn Outlet>>,
    attention: Arc<AtomicBool>,
    server: Arc<str>,
    columns: Vec<ColumnMeta>,
    held: Option<Done>,
    final_kind: DoneKind,
    /// The client knows the columns of the rows that it fetches, and asked not to be told again.
    knows_columns: bool,
    /// Ordinals and names of the call's OUTPUT parameters that have not been returned.
    outputs: Vec<(u16, String)>,
    closed: bool,
    failed: bool,
    fatal: bool,
}

impl Responder {
    /// The answer to a login: everything in the tail.
    pub fn greeting(version: TdsVersion, server: Arc<str>) -> Self {
        Self::build(version, DEFAULT_PACKET_BYTES, None, Arc::default(), server)
    }

    /// An answer that is all in the tail.
    pub fn unsent(version: TdsVersion, packet_bytes: u16, attention: Arc<AtomicBool>, server: Arc<str>) -> Self {
        Self::build(version, packet_bytes, None, attention, server)
    }

    /// The answer to a request.
    pub fn new(
        version: TdsVersion,
        packet_bytes: u16,
        outlet: Arc<dyn Outlet>,
        attention: Arc<AtomicBool>,
        server: Arc<str>,
    ) -> Self {
        Self::build(version, packet_bytes, Some(outlet), attention, server)
    }

    fn build(
        version: TdsVersion,
        packet_bytes: u16,
        outlet: Option<Arc<dyn Outlet>>,
        attention: Arc<AtomicBool>,
        server: Arc<str>,
    ) -> Self {
        Self {
            encoder: ServerEncoder::new(version, packet_bytes),
            outlet,
            attention,
            server,
            columns: Vec::new(),
            held: None,
            final_kind: DoneKind::Done,
            knows_columns: false,
            outputs: Vec::new(),
            closed: false,
            failed: false,
            fatal: false,
        }
    }

    /// The session that packets name.
    pub fn set_spid(&mut self, spid: u16) {
        self.encoder.set_spid(spid);
    }

    /// Whether the client reads `varchar` in UTF-8.
    pub fn set_utf8(&mut self, has_utf8: bool) {
        self.encoder.set_utf8(has_utf8);
    }

    /// What a DONE that was not asked for looks like: that of a call or of a batch.
    pub fn set_final_kind(&mut self, kind: DoneKind) {
        self.final_kind = kind;
    }

    /// The parameters that the next call gives back.
    pub fn set_outputs(&mut self, outputs: Vec<(u16, String)>) {
        self.outputs = outputs;
    }

    /// Whether the client of the next call knows the columns of its rows.
    pub fn set_knows_columns(&mut self, knows_columns: bool) {
        self.knows_columns = knows_columns;
    }

    /// The encoder, for tokens that no sink knows.
    pub fn encoder(&mut self) -> &mut ServerEncoder {
        self.release();
        &mut self.encoder
    }

    /// Whether the rest is not wanted: the client is gone, or has said attention.
    pub fn is_over(&self) -> bool {
        self.closed || self.attention.load(Acquire)
    }

    /// An error of the server's own, with its DONE.
    pub fn fail(&mut self, error: SqlError) {
        let SqlError { number, severity, state, text, .. } = error;
        self.message(&Message { number, severity, state, line: 1, procedure: String::new(), text });
        self.failed = false;
        self.hold(Done::new(self.final_kind, DoneStatus::ERROR));
    }

    /// The client gave its message up half-way.
    pub fn give_up(&mut self) {
        self.hold(Done::new(self.final_kind, DoneStatus::ERROR));
    }

    /// Whether an error was sent that ends the connection.
    pub fn is_fatal(&self) -> bool {
        self.fatal
    }

    /// Ends the answer. One that an attention cut short ends like one that failed; the attention is acknowledged in a
    /// message after it, because drivers read the answer to its end before they look for that.
    pub fn finish(mut self) -> Tail {
        let cancelled = self.attention.load(Acquire);
        if self.held.is_none() {
            let status = DoneStatus::FINAL.with_if(self.failed || cancelled, DoneStatus::ERROR);
            self.hold(Done::new(self.final_kind, status));
        }
        if let Some(last) = self.held.take() {
            self.encoder.done(last);
        }
        let mut packets = Vec::new();
        self.encoder.finish(&mut packets);
        Tail { packets }
    }

    fn hold(&mut self, mut done: Done) {
        self.release();
        let is_severe = self.fatal && done.status.contains(DoneStatus::ERROR);
        done.status = done.status.with_if(is_severe, DoneStatus::SERVER_ERROR);
        self.held = Some(done);
    }

    /// Something follows: the DONE that was held says MORE.
    fn release(&mut self) {
        if let Some(mut done) = self.held.take() {
            done.status = done.status.with(DoneStatus::MORE);
            self.encoder.done(done);
        }
    }

    fn send_full(&mut self) -> Result<(), SinkClosed> {
        if self.encoder.pending_bytes() < CHUNK_BYTES {
            return Ok(());
        }
        let mut chunk = Vec::with_capacity(self.encoder.pending_bytes() + 64);
        self.encoder.take_full(&mut chunk);
        self.send(chunk)
    }

    fn send(&mut self, chunk: Vec<u8>) -> Result<(), SinkClosed> {
        let Some(outlet) = &self.outlet else {
            return Ok(());
        };
        if chunk.is_empty() {
            return Ok(());
        }
        outlet.send(chunk, true).map_err(|why| {
            if why == NotSent::NoMemory {
                self.fail(millpond_message::out_of_memory());
            }
            self.closed = true;
            SinkClosed
        })
    }

    /// A row with long values goes while it is made.
    fn long_row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        let (outlet, attention) = (self.outlet.clone(), Arc::clone(&self.attention));
        let mut send = |chunk: Vec<u8>| {
            if attention.load(Acquire) {
                return Err(SinkClosed);
            }
            outlet.as_ref().map_or(Ok(()), |outlet| outlet.send(chunk, false).map_err(|_| SinkClosed))
        };
        match self.encoder.row_in_pieces(&self.columns, values, &mut send) {
            Ok(sent) => sent.inspect_err(|_| self.closed = true),
            Err(error) => self.refuse_row(&error),
        }
    }

    fn refuse_row(&mut self, error: &TdsError) -> Result<(), SinkClosed> {
        tracing::error!(%error, "a row does not fit its columns");
        self.failed = true;
        self.fail(SqlError::of(3624, 1, &[&format_args!("A row could not be sent: {error}")]));
        self.closed = true;
        Err(SinkClosed)
    }

    fn check(&self) -> Result<(), SinkClosed> {
        if self.is_over() { Err(SinkClosed) } else { Ok(()) }
    }
}

impl Sink for Responder {
    fn columns(&mut self, columns: &[Column]) -> Result<(), SinkClosed> {
        self.check()?;
        self.release();
        self.columns.clear();
        self.columns.extend(columns.iter().map(|column| ColumnMeta {
            name: column.name.clone(),
            sql_type: column.sql_type,
            collation: column.collation,
            nullable: column.nullable,
            identity: column.source == ColumnSource::Identity,
            computed: matches!(column.source, ColumnSource::Computed | ColumnSource::RowStatus),
            hidden: column.source == ColumnSource::RowStatus,
        }));
        match self.knows_columns {
            true => self.encoder.known_columns(&self.columns),
            false => self.encoder.columns(&self.columns),
        }
        Ok(())
    }

    fn origins(&mut self, origins: &Origins) {
        if self.is_over() || self.knows_columns {
            return;
        }
        let columns: Vec<ColumnInfo> = origins
            .columns
            .iter()
            .map(|column| ColumnInfo {
                table: column.table,
                is_expression: column.is_expression,
                is_key: column.is_key,
                is_hidden: column.is_hidden,
                name: column.name.clone(),
            })
            .collect();
        self.encoder.origins(&origins.tables, &columns);
    }

    fn row(&mut self, values: &[Value]) -> Result<(), SinkClosed> {
        self.check()?;
        if self.encoder.has_long(&self.columns, values) {
            return self.long_row(values);
        }
        if let Err(error) = self.encoder.row(&self.columns, values) {
            return self.refuse_row(&error);
        }
        self.send_full()
    }

    fn message(&mut self, message: &Message) {
        if self.is_over() {
            return;
        }
        self.release();
        self.failed |= message.severity > INFORMATION_MAX;
        self.fatal |= message.severity >= SEVERITY_FATAL;
        self.encoder.message(&ServerMessage {
            number: message.number,
            state: message.state,
            // "Database Engine error severities": 10 is sent as 0, for clients that would take it for an error.
            severity: if message.severity == 10 { 0 } else { message.severity },
            message: message.text.clone(),
            server: self.server.to_string(),
            procedure: message.procedure.clone(),
            line: message.line,
        });
        // A receiver that is gone is seen by the next row or check.
        let _ = self.send_full();
    }

    fn done(&mut self, done: sink::Done) {
        if self.is_over() {
            return;
        }
        let kind = match done.kind {
            sink::DoneKind::Statement => DoneKind::Done,
            sink::DoneKind::InProcedure => DoneKind::InProcedure,
            sink::DoneKind::Procedure => DoneKind::Procedure,
        };
        let status = DoneStatus::FINAL
            .with_if(done.error, DoneStatus::ERROR)
            .with_if(done.row_count.is_some(), DoneStatus::COUNT);
        self.failed = false;
        self.hold(Done { kind, status, command: done.command, row_count: done.row_count.unwrap_or(0) });
        let _ = self.send_full();
    }

    fn env_change(&mut self, change: &sink::EnvChange) {
        // Sent after an attention too: a client that believes in a transaction that is gone would go on in it.
        if self.closed {
            return;
        }
        self.release();
        self.encoder.env_change(&match change.clone() {
            sink::EnvChange::Database { new, old } => EnvChange::Database { new, old },
            // The old one is left out, here as at the login: Microsoft's ODBC driver takes five bytes for a broken stream.
            sink::EnvChange::Collation(new) => EnvChange::Collation { new: Collation::of(new), old: None },
            sink::EnvChange::Language { new, old } => EnvChange::Language { new, old },
            sink::EnvChange::BeginTransaction(transaction) => EnvChange::Begin { transaction },
            sink::EnvChange::CommitTransaction(transaction) => EnvChange::Commit { transaction },
            sink::EnvChange::RollbackTransaction(transaction) => EnvChange::Rollback { transaction },
        });
    }

    fn return_status(&mut self, status: i32) {
        if self.is_over() {
            return;
        }
        self.release();
        self.encoder.return_status(status);
    }

    fn return_value(&mut self, name: &str, sql_type: SqlType, value: &Value) {
        if self.is_over() {
            return;
        }
        self.release();
        let named = self.outputs.iter().position(|(_, output)| !name.is_empty() && output.eq_ignore_ascii_case(name));
        let unnamed = || self.outputs.iter().position(|(_, output)| output.is_empty());
        let at = named.or_else(unnamed);
        let ordinal = at.map_or(0, |at| self.outputs.remove(at).0);
        let value =
            ReturnValue { ordinal, name: name.to_owned(), is_function_result: false, sql_type, value: value.clone() };
        if let Err(error) = self.encoder.return_value(&value) {
            tracing::error!(%error, name, "an output value does not fit its type");
            self.failed = true;
        }
    }

    fn flush(&mut self) {
        if self.is_over() {
            return;
        }
        self.release();
        let mut chunk = Vec::new();
        self.encoder.flush(&mut chunk);
        let _ = self.send(chunk);
    }
}

#[cfg(test)]
mod tests {
    use millpond_tds::{ClientDecoder, Event};

    use super::*;

    /// Takes packets that no test is about.
    struct Anywhere;

    impl Outlet for Anywhere {
        fn send(&self, _: Vec<u8>, _: bool) -> Result<(), NotSent> {
            Ok(())
        }
    }

    fn responder(attention: &Arc<AtomicBool>) -> Responder {
        Responder::new(TdsVersion::V7_4, 512, Arc::new(Anywhere), Arc::clone(attention), "here".into())
    }

    fn dones(packets: &[u8]) -> Vec<Done> {
        let mut decoder = ClientDecoder::new();
        decoder.feed(&mut &packets[..]).unwrap();
        let mut dones = Vec::new();
        while let Some(event) = decoder.next_event().unwrap() {
            if let Event::Done(done) = event {
                dones.push(done);
            }
        }
        assert!(decoder.is_complete());
        dones
    }

    fn statement(rows: u64) -> sink::Done {
        sink::Done { kind: sink::DoneKind::Statement, row_count: Some(rows), error: false, command: 0xC3 }
    }

    #[test]
    fn only_the_last_done_has_no_more() {
        let attention = Arc::default();
        let mut responder = responder(&attention);
        responder.done(statement(1));
        responder.done(statement(2));
        let tail = responder.finish();
        let dones = dones(&tail.packets);
        let more: Vec<bool> = dones.iter().map(|done| done.status.contains(DoneStatus::MORE)).collect();
        assert_eq!(more, [true, false]);
        assert_eq!(dones[1].row_count, 2);
    }

    #[test]
    fn an_answer_of_nothing_or_of_messages_ends_with_a_done() {
        for with_message in [false, true] {
            let attention = Arc::default();
            let mut responder = responder(&attention);
            if with_message {
                responder.done(statement(1));
                responder.message(&Message {
                    number: 0,
                    severity: 0,
                    state: 1,
                    line: 1,
                    procedure: String::new(),
                    text: "after".into(),
                });
            }
            let dones = dones(&responder.finish().packets);
            assert_eq!(dones.len(), 1 + usize::from(with_message));
            let last = dones.last().unwrap();
            assert_eq!(last.status, DoneStatus::FINAL);
        }
    }

    #[test]
    fn an_attention_silences_the_rest() {
        let attention: Arc<AtomicBool> = Arc::default();
        let mut responder = responder(&attention);
        responder.done(statement(1));
        attention.store(true, std::sync::atomic::Ordering::Release);
        assert_eq!(responder.columns(&[]), Err(SinkClosed));
        responder.done(statement(2));
        let tail = responder.finish();
        let dones = dones(&tail.packets);
        let last = dones.last().unwrap();
        assert!(!last.status.contains(DoneStatus::ATTENTION), "the acknowledgement is a message of its own");
        assert!(!last.status.contains(DoneStatus::MORE));
    }

    #[test]
    fn output_values_find_their_ordinals() {
        let attention = Arc::default();
        let mut responder = responder(&attention);
        responder.set_outputs(vec![(0, String::new()), (3, "@b".into())]);
        responder.return_value("@b", SqlType::Int, &Value::Int(1));
        responder.return_value("", SqlType::Int, &Value::Int(2));
        let mut decoder = ClientDecoder::new();
        let tail = responder.finish();
        decoder.feed(&mut &tail.packets[..]).unwrap();
        let mut ordinals = Vec::new();
        while let Some(event) = decoder.next_event().unwrap() {
            if let Event::ReturnValue(value) = event {
                ordinals.push(value.ordinal);
            }
        }
        assert_eq!(ordinals, [3, 0]);
    }
}
