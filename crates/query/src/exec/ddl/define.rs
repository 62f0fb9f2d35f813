//! Schemas, views, sequences, types and synonyms: made, changed and dropped. `sp_refreshview` and `sp_refreshsqlmodule`: a module's
//! columns become those that its query has now.

use std::sync::Arc;

use millpond_bind::definition::schema_elements::in_order;
use millpond_bind::{Binder, Home, Names, NewTable, ORDER_MEANS_NOTHING, Variables, declared_type};
use millpond_catalog::dictionary::{Dictionary, NameSpace, claim_type, name_resource};
use millpond_catalog::run::Run;
use millpond_catalog::security::fixed_roles;
use millpond_catalog::{
    CatalogObject, ModuleDef, ModuleKind, ObjectId, Schema, SchemaId, SynonymDef, TableDef, UserTypeDef, UserTypeForm,
    names_equal,
};
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_engine::settled;
use millpond_engine::settled::{Seeker, part};
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    CreateType, DataType, DropKind, DropObjects, Ident, ObjectName, Query, Statement, TypeKind, find_option,
};
use millpond_txn::lock::LockMode;
use millpond_types::{MaxLen, SqlType};

use crate::exec::admin::database;
use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::objects::{in_use, is_built_in, of_current_database};
use crate::exec::ddl::{bound_object, objects, update_statistics};
use crate::exec::security;
use millpond_engine::system_args::{settled, text_of};
use millpond_names::function::function_parameters;
use millpond_names::session_names::SessionNames;
use millpond_rights::needs;
use millpond_rights::new_object::{NewObject, check_altered};

/// A view's query must bind, and its columns have names.
pub(in crate::exec) fn check_view(
    run: &mut BatchRun<'_>,
    name: &str,
    (columns, query): (&[Ident], &Query),
    home: Home,
) -> SqlResult<Arc<[String]>> {
    let names = SessionNames::of(&run.ctx);
    let mut binder = Binder::new(&names, &run.variables).at_home(home);
    let bound = binder.stored_query(query).map_err(|error| match error.number {
        208 if error.text.contains("'#") => of_temporary_table(),
        _ => error,
    })?;
    if binder.tables.iter().any(|used| used.def.is_open_to_all()) {
        return Err(of_temporary_table());
    }
    if bound.into.is_some() || !bound.assign.is_empty() {
        return Err(message::syntax_near("INTO"));
    }
    check_view_columns(name, columns, bound.names)
}

/// What is known of an inline function's query before it is used: its order, and the names of its columns if it
/// binds.
pub(in crate::exec) fn check_inline(
    run: &mut BatchRun<'_>,
    module: &ReadModule,
    query: &Query,
    home: Home,
) -> SqlResult<Arc<[String]>> {
    let mut variables = Variables::default();
    for parameter in function_parameters(&run.ctx, module, home)? {
        variables.declare(&parameter.name, parameter.sql);
    }
    let names = SessionNames::of(&run.ctx);
    match Binder::new(&names, &variables).at_home(home).stored_query(query) {
        Ok(bound) => match bound.names.iter().position(String::is_empty) {
            Some(place) => Err(SqlError::of(4514, 1, &[&(place + 1)])),
            None => check_view_columns(&module.def.name, &[], bound.names),
        },
        Err(error) if error.number == ORDER_MEANS_NOTHING => Err(error),
        Err(_) => Ok(Arc::default()),
    }
}

