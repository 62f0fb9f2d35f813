//! `sp_bindefault`, `sp_bindrule`, `sp_unbindefault`, `sp_unbindrule`: defaults and rules of columns and of alias types.
//!
//! What always holds: columns of an alias type follow what is bound to the type as long as they have what it had before; what is bound
//! is part of the definition of the table, and changes with it in the caller's transaction.

use std::sync::Arc;

use millpond_catalog::dictionary::{Dictionary, Io};
use millpond_catalog::security::{Of, Securable};
use millpond_catalog::{
    CatalogObject, CheckDef, ColumnDef, ModuleDef, ModuleKind, ObjectId, Schema, SchemaId, TableDef, UserTypeDef,
    names_equal,
};
use millpond_engine::bound_objects::{copy_of, default_of, may_have_default, may_have_rule, rule_of};
use millpond_engine::context::RunContext;
use millpond_engine::security::may;
use millpond_engine::settled::{Seeker, part};
use millpond_engine::system_call::{ProcedureDef, SystemCall};
use millpond_message as message;
use millpond_message::Place;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Message;
use millpond_txn::lock::LockMode;
use millpond_types::SqlType;

use super::named::{nvarchar, text_arg, varchar};

const OBJECT: SqlType = nvarchar(776);
const FUTURE: (&str, SqlType) = ("@futureonly", varchar(15));

/// `sp_bindefault`
pub static SP_BINDEFAULT: ProcedureDef = ProcedureDef {
    name: "sp_bindefault",
    params: &[("@defname", OBJECT), ("@objname", OBJECT), FUTURE],
    run: |call| bind(call, &SP_BINDEFAULT, ModuleKind::Default),
};

/// `sp_bindrule`
pub static SP_BINDRULE: ProcedureDef = ProcedureDef {
    name: "sp_bindrule",
    params: &[("@rulename", OBJECT), ("@objname", OBJECT), FUTURE],
    run: |call| bind(call, &SP_BINDRULE, ModuleKind::Rule),
};

/// `sp_unbindefault`
pub static SP_UNBINDEFAULT: ProcedureDef = ProcedureDef {
    name: "sp_unbindefault",
    params: &[("@objname", OBJECT), FUTURE],
    run: |call| unbind(call, &SP_UNBINDEFAULT, ModuleKind::Default),
};

/// `sp_unbindrule`
pub static SP_UNBINDRULE: ProcedureDef = ProcedureDef {
    name: "sp_unbindrule",
    params: &[("@objname", OBJECT), FUTURE],
    run: |call| unbind(call, &SP_UNBINDRULE, ModuleKind::Rule),
};

/// What a default or rule is bound to.
enum Target {
    /// Table and column.
    Column(Arc<TableDef>, i32),
    Type(Arc<UserTypeDef>),
}

fn bind(call: &mut SystemCall<'_>, def: &'static ProcedureDef, kind: ModuleKind) -> SqlResult<i32> {
    let bound = needed(call, def, 0)?;
    let named = needed(call, def, 1)?;
    let is_future_only = future_only(call, def, 2, kind)?;
    let target = target_of(call.ctx(), &named)?;
    let is_type = matches!(target, Target::Type(_));
    call.then_change(move |run, io| {
        let ctx = RunContext::of(run);
        let module = module_of(ctx, io, &bound, kind)?;
        change(ctx, io, &named, (kind, Some(&module)), is_future_only)
    });
    let is_default = kind == ModuleKind::Default;
    match (is_type, is_default) {
        (false, true) => call.then_tell(Message::of(15_511, &[])),
        (false, false) => call.then_tell(Message::of(15_514, &[])),
        (true, true) => call.then_tell(Message::of(15_512, &[])),
        (true, false) => call.then_tell(Message::of(15_515, &[])),
    }
    match (is_type && !is_future_only, is_default) {
        (true, true) => call.then_tell(Message::of(15_513, &[])),
        (true, false) => call.then_tell(Message::of(15_516, &[])),
        (false, _) => {}
    }
    Ok(0)
}

fn unbind(call: &mut SystemCall<'_>, def: &'static ProcedureDef, kind: ModuleKind) -> SqlResult<i32> {
    let named = needed(call, def, 0)?;
    let is_future_only = future_only(call, def, 1, kind)?;
    let target = target_of(call.ctx(), &named)?;
    let is_default = kind == ModuleKind::Default;
    if had(&target, kind).0 == 0 {
        return Err(match (&target, is_default) {
            (Target::Column(..), true) => SqlError::of(15_236, 1, &[&named]),
            (Target::Column(..), false) => SqlError::of(15_238, 1, &[&named]),
            (Target::Type(_), true) => SqlError::of(15_237, 1, &[&named]),
            (Target::Type(_), false) => SqlError::of(15_239, 1, &[&named]),
        });
    }
    let is_type = matches!(target, Target::Type(_));
    call.then_change(move |run, io| change(RunContext::of(run), io, &named, (kind, None), is_future_only));
    match (is_type, is_default) {
        (false, true) => call.then_tell(Message::of(15_519, &[])),
        (false, false) => call.then_tell(Message::of(15_522, &[])),
        (true, true) => call.then_tell(Message::of(15_520, &[])),
        (true, false) => call.then_tell(Message::of(15_523, &[])),
    }
    match (is_type && !is_future_only, is_default) {
        (true, true) => call.then_tell(Message::of(15_521, &[])),
        (true, false) => call.then_tell(Message::of(15_524, &[])),
        (false, _) => {}
    }
    Ok(0)
}

