//! Another database as a process that reads statements and writes rows.
//!
//! After each statement it writes a line `@end` with whether it failed. Values are texts, apart by `0x1F`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::dialect::Dialect;

const END: &str = "@end ";
const NULL: &str = "\\N";
const SEPARATOR: &str = "\u{1f}";

/// Reads statements up to a line `@go`, runs them, writes the rows of the last.
const DUCKDB: &str = "
import sys, duckdb
con = duckdb.connect(config={'threads': 1})
batch = []
for line in sys.stdin:
    if line != '@go\\n':
        batch.append(line)
        continue
    try:
        con.execute(''.join(batch))
        for row in con.fetchall():
            print('\\x1f'.join('\\\\N' if value is None else str(value) for value in row))
        print('@end f')
    except Exception as error:
        print('@end t', str(error).replace('\\n', ' '))
    batch = []
    sys.stdout.flush()
";

/// How a peer is started.
#[derive(Clone, Debug)]
pub enum Start {
    /// DuckDB in this Python, which has its module.
    DuckDb(String),
    /// `psql` as user postgres to a PostgreSQL at this port of this machine.
    Postgres(u16),
}

/// A running database and the way to it.
pub struct Peer {
    /// What it reads.
    pub dialect: Dialect,
    /// It ended: it answers nothing until [`Peer::again`].
    pub is_gone: bool,
    start: Start,
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

/// What a peer says: rows of texts, or its error.
pub type Answer = Result<Vec<Vec<Option<String>>>, String>;

impl Peer {
    /// Starts it.
    ///
    /// # Errors
    /// When the program does not start.
    pub fn new(start: Start) -> std::io::Result<Peer> {
        let (dialect, mut command) = match &start {
            Start::DuckDb(python) => {
                let mut command = Command::new(python);
                command.args(["-u", "-c", DUCKDB]);
                (Dialect::DuckDb, command)
            }
            Start::Postgres(port) => {
                let mut command = Command::new("psql");
                command.args(["-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string()]);
                command.args(["-F", SEPARATOR, "-P", &format!("null={NULL}")]);
                (Dialect::Postgres, command)
            }
        };
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (to, from) = (process.stdin.take(), process.stdout.take());
        let (Some(to), Some(from)) = (to, from) else { return Err(std::io::Error::other("no pipes")) };
        let mut peer = Peer { dialect, is_gone: false, start, process, to, from: BufReader::new(from) };
        if dialect == Dialect::Postgres {
            peer.ask("set statement_timeout = 5000; set client_min_messages = error").map_err(std::io::Error::other)?;
        }
        Ok(peer)
    }

    /// Starts one that is gone again, without tables.
    ///
    /// # Errors
    /// When the program does not start.
    pub fn again(&mut self) -> std::io::Result<()> {
        *self = Peer::new(self.start.clone())?;
        Ok(())
    }

    /// What it says to statements, written in words of [`Dialect`].
    ///
    /// # Errors
    /// Its own error, or that it is gone.
    pub fn ask(&mut self, text: &str) -> Answer {
        let text = self.dialect.spoken(text);
        let sent = match self.dialect {
            Dialect::DuckDb => writeln!(self.to, "{text}\n@go"),
            _ => writeln!(self.to, "{text};\n\\echo {END}:ERROR :LAST_ERROR_MESSAGE"),
        };
        if let Err(error) = sent.and_then(|()| self.to.flush()) {
            self.is_gone = true;
            return Err(error.to_string());
        }
        let mut rows = Vec::new();
        loop {
            let mut line = String::new();
            if self.from.read_line(&mut line).map_err(|error| error.to_string())? == 0 {
                self.is_gone = true;
                return Err("it is gone".into());
            }
            let line = line.trim_end_matches('\n');
            if let Some(end) = line.strip_prefix(END) {
                return if end.starts_with('t') { Err(end.to_owned()) } else { Ok(rows) };
            }
            let value = |text: &str| (text != NULL).then(|| text.to_owned());
            rows.push(line.split(SEPARATOR).map(value).collect());
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // One that is gone already is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
