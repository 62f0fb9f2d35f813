//! CREATE, ALTER and DROP of modules, and the call of a procedure: arguments to parameters, OUTPUT values back.
//!
//! What always holds: a call sees its parameters alone; an argument is converted to its parameter's type before the
//! body runs, and a value that does not convert stops the call (8114), not the body.

use std::sync::Arc;

use millpond_bind::{Binder, Home, Variables};
use millpond_builtin::eval::{Rows, eval};
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::run::Run;
use millpond_catalog::run::facts::Showplan;
use millpond_catalog::{
    CatalogObject, DatabaseCatalog, ModuleDef, ModuleKind, ObjectId, Schema, TableDef, is_global_temporary,
    is_local_temporary, names_equal,
};
use millpond_code::module_calls;
use millpond_engine::capture::execution::Running;
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_engine::parsed::ParsedBatch;
use millpond_engine::settled;
use millpond_engine::settled::Seeker;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::DoneKind;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, DataType, DefinitionVerb, ObjectName};
use millpond_types::{CodePage, SqlType, Value};

use crate::exec::admin::{governor, msdb};
use crate::exec::batch::frame::Frame;
use crate::exec::batch::{BatchRun, contexts, frame, scope, transaction};
use crate::exec::ddl::indexed_view::drop_rows;
use crate::exec::ddl::objects::of_current_database;
use crate::exec::ddl::{define, objects, schema_binding, table_type};
use crate::exec::routine::called::Called;
use crate::exec::routine::trigger::ddl;
use crate::exec::routine::trigger::ddl::Scope;
use crate::exec::routine::trigger::definition;
use crate::exec::routine::trigger::definition::Watched;
use crate::exec::routine::{cursor, temp_procedure};
use crate::exec::security;
use crate::exec::security::impersonate;
use crate::session::Session;
use millpond_code::text_variables::Parameters;
use millpond_engine::arguments::{convert_argument, extra_argument, foreign_argument, repeated_argument};
use millpond_engine::parsed::module_text::{kind_of, kind_word, module_text};
use millpond_names::declared::{Declared, TableArgument, declared, table_argument, table_of};
use millpond_names::module_check;
use millpond_names::module_check::last_name;
use millpond_names::prepared::not_an_output;
use millpond_names::session_names::SessionNames;
use millpond_rights::impersonate::principal_of_new;

/// OUTPUT values by position of their argument, with the parameter's type.
pub(in crate::exec) type Outputs = Vec<(usize, Value, SqlType)>;

/// A call with its arguments in their places.
pub(in crate::exec) struct BoundCall {
    pub parameters: Parameters,
    /// For each parameter the argument that wants its value back.
    wanted: Vec<Option<usize>>,
    /// READONLY parameters.
    pub tables: Vec<TableArgument>,
    /// CURSOR parameters, each with the variable of the caller that takes its cursor.
    cursors: Vec<(String, String)>,
}

impl BoundCall {
    fn outputs(&self, values: &[Value]) -> Outputs {
        let wanted = self.wanted.iter().enumerate();
        wanted
            .filter_map(|(index, position)| {
                position.map(|position| (position, values[index].clone(), self.parameters.signature.types[index]))
            })
            .collect()
    }
}

/// Runs a procedure for the wire.
///
/// # Errors
/// Of the arguments; errors of the body go to the sink.
pub(in crate::exec) fn call_module(
    session: &mut Session,
    called: &Called,
    args: &[CallArg],
    sink: &mut dyn millpond_message::sink::Sink,
) -> SqlResult<(i32, Outputs)> {
    let Called { database, module, .. } = called;
    check_call(session, called)?;
    let prepared = frame::inside(session, *database, |session| prepare_call(session, called, args));
    let (call, body, frame) = prepared.map_err(|error| error.of_call(&module.name))?;
    let (parameters, tables) = (call.parameters.clone(), call.tables.clone());
    let running = begin_call(session, called.origin, body, &frame);
    let mut finished = frame::scoped(session, sink, |session, sink| {
        frame::inside(session, *database, |session| {
            table_type::with_tables(session, tables, sink, |session, sink| {
                session.run_parsed(body, parameters, DoneKind::InProcedure, &frame, sink)
            })
        })
    })?;
    match finished.raised.take() {
        Some(error) => Err(error),
        None => {
            end_call(session, running);
            Ok((finished.status, call.outputs(&finished.parameters)))
        }
    }
}

