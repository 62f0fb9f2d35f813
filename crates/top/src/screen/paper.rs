//! What screens are drawn with: lines, grids of columns and bars, in an area of the terminal.
//!
//! What always holds: nothing is drawn outside of the area, whatever its size; texts are made harmless here, so that no screen
//! can forget it. Without colours everything can still be told apart.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use crate::harmless::{cut, harmless, width};

/// What a text is, from which follows how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Anything
    #[default]
    Plain,
    /// A heading
    Title,
    /// What matters less
    Quiet,
    /// What somebody should look at
    Alarm,
    /// What is selected
    Selected,
}

/// A part of the terminal to draw in, from top to bottom.
pub struct Paper<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    colors: bool,
}

impl<'a> Paper<'a> {
    /// All of an area.
    pub fn new(buffer: &'a mut Buffer, area: Rect, colors: bool) -> Paper<'a> {
        let area = area.intersection(buffer.area);
        Paper { buffer, area, colors }
    }

    /// Columns that there are.
    pub fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    /// Lines that are left.
    pub fn height(&self) -> usize {
        usize::from(self.area.height)
    }

    /// The style of a tone.
    fn style(&self, tone: Tone) -> Style {
        let color = |style: Style, color| if self.colors { style.fg(color) } else { style };
        match tone {
            Tone::Plain => Style::new(),
            Tone::Title => color(Style::new().add_modifier(Modifier::BOLD), Color::Cyan),
            Tone::Quiet => Style::new().add_modifier(Modifier::DIM),
            Tone::Alarm => color(Style::new().add_modifier(Modifier::BOLD), Color::Red),
            Tone::Selected => Style::new().add_modifier(Modifier::REVERSED),
        }
    }

    /// Leaves a line out.
    pub fn skip(&mut self) {
        let lines = self.area.height.min(1);
        self.area.y += lines;
        self.area.height -= lines;
    }

    /// Writes a line of pieces, each after the other, and goes to the next; what is too long is cut.
    pub fn line(&mut self, pieces: &[(&str, Tone)]) {
        if self.area.height == 0 {
            return;
        }
        let mut used = 0;
        for (text, tone) in pieces {
            let text = cut(&harmless(text), self.width().saturating_sub(used));
            self.put(used, &text, *tone);
            used += width(&text);
        }
        self.skip();
    }

    /// Writes a text over several lines, at most so many.
    pub fn wrapped(&mut self, first: &str, text: &str, tone: Tone, lines_max: usize) {
        let indent = width(first);
        let columns = self.width().saturating_sub(indent);
        let mut first = first;
        let blank = " ".repeat(indent);
        for line in wrap(&harmless(text), columns).into_iter().take(lines_max) {
            self.line(&[(first, Tone::Title), (&line, tone)]);
            first = &blank;
        }
    }

    /// Writes into the line that comes next, from a column on, and stays there.
    fn put(&mut self, column: usize, text: &str, tone: Tone) {
        let Ok(column) = u16::try_from(column) else { return };
        if self.area.height == 0 || column >= self.area.width {
            return;
        }
        let style = self.style(tone);
        let room = usize::from(self.area.width - column);
        self.buffer.set_stringn(self.area.x + column, self.area.y, text, room, style);
    }

    /// The rest below a grid, or all that is left, as a grid: a line of titles and rows.
    pub fn grid(&mut self, grid: &Grid, lines_max: usize, selected: Option<usize>) {
        let lines = lines_max.min(self.height());
        if lines == 0 {
            return;
        }
        // Rows from the one on that lets the selected one be seen.
        let room = lines - 1;
        let from = selected.filter(|_| room > 0).map_or(0, |selected| (selected + 1).saturating_sub(room));
        let shown = grid.rows.iter().enumerate().skip(from).take(room);
        let columns = grid.fitting(shown.clone().map(|(_, row)| row), self.width());
        let titles: Vec<String> = grid.columns.iter().map(|column| column.title.to_owned()).collect();
        self.row(grid, &columns, &titles, Tone::Title);
        for (place, row) in shown {
            let tone = if selected == Some(place) { Tone::Selected } else { row.tone };
            self.row(grid, &columns, &row.cells, tone);
        }
    }

    fn row(&mut self, grid: &Grid, columns: &[(usize, usize)], cells: &[String], tone: Tone) {
        if let [heading] = cells {
            return self.line(&[(heading, tone)]);
        }
        let mut text = String::new();
        for (nth, (place, wide)) in columns.iter().enumerate() {
            let cell = cells.get(*place).map_or(String::new(), |cell| cut(&harmless(cell), *wide));
            let blanks = " ".repeat(wide.saturating_sub(width(&cell)));
            let between = if nth == 0 { "" } else { "  " };
            text = match grid.columns[*place].right {
                true => text + between + &blanks + &cell,
                false => text + between + &cell + &blanks,
            };
        }
        self.put(0, &text, tone);
        self.skip();
    }
}

/// A column of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    title: &'static str,
    min: usize,
    max: usize,
    right: bool,
    rank: u8,
}

