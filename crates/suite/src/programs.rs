//! The test programs of a build, as cargo's messages name them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// An executable with tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// The name of its package, such as `duet-sql`.
    pub(super) package: String,
    /// How cargo selects it within its package: `--lib`, `--bin duet`, `--test it`.
    pub(super) selection: String,
    /// The executable.
    pub(super) path: PathBuf,
    /// The folder of the package, which tests are run in.
    pub(super) folder: PathBuf,
    /// The file that it begins with.
    pub(super) source: PathBuf,
    /// Variables that cargo sets for it: the programs of its package.
    pub(super) variables: Vec<(String, PathBuf)>,
}

impl Program {
    /// A short unique name, such as `sql` or `http/it`; names files, too.
    pub(super) fn name(&self) -> String {
        let package = self.package.trim_start_matches("duet-");
        match self.selection.split_once(' ') {
            None => package.to_owned(),
            Some((_, target)) if target == package => format!("{package}-bin"),
            Some((_, target)) => format!("{package}-{target}"),
        }
    }

    /// The command that repeats one test.
    pub(super) fn repeat(&self, test: &str) -> String {
        let folder = self.folder.file_name().unwrap_or_default().to_string_lossy();
        format!("./test crates/{folder} --test {test}")
    }
}

/// Reads the lines of `cargo test --no-run --message-format=json`.
///
/// # Errors
/// A text that says what is missing, where the lines are not cargo's.
pub(super) fn read(lines: &str) -> Result<Vec<Program>, String> {
    let artifacts: Vec<Value> = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .filter(|message: &Value| message["reason"] == "compiler-artifact")
        .collect();
    let mut binaries: BTreeMap<&str, Vec<(String, PathBuf)>> = BTreeMap::new();
    for (artifact, path) in executables(&artifacts, false) {
        if artifact["target"]["kind"][0] == "bin" {
            let name = artifact["target"]["name"].as_str().unwrap_or_default();
            let manifest = artifact["manifest_path"].as_str().unwrap_or_default();
            let variable = format!("CARGO_BIN_EXE_{name}");
            binaries.entry(manifest).or_default().push((variable, path.into()));
        }
    }
    let programs: Vec<Program> = executables(&artifacts, true)
        .map(|(artifact, path)| program(artifact, path, &binaries))
        .collect::<Option<_>>()
        .ok_or("a message of cargo names no package")?;
    if programs.is_empty() { Err("cargo built no test program".to_owned()) } else { Ok(programs) }
}

/// The artifacts that are programs: those with tests, or those without.
fn executables(artifacts: &[Value], test: bool) -> impl Iterator<Item = (&Value, &str)> {
    artifacts
        .iter()
        .filter(move |artifact| artifact["profile"]["test"] == test)
        .filter_map(|artifact| Some((artifact, artifact["executable"].as_str()?)))
}

fn program(
    artifact: &Value,
    path: &str,
    binaries: &BTreeMap<&str, Vec<(String, PathBuf)>>,
) -> Option<Program> {
    let manifest = artifact["manifest_path"].as_str()?;
    let target = artifact["target"]["name"].as_str()?;
    let selection = match artifact["target"]["kind"][0].as_str()? {
        "bin" => format!("--bin {target}"),
        "test" => format!("--test {target}"),
        "example" => format!("--example {target}"),
        _ => "--lib".to_owned(),
    };
    let variables = binaries.get(manifest).cloned().unwrap_or_default();
    let folder = Path::new(manifest).parent()?.to_owned();
    let source = artifact["target"]["src_path"].as_str().unwrap_or_default().into();
    Some(Program {
        package: package(artifact)?,
        selection,
        path: path.into(),
        folder,
        source,
        variables,
    })
}

/// `path+file:///…/crates/sql#duet-sql@0.1.0`, or `…/crates/duet#0.1.0` where folder and package have one name.
fn package(artifact: &Value) -> Option<String> {
    let (source, rest) = artifact["package_id"].as_str()?.rsplit_once('#')?;
    let name = rest.split_once('@').map(|(name, _)| name);
    Some(name.unwrap_or(source.rsplit('/').next()?).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MESSAGES: &str = r#"
{"reason":"compiler-artifact","package_id":"registry+x#itoa@1.0.18","manifest_path":"/i/Cargo.toml","target":{"kind":["lib"],"name":"itoa"},"profile":{"test":false},"executable":null}
{"reason":"compiler-artifact","package_id":"path+file:///d/crates/duet#0.1.0","manifest_path":"/d/crates/duet/Cargo.toml","target":{"kind":["bin"],"name":"duet"},"profile":{"test":false},"executable":"/d/target/debug/duet"}
{"reason":"compiler-artifact","package_id":"path+file:///d/crates/duet#0.1.0","manifest_path":"/d/crates/duet/Cargo.toml","target":{"kind":["test"],"name":"it"},"profile":{"test":true},"executable":"/d/target/debug/deps/it-1"}
{"reason":"compiler-artifact","package_id":"path+file:///d/crates/sql#duet-sql@0.1.0","manifest_path":"/d/crates/sql/Cargo.toml","target":{"kind":["lib"],"name":"duet_sql"},"profile":{"test":true},"executable":"/d/target/debug/deps/duet_sql-1"}
"#;

    #[test]
    fn programs_are_read_from_the_messages_of_cargo() {
        let programs = read(MESSAGES).unwrap();
        let names: Vec<_> = programs.iter().map(Program::name).collect();
        assert_eq!(names, ["duet-it", "sql"]);
        let binary = ("CARGO_BIN_EXE_duet".to_owned(), PathBuf::from("/d/target/debug/duet"));
        assert_eq!(programs[0].variables, [binary]);
        assert_eq!(programs[0].folder, Path::new("/d/crates/duet"));
        assert_eq!(programs[1].repeat("a::b"), "./test crates/sql --test a::b");
        assert!(read("nothing").unwrap_err().contains("no test program"));
    }
}
