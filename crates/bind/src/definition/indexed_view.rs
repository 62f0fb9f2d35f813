//! Indexed views: a view's query as a relation over its tables, what its rows are, and why a view may not have an index.
//!
//! ```text
//!   text ─▶ clauses that no indexed view has ─▶ relation ─▶ what flows into its columns ─▶ IndexedView
//! ```
//! What always holds of one:
//! - I1: it is one block over tables, each there once, joined by inner joins; so rows of one table that come and go make rows
//!   of the view that come and go, whatever the other tables have.
//! - I2: the same rows of its tables always make the same rows of it, under the settings that it asks for.
//! - I3: of groups it has all that GROUP BY names, COUNT_BIG(*), and sums of what is never NULL: a group's row follows from what
//!   it was and from the rows that came and went.

use std::sync::Arc;

use millpond_builtin::TableFunctionDef;
use millpond_builtin::determinism::is_deterministic;
use millpond_catalog::dialect::Dialect;
use millpond_catalog::expr::{BoundExpr, ExprType, Kind, UserFunction};
use millpond_catalog::rel::{Aggregate, AggregateFunction, Rel, RelJoin, UserTableFunction};
use millpond_catalog::{CatalogObject, DatabaseObjects, IndexDef, ModuleDef, SequenceDef, TableDef, UserTypeDef};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{
    GroupItem, JoinKind, ModuleKind, ObjectName, Query, QueryBody, Select, StatementKind, TableRef, View,
};
use millpond_tsql::{ParseOptions, parse_batch};
use millpond_types::SqlType;
use millpond_types::collation::Collation;

use crate::binder::Binder;
use crate::binder::names::{Home, Named, Names, Variables};
use crate::definition::stored::user_type_named;
use crate::mask;

/// A view that has an index, or may have one.
#[derive(Debug)]
pub struct IndexedView {
    /// Its rows; tables are bound by their places in `tables`.
    pub rel: Rel,
    /// Its tables, each once.
    pub tables: Vec<Arc<TableDef>>,
    /// What its rows are.
    pub form: ViewForm,
}

/// What the rows of an indexed view are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewForm {
    /// Rows of its tables.
    Rows,
    /// Groups, with what each column is.
    Groups(Vec<GroupColumn>),
}

/// A column of a view of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupColumn {
    /// One of GROUP BY, or the same for all rows.
    Key,
    /// `COUNT_BIG(*)`
    Count,
    /// SUM, or COUNT_BIG of values.
    Sum,
}

impl IndexedView {
    /// Reads and binds a view's text, and looks whether an index may be over it.
    ///
    /// # Errors
    /// What does not bind; what stands in the way of an index, by its number: 1937, 1942 to 1966, 1985, 10100 to 10143, 8660,
    /// 8668. `index`: the clustered one, as messages name it, with its key columns checked where it is known.
    pub fn of(
        database: (DbId, &Arc<str>),
        objects: &Arc<DatabaseObjects>,
        view: &ModuleDef,
        index: &str,
    ) -> SqlResult<IndexedView> {
        let shown = Shown { view: format!("{}.{}.{}", database.1, view.schema.name, view.name), index };
        let definition = definition_of(view)?;
        check_query(&definition.query, &shown)?;
        let names = ViewNames { database: database.0, name: Arc::clone(database.1), objects: Arc::clone(objects) };
        let variables = Variables::default();
        let home = Home { database: database.0, schema: view.schema.id, module: view.id };
        let mut binder = Binder::new(&names, &variables).at_home(home);
        binder.dialect = binder.dialect_of(view, database.0);
        let rel = mask::inside(&mut binder, |binder| binder.stored_query(&definition.query))?.rel;
        let tables: Vec<Arc<TableDef>> = binder.tables.iter().map(|used| Arc::clone(&used.def)).collect();
        if let Some((_, other)) = binder.views.first() {
            let other = format!("{}.{}.{}", database.1, other.schema.name, other.name);
            return Err(SqlError::of(1937, 1, &[&INDEX, &shown.view, &other]));
        }
        let form = form_of(&rel, &shown)?;
        for (place, table) in tables.iter().enumerate() {
            if tables[..place].iter().any(|known| known.id == table.id) {
                return Err(SqlError::of(1947, 1, &[&INDEX, &shown.view, &table.full_name()]));
            }
        }
        check_flow(&rel, &shown, &view.text)?;
        if rel.types().iter().any(|ty| ty.sql == SqlType::Xml) {
            return Err(SqlError::of(1942, 1, &[&INDEX, &shown.view]));
        }
        Ok(IndexedView { rel, tables, form })
    }

