//! Definitions of tables: names, columns, constraints, indexes, statistics, the record layout. What rows they hold is
//! another's business; the keys of indexes are made in `index`.

use std::sync::Arc;

use millpond_storage::contract::DbId;
use millpond_types::SqlType;
use millpond_types::row::RowLayout;

use crate::algebra::expr::{BoundExpr, Kind};
use crate::expr_type::ExprType;
use crate::mask::Mask;
use crate::name::{is_global_temporary, names_equal};
use crate::schema::{ObjectId, Schema};

/// A DEFAULT.
#[derive(Clone, Debug)]
pub struct DefaultDef {
    /// Constraint object, or the object that is bound to the column; 0 for a temporary table's.
    pub id: ObjectId,
    /// Name of the constraint; empty for a temporary table's, and for an object that is bound.
    pub name: String,
    /// The expression as written, with its parentheses.
    pub text: String,
    /// Bound, of the column's type; sees no columns.
    pub expr: BoundExpr,
}

impl DefaultDef {
    /// Whether it is an object that was bound to the column: no constraint of it.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.id.0 != 0 && self.name.is_empty()
    }
}

/// `AS expr`
#[derive(Clone, Debug)]
pub struct ComputedDef {
    /// The expression as written.
    pub text: String,
    /// Bound over the table's row, of the column's type.
    pub expr: BoundExpr,
    /// PERSISTED was written. The value is stored in either case where there is one, but readers compute those anew that
    /// do not depend on the row alone or may fail.
    pub persisted: bool,
}

/// A column of a stored table.
#[derive(Clone, Debug)]
pub struct ColumnDef {
    /// `sys.columns.column_id`: from 1, never given again after a column was dropped.
    pub id: i32,
    /// Name as declared.
    pub name: String,
    /// Type, nullability, collation.
    pub ty: ExprType,
    /// DEFAULT.
    pub default: Option<DefaultDef>,
    /// IDENTITY(seed, increment).
    pub identity: Option<(i64, i64)>,
    /// Computed column.
    pub computed: Option<ComputedDef>,
    /// The name of the alias type that it was declared with, `schema.name`; `sysname`, or that of a [`LargeType`].
    pub user_type: Option<String>,
    /// Made under ANSI_PADDING OFF: values lose their trailing blanks or zeros when they are stored.
    pub trims: bool,
    /// ROWGUIDCOL: `$ROWGUID` means it.
    pub is_row_guid: bool,
    /// SPARSE: shown, and stored as any column is.
    pub is_sparse: bool,
    /// IDENTITY … NOT FOR REPLICATION, which is shown.
    pub not_for_replication: bool,
    /// MASKED WITH (FUNCTION = …)
    pub mask: Option<Mask>,
}

impl ColumnDef {
    /// A plain column.
    #[must_use]
    pub fn new(id: i32, name: impl Into<String>, ty: ExprType) -> ColumnDef {
        ColumnDef {
            id,
            name: name.into(),
            // What is stored is a text like any other.
            ty: ExprType { is_json: false, ..ty },
            default: None,
            identity: None,
            computed: None,
            user_type: None,
            trims: false,
            is_row_guid: false,
            is_sparse: false,
            not_for_replication: false,
            mask: None,
        }
    }
}

impl ColumnDef {
    /// Whether each change of a row gives the column a new value.
    #[must_use]
    pub fn is_row_version(&self) -> bool {
        self.ty.sql == SqlType::RowVersion
    }

    /// The type that the catalog shows of it, where that is not its own.
    #[must_use]
    pub fn large_type(&self) -> Option<&'static LargeType> {
        let name = self.user_type.as_deref()?;
        LARGE_TYPES.iter().find(|ty| ty.name == name)
    }
}

/// `text`, `ntext` or `image`: kept and sent as `varchar(max)`, `nvarchar(max)` or `varbinary(max)`, and shown by its name, so that
/// who compares the catalog with what was declared finds no difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeType {
    /// Name.
    pub name: &'static str,
    /// `system_type_id` and `user_type_id`.
    pub id: u8,
    /// Characters or bytes at most.
    pub length: i32,
    /// Bytes at most.
    pub bytes: i32,
}

