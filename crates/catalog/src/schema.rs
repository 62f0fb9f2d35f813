//! What identifies objects: their numbers, and the schemas that their names are in.

use std::ops::RangeInclusive;
use std::sync::Arc;

/// Number of an object in its database, as `sys.objects.object_id`; positive, 0 for a definition without a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub i32);

impl ObjectId {
    /// Numbers of the server's own procedures that are written in T-SQL.
    pub const OF_SERVER_TEXTS: RangeInclusive<i32> = -599_999_999..=-100_000_000;

    /// Whether it is a procedure of the server that is written in T-SQL.
    #[must_use]
    pub fn is_server_text(self) -> bool {
        Self::OF_SERVER_TEXTS.contains(&self.0)
    }
}

/// Number of a schema in its database: 1 dbo, 2 guest, 3 INFORMATION_SCHEMA, 4 sys, others from 5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub i32);

impl SchemaId {
    /// The default schema of every user.
    pub const DBO: SchemaId = SchemaId(1);
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Number.
    pub id: SchemaId,
    /// Name.
    pub name: Arc<str>,
}

impl SchemaId {
    /// Where the triggers of a database are.
    const DATABASE_TRIGGERS: SchemaId = SchemaId(-1);
    /// Where those of the server are, in master.
    const SERVER_TRIGGERS: SchemaId = SchemaId(-2);

    /// The rows of an indexed view of a schema are the table of the view's name in another schema, so many below 0.
    const VIEW_ROWS: i32 = -1000;

    /// Whether it is one that no name can say: of triggers that are of no table, or of the rows of indexed views.
    #[must_use]
    pub fn is_hidden(self) -> bool {
        self.0 < 0
    }

    /// Where the rows of this schema's indexed views are.
    #[must_use]
    pub fn of_view_rows(self) -> SchemaId {
        SchemaId(SchemaId::VIEW_ROWS - self.0)
    }

    /// The schema of the views whose rows are here; none of any other schema.
    #[must_use]
    pub fn of_views(self) -> Option<SchemaId> {
        (self.0 < SchemaId::VIEW_ROWS).then_some(SchemaId(SchemaId::VIEW_ROWS - self.0))
    }
}

impl Schema {
    /// The name space of triggers of a database or of the server, which is no schema.
    #[must_use]
    pub fn of_triggers(of_server: bool) -> Schema {
        let id = if of_server { SchemaId::SERVER_TRIGGERS } else { SchemaId::DATABASE_TRIGGERS };
        Schema { id, name: Arc::default() }
    }

    /// Where the rows of this schema's indexed views are; it is shown as the schema of the views.
    #[must_use]
    pub fn of_view_rows(&self) -> Schema {
        Schema { id: self.id.of_view_rows(), name: Arc::clone(&self.name) }
    }

    /// The default schema.
    #[must_use]
    pub fn dbo() -> Schema {
        Schema { id: SchemaId::DBO, name: Arc::from("dbo") }
    }
}
