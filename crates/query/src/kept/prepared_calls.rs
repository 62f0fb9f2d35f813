//! The prepared texts of a session by handle, with their parameters.

use std::collections::HashMap;
use std::sync::Arc;

use millpond_catalog::{TableDef, UserTypeDef};
use millpond_engine::module::Signature;
use millpond_message::error::{SqlError, SqlResult};

/// Declarations that a session keeps, and their longest text.
const DECLARATIONS_MAX: usize = 256;

const DECLARATION_BYTES_MAX: usize = 4096;

/// Prepared texts that a session keeps.
const PREPARED_MAX: usize = 1 << 17;

/// Their bytes together.
const PREPARED_BYTES_MAX: usize = 64 << 20;

/// A prepared text.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub text: Arc<str>,
    pub declared: Arc<Declarations>,
}

/// The parameters of a text.
#[derive(Default)]
pub(crate) struct Declarations {
    /// All in their order.
    pub(crate) order: Vec<Slot>,
    pub signature: Arc<Signature>,
    pub(crate) outputs: Vec<bool>,
    pub(crate) tables: Vec<PreparedTable>,
}

/// A parameter of a prepared text.
#[derive(Clone, Copy)]
pub(crate) enum Slot {
    /// Its position in the names.
    Scalar(usize),
    /// Its position in the tables.
    Table(usize),
}

/// A READONLY parameter of a prepared text.
pub(crate) struct PreparedTable {
    pub(crate) ty: Arc<UserTypeDef>,
    pub(crate) def: Arc<TableDef>,
}

impl Declarations {
    /// The parameter of an argument: by its name, else by its position.
    pub(crate) fn slot(&self, position: usize, name: Option<&str>) -> Option<Slot> {
        let here = self.order.get(position).copied();
        let Some(name) = name else { return here };
        if let Some(Slot::Scalar(index)) = here
            && self.signature.names[index] == name
        {
            return here;
        }
        let plain = |name: &str| name.trim_start_matches('@').to_lowercase();
        let is = |known: &str| plain(known) == plain(name);
        let table = || self.tables.iter().position(|table| is(&table.def.name)).map(Slot::Table);
        self.signature.names.iter().position(|known| is(known)).map(Slot::Scalar).or_else(table)
    }
}

/// The prepared texts of a session by handle.
#[derive(Default)]
pub struct PreparedCalls {
    pub(crate) by_handle: HashMap<i32, Prepared>,
    pub(crate) last: i32,
    pub(crate) text_bytes: usize,
    /// By their text.
    pub(crate) declarations: HashMap<String, Arc<Declarations>>,
}

impl PreparedCalls {
    pub(crate) fn add(&mut self, prepared: Prepared) -> SqlResult<i32> {
        if self.by_handle.len() >= PREPARED_MAX || self.text_bytes + prepared.text.len() > PREPARED_BYTES_MAX {
            return Err(SqlError::of(701, 123, &[&"default"]));
        }
        self.last = self.last.wrapping_add(1).max(1);
        self.text_bytes += prepared.text.len();
        self.by_handle.insert(self.last, prepared);
        Ok(self.last)
    }

    pub(crate) fn remove(&mut self, handle: i32) -> SqlResult<()> {
        let removed = self.get(handle)?;
        self.by_handle.remove(&handle);
        self.text_bytes -= removed.text.len();
        Ok(())
    }

    pub(crate) fn get(&self, handle: i32) -> SqlResult<Prepared> {
        self.by_handle.get(&handle).cloned().ok_or_else(|| SqlError::of(8179, 1, &[&handle]))
    }

    /// When too many are kept all go: what is in use comes back.
    pub(crate) fn keep(&mut self, text: String, declared: &Arc<Declarations>) {
        if text.len() > DECLARATION_BYTES_MAX {
            return;
        }
        if self.declarations.len() >= DECLARATIONS_MAX {
            self.declarations.clear();
        }
        self.declarations.insert(text, Arc::clone(declared));
    }
}
