//! A throwaway pgbouncer before a throwaway PostgreSQL: its own Unix socket, gone with the process that
//! started it.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::postgres::Server;

/// How long it may take to start on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(60);
/// It names the socket; nothing listens on TCP.
const PORT: u16 = 6432;
/// `$1` is the program, `$2` its folder. The pipe ends with the test, in whatever way that ends.
const SCRIPT: &str = r#"
"$1" -q "$2/pgbouncer.ini" </dev/null >/dev/null 2>&1 &
pooler=$!
cat >/dev/null
kill -KILL "$pooler"
wait "$pooler"
"#;

/// How long a client keeps a connection to the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As long as it is connected.
    Session,
    /// For a transaction.
    Transaction,
    /// For a statement.
    Statement,
}

impl Mode {
    fn word(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Transaction => "transaction",
            Self::Statement => "statement",
        }
    }
}

/// A running pgbouncer; dropping it stops it and removes its files.
#[derive(Debug)]
pub struct Pgbouncer {
    folder: TempDir,
    shell: Child,
    words: Option<ChildStdin>,
}

impl Pgbouncer {
    /// Whether the one that is installed keeps prepared statements (1.21 or later).
    ///
    /// # Panics
    /// If it is not installed.
    pub fn keeps_statements() -> bool {
        let said = Command::new(program()).arg("--version").output();
        let said = said.unwrap_or_else(|error| panic!("install the package `pgbouncer`: {error}"));
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let mut numbers = said
            .split(|char: char| !char.is_ascii_digit())
            .filter_map(|number| number.parse().ok());
        let version: (u32, u32) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        version >= (1, 21)
    }

    /// Starts one before a server, as the owner of that server.
    ///
    /// # Panics
    /// If it is not installed or does not start.
    pub fn start(server: &Server, mode: Mode) -> Self {
        Self::try_start(server, mode).unwrap_or_else(|error| panic!("start of pgbouncer: {error}"))
    }

    fn try_start(server: &Server, mode: Mode) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("duet-pgb-").tempdir_in("/tmp")?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let owner = fs::metadata(server.socket_folder())?;
        let own = fs::metadata(folder.path())?;
        fs::write(folder.path().join("users"), "\"postgres\" \"\"\n")?;
        fs::write(folder.path().join("pgbouncer.ini"), configuration(server, mode, folder.path()))?;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "duet-testkit-pgbouncer"]).arg(program()).arg(folder.path());
        if own.uid() != owner.uid() {
            chown(folder.path(), Some(owner.uid()), Some(owner.gid()))?;
            shell.uid(owner.uid()).gid(owner.gid());
        }
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // Ctrl-C goes to the test; the shell must live on to stop it.
        let mut shell = shell.current_dir(folder.path()).process_group(0).spawn()?;
        let words = shell.stdin.take();
        let started = Self { folder, shell, words };
        started.wait()?;
        Ok(started)
    }

    fn wait(&self) -> io::Result<()> {
        let deadline = Instant::now() + START_LIMIT;
        let socket = self.folder.path().join(format!(".s.PGSQL.{PORT}"));
        while UnixStream::connect(&socket).is_err() {
            if Instant::now() > deadline {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                return Err(io::Error::other(format!("it did not get ready in time: {log}")));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The URL of a database of the server.
    pub fn url(&self, database: &str) -> String {
        let folder = self.folder.path().display();
        format!("postgres:///{database}?host={folder}&port={PORT}&user=postgres")
    }
}

impl Drop for Pgbouncer {
    fn drop(&mut self) {
        drop(self.words.take());
        // Nothing can be done about a shell that cannot be waited for.
        let _ = self.shell.wait();
    }
}

fn configuration(server: &Server, mode: Mode, folder: &Path) -> String {
    let (to, port) = (server.socket_folder().display(), server.port());
    let (folder, mode) = (folder.display(), mode.word());
    let statements =
        if Pgbouncer::keeps_statements() { "max_prepared_statements = 200\n" } else { "" };
    format!(
        "[databases]\n* = host={to} port={port} user=postgres\n\
         [pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\nunix_socket_dir = {folder}\nunix_socket_mode = 0777\n\
         auth_type = trust\nauth_file = {folder}/users\nlogfile = {folder}/log\n\
         pool_mode = {mode}\ndefault_pool_size = 40\n{statements}"
    )
}

/// What `PATH` has, else where the package puts it.
fn program() -> PathBuf {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let mut paths = std::env::split_paths(&paths).map(|folder| folder.join("pgbouncer"));
    paths.find(|path| path.exists()).unwrap_or_else(|| "/usr/sbin/pgbouncer".into())
}
