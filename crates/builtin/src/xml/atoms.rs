//! Values of SQL as values of XQuery, and back.

use millpond_catalog::run::Run;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_types::decimal::Decimal;
use millpond_types::{SqlType, Value, cast};
use millpond_xml::chars::is_space;
use millpond_xml::xquery::atom::{IntegerKind, MomentKind};
use millpond_xml::xquery::{Atom, AtomKind, Given};

use crate::xml::reference::parsed;
use std::sync::Arc;

/// The style of dates as XML writes them.
const ISO_STYLE: i32 = 126;

/// The type that a value of SQL has in XQuery; none for those that it cannot have.
#[must_use]
pub fn kind_of(sql: &SqlType) -> Option<AtomKind> {
    Some(match sql {
        SqlType::Bit => AtomKind::Boolean,
        SqlType::TinyInt => AtomKind::Integer(IntegerKind::UnsignedByte),
        SqlType::SmallInt => AtomKind::Integer(IntegerKind::Short),
        SqlType::Int => AtomKind::Integer(IntegerKind::Int),
        SqlType::BigInt => AtomKind::Integer(IntegerKind::Long),
        SqlType::Decimal { .. } | SqlType::Money | SqlType::SmallMoney => AtomKind::Decimal,
        SqlType::Real => AtomKind::Float,
        SqlType::Float => AtomKind::Double,
        SqlType::Date => AtomKind::Moment(MomentKind::Date),
        SqlType::Time { .. } => AtomKind::Moment(MomentKind::Time),
        SqlType::SmallDateTime | SqlType::DateTime | SqlType::DateTime2 { .. } | SqlType::DateTimeOffset { .. } => {
            AtomKind::Moment(MomentKind::DateTime)
        }
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => AtomKind::Base64,
        SqlType::UniqueIdentifier => AtomKind::String,
        SqlType::Xml => AtomKind::Xml,
        SqlType::Variant | SqlType::RowVersion => return None,
        _ => AtomKind::String,
    })
}

/// A value of SQL for a query.
///
/// # Errors
/// What is wrong with an `xml` value; what cannot be written.
pub fn given(ctx: &dyn Run, value: &Value, sql: &SqlType) -> SqlResult<Given> {
    if value.is_null() {
        return Ok(Given::Null);
    }
    let Some(kind) = kind_of(sql) else { return Ok(Given::Null) };
    Ok(match (kind, value) {
        (AtomKind::Xml, Value::Str(text)) => Given::Xml(Arc::new(parsed(ctx, text)?.0)),
        (AtomKind::Base64, Value::Binary(bytes)) => Given::Atom(Atom::Binary(bytes.to_vec(), false)),
        (AtomKind::Double | AtomKind::Float, Value::Float(number)) => Given::Atom(Atom::Double(*number)),
        (AtomKind::Double | AtomKind::Float, Value::Real(number)) => Given::Atom(Atom::Double(f64::from(*number))),
        (AtomKind::Boolean, Value::Bit(bit)) => Given::Atom(Atom::Boolean(*bit)),
        (_, Value::Str(text)) => {
            let text = text.as_str();
            let is_fixed = matches!(sql, SqlType::Char { .. } | SqlType::NChar { .. });
            Given::Atom(Atom::String(if is_fixed { text.trim_end_matches(' ') } else { text }.to_owned()))
        }
        (kind, value) => {
            let style = matches!(kind, AtomKind::Moment(_)).then_some(ISO_STYLE);
            let target = SqlType::NVarChar { len: millpond_types::MaxLen::Limited(100) };
            let style = style.or(matches!(sql, SqlType::Money | SqlType::SmallMoney).then_some(2));
            let text = cast::cast(value, sql, &target, style, ctx.cast_rules()).map_err(message::of_eval)?;
            let text = Atom::Untyped(text.as_str().unwrap_or_default().to_owned());
            text.cast(kind).map_or(Given::Null, Given::Atom)
        }
    })
}

/// A value of XQuery as one of SQL's.
///
/// # Errors
/// Those of the conversion.
pub fn value_of(ctx: &dyn Run, atom: &Atom, to: &SqlType) -> SqlResult<Value> {
    let wide = SqlType::NVarChar { len: millpond_types::MaxLen::Max };
    let by =
        |value: &Value, from: &SqlType| cast::cast(value, from, to, None, ctx.cast_rules()).map_err(message::of_eval);
    if to.is_string() {
        return by(&Value::from(atom.text()), &wide);
    }
    match atom {
        Atom::Double(number) if *to != SqlType::Bit && number.is_finite() => {
            by(&Value::Float(*number), &SqlType::Float)
        }
        Atom::Integer(_) | Atom::Decimal(_) => match Decimal::parse(&atom.text()) {
            Ok(decimal) => {
                let shape = decimal.shape();
                let from = SqlType::decimal(shape.precision, shape.scale);
                by(&Value::Decimal(decimal), &from)
            }
            Err(_) => by(&Value::from(atom.text()), &wide),
        },
        Atom::Boolean(truth) => by(&Value::Bit(*truth), &SqlType::Bit),
        Atom::Binary(bytes, _) if to.is_binary() => {
            by(&Value::binary(bytes), &SqlType::VarBinary { len: millpond_types::MaxLen::Max })
        }
        other => by(&Value::str(other.text().trim_matches(is_space)), &wide),
    }
}
