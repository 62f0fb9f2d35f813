//! `millpond lab compare A B`: two results of an experiment, figure by figure.
//!
//! ```text
//!   A, B: NAME.result.json, or directories with some ─▶ cases and figures that both have ─▶ medians, ratio B : A, U, p
//! ```
//!
//! What always holds: only results of one experiment at one scale are compared; what one of them lacks is named, never passed
//! over. A difference is called one at p ≤ 0.05; where so few repetitions cannot have such a p, that is said instead, with
//! whether all values of one lie beyond all of the other.

mod record;
mod table;

use std::path::PathBuf;

use clap::Args;

use crate::failure::LabError;
use crate::report::Format;
use crate::spread::Spread;
use crate::statistics::{least_p, mann_whitney};
use record::{Figures, Record};

/// The p from which on a difference may be chance.
const ALPHA: f64 = 0.05;
/// The case that effects stand under.
const EFFECTS: &str = "(effects)";

/// Two results.
#[derive(Args, Clone, Debug)]
pub(crate) struct CompareArgs {
    /// The result before: NAME.result.json, or a directory of reports
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The result after
    #[arg(value_name = "B")]
    after: PathBuf,
    /// Only what differs, or may
    #[arg(long)]
    differences: bool,
    /// Results as
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// What can be said of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All values are the same.
    Equal,
    /// More than chance, at p ≤ 0.05.
    Differs,
    /// All values of one lie beyond all of the other, but they are too few for a p of 0.05.
    Apart,
    /// The values overlap: nothing was found, which does not mean that there is nothing.
    NotSeen,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::Differs => "differs",
            Verdict::Apart => "apart, too few to tell",
            Verdict::NotSeen => "no difference seen",
        }
    }
}

/// A figure of a case, before and after.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) case: String,
    pub(crate) figure: String,
    pub(crate) before: Spread,
    pub(crate) after: Spread,
    /// Median after by median before; `None` where that is 0.
    pub(crate) ratio: Option<f64>,
    pub(crate) u: f64,
    pub(crate) p: f64,
    pub(crate) verdict: Verdict,
}

/// Two records of one experiment.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) before: Record,
    pub(crate) after: Record,
    pub(crate) rows: Vec<Row>,
    /// What one of them lacks, a sentence each.
    pub(crate) missing: Vec<String>,
}

/// Runs the command: `true`, as a difference is no failure.
pub(crate) fn run(args: &CompareArgs) -> Result<bool, LabError> {
    let read = |path: &PathBuf| record::read(path).map_err(|error| LabError::Arguments(error.to_string()));
    let (all_before, all_after) = (read(&args.before)?, read(&args.after)?);
    let pairs = paired(all_before, all_after).map_err(LabError::Arguments)?;
    let mut compared = Vec::new();
    for (before, after) in pairs {
        compared.push(compare(before, after).map_err(LabError::Arguments)?);
    }
    if args.differences {
        compared
            .iter_mut()
            .for_each(|one| one.rows.retain(|row| matches!(row.verdict, Verdict::Differs | Verdict::Apart)));
    }
    match args.format {
        Format::Table => print!("{}", compared.iter().map(table::text).collect::<Vec<_>>().join("\n")),
        Format::Json => println!("{:#}", table::json(&compared)),
    }
    Ok(true)
}

/// Records of the same experiments. Two files must be of one; of directories those count that both have.
fn paired(before: Vec<Record>, after: Vec<Record>) -> Result<Vec<(Record, Record)>, String> {
    let names = |records: &[Record]| {
        let names: Vec<&str> = records.iter().map(|record| record.experiment.as_str()).collect();
        names.join(", ")
    };
    let said = format!("they are of different experiments: {} and {}", names(&before), names(&after));
    let mut left: Vec<Option<Record>> = after.into_iter().map(Some).collect();
    let mut pairs = Vec::new();
    for record in before {
        let same =
            left.iter_mut().find(|other| other.as_ref().is_some_and(|other| other.experiment == record.experiment));
        if let Some(other) = same.and_then(Option::take) {
            pairs.push((record, other));
        }
    }
    if pairs.is_empty() { Err(said) } else { Ok(pairs) }
}

/// Figure by figure.
fn compare(before: Record, after: Record) -> Result<Compared, String> {
    if before.scale != after.scale {
        let (a, b) = (&before, &after);
        return Err(format!(
            "{} at scale {} and {} at scale {} are no two results of one experiment",
            a.path, a.scale, b.path, b.scale
        ));
    }
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for (case, figures) in &before.cases {
        match after.cases.iter().find(|(name, _)| name == case) {
            Some((_, others)) => compare_figures(case, figures, others, &mut rows, &mut missing),
            None => missing.push(format!("B has no case '{case}'")),
        }
    }
    let is_known = |name: &String| before.cases.iter().any(|(known, _)| known == name);
    missing.extend(
        after.cases.iter().filter(|(name, _)| !is_known(name)).map(|(name, _)| format!("A has no case '{name}'")),
    );
    compare_figures(EFFECTS, &before.effects, &after.effects, &mut rows, &mut missing);
    if rows.is_empty() {
        return Err(format!("{} and {} have no figure in common", before.path, after.path));
    }
    Ok(Compared { before, after, rows, missing })
}

