//! Texts in pictures: lines that fit, entries of a legend in rows.
//!
//! What always holds: no line is wider than was said, but for one word that is; widths are estimated from the number of
//! characters, as a picture does not know the fonts of who looks at it.

/// Mean width of a character as a share of the font's height: what sans-serif fonts need, rounded up.
const CHARACTER_WIDTH: f64 = 0.56;

/// The estimated width of a text in pixels.
pub(super) fn width_px(text: &str, font_px: u32) -> f64 {
    text.chars().count() as f64 * f64::from(font_px) * CHARACTER_WIDTH
}

/// The text in lines that fit, cut between words.
pub(super) fn wrapped(text: &str, font_px: u32, room_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width_px(line, font_px) + width_px(word, font_px) + width_px(" ", font_px) <= room_px => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Rows of entries side by side, each entry by its number with its place from the left.
pub(super) fn rows(widths_px: &[f64], room_px: f64) -> Vec<Vec<(usize, f64)>> {
    let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
    let mut next_px = 0.0;
    for (number, width) in widths_px.iter().enumerate() {
        if rows.is_empty() || next_px + width > room_px {
            rows.push(Vec::new());
            next_px = 0.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push((number, next_px));
        }
        next_px += width;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_and_lose_no_word() {
        let text = "INSERT TABLOCK, serial and a_word_that_is_longer_than_a_line";
        let lines = wrapped(text, 13, 100.0);
        assert_eq!(lines.join(" "), text);
        for line in &lines {
            assert!(width_px(line, 13) <= 100.0 || !line.contains(' '), "{line}");
        }
        assert_eq!(wrapped("", 13, 100.0), Vec::<String>::new());
    }

    #[test]
    fn entries_go_to_the_next_row_where_there_is_no_room() {
        assert_eq!(rows(&[40.0, 50.0, 20.0], 100.0), [vec![(0, 0.0), (1, 40.0)], vec![(2, 0.0)]]);
        assert_eq!(rows(&[140.0], 100.0), [[(0, 0.0)]]);
    }
}
