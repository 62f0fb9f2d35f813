//! A server for tests that answers as it was set up and remembers what it was asked.
//!
//! What always holds: one connection; requests get the answers of the script in their order, and an empty answer when
//! the script has ended.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

use millpond_tds::packet::{
    DEFAULT_BOUND_BYTES, DEFAULT_PACKET_BYTES, Message, MessageReader, PacketStatus, PacketType, write_message,
};
use millpond_tds::prelogin::Encryption;
use millpond_tds::token::{Done, DoneKind, DoneStatus, LoginAck, ReturnValue, ServerMessage};
use millpond_tds::{ClientMessage, ColumnMeta, ServerEncoder, TdsVersion};
use millpond_types::{SqlType, Value};

use crate::link::Target;

/// What the server answers.
pub(crate) enum Reply {
    /// Results of integer columns, the return status, output parameters.
    Rows(Vec<Vec<Option<i32>>>, i32, Vec<i32>),
    /// An error of that number, with a row before it.
    Error(i32),
}

/// A procedure's answer without results.
pub(crate) fn done() -> Reply {
    Reply::Rows(vec![], 0, vec![])
}

/// Starts it; the thread returns the requests: a batch's text, or a call's name and values.
pub(crate) fn serve(script: Vec<Reply>) -> (Target, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut peer = Peer { stream, input: Vec::new(), reader: MessageReader::new(DEFAULT_BOUND_BYTES) };
        log_in(&mut peer);
        answer(&mut peer, script)
    });
    let (user, password) = ("sa".into(), "secret".into());
    (Target { host: "127.0.0.1".into(), port, user, password, tls: false }, thread)
}

struct Peer {
    stream: TcpStream,
    input: Vec<u8>,
    reader: MessageReader,
}

impl Peer {
    fn message(&mut self) -> Option<Message> {
        loop {
            let mut rest = &self.input[..];
            let message = self.reader.read(&mut rest).unwrap();
            let consumed = self.input.len() - rest.len();
            self.input.drain(..consumed);
            if message.is_some() {
                return message;
            }
            let mut buffer = [0; 4096];
            let count = self.stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
            self.input.extend_from_slice(&buffer[..count]);
        }
    }

    fn send(&mut self, encoder: &mut ServerEncoder) {
        let mut out = Vec::new();
        encoder.finish(&mut out);
        self.stream.write_all(&out).unwrap();
    }
}

fn log_in(peer: &mut Peer) {
    let message = peer.message().unwrap();
    let ClientMessage::Prelogin(asked) = ClientMessage::decode(message.packet_type, message.payload).unwrap() else {
        panic!("a session begins with PRELOGIN");
    };
    let mut out = Vec::new();
    let payload = asked.answer([16, 0, 3, 0xE8, 0, 0], Encryption::NotSupported).encode();
    write_message(&mut out, PacketType::TabularResult, &payload, DEFAULT_PACKET_BYTES, PacketStatus::default());
    peer.stream.write_all(&out).unwrap();
    peer.message().unwrap();
    let mut encoder = ServerEncoder::new(TdsVersion::V7_4, DEFAULT_PACKET_BYTES);
    let ack = LoginAck { version: TdsVersion::V7_4, program: "scripted".into(), program_version: [16, 0, 3, 0xE8] };
    encoder.login_ack(&ack);
    encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
    peer.send(&mut encoder);
}

fn answer(peer: &mut Peer, script: Vec<Reply>) -> Vec<String> {
    let mut encoder = ServerEncoder::new(TdsVersion::V7_4, DEFAULT_PACKET_BYTES);
    let mut script = script.into_iter();
    let mut asked = Vec::new();
    while let Some(message) = peer.message() {
        asked.push(described(ClientMessage::decode(message.packet_type, message.payload).unwrap()));
        match script.next().unwrap_or_else(done) {
            Reply::Rows(tables, status, outputs) => write_rows(&mut encoder, &tables, status, &outputs),
            Reply::Error(number) => write_error(&mut encoder, number),
        }
        peer.send(&mut encoder);
    }
    asked
}

fn described(message: ClientMessage) -> String {
    match message {
        ClientMessage::SqlBatch(batch) => batch.text,
        ClientMessage::Rpc(rpc) => {
            let call = rpc.calls().next().unwrap().unwrap();
            let values: Vec<String> = call.parameters.iter().map(|one| shown(&one.value)).collect();
            format!("{} {}", call.procedure, values.join(" "))
        }
        other => panic!("{other:?}"),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Str(text) => text.to_string(),
        Value::Decimal(decimal) => decimal.to_string(),
        other => other.as_i64().unwrap().to_string(),
    }
}

/// Each table has one row.
fn write_rows(encoder: &mut ServerEncoder, tables: &[Vec<Option<i32>>], status: i32, outputs: &[i32]) {
    for row in tables {
        let columns: Vec<ColumnMeta> = row.iter().map(|_| ColumnMeta::new("n", SqlType::Int)).collect();
        encoder.columns(&columns);
        let row: Vec<Value> = row.iter().map(|cell| Value::from(*cell)).collect();
        encoder.row(&columns, &row).unwrap();
        encoder.done(Done::new(DoneKind::InProcedure, DoneStatus::MORE));
    }
    encoder.return_status(status);
    for (ordinal, output) in (0..).zip(outputs) {
        let (sql_type, value) = (SqlType::Int, Value::Int(*output));
        let returned = ReturnValue { ordinal, name: String::new(), is_function_result: false, sql_type, value };
        encoder.return_value(&returned).unwrap();
    }
    encoder.done(Done::new(DoneKind::Procedure, DoneStatus::FINAL));
}

fn write_error(encoder: &mut ServerEncoder, number: i32) {
    write_rows_before_error(encoder);
    for (number, message) in [(number, "it failed"), (3621, "The statement has been terminated.")] {
        let message = ServerMessage {
            number,
            state: 1,
            severity: 16,
            message: message.into(),
            server: "scripted".into(),
            procedure: "dbo.p".into(),
            line: 7,
        };
        encoder.message(&message);
    }
    encoder.done(Done::new(DoneKind::Procedure, DoneStatus::ERROR));
}

fn write_rows_before_error(encoder: &mut ServerEncoder) {
    let columns = [ColumnMeta::new("n", SqlType::Int)];
    encoder.columns(&columns);
    encoder.row(&columns, &[Value::Int(1)]).unwrap();
    encoder.done(Done::new(DoneKind::InProcedure, DoneStatus::MORE));
}
