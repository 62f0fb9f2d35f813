//! Plans as SHOWPLAN XML writes them, as trees of operators with what a reader looks for: estimates, costs, rows that came, the
//! table, the condition.
//!
//! ```text
//!   ShowPlanXML … StmtSimple (text, cost) ─ QueryPlan ─ RelOp (0) ─ Hash ┬ RelOp (1)      operators: a list, each with the place
//!                                                                        └ RelOp (2)      of the one that takes its rows
//! ```
//! What always holds: any text is read or refused without failing, and no deeper nesting than `DEPTH_MAX`; an operator stands
//! behind the one that takes its rows; texts are as they were, for whoever shows them to make harmless. It knows the schema of
//! SQL Server and of Millpond alike, and passes over elements that it does not know.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;

/// Elements inside of each other.
const DEPTH_MAX: usize = 4096;
/// Operators of a document.
const OPERATORS_MAX: usize = 50_000;
/// Statements of a document.
const STATEMENTS_MAX: usize = 50_000;
/// A page of tempdb.
const PAGE_KB: f64 = 8.0;

/// A document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// Its statements that have operators, or stand alone.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Statement {
    /// Its text.
    pub text: String,
    /// As "SELECT".
    pub kind: String,
    /// What it was expected to cost, in the units of the optimiser.
    pub cost: Option<f64>,
    /// Memory that it was granted.
    pub granted_kb: Option<f64>,
    /// Memory that it used.
    pub used_kb: Option<f64>,
    /// CPU time of all of it.
    pub cpu_ms: Option<f64>,
    /// Time of all of it.
    pub elapsed_ms: Option<f64>,
    /// Its operators, the topmost first.
    pub operators: Vec<Operator>,
}

/// An operator.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Operator {
    /// The place of the one that takes its rows, in the statement's list.
    pub parent: Option<usize>,
    /// How deep it stands.
    pub depth: usize,
    /// Its number in the plan.
    pub node_id: i64,
    /// As "Hash Match".
    pub physical: String,
    /// As "Inner Join".
    pub logical: String,
    /// As `[shop].[dbo].[orders].[by_customer]`.
    pub object: String,
    /// Its condition, or what it seeks.
    pub predicate: String,
    /// Rows that were expected.
    pub estimated_rows: f64,
    /// The cost of it and all below it.
    pub subtree_cost: f64,
    /// The cost of it alone: never below 0.
    pub own_cost: f64,
    /// Rows that came, of all threads.
    pub rows: Option<f64>,
    /// How often it ran, of all threads.
    pub executions: Option<f64>,
    /// The longest time of a thread.
    pub elapsed_ms: Option<f64>,
    /// That without the operators below.
    pub own_ms: Option<f64>,
    /// CPU time of all threads.
    pub cpu_ms: Option<f64>,
    /// Memory that it held at most, of all threads.
    pub memory_kb: Option<f64>,
    /// What it wrote to tempdb.
    pub spilled_kb: Option<f64>,
    /// Threads that ran it.
    pub threads: usize,
    /// Its threads run beside each other.
    pub is_parallel: bool,
    /// What the server warns of, as "SpillToTempDb SpillLevel=1".
    pub warnings: Vec<String>,
}

/// Why a text is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It is no XML.
    #[error("this is no XML: {0}")]
    Xml(String),
    /// It is XML, and has no statement.
    #[error("there is no ShowPlanXML with a statement in it")]
    NoPlan,
    /// It is larger than plans are.
    #[error(
        "a plan has at most {DEPTH_MAX} elements inside of each other, {OPERATORS_MAX} operators and {STATEMENTS_MAX} statements"
    )]
    TooLarge,
}

/// An element that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    Statement,
    /// In the list of the statement that is open.
    Operator(usize),
    Warnings,
    Predicate,
    Other,
}

#[derive(Default)]
struct Walk {
    plan: Plan,
    open: Vec<Opened>,
    /// Places of statements that are open: procedures have statements inside.
    statements: Vec<usize>,
    operators: usize,
}

