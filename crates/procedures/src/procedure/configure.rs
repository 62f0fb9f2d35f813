//! `sp_configure`: shows options, or configures one; RECONFIGURE installs it.

use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::settings::options::OptionReport;
use millpond_types::{MaxLen, SqlType, Value};

use super::named::{INT, varchar};

/// `sp_configure [name [, value]]`; any unique part of a name will do.
pub static SP_CONFIGURE: ProcedureDef =
    ProcedureDef { name: "sp_configure", params: &[("@configname", varchar(35)), ("@configvalue", INT)], run };

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let settings = call.ctx().engine.instance().settings();
    let name = match call.arg(&SP_CONFIGURE, 0) {
        None | Some(Value::Null) => None,
        Some(Value::Str(name)) => Some(name.to_string()),
        Some(_) => {
            return Err(SqlError::of(15123, 1, &[&""]));
        }
    };
    let value = call.arg(&SP_CONFIGURE, 1).and_then(Value::as_i64);
    let Some(name) = name else {
        let advanced = settings.is_on(millpond_storage::settings::options::OptionId::ShowAdvanced);
        let mut options = settings.options();
        options.retain(|option| advanced || !option.info.is_advanced);
        options.sort_by_key(|option| option.info.name);
        return show(call, &options);
    };
    let Some(value) = value else {
        let option = settings.find_option(&name).map_err(|error| message::of_option(&error))?;
        return show(call, &[option]);
    };
    let change = settings.set_option(&name, value).map_err(|error| message::of_option(&error))?;
    call.inform(15457, &[&change.info.name, &change.old, &change.new]);
    call.ctx().engine.log_error(SqlError::of(15457, 1, &[&change.info.name, &change.old, &change.new]));
    Ok(0)
}

fn show(call: &mut SystemCall<'_>, options: &[OptionReport]) -> SqlResult<i32> {
    let number = |value: i64| Value::Int(i32::try_from(value).unwrap_or(i32::MAX));
    let rows = options
        .iter()
        .map(|option| {
            vec![
                Value::str(option.info.name),
                number(option.info.minimum),
                number(option.info.maximum),
                number(option.configured),
                number(option.running),
            ]
        })
        .collect();
    let name = SqlType::NVarChar { len: MaxLen::Limited(35) };
    let int = SqlType::Int;
    call.result(
        &[("name", name), ("minimum", int), ("maximum", int), ("config_value", int), ("run_value", int)],
        rows,
    )?;
    Ok(0)
}
