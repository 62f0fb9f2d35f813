//! Keys, indexes and foreign keys of tables: clauses become definitions.

use millpond_catalog::is_local_temporary;
use std::fmt::Display;

use millpond_catalog::{
    ColumnDef, Compression, ForeignKeyDef, IndexDef, IndexKind, IndexOptions, KeyColumn, ObjectId, ReferentialAction,
    TableDef,
};
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_tsql::ast::{
    Clustering, ConstraintKind, ForeignKey, IndexColumn, IndexDefinition, IndexStructure, NamedOption, OptionValue,
    ReferentialAction as Action, TableConstraint,
};
use millpond_types::SqlType;

use crate::binder::Binder;
use crate::binder::names::Named;
use crate::definition::kept_text::{CONDITION_UNITS_MAX, kept_text};
use crate::definition::new_table::NewTable;
use crate::definition::{memory, over_table};
use crate::expression::computed;

/// Most columns of a key.
const KEY_COLUMNS_MAX: usize = 32;

/// An index before it has its number.
struct IndexSpec {
    kind: IndexKind,
    name: String,
    constraint: ObjectId,
    clustered: bool,
    unique: bool,
    key: Vec<KeyColumn>,
    included: Vec<usize>,
    filter: Option<(String, millpond_catalog::expr::BoundExpr)>,
    options: IndexOptions,
}

/// The options of WITH.
fn index_options(options: &[NamedOption]) -> SqlResult<IndexOptions> {
    changed_index_options(IndexOptions::default(), options, "CREATE INDEX")
}

/// What DATA_COMPRESSION says.
///
/// # Errors
/// 102 for another word.
pub(crate) fn compression(option: &NamedOption) -> SqlResult<Compression> {
    // ON PARTITIONS may follow.
    let word = match &option.value {
        OptionValue::Words(words) => words.split_whitespace().next().unwrap_or_default().to_ascii_uppercase(),
        _ => String::new(),
    };
    match word.as_str() {
        "NONE" => Ok(Compression::None),
        "ROW" => Ok(Compression::Row),
        "PAGE" => Ok(Compression::Page),
        "COLUMNSTORE" | "COLUMNSTORE_ARCHIVE" => Err(message::missing(&format!("DATA_COMPRESSION = {word}"))),
        _ => Err(message::syntax_near(if word.is_empty() { &option.name } else { &word })),
    }
}

/// What a statement says of partitions, where there are so many.
///
/// # Errors
/// 7722 for the number of one that there is not, of an index or a table of that name.
pub fn check_partitions(options: &[NamedOption], partitions: usize, (kind, name): (&str, &str)) -> SqlResult<()> {
    for option in options.iter().filter(|option| option.name == "DATA_COMPRESSION") {
        let said = option.details.iter().flat_map(|range| match &range.value {
            OptionValue::Words(to) => vec![range.name.as_str(), to.trim_start_matches(|c: char| !c.is_ascii_digit())],
            _ => vec![range.name.as_str()],
        });
        for number in said.map(|digits| digits.parse::<i64>().unwrap_or(i64::MAX)) {
            if !usize::try_from(number).is_ok_and(|number| (1..=partitions).contains(&number)) {
                return Err(SqlError::of(7722, 2, &[&number, &kind, &name, &partitions]));
            }
        }
    }
    Ok(())
}

/// 11438: what can be stopped half-way is built beside those who use it.
fn check_resumable(options: &[NamedOption]) -> SqlResult<()> {
    let is_on = |name: &str| options.iter().any(|option| option.name == name && option.is("ON"));
    match is_on("RESUMABLE") && !is_on("ONLINE") {
        true => Err(SqlError::of(11_438, 1, &[&"RESUMABLE", &"ON", &"ONLINE", &"OFF"])),
        false => Ok(()),
    }
}

/// How an index is built and kept, which is not its meaning.
const BUILDING: [&str; 11] = [
    "ABORT_AFTER_WAIT",
    "COMPRESSION_DELAY",
    "COMPRESS_ALL_ROW_GROUPS",
    "DROP_EXISTING",
    "LOB_COMPACTION",
    "MAXDOP",
    "MAX_DURATION",
    "ONLINE",
    "RESUMABLE",
    "SORT_IN_TEMPDB",
    "STATISTICS_INCREMENTAL",
];

