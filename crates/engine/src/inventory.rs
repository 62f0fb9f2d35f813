//! What a database holds, listed for the views, functions and procedures that report it to clients: objects with their
//! constraints, tables with temporary ones, columns of views, sizes.
//!
//! What always holds: nothing is kept; each listing is made from the definitions as they are now, those of open
//! transactions too. System views, functions and procedures are not in it: they belong to no database.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use millpond_access::tree;
use millpond_catalog::dictionary::Dictionary;
use millpond_catalog::security::{Of, PrincipalId};
use millpond_catalog::trees::Side;
use millpond_catalog::{
    CatalogObject, ColumnDef, DatabaseObjects, ForeignKeyDef, IndexDef, IndexKind, LargeType, ObjectId, Schema,
    SchemaId, StatisticsObject, TableDef, UserTypeDef, UserTypeForm, Within, names_equal,
};
use millpond_message::error::SqlResult;
use millpond_message::{self as message, Place};
use millpond_storage::contract::DbId;
use millpond_tsql::print::{CatalogForm, catalog_form};
use millpond_tsql::{ParseOptions, parse_expression};
use millpond_types::SqlType;

use crate::bound_objects::copy_of;
use crate::context::RunContext;
use crate::rows::TableRows;
use crate::security;

/// An object or constraint, a row of `sys.objects`.
#[derive(Clone, Debug)]
pub struct Listed {
    /// `object_id`
    pub id: i32,
    /// Name.
    pub name: String,
    /// Schema.
    pub schema: Schema,
    /// The table of a constraint; 0 for what stands alone.
    pub parent: i32,
    /// `type`, without blanks.
    pub kind: &'static str,
    /// A module that is marked as the system's own.
    pub is_system: bool,
    /// The owner that ALTER AUTHORIZATION gave it; none where the schema's owner has it.
    pub owner: Option<PrincipalId>,
    /// Created, local time, microseconds since 1970.
    pub created_us: i64,
    /// Last altered, likewise.
    pub modified_us: i64,
}

impl Listed {
    /// Whether it counts as one that came with the server.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        self.schema.id == SchemaId(4) && !is_of_type(self.id) || self.is_system
    }
}

/// A table of a database; in tempdb also the temporary tables of all sessions, under their long names.
#[derive(Clone)]
pub struct ListedTable {
    /// `object_id`
    pub id: i32,
    /// Name.
    pub name: String,
    /// Definition.
    pub def: Arc<TableDef>,
    /// Rows.
    pub rows: TableRows,
}

impl ListedTable {
    /// Its statistics, automatic ones with them, in order of their numbers.
    #[must_use]
    pub fn statistics(&self) -> Vec<StatisticsObject> {
        match self.rows.known_counters() {
            Some(counters) => self.def.all_statistics(&counters.statistics, self.stored_id().0),
            None => self.def.statistics_objects(),
        }
    }
}

/// The objects that are wanted among those of the database.
pub fn among<'o>(ctx: &RunContext, within: Within<'_>, objects: &'o DatabaseObjects) -> Vec<&'o CatalogObject> {
    let wanted = objects.within(within);
    ctx.engine.counters.listed_objects.fetch_add(wanted.len() as u64, Relaxed);
    wanted
}

/// Pages of a table or an index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pages {
    /// In its extents.
    pub reserved: u64,
    /// Of these in use.
    pub used: u64,
}

/// Pages of values beyond the records of a table or an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargePages {
    /// Pages.
    pub pages: Pages,
    /// No column is `(max)`: rows overflow. Where one is, values of other columns lie among its own.
    pub is_overflow: bool,
}

impl LargePages {
    /// `type` and `type_desc` of the allocation unit.
    #[must_use]
    pub fn kind(&self) -> (u8, &'static str) {
        if self.is_overflow { (3, "ROW_OVERFLOW_DATA") } else { (2, "LOB_DATA") }
    }
}

impl ListedTable {
    /// A temporary table.
    #[must_use]
    pub fn temporary(table: &crate::temp::TempTable) -> ListedTable {
        ListedTable {
            id: table.heap.object_id().0.cast_signed(),
            name: table.internal_name(),
            def: Arc::clone(&table.def),
            rows: table.rows(),
        }
    }

