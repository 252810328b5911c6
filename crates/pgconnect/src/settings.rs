//! The settings of a connection string and its environment: typed, checked, complete.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Error, Result};
use tokio_postgres::config::ChannelBinding;

use super::hosts::{self, Host, HostAddress, ServerPlace};
use super::session::Session;
use super::tls::{SslMode, TlsSettings};
use super::{Environment, home};
use crate::strings::pgpass::{self, PasswordKey};
use crate::strings::secret::Secret;
use crate::strings::url;
use crate::strings::values::Values;

/// The default timeout of one attempt. libpq waits forever; a server with clients of its own
/// cannot. `connect_timeout=0` disables it.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The settings of connections to one database.
///
/// `Debug` and `Display` never show the password.
#[derive(Clone, Debug)]
pub struct ConnectionSettings {
    pub(crate) hosts: Vec<Host>,
    pub(crate) user: String,
    pub(crate) database: String,
    password: Option<Secret>,
    passfile: Option<PathBuf>,
    pub(crate) application_name: Option<String>,
    pub(crate) options: Option<String>,
    pub(crate) connect_timeout: Option<Duration>,
    pub(crate) keepalives: Keepalives,
    pub(crate) tcp_user_timeout: Option<Duration>,
    pub(crate) channel_binding: ChannelBinding,
    pub(crate) session: Session,
    pub(crate) shuffle: bool,
    pub(crate) tls: TlsSettings,
    warnings: Vec<String>,
}

/// TCP keepalive; the system's defaults for unset values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keepalives {
    pub(crate) on: bool,
    pub(crate) idle: Option<Duration>,
    pub(crate) interval: Option<Duration>,
    pub(crate) count: Option<u32>,
}

impl ConnectionSettings {
    /// Parses a connection string of either form of libpq, and completes it from the service file,
    /// the environment (given as a function from a variable's name to its value) and the defaults.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](crate::ErrorKind::Setting), naming the parameter, if one is unknown,
    /// malformed, contradictory or not supported.
    pub fn from_url(url: &str, environment: Environment<'_>) -> Result<Self> {
        let values = Values::gather(url::parse(url)?, environment)?;
        encoding(&values)?;
        let home = home(environment);
        let user = user(&values)?;
        let hosts = hosts::parse(&values)?;
        let require = environment("PGREQUIRESSL").is_some_and(|text| text.starts_with('1'));
        let mut warnings = Vec::new();
        let tls = TlsSettings::from_values(&values, home.as_deref(), require, &mut warnings)?;
        certifiable(&hosts, &tls)?;
        let default = || home.map(|home| home.join(".pgpass"));
        let passfile = values.text("passfile").map(PathBuf::from).or_else(default);
        let password = values.text("password").map(Secret::new);
        if password.is_none() {
            warnings.extend(passfile.as_deref().and_then(pgpass::warning));
        }
        Ok(Self {
            hosts,
            database: values.owned("dbname").unwrap_or_else(|| user.clone()),
            user,
            password,
            passfile,
            application_name: application_name(&values),
            options: values.owned("options"),
            connect_timeout: connect_timeout(&values)?,
            keepalives: keepalives(&values)?,
            tcp_user_timeout: positive(&values, "tcp_user_timeout", Duration::from_millis)?,
            channel_binding: channel_binding(&values)?,
            session: Session::from_values(&values)?,
            shuffle: shuffle(&values)?,
            tls,
            warnings,
        })
    }

    /// Sets the `application_name` of connections, unless the settings have one.
    #[must_use]
    pub fn or_application_name(mut self, name: &str) -> Self {
        self.application_name.get_or_insert_with(|| name.to_owned());
        self
    }

    /// The URL without its secrets, for logs and messages to the operator.
    pub fn describe(&self) -> String {
        self.to_string()
    }

    /// Whether the first host is a local socket.
    pub fn is_by_socket(&self) -> bool {
        self.hosts.first().is_some_and(Host::is_by_socket)
    }

    /// The server's hosts and ports: equal for two databases of one server, if both are written
    /// alike.
    pub fn server(&self) -> String {
        let host = |host: &Host| format!("{:?}:{}", host.target, host.port);
        self.hosts.iter().map(host).collect::<Vec<_>>().join(",")
    }

    /// All places that a connection may go to, in order.
    pub fn places(&self) -> Vec<ServerPlace> {
        self.hosts.iter().flat_map(Host::places).collect()
    }

    /// The database's name.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The user to connect as.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The SCRAM verifier (RFC 5803) of the password, for `CREATE ROLE … PASSWORD`: the password cannot be read
    /// from it. `None` where the settings hold no password; password files are for connections alone.
    pub fn verifier(&self) -> Option<String> {
        let password = self.password.as_ref()?.reveal();
        Some(postgres_protocol::password::scram_sha_256(password.as_bytes()))
    }

