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

impl Schema {
    /// The default schema.
    #[must_use]
    pub fn dbo() -> Schema {
        Schema { id: SchemaId::DBO, name: Arc::from("dbo") }
    }
}
