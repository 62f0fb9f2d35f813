//! The IAM chain of a unit that may be durable: read from its pages, changed by mini-transactions.
//!
//! What always holds: one page of the chain is latched at a time; a new page is complete before it is linked, and linked
//! before a bit is set on it, so that a crash leaves the chain whole and leaks one page at most.

use millpond_storage::ask::Ask;
use millpond_storage::check;
use millpond_storage::contract::{ExtentId, ExtentNo, FileId, PageBytes, PageId, PageKind};
use millpond_storage::page::header::{self, PageLink};
use millpond_storage::space::maps;
use millpond_storage::wal::page_op::{NEXT_AT, PREV_AT, PageOp, link_bytes};
use millpond_storage::wal::{Mtr, PageIx};

use crate::ctx::TreeCtx;
use crate::error::AccessError;
use crate::rid::ObjectId;

/// The part of an IAM page between the page's header and the bits.
const PARTS: std::ops::Range<usize> = header::HEADER_BYTES..maps::BITMAP_AT;
/// Log of a small change.
const SMALL_BYTES: usize = 128;

/// A page of the IAM chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IamPage {
    pub page: PageId,
    /// File and GAM interval whose extents it maps.
    pub file: FileId,
    pub interval: u32,
}

fn link(page: PageId) -> PageLink {
    PageLink { file: page.file, page: page.page }
}

/// The page of the chain that has the bit of `extent`.
pub(crate) fn covering(chain: &[IamPage], extent: ExtentId) -> Option<IamPage> {
    let interval = maps::interval_of(extent.extent);
    chain.iter().copied().find(|iam| iam.file == extent.file && iam.interval == interval)
}

/// Adds a page to the chain for the interval of `extent`.
pub(crate) fn lengthen(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    object: ObjectId,
    chain: &mut Vec<IamPage>,
    extent: ExtentId,
) -> Result<(), AccessError> {
    let page = ctx.space.allocate_page(ask, &ctx.handle)?;
    assert!(covering(chain, extent).is_none(), "two pages of a chain for the interval of {extent:?}");
    check!(chain.iter().all(|iam| iam.page != page), "page {page} is in the chain already");
    let new = IamPage { page, file: extent.file, interval: maps::interval_of(extent.extent) };
    let made = make(ctx, ask, object, new, chain.len() as u32, chain.last().copied());
    if let Err(cause) = made {
        ctx.space.free_page(ask, &ctx.handle, page)?;
        return Err(cause);
    }
    chain.push(new);
    Ok(())
}

fn make(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    object: ObjectId,
    new: IamPage,
    sequence: u32,
    last: Option<IamPage>,
) -> Result<(), AccessError> {
    let mut mtr = Mtr::begin(&ctx.handle, ask, 2 * SMALL_BYTES + PARTS.len())?;
    assert!(last.is_some() == (sequence > 0), "page {sequence} of a chain follows another unless it is the first");
    let page = mtr.create(new.page, PageKind::Iam, object.0, 0, 0)?;
    let mut parts: Box<PageBytes> = Box::new(*mtr.page(page));
    maps::iam::set_sequence(&mut parts, sequence);
    maps::iam::set_interval(&mut parts, new.file, new.interval);
    apply(&mut mtr, page, PageOp::Bytes { offset: PARTS.start as u16, bytes: &parts[PARTS] });
    apply(&mut mtr, page, PageOp::Bytes { offset: PREV_AT, bytes: &link_bytes(last.map(|iam| link(iam.page))) });
    mtr.commit();
    let Some(last) = last else { return Ok(()) };
    let mut mtr = Mtr::begin(&ctx.handle, ask, SMALL_BYTES)?;
    let page = mtr.latch(last.page)?;
    apply(&mut mtr, page, PageOp::Bytes { offset: NEXT_AT, bytes: &link_bytes(Some(link(new.page))) });
    mtr.commit();
    Ok(())
}

fn apply(mtr: &mut Mtr<'_>, page: PageIx, op: PageOp<'_>) {
    mtr.apply(page, op).expect("these bytes of a page may be written");
}

/// Sets the bit of an extent on the page that has it.
pub(crate) fn set_bit(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    iam: PageId,
    extent: ExtentNo,
    is_owned: bool,
) -> Result<(), AccessError> {
    let mut mtr = Mtr::begin(&ctx.handle, ask, SMALL_BYTES)?;
    let page = mtr.latch(iam)?;
    let (offset, mask) = maps::bit_place(extent);
    let byte = mtr.page(page)[usize::from(offset)];
    let byte = if is_owned { byte | mask } else { byte & !mask };
    apply(&mut mtr, page, PageOp::Bytes { offset, bytes: &[byte] });
    mtr.commit();
    Ok(())
}

/// The first IAM page of the large values that the chain's first page names.
pub(crate) fn values(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    object: ObjectId,
    first: PageId,
) -> Result<Option<PageId>, AccessError> {
    let bytes = ctx.pool().shared(ask, first)?;
    if header::kind(&bytes) != Some(PageKind::Iam) || header::object_id(&bytes) != object.0 {
        return Err(AccessError::DamagedChain { page: first });
    }
    let found = maps::iam::values(&bytes);
    Ok(found.map(|PageLink { file, page }| PageId { db: ctx.db(), file, page }))
}

/// Names the first IAM page of the large values on the chain's first page.
pub(crate) fn set_values(ctx: &TreeCtx, ask: &Ask<'_>, first: PageId, values: PageId) -> Result<(), AccessError> {
    let mut mtr = Mtr::begin(&ctx.handle, ask, SMALL_BYTES)?;
    let page = mtr.latch(first)?;
    let bytes = maps::iam::values_bytes(link(values));
    assert!(values != first, "the chain of large values begins at its table's own page {first}");
    apply(&mut mtr, page, PageOp::Bytes { offset: maps::iam::VALUES_AT as u16, bytes: &bytes });
    mtr.commit();
    Ok(())
}

/// The chain that begins at `first`.
pub(crate) fn chain(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    object: ObjectId,
    first: PageId,
) -> Result<Vec<IamPage>, AccessError> {
    let mut chain = Vec::new();
    let mut next = Some(link(first));
    while let Some(PageLink { file, page }) = next {
        let id = PageId { db: ctx.db(), file, page };
        let bytes = ctx.pool().shared(ask, id)?;
        let found = header::object_id(&bytes);
        if header::kind(&bytes) != Some(PageKind::Iam) || found != object.0 {
            return Err(AccessError::WrongObject { page: id, expected: object, found: ObjectId(found) });
        }
        // The sequence also ends a chain that leads back into itself.
        let covered = maps::iam::first_page(&bytes).filter(|_| maps::iam::sequence(&bytes) as usize == chain.len());
        let Some(PageLink { file, page: first }) = covered else {
            return Err(AccessError::DamagedChain { page: id });
        };
        chain.push(IamPage { page: id, file, interval: maps::interval_of(first.extent()) });
        next = header::next(&bytes);
    }
    Ok(chain)
}

/// Calls `visit` with every extent that the chain claims.
pub(crate) fn extents(
    ctx: &TreeCtx,
    ask: &Ask<'_>,
    chain: &[IamPage],
    visit: &mut dyn FnMut(ExtentId),
) -> Result<(), AccessError> {
    for iam in chain {
        let bytes = ctx.pool().shared(ask, iam.page)?;
        let file: FileId = iam.file;
        maps::set_bits(&bytes, iam.interval).for_each(|extent| visit(ExtentId { db: ctx.db(), file, extent }));
    }
    Ok(())
}
