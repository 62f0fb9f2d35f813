//! Many transfers of one file under way at a time, from one thread: Linux's io_uring.
//!
//! ```text
//!   transfers ──▶ submission queue ─┐ one call gives new ones to the kernel     ┌─▶ completion queue ──▶ what became of each
//!   depth - open at a time          └──────── and waits for one to be done ─────┘
//! ```
//!
//! What always holds:
//! - R1 [`Ring::run`] returns, and unwinds, only after each transfer that the kernel was given is done. It waits for them
//!   with the ring's own call; where the kernel refuses even that, it looks at the completion queue, into which the kernel
//!   writes without being called, until all are there: before, it is not known that the kernel has done with the
//!   buffers.
//! - R2 A ring is used by one call at a time: it is taken from the list of idle ones, and put back when nothing is open.
//! - R3 A transfer that the kernel did not take, or not as a whole, counts as not done, and so does everything when there
//!   is no ring: the caller does it by an ordinary call.
//!
//! Why the `unsafe` here is sound. The kernel reads and writes the memory that an entry names between its submission and
//! its completion. An entry is made by [`Transfer::entry`] from borrowed buffers only; the borrow of `transfers` lasts for
//! the whole of [`Ring::run`], exclusively for what is read into (`IoSliceMut`), shared for what is written from, and by R1
//! the kernel is done before it ends. `IoSlice` and `IoSliceMut` have the layout of `iovec` on Unix, as std promises, and
//! their list is the caller's under the same borrow. The file is borrowed for as long, so the descriptor is the file's. An
//! entry that was pushed and that the kernel did not take never runs: by R2 only [`Ring::submit_and_wait`] submits, not any
//! more once the ring is broken, and a broken ring is dropped. That nothing else pushes at the same time, as the crate
//! wants, is `&mut`. The second `unsafe` is a call without an address that submits nothing.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use io_uring::{IoUring, Probe, opcode, squeue, types};
use parking_lot::Mutex;
use rustix::io::Errno;

use crate::block::{ReadRequest, WriteRequest, total_bytes};
use crate::meter::elapsed_us;

/// Transfers of one call that are open at a time, at most.
const DEPTH_MAX: usize = 64;
/// Rings that wait for work, at most; each is a descriptor and a few pages of memory.
const IDLE_MAX: usize = 8;
/// Waits for a completion, as `io_uring_enter` calls it.
const GETEVENTS: u32 = 1;
/// Between two looks at the completion queue of a ring that does not wait any more.
const LOOK: Duration = Duration::from_micros(200);

/// Rings that are not in use.
static IDLE: Mutex<Vec<Ring>> = Mutex::new(Vec::new());

/// A read or a write, borrowed from its caller.
#[derive(Debug)]
enum Transfer<'t, 'r, 'b> {
    Read(&'t mut ReadRequest<'r, 'b>),
    Write(&'t WriteRequest<'t>),
}

impl Transfer<'_, '_, '_> {
    fn bytes(&self) -> u64 {
        match self {
            Transfer::Read(request) => total_bytes(request.buffers),
            Transfer::Write(request) => total_bytes(request.buffers),
        }
    }

    /// The kernel's form of it; `number` comes back with its completion.
    fn entry(&mut self, file: &File, number: usize) -> squeue::Entry {
        let file = types::Fd(file.as_raw_fd());
        let entry = match self {
            Transfer::Read(request) => {
                opcode::Readv::new(file, request.buffers.as_mut_ptr().cast(), request.buffers.len() as u32)
                    .offset(request.offset_bytes)
                    .build()
            }
            Transfer::Write(request) => {
                opcode::Writev::new(file, request.buffers.as_ptr().cast(), request.buffers.len() as u32)
                    .offset(request.offset_bytes)
                    .build()
            }
        };
        entry.user_data(number as u64)
    }
}

/// Why this machine has no rings, if it has none: old kernels and many containers do not. Asked once.
pub fn refusal() -> Option<&'static str> {
    static REFUSAL: OnceLock<Option<String>> = OnceLock::new();
    REFUSAL.get_or_init(|| Ring::new().err().map(|error| error.to_string())).as_deref()
}

/// Reads what `suits`, up to `depth` at a time. Of each request that was done as a whole, the time that it took.
pub fn read_many(
    file: &File,
    depth: usize,
    requests: &mut [ReadRequest<'_, '_>],
    suits: impl Fn(&ReadRequest<'_, '_>) -> bool,
) -> Vec<Option<u64>> {
    run_suited(file, depth, requests.iter_mut().map(|request| suits(request).then_some(Transfer::Read(request))))
}

