//! How a plot is drawn.
//!
//! What always holds: what is written is dark on the picture's own white ground, so that it is read on any page.

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::span::Span;
use super::text::{rows, width_px, wrapped};
use super::{Axis, Chart, Figures, Series, Spread, short};

/// Width in pixels, and the height of a plot whose texts have one line each.
const WIDTH: u32 = 760;
const HEIGHT: u32 = 400;
const MARGIN: u32 = 12;
/// Fonts, and the heights of their lines.
const TITLE_PX: u32 = 18;
const TITLE_LINE: u32 = 24;
const LABEL_PX: u32 = 13;
const LABEL_LINE: u32 = 16;
const LEGEND_LINE: u32 = 20;
/// Room of an axis' numbers and label, beside the lines that names of groups have more.
const X_AREA: u32 = 44;
const Y_AREA: u32 = 70;
/// Between a legend's mark and its text, and the next entry.
const MARK: f64 = 20.0;
const BETWEEN: f64 = 18.0;
/// Room above the highest value, as a share of the axis.
const HEADROOM: f64 = 0.08;
/// The gap that a bar leaves in its group, as a share of the group.
const GAP: f64 = 0.2;
/// Half of the width of a whisker's ends in pixels.
const WHISKER: i32 = 4;
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
/// Lines beyond the colours are told apart by the size of their points.
fn radius(index: usize) -> i32 {
    3 + 2 * (index / COLOURS.len()) as i32
}

