//! Memory of the pool: reserved address space, given real memory chunk by chunk as it is used.
//!
//! What always holds:
//!
//! * A mapping is readable and writable for its whole life, from first to last byte; bytes that were never written, and
//!   bytes of a released range, read as zero. So an address inside it is never invalid, whatever became of its content.
//! * Nothing here reads or writes the bytes of a frame. Which code may is the business of `latch`.
//!
//! Frames come in chunks of 2 MB, the size of a huge page: a fresh 8 KB frame costs 0.8 µs in a huge page and 5 µs in
//! small ones. Where the system has no huge pages the same calls populate small ones.
//!
//! # Proof of the unsafe parts
//!
//! `mmap` with no address and no file gives memory that nothing else knows; [`Mapping`] owns it and unmaps it in
//! `drop`, when no borrow of it can live: slices borrow the `MappedSlice`, and pointers are turned into references by
//! `latch` only, bounded by a borrow of the [`Arena`]'s owner. [`MappedSlice`] hands out `&[T]` of zeroed memory for
//! types for which [`ZeroIsValid`] is promised, and whose size divides what was mapped; `T` has no destructor that
//! matters.
//! `madvise` is given whole system pages inside the mapping. Its two content-neutral advices (huge pages, populate)
//! change no byte. The one that changes content, [`Arena::release`], is an unsafe function: its caller holds the only
//! right to the range.
#![allow(unsafe_code)]

use crate::check;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use crate::contract::{PAGE_BYTES, PageBytes};

/// Bytes of a chunk: one huge page.
pub(crate) const CHUNK_BYTES: usize = 2 << 20;
/// Frames of a chunk: 2 MB / 8 KB.
pub(crate) const CHUNK_FRAMES: u32 = (CHUNK_BYTES / PAGE_BYTES) as u32;
const _: () = assert!(CHUNK_FRAMES == 256);

/// Zeroed address space that the system backs with memory where it is touched.
#[derive(Debug)]
struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is an address range; it belongs to the process, not to a thread.
unsafe impl Send for Mapping {}
// SAFETY: as above; shared access to the struct gives the address only.
unsafe impl Sync for Mapping {}

#[cfg(all(unix, not(miri)))]
mod system {
    use std::ptr::{NonNull, null_mut};

    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

    #[cfg(target_os = "linux")]
    const FLAGS: MapFlags = MapFlags::PRIVATE.union(MapFlags::NORESERVE);
    #[cfg(not(target_os = "linux"))]
    const FLAGS: MapFlags = MapFlags::PRIVATE;

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: a new anonymous mapping touches no existing memory.
        let start = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, FLAGS) };
        NonNull::new(start.ok()?.cast())
    }

    /// # Safety
    /// `start` and `bytes` are a mapping of [`map`] that is not used any more.
    pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise.
        let unmapped = unsafe { munmap(start.as_ptr().cast(), bytes) };
        debug_assert!(unmapped.is_ok());
    }
}

#[cfg(any(not(unix), miri))]
mod system {
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::ptr::NonNull;

    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes, super::PAGE_BYTES).expect("a size that fits the address space")
    }

    pub(super) fn map(bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: the size is not zero.
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)) })
    }

    /// # Safety
    /// `start` and `bytes` come from [`map`], and are not used any more.
    pub(super) unsafe fn unmap(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise.
        unsafe { dealloc(start.as_ptr(), layout(bytes)) }
    }
}

impl Mapping {
    fn new(bytes: usize) -> Option<Mapping> {
        assert!(bytes > 0, "an empty mapping");
        let start = system::map(bytes)?;
        assert!(start.addr().get().is_multiple_of(4096), "a mapping begins at {start:?}, inside a system page");
        Some(Mapping { start, bytes })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: made by `map` in `new`; what borrowed from it borrowed its owner, which is being dropped.
        unsafe { system::unmap(self.start, self.bytes) }
    }
}

/// Types for which all-zero bytes are a value, and which need no drop.
///
/// # Safety
/// The implementer promises both.
pub(crate) unsafe trait ZeroIsValid {}

// SAFETY: zero is the number 0.
unsafe impl ZeroIsValid for AtomicU64 {}

/// A slice of zeroes that takes memory where it is touched.
#[derive(Debug)]
pub(crate) struct MappedSlice<T> {
    mapping: Mapping,
    len: usize,
    of: PhantomData<T>,
}

impl<T: ZeroIsValid + Sync> MappedSlice<T> {
    /// `len` zeroes; `None` when the system has no address space for them.
    pub(crate) fn zeroed(len: usize) -> Option<MappedSlice<T>> {
        const { assert!(align_of::<T>() <= 4096, "system pages are at least 4 KB") };
        let bytes = len.checked_mul(size_of::<T>())?;
        Some(MappedSlice { mapping: Mapping::new(bytes)?, len, of: PhantomData })
    }
}

impl<T: ZeroIsValid + Sync> Deref for MappedSlice<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `zeroed` mapped `len` times the size of `T`, aligned to a system page; zero is a value of `T`; the
        // bytes are reached through this slice only, which is shared, so `T` can only be changed by its own atomics.
        unsafe { std::slice::from_raw_parts(self.mapping.start.as_ptr().cast::<T>(), self.len) }
    }
}

