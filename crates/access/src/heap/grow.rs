//! How a heap gets extents and gives them back, and keeps the maps that say so: IAM and PFS.
//!
//! Extents come in growing batches, 1, 2, 4, 8: a small table takes 64 KB, a large one asks once per 512 KB. PFS bytes
//! are written an extent at a time and late: a table that is dropped young never writes them. [`settle`] writes
//! what is missing, for code that looks at the map pages themselves.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{EXTENT_PAGES, ExtentId, PageId};

use crate::error::AccessError;
use crate::heap::handle::{Ctx, Heap};
use crate::heap::iam;
use crate::heap::layout::{Layout, OwnedExtent};
use crate::iam_log::IamPage;

/// The largest batch of extents.
const BATCH_EXTENTS_MAX: usize = 8;
/// Extents whose PFS bytes may be missing in the maps.
const STALE_EXTENTS_MAX: usize = 64;

/// Takes at least one more extent.
pub(crate) fn grow(heap: &Heap, layout: &mut Layout, ask: &Ask<'_>) -> Result<(), AccessError> {
    if layout.stale.len() >= STALE_EXTENTS_MAX {
        write_stale(heap, layout, ask)?;
    }
    let ctx = &heap.ctx;
    let batch = (layout.extents.len() + 1).min(BATCH_EXTENTS_MAX);
    let taken = ctx.usage.grow(batch as u32, |batch| {
        let mut taken = Vec::with_capacity(batch as usize);
        ctx.space.allocate_extents(ask, &*ctx.pool, ctx.owner, batch, &mut taken)?;
        Ok((taken.len() as u32, taken))
    })?;
    assert!((1..=batch).contains(&taken.len()), "{} extents were taken, 1 to {batch} asked for", taken.len());
    let iam_before = layout.iam.len();
    let mut marked = 0;
    if let Err(cause) = iam::add(ctx, ask, heap.id, &mut layout.iam, &taken, &mut marked) {
        let made = layout.iam.split_off(iam_before);
        give_back(ctx, ask, (&taken, &taken[..marked]), &made, &layout.iam)?;
        check!(layout.iam.iter().all(|iam| !made.contains(iam)), "IAM pages that were given back are in no chain");
        return Err(cause);
    }
    check!(
        taken.iter().all(|extent| iam::covering(&layout.iam, *extent).is_some()),
        "extents were taken that no IAM page of the heap has"
    );
    check!(
        layout.extents.iter().all(|owned| !taken.contains(&heap.extent_id(owned))),
        "an extent is the heap's already"
    );
    layout.extents.extend(taken.iter().map(|extent| OwnedExtent {
        file: extent.file,
        extent: extent.extent,
        pfs: [0; EXTENT_PAGES as usize],
        stale: false,
    }));
    Ok(())
}

/// Makes the PFS pages say what is true of the heap's pages.
///
/// # Errors
/// [`AccessError`]
pub fn settle(heap: &Heap, ask: &Ask<'_>) -> Result<(), AccessError> {
    let layout = &mut heap.state.lock().layout;
    write_stale(heap, layout, ask)?;
    if let Some(tail) = layout.tail_position() {
        let tail = layout.extent_use(heap.ctx.db, (tail / EXTENT_PAGES) as usize);
        heap.ctx.space.set_pfs_extent(ask, &*heap.ctx.pool, tail.extent, &tail.pfs)?;
    }
    check!(layout.stale.is_empty(), "{} extents have no PFS bytes in the maps", layout.stale.len());
    Ok(())
}

/// Writes pages of the heap now, as bulk loads once did.
///
/// # Errors
/// [`AccessError::Pool`]; what could not be written stays dirty.
pub fn write_eagerly(heap: &Heap, ask: &Ask<'_>, pages: &[PageId]) -> Result<u64, AccessError> {
    Ok(heap.ctx.pool.eager_write(ask, pages)?)
}

fn write_stale(heap: &Heap, layout: &mut Layout, ask: &Ask<'_>) -> Result<(), AccessError> {
    while let Some(&at) = layout.stale.last() {
        assert!(layout.extents[at as usize].stale, "extent {at} is in the list of stale ones, and is not");
        let written = layout.extent_use(heap.ctx.db, at as usize);
        heap.ctx.space.set_pfs_extent(ask, &*heap.ctx.pool, written.extent, &written.pfs)?;
        layout.extents[at as usize].stale = false;
        layout.stale.pop();
    }
    Ok(())
}

/// Gives back all that `layout` owns.
pub(crate) fn free(heap: &Heap, ask: &Ask<'_>, layout: Layout) -> Result<(), AccessError> {
    let extents: Vec<ExtentId> = layout.extents.iter().map(|owned| heap.extent_id(owned)).collect();
    give_back(&heap.ctx, ask, (&extents, &extents), &layout.iam, &[])
}

/// Frees extents, those of them first that `marked` says have their bits in the chain, and IAM pages; `iam_left` is the rest of
/// the chain. Every part is tried, whatever happens to the others.
pub(crate) fn give_back(
    ctx: &Ctx,
    ask: &Ask<'_>,
    (extents, marked): (&[ExtentId], &[ExtentId]),
    iam_gone: &[IamPage],
    iam_left: &[IamPage],
) -> Result<(), AccessError> {
    check!(
        iam_gone.iter().all(|gone| iam_left.iter().all(|left| left.page != gone.page)),
        "an IAM page goes, and stays in its chain"
    );
    let mut done = Ok(());
    if !iam_left.is_empty() {
        done = iam::remove(ctx, ask, iam_left, marked);
    }
    if !extents.is_empty() {
        let freed = ctx.space.free_extents(ask, &*ctx.pool, ctx.owner, extents);
        ctx.usage.shrink(extents.len());
        done = done.and(freed.map_err(AccessError::from));
    }
    for iam in iam_gone {
        done = done.and(ctx.space.free_page(ask, &*ctx.pool, iam.page).map_err(AccessError::from));
    }
    done
}
