//! Where the plan of a statement is kept, so that other sessions can show it: `sys.dm_exec_query_plan` and its kin.
//!
//! ```text
//!   session ──keeps──▶ bound statement ◀──weak── PlanPlace in the statement's counters ◀── who asks for the plan of a handle
//!                            └──at its end: the plan as text──▶ kept there ([`Left`])
//! ```
//! What always holds: a plan belongs to its session, and nothing here keeps it alive; of several sessions that have bound one
//! statement the last is shown. What it leaves is its text, and only within bounds: `LEFT_BYTES_MAX` for an engine, and
//! `LEFT_PER_SECOND` so that statements that come once cost little more. How a plan is written lies above: the engine knows the
//! document around it alone.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicUsize};
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

/// The plan of a statement while its session keeps it, and what that was bound with.
pub struct PlanPlace {
    plan: Weak<dyn KeptPlan>,
    with: BoundWith,
    session: u16,
}

/// Bytes of plans of gone statements that an engine keeps.
const LEFT_BYTES_MAX: usize = 16 << 20;
/// How many of them are written in a second.
const LEFT_PER_SECOND: usize = 200;

/// What the plans take that gone statements of an engine have left.
#[derive(Debug, Default)]
pub struct LeftPlans {
    bytes: AtomicUsize,
    /// The last second in which a statement ran that left its plan, and how many have since.
    second: AtomicI64,
    count: AtomicUsize,
}

impl LeftPlans {
    /// Whether one more may be written, of a statement that ran last in this second.
    pub(crate) fn has_room(&self, second: i64) -> bool {
        if self.second.fetch_max(second, Relaxed) < second {
            self.count.store(0, Relaxed);
        }
        self.bytes.load(Relaxed) < LEFT_BYTES_MAX && self.count.fetch_add(1, Relaxed) < LEFT_PER_SECOND
    }
}

/// The plan of a gone statement, as an element with the number [`Left::ID`].
#[derive(Debug)]
pub(crate) struct Left {
    element: String,
    of: Arc<LeftPlans>,
}

impl Left {
    /// The number that it was written with.
    pub(crate) const ID: u32 = 1;

    pub(crate) fn new(element: String, of: Arc<LeftPlans>) -> Left {
        of.bytes.fetch_add(element.len(), Relaxed);
        Left { element, of }
    }

    /// The element under another number.
    pub(crate) fn element(&self, id: u32) -> String {
        ["StatementId", "StatementCompId"].iter().fold(self.element.clone(), |element, name| {
            element.replacen(&format!("{name}=\"{}\"", Left::ID), &format!("{name}=\"{id}\""), 1)
        })
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        self.of.bytes.fetch_sub(self.element.len(), Relaxed);
    }
}

impl std::fmt::Debug for PlanPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanPlace").field("schema", &self.with.schema).finish_non_exhaustive()
    }
}

impl PlanPlace {
    /// The place of a statement that was bound with these variables by a session of these facts.
    #[must_use]
    pub fn new(plan: Weak<dyn KeptPlan>, variables: &Arc<Variables>, facts: &SessionFacts) -> PlanPlace {
        let (variables, settings) = (Arc::clone(variables), Arc::clone(&facts.settings));
        let with = BoundWith { variables, settings, schema: facts.default_schema.0 };
        PlanPlace { plan, with, session: facts.session }
    }

    /// Whether that session keeps it.
    #[must_use]
    pub fn is_of(&self, session: u16) -> bool {
        self.session == session
    }

    /// Whether it is the place of that plan, which may be at its end.
    pub(crate) fn is_at<P>(&self, plan: &P) -> bool {
        std::ptr::eq(self.plan.as_ptr().cast::<P>(), plan)
    }

    /// What the statement was bound with.
    #[must_use]
    pub fn with(&self) -> &BoundWith {
        &self.with
    }

    /// The statement, while it is kept, and what it was bound with.
    #[must_use]
    pub fn find(&self) -> Option<(Arc<dyn KeptPlan>, BoundWith)> {
        Some((self.plan.upgrade()?, self.with.clone()))
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
