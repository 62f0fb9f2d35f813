//! Where facts come from: a server that gives the rows of a view.
//!
//! What always holds: a question names a view or function and the columns that are wanted of it, so that a server answers it by its
//! own means and a client by the text of [`Question::text`]. What is refused is an error of that question alone.

use crate::quote;

/// A value, as far as rules and screens distinguish values.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// NULL
    Null,
    /// A whole number, also a bit
    Int(i64),
    /// Any other number
    Float(f64),
    /// All that is not a number
    Text(String),
}

/// Rows of a question, each with a cell for each of its columns.
pub type Cells = Vec<Vec<Cell>>;

/// An argument of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// NULL
    Null,
    /// A number
    Number(i64),
    /// Bytes
    Bytes(Vec<u8>),
}

impl Argument {
    /// As a client writes it.
    fn text(&self) -> String {
        match self {
            Argument::Null => "null".to_owned(),
            Argument::Number(number) => number.to_string(),
            Argument::Bytes(bytes) => hex(bytes),
        }
    }
}

/// Bytes as a literal, `0x1F`, which is how cells have them.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02X}"))
}

/// The bytes of such a literal.
pub(crate) fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.strip_prefix("0x")?;
    let pair = |place: usize| u8::from_str_radix(digits.get(place..place + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(pair).collect()
}

/// A column as a client asks for it: bytes as their literal, variants as numbers.
fn expression(column: &str) -> String {
    match column {
        "sql_handle" | "query_hash" => format!("convert(varchar(200), {column}, 1) as {column}"),
        "value_in_use" => format!("cast({column} as bigint) as {column}"),
        _ => column.to_owned(),
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The database whose view it is; `None` for views of the server.
    pub database: Option<String>,
    /// The name of the view or function in `sys`.
    pub view: &'static str,
    /// The arguments of a function.
    pub arguments: Option<Vec<Argument>>,
    /// Columns that are wanted.
    pub columns: &'static [&'static str],
    /// The column by which rows are many or few, and how many of those with most are wanted.
    pub most: Option<(&'static str, usize)>,
}

impl Question {
    /// Of a view of the server.
    #[must_use]
    pub fn of(view: &'static str, columns: &'static [&'static str]) -> Question {
        Question { database: None, view, arguments: None, columns, most: None }
    }

    /// The same of a database.
    #[must_use]
    pub fn within(self, database: &str) -> Question {
        Question { database: Some(database.to_owned()), ..self }
    }

    /// The same of a function.
    #[must_use]
    pub fn called(self, arguments: Vec<Argument>) -> Question {
        Question { arguments: Some(arguments), ..self }
    }

    /// The rows with most of a column.
    #[must_use]
    pub fn most(self, by: &'static str, count: usize) -> Question {
        Question { most: Some((by, count)), ..self }
    }

    /// As a client asks it.
    #[must_use]
    pub fn text(&self) -> String {
        let top = self.most.map_or(String::new(), |(_, count)| format!("top ({count}) "));
        let database = self.database.as_ref().map_or(String::new(), |database| format!("{}.", quote::name(database)));
        let arguments = self.arguments.as_ref().map_or(String::new(), |arguments| {
            format!("({})", arguments.iter().map(Argument::text).collect::<Vec<_>>().join(", "))
        });
        let order = self.most.map_or(String::new(), |(by, _)| format!(" order by {by} desc"));
        let columns: Vec<String> = self.columns.iter().map(|column| expression(column)).collect();
        format!("select {top}{} from {database}sys.{}{arguments}{order}", columns.join(", "), self.view)
    }
}

/// Why there are no rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceError {
    /// The server refused the question, and goes on.
    Refused {
        /// The number of its first error, as 300 or 208.
        number: i32,
        /// The text of it.
        text: String,
    },
    /// There is no connection any more, and why.
    Lost(String),
}

impl std::fmt::Display for SourceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SourceError::Refused { number, text } => write!(f, "Msg {number}: {text}"),
            SourceError::Lost(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for SourceError {}

/// A server.
pub trait Source {
    /// The rows of a question, in its columns.
    ///
    /// # Errors
    /// [`SourceError`]; after [`SourceError::Lost`] nothing more is asked.
    fn rows(&mut self, question: &Question) -> Result<Cells, SourceError>;
}

/// A row with the names of its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    columns: &'static [&'static str],
    cells: &'a [Cell],
}

impl<'a> Row<'a> {
    /// A row of a question with these columns.
    pub(crate) fn new(columns: &'static [&'static str], cells: &'a [Cell]) -> Row<'a> {
        Row { columns, cells }
    }

    fn cell(&self, name: &str) -> &'a Cell {
        let place = self.columns.iter().position(|column| *column == name);
        place.and_then(|place| self.cells.get(place)).unwrap_or(&Cell::Null)
    }

    /// A number that may be NULL; fractions are cut.
    pub(crate) fn maybe(&self, name: &str) -> Option<i64> {
        match self.cell(name) {
            Cell::Null => None,
            Cell::Int(number) => Some(*number),
            // Saturates; no counter is beyond 2^63.
            Cell::Float(number) => Some(*number as i64),
            Cell::Text(text) => text.trim().parse().ok(),
        }
    }

    /// A number; 0 for NULL.
    pub(crate) fn int(&self, name: &str) -> i64 {
        self.maybe(name).unwrap_or(0)
    }

    /// A number with its fraction; 0 for NULL.
    pub(crate) fn float(&self, name: &str) -> f64 {
        match self.cell(name) {
            Cell::Int(number) => *number as f64,
            Cell::Float(number) => *number,
            Cell::Null | Cell::Text(_) => 0.0,
        }
    }

    /// A text; empty for NULL.
    pub(crate) fn text(&self, name: &str) -> String {
        match self.cell(name) {
            Cell::Null => String::new(),
            Cell::Int(number) => number.to_string(),
            Cell::Float(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_has_a_text() {
        let question = Question::of("dm_io_virtual_file_stats", &["file_id", "io_stall"]);
        assert_eq!(question.text(), "select file_id, io_stall from sys.dm_io_virtual_file_stats");
        let question = question.called(vec![Argument::Null, Argument::Number(2)]).within("a]b").most("io_stall", 5);
        let text =
            "select top (5) file_id, io_stall from [a]]b].sys.dm_io_virtual_file_stats(null, 2) order by io_stall desc";
        assert_eq!(question.text(), text);
    }

    #[test]
    fn bytes_are_asked_for_and_given_as_literals() {
        assert_eq!(bytes_of(&hex(&[0, 0xAB, 9])), Some(vec![0, 0xAB, 9]));
        assert_eq!((bytes_of("0xA"), bytes_of("AB"), bytes_of("0xZZ")), (None, None, None));
        let text = Question::of("dm_exec_sql_text", &["text"]).called(vec![Argument::Bytes(vec![1, 2])]).text();
        assert_eq!(text, "select text from sys.dm_exec_sql_text(0x0102)");
        let text = Question::of("dm_exec_query_stats", &["query_hash"]).text();
        assert_eq!(text, "select convert(varchar(200), query_hash, 1) as query_hash from sys.dm_exec_query_stats");
    }

    #[test]
    fn cells_fit_as_they_can() {
        let cells = [Cell::Int(7), Cell::Float(2.5), Cell::Text(" 12 ".into())];
        let row = Row::new(&["a", "b", "c", "d"], &cells);
        assert_eq!((row.int("a"), row.int("b"), row.int("c"), row.maybe("d")), (7, 2, 12, None));
        assert_eq!((row.float("b"), row.text("a"), row.text("d")), (2.5, "7".into(), String::new()));
    }
}
