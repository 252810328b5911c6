//! The server of the corpus: its paths answer as those of `bench/jmeter/corpus.py`, so that JMeter and this program
//! are asked the same.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::Asked;

/// A response: the status, header fields, and the content.
type Answer = (u16, Vec<(&'static str, &'static str)>, String);

/// Serves a connection.
pub(super) async fn serve(mut stream: TcpStream, asked: Asked) {
    let mut read = Vec::new();
    while stream.read_buf(&mut read).await.is_ok_and(|count| count > 0) {
        let Some((request, length)) = parsed(&read) else { continue };
        read.drain(..length);
        let (status, fields, content) = answer(&request);
        asked.lock().unwrap().push(request.recorded());
        if request.path.starts_with("/delay") {
            let ms = request.path.split("ms=").nth(1).and_then(|ms| ms.parse().ok());
            tokio::time::sleep(Duration::from_millis(ms.unwrap_or(30))).await;
        }
        let fields: String =
            fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = match status {
            304 => String::new(),
            _ => format!("Content-Length: {}\r\n", content.len()),
        };
        let content = if request.method == "HEAD" { "" } else { &content };
        let text = format!("HTTP/1.1 {status} X\r\n{length}{fields}\r\n{content}");
        if stream.write_all(text.as_bytes()).await.is_err() || request.closes() {
            return;
        }
    }
}

struct Request {
    method: String,
    path: String,
    head: String,
    body: String,
}

impl Request {
    fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (of, value) = line.split_once(": ")?;
            of.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    fn closes(&self) -> bool {
        self.field("connection").is_some_and(|value| value == "close")
    }

    /// The line of the corpus.
    fn recorded(&self) -> String {
        let mut line = format!("{} {}", self.method, self.path);
        if !self.body.is_empty() {
            line += &format!(" body={}", self.body);
        }
        for name in ["X-Token", "Authorization"] {
            if let Some(value) = self.field(name).filter(|value| !value.is_empty()) {
                line += &format!(" {name}={value}");
            }
        }
        line
    }
}

/// A whole request, and how long it is.
fn parsed(read: &[u8]) -> Option<(Request, usize)> {
    let end = read.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let mut words = head.lines().next()?.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut request = Request { method, path, head, body: String::new() };
    let length: usize =
        request.field("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let body = read.get(end + 4..end + 4 + length)?;
    request.body = String::from_utf8_lossy(body).into_owned();
    Some((request, end + 4 + length))
}

fn answer(request: &Request) -> Answer {
    let json = vec![("Content-Type", "application/json")];
    let cookie = request.field("cookie").unwrap_or_default();
    let name = request.path.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default();
    let status = name.parse().ok().filter(|status| (400..600).contains(status));
    let with = |name, value| [json.clone(), vec![(name, value)]].concat();
    match name {
        _ if status.is_some() => (status.unwrap_or(0), json, "{\"error\":1}".into()),
        "html" => (200, vec![("Content-Type", "text/html")], HTML.into()),
        "rich" => (200, vec![("Content-Type", "text/html")], RICH.into()),
        "xml" => (200, vec![("Content-Type", "text/xml")], XML.into()),
        "page" => (200, json, PAGE.into()),
        "cookie" => {
            let fields = vec![json[0], ("Set-Cookie", "sid=abc; Path=/"), ("Set-Cookie", "t=1")];
            (200, fields, OK.into())
        }
        "needcookie" if !cookie.contains("sid=abc") => (401, json, "{}".into()),
        "echocookie" if cookie.is_empty() => (200, json, "none".into()),
        "echocookie" => (200, json, cookie.into()),
        "redirect" => (302, with("Location", "/ok"), OK.into()),
        "loop" => (302, with("Location", "/loop"), OK.into()),
        "fresh" => (200, with("Cache-Control", "max-age=60"), OK.into()),
        "move" => {
            let status = request.path.rsplit('/').next().and_then(|status| status.parse().ok());
            (status.unwrap_or(302), with("Location", "/ok"), OK.into())
        }
        "etag" if request.field("if-none-match") == Some("\"1\"") => {
            (304, with("ETag", "\"1\""), String::new())
        }
        "etag" => (200, with("ETag", "\"1\""), OK.into()),
        _ => (200, json, OK.into()),
    }
}

const OK: &str = r#"{"id":7,"name":"seven","list":[1,2,3]}"#;
const HTML: &str = r#"<html><head><title>Page</title></head><body>csrf: <input name="csrf" value="v1"><a class="x" href="/a?1">one</a><a class="x" href="/b">two</a></body></html>"#;
const RICH: &str = r#"<!DOCTYPE html><html><head><title>A  rich
 page</title><style>p { color: red }</style></head><body><p id=one class="Big red">Hello <b>bold</b>world&nbsp; !</p><p>second<br>line<div>third<span>in</span></div>tail
 <a HREF="/a?1" rel="Next">one</a><a href="/b">two</a><a name=c>three</a>
 <form><input name=csrf value="v1"><input type=HIDDEN name=csrf2 value=" v2 "></form>
 <ul><li>1</li><li>2<li>3</ul><table><tr><td>x<td>y</table><pre>  kept   as
 it is</pre><script>var a = 1;</script><x-y>own</x-y> end</body></html>"#;
const XML: &str = r#"<order id="5"><line n="1">one</line><line n="2">two</line></order>"#;
const PAGE: &str = r#"{"items":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"count":2,"none":null,"big":12.50,"t":true}"#;