/// Begins to count a call of a procedure; none while plans are shown.
fn begin_call(session: &Session, database: DbId, body: &ParsedBatch, frame: &Frame) -> Option<Running> {
    let is_run = session.facts.settings.showplan == Showplan::Off;
    let what = (ModuleKind::Procedure, frame.object, database.0);
    is_run.then(|| module_calls::begin(&session.engine, &session.shared, what, body, session.engine.now_us().1))
}

/// EXECUTE on the procedure, unless it is a temporary one; the tables of one of msdb's.
fn check_call(session: &mut Session, called: &Called) -> SqlResult<()> {
    match called.part {
        Some(part) => msdb::prepare(session, part, &called.module.def),
        None if called.module.def.name.starts_with('#') => Ok(()),
        None => security::check_call(session, called.origin, called.module.def.id),
    }
}

/// The call ended well.
fn end_call(session: &Session, running: Option<Running>) {
    if let Some(running) = running {
        module_calls::end(&session.engine, &session.shared, running, session.engine.now_us().1);
    }
}

fn prepare_call<'m>(
    session: &Session,
    called: &'m Called,
    args: &[CallArg],
) -> SqlResult<(BoundCall, &'m Arc<ParsedBatch>, Frame)> {
    let module = &*called.module;
    let ModuleForm::Procedure(body) = &module.form else {
        return Err(message::unknown_procedure(&module.name));
    };
    let call = bind_arguments(session, module, called.origin, args)?;
    let security = impersonate::of_module(session, called.origin, module)?;
    let recompiles = module.recompile;
    Ok((call, body, Frame { home: called.home, security, recompiles, ..Frame::of(&module.name, &module.def) }))
}

/// Arguments to parameters, by position first, then by name; what is not given has its default.
/// Types are those of the database.
pub(in crate::exec) fn bind_arguments(
    session: &Session,
    module: &ReadModule,
    database: DbId,
    args: &[CallArg],
) -> SqlResult<BoundCall> {
    let count = module.parameters.len();
    let mut given: Vec<Option<(usize, &CallArg)>> = vec![None; count];
    for (position, arg) in args.iter().enumerate() {
        let index = parameter_index(module, position, arg)?;
        if given[index].replace((position, arg)).is_some() {
            return Err(repeated_argument(&module.parameters[index].name));
        }
    }
    let mut parameters = Parameters::default();
    let mut wanted = Vec::with_capacity(count);
    let (mut tables, mut cursors) = (Vec::new(), Vec::new());
    let mut ctx = None;
    // As when the module was made: by the module's schema, not by the caller's.
    let home = Home::of(database, &module.def);
    let page = session.engine.databases().collation_beside(&session.facts, database).page();
    // The types that were read with the module are of the usual code page.
    let signature = module.signature.as_ref().filter(|_| page == CodePage::default());
    for (parameter, given) in module.parameters.iter().zip(given) {
        let taking = given.and_then(|(_, arg)| arg.cursor.clone());
        match (parameter.data_type == DataType::Cursor, taking) {
            (true, Some(variable)) => {
                cursors.push((parameter.name.to_lowercase(), variable));
                continue;
            }
            (true, None) if given.is_none() => return Err(message::missing_argument(&module.name, &parameter.name)),
            (true, None) => return Err(SqlError::of(16_948, 1, &[&parameter.name])),
            (false, Some(variable)) => return Err(SqlError::of(16_949, 2, &[&variable])),
            (false, None) => {}
        }
        let sql = match &parameter.data_type {
            DataType::Scalar { sql_type, .. } => sql_type.in_page(page),
            named => match declared(ctx.get_or_insert_with(|| contexts::bare(session)), Some(home), named)? {
                Declared::Scalar(sql) => sql,
                Declared::Table(ty) => {
                    let def = module.table_parameter(&parameter.name, &ty, table_of)?;
                    let given = given.map(|(_, arg)| arg);
                    tables.push(table_argument(&ty, def, given)?);
                    continue;
                }
            },
        };
        let value = match given.and_then(|(_, arg)| arg.value.as_ref().map(|value| (value, arg.sql))) {
            Some((value, from)) => convert_argument(value, &from, &sql, session.facts.settings.cast_rules())?,
            None => default_value(session, module, home, parameter, &sql)?,
        };
        let output = given.filter(|(_, arg)| arg.output);
        if output.is_some() && !parameter.output {
            return Err(not_an_output(&parameter.name));
        }
        wanted.push(output.map(|(position, _)| position));
        if signature.is_none() {
            parameters.declare(parameter.name.clone(), sql);
        }
        parameters.values.push(value);
    }
    if let Some(signature) = signature {
        parameters.signature = Arc::clone(signature);
    }
    Ok(BoundCall { parameters, wanted, tables, cursors })
}

