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
pub struct Prepared {
    /// The text of the statement.
    pub text: Arc<str>,
    /// Its parameters.
    pub declared: Arc<Declarations>,
}

/// The parameters of a text.
#[derive(Default)]
pub struct Declarations {
    /// All in their order.
    pub order: Vec<Slot>,
    /// The same as a module has them.
    pub signature: Arc<Signature>,
    /// For each parameter whether it is an OUTPUT one.
    pub outputs: Vec<bool>,
    /// For each parameter of a table type what that was.
    pub tables: Vec<PreparedTable>,
    /// Names of the CURSOR parameters.
    pub cursors: Vec<String>,
}

/// A parameter of a prepared text.
#[derive(Clone, Copy)]
pub enum Slot {
    /// Its position in the names.
    Scalar(usize),
    /// Its position in the tables.
    Table(usize),
    /// Its position in the cursors.
    Cursor(usize),
}

/// A READONLY parameter of a prepared text.
pub struct PreparedTable {
    /// The type.
    pub ty: Arc<UserTypeDef>,
    /// Its table.
    pub def: Arc<TableDef>,
}

impl Declarations {
    /// The parameter of an argument: by its name, else by its position.
    pub fn slot(&self, position: usize, name: Option<&str>) -> Option<Slot> {
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
        let cursor = || self.cursors.iter().position(|known| is(known)).map(Slot::Cursor);
        self.signature.names.iter().position(|known| is(known)).map(Slot::Scalar).or_else(table).or_else(cursor)
    }
}

/// The prepared texts of a session by handle.
#[derive(Default)]
pub struct PreparedCalls {
    /// The statements by their handles.
    pub by_handle: HashMap<i32, Prepared>,
    /// The handle that was given last.
    pub last: i32,
    /// Bytes of all texts.
    pub text_bytes: usize,
    /// By their text.
    pub declarations: HashMap<String, Arc<Declarations>>,
}

impl PreparedCalls {
    /// Keeps a statement and gives its handle.
    ///
    /// # Errors
    /// 701 beyond `PREPARED_MAX` statements or `PREPARED_BYTES_MAX` of text.
    pub fn add(&mut self, prepared: Prepared) -> SqlResult<i32> {
        if self.by_handle.len() >= PREPARED_MAX || self.text_bytes + prepared.text.len() > PREPARED_BYTES_MAX {
            return Err(SqlError::of(701, 123, &[&"default"]));
        }
        self.last = self.last.wrapping_add(1).max(1);
        self.text_bytes += prepared.text.len();
        self.by_handle.insert(self.last, prepared);
        Ok(self.last)
    }

    /// Forgets a statement.
    ///
    /// # Errors
    /// 8179 for a handle of none.
    pub fn remove(&mut self, handle: i32) -> SqlResult<()> {
        let removed = self.get(handle)?;
        self.by_handle.remove(&handle);
        self.text_bytes -= removed.text.len();
        Ok(())
    }

    /// The statement of a handle.
    ///
    /// # Errors
    /// 8179 for a handle of none.
    pub fn get(&self, handle: i32) -> SqlResult<Prepared> {
        self.by_handle.get(&handle).cloned().ok_or_else(|| SqlError::of(8179, 1, &[&handle]))
    }

    /// When too many are kept all go: what is in use comes back.
    pub fn keep(&mut self, text: String, declared: &Arc<Declarations>) {
        if text.len() > DECLARATION_BYTES_MAX {
            return;
        }
        if self.declarations.len() >= DECLARATIONS_MAX {
            self.declarations.clear();
        }
        self.declarations.insert(text, Arc::clone(declared));
    }
}
