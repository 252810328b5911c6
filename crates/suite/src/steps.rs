//! The steps of a run, timed: a step that fails ends the run with its name.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::machine;
use crate::table::Step;
use crate::units;

/// The variables of clippy's driver: every warning is an error.
const LINTS: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// The steps so far.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) done: Vec<Step>,
}

impl Steps {
    /// Runs a step. A failure is its name, and a text that is printed before it.
    ///
    /// # Errors
    /// The name of the step, if it fails.
    pub(super) fn step<T>(
        &mut self,
        name: &str,
        catches: &'static str,
        work: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        println!("\n== {name}");
        let started = Instant::now();
        let done = work();
        let seconds = started.elapsed().as_secs_f64();
        println!("   {seconds:.0} s");
        self.done.push(Step { name: name.to_owned(), seconds, catches });
        done.map_err(|said| {
            if !said.is_empty() {
                println!("{said}");
            }
            name.to_owned()
        })
    }
}

/// Runs a command, whose output is seen.
pub(super) fn shown(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(String::new()),
        Err(error) => Err(format!("{command:?}: {error}")),
    }
}

/// Cargo's own part: builds, and the tests in the documentation.
#[derive(Debug)]
pub(super) struct Cargo {
    /// This program, which takes the compiler's place.
    pub(super) own: PathBuf,
    /// Where it notes what was compiled.
    pub(super) notes: PathBuf,
}

impl Cargo {
    /// `cargo test` over all packages, with the workspace's crates linted as they are compiled. Always all: a part of the
    /// packages may need fewer features of a dependency, which would then be compiled once more.
    pub(super) fn test(&self) -> Command {
        let mut command = Command::new("cargo");
        command.args(["test", "--workspace"]).env("RUSTC_WORKSPACE_WRAPPER", &self.own);
        command.env(units::NOTES, &self.notes).env("CLIPPY_ARGS", LINTS);
        command
    }

    /// Builds all test programs. Gives cargo's messages, and the seconds that linkers ran.
    ///
    /// # Errors
    /// If something does not compile; cargo has said it.
    pub(super) fn build(&self) -> Result<(String, f64), String> {
        let mut command = self.test();
        command.args(["--quiet", "--no-run", "--message-format=json-render-diagnostics"]);
        let (output, linking) = machine::with_linking(|| command.stderr(Stdio::inherit()).output());
        let output = output.map_err(|error| format!("cargo: {error}"))?;
        if !output.status.success() {
            return Err(String::new());
        }
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), linking))
    }
}

/// Checks the workspace with the version that Cargo.toml declares as the oldest, where it is not the one in use.
///
/// # Errors
/// If it does not compile, or no version is declared.
pub(super) fn minimum_rust() -> Result<(), String> {
    let manifest = std::fs::read_to_string("Cargo.toml").map_err(|error| error.to_string())?;
    let declared = manifest.lines().find_map(|line| line.strip_prefix("rust-version = \""));
    let minimum = declared.ok_or("Cargo.toml has no rust-version")?.trim_end_matches('"');
    let version =
        Command::new("rustc").arg("--version").output().map_err(|error| error.to_string())?;
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let current = version.split(' ').nth(1).unwrap_or_default();
    if current == minimum || current.starts_with(&format!("{minimum}.")) {
        println!("Rust {current} is the oldest: the other steps check it");
        return Ok(());
    }
    let installed = Command::new("rustup").args(["run", minimum, "rustc", "--version"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        println!(
            "NOT CHECKED: install it with `rustup toolchain install {minimum}`; this is {current}"
        );
        return Ok(());
    }
    let check =
        ["check", "--quiet", "--workspace", "--all-targets", "--target-dir", "target/minimum"];
    shown(Command::new("cargo").arg(format!("+{minimum}")).args(check))
}

/// Checks that the fuzz targets compile, or builds them where `cargo fuzz` is installed.
///
/// # Errors
/// If they do not.
pub(super) fn fuzz_targets() -> Result<(), String> {
    let fuzz = Command::new("cargo").args(["+nightly", "fuzz", "--version"]).output();
    if fuzz.is_ok_and(|output| output.status.success()) {
        return shown(Command::new("cargo").args(["+nightly", "fuzz", "build"]));
    }
    let check =
        ["check", "--quiet", "--manifest-path", "fuzz/Cargo.toml", "--target-dir", "target/fuzz"];
    shown(Command::new("cargo").args(check))
}

/// Validates the described APIs with a validator that is not ours; it is kept in `folder`.
///
/// # Errors
/// If a document is wrong.
pub(super) fn openapi(folder: &Path) -> Result<(), String> {
    let mut documents = Vec::new();
    for folder in ["golden/openapi", "golden/openapi-postgrest"] {
        let found = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
        let found = found.filter_map(|entry| Some(entry.ok()?.path().join("document.json")));
        documents.extend(found.filter(|path| path.exists()));
    }
    documents.sort();
    shown(Command::new("golden/openapi/validate.sh").args(documents).env("VALIDATOR", folder))
}