fn default_value(
    session: &Session,
    module: &ReadModule,
    home: Home,
    parameter: &millpond_engine::module::Parameter,
    sql: &SqlType,
) -> SqlResult<Value> {
    let Some(default) = &parameter.default else {
        return Err(message::missing_argument(&module.name, &parameter.name));
    };
    let ctx = contexts::bare(session);
    let (names, variables) = (SessionNames::of(&ctx), Variables::default());
    let bound = Binder::new(&names, &variables).at_home(home).expression(default)?;
    let value = eval(&bound, &ctx, Rows::NONE)?;
    convert_argument(&value, &bound.ty.sql, sql, ctx.cast_rules())
}

/// 3729: a definition of a table calls the function.
fn not_in_definitions(catalog: &DatabaseCatalog, def: &ModuleDef, what: &str, name: &str) -> SqlResult<()> {
    let place = (catalog.database(), def.id);
    let needs = |table: &TableDef| table.uses().functions.into_iter().find(|(used, _)| *used == place);
    match catalog.objects().tables().find_map(|table| needs(table)) {
        Some((_, user)) => Err(crate::exec::ddl::objects::in_use(what, name, &user)),
        None => Ok(()),
    }
}

fn parameter_index(module: &ReadModule, position: usize, arg: &CallArg) -> SqlResult<usize> {
    if module.parameters.is_empty() {
        return Err(SqlError::of(8146, 2, &[&module.name]));
    }
    let Some(name) = &arg.name else {
        let index = Some(position).filter(|index| *index < module.parameters.len());
        return index.ok_or_else(|| extra_argument(&module.name));
    };
    let plain = |name: &str| name.trim_start_matches('@').to_owned();
    module
        .parameters
        .iter()
        .position(|known| names_equal(&plain(&known.name), &plain(name)))
        .ok_or_else(|| foreign_argument(name, &module.name))
}

/// EXEC of a procedure of the catalog; WITH RECOMPILE keeps no code of this call.
pub(in crate::exec) fn run_procedure(
    run: &mut BatchRun<'_>,
    called: &Called,
    args: &[CallArg],
    recompiles: bool,
) -> SqlResult<(i32, Outputs)> {
    let Called { database, module, .. } = called;
    run.session.facts = run.ctx.facts.clone();
    check_call(run.session, called)?;
    let prepared = frame::inside(run.session, *database, |session| prepare_call(session, called, args));
    let (call, body, mut frame) = prepared.map_err(|error| error.of_call(&module.name))?;
    frame.recompiles |= recompiles;
    let running = begin_call(run.session, called.origin, body, &frame);
    let tran_count = run.ctx.facts.tran_count;
    let parameters = call.parameters.clone();
    let tables = call.tables.clone();
    run.session.handed = call.cursors.iter().map(|(parameter, _)| (parameter.clone(), None)).collect();
    let finished = frame::nested(run, |session, sink| {
        frame::inside(session, *database, |session| {
            table_type::with_tables(session, tables, sink, |session, sink| {
                session.run_parsed(body, parameters, DoneKind::InProcedure, &frame, sink)
            })
        })
    });
    cursor::take_back(run, &call.cursors);
    let finished = finished?;
    end_call(run.session, running);
    let now = run.ctx.facts.tran_count;
    // A transaction that a statement of it began by IMPLICIT_TRANSACTIONS is the caller's to end.
    let is_implicit = tran_count == 0 && now == 1 && run.ctx.facts.settings.implicit_transactions;
    if now != tran_count && !finished.ends_batch && !is_implicit {
        run.complain(SqlError::of(266, 2, &[&tran_count, &now]).of_call(&module.name))?;
    }
    Ok((finished.status, call.outputs(&finished.parameters)))
}

