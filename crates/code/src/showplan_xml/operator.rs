//! Operators as `RelOp` elements, each with the element that the schema has for it.
//!
//! ```text
//!   Operator: names, argument, columns ──▶ RelOp: OutputList, warnings, figures, then one element with its inputs inside
//! ```
//! What always holds: names of operators are those that the schema lists, and an operator has as many inputs as it asks for; what it
//! has no name for is `Generic` and has its own name inside. Estimates that are not known are 0, because an attribute must be there.

use millpond_engine::account::profile::Figures;
use millpond_showplan::{Cost, Operator};
use millpond_storage::contract::PAGE_BYTES;

use crate::showplan_xml::argument::{Argument, cut, items, leading_name, name};
use crate::showplan_xml::scalar::{column, columns, compared, list, scalar, within};
use crate::showplan_xml::write::{Attributes, Xml, bit, number};

/// The name of what the schema does not know.
const GENERIC: &str = "Generic";

/// Names that are the same physically and logically, and their elements.
const SAME: [(&str, &str); 20] = [
    ("Clustered Index Scan", "IndexScan"),
    ("Clustered Index Seek", "IndexScan"),
    ("Index Scan", "IndexScan"),
    ("Index Seek", "IndexScan"),
    ("RID Lookup", "IndexScan"),
    ("Table Scan", "TableScan"),
    ("Constant Scan", "ConstantScan"),
    ("Compute Scalar", "ComputeScalar"),
    ("Filter", "Filter"),
    ("Top", "Top"),
    ("Sort", "Sort"),
    ("Concatenation", "Concat"),
    ("Table-valued function", "TableValuedFunction"),
    ("UDX", "Extension"),
    ("Window Aggregate", "WindowAggregate"),
    ("Table Spool", "Spool"),
    ("Index Spool", "Spool"),
    ("Parallelism", "Parallelism"),
    ("Bitmap", "Bitmap"),
    ("Nested Loops", "NestedLoops"),
];

/// Logical operators of those that have several.
const LOGICAL: [&str; 16] = [
    "Inner Join",
    "Left Outer Join",
    "Right Outer Join",
    "Full Outer Join",
    "Left Semi Join",
    "Left Anti Semi Join",
    "Right Semi Join",
    "Right Anti Semi Join",
    "Aggregate",
    "Partial Aggregate",
    "TopN Sort",
    "Distribute Streams",
    "Repartition Streams",
    "Gather Streams",
    "Bitmap Create",
    EAGER_SPOOL,
];

/// A spool that has all its rows before it gives the first.
const EAGER_SPOOL: &str = "Eager Spool";

/// Changes of tables: the verbs that stand after `Table` and `Clustered Index`.
const VERBS: [&str; 4] = ["Insert", "Update", "Delete", "Merge"];

/// An operator by the schema's names for it.
struct Named<'a> {
    physical: &'a str,
    logical: &'a str,
    element: &'static str,
}

impl Named<'_> {
    fn of(operator: &Operator) -> Named<'_> {
        let (physical, logical) = (operator.physical.as_str(), operator.logical.as_str());
        let count = operator.inputs.len();
        let generic = Named { physical: GENERIC, logical: GENERIC, element: GENERIC };
        let mut words = physical.rsplitn(2, ' ');
        if let (Some(verb), Some("Table" | "Clustered Index")) = (words.next(), words.next())
            && VERBS.contains(&verb)
        {
            let element = match (count, verb) {
                (0, "Insert") => "ScalarInsert",
                (0, _) => "SimpleUpdate",
                (1, _) => "Update",
                _ => return generic,
            };
            return Named { physical, logical, element };
        }
        let element = match physical {
            "Hash Match" => "Hash",
            "Stream Aggregate" => "StreamAggregate",
            _ => match SAME.iter().find(|(name, _)| *name == physical) {
                Some((_, element)) => *element,
                None => return generic,
            },
        };
        let (logical, element) = match element {
            "Spool" if logical != EAGER_SPOOL => ("Lazy Spool", element),
            "Sort" if logical == "TopN Sort" => (logical, "TopSort"),
            // One input after another where the first had no rows.
            "Concat" if logical != physical || count < 2 => (physical, GENERIC),
            _ => (logical, element),
        };
        let is_listed = logical == physical || logical == "Lazy Spool" || LOGICAL.contains(&logical);
        let has_inputs = match element {
            "IndexScan" | "TableScan" | "ConstantScan" => count == 0,
            "TableValuedFunction" | "Extension" | "WindowAggregate" | "Spool" => count <= 1,
            "Hash" => count == 1 || count == 2,
            "NestedLoops" => count == 2,
            "Concat" | GENERIC => true,
            _ => count == 1,
        };
        if is_listed && has_inputs { Named { physical, logical, element } } else { generic }
    }
}

