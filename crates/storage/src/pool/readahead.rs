//! Read-ahead: pages that a scan will ask for soon come in large reads, on threads of their own.
//!
//! What always holds: a page that is read ahead is installed, latched exclusively, before the read begins, so a scan that
//! arrives early waits for this read and starts none. In a full pool it makes room first, of a small part of the pool at
//! most, and it gives up silently: a task that asks for the page reads it and gets the error. Threads start with the
//! first request.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};

use crate::ask::{Ask, add, as_server};
use crate::check;
use crate::contract::{PageBytes, PageId, PageNo, SessionId};
use crate::extension::SlotNo;
use crate::extension::device::Extension;
use crate::page::header;
use crate::page_io::PageIo;
use crate::pool::Pool;
use crate::pool::buffers::Buffers;
use crate::pool::eviction::Sweeper;
use crate::pool::files::FileTable;
use crate::pool::free::ShardNo;
use crate::pool::latch::ExclusiveHold;
use crate::pool::policy::Arrival;
use crate::pool::tier::destage::read_together;
use crate::pool::tier::{ExtensionTier, SlotRead, slot_of};
use crate::pool::write::PageWriter;
use crate::wait::{WaitGuard, WaitType};

/// Pages of one read: 512 KB.
const READ_PAGES_MAX: usize = 64;
/// Pages of a piece that is worth an I/O of its own on the extension, instead of a part of one on the data file.
const PIECE_PAGES_MIN: usize = 8;
/// Pages between absent ones that are read over and dropped, one after the other: that many take less time than another read.
const READ_OVER_PAGES_MAX: usize = 4;
/// A read into a full pool is of no larger part of it than one of so many.
const READ_PARTS_MIN: u32 = 16;
/// Threads; each has one read under way.
const WORKERS: usize = 2;
/// Requests that wait at most; more are dropped, the scan reads by itself then.
const QUEUE_MAX: usize = 64;

/// A read that is no matter of the pool's frames.
pub(crate) trait BackgroundRead: std::fmt::Debug + Send + Sync {
    /// Does it, unless another thread has.
    fn run(&self, pool: &Pool);
}

#[derive(Debug)]
enum Request {
    /// Pages into the pool.
    Range { first: PageId, count: u32 },
    /// Pages past the pool.
    BackgroundRead(Arc<dyn BackgroundRead>),
}

#[derive(Debug, Default)]
struct Queue {
    requests: VecDeque<Request>,
    stopping: bool,
}

#[derive(Debug, Default)]
struct Desk {
    queue: Mutex<Queue>,
    condvar: Condvar,
}

