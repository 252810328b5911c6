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

/// The kind of a note of a library's tests.
const TEST: &str = "test";

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

/// Notes a library or program, and the tests of a library, whose dependencies its examples have too; of other tests,
/// examples and build scripts nothing.
fn note(notes: &Path, arguments: &[OsString]) -> std::io::Result<()> {
    let words: Vec<_> = arguments.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let after = |name: &str| {
        let place = words.iter().position(|word| word == name)?;
        words.get(place + 1).map(AsRef::as_ref)
    };
    let source = words.iter().find(|word| word.ends_with(".rs")).map_or("", |word| word.as_ref());
    // Of a package without integration tests, cargo compiles programs as tests alone.
    let program = source.ends_with("/src/main.rs").then_some("bin");
    let is_test = words.iter().any(|word| word == "--test");
    let test = (is_test && source.ends_with("/src/lib.rs")).then_some(TEST);
    let (Some(name), Some(kind)) =
        (after("--crate-name"), after("--crate-type").or(test).or(program))
    else {
        return Ok(());
    };
    if !source.contains("/src/") || !matches!(kind, "lib" | "bin" | TEST) {
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

/// What was documented.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Documented {
    /// Libraries and programs.
    pub(super) units: usize,
    /// Examples that were run.
    pub(super) examples: usize,
}

/// Documents all units, private items included, where a warning is an error, and runs their examples; those whose
/// documentation is newer than what was compiled are passed over.
///
/// # Errors
/// The messages of `rustdoc`, of every unit that has any.
pub(super) fn document(notes: &Path, output: &Path, lanes: usize) -> Result<Documented, String> {
    let units: Vec<Unit> = fs::read_dir(notes)
        .map_err(|error| format!("{}: {error}", notes.display()))?
        .filter_map(|entry| Unit::read(&entry.ok()?.path()))
        .collect();
    let (tests, units): (Vec<_>, Vec<_>) = units.into_iter().partition(|unit| unit.is_test);
    let wanted: Vec<_> = units.iter().filter(|unit| !unit.is_documented(output)).collect();
    let tests_of = |unit: &Unit| tests.iter().find(|test| test.name == unit.name);
    let work = std::sync::Mutex::new(wanted.iter());
    let next = || work.lock().ok().and_then(|mut units| units.next());
    let done: Vec<Result<usize, String>> = std::thread::scope(|scope| {
        let one = || {
            let units = std::iter::from_fn(next);
            units.map(|unit| unit.document(output, tests_of(unit))).collect()
        };
        let lanes: Vec<_> = (0..lanes).map(|_| scope.spawn(one)).collect();
        lanes
            .into_iter()
            .flat_map(|lane| lane.join().unwrap_or_else(|_| vec![Err("a panic".into())]))
            .collect()
    });
    let (examples, messages): (Vec<_>, Vec<_>) = done.into_iter().partition(Result::is_ok);
    let messages: Vec<String> = messages.into_iter().filter_map(Result::err).collect();
    match messages.is_empty() {
        true => Ok(Documented {
            units: wanted.len(),
            examples: examples.into_iter().filter_map(Result::ok).sum(),
        }),
        false => Err(messages.join("\n")),
    }
}

/// A library or program that was compiled.
#[derive(Debug)]
struct Unit {
    name: String,
    /// Whether these are the tests of the library of this name.
    is_test: bool,
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
            is_test: file.to_str()?.ends_with(&format!("-{TEST}.json")),
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

    /// Documents it and runs its examples, and gives how many those were.
    fn document(&self, output: &Path, tests: Option<&Self>) -> Result<usize, String> {
        self.rustdoc(|command| {
            command
                .args(arguments_of_rustdoc(&self.arguments))
                .args(["-D", "warnings", "--document-private-items", "-o"])
                .arg(output)
        })?;
        let ran = self.run_examples(tests)?;
        fs::write(self.mark(output), "")
            .map_err(|error| format!("{}: {error}", output.display()))?;
        Ok(ran)
    }

    /// Runs the examples of a library, which have the dependencies of its tests.
    fn run_examples(&self, tests: Option<&Self>) -> Result<usize, String> {
        let Some(library) = library_of(&self.arguments) else { return Ok(0) };
        let own = format!("{}={library}", self.name);
        let more = tests.map(|tests| dependencies_of(&tests.arguments)).unwrap_or_default();
        let package = self.variables.iter().find(|(name, _)| name == "CARGO_MANIFEST_DIR");
        let said = self.rustdoc(|command| {
            command.arg("--test").args(linked(arguments_of_rustdoc(&self.arguments)));
            if let Some((_, folder)) = package {
                command.args(["--test-run-directory", folder]);
            }
            command.args(linked(more)).args(["--extern", &own])
        })?;
        let counts = said.lines().filter_map(|line| line.strip_prefix("test result: ok. "));
        Ok(counts.filter_map(|line| line.split(' ').next()?.parse::<usize>().ok()).sum())
    }

    /// Runs `rustdoc` with these arguments, and gives what it prints.
    fn rustdoc(
        &self,
        arguments: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Result<String, String> {
        let mut command = Command::new("rustdoc");
        let said = arguments(&mut command)
            .current_dir(&self.folder)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .output()
            .map_err(|error| format!("rustdoc: {error}"))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match said.status.success() {
            true => Ok(text(&said.stdout)),
            false => Err(text(&said.stdout) + &text(&said.stderr)),
        }
    }
}

/// The file of a library that was compiled with these arguments; nothing for a program.
fn library_of(arguments: &[String]) -> Option<String> {
    let after = |name: &str| {
        arguments.get(arguments.iter().position(|word| word == name)? + 1).map(String::as_str)
    };
    let extra = arguments.iter().find_map(|word| word.strip_prefix("extra-filename="))?;
    let name = after("--crate-name")?;
    let folder = after("--out-dir")?;
    (after("--crate-type")? == "lib").then(|| format!("{folder}/lib{name}{extra}.rlib"))
}

/// Those of the arguments that name dependencies.
fn dependencies_of(arguments: &[String]) -> Vec<String> {
    let pairs = arguments.iter().zip(arguments.iter().skip(1));
    let named = pairs.filter(|(option, _)| *option == "--extern");
    named.flat_map(|(option, value)| [option.clone(), value.clone()]).collect()
}

/// The same with libraries that can be linked, where a library needed only what describes another one.
fn linked(arguments: Vec<String>) -> Vec<String> {
    let linked = |word: String| match word.strip_suffix(".rmeta") {
        Some(path) => format!("{path}.rlib"),
        None => word,
    };
    arguments.into_iter().map(linked).collect()
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
    fn examples_are_linked_with_their_library_and_its_dependencies() {
        let words: Vec<String> = "--crate-name m lib.rs --crate-type lib -C extra-filename=-1 \
            --out-dir /d --extern a=/d/liba.rmeta --extern b"
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        assert_eq!(library_of(&words).unwrap(), "/d/libm-1.rlib");
        assert_eq!(library_of(&words[..4]), None);
        let linked = linked(dependencies_of(&words));
        assert_eq!(linked, ["--extern", "a=/d/liba.rlib", "--extern", "b"]);
    }

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
