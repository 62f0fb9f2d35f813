//! What there is to collect: `sys.dm_xe_packages`, `dm_xe_objects`, `dm_xe_object_columns`, `dm_xe_map_values`.
//!
//! What always holds: each object that a session may name is listed, and none that it may not.

use millpond_catalog::Within;
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_events::object::{
    ACTIONS, EVENTS, FieldType, MAPS, MODULE_TEXT, MapValues, Package, TARGETS, comparators,
};
use millpond_message::error::SqlResult;
use millpond_storage::wait::WaitType;

use crate::columns::{Guid, NVarChar, VarBinary, bytes, int, text};
use crate::row::{Rows, ViewRows, row, view};

row! {
    /// A row of `sys.dm_xe_packages`.
    struct DmXePackages {
        name: Option<NVarChar<256>>,
        guid: Option<Guid>,
        description: Option<NVarChar<3072>>,
        capabilities: Option<i32>,
        capabilities_desc: Option<NVarChar<256>>,
        module_guid: Option<NVarChar<60>>,
        module_address: Option<VarBinary<8>>,
    }
}

/// `sys.dm_xe_packages`
pub static DM_XE_PACKAGES: ViewDef = view("sys", "dm_xe_packages", &ViewRows(packages));

row! {
    /// A row of `sys.dm_xe_objects`.
    struct DmXeObjects {
        name: Option<NVarChar<60>>,
        object_type: Option<NVarChar<60>>,
        package_guid: Option<Guid>,
        description: Option<NVarChar<256>>,
        capabilities: Option<i32>,
        capabilities_desc: Option<NVarChar<256>>,
        type_name: Option<NVarChar<60>>,
        type_package_guid: Option<Guid>,
        type_size: Option<i32>,
    }
}

/// `sys.dm_xe_objects`
pub static DM_XE_OBJECTS: ViewDef = view("sys", "dm_xe_objects", &ViewRows(objects));

row! {
    /// A row of `sys.dm_xe_object_columns`.
    struct DmXeObjectColumns {
        name: Option<NVarChar<256>>,
        column_id: Option<i32>,
        object_name: Option<NVarChar<256>>,
        object_package_guid: Option<Guid>,
        type_name: Option<NVarChar<256>>,
        type_package_guid: Option<Guid>,
        column_type: Option<NVarChar<60>>,
        column_value: Option<NVarChar<256>>,
        capabilities: Option<i32>,
        capabilities_desc: Option<NVarChar<256>>,
        description: Option<NVarChar<3072>>,
    }
}

/// `sys.dm_xe_object_columns`
pub static DM_XE_OBJECT_COLUMNS: ViewDef = view("sys", "dm_xe_object_columns", &ViewRows(object_columns));

row! {
    /// A row of `sys.dm_xe_map_values`.
    struct DmXeMapValues {
        name: Option<NVarChar<256>>,
        object_package_guid: Option<Guid>,
        map_key: Option<i32>,
        map_value: Option<NVarChar<3072>>,
    }
}

/// `sys.dm_xe_map_values`
pub static DM_XE_MAP_VALUES: ViewDef = view("sys", "dm_xe_map_values", &ViewRows(map_values));

