//! The log of tempdb: undo records only, in memory as long as they fit, then in the log files.
//!
//! ```text
//!   address     released      oldest needed                                        end
//!   ────────────┊ gone        ┊ block 7 │ block 8 │ block 9 │ block 10 │ block 11 ▸
//!                               in files             being     full       tail
//!                               (slots anywhere)     written   └── in memory ──┘
//! ```
//!
//! The log is one stream of bytes, cut into blocks of 60 KB; an address is a place in the stream and only grows. A record
//! is length u32, CRC-32C u32, bytes, and may lie in several blocks. Nothing is synced and nothing survives a restart,
//! because tempdb does not either: what is written is written for memory only.
//!
//! What always holds:
//!
//! * U1: blocks from the oldest needed one to the tail are kept; a block is in memory, in a slot, or, while it is being
//!   written, in both. Only full blocks are written, each once.
//! * U2: memory for blocks stays below 4 MB plus what is being written: an append that would go beyond writes the
//!   oldest first.
//! * U3: an append that fails leaves no trace.
//! * U4: a block may change its slot while it is read: a reader looks afterwards whether it is still there.
//!
//! It knows no transactions: its callers know what their records mean, and until when they are needed.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use crate::ask::Ask;
use crate::check;
use crate::contract::{FileId, IoFailure};
use crate::tempdb::log_medium::{BLOCK_BYTES, LogMedium};
use crate::tempdb::undo_log_slots::{BlockSlots, Slot};
use crate::wait::{WaitGuard, WaitStats, WaitType};

/// Blocks kept in memory: 68 · 60 KB is just below 4 MB.
const MEMORY_BLOCKS_MAX: usize = (4 << 20) / BLOCK_BYTES;
/// Length and checksum before each record.
const RECORD_HEADER_BYTES: u64 = 8;
/// How long a block that is being written is waited for.
const WRITE_LOOK: Duration = Duration::from_millis(1);
/// Emptied buffers kept for the next blocks.
const SPARES_MAX: usize = 8;

/// Where an undo record begins, counted in bytes since the log began; addresses only grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LogAddress(pub u64);

/// Why the log could not do it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LogError {
    /// All log files are full of records that are still needed, and none may grow (9002).
    #[error("the log is full: {needed_bytes} bytes are still needed")]
    Full {
        /// Bytes between the oldest needed record and the end.
        needed_bytes: u64,
    },
    /// A log file failed.
    #[error(transparent)]
    Io(#[from] IoFailure),
    /// The bytes that came back from a log file are not the record's.
    #[error("the log record at {address:?} is damaged")]
    Damaged {
        /// The address asked for.
        address: LogAddress,
    },
    /// Nothing is kept at that address: released, or never written.
    #[error("no log record at {address:?}")]
    NoRecord {
        /// The address asked for.
        address: LogAddress,
    },
}

/// State of the log, bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Size of all files.
    pub size_bytes: u64,
    /// Bytes still needed, in memory and in the files.
    pub used_bytes: u64,
    /// Of them in memory.
    pub memory_bytes: u64,
    /// Of each file: size and bytes in use.
    pub files: Vec<(u64, u64)>,
    /// Bytes ever appended.
    pub appended_bytes: u64,
}

#[derive(Debug)]
enum Block {
    /// Full, or the tail.
    Memory(Vec<u8>),
    Writing(Arc<Vec<u8>>),
    Slot(Slot),
}

#[derive(Default)]
struct State {
    slots: BlockSlots,
    /// Number of `blocks[0]`.
    first_block: u64,
    blocks: VecDeque<Block>,
    /// Nothing before is needed.
    needed_from: u64,
    /// Where the next record goes.
    end: u64,
    memory_blocks: usize,
    spares: Vec<Vec<u8>>,
}

/// The log of tempdb.
pub struct UndoLog {
    state: Mutex<State>,
    waits: Arc<WaitStats>,
}

impl std::fmt::Debug for UndoLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UndoLog").finish_non_exhaustive()
    }
}

