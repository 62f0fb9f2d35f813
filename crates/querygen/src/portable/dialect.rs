//! What the three dialects write differently: a word between `«` and `»` stands for it.

/// The database that reads a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// T-SQL.
    TransactSql,
    /// PostgreSQL.
    Postgres,
    /// DuckDB.
    DuckDb,
}

/// The word, in T-SQL, in PostgreSQL, in DuckDB.
///
/// NULLs are least in T-SQL, so orders of the others say so. A number of days is added from the left, because `int + date` is
/// what the others know.
const WORDS: [(&str, [&str; 3]); 21] = [
    ("+", ["+", "||", "||"]),
    ("/", ["/", "/", "//"]),
    ("asc", ["", " nulls first", " nulls first"]),
    ("desc", [" desc", " desc nulls last", " desc nulls last"]),
    ("cross apply", ["cross apply", "cross join lateral", "cross join lateral"]),
    ("outer apply", ["outer apply", "left join lateral", "left join lateral"]),
    ("on", ["", " on true", " on true"]),
    ("recursive", ["", "recursive ", "recursive "]),
    ("within", [") within group (", " ", " "]),
    ("float", ["float", "double precision", "double"]),
    ("len", ["len", "length", "length"]),
    ("using", ["from", "using", "using"]),
    ("days(", ["datediff(day, ", "(-(", "(-("]),
    ("days,", [", ", " - ", " - "]),
    ("days)", [")", "))", "))"]),
    ("later(", ["dateadd(day, ", "cast(", "cast("]),
    ("later,", [", ", " + ", " + "]),
    ("later)", [")", " as date)", " as date)"]),
    ("year(", ["year(", "cast(extract(year from ", "cast(extract(year from "]),
    ("year)", [")", ") as int)", ") as int)"]),
    ("begin", ["begin transaction", "begin transaction", "begin transaction"]),
];

impl Dialect {
    /// A statement in this dialect.
    ///
    /// # Panics
    /// For a word that is not in the table: an error of this crate.
    #[must_use]
    pub fn spoken(self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('«') {
            let (word, after) = after.split_once('»').expect("a word ends");
            let (_, ways) = WORDS.iter().find(|(known, _)| *known == word).unwrap_or_else(|| panic!("{word}"));
            out.push_str(before);
            out.push_str(ways[self as usize]);
            rest = after;
        }
        out.push_str(rest);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_words() {
        let text = "select a «+» b from t order by a«desc»";
        assert_eq!(Dialect::TransactSql.spoken(text), "select a + b from t order by a desc");
        assert_eq!(Dialect::Postgres.spoken(text), "select a || b from t order by a desc nulls last");
    }
}
