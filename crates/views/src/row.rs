//! A row of a system view as a struct: its fields are the columns of the view, in order.
//!
//! What always holds: name, type and NULL of a column are made from its field and nowhere else, so a row has a value for each column
//! of its view, of the column's type, and NULL only where that may come. A field whose type is such a struct itself stands for all
//! columns of that one: `sys.tables` begins with those of `sys.objects`. Each row becomes values when it is added to [`Rows`], not
//! all of them at the end.
//!
//! ```text
//!   row! {
//!       struct Schemas {
//!           name: Sysname,
//!           schema_id: i32,
//!           principal_id: Option<i32>,
//!       }
//!   }
//!
//!   /// `sys.schemas`
//!   pub static SCHEMAS: ViewDef = view("sys", "schemas", &ViewRows(schemas));
//!
//!   fn schemas(ctx: &RunContext, within: Within<'_>) -> SqlResult<Rows<Schemas>> { … }
//! ```
//!
//! A struct is named as the first view that has its rows, a field as its column, upper case and all; a column whose name is a word of
//! Rust is a raw identifier (`r#type`). The types of fields are in [`columns`](super::columns).
//!
//! What has no such struct: the base tables, which have columns and no rows (`catalog::base_objects`), and the results of procedures
//! and DBCC commands, which are sent with their columns (`SystemCall::result`); those of some depend on arguments, as DBCC
//! SHOW_STATISTICS shows keys in the type of the user's column.

use std::marker::PhantomData;

use millpond_catalog::run::Run;
use millpond_catalog::system_view::{Leads, ViewDef, ViewSource};
use millpond_catalog::{SystemColumn, Within};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_types::{SqlType, Value};

/// What was found of a table; nothing where another session has dropped it since it was listed (208).
pub(crate) fn unless_gone<T>(found: SqlResult<T>) -> SqlResult<Option<T>> {
    match found {
        Err(error) if error.number == 208 => Ok(None),
        found => found.map(Some),
    }
}

/// A type that a column of a view may have.
pub(crate) trait Column {
    /// Its type in SQL.
    const SQL: SqlType;
    /// Whether NULL is one of its values.
    const NULLABLE: bool = false;

    /// The value as SQL has it.
    fn value(self) -> Value;
}

impl<T: Column> Column for Option<T> {
    const SQL: SqlType = T::SQL;
    const NULLABLE: bool = true;

    fn value(self) -> Value {
        self.map_or(Value::Null, T::value)
    }
}

/// What a field stands for: one column, or all those of a struct.
pub(crate) trait RowPart {
    /// The columns in order; the one of a field without a struct has the field's name, which its type does not know.
    const COLUMNS: &'static [SystemColumn];

    /// Adds the values in order.
    fn append(self, row: &mut Vec<Value>);
}

impl<T: Column> RowPart for T {
    const COLUMNS: &'static [SystemColumn] = &[SystemColumn { name: "", sql: T::SQL, nullable: T::NULLABLE }];

    fn append(self, row: &mut Vec<Value>) {
        row.push(self.value());
    }
}

/// Fields by name, with what each stands for.
pub(crate) type Fields = [(&'static str, &'static [SystemColumn])];

/// How many columns fields stand for.
pub(crate) const fn column_count(fields: &Fields) -> usize {
    let mut count = 0;
    let mut field = 0;
    while field < fields.len() {
        count += fields[field].1.len();
        field += 1;
    }
    count
}

/// The columns that fields stand for.
pub(crate) const fn columns_of<const N: usize>(fields: &Fields) -> [SystemColumn; N] {
    let mut all = [SystemColumn { name: "", sql: SqlType::Bit, nullable: false }; N];
    let (mut place, mut field) = (0, 0);
    while field < fields.len() {
        let (name, columns) = fields[field];
        let mut column = 0;
        while column < columns.len() {
            all[place] = columns[column];
            if all[place].name.is_empty() {
                all[place].name = without_raw(name);
            }
            place += 1;
            column += 1;
        }
        field += 1;
    }
    assert!(place == N, "N is the count of these columns");
    all
}

/// `type` of `r#type`.
const fn without_raw(name: &'static str) -> &'static str {
    let bytes = name.as_bytes();
    if bytes.len() > 2 && bytes[0] == b'r' && bytes[1] == b'#' { name.split_at(2).1 } else { name }
}

/// A struct that is the row of a view; see the top of this file.
macro_rules! row {
    ($(#[$meta:meta])* $vis:vis struct $row:ident {
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$meta])*
        // The names are those of columns.
        #[allow(non_snake_case)]
        $vis struct $row {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }

        impl $crate::row::RowPart for $row {
            const COLUMNS: &'static [millpond_catalog::SystemColumn] = {
                const FIELDS: &$crate::row::Fields =
                    &[$((stringify!($field), <$type as $crate::row::RowPart>::COLUMNS)),*];
                const COLUMNS: [millpond_catalog::SystemColumn; $crate::row::column_count(FIELDS)] =
                    $crate::row::columns_of(FIELDS);
                &COLUMNS
            };

            fn append(self, row: &mut Vec<millpond_types::Value>) {
                $($crate::row::RowPart::append(self.$field, row);)*
            }
        }
    };
}

