//! Queries: blocks, set operations, order and TOP.

pub(crate) mod for_json;
mod for_option;
mod for_tables;
pub(crate) mod for_xml;
pub(crate) mod into;
pub(crate) mod new_identity;
pub(crate) mod ordering;
pub(crate) mod origin;
pub(crate) mod sets;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Rel, SortKey};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, Expr, ExprKind, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem};
use millpond_types::{SqlType, Value};

use crate::binder::Binder;
use crate::binder::block::{Block, Groups};
use crate::binder::bound_query::{Body, BoundQuery};
use crate::binder::numbers::Numbers;
use crate::binder::scope::{Role, Scope};
use crate::binder::source::Source;
use crate::binder::written::unordered;
use crate::expression::aggregate::{Clause, Grouping};
use crate::expression::operator::{self, convert};
use crate::expression::star::wildcard;
use crate::expression::window::{Windows, placed};
use crate::expression::{collate, dialect, grouping, is_written, settled, window, xml};
use crate::query::ordering::{check_keys, limited, position, quoted, sorted};
use crate::query::sets::{in_common_types, written_of};
use crate::{from, mask, sequence};

/// One bound block before its order and projection.
struct BoundBlock {
    input: Rel,
    items: Vec<BoundExpr>,
    names: Vec<String>,
    assign: Vec<usize>,
}

/// Columns of a SELECT.
const ITEMS_MAX: usize = 4096;

/// 1056
fn too_many_items() -> SqlError {
    SqlError::of(1056, 1, &[&ITEMS_MAX])
}

/// Binds a query as a statement or an INSERT's source.
///
/// # Errors
/// What does not bind, at its line.
pub(crate) fn query(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    binder.names.watch().check()?;
    binder.stack.check()?;
    let list = if binder.query_depth == 0 { Numbers::Allowed } else { Numbers::NotHere };
    let before = std::mem::replace(&mut binder.list_numbers, list);
    let order = std::mem::take(&mut binder.number_order);
    from::hint::take_options(binder, &query.options)?;
    binder.query_depth += 1;
    let is_inner = binder.is_inner;
    let bound = mask::inside(binder, |binder| {
        sequence::with_numbers(binder, Numbers::NotInClause, |binder| {
            from::with_ctes(binder, &query.ctes, |binder| query_body(binder, query))
        })
    });
    binder.query_depth -= 1;
    binder.number_order = order;
    binder.list_numbers = before;
    if is_inner { bound } else { bound.map(|bound| mask::result(binder, bound)) }
}

/// Binds the query of a view or inline function.
///
/// # Errors
/// 1033, and what does not bind.
pub(crate) fn stored_query(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    unordered(query)?;
    let mut bound = binder.query(query)?;
    if query.for_clause.is_some() {
        // The column of a text has a name for clients alone.
        bound.names.iter_mut().for_each(String::clear);
    }
    Ok(bound)
}

fn query_body(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    match &query.for_clause {
        None => plain_query_body(binder, query),
        Some(clause) => match clause.format {
            ast::ForFormat::Json => for_json::for_json(binder, query, clause, plain_query_body),
            ast::ForFormat::Xml => for_xml::for_xml(binder, query, clause, plain_query_body),
            ast::ForFormat::Browse => Err(message::missing("FOR BROWSE")),
        },
    }
}

/// A query without the clause after it that makes a text of its rows.
fn plain_query_body(binder: &mut Binder<'_>, query: &Query) -> SqlResult<BoundQuery> {
    let is_existence = std::mem::take(&mut binder.asks_existence);
    match &query.body {
        QueryBody::Select(select) => bound_select(binder, select, query, is_existence),
        body => {
            binder.asks_existence = is_existence && matches!(body, QueryBody::Nested(_));
            let into = into_of(body)?.cloned();
            let before = std::mem::replace(&mut binder.wants_origins, !query.order_by.is_empty());
            let body = bound_body(binder, body);
            binder.wants_origins = before;
            let body = body?;
            if binder.new_identity.is_some() {
                return Err(message::missing("IDENTITY beside a set operator"));
            }
            Ok(BoundQuery { into, ..ordering::ordered_result(binder, body, query)? })
        }
    }
}

