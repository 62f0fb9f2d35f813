//! Plans as SQL Server shows them: a tree of operators with its names for them, and the rows of SHOWPLAN.
//!
//! What always holds: an operator is shown only if the run would use it, and what is not known is not said.
//! Knows neither how plans are made nor how they are run.
#![deny(unsafe_code)]

mod access;
pub mod cost;
mod expression;

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use millpond_catalog::ObjectId;
use millpond_catalog::TableDef;
use millpond_engine::account::missing_indexes::MissingUse;
use millpond_engine::account::profile::{Figures, Profile};
use millpond_storage::contract::DbId;
use millpond_storage::instance::Instance;

pub use access::{TableAccess, access_operator, column_name, object_name, table_columns};
pub use cost::{Cost, TableSize};
pub use expression::compare_sign;

/// What a plan's text needs beside the plan.
pub struct Scope {
    /// Names of the variables by slot.
    variables: Vec<String>,
    /// Number of the next computed column.
    next: Cell<u32>,
    /// What ran, where that is to be shown, and the instance whose clock counted it: none where it still runs.
    profile: Option<(Arc<Profile>, Option<Arc<Instance>>)>,
    /// Tables that were shown as read as wholes, where they are wanted.
    scans: Option<RefCell<Vec<ScannedTable>>>,
    /// What operators count by themselves is wanted.
    counting: Cell<bool>,
    /// What plans of the statement keep for plans inside of them, as who shows them knows it.
    kept: RefCell<Vec<Rc<dyn Any>>>,
    /// How large its tables are, where that is known.
    sizes: RefCell<Vec<TableSize>>,
}

/// A table that a plan reads as a whole, and what it asks of its rows: positions of columns.
#[derive(Debug)]
pub struct ScannedTable {
    /// Its database.
    pub database: DbId,
    /// The table.
    pub table: ObjectId,
    /// Columns that are compared with values known before, and with bounds of those.
    pub equality: Vec<usize>,
    /// The same with bounds.
    pub inequality: Vec<usize>,
    /// Columns that are read beside them; none where rows are read in order to be changed.
    pub read: Vec<usize>,
}

impl Scope {
    /// A scope over variables by slot.
    pub fn new(variables: Vec<String>) -> Scope {
        let (next, counting, kept) = (Cell::new(1001), Cell::new(false), RefCell::default());
        Scope { variables, next, profile: None, scans: None, counting, kept, sizes: RefCell::default() }
    }

    /// Remembers what a plan keeps, which plans inside of it read.
    pub fn keep(&self, kept: Rc<dyn Any>) {
        self.kept.borrow_mut().push(kept);
    }

    /// What was kept of a type for which this is true.
    pub fn kept<T: 'static>(&self, is_it: impl Fn(&T) -> bool) -> Option<Rc<T>> {
        self.kept.borrow().iter().filter_map(|kept| Rc::clone(kept).downcast().ok()).find(|kept| is_it(kept))
    }

    /// Notes how large the tables are, of all of its statement.
    pub fn note_sizes(&self, sizes: Vec<TableSize>) {
        *self.sizes.borrow_mut() = sizes;
    }

    /// How large a table is.
    fn size_of(&self, def: &TableDef) -> Option<TableSize> {
        let is_it = |size: &&TableSize| (size.database, size.table) == (def.database, def.id);
        self.sizes.borrow().iter().find(is_it).copied()
    }

    /// With the rows that operators count by themselves, whether they are measured or not.
    pub fn counting(self) -> Scope {
        Scope { counting: Cell::new(true), ..self }
    }

    /// Whether they are wanted of the plan that is shown first.
    pub fn take_counting(&self) -> bool {
        self.counting.take()
    }

    /// One that notes the tables which are read as wholes.
    pub fn noting_scans(self) -> Scope {
        Scope { scans: Some(RefCell::default()), ..self }
    }

    /// Those that were noted.
    pub fn take_scans(&self) -> Vec<ScannedTable> {
        self.scans.as_ref().map(RefCell::take).unwrap_or_default()
    }

    /// With what the operators did.
    pub fn with_profile(self, profile: Arc<Profile>, instance: Arc<Instance>) -> Scope {
        Scope { profile: Some((profile, Some(instance))), ..self }
    }

    /// With what the operators of another session's statement have done so far: nothing is made for that.
    pub fn while_it_runs(self, profile: Arc<Profile>) -> Scope {
        Scope { profile: Some((profile, None)), ..self }
    }

    /// What ran, where that is to be shown; without an instance while it runs.
    pub fn profiled(&self) -> Option<(&Arc<Profile>, Option<&Arc<Instance>>)> {
        self.profile.as_ref().map(|(profile, instance)| (profile, instance.as_ref()))
    }

    /// A name for a computed column: `[Expr1001]`.
    pub fn computed(&self) -> String {
        format!("[Expr{}]", self.number())
    }

    /// A name for where a row is: `[Bmk1001]`.
    pub fn bookmark(&self) -> String {
        format!("[Bmk{}]", self.number())
    }

    fn number(&self) -> u32 {
        let number = self.next.get();
        self.next.set(number + 1);
        number
    }
}

