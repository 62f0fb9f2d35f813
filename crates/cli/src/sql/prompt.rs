//! The prompt: `1> `, `2> ` … with editing and a history in `~/.millpond_history`.
//!
//! Ctrl-C forgets what was typed, Ctrl-D leaves; while a batch runs, Ctrl-C cancels it.

use std::path::PathBuf;

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::shell::{Ended, Shell};

/// Reads and runs until someone leaves.
pub fn run(shell: &mut Shell) -> Result<(), Ended> {
    let mut editor = match DefaultEditor::new() {
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

fn lines(shell: &mut Shell, editor: &mut DefaultEditor) -> Result<(), Ended> {
    loop {
        match editor.readline(&format!("{}> ", shell.line_no())) {
            Ok(line) => {
                let _ = editor.add_history_entry(&line);
                shell.line(&line)?;
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

fn save(editor: &mut DefaultEditor, history: Option<PathBuf>) {
    if let Some(path) = history
        && let Err(error) = editor.save_history(&path)
    {
        eprintln!("millpond: cannot keep the history in '{}': {error}", path.display());
    }
}
