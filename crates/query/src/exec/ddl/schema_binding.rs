//! WITH SCHEMABINDING: what such a module uses stays as it is while the module is there.
//!
//! What always holds: what a module uses is found by binding its text, never kept beside it; whether it uses a column, by
//! binding it as if the column had another name.

use std::cell::RefCell;
use std::sync::Arc;

use millpond_bind::{Home, Named};
use millpond_catalog::{CatalogObject, DatabaseCatalog, ModuleDef, ModuleKind, ObjectId, TableDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ObjectName, StatementKind};
use millpond_tsql::{ParseOptions, parse_batch};

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::part;
use crate::exec::ddl::column_users::refused;
use crate::exec::ddl::define::in_use;
use crate::exec::ddl::index::with_indexes;
use crate::exec::ddl::table::Open;
use crate::exec::routine::module_check::{self, ModuleText};

/// What is seen of the names of a module that is bound to what it uses.
#[derive(Default)]
pub(in crate::exec) struct Watch {
    /// The module's name as messages show it, when it is being made: its names must be fit for it.
    made: Option<(&'static str, String)>,
    /// The module; what stands in the texts that it names is theirs.
    module: ObjectId,
    /// A column that bears another name.
    hidden: Option<(ObjectId, String)>,
    used: RefCell<Vec<ObjectId>>,
    refused: RefCell<Option<SqlError>>,
}

/// A name that no text can write.
const NO_NAME: &str = "\u{0}";

impl Watch {
    /// Whether `*` is refused.
    pub fn is_strict(&self) -> bool {
        self.made.is_some()
    }

    /// The relation that a name leads to, as the module is to see it.
    pub fn relation(
        &self,
        ctx: &RunContext,
        name: &ObjectName,
        home: Option<Home>,
        found: Option<Named>,
    ) -> Option<Named> {
        if !self.is_own(home) {
            return found;
        }
        self.check_form(name);
        match found {
            Some(Named::Table(def)) if !def.is_temporary() => {
                if !names_equal(&def.name, name.parts.last().map_or("", String::as_str)) {
                    self.refuse(|_| SqlError::of(2788, 1, &[]));
                }
                self.used.borrow_mut().push(def.id);
                Some(Named::Table(self.without_column(def)))
            }
            Some(Named::UserView(def, database)) => {
                self.module(ctx, &def);
                Some(Named::UserView(def, database))
            }
            Some(Named::View(view, database)) => {
                self.refuse(|(kind, bound)| SqlError::of(2720, 1, &[&kind, &bound, &view.name]));
                Some(Named::View(view, database))
            }
            other => other,
        }
    }

    fn is_own(&self, home: Option<Home>) -> bool {
        home.is_some_and(|home| home.module == self.module)
    }

    /// A function is used.
    pub fn function(&self, ctx: &RunContext, name: &ObjectName, home: Option<Home>, def: &Arc<ModuleDef>) {
        if self.is_own(home) {
            self.check_form(name);
            self.module(ctx, def);
        }
    }

    /// A view or function is used.
    fn module(&self, ctx: &RunContext, def: &Arc<ModuleDef>) {
        self.used.borrow_mut().push(def.id);
        if !is_bound(ctx, def) {
            let name = format!("{}.{}", def.schema.name, def.name);
            self.refuse(|(kind, bound)| SqlError::of(4513, 1, &[&kind, &bound, &name]));
        }
    }

    /// 4512
    fn check_form(&self, name: &ObjectName) {
        if name.parts.len() == 2 && part(name, 1).is_some() {
            return;
        }
        self.refuse(|(kind, bound)| SqlError::of(4512, 1, &[&kind, &bound, &name.shown()]));
    }

    /// The first thing that a module cannot be made with is told.
    fn refuse(&self, why: impl FnOnce((&str, &str)) -> SqlError) {
        let Some((kind, name)) = &self.made else { return };
        let mut refused = self.refused.borrow_mut();
        if refused.is_none() {
            *refused = Some(why((kind, name)));
        }
    }

