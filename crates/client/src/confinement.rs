//! What this process may reach, where others decide what it does: the workers of a load generator's agent.
//!
//! A process is confined once, before it connects, and stays so. Plain connections ask here, and so do the clients of
//! services and whatever reads files for a load test. A process that was never confined may reach everything.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// The ports of URLs that name none.
const PORTS: [(&str, u16); 4] =
    [("http", 80), ("https", 443), ("postgres", 5432), ("postgresql", 5432)];

static CONFINEMENT: OnceLock<Confinement> = OnceLock::new();

/// A place that may be reached: a host with all its ports, one port of a host, or the path of a Unix socket. Hosts are
/// compared as they are written: `localhost` is not `127.0.0.1`.
///
/// ```
/// use duet_client::confinement::Destination;
///
/// let place: Destination = "https://api.example.com/orders".parse()?;
/// assert_eq!(place.to_string(), "api.example.com:443");
/// assert!(place.holds("API.example.com", 443) && !place.holds("api.example.com", 80));
/// # Ok::<_, String>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A host, in small letters, and its port; without a port all of them.
    Host(String, Option<u16>),
    /// The path of a socket, or the folder of PostgreSQL's.
    Socket(PathBuf),
}

impl Destination {
    /// Whether a port of a host is in it.
    pub fn holds(&self, host: &str, port: u16) -> bool {
        match self {
            Self::Host(own, of) => {
                own.eq_ignore_ascii_case(host) && of.is_none_or(|own| own == port)
            }
            Self::Socket(_) => false,
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(host, port) => {
                let is_v6 = host.contains(':');
                if is_v6 {
                    write!(out, "[{host}]")?;
                } else {
                    out.write_str(host)?;
                }
                port.map_or(Ok(()), |port| write!(out, ":{port}"))
            }
            Self::Socket(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Destination {
    type Err = String;

    /// Reads `HOST`, `HOST:PORT`, `unix:PATH`, or the URL of a service or database, whose host and port count.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no host, HOST:PORT, unix:PATH or URL");
        if let Some(path) = text.strip_prefix("unix:") {
            let path = Path::new(path);
            return if path.is_absolute() { Ok(Self::Socket(path.into())) } else { Err(wrong()) };
        }
        let (scheme, rest) = text.split_once("://").map_or((None, text), |(s, r)| (Some(s), r));
        let default = match scheme {
            None => None,
            Some(scheme) => {
                let known = PORTS.iter().find(|(name, _)| *name == scheme);
                Some(known.ok_or_else(wrong)?.1)
            }
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let authority = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
        let (host, port) = match authority.strip_prefix('[') {
            Some(v6) => {
                let (host, rest) = v6.split_once(']').ok_or_else(wrong)?;
                let port = if rest.is_empty() { None } else { rest.strip_prefix(':') };
                (host, port)
            }
            None => authority.rsplit_once(':').map_or((authority, None), |(h, p)| (h, Some(p))),
        };
        let port = port.map(|port| port.parse().map_err(|_| wrong())).transpose()?.or(default);
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
        if host.is_empty() || !host.chars().all(is_host) {
            return Err(wrong());
        }
        Ok(Self::Host(host.to_ascii_lowercase(), port))
    }
}

/// What a process may reach.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    /// The places that it may connect to.
    pub places: Vec<Destination>,
    /// The folder whose files it may read.
    pub folder: PathBuf,
}

/// Confines this process from now on.
///
/// # Errors
/// If it is confined already.
pub fn confine(confinement: Confinement) -> Result<(), String> {
    CONFINEMENT.set(confinement).map_err(|_| "this process is confined already".to_owned())
}

/// Whether a port of a host may be connected to.
///
/// # Errors
/// The host and port, and what is allowed instead.
pub fn allows_host(host: &str, port: u16) -> Result<(), String> {
    let Some(confinement) = CONFINEMENT.get() else { return Ok(()) };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match confinement.places.iter().any(|place| place.holds(host, port)) {
        true => Ok(()),
        false => Err(confinement.refusal(&Destination::Host(host.to_owned(), Some(port)))),
    }
}

/// Whether the Unix socket at this path, or in this folder, may be connected to.
///
/// # Errors
/// The path, and what is allowed instead.
pub fn allows_socket(path: &Path) -> Result<(), String> {
    let Some(confinement) = CONFINEMENT.get() else { return Ok(()) };
    let wanted = Destination::Socket(path.into());
    match confinement.places.contains(&wanted) {
        true => Ok(()),
        false => Err(confinement.refusal(&wanted)),
    }
}

/// Reads a file. Under a confinement it must be in the folder, with its links resolved.
///
/// # Errors
/// As [`std::fs::read`]; [`io::ErrorKind::PermissionDenied`] for a file outside.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let is_inside = CONFINEMENT.get().is_none_or(|confinement| confinement.has_file(path));
    if !is_inside {
        let message = "an agent reads the files of its run alone";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
    }
    std::fs::read(path)
}

/// Reads the text of a file, as [`read`] does; bytes that are no UTF-8 are replaced.
///
/// # Errors
/// As [`read`].
pub fn read_text(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&read(path)?).into_owned())
}

