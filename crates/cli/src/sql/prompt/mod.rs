//! The prompt: `1> `, `2> ` … with editing and a history.
//!
//! Ctrl-C forgets what was typed, Ctrl-D leaves; while a batch runs, Ctrl-C cancels it. What is pasted counts as typed: its
//! lines are lines, each `GO` of it runs what stands before, and tabs are blanks of the text.
//!
//! What always holds: the history has batches whole, so that one comes back to be edited as it was; what was typed and forgotten is
//! there too. Where the output is a script's, Tab is always text, and nothing is painted.

mod banner;
mod helper;
mod history;
mod names;

use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::DefaultHistory;
use rustyline::{CompletionType, Config, Editor};

use super::args::SqlArgs;
use super::screen::{terminal, text};
use super::script::Dialect;
use super::shell::{Ended, Shell};
use helper::Assistant;
use names::Names;

type LineEditor = Editor<Assistant, DefaultHistory>;

/// Candidates of a completion that are shown without a question.
const CANDIDATES: usize = 100;

fn editor(assistant: Assistant) -> rustyline::Result<LineEditor> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .completion_prompt_limit(CANDIDATES)
        .max_history_size(history::ENTRIES_MAX)?
        .bracketed_paste(true)
        .build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(assistant));
    Ok(editor)
}

/// Reads and runs until someone leaves.
pub fn run(shell: &mut Shell, args: &SqlArgs) -> Result<(), Ended> {
    let is_on_screen = shell.policy.dialect == Dialect::Prompt;
    let with_colors = shell.printer.screen().is_some_and(|screen| screen.with_colors());
    let assistant = Assistant { names: None, with_colors: is_on_screen && with_colors, before: String::new() };
    let mut editor = match editor(assistant) {
        Ok(editor) => editor,
        Err(error) => {
            eprintln!("millpond: no prompt: {error}");
            return Err(Ended::Failed);
        }
    };
    let path = history::path();
    if let Some(path) = &path {
        // A first start has none.
        let _ = editor.load_history(path);
    }
    if is_on_screen {
        for line in banner::lines(shell.target.as_mut(), args.server.as_deref(), args.data.as_deref()) {
            for part in text::wrapped(&line, terminal::columns()) {
                shell.printer.line(&part);
            }
        }
        shell.printer.flush();
    }
    let ended = lines(shell, &mut editor, is_on_screen);
    save(&mut editor, path);
    ended
}

/// What was typed of a batch, for the history.
#[derive(Default)]
struct Typed(String);

impl Typed {
    fn add(&mut self, line: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(line);
    }

    fn remember(&mut self, editor: &mut LineEditor) {
        let entry = std::mem::take(&mut self.0);
        if history::is_kept(&entry) {
            // The history is a help: without it the prompt goes on.
            let _ = editor.add_history_entry(entry);
        }
    }
}

fn lines(shell: &mut Shell, editor: &mut LineEditor, is_on_screen: bool) -> Result<(), Ended> {
    let mut typed = Typed::default();
    loop {
        if let Some(assistant) = editor.helper_mut() {
            shell.reader.text().clone_into(&mut assistant.before);
            // `:connect` makes another one.
            let beside = shell.beside.as_ref().filter(|_| is_on_screen);
            if assistant.before.is_empty() {
                assistant.names = beside.map(|beside| Names::new(beside.observer().clone(), beside.session_id()));
            }
        }
        let plan = if shell.shows_plans { "plan " } else { "" };
        match editor.readline(&format!("{plan}{}> ", shell.line_no())) {
            Ok(line) => {
                typed.add(&line);
                let ended = shell.typed(&line);
                if shell.reader.text().is_empty() || ended.is_err() {
                    typed.remember(editor);
                }
                ended?;
            }
            Err(ReadlineError::Interrupted) => {
                typed.remember(editor);
                shell.reset();
            }
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