const LARGE_TYPES: [LargeType; 3] = [
    LargeType { name: "text", id: 35, length: i32::MAX, bytes: i32::MAX },
    LargeType { name: "ntext", id: 99, length: i32::MAX / 2, bytes: i32::MAX - 1 },
    LargeType { name: "image", id: 34, length: i32::MAX, bytes: i32::MAX },
];

impl LargeType {
    /// `max_length` of `sys.columns` and `sys.types`: that of a pointer.
    pub const MAX_LENGTH: i16 = 16;

    /// The one that is kept as that `(max)` type.
    #[must_use]
    pub fn kept_as(sql: &SqlType) -> Option<&'static LargeType> {
        let name = match sql {
            SqlType::VarChar { .. } => "text",
            SqlType::NVarChar { .. } => "ntext",
            SqlType::VarBinary { .. } => "image",
            _ => return None,
        };
        LARGE_TYPES.iter().find(|ty| sql.is_max() && ty.name == name)
    }

    /// Whether a `system_type_id` is that of one.
    #[must_use]
    pub fn has_id(id: u8) -> bool {
        LARGE_TYPES.iter().any(|ty| ty.id == id)
    }
}

/// A CHECK constraint, or a rule that is bound to a column.
#[derive(Clone, Debug)]
pub struct CheckDef {
    /// Constraint object; 0 for a temporary table's. That of a rule is a number of the binding, and no object.
    pub id: ObjectId,
    /// The rule that this is the condition of; 0 for a constraint.
    pub rule: ObjectId,
    /// Name; empty for a rule.
    pub name: String,
    /// The condition as written.
    pub text: String,
    /// Bound over the table's row.
    pub expr: BoundExpr,
    /// NOCHECK CONSTRAINT was said.
    pub disabled: bool,
    /// Rows from before it were not checked.
    pub not_trusted: bool,
    /// NOT FOR REPLICATION, which is shown.
    pub not_for_replication: bool,
}

impl CheckDef {
    /// Whether it is a constraint, and no rule.
    #[must_use]
    pub fn is_constraint(&self) -> bool {
        self.rule.0 == 0
    }

    /// Position of the column that the condition is of: the only one that it reads.
    #[must_use]
    pub fn column(&self) -> Option<usize> {
        let (mut only, mut others) = (None, false);
        self.expr.visit(&mut |node| {
            if let Kind::Column(column) = node.kind {
                others |= only.is_some_and(|only| only != column);
                only = Some(column);
            }
        });
        only.filter(|_| !others)
    }
}

/// What a change of the referenced row does to those that refer to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferentialAction {
    /// NO ACTION: 547
    #[default]
    NoAction,
    /// CASCADE
    Cascade,
    /// SET NULL
    SetNull,
    /// SET DEFAULT
    SetDefault,
}

/// A FOREIGN KEY, at the table that refers.
#[derive(Clone, Debug)]
pub struct ForeignKeyDef {
    /// Constraint object.
    pub id: ObjectId,
    /// Name.
    pub name: String,
    /// Positions of the referring columns in the table.
    pub columns: Vec<usize>,
    /// The table referred to, in the same database.
    pub referenced: ObjectId,
    /// `sys.columns.column_id` of the columns referred to, in the order of `columns`.
    pub referenced_columns: Vec<i32>,
    /// ON DELETE.
    pub on_delete: ReferentialAction,
    /// ON UPDATE.
    pub on_update: ReferentialAction,
    /// NOCHECK CONSTRAINT was said.
    pub disabled: bool,
    /// Rows from before it were not checked.
    pub not_trusted: bool,
    /// NOT FOR REPLICATION, which is shown.
    pub not_for_replication: bool,
}

/// Why there is an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexKind {
    /// The rows without order: index id 0.
    Heap,
    /// CREATE INDEX or an INDEX clause.
    Index,
    /// PRIMARY KEY
    PrimaryKey,
    /// UNIQUE
    Unique,
}

