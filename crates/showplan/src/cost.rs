//! What the operators of a plan are expected to cost, in the units of SQL Server: a second of the machine for which its
//! constants were once chosen. `cost threshold for parallelism` is in these units, and the planner weighs by the same constants.
//!
//! ```text
//!   Operator ── rows expected, tables' sizes ──▶ walk, the top first ──▶ Cost of each, in the order of its rows in SHOWPLAN
//! ```
//! What always holds: a subtree costs what its operators cost together, over all their executions; an operator below a TOP is
//! charged for the share of its rows that the TOP takes, up to the next one that reads all its input first. A plan with a table
//! of unknown size has no costs at all. Knows one thread, no cache that was warm before, and no values beyond their rows.

use std::collections::HashMap;

use millpond_catalog::ObjectId;
use millpond_storage::contract::{DbId, PAGE_BYTES};

use crate::Operator;

/// The first page of a scan or seek, and each page after it.
pub const PAGE_COST: (f64, f64) = (0.003_125, 0.000_740_74);
/// Beginning a scan or seek, and each row of it.
pub const ROW_COST: (f64, f64) = (0.000_157_0, 0.000_001_1);
/// A row of a table of hashes: put in, or looked up.
pub const HASH_COST: (f64, f64) = (0.000_008, 0.000_004);
/// A row through a filter or a computation.
pub const PASS_COST: f64 = 0.000_000_1;
/// A comparison of a sort.
const COMPARE_COST: f64 = 0.000_001;
/// A pair of rows of a nested loop.
pub const PAIR_COST: f64 = 0.000_004_18;
/// Rows of an input without an estimate.
pub const UNKNOWN_ROWS: f64 = 1000.0;
/// A row that is put into a table.
const CHANGE_COST: f64 = 0.000_001;
/// What an estimate is at most: products of many tables' rows stay numbers.
const ESTIMATE_MAX: f64 = 1e30;
/// Bytes of a column whose type is not known here, as a computed one's.
const UNKNOWN_BYTES: u32 = 8;
/// Bytes of a row beside its columns.
const ROW_HEADER_BYTES: u32 = 7;

/// What the sort of so many rows costs.
#[must_use]
pub fn sort_cost(rows: f64) -> f64 {
    let rows = rows.max(2.0);
    rows * rows.log2() * COMPARE_COST
}

/// A table as large as a plan takes it to be.
#[derive(Clone, Copy, Debug)]
pub struct TableSize {
    /// Its database.
    pub database: DbId,
    /// The table.
    pub table: ObjectId,
    /// Rows.
    pub rows: u64,
    /// Pages of 8 KB.
    pub pages: u64,
}

/// What an operator is expected to cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// EstimateIO: of one execution.
    pub io: f64,
    /// EstimateCPU: of one execution.
    pub cpu: f64,
    /// AvgRowSize, in bytes.
    pub row_bytes: u32,
    /// EstimateExecutions.
    pub executions: f64,
    /// TotalSubtreeCost: of all executions, with everything below.
    pub subtree: f64,
}

impl Operator {
    /// About how many rows it gives each time it is executed, where it is known or the operator says so by itself.
    #[must_use]
    pub fn expected_rows(&self) -> Option<f64> {
        let expected = self.expected.or_else(|| match (self.physical.as_str(), &self.inputs[..]) {
            ("Stream Aggregate", _) => Some(1.0),
            ("Sort", [input]) if self.logical == "TopN Sort" => {
                let most = number(self.argument.strip_prefix("TOP ")?)?;
                Some(input.expected_rows().map_or(most, |rows| rows.min(most)))
            }
            (_, [input]) if self.hands_on() => input.expected_rows(),
            _ => None,
        });
        expected.map(bounded)
    }

    /// Whether it gives a row for each of its input's.
    #[must_use]
    pub fn hands_on(&self) -> bool {
        match self.physical.as_str() {
            "Compute Scalar" | "Parallelism" | "Window Aggregate" | "Bitmap" => true,
            "Sort" => self.logical == "Sort",
            _ => matches!(self.logical.as_str(), "Insert" | "Update" | "Delete"),
        }
    }

    /// What it and the operators below cost, in the order of [`Operator::rows`]; none where a table's size is not known.
    #[must_use]
    pub fn costs(&self) -> Option<Vec<Cost>> {
        let mut walk = Walk { costs: Vec::new(), bytes: HashMap::new() };
        walk.operator(self, Times { executions: 1.0, share: 1.0 })?;
        Some(walk.costs)
    }
}