/// `CREATE SCHEMA [name] [AUTHORIZATION owner] [element …]`: without a name it is the owner's, without an owner the
/// session's. Names in its elements are of the new schema first. With elements it has a transaction around them: else a
/// trigger that one of them fires would begin one, and commit with it what was made before.
pub(in crate::exec) fn create_schema(
    run: &mut BatchRun<'_>,
    names: (Option<&str>, Option<&str>),
    elements: &[Statement],
    execute: fn(&mut BatchRun<'_>, &Statement) -> SqlResult<()>,
) -> SqlResult<()> {
    transaction::implicit_begin(run);
    let is_own = run.ctx.facts.tran_count == 0 && !elements.is_empty();
    if is_own {
        transaction::begin_own_transaction(run);
        run.session.began_as_snapshot = false;
    }
    let done = make_schema(run, names, elements, execute);
    if is_own { transaction::end_own_transaction(run, done) } else { done }
}

/// [`create_schema`] in its transaction.
fn make_schema(
    run: &mut BatchRun<'_>,
    (name, owner): (Option<&str>, Option<&str>),
    elements: &[Statement],
    execute: fn(&mut BatchRun<'_>, &Statement) -> SqlResult<()>,
) -> SqlResult<()> {
    let name = name.or(owner).unwrap_or_default();
    objects::defining(run, name, |run| {
        let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.database)?;
        let is_of_role = fixed_roles().any(|(role, _)| names_equal(role, name));
        if is_of_role || objects::settled_schema(run, &dictionary, name)?.is_some() {
            return Err(message::object_exists(name));
        }
        let schema = Schema { id: dictionary.catalog().next_schema_id(), name: Arc::from(name) };
        objects::lock_schema(run, &dictionary, &schema, LockMode::SchM)?;
        objects::with_io(run, |io| dictionary.put_schema(io, &schema))?;
        security::own_schema(run, schema.id, owner)?;
        let outer = (run.ctx.facts.default_schema, run.ctx.facts.schema);
        let facts = &mut run.ctx_mut().facts;
        (facts.default_schema, facts.schema) = (schema.id, schema.id);
        let done = in_order(elements, name).iter().try_for_each(|element| execute(run, element));
        let facts = &mut run.ctx_mut().facts;
        (facts.default_schema, facts.schema) = outer;
        done
    })
    .map_err(message::schema_not_made)
}

pub(in crate::exec) fn create_synonym(run: &mut BatchRun<'_>, name: &ObjectName, base: &ObjectName) -> SqlResult<()> {
    of_current_database(name, "CREATE", "synonym")?;
    let last = name.last().clone();
    objects::defining(run, &last, |run| {
        let home = objects::home_of(run, name, NewObject::Synonym)?;
        let id = home.dictionary.catalog().next_object_id();
        objects::lock_new(run, &home.dictionary, id, &last)?;
        let def = SynonymDef { id, schema: home.schema, name: last.clone(), base: base.clone() };
        let times = objects::times_now(run);
        objects::with_io(run, |io| home.dictionary.put_synonym(io, &Arc::new(def), times))
    })
}

pub(in crate::exec) fn create_type(
    run: &mut BatchRun<'_>,
    statement: &Statement,
    create: &CreateType,
) -> SqlResult<()> {
    let span = statement.span.start as usize..statement.span.end as usize;
    let text = run.parsed.text.get(span).unwrap_or_default().to_owned();
    make_type(run, create, &text)
}

/// The type that an alias is of: one of the system that columns of any table may have.
fn alias_base(data_type: &DataType) -> SqlResult<SqlType> {
    let shown = match data_type {
        DataType::Named(name) => name.shown(),
        DataType::SysName => "sysname".to_owned(),
        DataType::Scalar { sql_type: SqlType::Xml, .. } => return Err(SqlError::of(15_226, 1, &[])),
        DataType::Scalar { sql_type: SqlType::RowVersion, .. } => "timestamp".to_owned(),
        known => return declared_type(known),
    };
    // Types that this version lacks say so.
    match declared_type(data_type) {
        Err(error) if error.number == 40_517 => Err(error),
        _ => Err(SqlError::of(222, 1, &[&shown])),
    }
}

/// Makes a type, whose definition is `text`.
pub(in crate::exec) fn make_type(run: &mut BatchRun<'_>, create: &CreateType, text: &str) -> SqlResult<()> {
    let last = create.name.last().clone();
    objects::defining(run, &last, |run| {
        let dictionary = settled::dictionary_of(&run.ctx, &create.name)?;
        let schema_name = objects::schema_of_new(run, &dictionary, &create.name);
        let schema = objects::settled_schema(run, &dictionary, &schema_name)?;
        let schema = schema.ok_or_else(|| message::invalid_object(&schema_name))?;
        let known = Seeker::of(&run.ctx).user_type(dictionary.database(), &create.name, SchemaId::DBO)?;
        if known.is_some() || millpond_types::parse_type_name(&last, &[]).is_ok() {
            return Err(message::type_exists(&schema.name, &last));
        }
        let form = match &create.kind {
            TypeKind::Alias { data_type, nullable } => {
                let nullable = nullable.unwrap_or(run.ctx.facts.settings.ansi_null_default_on);
                UserTypeForm::Alias { sql: alias_base(data_type)?, nullable }
            }
            TypeKind::Table(definition) => {
                let memory_optimized =
                    find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|o| o.is("ON"));
                let names = SessionNames::of(&run.ctx);
                let mut binder = Binder::new(&names, &run.variables);
                let new = NewTable::temporary(&format!("@{last}"));
                let def = binder.table_definition(&new, definition).map_err(message::constraint_not_made)?;
                let def = Arc::new(def);
                needs::check_references(&run.ctx, dictionary.database(), None, &def)?;
                UserTypeForm::Table { def, memory_optimized }
            }
        };
        let id = dictionary.catalog().next_type_id();
        let def =
            Arc::new(UserTypeDef { id, schema, name: last.clone(), form, default: ObjectId(0), rule: ObjectId(0) });
        objects::with_io(run, |io| dictionary.put_type(io, &def, Some(text)))
    })
}

