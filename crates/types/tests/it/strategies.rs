//! Any type, and any value of a type.

use millpond_types::text::{declared_prefix, pad_blanks, to_page};
use millpond_types::variant::can_hold;
use millpond_types::{
    CodePage, Collation, Date, DateTime, DateTime2, DateTimeOffset, Decimal, MaxLen, SmallDateTime, SqlType, Time,
    Value, Variant,
};
use proptest::prelude::*;

/// Collations of all ways to compare, and of all code pages.
pub fn collations() -> Vec<Collation> {
    // Those that were there first, and locales with rules for pairs of letters, of kana, with accents from the end.
    let first = (0..22).map(|number| Collation::by_number(number).expect("one of the first 22"));
    let others = [
        "Latin1_General_CS_AS_KS_WS",
        "Latin1_General_100_CI_AI_WS_SC",
        "Traditional_Spanish_CI_AS",
        "Danish_Norwegian_CS_AS",
        "French_CS_AS",
        "Latin1_General_100_CI_AS_KS_SC_UTF8",
        "German_PhoneBook_CI_AI",
        "Icelandic_CS_AI",
        "Japanese_XJIS_140_CS_AS_KS_WS_VSS",
        "Chinese_PRC_CI_AS",
        "SQL_Latin1_General_CP1251_CI_AS",
        "Turkish_100_CI_AI",
        "Thai_CI_AS",
    ];
    first.chain(others.map(|name| Collation::by_name(name).expect("a collation"))).collect()
}

/// A type whose values fit a record of ten columns.
pub fn any_type() -> impl Strategy<Value = SqlType> {
    let plain = proptest::sample::select(vec![
        SqlType::Bit,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Int,
        SqlType::BigInt,
        SqlType::Real,
        SqlType::Float,
        SqlType::SmallMoney,
        SqlType::Money,
        SqlType::Date,
        SqlType::SmallDateTime,
        SqlType::DateTime,
        SqlType::UniqueIdentifier,
        SqlType::VARCHAR_MAX,
        SqlType::VARCHAR_MAX.in_page(CodePage::Utf8),
        SqlType::RowVersion,
        SqlType::Xml,
        SqlType::Variant,
    ]);
    prop_oneof![
        2 => plain,
        1 => (1..=38u8, 0..=38u8).prop_map(|(precision, scale)| SqlType::decimal(precision, scale.min(precision))),
        1 => (0..=7u8, 0..3u8).prop_map(|(scale, kind)| match kind {
            0 => SqlType::Time { scale },
            1 => SqlType::DateTime2 { scale },
            _ => SqlType::DateTimeOffset { scale },
        }),
        2 => (1..=40u16, 0..10u8).prop_map(|(len, kind)| sized(len, kind)),
    ]
}

fn sized(len: u16, kind: u8) -> SqlType {
    match kind {
        0 => SqlType::char(len),
        1 => SqlType::varchar(len),
        2 => SqlType::NChar { len },
        3 => SqlType::NVarChar { len: MaxLen::Limited(len) },
        4 => SqlType::Binary { len },
        5 => SqlType::char(len).in_page(CodePage::Utf8),
        6 => SqlType::varchar(len).in_page(CodePage::Utf8),
        7 => SqlType::char(len).in_page(CodePage::Cp932),
        8 => SqlType::varchar(len).in_page(CodePage::Cp1251),
        _ => SqlType::VarBinary { len: MaxLen::Limited(len) },
    }
}

