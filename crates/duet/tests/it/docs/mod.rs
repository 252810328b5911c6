//! `README.md` and `docs/`: every example is run, every output is compared with the real one, and
//! tables are compared with the program.

mod book;
mod compare;
mod own_workload;
mod page;
mod reference;
mod session;
mod types;
mod workflow;

use std::fs;
use std::path::{Path, PathBuf};

use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::{http, skipped, sqlite};

use super::{duet, duet_says};
use page::Step;
use session::Session;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the examples of a page, top to bottom.
fn run(name: &str) {
    run_in(name, Session::new());
}

fn run_in(name: &str, mut session: Session) {
    let steps = page::steps(&read(name));
    for step in steps {
        match step {
            Step::File(file, block) => session.write(&file, &block.text),
            Step::Run(script, _) if needs_node(&script.text) && !has_node() => {
                let place = format!("{name}:{}", script.line);
                skipped("docs::clients", &format!("{place}: node is not installed"));
            }
            Step::Run(script, expected) => {
                let (succeeded, output) = session.run(&script.text);
                let place = format!("{name}:{}", script.line);
                // An example of a mistake shows its error, and what a measurement finds is its exit code.
                let may_fail = expected.as_ref().is_some_and(|block| {
                    block.text.contains("error") || block.language == "figures"
                });
                assert!(succeeded || may_fail, "{place} failed:\n{}\n{output}", script.text);
                let Some(expected) = expected else { continue };
                let fits = match expected.language.as_str() {
                    "json" => {
                        let shown = serde_json::from_str(&expected.text)
                            .unwrap_or_else(|error| panic!("{name}:{}: {error}", expected.line));
                        serde_json::from_str(&output)
                            .is_ok_and(|actual| compare::json_fits(&shown, &actual))
                    }
                    "figures" => compare::figures_fit(&expected.text, &output),
                    _ => compare::text_fits(&expected.text, &output),
                };
                assert!(fits, "{place}:\n{}\nprints:\n{output}", script.text);
            }
        }
    }
}

fn needs_node(script: &str) -> bool {
    script.starts_with("node ")
}

fn has_node() -> bool {
    std::process::Command::new("node").arg("--version").output().is_ok()
}

