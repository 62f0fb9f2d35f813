//! Maps: numbers that a field may have, and what each means.

use super::Package;

/// A map.
#[derive(Debug)]
pub struct Map {
    /// Its name.
    pub name: &'static str,
    /// Where it is.
    pub package: Package,
    /// What it has.
    pub values: MapValues,
}

/// What a map has.
#[derive(Debug)]
pub enum MapValues {
    /// These keys.
    Listed(&'static [(u32, &'static str)]),
    /// The types of waits, which what lies above knows.
    WaitTypes,
}

impl Map {
    /// What a key means.
    #[must_use]
    pub fn text(&self, key: u32) -> &'static str {
        match self.values {
            MapValues::Listed(values) => values.iter().find(|(known, _)| *known == key).map_or("", |(_, text)| text),
            MapValues::WaitTypes => "",
        }
    }

    /// The key of a text, in any case.
    #[must_use]
    pub fn key(&self, text: &str) -> Option<u32> {
        match self.values {
            MapValues::Listed(values) => {
                values.iter().find(|(_, known)| known.eq_ignore_ascii_case(text)).map(|(key, _)| *key)
            }
            MapValues::WaitTypes => None,
        }
    }
}

const fn map(name: &'static str, values: &'static [(u32, &'static str)]) -> Map {
    Map { name, package: Package::SqlServer, values: MapValues::Listed(values) }
}

/// How a batch or call ended.
pub static RESULT: Map = map("result", &[(0, "OK"), (1, "Error"), (2, "Abort")]);
/// What an error is of.
pub static ERROR_CATEGORY: Map = map("error_category", &[(1, "UNKNOWN"), (2, "SERVER"), (3, "USER")]);
/// Where it goes.
pub static ERROR_DESTINATION: Map =
    map("error_destination", &[(0, "NONE"), (1, "ERRORLOG"), (2, "USER"), (3, "ERRORLOG, USER")]);
/// Whether a statement was bound before it began.
pub static STATEMENT_STATE: Map = map("statement_starting_state", &[(0, "Normal"), (1, "Recompiled")]);
/// Whether a connection out of a pool was reset.
pub static CONNECTION_RESET: Map = map("connection_reset_option", &[(0, "None"), (1, "Reset"), (2, "ResetKeepTran")]);
/// What a module is: the letters of `sys.objects` as numbers.
pub static OBJECT_TYPE: Map = map(
    "object_type",
    &[
        (8272, "PROC"),
        (8278, "VIEW"),
        (17_993, "INLINE_FUNCTION"),
        (20_038, "SCALAR_FUNCTION"),
        (18_004, "TABLE_FUNCTION"),
        (21_076, "TRIGGER"),
        (20_801, "ADHOC"),
        (20_816, "PREPARED"),
    ],
);
/// What is locked.
pub static LOCK_RESOURCE: Map = map(
    "lock_resource_type",
    &[
        (0, "UNKNOWN_LOCK_RESOURCE"),
        (2, "DATABASE"),
        (3, "FILE"),
        (5, "OBJECT"),
        (6, "PAGE"),
        (7, "KEY"),
        (8, "EXTENT"),
        (9, "RID"),
        (10, "APPLICATION"),
        (11, "METADATA"),
        (12, "HOBT"),
        (13, "ALLOCATION_UNIT"),
    ],
);
/// How it is locked.
pub static LOCK_MODE: Map = map(
    "lock_mode",
    &[
        (0, "NL"),
        (1, "SCH_S"),
        (2, "SCH_M"),
        (3, "S"),
        (4, "U"),
        (5, "X"),
        (6, "IS"),
        (7, "IU"),
        (8, "IX"),
        (9, "SIU"),
        (10, "SIX"),
        (11, "UIX"),
        (12, "BU"),
        (13, "RS_S"),
        (14, "RS_U"),
        (15, "RI_NL"),
        (16, "RI_S"),
        (17, "RI_U"),
        (18, "RI_X"),
        (19, "RX_S"),
        (20, "RX_U"),
        (21, "RX_X"),
    ],
);
/// What has the lock.
pub static LOCK_OWNER: Map =
    map("lock_owner_type", &[(0, "Unknown"), (1, "Transaction"), (2, "Cursor"), (3, "Session")]);
/// Why locks of rows became one of the table.
pub static ESCALATION_CAUSE: Map = map("lock_escalation_cause", &[(0, "Lock threshold"), (1, "Memory threshold")]);
/// How a hash went to tempdb.
pub static HASH_WARNING: Map = map("hash_warning_type", &[(0, "Recursion"), (1, "Bailout")]);
/// How a sort went to tempdb.
pub static SORT_WARNING: Map = map("sort_warning_type", &[(0, "Single pass"), (1, "Multiple pass")]);
/// What a file holds.
pub static FILE_TYPE: Map = map("database_file_type", &[(0, "Data file"), (1, "Log file")]);
/// Which end of something long an event is.
pub static OPCODE: Map =
    Map { name: "event_opcode", package: Package::SqlOs, values: MapValues::Listed(&[(0, "Begin"), (1, "End")]) };
/// Types of waits; keys are this server's, and may be others after an update: look them up by their texts.
pub static WAIT_TYPES: Map = Map { name: "wait_types", package: Package::SqlOs, values: MapValues::WaitTypes };

/// All of them.
pub static MAPS: [&Map; 16] = [
    &RESULT,
    &ERROR_CATEGORY,
    &ERROR_DESTINATION,
    &STATEMENT_STATE,
    &CONNECTION_RESET,
    &OBJECT_TYPE,
    &LOCK_RESOURCE,
    &LOCK_MODE,
    &LOCK_OWNER,
    &ESCALATION_CAUSE,
    &HASH_WARNING,
    &SORT_WARNING,
    &FILE_TYPE,
    &OPCODE,
    &WAIT_TYPES,
    &SYNC_MODE,
];
/// What a histogram counts by.
pub(super) static SYNC_MODE: Map = Map {
    name: "histogram_source_type",
    package: Package::Package0,
    values: MapValues::Listed(&[(0, "field"), (1, "action")]),
};