    /// Whether its tables are what the catalog has now.
    #[must_use]
    pub fn is_of(&self, objects: &DatabaseObjects) -> bool {
        self.tables.iter().all(|table| objects.table(table.id).is_some_and(|(now, _)| Arc::ptr_eq(now, table)))
    }

    /// What an index over it may not be.
    ///
    /// # Errors
    /// 8661 for a clustered key beyond GROUP BY, 1901 for a key of floats, 1990 for IGNORE_DUP_KEY, 10610 for a filter.
    pub fn check_index(&self, rows: &TableDef, index: &IndexDef) -> SqlResult<()> {
        let (two, full) = (rows.two_part_name(), rows.full_name());
        if index.options.ignore_dup_key {
            return Err(SqlError::of(1990, 1, &[]));
        }
        if index.filter.is_some() {
            return Err(SqlError::of(10_610, 1, &[&index.name, &two]));
        }
        if let Some(part) = index.key.iter().find(|part| is_imprecise(&rows.columns[part.column].ty.sql)) {
            return Err(SqlError::of(1901, 1, &[&index.name, &two, &rows.columns[part.column].name]));
        }
        if let ViewForm::Groups(columns) = &self.form
            && index.holds_rows()
            && index.key.iter().any(|part| columns[part.column] != GroupColumn::Key)
        {
            return Err(SqlError::of(8661, 0, &[&index.name, &full]));
        }
        Ok(())
    }
}

/// How messages name what there is an index of.
const INDEX: &str = "index";

/// How messages name a view and its clustered index.
struct Shown<'a> {
    view: String,
    index: &'a str,
}

impl Shown<'_> {
    /// An error of the view alone.
    fn refused(&self, number: i32) -> SqlError {
        SqlError::of(number, 1, &[&INDEX, &self.view])
    }

    /// An error that names the index too.
    fn refused_index(&self, number: i32) -> SqlError {
        SqlError::of(number, 0, &[&self.index, &self.view])
    }
}

fn definition_of(view: &ModuleDef) -> SqlResult<View> {
    let options = ParseOptions { quoted_identifier: view.quoted_identifier };
    let batch = parse_batch(&view.text, options).map_err(message::of_syntax)?;
    let module = batch.statements.into_iter().find_map(|statement| match statement.kind {
        StatementKind::Module(module) => Some(module.kind),
        _ => None,
    });
    match module {
        Some(ModuleKind::View(definition)) => Ok(*definition),
        _ => Err(message::invalid_object(&view.name)),
    }
}

/// The clauses of a query that an indexed view does not have.
fn check_query(query: &Query, shown: &Shown<'_>) -> SqlResult<()> {
    if let Some(cte) = query.ctes.first() {
        return Err(SqlError::of(10_137, 1, &[&INDEX, &shown.view, &cte.name]));
    }
    if query.for_clause.is_some() {
        return Err(message::missing("An index on a view with FOR XML or FOR JSON"));
    }
    let select = match &query.body {
        QueryBody::Select(select) => select,
        QueryBody::Nested(query) => return check_query(query, shown),
        QueryBody::SetOperation { .. } => return Err(shown.refused(10_116)),
        QueryBody::Values(_) => return Err(message::missing("An index on a view of VALUES")),
    };
    select.from.iter().try_for_each(|table| check_table(table, shown))?;
    if select.from.is_empty() {
        return Err(message::missing("An index on a view without FROM"));
    }
    if select.distinct {
        return Err(shown.refused(10_100));
    }
    if select.top.is_some() || query.offset.is_some() {
        return Err(shown.refused(10_101));
    }
    check_groups(select, shown)
}

fn check_groups(select: &Select, shown: &Shown<'_>) -> SqlResult<()> {
    if select.group_by.iter().any(|item| !matches!(item, GroupItem::Expr(_))) {
        return Err(shown.refused(10_119));
    }
    if select.having.is_some() { Err(shown.refused(10_121)) } else { Ok(()) }
}

