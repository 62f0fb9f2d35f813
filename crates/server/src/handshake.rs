//! From the first byte of a connection to a session: PRELOGIN, TLS, LOGIN7, and the answer to it.
//!
//! ```text
//!  [TLS hello: strict] ─▶ PRELOGIN ─▶ [TLS: login or full] ─▶ LOGIN7 ─▶ password ─▶ database ─▶ triggers ─▶ greeting
//!                                                                  └── 18456, 4060, 17809, 17892, then closed
//! ```
//!
//! What always holds: a refused login is answered with the reason, no sooner than [`REFUSAL_DELAY`] after it came, whatever
//! was wrong; nothing is waited for on a thread that moves bytes; a name that failed from an address waits longer each time (`attempts`); nothing of the password is logged. Time and length of the whole are bounded by the caller and the
//! transport.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use millpond_catalog::run::facts::Login;
use millpond_catalog::security::{SecurityContext, ServerSecurity};
use millpond_engine::admin::access::may_enter;
use millpond_engine::engine::Engine;
use millpond_engine::security;
use millpond_engine::session_shared::SessionShared;
use millpond_message as message;
use millpond_message::error::SqlError;
use millpond_message::sink::Message;
use millpond_query::exec;
use millpond_query::session::Session;
use millpond_tds::login::Login7;
use millpond_tds::packet::{DEFAULT_PACKET_BYTES, PacketType, write_message};
use millpond_tds::prelogin::{EncryptionPolicy, TlsUse, negotiate};
use millpond_tds::tls::{TlsChannel, TlsCover, is_tls_hello};
use millpond_tds::token::{Done, DoneKind, DoneStatus, EnvChange, LoginAck, ServerMessage};
use millpond_tds::{ClientMessage, Collation, ServerEncoder, TdsError, TdsVersion};
use millpond_types::temporal::Language;
use tokio::time::Instant;

use crate::account::{self, Account, Reason};
use crate::config::TlsMode;
use crate::respond::Responder;
use crate::shared::Shared;
use crate::transport::{Transport, TransportError};

/// What a refused login waits, at least.
const REFUSAL_DELAY: Duration = Duration::from_millis(300);
/// What a login waits for its database while another session has that for itself.
const DATABASE_WAIT: Duration = Duration::from_secs(10);
/// How often it is looked whether that is over.
const DATABASE_LOOK: Duration = Duration::from_millis(10);
/// The most severe that a client hears an error that refuses its login.
const SEVERITY_OF_LOGIN: u8 = 14;
/// Of the warning that a login came in the clear.
const CLEAR_SEVERITY: u8 = 11;
/// SQL Server 2022, as drivers want a version: major, minor, build (big-endian).
const PROGRAM_VERSION: [u8; 4] = [16, 0, 0x03, 0xE8];

/// Why there is no session. The client knows already.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeError {
    /// The connection failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// A message in the wrong place.
    #[error("{0} where {1} was due")]
    Unexpected(&'static str, &'static str),
    /// The client has no TLS, and we insist.
    #[error("a client without TLS where TLS is required")]
    TlsRequired,
    /// Refused.
    #[error("login of '{user}' refused: {number}")]
    Refused {
        /// Login name.
        user: String,
        /// Error number.
        number: i32,
    },
}

impl HandshakeError {
    /// The client is not there any more.
    pub fn is_gone(&self) -> bool {
        matches!(self, Self::Transport(TransportError::Closed | TransportError::Io(_)))
    }
}

impl From<TdsError> for HandshakeError {
    fn from(error: TdsError) -> Self {
        Self::Transport(error.into())
    }
}

/// A connection that is logged in.
pub struct LoggedIn {
    /// Its session.
    pub session: Session,
    /// Settled by the login.
    pub version: TdsVersion,
    /// Settled by the login.
    pub packet_bytes: u16,
    /// Whether the client reads `varchar` in UTF-8.
    pub has_utf8: bool,
    /// Whether requests come in sessions of SMP from now on.
    pub has_mars: bool,
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The client.
    pub address: SocketAddr,
    /// The address of this server that it came to; `None` once the connection is gone.
    pub local: Option<SocketAddr>,
}

