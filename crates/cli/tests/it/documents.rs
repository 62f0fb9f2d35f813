//! What the documents show is run: each block of SQL, and each configuration starts a server. Places of the reader's
//! machine (`/fast`, `/dev/shm`) are folders of the test; a database or table that a text speaks of is made first.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::command::script;

const DOCUMENTS: [&str; 4] = ["README.md", "CONTRIBUTING.md", "docs/analytics.md", "docs/storage.md"];
/// Folders that a reader is supposed to have; the first is where the folders of the test lie.
const PLACES: [&str; 4] = ["/tmp", "/fast", "/second-card", "/dev/shm"];
/// What the blocks of a document take for granted.
const GIVEN: [(&str, &str); 1] = [(
    "docs/analytics.md",
    "create table sales (id int not null, customer int not null, note varchar(100) not null)
    insert sales values (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a')
    create table kept (id int not null, note varchar(100) not null)",
)];
/// What stands before a block that is the middle of a batch.
const BEGUN: [(&str, &str); 1] = [("select @n =", "declare @n bigint\n")];

/// Blocks that presuppose what a test cannot give here: a database whose log is damaged in its middle.
const PASSED_OVER: [&str; 1] = ["ALTER DATABASE shop SET EMERGENCY;"];

/// A block of a document.
#[derive(Debug)]
struct Block {
    /// Of its first line.
    line_no: usize,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("crates/cli is two below").to_owned()
}

/// The blocks of a language, those in lists too.
fn blocks(document: &str, language: &str) -> Vec<Block> {
    let text = std::fs::read_to_string(root().join(document)).expect("the document is there");
    let mut blocks = Vec::new();
    let mut open: Option<(bool, Block)> = None;
    for (index, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        open = match (open, fence) {
            (None, Some(name)) => Some((name.trim() == language, Block { line_no: index + 2, text: String::new() })),
            (Some((is_wanted, block)), Some(_)) => {
                blocks.extend(is_wanted.then_some(block));
                None
            }
            (Some((is_wanted, mut block)), None) => {
                block.text.push_str(line);
                block.text.push('\n');
                Some((is_wanted, block))
            }
            (None, None) => None,
        };
    }
    assert!(open.is_none(), "{document}: a block without an end");
    blocks
}

/// The reader's places inside a folder of the test.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Machine {
        let dir = tempfile::tempdir().expect("a directory");
        let machine = Machine(dir);
        PLACES.iter().for_each(|place| std::fs::create_dir_all(machine.folder(place)).expect("made"));
        machine
    }

    fn folder(&self, place: &str) -> PathBuf {
        self.0.path().join(place.trim_start_matches('/').replace('/', "-"))
    }

    fn moved(&self, text: &str) -> String {
        PLACES.iter().fold(text.to_owned(), |text, place| {
            let folder = self.folder(place).display().to_string();
            ["\"", "'"]
                .iter()
                .fold(text, |text, quote| text.replace(&format!("{quote}{place}/"), &format!("{quote}{folder}/")))
        })
    }
}

#[test]
fn every_block_of_sql_runs() {
    let (mut count, mut passed_over) = (0, 0);
    for document in DOCUMENTS {
        let machine = Machine::new();
        let given = GIVEN.iter().filter(|(name, _)| *name == document).map(|(_, text)| *text);
        let mut all: String = given.map(|text| format!("{text}\ngo\n")).collect();
        let (passed, blocks): (Vec<_>, Vec<_>) = blocks(document, "sql")
            .into_iter()
            .partition(|block| PASSED_OVER.iter().any(|begin| block.text.trim_start().starts_with(begin)));
        passed_over += passed.len();
        for Block { line_no, text } in &blocks {
            let begun = BEGUN.iter().filter(|(begin, _)| text.starts_with(begin)).map(|(_, text)| *text);
            let begun: String = begun.collect();
            all.push_str(&format!("print '{document}:{line_no}'\ngo\n{begun}{}\ngo\n", machine.moved(text)));
        }
        let data = machine.0.path().join("data").display().to_string();
        let said = script(&["--data", &data, "-W"], &all);
        assert_eq!((said.code, said.err.as_str()), (0, ""), "{document}");
        assert!(!said.out.contains("Msg "), "{}", said.out);
        for Block { line_no, .. } in &blocks {
            assert!(said.out.contains(&format!("{document}:{line_no}\n")), "{}", said.out);
        }
        count += blocks.len();
    }
    assert_eq!(passed_over, PASSED_OVER.len(), "what is passed over is there");
    assert!(count >= 22, "{count} blocks are not all that the documents have");
}

/// A server that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It is to be gone; one that has ended by itself is.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The whole of a configuration: a part such as `[device.NAME.cache]` with the earlier block that has the device.
fn whole(earlier: &[Block], text: &str) -> String {
    let names = text.lines().filter_map(|line| line.strip_prefix("[device.")?.strip_suffix(']')?.split_once('.'));
    let device = names.map(|(name, _)| format!("[device.{name}]")).next();
    let begin = device.and_then(|device| earlier.iter().find(|block| block.text.contains(&device)));
    begin.map_or_else(|| text.to_owned(), |begin| format!("{}\n{text}", begin.text))
}

#[test]
fn every_configuration_starts() {
    let mut count = 0;
    for document in DOCUMENTS {
        let blocks = blocks(document, "toml");
        for (at, block) in blocks.iter().enumerate() {
            let machine = Machine::new();
            let text = machine.moved(&whole(&blocks[..at], &block.text));
            std::fs::write(machine.0.path().join("millpond.toml"), &text).expect("written");
            let child = Command::new(env!("CARGO_BIN_EXE_millpond"))
                .args(["serve", "--listen", "127.0.0.1:0"])
                .current_dir(machine.0.path())
                .env_remove("MSSQL_SA_PASSWORD")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the binary starts");
            let mut served = Served(child);
            let said = BufReader::new(served.0.stdout.take().expect("it is piped"));
            let is_up = said.lines().map_while(Result::ok).any(|line| line == "connect with");
            if !is_up {
                let why = std::io::read_to_string(served.0.stderr.take().expect("it is piped"));
                panic!("{document}:{}: {}\n{text}", block.line_no, why.unwrap_or_default());
            }
            count += 1;
        }
    }
    assert!(count >= 4, "{count} blocks are not all that the documents have");
}
