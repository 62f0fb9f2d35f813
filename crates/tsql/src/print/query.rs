//! Queries.

use std::fmt::Write;

use crate::ast::{
    AssignOp, Assignment, Expr, ForClause, ForFormat, GroupItem, Ident, JoinHint, JoinKind, JsonColumn, OpenXmlSchema,
    Query, QueryBody, Select, SelectItem, SetOperator, TableRef, Top, With, XmlNamespaces,
};
use crate::print::{Printer, definition, expression};

pub(super) fn query(printer: &mut Printer, query: &Query) {
    ctes(printer, &query.ctes);
    query_without_ctes(printer, query);
}

pub(super) fn ctes(printer: &mut Printer, with: &With) {
    if with.is_empty() && with.namespaces.is_empty() {
        return;
    }
    printer.text("WITH ");
    if !with.namespaces.is_empty() {
        xml_namespaces(printer, &with.namespaces);
        printer.text(if with.is_empty() { "" } else { ", " });
    }
    printer.list(with, ", ", |printer, cte| {
        printer.ident(&cte.name);
        if !cte.columns.is_empty() {
            printer.text(" ");
            printer.idents(&cte.columns);
        }
        printer.text(" AS (");
        printer.query(&cte.query);
        printer.text(")");
    });
    printer.text(" ");
}

fn xml_namespaces(printer: &mut Printer, namespaces: &XmlNamespaces) {
    printer.text("XMLNAMESPACES (");
    let mut all: Vec<(&String, Option<&String>)> =
        namespaces.prefixes.iter().map(|(uri, prefix)| (uri, Some(prefix))).collect();
    if let Some(default) = &namespaces.default {
        all.insert(namespaces.default_place.min(all.len()), (default, None));
    }
    printer.list(&all, ", ", |printer, (uri, prefix)| match prefix {
        Some(prefix) => {
            printer.string(uri);
            printer.text(" AS ");
            printer.ident(prefix);
        }
        None => {
            printer.text("DEFAULT ");
            printer.string(uri);
        }
    });
    printer.text(")");
}

pub(super) fn query_without_ctes(printer: &mut Printer, query: &Query) {
    query_body(printer, &query.body);
    if !query.order_by.is_empty() {
        printer.text(" ");
        expression::order_by(printer, &query.order_by);
    }
    if let Some(offset) = &query.offset {
        printer.keyed_expr(" OFFSET ", Some(offset));
        printer.text(" ROWS");
    }
    if let Some(fetch) = &query.fetch {
        printer.keyed_expr(" FETCH NEXT ", Some(fetch));
        printer.text(" ROWS ONLY");
    }
    for_clause(printer, query.for_clause.as_ref());
    query_options(printer, &query.options);
}

fn for_clause(printer: &mut Printer, clause: Option<&ForClause>) {
    let Some(clause) = clause else { return };
    printer.text(match clause.format {
        ForFormat::Xml => " FOR XML ",
        ForFormat::Json => " FOR JSON ",
        ForFormat::Browse => " FOR BROWSE",
    });
    printer.text(&clause.options.join(", "));
}

pub(super) fn query_options(printer: &mut Printer, options: &[String]) {
    if !options.is_empty() {
        let _ = write!(printer.out, " OPTION ({})", options.join(", "));
    }
}

fn query_body(printer: &mut Printer, body: &QueryBody) {
    match body {
        QueryBody::Select(block) => select(printer, block),
        QueryBody::Nested(query) => {
            printer.text("(");
            printer.query(query);
            printer.text(")");
        }
        QueryBody::Values(rows) => values(printer, rows),
        QueryBody::SetOperation { op, all, left, right } => {
            printer.text("/*{*/");
            query_body(printer, left);
            printer.text(match op {
                SetOperator::Union => " UNION ",
                SetOperator::Except => " EXCEPT ",
                SetOperator::Intersect => " INTERSECT ",
            });
            printer.text(if *all { "ALL " } else { "" });
            query_body(printer, right);
            printer.text("/*}*/");
        }
    }
}

pub(super) fn values(printer: &mut Printer, rows: &[Vec<Expr>]) {
    printer.text("VALUES ");
    printer.list(rows, ", ", |printer, row| {
        printer.text("(");
        printer.exprs(row);
        printer.text(")");
    });
}

