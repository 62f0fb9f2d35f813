//! EXECUTE … WITH RESULT SETS: what a call sends is held against what was declared, and converted to it.
//!
//! What always holds: a statement of the call whose result set is not the next declared one fails with that, where a TRY around
//! it may catch it; what was sent before has gone to the client. Sets that are missing are the failure of EXECUTE.

use millpond_engine::system_call;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{Sink, SinkClosed};
use millpond_names::shaped_results::{ShapedResults, ShapedSink};
use millpond_tsql::ast::ResultSets;

use crate::exec::batch::BatchRun;
use crate::exec::batch::gathering::{Gathering, GatheringSink};

/// Runs a call whose result sets are declared.
///
/// # Errors
/// 2715 and 448 for what is no type and no collation, 11536 for sets that did not come; of the call,
/// and 11535, 11537, 11538, 11553 and 8114 of its statements.
pub(in crate::exec) fn with_result_sets(
    run: &mut BatchRun<'_>,
    declared: &ResultSets,
    call: impl FnOnce(&mut BatchRun<'_>) -> SqlResult<()>,
) -> SqlResult<()> {
    let sets = match declared {
        ResultSets::Undefined => return call(run),
        ResultSets::None => &[][..],
        ResultSets::Sets(sets) => sets,
    };
    run.shaped = Some(Box::new(ShapedResults::of(&run.ctx, sets)?));
    let done = call(run);
    let Some(mut shaped) = run.shaped.take() else { return done };
    if let Some(error) = shaped.failure() {
        return Err(error);
    }
    done?;
    if run.ends_batch { Ok(()) } else { shaped.check_whole() }
}

/// Calls something for a batch: what it sends goes to the rows that INSERT … EXEC gathers, else to the result sets that are
/// declared, else to the batch's own sink.
pub(in crate::exec) fn for_receiver<T>(
    gathering: &mut Option<Box<Gathering>>,
    shaped: &mut Option<Box<ShapedResults>>,
    sink: &mut dyn Sink,
    call: impl FnOnce(&mut dyn Sink) -> T,
) -> T {
    match (gathering, shaped) {
        (Some(rows), _) => call(&mut GatheringSink { rows, sink }),
        (None, Some(results)) => call(&mut ShapedSink { results, sink }),
        (None, None) => call(sink),
    }
}

/// The error of a statement whose rows the receiver does not take: why it does not, or that it is gone.
pub(in crate::exec) fn refused(sink: &mut dyn Sink, closed: SinkClosed) -> SqlError {
    sink.refusal().unwrap_or_else(|| system_call::closed(closed))
}
