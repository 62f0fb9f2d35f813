//! Queries.

use std::fmt::Write;

use super::Printer;
use crate::ast::{
    AssignOp, Assignment, Cte, Expr, ForClause, ForFormat, GroupItem, Ident, JoinKind, OrderItem, Query, QueryBody,
    Select, SelectItem, SetOperator, TableRef, Top,
};

/// Queries.
impl Printer {
    pub(super) fn query(&mut self, query: &Query) {
        self.ctes(&query.ctes);
        self.query_without_ctes(query);
    }

    pub(super) fn ctes(&mut self, ctes: &[Cte]) {
        if ctes.is_empty() {
            return;
        }
        self.text("WITH ");
        self.list(ctes, ", ", |printer, cte| {
            printer.ident(&cte.name);
            if !cte.columns.is_empty() {
                printer.text(" ");
                printer.idents(&cte.columns);
            }
            printer.text(" AS (");
            printer.query(&cte.query);
            printer.text(")");
        });
        self.text(" ");
    }

    pub(super) fn query_without_ctes(&mut self, query: &Query) {
        self.query_body(&query.body);
        if !query.order_by.is_empty() {
            self.text(" ");
            self.order_by(&query.order_by);
        }
        if let Some(offset) = &query.offset {
            self.keyed_expr(" OFFSET ", Some(offset));
            self.text(" ROWS");
        }
        if let Some(fetch) = &query.fetch {
            self.keyed_expr(" FETCH NEXT ", Some(fetch));
            self.text(" ROWS ONLY");
        }
        self.for_clause(query.for_clause.as_ref());
        self.query_options(&query.options);
    }

    fn for_clause(&mut self, clause: Option<&ForClause>) {
        let Some(clause) = clause else { return };
        self.text(match clause.format {
            ForFormat::Xml => " FOR XML ",
            ForFormat::Json => " FOR JSON ",
            ForFormat::Browse => " FOR BROWSE",
        });
        self.text(&clause.options.join(", "));
    }

    pub(super) fn query_options(&mut self, options: &[String]) {
        if !options.is_empty() {
            let _ = write!(self.out, " OPTION ({})", options.join(", "));
        }
    }

    pub(super) fn order_by(&mut self, items: &[OrderItem]) {
        self.text("ORDER BY ");
        self.list(items, ", ", |printer, item| {
            printer.expr(&item.expr);
            printer.text(if item.descending { " DESC" } else { "" });
        });
    }

    pub(super) fn query_body(&mut self, body: &QueryBody) {
        match body {
            QueryBody::Select(select) => self.select(select),
            QueryBody::Nested(query) => {
                self.text("(");
                self.query(query);
                self.text(")");
            }
            QueryBody::Values(rows) => self.values(rows),
            QueryBody::SetOperation { op, all, left, right } => {
                self.text("/*{*/");
                self.query_body(left);
                self.text(match op {
                    SetOperator::Union => " UNION ",
                    SetOperator::Except => " EXCEPT ",
                    SetOperator::Intersect => " INTERSECT ",
                });
                self.text(if *all { "ALL " } else { "" });
                self.query_body(right);
                self.text("/*}*/");
            }
        }
    }

    pub(super) fn values(&mut self, rows: &[Vec<Expr>]) {
        self.text("VALUES ");
        self.list(rows, ", ", |printer, row| {
            printer.text("(");
            printer.exprs(row);
            printer.text(")");
        });
    }

    pub(super) fn top(&mut self, top: Option<&Top>) {
        let Some(top) = top else { return };
        self.text("TOP (");
        self.expr(&top.count);
        self.text(if top.percent { ") PERCENT " } else { ") " });
        self.text(if top.with_ties { "WITH TIES " } else { "" });
    }

    pub(super) fn select(&mut self, select: &Select) {
        self.text(if select.distinct { "SELECT DISTINCT " } else { "SELECT " });
        self.top(select.top.as_ref());
        self.list(&select.items, ", ", Self::select_item);
        if let Some(into) = &select.into {
            self.text(" INTO ");
            self.name(into);
        }
        self.from(&select.from);
        self.keyed_expr(" WHERE ", select.filter.as_ref());
        if !select.group_by.is_empty() {
            self.text(" GROUP BY ");
            self.list(&select.group_by, ", ", Self::group_item);
        }
        self.keyed_expr(" HAVING ", select.having.as_ref());
        if !select.windows.is_empty() {
            self.text(" WINDOW ");
            self.list(&select.windows, ", ", |printer, (name, window)| {
                printer.ident(name);
                printer.text(" AS ");
                printer.window(window);
            });
        }
    }

    fn group_item(&mut self, item: &GroupItem) {
        match item {
            GroupItem::Expr(expr) => self.expr(expr),
            GroupItem::Total => self.text("()"),
            GroupItem::Rollup(groups) => self.grouped("ROLLUP (", groups),
            GroupItem::Cube(groups) => self.grouped("CUBE (", groups),
            GroupItem::Sets(sets) => {
                self.text("GROUPING SETS (");
                self.list(sets, ", ", |printer, set| match set.as_slice() {
                    [GroupItem::Expr(expr)] => printer.operand(expr),
                    [single] => printer.group_item(single),
                    several => {
                        printer.text("(");
                        printer.list(several, ", ", Self::group_item);
                        printer.text(")");
                    }
                });
                self.text(")");
            }
        }
    }

