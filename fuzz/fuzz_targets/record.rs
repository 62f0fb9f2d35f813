//! The bytes of a record, as a damaged page may hold them, read with the layout of any table.
//!
//! What must hold: nothing panics; a single column is read as the whole row has it; and a row that was decoded is
//! encoded, when it fits, to a record that decodes to the same row.

#![no_main]

use libfuzzer_sys::fuzz_target;
use millpond_types::{CodePage, MaxLen, RowLayout, SqlType};

/// The column type that a byte stands for; lengths are small so that records of a few bytes are whole rows.
fn sql_type(byte: u8) -> SqlType {
    let parameter = byte / 26;
    let len = u16::from(parameter) + 1;
    let page = if parameter % 2 == 0 { CodePage::Cp1252 } else { CodePage::Utf8 };
    match byte % 26 {
        0 => SqlType::Bit,
        1 => SqlType::TinyInt,
        2 => SqlType::SmallInt,
        3 => SqlType::Int,
        4 => SqlType::BigInt,
        5 => SqlType::Real,
        6 => SqlType::Float,
        7 => SqlType::decimal(3 * parameter + 1, parameter),
        8 => SqlType::SmallMoney,
        9 => SqlType::Money,
        10 => SqlType::Date,
        11 => SqlType::Time { scale: parameter.min(7) },
        12 => SqlType::SmallDateTime,
        13 => SqlType::DateTime,
        14 => SqlType::DateTime2 { scale: parameter.min(7) },
        15 => SqlType::char(len).in_page(page),
        16 => SqlType::varchar(len).in_page(page),
        17 => SqlType::NChar { len },
        18 => SqlType::NVarChar { len: MaxLen::Limited(len) },
        19 => SqlType::Binary { len },
        20 => SqlType::VarBinary { len: MaxLen::Limited(len) },
        21 => SqlType::DateTimeOffset { scale: parameter.min(7) },
        22 => SqlType::RowVersion,
        23 => SqlType::Xml,
        24 => SqlType::Variant,
        _ => SqlType::UniqueIdentifier,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&count, rest)) = bytes.split_first() else {
        return;
    };
    let column_count = usize::from(count % 12) + 1;
    if rest.len() < column_count {
        return;
    }
    let (types, record) = rest.split_at(column_count);
    let layout = RowLayout::new(&types.iter().map(|&byte| sql_type(byte)).collect::<Vec<_>>());
    let mut row = Vec::new();
    let whole = layout.decode(record, &mut row);
    for column in 0..column_count {
        let _ = layout.raw(record, column);
        let _ = layout.is_null(record, column);
        let single = layout.column(record, column);
        if whole.is_ok() {
            // Compared as text: a NaN, which damaged bytes may hold, equals nothing.
            assert_eq!(format!("{single:?}"), format!("Ok({:?})", row[column]), "column {column}");
        }
    }
    if whole.is_ok()
        && let Ok(encoded) = layout.encode(&row)
    {
        let mut again = Vec::new();
        layout.decode(&encoded, &mut again).expect("encoded by us");
        assert_eq!(format!("{row:?}"), format!("{again:?}"));
    }
});
