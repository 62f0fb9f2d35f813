//! What stands above the first prompt: what this is, where the databases are, and the two things that a newcomer has to know.

use std::path::Path;

use millpond_types::format::to_display;

use super::super::gathered::Gathered;
use super::super::screen::text;
use super::super::target::Target;

/// The lines; `server` is what `-S` has named, `data` the folder of an engine in this process.
pub fn lines(target: &mut dyn Target, server: Option<&str>, data: Option<&Path>) -> Vec<String> {
    let own = env!("CARGO_PKG_VERSION");
    let asked = "select @@servername, db_name(), cast(serverproperty('ProductVersion') as nvarchar(128)), @@version";
    let results = Gathered::of(target, asked).unwrap_or_default();
    let row = results.first().and_then(|table| Some(table.rows.first()?.iter().zip(&table.columns)));
    let facts: Vec<String> = row
        .into_iter()
        .flatten()
        .map(|(value, column)| text::clean(to_display(value, &column.sql_type).lines().next().unwrap_or_default()))
        .collect();
    let (name, database, product, version) = match &facts[..] {
        [name, database, product, version] => (name.as_str(), database.as_str(), product.as_str(), version.as_str()),
        _ => ("", "master", "", ""),
    };
    let place = match (server, data) {
        (Some(server), _) => {
            format!("server {server} ({name}), {}", if version.is_empty() { product } else { version })
        }
        (None, Some(data)) => format!("in this process, databases in {}", text::clean(&data.display().to_string())),
        (None, None) => "in this process and in memory: gone when you leave (--data DIR keeps it)".into(),
    };
    vec![
        format!("Millpond {own}, T-SQL of SQL Server {product}. Database {database}; {place}"),
        "GO on a line of its own runs what stands before it, \\g at the end of a line does too; :help has more; exit leaves.".into(),
    ]
}
