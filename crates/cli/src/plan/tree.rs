//! Plans as lines: figures first, so that they stand in columns however deep the tree is.
//!
//! ```text
//!       rows  expected     time  share  memory  spilled  operator
//!          1         1     0 ms    0 %                   Stream Aggregate (Aggregate)
//!     20,000    20,000    12 ms   97 %                   └─ Table Scan  [shop].[dbo].[orders]        ◀ longest
//! ```
//! What always holds: a column stands there only where a row has something for it; texts of a server are made harmless.

use std::collections::HashSet;
use std::fmt::Write as _;

use millpond_page::plan_tree::{Operator, Plan, ShareOf, Statement};
use millpond_top::harmless::harmless;
use millpond_top::units::{mb_of_kb, percent, time_ms, whole};

/// Signs of a statement's text, and of an operator's object and condition, that are shown.
const TEXT_MAX: usize = 160;
/// Where rows are so many times what was expected, or so many times fewer, that is marked.
const FAR_OFF: f64 = 10.0;

/// All statements.
pub fn text(plan: &Plan) -> String {
    plan.statements.iter().map(statement).collect::<Vec<String>>().join("\n")
}

/// A column: its name, and what an operator has for it.
type Column = (&'static str, Vec<String>);

fn statement(statement: &Statement) -> String {
    let mut out = format!("{}\n", cut(&statement.text));
    let mb = |kb: Option<f64>| kb.filter(|kb| *kb > 0.0).map(|kb| format!("{} MB", mb_of_kb(kb as i64)));
    let facts = [
        ("cost", statement.cost.filter(|cost| *cost > 0.0).map(|cost| format!("{cost:.4}"))),
        ("elapsed", statement.elapsed_ms.map(|ms| time_ms(ms as i64))),
        ("cpu", statement.cpu_ms.map(|ms| time_ms(ms as i64))),
        ("granted", mb(statement.granted_kb)),
        ("used", mb(statement.used_kb)),
    ];
    let facts: Vec<String> =
        facts.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
    if !facts.is_empty() {
        out += &format!("-- {}\n", facts.join(", "));
    }
    if statement.operators.is_empty() {
        return out;
    }
    let (shares, of) = statement.shares();
    let columns = columns(statement, &shares, of);
    let widths: Vec<usize> =
        columns.iter().map(|(name, cells)| cells.iter().map(String::len).max().unwrap_or(0).max(name.len())).collect();
    for ((name, _), width) in columns.iter().zip(&widths) {
        let _ = write!(out, "{name:>width$}  ");
    }
    out += "operator\n";
    let marks = marks(statement, &shares, of);
    for (at, line) in lines(&statement.operators).into_iter().enumerate() {
        for ((_, cells), width) in columns.iter().zip(&widths) {
            let _ = write!(out, "{:>width$}  ", cells[at]);
        }
        let _ = writeln!(out, "{line}{}", marks[at]);
    }
    out
}

/// Rows that are expected: 0 is not known, as no plan expects none.
fn expected(rows: f64) -> String {
    match rows {
        0.0 => "-".to_owned(),
        rows if rows < 1e15 => whole(rows.round() as i64),
        rows => format!("{rows:.1e}"),
    }
}

fn columns(statement: &Statement, shares: &[f64], of: ShareOf) -> Vec<Column> {
    let each = |cell: &dyn Fn(&Operator) -> Option<String>| -> Vec<String> {
        statement.operators.iter().map(|operator| cell(operator).unwrap_or_default()).collect()
    };
    // Less than a tenth is nothing to see.
    let mb = |kb: Option<f64>| kb.filter(|kb| *kb >= 52.0).map(|kb| mb_of_kb(kb as i64));
    let all = [
        ("rows", each(&|it| it.rows.map(|rows| whole(rows as i64)))),
        ("expected", each(&|it| Some(expected(it.estimated_rows)))),
        ("time", each(&|it| it.own_ms.map(|ms| time_ms(ms as i64)))),
        (if of == ShareOf::Time { "share" } else { "cost" }, shares.iter().copied().map(percent).collect()),
        ("memory MB", each(&|it| mb(it.memory_kb))),
        ("spilled MB", each(&|it| mb(it.spilled_kb))),
    ];
    all.into_iter().filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect()
}

/// What is said after an operator.
fn marks(statement: &Statement, shares: &[f64], of: ShareOf) -> Vec<String> {
    let most = shares.iter().copied().fold(0.0, f64::max);
    let longest = shares.iter().position(|share| most > 0.0 && *share >= most);
    let word = if of == ShareOf::Time { "longest" } else { "costliest" };
    let mark = |(at, operator): (usize, &Operator)| {
        let mut said = Vec::new();
        if longest == Some(at) {
            said.push(word.to_owned());
        }
        if let Some(rows) = operator.rows.filter(|_| operator.estimated_rows > 0.0) {
            // Of an operator that runs often rows are expected of each time.
            let expected = operator.estimated_rows * operator.executions.unwrap_or(1.0).max(1.0);
            let off = (rows / expected).max(expected / rows.max(1.0));
            if off >= FAR_OFF {
                said.push(format!("{} as many rows as expected", ratio(rows / expected)));
            }
        }
        said.extend(operator.warnings.iter().map(|warning| harmless(warning)));
        if said.is_empty() { String::new() } else { format!("  ◀ {}", said.join(", ")) }
    };
    statement.operators.iter().enumerate().map(mark).collect()
}

fn ratio(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{} ×", whole(ratio.round() as i64)) } else { format!("{ratio:.3} ×") }
}

/// Operators with the lines of the tree before them.
fn lines(operators: &[Operator]) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut is_last: Vec<bool> = operators.iter().rev().map(|operator| seen.insert(operator.parent)).collect();
    is_last.reverse();
    let line = |at: usize| {
        let mut before = String::new();
        let mut up = operators[at].parent;
        while let Some(above) = up {
            if operators[above].parent.is_some() {
                before.insert_str(0, if is_last[above] { "   " } else { "│  " });
            }
            up = operators[above].parent;
        }
        let branch = match (operators[at].parent, is_last[at]) {
            (None, _) => "",
            (Some(_), true) => "└─ ",
            (Some(_), false) => "├─ ",
        };
        let operator = &operators[at];
        let logical = if operator.logical.is_empty() || operator.logical == operator.physical {
            String::new()
        } else {
            format!(" ({})", harmless(&operator.logical))
        };
        let more: Vec<String> = [&operator.object, &operator.predicate]
            .into_iter()
            .filter(|text| !text.is_empty())
            .map(|text| cut(text))
            .collect();
        let more = if more.is_empty() { String::new() } else { format!("  {}", more.join("  ")) };
        format!("{before}{branch}{}{logical}{more}", harmless(&operator.physical))
    };
    (0..operators.len()).map(line).collect()
}

