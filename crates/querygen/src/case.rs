//! Cases: parts of statements and a rule by which answers to their compositions belong together; what a case showed, and
//! which answers say nothing of it. How each rule is checked is [`crate::oracle`].

use crate::change::Change;
use crate::lab::{NotLoaded, Road, Tables};
use crate::node::{Node, pattern};
use crate::schema::Schema;
use crate::world::{Outcome, Settings};

/// How the parts of a case are put together.
#[derive(Clone, Debug)]
pub enum Rule {
    /// `[query]`: the same by all roads, or by the one that is named.
    Roads(Option<Road>),
    /// `[items, sources, condition]`: the rows are those where it is true, false and unknown.
    Where {
        /// With DISTINCT.
        is_distinct: bool,
    },
    /// `[value, sources, condition]`: an aggregate of the parts' aggregates.
    Aggregate(&'static str),
    /// `[select … group by …, condition]`: groups are those where it is true, false and unknown.
    Having,
    /// `[two values, sources]`: grouped and windowed by both, they say what their names say over a derived table.
    Named(Clauses),
    /// `[sources, condition]`: as many rows pass as there are rows of which it is true.
    Counted,
    /// `[items, condition]`: the row that was looked at first is in the answer.
    Pivot {
        /// Alias and table of each source.
        sources: Vec<(String, String)>,
        /// Which row of each.
        rids: Vec<i64>,
    },
    /// `[sources, condition, value]`: DML hits the rows that SELECT names ([`crate::change`]).
    Changed(Change),
}

/// Where two values stand beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clauses {
    /// GROUP BY
    Groups,
    /// The orders and partitions of windows.
    Windows,
    /// DISTINCT aggregates.
    Distinct,
}

impl Clauses {
    /// All of them.
    pub const ALL: [Clauses; 3] = [Clauses::Groups, Clauses::Windows, Clauses::Distinct];

    /// The query over the values `one` and `two`.
    pub(crate) fn over(self, one: &Node, two: &Node, sources: &Node) -> Node {
        let (one, two, sources) = (one.clone(), two.clone(), sources.clone());
        match self {
            Clauses::Groups => pattern(
                "select {} as k1, {} as k2, count(*) as n from {} group by {}, {}",
                vec![one.clone(), two.clone(), sources, one, two],
            ),
            Clauses::Windows => pattern(
                "select dense_rank() over (order by {}) as a, dense_rank() over (order by {}) as b, \
                 count(*) over (partition by {}) as c, count(*) over (partition by {}) as d from {}",
                vec![one.clone(), two.clone(), one, two, sources],
            ),
            Clauses::Distinct => pattern(
                "select count(distinct {}) as a, count(distinct {}) as b, count(*) as n from {}",
                vec![one, two, sources],
            ),
        }
    }
}

/// Parts, a rule, and the tables under them.
#[derive(Clone, Debug)]
pub struct Case {
    /// Tables.
    pub schema: Schema,
    /// Parts of statements.
    pub parts: Vec<Node>,
    /// The rule.
    pub rule: Rule,
    /// The engine, where the rule does not compare engines.
    pub settings: Settings,
    /// The tables, where the rule does not compare tables.
    pub tables: Tables,
}

/// Statements whose answers do not belong together.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind: a smaller case must show the same.
    pub class: String,
    /// Engine, batch and what was said.
    pub steps: Vec<(Settings, String, String)>,
    /// A case that asks no more than these.
    pub narrow: Box<Rule>,
}

/// What a case showed.
#[derive(Debug)]
pub enum Verdict {
    /// Answers that belong together.
    Good,
    /// An error everywhere: its number, text and statement.
    Refused(i32, String, String),
    /// Nothing can be said, and why.
    Skipped(&'static str),
    /// A wrong answer.
    Found(Box<Finding>),
}

/// Errors that depend on which rows are looked at: a plan may meet them or not.
const BY_ROW: [i32; 25] = [
    8134, 8115, 220, 232, 245, 8114, 241, 242, 517, 535, 8152, 2628, 512, 3623, 8672, 2627, 2601, 515, 244, 248, 9812,
    9813, 295, 8169, 1222,
];

/// Errors that say that the server is wrong, whatever the statement is.
const INTERNAL: [i32; 3] = [8630, 8624, 3624];

/// One answer of a case, or the verdict that ends it.
pub(crate) fn sound(
    settings: Settings,
    batch: &str,
    answer: Result<Outcome, Box<NotLoaded>>,
) -> Result<Outcome, Verdict> {
    let (outcome, batch) = match answer {
        Ok(outcome) => (outcome, batch.to_owned()),
        Err(refused) => {
            let NotLoaded { outcome, batch } = *refused;
            if outcome.panic.is_none() {
                return Err(Verdict::Refused(outcome.error(), outcome.said, batch));
            }
            (outcome, batch)
        }
    };
    if let Some(panic) = &outcome.panic {
        let place = panic.split(": ").next().unwrap_or_default();
        let class = format!("panic at {place}");
        return Err(found(class, vec![(settings, batch, outcome.words())], Rule::Roads(None)));
    }
    if outcome.is_late {
        return Err(Verdict::Skipped("late"));
    }
    if INTERNAL.contains(&outcome.error()) {
        let class = format!("internal error {}", outcome.error());
        return Err(found(class, vec![(settings, batch, outcome.words())], Rule::Roads(None)));
    }
    if BY_ROW.contains(&outcome.error()) {
        return Err(Verdict::Skipped("an error of a row"));
    }
    Ok(outcome)
}

pub(crate) fn found(class: String, steps: Vec<(Settings, String, String)>, narrow: Rule) -> Verdict {
    Verdict::Found(Box::new(Finding { class, steps, narrow: Box::new(narrow) }))
}
