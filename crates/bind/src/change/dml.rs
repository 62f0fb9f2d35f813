//! INSERT, UPDATE and DELETE: which rows, which columns, which values.

use std::sync::Arc;

use millpond_builtin::WRITE;
use millpond_builtin::eval::needs_plan;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::rel::Rel;
use millpond_catalog::{TableDef, names_equal};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::Column;
use millpond_tsql::ast::{
    self, Delete, Expr, ExprKind, ForFormat, Insert, InsertBulk, InsertSource, ObjectName, Update, With,
};
use millpond_txn::RowLocks;
use millpond_types::{MaxLen, SqlType, Value};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::needs::Access;
use crate::binder::numbers::Numbers;
use crate::binder::scope::{Exposed, Role, Scope, ScopeColumn};
use crate::binder::target::{Aim, Shown, ViewCheck, ViewTarget};
use crate::change::instead;
use crate::change::instead::{ChangedTarget, Taken, Written};
use crate::change::numbers::shared;
use crate::change::target::{rid, target};
use crate::definition::index_list::with_indexes;
use crate::expression::operator::convert;
use crate::expression::untyped::sources_of;
use crate::expression::{computed, is_written, settled, xml};
use crate::from::table_hint::check_inserted_hints;
use crate::from::{hint, with_ctes};
use crate::query::sets::{in_common_types, written_of};
use crate::query::{compound, ordering};
use crate::{mask, query, sequence};

/// Where a column of an inserted row comes from.
#[derive(Clone, Debug)]
pub enum InsertColumn {
    /// Column of the source's row; still of the source's type.
    Source(usize),
    /// DEFAULT or NULL.
    Default(BoundExpr),
    /// The next identity value.
    Identity,
    /// Computed of the others.
    Computed,
    /// A new rowversion value.
    RowVersion,
}

/// The table that rows go to, and where its columns come from.
#[derive(Clone, Debug)]
pub struct InsertTarget {
    /// Binding number.
    pub target: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// One entry per column.
    pub columns: Vec<InsertColumn>,
    /// WITH CHECK OPTION of the view that rows go through; over the row.
    pub check: Option<BoundExpr>,
    /// An INSTEAD OF trigger takes the rows, and none is stored.
    pub instead: Option<Taken>,
}

impl InsertTarget {
    /// The target where an INSTEAD OF trigger takes the rows: an identity column is 0.
    pub(crate) fn taken_by(mut self, taken: Option<Taken>) -> InsertTarget {
        if taken.is_none() {
            return self;
        }
        for column in &mut self.columns {
            if matches!(column, InsertColumn::Identity) {
                *column = InsertColumn::Default(BoundExpr::literal(Value::Int(0), SqlType::Int));
            }
        }
        self.def = instead::open_to_all(&self.def);
        self.instead = taken;
        self
    }
}

/// OUTPUT.
#[derive(Clone, Debug)]
pub struct BoundOutput {
    /// Over `inserted` ++ `deleted` ++ the statement's input row; INSERT has only `inserted`.
    pub items: Vec<BoundExpr>,
    /// Names of the items.
    pub names: Vec<String>,
    /// Where the rows go; `None`: to the client.
    pub into: Option<InsertTarget>,
    /// Where an INSERT takes them as its source: what it makes of them.
    pub taken: Option<Box<TakenRows>>,
}

impl BoundOutput {
    /// The columns of its rows.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        self.items.iter().zip(&self.names).map(|(item, name)| item.ty.shown_as(name)).collect()
    }
}

/// What an INSERT makes of the rows of a change in its FROM, before they go into its table.
#[derive(Clone, Debug)]
pub struct TakenRows {
    /// WHERE, over a row of the change's OUTPUT.
    pub filter: Option<BoundExpr>,
    /// Select list, over the same.
    pub items: Vec<BoundExpr>,
    /// OUTPUT of the INSERT, over its new row.
    pub output: Vec<BoundOutput>,
}

/// A bound INSERT.
#[derive(Clone, Debug)]
pub struct BoundInsert {
    /// The table.
    pub into: InsertTarget,
    /// Rows to insert.
    pub source: Rel,
    /// TABLOCK or a source that is a query: the bulk path.
    pub bulk: bool,
    /// TABLOCK: no other session changes the table to the end of the transaction.
    pub table_lock: bool,
    /// OUTPUT clauses.
    pub output: Vec<BoundOutput>,
}

/// See [`BoundChange::top`].
type RowsTop = Option<(BoundExpr, bool)>;

/// What happens to a row.
#[derive(Clone, Debug)]
pub enum Change {
    /// UPDATE: new values for these columns, and variables that are assigned.
    Update {
        /// Target columns.
        columns: Vec<usize>,
        /// Their values, over the input row.
        values: Vec<BoundExpr>,
        /// Variables, in the order of the SET list.
        assign: Vec<Assign>,
        /// Where values read these variables as the row before left them; the binder leaves that to the statement's run.
        set: Option<SetVariables>,
        /// Places of the CHECKs that are asked of the new row.
        checks: Box<[usize]>,
    },
    /// DELETE
    Delete,
}

impl Change {
    /// The rows are not stored, and no CHECK is asked of them.
    pub(crate) fn ask_no_checks(&mut self) {
        if let Change::Update { checks, .. } = self {
            *checks = Box::default();
        }
    }
}

