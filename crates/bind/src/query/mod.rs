//! Queries: blocks, set operations, order and TOP.

pub(crate) mod ordering;
pub(crate) mod origin;
pub(crate) mod recursive;
pub(crate) mod sets;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind};
use millpond_catalog::names_equal;
use millpond_catalog::rel::{Rel, SortKey};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{self, Expr, ExprKind, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, Top};
use millpond_types::{SqlType, Value};

use super::from::Source;
use super::scope::{Role, Scope};
use super::sequence::Numbers;
use crate::expression::aggregate::{Clause, Grouping, nested_aggregate};
use crate::expression::collate;
use crate::expression::grouping::Groups;
use crate::expression::operator::{self, convert};
use crate::expression::window::{Windows, placed};
use crate::query::ordering::{check_keys, unordered};
use crate::query::sets::in_common_types;
use crate::{Binder, Block};

/// A bound query.
#[derive(Clone, Debug)]
pub struct BoundQuery {
    /// Its rows.
    pub rel: Rel,
    /// Names of its columns, empty for those without one.
    pub names: Vec<String>,
    /// `SELECT … INTO`: the new table.
    pub into: Option<ObjectName>,
    /// `SELECT @v = …`: the assignments, over the rows of `rel`.
    pub assign: Vec<(usize, BoundExpr)>,
    /// Of each column that is a column of a table in FROM: the table's name or alias there, and the column's name. Empty
    /// where no ORDER BY behind a set operator asks for it.
    pub origins: Vec<Option<(String, String)>>,
}

/// Rows of a query's body with the names of their columns, and whence these come: see [`BoundQuery::origins`].
pub(super) struct Body {
    pub rel: Rel,
    pub names: Vec<String>,
    pub origins: Vec<Option<(String, String)>>,
}

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

