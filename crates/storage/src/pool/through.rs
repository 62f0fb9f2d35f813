//! Reading past the pool: pages that are read once and then not needed, like those of spills, take no frames.
//!
//! What always holds: a page that is not in memory is in its file as it was last, because a dirty page leaves memory only
//! when it is written. The caller sees to it that the pages are neither changed nor freed meanwhile; a read in the background
//! is over when its [`PendingRead`] is gone.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use parking_lot::{Condvar, Mutex};

use crate::ask::{Ask, IoCount, Task, add};
use crate::check;
use crate::contract::{PAGE_BYTES, PageBytes, PageId, PageNo};
use crate::page::header;
use crate::pool::files::{FileTable, Place};
use crate::pool::readahead::BackgroundRead;
use crate::pool::write::PageWriter;
use crate::pool::{Pool, PoolError, fetch};
use crate::wait::{WaitGuard, WaitType};

/// What devices want buffers to be aligned to.
const ALIGNMENT_BYTES: usize = 4096;

/// Room for pages at an aligned address.
#[derive(Default)]
pub struct PageBuffer {
    memory: Vec<u8>,
}

impl std::fmt::Debug for PageBuffer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PageBuffer({} bytes)", self.memory.len())
    }
}

impl PageBuffer {
    /// Its first pages; it grows when it has fewer.
    pub fn pages(&mut self, count: usize) -> &mut [PageBytes] {
        let wanted_bytes = count * PAGE_BYTES + ALIGNMENT_BYTES;
        if self.memory.len() < wanted_bytes {
            self.memory = vec![0; wanted_bytes];
        }
        let start = self.memory.as_ptr().align_offset(ALIGNMENT_BYTES);
        assert!(start < ALIGNMENT_BYTES, "bytes can be aligned");
        let pages: &mut [PageBytes] = self.memory[start..start + count * PAGE_BYTES].as_chunks_mut().0;
        check!(pages.len() == count, "{} of {count} pages have room", pages.len());
        check!(pages.as_ptr().addr().is_multiple_of(ALIGNMENT_BYTES), "pages begin where no device reads to");
        pages
    }
}

/// A read that another thread does, or will do.
#[derive(Debug)]
struct Under {
    first: PageId,
    count: usize,
    state: Mutex<State>,
    condvar: Condvar,
}

#[derive(Debug)]
enum State {
    /// It is not begun.
    Waiting(PageBuffer),
    Running,
    Done(PageBuffer, IoCount, Result<(), PoolError>),
    /// It need not be done any more.
    Taken,
}

impl BackgroundRead for Under {
    /// Does the read, unless the task that wanted it has done so itself.
    fn run(&self, pool: &Pool) {
        let mut state = self.state.lock();
        let State::Waiting(buffer) = &mut *state else { return };
        let mut buffer = std::mem::take(buffer);
        *state = State::Running;
        drop(state);
        let (task, io) = (Task::default(), IoCount::default());
        let result = copy(pool, &Ask::new(&task, &io), self.first, buffer.pages(self.count), false);
        check!(matches!(*self.state.lock(), State::Running), "a read ends that was not begun");
        *self.state.lock() = State::Done(buffer, io, result);
        self.condvar.notify_all();
    }
}

/// Consecutive pages that are read past the pool while they are not needed yet.
#[derive(Debug)]
pub struct PendingRead(Arc<Under>);

impl PendingRead {
    /// The pages, as [`Pool::read_through`] gives them; waits for them, or reads them if the read is not begun.
    ///
    /// # Errors
    /// [`PoolError`]
    pub fn finish(self, pool: &Pool, ask: &Ask<'_>) -> Result<PageBuffer, PoolError> {
        let under = &*self.0;
        let mut state = under.state.lock();
        if matches!(*state, State::Running) {
            let _wait = WaitGuard::begin(&pool.buffers().waits, ask, WaitType::IO_COMPLETION, Some(under.first));
            under.condvar.wait_while(&mut state, |state| matches!(state, State::Running));
        }
        match std::mem::replace(&mut *state, State::Taken) {
            State::Done(buffer, io, result) => {
                ask.count_logical_reads(io.logical_reads.load(Relaxed));
                ask.count_physical_reads(io.physical_reads.load(Relaxed), false);
                ask.count_physical_reads(io.read_ahead_reads.load(Relaxed), true);
                result.map(|()| buffer)
            }
            State::Waiting(mut buffer) => {
                drop(state);
                pool.read_through(ask, under.first, buffer.pages(under.count)).map(|()| buffer)
            }
            State::Running | State::Taken => unreachable!("it was waited for, and only its one reader takes it"),
        }
    }
}

