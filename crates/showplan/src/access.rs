//! The way to the rows of a table as operators: seeks, scans, and lookups of the rows that an index leads to.

use millpond_catalog::expr::{BoundExpr, CompareOp, Kind};
use millpond_catalog::{IndexDef, TableDef};
use millpond_tsql::print::bracketed;
use millpond_types::Value;

use crate::expression::compare_sign;
use crate::{Operator, ScannedTable, Scope};
use millpond_seek::{Access, BoundAt, Period, Probe, RangeBound, compared, sargable};

/// Marks the operator that looks up the row which an index leads to.
pub(crate) const LOOKUP: &str = " LOOKUP";

/// Bytes that a value of a `(max)` type is taken to have, as SQL Server does.
const UNBOUNDED_BYTES: u32 = 4000;

/// `[db].[schema].[table]`, `@t`
pub(crate) fn table_name(def: &TableDef) -> String {
    if def.name.starts_with('@') {
        return def.name.clone();
    }
    format!("{}.{}.{}", bracketed(&def.database_name), bracketed(&def.schema.name), bracketed(&def.name))
}

/// `[db].[schema].[table].[column]`
pub fn column_name(def: &TableDef, column: usize) -> String {
    format!("{}.{}", table_name(def), bracketed(&def.columns[column].name))
}

/// All columns of a table.
pub fn table_columns(def: &TableDef) -> Vec<String> {
    (0..def.columns.len()).map(|column| column_name(def, column)).collect()
}

/// `OBJECT:([db].[schema].[table].[index])`; a heap has no index.
pub fn object_name(def: &TableDef, index: Option<&IndexDef>) -> String {
    match index.filter(|index| !index.name.is_empty()) {
        Some(index) => format!("OBJECT:({}.{})", table_name(def), bracketed(&index.name)),
        None => format!("OBJECT:({})", table_name(def)),
    }
}

/// A table as a step of a run reads it.
pub struct TableAccess<'a> {
    /// The table.
    pub def: &'a TableDef,
    /// None: all rows of a heap of tempdb.
    pub access: Option<&'a Access>,
    /// Place of the table's first column in the row.
    pub first: usize,
    /// Names of the row's columns.
    pub columns: &'a [String],
    /// What is asked of each row.
    pub filters: &'a [BoundExpr],
    /// Columns of the table that are read.
    pub read: Vec<usize>,
    /// So is where a row lies.
    pub with_locator: bool,
}

/// The operators that read a table.
pub fn access_operator(scope: &Scope, table: &TableAccess<'_>) -> Operator {
    if let Some(scans) = scope.scans.as_ref().filter(|_| !table.access.is_some_and(Access::narrows)) {
        let def = table.def;
        let (equality, inequality) = compared(def, table.first, table.filters);
        // Rows that are to be changed come with their place.
        let is_read = table.read.len() < def.columns.len() || !table.with_locator;
        let read = if is_read { table.read.clone() } else { Vec::new() };
        scans.borrow_mut().push(ScannedTable { database: def.database, table: def.id, equality, inequality, read });
    }
    let read: Vec<String> = table.read.iter().map(|column| column_name(table.def, *column)).collect();
    let bytes: Vec<u32> = table.read.iter().map(|column| column_bytes(table.def, *column)).collect();
    let size = scope.size_of(table.def);
    let sized = |operator: Operator| Operator { size, output_bytes: bytes.clone(), ..operator };
    let Some(access) = table.access else {
        let condition = scope.conjunction(table.filters, table.columns);
        let argument = arguments(object_name(table.def, None), "", &condition, "");
        return sized(Operator::new("Table Scan").argument(argument).defined(read.clone()).output(read));
    };
    let index = &table.def.indexes[access.index];
    let seeks = Seeks::of(scope, table, access);
    let rest: Vec<BoundExpr> = table.filters.iter().filter(|filter| !seeks.imply(scope, filter)).cloned().collect();
    let condition = scope.conjunction(&rest, table.columns);
    let object = object_name(table.def, Some(index));
    let direction = match (access.backward, access.narrows()) {
        (true, _) => " ORDERED BACKWARD",
        (false, true) => " ORDERED FORWARD",
        (false, false) => "",
    };
    let kind = match (index.id, access.narrows()) {
        (0, false) => "Table Scan",
        (0 | 1, true) => "Clustered Index Seek",
        (1, false) => "Clustered Index Scan",
        (_, true) => "Index Seek",
        (_, false) => "Index Scan",
    };
    if index.holds_rows() || access.covers {
        let argument = arguments(object, &seeks.text(), &condition, direction);
        return sized(Operator::new(kind).argument(argument).defined(read.clone()).output(read));
    }
    let leads = locator(scope, table.def);
    let argument = arguments(object, &seeks.text(), "", direction);
    let outer = Operator::new(kind).argument(argument).defined(leads.clone()).output(leads.clone());
    let outer = Operator { size, ..outer };
    let inner = sized(lookup(table.def, &leads, &condition).defined(read.clone()).output(read));
    Operator::nested_loops("Inner Join", &leads, "", [outer, inner])
}