/// Takes a connection to its session. `is_full`: to the refusal, because there are too many already.
pub async fn log_in(
    transport: &mut Transport,
    shared: &Arc<Shared>,
    peer: Peer,
    is_full: bool,
) -> Result<LoggedIn, HandshakeError> {
    let Settled { encrypted, has_mars } = protect(transport, shared).await?;
    let is_clear = !transport.is_encrypted();
    let message = transport.message().await?;
    let asked_at = Instant::now();
    if is_clear && !peer.address.ip().to_canonical().is_loopback() {
        note_clear(shared, peer.address);
    }
    let login = match ClientMessage::decode(message.packet_type, message.payload)? {
        ClientMessage::Login(login) => Arc::from(login),
        _ => return Err(HandshakeError::Unexpected("another message", "a login")),
    };
    match open(&mut Client::Wire(transport), shared, &login, Comes { peer, encrypted, is_full }).await? {
        Ok((session, greeting)) => {
            transport.send(greeting).await?;
            Ok(LoggedIn {
                session: session.taken(),
                version: login.version,
                packet_bytes: login.packet_bytes(),
                has_utf8: login.has_utf8(),
                has_mars,
            })
        }
        Err(refusals) => {
            let number = refusals.last().map_or(0, |refusal| refusal.number);
            let user = login.user.clone();
            tokio::time::sleep_until(asked_at + REFUSAL_DELAY).await;
            refuse(transport, &login, refusals).await?;
            Err(HandshakeError::Refused { user, number })
        }
    }
}

/// A login that comes without a connection of TDS: the same checks, turns and refusals, and nobody who is sent packets.
///
/// # Errors
/// What such a client would be sent.
pub async fn log_in_inside(
    shared: &Arc<Shared>,
    login: Login7,
    peer: Peer,
    encrypted: bool,
) -> Result<Session, Vec<ServerMessage>> {
    let asked_at = Instant::now();
    let login = Arc::new(login);
    match open(&mut Client::Inside, shared, &login, Comes { peer, encrypted, is_full: false }).await {
        Ok(Ok((session, _greeting))) => Ok(session.taken()),
        Ok(Err(refusals)) => {
            tokio::time::sleep_until(asked_at + REFUSAL_DELAY).await;
            Err(refusals)
        }
        // There is no transport that could fail.
        Err(_) => Err(Vec::new()),
    }
}

/// A password came over a network without TLS: counted, and logged once for each address.
fn note_clear(shared: &Shared, peer: SocketAddr) {
    shared.engine.counters.clear_text_logins.fetch_add(1, Relaxed);
    if shared.attempts.is_first_in_the_clear(peer.ip()) {
        let text = format!(
            "A client at {} sent its login without encryption: its password can be read on the network. tls.mode = \"required\" in millpond.toml, or MSSQL_FORCE_ENCRYPTION=1, refuses such clients.",
            peer.ip().to_canonical()
        );
        shared.engine.log_text(CLEAR_SEVERITY, text);
    }
}

/// What a prelogin settles.
struct Settled {
    /// What comes after the login is under TLS too.
    encrypted: bool,
    /// The client wants MARS.
    has_mars: bool,
}