    /// The number under which its trees and its place among the data spaces are known.
    #[must_use]
    pub fn stored_id(&self) -> ObjectId {
        if self.def.is_view_rows() { self.def.id } else { ObjectId(self.id) }
    }

    /// The indexes as `sys.indexes` lists them: a temporary heap has one of number 0 as well.
    #[must_use]
    pub fn indexes(&self) -> Vec<IndexDef> {
        indexes_of(&self.def)
    }

    /// Rows: of a heap counted, of trees counted in the leaves, of great ones (10,000 leaves) in a sample of them.
    ///
    /// # Errors
    /// Those of reading.
    pub fn row_count(&self, ctx: &RunContext) -> SqlResult<i64> {
        self.index_row_count(ctx, 0)
    }

    /// Rows of the index at position `index` of the definition.
    ///
    /// # Errors
    /// Those of reading.
    pub fn index_row_count(&self, ctx: &RunContext, index: usize) -> SqlResult<i64> {
        let trees = match &self.rows {
            TableRows::Heap(heap) => return Ok(heap.row_count().cast_signed()),
            TableRows::Trees(trees) => trees,
        };
        let count = tree::statistics::entry_count(&trees.trees[index], &ctx.ask_other());
        count.map(u64::cast_signed).map_err(|error| message::of_access(error, self.place()))
    }

    /// Pages of the index at position `index` of the definition.
    ///
    /// # Errors
    /// Those of reading its map.
    pub fn index_pages(&self, ctx: &RunContext, index: usize) -> SqlResult<Pages> {
        match &self.rows {
            TableRows::Heap(heap) => {
                let used = heap.page_count() + heap.iam_pages().len() as u64;
                Ok(Pages { reserved: heap.reserved_pages(), used })
            }
            TableRows::Trees(trees) => {
                let space = trees.trees[index]
                    .space(&ctx.ask_other())
                    .map_err(|error| message::of_access(error, self.place()))?;
                Ok(Pages { reserved: space.reserved, used: space.used })
            }
        }
    }

    /// Pages of the large values of the index at position `index` of the definition; none where there never were any.
    ///
    /// # Errors
    /// Those of reading its map.
    pub fn large_pages(&self, ctx: &RunContext, index: usize) -> SqlResult<Option<LargePages>> {
        let ask = ctx.ask_other();
        let failed = |error| message::of_access(error, self.place());
        let (store, layout) = match &self.rows {
            TableRows::Heap(heap) => (heap.values(), &self.def.layout),
            TableRows::Trees(trees) => {
                let Side::Tree(tree) = trees.side(index) else { return Ok(None) };
                let of_rows = self.def.indexes[index].holds_rows();
                let layout = if of_rows { &self.def.layout } else { &self.def.indexes[index].layout };
                (tree.values(&ask).map_err(failed)?, layout)
            }
        };
        let Some(store) = store else { return Ok(None) };
        let space = store.space(&ask).map_err(failed)?;
        let is_overflow = !layout.types().iter().any(|sql| sql.is_unbounded());
        Ok(Some(LargePages { pages: Pages { reserved: space.reserved, used: space.used }, is_overflow }))
    }

    /// Pages of the index at position `index` of the definition, those of its large values among them.
    ///
    /// # Errors
    /// Those of reading its maps.
    pub fn all_pages(&self, ctx: &RunContext, index: usize) -> SqlResult<Pages> {
        let Pages { reserved, used } = self.index_pages(ctx, index)?;
        let large = self.large_pages(ctx, index)?.map_or(Pages::default(), |large| large.pages);
        Ok(Pages { reserved: reserved + large.reserved, used: used + large.used })
    }

    fn place(&self) -> Place<'_> {
        Place { schema: &self.def.schema.name, object: &self.def.name, database: &self.def.database_name }
    }
}

