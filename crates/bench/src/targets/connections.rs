//! Checks before users connect whether a database has room for their connections.

use duet_client::{ConnectOptions, Connection};
use duet_model::Value;

use super::sql::PROBE;
use crate::record::Failed;
use duet_verdict::outcome::Outcome;

/// The limit, the connections reserved for other users, the open connections, and the process that
/// responds. Of the sessions of other users only their number is visible.
const ASKED: &str = "SELECT current_setting('max_connections')::bigint,
  CASE WHEN r.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::bigint
    + CASE WHEN current_setting('reserved_connections', true) IS NULL
        OR pg_catalog.pg_has_role(r.oid, (SELECT o.oid FROM pg_catalog.pg_roles AS o
          WHERE o.rolname = 'pg_use_reserved_connections'), 'USAGE') THEN 0
      ELSE current_setting('reserved_connections')::bigint END END,
  (SELECT coalesce(sum(d.numbackends), 0)::bigint FROM pg_catalog.pg_stat_database AS d
    WHERE d.datname IS NOT NULL),
  pg_catalog.pg_backend_pid()::bigint
  FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user";

/// Checks that a database accepts this many further connections. SQLite accepts any number; behind
/// a pooler that shares connections the database's limit says nothing.
///
/// # Errors
/// The numbers required and available, and the settings; or why the database cannot be queried.
pub async fn have_room(target: &ConnectOptions, users: u32) -> Result<(), Failed> {
    if !matches!(target, ConnectOptions::Postgres(_)) {
        return Ok(());
    }
    let mut first = Connection::open(target, PROBE).await?;
    let Some(room) = ConnectionLimits::ask(&mut first).await? else { return Ok(()) };
    let Some(message) = room.refusal(users) else { return Ok(()) };
    // Two open connections: if one process of the server answers both, a pooler shares it.
    let mut second = Connection::open(target, PROBE).await?;
    let other = ConnectionLimits::ask(&mut second).await?;
    match other.is_some_and(|other| other.process != room.process) {
        true => Err(Failed::new(Outcome::Connection, message)),
        false => Ok(()),
    }
}

/// The server's figures of its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ConnectionLimits {
    most: i64,
    /// Reserved for superusers and members of `pg_use_reserved_connections`; 0 for such a user.
    reserved: i64,
    /// Open, including this one.
    used: i64,
    process: i64,
}

impl ConnectionLimits {
    /// `None` if the server does not have these settings.
    async fn ask(connection: &mut Connection) -> Result<Option<Self>, Failed> {
        let rows = connection.ask(ASKED, &[]).await?;
        let number = |place: usize| match rows.first(place) {
            Some(Value::Int(number)) => Some(*number),
            _ => None,
        };
        let numbers = [0, 1, 2, 3].map(number);
        let [Some(most), Some(reserved), Some(used), Some(process)] = numbers else {
            return Ok(None);
        };
        Ok(Some(Self { most, reserved, used, process }))
    }

    /// The error if there is no room for the users.
    fn refusal(self, users: u32) -> Option<String> {
        let Self { most, reserved, used, .. } = self;
        let used = (used - 1).max(0);
        let available = (most - reserved - used).max(0);
        (i64::from(users) > available).then(|| {
            format!(
                "{users} users need as many connections, and the server has {available}: max_connections is {most}, of which {reserved} are reserved (superuser_reserved_connections, reserved_connections) and {used} in use. Raise max_connections, or use fewer users"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use duet_client::connect::Settings;
    use duet_testkit::postgres::{Options, Server};

    use super::*;

    #[test]
    fn reserved_and_open_connections_are_subtracted() {
        let room = ConnectionLimits { most: 100, reserved: 3, used: 8, process: 1 };
        assert_eq!(room.refusal(90), None);
        let message = room.refusal(91).unwrap();
        let expected = "91 users need as many connections, and the server has 90: max_connections is 100, of which 3 are reserved";
        assert!(message.starts_with(expected) && message.contains("and 7 in use"), "{message}");
    }

    #[tokio::test]
    async fn a_server_with_few_connections() {
        let server = Server::start_with(Options::new());
        let database = server.existing("postgres");
        database.exec("CREATE ROLE plain LOGIN");
        let most: u32 = database.query("SHOW max_connections").parse().unwrap();
        let target = |url: &str| {
            let settings = Settings::from_url(url, &|_| None).unwrap();
            ConnectOptions::Postgres(settings.connector().unwrap())
        };
        let superuser = target(&server.url("postgres"));
        assert_eq!(have_room(&superuser, most / 2).await, Ok(()));
        let message = have_room(&superuser, most + 1).await.unwrap_err().message;
        assert!(message.contains(&format!("max_connections is {most}, of which 0")), "{message}");
        let plain = format!("{}&user=plain", server.url("postgres"));
        let message = have_room(&target(&plain), most + 1).await.unwrap_err().message;
        assert!(message.contains("of which 3 are reserved"), "{message}");
        let file = ConnectOptions::Sqlite {
            path: "nowhere.db".into(),
            synchronous: duet_client::Synchronous::Off,
        };
        assert_eq!(have_room(&file, u32::MAX).await, Ok(()));
    }
}
