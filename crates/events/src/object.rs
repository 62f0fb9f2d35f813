//! What there is to be named: packages, events with their fields, actions, comparisons, targets and maps.
//!
//! What always holds: each name is one of SQL Server's, in the package where that has it, with fields of its types; what SQL Server has
//! and this server has not is not in the lists, and is refused by name. The place of a field in its event is the place of its value
//! in a record.

mod actions;
mod compare;
mod events;
mod maps;
mod targets;

pub use actions::{ACTIONS, ActionDef, Global, find_action, find_source};
pub use compare::{Comparator, Operands, Operation, comparators, find_comparator};
pub use events::{EVENTS, EventDef, EventId, FieldDef, find_event};
pub use maps::{
    CONNECTION_RESET, ERROR_CATEGORY, ERROR_DESTINATION, ESCALATION_CAUSE, FILE_TYPE, HASH_WARNING, LOCK_MODE,
    LOCK_OWNER, LOCK_RESOURCE, MAPS, Map, MapValues, OBJECT_TYPE, OPCODE, RESULT, SORT_WARNING, STATEMENT_STATE,
    WAIT_TYPES,
};
pub use targets::{ParameterDef, TARGETS, TargetDef, TargetName, find_target};

/// A package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Package {
    /// Targets, comparisons and types.
    Package0,
    /// Waits.
    SqlOs,
    /// The engine's own events.
    SqlServer,
}

/// Bytes of a `uniqueidentifier`, as records have them.
pub type GuidBytes = [u8; 16];

/// The module of all packages, as a text and as bytes.
pub const MODULE_TEXT: &str = "CE79811F-1A80-40E1-8F5D-7445A3F375E7";
/// See [`MODULE_TEXT`].
pub const MODULE: GuidBytes =
    [0x1f, 0x81, 0x79, 0xce, 0x80, 0x1a, 0xe1, 0x40, 0x8f, 0x5d, 0x74, 0x45, 0xa3, 0xf3, 0x75, 0xe7];

impl Package {
    /// All of them.
    pub const ALL: [Package; 3] = [Package::Package0, Package::SqlOs, Package::SqlServer];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Package::Package0 => "package0",
            Package::SqlOs => "sqlos",
            Package::SqlServer => "sqlserver",
        }
    }

    /// Its number in every SQL Server.
    #[must_use]
    pub const fn guid(self) -> GuidBytes {
        match self {
            Package::Package0 => {
                [0xbf, 0x9f, 0xaa, 0x60, 0x3b, 0x67, 0x53, 0x45, 0xb7, 0xed, 0x71, 0xdc, 0xa7, 0xf5, 0xe9, 0x72]
            }
            Package::SqlOs => {
                [0x63, 0xcc, 0x97, 0xbd, 0x38, 0x3f, 0x22, 0x49, 0xaa, 0x93, 0x60, 0x7b, 0xd1, 0x2e, 0x78, 0xb2]
            }
            Package::SqlServer => {
                [0x3f, 0xd9, 0x5f, 0x65, 0x64, 0x33, 0xd5, 0x40, 0xb2, 0xba, 0x33, 0x0f, 0x7f, 0xfb, 0x64, 0x91]
            }
        }
    }

    /// What it has.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Package::Package0 => {
                "Default package. Contains all standard types, maps, compare operators, actions and targets"
            }
            Package::SqlOs => "Extended events for SQL Operating System",
            Package::SqlServer => "Extended events for Microsoft SQL Server",
        }
    }

    /// The package of that name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Package> {
        Package::ALL.into_iter().find(|package| package.name().eq_ignore_ascii_case(name))
    }
}

