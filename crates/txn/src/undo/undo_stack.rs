//! Undo records of a transaction, last in first out: in memory, the oldest ones in tempdb's log when they are many.
//!
//! ```text
//!   oldest                                             newest
//!   +--------+--------+--------+ . . . +--------+--------+        position: bytes pushed and not popped, plus where
//!   | logged | logged | memory |       | memory | memory |                  the stack began; grows from 1
//!   +--------+--------+--------+ . . . +--------+--------+        record:   body, length of the body u32
//! ```
//!
//! What always holds:
//! - U1: a block holds whole records; the last block is in memory.
//! - U2: of two blocks in the log, the older one has the lower address, so the oldest bounds what the log must keep.
//! - U3: [`UndoStack::reserve`] is what may fail; a push after it does not.

use millpond_storage::check;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use millpond_access::ROW_BYTES_MAX;
use millpond_storage::ask::Ask;
use millpond_storage::tempdb::undo_log::{LogAddress, LogError, UndoLog};
use parking_lot::Mutex;

use crate::undo::record::UndoRecord;
use crate::undo::row_undo::ROW_UNDO_HEAD_BYTES;

/// Undo beyond this goes to the log.
pub(crate) const MEMORY_BYTES_MAX: usize = 1 << 20;
/// A block: below the 60 KB of a log block.
const BLOCK_BYTES: usize = 48 << 10;
/// The largest record: an entry with its key (8,043 bytes), what is before it in `row_undo` and here, 4 bytes after it.
const RECORD_BYTES_MAX: usize = ROW_BYTES_MAX + ROW_UNDO_HEAD_BYTES + 32;
const _: () = assert!(RECORD_BYTES_MAX < BLOCK_BYTES);
/// Memory that an emptied stack keeps.
const KEPT_BYTES_MAX: usize = 16 << 10;

/// The log of tempdb as the stacks of all sessions share it: it is kept from the oldest block of any of them on.
#[derive(Debug)]
pub(crate) struct SharedLog {
    log: Arc<UndoLog>,
    holds: Mutex<Holds>,
}

#[derive(Debug, Default)]
struct Holds {
    next_stack: u64,
    /// The oldest block of each stack that has one in the log.
    oldest: BTreeMap<u64, LogAddress>,
}

impl SharedLog {
    pub(crate) fn new(log: Arc<UndoLog>) -> SharedLog {
        SharedLog { log, holds: Mutex::default() }
    }

    fn new_stack(&self) -> u64 {
        let holds = &mut *self.holds.lock();
        holds.next_stack += 1;
        holds.next_stack
    }

    fn append(&self, ask: &Ask<'_>, stack: u64, block: &[u8]) -> Result<LogAddress, LogError> {
        // Held over the append: else another session's release could pass the new block by.
        let holds = &mut *self.holds.lock();
        let address = self.log.append(ask, block)?;
        check!(
            holds.oldest.get(&stack).is_none_or(|oldest| *oldest < address),
            "U2: a newer block has the lower address {address:?}"
        );
        holds.oldest.entry(stack).or_insert(address);
        Ok(address)
    }

    fn hold_from(&self, stack: u64, oldest: Option<LogAddress>) {
        let holds = &mut *self.holds.lock();
        check!(
            oldest.is_none_or(|address| holds.oldest.get(&stack).is_none_or(|before| *before <= address)),
            "U2: a stack needs an older block again"
        );
        let before = match oldest {
            Some(address) => holds.oldest.insert(stack, address),
            None => holds.oldest.remove(&stack),
        };
        if before.is_some() {
            // No stack has a block: nothing at all is needed.
            let needed = holds.oldest.values().min().copied().unwrap_or(LogAddress(u64::MAX));
            self.log.release_until(needed);
        }
    }
}

#[derive(Debug)]
enum Block {
    Memory(Vec<u8>),
    Logged { address: LogAddress, bytes: usize },
}

/// A stack of undo records.
#[derive(Debug)]
pub(crate) struct UndoStack {
    log: Arc<SharedLog>,
    id: u64,
    blocks: VecDeque<Block>,
    position: u64,
    /// Nothing is below: the position at the last [`UndoStack::clear`].
    floor: u64,
    /// Somebody may want to go back to here, but no further: a statement or a savepoint began.
    boundary: u64,
    memory_bytes: usize,
    memory_bytes_max: usize,
    /// Blocks in the log.
    logged: usize,
}

