//! What the three levels of an extended property mean: type and name of what is in the database, of what is in that, and of a part.
//!
//! What always holds: a level is looked for only within what the level before it names. What the session may not see is not found.
//!
//! It knows no properties.

use std::sync::Arc;

use millpond_catalog::dictionary::{PropertyClass, PropertyOwner};
use millpond_catalog::{CatalogObject, DatabaseObjects, ModuleKind, ObjectId, Schema, SchemaId, TableDef, names_equal};
use millpond_catalog::{IndexKind, UserTypeForm};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;

use crate::security::seen::SeenInDatabase;

/// A level: its type in capitals, and a name.
#[derive(Clone, Debug, Default)]
pub struct Level {
    pub kind: Option<String>,
    pub name: Option<String>,
}

/// The three of them.
pub type Levels = [Level; 3];

/// The levels of a call, by what it says of each: type and name.
pub fn levels_of(said: [(Option<String>, Option<String>); 3]) -> Levels {
    let level = |(kind, name): (Option<String>, Option<String>)| {
        let kind = kind.map(|kind| kind.trim().to_uppercase());
        Level { kind, name }
    };
    let mut levels = said.map(level);
    // A user was a schema once, and still is where something is in it.
    if levels[1].kind.is_some() && levels[0].kind.as_deref() == Some("USER") {
        levels[0].kind = Some("SCHEMA".to_owned());
    }
    levels
}

/// What a level has found.
pub struct Target {
    pub owner: PropertyOwner,
    pub name: String,
    within: Inner,
}

/// Where the next level is looked for.
enum Inner {
    Schema(SchemaId),
    Filegroup(i32),
    Object(CatalogObject),
    TableType(i32, Arc<TableDef>),
    Nothing,
}

/// Words that may be a type, of what this version has none of: by level.
const OF_NOTHING: [&[&str]; 3] = [
    &[
        "ASSEMBLY",
        "CONTRACT",
        "EVENT NOTIFICATION",
        "MESSAGE TYPE",
        "PLAN GUIDE",
        "REMOTE SERVICE BINDING",
        "ROUTE",
        "SERVICE",
    ],
    &["AGGREGATE", "QUEUE", "XML SCHEMA COLLECTION"],
    &["EVENT NOTIFICATION"],
];

/// What of a database is asked for.
pub struct Lookup<'a> {
    ctx: &'a RunContext,
    database: DbId,
    objects: Arc<DatabaseObjects>,
}

/// A type of a level that is none, or not there.
pub struct NoSuchLevel;

