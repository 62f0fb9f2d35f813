//! Plots as SVG: lines over numbers, bars over names.
//!
//! ```text
//!   Chart ── Lines: (x, y) of several series          ─▶ text of an SVG, 760 × 400, readable on white and on its own
//!         └─ Bars:  groups × series, a value or none
//! ```
//!
//! What always holds: every axis has its label with the unit, the scale begins at 0 unless it is logarithmic, a value
//! that is not there is a gap and no zero. Knows nothing of what the figures mean.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// Width and height in pixels.
const SIZE: (u32, u32) = (760, 400);
/// Labels of a linear axis.
const TICKS: usize = 11;
/// Headroom above the highest value, as a share of the axis; more where a legend stands there.
const HEADROOM: f64 = 0.08;
const ROOM_OF_LEGEND: f64 = 0.3;
/// The gap that a bar leaves in its group, as a share of the group.
const GAP: f64 = 0.2;
/// Colours that stay apart for people who see few of them (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(230, 159, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(213, 94, 0),
    RGBColor(90, 90, 90),
];

/// How an axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0.
    Linear,
    /// By factors of ten; values of 0 and less are left out.
    Logarithmic,
}

/// An axis.
#[derive(Clone, Debug)]
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
}

/// Figures with one name.
#[derive(Clone, Debug)]
pub struct Series<T> {
    /// Its name in the legend.
    pub name: String,
    /// The figures.
    pub values: Vec<T>,
}

/// What is drawn.
#[derive(Clone, Debug)]
pub enum Figures {
    /// Lines through points; the horizontal axis counts numbers.
    Lines {
        /// The horizontal axis.
        x: Axis,
        /// The lines.
        lines: Vec<Series<(f64, f64)>>,
    },
    /// A bar for each group and series.
    Bars {
        /// Names under the groups.
        groups: Vec<String>,
        /// One value for each group, where there is one.
        bars: Vec<Series<Option<f64>>>,
    },
}

/// A plot.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub figures: Figures,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

impl Chart {
    /// The text of the SVG.
    ///
    /// # Panics
    /// Never: drawing into a text cannot fail.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
            self.draw(&area).and_then(|()| area.present()).expect("a text takes everything");
        }
        svg
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        area.fill(&WHITE)?;
        match (&self.figures, self.y.scale) {
            (Figures::Lines { x, lines }, _) => self.draw_lines(area, x, lines),
            (Figures::Bars { groups, bars }, _) => self.draw_bars(area, groups, bars),
        }
    }

    fn draw_lines(&self, area: &Area<'_>, x: &Axis, lines: &[Series<(f64, f64)>]) -> Drawn {
        let xs = Span::of(lines.iter().flat_map(|line| line.values.iter().map(|point| point.0)), x.scale, HEADROOM);
        let ys = Span::of(
            lines.iter().flat_map(|line| line.values.iter().map(|point| point.1)),
            self.y.scale,
            headroom(lines.len()),
        );
        let mut chart = builder(area, &self.title).build_cartesian_2d(xs.range(), ys.range())?;
        let (from_x, from_y) = (xs.label(), ys.label());
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc(&x.label)
            .y_desc(&self.y.label)
            .x_labels(xs.ticks())
            .x_label_formatter(&|value| from_x(*value))
            .y_labels(ys.ticks())
            .y_label_formatter(&|value| from_y(*value))
            .draw()?;
        for (index, line) in lines.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let points: Vec<(f64, f64)> =
                line.values.iter().filter_map(|(x, y)| Some((xs.place(*x)?, ys.place(*y)?))).collect();
            chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
            chart
                .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
                .label(&line.name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
        }
        legend(&mut chart, lines.len())
    }

    fn draw_bars(&self, area: &Area<'_>, groups: &[String], bars: &[Series<Option<f64>>]) -> Drawn {
        let ys = Span::of(
            bars.iter().flat_map(|bar| bar.values.iter().filter_map(|value| *value)),
            self.y.scale,
            headroom(bars.len()),
        );
        let mut chart = builder(area, &self.title).build_cartesian_2d(0.0..groups.len() as f64, ys.range())?;
        let from_y = ys.label();
        // A tick in the middle of each group: the mesh has them at whole numbers, so names stand after theirs.
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .y_desc(&self.y.label)
            .y_labels(ys.ticks())
            .y_label_formatter(&|value| from_y(*value))
            .draw()?;
        let width = (1.0 - GAP) / bars.len().max(1) as f64;
        for (index, bar) in bars.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let boxes = bar.values.iter().enumerate().filter_map(|(group, value)| {
                let top = ys.place((*value)?)?;
                let left = group as f64 + GAP / 2.0 + index as f64 * width;
                Some(Rectangle::new([(left, ys.low), (left + width, top)], colour.filled()))
            });
            chart
                .draw_series(boxes)?
                .label(&bar.name)
                .legend(move |(x, y)| Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour.filled()));
        }
        let style = TextStyle::from(("sans-serif", 13)).pos(Pos::new(HPos::Center, VPos::Top));
        for (group, name) in groups.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(group as f64 + 0.5, ys.low));
            area.draw(&Text::new(name.as_str(), (x, y + 8), style.clone()))?;
        }
        legend(&mut chart, bars.len())
    }
}

