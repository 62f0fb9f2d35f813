//! The permissions that there are: of which class of securables, by what they are covered.
//!
//! ```text
//!   permission ──covered by──▶ another of its class ──covered by──▶ … ──▶ CONTROL
//!       └────────covered by──▶ one of the class that contains it: OBJECT in SCHEMA in DATABASE in SERVER
//! ```
//! What always holds: no permission covers itself, by whatever way; the four letters of a permission say which it is among those
//! of its class, and are what the system tables store. The list is that of `sys.fn_builtin_permissions` (SQL Server
//! 2019, "Permissions (Database Engine)").

use std::sync::LazyLock;

/// A class of securables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Of {
    /// Database
    Database,
    /// Tables, views, modules, sequences, synonyms, and their columns
    Object,
    /// Schema
    Schema,
    /// Application role
    ApplicationRole,
    /// Role of a database
    Role,
    /// User of a database
    User,
    /// Assembly
    Assembly,
    /// Type
    Type,
    /// XML schema collection
    XmlSchemaCollection,
    /// Message type of the broker
    MessageType,
    /// Contract of the broker
    Contract,
    /// Service of the broker
    Service,
    /// Remote service binding of the broker
    RemoteServiceBinding,
    /// Route of the broker
    Route,
    /// Full-text catalog
    FulltextCatalog,
    /// Symmetric key
    SymmetricKey,
    /// Certificate
    Certificate,
    /// Asymmetric key
    AsymmetricKey,
    /// Full-text stoplist
    FulltextStoplist,
    /// Search property list
    SearchPropertyList,
    /// Credential of a database
    DatabaseScopedCredential,
    /// The server
    Server,
    /// Login
    Login,
    /// Role of the server
    ServerRole,
    /// Endpoint
    Endpoint,
    /// Availability group
    AvailabilityGroup,
}

/// What is said of a class: its name in statements, its number and description in `sys.database_permissions`, what
/// contains it.
struct Class(Of, &'static str, i32, &'static str, Option<Of>);

static CLASSES: [Class; 26] = [
    Class(Of::Database, "DATABASE", 0, "DATABASE", Some(Of::Server)),
    Class(Of::Object, "OBJECT", 1, "OBJECT_OR_COLUMN", Some(Of::Schema)),
    Class(Of::Schema, "SCHEMA", 3, "SCHEMA", Some(Of::Database)),
    Class(Of::ApplicationRole, "APPLICATION ROLE", 4, "DATABASE_PRINCIPAL", Some(Of::Database)),
    Class(Of::Role, "ROLE", 4, "DATABASE_PRINCIPAL", Some(Of::Database)),
    Class(Of::User, "USER", 4, "DATABASE_PRINCIPAL", Some(Of::Database)),
    Class(Of::Assembly, "ASSEMBLY", 5, "ASSEMBLY", Some(Of::Database)),
    Class(Of::Type, "TYPE", 6, "TYPE", Some(Of::Schema)),
    Class(Of::XmlSchemaCollection, "XML SCHEMA COLLECTION", 10, "XML_SCHEMA_COLLECTION", Some(Of::Schema)),
    Class(Of::MessageType, "MESSAGE TYPE", 15, "MESSAGE_TYPE", Some(Of::Database)),
    Class(Of::Contract, "CONTRACT", 16, "SERVICE_CONTRACT", Some(Of::Database)),
    Class(Of::Service, "SERVICE", 17, "SERVICE", Some(Of::Database)),
    Class(Of::RemoteServiceBinding, "REMOTE SERVICE BINDING", 18, "REMOTE_SERVICE_BINDING", Some(Of::Database)),
    Class(Of::Route, "ROUTE", 19, "ROUTE", Some(Of::Database)),
    Class(Of::FulltextCatalog, "FULLTEXT CATALOG", 23, "FULLTEXT_CATALOG", Some(Of::Database)),
    Class(Of::SymmetricKey, "SYMMETRIC KEY", 24, "SYMMETRIC_KEYS", Some(Of::Database)),
    Class(Of::Certificate, "CERTIFICATE", 25, "CERTIFICATE", Some(Of::Database)),
    Class(Of::AsymmetricKey, "ASYMMETRIC KEY", 26, "ASYMMETRIC_KEY", Some(Of::Database)),
    Class(Of::FulltextStoplist, "FULLTEXT STOPLIST", 29, "FULLTEXT_STOPLIST", Some(Of::Database)),
    Class(Of::SearchPropertyList, "SEARCH PROPERTY LIST", 31, "SEARCH_PROPERTY_LIST", Some(Of::Database)),
    Class(
        Of::DatabaseScopedCredential,
        "DATABASE SCOPED CREDENTIAL",
        32,
        "DATABASE_SCOPED_CREDENTIAL",
        Some(Of::Database),
    ),
    Class(Of::Server, "SERVER", 100, "SERVER", None),
    Class(Of::Login, "LOGIN", 101, "SERVER_PRINCIPAL", Some(Of::Server)),
    Class(Of::ServerRole, "SERVER ROLE", 101, "SERVER_PRINCIPAL", Some(Of::Server)),
    Class(Of::Endpoint, "ENDPOINT", 105, "ENDPOINT", Some(Of::Server)),
    Class(Of::AvailabilityGroup, "AVAILABILITY GROUP", 108, "AVAILABILITY_GROUP", Some(Of::Server)),
];

