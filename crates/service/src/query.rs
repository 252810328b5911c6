//! The parameters of a request: known ones only, each at most once. Query strings are read here, so
//! that serving and explaining a request cannot differ.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use duet_auth::ReadRight;
use duet_filter::FilterText;
use duet_model::key::percent_decode;
use duet_model::{Code, DocumentStyle, Error, Place, Result, Value, name};

use crate::expand::Expansion;
use crate::page::{Count, PageQuery};
use crate::resource::Resource;
use crate::services::{PathValues, ServiceFile, given_by_query};

/// The longest wait that a request may ask for, in seconds.
const LONGEST_WAIT: u64 = 60;

/// What is done with parameters that a request does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// They are mistakes.
    Refused,
    /// They are passed over, as in ORDS.
    Ignored,
}

impl Unknown {
    /// In documents of this style.
    pub fn of(style: DocumentStyle) -> Self {
        if style.is_ords() { Self::Ignored } else { Self::Refused }
    }
}

/// A query string as pairs, names decoded, values as they came.
#[derive(Debug, Default)]
pub struct Parameters<'a> {
    pairs: Vec<(String, &'a str)>,
}

impl<'a> Parameters<'a> {
    /// Reads a query string.
    ///
    /// # Errors
    /// For a name that is not among `known`, or comes twice.
    pub fn parse(query: Option<&'a str>, known: &[&str]) -> Result<Self> {
        Self::read(query, known, Unknown::Refused)
    }

    /// Reads a query string that may have other parameters than `known`.
    ///
    /// # Errors
    /// For a name that comes twice, and for unknown ones that are refused.
    pub fn read(query: Option<&'a str>, known: &[&str], others: Unknown) -> Result<Self> {
        let mut pairs: Vec<(String, &'a str)> = Vec::new();
        for pair in query.unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = percent_decode(name)?;
            match (known.contains(&name.as_str()), others) {
                (true, _) => {}
                (false, Unknown::Ignored) => continue,
                (false, Unknown::Refused) => return Err(unknown(&name, known)),
            }
            if pairs.iter().any(|(other, _)| *other == name) {
                return Err(bad(&name, format!("The parameter `{name}` is given twice.")));
            }
            pairs.push((name, value));
        }
        Ok(Self { pairs })
    }

    /// Those among `known`, whatever else a query string has; the first of several of a name.
    pub fn of_known(query: Option<&'a str>, known: &[&str]) -> Self {
        let mut pairs: Vec<(String, &'a str)> = Vec::new();
        for pair in query.unwrap_or("").split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let Ok(name) = percent_decode(name) else { continue };
            let is_new = pairs.iter().all(|(other, _)| *other != name);
            if known.contains(&name.as_str()) && is_new {
                pairs.push((name, value));
            }
        }
        Self { pairs }
    }

    /// The others.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let others = self.pairs.iter().filter(|(known, _)| known != name);
        Self { pairs: others.cloned().collect() }
    }

    /// The value as it came, still encoded.
    pub fn raw(&self, name: &str) -> Option<&'a str> {
        self.pairs.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }

    /// The value, decoded; `+` is a space, as forms have it.
    ///
    /// # Errors
    /// Where it is not percent-encoded UTF-8.
    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let Some(raw) = self.raw(name) else { return Ok(None) };
        let spaced: Cow<'_, str> =
            if raw.contains('+') { raw.replace('+', " ").into() } else { raw.into() };
        percent_decode(&spaced).map(Some)
    }

    /// Whether `explain` requests the plan.
    ///
    /// # Errors
    /// For other values than 1 and 0.
    pub fn explain(&self) -> Result<bool> {
        match self.text("explain")?.as_deref() {
            None | Some("0" | "false") => Ok(false),
            Some("" | "1" | "true") => Ok(true),
            Some(_) => Err(bad("explain", "`explain` is 1 or 0, or true or false.".to_owned())),
        }
    }

    /// The value of a parameter that says how long to wait: whole seconds, at most a minute.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for anything else.
    pub fn wait(&self, name: &str) -> Result<Option<Duration>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match text.parse::<u64>() {
            Ok(seconds) if seconds <= LONGEST_WAIT => Ok(Some(Duration::from_secs(seconds))),
            _ => {
                let message =
                    format!("`{name}` is a whole number of seconds, at most {LONGEST_WAIT}.");
                Err(Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned())))
            }
        }
    }

    /// The value as a whole number that is not negative and has 63 bits at most.
    ///
    /// # Errors
    /// Where it is none.
    pub fn number(&self, name: &str) -> Result<Option<u64>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let number = whole_number(&text);
        number.map(Some).map_err(|must| bad(name, format!("The parameter `{name}` {must}.")))
    }
}

/// Reads a number that counts documents: the databases have no larger ones.
///
/// # Errors
/// What it must be, as the end of a sentence.
pub fn whole_number(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    number.ok_or_else(|| format!("must be a whole number from 0 to {}", i64::MAX))
}

