//! The types of settings, with parsing and formatting.
//!
//! A value is the same text on the command line, in the environment and in `app.toml`.

use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use duet_auth::jwt::{Algorithm, Pointer};
use duet_auth::{DbRole, Open};
use duet_http::{IpNet, ProxyHeaders};
use duet_instances::Range;
use duet_model::{ProfileRef, profiles};
use duet_service::{Pace, RESERVED_PATHS};
use duet_store::Capture;
use duet_store::files::Synchronous;

/// The type of a setting.
pub(crate) trait Value: Sized {
    /// Its name in the documentation.
    const TYPE: &'static str;
    /// The placeholder in `--flag <HERE>`.
    const PLACEHOLDER: &'static str;
    /// The allowed words, if it has a fixed set.
    const WORDS: &'static [&'static str] = &[];
    /// Whether the setting may be repeated.
    const SEVERAL: bool = false;

    /// Parses the value from one text; the error describes a valid one.
    fn read(text: &str) -> Result<Self, String>;

    /// Parses the value from all given texts.
    fn read_all(texts: &[String]) -> Result<Self, String> {
        match texts {
            [text] => Self::read(text),
            _ => Err("needs exactly one value".into()),
        }
    }
}

/// A number of bytes, written `65536`, `64KiB`, `1MiB` or `1MB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ByteSize(pub(crate) usize);

/// An address to listen on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A host or address with its port.
    Tcp(String),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

/// The address of a JWK Set, `https` or of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeysUrl(pub(crate) String);

/// The header with API keys; an empty text is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiKeyHeader(pub(crate) String);

/// What agents may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agents {
    /// Nothing.
    Off,
    /// Read.
    Read,
    /// Read, and write what their client may.
    Write,
}

/// The log of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessLog {
    /// Nothing.
    Off,
    /// A line for people.
    Text,
    /// A line of JSON.
    Json,
}

/// Where the console is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Console {
    /// At its usual path where only this machine can connect, else nowhere.
    Auto,
    /// Nowhere.
    Off,
    /// At this path, for all.
    At(String),
}

/// First parts of paths, besides those that are reserved for the process, where something else answers.
const NO_CONSOLE: [&str; 2] = ["problems", "mcp"];

/// Its usual path.
pub(crate) const CONSOLE: &str = "/console";

impl Value for Console {
    const TYPE: &'static str = "`auto`, `on`, `off` or a path";
    const PLACEHOLDER: &'static str = "WHERE";

    fn read(text: &str) -> Result<Self, String> {
        let is_plain = |path: &str| {
            let parts = path.split('/').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            });
            parts && !path.is_empty()
        };
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            "on" => Ok(Self::At(CONSOLE.to_owned())),
            path if path.strip_prefix('/').is_some_and(is_plain) => {
                let first = path.split('/').nth(1).unwrap_or_default();
                if RESERVED_PATHS.contains(&first) || NO_CONSOLE.contains(&first) {
                    return Err(format!("use another path: Duet answers at `/{first}` already"));
                }
                Ok(Self::At(path.to_owned()))
            }
            _ => Err("use `auto`, `on`, `off` or a path of letters, digits and hyphens, such as `/console`".into()),
        }
    }
}

/// The limit of connections of one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PerAddress {
    /// Half of all.
    Half,
    /// This many.
    Most(NonZeroUsize),
}

impl Value for PerAddress {
    const TYPE: &'static str = "number from 1 or `half`";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "half" => Ok(Self::Half),
            _ => {
                NonZeroUsize::read(text).map(Self::Most).map_err(|why| format!("{why}, or `half`"))
            }
        }
    }
}

/// Memory for requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// A share of the memory that the process may use.
    Auto,
    /// This many bytes.
    Bytes(ByteSize),
}

impl Value for Memory {
    const TYPE: &'static str = "size or `auto`";
    const PLACEHOLDER: &'static str = "SIZE";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => ByteSize::read(text).map(Self::Bytes).map_err(|why| format!("{why}, or `auto`")),
        }
    }
}