/// Options of an index of which WITH or SET of a statement says some anew.
///
/// # Errors
/// 155 for one that there is not, 129 for a fill factor beyond 100.
pub fn changed_index_options(
    mut known: IndexOptions,
    options: &[NamedOption],
    statement: &str,
) -> SqlResult<IndexOptions> {
    check_resumable(options)?;
    for option in options {
        let on = option.is("ON");
        match option.name.as_str() {
            "FILLFACTOR" => {
                known.fill_factor = match &option.value {
                    OptionValue::Constant(expr) => {
                        millpond_tsql::print::expression(expr).parse().ok().filter(|percent| *percent <= 100)
                    }
                    _ => None,
                }
                .ok_or_else(|| SqlError::of(129, 1, &[]))?;
            }
            "PAD_INDEX" => known.pad_index = on || matches!(option.value, OptionValue::None),
            "IGNORE_DUP_KEY" => known.ignore_dup_key = on || matches!(option.value, OptionValue::None),
            "STATISTICS_NORECOMPUTE" => known.no_recompute = on || matches!(option.value, OptionValue::None),
            "ALLOW_ROW_LOCKS" => known.allow_row_locks = on,
            "ALLOW_PAGE_LOCKS" => known.allow_page_locks = on,
            "OPTIMIZE_FOR_SEQUENTIAL_KEY" => known.sequential_key = on,
            "DATA_COMPRESSION" => known.compression = compression(option)?,
            "XML_COMPRESSION" => known.xml_compression = on,
            "BUCKET_COUNT" => known.bucket_count = Some(memory::bucket_count(option)?),
            name if BUILDING.contains(&name) => {}
            name => return Err(SqlError::of(155, 1, &[&name.to_ascii_lowercase(), &statement])),
        }
    }
    Ok(known)
}

/// 1916: rows whose keys are there already can be ignored only where keys are unique.
pub fn check_options(unique: bool, options: IndexOptions) -> SqlResult<()> {
    if unique || !options.ignore_dup_key {
        return Ok(());
    }
    Err(SqlError::of(1916, 4, &[]))
}

/// The indexes of a new table: keys, UNIQUE and INDEX clauses; the tree of the rows comes first. None for a
/// temporary table that has none.
pub(crate) fn indexes(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    columns: &mut [ColumnDef],
    constraints: &[(&TableConstraint, Option<usize>)],
) -> SqlResult<Vec<IndexDef>> {
    let explicit = constraints.iter().any(|(constraint, _)| match &constraint.kind {
        ConstraintKind::PrimaryKey(key) | ConstraintKind::Unique(key) => key.clustering == Some(Clustering::Clustered),
        ConstraintKind::Index(index) => index.clustering == Some(Clustering::Clustered),
        _ => false,
    });
    let mut specs: Vec<IndexSpec> = Vec::new();
    for (constraint, own) in constraints {
        if let Some(spec) = constraint_spec(binder, new, columns, constraint, *own, explicit)? {
            if spec.kind == IndexKind::PrimaryKey && specs.iter().any(|known| known.kind == IndexKind::PrimaryKey) {
                return Err(SqlError::of(8110, 0, &[&new.name.name]));
            }
            if spec.clustered && specs.iter().any(|known| known.clustered) {
                return Err(SqlError::of(8112, 0, &[&new.name.name]));
            }
            if let Some(same) = specs.iter().find(|known| millpond_catalog::names_equal(&known.name, &spec.name)) {
                return Err(index_exists(&same.name, &new.name.name));
            }
            specs.push(spec);
        }
    }
    if specs.is_empty() && (new.name.name.starts_with('@') || is_local_temporary(&new.name.name)) {
        return Ok(Vec::new());
    }
    numbered(specs, columns).into_iter().map(|index| check_width(index, columns)).collect()
}

