//! Pages come: hits, misses, creation.
//!
//! A hit costs the two table steps and the word of `files`, then the latch; the page's number is looked at under the
//! latch, because the frame may have changed hands since the word was read (T2). A miss installs an empty frame, latched
//! exclusively, under the page's word before it reads, so that all that ask meanwhile wait for this one read.

use std::sync::atomic::Ordering::Relaxed;

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{PageBytes, PageId, PageKind};
use crate::file::switchable_file::READ_RETRIES;
use crate::page::header::{self, PageDamage};
use crate::page_io::PageIo;
use crate::pool::buffers::Purpose;
use crate::pool::eviction::Sweeper;
use crate::pool::files::{Place, Word};
use crate::pool::latch::{ExclusiveHold, FrameNo, FrameState};
use crate::pool::policy::{self, Arrival};
use crate::pool::tier::{SlotRead, rebuild};
use crate::pool::{ExclusivePage, Pool, PoolError, SharedPage};
use crate::wait::WaitGuard;

/// The page, latched shared.
#[inline]
pub(crate) fn shared<'a>(pool: &'a Pool, ask: &Ask<'a>, id: PageId) -> Result<SharedPage<'a>, PoolError> {
    let buffers = pool.buffers();
    let word = buffers.look_up(ask, id)?;
    loop {
        if let Some(frame) = word.frame() {
            let wait = || buffers.wait_for(ask, frame, id, Purpose::Read);
            if let Some(hold) = buffers.frames.shared(frame, id.to_bits(), wait) {
                note_hit(word, frame, id, &hold, hold.state());
                return Ok(SharedPage::new(pool, hold));
            }
        } else if let Some(hold) = fault(&pool.sweeper, ask, word, id, Purpose::Read)? {
            return Ok(SharedPage::new(pool, hold.downgrade()));
        }
    }
}

/// The page, latched exclusively; waits are charged as for `purpose`.
#[inline]
pub(crate) fn exclusive<'a>(
    pool: &'a Pool,
    ask: &Ask<'a>,
    id: PageId,
    purpose: Purpose,
) -> Result<ExclusivePage<'a>, PoolError> {
    let buffers = pool.buffers();
    let word = buffers.look_up(ask, id)?;
    loop {
        if let Some(frame) = word.frame() {
            let wait = || buffers.wait_for(ask, frame, id, purpose);
            if let Some(hold) = buffers.frames.exclusive(frame, id.to_bits(), wait) {
                note_hit(word, frame, id, &hold, hold.state());
                return Ok(ExclusivePage::new(pool, *ask, hold));
            }
        } else if let Some(hold) = fault(&pool.sweeper, ask, word, id, purpose)? {
            return Ok(ExclusivePage::new(pool, *ask, hold));
        }
    }
}

/// A page was found in a frame, whose latch the caller has.
#[inline]
fn note_hit(word: Word<'_>, frame: FrameNo, id: PageId, page: &PageBytes, state: &FrameState) {
    check!(word.frame() == Some(frame), "T1: page {id} is in frame {frame:?}, and its word leads elsewhere");
    check!(header::page_no(page) == id.page, "S1: the frame of page {id} holds page {}", header::page_no(page));
    policy::on_hit(state);
}

/// Reads a page that is not in memory; `None` when another session was first, then it is.
#[cold]
pub(crate) fn fault<'a>(
    sweeper: &'a Sweeper,
    ask: &Ask<'a>,
    word: Word<'_>,
    id: PageId,
    purpose: Purpose,
) -> Result<Option<ExclusiveHold<'a>>, PoolError> {
    let buffers = sweeper.buffers();
    buffers.files.file_of(id)?;
    if let Place::Slot(slot) = word.place() {
        rebuild::look_at_slot(sweeper, ask, word, id, slot)?;
    }
    let hold = sweeper.take_frame(ask, id)?;
    let Some(mut hold) = buffers.install(ask, word, hold, id, Arrival::Read) else { return Ok(None) };
    let wait = WaitGuard::begin(&buffers.waits, ask, purpose.wait_type(true), Some(id));
    buffers.note_read(id, hold.state());
    if hold.state().slot.load(Relaxed) != 0 {
        match buffers.read_slot(word, id, &mut hold) {
            SlotRead::Read => {
                hold.state().read_us.store(wait.end().min(u32::MAX.into()) as u32, Relaxed);
                hold.state().io.store(false, Relaxed);
                ask.count_physical_reads(1, false);
                return Ok(Some(hold));
            }
            SlotRead::Lost => {
                buffers.set_free(ask.task.session, hold);
                return Ok(None);
            }
            SlotRead::Dropped => {}
        }
    }
    let read = read_believed(&*sweeper.writer.io, ask, id, &mut hold);
    let read_us = wait.end().min(u32::MAX.into()) as u32;
    if let Err(error) = read {
        buffers.give_up(word, hold);
        return Err(error);
    }
    hold.state().read_us.store(read_us, Relaxed);
    hold.state().io.store(false, Relaxed);
    ask.count_physical_reads(1, false);
    add(&buffers.tallies.reads, 1);
    Ok(Some(hold))
}

/// Reads a page. Bytes that are not the page are read again before it is believed to be damaged.
pub(crate) fn read_believed(io: &dyn PageIo, ask: &Ask<'_>, id: PageId, page: &mut PageBytes) -> Result<(), PoolError> {
    let mut first_damage: Option<PageDamage> = None;
    for failures in 0..=READ_RETRIES {
        io.read_run(ask, id, &mut [page])?;
        match (header::verify(page, id), first_damage.take()) {
            (Ok(()), None) => return Ok(()),
            (Ok(()), Some(damage)) => {
                io.read_at_last(id, failures, &damage.to_string());
                return Ok(());
            }
            (Err(damage), first) => first_damage = Some(first.unwrap_or(damage)),
        }
    }
    assert!(first_damage.is_some(), "page {id} is not believed, and nothing was wrong with it");
    Err(first_damage.expect("a page that was never right was wrong once").into())
}

/// The page, empty and latched exclusively, without a read.
#[inline]
pub(crate) fn create<'a>(
    pool: &'a Pool,
    ask: &Ask<'a>,
    id: PageId,
    kind: PageKind,
    object_id: u32,
) -> Result<ExclusivePage<'a>, PoolError> {
    let buffers = pool.buffers();
    let word = buffers.files.file_of(id)?.word_or_map(id.page).ok_or(PoolError::NoMemory { page: id })?;
    let hold = loop {
        if let Some(frame) = word.frame() {
            let wait = || buffers.wait_for(ask, frame, id, Purpose::Change);
            if let Some(hold) = buffers.frames.exclusive(frame, id.to_bits(), wait) {
                break hold;
            }
        } else {
            buffers.files.file_of(id)?;
            if let Some(hold) = buffers.install(ask, word, pool.sweeper.take_frame(ask, id)?, id, Arrival::Created) {
                buffers.ghosts.free(id.to_bits());
                break hold;
            }
        }
    };
    check!(word.frame() == Some(hold.frame()), "T1: page {id} is made, and its word leads elsewhere");
    add(&buffers.tallies.of(ask.task.session).created, 1);
    let mut page = ExclusivePage::new(pool, *ask, hold);
    check!(page.id() == id, "T1: page {id} is made in the frame of {}", page.id());
    header::init(&mut page, id, kind, object_id);
    Ok(page)
}