/// The definitions of a database, as far as the session may see them.
///
/// # Errors
/// 911, 942 and others when it is not there or not available; 916 where the session has no access.
pub fn definitions<'a>(ctx: &RunContext, within: impl Into<Within<'a>>) -> SqlResult<Arc<DatabaseObjects>> {
    let database = within.into().database;
    if ctx.facts.security.is_sa() {
        return Ok(ctx.engine.databases().dictionary(database)?.catalog().objects());
    }
    let access = security::access(ctx, database)?;
    Ok(ctx.session.visible.of((&ctx.facts.security, &access.token), database, &access.server, &access.objects))
}

/// The tables of a database.
///
/// # Errors
/// Those of [`definitions`].
pub fn tables<'a>(ctx: &RunContext, within: impl Into<Within<'a>>) -> SqlResult<Vec<ListedTable>> {
    let within = within.into();
    let objects = definitions(ctx, within)?;
    let mut tables: Vec<ListedTable> = among(ctx, within, &objects).into_iter().filter_map(listed_table).collect();
    if within.database == DbId::TEMPDB {
        tables.extend(temporary_tables(ctx, within));
    }
    Ok(tables)
}

/// All that may have indexes: the tables of a database, and its views with indexes under their own numbers.
///
/// # Errors
/// Those of [`definitions`].
pub fn indexed<'a>(ctx: &RunContext, within: impl Into<Within<'a>>) -> SqlResult<Vec<ListedTable>> {
    let within = within.into();
    let mut all = tables(ctx, within)?;
    let objects = definitions(ctx, within)?;
    let views: Vec<ListedTable> =
        objects.within(within).into_iter().filter_map(|object| listed_view(&objects, object)).collect();
    if !views.is_empty() {
        all.extend(views);
        all.sort_by_key(|table| table.id);
    }
    Ok(all)
}

/// A view with indexes as a table of its own number.
fn listed_view(objects: &DatabaseObjects, object: &CatalogObject) -> Option<ListedTable> {
    let CatalogObject::Module(view) = object else { return None };
    let (def, trees) = view.rows_in(objects)?;
    let rows = TableRows::Trees(Arc::clone(trees));
    Some(ListedTable { id: view.id.0, name: view.name.clone(), def: Arc::clone(def), rows })
}

/// The temporary tables and table variables of all sessions.
fn temporary_tables(ctx: &RunContext, within: Within<'_>) -> Vec<ListedTable> {
    let mut tables = Vec::new();
    let sees_all = ctx.facts.security.is_sa() || security::is_sysadmin(ctx).unwrap_or(false);
    for session in ctx.engine.sessions().into_iter().filter(|session| sees_all || session.id == ctx.session.id) {
        let known = session.temp.read();
        // What a READONLY parameter names is listed where it was made.
        let is_own = |table: &&crate::temp::TempTable| !table.is_borrowed && !table.def.in_memory;
        match within.only {
            None => tables.extend(known.tables().filter(is_own).map(ListedTable::temporary)),
            Some(only) => {
                let wanted = only.iter().filter_map(|id| known.by_id(id.0.cast_unsigned()));
                tables.extend(wanted.filter(is_own).map(ListedTable::temporary));
            }
        }
    }
    tables
}

/// The objects that have one of these numbers or names, or a constraint that has: a [`Within`] of them has all that a view
/// shows of what is so called. In order of their numbers.
///
/// # Errors
/// Those of [`definitions`].
pub fn owners(ctx: &RunContext, database: DbId, ids: &[i32], names: &[&str]) -> SqlResult<Vec<ObjectId>> {
    let objects = definitions(ctx, database)?;
    let numbers = ids.iter().map(|id| objects.owner(ObjectId(*id)).unwrap_or(ObjectId(*id)));
    let mut owners: Vec<ObjectId> = numbers.collect();
    owners.extend(ids.iter().filter(|id| is_of_type(**id)).map(|id| ObjectId(type_of(*id))));
    // What belongs to an object has rows of its own in the views that ask for its parent.
    owners.extend(ids.iter().flat_map(|id| objects.triggers_of(ObjectId(*id)).map(|trigger| trigger.id)));
    for name in names {
        owners.extend(objects.named(name));
        if database == DbId::TEMPDB && name.starts_with(['#', '@']) {
            let named = temporary_tables(ctx, database.into()).into_iter();
            owners.extend(named.filter(|table| names_equal(&table.name, name)).map(|table| ObjectId(table.id)));
        }
    }
    owners.sort_unstable();
    owners.dedup();
    Ok(owners)
}