/// PRELOGIN, and TLS as it settles it.
async fn protect(transport: &mut Transport, shared: &Shared) -> Result<Settled, HandshakeError> {
    let is_strict = is_tls_hello(transport.peek().await?);
    if is_strict {
        start_tls(transport, shared, TlsCover::Strict).await?;
    }
    let message = transport.message().await?;
    let ClientMessage::Prelogin(asked) = ClientMessage::decode(message.packet_type, message.payload)? else {
        return Err(HandshakeError::Unexpected("another message", "a prelogin"));
    };
    let policy = match (&shared.certificate, shared.tls_mode) {
        (None, _) | (_, TlsMode::Off) => EncryptionPolicy::Unavailable,
        (_, TlsMode::Offered) => EncryptionPolicy::Optional,
        (_, TlsMode::Required) => EncryptionPolicy::Required,
    };
    let (answer, tls_use) = negotiate(asked.wanted_encryption(), policy);
    let [major, minor, build_high, build_low] = PROGRAM_VERSION;
    let version = [major, minor, build_high, build_low, 0, 0];
    let mut packets = Vec::new();
    write_message(
        &mut packets,
        PacketType::TabularResult,
        &asked.answer(version, answer).encode(),
        DEFAULT_PACKET_BYTES,
        Default::default(),
    );
    transport.send(packets).await?;
    match (is_strict, tls_use) {
        (true, _) | (false, Some(TlsUse::None)) => {}
        (false, Some(TlsUse::LoginOnly)) => start_tls(transport, shared, TlsCover::LoginOnly).await?,
        (false, Some(TlsUse::Full)) => start_tls(transport, shared, TlsCover::Full).await?,
        (false, None) => return Err(HandshakeError::TlsRequired),
    }
    let encrypted = is_strict || tls_use == Some(TlsUse::Full);
    Ok(Settled { encrypted, has_mars: asked.mars == Some(true) })
}

async fn start_tls(transport: &mut Transport, shared: &Shared, cover: TlsCover) -> Result<(), HandshakeError> {
    let certificate = shared.certificate.as_ref();
    let certificate = certificate.ok_or(HandshakeError::Unexpected("TLS", "a prelogin"))?;
    let connection = certificate.connection(cover).map_err(|error| TransportError::Tls(error.into()))?;
    transport.start_tls(TlsChannel::new(connection, cover)).await?;
    Ok(())
}

/// How a login came.
#[derive(Clone, Copy)]
struct Comes {
    peer: Peer,
    /// For longer than the login.
    encrypted: bool,
    is_full: bool,
}

/// A session that waits for its client here: it is dropped where waiting harms no other.
struct Waiting(Option<Session>);

impl Waiting {
    fn taken(mut self) -> Session {
        self.0.take().expect("it is here until it is taken")
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            tokio::task::spawn_blocking(move || drop(session));
        }
    }
}

type Refusals = Vec<ServerMessage>;

/// Who waits for the answer to a login.
enum Client<'a> {
    /// The other end of a connection, which may go.
    Wire(&'a mut Transport),
    /// A task of this process, which is dropped when it does not wait any more.
    Inside,
}

impl Client<'_> {
    /// Returns when it has gone.
    async fn gone(&mut self) -> TransportError {
        match self {
            Client::Wire(transport) => gone(transport).await,
            Client::Inside => std::future::pending().await,
        }
    }
}

/// Does something that may wait on a thread that may; nobody waits for it any more once the client has gone.
async fn on_a_thread<T: Send + 'static>(
    client: &mut Client<'_>,
    shared: &Arc<Shared>,
    work: impl FnOnce() -> Result<T, Refusals> + Send + 'static,
) -> Result<Result<T, Refusals>, TransportError> {
    tokio::select! {
        biased;
        done = tokio::task::spawn_blocking(work) => {
            Ok(done.unwrap_or_else(|_| Err(vec![shared.error(&SqlError::of(3624, 1, &[&"A login"]))])))
        }
        gone = client.gone() => Err(gone),
    }
}

/// Returns when the client has gone.
async fn gone(transport: &mut Transport) -> TransportError {
    loop {
        let ready = transport.ready(true).await.map_err(TransportError::from);
        if let Err(error) = ready.and_then(|()| transport.read_now()) {
            return error;
        }
    }
}

