//! Schemas, views, sequences, types and synonyms: made, changed and dropped. `sp_refreshview` and `sp_refreshsqlmodule`: a module's
//! columns become those that its query has now.

use std::sync::Arc;

use millpond_bind::{Binder, Home, Names, NewTable, ORDER_MEANS_NOTHING, Variables, declared_type};
use millpond_catalog::dictionary::{Dictionary, Io, NameSpace, name_resource, schema_resource};
use millpond_catalog::run::Run;
use millpond_catalog::{
    CatalogObject, ModuleDef, ModuleKind, ObjectId, Schema, SchemaId, SynonymDef, TableDef, UserTypeDef, UserTypeForm,
    names_equal,
};
use millpond_engine::module::{ModuleForm, ReadModule};
use millpond_engine::system_call::CallArg;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::{self as message, Place};
use millpond_tsql::ast::{
    CreateType, DataType, DropKind, DropObjects, Ident, ObjectName, Query, Statement, TypeKind, find_option,
};
use millpond_txn::lock::LockMode;
use millpond_types::{MaxLen, SqlType};

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::{SessionNames, part};
use crate::exec::batch::settled::Seeker;
use crate::exec::ddl::table::is_built_in;
use crate::exec::routine::function::function_parameters;
use crate::exec::routine::module::of_current_database;
use crate::exec::routine::system_args::{settled, text_of};

