//! Messages of users: `sp_addmessage`, `sp_altermessage`, `sp_dropmessage`. They are the server's, and change at once: no
//! rollback of the caller takes that back.

use std::collections::BTreeMap;

use millpond_catalog::dictionary::change_user_messages;
use millpond_catalog::security::PrincipalId;
use millpond_catalog::user_message::{ENGLISH, UserMessage, UserMessages};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_types::Value;
use millpond_types::temporal::Language;

use millpond_views::security::SeenOnServer;

use super::named::{INT, SMALLINT, SYSNAME, nvarchar, text_arg, varchar};

/// Numbers of users are beyond it.
const NUMBER_BELOW: i32 = 50_000;
const SEVERITIES: std::ops::RangeInclusive<i64> = 1..=25;

/// `sp_addmessage number, severity, text [, language [, with_log [, replace]]]`
pub static SP_ADDMESSAGE: ProcedureDef = ProcedureDef {
    name: "sp_addmessage",
    params: &[
        ("@msgnum", INT),
        ("@severity", SMALLINT),
        ("@msgtext", nvarchar(255)),
        ("@lang", SYSNAME),
        ("@with_log", varchar(5)),
        ("@replace", varchar(7)),
    ],
    run: add,
};

/// `sp_altermessage number, 'WITH_LOG', 'true' | 'false'`
pub static SP_ALTERMESSAGE: ProcedureDef = ProcedureDef {
    name: "sp_altermessage",
    params: &[("@message_id", INT), ("@parameter", SYSNAME), ("@parameter_value", varchar(5))],
    run: alter,
};

/// `sp_dropmessage number [, language | 'ALL']`
pub static SP_DROPMESSAGE: ProcedureDef =
    ProcedureDef { name: "sp_dropmessage", params: &[("@msgnum", INT), ("@lang", SYSNAME)], run: remove };

/// 15247
fn check_admin(call: &SystemCall<'_>) -> SqlResult<()> {
    let seen = SeenOnServer::of(call.ctx())?;
    let is_one = seen.token.as_ref().is_some_and(|token| token.is_sysadmin() || token.is(PrincipalId::SERVER_ADMIN));
    if is_one { Ok(()) } else { Err(SqlError::of(15_247, 1, &[])) }
}

