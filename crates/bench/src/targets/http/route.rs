//! How a service is reached beside its address: the client's certificate, a proxy, and HTTP/2. In a URL they are words
//! of its fragment, which is never sent.

use std::path::PathBuf;

/// The words of fragments.
const WORDS: [&str; 6] = ["cacert=FILE", "insecure", "cert=FILE", "key=FILE", "proxy=URL", "http2"];

/// The name and password for a proxy, as `NAME:PASSWORD`: the URL of a proxy is in results.
pub(crate) const PROXY_LOGIN: &str = "DUET_BENCH_PROXY_LOGIN";

/// The trusted certificates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those of the system's authorities, or the file in `SSL_CERT_FILE`.
    #[default]
    System,
    /// Those of the authorities in a PEM file.
    File(PathBuf),
    /// Any certificate: the server is not authenticated.
    Anything,
}

/// How a service is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Route {
    /// The client's certificate with its chain, a PEM file.
    pub certificate: Option<PathBuf>,
    /// Its key, a PEM file; without one it is in the same file.
    pub key: Option<PathBuf>,
    /// An HTTP proxy: host and port.
    pub proxy: Option<(String, u16)>,
    /// HTTP/2, with as many users on each connection; without it HTTP/1.1.
    pub http2: Option<u32>,
}

impl Route {
    /// Reads the fragment of a URL.
    ///
    /// # Errors
    /// The word that is none, or that needs TLS.
    pub(super) fn of_fragment(
        fragment: &str,
        is_tls: bool,
    ) -> Result<(Option<Trust>, Self), String> {
        let (mut trust, mut route) = (Trust::System, Self::default());
        for word in fragment.split('&') {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let value = unescaped(value);
            let file = (!value.is_empty()).then(|| PathBuf::from(&value));
            let needs_tls = ["cacert", "insecure", "cert", "key"].contains(&name);
            if needs_tls && !is_tls {
                return Err(format!("`{name}` in the fragment of a URL is for https:// alone"));
            }
            match (name, file) {
                ("cacert", Some(file)) => trust = Trust::File(file),
                ("insecure", None) => trust = Trust::Anything,
                ("cert", Some(file)) => route.certificate = Some(file),
                ("key", Some(file)) => route.key = Some(file),
                ("proxy", Some(_)) => route.proxy = Some(proxy(&value)?),
                ("http2", _) => route.http2 = Some(streams(&value)?),
                _ => {
                    let words = WORDS.join(", ");
                    return Err(format!("{word:?} after the `#` is none of {words}"));
                }
            }
        }
        Ok((is_tls.then_some(trust), route))
    }

    /// The words of the fragment, with those of the trust in certificates.
    pub(super) fn fragment(&self, trust: Option<&Trust>) -> String {
        let mut words = Vec::new();
        let file = |name: &str, path: &PathBuf| format!("{name}={}", escaped(path));
        match trust {
            Some(Trust::File(path)) => words.push(file("cacert", path)),
            Some(Trust::Anything) => words.push("insecure".to_owned()),
            Some(Trust::System) | None => {}
        }
        words.extend(self.certificate.iter().map(|path| file("cert", path)));
        words.extend(self.key.iter().map(|path| file("key", path)));
        words.extend(self.proxy.iter().map(|(host, port)| match host.contains(':') {
            true => format!("proxy=http://[{host}]:{port}"),
            false => format!("proxy=http://{host}:{port}"),
        }));
        words.extend(self.http2.iter().map(|streams| match streams {
            1 => "http2".to_owned(),
            streams => format!("http2={streams}"),
        }));
        match words.is_empty() {
            true => String::new(),
            false => format!("#{}", words.join("&")),
        }
    }
}

/// The host and port of a proxy's URL.
///
/// # Errors
/// If it is none, or has a name and a password.
pub fn proxy(url: &str) -> Result<(String, u16), String> {
    let rest = url.strip_prefix("http://").ok_or("a proxy is http://HOST:PORT")?;
    let authority = rest.strip_suffix('/').unwrap_or(rest);
    if authority.contains('@') {
        return Err(format!("give the name and password of a proxy in {PROXY_LOGIN}"));
    }
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => {
            (host, port.parse().map_err(|_| format!("{port:?} is not a port"))?)
        }
        _ => (authority, 3128),
    };
    if host.is_empty() || host.contains('/') {
        return Err("a proxy is http://HOST:PORT".into());
    }
    Ok((host.trim_matches(['[', ']']).to_owned(), port))
}

fn streams(text: &str) -> Result<u32, String> {
    match text.parse() {
        _ if text.is_empty() => Ok(1),
        Ok(streams) if (1..=10_000).contains(&streams) => Ok(streams),
        _ => Err("http2= is the number of streams of a connection, from 1 to 10000".into()),
    }
}

/// The path of a file without what separates words.
fn escaped(path: &std::path::Path) -> String {
    path.display().to_string().replace('%', "%25").replace('&', "%26").replace('#', "%23")
}

fn unescaped(text: &str) -> String {
    text.replace("%23", "#").replace("%26", "&").replace("%25", "%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_read_as_they_are_written() {
        for text in [
            "",
            "#insecure",
            "#cacert=/a%26b.pem&cert=/c.pem&key=/k%25.pem&proxy=http://p:3128&http2=10",
            "#http2",
            "#proxy=http://[::1]:8080",
        ] {
            let words = text.strip_prefix('#');
            let (trust, route) = match words {
                Some(words) => Route::of_fragment(words, true).unwrap(),
                None => (Some(Trust::System), Route::default()),
            };
            assert_eq!(route.fragment(trust.as_ref()), text);
        }
        for (text, is_tls, said) in [
            ("secure", true, "is none of cacert=FILE"),
            ("cert=/c.pem", false, "https://"),
            ("http2=0", true, "from 1 to 10000"),
            ("proxy=http://a:b@h", true, PROXY_LOGIN),
            ("proxy=socks5://h", true, "http://HOST:PORT"),
            ("cacert", true, "none of"),
        ] {
            let message = Route::of_fragment(text, is_tls).unwrap_err();
            assert!(message.contains(said), "{text}: {message}");
        }
    }
}
