//! Sends what a statement noted ([`millpond_catalog::run::notes::Notes`]) before its end, each note once.

use millpond_catalog::run::notes::{DIVIDED_BY_ZERO, NULLS_LEFT_OUT, OUT_OF_DOMAIN, OVERFLOWED};
use millpond_message::sink::Message;

use crate::exec::batch::BatchRun;

impl BatchRun<'_> {
    /// Tells what was noted: once each, before the statement's end.
    #[inline]
    pub(in crate::exec) fn tell_notes(&mut self) {
        if self.ctx.notes.are_any() {
            self.tell_noted();
        }
    }

    /// Of a statement that has failed nothing but its error is told.
    pub(in crate::exec) fn forget_notes(&mut self) {
        self.ctx_mut().notes.take();
    }

    #[cold]
    fn tell_noted(&mut self) {
        let noted = self.ctx_mut().notes.take();
        let ignores = self.ctx.facts.settings.arithignore;
        let all = [
            (NULLS_LEFT_OUT, false, 8153),
            (DIVIDED_BY_ZERO, ignores, 3607),
            (OVERFLOWED, ignores, 3606),
            (OUT_OF_DOMAIN, ignores, 3622),
        ];
        for (_, _, number) in all.into_iter().filter(|(note, ignored, ..)| noted & note != 0 && !ignored) {
            let procedure = self.frame.procedure.as_deref().unwrap_or_default().to_owned();
            self.sink.message(&Message { procedure, ..Message::of(number, &[]) });
        }
    }
}