/// A variable that an UPDATE sets.
#[derive(Clone, Debug)]
pub struct Assign {
    /// Its slot.
    pub slot: usize,
    /// Its value, of its type: over the input row, or over the table's new row when it gets what a column gets.
    pub value: BoundExpr,
    /// `@v = column = …`: which of the columns that are set.
    pub column: Option<usize>,
}

/// Variables that a statement sets and reads: columns of its input row.
#[derive(Clone, Debug)]
pub struct SetVariables {
    /// Slots.
    pub slots: Vec<usize>,
    /// Place of the first one in the input row.
    pub first: usize,
}

/// A bound UPDATE or DELETE.
#[derive(Clone, Debug)]
pub struct BoundChange {
    /// Binding number of the target.
    pub target: usize,
    /// Its definition.
    pub def: Arc<TableDef>,
    /// The rows to change, joined with those of FROM.
    pub input: Rel,
    /// Place of the target's first column in the input row; its locator is after its last.
    pub first: usize,
    /// What happens to them.
    pub change: Change,
    /// OUTPUT clauses.
    pub output: Vec<BoundOutput>,
    /// WITH CHECK OPTION of the view that is changed.
    pub check: Option<ViewCheck>,
    /// The view that is changed.
    pub view: Option<ViewTarget>,
    /// TOP where FROM may give a row of the target several times or not at all: the number (bigint) or percentage
    /// (float) of rows of the target.
    pub top: Option<(BoundExpr, bool)>,
    /// An INSTEAD OF trigger takes the rows, and none is changed.
    pub instead: Option<Taken>,
}

/// 4186 for a column of a view that OUTPUT must not read; `refused`: their places with their names.
fn check_output_items(items: &[BoundExpr], refused: &[(usize, String)]) -> SqlResult<()> {
    let mut read = None;
    for item in items {
        item.visit(&mut |node| {
            if let Kind::Column(column) = node.kind {
                read = read.or_else(|| refused.iter().find(|(place, _)| *place == column));
            }
        });
    }
    let Some((_, name)) = read else { return Ok(()) };
    Err(SqlError::of(4186, 1, &[&name]))
}

impl BoundChange {
    /// The change of a view with the view's columns computed of the table's.
    fn over_base(mut self, view: Option<ViewTarget>) -> BoundChange {
        let Some(view) = view else { return self };
        let first = self.first;
        let renew = |expr: &mut BoundExpr, shift: usize| *expr = view.over_base(expr.clone(), first, shift);
        if let Change::Update { values, assign, .. } = &mut self.change {
            let set = assign.iter_mut().filter(|item| item.column.is_none()).map(|item| &mut item.value);
            values.iter_mut().chain(set).for_each(|value| renew(value, 0));
        }
        let shift = 2 * self.def.columns.len();
        self.output.iter_mut().flat_map(|output| &mut output.items).for_each(|item| renew(item, shift));
        self.view = Some(view);
        self
    }

    /// Whether it changes a view whose rows a trigger takes: there is no table below that is its target.
    #[must_use]
    pub fn of_view(&self) -> bool {
        self.instead.as_ref().is_some_and(|taken| taken.of_view)
    }

    /// The place of the target's locator in the input row.
    #[must_use]
    pub fn locator(&self) -> usize {
        self.first + self.def.columns.len()
    }
}

/// Binds an INSERT.
///
/// # Errors
/// What does not bind; 213, 109, 110 for counts, 264 for a column named twice, 544 for an identity value.
pub(crate) fn insert(binder: &mut Binder<'_>, insert: &Insert) -> SqlResult<BoundInsert> {
    hint::take_options(binder, &insert.options)?;
    with_ctes(binder, &insert.ctes, |binder| insert_rows(binder, insert, (false, true)))
}

/// Binds the INSERT that an INSERT BULK stands for: an identity column takes values if it is among the columns. `fires`:
/// FIRE_TRIGGERS.
///
/// # Errors
/// As [`Binder::insert`], but for 544 and 545.
pub(crate) fn insert_bulk(binder: &mut Binder<'_>, bulk: &InsertBulk) -> SqlResult<BoundInsert> {
    let mut bound = insert_rows(binder, &as_insert(bulk), (true, bulk.has("FIRE_TRIGGERS")))?;
    if !bulk.has("CHECK_CONSTRAINTS") {
        pass_over_constraints(&mut bound.into.def);
    }
    Ok(bound)
}

/// `INSERT t (a, …) VALUES (NULL, …)`: names the columns and where their values come from.
fn as_insert(bulk: &InsertBulk) -> Insert {
    let null = || Expr { kind: ExprKind::Literal(ast::Literal::Null), line: bulk.span.line };
    let table_lock = bulk.has("TABLOCK").then(|| "TABLOCK".into());
    Insert {
        ctes: With::default(),
        top: None,
        table: bulk.table.clone(),
        columns: bulk.columns.iter().map(|(name, _)| name.clone()).collect(),
        hints: table_lock.into_iter().collect(),
        output: Vec::new(),
        source: InsertSource::Values(vec![bulk.columns.iter().map(|_| null()).collect()]),
        options: Vec::new(),
        span: bulk.span,
    }
}

/// CHECK and FOREIGN KEY constraints are not looked after by a load that does not say CHECK_CONSTRAINTS. Those that are still
/// trusted are: what runs the load has taken their trust from them, and another session may have given it back.
fn pass_over_constraints(def: &mut Arc<TableDef>) {
    if def.checks.is_empty() && def.foreign_keys.is_empty() {
        return;
    }
    let mut own = with_indexes(def, def.indexes.clone());
    for check in own.checks.iter_mut().filter(|check| check.is_constraint()) {
        check.disabled |= check.not_trusted;
    }
    for key in &mut own.foreign_keys {
        key.disabled |= key.not_trusted;
    }
    *def = Arc::new(own);
}

