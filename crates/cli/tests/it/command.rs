//! Starts the binary and holds what it says.

use std::io::Write;
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// What the binary said.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// Starts `millpond sql` with options and feeds `input`.
pub fn sql_with(options: &[&str], environment: &[(&str, &str)], input: &str) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg("sql").args(options);
    said(command, environment, input)
}

/// The same of the binary called as `sqlcmd`.
#[cfg(unix)]
pub fn sqlcmd(options: &[&str], environment: &[(&str, &str)], input: &str) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_millpond"));
    command.arg0("sqlcmd").args(options);
    said(command, environment, input)
}

fn said(mut command: Command, environment: &[(&str, &str)], input: &str) -> Said {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["SQLCMDPASSWORD", "SQLCMDUSER", "SQLCMDSERVER", "SQLCMDDBNAME", "MSSQL_SA_PASSWORD"] {
        command.env_remove(name);
    }
    command.envs(environment.iter().copied());
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("it is piped");
    // A child that has ended reads no more.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: output.status.code().expect("it exits"), out: text(output.stdout), err: text(output.stderr) }
}

/// The same without input.
pub fn sql(options: &[&str]) -> Said {
    sql_with(options, &[], "")
}

/// The same with a script on stdin.
pub fn script(options: &[&str], input: &str) -> Said {
    sql_with(options, &[], input)
}

/// Messages name the machine; in expected texts it is `SERVER`.
pub fn without_machine(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.split_once(", Server ") {
            Some((before, after)) if line.starts_with("Msg ") => {
                let rest = after.split_once(',').map_or("", |(_, rest)| rest);
                out.push_str(&format!("{before}, Server SERVER,{rest}"));
            }
            _ => out.push_str(line),
        }
        out.push('\n');
    }
    out
}
