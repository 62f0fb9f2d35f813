//! Views, common table expressions and derived tables as targets of changes: the one stored table below that is changed
//! (`aim` says which), and what their columns are of its row and of the rows joined with it.
//!
//! ```text
//!   row of the target:  row below, hidden: FROM with the table's columns and its locator │ the view's columns, computed
//! ```
//! Whatever is evaluated after the row was found computes the view's columns anew ([`ViewTarget::over_base`]).

use std::sync::Arc;

use millpond_catalog::ModuleDef;
use millpond_catalog::expr::{BoundExpr, Kind};
use millpond_catalog::rel::{Rel, RelJoin, SortKey};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{Query, QueryBody, TableRef};

use crate::binder::Binder;
use crate::binder::block::Block;
use crate::binder::refused::TargetName;
use crate::binder::scope::{Exposed, Role, Scope, ScopeColumn};
use crate::binder::source::{CteBinding, Given, Source};
use crate::binder::target::ViewTarget;
use crate::binder::written::unordered;
use crate::change::row_predicates::row_predicates;
use crate::change::{aim, target};
use crate::expression::window::{Windows, placed};
use crate::from::columns::distinct_names;
use crate::from::join;
use crate::query::ordering;
use crate::query::ordering::sorted;
use crate::{from, query};

/// A view in the place of a target.
pub(crate) fn view_as_target(
    binder: &mut Binder<'_>,
    view: &Arc<ModuleDef>,
    database: DbId,
    shown: &str,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    let named = binder.mention_target(database, view.id);
    let mut source = from::within_view(binder, view, database, |binder, definition| {
        query_as_target(
            binder,
            &definition.query,
            Given::of_module(view, &definition.columns),
            (TargetName::of(&view.name), shown),
            definition.check_option,
            found,
        )
    })?;
    // Before the view's columns stands the row below, which no name means.
    let below = binder.view_target.as_mut().map_or(0, |view| {
        view.is_view = true;
        view.below
    });
    from::mark(&mut source.scope.columns[below..], &named);
    Ok(source)
}

/// A common table expression in the place of a target.
pub(crate) fn cte_as_target(
    binder: &mut Binder<'_>,
    (place, cte): (usize, CteBinding),
    shown: &str,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    let hidden = from::hide_ctes(binder, place);
    let source = query_as_target(
        binder,
        &cte.query,
        Given::list(&cte.columns),
        (TargetName::of(&cte.name), shown),
        false,
        found,
    );
    from::show_ctes(binder, place, hidden);
    source
}

/// A query in the place of a target.
pub(crate) fn query_as_target(
    binder: &mut Binder<'_>,
    query: &Query,
    columns: Given<'_>,
    names: (TargetName, &str),
    check: bool,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    unordered(query)?;
    from::with_ctes(binder, &query.ctes, |binder| block_as_target(binder, query, columns, names, check, found))
}

fn block_as_target(
    binder: &mut Binder<'_>,
    query: &Query,
    columns: Given<'_>,
    (name, shown): (TargetName, &str),
    check: bool,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    let QueryBody::Select(select) = &query.body else {
        return Err(name.union());
    };
    if select.distinct || !select.group_by.is_empty() || select.having.is_some() {
        return Err(name.grouped());
    }
    let aim = std::mem::take(&mut binder.aim);
    let (chosen, aim) = aim::aimed(binder, select, columns, &name, aim)?;
    binder.aim = aim;
    let outer = binder.view_target.take();
    let source = bind_from_with_target(binder, &select.from, chosen, found)?;
    let inner = std::mem::replace(&mut binder.view_target, outer);
    let Some(binding) = *found else { return Err(no_target(binder, chosen, &name)) };
    let def = Arc::clone(&binder.tables[binding].def);
    let scope = source.scope.clone();
    binder.scopes.push(source.scope);
    let first = target::rid(binder)? - def.columns.len();
    binder.blocks.push(Block::collecting());
    let items = query::items(binder, &select.items);
    let keys = match &items {
        Ok((items, names, _)) => query
            .order_by
            .iter()
            .map(|item| query::block_key(binder, item, items, names))
            .collect::<SqlResult<Vec<_>>>(),
        Err(_) => Ok(Vec::new()),
    };
    let mut block = binder.blocks.pop();
    let windows = block.as_mut().map(Windows::of);
    binder.blocks.push(Block::default());
    let predicate = select.filter.as_ref().map(|filter| binder.condition(filter)).transpose();
    binder.blocks.pop();
    binder.scopes.pop();
    if block.and_then(|block| block.aggregates).is_some_and(|found| !found.is_empty()) {
        return Err(name.grouped());
    }
    let ((mut items, names, _), keys, predicate) = (items?, keys?, predicate?);
    let names = columns.names(names, &name.name)?;
    items.truncate(names.len());
    distinct_names(&names, &name.name)?;
    let mut rel = source.rel;
    if let Some(predicate) = predicate {
        rel = Rel::Filter { input: Box::new(rel), predicate };
    }
    let own_predicates = row_predicates(&rel, 0);
    let (rel, items, keys) = windowed(rel, items, keys, windows);
    let rel = ordering::limited(binder, sorted(rel, keys.clone()), select.top.as_ref(), &keys, query)?;
    let over_base = |expr: BoundExpr| match &inner {
        Some(inner) => inner.over_base(expr, first, 0),
        None => expr,
    };
    let own_predicates: Vec<BoundExpr> = own_predicates.into_iter().map(over_base).collect();
    let items: Vec<BoundExpr> = items.into_iter().map(over_base).collect();
    let inner = inner.map(|inner| {
        let by = first - inner.own;
        inner.moved(by)
    });
    let (mut predicates, mut checks) = inner.map_or_else(Default::default, |inner| (inner.predicates, inner.check));
    predicates.extend(own_predicates);
    if check {
        checks.clone_from(&predicates);
    }
    let below = rel.width();
    let source = shown_row(rel, scope, &names, &items, shown);
    let columns = names.into_iter().zip(items).collect();
    let width = def.columns.len();
    binder.view_target =
        Some(ViewTarget { name, is_view: false, columns, own: first, width, below, predicates, check: checks });
    Ok(source)
}

