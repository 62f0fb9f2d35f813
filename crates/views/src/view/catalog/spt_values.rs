//! `master..spt_values`: of the server's table of codes the numbers, which scripts count with.

use millpond_catalog::system_view::ViewDef;
use millpond_types::{SqlType, Value};

use crate::view::ViewRows;
use crate::view::columns::{INT, col, int, null, nvarchar};

/// Numbers of type `P`: from 0 to one below.
const NUMBERS: i32 = 2048;

/// `spt_values`
pub static SPT_VALUES: ViewDef = ViewDef {
    schema: "dbo",
    name: "spt_values",
    columns: &[
        null("name", nvarchar(35)),
        col("number", INT),
        col("type", SqlType::NChar { len: 3 }),
        null("low", INT),
        null("high", INT),
        null("status", INT),
    ],
    rows: &ViewRows(|_, _| Ok((0..NUMBERS).map(number_row).collect())),
};

/// A number with the byte and the bit of a bitmap that stand for it.
fn number_row(number: i32) -> Vec<Value> {
    vec![Value::Null, int(number), Value::str("P  "), int(number / 8 + 1), int(1 << (number % 8)), int(0)]
}
