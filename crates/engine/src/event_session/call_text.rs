//! A call of the wire as a text: `exec sp_executesql N'…', N'@a int', @a = 1`, as events show it.
//!
//! What always holds: a text in it is cut at `VALUE_CHARS_MAX` characters. It is for people, and runs only where no value was cut and no
//! parameter is a table.

use std::fmt::Write;

use millpond_types::{CastRules, MaxLen, SqlType, Value, cast};

use crate::arguments::RpcParam;

/// Characters of a value that are shown.
const VALUE_CHARS_MAX: usize = 64 << 10;

/// The call of a procedure.
#[must_use]
pub fn call_text(procedure: &str, params: &[RpcParam]) -> String {
    let mut out = format!("exec {procedure}");
    for (at, param) in params.iter().enumerate() {
        out.push_str(if at == 0 { " " } else { "," });
        if !param.name.is_empty() {
            let _ = write!(out, "{}=", param.name);
        }
        match (&param.value, &param.table) {
            (_, Some(_)) => out.push_str("<table>"),
            (None, None) => out.push_str("default"),
            (Some(value), None) => write_value(&mut out, value, &param.sql_type),
        }
        out.push_str(if param.output { " output" } else { "" });
    }
    out
}

fn write_value(out: &mut String, value: &Value, sql: &SqlType) {
    match value {
        Value::Null => return out.push_str("NULL"),
        Value::Bit(bit) => return out.push(if *bit { '1' } else { '0' }),
        _ => {}
    }
    if let Some(bytes) = value.as_bytes() {
        out.push_str("0x");
        bytes.iter().take(VALUE_CHARS_MAX / 2).for_each(|byte| {
            let _ = write!(out, "{byte:02X}");
        });
        return;
    }
    let text = SqlType::NVarChar { len: MaxLen::Max };
    let shown = match value.as_str() {
        Some(shown) => shown.to_owned(),
        None => match cast::cast(value, sql, &text, None, CastRules::default()) {
            Ok(shown) => shown.as_str().unwrap_or_default().to_owned(),
            Err(_) => return out.push('?'),
        },
    };
    let shown = &shown[..shown.floor_char_boundary(VALUE_CHARS_MAX)];
    match sql {
        sql if sql.is_numeric() => out.push_str(shown),
        SqlType::NVarChar { .. } | SqlType::NChar { .. } => {
            let _ = write!(out, "N'{}'", shown.replace('\'', "''"));
        }
        _ => {
            let _ = write!(out, "'{}'", shown.replace('\'', "''"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn param(name: &str, sql_type: SqlType, value: Option<Value>, output: bool) -> RpcParam {
        RpcParam { name: name.to_owned(), sql_type, value, output, table: None }
    }

    #[test]
    fn a_call_reads_as_it_would_be_written() {
        let text = SqlType::NVarChar { len: MaxLen::Max };
        let params = [
            param("", text, Some(Value::str("select @a, 'it''s'")), false),
            param("@a", SqlType::Int, Some(Value::Int(-5)), false),
            param("@b", SqlType::VarBinary { len: MaxLen::Max }, Some(Value::binary(&[1, 255])), true),
            param("@c", SqlType::Int, None, false),
            param("@d", SqlType::Int, Some(Value::Null), false),
        ];
        let shown = call_text("sp_executesql", &params);
        assert_eq!(shown, "exec sp_executesql N'select @a, ''it''''s''',@a=-5,@b=0x01FF output,@c=default,@d=NULL");
    }
}