fn constraint_spec(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    columns: &mut [ColumnDef],
    constraint: &TableConstraint,
    own: Option<usize>,
    explicit: bool,
) -> SqlResult<Option<IndexSpec>> {
    let table = &new.name.name;
    let (kind, key) = match &constraint.kind {
        ConstraintKind::PrimaryKey(key) => (IndexKind::PrimaryKey, key),
        ConstraintKind::Unique(key) => (IndexKind::Unique, key),
        ConstraintKind::Index(index) => {
            let own = own.map(|own| vec![KeyColumn { column: own, descending: false }]);
            return index_spec(binder, new, columns, index, own).map(Some);
        }
        _ => return Ok(None),
    };
    let primary = kind == IndexKind::PrimaryKey;
    let key_columns = match own {
        Some(column) if key.columns.is_empty() => vec![KeyColumn { column, descending: false }],
        _ => key_columns(columns, &key.columns)?,
    };
    let clustered = match key.clustering {
        Some(clustering) => clustering == Clustering::Clustered,
        None => primary && !explicit,
    };
    let (constraint_id, name) = new.constraint(constraint.name.as_deref(), if primary { "PK" } else { "UQ" }, None);
    check_key((&name, table), columns, &key_columns)?;
    let options = index_options(&key.options)?;
    memory::check_buckets(key.hash, options)?;
    if primary {
        // One that is persisted becomes NOT NULL, as any column of a primary key does.
        let may_be_null = |part: &&KeyColumn| {
            let column = &columns[part.column];
            column.ty.nullable && column.computed.as_ref().is_some_and(|computed| !computed.persisted)
        };
        if let Some(part) = key_columns.iter().find(may_be_null) {
            return Err(computed_key(&columns[part.column].name, table));
        }
        key_columns.iter().for_each(|part| columns[part.column].ty.nullable = false);
    }
    Ok(Some(IndexSpec {
        kind,
        name,
        constraint: constraint_id,
        clustered,
        unique: true,
        key: key_columns,
        included: Vec::new(),
        filter: None,
        options,
    }))
}

fn index_spec(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    columns: &[ColumnDef],
    index: &IndexDefinition,
    own: Option<Vec<KeyColumn>>,
) -> SqlResult<IndexSpec> {
    if index.structure == IndexStructure::ColumnStore {
        return Err(message::missing("A columnstore index"));
    }
    let table = &new.name.name;
    let clustered = index.clustering == Some(Clustering::Clustered);
    let key = match own {
        Some(own) if index.columns.is_empty() => own,
        _ => key_columns(columns, &index.columns)?,
    };
    check_key((&index.name, table), columns, &key)?;
    let mut included = Vec::new();
    for name in &index.include {
        let column = column_of(columns, name)?;
        if key.iter().any(|part| part.column == column) || included.contains(&column) {
            return Err(SqlError::of(1909, 2, &[&"index", &name]));
        }
        computed::indexable(table, &columns[column])?;
        included.push(column);
    }
    let filter = match &index.filter {
        None => None,
        Some(condition) => {
            let expr = over_table::over_columns(binder, table, columns, |binder| binder.condition(condition))?;
            Some((kept_text(table, condition, CONDITION_UNITS_MAX)?, expr))
        }
    };
    let options = index_options(&index.options)?;
    check_options(index.unique, options)?;
    if filter.is_some() && options.ignore_dup_key {
        return Err(SqlError::of(10_618, 1, &[&index.name, &table]));
    }
    memory::check_buckets(index.structure == IndexStructure::Hash, options)?;
    Ok(IndexSpec {
        kind: IndexKind::Index,
        name: index.name.clone(),
        constraint: ObjectId(0),
        clustered,
        unique: index.unique,
        key,
        included,
        filter,
        options,
    })
}

/// The indexes of a table with one more, by CREATE INDEX. When the new one is clustered the rows move, and so do all
/// other indexes, whose leaves have its key.
///
/// # Errors
/// 1902 for a second clustered index, 1913 for a name that is taken, 1911 for an unknown column.
pub(crate) fn with_index(binder: &mut Binder<'_>, def: &TableDef, index: &IndexDefinition) -> SqlResult<Vec<IndexDef>> {
    let new = existing(def);
    let spec = index_spec(binder, &new, &def.columns, index, None)?;
    add_index(def, spec)?.into_iter().map(|index| check_width(index, &def.columns)).collect()
}

