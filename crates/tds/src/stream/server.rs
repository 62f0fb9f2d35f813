//! Server side: tokens are appended, packets of the settled size are taken.
//!
//! ```text
//!  columns, row, row … ─▶ body ─▶ take_full: packets that are full ─▶ socket
//!                              ─▶ finish   : the rest, with EOM    ─▶ socket
//! ```
//!
//! What always holds: a token is in the body whole or not at all; the last packet of a message carries EOM and no
//! other does. A client of TDS 7.2 does not know `date`, `time` and `datetime2`, and one that did not ask for it does not
//! know `varchar` in UTF-8; they get them as `nvarchar`.

use millpond_types::format::to_display;
use millpond_types::{CodePage, MaxLen, SqlType, Value};

use crate::TdsError;
use crate::column::ColumnMeta;
use crate::packet::{PacketType, PacketWriter};
use crate::token::{
    ColumnInfo, Done, EnvChange, FeatureAck, LoginAck, ReturnValue, ServerMessage, browse, colmetadata, featureextack,
    order, returnstatus,
};
use crate::value::{ROW, fits, is_long, put_long, put_value, write_null_bitmap_row, write_row};
use crate::version::TdsVersion;

/// Builds the messages of one connection.
#[derive(Debug)]
pub struct ServerEncoder {
    version: TdsVersion,
    /// Whether the client reads `varchar` in UTF-8.
    has_utf8: bool,
    /// Whether a column announced last goes in another type.
    is_replaced: bool,
    /// Whether a column announced last is of a `(max)` type.
    has_max: bool,
    packets: PacketWriter,
    body: Vec<u8>,
    /// Whether a packet of the current message has gone already.
    is_begun: bool,
}

impl ServerEncoder {
    /// An encoder that starts with the version and size that hold before the login.
    pub fn new(version: TdsVersion, packet_bytes: u16) -> Self {
        let packets = PacketWriter::new(PacketType::TabularResult, packet_bytes);
        Self {
            version,
            has_utf8: false,
            is_replaced: false,
            has_max: false,
            packets,
            body: Vec::new(),
            is_begun: false,
        }
    }

    /// Names the session in packet headers.
    pub fn set_spid(&mut self, spid: u16) {
        self.packets.set_spid(spid);
    }

    /// The login has settled the version.
    pub fn set_version(&mut self, version: TdsVersion) {
        self.version = version;
    }

    /// The login has settled whether the client reads `varchar` in UTF-8.
    pub fn set_utf8(&mut self, has_utf8: bool) {
        self.has_utf8 = has_utf8;
    }

    /// The login has settled the packet size. It holds from the next packet on, so the login's answer is finished
    /// first.
    pub fn set_packet_bytes(&mut self, packet_bytes: u16) {
        self.packets.set_packet_bytes(packet_bytes);
    }

    /// Columns of the rows that follow.
    pub fn columns(&mut self, columns: &[ColumnMeta]) {
        self.is_replaced = columns.iter().any(|column| !self.knows(column.sql_type));
        self.has_max = columns.iter().any(|column| column.sql_type.max_len() == Some(MaxLen::Max));
        if !self.is_replaced {
            return colmetadata::put(&mut self.body, columns);
        }
        let columns: Vec<ColumnMeta> = columns.iter().map(|column| self.as_known_column(column)).collect();
        colmetadata::put(&mut self.body, &columns);
    }

    /// The same to a client that knows them and asked not to be told again.
    pub fn known_columns(&mut self, columns: &[ColumnMeta]) {
        let begins = self.body.len();
        self.columns(columns);
        self.body.truncate(begins);
        colmetadata::put_known(&mut self.body);
    }

    /// Where the columns that were announced last are from: tables by the parts of their names, and for each column.
    pub fn origins(&mut self, tables: &[Vec<String>], columns: &[ColumnInfo]) {
        browse::put(&mut self.body, tables, columns);
    }

    /// Whether the client knows the type.
    fn knows(&self, sql_type: SqlType) -> bool {
        (self.version.has_new_dates() || !is_new_date(sql_type)) && (self.has_utf8 || !sql_type.is_utf8())
    }

    fn as_known_column(&self, column: &ColumnMeta) -> ColumnMeta {
        if self.knows(column.sql_type) {
            return column.clone();
        }
        let collation = column.collation.in_page(CodePage::Cp1252);
        ColumnMeta { sql_type: as_old_type(column.sql_type), collation, ..column.clone() }
    }