/// The table of a number, or the rows of the view of the number; temporary tables of this session too.
///
/// # Errors
/// Those of [`definitions`].
pub fn table(ctx: &RunContext, database: DbId, id: i32) -> SqlResult<Option<ListedTable>> {
    if let Some(table) = ctx.session.temp.read().by_id(id.cast_unsigned()).filter(|table| !table.def.in_memory) {
        return Ok(Some(ListedTable::temporary(table)));
    }
    let objects = definitions(ctx, database)?;
    Ok(objects.get(ObjectId(id)).and_then(|object| listed_table(object).or_else(|| listed_view(&objects, object))))
}

fn listed_table(object: &CatalogObject) -> Option<ListedTable> {
    match object {
        CatalogObject::Table(def, trees) if def.schema.id != SchemaId(4) => Some(ListedTable {
            id: def.id.0,
            name: def.name.clone(),
            def: Arc::clone(def),
            rows: TableRows::Trees(Arc::clone(trees)),
        }),
        _ => None,
    }
}

/// The indexes of a definition as `sys.indexes` lists them: one that has none is a heap.
#[must_use]
pub fn indexes_of(def: &TableDef) -> Vec<IndexDef> {
    if !def.indexes.is_empty() {
        return def.indexes.clone();
    }
    vec![IndexDef::new(0, String::new(), IndexKind::Heap, false, Vec::new(), &def.columns)]
}

/// All objects of a database with the constraints of its tables, in order of their numbers.
///
/// # Errors
/// Those of [`definitions`], and of reading when they were made.
pub fn objects<'a>(ctx: &RunContext, within: impl Into<Within<'a>>) -> SqlResult<Vec<Listed>> {
    let within = within.into();
    let dictionary = ctx.engine.databases().dictionary(within.database)?;
    let times = object_times(ctx, &dictionary, within)?;
    let started_us = local_us(ctx, dictionary.storage().created_utc_us());
    let mut listed = Vec::new();
    let definitions = definitions(ctx, within)?;
    for object in among(ctx, within, &definitions) {
        let times_us = times.get(&object.id()).copied().unwrap_or((started_us, started_us));
        let first = listed.len();
        listed.extend(of_object(object, times_us));
        listed[first].owner = definitions.security().said_owner(Of::Object, object.id().0);
    }
    if within.database == DbId::TEMPDB {
        listed.extend(temporary_tables(ctx, within).into_iter().map(|table| Listed {
            id: table.id,
            name: table.name,
            schema: table.def.schema.clone(),
            parent: 0,
            kind: "U",
            is_system: false,
            owner: None,
            created_us: started_us,
            modified_us: started_us,
        }));
    }
    listed.sort_by_key(|object| object.id);
    Ok(listed)
}

/// When objects were made and last changed.
fn object_times(
    ctx: &RunContext,
    dictionary: &Dictionary,
    within: Within<'_>,
) -> SqlResult<HashMap<ObjectId, (i64, i64)>> {
    ctx.engine.databases().on_own_account(|io| match within.only {
        None => dictionary.all_object_times(io),
        Some(only) => {
            let mut times = HashMap::new();
            for id in only {
                times.extend(dictionary.object_times(io, *id)?.map(|of_one| (*id, of_one)));
            }
            Ok(times)
        }
    })
}

/// The object or constraint of a number.
///
/// # Errors
/// Those of [`definitions`].
pub fn object(ctx: &RunContext, database: DbId, id: i32) -> SqlResult<Option<Listed>> {
    let objects = definitions(ctx, database)?;
    let owner = objects.owner(ObjectId(id)).unwrap_or(ObjectId(id));
    let Some(object) = objects.get(owner) else { return Ok(None) };
    Ok(of_object(object, (0, 0)).into_iter().find(|listed| listed.id == id))
}

