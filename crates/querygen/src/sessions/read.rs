//! Queries whose answer the model knows: by themselves, and as the bodies of modules.

/// A query.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields are named as the parts of the query")]
pub enum Read {
    /// Rows of a table with ids from and to.
    Rows { table: String, column: String, from: i64, to: i64 },
    /// How many rows a table has, and what their ids are.
    Count { table: String, column: String },
    /// Rows of a table beside those of another to which their column leads.
    Joined { table: String, column: String, other: String },
    /// For what an alias type stands.
    AliasType(String),
    /// Columns of a table type, and the type of the first.
    TableType(String),
}

impl Read {
    /// Its text.
    #[must_use]
    pub fn sql(&self) -> String {
        match self {
            Read::Rows { table, column, from, to } => {
                format!("select id, {column} as w from {table} where id between {from} and {to}")
            }
            Read::Count { table, column } => format!(
                "select count(*) as n, count({column}) as w, isnull(min(id), 0) as least, isnull(max(id), 0) as most from {table}"
            ),
            Read::Joined { table, column, other } => format!(
                "select a.id, b.id as other from {table} a join {other} b on try_cast(a.{column} as int) = b.id"
            ),
            Read::AliasType(name) => {
                format!(
                    "declare @y {name} = '7' select cast(sql_variant_property(@y, 'BaseType') as varchar(20)) as kind, @y as w"
                )
            }
            Read::TableType(name) => format!(
                "declare @w {name} insert @w (a) values ('7') \
                 select cast(sql_variant_property(a, 'BaseType') as varchar(20)) as kind, * from @w"
            ),
        }
    }

    /// As the body of an inline function over @from and @to.
    #[must_use]
    pub fn inline_sql(&self) -> String {
        match self {
            Read::Rows { table, column, .. } => {
                format!("select id, {column} as w from {table} where id between @from and @to")
            }
            _ => self.sql(),
        }
    }

    /// The same for other ids.
    #[must_use]
    pub fn of_ids(self, between: (i64, i64)) -> Read {
        match self {
            Read::Rows { table, column, .. } => Read::Rows { table, column, from: between.0, to: between.1 },
            other => other,
        }
    }

    /// It asks what a type is, not what is in tables.
    #[must_use]
    pub fn is_of_types(&self) -> bool {
        matches!(self, Read::AliasType(_) | Read::TableType(_))
    }
}

/// By what a query is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// Its own text.
    Text(Read),
    /// A view.
    View(String),
    /// An inline function, with ids from and to.
    Inline(String, (i64, i64)),
    /// A procedure.
    Procedure(String),
}

/// A query that was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// How.
    pub by: By,
    /// Rows that came; `None` when it is not known which should come.
    pub answer: Option<Vec<Vec<String>>>,
    /// What it meant: a module may have been changed while it was asked.
    pub meant: Vec<Read>,
}

impl Look {
    /// One that has no answer yet.
    #[must_use]
    pub fn new(by: By) -> Look {
        Look { by, answer: None, meant: Vec::new() }
    }

    /// Its text.
    #[must_use]
    pub fn sql(&self) -> String {
        match &self.by {
            By::Text(read) => read.sql(),
            By::View(name) => format!("select * from {name}"),
            By::Inline(name, (from, to)) => format!("select * from {name} ({from}, {to})"),
            By::Procedure(name) => format!("exec {name}"),
        }
    }
}
