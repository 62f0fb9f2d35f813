//! What identifies objects: their numbers, and the schemas that their names are in.

use std::sync::Arc;

/// Number of an object in its database, as `sys.objects.object_id`; positive, 0 for a definition without a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub i32);

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

    /// Whether it is one of triggers that are of no table: no schema that a name can say.
    #[must_use]
    pub fn is_of_triggers(self) -> bool {
        self.0 < 0
    }
}

impl Schema {
    /// The name space of triggers of a database or of the server, which is no schema.
    #[must_use]
    pub fn of_triggers(of_server: bool) -> Schema {
        let id = if of_server { SchemaId::SERVER_TRIGGERS } else { SchemaId::DATABASE_TRIGGERS };
        Schema { id, name: Arc::default() }
    }

    /// The default schema.
    #[must_use]
    pub fn dbo() -> Schema {
        Schema { id: SchemaId::DBO, name: Arc::from("dbo") }
    }
}