pub(super) fn top(printer: &mut Printer, top: Option<&Top>) {
    let Some(top) = top else { return };
    printer.text("TOP (");
    printer.expr(&top.count);
    printer.text(if top.percent { ") PERCENT " } else { ") " });
    printer.text(if top.with_ties { "WITH TIES " } else { "" });
}

fn select(printer: &mut Printer, select: &Select) {
    printer.text(if select.distinct { "SELECT DISTINCT " } else { "SELECT " });
    top(printer, select.top.as_ref());
    printer.list(&select.items, ", ", select_item);
    if let Some(into) = &select.into {
        printer.text(" INTO ");
        printer.name(into);
    }
    from(printer, &select.from);
    printer.keyed_expr(" WHERE ", select.filter.as_ref());
    if !select.group_by.is_empty() {
        printer.text(" GROUP BY ");
        printer.list(&select.group_by, ", ", group_item);
    }
    printer.keyed_expr(" HAVING ", select.having.as_ref());
    if !select.windows.is_empty() {
        printer.text(" WINDOW ");
        printer.list(&select.windows, ", ", |printer, (name, window)| {
            printer.ident(name);
            printer.text(" AS ");
            expression::window(printer, window);
        });
    }
}

fn group_item(printer: &mut Printer, item: &GroupItem) {
    match item {
        GroupItem::Expr(expr) => printer.expr(expr),
        GroupItem::Total => printer.text("()"),
        GroupItem::Rollup(groups) => grouped(printer, "ROLLUP (", groups),
        GroupItem::Cube(groups) => grouped(printer, "CUBE (", groups),
        GroupItem::Sets(sets) => {
            printer.text("GROUPING SETS (");
            printer.list(sets, ", ", |printer, set| match set.as_slice() {
                [GroupItem::Expr(expr)] => expression::operand(printer, expr),
                [single] => group_item(printer, single),
                several => {
                    printer.text("(");
                    printer.list(several, ", ", group_item);
                    printer.text(")");
                }
            });
            printer.text(")");
        }
    }
}

fn grouped(printer: &mut Printer, words: &str, groups: &[Vec<Expr>]) {
    printer.text(words);
    printer.list(groups, ", ", |printer, group| {
        printer.text("(");
        printer.exprs(group);
        printer.text(")");
    });
    printer.text(")");
}

pub(super) fn select_item(printer: &mut Printer, item: &SelectItem) {
    match item {
        SelectItem::Wildcard => printer.text("*"),
        SelectItem::QualifiedWildcard(name) => {
            printer.name(name);
            printer.text(".*");
        }
        SelectItem::Expr { expr, alias } => {
            printer.expr(expr);
            if let Some(alias) = alias {
                printer.worded(" AS", alias);
            }
        }
        SelectItem::Assign(assigned) => assignment(printer, assigned),
    }
}

pub(super) fn assignment(printer: &mut Printer, assignment: &Assignment) {
    if assignment.op == AssignOp::Modify {
        printer.text(&assignment.variable);
        printer.keyed_expr(".modify(", Some(&assignment.value));
        printer.text(")");
        return;
    }
    let _ = write!(printer.out, "{} {} ", assignment.variable, assign_sign(assignment.op));
    printer.expr(&assignment.value);
}

pub(super) fn from(printer: &mut Printer, tables: &[TableRef]) {
    if !tables.is_empty() {
        printer.text(" FROM ");
        printer.list(tables, ", ", table_ref);
    }
}

/// `name type [COLLATE collation] ['path'] [AS JSON]`
fn json_column(printer: &mut Printer, column: &JsonColumn) {
    printer.ident(&column.name);
    printer.text(" ");
    definition::type_name(printer, &column.data_type);
    if let Some(collation) = &column.collation {
        let _ = write!(printer.out, " COLLATE {collation}");
    }
    if let Some(path) = &column.path {
        printer.text(" ");
        printer.string(path);
    }
    printer.text(if column.as_json { " AS JSON" } else { "" });
}

