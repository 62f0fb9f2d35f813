//! DBCC USEROPTIONS: the SET options of the session that are on, or have a value.

use millpond_catalog::run::facts::Settings;
use millpond_engine::system_call::DbccDef;
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC USEROPTIONS`
pub static USEROPTIONS: DbccDef = DbccDef {
    name: "USEROPTIONS",
    run: |call| {
        let rows = options(&call.ctx.facts.settings);
        let rows = rows.iter().map(|(name, value)| vec![Value::str(name), Value::str(value)]).collect();
        let name = SqlType::NVarChar { len: MaxLen::Limited(128) };
        call.result(&[("Set Option", name), ("Value", name)], rows)
    },
};

fn options(settings: &Settings) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("textsize", settings.textsize.to_string()),
        ("language", settings.language.clone()),
        ("dateformat", String::from_utf8_lossy(&settings.dateformat).into_owned()),
        ("datefirst", settings.datefirst.to_string()),
        ("lock_timeout", settings.lock_timeout.to_string()),
    ];
    let switches = [
        ("quoted_identifier", settings.quoted_identifier),
        ("arithabort", settings.arithabort),
        ("ansi_null_dflt_on", settings.ansi_null_default_on),
        ("ansi_null_dflt_off", settings.ansi_null_default_off),
        ("ansi_warnings", settings.ansi_warnings),
        ("ansi_padding", settings.ansi_padding),
        ("ansi_nulls", settings.ansi_nulls),
        ("concat_null_yields_null", settings.concat_null_yields_null),
        ("numeric_roundabort", settings.numeric_roundabort),
        ("xact_abort", settings.xact_abort),
        ("nocount", settings.nocount),
        ("implicit_transactions", settings.implicit_transactions),
        ("cursor_close_on_commit", settings.cursor_close_on_commit),
    ];
    rows.extend(switches.into_iter().filter(|(_, on)| *on).map(|(name, _)| (name, "SET".to_owned())));
    let isolation = match settings.isolation {
        1 => "read uncommitted",
        3 => "repeatable read",
        4 => "serializable",
        5 => "snapshot",
        _ => "read committed",
    };
    rows.push(("isolation level", isolation.to_owned()));
    rows
}
