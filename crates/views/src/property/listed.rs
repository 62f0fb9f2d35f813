//! `sys.extended_properties` and `fn_listextendedproperty`.

use std::collections::HashMap;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::dictionary::{Property, PropertyClass, PropertyOwner, all_properties};
use millpond_catalog::system_view::ViewDef;
use millpond_catalog::{DatabaseObjects, ObjectId, SchemaId, Within, names_equal};
use millpond_engine::context::RunContext;
use millpond_engine::inventory;
use millpond_message::error::SqlResult;
use millpond_storage::contract::DbId;
use millpond_types::Value;

use super::target::{Lookup, Target, levels_of};
use crate::columns::{NVarChar, Sysname, VarChar, Variant, text};
use crate::row::{Rows, ViewRows, row, table_function, view};
use crate::security::seen::SeenInDatabase;

row! {
    /// A row of `sys.extended_properties`.
    struct ExtendedProperties {
        class: u8,
        class_desc: Option<NVarChar<60>>,
        major_id: i32,
        minor_id: i32,
        name: Sysname,
        value: Option<Variant>,
    }
}

/// `sys.extended_properties`
pub(crate) static EXTENDED_PROPERTIES: ViewDef = view("sys", "extended_properties", &ViewRows(properties));

row! {
    /// A row of `fn_listextendedproperty`.
    struct FnListextendedproperty {
        objtype: Option<Sysname>,
        objname: Option<Sysname>,
        name: Sysname,
        value: Option<Variant>,
    }
}

/// `fn_listextendedproperty (name, type and name of three levels)`
pub(crate) static FN_LISTEXTENDEDPROPERTY: TableFunctionDef = table_function!(
    "",
    "fn_listextendedproperty",
    [Sysname, VarChar<128>, Sysname, VarChar<128>, Sysname, VarChar<128>, Sysname],
    optional 0,
    FnListextendedproperty,
    listed
);

fn read(ctx: &RunContext, database: DbId) -> SqlResult<Vec<Property>> {
    let databases = ctx.engine.databases();
    let dictionary = databases.dictionary(database)?;
    databases.on_own_account(|io| all_properties(&dictionary, io))
}

fn properties(ctx: &RunContext, within: Within<'_>) -> SqlResult<Rows<ExtendedProperties>> {
    let all = read(ctx, within.database)?;
    if all.is_empty() {
        return Ok(Rows::new());
    }
    let objects = inventory::definitions(ctx, within)?;
    let seen = SeenInDatabase::of(ctx, within.database)?;
    let row = |property: Property| ExtendedProperties {
        class: property.owner.class as u8,
        class_desc: Some(text(property.owner.class.name())),
        major_id: property.owner.major,
        minor_id: property.owner.minor,
        name: text(&property.name),
        value: Some(Variant(property.value)),
    };
    let visible = all.into_iter().filter(|property| sees(&objects, seen.as_ref(), property.owner));
    Ok(visible.map(row).collect())
}

/// Whether what has a property is among what the session may see.
fn sees(objects: &DatabaseObjects, seen: Option<&SeenInDatabase>, owner: PropertyOwner) -> bool {
    let major = owner.major;
    match owner.class {
        PropertyClass::Object | PropertyClass::Parameter | PropertyClass::Index => {
            let object = ObjectId(major);
            objects.get(object).is_some() || objects.owner(object).is_some()
        }
        PropertyClass::Schema => objects.schema_by_id(SchemaId(major)).is_some(),
        PropertyClass::Type | PropertyClass::TypeColumn => objects.user_type_by_id(major).is_some(),
        PropertyClass::Principal => seen.is_some_and(|seen| seen.principals().any(|principal| principal.id.0 == major)),
        PropertyClass::Database | PropertyClass::DataSpace | PropertyClass::PartitionFunction | PropertyClass::File => {
            true
        }
    }
}

fn listed(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<FnListextendedproperty>> {
    let said = |at: usize| args.get(at).and_then(Value::as_str).map(str::to_owned);
    let levels = levels_of([(said(1), said(2)), (said(3), said(4)), (said(5), said(6))]);
    let kind = levels.iter().rev().find_map(|level| level.kind.clone());
    let Ok(targets) = Lookup::of(ctx)?.find(&levels)? else { return Ok(Rows::new()) };
    let targets: HashMap<(u8, i32, i32), Target> = targets
        .into_iter()
        .map(|target| ((target.owner.class as u8, target.owner.major, target.owner.minor), target))
        .collect();
    let name = said(0);
    let mut rows = Rows::new();
    for property in read(ctx, ctx.facts.database)? {
        let owner = property.owner;
        let Some(target) = targets.get(&(owner.class as u8, owner.major, owner.minor)) else { continue };
        if name.as_ref().is_some_and(|name| !names_equal(name, &property.name)) {
            continue;
        }
        rows.push(FnListextendedproperty {
            objtype: kind.as_deref().map(text),
            objname: kind.is_some().then(|| text(&target.name)),
            name: text(&property.name),
            value: Some(Variant(property.value)),
        });
    }
    Ok(rows)
}
