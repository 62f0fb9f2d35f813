//! Which pages enter the extension when they have to leave memory, and how: gathered, in consecutive slots.
//!
//! While there is room every page enters, so that one scan warms it. When it is full a page has to be worth another's
//! place: the pool's policy says that it is hot or would soon come back, or it was changed, and not by a load; pages of
//! scans and loads go by. In mode `clean` every clean page enters, full or not, as in SQL Server, and no dirty one does:
//! a page that is changed leaves the extension and comes back only if it leaves memory clean.
//!
//! What always holds: a page is written to its slot under its shared latch, with its checksum, after its log (E2); its
//! frame has the slot's number only after the write succeeded (X4).

use std::sync::atomic::Ordering::Relaxed;

use crate::ask::{Ask, add};
use crate::check;
use crate::contract::{PageBytes, PageId};
use crate::extension::contents::Contents;
use crate::extension::device::{Extension, WRITE_SLOTS_MAX};
use crate::extension::slots::Wanted;
use crate::extension::{ExtensionMode, SlotNo};
use crate::page::header::LogPos;
use crate::pool::buffers::{Buffers, Victim};
use crate::pool::latch::{FrameNo, FrameState, SharedHold};
use crate::pool::policy::Policy;
use crate::pool::tier::{set_slot, slot_of};
use crate::pool::write::PageWriter;

/// A page that is ready to be written to its slot.
struct Entrant<'a> {
    id: PageId,
    hold: SharedHold<'a>,
    slot: SlotNo,
}

impl Extension {
    /// Whether pages enter without being worth it: a thousandth is free, so that the hand need not go round. Slots that
    /// are being written are not free: while a batch replaces others, a scan beside it must not find room.
    pub(crate) fn has_room(&self) -> bool {
        self.slots.held() + self.slots.count() / 1024 + 1 < self.slots.count()
    }

    /// Dirty slots from which on they are destaged, and no dirty page enters: half of all.
    pub(crate) fn dirty_max(&self) -> u32 {
        self.slots.count() / 2
    }
}

/// Whether a page that has to leave memory should enter.
pub(crate) fn is_admitted(buffers: &Buffers, extension: &Extension, state: &FrameState) -> bool {
    if !extension.is_open() || slot_of(state).is_some() {
        return false;
    }
    if state.dirty.load(Relaxed) {
        let has_log = state.rec_pos.load(Relaxed) != 0;
        if extension.mode() == ExtensionMode::Clean || !has_log || extension.slots.dirty() >= extension.dirty_max() {
            return false;
        }
    }
    let admitted = extension.has_room() || is_worth_it(buffers, extension, state);
    if !admitted {
        add(&extension.tallies.refused, 1);
    }
    admitted
}

/// Whether a page is worth another's slot.
fn is_worth_it(buffers: &Buffers, extension: &Extension, state: &FrameState) -> bool {
    let is_changed = state.dirty.load(Relaxed) && !state.bulk.load(Relaxed);
    let is_back_soon = || {
        let id = PageId::from_bits(state.page.load(Relaxed));
        buffers.policy.is_back_soon(id, buffers.chunks.total())
    };
    extension.mode() == ExtensionMode::Clean || buffers.policy.is_hot(state) || is_changed || is_back_soon()
}

/// Writes pages to the extension and takes them from their frames, which go to `freed`. Pages for which there is no
/// slot, or that are in use, stay as they are: those that still are in their frames are returned.
pub(crate) fn enter(
    writer: &PageWriter,
    ask: &Ask<'_>,
    extension: &Extension,
    pages: Vec<(PageId, FrameNo)>,
    freed: &mut Vec<FrameNo>,
) -> Vec<(PageId, FrameNo)> {
    let buffers = &writer.buffers;
    // Those that are worth it are first in line; the others enter where slots are free.
    let is_worth_it = |(_, frame): &(PageId, FrameNo)| is_worth_it(buffers, extension, buffers.frames.state(*frame));
    let (mut pages, others): (Vec<_>, Vec<_>) = pages.into_iter().partition(is_worth_it);
    let worthy = pages.len();
    pages.extend(others);
    for (number, batch) in pages.chunks(WRITE_SLOTS_MAX).enumerate() {
        let evictions = worthy.saturating_sub(number * WRITE_SLOTS_MAX).min(batch.len());
        let wanted = Wanted { slots: batch.len(), evictions };
        let copied = copy_to_slots(writer, ask, extension, batch, wanted).into_iter();
        freed.extend(copied.filter(|&frame| buffers.evict(frame, true) == Victim::Freed));
    }
    pages.retain(|(id, frame)| buffers.frames.state(*frame).page.load(Relaxed) == id.to_bits());
    pages
}