/// The nesting of a body: parsing uses stack for each level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BodyDepth(pub(crate) usize);

impl Value for Option<ProfileRef> {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "SYSTEM";
    const WORDS: &'static [&'static str] = profiles::SETTINGS;

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let found = ProfileRef::named(text).filter(|profile| profile.is_a_setting());
        let wrong = || format!("use `{}`", profiles::SETTINGS.join("` or `"));
        found.map(Some).ok_or_else(wrong)
    }
}

impl Value for BodyDepth {
    const TYPE: &'static str = "number from 1 to 128";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        let depth = usize::read(text)?;
        let fits = (1..=128).contains(&depth);
        fits.then_some(Self(depth)).ok_or_else(|| "use a number from 1 to 128".into())
    }
}

impl Value for Synchronous {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "WORD";
    const WORDS: &'static [&'static str] = &["off", "normal", "full", "extra"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "normal" => Ok(Self::Normal),
            "full" => Ok(Self::Full),
            "extra" => Ok(Self::Extra),
            _ => Err("use `off`, `normal`, `full` or `extra`".into()),
        }
    }
}

/// Connection strings of standbys. They may hold passwords, and are not printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct ReadDatabases(pub(crate) Vec<String>);

impl fmt::Debug for ReadDatabases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} connection strings", self.0.len())
    }
}

impl Value for ReadDatabases {
    const TYPE: &'static str = "list of connection strings";
    const PLACEHOLDER: &'static str = "URL";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        // A comma inside of a connection string separates hosts.
        let is_word =
            |text: &str| text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        let is_begin = |part: &str| {
            let keyword = part.split_once('=').is_some_and(|(keyword, _)| is_word(keyword.trim()));
            keyword || part.contains("://")
        };
        let mut urls: Vec<String> = Vec::new();
        for part in text.split(',') {
            match urls.last_mut() {
                Some(last) if !is_begin(part) => *last = format!("{last},{part}"),
                _ => urls.push(part.to_owned()),
            }
        }
        let urls = urls.into_iter().map(|url| url.trim().to_owned());
        Ok(Self(urls.filter(|url| !url.is_empty()).collect()))
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        let lists: Result<Vec<Self>, String> = texts.iter().map(|text| Self::read(text)).collect();
        Ok(Self(lists?.into_iter().flat_map(|list| list.0).collect()))
    }
}

/// Which writes a read at a standby has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadPosition {
    /// Those of its client, and those of the position that it sends.
    Auto,
    /// Those of the position that it sends.
    Header,
}

impl Value for ReadPosition {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "WORD";
    const WORDS: &'static [&'static str] = &["auto", "header"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "header" => Ok(Self::Header),
            _ => Err("use `auto` or `header`".into()),
        }
    }
}

/// How often the schema is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaPoll {
    /// As often as the database makes it necessary.
    Auto,
    /// So often.
    Every(Duration),
}

impl SchemaPoll {
    /// The pace that follows.
    pub(crate) fn pace(self) -> Pace {
        match self {
            Self::Auto => Pace::USUAL,
            Self::Every(time) => Pace::every(time),
        }
    }
}

impl Value for SchemaPoll {
    const TYPE: &'static str = "duration or `auto`";
    const PLACEHOLDER: &'static str = Duration::PLACEHOLDER;

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            _ => Duration::read(text).map(Self::Every).map_err(|why| format!("{why}, or `auto`")),
        }
    }
}

impl Value for Capture {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "WORD";
    const WORDS: &'static [&'static str] = &["auto", "stream", "table", "off"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "stream" => Ok(Self::Stream),
            "table" => Ok(Self::Table),
            "off" => Ok(Self::Off),
            _ => Err("use `auto`, `stream`, `table` or `off`".into()),
        }
    }
}

impl Value for bool {
    const TYPE: &'static str = "switch";
    const PLACEHOLDER: &'static str = "BOOL";
    const WORDS: &'static [&'static str] = &["true", "false"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("use `true` or `false`".into()),
        }
    }
}