impl BatchRun<'_> {
    /// Work on definitions, all or nothing.
    pub(in crate::exec) fn defining<T>(
        &mut self,
        object: &str,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.implicit_begin();
        let ctx = self.ctx_mut();
        ctx.tables = Arc::from([]);
        ctx.sequences = Arc::from([]);
        let done = self.atomically(object, work)?;
        self.done_quietly(0);
        Ok(done)
    }

    /// Changes rows of the system tables in this session's name.
    pub(in crate::exec) fn with_io<T>(&mut self, change: impl FnOnce(&mut Io<'_, '_>) -> SqlResult<T>) -> SqlResult<T> {
        let ask = self.ctx.ask_other();
        change(&mut Io { work: &mut self.session.work, ask: &ask })
    }

    pub(in crate::exec) fn lock_new(&mut self, dictionary: &Dictionary, id: ObjectId, name: &str) -> SqlResult<()> {
        self.lock_object(dictionary.database(), id, LockMode::SchM)
            .map_err(|error| message::of_txn(error, Place { schema: "", object: name, database: dictionary.name() }))
    }

    /// Locks a schema to the end of the transaction: shared by all who put objects into it and take them out, against
    /// everybody by who makes or drops it. The built-in ones are always there.
    pub(in crate::exec) fn lock_schema(
        &mut self,
        dictionary: &Dictionary,
        schema: &Schema,
        mode: LockMode,
    ) -> SqlResult<()> {
        if is_built_in(schema.id) {
            return Ok(());
        }
        let resource = schema_resource(dictionary.database(), schema.id);
        let ask = self.ctx.ask_other();
        let place = Place { schema: "", object: &schema.name, database: dictionary.name() };
        self.session.work.lock_metadata(&ask, resource, mode).map_err(|error| message::of_txn(error, place))
    }

    /// The schema of that name, when nobody makes or drops it; it stays to the end of the transaction.
    pub(in crate::exec) fn settled_schema(&mut self, dictionary: &Dictionary, name: &str) -> SqlResult<Option<Schema>> {
        loop {
            let Some(schema) = Seeker::of(&self.ctx).schema(dictionary, name)? else { return Ok(None) };
            self.lock_schema(dictionary, &schema, LockMode::SchS)?;
            let objects = dictionary.catalog().objects();
            if objects.schema(name).is_some_and(|found| found.id == schema.id) {
                return Ok(Some(schema));
            }
        }
    }

    /// A view's query must bind, and its columns have names.
    pub(in crate::exec) fn check_view(
        &mut self,
        name: &str,
        (columns, query): (&[Ident], &Query),
        home: Home,
    ) -> SqlResult<Arc<[String]>> {
        let names = SessionNames::of(&self.ctx);
        let mut binder = Binder::new(&names, &self.variables).at_home(home);
        let bound = binder.stored_query(query).map_err(|error| match error.number {
            208 if error.text.contains("'#") => of_temporary_table(),
            _ => error,
        })?;
        if binder.tables.iter().any(|used| used.def.is_temporary()) {
            return Err(of_temporary_table());
        }
        if bound.into.is_some() || !bound.assign.is_empty() {
            return Err(message::syntax_near("INTO"));
        }
        check_view_columns(name, columns, bound.names)
    }

    /// What can be told of an inline function's query before it is used: its order, and the names of its columns if it
    /// binds.
    pub(in crate::exec) fn check_inline(
        &mut self,
        module: &ReadModule,
        query: &Query,
        home: Home,
    ) -> SqlResult<Arc<[String]>> {
        let mut variables = Variables::default();
        for parameter in function_parameters(&self.ctx, module, home)? {
            variables.declare(&parameter.name, parameter.sql);
        }
        let names = SessionNames::of(&self.ctx);
        match Binder::new(&names, &variables).at_home(home).stored_query(query) {
            Ok(bound) => check_view_columns(&module.def.name, &[], bound.names),
            Err(error) if error.number == ORDER_MEANS_NOTHING => Err(error),
            Err(_) => Ok(Arc::default()),
        }
    }

    pub(in crate::exec) fn create_schema(&mut self, name: &str) -> SqlResult<()> {
        self.defining(name, |run| {
            let dictionary = run.ctx.engine.databases().dictionary(run.ctx.facts.database)?;
            if run.settled_schema(&dictionary, name)?.is_some() {
                return Err(message::object_exists(name));
            }
            let schema = Schema { id: dictionary.catalog().next_schema_id(), name: Arc::from(name) };
            run.lock_schema(&dictionary, &schema, LockMode::SchM)?;
            run.with_io(|io| dictionary.put_schema(io, &schema))
        })
    }

    pub(in crate::exec) fn create_synonym(&mut self, name: &ObjectName, base: &ObjectName) -> SqlResult<()> {
        of_current_database(name, "CREATE", "synonym")?;
        let last = name.last().clone();
        self.defining(&last, |run| {
            let home = run.home_of(name)?;
            let id = home.dictionary.catalog().next_object_id();
            run.lock_new(&home.dictionary, id, &last)?;
            let def = SynonymDef { id, schema: home.schema, name: last.clone(), base: base.clone() };
            let times = run.times_now();
            run.with_io(|io| home.dictionary.put_synonym(io, &Arc::new(def), times))
        })
    }

    pub(in crate::exec) fn create_type(&mut self, statement: &Statement, create: &CreateType) -> SqlResult<()> {
        let span = statement.span.start as usize..statement.span.end as usize;
        let text = self.parsed.text.get(span).unwrap_or_default().to_owned();
        self.make_type(create, &text)
    }

    /// Makes a type, whose definition is `text`.
    pub(in crate::exec) fn make_type(&mut self, create: &CreateType, text: &str) -> SqlResult<()> {
        let last = create.name.last().clone();
        self.defining(&last, |run| {
            let dictionary = run.dictionary_of(&create.name)?;
            let schema_name = part(&create.name, 1).unwrap_or("dbo");
            let schema = run.settled_schema(&dictionary, schema_name)?;
            let schema = schema.ok_or_else(|| message::invalid_object(schema_name))?;
            let known = Seeker::of(&run.ctx).user_type(dictionary.database(), &create.name, SchemaId::DBO)?;
            if known.is_some() || millpond_types::parse_type_name(&last, &[]).is_ok() {
                return Err(message::type_exists(&schema.name, &last));
            }
            let form = match &create.kind {
                TypeKind::Alias { data_type, nullable } => {
                    let nullable = nullable.unwrap_or(run.ctx.facts.settings.ansi_null_default_on);
                    UserTypeForm::Alias { sql: declared_type(data_type)?, nullable }
                }
                TypeKind::Table(definition) => {
                    let memory_optimized =
                        find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|o| o.is("ON"));
                    let names = SessionNames::of(&run.ctx);
                    let mut binder = Binder::new(&names, &run.variables);
                    let new = NewTable::temporary(&format!("@{last}"));
                    let def = Arc::new(binder.table_definition(&new, definition)?);
                    UserTypeForm::Table { def, memory_optimized }
                }
            };
            let id = dictionary.catalog().next_type_id();
            let def = Arc::new(UserTypeDef { id, schema, name: last.clone(), form });
            run.with_io(|io| dictionary.put_type(io, &def, Some(text)))
        })
    }

    /// DROP of what is neither table nor module.
    pub(in crate::exec) fn drop_defined(&mut self, drop: &DropObjects) -> SqlResult<()> {
        if drop.kind == DropKind::Synonym {
            drop.names.iter().try_for_each(|name| of_current_database(name, "DROP", "synonym"))?;
        }
        match drop.kind {
            DropKind::Database => self.drop_databases(&drop.names, drop.if_exists),
            DropKind::Schema => self.drop_each(drop, |run, name| run.drop_schema(name)),
            DropKind::Type => self.drop_each(drop, |run, name| run.drop_type(name)),
            DropKind::Sequence => self.drop_each(drop, |run, name| run.drop_named(name, "SO")),
            DropKind::Synonym => self.drop_each(drop, |run, name| run.drop_named(name, "SN")),
            DropKind::Statistics => self.drop_statistics(drop),
            other => Err(message::missing(&format!("DROP {}", other.words()))),
        }
    }

    fn drop_each(
        &mut self,
        drop: &DropObjects,
        one: impl Fn(&mut Self, &ObjectName) -> SqlResult<bool>,
    ) -> SqlResult<()> {
        self.drop_all(&drop.names, |run, name| {
            let last = name.last().clone();
            run.defining(&last, |run| {
                if one(run, name)? {
                    return Ok(());
                }
                run.not_of_kind(name, drop.kind.words())?;
                if drop.if_exists {
                    return Ok(());
                }
                Err(message::cannot_drop(&drop.kind.words().to_lowercase(), &name.shown()))
            })
        })
    }

    /// Drops each object of a list: one that cannot be dropped keeps no other from it, unless its error ends more than the
    /// statement. All that were refused are told.
    ///
    /// # Errors
    /// The last object's, after those of others.
    pub(in crate::exec) fn drop_all(
        &mut self,
        names: &[ObjectName],
        mut one: impl FnMut(&mut Self, &ObjectName) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let mut refused: Option<SqlError> = None;
        for name in names {
            let Err(error) = one(self, name) else { continue };
            let ends = self.ctx.facts.settings.xact_abort || message::ends(&error) > message::Ends::Statement;
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
    fn drop_named(&mut self, name: &ObjectName, kind: &str) -> SqlResult<bool> {
        let dictionary = self.dictionary_of(name)?;
        let id = loop {
            let found = self.find_object(name)?.filter(|object| object.code() == kind);
            let Some(object) = found else { return Ok(false) };
            self.lock_schema(&dictionary, object.schema(), LockMode::SchS)?;
            self.lock_new(&dictionary, object.id(), object.name())?;
            // Another may have dropped or renamed it while this one waited.
            if self.find_object(name)?.is_some_and(|now| now.id() == object.id()) {
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
        self.with_io(|io| dictionary.drop_object(io, id))?;
        Ok(true)
    }

    fn drop_schema(&mut self, name: &ObjectName) -> SqlResult<bool> {
        let dictionary = self.ctx.engine.databases().dictionary(self.ctx.facts.names_database())?;
        let last = name.last();
        let Some(schema) = Seeker::of(&self.ctx).schema(&dictionary, last)? else { return Ok(false) };
        if is_built_in(schema.id) {
            return Err(SqlError::of(15150, 1, &[&last]));
        }
        // Who puts an object into it, or took one out, may still roll back.
        self.lock_schema(&dictionary, &schema, LockMode::SchM)?;
        let objects = dictionary.catalog().objects();
        if objects.schema(last).is_none_or(|found| found.id != schema.id) {
            return self.drop_schema(name);
        }
        let object = objects.iter().find(|object| object.schema().id == schema.id).map(CatalogObject::name);
        let of_type = || objects.user_types().find(|ty| ty.schema.id == schema.id).map(|ty| ty.name.as_str());
        if let Some(object) = object.or_else(of_type) {
            return Err(in_use("drop schema", last, object));
        }
        let id = schema.id;
        self.with_io(|io| dictionary.drop_schema(io, id))?;
        Ok(true)
    }

    fn drop_type(&mut self, name: &ObjectName) -> SqlResult<bool> {
        let dictionary = self.dictionary_of(name)?;
        let find = |run: &Self| Seeker::of(&run.ctx).user_type(dictionary.database(), name, SchemaId::DBO);
        let Some(ty) = find(self)? else { return Ok(false) };
        // Whose table uses it may not be committed yet.
        self.lock_schema(&dictionary, &ty.schema, LockMode::SchS)?;
        let is_new = self.with_io(|io| dictionary.claim_type(io, &ty))?;
        let objects = dictionary.catalog().objects();
        if objects.user_type_by_id(ty.id).is_none() {
            return self.drop_type(name);
        }
        let full = format!("{}.{}", ty.schema.name, ty.name);
        let user =
            objects.tables().find(|def| def.columns.iter().any(|column| column.user_type.as_ref() == Some(&full)));
        let user = user.map(|def| def.name.clone());
        drop(objects);
        let user = match user {
            None => self.module_with(&dictionary, &ty)?,
            user => user,
        };
        if let Some(user) = user {
            if is_new {
                let resource = name_resource(dictionary.database(), NameSpace::Types, ty.schema.id, &ty.name);
                self.session.work.unlock_metadata(resource);
            }
            return Err(SqlError::of(3732, 1, &[&full, &user]));
        }
        let id = ty.id;
        self.with_io(|io| dictionary.drop_type(io, id))?;
        // Texts know the types of their variables, and nothing tells them of another type of the same name.
        self.ctx.engine.forget_plans();
        Ok(true)
    }

    /// The name of a procedure or function that has a parameter, or gives a value, of a type.
    fn module_with(&self, dictionary: &Arc<Dictionary>, ty: &UserTypeDef) -> SqlResult<Option<String>> {
        let modules: Vec<Arc<ModuleDef>> = dictionary
            .catalog()
            .objects()
            .iter()
            .filter_map(|object| match object {
                CatalogObject::Module(def) => Some(Arc::clone(def)),
                _ => None,
            })
            .collect();
        let names = SessionNames::of(&self.ctx);
        for def in modules {
            let Ok(module) = self.ctx.engine.read_module(&def) else { continue };
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
}

/// 3729
pub(in crate::exec) fn in_use(what: &str, name: &str, user: &str) -> SqlError {
    SqlError::of(3729, 1, &[&what, &name, &user])
}

/// 4511, 4506 and counts: the columns of a view have names, each its own.
/// 4508
fn of_temporary_table() -> SqlError {
    SqlError::of(4508, 1, &[])
}

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

impl BatchRun<'_> {
    /// # Errors
    /// 15165 where there is no such module, or a schema-bound one; 15250 for one of another database; what of its query
    /// does not bind any more.
    pub(in crate::exec) fn refresh_module(&mut self, procedure: &Refresh, args: &[CallArg]) -> SqlResult<i32> {
        let args = settled((procedure.name, procedure.params), args.to_vec(), self.ctx.cast_rules())?;
        let mut texts = procedure.texts(&args).into_iter();
        let missing = || message::missing_argument(procedure.name, procedure.params[0].0);
        let given = texts.next().flatten().ok_or_else(|| missing().of_call(&Arc::from(procedure.name)))?;
        if texts.next().flatten().is_some() {
            return Err(message::missing("A trigger of DDL"));
        }
        let unknown = || SqlError::of(15_165, 1, &[&given]);
        let name = millpond_builtin::object_name(&given).ok_or_else(unknown)?;
        if part(&name, 2).is_some_and(|database| !names_equal(database, &self.ctx.facts.database_name)) {
            return Err(SqlError::of(15_250, 1, &[]));
        }
        self.implicit_begin();
        self.forget_tables();
        self.atomically(&given, |run| {
            loop {
                let Some(CatalogObject::Module(def)) = run.find_object(&name)? else { return Err(unknown()) };
                let dictionary = run.dictionary_of(&name)?;
                run.lock_new(&dictionary, def.id, &def.name)?;
                // Another may have altered or dropped it while this one waited.
                if !dictionary.catalog().objects().is_module(&def) {
                    continue;
                }
                if procedure.of_views && def.kind != ModuleKind::View {
                    return Err(unknown());
                }
                let home = Home::of(dictionary.database(), &def);
                let columns = run.columns_now(&def, home)?.ok_or_else(unknown)?;
                let modified_us = run.ctx.engine.now_us().1;
                return run.store_module(
                    &dictionary,
                    &Arc::new(ModuleDef { columns, modified_us, ..ModuleDef::clone(&def) }),
                );
            }
        })?;
        self.ctx_mut().facts.error = 0;
        Ok(0)
    }

    /// The columns of the module's query as it binds now; none of a schema-bound one.
    fn columns_now(&mut self, def: &Arc<ModuleDef>, home: Home) -> SqlResult<Option<Arc<[String]>>> {
        if crate::exec::ddl::schema_binding::is_bound(&self.ctx, def) {
            return Ok(None);
        }
        let read = self.ctx.engine.read_module(def)?;
        match &read.form {
            ModuleForm::View { columns, query, .. } => self.check_view(&def.name, (columns, query), home).map(Some),
            ModuleForm::Inline(query) => self.check_inline(&read, query, home).map(Some),
            _ => Ok(Some(Arc::clone(&def.columns))),
        }
    }
}
