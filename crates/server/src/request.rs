//! One request of a client, run by its session on a thread that may wait.
//!
//! What always holds: whatever comes, the answer is whole: a message that cannot be read, a kind that is not supported
//! and a defect of ours (a panic) are errors in an answer that ends. It knows no sockets.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_query::exec::{BulkError, BulkRows, Rpc, RpcParam, SentTable, TransactionRequest, log_on};
use millpond_query::session::Session;
use millpond_tds::packet::{Cut, Message, PacketType, Reset};
use millpond_tds::rpc::{ProcId, Procedure, RpcMessage, RpcRequest};
use millpond_tds::token::{Done, DoneKind, EnvChange};
use millpond_tds::transmgr::TransactionAction;
use millpond_tds::tvp::TableValue;
use millpond_tds::{BulkDecoder, BulkEvent, ClientMessage, Collation, ServerEncoder, TdsError, TdsVersion};
use millpond_types::{MaxLen, SqlType, Value};

use crate::handshake::heard_of_refusal;
use crate::respond::{Outlet, Responder, Tail};

/// The client of a request.
pub trait Client: Outlet {
    /// What follows the first part of a bulk load, when it has come; `None` when no more will.
    fn next_part(&self) -> Option<Message>;
}

/// A session with what its answers need.
pub struct Worker {
    /// The session.
    pub session: Session,
    /// Settled by the login.
    pub version: TdsVersion,
    /// Settled by the login.
    pub packet_bytes: u16,
    /// Whether the client reads `varchar` in UTF-8.
    pub has_utf8: bool,
    /// A reset has found that the login would fail now.
    pub has_lost_login: bool,
    /// Requests come in sessions of SMP: a transaction that a batch begins ends with it.
    pub has_mars: bool,
    /// Name of the server in messages.
    pub server: Arc<str>,
}

/// What packets of a session say of it.
#[derive(Clone, Copy, Debug)]
pub struct Framing {
    version: TdsVersion,
    packet_bytes: u16,
    spid: u16,
}

impl Framing {
    /// Adds the packets that acknowledge an attention.
    pub fn acknowledge(self, packets: &mut Vec<u8>) {
        let mut encoder = ServerEncoder::new(self.version, self.packet_bytes);
        encoder.set_spid(self.spid);
        encoder.done(Done::attention());
        encoder.finish(packets);
    }

    /// The answer to a request that was stopped before it began.
    pub fn stopped_answer(self, server: &Arc<str>) -> Vec<u8> {
        let stopped = Arc::new(AtomicBool::new(true));
        let mut responder = Responder::unsent(self.version, self.packet_bytes, stopped, Arc::clone(server));
        responder.set_spid(self.spid);
        responder.finish().packets
    }
}

/// What a request leaves behind.
pub struct Outcome {
    /// End of the answer.
    pub tail: Tail,
    /// The session is not to be trusted any more.
    pub is_broken: bool,
}

impl Worker {
    /// Runs a message; `attention` becomes true when its client has asked it to stop.
    pub fn run(&mut self, message: Message, client: Arc<dyn Client>, attention: Arc<AtomicBool>) -> Outcome {
        let (server, outlet) = (Arc::clone(&self.server), Arc::clone(&client));
        let mut responder = Responder::new(self.version, self.packet_bytes, outlet, attention, server);
        responder.set_spid(self.session.shared().id.0);
        responder.set_utf8(self.has_utf8);
        let run = AssertUnwindSafe(|| self.answer(message, client, &mut responder));
        let panicked = catch_unwind(run).is_err();
        if panicked {
            tracing::error!(session = self.session.shared().id.0, "a request panicked");
            responder.fail(SqlError::of(3624, 1, &[&"The session is closed; the server's log says where"]));
        }
        self.explain_end(&mut responder);
        let is_broken = panicked || responder.is_fatal() || self.has_lost_login;
        Outcome { tail: responder.finish(), is_broken }
    }

    /// Drops the session where waiting harms no other.
    pub async fn close(self: Box<Worker>) {
        // A panic while temporary tables are dropped is in the log already.
        let _ = tokio::task::spawn_blocking(move || drop(self)).await;
    }

    /// What packets of the session say of it.
    pub fn framing(&self) -> Framing {
        Framing { version: self.version, packet_bytes: self.packet_bytes, spid: self.session.shared().id.0 }
    }

    /// A request that KILL or the server's stop has cancelled ends with an error that says so.
    fn explain_end(&self, responder: &mut Responder) {
        let shared = self.session.shared();
        if !shared.task.is_cancelled() {
            return;
        }
        if shared.is_killed() {
            responder.fail(SqlError::of(596, 1, &[]));
        } else if self.session.engine().stop().is_requested() {
            responder.fail(SqlError::of(6005, 1, &[]));
        }
    }