/// Reads a document.
///
/// # Errors
/// [`PlanError`]
pub fn parse(xml: &str) -> Result<Plan, PlanError> {
    let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}').trim());
    let mut walk = Walk::default();
    loop {
        match reader.read_event().map_err(|error| PlanError::Xml(error.to_string()))? {
            Event::Start(tag) => walk.begin(&tag)?,
            Event::Empty(tag) => {
                walk.begin(&tag)?;
                walk.end();
            }
            Event::End(_) => walk.end(),
            Event::Eof => break,
            _ => {}
        }
    }
    let mut plan = walk.plan;
    if plan.statements.is_empty() {
        return Err(PlanError::NoPlan);
    }
    plan.statements.iter_mut().for_each(own_shares);
    Ok(plan)
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok().flatten()?;
    attribute.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}

fn number(tag: &BytesStart<'_>, name: &str) -> Option<f64> {
    attribute(tag, name)?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

fn text(tag: &BytesStart<'_>, name: &str) -> String {
    attribute(tag, name).unwrap_or_default()
}

impl Walk {
    fn statement(&mut self) -> Option<&mut Statement> {
        self.plan.statements.get_mut(*self.statements.last()?)
    }

    /// The operator whose element is open, of those that are nearest.
    fn operator(&mut self) -> Option<&mut Operator> {
        let place = self.open.iter().rev().find_map(|opened| match opened {
            Opened::Operator(place) => Some(*place),
            _ => None,
        })?;
        self.statement()?.operators.get_mut(place)
    }

    /// Operators of the statement that are open.
    fn parents(&self) -> impl Iterator<Item = usize> {
        let of_statement = self.open.iter().rev().take_while(|opened| **opened != Opened::Statement);
        of_statement.filter_map(|opened| match opened {
            Opened::Operator(place) => Some(*place),
            _ => None,
        })
    }

    fn begin(&mut self, tag: &BytesStart<'_>) -> Result<(), PlanError> {
        if self.open.len() >= DEPTH_MAX {
            return Err(PlanError::TooLarge);
        }
        let name = tag.local_name();
        let opened = match name.as_ref() {
            name if name.starts_with("Stmt") => {
                if self.plan.statements.len() >= STATEMENTS_MAX {
                    return Err(PlanError::TooLarge);
                }
                self.statements.push(self.plan.statements.len());
                self.plan.statements.push(Statement {
                    text: text(tag, "StatementText"),
                    kind: text(tag, "StatementType"),
                    cost: number(tag, "StatementSubTreeCost"),
                    ..Statement::default()
                });
                Opened::Statement
            }
            "RelOp" => self.begin_operator(tag)?,
            "Warnings" => {
                let flags = ["NoJoinPredicate", "SpatialGuess", "UnmatchedIndexes"];
                let set: Vec<String> = flags
                    .iter()
                    .filter(|flag| matches!(text(tag, flag).as_str(), "1" | "true"))
                    .map(|it| (*it).into())
                    .collect();
                if let Some(operator) = self.operator() {
                    operator.warnings.extend(set);
                }
                Opened::Warnings
            }
            "Predicate" | "SeekPredicates" | "ProbeResidual" | "StartupExpression" => Opened::Predicate,
            name => {
                self.begin_other(name, tag);
                Opened::Other
            }
        };
        self.open.push(opened);
        Ok(())
    }

    fn begin_operator(&mut self, tag: &BytesStart<'_>) -> Result<Opened, PlanError> {
        self.operators += 1;
        if self.operators > OPERATORS_MAX {
            return Err(PlanError::TooLarge);
        }
        let mut parents = self.parents();
        let parent = parents.next();
        let depth = usize::from(parent.is_some()) + parents.count();
        let operator = Operator {
            parent,
            depth,
            node_id: number(tag, "NodeId").unwrap_or(-1.0) as i64,
            physical: text(tag, "PhysicalOp"),
            logical: text(tag, "LogicalOp"),
            estimated_rows: number(tag, "EstimateRows").unwrap_or(0.0),
            subtree_cost: number(tag, "EstimatedTotalSubtreeCost").unwrap_or(0.0),
            is_parallel: matches!(text(tag, "Parallel").as_str(), "1" | "true"),
            ..Operator::default()
        };
        let Some(statement) = self.statement() else { return Ok(Opened::Other) };
        statement.operators.push(operator);
        Ok(Opened::Operator(statement.operators.len() - 1))
    }

    fn begin_other(&mut self, name: &str, tag: &BytesStart<'_>) {
        let inside = self.open.last().copied();
        let is_in_predicate = self
            .open
            .iter()
            .rev()
            .take_while(|it| !matches!(it, Opened::Operator(_)))
            .any(|it| *it == Opened::Predicate);
        match name {
            "MemoryGrantInfo" => {
                let (granted, used) = (number(tag, "GrantedMemory"), number(tag, "MaxUsedMemory"));
                if let Some(statement) = self.statement() {
                    (statement.granted_kb, statement.used_kb) = (granted, used);
                }
            }
            "QueryTimeStats" => {
                let (cpu, elapsed) = (number(tag, "CpuTime"), number(tag, "ElapsedTime"));
                if let Some(statement) = self.statement() {
                    (statement.cpu_ms, statement.elapsed_ms) = (cpu, elapsed);
                }
            }
            "RunTimeCountersPerThread" => self.thread(tag),
            "Object" => {
                let parts = ["Database", "Schema", "Table", "Index"].map(|part| text(tag, part));
                let object: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                let object = object.join(".");
                if let Some(operator) = self.operator().filter(|operator| operator.object.is_empty()) {
                    operator.object = object;
                }
            }
            // Seeks say what they compare in lists of columns and values; the text of a scalar is what people read.
            "ScalarOperator" if is_in_predicate => {
                let shown = text(tag, "ScalarString");
                if let Some(operator) = self.operator().filter(|_| !shown.is_empty()) {
                    if !operator.predicate.is_empty() {
                        operator.predicate.push_str(", ");
                    }
                    operator.predicate.push_str(&shown);
                }
            }
            "InternalInfo" => {
                let (own, argument) = (text(tag, "Name"), text(tag, "Argument"));
                if let Some(operator) = self.operator().filter(|_| !own.is_empty()) {
                    (operator.physical, operator.predicate) = (own, argument);
                }
            }
            name if inside == Some(Opened::Warnings) => {
                let details: Vec<String> = tag
                    .attributes()
                    .with_checks(false)
                    .flatten()
                    .map(|it| (it.key.local_name().as_ref().to_owned(), it.normalized_value(XmlVersion::Implicit1_0)))
                    .map(|(name, value)| format!(" {name}={}", value.unwrap_or_default()))
                    .collect();
                let warning = format!("{name}{}", details.concat());
                let pages = number(tag, "WritesToTempDb");
                if let Some(operator) = self.operator() {
                    operator.warnings.push(warning);
                    operator.spilled_kb = pages.map(|pages| pages * PAGE_KB).or(operator.spilled_kb);
                }
            }
            _ => {}
        }
    }

    fn thread(&mut self, tag: &BytesStart<'_>) {
        let [rows, executions, elapsed, cpu, memory] =
            ["ActualRows", "ActualExecutions", "ActualElapsedms", "ActualCPUms", "UsedMemoryGrant"]
                .map(|name| number(tag, name));
        let Some(operator) = self.operator() else { return };
        operator.threads += 1;
        let sum = |sum: Option<f64>, more: Option<f64>| more.map_or(sum, |more| Some(sum.unwrap_or(0.0) + more));
        operator.rows = sum(operator.rows, rows);
        operator.executions = sum(operator.executions, executions);
        operator.cpu_ms = sum(operator.cpu_ms, cpu);
        operator.memory_kb = sum(operator.memory_kb, memory);
        operator.elapsed_ms =
            elapsed.map_or(operator.elapsed_ms, |ms| Some(operator.elapsed_ms.unwrap_or(0.0).max(ms)));
    }

    fn end(&mut self) {
        if self.open.pop() == Some(Opened::Statement) {
            self.statements.pop();
        }
    }
}

/// What each operator costs, and how long it takes, beside those below it.
fn own_shares(statement: &mut Statement) {
    let mut below = vec![(0.0, 0.0); statement.operators.len()];
    for operator in &statement.operators {
        if let Some(parent) = operator.parent {
            let (cost, ms) = &mut below[parent];
            *cost += operator.subtree_cost;
            *ms += operator.elapsed_ms.unwrap_or(0.0);
        }
    }
    for (operator, (cost, ms)) in statement.operators.iter_mut().zip(below) {
        operator.own_cost = (operator.subtree_cost - cost).max(0.0);
        operator.own_ms = operator.elapsed_ms.map(|all| (all - ms).max(0.0));
    }
}

impl Statement {
    /// What each operator's part of the whole is, and of what: of the time that passed where that is known, else of the costs.
    #[must_use]
    pub fn shares(&self) -> (Vec<f64>, ShareOf) {
        let times: Vec<f64> = self.operators.iter().map(|operator| operator.own_ms.unwrap_or(0.0)).collect();
        let (weights, of) = if times.iter().any(|ms| *ms > 0.0) {
            (times, ShareOf::Time)
        } else {
            (self.operators.iter().map(|operator| operator.own_cost).collect(), ShareOf::Cost)
        };
        let total: f64 = weights.iter().sum();
        let share = |weight: f64| if total > 0.0 { weight / total } else { 0.0 };
        (weights.into_iter().map(share).collect(), of)
    }
}

/// What shares are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareOf {
    /// Time that passed.
    Time,
    /// What was expected.
    Cost,
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"<?xml version="1.0"?><ShowPlanXML xmlns="http://schemas.microsoft.com/sqlserver/2004/07/showplan" Version="1.564">
      <BatchSequence><Batch><Statements><StmtSimple StatementText="select &lt;script&gt;alert(1)&lt;/script&gt;&#10;from a" StatementType="SELECT" StatementSubTreeCost="9.5">
        <QueryPlan><MemoryGrantInfo GrantedMemory="1024" MaxUsedMemory="512"/><QueryTimeStats CpuTime="40" ElapsedTime="55"/>
          <RelOp NodeId="0" PhysicalOp="Hash Match" LogicalOp="Inner Join" EstimateRows="100" EstimatedTotalSubtreeCost="9.5" Parallel="1">
            <OutputList/><Warnings NoJoinPredicate="true"><SpillToTempDb SpillLevel="1" SpilledThreadCount="2"/><HashSpillDetails WritesToTempDb="10"/></Warnings>
            <RunTimeInformation><RunTimeCountersPerThread Thread="1" ActualRows="60" ActualExecutions="1" ActualElapsedms="30" ActualCPUms="20" UsedMemoryGrant="64"/>
              <RunTimeCountersPerThread Thread="2" ActualRows="30" ActualExecutions="1" ActualElapsedms="50" ActualCPUms="20" UsedMemoryGrant="32"/></RunTimeInformation>
            <Hash><ProbeResidual><ScalarOperator ScalarString="[a].[x]=[b].[x]"><Compare><ScalarOperator/></Compare></ScalarOperator></ProbeResidual>
              <RelOp NodeId="1" PhysicalOp="Table Scan" LogicalOp="Table Scan" EstimateRows="10" EstimatedTotalSubtreeCost="2"><TableScan><Object Database="[d]" Schema="[dbo]" Table="[a]"/></TableScan></RelOp>
              <RelOp NodeId="2" PhysicalOp="Generic" LogicalOp="Generic" EstimateRows="1e3" EstimatedTotalSubtreeCost="3.5"><Generic><InternalInfo Name="Something" Argument="of ours"/></Generic></RelOp>
            </Hash></RelOp></QueryPlan></StmtSimple></Statements></Batch></BatchSequence></ShowPlanXML>"#;

    #[test]
    fn a_plan_is_read() {
        let plan = parse(PLAN).expect("a plan");
        let statement = &plan.statements[0];
        assert_eq!((plan.statements.len(), statement.kind.as_str(), statement.cost), (1, "SELECT", Some(9.5)));
        assert_eq!(statement.text, "select <script>alert(1)</script>\nfrom a");
        assert_eq!(
            (statement.granted_kb, statement.used_kb, statement.cpu_ms),
            (Some(1024.0), Some(512.0), Some(40.0))
        );
        let shape: Vec<(usize, Option<usize>, &str)> =
            statement.operators.iter().map(|it| (it.depth, it.parent, it.physical.as_str())).collect();
        assert_eq!(shape, [(0, None, "Hash Match"), (1, Some(0), "Table Scan"), (1, Some(0), "Something")]);
        let join = &statement.operators[0];
        assert_eq!((join.rows, join.elapsed_ms, join.cpu_ms, join.threads), (Some(90.0), Some(50.0), Some(40.0), 2));
        assert_eq!((join.own_cost, join.is_parallel, join.predicate.as_str()), (4.0, true, "[a].[x]=[b].[x]"));
        assert_eq!(
            join.warnings,
            [
                "NoJoinPredicate",
                "SpillToTempDb SpillLevel=1 SpilledThreadCount=2",
                "HashSpillDetails WritesToTempDb=10"
            ]
        );
        assert_eq!((join.executions, join.memory_kb, join.spilled_kb), (Some(2.0), Some(96.0), Some(80.0)));
        assert_eq!((join.own_ms, statement.shares()), (Some(50.0), (vec![1.0, 0.0, 0.0], ShareOf::Time)));
        assert_eq!(statement.operators[1].object, "[d].[dbo].[a]");
        assert_eq!(
            (statement.operators[2].estimated_rows, statement.operators[2].predicate.as_str()),
            (1000.0, "of ours")
        );
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        for text in ["", "hello", "<a/>", "<ShowPlanXML></ShowPlanXML>", "<RelOp NodeId='1'/>"] {
            assert_eq!(parse(text), Err(PlanError::NoPlan), "{text}");
        }
        for text in ["<a", "<a></b>", "<StmtSimple><RelOp></StmtSimple>"] {
            assert!(matches!(parse(text), Err(PlanError::Xml(_))), "{text}");
        }
        assert_eq!(parse(&"<a>".repeat(DEPTH_MAX + 1)), Err(PlanError::TooLarge));
        let many = format!("<StmtSimple>{}</StmtSimple>", "<RelOp/>".repeat(OPERATORS_MAX + 1));
        assert_eq!(parse(&many), Err(PlanError::TooLarge));
        assert_eq!(parse(&format!("<S>{}</S>", "<StmtX/>".repeat(STATEMENTS_MAX + 1))), Err(PlanError::TooLarge));
        // Entities of a document's own are no part of plans: they are not read, and nothing grows.
        let bomb = "<!DOCTYPE a [<!ENTITY b \"x\">]><StmtSimple StatementText=\"&b;&b;\"/>";
        assert_eq!(parse(bomb).expect("a statement").statements[0].text, "");
    }

    #[test]
    fn statements_inside_of_a_procedure_have_their_own_operators() {
        let text = "<S><StmtSimple StatementText='outer'><RelOp NodeId='0'><P><StmtSimple StatementText='inner'><RelOp NodeId='0'/></StmtSimple></P>\
            <RelOp NodeId='1'/></RelOp></StmtSimple></S>";
        let plan = parse(text).expect("a plan");
        let shape = |place: usize| plan.statements[place].operators.iter().map(|it| it.depth).collect::<Vec<usize>>();
        assert_eq!((shape(0), shape(1)), (vec![0, 1], vec![0]));
    }
}