/// The table that an INSERT fills: its binding, its definition, and the INSTEAD OF trigger that takes its rows.
fn filled(binder: &mut Binder<'_>, insert: &Insert, fires: bool) -> SqlResult<(usize, Arc<TableDef>, Option<Taken>)> {
    if fires
        && let Some((def, taken)) = instead::filled_view(binder, insert).map_err(|error| error.at(insert.span.line))?
    {
        return Ok((0, def, Some(taken)));
    }
    binder.aim = if insert.columns.is_empty() { Aim::All } else { Aim::Columns(insert.columns.clone()) };
    let (target, def) = target(binder, &insert.table).map_err(|error| error.at(insert.span.line))?;
    binder.aim = Aim::OnlyTable;
    let taken = fires && instead::of_table(binder, &def)?.insert;
    Ok((target, def, taken.then(Taken::default)))
}

fn insert_rows(binder: &mut Binder<'_>, insert: &Insert, (is_bulk, fires): (bool, bool)) -> SqlResult<BoundInsert> {
    check_inserted_hints(&insert.hints, &insert.table)?;
    let (target, def, taken) = filled(binder, insert, fires)?;
    binder.note_change(Access::Insert, &def, &[]);
    let view = binder.view_target.take();
    let is_listed = |column: usize| insert.columns.iter().any(|name| def.column(name) == Some(column));
    let explicit = match is_bulk {
        true => def.identity_column().is_some_and(is_listed),
        false => binder.names.identity_insert(&def),
    };
    let names = base_names(&def, view.as_ref(), &insert.columns)?;
    check_row_constructors(&def, &names, insert)?;
    let listed = listed_columns(&def, &names, explicit)?;
    let has_names = !names.is_empty();
    let tablock = insert.hints.iter().any(|hint| hint == "TABLOCK" || hint == "TABLOCKX");
    let (mut source, bulk) = match &insert.source {
        InsertSource::Values(rows) => (insert_values(binder, &def, &listed, rows)?, tablock),
        InsertSource::Query(query) => {
            match query.for_clause.as_ref().map(|clause| clause.format) {
                Some(ForFormat::Json) => return Err(SqlError::of(13_602, 1, &[&"INSERT"])),
                Some(ForFormat::Xml) => return Err(SqlError::of(6819, 1, &[&"INSERT"])),
                Some(ForFormat::Browse) | None => {}
            }
            let bound = binder.query(query)?;
            if !bound.assign.is_empty() || bound.into.is_some() {
                return Err(message::syntax_near("INTO"));
            }
            (bound.rel, true)
        }
        InsertSource::DefaultValues => (Rel::one_row(), false),
        InsertSource::Execute(_) | InsertSource::ExecuteText(_) | InsertSource::Changes(_) => {
            return Err(message::missing("INSERT of that source"));
        }
    };
    if let Some(top) = &insert.top {
        let count = ordering::count(binder, &top.count, top.percent)?;
        source = Rel::Top {
            input: Box::new(source),
            count: Some(count),
            percent: top.percent,
            ties: Vec::new(),
            offset: None,
        };
    }
    let given = source.types().len();
    if !matches!(insert.source, InsertSource::DefaultValues) {
        explicit_identity(&def, !has_names, given, explicit)?;
    }
    let wanted = if matches!(insert.source, InsertSource::DefaultValues) { 0 } else { listed.len() };
    if given != wanted {
        let values = matches!(insert.source, InsertSource::Values(_));
        return Err(count_mismatch(!insert.columns.is_empty(), values, given, wanted));
    }
    let listed = if wanted == 0 { Vec::new() } else { listed };
    check_row_version(&def, &listed, &insert.source)?;
    check_convertible(&source, &def, &listed)?;
    let mut columns: Vec<_> = (0..def.columns.len()).map(|column| insert_column(&def, column, &listed)).collect();
    for column in &mut columns {
        if let InsertColumn::Default(default) = column
            && let Some(place) = shared(&mut source, default)?
        {
            *column = InsertColumn::Source(place);
        }
    }
    let check = view.as_ref().map(ViewTarget::check_of_insert).transpose()?.flatten();
    let into = InsertTarget { target, def, columns, check, instead: None }.taken_by(taken);
    binder.view_target = view;
    let mut output = outputs(binder, &insert.output, &into.def, Shown::INSERTED, (&Scope::default(), 0))?;
    masked_outputs(binder, &into.def, &[], &mut output);
    binder.target_views.clear();
    Ok(BoundInsert { into, source, bulk, table_lock: tablock, output })
}