pub(crate) fn bound_body(binder: &mut Binder<'_>, body: &QueryBody) -> SqlResult<Body> {
    match body {
        QueryBody::Select(select) => {
            let bound = bound_select(binder, select, &plain_query(), false)?;
            if !bound.assign.is_empty() {
                return Err(SqlError::of(10734, 1, &[]));
            }
            Ok(Body { rel: bound.rel, names: bound.names, origins: bound.origins })
        }
        QueryBody::Nested(query) => {
            let bound = binder.query(query)?;
            Ok(Body { rel: bound.rel, names: bound.names, origins: bound.origins })
        }
        QueryBody::Values(rows) => {
            // A query of its own: columns around it are those of an enclosing one.
            binder.scopes.push(Scope::default());
            binder.blocks.push(Block::default());
            let bound = values(binder, rows);
            binder.blocks.pop();
            binder.scopes.pop();
            bound
        }
        QueryBody::SetOperation { op, all, left, right } => sets::set_operation(binder, *op, *all, left, right),
    }
}

/// `VALUES (…), (…)` as a derived table.
fn values(binder: &mut Binder<'_>, rows: &[Vec<Expr>]) -> SqlResult<Body> {
    let mut bound = Vec::with_capacity(rows.len());
    for row in rows {
        bound.push(row.iter().map(|expr| binder.expression(expr)).collect::<SqlResult<Vec<_>>>()?);
    }
    let width = bound.first().map_or(0, Vec::len);
    if bound.iter().any(|row| row.len() != width) {
        return Err(SqlError::of(10709, 1, &[]));
    }
    let written = written_of(rows);
    let rel = in_common_types(bound, &written, &[])?;
    Ok(Body { rel, names: vec![String::new(); width], origins: Vec::new() })
}

fn bound_select(binder: &mut Binder<'_>, select: &Select, query: &Query, is_existence: bool) -> SqlResult<BoundQuery> {
    select_inner(binder, select, query, is_existence).map_err(|error| error.at(select.span.line))
}

fn select_inner(binder: &mut Binder<'_>, select: &Select, query: &Query, is_existence: bool) -> SqlResult<BoundQuery> {
    let Source { rel, scope } = from::from(binder, &select.from)?;
    binder.scopes.push(scope);
    binder.blocks.push(Block::default());
    let made = select.into.as_ref().and_then(|name| name.parts.last().cloned());
    let before = std::mem::replace(&mut binder.made_table, made);
    let bound = block(binder, select, query, rel, is_existence);
    binder.made_table = before;
    binder.blocks.pop();
    binder.scopes.pop();
    bound
}

fn block(
    binder: &mut Binder<'_>,
    select: &Select,
    query: &Query,
    input: Rel,
    is_existence: bool,
) -> SqlResult<BoundQuery> {
    let input = match &select.filter {
        None => input,
        Some(filter) => Rel::Filter { input: Box::new(input), predicate: settled::filter(binder.condition(filter)?) },
    };
    window::check_names(&select.windows)?;
    let groups = grouping::groups(binder, &select.group_by)?;
    *binder.blocks.last_mut().expect("pushed by the caller") =
        Block { groups: groups.clone(), named_windows: select.windows.clone(), is_existence, ..Block::collecting() };
    let ordered = !query.order_by.is_empty();
    let numbers =
        sequence::numbers_of_list(binder, select.distinct, select.top.as_ref(), query.offset.is_some(), ordered);
    let (items, names, assign) = sequence::with_numbers(binder, numbers, |binder| items(binder, &select.items))?;
    let having = match &select.having {
        Some(having) => Some(window::without_windows(binder, |binder| binder.condition(having))?),
        None => None,
    };
    let keys =
        query.order_by.iter().map(|item| block_key(binder, item, &items, &names)).collect::<SqlResult<Vec<_>>>()?;
    keys.iter().try_for_each(|key| operator::comparable(&key.expr))?;
    check_keys(&query.order_by, &keys, &names)?;
    let origins = origins(binder, &items);
    let block = BoundBlock { input, items, names, assign };
    let aggregates = binder.blocks.last().and_then(|block| block.aggregates.as_ref());
    let is_plain = groups.is_empty() && having.is_none() && aggregates.is_none_or(|aggregates| aggregates.is_empty());
    let windows = Windows::of(binder.blocks.last_mut().expect("pushed by the caller"));
    let is_plain = is_plain && windows.is_empty();
    let (block, keys, windows) = grouped(binder, block, groups, having, keys, windows)?;
    let (mut block, keys) = windowed(block, keys, windows);
    if binder.located.is_some() && binder.query_depth == 1 {
        if is_plain && !select.distinct && binder.list_numbers == Numbers::Allowed && block.assign.is_empty() {
            add_locators(binder, &mut block);
        } else {
            binder.located = Some(Vec::new());
        }
    }
    if select.distinct && binder.new_identity.is_some() {
        return Err(message::missing("IDENTITY in a SELECT DISTINCT"));
    }
    if select.distinct {
        return Ok(BoundQuery { origins, ..distinct(binder, select, query, block, keys)? });
    }
    let (input, items) = sequence::numbered(binder, block.input, block.items);
    let block = BoundBlock { input, items, ..block };
    let rel = sorted(block.input, keys.clone());
    let rel = limited(binder, rel, select.top.as_ref(), &keys, query)?;
    let (rel, items) = new_identity::with_new_identity(binder, rel, block.items, &keys, &block.names)?;
    Ok(BoundQuery { origins, ..projected(select, rel, items, block.names, block.assign)? })
}

