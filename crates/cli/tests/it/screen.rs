//! A terminal for tests: a program in a pseudo-terminal, and what it has drawn there, cell by cell.
//!
//! It understands what programs that draw whole screens send: text, moves of the cursor, erasing, and passes over the rest.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use rustix::termios::{Termios, tcgetattr, tcsetwinsize};

/// A terminal on which nothing comes for so long hangs.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A program in a terminal.
pub struct Screen {
    child: Child,
    terminal: File,
    bytes: Receiver<Vec<u8>>,
    before: Termios,
    cells: Cells,
    /// All that came, for marks that are no text.
    pub seen: String,
}

impl Screen {
    /// Starts the binary, whose terminal this is (so that it hears of other sizes).
    pub fn open(arguments: &[&str], (columns, rows): (u16, u16)) -> Screen {
        let pair = openpty(&winsize(columns, rows), None).expect("a pseudo-terminal");
        let before = tcgetattr(&pair.slave).expect("a terminal");
        let side = || Stdio::from(pair.slave.try_clone().expect("a descriptor"));
        let child = Command::new("setsid")
            .args(["--ctty", env!("CARGO_BIN_EXE_millpond")])
            .args(arguments)
            .env("TERM", "xterm")
            .stdin(side())
            .stdout(side())
            .stderr(side())
            .spawn()
            .expect("setsid, of util-linux, starts the binary");
        let terminal = File::from(pair.master);
        // The other side is kept, so that its attributes can be asked for when the program has ended.
        let bytes = read_on(&terminal, Some(pair.slave));
        Screen { child, terminal, bytes, before, cells: Cells::new(columns, rows), seen: String::new() }
    }

    /// Types.
    pub fn write(&mut self, text: &str) {
        self.terminal.write_all(text.as_bytes()).expect("the terminal takes it");
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.cells = Cells::new(columns, rows);
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.terminal, size).expect("a terminal");
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What stands there.
    pub fn lines(&self) -> Vec<String> {
        self.cells.rows.iter().map(|row| row.iter().collect::<String>().trim_end().to_owned()).collect()
    }

    /// Until what stands there is as wanted.
    pub fn wait_for(&mut self, what: &str, is_it: impl Fn(&[String]) -> bool) {
        self.wait(what, |screen| is_it(&screen.lines()));
    }

    /// Until a text has come, wherever it stands.
    pub fn wait_for_mark(&mut self, mark: &str) {
        self.wait(mark, |screen| screen.seen.contains(mark));
    }

    fn wait(&mut self, what: &str, is_it: impl Fn(&Screen) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !is_it(self) {
            let left = end.saturating_duration_since(Instant::now());
            let bytes = self.bytes.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|why| panic!("{why}: no {what} in\n{}", self.lines().join("\n")));
            self.take(&bytes);
        }
    }

    /// Until a text stands there.
    pub fn wait_for_text(&mut self, text: &str) {
        self.wait_for(text, |lines| lines.iter().any(|line| line.contains(text)));
    }

    fn take(&mut self, bytes: &[u8]) {
        // Signs may be cut between two reads; what is compared in these tests is ASCII.
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.seen.push_str(&text);
        text.chars().for_each(|sign| self.cells.take(sign));
    }

    /// Waits for its end; its status. The terminal has to be as it was before.
    pub fn end(mut self) -> ExitStatus {
        let status = self.child.wait().expect("it ends");
        while let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(200)) {
            self.take(&bytes);
        }
        let after = tcgetattr(&self.terminal).expect("a terminal");
        let modes = |of: &Termios| (of.input_modes, of.output_modes, of.control_modes, of.local_modes);
        assert_eq!(modes(&after), modes(&self.before), "{}", self.seen);
        for (on, off) in [("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h")] {
            let last = |mark: &str| self.seen.rfind(mark);
            assert!(last(on) < last(off) || last(on).is_none(), "{off:?} does not come after {on:?}");
        }
        status
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // It has ended, unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What comes out of a terminal, to its end; `kept` is held as long.
pub fn read_on(terminal: &File, kept: Option<OwnedFd>) -> Receiver<Vec<u8>> {
    let mut lines = terminal.try_clone().expect("a descriptor");
    let (sender, bytes) = channel();
    std::thread::spawn(move || {
        let _kept = kept;
        let mut buffer = [0; 4096];
        // The end is an error (EIO) where the last holder of the other side has closed it.
        while let Ok(count) = lines.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    bytes
}

/// A size in characters.
pub fn winsize(columns: u16, rows: u16) -> Winsize {
    Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }
}

/// What was drawn.
struct Cells {
    rows: Vec<Vec<char>>,
    row: usize,
    column: usize,
    /// A sequence that has begun.
    sequence: Option<String>,
}

impl Cells {
    fn new(columns: u16, rows: u16) -> Cells {
        Cells { rows: vec![vec![' '; columns.into()]; rows.into()], row: 0, column: 0, sequence: None }
    }

    fn take(&mut self, sign: char) {
        match &mut self.sequence {
            Some(sequence) => {
                sequence.push(sign);
                // `[`, parameters, and a letter; anything else is one sign long.
                let is_open = sequence == "[" || (sequence.starts_with('[') && !sign.is_ascii_alphabetic());
                if !is_open {
                    let sequence = self.sequence.take().unwrap_or_default();
                    self.obey(&sequence);
                }
            }
            None => match sign {
                '\x1b' => self.sequence = Some(String::new()),
                '\r' => self.column = 0,
                '\n' => self.row += 1,
                _ => {
                    if let Some(cell) = self.rows.get_mut(self.row).and_then(|row| row.get_mut(self.column)) {
                        *cell = sign;
                    }
                    self.column += 1;
                }
            },
        }
    }

    fn obey(&mut self, sequence: &str) {
        let Some(body) = sequence.strip_prefix('[') else { return };
        let (numbers, letter) = body.split_at(body.len() - 1);
        let number = |place: usize| numbers.split(';').nth(place).and_then(|text| text.parse::<usize>().ok());
        match letter {
            "H" => (self.row, self.column) = (number(0).unwrap_or(1) - 1, number(1).unwrap_or(1) - 1),
            "J" => self.rows.iter_mut().for_each(|row| row.fill(' ')),
            _ => {}
        }
    }
}