/// How often an operator runs, and what share of its rows is taken each time.
#[derive(Clone, Copy)]
struct Times {
    executions: f64,
    share: f64,
}

impl Times {
    /// For an input that is read to its end.
    fn whole(self) -> Times {
        Times { share: 1.0, ..self }
    }
}

struct Walk<'o> {
    costs: Vec<Cost>,
    /// Bytes of the columns of tables.
    bytes: HashMap<&'o str, u32>,
}

impl<'o> Walk<'o> {
    /// Adds an operator and those below; gives what they cost together.
    fn operator(&mut self, operator: &'o Operator, times: Times) -> Option<f64> {
        let place = self.costs.len();
        self.costs.push(Cost::default());
        let mut below = 0.0;
        for (index, input) in operator.inputs.iter().enumerate() {
            below += self.operator(input, input_times(operator, index, times))?;
        }
        for (name, bytes) in operator.output.iter().zip(&operator.output_bytes) {
            self.bytes.insert(name, *bytes);
        }
        let known = |name: &String| self.bytes.get(name.as_str()).copied().unwrap_or(UNKNOWN_BYTES);
        let row_bytes = ROW_HEADER_BYTES + operator.output.iter().map(known).sum::<u32>();
        let own =
            if operator.inputs.is_empty() { leaf(operator, times, row_bytes)? } else { inner(operator, row_bytes) };
        let executions = times.executions;
        let (io, cpu) = (bounded(own.io), bounded(own.cpu));
        let subtree = bounded(below + io * own.reads.unwrap_or(executions) + cpu * times.share * executions);
        self.costs[place] = Cost { io, cpu, row_bytes, executions, subtree };
        Some(subtree)
    }
}

fn bounded(estimate: f64) -> f64 {
    estimate.min(ESTIMATE_MAX)
}

/// What an operator costs by itself, each time.
struct Own {
    io: f64,
    cpu: f64,
    /// How often `io` is paid, where a later execution finds the pages of an earlier one.
    reads: Option<f64>,
}

fn rows_of(operator: &Operator) -> f64 {
    operator.expected_rows().unwrap_or(UNKNOWN_ROWS)
}

/// How often an input runs.
fn input_times(operator: &Operator, index: usize, times: Times) -> Times {
    match operator.physical.as_str() {
        "Nested Loops" if index == 1 => {
            let executions = times.executions * (outer_rows(operator) * times.share).max(1.0);
            Times { executions: bounded(executions), share: 1.0 }
        }
        "Top" => {
            let rows = rows_of(&operator.inputs[0]).max(1.0);
            let wanted = top_rows(operator).or(operator.expected_rows()).unwrap_or(rows);
            Times { share: times.share * (wanted / rows).min(1.0), ..times }
        }
        // It is filled once, however often it is read.
        "Table Spool" if operator.logical == "Eager Spool" => Times { executions: 1.0, share: 1.0 },
        "Sort" | "Stream Aggregate" | "Window Aggregate" | "Table Spool" => times.whole(),
        // The side that is built, or what is grouped.
        "Hash Match" if index == 0 => times.whole(),
        _ => times,
    }
}

/// Rows of a nested loop's outer side: without an estimate of its own it gives as many as come of it.
fn outer_rows(operator: &Operator) -> f64 {
    operator.inputs[0].expected_rows().or(operator.expected_rows()).unwrap_or(UNKNOWN_ROWS)
}

/// The number that a text begins with.
fn number(text: &str) -> Option<f64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The number in `TOP EXPRESSION:((10))`.
fn top_rows(operator: &Operator) -> Option<f64> {
    let (_, text) = operator.argument.split_once("TOP EXPRESSION:(")?;
    let text = text.trim_start_matches('(');
    let rest = text.trim_start_matches(|sign: char| sign.is_ascii_digit()).trim_start_matches(')');
    if rest.starts_with(" PERCENT") { None } else { number(text) }
}

fn pages_of(rows: f64, row_bytes: u32) -> f64 {
    (rows * f64::from(row_bytes) / PAGE_BYTES as f64).ceil().max(1.0)
}

