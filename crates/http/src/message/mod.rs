//! What messages of HTTP say: headers, media types, methods, codings and paths, read as values and without a request.

pub(crate) mod accept;
pub(crate) mod agent_paths;
pub(crate) mod coding;
pub(crate) mod cors;
pub(crate) mod forwarded;
pub(crate) mod header;
pub(crate) mod media;
pub(crate) mod methods;
pub(crate) mod origin;
pub(crate) mod prefer;
pub(crate) mod subpath;
pub(crate) mod tenant_header;
