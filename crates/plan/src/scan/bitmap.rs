//! What a scan asks bitmaps of the keys of its rows, before their other columns are decoded.
//!
//! A bitmap is asked as soon as it knows its keys, be that in the midst of the scan, and no longer when it has let nearly all
//! rows pass.

use std::sync::Arc;

use millpond_types::SqlType;
use millpond_types::row::RowLayout;

use crate::run::bitmap::{Bitmap, KeySet};
use crate::scan::record::PageRow;

/// Rows after which is decided whether a bitmap is worth its time.
const TRIAL_ROWS: usize = 8192;
/// It is when no more than this part of them has passed.
const WORTH: f64 = 0.9;

/// The bitmaps of a scan in progress.
pub(crate) struct BitmapTests {
    /// Those that are worth their time.
    tests: Vec<BitmapTest>,
    /// All, each with its column.
    all: Vec<(usize, Arc<Bitmap>)>,
}

struct BitmapTest {
    column: usize,
    bitmap: Arc<Bitmap>,
    keys: Option<Arc<KeySet>>,
    asked: usize,
    passed: usize,
}

/// Whether the values of such a column in a record are numbers that bitmaps know.
pub(crate) fn is_testable(sql: &SqlType) -> bool {
    matches!(sql, SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt)
}

impl BitmapTests {
    /// Of columns by their positions in the table; `place` says where in a record one is.
    pub(crate) fn new(bitmaps: &[(usize, Arc<Bitmap>)], place: &dyn Fn(usize) -> usize) -> BitmapTests {
        let one = |(column, bitmap): &(usize, Arc<Bitmap>)| BitmapTest {
            column: place(*column),
            bitmap: Arc::clone(bitmap),
            keys: None,
            asked: 0,
            passed: 0,
        };
        BitmapTests { tests: bitmaps.iter().map(one).collect(), all: bitmaps.to_vec() }
    }

    /// The keys that a bitmap of a column knows by now.
    pub(crate) fn keys_of(&self, column: usize) -> Option<Arc<KeySet>> {
        self.all.iter().filter(|(of, _)| *of == column).find_map(|(_, bitmap)| bitmap.keys())
    }

    /// Keeps those rows of a page whose keys may occur.
    pub(crate) fn retain(&mut self, layout: &RowLayout, rows: &mut Vec<PageRow<'_, '_>>) {
        self.tests.retain_mut(|test| {
            if test.keys.is_none() {
                test.keys = test.bitmap.keys();
            }
            let Some(keys) = &test.keys else { return true };
            test.asked += rows.len();
            match layout.types()[test.column] {
                SqlType::TinyInt => {
                    retain(layout, rows, test.column, keys, |bytes| i64::from(u8::from_le_bytes(bytes)))
                }
                SqlType::SmallInt => {
                    retain(layout, rows, test.column, keys, |bytes| i64::from(i16::from_le_bytes(bytes)))
                }
                SqlType::Int => retain(layout, rows, test.column, keys, |bytes| i64::from(i32::from_le_bytes(bytes))),
                SqlType::BigInt => retain(layout, rows, test.column, keys, i64::from_le_bytes),
                _ => {}
            }
            test.passed += rows.len();
            test.asked < TRIAL_ROWS || test.passed as f64 <= WORTH * test.asked as f64
        });
    }
}

fn retain<const N: usize>(
    layout: &RowLayout,
    rows: &mut Vec<PageRow<'_, '_>>,
    column: usize,
    keys: &KeySet,
    read: impl Fn([u8; N]) -> i64,
) {
    let values = layout.fixed_column::<N, _>(rows, column);
    let passed: Vec<bool> = values.map(|bytes| bytes.is_some_and(|bytes| keys.may_have(read(*bytes)))).collect();
    let mut passed = passed.into_iter();
    rows.retain(|_| passed.next().unwrap_or(false));
}