/// The tree as it is written.
pub(super) struct Tree<'c> {
    /// Node of the next operator.
    next: u32,
    /// The operators run in several threads.
    is_parallel: bool,
    /// What each node costs; nothing where that is not known.
    costs: &'c [Cost],
}

impl<'c> Tree<'c> {
    /// A tree whose first operator is node 0 and costs the first of `costs`.
    pub(super) fn new(costs: &'c [Cost]) -> Tree<'c> {
        Tree { next: 0, is_parallel: false, costs }
    }

    /// An operator with those below it; `rows` are expected of it.
    pub(super) fn operator(&mut self, xml: &mut Xml, operator: &Operator, rows: f64) {
        let named = Named::of(operator);
        let node = self.next;
        self.next += 1;
        let outside = self.is_parallel;
        let is_gathering = named.logical == "Gather Streams";
        let is_parallel = outside || is_gathering || operator.figures.is_some_and(|own| own.is_parallel);
        let mut attributes = Attributes::default();
        attributes.add("NodeId", node.to_string());
        attributes.add("PhysicalOp", named.physical);
        attributes.add("LogicalOp", named.logical);
        let cost = self.costs.get(node as usize).copied().unwrap_or_default();
        attributes.add("EstimateRows", number(rows));
        attributes.add("EstimateIO", number(cost.io));
        attributes.add("EstimateCPU", number(cost.cpu));
        attributes.add("AvgRowSize", cost.row_bytes.to_string());
        attributes.add("EstimatedTotalSubtreeCost", number(cost.subtree));
        attributes.add("Parallel", bit(is_parallel));
        attributes.add("EstimateRebinds", "0");
        attributes.add("EstimateRewinds", "0");
        attributes.add("EstimatedExecutionMode", "Row");
        xml.open("RelOp", &attributes.all());
        columns(xml, "OutputList", operator.output.iter().map(String::as_str));
        warnings(xml, &named, operator.figures.as_ref());
        runtime(xml, operator);
        self.is_parallel = is_gathering || outside && named.logical != "Distribute Streams";
        self.element(xml, &named, operator, rows);
        self.is_parallel = outside;
        xml.close("RelOp");
    }

    fn inputs(&mut self, xml: &mut Xml, operator: &Operator, rows: f64) {
        for input in &operator.inputs {
            self.operator(xml, input, rows_below(operator, rows, input));
        }
    }

    fn element(&mut self, xml: &mut Xml, named: &Named<'_>, operator: &Operator, rows: f64) {
        let argument = Argument::of(&operator.argument);
        let own = own_attributes(named, operator, &argument);
        xml.open(named.element, &own.all());
        defined(xml, operator);
        match named.element {
            "IndexScan" | "TableScan" => scan(xml, named, &argument),
            "ConstantScan" => constants(xml, &argument),
            "NestedLoops" => {
                optional(xml, "Predicate", argument.part("WHERE"));
                optional_columns(xml, "OuterReferences", argument.part("OUTER REFERENCES"));
            }
            "Hash" => {
                optional_columns(xml, "HashKeysBuild", argument.part("HASH"));
                optional_columns(xml, "HashKeysProbe", argument.part("="));
                optional(xml, "ProbeResidual", argument.part("RESIDUAL"));
            }
            "Bitmap" => optional_columns(xml, "HashKeys", argument.part("HASH")),
            "Sort" | "TopSort" => order_by(xml, argument.part("ORDER BY").unwrap_or_default()),
            "Top" => {
                optional_columns(xml, "TieColumns", argument.part("TIE COLUMNS"));
                optional(xml, "OffsetExpression", argument.part("OFFSET EXPRESSION"));
                optional(xml, "TopExpression", argument.part("TOP EXPRESSION"));
            }
            "Parallelism" => {
                optional_columns(xml, "PartitionColumns", argument.part("PARTITION COLUMNS"));
                if let Some(keys) = argument.part("ORDER BY") {
                    order_by(xml, keys);
                }
            }
            "TableValuedFunction" => {
                if let Some(text) = argument.part("OBJECT") {
                    object(xml, text, None);
                }
            }
            "ScalarInsert" | "SimpleUpdate" | "Update" => change(xml, named, &argument),
            "Generic" if named.physical == GENERIC => {
                xml.empty("InternalInfo", &[("Name", &operator.physical), ("Argument", &operator.argument)]);
            }
            _ => {}
        }
        self.inputs(xml, operator, rows);
        // It alone has what it asks for after its input.
        if named.element == "Filter" {
            within(xml, "Predicate", condition(&argument).0);
        }
        xml.close(named.element);
    }
}

/// About how many rows an input of an operator gives that gives so many; 0 where that is not known.
pub(crate) fn rows_below(operator: &Operator, rows: f64, input: &Operator) -> f64 {
    // What hands every row on has as many as its input.
    if operator.hands_on() && rows > 0.0 { rows } else { input.expected_rows().unwrap_or(0.0) }
}

/// The condition of a filter, and whether it is asked once, before its input begins.
fn condition<'a>(argument: &Argument<'a>) -> (&'a str, bool) {
    let text = argument.part("WHERE").unwrap_or_default();
    match text.strip_prefix("STARTUP EXPR(").and_then(|text| text.strip_suffix(')')) {
        Some(text) => (text, true),
        None => (text, false),
    }
}

