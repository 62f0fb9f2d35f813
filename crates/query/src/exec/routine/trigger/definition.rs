//! Triggers of tables and views as definitions: what may be made, switched, dropped. When they fire is `exec::routine::trigger`.
//!
//! What always holds: a table or view whose triggers change gets another definition in memory, so that code which was bound
//! without the change is bound anew.

use std::sync::Arc;

use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::{
    CatalogObject, FiringPlace, ModuleDef, ModuleKind, ObjectId, ReferentialAction, Schema, SchemaId, TableDef,
    names_equal,
};
use millpond_engine::context::RunContext;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_rows::changes::Event;
use millpond_tsql::ast::{self, ObjectName, TriggerHead, TriggerSwitch, TriggerTarget};

use crate::exec::batch::BatchRun;
use crate::exec::ddl::objects;
use crate::exec::ddl::objects::Open;
use millpond_engine::settled;
use millpond_engine::settled::part;
use millpond_names::triggers::{head_of, triggers_on};

/// What a trigger is on, kept from others.
pub(in crate::exec) enum Watched {
    Table(Open),
    View(Arc<Dictionary>, Arc<ModuleDef>),
}

impl Watched {
    pub fn id(&self) -> ObjectId {
        match self {
            Watched::Table(open) => open.def.id,
            Watched::View(_, view) => view.id,
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Watched::Table(open) => &open.def.name,
            Watched::View(_, view) => &view.name,
        }
    }

    fn dictionary(&self) -> &Arc<Dictionary> {
        match self {
            Watched::Table(open) => &open.dictionary,
            Watched::View(dictionary, _) => dictionary,
        }
    }

    fn schema(&self) -> &Schema {
        match self {
            Watched::Table(open) => &open.def.schema,
            Watched::View(_, view) => &view.schema,
        }
    }

    /// As messages call it.
    fn words(&self) -> &'static str {
        match self {
            Watched::Table(_) => "table",
            Watched::View(..) => "view",
        }
    }

    /// Who has seen it without the change of its triggers looks again.
    pub fn renew(&self) {
        match self {
            Watched::Table(open) => objects::renew_table(open),
            Watched::View(dictionary, view) => {
                let renewed = CatalogObject::Module(Arc::new(ModuleDef::clone(view)));
                dictionary.catalog().change(|objects| objects.put(renewed));
            }
        }
    }
}

/// A trigger without a schema of a table or view outside dbo: it comes into that schema.
pub(in crate::exec) fn in_schema_of_target(run: &BatchRun<'_>, module: &ast::Module) -> SqlResult<Option<ast::Module>> {
    let ast::ModuleKind::Trigger { head, .. } = &module.kind else { return Ok(None) };
    let TriggerTarget::Object(target) = &head.target else { return Ok(None) };
    if part(&module.name, 1).is_some() {
        return Ok(None);
    }
    let schema = match settled::find_object(&run.ctx, target)? {
        Some(object) if is_watchable(&object) && object.schema().id != SchemaId::DBO => {
            object.schema().name.to_string()
        }
        _ => return Ok(None),
    };
    let mut parts = module.name.parts.clone();
    let last = parts.pop().unwrap_or_default();
    parts.pop();
    parts.extend([schema, last]);
    Ok(Some(ast::Module { name: ObjectName { parts }, ..module.clone() }))
}

fn is_watchable(object: &CatalogObject) -> bool {
    match object {
        CatalogObject::Table(..) => true,
        CatalogObject::Module(def) => def.kind == ModuleKind::View,
        _ => false,
    }
}

