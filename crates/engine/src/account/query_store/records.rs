//! Entries of a store as texts, and back: what is written into the database.
//!
//! ```text
//!   kind │ fields, with tabs between │ line feed │ text of a query or document of a plan
//!   O options   T text   S settings   Q query   P plan   I interval   R runs
//! ```
//! What always holds: a text is read as what was written, or not at all. When queries and plans ran last is not written with them: it is
//! known of their runs, and a document is written once.

use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::Arc;

use crate::account::query_store::context_settings::ContextSettings;
use crate::account::query_store::entries::{
    Compiled, ExecutionKind, Interval, RunKey, Runs, ShownPlan, SlotNo, StoredPlan, StoredQuery, StoredSettings,
    StoredText,
};
use crate::account::query_store::measures::{METRICS, Tally};
use crate::account::query_store::options::StoreOptions;

/// Numbers that are given next, by kind.
pub(super) const NUMBERS: usize = 7;

/// An entry that was read.
pub(super) enum Record {
    Options(StoreOptions, [i64; NUMBERS]),
    Text(StoredText),
    Settings(StoredSettings),
    Query(StoredQuery),
    Plan(StoredPlan),
    Interval(Interval),
    Runs(RunKey, Box<Runs>),
}

pub(super) fn of_options(options: &StoreOptions, next: &[i64; NUMBERS]) -> String {
    let next = next.map(|number| number.to_string()).join(" ");
    format!("O\t{}\t{next}\n", options.text())
}

pub(super) fn of_text(text: &StoredText) -> String {
    format!("T\t{}\t{}\n{}", text.id, u8::from(text.encrypted), text.text)
}

pub(super) fn of_settings(stored: &StoredSettings) -> String {
    let ContextSettings { set_options, language, date_format, date_first, schema } = stored.settings;
    format!("S\t{}\t{set_options}\t{language}\t{date_format}\t{date_first}\t{schema}\n", stored.id)
}

pub(super) fn of_query(query: &StoredQuery) -> String {
    let StoredQuery { id, text, settings, object, compiled, first_compile_us, last_compile_us, compiles, .. } = query;
    let Compiled { hash, start, end, .. } = compiled;
    format!(
        "Q\t{id}\t{text}\t{settings}\t{object}\t{hash}\t{start}\t{end}\t{first_compile_us}\t{last_compile_us}\t{compiles}\n"
    )
}

pub(super) fn of_plan(plan: &StoredPlan) -> String {
    let StoredPlan { id, query, shown, forced, first_compile_us, last_compile_us, compiles, .. } = plan;
    let ShownPlan { hash, xml, dop, level } = shown;
    let (forced, has_xml) = (u8::from(*forced), u8::from(xml.is_some()));
    // Of a fixed length, so that a change of it leaves the rows of the document as they are.
    format!(
        "P\t{id}\t{query}\t{hash}\t{dop}\t{level}\t{forced}\t{first_compile_us}\t{last_compile_us}\t{compiles:020}\t{has_xml}\n{}",
        xml.as_deref().unwrap_or_default()
    )
}

pub(super) fn of_interval(interval: &Interval) -> String {
    format!("I\t{}\t{}\t{}\n", interval.id, interval.start_us, interval.end_us)
}

pub(super) fn of_runs((plan, interval, kind): &RunKey, runs: &Runs) -> String {
    let Runs { id, count, first_us, last_us, tallies, waits, .. } = runs;
    let mut out = format!("R\t{plan}\t{interval}\t{}\t{id}\t{count}\t{first_us}\t{last_us}", *kind as u8);
    for tally in tallies {
        add_tally(&mut out, tally);
    }
    for (category, (number, tally)) in waits {
        let _ = write!(out, "\t{category}\t{number}");
        add_tally(&mut out, tally);
    }
    out.push('\n');
    out
}

fn add_tally(out: &mut String, tally: &Tally) {
    let Tally { total, last, min, max, squares } = tally;
    let _ = write!(out, "\t{total} {last} {min} {max} {:x}", squares.to_bits());
}

/// Reads what one of the above wrote.
pub(super) fn read(record: &str, slot: SlotNo) -> Option<Record> {
    let (line, body) = record.split_once('\n')?;
    let mut fields = Fields(line.split('\t'));
    let kind = fields.0.next()?;
    match kind {
        "O" => {
            let options = StoreOptions::read(fields.0.next()?)?;
            let numbers: Vec<i64> = fields.0.next()?.split(' ').map(str::parse).collect::<Result<_, _>>().ok()?;
            Some(Record::Options(options, numbers.try_into().ok()?))
        }
        "T" => {
            let (id, encrypted) = (fields.number()?, fields.is_set()?);
            Some(Record::Text(StoredText { id, text: Arc::from(body), encrypted, uses: 0, slot }))
        }
        "S" => {
            let id = fields.number()?;
            let settings = ContextSettings {
                set_options: fields.number()?,
                language: fields.number()?,
                date_format: fields.number()?,
                date_first: fields.number()?,
                schema: fields.number()?,
            };
            Some(Record::Settings(StoredSettings { id, settings, slot }))
        }
        "Q" => fields.query(slot).map(Record::Query),
        "P" => fields.plan(body, slot).map(Record::Plan),
        "I" => Some(Record::Interval(Interval {
            id: fields.number()?,
            start_us: fields.number()?,
            end_us: fields.number()?,
            slot,
        })),
        "R" => fields.runs(slot).map(|(key, runs)| Record::Runs(key, Box::new(runs))),
        _ => None,
    }
}