    fn without_column(&self, def: Arc<TableDef>) -> Arc<TableDef> {
        let Some((_, column)) = self.hidden.as_ref().filter(|(table, _)| *table == def.id) else { return def };
        let mut other = with_indexes(&def, def.indexes.clone());
        let columns = other.columns.iter_mut().filter(|known| names_equal(&known.name, column));
        columns.for_each(|known| NO_NAME.clone_into(&mut known.name));
        Arc::new(other)
    }
}

/// Whether a module was made WITH SCHEMABINDING.
pub(in crate::exec) fn is_bound(ctx: &RunContext, def: &Arc<ModuleDef>) -> bool {
    def.may_be_bound() && ctx.engine.read_module(def).is_ok_and(|module| module.schema_bound)
}

/// Binds the text of a module under a watch.
fn bind(ctx: &RunContext, home: Home, def: &ModuleDef, watch: &Watch) -> SqlResult<()> {
    let options = ParseOptions { quoted_identifier: def.quoted_identifier };
    let batch = parse_batch(&def.text, options).map_err(message::of_syntax)?;
    let module = batch.statements.iter().find_map(|statement| match &statement.kind {
        StatementKind::Module(module) => Some(module),
        _ => None,
    });
    let text = ModuleText { text: &def.text, uses: &batch.variables, relations: &batch.relations };
    module.map_or(Ok(()), |module| module_check::check_watched(ctx, module, home, &text, Some(watch)))
}

impl BatchRun<'_> {
    /// Whether a view or function that is being made WITH SCHEMABINDING may be.
    ///
    /// # Errors
    /// 4512 for a name that is not in two parts, 4513 for a module that is not bound itself, 2720 for a system object,
    /// 2788 for a synonym, 1054 for `*`.
    pub(in crate::exec) fn check_binding(&self, home: Home, def: &Arc<ModuleDef>) -> SqlResult<()> {
        let kind = match def.kind {
            ModuleKind::View => "view",
            ModuleKind::ScalarFunction | ModuleKind::InlineFunction | ModuleKind::TableFunction => "function",
            ModuleKind::Procedure | ModuleKind::Trigger => return Ok(()),
        };
        if !is_bound(&self.ctx, def) {
            return Ok(());
        }
        let made = Some((kind, format!("{}.{}", def.schema.name, def.name)));
        let watch = Watch { made, module: def.id, ..Watch::default() };
        let bound = bind(&self.ctx, home, def, &watch);
        match watch.refused.take() {
            Some(refused) => Err(refused),
            None => bound,
        }
    }

    /// The names of the modules that are bound to an object, in the order in which they were made.
    fn bound_to(&self, catalog: &DatabaseCatalog, id: ObjectId, column: Option<&str>) -> Vec<String> {
        let objects = catalog.objects();
        let modules = objects.may_be_bound().filter_map(|module| match objects.get(module) {
            Some(CatalogObject::Module(def)) if def.id != id => Some(def),
            _ => None,
        });
        let uses = |def: &&Arc<ModuleDef>| {
            if !is_bound(&self.ctx, def) {
                return false;
            }
            let home = Home::of(catalog.database(), def);
            let watch = Watch { module: def.id, ..Watch::default() };
            let _ = bind(&self.ctx, home, def, &watch);
            if !watch.used.borrow().contains(&id) {
                return false;
            }
            let Some(column) = column else { return true };
            let watch = Watch { module: def.id, hidden: Some((id, column.to_owned())), ..Watch::default() };
            bind(&self.ctx, home, def, &watch).is_err()
        };
        modules.filter(uses).map(|def| def.name.clone()).collect()
    }

    /// 3729: an object that a bound module uses is neither dropped nor, if it is a module, altered.
    pub(in crate::exec) fn check_unbound(
        &self,
        catalog: &DatabaseCatalog,
        id: ObjectId,
        what: &str,
        name: &ObjectName,
    ) -> SqlResult<()> {
        match self.bound_to(catalog, id, None).first() {
            Some(user) => Err(in_use(what, &name.shown(), user)),
            None => Ok(()),
        }
    }

    /// 5074 and 4922: a column that a bound module uses is neither dropped nor altered.
    pub(in crate::exec) fn check_column_unbound(&mut self, open: &Open, column: &str, what: &str) -> SqlResult<()> {
        let users = self.bound_to(open.dictionary.catalog(), open.def.id, Some(column));
        if users.is_empty() {
            return Ok(());
        }
        let users = users.into_iter().map(|user| format!("object '{user}'")).collect();
        refused(users, column, what).map_or(Ok(()), Err)
    }

    /// 15336: what a bound module uses keeps its name.
    pub(in crate::exec) fn check_renamed(
        &self,
        catalog: &DatabaseCatalog,
        id: ObjectId,
        column: Option<&str>,
        name: &str,
    ) -> SqlResult<()> {
        if self.bound_to(catalog, id, column).is_empty() {
            return Ok(());
        }
        Err(SqlError::of(15_336, 1, &[&name]))
    }
}
