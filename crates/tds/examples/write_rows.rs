//! How long a row takes to the wire and back: `cargo run --release -p millpond-tds --example write_rows`.
//!
//! Prints nanoseconds per row and GB/s, the best of 300 short runs (the machine may be shared), for a narrow row, a wide row of every common type, and
//! a row of char(8000). Packets are taken as a server takes them.

use std::hint::black_box;
use std::time::Instant;

use millpond_tds::token::{Done, DoneKind, DoneStatus};
use millpond_tds::{ClientDecoder, ColumnMeta, Event, ServerEncoder, TdsVersion};
use millpond_types::temporal::{Date, DateTime2, Time};
use millpond_types::{Decimal, MaxLen, SqlType, Value};

const PACKET_BYTES: u16 = 8000;
const RUNS: usize = 300;

fn main() {
    let date_time = DateTime2 { date: Date { days: 738_000 }, time: Time { ticks: 1_000_000 } };
    let narrow = vec![(SqlType::Int, Value::Int(7)), (SqlType::BigInt, Value::BigInt(8))];
    let mut wide = narrow.clone();
    wide.extend([
        (SqlType::varchar(50), Value::Str("a short name of it".into())),
        (SqlType::NVarChar { len: MaxLen::Limited(50) }, Value::Str("a short name of it".into())),
        (SqlType::decimal(18, 2), Value::Decimal(Decimal { unscaled: 12345, scale: 2 })),
        (SqlType::DateTime2 { scale: 7 }, Value::DateTime2(date_time)),
        (SqlType::Money, Value::Money(120_000)),
        (SqlType::Bit, Value::Bit(true)),
        (SqlType::Float, Value::Float(1.5)),
        (SqlType::Int, Value::Null),
    ]);
    let long = vec![(SqlType::char(8000), Value::Str("x".repeat(8000).into()))];
    measure("int, bigint", &narrow, 4_000);
    measure("10 columns", &wide, 1_000);
    measure("char(8000)", &long, 100);
}

fn measure(name: &str, cells: &[(SqlType, Value)], rows: usize) {
    let columns: Vec<ColumnMeta> = cells.iter().map(|(sql_type, _)| ColumnMeta::new("c", *sql_type)).collect();
    let values: Vec<Value> = cells.iter().map(|(_, value)| value.clone()).collect();
    let mut wire = Vec::new();
    let encode_ns = best(|| {
        wire.clear();
        encode(&columns, &values, rows, &mut wire);
    });
    let decode_ns = best(|| assert_eq!(decode(&wire), rows));
    let per_row = |ns: u128| ns as f64 / rows as f64;
    println!(
        "{name:12} encode {:7.1} ns/row {:5.2} GB/s   decode {:7.1} ns/row",
        per_row(encode_ns),
        wire.len() as f64 / encode_ns as f64,
        per_row(decode_ns)
    );
}

fn encode(columns: &[ColumnMeta], values: &[Value], rows: usize, wire: &mut Vec<u8>) {
    let mut encoder = ServerEncoder::new(TdsVersion::V7_4, PACKET_BYTES);
    encoder.columns(columns);
    for _ in 0..rows {
        encoder.row(columns, black_box(values)).expect("values of their types");
        if encoder.has_full_packet() {
            encoder.take_full(wire);
        }
    }
    encoder.done(Done::new(DoneKind::Done, DoneStatus::FINAL));
    encoder.finish(wire);
}

fn decode(wire: &[u8]) -> usize {
    let mut decoder = ClientDecoder::new();
    let mut rows = 0;
    for mut input in wire.chunks(32 * 1024) {
        decoder.feed(&mut input).expect("our own packets");
        while let Some(event) = decoder.next_event().expect("our own tokens") {
            rows += usize::from(matches!(black_box(event), Event::Row(_)));
        }
    }
    rows
}

fn best(mut work: impl FnMut()) -> u128 {
    let times = (0..RUNS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_nanos()
    });
    times.min().expect("there are runs")
}
