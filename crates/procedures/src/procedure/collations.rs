//! `sp_tablecollations_100`: the collations of a table's columns, which clients ask for before they load rows in bulk.

use millpond_catalog::ColumnDef;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

use super::named::{INT, SYSNAME, maybe, nvarchar, text_arg};

/// `sp_tablecollations_100 object`
pub static SP_TABLECOLLATIONS_100: ProcedureDef =
    ProcedureDef { name: "sp_tablecollations_100", params: &[("@object", nvarchar(4000))], run: collations };

/// What no table bears has no columns.
fn collations(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let name = text_arg(call, &SP_TABLECOLLATIONS_100, 0).unwrap_or_default();
    let id = super::named::object(call, &name).ok();
    let columns = id.and_then(|id| call.ctx().columns_of(id)).unwrap_or_default();
    let rows = columns.iter().map(row).collect();
    let shown =
        [("colid", INT), ("name", SYSNAME), ("tds_collation", SqlType::Binary { len: 5 }), ("collation", SYSNAME)];
    call.result(&shown, rows)?;
    Ok(0)
}

fn row(column: &ColumnDef) -> Vec<Value> {
    let collation = column.ty.sql.is_string().then_some(column.ty.collation);
    let on_wire = collation.map(|collation| {
        let [a, b, c, d] = collation.info().to_le_bytes();
        Value::Binary([a, b, c, d, collation.sort_id()][..].into())
    });
    vec![
        Value::Int(column.id),
        Value::str(&column.name),
        on_wire.unwrap_or(Value::Null),
        maybe(collation.map(|collation| collation.name())),
    ]
}