/// The frames' bytes.
#[derive(Debug)]
pub(crate) struct Arena {
    mapping: Mapping,
    /// Of frame 0: the first chunk boundary in the mapping.
    offset: usize,
    frames: u32,
}

impl Arena {
    /// Address space for `frames` frames; `None` when the system has none.
    pub(crate) fn reserve(frames: u32) -> Option<Arena> {
        let mapping = Mapping::new(frames as usize * PAGE_BYTES + CHUNK_BYTES)?;
        let offset = mapping.start.as_ptr().align_offset(CHUNK_BYTES);
        assert!(offset < CHUNK_BYTES, "bytes can be aligned");
        assert!(
            offset + frames as usize * PAGE_BYTES <= mapping.bytes,
            "{frames} frames from {offset} on reach beyond a mapping of {} bytes",
            mapping.bytes
        );
        let arena = Arena { mapping, offset, frames };
        arena.advise_huge_pages();
        Some(arena)
    }

    /// Frames reserved.
    pub(crate) fn frames(&self) -> u32 {
        self.frames
    }

    /// Where the bytes of a frame are; valid and writable as long as the arena lives.
    #[inline]
    pub(crate) fn page(&self, frame: u32) -> NonNull<PageBytes> {
        assert!(frame < self.frames, "frame {frame} of {}", self.frames);
        // SAFETY: the mapping is `frames` pages long from `offset` on, so the address lies inside it.
        let page = unsafe { self.mapping.start.add(self.offset + frame as usize * PAGE_BYTES).cast() };
        check!(page.addr().get().is_multiple_of(PAGE_BYTES), "frame {frame} begins at {page:?}, inside another one");
        page
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn advise(&self, first: u32, count: u32, advice: rustix::mm::Advice) -> rustix::io::Result<()> {
        assert!(u64::from(first) + u64::from(count) <= u64::from(self.frames), "range inside the arena");
        let start = self.page(first).as_ptr().cast();
        // SAFETY: whole pages inside the mapping; callers pass advice that keeps content, or are `release`.
        unsafe { rustix::mm::madvise(start, count as usize * PAGE_BYTES, advice) }
    }

    #[cfg(all(target_os = "linux", not(miri)))]
    fn advise_huge_pages(&self) {
        // Without huge pages in the kernel this fails, and small pages do.
        let _ = self.advise(0, self.frames, rustix::mm::Advice::LinuxHugepage);
    }

    #[cfg(any(not(target_os = "linux"), miri))]
    fn advise_huge_pages(&self) {}

    /// Takes memory for frames now, in one call instead of a fault each. Returns whether there is memory; a kernel
    /// that does not know the call says yes and takes it when the frames are touched.
    #[cfg(all(target_os = "linux", not(miri)))]
    pub(crate) fn populate(&self, first: u32, count: u32) -> bool {
        use rustix::io::Errno;
        match self.advise(first, count, rustix::mm::Advice::LinuxPopulateWrite) {
            Err(Errno::NOMEM | Errno::FAULT | Errno::HWPOISON) => false,
            Ok(()) | Err(_) => true,
        }
    }

    /// As on Linux, where memory is taken by the first touch.
    #[cfg(any(not(target_os = "linux"), miri))]
    pub(crate) fn populate(&self, _first: u32, _count: u32) -> bool {
        true
    }

    /// Gives the memory of frames back to the system; they read as zero or as before from now on.
    ///
    /// # Safety
    /// No reference to the bytes of these frames lives, and none is made until this returns.
    pub(crate) unsafe fn release(&self, first: u32, count: u32) {
        #[cfg(all(target_os = "linux", not(miri)))]
        {
            let released = self.advise(first, count, rustix::mm::Advice::LinuxDontNeed);
            debug_assert!(released.is_ok());
        }
        #[cfg(any(not(target_os = "linux"), miri))]
        let _ = (first, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering::Relaxed;

    #[test]
    fn a_mapped_slice_is_zero_and_keeps_what_is_stored() {
        let words = MappedSlice::<AtomicU64>::zeroed(1 << 20).expect("8 MB of address space");
        assert_eq!(words.len(), 1 << 20);
        assert!(words.iter().step_by(4099).all(|w| w.load(Relaxed) == 0));
        words[(1 << 20) - 1].store(7, Relaxed);
        assert_eq!(words[(1 << 20) - 1].load(Relaxed), 7);
    }

    #[test]
    fn frames_lie_on_page_boundaries_one_after_the_other() {
        let arena = Arena::reserve(1000).expect("8 MB of address space");
        let first = arena.page(0).as_ptr() as usize;
        assert_eq!(first % PAGE_BYTES, 0);
        assert_eq!(arena.page(999).as_ptr() as usize, first + 999 * PAGE_BYTES);
        assert!(arena.populate(0, 256));
    }

    #[test]
    fn a_size_beyond_the_address_space_is_refused() {
        assert!(MappedSlice::<AtomicU64>::zeroed(1 << 50).is_none());
    }
}
