//! Addresses without the secrets that their queries may hold. What is printed, saved or sent elsewhere passes here.

use std::borrow::Cow;

/// Names of parameters whose values are secrets, without case, `_`, `-` and `.`.
const NAMES: &[&str] = &[
    "auth",
    "authorization",
    "credential",
    "credentials",
    "jwt",
    "key",
    "pass",
    "passphrase",
    "passwd",
    "pin",
    "pw",
    "pwd",
    "session",
    "sessionid",
    "sid",
    "sig",
];
/// Ends of such names: `client_secret`, `access_token`, `X-Amz-Signature`.
const ENDS: &[&str] =
    &["accesskey", "apikey", "assertion", "password", "secret", "signature", "token"];
/// What is in place of a secret.
const HIDDEN: char = '…';

/// A text with the values of secret parameters of all addresses in it hidden, and with `user:password@`.
///
/// ```
/// use duet_bench::secrets::without_secrets;
///
/// assert_eq!(without_secrets("http://h/a?limit=5&access_token=x#f"), "http://h/a?limit=5&access_token=…#f");
/// ```
pub fn without_secrets(text: &str) -> Cow<'_, str> {
    if !text.contains(['?', '@']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_query = false;
    while let Some(next) = rest.chars().next() {
        let (step, behind) = rest.split_at(next.len_utf8());
        out.push_str(step);
        rest = behind;
        is_query = match next {
            '?' => true,
            '#' => false,
            next if ends_value(next) && next != '&' => false,
            _ => is_query,
        };
        if is_query
            && matches!(next, '?' | '&')
            && let Some(at) = secret_at(rest)
        {
            let (name, value) = rest.split_at(at);
            out.push_str(name);
            rest = value.trim_start_matches(|next| !ends_value(next));
            out.push(HIDDEN);
        }
        if out.ends_with("://")
            && let Some(at) =
                rest.find(|next| matches!(next, '/' | '?' | '#') || ends_value(next) || next == '@')
            && rest[at..].starts_with('@')
        {
            out.push(HIDDEN);
            rest = &rest[at..];
        }
    }
    Cow::Owned(out)
}

/// Where the value of a secret parameter begins.
fn secret_at(query: &str) -> Option<usize> {
    let at = query.find(|next| next == '=' || ends_value(next))?;
    let name = query[..at].to_ascii_lowercase().replace(['_', '-', '.'], "");
    let is_secret = NAMES.contains(&&*name) || ENDS.iter().any(|end| name.ends_with(end));
    (is_secret && query[at..].starts_with('=')).then_some(at + 1)
}

/// Whether a value of a query ends before a character.
fn ends_value(next: char) -> bool {
    matches!(next, '&' | '#' | '"' | '\'' | '<' | '>' | '`') || next.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_queries_are_hidden() {
        for (text, shown) in [
            ("http://h/a", "http://h/a"),
            ("http://h/a?limit=5&offset=2", "http://h/a?limit=5&offset=2"),
            ("http://h/a?password=a%20b&x=1", "http://h/a?password=…&x=1"),
            ("http://h/?Client_Secret=s", "http://h/?Client_Secret=…"),
            ("http://h/?q=token=a&api-key=b", "http://h/?q=token=a&api-key=…"),
            ("/a?X-Amz-Signature=s: \"/b?sig=x\"&pw=1", "/a?X-Amz-Signature=… \"/b?sig=…\"&pw=1"),
            ("it answered 500: GET /a?jwt=x y", "it answered 500: GET /a?jwt=… y"),
            ("http://me:secret@h/a@b", "http://…@h/a@b"),
            ("is it? password=x", "is it? password=x"),
            ("a@b ? token", "a@b ? token"),
            ("/?token=", "/?token=…"),
            ("/?token", "/?token"),
        ] {
            assert_eq!(without_secrets(text), shown, "{text}");
        }
    }
}
