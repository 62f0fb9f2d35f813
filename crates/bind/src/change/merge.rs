//! MERGE: source and target side by side, and what each WHEN clause does with such a row.
//!
//! ```text
//!   input row:  source's columns │ 1, NULL where there is no source row │ target's columns │ target's locator │ a view's columns
//! ```

use std::sync::Arc;

use millpond_builtin::eval::needs_plan;
use millpond_catalog::TableDef;
use millpond_catalog::expr::{BoundExpr, ExprType, conjuncts};
use millpond_catalog::rel::Rel;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, Expr, ExprKind, Merge, MergeAction, MergeWhen, TableRef};
use millpond_types::{MaxLen, SqlType, Value};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::needs::Access;
use crate::binder::numbers::Numbers;
use crate::binder::scope::{Role, Scope, ScopeColumn};
use crate::binder::source::Source;
use crate::binder::target::{Aim, Shown, ViewCheck, ViewTarget};
use crate::change::dml::{
    BoundOutput, Change, InsertTarget, base_names, count_mismatch, default_of, explicit_identity, explicit_row_version,
    given, insert_column, listed_columns,
};
use crate::change::instead::Taken;
use crate::change::{dml, instead, target};
use crate::from::hint;
use crate::from::table_hint::check_target_hints;
use crate::query::ordering;
use crate::{from, mask, sequence};

/// The column of OUTPUT that says what happened to a row.
const ACTION: &str = "$action";

/// A bound MERGE.
#[derive(Clone, Debug)]
pub struct BoundMerge {
    /// Binding number of the target.
    pub target: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// The source's rows, with the column that marks that a row was found.
    pub source: Rel,
    /// The target's rows with their locators; after those of a view stand its columns.
    pub table: Rel,
    /// Place of the target's first column in the input row; its locator is after its last.
    pub first: usize,
    /// The view that is changed.
    pub view: Option<ViewTarget>,
    /// WITH CHECK OPTION of that view for rows that are updated.
    pub check: Option<ViewCheck>,
    /// Which source row and which target row match; over the input row.
    pub on: BoundExpr,
    /// WHEN clauses in order.
    pub branches: Vec<MergeBranch>,
    /// TOP: the number (bigint) or percentage (float) of changes.
    pub top: Option<(BoundExpr, bool)>,
    /// OUTPUT clauses; the input row ends with `$action` for them.
    pub output: Vec<BoundOutput>,
    /// INSTEAD OF triggers take the rows, and none is changed.
    pub instead: Option<Taken>,
}

impl BoundMerge {
    /// Columns of the input row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.source.width() + self.table.width()
    }

    /// Place of the column that is NULL where there is no source row.
    #[must_use]
    pub fn marker(&self) -> usize {
        self.source.width() - 1
    }

    /// Place of the target's locator; NULL where there is no target row.
    #[must_use]
    pub fn locator(&self) -> usize {
        self.first + self.def.columns.len()
    }

    /// What a pair must be under the lock of its target's row, and what such a row must be with a source row or without:
    /// over the input row.
    #[must_use]
    pub fn asked_again(&self) -> (Vec<BoundExpr>, Vec<BoundExpr>) {
        let over_base = |predicate| match &self.view {
            Some(view) => view.over_base(predicate, self.first, 0),
            None => predicate,
        };
        // What each pair draws anew was asked where it was found.
        let is_asked = |predicate: &BoundExpr| !predicate.is_volatile() && !needs_plan(predicate);
        let pair = conjuncts(self.on.clone()).into_iter().map(over_base).filter(is_asked);
        let shown = self.view.iter().flat_map(|view| view.predicates(self.first)).filter(is_asked);
        (pair.collect(), shown.collect())
    }

    /// The clauses with the view's columns computed of the table's.
    fn over_base(mut self) -> BoundMerge {
        let Some(view) = &self.view else { return self };
        let renew = |expr: &mut BoundExpr, shift: usize| *expr = view.over_base(expr.clone(), self.first, shift);
        for branch in &mut self.branches {
            branch.condition.iter_mut().for_each(|condition| renew(condition, 0));
            if let MergeDo::Change(Change::Update { values, assign, .. }) = &mut branch.action {
                let set = assign.iter_mut().filter(|item| item.column.is_none()).map(|item| &mut item.value);
                values.iter_mut().chain(set).for_each(|value| renew(value, 0));
            }
        }
        let shift = 2 * self.def.columns.len();
        self.output.iter_mut().flat_map(|output| &mut output.items).for_each(|item| renew(item, shift));
        self
    }

    /// Whether a clause is for such rows.
    #[must_use]
    pub fn has(&self, when: MergeWhen) -> bool {
        self.branches.iter().any(|branch| branch.when == when)
    }
}

