//! The way into the console: its path, and for the client of a run a link that signs in once.

use std::sync::Arc;

use duet_auth::Secret;
use duet_http::{ServeOptions, SignInLink};
use duet_model::Result;

use super::RunClient;

/// The way into the console.
#[derive(Debug)]
pub(crate) struct ConsoleEntry {
    base: Arc<str>,
    /// The code that signs in once.
    code: Option<Secret>,
}

impl ConsoleEntry {
    /// The way into the console of these options, with a link for the client of the run; `None` without a console.
    ///
    /// # Errors
    /// `Internal` if the operating system has no random source.
    pub(crate) fn of(
        options: &mut ServeOptions,
        client: Option<&RunClient>,
    ) -> Result<Option<Self>> {
        let Some(console) = &mut options.console else { return Ok(None) };
        let code = client.map(|_| Secret::random()).transpose()?;
        if let (Some(code), Some(client)) = (&code, client) {
            let link = SignInLink::new(code, client.client.id.as_str(), &client.secret);
            console.link = Some(Arc::new(link));
        }
        Ok(Some(Self { base: Arc::clone(&console.base), code }))
    }

    /// The path of the console.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// The code of the link.
    pub(super) fn code(&self) -> Option<&Secret> {
        self.code.as_ref()
    }
}