/// An object with its constraints, without their times and owners.
#[must_use]
pub fn of_object(object: &CatalogObject, times_us: (i64, i64)) -> Vec<Listed> {
    let (created_us, modified_us) = match object {
        CatalogObject::Module(def) if !def.id.is_server_text() => (def.created_us, def.modified_us),
        _ => times_us,
    };
    let is_system = matches!(object, CatalogObject::Module(def) if def.is_system);
    let listed = |id: ObjectId, name: &str, parent: i32, kind: &'static str| Listed {
        id: id.0,
        name: name.to_owned(),
        schema: object.schema().clone(),
        parent,
        kind,
        is_system,
        owner: None,
        created_us,
        modified_us,
    };
    // A trigger is of its table.
    let parent = match object {
        CatalogObject::Module(def) => def.parent.0,
        _ => 0,
    };
    let mut all = vec![listed(object.id(), object.name(), parent, object.code())];
    if let CatalogObject::Table(def, _) = object {
        let constraints = constraints(def).into_iter();
        all.extend(constraints.map(|(id, name, kind)| listed(id, name, def.id.0, kind)));
    }
    all
}

/// The constraints of a table that are objects: number, name, `type`.
#[must_use]
pub fn constraints(def: &TableDef) -> Vec<(ObjectId, &str, &'static str)> {
    let mut all = Vec::new();
    for index in def.indexes.iter().filter(|index| index.constraint.0 != 0) {
        all.push((index.constraint, index.name.as_str(), key_code(index)));
    }
    all.extend(def.foreign_keys.iter().map(|key| (key.id, key.name.as_str(), "F")));
    let checks = def.checks.iter().filter(|check| check.is_constraint());
    all.extend(checks.map(|check| (check.id, check.name.as_str(), "C")));
    let defaults = def.columns.iter().filter_map(|column| column.default.as_ref());
    let defaults = defaults.filter(|default| !default.is_bound());
    all.extend(defaults.map(|default| (default.id, default.name.as_str(), "D")));
    all.retain(|(id, ..)| id.0 != 0);
    all
}

/// The unique index of the referenced table that a foreign key relies on.
#[must_use]
pub fn referenced_index<'a>(referenced: &'a TableDef, key: &ForeignKeyDef) -> Option<&'a IndexDef> {
    let wanted: Vec<usize> = key.referenced_columns.iter().filter_map(|id| referenced.column_by_id(*id)).collect();
    referenced.indexes.iter().find(|index| {
        index.unique && index.key.len() == wanted.len() && index.key.iter().all(|part| wanted.contains(&part.column))
    })
}

/// `PK` or `UQ`
#[must_use]
pub fn key_code(index: &IndexDef) -> &'static str {
    if index.kind == IndexKind::PrimaryKey { "PK" } else { "UQ" }
}

/// `sys.objects.type_desc`
#[must_use]
pub fn kind_desc(kind: &str) -> &'static str {
    match kind {
        "U" => "USER_TABLE",
        "S" => "SYSTEM_TABLE",
        "V" => "VIEW",
        "P" => "SQL_STORED_PROCEDURE",
        "X" => "EXTENDED_STORED_PROCEDURE",
        "FN" => "SQL_SCALAR_FUNCTION",
        "IF" => "SQL_INLINE_TABLE_VALUED_FUNCTION",
        "TF" => "SQL_TABLE_VALUED_FUNCTION",
        "TR" => "SQL_TRIGGER",
        "SO" => "SEQUENCE_OBJECT",
        "SN" => "SYNONYM",
        "PK" => "PRIMARY_KEY_CONSTRAINT",
        "UQ" => "UNIQUE_CONSTRAINT",
        "F" => "FOREIGN_KEY_CONSTRAINT",
        "C" => "CHECK_CONSTRAINT",
        "D" => "DEFAULT_CONSTRAINT",
        "R" => "RULE",
        "TT" => "TYPE_TABLE",
        "SQ" => "SERVICE_QUEUE",
        _ => "INTERNAL_TABLE",
    }
}

