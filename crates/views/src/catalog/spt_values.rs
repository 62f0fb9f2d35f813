//! `master..spt_values`: of the server's table of codes the numbers, which scripts count with.

use millpond_catalog::system_view::ViewDef;

use crate::columns::{NChar, NVarChar, text};
use crate::row::{ViewRows, row, view};

/// Numbers of type `P`: from 0 to one below.
const NUMBERS: i32 = 2048;

row! {
    /// A row of `dbo.spt_values`.
    struct SptValues {
        name: Option<NVarChar<35>>,
        number: i32,
        r#type: NChar<3>,
        low: Option<i32>,
        high: Option<i32>,
        status: Option<i32>,
    }
}

/// `spt_values`
pub static SPT_VALUES: ViewDef =
    view("dbo", "spt_values", &ViewRows(|_, _| Ok((0..NUMBERS).map(number_row).collect())));

/// A number with the byte and the bit of a bitmap that stand for it.
fn number_row(number: i32) -> SptValues {
    SptValues {
        name: None,
        number,
        r#type: text("P  "),
        low: Some(number / 8 + 1),
        high: Some(1 << (number % 8)),
        status: Some(0),
    }
}
