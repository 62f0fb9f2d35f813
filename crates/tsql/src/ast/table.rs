//! Tables, constraints, indexes, statistics.

use super::name::{DataType, Ident, ObjectName, Span};
use super::option::NamedOption;
use super::query::Expr;

/// Columns and constraints of a table.
#[derive(Clone, Debug, Default)]
pub struct TableDefinition {
    /// In order.
    pub columns: Vec<ColumnDefinition>,
    /// PRIMARY KEY, UNIQUE, CHECK, FOREIGN KEY and INDEX clauses that stand between the columns.
    pub constraints: Vec<TableConstraint>,
    /// What stands after the closing parenthesis.
    pub options: TableOptions,
}

/// `ON …`, `TEXTIMAGE_ON …`, `FILESTREAM_ON …`, `WITH (…)` of a table.
#[derive(Clone, Debug, Default)]
pub struct TableOptions {
    /// ON
    pub on: Option<DataSpace>,
    /// TEXTIMAGE_ON
    pub textimage_on: Option<DataSpace>,
    /// FILESTREAM_ON
    pub filestream_on: Option<DataSpace>,
    /// `DATA_COMPRESSION = PAGE`, `MEMORY_OPTIMIZED = ON`, …
    pub with: Vec<NamedOption>,
}

/// A filegroup, or a partition scheme with its column. `[PRIMARY]` and `"default"` are names like others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataSpace {
    /// Name.
    pub name: Ident,
    /// Partitioning column.
    pub column: Option<Ident>,
}

/// One column.
#[derive(Clone, Debug)]
pub struct ColumnDefinition {
    /// NULL or NOT NULL is written twice.
    pub second_nullability: bool,
    /// Name.
    pub name: Ident,
    /// Type; `None` for a computed column.
    pub data_type: Option<DataType>,
    /// `NULL`/`NOT NULL` when written.
    pub nullable: Option<bool>,
    /// `DEFAULT expr`
    pub default: Option<Expr>,
    /// `CONSTRAINT name DEFAULT …`
    pub default_name: Option<Ident>,
    /// `DEFAULT … WITH VALUES`
    pub with_values: bool,
    /// DEFAULT is there twice: the binder refuses the column.
    pub second_default: bool,
    /// `IDENTITY(seed, increment)`
    pub identity: Option<(i64, i64)>,
    /// `IDENTITY … NOT FOR REPLICATION`
    pub not_for_replication: bool,
    /// `COLLATE name`
    pub collation: Option<Ident>,
    /// `AS expr`
    pub computed: Option<Expr>,
    /// `AS expr PERSISTED`
    pub persisted: bool,
    /// ROWGUIDCOL
    pub rowguidcol: bool,
    /// SPARSE
    pub sparse: bool,
    /// `MASKED WITH (FUNCTION = 'text')`
    pub mask: Option<String>,
    /// `PRIMARY KEY`, `UNIQUE`, `CHECK (…)`, `REFERENCES …` on the column.
    pub constraints: Vec<TableConstraint>,
    /// Where the column stands.
    pub span: Span,
}

/// A constraint or an index clause.
#[derive(Clone, Debug)]
pub struct TableConstraint {
    /// `CONSTRAINT name`
    pub name: Option<Ident>,
    /// What it is.
    pub kind: ConstraintKind,
    /// Where it stands.
    pub span: Span,
}

/// Kinds of constraint.
#[derive(Clone, Debug)]
pub enum ConstraintKind {
    /// `PRIMARY KEY …`
    PrimaryKey(KeyConstraint),
    /// `UNIQUE …`
    Unique(KeyConstraint),
    /// `CHECK [NOT FOR REPLICATION] (condition)`
    Check {
        /// Condition.
        condition: Expr,
        /// NOT FOR REPLICATION
        not_for_replication: bool,
    },
    /// `[FOREIGN KEY (a, b)] REFERENCES …`
    ForeignKey(ForeignKey),
    /// `DEFAULT value FOR column [WITH VALUES]`, which only ALTER TABLE … ADD has.
    Default {
        /// Value.
        value: Expr,
        /// Column.
        column: Ident,
        /// WITH VALUES
        with_values: bool,
    },
    /// `INDEX name …`
    Index(IndexDefinition),
}

/// CLUSTERED or NONCLUSTERED.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clustering {
    /// CLUSTERED
    Clustered,
    /// NONCLUSTERED
    NonClustered,
}

/// PRIMARY KEY or UNIQUE after its words.
#[derive(Clone, Debug)]
pub struct KeyConstraint {
    /// As written; without it a primary key is clustered unless another index is.
    pub clustering: Option<Clustering>,
    /// HASH, for a table in memory.
    pub hash: bool,
    /// `(a, b DESC)`; empty on a column: the column itself.
    pub columns: Vec<IndexColumn>,
    /// `WITH (…)`, `WITH FILLFACTOR = n`
    pub options: Vec<NamedOption>,
    /// ON
    pub on: Option<DataSpace>,
}

