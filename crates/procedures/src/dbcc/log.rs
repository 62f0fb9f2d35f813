//! DBCC LOGINFO and OPENTRAN: the parts of a log, and what keeps it from being cut.

use millpond_engine::arguments::database_argument;
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::{Decimal, MaxLen, SqlType, Value};

/// `DBCC LOGINFO [(database)]`
pub static LOGINFO: DbccDef = DbccDef {
    name: "LOGINFO",
    syntax: "[ ( 'database_name' | database_id | 0 ) ]",
    takes: DbccTakes { args: 0..=1, options: &["TABLERESULTS", "NO_INFOMSGS"] },
    run: log_info,
};

/// `DBCC OPENTRAN [(database)]`
pub static OPENTRAN: DbccDef = DbccDef {
    name: "OPENTRAN",
    syntax: "[ ( 'database_name' | database_id | 0 ) ] [ WITH [ TABLERESULTS ] [ , NO_INFOMSGS ] ]",
    takes: DbccTakes { args: 0..=1, options: &["TABLERESULTS", "NO_INFOMSGS"] },
    run: open_transactions,
};

fn log_info(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let db = database_argument(call.ctx(), call.positional(0))?;
    let Some(database) = call.ctx().engine.instance().database(db) else { return Ok(()) };
    let log = database.log().map_err(|cause| message::of_unavailable(&cause))?;
    let row = |part: &millpond_storage::wal::PartReport| {
        vec![
            Value::Int(0),
            Value::Int(i32::from(part.file.0)),
            Value::BigInt(part.size_bytes.cast_signed()),
            Value::BigInt(part.offset_bytes.cast_signed()),
            Value::Int(part.sequence.cast_signed()),
            Value::Int(if part.is_active { 2 } else { 0 }),
            Value::TinyInt(if part.sequence.is_multiple_of(2) { 64 } else { 128 }),
            Decimal::new(0, 0).map_or(Value::Null, Value::Decimal),
        ]
    };
    let rows = log.map_or(Vec::new(), |log| log.part_reports().iter().map(row).collect());
    call.result(
        &[
            ("RecoveryUnitId", SqlType::Int),
            ("FileId", SqlType::Int),
            ("FileSize", SqlType::BigInt),
            ("StartOffset", SqlType::BigInt),
            ("FSeqNo", SqlType::Int),
            ("Status", SqlType::Int),
            ("Parity", SqlType::TinyInt),
            ("CreateLSN", SqlType::numeric(25, 0)),
        ],
        rows,
    )
}

fn open_transactions(call: &mut SystemCall<'_>) -> SqlResult<()> {
    let db = database_argument(call.ctx(), call.positional(0))?;
    let Some(database) = call.ctx().engine.instance().database(db) else { return Ok(()) };
    let log = database.log().map_err(|cause| message::of_unavailable(&cause))?;
    let oldest = log.and_then(|log| log.active_transactions().into_iter().min_by_key(|txn| txn.first));
    let Some(oldest) = oldest else {
        if call.option("TABLERESULTS") {
            return send_details(call, Vec::new());
        }
        call.inform(7969, &[]);
        return Ok(());
    };
    let rows = call.ctx().engine.txns().transactions();
    let owner = rows.iter().find(|row| row.databases.iter().any(|(of, txn)| *of == db && *txn == oldest.id));
    let (session, name) = owner.map_or((0, "recovery"), |row| {
        (row.session.0, if row.is_user { "user_transaction" } else { "implicit_transaction" })
    });
    let begun = owner.and_then(|row| row.begun_us).map(|begun_us| {
        let ago_us = call.ctx().engine.instance().waits().now_us().saturating_sub(begun_us);
        let at_us = call.ctx().engine.now_us().1 - ago_us.cast_signed();
        let at = millpond_catalog::clock::datetime2_of_unix_us(at_us);
        millpond_types::format::to_display(&Value::DateTime2(at), &SqlType::DateTime2 { scale: 3 })
    });
    let lsn = oldest.first;
    if call.option("TABLERESULTS") {
        let details = [
            ("OLDACT_SPID", Some(session.to_string())),
            ("OLDACT_UID", Some("-1".to_owned())),
            ("OLDACT_NAME", Some(name.to_owned())),
            ("OLDACT_LSN", Some(format!("({}:{}:{})", lsn.sequence, lsn.block, lsn.slot))),
            ("OLDACT_STARTTIME", begun),
        ];
        let known = details.into_iter().filter_map(|(what, value)| Some(vec![Value::str(what), Value::str(&value?)]));
        return send_details(call, known.collect());
    }
    let begun = begun.map_or_else(String::new, |begun| format!("\n    Start time    : {begun}"));
    call.inform(7967, &[&database.name()]);
    call.inform(7968, &[&session, &name, &lsn.sequence, &lsn.block, &lsn.slot, &begun]);
    Ok(())
}

/// What is known of the oldest transaction, a line each.
fn send_details(call: &mut SystemCall<'_>, rows: Vec<Vec<Value>>) -> SqlResult<()> {
    let details = SqlType::NVarChar { len: MaxLen::Limited(256) };
    call.result(&[("ActiveTransaction", SqlType::varchar(25)), ("Details", details)], rows)
}
