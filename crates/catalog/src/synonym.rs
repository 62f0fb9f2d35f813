//! Synonyms: names of objects that stand for other names.

use millpond_tsql::ast::ObjectName;

use crate::schema::{ObjectId, Schema};

/// A synonym.
#[derive(Debug)]
pub struct SynonymDef {
    /// Number.
    pub id: ObjectId,
    /// Schema.
    pub schema: Schema,
    /// Name.
    pub name: String,
    /// What it stands for.
    pub base: ObjectName,
}
