//! Parses a database's URL or path.

use std::path::{Path, PathBuf};

use duet_model::{Code, Error, Result};

/// A database as given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DatabaseUrl {
    /// A SQLite file.
    Sqlite(PathBuf),
    /// PostgreSQL, as a connection string in libpq's forms; it may hold a password.
    Postgres(String),
}

impl DatabaseUrl {
    /// Reads `postgres://…`, `host=…`, `sqlite:PATH` or a path. A path in it is relative to
    /// `folder`.
    ///
    /// # Errors
    /// `Setting` if it is none of these.
    pub(crate) fn read(text: &str, folder: &Path) -> Result<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Err(wrong("The database's name is empty."));
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.into()));
        }
        if let Some(path) = text.strip_prefix("sqlite:") {
            return sqlite(path, folder);
        }
        if let Some((scheme, _)) = text.split_once("://") {
            return Err(wrong(&format!("Databases of the kind {scheme:?} are not supported.")));
        }
        if is_keyword_value(text) && !folder.join(text).exists() {
            return Ok(Self::Postgres(text.into()));
        }
        sqlite(text, folder)
    }

    /// The store's name in `app.toml`.
    pub(crate) fn store(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

/// `sqlite:PATH`, also with the slashes of a URL: `sqlite:///PATH` is absolute.
fn sqlite(path: &str, folder: &Path) -> Result<DatabaseUrl> {
    let path = path.strip_prefix("//").unwrap_or(path);
    if path.is_empty() {
        return Err(wrong("`sqlite:` needs the path of a file."));
    }
    if path == ":memory:" {
        let message = "A database in memory cannot be shared by connections: name a file.";
        return Err(wrong(message));
    }
    Ok(DatabaseUrl::Sqlite(folder.join(path)))
}

/// The other form of libpq's connection strings: `host=db dbname=shop`.
fn is_keyword_value(text: &str) -> bool {
    let keyword = text.split_once('=').map(|(keyword, _)| keyword.trim_end());
    keyword.is_some_and(|keyword| {
        !keyword.is_empty() && keyword.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    })
}

fn wrong(message: &str) -> Error {
    let hint = "Name it as `postgres://user@host/database`, `host=… dbname=…`, `sqlite:PATH` or the path of a SQLite file.";
    Error::new(Code::Setting, message).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let read = |text: &str| DatabaseUrl::read(text, Path::new("/data"));
        let sqlite = |path: &str| Ok(DatabaseUrl::Sqlite(path.into()));
        let postgres = |text: &str| Ok(DatabaseUrl::Postgres(text.into()));
        for (text, expected) in [
            ("postgres://u@h/d", postgres("postgres://u@h/d")),
            ("postgresql:///d?host=/run", postgres("postgresql:///d?host=/run")),
            ("host=h dbname=d", postgres("host=h dbname=d")),
            ("service=shop", postgres("service=shop")),
            ("sqlite:a.db", sqlite("/data/a.db")),
            ("sqlite:/x/a.db", sqlite("/x/a.db")),
            ("sqlite:///x/a.db", sqlite("/x/a.db")),
            ("a.db", sqlite("/data/a.db")),
            ("../A=b.db", sqlite("/data/../A=b.db")),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        for text in ["", " ", "sqlite:", "sqlite::memory:", "mysql://h/d", "oracle://h"] {
            let error = read(text).unwrap_err();
            assert!(error.hint.is_some_and(|hint| hint.contains("postgres://")), "{text}");
        }
    }
}
