//! The session's facts.

use std::sync::Arc;

use millpond_message::sink::Message;
use millpond_types::Value;

use super::context::context;
use super::{check, run};

#[test]
fn counters() {
    let mut ctx = context();
    ctx.facts.row_count = 5_000_000_000;
    ctx.facts.error = 2627;
    ctx.facts.tran_count = 2;
    ctx.facts.nest_level = 3;
    ctx.facts.session = 57;
    ctx.facts.identity = Value::BigInt(42);
    ctx.facts.scope_identity = Value::BigInt(41);
    check(
        &ctx,
        &[
            ("@@ROWCOUNT", "int", "2147483647"),
            ("ROWCOUNT_BIG()", "bigint", "5000000000"),
            ("@@ERROR", "int", "2627"),
            ("@@TRANCOUNT", "int", "2"),
            ("XACT_STATE()", "smallint", "1"),
            ("@@NESTLEVEL", "int", "3"),
            ("@@SPID", "smallint", "57"),
            ("@@IDENTITY", "numeric(38,0)", "42"),
            ("SCOPE_IDENTITY()", "numeric(38,0)", "41"),
        ],
    );
    ctx.facts.doomed = true;
    ctx.facts.scope_identity = Value::Null;
    check(&ctx, &[("XACT_STATE()", "smallint", "-1"), ("SCOPE_IDENTITY()", "numeric(38,0)", "NULL")]);
    ctx.facts.doomed = false;
    ctx.facts.tran_count = 0;
    check(&ctx, &[("XACT_STATE()", "smallint", "0")]);
}

#[test]
fn settings() {
    let mut ctx = context();
    let settings = Arc::make_mut(&mut ctx.facts.settings);
    *settings = millpond_catalog::run::facts::Settings::default();
    settings.lock_timeout = 1800;
    settings.textsize = 64512;
    check(
        &ctx,
        &[
            ("@@OPTIONS", "int", "5496"),
            ("@@DATEFIRST", "tinyint", "7"),
            ("@@LANGUAGE", "nvarchar(128)", "us_english"),
            ("@@LANGID", "smallint", "0"),
            ("@@LOCK_TIMEOUT", "int", "1800"),
            ("@@TEXTSIZE", "int", "64512"),
            ("@@MAX_PRECISION", "tinyint", "38"),
            ("SESSIONPROPERTY('ANSI_NULLS')", "sql_variant", "1"),
            ("SESSIONPROPERTY('numeric_roundabort')", "sql_variant", "0"),
            ("SESSIONPROPERTY('nonsense')", "sql_variant", "NULL"),
        ],
    );
    Arc::make_mut(&mut ctx.facts.settings).nocount = true;
    check(&ctx, &[("@@OPTIONS", "int", "6008")]);
}

#[test]
fn the_caught_error() {
    let mut ctx = context();
    check(&ctx, &[("ERROR_NUMBER()", "int", "NULL"), ("ERROR_MESSAGE()", "nvarchar(4000)", "NULL")]);
    ctx.facts.caught = Some(Arc::new(Message {
        number: 8134,
        severity: 16,
        state: 1,
        line: 7,
        procedure: String::new(),
        text: "Divide by zero error encountered.".to_owned(),
    }));
    check(
        &ctx,
        &[
            ("ERROR_NUMBER()", "int", "8134"),
            ("ERROR_SEVERITY()", "int", "16"),
            ("ERROR_STATE()", "int", "1"),
            ("ERROR_LINE()", "int", "7"),
            ("ERROR_PROCEDURE()", "nvarchar(128)", "NULL"),
            ("ERROR_MESSAGE()", "nvarchar(4000)", "Divide by zero error encountered."),
        ],
    );
}

#[test]
fn logins_and_users() {
    let mut ctx = context();
    let login = Arc::make_mut(&mut ctx.facts.login);
    login.login = "sa".to_owned();
    login.host = "desk".to_owned();
    login.program = "sqlcmd".to_owned();
    login.host_process_id = 1234;
    check(
        &ctx,
        &[
            ("SUSER_SNAME()", "nvarchar(128)", "sa"),
            ("SUSER_SNAME(0x'01')", "nvarchar(128)", "sa"),
            ("SUSER_SNAME(0x'0203')", "nvarchar(128)", "NULL"),
            ("SYSTEM_USER", "nvarchar(128)", "sa"),
            ("ORIGINAL_LOGIN()", "nvarchar(128)", "sa"),
            ("CURRENT_USER", "nvarchar(128)", "dbo"),
            ("USER_NAME()", "nvarchar(128)", "dbo"),
            ("USER_NAME(2)", "nvarchar(128)", "guest"),
            ("USER_NAME(77)", "nvarchar(128)", "NULL"),
            ("USER_ID('dbo')", "int", "1"),
            ("DATABASE_PRINCIPAL_ID('db_owner')", "int", "16384"),
            ("HOST_NAME()", "nvarchar(128)", "desk"),
            ("HOST_ID()", "char(10)", "1234      "),
            ("APP_NAME()", "nvarchar(128)", "sqlcmd"),
            ("IS_SRVROLEMEMBER('sysadmin')", "int", "1"),
            ("IS_SRVROLEMEMBER('nonsense')", "int", "NULL"),
            ("IS_SRVROLEMEMBER('sysadmin', 'nobody')", "int", "NULL"),
            ("IS_MEMBER('db_owner')", "int", "1"),
            ("IS_MEMBER('db_datareader')", "int", "0"),
            ("IS_MEMBER('nonsense')", "int", "NULL"),
            ("HAS_DBACCESS('tempdb')", "int", "1"),
            ("HAS_DBACCESS('nonsense')", "int", "NULL"),
            ("HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE')", "int", "1"),
            ("CONTEXT_INFO()", "varbinary(128)", "NULL"),
        ],
    );
}

#[test]
fn connections() {
    let mut ctx = context();
    let login = Arc::make_mut(&mut ctx.facts.login);
    login.client_address = String::new();
    check(&ctx, &[("CONNECTIONPROPERTY('net_transport')", "sql_variant", "Shared memory")]);
    Arc::make_mut(&mut ctx.facts.login).client_address = "127.0.0.1".to_owned();
    check(
        &ctx,
        &[
            ("CONNECTIONPROPERTY('net_transport')", "sql_variant", "TCP"),
            ("CONNECTIONPROPERTY('client_net_address')", "sql_variant", "127.0.0.1"),
            ("CONNECTIONPROPERTY('nonsense')", "sql_variant", "NULL"),
        ],
    );
}

#[test]
fn usage_grows() {
    let ctx = context();
    assert_eq!(run(&ctx, "@@TIMETICKS").expect("a value").1, "31250");
    for call in ["@@CPU_BUSY", "@@IO_BUSY", "@@IDLE", "@@TOTAL_READ", "@@TOTAL_WRITE", "@@CONNECTIONS"] {
        let (ty, value) = run(&ctx, call).expect("a value");
        assert_eq!(ty, "int", "{call}");
        assert!(value.parse::<i32>().expect("a number") >= 0, "{call} is {value}");
    }
}
