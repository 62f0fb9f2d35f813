//! What a statement needs the right to: every object that it names, with the columns that it names of it.
//!
//! ```text
//!   FROM t ──mention──▶ scope columns carry it ──a name means one──▶ its number is noted ──end of binding──▶ Need
//! ```
//! What always holds: what stands in the text of a view or an inline function is noted with that module: whether it has to be asked
//! for depends on who owns both, which the session knows when it runs. Temporary tables need nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use millpond_catalog::{ObjectId, TableDef};
use millpond_storage::contract::DbId;

use super::Binder;

pub use millpond_catalog::security::{Access, Need};

/// The numbers of the columns of one mention that were named.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedColumns(Rc<RefCell<BTreeSet<i32>>>);

impl NamedColumns {
    /// A name means the column.
    pub fn note(&self, column: i32) {
        self.0.borrow_mut().insert(column);
    }
}

/// An object in FROM.
#[derive(Debug)]
pub(crate) struct Mention {
    need: Need,
    named: NamedColumns,
    /// What the statement changes: it is read only where a column is named.
    is_target: bool,
}

impl Binder<'_> {
    /// An object is mentioned in FROM. The columns that are named of it are noted in what is returned.
    pub(crate) fn mention(&mut self, database: DbId, object: ObjectId) -> NamedColumns {
        let named = NamedColumns::default();
        let need = self.need(Access::Select, database, object);
        self.mentions.push(Mention { need, named: named.clone(), is_target: false });
        named
    }

    /// A view is the target of the statement, or stands between it and the target.
    pub(crate) fn mention_target(&mut self, database: DbId, view: ObjectId) -> NamedColumns {
        self.target_views.push((database, view, self.through));
        let named = NamedColumns::default();
        let need = self.need(Access::Select, database, view);
        self.mentions.push(Mention { need, named: named.clone(), is_target: true });
        named
    }

    /// The statement changes rows of a table, by way of the views that were mentioned as targets. `columns` of the table get
    /// values; none: the whole row.
    pub(crate) fn note_change(&mut self, access: Access, def: &TableDef, columns: &[usize]) {
        self.note_change_of((access, def), columns, &[]);
    }

    /// [`Binder::note_change`], where the view that the statement names is changed in the columns of these numbers. Of a view
    /// between it and the table the whole row is.
    pub(crate) fn note_change_of(&mut self, (access, def): (Access, &TableDef), columns: &[usize], of_view: &[i32]) {
        let mut through = self.through;
        for (place, (database, object, of)) in self.target_views.clone().into_iter().enumerate() {
            let columns = if place == 0 { of_view.to_vec() } else { Vec::new() };
            self.needs.push(Need { through: of, columns, ..self.need(access, database, object) });
            through = Some((database, object));
        }
        if def.is_open_to_all() {
            return;
        }
        let columns = columns.iter().map(|column| def.columns[*column].id).collect();
        self.needs.push(Need { columns, through, ..self.need(access, def.database, def.id) });
    }

    /// Something else is needed of an object.
    pub(crate) fn note_need(&mut self, access: Access, database: DbId, object: ObjectId) {
        let need = self.need(access, database, object);
        self.needs.push(need);
    }

    fn need(&self, access: Access, database: DbId, object: ObjectId) -> Need {
        Need { through: self.through, ..Need::of_object(access, database, object) }
    }

    /// `is_view` says whether the target is a view; none of a table.
    ///
    /// What OUTPUT names columns of: the view that the statement names, else the table whose rows are changed. None of a
    /// temporary table, and of a query in the place of a table: its columns were named when it was bound.
    pub(crate) fn mention_changed(&mut self, def: &TableDef, is_view: Option<bool>) -> Option<NamedColumns> {
        let need = match (is_view, self.target_views.first().copied()) {
            (None, _) if def.is_open_to_all() => return None,
            (None, _) => self.need(Access::Select, def.database, def.id),
            (Some(true), Some((database, object, through))) => {
                Need { through, ..self.need(Access::Select, database, object) }
            }
            (Some(_), _) => return None,
        };
        let named = NamedColumns::default();
        self.mentions.push(Mention { need, named: named.clone(), is_target: true });
        Some(named)
    }

    /// The object that was mentioned last is what the statement changes.
    pub(crate) fn last_is_target(&mut self) {
        if let Some(mention) = self.mentions.last_mut() {
            mention.is_target = true;
        }
    }

    /// The object that was mentioned as the `at`-th is what the statement changes.
    pub(crate) fn is_target(&mut self, at: usize) {
        if let Some(mention) = self.mentions.get_mut(at) {
            mention.is_target = true;
        }
    }

    /// All needs, those of queries first.
    #[must_use]
    pub fn take_needs(&mut self) -> Vec<Need> {
        self.target_views.clear();
        let mut needs = Vec::new();
        for mention in std::mem::take(&mut self.mentions) {
            let columns: Vec<i32> = mention.named.0.borrow().iter().copied().collect();
            if columns.is_empty() && mention.is_target {
                continue;
            }
            needs.push(Need { is_any_column: columns.is_empty(), columns, ..mention.need });
        }
        needs.append(&mut self.needs);
        needs.dedup();
        needs
    }
}
