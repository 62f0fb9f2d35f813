//! docs/seeing.md: the statements of its section about events of one's own run as they stand.

use super::{dba, one};
use crate::harness::{run, session};

/// The SQL of the section, in order.
fn statements() -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/seeing.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let section = text.split("## Events of your own\n").nth(1).expect("the section").split("\n## ").next();
    let blocks = section.unwrap_or_default().split("```sql\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_example_collects_what_it_says() {
    let statements = statements();
    let [create, read] = statements.as_slice() else { panic!("{statements:?}") };
    let dir = tempfile::tempdir().unwrap();
    let engine = crate::harness::engine_in(128 << 20, dir.path());
    let mut dba = dba(&engine);
    assert_eq!(run(&mut dba, create), "");
    let mut user = session(&engine);
    run(&mut user, "select 1/0");
    run(&mut user, "select * from [<lily>]");
    let said = run(&mut dba, read);
    let rows: Vec<&str> = said.lines().skip(1).map(|line| line.split_once(" | ").unwrap_or_default().1).collect();
    assert_eq!(
        rows,
        [
            "error_reported | 8134 | Divide by zero error encountered. | select 1/0",
            "error_reported | 208 | Invalid object name '<lily>'. | select * from [<lily>]"
        ],
        "{said}"
    );
    assert_eq!(
        run(&mut dba, "alter event session trouble on server state = stop drop event session trouble on server"),
        ""
    );
    assert_eq!(
        one(&mut dba, "select count(*) from sys.fn_xe_file_target_read_file(N'trouble*.xel', null, null, null)"),
        "2"
    );
}