/// Checks everything that a login says, and answers it: the session with the packets of its greeting, or the messages to send.
async fn open(
    client: &mut Client<'_>,
    shared: &Arc<Shared>,
    login: &Arc<Login7>,
    comes: Comes,
) -> Result<Result<(Waiting, Vec<u8>), Refusals>, TransportError> {
    if comes.is_full {
        return Ok(Err(vec![too_many(shared)]));
    }
    if login.flags.integrated_security() {
        return Ok(Err(vec![shared.error(&SqlError::of(18_452, 1, &[]))]));
    }
    let (attempts, address) = (&shared.attempts, comes.peer.address.ip());
    tokio::time::sleep_until(attempts.turn(address, &login.user, Instant::now())).await;
    let known = (Arc::clone(shared), Arc::clone(login));
    let found = on_a_thread(client, shared, move || named_account(&known.0, &known.1, address)).await?;
    let (server, found) = match found {
        Ok(found) => found,
        Err(refusals) => return Ok(Err(refusals)),
    };
    let is_right = shared.passwords.check(found.as_ref().map(Account::secret), &login.password.0).await;
    let account = match found {
        Some(account) if is_right => Arc::new(account),
        found => {
            if let Some(account) = &found {
                account.note(shared, false);
            }
            account::log_failure(
                shared,
                &login.user,
                comes.peer.address,
                Account::wrong_password(found.as_ref(), &login.database),
            );
            attempts.fail(address, &login.user, Instant::now());
            return Ok(Err(vec![shared.error(&SqlError::of(18_456, 1, &[&login.user]))]));
        }
    };
    attempts.succeed(address, &login.user);
    account.note(shared, true);
    let known = (Arc::clone(shared), Arc::clone(login), Arc::clone(&account));
    let begun = on_a_thread(client, shared, move || begin(&known.0, &known.1, comes, &known.2, &server)).await?;
    let session = match begun {
        Ok(session) => session,
        Err(refusals) => return Ok(Err(refusals)),
    };
    let seen = Arc::clone(session.shared());
    let session = Waiting(Some(session));
    if let Err(refusals) = until_open(client, shared, login, &seen, comes.peer).await? {
        return Ok(Err(refusals));
    }
    let session = session.taken();
    let mut awaited = Awaited(Some(Arc::clone(session.shared())));
    let known = (Arc::clone(shared), Arc::clone(login));
    let work = move || enter(&known.0, &known.1, session, &account, comes.peer);
    let entered = on_a_thread(client, shared, work).await?;
    // What the session runs next is not to be cancelled.
    awaited.0 = None;
    Ok(entered.map(|(session, greeting)| (Waiting(Some(session)), greeting)))
}

/// Whom the login names, with what the server knows of logins.
fn named_account(
    shared: &Shared,
    login: &Login7,
    address: IpAddr,
) -> Result<(Arc<ServerSecurity>, Option<Account>), Refusals> {
    let error = |error: SqlError| vec![shared.error(&error)];
    let server = security::server(&shared.engine, 0).map_err(error)?;
    let found = Account::find(shared, &server, login).map_err(error)?;
    if let Some(account) = &found {
        account.check_lock(shared).map_err(|refused| {
            shared.engine.log_error(refused.clone());
            shared.attempts.fail(address, &login.user, Instant::now());
            error(refused)
        })?;
    }
    Ok((server, found))
}

/// A session of an account whose password was right, in master still.
fn begin(
    shared: &Arc<Shared>,
    login: &Login7,
    comes: Comes,
    account: &Account,
    server: &ServerSecurity,
) -> Result<Session, Refusals> {
    let peer = comes.peer.address;
    account.admit(shared, server, login.flags.change_password()).map_err(|refused| {
        match refused.number {
            18_456 => {
                let words = "Login-based server access validation failed with an infrastructure error.";
                account::log_failure(shared, &login.user, peer, Reason(11, words.into()));
            }
            _ => shared.engine.log_error(refused.clone()),
        }
        vec![shared.error(&refused)]
    })?;
    let context = account.context();
    let database = open_database(shared, login, peer, account, &context)?;
    let mut facts = facts_of(login, account.name(), &database, comes.peer, comes.encrypted);
    if Language::named(&facts.language).is_none() {
        // None was wanted, or one that is not there.
        facts.language = account.language().to_owned();
    }
    Session::open_as(&shared.engine, facts, context).map_err(|_| {
        vec![match shared.engine.stop().is_requested() {
            true => shared.error(&SqlError::of(6005, 1, &[])),
            false => too_many(shared),
        }]
    })
}