impl Drop for PendingRead {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        self.0.condvar.wait_while(&mut state, |state| matches!(state, State::Running));
        *state = State::Taken;
    }
}

/// Begins to read consecutive pages past the pool on another thread. `None`, and `buffer` is as it was: they are in
/// memory, or too much is being read already.
pub(crate) fn begin(pool: &Pool, first: PageId, count: usize, buffer: &mut PageBuffer) -> Option<PendingRead> {
    check!(count > 0, "no page is read");
    if absent_from(&pool.buffers().files, first, 1) == 0 {
        return None;
    }
    let state = Mutex::new(State::Waiting(std::mem::take(buffer)));
    let under = Arc::new(Under { first, count, state, condvar: Condvar::new() });
    if pool.reader.hand_in_background(&pool.me, under.clone()) {
        return Some(PendingRead(under));
    }
    if let State::Waiting(back) = std::mem::replace(&mut *under.state.lock(), State::Taken) {
        *buffer = back;
    }
    None
}

/// Copies pages, absent ones in runs; a wait is charged where the caller waits.
pub(crate) fn copy(
    pool: &Pool,
    ask: &Ask<'_>,
    first: PageId,
    out: &mut [PageBytes],
    is_waited_for: bool,
) -> Result<(), PoolError> {
    let mut done = 0;
    while done < out.len() {
        let absent = absent_from(&pool.buffers().files, nth(first, done), out.len() - done);
        if absent == 0 {
            out[done] = *pool.shared(ask, nth(first, done))?;
            done += 1;
        } else {
            let pages = &mut out[done..done + absent];
            let page = nth(first, done);
            let wait = is_waited_for
                .then(|| WaitGuard::begin(&pool.buffers().waits, ask, WaitType::IO_COMPLETION, Some(page)));
            read_absent(&pool.sweeper.writer, ask, page, pages, wait)?;
            done += absent;
        }
    }
    Ok(())
}

/// How many pages in a row are neither in memory nor in the extension.
fn absent_from(files: &FileTable, first: PageId, count: usize) -> usize {
    let Some(file) = files.attached(first.db, first.file) else { return 0 };
    let is_absent =
        |at: &usize| file.word(nth(first, *at).page).is_none_or(|word| matches!(word.place(), Place::Nowhere));
    (0..count).take_while(is_absent).count()
}

fn read_absent(
    writer: &PageWriter,
    ask: &Ask<'_>,
    first: PageId,
    out: &mut [PageBytes],
    wait: Option<WaitGuard<'_>>,
) -> Result<(), PoolError> {
    let mut pages: Vec<&mut PageBytes> = out.iter_mut().collect();
    writer.io.read_run(ask, first, &mut pages)?;
    drop(wait);
    let count = out.len() as u64;
    ask.count_logical_reads(count);
    ask.count_physical_reads(count, count > 1);
    add(&writer.buffers.tallies.reads, count);
    for (at, page) in out.iter_mut().enumerate() {
        if header::verify(page, nth(first, at)).is_err() {
            fetch::read_believed(&*writer.io, ask, nth(first, at), page)?;
        }
    }
    check!(
        out.iter().enumerate().all(|(at, page)| header::verify(page, nth(first, at)).is_ok()),
        "P3: a page from {first} on is given away and not believed"
    );
    Ok(())
}

fn nth(first: PageId, at: usize) -> PageId {
    PageId { page: PageNo(first.page.0 + at as u32), ..first }
}