/// The attributes of an operator's own element.
fn own_attributes(named: &Named<'_>, operator: &Operator, argument: &Argument<'_>) -> Attributes {
    let mut own = Attributes::default();
    match named.element {
        "IndexScan" => {
            let is_lookup = named.physical == "RID Lookup" || argument.has("LOOKUP");
            if is_lookup {
                own.add("Lookup", bit(true));
            }
            own.add("Ordered", bit(argument.has("ORDERED")));
            if argument.has("ORDERED") {
                own.add("ScanDirection", if argument.has("BACKWARD") { "BACKWARD" } else { "FORWARD" });
            }
            own.add("Storage", "RowStore");
        }
        "TableScan" => {
            own.add("Ordered", bit(false));
            own.add("Storage", "RowStore");
        }
        "NestedLoops" => own.add("Optimized", bit(false)),
        "Sort" | "TopSort" => {
            own.add("Distinct", bit(false));
            if named.element == "TopSort" {
                let rows = argument.words.trim_start_matches("TOP").trim();
                own.add("Rows", rows.parse::<i32>().unwrap_or(i32::MAX).to_string());
            }
        }
        "Filter" => own.add("StartupExpression", bit(condition(argument).1)),
        "Top" => {
            own.add("RowCount", bit(false));
            own.add("IsPercent", bit(argument.has("PERCENT")));
            own.add("WithTies", bit(argument.part("TIE COLUMNS").is_some()));
        }
        "Parallelism" if named.logical != "Gather Streams" => {
            let kind = if argument.part("PARTITION COLUMNS").is_some() { "Hash" } else { "RoundRobin" };
            own.add("PartitioningType", kind);
        }
        "Spool" => own.add("Stack", bit(named.logical != EAGER_SPOOL)),
        "Extension" => own.add("UDXName", operator.argument.as_str()),
        _ => {}
    }
    own
}

