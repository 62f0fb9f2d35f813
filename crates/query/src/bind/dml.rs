//! INSERT, UPDATE and DELETE: which rows, which columns, which values.

use std::sync::Arc;

use millpond_tsql::ast::{self, Delete, Expr, ExprKind, Insert, InsertSource, ObjectName, Span, TableRef, Update};

use super::from::Source;
use super::operator::convert;
use super::query::{compound, in_common_types};
use super::{Binder, Block, Named};
use crate::catalog::TableDef;
use crate::error::{SqlError, SqlResult};
use crate::expr::BoundExpr;
use crate::message;
use crate::rel::Rel;

/// Where a column of an inserted row comes from.
#[derive(Clone, Debug)]
pub enum InsertColumn {
    /// Column of the source's row; still of the source's type.
    Source(usize),
    /// DEFAULT or NULL.
    Default(BoundExpr),
    /// The next identity value.
    Identity,
}

/// A bound INSERT.
#[derive(Clone, Debug)]
pub struct BoundInsert {
    /// Binding number of the target.
    pub target: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// One entry per column of the target.
    pub columns: Vec<InsertColumn>,
    /// Rows to insert.
    pub source: Rel,
    /// TABLOCK or a source that is a query: the bulk path.
    pub bulk: bool,
}

/// What happens to a row.
#[derive(Clone, Debug)]
pub enum Change {
    /// UPDATE: new values for these columns; the source's row gives them, from column 1 on.
    Update {
        /// Target columns in the order of the source's values.
        columns: Vec<usize>,
        /// Variables assigned: slot and position in the source's row.
        assign: Vec<(usize, usize)>,
    },
    /// DELETE
    Delete,
}

/// A bound UPDATE or DELETE. The source's first column is the row's Rid.
#[derive(Clone, Debug)]
pub struct BoundChange {
    /// Binding number of the target.
    pub target: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// The rows: Rid, then values.
    pub source: Rel,
    /// What happens to them.
    pub change: Change,
}

/// CTEs before a change of data are not there yet.
fn no_ctes(ctes: &[ast::Cte], words: &str) -> SqlResult<()> {
    if ctes.is_empty() { Ok(()) } else { Err(message::missing(words)) }
}

