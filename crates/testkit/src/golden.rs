//! Golden cases: `golden/<area>/<case>/` holds input and expected output, as files.
//!
//! With `DUET_ACCEPT=1` in the environment the output is written instead of compared; the
//! difference is then read in the version control.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use similar::TextDiff;

/// One case: a folder of files.
#[derive(Clone, Debug)]
pub struct Case {
    /// The folder.
    pub dir: PathBuf,
}

/// The folder `golden` of the workspace.
pub fn root() -> PathBuf {
    workspace().join("golden")
}

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Every case of an area, by name.
///
/// # Panics
/// If the area has no case, since a test that checks nothing is a mistake.
pub fn cases(area: &str) -> Vec<Case> {
    let folder = root().join(area);
    let entries = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("golden cases in {}: {error}", folder.display()));
    let mut cases: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .map(|dir| Case { dir })
        .collect();
    cases.sort_by(|a, b| a.dir.cmp(&b.dir));
    assert!(!cases.is_empty(), "{} has no case", folder.display());
    cases
}

/// Runs a check on every case of an area, to the last, and then fails if any failed.
///
/// # Panics
/// If a check did, with the names of the cases.
pub fn run(area: &str, check: impl Fn(&Case)) {
    let failed: Vec<_> = cases(area)
        .into_iter()
        .filter(|case| catch_unwind(AssertUnwindSafe(|| check(case))).is_err())
        .map(|case| case.name())
        .collect();
    assert!(failed.is_empty(), "golden cases failed in {area}: {}", failed.join(", "));
}

impl Case {
    /// Its name: the folder's.
    pub fn name(&self) -> String {
        self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A file of the case.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn read(&self, name: &str) -> String {
        let path = self.dir.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// A file of the case, if it exists.
    pub fn try_read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.dir.join(name)).ok()
    }

    /// Compares with a file of the case, `asof` masked and the last line's end ignored, or writes
    /// the file if `DUET_ACCEPT=1`.
    ///
    /// # Panics
    /// If they differ, with the lines that do.
    pub fn expect(&self, name: &str, actual: &str) {
        let accept = std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1");
        let path = self.dir.join(name);
        let actual = format!("{}\n", mask_asof(actual).trim_end_matches('\n'));
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if actual.trim_end_matches('\n') == expected.trim_end_matches('\n') {
            return;
        }
        if accept {
            fs::write(&path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            return;
        }
        let difference = TextDiff::from_lines(expected.as_str(), actual.as_str())
            .unified_diff()
            .context_radius(3)
            .header("expected", "actual")
            .to_string();
        panic!(
            "{} differs (DUET_ACCEPT=1 accepts the new text):\n{difference}",
            path.strip_prefix(workspace()).unwrap_or(&path).display()
        );
    }
}

/// The text with every `"asof"` value replaced by `"*"`: it differs from run to run.
pub fn mask_asof(text: &str) -> String {
    const MEMBER: &str = "\"asof\"";
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MEMBER) {
        let (before, after) = rest.split_at(at + MEMBER.len());
        masked.push_str(before);
        rest = after;
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        let text = value.and_then(|value| value.strip_prefix('"'));
        if let Some((_, end)) = text.and_then(|text| text.split_once('"')) {
            let lead = after.len() - text.map_or(0, str::len);
            masked.push_str(&after[..lead]);
            masked.push_str("*\"");
            rest = end;
        }
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_asof() {
        let text = r#"{"_metadata":{"etag":"A","asof":"00F3"},"x":{"asof" : "7" },"asof":null}"#;
        let masked = r#"{"_metadata":{"etag":"A","asof":"*"},"x":{"asof" : "*" },"asof":null}"#;
        assert_eq!(mask_asof(text), masked);
    }

    #[test]
    fn shows_differences() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("out"), "a\nb\n").unwrap();
        let case = Case { dir: folder.path().to_owned() };
        case.expect("out", "a\nb");
        if std::env::var_os("DUET_ACCEPT").is_none() {
            let failure =
                catch_unwind(AssertUnwindSafe(|| case.expect("out", "a\nc"))).unwrap_err();
            let message = failure.downcast_ref::<String>().unwrap();
            assert!(message.contains("-b") && message.contains("+c"), "{message}");
        }
    }
}