impl UndoLog {
    /// A log without records over `media`, used in that order.
    #[must_use]
    pub fn new(media: Vec<Arc<dyn LogMedium>>, waits: Arc<WaitStats>) -> UndoLog {
        let mut state = State::default();
        media.into_iter().for_each(|medium| state.slots.add(medium));
        UndoLog { state: Mutex::new(state), waits }
    }

    /// Appends a record. Address 0 is never given, so it may mean "none".
    ///
    /// # Errors
    /// [`LogError::Full`] or [`LogError::Io`]; then the record is not there (U3).
    ///
    /// # Panics
    /// For a record of 4 GB or more.
    pub fn append(&self, ask: &Ask<'_>, record: &[u8]) -> Result<LogAddress, LogError> {
        let len = u32::try_from(record.len()).expect("records are shorter than 4 GB");
        let mut state = self.make_room(ask, RECORD_HEADER_BYTES + u64::from(len))?;
        if state.end == 0 {
            // Address 0 stays unused.
            state.push(&[0; 8]);
        }
        let address = LogAddress(state.end);
        state.push(&len.to_le_bytes());
        state.push(&crc32c::crc32c(record).to_le_bytes());
        state.push(record);
        check!(state.is_whole(), "U1: blocks from the oldest needed one to the tail are kept");
        check!(
            state.end == address.0 + RECORD_HEADER_BYTES + u64::from(len),
            "a record of {len} bytes reaches from {address:?} to {}",
            state.end
        );
        check!(
            state.memory_blocks <= MEMORY_BLOCKS_MAX.max(record.len() / BLOCK_BYTES + 3),
            "U2: {} blocks are in memory",
            state.memory_blocks
        );
        check!(address.0 >= state.needed_from, "a record is appended at {address:?}, where nothing is needed any more");
        Ok(address)
    }

