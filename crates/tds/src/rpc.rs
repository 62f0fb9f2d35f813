//! RPCRequest: calls of procedures, by number or by name, one or many in a message.
//!
//! ```text
//!  ALL_HEADERS ┼ call ┼ FF ┼ call ┼ FF …            FE instead of FF: describe, do not run
//!  call      : name length in units (2) ┼ name      or FFFF ┼ number (2)
//!              ┼ options (2) ┼ parameter …
//!  parameter : name (B_VARCHAR) ┼ status (1) ┼ TYPE_INFO ┼ value
//! ```
//!
//! Calls are read one after the other: a message of a hundred thousand calls is never held decoded, and a call that
//! cannot be read is reported when its turn comes. Nothing after it can be found, so it is the last.

use std::fmt;
use std::sync::Arc;

use millpond_types::{SqlType, Value};

use crate::TdsError;
use crate::collation::Collation;
use crate::headers::AllHeaders;
use crate::tvp::{self, TableValue};
use crate::type_info::{TypeInfo, put_plain_type_info};
use crate::value::{Place, fits, put_value, read_value};
use crate::wire::{Reader, put_b_varchar, put_u16, put_us_varchar};

/// Most parameters of a call, as in SQL Server (its message 8003).
pub const PARAMETERS_MAX: usize = 2100;

const BY_NUMBER: u16 = 0xFFFF;
const NEXT_CALL: u8 = 0xFF;
const NEXT_CALL_OLD: u8 = 0x80;
const NEXT_CALL_NO_EXEC: u8 = 0xFE;

/// The procedures that have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
#[allow(missing_docs)]
pub enum ProcId {
    Cursor = 1,
    CursorOpen = 2,
    CursorPrepare = 3,
    CursorExecute = 4,
    CursorPrepExec = 5,
    CursorUnprepare = 6,
    CursorFetch = 7,
    CursorOption = 8,
    CursorClose = 9,
    ExecuteSql = 10,
    Prepare = 11,
    Execute = 12,
    PrepExec = 13,
    PrepExecRpc = 14,
    Unprepare = 15,
}

impl ProcId {
    /// All, by number.
    pub const ALL: [Self; 15] = [
        Self::Cursor,
        Self::CursorOpen,
        Self::CursorPrepare,
        Self::CursorExecute,
        Self::CursorPrepExec,
        Self::CursorUnprepare,
        Self::CursorFetch,
        Self::CursorOption,
        Self::CursorClose,
        Self::ExecuteSql,
        Self::Prepare,
        Self::Execute,
        Self::PrepExec,
        Self::PrepExecRpc,
        Self::Unprepare,
    ];

    /// The procedure with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// The procedure with this name, without schema, in any case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name().eq_ignore_ascii_case(name))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cursor => "sp_cursor",
            Self::CursorOpen => "sp_cursoropen",
            Self::CursorPrepare => "sp_cursorprepare",
            Self::CursorExecute => "sp_cursorexecute",
            Self::CursorPrepExec => "sp_cursorprepexec",
            Self::CursorUnprepare => "sp_cursorunprepare",
            Self::CursorFetch => "sp_cursorfetch",
            Self::CursorOption => "sp_cursoroption",
            Self::CursorClose => "sp_cursorclose",
            Self::ExecuteSql => "sp_executesql",
            Self::Prepare => "sp_prepare",
            Self::Execute => "sp_execute",
            Self::PrepExec => "sp_prepexec",
            Self::PrepExecRpc => "sp_prepexecrpc",
            Self::Unprepare => "sp_unprepare",
        }
    }
}

/// What is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Procedure {
    /// By its number.
    Number(ProcId),
    /// By its name, as sent: with schema and brackets, if any.
    Name(String),
}

impl Procedure {
    /// The numbered procedure that is meant, however it is called; clients call `sp_executesql` by name too.
    pub fn id(&self) -> Option<ProcId> {
        match self {
            Self::Number(id) => Some(*id),
            Self::Name(name) => ProcId::from_name(name.strip_prefix("sys.").unwrap_or(name)),
        }
    }
}

impl fmt::Display for Procedure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(id) => formatter.write_str(id.name()),
            Self::Name(name) => formatter.write_str(name),
        }
    }
}

/// Option bits of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RpcOptions(pub u16);