/// The columns of a view or table-valued function; none when its text does not bind any more.
///
/// # Errors
/// 1222, 1205, a cancellation: what it reads is being altered.
pub fn module_columns(ctx: &RunContext, database: DbId, object: &CatalogObject) -> SqlResult<Vec<ColumnDef>> {
    let CatalogObject::Module(def) = object else { return Ok(Vec::new()) };
    let columns = match (ctx.engine.registry().module_columns)(ctx, database, def) {
        Err(error) if message::is_transient(&error) => return Err(error),
        found => found.unwrap_or_default(),
    };
    Ok(columns.into_iter().zip(1..).map(|((name, ty), id)| ColumnDef::new(id, name, ty)).collect())
}

/// Of each object that has columns its number and columns: tables, views, table-valued functions, table types, in order of
/// numbers.
///
/// # Errors
/// Those of [`definitions`].
pub fn columns<'a>(ctx: &RunContext, within: impl Into<Within<'a>>) -> SqlResult<Vec<(i32, Vec<ColumnDef>)>> {
    let within = within.into();
    let mut all: Vec<(i32, Vec<ColumnDef>)> =
        tables(ctx, within)?.into_iter().map(|table| (table.id, table.def.columns.clone())).collect();
    let objects = definitions(ctx, within)?;
    for object in among(ctx, within, &objects) {
        let columns = module_columns(ctx, within.database, object)?;
        if !columns.is_empty() {
            all.push((object.id().0, columns));
        }
    }
    all.extend(table_types(&objects, within).map(|(table, def)| (table.id, def.columns.clone())));
    all.sort_by_key(|(id, _)| *id);
    Ok(all)
}

/// The tables of a database's table types.
pub fn table_types<'o>(
    objects: &'o DatabaseObjects,
    within: Within<'o>,
) -> impl Iterator<Item = (TypeTable, &'o TableDef)> {
    let table = |ty: &'o Arc<UserTypeDef>| match &ty.form {
        UserTypeForm::Table { def, .. } => {
            let id = type_table_id(ty);
            Some((TypeTable { id, name: format!("TT_{}_{id:08X}", ty.name), schema: SchemaId(4) }, &**def))
        }
        UserTypeForm::Alias { .. } => None,
    };
    objects.user_types().filter_map(table).filter(move |(table, _)| within.has(table.id))
}

/// The definitions of the tables of a database's table types, with numbers for their constraints, and these.
#[must_use]
pub fn type_constraints(objects: &DatabaseObjects, within: Within<'_>, made_us: i64) -> Vec<(TableDef, Vec<Listed>)> {
    let numbered = |(table, def): (TypeTable, &TableDef)| {
        let mut def = TableDef { id: ObjectId(table.id), ..copy_of(def) };
        let mut number = TYPE_CONSTRAINTS.saturating_add(table.id.saturating_mul(CONSTRAINTS_OF_TYPE));
        let keys =
            def.indexes.iter_mut().filter(|index| matches!(index.kind, IndexKind::PrimaryKey | IndexKind::Unique));
        let checks = def.checks.iter_mut().map(|check| &mut check.id);
        let defaults =
            def.columns.iter_mut().filter_map(|column| column.default.as_mut()).map(|default| &mut default.id);
        for id in keys.map(|index| &mut index.constraint).chain(checks).chain(defaults) {
            *id = ObjectId(number);
            number = number.saturating_sub(1);
        }
        let listed = |(id, name, kind): (ObjectId, &str, &'static str)| Listed {
            id: id.0,
            name: name.to_owned(),
            schema: Schema { id: table.schema, name: "sys".into() },
            parent: table.id,
            kind,
            is_system: false,
            owner: None,
            created_us: made_us,
            modified_us: made_us,
        };
        let listed = constraints(&def).into_iter().map(listed).collect();
        (def, listed)
    };
    table_types(objects, within).map(numbered).collect()
}

/// Constraints of table types have numbers from here downwards, so many for each type.
const TYPE_CONSTRAINTS: i32 = -(1 << 30);
const CONSTRAINTS_OF_TYPE: i32 = 1024;

/// Whether it is the number of such a constraint; outside of tempdb no object has one.
fn is_of_type(id: i32) -> bool {
    id < TYPE_CONSTRAINTS
}

/// The table of the type that such a constraint belongs to.
fn type_of(constraint: i32) -> i32 {
    -((TYPE_CONSTRAINTS - constraint) / CONSTRAINTS_OF_TYPE)
}

