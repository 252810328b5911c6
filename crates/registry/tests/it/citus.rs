//! Databases that have Citus, as far as its catalog tells: tests on plain PostgreSQL with the same catalog.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use duet_document::{Datum, RowSet};
use duet_model::catalog::Placement;
use duet_model::{Catalog, Result, Value};
use duet_postgres::catalog::{Memory, SchemaFilter};
use duet_sql::LIST_SIZES;
use duet_store::{Ending, InsertBatch, Limits, Session, Write};
use duet_testkit::citus::{self, SpreadTable};
use duet_testkit::postgres::{Options, Server};
use futures_util::future::join_all;
use tokio_postgres::NoTls;

use crate::inserts::{insert_into, told};
use crate::steps::{Steps, key, run};
use crate::store::{Fixture, Kind, runtime};

const SCHEMA: &str = "CREATE TABLE team (id integer PRIMARY KEY, name text);
    CREATE TABLE driver (id integer PRIMARY KEY, team integer REFERENCES team);
    CREATE TABLE \"Result\" (id integer, \"Driver\" integer, PRIMARY KEY (id, \"Driver\"));
    CREATE TABLE note (id integer PRIMARY KEY);
    CREATE VIEW teams AS SELECT * FROM team;
    CREATE VIEW drivers AS SELECT d.* FROM driver d JOIN team t ON t.id = d.team;
    CREATE VIEW drivers_again AS SELECT * FROM drivers;
    CREATE VIEW notes AS SELECT * FROM note;";

fn tables() -> [SpreadTable<'static>; 3] {
    [
        SpreadTable::reference("team"),
        SpreadTable::distributed("driver", "id", 7),
        SpreadTable::distributed("\"Result\"", "Driver", 7),
    ]
}

fn placed<'c>(catalog: &'c Catalog, name: &str) -> &'c Placement {
    &catalog.relation("public", name).unwrap().placement
}

fn by(column: &str, group: u32) -> Placement {
    Placement::Distributed { column: column.to_owned(), group }
}

#[test]
fn the_catalog_says_where_rows_are() {
    let database = Server::shared().database("citus_placements");
    database.exec(SCHEMA);
    runtime().block_on(async {
        let (client, connection) = tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        let mut memory = Memory::default();
        let mut read = async || {
            let all = SchemaFilter::All;
            let again = duet_postgres::catalog::introspect_again(&client, &all, &mut memory);
            let again = again.await.unwrap();
            let first = duet_postgres::catalog::introspect(&client, &all).await.unwrap();
            assert_eq!(again, first);
            again
        };
        let plain = read().await;
        assert!(plain.relations.iter().all(|relation| relation.placement == Placement::Local));
        database.exec(&citus::catalog(&tables()));
        let catalog = read().await;
        assert_eq!(*placed(&catalog, "team"), Placement::Reference);
        assert_eq!(*placed(&catalog, "driver"), by("id", 7));
        assert_eq!(*placed(&catalog, "Result"), by("Driver", 7));
        assert_eq!(*placed(&catalog, "note"), Placement::Local);
        assert_eq!(*placed(&catalog, "teams"), Placement::Reference);
        assert_eq!(*placed(&catalog, "drivers"), Placement::Mixed);
        assert_eq!(*placed(&catalog, "drivers_again"), Placement::Mixed);
        assert_eq!(*placed(&catalog, "notes"), Placement::Local);
        // What the server knows of its own rows says nothing of those elsewhere.
        database.exec("ANALYZE team, driver, note");
        let catalog = read().await;
        let rows = ["team", "driver", "note"]
            .map(|name| catalog.relation("public", name).unwrap().estimated_rows);
        assert_eq!(rows, [None, None, Some(0)]);
        // Only what Citus says has changed.
        database.exec("UPDATE pg_dist_partition SET colocationid = 8 WHERE colocationid = 7");
        assert_eq!(*placed(&read().await, "driver"), by("id", 8));
        database.exec("DELETE FROM pg_dist_partition");
        assert!(read().await.describes_same(&plain));
    });
}

/// What a database without Citus is asked because of it: nothing of its own, of one with it one statement.
#[test]
fn reading_the_schema_costs_no_statement_without_citus() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let asked = [false, true].map(|is_citus| {
        let database = server.database(&format!("citus_statements_{is_citus}"));
        database.exec(SCHEMA);
        if is_citus {
            database.exec(&citus::catalog(&tables()));
        }
        runtime().block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&database.url(), NoTls).await.unwrap();
            tokio::spawn(connection);
            let before = server.log().len();
            let mut memory = Memory::default();
            let all = SchemaFilter::All;
            duet_postgres::catalog::introspect_again(&client, &all, &mut memory).await.unwrap();
            let log = server.log()[before..].to_owned();
            log.matches("LOG:  ").count()
        })
    });
    assert_eq!(asked[1], asked[0] + 1, "{asked:?}");
}

