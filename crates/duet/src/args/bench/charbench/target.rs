//! The target of charbench's options: `-cs`, `-cf`, `-u` and `-p` as one connection string.

use std::path::Path;

use super::wallet::Wallet;

/// What the options of the target say.
#[derive(Debug, Default)]
pub(super) struct Target {
    /// `-cs`: `//host:port/database`, the name of a service, or a target of ours.
    pub(super) connect: Option<String>,
    /// `-cf`: a folder of certificates, or a zip file of them.
    pub(super) certificates: Option<String>,
    /// `-u`.
    pub(super) user: Option<String>,
    /// `-p`.
    pub(super) password: Option<String>,
}

/// The files of certificates: the names that libpq gives them and those that clouds give them, and their parameters.
const FILES: [(&[&str], &str); 3] = [
    (
        &["root.crt", "ca.pem", "ca.crt", "ca-certificate.crt", "server-ca.pem", "root.pem"],
        "sslrootcert",
    ),
    (&["postgresql.crt", "client-cert.pem", "client.crt", "client.pem"], "sslcert"),
    (&["postgresql.key", "client-key.pem", "client.key"], "sslkey"),
];
/// The file of services beside them.
const SERVICES: &str = "pg_service.conf";

impl Target {
    /// The target in a form of `--target`; `None` if no option is given.
    ///
    /// # Errors
    /// If one of them lacks another, or the folder lacks a file.
    pub(super) fn text(&self) -> Result<Option<String>, String> {
        let Some(connect) = &self.connect else {
            let others = [("-cf", &self.certificates), ("-u", &self.user), ("-p", &self.password)];
            return match others.iter().find(|(_, value)| value.is_some()) {
                None => Ok(None),
                Some((option, _)) => Err(format!("{option} needs -cs //HOST:PORT/DATABASE")),
            };
        };
        let mut words = match place(connect) {
            Some(place) => place?,
            None if is_ours(connect) => return self.ours(connect).map(Some),
            None => vec![("service", connect.clone())],
        };
        let is_service = words[0].0 == "service";
        words.extend(self.user.clone().map(|user| ("user", user)));
        words.extend(self.password.clone().map(|password| ("password", password)));
        words.extend(self.trust(is_service)?);
        let words: Vec<String> =
            words.iter().map(|(name, value)| format!("{name}={}", quoted(value))).collect();
        Ok(Some(words.join(" ")))
    }

    /// A target in a form of ours, which has everything in itself.
    fn ours(&self, connect: &str) -> Result<String, String> {
        let others = [("-cf", &self.certificates), ("-u", &self.user), ("-p", &self.password)];
        match others.iter().find(|(_, value)| value.is_some()) {
            None => Ok(connect.to_owned()),
            Some((option, _)) => {
                Err(format!("{option} is for -cs //HOST:PORT/DATABASE: put it into the URL"))
            }
        }
    }

    /// The parameters for the certificates.
    fn trust(&self, is_service: bool) -> Result<Vec<(&'static str, String)>, String> {
        let Some(given) = &self.certificates else { return Ok(Vec::new()) };
        let wrong = |why: String| format!("-cf {given}: {why}");
        let mut place = Certificates::at(Path::new(given)).map_err(wrong)?;
        let mut words = Vec::new();
        for (names, word) in FILES {
            words.extend(place.first(names).map_err(wrong)?.map(|file| (word, file)));
        }
        if words.first().is_none_or(|(word, _)| *word != "sslrootcert") {
            return Err(wrong(place.lacks_authority()));
        }
        words.push(("sslmode", "verify-full".to_owned()));
        if is_service {
            let services = place.first(&[SERVICES]).map_err(wrong)?;
            words.extend(services.map(|services| ("servicefile", services)));
        }
        Ok(words)
    }
}

/// Where certificates are.
enum Certificates<'a> {
    Folder(&'a Path),
    Zip(Wallet),
}

impl<'a> Certificates<'a> {
    fn at(path: &'a Path) -> Result<Self, String> {
        match path.is_file() {
            true => Ok(Self::Zip(Wallet::open(path)?)),
            false => Ok(Self::Folder(path)),
        }
    }

