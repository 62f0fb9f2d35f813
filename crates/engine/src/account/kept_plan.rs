//! Where the plan of a statement is kept, so that other sessions can show it: `sys.dm_exec_query_plan` and its kin.
//!
//! ```text
//!   session ──keeps──▶ bound statement ◀──weak── PlanPlace in the statement's counters ◀── who asks for the plan of a handle
//! ```
//! What always holds: a plan belongs to its session, and nothing here keeps it alive; of several sessions that have bound one
//! statement the last is shown. How a plan is written lies above: the engine knows the document around it alone.

use std::sync::{Arc, Weak};

use millpond_bind::Variables;
use millpond_builtin::PRODUCT_VERSION;
use millpond_catalog::run::facts::{SessionFacts, Settings};

use crate::account::bottleneck::Spent;
use crate::account::live::{LiveOperator, LiveRun};
use crate::account::query_store::place::CapturedPlace;

/// The schema's version that the documents are of.
const VERSION: &str = "1.564";

/// A statement that can be shown with its plan.
pub trait KeptPlan: Send + Sync {
    /// The statement as an element of a plan's document, under this number; none where no plan was made yet.
    fn element(&self, statement: &KeptStatement<'_>, bound: &BoundWith, id: u32) -> Option<String>;

    /// What its operators have done so far, while it runs.
    fn operators(&self, run: &LiveRun) -> Option<Vec<LiveOperator>>;

    /// Which plan of a Query Store it is.
    fn captured(&self) -> &CapturedPlace;
}

/// What is known of the statement beside its plan.
pub struct KeptStatement<'a> {
    /// Its text.
    pub text: &'a str,
    /// The number of the text that it stands in, and its place there.
    pub place: (u64, u32),
    /// The rows of its last execution and what that took, where they are to be shown.
    pub last: Option<(u64, Spent)>,
    /// The statement as it runs, and what it has spent so far, where that is to be shown.
    pub live: Option<(&'a LiveRun, Spent)>,
}

/// What a statement was bound with.
#[derive(Clone, Debug)]
pub struct BoundWith {
    /// The variables of its text.
    pub variables: Arc<Variables>,
    /// The SET options of its session.
    pub settings: Arc<Settings>,
    /// The default schema of its user.
    pub schema: i32,
}

/// The plan of a statement while its session keeps it.
pub struct PlanPlace {
    plan: Weak<dyn KeptPlan>,
    variables: Weak<Variables>,
    settings: Arc<Settings>,
    schema: i32,
    session: u16,
}

impl std::fmt::Debug for PlanPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanPlace").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl PlanPlace {
    /// The place of a statement that was bound with these variables by a session of these facts.
    #[must_use]
    pub fn new(plan: Weak<dyn KeptPlan>, variables: &Arc<Variables>, facts: &SessionFacts) -> PlanPlace {
        let settings = Arc::clone(&facts.settings);
        let (schema, session) = (facts.default_schema.0, facts.session);
        PlanPlace { plan, variables: Arc::downgrade(variables), settings, schema, session }
    }

    /// Whether that session keeps it.
    #[must_use]
    pub fn is_of(&self, session: u16) -> bool {
        self.session == session
    }

    /// The statement, while it is kept, and what it was bound with.
    #[must_use]
    pub fn find(&self) -> Option<(Arc<dyn KeptPlan>, BoundWith)> {
        let (plan, variables) = (self.plan.upgrade()?, self.variables.upgrade()?);
        Some((plan, BoundWith { variables, settings: Arc::clone(&self.settings), schema: self.schema }))
    }
}

/// The document around the elements of a batch's statements.
#[must_use]
pub fn document(statements: &str) -> String {
    format!(
        "<ShowPlanXML xmlns=\"http://schemas.microsoft.com/sqlserver/2004/07/showplan\" Version=\"{VERSION}\" \
         Build=\"{PRODUCT_VERSION}\"><BatchSequence><Batch><Statements>{statements}</Statements></Batch></BatchSequence>\
         </ShowPlanXML>"
    )
}