fn check_table(table: &TableRef, shown: &Shown<'_>) -> SqlResult<()> {
    match table {
        TableRef::Named { hints, .. } if !hints.is_empty() => Err(shown.refused(10_140)),
        TableRef::Named { .. } => Ok(()),
        TableRef::Derived { alias, .. } => {
            let alias = alias.as_deref().unwrap_or_default();
            Err(SqlError::of(10_109, 1, &[&INDEX, &shown.view, &alias]))
        }
        TableRef::Join { kind, left, right, .. } => {
            check_table(left, shown)?;
            match kind {
                JoinKind::CrossApply | JoinKind::OuterApply => return Err(shown.refused(10_142)),
                JoinKind::Inner | JoinKind::Cross => {}
                _ => return Err(shown.refused(10_113)),
            }
            check_table(right, shown)
        }
        TableRef::Pivot { .. } => Err(shown.refused(10_114)),
        TableRef::Unpivot { .. } => Err(shown.refused(10_115)),
        TableRef::Function { name, .. } => Err(SqlError::of(10_129, 1, &[&INDEX, &shown.view, &name.shown()])),
        TableRef::OpenJson { .. } => Err(message::missing("An index on a view over OPENJSON")),
        TableRef::OpenXml { .. } => Err(message::missing("An index on a view over OPENXML")),
        TableRef::Sample { .. } => Err(message::missing("An index on a view with TABLESAMPLE")),
    }
}

/// What the rows of a relation are. I3
fn form_of(rel: &Rel, shown: &Shown<'_>) -> SqlResult<ViewForm> {
    let Rel::Project { input, exprs } = rel else { return Err(message::missing("An index on a view of this form")) };
    if has_window(input) {
        return Err(shown.refused(10_143));
    }
    if has_query(rel) {
        return Err(shown.refused(10_127));
    }
    let Rel::Aggregate { groups, aggregates, .. } = &**input else { return Ok(ViewForm::Rows) };
    for aggregate in aggregates {
        check_aggregate(aggregate, shown)?;
    }
    let is_count = |one: &Aggregate| one.function == AggregateFunction::CountBig && one.arg.is_none();
    let column = |expr: &BoundExpr| match expr.kind {
        Kind::Column(place) if place < groups.len() => Ok(GroupColumn::Key),
        Kind::Column(place) if is_count(&aggregates[place - groups.len()]) => Ok(GroupColumn::Count),
        Kind::Column(_) => Ok(GroupColumn::Sum),
        Kind::Literal(_) => Ok(GroupColumn::Key),
        _ => Err(()),
    };
    let columns: Vec<Result<GroupColumn, ()>> = exprs.iter().map(column).collect();
    if !columns.contains(&Ok(GroupColumn::Count)) {
        return Err(shown.refused(10_138));
    }
    let columns = columns.into_iter().collect::<Result<Vec<_>, ()>>().map_err(|()| shown.refused_index(8668))?;
    if groups.is_empty() {
        return Err(message::missing("An index on a view of aggregates without GROUP BY"));
    }
    let is_shown = |group: usize| exprs.iter().any(|expr| matches!(expr.kind, Kind::Column(place) if place == group));
    if !(0..groups.len()).all(is_shown) {
        return Err(shown.refused_index(8660));
    }
    for aggregate in aggregates.iter().filter(|one| one.function == AggregateFunction::Sum) {
        let arg = aggregate.arg.as_ref();
        if arg.is_some_and(|arg| is_imprecise(&arg.ty.sql)) {
            return Err(shown.refused(1966));
        }
        if arg.is_some_and(may_be_null) {
            return Err(shown.refused_index(8662));
        }
    }
    Ok(ViewForm::Groups(columns))
}

/// Whether NULL may come: under the settings that indexed views ask for what overflows is an error.
fn may_be_null(expr: &BoundExpr) -> bool {
    match &expr.kind {
        Kind::Arith(..) | Kind::Negate(_) | Kind::BitNot(_) | Kind::Cast { try_: false, .. } => {
            expr.children().into_iter().any(may_be_null)
        }
        Kind::Function(def, args) if std::ptr::eq(*def, &raw const millpond_builtin::NOTE_NULL) => {
            args.iter().any(may_be_null)
        }
        _ => expr.ty.nullable,
    }
}

fn check_aggregate(aggregate: &Aggregate, shown: &Shown<'_>) -> SqlResult<()> {
    let name = aggregate.function.name().to_ascii_uppercase();
    match aggregate.function {
        _ if aggregate.distinct => Err(SqlError::of(10_126, 1, &[&INDEX, &shown.view, &name])),
        AggregateFunction::Sum | AggregateFunction::CountBig => Ok(()),
        AggregateFunction::Count => Err(shown.refused(10_136)),
        _ => Err(SqlError::of(10_125, 1, &[&INDEX, &shown.view, &name])),
    }
}

fn has_window(rel: &Rel) -> bool {
    matches!(rel, Rel::Window { .. }) || rel.inputs().into_iter().any(has_window)
}