fn colour(index: usize) -> RGBColor {
    COLOURS[index % COLOURS.len()]
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Plane<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Where things stand: lines of the title, rows of the legend, lines of the groups' names.
struct Layout {
    title: Vec<String>,
    legend: Vec<Vec<(usize, f64)>>,
    /// One list of lines for each group.
    groups: Vec<Vec<String>>,
}

impl Layout {
    fn of(chart: &Chart) -> Layout {
        let room = f64::from(WIDTH - 2 * MARGIN);
        let names = chart.names();
        let entry = |name: &&str| MARK + width_px(name, LABEL_PX) + BETWEEN;
        let widths: Vec<f64> = names.iter().map(entry).collect();
        let groups = match &chart.figures {
            Figures::Lines { .. } => Vec::new(),
            Figures::Bars { groups, .. } => {
                let each = (room - f64::from(Y_AREA)) / groups.len().max(1) as f64;
                groups.iter().map(|name| wrapped(name, LABEL_PX, each)).collect()
            }
        };
        // One series needs no legend: the title says what it is.
        let legend = if names.len() < 2 { Vec::new() } else { rows(&widths, room) };
        Layout { title: wrapped(&chart.title, TITLE_PX, room), legend, groups }
    }

    fn head(&self) -> u32 {
        MARGIN + TITLE_LINE * self.title.len() as u32 + LEGEND_LINE * self.legend.len() as u32
    }

    fn group_lines(&self) -> u32 {
        self.groups.iter().map(Vec::len).max().unwrap_or(1).max(1) as u32
    }

    fn x_area(&self) -> u32 {
        X_AREA + LABEL_LINE * (self.group_lines() - 1)
    }

    fn height(&self) -> u32 {
        HEIGHT - TITLE_LINE - MARGIN + self.head() + LABEL_LINE * (self.group_lines() - 1)
    }
}

impl Chart {
    fn names(&self) -> Vec<&str> {
        match &self.figures {
            Figures::Lines { lines, .. } => lines.iter().map(|line| line.name.as_str()).collect(),
            Figures::Bars { bars, .. } => bars.iter().map(|bar| bar.name.as_str()).collect(),
        }
    }

    /// Height of its picture in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        Layout::of(self).height()
    }

    /// The text of the SVG.
    ///
    /// # Panics
    /// Never: drawing into a text cannot fail.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let mut svg = String::new();
        {
            let size = (WIDTH, self.height());
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            self.draw(&area).and_then(|()| area.present()).expect("a text takes everything");
        }
        svg
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let layout = Layout::of(self);
        area.fill(&WHITE)?;
        self.head(area, &layout)?;
        let (_, body) = area.split_vertically(layout.head());
        match &self.figures {
            Figures::Lines { x, lines } => self.draw_lines(&body, x, lines),
            Figures::Bars { x, groups, bars } => self.draw_bars((area, &body), &layout, x, groups, bars),
        }
    }

    /// Title and legend.
    fn head(&self, area: &Area<'_>, layout: &Layout) -> Drawn {
        let title = TextStyle::from(("sans-serif", TITLE_PX)).pos(Pos::new(HPos::Center, VPos::Top));
        for (number, line) in (0_u32..).zip(&layout.title) {
            let place = ((WIDTH / 2) as i32, (MARGIN + number * TITLE_LINE) as i32);
            area.draw(&Text::new(line.as_str(), place, title.clone()))?;
        }
        let text = TextStyle::from(("sans-serif", LABEL_PX)).pos(Pos::new(HPos::Left, VPos::Center));
        let names = self.names();
        for (row, entries) in (0_u32..).zip(&layout.legend) {
            let top = MARGIN + TITLE_LINE * layout.title.len() as u32 + LEGEND_LINE * row + LEGEND_LINE / 2;
            for &(index, left) in entries {
                let (x, y) = (MARGIN as i32 + left as i32, top as i32);
                if matches!(self.figures, Figures::Lines { .. }) {
                    area.draw(&PathElement::new([(x, y), (x + 14, y)], colour(index).stroke_width(2)))?;
                    area.draw(&Circle::new((x + 7, y), radius(index), colour(index).filled()))?;
                } else {
                    area.draw(&Rectangle::new([(x, y - 4), (x + 14, y + 4)], colour(index).filled()))?;
                }
                area.draw(&Text::new(names[index], (x + MARK as i32, y), text.clone()))?;
            }
        }
        Ok(())
    }

    fn draw_lines(&self, body: &Area<'_>, x: &Axis, lines: &[Series<(f64, Spread)>]) -> Drawn {
        let points = || lines.iter().flat_map(|line| &line.values);
        let xs = Span::of(points().map(|(x, _)| *x), x.scale, HEADROOM);
        let ys = Span::of(points().flat_map(|(_, spread)| ends(spread)), self.y.scale, HEADROOM);
        let mut chart = builder(body, X_AREA).build_cartesian_2d(xs.range(), ys.range())?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .label_style(("sans-serif", LABEL_PX))
            .x_desc(&x.label)
            .y_desc(&self.y.label)
            .x_labels(xs.ticks())
            .x_label_formatter(&|place| short(xs.value(*place)))
            .y_labels(ys.ticks())
            .y_label_formatter(&|place| short(ys.value(*place)))
            .draw()?;
        for (index, line) in lines.iter().enumerate() {
            let known = || line.values.iter().filter_map(|(x, spread)| Some((xs.place(*x)?, spread)));
            let places: Vec<(f64, f64)> =
                known().filter_map(|(x, spread)| Some((x, ys.place(spread.median)?))).collect();
            chart.draw_series(places.iter().map(|place| Circle::new(*place, radius(index), colour(index).filled())))?;
            chart.draw_series(LineSeries::new(places, colour(index).stroke_width(2)))?;
            for (x, spread) in known() {
                whisker(body, &chart, &ys, x, spread, colour(index))?;
            }
        }
        Ok(())
    }

    fn draw_bars(
        &self,
        (area, body): (&Area<'_>, &Area<'_>),
        layout: &Layout,
        x: &str,
        groups: &[String],
        bars: &[Series<Option<Spread>>],
    ) -> Drawn {
        let known = bars.iter().flat_map(|bar| bar.values.iter().flatten());
        let ys = Span::of(known.flat_map(ends), self.y.scale, HEADROOM);
        let mut chart = builder(body, layout.x_area()).build_cartesian_2d(0.0..groups.len() as f64, ys.range())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .disable_x_axis()
            .light_line_style(TRANSPARENT)
            .label_style(("sans-serif", LABEL_PX))
            .y_desc(&self.y.label)
            .y_labels(ys.ticks())
            .y_label_formatter(&|place| short(ys.value(*place)))
            .draw()?;
        let width = (1.0 - GAP) / bars.len().max(1) as f64;
        let above = TextStyle::from(("sans-serif", LABEL_PX - 2)).pos(Pos::new(HPos::Center, VPos::Bottom));
        for (index, bar) in bars.iter().enumerate() {
            for (group, spread) in
                bar.values.iter().enumerate().filter_map(|(group, value)| Some((group, value.as_ref()?)))
            {
                let left = group as f64 + GAP / 2.0 + index as f64 * width;
                let middle = left + width / 2.0;
                match ys.place(spread.median) {
                    Some(top) if spread.median != 0.0 => {
                        let from = if spread.median > 0.0 { ys.low.max(ys.place(0.0).unwrap_or(ys.low)) } else { 0.0 };
                        let corners = [(left, from), (left + width, top)];
                        chart.draw_series([Rectangle::new(corners, colour(index).filled())])?;
                    }
                    _ if spread.median == 0.0 => {
                        let (x, y) = chart.backend_coord(&(middle, ys.place(0.0).unwrap_or(ys.low)));
                        area.draw(&Text::new("0", (x, y - 2), above.clone()))?;
                    }
                    _ => {}
                }
                whisker(area, &chart, &ys, middle, spread, BLACK)?;
            }
        }
        self.under_groups(area, &chart, layout, x)
    }

    /// Names of the groups, and what they are.
    fn under_groups(&self, area: &Area<'_>, chart: &Plane<'_, '_>, layout: &Layout, x: &str) -> Drawn {
        let style = TextStyle::from(("sans-serif", LABEL_PX)).pos(Pos::new(HPos::Center, VPos::Top));
        let (across, down) = chart.plotting_area().get_pixel_range();
        let (left, right, bottom) = (across.start, across.end, down.end);
        let each = f64::from(right - left) / layout.groups.len().max(1) as f64;
        for (group, lines) in layout.groups.iter().enumerate() {
            let middle = f64::from(left) + (group as f64 + 0.5) * each;
            for (number, line) in (0_u32..).zip(lines) {
                let place = (middle as i32, bottom + 8 + (number * LABEL_LINE) as i32);
                area.draw(&Text::new(line.as_str(), place, style.clone()))?;
            }
        }
        let below = (layout.height() - LABEL_LINE - 2) as i32;
        area.draw(&Text::new(x, (i32::midpoint(left, right), below), style))
    }
}

