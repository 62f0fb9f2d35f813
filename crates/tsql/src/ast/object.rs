//! Headers of procedures, functions, triggers and views; sequences, types; and what DROP may drop.

use super::dml::ExecuteContext;
use super::name::{DataType, Ident, ObjectName};
use super::option::NamedOption;
use super::query::{Expr, Query};
use super::table::TableDefinition;

/// How a module or other object is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionVerb {
    /// CREATE
    Create,
    /// ALTER
    Alter,
    /// CREATE OR ALTER
    CreateOrAlter,
}

/// `@name type [= default] [OUTPUT] [READONLY]`, of a procedure, a function or sp_executesql's list.
#[derive(Clone, Debug)]
pub struct ParameterDeclaration {
    /// With its `@`.
    pub name: Ident,
    /// Declared type.
    pub data_type: DataType,
    /// `NULL`/`NOT NULL` when written.
    pub nullable: Option<bool>,
    /// Default value; a bare word is a string literal.
    pub default: Option<Expr>,
    /// OUT or OUTPUT.
    pub output: bool,
    /// VARYING, of a cursor.
    pub varying: bool,
    /// READONLY, of a table type.
    pub readonly: bool,
}

/// One option of a module's WITH.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleOption {
    /// `EXECUTE AS …`
    ExecuteAs(ExecuteContext),
    /// `RETURNS NULL ON NULL INPUT`
    ReturnsNullOnNullInput,
    /// `CALLED ON NULL INPUT`
    CalledOnNullInput,
    /// `INLINE = ON|OFF`
    Inline(bool),
    /// Upper-case: `RECOMPILE`, `ENCRYPTION`, `SCHEMABINDING`, `NATIVE_COMPILATION`, `VIEW_METADATA`.
    Word(String),
}

/// A view.
#[derive(Clone, Debug)]
pub struct View {
    /// Column names, may be empty.
    pub columns: Vec<Ident>,
    /// Query.
    pub query: Query,
    /// WITH CHECK OPTION
    pub check_option: bool,
}

/// What a function returns.
#[derive(Clone, Debug)]
pub enum Returns {
    /// `RETURNS type`
    Scalar(DataType),
    /// `RETURNS TABLE`: the body is one query.
    Query,
    /// `RETURNS @t TABLE (…)`
    Table {
        /// With its `@`.
        variable: Ident,
        /// Columns and constraints.
        definition: Box<TableDefinition>,
    },
}

/// Head of a trigger.
#[derive(Clone, Debug)]
pub struct TriggerHead {
    /// ON
    pub target: TriggerTarget,
    /// INSTEAD OF; else AFTER or FOR.
    pub instead_of: bool,
    /// Upper-case: `INSERT`, `UPDATE`, `DELETE`, or an event of DDL such as `CREATE_TABLE`.
    pub events: Vec<String>,
    /// NOT FOR REPLICATION
    pub not_for_replication: bool,
}

/// What a trigger watches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerTarget {
    /// A table or view.
    Object(ObjectName),
    /// DATABASE
    Database,
    /// ALL SERVER
    Server,
}

/// `ENABLE|DISABLE TRIGGER name, …|ALL ON target`
#[derive(Clone, Debug)]
pub struct TriggerSwitch {
    /// ENABLE
    pub enable: bool,
    /// Triggers; `None` for ALL.
    pub triggers: Option<Vec<ObjectName>>,
    /// ON
    pub target: TriggerTarget,
}

/// `CREATE|ALTER SEQUENCE name [AS type] …`. What is not written is `None`.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// ALTER
    pub alter: bool,
    /// Name.
    pub name: ObjectName,
    /// AS
    pub data_type: Option<DataType>,
    /// START WITH
    pub start: Option<i128>,
    /// `RESTART [WITH n]` of ALTER
    pub restart: Option<Option<i128>>,
    /// INCREMENT BY
    pub increment: Option<i128>,
    /// `MINVALUE n`, NO MINVALUE
    pub min_value: Option<SequenceBound>,
    /// `MAXVALUE n`, NO MAXVALUE
    pub max_value: Option<SequenceBound>,
    /// CYCLE is true, NO CYCLE false.
    pub cycle: Option<bool>,
    /// `CACHE [n]`, NO CACHE
    pub cache: Option<SequenceCache>,
}

