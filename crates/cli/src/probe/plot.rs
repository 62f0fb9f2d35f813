//! Results of a probe as a picture: bandwidth of reads, of writes, and the time of a request alone, by size.
//!
//! What always holds: one SVG with the plots below each other, each with labelled axes; what was not measured has none.

use std::fmt::Write as _;

use millpond_device::probe::ProbeCell;
use millpond_device::profile::{Direction, Order};
use millpond_lab::plot::{Axis, Chart, Figures, Series, Spread};

use super::show;

/// Width of a plot of `millpond_lab::plot`.
const WIDTH: u32 = 760;

/// Kinds of cells that make a line: direction, order, depth.
type Line = (Direction, Order, usize);

fn lines(cells: &[ProbeCell], is_wanted: impl Fn(&Line) -> bool) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for kind in cells.iter().map(|cell| cell.kind) {
        let line = (kind.direction, kind.order, kind.depth);
        if is_wanted(&line) && !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

fn chart(
    title: String,
    y: &str,
    cells: &[ProbeCell],
    lines: Vec<Line>,
    value: impl Fn(&ProbeCell) -> Option<f64>,
) -> Option<Chart> {
    let series = |(direction, order, depth): Line| {
        let own = cells
            .iter()
            .filter(|cell| (cell.kind.direction, cell.kind.order, cell.kind.depth) == (direction, order, depth));
        let values = own.filter_map(|cell| Some((cell.kind.size_bytes as f64 / 1024.0, value(cell)?.into())));
        Series { name: format!("{}, depth {depth}", show::name(direction, order)), values: values.collect() }
    };
    let lines: Vec<Series<(f64, Spread)>> =
        lines.into_iter().map(series).filter(|series| !series.values.is_empty()).collect();
    let figures = Figures::Lines { x: Axis::logarithmic("size of a request, KB"), lines };
    let has_lines = matches!(&figures, Figures::Lines { lines, .. } if !lines.is_empty());
    has_lines.then(|| Chart { title, y: Axis::logarithmic(y), figures })
}

/// The picture.
pub fn svg(target: &str, cells: &[ProbeCell]) -> String {
    let bandwidth = |direction, what: &str| {
        let wanted = lines(cells, |line| line.0 == direction);
        chart(format!("{what}: {target}"), "MB/s", cells, wanted, ProbeCell::mb_s)
    };
    let alone = lines(cells, |line| line.2 == 1);
    let charts = [
        bandwidth(Direction::Read, "Reads"),
        bandwidth(Direction::Write, "Writes"),
        chart(format!("One request at a time: {target}"), "median time, µs", cells, alone, |cell| {
            (cell.median_us > 0).then_some(cell.median_us as f64)
        }),
    ];
    let charts: Vec<Chart> = charts.into_iter().flatten().collect();
    let height: u32 = charts.iter().map(Chart::height).sum();
    let mut text = format!(
        "<svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" xmlns=\"http://www.w3.org/2000/svg\">\n"
    );
    let mut top = 0;
    for chart in &charts {
        let _ = write!(text, "<g transform=\"translate(0 {top})\">\n{}\n</g>\n", chart.to_svg());
        top += chart.height();
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use millpond_device::ModelKind;

    use super::super::tests::cells_of;
    use super::*;

    #[test]
    fn a_picture_has_its_axes_and_lines() {
        let svg = svg("ssd", &cells_of(ModelKind::Ssd));
        for text in [
            "Reads: ssd",
            "Writes: ssd",
            "size of a request, KB",
            "MB/s",
            "median time, µs",
            "sequential write, depth 4",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    }

    #[test]
    fn what_takes_no_time_has_no_picture() {
        assert!(!svg("ram", &cells_of(ModelKind::Ram)).contains("<g"));
    }
}
