//! Names, ids and properties.

use super::context::context;
use super::{check, run};

#[test]
fn databases() {
    let mut ctx = context();
    ctx.facts.database = millpond_storage::contract::DbId::TEMPDB;
    ctx.facts.database_name = "tempdb".into();
    check(
        &ctx,
        &[
            ("DB_ID()", "int", "2"),
            ("DB_ID('tempdb')", "int", "2"),
            ("DB_ID('TEMPDB')", "int", "2"),
            ("DB_ID('master')", "int", "1"),
            ("DB_ID('nonsense')", "int", "NULL"),
            ("DB_NAME()", "nvarchar(128)", "tempdb"),
            ("DB_NAME(1)", "nvarchar(128)", "master"),
            ("DB_NAME(32000)", "nvarchar(128)", "NULL"),
            ("DB_NAME(-1)", "nvarchar(128)", "NULL"),
            ("DATABASEPROPERTYEX('tempdb', 'Recovery')", "sql_variant", "SIMPLE"),
            ("DATABASEPROPERTYEX('tempdb', 'Status')", "sql_variant", "ONLINE"),
            ("DATABASEPROPERTYEX('tempdb', 'Updateability')", "sql_variant", "READ_WRITE"),
            ("DATABASEPROPERTYEX('tempdb', 'nonsense')", "sql_variant", "NULL"),
            ("DATABASEPROPERTYEX('nonsense', 'Status')", "sql_variant", "NULL"),
        ],
    );
}

#[test]
fn objects_and_schemas() {
    check(
        &context(),
        &[
            ("OBJECT_ID('no_such_table')", "int", "NULL"),
            ("OBJECT_ID('tempdb..#none', 'U')", "int", "NULL"),
            ("OBJECT_ID('a.b.c.d.e')", "int", "NULL"),
            ("OBJECT_ID('')", "int", "NULL"),
            ("OBJECT_NAME(0)", "nvarchar(128)", "NULL"),
            ("OBJECTPROPERTY(0, 'IsTable')", "int", "NULL"),
            ("SCHEMA_NAME()", "nvarchar(128)", "dbo"),
            ("SCHEMA_ID('sys')", "int", "4"),
            ("SCHEMA_NAME(1)", "nvarchar(128)", "dbo"),
            ("SCHEMA_ID('nonsense')", "int", "NULL"),
            ("COL_LENGTH('no_such_table', 'c')", "smallint", "NULL"),
            ("COL_NAME(0, 1)", "nvarchar(128)", "NULL"),
            ("TYPE_ID('int')", "int", "56"),
            ("TYPE_ID('[sys].[NVarChar]')", "int", "231"),
            ("TYPE_ID('sysname')", "int", "256"),
            ("TYPE_ID('nonsense')", "int", "NULL"),
            ("TYPE_NAME(167)", "nvarchar(128)", "varchar"),
            ("TYPE_NAME(1)", "nvarchar(128)", "NULL"),
        ],
    );
}

/// The names that `TYPE_ID` knows are those that declarations know, with the same ids.
#[test]
fn type_ids_agree_with_the_types() {
    for name in super::call::TYPES {
        let (name, ty) = (name.split('(').next().expect("a name"), super::call::type_of(name));
        let (_, id) = run(&context(), &format!("TYPE_ID('{name}')")).expect("an id");
        // `decimal` and `numeric` are one type here and two names there.
        if name != "decimal" {
            assert_eq!(id, ty.system_type_id().to_string(), "{name}");
        }
    }
}

#[test]
fn files() {
    let mut ctx = context();
    ctx.facts.database = millpond_storage::contract::DbId::TEMPDB;
    let (_, name) = run(&ctx, "FILE_NAME(1)").expect("a name");
    assert_ne!(name, "NULL");
    let of = |function: &str, rest: &str| run(&ctx, &format!("{function}('{name}'{rest})")).expect("a value");
    assert_eq!(of("FILE_ID", ""), ("smallint".to_owned(), "1".to_owned()));
    assert_eq!(of("FILE_IDEX", ""), ("int".to_owned(), "1".to_owned()));
    assert_eq!(of("FILEPROPERTY", ", 'IsPrimaryFile'").1, "1");
    assert_eq!(of("FILEPROPERTY", ", 'IsLogFile'").1, "0");
    assert!(of("FILEPROPERTY", ", 'SpaceUsed'").1.parse::<i32>().expect("pages") > 0);
    assert_eq!(of("FILEPROPERTYEX", ", 'BlobTier'"), ("sql_variant".to_owned(), "NULL".to_owned()));
    check(&ctx, &[("FILE_ID('nonsense')", "smallint", "NULL"), ("FILE_NAME(-1)", "nvarchar(128)", "NULL")]);
}

#[test]
fn conversations() {
    let handle = "'58ef1d2d-c405-42eb-a762-23ff320bddf0'";
    let rows: &[(&str, &str, &str)] = &[("GET_TRANSMISSION_STATUS(NULL)", "nvarchar(4000)", "NULL")];
    check(&context(), rows);
    let (ty, text) = run(&context(), &format!("GET_TRANSMISSION_STATUS({handle})")).expect("a status");
    assert_eq!((ty.as_str(), text.as_str()), ("nvarchar(4000)", ""));
}

#[test]
fn the_server() {
    check(
        &context(),
        &[
            ("SERVERPROPERTY('ProductVersion')", "sql_variant", "16.0.1000.6"),
            ("SERVERPROPERTY('productmajorversion')", "sql_variant", "16"),
            ("SERVERPROPERTY('Edition')", "sql_variant", "Developer Edition (64-bit)"),
            ("SERVERPROPERTY('EngineEdition')", "sql_variant", "3"),
            ("SERVERPROPERTY('Collation')", "sql_variant", "SQL_Latin1_General_CP1_CI_AS"),
            ("SERVERPROPERTY('nonsense')", "sql_variant", "NULL"),
            ("@@MICROSOFTVERSION", "int", "268436456"),
            ("COLLATIONPROPERTY('SQL_Latin1_General_CP1_CI_AS', 'CodePage')", "sql_variant", "1252"),
            ("COLLATIONPROPERTY('nonsense', 'CodePage')", "sql_variant", "NULL"),
        ],
    );
    let ctx = context();
    let (ty, version) = run(&ctx, "@@VERSION").expect("a text");
    assert_eq!(ty, "nvarchar(300)");
    let first =
        format!("Microsoft SQL Server 2022 compatible - 16.0.1000.6 (X64) - Millpond {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(version.lines().next(), Some(first.as_str()));
    assert_eq!(
        run(&ctx, "@@SERVERNAME").expect("a name").1,
        run(&ctx, "SERVERPROPERTY('ServerName')").expect("a name").1
    );
}
