//! The two forms of a connection string: a URI, and keywords with values.
//!
//! Both become pairs of name and value, in order, which other modules interpret. The rules are
//! libpq's (PostgreSQL's manual, "Connection Strings"). No message repeats a part of the string
//! that could hold a password.

use crate::{Error, ErrorKind, Result, SettingPlace};

/// Name and value, as written.
pub(crate) type Pair = (String, String);

const SCHEMES: [&str; 2] = ["postgresql://", "postgres://"];

/// Splits a connection string of either form; the empty one relies on the other sources.
pub(crate) fn parse(text: &str) -> Result<Vec<Pair>> {
    if text.contains('\0') {
        return Err(wrong("A database URL cannot contain the NUL character.", None));
    }
    if let Some(scheme) = SCHEMES.iter().find(|scheme| text.starts_with(*scheme)) {
        return Uri { text, at: scheme.len(), pairs: Vec::new() }.parse();
    }
    if text.trim().is_empty() || (text.contains('=') && !text.contains("://")) {
        return Keywords { text, at: 0 }.parse();
    }
    // `host=…` may contain `://` in a value, but then it begins with a keyword.
    let keyword = text.trim_start().split(['=', ' ']).next().unwrap_or_default();
    if text.contains('=') && super::parameters::find(keyword).is_ok() {
        return Keywords { text, at: 0 }.parse();
    }
    Err(wrong(
        "A PostgreSQL database is named by `postgres://user@host:port/database` or by \
         `host=… dbname=…`.",
        None,
    ))
}

fn wrong(message: impl Into<String>, at: Option<usize>) -> Error {
    let error = Error::new(ErrorKind::Setting, message);
    match at {
        Some(at) => error.at(SettingPlace::Offset(at)),
        None => error,
    }
}

/// Reads `scheme://user:password@host:port,host:port/database?name=value&…`.
struct Uri<'a> {
    text: &'a str,
    at: usize,
    pairs: Vec<Pair>,
}

impl<'a> Uri<'a> {
    fn parse(mut self) -> Result<Vec<Pair>> {
        self.credentials()?;
        self.hosts()?;
        if self.eat('/') {
            let (start, database) = self.until(&['?']);
            self.store("dbname", start, database)?;
        }
        if self.eat('?') {
            self.parameters()?;
        }
        if self.at < self.text.len() {
            return Err(wrong("The database URL has something unexpected here.", Some(self.at)));
        }
        Ok(self.pairs)
    }

    fn credentials(&mut self) -> Result<()> {
        let rest = &self.text[self.at..];
        let end = rest.find(['@', '/']).filter(|end| rest[*end..].starts_with('@'));
        let Some(end) = end.map(|end| self.at + end) else { return Ok(()) };
        let (start, user) = self.until(&[':', '@']);
        self.store("user", start, user)?;
        if self.eat(':') {
            self.store("password", self.at, &self.text[self.at..end])?;
        }
        self.at = end + 1;
        Ok(())
    }

    /// The lists of hosts and ports stay lists: libpq decodes them as a whole.
    fn hosts(&mut self) -> Result<()> {
        let start = self.at;
        let (mut hosts, mut ports) = (String::new(), String::new());
        loop {
            hosts.push_str(self.host()?);
            if self.eat(':') {
                ports.push_str(self.until(&['/', '?', ',']).1);
            }
            if !self.eat(',') {
                break;
            }
            hosts.push(',');
            ports.push(',');
        }
        self.store("host", start, &hosts)?;
        self.store("port", start, &ports)
    }

