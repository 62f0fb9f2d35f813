//! Procedures of the server that are written in T-SQL: those of schema sys, which run in every database, and those of msdb.
//!
//! ```text
//!   sys/family.sql      CREATE PROCEDURE sys.sp_…  GO  …          names in it are those of the database that it runs in
//!   agent/family.sql    CREATE PROCEDURE dbo.sp_…  GO  …          run in msdb, over tables that agent/tables.sql makes at the first call
//! ```
//! A text says what it is called; its number follows from its name, and stays as long as the name does (`pinned.txt`).

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use millpond_catalog::dictionary::ShippedModule;
use millpond_catalog::{ModuleDef, ModuleKind, ObjectId, Schema, SchemaId};
use millpond_engine::system_call::{MsdbPart, TextProcedure};
use millpond_storage::contract::DbId;
use parking_lot::Mutex;

/// Procedures of every database.
const SYS: [&str; 12] = [
    include_str!("sys/cursors.sql"),
    include_str!("sys/databases.sql"),
    include_str!("sys/devices.sql"),
    include_str!("sys/diagnostics.sql"),
    include_str!("sys/encryption.sql"),
    include_str!("sys/estimates.sql"),
    include_str!("sys/foreach.sql"),
    include_str!("sys/linked_servers.sql"),
    include_str!("sys/objects.sql"),
    include_str!("sys/rights.sql"),
    include_str!("sys/server.sql"),
    include_str!("sys/tools.sql"),
];

/// The Agent.
static AGENT: MsdbPart = MsdbPart {
    role: "SQLAgentUserRole",
    sign: Some("sysjobs"),
    tables: include_str!("agent/tables.sql"),
    making: Mutex::new(()),
};

/// The history of backups, whose tables the first backup makes.
static BACKUP: MsdbPart = MsdbPart { role: "db_owner", sign: None, tables: "", making: Mutex::new(()) };

/// Database Mail.
static MAIL: MsdbPart = MsdbPart {
    role: "DatabaseMailUserRole",
    sign: Some("sysmail_log"),
    tables: include_str!("mail/tables.sql"),
    making: Mutex::new(()),
};

/// Procedures of msdb, each family with its part.
static MSDB: [(&MsdbPart, &str); 12] = [
    (&AGENT, include_str!("agent/alerts.sql")),
    (&AGENT, include_str!("agent/categories.sql")),
    (&AGENT, include_str!("agent/history.sql")),
    (&AGENT, include_str!("agent/jobs.sql")),
    (&AGENT, include_str!("agent/operators.sql")),
    (&AGENT, include_str!("agent/proxies.sql")),
    (&AGENT, include_str!("agent/schedules.sql")),
    (&AGENT, include_str!("agent/servers.sql")),
    (&AGENT, include_str!("agent/steps.sql")),
    (&BACKUP, include_str!("backup/history.sql")),
    (&MAIL, include_str!("mail/mail.sql")),
    (&MAIL, include_str!("mail/profiles.sql")),
];

/// What their names begin with.
const PREFIXES: [&str; 3] = ["sp_", "xp_", "sysmail_"];

/// Procedures by their names in lower case.
type ByName = HashMap<String, TextProcedure>;

static OF_SYS: LazyLock<ByName> = LazyLock::new(|| {
    let schema = Schema { id: SchemaId(4), name: "sys".into() };
    SYS.iter().flat_map(|family| procedures(family, &schema, None)).collect()
});

static OF_MSDB: LazyLock<ByName> = LazyLock::new(|| {
    let schema = Schema { id: SchemaId::DBO, name: "dbo".into() };
    MSDB.iter().flat_map(|(part, family)| procedures(family, &schema, Some(part))).collect()
});

/// The procedure of a name in a database.
pub(crate) fn find(database: DbId, name: &str) -> Option<&'static TextProcedure> {
    // Every call of a procedure comes here: most are of the user's, by other names.
    if !PREFIXES.iter().any(|prefix| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let of_msdb = if database == DbId::MSDB { OF_MSDB.get(&name) } else { None };
    of_msdb.or_else(|| OF_SYS.get(&name))
}

/// All of schema sys.
pub(crate) fn of_sys() -> impl Iterator<Item = &'static ModuleDef> {
    OF_SYS.values().map(|procedure| &*procedure.def)
}

/// Those that are objects of a database.
pub(crate) fn of_database(database: DbId) -> Vec<ShippedModule> {
    let all = OF_MSDB.values().filter(|_| database == DbId::MSDB);
    all.filter_map(|one| Some(ShippedModule { def: Arc::clone(&one.def), role: one.part?.role })).collect()
}

/// The procedures of a family.
fn procedures(
    family: &'static str,
    schema: &Schema,
    part: Option<&'static MsdbPart>,
) -> impl Iterator<Item = (String, TextProcedure)> {
    let texts = family.split_inclusive('\n').fold(vec![String::new()], |mut texts, line| {
        match line.trim_end() {
            "GO" => texts.push(String::new()),
            _ => texts.last_mut().expect("one is there from the first").push_str(line),
        }
        texts
    });
    let texts = texts.into_iter().filter_map(|text| Some(text[text.find(CREATE)?..].to_owned()));
    texts.map(move |text| {
        let of = schema.name.clone();
        let name = text[CREATE.len()..].strip_prefix(&*of).and_then(|rest| rest.strip_prefix('.'));
        let name = name.unwrap_or_else(|| panic!("{of} is the schema of {text:.60}"));
        let name: String = name.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let key = name.to_ascii_lowercase();
        let def = ModuleDef {
            id: number(&format!("{of}.{key}")),
            schema: schema.clone(),
            name,
            kind: ModuleKind::Procedure,
            text: text.into(),
            columns: Arc::default(),
            parent: ObjectId(0),
            order: Arc::default(),
            quoted_identifier: true,
            ansi_nulls: true,
            is_disabled: false,
            is_system: true,
            runs_as: None,
            created_us: 0,
            modified_us: 0,
        };
        (key, TextProcedure { def: Arc::new(def), part })
    })
}

/// What each text begins with, after its comments.
const CREATE: &str = "CREATE PROCEDURE ";

/// The number that follows from a name: FNV-1a, in the range of such numbers.
fn number(name: &str) -> ObjectId {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let range = ObjectId::OF_SERVER_TEXTS;
    let count = range.start().abs_diff(*range.end()) + 1;
    ObjectId(range.end() - (hash % count).cast_signed())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use millpond_tsql::{ParseOptions, parse_batch};

    use super::*;

    #[test]
    fn texts_are_procedures_with_numbers_of_their_own() {
        let families = SYS.iter().copied().chain(MSDB.iter().map(|(_, family)| *family));
        let written: usize = families.map(|family| family.matches("\nCREATE PROCEDURE ").count()).sum();
        let all: Vec<_> = OF_SYS.values().chain(OF_MSDB.values()).collect();
        assert_eq!(all.len(), written, "a name is there twice, or a GO is missing");
        let mut numbers = HashSet::new();
        for procedure in all {
            let def = &procedure.def;
            assert!(def.id.is_server_text() && numbers.insert(def.id), "{} has the number {:?}", def.name, def.id);
            let parsed = parse_batch(&def.text, ParseOptions { quoted_identifier: true });
            let found = find(if procedure.part.is_some() { DbId::MSDB } else { DbId::MASTER }, &def.name);
            assert!(found.is_some_and(|found| found.def.id == def.id), "{} is not found", def.name);
            assert!(parsed.is_ok_and(|batch| batch.statements.len() == 1), "{} cannot be read", def.name);
        }
    }
}
