//! Requests that have met a changed schema, and wait for a newer snapshot.

use std::time::Instant;

use duet_auth::Open;
use duet_service::Renewed;
use duet_store::Limits;
use duet_testkit::postgres::Server;

use crate::application::Application;
use crate::served::{Data, Kind};

/// Ends the sessions of the database, and waits until they have gone.
const END_SESSIONS: &str = "DO $$ BEGIN
    LOOP
        PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'renewal';
        EXIT WHEN NOT FOUND;
        PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
    END LOOP;
END $$";

#[test]
fn waiters_do_not_repeat_a_failed_check() {
    let data = Data::empty(Kind::Postgres, "renewal");
    data.exec("CREATE TABLE a (id int PRIMARY KEY)");
    let other = Server::shared().database("renewal_other");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let definition = Application::default().definition;
        let service = data.service(Open::All, definition, Limits::default()).await;
        let generation = service.snapshot().generation;
        let failed = Instant::now();
        other.exec("ALTER DATABASE renewal ALLOW_CONNECTIONS false");
        other.exec(END_SESSIONS);
        assert_eq!(service.renew(generation, failed, failed).await, Renewed::Unknown);
        other.exec("ALTER DATABASE renewal ALLOW_CONNECTIONS true");
        Server::shared().existing("renewal").exec("CREATE TABLE b (id int PRIMARY KEY)");
        let again = service.renew(generation, failed, failed).await;
        assert_eq!(again, Renewed::Unknown, "looked once more");
        // A connection may not know yet that it is closed.
        let mut looks = 0;
        while service.renew(generation, Instant::now(), Instant::now()).await != Renewed::Changed {
            looks += 1;
            assert!(looks < 100, "never looked again");
            tokio::task::yield_now().await;
        }
    });
}