/// CREATE, ALTER, CREATE OR ALTER of a view, procedure, function or trigger.
pub(in crate::exec) fn define_module(run: &mut BatchRun<'_>, module: &ast::Module) -> SqlResult<()> {
    let text = module_text(&run.parsed.text, module);
    let settings = &run.ctx.facts.settings;
    let (quoted_identifier, ansi_nulls) = (settings.quoted_identifier, settings.ansi_nulls);
    let kind = kind_of(module);
    let verb = if module.verb == DefinitionVerb::Alter { "ALTER" } else { "CREATE" };
    of_current_database(&module.name, verb, kind_word(kind))?;
    if let ast::ModuleKind::Procedure { number, .. } = &module.kind {
        millpond_engine::arguments::check_procedure_number(*number)?;
    }
    millpond_engine::arguments::check_parameter_count(module)?;
    millpond_bind::definition::function_check::check(module)
        .map_err(|error| error.inside(Some(&last_name(&module.name))))?;
    temp_procedure::check_kind(module)?;
    if is_local_temporary(&last_name(&module.name)) {
        return temp_procedure::define_temporary(run, module);
    }
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    let last = last_name(&module.name);
    if let ast::ModuleKind::Trigger { head, .. } = &module.kind
        && let Some(of) = Scope::of(&head.target)
    {
        let settings = (quoted_identifier, ansi_nulls);
        scope::atomically(run, &last, |run| ddl::make_trigger(run, module, (head, of), text, settings))?;
        run.done_without_count();
        return Ok(());
    }
    scope::atomically(run, &last, |run| make_module(run, module, kind, text, (quoted_identifier, ansi_nulls)))?;
    run.done_without_count();
    Ok(())
}

