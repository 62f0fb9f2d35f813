//! Plans as XML: SET SHOWPLAN_XML, SET STATISTICS XML and the plans that `sys.dm_exec_query_plan` shows, in the elements that SQL
//! Server's schema for them has.
//!
//! ```text
//!   statements, operators (plan::showplan) ──▶ elements of statements ──▶ document (engine::account::kept_plan)
//!     mod.rs, operator.rs                        argument.rs, scalar.rs: texts of operators taken apart, write.rs
//! ```
//! What always holds: the document is valid against that schema; it is made of the operators that SHOWPLAN_ALL shows and says nothing
//! that these do not say, but for the indexes that a plan misses. Parameters and threads are not known and are left out.

pub(crate) mod argument;
mod missing;
pub(crate) mod operator;
mod scalar;
mod write;

use std::sync::atomic::Ordering::Relaxed;

use millpond_bind::Change;
use millpond_catalog::run::facts::Settings;
use millpond_engine::account::bottleneck::Spent;
use millpond_engine::account::work::WorkAccount;
use millpond_engine::context::RunContext;
use millpond_showplan::{Cost, Operator};
use millpond_tsql::shape::shape_hash;
use millpond_types::{MaxLen, SqlType};

use crate::code::{Code, MergeWay};
use crate::showplan_xml::operator::Tree;
use crate::showplan_xml::write::{Attributes, Xml, number};

/// The only column of what SHOWPLAN_XML and STATISTICS XML send.
pub const COLUMN: (&str, SqlType) = ("Microsoft SQL Server 2005 XML Showplan", SqlType::NVarChar { len: MaxLen::Max });

/// What is expected of a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimates {
    /// Rows that it gives.
    pub rows: f64,
    /// What it costs.
    pub cost: f64,
}

/// What a statement is, beside its plan.
#[derive(Clone, Copy, Default)]
pub struct Heading<'a> {
    /// Its text.
    pub text: &'a str,
    /// StatementType.
    pub kind: &'a str,
    /// StatementId
    pub id: u32,
    /// Of a statement that is counted: its text's number and its place there.
    pub place: Option<(u64, u32)>,
    /// The SET options that it is bound for.
    pub settings: Option<&'a Settings>,
    /// What is expected.
    pub estimates: Estimates,
    /// The plan was kept.
    pub is_kept: bool,
}

impl Heading<'_> {
    fn attributes(&self, plan: Option<&Costed<'_>>) -> Attributes {
        let mut all = Attributes::default();
        all.add("StatementText", self.text);
        all.add("StatementId", self.id.to_string());
        all.add("StatementCompId", self.id.to_string());
        all.add("StatementType", self.kind);
        all.add("RetrievedFromCache", if self.is_kept { "true" } else { "false" });
        if let Some(plan) = plan {
            // Of the operators where they have costs: what they are added up to.
            let first = plan.costs.first().map(|first| first.subtree);
            all.add("StatementSubTreeCost", number(first.unwrap_or(self.estimates.cost)));
            all.add("StatementEstRows", number(self.estimates.rows));
            all.add("StatementOptmLevel", "FULL");
        }
        if self.place.is_some() {
            let hash = format!("0x{:016X}", shape_hash(self.text.trim()));
            all.add("QueryHash", hash.clone());
            all.add("QueryPlanHash", hash);
        }
        all
    }

    fn options(&self, xml: &mut Xml) {
        let Some(settings) = self.settings else { return };
        let word = |on: bool| if on { "true" } else { "false" };
        xml.empty(
            "StatementSetOptions",
            &[
                ("QUOTED_IDENTIFIER", word(settings.quoted_identifier)),
                ("ARITHABORT", word(settings.arithabort)),
                ("CONCAT_NULL_YIELDS_NULL", word(settings.concat_null_yields_null)),
                ("ANSI_NULLS", word(settings.ansi_nulls)),
                ("ANSI_PADDING", word(settings.ansi_padding)),
                ("ANSI_WARNINGS", word(settings.ansi_warnings)),
                ("NUMERIC_ROUNDABORT", word(settings.numeric_roundabort)),
            ],
        );
    }
}

/// What an execution has spent as a whole.
pub struct Ran<'a> {
    /// Times.
    pub spent: &'a Spent,
    /// Memory, where it is known.
    pub work: Option<&'a WorkAccount>,
}

/// A plan, and what each of its operators costs; nothing where that is not known.
struct Costed<'p> {
    plan: &'p Operator,
    costs: Vec<Cost>,
}

impl Costed<'_> {
    fn of(plan: &Operator) -> Costed<'_> {
        Costed { plan, costs: plan.costs().unwrap_or_default() }
    }
}

