//! The password file: one password per line, with the hosts, ports, databases and users that it
//! matches.
//!
//! PostgreSQL's manual, "The Password File". A file that others can read is ignored.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::secret::Secret;

/// The connection that needs a password.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PasswordKey<'a> {
    /// The host as the user wrote it; a socket in a default folder is `localhost`.
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    pub(crate) database: &'a str,
    pub(crate) user: &'a str,
}

/// Why an existing file is ignored.
pub(crate) fn warning(file: &Path) -> Option<String> {
    let reason = refusal(&fs::metadata(file).ok()?)?;
    Some(format!("The password file {} is ignored: {reason}.", file.display()))
}

/// The password of the first matching line; `None` if the file cannot be read.
pub(crate) fn look_up(file: &Path, wanted: PasswordKey<'_>) -> Option<Secret> {
    if refusal(&fs::metadata(file).ok()?).is_some() {
        return None;
    }
    // A password in another encoding than UTF-8 must not invalidate the other lines.
    let bytes = fs::read(file).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    text.lines().find_map(|line| password(line, wanted)).map(Secret::new)
}

fn refusal(metadata: &Metadata) -> Option<&'static str> {
    const GROUP_OR_WORLD: u32 = 0o077;
    if !metadata.is_file() {
        return Some("it is not a plain file");
    }
    (metadata.mode() & GROUP_OR_WORLD != 0)
        .then_some("others can read it; its mode must be 0600 or less")
}

fn password(line: &str, wanted: PasswordKey<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let rest = after_match(line, wanted.host)?;
    let rest = after_match(rest, &wanted.port.to_string())?;
    let rest = after_match(rest, wanted.database)?;
    let rest = after_match(rest, wanted.user)?;
    let mut letters = rest.chars();
    let mut password = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => break,
            '\\' => password.push(letters.next().unwrap_or('\\')),
            letter => password.push(letter),
        }
    }
    Some(password)
}

/// The rest of `line` after its first field, if that field is `*` or matches.
fn after_match<'a>(line: &'a str, wanted: &str) -> Option<&'a str> {
    if let Some(rest) = line.strip_prefix("*:") {
        return Some(rest);
    }
    let (mut letters, mut wanted) = (line.chars(), wanted.chars());
    loop {
        match (letters.next()?, wanted.next()) {
            (':', None) => return Some(letters.as_str()),
            ('\\', next) => (letters.next() == next && next.is_some()).then_some(())?,
            (letter, next) => (Some(letter) == next).then_some(())?,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const WANTED: PasswordKey<'_> =
        PasswordKey { host: "db.example", port: 5432, database: "app", user: "duet" };

    #[test]
    fn lines_that_match() {
        for (line, expected) in [
            ("db.example:5432:app:duet:secret", Some("secret")),
            ("*:*:*:*:any", Some("any")),
            ("db.example:*:app:*:a b", Some("a b")),
            (r"*:*:*:*:a\:b\\c", Some(r"a:b\c")),
            ("*:*:*:*:upto:colon", Some("upto")),
            (r"d\b.example:*:*:*:escaped", Some("escaped")),
            ("*:*:*:*:", Some("")),
            ("# *:*:*:*:comment", None),
            ("db.example:5433:app:duet:x", None),
            ("db:5432:app:duet:x", None),
            ("db.example.org:5432:app:duet:x", None),
            ("*:*:*:other:x", None),
            ("*:*:*:x", None),
            ("*", None),
            ("", None),
        ] {
            assert_eq!(password(line, WANTED).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn colons_and_backslashes_are_escaped() {
        let wanted = PasswordKey { host: "::1", database: r"a\b", ..WANTED };
        assert_eq!(password(r"\:\:1:5432:a\\b:duet:p", wanted).as_deref(), Some("p"));
        assert_eq!(password(r"\:\:1:5432:a\b:duet:p", wanted), None);
    }

    #[test]
    fn the_first_match_of_a_private_file_wins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        fs::write(&file, "other:*:*:*:no\n*:5432:*:duet:first\r\n*:*:*:*:second\n").unwrap();
        for (mode, expected) in [(0o600, Some("first")), (0o400, Some("first")), (0o640, None)] {
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let found = look_up(&file, WANTED);
            assert_eq!(found.as_ref().map(Secret::reveal), expected, "{mode:o}");
            assert_eq!(warning(&file).is_some(), expected.is_none(), "{mode:o}");
        }
        assert!(warning(folder.path()).unwrap().contains("not a plain file"));
        assert!(look_up(&folder.path().join("none"), WANTED).is_none());
        assert_eq!(warning(&folder.path().join("none")), None);
    }
}