/// Plans for any values are made where these are right, and never on Citus, which refuses them.
#[test]
fn statements_are_planned_by_their_values_on_citus() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let schema = "CREATE TABLE t (id integer PRIMARY KEY, n integer); INSERT INTO t VALUES (1, 0)";
    let fixture = Fixture::new(Kind::Postgres, "citus_plans", schema);
    let set = [false, true].map(|is_citus| {
        let name = format!("citus_plans_{is_citus}");
        let database = server.database(&name);
        database.exec(schema);
        if is_citus {
            database.exec(&citus::catalog(&[SpreadTable::distributed("t", "id", 1)]));
        }
        let before = server.log().len();
        fixture.run(async |_| {
            let opened = fixture.open_by(&server.url(&name), Limits::default()).await;
            let store = opened.unwrap();
            let handle = store.attach().unwrap();
            let handle = handle.acting(None);
            handle.by_key(&fixture.rows("t").read, key(1)).await.unwrap();
            let add = "UPDATE t SET n = n + 1 WHERE id = $1";
            handle.write(Steps::new(vec![run(add, &[1])])).await.unwrap();
        });
        let log = server.log()[before..].to_owned();
        ["force_generic_plan", "multi_shard_modify_mode = 'sequential'"]
            .map(|text| log.matches(text).count())
    });
    assert!(set[0][0] >= 2 && set[0][1] == 0, "{set:?}");
    assert!(set[1][0] == 0 && set[1][1] >= 1, "{set:?}");
}

/// A row of a distributed table is a transaction of its own, on its machine; rows of other tables share statements.
#[test]
fn rows_of_distributed_tables_share_no_transaction() {
    let tables = [SpreadTable::reference("near"), SpreadTable::distributed("apart", "id", 1)];
    let schema = format!(
        "CREATE TABLE near (id integer PRIMARY KEY); CREATE TABLE apart (id integer PRIMARY KEY); {}",
        citus::catalog(&tables)
    );
    let fixture = Fixture::new(Kind::Postgres, "citus_rows", &schema);
    let transactions = tables.map(|table| {
        let insert = insert_into(&fixture, table.table, &["id"]).unwrap();
        let before = fixture.store.counted().transactions;
        fixture.run(async |handle| {
            let rows = (1..=40).map(|id| handle.insert(&insert, vec![Value::Int(id)]));
            let answers = join_all(rows).await;
            let told: Vec<_> = answers.iter().map(|answer| told(&insert, answer)).collect();
            assert_eq!(told, (1..=40).map(|id| id.to_string()).collect::<Vec<_>>());
        });
        fixture.store.counted().transactions - before
    });
    assert!(transactions[0] < 10 && transactions[1] == 40, "{transactions:?}");
}

/// Rows that one request brings, by the statements for many.
struct ManyRowsWrite {
    insert: Arc<InsertBatch>,
    rows: Vec<Vec<Value>>,
}

#[async_trait(?Send)]
impl Write for ManyRowsWrite {
    type Output = Vec<RowSet>;

    async fn run(&self, session: &mut dyn Session) -> Result<Ending<Self::Output>> {
        assert!(session.takes_rows(&self.insert));
        let rows: Vec<&[Value]> = self.rows.iter().map(Vec::as_slice).collect();
        Ok(Ending::Commit(session.insert_rows(&self.insert, &rows).await?))
    }
}

