//! `sys.fn_builtin_permissions`, `sys.securable_classes` and `sys.fn_my_permissions`: which permissions there are, and which the session has.

use std::collections::BTreeMap;

use millpond_builtin::TableFunctionDef;
use millpond_catalog::Within;
use millpond_catalog::security::{Of, PERMISSIONS};
use millpond_catalog::system_view::ViewDef;
use millpond_engine::context::RunContext;
use millpond_engine::principals::permissions::held;
use millpond_message::error::SqlResult;
use millpond_types::Value;

use crate::columns::{NVarChar, Sysname, VarChar, text};
use crate::row::{Rows, ViewRows, row, table_function, view};

row! {
    /// A row of `fn_builtin_permissions`.
    struct BuiltinPermissions {
        class_desc: Option<NVarChar<60>>,
        permission_name: Option<NVarChar<60>>,
        r#type: Option<VarChar<4>>,
        covering_permission_name: Option<NVarChar<60>>,
        parent_class_desc: Option<NVarChar<60>>,
        parent_covering_permission_name: Option<NVarChar<60>>,
    }
}

/// `sys.fn_builtin_permissions (DEFAULT | NULL | '' | 'class')`
pub static FN_BUILTIN_PERMISSIONS: TableFunctionDef = table_function!(
    "",
    "fn_builtin_permissions",
    [NVarChar<60>],
    optional 1,
    BuiltinPermissions,
    builtin_permissions
);

row! {
    /// A row of `sys.securable_classes`.
    struct SecurableClasses {
        class_desc: Sysname,
        class: i32,
    }
}

/// `sys.securable_classes`: the classes that there are permissions on.
pub static SECURABLE_CLASSES: ViewDef = view("sys", "securable_classes", &ViewRows(securable_classes));

fn securable_classes(_: &RunContext, _: Within<'_>) -> SqlResult<Rows<SecurableClasses>> {
    let classes: BTreeMap<i32, &str> =
        PERMISSIONS.iter().map(|permission| (permission.of.number(), permission.of.description())).collect();
    Ok(classes.into_iter().map(|(class, name)| SecurableClasses { class_desc: text(name), class }).collect())
}

row! {
    /// A row of `fn_my_permissions`.
    struct MyPermissions {
        entity_name: Option<Sysname>,
        subentity_name: Option<Sysname>,
        permission_name: Option<NVarChar<60>>,
    }
}

/// `sys.fn_my_permissions (securable, 'class')`
pub static FN_MY_PERMISSIONS: TableFunctionDef = table_function!(
    "",
    "fn_my_permissions",
    [NVarChar<4000>, Sysname],
    optional 1,
    MyPermissions,
    my_permissions
);

/// A class that there is none of has no permissions; no class is all of them. What covers nothing is an empty text, as in SQL Server,
/// whose manual says NULL.
fn builtin_permissions(_: &RunContext, args: &[Value]) -> SqlResult<Rows<BuiltinPermissions>> {
    let class = args.first().and_then(Value::as_str).map(str::trim_end).filter(|class| !class.is_empty());
    let wanted = class.map(Of::named);
    let all = PERMISSIONS.iter().filter(|permission| wanted.is_none_or(|of| of == Some(permission.of)));
    let rows = all.map(|permission| BuiltinPermissions {
        class_desc: Some(text(permission.of.name())),
        permission_name: Some(text(permission.name)),
        r#type: Some(text(&format!("{:<4}", permission.letters))),
        covering_permission_name: Some(text(permission.covering.unwrap_or_default())),
        parent_class_desc: Some(text(permission.of.container().map(Of::name).unwrap_or_default())),
        parent_covering_permission_name: Some(text(permission.container_covering.unwrap_or_default())),
    });
    Ok(rows.collect())
}

/// Without a class those on the server.
fn my_permissions(ctx: &RunContext, args: &[Value]) -> SqlResult<Rows<MyPermissions>> {
    let argument = |at: usize| args.get(at).and_then(Value::as_str);
    let Some(of) = argument(1).map_or(Some(Of::Server), |class| Of::named(class.trim_end())) else {
        return Ok(Rows::new());
    };
    let entity = match of {
        Of::Server => "server",
        Of::Database => "database",
        _ => argument(0).unwrap_or_default(),
    };
    let rows = held(ctx, of, argument(0)).into_iter().map(|held| MyPermissions {
        entity_name: Some(text(entity)),
        subentity_name: Some(text(&held.column)),
        permission_name: Some(text(held.permission)),
    });
    Ok(rows.collect())
}
