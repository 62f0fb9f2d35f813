//! What the text of a schema-bound module uses: asked for while it is bound, and held to what SCHEMABINDING allows.

use std::cell::RefCell;
use std::sync::Arc;

use millpond_bind::{Home, Named};
use millpond_catalog::{ModuleDef, ObjectId, TableDef, names_equal};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlError;
use millpond_tsql::ast::ObjectName;

use millpond_bind::definition::index_list::with_indexes;
use millpond_engine::settled::part;

/// What is seen of the names of a module that is bound to what it uses.
#[derive(Default)]
pub struct Watch {
    /// The module's name as messages show it, when it is being made: its names must be fit for it.
    pub made: Option<(&'static str, String)>,
    /// The module; what stands in the texts that it names is theirs.
    pub module: ObjectId,
    /// A column that bears another name.
    pub hidden: Option<(ObjectId, String)>,
    /// The objects of its database that it uses, in the order of its text.
    pub used: RefCell<Vec<ObjectId>>,
    /// The first thing that SCHEMABINDING does not allow.
    pub refused: RefCell<Option<SqlError>>,
}

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

    /// Whether a name stands in the module's own text.
    pub fn is_own(&self, home: Option<Home>) -> bool {
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
    pub fn module(&self, ctx: &RunContext, def: &Arc<ModuleDef>) {
        self.used.borrow_mut().push(def.id);
        if !is_bound(ctx, def) {
            let name = format!("{}.{}", def.schema.name, def.name);
            self.refuse(|(kind, bound)| SqlError::of(4513, 1, &[&kind, &bound, &name]));
        }
    }

    /// 4512
    pub fn check_form(&self, name: &ObjectName) {
        if name.parts.len() == 2 && part(name, 1).is_some() {
            return;
        }
        self.refuse(|(kind, bound)| SqlError::of(4512, 1, &[&kind, &bound, &name.shown()]));
    }

    /// The first error of a module that cannot be made is reported.
    pub fn refuse(&self, why: impl FnOnce((&str, &str)) -> SqlError) {
        let Some((kind, name)) = &self.made else { return };
        let mut refused = self.refused.borrow_mut();
        if refused.is_none() {
            *refused = Some(why((kind, name)));
        }
    }

    /// The table with its hidden column under a name that nothing has.
    pub fn without_column(&self, def: Arc<TableDef>) -> Arc<TableDef> {
        let Some((_, column)) = self.hidden.as_ref().filter(|(table, _)| *table == def.id) else { return def };
        let mut other = with_indexes(&def, def.indexes.clone());
        let columns = other.columns.iter_mut().filter(|known| names_equal(&known.name, column));
        columns.for_each(|known| NO_NAME.clone_into(&mut known.name));
        Arc::new(other)
    }
}

/// A name that no text can write.
const NO_NAME: &str = "\u{0}";

/// Whether a module was made WITH SCHEMABINDING.
pub fn is_bound(ctx: &RunContext, def: &Arc<ModuleDef>) -> bool {
    def.may_be_bound() && ctx.engine.read_module(def).is_ok_and(|module| module.schema_bound)
}