/// `[Expr1001]=(1)`, or the columns that come from elsewhere.
fn defined(xml: &mut Xml, operator: &Operator) {
    if operator.defined.is_empty() {
        return;
    }
    xml.open("DefinedValues", &[]);
    for text in &operator.defined {
        xml.open("DefinedValue", &[]);
        let value = leading_name(text).and_then(|(_, rest)| rest.strip_prefix('='));
        match value {
            Some(value) => {
                column(xml, &text[..text.len() - value.len() - 1]);
                scalar(xml, value);
            }
            None => column(xml, text),
        }
        xml.close("DefinedValue");
    }
    xml.close("DefinedValues");
}

fn optional(xml: &mut Xml, element: &str, text: Option<&str>) {
    if let Some(text) = text {
        within(xml, element, text);
    }
}

fn optional_columns(xml: &mut Xml, element: &str, text: Option<&str>) {
    if let Some(text) = text {
        columns(xml, element, items(text));
    }
}

/// `[a] ASC, [b] DESC`
fn order_by(xml: &mut Xml, text: &str) {
    xml.open("OrderBy", &[]);
    for key in items(text) {
        let (key, direction) = key.rsplit_once(' ').unwrap_or((key, "ASC"));
        xml.around("OrderByColumn", &[("Ascending", bit(direction != "DESC"))], |xml| column(xml, key));
    }
    xml.close("OrderBy");
}

/// A table, or an index of one: `[db].[schema].[table].[index]`, `@t.[index]`.
fn object(xml: &mut Xml, text: &str, kind: Option<&str>) {
    let parts = name(text).unwrap_or_else(|| vec![text.to_owned()]);
    let names: &[&str] = match (parts.len(), parts[0].starts_with('@')) {
        (_, true) => &["Table", "Index"],
        (1, _) => &["Table"],
        (2, _) => &["Schema", "Table"],
        (3, _) => &["Database", "Schema", "Table"],
        _ => &["Database", "Schema", "Table", "Index"],
    };
    let shown: Vec<String> = parts.iter().map(|part| format!("[{}]", part.replace(']', "]]"))).collect();
    let mut attributes: Vec<(&str, &str)> = names.iter().copied().zip(shown.iter().map(String::as_str)).collect();
    if let Some(kind) = kind {
        attributes.extend([("IndexKind", kind), ("Storage", "RowStore")]);
    }
    xml.empty("Object", &attributes);
}

/// What an operator of this name reads.
fn index_kind(physical: &str) -> &'static str {
    match physical {
        name if name.starts_with("Clustered") => "Clustered",
        name if name.starts_with("Index") => "NonClustered",
        _ => "Heap",
    }
}

fn scan(xml: &mut Xml, named: &Named<'_>, argument: &Argument<'_>) {
    object(xml, argument.part("OBJECT").unwrap_or_default(), Some(index_kind(named.physical)));
    if let Some(seek) = argument.part("SEEK").filter(|_| named.element == "IndexScan") {
        seeks(xml, seek);
    }
    optional(xml, "Predicate", argument.part("WHERE"));
}

/// `[a]=(1) AND [b] > (2) OR …`
fn seeks(xml: &mut Xml, text: &str) {
    xml.open("SeekPredicates", &[]);
    for range in cut(text, " OR ") {
        xml.open("SeekPredicateNew", &[]);
        xml.open("SeekKeys", &[]);
        let bounds: Vec<(&str, &str, &str)> = cut(range, " AND ").into_iter().filter_map(compared).collect();
        let of = |wanted: &[&str]| -> Vec<(&str, &str, &str)> {
            bounds.iter().copied().filter(|(_, op, _)| wanted.contains(op)).collect()
        };
        for (element, bounds) in
            [("Prefix", of(&["EQ"])), ("StartRange", of(&["GT", "GE"])), ("EndRange", of(&["LT", "LE"]))]
        {
            let Some((_, op, _)) = bounds.first() else { continue };
            xml.open(element, &[("ScanType", op)]);
            columns(xml, "RangeColumns", bounds.iter().map(|(column, ..)| *column));
            list(xml, "RangeExpressions", &bounds.iter().map(|(.., value)| *value).collect::<Vec<&str>>());
            xml.close(element);
        }
        xml.close("SeekKeys");
        xml.close("SeekPredicateNew");
    }
    xml.close("SeekPredicates");
}

