//! `sys.syslanguages`: the languages that SET LANGUAGE takes.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::temporal::Language;

use crate::columns::{NChar, NVarChar, Sysname, small, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.syslanguages`.
    struct Syslanguages {
        langid: i16,
        dateformat: NChar<3>,
        datefirst: u8,
        upgrade: Option<i32>,
        name: Sysname,
        alias: Sysname,
        months: Option<NVarChar<372>>,
        shortmonths: Option<NVarChar<132>>,
        days: Option<NVarChar<217>>,
        lcid: i32,
        msglangid: i16,
    }
}

/// `sys.syslanguages`
pub static SYSLANGUAGES: ViewDef = view("sys", "syslanguages", &ViewRows(languages));

fn languages(_: &RunContext, _: Within<'_>) -> SqlResult<Rows<Syslanguages>> {
    let row = |language: Language| {
        let facts = language.facts();
        Syslanguages {
            langid: small(language.number()),
            dateformat: text(&String::from_utf8_lossy(&facts.date_order)),
            datefirst: facts.first_day,
            upgrade: Some(0),
            name: text(facts.name),
            alias: text(facts.alias),
            months: Some(text(facts.months)),
            shortmonths: Some(text(facts.short_months)),
            days: Some(text(facts.days)),
            lcid: facts.lcid,
            msglangid: facts.message_lcid,
        }
    };
    Ok(Language::all().map(row).collect())
}