/// About how many bytes a value of a column has: of variable length half of what it may have.
fn column_bytes(def: &TableDef, column: usize) -> u32 {
    let sql = def.columns[column].ty.sql;
    match sql.max_bytes() {
        Some(bytes) if sql.is_variable_length() => bytes / 2 + 2,
        Some(bytes) => bytes,
        None => UNBOUNDED_BYTES,
    }
}

/// The columns by which an index leads to the rows.
fn locator(scope: &Scope, def: &TableDef) -> Vec<String> {
    match def.indexes.first().filter(|rows| rows.is_clustered()) {
        Some(rows) => rows.key.iter().map(|key| column_name(def, key.column)).collect(),
        None => vec![scope.bookmark()],
    }
}

fn lookup(def: &TableDef, leads: &[String], condition: &str) -> Operator {
    let seek: Vec<String> = leads.iter().map(|column| format!("{column}={column}")).collect();
    let rows = def.indexes.first();
    let kind = if rows.is_some_and(IndexDef::is_clustered) { "Clustered Index Seek" } else { "RID Lookup" };
    let argument =
        arguments(object_name(def, rows), &seek.join(" AND "), condition, &format!("{LOOKUP} ORDERED FORWARD"));
    Operator::new(kind).argument(argument)
}

/// `OBJECT:(…), SEEK:(…),  WHERE:(…) ORDERED FORWARD`
fn arguments(object: String, seek: &str, condition: &str, direction: &str) -> String {
    let mut text = object;
    if !seek.is_empty() {
        text.push_str(&format!(", SEEK:({seek})"));
    }
    if !condition.is_empty() {
        text.push_str(if seek.is_empty() { ", " } else { ",  " });
        text.push_str(&format!("WHERE:({condition})"));
    }
    if seek.is_empty() && !direction.is_empty() {
        text.push(',');
    }
    text + direction
}

/// What an access compares key columns with.
struct Seeks<'a> {
    table: &'a TableAccess<'a>,
    /// Column, operator, text of the value.
    bounds: Vec<(usize, CompareOp, String)>,
    /// Column and texts of an IN list.
    list: Option<(usize, Vec<String>)>,
}

