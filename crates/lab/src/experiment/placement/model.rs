//! What a run takes at least and at most by its processors and by tempdb's bandwidth, and on paper at full scale.
//!
//! ```text
//!   P = seconds of processors / processors      B = MB read / rate of reads + MB written / rate of writes
//!   max(P, B)  ≤  seconds  ≤  P + B             all of it side by side … nothing of it
//! ```
//!
//! What always holds: rates are those of the emulated device, times of processors and bytes are measured; a run that lies outside
//! of its bounds waited for something else, and its row says so.

use super::warehouse::Warehouse;
use super::{Place, Size, case_name};
use crate::experiment::Scale;
use crate::experiment::case::Samples;
use crate::experiment::outcome::Section;
use crate::plot::short;

/// Processors that experiments are made for.
const PROCESSORS: f64 = 2.0;

/// What a run needs.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Needs {
    processor_s: f64,
    tempdb_s: f64,
}

impl Needs {
    /// If all of it overlaps.
    fn least_s(self) -> f64 {
        self.processor_s.max(self.tempdb_s)
    }

    /// If nothing does.
    fn most_s(self) -> f64 {
        self.processor_s + self.tempdb_s
    }

    /// So many times the work.
    fn times(self, factor: f64) -> Needs {
        Needs { processor_s: factor * self.processor_s, tempdb_s: factor * self.tempdb_s }
    }

    /// Whether a measured time lies between the two, but for a twentieth.
    fn allows(self, seconds: f64) -> bool {
        (0.95 * self.least_s()..=1.05 * self.most_s()).contains(&seconds)
    }
}

/// Of a run; `None` where it was not measured.
fn needs(samples: &Samples, place: Place, warehouse: Warehouse, users: usize) -> Option<(Needs, f64)> {
    let case = case_name(place, warehouse, users);
    let figure = |name| samples.spread(&case, name).map(|spread| spread.median);
    let seconds = figure("seconds")?;
    let (read_mb_s, write_mb_s) = place.mb_s();
    let needs = Needs {
        processor_s: figure("busy_processors")? * seconds / PROCESSORS.min(users as f64),
        tempdb_s: figure("read_mb")? / read_mb_s + figure("written_mb")? / write_mb_s,
    };
    Some((needs, seconds))
}

/// The bounds of the tenfold warehouse's runs.
pub(super) fn sections(scale: Scale, samples: &Samples) -> Vec<Section> {
    let (size, full) = (Size::at(scale), Size::at(Scale::Full));
    let most = |size: Size| size.users.iter().copied().max().unwrap_or(1);
    let factor = f64::from(full.rows) / f64::from(size.rows) * most(full) as f64 / most(size) as f64;
    let heading = [
        "tempdb on, users",
        "processors",
        "tempdb",
        "at least",
        "measured",
        "at most",
        "bounds hold",
        "full scale, at least",
    ];
    let mut table = vec![heading.map(str::to_owned).to_vec()];
    let said = |seconds: f64| format!("{} s", short(seconds));
    for &place in size.places {
        for &users in size.users {
            let Some((needs, seconds)) = needs(samples, place, size.warehouses()[1], users) else { continue };
            let on_paper = if users == most(size) { said(needs.times(factor).least_s()) } else { "–".into() };
            table.push(vec![
                format!("{}, {users}", place.name()),
                said(needs.processor_s),
                said(needs.tempdb_s),
                said(needs.least_s()),
                said(seconds),
                said(needs.most_s()),
                if needs.allows(seconds) { "yes".into() } else { "no".into() },
                on_paper,
            ]);
        }
    }
    let text = format!(
        "A run takes at least what processors or tempdb need alone, whichever is more, and at most both together. Where it takes \
         longer it waited for something else: for a processor that another program had, or for another session. A query is \
         helped by a faster device as long as tempdb is what bounds it. At full scale there are {} times the rows and {} times the \
         users on the same processors and devices, and {} times the memory, so that nearly the same share spills: both needs \
         grow alike.",
        short(f64::from(full.rows) / f64::from(size.rows)),
        short(most(full) as f64 / most(size) as f64),
        short(full.memory_mb as f64 / size.memory_mb as f64)
    );
    vec![Section {
        heading: "On paper at full scale".into(),
        texts: vec![text],
        formulas: vec![
            "max(P, B) ≤ seconds ≤ P + B".into(),
            "P = seconds of processors / processors that the users may have".into(),
            "B = MB read / rate of reads + MB written / rate of writes".into(),
        ],
        table,
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::case::{Case, Repetition};

    #[test]
    fn a_run_lies_between_what_overlaps_and_what_does_not() {
        let needs = Needs { processor_s: 3.0, tempdb_s: 4.0 };
        assert_eq!((needs.least_s(), needs.most_s(), needs.times(2.0).least_s()), (4.0, 7.0, 8.0));
        assert!(needs.allows(4.0) && needs.allows(7.0) && !needs.allows(3.7) && !needs.allows(7.5));
    }

    #[test]
    fn needs_follow_from_the_figures_and_the_device() {
        let size = Size::at(Scale::Quick);
        let (read_mb_s, write_mb_s) = Place::Card.mb_s();
        let case = Case::new(case_name(Place::Card, size.warehouses()[1], 4))
            .with("seconds", 10.0)
            .with("busy_processors", 0.8)
            .with("read_mb", 3.0 * read_mb_s)
            .with("written_mb", 2.0 * write_mb_s);
        let samples = Samples::new(vec![Repetition { cases: vec![case], ..Repetition::default() }]);
        let section = sections(Scale::Quick, &samples).remove(0);
        // 0.8 of 10 seconds on two processors; three seconds of reads, two of writes; the full scale is tenfold.
        assert_eq!(section.table[1], ["card, 4", "4 s", "5 s", "5 s", "10 s", "9 s", "no", "50 s"]);
        assert_eq!(section.table.len(), 2, "what was not measured has no row");
    }
}
