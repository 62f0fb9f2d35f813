//! PostgreSQL's protocol 3.0, as much of it as a workload needs: login without a password, texts, prepared statements.
//!
//! ```text
//!   query     Query ─▶ RowDescription? DataRow* CommandComplete … ReadyForQuery
//!   prepare   Parse Describe Sync ─▶ ParseComplete ParameterDescription RowDescription ReadyForQuery
//!   execute   Bind Execute Sync ─▶ BindComplete DataRow* CommandComplete ReadyForQuery      one write, one answer
//! ```
//!
//! What always holds: as with the lab's own link, an answer is read to its end before its caller gets it, and its first error
//! is the answer. All values travel as text. A crate would bring eighty others into the lock file for these lines, and
//! would drive the peer through a runtime where the lab's own link writes and reads a socket.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;

use millpond_tds::ColumnMeta;
use millpond_types::{Decimal, SqlType, Value};

use crate::link::{Answer, LinkError, Table};

/// Version 3.0 as the first message has it.
const PROTOCOL: i32 = 3 << 16;
/// A message beyond this is no answer to a workload.
const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// SQLSTATE of a deadlock's victim, and of a snapshot that came too late.
const RETRYABLE: [&str; 2] = ["40P01", "40001"];

/// A session.
pub struct Connection<S = TcpStream> {
    stream: BufReader<S>,
    /// Messages that are sent with the next flush.
    out: Vec<u8>,
}

/// A prepared statement of the session that prepared it.
pub struct Statement {
    name: &'static str,
    columns: Vec<ColumnMeta>,
}

impl Connection {
    /// Logs in; `server` is `host:port`.
    ///
    /// # Errors
    /// There is no server, or it wants a password, or it says no.
    pub fn open(server: &str, user: &str, database: &str) -> Result<Self, LinkError> {
        let stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let mut connection = Self { stream: BufReader::new(stream), out: Vec::new() };
        connection.start(user, database)?;
        Ok(connection)
    }
}

impl<S: Read + Write> Connection<S> {
    fn start(&mut self, user: &str, database: &str) -> Result<(), LinkError> {
        let mut body = PROTOCOL.to_be_bytes().to_vec();
        for word in ["user", user, "database", database, ""] {
            put_text(&mut body, word);
        }
        self.out.extend(length_of(&body).to_be_bytes());
        self.out.extend(body);
        self.converse(Vec::new()).map(drop)
    }

    /// Runs a text of one or more statements, which are one transaction.
    ///
    /// # Errors
    /// The server's first, or that of the connection; here and below.
    pub fn query(&mut self, text: &str) -> Result<Answer, LinkError> {
        self.message(b'Q', |body| put_text(body, text));
        self.converse(Vec::new())
    }

