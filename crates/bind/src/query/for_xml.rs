//! FOR XML: what the rows of a query look like as a text, by the names of its columns, its tables, or a universal table.
//!
//! What always holds: the text is a value of `nvarchar(max)`, which a client gets in pieces, and there is none without rows;
//! under TYPE it is one of `xml`, and NULL without rows.

use std::sync::Arc;

use millpond_builtin::for_xml::XSI;
use millpond_builtin::for_xml::element::Element;
use millpond_builtin::for_xml::levels::{Frame, Level, Shape};
use millpond_builtin::for_xml::members::{self, Members};
use millpond_builtin::for_xml::name::{self, Kind, Prefixes};
use millpond_builtin::for_xml::path;
use millpond_builtin::for_xml::universal::Universal;
use millpond_builtin::json::functions::TEXT_MAX;
use millpond_builtin::nesting::Key;
use millpond_catalog::expr::{BoundExpr, ExprType};
use millpond_catalog::rel::{Rel, RowsAsText};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{ForClause, Query, QueryBody, SelectItem};
use millpond_types::{SqlType, Value};
use millpond_xml::xquery::Namespaces;

use crate::binder::Binder;
use crate::binder::bound_query::BoundQuery;
use crate::query::for_option::ForOption;
use crate::query::for_tables::{Nesting, Table, tables_of};
use crate::query::into_of;

/// The name of the only column, without TYPE.
const COLUMN: &str = "XML_F52E2B61-18A1-11d1-B105-00805F49916B";

/// How rows become elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Raw,
    Auto,
    Path,
    Explicit,
}

/// What stands after FOR XML.
struct Options {
    mode: Mode,
    /// The name of a row's element that is written.
    row: Option<String>,
    root: Option<String>,
    members: Members,
    /// BINARY BASE64
    in_base64: bool,
    /// TYPE
    is_typed: bool,
    /// XMLDATA, or XMLSCHEMA with its URI.
    schema: Option<Schema>,
}

/// A schema that was asked for.
enum Schema {
    Data,
    Xsd { has_empty_uri: bool },
}

/// The columns of a bound query.
struct Columns<'q> {
    names: &'q [String],
    types: &'q [ExprType],
    origins: &'q [Option<(String, String)>],
}

