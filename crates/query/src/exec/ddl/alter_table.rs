//! ALTER TABLE. Rows are written anew only where their form changes; a nullable column at the end is a change of the
//! definition alone.

use std::sync::Arc;

use millpond_bind::{Binder, NewTable, remade_index};
use millpond_builtin::eval::{Rows, truth};
use millpond_catalog::large::{Large, all};
use millpond_catalog::run::Run;
use millpond_catalog::trees::{TableCounters, TableTrees};
use millpond_catalog::{CheckDef, ColumnDef, ForeignKeyDef, IndexDef, LockEscalation, TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    AlterColumn, AlterTable, AlterTableAction, ColumnDefinition, ConstraintKind, NamedOption, ObjectName, OptionValue,
    TableConstraint, TableDefinition, TableDrop, TableDropKind,
};
use millpond_txn::ValueHome;
use millpond_types::{SqlType, Value};

use crate::exec::batch::BatchRun;
use crate::exec::batch::names::SessionNames;
use crate::exec::batch::settled::Seeker;
use crate::exec::ddl::build::OldTable;
use crate::exec::ddl::cascade_paths::check_cascades;
use crate::exec::ddl::column_users::{altered_users_of, bound_users_of, check_becomes, refused, users_of};
use crate::exec::ddl::index::{built_now, indexes_without, name_of, wide_keys, with_indexes};
use crate::exec::ddl::new_column::{NewColumn, check_new_value};
use crate::exec::ddl::table::Open;
use crate::exec::dml::row::{check_failed, compute, stored};

