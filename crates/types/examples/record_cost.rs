//! What reading and writing a record, its columns and its keys costs: nanoseconds per call, printed.
//!
//! `cargo run --release -p millpond-types --example record_cost`

use std::hint::black_box;
use std::time::Instant;

use millpond_types::{Collation, KeyOrder, RowLayout, SqlType, Value, append_key};

const ROUNDS: u32 = 2_000_000;

fn cost(what: &str, mut call: impl FnMut()) {
    (0..ROUNDS / 10).for_each(|_| call());
    let start = Instant::now();
    (0..ROUNDS).for_each(|_| call());
    println!("{what:40} {:8.1} ns", start.elapsed().as_nanos() as f64 / f64::from(ROUNDS));
}

fn main() {
    let varchar = |len| SqlType::varchar(len);
    let types = [SqlType::Int, SqlType::BigInt, SqlType::char(20), varchar(50), varchar(50), SqlType::DateTime];
    let layout = RowLayout::new(&types);
    let row = [1.into(), 2i64.into(), "a name".into(), "some street".into(), "some town".into(), Value::Null];
    let record = layout.encode(&row).expect("a short row fits");
    let view = layout.open(&record).expect("just written");
    let mut out = [0; 200];
    let mut key = Vec::with_capacity(200);
    cost("nothing", || {
        black_box(black_box(&view).layout());
    });
    cost("encode_into, 6 columns", || {
        black_box(layout.encode_into(black_box(&row), &mut out).is_ok());
    });
    cost("open", || {
        black_box(layout.open(black_box(&record)).is_ok());
    });
    cost("layout.column, int", || {
        black_box(layout.column(black_box(&record), 0).is_ok());
    });
    for (what, column) in [("view.column, int", 0), ("view.column, varchar", 3), ("view.column, NULL", 5)] {
        cost(what, || {
            black_box(black_box(&view).column(black_box(column)).is_ok());
        });
    }
    cost("view.i32", || {
        black_box(black_box(&view).i32(black_box(0)));
    });
    cost("view.i64", || {
        black_box(black_box(&view).i64(black_box(1)));
    });
    cost("view.raw, varchar", || {
        black_box(black_box(&view).raw(black_box(4)));
    });
    let (number, words, word) = (Value::Int(7), Value::str("some street"), Value::str("BARBARBAROUG"));
    for (what, value) in
        [("append_key, int", &number), ("append_key, two words", &words), ("append_key, a word", &word)]
    {
        cost(what, || {
            key.clear();
            append_key(black_box(value), Collation::default(), KeyOrder::Ascending, &mut key);
            black_box(&key);
        });
    }
}