/// Which items of the block are columns of its tables, where that is asked for.
fn origins(binder: &Binder<'_>, items: &[BoundExpr]) -> Vec<Option<(String, String)>> {
    if !binder.wants_origins {
        return Vec::new();
    }
    let scope = binder.scopes.last().expect("pushed by the caller");
    let origin = |item: &BoundExpr| match item.kind {
        Kind::Column(index) => scope.columns.get(index).map(|column| (column.table.clone(), column.name.clone())),
        _ => None,
    };
    items.iter().map(origin).collect()
}

/// The locators of the tables, as columns after the items.
fn add_locators(binder: &Binder<'_>, block: &mut BoundBlock) {
    let scope = binder.scopes.last().expect("pushed by the caller");
    for (index, column) in scope.columns.iter().enumerate().filter(|(_, column)| column.hidden) {
        block.items.push(BoundExpr::column(index, column.ty));
        block.names.push(String::new());
    }
}

fn projected(
    select: &Select,
    rel: Rel,
    items: Vec<BoundExpr>,
    names: Vec<String>,
    assign: Vec<usize>,
) -> SqlResult<BoundQuery> {
    if !assign.is_empty() {
        let assign = assign.into_iter().zip(items).collect();
        return Ok(BoundQuery { rel, names: Vec::new(), into: None, assign, origins: Vec::new() });
    }
    collate::returned(items.iter().map(|item| &item.ty))?;
    let rel = Rel::Project { input: Box::new(rel), exprs: items };
    Ok(BoundQuery { rel, names, into: select.into.clone(), assign: Vec::new(), origins: Vec::new() })
}

/// Aggregation of the block, if it has any, and its expressions over the grouped row.
fn grouped(
    binder: &mut Binder<'_>,
    block: BoundBlock,
    groups: Groups,
    having: Option<BoundExpr>,
    keys: Vec<SortKey>,
    windows: Windows,
) -> SqlResult<(BoundBlock, Vec<SortKey>, Windows)> {
    let collected = binder.blocks.last_mut().expect("pushed by the caller").aggregates.take();
    let aggregates = collected.unwrap_or_default().into_vec();
    if groups.is_empty() && aggregates.is_empty() && having.is_none() {
        return Ok((block, keys, windows));
    }
    let scope = binder.scopes.last().expect("pushed by the caller").clone();
    let grouping = Grouping { groups: &groups, scope: &scope };
    // EXISTS does not look at what `*` stands for: `EXISTS (SELECT * FROM … GROUP BY …)` is no 8120.
    let own = binder.blocks.last().expect("pushed by the caller");
    let is_unseen = |place: &usize| own.is_existence && own.stars.contains(place);
    let items = block.items.into_iter().enumerate().map(|(place, item)| match is_unseen(&place) {
        true => Ok(BoundExpr::literal(Value::Int(1), SqlType::Int)),
        false => grouping.apply(item, Clause::Select),
    });
    let items = items.collect::<SqlResult<Vec<_>>>()?;
    let having = having.map(|having| grouping.apply(having, Clause::Having)).transpose()?;
    let keys = keys
        .into_iter()
        .map(|key| Ok(SortKey { expr: grouping.apply(key.expr, Clause::OrderBy)?, ..key }))
        .collect::<SqlResult<Vec<_>>>()?;
    let windows = windows.map(&mut |expr| grouping.apply(expr, Clause::Select))?;
    let mut input = groups.over(block.input, aggregates);
    if let Some(predicate) = having {
        input = Rel::Filter { input: Box::new(input), predicate };
    }
    Ok((BoundBlock { input, items, ..block }, keys, windows))
}

