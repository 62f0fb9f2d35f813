//! Plots as SVG: lines over numbers, bars over names.
//!
//! ```text
//!   Chart ── Lines: (x, y) of several series          ─▶ text of an SVG, 760 wide, on a white ground of its own
//!         └─ Bars:  groups × series, a value or none
//!
//!   title │ legend, in rows │ axes and figures │ names of groups │ what they are
//! ```
//!
//! What always holds: every axis has its label with the unit, the scale begins at 0 unless it is logarithmic, a value
//! that is not there is a gap and no zero, a zero is written where it has no height. Repetitions are a whisker from the
//! least to the most. Nothing covers a figure: title, legend and names have rows of their own, as many as they need.
//! Knows nothing of what the figures mean.

mod draw;
mod merge;
mod span;
mod text;

pub use crate::number::short;
pub use crate::spread::Spread;

/// How an axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0.
    Linear,
    /// By factors of ten; values of 0 and less are left out.
    Logarithmic,
    /// By factors of ten when the most is more than 50 times the least, from 0 otherwise.
    ByRange,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it counts, with its unit.
    pub label: String,
    /// How.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn new(label: &str) -> Axis {
        Axis { label: label.into(), scale: Scale::Linear }
    }

    /// The same by factors of ten.
    #[must_use]
    pub fn logarithmic(label: &str) -> Axis {
        Axis { label: label.into(), scale: Scale::Logarithmic }
    }

    /// The same by factors of ten where the values ask for it.
    #[must_use]
    pub fn by_range(label: &str) -> Axis {
        Axis { label: label.into(), scale: Scale::ByRange }
    }
}

/// Figures with one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Series<T> {
    /// Its name in the legend.
    pub name: String,
    /// The figures.
    pub values: Vec<T>,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Figures {
    /// Lines through points; the horizontal axis counts numbers.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The lines.
        lines: Vec<Series<(f64, Spread)>>,
    },
    /// A bar for each group and series.
    Bars {
        /// What the groups are: the label of the horizontal axis.
        x: String,
        /// Names under the groups.
        groups: Vec<String>,
        /// One value for each group, where there is one.
        bars: Vec<Series<Option<Spread>>>,
    },
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub figures: Figures,
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn bars(values: Vec<Option<f64>>) -> Chart {
        let values: Vec<Option<Spread>> = values.into_iter().map(|value| value.map(Spread::from)).collect();
        Chart {
            title: "Time of 10,000 updates".into(),
            y: Axis::new("seconds"),
            figures: Figures::Bars {
                x: "where the table is".into(),
                groups: vec!["memory".into(), "none <1>".into()],
                bars: vec![
                    Series { name: "ours".into(), values: values.clone() },
                    Series { name: "2014".into(), values },
                ],
            },
        }
    }

    #[test]
    fn bars_have_labels_and_gaps() {
        let all = bars(vec![Some(2.7), Some(149.0)]).to_svg();
        for text in ["Time of 10,000 updates", "seconds", "memory", "none &lt;1&gt;", "2014", "where the table is"] {
            assert!(all.contains(text), "{text} in {all}");
        }
        let boxes = |svg: &str| svg.matches("#0072B2").count();
        assert_eq!(boxes(&all), boxes(&bars(vec![None, Some(149.0)]).to_svg()) + 1, "a gap is no bar");
        let zero = bars(vec![Some(0.0), Some(149.0)]);
        let zeros = |chart: &Chart| chart.to_svg().matches("\n0\n").count();
        assert_eq!(zeros(&zero), zeros(&bars(vec![None, Some(149.0)])) + 2, "a zero of each series is written");
    }

    #[test]
    fn lines_take_logarithms_and_leave_out_what_has_none() {
        let chart = |values: Vec<(f64, f64)>| Chart {
            title: "t".into(),
            y: Axis::logarithmic("seconds"),
            figures: Figures::Lines {
                x: Axis::new("round"),
                lines: vec![Series {
                    name: "a".into(),
                    values: values.into_iter().map(|(x, y)| (x, y.into())).collect(),
                }],
            },
        };
        let svg = chart(vec![(1.0, 1.0), (2.0, 100.0), (3.0, 0.0), (4.0, f64::NAN)]).to_svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("round") && svg.contains(">\n100\n<"), "{svg}");
        assert!(chart(Vec::new()).to_svg().contains("</svg>"), "nothing is drawn as nothing");
    }

    #[test]
    fn repetitions_have_whiskers() {
        let mut chart = bars(vec![Some(2.0), Some(3.0)]);
        let plain = chart.to_svg();
        let Figures::Bars { bars, .. } = &mut chart.figures else { panic!("bars") };
        bars[0].values[0] = Some(Spread { median: 2.0, low: 1.0, high: 2.5 });
        let lines = |svg: &str| svg.matches("<polyline").count() + svg.matches("<line").count();
        assert_eq!(lines(&chart.to_svg()), lines(&plain) + 3, "a whisker and its two ends");
    }

    /// Every text lies inside of the picture, by its estimated width, however many names there are.
    #[test]
    fn many_names_make_the_picture_higher() {
        let names: Vec<String> =
            (0..9).map(|number| format!("a long name of the group with number {number}")).collect();
        let chart = |count: usize| Chart {
            title:
                "A title of many words that does not fit on one line, since it says all that there is to be said of it"
                    .into(),
            y: Axis::by_range("MB"),
            figures: Figures::Bars {
                x: "group".into(),
                groups: names[..count].to_vec(),
                bars: names
                    .iter()
                    .map(|name| Series { name: name.clone(), values: vec![Some(1.0.into()); count] })
                    .collect(),
            },
        };
        assert!(chart(9).height() > chart(2).height());
        let svg = chart(9).to_svg();
        assert!(
            svg.starts_with(&format!("<svg width=\"760\" height=\"{}\" viewBox=\"0 0 760 ", chart(9).height())),
            "{svg}"
        );
        for place in svg.split("<text ").skip(1) {
            let number = |name: &str| -> f64 {
                let from = place.split(&format!("{name}=\"")).nth(1).unwrap_or_else(|| panic!("{name} in {place}"));
                from.split('"').next().unwrap().parse().unwrap()
            };
            assert!((0.0..=760.0).contains(&number("x")), "{place}");
            assert!((0.0..=f64::from(chart(9).height())).contains(&number("y")), "{place}");
        }
    }
}