/// DROP of what is neither table nor module.
pub(in crate::exec) fn drop_defined(run: &mut BatchRun<'_>, drop: &DropObjects) -> SqlResult<()> {
    if drop.kind == DropKind::Synonym {
        drop.names.iter().try_for_each(|name| of_current_database(name, "DROP", "synonym"))?;
    }
    match drop.kind {
        DropKind::Database => database::drop_databases(run, &drop.names, drop.if_exists),
        DropKind::Schema => drop_each(run, drop, drop_schema),
        DropKind::Type => drop_each(run, drop, drop_type),
        DropKind::Sequence => drop_each(run, drop, |run, name| drop_named(run, name, "SO")),
        DropKind::Synonym => drop_each(run, drop, |run, name| drop_named(run, name, "SN")),
        DropKind::Default => drop_each(run, drop, |run, name| {
            bound_object::check_dropped(run, name, false)?;
            drop_named(run, name, "D")
        }),
        DropKind::Rule => drop_each(run, drop, |run, name| {
            bound_object::check_dropped(run, name, true)?;
            drop_named(run, name, "R")
        }),
        DropKind::Statistics => update_statistics::drop_statistics(run, drop),
        other => Err(message::missing(&format!("DROP {}", other.words()))),
    }
}

fn drop_each(
    run: &mut BatchRun<'_>,
    drop: &DropObjects,
    one: impl Fn(&mut BatchRun<'_>, &ObjectName) -> SqlResult<bool>,
) -> SqlResult<()> {
    drop_all(run, &drop.names, |run, name| {
        let last = name.last().clone();
        objects::defining(run, &last, |run| {
            if one(run, name)? {
                return Ok(());
            }
            settled::not_of_kind(&run.ctx, name, drop.kind.words())?;
            if drop.if_exists {
                return Ok(());
            }
            if drop.kind == DropKind::Type {
                return Err(SqlError::of(218, 1, &[&name.shown()]));
            }
            Err(message::cannot_drop(&drop.kind.words().to_lowercase(), &name.shown()))
        })
    })
}

/// Drops each object of a list: one that cannot be dropped keeps no other from it, unless its error ends more than the
/// statement. All that were refused are reported.
///
/// # Errors
/// The last object's, after those of others.
pub(in crate::exec) fn drop_all(
    run: &mut BatchRun<'_>,
    names: &[ObjectName],
    mut one: impl FnMut(&mut BatchRun<'_>, &ObjectName) -> SqlResult<()>,
) -> SqlResult<()> {
    let mut refused: Option<SqlError> = None;
    for name in names {
        let Err(error) = one(run, name) else { continue };
        let ends = run.ctx.facts.settings.xact_abort || message::ends(&error) > message::Ends::Statement;
        refused = Some(match refused {
            None => error,
            Some(before) => error.after(before),
        });
        if ends {
            break;
        }
    }
    refused.map_or(Ok(()), Err)
}

/// Whether there was one.
fn drop_named(run: &mut BatchRun<'_>, name: &ObjectName, kind: &str) -> SqlResult<bool> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let id = loop {
        let found = settled::find_object(&run.ctx, name)?.filter(|object| object.code() == kind);
        let Some(object) = found else { return Ok(false) };
        objects::lock_schema(run, &dictionary, object.schema(), LockMode::SchS)?;
        objects::lock_new(run, &dictionary, object.id(), object.name())?;
        // Another may have dropped or renamed it while this one waited.
        if settled::find_object(&run.ctx, name)?.is_some_and(|now| now.id() == object.id()) {
            break object.id();
        }
    };
    if kind == "SO" {
        let place = (dictionary.database(), id);
        let needs = |def: &TableDef| def.uses().sequences.into_iter().find(|(used, _)| *used == place);
        if let Some((_, user)) = dictionary.catalog().objects().tables().find_map(|def| needs(def)) {
            return Err(in_use("DROP SEQUENCE", &name.shown(), &user));
        }
    }
    objects::with_io(run, |io| dictionary.drop_object(io, id))?;
    Ok(true)
}

fn drop_schema(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<bool> {
    let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.names_database())?;
    let last = name.last();
    let Some(schema) = Seeker::of(&run.ctx).schema(&dictionary, last)? else { return Ok(false) };
    if is_built_in(schema.id) {
        return Err(SqlError::of(15150, 1, &[&"drop", &"schema", &last]));
    }
    // Who puts an object into it, or took one out, may still roll back.
    objects::lock_schema(run, &dictionary, &schema, LockMode::SchM)?;
    let objects = dictionary.catalog().objects();
    if objects.schema(last).is_none_or(|found| found.id != schema.id) {
        return drop_schema(run, name);
    }
    let object = objects.iter().find(|object| object.schema().id == schema.id).map(CatalogObject::name);
    let of_type = || objects.user_types().find(|ty| ty.schema.id == schema.id).map(|ty| ty.name.as_str());
    if let Some(object) = object.or_else(of_type) {
        return Err(in_use("drop schema", last, object));
    }
    let id = schema.id;
    objects::with_io(run, |io| dictionary.drop_schema(io, id))?;
    Ok(true)
}

fn drop_type(run: &mut BatchRun<'_>, name: &ObjectName) -> SqlResult<bool> {
    let dictionary = settled::dictionary_of(&run.ctx, name)?;
    let find = |run: &BatchRun<'_>| Seeker::of(&run.ctx).user_type(dictionary.database(), name, SchemaId::DBO);
    let Some(ty) = find(run)? else { return Ok(false) };
    // Whose table uses it may not be committed yet.
    objects::lock_schema(run, &dictionary, &ty.schema, LockMode::SchS)?;
    let is_new = objects::with_io(run, |io| claim_type(&dictionary, io, &ty))?;
    let objects = dictionary.catalog().objects();
    if objects.user_type_by_id(ty.id).is_none() {
        return drop_type(run, name);
    }
    let full = format!("{}.{}", ty.schema.name, ty.name);
    let user = objects.tables().find(|def| def.columns.iter().any(|column| column.user_type.as_ref() == Some(&full)));
    let user = user.map(|def| def.name.clone());
    drop(objects);
    let user = match user {
        None => module_with(run, &dictionary, &ty)?,
        user => user,
    };
    if let Some(user) = user {
        if is_new {
            let resource = name_resource(dictionary.database(), NameSpace::Types, ty.schema.id, &ty.name);
            run.session.work.unlock_metadata(resource);
        }
        return Err(SqlError::of(3732, 1, &[&full, &user]));
    }
    let id = ty.id;
    objects::with_io(run, |io| dictionary.drop_type(io, id))?;
    // Texts know the types of their variables, and nothing notifies them of another type of the same name.
    run.ctx.engine.forget_plans();
    Ok(true)
}

/// The name of a procedure or function that has a parameter, or gives a value, of a type.
fn module_with(run: &BatchRun<'_>, dictionary: &Arc<Dictionary>, ty: &UserTypeDef) -> SqlResult<Option<String>> {
    let modules: Vec<Arc<ModuleDef>> = dictionary
        .catalog()
        .objects()
        .iter()
        .filter_map(|object| match object {
            CatalogObject::Module(def) => Some(Arc::clone(def)),
            _ => None,
        })
        .collect();
    let names = SessionNames::of(&run.ctx);
    for def in modules {
        let Ok(module) = run.ctx.engine.read_module(&def) else { continue };
        let home = Home::of(dictionary.database(), &def);
        let returned = match &module.form {
            ModuleForm::Scalar { returns, .. } => Some(returns),
            _ => None,
        };
        for data_type in module.parameters.iter().map(|parameter| &parameter.data_type).chain(returned) {
            if let DataType::Named(name) = data_type
                && names_equal(name.parts.last().map_or("", String::as_str), &ty.name)
                && names.user_type(name, Some(home))?.is_some_and(|found| found.id == ty.id)
            {
                return Ok(Some(def.name.clone()));
            }
        }
    }
    Ok(None)
}

/// 4508
fn of_temporary_table() -> SqlError {
    SqlError::of(4508, 1, &[])
}

/// 4511, 4506 and counts: the columns of a view have names, each its own.
fn check_view_columns(name: &str, columns: &[String], names: Vec<String>) -> SqlResult<Arc<[String]>> {
    if !columns.is_empty() && columns.len() != names.len() {
        let is_short = columns.len() < names.len();
        return Err(if is_short { SqlError::of(8158, 1, &[&name]) } else { SqlError::of(8159, 1, &[&name]) });
    }
    let names = if columns.is_empty() { names } else { columns.to_vec() };
    for (position, column) in names.iter().enumerate() {
        if column.is_empty() {
            return Err(SqlError::of(4511, 1, &[&(position + 1)]));
        }
        if names[..position].iter().any(|known| millpond_catalog::names_equal(known, column)) {
            return Err(SqlError::of(4506, 1, &[&column, &name]));
        }
    }
    Ok(names.into())
}

const NAME: SqlType = SqlType::NVarChar { len: MaxLen::Limited(776) };
const CLASS: SqlType = SqlType::NVarChar { len: MaxLen::Limited(20) };

/// One of the two procedures.
pub(in crate::exec) struct Refresh {
    name: &'static str,
    params: &'static [(&'static str, SqlType)],
    /// It takes views alone.
    of_views: bool,
}