/// A text on one line, not too long.
fn cut(text: &str) -> String {
    let one_line = harmless(&text.split_whitespace().collect::<Vec<&str>>().join(" "));
    if one_line.chars().count() <= TEXT_MAX {
        return one_line;
    }
    format!("{}…", one_line.chars().take(TEXT_MAX - 1).collect::<String>())
}

#[cfg(test)]
mod tests {
    use millpond_page::plan_tree::parse;

    use super::*;

    #[test]
    fn figures_stand_in_columns_beside_the_tree() {
        let counters =
            |rows: u32, ms: u32| format!("<RunTimeCountersPerThread ActualRows='{rows}' ActualElapsedms='{ms}'/>");
        let scan = |node: u32, table: &str, ms: u32| {
            format!(
                "<RelOp NodeId='{node}' PhysicalOp='Table Scan' LogicalOp='Table Scan' EstimateRows='10'>{}\
                 <TableScan><Object Table='{table}'/></TableScan></RelOp>",
                counters(20_000, ms)
            )
        };
        let xml = format!(
            "<StmtSimple StatementText='select&#10; 1' StatementType='SELECT'><RelOp NodeId='0' PhysicalOp='Hash Match' \
             LogicalOp='Inner Join' EstimateRows='7'>{}{}{}</RelOp></StmtSimple>",
            counters(7, 50),
            scan(1, "[a]", 30),
            scan(2, "[b\u{1b}]", 5)
        );
        let shown = text(&parse(&xml).expect("a plan"));
        assert_eq!(
            shown,
            "select 1\n  rows  expected   time  share  operator\n     7         7  15 ms   30 %  Hash Match (Inner Join)\n\
             20,000        10  30 ms   60 %  ├─ Table Scan  [a]  ◀ longest, 2,000 × as many rows as expected\n\
             20,000        10   5 ms   10 %  └─ Table Scan  [b·]  ◀ 2,000 × as many rows as expected\n"
        );
    }
}