    fn grouped(&mut self, words: &str, groups: &[Vec<Expr>]) {
        self.text(words);
        self.list(groups, ", ", |printer, group| {
            printer.text("(");
            printer.exprs(group);
            printer.text(")");
        });
        self.text(")");
    }

    pub(super) fn select_item(&mut self, item: &SelectItem) {
        match item {
            SelectItem::Wildcard => self.text("*"),
            SelectItem::QualifiedWildcard(name) => {
                self.name(name);
                self.text(".*");
            }
            SelectItem::Expr { expr, alias } => {
                self.expr(expr);
                if let Some(alias) = alias {
                    self.worded(" AS", alias);
                }
            }
            SelectItem::Assign(assignment) => self.assignment(assignment),
        }
    }

    pub(super) fn assignment(&mut self, assignment: &Assignment) {
        let _ = write!(self.out, "{} {} ", assignment.variable, assign_sign(assignment.op));
        self.expr(&assignment.value);
    }

    pub(super) fn from(&mut self, tables: &[TableRef]) {
        if !tables.is_empty() {
            self.text(" FROM ");
            self.list(tables, ", ", Self::table);
        }
    }

    pub(super) fn table(&mut self, table: &TableRef) {
        match table {
            TableRef::Named { name, alias, hints, .. } => {
                self.name(name);
                self.alias(alias.as_deref(), &[]);
                self.hints(hints);
            }
            TableRef::Function { name, args, alias, columns, .. } => {
                self.name(name);
                self.text("(");
                self.exprs(args);
                self.text(")");
                self.alias(alias.as_deref(), columns);
            }
            TableRef::Derived { query, alias, columns } => {
                self.text("(");
                self.query(query);
                self.text(")");
                self.alias(alias.as_deref(), columns);
            }
            TableRef::Join { kind, left, right, on } => {
                self.text("(");
                self.table(left);
                self.text(join_words(*kind));
                self.table(right);
                self.keyed_expr(" ON ", on.as_ref());
                self.text(")");
            }
            other => self.derived_form(other),
        }
    }

    /// TABLESAMPLE, PIVOT, UNPIVOT.
    fn derived_form(&mut self, table: &TableRef) {
        match table {
            TableRef::Sample { table, size, rows, repeatable } => self.sample(table, size, *rows, repeatable.as_ref()),
            TableRef::Pivot { table, aggregate, column, values, alias } => {
                self.table(table);
                self.text(" PIVOT (");
                self.function(aggregate);
                self.text(" FOR ");
                self.name(column);
                self.text(" IN ");
                self.idents(values);
                self.worded(") AS", alias);
            }
            TableRef::Unpivot { table, value, name, columns, alias } => {
                self.table(table);
                self.text(" UNPIVOT (");
                self.ident(value);
                self.worded(" FOR", name);
                self.text(" IN (");
                self.list(columns, ", ", Self::name);
                self.worded(")) AS", alias);
            }
            _ => {}
        }
    }

    /// The sample stands between a table's alias and its hints.
    fn sample(&mut self, table: &TableRef, size: &Expr, rows: bool, repeatable: Option<&Expr>) {
        let TableRef::Named { name, alias, hints, .. } = table else { return };
        self.name(name);
        self.alias(alias.as_deref(), &[]);
        self.keyed_expr(" TABLESAMPLE (", Some(size));
        self.text(if rows { " ROWS)" } else { " PERCENT)" });
        if let Some(seed) = repeatable {
            self.keyed_expr(" REPEATABLE (", Some(seed));
            self.text(")");
        }
        self.hints(hints);
    }

    pub(super) fn alias(&mut self, alias: Option<&str>, columns: &[Ident]) {
        if let Some(alias) = alias {
            self.worded(" AS", alias);
        }
        if !columns.is_empty() {
            self.text(" ");
            self.idents(columns);
        }
    }

    pub(super) fn hints(&mut self, hints: &[Ident]) {
        if !hints.is_empty() {
            let _ = write!(self.out, " WITH ({})", hints.join(", "));
        }
    }
}

pub(super) fn assign_sign(op: AssignOp) -> &'static str {
    match op {
        AssignOp::Set => "=",
        AssignOp::Add => "+=",
        AssignOp::Subtract => "-=",
        AssignOp::Multiply => "*=",
        AssignOp::Divide => "/=",
        AssignOp::Modulo => "%=",
        AssignOp::BitAnd => "&=",
        AssignOp::BitOr => "|=",
        AssignOp::BitXor => "^=",
    }
}

fn join_words(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => " INNER JOIN ",
        JoinKind::Left => " LEFT JOIN ",
        JoinKind::Right => " RIGHT JOIN ",
        JoinKind::Full => " FULL JOIN ",
        JoinKind::Cross => " CROSS JOIN ",
        JoinKind::CrossApply => " CROSS APPLY ",
        JoinKind::OuterApply => " OUTER APPLY ",
    }
}
