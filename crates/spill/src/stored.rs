//! Rows of one part or one side, in memory and spilled; they may be read more than once.
//!
//! What always holds:
//! - R1: rows come back in the order in which they came: those that were spilled first.
//! - R2: rows that are settled are accounted for as long as anybody may read them; before that they are their taker's to
//!   account for.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SpillFile};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::stream::{self, StreamExt};

use crate::grant::{goes_on, is_granted, part_of_grant};
use crate::hash_partition::{bytes_of, own_rows};
use crate::run_writer::{Format, RunWriter};

/// Settled rows stay in memory up to this part of the grant; the others would take the room of what is made of them.
const GRANT_PARTS: usize = 8;

/// The rows.
#[derive(Clone)]
pub(crate) struct Stored {
    format: Arc<Format>,
    runtime: Arc<RuntimeEnv>,
    files: Vec<Arc<dyn SpillFile>>,
    held: Vec<RecordBatch>,
    /// What is held, once it is settled (R2).
    memory: Option<Arc<MemoryReservation>>,
    pub(crate) rows: usize,
    /// Bytes of its batches when all are in memory.
    pub(crate) bytes: usize,
}

impl Stored {
    /// No rows yet.
    pub(crate) fn new(format: Arc<Format>, runtime: Arc<RuntimeEnv>) -> Stored {
        Stored { format, runtime, files: Vec::new(), held: Vec::new(), memory: None, rows: 0, bytes: 0 }
    }

    /// Adds rows after the others: first a run, then rows that are in memory.
    pub(crate) fn with(mut self, run: RunWriter, held: Vec<RecordBatch>, rows: usize, bytes: usize) -> Result<Stored> {
        self.files.extend(run.finish()?);
        self.held.extend(held);
        self.rows += rows;
        self.bytes += bytes;
        Ok(self)
    }

    /// All rows of a stream, settled; `memory` accounts for them and holds nothing else.
    pub(crate) async fn all_of(
        mut rows: SendableRecordBatchStream,
        format: &Arc<Format>,
        runtime: Arc<RuntimeEnv>,
        memory: MemoryReservation,
    ) -> Result<Stored> {
        let most = held_bytes_max(&runtime);
        let (mut run, mut held) = (RunWriter::default(), Vec::new());
        let (mut held_bytes, mut all_rows, mut all_bytes) = (0, 0, 0);
        while let Some(batch) = rows.next().await.transpose()? {
            goes_on(&memory)?;
            let batch = own_rows(batch)?;
            let bytes = bytes_of(&batch);
            all_rows += batch.num_rows();
            all_bytes += bytes;
            held_bytes += bytes;
            held.push(batch);
            if run.is_begun() || held_bytes > most || !reserve(&memory, bytes)? {
                held.drain(..).try_for_each(|batch| run.append(format, &runtime, batch).map(drop))?;
                held_bytes = 0;
                memory.free();
            }
        }
        let mut stored = Stored::new(Arc::clone(format), runtime).with(run, held, all_rows, all_bytes)?;
        stored.memory = Some(Arc::new(memory));
        Ok(stored)
    }

    /// The same rows, settled; `memory` accounts for them and holds nothing else.
    pub(crate) fn settled(mut self, memory: MemoryReservation) -> Result<Stored> {
        let held_bytes = self.held.iter().map(bytes_of).sum();
        if held_bytes <= held_bytes_max(&self.runtime) {
            memory.grow(held_bytes);
        } else {
            let mut run = RunWriter::default();
            for batch in self.held.drain(..) {
                goes_on(&memory)?;
                run.append(&self.format, &self.runtime, batch)?;
            }
            self.files.extend(run.finish()?);
        }
        self.memory = Some(Arc::new(memory));
        Ok(self)
    }

    /// Those of its rows that are in memory.
    pub(crate) fn held_rows(&self) -> usize {
        self.held.iter().map(RecordBatch::num_rows).sum()
    }

    /// Their bytes.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    /// Its rows, each let go when the next one is asked for.
    pub(crate) fn into_stream(self) -> Result<SendableRecordBatchStream> {
        let Stored { format, runtime, files, held, memory, .. } = self;
        let spilled = files.into_iter().map(|file| format.read(&runtime, Some(file))).collect::<Result<Vec<_>>>()?;
        let all = stream::iter(spilled).flatten().chain(stream::iter(held.into_iter().map(Ok)));
        let all = all.inspect(move |_| {
            // Held as long as rows are given (R2).
            let _held = &memory;
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&format.schema), all)))
    }

    /// Its rows (R1), once more.
    pub(crate) fn read(&self) -> Result<SendableRecordBatchStream> {
        self.clone().into_stream()
    }
}

fn held_bytes_max(runtime: &RuntimeEnv) -> usize {
    part_of_grant(&*runtime.memory_pool, GRANT_PARTS, 0..=usize::MAX)
}

/// Takes so many bytes, if there are as many. A consumer that holds nothing is given whatever it asks for.
pub(crate) fn reserve(memory: &MemoryReservation, bytes: usize) -> Result<bool> {
    if memory.size() == 0 {
        memory.grow(1);
    }
    is_granted(memory.try_grow(bytes))
}