    /// Prepares a statement; the server infers the parameters' types.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub fn prepare(&mut self, name: &'static str, text: &str) -> Result<Statement, LinkError> {
        self.message(b'P', |body| {
            put_text(body, name);
            put_text(body, text);
            body.extend(0_i16.to_be_bytes());
        });
        self.message(b'D', |body| {
            body.push(b'S');
            put_text(body, name);
        });
        self.message(b'S', |_| ());
        let mut answer = self.converse(Vec::new())?;
        let columns = answer.tables.pop().map_or_else(Vec::new, |table| table.columns);
        Ok(Statement { name, columns })
    }

    /// Runs a prepared statement.
    ///
    /// # Errors
    /// As [`Connection::query`].
    pub fn execute(&mut self, statement: &Statement, values: &[Option<String>]) -> Result<Answer, LinkError> {
        self.message(b'B', |body| {
            put_text(body, "");
            put_text(body, statement.name);
            body.extend(0_i16.to_be_bytes());
            body.extend(i16::try_from(values.len()).expect("few parameters").to_be_bytes());
            for value in values {
                let Some(text) = value else {
                    body.extend((-1_i32).to_be_bytes());
                    continue;
                };
                body.extend(i32::try_from(text.len()).expect("a short text").to_be_bytes());
                body.extend(text.as_bytes());
            }
            body.extend(0_i16.to_be_bytes());
        });
        self.message(b'E', |body| {
            put_text(body, "");
            body.extend(0_i32.to_be_bytes());
        });
        self.message(b'S', |_| ());
        self.converse(vec![Table { columns: statement.columns.clone(), rows: Vec::new() }])
    }

    fn message(&mut self, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(kind);
        let start = self.out.len();
        self.out.extend([0; 4]);
        fill(&mut self.out);
        let length = i32::try_from(self.out.len() - start).expect("a text of megabytes");
        self.out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Sends what is pending and reads up to the server's readiness; rows go to the last of `tables`.
    fn converse(&mut self, tables: Vec<Table>) -> Result<Answer, LinkError> {
        self.stream.get_mut().write_all(&self.out)?;
        self.out.clear();
        let (mut answer, mut error) = (Answer { tables, ..Answer::default() }, None);
        loop {
            // A server that refuses the login says why and goes, without being ready before.
            let (kind, body) = match self.receive() {
                Ok(message) => message,
                Err(failure) => return Err(error.unwrap_or(failure)),
            };
            let mut body = Body { rest: &body };
            match kind {
                b'Z' => break,
                b'R' if body.i32()? != 0 => return Err(broken("the server wants a password")),
                b'T' => answer.tables.push(Table { columns: columns(&mut body)?, rows: Vec::new() }),
                b'D' => {
                    let table = answer.tables.last_mut().ok_or_else(|| broken("a row without columns"))?;
                    table.rows.push(row(&mut body, &table.columns)?);
                }
                b'E' => {
                    let found = server_error(&mut body)?;
                    error.get_or_insert(found);
                }
                _ => {}
            }
        }
        error.map_or(Ok(answer), Err)
    }

    fn receive(&mut self) -> Result<(u8, Vec<u8>), LinkError> {
        let mut head = [0; 5];
        self.stream.read_exact(&mut head)?;
        let [kind, length @ ..] = head;
        let length = usize::try_from(i32::from_be_bytes(length)).ok().and_then(|length| length.checked_sub(4));
        let length = length.filter(|length| *length <= MESSAGE_BYTES_MAX);
        let mut body = vec![0; length.ok_or_else(|| broken("a message without a sensible length"))?];
        self.stream.read_exact(&mut body)?;
        Ok((kind, body))
    }
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend(text.as_bytes());
    out.push(0);
}

/// Of a message with its own four bytes.
fn length_of(body: &[u8]) -> i32 {
    i32::try_from(body.len() + 4).expect("names are short")
}

fn broken(what: &str) -> LinkError {
    LinkError::Connect(io::Error::new(io::ErrorKind::InvalidData, what.to_owned()))
}

/// What of a message has not been read.
struct Body<'a> {
    rest: &'a [u8],
}

impl<'a> Body<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], LinkError> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(|| broken("a message ends too early"))?;
        self.rest = rest;
        Ok(bytes)
    }

    fn i16(&mut self) -> Result<i16, LinkError> {
        Ok(i16::from_be_bytes(self.bytes(2)?.try_into().expect("two bytes")))
    }

    fn i32(&mut self) -> Result<i32, LinkError> {
        Ok(i32::from_be_bytes(self.bytes(4)?.try_into().expect("four bytes")))
    }

    fn text(&mut self) -> Result<String, LinkError> {
        let length = self.rest.iter().position(|byte| *byte == 0).ok_or_else(|| broken("a text without end"))?;
        let text = String::from_utf8_lossy(self.bytes(length)?).into_owned();
        self.bytes(1)?;
        Ok(text)
    }
}

fn columns(body: &mut Body<'_>) -> Result<Vec<ColumnMeta>, LinkError> {
    (0..body.i16()?)
        .map(|_| {
            let name = body.text()?;
            // Table and column it comes from.
            body.bytes(6)?;
            let oid = body.i32()?;
            // Size, modifier, format.
            body.bytes(8)?;
            Ok(ColumnMeta::new(&name, type_of(oid)))
        })
        .collect()
}

/// Numbers are numbers, all else is its text.
fn type_of(oid: i32) -> SqlType {
    match oid {
        21 => SqlType::SmallInt,
        23 => SqlType::Int,
        20 => SqlType::BigInt,
        1700 => SqlType::decimal(38, 0),
        _ => SqlType::VARCHAR_MAX,
    }
}

fn row(body: &mut Body<'_>, columns: &[ColumnMeta]) -> Result<Vec<Value>, LinkError> {
    let count = body.i16()?;
    if usize::try_from(count) != Ok(columns.len()) {
        return Err(broken("a row has other columns than its table"));
    }
    columns
        .iter()
        .map(|column| match usize::try_from(body.i32()?) {
            Err(_) => Ok(Value::Null),
            Ok(length) => value(&String::from_utf8_lossy(body.bytes(length)?), &column.sql_type),
        })
        .collect()
}

