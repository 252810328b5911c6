//! POST search: `POST {resource}/search` and `QUERY {resource}/` (the HTTP method for safe
//! requests with a body, draft-ietf-httpbis-safe-method-w-body).
//!
//! The body is a JSON object with the parameters of a page as members. The answer is that of the
//! `GET` with the same parameters, byte for byte but for `links`.

use std::fmt::Write as _;
use std::sync::Arc;

use duet_auth::ReadRight;
use duet_document::PageFrame;
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Place, Result};
use duet_service::declared_parameters;
use duet_service::query::{Mistakes, PageMembers, PageParameters, whole_number};
use duet_service::write::OwnedLinks;
use duet_service::{Expansion, PageEnd, PageQuery, Resource};
use duet_text::json::cursor::{Cursor, Token};
use duet_text::json::{InputKind, JsonLimits};
use duet_text::name;
use hyper::header::{HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use super::live::LivePlan;
use super::stream::StreamPlan;
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::media::{JSON, ROWS, ResponseFormat};
use crate::message::methods::Methods;
use crate::message::subpath::{SEARCH, is_search};
use crate::request::body;
use crate::request::scope::Scope;

/// The name of the method, which hyper does not define.
const QUERY: &str = "QUERY";
/// The header by which a path says that it takes QUERY, and with which media types.
const ACCEPT_QUERY: HeaderName = HeaderName::from_static("accept-query");

/// Whether a request for this path below a resource is a POST search.
pub(crate) fn asks_by_body(method: &Method, tail: &str) -> bool {
    match method.as_str() {
        "POST" => is_search(tail),
        QUERY => tail.is_empty(),
        _ => false,
    }
}

/// The answer to `OPTIONS`.
pub(crate) fn options(methods: Methods, tail: &str) -> Reply {
    let reply = Reply::empty(StatusCode::NO_CONTENT).allow(methods);
    if tail.is_empty() { reply.with(ACCEPT_QUERY, HeaderValue::from_static(JSON)) } else { reply }
}

/// Which page or stream to read, as a body says.
pub(crate) enum SearchPlan<'r> {
    Page(SearchedPage<'r>),
    Stream(StreamPlan<'r>),
    Live(Box<LivePlan<'r>>),
}

/// Which page to read, as a body says.
pub(crate) struct SearchedPage<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Resource,
    right: ReadRight<'r>,
    parameters: PageParameters,
    expansion: Option<Expansion>,
    links: OwnedLinks,
    /// Whether it is an array of its items.
    bare: bool,
}

impl<'r> SearchPlan<'r> {
    /// Reads the body. That the caller may read has been checked.
    ///
    /// # Errors
    /// Where the body is no search, or cannot be read.
    pub(crate) async fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        links: OwnedLinks,
        form: ResponseFormat,
        media: &'static str,
    ) -> Result<Self, Refusal> {
        body::check_json(scope.request.headers())?;
        let arguments = PageParameters::arguments(resource, scope.request.uri().query())?;
        let bytes = scope.arrived().body().await?;
        let nodes = scope.service().write_limits().nodes;
        let members = scope.parse(bytes, move |bytes| members(bytes, nodes)).await?;
        let mut parameters = PageParameters::of(members).map_err(in_body)?;
        parameters.arguments = arguments;
        if let ResponseFormat::Stream(format) = form {
            let plan = StreamPlan::of(scope, resource, parameters, format, media);
            return plan.map(Self::Stream).map_err(in_body_too);
        }
        if form == ResponseFormat::Live {
            let plan = LivePlan::of(scope, resource, &parameters);
            return plan.map(Box::new).map(Self::Live).map_err(in_body_too);
        }
        let expansion = scope.expansion(resource, parameters.expand.as_deref());
        let expansion = expansion.map_err(in_body_too)?;
        let right = scope.read_right(resource)?;
        let bare = form == ResponseFormat::Rows;
        Ok(Self::Page(SearchedPage { scope, resource, right, parameters, expansion, links, bare }))
    }

    /// Reads the page, or begins the stream.
    ///
    /// # Errors
    /// Whatever the filter, the other members or the database say.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        match self {
            Self::Page(page) => page.answer().await,
            Self::Live(live) => live.answer().await.map_err(in_body_too),
            Self::Stream(stream) => stream.answer().await.map_err(in_body_too),
        }
    }
}

impl SearchedPage<'_> {
    async fn answer(self) -> Result<Reply, Refusal> {
        let query = self.parameters.query(self.right, self.expansion.as_ref());
        let query = PageQuery { bare: self.bare, ..query };
        let by_query = self.scope.request.method() != Method::POST;
        let search_links = SearchLinks {
            collection: &self.links.addresses.collection,
            described_by: &self.links.addresses.described_by,
            by_query,
            by_key: query.after.is_some(),
        };
        let write_links =
            |end: &PageEnd<'_>| search_links.json(end.frame, end.has_more, end.marker);
        let links = self.links.borrowed();
        let page = self.scope.reader().page(self.resource, &query, &links, &write_links).await;
        let mut reply = self.scope.page(page.map_err(in_body)?);
        if self.bare {
            reply.content_type = Some(ROWS);
        }
        // Conditions are of safe methods: a POST is answered whatever it says it knows.
        if by_query { self.scope.conditional(reply) } else { Ok(reply) }
    }
}

