//! `--xml`: Swingbench's results.xml of a run. An existing file is never overwritten: the next one
//! gets a number, as charbench's do.

use std::io;
use std::path::{Path, PathBuf};

use duet_bench::run::RESULT;
use duet_bench::{result_files, whole_file};
use duet_report::export::ExportFormat;

use crate::command_error::CommandError;
use crate::report::Outcome;

/// The most files of one name: their numbers have five digits.
const MOST: u32 = 99_999;

/// The name of the file that would be written now.
pub(in crate::commands::bench) fn next(wanted: &Path) -> PathBuf {
    names(wanted).find(|name| !name.exists()).unwrap_or_else(|| wanted.to_owned())
}

/// Writes the result in this folder under the wanted name, or the next free one; returns it.
///
/// # Errors
/// If the result cannot be read, or the file cannot be written.
pub(in crate::commands::bench) fn write(wanted: &Path, folder: &Path) -> Outcome<PathBuf> {
    let result = result_files::read(&folder.join(RESULT))?;
    let unwritable = |error: io::Error| CommandError::unwritable(wanted, error);
    let mut text = Vec::new();
    ExportFormat::Swingbench.write(&result, &mut text).map_err(unwritable)?;
    create(wanted, &text).map_err(unwritable)
}

/// Writes the first free file. Two runs that end at once get two.
fn create(wanted: &Path, text: &[u8]) -> io::Result<PathBuf> {
    for path in names(wanted) {
        match whole_file::write_new(&path, text) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "all its numbers are taken"))
}

/// `results.xml`, `results00001.xml`, `results00002.xml` …
fn names(wanted: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = wanted.file_stem().unwrap_or_default().to_os_string();
    let extension = wanted.extension().map(|extension| {
        let mut dotted = std::ffi::OsString::from(".");
        dotted.push(extension);
        dotted
    });
    let wanted = wanted.to_owned();
    let numbered = {
        let wanted = wanted.clone();
        move |number: u32| {
            let mut name = stem.clone();
            name.push(format!("{number:05}"));
            name.push(extension.clone().unwrap_or_default());
            wanted.with_file_name(name)
        }
    };
    std::iter::once(wanted).chain((1..=MOST).map(numbered))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered() {
        let folder = tempfile::tempdir().unwrap();
        let wanted = folder.path().join("results.xml");
        for expected in ["results.xml", "results00001.xml", "results00002.xml"] {
            assert_eq!(next(&wanted), folder.path().join(expected));
            assert_eq!(create(&wanted, b"x").unwrap(), folder.path().join(expected));
        }
        let plain = folder.path().join("x");
        assert_eq!(names(&plain).nth(1).unwrap(), folder.path().join("x00001"));
    }
}