    /// Warnings for the operator, in whole sentences: ignored files, checks that are not made.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The password for a host; the password file is read again each time, as in libpq.
    pub(crate) fn password(&self, host: &Host) -> Option<Secret> {
        if self.password.is_some() {
            return self.password.clone();
        }
        let name = host.in_password_file();
        let (database, user) = (&self.database, &self.user);
        let wanted = PasswordKey { host: &name, port: host.port, database, user };
        pgpass::look_up(self.passfile.as_deref()?, wanted)
    }
}

fn user(values: &Values) -> Result<String> {
    if let Some(user) = values.owned("user") {
        return Ok(user);
    }
    whoami::username().map_err(|error| {
        let message = "The system does not say who runs this program: set `user`.";
        Error::parameter("user", message).cause(error)
    })
}

fn application_name(values: &Values) -> Option<String> {
    values.owned("application_name").or_else(|| values.owned("fallback_application_name"))
}

fn encoding(values: &Values) -> Result<()> {
    let known = |text: &str| {
        ["utf8", "utf-8", "unicode", "auto"].iter().any(|name| text.eq_ignore_ascii_case(name))
    };
    match values.text("client_encoding") {
        Some(text) if !known(text) => {
            Err(values.wrong("client_encoding", "must be `UTF8`: nothing else is spoken."))
        }
        _ => Ok(()),
    }
}

/// A certificate's name cannot be checked against an address without a host name.
fn certifiable(hosts: &[Host], tls: &TlsSettings) -> Result<()> {
    let nameless = hosts.iter().any(|host| matches!(host.target, HostAddress::Address(_, None)));
    if tls.mode == SslMode::VerifyFull && nameless {
        let message = "`sslmode=verify-full` checks a host name: give `host` beside `hostaddr`.";
        return Err(Error::parameter("host", message));
    }
    Ok(())
}

fn connect_timeout(values: &Values) -> Result<Option<Duration>> {
    Ok(match values.number("connect_timeout")? {
        None => Some(CONNECT_TIMEOUT),
        Some(seconds) => {
            u64::try_from(seconds).ok().filter(|seconds| *seconds > 0).map(Duration::from_secs)
        }
    })
}

fn keepalives(values: &Values) -> Result<Keepalives> {
    let count = values.number("keepalives_count")?;
    Ok(Keepalives {
        on: values.number("keepalives")? != Some(0),
        idle: positive(values, "keepalives_idle", Duration::from_secs)?,
        interval: positive(values, "keepalives_interval", Duration::from_secs)?,
        count: count.and_then(|count| u32::try_from(count).ok()).filter(|count| *count > 0),
    })
}

/// A duration; zero and less mean the system's default.
fn positive(values: &Values, name: &str, unit: fn(u64) -> Duration) -> Result<Option<Duration>> {
    let number = values.number(name)?.and_then(|number| u64::try_from(number).ok());
    Ok(number.filter(|number| *number > 0).map(unit))
}

fn channel_binding(values: &Values) -> Result<ChannelBinding> {
    let words = [
        ("disable", ChannelBinding::Disable),
        ("prefer", ChannelBinding::Prefer),
        ("require", ChannelBinding::Require),
    ];
    Ok(values.choice("channel_binding", &words)?.unwrap_or(ChannelBinding::Prefer))
}

fn shuffle(values: &Values) -> Result<bool> {
    let words = [("disable", false), ("random", true)];
    Ok(values.choice("load_balance_hosts", &words)?.unwrap_or(false))
}

impl fmt::Display for ConnectionSettings {
    /// `postgres://user@host:port/database`; sockets are written as `?host=/folder&port=5432`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://{}@", Encoded(&self.user))?;
        let join =
            |part: fn(&Host) -> String| self.hosts.iter().map(part).collect::<Vec<_>>().join(",");
        let sockets = self.hosts.iter().any(Host::is_socket);
        if !sockets {
            f.write_str(&join(authority))?;
        }
        write!(f, "/{}", Encoded(&self.database))?;
        if sockets {
            write!(f, "?host={}", join(|host| Encoded(&host.target.to_string()).to_string()))?;
            write!(f, "&port={}", join(|host| host.port.to_string()))?;
        }
        Ok(())
    }
}

fn authority(host: &Host) -> String {
    let (name, port) = (host.target.to_string(), host.port);
    if name.contains(':') { format!("[{name}]:{port}") } else { format!("{name}:{port}") }
}