    /// Reads a record into `record`, which is emptied first.
    ///
    /// # Errors
    /// [`LogError::NoRecord`] for an address that was released or never given, [`LogError::Io`], [`LogError::Damaged`].
    pub fn read(&self, ask: &Ask<'_>, address: LogAddress, record: &mut Vec<u8>) -> Result<(), LogError> {
        record.clear();
        let mut header = Vec::with_capacity(RECORD_HEADER_BYTES as usize);
        self.read_stream(ask, address, address.0, RECORD_HEADER_BYTES, &mut header)?;
        let [len, crc] =
            [0, 4].map(|at| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
        self.read_stream(ask, address, address.0 + RECORD_HEADER_BYTES, len.into(), record)?;
        if crc32c::crc32c(record) == crc {
            return Ok(());
        }
        record.clear();
        Err(LogError::Damaged { address })
    }

    /// Nothing before `address` is needed any more.
    pub fn release_until(&self, address: LogAddress) {
        let state = &mut *self.state.lock();
        state.needed_from = state.needed_from.max(address.0.min(state.end));
        assert!(state.needed_from <= state.end, "{} is needed of a log that ends at {}", state.needed_from, state.end);
        let keep = state.needed_from / BLOCK_BYTES as u64;
        while state.first_block < keep {
            let Some(block) = state.blocks.pop_front() else { break };
            state.first_block += 1;
            state.retire(block);
        }
        check!(state.is_whole(), "U1: blocks before {address:?} were let go, and others with them");
    }

    /// Adds a log file after the others.
    pub fn add_medium(&self, medium: Arc<dyn LogMedium>) {
        self.state.lock().slots.add(medium);
    }

    /// Empties a log file into the others; it gives no room any more until [`UndoLog::keep_file`], or is forgotten by
    /// [`UndoLog::forget_file`].
    ///
    /// # Errors
    /// [`LogError::Full`] when the others have no room, [`LogError::Io`]; the file then gives room as before.
    pub fn empty_file(&self, ask: &Ask<'_>, id: FileId) -> Result<(), LogError> {
        let Some(file) = self.state.lock().slots.number_of(id) else { return Ok(()) };
        self.state.lock().slots.set_closed(file, true);
        let emptied = self.move_blocks(ask, file);
        if emptied.is_err() {
            self.state.lock().slots.set_closed(file, false);
        }
        emptied
    }

    fn move_blocks(&self, ask: &Ask<'_>, file: usize) -> Result<(), LogError> {
        let mut buffer = vec![0; BLOCK_BYTES];
        loop {
            let next = {
                let state = self.state.lock();
                if state.slots.is_empty(file) {
                    return Ok(());
                }
                state.block_in(file)
            };
            let Some((number, old, medium)) = next else {
                // One that is being written there now.
                std::thread::sleep(WRITE_LOOK);
                continue;
            };
            medium.read_at(ask, old.offset_bytes(), &mut buffer)?;
            let new = self.write_block(ask, &buffer)?;
            self.state.lock().change_slot(number, old, new);
        }
    }

    /// The file gives room again.
    pub fn keep_file(&self, id: FileId) {
        let state = &mut *self.state.lock();
        if let Some(file) = state.slots.number_of(id) {
            state.slots.set_closed(file, false);
        }
    }

    /// Forgets a file that is empty.
    ///
    /// # Panics
    /// When it was not emptied.
    pub fn forget_file(&self, id: FileId) {
        let state = &mut *self.state.lock();
        if let Some(file) = state.slots.number_of(id) {
            state.slots.forget(file);
        }
    }

    /// State.
    #[must_use]
    pub fn report(&self) -> LogReport {
        let state = self.state.lock();
        let files = state.slots.report();
        check!(
            state.blocks.iter().filter(|block| matches!(block, Block::Slot(_))).count() as u64
                <= files.iter().map(|(_, used)| used / BLOCK_BYTES as u64).sum::<u64>(),
            "U1: more blocks have slots than slots are taken"
        );
        LogReport {
            size_bytes: files.iter().map(|(size, _)| size).sum(),
            used_bytes: state.end - state.needed_from,
            memory_bytes: (state.memory_blocks * BLOCK_BYTES) as u64,
            files,
            appended_bytes: state.end,
        }
    }

    /// Writes the oldest blocks until `bytes` more fit into memory (U2), and returns with the lock.
    fn make_room(&self, ask: &Ask<'_>, bytes: u64) -> Result<MutexGuard<'_, State>, LogError> {
        let mut state = self.state.lock();
        // The record's own blocks may be more than the bound; then all others are written.
        let more = (bytes as usize).div_ceil(BLOCK_BYTES).min(MEMORY_BLOCKS_MAX - 1);
        while state.memory_blocks + more > MEMORY_BLOCKS_MAX {
            let Some((number, bytes)) = state.begin_write() else { break };
            drop(state);
            let written = self.write_block(ask, &bytes);
            state = self.state.lock();
            state.end_write(number, bytes, written.as_ref().ok().copied());
            written?;
        }
        Ok(state)
    }

    /// Writes a full block to the first file that takes it.
    fn write_block(&self, ask: &Ask<'_>, bytes: &[u8]) -> Result<Slot, LogError> {
        assert!(bytes.len() == BLOCK_BYTES, "U1: {} bytes of a block are written", bytes.len());
        let _wait = WaitGuard::begin(&self.waits, ask, WaitType::LOGBUFFER, None);
        let mut refusing = Vec::new();
        loop {
            let mut state = self.state.lock();
            let Some(slot) = state.slots.take(ask, &refusing)? else {
                return Err(LogError::Full { needed_bytes: state.end - state.needed_from });
            };
            let medium = state.slots.medium(slot);
            drop(state);
            match medium.write_at(ask, slot.offset_bytes(), bytes) {
                Ok(()) => return Ok(slot),
                Err(IoFailure::NoSpace { .. }) => refusing.push(BlockSlots::file_of(slot)),
                Err(failure) => {
                    self.state.lock().slots.free(slot);
                    return Err(failure.into());
                }
            }
            self.state.lock().slots.free(slot);
        }
    }

    /// Appends `len` bytes of the stream from `from` on to `out`; `address` is the record's, for the error.
    fn read_stream(
        &self,
        ask: &Ask<'_>,
        address: LogAddress,
        mut from: u64,
        len: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), LogError> {
        let missing = LogError::NoRecord { address };
        let end = from + len;
        let mut buffer = Vec::new();
        while from < end {
            let (number, start) = (from / BLOCK_BYTES as u64, (from % BLOCK_BYTES as u64) as usize);
            let count = (BLOCK_BYTES - start).min((end - from) as usize);
            let slot = {
                let state = self.state.lock();
                if from < state.needed_from || end > state.end {
                    return Err(missing);
                }
                state.copy_or_find(number, start..start + count, out)
            };
            if let Some((slot, medium)) = slot {
                let _wait = WaitGuard::begin(&self.waits, ask, WaitType::IO_COMPLETION, None);
                buffer.resize(BLOCK_BYTES, 0);
                let read = medium.read_at(ask, slot.offset_bytes(), &mut buffer);
                if self.state.lock().has_moved(number, slot) {
                    continue;
                }
                read?;
                out.extend_from_slice(&buffer[start..start + count]);
            }
            from += count as u64;
        }
        Ok(())
    }
}

impl State {
    /// Appends bytes to the stream.
    fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = match self.blocks.back() {
                Some(Block::Memory(tail)) => BLOCK_BYTES - tail.len(),
                _ => 0,
            };
            if room == 0 {
                self.add_block();
                continue;
            }
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            if let Some(Block::Memory(tail)) = self.blocks.back_mut() {
                tail.extend_from_slice(now);
                assert!(tail.len() <= BLOCK_BYTES, "a block of {} bytes", tail.len());
            }
            self.end += now.len() as u64;
            bytes = later;
        }
    }