/// The type of a field.
#[derive(Clone, Copy, Debug)]
pub enum FieldType {
    /// A truth value.
    Boolean,
    /// A number of 16 bits.
    UInt16,
    /// A number of 32 bits with a sign.
    Int32,
    /// One without.
    UInt32,
    /// A number of 64 bits with a sign.
    Int64,
    /// One without.
    UInt64,
    /// A text.
    Text,
    /// Bytes.
    Binary,
    /// XML.
    Xml,
    /// A point in time.
    Time,
    /// A `uniqueidentifier` as a text.
    Guid,
    /// A key of a map.
    Map(&'static Map),
}

impl FieldType {
    /// The types that are no maps, for the list of all objects.
    pub const PLAIN: [FieldType; 11] = [
        FieldType::Boolean,
        FieldType::UInt16,
        FieldType::Int32,
        FieldType::UInt32,
        FieldType::Int64,
        FieldType::UInt64,
        FieldType::Text,
        FieldType::Binary,
        FieldType::Xml,
        FieldType::Time,
        FieldType::Guid,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FieldType::Boolean => "boolean",
            FieldType::UInt16 => "uint16",
            FieldType::Int32 => "int32",
            FieldType::UInt32 => "uint32",
            FieldType::Int64 => "int64",
            FieldType::UInt64 => "uint64",
            FieldType::Text => "unicode_string",
            FieldType::Binary => "binary_data",
            FieldType::Xml => "xml",
            FieldType::Time => "filetime",
            FieldType::Guid => "guid",
            FieldType::Map(map) => map.name,
        }
    }

    /// Its package.
    #[must_use]
    pub const fn package(self) -> Package {
        match self {
            FieldType::Map(map) => map.package,
            _ => Package::Package0,
        }
    }

    /// Bytes of a value; 0 where they vary.
    #[must_use]
    pub const fn size_bytes(self) -> i32 {
        match self {
            FieldType::Boolean => 1,
            FieldType::UInt16 => 2,
            FieldType::Int32 | FieldType::UInt32 | FieldType::Map(_) => 4,
            FieldType::Int64 | FieldType::UInt64 | FieldType::Time => 8,
            FieldType::Guid => 16,
            FieldType::Text | FieldType::Binary | FieldType::Xml => 0,
        }
    }

    /// What a value of it may be compared with.
    #[must_use]
    pub const fn operands(self) -> Option<Operands> {
        match self {
            FieldType::Text | FieldType::Guid => Some(Operands::Texts),
            FieldType::Binary | FieldType::Xml => None,
            _ => Some(Operands::Numbers),
        }
    }
}

/// The names of an object as it is written: `[module].package.object`, or without the first, or the object's alone.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The package, if it is said.
    pub package: Option<&'a str>,
    /// The object.
    pub object: &'a str,
}

impl Named<'_> {
    /// Whether an object of that package and name is meant.
    pub(crate) fn means(&self, package: Package, name: &str) -> bool {
        self.package.is_none_or(|said| package.name().eq_ignore_ascii_case(said))
            && name.eq_ignore_ascii_case(self.object)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_event_is_at_its_number_and_its_fields_have_different_names() {
        for (at, event) in EVENTS.iter().enumerate() {
            assert_eq!(event.id as usize, at, "{}", event.name);
            let names: BTreeSet<&str> = event.fields.iter().map(|field| field.name).collect();
            assert_eq!(names.len(), event.fields.len(), "{}", event.name);
            assert!(event.fields.len() <= 32, "{}: a mask of 32 bits says which fields are collected", event.name);
            let found = find_event(Named { package: Some(event.package.name()), object: event.name });
            assert_eq!(found.map(|found| found.id), Some(event.id));
        }
        assert!(EVENTS.len() <= 32, "a mask of 32 bits says which events are wanted");
    }

    #[test]
    fn names_are_found_in_any_case_and_only_in_their_package() {
        let find = |package, object| find_event(Named { package, object }).map(|event| event.name);
        assert_eq!(find(Some("SQLOS"), "Wait_Info"), Some("wait_info"));
        assert_eq!(find(None, "error_reported"), Some("error_reported"));
        assert_eq!(find(Some("sqlserver"), "wait_info"), None);
        assert_eq!(find(Some("sqlserver"), "query_post_execution_showplan"), None);
    }
}