/// [`define_module`] as a statement.
fn make_module(
    run: &mut BatchRun<'_>,
    module: &ast::Module,
    kind: ModuleKind,
    text: Arc<str>,
    (quoted_identifier, ansi_nulls): (bool, bool),
) -> SqlResult<()> {
    let in_schema = definition::in_schema_of_target(run, module)?;
    let module = in_schema.as_ref().unwrap_or(module);
    let (dictionary, schema, last) = objects::place_of(run, &module.name)?;
    let catalog = Arc::clone(dictionary.catalog());
    // A trigger's table first: who is at the table is at its triggers, too.
    let watched = match &module.kind {
        ast::ModuleKind::Trigger { head, .. } => definition::watched_by(run, head)?,
        _ => None,
    };
    let known = known_module(run, module, &dictionary)?;
    let (id, (created_us, modified_us)) = numbers_of(run, module, known.as_ref(), kind, (&*dictionary, &schema))?;
    let mut def = ModuleDef {
        id,
        schema,
        name: last.to_owned(),
        kind,
        text,
        columns: Arc::default(),
        parent: watched.as_ref().map_or(ObjectId(0), Watched::id),
        order: Arc::default(),
        quoted_identifier,
        ansi_nulls,
        is_disabled: false,
        runs_as: principal_of_new(&run.ctx, (dictionary.database(), false), &module.options)?,
        is_system: matches!(&known, Some(CatalogObject::Module(old)) if old.is_system),
        created_us,
        modified_us,
    };
    let is_global = is_global_temporary(&def.name);
    // A temporary procedure is in tempdb, and its names mean objects where it is made.
    let home = Home::of(if is_global { run.ctx.facts.database } else { catalog.database() }, &def);
    if let ast::ModuleKind::View(view) = &module.kind {
        def.columns = define::check_view(run, &def.name, (&view.columns, &view.query), home)?;
    }
    let mut def = Arc::new(def);
    if let ast::ModuleKind::Trigger { head, .. } = &module.kind {
        definition::check_trigger(run, (head, module.verb), watched.as_ref(), &def)?;
        if let (Some(CatalogObject::Module(old)), Some(watched)) = (&known, &watched)
            && old.parent != def.parent
        {
            return Err(not_of_that_table(last, watched.name()));
        }
    }
    module_check::check_module(&run.ctx, &run.parsed, module, home)?;
    // What cannot be read again is not kept.
    let read = run.ctx.engine.read_module(&def)?;
    if let ModuleForm::Inline(query) = &read.form {
        let columns = define::check_inline(run, &read, query, home)?;
        def = Arc::new(ModuleDef { columns, ..ModuleDef::clone(&def) });
    }
    schema_binding::check_binding(run, home, &def).map_err(|error| error.inside(Some(&last_name(&module.name))))?;
    if let Some(CatalogObject::Module(old)) = &known {
        schema_binding::check_unbound(run, &catalog, def.id, "ALTER", &module.name)?;
        drop_rows(run, &dictionary, old)?;
    }
    objects::store_module(run, &dictionary, &def)?;
    if is_global {
        run.ctx.engine.databases().note_origin(def.id, home.database);
        if known.is_none() {
            let objects = catalog.objects();
            run.ctx.session.temp.write().note_global(def.id, &|id| objects.get(id).is_some());
        }
    }
    if let Some(watched) = &watched {
        watched.renew();
    }
    Ok(())
}

/// The object that has a module's name; kept from others when the statement may replace it.
fn known_module(
    run: &mut BatchRun<'_>,
    module: &ast::Module,
    dictionary: &Dictionary,
) -> SqlResult<Option<CatalogObject>> {
    loop {
        let known = settled::find_object(&run.ctx, &module.name)?;
        let old = match &known {
            Some(CatalogObject::Module(old)) if module.verb != DefinitionVerb::Create => old,
            _ => return Ok(known),
        };
        objects::lock_new(run, dictionary, old.id, &old.name)?;
        // Another may have altered or dropped it while this one waited.
        if dictionary.catalog().objects().is_module(old) {
            return Ok(known);
        }
    }
}

/// The number of a module that is made or replaced, and its times.
fn numbers_of(
    run: &BatchRun<'_>,
    module: &ast::Module,
    known: Option<&CatalogObject>,
    kind: ModuleKind,
    (dictionary, schema): (&Dictionary, &Schema),
) -> SqlResult<(ObjectId, (i64, i64))> {
    let last = module.name.last();
    let (catalog, now_us) = (dictionary.catalog(), run.ctx.engine.now_us().1);
    match (known, module.verb) {
        (Some(CatalogObject::Module(old)), DefinitionVerb::Alter | DefinitionVerb::CreateOrAlter)
            if old.kind == kind =>
        {
            not_in_definitions(catalog, old, "ALTER", &module.name.shown())?;
            Ok((old.id, (old.created_us, now_us)))
        }
        (Some(_), DefinitionVerb::Alter | DefinitionVerb::CreateOrAlter) => Err(not_that_kind(last, kind)),
        (None, DefinitionVerb::Alter) => Err(message::invalid_object(&module.name.shown())),
        (_, DefinitionVerb::Create | DefinitionVerb::CreateOrAlter)
            if Seeker::of(&run.ctx).is_taken(dictionary, schema.id, last)? =>
        {
            Err(message::object_exists(last))
        }
        (_, _) => Ok((catalog.next_object_id(), (now_us, now_us))),
    }
}