/// A text percent-encoded for a URL (RFC 3986, section 2.1); slashes stay readable.
struct Encoded<'a>(&'a str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                    write!(f, "{}", char::from(byte))?;
                }
                byte => write!(f, "%{byte:02X}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, SettingPlace};

    fn settings(url: &str, variables: &[(&str, &str)]) -> Result<ConnectionSettings> {
        ConnectionSettings::from_url(url, &|name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[track_caller]
    fn check(url: &str, expected: &str) {
        let described = settings(url, &[("PGUSER", "me")]).unwrap().describe();
        assert_eq!(described, expected, "{url}");
        let again = settings(&described, &[("PGUSER", "you")]).unwrap().describe();
        assert_eq!(again, expected, "what is described can be read again");
    }

    #[test]
    fn descriptions() {
        check("", "postgres://me@:5432/me");
        check("postgres://u:secret@h/d", "postgres://u@h:5432/d");
        check("host=h port=5433 dbname='a b'", "postgres://me@h:5433/a%20b");
        check("postgres://u@[::1],h:1/d", "postgres://u@[::1]:5432,h:1/d");
        check("postgres:///d?host=/run/pg", "postgres://me@/d?host=/run/pg&port=5432");
        check("host=/run/pg,h,  port=1", "postgres://me@/me?host=/run/pg,h,&port=1,1,1");
        check("user=a@b dbname=c/d", "postgres://a%40b@:5432/c/d");
    }

    #[test]
    fn the_password_is_never_shown() {
        let url = "postgres://u:hunter2@h/d?options=-c%20x%3Dy";
        let settings = settings(url, &[]).unwrap();
        assert_eq!(settings.password(&settings.hosts[0]).unwrap().reveal(), "hunter2");
        for shown in [format!("{settings:?}"), format!("{settings:#?}"), settings.to_string()] {
            assert!(!shown.contains("hunter2"), "{shown}");
        }
    }

    #[test]
    fn defaults_and_the_environment() {
        let plain = settings("host=h user=u", &[]).unwrap();
        assert_eq!((plain.user(), plain.database()), ("u", "u"));
        assert_eq!(plain.application_name, None);
        assert_eq!(plain.connect_timeout, Some(CONNECT_TIMEOUT));
        assert_eq!(plain.tls.mode, SslMode::Prefer);
        assert!(plain.keepalives.on && plain.warnings().is_empty());
        assert!(!settings("host=h", &[]).unwrap().user().is_empty());

        let variables = [
            ("PGHOST", "db"),
            ("PGPORT", "6000"),
            ("PGUSER", "pu"),
            ("PGDATABASE", "pd"),
            ("PGPASSWORD", "pp"),
            ("PGAPPNAME", "app"),
            ("PGOPTIONS", "-c a=b"),
            ("PGSSLMODE", "require"),
            ("PGCONNECT_TIMEOUT", "0"),
            ("PGTARGETSESSIONATTRS", "standby"),
        ];
        let all = settings("", &variables).unwrap();
        assert_eq!(all.describe(), "postgres://pu@db:6000/pd");
        assert_eq!(all.password(&all.hosts[0]).unwrap().reveal(), "pp");
        assert_eq!(all.application_name.as_deref(), Some("app"));
        assert_eq!(all.options.as_deref(), Some("-c a=b"));
        assert_eq!(all.tls.mode, SslMode::Require);
        assert_eq!(all.connect_timeout, None);
        assert_eq!(all.session, Session::Standby);
        let url = settings("postgres://u@h/d?sslmode=disable", &variables).unwrap();
        assert_eq!(url.describe(), "postgres://u@h:6000/d");
        assert_eq!(url.tls.mode, SslMode::Disable);
    }

    #[test]
    fn numbers_and_words() {
        let url = "host=h connect_timeout=7 keepalives=0 keepalives_idle=8 keepalives_interval=9 \
                   keepalives_count=3 tcp_user_timeout=1500 channel_binding=require \
                   load_balance_hosts=random client_encoding=utf8 fallback_application_name=f";
        let settings = settings(url, &[]).unwrap();
        let seconds = |seconds| Some(Duration::from_secs(seconds));
        let Keepalives { on, idle, interval, count } = settings.keepalives;
        assert_eq!((on, idle, interval, count), (false, seconds(8), seconds(9), Some(3)));
        assert_eq!(settings.connect_timeout, seconds(7));
        assert_eq!(settings.tcp_user_timeout, Some(Duration::from_millis(1500)));
        assert_eq!(settings.channel_binding, ChannelBinding::Require);
        assert!(settings.shuffle);
        assert_eq!(settings.application_name.as_deref(), Some("f"));
        let named = |text: &str| self::settings(text, &[]).unwrap().or_application_name("duet");
        assert_eq!(named("application_name=a").application_name.as_deref(), Some("a"));
        assert_eq!(named("").application_name.as_deref(), Some("duet"));
    }

    #[test]
    fn wrong_settings_name_the_parameter() {
        for (url, parameter) in [
            ("postgres://h/d?sslmod=require", "sslmod"),
            ("sslmode=strict", "sslmode"),
            ("connect_timeout=soon", "connect_timeout"),
            ("channel_binding=maybe", "channel_binding"),
            ("target_session_attrs=primry", "target_session_attrs"),
            ("load_balance_hosts=yes", "load_balance_hosts"),
            ("client_encoding=LATIN1", "client_encoding"),
            ("sslpassword=x", "sslpassword"),
            ("hostaddr=127.0.0.1 sslmode=verify-full", "host"),
            ("service=nowhere", "service"),
        ] {
            let error = settings(url, &[("PGSYSCONFDIR", "/nonexistent")]).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Setting, "{url}");
            assert_eq!(error.place, Some(SettingPlace::Parameter(parameter.into())), "{url}");
        }
    }
}
