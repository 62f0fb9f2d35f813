//! Sends what a statement noted ([`millpond_catalog::run::notes::Notes`]) before its end, each note once.

use millpond_catalog::run::notes::{DIVIDED_BY_ZERO, NULLS_LEFT_OUT, OUT_OF_DOMAIN, OVERFLOWED};
use millpond_message::sink::Message;

use crate::exec::batch::BatchRun;

/// Sends what was noted: once each, before the statement's end.
#[inline]
pub(in crate::exec) fn send_notes(run: &mut BatchRun<'_>) {
    if run.ctx.notes.are_any() {
        send_noted(run);
    }
}

/// A statement that has failed sends nothing but its error, and nobody looks at its operators any more.
pub(in crate::exec) fn forget_notes(run: &mut BatchRun<'_>) {
    let ctx = run.ctx_mut();
    ctx.notes.take();
    ctx.profile = None;
}

#[cold]
fn send_noted(run: &mut BatchRun<'_>) {
    let noted = run.ctx_mut().notes.take();
    let ignores = run.ctx.facts.settings.arithignore;
    let all = [
        (NULLS_LEFT_OUT, false, 8153),
        (DIVIDED_BY_ZERO, ignores, 3607),
        (OVERFLOWED, ignores, 3606),
        (OUT_OF_DOMAIN, ignores, 3622),
    ];
    for (_, _, number) in all.into_iter().filter(|(note, ignored, ..)| noted & note != 0 && !ignored) {
        let procedure = run.frame.procedure.as_deref().unwrap_or_default().to_owned();
        run.sink.message(&Message { procedure, ..Message::of(number, &[]) });
    }
}
