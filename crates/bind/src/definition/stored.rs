//! Expressions that are kept as text in the system tables: DEFAULT, CHECK, computed columns, filters of indexes.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::dictionary::{BindText, DefinitionBinder};
use millpond_catalog::expr::{BoundExpr, ExprType, FunctionParameter, UserFunction};
use millpond_catalog::function_body::LateBody;
use millpond_catalog::{
    CatalogObject, ColumnDef, DatabaseCatalog, DatabaseObjects, ModuleDef, ModuleKind, SequenceDef, TableDef,
    UserTypeDef, UserTypeForm, names_equal,
};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, Expr, ObjectName, QueryBody, Select, SelectItem, StatementKind, TypeKind, find_option};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::binder::Binder;
use crate::binder::declared::declared_type;
use crate::binder::names::{Home, Named, Names, Variables};
use crate::definition::new_table::NewTable;
use crate::definition::over_table::over_columns;
use crate::definition::table::defaulting;

/// The names that an expression of a definition sees: functions and sequences of its own database.
pub struct StoredNames {
    database: DbId,
    name: Arc<str>,
    collation: Collation,
    objects: Arc<DatabaseObjects>,
}

/// The binder of a dictionary's texts.
#[derive(Debug)]
pub struct StoredBinder;

impl DefinitionBinder for StoredBinder {
    fn names(&self, catalog: &DatabaseCatalog, database: &Arc<str>) -> Box<dyn BindText> {
        Box::new(StoredNames::new(catalog, database))
    }

    fn table_type(&self, catalog: &DatabaseCatalog, database: &Arc<str>, text: &str) -> SqlResult<UserTypeForm> {
        stored_table_type(&StoredNames::new(catalog, database), text)
    }
}

impl BindText for StoredNames {
    fn default(&self, text: &str, ty: ExprType) -> SqlResult<BoundExpr> {
        stored_scalar(self, text, ty.sql)
    }

    fn computed(&self, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
        stored_value(self, text, table, columns)
    }

    fn condition(&self, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
        stored_condition(self, text, table, columns)
    }
}

impl StoredNames {
    /// The names of a database as they are now.
    #[must_use]
    pub fn new(catalog: &DatabaseCatalog, name: &Arc<str>) -> StoredNames {
        let objects = catalog.objects();
        StoredNames { database: catalog.database(), name: Arc::clone(name), collation: objects.collation, objects }
    }

    /// The same as if the database were of another collation.
    #[must_use]
    pub fn in_collation(self, collation: Collation) -> StoredNames {
        StoredNames { collation, ..self }
    }

    fn object(&self, name: &ObjectName) -> Option<&CatalogObject> {
        let (last, before) = name.parts.split_last()?;
        let (schema, database) = match before {
            [] => ("", ""),
            [schema] => (schema.as_str(), ""),
            [.., database, schema] => (schema.as_str(), database.as_str()),
        };
        if !database.is_empty() && !names_equal(database, &self.name) {
            return None;
        }
        let schema = self.objects.schema(if schema.is_empty() { "dbo" } else { schema })?;
        self.objects.find(schema.id, last)
    }

    /// The function of a module's text.
    fn function(&self, def: &Arc<ModuleDef>) -> SqlResult<UserFunction> {
        let options = ParseOptions { quoted_identifier: def.quoted_identifier };
        let batch = parse_batch(&def.text, options).map_err(message::of_syntax)?;
        let module = batch.statements.into_iter().find_map(|statement| match statement.kind {
            StatementKind::Module(module) => Some(module.kind),
            _ => None,
        });
        let Some(ast::ModuleKind::Function { parameters, returns: ast::Returns::Scalar(returns), .. }) = module else {
            return Err(message::invalid_object(&def.name));
        };
        let (variables, page) = (Variables::default(), self.collation.page());
        let parameter = |parameter: ast::ParameterDeclaration| {
            let sql = declared_type(&parameter.data_type)?.in_page(page);
            let bind = |default: &Expr| {
                let mut binder = Binder::new(self, &variables);
                let bound = binder.expression(default)?;
                binder.converted(bound, sql)
            };
            let default = parameter.default.as_ref().map(bind).transpose()?;
            Ok(FunctionParameter { name: parameter.name, sql, default, table: None })
        };
        Ok(UserFunction {
            name: format!("{}.{}", def.schema.name, def.name),
            parameters: parameters.into_iter().map(parameter).collect::<SqlResult<_>>()?,
            returns: declared_type(&returns)?.in_page(page),
            inline: None,
            uses: vec![(self.database, Arc::clone(def))],
            needs: Vec::new(),
            body: Arc::new(LateBody { database: self.database, id: def.id }),
        })
    }
}

impl Names for StoredNames {
    fn relation(&self, _: &ObjectName, _: Option<Home>) -> SqlResult<Option<Named>> {
        Ok(None)
    }