/// Binds a load of a table's whole rows: the source has a value for each column, and those of columns that make their
/// own are not looked at.
///
/// # Errors
/// What does not bind; 40517 for a view.
pub(crate) fn bulk_insert(
    binder: &mut Binder<'_>,
    table: &ObjectName,
    (keeps_identity, table_lock, fires, looks_after): (bool, bool, bool, bool),
) -> SqlResult<BoundInsert> {
    let (target, mut def) = target(binder, table)?;
    binder.note_change(Access::Insert, &def, &[]);
    if binder.view_target.take().is_some() {
        return Err(message::missing("BULK INSERT into a view"));
    }
    let is_given = |column: usize| {
        let column = &def.columns[column];
        column.computed.is_none() && (column.identity.is_none() || keeps_identity)
    };
    let columns = (0..def.columns.len()).map(|column| match insert_column(&def, column, &[]) {
        InsertColumn::RowVersion => InsertColumn::RowVersion,
        _ if is_given(column) => InsertColumn::Source(column),
        made => made,
    });
    let columns = columns.collect();
    let taken = fires && instead::of_table(binder, &def)?.insert;
    if !looks_after {
        pass_over_constraints(&mut def);
    }
    let into = InsertTarget { target, def, columns, check: None, instead: None }.taken_by(taken.then(Taken::default));
    let source = Rel::Values { rows: Vec::new(), types: Vec::new() };
    Ok(BoundInsert { into, source, bulk: true, table_lock, output: Vec::new() })
}

/// The OUTPUT clauses of a change of a table; `input` is the scope of the statement's input row, in which the table's
/// columns begin at `first`.
pub(crate) fn outputs(
    binder: &mut Binder<'_>,
    outputs: &[ast::Output],
    def: &TableDef,
    shown: Shown,
    (input, first): (&Scope, usize),
) -> SqlResult<Vec<BoundOutput>> {
    let mut scope = Scope::default();
    let view = binder.view_target.take();
    let named =
        if outputs.is_empty() { None } else { binder.mention_changed(def, view.as_ref().map(|view| view.is_view)) };
    for (name, visible) in [("inserted", shown.inserted), ("deleted", shown.deleted)] {
        scope.columns.extend(def.columns.iter().enumerate().map(|(index, column)| ScopeColumn {
            table: name.to_owned(),
            place: None,
            name: column.name.clone(),
            ty: ExprType { nullable: column.ty.nullable || shown.nullable, ..column.ty },
            hidden: !visible || view.is_some(),
            role: Role::of(column),
            computed: computed::read_as(def, index),
            mention: named.clone().map(|named| (named, column.id)),
        }));
        if visible {
            scope.tables.push(Exposed::alias(name));
        }
    }
    let mut scope = scope.join(input.clone());
    let refused = match &view {
        None => Vec::new(),
        Some(view) => {
            view.add_output((def, named.as_ref()), &mut scope, (!input.columns.is_empty()).then_some(first), shown)
        }
    };
    let bound = outputs.iter().map(|output| {
        let bound = bound_output(binder, output, scope.clone())?;
        check_output_items(&bound.items, &refused).map(|()| bound)
    });
    bound.collect()
}

fn bound_output(binder: &mut Binder<'_>, output: &ast::Output, scope: Scope) -> SqlResult<BoundOutput> {
    binder.scopes.push(scope);
    binder.blocks.push(Block::default());
    let items = sequence::with_numbers(binder, Numbers::NotInClause, |binder| query::items(binder, &output.items));
    binder.blocks.pop();
    binder.scopes.pop();
    let (items, names, assign) = items?;
    if !assign.is_empty() {
        return Err(message::syntax_near("="));
    }
    if items.iter().any(needs_plan) {
        return Err(SqlError::of(10_706, 1, &[]));
    }
    let Some((name, columns)) = &output.into else {
        return Ok(BoundOutput { items, names, into: None, taken: None });
    };
    let views = std::mem::take(&mut binder.target_views);
    let (target, def) = target(binder, name)?;
    binder.note_change(Access::Insert, &def, &[]);
    binder.target_views = views;
    if binder.view_target.take().is_some() {
        return Err(message::missing("OUTPUT INTO a view"));
    }
    let listed = listed_columns(&def, columns, binder.names.identity_insert(&def))?;
    if items.len() != listed.len() {
        return Err(message::column_count_mismatch());
    }
    if listed.iter().any(|column| def.columns[*column].is_row_version()) {
        return Err(explicit_row_version());
    }
    for (item, column) in items.iter().zip(&listed) {
        convertible(item.clone(), def.columns[*column].ty.sql)?;
    }
    let columns = (0..def.columns.len()).map(|column| insert_column(&def, column, &listed)).collect();
    let into = Some(InsertTarget { target, def, columns, check: None, instead: None });
    Ok(BoundOutput { items, names, into, taken: None })
}

/// VALUES rows: DEFAULT stands for the column's default; all rows in the types that they meet in.
fn insert_values(binder: &mut Binder<'_>, def: &TableDef, listed: &[usize], rows: &[Vec<Expr>]) -> SqlResult<Rel> {
    let mut bound: Vec<Vec<BoundExpr>> = Vec::with_capacity(rows.len());
    for row in rows {
        if row.len() != rows[0].len() {
            return Err(SqlError::of(10709, 1, &[]));
        }
        let cells = row.iter().enumerate().map(|(index, cell)| match (&cell.kind, listed.get(index)) {
            (ExprKind::Default, Some(column)) if rows.len() == 1 => Ok(default_of(def, *column)),
            (ExprKind::Default, Some(column)) => default_among(def, *column),
            _ => binder.expression(cell),
        });
        bound.push(cells.collect::<SqlResult<_>>()?);
    }
    if bound.len() == 1 {
        let types = bound[0].iter().map(|cell| cell.ty).collect();
        return Ok(Rel::Values { rows: bound, types });
    }
    let targets: Vec<millpond_types::SqlType> = listed.iter().map(|column| def.columns[*column].ty.sql).collect();
    in_common_types(bound, &written_of(rows), &targets)
}