/// A value that its type holds exactly: texts of `char` padded, times at their scale.
pub fn value_of(sql_type: SqlType) -> BoxedStrategy<Value> {
    let limit = match sql_type.max_len() {
        Some(MaxLen::Limited(n)) => usize::from(n),
        _ => 100,
    };
    let present = match sql_type {
        SqlType::Bit => any::<bool>().prop_map(Value::Bit).boxed(),
        SqlType::TinyInt => any::<u8>().prop_map(Value::TinyInt).boxed(),
        SqlType::SmallInt => any::<i16>().prop_map(Value::SmallInt).boxed(),
        SqlType::Int => any::<i32>().prop_map(Value::Int).boxed(),
        SqlType::BigInt => any::<i64>().prop_map(Value::BigInt).boxed(),
        SqlType::Real => proptest::num::f32::NORMAL.prop_map(Value::Real).boxed(),
        SqlType::Float => (proptest::num::f64::NORMAL | proptest::num::f64::ZERO).prop_map(Value::Float).boxed(),
        SqlType::SmallMoney => any::<i32>().prop_map(|n| Value::Money(n.into())).boxed(),
        SqlType::Money => any::<i64>().prop_map(Value::Money).boxed(),
        SqlType::Decimal { precision, scale, .. } => {
            let modulus = 10i128.pow(u32::from(precision));
            any::<i128>().prop_map(move |n| Value::Decimal(Decimal { unscaled: n % modulus, scale })).boxed()
        }
        SqlType::Date => date().prop_map(Value::Date).boxed(),
        SqlType::Time { scale } => time(scale).prop_map(Value::Time).boxed(),
        SqlType::DateTime2 { scale } => {
            (date(), time(scale)).prop_map(|(date, time)| Value::DateTime2(DateTime2 { date, time })).boxed()
        }
        SqlType::DateTime => (DateTime::MIN.days..=DateTime::MAX.days, 0..DateTime::TICKS_PER_DAY)
            .prop_map(|(days, ticks)| Value::DateTime(DateTime { days, ticks }))
            .boxed(),
        SqlType::SmallDateTime => (any::<u16>(), 0..1440u16)
            .prop_map(|(days, minutes)| Value::SmallDateTime(SmallDateTime { days, minutes }))
            .boxed(),
        SqlType::Char { page: CodePage::Utf8, .. } => utf8(limit, true),
        SqlType::VarChar { page: CodePage::Utf8, .. } => utf8(limit, false),
        SqlType::Char { page, .. } if page != CodePage::Cp1252 => in_page(limit, page, true),
        SqlType::VarChar { page, .. } if page != CodePage::Cp1252 => in_page(limit, page, false),
        SqlType::Char { .. } => text("[ -~äÖ€™]", limit, true),
        SqlType::VarChar { .. } => text("[ -~äÖ€™]", limit, false),
        SqlType::NChar { .. } => text("[ -~äж日]", limit, true),
        SqlType::NVarChar { .. } => text("[ -~äж日]", limit, false),
        SqlType::Binary { .. } => proptest::collection::vec(any::<u8>(), limit).prop_map(Value::from).boxed(),
        SqlType::VarBinary { .. } => proptest::collection::vec(0..3u8, 0..=limit).prop_map(Value::from).boxed(),
        SqlType::UniqueIdentifier => any::<[u8; 16]>().prop_map(Value::Guid).boxed(),
        SqlType::DateTimeOffset { scale } => (1..Date::MAX.days, time(scale), -840..=840i16)
            .prop_map(|(days, time, offset)| {
                let local = DateTime2 { date: Date { days }, time };
                DateTimeOffset::from_local(local, offset).expect("a day from the ends of the calendar").into()
            })
            .boxed(),
        SqlType::RowVersion => any::<[u8; 8]>().prop_map(|bytes| Value::binary(&bytes)).boxed(),
        SqlType::Xml => text("[ -~äж日]", limit, false),
        SqlType::Variant => variant().boxed(),
    };
    prop_oneof![1 => Just(Value::Null), 4 => present].boxed()
}

/// A value of a type that a variant holds; few digits, so that numbers of different types meet.
fn variant() -> impl Strategy<Value = Value> {
    let collation = proptest::sample::select(collations());
    let base = any_type().prop_filter("a variant holds it", can_hold);
    let small = (-9..=9i8, 0..3u8).prop_map(|(n, kind)| match kind {
        0 => (SqlType::Int, Value::Int(n.into())),
        1 => (SqlType::Money, Value::Money(i64::from(n) * 5000)),
        _ => (SqlType::decimal(3, 1), Value::Decimal(Decimal { unscaled: i128::from(n) * 5, scale: 1 })),
    });
    let other = base.prop_flat_map(|base| (Just(base), value_of(base)));
    (prop_oneof![1 => small, 2 => other], collation)
        .prop_map(|((base, value), collation)| Variant::new(base, collation, value).map_or(Value::Null, Value::from))
}

fn text(alphabet: &str, limit: usize, padded: bool) -> BoxedStrategy<Value> {
    let pattern = format!("{alphabet}{{0,{limit}}}");
    proptest::string::string_regex(&pattern)
        .expect("a valid pattern")
        .prop_map(move |text| if padded { Value::from(format!("{text:limit$}")) } else { Value::from(text) })
        .boxed()
}

/// Texts of characters of one to four bytes, at most `limit` bytes long.
fn utf8(limit: usize, padded: bool) -> BoxedStrategy<Value> {
    let pattern = format!("[ -~\\u{{1}}äж€日😀]{{0,{limit}}}");
    proptest::string::string_regex(&pattern)
        .expect("a valid pattern")
        .prop_map(move |mut text| {
            text.truncate(text.floor_char_boundary(limit));
            if padded {
                text.push_str(&" ".repeat(limit - text.len()));
            }
            Value::from(text)
        })
        .boxed()
}

/// Texts of characters of a code page, at most `limit` bytes long.
fn in_page(limit: usize, page: CodePage, padded: bool) -> BoxedStrategy<Value> {
    let of = SqlType::varchar(limit as u16).in_page(page);
    proptest::string::string_regex("[ -~éжα日本ｱ]{0,40}")
        .expect("a valid pattern")
        .prop_map(move |text| {
            let held = declared_prefix(&to_page(&text, page), limit, &of);
            if padded { Value::from(pad_blanks(&held, limit, &of)) } else { Value::from(held) }
        })
        .boxed()
}

fn date() -> impl Strategy<Value = Date> {
    (0..=Date::MAX.days).prop_map(|days| Date { days })
}

fn time(scale: u8) -> impl Strategy<Value = Time> {
    let unit = Time::ticks_per_unit(scale);
    (0..Time::TICKS_PER_DAY / unit).prop_map(move |units| Time { ticks: units * unit })
}

/// Columns and a row of them.
pub fn typed_row() -> impl Strategy<Value = (Vec<SqlType>, Vec<Value>)> {
    proptest::collection::vec(any_type(), 1..20).prop_flat_map(|types| {
        let row: Vec<_> = types.iter().map(|&sql_type| value_of(sql_type)).collect();
        (Just(types), row)
    })
}