/// The indexes of a table with `index` in the place of `old`, by CREATE INDEX … WITH (DROP_EXISTING = ON); `rest` is
/// the table as if `old` were not there. The index of a constraint stays the constraint's.
///
/// # Errors
/// 1907 for the index of a constraint and another definition, 1925 for a clustered index that is not to be clustered;
/// those of [`Binder::with_index`].
pub(crate) fn with_remade_index(
    binder: &mut Binder<'_>,
    rest: &TableDef,
    old: &IndexDef,
    index: &IndexDefinition,
) -> SqlResult<Vec<IndexDef>> {
    let new = existing(rest);
    let mut spec = index_spec(binder, &new, &rest.columns, index, None)?;
    if matches!(old.kind, IndexKind::PrimaryKey | IndexKind::Unique) {
        let is_same = spec.unique && spec.key == old.key && spec.included.is_empty() && spec.filter.is_none();
        if !is_same {
            return Err(not_the_constraint(&old.name));
        }
        (spec.kind, spec.constraint, spec.name) = (old.kind, old.constraint, old.name.clone());
    }
    if old.is_clustered() && !spec.clustered {
        return Err(stays_clustered());
    }
    add_index(rest, spec)?.into_iter().map(|index| check_width(index, &rest.columns)).collect()
}

/// The indexes of a table with one more, by ALTER TABLE … ADD PRIMARY KEY or UNIQUE.
///
/// # Errors
/// As [`Binder::with_index`]; 1779 for a second primary key, 8111 for a nullable column in one.
pub(crate) fn with_key(
    binder: &mut Binder<'_>,
    def: &TableDef,
    new: &NewTable<'_>,
    constraint: &TableConstraint,
    own: Option<usize>,
) -> SqlResult<Vec<IndexDef>> {
    let mut columns = def.columns.clone();
    let spec = constraint_spec(binder, new, &mut columns, constraint, own, def.is_clustered())?;
    let spec = spec.ok_or_else(|| message::syntax_near("CONSTRAINT"))?;
    if spec.kind == IndexKind::PrimaryKey {
        if def.primary_key().is_some() {
            return Err(SqlError::of(1779, 0, &[&def.name]));
        }
        let mut key = spec.key.iter().map(|part| &def.columns[part.column]);
        if let Some(column) = key.find(|column| column.ty.nullable) {
            return Err(match column.computed {
                Some(_) => computed_key(&column.name, &def.name),
                None => nullable_key(&def.name),
            });
        }
    }
    add_index(def, spec)?.into_iter().map(|index| check_width(index, &def.columns)).collect()
}

fn existing(def: &TableDef) -> NewTable<'static> {
    let name = millpond_catalog::TableName {
        database: def.database,
        database_name: std::sync::Arc::clone(&def.database_name),
        schema: def.schema.clone(),
        name: def.name.clone(),
    };
    NewTable::of(name, def.id, &|| ObjectId(0))
}

