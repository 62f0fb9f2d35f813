//! Who is in every database from its start. The only user that acts is `dbo`; nobody is made later.

/// The principals that every database has, with their ids.
pub const PRINCIPALS: [(&str, i32); 14] = [
    ("public", 0),
    ("dbo", 1),
    ("guest", 2),
    ("INFORMATION_SCHEMA", 3),
    ("sys", 4),
    ("db_owner", 16384),
    ("db_accessadmin", 16385),
    ("db_securityadmin", 16386),
    ("db_ddladmin", 16387),
    ("db_backupoperator", 16389),
    ("db_datareader", 16390),
    ("db_datawriter", 16391),
    ("db_denydatareader", 16392),
    ("db_denydatawriter", 16393),
];

/// The roles among them: each owns a schema of its name.
pub fn roles() -> impl Iterator<Item = (&'static str, i32)> {
    PRINCIPALS.into_iter().filter(|(_, id)| *id >= ROLE_ID_MIN)
}

/// Where the numbers of roles begin.
const ROLE_ID_MIN: i32 = 16384;
