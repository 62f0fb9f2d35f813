//! DBCC USEROPTIONS: the SET options of the session that are on, or have a value.

use millpond_catalog::run::facts::Settings;
use millpond_catalog::run::set_option::SET_OPTIONS;
use millpond_engine::system_call::{DbccDef, DbccTakes};
use millpond_types::{MaxLen, SqlType, Value};

/// `DBCC USEROPTIONS`
pub static USEROPTIONS: DbccDef = DbccDef {
    name: "USEROPTIONS",
    syntax: "[ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 0..=0, options: &["NO_INFOMSGS"] },
    run: |call| {
        let rows = options(&call.ctx().facts.settings);
        let rows = rows.iter().map(|(name, value)| vec![Value::str(name), Value::str(value)]).collect();
        let name = SqlType::NVarChar { len: MaxLen::Limited(128) };
        call.result(&[("Set Option", name), ("Value", name)], rows)
    },
};

fn options(settings: &Settings) -> Vec<(String, String)> {
    let mut rows = vec![
        ("textsize".to_owned(), settings.textsize.to_string()),
        ("language".to_owned(), settings.language.facts().name.to_owned()),
        ("dateformat".to_owned(), String::from_utf8_lossy(&settings.dateformat).into_owned()),
        ("datefirst".to_owned(), settings.datefirst.to_string()),
        ("lock_timeout".to_owned(), settings.lock_timeout.to_string()),
    ];
    let listed = SET_OPTIONS.iter().filter(|option| option.is_listed && (option.get)(settings));
    rows.extend(listed.map(|option| (option.name.to_ascii_lowercase(), "SET".to_owned())));
    let isolation = match settings.isolation {
        1 => "read uncommitted",
        3 => "repeatable read",
        4 => "serializable",
        5 => "snapshot",
        _ => "read committed",
    };
    rows.push(("isolation level".to_owned(), isolation.to_owned()));
    rows
}