impl UndoStack {
    pub(crate) fn new(log: &Arc<SharedLog>) -> UndoStack {
        UndoStack {
            log: Arc::clone(log),
            id: log.new_stack(),
            blocks: VecDeque::from([Block::Memory(Vec::new())]),
            position: 1,
            floor: 1,
            boundary: 1,
            memory_bytes: 0,
            memory_bytes_max: MEMORY_BYTES_MAX,
            logged: 0,
        }
    }

    /// Where the next record goes; what [`UndoStack::pop`] goes back to.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Bytes of records.
    pub(crate) fn bytes(&self) -> u64 {
        self.position - self.floor
    }

    pub(crate) fn boundary(&self) -> u64 {
        self.boundary
    }

    /// Work is about to begin that may be undone on its own.
    pub(crate) fn set_boundary(&mut self) -> u64 {
        self.boundary = self.position;
        self.position
    }

    /// Makes room for one record (U3).
    #[inline]
    pub(crate) fn reserve(&mut self, ask: &Ask<'_>) -> Result<(), LogError> {
        let in_last = match self.blocks.back() {
            Some(Block::Memory(bytes)) => bytes.len(),
            _ => 0,
        };
        if in_last + RECORD_BYTES_MAX > BLOCK_BYTES { self.next_block(ask) } else { Ok(()) }
    }

    #[cold]
    fn next_block(&mut self, ask: &Ask<'_>) -> Result<(), LogError> {
        while self.memory_bytes + BLOCK_BYTES > self.memory_bytes_max {
            self.log_oldest(ask)?;
        }
        self.blocks.push_back(Block::Memory(Vec::with_capacity(BLOCK_BYTES)));
        self.invariants();
        Ok(())
    }

    /// Moves the oldest block in memory to the log.
    fn log_oldest(&mut self, ask: &Ask<'_>) -> Result<(), LogError> {
        let block = &mut self.blocks[self.logged];
        let Block::Memory(bytes) = block else { unreachable!("U2: logged blocks are the first ones") };
        let address = self.log.append(ask, self.id, bytes)?;
        assert!(self.memory_bytes >= bytes.len(), "U3: {} bytes are logged of {}", bytes.len(), self.memory_bytes);
        self.memory_bytes -= bytes.len();
        *block = Block::Logged { address, bytes: bytes.len() };
        self.logged += 1;
        self.invariants();
        Ok(())
    }

    /// Adds a record, after [`UndoStack::reserve`].
    #[inline]
    pub(crate) fn push(&mut self, record: &UndoRecord<'_>) {
        let Some(Block::Memory(bytes)) = self.blocks.back_mut() else { unreachable!("U1") };
        let start = bytes.len();
        check!(start + RECORD_BYTES_MAX <= BLOCK_BYTES, "U3: a record comes to a block of {start} bytes without room");
        check!(self.boundary <= self.position, "a statement began ahead of the stack");
        record.encode(bytes);
        let body = (bytes.len() - start) as u32;
        bytes.extend_from_slice(&body.to_le_bytes());
        let added = bytes.len() - start;
        assert!(added <= RECORD_BYTES_MAX + 4, "U3: a record of {added} bytes, {RECORD_BYTES_MAX} are reserved");
        check!(
            self.memory_bytes <= self.memory_bytes_max.max(BLOCK_BYTES),
            "U3: {} bytes of undo are in memory",
            self.memory_bytes
        );
        self.position += added as u64;
        self.memory_bytes += added;
    }

    /// Takes the newest record above `until` into `body`; false when there is none.
    pub(crate) fn pop(&mut self, ask: &Ask<'_>, until: u64, body: &mut Vec<u8>) -> Result<bool, LogError> {
        body.clear();
        if !self.has_records_since(until) {
            self.boundary = self.boundary.min(self.position);
            return Ok(false);
        }
        self.reach_newest(ask)?;
        let Some(Block::Memory(bytes)) = self.blocks.back_mut() else { unreachable!("U1") };
        let end = bytes.len() - 4;
        let len = u32::from_le_bytes([bytes[end], bytes[end + 1], bytes[end + 2], bytes[end + 3]]) as usize;
        body.extend_from_slice(&bytes[end - len..end]);
        bytes.truncate(end - len);
        assert!(self.position - (len as u64 + 4) >= self.floor, "a record of {len} bytes lies below the stack's floor");
        self.position -= len as u64 + 4;
        self.memory_bytes -= len + 4;
        check!(UndoRecord::decode(body).is_some(), "U1: the newest {len} bytes of a stack are no record");
        check!(
            self.position >= until.max(self.floor),
            "U1: a record of {len} bytes from {} on reaches over {until}, where going back was to end",
            self.position
        );
        Ok(true)
    }

