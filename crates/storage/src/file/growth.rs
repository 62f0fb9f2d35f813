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

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(max_pages: Option<u32>, growth: Growth) -> Limits {
        Limits { max_pages, growth }
    }

    #[test]
    fn growth_by_pages_by_percent_and_not_at_all() {
        assert_eq!(limits(None, Growth::Pages(8192)).next_size(1024), Some(9216));
        assert_eq!(limits(None, Growth::Percent(10)).next_size(1024), Some(1024 + 104), "103 pages, up to an extent");
        assert_eq!(limits(None, Growth::Percent(10)).next_size(8), Some(16), "at least an extent");
        assert_eq!(limits(None, Growth::Pages(0)).next_size(1024), None);
        assert_eq!(limits(None, Growth::Percent(0)).next_size(1024), None);
    }

    #[test]
    fn the_last_growth_goes_to_the_limit_and_no_further() {
        assert_eq!(limits(Some(1100), Growth::Pages(8192)).next_size(1024), Some(1096));
        assert_eq!(limits(Some(1100), Growth::Pages(8192)).next_size(1096), None);
        assert_eq!(limits(Some(100), Growth::Pages(8)).next_size(1024), None);
        assert_eq!(limits(None, Growth::Percent(100)).next_size(FILE_PAGES_MAX - 8), Some(FILE_PAGES_MAX));
        assert_eq!(limits(None, Growth::Percent(100)).next_size(FILE_PAGES_MAX), None);
    }

    #[test]
    fn increments_round_to_the_nearest_extent() {
        assert_eq!(Growth::Pages(12).rounded(), Growth::Pages(16));
        assert_eq!(Growth::Pages(11).rounded(), Growth::Pages(8));
        assert_eq!(Growth::Pages(1).rounded(), Growth::Pages(8));
        assert_eq!(Growth::Pages(0).rounded(), Growth::Pages(0));
    }

    #[test]
    fn on_a_full_disk_smaller_steps_are_tried() {
        assert!(smaller_sizes(100, 100 + 64).eq([132, 116, 108]));
        assert_eq!(smaller_sizes(100, 108).count(), 0);
    }
}
