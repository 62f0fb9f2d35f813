//! The prompt of `millpond sql` in a pseudo-terminal: what is typed and what is pasted, with and without the marks that a
//! terminal puts around it (bracketed paste).
//!
//! Answers are distinguished from what the terminal echoes by their values: no input contains its own result.

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Receiver;
use std::time::Instant;

use nix::pty::openpty;

use crate::screen::{PATIENCE, read_on, winsize};

const PASTE_BEGINS: &str = "\x1b[200~";
const PASTE_ENDS: &str = "\x1b[201~";

/// The prompt in a terminal.
pub struct Terminal {
    child: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// All that came.
    pub seen: String,
    home: tempfile::TempDir,
}

impl Terminal {
    /// The shell on the engine in its process, at its first prompt.
    fn open() -> Terminal {
        Terminal::open_with(&[])
    }

    /// The same with more options.
    fn open_with(options: &[&str]) -> Terminal {
        let all: Vec<&str> = ["-h", "-1", "-W"].iter().chain(options).copied().collect();
        Terminal::start(&all, &[], (200, 50))
    }

    /// The shell with these options in a terminal of so many columns and rows.
    pub fn start(options: &[&str], environment: &[(&str, &str)], (columns, rows): (u16, u16)) -> Terminal {
        let pair = openpty(&winsize(columns, rows), None).expect("a pseudo-terminal");
        let home = tempfile::tempdir().expect("a directory");
        let side = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
        let child = Command::new(env!("CARGO_BIN_EXE_millpond"))
            .arg("sql")
            .args(options)
            .env_remove("NO_COLOR")
            .env("HOME", home.path())
            .env("TERM", "xterm")
            .envs(environment.iter().copied())
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .expect("the binary starts");
        drop(pair.slave);
        let keyboard = File::from(pair.master);
        let screen = read_on(&keyboard, None);
        let mut terminal = Terminal { child, keyboard, screen, seen: String::new(), home };
        terminal.wait_for("1> ", 1);
        terminal
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Its home, where the history is.
    pub fn home(&self) -> &std::path::Path {
        self.home.path()
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&self.keyboard, size).expect("a terminal");
    }

    /// Types.
    pub fn write(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).expect("the terminal takes it");
    }

    /// Until `text` was seen so often.
    pub fn wait_for(&mut self, text: &str, times: usize) {
        let end = Instant::now() + PATIENCE;
        while self.seen.matches(text).count() < times {
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.screen.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|why| panic!("{why}: no {text:?} after\n{}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Leaves; what was seen.
    pub fn leave(mut self) -> String {
        self.leaves()
    }

    /// The same, with its home still there.
    pub fn leaves(&mut self) -> String {
        self.write("exit\r");
        while let Ok(bytes) = self.screen.recv_timeout(PATIENCE) {
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
        assert!(self.child.wait().expect("it ends").success(), "{}", self.seen);
        std::mem::take(&mut self.seen)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Three batches: one over several lines, one with tabs, one with a GO that is text. Lines end as terminals send them.
fn script(line_end: &str) -> String {
    [
        "set nocount on",
        "select 40",
        "    + 2",
        "GO",
        "select\tlen('a\tb') * 1000 + unicode(substring('a\tb', 2, 1))",
        "",
        "\tfrom (select 1 as one) as t",
        "go",
        "select len('",
        "go",
        "') + 500",
        "go 2",
        "",
    ]
    .join(line_end)
}

/// Of the answers, all are there and no other error is.
fn check(seen: &str) {
    for (answer, times) in [("42", 1), ("3009", 1), ("504", 2)] {
        let count = seen.split("\r\n").filter(|line| *line == answer).count();
        assert_eq!(count, times, "{answer} in\n{seen}");
    }
    assert!(!seen.contains("Msg "), "{seen}");
}

/// SIGINT, as a terminal sends it for Ctrl-C. Where the process ends by it there is no next prompt.
#[test]
fn an_interrupt_ends_the_batch_and_not_the_prompt() {
    let server = crate::remote::start();
    let address = format!("127.0.0.1,{}", server.address().port());
    for options in [&[][..], &["-S", &address, "-U", "sa", "-P", crate::remote::PASSWORD]] {
        let mut terminal = Terminal::open_with(options);
        terminal.write("raiserror('be%s', 0, 1, 'gun') with nowait waitfor delay '01:00:00'\rgo\r");
        terminal.wait_for("begun", 1);
        let process = terminal.id().to_string();
        assert!(Command::new("kill").args(["-INT", &process]).status().expect("kill is there").success());
        terminal.wait_for("the batch was cancelled", 1);
        terminal.wait_for("1> ", 2);
        terminal.write("select 40 + 2\rgo\r");
        terminal.wait_for("\r\n42\r\n", 1);
        terminal.leave();
    }
    server.stop().expect("the server stops");
}

#[test]
fn marked_text_of_several_batches_is_run_batch_by_batch() {
    for line_end in ["\r", "\n", "\r\n"] {
        let mut terminal = Terminal::open();
        terminal.write(&format!("{PASTE_BEGINS}{}{PASTE_ENDS}\r", script(line_end)));
        terminal.wait_for("\r\n504\r\n", 1);
        // All of it is run: the next line is the first of a batch.
        terminal.wait_for("1> ", 2);
        check(&terminal.leave());
    }
}

#[test]
fn unmarked_text_is_as_if_typed() {
    let mut terminal = Terminal::open();
    terminal.write(&script("\r"));
    terminal.wait_for("\r\n504\r\n", 1);
    check(&terminal.leave());
}

#[test]
fn what_comes_while_a_batch_runs_is_read_afterwards() {
    let mut terminal = Terminal::open();
    terminal.write("waitfor delay '00:00:01'\rgo\r");
    terminal.wait_for("go", 1);
    terminal.write(&script("\r"));
    terminal.wait_for("\r\n504\r\n", 1);
    check(&terminal.leave());
}

#[test]
fn what_is_pasted_without_an_end_is_the_beginning_of_a_batch() {
    let mut terminal = Terminal::open();
    terminal.write(&format!("{PASTE_BEGINS}select 600{PASTE_ENDS}"));
    terminal.write(" +\r");
    terminal.wait_for("2> ", 1);
    terminal.write(&format!("{PASTE_BEGINS}  60\r  + 6\r{PASTE_ENDS}\r"));
    terminal.wait_for("4> ", 1);
    terminal.write("go\r");
    terminal.wait_for("\r\n666\r\n", 1);
    let seen = terminal.leave();
    assert!(!seen.contains("Msg "), "{seen}");
}