    /// Makes the last block one in memory with a record in it; there is a record.
    fn reach_newest(&mut self, ask: &Ask<'_>) -> Result<(), LogError> {
        while matches!(self.blocks.back(), Some(Block::Memory(bytes)) if bytes.is_empty()) {
            self.blocks.pop_back();
        }
        if let Some(&Block::Logged { address, bytes }) = self.blocks.back() {
            let mut block = Vec::with_capacity(BLOCK_BYTES);
            let read = self.log.log.read(ask, address, &mut block);
            if let Err(cause) = read {
                // U1 holds again, so that the stack can be cleared.
                self.blocks.push_back(Block::Memory(Vec::new()));
                return Err(cause);
            }
            assert!(block.len() == bytes, "U1: a block of {bytes} bytes comes back with {}", block.len());
            self.memory_bytes += block.len();
            *self.blocks.back_mut().expect("looked at above") = Block::Memory(block);
            assert!(self.logged > 0 && self.logged == self.blocks.len(), "U2: logged blocks are the first ones");
            self.logged -= 1;
            if self.logged == 0 {
                self.log.hold_from(self.id, None);
            }
        }
        self.invariants();
        Ok(())
    }

    /// Forgets all records: what they would undo is to stay.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.blocks.len() > 1 || self.memory_bytes > KEPT_BYTES_MAX || self.logged > 0 {
            self.clear_blocks();
        } else if let Some(Block::Memory(bytes)) = self.blocks.back_mut() {
            bytes.clear();
        }
        // Positions go on growing, so that a mark of before is older than every boundary to come.
        self.position += 1;
        (self.floor, self.boundary) = (self.position, self.position);
        self.memory_bytes = 0;
        check!(self.blocks.len() == 1 && self.logged == 0, "U1: an empty stack has one block, in memory");
        self.invariants();
    }

    #[cold]
    fn clear_blocks(&mut self) {
        if self.logged > 0 {
            self.log.hold_from(self.id, None);
            self.logged = 0;
        }
        self.blocks.clear();
        self.blocks.push_back(Block::Memory(Vec::new()));
    }

    /// U1, U2, and that the sums are those of the blocks.
    fn invariants(&self) {
        let of = |block: &Block| match block {
            Block::Memory(bytes) => (bytes.len(), 0),
            Block::Logged { bytes, .. } => (0, *bytes),
        };
        check!(matches!(self.blocks.back(), Some(Block::Memory(_))), "U1: the last block is not in memory");
        check!(
            self.memory_bytes == self.blocks.iter().map(|block| of(block).0).sum::<usize>(),
            "U3: {} bytes are counted in memory, and other ones are there",
            self.memory_bytes
        );
        check!(
            self.bytes() == self.blocks.iter().map(|block| (of(block).0 + of(block).1) as u64).sum::<u64>(),
            "a stack from {} to {} has blocks of another length",
            self.floor,
            self.position
        );
        let addresses = self.blocks.iter().map_while(|block| match block {
            Block::Logged { address, .. } => Some(*address),
            Block::Memory(_) => None,
        });
        check!(addresses.clone().count() == self.logged, "U2: {} blocks are logged, not the first ones", self.logged);
        check!(addresses.is_sorted_by(|one, other| one < other), "U2: a newer block has the lower address");
    }

    /// Whether there is anything to undo above `position`.
    pub(crate) fn has_records_since(&self, position: u64) -> bool {
        self.position > position.max(self.floor)
    }
}

