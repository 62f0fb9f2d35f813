//! What a statement tells of its own accord once it has run: NULLs that its aggregates left out, and operations that gave
//! NULL instead of an error.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use super::batch::BatchRun;
use crate::message;
use crate::sink::Message;

const NULLS_LEFT_OUT: u8 = 1;
const DIVIDED_BY_ZERO: u8 = 2;
const OVERFLOWED: u8 = 4;
const OUT_OF_DOMAIN: u8 = 8;

/// What there is to tell of the running statement; threads of its plan note it too.
#[derive(Debug, Default)]
pub struct Notes(AtomicU8);

impl Notes {
    /// An aggregate left a NULL out.
    #[inline]
    pub fn left_null_out(&self) {
        // Most rows come after the first NULL, and a line that is only read stays with all threads.
        if self.0.load(Relaxed) & NULLS_LEFT_OUT == 0 {
            self.0.fetch_or(NULLS_LEFT_OUT, Relaxed);
        }
    }

    /// An operation gave NULL instead of an error of this number.
    pub fn gave_null(&self, error: i32) {
        let note = match error {
            message::DIVIDE_BY_ZERO => DIVIDED_BY_ZERO,
            message::OUT_OF_DOMAIN => OUT_OF_DOMAIN,
            _ => OVERFLOWED,
        };
        self.0.fetch_or(note, Relaxed);
    }

    /// What was noted, which is then forgotten.
    fn take(&mut self) -> u8 {
        std::mem::take(self.0.get_mut())
    }
}

impl BatchRun<'_> {
    /// Tells what was noted: once each, before the statement's end.
    #[inline]
    pub(super) fn tell_notes(&mut self) {
        let noted = self.ctx_mut().notes.take();
        if noted != 0 {
            self.tell_noted(noted);
        }
    }

    /// Of a statement that has failed nothing but its error is told.
    pub(super) fn forget_notes(&mut self) {
        self.ctx_mut().notes.take();
    }

    #[cold]
    fn tell_noted(&mut self, noted: u8) {
        let ignores = self.ctx.facts.settings.arithignore;
        let all = [
            (NULLS_LEFT_OUT, false, 8153, "Warning: Null value is eliminated by an aggregate or other SET operation."),
            (DIVIDED_BY_ZERO, ignores, 3607, "Division by zero occurred."),
            (OVERFLOWED, ignores, 3606, "Arithmetic overflow occurred."),
            (OUT_OF_DOMAIN, ignores, 3622, "Warning: An invalid floating point operation occurred."),
        ];
        for (_, _, number, text) in all.into_iter().filter(|(note, ignored, ..)| noted & note != 0 && !ignored) {
            let procedure = self.frame.procedure.as_deref().unwrap_or_default().to_owned();
            let text = text.to_owned();
            self.sink.message(&Message { number, severity: 0, state: 1, line: 0, procedure, text });
        }
    }
}