impl Binder<'_> {
    /// The stored table that a statement changes.
    fn target(&mut self, name: &ObjectName) -> SqlResult<(usize, Arc<TableDef>)> {
        let last = name.parts.last().expect("a name has parts");
        match self.names.relation(name)? {
            Some(Named::Table(def)) => Ok((self.use_table(last, &def), def)),
            Some(Named::View(view, _)) => Err(SqlError::new(
                259,
                16,
                1,
                format!("Ad hoc updates to system catalogs are not allowed: '{}'.", view.name),
            )),
            None if last.starts_with('@') => Err(message::undeclared_table_variable(last)),
            None => Err(message::invalid_object(&name.parts.join("."))),
        }
    }

    /// Binds an INSERT.
    ///
    /// # Errors
    /// What does not bind; 213, 109, 110 for counts, 264 for a column named twice, 544 for an identity value.
    pub fn insert(&mut self, insert: &Insert) -> SqlResult<BoundInsert> {
        if !insert.output.is_empty() {
            return Err(message::missing("The OUTPUT clause"));
        }
        no_ctes(&insert.ctes, "WITH … INSERT")?;
        let (target, def) = self.target(&insert.table).map_err(|error| error.at(insert.span.line))?;
        let listed = listed_columns(&def, &insert.columns)?;
        let tablock = insert.hints.iter().any(|hint| hint == "TABLOCK" || hint == "TABLOCKX");
        let (mut source, bulk) = match &insert.source {
            InsertSource::Values(rows) => (self.insert_values(&def, &listed, rows)?, tablock),
            InsertSource::Query(query) => {
                let bound = self.query(query)?;
                if !bound.assign.is_empty() || bound.into.is_some() {
                    return Err(message::syntax_near("INTO"));
                }
                (bound.rel, true)
            }
            InsertSource::DefaultValues => (Rel::Values { rows: vec![Vec::new()], types: Vec::new() }, false),
            InsertSource::Execute(_) | InsertSource::ExecuteText(_) => return Err(message::missing("INSERT … EXEC")),
        };
        if let Some(top) = &insert.top {
            let count = self.count(&top.count, top.percent)?;
            source = Rel::Top {
                input: Box::new(source),
                count: Some(count),
                percent: top.percent,
                ties: Vec::new(),
                offset: None,
            };
        }
        let given = source.types().len();
        let wanted = if matches!(insert.source, InsertSource::DefaultValues) { 0 } else { listed.len() };
        if given != wanted {
            return Err(count_mismatch(insert, given, wanted));
        }
        let listed = if wanted == 0 { Vec::new() } else { listed };
        check_convertible(&source, &def, &listed)?;
        let columns = (0..def.columns.len()).map(|column| insert_column(&def, column, &listed)).collect();
        Ok(BoundInsert { target, def, columns, source, bulk })
    }

    /// VALUES rows: DEFAULT stands for the column's default; all rows in the types that they meet in.
    fn insert_values(&mut self, def: &TableDef, listed: &[usize], rows: &[Vec<Expr>]) -> SqlResult<Rel> {
        let mut bound: Vec<Vec<BoundExpr>> = Vec::with_capacity(rows.len());
        for row in rows {
            if row.len() != rows[0].len() {
                return Err(SqlError::new(
                    10709,
                    16,
                    1,
                    "The number of columns for each row in a table value constructor must be the same.",
                ));
            }
            let cells = row.iter().enumerate().map(|(index, cell)| match (&cell.kind, listed.get(index)) {
                (ExprKind::Default, Some(column)) => Ok(default_of(def, *column)),
                _ => self.expression(cell),
            });
            bound.push(cells.collect::<SqlResult<_>>()?);
        }
        if bound.len() == 1 {
            let types = bound[0].iter().map(|cell| cell.ty).collect();
            return Ok(Rel::Values { rows: bound, types });
        }
        in_common_types(bound)
    }

    /// Binds an UPDATE.
    ///
    /// # Errors
    /// What does not bind; 264 for a column set twice, 8102 for an identity column.
    pub fn update(&mut self, update: &Update) -> SqlResult<BoundChange> {
        if !update.output.is_empty() {
            return Err(message::missing("The OUTPUT clause"));
        }
        no_ctes(&update.ctes, "WITH … UPDATE")?;
        if update.current_of.is_some() {
            return Err(message::missing("WHERE CURRENT OF"));
        }
        let (target, def, source) = self.change_source(&update.table, &update.from, update.span)?;
        self.scopes.push(source.scope);
        self.blocks.push(Block::default());
        let bound = self.update_rows(update, &def, source.rel);
        self.blocks.pop();
        self.scopes.pop();
        let (source, change) = bound?;
        Ok(BoundChange { target, def, source, change })
    }

    fn update_rows(&mut self, update: &Update, def: &TableDef, rel: Rel) -> SqlResult<(Rel, Change)> {
        let rel = self.filtered(rel, update.filter.as_ref())?;
        let rel = match &update.top {
            None => rel,
            Some(top) => {
                let count = Some(self.count(&top.count, top.percent)?);
                Rel::Top { input: Box::new(rel), count, percent: top.percent, ties: Vec::new(), offset: None }
            }
        };
        let mut exprs = vec![self.rid()];
        let (mut columns, mut variables) = (Vec::new(), Vec::new());
        for set in &update.set {
            let value = match &set.column {
                Some(name) => {
                    let column = set_column(def, name, &columns)?;
                    let value = match &set.value.kind {
                        ExprKind::Default => default_of(def, column),
                        _ => self.expression(&set.value)?,
                    };
                    let old = self.expression(&Expr { kind: ExprKind::Column(name.clone()), line: set.value.line });
                    let value = match set.op {
                        ast::AssignOp::Set => value,
                        op => compound(op, old?, value)?,
                    };
                    columns.push(column);
                    convertible(value, def.columns[column].ty.sql)?
                }
                None => self.expression(&set.value)?,
            };
            if let Some(variable) = &set.variable {
                let (slot, sql) =
                    self.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
                variables.push((slot, convert(value.clone(), sql)?));
            }
            if set.column.is_some() {
                exprs.push(value);
            }
        }
        let assign = variables
            .into_iter()
            .map(|(slot, value)| {
                exprs.push(value);
                (slot, exprs.len() - 1)
            })
            .collect();
        Ok((Rel::Project { input: Box::new(rel), exprs }, Change::Update { columns, assign }))
    }

    /// Binds a DELETE.
    ///
    /// # Errors
    /// What does not bind.
    pub fn delete(&mut self, delete: &Delete) -> SqlResult<BoundChange> {
        if !delete.output.is_empty() {
            return Err(message::missing("The OUTPUT clause"));
        }
        no_ctes(&delete.ctes, "WITH … DELETE")?;
        if delete.current_of.is_some() {
            return Err(message::missing("WHERE CURRENT OF"));
        }
        let (target, def, source) = self.change_source(&delete.table, &delete.from, delete.span)?;
        self.scopes.push(source.scope);
        self.blocks.push(Block::default());
        let bound = self.delete_rows(delete, source.rel);
        self.blocks.pop();
        self.scopes.pop();
        Ok(BoundChange { target, def, source: bound?, change: Change::Delete })
    }

    fn delete_rows(&mut self, delete: &Delete, rel: Rel) -> SqlResult<Rel> {
        let mut rel = self.filtered(rel, delete.filter.as_ref())?;
        if let Some(top) = &delete.top {
            let count = Some(self.count(&top.count, top.percent)?);
            rel = Rel::Top { input: Box::new(rel), count, percent: top.percent, ties: Vec::new(), offset: None };
        }
        Ok(Rel::Project { input: Box::new(rel), exprs: vec![self.rid()] })
    }

    fn filtered(&mut self, rel: Rel, filter: Option<&Expr>) -> SqlResult<Rel> {
        Ok(match filter {
            None => rel,
            Some(filter) => Rel::Filter { input: Box::new(rel), predicate: self.condition(filter)? },
        })
    }

    /// The target's row, alone or joined with FROM. The target may be named in FROM by alias or name.
    fn change_source(
        &mut self,
        target: &ObjectName,
        from: &[TableRef],
        span: Span,
    ) -> SqlResult<(usize, Arc<TableDef>, Source)> {
        let last = target.parts.last().expect("a name has parts");
        let mut found = None;
        let mut source: Option<Source> = None;
        for table in from {
            let next = self.target_ref(table, last, &mut found)?;
            source = Some(match source {
                None => next,
                Some(left) => cross(left, next),
            });
        }
        if found.is_none() {
            let named = TableRef::Named { name: target.clone(), alias: None, hints: Vec::new(), span };
            let own = self.target_ref(&named, last, &mut found)?;
            source = Some(match source {
                None => own,
                Some(other) => cross(own, other),
            });
        }
        let source = source.expect("set above");
        let Some(binding) = found else {
            return Err(self.target(target).err().unwrap_or_else(|| message::invalid_object(last)).at(span.line));
        };
        Ok((binding, Arc::clone(&self.tables[binding].def), source))
    }

    /// The Rid column of the scope on top.
    fn rid(&self) -> BoundExpr {
        let scope = self.scopes.last().expect("pushed by the caller");
        let index = scope.columns.iter().position(|column| column.hidden).expect("the target has a Rid");
        BoundExpr::column(index, scope.columns[index].ty)
    }
}