    fn as_known_value(&self, sql_type: SqlType, value: &Value) -> Value {
        if self.knows(sql_type) { value.clone() } else { as_old_value(sql_type, value) }
    }

    /// One row of the columns announced last.
    pub fn row(&mut self, columns: &[ColumnMeta], values: &[Value]) -> Result<(), TdsError> {
        if self.is_replaced {
            return self.replaced_row(columns, values);
        }
        if !self.version.has_null_bitmap() {
            return write_row(&mut self.body, columns, values);
        }
        // A null costs 1 to 8 bytes in a ROW, and the bitmap one bit per column; 2 bytes is the usual cost.
        let null_count = values.iter().filter(|value| matches!(value, Value::Null)).count();
        if null_count * 2 > columns.len().div_ceil(8) {
            return write_null_bitmap_row(&mut self.body, columns, values);
        }
        write_row(&mut self.body, columns, values)
    }

    fn replaced_row(&mut self, columns: &[ColumnMeta], values: &[Value]) -> Result<(), TdsError> {
        let known_columns: Vec<ColumnMeta> = columns.iter().map(|column| self.as_known_column(column)).collect();
        let known_values: Vec<Value> =
            columns.iter().zip(values).map(|(column, value)| self.as_known_value(column.sql_type, value)).collect();
        write_row(&mut self.body, &known_columns, &known_values)
    }

    /// Whether the row has values that are better sent in pieces ([`ServerEncoder::row_in_pieces`]).
    #[inline]
    pub fn has_long(&self, columns: &[ColumnMeta], values: &[Value]) -> bool {
        self.has_max
            && !self.is_replaced
            && columns.iter().zip(values).any(|(column, value)| is_long(column.sql_type, value))
    }

    /// One row of the columns announced last. Full packets go to `send` while long values are appended, so that no more of
    /// them is held than a piece.
    ///
    /// # Errors
    /// That a value is not of its column's type: nothing is appended then. Those of `send` are inside.
    pub fn row_in_pieces<E>(
        &mut self,
        columns: &[ColumnMeta],
        values: &[Value],
        send: &mut dyn FnMut(Vec<u8>) -> Result<(), E>,
    ) -> Result<Result<(), E>, TdsError> {
        if columns.len() != values.len() {
            return Err(TdsError::ColumnCount { columns: columns.len(), values: values.len() });
        }
        let of_type =
            |(column, value): (&ColumnMeta, &Value)| is_long(column.sql_type, value) || fits(column.sql_type, value);
        if let Some(wrong) = columns.iter().zip(values).find(|pair| !of_type(*pair)) {
            return Err(TdsError::ValueMismatch { sql_type: wrong.0.sql_type });
        }
        let Self { body, packets, .. } = self;
        let mut full = |body: &mut Vec<u8>| {
            let mut chunk = Vec::with_capacity(body.len() + 64);
            let consumed = packets.write_full(&mut chunk, body);
            body.drain(..consumed);
            if chunk.is_empty() { Ok(()) } else { send(chunk) }
        };
        body.push(ROW);
        for (column, value) in columns.iter().zip(values) {
            if !is_long(column.sql_type, value) {
                put_value(body, column.sql_type, value)?;
            } else if let Err(error) = put_long(body, column.sql_type, value, &mut full) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// By which columns, numbered from 1, the rows are sorted.
    pub fn order(&mut self, columns: &[u16]) {
        order::put(&mut self.body, columns);
    }

    /// An ERROR or INFO token, by severity.
    pub fn message(&mut self, message: &ServerMessage) {
        message.put(&mut self.body);
    }

    /// The end of something.
    pub fn done(&mut self, done: Done) {
        done.put(&mut self.body);
    }

    /// Something of the session has changed.
    pub fn env_change(&mut self, change: &EnvChange) {
        change.put(&mut self.body);
    }

    /// What a procedure returns.
    pub fn return_status(&mut self, status: i32) {
        returnstatus::put(&mut self.body, status);
    }

    /// An output parameter.
    pub fn return_value(&mut self, value: &ReturnValue) -> Result<(), TdsError> {
        if self.knows(value.sql_type) {
            return value.put(&mut self.body);
        }
        let sql_type = as_old_type(value.sql_type);
        ReturnValue { sql_type, value: as_old_value(value.sql_type, &value.value), ..value.clone() }.put(&mut self.body)
    }

    /// The login succeeded.
    pub fn login_ack(&mut self, ack: &LoginAck) {
        ack.put(&mut self.body);
    }

    /// What was granted of the features asked for.
    pub fn feature_ext_ack(&mut self, features: &[FeatureAck]) {
        featureextack::put(&mut self.body, features);
    }

    /// Payload that no packet has taken yet.
    pub fn pending_bytes(&self) -> usize {
        self.body.len()
    }

    /// Whether nothing of a message has been appended since the last [`ServerEncoder::finish`].
    pub fn is_idle(&self) -> bool {
        self.body.is_empty() && !self.is_begun
    }

    /// Whether [`ServerEncoder::take_full`] has something to give.
    pub fn has_full_packet(&self) -> bool {
        self.body.len() > self.packets.payload_bytes()
    }

    /// Moves the packets that are full to `out`; what could be the last packet stays.
    pub fn take_full(&mut self, out: &mut Vec<u8>) {
        let consumed = self.packets.write_full(out, &self.body);
        self.drop_front(consumed);
    }

    /// Moves everything appended so far to `out`, the last packet being short and not the end, so that the client sees
    /// it now, as RAISERROR WITH NOWAIT asks.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if self.body.is_empty() {
            return;
        }
        self.packets.write_all(out, &self.body);
        self.body.clear();
        self.is_begun = true;
    }

