//! Types and collations as a text names them.

use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::DataType;
use millpond_types::collation::Collation;
use millpond_types::{MaxLen, SqlType};

/// The type of a declaration.
///
/// # Errors
/// 2715 for a name that is no type.
pub fn declared_type(data_type: &DataType) -> SqlResult<SqlType> {
    match data_type {
        DataType::Scalar { sql_type, .. } => Ok(*sql_type),
        DataType::SysName => Ok(SqlType::NVarChar { len: MaxLen::Limited(128) }),
        DataType::Cursor => Err(message::missing("A cursor variable")),
        DataType::Named(name) => {
            let name = name.shown();
            Err(match name.to_ascii_lowercase().as_str() {
                "datetimeoffset" | "sql_variant" | "xml" | "text" | "ntext" | "image" | "hierarchyid" | "geometry"
                | "geography" | "json" | "vector" => message::missing(&format!("Data type {name}")),
                _ => SqlError::of(2715, 3, &[&1, &name]),
            })
        }
    }
}

/// The type of CAST and CONVERT, where a missing length is 30; `text`, `ntext` and `image` have none to miss.
///
/// # Errors
/// 243 for a name that is no type of the system.
pub(crate) fn cast_type(data_type: &DataType) -> SqlResult<SqlType> {
    let sql = declared_type(data_type).map_err(|error| match (error.number, data_type) {
        (2715, DataType::Named(name)) => SqlError::of(243, 1, &[&name.shown()]),
        _ => error,
    })?;
    let DataType::Scalar { explicit_length: false, .. } = data_type else {
        return Ok(sql);
    };
    Ok(match sql {
        SqlType::Char { .. } => SqlType::char(30),
        SqlType::VarChar { len: MaxLen::Limited(_), .. } => SqlType::varchar(30),
        SqlType::NChar { .. } => SqlType::NChar { len: 30 },
        SqlType::NVarChar { len: MaxLen::Limited(_) } => SqlType::NVarChar { len: MaxLen::Limited(30) },
        SqlType::Binary { .. } => SqlType::Binary { len: 30 },
        SqlType::VarBinary { len: MaxLen::Limited(_) } => SqlType::VarBinary { len: MaxLen::Limited(30) },
        other => other,
    })
}

/// A collation by name; `own` is that of the current database.
///
/// # Errors
/// 448 for a name that is none.
pub fn collation(name: &str, own: Collation) -> SqlResult<Collation> {
    if name.eq_ignore_ascii_case("database_default") || name.eq_ignore_ascii_case("catalog_default") {
        return Ok(own);
    }
    Collation::by_name(name).ok_or_else(|| message::invalid_collation(name))
}