impl<'a> Seeks<'a> {
    fn of(scope: &Scope, table: &'a TableAccess<'a>, access: &Access) -> Seeks<'a> {
        let text = |probe: &Probe| scope.text(&probe.expr, table.columns);
        let mut bounds: Vec<(usize, CompareOp, String)> =
            access.prefix.iter().map(|probe| (probe.column, CompareOp::Eq, text(probe))).collect();
        for (bound, is_low) in [(&access.low, true), (&access.high, false)] {
            if let Some(bound) = bound {
                let (op, value) = edge(bound, is_low, &|expr| scope.text(expr, table.columns));
                bounds.push((bound.probe.column, op, value));
            }
        }
        let list = access.list.first().map(|probe| (probe.column, access.list.iter().map(text).collect()));
        Seeks { table, bounds, list }
    }

    /// `[t].[a]=(1) AND [t].[b] > (2)`
    fn text(&self) -> String {
        let name = |column: usize| column_name(self.table.def, column);
        let mut parts: Vec<String> = self
            .bounds
            .iter()
            .map(|(column, op, value)| match op {
                CompareOp::Eq => format!("{}={value}", name(*column)),
                op => format!("{} {} {value}", name(*column), compare_sign(*op)),
            })
            .collect();
        if let Some((column, values)) = &self.list {
            let one = |value: &String| {
                let mut all = parts.clone();
                all.push(format!("{}={value}", name(*column)));
                all.join(" AND ")
            };
            return values.iter().map(one).collect::<Vec<String>>().join(" OR ");
        }
        if parts.len() == 1 { parts.remove(0) } else { parts.join(" AND ") }
    }

    /// Whether all rows of the range pass a predicate, by its form.
    fn imply(&self, scope: &Scope, filter: &BoundExpr) -> bool {
        let own = |expr: &BoundExpr| own_column(self.table, expr);
        let text = |expr: &BoundExpr| scope.text(expr, self.table.columns);
        match &filter.kind {
            Kind::Compare(op, left, right, _) => {
                let is = |column: Option<usize>, op: CompareOp, value: &BoundExpr| {
                    let Some(column) = column else { return false };
                    let value = text(value);
                    self.bounds.iter().any(|known| (known.0, known.1, &known.2) == (column, op, &value))
                };
                is(own(left), *op, right) || is(own(right), op.mirrored(), left)
            }
            Kind::InList(operand, items, _) => match (&self.list, own(operand)) {
                (Some((column, values)), Some(own)) => {
                    *column == own && values.len() == items.len() && items.iter().map(text).eq(values.iter().cloned())
                }
                _ => false,
            },
            Kind::IsNull(operand) => own(operand).is_some_and(|column| {
                let is_null = |known: &(usize, CompareOp, String)| {
                    (known.0, known.1, known.2.as_str()) == (column, CompareOp::Eq, "NULL")
                };
                self.bounds.iter().any(is_null)
            }),
            _ => false,
        }
    }
}

/// How a column is compared at an end of a range, and with what, by the functions of SQL Server's plans.
fn edge(bound: &RangeBound, is_low: bool, text: &dyn Fn(&BoundExpr) -> String) -> (CompareOp, String) {
    let value = text(&bound.probe.expr);
    let begun = match &bound.at {
        BoundAt::Pattern(None) => pattern_beginning(&bound.probe.expr),
        BoundAt::Beginning => Some(bound.probe.expr.clone()),
        _ => None,
    };
    let op = match (is_low, bound.inclusive) {
        (true, true) => CompareOp::GtEq,
        (true, false) => CompareOp::Gt,
        (false, true) => CompareOp::LtEq,
        (false, false) => CompareOp::Lt,
    };
    let shown = match (&bound.at, begun.as_ref().map(|begun| (&begun.kind, begun.ty))) {
        (BoundAt::Value | BoundAt::Start(Period::Day), _) => value,
        (BoundAt::Next(Period::Day), _) => format!("dateadd(day,(1),{value})"),
        (BoundAt::Start(Period::Year), _) => format!("datefromparts({value},(1),(1))"),
        (BoundAt::Next(Period::Year), _) => format!("datefromparts({value}+(1),(1),(1))"),
        (_, Some((Kind::Literal(Value::Str(begun)), ty))) => {
            let end = if is_low { begun.to_string() } else { after(begun) };
            text(&BoundExpr { kind: Kind::Literal(Value::str(&end)), ty })
        }
        _ if is_low => format!("LikeRangeStart({value})"),
        _ => format!("LikeRangeEnd({value})"),
    };
    (op, shown)
}

/// With what the texts begin that match a pattern that is known.
fn pattern_beginning(pattern: &BoundExpr) -> Option<BoundExpr> {
    let Kind::Literal(text) = &pattern.kind else { return None };
    let begun = sargable::beginning(text.as_str()?, None, pattern.ty.collation)?;
    Some(BoundExpr { kind: Kind::Literal(Value::str(&begun)), ty: pattern.ty })
}

/// The text with the next character at its end.
fn after(begun: &str) -> String {
    let mut chars: Vec<char> = begun.chars().collect();
    if let Some(last) = chars.last_mut() {
        *last = char::from_u32(u32::from(*last) + 1).unwrap_or(char::MAX);
    }
    chars.into_iter().collect()
}

/// The table's column that an expression is, perhaps converted.
fn own_column(table: &TableAccess<'_>, expr: &BoundExpr) -> Option<usize> {
    match &expr.kind {
        Kind::Column(place) => place.checked_sub(table.first).filter(|column| *column < table.def.columns.len()),
        Kind::Cast { expr, style: None, try_: false } => own_column(table, expr),
        _ => None,
    }
}
