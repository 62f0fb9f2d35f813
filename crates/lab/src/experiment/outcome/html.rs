//! The page as one file of HTML with its plots inside, for a screen of any width and for paper.
//!
//! What always holds: it is well-formed XML too; every text is escaped; nothing is loaded from elsewhere; no table is wider than
//! the page: on a narrow one each row is a list of its cells.

use std::fmt::Write;

use super::{Outcome, alternative};
use crate::plot::Chart;

const STYLE: &str = include_str!("page.css");

/// The page.
pub(super) fn html(outcome: &Outcome, charts: &[Chart]) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>{0}</title>\
         <style>{STYLE}</style></head>\n<body><h1>{0}</h1>\n",
        escaped(outcome.page.title)
    );
    if let Some(source) = outcome.source() {
        paragraph(&mut out, &source);
    }
    let comparison = outcome.comparison();
    if !comparison.is_empty() {
        table(&mut out, &comparison, "words");
        paragraph(&mut out, &format!("What differs: {}", outcome.page.differs));
    }
    outcome.page.setup.iter().for_each(|text| paragraph(&mut out, text));
    let _ = writeln!(out, "<pre>{}</pre>", escaped(&outcome.run.command));
    paragraph(&mut out, &outcome.provenance().replace('`', ""));
    out.push_str("<ul>\n");
    for finding in &outcome.page.findings {
        let _ = writeln!(out, "<li>{}</li>", escaped(finding));
    }
    out.push_str("</ul>\n");
    for chart in charts {
        let _ = writeln!(
            out,
            "<figure role=\"img\" aria-label=\"{}\">{}</figure>",
            escaped(&alternative(chart)),
            scaled(chart)
        );
    }
    for section in &outcome.page.sections {
        let _ = writeln!(out, "<h2>{}</h2>", escaped(&section.heading));
        section.texts.iter().for_each(|text| paragraph(&mut out, text));
        if !section.formulas.is_empty() {
            let _ = writeln!(out, "<pre>{}</pre>", escaped(&section.formulas.join("\n")));
        }
        if !section.table.is_empty() {
            table(&mut out, &section.table, "words");
        }
    }
    out.push_str("<h2>All figures</h2>\n");
    outcome.grids().iter().for_each(|grid| table(&mut out, grid, "figures"));
    out.push_str("</body></html>\n");
    out
}

/// The plot without a size of its own: it is as wide as the page lets it be.
fn scaled(chart: &Chart) -> String {
    let svg = chart.to_svg();
    match svg.find("viewBox") {
        Some(from) => format!("<svg {}", &svg[from..]),
        None => svg,
    }
}

fn paragraph(out: &mut String, text: &str) {
    let _ = writeln!(out, "<p>{}</p>", escaped(text));
}

/// Cells know their heading, which a narrow page shows before them.
fn table(out: &mut String, rows: &[Vec<String>], class: &str) {
    let Some((heading, rows)) = rows.split_first() else { return };
    let _ = write!(out, "<table class=\"{class}\"><thead><tr>");
    for cell in heading {
        let _ = write!(out, "<th>{}</th>", escaped(cell));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (name, cell) in heading.iter().zip(row) {
            let _ = write!(out, "<td data-name=\"{}\">{}</td>", escaped(name), escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table>\n");
}

/// A text in an element or in an attribute; characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            control if control.is_control() => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::super::tests::outcome;
    use super::*;

    /// Names of all elements in their order; fails where the text is not well-formed.
    fn elements(text: &str) -> Vec<String> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_end_names = true;
        let (mut names, mut depth) = (Vec::new(), 0_i32);
        loop {
            match reader.read_event().unwrap_or_else(|error| panic!("{error} in {text}")) {
                Event::Start(element) => {
                    depth += 1;
                    names.push(element.name().as_ref().to_string());
                    element.attributes().for_each(|attribute| drop(attribute.unwrap()));
                }
                Event::Empty(element) => names.push(element.name().as_ref().to_string()),
                Event::End(_) => depth -= 1,
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0, "every element ends");
        names
    }

    #[test]
    fn a_page_is_well_formed_and_has_its_parts() {
        let outcome = outcome(&[1.25, 1.5]);
        let page = html(&outcome, &outcome.samples.charts());
        let names = elements(&page);
        let count = |name: &str| names.iter().filter(|known| *known == name).count();
        assert_eq!((count("svg"), count("table"), count("h1"), count("h2"), count("figure")), (1, 3, 1, 2, 1));
        // The comparison, two cases, and the model.
        assert_eq!(count("tr"), 2 + 3 + 2);
        assert!(page.contains("<td data-name=\"article\">5\u{a0}×</td>"), "{page}");
        assert!(page.contains("An &lt;old&gt; one") && page.contains("fast, &quot;very&quot;"), "{page}");
        for outside in ["http://", "https://", "src=", "<script"] {
            assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(outside), "{outside}");
        }
    }

    #[test]
    fn plots_are_as_wide_as_the_page() {
        let outcome = outcome(&[1.25]);
        let page = html(&outcome, &outcome.samples.charts());
        assert!(page.contains("<svg viewBox=\"0 0 760 "), "no size of its own: {page}");
        assert!(STYLE.contains("@media print") && STYLE.contains("prefers-color-scheme:dark"));
    }

    #[test]
    fn hostile_names_stay_texts() {
        let hostile = "</td><script>alert(1)</script>\u{0}\u{1b}\" onload=\"x";
        assert_eq!(escaped(hostile), "&lt;/td&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&quot;x");
    }
}