    fn host(&mut self) -> Result<&'a str> {
        if !self.eat('[') {
            return Ok(self.until(&[':', '/', '?', ',']).1);
        }
        let (start, address) = self.until(&[']']);
        if !self.eat(']') {
            return Err(wrong("An IPv6 address lacks its `]`.", Some(start)));
        }
        if address.is_empty() {
            return Err(wrong("An IPv6 address is empty.", Some(start)));
        }
        if !self.text[self.at..].is_empty()
            && !self.text[self.at..].starts_with([':', '/', '?', ','])
        {
            return Err(wrong("After an IPv6 address comes `:`, `,` or `/`.", Some(self.at)));
        }
        Ok(address)
    }

    fn parameters(&mut self) -> Result<()> {
        while self.at < self.text.len() {
            let (start, pair) = self.until(&['&']);
            let Some((name, value)) = pair.split_once('=') else {
                return Err(wrong("A parameter of the database URL lacks its `=`.", Some(start)));
            };
            if value.contains('=') {
                let message = "A parameter of the database URL has a second `=`; write it as %3D.";
                return Err(wrong(message, Some(start)));
            }
            let name = decode(name, start)?;
            let value = decode(value, start + pair.len() - value.len())?;
            // The syntax of JDBC.
            if name == "ssl" && value == "true" {
                self.pairs.push(("sslmode".into(), "require".into()));
            } else {
                self.pairs.push((name, value));
            }
            self.eat('&');
        }
        Ok(())
    }

    /// Stores a part of the URL; an empty part counts as missing, so that defaults apply.
    fn store(&mut self, name: &str, start: usize, text: &str) -> Result<()> {
        if !text.is_empty() {
            self.pairs.push((name.into(), decode(text, start)?));
        }
        Ok(())
    }

    fn until(&mut self, ends: &[char]) -> (usize, &'a str) {
        let start = self.at;
        let rest = &self.text[start..];
        let part = &rest[..rest.find(ends).unwrap_or(rest.len())];
        self.at += part.len();
        (start, part)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.text[self.at..].starts_with(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }
}

/// Decodes percent-encoding (RFC 3986, section 2.1); `+` is literal.
fn decode(text: &str, start: usize) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if first != b'%' {
            bytes.push(first);
            rest = after;
            continue;
        }
        let place = Some(start + text.len() - rest.len());
        let byte = match after {
            [high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        match byte {
            Some(0) => return Err(wrong("%00 cannot be in a database URL.", place)),
            Some(byte) => bytes.push(byte),
            None => return Err(wrong("After `%` come two hexadecimal digits.", place)),
        }
        rest = &after[2..];
    }
    String::from_utf8(bytes)
        .map_err(|_| wrong("This part of the database URL is not UTF-8.", Some(start)))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

/// Reads `name = value name='quoted value'`.
struct Keywords<'a> {
    text: &'a str,
    at: usize,
}

impl Keywords<'_> {
    fn parse(mut self) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        self.blanks();
        while self.peek().is_some() {
            let start = self.at;
            let mut name = String::new();
            while let Some(next) = self.peek().filter(|next| *next != '=' && !blank(*next)) {
                name.push(self.take(next));
            }
            self.blanks();
            if self.peek() != Some('=') {
                return Err(wrong("A word is not followed by `=` and a value.", Some(start)));
            }
            self.take('=');
            self.blanks();
            pairs.push((name, self.value()?));
            self.blanks();
        }
        Ok(pairs)
    }

    fn value(&mut self) -> Result<String> {
        let start = self.at;
        let quoted = self.peek() == Some('\'');
        if quoted {
            self.take('\'');
        }
        let mut value = String::new();
        while let Some(next) = self.peek() {
            match next {
                '\'' if quoted => {
                    self.take(next);
                    return Ok(value);
                }
                next if !quoted && blank(next) => break,
                '\\' => {
                    self.take(next);
                    value.extend(self.peek().map(|next| self.take(next)));
                }
                next => value.push(self.take(next)),
            }
        }
        if quoted {
            return Err(wrong("A quoted value lacks its closing quote.", Some(start)));
        }
        Ok(value)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, next: char) -> char {
        self.at += next.len_utf8();
        next
    }

    fn blanks(&mut self) {
        while let Some(next) = self.peek().filter(|next| blank(*next)) {
            self.take(next);
        }
    }
}