/// As [`read_many`], of writes.
pub fn write_many(
    file: &File,
    depth: usize,
    requests: &[WriteRequest<'_>],
    suits: impl Fn(&WriteRequest<'_>) -> bool,
) -> Vec<Option<u64>> {
    run_suited(file, depth, requests.iter().map(|request| suits(request).then_some(Transfer::Write(request))))
}

/// Does those that are transfers; the others are not done.
fn run_suited<'t, 'r: 't, 'b: 'r>(
    file: &File,
    depth: usize,
    requests: impl Iterator<Item = Option<Transfer<'t, 'r, 'b>>>,
) -> Vec<Option<u64>> {
    let (mut took_us, mut transfers, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for transfer in requests {
        if let Some(transfer) = transfer {
            transfers.push(transfer);
            places.push(took_us.len());
        }
        took_us.push(None);
    }
    let done = run(file, depth, &mut transfers);
    places.into_iter().zip(done).for_each(|(place, done)| took_us[place] = done);
    took_us
}

/// Does transfers on a ring of their own; nothing when there is only one, or when there is no ring.
fn run(file: &File, depth: usize, transfers: &mut [Transfer<'_, '_, '_>]) -> Vec<Option<u64>> {
    let nothing = vec![None; transfers.len()];
    if transfers.len() < 2 || depth < 2 {
        return nothing;
    }
    let idle = IDLE.lock().pop();
    let Some(mut ring) = idle.or_else(|| Ring::new().ok()) else { return nothing };
    let done = ring.run(file, depth.min(DEPTH_MAX), transfers);
    let mut idle = IDLE.lock();
    if !ring.is_broken && idle.len() < IDLE_MAX {
        idle.push(ring);
    }
    done
}

/// The kernel's two queues.
struct Ring {
    queues: IoUring,
    /// Entries that were pushed and are not done.
    open: usize,
    /// Never used again.
    is_broken: bool,
    /// The kernel refuses to wait.
    #[cfg(test)]
    refuses: bool,
}

impl Ring {
    fn new() -> std::io::Result<Ring> {
        let queues = IoUring::new(DEPTH_MAX as u32)?;
        let mut probe = Probe::new();
        queues.submitter().register_probe(&mut probe)?;
        if !probe.is_supported(opcode::Readv::CODE) || !probe.is_supported(opcode::Writev::CODE) {
            return Err(ErrorKind::Unsupported.into());
        }
        Ok(Ring {
            queues,
            open: 0,
            is_broken: false,
            #[cfg(test)]
            refuses: false,
        })
    }

    /// Does transfers, up to `depth` at a time; of each that was done as a whole, the time that it took.
    fn run(&mut self, file: &File, depth: usize, transfers: &mut [Transfer<'_, '_, '_>]) -> Vec<Option<u64>> {
        let mut took_us = vec![None; transfers.len()];
        let mut begun = vec![Instant::now(); transfers.len()];
        let mut next = 0;
        let open = Open { ring: self };
        loop {
            while next < transfers.len() && open.ring.open < depth && !open.ring.is_broken {
                begun[next] = Instant::now();
                open.ring.push(&transfers[next].entry(file, next));
                next += 1;
            }
            if open.ring.open == 0 {
                return took_us;
            }
            open.ring.submit_and_wait();
            while let Some((number, bytes)) = open.ring.take() {
                let is_whole = u64::try_from(bytes) == Ok(transfers[number].bytes());
                took_us[number] = is_whole.then(|| elapsed_us(begun[number]));
            }
        }
    }

    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: by R1 the buffers of the entry, which `run` borrows, outlive it: see the head of this file.
        let pushed = unsafe { self.queues.submission().push(entry) };
        pushed.expect("as many places as may be open");
        self.open += 1;
    }

    /// One completion: the number of its transfer and the system's answer.
    fn take(&mut self) -> Option<(usize, i32)> {
        let entry = self.queues.completion().next()?;
        self.open -= 1;
        Some((entry.user_data() as usize, entry.result()))
    }

    /// Gives the kernel what was pushed and waits until something is done. Where the kernel takes no more, what it did
    /// not take is no longer open, and the ring is broken.
    fn submit_and_wait(&mut self) {
        if self.is_broken {
            return self.wait();
        }
        let Err(error) = self.queues.submit_and_wait(1) else { return };
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::INTR) => {}
            // Short of memory for now: what is open frees some.
            Some(Errno::AGAIN | Errno::BUSY) if self.taken() > 0 => self.wait(),
            _ => self.give_up(),
        }
    }

    fn give_up(&mut self) {
        if !self.is_broken {
            self.open = self.taken();
            self.is_broken = true;
        }
        self.wait();
    }

    /// Entries that the kernel has.
    fn taken(&mut self) -> usize {
        if self.is_broken { self.open } else { self.open - self.queues.submission().len() }
    }

    /// Waits until something is done, if something is under way, and submits nothing.
    fn wait(&mut self) {
        while self.taken() > 0 && self.queues.completion().is_empty() {
            match self.enter().map_err(|error| error.kind()) {
                Ok(_) | Err(ErrorKind::Interrupted) => {}
                Err(_) => {
                    // What it has it completes all the same; what comes later is another's work.
                    self.open = self.taken();
                    self.is_broken = true;
                    std::thread::sleep(LOOK);
                }
            }
        }
    }

    fn enter(&self) -> std::io::Result<usize> {
        #[cfg(test)]
        if self.refuses {
            return Err(Errno::IO.into());
        }
        // SAFETY: no argument of this call is an address, and nothing is submitted.
        unsafe { self.queues.submitter().enter::<()>(0, 1, GETEVENTS, None) }
    }
}

/// A ring in use: nothing is open when this goes (R1).
struct Open<'r> {
    ring: &'r mut Ring,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // Only a panic leaves something open.
        while self.ring.open > 0 {
            self.ring.give_up();
            while self.ring.take().is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::IoSlice;

    use super::*;

    const PAGE: [u8; 4096] = [5; 4096];

    fn file() -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        file
    }

    /// Four pages, one after the other.
    fn write(ring: &mut Ring, file: &File, depth: usize, buffers: &[IoSlice<'_>]) -> Vec<Option<u64>> {
        let requests: Vec<_> = (0..4).map(|n| WriteRequest { offset_bytes: n * 4096, buffers }).collect();
        let mut transfers: Vec<_> = requests.iter().map(Transfer::Write).collect();
        ring.run(file, depth, &mut transfers)
    }

    /// A kernel that has rings does the transfers, and does not leave them to the caller.
    #[test]
    fn a_ring_does_what_it_is_given_and_is_empty_afterwards() {
        let Ok(mut ring) = Ring::new() else { return };
        let file = file();
        for depth in [1, 3, DEPTH_MAX] {
            assert!(write(&mut ring, &file, depth, &[IoSlice::new(&PAGE)]).iter().all(Option::is_some));
            assert_eq!((ring.open, ring.is_broken), (0, false));
        }
    }

    /// The file ends in the middle.
    #[test]
    fn what_comes_short_is_not_done() {
        let Ok(mut ring) = Ring::new() else { return };
        let file = file();
        let mut page = [0; 4096];
        let mut buffers = [std::io::IoSliceMut::new(&mut page)];
        let mut request = ReadRequest { offset_bytes: (1 << 20) - 100, buffers: &mut buffers };
        assert_eq!(ring.run(&file, 2, &mut [Transfer::Read(&mut request)]), [None]);
    }

    #[test]
    fn a_broken_ring_does_nothing_and_does_not_hang() {
        let Ok(mut ring) = Ring::new() else { return };
        ring.is_broken = true;
        assert_eq!(write(&mut ring, &file(), 2, &[IoSlice::new(&PAGE)]), [None; 4]);
    }

    /// A kernel that does not wait, with transfers under way: they are looked for, the rest is the caller's.
    #[test]
    fn a_ring_that_cannot_wait_gives_back_what_it_has_not_done() {
        let Ok(mut ring) = Ring::new() else { return };
        let file = file();
        let buffers = [IoSlice::new(&PAGE)];
        let request = WriteRequest { offset_bytes: 0, buffers: &buffers };
        ring.push(&Transfer::Write(&request).entry(&file, 0));
        ring.queues.submit().unwrap();
        ring.refuses = true;
        ring.give_up();
        while ring.open > 0 {
            ring.wait();
            while ring.take().is_some() {}
        }
        assert_eq!(write(&mut ring, &file, 2, &buffers), [None; 4], "a broken ring is not used again");
    }

    /// A kernel that takes nothing more: what it has is waited for, the rest is not done.
    #[test]
    fn a_ring_that_breaks_under_way_waits_for_what_the_kernel_has() {
        let Ok(mut ring) = Ring::new() else { return };
        let file = file();
        let buffers = [IoSlice::new(&PAGE)];
        let request = WriteRequest { offset_bytes: 0, buffers: &buffers };
        ring.push(&Transfer::Write(&request).entry(&file, 0));
        ring.queues.submit().unwrap();
        ring.push(&Transfer::Write(&request).entry(&file, 1));
        ring.give_up();
        assert_eq!((ring.open, ring.is_broken), (1, true));
        drop(Open { ring: &mut ring });
        assert_eq!(ring.open, 0);
    }
}
