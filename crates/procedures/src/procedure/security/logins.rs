//! `sp_addlogin`, `sp_droplogin`, `sp_defaultdb`, `sp_defaultlanguage`, `sp_password`; `sp_grantlogin`, `sp_denylogin`, `sp_revokelogin`,
//! which are of accounts of Windows: there are none here.

use millpond_builtin::{bracketed, unicode_literal};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::format::hex;
use millpond_types::{MaxLen, SqlType, Value};

use super::{check_name, check_no_transaction, given, name, optional_name};
use crate::procedure::named::{SYSNAME, text_arg, varchar};

/// `sp_addlogin login [, password] [, database] [, language] [, sid] [, encryption_option]`
pub static SP_ADDLOGIN: ProcedureDef = ProcedureDef {
    name: "sp_addlogin",
    params: &[
        ("@loginame", SYSNAME),
        ("@passwd", SYSNAME),
        ("@defdb", SYSNAME),
        ("@deflanguage", SYSNAME),
        ("@sid", SqlType::VarBinary { len: MaxLen::Limited(16) }),
        ("@encryptopt", varchar(20)),
    ],
    run: add_login,
};

/// `sp_droplogin login`
pub static SP_DROPLOGIN: ProcedureDef = ProcedureDef {
    name: "sp_droplogin",
    params: &[("@loginame", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_DROPLOGIN)?;
        let login = name(call, &SP_DROPLOGIN, 0)?;
        call.then(format!("DROP LOGIN {}", bracketed(&login)));
        Ok(0)
    },
};

/// `sp_defaultdb login, database`
pub static SP_DEFAULTDB: ProcedureDef = ProcedureDef {
    name: "sp_defaultdb",
    params: &[("@loginame", SYSNAME), ("@defdb", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_DEFAULTDB)?;
        let (login, database) = (name(call, &SP_DEFAULTDB, 0)?, name(call, &SP_DEFAULTDB, 1)?);
        call.then(format!("ALTER LOGIN {} WITH DEFAULT_DATABASE = {}", bracketed(&login), bracketed(&database)));
        Ok(0)
    },
};

/// `sp_defaultlanguage login [, language]`
pub static SP_DEFAULTLANGUAGE: ProcedureDef = ProcedureDef {
    name: "sp_defaultlanguage",
    params: &[("@loginame", SYSNAME), ("@language", SYSNAME)],
    run: |call| {
        check_no_transaction(call, &SP_DEFAULTLANGUAGE)?;
        let login = name(call, &SP_DEFAULTLANGUAGE, 0)?;
        // The server's language is the only one that it has.
        let language = optional_name(call, &SP_DEFAULTLANGUAGE, 1).unwrap_or_else(|| "us_english".to_owned());
        call.then(format!("ALTER LOGIN {} WITH DEFAULT_LANGUAGE = {}", bracketed(&login), bracketed(&language)));
        Ok(0)
    },
};

/// `sp_password [old,] new [, login]`
pub static SP_PASSWORD: ProcedureDef = ProcedureDef {
    name: "sp_password",
    params: &[("@old", SYSNAME), ("@new", SYSNAME), ("@loginame", SYSNAME)],
    run: password,
};

/// `sp_grantlogin login`
pub static SP_GRANTLOGIN: ProcedureDef = ProcedureDef {
    name: "sp_grantlogin",
    params: &[("@loginame", SYSNAME)],
    run: |call| of_windows(call, &SP_GRANTLOGIN),
};

/// `sp_denylogin login`
pub static SP_DENYLOGIN: ProcedureDef = ProcedureDef {
    name: "sp_denylogin",
    params: &[("@loginame", SYSNAME)],
    run: |call| of_windows(call, &SP_DENYLOGIN),
};

/// `sp_revokelogin login`
pub static SP_REVOKELOGIN: ProcedureDef = ProcedureDef {
    name: "sp_revokelogin",
    params: &[("@loginame", SYSNAME)],
    run: |call| of_windows(call, &SP_REVOKELOGIN),
};

/// No policy holds for such a password, as in SQL Server.
fn add_login(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_ADDLOGIN;
    check_no_transaction(call, def)?;
    let login = name(call, def, 0)?;
    check_name(&login)?;
    let password = text_arg(call, def, 1).unwrap_or_default();
    let password = match optional_name(call, def, 5).map(|option| option.to_ascii_lowercase()).as_deref() {
        None => unicode_literal(&password),
        Some("skip_encryption" | "skip_encryption_old") => {
            let bytes: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
            format!("{} HASHED", hex(&bytes))
        }
        Some(_) => return Err(SqlError::of(15_600, 1, &[&"sys.sp_addlogin"])),
    };
    let database = optional_name(call, def, 2).unwrap_or_else(|| "master".to_owned());
    let mut text = format!(
        "CREATE LOGIN {} WITH PASSWORD = {password}, DEFAULT_DATABASE = {}",
        bracketed(&login),
        bracketed(&database)
    );
    if let Some(language) = optional_name(call, def, 3) {
        text += &format!(", DEFAULT_LANGUAGE = {}", bracketed(&language));
    }
    if let Some(Value::Binary(sid)) = call.arg(def, 4) {
        text += &format!(", SID = {}", hex(sid));
    }
    call.then(text + ", CHECK_EXPIRATION = OFF, CHECK_POLICY = OFF");
    Ok(0)
}

fn password(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_PASSWORD;
    check_no_transaction(call, def)?;
    let new = given(call, def, 1)?.unwrap_or_default();
    let own = || call.ctx().facts.security.login_name.to_string();
    let login = optional_name(call, def, 2).unwrap_or_else(own);
    let mut text = format!("ALTER LOGIN {} WITH PASSWORD = {}", bracketed(&login), unicode_literal(&new));
    if let Some(old) = text_arg(call, def, 0) {
        text += &format!(" OLD_PASSWORD = {}", unicode_literal(&old));
    }
    call.then(text);
    Ok(0)
}

/// 15407 for what is no name of an account of Windows, 15401 for an account: there is none.
fn of_windows(call: &mut SystemCall<'_>, def: &'static ProcedureDef) -> SqlResult<i32> {
    check_no_transaction(call, def)?;
    let account = name(call, def, 0)?;
    Err(match account.contains('\\') {
        true => SqlError::of(15_401, 1, &[&account]),
        false => SqlError::of(15_407, 1, &[&account]),
    })
}