impl Drop for UndoStack {
    fn drop(&mut self) {
        if self.logged > 0 {
            self.log.hold_from(self.id, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_access::{ObjectId, RecordKind, Rid, SlotImage, SlotUndo};
    use millpond_device::clock::SystemClock;
    use millpond_storage::ask::{IoCount, Task};
    use millpond_storage::contract::{FileId, PageNo};
    use millpond_storage::wait::WaitStats;
    use proptest::prelude::*;

    /// A log without files: it holds 4 MB.
    fn log() -> Arc<SharedLog> {
        let waits = Arc::new(WaitStats::new(Arc::new(SystemClock::new())));
        Arc::new(SharedLog::new(Arc::new(UndoLog::new(Vec::new(), waits))))
    }

    fn small_stack(log: &Arc<SharedLog>) -> UndoStack {
        let mut stack = UndoStack::new(log);
        stack.memory_bytes_max = 2 * BLOCK_BYTES;
        stack
    }

    fn push(stack: &mut UndoStack, ask: &Ask<'_>, n: u32, row: &[u8]) -> Result<(), LogError> {
        stack.reserve(ask)?;
        let rid = Rid { file: FileId(1), page: PageNo(n), slot: 0 };
        let undo = SlotUndo::Record(SlotImage { kind: RecordKind::Row, bytes: row });
        stack.push(&UndoRecord::Slot { object: ObjectId(n), rid, undo });
        Ok(())
    }

    fn number(body: &[u8]) -> u32 {
        match UndoRecord::decode(body) {
            Some(UndoRecord::Slot { object, .. }) => object.0,
            other => panic!("{other:?}"),
        }
    }

    #[derive(Clone, Debug)]
    enum Step {
        Push(usize, usize),
        PopTo(usize),
        Clear,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (1usize..40, 0usize..8060).prop_map(|(n, len)| Step::Push(n, len)),
            3 => any::<usize>().prop_map(Step::PopTo),
            1 => Just(Step::Clear),
        ]
    }

    proptest! {
        /// Records come back last in first out, whether they are in memory or in the log, and the log is kept no
        /// longer than they are needed.
        #[test]
        fn a_stack_is_a_stack(steps in prop::collection::vec(step(), 1..60)) {
            let (log, task, io) = (log(), Task::default(), IoCount::default());
            let (ask, mut body) = (Ask::new(&task, &io), Vec::new());
            let mut stack = small_stack(&log);
            // Position before each record, and its number.
            let mut model: Vec<(u64, u32)> = Vec::new();
            let mut next = 0;
            for step in steps {
                match step {
                    Step::Push(count, len) => for _ in 0..count {
                        next += 1;
                        let at = stack.position();
                        // More than the log holds: nothing is pushed.
                        if push(&mut stack, &ask, next, &vec![next as u8; len]).is_ok() {
                            model.push((at, next));
                        }
                    },
                    Step::PopTo(at) if !model.is_empty() => {
                        let keep = at % model.len();
                        let until = model[keep].0;
                        while stack.pop(&ask, until, &mut body).unwrap() {
                            prop_assert_eq!(Some(number(&body)), model.pop().map(|(_, n)| n));
                        }
                        prop_assert_eq!((model.len(), stack.position()), (keep, until));
                    }
                    Step::PopTo(_) => prop_assert!(!stack.pop(&ask, 0, &mut body).unwrap()),
                    Step::Clear => {
                        stack.clear();
                        model.clear();
                    }
                }
                prop_assert_eq!(stack.logged > 0, log.log.report().used_bytes > 0);
                prop_assert!(stack.memory_bytes <= stack.memory_bytes_max + BLOCK_BYTES);
            }
            drop(stack);
            prop_assert_eq!(log.log.report().used_bytes, 0);
        }
    }

    #[test]
    fn a_stack_keeps_what_another_one_needs() {
        let (log, task, io) = (log(), Task::default(), IoCount::default());
        let (ask, mut body) = (Ask::new(&task, &io), Vec::new());
        let mut stacks = [small_stack(&log), small_stack(&log), small_stack(&log)];
        for n in 0..120 {
            for stack in &mut stacks {
                push(stack, &ask, n, &[n as u8; 4000]).unwrap();
            }
        }
        let [first, second, third] = &mut stacks;
        second.clear();
        first.clear();
        for n in (0..120).rev() {
            assert!(third.pop(&ask, 0, &mut body).unwrap());
            assert_eq!(number(&body), n);
        }
        assert_eq!(log.log.report().used_bytes, 0);
    }

    #[test]
    fn a_full_log_refuses_at_reserve_and_what_is_there_can_still_be_popped() {
        let (log, task, io) = (log(), Task::default(), IoCount::default());
        let (ask, mut body) = (Ask::new(&task, &io), Vec::new());
        let mut stack = small_stack(&log);
        let fits = (0..10_000).find(|&n| push(&mut stack, &ask, n, &[0; 8000]).is_err()).expect("4 MB are not enough");
        assert!(matches!(stack.reserve(&ask), Err(LogError::Full { .. })));
        for n in (0..fits).rev() {
            assert!(stack.pop(&ask, 0, &mut body).unwrap());
            assert_eq!(number(&body), n);
        }
        assert!(!stack.pop(&ask, 0, &mut body).unwrap());
    }
}
