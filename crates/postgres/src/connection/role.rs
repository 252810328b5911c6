//! How a transaction begins: for Duet's own user, or under a role with claims.
//!
//! `BEGIN` and `SET LOCAL ROLE` are one message and the claims a second one; both leave in the flush
//! of the statements that follow, so a role costs no round trip. Role and claims end with the
//! transaction, however that ends. Where the role cannot be taken or the claims not be set, the
//! server has aborted the transaction, and refuses every statement that follows.

use std::borrow::Cow;
use std::sync::Arc;

use duet_auth::{DbRole, Identity};
use duet_client::sqlstate;
use duet_model::{Code, Error, Result};
use futures_util::future::join;
use tokio_postgres::{Client, Statement};

use crate::connection::live::Live;
use crate::connection::stop::Stop;

/// Sets the claims until the end of the transaction.
const CLAIMS: &str = "SELECT pg_catalog.set_config('request.jwt.claims', $1::text, true)";

/// What the claims are outside of such transactions. Once a transaction has set them, the server
/// would leave an empty text behind, which is not JSON.
pub(crate) const NO_CLAIMS: &str = "SET \"request.jwt.claims\" = '{}'";

/// Whether the connected user may take a role. Since PostgreSQL 16 being a member is not enough:
/// the membership must have the SET option. NULL where there is no such role.
const MAY_TAKE: &str = "
SELECT (SELECT pg_catalog.pg_has_role(current_user, r.oid, CASE
            WHEN pg_catalog.current_setting('server_version_num')::int >= 160000 THEN 'SET'
            ELSE 'MEMBER' END)
        FROM pg_catalog.pg_roles r WHERE r.rolname = $1::text),
    current_user::text,
    (SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = $1::text)";

/// The user, and whether it may do everything.
const SUPERUSER: &str = "
SELECT rolname::text FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolsuper";

/// The beginning of a transaction, ready to be sent.
#[derive(Debug)]
pub(crate) struct Beginning {
    sql: Cow<'static, str>,
    claims: Option<(Statement, Arc<Identity>)>,
}

impl Beginning {
    /// Prepares the statements that are not prepared yet; `begin` is the `BEGIN`.
    pub(crate) async fn ready(
        live: &Live,
        begin: &'static str,
        identity: Option<&Arc<Identity>>,
    ) -> Result<Self, Stop> {
        let begin: Cow<'static, str> = match live.local() {
            None => begin.into(),
            Some(local) => format!("{begin}; {local}").into(),
        };
        let Some(identity) = identity else {
            return Ok(Self { sql: begin, claims: None });
        };
        // What it selects is of no interest.
        let prepared = live.prepared(CLAIMS, 1, []).await?;
        Ok(Self::of(&begin, identity, prepared))
    }

    /// The same on a connection that keeps its statements elsewhere.
    pub(crate) async fn prepare(
        client: &Client,
        begin: &'static str,
        identity: Option<&Arc<Identity>>,
    ) -> Result<Self, Stop> {
        Ok(match identity {
            None => Self { sql: begin.into(), claims: None },
            Some(identity) => Self::of(begin, identity, client.prepare(CLAIMS).await?),
        })
    }

    fn of(begin: &str, identity: &Arc<Identity>, prepared: Statement) -> Self {
        let sql = format!("{begin}; {}", taken(identity));
        Self { sql: sql.into(), claims: Some((prepared, Arc::clone(identity))) }
    }

    /// Begins. Everything is sent at the first poll, so futures polled after it run in the
    /// transaction. Its error takes precedence over theirs, whose results are then discarded.
    pub(crate) async fn begin(&self, client: &Client) -> Result<(), Stop> {
        let begin = client.batch_execute(&self.sql);
        let Some((prepared, identity)) = &self.claims else { return Ok(begin.await?) };
        let (begun, set) = join(begin, client.execute_raw(prepared, [identity.claims()])).await;
        begun.map_err(|error| if is_of_role(&error) { Stop::Role(error) } else { error.into() })?;
        set?;
        Ok(())
    }
}

/// The connection's own user again, until the end of the transaction or the next role.
pub(crate) const OWN: &str = "SET LOCAL role TO DEFAULT";

/// The role of an identity, until the end of the transaction.
pub(crate) fn taken(identity: &Identity) -> String {
    format!("SET LOCAL ROLE {}", quoted(identity.role().as_str()))
}

/// Whether `SET LOCAL ROLE` was refused: there is no such role, or the user may not take it.
fn is_of_role(error: &tokio_postgres::Error) -> bool {
    let state = error.as_db_error().map(|db_error| db_error.code().code());
    matches!(state, Some("22023" | "42501" | "42704"))
}

/// A name as an identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name of the user where it is a superuser.
pub(crate) async fn superuser(client: &Client) -> Result<Option<String>> {
    let row = client.query_opt(SUPERUSER, &[]).await;
    let row = row.map_err(|error| sqlstate::error_of(&error))?;
    Ok(row.map(|row| row.get(0)))
}

/// Whether a role exists and may be assumed.
///
/// # Errors
/// [`Code::RoleUnusable`], in words for the operator.
pub(crate) async fn check(client: &Client, role: &DbRole) -> Result<()> {
    let row = client.query_one(MAY_TAKE, &[&role.as_str()]).await;
    let row = row.map_err(|error| sqlstate::error_of(&error))?;
    let user: String = row.get(1);
    let wrong =
        |message: String, hint: String| Err(Error::new(Code::RoleUnusable, message).hint(hint));
    match row.get::<_, Option<bool>>(0) {
        Some(true) => Ok(()),
        Some(false) if row.get::<_, Option<bool>>(2) == Some(true) => wrong(
            format!("The role {:?} is a superuser's, and no client may have it.", role.as_str()),
            "Make a role for the client that has the rights it needs, and no others.".to_owned(),
        ),
        Some(false) => wrong(
            format!(
                "The database does not let its user {user:?} take the role {:?}.",
                role.as_str()
            ),
            format!("Run `GRANT {} TO {};` there.", quoted(role.as_str()), quoted(&user)),
        ),
        None => wrong(
            format!("The database has no role {:?}.", role.as_str()),
            format!(
                "Run `CREATE ROLE {};` there, and grant it to {user:?}.",
                quoted(role.as_str())
            ),
        ),
    }
}