/// Waits, on no thread, while another session has the database of the login for itself; a login does not wait for ever.
async fn until_open(
    client: &mut Client<'_>,
    shared: &Shared,
    login: &Login7,
    session: &SessionShared,
    peer: Peer,
) -> Result<Result<(), Refusals>, TransportError> {
    let database = session.login.database.as_str();
    let (closed, until) = (shared.engine.txns().locks().closed(), Instant::now() + DATABASE_WAIT);
    let is_kept_out =
        || shared.engine.database_id(database).is_some_and(|database| closed.has_another(database, session.id));
    while is_kept_out() {
        if Instant::now() >= until {
            return Ok(Err(no_database(shared, login, database, peer.address)));
        }
        tokio::select! {
            () = tokio::time::sleep(DATABASE_LOOK) => {}
            gone = client.gone() => return Err(gone),
        }
    }
    Ok(Ok(()))
}

/// 4060
fn no_database(shared: &Shared, login: &Login7, database: &str, peer: SocketAddr) -> Refusals {
    let reason = Reason(38, format!("Failed to open the explicitly specified database '{database}'."));
    account::log_failure(shared, &login.user, peer, reason);
    vec![shared.error(&message::cannot_open_database(database)), shared.error(&SqlError::of(18_456, 1, &[&login.user]))]
}

/// What the client hears of an error that refuses its login, which the error log gets as severe as it is.
pub(crate) fn heard_of_refusal(engine: &Engine, refused: SqlError) -> SqlError {
    engine.log_error(refused.clone());
    SqlError { severity: refused.severity.min(SEVERITY_OF_LOGIN), ..refused }
}

/// Ends what the triggers of a login do when nobody waits for it any more.
struct Awaited(Option<Arc<SessionShared>>);

impl Drop for Awaited {
    fn drop(&mut self) {
        if let Some(session) = &self.0 {
            session.cancel();
        }
    }
}

/// Changes the password, if the client asks for it, fires the triggers of a login, and enters its database: the greeting is what the
/// client hears of that.
///
/// # Errors
/// 18464 and its kin, 17892; 4060 for a database that cannot be had any more.
fn enter(
    shared: &Shared,
    login: &Login7,
    mut session: Session,
    account: &Account,
    peer: Peer,
) -> Result<(Session, Vec<u8>), Refusals> {
    let mut change = || match login.flags.change_password() {
        true => account::change_password(&mut session, account, &login.password.0, &login.new_password.0),
        false => Ok(()),
    };
    let refused = |refused| vec![shared.error(&heard_of_refusal(&shared.engine, refused))];
    change().and_then(|()| exec::log_on(&mut session, false)).map_err(refused)?;
    let mut responder = Responder::greeting(login.version, Arc::clone(&shared.name));
    responder.set_spid(session.shared().id.0);
    let database = session.shared().login.database.clone();
    let current = if database.is_empty() { "master" } else { &database };
    let used = session.use_database(current, &mut responder);
    // The default database of a login that may be anywhere: master stays.
    if used.is_err() && database == login.database && login.flags.database_is_fatal() && !database.is_empty() {
        return Err(no_database(shared, login, &database, peer.address));
    }
    let current = if used.is_err() { "master" } else { current };
    if !login.database.is_empty() && !login.database.eq_ignore_ascii_case(current) {
        // An error in a login that succeeds: drivers that look at errors refuse it.
        let instead = SqlError::of(4063, 1, &[&login.database, &current]);
        responder.encoder().message(&shared.error(&instead));
    }
    let greeting = greeting(&session, login, shared, responder);
    Ok((session, greeting))
}

