//! Where samples come from: something that runs a text of T-SQL and gives its rows.
//!
//! What always holds: an error of T-SQL is [`SourceError::Refused`] and the next text can be asked; after
//! [`SourceError::Lost`] nothing is answered any more. It knows nothing of sockets: the caller has the connection.

pub use millpond_advice::source::{Cell, SourceError};

/// A result: names of columns, and rows of as many cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Names in the order of the cells.
    pub columns: Vec<String>,
    /// Rows in the order of the server.
    pub rows: Vec<Vec<Cell>>,
}

/// A session on a server.
pub trait Source {
    /// Runs a text to its end and gives all of its results.
    ///
    /// # Errors
    /// The first error of the text, or why there is no connection.
    fn run(&mut self, text: &str) -> Result<Vec<Rows>, SourceError>;
}

/// A row with the names of its columns.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    columns: &'a [String],
    cells: &'a [Cell],
}

impl<'a> Row<'a> {
    /// The cell of a column, whose name may be in any case; NULL where there is no such column.
    pub fn cell(&self, name: &str) -> &'a Cell {
        let place = self.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        place.and_then(|place| self.cells.get(place)).unwrap_or(&Cell::Null)
    }
}

impl Rows {
    /// The rows with their names.
    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { columns: &self.columns, cells })
    }
}

/// What a field of a sample is made of.
pub trait FromCell: Sized {
    /// The value of a cell; NULL and what does not fit are the default.
    fn from_cell(cell: &Cell) -> Self;
}

impl FromCell for i64 {
    fn from_cell(cell: &Cell) -> i64 {
        Option::from_cell(cell).unwrap_or_default()
    }
}

impl FromCell for String {
    fn from_cell(cell: &Cell) -> String {
        Option::from_cell(cell).unwrap_or_default()
    }
}

impl FromCell for Option<i64> {
    fn from_cell(cell: &Cell) -> Option<i64> {
        match cell {
            Cell::Null => None,
            Cell::Int(number) => Some(*number),
            // Saturates; servers have no counters beyond 2^63.
            Cell::Float(number) => Some(*number as i64),
            Cell::Text(text) => text.trim().parse().ok(),
        }
    }
}

impl FromCell for Option<String> {
    fn from_cell(cell: &Cell) -> Option<String> {
        match cell {
            Cell::Null => None,
            Cell::Int(number) => Some(number.to_string()),
            Cell::Float(number) => Some(number.to_string()),
            Cell::Text(text) => Some(text.clone()),
        }
    }
}

/// A row of a sample, made of a row of a result.
pub trait FromRow: Sized {
    /// Reads its fields by the names of columns.
    fn from_row(row: &Row<'_>) -> Self;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_found_by_name_and_fit_as_they_can() {
        let rows = Rows {
            columns: vec!["A".into(), "b".into(), "c".into()],
            rows: vec![vec![Cell::Int(7), Cell::Float(2.5), Cell::Text(" 12 ".into())], vec![Cell::Null]],
        };
        let all: Vec<Row<'_>> = rows.iter().collect();
        assert_eq!(i64::from_cell(all[0].cell("a")), 7);
        assert_eq!(i64::from_cell(all[0].cell("B")), 2);
        assert_eq!(Option::<i64>::from_cell(all[0].cell("c")), Some(12));
        assert_eq!(Option::<i64>::from_cell(all[0].cell("d")), None);
        assert_eq!(String::from_cell(all[0].cell("a")), "7");
        // A row that is too short has NULL in its place.
        assert_eq!(all[1].cell("c"), &Cell::Null);
    }
}