impl Of {
    fn class(self) -> &'static Class {
        &CLASSES[self as usize]
    }

    /// All classes.
    pub fn all() -> impl Iterator<Item = Of> {
        CLASSES.iter().map(|class| class.0)
    }

    /// The class of that name, as it stands before `::`, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Of> {
        CLASSES.iter().find(|class| class.1.eq_ignore_ascii_case(name)).map(|class| class.0)
    }

    /// `OBJECT`
    #[must_use]
    pub fn name(self) -> &'static str {
        self.class().1
    }

    /// The number of the class in `sys.database_permissions` and `sys.server_permissions`.
    #[must_use]
    pub fn number(self) -> i32 {
        self.class().2
    }

    /// The number under which system tables have it: [`Of::number`], but for classes that share theirs with another.
    #[must_use]
    pub fn stored(self) -> i32 {
        match self {
            Of::Role | Of::ServerRole => self.number() + 200,
            Of::ApplicationRole => self.number() + 300,
            _ => self.number(),
        }
    }

    /// The class that is stored under a number.
    #[must_use]
    pub fn of_stored(number: i32) -> Option<Of> {
        Of::all().find(|of| of.stored() == number)
    }

    /// `OBJECT_OR_COLUMN`
    #[must_use]
    pub fn description(self) -> &'static str {
        self.class().3
    }

    /// The class of what contains a securable of this one.
    #[must_use]
    pub fn container(self) -> Option<Of> {
        self.class().4
    }

    /// Whether securables of this class are the server's, and not a database's.
    #[must_use]
    pub fn is_of_server(self) -> bool {
        self.number() >= 100
    }
}

/// A permission on securables of one class.
#[derive(Debug, PartialEq, Eq)]
pub struct Permission {
    /// On what.
    pub of: Of,
    /// `VIEW DEFINITION`
    pub name: &'static str,
    /// `VW`: two to four letters.
    pub letters: &'static str,
    /// Name of the permission of the same class that covers this one.
    pub covering: Option<&'static str>,
    /// Name of the permission on the container that covers this one.
    pub container_covering: Option<&'static str>,
}

const fn p(
    of: Of,
    name: &'static str,
    letters: &'static str,
    covering: &'static str,
    container_covering: &'static str,
) -> Permission {
    Permission {
        of,
        name,
        letters,
        covering: if covering.is_empty() { None } else { Some(covering) },
        container_covering: if container_covering.is_empty() { None } else { Some(container_covering) },
    }
}