fn has_query(rel: &Rel) -> bool {
    let is_query = |expr: &BoundExpr| {
        let mut found = false;
        expr.visit(&mut |node| {
            found |= matches!(node.kind, Kind::ScalarQuery(_) | Kind::Exists(_) | Kind::InQuery(..));
        });
        found
    };
    let own = match rel {
        Rel::Apply { .. } => true,
        Rel::Filter { predicate, .. } => is_query(predicate),
        Rel::Project { exprs, .. } => exprs.iter().any(is_query),
        Rel::Join { on, .. } => on.as_ref().is_some_and(is_query),
        Rel::Aggregate { groups, aggregates, .. } => {
            groups.iter().any(is_query) || aggregates.iter().flat_map(Aggregate::exprs).any(is_query)
        }
        _ => false,
    };
    own || rel.inputs().into_iter().any(has_query)
}

fn is_imprecise(sql: &SqlType) -> bool {
    matches!(sql, SqlType::Float | SqlType::Real)
}

/// What is known of a column of a relation: its name where a table has it, and why its value is not always the same.
#[derive(Clone, Default)]
struct Flow {
    name: String,
    fault: Option<SqlError>,
}

/// I2, for all that decides about rows, and for the columns of the view.
fn check_flow(rel: &Rel, shown: &Shown<'_>, text: &str) -> SqlResult<()> {
    let converts = ["cast", "convert"].iter().any(|word| text.to_ascii_lowercase().contains(word));
    let columns = flow(rel, &|expr| fault_of(expr, shown, converts), shown)?;
    columns.into_iter().find_map(|column| column.fault).map_or(Ok(()), Err)
}

fn flow(rel: &Rel, fault: &dyn Fn(&BoundExpr) -> Option<SqlError>, shown: &Shown<'_>) -> SqlResult<Vec<Flow>> {
    let made = |expr: &BoundExpr, below: &[Flow]| {
        let mut found = fault(expr);
        expr.visit(&mut |node| {
            if let Kind::Column(place) = node.kind
                && found.is_none()
            {
                found.clone_from(&below[place].fault);
            }
        });
        let name = match expr.kind {
            Kind::Column(place) => below[place].name.clone(),
            _ => String::new(),
        };
        Flow { name, fault: found }
    };
    let decides = |expr: &BoundExpr, below: &[Flow]| {
        made(expr, below).fault.map_or(Ok(()), Err)?;
        imprecision_of(expr, below, shown).map_or(Ok(()), Err)
    };
    Ok(match rel {
        Rel::Table { def, .. } => {
            def.columns.iter().map(|column| Flow { name: column.name.clone(), fault: None }).collect()
        }
        Rel::Filter { input, predicate } => {
            let below = flow(input, fault, shown)?;
            decides(predicate, &below)?;
            below
        }
        Rel::Project { input, exprs } => {
            let below = flow(input, fault, shown)?;
            exprs.iter().map(|expr| made(expr, &below)).collect()
        }
        Rel::Join { kind: RelJoin::Inner, left, right, on, .. } => {
            let mut below = flow(left, fault, shown)?;
            below.extend(flow(right, fault, shown)?);
            on.iter().try_for_each(|on| decides(on, &below))?;
            below
        }
        Rel::Aggregate { input, groups, aggregates } => {
            let below = flow(input, fault, shown)?;
            groups.iter().try_for_each(|group| decides(group, &below))?;
            let groups = groups.iter().map(|group| made(group, &below));
            let aggregates = aggregates.iter().map(|one| {
                let fault = one.exprs().find_map(|expr| made(expr, &below).fault);
                Flow { name: String::new(), fault }
            });
            groups.chain(aggregates).collect()
        }
        _ => return Err(message::missing("An index on a view of this form")),
    })
}

/// Why the value of an expression is not always that of its columns; `converts`: the text has conversions that it says.
fn fault_of(expr: &BoundExpr, shown: &Shown<'_>, converts: bool) -> Option<SqlError> {
    let mut found = None;
    expr.visit(&mut |node| {
        if found.is_some() {
            return;
        }
        found = match &node.kind {
            // Notes that an aggregate has met NULL.
            Kind::Function(def, _) if std::ptr::eq(*def, &raw const millpond_builtin::NOTE_NULL) => None,
            Kind::Function(def, args) => {
                let alone = BoundExpr { kind: Kind::Function(def, constants(args)), ty: node.ty };
                let name = def.name.to_ascii_lowercase();
                (!is_deterministic(&alone)).then(|| SqlError::of(1949, 1, &[&INDEX, &shown.view, &name]))
            }
            Kind::Cast { expr: inner, style, try_ } => {
                let inner = Box::new(BoundExpr { kind: Kind::Column(0), ty: inner.ty });
                let alone = BoundExpr { kind: Kind::Cast { expr: inner, style: *style, try_: *try_ }, ty: node.ty };
                let number = if converts { 1963 } else { 10_139 };
                (!is_deterministic(&alone)).then(|| shown.refused(number))
            }
            // A method of xml is a function that no module makes.
            Kind::Call(function, _) if function.uses.is_empty() => Some(shown.refused(1985)),
            Kind::Call(..) => Some(message::missing("An index on a view that calls a function of the user")),
            Kind::NextValue(_) | Kind::Variable(_) | Kind::Outer { .. } => {
                Some(message::missing("An index on a view of this form"))
            }
            _ => None,
        };
    });
    found
}

