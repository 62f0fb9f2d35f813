//! Where a session is: the text whose statement runs, and the statement's place in it. The text is a batch's, a module's or one of
//! dynamic SQL; between requests it is that of the last statement.
//!
//! What always holds: the number beside the place is that of the text which the place is in, but for the moment in which another
//! text begins; who reads both then may see a place beyond the text's end. It does not know what the statement does.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use millpond_tsql::ast::Span;
use millpond_tsql::shape::shape_hash;
use parking_lot::Mutex;

use crate::parsed::ParsedBatch;

/// What the handle of a text begins with.
pub const SQL_HANDLE: u8 = 2;
/// What the handle of a text's plans begins with.
pub const PLAN_HANDLE: u8 = 6;

/// What a text or its plans are named by: `sql_handle` and `plan_handle` of views.
#[must_use]
pub fn handle_bytes(kind: u8, text_id: u64) -> Vec<u8> {
    let mut handle = vec![kind, 0, 0, 0];
    handle.extend(text_id.to_be_bytes());
    handle
}

/// A text that runs, or has run last.
#[derive(Clone, Debug)]
pub struct RunningText {
    /// Number of its tree: what handles are made of.
    pub id: u64,
    /// The text.
    pub text: Arc<str>,
    /// Module, or 0.
    pub object: i32,
    /// Database that was current when it began.
    pub database: u16,
}

impl RunningText {
    /// Places in the text as SQL Server counts them: bytes of UTF-16.
    #[must_use]
    pub fn offsets(&self, start: u32, end: u32) -> (i32, i32) {
        let offset = |at: u32| {
            let before = self.text.get(..at as usize).map_or(0, |text| text.encode_utf16().count());
            i32::try_from(before * 2).unwrap_or(i32::MAX)
        };
        (offset(start), offset(end))
    }
}

/// Of one session.
#[derive(Default)]
pub struct RunningStatement {
    /// Number of the text; 0 before the first one.
    text_id: AtomicU64,
    /// First byte of the statement in the text.
    start: AtomicU32,
    /// Byte after its last.
    end: AtomicU32,
    text: Mutex<Option<RunningText>>,
    /// The hash that was asked for last, with the text and the place that it is of.
    hash: Mutex<Option<((u64, u32), u64)>>,
}

impl RunningStatement {
    /// A statement at `span` of a text begins; `object` and `database` are asked for where the text is another than before.
    #[inline(always)]
    pub fn mark(&self, parsed: &ParsedBatch, span: Span, place: impl FnOnce() -> (i32, u16)) {
        self.start.store(span.start, Relaxed);
        self.end.store(span.end, Relaxed);
        if self.text_id.load(Relaxed) != parsed.id {
            self.enter(parsed, place());
        }
    }

    #[cold]
    #[inline(never)]
    fn enter(&self, parsed: &ParsedBatch, (object, database): (i32, u16)) {
        self.text_id.store(parsed.id, Relaxed);
        let text = RunningText { id: parsed.id, text: Arc::clone(&parsed.text), object, database };
        *self.text.lock() = Some(text).filter(|_| !parsed.batch.has_password);
    }

    /// The text with the statement's first byte and the one after its last; none before the first statement, and of a text in which
    /// a password is written. Until the first statement of a request begins it is that of the request before.
    #[must_use]
    pub fn now(&self) -> Option<(RunningText, u32, u32)> {
        let text = self.text.lock().clone()?;
        Some((text, self.start.load(Relaxed), self.end.load(Relaxed)))
    }

    /// `query_hash` of what [`RunningStatement::now`] has given: polls of the same statement make it once.
    #[must_use]
    pub fn query_hash(&self, text: &RunningText, start: u32, end: u32) -> u64 {
        let mut known = self.hash.lock();
        match *known {
            Some((of, hash)) if of == (text.id, start) => hash,
            _ => {
                let statement = text.text.get(start as usize..end as usize).unwrap_or_default();
                let hash = shape_hash(statement.trim());
                *known = Some(((text.id, start), hash));
                hash
            }
        }
    }

    /// Lets a text of more than so many bytes go: its request is over.
    pub fn forget_long(&self, bytes_max: usize) {
        let mut text = self.text.lock();
        if text.as_ref().is_some_and(|text| text.text.len() > bytes_max) {
            self.text_id.store(0, Relaxed);
            *text = None;
        }
    }
}
