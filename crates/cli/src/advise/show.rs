//! Advice as text: for eyes, as JSON, as CSV.
//!
//! What always holds: nothing of a server's texts reaches a terminal as a control of it; JSON and CSV have all columns of the procedure, by
//! its names. It knows no terminal: the width is given.

use millpond_top::harmless::{harmless, is_harmful};
use millpond_top::once::quoted;

/// Names of columns, of results and of files.
pub const COLUMNS: [&str; 6] = ["topic", "severity", "finding", "evidence", "effect", "statement"];

/// An advice as it is shown, in the order of [`COLUMNS`].
pub type Shown = [Option<String>; 6];

/// For eyes: a paragraph for each advice, in lines of a width.
#[must_use]
pub fn table(all: &[Shown], width: usize) -> String {
    if all.is_empty() {
        return "There is nothing to advise.\n".to_owned();
    }
    let mut text = String::new();
    for (number, [topic, severity, finding, evidence, effect, statement]) in all.iter().enumerate() {
        if number > 0 {
            text.push('\n');
        }
        let shown = |cell: &Option<String>| harmless(cell.as_deref().unwrap_or_default());
        let head = format!("{:<8}{}: {}", shown(severity), shown(topic), shown(finding));
        text.push_str(&wrapped(&head, 8, width));
        for (name, cell) in [("because", evidence), ("effect", effect), ("run", statement)] {
            if cell.is_some() {
                text.push_str(&wrapped(&format!("        {name:<9}{}", shown(cell)), 17, width));
            }
        }
    }
    text
}

/// A text in lines, those behind the first indented. A word that is too long for a line stays whole, so that it can be copied.
fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let begin: String = text.chars().take_while(|char| *char == ' ').collect();
    let mut lines = begin.clone();
    let mut column = begin.chars().count();
    let mut is_first = true;
    for word in text[begin.len()..].split(' ') {
        let length = word.chars().count();
        if !is_first && column + 1 + length > width.max(40) && length > 0 {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if !is_first {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
        is_first = false;
    }
    lines.truncate(lines.trim_end().len());
    lines.push('\n');
    lines
}

/// As an array of objects.
#[must_use]
pub fn json(all: &[Shown]) -> String {
    let one = |advice: &Shown| {
        let fields = COLUMNS.iter().zip(advice).map(|(name, cell)| {
            let cell = cell.as_deref().map_or("null".to_owned(), json_text);
            format!("\"{name}\": {cell}")
        });
        format!("  {{{}}}", fields.collect::<Vec<_>>().join(", "))
    };
    let objects: Vec<String> = all.iter().map(one).collect();
    if objects.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", objects.join(",\n")) }
}

/// A text with its quotes. JSON on a terminal is text on a terminal, so what is harmful there is escaped too.
fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => json.extend(['\\', char]),
            char if is_harmful(char) => {
                char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| json.push_str(&format!("\\u{unit:04x}")));
            }
            char => json.push(char),
        }
    }
    json.push('"');
    json
}

/// With names in the first line, quoted where it is needed (RFC 4180).
#[must_use]
pub fn csv(all: &[Shown]) -> String {
    let mut text = COLUMNS.join(",") + "\n";
    for advice in all {
        let cells = advice.iter().map(|cell| quoted(&harmless(cell.as_deref().unwrap_or_default())));
        text.push_str(&cells.collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(finding: &str, statement: Option<&str>) -> Shown {
        let text = |text: &str| Some(text.to_owned());
        [text("memory"), text("high"), text(finding), text("so, many"), None, statement.map(str::to_owned)]
    }

    #[test]
    fn it_is_shown_in_lines() {
        let text =
            table(&[one("It is too small for what is asked of it every day.", Some("EXEC sp_configure 'a', 1;"))], 50);
        let expected = "\
high    memory: It is too small for what is asked
        of it every day.
        because  so, many
        run      EXEC sp_configure 'a', 1;
";
        assert_eq!(text, expected);
        assert_eq!(table(&[], 80), "There is nothing to advise.\n");
    }

    #[test]
    fn what_could_mislead_is_marked() {
        let evil = "a\u{1b}[2J\u{202e}b\nc";
        let shown = table(&[one(evil, None)], 80);
        assert!(!shown.contains(['\u{1b}', '\u{202e}']) && shown.contains("[2J"), "{shown}");
        assert!(json(&[one(evil, None)]).contains("a\\u001b[2J\\u202eb\\u000ac"));
    }

    #[test]
    fn json_and_csv_have_all_columns() {
        let all = [one("say \"so\"", None)];
        let expected = "[\n  {\"topic\": \"memory\", \"severity\": \"high\", \"finding\": \"say \\\"so\\\"\", \
                        \"evidence\": \"so, many\", \"effect\": null, \"statement\": null}\n]\n";
        assert_eq!(json(&all), expected);
        let csv = csv(&all);
        assert_eq!(
            csv,
            "topic,severity,finding,evidence,effect,statement\nmemory,high,\"say \"\"so\"\"\",\"so, many\",,\n"
        );
    }
}