/// An operator.
#[derive(Clone, Debug)]
pub struct Operator {
    /// PhysicalOp.
    pub physical: String,
    /// LogicalOp.
    pub logical: String,
    /// What stands in its parentheses after the logical operator.
    pub argument: String,
    /// Columns that it makes.
    pub defined: Vec<String>,
    /// Columns that it gives.
    pub output: Vec<String>,
    /// Bytes of these, of one that reads a table.
    pub output_bytes: Vec<u32>,
    /// How large the table is that it reads, where that is known.
    pub size: Option<TableSize>,
    /// Inputs, the outer one first.
    pub inputs: Vec<Operator>,
    /// About how many rows it gives, where that is known.
    pub expected: Option<f64>,
    /// What it did, where that is shown and known.
    pub figures: Option<Figures>,
    /// Indexes that the plan below it misses.
    pub missing: Vec<Arc<MissingUse>>,
}

impl Operator {
    /// An operator that is called the same physically and logically.
    pub fn new(physical: &str) -> Operator {
        Operator {
            physical: physical.to_owned(),
            logical: physical.to_owned(),
            argument: String::new(),
            defined: Vec::new(),
            output: Vec::new(),
            output_bytes: Vec::new(),
            size: None,
            inputs: Vec::new(),
            expected: None,
            figures: None,
            missing: Vec::new(),
        }
    }

    /// The same with this LogicalOp.
    pub fn logical(mut self, logical: &str) -> Operator {
        logical.clone_into(&mut self.logical);
        self
    }

    /// The same with this Argument.
    pub fn argument(mut self, argument: impl Into<String>) -> Operator {
        self.argument = argument.into();
        self
    }

    /// The same with these DefinedValues.
    pub fn defined(mut self, defined: Vec<String>) -> Operator {
        self.defined = defined;
        self
    }

    /// The same with this OutputList.
    pub fn output(mut self, output: Vec<String>) -> Operator {
        self.output = output;
        self
    }

    /// Of which so many rows are expected; an operator that is none of its own in the plan's text says it of the one below it.
    /// What it hands on has as many. Of rows that an index leads to, the index gives as many, and each is looked up.
    pub fn expecting(mut self, rows: Option<f64>) -> Operator {
        self.expect(rows);
        self
    }

    fn expect(&mut self, rows: Option<f64>) {
        self.expected = rows.or(self.expected);
        let hands_on = self.hands_on();
        match &mut self.inputs[..] {
            [input] if hands_on && input.expected_rows().is_none() => input.expect(rows),
            [index, row] if row.argument.contains(access::LOOKUP) && index.expected.is_none() => {
                (index.expected, row.expected) = (rows, Some(1.0));
            }
            _ => {}
        }
    }

    /// What it did; an operator that is none of its own in the plan's text adds to the one below it.
    pub fn measured(mut self, figures: Option<Figures>) -> Operator {
        self.figures = match (self.figures, figures) {
            (Some(below), Some(above)) => Some(below.under(above)),
            (below, above) => below.or(above),
        };
        self
    }

    /// Adds an input; an operator without columns of its own gives the input's.
    pub fn over(mut self, input: Operator) -> Operator {
        if self.output.is_empty() {
            self.output.clone_from(&input.output);
        }
        self.inputs.push(input);
        self
    }