fn compare_figures(case: &str, before: &Figures, after: &Figures, rows: &mut Vec<Row>, missing: &mut Vec<String>) {
    for (figure, a) in before {
        match after.get(figure) {
            Some(b) => rows.extend(row(case, figure, a, b)),
            None => missing.push(format!("B has no '{figure}' of '{case}'")),
        }
    }
    let only = after.keys().filter(|figure| !before.contains_key(*figure));
    missing.extend(only.map(|figure| format!("A has no '{figure}' of '{case}'")));
}

/// `None` where a side has no number.
fn row(case: &str, figure: &str, a: &[f64], b: &[f64]) -> Option<Row> {
    let (before, after) = (Spread::of(a.iter().copied())?, Spread::of(b.iter().copied())?);
    // What is above is asked of the second sample: U counts how often it wins.
    let found = mann_whitney(b, a)?;
    let verdict = match (found.p <= ALPHA, least_p(a.len(), b.len()) > ALPHA) {
        _ if before.is_point() && after.is_point() && before.median == after.median => Verdict::Equal,
        (true, _) => Verdict::Differs,
        (false, true) if before.high < after.low || after.high < before.low => Verdict::Apart,
        (false, _) => Verdict::NotSeen,
    };
    let ratio = (before.median != 0.0).then(|| after.median / before.median);
    Some(Row { case: case.into(), figure: figure.into(), before, after, ratio, u: found.u, p: found.p, verdict })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record of one case with one figure.
    pub(crate) fn record_of(experiment: &str, case: &str, figure: &str, values: &[f64]) -> Record {
        let figures = Figures::from([(figure.to_owned(), values.to_vec())]);
        Record {
            path: format!("{experiment}.result.json"),
            experiment: experiment.into(),
            scale: "quick".into(),
            repetitions: values.len(),
            version: "millpond 0.1.0".into(),
            processor: "one".into(),
            cases: vec![(case.to_owned(), figures)],
            effects: Figures::new(),
        }
    }

    fn verdict(a: &[f64], b: &[f64]) -> Verdict {
        row("c", "f", a, b).unwrap().verdict
    }

    #[test]
    fn three_repetitions_are_apart_and_four_differ() {
        assert_eq!(verdict(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), Verdict::Apart);
        assert_eq!(verdict(&[1.0, 2.0, 3.0], &[2.5, 5.0, 6.0]), Verdict::NotSeen);
        assert_eq!(verdict(&[1.0, 2.0, 3.0, 3.5], &[4.0, 5.0, 6.0, 7.0]), Verdict::Differs);
        assert_eq!(verdict(&[1.0, 2.0, 3.0, 4.5], &[4.0, 5.0, 6.0, 7.0]), Verdict::NotSeen);
        assert_eq!(verdict(&[2.0; 3], &[2.0; 3]), Verdict::Equal);
        assert_eq!(verdict(&[1.0], &[2.0]), Verdict::Apart);
    }

    #[test]
    fn a_ratio_is_of_medians_and_zero_has_none() {
        let row_of = |a: &[f64], b: &[f64]| row("c", "f", a, b).unwrap();
        assert_eq!(row_of(&[1.0, 2.0, 9.0], &[5.0, 3.0, 4.0]).ratio, Some(2.0));
        assert_eq!(row_of(&[0.0; 3], &[1.0; 3]).ratio, None);
        assert_eq!(row_of(&[1.0, 2.0], &[3.0, 4.0]).u, 4.0, "each after is above each before");
    }

    #[test]
    fn what_one_lacks_is_named() {
        let mut a = record_of("x", "disk", "seconds", &[1.0, 2.0]);
        let mut b = record_of("x", "disk", "seconds", &[1.0, 2.0]);
        a.cases[0].1.insert("writes".into(), vec![1.0]);
        b.cases[0].1.insert("reads".into(), vec![1.0]);
        a.cases.push(("ram".into(), Figures::new()));
        b.cases.push(("ssd".into(), Figures::new()));
        a.effects.insert("gain".into(), vec![2.0]);
        let compared = compare(a, b).unwrap();
        assert_eq!(compared.rows.len(), 1);
        let said = [
            "B has no 'writes' of 'disk'",
            "A has no 'reads' of 'disk'",
            "B has no case 'ram'",
            "A has no case 'ssd'",
            "B has no 'gain' of '(effects)'",
        ];
        assert_eq!(compared.missing, said);
    }

    #[test]
    fn results_that_do_not_belong_together_are_refused() {
        let x = || record_of("x", "disk", "seconds", &[1.0]);
        let y = || record_of("y", "disk", "seconds", &[1.0]);
        assert_eq!(paired(vec![x()], vec![y()]).unwrap_err(), "they are of different experiments: x and y");
        assert_eq!(paired(vec![x(), y()], vec![y()]).unwrap().len(), 1);
        let mut full = x();
        full.scale = "full".into();
        assert!(compare(x(), full).unwrap_err().contains("at scale quick and x.result.json at scale full"));
        let other = record_of("x", "ram", "seconds", &[1.0]);
        assert_eq!(compare(x(), other).unwrap_err(), "x.result.json and x.result.json have no figure in common");
    }
}
