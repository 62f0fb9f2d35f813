//! The columns that names can mean within one query block.

use std::sync::Arc;

use millpond_catalog::expr::{BoundExpr, ExprType, Kind, Label};
use millpond_catalog::{ColumnDef, names_equal};
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use super::needs::NamedColumns;

/// A column in scope.
#[derive(Clone, Debug)]
pub(crate) struct ScopeColumn {
    /// Alias or name of its table; empty for a result without one.
    pub table: String,
    /// Database and schema of a table that has no alias: what a name of three parts says.
    pub place: Option<(DbId, Arc<str>)>,
    /// Name; empty columns cannot be named.
    pub name: String,
    /// Type.
    pub ty: ExprType,
    /// The Rid column: not part of `*`, not to be named.
    pub hidden: bool,
    /// Which of the names that no column is given mean it.
    pub role: Role,
    /// What the name means where it is not the value in the row.
    pub computed: Option<ReadAs>,
    /// The mention of an object that it is of, and its number there.
    pub mention: Option<(NamedColumns, i32)>,
}

/// What a column is to its table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// One of its columns.
    #[default]
    Plain,
    /// `$IDENTITY`, `IDENTITYCOL`
    Identity,
    /// `$ROWGUID`, `ROWGUIDCOL`
    RowGuid,
    /// The untyped NULL in all rows, shown as `int`: `(SELECT NULL AS p) AS v`. What has a type takes it.
    Untyped,
}

impl Role {
    /// The column's in a stored table.
    pub fn of(column: &ColumnDef) -> Role {
        match column {
            ColumnDef { identity: Some(_), .. } => Role::Identity,
            ColumnDef { is_row_guid: true, .. } => Role::RowGuid,
            _ => Role::Plain,
        }
    }

    /// What a name means that is not a column's own.
    pub fn of_name(name: &str) -> Option<Role> {
        let is = |words: [&str; 2]| words.iter().any(|word| word.eq_ignore_ascii_case(name));
        match () {
            () if is(["$IDENTITY", "IDENTITYCOL"]) => Some(Role::Identity),
            () if is(["$ROWGUID", "ROWGUIDCOL"]) => Some(Role::RowGuid),
            () => None,
        }
    }
}

/// A computed column that is of the statement which reads it, where the row has the stored value.
#[derive(Clone, Debug)]
pub(crate) struct ReadAs {
    /// Its place in its table.
    pub ordinal: usize,
    /// Over the columns of its table.
    pub expr: Arc<BoundExpr>,
}

impl ScopeColumn {
    /// Whether a name with that schema may mean the column.
    pub fn is_of(&self, schema: Option<&str>) -> bool {
        match (&self.place, schema) {
            (Some((_, own)), Some(schema)) => names_equal(own, schema),
            _ => true,
        }
    }
}

/// Columns of a block's input row, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub columns: Vec<ScopeColumn>,
    /// What FROM exposes, for 1013 and 107.
    pub tables: Vec<Exposed>,
    /// A count of its rows is bound: that is read before the first row, so no column may be named (4115).
    pub has_no_row: bool,
}

/// A name that FROM exposes.
#[derive(Clone, Debug)]
pub(crate) struct Exposed {
    /// Alias, or the table's own name.
    pub name: String,
    /// Of a table without an alias: two tables of one name in different schemas are two sources.
    pub place: Option<(DbId, Arc<str>)>,
}

impl Exposed {
    /// An alias.
    pub fn alias(name: &str) -> Exposed {
        Exposed { name: name.to_owned(), place: None }
    }
}

impl Scope {
    /// Position of a column, `None` when no column has the name.
    pub fn find(&self, schema: Option<&str>, table: Option<&str>, name: &str) -> SqlResult<Option<usize>> {
        let found = self.find_by(schema, table, (name, &|column| names_equal(&column.name, name)))?;
        match Role::of_name(name) {
            Some(role) if found.is_none() => self.find_by(schema, table, (name, &|column| column.role == role)),
            _ => Ok(found),
        }
    }

    fn find_by(
        &self,
        schema: Option<&str>,
        table: Option<&str>,
        (name, is_meant): (&str, &dyn Fn(&ScopeColumn) -> bool),
    ) -> SqlResult<Option<usize>> {
        let mut found = None;
        for (index, column) in self.columns.iter().enumerate() {
            let same_table = table.is_none_or(|table| names_equal(&column.table, table));
            if column.hidden || !same_table || !column.is_of(schema) || !is_meant(column) {
                continue;
            }
            if found.is_some() {
                return Err(message::ambiguous_column(name));
            }
            found = Some(index);
        }
        Ok(found)
    }

    /// The value of the column at `index`, read `level` scopes further in.
    pub fn value(&self, index: usize, level: usize) -> BoundExpr {
        let place = |column| if level == 0 { Kind::Column(column) } else { Kind::Outer { level, column } };
        let column = &self.columns[index];
        self.note_read(index);
        let mut ty = column.ty;
        if ty.label == Label::Explicit {
            ty.label = Label::Implicit;
        }
        let Some(ReadAs { ordinal, expr }) = &column.computed else { return BoundExpr { kind: place(index), ty } };
        let first = index - ordinal;
        let read = BoundExpr::clone(expr).rewrite(&mut |node| match node.kind {
            Kind::Column(column) => Ok(BoundExpr { kind: place(first + column), ty: node.ty }),
            _ => Err(node),
        });
        BoundExpr { ty, ..read }
    }

    /// The column is read: the right to it is needed.
    pub fn note_read(&self, index: usize) {
        if let Some((mention, number)) = self.columns.get(index).and_then(|column| column.mention.as_ref()) {
            mention.note(*number);
        }
    }

    /// Whether FROM has the alias.
    pub fn has_table(&self, table: &str) -> bool {
        self.tables.iter().any(|known| names_equal(&known.name, table))
    }

    /// A name that both expose.
    pub fn exposed_twice<'s>(&'s self, right: &'s Scope) -> Option<(&'s Exposed, &'s Exposed)> {
        let is_same = |one: &Exposed, other: &Exposed| {
            let apart = matches!((&one.place, &other.place), (Some((database, schema)), Some((db, other)))
                if database != db || !names_equal(schema, other));
            names_equal(&one.name, &other.name) && !apart
        };
        let named = right.tables.iter().filter(|table| !table.name.is_empty());
        let mut twice =
            named.filter_map(|table| Some((self.tables.iter().find(|known| is_same(known, table))?, table)));
        twice.next()
    }

    /// The scope of a table without an alias.
    pub fn placed(mut self, database: DbId, schema: &Arc<str>) -> Scope {
        let place = Some((database, Arc::clone(schema)));
        self.columns.iter_mut().for_each(|column| column.place.clone_from(&place));
        self.tables.iter_mut().for_each(|table| table.place.clone_from(&place));
        self
    }

    /// Both scopes side by side, as a join's row.
    pub fn join(mut self, right: Scope) -> Scope {
        self.columns.extend(right.columns);
        self.tables.extend(right.tables);
        self
    }
}