/// A key column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyColumn {
    /// Position in the table.
    pub column: usize,
    /// DESC
    pub descending: bool,
}

/// DATA_COMPRESSION of an index: what was said of it is shown, and rows are stored as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// NONE
    #[default]
    None,
    /// ROW
    Row,
    /// PAGE
    Page,
}

/// Options of WITH, kept for the views that show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexOptions {
    /// FILLFACTOR in percent, 0 = 100.
    pub fill_factor: u8,
    /// PAD_INDEX
    pub pad_index: bool,
    /// IGNORE_DUP_KEY: a duplicate is left out with message 3604 instead of an error.
    pub ignore_dup_key: bool,
    /// STATISTICS_NORECOMPUTE
    pub no_recompute: bool,
    /// ALLOW_ROW_LOCKS
    pub allow_row_locks: bool,
    /// ALLOW_PAGE_LOCKS
    pub allow_page_locks: bool,
    /// OPTIMIZE_FOR_SEQUENTIAL_KEY
    pub sequential_key: bool,
    /// DATA_COMPRESSION
    pub compression: Compression,
    /// XML_COMPRESSION
    pub xml_compression: bool,
    /// BUCKET_COUNT of a HASH index, rounded up to a power of two.
    pub bucket_count: Option<u32>,
}

impl Default for IndexOptions {
    fn default() -> IndexOptions {
        IndexOptions {
            fill_factor: 0,
            pad_index: false,
            ignore_dup_key: false,
            no_recompute: false,
            allow_row_locks: true,
            allow_page_locks: true,
            sequential_key: false,
            compression: Compression::None,
            xml_compression: false,
            bucket_count: None,
        }
    }
}

/// An index, or the heap of a table without clustered index.
#[derive(Clone, Debug)]
pub struct IndexDef {
    /// `sys.indexes.index_id`: 0 heap, 1 clustered, others from 2.
    pub id: u16,
    /// Name; empty for a heap.
    pub name: String,
    /// Why it is there.
    pub kind: IndexKind,
    /// Constraint object of PRIMARY KEY and UNIQUE; 0 without.
    pub constraint: ObjectId,
    /// No two rows have equal keys.
    pub unique: bool,
    /// Key columns in order; none for a heap.
    pub key: Vec<KeyColumn>,
    /// INCLUDE columns.
    pub included: Vec<usize>,
    /// WHERE of a filtered index: as written, and bound over the table's row.
    pub filter: Option<(String, BoundExpr)>,
    /// Options.
    pub options: IndexOptions,
    /// ALTER INDEX … DISABLE
    pub disabled: bool,
    /// The version of the collations' rules by which its keys were made ([`millpond_types::collation::SORT_KEYS`]); the
    /// present one where no key depends on them.
    pub sort_keys: u16,
    /// Some rows' keys may have more than [`IndexDef::key_bytes_max`].
    pub may_exceed: bool,
    /// Columns of the table that the payload of the leaf has, in order; all of them for the tree of the rows.
    pub stored: Vec<usize>,
    /// Layout of `stored`.
    pub layout: RowLayout,
}

/// Statistics of a table that are no index's.
#[derive(Clone, Debug)]
pub struct StatisticsDef {
    /// `sys.stats.stats_id`: a number that no index of the table has.
    pub id: u16,
    /// Name.
    pub name: String,
    /// `column_id` of the columns in order.
    pub columns: Vec<i32>,
    /// NORECOMPUTE: they stay as they are until UPDATE STATISTICS.
    pub no_recompute: bool,
    /// WHERE as written, and bound over the table's row: only rows that it is true of are counted.
    pub filter: Option<Arc<(String, BoundExpr)>>,
}

/// How a table's rows are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableStorage {
    /// A heap of tempdb: temporary tables without indexes.
    TempHeap,
    /// Trees: the first of the table's indexes holds the rows, the others lead to them.
    Trees,
}