/// `column [ASC|DESC]`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexColumn {
    /// Name.
    pub name: Ident,
    /// DESC
    pub descending: bool,
}

/// A foreign key.
#[derive(Clone, Debug)]
pub struct ForeignKey {
    /// `FOREIGN KEY (a, b)`; empty on a column: the column itself.
    pub columns: Vec<Ident>,
    /// Referenced table.
    pub table: ObjectName,
    /// Referenced columns; empty: the table's primary key.
    pub referenced: Vec<Ident>,
    /// ON DELETE
    pub on_delete: ReferentialAction,
    /// ON UPDATE
    pub on_update: ReferentialAction,
    /// NOT FOR REPLICATION
    pub not_for_replication: bool,
}

/// What becomes of a row whose referenced row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ReferentialAction {
    /// NO ACTION, also when nothing is written.
    #[default]
    NoAction,
    /// CASCADE
    Cascade,
    /// SET NULL
    SetNull,
    /// SET DEFAULT
    SetDefault,
}

/// An index, whether inside CREATE TABLE or by CREATE INDEX.
#[derive(Clone, Debug)]
pub struct IndexDefinition {
    /// Name.
    pub name: Ident,
    /// UNIQUE
    pub unique: bool,
    /// As written; without it the index is nonclustered.
    pub clustering: Option<Clustering>,
    /// How it is built.
    pub structure: IndexStructure,
    /// Key columns; a clustered columnstore has none.
    pub columns: Vec<IndexColumn>,
    /// INCLUDE
    pub include: Vec<Ident>,
    /// WHERE
    pub filter: Option<Expr>,
    /// `WITH (…)`
    pub options: Vec<NamedOption>,
    /// ON
    pub on: Option<DataSpace>,
}

/// How an index is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IndexStructure {
    /// A tree of rows.
    #[default]
    Tree,
    /// HASH
    Hash,
    /// COLUMNSTORE
    ColumnStore,
}

/// `CREATE INDEX name ON table …`
#[derive(Clone, Debug)]
pub struct CreateIndex {
    /// Table or view.
    pub table: ObjectName,
    /// Index.
    pub index: IndexDefinition,
}

/// `ALTER INDEX name|ALL ON table …`
#[derive(Clone, Debug)]
pub struct AlterIndex {
    /// `None` for ALL.
    pub index: Option<Ident>,
    /// Table or view.
    pub table: ObjectName,
    /// What to do.
    pub action: AlterIndexAction,
}

/// Actions of ALTER INDEX.
#[derive(Clone, Debug)]
pub enum AlterIndexAction {
    /// `REBUILD [PARTITION = …] [WITH (…)]`
    Rebuild {
        /// PARTITION = n; `None` for ALL and when nothing is written.
        partition: Option<u32>,
        /// Options.
        options: Vec<NamedOption>,
    },
    /// `REORGANIZE [PARTITION = n] [WITH (…)]`
    Reorganize {
        /// PARTITION = n; `None` for ALL and when nothing is written.
        partition: Option<u32>,
        /// Options.
        options: Vec<NamedOption>,
    },
    /// DISABLE
    Disable,
    /// `SET (…)`
    Set(Vec<NamedOption>),
    /// `RESUME [WITH (…)]`, PAUSE, ABORT
    Resumable {
        /// The word, in upper case.
        word: &'static str,
        /// Options of RESUME.
        options: Vec<NamedOption>,
    },
}

/// One index of DROP INDEX, in either spelling.
#[derive(Clone, Debug)]
pub struct DropIndex {
    /// Index.
    pub index: Ident,
    /// Table or view.
    pub table: ObjectName,
    /// `WITH (…)`
    pub options: Vec<NamedOption>,
}

/// `ALTER TABLE name …`
#[derive(Clone, Debug)]
pub struct AlterTable {
    /// Table.
    pub table: ObjectName,
    /// What to do.
    pub action: AlterTableAction,
}

