//! Queries: blocks, set operations, order and TOP.

use millpond_tsql::ast::{
    self, Expr, ExprKind, ObjectName, OrderItem, Query, QueryBody, Select, SelectItem, SetOperator, Top,
};
use millpond_types::SqlType;

use super::aggregate::{Clause, Grouping};
use super::from::Source;
use super::grouping::Groups;
use super::operator::{self, convert};
use super::scope::{Scope, ScopeColumn};
use super::sequence::Numbers;
use super::window::{Windows, placed};
use super::{Binder, Block};
use crate::catalog::names_equal;
use crate::error::{SqlError, SqlResult};
use crate::expr::{BoundExpr, ExprType, Kind};
use crate::message;
use crate::rel::{Rel, RelSet, SortKey};

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
}

/// One bound block before its order and projection.
struct BoundBlock {
    input: Rel,
    items: Vec<BoundExpr>,
    names: Vec<String>,
    assign: Vec<usize>,
}

impl Binder<'_> {
    /// Binds a query as a statement or an INSERT's source.
    ///
    /// # Errors
    /// What does not bind, at its line.
    pub fn query(&mut self, query: &Query) -> SqlResult<BoundQuery> {
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

    /// Binds a subquery of the block whose scope is on top.
    pub(super) fn subquery(&mut self, query: &Query) -> SqlResult<BoundQuery> {
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
            return Err(SqlError::new(156, 15, 1, "Incorrect syntax near the keyword 'INTO'."));
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
        match &query.body {
            QueryBody::Select(select) => self.select(select, query),
            body => {
                let into = into_of(body)?.cloned();
                let (rel, names) = self.body(body)?;
                Ok(BoundQuery { into, ..self.ordered_result(rel, names, query)? })
            }
        }
    }

    pub(super) fn body(&mut self, body: &QueryBody) -> SqlResult<(Rel, Vec<String>)> {
        match body {
            QueryBody::Select(select) => {
                let bound = self.select(select, &plain_query())?;
                if !bound.assign.is_empty() {
                    return Err(SqlError::new(
                        10734,
                        15,
                        1,
                        "Variable assignment is not allowed in a statement containing a top level UNION, INTERSECT or EXCEPT operator.",
                    ));
                }
                Ok((bound.rel, bound.names))
            }
            QueryBody::Nested(query) => {
                let bound = self.query(query)?;
                Ok((bound.rel, bound.names))
            }
            QueryBody::Values(rows) => self.values(rows),
            QueryBody::SetOperation { op, all, left, right } => self.set_operation(*op, *all, left, right),
        }
    }

    /// `VALUES (…), (…)` as a derived table.
    fn values(&mut self, rows: &[Vec<Expr>]) -> SqlResult<(Rel, Vec<String>)> {
        let mut bound = Vec::with_capacity(rows.len());
        for row in rows {
            bound.push(row.iter().map(|expr| self.expression(expr)).collect::<SqlResult<Vec<_>>>()?);
        }
        let width = bound.first().map_or(0, Vec::len);
        if bound.iter().any(|row| row.len() != width) {
            return Err(SqlError::new(
                10709,
                16,
                1,
                "The number of columns for each row in a table value constructor must be the same.",
            ));
        }
        Ok((in_common_types(bound, &[])?, vec![String::new(); width]))
    }

    fn set_operation(
        &mut self,
        op: SetOperator,
        all: bool,
        left: &QueryBody,
        right: &QueryBody,
    ) -> SqlResult<(Rel, Vec<String>)> {
        if self.list_numbers == Numbers::Allowed {
            self.list_numbers = Numbers::NotDistinct;
        }
        let (left, names) = self.body(left)?;
        let (right, _) = self.body(right)?;
        let (left_types, right_types) = (left.types(), right.types());
        if left_types.len() != right_types.len() {
            return Err(SqlError::new(
                205,
                16,
                1,
                "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions in their target lists.",
            ));
        }
        let op = match op {
            SetOperator::Union => RelSet::Union,
            SetOperator::Except => RelSet::Except,
            SetOperator::Intersect => RelSet::Intersect,
        };
        let targets = columns_of(&left, &left_types)
            .iter()
            .zip(&columns_of(&right, &right_types))
            .map(|(left, right)| {
                let sql = operator::common_type([left, right])?.unwrap_or(SqlType::Int);
                Ok(ExprType::of(sql, true, operator::joint_collation([left, right])))
            })
            .collect::<SqlResult<Vec<ExprType>>>()?;
        let left = Box::new(converted(left, &left_types, &targets)?);
        let right = Box::new(converted(right, &right_types, &targets)?);
        Ok((Rel::Set { op, all, left, right }, names))
    }

    /// ORDER BY, OFFSET and FETCH over a result that is no single block: by name or position only.
    fn ordered_result(&mut self, rel: Rel, names: Vec<String>, query: &Query) -> SqlResult<BoundQuery> {
        let types = rel.types();
        let columns = names.iter().zip(&types).map(|(name, ty)| ScopeColumn {
            table: String::new(),
            name: name.clone(),
            ty: *ty,
            hidden: false,
        });
        self.scopes.push(Scope { columns: columns.collect(), tables: Vec::new() });
        self.blocks.push(Block::default());
        let keys = query.order_by.iter().map(|item| self.result_key(item, &types)).collect::<SqlResult<Vec<_>>>();
        self.blocks.pop();
        self.scopes.pop();
        let rel = sorted(rel, keys?);
        let rel = self.limited(rel, None, &[], query)?;
        Ok(BoundQuery { rel, names, into: None, assign: Vec::new() })
    }

    fn result_key(&mut self, item: &OrderItem, types: &[ExprType]) -> SqlResult<SortKey> {
        let expr = match position(&item.expr, types.len())? {
            Some(index) => BoundExpr::column(index, types[index]),
            None => self.expression(&item.expr)?,
        };
        Ok(SortKey { expr, descending: item.descending })
    }

    fn select(&mut self, select: &Select, query: &Query) -> SqlResult<BoundQuery> {
        self.select_inner(select, query).map_err(|error| error.at(select.span.line))
    }

    fn select_inner(&mut self, select: &Select, query: &Query) -> SqlResult<BoundQuery> {
        let Source { rel, scope } = self.from(&select.from)?;
        self.scopes.push(scope);
        self.blocks.push(Block::default());
        let bound = self.block(select, query, rel);
        self.blocks.pop();
        self.scopes.pop();
        bound
    }

    fn block(&mut self, select: &Select, query: &Query, input: Rel) -> SqlResult<BoundQuery> {
        let input = match &select.filter {
            None => input,
            Some(filter) => Rel::Filter { input: Box::new(input), predicate: self.condition(filter)? },
        };
        super::window::check_names(&select.windows)?;
        let groups = self.groups(&select.group_by)?;
        *self.blocks.last_mut().expect("pushed by the caller") =
            Block { groups: groups.clone(), named_windows: select.windows.clone(), ..Block::collecting() };
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
        let block = BoundBlock { input, items, names, assign };
        let aggregates = self.blocks.last().and_then(|block| block.aggregates.as_ref());
        let is_plain = groups.is_empty() && having.is_none() && aggregates.is_none_or(Vec::is_empty);
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
        if select.distinct {
            return self.distinct(select, query, block, keys);
        }
        let (input, items) = self.numbered(block.input, block.items);
        let block = BoundBlock { input, items, ..block };
        let rel = sorted(block.input, keys.clone());
        let rel = self.limited(rel, select.top.as_ref(), &keys, query)?;
        self.projected(select, rel, block.items, block.names, block.assign)
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
            return Ok(BoundQuery { rel, names: Vec::new(), into: None, assign });
        }
        let rel = Rel::Project { input: Box::new(rel), exprs: items };
        Ok(BoundQuery { rel, names, into: select.into.clone(), assign: Vec::new() })
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
        let aggregates = collected.unwrap_or_default();
        if groups.is_empty() && aggregates.is_empty() && having.is_none() {
            return Ok((block, keys, windows));
        }
        let scope = self.scopes.last().expect("pushed by the caller").clone();
        let grouping = Grouping { groups: &groups, scope: &scope };
        let items =
            block.items.into_iter().map(|item| grouping.apply(item, Clause::Select)).collect::<SqlResult<Vec<_>>>()?;
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
                let index = block.items.iter().position(|item| item.same_as(&key.expr)).ok_or_else(|| {
                    SqlError::new(
                        145,
                        15,
                        1,
                        "ORDER BY items must appear in the select list if SELECT DISTINCT is specified.",
                    )
                })?;
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
        for item in items {
            match item {
                SelectItem::Wildcard => self.wildcard(None, &mut exprs, &mut names)?,
                SelectItem::QualifiedWildcard(table) => self.wildcard(table.parts.last(), &mut exprs, &mut names)?,
                SelectItem::Expr { expr, alias } => {
                    names.push(alias.clone().unwrap_or_else(|| natural_name(expr)));
                    exprs.push(self.expression(expr)?);
                }
                SelectItem::Assign(assignment) => {
                    let (slot, bound) = self.assignment(assignment)?;
                    assign.push(slot);
                    exprs.push(bound);
                }
            }
        }
        if !assign.is_empty() && assign.len() != exprs.len() {
            return Err(SqlError::new(
                141,
                15,
                1,
                "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.",
            ));
        }
        Ok((exprs, names, assign))
    }

    pub(super) fn wildcard(
        &mut self,
        table: Option<&String>,
        exprs: &mut Vec<BoundExpr>,
        names: &mut Vec<String>,
    ) -> SqlResult<()> {
        let scope = self.scopes.last().expect("a block has a scope");
        if let Some(table) = table
            && !scope.has_table(table)
        {
            return Err(message::unknown_prefix(table));
        }
        if scope.tables.is_empty() {
            return Err(SqlError::new(263, 16, 1, "Must specify table to select from."));
        }
        for (index, column) in scope.columns.iter().enumerate() {
            if !column.hidden && table.is_none_or(|table| names_equal(&column.table, table)) {
                exprs.push(BoundExpr::column(index, column.ty));
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
        let variable = BoundExpr {
            kind: Kind::Variable(slot),
            ty: ExprType { sql, nullable: true, collation: Default::default() },
        };
        let value = compound(assignment.op, variable, value)?;
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
            return Err(SqlError::new(
                10741,
                15,
                2,
                "A TOP can not be used in the same query or sub-query as a OFFSET.",
            ));
        }
        if let Some(top) = top {
            if top.with_ties && keys.is_empty() {
                return Err(SqlError::new(
                    1062,
                    15,
                    1,
                    "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY clause.",
                ));
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
        Ok(Rel::Top { input: Box::new(rel), count, percent: false, ties: Vec::new(), offset })
    }

    pub(super) fn count(&mut self, count: &Expr, percent: bool) -> SqlResult<BoundExpr> {
        let scopes = std::mem::take(&mut self.scopes);
        let bound = self.expression(count);
        self.scopes = scopes;
        let bound = bound?;
        // A literal beyond int is a decimal: `TOP (9223372036854775807)`.
        let is_whole =
            matches!(bound.ty.sql, SqlType::Decimal { scale: 0, .. }) && matches!(bound.kind, Kind::Literal(_));
        if !percent && !bound.ty.sql.is_integer() && !is_whole && !operator::is_null_literal(&bound) {
            return Err(SqlError::new(
                1060,
                15,
                1,
                "The number of rows provided for a TOP or FETCH clauses row count parameter must be an integer.",
            ));
        }
        convert(bound, if percent { SqlType::Float } else { SqlType::BigInt })
    }
}

/// `variable op value`.
pub(super) fn compound(op: ast::AssignOp, variable: BoundExpr, value: BoundExpr) -> SqlResult<BoundExpr> {
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
    operator::arithmetic(op, variable, value)
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
            Some(_) => Err(SqlError::new(
                196,
                15,
                1,
                "SELECT INTO must be the first query in a statement containing a UNION, INTERSECT or EXCEPT operator.",
            )),
        },
    }
}