impl<'a> Lookup<'a> {
    /// In the database where the names of a call are looked for.
    pub fn of(ctx: &'a RunContext) -> SqlResult<Lookup<'a>> {
        let database = ctx.facts.database;
        Ok(Lookup { ctx, database, objects: inventory::definitions(ctx, database)? })
    }

    /// All that the last level with a type may mean: those of its name, or all where it has none.
    pub fn find(&self, levels: &Levels) -> SqlResult<Result<Vec<Target>, NoSuchLevel>> {
        let last = levels.iter().rposition(|level| level.kind.is_some() || level.name.is_some());
        let Some(last) = last else {
            let owner = PropertyOwner { class: PropertyClass::Database, major: 0, minor: 0 };
            return Ok(Ok(vec![Target { owner, name: String::new(), within: Inner::Nothing }]));
        };
        let mut within: Option<Target> = None;
        for (at, level) in levels.iter().enumerate().take(last + 1) {
            let Some(kind) = level.kind.as_deref() else { return Ok(Err(NoSuchLevel)) };
            let found = match (at, &within) {
                (0, _) => self.in_database(kind)?,
                (1, Some(outer)) => self.in_outer(kind, outer),
                (_, Some(outer)) => self.parts(kind, outer),
                // The level above has found nothing; its type still has to be one.
                (_, None) => Some(Vec::new()),
            };
            let Some(mut found) = found else { return Ok(Err(NoSuchLevel)) };
            if let Some(name) = &level.name {
                found.retain(|target| names_equal(&target.name, name));
            }
            if at == last {
                return Ok(Ok(found));
            }
            within = if level.name.is_some() { found.into_iter().next() } else { None };
            if within.is_none() {
                return Ok(Ok(Vec::new()));
            }
        }
        Ok(Ok(Vec::new()))
    }

    /// Level 0; `None` for a type that is none there.
    fn in_database(&self, kind: &str) -> SqlResult<Option<Vec<Target>>> {
        let spaces = self.objects.data_spaces();
        let plain = |class, major: i32, name: &str| target(class, (major, 0), name, Inner::Nothing);
        let is_of_users = |schema: &&Schema| !matches!(schema.id.0, 3 | 4);
        let schema =
            |schema: &Schema| target(PropertyClass::Schema, (schema.id.0, 0), &schema.name, Inner::Schema(schema.id));
        Ok(Some(match kind {
            "SCHEMA" => self.objects.schemas().filter(is_of_users).map(schema).collect(),
            "USER" => {
                let seen = SeenInDatabase::of(self.ctx, self.database)?;
                let all = seen.iter().flat_map(SeenInDatabase::principals);
                all.map(|one| plain(PropertyClass::Principal, one.id.0, &one.name)).collect()
            }
            "TYPE" => self.types(SchemaId::DBO, false),
            "TRIGGER" => {
                let own = Schema::of_triggers(false).id;
                let triggers = self.objects.triggers_of(ObjectId(0)).filter(|def| def.schema.id == own);
                triggers.map(|def| plain(PropertyClass::Object, def.id.0, &def.name)).collect()
            }
            "FILEGROUP" => {
                let groups = spaces.filegroups.iter();
                let found = |id: i32, name: &str| target(PropertyClass::DataSpace, (id, 0), name, Inner::Filegroup(id));
                groups.map(|group| found(group.id, &group.name)).collect()
            }
            "PARTITION SCHEME" => {
                let schemes = spaces.schemes.iter();
                schemes.map(|scheme| plain(PropertyClass::DataSpace, scheme.id, &scheme.name)).collect()
            }
            "PARTITION FUNCTION" => {
                let functions = spaces.functions.iter();
                functions.map(|found| plain(PropertyClass::PartitionFunction, found.id, &found.name)).collect()
            }
            kind if OF_NOTHING[0].contains(&kind) => Vec::new(),
            _ => return Ok(None),
        }))
    }

    /// Level 1
    fn in_outer(&self, kind: &str, outer: &Target) -> Option<Vec<Target>> {
        match outer.within {
            Inner::Schema(schema) => self.in_schema(kind, schema),
            Inner::Filegroup(group) if kind == "LOGICAL FILE NAME" => {
                let files = self.ctx.engine.instance().files(self.database).into_iter();
                let groups = &self.objects.data_spaces().files;
                let of_group = files.filter(|file| {
                    // Number 2 is the log's.
                    file.file.0 != 2 && groups.get(&file.file.0).copied().unwrap_or(1) == group
                });
                let found = |file: i32, name: &str| target(PropertyClass::File, (file, 0), name, Inner::Nothing);
                Some(of_group.map(|file| found(i32::from(file.file.0), &file.name)).collect())
            }
            _ => None,
        }
    }

    fn in_schema(&self, kind: &str, schema: SchemaId) -> Option<Vec<Target>> {
        let codes: &[&str] = match kind {
            "TABLE" => &["U"],
            "VIEW" => &["V"],
            "PROCEDURE" => &["P"],
            "FUNCTION" => &["FN", "IF", "TF"],
            "SEQUENCE" => &["SO"],
            "SYNONYM" => &["SN"],
            "DEFAULT" => &["D"],
            "RULE" => &["R"],
            "TYPE" => return Some(self.types(schema, false)),
            "TABLE_TYPE" => return Some(self.types(schema, true)),
            kind if OF_NOTHING[1].contains(&kind) => &[],
            _ => return None,
        };
        let is_it = |object: &&CatalogObject| object.schema().id == schema && codes.contains(&object.code());
        let found = |object: &CatalogObject| {
            let numbers = (object.id().0, 0);
            target(PropertyClass::Object, numbers, object.name(), Inner::Object(object.clone()))
        };
        Some(self.objects.iter().filter(is_it).map(found).collect())
    }

    fn types(&self, schema: SchemaId, of_tables: bool) -> Vec<Target> {
        let of_schema = self.objects.user_types().filter(|def| def.schema.id == schema);
        let found = of_schema.filter_map(|def| {
            let within = match &def.form {
                UserTypeForm::Table { def: table, .. } if of_tables => Inner::TableType(def.id, Arc::clone(table)),
                UserTypeForm::Alias { .. } if !of_tables => Inner::Nothing,
                _ => return None,
            };
            Some(target(PropertyClass::Type, (def.id, 0), &def.name, within))
        });
        found.collect()
    }

    /// Level 2
    fn parts(&self, kind: &str, outer: &Target) -> Option<Vec<Target>> {
        if OF_NOTHING[2].contains(&kind) {
            return Some(Vec::new());
        }
        let part = |class, numbers, name: &str| target(class, numbers, name, Inner::Nothing);
        if let Inner::TableType(id, def) = &outer.within {
            let columns = def.columns.iter();
            let columns = columns.map(|column| part(PropertyClass::TypeColumn, (*id, column.id), &column.name));
            return (kind == "COLUMN").then(|| columns.collect());
        }
        let Inner::Object(object) = &outer.within else { return None };
        let id = object.id();
        Some(match (kind, object) {
            ("COLUMN", CatalogObject::Table(..) | CatalogObject::Module(_)) => {
                object.columns().map(|(number, name)| part(PropertyClass::Object, (id.0, number), name)).collect()
            }
            ("TRIGGER", CatalogObject::Table(..) | CatalogObject::Module(_)) => {
                let triggers = self.objects.triggers_of(id);
                triggers.map(|def| part(PropertyClass::Object, (def.id.0, 0), &def.name)).collect()
            }
            ("INDEX", CatalogObject::Table(def, _)) => {
                let indexes = def.indexes.iter().filter(|index| index.kind != IndexKind::Heap);
                indexes.map(|index| part(PropertyClass::Index, (id.0, i32::from(index.id)), &index.name)).collect()
            }
            ("CONSTRAINT", CatalogObject::Table(def, _)) => {
                constraints(def).map(|(number, name)| part(PropertyClass::Object, (number.0, 0), name)).collect()
            }
            ("PARAMETER", CatalogObject::Module(def)) => {
                let shown =
                    millpond_names::describe::module_parameters(self.ctx, self.database, def).unwrap_or_default();
                // What a scalar function returns has number 0 and no name.
                let first = i32::from(def.kind != ModuleKind::ScalarFunction);
                let named = shown.iter().zip(first..).filter(|(parameter, _)| !parameter.name.is_empty());
                let parameter = |(shown, number): (&millpond_names::describe::ShownParameter, i32)| {
                    part(PropertyClass::Parameter, (id.0, number), &shown.name)
                };
                named.map(parameter).collect()
            }
            ("COLUMN" | "TRIGGER" | "INDEX" | "CONSTRAINT" | "PARAMETER", _) => Vec::new(),
            _ => return None,
        })
    }
}

fn target(class: PropertyClass, (major, minor): (i32, i32), name: &str, within: Inner) -> Target {
    Target { owner: PropertyOwner { class, major, minor }, name: name.to_owned(), within }
}

/// Numbers and names of a table's constraints.
fn constraints(def: &TableDef) -> impl Iterator<Item = (ObjectId, &str)> {
    let indexes = def.indexes.iter().map(|index| (index.constraint, index.name.as_str()));
    let keys = def.foreign_keys.iter().map(|key| (key.id, key.name.as_str()));
    let checks = def.checks.iter().filter(|check| check.is_constraint());
    let checks = checks.map(|check| (check.id, check.name.as_str()));
    let defaults = def.columns.iter().filter_map(|column| column.default.as_ref());
    let defaults = defaults.filter(|default| !default.is_bound());
    let defaults = defaults.map(|default| (default.id, default.name.as_str()));
    indexes.chain(keys).chain(checks).chain(defaults).filter(|(id, _)| id.0 != 0)
}
