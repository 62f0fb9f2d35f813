//! What a plan under construction computes once and reads more than once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::logical_expr::LogicalPlan;
use millpond_catalog::rel::Rel;
use millpond_rewrite::repeated::{Class, Classes, may_be_kept};

use crate::operator::spool::Kept;

/// The relations of a statement that are computed once.
#[derive(Default)]
pub(crate) struct Shared {
    /// None where there are none.
    wanted: Option<(RefCell<Classes>, HashSet<Class>)>,
    /// Those whose plan has been made.
    pub(crate) spools: RefCell<Vec<Spooled>>,
}

/// A relation that is computed once.
pub(crate) struct Spooled {
    pub(crate) class: Class,
    pub(crate) plan: LogicalPlan,
    pub(crate) kept: Arc<Kept>,
}

impl Shared {
    /// Those of the `wanted` classes.
    pub(crate) fn new(classes: Classes, wanted: HashSet<Class>) -> Shared {
        let wanted = (!wanted.is_empty()).then(|| (RefCell::new(classes), wanted));
        Shared { wanted, spools: RefCell::default() }
    }

    /// The class of a relation that is computed once; none of others.
    pub(crate) fn class(&self, rel: &Rel) -> Option<Class> {
        let (classes, wanted) = self.wanted.as_ref().filter(|_| may_be_kept(rel))?;
        classes.borrow_mut().class(rel).filter(|class| wanted.contains(class))
    }
}
