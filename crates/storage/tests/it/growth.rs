//! How files grow: by pages, by percent, to their limit, and in smaller steps on a full disk.

use millpond_storage::file::growth::{FILE_PAGES_MAX, Growth, Limits, smaller_sizes};

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
