//! The indexes that a statement has used so far, so that each counts it once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use millpond_access::tree::{Tree, TreeUse};
use parking_lot::Mutex;

/// Uses that are found without a lock.
const PLACES: usize = 8;

/// The uses of one statement: addresses of trees, which live as long as the statement, with the kind in their lowest bits. 0 is
/// no use: no tree lies there.
#[derive(Debug, Default)]
pub(crate) struct IndexUses {
    first: [AtomicUsize; PLACES],
    more: Mutex<Vec<usize>>,
}

const _: () = assert!(TreeUse::ALL.len() <= align_of::<Tree>(), "a kind fits below an address");

impl IndexUses {
    /// Another statement begins.
    pub(crate) fn begin(&mut self) {
        if *self.first[0].get_mut() != 0 {
            self.first = Default::default();
            self.more.get_mut().clear();
        }
    }

    /// Whether the statement has not yet used the tree so. Threads of a plan may ask at the same time.
    #[inline]
    pub(crate) fn is_first(&self, tree: &Arc<Tree>, how: TreeUse) -> bool {
        let asked = Arc::as_ptr(tree).addr() | how as usize;
        for place in &self.first {
            let known = place.load(Relaxed);
            if known == asked {
                return false;
            }
            if known == 0 {
                match place.compare_exchange(0, asked, Relaxed, Relaxed) {
                    Ok(_) => return true,
                    Err(taken) if taken == asked => return false,
                    Err(_) => {}
                }
            }
        }
        let mut more = self.more.lock();
        let is_first = !more.contains(&asked);
        if is_first {
            more.push(asked);
        }
        is_first
    }
}