/// Binds an UPDATE.
///
/// # Errors
/// What does not bind; 264 for a column set twice, 8102 for an identity column.
pub(crate) fn update(binder: &mut Binder<'_>, update: &Update) -> SqlResult<BoundChange> {
    hint::take_options(binder, &update.options)?;
    mask::inside(binder, |binder| {
        sequence::with_numbers(binder, Numbers::NotInClause, |binder| {
            with_ctes(binder, &update.ctes, |binder| update_target(binder, update))
        })
    })
}

fn update_target(binder: &mut Binder<'_>, update: &Update) -> SqlResult<BoundChange> {
    let set = update.set.iter().filter_map(|set| set.column.as_ref()?.parts.last().cloned());
    binder.aim = Aim::Columns(set.collect());
    let written = Written { name: &update.table, from: &update.from, hints: &update.hints, span: update.span };
    let ChangedTarget { target, def, source, taken } = instead::changed_target(binder, &written, Access::Update)?;
    binder.aim = Aim::OnlyTable;
    find_as_it_is(binder, target, update.top.is_some() || takes_first(&source.rel));
    let scope = source.scope.clone();
    binder.scopes.push(source.scope);
    binder.blocks.push(Block::default());
    let bound = update_rows(binder, update, &def, source.rel);
    let first = rid(binder).map(|rid| rid - def.columns.len());
    binder.blocks.pop();
    binder.scopes.pop();
    let (input, top, mut change) = bound?;
    if taken.is_some() {
        change.ask_no_checks();
    }
    note_update(binder, &def, &change, &update.set);
    let view = binder.view_target.clone();
    let first = first?;
    let mut output = outputs(binder, &update.output, &def, Shown::BOTH, (&scope, first))?;
    masked_change(binder, &def, (&[&input], target), &mut change);
    masked_outputs(binder, &def, &[&input], &mut output);
    let check = view.as_ref().map(|view| view.check_of_change(first)).transpose()?.flatten();
    let target = target.unwrap_or_default();
    let (def, instead) = (instead::stored_by(def, taken.as_ref()), taken);
    Ok(BoundChange { target, def, input, first, change, output, check, view: None, top, instead }.over_base(view))
}

fn update_rows(
    binder: &mut Binder<'_>,
    update: &Update,
    def: &TableDef,
    rel: Rel,
) -> SqlResult<(Rel, RowsTop, Change)> {
    let rel = filtered(binder, rel, update.filter.as_ref())?;
    let (rel, top) = first_of(binder, rel, update.top.as_ref())?;
    let first = rid(binder)? - def.columns.len();
    Ok((rel, top, assignments(binder, &update.set, def, first)?))
}

/// Masks of what UPDATE sets in rows of the input, in that table of the statement; none for a view's triggers.
pub(crate) fn masked_change(
    binder: &Binder<'_>,
    def: &TableDef,
    (input, target): (&[&Rel], Option<usize>),
    change: &mut Change,
) {
    let Change::Update { columns, values, assign, .. } = change else { return };
    mask::set_values(binder, def, (input, target), columns.iter().copied().zip(values.iter_mut()));
    // A variable that gets what the column gets reads the new row.
    let (of_row, of_input): (Vec<_>, Vec<_>) = assign.iter_mut().partition(|one| one.column.is_some());
    mask::changed_rows(binder, def, &[], of_row.into_iter().map(|one| &mut one.value));
    mask::values(binder, input, of_input.into_iter().map(|one| &mut one.value));
}

/// Masks of OUTPUT.
pub(crate) fn masked_outputs(binder: &Binder<'_>, def: &TableDef, input: &[&Rel], outputs: &mut [BoundOutput]) {
    mask::changed_rows(binder, def, input, outputs.iter_mut().flat_map(|output| &mut output.items));
}

/// A SET list over the scope on top, where the target's columns begin at `first`.
pub(crate) fn assignments(
    binder: &mut Binder<'_>,
    list: &[ast::UpdateSet],
    def: &TableDef,
    first: usize,
) -> SqlResult<Change> {
    sequence::with_numbers(binder, Numbers::Allowed, |binder| assigned(binder, list, def, first))
}

/// `column.WRITE(value, offset, length)`: the column's value with a part replaced.
fn written(
    binder: &mut Binder<'_>,
    def: &TableDef,
    column: usize,
    first: usize,
    value: BoundExpr,
    write: &ast::WritePart,
) -> SqlResult<BoundExpr> {
    let ty = def.columns[column].ty;
    let is_large = matches!(
        ty.sql,
        SqlType::VarChar { len: MaxLen::Max, .. }
            | SqlType::NVarChar { len: MaxLen::Max }
            | SqlType::VarBinary { len: MaxLen::Max }
    );
    if !is_large {
        return Err(SqlError::of(258, 1, &[&ty.sql.message_name()]));
    }
    let old = BoundExpr::column(first + column, ty);
    let value = convert(value, ty.sql)?;
    let offset = convert(binder.expression(&write.offset)?, SqlType::BigInt)?;
    let length = convert(binder.expression(&write.length)?, SqlType::BigInt)?;
    let kind = Kind::Function(&WRITE, vec![old, value, offset, length]);
    Ok(BoundExpr { kind, ty: ExprType { nullable: true, ..ty } })
}