    /// `Compute Scalar` over an input, where anything is computed.
    pub fn compute(input: Operator, computed: &[(String, String)], output: Vec<String>) -> Operator {
        if computed.is_empty() {
            return Operator { output, ..input };
        }
        let defined: Vec<String> = computed.iter().map(|(name, text)| format!("{name}={text}")).collect();
        Operator::new("Compute Scalar")
            .argument(format!("DEFINE:({})", defined.join(", ")))
            .defined(defined)
            .output(output)
            .over(input)
    }

    /// A nested loops join; `references` are the outer side's columns that the inner one reads.
    pub fn nested_loops(logical: &str, references: &[String], condition: &str, sides: [Operator; 2]) -> Operator {
        let mut arguments = Vec::new();
        if !references.is_empty() {
            arguments.push(format!("OUTER REFERENCES:({})", references.join(", ")));
        }
        if !condition.is_empty() {
            arguments.push(format!("WHERE:({condition})"));
        }
        let [outer, inner] = sides;
        let output = outer.output.iter().chain(&inner.output).cloned().collect();
        Operator::new("Nested Loops")
            .logical(logical)
            .argument(arguments.join(", "))
            .output(output)
            .over(outer)
            .over(inner)
    }

    /// As it stands in the tree: `Nested Loops(Inner Join, OUTER REFERENCES:(…))`.
    pub fn text(&self) -> String {
        let names_logical =
            matches!(self.physical.as_str(), "Nested Loops" | "Hash Match" | "Merge Join" | "Parallelism")
                || self.physical == "Sort" && self.logical != "Sort";
        let logical = if names_logical { self.logical.as_str() } else { "" };
        match (logical, self.argument.as_str()) {
            ("", "") => self.physical.clone(),
            ("", argument) => format!("{}({argument})", self.physical),
            (logical, "") => format!("{}({logical})", self.physical),
            (logical, argument) => format!("{}({logical}, {argument})", self.physical),
        }
    }

    /// The operators below and with this one as rows, the one that is read first, with their places in the tree.
    /// `node` is the number of this one, `parent` that of what it stands below.
    pub fn rows(&self, node: u32, parent: u32) -> Vec<PlanRow<'_>> {
        let mut rows = Vec::new();
        self.add_rows("  ", true, parent, node, &mut rows);
        for (row, cost) in rows.iter_mut().zip(self.costs().unwrap_or_default()) {
            row.cost = Some(cost);
        }
        rows
    }

    fn add_rows<'o>(&'o self, indent: &str, is_last: bool, parent: u32, first: u32, rows: &mut Vec<PlanRow<'o>>) {
        let node = first + rows.len() as u32;
        rows.push(PlanRow { text: format!("{indent}|--{}", self.text()), node, parent, operator: self, cost: None });
        let below = format!("{indent}{}", if is_last { "     " } else { "|    " });
        let count = self.inputs.len();
        for (index, input) in self.inputs.iter().enumerate() {
            input.add_rows(&below, index + 1 == count, node, first, rows);
        }
    }
}

/// A line of the tree.
pub struct PlanRow<'o> {
    /// StmtText.
    pub text: String,
    /// NodeId
    pub node: u32,
    /// NodeId of the operator that reads it.
    pub parent: u32,
    /// The operator of the line.
    pub operator: &'o Operator,
    /// What it is expected to cost, where that is known.
    pub cost: Option<Cost>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_drawn_with_a_line_to_each_next_sibling() {
        let scan = || Operator::new("Constant Scan");
        let inner = Operator::new("Sort").argument("ORDER BY:([a] ASC)").over(scan());
        let join = Operator::nested_loops("Inner Join", &["[a]".to_owned()], "", [inner, scan()]);
        let rows = Operator::new("Top").over(join);
        let lines: Vec<String> = rows.rows(2, 1).into_iter().map(|row| row.text).collect();
        assert_eq!(
            lines,
            [
                "  |--Top",
                "       |--Nested Loops(Inner Join, OUTER REFERENCES:([a]))",
                "            |--Sort(ORDER BY:([a] ASC))",
                "            |    |--Constant Scan",
                "            |--Constant Scan",
            ]
        );
        let places: Vec<(u32, u32)> = rows.rows(2, 1).into_iter().map(|row| (row.node, row.parent)).collect();
        assert_eq!(places, [(2, 1), (3, 2), (4, 3), (5, 4), (6, 3)]);
    }
}