impl RpcOptions {
    /// WITH RECOMPILE
    pub fn with_recompile(self) -> bool {
        self.0 & 1 != 0
    }

    /// The client knows the columns; results need no COLMETADATA.
    pub fn no_metadata(self) -> bool {
        self.0 & 2 != 0
    }

    /// The client has the columns in its cache, of the same call before.
    pub fn reuse_metadata(self) -> bool {
        self.0 & 4 != 0
    }
}

/// A parameter of a call.
#[derive(Clone, Debug)]
pub struct RpcParameter {
    /// With `@`; empty when it goes by position.
    pub name: String,
    /// OUTPUT: its value is wanted back.
    pub is_output: bool,
    /// DEFAULT was given instead of a value.
    pub is_default: bool,
    /// As declared by the client; without meaning where there is a table.
    pub sql_type: SqlType,
    /// Its value; NULL where there is a table.
    pub value: Value,
    /// A table-valued parameter's rows.
    pub table: Option<Arc<TableValue>>,
}

impl RpcParameter {
    const OUTPUT: u8 = 1;
    const DEFAULT: u8 = 2;
    const ENCRYPTED: u8 = 8;

    /// An input parameter.
    pub fn input(name: impl Into<String>, sql_type: SqlType, value: Value) -> Self {
        Self { name: name.into(), is_output: false, is_default: false, sql_type, value, table: None }
    }

    /// A table-valued parameter.
    pub fn table(name: impl Into<String>, table: TableValue) -> Self {
        Self { table: Some(Arc::new(table)), ..Self::input(name, SqlType::Int, Value::Null) }
    }

    /// `ordinal`: which one of its call it is, from 1 on.
    fn read(reader: &mut Reader<'_>, ordinal: usize) -> Result<Self, TdsError> {
        let name = reader.b_varchar("parameter name")?;
        let status = reader.u8("parameter status")?;
        if status & Self::ENCRYPTED != 0 {
            return Err(TdsError::Unsupported { what: "an encrypted parameter" });
        }
        let (is_output, is_default) = (status & Self::OUTPUT != 0, status & Self::DEFAULT != 0);
        if reader.peek() == Some(tvp::TABLE) {
            reader.u8("data type").expect("peeked");
            return Ok(Self { is_output, is_default, ..Self::table(name, TableValue::read(reader)?) });
        }
        let info = TypeInfo::read(reader)?;
        let sql_type = info.parameter_type()?;
        let value = read_value(reader, &info, Place::Parameter)?;
        // Infinity and what is no number; SQL has neither.
        if matches!(value, Value::Float(number) if !number.is_finite())
            || matches!(value, Value::Real(number) if !number.is_finite())
        {
            return Err(TdsError::InvalidParameter { ordinal, name, sql_type });
        }
        Ok(Self { name, is_output, is_default, sql_type, value, table: None })
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<(), TdsError> {
        put_b_varchar(out, &self.name);
        let output = if self.is_output { Self::OUTPUT } else { 0 };
        let default = if self.is_default { Self::DEFAULT } else { 0 };
        out.push(output | default);
        if let Some(table) = &self.table {
            table.put(out);
            return Ok(());
        }
        put_plain_type_info(out, self.sql_type);
        put_value(out, self.sql_type, &self.value)
    }

    /// Whether the value is of the declared type.
    pub fn is_consistent(&self) -> bool {
        fits(self.sql_type, &self.value)
    }
}

/// One call.
#[derive(Clone, Debug)]
pub struct RpcRequest {
    /// What is called.
    pub procedure: Procedure,
    /// Options.
    pub options: RpcOptions,
    /// In the order of the call.
    pub parameters: Vec<RpcParameter>,
    /// Describe, do not run.
    pub no_exec: bool,
}

/// The calls of a message.
#[derive(Clone, Debug)]
pub struct RpcMessage {
    /// What precedes them.
    pub headers: AllHeaders,
    payload: Vec<u8>,
    first_call: usize,
}

impl RpcMessage {
    /// Reads what precedes the calls; the calls themselves are read by [`RpcMessage::calls`].
    pub fn decode(payload: Vec<u8>) -> Result<Self, TdsError> {
        let mut reader = Reader::new(&payload);
        let headers = AllHeaders::read(&mut reader)?;
        let first_call = reader.position();
        if reader.is_empty() {
            return Err(TdsError::malformed("call"));
        }
        Ok(Self { headers, payload, first_call })
    }