/// A WHEN clause.
#[derive(Clone, Debug)]
pub struct MergeBranch {
    /// Which rows.
    pub when: MergeWhen,
    /// AND; over the input row.
    pub condition: Option<BoundExpr>,
    /// What happens to them.
    pub action: MergeDo,
}

/// What a WHEN clause does.
#[derive(Clone, Debug)]
pub enum MergeDo {
    /// UPDATE or DELETE of the target's row.
    Change(Change),
    /// INSERT: where the columns come from, and the values given, over the input row.
    Insert(InsertTarget, Vec<BoundExpr>),
}

/// Binds a MERGE.
///
/// # Errors
/// What does not bind; 5318 for a source of the target's name, 5324 and 10714 for the order of WHEN clauses, 5333
/// and 5334 for columns that a clause does not see.
pub(crate) fn merge(binder: &mut Binder<'_>, merge: &Merge) -> SqlResult<BoundMerge> {
    check_branches(&merge.branches)?;
    hint::take_options(binder, &merge.options)?;
    mask::inside(binder, |binder| {
        sequence::with_numbers(binder, Numbers::NotInClause, |binder| {
            from::with_ctes(binder, &merge.ctes, |binder| merge_rows(binder, merge))
        })
    })
}

fn merge_rows(binder: &mut Binder<'_>, merge: &Merge) -> SqlResult<BoundMerge> {
    let last = merge.table.last();
    let shown = merge.alias.as_ref().unwrap_or(last);
    let (target, def, table) = merge_target(binder, merge)?;
    let source = marked(from::table_ref(binder, &merge.source)?);
    if source.scope.has_table(shown) {
        return Err(same_name());
    }
    let scopes = Scopes::of(&source.scope, &table.scope);
    binder.scopes.push(scopes.both.clone());
    let locator = target::rid_after(binder, scopes.source_width);
    binder.scopes.pop();
    let first = locator? - def.columns.len();
    let on = in_scope(binder, &scopes.both, |binder| binder.condition(&merge.on))?;
    let branches = merge.branches.iter().map(|branch| merge_branch(binder, branch, (target, first), &def, &scopes));
    let mut branches = branches.collect::<SqlResult<Vec<_>>>()?;
    let instead = taken_branches(binder, &def, shown, &mut branches)?;
    let top = merge
        .top
        .as_ref()
        .map(|top| SqlResult::Ok((ordering::count(binder, &top.count, top.percent)?, top.percent)))
        .transpose()?;
    if top.as_ref().is_some_and(|(count, _)| needs_plan(count)) {
        return Err(message::missing("A subquery in TOP of MERGE"));
    }
    let view = binder.view_target.clone();
    let check = view.as_ref().map(|view| view.check_of_change(first)).transpose()?.flatten();
    let mut output = dml::outputs(binder, &merge.output, &def, Shown::EITHER, (&scopes.output(), first))?;
    let (source, table) = (source.rel, table.rel);
    for branch in &mut branches {
        match &mut branch.action {
            MergeDo::Change(change) => dml::masked_change(binder, &def, (&[&source, &table], Some(target)), change),
            MergeDo::Insert(_, values) => mask::values(binder, &[&source, &table], values.iter_mut()),
        }
    }
    dml::masked_outputs(binder, &def, &[&source, &table], &mut output);
    Ok(BoundMerge { target, def, source, table, first, view, check, on, branches, top, output, instead }.over_base())
}

/// The INSTEAD OF triggers of the target: they take all actions or none.
///
/// # Errors
/// 5316
fn taken_branches(
    binder: &Binder<'_>,
    def: &TableDef,
    shown: &str,
    branches: &mut [MergeBranch],
) -> SqlResult<Option<Taken>> {
    let takes = instead::of_table(binder, def)?;
    let is_taken = |branch: &MergeBranch| match &branch.action {
        MergeDo::Insert(..) => takes.insert,
        MergeDo::Change(Change::Update { .. }) => takes.update,
        MergeDo::Change(Change::Delete) => takes.delete,
    };
    if !branches.iter().any(is_taken) {
        return Ok(None);
    }
    if !branches.iter().all(is_taken) {
        return Err(SqlError::of(5316, 1, &[&shown]));
    }
    for branch in branches {
        match &mut branch.action {
            MergeDo::Change(change) => change.ask_no_checks(),
            MergeDo::Insert(into, _) => *into = into.clone().taken_by(Some(Taken::default())),
        }
    }
    Ok(Some(Taken::default()))
}