/// The fields of a line that are left.
struct Fields<'a>(std::str::Split<'a, char>);

impl Fields<'_> {
    fn number<T: FromStr>(&mut self) -> Option<T> {
        self.0.next()?.parse().ok()
    }

    fn is_set(&mut self) -> Option<bool> {
        self.number::<u8>().map(|bit| bit != 0)
    }

    fn query(&mut self, slot: SlotNo) -> Option<StoredQuery> {
        Some(StoredQuery {
            id: self.number()?,
            text: self.number()?,
            settings: self.number()?,
            object: self.number()?,
            // The number of a text means nothing to another run of the server.
            compiled: Compiled { hash: self.number()?, text_id: 0, start: self.number()?, end: self.number()? },
            first_compile_us: self.number()?,
            last_compile_us: self.number()?,
            last_execution_us: 0,
            compiles: self.number()?,
            cpu_us: 0,
            plans: Vec::new(),
            slot,
        })
    }

    fn plan(&mut self, body: &str, slot: SlotNo) -> Option<StoredPlan> {
        let (id, query) = (self.number()?, self.number()?);
        let (hash, dop, level, forced) = (self.number()?, self.number()?, self.number()?, self.is_set()?);
        let (first_compile_us, last_compile_us, compiles) = (self.number()?, self.number()?, self.number()?);
        let xml = self.is_set()?.then(|| Arc::from(body));
        let shown = ShownPlan { hash, xml, dop, level };
        let last_execution_us = 0;
        Some(StoredPlan {
            id,
            query,
            shown,
            forced,
            first_compile_us,
            last_compile_us,
            last_execution_us,
            compiles,
            slot,
        })
    }

    fn runs(&mut self, slot: SlotNo) -> Option<(RunKey, Runs)> {
        let (plan, interval, kind) = (self.number()?, self.number()?, self.number::<u8>()?);
        let kind = ExecutionKind::ALL.into_iter().find(|known| *known as u8 == kind)?;
        let (id, count, first_us, last_us) = (self.number()?, self.number()?, self.number()?, self.number()?);
        let mut runs = Runs::new(id, first_us, slot);
        (runs.count, runs.last_us) = (count, last_us);
        for place in 0..METRICS {
            runs.tallies[place] = self.tally()?;
        }
        while let Some(category) = self.0.next() {
            let (category, number) = (category.parse().ok()?, self.number()?);
            runs.waits.insert(category, (number, self.tally()?));
        }
        Some(((plan, interval, kind), runs))
    }

    fn tally(&mut self) -> Option<Tally> {
        let mut parts = self.0.next()?.split(' ');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (total, last, min, max) = (number()?, number()?, number()?, number()?);
        let squares = f64::from_bits(u64::from_str_radix(parts.next()?, 16).ok()?);
        squares.is_finite().then_some(Tally { total, last, min, max, squares })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::query_store::entries::Execution;

    #[test]
    fn runs_come_back_with_their_waits_and_damage_does_not() {
        let mut runs = Runs::new(7, 100, 3);
        let mut numbers = 40..;
        for (ended_us, waits) in [(100, vec![]), (150, vec![(3, 2500)]), (120, vec![(3, 10), (6, 1)])] {
            let values = std::array::from_fn(|place| place as u64 * 3 + ended_us as u64);
            let execution = Execution { kind: ExecutionKind::Aborted, ended_us, values, waits };
            runs.add(&execution, 2, || numbers.next().unwrap_or_default());
        }
        assert_eq!((runs.count, runs.first_us, runs.last_us), (3, 100, 150));
        assert_eq!(runs.waits[&3].1.total, 2510);
        assert_eq!((runs.waits[&3].1.min, runs.waits[&6].1.min), (0, 0));
        let key = (5, 6, ExecutionKind::Aborted);
        let text = of_runs(&key, &runs);
        let Some(Record::Runs(found, again)) = read(&text, 3) else { panic!("{text}") };
        assert_eq!((found, of_runs(&found, &again)), (key, text.clone()));
        for cut in 0..text.len() - 1 {
            assert!(read(&text[..cut], 3).is_none());
        }
    }

    #[test]
    fn a_document_lies_in_rows_of_its_own_whatever_changes_before_it() {
        let shown = ShownPlan { hash: u64::MAX, xml: Some(Arc::from("<a>\n\t</a>")), dop: 1, level: 160 };
        let mut plan = StoredPlan {
            id: 1,
            query: 2,
            shown,
            forced: false,
            first_compile_us: 1_700_000_000_000_000,
            last_compile_us: 1_700_000_000_000_000,
            last_execution_us: 9,
            compiles: 1,
            slot: 1,
        };
        let before = of_plan(&plan);
        (plan.compiles, plan.forced, plan.last_compile_us) = (1_000_000, true, 1_800_000_000_000_000);
        let after = of_plan(&plan);
        assert_eq!(before.len(), after.len());
        let Some(Record::Plan(again)) = read(&after, 1) else { panic!("{after}") };
        assert_eq!(again.shown.xml.as_deref(), Some("<a>\n\t</a>"));
        assert!(again.forced && again.compiles == 1_000_000);
    }
}
