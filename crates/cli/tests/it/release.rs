//! What packages and service managers want of the binary: its version with the commit, manual pages and completions, and the word that
//! it is ready and that it stops.

use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::time::Duration;

use crate::serve::Served;

fn millpond(arguments: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_millpond")).args(arguments).output().unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_version_names_its_commit() {
    let said = millpond(&["--version"]);
    let rest = said.strip_prefix(concat!("millpond ", env!("CARGO_PKG_VERSION"))).unwrap().trim();
    // Without a repository there is none to name.
    let commit = Command::new("git").args(["rev-parse", "HEAD"]).output();
    match commit.ok().filter(|done| done.status.success()) {
        Some(_) => {
            let shown = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap();
            assert!(shown.len() == 12 && shown.bytes().all(|byte| byte.is_ascii_hexdigit()), "{said}");
        }
        None => assert_eq!(rest, ""),
    }
}

#[test]
fn manual_pages_and_completions_are_of_all_commands() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(millpond(&["generate", folder.path().to_str().unwrap()]), "");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(read("man/millpond.1").contains("millpond\\-serve(1)"));
    assert!(read("man/millpond-serve.1").contains("\\-\\-listen"));
    assert!(read("man/millpond-sql.1").contains(".TH"));
    assert!(!folder.path().join("man/millpond-generate.1").exists());
    for name in ["completions/millpond.bash", "completions/_millpond", "completions/millpond.fish"] {
        assert!(read(name).contains("print-config"), "{name}");
    }
    assert!(!millpond(&["--help"]).contains("generate"));
}

#[test]
fn a_service_manager_hears_when_it_is_ready_and_when_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let server = Served::start(&["--listen", "127.0.0.1:0"], &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    let heard = || {
        let mut bytes = [0; 64];
        let count = socket.recv(&mut bytes).unwrap();
        String::from_utf8(bytes[..count].to_vec()).unwrap()
    };
    assert_eq!(heard(), "READY=1");
    // Ready means that a client is served.
    assert_eq!(server.sql("127.0.0.1", &[], "set nocount on select 7\ngo\n").out.trim(), "7");
    assert!(Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap().success());
    assert_eq!(heard(), "STOPPING=1");
}
