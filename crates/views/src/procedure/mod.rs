//! System procedures, one family per file.

mod catalog_modules;
mod catalog_tables;
mod collations;
mod configure;
mod describe;
mod detach;
mod error_log;
mod files;
mod help;
mod named;
mod odbc;
mod odbc_type;
mod sequence;
mod session_context;
mod statistics;
mod who;

use millpond_engine::system_call::ProcedureDef;

/// All procedures.
pub static PROCEDURES: &[&ProcedureDef] = &[
    &catalog_modules::SP_SPROC_COLUMNS,
    &catalog_modules::SP_SPROC_COLUMNS_100,
    &catalog_modules::SP_STORED_PROCEDURES,
    &catalog_tables::SP_COLUMNS,
    &catalog_tables::SP_COLUMNS_100,
    &catalog_tables::SP_COLUMNS_90,
    &catalog_tables::SP_DATABASES,
    &catalog_tables::SP_FKEYS,
    &catalog_tables::SP_PKEYS,
    &catalog_tables::SP_STATISTICS,
    &catalog_tables::SP_STATISTICS_100,
    &catalog_tables::SP_TABLES,
    &collations::SP_TABLECOLLATIONS_100,
    &configure::SP_CONFIGURE,
    &describe::SP_DESCRIBE_FIRST_RESULT_SET,
    &describe::SP_DESCRIBE_UNDECLARED_PARAMETERS,
    &detach::SP_DETACH_DB,
    &error_log::SP_READERRORLOG,
    &error_log::XP_READERRORLOG,
    &files::FIXEDDRIVES,
    &files::SP_HELPFILE,
    &files::SP_SPACEUSED,
    &files::XP_FIXEDDRIVES,
    &help::SP_HELP,
    &help::SP_HELPCONSTRAINT,
    &help::SP_HELPINDEX,
    &help::SP_HELPTEXT,
    &odbc::SP_DATATYPE_INFO,
    &odbc::SP_DATATYPE_INFO_100,
    &odbc::SP_RESET_CONNECTION,
    &sequence::SP_SEQUENCE_GET_RANGE,
    &session_context::SP_SET_SESSION_CONTEXT,
    &statistics::SP_HELPSTATS,
    &statistics::SP_UPDATESTATS,
    &who::SP_WHO,
    &who::SP_WHO2,
];

/// The procedure of a name, without schema and database.
#[must_use]
pub fn find(name: &str) -> Option<&'static ProcedureDef> {
    PROCEDURES.iter().copied().find(|procedure| procedure.name.eq_ignore_ascii_case(name))
}