/// The arguments of a call with columns in the places of all that is not constant.
fn constants(args: &[BoundExpr]) -> Vec<BoundExpr> {
    let plain = |arg: &BoundExpr| match arg.kind {
        Kind::Literal(_) => arg.clone(),
        _ => BoundExpr::column(0, arg.ty),
    };
    args.iter().map(plain).collect()
}

/// What is imprecise in an expression that decides about rows or groups.
fn imprecision_of(expr: &BoundExpr, below: &[Flow], shown: &Shown<'_>) -> Option<SqlError> {
    let mut found = None;
    expr.visit(&mut |node| {
        if found.is_some() || !is_imprecise(&node.ty.sql) {
            return;
        }
        found = match &node.kind {
            Kind::Column(place) => Some(SqlError::of(1962, 1, &[&INDEX, &shown.view, &below[*place].name])),
            Kind::Literal(_) => Some(shown.refused(1964)),
            Kind::Arith(..) | Kind::Negate(_) => Some(shown.refused(1965)),
            Kind::Cast { .. } => Some(shown.refused(1963)),
            Kind::Function(def, _) => {
                let name = def.name.to_ascii_lowercase();
                Some(SqlError::of(1983, 1, &[&INDEX, &shown.view, &name]))
            }
            _ => None,
        };
    });
    found
}

/// The names that the text of a schema-bound view sees: all of them in two parts, in its own database.
struct ViewNames {
    database: DbId,
    name: Arc<str>,
    objects: Arc<DatabaseObjects>,
}

impl ViewNames {
    fn object(&self, name: &ObjectName) -> Option<&CatalogObject> {
        let [schema, last] = &name.parts[..] else { return None };
        self.objects.find(self.objects.schema(schema)?.id, last)
    }
}

impl Names for ViewNames {
    fn relation(&self, name: &ObjectName, _: Option<Home>) -> SqlResult<Option<Named>> {
        Ok(match self.object(name) {
            Some(CatalogObject::Table(def, _)) => Some(Named::Table(Arc::clone(def))),
            Some(CatalogObject::Module(def)) if def.kind == millpond_catalog::ModuleKind::View => {
                Some(Named::UserView(Arc::clone(def), self.database))
            }
            _ => None,
        })
    }

    fn database(&self, _: &ObjectName, _: Option<Home>) -> SqlResult<Option<DbId>> {
        Ok(Some(self.database))
    }

    fn table_function(&self, _: &ObjectName) -> Option<&'static TableFunctionDef> {
        None
    }

    fn scalar_function(&self, name: &ObjectName, _: Option<Home>) -> SqlResult<Option<Arc<UserFunction>>> {
        match self.object(name) {
            Some(CatalogObject::Module(_)) => {
                Err(message::missing("An index on a view that calls a function of the user"))
            }
            _ => Ok(None),
        }
    }

    fn sequence(&self, _: &ObjectName, _: Option<Home>) -> SqlResult<Option<(DbId, Arc<SequenceDef>)>> {
        Ok(None)
    }

    fn user_table_function(&self, _: &ObjectName, _: Option<Home>) -> SqlResult<Option<Arc<UserTableFunction>>> {
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

    fn database_name(&self, _: DbId) -> Arc<str> {
        Arc::clone(&self.name)
    }

    fn collation_of(&self, _: DbId) -> Collation {
        self.objects.collation
    }

    fn dialect(&self) -> Dialect {
        Dialect::default().with_collation(self.objects.collation)
    }
}

/// The columns of the table that has an indexed view's rows.
#[must_use]
pub fn columns_of(view: &ModuleDef, bound: &IndexedView) -> Vec<millpond_catalog::ColumnDef> {
    let types = bound.rel.types().into_iter();
    let named = (1..).zip(view.columns.iter().zip(types));
    named
        .map(|(id, (name, ty))| {
            // A rowversion of a table is a value here.
            let sql = if ty.sql == SqlType::RowVersion { SqlType::Binary { len: 8 } } else { ty.sql };
            millpond_catalog::ColumnDef::new(id, name.clone(), ExprType { sql, ..ty })
        })
        .collect()
}
