//! `sp_depends`: what an object refers to, and what refers to it, in the current database.

use std::sync::Arc;

use millpond_catalog::{CatalogObject, ObjectId, Within};
use millpond_engine::inventory;
use millpond_engine::metadata::may_see_definition;
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message::error::SqlResult;
use millpond_message::sink::Message;
use millpond_names::dependencies::{dependencies, referring};
use millpond_types::Value;

use super::help::kind_words;
use super::named::{nvarchar, object, text_arg, varchar};

/// `sp_depends 'object'`: whole objects, each once; columns are not looked into.
pub static SP_DEPENDS: ProcedureDef = ProcedureDef { name: "sp_depends", params: &[("@objname", nvarchar(776))], run };

fn run(call: &mut SystemCall<'_>) -> SqlResult<i32> {
    let name =
        text_arg(call, &SP_DEPENDS, 0).ok_or_else(|| millpond_message::missing_argument("sp_depends", "@objname"))?;
    let id = ObjectId(object(call, &name)?);
    let (ctx, database) = (call.ctx(), call.ctx().facts.database);
    let within = Within::from(database);
    let objects = inventory::definitions(ctx, within)?;
    let modules: Vec<_> = inventory::among(ctx, within, &objects)
        .into_iter()
        .filter_map(|object| match object {
            CatalogObject::Module(def) if may_see_definition(ctx, database, def) => Some((database, Arc::clone(def))),
            _ => None,
        })
        .collect();
    let shown = |object: &CatalogObject| {
        let kind = kind_words(object.code());
        vec![Value::str(&format!("{}.{}", object.schema().name, object.name())), Value::str(kind)]
    };
    let mut uses = Vec::new();
    if let Some(module) = modules.iter().find(|(_, def)| def.id == id) {
        for one in dependencies(ctx, module)? {
            let Some(object) = one.id.and_then(|id| objects.get(id)) else { continue };
            let word = |is: bool| Value::str(if is { "yes" } else { "no" });
            let mut row = shown(object);
            row.extend([word(one.is_changed), word(one.is_read), Value::Null]);
            uses.push(row);
        }
    }
    let users = referring(ctx, modules, id)?;
    let users: Vec<Vec<Value>> = users.iter().filter_map(|(def, _)| objects.get(def.id)).map(shown).collect();
    if uses.is_empty() && users.is_empty() {
        call.sink.message(&Message::of(15_461, &[]));
        return Ok(0);
    }
    let (names, kinds) = (("name", nvarchar(257)), ("type", nvarchar(16)));
    if !uses.is_empty() {
        call.sink.message(&Message::of(15_459, &[]));
        let columns = [names, kinds, ("updated", varchar(7)), ("selected", varchar(8)), ("column", nvarchar(128))];
        call.result(&columns, uses)?;
    }
    if !users.is_empty() {
        call.sink.message(&Message::of(15_460, &[]));
        call.result(&[names, kinds], users)?;
    }
    Ok(0)
}