impl Permission {
    /// The permission of that name on securables of a class.
    #[must_use]
    pub fn find(of: Of, name: &str) -> Option<&'static Permission> {
        PERMISSIONS.iter().find(|permission| permission.of == of && permission.name == name)
    }

    /// The permission with these letters on securables of a class.
    #[must_use]
    pub fn of_letters(of: Of, letters: &str) -> Option<&'static Permission> {
        PERMISSIONS.iter().find(|permission| permission.of == of && permission.letters == letters)
    }

    /// The one that is there for certain: written in this source.
    ///
    /// # Panics
    /// When there is none.
    #[must_use]
    pub fn known(of: Of, name: &str) -> &'static Permission {
        Self::find(of, name).unwrap_or_else(|| panic!("{name} is no permission on {}", of.name()))
    }

    /// Itself and all that cover it, on its own class and on those that contain it, nearest first; none twice.
    #[must_use]
    pub fn covered_by(&'static self) -> &'static [&'static Permission] {
        static SPACES: LazyLock<Vec<Vec<&'static Permission>>> =
            LazyLock::new(|| PERMISSIONS.iter().map(covered).collect());
        let at = PERMISSIONS.iter().position(|permission| std::ptr::eq(permission, self));
        &SPACES[at.expect("permissions are those of the list")]
    }
}