/// The select-list position that an ORDER BY number means.
fn position(expr: &Expr, width: usize) -> SqlResult<Option<usize>> {
    let ExprKind::Literal(ast::Literal::Integer(digits)) = &expr.kind else {
        return Ok(None);
    };
    match digits.parse::<usize>() {
        Ok(number) if number >= 1 && number <= width => Ok(Some(number - 1)),
        _ => Err(SqlError::new(
            108,
            16,
            1,
            format!("The ORDER BY position number {digits} is out of range of the number of items in the select list."),
        )),
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

/// Given rows of one width, each column in the type that its cells meet in; `untyped` are the types of columns that are
/// NULL in all rows, `int` where there is none.
pub(super) fn in_common_types(rows: Vec<Vec<BoundExpr>>, untyped: &[SqlType]) -> SqlResult<Rel> {
    let width = rows.first().map_or(0, Vec::len);
    let untyped = |column: usize| untyped.get(column).copied().unwrap_or(SqlType::Int);
    let types =
        (0..width).map(|column| column_type(&rows, column, untyped(column))).collect::<SqlResult<Vec<ExprType>>>()?;
    let rows = rows
        .into_iter()
        .map(|row| row.into_iter().zip(&types).map(|(cell, ty)| convert(cell, ty.sql)).collect())
        .collect::<SqlResult<Vec<Vec<BoundExpr>>>>()?;
    Ok(Rel::Values { rows, types })
}

fn column_type(rows: &[Vec<BoundExpr>], column: usize, untyped: SqlType) -> SqlResult<ExprType> {
    let cells = rows.iter().map(|row| &row[column]);
    let sql = operator::common_type(cells.clone())?.unwrap_or(untyped);
    let nullable = cells.clone().any(|cell| cell.ty.nullable);
    Ok(ExprType::of(sql, nullable, operator::joint_collation(cells)))
}

/// A relation's columns as expressions; a column that is the literal NULL everywhere has no say in the common type.
fn columns_of(rel: &Rel, types: &[ExprType]) -> Vec<BoundExpr> {
    if let Rel::Project { exprs, .. } = rel {
        return exprs.clone();
    }
    types.iter().enumerate().map(|(index, ty)| BoundExpr::column(index, *ty)).collect()
}

/// A relation with its columns in the types and collations of others.
fn converted(rel: Rel, types: &[ExprType], targets: &[ExprType]) -> SqlResult<Rel> {
    if types.iter().zip(targets).all(|(ty, target)| (ty.sql, ty.collation) == (target.sql, target.collation)) {
        return Ok(rel);
    }
    let exprs = types
        .iter()
        .zip(targets)
        .enumerate()
        .map(|(index, (ty, target))| {
            let mut column = convert(BoundExpr::column(index, *ty), target.sql)?;
            column.ty.collation = target.collation;
            Ok(column)
        })
        .collect::<SqlResult<Vec<_>>>()?;
    Ok(Rel::Project { input: Box::new(rel), exprs })
}