/// Binds a query with FOR XML; `bind` binds it without.
///
/// # Errors
/// 102 and 6800 to 6879 for options and names that are none; 6819 where its rows go into a table or variables; 40517 for
/// schemas, IDREFS, and addresses of binary values.
pub(crate) fn for_xml(
    binder: &mut Binder<'_>,
    query: &Query,
    clause: &ForClause,
    bind: impl FnOnce(&mut Binder<'_>, &Query) -> SqlResult<BoundQuery>,
) -> SqlResult<BoundQuery> {
    check_statement(&query.body)?;
    let options = Options::of(clause)?;
    let namespaces = binder.xml_namespaces.clone();
    options.check(&namespaces)?;
    let is_auto = options.mode == Mode::Auto;
    let tables = if is_auto { tables_of(&query.body) } else { Vec::new() };
    if is_auto && tables.iter().all(|table| table.is_function) {
        return Err(SqlError::of(6800, 1, &[]));
    }
    let before = std::mem::replace(&mut binder.wants_origins, is_auto);
    // A cursor over the text is over no row of a table.
    let located = binder.located.take();
    let bound = bind(binder, query);
    binder.located = located.map(|_| Vec::new());
    binder.wants_origins = before;
    let BoundQuery { rel, names, origins, .. } = bound?;
    let types = rel.types();
    let columns = Columns { names: &names, types: &types, origins: &origins };
    let by: Arc<dyn RowsAsText> = match options.mode {
        Mode::Raw => Arc::new(raw(&columns, &options, &namespaces)?),
        Mode::Auto => Arc::new(auto(&columns, &options, &namespaces, (&query.body, &tables))?),
        Mode::Path => Arc::new(path(&columns, &options, &namespaces)?),
        Mode::Explicit => Arc::new(explicit(&columns, &options, &namespaces)?),
    };
    let sql = if options.is_typed { SqlType::Xml } else { TEXT_MAX };
    let ty = ExprType::plain(sql, true);
    let rel = Rel::Text { input: Box::new(rel), by, in_pieces: false, ty };
    let (rel, name) = match options.is_typed {
        true => {
            let none = vec![vec![BoundExpr::literal(Value::Null, SqlType::Xml)]];
            (Rel::OrElse { input: Box::new(rel), rows: none }, String::new())
        }
        false => (rel, COLUMN.to_owned()),
    };
    Ok(BoundQuery { rel, names: vec![name], into: None, assign: Vec::new(), origins: Vec::new() })
}

/// 6819 where the rows go into a table or variables.
fn check_statement(body: &QueryBody) -> SqlResult<()> {
    if into_of(body)?.is_some() {
        return Err(SqlError::of(6819, 1, &[&"SELECT INTO"]));
    }
    match body {
        QueryBody::Select(select) if select.items.iter().any(|item| matches!(item, SelectItem::Assign(_))) => {
            Err(SqlError::of(6819, 3, &[&"ASSIGNMENT"]))
        }
        _ => Ok(()),
    }
}

/// 102
fn wrong() -> SqlError {
    message::syntax_near("XML")
}

impl Options {
    fn of(clause: &ForClause) -> SqlResult<Options> {
        let mut options = clause.options.iter();
        let first = options.next().and_then(|text| ForOption::of(text)).ok_or_else(wrong)?;
        let mode = match first.words.as_str() {
            "RAW" => Mode::Raw,
            "AUTO" => Mode::Auto,
            "PATH" => Mode::Path,
            "EXPLICIT" => Mode::Explicit,
            _ => return Err(wrong()),
        };
        let members = Members { are_elements: mode == Mode::Path, has_nil: false };
        let (in_base64, is_typed) = (mode == Mode::Path, false);
        let mut found = Options { mode, row: first.name, root: None, members, in_base64, is_typed, schema: None };
        let mut seen = Vec::new();
        for text in options {
            let option = ForOption::of(text).ok_or_else(wrong)?;
            let word = option.words.split(' ').next().unwrap_or_default().to_owned();
            found.add(option)?;
            if seen.contains(&word) {
                return Err(wrong());
            }
            seen.push(word);
        }
        Ok(found)
    }

    /// Takes an option after the first one.
    fn add(&mut self, option: ForOption) -> SqlResult<()> {
        match (option.words.as_str(), option.name) {
            ("TYPE", None) => self.is_typed = true,
            ("ROOT", name) => self.root = Some(name.unwrap_or_else(|| "root".to_owned())),
            ("BINARY BASE64", None) => self.in_base64 = true,
            ("ELEMENTS" | "ELEMENTS ABSENT" | "ELEMENTS XSINIL", None) if self.mode == Mode::Explicit => {
                return Err(SqlError::of(6825, 1, &[]));
            }
            ("ELEMENTS" | "ELEMENTS ABSENT", None) => self.members.are_elements = true,
            ("ELEMENTS XSINIL", None) => self.members = Members { are_elements: true, has_nil: true },
            ("XMLDATA", None) => self.schema = Some(Schema::Data),
            ("XMLSCHEMA", uri) => {
                self.schema = Some(Schema::Xsd { has_empty_uri: uri.is_some_and(|uri| uri.is_empty()) });
            }
            (words, _) => {
                let last = words.strip_prefix("BINARY ").unwrap_or("XML");
                return Err(message::syntax_near(last));
            }
        }
        Ok(())
    }

    /// What options say against each other, and names that are none.
    fn check(&self, namespaces: &Namespaces) -> SqlResult<()> {
        let has_no_tag = self.row.as_ref().is_some_and(String::is_empty);
        if self.row.is_some() && matches!(self.mode, Mode::Auto | Mode::Explicit) {
            return Err(SqlError::of(6859, 1, &[]));
        }
        match &self.schema {
            None => {}
            Some(_) if self.mode == Mode::Path => return Err(SqlError::of(6855, 1, &[])),
            Some(Schema::Data) if self.root.is_some() || self.row.is_some() => return Err(SqlError::of(6860, 1, &[])),
            Some(Schema::Data) => return Err(message::missing("XMLDATA of FOR XML")),
            Some(Schema::Xsd { has_empty_uri: true }) => return Err(SqlError::of(6862, 1, &[])),
            Some(Schema::Xsd { .. }) if has_no_tag => return Err(SqlError::of(6863, 1, &[])),
            Some(Schema::Xsd { .. }) => return Err(message::missing("XMLSCHEMA of FOR XML")),
        }
        if has_no_tag && !self.members.are_elements {
            return Err(SqlError::of(6864, 1, &[]));
        }
        if !namespaces.is_empty() && (self.mode == Mode::Explicit || self.schema.is_some()) {
            return Err(SqlError::of(6868, 1, &[]));
        }
        if self.members.has_nil && namespaces.prefixes.iter().any(|(prefix, _)| prefix == "xsi") {
            return Err(SqlError::of(6873, 1, &[]));
        }
        let prefixes = self.prefixes(namespaces);
        if let Some(row) = self.row.as_deref().filter(|row| !row.is_empty()) {
            name::check(row, row, Kind::Row, prefixes)?;
        }
        match self.root.as_deref() {
            Some("") => Err(SqlError::of(6861, 1, &[])),
            Some(root) => name::check(root, root, Kind::Root, prefixes),
            None => Ok(()),
        }
    }

    fn prefixes<'n>(&self, namespaces: &'n Namespaces) -> Prefixes<'n> {
        Prefixes { has_xsi: self.members.has_nil, declared: &namespaces.prefixes }
    }

    fn frame(&self, namespaces: &Namespaces) -> Frame {
        let mut declared = if self.members.has_nil { XSI.to_owned() } else { String::new() };
        declared.push_str(&name::declarations(namespaces));
        Frame { root: self.root.clone(), declared, is_typed: self.is_typed }
    }

    /// The only level of RAW and PATH.
    fn level(&self) -> Level {
        let name = self.row.as_deref().unwrap_or("row");
        Level { element: Element::named(name), has_no_tag: name.is_empty(), ..Level::default() }
    }
}

