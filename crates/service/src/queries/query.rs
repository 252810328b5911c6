//! The parameters of a request: known ones only, each at most once. Query strings are read here, so
//! that serving and explaining a request cannot differ.

use std::sync::Arc;

use duet_auth::ReadRight;
use duet_filter::FilterText;
use duet_model::{Result, Value};
use duet_store::ReadServer;

use super::expand::Expansion;
use super::facets::{self, Facet};
use super::page::{Count, PageQuery};
use crate::parameters::bad;
use crate::parameters::declared::{
    self, AFTER, COUNT, EXPAND, FIELDS, LIMIT, NODE, OFFSET, Q, QUERY, TOTAL_RECORDS,
};
use crate::resources::resource::Resource;
use crate::services::{PathValues, ServiceFile, given_by_query};

pub use crate::parameters::{Mistakes, PageExplain, Parameters, UnknownParameters, whole_number};

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
    /// What is explained instead of the page.
    pub explain: Option<PageExplain>,
    /// The values of the parameters of a service.
    pub arguments: Arc<[Value]>,
    /// The facets of a list.
    facets: Vec<Facet>,
    /// The server that the page before was read from.
    pub node: Option<ReadServer>,
}

/// The server that the page before was read from.
fn node(parameters: &Parameters) -> Result<Option<ReadServer>> {
    let Some(text) = parameters.text(NODE.name)? else { return Ok(None) };
    let node = ReadServer::parse(&text).ok_or_else(|| bad(NODE.name, NODE.error.to_owned()))?;
    Ok(Some(node))
}

/// A text that is not blank.
fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

impl PageParameters {
    /// Reads the query string of a request for a page.
    ///
    /// # Errors
    /// [`BadParameter`](duet_model::Code::BadParameter) for a parameter that is unknown, given twice or malformed.
    pub fn parse(query: Option<&str>) -> Result<Self> {
        Self::read(query, UnknownParameters::Refused)
    }

