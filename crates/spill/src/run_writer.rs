//! Batches written to a run one by one, as Arrow's stream format: what DataFusion's reader of spills takes.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::arrow::ipc::CompressionType;
use datafusion::arrow::ipc::writer::{IpcWriteOptions, StreamWriter};
use datafusion::config::SpillCompression;
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SendableRecordBatchStream, SpillFile, SpillWriter, TaskContext};
use datafusion::physical_plan::SpillManager;
use datafusion::physical_plan::metrics::SpillMetrics;
use datafusion::physical_plan::stream::EmptyRecordBatchStream;

/// How rows of one kind are spilled.
pub(crate) struct Format {
    /// Whose rows; it says whether the space counts them for sorts or for hashes.
    what: &'static str,
    pub(crate) schema: SchemaRef,
    compression: SpillCompression,
    metrics: SpillMetrics,
}

/// The file of a run and what writes it.
type Open = (Arc<dyn SpillFile>, StreamWriter<Box<dyn SpillWriter>>);

/// A run that is being written; it begins with its first batch.
#[derive(Default)]
pub(crate) struct RunWriter {
    open: Option<Open>,
}

impl Format {
    /// As the task's configuration says.
    pub(crate) fn new(what: &'static str, schema: SchemaRef, task: &TaskContext, metrics: SpillMetrics) -> Format {
        Format { what, schema, compression: task.session_config().spill_compression(), metrics }
    }

    /// The rows of a run, in the order in which they were written.
    pub(crate) fn read(
        &self,
        runtime: &Arc<RuntimeEnv>,
        file: Option<Arc<dyn SpillFile>>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.schema);
        match file {
            Some(file) => SpillManager::new(Arc::clone(runtime), self.metrics.clone(), schema)
                .read_spill_as_stream_unbuffered(file, None),
            None => Ok(Box::pin(EmptyRecordBatchStream::new(schema))),
        }
    }

    fn open(&self, runtime: &RuntimeEnv) -> Result<Open> {
        let compression = Option::<CompressionType>::from(self.compression);
        let options = IpcWriteOptions::default().try_with_compression(compression)?;
        let file = runtime.disk_manager.create_tmp_file(self.what)?;
        let writer = StreamWriter::try_new_with_options(file.open_writer()?, &self.schema, options)?;
        self.metrics.spill_file_count.add(1);
        Ok((file, writer))
    }
}

impl RunWriter {
    /// Whether something was written.
    pub(crate) fn is_begun(&self) -> bool {
        self.open.is_some()
    }

    /// Writes a batch; returns its bytes in memory.
    pub(crate) fn append(&mut self, format: &Format, runtime: &RuntimeEnv, batch: RecordBatch) -> Result<usize> {
        if self.open.is_none() {
            self.open = Some(format.open(runtime)?);
        }
        let (file, writer) = self.open.as_mut().expect("opened above");
        let batch = compact(batch)?;
        let before = file.size().unwrap_or(0);
        writer.write(&batch)?;
        format.metrics.spilled_rows.add(batch.num_rows());
        format.metrics.spilled_bytes.add((file.size().unwrap_or(0) - before) as usize);
        Ok(batch.get_array_memory_size())
    }

    /// The run; `None`: nothing was written.
    pub(crate) fn finish(self) -> Result<Option<Arc<dyn SpillFile>>> {
        let Some((file, mut writer)) = self.open else { return Ok(None) };
        writer.finish()?;
        writer.get_mut().finish()?;
        Ok(Some(file))
    }
}

/// The batch without the bytes of other rows, which views would take along.
fn compact(batch: RecordBatch) -> Result<RecordBatch> {
    let is_view = |column: &ArrayRef| matches!(column.data_type(), DataType::Utf8View | DataType::BinaryView);
    if !batch.columns().iter().any(is_view) {
        return Ok(batch);
    }
    let columns = batch.columns().iter().map(|column| match column.data_type() {
        DataType::Utf8View => Arc::new(column.as_string_view().gc()) as ArrayRef,
        DataType::BinaryView => Arc::new(column.as_binary_view().gc()),
        _ => Arc::clone(column),
    });
    Ok(RecordBatch::try_new(batch.schema(), columns.collect())?)
}
