//! What functions ask about principals: names, numbers, memberships, permissions.
//!
//! The trait belongs to the functions; the engine implements it for whose rights the statement has. `None` is the functions' NULL.

use millpond_storage::contract::DbId;

use crate::ObjectId;

/// What a permission is asked of, for HAS_PERMS_BY_NAME; `None` for NULL.
#[derive(Clone, Copy, Debug, Default)]
pub struct AskedPermission<'a> {
    /// Name of the securable.
    pub securable: Option<&'a str>,
    /// Its class.
    pub class: Option<&'a str>,
    /// The permission, or ANY.
    pub permission: &'a str,
    /// Name of a column.
    pub column: Option<&'a str>,
    /// COLUMN
    pub column_class: Option<&'a str>,
}

/// Principals as functions see them.
pub trait Principals {
    /// SYSTEM_USER: the login that acts.
    fn login_name(&self) -> String;
    /// Name of a login or role of the server.
    fn login_name_of(&self, id: i32) -> Option<String>;
    /// Name of the login with a security identifier.
    fn login_of_sid(&self, sid: &[u8]) -> Option<String>;
    /// Number of a login, of the one that acts without a name.
    fn login_id(&self, name: Option<&str>) -> Option<i32>;
    /// Security identifier of a login, of the one that acts without a name.
    fn login_sid(&self, name: Option<&str>) -> Option<Vec<u8>>;
    /// Name of the user that acts.
    fn user_name(&self) -> Option<String>;
    /// Name of a user or role of the current database.
    fn user_name_of(&self, id: i32) -> Option<String>;
    /// Number of a user or role, of the user that acts without a name.
    fn user_id(&self, name: Option<&str>) -> Option<i32>;
    /// Whether the user that acts is in a role, or another principal of that name is.
    fn is_member(&self, role: &str, principal: Option<&str>) -> Option<bool>;
    /// Whether the login that acts is in a role of the server, or another one of that name is.
    fn is_server_role_member(&self, role: &str, login: Option<&str>) -> Option<bool>;
    /// Whether the login that acts can use a database.
    fn has_access(&self, database: &str) -> Option<bool>;
    /// HAS_PERMS_BY_NAME
    fn has_permission(&self, asked: AskedPermission<'_>) -> Option<bool>;
    /// PERMISSIONS: what the user may do in the database or with an object of it or a column, below, and may grant, above.
    fn permission_bits(&self, object: Option<i32>, column: Option<&str>) -> Option<i32>;
    /// Whether the login that acts is in `sysadmin`.
    fn is_sysadmin(&self) -> bool;
    /// Whether a column is seen as it is, whatever its mask: UNMASK on it.
    fn sees_column(&self, database: DbId, object: ObjectId, column: i32) -> bool;
    /// LOGINPROPERTY: a whole number, a text, a time of day in microseconds since 1970, or bytes.
    fn login_property(&self, login: &str, property: &str) -> Option<LoginProperty>;
}

/// A property of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginProperty {
    /// A number.
    Int(i32),
    /// A name.
    Text(String),
    /// Local time, microseconds since 1970.
    TimeUs(i64),
    /// A hash.
    Bytes(Vec<u8>),
}
