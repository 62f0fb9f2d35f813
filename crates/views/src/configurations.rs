//! `sys.configurations`.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use crate::columns::{NVarChar, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.configurations`.
    struct Configurations {
        configuration_id: i32,
        name: NVarChar<35>,
        value: Option<i32>,
        minimum: Option<i32>,
        maximum: Option<i32>,
        value_in_use: Option<i32>,
        description: NVarChar<255>,
        is_dynamic: bool,
        is_advanced: bool,
    }
}

/// `sys.configurations`; values are `int` here, `sql_variant` in SQL Server.
pub static CONFIGURATIONS: ViewDef = view("sys", "configurations", &ViewRows(rows));

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Rows<Configurations>> {
    let rows = ctx.engine.instance().settings().options().into_iter().map(|option| Configurations {
        configuration_id: option.info.configuration_id,
        name: text(option.info.name),
        value: Some(int(option.configured)),
        minimum: Some(int(option.info.minimum)),
        maximum: Some(int(option.info.maximum)),
        value_in_use: Some(int(option.running)),
        description: text(option.info.description),
        is_dynamic: option.info.is_dynamic,
        is_advanced: option.info.is_advanced,
    });
    Ok(rows.collect())
}