    /// Ends the message and moves the rest of it to `out`.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.packets.write_last(out, &self.body);
        self.body.clear();
        self.is_begun = false;
    }

    fn drop_front(&mut self, consumed: usize) {
        if consumed > 0 {
            self.body.drain(..consumed);
            self.is_begun = true;
        }
    }
}

fn is_new_date(sql_type: SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Date | SqlType::Time { .. } | SqlType::DateTime2 { .. } | SqlType::DateTimeOffset { .. }
    )
}

fn as_old_type(sql_type: SqlType) -> SqlType {
    let fraction = |scale: u8| if scale == 0 { 0 } else { 1 + u16::from(scale) };
    let units = match sql_type {
        SqlType::Date => 10,
        SqlType::Time { scale } => 8 + fraction(scale),
        SqlType::DateTime2 { scale } => 19 + fraction(scale),
        SqlType::DateTimeOffset { scale } => 26 + fraction(scale),
        SqlType::Char { len, .. } | SqlType::VarChar { len: MaxLen::Limited(len), .. } if len <= SqlType::UNITS_MAX => {
            len
        }
        SqlType::Char { .. } | SqlType::VarChar { .. } => return SqlType::NVarChar { len: MaxLen::Max },
        other => return other,
    };
    SqlType::NVarChar { len: MaxLen::Limited(units) }
}

