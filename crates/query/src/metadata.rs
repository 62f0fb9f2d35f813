//! What metadata functions see: the engine's and the session's names behind the trait that the functions own.

use std::sync::atomic::Ordering::Relaxed;

use millpond_storage::contract::DbId;
use millpond_storage::file_header::FileKind;
use millpond_types::SqlType;

use crate::builtin::facts::{Catalog, DatabaseFacts, FileFacts, NameParts, ObjectFacts, ServerFacts, Usage};
use crate::builtin::random::Random;
use crate::catalog::names_equal;
use crate::context::RunContext;
use crate::view;

/// Object ids of system views: below those of temporary tables, stable for a version.
const VIEW_ID_BASE: i32 = -1000;

/// Schemas of every database.
const SCHEMAS: [(i32, &str); 4] = [(1, "dbo"), (2, "guest"), (3, "INFORMATION_SCHEMA"), (4, "sys")];

impl Catalog for RunContext {
    fn database_id(&self, name: &str) -> Option<DbId> {
        self.engine.database_id(name)
    }

    fn database_name(&self, id: DbId) -> Option<String> {
        self.engine.database_name(id)
    }

    fn database(&self, id: DbId) -> Option<DatabaseFacts> {
        self.engine.database_name(id)?;
        Some(DatabaseFacts { recovery: "SIMPLE", status: "ONLINE", user_access: "MULTI_USER", is_read_only: false })
    }

    fn object_id(&self, name: &NameParts, kind: Option<&str>) -> Option<i32> {
        if name.object.starts_with('#') {
            let in_tempdb = name.database.as_deref().is_none_or(|database| names_equal(database, "tempdb"));
            let is_table = kind.is_none_or(|kind| kind.trim().eq_ignore_ascii_case("U"));
            let temp = self.session.temp.read();
            return temp
                .find(&name.object)
                .filter(|_| in_tempdb && is_table)
                .map(|table| table.heap.object_id().0 as i32);
        }
        if kind.is_some_and(|kind| !kind.trim().eq_ignore_ascii_case("V")) {
            return None;
        }
        let found = view::find(name.schema.as_deref().unwrap_or("sys"), &name.object)?;
        let index = view::VIEWS.iter().position(|view| std::ptr::eq(*view, found))?;
        Some(VIEW_ID_BASE - i32::try_from(index).ok()?)
    }

    fn object(&self, id: i32, _database: DbId) -> Option<ObjectFacts> {
        if let Some(table) = self.session.temp.read().by_id(id as u32) {
            let name = table.internal_name();
            return Some(ObjectFacts { name, schema_id: 1, schema: "dbo".to_owned(), kind: "U" });
        }
        let index = usize::try_from(VIEW_ID_BASE.checked_sub(id)?).ok()?;
        let view = view::VIEWS.get(index)?;
        let schema_id = self.schema_id(view.schema)?;
        Some(ObjectFacts { name: view.name.to_owned(), schema_id, schema: view.schema.to_owned(), kind: "V" })
    }

    fn definition(&self, id: i32) -> Option<std::sync::Arc<str>> {
        let objects = self.engine.databases().dictionary(self.facts.database).ok()?.catalog().objects();
        match objects.get(crate::catalog::ObjectId(id))? {
            crate::catalog::CatalogObject::Module(def) => Some(std::sync::Arc::clone(&def.text)),
            _ => None,
        }
    }

    fn procedure_id(&self) -> i32 {
        self.facts.procedure
    }

    fn schema_id(&self, name: &str) -> Option<i32> {
        SCHEMAS.iter().find(|(_, known)| names_equal(known, name)).map(|(id, _)| *id)
    }

    fn schema_name(&self, id: i32) -> Option<String> {
        SCHEMAS.iter().find(|(known, _)| *known == id).map(|(_, name)| (*name).to_owned())
    }

    fn columns(&self, object_id: i32) -> Option<Vec<(String, SqlType)>> {
        if let Some(table) = self.session.temp.read().by_id(object_id as u32) {
            return Some(table.def.columns.iter().map(|column| (column.name.clone(), column.ty.sql)).collect());
        }
        let view = view::VIEWS.get(usize::try_from(VIEW_ID_BASE.checked_sub(object_id)?).ok()?)?;
        Some(view.columns.iter().map(|column| (column.name.to_owned(), column.sql)).collect())
    }

    fn files(&self) -> Vec<FileFacts> {
        let files = self.engine.instance().files(self.facts.database);
        files
            .into_iter()
            .map(|file| FileFacts {
                file_id: i32::from(file.file.0),
                name: file.name,
                is_log: file.kind == FileKind::Log,
                is_read_only: false,
            })
            .collect()
    }

    fn file_used_pages(&self, file_id: i32) -> Option<i64> {
        let spaces = self.engine.instance().space_report(self.facts.database);
        let space = spaces.into_iter().find(|space| i32::from(space.file.0) == file_id)?;
        i64::try_from(space.allocated).ok()
    }

    fn server(&self) -> ServerFacts {
        ServerFacts { machine: self.engine.machine().to_owned(), instance: None }
    }

    fn usage(&self) -> Usage {
        self.engine.usage()
    }

    fn max_connections(&self) -> i32 {
        32_767
    }

    fn process_id(&self) -> u32 {
        std::process::id()
    }

    fn is_sysadmin(&self) -> bool {
        true
    }

    fn context_info(&self) -> Option<Box<[u8]>> {
        self.session.context_info.lock().clone()
    }

    fn cursor_rows(&self) -> i32 {
        self.session.cursor_rows.load(Relaxed)
    }

    fn fetch_status(&self) -> i32 {
        self.session.fetch_status.load(Relaxed)
    }

    fn random(&self) -> &Random {
        &self.session.random
    }
}