    fn answer(&mut self, message: Message, client: Arc<dyn Client>, responder: &mut Responder) {
        if self.reset(message.reset, responder).is_err() {
            return;
        }
        if message.ignored {
            responder.give_up();
            return;
        }
        if let Some(cut) = message.cut {
            return refuse_cut(cut, responder);
        }
        if message.packet_type == PacketType::BulkLoad {
            let rows = WireRows { decoder: BulkDecoder::new(), first: Some(message), client, is_over: false };
            return self.session.run_bulk(Box::new(rows), responder);
        }
        match ClientMessage::decode(message.packet_type, message.payload) {
            Ok(ClientMessage::SqlBatch(batch)) => {
                let had = self.has_transaction();
                self.session.run_batch(&batch.text, responder);
                self.end_transaction(had, responder);
            }
            Ok(ClientMessage::Rpc(rpc)) => {
                let had = self.has_transaction();
                self.calls(&rpc, responder);
                self.end_transaction(had, responder);
            }
            Ok(ClientMessage::Transaction(request)) => {
                let request = transaction_of(request.action);
                self.session.run_transaction_request(&request, responder);
            }
            Ok(_) => responder.fail(SqlError::of(4002, 1, &[&"a login after the login"])),
            Err(error) => refuse(&error, responder),
        }
    }

    fn has_transaction(&self) -> bool {
        self.session.facts().tran_count > 0
    }

    /// Under MARS a transaction that a batch has begun, and no request for one, ends with the batch.
    fn end_transaction(&mut self, had: bool, responder: &mut Responder) {
        if self.has_mars && !had && self.has_transaction() {
            let rollback = TransactionRequest::Rollback { name: String::new(), and_begin: None };
            self.session.run_transaction_request(&rollback, responder);
            responder.fail(SqlError::of(3997, 1, &[]));
        }
    }

    /// Makes the session new when the message's first packet asked for it; the connection ends with one that cannot be.
    fn reset(&mut self, reset: Reset, responder: &mut Responder) -> Result<(), ()> {
        let keeps = reset == Reset::SessionButTransaction && self.session.facts().tran_count > 0;
        match reset {
            Reset::None => return Ok(()),
            // The engine cannot yet reset around an open transaction; then everything stays.
            Reset::SessionButTransaction if keeps => {}
            Reset::Session | Reset::SessionButTransaction => {
                if self.session.facts().security.is_application_role() {
                    let error = SqlError::of(18_059, 1, &[]);
                    self.session.engine().log_error(error.clone());
                    return self.lose_login(error, responder);
                }
                if let Err(error) = self.session.reset(responder) {
                    let failed = SqlError::of(18_456, 1, &[&self.session.shared().login.login]);
                    responder.fail(SqlError { state: 1, ..error });
                    return self.lose_login(failed, responder);
                }
                if let Err(refused) = log_on(&mut self.session, true) {
                    let heard = heard_of_refusal(self.session.engine(), refused);
                    return self.lose_login(heard, responder);
                }
            }
        }
        responder.encoder().env_change(&EnvChange::ResetDone);
        Ok(())
    }

    /// The connection ends with this error.
    fn lose_login(&mut self, error: SqlError, responder: &mut Responder) -> Result<(), ()> {
        responder.fail(error);
        self.has_lost_login = true;
        Err(())
    }

    fn calls(&mut self, message: &RpcMessage, responder: &mut Responder) {
        responder.set_final_kind(DoneKind::Procedure);
        let unnamed = Collation::of(self.session.facts().collation);
        for call in message.calls_in(unnamed) {
            if responder.is_over() {
                return;
            }
            match call {
                Ok(call) => {
                    if is_reset(&call) && self.reset(Reset::Session, responder).is_err() {
                        return;
                    }
                    responder.set_outputs(outputs_of(&call));
                    let fetches = call.procedure.id() == Some(ProcId::CursorFetch);
                    responder.set_knows_columns(fetches && call.options.no_metadata());
                    self.session.run_rpc(&rpc_of(call), responder);
                }
                Err(error) => refuse(&error, responder),
            }
        }
    }
}

/// Whether the message waits for none: a KILL, which may be what those wait for that have all the threads.
pub fn is_brief(message: &Message) -> bool {
    const WORD: &str = "KILL";
    /// Headers, and blanks before the word.
    const LOOKED_AT_BYTES: usize = 512;
    if message.packet_type != PacketType::SqlBatch || message.payload.len() > LOOKED_AT_BYTES {
        return false;
    }
    let Ok(ClientMessage::SqlBatch(batch)) = ClientMessage::decode(message.packet_type, message.payload.clone()) else {
        return false;
    };
    let text = batch.text.trim_start();
    text.get(..WORD.len()).is_some_and(|word| word.eq_ignore_ascii_case(WORD))
}

/// The rows of a bulk load, as their parts come.
struct WireRows {
    decoder: BulkDecoder,
    first: Option<Message>,
    client: Arc<dyn Client>,
    /// The last part has come.
    is_over: bool,
}