fn needed(call: &SystemCall<'_>, def: &ProcedureDef, index: usize) -> SqlResult<String> {
    text_arg(call, def, index).ok_or_else(|| message::missing_argument(def.name, def.params[index].0))
}

/// Whether columns that are there keep what they have.
///
/// # Errors
/// 15100, 15106 for another word.
fn future_only(call: &SystemCall<'_>, def: &ProcedureDef, index: usize, kind: ModuleKind) -> SqlResult<bool> {
    match text_arg(call, def, index) {
        None => Ok(false),
        Some(word) if word.trim().eq_ignore_ascii_case("futureonly") => Ok(true),
        Some(_) if kind == ModuleKind::Default => Err(SqlError::of(15_100, 1, &[])),
        Some(_) => Err(SqlError::of(15_106, 1, &[])),
    }
}

/// The default or rule of a name; it stays to the end of the transaction.
///
/// # Errors
/// 15016, 15017
fn module_of(ctx: &RunContext, io: &mut Io<'_, '_>, name: &str, kind: ModuleKind) -> SqlResult<Arc<ModuleDef>> {
    let none = || match kind {
        ModuleKind::Default => SqlError::of(15_016, 1, &[&name]),
        _ => SqlError::of(15_017, 1, &[&name]),
    };
    let parts = millpond_builtin::object_name(name).ok_or_else(none)?;
    loop {
        let found = Seeker::of(ctx).object(ctx.facts.database, &parts, ctx.facts.default_schema)?;
        let Some(CatalogObject::Module(def)) = found.filter(|found| found.code() == kind.code()) else {
            return Err(none());
        };
        lock(ctx, io, def.id, LockMode::SchS)?;
        let dictionary = ctx.engine.databases().dictionary(ctx.facts.database)?;
        if dictionary.catalog().objects().is_module(&def) {
            return Ok(def);
        }
    }
}

fn lock(ctx: &RunContext, io: &mut Io<'_, '_>, id: ObjectId, mode: LockMode) -> SqlResult<()> {
    let place = Place { schema: "", object: "default or rule", database: &ctx.facts.database_name };
    let locked = io.work.lock_object(io.ask, ctx.facts.database, id.0.cast_unsigned(), mode);
    locked.map_err(|error| message::of_txn(error, place))
}

/// A column of a table, or an alias type, of the current database that the session may change.
///
/// # Errors
/// 15148 for what is not there or may not be changed, 4185 for a type of the system.
fn target_of(ctx: &RunContext, named: &str) -> SqlResult<Target> {
    let none = || SqlError::of(15_148, 1, &[&named]);
    let name = millpond_builtin::object_name(named).ok_or_else(none)?;
    let (database, home) = (ctx.facts.database, ctx.facts.default_schema);
    let mut table = name.clone();
    if let Some(column) = table.parts.pop()
        && let Some(CatalogObject::Table(def, _)) = Seeker::of(ctx).object(database, &table, home)?
        && let Some(position) = def.column(&column)
    {
        let on = Securable::object(def.id.0);
        let id = def.columns[position].id;
        return if may(ctx, database, "ALTER", on)? { Ok(Target::Column(def, id)) } else { Err(none()) };
    }
    match Seeker::of(ctx).user_type(database, &name, SchemaId::DBO)? {
        Some(ty) if ty.alias().is_some() && may(ctx, database, "CONTROL", Securable::new(Of::Type, ty.id))? => {
            Ok(Target::Type(ty))
        }
        Some(_) => Err(none()),
        None if part(&name, 1).is_none_or(|schema| names_equal(schema, "sys"))
            && millpond_types::parse_type_name(name.last(), &[]).is_ok() =>
        {
            Err(SqlError::of(4185, 1, &[]))
        }
        None => Err(none()),
    }
}

/// What is bound to a target; 0 for nothing.
fn had(target: &Target, kind: ModuleKind) -> ObjectId {
    match target {
        Target::Column(def, id) => {
            let position = def.columns.iter().position(|column| column.id == *id);
            position.map_or(ObjectId(0), |position| bound_to(def, position, kind))
        }
        Target::Type(ty) if kind == ModuleKind::Default => ty.default,
        Target::Type(ty) => ty.rule,
    }
}

/// What is bound to a column; 0 for nothing.
fn bound_to(def: &TableDef, position: usize, kind: ModuleKind) -> ObjectId {
    if kind == ModuleKind::Default {
        let default = def.columns[position].default.as_ref().filter(|default| default.is_bound());
        return default.map_or(ObjectId(0), |default| default.id);
    }
    rule_at(def, position).map_or(ObjectId(0), |rule| rule.rule)
}