/// What `column op= value` reads: the target's column, by the view's where a view is changed.
fn note_old_value(binder: &Binder<'_>, name: &ObjectName, first: usize, column: usize) {
    let Some(scope) = binder.scopes.last() else { return };
    let place = match &binder.view_target {
        None => Some(first + column),
        Some(view) => view.place_in_input(name.last(), first),
    };
    if let Some(place) = place {
        scope.note_read(place);
    }
}

/// 4104: what stands before a column that is set names the target, or an alias of it, and no other table.
fn check_qualifier(binder: &mut Binder<'_>, name: &ObjectName, column: usize, line: u32) -> SqlResult<()> {
    // A view's columns stand in the scope under the view's name.
    if name.parts.len() < 2 || binder.view_target.is_some() {
        return Ok(());
    }
    let named = binder.expression(&Expr { kind: ExprKind::Column(name.clone()), line })?;
    match named.kind {
        Kind::Column(index) if index == column => Ok(()),
        _ => Err(message::unbound_identifier(&name.shown())),
    }
}

fn assigned(binder: &mut Binder<'_>, list: &[ast::UpdateSet], def: &TableDef, first: usize) -> SqlResult<Change> {
    let (mut columns, mut values, mut assign) = (Vec::new(), Vec::new(), Vec::new());
    for set in list {
        let value = match &set.column {
            Some(name) => {
                let column = set_column(def, &base_name(binder, def, name)?, &columns)?;
                check_qualifier(binder, name, first + column, set.value.line)?;
                let value = match &set.value.kind {
                    ExprKind::Default => default_of(def, column),
                    _ if set.op == ast::AssignOp::Modify => {
                        let old = BoundExpr::column(first + column, def.columns[column].ty);
                        xml::modified(binder, old, name.last(), &set.value)?
                    }
                    _ => binder.expression(&set.value)?,
                };
                let value = match (&set.write, set.op) {
                    (Some(write), _) => written(binder, def, column, first, value, write)?,
                    (None, ast::AssignOp::Set | ast::AssignOp::Modify) => value,
                    (None, op) => {
                        note_old_value(binder, name, first, column);
                        let old = BoundExpr::column(first + column, def.columns[column].ty);
                        compound(binder, op, old, value, is_written(&set.value))?
                    }
                };
                columns.push(column);
                values.push(given(binder, value, def.columns[column].ty.sql)?);
                // `@v = column = expr` gives the variable what the column gets.
                set.variable.as_ref().map(|_| BoundExpr::column(column, def.columns[column].ty))
            }
            None => Some(binder.expression(&set.value)?),
        };
        let (Some(variable), Some(value)) = (&set.variable, value) else { continue };
        let (slot, sql) = binder.variables.find(variable).ok_or_else(|| message::undeclared_variable(variable))?;
        let value = match (&set.column, set.op) {
            (None, op) if op != ast::AssignOp::Set => {
                let ty = ExprType::plain(sql, true);
                let variable = BoundExpr { kind: Kind::Variable(slot), ty };
                compound(binder, op, variable, value, is_written(&set.value))?
            }
            _ => value,
        };
        let column = set.column.is_some().then(|| columns.len() - 1);
        assign.push(Assign { slot, value: convert(value, sql)?, column });
    }
    let checks = def.checks_of_change(&columns);
    Ok(Change::Update { columns, values, assign, set: None, checks })
}

/// Binds a DELETE.
///
/// # Errors
/// What does not bind.
pub(crate) fn delete(binder: &mut Binder<'_>, delete: &Delete) -> SqlResult<BoundChange> {
    hint::take_options(binder, &delete.options)?;
    mask::inside(binder, |binder| {
        sequence::with_numbers(binder, Numbers::NotInClause, |binder| {
            with_ctes(binder, &delete.ctes, |binder| delete_rows(binder, delete))
        })
    })
}

/// UPDATE is needed on the columns that get values.
pub(crate) fn note_update(binder: &mut Binder<'_>, def: &TableDef, change: &Change, list: &[ast::UpdateSet]) {
    match change {
        Change::Update { columns, .. } => {
            let set = list.iter().filter_map(|set| set.column.as_ref()?.parts.last().map(String::as_str));
            let names: Vec<&str> = set.collect();
            let of_view = binder.view_target.as_ref().map_or_else(Vec::new, |view| view.numbers(&names));
            binder.note_change_of((Access::Update, def), columns, &of_view);
        }
        Change::Delete => binder.note_change(Access::Delete, def, &[]),
    }
}

fn delete_rows(binder: &mut Binder<'_>, delete: &Delete) -> SqlResult<BoundChange> {
    let written = Written { name: &delete.table, from: &delete.from, hints: &delete.hints, span: delete.span };
    let ChangedTarget { target, def, source, taken } = instead::changed_target(binder, &written, Access::Delete)?;
    binder.note_change(Access::Delete, &def, &[]);
    find_as_it_is(binder, target, delete.top.is_some() || takes_first(&source.rel));
    let scope = source.scope.clone();
    binder.scopes.push(source.scope);
    binder.blocks.push(Block::default());
    let bound = filtered(binder, source.rel, delete.filter.as_ref());
    let bound = bound.and_then(|rel| first_of(binder, rel, delete.top.as_ref()));
    let first = rid(binder).map(|rid| rid - def.columns.len());
    binder.blocks.pop();
    binder.scopes.pop();
    let view = binder.view_target.clone();
    let (change, first) = (Change::Delete, first?);
    let mut output = outputs(binder, &delete.output, &def, Shown::DELETED, (&scope, first))?;
    let (input, top) = bound?;
    masked_outputs(binder, &def, &[&input], &mut output);
    let (target, check, instead) = (target.unwrap_or_default(), None, taken);
    Ok(BoundChange { target, def, input, first, change, output, check, view: None, top, instead }.over_base(view))
}