pub(super) fn table_ref(printer: &mut Printer, table: &TableRef) {
    match table {
        TableRef::Named { name, alias, hints, .. } => {
            printer.name(name);
            as_alias(printer, alias.as_deref(), &[]);
            with_hints(printer, hints);
        }
        TableRef::Function { name, args, alias, columns, .. } => {
            printer.name(name);
            printer.text("(");
            printer.exprs(args);
            printer.text(")");
            as_alias(printer, alias.as_deref(), columns);
        }
        TableRef::Derived { query, alias, columns } => {
            printer.text("(");
            printer.query(query);
            printer.text(")");
            as_alias(printer, alias.as_deref(), columns);
        }
        TableRef::Join { kind, hint, left, right, on } => {
            printer.text("(");
            table_ref(printer, left);
            printer.text(join_words(*kind));
            printer.text(hint.map_or("", hint_word));
            printer.text(join_word(*kind));
            table_ref(printer, right);
            printer.keyed_expr(" ON ", on.as_ref());
            printer.text(")");
        }
        TableRef::OpenJson { args, schema, alias, columns, .. } => {
            printer.text("OPENJSON(");
            printer.exprs(args);
            printer.text(")");
            if let Some(schema) = schema {
                printer.text(" WITH (");
                printer.list(schema, ", ", json_column);
                printer.text(")");
            }
            as_alias(printer, alias.as_deref(), columns);
        }
        TableRef::OpenXml { args, schema, alias, columns, .. } => {
            printer.text("OPENXML(");
            printer.exprs(args);
            printer.text(")");
            match schema {
                Some(OpenXmlSchema::Columns(columns)) => {
                    printer.text(" WITH (");
                    printer.list(columns, ", ", json_column);
                    printer.text(")");
                }
                Some(OpenXmlSchema::Table(name)) => {
                    printer.text(" WITH ");
                    printer.name(name);
                }
                None => {}
            }
            as_alias(printer, alias.as_deref(), columns);
        }
        other => derived_form(printer, other),
    }
}

/// TABLESAMPLE, PIVOT, UNPIVOT.
fn derived_form(printer: &mut Printer, table: &TableRef) {
    match table {
        TableRef::Sample { table, size, rows, repeatable } => sample(printer, table, size, *rows, repeatable.as_ref()),
        TableRef::Pivot { table, aggregate, column, values, alias } => {
            table_ref(printer, table);
            printer.text(" PIVOT (");
            expression::function(printer, aggregate);
            printer.text(" FOR ");
            printer.name(column);
            printer.text(" IN ");
            printer.idents(values);
            printer.worded(") AS", alias);
        }
        TableRef::Unpivot { table, value, name, columns, alias } => {
            table_ref(printer, table);
            printer.text(" UNPIVOT (");
            printer.ident(value);
            printer.worded(" FOR", name);
            printer.text(" IN (");
            printer.list(columns, ", ", Printer::name);
            printer.worded(")) AS", alias);
        }
        _ => {}
    }
}

/// The sample stands between a table's alias and its hints.
fn sample(printer: &mut Printer, table: &TableRef, size: &Expr, rows: bool, repeatable: Option<&Expr>) {
    let TableRef::Named { name, alias, hints, .. } = table else { return };
    printer.name(name);
    as_alias(printer, alias.as_deref(), &[]);
    printer.keyed_expr(" TABLESAMPLE (", Some(size));
    printer.text(if rows { " ROWS)" } else { " PERCENT)" });
    if let Some(seed) = repeatable {
        printer.keyed_expr(" REPEATABLE (", Some(seed));
        printer.text(")");
    }
    with_hints(printer, hints);
}

pub(super) fn as_alias(printer: &mut Printer, alias: Option<&str>, columns: &[Ident]) {
    if let Some(alias) = alias {
        printer.worded(" AS", alias);
    }
    if !columns.is_empty() {
        printer.text(" ");
        printer.idents(columns);
    }
}

pub(super) fn with_hints(printer: &mut Printer, hints: &[Ident]) {
    if !hints.is_empty() {
        let _ = write!(printer.out, " WITH ({})", hints.join(", "));
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
        AssignOp::Concat => "||=",
        AssignOp::BitXor => "^=",
        AssignOp::Modify => ".modify",
    }
}

fn join_words(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::Inner => " INNER ",
        JoinKind::Left => " LEFT ",
        JoinKind::Right => " RIGHT ",
        JoinKind::Full => " FULL ",
        JoinKind::Cross | JoinKind::CrossApply => " CROSS ",
        JoinKind::OuterApply => " OUTER ",
    }
}

fn hint_word(hint: JoinHint) -> &'static str {
    match hint {
        JoinHint::Loop => "LOOP ",
        JoinHint::Hash => "HASH ",
        JoinHint::Merge => "MERGE ",
        JoinHint::Remote => "REMOTE ",
    }
}

fn join_word(kind: JoinKind) -> &'static str {
    match kind {
        JoinKind::CrossApply | JoinKind::OuterApply => "APPLY ",
        _ => "JOIN ",
    }
}
