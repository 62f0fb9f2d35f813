//! Places, names, and types as written.

use millpond_types::SqlType;

/// A place in the batch's text. Lines count from 1, as SQL Server's messages do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Byte offset of the first character.
    pub start: u32,
    /// Byte offset after the last character.
    pub end: u32,
    /// Line of the first character, from 1.
    pub line: u32,
}

/// A name as written, without brackets or quotes. Comparison of names is the binder's business.
pub type Ident = String;

/// `[[server.]database.][schema.]name`; missing parts are empty (`tempdb..#t` has an empty schema).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObjectName {
    /// 1 to 4 parts, outermost first.
    pub parts: Vec<Ident>,
}

impl ObjectName {
    /// What it names, without the schema, database and server before it.
    ///
    /// # Panics
    /// For a name without parts, which the parser does not make.
    #[must_use]
    pub fn last(&self) -> &Ident {
        self.parts.last().expect("a name has parts")
    }

    /// As messages show it: the parts as they are meant, with points between them.
    #[must_use]
    pub fn shown(&self) -> String {
        self.parts.join(".")
    }
}

/// A type as written: known scalar types are resolved, others keep their name (2715 is the binder's).
#[derive(Clone, Debug, PartialEq)]
pub enum DataType {
    /// A scalar type with all defaults applied for a *declaration* (`varchar` = 1); a CAST (where the default is 30)
    /// knows by the flag that no length was written.
    Scalar {
        /// The type.
        sql_type: SqlType,
        /// A length was written.
        explicit_length: bool,
    },
    /// Any other name.
    Named(ObjectName),
    /// `sysname`: nvarchar(128)
    SysName,
    /// `CURSOR`
    Cursor,
}
