//! What cargo compiles of the workspace, linted as it is compiled, and documented from what was compiled.
//!
//! The suite takes the place of the compiler for the workspace's own crates (`RUSTC_WORKSPACE_WRAPPER`): it calls clippy's
//! driver, which compiles and lints in one pass, and notes how libraries and programs were compiled. The documentation is
//! made with the same arguments, so that no dependency is read a second time for it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use serde_json::{Value, json};

/// The variable that makes the suite a compiler, and names the folder of its notes.
pub(super) const NOTES: &str = "SUITE_NOTES";

/// Takes the place of the compiler: arguments are those of `rustc`, the first its path.
pub(super) fn compile(notes: &Path, arguments: &[OsString]) -> ExitCode {
    let driver = Command::new("clippy-driver").args(arguments).status();
    let code = driver.map_or(127, |status| status.code().unwrap_or(1));
    if code == 0 {
        // A unit without a note is not documented, which the count of notes shows.
        let _ = note(notes, arguments);
    }
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// Notes a library or program; of examples, tests and build scripts nothing.
fn note(notes: &Path, arguments: &[OsString]) -> std::io::Result<()> {
    let words: Vec<_> = arguments.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let after = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.get(place + 1).map(AsRef::as_ref)
    };
    let source = words.iter().find(|word| word.ends_with(".rs")).map_or("", |word| word.as_ref());
    // Of a package without integration tests, cargo compiles programs as tests alone.
    let program = source.ends_with("/src/main.rs").then_some("bin");
    let (Some(name), Some(kind)) = (after("--crate-name"), after("--crate-type").or(program))
    else {
        return Ok(());
    };
    if !source.contains("/src/") || !matches!(kind, "lib" | "bin") {
        return Ok(());
    }
    // Cargo's own, and those that build scripts set; not the pipe of a build that has ended.
    let of_build = |name: &str| {
        ["CARGO_", "DUET_", "OUT_DIR"].iter().any(|start| name.starts_with(start))
            && name != "CARGO_MAKEFLAGS"
    };
    let variables = std::env::vars().filter(|(name, _)| of_build(name));
    let note = json!({
        "name": name,
        "arguments": words,
        "variables": variables.collect::<Vec<_>>(),
        "folder": std::env::current_dir()?,
    });
    fs::create_dir_all(notes)?;
    // Several are compiled at once, and may be stopped: each file appears whole.
    let file = notes.join(format!("{name}-{kind}.json"));
    let part = notes.join(format!("{name}-{kind}.{}", std::process::id()));
    fs::write(&part, note.to_string())?;
    fs::rename(part, file)
}

/// Documents all units, private items included, where a warning is an error; those whose documentation is newer than what was
/// compiled are passed over. Gives how many were documented.
///
/// # Errors
/// The messages of `rustdoc`, of every unit that has any.
pub(super) fn document(notes: &Path, output: &Path, lanes: usize) -> Result<usize, String> {
    let units: Vec<Unit> = fs::read_dir(notes)
        .map_err(|error| format!("{}: {error}", notes.display()))?
        .filter_map(|entry| Unit::read(&entry.ok()?.path()))
        .filter(|unit| !unit.is_documented(output))
        .collect();
    let work = std::sync::Mutex::new(units.iter());
    let next = || work.lock().ok().and_then(|mut units| units.next());
    let messages: Vec<String> = std::thread::scope(|scope| {
        let one =
            || std::iter::from_fn(next).filter_map(|unit| unit.document(output).err()).collect();
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(one)).collect();
        lanes
            .into_iter()
            .flat_map(|lane| lane.join().unwrap_or_else(|_| vec!["a panic".into()]))
            .collect()
    });
    if messages.is_empty() { Ok(units.len()) } else { Err(messages.join("\n")) }
}

/// A library or program that was compiled.
#[derive(Debug)]
struct Unit {
    name: String,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
    folder: PathBuf,
    noted: SystemTime,
}

impl Unit {
    /// Nothing where the file is no note, or its source is gone.
    fn read(file: &Path) -> Option<Self> {
        let value: Value = serde_json::from_str(&fs::read_to_string(file).ok()?).ok()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let unit = Self {
            name: text(&value["name"])?,
            arguments: list(&value["arguments"]).iter().filter_map(text).collect(),
            variables: list(&value["variables"])
                .iter()
                .filter_map(|pair| Some((text(&pair[0])?, text(&pair[1])?)))
                .collect(),
            folder: text(&value["folder"])?.into(),
            noted: fs::metadata(file).ok()?.modified().ok()?,
        };
        let source = unit.arguments.iter().find(|word| word.ends_with(".rs"))?;
        unit.folder.join(source).exists().then_some(unit)
    }

    fn mark(&self, output: &Path) -> PathBuf {
        output.join(format!(".{}.done", self.name))
    }

    fn is_documented(&self, output: &Path) -> bool {
        let done = fs::metadata(self.mark(output)).and_then(|data| data.modified());
        done.is_ok_and(|done| done > self.noted)
    }

    fn document(&self, output: &Path) -> Result<(), String> {
        let said = Command::new("rustdoc")
            .args(arguments_of_rustdoc(&self.arguments))
            .args(["-D", "warnings", "--document-private-items", "-o"])
            .arg(output)
            .current_dir(&self.folder)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .output()
            .map_err(|error| format!("rustdoc: {error}"))?;
        if !said.status.success() {
            return Err(String::from_utf8_lossy(&said.stderr).into_owned());
        }
        fs::write(self.mark(output), "").map_err(|error| format!("{}: {error}", output.display()))
    }
}

/// The arguments of `rustc` that `rustdoc` takes too: the source, its edition and its dependencies.
fn arguments_of_rustdoc(arguments: &[String]) -> Vec<String> {
    const WITH_VALUE: &[&str] =
        &["--crate-name", "--crate-type", "--extern", "-L", "--cfg", "--check-cfg", "--edition"];
    let mut taken = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            taken.push(word.clone());
            taken.extend(words.next().cloned());
        } else if word.ends_with(".rs") || word.starts_with("--edition=") {
            taken.push(word.clone());
        } else if let Some(lint) =
            word.strip_prefix("--warn=").filter(|lint| lint.starts_with("rustdoc"))
        {
            taken.extend(["--warn".to_owned(), lint.to_owned()]);
        } else if let Some(lint) =
            word.strip_prefix("--allow=").filter(|lint| lint.starts_with("rustdoc"))
        {
            taken.extend(["--allow".to_owned(), lint.to_owned()]);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rustdoc_gets_source_edition_and_dependencies() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let taken = arguments_of_rustdoc(&words(
            "--crate-name duet_sql --edition=2024 crates/sql/src/lib.rs --error-format=json --crate-type lib \
             --emit=dep-info,metadata,link -C debuginfo=line-tables-only --warn=clippy::todo \
             --allow=rustdoc::private_intra_doc_links --cfg feature=\"x\" --out-dir /d -L dependency=/d --extern m=/d/m.rlib",
        ));
        assert_eq!(
            taken,
            words(
                "--crate-name duet_sql --edition=2024 crates/sql/src/lib.rs --crate-type lib \
                 --allow rustdoc::private_intra_doc_links --cfg feature=\"x\" -L dependency=/d --extern m=/d/m.rlib"
            )
        );
    }
}