pub(crate) use row;

/// The values of rows that are a struct each.
pub(crate) struct Rows<R> {
    values: Vec<Vec<Value>>,
    of: PhantomData<R>,
}

impl<R: RowPart> Rows<R> {
    /// No rows.
    pub(crate) fn new() -> Self {
        Self { values: Vec::new(), of: PhantomData }
    }

    /// One row.
    pub(crate) fn one(row: R) -> Self {
        [row].into_iter().collect()
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: R) {
        let mut values = Vec::with_capacity(R::COLUMNS.len());
        row.append(&mut values);
        self.values.push(values);
    }

    /// Adds the rows of another.
    pub(crate) fn append(&mut self, mut rows: Self) {
        self.values.append(&mut rows.values);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// All of them.
    pub(crate) fn into_values(self) -> Vec<Vec<Value>> {
        self.values
    }
}

impl<R: RowPart> Extend<R> for Rows<R> {
    fn extend<I: IntoIterator<Item = R>>(&mut self, rows: I) {
        let rows = rows.into_iter();
        self.values.reserve(rows.size_hint().0);
        rows.for_each(|row| self.push(row));
    }
}

impl<R: RowPart> FromIterator<R> for Rows<R> {
    fn from_iter<I: IntoIterator<Item = R>>(rows: I) -> Self {
        let mut all = Self::new();
        all.extend(rows);
        all
    }
}

/// The rows of a view by a function of this module.
pub(crate) struct ViewRows<R>(pub fn(&RunContext, Within<'_>) -> SqlResult<Rows<R>>);

impl<R: RowPart> ViewSource for ViewRows<R> {
    fn rows(&self, run: &dyn Run, within: Within<'_>) -> SqlResult<Vec<Vec<Value>>> {
        Ok((self.0)(RunContext::of(run), within)?.into_values())
    }
}

/// A view: its columns are those of its rows.
pub(crate) const fn view<R: RowPart>(schema: &'static str, name: &'static str, rows: &'static ViewRows<R>) -> ViewDef {
    led_view(schema, name, &[], rows)
}

/// A view whose rows are of objects that some columns lead to.
pub(crate) const fn led_view<R: RowPart>(
    schema: &'static str,
    name: &'static str,
    led_by: Leads,
    rows: &'static ViewRows<R>,
) -> ViewDef {
    ViewDef { schema, name, columns: R::COLUMNS, led_by, rows }
}

/// A table-valued function over a function that gives rows of a struct: its columns are theirs. `optional` says how many of the
/// parameters may be left out at the end.
macro_rules! table_function {
    ($schema:literal, $name:literal, [$($param:ty),*], optional $optional:literal, $row:ty, $rows:expr) => {
        millpond_builtin::TableFunctionDef {
            schema: $schema,
            name: $name,
            params: &[$(<$param as $crate::row::Column>::SQL),*],
            optional: $optional,
            columns: <$row as $crate::row::RowPart>::COLUMNS,
            rows: |run, args| {
                let rows: fn(
                    &millpond_engine::context::RunContext,
                    &[millpond_types::Value],
                ) -> millpond_message::error::SqlResult<$crate::row::Rows<$row>> = $rows;
                Ok(rows(millpond_engine::context::RunContext::of(run), args)?.into_values())
            },
        }
    };
}

pub(crate) use table_function;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Sysname, VarChar};

    row! {
        struct Inner {
            name: Sysname,
            r#type: Option<VarChar<2>>,
        }
    }

    row! {
        struct Outer {
            ID: i32,
            inner: Inner,
            is_last: Option<bool>,
        }
    }

    #[test]
    fn fields_are_columns_and_those_of_a_struct_stand_in_its_place() {
        let shown: Vec<_> = Outer::COLUMNS.iter().map(|column| (column.name, column.sql, column.nullable)).collect();
        let expected = [
            ("ID", SqlType::Int, false),
            ("name", SqlType::NVarChar { len: millpond_types::MaxLen::Limited(128) }, false),
            ("type", SqlType::varchar(2), true),
            ("is_last", SqlType::Bit, true),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_row_has_its_values_in_the_order_of_its_columns() {
        let inner = Inner { name: crate::columns::text("n"), r#type: None };
        let rows: Rows<Outer> = [Outer { ID: 7, inner, is_last: Some(true) }].into_iter().collect();
        assert_eq!(rows.into_values(), [[Value::Int(7), Value::str("n"), Value::Null, Value::Bit(true)]]);
    }
}
