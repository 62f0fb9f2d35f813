//! Texts and their trees: the same text is parsed once, as long as there is room for what was parsed.
//!
//! What always holds: each tree has a number that no other one of the process has, the key of plans.

pub mod module_text;
pub mod parse_time;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use millpond_storage::instance::Instance;
use millpond_tsql::ast::Batch;
use millpond_tsql::{ParseOptions, SyntaxError};
use millpond_types::long::LONG_BYTES;
use millpond_types::{Charge, Stopped, Watch};
use parking_lot::Mutex;

use crate::memory::Workspace;
use crate::parsed::parse_time::ParseTime;

/// Texts longer than this are not kept, in bytes.
const CACHED_TEXT_BYTES_MAX: usize = 1 << 20;
/// What parsed texts may take is this part of the server's memory, within bounds.
const CACHE_PART_OF_MEMORY: u64 = 16;
const CACHE_BYTES_LEAST: usize = 8 << 20;
const CACHE_BYTES_MOST: usize = 256 << 20;
/// What the tree of a text takes beside what each of its bytes takes: statements of one word took some 3 KB each, wide select lists
/// 31 and rows of VALUES 25 bytes for a byte of text.
const TREE_BYTES: usize = 2 << 10;
const TREE_BYTES_OF_BYTE: usize = 32;

/// A batch's text with its tree; the same text is parsed once.
#[derive(Debug)]
pub struct ParsedBatch {
    /// Number of the tree, unique in the process: the key of plans.
    pub id: u64,
    /// Text.
    pub text: Arc<str>,
    /// Tree.
    pub batch: Batch,
    /// What it sets when it is parsed.
    pub parse_time: ParseTime,
    /// For a long text and its tree.
    _charge: Option<Box<dyn Charge>>,
}

/// What a parsed text of so many bytes takes in memory, about.
#[must_use]
pub fn tree_bytes(text_bytes: usize) -> usize {
    TREE_BYTES.saturating_add(text_bytes.saturating_mul(TREE_BYTES_OF_BYTE))
}

#[derive(Default)]
struct ParseCache {
    by_text: HashMap<(Arc<str>, bool), Arc<ParsedBatch>>,
    /// What they take ([`tree_bytes`]).
    bytes: usize,
}

/// The texts that were parsed.
pub struct ParsedTexts {
    instance: Arc<Instance>,
    workspace: Arc<Workspace>,
    cache: Mutex<ParseCache>,
    next_batch: AtomicU64,
}

impl ParsedTexts {
    /// None yet; they take the memory of that server.
    pub(crate) fn over(instance: &Arc<Instance>, workspace: &Arc<Workspace>) -> ParsedTexts {
        ParsedTexts {
            instance: Arc::clone(instance),
            workspace: Arc::clone(workspace),
            cache: Mutex::default(),
            next_batch: AtomicU64::new(1),
        }
    }

    /// The tree of a text, from the cache if it was parsed before.
    ///
    /// # Errors
    /// The text's first [`SyntaxError`].
    pub fn parse(&self, text: &str, options: ParseOptions) -> Result<Arc<ParsedBatch>, SyntaxError> {
        // Nothing cancels it.
        self.parse_while(text, options, Watch::NONE).unwrap_or_else(|Stopped| unreachable!("no watch, no stop"))
    }

    /// The same as long as the tree is wanted.
    ///
    /// # Errors
    /// [`Stopped`]; the text's first [`SyntaxError`] is inside.
    pub fn parse_while(
        &self,
        text: &str,
        options: ParseOptions,
        watch: Watch<'_>,
    ) -> Result<Result<Arc<ParsedBatch>, SyntaxError>, Stopped> {
        // A text that is not cached is not looked up: that would hash all of it under the cache's lock.
        let key = (text.len() <= CACHED_TEXT_BYTES_MAX).then(|| (Arc::<str>::from(text), options.quoted_identifier));
        if let Some(key) = &key
            && let Some(known) = self.cache.lock().by_text.get(key)
        {
            return Ok(Ok(Arc::clone(known)));
        }
        let charge = match self.charge_tree(text, options, watch) {
            Ok(charge) => charge,
            Err(error) => return Ok(Err(error)),
        };
        let batch = match millpond_tsql::parse_batch_while(text, options, watch)? {
            Ok(batch) => batch,
            Err(error) => return Ok(Err(error)),
        };
        let id = self.next_batch.fetch_add(1, Relaxed);
        let parse_time = ParseTime::of(&batch.statements);
        let text = key.as_ref().map_or_else(|| Arc::from(text), |(text, _)| Arc::clone(text));
        let parsed = Arc::new(ParsedBatch { id, text, batch, parse_time, _charge: charge });
        if let Some(key) = key {
            let bytes = tree_bytes(key.0.len());
            let mut cache = self.cache.lock();
            if cache.bytes + bytes > CACHE_BYTES_LEAST && cache.bytes + bytes > self.bytes_max() {
                *cache = ParseCache::default();
            }
            // Another session may have parsed the same text meanwhile.
            if cache.by_text.insert(key, Arc::clone(&parsed)).is_none() {
                cache.bytes += bytes;
            }
        }
        Ok(Ok(parsed))
    }

    /// Memory for a long text and its tree; short ones are counted where they are kept.
    fn charge_tree(
        &self,
        text: &str,
        options: ParseOptions,
        watch: Watch<'_>,
    ) -> Result<Option<Box<dyn Charge>>, SyntaxError> {
        if text.len() < LONG_BYTES {
            return Ok(None);
        }
        let bytes = text.len().saturating_add(millpond_tsql::tree_bytes(text, options, watch));
        self.workspace.charge(bytes).map(Some).map_err(|error| SyntaxError {
            number: error.number,
            severity: error.severity,
            state: error.state,
            line: 1,
            message: error.text,
            module: None,
        })
    }

    /// What parsed texts take together, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cache.lock().bytes
    }

    /// What parsed texts may take together, in bytes.
    #[must_use]
    pub fn bytes_max(&self) -> usize {
        let part = self.instance.memory_max_bytes() / CACHE_PART_OF_MEMORY;
        usize::try_from(part).unwrap_or(usize::MAX).clamp(CACHE_BYTES_LEAST, CACHE_BYTES_MOST)
    }

    /// A tree of a text, or of a part of it, with a number of its own; it is not kept.
    #[must_use]
    pub fn number_tree(&self, text: Arc<str>, batch: Batch) -> Arc<ParsedBatch> {
        let id = self.next_batch.fetch_add(1, Relaxed);
        Arc::new(ParsedBatch { id, text, batch, parse_time: ParseTime::default(), _charge: None })
    }

    /// Those in the cache.
    #[must_use]
    pub fn kept(&self) -> Vec<Arc<ParsedBatch>> {
        self.cache.lock().by_text.values().cloned().collect()
    }

    /// Forgets them, but those in use.
    pub fn clear(&self) {
        *self.cache.lock() = ParseCache::default();
    }
}
