//! Published clients of PostgREST against the profile: `golden/clients` has a script of cases for each, which prints what
//! the client made of the answers. The packages come from their registries into the folder of the build, at the
//! versions below. Without network or tool the test says that it was skipped; `DUET_OFFLINE=1` says so beforehand.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use duet_model::ProfileRef;
use duet_testkit::golden::{self, Case};

use crate::support::{App, Database, Setup};

/// A client: its folder in `golden/clients`, and how its package is installed and its cases are run.
struct PublishedClient {
    case: &'static str,
    package: &'static str,
    script: &'static str,
    install: fn(&Path, &str) -> Option<()>,
    program: fn(&Path) -> PathBuf,
}

const PYTHON: PublishedClient = PublishedClient {
    case: "postgrest-py",
    package: "postgrest==2.34.1",
    script: "cases.py",
    install: |folder, package| {
        run(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
        let pip = folder.join("venv/bin/pip");
        run(Command::new(pip).args(["install", "--quiet", "--disable-pip-version-check", package]))
    },
    program: |folder| folder.join("venv/bin/python"),
};

const JAVASCRIPT: PublishedClient = PublishedClient {
    case: "postgrest-js",
    package: "@supabase/postgrest-js@2.119.0",
    script: "cases.mjs",
    install: |folder, package| {
        let install = ["install", "--no-audit", "--no-fund", "--silent", "--prefix"];
        run(Command::new("npm").args(install).arg(folder).arg(package))
    },
    program: |_| PathBuf::from("node"),
};

#[test]
fn postgrest_py_is_served() {
    PYTHON.check();
}

#[test]
fn postgrest_js_is_served() {
    JAVASCRIPT.check();
}

impl PublishedClient {
    fn check(&self) {
        let Some(folder) = self.installed() else {
            return say(&format!("SKIPPED: {} could not be installed", self.package));
        };
        let case = Case { dir: golden::root().join("clients").join(self.case) };
        let sqlite = self.answers(&case, (&folder, "sqlite"), &Database::sqlite());
        let name = self.case.replace('-', "_");
        let postgres = self.answers(&case, (&folder, "postgres"), &Database::postgres(&name));
        let both = |text: &str| text.split_once("\n# Refused").map(|(both, _)| both.to_owned());
        let shared = postgres.split_once("\n# PostgreSQL").map(|(both, _)| both.to_owned());
        assert!(shared.is_some(), "{postgres}");
        let (one, other) = (both(&sqlite).unwrap_or_default(), shared.unwrap_or_default());
        let differ = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        assert_eq!(differ, None, "SQLite and PostgreSQL differ");
        let alone = postgres.get(other.len()..).unwrap_or_default();
        case.expect("result.txt", &format!("{sqlite}\n{alone}"));
    }

    /// The folder that has the package; the last file that is written says which.
    fn installed(&self) -> Option<PathBuf> {
        if std::env::var_os("DUET_OFFLINE").is_some_and(|value| value == "1") {
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("clients").join(self.case);
        let done = folder.join("package");
        if std::fs::read_to_string(&done).is_ok_and(|package| package == self.package) {
            return Some(folder);
        }
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        (self.install)(&folder, self.package)?;
        std::fs::write(done, self.package).unwrap();
        Some(folder)
    }

    fn answers(&self, case: &Case, (folder, store): (&Path, &str), database: &Database) -> String {
        let app = started(store, database);
        let script = case.dir.join(self.script);
        let mut command = Command::new((self.program)(folder));
        let url = format!("{}/ords/hr", app.url());
        command.arg(script).args([url.as_str(), app.bearer().as_str(), store]).current_dir(folder);
        let output = command.output().unwrap();
        let (text, problem) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{text}\n{problem}");
        text
    }
}

fn started(store: &str, database: &Database) -> App {
    let folder = Case { dir: golden::root().join("clients") };
    database.exec(&folder.read("schema.sql"));
    if store == "postgres" {
        database.exec(&folder.read("schema.postgres.sql"));
    }
    Setup::new(database)
        .with(|setup| {
            setup.mount().profile = ProfileRef::named("postgrest").unwrap();
            setup.roles = vec!["duet.write", "duet.execute"];
        })
        .start()
}

/// Runs a program; `None` where it is missing or fails.
fn run(command: &mut Command) -> Option<()> {
    let output = command.output().ok()?;
    if !output.status.success() {
        say(&text(&output.stderr));
    }
    output.status.success().then_some(())
}

/// Says what is not checked, in the log of the tests.
fn say(what: &str) {
    drop(writeln!(std::io::stderr(), "{what}"));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
