//! A run as a file that DataFusion writes and reads.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll};

use bytes::Bytes;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder};
use datafusion::execution::{SpillFile, SpillWriter, TempFileFactory};
use futures::Stream;
use millpond_access::{AccessError, Run, RunReader};

use crate::space::{SpillSpace, Use};

/// Something could not be spilled, or not be read back.
#[derive(Clone, Debug, thiserror::Error)]
#[error("spill: {0}")]
pub struct SpillError(#[from] pub AccessError);

/// A file of a spill.
pub(crate) struct RunFile {
    space: Arc<SpillSpace>,
    usage: Use,
    run: Arc<Run>,
}

impl RunFile {
    pub(crate) fn new(space: &Arc<SpillSpace>, usage: Use) -> RunFile {
        RunFile { space: Arc::clone(space), usage, run: space.create_run(usage) }
    }
}

impl SpillFile for RunFile {
    fn size(&self) -> Option<u64> {
        Some(self.run.len_bytes())
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        Ok(Box::pin(Chunks { space: Arc::clone(&self.space), usage: self.usage, reader: self.run.reader() }))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        Ok(Box::new(Writer { space: Arc::clone(&self.space), usage: self.usage, run: Arc::clone(&self.run) }))
    }
}

/// Appends to a run.
struct Writer {
    space: Arc<SpillSpace>,
    usage: Use,
    run: Arc<Run>,
}

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.run.append(&self.space.ask(self.usage), bytes).map_err(|failure| {
            self.space.note_failure(&failure);
            io::Error::other(SpillError(failure))
        })?;
        self.space.account().of(self.usage).written_bytes.fetch_add(bytes.len() as u64, Relaxed);
        Ok(bytes.len())
    }

    /// What was written can be read already.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl SpillWriter for Writer {
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

/// Reads a run; always ready, because the thread that polls is the one that waits for the page.
struct Chunks {
    space: Arc<SpillSpace>,
    usage: Use,
    reader: RunReader,
}

impl Stream for Chunks {
    type Item = Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let chunks = &mut *self;
        let read = chunks.reader.next_chunk(&chunks.space.ask(chunks.usage));
        Poll::Ready(match read {
            Ok(None) => None,
            Ok(Some(chunk)) => {
                chunks.space.account().of(chunks.usage).read_bytes.fetch_add(chunk.len() as u64, Relaxed);
                Some(Ok(Bytes::from(chunk)))
            }
            Err(failure) => {
                chunks.space.note_failure(&failure);
                Some(Err(DataFusionError::External(Box::new(SpillError(failure)))))
            }
        })
    }
}

impl SpillSpace {
    /// A disk manager whose files lie here: the `disk_manager` of a `RuntimeEnv`.
    ///
    /// # Errors
    /// None that DataFusion documents for a factory.
    pub fn disk_manager(self: &Arc<Self>) -> Result<Arc<DiskManager>> {
        let factory = Arc::new(SpillFactory(Arc::clone(self)));
        Ok(Arc::new(DiskManagerBuilder::default().with_temp_file_factory(factory).build()?))
    }
}

/// Makes the files of DataFusion's operators.
struct SpillFactory(Arc<SpillSpace>);

impl TempFileFactory for SpillFactory {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        Ok(Arc::new(RunFile::new(&self.0, Use::of(description))))
    }
}