fn as_old_value(sql_type: SqlType, value: &Value) -> Value {
    match value {
        Value::Null => Value::Null,
        value if is_new_date(sql_type) => Value::Str(to_display(value, &sql_type).into()),
        value => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use millpond_types::temporal::{Date, DateTime2, Time};

    use super::*;
    use crate::stream::{ClientDecoder, Event};
    use crate::token::DoneKind;
    use crate::token::done::{DoneStatus, command};
    use crate::value::tests::form;

    fn events(bytes: &[u8]) -> Vec<Event> {
        let mut decoder = ClientDecoder::new();
        let mut input = bytes;
        decoder.feed(&mut input).unwrap();
        assert!(input.is_empty());
        let mut events = Vec::new();
        while let Some(event) = decoder.next_event().unwrap() {
            events.push(event);
        }
        assert!(decoder.is_complete());
        events
    }

    fn column(name: &str, sql_type: SqlType) -> ColumnMeta {
        ColumnMeta::new(name, sql_type)
    }

    #[test]
    fn long_values_go_in_pieces_and_come_whole() {
        let columns = [
            column("i", SqlType::Int),
            column("v", SqlType::VARCHAR_MAX),
            column("n", SqlType::NVarChar { len: MaxLen::Max }),
            column("b", SqlType::VarBinary { len: MaxLen::Max }),
            column("s", SqlType::VARCHAR_MAX),
        ];
        for unit in ["x", "ä", "𝄞y"] {
            let text = Value::from(unit.repeat(200_000));
            // What code page 1252 lacks is reported as it is in a short text.
            let narrow = Value::from(if unit.len() > 2 { "x".repeat(70_000) } else { unit.repeat(200_000) });
            let row = [Value::Int(7), narrow, text, Value::from(vec![9; 300_000]), Value::str("short")];
            let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 512);
            encoder.columns(&columns);
            assert!(encoder.has_long(&columns, &row) && !encoder.has_long(&columns, &row[4..]));
            let (mut out, mut largest) = (Vec::new(), 0);
            let mut send = |chunk: Vec<u8>| {
                largest = largest.max(chunk.len());
                out.extend(chunk);
                Ok::<(), ()>(())
            };
            encoder.row_in_pieces(&columns, &row, &mut send).unwrap().unwrap();
            assert!(largest < 70_000, "{largest}");
            encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
            encoder.finish(&mut out);
            let [Event::Columns(_), Event::Row(values), Event::Done(_)] = &events(&out)[..] else { panic!("{unit}") };
            assert!(values.iter().zip(&row).all(|(came, sent)| form(came) == form(sent)), "{unit}");
        }
    }

    #[test]
    fn a_row_that_does_not_fit_its_columns_sends_no_piece() {
        let columns = [column("v", SqlType::VARCHAR_MAX), column("i", SqlType::Int)];
        let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 512);
        encoder.columns(&columns);
        let before = encoder.pending_bytes();
        let row = [Value::from("x".repeat(100_000)), Value::str("no number")];
        let mut refuses = |_| Err(());
        assert!(encoder.row_in_pieces(&columns, &row, &mut refuses).is_err());
        assert_eq!(encoder.pending_bytes(), before);
        let row = [row[0].clone(), Value::Int(1)];
        assert_eq!(
            encoder.row_in_pieces(&columns, &row, &mut refuses),
            Ok(Err(())),
            "an error of the sink is returned"
        );
    }

    /// MS-TDS 4.7 but for the column's flags, which say "expression" there.
    #[test]
    fn the_documented_response() {
        let columns = [ColumnMeta { nullable: false, ..column("bar", SqlType::varchar(3)) }];
        let mut encoder = ServerEncoder::new(TdsVersion::V7_2, 4096);
        encoder.columns(&columns);
        encoder.row(&columns, &[Value::Str("foo".into())]).unwrap();
        encoder.done(Done { kind: DoneKind::Done, status: DoneStatus::COUNT, command: command::SELECT, row_count: 1 });
        let mut out = Vec::new();
        encoder.finish(&mut out);
        #[rustfmt::skip]
        let mut documented = [
            0x04, 0x01, 0x00, 0x33, 0x00, 0x00, 0x01, 0x00, 0x81, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0xA7,
            0x03, 0x00, 0x09, 0x04, 0xD0, 0x00, 0x34, 0x03, 0x62, 0x00, 0x61, 0x00, 0x72, 0x00, 0xD1, 0x03, 0x00, 0x66,
            0x6F, 0x6F, 0xFD, 0x10, 0x00, 0xC1, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        ];
        documented[15] = 0x08;
        assert_eq!(out, documented);
    }

    #[test]
    fn packets_are_taken_when_full_and_the_last_one_ends() {
        let columns = [column("a", SqlType::BigInt)];
        let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 512);
        assert!(encoder.is_idle());
        let mut out = Vec::new();
        encoder.columns(&columns);
        for number in 0..1000 {
            encoder.row(&columns, &[Value::BigInt(number)]).unwrap();
            if encoder.has_full_packet() {
                encoder.take_full(&mut out);
            }
            assert!(encoder.pending_bytes() <= 504);
        }
        encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
        encoder.finish(&mut out);
        assert!(encoder.is_idle());
        let ends: Vec<usize> = (0..out.len()).step_by(512).filter(|at| out[at + 1] & 1 != 0).collect();
        assert_eq!(ends, [out.len() / 512 * 512]);
        let events = events(&out);
        assert_eq!(events.len(), 1 + 1000 + 1);
        assert!(matches!(&events[1000], Event::Row(values) if form(&values[0]) == form(&Value::BigInt(999))));
    }

    #[test]
    fn nowait_sends_a_short_packet_that_does_not_end() {
        let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 512);
        let mut out = Vec::new();
        encoder.message(&ServerMessage { message: "now".into(), ..ServerMessage::default() });
        encoder.flush(&mut out);
        let mut decoder = ClientDecoder::new();
        decoder.feed(&mut &out[..]).unwrap();
        assert!(matches!(decoder.next_event(), Ok(Some(Event::Info(info))) if info.message == "now"));
        assert!(!decoder.is_complete());
        assert!(!encoder.is_idle());
        encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
        out.clear();
        encoder.finish(&mut out);
        assert_eq!(out[6], 2, "the packets go on counting");
        decoder.feed(&mut &out[..]).unwrap();
        assert!(matches!(decoder.next_event(), Ok(Some(Event::Done(_)))));
        assert!(decoder.is_complete());
    }

    #[test]
    fn nulls_go_into_a_bitmap_where_the_client_knows_it() {
        let columns = [column("a", SqlType::Int), column("b", SqlType::Int)];
        let values = [Value::Null, Value::Int(1)];
        for (version, token) in [(TdsVersion::V7_3A, 0xD1), (TdsVersion::V7_3B, 0xD2), (TdsVersion::V7_4, 0xD2)] {
            let mut encoder = ServerEncoder::new(version, 4096);
            encoder.row(&columns, &values).unwrap();
            assert_eq!(encoder.body[0], token, "{version:?}");
        }
    }

    #[test]
    fn utf8_goes_as_nvarchar_to_whom_does_not_know_it() {
        let utf8 = |sql_type: SqlType| sql_type.in_page(CodePage::Utf8);
        let types = [utf8(SqlType::varchar(10)), utf8(SqlType::char(8000)), SqlType::varchar(3), SqlType::Int];
        let columns: Vec<ColumnMeta> = types.iter().map(|sql_type| column("c", *sql_type)).collect();
        let text = |text: &str| Value::Str(text.into());
        let values = [text("日本😀"), text("x"), text("é"), Value::Null];
        for (has_utf8, expected) in [
            (true, [types[0], types[1], types[2], types[3]]),
            (
                false,
                [
                    SqlType::NVarChar { len: MaxLen::Limited(10) },
                    SqlType::NVarChar { len: MaxLen::Max },
                    types[2],
                    types[3],
                ],
            ),
        ] {
            let mut encoder = ServerEncoder::new(TdsVersion::V7_4, 4096);
            encoder.set_utf8(has_utf8);
            encoder.columns(&columns);
            encoder.row(&columns, &values).unwrap();
            let mut out = Vec::new();
            encoder.finish(&mut out);
            let events = events(&out);
            let Event::Columns(shown) = &events[0] else { panic!("{events:?}") };
            assert_eq!(shown.iter().map(|column| column.sql_type).collect::<Vec<_>>(), expected);
            let is_utf8 = shown.iter().map(|column| column.collation.page() == CodePage::Utf8);
            assert_eq!(is_utf8.collect::<Vec<_>>(), [has_utf8, has_utf8, false, false]);
            let Event::Row(row) = &events[1] else { panic!("{events:?}") };
            assert_eq!((row[0].as_str(), row[2].as_str()), (Some("日本😀"), Some("é")));
            assert_eq!(row[1].as_str().map(str::trim_end), Some("x"));
        }
    }

    #[test]
    fn clients_of_2005_get_dates_as_text() {
        let types = [SqlType::Date, SqlType::Time { scale: 0 }, SqlType::DateTime2 { scale: 3 }, SqlType::Int];
        let columns: Vec<ColumnMeta> = types.iter().map(|sql_type| column("c", *sql_type)).collect();
        let date = Date { days: 0 };
        let time = Time { ticks: 10_000_000 };
        let values = [Value::Date(date), Value::Time(time), Value::DateTime2(DateTime2 { date, time }), Value::Int(1)];
        let mut encoder = ServerEncoder::new(TdsVersion::V7_2, 4096);
        encoder.columns(&columns);
        encoder.row(&columns, &values).unwrap();
        encoder
            .return_value(&ReturnValue {
                ordinal: 1,
                name: "@d".into(),
                is_function_result: false,
                sql_type: SqlType::Date,
                value: Value::Date(date),
            })
            .unwrap();
        let mut out = Vec::new();
        encoder.finish(&mut out);
        let events = events(&out);
        let Event::Columns(shown) = &events[0] else { panic!("{events:?}") };
        assert_eq!(shown[2].sql_type, SqlType::NVarChar { len: MaxLen::Limited(23) });
        let Event::Row(row) = &events[1] else { panic!("{events:?}") };
        assert!(matches!(&row[0], Value::Str(text) if text == "0001-01-01"));
        assert!(matches!(&row[1], Value::Str(text) if text == "00:00:01"));
        assert!(matches!(&row[2], Value::Str(text) if text == "0001-01-01 00:00:01.000"));
        assert!(matches!(&events[2], Event::ReturnValue(value) if matches!(&value.value, Value::Str(_))));
    }
}