fn value(text: &str, sql_type: &SqlType) -> Result<Value, LinkError> {
    let value = match sql_type {
        SqlType::SmallInt => text.parse().ok().map(Value::SmallInt),
        SqlType::Int => text.parse().ok().map(Value::Int),
        SqlType::BigInt => text.parse().ok().map(Value::BigInt),
        SqlType::Decimal { .. } => Decimal::parse(text).ok().map(Value::Decimal),
        _ => Some(Value::str(text)),
    };
    value.ok_or_else(|| broken("a number that is none"))
}

fn server_error(body: &mut Body<'_>) -> Result<LinkError, LinkError> {
    let (mut code, mut message) = (String::new(), String::new());
    loop {
        match body.bytes(1)?[0] {
            0 => break,
            b'C' => code = body.text()?,
            b'M' => message = body.text()?,
            _ => drop(body.text()?),
        }
    }
    let is_retryable = RETRYABLE.contains(&code.as_str());
    Ok(LinkError::Foreign { code, message, is_retryable })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that has said everything before it was asked.
    struct Said {
        input: io::Cursor<Vec<u8>>,
        asked: Vec<u8>,
    }

    impl Read for Said {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.input.read(into)
        }
    }

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.asked.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn said(messages: &[(u8, &[u8])]) -> Connection<Said> {
        let mut input = Vec::new();
        for (kind, body) in messages {
            input.push(*kind);
            input.extend(length_of(body).to_be_bytes());
            input.extend(*body);
        }
        let stream = Said { input: io::Cursor::new(input), asked: Vec::new() };
        Connection { stream: BufReader::new(stream), out: Vec::new() }
    }

    fn column(name: &str, oid: i32) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, name);
        out.extend([0; 6]);
        out.extend(oid.to_be_bytes());
        out.extend([0; 8]);
        out
    }

    fn two_columns() -> Vec<u8> {
        [vec![0, 2], column("n", 23), column("t", 1043)].concat()
    }

    #[test]
    fn rows_have_numbers_texts_and_nulls() {
        let rows = [
            (b'T', &two_columns()[..]),
            (b'D', b"\0\x02\0\0\0\x02-7\xff\xff\xff\xff"),
            (b'D', b"\0\x02\0\0\0\x011\0\0\0\x02ab"),
            (b'C', b"SELECT 2\0"),
            (b'Z', b"I"),
        ];
        let mut connection = said(&rows);
        let answer = connection.query("q").unwrap();
        assert_eq!(answer.tables[0].rows[0], [Value::Int(-7), Value::Null]);
        assert_eq!(answer.tables[0].rows[1], [Value::Int(1), Value::str("ab")]);
        assert_eq!(connection.stream.get_ref().asked, b"Q\0\0\0\x06q\0");
    }

    #[test]
    fn a_prepared_statement_keeps_its_columns() {
        let columns = two_columns();
        let messages = [
            (b'1', &b""[..]),
            (b'T', &columns),
            (b'Z', b"I"),
            (b'2', b""),
            (b'D', b"\0\x02\0\0\0\x015\0\0\0\0"),
            (b'Z', b"I"),
        ];
        let mut connection = said(&messages);
        let statement = connection.prepare("s", "select $1").unwrap();
        let before = connection.stream.get_ref().asked.len();
        let answer = connection.execute(&statement, &[Some("5".into()), None]).unwrap();
        assert_eq!(answer.tables[0].rows, [[Value::Int(5), Value::str("")]]);
        let bind = b"B\0\0\0\x16\0s\0\0\0\0\x02\0\0\0\x015\xff\xff\xff\xff\0\0E\0\0\0\x09\0\0\0\0\0S\0\0\0\x04";
        assert_eq!(connection.stream.get_ref().asked[before..], bind[..]);
    }

    #[test]
    fn an_error_is_the_answer_and_the_session_goes_on() {
        let deadlock = b"SERROR\0C40P01\0Mdeadlock detected\0\0";
        let messages: [(u8, &[u8]); 4] = [(b'E', deadlock), (b'Z', b"I"), (b'E', b"C23505\0Mtwice\0\0"), (b'Z', b"I")];
        let mut connection = said(&messages);
        let error = connection.query("a").unwrap_err();
        assert_eq!((error.to_string().as_str(), error.is_retryable()), ("40P01: deadlock detected", true));
        assert!(!connection.query("b").unwrap_err().is_retryable());
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let broken: [&[(u8, &[u8])]; 4] =
            [&[(b'R', &[0, 0, 0, 10])], &[(b'D', &[0, 1])], &[(b'T', &[0, 1, b'x'])], &[(b'E', b"C1")]];
        for messages in broken {
            assert!(said(messages).query("q").is_err(), "{messages:?}");
        }
    }
}
