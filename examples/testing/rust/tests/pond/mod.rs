//! A database of its own for each test: copies of a template that is made once.
//!
//! The template's name has a hash of what it is made by, so another schema is another template. Its last table says that it is
//! whole: one whose making was killed is made anew.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;
use std::thread;

use tiberius::{AuthMethod, Client, Config, EncryptionLevel, Result};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::sync::OnceCell;
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};
use uuid::Uuid;

const SCHEMA: &str = "
    create table people (id int identity primary key, name nvarchar(40) not null unique);
    insert people (name) values (N'Ada'), (N'Grace');";
const FINISHED: &str = "create table finished (at datetime2 not null default sysutcdatetime())";

static TEMPLATE: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = DefaultHasher::new();
    SCHEMA.hash(&mut hasher);
    format!("people_template_{:016x}", hasher.finish())
});

pub type Connection = Client<Compat<TcpStream>>;

/// A connection to a copy of the template that is this test's alone. The copy goes with the value, in a panic too.
pub struct Database {
    name: String,
    connection: Option<Connection>,
}

impl Database {
    pub async fn new() -> Result<Self> {
        // Once in this process; of several processes the first makes the template.
        static MADE: OnceCell<()> = OnceCell::const_new();
        MADE.get_or_try_init(make_template).await?;

        let name = format!("test_{}", Uuid::new_v4().simple());
        run(&mut connect("master").await?, &format!("create database {name} as copy of {}", *TEMPLATE)).await?;
        let mut database = Self { name, connection: None };
        database.connection = Some(connect(&database.name).await?);
        Ok(database)
    }
}

impl Deref for Database {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("a connection as long as the test runs")
    }
}

impl DerefMut for Database {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a connection as long as the test runs")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.connection = None;
        let name = &self.name;
        // Whatever a failed test has left open is ended.
        let text = format!("alter database {name} set single_user with rollback immediate; drop database {name}");
        // `drop` cannot wait for a future; the test's runtime cannot be entered twice, so another thread has one.
        let dropped = thread::scope(|scope| {
            let dropping = async { run(&mut connect("master").await?, &text).await };
            let thread =
                scope.spawn(|| runtime::Builder::new_current_thread().enable_all().build()?.block_on(dropping));
            thread.join().expect("nothing panics there")
        });
        match dropped {
            Err(error) if thread::panicking() => eprintln!("{name} is left: {error}"),
            dropped => dropped.expect("the copy is dropped"),
        }
    }
}

/// The template itself, to compare a copy with.
pub async fn template() -> Result<Connection> {
    connect(&TEMPLATE).await
}

/// A lock of the server's lets one at a time look whether the template is there.
async fn make_template() -> Result<()> {
    let template = &*TEMPLATE;
    // The lock is this connection's and goes with it.
    let mut master = connect("master").await?;
    run(
        &mut master,
        "exec sp_getapplock @Resource = 'people_template', @LockMode = 'Exclusive', @LockOwner = 'Session'",
    )
    .await?;
    let whole = master.query("select object_id(@p1)", &[&format!("{template}.dbo.finished")]).await?;
    if whole.into_row().await?.and_then(|row| row.get::<i32, _>(0)).is_none() {
        run(&mut master, &format!("drop database if exists {template}; create database {template}")).await?;
        run(&mut connect(template).await?, &format!("{SCHEMA}{FINISHED}")).await?;
    }
    Ok(())
}

async fn run(connection: &mut Connection, text: &str) -> Result<()> {
    connection.simple_query(text).await?.into_results().await.map(drop)
}

async fn connect(database: &str) -> Result<Connection> {
    let variable = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let mut config = Config::new();
    config.host(variable("MSSQL_HOST", "127.0.0.1"));
    config.port(variable("MSSQL_PORT", "1433").parse().expect("MSSQL_PORT is a port"));
    config.authentication(AuthMethod::sql_server("sa", variable("MSSQL_SA_PASSWORD", "")));
    config.database(database);
    // On loopback nobody listens. For a server elsewhere: tiberius' feature `rustls`, and `config.trust_cert()` here instead.
    config.encryption(EncryptionLevel::NotSupported);
    let stream = TcpStream::connect(config.get_addr()).await?;
    stream.set_nodelay(true)?;
    Client::connect(config, stream.compat_write()).await
}
