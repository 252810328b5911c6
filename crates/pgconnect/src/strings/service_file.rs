//! The connection service file: named groups of parameters in INI form.
//!
//! PostgreSQL's manual, "The Connection Service File". The user's file comes first, then the
//! system's; LDAP lines are errors.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::{Error, Result, SettingPlace};

use super::url::Pair;
use crate::Environment;

/// The folders of the system's file, in order, if PGSYSCONFDIR is not set: Debian's packages, then
/// PostgreSQL's own default.
const SYSTEM_FOLDERS: [&str; 3] = ["/etc/postgresql-common", "/etc", "/usr/local/pgsql/etc"];

/// The parameters of a service; `file` is the value of `servicefile` or PGSERVICEFILE.
pub(crate) fn load(
    service: &str,
    file: Option<&str>,
    environment: Environment<'_>,
) -> Result<Vec<Pair>> {
    for (path, required) in candidates(file, environment) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound && !required => continue,
            Err(error) => {
                let message = "The connection service file cannot be read.";
                return Err(wrong(message, "servicefile").cause(at_path(&path, &error)));
            }
        };
        if let Some(pairs) = find(&text, service).map_err(|error| error.cause(path.display()))? {
            return Ok(pairs);
        }
    }
    let message = format!("The connection service `{service}` is not defined.");
    Err(wrong(message, "service").hint(
        "It is looked for in `servicefile`, PGSERVICEFILE or ~/.pg_service.conf, \
         then in PGSYSCONFDIR/pg_service.conf.",
    ))
}

/// The files to read, and whether each must exist.
fn candidates(file: Option<&str>, environment: Environment<'_>) -> Vec<(PathBuf, bool)> {
    let own = match file {
        Some(file) => Some((PathBuf::from(file), true)),
        None => crate::home(environment).map(|home| (home.join(".pg_service.conf"), false)),
    };
    let folders = match environment("PGSYSCONFDIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => vec![PathBuf::from(folder)],
        None => SYSTEM_FOLDERS.iter().map(PathBuf::from).collect(),
    };
    let system = folders.into_iter().map(|folder| (folder.join("pg_service.conf"), false));
    own.into_iter().chain(system).collect()
}

/// The parameters of a service in a file's text, if it defines the service.
fn find(text: &str, service: &str) -> Result<Option<Vec<Pair>>> {
    let mut found: Option<Vec<Pair>> = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            if found.is_some() {
                break;
            }
            let ours = header.strip_prefix(service).is_some_and(|rest| rest.starts_with(']'));
            found = ours.then(Vec::new);
        } else if let Some(pairs) = &mut found {
            pairs.push(
                parameter(line).map_err(|message| {
                    wrong(message, "service").at(SettingPlace::Line(index + 1))
                })?,
            );
        }
    }
    Ok(found)
}

fn parameter(line: &str) -> Result<Pair, &'static str> {
    if line.starts_with("ldap") {
        return Err("A connection service cannot be looked up by LDAP: write its parameters here.");
    }
    match line.split_once('=') {
        Some(("service" | "servicefile", _)) => {
            Err("A connection service cannot refer to another one.")
        }
        Some((name, value)) => Ok((name.into(), value.into())),
        None => Err("A line of the connection service file lacks its `=`."),
    }
}

fn wrong(message: impl Into<String>, parameter: &str) -> Error {
    Error::parameter(parameter, message)
}

fn at_path(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# a comment
[other]
host=elsewhere

[ours]
  host=here
dbname=a=b
password= with blanks
[ours]
host=second
[linked]
service=ours
[directory]
ldap://ldap.example/x
[broken]
host
";

    #[test]
    fn the_first_group_of_the_name_is_taken() {
        let pairs = find(FILE, "ours").unwrap().unwrap();
        let expected = [("host", "here"), ("dbname", "a=b"), ("password", " with blanks")];
        assert_eq!(pairs, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(find(FILE, "our").unwrap(), None);
        assert_eq!(find("", "x").unwrap(), None);
    }

    #[test]
    fn broken_groups_say_the_line() {
        for (service, line) in [("linked", 12), ("directory", 14), ("broken", 16)] {
            let error = find(FILE, service).unwrap_err();
            assert_eq!(error.place, Some(SettingPlace::Line(line)), "{service}");
        }
    }

    #[test]
    fn files_are_looked_at_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            path.to_string_lossy().into_owned()
        };
        write(".pg_service.conf", "[a]\nhost=home\n");
        write("pg_service.conf", "[a]\nhost=system\n[b]\nhost=system\n");
        let named = write("named.conf", "[a]\nhost=named\n");
        let home = folder.path().to_string_lossy().into_owned();
        let environment =
            |name: &str| matches!(name, "HOME" | "PGSYSCONFDIR").then(|| home.clone());
        let host = |service: &str, file: Option<&str>| {
            load(service, file, &environment).map(|pairs| pairs[0].1.clone())
        };
        assert_eq!(host("a", None).unwrap(), "home");
        assert_eq!(host("b", None).unwrap(), "system");
        assert_eq!(host("a", Some(&named)).unwrap(), "named");
        assert_eq!(host("b", Some(&named)).unwrap(), "system");
        assert_eq!(
            host("c", None).unwrap_err().place,
            Some(SettingPlace::Parameter("service".into()))
        );
        let missing = host("a", Some("/nonexistent/file")).unwrap_err();
        assert_eq!(missing.place, Some(SettingPlace::Parameter("servicefile".into())));
        assert!(missing.cause.unwrap().contains("/nonexistent/file"));
    }
}