impl Value for usize {
    const TYPE: &'static str = "number";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        text.replace('_', "").parse().map_err(|_| "use a whole number, such as `25`".into())
    }
}

impl Value for u32 {
    const TYPE: &'static str = "number";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        let number = usize::read(text)?;
        Self::try_from(number).map_err(|_| format!("use a number up to {}", Self::MAX))
    }
}

impl Value for NonZeroUsize {
    const TYPE: &'static str = "number from 1";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        let number = usize::read(text)?;
        Self::new(number).ok_or_else(|| "use a number from 1".into())
    }
}

impl Value for Option<NonZeroUsize> {
    const TYPE: &'static str = "number from 1 or `off`";
    const PLACEHOLDER: &'static str = "N";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(None),
            _ => NonZeroUsize::read(text).map(Some).map_err(|why| format!("{why}, or `off`")),
        }
    }
}

impl Value for Duration {
    const TYPE: &'static str = "duration";
    const PLACEHOLDER: &'static str = "DURATION";

    fn read(text: &str) -> Result<Self, String> {
        let wrong = || "use a number and a unit, such as `250ms`, `30s`, `5m` or `1h`".to_owned();
        let text: String = text.chars().filter(|next| !" _".contains(*next)).collect();
        let (mut rest, mut sum) = (text.as_str(), Self::ZERO);
        // Several parts and fractions, as Go and k6 write them.
        while !rest.is_empty() || text.is_empty() {
            let end = rest.find(|next: char| !next.is_ascii_digit() && next != '.');
            let (number, behind) = rest.split_at(end.ok_or_else(wrong)?);
            let end = behind.find(|next: char| next.is_ascii_digit()).unwrap_or(behind.len());
            let (unit, behind) = behind.split_at(end);
            sum = part(number, unit)
                .ok_or_else(wrong)?
                .and_then(|part| sum.checked_add(part))
                .filter(|sum| sum.as_secs() < LONGEST_SECONDS)
                .ok_or("is too long")?;
            rest = behind;
        }
        Ok(sum)
    }
}

/// Some hundred thousand years: what milliseconds in 64 bits can count and more is an error.
const LONGEST_SECONDS: u64 = u64::MAX / 1_000_000;

/// A number with a unit of time; `None` if it is none, and inside where it is too long.
fn part(number: &str, unit: &str) -> Option<Option<Duration>> {
    let nanos: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_right = !whole.is_empty() && is_number(whole) && is_number(fraction);
    is_right.then_some(())?;
    let fraction: f64 = format!("0.{fraction}0").parse().ok()?;
    let whole = whole.parse::<u128>().ok().and_then(|whole| whole.checked_mul(nanos.into()));
    let more = (fraction * nanos as f64).round() as u128;
    Some(whole.and_then(|whole| whole.checked_add(more)).and_then(|nanos| {
        let seconds = u64::try_from(nanos / 1_000_000_000).ok()?;
        Some(Duration::new(seconds, u32::try_from(nanos % 1_000_000_000).ok()?))
    }))
}

impl Value for Option<Range> {
    const TYPE: &'static str = "number from 1 or `MIN..MAX`";
    const PLACEHOLDER: &'static str = "MIN..MAX";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
    }
}

impl Value for Option<Duration> {
    const TYPE: &'static str = "duration or `off`";
    const PLACEHOLDER: &'static str = "DURATION";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(None),
            _ => Duration::read(text).map(Some).map_err(|why| format!("{why}, or `off`")),
        }
    }
}

impl Value for ByteSize {
    const TYPE: &'static str = "size";
    const PLACEHOLDER: &'static str = "SIZE";

    fn read(text: &str) -> Result<Self, String> {
        let wrong = || "use a number of bytes, or one with a unit, such as `64KiB` or `1MiB`";
        let (number, unit) = split_unit(text);
        let number: usize = number.parse().map_err(|_| wrong())?;
        let factor: usize = match unit {
            "" | "B" => 1,
            "kB" | "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "KiB" | "K" | "k" => 1 << 10,
            "MiB" | "M" => 1 << 20,
            "GiB" | "G" => 1 << 30,
            _ => return Err(wrong().into()),
        };
        number.checked_mul(factor).map(Self).ok_or_else(|| "is too large".into())
    }
}