/// MINVALUE or MAXVALUE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceBound {
    /// The number.
    Value(i128),
    /// NO: the type's.
    None,
}

/// CACHE of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceCache {
    /// `CACHE n`, in numbers.
    Size(u32),
    /// CACHE without a number.
    Default,
    /// NO CACHE
    None,
}

/// `CREATE TYPE name …`
#[derive(Clone, Debug)]
pub struct CreateType {
    /// Name.
    pub name: ObjectName,
    /// What it is.
    pub kind: TypeKind,
}

/// Kinds of user type.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `FROM type [NULL|NOT NULL]`
    Alias {
        /// Base type.
        data_type: DataType,
        /// `NULL`/`NOT NULL` when written.
        nullable: Option<bool>,
    },
    /// `AS TABLE (…) [WITH (MEMORY_OPTIMIZED = ON)]`
    Table(TableDefinition),
}

/// `DROP kind [IF EXISTS] name, …` of everything but tables and indexes.
#[derive(Clone, Debug)]
pub struct DropObjects {
    /// Kind.
    pub kind: DropKind,
    /// IF EXISTS
    pub if_exists: bool,
    /// Names.
    pub names: Vec<ObjectName>,
    /// `ON DATABASE`, `ON ALL SERVER` after DROP TRIGGER
    pub on: Option<TriggerTarget>,
    /// `WITH …`
    pub options: Vec<NamedOption>,
}

/// Kinds of what DROP drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropKind {
    /// DATABASE
    Database,
    /// SCHEMA
    Schema,
    /// VIEW
    View,
    /// PROCEDURE
    Procedure,
    /// FUNCTION
    Function,
    /// TRIGGER
    Trigger,
    /// SEQUENCE
    Sequence,
    /// TYPE
    Type,
    /// SYNONYM
    Synonym,
    /// STATISTICS: `table.name`
    Statistics,
    /// DEFAULT
    Default,
    /// RULE
    Rule,
    /// USER
    User,
    /// LOGIN
    Login,
    /// ROLE
    Role,
    /// SERVER ROLE
    ServerRole,
    /// APPLICATION ROLE
    ApplicationRole,
    /// WORKLOAD GROUP
    WorkloadGroup,
    /// RESOURCE POOL
    ResourcePool,
    /// EXTERNAL RESOURCE POOL
    ExternalResourcePool,
}

/// What is made on its own and bound to columns and types later.
#[derive(Clone, Debug)]
pub struct CreateBound {
    /// Name.
    pub name: ObjectName,
    /// What it is.
    pub body: BoundBody,
}

/// A default or a rule.
#[derive(Clone, Debug)]
pub enum BoundBody {
    /// `CREATE DEFAULT name AS value`
    Default(Expr),
    /// `CREATE RULE name AS condition`
    Rule {
        /// Variables that the condition names, each once, as they were written first.
        variables: Vec<Ident>,
        /// Condition.
        condition: Expr,
    },
}

impl DropKind {
    /// The words after DROP.
    pub fn words(self) -> &'static str {
        match self {
            DropKind::Database => "DATABASE",
            DropKind::Schema => "SCHEMA",
            DropKind::View => "VIEW",
            DropKind::Procedure => "PROCEDURE",
            DropKind::Function => "FUNCTION",
            DropKind::Trigger => "TRIGGER",
            DropKind::Sequence => "SEQUENCE",
            DropKind::Type => "TYPE",
            DropKind::Synonym => "SYNONYM",
            DropKind::Statistics => "STATISTICS",
            DropKind::Default => "DEFAULT",
            DropKind::Rule => "RULE",
            DropKind::User => "USER",
            DropKind::Login => "LOGIN",
            DropKind::Role => "ROLE",
            DropKind::ServerRole => "SERVER ROLE",
            DropKind::ApplicationRole => "APPLICATION ROLE",
            DropKind::WorkloadGroup => "WORKLOAD GROUP",
            DropKind::ResourcePool => "RESOURCE POOL",
            DropKind::ExternalResourcePool => "EXTERNAL RESOURCE POOL",
        }
    }
}
