//! OPENXML in FROM: a row for each node that a pattern finds in a document which the session has prepared. The patterns are
//! XPath; they are read when the rows are asked for, as the row's pattern may be a variable.

use std::sync::Arc;

use millpond_catalog::run::Run;
use millpond_catalog::run::documents::Prepared;
use millpond_catalog::unfold::{Unfold, UnfoldedRows};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::{SqlType, Value};
use millpond_xml::chars::is_name;
use millpond_xml::xquery::{Items, Method, Namespaces, Parsed, Query};
use millpond_xml::{NodeId, ROOT};

use crate::xml::StatementBudget;
use crate::xml::atoms::value_of;
use crate::xml::error::{of_query, of_run};

/// Columns without pattern are attributes, and are that where no other bit says something.
const ATTRIBUTES: i64 = 1;
/// They are elements; beside [`ATTRIBUTES`] those where no attribute is.
const ELEMENTS: i64 = 2;

/// A column of WITH.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name.
    pub name: String,
    /// Type.
    pub sql: SqlType,
    /// Where its value is, from the row's node; without one the flags decide.
    pub path: Option<String>,
}

/// A call of OPENXML. Its arguments are handle, pattern and flags.
#[derive(Debug)]
pub struct OpenXml {
    /// The columns of WITH.
    pub columns: Vec<Column>,
}

impl Unfold for OpenXml {
    fn name(&self) -> &'static str {
        "OPENXML"
    }

    fn open(&self, ctx: &dyn Run, args: Vec<Value>) -> SqlResult<Box<dyn UnfoldedRows>> {
        let (prepared, nodes) = found(ctx, &args)?;
        prepared.used.count(nodes.len());
        let flags = args.get(2).and_then(Value::as_i64).unwrap_or(0);
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            columns.push((column_paths(column, flags, &prepared.namespaces)?, column.sql));
        }
        Ok(Box::new(Rows { prepared, nodes: nodes.into_iter(), columns }))
    }
}

/// A document, and nodes of it.
pub(crate) type Found = (Arc<Prepared>, Vec<(bool, NodeId)>);

/// The document of a handle, and the nodes of it that the pattern finds.
///
/// # Errors
/// 8179 for a handle of none, 6607 without a pattern, 6603 for one that cannot be read, and those of its run.
pub(crate) fn found(ctx: &dyn Run, args: &[Value]) -> SqlResult<Found> {
    let handle = args.first().and_then(Value::as_i64).unwrap_or(0);
    let prepared = i32::try_from(handle).ok().and_then(|handle| ctx.prepared_documents().get(handle));
    let prepared = prepared.ok_or_else(|| SqlError::of(8179, 5, &[&handle]))?;
    let Some(pattern) = args.get(1).and_then(Value::as_str) else {
        return Err(SqlError::of(6607, 3, &[&"OpenXML", &2]));
    };
    let rows = read(pattern, Method::Nodes, &prepared.namespaces)?;
    let mut budget = StatementBudget::new(ctx);
    let found = rows.run(&prepared.document, ROOT, &[], &mut budget).map_err(of_run)?;
    let (nodes, _) = found.into_nodes();
    Ok((prepared, nodes))
}

/// A pattern that is read.
fn read(pattern: &str, method: Method, namespaces: &Namespaces) -> SqlResult<Query> {
    if pattern.contains("@mp:") {
        return Err(message::missing("A metaproperty of OPENXML"));
    }
    let parsed = Parsed::parse(pattern, method, namespaces).and_then(|parsed| parsed.check(&[]));
    parsed.map_err(|error| {
        let text = of_query("", &error).text;
        SqlError::of(6603, 2, &[&text])
    })
}

/// The paths at which a column's value is looked for, the first that finds a node gives it.
fn column_paths(column: &Column, flags: i64, namespaces: &Namespaces) -> SqlResult<Vec<Query>> {
    // Of these paths several nodes may come, the first counts.
    let read = |path: &str| read(path, Method::Exist, namespaces);
    if let Some(path) = &column.path {
        return Ok(vec![read(path)?]);
    }
    if !is_name(&column.name) {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    if flags & ATTRIBUTES != 0 || flags & ELEMENTS == 0 {
        paths.push(read(&format!("@{}", column.name))?);
    }
    if flags & ELEMENTS != 0 {
        paths.push(read(&column.name)?);
    }
    Ok(paths)
}

struct Rows {
    prepared: Arc<Prepared>,
    nodes: std::vec::IntoIter<(bool, NodeId)>,
    columns: Vec<(Vec<Query>, SqlType)>,
}

impl UnfoldedRows for Rows {
    fn next(&mut self, ctx: &dyn Run) -> SqlResult<Option<Vec<Value>>> {
        ctx.watch().check()?;
        let Some((_, node)) = self.nodes.next() else { return Ok(None) };
        let cells = self.columns.iter().map(|(paths, sql)| self.cell(ctx, node, paths, sql));
        cells.collect::<SqlResult<Vec<Value>>>().map(Some)
    }
}

impl Rows {
    fn cell(&self, ctx: &dyn Run, node: NodeId, paths: &[Query], sql: &SqlType) -> SqlResult<Value> {
        for path in paths {
            let mut budget = StatementBudget::new(ctx);
            let items: Items<'_> = path.run(&self.prepared.document, node, &[], &mut budget).map_err(of_run)?;
            if items.is_empty() {
                continue;
            }
            if *sql == SqlType::Xml {
                return ctx.hold(Ok(Value::from(items.first_text())));
            }
            return match items.first() {
                Some(atom) => ctx.hold(value_of(ctx, &atom, sql)),
                None => Ok(Value::Null),
            };
        }
        Ok(Value::Null)
    }
}