fn number(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> Option<i64> {
    call.arg(def, index).and_then(Value::as_i64)
}

/// The language of a name, or that of the session. Its number as `sys.messages` has it, and its name.
///
/// # Errors
/// 15033
fn language(call: &SystemCall<'_>, name: Option<&str>) -> SqlResult<(i16, String)> {
    let language = match name {
        None => call.run.facts().settings.language,
        Some(name) => Language::named(name.trim_end_matches(' ')).ok_or_else(|| SqlError::of(15_033, 1, &[&name]))?,
    };
    let facts = language.facts();
    Ok((facts.message_lcid, name.unwrap_or(facts.name).to_owned()))
}

/// `true` or `false`.
fn truth(text: &str) -> Option<bool> {
    match text.trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn change(call: &SystemCall<'_>, work: impl FnOnce(&mut UserMessages) -> SqlResult<()>) -> SqlResult<i32> {
    let databases = call.ctx().engine.databases();
    let dictionary = databases.dictionary(DbId::MASTER)?;
    databases.on_own_account(|io| change_user_messages(&dictionary, io, work))?;
    Ok(0)
}

/// The messages of a number, by language.
fn of_number(messages: &UserMessages, number: i32) -> BTreeMap<i16, &UserMessage> {
    let range = (number, i16::MIN)..=(number, i16::MAX);
    messages.range(range).map(|((_, language), message)| (*language, message)).collect()
}

fn add(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_ADDMESSAGE;
    check_admin(call)?;
    let given = (number(call, def, 0), number(call, def, 1), text_arg(call, def, 2));
    let (Some(id), Some(severity), Some(text)) = given else { return Err(SqlError::of(15_071, 1, &[])) };
    let id = i32::try_from(id).ok().filter(|id| *id > NUMBER_BELOW);
    let id = id.ok_or_else(|| SqlError::of(15_040, 1, &[]))?;
    if !SEVERITIES.contains(&severity) {
        return Err(SqlError::of(15_041, 1, &[]));
    }
    let severity = u8::try_from(severity).unwrap_or(u8::MAX);
    let (lcid, name) = language(call, text_arg(call, def, 3).as_deref())?;
    let is_logged = match text_arg(call, def, 4) {
        None => false,
        Some(text) => truth(&text).ok_or_else(|| SqlError::of(15_271, 1, &[]))?,
    };
    let replaces = match text_arg(call, def, 5) {
        None => false,
        Some(word) if word.trim_end_matches(' ').eq_ignore_ascii_case("replace") => true,
        Some(_) => return Err(SqlError::of(15_043, 1, &[])),
    };
    if is_logged && lcid != ENGLISH {
        call.inform(15_042, &[]);
    }
    change(call, |messages| {
        let known = of_number(messages, id);
        let english = known.get(&ENGLISH).map(|english| (english.severity, english.is_logged));
        let is_known = known.contains_key(&lcid);
        let is_logged = match (lcid == ENGLISH, english) {
            (true, _) => is_logged,
            (false, None) => return Err(SqlError::of(15_279, 1, &[&name])),
            (false, Some((of_english, _))) if of_english != severity => {
                return Err(SqlError::of(15_304, 1, &[&name, &of_english]));
            }
            (false, Some((_, is_logged))) => is_logged,
        };
        if is_known && !replaces {
            return Err(SqlError::of(15_043, 1, &[]));
        }
        messages.insert((id, lcid), UserMessage { severity, is_logged, text });
        if lcid == ENGLISH {
            for (_, other) in messages.range_mut((id, i16::MIN)..=(id, i16::MAX)) {
                (other.severity, other.is_logged) = (severity, is_logged);
            }
        }
        Ok(())
    })
}

fn alter(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_ALTERMESSAGE;
    check_admin(call)?;
    let (id, parameter, value) = (number(call, def, 0), text_arg(call, def, 1), text_arg(call, def, 2));
    if parameter.is_some_and(|word| !word.trim_end_matches(' ').eq_ignore_ascii_case("with_log")) {
        return Err(SqlError::of(15_176, 1, &[]));
    }
    let is_logged = value.as_deref().and_then(truth).ok_or_else(|| SqlError::of(15_277, 1, &[]))?;
    let id = id.and_then(|id| i32::try_from(id).ok()).unwrap_or_default();
    if id < NUMBER_BELOW && millpond_message::table::row(id).is_some() {
        return Err(millpond_message::missing("sp_altermessage of a message of the system"));
    }
    change(call, |messages| {
        let mut known = messages.range_mut((id, i16::MIN)..=(id, i16::MAX)).peekable();
        if known.peek().is_none() {
            return Err(SqlError::of(15_179, 1, &[&id]));
        }
        known.for_each(|(_, message)| message.is_logged = is_logged);
        Ok(())
    })
}

fn remove(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let def = &SP_DROPMESSAGE;
    check_admin(call)?;
    let Some(id) = number(call, def, 0).and_then(|id| i32::try_from(id).ok()) else {
        return Err(SqlError::of(15_177, 1, &[]));
    };
    if id < NUMBER_BELOW {
        return Err(SqlError::of(15_178, 1, &[]));
    }
    let name = text_arg(call, def, 1);
    let all = name.as_ref().is_some_and(|name| name.trim_end_matches(' ').eq_ignore_ascii_case("all"));
    let lcid = if all { None } else { Some(language(call, name.as_deref())?.0) };
    change(call, |messages| {
        let known = of_number(messages, id);
        let is_known = lcid.map_or(!known.is_empty(), |lcid| known.contains_key(&lcid));
        if !is_known {
            return Err(SqlError::of(15_179, 1, &[&id]));
        }
        if lcid == Some(ENGLISH) && known.len() > 1 {
            return Err(SqlError::of(15_280, 1, &[]));
        }
        messages.retain(|(number, language), _| *number != id || lcid.is_some_and(|lcid| *language != lcid));
        Ok(())
    })
}