    /// The calls in their order; an error is the last item.
    pub fn calls(&self) -> RpcCalls<'_> {
        self.calls_in(Collation { info: 0, sort_id: 0 })
    }

    /// The same where a text whose collation has no name is of the given one: that of the session's database.
    pub fn calls_in(&self, unnamed: Collation) -> RpcCalls<'_> {
        let mut reader = Reader::new(&self.payload[self.first_call..]);
        reader.unnamed = unnamed.to_bytes();
        RpcCalls { reader, failed: false }
    }

    /// Writes a message.
    pub fn encode(headers: AllHeaders, calls: &[RpcRequest]) -> Result<Vec<u8>, TdsError> {
        let mut out = Vec::new();
        headers.write(&mut out);
        for (index, call) in calls.iter().enumerate() {
            if index > 0 {
                out.push(NEXT_CALL);
            }
            call.put(&mut out)?;
        }
        Ok(out)
    }
}

impl RpcRequest {
    /// A call by number.
    pub fn by_number(id: ProcId, parameters: Vec<RpcParameter>) -> Self {
        Self { procedure: Procedure::Number(id), options: RpcOptions::default(), parameters, no_exec: false }
    }

    fn put(&self, out: &mut Vec<u8>) -> Result<(), TdsError> {
        match &self.procedure {
            Procedure::Number(id) => {
                put_u16(out, BY_NUMBER);
                put_u16(out, *id as u16);
            }
            Procedure::Name(name) => put_us_varchar(out, name, 1046),
        }
        put_u16(out, self.options.0);
        self.parameters.iter().try_for_each(|parameter| parameter.put(out))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, TdsError> {
        let procedure = read_procedure(reader)?;
        let options = RpcOptions(reader.u16("call options")?);
        let mut parameters = Vec::new();
        let no_exec = loop {
            if let Some(no_exec) = end_of_call(reader) {
                break no_exec;
            }
            if parameters.len() == PARAMETERS_MAX {
                return Err(TdsError::TooManyParameters { bound: PARAMETERS_MAX });
            }
            let ordinal = parameters.len() + 1;
            parameters.push(RpcParameter::read(reader, ordinal)?);
        };
        Ok(Self { procedure, options, parameters, no_exec })
    }
}

fn read_procedure(reader: &mut Reader<'_>) -> Result<Procedure, TdsError> {
    match reader.u16("procedure name")? {
        BY_NUMBER => {
            let number = reader.u16("procedure number")?;
            let id = ProcId::from_number(number).ok_or(TdsError::malformed("procedure number"))?;
            Ok(Procedure::Number(id))
        }
        0 => Err(TdsError::malformed("procedure name")),
        units => Ok(Procedure::Name(reader.utf16(units.into(), "procedure name")?)),
    }
}

/// Consumes what separates calls: `Some(no_exec)` when the call ends here.
fn end_of_call(reader: &mut Reader<'_>) -> Option<bool> {
    let end = match reader.peek() {
        None => return Some(false),
        Some(NEXT_CALL) => false,
        Some(NEXT_CALL_NO_EXEC) => true,
        Some(NEXT_CALL_OLD) if !is_longest_name(reader) => false,
        Some(_) => return None,
    };
    reader.u8("separator of calls").expect("peeked");
    Some(end)
}

/// 0x80 separates calls in old versions, but is also the length of the longest parameter name, which begins with `@`.
fn is_longest_name(reader: &Reader<'_>) -> bool {
    let rest = reader.rest();
    rest.len() > 2 * usize::from(NEXT_CALL_OLD) && rest[1..3] == [b'@', 0]
}

/// Iterator over the calls of a message.
#[derive(Clone, Debug)]
pub struct RpcCalls<'a> {
    reader: Reader<'a>,
    failed: bool,
}

impl RpcCalls<'_> {
    /// Whether another call follows, so that the DONEPROC of the one before says MORE.
    pub fn has_more(&self) -> bool {
        !self.failed && !self.reader.is_empty()
    }
}