/// Actions of ALTER TABLE.
#[derive(Clone, Debug)]
pub enum AlterTableAction {
    /// `[WITH CHECK|NOCHECK] ADD column|constraint, …`
    Add {
        /// Columns and constraints; it has no options.
        definition: TableDefinition,
        /// WITH CHECK is true, WITH NOCHECK false.
        with_check: Option<bool>,
    },
    /// `DROP [COLUMN|CONSTRAINT] [IF EXISTS] name, …`
    Drop(Vec<TableDrop>),
    /// `ALTER COLUMN name type …`
    AlterColumn(AlterColumn),
    /// `ALTER COLUMN name ADD|DROP property`
    ColumnProperty {
        /// Column.
        column: Ident,
        /// ADD is true, DROP false.
        add: bool,
        /// Property.
        property: ColumnProperty,
    },
    /// `ALTER COLUMN name ADD MASKED WITH (FUNCTION = 'text')`, `DROP MASKED`
    ColumnMask {
        /// Column.
        column: Ident,
        /// The mask; `None` for DROP.
        mask: Option<String>,
    },
    /// `[WITH CHECK|NOCHECK] CHECK|NOCHECK CONSTRAINT ALL|name, …`
    Check {
        /// CHECK CONSTRAINT is true, NOCHECK CONSTRAINT false.
        enable: bool,
        /// WITH CHECK is true, WITH NOCHECK false.
        with_check: Option<bool>,
        /// Constraints; `None` for ALL.
        constraints: Option<Vec<Ident>>,
    },
    /// `ENABLE|DISABLE TRIGGER ALL|name, …`
    Trigger {
        /// ENABLE
        enable: bool,
        /// Triggers; `None` for ALL.
        triggers: Option<Vec<Ident>>,
    },
    /// `SET (LOCK_ESCALATION = …)`
    Set(Vec<NamedOption>),
    /// `REBUILD [PARTITION = …] [WITH (…)]`
    Rebuild {
        /// PARTITION = n; `None` for ALL and when nothing is written.
        partition: Option<u32>,
        /// Options.
        options: Vec<NamedOption>,
    },
    /// `SWITCH [PARTITION n] TO table [PARTITION n] [WITH (…)]`
    Switch {
        /// The partition that goes; `None` for all rows.
        from: Option<Expr>,
        /// The table that gets it.
        target: ObjectName,
        /// The partition that it becomes there.
        to: Option<Expr>,
        /// Options.
        options: Vec<NamedOption>,
    },
    /// `ENABLE|DISABLE CHANGE_TRACKING [WITH (…)]`
    ChangeTracking {
        /// ENABLE
        enable: bool,
        /// Options.
        options: Vec<NamedOption>,
    },
    /// `ALTER INDEX name REBUILD WITH (BUCKET_COUNT = n)` of a table in memory
    AlterIndex {
        /// Index.
        index: Ident,
        /// Options.
        options: Vec<NamedOption>,
    },
}

/// What ALTER TABLE … DROP drops.
#[derive(Clone, Debug)]
pub struct TableDrop {
    /// Kind; without a word it is a constraint.
    pub kind: TableDropKind,
    /// Name.
    pub name: Ident,
    /// IF EXISTS
    pub if_exists: bool,
    /// `WITH (…)` of a constraint
    pub options: Vec<NamedOption>,
}

/// Kinds of what ALTER TABLE … DROP drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableDropKind {
    /// COLUMN
    Column,
    /// CONSTRAINT
    Constraint,
    /// INDEX
    Index,
}

/// `ALTER COLUMN name type [COLLATE c] [NULL|NOT NULL] [SPARSE] [WITH (…)]`
#[derive(Clone, Debug)]
pub struct AlterColumn {
    /// Column.
    pub name: Ident,
    /// Its type from now on.
    pub data_type: DataType,
    /// COLLATE
    pub collation: Option<Ident>,
    /// `NULL`/`NOT NULL` when written.
    pub nullable: Option<bool>,
    /// SPARSE
    pub sparse: bool,
    /// `MASKED WITH (FUNCTION = 'text')`
    pub mask: Option<String>,
    /// `WITH (ONLINE = ON)`
    pub options: Vec<NamedOption>,
}

/// What ALTER COLUMN adds to a column or takes from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnProperty {
    /// ROWGUIDCOL
    RowGuidCol,
    /// PERSISTED
    Persisted,
    /// NOT FOR REPLICATION
    NotForReplication,
    /// SPARSE
    Sparse,
}

/// `CREATE STATISTICS name ON table (columns) [WHERE …] [WITH …]`
#[derive(Clone, Debug)]
pub struct CreateStatistics {
    /// Name.
    pub name: Ident,
    /// Table or view.
    pub table: ObjectName,
    /// Columns.
    pub columns: Vec<Ident>,
    /// WHERE
    pub filter: Option<Expr>,
    /// `FULLSCAN`, `SAMPLE 10 PERCENT`, `NORECOMPUTE`, …
    pub options: Vec<NamedOption>,
}

/// `UPDATE STATISTICS table [name | (name, …)] [WITH …]`
#[derive(Clone, Debug)]
pub struct UpdateStatistics {
    /// Table or view.
    pub table: ObjectName,
    /// Statistics or indexes; empty for all.
    pub names: Vec<Ident>,
    /// `FULLSCAN`, `SAMPLE 10 PERCENT`, `RESAMPLE`, `ALL`, …
    pub options: Vec<NamedOption>,
}
