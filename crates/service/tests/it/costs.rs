//! What an explanation costs, by counts of steps for a schema and for one twice as large.

use std::fmt::Write as _;
use std::sync::Arc;

use duet_auth::{Open, State};
use duet_model::steps;
use duet_service::definition::{Application, Mount, Mounts};
use duet_service::{Auth, Service};
use duet_store::Limits;
use duet_testkit::sqlite as files;

fn steps_of(schema: &str, target: &str) -> u64 {
    let folder = files::Folder::new();
    let path = folder.load("a.db", &[schema]);
    let mount = Mount { path: "/m".into(), all_tables: true, ..Mount::default() };
    let mounts = Mounts::Declared(Box::new(mount));
    let application = Application { mounts, ..Application::default() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let service = tokio::task::LocalSet::new().block_on(&runtime, async {
        let options = duet_sqlite::Options::default();
        let database = duet_sqlite::Database::open(&path, &options, Limits::default()).unwrap();
        let auth = Auth::in_memory(&State::new(0).unwrap(), Open::All);
        Service::open(Arc::new(database), application, auth).await.unwrap()
    });
    let (explained, steps) = steps::counted(|| service.explanation("GET", target).unwrap());
    assert!(!explained.statements.is_empty() && !explained.indexes.is_empty());
    steps
}

#[test]
fn an_explanation_costs_as_much_as_its_table() {
    let target = "/m/wide/?q=%7B%22c0%22:1,%22c5%22:2,%22$orderby%22:%7B%22c7%22:%22ASC%22%7D%7D";
    let wide = |n: usize, others: usize| {
        let columns = (0..n).map(|at| format!(", c{at} integer")).collect::<String>();
        let mut text = format!("CREATE TABLE wide (id integer PRIMARY KEY{columns});");
        for at in 0..n {
            // Writing to a String cannot fail.
            let _ = write!(text, "CREATE INDEX i{at:03} ON wide (c{});", n - at - 1);
        }
        for at in 0..others {
            let _ = write!(text, "CREATE TABLE t{at} (id integer PRIMARY KEY);");
        }
        text
    };
    let of_columns = [30, 60].map(|n| steps_of(&wide(n, 0), target));
    let [once, twice] = of_columns;
    assert!(once > 0 && twice * 10 <= once * 22, "{once} steps, then {twice}");
    let of_tables = [0, 200].map(|others| steps_of(&wide(30, others), target));
    assert_eq!(of_tables[0], of_tables[1], "other tables are not looked at");
}
