//! `sys.time_zone_info`: the time zones that AT TIME ZONE takes.

use millpond_builtin::time::time_zone::Zone;
use millpond_catalog::Within;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use super::ViewRows;
use super::columns::{BIT, SYSNAME, bit, col, nvarchar, text};

/// `sys.time_zone_info`
pub static TIME_ZONE_INFO: ViewDef = ViewDef {
    schema: "sys",
    name: "time_zone_info",
    columns: &[col("name", SYSNAME), col("current_utc_offset", nvarchar(6)), col("is_currently_dst", BIT)],
    rows: &ViewRows(zones),
};

fn zones(ctx: &RunContext, _: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let now = ctx.now_utc();
    let rows = Zone::all().filter_map(|(name, zone)| {
        let (minutes, is_dst) = zone.at(now)?;
        let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
        let offset = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        Some(vec![text(name), text(&offset), bit(is_dst)])
    });
    Ok(rows.collect())
}