/// A foreign key of a table with these columns and indexes.
///
/// # Errors
/// 1767 for an unknown table, 1769 and 1770 for unknown columns, 1776 when no key is referred to, 8139 for counts
/// that differ, 1778, 1753 and 1757 for types, lengths and collations that differ.
pub(crate) fn foreign_key(
    binder: &mut Binder<'_>,
    new: &NewTable<'_>,
    (columns, indexes): (&[ColumnDef], &[IndexDef]),
    written: Option<&str>,
    own: Option<usize>,
    key: &ForeignKey,
) -> SqlResult<ForeignKeyDef> {
    let table = &new.name.name;
    let first_own = own.map(|own| columns[own].name.clone()).or_else(|| key.columns.first().cloned());
    let (id, name) = new.constraint(written, "FK", Some(first_own.as_deref().unwrap_or("")));
    let referring = match own {
        Some(column) if key.columns.is_empty() => vec![column],
        _ => key
            .columns
            .iter()
            .map(|column| {
                columns
                    .iter()
                    .position(|known| millpond_catalog::names_equal(&known.name, column))
                    .ok_or_else(|| SqlError::of(1769, 1, &[&name, &column, &table]))
            })
            .collect::<SqlResult<Vec<usize>>>()?,
    };
    let own = own.map(|own| columns[own].name.as_str());
    constrainable(table, columns, &referring, own, "FOREIGN KEY CONSTRAINT")?;
    if key.table.last().starts_with('#') {
        return Err(SqlError::of(1766, 0, &[&name]));
    }
    let says_database = key.table.parts.len().checked_sub(3).is_some_and(|at| !key.table.parts[at].is_empty());
    if says_database && binder.names.database(&key.table, binder.home)? != Some(new.name.database) {
        return Err(SqlError::of(1763, 0, &[&key.table.shown()]));
    }
    let last = key.table.last();
    let is_self = millpond_catalog::names_equal(last, table)
        && key.table.parts.len().checked_sub(2).is_none_or(|schema| {
            key.table.parts[schema].is_empty()
                || millpond_catalog::names_equal(&key.table.parts[schema], &new.name.schema.name)
        });
    let (referenced, other);
    let (other_columns, other_indexes) = if is_self {
        referenced = new.id;
        (columns, indexes)
    } else {
        // Without a database it is the table's, whichever is current.
        let mut name_there = key.table.clone();
        if !says_database && binder.names.database(&key.table, binder.home)? != Some(new.name.database) {
            let schema = key.table.parts.len().checked_sub(2).map_or(String::new(), |at| key.table.parts[at].clone());
            name_there.parts = vec![new.name.database_name.to_string(), schema, last.clone()];
        }
        other = match binder.names.relation(&name_there, binder.home)? {
            Some(Named::Table(def)) if def.database == new.name.database && !def.is_temporary() => def,
            _ => {
                return Err(SqlError::of(1767, 0, &[&name, &key.table.shown()]));
            }
        };
        referenced = other.id;
        (&other.columns[..], &other.indexes[..])
    };
    let target = referenced_key(&name, &key.table.shown(), other_columns, other_indexes, key)?;
    if target.len() != referring.len() {
        return Err(SqlError::of(8139, 0, &[&table]));
    }
    let (key_name, other_table) = (&name, key.table.shown());
    for (mine, theirs) in referring.iter().zip(&target) {
        let (mine, theirs) = (&columns[*mine], &other_columns[*theirs]);
        check_alike(key_name, (table, mine), (&other_table, theirs))?;
    }
    let (on_delete, on_update) = (action(key.on_delete), action(key.on_update));
    check_actions(&name, &referring, columns, [on_delete, on_update])?;
    Ok(ForeignKeyDef {
        id,
        name,
        columns: referring,
        referenced,
        referenced_columns: target.iter().map(|column| other_columns[*column].id).collect(),
        on_delete,
        on_update,
        disabled: false,
        not_trusted: false,
        not_for_replication: key.not_for_replication,
    })
}

fn action(written: Action) -> ReferentialAction {
    match written {
        Action::NoAction => ReferentialAction::NoAction,
        Action::Cascade => ReferentialAction::Cascade,
        Action::SetNull => ReferentialAction::SetNull,
        Action::SetDefault => ReferentialAction::SetDefault,
    }
}

/// 1778, 1753, 1757: a column and the one that it refers to are of one type, length, scale and collation.
fn check_alike(key: &str, mine: (&str, &ColumnDef), theirs: (&str, &ColumnDef)) -> SqlResult<()> {
    let (my_type, their_type) = (&mine.1.ty.sql, &theirs.1.ty.sql);
    let (my_name, their_name) = (format!("{}.{}", mine.0, mine.1.name), format!("{}.{}", theirs.0, theirs.1.name));
    let args: [&dyn Display; 3] = [&their_name, &my_name, &key];
    if std::mem::discriminant(my_type) != std::mem::discriminant(their_type) {
        Err(SqlError::of(1778, 0, &args))
    } else if my_type.max_len() != their_type.max_len() || my_type.precision_scale() != their_type.precision_scale() {
        Err(SqlError::of(1753, 0, &args))
    } else if my_type.is_string() && mine.1.ty.collation != theirs.1.ty.collation {
        Err(SqlError::of(1757, 0, &args))
    } else {
        Ok(())
    }
}

