//! A chart over time, as SVG with its texts in HTML around it, so that they keep their size at any width.
//!
//! What always holds: where nothing is known there is a gap and no line. Its colours are variables of the page, light or dark.

use std::fmt::Write as _;

use crate::text::{amount, escape, time_text};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 200.0;
/// Colours of the page.
const COLORS: usize = 12;

/// The rules of the page's style for its colours: layers, lines, keys.
pub(crate) fn color_rules() -> String {
    let rule = |color: usize| {
        format!(
            ".a{color}{{fill:var(--c{color})}}.l{color}{{stroke:var(--c{color});stroke-width:1.6;fill:none}}\
             .k{color}{{background:var(--c{color})}}"
        )
    };
    (0..COLORS).map(rule).collect()
}

/// A line, or a layer of a stack.
pub(crate) struct Line {
    pub name: &'static str,
    /// A value for each interval, in the chart's unit.
    pub values: Vec<Option<f64>>,
}

/// Something that happened at a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// No server ran from then to then.
    Down(i64, i64),
    /// A server started.
    Start(i64),
    /// A server ended, and not in order.
    Crash(i64),
}

/// A chart.
pub(crate) struct Chart<'a> {
    pub title: &'a str,
    pub unit: &'a str,
    /// Layers on each other; else lines.
    pub is_stack: bool,
    pub lines: Vec<Line>,
    pub from_us: i64,
    pub to_us: i64,
    /// Begin and end of each interval.
    pub intervals: &'a [(i64, i64)],
    pub marks: &'a [Mark],
}

/// The least round number that is no smaller: 1, 2, 2.5 or 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|step| step * power).find(|top| *top >= value).unwrap_or(10.0 * power)
}

impl Chart<'_> {
    fn x(&self, at_us: i64) -> f64 {
        let span = (self.to_us - self.from_us).max(1) as f64;
        ((at_us - self.from_us) as f64 / span).clamp(0.0, 1.0) * WIDTH
    }

    /// The chart; nothing where nothing is ever more than zero.
    pub(crate) fn html(&self) -> Option<String> {
        let mut lines: Vec<&Line> =
            self.lines.iter().filter(|line| line.values.iter().flatten().any(|value| *value > 0.0)).collect();
        lines.truncate(COLORS);
        if lines.is_empty() {
            return None;
        }
        let tops: Vec<f64> = (0..self.intervals.len())
            .map(|at| {
                let values = lines.iter().filter_map(|line| line.values[at]);
                if self.is_stack { values.sum() } else { values.fold(0.0, f64::max) }
            })
            .collect();
        let top = round_up(tops.iter().copied().fold(0.0, f64::max));
        let mut html = String::new();
        let _ = write!(
            html,
            "<figure><figcaption>{} <span class=unit>{}</span></figcaption><div class=plot><div class=y><span>{}</span>\
             <span>{}</span><span>0</span></div><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=none role=img \
             aria-label=\"{}\">",
            escape(self.title),
            escape(self.unit),
            amount(top),
            amount(top / 2.0),
            escape(self.title),
        );
        self.background(&mut html);
        let mut below = vec![0.0; self.intervals.len()];
        for (color, line) in lines.iter().enumerate() {
            let path = if self.is_stack { self.layer(line, &mut below, top) } else { self.line(line, top) };
            let class = if self.is_stack { "a" } else { "l" };
            let _ =
                write!(html, "<path class=\"{class}{color}\" d=\"{path}\"><title>{}</title></path>", escape(line.name));
        }
        html.push_str("</svg></div>");
        self.times(&mut html);
        legend(&lines, &mut html);
        html.push_str("</figure>");
        Some(html)
    }

    fn background(&self, html: &mut String) {
        for mark in self.marks {
            if let Mark::Down(from_us, to_us) = *mark {
                let (left, right) = (self.x(from_us), self.x(to_us));
                let width = (right - left).max(1.0);
                let _ = write!(
                    html,
                    "<rect class=down x={left:.1} y=0 width={width:.1} height={HEIGHT}><title>no server ran</title></rect>"
                );
            }
        }
        for share in [0.0, 0.5, 1.0] {
            let y = HEIGHT * share;
            let _ = write!(html, "<path class=grid d=\"M0 {y:.0}H{WIDTH}\"/>");
        }
        for mark in self.marks {
            let (at_us, class, name) = match *mark {
                Mark::Start(at_us) => (at_us, "start", "start"),
                Mark::Crash(at_us) => (at_us, "crash", "end without shutdown"),
                Mark::Down(..) => continue,
            };
            let x = self.x(at_us);
            let at = time_text(at_us);
            let _ = write!(html, "<path class={class} d=\"M{x:.1} 0V{HEIGHT}\"><title>{name} {at}</title></path>");
        }
    }

    fn line(&self, line: &Line, top: f64) -> String {
        let mut path = String::new();
        let mut is_open = false;
        for ((begin_us, end_us), value) in self.intervals.iter().zip(&line.values) {
            let Some(value) = value else {
                is_open = false;
                continue;
            };
            let (x, y) = (self.x(begin_us.midpoint(*end_us)), HEIGHT * (1.0 - value / top));
            let _ = write!(path, "{}{x:.1} {y:.1}", if is_open { 'L' } else { 'M' });
            // A point alone would be no line.
            if !is_open {
                path.push_str("h0.1");
            }
            is_open = true;
        }
        path
    }

    /// The layer on what is below it, which it is added to; each interval is a step.
    fn layer(&self, line: &Line, below: &mut [f64], top: f64) -> String {
        let mut path = String::new();
        for (at, (begin_us, end_us)) in self.intervals.iter().enumerate() {
            let Some(value) = line.values[at].filter(|value| *value > 0.0) else { continue };
            let (left, right) = (self.x(*begin_us), self.x(*end_us));
            let (low, high) = (HEIGHT * (1.0 - below[at] / top), HEIGHT * (1.0 - (below[at] + value) / top));
            below[at] += value;
            let _ = write!(path, "M{left:.1} {low:.1}V{high:.1}H{right:.1}V{low:.1}z");
        }
        path
    }

    fn times(&self, html: &mut String) {
        let middle_us = self.from_us.midpoint(self.to_us);
        let [from, middle, to] = [self.from_us, middle_us, self.to_us].map(time_text);
        // The day is named once.
        let short = |text: &str| if text[..10] == from[..10] { text[11..].to_owned() } else { text.to_owned() };
        let _ = write!(
            html,
            "<div class=x><span>{from}</span><span class=middle>{}</span><span>{}</span></div>",
            short(&middle),
            short(&to)
        );
    }
}

