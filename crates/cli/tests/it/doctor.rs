//! `millpond doctor`: findings for people and for programs, and exit codes.

use std::process::Command;

fn doctor(options: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_millpond")).arg("doctor").args(options).output().expect("it starts");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().expect("it exits"), text)
}

#[test]
fn findings_are_an_array_for_programs() {
    let dir = tempfile::tempdir().expect("a directory");
    let (code, text) = doctor(&["--quick", "--format", "json", "--data", dir.path().to_str().expect("plain")]);
    let findings: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let findings = findings.as_array().expect("an array");
    let fails = findings.iter().any(|finding| finding["level"] == "fail");
    assert_eq!(code, i32::from(fails), "{text}");
    for name in ["open files", "memory", "processors", "io_uring", "data folder", "free space", "disk sync"] {
        let finding = findings.iter().find(|finding| finding["name"] == name);
        let finding = finding.unwrap_or_else(|| panic!("{name} in {text}"));
        assert_ne!(finding["value"], "");
        assert_eq!(finding["fix"] == "", finding["level"] == "ok", "{finding}");
    }
}

#[test]
fn a_folder_that_cannot_be_measured_fails() {
    let (code, text) = doctor(&["--quick", "--data", "/proc"]);
    assert_eq!(code, 1, "{text}");
    assert!(text.lines().any(|line| line.starts_with("fail  disk")), "{text}");
    assert!(text.trim_end().ends_with("fail"), "{text}");
}
