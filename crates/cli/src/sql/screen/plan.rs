//! The rows of SET SHOWPLAN_ALL as a tree, with what the server expects of each operator.
//!
//! ```text
//!  est. rows  cost   operator
//!                    select g, count(*) from t group by g
//!          7  0.013  └─ Hash Match (Aggregate)  HASH:([t].[g])
//!      20000  0.010     └─ Table Scan  OBJECT:([t])
//! ```
//! What always holds: a result is taken for a plan only by the names of its columns, which no query has by chance; figures that no row
//! has are no column.

use std::collections::BTreeMap;

use millpond_message::sink::Column;
use millpond_types::format::to_display;
use millpond_types::{SqlType, Value};

use super::paint::{Line, Paint};
use super::text;

/// Columns that all results of SHOWPLAN_ALL and STATISTICS PROFILE have.
const NAMES: [&str; 8] =
    ["StmtText", "NodeId", "Parent", "PhysicalOp", "LogicalOp", "Argument", "EstimateRows", "TotalSubtreeCost"];
/// The figures, by their places in [`NAMES`].
const FIGURES: [(usize, &str); 2] = [(6, "est. rows"), (7, "cost")];

/// A plan whose rows come.
#[derive(Debug)]
pub struct PlanTable {
    places: [(usize, SqlType); 8],
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    node: i64,
    parent: i64,
    figures: [String; 2],
    /// Operator, or the statement itself.
    name: String,
    argument: String,
}

impl PlanTable {
    /// For a result of these columns, if it is a plan.
    pub fn of(columns: &[Column]) -> Option<PlanTable> {
        let mut places = [(0, SqlType::Int); 8];
        for (place, name) in places.iter_mut().zip(NAMES) {
            let at = columns.iter().position(|column| column.name == name)?;
            *place = (at, columns[at].sql_type);
        }
        Some(PlanTable { places, rows: Vec::new() })
    }

    /// Takes a row.
    pub fn add(&mut self, values: &[Value]) {
        let shown = |at: usize| {
            let (place, sql_type) = self.places[at];
            match values.get(place) {
                None | Some(Value::Null) => String::new(),
                Some(value) => to_display(value, &sql_type),
            }
        };
        let whole = |at: usize| values.get(self.places[at].0).and_then(Value::as_i64).unwrap_or(0);
        let [text, physical, logical, argument] = [shown(0), shown(3), shown(4), shown(5)];
        let name = match (physical.is_empty(), logical.is_empty() || logical == physical) {
            (true, _) => in_one_line(&text),
            (false, true) => physical,
            (false, false) => format!("{physical} ({logical})"),
        };
        let figures = FIGURES.map(|(at, _)| rounded(&shown(at)));
        let row = Row { node: whole(1), parent: whole(2), figures, name, argument: in_one_line(&argument) };
        self.rows.push(row);
    }

    /// The tree.
    pub fn lines(&self, terminal: usize) -> Vec<Line> {
        let figures: Vec<usize> =
            (0..FIGURES.len()).filter(|at| self.rows.iter().any(|row| !row.figures[*at].is_empty())).collect();
        let width = |at: usize| {
            let cells = self.rows.iter().map(|row| row.figures[at].len());
            cells.chain([FIGURES[at].1.len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = figures.iter().map(|at| width(*at)).collect();
        let before = |cells: &[&str]| -> String {
            cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}  ")).collect()
        };
        let names: Vec<&str> = figures.iter().map(|at| FIGURES[*at].1).collect();
        let mut lines = vec![Line::of(Paint::Heading, format!("{}operator", before(&names)))];
        let branches = self.branches();
        for (row, branch) in self.rows.iter().zip(&branches) {
            let cells: Vec<&str> = figures.iter().map(|at| row.figures[*at].as_str()).collect();
            let mut line = Line::of(Paint::Number, before(&cells));
            line.add(Paint::Faint, branch.clone());
            line.add(if branch.is_empty() { Paint::Plain } else { Paint::Keyword }, text::clean(&row.name));
            if !row.argument.is_empty() {
                line.add(Paint::Faint, format!("  {}", text::clean(&row.argument)));
            }
            lines.push(line);
        }
        lines.into_iter().map(|line| line.fitted(terminal)).collect()
    }

    /// What stands before each row: the lines that lead from its parent to it.
    fn branches(&self) -> Vec<String> {
        // The last child of each parent; what comes after a statement's first row is below it.
        let mut last: BTreeMap<i64, i64> = BTreeMap::new();
        self.rows.iter().filter(|row| row.parent != 0).for_each(|row| {
            last.insert(row.parent, row.node);
        });
        let mut below: BTreeMap<i64, String> = BTreeMap::new();
        let branch = |row: &Row| {
            // Rows of operators without the statement's own row, as one result has them, begin at its number.
            let outer = below.get(&row.parent).cloned().unwrap_or_default();
            let is_root = row.parent == 0;
            let is_last = last.get(&row.parent) == Some(&row.node);
            let (here, next) = match (is_root, is_last) {
                (true, _) => ("", ""),
                (_, true) => ("└─ ", "   "),
                (_, false) => ("├─ ", "│  "),
            };
            below.insert(row.node, format!("{outer}{next}"));
            format!("{outer}{here}")
        };
        self.rows.iter().map(branch).collect()
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Of a number, as many digits as say something: whole from 100 on, three places below.
fn rounded(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(number) if number.fract() == 0.0 || number >= 100.0 => format!("{number:.0}"),
        Ok(number) if number >= 0.001 => format!("{number:.3}"),
        Ok(number) => format!("{number:.1e}"),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let types = [SqlType::varchar(100), SqlType::Int, SqlType::Int];
        let texts = [SqlType::varchar(100); 3].into_iter();
        let all = types.into_iter().chain(texts).chain([SqlType::Real, SqlType::Real]);
        NAMES.into_iter().zip(all).map(|(name, sql_type)| Column::new(name, sql_type)).collect()
    }

    fn row(text: &str, node: i32, parent: i32, operator: Option<(&str, &str)>, rows: Option<f32>) -> Vec<Value> {
        let word = |text: &str| if text.is_empty() { Value::Null } else { Value::str(text) };
        let (physical, logical) = operator.unwrap_or_default();
        let argument = if operator.is_some() { "OBJECT:([t])" } else { "" };
        let rows = rows.map_or(Value::Null, Value::Real);
        let places = [Value::Int(node), Value::Int(parent), word(physical), word(logical), word(argument)];
        [Value::str(text)].into_iter().chain(places).chain([rows, Value::Null]).collect()
    }

    #[test]
    fn operators_are_a_tree() {
        let mut plan = PlanTable::of(&columns()).expect("a plan");
        plan.add(&row("select *\n  from t", 1, 0, None, None));
        plan.add(&row("  |--Hash Match", 2, 1, Some(("Hash Match", "Inner Join")), Some(12.5)));
        plan.add(&row("       |--Table Scan", 3, 2, Some(("Table Scan", "Table Scan")), Some(1e6)));
        plan.add(&row("       |--Table Scan", 4, 2, Some(("Table Scan", "Table Scan")), Some(0.0)));
        let lines: Vec<String> = plan.lines(50).iter().map(Line::text).collect();
        let expected = [
            "est. rows  operator",
            "           select * from t",
            "   12.500  └─ Hash Match (Inner Join)  OBJECT:([t…",
            "  1000000     ├─ Table Scan  OBJECT:([t])",
            "        0     └─ Table Scan  OBJECT:([t])",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn other_results_are_none() {
        assert!(PlanTable::of(&columns()[1..]).is_none());
    }
}
