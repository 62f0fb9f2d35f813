//! Changes that INSTEAD OF triggers take: of a table they are bound as ever, of a view as if it were a table of the columns
//! that it shows. What a trigger does with the rows is the session's business.
//!
//! What always holds:
//! - I1: a view's rows are those of its query, and an UPDATE or DELETE joins them with nothing (414, 415).
//! - I2: a row of a table is made as the table would make it, with defaults and computed columns, but for an identity column,
//!   which is 0; NULL, CHECKs and keys are asked about when the trigger itself stores a row.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::mask::Mask;
use millpond_catalog::rel::Rel;
use millpond_catalog::{ColumnDef, ModuleDef, TableDef, TableName};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Insert, ObjectName, Span, TableRef};
use millpond_types::Value;

use crate::binder::Binder;
use crate::binder::names::{InsteadOf, Named};
use crate::binder::needs::Access;
use crate::binder::source::Source;
use crate::change::target;
use crate::definition::index_list::name_of;
use crate::from::rid_column;
use crate::from::table_hint::check_target_hints;
use crate::{from, mask};

/// Rows that an INSTEAD OF trigger takes.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// The trigger is a view's.
    pub of_view: bool,
    /// Places of the view's columns that a new row must not have NULL in (233).
    pub required: Box<[usize]>,
}

/// A table that takes any row: what it refuses is refused when the trigger's own statement stores the row.
pub(crate) fn open_to_all(def: &TableDef) -> Arc<TableDef> {
    let columns = def.columns.iter().map(|column| {
        let ty = ExprType { nullable: true, ..column.ty };
        ColumnDef { identity: None, ty, ..column.clone() }
    });
    let (columns, indexes) = (columns.collect(), def.indexes.clone());
    Arc::new(TableDef::assemble(def.id, name_of(def), columns, Vec::new(), Vec::new(), indexes))
}

/// The definition by which the rows of a change are made: of one that a trigger takes the open one.
pub(crate) fn stored_by(def: Arc<TableDef>, taken: Option<&Taken>) -> Arc<TableDef> {
    if taken.is_some() { open_to_all(&def) } else { def }
}

/// The target of an UPDATE or DELETE as it is written.
pub(crate) struct Written<'w> {
    pub name: &'w ObjectName,
    pub from: &'w [TableRef],
    pub hints: &'w [String],
    pub span: Span,
}

/// The target of an UPDATE or DELETE.
pub(crate) struct ChangedTarget {
    /// Binding number; none of a view whose rows a trigger takes.
    pub target: Option<usize>,
    pub def: Arc<TableDef>,
    pub source: Source,
    pub taken: Option<Taken>,
}

/// Which changes of a table triggers take.
///
/// # Errors
/// Of a database that cannot be read.
pub(crate) fn of_table(binder: &Binder<'_>, def: &TableDef) -> SqlResult<InsteadOf> {
    if def.is_temporary() || def.id.0 == 0 {
        return Ok(InsteadOf::default());
    }
    binder.names.instead_of(def.database, def.id)
}

/// The row of what an UPDATE or DELETE changes, alone or joined with FROM.
///
/// # Errors
/// 414 and 415 (I1); those of [`target::change_source`].
pub(crate) fn changed_target(
    binder: &mut Binder<'_>,
    written: &Written<'_>,
    access: Access,
) -> SqlResult<ChangedTarget> {
    let Written { name, from, hints, span } = *written;
    if let Some(view) = changed_view(binder, written, access).map_err(|error| error.at(span.line))? {
        return Ok(view);
    }
    let (target, def, source) = target::change_source(binder, name, from, hints, span)?;
    let is_taken = is_taken(of_table(binder, &def)?, access);
    Ok(ChangedTarget { target: Some(target), def, source, taken: is_taken.then(Taken::default) })
}

/// Whether triggers take an UPDATE, or else a DELETE.
fn is_taken(takes: InsteadOf, access: Access) -> bool {
    if access == Access::Update { takes.update } else { takes.delete }
}

fn changed_view(binder: &mut Binder<'_>, written: &Written<'_>, access: Access) -> SqlResult<Option<ChangedTarget>> {
    let chosen = target::chosen(binder, written.name, written.from)?;
    let name = match chosen {
        None => written.name,
        Some(TableRef::Named { name, .. }) => name,
        Some(_) => return Ok(None),
    };
    let Some((view, database)) = taken_view(binder, name, |takes| is_taken(takes, access))? else { return Ok(None) };
    let is_alone = match chosen {
        None => written.from.is_empty(),
        Some(chosen) => matches!(written.from, [only] if std::ptr::eq(only, chosen)),
    };
    if !is_alone {
        let shown = name.shown();
        return Err(match access {
            Access::Update => SqlError::of(414, 1, &[&shown]),
            _ => SqlError::of(415, 1, &[&shown]),
        });
    }
    check_target_hints(written.hints, name, false)?;
    let named = TableRef::Named { name: name.clone(), alias: None, hints: Vec::new(), span: written.span };
    let at = binder.mentions.len();
    let mut source = from::table_ref(binder, chosen.unwrap_or(&named))?;
    binder.is_target(at);
    let def = shape(binder, &view, database, &source);
    let locator = rid_column(name.last(), &def);
    let types = source.rel.types();
    let mut exprs: Vec<BoundExpr> =
        types.into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    exprs.push(BoundExpr::literal(Value::Null, locator.ty.sql));
    source.rel = Rel::Project { input: Box::new(source.rel), exprs };
    source.scope.columns.push(locator);
    let taken = Some(Taken { of_view: true, required: Box::default() });
    Ok(Some(ChangedTarget { target: None, def, source, taken }))
}

