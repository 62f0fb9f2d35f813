//! `sp_settriggerorder`: which AFTER trigger of a table, the database or the server fires first or last for an event.
//!
//! What always holds: of a table one trigger is the first for an event, and one the last; who alters a trigger takes its place
//! away.

use millpond_catalog::event_type::event_type;
use millpond_catalog::run::Run;
use millpond_catalog::{CatalogObject, FiringPlace, ModuleKind};
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::changes::Event;
use millpond_types::{MaxLen, SqlType};

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects;
use crate::exec::routine::trigger::ddl;
use crate::exec::routine::trigger::ddl::Scope;
use crate::exec::routine::trigger::definition;
use millpond_engine::settled;
use millpond_engine::system_args::{settled as settled_args, text_of};
use millpond_names::triggers::head_of;

/// Its name.
pub(in crate::exec) const SET_ORDER: &str = "sp_settriggerorder";

const PARAMS: [(&str, SqlType); 4] = [
    ("@triggername", SqlType::NVarChar { len: MaxLen::Limited(517) }),
    ("@order", SqlType::varchar(10)),
    ("@stmttype", SqlType::varchar(50)),
    ("@namespace", SqlType::varchar(10)),
];

/// Runs it.
///
/// # Errors
/// 201 for a missing argument, 15600 for words that mean nothing, 15165 for what is no trigger, 15133 for an INSTEAD OF
/// trigger, 15125 for one that is not for the event, 15130 where another has the place.
pub(in crate::exec) fn set_trigger_order(run: &mut BatchRun<'_>, args: &[CallArg]) -> SqlResult<i32> {
    let args = settled_args((SET_ORDER, &PARAMS), args.to_vec(), run.ctx.cast_rules())?;
    let text = |index: usize| text_of(&args, &PARAMS, index);
    let needed = |index: usize| text(index).ok_or_else(|| message::missing_argument(SET_ORDER, PARAMS[index].0));
    let (given, order, event) = (needed(0)?, needed(1)?, needed(2)?);
    let invalid = || SqlError::of(15_600, 1, &[&SET_ORDER]);
    let place = match order.trim().to_ascii_uppercase().as_str() {
        "FIRST" => Some(FiringPlace::First),
        "LAST" => Some(FiringPlace::Last),
        "NONE" => None,
        _ => return Err(invalid()),
    };
    let word = event.trim().to_ascii_uppercase();
    let scope = match text(3).map(|namespace| namespace.trim().to_ascii_uppercase()) {
        None => None,
        Some(namespace) if namespace == "DATABASE" => Some(Scope::Database),
        Some(namespace) if namespace == "SERVER" => Some(Scope::Server),
        Some(_) => return Err(invalid()),
    };
    if let Some(scope) = scope {
        let of = event_type(&word).filter(|of| !of.is_group()).ok_or_else(invalid)?;
        let (order, event) = ((order.trim(), place), (event.trim(), of));
        objects::defining(run, &given, |run| ddl::put_order(run, (&given, scope), order, event))?;
        run.ctx_mut().facts.error = 0;
        return Ok(0);
    }
    if Event::ALL.iter().all(|event| event.word() != word) {
        return Err(invalid());
    }
    objects::defining(run, &given, |run| put_order(run, &given, (order.trim(), place), (event.trim(), &word)))?;
    run.ctx_mut().facts.error = 0;
    Ok(0)
}

fn put_order(
    run: &mut BatchRun<'_>,
    given: &str,
    (order, place): (&str, Option<FiringPlace>),
    (event, word): (&str, &str),
) -> SqlResult<()> {
    let unknown = || SqlError::of(15_165, 1, &[&given]);
    let name = millpond_builtin::object_name(given).ok_or_else(unknown)?;
    let dictionary = settled::dictionary_of(&run.ctx, &name)?;
    let parent = match settled::find_object(&run.ctx, &name)? {
        Some(CatalogObject::Module(def)) if def.kind == ModuleKind::Trigger => def.parent,
        _ => return Err(unknown()),
    };
    // The table first: who is at the table is at its triggers, too.
    let watched = definition::watched_by_id(run, &dictionary, parent)?.ok_or_else(unknown)?;
    let def = match settled::find_object(&run.ctx, &name)? {
        Some(CatalogObject::Module(def)) if def.kind == ModuleKind::Trigger => def,
        _ => return Err(unknown()),
    };
    let read = run.ctx.engine.read_module(&def)?;
    let head = head_of(&read).ok_or_else(unknown)?;
    if head.instead_of {
        return Err(SqlError::of(15_133, 1, &[&def.name]));
    }
    if !head.events.iter().any(|known| known == word) {
        return Err(SqlError::of(15_125, 1, &[&def.name, &event.to_ascii_lowercase()]));
    }
    if place.is_some() {
        let objects = dictionary.catalog().objects();
        let mut others = objects.triggers_of(parent).filter(|other| other.id != def.id);
        if others.any(|other| other.place_in_order(word) == place) {
            return Err(SqlError::of(15_130, 1, &[&order, &event]));
        }
    }
    definition::put_place(run, &dictionary, &def, (word, place))?;
    watched.renew();
    Ok(())
}