fn covered(first: &'static Permission) -> Vec<&'static Permission> {
    let mut all = vec![first];
    let mut at = 0;
    while let Some(permission) = all.get(at).copied() {
        let same = permission.covering.and_then(|name| Permission::find(permission.of, name));
        let above = permission.of.container().zip(permission.container_covering);
        let above = above.and_then(|(of, name)| Permission::find(of, name));
        for next in same.into_iter().chain(above) {
            if !all.contains(&next) {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

/// All permissions.
pub static PERMISSIONS: &[Permission] = &[
    p(Of::ApplicationRole, "ALTER", "AL", "CONTROL", "ALTER ANY APPLICATION ROLE"),
    p(Of::ApplicationRole, "CONTROL", "CL", "", "CONTROL"),
    p(Of::ApplicationRole, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Assembly, "ALTER", "AL", "CONTROL", "ALTER ANY ASSEMBLY"),
    p(Of::Assembly, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Assembly, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Assembly, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Assembly, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::AsymmetricKey, "ALTER", "AL", "CONTROL", "ALTER ANY ASYMMETRIC KEY"),
    p(Of::AsymmetricKey, "CONTROL", "CL", "", "CONTROL"),
    p(Of::AsymmetricKey, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::AsymmetricKey, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::AsymmetricKey, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::AvailabilityGroup, "ALTER", "AL", "CONTROL", "ALTER ANY AVAILABILITY GROUP"),
    p(Of::AvailabilityGroup, "CONTROL", "CL", "", "CONTROL SERVER"),
    p(Of::AvailabilityGroup, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL SERVER"),
    p(Of::AvailabilityGroup, "VIEW DEFINITION", "VW", "CONTROL", "VIEW ANY DEFINITION"),
    p(Of::Certificate, "ALTER", "AL", "CONTROL", "ALTER ANY CERTIFICATE"),
    p(Of::Certificate, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Certificate, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Certificate, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Certificate, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Contract, "ALTER", "AL", "CONTROL", "ALTER ANY CONTRACT"),
    p(Of::Contract, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Contract, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Contract, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Contract, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Database, "ADMINISTER DATABASE BULK OPERATIONS", "DABO", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "ALTER", "AL", "CONTROL", "ALTER ANY DATABASE"),
    p(Of::Database, "ALTER ANY APPLICATION ROLE", "ALAR", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY ASSEMBLY", "ALAS", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY ASYMMETRIC KEY", "ALAK", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY CERTIFICATE", "ALCF", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY COLUMN ENCRYPTION KEY", "ALCK", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY COLUMN MASTER KEY", "ALCM", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY CONTRACT", "ALSC", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY DATABASE AUDIT", "ALDA", "ALTER", "ALTER ANY SERVER AUDIT"),
    p(Of::Database, "ALTER ANY DATABASE DDL TRIGGER", "ALTG", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY DATABASE EVENT NOTIFICATION", "ALED", "ALTER", "ALTER ANY EVENT NOTIFICATION"),
    p(Of::Database, "ALTER ANY DATABASE EVENT SESSION", "AADS", "ALTER", "ALTER ANY EVENT SESSION"),
    p(Of::Database, "ALTER ANY DATABASE SCOPED CONFIGURATION", "ALDC", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY DATASPACE", "ALDS", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY EXTERNAL DATA SOURCE", "AEDS", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY EXTERNAL FILE FORMAT", "AEFF", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY FULLTEXT CATALOG", "ALFT", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY MASK", "AAMK", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY MESSAGE TYPE", "ALMT", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY REMOTE SERVICE BINDING", "ALSB", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY ROLE", "ALRL", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY ROUTE", "ALRT", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY SCHEMA", "ALSM", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY SECURITY POLICY", "ALSP", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY SENSITIVITY CLASSIFICATION", "AASC", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY SERVICE", "ALSV", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY SYMMETRIC KEY", "ALSK", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "ALTER ANY USER", "ALUS", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "AUTHENTICATE", "AUTH", "CONTROL", "AUTHENTICATE SERVER"),
    p(Of::Database, "BACKUP DATABASE", "BADB", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "BACKUP LOG", "BALO", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "CHECKPOINT", "CP", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "CONNECT", "CO", "CONNECT REPLICATION", "CONTROL SERVER"),
    p(Of::Database, "CONNECT REPLICATION", "CORP", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "CONTROL", "CL", "", "CONTROL SERVER"),
    p(Of::Database, "CREATE AGGREGATE", "CRAG", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE ASSEMBLY", "CRAS", "ALTER ANY ASSEMBLY", "CONTROL SERVER"),
    p(Of::Database, "CREATE ASYMMETRIC KEY", "CRAK", "ALTER ANY ASYMMETRIC KEY", "CONTROL SERVER"),
    p(Of::Database, "CREATE CERTIFICATE", "CRCF", "ALTER ANY CERTIFICATE", "CONTROL SERVER"),
    p(Of::Database, "CREATE CONTRACT", "CRSC", "ALTER ANY CONTRACT", "CONTROL SERVER"),
    p(Of::Database, "CREATE DATABASE", "CRDB", "CONTROL", "CREATE ANY DATABASE"),
    p(
        Of::Database,
        "CREATE DATABASE DDL EVENT NOTIFICATION",
        "CRED",
        "ALTER ANY DATABASE EVENT NOTIFICATION",
        "CREATE DDL EVENT NOTIFICATION",
    ),
    p(Of::Database, "CREATE DEFAULT", "CRDF", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE FULLTEXT CATALOG", "CRFT", "ALTER ANY FULLTEXT CATALOG", "CONTROL SERVER"),
    p(Of::Database, "CREATE FUNCTION", "CRFN", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE MESSAGE TYPE", "CRMT", "ALTER ANY MESSAGE TYPE", "CONTROL SERVER"),
    p(Of::Database, "CREATE PROCEDURE", "CRPR", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE QUEUE", "CRQU", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE REMOTE SERVICE BINDING", "CRSB", "ALTER ANY REMOTE SERVICE BINDING", "CONTROL SERVER"),
    p(Of::Database, "CREATE ROLE", "CRRL", "ALTER ANY ROLE", "CONTROL SERVER"),
    p(Of::Database, "CREATE ROUTE", "CRRT", "ALTER ANY ROUTE", "CONTROL SERVER"),
    p(Of::Database, "CREATE RULE", "CRRU", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE SCHEMA", "CRSM", "ALTER ANY SCHEMA", "CONTROL SERVER"),
    p(Of::Database, "CREATE SERVICE", "CRSV", "ALTER ANY SERVICE", "CONTROL SERVER"),
    p(Of::Database, "CREATE SYMMETRIC KEY", "CRSK", "ALTER ANY SYMMETRIC KEY", "CONTROL SERVER"),
    p(Of::Database, "CREATE SYNONYM", "CRSN", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE TABLE", "CRTB", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE TYPE", "CRTY", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE VIEW", "CRVW", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "CREATE XML SCHEMA COLLECTION", "CRXS", "ALTER", "CONTROL SERVER"),
    p(Of::Database, "DELETE", "DL", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "EXECUTE", "EX", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "EXECUTE ANY EXTERNAL SCRIPT", "EAES", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "INSERT", "IN", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "KILL DATABASE CONNECTION", "KIDC", "CONTROL", "ALTER ANY CONNECTION"),
    p(Of::Database, "REFERENCES", "RF", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "SELECT", "SL", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "SHOWPLAN", "SPLN", "CONTROL", "ALTER TRACE"),
    p(Of::Database, "SUBSCRIBE QUERY NOTIFICATIONS", "SUQN", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "UNMASK", "UMSK", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "UPDATE", "UP", "CONTROL", "CONTROL SERVER"),
    p(Of::Database, "VIEW ANY COLUMN ENCRYPTION KEY DEFINITION", "VWCK", "VIEW DEFINITION", "VIEW SERVER STATE"),
    p(Of::Database, "VIEW ANY COLUMN MASTER KEY DEFINITION", "VWCM", "VIEW DEFINITION", "VIEW SERVER STATE"),
    p(Of::Database, "VIEW DATABASE STATE", "VWDS", "CONTROL", "VIEW SERVER STATE"),
    p(Of::Database, "VIEW DEFINITION", "VW", "CONTROL", "VIEW ANY DEFINITION"),
    p(Of::DatabaseScopedCredential, "ALTER", "AL", "CONTROL", "CONTROL"),
    p(Of::DatabaseScopedCredential, "CONTROL", "CL", "", "CONTROL"),
    p(Of::DatabaseScopedCredential, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::DatabaseScopedCredential, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::DatabaseScopedCredential, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Endpoint, "ALTER", "AL", "CONTROL", "ALTER ANY ENDPOINT"),
    p(Of::Endpoint, "CONNECT", "CO", "CONTROL", "CONTROL SERVER"),
    p(Of::Endpoint, "CONTROL", "CL", "", "CONTROL SERVER"),
    p(Of::Endpoint, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL SERVER"),
    p(Of::Endpoint, "VIEW DEFINITION", "VW", "CONTROL", "VIEW ANY DEFINITION"),
    p(Of::FulltextCatalog, "ALTER", "AL", "CONTROL", "ALTER ANY FULLTEXT CATALOG"),
    p(Of::FulltextCatalog, "CONTROL", "CL", "", "CONTROL"),
    p(Of::FulltextCatalog, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::FulltextCatalog, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::FulltextCatalog, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::FulltextStoplist, "ALTER", "AL", "CONTROL", "ALTER ANY FULLTEXT CATALOG"),
    p(Of::FulltextStoplist, "CONTROL", "CL", "", "CONTROL"),
    p(Of::FulltextStoplist, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::FulltextStoplist, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::FulltextStoplist, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Login, "ALTER", "AL", "CONTROL", "ALTER ANY LOGIN"),
    p(Of::Login, "CONTROL", "CL", "", "CONTROL SERVER"),
    p(Of::Login, "IMPERSONATE", "IM", "CONTROL", "CONTROL SERVER"),
    p(Of::Login, "VIEW DEFINITION", "VW", "CONTROL", "VIEW ANY DEFINITION"),
    p(Of::MessageType, "ALTER", "AL", "CONTROL", "ALTER ANY MESSAGE TYPE"),
    p(Of::MessageType, "CONTROL", "CL", "", "CONTROL"),
    p(Of::MessageType, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::MessageType, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::MessageType, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Object, "ALTER", "AL", "CONTROL", "ALTER"),
    p(Of::Object, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Object, "DELETE", "DL", "CONTROL", "DELETE"),
    p(Of::Object, "EXECUTE", "EX", "CONTROL", "EXECUTE"),
    p(Of::Object, "INSERT", "IN", "CONTROL", "INSERT"),
    p(Of::Object, "RECEIVE", "RC", "CONTROL", "CONTROL"),
    p(Of::Object, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Object, "SELECT", "SL", "CONTROL", "SELECT"),
    p(Of::Object, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Object, "UNMASK", "UMSK", "CONTROL", "UNMASK"),
    p(Of::Object, "UPDATE", "UP", "CONTROL", "UPDATE"),
    p(Of::Object, "VIEW CHANGE TRACKING", "VWCT", "CONTROL", "VIEW CHANGE TRACKING"),
    p(Of::Object, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::RemoteServiceBinding, "ALTER", "AL", "CONTROL", "ALTER ANY REMOTE SERVICE BINDING"),
    p(Of::RemoteServiceBinding, "CONTROL", "CL", "", "CONTROL"),
    p(Of::RemoteServiceBinding, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::RemoteServiceBinding, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Role, "ALTER", "AL", "CONTROL", "ALTER ANY ROLE"),
    p(Of::Role, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Role, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Role, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Route, "ALTER", "AL", "CONTROL", "ALTER ANY ROUTE"),
    p(Of::Route, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Route, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Route, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Schema, "ALTER", "AL", "CONTROL", "ALTER ANY SCHEMA"),
    p(Of::Schema, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Schema, "CREATE SEQUENCE", "CRSO", "ALTER", "CONTROL"),
    p(Of::Schema, "DELETE", "DL", "CONTROL", "DELETE"),
    p(Of::Schema, "EXECUTE", "EX", "CONTROL", "EXECUTE"),
    p(Of::Schema, "INSERT", "IN", "CONTROL", "INSERT"),
    p(Of::Schema, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Schema, "SELECT", "SL", "CONTROL", "SELECT"),
    p(Of::Schema, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Schema, "UNMASK", "UMSK", "CONTROL", "UNMASK"),
    p(Of::Schema, "UPDATE", "UP", "CONTROL", "UPDATE"),
    p(Of::Schema, "VIEW CHANGE TRACKING", "VWCT", "CONTROL", "CONTROL"),
    p(Of::Schema, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::SearchPropertyList, "ALTER", "AL", "CONTROL", "ALTER ANY FULLTEXT CATALOG"),
    p(Of::SearchPropertyList, "CONTROL", "CL", "", "CONTROL"),
    p(Of::SearchPropertyList, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::SearchPropertyList, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::SearchPropertyList, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Server, "ADMINISTER BULK OPERATIONS", "ADBO", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY AVAILABILITY GROUP", "ALAG", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY CONNECTION", "ALCO", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY CREDENTIAL", "ALCD", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY DATABASE", "ALDB", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY ENDPOINT", "ALHE", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY EVENT NOTIFICATION", "ALES", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY EVENT SESSION", "AAES", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY LINKED SERVER", "ALLS", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY LOGIN", "ALLG", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY SERVER AUDIT", "ALAA", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER ANY SERVER ROLE", "ALSR", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER RESOURCES", "ALRS", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER SERVER STATE", "ALSS", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER SETTINGS", "ALST", "CONTROL SERVER", ""),
    p(Of::Server, "ALTER TRACE", "ALTR", "CONTROL SERVER", ""),
    p(Of::Server, "AUTHENTICATE SERVER", "AUTH", "CONTROL SERVER", ""),
    p(Of::Server, "CONNECT ANY DATABASE", "CADB", "CONTROL SERVER", ""),
    p(Of::Server, "CONNECT SQL", "COSQ", "CONTROL SERVER", ""),
    p(Of::Server, "CONTROL SERVER", "CL", "", ""),
    p(Of::Server, "CREATE ANY DATABASE", "CRDB", "ALTER ANY DATABASE", ""),
    p(Of::Server, "CREATE AVAILABILITY GROUP", "CRAC", "ALTER ANY AVAILABILITY GROUP", ""),
    p(Of::Server, "CREATE DDL EVENT NOTIFICATION", "CRDE", "ALTER ANY EVENT NOTIFICATION", ""),
    p(Of::Server, "CREATE ENDPOINT", "CRHE", "ALTER ANY ENDPOINT", ""),
    p(Of::Server, "CREATE SERVER ROLE", "CRSR", "ALTER ANY SERVER ROLE", ""),
    p(Of::Server, "CREATE TRACE EVENT NOTIFICATION", "CRTE", "ALTER ANY EVENT NOTIFICATION", ""),
    p(Of::Server, "EXTERNAL ACCESS ASSEMBLY", "XA", "UNSAFE ASSEMBLY", ""),
    p(Of::Server, "IMPERSONATE ANY LOGIN", "IAL", "CONTROL SERVER", ""),
    p(Of::Server, "SELECT ALL USER SECURABLES", "SUS", "CONTROL SERVER", ""),
    p(Of::Server, "SHUTDOWN", "SHDN", "CONTROL SERVER", ""),
    p(Of::Server, "UNSAFE ASSEMBLY", "XU", "CONTROL SERVER", ""),
    p(Of::Server, "VIEW ANY DATABASE", "VWDB", "VIEW ANY DEFINITION", ""),
    p(Of::Server, "VIEW ANY DEFINITION", "VWAD", "CONTROL SERVER", ""),
    p(Of::Server, "VIEW SERVER STATE", "VWSS", "ALTER SERVER STATE", ""),
    p(Of::ServerRole, "ALTER", "AL", "CONTROL", "ALTER ANY SERVER ROLE"),
    p(Of::ServerRole, "CONTROL", "CL", "", "CONTROL SERVER"),
    p(Of::ServerRole, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL SERVER"),
    p(Of::ServerRole, "VIEW DEFINITION", "VW", "CONTROL", "VIEW ANY DEFINITION"),
    p(Of::Service, "ALTER", "AL", "CONTROL", "ALTER ANY SERVICE"),
    p(Of::Service, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Service, "SEND", "SN", "CONTROL", "CONTROL"),
    p(Of::Service, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Service, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::SymmetricKey, "ALTER", "AL", "CONTROL", "ALTER ANY SYMMETRIC KEY"),
    p(Of::SymmetricKey, "CONTROL", "CL", "", "CONTROL"),
    p(Of::SymmetricKey, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::SymmetricKey, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::SymmetricKey, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::Type, "CONTROL", "CL", "", "CONTROL"),
    p(Of::Type, "EXECUTE", "EX", "CONTROL", "EXECUTE"),
    p(Of::Type, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::Type, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::Type, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::User, "ALTER", "AL", "CONTROL", "ALTER ANY USER"),
    p(Of::User, "CONTROL", "CL", "", "CONTROL"),
    p(Of::User, "IMPERSONATE", "IM", "CONTROL", "CONTROL"),
    p(Of::User, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
    p(Of::XmlSchemaCollection, "ALTER", "AL", "CONTROL", "ALTER"),
    p(Of::XmlSchemaCollection, "CONTROL", "CL", "", "CONTROL"),
    p(Of::XmlSchemaCollection, "EXECUTE", "EX", "CONTROL", "EXECUTE"),
    p(Of::XmlSchemaCollection, "REFERENCES", "RF", "CONTROL", "REFERENCES"),
    p(Of::XmlSchemaCollection, "TAKE OWNERSHIP", "TO", "CONTROL", "CONTROL"),
    p(Of::XmlSchemaCollection, "VIEW DEFINITION", "VW", "CONTROL", "VIEW DEFINITION"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_stand_in_the_order_of_their_enum() {
        for (at, class) in CLASSES.iter().enumerate() {
            assert_eq!(class.0 as usize, at, "{}", class.1);
            assert_eq!(Of::of_stored(class.0.stored()), Some(class.0), "{}", class.1);
        }
    }

    #[test]
    fn what_covers_a_permission_is_there_and_ends_at_the_servers_control() {
        let top = Permission::known(Of::Server, "CONTROL SERVER");
        for permission in PERMISSIONS {
            let covering = permission.covering.map(|name| Permission::known(permission.of, name));
            assert!(
                covering.is_none_or(|covering| !covering.covered_by().contains(&permission)),
                "{}",
                permission.name
            );
            let above = permission.of.container().zip(permission.container_covering);
            assert_eq!(above.is_some(), permission.of != Of::Server, "{}", permission.name);
            above.map(|(of, name)| Permission::known(of, name));
            assert!(permission.covered_by().contains(&top), "{} on {}", permission.name, permission.of.name());
        }
    }

    #[test]
    fn letters_and_names_are_of_one_permission_of_a_class() {
        for permission in PERMISSIONS {
            assert_eq!(Permission::find(permission.of, permission.name), Some(permission));
            assert_eq!(Permission::of_letters(permission.of, permission.letters), Some(permission));
            assert!((2..=4).contains(&permission.letters.len()), "{}", permission.name);
        }
    }

    #[test]
    fn select_on_a_table_is_covered_by_that_on_its_schema_and_by_control() {
        let space = Permission::known(Of::Object, "SELECT").covered_by();
        let names: Vec<_> = space.iter().map(|permission| (permission.of.name(), permission.name)).collect();
        for one in [("OBJECT", "CONTROL"), ("SCHEMA", "SELECT"), ("DATABASE", "SELECT"), ("DATABASE", "CONTROL")] {
            assert!(names.contains(&one), "{one:?}");
        }
    }
}