/// Where a table is named: `database.schema.name`.
#[derive(Clone, Debug)]
pub struct TableName {
    /// Database.
    pub database: DbId,
    /// Its name.
    pub database_name: Arc<str>,
    /// Schema.
    pub schema: Schema,
    /// Name as declared: `t`, `#t`, `@t`.
    pub name: String,
}

impl TableName {
    /// A temporary table's or table variable's.
    #[must_use]
    pub fn temporary(name: impl Into<String>) -> TableName {
        TableName {
            database: DbId::TEMPDB,
            database_name: Arc::from("tempdb"),
            schema: Schema::dbo(),
            name: name.into(),
        }
    }
}

/// A table's definition; immutable, shared by plans. Two temporary tables made by one statement share one definition.
#[derive(Debug)]
pub struct TableDef {
    /// Number; 0 for a temporary table, whose number is its heap's.
    pub id: ObjectId,
    /// Database of the table.
    pub database: DbId,
    /// Its name.
    pub database_name: Arc<str>,
    /// Schema.
    pub schema: Schema,
    /// Name as declared: `t`, `#t`, `@t`.
    pub name: String,
    /// Columns in order.
    pub columns: Vec<ColumnDef>,
    /// CHECK constraints over the row.
    pub checks: Vec<CheckDef>,
    /// FOREIGN KEY constraints of this table.
    pub foreign_keys: Vec<ForeignKeyDef>,
    /// With [`TableStorage::Trees`] the first is the tree of the rows (index id 0 or 1); without, there is none.
    pub indexes: Vec<IndexDef>,
    /// What CREATE STATISTICS made, in order of their numbers.
    pub statistics: Vec<StatisticsDef>,
    /// Record layout of the columns.
    pub layout: RowLayout,
    /// How the rows are kept.
    pub storage: TableStorage,
    /// MEMORY_OPTIMIZED = ON: the entries of the indexes are in memory alone.
    pub in_memory: bool,
    /// LOCK_ESCALATION
    pub escalation: LockEscalation,
    /// What `sp_tableoption` has said.
    pub options: TableOptions,
    /// Numbers of the tables that are the rows of indexed views over this one: a change of its rows changes theirs.
    pub views: Vec<ObjectId>,
}

/// Options that `sp_tableoption` sets. They are kept and shown; nothing heeds them, for a large value lies in its row or
/// beside it by its length alone, and a bulk load takes the locks that it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableOptions {
    /// `table lock on bulk load`
    pub lock_on_bulk_load: bool,
    /// `large value types out of row`
    pub large_out_of_row: bool,
    /// `vardecimal storage format`
    pub vardecimal: bool,
    /// `text in row`: bytes, 24 to 7,000; 0 for off.
    pub text_in_row: u16,
}

impl TableOptions {
    /// As a number of sixteen bits: three flags, then the bytes of `text in row`.
    #[must_use]
    pub fn bits(self) -> i32 {
        i32::from(self.lock_on_bulk_load)
            | i32::from(self.large_out_of_row) << 1
            | i32::from(self.vardecimal) << 2
            | i32::from(self.text_in_row) << 3
    }

    /// The options of [`TableOptions::bits`].
    #[must_use]
    pub fn of_bits(bits: i32) -> TableOptions {
        TableOptions {
            lock_on_bulk_load: bits & 1 != 0,
            large_out_of_row: bits & 2 != 0,
            vardecimal: bits & 4 != 0,
            text_in_row: (bits >> 3 & 0x1FFF) as u16,
        }
    }
}

/// What many row locks of a table become: its number is that of `sys.tables.lock_escalation`, and is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockEscalation {
    /// One lock of the table.
    #[default]
    Table = 0,
    /// They stay what they are.
    Disable = 1,
    /// One lock of the partition; a table that is not partitioned is locked as with TABLE.
    Auto = 2,
}

impl LockEscalation {
    /// All, by their numbers.
    pub const ALL: [LockEscalation; 3] = [LockEscalation::Table, LockEscalation::Disable, LockEscalation::Auto];

