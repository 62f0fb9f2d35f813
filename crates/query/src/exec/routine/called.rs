//! The procedure that a call names, and the database that it runs in.
//!
//! ```text
//!   name                         found in              runs in                  names in it
//!   p, schema.p, db.schema.p     the name's database   the same                 the same
//!   sp_x                         there, else master    the current database     master; of one marked as the system's: there
//!   db..sp_x                     there, else master    db                       likewise
//!   #p, ##p                      the session, tempdb   where it was made        the same
//! ```
//! What always holds: a user's procedure of the database itself comes before master's. What a procedure of master asks at
//! run time (DB_NAME (), OBJECT_ID (), texts that it executes) is of the database that it runs in.

use std::sync::Arc;

use millpond_catalog::run::Run;
use millpond_catalog::run::facts::SessionFacts;
use millpond_catalog::{
    CatalogObject, ModuleDef, ModuleKind, SchemaId, is_global_temporary, is_local_temporary, names_equal,
};
use millpond_engine::engine::Engine;
use millpond_engine::module::ReadModule;
use millpond_engine::settled;
use millpond_engine::settled::{Meant, Seeker, named_database, part};
use millpond_engine::system_call::{CallArg, MsdbPart, TextProcedure};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::ObjectName;
use millpond_types::{MaxLen, SqlType, Value};

use crate::exec::batch::{BatchRun, scope, transaction};
use crate::exec::ddl::objects;
use crate::session::Session;
use millpond_engine::system_args::settled;

/// A procedure that is called.
pub(in crate::exec) struct Called {
    /// Where it runs.
    pub database: DbId,
    /// Where the names in it are looked for, if that is not where it runs.
    pub home: Option<DbId>,
    /// Where it is defined, and the types of its parameters with it.
    pub origin: DbId,
    pub module: Arc<ReadModule>,
    /// What it is a part of in msdb, if it is the server's own.
    pub part: Option<&'static MsdbPart>,
}

impl Called {
    /// The procedure that `name` led to, in the database `found`.
    ///
    /// # Errors
    /// What the parser says of its text.
    pub fn of(
        engine: &Engine,
        (found, def): (DbId, &Arc<ModuleDef>),
        name: &ObjectName,
        facts: &SessionFacts,
    ) -> SqlResult<Called> {
        let module = engine.read_module(def)?;
        if is_global_temporary(&def.name) {
            let database = engine.databases().origin_of(def.id).unwrap_or(found);
            return Ok(Called { database, home: None, origin: database, module, part: None });
        }
        let is_shared = found == DbId::MASTER && def.schema.id == SchemaId::DBO && is_system_name(name);
        if !is_shared {
            return Ok(Called { database: found, home: None, origin: found, module, part: None });
        }
        let database = named_database(engine, name)?.unwrap_or(facts.database);
        let home = Some(found).filter(|home| *home != database && !def.is_system);
        Ok(Called { database, home, origin: found, module, part: None })
    }

    /// The server's own procedure of a name, if it is one that is written in T-SQL.
    ///
    /// # Errors
    /// 911 for an unknown database.
    pub fn of_server(engine: &Engine, name: &ObjectName, facts: &SessionFacts) -> SqlResult<Option<Called>> {
        let called = |(database, found): (DbId, &'static TextProcedure)| {
            let module = engine.read_module(&found.def)?;
            Ok(Called { database, home: None, origin: database, module, part: found.part })
        };
        settled::text_procedure(engine, name, facts.database)?.map(called).transpose()
    }
}

/// Whether a procedure of that name may be master's: `sp_x`, of no schema or of `dbo`.
fn is_system_name(name: &ObjectName) -> bool {
    let last = name.parts.last().map_or("", String::as_str);
    let is_prefixed = last.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case("sp_"));
    is_prefixed && part(name, 1).is_none_or(|schema| names_equal(schema, "dbo") || names_equal(schema, "sys"))
}

