//! The indexes that a plan misses, as elements.

use std::sync::Arc;

use millpond_engine::account::missing_indexes::{ColumnUsage, MissingIndex, MissingUse};
use millpond_showplan::Operator;
use millpond_tsql::print::bracketed;

use crate::showplan_xml::write::Xml;

/// Those of a plan, unless there are none.
pub(super) fn groups(xml: &mut Xml, plan: &Operator) {
    let mut found = Vec::new();
    add(plan, &mut found);
    if found.is_empty() {
        return;
    }
    xml.open("MissingIndexes", &[]);
    for (missed, index) in &found {
        // With so many digits as SQL Server says it.
        xml.open("MissingIndexGroup", &[("Impact", &format!("{:.4}", missed.impact()))]);
        let [database, schema, table] = [0, 1, 2].map(|at| bracketed(&index.names[at]));
        xml.open("MissingIndex", &[("Database", &database), ("Schema", &schema), ("Table", &table)]);
        for usage in [ColumnUsage::Equality, ColumnUsage::Inequality, ColumnUsage::Include] {
            columns(xml, index, usage);
        }
        xml.close("MissingIndex");
        xml.close("MissingIndexGroup");
    }
    xml.close("MissingIndexes");
}

fn add(operator: &Operator, found: &mut Vec<(Arc<MissingUse>, Arc<MissingIndex>)>) {
    for missed in &operator.missing {
        found.extend(missed.index.upgrade().map(|index| (Arc::clone(missed), index)));
    }
    operator.inputs.iter().for_each(|input| add(input, found));
}

fn columns(xml: &mut Xml, index: &MissingIndex, usage: ColumnUsage) {
    let mut its = index.columns.iter().filter(|(of, ..)| *of == usage).peekable();
    if its.peek().is_none() {
        return;
    }
    xml.open("ColumnGroup", &[("Usage", usage.name())]);
    for (_, id, name) in its {
        xml.empty("Column", &[("Name", &bracketed(name)), ("ColumnId", &id.to_string())]);
    }
    xml.close("ColumnGroup");
}
