//! Seeds one after the other, and an account of what they showed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::case::{Case, Finding, Verdict};
use crate::lab::Lab;
use crate::{make, reduce};

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The first seed; each is a schema.
    pub seed: u64,
    /// So many cases in all.
    pub cases: u64,
    /// So many for each schema.
    pub per_schema: u64,
    /// No more schemas after this time.
    pub time: Option<Duration>,
    /// Where findings are written.
    pub folder: Option<PathBuf>,
    /// Whether findings are made smaller.
    pub is_reduced: bool,
    /// Findings of one class are written so often.
    pub each: u64,
    /// One case alone: its number within the seed.
    pub only: Option<u64>,
    /// Findings of a class that contains one of these are counted and no more: they are known.
    pub known: Vec<String>,
}

/// What a campaign showed.
#[derive(Debug, Default)]
pub struct Account {
    /// Cases that were looked at.
    pub cases: u64,
    /// Batches that engines ran.
    pub batches: u64,
    /// Cases whose answers belong together.
    pub good: u64,
    /// Cases of which nothing can be said, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Cases that are refused on all roads, by error: how many, the text, a statement.
    pub refused: BTreeMap<i32, (u64, String, String)>,
    /// Wrong answers by class: how many, the first as a script.
    pub found: BTreeMap<String, (u64, String)>,
}

impl Account {
    /// In lines.
    #[must_use]
    pub fn words(&self) -> String {
        let mut lines = vec![format!(
            "{} cases, {} batches: {} good, {} kinds of findings",
            self.cases,
            self.batches,
            self.good,
            self.found.len()
        )];
        lines.extend(self.skipped.iter().map(|(why, count)| format!("skipped {count}: {why}")));
        for (number, (count, said, batch)) in &self.refused {
            let batch: String = batch.chars().take(600).collect();
            lines.push(format!("refused {count}: error {number}: {said}\n    {batch}"));
        }
        lines.extend(self.found.iter().map(|(class, (count, _))| format!("FOUND {count}: {class}")));
        lines.join("\n")
    }
}

impl Campaign {
    /// Runs the seeds; `report` gets each finding and progress.
    pub fn run(&self, report: &mut dyn FnMut(&str)) -> Account {
        let (mut account, mut lab, begin) = (Account::default(), Lab::default(), Instant::now());
        let mut seed = self.seed;
        while account.cases < self.cases && self.time.is_none_or(|time| begin.elapsed() < time) {
            let schema = make::schema(seed);
            lab.set_schema(&schema);
            for number in 0..self.per_schema {
                if self.only.is_some_and(|only| only != number) {
                    continue;
                }
                let case = make::case(&schema, seed << 20 | number);
                let verdict = case.check(&mut lab);
                account.cases += 1;
                if self.note(&mut account, &mut lab, case, verdict, &format!("seed {seed}, case {number}"), report) {
                    lab.set_schema(&schema);
                }
            }
            if self.only.is_some() {
                break;
            }
            seed += 1;
            if seed.is_multiple_of(20) {
                report(&format!("before seed {seed}: {}", account.words()));
            }
        }
        account.batches = lab.batches;
        account
    }

    /// Whether the engines have other tables now.
    fn note(
        &self,
        account: &mut Account,
        lab: &mut Lab,
        case: Case,
        verdict: Verdict,
        origin: &str,
        report: &mut dyn FnMut(&str),
    ) -> bool {
        match verdict {
            Verdict::Good => account.good += 1,
            Verdict::Skipped(why) => *account.skipped.entry(why).or_default() += 1,
            Verdict::Refused(number, said, batch) => {
                let entry = account.refused.entry(number).or_insert_with(|| (0, said.clone(), batch.clone()));
                entry.0 += 1;
                if batch.len() < entry.2.len() {
                    (entry.1, entry.2) = (said, batch);
                }
            }
            Verdict::Found(finding) => return self.write_down(account, lab, case, *finding, origin, report),
        }
        false
    }

    fn write_down(
        &self,
        account: &mut Account,
        lab: &mut Lab,
        case: Case,
        finding: Finding,
        origin: &str,
        report: &mut dyn FnMut(&str),
    ) -> bool {
        let count = account.found.get(&finding.class).map_or(0, |(count, _)| *count);
        if count >= self.each || self.known.iter().any(|known| finding.class.contains(known)) {
            account.found.entry(finding.class).or_insert((0, origin.to_owned())).0 += 1;
            return false;
        }
        let (case, finding) = if self.is_reduced { reduce::reduce(case, finding, lab) } else { (case, finding) };
        let script = case.script(&finding, origin);
        report(&format!("FOUND {} ({origin})\n{script}", finding.class));
        if let Some(folder) = &self.folder {
            let name: String = finding.class.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
            let path = folder.join(format!("{}-{}.sql", name, origin.replace([' ', ','], "")));
            if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, &script)) {
                report(&format!("{}: {error}", path.display()));
            }
        }
        account.found.entry(finding.class).or_insert((0, script)).0 += 1;
        true
    }
}
