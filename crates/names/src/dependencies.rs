//! What the text of a module refers to: the tables, views, functions and procedures that it names, by the names as they are written and,
//! where there is such an object now, its number.
//!
//! What always holds: the names are the parser's, so nothing is bound and a text over objects that are not there has them too.
//! Temporary tables, variables, `inserted` and `deleted`, queries of WITH and objects of the server are no dependencies. It does
//! not know columns, nor what a constant that is run as a text names.

use std::sync::Arc;

use millpond_builtin::object_name;
use millpond_catalog::{DatabaseObjects, ModuleDef, ObjectId, SchemaId, UsedModule, names_equal};
use millpond_engine::context::RunContext;
use millpond_message::error::SqlResult;
use millpond_tsql::ParseOptions;
use millpond_tsql::ast::{Batch, Mentioned, ObjectName};

/// An object that a module refers to.
#[derive(Clone, Debug)]
pub struct Dependency {
    /// The name as it is written: server, database, schema and object, as far as they are.
    pub name: ObjectName,
    /// The object of this database; none where there is no such one, where it is in another one, and for a procedure without a
    /// schema, which is looked for when it is called.
    pub id: Option<ObjectId>,
    /// A procedure without a schema: whose it is depends on who calls.
    pub is_of_caller: bool,
    /// Its rows are read, or it is called.
    pub is_read: bool,
    /// Its rows are changed.
    pub is_changed: bool,
}

impl Dependency {
    /// A part of the name from its end: 0 the object, 1 the schema, 2 the database, 3 the server.
    #[must_use]
    pub fn part(&self, from_end: usize) -> Option<&str> {
        let at = self.name.parts.len().checked_sub(from_end + 1)?;
        self.name.parts.get(at).map(String::as_str).filter(|part| !part.is_empty())
    }
}

/// What a module refers to, each object once, in the order of its text; nothing of a text that cannot be read any more.
///
/// # Errors
/// Of a database that cannot be read.
pub fn dependencies(ctx: &RunContext, (database, def): &UsedModule) -> SqlResult<Vec<Dependency>> {
    let options = ParseOptions { quoted_identifier: def.quoted_identifier };
    let Ok(parsed) = ctx.engine.parsed().parse(&def.text, options) else { return Ok(Vec::new()) };
    let objects = ctx.engine.databases().dictionary(*database)?.catalog().objects();
    let own_name = ctx.engine.database_name(*database).unwrap_or_default();
    let mut found: Vec<Dependency> = Vec::new();
    for (name, of) in named(&parsed.text, &parsed.batch, def) {
        let one = one(&objects, (&own_name, def), name, of);
        let is_same = |known: &&mut Dependency| match (known.id, one.id) {
            (Some(known), Some(id)) => known == id,
            (None, None) => is_same_name(&known.name, &one.name),
            _ => false,
        };
        match found.iter_mut().find(is_same) {
            Some(known) => {
                known.is_read |= one.is_read;
                known.is_changed |= one.is_changed;
            }
            // An alias of a table in FROM, which is there already.
            None if of == Some(Mentioned::Changed) && one.id.is_none() && one.name.parts.len() == 1 => {}
            None => found.push(one),
        }
    }
    Ok(found)
}

fn is_same_name(one: &ObjectName, other: &ObjectName) -> bool {
    one.parts.len() == other.parts.len()
        && one.parts.iter().zip(&other.parts).all(|(part, other)| names_equal(part, other))
}

/// Names of tables in FROM, which are read, and of all else; without those that are no object's.
fn named(text: &str, batch: &Batch, def: &ModuleDef) -> Vec<(ObjectName, Option<Mentioned>)> {
    let queries: Vec<&str> = batch
        .mentions
        .iter()
        .filter(|mention| mention.of == Mentioned::Cte)
        .map(|cte| cte.name.last().as_str())
        .collect();
    let is_object = |name: &ObjectName| {
        let last = name.last();
        let stands_alone = name.parts.len() == 1;
        let is_own = stands_alone
            && (queries.iter().any(|query| names_equal(query, last))
                || def.kind == millpond_catalog::ModuleKind::Trigger
                    && ["inserted", "deleted"].iter().any(|table| names_equal(table, last)));
        let schema = name.parts.len().checked_sub(2).map(|at| name.parts[at].as_str());
        let is_of_server =
            schema.is_some_and(|schema| names_equal(schema, "sys") || names_equal(schema, "INFORMATION_SCHEMA"));
        !is_own && !is_of_server && !last.starts_with(['#', '@']) && !name.parts[0].starts_with('@')
    };
    let read = batch.relations.iter().filter_map(|span| object_name(text.get(span.start as usize..span.end as usize)?));
    let read = read.map(|name| (name, None));
    let other = batch.mentions.iter().filter(|mention| mention.of != Mentioned::Cte);
    let other = other.map(|mention| (mention.name.clone(), Some(mention.of)));
    read.chain(other).filter(|(name, _)| is_object(name)).collect()
}

fn one(
    objects: &DatabaseObjects,
    (database, def): (&str, &ModuleDef),
    name: ObjectName,
    of: Option<Mentioned>,
) -> Dependency {
    let is_changed = matches!(of, Some(Mentioned::Filled | Mentioned::Changed));
    let mut dependency = Dependency { name, id: None, is_of_caller: false, is_read: !is_changed, is_changed };
    dependency.is_of_caller = of == Some(Mentioned::Procedure) && dependency.part(1).is_none();
    let is_here = dependency.part(3).is_none() && dependency.part(2).is_none_or(|named| names_equal(named, database));
    if is_here && !dependency.is_of_caller {
        let last = dependency.part(0).unwrap_or_default();
        let find = |schema: SchemaId| objects.find(schema, last).map(|object| object.id());
        dependency.id = match dependency.part(1) {
            Some(schema) => objects.schema(schema).and_then(|schema| find(schema.id)),
            None => find(def.schema.id).or_else(|| find(SchemaId::DBO)),
        };
    }
    dependency
}

/// The modules of a database that refer to an object, with how.
///
/// # Errors
/// Of a database that cannot be read.
pub fn referring(
    ctx: &RunContext,
    modules: impl IntoIterator<Item = UsedModule>,
    object: ObjectId,
) -> SqlResult<Vec<(Arc<ModuleDef>, Dependency)>> {
    let mut found = Vec::new();
    for module in modules {
        let uses = dependencies(ctx, &module)?;
        found.extend(uses.into_iter().find(|one| one.id == Some(object)).map(|one| (module.1, one)));
    }
    Ok(found)
}
