//! `sys.configurations`.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use super::ViewRows;
use super::columns::{BIT, INT, bit, col, int, null, nvarchar, text};

/// `sys.configurations`; values are `int` here, `sql_variant` in SQL Server.
pub static CONFIGURATIONS: ViewDef = ViewDef {
    schema: "sys",
    name: "configurations",
    columns: &[
        col("configuration_id", INT),
        col("name", nvarchar(35)),
        null("value", INT),
        null("minimum", INT),
        null("maximum", INT),
        null("value_in_use", INT),
        col("description", nvarchar(255)),
        col("is_dynamic", BIT),
        col("is_advanced", BIT),
    ],
    rows: &ViewRows(rows),
};

fn rows(ctx: &RunContext, _database: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = ctx.engine.instance().settings().options().into_iter().map(|option| {
        vec![
            int(option.info.configuration_id),
            text(option.info.name),
            int(option.configured),
            int(option.info.minimum),
            int(option.info.maximum),
            int(option.running),
            text(option.info.description),
            bit(option.info.is_dynamic),
            bit(option.info.is_advanced),
        ]
    });
    Ok(rows.collect())
}