fn rule_at(def: &TableDef, position: usize) -> Option<&CheckDef> {
    def.checks.iter().find(|check| !check.is_constraint() && check.column() == Some(position))
}

/// Binds a default or rule to what is named, or nothing any more.
fn change(
    ctx: &RunContext,
    io: &mut Io<'_, '_>,
    named: &str,
    (kind, module): (ModuleKind, Option<&Arc<ModuleDef>>),
    is_future_only: bool,
) -> SqlResult<()> {
    let dictionary = ctx.engine.databases().dictionary(ctx.facts.database)?;
    loop {
        match target_of(ctx, named)? {
            Target::Column(def, column) => {
                lock(ctx, io, def.id, LockMode::SchM)?;
                // Another may have changed or dropped the table while this one waited.
                let Target::Column(now, same) = target_of(ctx, named)? else { continue };
                if now.id != def.id || same != column {
                    continue;
                }
                let Some(position) = now.columns.iter().position(|known| known.id == column) else { continue };
                check_column(&now.columns[position], kind, module.is_some())?;
                return put(ctx, io, &dictionary, &now, &[position], (kind, module));
            }
            Target::Type(ty) => return change_type(ctx, io, &dictionary, &ty, (kind, module), is_future_only),
        }
    }
}

/// Whether a column may have such a thing; one that loses it may have had it.
///
/// # Errors
/// 15101 to 15103, 15107
fn check_column(column: &ColumnDef, kind: ModuleKind, is_new: bool) -> SqlResult<()> {
    if !is_new {
        return Ok(());
    }
    match kind {
        ModuleKind::Rule if !may_have_rule(column) => Err(SqlError::of(15_107, 1, &[])),
        ModuleKind::Rule => Ok(()),
        _ if !may_have_rule(column) => Err(SqlError::of(15_101, 1, &[])),
        _ if !may_have_default(column) => Err(SqlError::of(15_102, 1, &[])),
        _ if column.default.as_ref().is_some_and(|default| !default.is_bound()) => Err(SqlError::of(15_103, 1, &[])),
        _ => Ok(()),
    }
}

/// The type, and the columns of it that had what it had.
fn change_type(
    ctx: &RunContext,
    io: &mut Io<'_, '_>,
    dictionary: &Arc<Dictionary>,
    ty: &Arc<UserTypeDef>,
    (kind, module): (ModuleKind, Option<&Arc<ModuleDef>>),
    is_future_only: bool,
) -> SqlResult<()> {
    let before = had(&Target::Type(Arc::clone(ty)), kind);
    let bound = module.map_or(ObjectId(0), |module| module.id);
    let schema: Schema = ty.schema.clone();
    let mut changed = UserTypeDef { schema, ..UserTypeDef::clone(ty) };
    match kind {
        ModuleKind::Default => changed.default = bound,
        _ => changed.rule = bound,
    }
    dictionary.alter_type(io, &Arc::new(changed))?;
    if is_future_only {
        return Ok(());
    }
    let full = format!("{}.{}", ty.schema.name, ty.name);
    let of_type = |column: &ColumnDef| column.user_type.as_ref() == Some(&full);
    let tables: Vec<Arc<TableDef>> = dictionary.catalog().objects().tables().map(Arc::clone).collect();
    for table in tables.into_iter().filter(|table| table.columns.iter().any(of_type)) {
        lock(ctx, io, table.id, LockMode::SchM)?;
        let objects = dictionary.catalog().objects();
        let Some((now, _)) = objects.table(table.id) else { continue };
        let follows = |position: &usize| {
            let column = &now.columns[*position];
            of_type(column)
                && bound_to(now, *position, kind) == before
                && check_column(column, kind, module.is_some()).is_ok()
        };
        let positions: Vec<usize> = (0..now.columns.len()).filter(follows).collect();
        if !positions.is_empty() {
            put(ctx, io, dictionary, now, &positions, (kind, module))?;
        }
    }
    Ok(())
}

/// Writes a table some of whose columns have something else bound to them. It is locked.
fn put(
    ctx: &RunContext,
    io: &mut Io<'_, '_>,
    dictionary: &Arc<Dictionary>,
    def: &Arc<TableDef>,
    positions: &[usize],
    (kind, module): (ModuleKind, Option<&Arc<ModuleDef>>),
) -> SqlResult<()> {
    let mut changed = copy_of(def);
    for position in positions {
        if kind == ModuleKind::Default {
            let default = module.map(|default| default_of(dictionary, default, &def.columns[*position]));
            changed.columns[*position].default = default.transpose()?;
            continue;
        }
        let old = rule_at(&changed, *position).map(|rule| rule.id);
        changed.checks.retain(|check| Some(check.id) != old);
        if let Some(rule) = module {
            let check = rule_of(dictionary, rule, &changed, *position)?;
            changed.checks.push(check);
        }
    }
    let now = ctx.engine.now_us().1;
    let created = dictionary.object_times(io, def.id)?.map_or(now, |(created, _)| created);
    let objects = dictionary.catalog().objects();
    let Some((_, trees)) = objects.table(def.id) else { return Ok(()) };
    dictionary.put_table(io, &Arc::new(changed), trees, (created, now))
}