    /// U1, U2: whether the blocks are those up to the end, and those in memory are counted.
    fn is_whole(&self) -> bool {
        let until = self.first_block + self.blocks.len() as u64;
        let in_memory = self.blocks.iter().filter(|block| matches!(block, Block::Memory(_))).count();
        until == self.end.div_ceil(BLOCK_BYTES as u64) && in_memory == self.memory_blocks
    }

    fn add_block(&mut self) {
        let buffer = self.spares.pop().unwrap_or_else(|| Vec::with_capacity(BLOCK_BYTES));
        check!(
            self.end.is_multiple_of(BLOCK_BYTES as u64),
            "U1: a block begins at {}, before the one before it is full",
            self.end
        );
        check!(buffer.is_empty(), "a block begins with {} bytes of another one", buffer.len());
        self.blocks.push_back(Block::Memory(buffer));
        self.memory_blocks += 1;
    }

    /// Copies a part of a block in memory; of one in a file it says where.
    fn copy_or_find(&self, number: u64, part: Range<usize>, out: &mut Vec<u8>) -> Option<(Slot, Arc<dyn LogMedium>)> {
        assert!(number >= self.first_block, "U1: block {number} is read, {} is the oldest", self.first_block);
        let bytes = match &self.blocks[(number - self.first_block) as usize] {
            Block::Memory(bytes) => bytes,
            Block::Writing(bytes) => &**bytes,
            Block::Slot(slot) => return Some((*slot, self.slots.medium(*slot))),
        };
        out.extend_from_slice(&bytes[part]);
        None
    }

    /// Takes the oldest full block in memory to write it; `None` when there is none.
    fn begin_write(&mut self) -> Option<(u64, Arc<Vec<u8>>)> {
        let full = |block: &Block| matches!(block, Block::Memory(bytes) if bytes.len() == BLOCK_BYTES);
        let index = self.blocks.iter().position(full)?;
        check!(
            self.blocks.iter().take(index).all(|block| !matches!(block, Block::Memory(_))),
            "U2: block {index} is written, and an older one is in memory"
        );
        let Block::Memory(bytes) = &mut self.blocks[index] else { return None };
        let bytes = Arc::new(std::mem::take(bytes));
        assert!(
            bytes.len() == BLOCK_BYTES && self.memory_blocks > 0,
            "U1: a block of {} bytes is written",
            bytes.len()
        );
        self.blocks[index] = Block::Writing(bytes.clone());
        self.memory_blocks -= 1;
        Some((self.first_block + index as u64, bytes))
    }

