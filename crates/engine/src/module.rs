//! Modules as they run: the text of a procedure or function, read once, with its parameters' types and defaults.
//!
//! ```text
//!   ModuleDef (text, in the catalog) ──parse──▶ ReadModule ─┬─ parameters
//!                                                          └─ body: a tree with a number of its own, the key of plans
//! ```
//! What always holds: a definition is read once while it lives; a changed one is another definition, so it is read anew.
//! Names inside are not resolved here (deferred name resolution).

use std::sync::{Arc, OnceLock, Weak};

use millpond_bind::definition::indexed_view::IndexedView;
use millpond_catalog::run::facts::TriggerColumn;
use millpond_catalog::{DatabaseObjects, ModuleDef, TableDef, UserTypeDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{
    self, DataType, Expr, ModuleBody, ObjectName, ParameterDeclaration, Query, Returns, Span, Statement, StatementKind,
    StatementNo,
};
use millpond_types::SqlType;
use parking_lot::Mutex;

use crate::parsed::{ParsedBatch, ParsedTexts};

/// A module's parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// With its `@`.
    pub name: String,
    /// As declared; an alias type is resolved when it is bound.
    pub data_type: DataType,
    /// A constant.
    pub default: Option<Expr>,
    /// OUTPUT
    pub output: bool,
    /// READONLY: of a table type.
    pub readonly: bool,
}

/// Names and types of parameters, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Each with its `@`.
    pub names: Vec<String>,
    /// As many.
    pub types: Vec<SqlType>,
}

impl Signature {
    /// Of parameters whose types are the server's own scalar ones, whatever the catalog says; none for others.
    pub fn of_plain<'p>(parameters: impl Iterator<Item = (&'p str, &'p DataType)>) -> Option<Signature> {
        let mut signature = Signature::default();
        for (name, data_type) in parameters {
            let DataType::Scalar { sql_type, .. } = data_type else { return None };
            signature.names.push(name.to_owned());
            signature.types.push(*sql_type);
        }
        Some(signature)
    }
}

/// What a module does.
#[derive(Debug)]
pub enum ModuleForm {
    /// Statements.
    Procedure(Arc<ParsedBatch>),
    /// Statements that end in RETURN of a value.
    Scalar {
        /// RETURNS
        returns: DataType,
        /// Body.
        body: Arc<ParsedBatch>,
        /// RETURNS NULL ON NULL INPUT
        null_on_null: bool,
    },
    /// One query.
    Inline(Arc<Query>),
    /// Statements that fill a table variable.
    Table {
        /// With its `@`.
        variable: String,
        /// Its columns and constraints.
        definition: Arc<ast::TableDefinition>,
        /// Body, which begins with the declaration of the variable.
        body: Arc<ParsedBatch>,
    },
    /// A query under a name.
    View {
        /// Column names, may be empty.
        columns: Vec<String>,
        /// Query.
        query: Arc<Query>,
        /// WITH CHECK OPTION
        check_option: bool,
    },
    /// Statements run by changes.
    Trigger {
        /// When.
        head: ast::TriggerHead,
        /// Body.
        body: Arc<ParsedBatch>,
    },
}

/// A module whose text has been read.
#[derive(Debug)]
pub struct ReadModule {
    /// Definition.
    pub def: Arc<ModuleDef>,
    /// Its name, for messages.
    pub name: Arc<str>,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
    /// Of all parameters, where the catalog has no say in it.
    pub signature: Option<Arc<Signature>>,
    /// What it does.
    pub form: ModuleForm,
    /// EXECUTE AS; none of who runs as its caller.
    pub context: Option<ast::ExecuteContext>,
    /// WITH RECOMPILE
    pub recompile: bool,
    /// WITH SCHEMABINDING
    pub schema_bound: bool,
    /// WITH ENCRYPTION: its text is not shown.
    pub encrypted: bool,
    /// WITH VIEW_METADATA, which is shown.
    pub view_metadata: bool,
    /// WITH INLINE = OFF
    pub not_inline: bool,
    /// Definitions of READONLY parameters, by name and type: the same ones for every call, so that plans stay.
    tables: Mutex<Vec<TableParameter>>,
    /// What a trigger sees of its table, and the table.
    trigger_tables: Mutex<Option<(Arc<TableDef>, TriggerTables)>>,
    /// What a view with an index is, over its tables as they were last.
    indexed: Mutex<Option<Arc<IndexedView>>>,
}

/// What a trigger sees of its table.
#[derive(Clone, Debug)]
pub struct TriggerTables {
    /// `inserted` and `deleted` of its shape.
    pub tables: [Arc<TableDef>; 2],
    /// Its columns.
    pub columns: Arc<[TriggerColumn]>,
}

