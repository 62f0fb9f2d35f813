//! System procedures, one family per file.

use crate::system_call::ProcedureDef;

/// All procedures.
pub static PROCEDURES: &[&ProcedureDef] = &[];

/// The procedure of a name, without schema and database.
#[must_use]
pub fn find(name: &str) -> Option<&'static ProcedureDef> {
    PROCEDURES.iter().copied().find(|procedure| procedure.name.eq_ignore_ascii_case(name))
}
