//! What a plan under construction computes once and reads more than once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use datafusion::logical_expr::LogicalPlan;
use millpond_catalog::rel::Rel;
use millpond_rewrite::repeated::{Class, Classes, may_be_kept};
use millpond_rewrite::totals::Family;

use crate::expression::function::AskedQuery;
use crate::operator::spool::Kept;

/// The relations of a statement that are computed once.
#[derive(Default)]
pub(crate) struct Shared {
    /// None as long as nobody asked for one.
    classes: RefCell<Option<Classes>>,
    /// Those that are computed once wherever they are read.
    wanted: HashSet<Class>,
    /// Those whose plan has been made.
    pub(crate) spools: RefCell<Vec<Spooled>>,
}

/// Inner queries that read no outer row, each of which is asked once, however often it is named.
#[derive(Default)]
pub(crate) struct ClosedQueries {
    classes: RefCell<Option<Classes>>,
    known: RefCell<Vec<ClosedQuery>>,
    /// Those that one scan computes, as long as none of them has been asked for.
    families: RefCell<Vec<Family>>,
}

struct ClosedQuery {
    class: Class,
    /// What is asked of it.
    question: String,
    query: Arc<dyn AskedQuery>,
}

impl ClosedQueries {
    /// The class of a query's relation in a statement with these tables; none of what may say something else each time.
    pub(crate) fn class(&self, rel: &Rel, alike: &[usize]) -> Option<Class> {
        self.classes.borrow_mut().get_or_insert_with(|| Classes::new(alike)).class(rel)
    }

    /// The query of that class that is asked the same.
    pub(crate) fn known(&self, class: Class, question: &str) -> Option<Arc<dyn AskedQuery>> {
        let known = self.known.borrow();
        let is_it = |one: &&ClosedQuery| one.class == class && one.question == question;
        known.iter().find(is_it).map(|one| Arc::clone(&one.query))
    }

    /// Remembers queries that one scan computes.
    pub(crate) fn add_families(&self, families: Vec<Family>) {
        self.families.borrow_mut().extend(families);
    }

    /// The family that a query of that class belongs to, which is to be made.
    pub(crate) fn take_family(&self, class: Class) -> Option<Family> {
        let mut families = self.families.borrow_mut();
        let has = |family: &Family| family.members.iter().any(|member| member.class == class);
        let place = families.iter().position(has)?;
        Some(families.swap_remove(place))
    }

    /// Remembers a query.
    pub(crate) fn add(&self, class: Class, question: String, query: Arc<dyn AskedQuery>) {
        self.known.borrow_mut().push(ClosedQuery { class, question, query });
    }
}

/// A relation that is computed once.
pub(crate) struct Spooled {
    /// None of what only one place of the plan's maker knows.
    pub(crate) class: Option<Class>,
    pub(crate) plan: LogicalPlan,
    pub(crate) kept: Arc<Kept>,
}

impl Shared {
    /// Those of the `wanted` classes.
    pub(crate) fn new(classes: Classes, wanted: HashSet<Class>) -> Shared {
        Shared { classes: RefCell::new(Some(classes)), wanted, spools: RefCell::default() }
    }

    /// The class of a relation in a statement with these tables; none of what may say something else each time.
    pub(crate) fn class_of(&self, rel: &Rel, alike: &[usize]) -> Option<Class> {
        self.classes.borrow_mut().get_or_insert_with(|| Classes::new(alike)).class(rel)
    }

    /// The class of a relation that is computed once; none of others.
    pub(crate) fn class(&self, rel: &Rel) -> Option<Class> {
        if self.wanted.is_empty() || !may_be_kept(rel) {
            return None;
        }
        let class = self.classes.borrow_mut().as_mut()?.class(rel);
        class.filter(|class| self.wanted.contains(class))
    }
}