/// The blanks of C's `isspace`.
fn blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let pairs: Vec<String> = match parse(text) {
            Ok(pairs) => pairs.iter().map(|(name, value)| format!("{name}={value}")).collect(),
            Err(error) => vec![format!("{error} {:?}", error.place)],
        };
        assert_eq!(pairs.join("|"), expected, "{text}");
    }

    #[test]
    fn uris() {
        check("postgres://", "");
        check("postgresql:///", "");
        check("postgres://localhost", "host=localhost");
        check("postgres://localhost:5433/", "host=localhost|port=5433");
        check("postgresql://user@localhost", "user=user|host=localhost");
        check("postgres://u:p@h:1/d", "user=u|password=p|host=h|port=1|dbname=d");
        check("postgres://:p@/d", "password=p|dbname=d");
        check("postgres://u:@h", "user=u|host=h");
        check("postgres:///d?host=/run/pg&user=x", "dbname=d|host=/run/pg|user=x");
        check("postgres://%2Frun%2Fpg/d", "host=/run/pg|dbname=d");
        check("postgres://h?dbname=d", "host=h|dbname=d");
        check("postgres://h?", "host=h");
        check("postgres://h/d?a=b&", "host=h|dbname=d|a=b");
        check("postgres://h/d?a=", "host=h|dbname=d|a=");
        check("postgres://h/d?ssl=true", "host=h|dbname=d|sslmode=require");
        check("postgres://u:p%40%3a%2F%25@h/a%20b", "user=u|password=p@:/%|host=h|dbname=a b");
        check("postgres://u:a:b@h", "user=u|password=a:b|host=h");
        check("postgres://u+v@h/a+b", "user=u+v|host=h|dbname=a+b");
        check("postgres://h/a/b@c", "host=h|dbname=a/b@c");
        check("postgres://é@h", "user=é|host=h");
    }

    #[test]
    fn several_hosts_and_ipv6() {
        check("postgres://a:1,b,c:3/d", "host=a,b,c|port=1,,3|dbname=d");
        check("postgres://a,b/d", "host=a,b|port=,|dbname=d");
        check("postgres://[::1]/d", "host=::1|dbname=d");
        check("postgres://[2001:db8::1]:5433,h/d", "host=2001:db8::1,h|port=5433,|dbname=d");
        check("postgres://u@[::1]?a=b", "user=u|host=::1|a=b");
        check("postgres://,:6/", "host=,|port=,6");
    }

    #[test]
    fn broken_uris() {
        check("postgres://[::1", "An IPv6 address lacks its `]`. Some(Offset(12))");
        check("postgres://[]", "An IPv6 address is empty. Some(Offset(12))");
        check("postgres://[::1]x", "After an IPv6 address comes `:`, `,` or `/`. Some(Offset(16))");
        check(
            "postgres://h/d?a",
            "A parameter of the database URL lacks its `=`. Some(Offset(15))",
        );
        check(
            "postgres://h/d?a=b=c",
            "A parameter of the database URL has a second `=`; write it as %3D. \
             Some(Offset(15))",
        );
        check("postgres://u:s%zz@h", "After `%` come two hexadecimal digits. Some(Offset(14))");
        check("postgres://h/d%", "After `%` come two hexadecimal digits. Some(Offset(14))");
        check("postgres://h/%00", "%00 cannot be in a database URL. Some(Offset(13))");
        check("postgres://h/%ff", "This part of the database URL is not UTF-8. Some(Offset(13))");
    }

    #[test]
    fn keywords() {
        check("", "");
        check("  ", "");
        check("host=a dbname=b", "host=a|dbname=b");
        check("  host = a\n dbname\t=  'b c' ", "host=a|dbname=b c");
        check(r"password='it\'s \\ x' user=a\ b", r"password=it's \ x|user=a b");
        check("host='' dbname=", "host=|dbname=");
        check("host='a'dbname=b", "host=a|dbname=b");
        check("host=a password='x://y'", "host=a|password=x://y");
        check(r"user=a\", "user=a");
        check(
            "host",
            "A PostgreSQL database is named by `postgres://user@host:port/database` or by `host=… dbname=…`. None",
        );
        check("host=a oops", "A word is not followed by `=` and a value. Some(Offset(7))");
        check("user='a", "A quoted value lacks its closing quote. Some(Offset(5))");
    }

    #[test]
    fn other_schemes_are_refused() {
        for text in ["mysql://h/d", "mysql://h/d?a=b", "postgres:h", "POSTGRES://h", "\0"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn no_message_repeats_the_string() {
        for text in ["postgres://u:hunter2%@h", "password='hunter2", "mysql://u:hunter2@h/d"] {
            let error = parse(text).unwrap_err();
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