fn cross(left: Source, right: Source) -> Source {
    let rel =
        Rel::Join { kind: crate::rel::RelJoin::Inner, left: Box::new(left.rel), right: Box::new(right.rel), on: None };
    Source { rel, scope: left.scope.join(right.scope) }
}

fn listed_columns(def: &TableDef, names: &[String]) -> SqlResult<Vec<usize>> {
    if names.is_empty() {
        return Ok((0..def.columns.len()).filter(|column| def.columns[*column].identity.is_none()).collect());
    }
    let mut listed = Vec::with_capacity(names.len());
    for name in names {
        let column = def.column(name).ok_or_else(|| message::invalid_column(name))?;
        if listed.contains(&column) {
            return Err(set_twice(name));
        }
        if def.columns[column].identity.is_some() {
            return Err(SqlError::new(
                544,
                16,
                1,
                format!(
                    "Cannot insert explicit value for identity column in table '{}' when IDENTITY_INSERT is set to OFF.",
                    def.name
                ),
            ));
        }
        listed.push(column);
    }
    Ok(listed)
}

fn set_twice(name: &str) -> SqlError {
    SqlError::new(
        264,
        16,
        1,
        format!(
            "The column name '{name}' is specified more than once in the SET clause or column list of an INSERT. A column cannot be assigned more than one value in the same clause. Modify the clause to make sure that a column is updated only once. If this statement updates or inserts columns into a view, column aliasing can conceal the duplication in your code."
        ),
    )
}