    fn database(&self, _: &ObjectName, _: Option<Home>) -> SqlResult<Option<DbId>> {
        Ok(Some(self.database))
    }

    fn table_function(&self, _: &ObjectName) -> Option<&'static TableFunctionDef> {
        None
    }

    fn scalar_function(&self, name: &ObjectName, _: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        match self.object(name) {
            Some(CatalogObject::Module(def)) if def.kind == ModuleKind::ScalarFunction => {
                self.function(def).map(|function| Some(Arc::new(function)))
            }
            _ => Ok(None),
        }
    }

    fn sequence(&self, name: &ObjectName, _: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        Ok(match self.object(name) {
            Some(CatalogObject::Sequence(def)) => Some((self.database, Arc::clone(def))),
            _ => None,
        })
    }

    fn user_table_function(
        &self,
        _: &ObjectName,
        _: Option<Home>,
    ) -> SqlResult<Option<Arc<millpond_catalog::rel::UserTableFunction>>> {
        Ok(None)
    }

    fn in_function(&self) -> bool {
        false
    }

    fn user_type(&self, name: &ObjectName, _: Option<Home>) -> SqlResult<Option<Arc<UserTypeDef>>> {
        Ok(user_type_named(&self.objects, &name.parts).cloned())
    }

    fn identity_insert(&self, _: &TableDef) -> bool {
        false
    }

    fn null_by_default(&self) -> bool {
        true
    }

    fn collation_of(&self, _: DbId) -> Collation {
        self.collation
    }

    fn dialect(&self) -> Dialect {
        Dialect::default().with_collation(self.collation)
    }
}

/// The default of a column of a type, as it was written: it sees no columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_scalar(names: &StoredNames, text: &str, target: SqlType) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT {text}"), |select| match select.items.into_iter().next() {
        Some(SelectItem::Expr { expr, .. }) => Some(expr),
        _ => None,
    })?;
    let variables = Variables::default();
    let mut binder = Binder::new(names, &variables);
    // What stood in the definition was looked at then.
    binder.in_default = true;
    let bound = binder.expression(&expr)?;
    defaulting(bound, target)
}

/// A value over a table's columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_value(names: &StoredNames, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT {text}"), |select| match select.items.into_iter().next() {
        Some(SelectItem::Expr { expr, .. }) => Some(expr),
        _ => None,
    })?;
    let variables = Variables::default();
    over_columns(&mut Binder::new(names, &variables), table, columns, |binder| binder.expression(&expr))
}

/// A condition over a table's columns.
///
/// # Errors
/// What does not parse or bind.
pub fn stored_condition(names: &StoredNames, text: &str, table: &str, columns: &[ColumnDef]) -> SqlResult<BoundExpr> {
    let expr = parsed(&format!("SELECT 1 WHERE {text}"), |select| select.filter)?;
    let variables = Variables::default();
    over_columns(&mut Binder::new(names, &variables), table, columns, |binder| binder.condition(&expr))
}

/// The form of a table type, of the statement that made it.
///
/// # Errors
/// What does not parse or bind.
fn stored_table_type(names: &StoredNames, text: &str) -> SqlResult<UserTypeForm> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true }).map_err(message::of_stored_syntax)?;
    let created = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::CreateType(created) => Some(*created),
        _ => None,
    });
    let Some((name, TypeKind::Table(definition))) = created.map(|created| (created.name, created.kind)) else {
        return Err(message::syntax_near("TYPE"));
    };
    let variables = Variables::default();
    let mut binder = Binder::new(names, &variables);
    let name = format!("@{}", name.parts.last().map_or("", String::as_str));
    let memory_optimized = find_option(&definition.options.with, "MEMORY_OPTIMIZED").is_some_and(|o| o.is("ON"));
    let def = Arc::new(binder.table_definition(&NewTable::temporary(&name), &definition)?);
    Ok(UserTypeForm::Table { def, memory_optimized })
}

/// A user type by the parts of its name: of `dbo` without a schema, of this database whatever a third part says.
pub(super) fn user_type_named<'o>(objects: &'o DatabaseObjects, parts: &[String]) -> Option<&'o Arc<UserTypeDef>> {
    let (last, before) = parts.split_last()?;
    let schema = before.last().filter(|schema| !schema.is_empty()).map_or("dbo", String::as_str);
    objects.user_type(objects.schema(schema)?.id, last)
}

fn parsed(text: &str, part: impl FnOnce(Select) -> Option<Expr>) -> SqlResult<Expr> {
    let batch = parse_batch(text, ParseOptions { quoted_identifier: true }).map_err(message::of_stored_syntax)?;
    let select = batch.statements.into_iter().next().and_then(|statement| match statement.kind {
        StatementKind::Select(select) => match select.query.body {
            QueryBody::Select(select) => Some(*select),
            _ => None,
        },
        _ => None,
    });
    select.and_then(part).ok_or_else(|| message::syntax_near(text))
}