fn legend(lines: &[&Line], html: &mut String) {
    html.push_str("<ul class=legend>");
    for (color, line) in lines.iter().enumerate() {
        let known: Vec<f64> = line.values.iter().flatten().copied().collect();
        let average = known.iter().sum::<f64>() / known.len().max(1) as f64;
        let most = known.iter().copied().fold(0.0, f64::max);
        let _ = write!(
            html,
            "<li><i class=\"k{color}\"></i>{} <span class=unit>average {}, most {}</span></li>",
            escape(line.name),
            amount(average),
            amount(most)
        );
    }
    html.push_str("</ul>");
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_US: i64 = 1_000_000;

    fn chart(is_stack: bool, values: &[&[Option<f64>]], marks: &[Mark]) -> Option<String> {
        let intervals: Vec<_> = (0..4).map(|second| (second * SECOND_US, (second + 1) * SECOND_US)).collect();
        let names = ["one", "two"];
        let lines = values.iter().zip(names).map(|(values, name)| Line { name, values: values.to_vec() });
        let (from_us, to_us) = (0, 4 * SECOND_US);
        let lines = lines.collect();
        Chart { title: "<t>", unit: "MB", is_stack, lines, from_us, to_us, intervals: &intervals, marks }.html()
    }

    #[test]
    fn a_gap_is_no_line_and_a_stack_adds_up() {
        let line = [Some(1.0), None, Some(2.0), Some(0.0)];
        let html = chart(false, &[&line], &[]).expect("it has values");
        assert!(html.contains("d=\"M125.0 100.0h0.1M625.0 0.0h0.1L875.0 200.0\""), "{html}");
        assert!(html.contains("average 1, most 2") && html.contains("&lt;t&gt;"), "{html}");
        let html = chart(true, &[&line, &line], &[]).expect("it has values");
        assert!(html.contains("M0.0 200.0V160.0H250.0V200.0z"), "{html}");
        assert!(html.contains("M0.0 160.0V120.0H250.0V160.0z"), "{html}");
        assert_eq!(chart(true, &[&[Some(0.0), None, None, None]], &[]), None);
    }

    #[test]
    fn starts_crashes_and_down_times_are_marked() {
        let marks = [Mark::Down(SECOND_US, 2 * SECOND_US), Mark::Start(2 * SECOND_US), Mark::Crash(SECOND_US)];
        let html = chart(false, &[&[Some(1.0); 4]], &marks).expect("it has values");
        for part in ["class=down x=250.0 y=0 width=250.0", "class=start d=\"M500.0", "class=crash d=\"M250.0"] {
            assert!(html.contains(part), "{part}: {html}");
        }
    }

    #[test]
    fn tops_are_round() {
        assert_eq!(
            [0.0, 0.3, 1.0, 1.1, 2.2, 4.0, 7.0, 950.0].map(round_up),
            [1.0, 0.5, 1.0, 2.0, 2.5, 5.0, 10.0, 1000.0]
        );
    }
}
