//! `sp_updatestats`. Nothing that a plan relies on is older than the rows: sizes are read when a statement is bound, so
//! no index requires an update.

use crate::error::SqlResult;
use crate::inventory;
use crate::system_call::{ProcedureDef, SystemCall};

/// `sp_updatestats ['resample']`
pub static SP_UPDATESTATS: ProcedureDef =
    ProcedureDef { name: "sp_updatestats", params: &["@resample"], run: update_statistics };

fn update_statistics(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    for table in inventory::tables(call.ctx, call.ctx.facts.database)? {
        call.inform(15650, format!("Updating [{}].[{}]", table.def.schema.name, table.name));
        let mut fresh = 0;
        for index in table.indexes().iter().filter(|index| index.id != 0) {
            call.inform(15653, format!("    [{}], update is not necessary...", index.name));
            fresh += 1;
        }
        let text = format!("    0 index(es)/statistic(s) have been updated, {fresh} did not require update.");
        call.inform(15651, text);
        call.inform(0, " ");
    }
    call.inform(15005, "Statistics for all tables have been updated.");
    Ok(0)
}
