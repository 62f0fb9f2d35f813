//! What a plan of DataFusion runs with.
use std::sync::Arc;

use datafusion::execution::TaskContext;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionConfig;

/// What a plan runs with. Its functions are in the plan, none are looked up by name.
pub(crate) fn task_of(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Arc<TaskContext> {
    let (none, session) = (None, String::new());
    let (scalars, lambdas, aggregates, windows) = Default::default();
    Arc::new(TaskContext::new(none, session, config, scalars, lambdas, aggregates, windows, runtime))
}