impl BatchRun<'_> {
    pub(in crate::exec) fn alter_table(&mut self, alter: &AlterTable) -> SqlResult<()> {
        self.check_versioned(&alter.table)?;
        self.implicit_begin();
        let ctx = self.ctx_mut();
        ctx.tables = Arc::from([]);
        // Functions of conditions and computed columns read what the statement itself sees.
        ctx.calls_functions = true;
        let last = alter.table.last().clone();
        if last.starts_with('#') {
            return self.alter_temporary(&alter.table, &alter.action);
        }
        if let AlterTableAction::Trigger { enable, triggers } = &alter.action {
            return self.switch_triggers_of(&alter.table, triggers.as_deref(), *enable);
        }
        self.atomically(&last, |run| {
            let open = run.open_table(&alter.table)?;
            run.alter_open(open, &alter.table, &alter.action)
        })?;
        self.done_quietly(0);
        Ok(())
    }

    fn alter_open(&mut self, open: Open, table: &ObjectName, action: &AlterTableAction) -> SqlResult<()> {
        match action {
            AlterTableAction::Add { definition, with_check } => self.add_to_table(open, definition, *with_check),
            AlterTableAction::Drop(drops) => {
                drops.iter().try_fold(open, |open, drop| self.drop_of_table(open, drop)).map(|_| ())
            }
            AlterTableAction::AlterColumn(column) => self.alter_column(&open, column),
            AlterTableAction::Check { enable, with_check, constraints } => {
                self.switch_constraints(&open, *enable, *with_check == Some(true), constraints.as_deref())
            }
            AlterTableAction::Set(options) => self.set_table_options(&open, options),
            AlterTableAction::Rebuild { options, .. } => self.rebuild_clustered(&open, table, options),
            AlterTableAction::ColumnProperty { .. } => Err(message::missing("ALTER COLUMN … ADD or DROP")),
            AlterTableAction::Trigger { .. } => unreachable!("switched before"),
            AlterTableAction::ChangeTracking { .. } => Err(message::missing("CHANGE_TRACKING")),
            AlterTableAction::AlterIndex { .. } => Err(message::missing("ALTER TABLE … ALTER INDEX")),
        }
    }

    /// `SET (LOCK_ESCALATION = …)`
    fn set_table_options(&mut self, open: &Open, options: &[NamedOption]) -> SqlResult<()> {
        let mut escalation = open.def.escalation;
        for option in options {
            if option.name != "LOCK_ESCALATION" {
                return Err(message::missing(&format!("ALTER TABLE … SET ({} …)", option.name)));
            }
            let known = LockEscalation::ALL.into_iter().find(|known| option.is(known.name()));
            escalation = known.ok_or_else(|| match &option.value {
                OptionValue::Words(word) => message::syntax_near(word),
                _ => message::syntax_near(&option.name),
            })?;
        }
        let changed = TableDef { escalation, ..with_indexes(&open.def, open.def.indexes.clone()) };
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    /// The table as it is now: after one of several changes.
    fn again(&self, open: &Open) -> SqlResult<Open> {
        let objects = open.dictionary.catalog().objects();
        let (def, trees) = objects.table(open.def.id).ok_or_else(|| message::invalid_object(&open.def.name))?;
        Ok(Open { dictionary: Arc::clone(&open.dictionary), def: Arc::clone(def), trees: Arc::clone(trees) })
    }

    fn add_to_table(
        &mut self,
        mut open: Open,
        definition: &TableDefinition,
        with_check: Option<bool>,
    ) -> SqlResult<()> {
        let check = with_check != Some(false);
        for column in &definition.columns {
            if is_of_new_key(definition, column) {
                self.add_column(&open, &ColumnDefinition { nullable: Some(false), ..column.clone() })?;
            } else {
                self.add_column(&open, column)?;
            }
            open = self.again(&open)?;
            let position = open.def.columns.len() - 1;
            for constraint in &column.constraints {
                self.add_constraint(&open, constraint, Some(position), true).map_err(message::constraint_not_made)?;
                open = self.again(&open)?;
            }
        }
        for constraint in &definition.constraints {
            self.add_constraint(&open, constraint, None, check).map_err(message::constraint_not_made)?;
            open = self.again(&open)?;
        }
        Ok(())
    }

    fn add_column(&mut self, open: &Open, column: &ColumnDefinition) -> SqlResult<()> {
        let def = &open.def;
        check_new_name(def, &column.name)?;
        let id = def.columns.iter().map(|column| column.id).max().unwrap_or(0) + 1;
        let catalog = Arc::clone(open.dictionary.catalog());
        let next_id = || catalog.next_object_id();
        let new = NewTable::of(name_of(def), def.id, &next_id);
        let added = {
            let names = SessionNames::of(&self.ctx);
            Binder::new(&names, &self.variables).added_column(&new, id, column, &def.columns)?
        };
        if let Some(default) = &added.default {
            self.check_free(open, &default.name).map_err(message::constraint_not_made)?;
        }
        let fill = self.fill_of(def, column, &added, |run| run.has_rows(open))?;
        let is_identity = added.identity.is_some();
        let mut columns = def.columns.clone();
        columns.push(added);
        let changed = self.with_columns(def, columns, &|old| old);
        let Some(fill) = fill else {
            let trees = match is_identity {
                // The numbers of another column that was there before are not those of this one.
                true => {
                    let transaction = self.session.work.assign_number();
                    let counters = Arc::new(TableCounters::anew(def, &open.trees, transaction));
                    let (trees, memory) = (open.trees.trees.clone(), open.trees.memory.clone());
                    Arc::new(TableTrees { trees, memory, counters })
                }
                false => Arc::clone(&open.trees),
            };
            return self.put_table(&open.dictionary, &Arc::new(changed), trees);
        };
        let ctx = Arc::clone(&self.ctx);
        let mut new_column = NewColumn::new(fill, &changed);
        self.rebuild_table(open, changed, vec![None; def.indexes.len()], &mut |row, changed| {
            let mut row = row.to_vec();
            row.push(new_column.value(&ctx, changed)?);
            compute(changed, &mut row, &ctx)?;
            check_new_value(changed, &row)?;
            Ok(row)
        })?;
        if let Some(last) = new_column.last {
            let open = self.again(open)?;
            let dictionary = Arc::clone(&open.dictionary);
            self.ctx.engine.databases().on_own_account(|io| dictionary.reserve_identity(io, open.def.id, last))?;
            let mut counter = open.trees.counters.identity.lock();
            counter.last = Some(last);
            counter.reserved = Some(last);
        }
        Ok(())
    }

    fn has_rows(&mut self, open: &Open) -> SqlResult<bool> {
        let mut any = false;
        self.for_rows(open, &mut |_| {
            any = true;
            Ok(false)
        })?;
        Ok(any)
    }

    /// Calls `visit` with each row until it says false.
    fn for_rows(&mut self, open: &Open, visit: &mut dyn FnMut(&[Value]) -> SqlResult<bool>) -> SqlResult<()> {
        let ask = self.ctx.ask_other();
        let reader = self.session.work.reader();
        let (mut failed, mut row) = (None, Vec::new());
        let layout = &open.def.layout;
        let home = ValueHome::Tree(&open.trees.trees[0]);
        let large =
            Large { layout, home, ask, place: millpond_engine::stored::place_of(&open.def), watch: self.ctx.watch() };
        let mut space = Vec::new();
        let read = reader.for_each(
            &ask,
            &open.trees.trees[0],
            millpond_access::tree::KeyRange::all(),
            millpond_txn::ReadHint::no_lock(),
            &mut |_, payload| {
                let went = large
                    .whole(payload, &all, &mut space)
                    .and_then(|record| layout.decode(record, &mut row).map_err(message::of_row))
                    .and_then(|()| visit(&row));
                match went {
                    Ok(true) => std::ops::ControlFlow::Continue(()),
                    Ok(false) => std::ops::ControlFlow::Break(()),
                    Err(error) => {
                        failed = Some(error);
                        std::ops::ControlFlow::Break(())
                    }
                }
            },
        );
        read.map_err(|error| message::of_txn(error, millpond_engine::stored::place_of(&open.def)))?;
        failed.map_or(Ok(()), Err)
    }

    /// The table with other columns; `place` says where an old column is now.
    pub(in crate::exec) fn with_columns(
        &self,
        def: &TableDef,
        columns: Vec<ColumnDef>,
        place: &dyn Fn(usize) -> usize,
    ) -> TableDef {
        let moved = |index: &IndexDef| {
            let mut index = index.clone();
            index.key.iter_mut().for_each(|part| part.column = place(part.column));
            index.included.iter_mut().for_each(|column| *column = place(*column));
            index
        };
        let mut indexes: Vec<IndexDef> = def.indexes.iter().map(moved).collect();
        let clustered = indexes.first().map_or_else(Vec::new, |rows| rows.key.clone());
        indexes = indexes.iter().map(|index| remade_index(index, &clustered, &columns)).collect();
        let keys = def.foreign_keys.iter().map(|key| ForeignKeyDef {
            columns: key.columns.iter().map(|column| place(*column)).collect(),
            ..key.clone()
        });
        let made = TableDef::assemble(def.id, name_of(def), columns, def.checks.clone(), keys.collect(), indexes);
        TableDef { statistics: def.statistics.clone(), escalation: def.escalation, ..made }
    }

    /// Writes all rows in a new form.
    fn rebuild_table(
        &mut self,
        open: &Open,
        mut changed: TableDef,
        keep: Vec<Option<usize>>,
        map: MapRow<'_>,
    ) -> SqlResult<()> {
        built_now(&mut changed.indexes, &keep);
        let old = OldTable { def: &open.def, trees: &open.trees };
        let trees = self.rebuilt_trees(&open.dictionary, &old, &changed, &keep, &mut |row| map(row, &changed))?;
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::new(trees))
    }

    fn add_constraint(
        &mut self,
        open: &Open,
        constraint: &TableConstraint,
        own: Option<usize>,
        check: bool,
    ) -> SqlResult<()> {
        let def = &open.def;
        let catalog = Arc::clone(open.dictionary.catalog());
        let next_id = || catalog.next_object_id();
        let new = NewTable::of(name_of(def), def.id, &next_id);
        if let Some(name) = &constraint.name {
            self.check_free(open, name)?;
        }
        if let ConstraintKind::PrimaryKey(_) | ConstraintKind::Unique(_) | ConstraintKind::Index(_) = &constraint.kind {
            let indexes = {
                let names = SessionNames::of(&self.ctx);
                Binder::new(&names, &self.variables).with_key(def, &new, constraint, own)?
            };
            let wide = wide_keys(&def.columns, &indexes, &def.indexes);
            self.put_indexes(open, indexes)?;
            self.warn(wide);
            return Ok(());
        }
        self.lock_names_of_keys(std::iter::once(constraint))?;
        let mut changed = with_indexes(def, def.indexes.clone());
        {
            let names = SessionNames::of(&self.ctx);
            let mut binder = Binder::new(&names, &self.variables);
            binder.add_constraint(&new, &mut changed, constraint, own)?;
        }
        match &constraint.kind {
            ConstraintKind::Check { .. } => {
                let added = changed.checks.last_mut().expect("added above");
                added.not_trusted = !check;
                if check {
                    let added = added.clone();
                    self.check_rows(open, &added)?;
                }
            }
            ConstraintKind::ForeignKey(_) => {
                // Before its rows are looked at.
                self.lock_referenced(&open.dictionary, Some(def), Some(&changed))?;
                let objects = open.dictionary.catalog().objects();
                check_cascades(&objects, &changed, changed.foreign_keys.len() - 1)?;
                let added = changed.foreign_keys.last_mut().expect("added above");
                added.not_trusted = !check;
                if check {
                    let key = added.clone();
                    self.check_foreign_key(open, &key)?;
                }
            }
            _ => {}
        }
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    fn check_rows(&mut self, open: &Open, check: &CheckDef) -> SqlResult<()> {
        let ctx = Arc::clone(&self.ctx);
        let def = Arc::clone(&open.def);
        self.for_rows(open, &mut |row| {
            if truth(&check.expr, &*ctx, Rows::of(row))? == Some(false) {
                return Err(check_failed(&def, check, "ALTER TABLE"));
            }
            Ok(true)
        })
    }

    fn check_foreign_key(&mut self, open: &Open, key: &ForeignKeyDef) -> SqlResult<()> {
        let mut rows = Vec::new();
        self.for_rows(open, &mut |row| {
            rows.push(row.to_vec());
            Ok(true)
        })?;
        let mut only = with_indexes(&open.def, open.def.indexes.clone());
        only.foreign_keys = vec![key.clone()];
        let ctx = Arc::clone(&self.ctx);
        self.check_references(&ctx, &only, &rows, "ALTER TABLE")
    }

    fn switch_constraints(
        &mut self,
        open: &Open,
        enable: bool,
        check: bool,
        names: Option<&[String]>,
    ) -> SqlResult<()> {
        let mut changed = with_indexes(&open.def, open.def.indexes.clone());
        let is_meant = |name: &str| names.is_none_or(|names| names.iter().any(|known| names_equal(known, name)));
        if let Some(unknown) = names.into_iter().flatten().find(|name| {
            !changed.checks.iter().any(|check| names_equal(&check.name, name))
                && !changed.foreign_keys.iter().any(|key| names_equal(&key.name, name))
        }) {
            return Err(SqlError::of(4917, 0, &[&unknown]));
        }
        for constraint in changed.checks.iter_mut().filter(|check| is_meant(&check.name)) {
            if enable && check {
                self.check_rows(open, constraint)?;
            }
            constraint.disabled = !enable;
            constraint.not_trusted = !(enable && check);
        }
        for key in changed.foreign_keys.iter_mut().filter(|key| is_meant(&key.name)) {
            if enable && check {
                self.check_foreign_key(open, &ForeignKeyDef { disabled: false, ..key.clone() })?;
            }
            key.disabled = !enable;
            key.not_trusted = !(enable && check);
        }
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    fn drop_of_table(&mut self, open: Open, drop: &TableDrop) -> SqlResult<Open> {
        match drop.kind {
            TableDropKind::Column => self.drop_column(&open, drop)?,
            TableDropKind::Constraint | TableDropKind::Index => self.drop_constraint(&open, drop)?,
        }
        self.again(&open)
    }

    fn drop_constraint(&mut self, open: &Open, drop: &TableDrop) -> SqlResult<()> {
        let def = &open.def;
        let name = &drop.name;
        if let Some(index) = def.index(name).filter(|index| !index.name.is_empty()) {
            let objects = open.dictionary.catalog().objects();
            let columns: Vec<i32> = index.key.iter().map(|part| def.columns[part.column].id).collect();
            let referring = objects.referring_to(def.id).find_map(|other| {
                other.foreign_keys.iter().find(|key| {
                    key.referenced == def.id
                        && key.referenced_columns.len() == columns.len()
                        && key.referenced_columns.iter().all(|column| columns.contains(column))
                })
            });
            if let Some(key) = referring {
                return Err(SqlError::of(3725, 0, &[&name, &key.name]));
            }
            let indexes = indexes_without(def, index.id);
            return self.put_indexes(open, indexes);
        }
        let mut changed = with_indexes(def, def.indexes.clone());
        let before = parts(&changed);
        changed.checks.retain(|check| !names_equal(&check.name, name));
        changed.foreign_keys.retain(|key| !names_equal(&key.name, name));
        for column in &mut changed.columns {
            if column.default.as_ref().is_some_and(|default| names_equal(&default.name, name)) {
                column.default = None;
            }
        }
        if parts(&changed) == before {
            if drop.if_exists {
                return Ok(());
            }
            return Err(no_such_constraint(name));
        }
        self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees))
    }

    fn drop_column(&mut self, open: &Open, drop: &TableDrop) -> SqlResult<()> {
        let def = &open.def;
        let Some(position) = def.column(&drop.name) else {
            if drop.if_exists {
                return Ok(());
            }
            return Err(no_such_column("DROP COLUMN", &drop.name, def));
        };
        let users = users_of(def, position, Some(&open.dictionary.catalog().objects()));
        if let Some(error) = refused(users, &def.columns[position].name, "DROP COLUMN") {
            return Err(error);
        }
        self.check_column_unbound(open, &def.columns[position].name, "DROP COLUMN")?;
        check_other_columns(def, &drop.name)?;
        let mut columns = def.columns.clone();
        columns.remove(position);
        let mut changed = self.with_columns(def, columns, &|old| old - usize::from(old > position));
        self.bind_again(&mut changed)?;
        self.rebuild_table(open, changed, vec![None; def.indexes.len()], &mut |row, _| {
            let mut row = row.to_vec();
            row.remove(position);
            Ok(row)
        })
    }

    /// The names that a table's expressions see.
    pub(in crate::exec) fn stored_names(&self, def: &TableDef) -> SqlResult<millpond_bind::StoredNames> {
        let dictionary = self.ctx.engine.databases().dictionary(def.database)?;
        Ok(millpond_bind::StoredNames::new(dictionary.catalog(), dictionary.name()))
    }

    /// Expressions over columns that moved are bound anew from their text.
    pub(in crate::exec) fn bind_again(&self, def: &mut TableDef) -> SqlResult<()> {
        let (name, columns) = (def.name.clone(), def.columns.clone());
        let names = &self.stored_names(def)?;
        for check in &mut def.checks {
            check.expr = millpond_bind::stored_condition(names, &check.text, &name, &columns)?;
        }
        for column in &mut def.columns {
            if let Some(computed) = &mut column.computed {
                computed.expr = millpond_bind::stored_value(names, &computed.text, &name, &columns)?;
            }
        }
        for index in &mut def.indexes {
            if let Some((text, filter)) = &mut index.filter {
                *filter = millpond_bind::stored_condition(names, text, &name, &columns)?;
            }
        }
        Ok(())
    }

    /// What ALTER COLUMN makes of a column.
    ///
    /// # Errors
    /// 4924 for a column that there is not; what does not bind; 257, 206 for a type that it may not become.
    pub(in crate::exec) fn new_form(&mut self, def: &TableDef, alter: &AlterColumn) -> SqlResult<NewForm> {
        let position = def.column(&alter.name).ok_or_else(|| no_such_column("ALTER COLUMN", &alter.name, def))?;
        let old = def.columns[position].clone();
        let mut column = {
            let names = SessionNames::of(&self.ctx);
            Binder::new(&names, &self.variables).altered_column(&def.name, &old, alter)?
        };
        check_becomes(&old, &column.ty.sql)?;
        if let Some(default) = &mut column.default {
            default.expr = millpond_bind::stored_scalar(&self.stored_names(def)?, &default.text, column.ty.sql)?;
        }
        let same_form = old.ty.sql == column.ty.sql || wider_text(&old.ty.sql, &column.ty.sql);
        let keeps_order = same_form && old.ty.collation == column.ty.collation;
        Ok(NewForm { position, old, column, same_form, keeps_order })
    }

    fn alter_column(&mut self, open: &Open, alter: &AlterColumn) -> SqlResult<()> {
        let def = &open.def;
        let NewForm { position, old, column, same_form, keeps_order } = self.new_form(def, alter)?;
        let users = if keeps_order {
            bound_users_of(def, position, &column, Some(&open.dictionary.catalog().objects()))
        } else {
            altered_users_of(def, position, &column, Some(&open.dictionary.catalog().objects()))
        };
        if let Some(error) = refused(users, &old.name, "ALTER COLUMN") {
            return Err(error);
        }
        self.check_column_unbound(open, &old.name, "ALTER COLUMN")?;
        let needs_check = old.ty.nullable && !column.ty.nullable;
        if needs_check {
            let name = def.full_name();
            let column_name = column.name.clone();
            self.for_rows(open, &mut |row| {
                if row[position].is_null() {
                    return Err(message::null_in_column(&column_name, &name, "UPDATE"));
                }
                Ok(true)
            })?;
        }
        let from = old.ty.sql;
        let mut columns = def.columns.clone();
        columns[position] = column;
        let mut changed = self.with_columns(def, columns, &|old| old);
        self.bind_again(&mut changed)?;
        if same_form {
            return self.put_table(&open.dictionary, &Arc::new(changed), Arc::clone(&open.trees));
        }
        let ctx = Arc::clone(&self.ctx);
        self.rebuild_table(open, changed, vec![None; def.indexes.len()], &mut |row, changed| {
            let mut row = row.to_vec();
            row[position] = stored(&ctx, row[position].clone(), &from, changed, position)?;
            compute(changed, &mut row, &ctx)?;
            Ok(row)
        })
    }
}