/// A legend stands in a corner above, from two series on.
fn headroom(series: usize) -> f64 {
    if series < 2 { HEADROOM } else { ROOM_OF_LEGEND }
}

fn builder<'a, 'b>(area: &'a Area<'b>, title: &str) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 18)).margin(12).x_label_area_size(44).y_label_area_size(70);
    builder
}

type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

fn legend<'a, 'b: 'a>(chart: &mut Plane<'a, 'b>, series: usize) -> Drawn {
    if series < 2 {
        return Ok(());
    }
    let style = WHITE.mix(0.85);
    let mut labels = chart.configure_series_labels();
    labels.position(SeriesLabelPosition::UpperRight).background_style(style).border_style(BLACK.mix(0.3)).draw()
}

/// What an axis reaches over, in places on it: the values themselves, or their logarithms.
#[derive(Clone, Copy, Debug)]
struct Span {
    low: f64,
    high: f64,
    scale: Scale,
}

impl Span {
    fn of(values: impl Iterator<Item = f64>, scale: Scale, headroom: f64) -> Span {
        let finite = values.filter(|value| value.is_finite());
        match scale {
            Scale::Linear => {
                let (low, high) = finite.fold((0.0, 0.0), |(low, high), value| (value.min(low), value.max(high)));
                let high = if high <= low { low + 1.0 } else { high };
                Span { low, high: high + (high - low) * headroom, scale }
            }
            Scale::Logarithmic => {
                let places = finite.filter(|value| *value > 0.0).map(f64::log10);
                let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), place| (l.min(place), h.max(place)));
                let (low, high) = if low > high { (0.0, 1.0) } else { (low.floor(), high.max(low.floor() + 1.0)) };
                Span { low, high: high + (high - low) * headroom, scale }
            }
        }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }

    /// Labels at most: of a logarithmic axis one for each power of ten.
    fn ticks(&self) -> usize {
        match self.scale {
            Scale::Linear => TICKS,
            Scale::Logarithmic => (self.high - self.low).floor() as usize + 1,
        }
    }

    /// Where a value stands; `None` where it cannot.
    fn place(&self, value: f64) -> Option<f64> {
        match self.scale {
            _ if !value.is_finite() => None,
            Scale::Linear => Some(value),
            Scale::Logarithmic => (value > 0.0).then(|| value.log10()),
        }
    }

    /// The text of a place.
    fn label(&self) -> impl Fn(f64) -> String + use<> {
        let scale = self.scale;
        move |place| short(if scale == Scale::Logarithmic { 10_f64.powf(place) } else { place })
    }
}

/// A number with three digits that count: `0`, `2.7`, `149`, `1.5k`, `3.2M`.
#[must_use]
pub fn short(value: f64) -> String {
    let size = value.abs();
    let (value, unit) = match size {
        _ if size >= 999.5e6 => (value / 1e9, "G"),
        _ if size >= 999.5e3 => (value / 1e6, "M"),
        _ if size >= 9995.0 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = match value.abs() {
        size if size >= 99.95 || size == 0.0 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(values: Vec<Option<f64>>) -> Chart {
        Chart {
            title: "Time of 10,000 updates".into(),
            y: Axis::new("seconds"),
            figures: Figures::Bars {
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
        for text in ["Time of 10,000 updates", "seconds", "memory", "none &lt;1&gt;", "2014"] {
            assert!(all.contains(text), "{text} in {all}");
        }
        let boxes = |svg: &str| svg.matches("#0072B2").count();
        assert_eq!(boxes(&all), boxes(&bars(vec![None, Some(149.0)]).to_svg()) + 1, "a gap is no bar");
    }

    #[test]
    fn lines_take_logarithms_and_leave_out_what_has_none() {
        let chart = |values| Chart {
            title: "t".into(),
            y: Axis::logarithmic("seconds"),
            figures: Figures::Lines { x: Axis::new("round"), lines: vec![Series { name: "a".into(), values }] },
        };
        let svg = chart(vec![(1.0, 1.0), (2.0, 100.0), (3.0, 0.0), (4.0, f64::NAN)]).to_svg();
        assert_eq!(svg.matches("<circle").count(), 2);
        assert!(svg.contains("round") && svg.contains(">\n100\n<"), "{svg}");
        assert!(chart(Vec::new()).to_svg().contains("</svg>"), "nothing is drawn as nothing");
    }

    #[test]
    fn numbers_are_short() {
        let said: Vec<String> =
            [0.0, 2.7, 0.125, 149.0, 9994.0, 12_345.0, 3_200_000.0, -1.5, 100.0, 5e9].map(short).to_vec();
        assert_eq!(said, ["0", "2.7", "0.125", "149", "9994", "12.3k", "3.2M", "-1.5", "100", "5G"]);
    }
}
