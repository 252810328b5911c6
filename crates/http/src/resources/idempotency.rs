//! `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-06): a write with a key takes effect
//! once, and a repeated request gets the answer of the first.

use duet_document::Etag;
use duet_model::{Code, Error};
use duet_service::write::{IdempotencyKey, Once, StoredAnswer, WriteAnswer};
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_MATCH, IF_NONE_MATCH};
use hyper::{HeaderMap, StatusCode};

use crate::answer::refusal::Refusal;
use crate::answer::reply::{Content, Reply};
use crate::message::header::list;
use crate::request::scope::Scope;

/// The request's header.
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Says that an answer is that of an earlier request; the name that Stripe's clients know.
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// How the outcome of a write is answered. Owned, because the answer of a write with a key is made on
/// the thread that writes.
pub(crate) trait Answers<T>: Clone + Send + Sync + 'static {
    /// The reply.
    fn reply(&self, outcome: T) -> Reply;

    /// The reply of an earlier request without what this caller may no longer read; `None` where all
    /// of it may be shown.
    ///
    /// # Errors
    /// Where the stored answer cannot be taken apart.
    fn withheld(&self, stored: &StoredAnswer) -> Result<Option<Reply>, Error>;

    /// The reply of a write that may have had a key.
    ///
    /// # Errors
    /// As [`Self::withheld`].
    fn of_written(&self, written: WriteAnswer<T>) -> Result<Reply, Error> {
        match written {
            WriteAnswer::Now(outcome) => Ok(self.reply(outcome)),
            WriteAnswer::Answered { answer, replayed: false } => Ok(of_stored(answer)),
            WriteAnswer::Answered { answer, replayed: true } => {
                let reply = self.withheld(&answer)?.unwrap_or_else(|| of_stored(answer));
                Ok(reply.with(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true")))
            }
        }
    }
}

impl Scope<'_> {
    /// The key of a write to the resource of this name below the mount, if the request has one.
    /// Its body has been read.
    ///
    /// # Errors
    /// Where the key is malformed.
    pub(crate) fn once<T: 'static>(
        &self,
        answers: &impl Answers<T>,
        name: &str,
    ) -> Result<Option<Once<T>>, Error> {
        let headers = self.request.headers();
        if !headers.contains_key(IDEMPOTENCY_KEY) {
            return Ok(None);
        }
        let key = IdempotencyKey {
            caller: self.key_holder()?,
            resource: format!("{}/{name}", self.mount.path),
            key: key(headers, self.service().write_limits().keys.key_bytes)?,
            fingerprint: self.fingerprint(),
        };
        let answers = answers.clone();
        Ok(Some(Once::new(key, move |outcome| stored(answers.reply(outcome)))))
    }

    /// Whether the request has a key.
    pub(crate) fn has_key(&self) -> bool {
        self.request.headers().contains_key(IDEMPOTENCY_KEY)
    }

    /// Refuses a key where nothing would keep it: a client that repeats the request must not rely on it.
    ///
    /// # Errors
    /// Where there is one.
    pub(crate) fn reject_key(&self) -> Result<(), Refusal> {
        if !self.has_key() {
            return Ok(());
        }
        let message = "A bulk load takes no Idempotency-Key, because it commits as it goes. Nothing was changed.";
        Err(Error::new(Code::IdempotencyNotTaken, message)
            .hint("Leave the header out, or send the rows to `_/batch`.")
            .into())
    }

    /// The caller, as keys are scoped by it. A subject is that of one issuer.
    pub(crate) fn caller(&self) -> String {
        let caller = self.known_caller();
        // Tenants of one database share the table of keys. No id of a client has a slash at its beginning.
        match self.tenant() {
            Some(tenant) => format!("/{} {caller}", tenant.scope()),
            None => caller,
        }
    }

    /// The caller to whom a key belongs.
    ///
    /// # Errors
    /// Where its token does not say who it is: the answer of one person would be another's.
    fn key_holder(&self) -> Result<String, Error> {
        match self.who.claims() {
            Some(claims) if claims.subject().is_none() => {
                let message = "The access token has no text in `sub`, so it does not say whose the Idempotency-Key is. Nothing was changed.";
                Err(Error::new(Code::IdempotencyNotTaken, message)
                    .hint("Leave the header out, or have the issuer name the caller in `sub`."))
            }
            _ => Ok(self.caller()),
        }
    }

    fn known_caller(&self) -> String {
        let Some(id) = self.who.client_id() else { return String::new() };
        let Some(claims) = self.who.claims() else { return id.to_owned() };
        let issuer = claims.value().get("iss").and_then(|issuer| issuer.as_str());
        let id = match claims.subject() {
            // The id is cut for the log, and two may begin alike.
            Some(whole) if whole.len() > id.len() => format!("{id} {}", Etag::of(whole, &[])),
            _ => id.to_owned(),
        };
        issuer.map_or(id.clone(), |issuer| format!("{issuer} {id}"))
    }

    /// A hash of the request: method, path, query, conditions and body.
    fn fingerprint(&self) -> String {
        let (uri, headers) = (self.request.uri(), self.request.headers());
        let condition = |name: &HeaderName| {
            let value = list(headers, name);
            value.map(|value| String::from_utf8_lossy(&value).into_owned()).unwrap_or_default()
        };
        let target = uri.path_and_query().map_or("", |target| target.as_str());
        let about = [
            self.request.method().as_str(),
            target,
            &condition(&IF_MATCH),
            &condition(&IF_NONE_MATCH),
        ];
        let body = self.request.body().known();
        Etag::of(&about.join("\n"), body.map_or(&[], |body| &body[..])).to_string()
    }
}