fn query_plan(xml: &mut Xml, plan: Option<&Costed<'_>>, rows: f64, ran: Option<&Ran<'_>>) {
    let Some(Costed { plan, costs }) = plan else { return };
    xml.open("QueryPlan", &[]);
    missing::groups(xml, plan);
    if let Some(ran) = ran {
        let kb = |bytes: u64| bytes.div_ceil(1024).to_string();
        let memory = ran.work.map(|work| (work.granted_bytes.load(Relaxed), work.used_bytes.load(Relaxed)));
        if let Some((granted, used)) = memory.filter(|(granted, _)| *granted > 0) {
            let memory = [kb(granted), kb(used)];
            let none = ["SerialRequiredMemory", "SerialDesiredMemory"].map(|name| (name, "0"));
            let known = [("GrantedMemory", memory[0].as_str()), ("MaxUsedMemory", &memory[1])];
            xml.empty("MemoryGrantInfo", &[none, known].concat());
        }
        let times = [ran.spent.cpu_us, ran.spent.elapsed_us].map(|us| (us / 1000).to_string());
        xml.empty("QueryTimeStats", &[("CpuTime", &times[0]), ("ElapsedTime", &times[1])]);
    }
    Tree::new(costs).operator(xml, plan, rows);
    xml.close("QueryPlan");
}

/// A statement with its plan, where it has one. `called`: a procedure by its name, and the elements of its statements.
pub fn simple(
    heading: &Heading<'_>,
    plan: Option<&Operator>,
    ran: Option<&Ran<'_>>,
    called: Option<(&str, &str)>,
) -> String {
    let plan = plan.map(Costed::of);
    let mut xml = Xml::default();
    xml.around("StmtSimple", &heading.attributes(plan.as_ref()).all(), |xml| {
        heading.options(xml);
        query_plan(xml, plan.as_ref(), heading.estimates.rows, ran);
        if let Some((name, statements)) = called {
            xml.open("StoredProc", &[("ProcName", name)]);
            xml.around("Statements", &[], |xml| xml.elements(statements));
            xml.close("StoredProc");
        }
    });
    xml.into_text()
}

/// IF or WHILE: the plan of the condition, and the elements of the statements below.
pub fn condition(heading: &Heading<'_>, plan: Option<&Operator>, then: &str, otherwise: Option<&str>) -> String {
    let plan = plan.map(Costed::of);
    let mut xml = Xml::default();
    xml.around("StmtCond", &heading.attributes(plan.as_ref()).all(), |xml| {
        heading.options(xml);
        xml.around("Condition", &[], |xml| query_plan(xml, plan.as_ref(), heading.estimates.rows, None));
        for (element, statements) in std::iter::once(("Then", then)).chain(otherwise.map(|below| ("Else", below))) {
            xml.open(element, &[]);
            xml.around("Statements", &[], |xml| xml.elements(statements));
            xml.close(element);
        }
    });
    xml.into_text()
}

/// USE.
pub fn use_database(heading: &Heading<'_>, database: &str) -> String {
    let mut xml = Xml::default();
    let mut attributes = heading.attributes(None);
    attributes.add("Database", database);
    xml.empty("StmtUseDb", &attributes.all());
    xml.into_text()
}

/// A statement of a cursor: the cursor by its name, and the plan of its query.
pub fn cursor(heading: &Heading<'_>, name: &str, plan: Option<&Operator>) -> String {
    let plan = plan.map(Costed::of);
    let mut xml = Xml::default();
    xml.around("StmtCursor", &heading.attributes(plan.as_ref()).all(), |xml| {
        heading.options(xml);
        xml.open("CursorPlan", &[("CursorName", name)]);
        if plan.is_some() {
            xml.open("Operation", &[("OperationType", "FetchQuery")]);
            query_plan(xml, plan.as_ref(), heading.estimates.rows, None);
            xml.close("Operation");
        }
        xml.close("CursorPlan");
    });
    xml.into_text()
}

/// StatementType of a statement over rows.
#[must_use]
pub fn kind(code: &Code) -> &'static str {
    match code {
        Code::Query(query) if query.into.is_some() => "SELECT INTO",
        Code::Query(_) => "SELECT",
        Code::Insert(_) => "INSERT",
        Code::Merge(_) => "MERGE",
        Code::Change(change) if matches!(change.bound.change, Change::Delete) => "DELETE",
        Code::Change(_) => "UPDATE",
        Code::Scalar(_) | Code::Table(_) | Code::Rows(_) => "ASSIGN",
    }
}

/// What is expected of code that has one way to its rows.
pub fn estimates(ctx: &RunContext, code: &Code) -> Estimates {
    let runner = match code {
        Code::Scalar(scalar) => scalar.runner.as_ref(),
        Code::Query(query) => Some(&query.runner),
        Code::Insert(insert) => Some(&insert.runner),
        Code::Change(change) => Some(&change.runner),
        Code::Merge(merge) => Some(match &merge.way {
            MergeWay::Lookup { source, .. } => source,
            MergeWay::Join(join) => join,
        }),
        Code::Table(_) | Code::Rows(_) => None,
    };
    let (rows, cost) = runner.map_or((0.0, 0.0), |runner| runner.estimates(ctx));
    Estimates { rows, cost }
}
