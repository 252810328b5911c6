//! A request as it is sent, and the one that a redirect leads to.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::super::answered::Answer;
use super::super::definition::Follow;

/// The most redirects of a sample, as in JMeter (`httpsampler.max_redirects`).
pub(super) const MOST_REDIRECTS: usize = 20;

/// The scheme of places that are Unix sockets.
pub(super) const UNIX: &str = "http+unix://";

/// The host of a Unix socket.
const LOCAL: &str = "localhost";

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Scheme and host, with the port where there is one: `http://host:80`.
    pub(super) place: String,
    /// The path with its query.
    pub(super) path: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) content: Vec<u8>,
    /// The type of the content, if no header says it.
    pub(super) media: Cow<'static, str>,
    /// Whether the connection is closed behind the response.
    pub(super) closes: bool,
    /// Whether it is sent, and told, as JMeter does.
    pub(super) jmeter: bool,
}

impl Request {
    /// Whether it is a GET or a HEAD.
    pub(super) fn is_read(&self) -> bool {
        ["GET", "HEAD"].contains(&self.method.as_str())
    }

    /// The whole address.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.place, self.path)
    }

    /// The host with its port.
    fn authority(&self) -> &str {
        if self.place.starts_with(UNIX) {
            return LOCAL;
        }
        self.place.split_once("://").map_or(self.place.as_str(), |(_, host)| host)
    }

    /// The host without its port.
    pub(super) fn host(&self) -> &str {
        let host = self.authority();
        let end = host.rfind(':').filter(|at| !host[*at..].contains(']')).unwrap_or(host.len());
        &host[..end]
    }

    /// Its content; in plans of JMeter what they read as the data of a request, which has the first line and the address.
    pub(super) fn content_text(&self) -> String {
        let content = String::from_utf8_lossy(&self.content);
        if !self.jmeter {
            return content.into_owned();
        }
        let (method, url) = (&self.method, self.url());
        match self.is_read() || ["OPTIONS", "TRACE"].contains(&method.as_str()) {
            true => format!("{method} {url}\n"),
            false => format!("{method} {url}\n\n{method} data:\n{content}\n"),
        }
    }

    /// The header fields that it has, a line for each.
    pub(super) fn fields_text(&self) -> String {
        let connection = if self.closes { "close" } else { "keep-alive" };
        let mut out = format!("Connection: {connection}\n");
        let has_host = self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host"));
        if self.jmeter && !has_host {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "Host: {}", self.authority());
        }
        for (name, value) in &self.headers {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name}: {value}");
        }
        out
    }

    /// The bytes to send, with the cookies that belong to it.
    pub(super) fn bytes(&self, cookies: Option<&str>) -> Vec<u8> {
        let Self { method, path, headers, content, media, closes, .. } = self;
        let host = self.authority();
        let connection = if *closes { "close" } else { "keep-alive" };
        let mut out =
            format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: {connection}\r\n");
        for (name, value) in headers {
            // JMeter sends the cookies that it keeps in place of its own field.
            if self.jmeter && cookies.is_some() && name.eq_ignore_ascii_case("cookie") {
                continue;
            }
            // A host of its own replaces that of the address.
            if name.eq_ignore_ascii_case("host") {
                out = out.replacen(&format!("Host: {host}"), &format!("Host: {value}"), 1);
                continue;
            }
            // Writing to a String cannot fail.
            let _ = write!(out, "{name}: {value}\r\n");
        }
        if let Some(cookies) = cookies {
            let _ = write!(out, "Cookie: {cookies}\r\n");
        }
        if !content.is_empty() || ["POST", "PUT", "PATCH"].contains(&method.as_str()) {
            let has_type =
                headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
            if !has_type && !media.is_empty() {
                let _ = write!(out, "Content-Type: {media}\r\n");
            }
            let _ = write!(out, "Content-Length: {}\r\n", content.len());
        }
        out.push_str("\r\n");
        let mut out = out.into_bytes();
        out.extend_from_slice(content);
        out
    }

    /// The request that follows a response, if it is a redirect that the sampler follows. As in JMeter 5.6, it is a GET
    /// without content unless this one is a HEAD, and a 307 is followed for these two alone; elsewhere 307 and 308 keep
    /// method and content (RFC 9110 §15.4.8, §15.4.9).
    pub(super) fn redirected(&self, answer: &Answer, follow: Follow, jmeter: bool) -> Option<Self> {
        let is_read = self.is_read();
        let is_redirect = match answer.status {
            301 | 302 | 303 | 308 => true,
            307 => is_read || !jmeter,
            _ => false,
        };
        let is_followed =
            matches!(follow, Follow::All | Follow::Silently) || follow == Follow::Reads && is_read;
        let location = answer.fields("location").next().filter(|_| is_redirect && is_followed)?;
        let (place, path) = self.resolved(&location.replace(' ', "%20"));
        let (content, media) = match !jmeter && [307, 308].contains(&answer.status) {
            true => (self.content.clone(), self.media.clone()),
            false => (Vec::new(), Cow::Borrowed("")),
        };
        let keeps_method = self.method == "HEAD" || !jmeter && [307, 308].contains(&answer.status);
        let method = if keeps_method { self.method.as_str() } else { "GET" };
        Some(Self {
            method: method.into(),
            place,
            path,
            headers: self.headers.clone(),
            content,
            media,
            closes: self.closes,
            jmeter: self.jmeter,
        })
    }

    /// Forgets what described the content of the request that was redirected, unless it is sent again, and elsewhere than
    /// there also what named the caller and the host.
    pub(super) fn forget_origin(&mut self, origin: &str) {
        let (is_elsewhere, has_content) = (self.place != origin, !self.content.is_empty());
        self.headers.retain(|(name, _)| {
            let of_content = name.to_ascii_lowercase().starts_with("content-");
            !(of_content && !has_content || is_elsewhere && is_of_origin(name))
        });
    }

    /// A reference as seen from this request (RFC 3986 §5.2): the place, and the path with its query.
    fn resolved(&self, reference: &str) -> (String, String) {
        let reference = reference.split('#').next().unwrap_or_default();
        let is_unix = self.place.starts_with(UNIX);
        let scheme =
            if is_unix { "http" } else { self.place.split("://").next().unwrap_or("http") };
        let absolute = match reference.strip_prefix("//") {
            Some(rest) => Some((scheme.to_owned(), rest)),
            None => reference
                .split_once("://")
                .filter(|(scheme, _)| scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()))
                .map(|(scheme, rest)| (scheme.to_ascii_lowercase(), rest)),
        };
        if let Some((scheme, rest)) = absolute {
            let end = rest.find(['/', '?']).unwrap_or(rest.len());
            let (host, path) = rest.split_at(end);
            // Its own host is the socket.
            if is_unix && host == LOCAL && scheme == "http" {
                return (self.place.clone(), without_dots(path));
            }
            return (format!("{scheme}://{host}"), without_dots(path));
        }
        let own = self.path.split('?').next().unwrap_or("/");
        let path = match reference.chars().next() {
            None => self.path.clone(),
            Some('/') => reference.to_owned(),
            Some('?') => format!("{own}{reference}"),
            Some(_) => {
                format!("{}/{reference}", own.rsplit_once('/').map_or("", |(folder, _)| folder))
            }
        };
        (self.place.clone(), without_dots(&path))
    }
}