/// For users of services where each column is a parameter.
const FILTER: &str = " A filter by a column goes into `q`, such as q={\"name\":\"A\"}.";

/// Only writes are explained over HTTP.
const EXPLAIN: &str = "Writes take it. The command `duet explain` shows the statements of a read.";

fn unknown(name: &str, known: &[&str]) -> Error {
    let shown: String = name.chars().take(64).collect();
    let nearest = name::nearest(name, known.iter().copied()).filter(|_| name != "explain");
    let hint = match nearest {
        None if name == "explain" => EXPLAIN.to_owned(),
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None if known.is_empty() => "This resource takes none.".to_owned(),
        None => {
            let filter = if known.contains(&"q") { FILTER } else { "" };
            format!("It takes {}.{filter}", known.join(", "))
        }
    };
    bad(&shown, format!("There is no parameter {shown:?} here.")).hint(hint)
}

fn bad(name: &str, message: String) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}

/// The parameters of a page, from a query string or a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMembers {
    /// The filter and order, as JSON text.
    pub q: Option<String>,
    /// The filter and order, as CQL.
    pub query: Option<String>,
    /// How many items at most.
    pub limit: Option<u64>,
    /// How many items to skip.
    pub offset: Option<u64>,
    /// Which members, joined by commas.
    pub fields: Option<String>,
    /// Which related rows, joined by commas.
    pub expand: Option<String>,
    /// Whether to count.
    pub count: Option<String>,
    /// The marker after which the page begins.
    pub after: Option<String>,
}

impl PageMembers {
    /// The names under which they are given.
    pub const KNOWN: [&'static str; 8] =
        ["q", "query", "limit", "offset", "fields", "expand", "count", "after"];
}

/// The parameters of a page, decoded; a [`PageQuery`] borrows them.
#[derive(Debug, Default)]
pub struct PageParameters {
    q: Option<String>,
    cql: Option<String>,
    fields: Option<String>,
    /// The related rows, if any are requested.
    pub expand: Option<String>,
    after: Option<String>,
    /// How many items at most, if that was given.
    pub limit: Option<u64>,
    offset: u64,
    count: Count,
    /// Whether the plan is requested instead of the page.
    pub explain: bool,
    /// The values of the parameters of a service.
    pub arguments: Arc<[Value]>,
}

impl PageParameters {
    /// Reads the query string of a request for a page.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for a parameter that is unknown, given twice or malformed.
    pub fn parse(query: Option<&str>) -> Result<Self> {
        Self::read(query, Unknown::Refused)
    }

    fn read(query: Option<&str>, others: Unknown) -> Result<Self> {
        let known: Vec<_> = PageMembers::KNOWN.into_iter().chain(["explain"]).collect();
        let parameters = Parameters::read(query, &known, others)?;
        let explain = parameters.explain()?;
        let page = Self::of(PageMembers {
            q: parameters.text("q")?.filter(|q| !q.trim().is_empty()),
            query: parameters.text("query")?.filter(|query| !query.trim().is_empty()),
            limit: parameters.number("limit")?,
            offset: parameters.number("offset")?,
            fields: parameters.text("fields")?,
            expand: parameters.text("expand")?,
            count: parameters.text("count")?,
            after: parameters.raw("after").map(str::to_owned),
        })?;
        Ok(Self { explain, ..page })
    }

    /// Reads the query string of a request for a page of a resource, which may be a service; then `path` has the
    /// values of the parameters in its path.
    ///
    /// # Errors
    /// As [`PageParameters::parse`], and for values of the service's parameters that do not fit.
    pub fn of_resource(
        resource: &Resource,
        path: &PathValues<'_>,
        query: Option<&str>,
    ) -> Result<Self> {
        let unknown = Unknown::of(resource.shape.style);
        if resource.collection.is_some() {
            return Self::of_collection(query, unknown);
        }
        let Some(file) = &resource.service else { return Self::read(query, unknown) };
        let (own, others) = given_by_query(file, query);
        let own = own.join("&");
        let names: Vec<&str> = file.beside_path().map(|own| own.name.as_str()).collect();
        let arguments = file.arguments_of_texts(path, &Parameters::parse(Some(&own), &names)?)?;
        let of_page =
            Self::read(Some(&others.join("&")), unknown).map_err(|error| match names[..] {
                [] => error,
                _ => error.hint(format!("The service takes {}.", names.join(", "))),
            })?;
        Ok(Self { arguments, ..of_page })
    }