/// The key in the header: a string of structured fields (RFC 9651 §3.3.3), or the same without quotes, as
/// existing clients send it.
fn key(headers: &HeaderMap, most: usize) -> Result<String, Error> {
    let wrong = |why: &str| {
        Error::new(
            Code::IdempotencyKey,
            format!("The header Idempotency-Key {why}. Nothing was changed."),
        )
        .hint("Send one key of visible ASCII characters, such as a random UUID in double quotes.")
    };
    let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
    let (Some(line), None) = (lines.next(), lines.next()) else {
        return Err(wrong("was sent more than once"));
    };
    let text = line.to_str().map_err(|_| wrong("has characters that are not ASCII"))?.trim();
    let key = match text.strip_prefix('"') {
        Some(rest) => quoted(rest).ok_or_else(|| wrong("is not one complete string"))?,
        None => text.to_owned(),
    };
    if key.is_empty() {
        return Err(wrong("is empty"));
    }
    if key.len() > most {
        return Err(wrong(&format!("has more than {most} bytes (`--idempotency-key-bytes`)")));
    }
    let is_bare = |byte: u8| byte.is_ascii_graphic() && !b"\",;".contains(&byte);
    if !text.starts_with('"') && !key.bytes().all(is_bare) {
        return Err(wrong("has a blank, a comma, a semicolon or a quote outside of a string"));
    }
    Ok(key)
}

/// The rest of a string behind its first quote, up to the last one; nothing may follow it.
fn quoted(rest: &str) -> Option<String> {
    let mut unescaped = String::with_capacity(rest.len());
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => break,
            '\\' => unescaped.push(chars.next().filter(|char| matches!(char, '"' | '\\'))?),
            char if char == ' ' || char.is_ascii_graphic() => unescaped.push(char),
            _ => return None,
        }
    }
    chars.as_str().is_empty().then_some(unescaped)
}

/// A reply as it is stored.
fn stored(reply: Reply) -> StoredAnswer {
    let header = |(name, value): &(HeaderName, HeaderValue)| {
        Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
    };
    let mut headers: Vec<(String, String)> = reply.headers.iter().filter_map(header).collect();
    headers.extend(reply.content_type.map(|ty| (CONTENT_TYPE.as_str().to_owned(), ty.to_owned())));
    headers.extend(reply.etag.map(|etag| (ETAG.as_str().to_owned(), etag)));
    let body = match reply.content {
        Content::Text(buffer) => buffer.text,
        Content::Shared(pieces) => pieces.concat(),
        // No write answers with these.
        Content::Item(_) | Content::Lines(_) | Content::Own(_) => Vec::new(),
    };
    StoredAnswer { status: reply.status.as_u16(), headers, body }
}

/// The reply of a stored answer.
fn of_stored(answer: StoredAnswer) -> Reply {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let mut reply = Reply::new(status, None, answer.body);
    for (name, value) in &answer.headers {
        if let Ok(name) = HeaderName::try_from(name.as_str()) {
            reply = reply.with_text(name, value);
        }
    }
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<String, Code> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_str(line).unwrap());
        }
        key(&headers, 10).map_err(|error| error.code)
    }

    #[test]
    fn keys() {
        for (line, expected) in [
            ("\"k-1\"", "k-1"),
            ("k-1", "k-1"),
            (" \"a b\" ", "a b"),
            (r#""a\"b\\c""#, "a\"b\\c"),
            ("1234567890", "1234567890"),
        ] {
            assert_eq!(read(&[line]), Ok(expected.to_owned()), "{line}");
        }
        for lines in [
            &["\"\""][..],
            &[""],
            &["\"a"],
            &["\"a\"b"],
            &["\"a\";p=1"],
            &["a b"],
            &["a,b"],
            &["a\"b"],
            &[r#""a\b""#],
            &["12345678901"],
            &["a", "a"],
        ] {
            assert_eq!(read(lines), Err(Code::IdempotencyKey), "{lines:?}");
        }
    }

    #[test]
    fn an_answer_is_stored_as_it_is_sent() {
        let mut reply = Reply::new(StatusCode::CREATED, Some("application/json"), b"{}".to_vec());
        reply.etag = Some("\"E\"".into());
        let reply = reply.with_text(hyper::header::LOCATION, "http://a/b");
        let again = of_stored(stored(reply)).into_response(false);
        assert_eq!(again.status(), StatusCode::CREATED);
        for (name, value) in
            [("etag", "\"E\""), ("location", "http://a/b"), ("content-type", "application/json")]
        {
            assert_eq!(again.headers()[name], value);
        }
    }
}
