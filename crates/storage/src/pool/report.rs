//! Sizes, counters and the list of pages in memory: plain structs for views.

use std::sync::atomic::Ordering::Relaxed;

use crate::check;
use crate::contract::{PageId, PageKind};
use crate::extension::SlotNo;
use crate::page::header;
use crate::pool::Pool;
use crate::pool::buffers::Buffers;
use crate::pool::eviction::Sweeper;
use crate::pool::files::Place;
use crate::pool::latch::{FrameNo, FrameState};
use crate::pool::policy::EvictionPolicy;

/// Counters and sizes of the pool; pages unless the name says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolReport {
    /// `max server memory` in pages.
    pub target: u64,
    /// Frames that have memory.
    pub total: u64,
    /// Of them without a page.
    pub free: u64,
    /// Of them with a page.
    pub database: u64,
    /// Pages changed since they were last written.
    pub dirty: u64,
    /// Pages asked for.
    pub lookups: u64,
    /// Pages read because they were asked for.
    pub reads: u64,
    /// Pages read ahead.
    pub read_ahead: u64,
    /// Pages created without a read.
    pub created: u64,
    /// Pages discarded.
    pub discarded: u64,
    /// Dirty pages that were discarded: writes that never happened.
    pub discarded_dirty: u64,
    /// Pages written, for any reason.
    pub writes: u64,
    /// Pages written to make room, by the lazy writer or by tasks that could not wait for it.
    pub lazy_writes: u64,
    /// Writes (I/Os) of these pages.
    pub write_ios: u64,
    /// Pages that lost their frame to another page.
    pub evictions: u64,
    /// Times a task found no free frame and had to make one.
    pub free_list_stalls: u64,
    /// Seconds that a page stays if it is not asked for.
    pub page_life_s: u64,
    /// Which pages leave memory when frames are needed for others.
    pub eviction_policy: EvictionPolicy,
}

/// A page in memory, for `sys.dm_os_buffer_descriptors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// Page.
    pub page: PageId,
    /// Its kind; `None` for a number that is not known, or for a page that is latched exclusively now.
    pub kind: Option<PageKind>,
    /// Object in the header.
    pub object_id: u32,
    /// Its index; `None` for a page that is in the extension alone, which does not note it.
    pub index_id: Option<u16>,
    /// Level in an index.
    pub level: u8,
    /// Slots.
    pub rows: u16,
    /// Free bytes.
    pub free_bytes: u16,
    /// Dirty.
    pub is_modified: bool,
    /// How long the read took that brought it in; 0 for a page created in memory.
    pub read_us: u32,
    /// It is in the extension and not in memory; dirty means that its data file has an older version.
    pub is_in_extension: bool,
}

pub(crate) fn count_all(sweeper: &Sweeper) -> PoolReport {
    let buffers = sweeper.buffers();
    let (mut database, mut dirty) = (0, 0);
    for (_, state) in buffers.states().filter(|(_, state)| state.page.load(Relaxed) != 0) {
        database += 1;
        dirty += u64::from(state.dirty.load(Relaxed));
    }
    check!(dirty <= database, "{dirty} of {database} pages are dirty");
    PoolReport { database, dirty, ..count(sweeper) }
}

/// What the pool counts, without a look at its pages: `database` and `dirty` are 0. It costs the same whatever the memory.
#[must_use]
pub fn counters(pool: &Pool) -> PoolReport {
    count(&pool.sweeper)
}

fn count(sweeper: &Sweeper) -> PoolReport {
    let buffers = sweeper.buffers();
    let tallies = &buffers.tallies;
    PoolReport {
        target: buffers.chunks.target().into(),
        total: buffers.chunks.total().into(),
        free: buffers.free.count() as u64,
        database: 0,
        dirty: 0,
        lookups: tallies.sum(|t| &t.lookups),
        reads: tallies.reads.load(Relaxed),
        read_ahead: tallies.read_ahead.load(Relaxed),
        created: tallies.sum(|t| &t.created),
        discarded: tallies.sum(|t| &t.discarded),
        discarded_dirty: tallies.sum(|t| &t.discarded_dirty),
        writes: tallies.writes.load(Relaxed),
        lazy_writes: tallies.lazy_writes.load(Relaxed),
        write_ios: tallies.write_ios.load(Relaxed),
        evictions: tallies.evictions.load(Relaxed),
        free_list_stalls: tallies.stalls.load(Relaxed),
        page_life_s: sweeper.hand.page_life_us(buffers.clock.now_us()) / 1_000_000,
        eviction_policy: buffers.policy.kind(),
    }
}

pub(crate) fn describe_all(buffers: &Buffers) -> Vec<BufferDescriptor> {
    let occupied = buffers.states().filter(|(_, state)| state.page.load(Relaxed) != 0);
    let in_memory = occupied.filter_map(|(frame, state)| describe(buffers, frame, state));
    in_memory.chain(describe_extension(buffers)).collect()
}

fn describe(buffers: &Buffers, frame: FrameNo, state: &FrameState) -> Option<BufferDescriptor> {
    let hold = buffers.frames.try_shared(frame);
    let page = PageId::from_bits(state.page.load(Relaxed));
    let mut descriptor = BufferDescriptor {
        page,
        kind: None,
        object_id: 0,
        index_id: Some(0),
        level: 0,
        rows: 0,
        free_bytes: 0,
        is_modified: state.dirty.load(Relaxed),
        read_us: state.read_us.load(Relaxed),
        is_in_extension: false,
    };
    if let Some(bytes) = hold {
        descriptor.kind = header::kind(&bytes);
        descriptor.object_id = header::object_id(&bytes);
        descriptor.index_id = Some(header::index_id(&bytes));
        descriptor.level = header::level(&bytes);
        descriptor.rows = header::slot_count(&bytes);
        descriptor.free_bytes = header::free_count(&bytes);
    }
    (page.to_bits() != 0).then_some(descriptor)
}

/// The pages that the extension has and memory does not.
pub(crate) fn describe_extension(buffers: &Buffers) -> Vec<BufferDescriptor> {
    let Some(extension) = buffers.tier.get() else { return Vec::new() };
    let word = |id: PageId| buffers.files.attached(id.db, id.file)?.word(id.page);
    let only_there =
        extension.slots.all_used().filter(|&(slot, id)| word(id).is_some_and(|word| word.place() == Place::Slot(slot)));
    let describe = |(slot, page): (SlotNo, PageId)| {
        let contents = extension.slots.contents(slot).filter(|contents| contents.page == page)?;
        Some(BufferDescriptor {
            page,
            kind: contents.page_kind(),
            object_id: contents.object_id,
            index_id: None,
            level: contents.level,
            rows: contents.rows,
            free_bytes: contents.free_bytes,
            is_modified: extension.slots.rec_pos(slot).is_some(),
            read_us: 0,
            is_in_extension: true,
        })
    };
    only_there.filter_map(describe).collect()
}