    /// As T-SQL and `sys.tables.lock_escalation_desc` call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LockEscalation::Table => "TABLE",
            LockEscalation::Disable => "DISABLE",
            LockEscalation::Auto => "AUTO",
        }
    }
}

/// Objects that a table's expressions need, each with the name of what needs it.
#[derive(Clone, Debug, Default)]
pub struct TableUses {
    /// Functions.
    pub functions: Vec<((DbId, ObjectId), String)>,
    /// Sequences.
    pub sequences: Vec<((DbId, ObjectId), String)>,
}

impl TableUses {
    fn add(&mut self, expr: &BoundExpr, user: &str) {
        expr.visit(&mut |node| match &node.kind {
            Kind::Call(function, _) => {
                if let Some((database, def)) = function.uses.first() {
                    self.functions.push(((*database, def.id), user.to_owned()));
                }
            }
            Kind::NextValue(sequence) => self.sequences.push(((sequence.database, sequence.id), user.to_owned())),
            _ => {}
        });
    }
}

/// The columns whose values a masked column has: those that its mask names, else itself. A temporary table's own are its owner's.
pub fn mask_sources(def: &TableDef, id: i32, mask: &Mask) -> impl Iterator<Item = (DbId, ObjectId, i32)> {
    let own = (mask.of.is_empty() && !def.is_temporary()).then_some((def.database, def.id, id));
    mask.of.iter().copied().chain(own)
}

/// Whether a table has masked columns.
#[must_use]
pub fn has_masks(def: &TableDef) -> bool {
    def.columns.iter().any(|column| column.mask.is_some())
}

impl TableDef {
    /// A temporary table's definition without indexes.
    #[must_use]
    pub fn new(name: String, columns: Vec<ColumnDef>, checks: Vec<CheckDef>) -> TableDef {
        TableDef::assemble(ObjectId(0), TableName::temporary(name), columns, checks, Vec::new(), Vec::new())
    }

    /// A definition of its parts, with its layout, without statistics of its own. With indexes the rows are kept in trees.
    #[must_use]
    pub fn assemble(
        id: ObjectId,
        name: TableName,
        columns: Vec<ColumnDef>,
        checks: Vec<CheckDef>,
        foreign_keys: Vec<ForeignKeyDef>,
        indexes: Vec<IndexDef>,
    ) -> TableDef {
        let types: Vec<SqlType> = columns.iter().map(|column| column.ty.sql).collect();
        let storage = if indexes.is_empty() { TableStorage::TempHeap } else { TableStorage::Trees };
        let TableName { database, database_name, schema, name } = name;
        TableDef {
            id,
            database,
            database_name,
            schema,
            name,
            columns,
            checks,
            foreign_keys,
            indexes,
            statistics: Vec::new(),
            layout: RowLayout::new(&types),
            storage,
            in_memory: false,
            escalation: LockEscalation::default(),
            options: TableOptions::default(),
            views: Vec::new(),
        }
    }

    /// This definition with what is said of `old` beside its parts: statistics, escalation of locks, options, indexed views over it.
    #[must_use]
    pub fn like(self, old: &TableDef) -> TableDef {
        let (statistics, views) = (old.statistics.clone(), old.views.clone());
        TableDef { statistics, escalation: old.escalation, options: old.options, views, ..self }
    }

    /// Whether it is the rows of an indexed view.
    #[must_use]
    pub fn is_view_rows(&self) -> bool {
        self.schema.id.of_views().is_some()
    }

    /// Whether rows must have the value of a computed column: an index has it, or a constraint looks at it.
    #[must_use]
    pub fn is_needed_in_rows(&self, column: usize) -> bool {
        let mut needed = self.foreign_keys.iter().any(|key| key.columns.contains(&column));
        for index in &self.indexes {
            needed |= index.key.iter().any(|part| part.column == column) || index.included.contains(&column);
        }
        let conditions = self.checks.iter().map(|check| &check.expr);
        let filters = self.indexes.iter().filter_map(|index| index.filter.as_ref().map(|(_, filter)| filter));
        conditions.chain(filters).for_each(|condition| {
            condition.visit(&mut |node| needed |= matches!(node.kind, Kind::Column(read) if read == column));
        });
        needed
    }