/// The table of a READONLY parameter: the parameter's name, the type that it was made of, its definition.
type TableParameter = (String, Arc<UserTypeDef>, Arc<TableDef>);

impl ReadModule {
    /// `sys.sql_modules.execute_as_principal_id`: the number of the user that EXECUTE AS names, -2 for OWNER.
    #[must_use]
    pub fn runs_as_number(&self) -> Option<i32> {
        match self.context.as_ref()? {
            ast::ExecuteContext::Owner => Some(-2),
            _ => self.def.runs_as.map(|user| user.0),
        }
    }

    /// Whether it RETURNS NULL ON NULL INPUT.
    #[must_use]
    pub fn null_on_null(&self) -> bool {
        matches!(self.form, ModuleForm::Scalar { null_on_null: true, .. })
    }

    /// The table of a READONLY parameter; `make` makes it at the first call and when the type is another one.
    ///
    /// # Errors
    /// That of `make`.
    pub fn table_parameter(
        &self,
        name: &str,
        ty: &Arc<UserTypeDef>,
        make: impl FnOnce(&UserTypeDef, &str) -> SqlResult<Arc<TableDef>>,
    ) -> SqlResult<Arc<TableDef>> {
        let mut tables = self.tables.lock();
        tables.retain(|(known, of, _)| known != name || Arc::ptr_eq(of, ty));
        if let Some((.., def)) = tables.iter().find(|(known, ..)| known == name) {
            return Ok(Arc::clone(def));
        }
        let def = make(ty, name)?;
        tables.push((name.to_owned(), Arc::clone(ty), Arc::clone(&def)));
        Ok(def)
    }
}

impl ReadModule {
    /// What a view with an index is, over its tables as they are now.
    ///
    /// # Errors
    /// Those of [`IndexedView::of`].
    pub fn indexed_view(
        &self,
        database: (DbId, &Arc<str>),
        objects: &Arc<DatabaseObjects>,
    ) -> SqlResult<Arc<IndexedView>> {
        let mut known = self.indexed.lock();
        if let Some(known) = known.as_ref().filter(|known| known.is_of(objects)) {
            return Ok(Arc::clone(known));
        }
        let view = Arc::new(IndexedView::of(database, objects, &self.def, "")?);
        Ok(Arc::clone(known.insert(view)))
    }

    /// What the trigger sees of its table; `make` makes the definitions of `inserted` and `deleted` at the first run and when
    /// the table has changed.
    pub fn trigger_tables(
        &self,
        table: &Arc<TableDef>,
        make: impl FnOnce(&TableDef) -> [Arc<TableDef>; 2],
    ) -> TriggerTables {
        let mut known = self.trigger_tables.lock();
        match &*known {
            Some((of, seen)) if Arc::ptr_eq(of, table) => seen.clone(),
            _ => {
                let columns = table.columns.iter();
                let columns =
                    columns.map(|column| TriggerColumn { id: column.id, name: column.name.clone() }).collect();
                known.insert((Arc::clone(table), TriggerTables { tables: make(table), columns })).1.clone()
            }
        }
    }
}

/// A definition, and what was read of it, after its first use.
type Reading = (Weak<ModuleDef>, Arc<OnceLock<Arc<ReadModule>>>);

/// The modules that were read, by definition.
#[derive(Debug, Default)]
pub struct ReadModules {
    by_address: Mutex<std::collections::HashMap<usize, Reading>>,
}

/// Definitions kept before those that no code holds any more are looked for.
const SWEEP_AT: usize = 512;

impl ReadModules {
    /// The module of a definition, read at its first use.
    ///
    /// # Errors
    /// What the parser says of the text: it parsed when it was made.
    pub fn read(&self, texts: &ParsedTexts, def: &Arc<ModuleDef>) -> SqlResult<Arc<ReadModule>> {
        let address = Arc::as_ptr(def) as usize;
        let known = {
            let mut modules = self.by_address.lock();
            if modules.len() >= SWEEP_AT {
                modules.retain(|_, (def, _)| def.strong_count() > 0);
            }
            match modules.get(&address) {
                Some((held, module)) if held.upgrade().is_some_and(|held| Arc::ptr_eq(&held, def)) => {
                    Arc::clone(module)
                }
                _ => {
                    let fresh: Arc<OnceLock<Arc<ReadModule>>> = Arc::default();
                    modules.insert(address, (Arc::downgrade(def), Arc::clone(&fresh)));
                    fresh
                }
            }
        };
        if let Some(module) = known.get() {
            return Ok(Arc::clone(module));
        }
        let module = Arc::new(read(texts, def)?);
        Ok(Arc::clone(known.get_or_init(|| module)))
    }
}