/// A column of numbers, at least so wide; of a higher rank it goes first where there is no room. Rank 0 stays.
pub fn number(title: &'static str, min: usize, rank: u8) -> Column {
    Column { title, min, max: 20, right: true, rank }
}

/// A column of texts, so wide at least and at most.
pub fn text(title: &'static str, min: usize, max: usize, rank: u8) -> Column {
    Column { title, min, max, right: false, rank }
}

/// A row of a grid.
#[derive(Clone, Debug)]
pub struct GridRow {
    /// As many as there are columns; one alone goes over all of them.
    pub cells: Vec<String>,
    /// How it looks.
    pub tone: Tone,
}

/// Columns with titles; the last one may take what is left.
#[derive(Clone, Debug)]
pub struct Grid {
    /// From left to right.
    pub columns: Vec<Column>,
    /// From top to bottom.
    pub rows: Vec<GridRow>,
}

impl Grid {
    /// Without rows.
    pub fn new(columns: &[Column]) -> Grid {
        Grid { columns: columns.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, tone: Tone, cells: Vec<String>) {
        self.rows.push(GridRow { cells, tone });
    }

    /// Keeps rows that contain a text, in any case.
    pub fn filter(&mut self, filter: &str) {
        let filter = filter.to_lowercase();
        self.rows.retain(|row| row.cells.iter().any(|cell| cell.to_lowercase().contains(&filter)));
    }

    /// The columns for which there is room, and how wide each is.
    fn fitting<'a>(&self, rows: impl Iterator<Item = &'a GridRow> + Clone, room: usize) -> Vec<(usize, usize)> {
        let wide = |place: usize| {
            let column = &self.columns[place];
            let whole = rows.clone().filter(|row| row.cells.len() > 1);
            let cells = whole.filter_map(|row| row.cells.get(place)).map(|cell| width(&harmless(cell)));
            cells.chain([column.min, width(column.title)]).max().unwrap_or_default().min(column.max)
        };
        let mut columns: Vec<(usize, usize)> = (0..self.columns.len()).map(|place| (place, wide(place))).collect();
        let last = columns.len().saturating_sub(1);
        let total = |columns: &[(usize, usize)]| {
            // The last column may be cut to its least.
            let of = |(place, wide): &(usize, usize)| if *place == last { self.columns[last].min } else { *wide };
            columns.iter().map(|column| of(column) + 2).sum::<usize>().saturating_sub(2)
        };
        while total(&columns) > room {
            let by_rank = columns.iter().enumerate().max_by_key(|(_, (place, _))| self.columns[*place].rank);
            match by_rank.map(|(nth, (place, _))| (nth, self.columns[*place].rank)) {
                Some((nth, rank)) if rank > 0 => columns.remove(nth),
                _ => break,
            };
        }
        let before = columns.iter().filter(|(place, _)| *place != last).map(|(_, wide)| wide + 2).sum::<usize>();
        if let Some((_, wide)) = columns.iter_mut().find(|(place, _)| *place == last) {
            let least = self.columns[last].min.min(*wide);
            *wide = (*wide).min(room.saturating_sub(before)).max(least);
        }
        columns
    }
}

