//! What the trees of a database claim of its space, compared with the maps while others work.
//!
//! It does not say what is wrong: what a single look finds may be on its way.

use millpond_access::AccessError;
use millpond_catalog::dictionary::Dictionary;
use millpond_message as message;
use millpond_message::error::SqlResult;
use millpond_storage::ask::Ask;
use millpond_storage::contract::PageId;
use millpond_storage::space::ClaimReport;

use crate::context::RunContext;

/// Looks until no object goes in the midst of it, and then says why not.
const LOOKS: u32 = 5;

/// What the objects that are there claim, and whether the maps agree.
///
/// # Errors
/// What reading a chain, or large values, gives.
pub fn claims_now(ctx: &RunContext, dictionary: &Dictionary) -> SqlResult<ClaimReport> {
    let ask = ctx.ask_other();
    let place = message::Place { schema: "", object: "", database: dictionary.name() };
    let live = || live_chains(dictionary, &ask).map_err(|cause| message::of_access(cause, place));
    let mut last = Ok(ClaimReport::default());
    for _ in 0..LOOKS {
        let looked = ctx.engine.instance().look_at_claims(&ask, dictionary.database(), &live()?);
        let Some(looked) = looked else { return Ok(ClaimReport::default()) };
        last = looked.report(&live()?);
        if last.is_ok() {
            break;
        }
        // Its pages went, and its name is still there for a moment.
        std::thread::yield_now();
    }
    last.map_err(|cause| message::of_space(&cause, place))
}

/// The first IAM pages of all trees and of their large values, but for those of trees that go at this moment.
fn live_chains(dictionary: &Dictionary, ask: &Ask<'_>) -> Result<Vec<PageId>, AccessError> {
    let mut chains = Vec::new();
    for tree in dictionary.all_trees() {
        match tree.values(ask) {
            Err(AccessError::Gone(_)) => continue,
            values => chains.extend(values?.map(|values| values.iam())),
        }
        chains.push(tree.place().iam);
    }
    Ok(chains)
}
