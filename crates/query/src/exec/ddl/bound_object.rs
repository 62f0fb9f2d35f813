//! CREATE and DROP of DEFAULT and RULE; what they are bound to is the business of `sp_bindefault` and its kin.

use std::sync::Arc;

use millpond_bind::{Binder, Variables};
use millpond_catalog::{ModuleDef, ModuleKind, ObjectId};
use millpond_engine::bound_objects;
use millpond_engine::settled;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{BoundBody, CreateBound, ObjectName};
use millpond_types::SqlType;

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects;
use crate::exec::ddl::objects::of_current_database;
use millpond_names::session_names::SessionNames;
use millpond_rights::new_object::NewObject;

/// `CREATE DEFAULT name AS value`, `CREATE RULE name AS condition`
///
/// # Errors
/// 160 and 161 for the variables of a rule, 128 and others for what it names; those of a new object.
pub(in crate::exec) fn create_bound(run: &mut BatchRun<'_>, create: &CreateBound) -> SqlResult<()> {
    let last = create.name.last().clone();
    let (kind, new, word) = match &create.body {
        BoundBody::Default(_) => (ModuleKind::Default, NewObject::Default, "default"),
        BoundBody::Rule { .. } => (ModuleKind::Rule, NewObject::Rule, "rule"),
    };
    of_current_database(&create.name, "CREATE", word)?;
    check_body(run, &create.body)?;
    let text: Arc<str> = Arc::clone(&run.parsed.text);
    objects::defining(run, &last, |run| {
        let home = objects::home_of(run, &create.name, new)?;
        let (created_us, modified_us) = objects::times_now(run);
        let settings = &run.ctx.facts.settings;
        let (quoted_identifier, ansi_nulls) = (settings.quoted_identifier, settings.ansi_nulls);
        let def = ModuleDef {
            id: home.dictionary.catalog().next_object_id(),
            schema: home.schema,
            name: last.clone(),
            kind,
            text,
            columns: Arc::default(),
            parent: ObjectId(0),
            order: Arc::default(),
            quoted_identifier,
            ansi_nulls,
            is_disabled: false,
            is_system: false,
            runs_as: None,
            created_us,
            modified_us,
        };
        objects::store_module(run, &home.dictionary, &Arc::new(def))
    })
}

/// Whether it can be bound to anything: it names no columns, and a rule one variable.
fn check_body(run: &BatchRun<'_>, body: &BoundBody) -> SqlResult<()> {
    let names = SessionNames::of(&run.ctx);
    match body {
        BoundBody::Default(value) => {
            let variables = Variables::default();
            Binder::new(&names, &variables).expression(value).map(drop)
        }
        BoundBody::Rule { variables: named, condition } => {
            let name = match &named[..] {
                [] => return Err(SqlError::of(160, 1, &[])),
                [name] => name,
                _ => return Err(SqlError::of(161, 1, &[])),
            };
            // Of what type it is the column says; a text converts to and from all that a rule may be bound to.
            let mut variables = Variables::default();
            variables.declare(name, SqlType::varchar(8000));
            match Binder::new(&names, &variables).condition(condition) {
                Err(error) if matches!(error.number, 128 | 207 | 208 | 195 | 4104 | 4105 | 4121) => Err(error),
                _ => Ok(()),
            }
        }
    }
}

/// 3716 for a default or rule that is bound, 3717 for a DEFAULT constraint by its name.
///
/// # Errors
/// 1222, 1205
pub(in crate::exec) fn check_dropped(run: &mut BatchRun<'_>, name: &ObjectName, is_rule: bool) -> SqlResult<()> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let last = name.last();
    let Some(object) = settled::find_object(&run.ctx, name)? else {
        let objects = dictionary.catalog().objects();
        let schema = objects.schema(settled::part(name, 1).unwrap_or("dbo"));
        let table = schema.and_then(|schema| objects.constraint(schema.id, last)).and_then(|id| objects.table(id));
        let is_default = |def: &millpond_catalog::TableDef| {
            let mut defaults = def.columns.iter().filter_map(|column| column.default.as_ref());
            defaults.any(|default| millpond_catalog::names_equal(&default.name, last))
        };
        return match table {
            Some((def, _)) if !is_rule && is_default(def) => Err(SqlError::of(3717, 1, &[])),
            _ => Ok(()),
        };
    };
    match bound_objects::is_bound(&dictionary.catalog().objects(), object.id()) {
        true if is_rule => Err(SqlError::of(3716, 1, &[&"rule", &name.shown(), &"column"])),
        true => Err(SqlError::of(3716, 3, &[&"default", &name.shown(), &"column"])),
        false => Ok(()),
    }
}
