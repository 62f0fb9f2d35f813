//! The API cursors of a session by their handles.
//!
//! What always holds: a handle is the number of its cursor's account, as `sys.dm_exec_cursors` shows it, and is not given twice.

use std::collections::BTreeMap;

use millpond_code::cursors::CursorRef;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Column, Origins};
use millpond_types::Charge;

use crate::buffer::Buffer;
use crate::options::Given;

/// Most cursors that a session has at a time.
const CURSORS_MAX: usize = 16_384;

/// Memory of rows that a cursor keeps.
pub type Room = Box<dyn Charge>;

/// An open API cursor.
pub struct ApiCursor {
    /// What it is in T-SQL.
    pub cursor: CursorRef,
    /// What it has become.
    pub given: Given,
    /// It is closed when its last row has been fetched.
    pub closes: bool,
    /// Its columns, the row's status last.
    pub columns: Vec<Column>,
    /// Where they are from.
    pub origins: Origins,
    /// Its fetch buffer.
    pub buffer: Buffer,
    /// The name that sp_cursoroption gave, in lower case.
    pub name: Option<String>,
    /// Memory of its rows.
    pub room: Option<Room>,
}

/// The API cursors of a session.
#[derive(Default)]
pub struct ApiCursors {
    by_handle: BTreeMap<i32, ApiCursor>,
}

impl ApiCursors {
    /// Whether one more may be opened.
    ///
    /// # Errors
    /// 16960
    pub fn check_count(&self) -> SqlResult<()> {
        if self.by_handle.len() >= CURSORS_MAX { Err(SqlError::of(16_960, 1, &[])) } else { Ok(()) }
    }

    /// Keeps a cursor; its handle.
    pub fn add(&mut self, cursor: ApiCursor) -> i32 {
        let handle = cursor.cursor.lock().account.id;
        self.by_handle.insert(handle, cursor);
        handle
    }

    /// The cursor of a handle.
    pub fn get(&mut self, handle: i32) -> Option<&mut ApiCursor> {
        self.by_handle.get_mut(&handle)
    }

    /// Takes a cursor out, to be put back or to end.
    pub fn take(&mut self, handle: i32) -> Option<ApiCursor> {
        self.by_handle.remove(&handle)
    }

    /// Puts it back.
    pub fn put(&mut self, handle: i32, cursor: ApiCursor) {
        self.by_handle.insert(handle, cursor);
    }

    /// The handles of all.
    #[must_use]
    pub fn handles(&self) -> Vec<i32> {
        self.by_handle.keys().copied().collect()
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &CursorRef> {
        self.by_handle.values().map(|cursor| &cursor.cursor)
    }
}
