//! The curve: reads by how much more memory would have saved them.
//!
//! What always holds: points ascend in size and do not descend in hits, and no point has more hits than there were reads. It knows
//! pages and counts; what a megabyte costs and where it comes from is the advisor's.

/// More memory, in eighths of the cache's size: as much as it is, for what it has lent, then 1.125, 1.25, 1.5, 2, 3, 4, 6, 8, 12 and 16
/// times as much in all.
pub const STEPS_EIGHTHS: [u64; 11] = [0, 1, 2, 4, 8, 16, 24, 40, 56, 88, 120];

/// Eighths of the deepest step: as many caches beside the one that there is are remembered, and an eighth of one.
pub const DEEPEST_EIGHTHS: u64 = STEPS_EIGHTHS[STEPS_EIGHTHS.len() - 1];

/// What would have been hit, of the reads of a cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curve {
    /// When counting began, by the clock of who made the list, in microseconds.
    pub since_us: u64,
    /// Pages of the cache.
    pub pages: u64,
    /// One of so many pages is followed; 1 where all are. Other counts are those of all pages, scaled.
    pub sampled_one_of: u64,
    /// Pages read into the cache, from files and from the extension.
    pub read_pages: u64,
    /// Of them those that the extension had.
    pub extension_pages: u64,
    /// Events that were lost because two threads came at once; they are of pages that are followed, and not scaled.
    pub lost_events: u64,
    /// Reads by the first step that would have saved them.
    pub(crate) saved: [u64; STEPS_EIGHTHS.len()],
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Pages beyond those of the cache, as memory or as an extension.
    pub more_pages: u64,
    /// Reads that would have found their page there.
    pub hits: u64,
}

impl Curve {
    /// The points, by ascending size.
    #[must_use]
    pub fn points(&self) -> [Point; STEPS_EIGHTHS.len()] {
        let mut hits = 0;
        std::array::from_fn(|step| {
            hits += self.saved[step];
            Point { more_pages: step_pages(self.pages, step), hits }
        })
    }

    /// Pages that were read from files.
    #[must_use]
    pub fn file_pages(&self) -> u64 {
        self.read_pages.saturating_sub(self.extension_pages)
    }
}

/// Pages of a step beyond a cache; at least one of all but the first.
#[must_use]
pub fn step_pages(pages: u64, step: usize) -> u64 {
    (pages * STEPS_EIGHTHS[step] / 8).max(step.min(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_add_up() {
        let mut curve = Curve { pages: 80, read_pages: 10, ..Curve::default() };
        curve.saved[1] = 2;
        curve.saved[4] = 5;
        let points = curve.points();
        assert_eq!(points[0], Point { more_pages: 0, hits: 0 });
        assert_eq!(points[1], Point { more_pages: 10, hits: 2 });
        assert_eq!(points[4], Point { more_pages: 80, hits: 7 });
        assert_eq!(points[10], Point { more_pages: 1200, hits: 7 });
    }
}
