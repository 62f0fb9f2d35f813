//! Plots of repetitions as one plot with the spread of its figures.
//!
//! What always holds: only plots with the same names are merged; where lines have their points at other places in each
//! repetition, as samples by time have, the first repetition stands for all and the title says so.

use super::{Chart, Figures, Series, Spread};

impl Chart {
    /// The plots of all repetitions as one; `None` when there is none.
    #[must_use]
    pub fn merged(charts: &[Chart]) -> Option<Chart> {
        let first = charts.first()?;
        if charts.len() == 1 {
            return Some(first.clone());
        }
        let merged = match &first.figures {
            Figures::Lines { x, lines } => {
                let all = charts.iter().filter_map(|chart| match &chart.figures {
                    Figures::Lines { lines, .. } => Some(lines),
                    Figures::Bars { .. } => None,
                });
                let all: Vec<_> = all.collect();
                merged_lines(lines, &all).map(|lines| Figures::Lines { x: x.clone(), lines })
            }
            Figures::Bars { x, groups, bars } => {
                let all = charts.iter().filter_map(|chart| match &chart.figures {
                    Figures::Bars { groups: same, bars, .. } if same == groups => Some(bars),
                    _ => None,
                });
                let all: Vec<_> = all.collect();
                let bars = bars.iter().map(|series| merged_bars(series, &all)).collect();
                Some(Figures::Bars { x: x.clone(), groups: groups.clone(), bars })
            }
        };
        Some(match merged {
            Some(figures) => Chart { title: first.title.clone(), y: first.y.clone(), figures },
            None => {
                Chart { title: format!("{} (the first of {} repetitions)", first.title, charts.len()), ..first.clone() }
            }
        })
    }
}

type Line = Series<(f64, Spread)>;
type Bar = Series<Option<Spread>>;

/// `None` when the points lie at other places.
fn merged_lines(first: &[Line], all: &[&Vec<Line>]) -> Option<Vec<Line>> {
    let one = |line: &Line| {
        let same: Vec<&Line> =
            all.iter().filter_map(|lines| lines.iter().find(|other| other.name == line.name)).collect();
        let points = |(at, (x, _)): (usize, &(f64, Spread))| {
            let values: Option<Vec<f64>> = same.iter().map(|line| value_at(line, at, *x)).collect();
            Some((*x, Spread::of(values?)?))
        };
        let is_as_long = same.iter().all(|other| other.values.len() == line.values.len());
        let values: Option<Vec<(f64, Spread)>> = line.values.iter().enumerate().map(points).collect();
        values.filter(|_| is_as_long).map(|values| Series { name: line.name.clone(), values })
    };
    first.iter().map(one).collect()
}

fn value_at(line: &Line, at: usize, x: f64) -> Option<f64> {
    line.values.get(at).filter(|(other, _)| *other == x).map(|(_, spread)| spread.median)
}

fn merged_bars(first: &Bar, all: &[&Vec<Bar>]) -> Bar {
    let same: Vec<&Bar> = all.iter().filter_map(|bars| bars.iter().find(|other| other.name == first.name)).collect();
    let value = |group: usize| Spread::of(same.iter().filter_map(|bar| Some(bar.values.get(group)?.as_ref()?.median)));
    Series { name: first.name.clone(), values: (0..first.values.len()).map(value).collect() }
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::super::tests::bars;
    use super::*;

    fn lines(points: &[(f64, f64)]) -> Chart {
        let values = points.iter().map(|(x, y)| (*x, Spread::from(*y))).collect();
        let lines = vec![Series { name: "a".into(), values }];
        Chart { title: "t".into(), y: Axis::new("s"), figures: Figures::Lines { x: Axis::new("round"), lines } }
    }

    #[test]
    fn bars_of_repetitions_are_one_bar_with_a_spread() {
        let all = [bars(vec![Some(1.0), None]), bars(vec![Some(3.0), Some(5.0)]), bars(vec![Some(2.0), None])];
        let Figures::Bars { bars, .. } = Chart::merged(&all).unwrap().figures else { panic!("bars") };
        assert_eq!(bars[0].values, [Some(Spread { median: 2.0, low: 1.0, high: 3.0 }), Some(Spread::from(5.0))]);
        assert_eq!(Chart::merged(&[]), None);
    }

    #[test]
    fn lines_are_merged_where_their_points_are_at_the_same_places() {
        let merged = Chart::merged(&[lines(&[(1.0, 2.0)]), lines(&[(1.0, 4.0)])]).unwrap();
        let Figures::Lines { lines: found, .. } = &merged.figures else { panic!("lines") };
        assert_eq!(found[0].values, [(1.0, Spread { median: 3.0, low: 2.0, high: 4.0 })]);
        for other in [lines(&[(1.5, 4.0)]), lines(&[(1.0, 4.0), (2.0, 1.0)]), lines(&[])] {
            let merged = Chart::merged(&[lines(&[(1.0, 2.0)]), other]).unwrap();
            assert_eq!(merged.title, "t (the first of 2 repetitions)");
            assert_eq!(merged.figures, lines(&[(1.0, 2.0)]).figures);
        }
    }
}
