//! System procedures, one family per file.

mod configure;
mod files;
mod odbc;
mod who;

use crate::system_call::ProcedureDef;

/// All procedures.
pub static PROCEDURES: &[&ProcedureDef] = &[
    &configure::SP_CONFIGURE,
    &files::FIXEDDRIVES,
    &files::SP_HELPFILE,
    &files::SP_SPACEUSED,
    &files::XP_FIXEDDRIVES,
    &odbc::SP_DATATYPE_INFO,
    &odbc::SP_DATATYPE_INFO_100,
    &odbc::SP_RESET_CONNECTION,
    &who::SP_WHO,
    &who::SP_WHO2,
];

/// The procedure of a name, without schema and database.
#[must_use]
pub fn find(name: &str) -> Option<&'static ProcedureDef> {
    PROCEDURES.iter().copied().find(|procedure| procedure.name.eq_ignore_ascii_case(name))
}
