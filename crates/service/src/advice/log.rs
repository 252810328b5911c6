//! Reads the lines of access logs. Whatever a line has, it is a request or it is counted as unreadable.

use serde_json::Value;

/// A request as a line has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedRequest {
    /// The method.
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// The status of the response.
    pub status: u16,
    /// How long it took, in microseconds.
    pub micros: u64,
}

/// The request of a line of text or JSON.
pub(super) fn read(line: &str) -> Option<LoggedRequest> {
    if line.starts_with('{') { json(line) } else { text(line) }
}

fn json(line: &str) -> Option<LoggedRequest> {
    let value: Value = serde_json::from_str(line).ok()?;
    Some(LoggedRequest {
        method: value["method"].as_str()?.to_owned(),
        target: value["target"].as_str()?.to_owned(),
        status: u16::try_from(value["status"].as_u64()?).ok()?,
        micros: value["micros"].as_u64()?,
    })
}

/// `TIME id peer application client name "GET /path" 200 512 153us`.
fn text(line: &str) -> Option<LoggedRequest> {
    let (_, behind) = line.split_once(" \"")?;
    let (request, figures) = behind.rsplit_once("\" ")?;
    let (method, target) = request.split_once(' ')?;
    let mut figures = figures.split(' ');
    let status = figures.next()?.parse().ok()?;
    let _bytes: u64 = figures.next()?.parse().ok()?;
    let micros = figures.next()?.strip_suffix("us")?.parse().ok()?;
    Some(LoggedRequest { method: method.to_owned(), target: unescaped(target)?, status, micros })
}

/// A word of the log as it was.
fn unescaped(word: &str) -> Option<String> {
    let mut out = String::with_capacity(word.len());
    let mut rest = word.chars();
    while let Some(char) = rest.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        match rest.next()? {
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let code = rest.as_str().strip_prefix('{')?;
                let (code, behind) = code.split_once('}')?;
                out.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
                rest = behind.chars();
            }
            other => out.push(other),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn logged(target: &str) -> LoggedRequest {
        LoggedRequest { method: "GET".into(), target: target.into(), status: 200, micros: 153 }
    }

    #[test]
    fn both_forms_are_read() {
        let line = r#"2026-11-22T10:15:59.123Z 00000007-0-1 127.0.0.1 my\u{20}shop - - "GET /a?q=\"b\\c\n\u{20}" 200 12 153us"#;
        assert_eq!(read(line), Some(logged("/a?q=\"b\\c\n ")));
        let line = r#"{"time":"x","id":"1","method":"GET","target":"/a?q=1","status":200,"bytes":1,"micros":153}"#;
        assert_eq!(read(line), Some(logged("/a?q=1")));
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "{",
            "{}",
            r#"{"method":"GET","target":"/","status":70000,"micros":1}"#,
            r#"{"method":"GET","target":"/","status":200,"micros":-1}"#,
            r#"x "GET /" 200 12 153"#,
            r#"x "GET /\u{110000}" 200 12 1us"#,
            r#"x "GET /\u{" 200 12 1us"#,
            r#"x "GET /\" 200 12 1us"#,
            "2026 listening on http://127.0.0.1:8080",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(line in any::<String>(), inner in any::<String>()) {
            read(&line);
            read(&format!("{{{line}"));
            read(&format!("a \"GET {inner}\" 200 1 1us"));
            unescaped(&inner);
        }
    }
}
