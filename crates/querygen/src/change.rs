//! Changes of rows as parts of a case: the verb, and in which spelling. How they are checked is [`crate::dml`].

/// What changes rows, and in which spelling.
#[derive(Clone, Debug)]
pub struct Change {
    /// The verb.
    pub verb: Verb,
    /// Table that is changed.
    pub table: String,
    /// Its alias among the sources.
    pub alias: String,
    /// How the target is spelled.
    pub target: Target,
    /// Column that UPDATE and MERGE set, and its type.
    pub column: String,
    /// Type of the column.
    pub sql: String,
    /// As a procedure.
    pub in_procedure: bool,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `[sources, condition, value]`
    Delete,
    /// `[sources, condition, value]`
    Update,
    /// `[sources of the other side, ON, value, condition of MATCHED, condition of NOT MATCHED BY SOURCE]`
    Merge,
    /// `[query]`: SELECT INTO and INSERT … SELECT.
    Insert,
}

/// How DELETE and UPDATE name what they change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// `delete a from t as a …`
    Alias,
    /// `delete t from t as a …`: the only occurrence of the table.
    Table,
    /// `delete dbo.t from t as a …`
    Qualified,
    /// `delete from t where rid in (select …)`
    Subquery,
    /// `with c as (select * from t) delete a from c as a …`
    Expression,
}