/// The rows that are changed are found as they are now. Of TOP the first rows that no other session takes are meant: they
/// are locked as they are found, so that a row which goes while this statement waits for it does not count.
fn find_as_it_is(binder: &mut Binder<'_>, target: Option<usize>, takes_first: bool) {
    let Some(target) = target else { return };
    let hint = &mut binder.tables[target].hint;
    hint.finds_changes = true;
    if takes_first && hint.rows == RowLocks::Level {
        hint.rows = RowLocks::Update;
    }
}

/// TOP of a change counts rows of the target: where others are joined to them, when they have been found.
fn first_of(binder: &mut Binder<'_>, rel: Rel, top: Option<&ast::Top>) -> SqlResult<(Rel, RowsTop)> {
    let Some(top) = top else { return Ok((rel, None)) };
    let count = ordering::count(binder, &top.count, top.percent)?;
    if rel.reads_one_table() {
        let (input, count) = (Box::new(rel), Some(count));
        return Ok((Rel::Top { input, count, percent: top.percent, ties: Vec::new(), offset: None }, None));
    }
    if millpond_builtin::eval::needs_plan(&count) {
        return Err(message::missing("TOP of a subquery in a change with joins"));
    }
    Ok((rel, Some((count, top.percent))))
}

fn filtered(binder: &mut Binder<'_>, rel: Rel, filter: Option<&Expr>) -> SqlResult<Rel> {
    Ok(match filter {
        None => rel,
        Some(filter) => Rel::Filter { input: Box::new(rel), predicate: settled::filter(binder.condition(filter)?) },
    })
}

/// The table's name of a column that a SET names.
fn base_name(binder: &Binder<'_>, def: &TableDef, name: &ObjectName) -> SqlResult<ObjectName> {
    let Some(view) = &binder.view_target else { return Ok(name.clone()) };
    let last = name.last();
    let column = view.base_column(last)?;
    Ok(ObjectName { parts: vec![def.columns[column].name.clone()] })
}

/// Whether first rows alone of a target are shown, by TOP of a view or common table expression.
fn takes_first(rel: &Rel) -> bool {
    let has_top = |rel: &Rel| matches!(rel, Rel::Top { .. }) || rel.inputs().into_iter().any(takes_first);
    rel.reads_one_table() && has_top(rel)
}

/// 8101 for as many values as columns where no columns are listed, so that one of them is the identity value; 545 for
/// fewer while IDENTITY_INSERT is ON.
pub(crate) fn explicit_identity(def: &TableDef, is_bare: bool, given: usize, identity_insert: bool) -> SqlResult<()> {
    if !is_bare || def.identity_column().is_none() {
        return Ok(());
    }
    let stored = def.columns.iter().filter(|column| column.computed.is_none()).count();
    if given == stored {
        return Err(SqlError::of(8101, 1, &[&def.name]));
    }
    if identity_insert && given + 1 == stored { Err(identity_wanted(def)) } else { Ok(()) }
}

/// 545
fn identity_wanted(def: &TableDef) -> SqlError {
    SqlError::of(545, 1, &[&def.name])
}

pub(crate) fn listed_columns(def: &TableDef, names: &[String], identity_insert: bool) -> SqlResult<Vec<usize>> {
    let is_given = |column: &usize| {
        let column = &def.columns[*column];
        column.computed.is_none() && column.identity.is_none()
    };
    if names.is_empty() {
        return Ok((0..def.columns.len()).filter(is_given).collect());
    }
    let mut listed = Vec::with_capacity(names.len());
    for name in names {
        let column = def.column(name).ok_or_else(|| message::invalid_column(name))?;
        if listed.contains(&column) {
            return Err(set_twice(name));
        }
        if def.columns[column].identity.is_some() && !identity_insert {
            return Err(SqlError::of(544, 1, &[&def.name]));
        }
        if def.columns[column].computed.is_some() {
            return Err(computed_column(&def.columns[column].name));
        }
        listed.push(column);
    }
    if identity_insert && def.identity_column().is_some_and(|column| !listed.contains(&column)) {
        return Err(identity_wanted(def));
    }
    Ok(listed)
}

/// 109 and 110 for rows of another width than the list, 339 for DEFAULT of an identity column.
fn check_row_constructors(def: &TableDef, names: &[String], insert: &Insert) -> SqlResult<()> {
    let InsertSource::Values(rows) = &insert.source else { return Ok(()) };
    if rows.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
        return Err(SqlError::of(10_709, 1, &[]));
    }
    if insert.columns.is_empty() {
        return Ok(());
    }
    if let Some(row) = rows.iter().find(|row| row.len() != names.len()) {
        return Err(count_mismatch(true, true, row.len(), names.len()));
    }
    let identity = def.identity_column().map(|column| &def.columns[column].name);
    let place = identity.and_then(|identity| names.iter().position(|name| names_equal(name, identity)));
    match place.is_some_and(|place| rows.iter().any(|row| matches!(row[place].kind, ExprKind::Default))) {
        true => Err(SqlError::of(339, 1, &[])),
        false => Ok(()),
    }
}

