//! Procedures whose names begin with `#`: of the session that makes them, gone with it, in no catalog.

use std::sync::Arc;

use millpond_bind::Home;
use millpond_catalog::{ModuleDef, ModuleKind, ObjectId, Schema};
use millpond_engine::temp::TempProcedure;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_storage::contract::DbId;
use millpond_tsql::ast::{self, DefinitionVerb};

use crate::exec::batch::BatchRun;
use crate::exec::routine::module::{kind_of, module_text};

/// Whether a module's name is of a temporary object.
pub(in crate::exec) fn is_temporary(name: &str) -> bool {
    name.starts_with('#')
}

impl BatchRun<'_> {
    /// CREATE, ALTER, CREATE OR ALTER of a module with a temporary name.
    ///
    /// # Errors
    /// 4103 for a view, 1074 for a function, 40517 for a name that all sessions are to see, 2714 and 208; what of its
    /// text cannot be bound.
    pub(in crate::exec) fn define_temporary(&mut self, module: &ast::Module) -> SqlResult<()> {
        let last = module.name.last().clone();
        match kind_of(module) {
            ModuleKind::Procedure => {}
            ModuleKind::View => {
                return Err(SqlError::of(4103, 1, &[&last]));
            }
            ModuleKind::Trigger => return Err(message::missing("A trigger with a temporary name")),
            _ => return Err(SqlError::of(1074, 1, &[])),
        }
        if last.starts_with("##") {
            return Err(message::missing("A global temporary procedure"));
        }
        let known = self.ctx.session.temp.read().procedure(&last).cloned();
        let now_us = self.ctx.engine.now_us().1;
        let tempdb = self.ctx.engine.databases().dictionary(DbId::TEMPDB)?;
        let (id, created_us) = match (known, module.verb) {
            (Some(known), DefinitionVerb::Alter | DefinitionVerb::CreateOrAlter) => {
                (known.def.id, known.def.created_us)
            }
            (Some(_), DefinitionVerb::Create) => return Err(message::object_exists(&last)),
            (None, DefinitionVerb::Alter) => return Err(message::invalid_object(&last)),
            (None, _) => (tempdb.catalog().next_object_id(), now_us),
        };
        let settings = &self.ctx.facts.settings;
        let def = Arc::new(ModuleDef {
            columns: Arc::default(),
            id,
            schema: Schema::dbo(),
            name: last,
            kind: ModuleKind::Procedure,
            text: module_text(&self.parsed.text, module),
            quoted_identifier: settings.quoted_identifier,
            ansi_nulls: settings.ansi_nulls,
            parent: ObjectId(0),
            is_disabled: false,
            is_system: false,
            created_us,
            modified_us: now_us,
        });
        let database = self.ctx.facts.database;
        self.check_module(module, Home::of(database, &def))?;
        // What cannot be read again is not kept.
        self.ctx.engine.read_module(&def)?;
        self.implicit_begin();
        let in_transaction = self.session.work.in_transaction();
        self.ctx.session.temp.write().put_procedure(TempProcedure { database, def }, in_transaction);
        self.done_quietly(0);
        Ok(())
    }

    /// Whether there was one.
    pub(in crate::exec) fn drop_temporary(&mut self, name: &str) -> bool {
        let in_transaction = self.session.work.in_transaction();
        let mut temp = self.ctx.session.temp.write();
        let was_there = temp.procedure(name).is_some();
        temp.remove_procedure(name, in_transaction);
        was_there
    }
}