impl WireRows {
    fn event(&mut self) -> Result<BulkEvent, BulkError> {
        let malformed = |error: TdsError| BulkError::Malformed(error.to_string());
        loop {
            if let Some(event) = self.decoder.next_event().map_err(malformed)? {
                return Ok(event);
            }
            if self.is_over {
                return Err(BulkError::Malformed("a token is cut off".to_owned()));
            }
            let part = self.first.take().or_else(|| self.client.next_part());
            let part = part.filter(|part| !part.ignored).ok_or(BulkError::Incomplete)?;
            self.decoder.feed(&part.payload).map_err(malformed)?;
            if !part.has_more {
                self.is_over = true;
                self.decoder.end();
            }
        }
    }
}

impl BulkRows for WireRows {
    fn types(&mut self) -> Result<Vec<SqlType>, BulkError> {
        match self.event()? {
            BulkEvent::Columns(columns) => Ok(columns.into_iter().map(|column| column.sql_type).collect()),
            _ => Err(BulkError::Malformed("the rows have no columns".to_owned())),
        }
    }

    fn next_row(&mut self) -> Result<Option<Vec<Value>>, BulkError> {
        match self.event()? {
            BulkEvent::Row(row) => Ok(Some(row)),
            BulkEvent::Done if self.is_over => Ok(None),
            // Whatever follows the end is passed over, but the message must have its own.
            BulkEvent::Done => {
                while let Some(part) = self.client.next_part() {
                    if part.ignored {
                        return Err(BulkError::Incomplete);
                    }
                    if !part.has_more {
                        self.is_over = true;
                        return Ok(None);
                    }
                }
                Err(BulkError::Incomplete)
            }
            BulkEvent::Columns(_) => Err(BulkError::Malformed("columns come twice".to_owned())),
        }
    }
}

/// A message that cannot be read: the frame around it is whole, so the connection goes on.
fn refuse(error: &TdsError, responder: &mut Responder) {
    match error {
        TdsError::TooManyParameters { bound } => responder.fail(SqlError::of(8003, 1, &[bound])),
        TdsError::InvalidParameter { ordinal, name, sql_type } => {
            responder.fail(SqlError::of(8023, 1, &[ordinal, name, &sql_type.name()]));
        }
        TdsError::Unsupported { what } => responder.fail(message::missing(what)),
        TdsError::UnknownDataType(byte) => responder.fail(message::missing(&format!("The data type 0x{byte:02X}"))),
        error => responder.fail(SqlError::of(4002, 1, &[&error])),
    }
}

/// A message whose payload was dropped: the request alone fails for want of memory; what no message may be ends the
/// connection.
fn refuse_cut(cut: Cut, responder: &mut Responder) {
    match cut {
        Cut::NoMemory => responder.fail(message::out_of_memory()),
        Cut::TooLong => responder.fail(SqlError::of(4014, 1, &[&"the message is longer than 65,536 packets", &0, &0])),
    }
}

fn outputs_of(call: &RpcRequest) -> Vec<(u16, String)> {
    let numbered = (0..).zip(&call.parameters);
    numbered
        .filter(|(_, parameter)| parameter.is_output)
        .map(|(ordinal, parameter)| (ordinal, parameter.name.clone()))
        .collect()
}

/// Whether a client asks by a call for what the flag of a packet asks for, as the pool of python-tds does.
fn is_reset(call: &RpcRequest) -> bool {
    matches!(&call.procedure, Procedure::Name(name) if name.eq_ignore_ascii_case("sp_reset_connection"))
}

fn rpc_of(call: RpcRequest) -> Rpc {
    let params = call.parameters.into_iter().map(|parameter| RpcParam {
        name: parameter.name,
        sql_type: given_type(parameter.sql_type),
        value: (!parameter.is_default).then_some(parameter.value),
        output: parameter.is_output,
        table: parameter.table.map(table_of),
    });
    Rpc { procedure: call.procedure.to_string(), params: params.collect() }
}

/// The type that a parameter is converted from. What a client says is `xml` is a text that nothing has read yet.
fn given_type(sql_type: SqlType) -> SqlType {
    if sql_type == SqlType::Xml { SqlType::NVarChar { len: MaxLen::Max } } else { sql_type }
}

fn table_of(table: Arc<TableValue>) -> SentTable {
    SentTable { columns: table.columns(), rows: Arc::new(move || Box::new(table.rows())) }
}

fn transaction_of(action: TransactionAction) -> TransactionRequest {
    match action {
        TransactionAction::Begin(begin) => {
            TransactionRequest::Begin { isolation: begin.isolation as u8, name: begin.name }
        }
        TransactionAction::Commit { then, .. } => {
            TransactionRequest::Commit { and_begin: then.map(|begin| begin.name) }
        }
        TransactionAction::Rollback { name, then } => {
            TransactionRequest::Rollback { name, and_begin: then.map(|begin| begin.name) }
        }
        TransactionAction::Save { name } => TransactionRequest::Save { name },
    }
}
