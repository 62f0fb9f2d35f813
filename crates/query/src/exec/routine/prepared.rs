//! Texts with parameters: sp_executesql's, and those that sp_prepare keeps under a handle.
//!
//! What always holds: a session parses declarations once and keeps what they mean while it is one and the same whatever
//! the catalog says, that is, while they name scalar types of the server alone.

use std::sync::Arc;

use millpond_bind::absence::is_of_absence;
use millpond_code::prepared_calls::Prepared;
use millpond_engine::arguments::RpcParam;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::{DoneKind, Sink};
use millpond_tsql::ParseOptions;
use millpond_types::Value;

use crate::exec::batch::{contexts, frame};
use crate::session::Session;
use millpond_code::text_variables::Parameters;
use millpond_names::prepared::{PreparedShape, declarations_of, not_unicode, text_of};

/// Text and declarations of sp_executesql and sp_prepare.
pub(in crate::exec) fn prepared_of(
    session: &mut Session,
    text: Option<&RpcParam>,
    declarations: Option<&RpcParam>,
) -> SqlResult<Prepared> {
    let text = text_of(text, "@statement")?.ok_or_else(|| not_unicode("@statement"))?;
    let declarations = text_of(declarations, "@params")?.unwrap_or_default();
    if let Some(known) = session.prepared.declarations.get(&declarations) {
        return Ok(Prepared { text: Arc::from(text), declared: Arc::clone(known) });
    }
    let (declared, lasts) = declarations_of(&contexts::bare(session), &declarations)?;
    let declared = Arc::new(declared);
    if lasts {
        session.prepared.keep(declarations, &declared);
    }
    Ok(Prepared { text: Arc::from(text), declared })
}

/// Binds what is prepared, which runs nothing of it; sends the columns of its result where the call wants them.
///
/// # Errors
/// The text's first, followed by 8180.
pub(in crate::exec) fn compile_prepared(
    session: &mut Session,
    prepared: &Prepared,
    wants_columns: bool,
    sink: &mut dyn Sink,
) -> SqlResult<()> {
    // Tables that a call brings are there when it comes.
    if !prepared.declared.tables.is_empty() {
        return Ok(());
    }
    let signature = Arc::clone(&prepared.declared.signature);
    let values = vec![Value::Null; signature.names.len()];
    let mut shape = PreparedShape { sink, sends: wants_columns, error: None };
    let before = Arc::clone(&session.facts.settings);
    Arc::make_mut(&mut session.facts.settings).prepares = true;
    frame::scoped(session, &mut shape, |session, sink| {
        session.run_text(&prepared.text, Parameters { signature, values }, DoneKind::InProcedure, sink)
    });
    session.facts.settings = before;
    match shape.error {
        // One of several statements may make what another one names.
        Some(error) if is_of_absence(error.number) && statement_count(session, &prepared.text) > 1 => Ok(()),
        Some(error) => {
            session.engine.counters.errors.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            sink.message(&error);
            Err(SqlError::of(8180, 1, &[]))
        }
        None => Ok(()),
    }
}

/// Statements of a text, one for what does not parse.
fn statement_count(session: &Session, text: &str) -> usize {
    let options = ParseOptions { quoted_identifier: session.facts.settings.quoted_identifier };
    session.engine.parse(text, options).map_or(1, |parsed| parsed.batch.statements.len())
}