impl Value for Option<ByteSize> {
    const TYPE: &'static str = "size or `off`";
    const PLACEHOLDER: &'static str = "SIZE";

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(None),
            _ => ByteSize::read(text).map(Some).map_err(|why| format!("{why}, or `off`")),
        }
    }
}

/// Splits `30s` into `30` and `s`; blanks in between are ignored.
fn split_unit(text: &str) -> (String, &str) {
    let text = text.trim();
    let end = text.find(|char: char| !(char.is_ascii_digit() || char == '_')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number.replace('_', ""), unit.trim_start())
}

impl Value for Open {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "WHAT";
    const WORDS: &'static [&'static str] = &["no", "read", "all"];

    fn read(text: &str) -> Result<Self, String> {
        text.parse().map_err(|_| "use `no`, `read` or `all`".into())
    }
}

impl Value for Agents {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "RIGHTS";
    const WORDS: &'static [&'static str] = &["off", "read", "write"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "read" => Ok(Self::Read),
            "write" => Ok(Self::Write),
            _ => Err("use `off`, `read` or `write`".into()),
        }
    }
}

impl Value for AccessLog {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "FORM";
    const WORDS: &'static [&'static str] = &["off", "text", "json"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err("use `off`, `text` or `json`".into()),
        }
    }
}

impl Value for ProxyHeaders {
    const TYPE: &'static str = "word";
    const PLACEHOLDER: &'static str = "FAMILY";
    const WORDS: &'static [&'static str] = &["x-forwarded", "forwarded"];

    fn read(text: &str) -> Result<Self, String> {
        match text {
            "x-forwarded" => Ok(Self::XForwarded),
            "forwarded" => Ok(Self::Forwarded),
            _ => Err("use `x-forwarded` or `forwarded`".into()),
        }
    }
}

impl Value for Option<String> {
    const TYPE: &'static str = "text";
    const PLACEHOLDER: &'static str = "TEXT";

    fn read(text: &str) -> Result<Self, String> {
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }
}

impl Value for Vec<String> {
    const TYPE: &'static str = "list of texts";
    const PLACEHOLDER: &'static str = "TEXT";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        Ok(parts(text).map(str::to_owned).collect())
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        read_each(texts)
    }
}

/// A name that a database role may have.
fn db_role(text: &str) -> Result<DbRole, String> {
    let why = "use the name of a role of the database, 1 to 63 bytes, but not `none` or `public`";
    text.parse().map_err(|_| why.to_owned())
}

impl Value for Option<DbRole> {
    const TYPE: &'static str = "database role";
    const PLACEHOLDER: &'static str = "ROLE";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() { Ok(None) } else { db_role(text).map(Some) }
    }
}

impl Value for Vec<DbRole> {
    const TYPE: &'static str = "list of database roles";
    const PLACEHOLDER: &'static str = "ROLE";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        parts(text).map(db_role).collect()
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        read_each(texts)
    }
}

impl Value for ApiKeyHeader {
    const TYPE: &'static str = "name of a header";
    const PLACEHOLDER: &'static str = "HEADER";

    fn read(text: &str) -> Result<Self, String> {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if !text.bytes().all(is_token) {
            return Err("use the name of a header, such as `X-API-Key`".into());
        }
        let known = duet_http::REPETITIONS.iter().any(|(name, _)| text.eq_ignore_ascii_case(name));
        match known {
            true => Err("use another header: requests have this one for something else".into()),
            false => Ok(Self(text.to_owned())),
        }
    }
}

impl Value for Option<KeysUrl> {
    const TYPE: &'static str = "URL";
    const PLACEHOLDER: &'static str = "URL";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        duet_http::check_keys_url(text).map(|()| Some(KeysUrl(text.to_owned())))
    }
}

