//! `millpond generate`: what packages hold beside the program and what follows from its command line: manual pages and
//! completions for shells. It is not listed, since users have no use for it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate_to};

use crate::Cli;

/// Shells that packages have folders for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

/// Write manual pages and completions.
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// Directory that gets `man` and `completions`
    #[arg(value_name = "DIR")]
    to: PathBuf,
}

/// Runs the command.
pub fn run(args: &GenerateArgs) -> ExitCode {
    match write(&args.to) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("millpond: {}: {error}", args.to.display());
            ExitCode::FAILURE
        }
    }
}

fn write(to: &Path) -> io::Result<()> {
    let (man, completions) = (to.join("man"), to.join("completions"));
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(Cli::command(), &man)?;
    for shell in SHELLS {
        generate_to(shell, &mut Cli::command(), "millpond", &completions)?;
    }
    Ok(())
}