/// 1761 and 1762: an action gives a column NULL that does not take it.
fn check_actions(
    name: &str,
    referring: &[usize],
    columns: &[ColumnDef],
    actions: [ReferentialAction; 2],
) -> SqlResult<()> {
    let mut required = referring.iter().map(|column| &columns[*column]).filter(|column| !column.ty.nullable);
    if actions.contains(&ReferentialAction::SetNull) && required.next().is_some() {
        Err(SqlError::of(1761, 0, &[&name, &"SET NULL"]))
    } else if actions.contains(&ReferentialAction::SetDefault) && required.any(|column| column.default.is_none()) {
        Err(SqlError::of(1762, 0, &[&name, &"SET DEFAULT"]))
    } else {
        Ok(())
    }
}

/// 1711
fn computed_key(column: &str, table: &str) -> SqlError {
    SqlError::of(1711, 1, &[&column, &table])
}

/// 8111
pub(crate) fn nullable_key(table: &str) -> SqlError {
    SqlError::of(8111, 1, &[&table])
}

/// Positions of the columns referred to: those of a unique key, in the order of the foreign key.
fn referenced_key(
    name: &str,
    table: &str,
    columns: &[ColumnDef],
    indexes: &[IndexDef],
    key: &ForeignKey,
) -> SqlResult<Vec<usize>> {
    if key.referenced.is_empty() {
        let primary = indexes
            .iter()
            .find(|index| index.kind == IndexKind::PrimaryKey)
            .ok_or_else(|| SqlError::of(1773, 0, &[&name, &table]))?;
        return Ok(primary.key.iter().map(|part| part.column).collect());
    }
    let mut wanted = Vec::with_capacity(key.referenced.len());
    for column in &key.referenced {
        let position = columns.iter().position(|known| millpond_catalog::names_equal(&known.name, column));
        wanted.push(position.ok_or_else(|| SqlError::of(1770, 0, &[&name, &column, &table]))?);
    }
    let is_key = indexes.iter().any(|index| {
        index.unique
            && index.filter.is_none()
            && index.key.len() == wanted.len()
            && index.key.iter().all(|part| wanted.contains(&part.column))
    });
    if !is_key {
        return Err(SqlError::of(1776, 0, &[&table, &name]));
    }
    Ok(wanted)
}

fn column_of(columns: &[ColumnDef], name: &str) -> SqlResult<usize> {
    columns
        .iter()
        .position(|column| millpond_catalog::names_equal(&column.name, name))
        .ok_or_else(|| SqlError::of(1911, 1, &[&name]))
}

fn key_columns(columns: &[ColumnDef], names: &[IndexColumn]) -> SqlResult<Vec<KeyColumn>> {
    let mut key: Vec<KeyColumn> = Vec::with_capacity(names.len());
    for part in names {
        let column = column_of(columns, &part.name)?;
        if key.iter().any(|known| known.column == column) {
            return Err(SqlError::of(1909, 1, &[&"index", &part.name]));
        }
        key.push(KeyColumn { column, descending: part.descending });
    }
    Ok(key)
}

/// 1904, 1919: keys that cannot be.
fn check_key((index, table): (&str, &str), columns: &[ColumnDef], key: &[KeyColumn]) -> SqlResult<()> {
    if key.len() > KEY_COLUMNS_MAX {
        return Err(SqlError::of(1904, 1, &[&"index", &index, &table, &key.len(), &"index", &KEY_COLUMNS_MAX]));
    }
    key.iter().try_for_each(|part| computed::key_of_index((index, table), &columns[part.column]))?;
    for part in key {
        let column = &columns[part.column];
        if column.ty.sql.max_bytes().is_none() {
            return Err(SqlError::of(1919, 1, &[&column.name, &table]));
        }
    }
    Ok(())
}

/// 1944: no row has a key that is short enough.
fn check_width(index: IndexDef, columns: &[ColumnDef]) -> SqlResult<IndexDef> {
    let fixed = index.key.iter().map(|part| &columns[part.column].ty.sql).filter(|sql| !sql.is_variable_length());
    let (bytes, most): (u32, u32) = (fixed.filter_map(SqlType::max_bytes).sum(), index.key_bytes_max());
    if bytes <= most {
        return Ok(index);
    }
    Err(SqlError::of(1944, 1, &[&index.name, &bytes, &most]))
}

/// 1907
pub fn not_the_constraint(index: &str) -> SqlError {
    SqlError::of(1907, 1, &[&index])
}

/// 1925
fn stays_clustered() -> SqlError {
    SqlError::of(1925, 2, &[])
}

