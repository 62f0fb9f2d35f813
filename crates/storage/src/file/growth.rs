//! How large a file may be and by how much it grows.
//!
//! What always holds: sizes are whole extents (64 KB); a size never exceeds the limit nor what page numbers can name.

use crate::contract::{EXTENT_PAGES, PAGE_BYTES};

/// Pages of a megabyte.
pub const PAGES_PER_MB: u32 = (1 << 20) / PAGE_BYTES as u32;
/// Most pages that a file can have: page numbers are 32 bits, whole extents.
pub const FILE_PAGES_MAX: u32 = u32::MAX - EXTENT_PAGES + 1;

/// FILEGROWTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// By so many pages; 0: the file does not grow.
    Pages(u32),
    /// By so many percent of its size.
    Percent(u32),
}

impl Growth {
    /// As SQL Server rounds it: pages to the nearest 64 KB, but not to zero.
    #[must_use]
    pub fn rounded(self) -> Growth {
        match self {
            Growth::Pages(0) => self,
            Growth::Pages(pages) => {
                let half = EXTENT_PAGES / 2;
                let nearest = pages.saturating_add(half) / EXTENT_PAGES * EXTENT_PAGES;
                Growth::Pages(nearest.max(EXTENT_PAGES))
            }
            Growth::Percent(_) => self,
        }
    }

    /// Whether the file never grows by itself.
    #[must_use]
    pub fn is_none(self) -> bool {
        matches!(self, Growth::Pages(0) | Growth::Percent(0))
    }

    fn pages_for(self, size_pages: u32) -> u32 {
        match self {
            Growth::Pages(pages) => pages,
            Growth::Percent(percent) => {
                let pages = (u64::from(size_pages) * u64::from(percent)).div_ceil(100);
                round_up(u32::try_from(pages).unwrap_or(FILE_PAGES_MAX))
            }
        }
    }
}

/// Limits of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// MAXSIZE; `None`: until the disk is full.
    pub max_pages: Option<u32>,
    /// FILEGROWTH.
    pub growth: Growth,
}

impl Limits {
    /// The size after the next growth; `None` when the file may not grow.
    #[must_use]
    pub fn next_size(self, size_pages: u32) -> Option<u32> {
        if self.growth.is_none() {
            return None;
        }
        let limit = self.max_pages.unwrap_or(FILE_PAGES_MAX).min(FILE_PAGES_MAX);
        let wanted = size_pages.saturating_add(self.growth.pages_for(size_pages));
        let next = round_down(wanted.min(limit));
        assert!(
            next.is_multiple_of(EXTENT_PAGES) && next <= limit,
            "a file of {size_pages} pages grows to {next}, which is no size or above {limit}"
        );
        (next > size_pages).then_some(next)
    }
}

/// The sizes to try when the medium has no room for `next_pages`: halves of the increment, down to one extent.
pub fn smaller_sizes(size_pages: u32, next_pages: u32) -> impl Iterator<Item = u32> {
    assert!(size_pages <= next_pages, "a file of {size_pages} pages grows to {next_pages}");
    let first = next_pages - size_pages;
    std::iter::successors(Some(first / 2), |increment| Some(increment / 2))
        .map(round_down)
        .take_while(|increment| *increment >= EXTENT_PAGES)
        .map(move |increment| size_pages + increment)
}

/// Up to whole extents.
#[must_use]
pub fn round_up(pages: u32) -> u32 {
    round_down(pages.saturating_add(EXTENT_PAGES - 1))
}

/// Down to whole extents.
#[must_use]
pub fn round_down(pages: u32) -> u32 {
    pages / EXTENT_PAGES * EXTENT_PAGES
}
