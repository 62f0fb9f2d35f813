//! Data directories that an earlier build wrote: this program opens them, and refuses those of a later format.
//!
//! `data/832995d.tar.gz` is the directory that the build of that commit left, by the script `data/832995d.sql`. What the
//! formats are: docs/internals/formats.md.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Said, sql_with};

/// Unpacks the archive of a build into a new folder.
fn unpacked(build: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = data(&format!("{build}.tar.gz"));
    let tar = Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(folder.path()).status().expect("tar is there");
    assert!(tar.success(), "{}", archive.display());
    folder
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data").join(name)
}

/// Runs a script on the engine in the process, over the databases of a folder.
fn run(folder: &Path, script: &str) -> Said {
    let folder = folder.to_str().expect("plain");
    sql_with(&["--data", folder, "-d", "shop", "-h", "-1", "-W", "-s", "|"], &[], script)
}

/// What a script answers, without an error.
#[track_caller]
fn answer(folder: &Path, script: &str) -> String {
    let said = run(folder, script);
    assert!(said.code == 0 && said.err.is_empty() && !said.out.contains("Msg "), "{script}\n{said:?}");
    said.out
}

/// What the script of the archive put there. Its INSERT of two orders left nothing in the log: only the order that the
/// procedure added is there.
const THERE: &str = "set nocount on
select id, name, len(note), amount, case when since < getdate() then 1 end from sales.customer where id <= 4 order by id
select customer, total from sales.orders where id = 3
select count(*), min(a), max(a), min(b) from dbo.heap
select id, name from sales.rich where id <= 4 order by id
select dbo.twice(21)
select type_name(user_type_id) from sys.columns where object_id = object_id('sales.customer') and name = 'name'
select is_primary_key, type_desc from sys.indexes where object_id = object_id('sales.orders') order by index_id
select name from sys.stats where object_id = object_id('sales.customer') and user_created = 1
";

const ANSWERED: &str = "1|name1|100|1.00|1\n2|name2|200|3.00|1\n3|name3|300|3.00|1\n4|name50|5000|50.00|1\n2|6\n\
                        1000|1|1000|b\n2|name2\n3|name3\n4|name50\n42\nName\n1|CLUSTERED\n0|NONCLUSTERED\nst\n";

/// What is asked again after a start.
const ADDED: &str = "set nocount on
select name, len(note), amount from sales.customer where id > 5
select id, customer, at from sales.orders with (index (ix_at)) where at = '2027-01-01'
select count(*), count(distinct rv), sum(later) from dbo.c
select name from dbo.later order by id
";

/// 1 for each thing that holds.
const WORKS: &str = "set nocount on
insert sales.customer (name, note, amount) values (N'new', replicate(cast(N'y' as nvarchar(max)), 30000), 7)
select case when scope_identity() > 5 then 1 end
exec dbo.add_order 4, 4
select case when amount = 51 then 1 end from sales.customer where id = 4
update sales.customer set amount = 50 where id = 4
declare @first bigint = next value for dbo.numbers, @second bigint = next value for dbo.numbers
select case when @first > 10 and @first % 5 = 0 and @second = @first + 5 then 1 end
update sales.orders set at = '2027-01-01' where id = 4
declare @name dbo.Name = N'new of a type'
update sales.customer set name = @name where name = N'new'
exec dbo.add_order 5, 5
delete sales.customer where id = 5
select 1 where not exists (select 1 from sales.orders where customer = 5)
create table dbo.later (id int identity primary key, name dbo.Name)
insert dbo.later values (N'a'), (N'b')
alter table sales.customer add later int not null default 5
";

/// Changes that keys and constraints refuse, with the numbers of the errors.
const REFUSED: [(&str, &str); 4] = [
    ("insert sales.customer (name, amount) values (N'x', -1)", "Msg 547"),
    ("insert sales.orders (id, customer) values (9, 99)", "Msg 547"),
    ("insert sales.orders (id) values (3)", "Msg 2627"),
    ("insert sales.customer (name) values (null)", "Msg 515"),
];

#[test]
fn what_an_earlier_build_wrote_is_read_and_changed() {
    let folder = unpacked("832995d");
    let folder = folder.path();
    assert_eq!(answer(folder, THERE), ANSWERED);
    assert_eq!(answer(folder, WORKS), "1\n1\n1\n1\n");
    for (change, error) in REFUSED {
        let said = run(folder, change);
        assert!(said.out.starts_with(error), "{change}\n{said:?}");
    }
    let added = "new of a type|30000|7.00\n4|4|2027-01-01 00:00:00.000\n5|5|25\na\nb\n";
    for start in ["the next start", "the one after it"] {
        assert_eq!(answer(folder, THERE), ANSWERED, "{start}");
        assert_eq!(answer(folder, ADDED), added, "{start}");
        assert_eq!(answer(folder, "dbcc checkdb with no_infomsgs"), "", "{start}");
    }
}

#[test]
fn settings_of_a_later_format_are_refused() {
    let folder = unpacked("832995d");
    let path = folder.path().join("instance.toml");
    let text = std::fs::read_to_string(&path).expect("it is there");
    let later = text.replace("format = 2\n", "format = 4\n");
    assert_ne!(text, later);
    std::fs::write(&path, &later).expect("it can be written");
    let said = run(folder.path(), "select 1");
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    assert!(
        said.err.contains("instance.toml has format 4, of a newer version of Millpond; this one reads formats up to 3"),
        "{said:?}"
    );
    assert_eq!(std::fs::read_to_string(&path).expect("it is there"), later, "nothing was changed");
}

/// Gives page 0 of a file another format, with a checksum that is right.
fn set_format(path: &Path, format: u32) {
    let mut bytes = std::fs::read(path).expect("it is there");
    let page = &mut bytes[..8192];
    assert_eq!((&page[96..104], &page[104..108]), (&b"MILLPOND"[..], &2_u32.to_le_bytes()[..]), "{}", path.display());
    page[104..108].copy_from_slice(&format.to_le_bytes());
    let checksum = crc32c::crc32c_append(crc32c::crc32c(&page[..60]), &page[64..]);
    page[60..64].copy_from_slice(&checksum.to_le_bytes());
    std::fs::write(path, bytes).expect("it can be written");
}

#[test]
fn files_of_a_later_format_are_refused() {
    for name in ["shop.mdf", "shop_log.ldf"] {
        let folder = unpacked("832995d");
        set_format(&folder.path().join(name), 3);
        let said = run(folder.path(), "");
        assert_eq!(said.code, 1, "{name}: {said:?}");
        let reason = "its format is 3; this program reads formats up to 2";
        let elsewhere = sql_with(
            &["--data", folder.path().to_str().expect("plain"), "-h", "-1", "-W"],
            &[],
            "set nocount on\nselect state_desc from sys.databases where name = 'shop'\nexec sp_readerrorlog\n",
        );
        assert!(elsewhere.out.starts_with("SUSPECT\n"), "{name}: {elsewhere:?}");
        assert!(elsewhere.out.contains(name) && elsewhere.out.contains(reason), "{name}: {elsewhere:?}");
    }
    let folder = unpacked("832995d");
    set_format(&folder.path().join("master.mdf"), 3);
    let said = run(folder.path(), "select 1");
    assert_eq!((said.code, said.out.as_str()), (1, ""), "{said:?}");
    assert!(said.err.contains("master.mdf: its format is 3; this program reads formats up to 2"), "{said:?}");
}