/// A column and what ALTER COLUMN makes of it.
pub(in crate::exec) struct NewForm {
    /// Its place in the table.
    pub position: usize,
    pub old: ColumnDef,
    pub column: ColumnDef,
    /// Values stay as they are stored.
    pub same_form: bool,
    /// Indexes stay in order.
    pub keeps_order: bool,
}

/// Brings a row into the form of a changed definition.
type MapRow<'a> = &'a mut dyn FnMut(&[Value], &TableDef) -> SqlResult<Vec<Value>>;

/// 2705: a column of a name that a table has.
pub(in crate::exec) fn check_new_name(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.column(name).is_none() {
        return Ok(());
    }
    Err(SqlError::of(2705, 4, &[&name, &def.two_part_name()]))
}

/// 4923: a table without columns.
pub(in crate::exec) fn check_other_columns(def: &TableDef, name: &str) -> SqlResult<()> {
    if def.columns.len() > 1 {
        return Ok(());
    }
    Err(SqlError::of(4923, 1, &[&name, &def.name]))
}

/// 4924
pub(in crate::exec) fn no_such_column(what: &str, name: &str, def: &TableDef) -> SqlError {
    SqlError::of(4924, 1, &[&what, &name, &def.name])
}

/// 3727 after 3728
pub(in crate::exec) fn no_such_constraint(name: &str) -> SqlError {
    let unknown = SqlError::of(3728, 1, &[&name]);
    SqlError::of(3727, 0, &[]).after(unknown)
}