/// What reads a table, or makes rows.
fn leaf(operator: &Operator, times: Times, row_bytes: u32) -> Option<Own> {
    let rows = operator.expected_rows();
    let is_seek = operator.argument.contains("SEEK:(");
    match operator.physical.as_str() {
        "Table Scan" | "Clustered Index Scan" | "Index Scan" if !is_seek => {
            let size = operator.size?;
            let pages = if operator.physical == "Index Scan" {
                pages_of(size.rows as f64, row_bytes)
            } else {
                (size.pages as f64).max(1.0)
            };
            let io = PAGE_COST.0 + PAGE_COST.1 * (pages * times.share - 1.0).max(0.0);
            // Later executions find the pages in memory.
            Some(Own { io, cpu: ROW_COST.0 + ROW_COST.1 * size.rows as f64, reads: Some(times.executions.min(1.0)) })
        }
        "Table Scan" | "Clustered Index Seek" | "Index Seek" | "RID Lookup" | "Index Scan" | "Clustered Index Scan" => {
            let rows = rows.unwrap_or(1.0);
            let pages = pages_of(rows, row_bytes);
            let io = PAGE_COST.0 + PAGE_COST.1 * (pages * times.share - 1.0).max(0.0);
            // Seeks read no page twice, about.
            let most = operator.size.map_or(f64::MAX, |size| (size.pages as f64 / pages).max(1.0));
            Some(Own { io, cpu: ROW_COST.0 + ROW_COST.1 * rows, reads: Some(times.executions.min(most)) })
        }
        "Constant Scan" => Some(Own { io: 0.0, cpu: ROW_COST.1 * rows.unwrap_or(1.0), reads: None }),
        _ => Some(Own { io: 0.0, cpu: ROW_COST.0 + ROW_COST.1 * rows.unwrap_or(UNKNOWN_ROWS), reads: None }),
    }
}

