//! `sys.extended_properties`: none can be made.

use millpond_catalog::system_view::ViewDef;

use crate::view::columns::{NVarChar, NVarCharMax, Sysname};
use crate::view::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.extended_properties`.
    struct ExtendedProperties {
        class: u8,
        class_desc: Option<NVarChar<60>>,
        major_id: i32,
        minor_id: i32,
        name: Sysname,
        value: Option<NVarCharMax>,
    }
}

/// `sys.extended_properties`
pub static EXTENDED_PROPERTIES: ViewDef =
    view("sys", "extended_properties", &ViewRows::<ExtendedProperties>(|_, _| Ok(Rows::new())));