fn ends(spread: &Spread) -> [f64; 2] {
    [spread.low, spread.high]
}

fn builder<'a, 'b>(body: &'a Area<'b>, x_area: u32) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut builder = ChartBuilder::on(body);
    builder.margin(MARGIN).x_label_area_size(x_area).y_label_area_size(Y_AREA);
    builder
}

/// From the least to the most, if they differ, with an end across at each.
fn whisker(area: &Area<'_>, chart: &Plane<'_, '_>, ys: &Span, x: f64, spread: &Spread, colour: RGBColor) -> Drawn {
    let (Some(high), false) = (ys.place(spread.high), spread.is_point()) else { return Ok(()) };
    let low = ys.place(spread.low).unwrap_or(ys.low);
    let [(x, low), (_, high)] = [low, high].map(|place| chart.backend_coord(&(x, place)));
    // An area counts from its own corner.
    let (corner_x, corner_y) = area.get_base_pixel();
    let at = |x: i32, y: i32| (x - corner_x, y - corner_y);
    let style = colour.stroke_width(1);
    for line in [
        [at(x, low), at(x, high)],
        [at(x - WHISKER, low), at(x + WHISKER, low)],
        [at(x - WHISKER, high), at(x + WHISKER, high)],
    ] {
        area.draw(&PathElement::new(line, style))?;
    }
    Ok(())
}