/// Whether a SQLite file or an in-process reader may be opened: under a confinement never.
///
/// # Errors
/// What is refused.
pub fn allows_own_database(what: &str) -> Result<(), String> {
    match CONFINEMENT.get() {
        None => Ok(()),
        Some(_) => {
            Err(format!("{what} is a database of the agent's own machine: agents load servers"))
        }
    }
}

/// The keywords of libpq's connection strings that name files.
const FILE_KEYWORDS: [&str; 7] =
    ["passfile", "service", "servicefile", "sslcert", "sslkey", "sslrootcert", "sslcrl"];

/// Whether a connection string of PostgreSQL may be read: under a confinement it names no file.
///
/// # Errors
/// The keyword.
pub fn allows_connection_string(text: &str) -> Result<(), String> {
    match CONFINEMENT.get().and_then(|_| file_keyword(text)) {
        None => Ok(()),
        Some(keyword) => Err(format!("agents read no file that `{keyword}` of a database names")),
    }
}

/// The first keyword with a file in a connection string; `sslrootcert=system` is none.
fn file_keyword(text: &str) -> Option<&'static str> {
    let plain = text.to_ascii_lowercase().replace(' ', "").replace("sslrootcert=system", "");
    // A word before an encoded letter may be any keyword.
    let named = |keyword: &&&str| plain.contains(&format!("{keyword}="));
    let query = plain.split_once('?').map_or("", |(_, query)| query);
    let is_hidden = query.split('&').any(|pair| pair.split('=').next().unwrap_or("").contains('%'));
    FILE_KEYWORDS.iter().find(named).copied().or(is_hidden.then_some("%"))
}

impl Confinement {
    fn refusal(&self, wanted: &Destination) -> String {
        let places: Vec<String> = self.places.iter().map(Destination::to_string).collect();
        let allowed = if places.is_empty() { "nothing".into() } else { places.join(", ") };
        format!("the agent's operator does not allow {wanted} (--allow); allowed: {allowed}")
    }

    fn has_file(&self, path: &Path) -> bool {
        let folder = self.folder.canonicalize();
        let file = path.canonicalize();
        folder.is_ok_and(|folder| file.is_ok_and(|file| file.starts_with(folder)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_and_written() {
        for (text, written) in [
            ("gen1", "gen1"),
            ("GEN1:8080", "gen1:8080"),
            ("[::1]:80", "[::1]:80"),
            ("[::1]", "[::1]"),
            ("http://h/a?b", "h:80"),
            ("postgres://ada:x%40y@db/shop", "db:5432"),
            ("https://h:8443#http2", "h:8443"),
            ("unix:/run/duet.sock", "unix:/run/duet.sock"),
        ] {
            assert_eq!(text.parse::<Destination>().unwrap().to_string(), written, "{text}");
        }
        for text in ["", "h:x", "h:70000", "ftp://h", "unix:a", "http://", "a b", "[::1", "é"] {
            assert!(text.parse::<Destination>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_file_behind_a_link_is_outside() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("in");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.csv"), "1").unwrap();
        std::fs::write(outer.path().join("b.csv"), "1").unwrap();
        std::os::unix::fs::symlink(outer.path().join("b.csv"), folder.join("c.csv")).unwrap();
        let confinement = Confinement { places: Vec::new(), folder: folder.clone() };
        for (name, is_inside) in
            [("a.csv", true), ("../b.csv", false), ("c.csv", false), ("absent", false), ("", true)]
        {
            assert_eq!(confinement.has_file(&folder.join(name)), is_inside, "{name}");
        }
        assert!(!confinement.has_file(Path::new("/etc/passwd")));
    }

    #[test]
    fn files_of_connection_strings_are_seen() {
        for (text, keyword) in [
            ("postgres://u:p@h/d?sslmode=require", None),
            ("host=h dbname=d sslrootcert=system", None),
            ("postgres://h/d?sslrootcert=/etc/ca.pem", Some("sslrootcert")),
            ("host=h passfile = /home/a/.pgpass", Some("passfile")),
            ("postgres://h/d?SSLKEY=/k", Some("sslkey")),
            ("postgres://h/d?pass%66ile=/k", Some("%")),
            ("service=shop", Some("service")),
        ] {
            assert_eq!(file_keyword(text), keyword, "{text}");
        }
    }

    #[test]
    fn a_refusal_names_what_is_allowed() {
        let places = vec!["h:80".parse().unwrap(), "unix:/run/s".parse().unwrap()];
        let confinement = Confinement { places, folder: PathBuf::new() };
        let said = confinement.refusal(&"other:81".parse().unwrap());
        assert!(said.contains("other:81 (--allow); allowed: h:80, unix:/run/s"), "{said}");
    }
}
