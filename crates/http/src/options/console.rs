//! Where the console is, and the link that a server prints at its start: it signs in once, as the client that was made for the run.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use duet_auth::Secret;

use crate::load_tests::LoadTests;

/// Where the console is, and for whom.
#[derive(Clone, Debug)]
pub struct ConsoleOptions {
    /// Its path, without a slash at the end.
    pub base: Arc<str>,
    /// Whether only requests for this machine's own names are taken: a page of another site whose name leads here
    /// (DNS rebinding) has its own name in `Host`.
    pub only_local: bool,
    /// Whether its pages change nothing: whatever they ask the API for, no transaction that may write is begun, and all
    /// other sessions of the database are read-only.
    pub read_only: bool,
    /// Whether administrators store files of applications, and try the SQL of services before they are served.
    pub files: bool,
    /// How people sign in at the issuer of tokens; without it only clients do.
    pub login: Option<Arc<IssuerLogin>>,
    /// A link that signs in once.
    pub link: Option<Arc<SignInLink>>,
    /// What runs load tests; without it there are none.
    pub load_tests: Option<Arc<dyn LoadTests>>,
}

/// The sign-in at the issuer of tokens that the server accepts (OpenID Connect, the authorization code flow with PKCE).
#[derive(Debug)]
pub struct IssuerLogin {
    /// The console's id at the issuer.
    pub client: String,
    /// Its secret, where the issuer wants one.
    pub secret: Option<Secret>,
    /// Where people sign in: the issuer's authorization endpoint.
    pub authorize_url: String,
    /// Where codes become tokens: its token endpoint.
    pub token_url: String,
    /// What is asked for, separated by spaces.
    pub scope: String,
}

/// How long it is good.
const GOOD: Duration = Duration::from_secs(600);

/// A code, and the client that it signs in, until it is used.
pub struct SignInLink(Mutex<Option<Unused>>);

struct Unused {
    code: blake3::Hash,
    client_id: String,
    secret: Secret,
    until: Instant,
}

impl std::fmt::Debug for SignInLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignInLink(…)")
    }
}

impl SignInLink {
    /// A link of which `code` is the secret part; only its hash is kept.
    pub fn new(code: &Secret, client_id: &str, secret: &Secret) -> Self {
        let unused = Unused {
            code: blake3::hash(code.expose().as_bytes()),
            client_id: client_id.to_owned(),
            secret: secret.clone(),
            until: Instant::now() + GOOD,
        };
        Self(Mutex::new(Some(unused)))
    }

    /// The id and the secret of its client, where this is the code, for the first time and in time. A wrong code uses
    /// nothing up: it has too many bits to be guessed.
    pub(crate) fn take(&self, code: &str) -> Option<(String, Secret)> {
        let mut unused = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // blake3 compares hashes in constant time.
        let is_it =
            |it: &mut Unused| it.code == blake3::hash(code.as_bytes()) && Instant::now() < it.until;
        unused.take_if(is_it).map(|it| (it.client_id, it.secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_once() {
        let (code, secret) = (Secret::random().unwrap(), Secret::random().unwrap());
        let link = SignInLink::new(&code, "id", &secret);
        assert!(link.take("other").is_none());
        let (id, taken) = link.take(code.expose()).unwrap();
        assert_eq!((&*id, taken.expose()), ("id", secret.expose()));
        assert!(link.take(code.expose()).is_none());
        assert_eq!(format!("{link:?}"), "SignInLink(…)");
    }
}