/// Gives pages copies in the extension; returns the frames of those that have one now.
fn copy_to_slots(
    writer: &PageWriter,
    ask: &Ask<'_>,
    extension: &Extension,
    pages: &[(PageId, FrameNo)],
    wanted: Wanted,
) -> Vec<FrameNo> {
    let buffers = &writer.buffers;
    check!(pages.len() <= WRITE_SLOTS_MAX, "{} pages enter the extension at once", pages.len());
    let mut slots = Vec::with_capacity(pages.len());
    let evict = |id, slot| buffers.detach_slot(id, slot);
    extension.slots.take(wanted, buffers.clock.now_us(), &evict, &mut slots);
    assert!(slots.len() <= wanted.slots, "{} slots were taken for {}", slots.len(), wanted.slots);
    if slots.len() < pages.len() {
        add(&extension.tallies.refused, (pages.len() - slots.len()) as u64);
    }
    if slots.len() < wanted.evictions {
        // Too much is dirty.
        buffers.tier.wakeup.wake();
    }
    slots.reverse();
    let mut entrants = Vec::new();
    for &(id, frame) in pages {
        let Some(&slot) = slots.last() else { break };
        if let Some(hold) = ready_to_enter(writer, extension, id, frame) {
            entrants.push(Entrant { id, hold, slot });
            slots.pop();
        }
    }
    slots.into_iter().for_each(|slot| extension.slots.release(slot));
    check!(
        (1..entrants.len()).all(|n| entrants[..n].iter().all(|other| other.slot != entrants[n].slot)),
        "two pages enter one slot"
    );
    let together = entrants.chunk_by(|a, b| a.slot.0 + 1 == b.slot.0);
    let copied = together.flat_map(|run| write_entrants(writer, ask, extension, run));
    copied.collect()
}

/// The page with its checksum, its log durable, latched shared.
fn ready_to_enter<'a>(
    writer: &'a PageWriter,
    extension: &Extension,
    id: PageId,
    frame: FrameNo,
) -> Option<SharedHold<'a>> {
    let hold = writer.buffers.frames.try_exclusive(frame)?;
    let state = hold.state();
    // A frame that became free since it was looked at has no page, which is no page's number.
    let is_right = id.to_bits() != 0 && state.page.load(Relaxed) == id.to_bits() && state.pins.load(Relaxed) == 0;
    if !is_right || slot_of(state).is_some() || !extension.is_usable() {
        return None;
    }
    if !state.dirty.load(Relaxed) {
        check!(!state.io.load(Relaxed), "P2: page {id} is written by two at once");
        state.io.store(true, Relaxed);
        return Some(hold.downgrade());
    }
    if state.rec_pos.load(Relaxed) == 0 || extension.mode() == ExtensionMode::Clean {
        return None;
    }
    let file = writer.buffers.files.attached(id.db, id.file)?;
    writer.make_ready(file, id, hold).ok()
}

fn write_entrants(writer: &PageWriter, ask: &Ask<'_>, extension: &Extension, run: &[Entrant<'_>]) -> Vec<FrameNo> {
    let pages: Vec<&PageBytes> = run.iter().map(|entrant| &*entrant.hold).collect();
    check!(
        run.iter().all(|entrant| crate::page::header::verify(&entrant.hold, entrant.id).is_ok()),
        "a page enters the extension without its checksum"
    );
    check!(
        run.iter().all(|entrant| {
            let file = writer.buffers.files.attached(entrant.id.db, entrant.id.file);
            let is_durable = file.is_some_and(|file| file.is_durable());
            !is_durable || writer.log_rule.get().is_none_or(|rule| rule.is_log_durable(entrant.id, &entrant.hold))
        }),
        "E2: a page enters the extension before its log is durable"
    );
    let written = extension.write_slots(run[0].slot, &pages);
    if written {
        ask.task.writes.add(
            crate::contract::WriteReason::Extension,
            std::mem::size_of_val(&pages[0][..]) as u64 * pages.len() as u64,
        );
    } else {
        writer.buffers.tier.wakeup.wake();
    }
    for entrant in run {
        let state = entrant.hold.state();
        if written {
            let rec_pos = Some(LogPos(state.rec_pos.load(Relaxed))).filter(|_| state.dirty.load(Relaxed));
            check!(slot_of(state).is_none(), "X2: page {} gets a second slot", entrant.id);
            check!(rec_pos.is_none_or(|pos| pos.0 != 0), "X5: page {} is dirty, and no log is kept for it", entrant.id);
            extension.slots.fill(entrant.slot, &Contents::of(entrant.id, &entrant.hold), rec_pos);
            set_slot(state, Some(entrant.slot));
        } else {
            extension.slots.release(entrant.slot);
        }
        state.io.store(false, Relaxed);
    }
    if written { run.iter().map(|entrant| entrant.hold.frame()).collect() } else { Vec::new() }
}

/// Copies all clean pages of durable files into the extension while it has room: the end of a server that will find
/// them again. Returns how many.
pub(crate) fn save_clean_pages(writer: &PageWriter, ask: &Ask<'_>) -> u64 {
    let Some(extension) = writer.buffers.tier.get() else { return 0 };
    let is_durable = |id: PageId| writer.buffers.files.attached(id.db, id.file).is_some_and(|file| file.is_durable());
    let clean = writer
        .buffers
        .states()
        .filter(|(_, state)| state.page.load(Relaxed) != 0 && !state.dirty.load(Relaxed) && slot_of(state).is_none());
    let pages = clean.map(|(frame, state)| (PageId::from_bits(state.page.load(Relaxed)), frame));
    let mut pages: Vec<_> = pages.filter(|(id, _)| is_durable(*id)).collect();
    pages.sort_unstable();
    let mut saved = 0;
    for batch in pages.chunks(WRITE_SLOTS_MAX) {
        let free = extension.slots.count() - extension.slots.used();
        if !extension.is_open() || (free as usize) < batch.len() {
            break;
        }
        saved += copy_to_slots(writer, ask, &extension, batch, Wanted::any(batch.len())).len() as u64;
    }
    saved
}
