//! Cursors.

use std::sync::Arc;

use super::name::{Ident, ObjectName};
use super::query::{Expr, Query};

/// A cursor's name, or the variable that holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CursorName {
    /// With its `@` when it is a variable.
    pub name: Ident,
    /// GLOBAL
    pub global: bool,
}

/// `DECLARE name [INSENSITIVE] [SCROLL] CURSOR …`
#[derive(Clone, Debug)]
pub struct DeclareCursor {
    /// Name.
    pub name: Ident,
    /// Definition.
    pub cursor: CursorDefinition,
}

/// `CURSOR [options] FOR query [FOR READ ONLY | UPDATE [OF a, b]]`
#[derive(Clone, Debug)]
pub struct CursorDefinition {
    /// Upper-case words before and after CURSOR: `INSENSITIVE`, `SCROLL`, `LOCAL`, `GLOBAL`, `FORWARD_ONLY`, `STATIC`,
    /// `KEYSET`, `DYNAMIC`, `FAST_FORWARD`, `READ_ONLY`, `SCROLL_LOCKS`, `OPTIMISTIC`, `TYPE_WARNING`.
    pub options: Vec<String>,
    /// Rows; the code that opens the cursor may have to bind them again when the text is gone.
    pub query: Arc<Query>,
    /// What it may change, when written.
    pub change: Option<CursorChange>,
}

/// The clause after a cursor's query.
#[derive(Clone, Debug)]
pub enum CursorChange {
    /// FOR READ ONLY
    ReadOnly,
    /// `FOR UPDATE [OF columns]`; empty for all columns.
    Update(Vec<ObjectName>),
}

/// `FETCH [direction FROM] cursor [INTO @a, @b]`
#[derive(Clone, Debug)]
pub struct Fetch {
    /// Which row.
    pub direction: FetchDirection,
    /// Cursor.
    pub cursor: CursorName,
    /// Variables; empty: the row goes to the client.
    pub into: Vec<Ident>,
}

/// Which row FETCH takes.
#[derive(Clone, Debug)]
pub enum FetchDirection {
    /// NEXT, also when nothing is written.
    Next,
    /// PRIOR
    Prior,
    /// FIRST
    First,
    /// LAST
    Last,
    /// `ABSOLUTE n`: a number or variable.
    Absolute(Expr),
    /// `RELATIVE n`: a number or variable.
    Relative(Expr),
}