    fn read(query: Option<&str>, others: UnknownParameters) -> Result<Self> {
        let mut mistakes = Mistakes::default();
        let parameters = Parameters::noting(query, &declared::OF_PAGES, others, &mut mistakes);
        let explain = mistakes.value(parameters.explain_of_page());
        let node = mistakes.value(node(&parameters));
        let members = PageMembers {
            q: filled(mistakes.value(parameters.text(Q.name))),
            query: filled(mistakes.value(parameters.text(QUERY.name))),
            limit: mistakes.value(parameters.number(LIMIT.name)),
            offset: mistakes.value(parameters.number(OFFSET.name)),
            fields: mistakes.value(parameters.text(FIELDS.name)),
            expand: mistakes.value(parameters.text(EXPAND.name)),
            count: mistakes.value(parameters.text(COUNT.name)),
            after: parameters.raw(AFTER.name).map(str::to_owned),
        };
        let page = Self::noting(members, &mut mistakes);
        mistakes.or(Self { explain, node, ..page })
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
        let unknown = UnknownParameters::of(resource.shape.style.profile);
        if resource.collection.is_some() {
            let profile = resource.shape.style.profile;
            if !profile.has_facets() {
                return Self::of_collection(query, unknown);
            }
            let (query, facets) = facets::split(query.unwrap_or_default())?;
            let read = Self::of_collection(Some(&query), unknown)?;
            let count = match read.count {
                Count::Auto | Count::Estimated if profile.counts_before_estimating() => {
                    if read.limit == Some(0) { Count::Exact } else { Count::Auto }
                }
                count => count,
            };
            return Ok(Self { facets, count, ..read });
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

    /// Whether the page comes after another one.
    pub fn is_continued(&self) -> bool {
        self.offset > 0 || self.after.as_deref().is_some_and(|after| !after.is_empty())
    }

    /// Whether `limit` is given.
    pub(crate) fn has_limit(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether `offset` skips anything.
    pub(crate) fn has_offset(&self) -> bool {
        self.offset > 0
    }

    /// Whether `after` is given.
    pub(crate) fn has_after(&self) -> bool {
        self.after.is_some()
    }

    /// Whether a total is asked for.
    pub(crate) fn has_count(&self) -> bool {
        !matches!(self.count, Count::None | Count::Auto)
    }

    /// Whether facets are asked for.
    pub(crate) fn has_facets(&self) -> bool {
        !self.facets.is_empty()
    }

    /// Whether an explanation is asked for.
    pub(crate) fn has_explain(&self) -> bool {
        self.explain.is_some()
    }

    /// Reads the query string of a request for a list of a collection. `lang` is taken and has no meaning.
    ///
    /// # Errors
    /// As [`PageParameters::parse`].
    fn of_collection(query: Option<&str>, others: UnknownParameters) -> Result<Self> {
        let mut mistakes = Mistakes::default();
        let parameters = Parameters::noting(query, &declared::OF_LISTS, others, &mut mistakes);
        let count = match mistakes.value(parameters.text(TOTAL_RECORDS.name)).as_deref() {
            None | Some("auto") => Count::Auto,
            Some("exact") => Count::Exact,
            Some("estimated") => Count::Estimated,
            Some("none") => Count::None,
            Some(_) => {
                mistakes.add(bad(TOTAL_RECORDS.name, TOTAL_RECORDS.error.to_owned()));
                Count::None
            }
        };
        let members = PageMembers {
            q: filled(mistakes.value(parameters.text(Q.name))),
            query: filled(mistakes.value(parameters.text(QUERY.name))),
            limit: mistakes.value(parameters.number(LIMIT.name)),
            offset: mistakes.value(parameters.number(OFFSET.name)),
            after: parameters.raw(AFTER.name).map(str::to_owned),
            ..PageMembers::default()
        };
        let explain = mistakes.value(parameters.explain_of_page());
        let node = mistakes.value(node(&parameters));
        let page = Self::noting(members, &mut mistakes);
        mistakes.or(Self { count, explain, node, ..page })
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
    /// [`BadParameter`](duet_model::Code::BadParameter) for values that are not possible, or not together.
    pub fn of(members: PageMembers) -> Result<Self> {
        let mut mistakes = Mistakes::default();
        let page = Self::noting(members, &mut mistakes);
        mistakes.or(page)
    }

    fn noting(members: PageMembers, mistakes: &mut Mistakes) -> Self {
        let PageMembers { q, query: cql, limit, offset, fields, expand, count, after } = members;
        let count = match count.as_deref() {
            None | Some("none") => Count::None,
            Some("exact") => Count::Exact,
            Some("estimated") => Count::Estimated,
            Some(_) => {
                mistakes.add(bad(COUNT.name, COUNT.error.to_owned()));
                Count::None
            }
        };
        if q.is_some() && cql.is_some() {
            let message = "`q` and `query` are two ways to say which items: give one.";
            mistakes.add(bad(QUERY.name, message.to_owned()));
        }
        if after.is_some() && offset.is_some() {
            let message = "`after` and `offset` are two ways to say where a page begins: give one.";
            mistakes.add(bad(AFTER.name, message.to_owned()));
        }
        Self {
            q,
            cql,
            fields,
            expand,
            after,
            limit,
            offset: offset.unwrap_or(0),
            count,
            explain: None,
            arguments: Arc::default(),
            facets: Vec::new(),
            node: None,
        }
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
            facets: &self.facets,
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
        assert!(PageParameters::parse(Some("explain=1")).unwrap().explain.is_some());
        let ignored =
            PageParameters::read(Some("limt=5&limit=3"), UnknownParameters::Ignored).unwrap();
        assert_eq!(ignored.limit, Some(3));
        assert!(PageParameters::read(Some("limit=1&limit=2"), UnknownParameters::Ignored).is_err());
        let all = PageParameters::parse(Some(
            "foo=1&limit=x&bar=2&limit=3&q=%zz&count=all&after=&offset=1&offset=2&offset=3",
        ));
        let all = all.unwrap_err();
        let places: Vec<_> = all
            .mistakes()
            .filter_map(|one| match &one.place {
                Some(duet_model::Place::Parameter(name)) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(places, ["foo", "bar", "limit", "offset", "q", "limit", "count", "after"]);
        let hint = Parameters::parse(Some("explain=1"), &[EXPAND.name]).unwrap_err().hint.unwrap();
        assert!(hint.contains("duet explain") && !hint.contains("expand"), "{hint}");
    }
}