/// The first binary column that BINARY BASE64 does not stand for.
fn binary_column(columns: &Columns<'_>, options: &Options) -> Option<usize> {
    let place = columns.types.iter().position(|ty| ty.sql.is_binary());
    place.filter(|_| !options.in_base64)
}

/// 6829 for a binary column without BINARY BASE64.
fn check_binary(columns: &Columns<'_>, options: &Options) -> SqlResult<()> {
    match binary_column(columns, options) {
        Some(place) => Err(SqlError::of(6829, 1, &[&columns.names[place]])),
        None => Ok(()),
    }
}

fn raw(columns: &Columns<'_>, options: &Options, namespaces: &Namespaces) -> SqlResult<Shape> {
    check_binary(columns, options)?;
    let mut level = options.level();
    for (place, (name, ty)) in columns.names.iter().zip(columns.types).enumerate() {
        check_member(name, Kind::Column, options, namespaces)?;
        members::add(&mut level.element, name, place, ty.sql, options.members)?;
    }
    Ok(Shape { levels: vec![level], frame: options.frame(namespaces) })
}

/// Where namespaces are declared, prefixes of names are of these.
fn check_member(name: &str, kind: Kind, options: &Options, namespaces: &Namespaces) -> SqlResult<()> {
    if namespaces.is_empty() { Ok(()) } else { name::check_prefix(name, kind, options.prefixes(namespaces)) }
}

fn path(columns: &Columns<'_>, options: &Options, namespaces: &Namespaces) -> SqlResult<Shape> {
    let mut level = options.level();
    let (has_nil, declared) = (options.members.has_nil, &namespaces.prefixes[..]);
    let row = path::Row { has_tag: !level.has_no_tag, has_nil, declared };
    for (place, (name, ty)) in columns.names.iter().zip(columns.types).enumerate() {
        path::add(&mut level.element, name, place, ty.sql, row)?;
    }
    Ok(Shape { levels: vec![level], frame: options.frame(namespaces) })
}

fn explicit(columns: &Columns<'_>, options: &Options, namespaces: &Namespaces) -> SqlResult<Universal> {
    check_binary(columns, options)?;
    let types: Vec<SqlType> = columns.types.iter().map(|ty| ty.sql).collect();
    Universal::of(columns.names, &types, options.frame(namespaces))
}

fn auto(
    columns: &Columns<'_>,
    options: &Options,
    namespaces: &Namespaces,
    (body, tables): (&QueryBody, &[Table]),
) -> SqlResult<Shape> {
    let nesting = Nesting::of(body, tables, columns.origins, columns.names.len());
    if let Some(place) = binary_column(columns, options) {
        return Err(match nesting.columns[place] {
            (_, true) => message::missing("binary columns in FOR XML AUTO without BINARY BASE64"),
            (_, false) => SqlError::of(6830, 1, &[&columns.names[place]]),
        });
    }
    let first = tables.iter().position(|table| !table.is_function).unwrap_or_default();
    let order = if nesting.order.is_empty() { vec![first] } else { nesting.order };
    for table in &order {
        check_member(&tables[*table].written, Kind::Row, options, namespaces)?;
    }
    let named = |table: &usize| Element::named(name::escaped(&tables[*table].written));
    let mut levels: Vec<Level> =
        order.iter().map(|table| Level { element: named(table), ..Level::default() }).collect();
    for (place, (name, ty)) in columns.names.iter().zip(columns.types).enumerate() {
        let (at, is_own) = nesting.columns[place];
        check_member(name, Kind::Column, options, namespaces)?;
        let level = &mut levels[at];
        members::add(&mut level.element, name, place, ty.sql, options.members)?;
        // A value that does not compare, of a column or not, makes each row another one.
        if is_own || !ty.sql.is_comparable() {
            level.keys.0.push(Key { column: place, collation: ty.collation, compares: ty.sql.is_comparable() });
        }
    }
    Ok(Shape { levels, frame: options.frame(namespaces) })
}