fn merge_target(binder: &mut Binder<'_>, merge: &Merge) -> SqlResult<(usize, Arc<TableDef>, Source)> {
    check_target_hints(&merge.hints, &merge.table, true)?;
    instead::refuse_merge(binder, &merge.table)?;
    let named = TableRef::Named {
        name: merge.table.clone(),
        alias: merge.alias.clone(),
        hints: merge.hints.clone(),
        span: merge.span,
    };
    let mut found = None;
    binder.aim = aim_of(merge);
    let table = target::target_ref(binder, &named, Some(&named), &mut found);
    binder.aim = Aim::OnlyTable;
    let table = table?;
    let Some(target) = found else {
        return Err(target::target_error(binder, &merge.table).at(merge.span.line));
    };
    // Found as it is now; what is held to the end is held against other writers from the first look.
    binder.tables[target].hint.finds_changes = true;
    let def = Arc::clone(&binder.tables[target].def);
    Ok((target, def, table))
}

/// What the clauses change of a view: a row that goes is of the only table, else all columns that they set are of one.
fn aim_of(merge: &Merge) -> Aim {
    let mut names: Vec<String> = Vec::new();
    for branch in &merge.branches {
        match &branch.action {
            MergeAction::Delete => return Aim::OnlyTable,
            MergeAction::Insert { columns, .. } if columns.is_empty() => return Aim::All,
            MergeAction::Insert { columns, .. } => names.extend(columns.iter().cloned()),
            MergeAction::Update(set) => {
                names.extend(set.iter().filter_map(|set| set.column.as_ref()?.parts.last().cloned()));
            }
        }
    }
    if names.is_empty() { Aim::OnlyTable } else { Aim::Columns(names) }
}