impl Binder<'_> {
    /// Binds a query as a statement or an INSERT's source.
    ///
    /// # Errors
    /// What does not bind, at its line.
    pub fn query(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        self.names.watch().check()?;
        self.stack.check()?;
        let list = if self.query_depth == 0 { Numbers::Allowed } else { Numbers::NotHere };
        let before = std::mem::replace(&mut self.list_numbers, list);
        let order = std::mem::take(&mut self.number_order);
        self.recursion_option(&query.options)?;
        self.query_depth += 1;
        let bound = self.with_numbers(Numbers::NotInClause, |binder| {
            binder.with_ctes(&query.ctes, |binder| binder.query_body(query))
        });
        self.query_depth -= 1;
        self.number_order = order;
        self.list_numbers = before;
        bound
    }

    /// Binds the query of a view or inline function.
    ///
    /// # Errors
    /// 1033, and what does not bind.
    pub fn stored_query(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        unordered(query)?;
        self.query(query)
    }

    /// Binds a subquery of the block whose scope is on top.
    pub(super) fn subquery(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        if self.refuses_queries {
            return Err(nested_aggregate());
        }
        unordered(query)?;
        self.query_depth += 1;
        let floor = std::mem::replace(&mut self.subquery_floor, self.scopes.len());
        let bound = self.query(query);
        self.subquery_floor = floor;
        self.query_depth -= 1;
        let bound = bound?;
        if !bound.assign.is_empty() {
            return Err(message::syntax_near("="));
        }
        if bound.into.is_some() {
            return Err(SqlError::of(156, 1, &[&"INTO"]));
        }
        Ok(bound)
    }

    fn query_body(&mut self, query: &Query) -> SqlResult<BoundQuery> {
        if let Some(clause) = &query.for_clause {
            return Err(message::missing(match clause.format {
                ast::ForFormat::Xml => "FOR XML",
                ast::ForFormat::Json => "FOR JSON",
                ast::ForFormat::Browse => "FOR BROWSE",
            }));
        }
        let is_existence = std::mem::take(&mut self.asks_existence);
        match &query.body {
            QueryBody::Select(select) => self.select(select, query, is_existence),
            body => {
                self.asks_existence = is_existence && matches!(body, QueryBody::Nested(_));
                let into = into_of(body)?.cloned();
                let before = std::mem::replace(&mut self.wants_origins, !query.order_by.is_empty());
                let body = self.body(body);
                self.wants_origins = before;
                let body = body?;
                if self.new_identity.is_some() {
                    return Err(message::missing("IDENTITY beside a set operator"));
                }
                Ok(BoundQuery { into, ..self.ordered_result(body, query)? })
            }
        }
    }

    pub(super) fn body(&mut self, body: &QueryBody) -> SqlResult<Body> {
        match body {
            QueryBody::Select(select) => {
                let bound = self.select(select, &plain_query(), false)?;
                if !bound.assign.is_empty() {
                    return Err(SqlError::of(10734, 1, &[]));
                }
                Ok(Body { rel: bound.rel, names: bound.names, origins: bound.origins })
            }
            QueryBody::Nested(query) => {
                let bound = self.query(query)?;
                Ok(Body { rel: bound.rel, names: bound.names, origins: bound.origins })
            }
            QueryBody::Values(rows) => {
                // A query of its own: columns around it are those of an enclosing one.
                self.scopes.push(Scope::default());
                self.blocks.push(Block::default());
                let bound = self.values(rows);
                self.blocks.pop();
                self.scopes.pop();
                bound
            }
            QueryBody::SetOperation { op, all, left, right } => self.set_operation(*op, *all, left, right),
        }
    }

    /// `VALUES (…), (…)` as a derived table.
    fn values(&mut self, rows: &[Vec<Expr>]) -> SqlResult<Body> {
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            bound.push(row.iter().map(|expr| self.expression(expr)).collect::<SqlResult<Vec<_>>>()?);
        }
        let width = bound.first().map_or(0, Vec::len);
        if bound.iter().any(|row| row.len() != width) {
            return Err(SqlError::of(10709, 1, &[]));
        }
        let rel = in_common_types(bound, &[])?;
        Ok(Body { rel, names: vec![String::new(); width], origins: Vec::new() })
    }

    fn select(&mut self, select: &Select, query: &Query, is_existence: bool) -> SqlResult<BoundQuery> {
        self.select_inner(select, query, is_existence).map_err(|error| error.at(select.span.line))
    }

    fn select_inner(&mut self, select: &Select, query: &Query, is_existence: bool) -> SqlResult<BoundQuery> {
        let Source { rel, scope } = self.from(&select.from)?;
        self.scopes.push(scope);
        self.blocks.push(Block::default());
        let made = select.into.as_ref().and_then(|name| name.parts.last().cloned());
        let before = std::mem::replace(&mut self.made_table, made);
        let bound = self.block(select, query, rel, is_existence);
        self.made_table = before;
        self.blocks.pop();
        self.scopes.pop();
        bound
    }

    fn block(&mut self, select: &Select, query: &Query, input: Rel, is_existence: bool) -> SqlResult<BoundQuery> {
        let input = match &select.filter {
            None => input,
            Some(filter) => Rel::Filter { input: Box::new(input), predicate: self.condition(filter)? },
        };
        crate::expression::window::check_names(&select.windows)?;
        let groups = self.groups(&select.group_by)?;
        *self.blocks.last_mut().expect("pushed by the caller") = Block {
            groups: groups.clone(),
            named_windows: select.windows.clone(),
            is_existence,
            ..Block::collecting()
        };
        let ordered = !query.order_by.is_empty();
        let numbers = self.numbers_of_list(select.distinct, select.top.as_ref(), query.offset.is_some(), ordered);
        let (items, names, assign) = self.with_numbers(numbers, |binder| binder.items(&select.items))?;
        let having = match &select.having {
            Some(having) => Some(self.without_windows(|binder| binder.condition(having))?),
            None => None,
        };
        let keys =
            query.order_by.iter().map(|item| self.block_key(item, &items, &names)).collect::<SqlResult<Vec<_>>>()?;
        keys.iter().try_for_each(|key| operator::comparable(&key.expr))?;
        check_keys(&query.order_by, &keys, &names)?;
        let origins = self.origins(&items);
        let block = BoundBlock { input, items, names, assign };
        let aggregates = self.blocks.last().and_then(|block| block.aggregates.as_ref());
        let is_plain =
            groups.is_empty() && having.is_none() && aggregates.is_none_or(|aggregates| aggregates.is_empty());
        let windows = Windows::of(self.blocks.last_mut().expect("pushed by the caller"));
        let is_plain = is_plain && windows.is_empty();
        let (block, keys, windows) = self.grouped(block, groups, having, keys, windows)?;
        let (mut block, keys) = windowed(block, keys, windows);
        if self.located.is_some() && self.query_depth == 1 {
            if is_plain && !select.distinct && self.list_numbers == Numbers::Allowed && block.assign.is_empty() {
                self.add_locators(&mut block);
            } else {
                self.located = Some(Vec::new());
            }
        }
        if select.distinct && self.new_identity.is_some() {
            return Err(message::missing("IDENTITY in a SELECT DISTINCT"));
        }
        if select.distinct {
            return Ok(BoundQuery { origins, ..self.distinct(select, query, block, keys)? });
        }
        let (input, items) = self.numbered(block.input, block.items);
        let block = BoundBlock { input, items, ..block };
        let rel = sorted(block.input, keys.clone());
        let rel = self.limited(rel, select.top.as_ref(), &keys, query)?;
        let (rel, items) = self.with_new_identity(rel, block.items, &keys, &block.names)?;
        Ok(BoundQuery { origins, ..self.projected(select, rel, items, block.names, block.assign)? })
    }

    /// Which items of the block are columns of its tables, where that is asked for.
    fn origins(&self, items: &[BoundExpr]) -> Vec<Option<(String, String)>> {
        if !self.wants_origins {
            return Vec::new();
        }
        let scope = self.scopes.last().expect("pushed by the caller");
        let origin = |item: &BoundExpr| match item.kind {
            Kind::Column(index) => scope.columns.get(index).map(|column| (column.table.clone(), column.name.clone())),
            _ => None,
        };
        items.iter().map(origin).collect()
    }

    /// The locators of the tables behind the items.
    fn add_locators(&self, block: &mut BoundBlock) {
        let scope = self.scopes.last().expect("pushed by the caller");
        for (index, column) in scope.columns.iter().enumerate().filter(|(_, column)| column.hidden) {
            block.items.push(BoundExpr::column(index, column.ty));
            block.names.push(String::new());
        }
    }

    fn projected(
        &mut self,
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
        &mut self,
        block: BoundBlock,
        groups: Groups,
        having: Option<BoundExpr>,
        keys: Vec<SortKey>,
        windows: Windows,
    ) -> SqlResult<(BoundBlock, Vec<SortKey>, Windows)> {
        let collected = self.blocks.last_mut().expect("pushed by the caller").aggregates.take();
        let aggregates = collected.unwrap_or_default().into_vec();
        if groups.is_empty() && aggregates.is_empty() && having.is_none() {
            return Ok((block, keys, windows));
        }
        let scope = self.scopes.last().expect("pushed by the caller").clone();
        let grouping = Grouping { groups: &groups, scope: &scope };
        // EXISTS does not look at what `*` stands for: `EXISTS (SELECT * FROM … GROUP BY …)` is no 8120.
        let own = self.blocks.last().expect("pushed by the caller");
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
        &mut self,
        select: &Select,
        query: &Query,
        block: BoundBlock,
        keys: Vec<SortKey>,
    ) -> SqlResult<BoundQuery> {
        let keys = keys
            .into_iter()
            .map(|key| {
                let index = block
                    .items
                    .iter()
                    .position(|item| item.same_as(&key.expr))
                    .ok_or_else(|| SqlError::of(145, 1, &[]))?;
                Ok(SortKey { expr: BoundExpr::column(index, block.items[index].ty), ..key })
            })
            .collect::<SqlResult<Vec<_>>>()?;
        let columns: Vec<BoundExpr> =
            block.items.iter().enumerate().map(|(index, item)| BoundExpr::column(index, item.ty)).collect();
        let rel = Rel::Project { input: Box::new(block.input), exprs: block.items };
        let rel = sorted(Rel::Distinct(Box::new(rel)), keys.clone());
        let rel = self.limited(rel, select.top.as_ref(), &keys, query)?;
        self.projected(select, rel, columns, block.names, block.assign)
    }

    pub(super) fn items(&mut self, items: &[SelectItem]) -> SqlResult<(Vec<BoundExpr>, Vec<String>, Vec<usize>)> {
        let (mut exprs, mut names, mut assign) = (Vec::new(), Vec::new(), Vec::new());
        let is_star = |item: &SelectItem| matches!(item, SelectItem::Wildcard | SelectItem::QualifiedWildcard(_));
        if self.names.refuses_star() && items.iter().any(is_star) {
            return Err(SqlError::of(1054, 1, &[]));
        }
        for item in items {
            if exprs.len() > ITEMS_MAX {
                break;
            }
            match item {
                SelectItem::Wildcard if self.asks_for_a_row() => {
                    exprs.push(BoundExpr::literal(Value::Int(1), SqlType::Int));
                    names.push(String::new());
                }
                SelectItem::Wildcard | SelectItem::QualifiedWildcard(_) => {
                    let table = if let SelectItem::QualifiedWildcard(table) = item { Some(table) } else { None };
                    let first = exprs.len();
                    self.wildcard(table, &mut exprs, &mut names)?;
                    self.blocks.last_mut().into_iter().for_each(|block| block.stars.extend(first..exprs.len()));
                }
                SelectItem::Expr { expr, alias } => {
                    if let Some(item) = self.identity_item(expr, alias.as_deref(), exprs.len())? {
                        names.push(alias.clone().unwrap_or_default());
                        exprs.push(item);
                        continue;
                    }
                    let bound = self.expression(expr)?;
                    names.push(alias.clone().unwrap_or_else(|| self.natural_name(expr, &bound)));
                    exprs.push(bound);
                }
                SelectItem::Assign(assignment) => {
                    let (slot, bound) = self.assignment(assignment)?;
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
    fn asks_for_a_row(&self) -> bool {
        let has_tables = self.scopes.last().is_some_and(|scope| !scope.tables.is_empty());
        !has_tables && self.blocks.last().is_some_and(|block| block.is_existence)
    }

    /// The name of an item without an alias: its column's, also where that is named by what it is to its table.
    fn natural_name(&self, expr: &Expr, bound: &BoundExpr) -> String {
        let written = natural_name(expr);
        let scope = self.scopes.last().map(|scope| &scope.columns[..]).unwrap_or_default();
        match bound.kind {
            Kind::Column(index) if Role::of_name(&written).is_some() => {
                scope.get(index).map_or(written, |column| column.name.clone())
            }
            _ => written,
        }
    }

    pub(super) fn wildcard(
        &mut self,
        table: Option<&ObjectName>,
        exprs: &mut Vec<BoundExpr>,
        names: &mut Vec<String>,
    ) -> SqlResult<()> {
        let schema = table.and_then(|table| table.parts.len().checked_sub(2).map(|at| table.parts[at].as_str()));
        let schema = schema.filter(|schema| !schema.is_empty());
        let table = table.and_then(|table| table.parts.last());
        // As a column's prefix, a table's may be one of a query around this one.
        let mut around = self.scopes.iter().rev().enumerate();
        let found = around.find(|(_, scope)| table.is_none_or(|table| scope.has_table(table)));
        let Some((level, scope)) = found else {
            return Err(message::unknown_prefix(table.map_or("", |table| table.as_str())));
        };
        if scope.tables.is_empty() {
            return Err(SqlError::of(263, 1, &[]));
        }
        for (index, column) in scope.columns.iter().enumerate() {
            let is_meant = table.is_none_or(|table| names_equal(&column.table, table)) && column.is_of(schema);
            if !column.hidden && is_meant {
                exprs.push(BoundExpr { ty: column.ty, ..scope.value(index, level) });
                names.push(column.name.clone());
            }
        }
        Ok(())
    }

    /// `@v op= expr`: the slot and the value in the variable's type.
    ///
    /// # Errors
    /// 137 and what the expression gives.
    pub fn assignment(&mut self, assignment: &ast::Assignment) -> SqlResult<(usize, BoundExpr)> {
        let (slot, sql) = self
            .variables
            .find(&assignment.variable)
            .ok_or_else(|| message::undeclared_variable(&assignment.variable))?;
        let value = self.expression(&assignment.value)?;
        let variable = BoundExpr { kind: Kind::Variable(slot), ty: ExprType::plain(sql, true) };
        let value = compound(self, assignment.op, variable, value)?;
        Ok((slot, convert(value, sql)?))
    }

    pub(super) fn block_key(&mut self, item: &OrderItem, items: &[BoundExpr], names: &[String]) -> SqlResult<SortKey> {
        let descending = item.descending;
        if let Some(index) = position(&item.expr, items.len())? {
            return Ok(SortKey { expr: items[index].clone(), descending });
        }
        if let ExprKind::Column(name) = &item.expr.kind
            && let [name] = &name.parts[..]
        {
            let mut matching = names.iter().enumerate().filter(|(_, known)| names_equal(known, name));
            if let Some((index, _)) = matching.next() {
                if matching.any(|(other, _)| !items[other].same_as(&items[index])) {
                    return Err(message::ambiguous_column(name));
                }
                return Ok(SortKey { expr: items[index].clone(), descending });
            }
        }
        Ok(SortKey { expr: self.expression(&item.expr)?, descending })
    }

    /// TOP, OFFSET and FETCH.
    pub(super) fn limited(&mut self, rel: Rel, top: Option<&Top>, keys: &[SortKey], query: &Query) -> SqlResult<Rel> {
        if top.is_some() && query.offset.is_some() {
            return Err(SqlError::of(10741, 2, &[]));
        }
        if let Some(top) = top {
            if top.with_ties && keys.is_empty() {
                return Err(SqlError::of(1062, 1, &[]));
            }
            let count = self.count(&top.count, top.percent)?;
            let ties = if top.with_ties { keys.to_vec() } else { Vec::new() };
            return Ok(Rel::Top { input: Box::new(rel), count: Some(count), percent: top.percent, ties, offset: None });
        }
        let Some(offset) = &query.offset else {
            return Ok(rel);
        };
        let offset = Some(self.count(offset, false)?);
        let count = query.fetch.as_ref().map(|fetch| self.count(fetch, false)).transpose()?;
        if count.as_ref().is_some_and(|count| matches!(count.kind, Kind::Literal(Value::BigInt(0)))) {
            return Err(message::nothing_to_fetch());
        }
        Ok(Rel::Top { input: Box::new(rel), count, percent: false, ties: Vec::new(), offset })
    }

    pub(super) fn count(&mut self, count: &Expr, percent: bool) -> SqlResult<BoundExpr> {
        let own = self.scopes.len().checked_sub(1);
        let had_no_row = own.is_some_and(|own| std::mem::replace(&mut self.scopes[own].has_no_row, true));
        let bound = self.expression(count);
        if let Some(own) = own {
            self.scopes[own].has_no_row = had_no_row;
        }
        let bound = bound?;
        // A literal beyond int is a decimal: `TOP (9223372036854775807)`.
        let is_whole =
            matches!(bound.ty.sql, SqlType::Decimal { scale: 0, .. }) && matches!(bound.kind, Kind::Literal(_));
        if !percent && !bound.ty.sql.is_integer() && !is_whole && !operator::is_null_literal(&bound) {
            return Err(SqlError::of(1060, 1, &[]));
        }
        convert(bound, if percent { SqlType::Float } else { SqlType::BigInt })
    }
}

/// `variable op value`.
pub(super) fn compound(
    binder: &Binder<'_>,
    op: ast::AssignOp,
    variable: BoundExpr,
    value: BoundExpr,
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
    };
    binder.computed(op, variable, value)
}

fn plain_query() -> Query {
    Query {
        ctes: Vec::new(),
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

pub(super) fn sorted(rel: Rel, keys: Vec<SortKey>) -> Rel {
    if keys.is_empty() { rel } else { Rel::Sort { input: Box::new(rel), keys } }
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

/// The select-list position that an ORDER BY number means.
pub(super) fn position(expr: &Expr, width: usize) -> SqlResult<Option<usize>> {
    let ExprKind::Literal(ast::Literal::Integer(digits)) = &expr.kind else {
        return Ok(None);
    };
    match digits.parse::<usize>() {
        Ok(number) if number >= 1 && number <= width => Ok(Some(number - 1)),
        _ => Err(SqlError::of(108, 1, &[&digits])),
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