/// Counts of what a constraint can be.
pub(in crate::exec) fn parts(def: &TableDef) -> (usize, usize, usize) {
    let defaults = def.columns.iter().filter(|column| column.default.is_some()).count();
    (def.checks.len(), def.foreign_keys.len(), defaults)
}

/// A text that may be longer than before has the same form in its record.
pub(in crate::exec) fn wider_text(old: &SqlType, new: &SqlType) -> bool {
    use millpond_types::MaxLen::Limited;
    match (old, new) {
        (SqlType::VarChar { page, .. }, SqlType::VarChar { page: other, .. }) if page != other => false,
        (SqlType::VarChar { len: Limited(old), .. }, SqlType::VarChar { len: Limited(new), .. })
        | (SqlType::NVarChar { len: Limited(old) }, SqlType::NVarChar { len: Limited(new) })
        | (SqlType::VarBinary { len: Limited(old) }, SqlType::VarBinary { len: Limited(new) }) => old <= new,
        _ => false,
    }
}

/// Whether a new column becomes NOT NULL because it is of a primary key that is added with it: unless it says otherwise, or
/// is computed and not stored.
pub(in crate::exec) fn is_of_new_key(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let is_open = column.nullable.is_none() && (column.computed.is_none() || column.persisted);
    is_open && is_key_column(definition, column)
}

fn is_key_column(definition: &TableDefinition, column: &ColumnDefinition) -> bool {
    let own = column.constraints.iter().any(|constraint| matches!(constraint.kind, ConstraintKind::PrimaryKey(_)));
    own || definition.constraints.iter().any(|constraint| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => key.columns.iter().any(|part| names_equal(&part.name, &column.name)),
        _ => false,
    })
}

impl BatchRun<'_> {
    /// 2714: names of constraints share one space with objects.
    fn check_free(&self, open: &Open, name: &str) -> SqlResult<()> {
        match Seeker::of(&self.ctx).is_taken(&open.dictionary, open.def.schema.id, name)? {
            true => Err(message::object_exists(name)),
            false => Ok(()),
        }
    }
}
