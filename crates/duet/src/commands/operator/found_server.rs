//! The server that a command talks to: a running one, or one of its own.

use duet_bench::targets::http::Url;
use duet_bench::workload::rest::Access;
use duet_model::Error;

use super::admin::client_of;
use super::own_server::OwnServer;
use crate::args::AnyServer;
use crate::report::Outcome;

/// Where the server is, and as whom it is asked. A server of the command's own ends with it.
pub(super) struct FoundServer {
    pub(super) url: Url,
    pub(super) access: Access,
    _own: Option<OwnServer>,
}

impl FoundServer {
    /// The server that is named; one of its own is started with these flags.
    ///
    /// # Errors
    /// If it does not start, and for flags that do not fit.
    pub(super) fn of(named: &AnyServer, flags: &[&str]) -> Outcome<Self> {
        let state = named.state.as_deref();
        let own = named.source.as_deref().map(|source| OwnServer::start(source, state, flags));
        let own = own.transpose()?;
        let url = match (&own, &named.url) {
            (Some(own), _) => own.url()?,
            (None, Some(url)) => named.caller.trust.of(url)?,
            (None, None) => return Err(Error::internal("neither a source nor a server").into()),
        };
        let made =
            own.as_ref().and_then(OwnServer::client).filter(|_| named.caller.token.is_none());
        let client = client_of(named.caller.client.as_deref())?.or(made);
        let access = Access { token: named.caller.token.clone(), client, token_path: None };
        Ok(Self { url, access, _own: own })
    }
}
