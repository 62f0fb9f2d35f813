//! Names for completion, as the second session knows them: databases, objects of the current one, columns of some tables.
//!
//! What always holds: an answer is kept for some seconds, so that a key never waits twice; without an answer there are no names.
//! Names that want delimiters have them. A name that would move the cursor or turn the direction of a line is not offered: it would
//! be typed as it is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use millpond_top::harmless::leaves_its_place;
use millpond_tsql::reserved_words;

use super::super::observer::Observer;
use super::super::scan::is_of_word;

/// An answer may take so long: somebody waits at a key.
const LIMIT: Duration = Duration::from_millis(700);
/// It counts for so long.
const FRESH: Duration = Duration::from_secs(5);

/// What an object is, for the place where a name is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Tables, views, table-valued functions, synonyms.
    Rows,
    /// Procedures.
    Procedure,
    /// Scalar functions.
    Function,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
}

/// Rows of texts, and when they were asked for.
type Answer = (Instant, Arc<Vec<Vec<String>>>);

/// Names of the session `session_id`.
pub struct Names {
    observer: Arc<Observer>,
    session_id: i64,
    answers: RefCell<BTreeMap<String, Answer>>,
}

impl Names {
    /// Nothing is asked yet.
    pub fn new(observer: Arc<Observer>, session_id: i64) -> Names {
        Names { observer, session_id, answers: RefCell::default() }
    }

    /// All databases.
    pub fn databases(&self) -> Vec<String> {
        firsts(&self.ask("select name from sys.databases order by name"))
    }

    /// The objects of the session's database, and its temporary tables; those of a system schema if it is named.
    pub fn objects(&self, schema: Option<&str>) -> Vec<Object> {
        let Some(database) = self.database() else { return Vec::new() };
        let system = schema.filter(|schema| ["sys", "information_schema"].contains(&schema.to_lowercase().as_str()));
        let objects = match system {
            Some(system) => format!("[{database}].sys.all_objects o where schema_name(o.schema_id) = '{system}'"),
            None => format!("[{database}].sys.objects o where o.is_ms_shipped = 0"),
        };
        let text = format!(
            "select (select s.name from [{database}].sys.schemas s where s.schema_id = o.schema_id), o.name, rtrim(o.type) \
             from {objects} union all \
             select '', left(name, charindex('____', name + '____') - 1), 'U' from tempdb.sys.tables where name like '#%'"
        );
        let object = |row: &Vec<String>| {
            let [schema, name, kind] = &row[..] else { return None };
            let kind = match kind.as_str() {
                "U" | "V" | "S" | "TF" | "IF" | "SN" => ObjectKind::Rows,
                "P" | "PC" | "X" => ObjectKind::Procedure,
                "FN" | "FS" => ObjectKind::Function,
                _ => return None,
            };
            Some(Object { schema: schema.clone(), name: name.clone(), kind })
        };
        self.ask(&text).iter().filter_map(object).collect()
    }

    /// The procedures of the system that everybody calls by their names alone.
    pub fn system_procedures(&self) -> Vec<String> {
        let text = "select name from master.sys.all_objects where type in ('P', 'X') and schema_id = 4 order by name";
        firsts(&self.ask(text))
    }

    /// The columns of tables, each as it is named in the statement.
    pub fn columns(&self, tables: &[String]) -> Vec<String> {
        let Some(database) = self.database() else { return Vec::new() };
        let of = |table: &String| {
            let (place, catalog) = match table.trim_start_matches('[').starts_with('#') {
                true => ("tempdb..".to_owned(), "tempdb".to_owned()),
                // `a` and `dbo.a` are of the session's database, which is not the second session's.
                false if parts(table) == 1 => (format!("[{database}].."), format!("[{database}]")),
                false if parts(table) == 2 => (format!("[{database}]."), format!("[{database}]")),
                false => (String::new(), table.split('.').next().unwrap_or_default().to_owned()),
            };
            let name = format!("{place}{table}").replace('\'', "''");
            format!("select name from {catalog}.sys.all_columns where object_id = object_id(N'{name}')")
        };
        let texts: Vec<String> = tables.iter().take(16).map(of).collect();
        if texts.is_empty() { Vec::new() } else { firsts(&self.ask(&texts.join(" union "))) }
    }

    /// The database of the session; with its brackets doubled, for statements.
    fn database(&self) -> Option<String> {
        let text =
            format!("select db_name(database_id) from sys.dm_exec_sessions where session_id = {}", self.session_id);
        firsts(&self.ask(&text)).into_iter().next().map(|name| name.replace(']', "]]"))
    }

    fn ask(&self, text: &str) -> Arc<Vec<Vec<String>>> {
        if let Some((when, rows)) = self.answers.borrow().get(text)
            && when.elapsed() < FRESH
        {
            return Arc::clone(rows);
        }
        let results = self.observer.ask(text, LIMIT).unwrap_or_default();
        let rows = results.into_iter().flat_map(|table| table.rows);
        let texts = rows.map(|row| row.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect());
        let is_typed = |row: &Vec<String>| !row.iter().any(|text| text.chars().any(leaves_its_place));
        let rows: Arc<Vec<Vec<String>>> = Arc::new(texts.filter(is_typed).collect());
        let mut answers = self.answers.borrow_mut();
        answers.retain(|_, (when, _)| when.elapsed() < FRESH);
        answers.insert(text.to_owned(), (Instant::now(), Arc::clone(&rows)));
        rows
    }
}

fn firsts(rows: &[Vec<String>]) -> Vec<String> {
    rows.iter().filter_map(|row| row.first().cloned()).filter(|name| !name.is_empty()).collect()
}

fn parts(name: &str) -> usize {
    let mut depth = 0;
    let is_point = |sign: char| match sign {
        '[' => {
            depth += 1;
            false
        }
        ']' => {
            depth -= 1;
            false
        }
        sign => sign == '.' && depth == 0,
    };
    name.split(is_point).count()
}

/// A name as a statement has it: between brackets where it is no regular one.
pub fn delimited(name: &str) -> String {
    let first = name.chars().next().is_some_and(|sign| sign.is_alphabetic() || matches!(sign, '_' | '#'));
    let is_regular =
        first && name.chars().all(is_of_word) && !reserved_words().any(|word| word.eq_ignore_ascii_case(name));
    if is_regular { name.to_owned() } else { format!("[{}]", name.replace(']', "]]")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_want_delimiters_have_them() {
        let names = ["heron", "#t", "order", "a b", "1a", "a]b", "größe", ""].map(delimited);
        assert_eq!(names, ["heron", "#t", "[order]", "[a b]", "[1a]", "[a]]b]", "größe", "[]"]);
    }

    #[test]
    fn points_between_brackets_are_of_the_name() {
        assert_eq!([parts("a"), parts("dbo.a"), parts("[a.b].c.d"), parts("a..b")], [1, 2, 3, 3]);
    }
}
