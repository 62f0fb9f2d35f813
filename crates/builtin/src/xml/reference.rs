//! What a method is called on: an `xml` value, or a reference to a node, which `nodes()` makes.
//!
//! A reference is a text. `5:17` is node 17 of document 5 of the statement's run. Of a short document it is `17<a>…</a>`: the
//! node and the document itself, which is then held by nothing, so that a table of many short documents takes no memory.

use std::sync::Arc;

use millpond_catalog::run::Run;
use millpond_message::error::{SqlError, SqlResult};
use millpond_types::Charge;
use millpond_xml::{Document, NodeId, Options, ROOT, parse};

use crate::xml::StatementBudget;
use crate::xml::error::of_parse;

/// Bytes up to which a document is short.
const SHORT_BYTES: usize = 1024;

/// The document of a value as it is stored: its white space counts.
///
/// # Errors
/// What is wrong with it; the cancellation; 701.
pub(super) fn parsed(ctx: &dyn Run, text: &str) -> SqlResult<(Document, Vec<Box<dyn Charge>>)> {
    let mut budget = StatementBudget::new(ctx);
    let options = Options { keeps_space: true, ..Options::default() };
    let document = parse(text, options, &mut budget).map_err(of_parse)?;
    Ok((document, budget.into_charges()))
}

/// A document and a node of it.
pub(super) struct Target {
    pub(super) document: Arc<Document>,
    pub(super) node: NodeId,
    /// The document's number, if the run holds it.
    held: Option<usize>,
    charges: Vec<Box<dyn Charge>>,
}

impl Target {
    /// The target of a value, or of a reference.
    pub(super) fn of(ctx: &dyn Run, text: &str, is_reference: bool) -> SqlResult<Target> {
        if !is_reference {
            let (document, charges) = parsed(ctx, text)?;
            return Ok(Target { document: Arc::new(document), node: ROOT, held: None, charges });
        }
        let unknown = || SqlError::of(8630, 1, &[&"a reference to a node leads nowhere"]);
        let len = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, rest) = text.split_at(len);
        if let Some(node) = rest.strip_prefix(':') {
            let held = number.parse().map_err(|_| unknown())?;
            let document = ctx.documents().get(held).ok_or_else(unknown)?;
            let node = node.parse().map_err(|_| unknown())?;
            return Ok(Target { document, node, held: Some(held), charges: Vec::new() });
        }
        let (document, charges) = parsed(ctx, rest.strip_prefix('=').unwrap_or(rest))?;
        let node = number.parse().map_err(|_| unknown())?;
        Ok(Target { document: Arc::new(document), node, held: None, charges })
    }

    /// References to nodes of the document; `text` is the document's own, if it is at hand.
    pub(super) fn references(self, ctx: &dyn Run, text: &str, is_reference: bool) -> References {
        let source = match is_reference {
            true => text.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('='),
            false => Some(text),
        };
        match (self.held, source) {
            (Some(held), _) => References { prefix: format!("{held}:"), source: None },
            (None, Some(source)) if source.len() <= SHORT_BYTES => {
                References { prefix: String::new(), source: Some(format!("={source}")) }
            }
            (None, _) => {
                let held = ctx.documents().hold(self.document, self.charges);
                References { prefix: format!("{held}:"), source: None }
            }
        }
    }
}

/// How references into a document are written.
pub(super) struct References {
    prefix: String,
    source: Option<String>,
}

impl References {
    /// Into a document that a query made: it is held.
    pub(super) fn of_made(ctx: &dyn Run, made: Document, charges: Vec<Box<dyn Charge>>) -> References {
        let held = ctx.documents().hold(Arc::new(made), charges);
        References { prefix: format!("{held}:"), source: None }
    }

    pub(super) fn to(&self, node: NodeId) -> String {
        format!("{}{node}{}", self.prefix, self.source.as_deref().unwrap_or(""))
    }
}
