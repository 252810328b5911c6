//! One page's examples in one shell: a folder of its own, the servers that the page starts, and
//! `duet` and `curl` that find them although the page says port 8080.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use duet_testkit::command::{Running, clean};
use duet_testkit::postgres::{Database, Server};
use duet_testkit::sqlite;
use tempfile::TempDir;

/// The server of every page.
pub(super) const ADDRESS: &str = "http://127.0.0.1:8080";

/// The database of every page.
const POSTGRES: &str = "postgres://me@localhost/shop";

/// How the application of a page names the SQLite file that may be another database.
const FILE: &str = "sqlite:../post.db";

/// What stands for the client that is made for a run.
const CLIENT: [&str; 2] = ["CLIENT_ID", "CLIENT_SECRET"];

/// Stands between the outputs of scripts.
const END: u8 = 0x1e;

/// `curl`, `duet` and the programs of pages with what is there in place of what the pages write.
const PRELUDE: &str = r#"
exec 2>&1
there() {
  words=()
  local word
  for word; do
    word=${word//'http://127.0.0.1:8080'/"$SERVER"}
    word=${word//'postgres://me@localhost/shop'/"$POSTGRES"}
    word=${word//CLIENT_ID/"$ID"}
    words+=("${word//CLIENT_SECRET/"$SECRET"}")
  done
}
curl() { there "$@"; command curl "${words[@]}"; }
python3() { there "$@"; command python3 "${words[@]}"; }
node() { there "$@"; command node "${words[@]}"; }
duet() {
  there "$@"
  # The server of a page is at the usual address.
  if [ "$1" = token ]; then words+=(--url "$SERVER"); fi
  command duet "${words[@]}"
}
# `cargo run --release --` of the first page.
cargo() { shift 3; duet "$@"; }
"#;

/// The shell of a page.
#[derive(Debug)]
pub(super) struct Session {
    shell: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    server: Option<Running>,
    postgres: String,
    /// What replaces the SQLite file of a page.
    instead: Option<Database>,
    folder: TempDir,
}

/// Where files of the examples are: paths in what they print are as short as on the pages, whose lines are wrapped.
const SHORT: &str = "/tmp";

impl Session {
    /// A shell in an empty folder.
    pub(super) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("duet-sqlite-").tempdir_in(SHORT);
        let folder = folder.expect("a folder");
        let programs = Path::new(env!("CARGO_BIN_EXE_duet")).parent().expect("a folder");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = clean(Path::new("bash"));
        command.args(["--noprofile", "--norc"]).current_dir(folder.path());
        command.env("PATH", format!("{}:{path}", programs.display()));
        command.env("TMPDIR", SHORT);
        let mut shell =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("run bash");
        let input = shell.stdin.take().expect("piped");
        let output = BufReader::new(shell.stdout.take().expect("piped"));
        let mut session = Self {
            shell,
            input,
            output,
            server: None,
            postgres: String::new(),
            instead: None,
            folder,
        };
        session.run_here(PRELUDE);
        session
    }

    /// The same with a database of PostgreSQL for the SQLite file of its page.
    pub(super) fn on_postgres(database: Database) -> Self {
        let mut session = Self::new();
        session.instead = Some(database);
        session
    }

    /// Writes a file of the page.
    pub(super) fn write(&self, name: &str, text: &str) {
        let replaced = self.instead.as_ref().map(|database| text.replace(FILE, &database.url()));
        let text = replaced.as_deref().unwrap_or(text);
        let path = self.folder.path().join(name);
        let folder = path.parent().expect("it is below the session's");
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, text)).expect("a file");
    }

    /// Runs a script: whether its last command succeeded, and what it has printed, with the names
    /// that the pages use. A script that starts a server prints nothing.
    pub(super) fn run(&mut self, script: &str) -> (bool, String) {
        if script.contains(POSTGRES) && self.postgres.is_empty() {
            self.postgres = Server::shared().database("manual").url();
            let postgres = self.postgres.clone();
            self.put(&[("POSTGRES", &postgres)]);
        }
        if let Some((file, sql)) = sql_of(script) {
            self.change(file, sql);
            return (true, String::new());
        }
        let command = script.replace("cargo run --release -- ", "duet ");
        if command.starts_with("duet demo") || command.starts_with("duet serve") {
            self.serve(&command);
            return (true, String::new());
        }
        let (succeeded, output) = self.run_here(script);
        (succeeded, self.as_the_pages_say(&output))
    }

    /// Runs a file of SQL.
    fn change(&mut self, file: &str, sql: &str) {
        let path = |name: &str| self.folder.path().join(name);
        let text = fs::read_to_string(path(sql)).expect("a file of the page");
        match &self.instead {
            Some(database) => database.exec(&text),
            None => sqlite::open(&path(file)).execute_batch(&text).expect("SQL of the page"),
        }
    }

    /// Starts a server instead of the one before.
    fn serve(&mut self, command: &str) {
        let command = command.replace(POSTGRES, &self.postgres);
        let (_, words) = self.run_here(&format!("printf '%s\\n' {command}"));
        let mut words = words.trim().lines().map(str::to_owned).skip(1).peekable();
        let mut server = clean(Path::new(env!("CARGO_BIN_EXE_duet")));
        server.current_dir(self.folder.path());
        let mut ready_file = None;
        while let Some(word) = words.next() {
            match word.as_str() {
                "--ready-file" => ready_file = words.next(),
                "--listen" => drop(words.next()),
                _ => drop(server.arg(word)),
            }
        }
        server.args(["--listen", "127.0.0.1:0"]);
        self.server = None;
        let running = Running::start_command(server);
        let ready = running.ready().clone();
        if let Some(name) = ready_file {
            self.write(&name, &format!("{ready}\n"));
        }
        let [id, secret] = CLIENT.map(|name| ready[name.to_lowercase()].as_str().unwrap_or(name));
        self.put(&[("SERVER", &running.url()), ("ID", id), ("SECRET", secret)]);
        self.server = Some(running);
    }

    /// Sets variables of the shell.
    fn put(&mut self, variables: &[(&str, &str)]) {
        let lines: Vec<_> =
            variables.iter().map(|(name, value)| format!("{name}='{value}'")).collect();
        self.run_here(&lines.join("\n"));
    }

    fn as_the_pages_say(&self, output: &str) -> String {
        let mut output = output.replace('\r', "");
        if !self.postgres.is_empty() {
            output = output.replace(&self.postgres, POSTGRES);
        }
        if let Some(server) = &self.server {
            output = output.replace(&server.url(), ADDRESS);
            for name in CLIENT {
                if let Some(value) = server.ready()[name.to_lowercase()].as_str() {
                    output = output.replace(value, name);
                }
            }
        }
        output
    }

    fn run_here(&mut self, script: &str) -> (bool, String) {
        let script = format!("{script}\nprintf '\\n%d\\036' \"$?\"\n");
        self.input.write_all(script.as_bytes()).expect("the shell reads");
        self.input.flush().expect("the shell reads");
        let mut output = Vec::new();
        self.output.read_until(END, &mut output).expect("the shell prints");
        assert_eq!(output.pop(), Some(END), "the shell ended in:\n{script}");
        let output = String::from_utf8_lossy(&output).into_owned();
        let (printed, status) = output.rsplit_once('\n').unwrap_or(("", &output));
        (status == "0", printed.to_owned())
    }
}

/// The SQLite file and the script of `sqlite3 FILE < SCRIPT`.
fn sql_of(script: &str) -> Option<(&str, &str)> {
    script.trim().strip_prefix("sqlite3 ")?.split_once(" < ")
}

impl Drop for Session {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