    /// The path of the first of these files that is there.
    fn first(&mut self, names: &[&str]) -> Result<Option<String>, String> {
        for name in names {
            let found = match self {
                Self::Folder(path) => {
                    let file = path.join(name);
                    file.is_file().then(|| file.to_string_lossy().into_owned())
                }
                Self::Zip(wallet) => wallet.file(name)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn lacks_authority(&self) -> String {
        let text = "there is no root.crt or ca.pem in it, the server's authority in PEM";
        match self {
            Self::Folder(_) => text.to_owned(),
            // A wallet of Oracle's has stores in forms of its own.
            Self::Zip(wallet) => format!("{text}; it holds {}", wallet.names().join(", ")),
        }
    }
}

/// Whether it is a target in a form of ours.
pub(super) fn is_ours(connect: &str) -> bool {
    connect.contains("://")
        || ["sqlite:", "unix:"].iter().any(|scheme| connect.starts_with(scheme))
        || connect.contains('=')
}

/// The words of `//host:port/database` or `host:port/database`; `None` if it is neither.
fn place(connect: &str) -> Option<Result<Vec<(&'static str, String)>, String>> {
    if is_ours(connect) {
        return None;
    }
    let (authority, database) = match connect.strip_prefix("//") {
        Some(rest) => rest.split_once('/').unwrap_or((rest, "")),
        None => connect.split_once('/')?,
    };
    // An address of IPv6 is in brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok());
    if host.is_empty() || database.is_empty() || database.contains('/') || !is_port {
        return Some(Err(format!("-cs {connect}: use //HOST:PORT/DATABASE")));
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let mut words = vec![("host", host.to_owned())];
    words.extend(port.map(|port| ("port", port.to_owned())));
    words.push(("dbname", database.to_owned()));
    Some(Ok(words))
}

/// A value of a connection string.
fn quoted(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:".contains(c);
    match !value.is_empty() && value.chars().all(plain) {
        true => value.to_owned(),
        false => format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(connect: &str) -> Result<Option<String>, String> {
        let word = |word: &str| Some(word.to_owned());
        Target {
            connect: word(connect),
            user: word("soe"),
            password: word("a'b c"),
            ..Target::default()
        }
        .text()
    }

    #[test]
    fn connect_strings() {
        let who = r"user=soe password='a\'b c'";
        for (connect, expected) in [
            ("//db:1521/pdb1", "host=db port=1521 dbname=pdb1"),
            ("db:5432/soe", "host=db port=5432 dbname=soe"),
            ("//db/soe", "host=db dbname=soe"),
            ("//[::1]:5432/soe", "host=::1 port=5432 dbname=soe"),
            ("test1_tpurgent", "service=test1_tpurgent"),
        ] {
            assert_eq!(text(connect), Ok(Some(format!("{expected} {who}"))), "{connect}");
        }
        for (connect, said) in [
            ("//db:x/soe", "use //HOST:PORT/DATABASE"),
            ("//db", "use //HOST:PORT/DATABASE"),
            ("postgres://db/soe", "put it into the URL"),
        ] {
            let error = text(connect).unwrap_err();
            assert!(error.contains(said), "{connect}: {error}");
        }
        let url = Target { connect: Some("sqlite:a.db".into()), ..Target::default() };
        assert_eq!(url.text(), Ok(Some("sqlite:a.db".into())));
        let alone = Target { user: Some("soe".into()), ..Target::default() };
        assert_eq!(alone.text().unwrap_err(), "-u needs -cs //HOST:PORT/DATABASE");
        assert_eq!(Target::default().text(), Ok(None));
    }

    #[test]
    fn folders_of_certificates() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().to_str().unwrap().to_owned();
        let target = || Target {
            connect: Some("alias".into()),
            certificates: Some(place.clone()),
            ..Target::default()
        };
        assert!(target().text().unwrap_err().contains("there is no root.crt or ca.pem in it"));
        for name in ["root.crt", "postgresql.key", "pg_service.conf"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let text = target().text().unwrap().unwrap();
        let expected = format!(
            "service=alias sslrootcert={place}/root.crt sslkey={place}/postgresql.key \
             sslmode=verify-full servicefile={place}/pg_service.conf"
        );
        assert_eq!(text, expected);
        let text = Target { certificates: Some(format!("{place}/root.crt")), ..target() }.text();
        assert!(text.unwrap_err().contains("root.crt: it is no zip file"));
    }
}
