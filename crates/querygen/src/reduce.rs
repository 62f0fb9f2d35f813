//! Makes a finding smaller while it stays the same finding, and writes it as a script.

use std::fmt::Write;

use crate::case::{Case, Finding, Rule, Verdict};
use crate::lab::{Lab, Tables};

/// So many smaller cases are tried at most.
const TRIES_MAX: usize = 3000;

/// The smallest case found that shows the same, and what it shows.
pub fn reduce(case: Case, finding: Finding, lab: &mut Lab) -> (Case, Finding) {
    let (mut case, mut finding) = (case, finding);
    case.rule = (*finding.narrow).clone();
    let mut tries = 0;
    'again: while tries < TRIES_MAX {
        for smaller in case.smaller() {
            tries += 1;
            lab.set_schema(&smaller.schema);
            if let Verdict::Found(shown) = smaller.check(lab)
                && shown.class == finding.class
            {
                (case, finding) = (smaller, *shown);
                continue 'again;
            }
            if tries >= TRIES_MAX {
                break;
            }
        }
        break;
    }
    (case, finding)
}

impl Case {
    fn smaller(&self) -> Vec<Case> {
        let mut found = Vec::new();
        for schema in self.schema.smaller() {
            found.push(Case { schema, ..self.clone() });
        }
        for (at, part) in self.parts.iter().enumerate() {
            for new in part.smaller() {
                let mut case = self.clone();
                case.parts[at] = new;
                found.push(case);
            }
        }
        if let Rule::Changed(change) = &self.rule
            && change.in_procedure
        {
            let mut change = change.clone();
            change.in_procedure = false;
            found.push(Case { rule: Rule::Changed(change), ..self.clone() });
        }
        found
    }

    /// A script that shows the finding: tables, then each statement with what was said.
    #[must_use]
    pub fn script(&self, finding: &Finding, origin: &str) -> String {
        let mut out = format!("-- {}\n-- {origin}\n", finding.class);
        let mut kinds = vec![Tables::Usual];
        let tables = match &self.rule {
            Rule::Roads(Some(road)) => road.tables(),
            Rule::Roads(None) => Tables::Usual,
            _ => self.tables,
        };
        if tables != Tables::Usual && tables != Tables::Variables {
            kinds.push(tables);
        }
        if !matches!(self.rule, Rule::Roads(_)) {
            kinds.retain(|kind| *kind == tables);
        }
        for kind in kinds {
            for batch in self.schema.script(kind) {
                let _ = writeln!(out, "{batch}\ngo");
            }
        }
        let mut last = None;
        for (settings, batch, said) in &finding.steps {
            if last != Some(*settings) {
                let _ = writeln!(out, "{}\ngo", settings.words());
                last = Some(*settings);
            }
            let _ = writeln!(out, "{batch}\ngo\n--> {}", said.replace('\n', "\n--> "));
        }
        out
    }
}
