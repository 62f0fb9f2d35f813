//! What a system view is to its readers: its columns, where its rows come from, and which columns lead to the objects that
//! they are of. The views themselves are above.
//!
//! What always holds: a view that is asked for some objects gives all of its rows that are of these, and may give more.

use std::fmt;

use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use crate::run::Run;
use crate::{SystemColumn, Within};

/// A view, procedure, function or base table of the server.
pub struct SystemObject {
    /// `object_id`
    pub id: i32,
    /// Name.
    pub name: &'static str,
    /// `schema_id`
    pub schema_id: i32,
    /// `type`, without blanks.
    pub kind: &'static str,
}

/// A system view.
pub struct ViewDef {
    /// `sys` or `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Name.
    pub name: &'static str,
    /// Columns in order.
    pub columns: &'static [SystemColumn],
    /// The columns that lead to the objects of its rows, the best first.
    pub led_by: Leads,
    /// Its rows.
    pub rows: &'static dyn ViewSource,
}

impl ViewDef {
    /// Whether it stands for a table or view of its database, which the server makes when it has rows for it, and which hides it then.
    #[must_use]
    pub fn gives_way_in(&self, database: DbId) -> bool {
        database == DbId::MSDB && self.schema == "dbo"
    }
}

impl fmt::Debug for ViewDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.schema, self.name)
    }
}

/// Where the rows of a view come from.
pub trait ViewSource: Sync {
    /// Present rows seen from that database, in the columns' order and types; at least those of the objects that are wanted.
    ///
    /// # Errors
    /// Those of a database that is not available.
    fn rows(&self, run: &dyn Run, within: Within<'_>) -> SqlResult<Vec<Vec<Value>>>;
}

/// Names of columns, and what they lead to.
pub type Leads = &'static [(&'static str, Lead)];

/// What a column of a view leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// It is the number of the object that the row is of, or of a constraint of it.
    Number,
    /// It is its name, or that of a constraint of it.
    Name,
    /// It is the number of the table that a constraint is of; 0 in the rows of what is none.
    Parent,
}

impl ViewDef {
    /// The columns that lead to the objects of its rows, the best first, by their position.
    #[must_use]
    pub fn leads(&self) -> Vec<(usize, Lead)> {
        let position = |name: &str| self.columns.iter().position(|column| column.name == name);
        self.led_by.iter().filter_map(|(name, lead)| Some((position(name)?, *lead))).collect()
    }
}