/// FROM with the target in it.
fn bind_from_with_target(
    binder: &mut Binder<'_>,
    from: &[TableRef],
    chosen: &TableRef,
    found: &mut Option<usize>,
) -> SqlResult<Source> {
    let mut source: Option<Source> = None;
    for table in from {
        let next = target::target_ref(binder, table, Some(chosen), found)?;
        source = Some(match source {
            None => next,
            Some(left) => join(RelJoin::Inner, left, next)?,
        });
    }
    source.ok_or_else(|| message::missing("A change of a query without FROM"))
}

/// Why what was chosen has no table below.
fn no_target(binder: &mut Binder<'_>, chosen: &TableRef, view: &TargetName) -> SqlError {
    match chosen {
        TableRef::Named { name, .. } => target::target_error(binder, name),
        TableRef::Pivot { .. } | TableRef::Unpivot { .. } => view.grouped(),
        TableRef::Function { .. } | TableRef::OpenJson { .. } | TableRef::OpenXml { .. } => {
            message::missing("A change through a table-valued function")
        }
        _ => view.derived(),
    }
}

/// The rows with the values of their functions over windows, and what reads them.
fn windowed(
    rel: Rel,
    items: Vec<BoundExpr>,
    keys: Vec<SortKey>,
    windows: Option<Windows>,
) -> (Rel, Vec<BoundExpr>, Vec<SortKey>) {
    let Some(windows) = windows.filter(|windows| !windows.is_empty()) else { return (rel, items, keys) };
    let (rel, places) = windows.over(rel);
    let items = items.into_iter().map(|item| placed(item, &places)).collect();
    let keys = keys.into_iter().map(|key| SortKey { expr: placed(key.expr, &places), ..key }).collect();
    (rel, items, keys)
}

/// The row of a target that is a view: the row below, of which `scope` says the columns, hidden, and the view's columns.
fn shown_row(rel: Rel, scope: Scope, names: &[String], items: &[BoundExpr], shown: &str) -> Source {
    let types = rel.types();
    let mut columns: Vec<ScopeColumn> = Vec::with_capacity(types.len() + items.len());
    for (place, ty) in types.iter().enumerate() {
        let name = scope.columns.get(place).map_or_else(|| "window".to_owned(), |column| column.name.clone());
        let (table, ty) = (shown.to_owned(), *ty);
        columns.push(ScopeColumn {
            table,
            place: None,
            name,
            ty,
            hidden: true,
            role: Role::Plain,
            computed: None,
            mention: None,
        });
    }
    let mut exprs: Vec<BoundExpr> =
        types.into_iter().enumerate().map(|(place, ty)| BoundExpr::column(place, ty)).collect();
    exprs.extend(items.iter().cloned());
    columns.extend(names.iter().zip(items).map(|(name, item)| ScopeColumn {
        table: shown.to_owned(),
        place: None,
        name: name.clone(),
        ty: item.ty,
        hidden: name.is_empty(),
        role: match item.kind {
            Kind::Column(place) => rel.origin(place).map_or(Role::Plain, Role::of),
            _ => Role::Plain,
        },
        computed: None,
        mention: None,
    }));
    let scope = Scope { columns, tables: vec![Exposed::alias(shown)], has_no_row: false };
    Source { rel: Rel::Project { input: Box::new(rel), exprs }, scope }
}
