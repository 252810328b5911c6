//! The triggers and tables of webhooks are Duet's own: they are not served, and change nothing of what is known of the
//! tables that they are on.

use duet_model::catalog::Effects;
use duet_sql::{Dialect, Postgres, RowEvent, Sqlite, WatchedTable, WatchingEndpoint};

use crate::store::{Fixture, Kind};

#[test]
fn triggers_of_webhooks_reach_nothing_that_is_served() {
    for kind in Kind::BOTH {
        let (dialect, schema): (&dyn Dialect, &str) = match kind {
            Kind::Sqlite => (&Sqlite, "main"),
            Kind::Postgres => (&Postgres { icu: false }, "public"),
        };
        let watched = WatchedTable {
            application: "shop".into(),
            schema: schema.into(),
            table: "t".into(),
            key: vec!["id".into()],
            subject: "t".into(),
            endpoints: vec![WatchingEndpoint { name: "erp".into(), events: RowEvent::ALL.into() }],
        };
        let script = dialect.watch_script(&watched);
        let text = format!(
            "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER); {}; {}",
            dialect.webhook_tables().create,
            script.create
        );
        let fixture = Fixture::new(kind, "webhooks", &text);
        let names: Vec<&str> =
            fixture.catalog.relations.iter().map(|relation| relation.name.as_str()).collect();
        assert_eq!(names, ["t"], "{kind:?}");
        assert_eq!(fixture.catalog.relations[0].effects, Effects::default(), "{kind:?}");
    }
}
