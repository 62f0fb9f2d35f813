//! DBCC UPDATEUSAGE, CLEANTABLE and DBREINDEX: what tables need now and then. Counts of pages and rows are always exact here, and a
//! column that is dropped leaves nothing in its rows: the first two find nothing to mend. The last is ALTER INDEX … REBUILD.

use millpond_builtin::bracketed;
use millpond_engine::arguments::{database_argument, index_of, named_table, no_index, table_in};
use millpond_engine::system_call::{DbccDef, DbccTakes, SystemCall};
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

/// `DBCC UPDATEUSAGE (database [, table [, index]])`
pub static UPDATEUSAGE: DbccDef = DbccDef {
    name: "UPDATEUSAGE",
    syntax: "( { 'database_name' | database_id | 0 }
    [ , { 'table_name' | table_id | 'view_name' | view_id } [ , { 'index_name' | index_id } ] ] )
    [ WITH [ NO_INFOMSGS ] [ , ] [ COUNT_ROWS ] ]",
    takes: DbccTakes { args: 1..=3, options: &["COUNT_ROWS", "NO_INFOMSGS"] },
    run: |call| {
        let database = database(call)?;
        if call.positional(1).is_some() {
            let def = table_in(call.ctx(), database, call.positional(1))?.1;
            if let Some(wanted) = call.positional(2) {
                index_of(&def, wanted)?;
            }
        }
        Ok(())
    },
};

/// `DBCC CLEANTABLE (database, table [, batch])`
pub static CLEANTABLE: DbccDef = DbccDef {
    name: "CLEANTABLE",
    syntax: "( { 'database_name' | database_id | 0 } , { 'table_name' | table_id | 'view_name' | view_id }
    [ , batch_size ] )
    [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 2..=3, options: &["NO_INFOMSGS"] },
    run: |call| {
        let database = database(call)?;
        table_in(call.ctx(), database, call.positional(1)).map(drop)
    },
};

/// `DBCC DBREINDEX (table [, index [, fillfactor]])`
pub static DBREINDEX: DbccDef = DbccDef {
    name: "DBREINDEX",
    syntax: "( 'table_name' [ , 'index_name' [ , fillfactor ] ] ) [ WITH NO_INFOMSGS ]",
    takes: DbccTakes { args: 1..=3, options: &["NO_INFOMSGS"] },
    run: |call| {
        let (_, def, _) = named_table(call.ctx(), call.positional(0))?;
        let index = match call.positional(1).and_then(Value::as_str).filter(|name| !name.is_empty()) {
            Some(name) if def.index(name).is_none() => return Err(no_index(&Value::str(name), &def)),
            Some(name) => bracketed(name),
            None => "all".to_owned(),
        };
        let fill = call.positional(2).and_then(Value::as_i64).filter(|percent| *percent != 0);
        let fill = fill.map_or_else(String::new, |percent| format!(" with (fillfactor = {percent})"));
        let [database, schema, table] = [&*def.database_name, &def.schema.name, &def.name].map(bracketed);
        call.then(format!("alter index {index} on {database}.{schema}.{table} rebuild{fill}"));
        Ok(())
    },
};

/// The database of the first argument, which has to be there and open.
///
/// # Errors
/// 2520, 2521; that of a database that is not open.
fn database(call: &SystemCall<'_>) -> SqlResult<DbId> {
    let database = database_argument(call.ctx(), call.positional(0))?;
    call.ctx().engine.databases().dictionary(database).map(|_| database)
}