const PROCEDURES: [Refresh; 2] = [
    Refresh { name: "sp_refreshview", params: &[("@viewname", NAME)], of_views: true },
    Refresh { name: "sp_refreshsqlmodule", params: &[("@name", NAME), ("@namespace", CLASS)], of_views: false },
];

impl Refresh {
    /// The procedure of a name without its schema.
    pub(in crate::exec) fn of(name: &str) -> Option<&'static Refresh> {
        const FOUND: &[Refresh] = &PROCEDURES;
        FOUND.iter().find(|procedure| procedure.name.eq_ignore_ascii_case(name))
    }

    /// Arguments in the order of the parameters.
    fn texts(&self, args: &[CallArg]) -> Vec<Option<String>> {
        (0..self.params.len()).map(|index| text_of(args, self.params, index)).collect()
    }
}

/// # Errors
/// 15165 where there is no such module, or a schema-bound one; 15250 for one of another database; what of its query
/// does not bind any more.
pub(in crate::exec) fn refresh_module(run: &mut BatchRun<'_>, procedure: &Refresh, args: &[CallArg]) -> SqlResult<i32> {
    let args = settled((procedure.name, procedure.params), args.to_vec(), run.ctx.cast_rules())?;
    let mut texts = procedure.texts(&args).into_iter();
    let missing = || message::missing_argument(procedure.name, procedure.params[0].0);
    let given = texts.next().flatten().ok_or_else(|| missing().of_call(&Arc::from(procedure.name)))?;
    if texts.next().flatten().is_some() {
        return Err(message::missing("A trigger of DDL"));
    }
    let unknown = || SqlError::of(15_165, 1, &[&given]);
    let name = millpond_builtin::object_name(&given).ok_or_else(unknown)?;
    if part(&name, 2).is_some_and(|database| !names_equal(database, &run.ctx.facts.database_name)) {
        return Err(SqlError::of(15_250, 1, &[]));
    }
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    scope::atomically(run, &given, |run| {
        loop {
            let Some(CatalogObject::Module(def)) = settled::find_object(&run.ctx, &name)? else {
                return Err(unknown());
            };
            let dictionary = settled::dictionary_of(&run.ctx, &name)?;
            check_altered(&run.ctx, dictionary.database(), def.id)?;
            objects::lock_new(run, &dictionary, def.id, &def.name)?;
            // Another may have altered or dropped it while this one waited.
            if !dictionary.catalog().objects().is_module(&def) {
                continue;
            }
            if procedure.of_views && def.kind != ModuleKind::View {
                return Err(unknown());
            }
            let home = Home::of(dictionary.database(), &def);
            let columns = columns_now(run, &def, home)?.ok_or_else(unknown)?;
            let modified_us = run.ctx.engine.now_us().1;
            return objects::store_module(
                run,
                &dictionary,
                &Arc::new(ModuleDef { columns, modified_us, ..ModuleDef::clone(&def) }),
            );
        }
    })?;
    run.ctx_mut().facts.error = 0;
    Ok(0)
}

/// The columns of the module's query as it binds now; none of a schema-bound one.
fn columns_now(run: &mut BatchRun<'_>, def: &Arc<ModuleDef>, home: Home) -> SqlResult<Option<Arc<[String]>>> {
    if millpond_names::watch::is_bound(&run.ctx, def) {
        return Ok(None);
    }
    let read = run.ctx.engine.read_module(def)?;
    match &read.form {
        ModuleForm::View { columns, query, .. } => check_view(run, &def.name, (columns, query), home).map(Some),
        ModuleForm::Inline(query) => check_inline(run, &read, query, home).map(Some),
        _ => Ok(Some(Arc::clone(&def.columns))),
    }
}