/// `VALUES:(((1), (2)),((3), (4)))`
fn constants(xml: &mut Xml, argument: &Argument<'_>) {
    let Some(rows) = argument.part("VALUES") else { return };
    xml.open("Values", &[]);
    for row in items(rows) {
        let cells = row.strip_prefix('(').and_then(|row| row.strip_suffix(')')).map_or_else(Vec::new, items);
        if !cells.is_empty() {
            list(xml, "Row", &cells);
        }
    }
    xml.close("Values");
}

/// What is changed, and what it is set to.
fn change(xml: &mut Xml, named: &Named<'_>, argument: &Argument<'_>) {
    let mut kind = index_kind(named.physical);
    for text in argument.parts_of("OBJECT") {
        object(xml, text, Some(kind));
        kind = "NonClustered";
    }
    let Some(set) = argument.part("SET").filter(|_| named.logical != "Merge") else { return };
    xml.open("SetPredicate", &[]);
    xml.open("ScalarOperator", &[("ScalarString", set)]);
    xml.open("MultipleAssign", &[]);
    for (to, _, value) in items(set).into_iter().filter_map(compared) {
        xml.open("Assign", &[]);
        column(xml, to);
        scalar(xml, value);
        xml.close("Assign");
    }
    xml.close("MultipleAssign");
    xml.close("ScalarOperator");
    xml.close("SetPredicate");
}

/// What it has spilled.
fn warnings(xml: &mut Xml, named: &Named<'_>, figures: Option<&Figures>) {
    let Some(spilled) = figures.and_then(|own| own.spilled_bytes).filter(|bytes| *bytes > 0) else { return };
    let pages = spilled.div_ceil(PAGE_BYTES as u64).to_string();
    let held = figures.and_then(|own| own.memory_bytes).map(|bytes| bytes.div_ceil(1024).to_string());
    let mut details = Attributes::default();
    if let Some(held) = held {
        details.add("UsedMemoryKb", held);
    }
    details.add("WritesToTempDb", pages);
    xml.open("Warnings", &[]);
    xml.empty("SpillToTempDb", &[]);
    match named.element {
        "Sort" | "TopSort" => xml.empty("SortSpillDetails", &details.all()),
        "Hash" => xml.empty("HashSpillDetails", &details.all()),
        _ => {}
    }
    xml.close("Warnings");
}

/// The figures of an execution. Threads are not counted apart: all of them are thread 0. Times are with those of the inputs, as SQL
/// Server has them of operators over rows.
fn runtime(xml: &mut Xml, operator: &Operator) {
    let Some(figures) = &operator.figures else { return };
    let mut counters = Attributes::default();
    counters.add("Thread", "0");
    counters.add("ActualRows", figures.rows.to_string());
    counters.add("ActualEndOfScans", "0");
    counters.add("ActualExecutions", figures.executions.to_string());
    counters.add("ActualExecutionMode", "Row");
    for (name, pick) in
        [("ActualElapsedms", (|own| own.elapsed_us) as fn(&Figures) -> Option<u64>), ("ActualCPUms", |own| own.cpu_us)]
    {
        if pick(figures).is_some() {
            counters.add(name, (total(operator, pick) / 1000).to_string());
        }
    }
    if let Some(bytes) = figures.memory_bytes {
        counters.add("UsedMemoryGrant", bytes.div_ceil(1024).to_string());
    }
    xml.around("RunTimeInformation", &[], |xml| xml.empty("RunTimeCountersPerThread", &counters.all()));
}

fn total(operator: &Operator, pick: fn(&Figures) -> Option<u64>) -> u64 {
    let own = operator.figures.as_ref().and_then(pick).unwrap_or(0);
    operator.inputs.iter().map(|input| total(input, pick)).fold(own, u64::saturating_add)
}