macro_rules! pages {
    ($($name:ident = $path:literal;)*) => {
        $(#[test] fn $name() { run($path); })*

        /// The pages whose examples are run.
        const PAGES: &[&str] = &[$($path),*];
    };
}

pages! {
    readme = "README.md";
    getting_started = "docs/getting-started.md";
    clients = "docs/clients.md";
    console = "docs/console.md";
    console_tour = "docs/console-tour.md";
    tutorial = "docs/tutorial.md";
    coming_from = "docs/coming-from.md";
    agents = "docs/agents.md";
    settings = "docs/settings.md";
    types_page = "docs/types.md";
    rest = "docs/rest.md";
    live = "docs/live.md";
    transactions = "docs/transactions.md";
    collections = "docs/collections.md";
    folio = "docs/folio.md";
    migrations = "docs/migrations.md";
    errors = "docs/errors.md";
    filters = "docs/filters.md";
    cql = "docs/cql.md";
    writing = "docs/writing.md";
    idempotency = "docs/idempotency.md";
    journal = "docs/journal.md";
    commit_classes = "docs/commit-classes.md";
    scaling = "docs/scaling.md";
    duality_views = "docs/duality-views.md";
    schema_changes = "docs/schema-changes.md";
    security = "docs/security.md";
    tenants = "docs/tenants.md";
    operations = "docs/operations.md";
    ords = "docs/ords.md";
    postgrest = "docs/postgrest.md";
    infer = "docs/infer.md";
    batchload = "docs/batchload.md";
    bench = "docs/bench.md";
    bench_workload = "docs/bench-workload.md";
    bench_load = "docs/bench-load.md";
    bench_agents = "docs/bench-agents.md";
    bench_limits = "docs/bench-limits.md";
    bench_compare = "docs/bench-compare.md";
    bench_charbench = "docs/bench-charbench.md";
    bench_find_max = "docs/bench-find-max.md";
    bench_reports = "docs/bench-reports.md";
    bench_soe = "docs/bench-soe.md";
    bench_txn = "docs/bench-txn.md";
    bench_ingest = "docs/bench-ingest.md";
    bench_orders = "docs/bench-orders.md";
    bench_import = "docs/bench-import.md";
    bench_jmeter = "docs/bench-jmeter.md";
    bench_torture = "docs/bench-torture.md";
    bench_replays = "docs/bench-replays.md";
    bench_method = "docs/bench-method.md";
}

/// Changes of a schema are those of both stores.
#[test]
fn schema_changes_on_postgres() {
    let database = Server::shared().database("docs_schema_changes");
    run_in("docs/schema-changes.md", Session::on_postgres(database));
}

/// The view of the first page gives the document that stands there.
#[test]
fn the_view_of_the_first_page() {
    let blocks = page::blocks(&read("README.md"));
    let text = |language: &str| &blocks.iter().find(|it| it.language == language).unwrap().text;
    let folder = sqlite::Folder::new();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    write("team_dv.sql", text("sql"));
    let settings = "name = 'a'\nmount = '/ords/hr'\ndatabase = 'a.sqlite'\nviews = ['*.sql']\n";
    let application = write("app.toml", settings);
    let database = folder.path().join("a.sqlite").display().to_string();
    duet_says(&["load", "car-racing", "--database", &database]);
    let server = Running::start(&["serve", "--config", &application, "--listen", "127.0.0.1:0"]);
    let bearer = server.bearer();
    let headers = [("Authorization", bearer.as_str())];
    let answer = http::get(&format!("{}/ords/hr/team_dv/301", server.url()), &headers);
    let answer = answer.text().replace(&server.url(), session::ADDRESS);
    let shown = serde_json::from_str(text("json")).unwrap();
    assert!(compare::json_fits(&shown, &serde_json::from_str(&answer).unwrap()), "{answer}");
}

/// The example of row security does what the page says.
#[test]
fn the_example_of_row_security() {
    let blocks = page::blocks(&read("docs/security.md"));
    let text = |language: &str| &blocks.iter().find(|it| it.language == language).unwrap().text;
    let database = Server::shared().database("docs_row_security");
    database.exec(text("sql"));
    let url = database.url().replace("user=postgres", "user=duet");
    let commands = text("console").lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let add: Vec<Vec<&str>> = commands.filter(|words| words[1] == "client").collect();
    let folder = sqlite::Folder::new();
    let state = folder.path().join("state.json").display().to_string();
    let arguments =
        add[0][1..].iter().map(|word| if *word == "state.json" { &state } else { *word });
    let arguments: Vec<&str> = arguments.chain(["--json"]).collect();
    let client: serde_json::Value = serde_json::from_str(&duet_says(&arguments)).unwrap();
    assert_eq!(client["db_role"], "customers");
    let server = Running::start(&["serve", &url, "--state", &state, "--listen", "127.0.0.1:0"]);
    let bearer = crate::commands::client::bearer(&server, &client);
    let ask = |method: &str, path: &str, body: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
        let url = format!("{}/api/public/invoice/{path}", server.url());
        http::request(method, &url, &headers, body.as_bytes())
    };
    let page = ask("GET", "?count=estimated", "").json();
    assert_eq!((&page["total"], &page["items"][0]["customer"]), (&1.into(), &"acme".into()));
    assert_eq!(ask("GET", "2", "").status, 404);
    let foreign = ask("POST", "", r#"{"invoice_id":3,"customer":"birch","total":1}"#);
    assert_eq!((foreign.status, &foreign.json()["errors"][0]["code"]), (403, &"DUET-7110".into()));
    assert_eq!(ask("POST", "", r#"{"invoice_id":3,"customer":"acme","total":1}"#).status, 201);
}

/// All pages of the manual.
fn manual() -> Vec<String> {
    let folder = fs::read_dir(root().join("docs")).expect("the manual");
    let mut names: Vec<String> = folder
        .map(|entry| entry.expect("a page").file_name())
        .map(|name| format!("docs/{}", name.to_string_lossy()))
        .filter(|name| name.ends_with(".md") && name != book::SUMMARY)
        .chain(["README.md".to_owned()])
        .collect();
    names.sort();
    names
}

#[test]
fn no_example_is_left_out() {
    for name in manual() {
        let has_examples =
            page::steps(&read(&name)).iter().any(|step| matches!(step, Step::Run(..)));
        assert!(!has_examples || PAGES.contains(&name.as_str()), "{name} is not run");
    }
}

/// The words of a page before its first example.
const OPENING: usize = 100;

#[test]
fn every_page_opens_with_an_example() {
    for name in manual().iter().filter(|name| *name != "docs/README.md") {
        let text = read(name);
        let opening = text.split("```").next().unwrap_or_default().split_whitespace().count();
        assert!(text.contains("```") && opening < OPENING, "{name}: {opening} words");
    }
}

#[test]
fn links_lead_somewhere() {
    let contents = read("docs/README.md");
    for name in manual() {
        let text = read(&name);
        let folder = root().join(&name).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            if path.starts_with("http") {
                continue;
            }
            let target = if path.is_empty() { root().join(&name) } else { folder.join(path) };
            assert!(target.exists(), "{name} links to {link}");
            let anchors = fs::read_to_string(&target).unwrap_or_default();
            let known = anchors.lines().filter(|line| line.starts_with('#')).map(anchor_of);
            assert!(
                anchor.is_empty() || known.into_iter().any(|it| it == anchor),
                "{name}: {link}"
            );
        }
        if let Some(page) = name.strip_prefix("docs/").filter(|page| *page != "README.md") {
            assert!(contents.contains(&format!("({page})")), "docs/README.md does not list {page}");
        }
    }
}

/// The anchor that a heading gets when the page is shown.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|char| char.is_alphanumeric() || matches!(char, '-' | '_')).collect()
}

/// `cargo run` of the first page needs no `--bin`.
#[test]
fn cargo_knows_which_binary_to_run() {
    let manifest: toml::Table = read("crates/duet/Cargo.toml").parse().unwrap();
    assert_eq!(manifest["package"].get("default-run").and_then(|run| run.as_str()), Some("duet"));
}