/// The database that a session begins in: the wanted one, else the login's default one.
///
/// # Errors
/// 4060 for a wanted one that is not there or that the login has no access to, 4064 for such a default one; 18456 after it.
fn open_database(
    shared: &Shared,
    login: &Login7,
    peer: SocketAddr,
    account: &Account,
    context: &SecurityContext,
) -> Result<String, Vec<ServerMessage>> {
    let may_use = |name: &str| {
        let id = shared.engine.database_id(name);
        id.is_some_and(|id| may_enter(&shared.engine, 0, context, id).is_ok_and(|may| may))
    };
    let failed = |reason: Reason| {
        account::log_failure(shared, &login.user, peer, reason);
        shared.error(&SqlError::of(18_456, 1, &[&login.user]))
    };
    let wanted = &login.database;
    if !wanted.is_empty() {
        if may_use(wanted) {
            return Ok(wanted.clone());
        }
        if login.flags.database_is_fatal() {
            return Err(no_database(shared, login, wanted, peer));
        }
    }
    let Account::Login(principal) = account else { return Ok(wanted.clone()) };
    let default = &*principal.default_database;
    if default != "master" {
        if may_use(default) {
            return Ok(default.to_owned());
        }
        if !context.is_sa() {
            let reason =
                Reason(40, format!("Failed to open the database '{default}' specified in the login properties."));
            return Err(vec![shared.error(&SqlError::of(4064, 1, &[])), failed(reason)]);
        }
    }
    Ok(String::new())
}

fn too_many(shared: &Shared) -> ServerMessage {
    shared.error(&SqlError::of(17_809, 1, &[&shared.connections_max]))
}

fn facts_of(login: &Login7, name: &str, database: &str, peer: Peer, encrypted: bool) -> Login {
    Login {
        login: name.to_owned(),
        host: login.host.clone(),
        program: login.application.clone(),
        client_interface: login.library.clone(),
        host_process_id: i32::try_from(login.client_process).unwrap_or(0),
        database: database.to_owned(),
        language: login.language.clone(),
        client_address: peer.address.ip().to_canonical().to_string(),
        client_port: peer.address.port(),
        local: peer.local,
        packet_bytes: login.packet_bytes().into(),
        encrypted,
        tds_version: login.version.number(),
    }
}

async fn refuse(transport: &mut Transport, login: &Login7, refusals: Vec<ServerMessage>) -> Result<(), TransportError> {
    let mut encoder = ServerEncoder::new(login.version, DEFAULT_PACKET_BYTES);
    refusals.iter().for_each(|refusal| encoder.message(refusal));
    encoder.done(Done::new(DoneKind::Done, DoneStatus::ERROR));
    let mut packets = Vec::new();
    encoder.finish(&mut packets);
    transport.send(packets).await
}

/// The packets of the answer to a login; the responder knows what its database said.
fn greeting(session: &Session, login: &Login7, shared: &Shared, mut responder: Responder) -> Vec<u8> {
    let (language, collation) = (session.facts().settings.language.facts().name, session.facts().collation);
    let encoder = responder.encoder();
    encoder.env_change(&EnvChange::Collation { new: Collation::of(collation), old: None });
    encoder.env_change(&EnvChange::Language { new: language.into(), old: String::new() });
    let message = Message::of(5703, &[&language]);
    encoder.message(&ServerMessage {
        number: message.number,
        state: message.state,
        severity: message.severity,
        message: message.text,
        server: shared.name.to_string(),
        ..ServerMessage::default()
    });
    encoder.login_ack(&LoginAck {
        version: login.version,
        program: "Microsoft SQL Server".into(),
        program_version: PROGRAM_VERSION,
    });
    encoder.env_change(&EnvChange::PacketSize { new: login.packet_bytes(), old: DEFAULT_PACKET_BYTES });
    if let Some(acks) = login.feature_acks() {
        encoder.feature_ext_ack(&acks);
    }
    responder.finish().packets
}