impl Value for Option<Pointer> {
    const TYPE: &'static str = "JSON pointer";
    const PLACEHOLDER: &'static str = "POINTER";

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(None);
        }
        let wrong = |_| "use a JSON pointer such as `/roles` or `/realm_access/roles`".to_owned();
        text.parse().map(Some).map_err(wrong)
    }
}

impl Value for Vec<Algorithm> {
    const TYPE: &'static str = "list of algorithms";
    const PLACEHOLDER: &'static str = "ALG";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        let wrong = |_| {
            let names = Algorithm::NAMES.map(|(name, _)| format!("`{name}`"));
            format!("use some of {}", names.join(", "))
        };
        parts(text).map(|name| name.parse().map_err(wrong)).collect()
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        let all: Self = read_each(texts)?;
        if all.is_empty() { Err("needs at least one algorithm".into()) } else { Ok(all) }
    }
}

impl Value for Option<PathBuf> {
    const TYPE: &'static str = "path";
    const PLACEHOLDER: &'static str = "PATH";

    fn read(text: &str) -> Result<Self, String> {
        Ok((!text.is_empty()).then(|| PathBuf::from(text)))
    }
}

impl Value for Vec<Listen> {
    const TYPE: &'static str = "list of port, `host:port` or `unix:PATH`";
    const PLACEHOLDER: &'static str = "ADDR";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        parts(text).map(Listen::read).collect()
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        let all: Self = read_each(texts)?;
        if all.is_empty() { Err("needs at least one address".into()) } else { Ok(all) }
    }
}

impl Value for Vec<IpNet> {
    const TYPE: &'static str = "list of IP addresses and networks";
    const PLACEHOLDER: &'static str = "IP";
    const SEVERAL: bool = true;

    fn read(text: &str) -> Result<Self, String> {
        parts(text).map(network).collect()
    }

    fn read_all(texts: &[String]) -> Result<Self, String> {
        read_each(texts)
    }
}

/// A text may contain a list, because the environment has only one text.
fn read_each<T>(texts: &[String]) -> Result<Vec<T>, String>
where
    Vec<T>: Value,
{
    let lists: Result<Vec<Vec<T>>, String> = texts.iter().map(|text| Value::read(text)).collect();
    Ok(lists?.into_iter().flatten().collect())
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

/// An address, or a network by its first address: `10.0.0.5/8` is more likely a slip than `10.0.0.0/8`.
fn network(text: &str) -> Result<IpNet, String> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(address.to_canonical().into());
    }
    let wrong = || "use IP addresses and networks, such as `10.0.0.5`, `::1` or `10.1.0.0/16`";
    let network: IpNet = text.parse().map_err(|_| wrong())?;
    if network.addr() != network.addr().to_canonical() {
        return Err(format!("write `{network}` as a network of IPv4"));
    }
    if network.trunc() != network {
        return Err(format!("`{network}` is within the network `{}`: use this", network.trunc()));
    }
    Ok(network)
}

/// The longest path in the address of a Unix socket, in bytes.
const LONGEST_SOCKET_PATH: usize = 107;