impl Iterator for RpcCalls<'_> {
    type Item = Result<RpcRequest, TdsError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.has_more() {
            return None;
        }
        let call = RpcRequest::read(&mut self.reader);
        self.failed = call.is_err();
        Some(call)
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::MaxLen;
    use proptest::prelude::*;

    use super::*;
    use crate::value::tests::{all_types, bounds};

    const HEADERS: [u8; 22] = [0x16, 0, 0, 0, 0x12, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0];

    fn calls(body: &[u8]) -> Vec<Result<RpcRequest, TdsError>> {
        let message = RpcMessage::decode([&HEADERS[..], body].concat()).unwrap();
        assert_eq!(message.headers.outstanding_requests, 1);
        message.calls().collect()
    }

    /// The call of MS-TDS 4.8: foo3 with an output parameter of type smallint.
    #[test]
    fn the_documented_example() {
        let body = [0x04, 0, 0x66, 0, 0x6F, 0, 0x6F, 0, 0x33, 0, 0, 0, 0, 0x02, 0x26, 0x02, 0x00];
        let calls = calls(&body);
        let call = calls[0].as_ref().unwrap();
        assert_eq!(call.procedure, Procedure::Name("foo3".into()));
        assert_eq!(call.procedure.id(), None);
        let parameter = &call.parameters[0];
        assert!(parameter.is_default);
        assert!(!parameter.is_output);
        assert_eq!(parameter.sql_type, SqlType::SmallInt);
        assert!(matches!(parameter.value, Value::Null));
        assert_eq!(calls.len(), 1);
    }

    /// As FreeTDS sends `sp_prepexec`: an output handle, then `ntext`.
    #[test]
    fn ntext_of_freetds() {
        let text: Vec<u8> = "@P1 INT".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut body = vec![0xFF, 0xFF, 13, 0, 0, 0, 0, 1, 0x26, 4, 0];
        body.extend_from_slice(&[0, 0, 0x63, 14, 0, 0, 0, 9, 4, 0xD0, 0, 0x34, 14, 0, 0, 0]);
        body.extend_from_slice(&text);
        let call = calls(&body).remove(0).unwrap();
        assert_eq!(call.procedure.id(), Some(ProcId::PrepExec));
        assert!(call.parameters[0].is_output);
        assert_eq!(call.parameters[1].sql_type, SqlType::NVarChar { len: MaxLen::Max });
        assert!(matches!(&call.parameters[1].value, Value::Str(text) if text == "@P1 INT"));
    }

    fn call(parameters: Vec<RpcParameter>) -> RpcRequest {
        RpcRequest::by_number(ProcId::ExecuteSql, parameters)
    }

    #[test]
    fn every_type_round_trips_as_a_parameter() {
        let mut parameters = Vec::new();
        for sql_type in all_types() {
            for (index, value) in bounds(sql_type).into_iter().enumerate() {
                let mut parameter = RpcParameter::input(format!("@p{index}"), sql_type, value);
                parameter.is_output = index % 2 == 0;
                parameter.is_default = index % 3 == 0;
                assert!(parameter.is_consistent());
                parameters.push(parameter);
            }
        }
        let by_name = RpcRequest { procedure: Procedure::Name("dbo.p".into()), ..call(parameters.clone()) };
        let bytes = RpcMessage::encode(AllHeaders::default(), &[call(parameters), by_name]).unwrap();
        let message = RpcMessage::decode(bytes).unwrap();
        let back: Vec<RpcRequest> = message.calls().map(Result::unwrap).collect();
        assert_eq!(back.len(), 2);
        assert_eq!(back[1].procedure, Procedure::Name("dbo.p".into()));
        assert_eq!(format!("{:?}", back[0].parameters), format!("{:?}", back[1].parameters));
        let bytes_again = RpcMessage::encode(AllHeaders::default(), &back).unwrap();
        assert_eq!(bytes_again, message.payload);
    }

    /// Some drivers name the collation of no column of a table that they send.
    #[test]
    fn a_collation_of_zeros_is_the_one_that_the_reader_says() {
        let japanese = millpond_types::Collation::by_name("Japanese_XJIS_100_CI_AS").expect("a collation");
        let sql_type = SqlType::varchar(10).in_page(japanese.page());
        let rows = [vec![Value::str("日本")]];
        let table = TableValue::new(Default::default(), &[sql_type], &rows).unwrap();
        let bytes = RpcMessage::encode(AllHeaders::default(), &[call(vec![RpcParameter::table("@t", table)])]).unwrap();
        // A7, the length of 10, and the five bytes of the collation.
        let at = bytes.windows(3).position(|window| window == [0xA7, 10, 0]).expect("the column's type") + 3;
        let unnamed = [&bytes[..at], &[0; 5], &bytes[at + 5..]].concat();
        let message = RpcMessage::decode(unnamed).unwrap();
        let read = |mut calls: RpcCalls<'_>| -> Vec<Vec<Value>> {
            let sent = calls.next().unwrap().unwrap().parameters[0].table.clone().expect("a table");
            sent.rows().collect()
        };
        assert_eq!(read(message.calls_in(Collation::of(japanese))), rows);
        assert_ne!(read(message.calls()), rows);
    }

    #[test]
    fn calls_are_separated_and_counted() {
        let body = [0xFF, 0xFF, 15, 0, 0, 0, 0x80, 0xFF, 0xFF, 12, 0, 0, 0, 0xFE, 0xFF, 0xFF, 10, 0, 0, 0, 0xFF];
        let message = RpcMessage::decode([&HEADERS[..], &body].concat()).unwrap();
        let mut calls = message.calls();
        assert!(!calls.next().unwrap().unwrap().no_exec);
        assert!(calls.has_more());
        assert!(calls.next().unwrap().unwrap().no_exec);
        assert_eq!(calls.next().unwrap().unwrap().procedure, Procedure::Number(ProcId::ExecuteSql));
        assert!(!calls.has_more());
        assert!(calls.next().is_none());
    }

    #[test]
    fn a_name_of_128_units_is_no_separator() {
        let name = format!("@{}", "n".repeat(127));
        let parameter = RpcParameter::input(name.clone(), SqlType::Int, Value::Int(1));
        let bytes = RpcMessage::encode(AllHeaders::default(), &[call(vec![parameter])]).unwrap();
        let message = RpcMessage::decode(bytes).unwrap();
        assert_eq!(message.calls().next().unwrap().unwrap().parameters[0].name, name);
    }

    #[test]
    fn procedures_are_known_by_number_and_name() {
        for (index, id) in ProcId::ALL.into_iter().enumerate() {
            assert_eq!(id as usize, index + 1);
            assert_eq!(ProcId::from_number(id as u16), Some(id));
            assert_eq!(Procedure::Name(id.name().to_uppercase()).id(), Some(id));
        }
        assert_eq!(ProcId::from_number(0), None);
        assert_eq!(ProcId::from_number(16), None);
        assert_eq!(Procedure::Name("sys.sp_executesql".into()).id(), Some(ProcId::ExecuteSql));
    }

    #[test]
    fn what_cannot_be_read_is_the_last_item() {
        // A CLR type, which no parameter has here.
        let mut body = vec![0xFF, 0xFF, 10, 0, 0, 0, 0, 0, 0xF0, 0xFF, 0xFF, 0, 0, 0, 0, 0];
        body.extend_from_slice(&[0xFF; 8]);
        body.extend_from_slice(&[0xFF, 0xFF, 0xFF, 10, 0, 0, 0]);
        let calls_read = calls(&body);
        assert_eq!(calls_read.len(), 1);
        assert!(calls_read[0].as_ref().unwrap_err().is_unsupported());
        assert!(calls(&[0xFF, 0xFF, 99, 0, 0, 0])[0].is_err());
        assert!(RpcMessage::decode(HEADERS.to_vec()).is_err());
    }

    #[test]
    fn parameters_are_bounded() {
        let parameters = vec![RpcParameter::input("", SqlType::Int, Value::Null); PARAMETERS_MAX + 1];
        let bytes = RpcMessage::encode(AllHeaders::default(), &[call(parameters)]).unwrap();
        let message = RpcMessage::decode(bytes).unwrap();
        let error = message.calls().next().unwrap().unwrap_err();
        assert_eq!(error, TdsError::TooManyParameters { bound: PARAMETERS_MAX });
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(body in prop::collection::vec(any::<u8>(), 1..300)) {
            for call in calls(&body) {
                let _ = call;
            }
        }
    }
}
