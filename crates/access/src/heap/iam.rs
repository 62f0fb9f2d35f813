//! The IAM chain: one page per file and GAM interval of which the heap owns extents; a bit per extent.
//!
//! The chain is what page viewers and a later restart read; the heap itself keeps its extents in memory
//! (`layout`). The pages come from mixed extents and lie anywhere in the database.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{ExtentId, PageKind};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::space::maps;

use crate::error::AccessError;
use crate::heap::handle::Ctx;
use crate::iam_log::IamPage;
use crate::rid::ObjectId;

/// Sets the bits of `extents`; makes the chain longer where needed. After an error the new pages are in `chain` too, and
/// `marked` says of how many extents, from the first on, the bits are set.
pub(crate) fn add(
    ctx: &Ctx,
    ask: &Ask<'_>,
    object: ObjectId,
    chain: &mut Vec<IamPage>,
    extents: &[ExtentId],
    marked: &mut usize,
) -> Result<(), AccessError> {
    for &extent in extents {
        let interval = maps::interval_of(extent.extent);
        let page = match covering(chain, extent) {
            Some(found) => found.page,
            None => {
                let page = ctx.space.allocate_page(ask, &*ctx.pool)?;
                chain.push(IamPage { page, file: extent.file, interval });
                make(ctx, ask, object, chain)?;
                page
            }
        };
        let mut bits = ctx.pool.update(ask, page)?;
        check!(!maps::bit(&bits, extent.extent), "extent {extent:?} is the heap's already");
        maps::set_bit(&mut bits, extent.extent, true);
        *marked += 1;
    }
    Ok(())
}

/// Clears the bits of `extents` on the pages of `chain`, which is what is left of a longer one.
pub(crate) fn remove(ctx: &Ctx, ask: &Ask<'_>, chain: &[IamPage], extents: &[ExtentId]) -> Result<(), AccessError> {
    for &extent in extents {
        if let Some(found) = covering(chain, extent) {
            let mut bits = ctx.pool.update(ask, found.page)?;
            check!(maps::bit(&bits, extent.extent), "extent {extent:?} is not the heap's");
            maps::set_bit(&mut bits, extent.extent, false);
        }
    }
    let Some(last) = chain.last() else {
        return Ok(());
    };
    let mut page = ctx.pool.update(ask, last.page)?;
    if header::next(&page).is_some() {
        header::set_next(&mut page, None);
    }
    Ok(())
}

pub(crate) fn covering(chain: &[IamPage], extent: ExtentId) -> Option<IamPage> {
    let interval = maps::interval_of(extent.extent);
    chain.iter().copied().find(|iam| iam.file == extent.file && iam.interval == interval)
}

/// Writes the last page of `chain` and links it to the one before.
fn make(ctx: &Ctx, ask: &Ask<'_>, object: ObjectId, chain: &[IamPage]) -> Result<(), AccessError> {
    let [before @ .., new] = chain else {
        return Ok(());
    };
    let link = |iam: &IamPage| PageLink { file: iam.page.file, page: iam.page.page };
    {
        let mut page = ctx.pool.create(ask, new.page, PageKind::Iam, object.0)?;
        check!(before.iter().all(|iam| iam.page != new.page), "page {} is in the chain already", new.page);
        header::init_zeroed(&mut page, new.page, PageKind::Iam, object.0);
        maps::iam::set_sequence(&mut page, before.len() as u32);
        maps::iam::set_interval(&mut page, new.file, new.interval);
        header::set_prev(&mut page, before.last().map(link));
    }
    if let Some(last) = before.last() {
        header::set_next(&mut *ctx.pool.update(ask, last.page)?, Some(link(new)));
    }
    Ok(())
}