    /// Reads the query string of a request for a list of a collection. `lang` is taken and has no meaning.
    ///
    /// # Errors
    /// As [`PageParameters::parse`].
    fn of_collection(query: Option<&str>, others: Unknown) -> Result<Self> {
        const KNOWN: [&str; 8] =
            ["query", "q", "limit", "offset", "totalRecords", "after", "lang", "explain"];
        let parameters = Parameters::read(query, &KNOWN, others)?;
        let count = match parameters.text("totalRecords")?.as_deref() {
            None | Some("auto") => Count::Auto,
            Some("exact") => Count::Exact,
            Some("estimated") => Count::Estimated,
            Some("none") => Count::None,
            Some(_) => {
                let message = "`totalRecords` is one of auto, exact, estimated, none.";
                return Err(bad("totalRecords", message.to_owned()));
            }
        };
        let members = PageMembers {
            q: parameters.text("q")?.filter(|q| !q.trim().is_empty()),
            query: parameters.text("query")?.filter(|query| !query.trim().is_empty()),
            limit: parameters.number("limit")?,
            offset: parameters.number("offset")?,
            after: parameters.raw("after").map(str::to_owned),
            ..PageMembers::default()
        };
        let explain = parameters.explain()?;
        Ok(Self { count, explain, ..Self::of(members)? })
    }

    /// Reads the query string of a search, whose other parameters are in its body: it has the parameters of a
    /// service, and nothing where the resource is none.
    ///
    /// # Errors
    /// For other parameters, and values of the service's parameters that do not fit.
    pub fn arguments(resource: &Resource, query: Option<&str>) -> Result<Arc<[Value]>> {
        let own = |file: &ServiceFile| file.beside_path().map(|own| own.name.clone()).collect();
        let names: Vec<String> = resource.service.as_deref().map(own).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let given = Parameters::parse(query, &names)
            .map_err(|error| error.hint("Send the parameters of a search in its body."))?;
        match &resource.service {
            Some(file) => file.arguments_of_texts(&Vec::new(), &given),
            None => Ok(Arc::default()),
        }
    }

    /// Takes the parameters of a request.
    ///
    /// # Errors
    /// [`Code::BadParameter`] for values that are not possible, or not together.
    pub fn of(members: PageMembers) -> Result<Self> {
        let PageMembers { q, query: cql, limit, offset, fields, expand, count, after } = members;
        let count = match count.as_deref() {
            None | Some("none") => Count::None,
            Some("exact") => Count::Exact,
            Some("estimated") => Count::Estimated,
            Some(_) => {
                return Err(bad("count", "`count` is one of exact, estimated, none.".to_owned()));
            }
        };
        if q.is_some() && cql.is_some() {
            let message = "`q` and `query` are two ways to say which items: give one.";
            return Err(bad("query", message.to_owned()));
        }
        if after.is_some() && offset.is_some() {
            return Err(bad(
                "after",
                "`after` and `offset` are two ways to say where a page begins: give one."
                    .to_owned(),
            ));
        }
        Ok(Self {
            q,
            cql,
            fields,
            expand,
            after,
            limit,
            offset: offset.unwrap_or(0),
            count,
            explain: false,
            arguments: Arc::default(),
        })
    }

    /// The query of a caller who may read, with the expansion looked up.
    pub fn query<'q>(
        &'q self,
        right: ReadRight<'q>,
        expansion: Option<&'q Expansion>,
    ) -> PageQuery<'q> {
        PageQuery {
            right,
            filter: match (&self.q, &self.cql) {
                (Some(q), _) => Some(FilterText::Json(q)),
                (None, query) => query.as_deref().map(FilterText::Cql),
            },
            limit: self.limit,
            offset: self.offset,
            fields: self.fields.as_deref(),
            expansion,
            count: self.count,
            after: self.after.as_deref(),
            arguments: &self.arguments,
            bare: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_parameters() {
        let parsed = PageParameters::parse(Some("q=%7B%7D&limit=5&offset=10&count=exact")).unwrap();
        assert_eq!(parsed.q.as_deref(), Some("{}"));
        assert_eq!((parsed.limit, parsed.offset, parsed.count), (Some(5), 10, Count::Exact));
        for wrong in [
            "limt=5",
            "limit=-1",
            "limit=x",
            "limit=1&limit=2",
            "count=all",
            "after=1&offset=2",
            "q=%zz",
            "q=%7B%7D&query=a=1",
        ] {
            assert!(PageParameters::parse(Some(wrong)).is_err(), "{wrong}");
        }
        let hint = PageParameters::parse(Some("limt=5")).unwrap_err().hint;
        assert_eq!(hint.as_deref(), Some("Did you mean `limit`?"));
        assert!(PageParameters::parse(Some("explain=1")).unwrap().explain);
        let ignored = PageParameters::read(Some("limt=5&limit=3"), Unknown::Ignored).unwrap();
        assert_eq!(ignored.limit, Some(3));
        assert!(PageParameters::read(Some("limit=1&limit=2"), Unknown::Ignored).is_err());
        let hint = Parameters::parse(Some("explain=1"), &["expand"]).unwrap_err().hint.unwrap();
        assert!(hint.contains("duet explain") && !hint.contains("expand"), "{hint}");
    }
}