impl Listen {
    fn read(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return match path.len() {
                0 => Err("`unix:` needs the path of the socket".into()),
                1..=LONGEST_SOCKET_PATH => Ok(Self::Unix(path.into())),
                more => Err(format!(
                    "the path of a Unix socket has {LONGEST_SOCKET_PATH} bytes at most, this one has {more}"
                )),
            };
        }
        let wrong = || {
            "use a port, `host:port` or `unix:PATH`, such as `8080` or `127.0.0.1:8080`".to_owned()
        };
        // A port alone is for this machine, like the default; with a colon it is for all addresses.
        if text.parse::<u16>().is_ok() {
            return Ok(Self::Tcp(format!("127.0.0.1:{text}")));
        }
        if let Some(port) = text.strip_prefix(':').and_then(|port| port.parse::<u16>().ok()) {
            return Ok(Self::Tcp(format!("0.0.0.0:{port}")));
        }
        let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
        let unbracketed_v6 = host.contains(':') && !(host.starts_with('[') && host.ends_with(']'));
        if unbracketed_v6 {
            return Err("put an IPv6 address in brackets, such as `[::1]:8080`".into());
        }
        let is_no_v6 = || !host.contains('%') && text.parse::<std::net::SocketAddrV6>().is_err();
        if host.starts_with('[') && is_no_v6() {
            return Err("it is no IPv6 address, such as `[::1]:8080`".into());
        }
        if host.is_empty() || host.contains(['/', ' ']) || port.parse::<u16>().is_err() {
            return Err(wrong());
        }
        Ok(Self::Tcp(text.into()))
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => f.write_str(address),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, millis) in
            [("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("1h", 3_600_000), ("0s", 0)]
        {
            assert_eq!(Duration::read(text), Ok(Duration::from_millis(millis)), "{text}");
        }
        assert_eq!(Duration::read(" 1_000 ms "), Ok(Duration::from_secs(1)));
        for text in ["", "30", "s", "-1s", "1.5.5s", ".5s", "1 week", "1h30"] {
            assert!(Duration::read(text).unwrap_err().contains("30s"), "{text}");
        }
        for (text, millis) in
            [("1m30s", 90_000), ("1.5s", 1_500), ("2m0.25s", 120_250), ("500us", 0)]
        {
            let read = Duration::read(text).unwrap();
            assert_eq!(u64::try_from(read.as_millis()), Ok(millis), "{text}");
        }
        for text in ["9999999999999999999h", "99999999999999999999s"] {
            assert_eq!(Duration::read(text), Err("is too long".into()));
        }
        assert_eq!(Option::<Duration>::read("off"), Ok(None));
        assert!(Option::<Duration>::read("on").unwrap_err().ends_with("or `off`"));
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("65_536", 65_536),
            ("64KiB", 65_536),
            ("1 MiB", 1 << 20),
            ("2MB", 2_000_000),
        ] {
            assert_eq!(ByteSize::read(text), Ok(ByteSize(bytes)), "{text}");
        }
        for text in ["", "MiB", "1.5MiB", "1mib", "-1"] {
            assert!(ByteSize::read(text).unwrap_err().contains("64KiB"), "{text}");
        }
        assert_eq!(ByteSize::read("99999999999GiB"), Err("is too large".into()));
    }

    #[test]
    fn addresses_to_listen_on() {
        let read = |text: &str| Vec::<Listen>::read_all(&[text.to_owned()]);
        let shown = |text: &str| {
            read(text).map(|all| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(shown("127.0.0.1:8080"), Ok("127.0.0.1:8080".into()));
        assert_eq!(shown("8080, 0"), Ok("127.0.0.1:8080 127.0.0.1:0".into()));
        assert_eq!(shown(":8080"), Ok("0.0.0.0:8080".into()));
        assert_eq!(
            shown("localhost:0, [::1]:80,unix:/run/d"),
            Ok("localhost:0 [::1]:80 unix:/run/d".into())
        );
        for wrong in [
            "",
            "80808",
            ":",
            ":x",
            "h:x",
            "h:65536",
            "::1:80",
            "unix:",
            "http://h:80",
            "[::g]:80",
            "[1.2.3.4]:80",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&format!("unix:/{}", "x".repeat(107))).unwrap_err().contains("107"));
    }

    #[test]
    fn addresses_of_proxies() {
        let read = |text: &str| Vec::<IpNet>::read_all(&[text.to_owned()]);
        assert_eq!(read("").unwrap().len(), 0);
        assert_eq!(read("10.0.0.5, ::1").unwrap().len(), 2);
        let networks = read("10.0.0.0/8,fd00::/8").unwrap();
        let inside = |text: &str| {
            let address: IpAddr = text.parse().unwrap();
            networks.iter().any(|network| network.contains(&address))
        };
        assert!(inside("10.9.9.9") && inside("fd12::1") && !inside("11.0.0.1"));
        assert_eq!(read("::ffff:10.0.0.5").unwrap(), read("10.0.0.5").unwrap());
        for wrong in ["10.0.0.5/8", "10.0.0.0/33", "10.0.0.0/", "::ffff:10.0.0.0/104", "a"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