/// Objects and arrays inside each other; the filter has a limit of its own.
const DEPTH: usize = 128;

const SEARCH_BODY: InputKind = InputKind {
    noun: "body of a search",
    syntax: Code::SearchBody,
    depth: Code::SearchBody,
    twice: None,
};

/// What the body of a search gives. It is read as long as it is JSON.
fn members(body: &[u8], nodes: usize) -> Result<PageMembers> {
    let json = std::str::from_utf8(body).map_err(|_| not_understood("The body is not UTF-8."))?;
    let mut cursor = Cursor::new(json, &SEARCH_BODY, JsonLimits { depth: DEPTH, nodes });
    if cursor.peek().map_err(|error| not_json(json, error))? != Token::Object {
        return Err(not_understood("The body is not a JSON object."));
    }
    let mut members = PageMembers::default();
    let (mut seen, mut mistakes): (Vec<String>, Mistakes) = Default::default();
    let mut object = cursor.enter()?;
    while let Some(name) = cursor.member(&mut object).map_err(|error| not_json(json, error))? {
        let value = cursor.skip().map_err(|error| not_json(json, error))?;
        if seen.iter().any(|other| *other == name) {
            mistakes.add(wrong(&name, "is given twice"));
        } else if known(&name, &mut mistakes) && value != "null" {
            mistakes.value(member(&mut members, &name, value));
        }
        seen.push(name.into_owned());
    }
    cursor.end().map_err(|error| not_json(json, error))?;
    mistakes.or(members)
}

fn member(members: &mut PageMembers, name: &str, value: &str) -> Result<()> {
    match name {
        "q" => members.q = Some(value.to_owned()),
        "query" => members.query = Some(text(name, value)?),
        "limit" => members.limit = Some(number(name, value)?),
        "offset" => members.offset = Some(number(name, value)?),
        "fields" => members.fields = Some(texts(name, value)?),
        "expand" => members.expand = Some(texts(name, value)?),
        "count" => members.count = Some(text(name, value)?),
        "after" => members.after = Some(text(name, value)?),
        _ => {}
    }
    Ok(())
}

/// A place in the body as line and column, where it is not JSON.
fn not_json(json: &str, error: Error) -> Error {
    let Some(Place::Offset(at)) = error.place else { return error };
    if error.code != Code::SearchBody {
        return error;
    }
    let before = &json[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
    not_understood("The body is not a JSON object.").at(Place::Line { line, column })
}

/// Whether a search has a member of this name; otherwise it is a mistake.
fn known(name: &str, mistakes: &mut Mistakes) -> bool {
    let known = declared_parameters::names(declared_parameters::PAGE);
    if known.contains(&name) {
        return true;
    }
    let hint = name::nearest(name, known.iter().copied()).map_or_else(
        || format!("It takes {}.", known.join(", ")),
        |nearest| format!("Did you mean `{nearest}`?"),
    );
    let hint = format!("{hint} The filter goes into `q`, such as {{\"q\":{{\"name\":\"A\"}}}}.");
    let message = format!("A search has no member {:?}.", shown(name));
    mistakes.add(not_understood(&message).at(Place::Pointer(pointer("", name))).hint(hint));
    false
}

/// A name as messages have it: no longer than is of use.
fn shown(name: &str) -> String {
    name.chars().take(64).collect()
}

fn number(name: &str, value: &str) -> Result<u64> {
    whole_number(value).map_err(|must| wrong(name, &must))
}

fn text(name: &str, value: &str) -> Result<String> {
    serde_json::from_str(value).map_err(|_| wrong(name, "must be a string"))
}

/// Names joined by commas, or an array of them.
fn texts(name: &str, value: &str) -> Result<String> {
    if !value.starts_with('[') {
        return text(name, value)
            .map_err(|_| wrong(name, "must be a string or an array of strings"));
    }
    let list: Vec<String> = serde_json::from_str(value)
        .map_err(|_| wrong(name, "must be a string or an array of strings"))?;
    Ok(list.join(","))
}

fn not_understood(message: &str) -> Error {
    Error::new(Code::SearchBody, message)
        .hint("It is a JSON object such as {\"q\":{\"name\":{\"$like\":\"A%\"}},\"limit\":10}.")
}

fn wrong(name: &str, problem: &str) -> Error {
    Error::new(Code::SearchBody, format!("The member `{}` {problem}.", shown(name)))
        .at(Place::Pointer(pointer("", name)))
}

/// What is a parameter in a query string is a member in a body.
fn in_body(mut error: Error) -> Error {
    if let Some(Place::Parameter(name)) = error.place {
        error.place = Some(Place::Pointer(format!("/{name}")));
    }
    error.map_others(in_body)
}

/// The same of a refusal.
fn in_body_too(mut refused: Refusal) -> Refusal {
    *refused.error = in_body(*refused.error);
    refused
}

/// What the links of a searched page are made from.
#[derive(Clone, Copy, Debug)]
struct SearchLinks<'a> {
    /// The collection's address, with a slash at its end.
    collection: &'a str,
    /// The catalog entry's address.
    described_by: &'a str,
    /// Whether the method is QUERY.
    by_query: bool,
    /// Whether the page was requested by `after`.
    by_key: bool,
}