fn in_scope<T>(
    binder: &mut Binder<'_>,
    scope: &Scope,
    bind: impl FnOnce(&mut Binder<'_>) -> SqlResult<T>,
) -> SqlResult<T> {
    binder.scopes.push(scope.clone());
    binder.blocks.push(Block::default());
    let bound = bind(binder);
    binder.blocks.pop();
    binder.scopes.pop();
    bound
}

fn merge_branch(
    binder: &mut Binder<'_>,
    branch: &ast::MergeBranch,
    target: (usize, usize),
    def: &Arc<TableDef>,
    scopes: &Scopes,
) -> SqlResult<MergeBranch> {
    let seen = match branch.when {
        MergeWhen::Matched => &scopes.both,
        MergeWhen::NotMatchedByTarget => &scopes.source,
        MergeWhen::NotMatchedBySource => &scopes.target,
    };
    let bound = in_scope(binder, seen, |binder| clause(binder, branch, target, def));
    bound.map_err(|error| {
        let hidden = branch.when != MergeWhen::Matched && matches!(error.number, 207 | 4104);
        let elsewhere = hidden && in_scope(binder, &scopes.both, |binder| clause(binder, branch, target, def)).is_ok();
        if elsewhere { not_in_clause(branch.when, &error) } else { error }
    })
}

fn clause(
    binder: &mut Binder<'_>,
    branch: &ast::MergeBranch,
    (target, first): (usize, usize),
    def: &Arc<TableDef>,
) -> SqlResult<MergeBranch> {
    let condition = branch.condition.as_ref().map(|condition| binder.condition(condition)).transpose()?;
    let action = match &branch.action {
        MergeAction::Delete => {
            binder.note_change(Access::Delete, def, &[]);
            MergeDo::Change(Change::Delete)
        }
        MergeAction::Update(list) => {
            let change = dml::assignments(binder, list, def, first)?;
            dml::note_update(binder, def, &change, list);
            MergeDo::Change(change)
        }
        MergeAction::Insert { columns, values } => merge_insert(binder, columns, values.as_deref(), target, def)?,
    };
    Ok(MergeBranch { when: branch.when, condition, action })
}

fn merge_insert(
    binder: &mut Binder<'_>,
    columns: &[ast::Ident],
    values: Option<&[Expr]>,
    target: usize,
    def: &Arc<TableDef>,
) -> SqlResult<MergeDo> {
    let listed = match values {
        None => Vec::new(),
        Some(values) => {
            explicit_identity(def, columns.is_empty(), values.len(), binder.names.identity_insert(def))?;
            let names = base_names(def, binder.view_target.as_ref(), columns)?;
            listed_columns(def, &names, binder.names.identity_insert(def))?
        }
    };
    let values = values.unwrap_or_default();
    if values.len() != listed.len() {
        return Err(count_mismatch(!columns.is_empty(), true, values.len(), listed.len()));
    }
    for (value, column) in values.iter().zip(&listed) {
        if def.columns[*column].is_row_version() && !matches!(value.kind, ExprKind::Default) {
            return Err(explicit_row_version());
        }
    }
    let values = sequence::with_numbers(binder, Numbers::Allowed, |binder| {
        let bind = |(value, column): (&Expr, &usize)| match &value.kind {
            ExprKind::Default => Ok(default_of(def, *column)),
            _ => {
                let value = binder.expression(value)?;
                given(binder, value, def.columns[*column].ty.sql)
            }
        };
        values.iter().zip(&listed).map(bind).collect::<SqlResult<Vec<BoundExpr>>>()
    })?;
    let columns = (0..def.columns.len()).map(|column| insert_column(def, column, &listed)).collect();
    let check = binder.view_target.as_ref().map(ViewTarget::check_of_insert).transpose()?.flatten();
    binder.note_change(Access::Insert, def, &[]);
    Ok(MergeDo::Insert(InsertTarget { target, def: Arc::clone(def), columns, check, instead: None }, values))
}

/// What the clauses see of the input row.
struct Scopes {
    both: Scope,
    source: Scope,
    target: Scope,
    /// Columns of the source's row.
    source_width: usize,
}

impl Scopes {
    fn of(source: &Scope, target: &Scope) -> Scopes {
        // In one clause or another either side may be missing.
        let nullable = |scope: &Scope| {
            let mut scope = scope.clone();
            scope.columns.iter_mut().for_each(|column| column.ty.nullable = true);
            scope
        };
        let (source, target) = (nullable(source), nullable(target));
        Scopes {
            source_width: source.columns.len(),
            both: source.clone().join(target.clone()),
            source: source.clone().join(hidden(target.clone())),
            target: hidden(source).join(target),
        }
    }

    /// The source's columns and `$action`.
    fn output(&self) -> Scope {
        let mut scope = self.source.clone();
        let sql = SqlType::NVarChar { len: MaxLen::Limited(10) };
        scope.columns.push(ScopeColumn {
            table: String::new(),
            place: None,
            name: ACTION.to_owned(),
            ty: ExprType::plain(sql, true),
            hidden: false,
            role: Role::Plain,
            computed: None,
            mention: None,
        });
        scope
    }
}

fn hidden(mut scope: Scope) -> Scope {
    scope.columns.iter_mut().for_each(|column| column.hidden = true);
    scope.tables.clear();
    scope
}

/// The source with a column that is never NULL: an outer join makes it so where there is no source row.
fn marked(source: Source) -> Source {
    let Source { rel, mut scope } = source;
    let types = rel.types();
    let mut exprs: Vec<BoundExpr> =
        types.into_iter().enumerate().map(|(index, ty)| BoundExpr::column(index, ty)).collect();
    let marker = BoundExpr::literal(Value::Int(1), SqlType::Int);
    scope.columns.push(ScopeColumn {
        table: String::new(),
        place: None,
        name: String::new(),
        ty: marker.ty,
        hidden: true,
        role: Role::Plain,
        computed: None,
        mention: None,
    });
    exprs.push(marker);
    Source { rel: Rel::Project { input: Box::new(rel), exprs }, scope }
}

/// 5324 and 10714.
fn check_branches(branches: &[ast::MergeBranch]) -> SqlResult<()> {
    for (position, branch) in branches.iter().enumerate() {
        let earlier = branches[..position].iter().filter(|other| other.when == branch.when);
        for other in earlier {
            let clause = clause_name(branch.when);
            let action = match (&other.action, &branch.action) {
                (MergeAction::Update(_), MergeAction::Update(_)) => Some("UPDATE"),
                (MergeAction::Delete, MergeAction::Delete) => Some("DELETE"),
                (MergeAction::Insert { .. }, MergeAction::Insert { .. }) => Some("INSERT"),
                _ => None,
            };
            if let Some(action) = action {
                return Err(SqlError::of(10_714, 1, &[&action, &clause]));
            }
            if other.condition.is_none() {
                return Err(SqlError::of(5324, 1, &[&clause, &clause]));
            }
        }
    }
    Ok(())
}

fn clause_name(when: MergeWhen) -> &'static str {
    match when {
        MergeWhen::Matched => "WHEN MATCHED",
        MergeWhen::NotMatchedByTarget => "WHEN NOT MATCHED",
        MergeWhen::NotMatchedBySource => "WHEN NOT MATCHED BY SOURCE",
    }
}

/// 5318
fn same_name() -> SqlError {
    SqlError::of(5318, 1, &[])
}

/// 5333 and 5334 in the place of the error that a name does not bind; it has the name in quotes.
fn not_in_clause(when: MergeWhen, error: &SqlError) -> SqlError {
    let name = error.text.split(['"', '\'']).nth(1).unwrap_or_default();
    let clause = clause_name(when);
    let refused = match when {
        MergeWhen::NotMatchedBySource => SqlError::of(5334, 1, &[&name, &clause]),
        _ => SqlError::of(5333, 1, &[&name, &clause]),
    };
    refused.at(error.line)
}
