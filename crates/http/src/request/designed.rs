//! Requests for a view that is designed and not served. The server makes them itself: they have the view with them, take the
//! path of every other request, and their caller needs the rights to what the view is made of.

use std::sync::Arc;

use duet_service::{Resource, Snapshot};
use hyper::Request;

use super::body::BufferedBody;

/// The view that a request is for, whatever its path names. No client can send one.
#[derive(Clone, Debug)]
pub(crate) struct DesignedResource(pub(crate) Arc<Resource>);

/// What would be served with a file that is designed: the request is for that, whatever is in force. No client can send one.
#[derive(Clone, Debug)]
pub(crate) struct DesignedSnapshot(pub(crate) Arc<Snapshot>);

impl DesignedSnapshot {
    /// That of a request, if it has one.
    pub(crate) fn of(request: &Request<BufferedBody>) -> Option<&Self> {
        request.extensions().get()
    }
}

/// The server makes the request to itself, by its own paths, whatever the application's profile is. No client can send
/// one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InnerRequest;

impl InnerRequest {
    /// Whether a request is one.
    pub(crate) fn is(request: &Request<BufferedBody>) -> bool {
        request.extensions().get::<Self>().is_some()
    }
}

/// The request changes nothing, whatever its method is: that of a service may be GET. No client can send one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadOnlyRequest;

impl ReadOnlyRequest {
    /// Whether a request is one.
    pub(crate) fn is(request: &Request<BufferedBody>) -> bool {
        request.extensions().get::<Self>().is_some()
    }
}

impl DesignedResource {
    /// That of a request, if it has one.
    pub(crate) fn of(request: &Request<BufferedBody>) -> Option<&Self> {
        request.extensions().get()
    }
}