/// A text in lines of so many columns, broken at blanks where there are some.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    if columns == 0 {
        return lines;
    }
    for word in text.split(' ') {
        let mut rest = word.to_owned();
        let between = if line.is_empty() { 0 } else { 1 };
        if width(&line) + between + width(&rest) <= columns {
            if between == 1 {
                line.push(' ');
            }
            line.push_str(&rest);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        while width(&rest) > columns {
            let mut piece = String::new();
            for sign in rest.chars() {
                if !piece.is_empty() && width(&piece) + width(sign.encode_utf8(&mut [0; 4])) > columns {
                    break;
                }
                piece.push(sign);
            }
            rest = rest[piece.len()..].to_owned();
            lines.push(piece);
        }
        line = rest;
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The last values as a short line, of which the highest is the highest block.
pub fn spark(values: impl DoubleEndedIterator<Item = f64>, columns: usize) -> String {
    let mut values: Vec<f64> = values.rev().take(columns).collect();
    values.reverse();
    let most = values.iter().copied().fold(0.0, f64::max);
    let block = |value: &f64| {
        const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
        let height = if most > 0.0 { (value / most * 7.0).round() } else { 0.0 };
        BLOCKS[(height.max(0.0) as usize).min(7)]
    };
    values.iter().map(block).collect()
}

/// Parts of a whole as a bar: as many letters of each as it has of the whole, so that it can be read without colours. A part that
/// is there has a letter at least, as long as there is room.
pub fn bar(parts: &[(char, f64)], whole: f64, columns: usize) -> String {
    let mut text = String::new();
    for (letter, part) in parts {
        let share = crate::interval::ratio(*part, whole).min(1.0);
        let letters = (share * columns as f64).round() as usize;
        let letters = letters.max(usize::from(*part > 0.0));
        let room = columns.saturating_sub(text.len());
        text.extend(std::iter::repeat_n(*letter, letters.min(room)));
    }
    let room = columns.saturating_sub(text.len());
    text.extend(std::iter::repeat_n('.', room));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_show_shares_and_what_is_little() {
        assert_eq!(bar(&[('U', 50.0), ('I', 25.0), ('V', 0.1), ('M', 0.0)], 100.0, 20), "UUUUUUUUUUIIIIIV....");
        assert_eq!(bar(&[('U', 300.0), ('I', 1.0)], 100.0, 4), "UUUU");
        assert_eq!((bar(&[('U', 1.0)], 0.0, 3), bar(&[('U', 1.0)], 1.0, 0)), ("U..".into(), String::new()));
    }

    #[test]
    fn sparks_are_of_the_last_values() {
        assert_eq!(spark([9.0, 0.0, 3.5, 7.0].into_iter(), 3), "▁▅█");
        assert_eq!(spark([0.0, 0.0].into_iter(), 5), "▁▁");
        assert_eq!(spark([1.0].into_iter(), 0), "");
    }

    #[test]
    fn lines_break_at_blanks_and_inside_of_long_words() {
        assert_eq!(wrap("ab cde fghijklmn o", 5), ["ab", "cde", "fghij", "klmn", "o"]);
        assert_eq!(wrap("池塘池", 3), ["池", "塘", "池"]);
        assert!(wrap("", 5).is_empty() && wrap("abc", 0).is_empty());
    }

    #[test]
    fn columns_leave_by_rank_and_the_last_takes_what_is_left() {
        let mut grid = Grid::new(&[
            number("id", 3, 0),
            text("login", 5, 10, 2),
            text("database", 8, 10, 1),
            text("statement", 9, 90, 0),
        ]);
        grid.push(Tone::Plain, vec!["51".into(), "ann".into(), "shop".into(), "select 1 from a, b, c".into()]);
        let at = |room| grid.fitting(grid.rows.iter(), room);
        assert_eq!(at(60), [(0, 3), (1, 5), (2, 8), (3, 21)]);
        assert_eq!(at(35), [(0, 3), (1, 5), (2, 8), (3, 13)]);
        assert_eq!(at(25), [(0, 3), (2, 8), (3, 10)]);
        assert_eq!(at(15), [(0, 3), (3, 10)]);
        assert_eq!(at(5), [(0, 3), (3, 9)]);
    }
}