/// 1913
fn index_exists(index: &str, table: &str) -> SqlError {
    SqlError::of(1913, 1, &[&index, &table])
}

/// Indexes of a new table with their numbers: the tree of the rows first.
fn numbered(mut specs: Vec<IndexSpec>, columns: &[ColumnDef]) -> Vec<IndexDef> {
    let mut indexes = Vec::with_capacity(specs.len() + 1);
    match specs.iter().position(|spec| spec.clustered) {
        Some(position) => indexes.push(made(specs.remove(position), 1, &[], columns)),
        None => indexes.push(heap(columns)),
    }
    let clustered = indexes[0].key.clone();
    for (position, spec) in specs.into_iter().enumerate() {
        indexes.push(made(spec, position as u16 + 2, &clustered, columns));
    }
    indexes
}

/// The heap of a table without clustered index.
pub fn heap(columns: &[ColumnDef]) -> IndexDef {
    IndexDef::new(0, String::new(), IndexKind::Heap, false, Vec::new(), columns)
}

fn made(spec: IndexSpec, id: u16, clustered: &[KeyColumn], columns: &[ColumnDef]) -> IndexDef {
    let mut index = IndexDef::new(id, spec.name, spec.kind, spec.unique, spec.key, columns);
    if !index.holds_rows() {
        index = index.beside_rows(spec.included, clustered, columns);
    }
    index.constraint = spec.constraint;
    index.filter = spec.filter;
    index.options = spec.options;
    index
}

/// An index over other rows: the same specification with another clustered key.
pub fn remade(index: &IndexDef, clustered: &[KeyColumn], columns: &[ColumnDef]) -> IndexDef {
    let mut new = IndexDef::new(index.id, index.name.clone(), index.kind, index.unique, index.key.clone(), columns);
    if !new.holds_rows() {
        new = new.beside_rows(index.included.clone(), clustered, columns);
    }
    new.constraint = index.constraint;
    new.filter = index.filter.clone();
    new.options = index.options;
    new.disabled = index.disabled;
    new
}

fn add_index(def: &TableDef, spec: IndexSpec) -> SqlResult<Vec<IndexDef>> {
    if def.index(&spec.name).is_some() || def.statistics_object(&spec.name).is_some() {
        return Err(index_exists(&spec.name, &def.two_part_name()));
    }
    if spec.clustered {
        if let Some(known) = def.indexes.first().filter(|index| index.is_clustered()) {
            let kind = if def.is_view_rows() { "view" } else { "table" };
            return Err(SqlError::of(1902, 3, &[&kind, &def.two_part_name(), &known.name]));
        }
        let rows = made(spec, 1, &[], &def.columns);
        let key = rows.key.clone();
        let others = def.indexes.iter().skip(1).map(|index| remade(index, &key, &def.columns));
        return Ok(std::iter::once(rows).chain(others).collect());
    }
    let mut indexes = if def.indexes.is_empty() { vec![heap(&def.columns)] } else { def.indexes.clone() };
    let taken = |id: u16| indexes.iter().any(|index| index.id == id) || def.statistics.iter().any(|made| made.id == id);
    let id = (2..).find(|id| !taken(*id)).expect("indexes are few");
    let clustered = indexes[0].key.clone();
    indexes.push(made(spec, id, &clustered, &def.columns));
    Ok(indexes)
}

/// 8183 or 1764: what a constraint says of a column must be true of what is stored. `own`: the column with which the
/// constraint is written.
pub(crate) fn constrainable(
    table: &str,
    columns: &[ColumnDef],
    constrained: &[usize],
    own: Option<&str>,
    what: &str,
) -> SqlResult<()> {
    let is_open = |column: &&ColumnDef| column.computed.as_ref().is_some_and(|computed| !computed.persisted);
    let Some(column) = constrained.iter().map(|column| &columns[*column]).find(is_open) else { return Ok(()) };
    if own.is_some_and(|own| millpond_catalog::names_equal(own, &column.name)) {
        return Err(not_persisted());
    }
    Err(SqlError::of(1764, 1, &[&column.name, &table, &what]))
}

pub(crate) fn not_persisted() -> SqlError {
    SqlError::of(8183, 1, &[])
}
