//! `sys.time_zone_info`: the time zones that AT TIME ZONE takes.

use millpond_builtin::time::time_zone::Zone;
use millpond_catalog::Within;
use millpond_catalog::run::Run;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;

use crate::columns::{NVarChar, Sysname, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.time_zone_info`.
    struct TimeZoneInfo {
        name: Sysname,
        current_utc_offset: NVarChar<6>,
        is_currently_dst: bool,
    }
}

/// `sys.time_zone_info`
pub static TIME_ZONE_INFO: ViewDef = view("sys", "time_zone_info", &ViewRows(zones));

fn zones(ctx: &RunContext, _: Within<'_>) -> SqlResult<Rows<TimeZoneInfo>> {
    let now = ctx.now_utc();
    let rows = Zone::all().filter_map(|(name, zone)| {
        let (minutes, is_dst) = zone.at(now)?;
        let (sign, minutes) = (if minutes < 0 { '-' } else { '+' }, minutes.unsigned_abs());
        let offset = format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        Some(TimeZoneInfo { name: text(name), current_utc_offset: text(&offset), is_currently_dst: is_dst })
    });
    Ok(rows.collect())
}
