//! Requests to a service that serves order entry, with the checks of their responses.

use std::time::Duration;

use duet_bench::targets::http::Response;
use duet_bench::workload::{Failed, TransactionContext};

use super::checks::UserChecks;
use super::facts::RestService;
use crate::http_client::HttpClient;

/// A connection to a service, and the checks of its user.
pub(super) struct ServiceClient {
    client: HttpClient,
    pub(super) checks: UserChecks,
}

impl ServiceClient {
    pub(super) async fn open(
        service: &RestService,
        timeout: Duration,
        checks: UserChecks,
    ) -> Result<Self, Failed> {
        let authorization = service.authorization.as_deref();
        let client = HttpClient::open(&service.url, authorization, "", timeout).await?;
        Ok(Self { client, checks })
    }

    /// Requests a path below the mount.
    pub(super) async fn get(
        &mut self,
        context: &mut TransactionContext,
        path: &str,
    ) -> Result<Response<'_>, Failed> {
        self.client.ask(&mut context.work, ["GET", path]).await
    }

    /// Sends content to a path below the mount; `more` are header fields.
    pub(super) async fn send(
        &mut self,
        context: &mut TransactionContext,
        line: [&str; 2],
        more: &str,
        content: &serde_json::Value,
    ) -> Result<Response<'_>, Failed> {
        self.client.send(&mut context.work, line, more, content).await
    }
}
