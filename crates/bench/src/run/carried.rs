//! The order of a worker process, and what its job takes along to a machine that has neither the files nor the
//! environment of this one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use duet_verdict::outcome::Outcome;
use serde::{Deserialize, Serialize};

use super::job::{Job, Sent};
use super::plan::{Plan, Share};
use crate::workload::{Failed, file};

/// The most bytes of files that a run takes along, all together: each worker keeps them in memory.
const MOST: usize = 32 * 1024 * 1024;

/// The functions that read files while a run goes on, as placeholders begin with them.
const READERS: [&str; 2] = ["${file(", "${csv_cell("];

/// A file of a run, by its path below the workload's folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CarriedFile {
    name: String,
    /// Base64 of its bytes.
    content: String,
}

impl CarriedFile {
    /// Writes it below a folder.
    ///
    /// # Errors
    /// If its path leads out of the folder, or it cannot be written.
    pub(super) fn unpack(&self, folder: &Path) -> Result<(), Failed> {
        let failed = |why: String| Failed::new(Outcome::Other, format!("{:?}: {why}", self.name));
        if !is_inside(&self.name) {
            return Err(failed("its path leads out of the run's folder".into()));
        }
        let path = folder.join(&self.name);
        let bytes = STANDARD.decode(&self.content).map_err(|error| failed(error.to_string()))?;
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, bytes)).map_err(|error| failed(error.to_string()))
    }
}

/// Whether a path stays below the folder that it is relative to.
fn is_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    !name.is_empty() && parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// The message that starts a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The run.
    pub(super) plan: Plan,
    /// The process's part of it.
    pub(super) share: Share,
    /// The workload.
    pub(super) job: Sent,
    /// The files that it takes along to another machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<CarriedFile>,
}

/// A job with what it takes along.
pub(super) struct Carried {
    pub(super) job: Sent,
    pub(super) files: Vec<CarriedFile>,
}

impl Carried {
    /// A job for workers of this machine, which takes nothing.
    pub(super) fn here(job: Sent) -> Self {
        Self { job, files: Vec::new() }
    }

    /// A job for another machine.
    ///
    /// # Errors
    /// All files and functions that it cannot take along, by name.
    pub(super) fn of(job: &Job) -> Result<Self, Failed> {
        let failed = |why: String| Failed::new(Outcome::Other, why);
        let Job::File(facts) = job else {
            return Ok(Self::here(job.sent().map_err(|error| failed(error.to_string()))?));
        };
        let mut refused = Vec::new();
        let text = serde_json::to_string(&facts.definition).unwrap_or_default();
        for reader in READERS.iter().filter(|reader| text.contains(*reader)) {
            refused.push(format!("{reader}…)}} reads files while the run goes on"));
        }
        let mut files = BTreeMap::new();
        for name in facts.definition.files() {
            match is_inside(name) {
                true => drop(files.insert(name, Vec::new())),
                false => refused.push(format!("{name} is not below the folder of the workload")),
            }
        }
        if !refused.is_empty() {
            return Err(failed(format!("agents cannot take this along: {}", refused.join("; "))));
        }
        for (name, bytes) in &mut files {
            *bytes = fs::read(facts.folder.join(name))
                .map_err(|error| failed(format!("{name} cannot be read: {error}")))?;
        }
        let all: usize = files.values().map(Vec::len).sum();
        if all > MOST {
            let most = MOST / (1024 * 1024);
            return Err(failed(format!("the files have {all} bytes, and agents take {most} MiB")));
        }
        let mut facts = facts.clone();
        facts.environment = variables(&text);
        let pack = |(name, bytes): (&str, Vec<u8>)| CarriedFile {
            name: name.to_owned(),
            content: STANDARD.encode(bytes),
        };
        Ok(Self { job: Sent::File(facts), files: files.into_iter().map(pack).collect() })
    }
}

/// The environment variables that a definition names, with their values here. One that is not set is missing there
/// too, and refused by name.
fn variables(text: &str) -> BTreeMap<String, String> {
    let begins = format!("${{{}", file::ENVIRONMENT);
    let names = text.split(begins.as_str()).skip(1).filter_map(|rest| rest.split('}').next());
    let value = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    names.filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| CarriedFile { name: name.into(), content: STANDARD.encode("1,2") };
        file("a/b.csv").unpack(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a/b.csv")).unwrap(), "1,2");
        for name in ["", "/etc/x", "../x", "a/../../x"] {
            let said = file(name).unpack(folder.path()).unwrap_err().message;
            assert!(said.contains("leads out of"), "{name}: {said}");
        }
    }

    fn facts(folder: &Path, feeders: &str, request: &str) -> Box<file::FileFacts> {
        let text = format!(
            r#"{{"workload":{{"name":"w"}},"feeders":{feeders},"transaction":[{{"name":"T","step":[{{"request":"{request}"}}]}}]}}"#
        );
        Box::new(file::FileFacts {
            definition: serde_json::from_str(&text).unwrap(),
            folder: folder.into(),
            target: file::FileTarget::Http { url: "http://h".into(), authorization: None },
            weights: vec![1.0],
            users: 1,
            timeout: std::time::Duration::from_secs(1),
            given: None,
            environment: BTreeMap::new(),
        })
    }

    #[test]
    fn files_and_variables_are_taken_along() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("u.csv"), "a\n1\n").unwrap();
        let job = facts(folder.path(), r#"{"u":{"csv":"u.csv"}}"#, "GET /${u.a}?h=${env.PATH}");
        let Carried { job, files } = Carried::of(&Job::File(job)).unwrap();
        assert_eq!(files, [CarriedFile { name: "u.csv".into(), content: "YQoxCg==".into() }]);
        let Sent::File(facts) = job else { panic!("no file") };
        assert_eq!(facts.environment["PATH"], std::env::var("PATH").unwrap());
    }

    #[test]
    fn all_that_cannot_be_taken_is_named() {
        let feeders = r#"{"u":{"csv":"/etc/passwd"},"v":{"csv":"../v.csv"}}"#;
        let job = facts(Path::new("/tmp"), feeders, "GET /${file(x.txt)}");
        let said = Carried::of(&Job::File(job)).map(drop).unwrap_err().message;
        for part in ["/etc/passwd is not below", "../v.csv is not", "${file(…)} reads files"] {
            assert!(said.contains(part), "{said}");
        }
    }
}