/// Rows of one request are lists of values of a few sizes: statements grow with the rows, those that are prepared do not.
#[test]
fn many_rows_are_few_statements() {
    let server = Server::start_with(Options::new().setting("log_statement", "all"));
    let schema = format!(
        "CREATE TABLE apart (id integer PRIMARY KEY, name text); {}",
        citus::catalog(&[SpreadTable::distributed("apart", "id", 1)])
    );
    let fixture = Fixture::new(Kind::Postgres, "citus_lists", &schema);
    server.database("citus_lists").exec(&schema);
    let insert = insert_into(&fixture, "apart", &["id", "name"]).unwrap();
    let lists = insert.lists.as_ref().unwrap();
    let store = fixture.run(async |_| {
        fixture.open_by(&server.url("citus_lists"), Limits::default()).await.unwrap()
    });
    let counted = |requests: &mut dyn Iterator<Item = i64>| {
        let before = server.log().len();
        let mut expected = 0;
        for (at, rows) in requests.enumerate() {
            expected += lists.lists.sizes(usize::try_from(rows).unwrap()).count();
            fixture.run(async |_| {
                let first = rows * 100_000 + i64::try_from(at).unwrap() * 1_000;
                let row = |id| vec![Value::Int(id), Value::Text(format!("row {id}"))];
                let rows_of = (first..first + rows).map(row).collect();
                let write = ManyRowsWrite { insert: Arc::clone(&insert), rows: rows_of };
                let handle = store.attach().unwrap();
                let sets = handle.acting(None).write(Arc::new(write)).await.unwrap();
                let ids: Vec<_> = sets.iter().map(|set| set.get(0, 0)).collect();
                let own: Vec<_> = (first..first + rows).map(Datum::Int).collect();
                assert_eq!(ids, own);
            });
        }
        let log = server.log()[before..].to_owned();
        let texts = log.split("LOG:  execute ").skip(1).filter_map(|text| text.split_once(": "));
        let texts: Vec<&str> =
            texts.map(|(_, text)| text).filter(|text| text.starts_with("INSERT INTO")).collect();
        let sent = |text: &&str| text.split('\n').next().unwrap().to_owned();
        let different: BTreeSet<String> = texts.iter().map(sent).collect();
        (texts.len() == expected, different.len())
    };
    let (n, twice) = (counted(&mut (1..=40)), counted(&mut (41..=80)));
    assert!(n.0 && twice.0, "{n:?} {twice:?}");
    assert!(n.1 <= LIST_SIZES.len() && twice.1 <= LIST_SIZES.len(), "{n:?} {twice:?}");
}

/// Keys that rows do not have are drawn beforehand, also where the database always generates them, and each row comes back
/// for its own.
#[test]
fn keys_of_many_rows_are_drawn() {
    let schema = format!(
        "CREATE TABLE apart (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text); {}",
        citus::catalog(&[SpreadTable::distributed("apart", "id", 1)])
    );
    let fixture = Fixture::new(Kind::Postgres, "citus_drawn", &schema);
    let insert = insert_into(&fixture, "apart", &["name"]).unwrap();
    assert!(insert.lists.as_ref().is_some_and(|lists| lists.draw.is_some()));
    let rows: Vec<Vec<Value>> = (0..67).map(|n| vec![Value::Text(format!("row {n}"))]).collect();
    let sets = fixture.run(async |handle| {
        let write = ManyRowsWrite { insert: Arc::clone(&insert), rows };
        handle.write(Arc::new(write)).await.unwrap()
    });
    let names: Vec<_> = sets.iter().map(|set| (set.len(), set.get(0, 1))).collect();
    let own: Vec<String> = (0..67).map(|n| format!("row {n}")).collect();
    let own: Vec<_> = own.iter().map(|name| (1, Datum::Text(name.as_bytes()))).collect();
    assert_eq!(names, own);
    let ids: BTreeSet<String> = sets.iter().map(|set| format!("{:?}", set.get(0, 0))).collect();
    assert_eq!(ids.len(), 67);
    assert_eq!(fixture.query("SELECT count(DISTINCT id) FROM apart"), "67");
}

/// A document whose rows are on the machine of its key is read alone, and a row whose key has several parts; others share
/// statements.
#[test]
fn documents_of_one_machine_are_read_alone() {
    let tables = [
        SpreadTable::distributed("box", "id", 1),
        SpreadTable::distributed("thing", "parent", 1),
        SpreadTable::distributed("far", "id", 1),
    ];
    let schema = format!(
        "CREATE TABLE box (id integer PRIMARY KEY);
         CREATE TABLE thing (id integer, parent integer REFERENCES box, PRIMARY KEY (id, parent));
         CREATE TABLE far (id integer PRIMARY KEY, parent integer REFERENCES box);
         INSERT INTO box SELECT generate_series(1, 40);
         INSERT INTO thing SELECT id, id FROM box; {}",
        citus::catalog(&tables)
    );
    let fixture = Fixture::new(Kind::Postgres, "citus_documents", &schema);
    let reads = [
        fixture.documents("box", "thing"),
        fixture.rows("thing"),
        fixture.documents("box", "far"),
        fixture.rows("box"),
    ];
    let batches = reads.map(|locked| {
        let before = fixture.store.counted();
        let parts = locked.read.plan.shape.key.len();
        fixture.run(async |handle| {
            let key = |id| vec![Value::Int(id); parts];
            let each = (1..=40).map(|id| handle.by_key(&locked.read, key(id)));
            let answers = join_all(each).await;
            assert!(answers.iter().all(|answer| answer.as_ref().unwrap().row.is_some()));
        });
        let after = fixture.store.counted();
        (after.batches - before.batches, after.keys - before.keys)
    });
    assert_eq!(batches.map(|(_, keys)| keys), [40; 4]);
    let [near, joined, far, rows] = batches.map(|(count, _)| count);
    assert!(near == 40 && joined == 40 && far < 10 && rows < 10, "{batches:?}");
}
