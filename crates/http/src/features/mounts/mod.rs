//! Features of mounts, beside resources.

pub(super) mod catalog;
pub(super) mod constant;
pub(super) mod index;
pub(super) mod list_write;
pub(super) mod routine;
pub(super) mod service;
pub(super) mod service_batch;
pub(super) mod table;
pub(super) mod transaction;
pub(super) mod unknown;

use hyper::{Method, StatusCode};

use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::message::methods::Methods;
use crate::request::scope::Scope;

/// Refuses other methods at a read-only path; otherwise the reply to `OPTIONS`, if that is requested.
fn only_read(scope: &Scope<'_>) -> Result<Option<Reply>, Refusal> {
    match *scope.request.method() {
        Method::GET | Method::HEAD => Ok(None),
        Method::OPTIONS => Ok(Some(Reply::empty(StatusCode::NO_CONTENT).allow(Methods::READ))),
        _ => Err(Refusal::method(Methods::READ)),
    }
}