impl SearchLinks<'_> {
    /// The array of links as JSON. A link of a POST search has the `method`, and in `body` the
    /// members that are put into the body that was sent, over those that it has (RFC 7396).
    fn json(&self, page: &PageFrame, has_more: bool, marker: &str) -> String {
        let mut out = String::with_capacity(512);
        out.push('[');
        self.link(&mut out, "self", None);
        let described_by = self.described_by;
        let _ = write!(out, ",{{\"rel\":\"describedby\",\"href\":\"{described_by}\"}}");
        let start = |offset: u64, marker: &str| match self.by_key {
            true => format!("{{\"after\":\"{marker}\"}}"),
            false => format!("{{\"offset\":{offset}}}"),
        };
        self.link(&mut out, "first", Some(&start(0, "")));
        if has_more {
            let next = page.offset.saturating_add(page.limit);
            self.link(&mut out, "next", Some(&start(next, marker)));
        }
        if page.offset > 0 && !self.by_key {
            let before = page.offset.saturating_sub(page.limit);
            self.link(&mut out, "prev", Some(&start(before, "")));
        }
        out.push(']');
        out
    }

    fn link(&self, out: &mut String, rel: &str, body: Option<&str>) {
        if !out.ends_with('[') {
            out.push(',');
        }
        let (path, method) = if self.by_query { ("", QUERY) } else { (SEARCH, "POST") };
        let collection = self.collection;
        let _ = write!(
            out,
            "{{\"rel\":\"{rel}\",\"href\":\"{collection}{path}\",\"method\":\"{method}\""
        );
        if let Some(body) = body {
            let _ = write!(out, ",\"body\":{body}");
        }
        out.push('}');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_give_search_parameters() {
        let body = br#" {"q": {"a":1, "$orderby":{"a":1}}, "limit":5,"offset":null,
            "fields":["a","b.c"],"count":"exact","after":""} "#;
        let expected = PageMembers {
            q: Some(r#"{"a":1, "$orderby":{"a":1}}"#.into()),
            query: None,
            limit: Some(5),
            offset: None,
            fields: Some("a,b.c".into()),
            expand: None,
            count: Some("exact".into()),
            after: Some(String::new()),
        };
        assert_eq!(members(body, 1_000).unwrap(), expected);
        assert_eq!(members(b"{}", 9).unwrap(), PageMembers::default());
        assert_eq!(members(br#"{"fields":"a,b"}"#, 9).unwrap().fields.as_deref(), Some("a,b"));
    }

    #[test]
    fn all_mistakes_of_a_body_are_said() {
        let body = br#"{"limt":1,"limit":"x","fooo":2,"fooo":3,"fields":7}"#;
        let refused = members(body, 100).unwrap_err();
        let places: Vec<_> = refused.mistakes().map(|one| format!("{:?}", one.place)).collect();
        let at = |name: &str| format!("{:?}", Some(Place::Pointer(format!("/{name}"))));
        assert_eq!(places, ["limt", "limit", "fooo", "fooo", "fields"].map(at));
    }

    #[test]
    fn invalid_search_bodies_are_refused() {
        for (body, pointer) in [
            (&b""[..], None),
            (b"[]", None),
            (b"7", None),
            (b"{", None),
            (b"{}{}", None),
            (b"{\"q\":}", None),
            (b"\xff", None),
            (b"{\"q\":\"\xff\"}", None),
            (br#"{"limt":5}"#, Some("/limt")),
            (br#"{"limt":null}"#, Some("/limt")),
            (br#"{"limit":5,"limit":5}"#, Some("/limit")),
            (br#"{"limit":-1}"#, Some("/limit")),
            (br#"{"limit":1.5}"#, Some("/limit")),
            (br#"{"limit":"5"}"#, Some("/limit")),
            (br#"{"offset":18446744073709551615}"#, Some("/offset")),
            (br#"{"fields":[1]}"#, Some("/fields")),
            (br#"{"fields":{}}"#, Some("/fields")),
            (br#"{"count":true}"#, Some("/count")),
            (br#"{"after":7}"#, Some("/after")),
        ] {
            let error = members(body, 1_000).unwrap_err();
            assert_eq!(error.code, Code::SearchBody, "{body:?}");
            let place = match error.place {
                Some(Place::Pointer(pointer)) => Some(pointer),
                _ => None,
            };
            assert_eq!(place.as_deref(), pointer, "{body:?}");
        }
        let deep = format!("{{\"q\":{}}}", "[".repeat(100_000));
        assert_eq!(members(deep.as_bytes(), 1_000).unwrap_err().code, Code::SearchBody);
    }
}