    /// What the expressions of columns and constraints need of other objects, with what needs it: a constraint, or the
    /// table for a computed column.
    #[must_use]
    pub fn uses(&self) -> TableUses {
        let mut uses = TableUses::default();
        for column in &self.columns {
            if let Some(default) = &column.default {
                uses.add(&default.expr, &default.name);
            }
            if let Some(computed) = &column.computed {
                uses.add(&computed.expr, &self.name);
            }
        }
        self.checks.iter().for_each(|check| uses.add(&check.expr, &check.name));
        uses
    }

    /// Places of the CHECKs that a change of these columns can break: those that read one of them, a computed column over
    /// one of them, or the rowversion, which every change sets. The others stay as they were, whether the row keeps them
    /// or was there before them (WITH NOCHECK).
    #[must_use]
    pub fn checks_of_change(&self, columns: &[usize]) -> Box<[usize]> {
        if self.checks.is_empty() {
            return Box::default();
        }
        let mut changes: Vec<bool> = self.columns.iter().map(ColumnDef::is_row_version).collect();
        columns.iter().for_each(|column| changes[*column] = true);
        let reads = |expr: &BoundExpr, changes: &[bool]| {
            let mut found = false;
            expr.visit(&mut |node| found |= matches!(node.kind, Kind::Column(column) if changes[column]));
            found
        };
        for (index, column) in self.columns.iter().enumerate() {
            changes[index] |= column.computed.as_ref().is_some_and(|computed| reads(&computed.expr, &changes));
        }
        let broken = self.checks.iter().enumerate().filter(|(_, check)| reads(&check.expr, &changes));
        broken.map(|(place, _)| place).collect()
    }

    /// What identifies a row: its Rid in a heap of tempdb, else its key in the tree of the rows.
    #[must_use]
    pub fn locator_type(&self) -> ExprType {
        let sql = match self.storage {
            TableStorage::TempHeap => SqlType::BigInt,
            TableStorage::Trees => SqlType::VarBinary { len: millpond_types::MaxLen::Limited(8000) },
        };
        ExprType::plain(sql, false)
    }

    /// Position of a column by name, case-insensitively.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| names_equal(&column.name, name))
    }

    /// Position of a column by its number.
    #[must_use]
    pub fn column_by_id(&self, id: i32) -> Option<usize> {
        self.columns.iter().position(|column| column.id == id)
    }

    /// Position of the identity column.
    #[must_use]
    pub fn identity_column(&self) -> Option<usize> {
        self.columns.iter().position(|column| column.identity.is_some())
    }

    /// `column_id` of the identity column.
    #[must_use]
    pub fn identity_id(&self) -> Option<i32> {
        self.columns.iter().find(|column| column.identity.is_some()).map(|column| column.id)
    }

    /// Whether it is a temporary table of its session, or a table variable: in no catalog, and locked by none.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.name.starts_with(['#', '@']) && !self.is_global_temporary()
    }

    /// Whether it is a temporary table that all sessions see.
    #[must_use]
    pub fn is_global_temporary(&self) -> bool {
        is_global_temporary(&self.name)
    }

    /// Whether a statement may use it without a permission: a temporary table of whatever kind.
    #[must_use]
    pub fn is_open_to_all(&self) -> bool {
        self.name.starts_with(['#', '@'])
    }

    /// `schema.name`
    #[must_use]
    pub fn two_part_name(&self) -> String {
        format!("{}.{}", self.schema.name, self.name)
    }

    /// As 515 names the table: `database.schema.name`, a table variable by its own name.
    #[must_use]
    pub fn null_name(&self) -> String {
        if self.name.starts_with('@') { self.name.clone() } else { self.full_name() }
    }

    /// `database.schema.name`
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}.{}", self.database_name, self.schema.name, self.name)
    }
}