/// The read-ahead as the pool sees it.
#[derive(Debug, Default)]
pub(crate) struct ReadAhead {
    desk: Arc<Desk>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl ReadAhead {
    /// Hands a request in; false when too many wait.
    fn hand_in(&self, pool: &Weak<Pool>, request: Request) -> bool {
        self.start(pool);
        let mut queue = self.desk.queue.lock();
        if queue.requests.len() >= QUEUE_MAX {
            return false;
        }
        queue.requests.push_back(request);
        self.desk.condvar.notify_one();
        true
    }

    /// Hands in a read past the pool; false when too many wait.
    pub(crate) fn hand_in_background(&self, pool: &Weak<Pool>, read: Arc<dyn BackgroundRead>) -> bool {
        self.hand_in(pool, Request::BackgroundRead(read))
    }

    fn start(&self, pool: &Weak<Pool>) {
        let mut threads = self.threads.lock();
        if !threads.is_empty() {
            return;
        }
        for _ in 0..WORKERS {
            let (desk, pool) = (self.desk.clone(), pool.clone());
            let worker = std::thread::Builder::new().name("read-ahead".to_owned());
            threads.extend(worker.spawn(move || run(&desk, &pool)).ok());
        }
    }

    /// Ends the threads and waits for them, except the one that asks.
    pub(crate) fn stop(&self) {
        self.desk.queue.lock().stopping = true;
        self.desk.condvar.notify_all();
        for thread in self.threads.lock().drain(..) {
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

fn run(desk: &Desk, pool: &Weak<Pool>) {
    while let Some(request) = desk.next() {
        let Some(pool) = pool.upgrade() else { return };
        match request {
            Request::Range { first, count } => as_server(|ask| read_range(&pool.sweeper, ask, first, count)),
            Request::BackgroundRead(read) => read.run(&pool),
        }
    }
}

impl Desk {
    fn next(&self) -> Option<Request> {
        let mut queue = self.queue.lock();
        while queue.requests.is_empty() && !queue.stopping {
            self.condvar.wait(&mut queue);
        }
        if queue.stopping { None } else { queue.requests.pop_front() }
    }
}

pub(crate) fn begin(pool: &Pool, ask: &Ask<'_>, first: PageId, count: u32) {
    let (count, absent) = absent(&pool.buffers().files, first, count);
    if absent > 0 && pool.reader.hand_in(&pool.me, Request::Range { first, count }) {
        ask.count_physical_reads(absent, true);
    }
}

/// Reads the absent pages of a range on the thread that asks, which the threads here have not kept ahead of.
pub(crate) fn at_once(sweeper: &Sweeper, ask: &Ask<'_>, first: PageId, count: u32) {
    let (count, absent) = absent(&sweeper.buffers().files, first, count);
    if absent > 0 && has_room(sweeper, ask, count) {
        let _wait = WaitGuard::begin(&sweeper.buffers().waits, ask, WaitType::PAGEIOLATCH_SH, Some(first));
        ask.count_physical_reads(absent, true);
        install_absent(sweeper, ask, first, count);
    }
}

/// Pages of a range that may be asked for, and those of them that are not in memory.
fn absent(files: &FileTable, first: PageId, count: u32) -> (u32, u64) {
    let Some(file) = files.attached(first.db, first.file) else { return (0, 0) };
    let count = count.min(u32::MAX - first.page.0);
    let present = |page: u32| file.word(PageNo(page)).is_some_and(|word| word.frame().is_some());
    (count, (first.page.0..first.page.0 + count).filter(|&page| !present(page)).count() as u64)
}

fn read_range(sweeper: &Sweeper, ask: &Ask<'_>, first: PageId, count: u32) {
    if has_room(sweeper, ask, count) {
        install_absent(sweeper, ask, first, count);
    }
}

fn has_room(sweeper: &Sweeper, ask: &Ask<'_>, pages: u32) -> bool {
    sweeper.buffers().has_plenty() || makes_room(sweeper, ask, pages)
}

/// Pages that come in one read.
#[derive(Default)]
struct Run<'a> {
    /// From the first to the last page of the read; none for a page that is in memory, which is read over.
    places: Vec<Option<ExclusiveHold<'a>>>,
    /// How many at the end are read over, so far.
    over: usize,
}

/// Reads the absent pages of a range, in runs as long as they are or a little longer.
fn install_absent(sweeper: &Sweeper, ask: &Ask<'_>, first: PageId, count: u32) {
    // What lies in the extension comes from there, page by page.
    let over_max = if sweeper.buffers().tier.get().is_some() { 0 } else { READ_OVER_PAGES_MAX };
    let mut run = Run::default();
    let mut run_first = first;
    for number in 0..count {
        let id = PageId { page: PageNo(first.page.0 + number), ..first };
        match prepare_read(sweeper.buffers(), ask, id) {
            Some(hold) => {
                if run.places.is_empty() {
                    run_first = id;
                }
                check!(id == nth(run_first, run.places.len()), "page {id} is read with those from {run_first} on");
                run.places.push(Some(hold));
                run.over = 0;
            }
            None if !run.places.is_empty() && run.over < over_max => {
                run.places.push(None);
                run.over += 1;
            }
            None => read_run(&sweeper.writer, ask, run_first, &mut run),
        }
        if run.places.len() >= READ_PAGES_MAX {
            read_run(&sweeper.writer, ask, run_first, &mut run);
        }
    }
    read_run(&sweeper.writer, ask, run_first, &mut run);
    check!(run.places.is_empty(), "{} pages are latched for a read that is not done", run.places.len());
}

/// Frees as many frames as pages are to be read; false when these are too large a part of the pool. No page is latched
/// meanwhile.
fn makes_room(sweeper: &Sweeper, ask: &Ask<'_>, pages: u32) -> bool {
    let buffers = sweeper.buffers();
    if pages > buffers.chunks.target() / READ_PARTS_MIN {
        return false;
    }
    let missing = (pages as usize).saturating_sub(buffers.free.count());
    if missing > 0 {
        let freed = sweeper.make_room(ask, missing);
        buffers.free.give(ShardNo::of(SessionId(0)), &freed);
    }
    true
}

/// Installs an empty frame for a page that is not in memory.
fn prepare_read<'a>(buffers: &'a Buffers, ask: &Ask<'_>, id: PageId) -> Option<ExclusiveHold<'a>> {
    let word = buffers.files.attached(id.db, id.file)?.word_or_map(id.page)?;
    if word.frame().is_some() {
        return None;
    }
    let shard = ShardNo::of(SessionId(0));
    let hold = buffers.frames.exclusive_of_free(buffers.find_free(shard)?);
    buffers.install(ask, word, hold, id, Arrival::ReadAhead).inspect(|hold| buffers.note_read(id, hold.state()))
}

fn read_run(writer: &PageWriter, ask: &Ask<'_>, first: PageId, run: &mut Run<'_>) {
    let buffers = &writer.buffers;
    let Run { mut places, over } = std::mem::take(run);
    places.truncate(places.len() - over);
    if places.is_empty() {
        return;
    }
    let start_us = buffers.clock.now_us();
    let holds = || places.iter().enumerate().filter_map(|(at, hold)| Some((at, hold.as_ref()?)));
    check!(
        holds().all(|(at, hold)| hold.state().page.load(Relaxed) == nth(first, at).to_bits()),
        "pages from {first} on are read into frames of others"
    );
    check!(
        holds().all(|(_, hold)| hold.state().io.load(Relaxed)),
        "P2: pages from {first} on are read, and their frames do not say so"
    );
    let count = places.len();
    assert!(count <= READ_PAGES_MAX, "{count} pages are read at once");
    let has_copies = holds().any(|(_, hold)| slot_of(hold.state()).is_some());
    let outcomes = match buffers.tier.get().filter(|_| has_copies) {
        Some(extension) => {
            let mut holds: Vec<ExclusiveHold<'_>> = places.into_iter().flatten().collect();
            assert!(holds.len() == count, "pages of the extension are read over");
            let outcomes = read_mixed_run(writer, ask, &extension, first, &mut holds);
            places = holds.into_iter().map(Some).collect();
            outcomes
        }
        None => vec![read_from_file(&*writer.io, ask, first, &mut places); count],
    };
    let took_us = (buffers.clock.now_us() - start_us).min(u32::MAX.into()) as u32;
    assert!(outcomes.len() == count && places.len() == count, "{} outcomes for {count} frames", outcomes.len());
    for ((index, hold), is_read) in places.into_iter().enumerate().zip(outcomes) {
        let Some(hold) = hold else { continue };
        let id = nth(first, index);
        if hold.state().page.load(Relaxed) == 0 {
            // Lost: its word names its slot again, and a task that asks for it has it redone.
            let frame = hold.frame();
            drop(hold);
            buffers.set_frames_free(&[frame]);
        } else if is_read && header::verify(&hold, id).is_ok() {
            hold.state().read_us.store(took_us, Relaxed);
            hold.state().io.store(false, Relaxed);
            add(&buffers.tallies.read_ahead, 1);
        } else {
            buffers.give_up(buffers.files.word_of(id), hold);
        }
    }
}

fn read_from_file(io: &dyn PageIo, ask: &Ask<'_>, first: PageId, places: &mut [Option<ExclusiveHold<'_>>]) -> bool {
    if places.iter().all(Option::is_some) {
        let mut bytes: Vec<&mut PageBytes> = places.iter_mut().flatten().map(|hold| &mut **hold).collect();
        return io.read_run(ask, first, &mut bytes).is_ok();
    }
    let mut bytes: Vec<Option<&mut PageBytes>> =
        places.iter_mut().map(|hold| hold.as_mut().map(|hold| &mut **hold)).collect();
    io.read_over(ask, first, &mut bytes).is_ok()
}

/// Reads a run of which some pages have copies in the extension; says of each page whether it was read. All of it
/// comes from the data file in one I/O unless it is there in a few pieces; only what the data file does not have is
/// then read from its slot.
fn read_mixed_run(
    writer: &PageWriter,
    ask: &Ask<'_>,
    extension: &Extension,
    first: PageId,
    run: &mut Vec<ExclusiveHold<'_>>,
) -> Vec<bool> {
    let slots: Vec<_> = run.iter().map(|hold| slot_of(hold.state())).collect();
    let is_dirty = |slot: &Option<SlotNo>| slot.is_some_and(|slot| extension.slots.rec_pos(slot).is_some());
    let mut sorted: Vec<_> = slots.iter().flatten().collect();
    sorted.sort_unstable();
    let pieces = sorted.chunk_by(|a, b| a.0 + 1 == b.0).count();
    let from_slots = slots.iter().all(Option::is_some) && pieces <= (run.len() / PIECE_PAGES_MIN).max(1);
    let only_there = slots.iter().all(is_dirty);
    let mut is_read = vec![true; run.len()];
    if !from_slots && !only_there {
        let mut bytes: Vec<&mut PageBytes> = run.iter_mut().map(|hold| &mut **hold).collect();
        is_read.fill(writer.io.read_run(ask, first, &mut bytes).is_ok());
    }
    let mut of_slots = Vec::new();
    for (index, hold) in run.drain(..).enumerate() {
        let id = nth(first, index);
        let slot = slots[index].filter(|_| from_slots || only_there || is_dirty(&slots[index]));
        of_slots.push((slot, id, hold));
    }
    let (mut wanted, others): (Vec<_>, Vec<_>) = of_slots
        .into_iter()
        .map(|(slot, id, hold)| (slot.unwrap_or(NO_SLOT), id, hold))
        .partition(|(slot, ..)| *slot != NO_SLOT);
    wanted.sort_unstable_by_key(|(slot, ..)| *slot);
    let read = read_together(extension, &mut wanted);
    for ((_, id, hold), read) in wanted.iter().zip(read) {
        let outcome = writer.buffers.settle_slot(extension, writer.buffers.files.word_of(*id), *id, hold, read);
        is_read[(id.page.0 - first.page.0) as usize] = outcome == SlotRead::Read;
    }
    for (_, _, hold) in &others {
        compare_copy(&writer.buffers.tier, extension, hold);
    }
    let mut all: Vec<_> = wanted.into_iter().chain(others).collect();
    all.sort_unstable_by_key(|(_, id, _)| *id);
    check!(all.iter().enumerate().all(|(at, (_, id, _))| *id == nth(first, at)), "pages of a read are in their order");
    run.extend(all.into_iter().map(|(_, _, hold)| hold));
    is_read
}

/// A page came from its data file though it has a copy: the copy stays if it is the same.
fn compare_copy(tier: &ExtensionTier, extension: &Extension, hold: &ExclusiveHold<'_>) {
    let Some(slot) = slot_of(hold.state()) else { return };
    if extension.slots.contents(slot).is_none_or(|contents| !contents.are(hold)) {
        add(&extension.tallies.mismatched, 1);
        tier.drop_copy(hold.state());
    }
}

/// Stands for a page that is not read from the extension.
const NO_SLOT: SlotNo = SlotNo(u32::MAX);

fn nth(first: PageId, index: usize) -> PageId {
    PageId { page: PageNo(first.page.0 + index as u32), ..first }
}