fn set_column(def: &TableDef, name: &ObjectName, known: &[usize]) -> SqlResult<usize> {
    let name = name.parts.last().expect("a name has parts");
    let column = def.column(name).ok_or_else(|| message::invalid_column(name))?;
    if known.contains(&column) {
        return Err(set_twice(name));
    }
    if def.columns[column].identity.is_some() {
        return Err(SqlError::new(8102, 16, 1, format!("Cannot update identity column '{name}'.")));
    }
    Ok(column)
}

fn insert_column(def: &TableDef, column: usize, listed: &[usize]) -> InsertColumn {
    if let Some(index) = listed.iter().position(|known| *known == column) {
        return InsertColumn::Source(index);
    }
    if def.columns[column].identity.is_some() {
        return InsertColumn::Identity;
    }
    InsertColumn::Default(default_of(def, column))
}

fn default_of(def: &TableDef, column: usize) -> BoundExpr {
    let column = &def.columns[column];
    let default = column.default.as_ref().map(|default| default.expr.clone());
    default.unwrap_or_else(|| BoundExpr::literal(millpond_types::Value::Null, column.ty.sql))
}

/// The value can be stored in a column of the type; the store itself converts, so that it can tell the column's name.
fn convertible(value: BoundExpr, target: millpond_types::SqlType) -> SqlResult<BoundExpr> {
    convert(value.clone(), target)?;
    Ok(value)
}

fn check_convertible(source: &Rel, def: &TableDef, listed: &[usize]) -> SqlResult<()> {
    let cells: Vec<BoundExpr> = match source {
        Rel::Project { exprs, .. } => exprs.clone(),
        Rel::Values { rows, .. } if rows.len() == 1 => rows[0].clone(),
        other => other.types().iter().enumerate().map(|(index, ty)| BoundExpr::column(index, *ty)).collect(),
    };
    for (cell, column) in cells.into_iter().zip(listed) {
        convertible(cell, def.columns[*column].ty.sql)?;
    }
    Ok(())
}

fn count_mismatch(insert: &Insert, given: usize, wanted: usize) -> SqlError {
    if insert.columns.is_empty() {
        return message::column_count_mismatch();
    }
    let values = matches!(insert.source, InsertSource::Values(_));
    let (number, text) = match (values, given < wanted) {
        (true, true) => (
            109,
            "There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.",
        ),
        (true, false) => (
            110,
            "There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values in the VALUES clause must match the number of columns specified in the INSERT statement.",
        ),
        (false, true) => (
            120,
            "The select list for the INSERT statement contains fewer items than the insert list. The number of SELECT values must match the number of INSERT columns.",
        ),
        (false, false) => (
            121,
            "The select list for the INSERT statement contains more items than the insert list. The number of SELECT values must match the number of INSERT columns.",
        ),
    };
    SqlError::new(number, 15, 1, text)
}