/// DISTINCT: order and TOP come after it and see only the select list.
fn distinct(
    binder: &mut Binder<'_>,
    select: &Select,
    query: &Query,
    block: BoundBlock,
    keys: Vec<SortKey>,
) -> SqlResult<BoundQuery> {
    if let Some(item) = block.items.iter().find(|item| !item.ty.sql.is_comparable()) {
        return Err(SqlError::of(421, 1, &[&item.ty.sql.name()]));
    }
    let keys = keys
        .into_iter()
        .map(|key| {
            let index =
                block.items.iter().position(|item| item.same_as(&key.expr)).ok_or_else(|| SqlError::of(145, 1, &[]))?;
            Ok(SortKey { expr: BoundExpr::column(index, block.items[index].ty), ..key })
        })
        .collect::<SqlResult<Vec<_>>>()?;
    let columns: Vec<BoundExpr> =
        block.items.iter().enumerate().map(|(index, item)| BoundExpr::column(index, item.ty)).collect();
    let rel = Rel::Project { input: Box::new(block.input), exprs: block.items };
    let rel = sorted(Rel::Distinct(Box::new(rel)), keys.clone());
    let rel = limited(binder, rel, select.top.as_ref(), &keys, query)?;
    projected(select, rel, columns, block.names, block.assign)
}

pub(crate) fn items(
    binder: &mut Binder<'_>,
    items: &[SelectItem],
) -> SqlResult<(Vec<BoundExpr>, Vec<String>, Vec<usize>)> {
    let (mut exprs, mut names, mut assign) = (Vec::new(), Vec::new(), Vec::new());
    let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard | SelectItem::QualifiedWildcard(_));
    if binder.names.refuses_star() && items.iter().any(is_star) {
        return Err(SqlError::of(1054, 1, &[]));
    }
    for item in items {
        if exprs.len() > ITEMS_MAX {
            break;
        }
        match item {
            SelectItem::Wildcard if asks_for_a_row(binder) => {
                exprs.push(BoundExpr::literal(Value::Int(1), SqlType::Int));
                names.push(String::new());
            }
            SelectItem::Wildcard | SelectItem::QualifiedWildcard(_) => {
                let table = if let SelectItem::QualifiedWildcard(table) = item { Some(table) } else { None };
                let first = exprs.len();
                wildcard(binder, table, &mut exprs, &mut names)?;
                for (item, name) in exprs[first..].iter().zip(&names[first..]) {
                    xml::check_no_node(binder, item, name)?;
                }
                binder.blocks.last_mut().into_iter().for_each(|block| block.stars.extend(first..exprs.len()));
            }
            SelectItem::Expr { expr, alias } => {
                if let Some(item) = new_identity::identity_item(binder, expr, alias.as_deref(), exprs.len())? {
                    names.push(alias.clone().unwrap_or_default());
                    exprs.push(item);
                    continue;
                }
                let bound = binder.expression(expr)?;
                names.push(alias.clone().unwrap_or_else(|| item_name(binder, expr, &bound)));
                exprs.push(bound);
            }
            SelectItem::Assign(assignment) => {
                let (slot, bound) = binder.assignment(assignment)?;
                assign.push(slot);
                exprs.push(bound);
            }
        }
    }
    if exprs.len() > ITEMS_MAX {
        return Err(too_many_items());
    }
    if !assign.is_empty() && assign.len() != exprs.len() {
        return Err(SqlError::of(141, 1, &[]));
    }
    Ok((exprs, names, assign))
}

/// Whether the block is that of an EXISTS without FROM, where `*` stands for nothing.
fn asks_for_a_row(binder: &Binder<'_>) -> bool {
    let has_tables = binder.scopes.last().is_some_and(|scope| !scope.tables.is_empty());
    !has_tables && binder.blocks.last().is_some_and(|block| block.is_existence)
}

/// The name of an item without an alias: its column's, also where that is named by what it is to its table.
fn item_name(binder: &Binder<'_>, expr: &Expr, bound: &BoundExpr) -> String {
    let written = natural_name(expr);
    let scope = binder.scopes.last().map(|scope| &scope.columns[..]).unwrap_or_default();
    match bound.kind {
        Kind::Column(index) if Role::of_name(&written).is_some() => {
            scope.get(index).map_or(written, |column| column.name.clone())
        }
        _ => written,
    }
}