/// The table of a table type as the catalog names it.
#[derive(Clone, Debug)]
pub struct TypeTable {
    /// `type_table_object_id`
    pub id: i32,
    /// `TT_…` with its number.
    pub name: String,
    /// The schema sys.
    pub schema: SchemaId,
}

/// `type_table_object_id` of a table type: a number that no object has.
#[must_use]
pub fn type_table_id(ty: &UserTypeDef) -> i32 {
    -ty.id
}

/// `max_length` of `sys.columns`: bytes, -1 for `(max)`.
#[must_use]
pub fn max_length(sql: &SqlType) -> i16 {
    sql.max_bytes().and_then(|bytes| i16::try_from(bytes).ok()).unwrap_or(-1)
}

/// The same of a column.
#[must_use]
pub fn column_length(column: &ColumnDef) -> i16 {
    if column.large_type().is_some() { LargeType::MAX_LENGTH } else { max_length(&column.ty.sql) }
}

/// Numbers of `user_type_id` by `schema.name` of a database's alias types.
#[must_use]
pub fn alias_types(objects: &DatabaseObjects) -> HashMap<String, i32> {
    let alias = |ty: &Arc<UserTypeDef>| match ty.form {
        UserTypeForm::Alias { .. } => Some((format!("{}.{}", ty.schema.name, ty.name).to_lowercase(), ty.id)),
        UserTypeForm::Table { .. } => None,
    };
    objects.user_types().filter_map(alias).collect()
}

/// `system_type_id` of a column.
#[must_use]
pub fn system_type_id(column: &ColumnDef) -> u8 {
    column.large_type().map_or_else(|| column.ty.sql.system_type_id(), |large| large.id)
}

/// `user_type_id` of a column.
#[must_use]
pub fn user_type_id(column: &ColumnDef, aliases: &HashMap<String, i32>) -> i32 {
    let system = i32::from(system_type_id(column));
    match &column.user_type {
        None => system,
        Some(name) if name.to_lowercase().trim_start_matches("sys.") == "sysname" => 256,
        Some(name) => aliases.get(&name.to_lowercase()).copied().unwrap_or(system),
    }
}

/// An expression of a constraint or a computed column as the catalog shows it.
#[must_use]
pub fn shown_expression(text: &str) -> String {
    shown(text, CatalogForm::Definition)
}

/// The filter of an index or of statistics as the catalog shows it.
#[must_use]
pub fn shown_filter(text: &str) -> String {
    shown(text, CatalogForm::Filter)
}

/// What does not parse is shown as it is.
fn shown(text: &str, form: CatalogForm) -> String {
    parse_expression(text, ParseOptions { quoted_identifier: true })
        .map_or_else(|| format!("({text})"), |expr| catalog_form(&expr, form))
}

/// A point in time of UTC as local time, both in microseconds since 1970.
#[must_use]
pub fn local_us(ctx: &RunContext, utc_us: i64) -> i64 {
    ctx.engine.instance().clock().wall().local_of(utc_us)
}

#[cfg(test)]
mod tests {
    use millpond_types::MaxLen;

    use super::*;
    use millpond_builtin::facts::system_type::text_units;

    #[test]
    fn expressions_are_shown_in_parentheses_once() {
        assert_eq!(shown_expression("0"), "((0))");
        assert_eq!(shown_expression("(a) + (b)"), "([a]+[b])");
        assert_eq!(shown_expression("a in (1, 2)"), "([a]=(2) OR [a]=(1))");
        assert_eq!(shown_filter("a in (1, 2)"), "([a] IN ((1), (2)))");
        assert_eq!(shown_expression("(')')"), "(')')");
    }

    #[test]
    fn lengths_are_in_bytes_and_characters() {
        let name = SqlType::NVarChar { len: MaxLen::Limited(128) };
        assert_eq!((max_length(&name), text_units(&name)), (256, Some(128)));
        let max = SqlType::VARCHAR_MAX;
        assert_eq!((max_length(&max), text_units(&max)), (-1, Some(-1)));
        assert_eq!((max_length(&SqlType::Int), text_units(&SqlType::Int)), (4, None));
    }
}
