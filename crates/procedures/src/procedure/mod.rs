//! System procedures, one family per file.

mod agent;
mod bindings;
mod collations;
mod configure;
mod depends;
mod describe;
mod detach;
mod disk;
mod error_log;
mod extended_property;
mod filegroups;
mod files;
mod formatted;
mod help;
mod languages;
mod messages;
mod named;
mod odbc_catalog;
mod options;
mod security;
mod sequence;
mod session_context;
mod statistics;
mod who;
mod xml;

use millpond_engine::system_call::ProcedureDef;

/// All procedures by name, each with its number (`object_id`), -3000 and below. A new one has the number below the least of these;
/// one that was given stays, because users see it.
pub static PROCEDURES: &[(i32, &ProcedureDef)] = &[
    (-3000, &odbc_catalog::modules::SP_SPROC_COLUMNS),
    (-3001, &odbc_catalog::modules::SP_SPROC_COLUMNS_100),
    (-3002, &odbc_catalog::modules::SP_STORED_PROCEDURES),
    (-3003, &odbc_catalog::tables::SP_COLUMNS),
    (-3004, &odbc_catalog::tables::SP_COLUMNS_100),
    (-3005, &odbc_catalog::tables::SP_COLUMNS_90),
    (-3006, &odbc_catalog::tables::SP_DATABASES),
    (-3007, &odbc_catalog::tables::SP_FKEYS),
    (-3008, &odbc_catalog::tables::SP_PKEYS),
    (-3009, &odbc_catalog::tables::SP_STATISTICS),
    (-3010, &odbc_catalog::tables::SP_STATISTICS_100),
    (-3011, &odbc_catalog::tables::SP_TABLES),
    (-3012, &collations::SP_TABLECOLLATIONS_100),
    (-3013, &configure::SP_CONFIGURE),
    (-3014, &describe::SP_DESCRIBE_FIRST_RESULT_SET),
    (-3015, &describe::SP_DESCRIBE_UNDECLARED_PARAMETERS),
    (-3016, &detach::SP_DETACH_DB),
    (-3017, &error_log::SP_READERRORLOG),
    (-3018, &error_log::XP_READERRORLOG),
    (-3019, &files::FIXEDDRIVES),
    (-3020, &files::SP_HELPFILE),
    (-3021, &files::SP_SPACEUSED),
    (-3022, &files::XP_FIXEDDRIVES),
    (-3023, &help::SP_HELP),
    (-3024, &help::SP_HELPCONSTRAINT),
    (-3025, &help::SP_HELPINDEX),
    (-3026, &help::SP_HELPTEXT),
    (-3027, &odbc_catalog::drivers::SP_DATATYPE_INFO),
    (-3028, &odbc_catalog::drivers::SP_DATATYPE_INFO_100),
    (-3029, &odbc_catalog::drivers::SP_RESET_CONNECTION),
    (-3030, &sequence::SP_SEQUENCE_GET_RANGE),
    (-3031, &session_context::SP_SET_SESSION_CONTEXT),
    (-3032, &statistics::SP_HELPSTATS),
    (-3033, &statistics::SP_UPDATESTATS),
    (-3034, &who::SP_WHO),
    (-3035, &who::SP_WHO2),
    (-3036, &security::SP_ADDLOGIN),
    (-3037, &security::SP_ADDROLE),
    (-3038, &security::SP_ADDROLEMEMBER),
    (-3039, &security::SP_ADDSRVROLEMEMBER),
    (-3040, &security::SP_ADDUSER),
    (-3041, &security::SP_CHANGEDBOWNER),
    (-3042, &security::SP_CHANGEOBJECTOWNER),
    (-3043, &security::SP_CHANGE_USERS_LOGIN),
    (-3044, &security::SP_COLUMN_PRIVILEGES),
    (-3045, &security::SP_DEFAULTDB),
    (-3046, &security::SP_DEFAULTLANGUAGE),
    (-3047, &security::SP_DENYLOGIN),
    (-3048, &security::SP_DROPLOGIN),
    (-3049, &security::SP_DROPROLE),
    (-3050, &security::SP_DROPROLEMEMBER),
    (-3051, &security::SP_DROPSRVROLEMEMBER),
    (-3052, &security::SP_DROPUSER),
    (-3053, &security::SP_GRANTDBACCESS),
    (-3054, &security::SP_GRANTLOGIN),
    (-3055, &security::SP_HELPDBFIXEDROLE),
    (-3056, &security::SP_HELPLOGINS),
    (-3057, &security::SP_HELPROLE),
    (-3058, &security::SP_HELPROLEMEMBER),
    (-3059, &security::SP_HELPROTECT),
    (-3060, &security::SP_HELPSRVROLE),
    (-3061, &security::SP_HELPSRVROLEMEMBER),
    (-3062, &security::SP_HELPUSER),
    (-3063, &security::SP_PASSWORD),
    (-3064, &security::SP_REVOKEDBACCESS),
    (-3065, &security::SP_REVOKELOGIN),
    (-3066, &security::SP_TABLE_PRIVILEGES),
    (-3067, &security::SP_VALIDATELOGINS),
    (-3068, &filegroups::SP_HELPFILEGROUP),
    (-3069, &languages::SP_HELPLANGUAGE),
    (-3070, &xml::SP_XML_PREPAREDOCUMENT),
    (-3071, &xml::SP_XML_REMOVEDOCUMENT),
    (-3120, &messages::SP_ADDMESSAGE),
    (-3121, &messages::SP_ALTERMESSAGE),
    (-3122, &messages::SP_DROPMESSAGE),
    (-3100, &extended_property::SP_ADDEXTENDEDPROPERTY),
    (-3101, &extended_property::SP_UPDATEEXTENDEDPROPERTY),
    (-3102, &extended_property::SP_DROPEXTENDEDPROPERTY),
    (-3103, &bindings::SP_BINDEFAULT),
    (-3104, &bindings::SP_BINDRULE),
    (-3105, &bindings::SP_UNBINDEFAULT),
    (-3106, &bindings::SP_UNBINDRULE),
    (-3123, &security::SP_ADDAPPROLE),
    (-3124, &security::SP_APPROLEPASSWORD),
    (-3125, &security::SP_DROPAPPROLE),
    (-3126, &security::SP_SETAPPROLE),
    (-3127, &security::SP_UNSETAPPROLE),
    (-3128, &security::SP_MIGRATE_USER_TO_CONTAINED),
    (-3129, &options::SP_TABLEOPTION),
    (-3130, &options::SP_PROCOPTION),
    (-3131, &options::SP_DROPSERVER),
    (-3132, &formatted::XP_SPRINTF),
    (-3133, &formatted::XP_SSCANF),
    (-3134, &depends::SP_DEPENDS),
    (-3135, &disk::XP_FILEEXIST),
    (-3136, &disk::XP_DIRTREE),
    (-3137, &disk::XP_SUBDIRS),
    (-3138, &disk::XP_CREATE_SUBDIR),
    (-3139, &disk::XP_REGREAD),
    (-3140, &disk::XP_INSTANCE_REGREAD),
    (-3141, &disk::XP_MSVER),
    (-3142, &agent::XP_SQLAGENT_NOTIFY),
    (-3143, &error_log::SP_ENUMERRORLOGS),
    (-3144, &error_log::XP_ENUMERRORLOGS),
    (-3145, &error_log::SP_CYCLE_ERRORLOG),
    (-3146, &error_log::XP_LOGEVENT),
];

/// The procedure of a name, without schema and database.
#[must_use]
pub fn find(name: &str) -> Option<&'static ProcedureDef> {
    PROCEDURES.iter().map(|(_, procedure)| *procedure).find(|procedure| procedure.name.eq_ignore_ascii_case(name))
}
