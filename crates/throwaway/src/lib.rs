//! A throwaway PostgreSQL server: its own data folder, its own Unix socket, gone with the process
//! that started it.
//!
//! Tests run against it, and so do the bench's repeats of published reports. The server that the
//! distribution may run on port 5432 is never touched. Run as root, the server runs as the user
//! `postgres`; otherwise as the user that started the program.
//!
//! ```
//! use duet_throwaway::{Options, Server};
//!
//! let server = Server::start_with(Options::new().setting("wal_level", "logical"));
//! let database = server.database("shop");
//! database.exec("CREATE TABLE item (id int PRIMARY KEY)");
//! assert_eq!(database.query("SHOW wal_level"), "logical");
//! assert!(database.url().starts_with("postgres://"));
//! ```

mod database;
mod guard;
mod install;
mod options;
mod session;
mod template;
mod tls;

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use database::Database;
pub use options::Options;
pub use session::PsqlSession;
pub use tls::{Certificates, Pair, Tls, TlsFiles};

use guard::Guard;
use install::Install;

/// How long a server may take to start on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);

/// The interval at which the server's state file is polled.
const GLANCE: Duration = Duration::from_millis(5);

/// The port that names the socket when nothing listens on TCP.
const SOCKET_PORT: u16 = 5432;

/// A running server; dropping it stops it and removes its files.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    install: Install,
    options: Options,
    port: u16,
    tls: Option<TlsFiles>,
    guard: Mutex<Guard>,
    /// Makes databases: a process and a session for each would take as long as the rest of it.
    maker: Mutex<Option<PsqlSession>>,
}