/// Whether a field names the caller or the host, and is not for other places.
pub(super) fn is_of_origin(name: &str) -> bool {
    ["authorization", "cookie", "host"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// A path that begins with a slash, without `.` and `..` in it.
fn without_dots(path: &str) -> String {
    let (path, query) = match path.find('?') {
        Some(at) => path.split_at(at),
        None => (path, ""),
    };
    let mut parts: Vec<&str> = Vec::new();
    let mut names = path.trim_start_matches('/').split('/').peekable();
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        match name {
            "." => {}
            ".." => drop(parts.pop()),
            name => {
                parts.push(name);
                continue;
            }
        }
        // A folder keeps its slash.
        if is_last {
            parts.push("");
        }
    }
    format!("/{}{query}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str) -> Request {
        Request {
            method: method.into(),
            place: "http://h:80".into(),
            path: "/a/b?c=d".into(),
            headers: vec![("X-Token".into(), "t".into())],
            content: b"body".to_vec(),
            media: "text/plain".into(),
            closes: false,
            jmeter: false,
        }
    }

    #[test]
    fn references_are_resolved() {
        for (reference, place, path) in [
            ("http://other:81/x?y", "http://other:81", "/x?y"),
            ("HTTPS://other", "https://other", "/"),
            ("//other/x", "http://other", "/x"),
            ("/x/../y/./z#part", "http://h:80", "/y/z"),
            ("x", "http://h:80", "/a/x"),
            ("../x", "http://h:80", "/x"),
            ("../../../x", "http://h:80", "/x"),
            (".", "http://h:80", "/a/"),
            ("?e=http://f/", "http://h:80", "/a/b?e=http://f/"),
            ("", "http://h:80", "/a/b?c=d"),
            ("/x y", "http://h:80", "/x y"),
        ] {
            let expected = (place.to_owned(), path.to_owned());
            assert_eq!(request("GET").resolved(reference), expected, "{reference}");
        }
    }

    #[test]
    fn other_places_learn_nothing_of_the_caller() {
        let names = ["Authorization", "X-Token", "cookie", "Host", "Content-Type"];
        let kept = |place: &str, content: &str| {
            let headers = names.map(|name| (name.to_owned(), "v".to_owned())).to_vec();
            let content = content.into();
            let mut next = Request { place: place.into(), headers, content, ..request("GET") };
            next.forget_origin("http://h:80");
            next.headers.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(kept("http://h:80", ""), names[..4]);
        assert_eq!(kept("http://h:80", "x"), names);
        assert_eq!(kept("http://h:81", ""), ["X-Token"]);
        assert_eq!(kept("http://h:81", "x"), ["X-Token", "Content-Type"]);
    }

    #[test]
    fn a_socket_is_asked_as_localhost() {
        let place = "http+unix://%2Frun%2Fa.sock";
        let of_socket = Request { place: place.into(), ..request("GET") };
        assert_eq!(of_socket.host(), "localhost");
        let text = String::from_utf8(of_socket.bytes(None)).unwrap();
        assert!(text.contains("Host: localhost\r\n"), "{text}");
        for (reference, to) in [
            ("/x", place),
            ("http://localhost/x", place),
            ("//localhost/x", place),
            ("https://localhost/x", "https://localhost"),
            ("http://other/x", "http://other"),
        ] {
            assert_eq!(
                of_socket.resolved(reference),
                (to.to_owned(), "/x".to_owned()),
                "{reference}"
            );
        }
    }

    #[test]
    fn methods_and_statuses_of_redirects() {
        let (all, reads) = (Follow::All, Follow::Reads);
        for (method, status, follows, expected) in [
            ("GET", 302, all, Some("GET")),
            ("POST", 303, all, Some("GET")),
            ("POST", 308, all, Some("GET")),
            ("HEAD", 301, all, Some("HEAD")),
            ("GET", 307, all, Some("GET")),
            ("POST", 307, all, None),
            ("GET", 304, all, None),
            ("GET", 200, all, None),
            ("GET", 302, reads, Some("GET")),
            ("POST", 302, reads, None),
            ("GET", 302, Follow::None, None),
        ] {
            let head = "HTTP/1.1 x\nLOCATION: /x\n".to_owned();
            let answer = Answer { status, head, ..Answer::default() };
            let next = request(method).redirected(&answer, follows, true);
            assert_eq!(
                next.as_ref().map(|next| next.method.as_str()),
                expected,
                "{method} {status}"
            );
            if let Some(next) = next {
                let text = String::from_utf8(next.bytes(None)).unwrap();
                assert!(text.contains(" /x HTTP/1.1\r\nHost: h:80\r\n"), "{text}");
                assert!(text.contains("X-Token: t\r\n") && !text.contains("body"), "{text}");
            }
        }
        let without = Answer { status: 302, ..Answer::default() };
        assert_eq!(request("GET").redirected(&without, all, true), None);
        for status in [307, 308] {
            let head = "HTTP/1.1 x\nLOCATION: /x\n".to_owned();
            let answer = Answer { status, head, ..Answer::default() };
            let next = request("POST").redirected(&answer, all, false).unwrap();
            assert_eq!((&*next.method, next.content), ("POST", request("POST").content));
        }
    }
}