/// DROP of everything but tables and indexes.
pub(in crate::exec) fn drop_objects(run: &mut BatchRun<'_>, drop: &ast::DropObjects) -> SqlResult<()> {
    use ast::DropKind as D;
    match drop.kind {
        D::View => drop_modules(run, drop, &[ModuleKind::View]),
        D::Procedure => drop_modules(run, drop, &[ModuleKind::Procedure]),
        D::Trigger => match drop.on.as_ref().and_then(Scope::of) {
            Some(of) => ddl::drop_triggers(run, drop, of),
            None => drop_modules(run, drop, &[ModuleKind::Trigger]),
        },
        D::Function => drop_modules(
            run,
            drop,
            &[ModuleKind::ScalarFunction, ModuleKind::InlineFunction, ModuleKind::TableFunction],
        ),
        D::WorkloadGroup => governor::drop_groups(run, drop),
        D::User | D::Login | D::Role | D::ServerRole | D::ApplicationRole => {
            security::drop_principal(run, drop, msdb::check_owns_no_jobs)
        }
        _ => define::drop_defined(run, drop),
    }
}

/// DROP VIEW, PROCEDURE, FUNCTION, TRIGGER.
fn drop_modules(run: &mut BatchRun<'_>, drop: &ast::DropObjects, kinds: &[ModuleKind]) -> SqlResult<()> {
    drop.names.iter().try_for_each(|name| of_current_database(name, "DROP", drop.kind.words()))?;
    transaction::implicit_begin(run);
    define::drop_all(run, &drop.names, |run, name| {
        let last = name.parts.last().filter(|last| is_local_temporary(last));
        let temporary = last.filter(|_| kinds == [ModuleKind::Procedure]);
        if temporary.is_some_and(|last| temp_procedure::drop_temporary(run, last)) {
            return Ok(());
        }
        scope::forget_tables(run);
        scope::atomically(run, &last_name(name), |run| drop_module(run, drop, name, kinds))
    })?;
    run.done_without_count();
    Ok(())
}

fn drop_module(
    run: &mut BatchRun<'_>,
    drop: &ast::DropObjects,
    name: &ObjectName,
    kinds: &[ModuleKind],
) -> SqlResult<()> {
    loop {
        let def = match settled::find_object(&run.ctx, name)? {
            Some(CatalogObject::Module(def)) if kinds.contains(&def.kind) => def,
            Some(_) => return settled::not_of_kind(&run.ctx, name, drop.kind.words()),
            _ if drop.if_exists => return Ok(()),
            _ => {
                let kind = drop.kind.words().to_lowercase();
                return Err(message::cannot_drop(&kind, &name.shown()));
            }
        };
        let dictionary = settled::dictionary_of(&run.ctx, name)?;
        let watched = match def.kind {
            ModuleKind::Trigger => definition::watched_by_id(run, &dictionary, def.parent)?,
            _ => None,
        };
        objects::lock_new(run, &dictionary, def.id, &def.name)?;
        // Another may have altered or dropped it while this one waited.
        if !dictionary.catalog().objects().is_module(&def) {
            continue;
        }
        not_in_definitions(dictionary.catalog(), &def, "DROP FUNCTION", &name.shown())?;
        schema_binding::check_unbound(run, dictionary.catalog(), def.id, &format!("DROP {}", drop.kind.words()), name)?;
        definition::drop_triggers(run, &dictionary, def.id)?;
        drop_rows(run, &dictionary, &def)?;
        objects::remove_module(run, &dictionary, &def)?;
        if let Some(watched) = &watched {
            watched.renew();
        }
        return Ok(());
    }
}

/// 2110
fn not_of_that_table(trigger: &str, table: &str) -> SqlError {
    SqlError::of(2110, 1, &[&trigger, &table])
}

fn not_that_kind(name: &str, kind: ModuleKind) -> SqlError {
    SqlError::of(2010, 1, &[&name, &kind_word(kind)])
}
