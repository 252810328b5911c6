//! The events of a view with `NOTIFY`: a page, or a subscription that goes on behind it.

use std::sync::Arc;
use std::time::Instant;

use duet_auth::Operation;
use duet_model::{Code, Error, Place};
use duet_service::Resource;
use duet_service::declared_parameters::{EVENTS_AFTER, LIMIT, OF_VIEW_EVENTS};
use duet_service::query::Parameters;
use duet_service::view_events::{EventPositionText, EventStart, ViewEventPage};
use hyper::Method;
use hyper::header::{CACHE_CONTROL, HeaderValue};

use super::live::{CallerRights, LiveSource, subscription};
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::message::subpath::EVENTS;
use crate::request::scope::Scope;

/// The value of `after` that means the newest event.
const END: &str = "end";

/// Which events to read, and how.
pub(crate) struct ViewEventsPlan<'r> {
    scope: &'r Scope<'r>,
    resource: &'r Arc<Resource>,
    start: EventStart,
    limit: u64,
    live: bool,
}

impl<'r> ViewEventsPlan<'r> {
    /// Reads the request. Who may read the view may read its events.
    ///
    /// # Errors
    /// Where the caller may not, the view has no events, and the method or a parameter is wrong.
    pub(crate) fn of(
        scope: &'r Scope<'r>,
        resource: &'r Arc<Resource>,
        live: bool,
    ) -> Result<Self, Refusal> {
        scope.admit(&resource.access, Operation::Read, &resource.name, "")?;
        if resource.shape.notice.is_none() {
            let message = format!("{} has no events: only a view with NOTIFY has.", resource.name);
            return Err(Error::new(Code::NotServed, message).into());
        }
        if !matches!(*scope.request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::method(Methods::LOOK));
        }
        if !live {
            scope.check_accept()?;
        }
        let parameters = Parameters::parse(scope.request.uri().query(), &OF_VIEW_EVENTS)?;
        let start = match parameters.text(EVENTS_AFTER.name)?.as_deref() {
            None | Some("") => EventStart::Oldest,
            Some(END) => EventStart::End,
            Some(id) => started_at(id)?,
        };
        let given = parameters.number(LIMIT.name)?;
        if given.is_some_and(|limit| live || limit == 0) {
            let message = match live {
                true => "A subscription has no `limit`.",
                false => "`limit` is at least 1.",
            };
            let place = Place::Parameter(LIMIT.name.to_owned());
            return Err(Error::new(Code::BadParameter, message).at(place).into());
        }
        let most = scope.service().limits().max_page_size;
        let limit = given.unwrap_or(resource.page_size).min(most);
        Ok(Self { scope, resource, start, limit, live })
    }

    /// Answers with a page, or with the events as they come.
    ///
    /// # Errors
    /// Where events behind the start are not kept any more, and those of the database.
    pub(crate) async fn answer(self) -> Result<Reply, Refusal> {
        let Self { scope, resource, start, limit, live } = self;
        if live {
            let rights = CallerRights::of(scope, resource, "")?;
            return subscription(scope, rights, async |last| {
                // It is about a place that the client has, as the header of every event stream.
                let start = match last {
                    Some(id) => EventStart::After(id.parse::<EventPositionText>()?.0),
                    None => start,
                };
                let feed = scope.reader().follow_events(resource, start).await?;
                Ok((Vec::new(), LiveSource::Events(Box::new(feed))))
            })
            .await;
        }
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let page = scope.reader().view_events(resource, start, most).await?;
        scope.trace().fetched(Instant::now());
        let links = scope.links(scope.mount, resource, false);
        let address = format!("{}{EVENTS}", links.addresses.collection);
        let body = page_json(&page, &address, limit, scope.request.uri().query());
        Ok(Reply::json(body.into_bytes()).with(CACHE_CONTROL, HeaderValue::from_static("no-store")))
    }
}

fn started_at(id: &str) -> Result<EventStart, Error> {
    let place = Place::Parameter(EVENTS_AFTER.name.to_owned());
    let position: EventPositionText = id.parse().map_err(|error: Error| error.at(place))?;
    Ok(EventStart::After(position.0))
}

/// A page with its links. The query is as it came.
fn page_json(page: &ViewEventPage, address: &str, limit: u64, query: Option<&str>) -> String {
    let items: Vec<String> = page.events.iter().map(|event| event.json(true)).collect();
    let own = query.filter(|query| !query.is_empty()).map(|query| format!("?{query}"));
    let own = serde_json::Value::from(format!("{address}{}", own.unwrap_or_default()));
    let has_limit =
        query.is_some_and(|query| query.split('&').any(|pair| pair.starts_with("limit=")));
    let limited = if has_limit { format!("&limit={limit}") } else { String::new() };
    let next = match page.has_more {
        true => format!(",{{\"rel\":\"next\",\"href\":\"{address}?after={}{limited}\"}}", page.end),
        false => String::new(),
    };
    format!(
        "{{\"items\":[{}],\"hasMore\":{},\"limit\":{limit},\"count\":{},\"after\":\"{}\",\"links\":[{{\"rel\":\"self\",\"href\":{own}}}{next}]}}",
        items.join(","),
        page.has_more,
        page.events.len(),
        page.end,
    )
}