/// The procedure of a name, if there is one.
///
/// # Errors
/// 911 for an unknown database, 2809 for a name that is no procedure's.
pub(in crate::exec) fn find_procedure(
    session: &Session,
    name: &ObjectName,
    facts: &SessionFacts,
) -> SqlResult<Option<Called>> {
    if let Some(last) = name.parts.last().filter(|last| is_local_temporary(last)) {
        let found = session.shared.temp.read().procedure(last).cloned();
        let called = |found: millpond_engine::temp::TempProcedure| {
            let module = session.engine.read_module(&found.def)?;
            Ok(Called { database: found.database, home: None, origin: found.database, module, part: None })
        };
        return found.map(called).transpose();
    }
    if let Some(called) = Called::of_server(&session.engine, name, facts)? {
        return Ok(Some(called));
    }
    let mut named = named_database(&session.engine, name)?;
    if name.parts.last().is_some_and(|last| is_global_temporary(last)) {
        named = Some(DbId::TEMPDB);
    }
    let database = named.unwrap_or_else(|| facts.names_database());
    let schema = if named.is_none() { facts.schema } else { SchemaId::DBO };
    let def = match seeker(session).meant(database, name, schema)? {
        Meant::Nothing => of_master(session, name)?.map(|def| (DbId::MASTER, def)),
        meant => meant.module()?,
    };
    let Some((found, def)) = def else { return Ok(None) };
    if def.kind != ModuleKind::Procedure {
        let (name, kind) = (&def.name, millpond_engine::parsed::module_text::kind_word(def.kind));
        return Err(SqlError::of(2809, 1, &[&name, &name, &kind]));
    }
    Called::of(&session.engine, (found, &def), name, facts).map(Some)
}

fn seeker(session: &Session) -> Seeker<'_> {
    Seeker::for_call(&session.engine, &session.locks, &session.shared.task, &session.facts.settings)
}

/// The procedure `sp_x` of master, which every database can call by that name alone.
fn of_master(session: &Session, name: &ObjectName) -> SqlResult<Option<Arc<ModuleDef>>> {
    if !is_system_name(name) {
        return Ok(None);
    }
    let last = ObjectName { parts: name.parts.last().cloned().into_iter().collect() };
    Ok(match seeker(session).object(DbId::MASTER, &last, SchemaId::DBO)? {
        Some(CatalogObject::Module(def)) if def.kind == ModuleKind::Procedure => Some(def),
        _ => None,
    })
}

/// What `sp_ms_marksystemobject` takes.
const MARK_PARAMS: [(&str, SqlType); 2] =
    [("@objname", SqlType::NVarChar { len: MaxLen::Limited(517) }), ("@namespace", SqlType::varchar(10))];
/// The name of the procedure that marks others.
pub(in crate::exec) const MARK: &str = "sp_MS_marksystemobject";

/// `sp_ms_marksystemobject`: a module counts as the system's own from now on.
///
/// # Errors
/// 201 without a name, 15165 for one that leads to no module.
pub(in crate::exec) fn mark_system(run: &mut BatchRun<'_>, args: &[CallArg]) -> SqlResult<i32> {
    let args = settled((MARK, &MARK_PARAMS), args.to_vec(), run.ctx.cast_rules())?;
    let is_name = |arg: &&CallArg| arg.name.as_deref().is_none_or(|name| names_equal(name, MARK_PARAMS[0].0));
    let given = args.iter().find(is_name).and_then(|arg| arg.value.as_ref()).and_then(Value::as_str);
    let missing = || message::missing_argument(MARK, MARK_PARAMS[0].0).of_call(&Arc::from(MARK));
    let given = given.ok_or_else(missing)?.to_owned();
    let unknown = || SqlError::of(15_165, 1, &[&given]);
    let name = millpond_builtin::object_name(&given).ok_or_else(unknown)?;
    transaction::implicit_begin(run);
    scope::forget_tables(run);
    scope::atomically(run, &given, |run| {
        let Some(CatalogObject::Module(def)) = settled::find_object(&run.ctx, &name)? else { return Err(unknown()) };
        let dictionary = settled::dictionary_of(&run.ctx, &name)?;
        let marked = Arc::new(ModuleDef { is_system: true, ..ModuleDef::clone(&def) });
        objects::store_module(run, &dictionary, &marked)
    })?;
    run.ctx_mut().facts.error = 0;
    Ok(0)
}
