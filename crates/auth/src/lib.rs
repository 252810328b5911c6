//! Access control: clients and their secrets, sealed access tokens, the token endpoint and
//! privileges, all as decisions over values.
//!
//! Nothing here is async, opens a socket, reads a clock or names a database driver. Time is a
//! parameter, in seconds since the Unix epoch. The one module that touches a disk is
//! [`state_file`]; randomness comes from the operating system.
//!
//! The path of a request: [`bearer::token`] reads the header, [`ClientTable::verify`] opens the
//! token without IO or allocation, or [`jwt::Verifier`] verifies an external JWT;
//! [`ResourceAccess::allows`] decides.
//!
//! ```
//! use duet_auth::{ClientTable, Decision, Open, Operation, Policy, Privilege, State};
//!
//! // A client with a role, and the privilege that the role has.
//! let now = 1_700_000_000;
//! let mut state = State::new(now)?;
//! let (client, secret) = state.add("reports", &["driver"], now)?;
//! let privilege = Privilege {
//!     name: "teams".to_owned(),
//!     roles: vec!["driver".to_owned()],
//!     patterns: vec!["/team/*".to_owned()],
//!     operations: vec![Operation::Read],
//! };
//! let access = Policy::compile([("/hr", &[privilege][..])])?.resource_access("/hr", "team");
//!
//! // Id and secret give a token, which names its client until it expires.
//! let table = ClientTable::new(&state, Open::No);
//! let principal = table.authenticate(client.id.as_str(), secret.expose()).expect("the right secret");
//! let token = table.issue(principal, now, 3_600)?;
//! let caller = table.verify(&token.text, now + 60).expect("a fresh token");
//! assert_eq!(access.allows(caller, Operation::Read, ""), Decision::Allow);
//! assert_eq!(access.allows(caller, Operation::Delete, ""), Decision::Forbidden);
//! assert!(table.verify(&token.text, now + 3_601).is_err());
//! # Ok::<_, duet_model::Error>(())
//! ```

mod api_key;
pub mod bearer;
mod client_table;
mod encoding;
mod identity;
pub mod jwt;
mod link;
pub mod oauth;
mod pointer;
mod policy;
mod principal;
mod privilege;
mod rate;
pub mod role;
mod sealed_text;
mod secret;
mod session;
mod stamp;
mod state;
pub mod state_file;
mod token;
mod webhook_key;

pub use api_key::{ApiKey, KeyUse, USE_GRAIN, visible_part};
pub use client_table::ClientTable;
pub use identity::{DbRole, Identity, RoleClaim};
pub use link::{ADDRESS as LINK_ADDRESS, AccessLink, LinkScope};
pub use policy::{
    Decision, ItemPattern, Policy, ReadRight, ResourceAccess, UnmatchedPattern, admin,
};
pub use principal::{Claims, Open, Principal, TokenTenant};
pub use privilege::{Operation, Privilege};
pub use rate::{Peer, RateLimiter, RateSettings, ShownId};
pub use role::{ADMIN as ADMIN_ROLE, RoleSet};
pub use secret::{KeyBytes, Secret, SecretHash};
pub use session::{BrowserSession, EndedSession, SESSION_IDLE, SessionId};
pub use stamp::{STAMP_KEY, is_stamp, stamp};
pub use state::{ClientCredentials, ClientId, RegisteredClient, SigningKey, State};
pub use state_file::{Fingerprint, StateFile};
pub use token::{DEFAULT_LIFETIME, IssuedToken, MAX_LIFETIME, TokenError};
pub use webhook_key::{WebhookKey, webhook_signatures};