/// The table or view of a name, kept from others.
///
/// # Errors
/// 911, 1222, 1205
pub(in crate::exec) fn find_watched(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<Option<Watched>> {
    loop {
        match settled::find_object(&run.ctx, name)? {
            Some(CatalogObject::Table(..)) => {
                if let Some(open) = objects::find_table(run, name)? {
                    return Ok(Some(Watched::Table(open)));
                }
            }
            Some(CatalogObject::Module(view)) if view.kind == ModuleKind::View => {
                let dictionary = settled::dictionary_of(&run.ctx, name)?;
                objects::lock_new(run, &dictionary, view.id, &view.name)?;
                // Another may have altered or dropped it while this one waited.
                if dictionary.catalog().objects().is_module(&view) {
                    return Ok(Some(Watched::View(dictionary, view)));
                }
            }
            _ => return Ok(None),
        }
    }
}

/// What the trigger of a number is on, kept from others.
///
/// # Errors
/// 1222, 1205
pub(in crate::exec) fn watched_by_id(
    run: &mut BatchRun<'_>,
    dictionary: &Arc<Dictionary>,
    id: ObjectId,
) -> SqlResult<Option<Watched>> {
    if let Some(open) = objects::open_by_id(run, dictionary, id)? {
        return Ok(Some(Watched::Table(open)));
    }
    let view = || match dictionary.catalog().objects().get(id) {
        Some(CatalogObject::Module(view)) => Some(Arc::clone(view)),
        _ => None,
    };
    let Some(found) = view() else { return Ok(None) };
    objects::lock_new(run, dictionary, found.id, &found.name)?;
    Ok(view().map(|view| Watched::View(Arc::clone(dictionary), view)))
}

/// What a trigger that is being made is on, kept from others; none of one of the database or the server.
///
/// # Errors
/// 911, 1222, 1205
pub(in crate::exec) fn watched_by(run: &mut BatchRun<'_>, head: &TriggerHead) -> SqlResult<Option<Watched>> {
    match &head.target {
        TriggerTarget::Object(name) => find_watched(run, name),
        _ => Ok(None),
    }
}

/// A trigger is on a table or view of its database, and of a kind that goes with what is there.
///
/// # Errors
/// 2108, 2103, 8197, 167, 2111 to 2113
pub(in crate::exec) fn check_trigger(
    run: &BatchRun<'_>,
    (head, verb): (&TriggerHead, ast::DefinitionVerb),
    watched: Option<&Watched>,
    def: &ModuleDef,
) -> SqlResult<()> {
    let TriggerTarget::Object(name) = &head.target else { return Ok(()) };
    let word = if verb == ast::DefinitionVerb::Alter { "alter" } else { "create" };
    if name.last().starts_with('#') {
        return Err(SqlError::of(167, 1, &[&"trigger"]));
    }
    let Some(watched) = watched else { return Err(SqlError::of(8197, 4, &[&name.shown()])) };
    if watched.dictionary().database() != run.ctx.facts.database {
        return Err(SqlError::of(2108, 1, &[&word, &name.shown()]));
    }
    if !head.instead_of && matches!(watched, Watched::View(..)) {
        return Err(SqlError::of(8197, 4, &[&name.shown()]));
    }
    if watched.schema().id != def.schema.id {
        return Err(SqlError::of(2103, 1, &[&word, &format_args!("{}.{}", def.schema.name, def.name)]));
    }
    if let Some(event) = head.events.iter().find(|word| Event::ALL.iter().all(|event| event.word() != word.as_str())) {
        return Err(message::syntax_near(event));
    }
    if head.instead_of { check_instead(run, head, (watched, name), (def, word)) } else { Ok(()) }
}

/// 2111 to 2113
fn check_instead(
    run: &BatchRun<'_>,
    head: &TriggerHead,
    (watched, target): (&Watched, &ObjectName),
    (def, word): (&ModuleDef, &str),
) -> SqlResult<()> {
    let target = target.shown();
    let known = triggers_on(&run.ctx, (watched.dictionary().database(), watched.id()))?;
    for event in &head.events {
        let is_same = |trigger: &Arc<ReadModule>| {
            let other = head_of(trigger).filter(|other| other.instead_of);
            trigger.def.id != def.id && other.is_some_and(|other| other.events.contains(event))
        };
        if known.iter().any(is_same) {
            return Err(SqlError::of(2111, 1, &[&word, &def.name, &watched.words(), &target, event]));
        }
    }
    match watched {
        Watched::View(_, view) => {
            let read = run.ctx.engine.read_module(view)?;
            match read.form {
                ModuleForm::View { check_option: true, .. } => Err(SqlError::of(2112, 1, &[&def.name, &target])),
                _ => Ok(()),
            }
        }
        Watched::Table(open) if cascades(&open.def, head) => Err(SqlError::of(2113, 1, &[&word, &def.name, &target])),
        Watched::Table(_) => Ok(()),
    }
}

/// Whether a foreign key of the table itself does more than NO ACTION for an event of a trigger.
fn cascades(def: &TableDef, head: &TriggerHead) -> bool {
    let has = |event: Event| head.events.iter().any(|word| word == event.word());
    let (on_delete, on_update) = (has(Event::Delete), has(Event::Update));
    def.foreign_keys.iter().any(|key| {
        on_delete && key.on_delete != ReferentialAction::NoAction
            || on_update && key.on_update != ReferentialAction::NoAction
    })
}

/// 1787: a table whose INSTEAD OF triggers take its changes gets no key that would change it.
pub(in crate::exec) fn check_cascading_key(ctx: &RunContext, def: &TableDef, first: usize) -> SqlResult<()> {
    let acts = |key: &&millpond_catalog::ForeignKeyDef| {
        [key.on_delete, key.on_update].iter().any(|action| *action != ReferentialAction::NoAction)
    };
    let Some(key) = def.foreign_keys.iter().skip(first).find(acts) else { return Ok(()) };
    for trigger in triggers_on(ctx, (def.database, def.id))? {
        let Some(head) = head_of(&trigger).filter(|head| head.instead_of) else { continue };
        if cascades(def, head) {
            return Err(SqlError::of(1787, 0, &[&key.name, &def.name]));
        }
    }
    Ok(())
}

/// `ENABLE|DISABLE TRIGGER … ON table`
pub(in crate::exec) fn switch_triggers(
    run: &mut BatchRun<'_>,
    switch: &TriggerSwitch,
    table: &ObjectName,
) -> SqlResult<()> {
    let names =
        switch.triggers.as_ref().map(|names| names.iter().map(|name| name.last().clone()).collect::<Vec<String>>());
    switch_triggers_of(run, table, names.as_deref(), switch.enable)
}

/// Switches triggers of a table or view; all without names.
pub(in crate::exec) fn switch_triggers_of(
    run: &mut BatchRun<'_>,
    table: &ObjectName,
    names: Option<&[String]>,
    enable: bool,
) -> SqlResult<()> {
    let last = table.last().clone();
    objects::defining(run, &last, |run| {
        let watched = find_watched(run, table)?.ok_or_else(|| SqlError::of(1088, 11, &[&last]))?;
        let dictionary = Arc::clone(watched.dictionary());
        let mut found = triggers_on(&run.ctx, (dictionary.database(), watched.id()))?;
        for name in names.unwrap_or_default() {
            if !found.iter().any(|trigger| names_equal(&trigger.def.name, name)) {
                return Err(SqlError::of(4920, 0, &[&if enable { "enable" } else { "disable" }, &name, &last]));
            }
        }
        if let Some(names) = names {
            found.retain(|trigger| names.iter().any(|name| names_equal(name, &trigger.def.name)));
        }
        for trigger in found {
            let def = Arc::new(ModuleDef { is_disabled: !enable, ..ModuleDef::clone(&trigger.def) });
            objects::with_io(run, |io| dictionary.put_module(io, &def))?;
        }
        watched.renew();
        Ok(())
    })
}

/// The triggers of a table or view go with it.
pub(in crate::exec) fn drop_triggers(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    object: ObjectId,
) -> SqlResult<()> {
    let objects = dictionary.catalog().objects();
    for trigger in objects.triggers_of(object) {
        objects::with_io(run, |io| dictionary.drop_object(io, trigger.id))?;
    }
    Ok(())
}

/// Stores a trigger with another place among those of an event.
pub(super) fn put_place(
    run: &mut BatchRun<'_>,
    dictionary: &Dictionary,
    trigger: &ModuleDef,
    (event, place): (&str, Option<FiringPlace>),
) -> SqlResult<()> {
    let kept = trigger.order.iter().filter(|(known, _)| known != event).cloned();
    let order = kept.chain(place.map(|place| (event.to_owned(), place))).collect();
    let changed = Arc::new(ModuleDef { order, ..trigger.clone() });
    objects::with_io(run, |io| dictionary.put_module(io, &changed))
}
