//! The file of a result.

use std::fs;
use std::io;
use std::path::Path;

use duet_model::Result;
use duet_verdict::result::{RunResult, not_a_result, wrong};

/// Reads a result file.
///
/// # Errors
/// `ResultFile`: it cannot be read, is no result, or a newer program wrote it.
pub fn read(path: &Path) -> Result<RunResult> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => not_a_result(&name.to_string()),
        _ => wrong(format!("The result {name} cannot be read: {error}.")),
    })?;
    RunResult::from_json(&text, &name.to_string())
}

/// Writes a result beside its place first and then moves it there: a reader never sees half of it.
///
/// # Errors
/// `ResultFile`: the file cannot be written.
pub fn write(result: &RunResult, path: &Path) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let written = fs::write(&beside, result.to_json()).and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        wrong(format!("The result cannot be written to {}: {error}.", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_and_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        let result = RunResult { version: 1, tool: "duet".into(), ..RunResult::default() };
        write(&result, &path).unwrap();
        assert_eq!(read(&path).unwrap(), result);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_read() {
        let error = read(Path::new("/nowhere/a.json")).unwrap_err();
        assert!(error.message.contains("cannot be read"), "{error:?}");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.json");
        fs::write(&path, b"\xff").unwrap();
        let error = read(&path).unwrap_err();
        assert!(error.message.contains("is not a result"), "{error:?}");
        assert!(write(&RunResult::default(), Path::new("/nowhere/a.json")).is_err());
    }
}
