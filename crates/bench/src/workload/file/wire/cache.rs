//! The responses that a user keeps, as JMeter's cache manager does: what they are asked for again with, and until when
//! they are not asked for again.

use std::collections::BTreeMap;

use super::super::answered::Answer;
use super::super::definition::Cache;
use super::cookies::{moment, now};
use super::redirect::Request;

/// The most responses of a user.
const MOST: usize = 5_000;

/// What is kept, by address.
#[derive(Debug, Default)]
pub(super) struct Kept {
    known: BTreeMap<String, One>,
    /// Whether they are for one iteration.
    each_iteration: bool,
}

#[derive(Debug)]
struct One {
    etag: Option<String>,
    modified: Option<String>,
    /// In seconds since 1970.
    fresh_until: Option<i64>,
}

impl Kept {
    /// Forgets what is kept for one iteration.
    pub(super) fn begin_iteration(&mut self) {
        if self.each_iteration {
            self.known.clear();
        }
    }

    /// The request that asks whether the response has changed.
    pub(super) fn conditional(&self, request: &Request) -> Request {
        let mut request = request.clone();
        if request.method == "GET"
            && let Some(one) = self.known.get(&request.url())
        {
            let fields = [("If-Modified-Since", &one.modified), ("If-None-Match", &one.etag)];
            for (name, value) in fields {
                if let Some(value) = value {
                    request.headers.push((name.into(), value.clone()));
                }
            }
        }
        request
    }

    /// Whether a response is fresh, so that the request is not sent.
    pub(super) fn is_fresh(&self, request: &Request) -> bool {
        let one = self.known.get(&request.url()).filter(|_| request.method == "GET");
        one.and_then(|one| one.fresh_until).is_some_and(|until| until > now())
    }

    /// Keeps what a response says of itself.
    pub(super) fn keep(&mut self, request: &Request, answer: &Answer, cache: Cache) {
        self.each_iteration = cache.each_iteration;
        let is_success = (200..300).contains(&answer.status) || answer.status == 304;
        if request.method != "GET" || !is_success || self.known.len() >= MOST {
            return;
        }
        let field = |name: &'static str| answer.fields(name).next().map(str::to_owned);
        let control = field("cache-control").unwrap_or_default();
        let mut one =
            One { etag: field("etag"), modified: field("last-modified"), fresh_until: None };
        if cache.fresh {
            let age = control.split(',').find_map(|part| part.trim().strip_prefix("max-age="));
            let is_kept_back = control.contains("no-cache") || control.contains("no-store");
            one.fresh_until = match age.and_then(|age| age.parse::<i64>().ok()) {
                _ if is_kept_back => None,
                Some(age) => Some(now() + age),
                None => field("expires").and_then(|text| moment(&text)),
            };
        }
        if one.etag.is_some() || one.modified.is_some() || one.fresh_until.is_some() {
            self.known.insert(request.url(), one);
        }
    }
}
