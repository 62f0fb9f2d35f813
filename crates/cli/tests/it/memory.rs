//! A process whose address space is limited (`ulimit -v`): it works within it, or says what it needs and ends. And what a
//! process takes whose server may take so much.

use std::net::TcpStream;
use std::process::{Command, Output};

use millpond_tds::client::{Client, ClientEncryption, ConnectOptions};
use millpond_tds::tls::CertificateCheck;

/// What `millpond sql` says within so many megabytes of address space.
fn within(megabytes: u64, text: &str) -> Output {
    let run = format!("ulimit -v {} && exec \"$0\" sql -W -h -1 -Q \"$1\"", megabytes << 10);
    let mut shell = Command::new("sh");
    shell.args(["-c", &run, env!("CARGO_BIN_EXE_millpond"), text]).output().expect("a shell is there")
}

#[test]
fn too_little_is_reported() {
    for megabytes in [512, 3071] {
        let said = within(megabytes, "select 1");
        let error = String::from_utf8_lossy(&said.stderr);
        assert!(error.contains(&format!("is limited to {megabytes} MB")) && error.contains("ulimit -v"), "{error}");
        assert!(!error.contains("panicked"), "{error}");
        assert_eq!(said.status.code(), Some(1), "{error}");
    }
}

/// A load, an index, a plan of several threads that groups and sorts, and a database in files.
const WORK: &str = "set nocount on
create table t (id int not null primary key, v int, text char(200))
insert t select top 200000 row_number() over (order by (select 1)), 0, 'x'
from sys.all_columns as a cross join sys.all_columns as b
update t set v = id % 1000
create index v on t (v)
exec sp_configure 'show advanced options', 1 reconfigure
exec sp_configure 'cost threshold for parallelism', 0 reconfigure
select max(n) from (select v, count(*) as n from t group by v) as g
select top 1 b.id from t as a join t as b on a.id = b.id + 1 order by b.text, b.id desc";

#[test]
fn what_is_allowed_is_enough_for_work() {
    for megabytes in [3072, 4096] {
        let said = within(megabytes, WORK);
        let (out, error) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        assert!(out.ends_with("200\n199999\n"), "{megabytes} MB: {out}{error}");
        assert_eq!((said.status.code(), &*error), (Some(0), ""), "{megabytes} MB: {out}");
    }
}

/// A server in a process of its own that may take so many megabytes.
struct Limited {
    served: crate::serve::Served,
}

impl Limited {
    fn start(megabytes: u64) -> Limited {
        let served = crate::serve::Served::start(&["--listen", "127.0.0.1:0"], &[]);
        let limited = Limited { served };
        let text = format!(
            "exec sp_configure 'show advanced options', 1 reconfigure
             exec sp_configure 'max server memory (MB)', {megabytes} reconfigure"
        );
        limited.say(&text);
        limited
    }

    fn say(&self, text: &str) -> String {
        let said = self.served.sql("127.0.0.1", &["-Q", text], "");
        said.out + &said.err
    }

    /// A line of what the system says of the process, in megabytes.
    fn megabytes(&self, line: &str) -> u64 {
        let path = format!("/proc/{}/status", self.served.id());
        let status = std::fs::read_to_string(path).expect("it runs");
        let value = status.lines().find_map(|known| known.strip_prefix(line)).expect("the system says so");
        value.trim_matches([':', ' ', '\t', 'k', 'B']).parse::<u64>().expect("kilobytes") / 1024
    }
}

#[test]
fn a_value_beyond_the_limit_does_not_grow_the_process() {
    let server = Limited::start(256);
    let before = server.megabytes("VmHWM");
    for text in [
        "declare @v varchar(max) = replicate(cast('x' as varchar(max)), 500000000)",
        "declare @v varchar(max) = 'x' while 1 = 1 begin begin try set @v = @v + @v + '.' end try begin catch break end catch end \
         declare @w varchar(max) = replicate(@v, 5)",
    ] {
        let said = server.say(text);
        assert!(said.contains("Msg 701"), "{said}");
    }
    let grown = server.megabytes("VmHWM") - before;
    // What was made before the refusal, and no second copy of it.
    assert!(grown < 300, "{grown} MB");
}

#[test]
fn requests_that_wait_take_little_each() {
    const WAITING: usize = 100;
    let server = Limited::start(256);
    let connect = || {
        let options = ConnectOptions {
            user: "sa".into(),
            password: crate::serve::PASSWORD.into(),
            certificate: CertificateCheck::TrustAny,
            encryption: ClientEncryption::Disabled,
            ..ConnectOptions::default()
        };
        let stream = TcpStream::connect(("127.0.0.1", server.served.port())).expect("it listens");
        Client::connect(stream, &options).expect("it lets in")
    };
    let run = |client: &mut Client<TcpStream>, text: &str| {
        client.batch(text).expect("it is sent").for_each(|event| drop(event.expect("an answer")));
    };
    let mut holder = connect();
    run(&mut holder, "create table t (id int primary key, v int) insert t values (1, 0)");
    run(&mut holder, "begin tran update t set v = v + 1 where id = 1");
    let before = server.megabytes("VmRSS");
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..WAITING).map(|_| scope.spawn(|| run(&mut connect(), "update t set v = v + 1 where id = 1"))).collect();
        let waiting = format!(
            "while (select count(*) from sys.dm_exec_requests where wait_type like 'LCK%') < {WAITING} waitfor delay '0:0:0.01'"
        );
        run(&mut holder, &waiting);
        let grown = server.megabytes("VmRSS") - before;
        run(&mut holder, "commit");
        threads.into_iter().for_each(|thread| thread.join().expect("it is let go"));
        // With pages of 2 MB below each thread's heap it was 140.
        assert!(grown < 70, "{grown} MB for {WAITING} requests");
    });
}
