//! What descriptions cost: counts of steps for some tables and for twice as many, columns likewise.

use std::fmt::Write as _;
use std::sync::Arc;

use duet_auth::{Open, State};
use duet_model::steps;
use duet_service::definition::{Application, Mount, Mounts};
use duet_service::{Auth, Service};
use duet_store::Limits;
use duet_testkit::sqlite as files;

use super::{Catalog, CatalogRequest};
use crate::agents::resource;
use crate::resources::index;

/// The service of a schema.
fn service(schema: &str) -> Arc<Service> {
    let folder = files::Folder::new();
    let path = folder.load("a.db", &[schema]);
    let mount = Mount { path: "/m".into(), all_tables: true, ..Mount::default() };
    let mounts = Mounts::Declared(Box::new(mount));
    let application = Application { mounts, ..Application::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let options = duet_sqlite::Options::default();
        let database = duet_sqlite::Database::open(&path, &options, Limits::default()).unwrap();
        let auth = Auth::in_memory(&State::new(0).unwrap(), Open::All);
        Service::open(Arc::new(database), application, auth).await.unwrap()
    })
}

/// The steps of each description of all that is served, which is so much.
fn steps_of(schema: &str, served: usize) -> [u64; 3] {
    let service = service(schema);
    let snapshot = service.snapshot();
    assert_eq!(snapshot.mounts[0].resources().len(), served);
    let request = |catalog| CatalogRequest {
        principal: Arc::clone(service.auth().anonymous()),
        service: Arc::clone(&service),
        snapshot: Arc::clone(&snapshot),
        mount: 0,
        catalog,
        tail: String::new(),
        query: Some("limit=100000".to_owned()),
        api_key_header: None,
    };
    let (metadata, open_api) = (request(Catalog::Metadata), request(Catalog::OpenApi));
    let anyone = service.auth().anonymous();
    [
        steps::counted(|| index::of_mount(&snapshot.mounts[0], anyone, "").unwrap()).1,
        steps::counted(|| metadata.metadata("").unwrap()).1,
        steps::counted(|| open_api.open_api("").unwrap()).1,
    ]
}

fn is_linear(what: &str, size: usize, of: impl Fn(usize) -> [u64; 3]) {
    for (once, twice) in of(size).into_iter().zip(of(2 * size)) {
        assert!(once > 0 && twice * 10 <= once * 22, "{what}: {once} steps, then {twice}");
    }
}

#[test]
fn descriptions_cost_as_much_as_they_describe() {
    let chain = |n: usize| {
        let mut text = String::new();
        for at in 0..n {
            let key = at.checked_sub(1).map(|up| format!(" REFERENCES t{up} (id)"));
            // Writing to a String cannot fail.
            let _ = write!(
                text,
                "CREATE TABLE t{at} (id integer PRIMARY KEY, up integer{}, a text);",
                key.unwrap_or_default()
            );
        }
        text
    };
    // Up to a hundred they are complete, and brief then.
    is_linear("a chain of tables", 40, |n| steps_of(&chain(n), n));
    is_linear("a longer one", 150, |n| steps_of(&chain(n), n));
    is_linear("keys to one table", 40, |n| {
        let mut text = "CREATE TABLE t (id integer PRIMARY KEY);".to_owned();
        for at in 0..n {
            let _ = write!(text, "CREATE TABLE t{at} (id integer PRIMARY KEY REFERENCES t (id));");
        }
        steps_of(&text, n + 1)
    });
    is_linear("columns", 60, |n| {
        let columns = (0..n).map(|at| format!(", c{at} text")).collect::<String>();
        let mut text = format!("CREATE TABLE wide (id integer PRIMARY KEY{columns});");
        // So that what all documents have counts for little.
        for at in 0..n / 2 {
            let _ = write!(text, "CREATE TABLE t{at} (id integer PRIMARY KEY);");
        }
        steps_of(&text, n / 2 + 1)
    });
}

#[test]
fn an_agent_finds_a_resource_at_the_same_cost_among_twice_as_many() {
    let steps = |n: usize| {
        let text: String =
            (0..n).map(|at| format!("CREATE TABLE t{at} (id integer PRIMARY KEY);")).collect();
        let service = service(&text);
        let (snapshot, who) = (service.snapshot(), service.auth().anonymous());
        let find = || resource::below(&snapshot.mounts[0], who, "/m/t7").unwrap();
        let (found, steps) = steps::counted(find);
        assert_eq!(found.line(), "/m/t7 (table: read, insert, update, delete)");
        steps
    };
    assert_eq!((steps(40), steps(80)), (1, 1));
}