fn packages(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXePackages>> {
    let row = |package: Package| DmXePackages {
        name: Some(text(package.name())),
        guid: Some(Guid(package.guid())),
        description: Some(text(package.description())),
        capabilities: None,
        capabilities_desc: None,
        module_guid: Some(text(MODULE_TEXT)),
        module_address: Some(bytes(&[0; 8])),
    };
    Ok(Package::ALL.into_iter().map(row).collect())
}

/// An object without a type.
fn object(kind: &str, name: &str, package: Package, description: &str) -> DmXeObjects {
    DmXeObjects {
        name: Some(text(name)),
        object_type: Some(text(kind)),
        package_guid: Some(Guid(package.guid())),
        description: Some(text(description)),
        capabilities: None,
        capabilities_desc: None,
        type_name: None,
        type_package_guid: None,
        type_size: None,
    }
}

fn typed(object: DmXeObjects, ty: FieldType) -> DmXeObjects {
    DmXeObjects {
        type_name: Some(text(ty.name())),
        type_package_guid: Some(Guid(ty.package().guid())),
        type_size: Some(ty.size_bytes()),
        ..object
    }
}

fn objects(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeObjects>> {
    let mut rows = Vec::new();
    rows.extend(EVENTS.iter().map(|event| object("event", event.name, event.package, event.description)));
    for def in &ACTIONS {
        let of = |kind| typed(object(kind, def.name, def.package, def.description), def.ty);
        rows.extend(def.is_action.then(|| of("action")));
        rows.extend(def.is_source.then(|| of("pred_source")));
    }
    for (package, name, _) in comparators() {
        rows.push(object("pred_compare", &name, package, ""));
    }
    rows.extend(TARGETS.iter().map(|target| object("target", target.name, Package::Package0, target.description)));
    rows.extend(MAPS.iter().map(|map| object("map", map.name, map.package, "")));
    let of_type = |ty: FieldType| DmXeObjects {
        type_size: Some(ty.size_bytes()),
        ..object("type", ty.name(), Package::Package0, "")
    };
    rows.extend(FieldType::PLAIN.into_iter().map(of_type));
    Ok(rows.into_iter().collect())
}

fn object_columns(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeObjectColumns>> {
    let column = |of: (&str, Package), at: usize, name: &str, ty: FieldType, kind: &str| DmXeObjectColumns {
        name: Some(text(name)),
        column_id: Some(int(at)),
        object_name: Some(text(of.0)),
        object_package_guid: Some(Guid(of.1.guid())),
        type_name: Some(text(ty.name())),
        type_package_guid: Some(Guid(ty.package().guid())),
        column_type: Some(text(kind)),
        column_value: None,
        capabilities: Some(0),
        capabilities_desc: None,
        description: None,
    };
    let mut rows = Vec::new();
    for event in &EVENTS {
        let of = (event.name, event.package);
        for (at, (attribute, is_on)) in event.attributes().enumerate() {
            let value = if is_on { "true" } else { "false" };
            let row = column(of, at, attribute, FieldType::Boolean, "customizable");
            rows.push(DmXeObjectColumns { column_value: Some(text(value)), ..row });
        }
        for (at, field) in event.fields.iter().enumerate() {
            let row = column(of, at, field.name, field.ty, "data");
            rows.push(DmXeObjectColumns { description: Some(text(field.description)), ..row });
        }
    }
    for target in &TARGETS {
        for (at, parameter) in target.parameters.iter().enumerate() {
            let row = column((target.name, Package::Package0), at, parameter.name, parameter.ty, "customizable");
            rows.push(DmXeObjectColumns {
                capabilities: Some(i32::from(parameter.is_mandatory)),
                capabilities_desc: parameter.is_mandatory.then(|| text("mandatory")),
                description: Some(text(parameter.description)),
                ..row
            });
        }
    }
    Ok(rows.into_iter().collect())
}

fn map_values(_: &RunContext, _database: Within<'_>) -> SqlResult<Rows<DmXeMapValues>> {
    let mut rows = Vec::new();
    for map in &MAPS {
        let row = |key: u32, value: &str| DmXeMapValues {
            name: Some(text(map.name)),
            object_package_guid: Some(Guid(map.package.guid())),
            map_key: Some(int(key)),
            map_value: Some(text(value)),
        };
        match map.values {
            MapValues::Listed(values) => rows.extend(values.iter().map(|(key, value)| row(*key, value))),
            MapValues::WaitTypes => rows.extend(WaitType::ALL.iter().map(|wait| row(wait.number(), wait.name()))),
        }
    }
    Ok(rows.into_iter().collect())
}