/// `@v op= expr`: the slot and the value in the variable's type.
///
/// # Errors
/// 137 and what the expression gives.
pub(crate) fn assignment(binder: &mut Binder<'_>, assignment: &ast::Assignment) -> SqlResult<(usize, BoundExpr)> {
    let (slot, sql) = binder
        .variables
        .find(&assignment.variable)
        .ok_or_else(|| message::undeclared_variable(&assignment.variable))?;
    let variable = BoundExpr { kind: Kind::Variable(slot), ty: ExprType::plain(sql, true) };
    if assignment.op == ast::AssignOp::Modify {
        let value = xml::modified(binder, variable, &assignment.variable, &assignment.value)?;
        return Ok((slot, value));
    }
    let value = binder.expression(&assignment.value)?;
    let value = compound(binder, assignment.op, variable, value, is_written(&assignment.value))?;
    Ok((slot, convert(value, sql)?))
}

pub(crate) fn block_key(
    binder: &mut Binder<'_>,
    item: &OrderItem,
    items: &[BoundExpr],
    names: &[String],
) -> SqlResult<SortKey> {
    let descending = item.descending;
    if let Some(index) = position(&item.expr, items.len())? {
        return Ok(SortKey { expr: items[index].clone(), descending });
    }
    let bare = match &item.expr.kind {
        ExprKind::Column(name) if name.parts.len() == 1 => name.parts.first(),
        _ => None,
    };
    if let Some(name) = bare.map(String::as_str).or_else(|| quoted(&item.expr)) {
        let mut matching = names.iter().enumerate().filter(|(_, known)| names_equal(known, name));
        if let Some((index, _)) = matching.next() {
            if matching.any(|(other, _)| !items[other].same_as(&items[index])) {
                return Err(message::ambiguous_column(name));
            }
            return Ok(SortKey { expr: items[index].clone(), descending });
        }
    }
    Ok(SortKey { expr: binder.expression(&item.expr)?, descending })
}

/// `variable op value`; `is_written` says whether the value is a number as it stands.
pub(super) fn compound(
    binder: &Binder<'_>,
    op: ast::AssignOp,
    variable: BoundExpr,
    value: BoundExpr,
    is_written: bool,
) -> SqlResult<BoundExpr> {
    use ast::AssignOp as A;
    use millpond_types::ArithOp;
    let op = match op {
        A::Set => return Ok(value),
        A::Add => ArithOp::Add,
        A::Subtract => ArithOp::Sub,
        A::Multiply => ArithOp::Mul,
        A::Divide => ArithOp::Div,
        A::Modulo => ArithOp::Mod,
        A::BitAnd => ArithOp::BitAnd,
        A::BitOr => ArithOp::BitOr,
        A::BitXor => ArithOp::BitXor,
        A::Concat => return operator::joined(variable, value),
        A::Modify => return Err(message::syntax_near(".")),
    };
    let value = operator::beside_decimal(op, value, &variable, is_written)?;
    dialect::computed(binder, op, variable, value)
}

fn plain_query() -> Query {
    Query {
        ctes: ast::With::default(),
        body: QueryBody::Values(Vec::new()),
        order_by: Vec::new(),
        offset: None,
        fetch: None,
        for_clause: None,
        options: Vec::new(),
    }
}

/// The block with the values of its functions over windows.
fn windowed(block: BoundBlock, keys: Vec<SortKey>, windows: Windows) -> (BoundBlock, Vec<SortKey>) {
    if windows.is_empty() {
        return (block, keys);
    }
    let (input, places) = windows.over(block.input);
    let items = block.items.into_iter().map(|item| placed(item, &places)).collect();
    let keys = keys.into_iter().map(|key| SortKey { expr: placed(key.expr, &places), ..key }).collect();
    (BoundBlock { input, items, ..block }, keys)
}

/// Where the rows of several blocks go: the first block says it.
fn into_of(body: &QueryBody) -> SqlResult<Option<&ObjectName>> {
    match body {
        QueryBody::Select(select) => Ok(select.into.as_ref()),
        QueryBody::Nested(query) => into_of(&query.body),
        QueryBody::Values(_) => Ok(None),
        QueryBody::SetOperation { left, right, .. } => match into_of(right)? {
            None => into_of(left),
            Some(_) => Err(SqlError::of(196, 1, &[])),
        },
    }
}

/// A column keeps its name; anything else has none.
fn natural_name(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Column(name) => name.parts.last().cloned().unwrap_or_default(),
        ExprKind::Collate(expr, _) => natural_name(expr),
        _ => String::new(),
    }
}