    /// Where the block is in the list; `None`: it was released.
    fn index_of(&self, number: u64) -> Option<usize> {
        number.checked_sub(self.first_block).map(|index| index as usize)
    }

    /// The block is in `slot`, or stays in memory; or it was released meanwhile, then the slot is free again.
    fn end_write(&mut self, number: u64, bytes: Arc<Vec<u8>>, slot: Option<Slot>) {
        match (self.index_of(number), slot) {
            (Some(index), Some(slot)) => {
                assert!(matches!(self.blocks[index], Block::Writing(_)), "U1: block {number} is written twice");
                self.blocks[index] = Block::Slot(slot);
                self.keep_spare(bytes);
            }
            (Some(index), None) => {
                check!(
                    matches!(self.blocks[index], Block::Writing(_)),
                    "U1: block {number} stays in memory, and was not being written"
                );
                // The other owner of the bytes goes first, so that they are not copied.
                self.blocks[index] = Block::Memory(Vec::new());
                let bytes = Arc::try_unwrap(bytes).unwrap_or_else(|shared| (*shared).clone());
                self.blocks[index] = Block::Memory(bytes);
                self.memory_blocks += 1;
            }
            (None, Some(slot)) => self.slots.free(slot),
            (None, None) => {}
        }
        check!(self.is_whole(), "U2: {} blocks are counted in memory after block {number}", self.memory_blocks);
    }

    /// A block in that file: its number, and where it is.
    fn block_in(&self, file: usize) -> Option<(u64, Slot, Arc<dyn LogMedium>)> {
        let of_file = |block: &Block| match block {
            Block::Slot(slot) if BlockSlots::file_of(*slot) == file => Some(*slot),
            _ => None,
        };
        let (index, slot) = self.blocks.iter().enumerate().find_map(|(index, block)| Some((index, of_file(block)?)))?;
        Some((self.first_block + index as u64, slot, self.slots.medium(slot)))
    }

    /// The block is in `new` now; one that was released meanwhile leaves both slots free.
    fn change_slot(&mut self, number: u64, old: Slot, new: Slot) {
        match self.index_of(number).and_then(|index| self.blocks.get_mut(index)) {
            Some(block @ Block::Slot(_)) => {
                check!(
                    matches!(block, Block::Slot(now) if *now == old),
                    "U4: block {number} is not where it is moved from"
                );
                *block = Block::Slot(new);
                self.slots.free(old);
            }
            _ => self.slots.free(new),
        }
    }

    /// Whether the block is needed and in another slot.
    fn has_moved(&self, number: u64, slot: Slot) -> bool {
        let block = self.index_of(number).and_then(|index| self.blocks.get(index));
        matches!(block, Some(Block::Slot(now)) if *now != slot)
    }

    /// A block that is needed no more.
    fn retire(&mut self, block: Block) {
        match block {
            Block::Memory(bytes) => {
                assert!(self.memory_blocks > 0, "U2: a block in memory goes, and none is counted");
                self.memory_blocks -= 1;
                self.keep_spare(Arc::new(bytes));
            }
            // Its writer finds it gone and frees the slot.
            Block::Writing(_) => {}
            Block::Slot(slot) => self.slots.free(slot),
        }
    }

    fn keep_spare(&mut self, bytes: Arc<Vec<u8>>) {
        if let (true, Ok(mut bytes)) = (self.spares.len() < SPARES_MAX, Arc::try_unwrap(bytes)) {
            bytes.clear();
            self.spares.push(bytes);
        }
    }
}