/// The view that an INSERT fills where a trigger takes its rows.
///
/// # Errors
/// What does not bind in the view.
pub(crate) fn filled_view(binder: &mut Binder<'_>, insert: &Insert) -> SqlResult<Option<(Arc<TableDef>, Taken)>> {
    let Some((view, database)) = taken_view(binder, &insert.table, |takes| takes.insert)? else { return Ok(None) };
    let source = unread(binder, &insert.table)?;
    // What a query computes may be NULL, whatever is known of it.
    let is_required = |place: &usize| !source.scope.columns[*place].ty.nullable && is_stored(&source.rel, *place);
    let required = (0..source.scope.columns.len()).filter(is_required).collect();
    let def = shape(binder, &view, database, &source);
    Ok(Some((def, Taken { of_view: true, required })))
}

/// Whether a column of a relation is one of a stored table, through joins too.
fn is_stored(rel: &Rel, column: usize) -> bool {
    match rel {
        Rel::Table { def, .. } => column < def.columns.len(),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } | Rel::Top { input, .. } | Rel::Distinct(input) => {
            is_stored(input, column)
        }
        Rel::Project { input, exprs } => match exprs.get(column).map(|expr| &expr.kind) {
            Some(Kind::Column(column)) => is_stored(input, *column),
            _ => false,
        },
        Rel::Join { left, right, .. } => match column.checked_sub(left.width()) {
            None => is_stored(left, column),
            Some(column) => is_stored(right, column),
        },
        _ => false,
    }
}

/// The columns of a view as a table has them; `None` for what is no view.
///
/// # Errors
/// What does not bind in the view.
pub(crate) fn shape_of_view(binder: &mut Binder<'_>, name: &ObjectName) -> SqlResult<Option<Arc<TableDef>>> {
    match binder.names.relation(name, binder.home)? {
        Some(Named::UserView(view, database)) => {
            let source = unread(binder, name)?;
            Ok(Some(shape(binder, &view, database, &source)))
        }
        _ => Ok(None),
    }
}

/// 40517 for a MERGE into a view of which a trigger takes changes.
pub(crate) fn refuse_merge(binder: &Binder<'_>, name: &ObjectName) -> SqlResult<()> {
    match taken_view(binder, name, |takes| takes != InsteadOf::default())? {
        Some(_) => Err(message::missing("MERGE into a view with INSTEAD OF triggers")),
        None => Ok(()),
    }
}

/// The view that a name is of, where a trigger takes its changes.
fn taken_view(
    binder: &Binder<'_>,
    name: &ObjectName,
    takes: impl Fn(InsteadOf) -> bool,
) -> SqlResult<Option<(Arc<ModuleDef>, DbId)>> {
    if name.parts.len() == 1 && from::cte(binder, name.last()).is_some() {
        return Ok(None);
    }
    match binder.names.relation(name, binder.home)? {
        Some(Named::UserView(view, database)) if takes(binder.names.instead_of(database, view.id)?) => {
            Ok(Some((view, database)))
        }
        _ => Ok(None),
    }
}

/// The query of a view, bound for its columns: nothing of it is read, and no right to read it is needed.
fn unread(binder: &mut Binder<'_>, name: &ObjectName) -> SqlResult<Source> {
    let named = TableRef::Named { name: name.clone(), alias: None, hints: Vec::new(), span: Span::default() };
    let at = binder.mentions.len();
    let source = from::table_ref(binder, &named);
    binder.mentions.truncate(at);
    source
}

/// A view as a table of its columns, each of which takes NULL.
fn shape(binder: &Binder<'_>, view: &ModuleDef, database: DbId, source: &Source) -> Arc<TableDef> {
    let columns = (1..).zip(&source.scope.columns);
    let column = |((id, column), mask): ((i32, &crate::binder::scope::ScopeColumn), Option<Mask>)| {
        let mut shown = ColumnDef::new(id, column.name.clone(), ExprType { nullable: true, ..column.ty });
        shown.mask = mask;
        shown
    };
    let name = TableName {
        database,
        database_name: binder.names.database_name(database),
        schema: view.schema.clone(),
        name: view.name.clone(),
    };
    let columns = columns.zip(mask::relation_masks(&source.rel)).map(column).collect();
    Arc::new(TableDef::assemble(view.id, name, columns, Vec::new(), Vec::new(), Vec::new()))
}