impl Server {
    /// The one server that all tests of this process share, started at the first call. Each test
    /// takes a [`Server::database`] of its own.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    /// Starts a separate server, for tests that stop it.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub fn start() -> Self {
        // Neither changes an answer, and both take processors from the other tests: the compiler of statements, and a
        // process for each database of each minute, of which a run of all tests has a thousand.
        Self::start_with(Options::new().setting("jit", "off").setting("autovacuum", "off"))
    }

    /// A server with options.
    ///
    /// # Panics
    /// If PostgreSQL is not installed or does not start.
    pub fn start_with(options: Options) -> Self {
        Self::try_start(options).unwrap_or_else(|error| panic!("throwaway PostgreSQL: {error}"))
    }

    /// As [`Server::start_with`], with the error as a value.
    pub fn try_start(options: Options) -> io::Result<Self> {
        let began = Instant::now();
        let install = Install::find()?;
        let folder = make_folder(&install)?;
        // From here on the guard removes the folder in all cases.
        let guard = Mutex::new(Guard::spawn(&install, &folder)?);
        let (port, maker) = (SOCKET_PORT, Mutex::default());
        let mut server = Self { folder, install, options, port, tls: None, guard, maker };
        server.init()?;
        note_start(began);
        server.first_start()?;
        Ok(server)
    }

    /// Starts a hot standby of this server, on a separate Unix socket.
    ///
    /// # Panics
    /// If the copy fails or the standby does not start.
    pub fn standby(&self) -> Self {
        self.try_standby().unwrap_or_else(|error| panic!("standby of PostgreSQL: {error}"))
    }

    fn try_standby(&self) -> io::Result<Self> {
        let install = Install::find()?;
        let folder = make_folder(&install)?;
        let guard = Mutex::new(Guard::spawn(&install, &folder)?);
        let options = Options::new();
        let (port, maker) = (SOCKET_PORT, Mutex::default());
        let server = Self { folder, install, options, port, tls: None, guard, maker };
        let mut copy = server.install.command("pg_basebackup", &server.folder);
        copy.args([
            "-D",
            "data",
            "-U",
            "postgres",
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
            "--no-sync",
        ]);
        copy.arg("-h").arg(&self.folder).args(["-p", &self.port.to_string()]);
        let output = copy.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(io::Error::other(format!("pg_basebackup failed: {said}")));
        }
        let configuration = server.data().join("postgresql.conf");
        let text = server.configuration(&fs::read_to_string(&configuration)?);
        fs::write(configuration, text)?;
        server.launch()?;
        Ok(server)
    }

    /// A fresh, empty database of this name; one that exists is dropped first.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn database(&self, name: &str) -> Database {
        self.database_from(name, "template1")
    }

    /// A fresh database of this name, copied from another: quicker than loading it again.
    ///
    /// # Panics
    /// If the server refuses it.
    pub fn database_from(&self, name: &str, template: &str) -> Database {
        let quote = |name: &str| name.replace('"', "\"\"");
        // Sessions that wait for the next script hold what is copied. Statements that cannot share a transaction.
        let script = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{held}' AND application_name = 'psql';
             DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE);\nCREATE DATABASE \"{name}\" TEMPLATE \"{template}\"{how};",
            held = template.replace('\'', "''"),
            name = quote(name),
            template = quote(template),
            how = self.way_to_copy(),
        );
        let mut maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner);
        let is_made = maker.as_mut().is_some_and(|session| session.try_query(&script).is_ok());
        if !is_made {
            // There is none yet, or the server was restarted, or it refuses: then this says why.
            let mut session = self.existing("postgres").session();
            session.query(&script);
            *maker = Some(session);
        }
        drop(maker);
        self.existing(name)
    }

    /// Files are copied in half of the time that their pages take through the log, where no disk is waited for.
    fn way_to_copy(&self) -> &'static str {
        const FIRST_WITH_A_CHOICE: u32 = 15;
        let version = fs::read_to_string(self.data().join("PG_VERSION")).unwrap_or_default();
        let has_choice =
            version.trim().parse().is_ok_and(|version: u32| version >= FIRST_WITH_A_CHOICE);
        if has_choice && !self.options.fsync { " STRATEGY file_copy" } else { "" }
    }

    /// An existing database, such as `postgres`.
    pub fn existing(&self, name: &str) -> Database {
        Database::new(self.install.program("psql"), &self.folder, self.port, name)
    }

    /// The URL of a database by the Unix socket.
    pub fn url(&self, database: &str) -> String {
        self.existing(database).url()
    }

    /// The URL of a database by TCP, user `postgres`; parameters such as `sslmode` may be added
    /// after a `?`.
    ///
    /// # Panics
    /// If the server was started without [`Options::tcp`].
    pub fn tcp_url(&self, database: &str) -> String {
        assert!(self.options.tcp, "this server was started without TCP: use Options::tcp()");
        format!("postgres://postgres@localhost:{}/{database}", self.port)
    }

    /// The folder of the Unix socket.
    pub fn socket_folder(&self) -> &Path {
        &self.folder
    }

    /// The TCP port; it also names the socket.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The certificates, if TLS was requested.
    pub fn tls(&self) -> Option<&TlsFiles> {
        self.tls.as_ref()
    }

    /// Stops the server with a fast shutdown; [`Server::restart`] starts it again.
    ///
    /// # Panics
    /// If it does not run.
    pub fn stop(&self) {
        self.guard().signal("INT").unwrap_or_else(|error| panic!("stop PostgreSQL: {error}"));
    }

    /// Kills the server process with signal 9, as a crash would.
    ///
    /// # Panics
    /// If it does not run.
    pub fn kill(&self) {
        self.guard().signal("KILL").unwrap_or_else(|error| panic!("kill PostgreSQL: {error}"));
    }

    /// Has the server hang until it ends: its sockets stay open and say nothing. Linux only.
    ///
    /// # Panics
    /// If it does not run.
    pub fn freeze(&self) {
        self.guard().freeze().unwrap_or_else(|error| panic!("freeze PostgreSQL: {error}"));
    }

    /// Starts the server again after [`Server::stop`] or [`Server::kill`], on the same socket and
    /// port, and returns once it accepts connections.
    ///
    /// # Panics
    /// If it does not start.
    pub fn restart(&self) {
        // After a kill the old backends need a moment to notice; the new server refuses to start
        // until they have gone, and is started again.
        let deadline = Instant::now() + START_LIMIT;
        while let Err(error) = self.launch() {
            assert!(Instant::now() < deadline, "restart PostgreSQL: {error}");
        }
    }

    fn guard(&self) -> MutexGuard<'_, Guard> {
        self.guard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn init(&mut self) -> io::Result<()> {
        template::fill(&self.install, &self.folder)?;
        if let Some((kind, certificates)) = &self.options.tls {
            let owner = self.install.owner;
            self.tls = Some(TlsFiles::write(certificates, &self.folder, *kind, owner)?);
        }
        // Written in place, so that the files keep their owner.
        fs::write(self.data().join("pg_hba.conf"), self.options.pg_hba())
    }

    /// Starts; with TCP, another program may take the free port in between: then with another.
    fn first_start(&mut self) -> io::Result<()> {
        const TRIES: usize = 5;
        let plain = fs::read_to_string(self.data().join("postgresql.conf"))?;
        for last in (0..TRIES).map(|attempt| attempt + 1 == TRIES || !self.options.tcp) {
            if self.options.tcp {
                self.port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
            }
            fs::write(self.data().join("postgresql.conf"), self.configuration(&plain))?;
            match self.launch() {
                Err(error) if last => return Err(error),
                Err(_) => {}
                Ok(()) => break,
            }
        }
        if let Some(password) = &self.options.password {
            let quoted = password.replace('\'', "''");
            self.existing("postgres").exec(&format!("ALTER ROLE postgres PASSWORD '{quoted}';"));
        }
        Ok(())
    }

    fn configuration(&self, plain: &str) -> String {
        let mut text = format!("{plain}\n# Throwaway.\n");
        let mut set = |name: &str, value: &str| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name} = '{}'", value.replace('\'', "''"));
        };
        set("port", &self.port.to_string());
        set("unix_socket_directories", &self.folder.to_string_lossy());
        set("listen_addresses", if self.options.tcp { "localhost" } else { "" });
        self.options.settings().for_each(|(name, value)| set(name, value));
        if let Some(tls) = &self.tls {
            tls.settings().for_each(|(name, value)| set(name, &value));
        }
        text
    }

    /// Starts the server process and watches its state file until it accepts connections.
    fn launch(&self) -> io::Result<()> {
        let began = Instant::now();
        let process = self.guard().start()?;
        let deadline = began + START_LIMIT;
        loop {
            if self.is_ready(process) {
                note_start(began);
                return Ok(());
            }
            let over = has_ended(process);
            if over || Instant::now() > deadline {
                let what = if over { "ended at once" } else { "did not get ready in time" };
                return Err(io::Error::other(format!("the server {what}: {}", self.log_tail())));
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Line 1 of `postmaster.pid` is the process, line 8 its state (PostgreSQL 10 and later); a hot
    /// standby says so.
    fn is_ready(&self, process: u32) -> bool {
        let text = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let mut lines = text.lines();
        lines.next() == Some(process.to_string().as_str())
            && lines.nth(6).is_some_and(|state| matches!(state.trim(), "ready" | "standby"))
    }

    /// The server's log so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn log_tail(&self) -> String {
        let log = self.log();
        let from = log.lines().count().saturating_sub(12);
        log.lines().skip(from).collect::<Vec<_>>().join("\n")
    }
}

/// Adds the seconds that the start of a server took to the file that the variable `THROWAWAY_TIMES` names, so that a run
/// of many tests shows what its servers cost.
pub fn note_start(began: Instant) {
    let Some(path) = std::env::var_os("THROWAWAY_TIMES") else { return };
    let line = format!("{:.4}\n", began.elapsed().as_secs_f64());
    let opened = fs::OpenOptions::new().create(true).append(true).open(path);
    // Times that cannot be kept are no reason to end a test.
    let _ = opened.and_then(|mut file| io::Write::write_all(&mut file, line.as_bytes()));
}

/// Whether a child of the guard has ended; the guard has not waited for it, so it is a zombie.
fn has_ended(process: u32) -> bool {
    match fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) => Path::new("/proc/self/stat").exists(),
    }
}

/// A folder whose socket path fits the 107 bytes of a Unix socket address and that the server's
/// user can reach.
fn make_folder(install: &Install) -> io::Result<PathBuf> {
    const LONGEST_SOCKET_PATH: usize = 107;
    let sample = "/duet-pg-123456/.s.PGSQL.65535";
    let fits = |folder: &PathBuf| {
        folder.as_os_str().len() + sample.len() <= LONGEST_SOCKET_PATH
            && (install.owner.is_none() || open_to_all(folder))
    };
    let parent = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
        .into_iter()
        .find(fits)
        .ok_or_else(|| io::Error::other("no temporary folder has a path that is short enough"))?;
    let folder = tempfile::Builder::new().prefix("duet-pg-").rand_bytes(6).tempdir_in(parent)?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    if let Some((uid, gid)) = install.owner {
        chown(folder.path(), Some(uid), Some(gid))?;
    }
    Ok(folder.keep())
}

/// Whether every user may enter the folder.
fn open_to_all(folder: &Path) -> bool {
    folder
        .ancestors()
        .all(|part| fs::metadata(part).is_ok_and(|data| data.permissions().mode() & 0o001 != 0))
}
