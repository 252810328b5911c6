//! Requests for a view that is designed and not served. The server makes them itself: they have the view with them, take the
//! path of every other request, and their caller needs the rights to what the view is made of.

use std::sync::Arc;

use duet_service::Resource;
use hyper::Request;

use super::body::BufferedBody;

/// The view that a request is for, whatever its path names. No client can send one.
#[derive(Clone, Debug)]
pub(crate) struct DesignedResource(pub(crate) Arc<Resource>);

impl DesignedResource {
    /// That of a request, if it has one.
    pub(crate) fn of(request: &Request<BufferedBody>) -> Option<&Self> {
        request.extensions().get()
    }
}