/// A rowversion column takes DEFAULT alone.
fn check_row_version(def: &TableDef, listed: &[usize], source: &InsertSource) -> SqlResult<()> {
    let Some(place) = listed.iter().position(|column| def.columns[*column].is_row_version()) else { return Ok(()) };
    let is_default = |row: &Vec<Expr>| matches!(row.get(place).map(|cell| &cell.kind), Some(ExprKind::Default));
    match source {
        InsertSource::Values(rows) if rows.iter().all(is_default) => Ok(()),
        _ => Err(explicit_row_version()),
    }
}

/// The table's names of an INSERT's columns: those of a view are others, and none means all that take values.
pub(crate) fn base_names(def: &TableDef, view: Option<&ViewTarget>, names: &[String]) -> SqlResult<Vec<String>> {
    let Some(view) = view else { return Ok(names.to_vec()) };
    let base = |name: &String| Ok(def.columns[view.base_column(name)?].name.clone());
    if !names.is_empty() {
        return names.iter().map(base).collect();
    }
    // As of a table: what it fills itself is left out.
    let is_given = |(name, expr): &&(String, BoundExpr)| match view.base_column(name) {
        Ok(column) => def.columns[column].identity.is_none(),
        Err(_) => !view.is_computed(def, expr),
    };
    view.columns.iter().filter(is_given).map(|(name, _)| base(name)).collect()
}

/// 273
pub(crate) fn explicit_row_version() -> SqlError {
    SqlError::of(273, 1, &[])
}

/// 271
fn computed_column(name: &str) -> SqlError {
    SqlError::of(271, 1, &[&name])
}

fn set_twice(name: &str) -> SqlError {
    SqlError::of(264, 1, &[&name])
}

fn set_column(def: &TableDef, name: &ObjectName, known: &[usize]) -> SqlResult<usize> {
    let name = name.last();
    let of_role = |role| def.columns.iter().position(|column| Role::of(column) == role);
    let column = def.column(name).or_else(|| Role::of_name(name).and_then(of_role));
    let column = column.ok_or_else(|| message::invalid_column(name))?;
    let name = &def.columns[column].name;
    if known.contains(&column) {
        return Err(set_twice(name));
    }
    if def.columns[column].identity.is_some() {
        return Err(SqlError::of(8102, 1, &[&name]));
    }
    if def.columns[column].computed.is_some() {
        return Err(computed_column(name));
    }
    if def.columns[column].is_row_version() {
        return Err(SqlError::of(272, 1, &[]));
    }
    Ok(column)
}

pub(crate) fn insert_column(def: &TableDef, column: usize, listed: &[usize]) -> InsertColumn {
    // What was given for it is DEFAULT.
    if def.columns[column].is_row_version() {
        return InsertColumn::RowVersion;
    }
    if let Some(index) = listed.iter().position(|known| *known == column) {
        return InsertColumn::Source(index);
    }
    if def.columns[column].identity.is_some() {
        return InsertColumn::Identity;
    }
    if def.columns[column].computed.is_some() {
        return InsertColumn::Computed;
    }
    InsertColumn::Default(default_of(def, column))
}

pub(crate) fn default_of(def: &TableDef, column: usize) -> BoundExpr {
    let column = &def.columns[column];
    let default = column.default.as_ref().map(|default| default.expr.clone());
    default.unwrap_or_else(|| BoundExpr::literal(millpond_types::Value::Null, column.ty.sql))
}

/// A default among the values of other rows: of its column's type, but as long as it is, which the store looks at.
fn default_among(def: &TableDef, column: usize) -> SqlResult<BoundExpr> {
    let target = match def.columns[column].ty.sql {
        SqlType::Char { page, .. } | SqlType::VarChar { page, .. } => SqlType::VarChar { len: MaxLen::Max, page },
        SqlType::NChar { .. } | SqlType::NVarChar { .. } => SqlType::NVarChar { len: MaxLen::Max },
        SqlType::Binary { .. } | SqlType::VarBinary { .. } => SqlType::VarBinary { len: MaxLen::Max },
        other => other,
    };
    convert(default_of(def, column), target)
}

/// The value can be stored in a column of the type; the store itself converts, so that its errors name the column.
pub(crate) fn convertible(value: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
    convert(value.clone(), target)?;
    Ok(value)
}

/// The same of a value that a SET or a MERGE gives: a column of its sources that is the untyped NULL goes into any column.
pub(crate) fn given(binder: &Binder<'_>, value: BoundExpr, target: SqlType) -> SqlResult<BoundExpr> {
    let source = |index: usize| binder.scopes.last().and_then(|scope| scope.columns.get(index));
    match value.kind {
        Kind::Column(index) if source(index).is_some_and(|column| column.role == Role::Untyped) => Ok(value),
        _ => convertible(value, target),
    }
}

fn check_convertible(source: &Rel, def: &TableDef, listed: &[usize]) -> SqlResult<()> {
    for (cell, column) in sources_of(source, &source.types()).into_iter().zip(listed) {
        convert(cell, def.columns[*column].ty.sql)?;
    }
    Ok(())
}

/// 213 where no columns are listed; else what there is too many of.
pub(crate) fn count_mismatch(listed: bool, values: bool, given: usize, wanted: usize) -> SqlError {
    if !listed {
        return message::column_count_mismatch();
    }
    match (values, given < wanted) {
        (true, true) => SqlError::of(109, 1, &[]),
        (true, false) => SqlError::of(110, 1, &[]),
        (false, true) => SqlError::of(120, 1, &[]),
        (false, false) => SqlError::of(121, 1, &[]),
    }
}