/// What works on the rows of others.
fn inner(operator: &Operator, row_bytes: u32) -> Own {
    let inputs: Vec<f64> = operator.inputs.iter().map(rows_of).collect();
    let all: f64 = inputs.iter().sum();
    let first = inputs[0];
    let cpu = match (operator.physical.as_str(), inputs.get(1)) {
        ("Nested Loops", Some(_)) => {
            // What a seek finds for each row is one row, where nothing else is known.
            PAIR_COST * outer_rows(operator) * operator.inputs[1].expected_rows().unwrap_or(1.0).max(1.0)
        }
        ("Hash Match", Some(probe)) => HASH_COST.0 * first + HASH_COST.1 * probe,
        ("Hash Match", None) => HASH_COST.0 * first,
        ("Merge Join", _) => HASH_COST.1 * all,
        ("Stream Aggregate", _) => PASS_COST * 6.0 * first,
        ("Sort", _) => sort_cost(first),
        ("Table Spool", _) => HASH_COST.1 * first,
        _ if matches!(operator.logical.as_str(), "Insert" | "Update" | "Delete" | "Merge") => CHANGE_COST * first,
        _ => PASS_COST * all,
    };
    let io = match operator.logical.as_str() {
        "Insert" | "Update" | "Delete" | "Merge" => PAGE_COST.0 + PAGE_COST.1 * (pages_of(first, row_bytes) - 1.0),
        _ => 0.0,
    };
    Own { io, cpu, reads: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(rows: u64, pages: u64) -> Option<TableSize> {
        Some(TableSize { database: DbId::TEMPDB, table: ObjectId(1), rows, pages })
    }

    fn scan(rows: u64, pages: u64) -> Operator {
        let scan = Operator::new("Table Scan").argument("OBJECT:([t])").expecting(Some(rows as f64));
        Operator { size: size(rows, pages), ..scan }
    }

    fn seek(rows: f64) -> Operator {
        let seek = Operator::new("Index Seek").argument("OBJECT:([t]), SEEK:([t].[a]=(1)) ORDERED FORWARD");
        Operator { size: size(100_000, 1000), ..seek.expecting(Some(rows)) }
    }

    fn subtree(operator: &Operator) -> f64 {
        operator.costs().unwrap()[0].subtree
    }

    #[test]
    fn estimates_of_many_tables_stay_numbers() {
        let joined = |outer: Operator| {
            let rows = outer.expected.map(|rows| rows * 1e20);
            Operator { inputs: vec![outer, scan(1000, 100)], ..Operator::new("Nested Loops").expecting(rows) }
        };
        let all = (0..80).fold(scan(1000, 100), |outer, _| joined(outer));
        assert!(all.expected.is_some_and(f64::is_infinite) && all.expected_rows() == Some(ESTIMATE_MAX));
        for cost in all.costs().expect("sizes are known") {
            let figures = [cost.io, cost.cpu, cost.executions, cost.subtree];
            assert!(figures.iter().all(|figure| (0.0..=ESTIMATE_MAX).contains(figure)), "{cost:?}");
        }
    }

    #[test]
    fn a_scan_costs_its_pages_and_its_rows() {
        let cost = scan(1000, 101).costs().unwrap()[0];
        assert!((cost.io - (0.003_125 + 100.0 * 0.000_740_74)).abs() < 1e-9, "{cost:?}");
        assert!((cost.cpu - (0.000_157 + 0.001_1)).abs() < 1e-9, "{cost:?}");
        assert!((cost.subtree - cost.io - cost.cpu).abs() < 1e-12, "{cost:?}");
    }

    #[test]
    fn what_is_not_known_costs_nothing_that_is_said() {
        let unknown = Operator { size: None, ..scan(10, 1) };
        assert_eq!(Operator::new("Sort").over(unknown).costs(), None);
    }

    #[test]
    fn the_inner_side_runs_for_each_outer_row_and_reads_no_page_twice() {
        let join = |outer: u64| Operator::nested_loops("Inner Join", &[], "", [scan(outer, 10), seek(1.0)]);
        let few = join(100).costs().unwrap();
        assert!((few[2].executions - 100.0).abs() < 1e-9, "{few:?}");
        assert!((few[0].subtree - few[1].subtree - few[2].subtree - 0.000_418).abs() < 1e-9, "{few:?}");
        let many = join(1_000_000).costs().unwrap();
        assert!(many[2].subtree < 1000.0 * few[2].io + 1_000_000.0 * few[2].cpu + 1.0, "{many:?}");
    }

    #[test]
    fn a_top_pays_for_what_it_takes_unless_all_must_be_sorted_before() {
        let top = |input: Operator| Operator::new("Top").argument("TOP EXPRESSION:((10))").over(input);
        let whole = subtree(&scan(100_000, 1000));
        assert!(subtree(&top(scan(100_000, 1000))) < whole / 50.0);
        let sorted = Operator::new("Sort").argument("ORDER BY:([a] ASC)").over(scan(100_000, 1000));
        assert!(subtree(&top(sorted)) > whole);
    }

    #[test]
    fn rows_are_as_wide_as_what_they_are_made_of() {
        let narrow = scan(10, 1).output(vec!["[a]".into(), "[b]".into()]);
        let narrow = Operator { output_bytes: vec![4, 100], ..narrow };
        let computed = Operator::new("Compute Scalar").output(vec!["[b]".into(), "[Expr1001]".into()]).over(narrow);
        let bytes: Vec<u32> = computed.costs().unwrap().iter().map(|cost| cost.row_bytes).collect();
        assert_eq!(bytes, [7 + 100 + 8, 7 + 104]);
    }

    #[test]
    fn a_lookup_is_as_dear_as_the_rows_that_an_index_leads_to() {
        let lookup = Operator::new("Clustered Index Seek")
            .argument("OBJECT:([t]), SEEK:([t].[id]=[t].[id]) LOOKUP ORDERED FORWARD");
        let lookup = Operator { size: size(100_000, 1000), ..lookup };
        let outer = Operator { expected: None, ..seek(1.0) };
        let join = Operator::nested_loops("Inner Join", &[], "", [outer, lookup]).expecting(Some(60.0));
        let costs = join.costs().unwrap();
        assert_eq!(join.inputs.iter().map(Operator::expected_rows).collect::<Vec<_>>(), [Some(60.0), Some(1.0)]);
        // 60 random pages, about, and what a loop does for each.
        assert!((0.18..0.21).contains(&costs[0].subtree), "{costs:?}");
    }

    #[test]
    fn tops_of_percents_and_of_variables_are_not_numbers() {
        let rows = |text: &str| top_rows(&Operator::new("Top").argument(text));
        assert_eq!(rows("TOP EXPRESSION:((10))"), Some(10.0));
        assert_eq!(rows("OFFSET EXPRESSION:((5)), TOP EXPRESSION:((3))"), Some(3.0));
        assert_eq!(rows("TOP EXPRESSION:((10)) PERCENT"), None);
        assert_eq!(rows("TOP EXPRESSION:([@n])"), None);
    }
}
