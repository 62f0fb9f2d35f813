//! The prompt: `1> `, `2> ` … with editing and a history in `~/.millpond_history`.
//!
//! Ctrl-C forgets what was typed, Ctrl-D leaves; while a batch runs, Ctrl-C cancels it. What is pasted counts as typed: its
//! lines are lines, each `GO` of it runs what stands before, and tabs are blanks of the text.

use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::DefaultHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::shell::{Ended, Shell};

/// The Tab key writes a tab: nothing is completed, and a terminal that does not mark what is pasted sends its tabs as keys.
struct TabIsText;

impl Completer for TabIsText {
    type Candidate = String;

    fn complete(&self, _: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        Ok((at, vec!["\t".into()]))
    }
}

impl Hinter for TabIsText {
    type Hint = String;
}

impl Highlighter for TabIsText {}

impl Validator for TabIsText {}

impl Helper for TabIsText {}

type LineEditor = Editor<TabIsText, DefaultHistory>;

fn editor() -> rustyline::Result<LineEditor> {
    let config = Config::builder().completion_type(CompletionType::List).bracketed_paste(true).build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(TabIsText));
    Ok(editor)
}

/// Reads and runs until someone leaves.
pub fn run(shell: &mut Shell) -> Result<(), Ended> {
    let mut editor = match editor() {
        Ok(editor) => editor,
        Err(error) => {
            eprintln!("millpond: no prompt: {error}");
            return Err(Ended::Failed);
        }
    };
    let history = std::env::home_dir().map(|home| home.join(".millpond_history"));
    if let Some(path) = &history {
        // A first start has none.
        let _ = editor.load_history(path);
    }
    let ended = lines(shell, &mut editor);
    save(&mut editor, history);
    ended
}

fn lines(shell: &mut Shell, editor: &mut LineEditor) -> Result<(), Ended> {
    loop {
        match editor.readline(&format!("{}> ", shell.line_no())) {
            Ok(line) => {
                let _ = editor.add_history_entry(&line);
                shell.typed(&line)?;
            }
            Err(ReadlineError::Interrupted) => shell.reset(),
            Err(ReadlineError::Eof) => return Ok(()),
            Err(error) => {
                eprintln!("millpond: {error}");
                return Err(Ended::Failed);
            }
        }
    }
}

fn save(editor: &mut LineEditor, history: Option<PathBuf>) {
    if let Some(path) = history
        && let Err(error) = editor.save_history(&path)
    {
        eprintln!("millpond: cannot keep the history in '{}': {error}", path.display());
    }
}