fn read(texts: &ParsedTexts, def: &Arc<ModuleDef>) -> SqlResult<ReadModule> {
    let options = ParseOptions { quoted_identifier: def.quoted_identifier };
    let batch = millpond_tsql::parse_batch(&def.text, options).map_err(message::of_syntax)?;
    let relations = batch.relations;
    let module = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::Module(module) => Some((statement.number, *module)),
        _ => None,
    });
    let (number, module) = module.ok_or_else(|| not_a_module(&def.name))?;
    let has =
        |wanted: &str| module.options.iter().any(|o| matches!(o, ast::ModuleOption::Word(word) if word == wanted));
    let [recompile, schema_bound, encrypted, view_metadata] =
        ["RECOMPILE", "SCHEMABINDING", "ENCRYPTION", "VIEW_METADATA"].map(has);
    let context = module.options.iter().find_map(|option| match option {
        ast::ModuleOption::ExecuteAs(ast::ExecuteContext::Caller) => None,
        ast::ModuleOption::ExecuteAs(context) => Some(context.clone()),
        _ => None,
    });
    let not_inline = module.options.contains(&ast::ModuleOption::Inline(false));
    let null_on_null = module.options.contains(&ast::ModuleOption::ReturnsNullOnNullInput);
    let (parameters, form) = form_of(texts, def, (number, module.kind), (null_on_null, relations))?;
    let plain = parameters.iter().map(|parameter| (parameter.name.as_str(), &parameter.data_type));
    let signature = Signature::of_plain(plain).map(Arc::new);
    Ok(ReadModule {
        signature,
        def: Arc::clone(def),
        name: Arc::from(def.name.as_str()),
        parameters,
        form,
        context,
        recompile,
        schema_bound,
        encrypted,
        view_metadata,
        not_inline,
        tables: Mutex::default(),
        trigger_tables: Mutex::default(),
        indexed: Mutex::default(),
    })
}

fn form_of(
    texts: &ParsedTexts,
    def: &ModuleDef,
    (number, kind): (StatementNo, ast::ModuleKind),
    (null_on_null, relations): (bool, Vec<Span>),
) -> SqlResult<(Vec<Parameter>, ModuleForm)> {
    let statements = |body: ModuleBody| match body {
        ModuleBody::Statements(statements) => {
            let batch =
                ast::Batch { statements, variables: Vec::new(), relations, mentions: Vec::new(), has_password: false };
            Ok(texts.number_tree(Arc::clone(&def.text), batch))
        }
        ModuleBody::Query(_) => Err(not_a_module(&def.name)),
        ModuleBody::External(name) => Err(external(&name)),
    };
    Ok(match kind {
        ast::ModuleKind::View(view) => {
            let ast::View { columns, query, check_option } = *view;
            (Vec::new(), ModuleForm::View { columns, query: Arc::new(query), check_option })
        }
        ast::ModuleKind::Procedure { parameters, body, .. } => {
            (parameters.into_iter().map(parameter).collect(), ModuleForm::Procedure(statements(body)?))
        }
        ast::ModuleKind::Function { parameters, returns, body } => {
            let form = match (returns, body) {
                (Returns::Query, ModuleBody::Query(query)) => ModuleForm::Inline(Arc::from(query)),
                (Returns::Scalar(returns), body) => {
                    ModuleForm::Scalar { returns, body: statements(body)?, null_on_null }
                }
                (Returns::Table { variable, definition }, ModuleBody::Statements(mut body)) => {
                    let kind =
                        StatementKind::DeclareTable { name: variable.clone(), definition: (*definition).clone() };
                    // The number of the statement that makes the function: none of its body has it.
                    body.insert(0, Statement { kind, span: Span { start: 0, end: 0, line: 1 }, number });
                    let body = statements(ModuleBody::Statements(body))?;
                    ModuleForm::Table { variable, definition: Arc::from(definition), body }
                }
                (Returns::Table { .. }, ModuleBody::Query(_)) => return Err(not_a_module(&def.name)),
                (Returns::Table { .. }, ModuleBody::External(name)) => return Err(external(&name)),
                (Returns::Query, ModuleBody::External(name)) => return Err(external(&name)),
                (Returns::Query, ModuleBody::Statements(_)) => return Err(not_a_module(&def.name)),
            };
            (parameters.into_iter().map(parameter).collect(), form)
        }
        ast::ModuleKind::Trigger { head, body } => (Vec::new(), ModuleForm::Trigger { head, body: statements(body)? }),
    })
}

fn parameter(declared: ParameterDeclaration) -> Parameter {
    let ParameterDeclaration { name, data_type, default, output, readonly, .. } = declared;
    Parameter { name, data_type, default, output, readonly }
}

fn external(name: &ObjectName) -> SqlError {
    message::missing(&format!("EXTERNAL NAME {}", name.shown()))
}

fn not_a_module(name: &str) -> SqlError {
    SqlError::of(15_197, 1, &[&name])
}
