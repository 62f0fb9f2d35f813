//! What callers hold: latched pages and pins.
//!
//! What always holds: the bytes of a page are reached through a latch only, shared for reading, exclusive for changing.
//! A pin keeps the page in its frame but gives no bytes. The same thread must not latch a page that it holds already.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::ask::Ask;
use crate::contract::{PageBytes, PageId};
use crate::pool::Pool;

/// A page latched shared.
#[derive(Debug)]
pub struct SharedPage<'a> {
    pool: &'a Pool,
}

impl<'a> SharedPage<'a> {
    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        todo!()
    }

    /// Keeps the page in memory beyond the latch.
    #[must_use]
    pub fn pin(&self) -> PageRef {
        todo!()
    }
}

impl Deref for SharedPage<'_> {
    type Target = PageBytes;
    fn deref(&self) -> &PageBytes {
        todo!()
    }
}

/// A page latched exclusively; the first mutable access marks it dirty.
#[derive(Debug)]
pub struct ExclusivePage<'a> {
    pool: &'a Pool,
    ask: Ask<'a>,
}

impl<'a> ExclusivePage<'a> {
    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        todo!()
    }

    /// Keeps the page in memory beyond the latch.
    #[must_use]
    pub fn pin(&self) -> PageRef {
        todo!()
    }

    /// Gives up the right to change the page, without a moment in which somebody else could.
    #[must_use]
    pub fn downgrade(self) -> SharedPage<'a> {
        todo!()
    }
}

impl Deref for ExclusivePage<'_> {
    type Target = PageBytes;
    fn deref(&self) -> &PageBytes {
        todo!()
    }
}

impl DerefMut for ExclusivePage<'_> {
    fn deref_mut(&mut self) -> &mut PageBytes {
        todo!()
    }
}

/// A pin: the page stays in its frame while this lives, so that it is latched again without a look-up. Discarding a
/// pinned page is a broken assumption and panics.
#[derive(Debug)]
pub struct PageRef {
    pool: Arc<Pool>,
}

impl PageRef {
    /// Which page.
    #[must_use]
    pub fn id(&self) -> PageId {
        todo!()
    }

    /// Latches the page shared.
    pub fn shared<'a>(&'a self, ask: &Ask<'a>) -> SharedPage<'a> {
        todo!()
    }

    /// Latches the page exclusively.
    pub fn exclusive<'a>(&'a self, ask: &Ask<'a>) -> ExclusivePage<'a> {
        todo!()
    }

    /// Pins `page` of the same pool instead: cheaper than a new pin.
    pub fn move_to(&mut self, page: &ExclusivePage<'_>) {
        todo!()
    }
}
