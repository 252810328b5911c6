//! Makes the certificates of agents and runs (`duet bench agent --init`): an authority of their own, a certificate for
//! each host, which serves alone, and one for runs, which connects alone.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};

/// How long certificates are valid.
const VALID: Duration = Duration::from_secs(3 * 365 * 24 * 3600);
/// How long ago their validity began: clocks of hosts differ.
const BEFORE: Duration = Duration::from_secs(24 * 3600);

/// The file with the authority's key and certificate: it stays where it was made.
const AUTHORITY: &str = "authority.pem";
/// The identity of runs.
pub const RUNS: &str = "runs.pem";

/// The name of the identity of a host's agent.
pub fn of_host(host: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
    format!("agent-{}.pem", host.chars().map(plain).collect::<String>())
}

/// Makes the files of these hosts in a folder, and returns the new ones. Where the folder has an authority it issues
/// the new certificates, so that hosts can be added; no file is replaced.
///
/// # Errors
/// A sentence that says what is wrong: a host's name, a file that is there or cannot be written.
pub fn init(folder: &Path, hosts: &[String]) -> Result<Vec<PathBuf>, String> {
    for host in hosts {
        let is = |c: char| c.is_ascii_alphanumeric() || "-.:".contains(c);
        if host.is_empty() || !host.chars().all(is) {
            return Err(format!("{host:?} is no name or address of a host"));
        }
        let path = folder.join(of_host(host));
        if path.exists() {
            return Err(format!("{} is there already: remove it to make another", path.display()));
        }
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| format!("{} cannot be written: {error}", path.display())
    };
    let mut folders = fs::DirBuilder::new();
    folders.recursive(true).mode(0o700).create(folder).map_err(failed(folder))?;
    let mut made = Vec::new();
    let path = folder.join(AUTHORITY);
    let authority = match fs::read_to_string(&path) {
        Ok(text) => Authority::read(&text).map_err(|why| format!("{}: {why}", path.display()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let authority = Authority::make().map_err(|error| error.to_string())?;
            write(&path, &authority.pem).map_err(failed(&path))?;
            made.push(path);
            authority
        }
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display())),
    };
    let serves = |host: &String| (of_host(host), Owner::Host(host.clone()));
    let mut wanted: Vec<(String, Owner)> = hosts.iter().map(serves).collect();
    if !folder.join(RUNS).exists() {
        wanted.push((RUNS.to_owned(), Owner::Runs));
    }
    for (name, owner) in wanted {
        let path = folder.join(name);
        let pem = authority.issue(&owner).map_err(|error| error.to_string())?;
        write(&path, &pem).map_err(failed(&path))?;
        made.push(path);
    }
    Ok(made)
}

/// Writes a secret: readable by its owner alone, never over another file.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())
}

/// Whose certificate it is.
enum Owner {
    Host(String),
    Runs,
}

/// The authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    /// Its certificate alone.
    certificate: String,
    /// Certificate and key.
    pem: String,
}

impl Authority {
    fn make() -> Result<Self, rcgen::Error> {
        let (params, key) = (Self::params()?, KeyPair::generate()?);
        let certificate = params.self_signed(&key)?.pem();
        let pem = format!("{certificate}{}", key.serialize_pem());
        Ok(Self { issuer: Issuer::new(params, key), certificate, pem })
    }

    /// What it says of itself: an issuer is known by its name and key.
    fn params() -> Result<CertificateParams, rcgen::Error> {
        let mut params = params(Vec::new(), "Duet agents")?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Ok(params)
    }

    /// Reads what [`Self::make`] wrote.
    fn read(text: &str) -> Result<Self, String> {
        let begin = text.find("-----BEGIN PRIVATE KEY").ok_or("it has no private key")?;
        let (certificate, key) = text.split_at(begin);
        let key = KeyPair::from_pem(key).map_err(|error| error.to_string())?;
        let params = Self::params().map_err(|error| error.to_string())?;
        let issuer = Issuer::new(params, key);
        Ok(Self { issuer, certificate: certificate.to_owned(), pem: text.to_owned() })
    }

    /// A certificate with its key and the authority's certificate.
    fn issue(&self, owner: &Owner) -> Result<String, rcgen::Error> {
        let (names, name, purpose) = match owner {
            Owner::Host(host) => {
                (names_of(host), host.as_str(), ExtendedKeyUsagePurpose::ServerAuth)
            }
            Owner::Runs => (Vec::new(), "Runs of Duet", ExtendedKeyUsagePurpose::ClientAuth),
        };
        let mut params = params(names, name)?;
        params.is_ca = IsCa::ExplicitNoCa;
        params.extended_key_usages = vec![purpose];
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(format!("{certificate}{}{}", key.serialize_pem(), self.certificate))
    }
}

/// The names of a host: those of this machine's loopback go together.
fn names_of(host: &str) -> Vec<String> {
    let is_loopback =
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    match is_loopback {
        true => ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into(),
        false => vec![host.to_owned()],
    }
}

fn params(names: Vec<String>, name: &str) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name.push(DnType::CommonName, name);
    let now = SystemTime::now();
    params.not_before = (now - BEFORE).into();
    params.not_after = (now + VALID).into();
    Ok(params)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::super::identity::Identity;
    use super::*;

    fn names(paths: &[PathBuf]) -> Vec<&str> {
        paths.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect()
    }

    #[test]
    fn hosts_are_added_to_an_authority() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("fleet");
        let made = init(&folder, &["gen1.example".into(), "::1".into()]).unwrap();
        let expected = ["authority.pem", "agent-gen1.example.pem", "agent-__1.pem", "runs.pem"];
        assert_eq!(names(&made), expected);
        for path in &made {
            let mode = fs::metadata(path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{path:?}");
        }
        Identity::read(&made[1]).unwrap().of_agent().unwrap();
        Identity::read(&made[3]).unwrap().of_run().unwrap();
        let more = init(&folder, &["gen2".into()]).unwrap();
        assert_eq!(names(&more), ["agent-gen2.pem"]);
        let said = init(&folder, &["gen2".into()]).unwrap_err();
        assert!(said.contains("agent-gen2.pem is there already"), "{said}");
        let said = init(&folder, &["a/../b".into()]).unwrap_err();
        assert!(said.contains("is no name or address"), "{said}");
    }

    #[test]
    fn damaged_files_are_explained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.pem");
        let said = |text: &str| {
            fs::write(&path, text).unwrap();
            Identity::read(&path).map(drop).unwrap_err()
        };
        assert!(said("").contains("has no certificate: `duet bench agent --init`"));
        let authority = Authority::make().unwrap();
        assert!(said(&authority.certificate).contains("has no private key"));
        assert!(said(&authority.pem).contains("no certificate of an authority"));
        fs::write(folder.path().join(AUTHORITY), "nothing").unwrap();
        let said = init(folder.path(), &["h".into()]).unwrap_err();
        assert!(said.ends_with("it has no private key"), "{said}");
    }
}
