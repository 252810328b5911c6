//! Tests of reading an application: valid ones, invalid ones, and the built-in ones.

use std::fs;
use std::path::Path;
use std::time::Duration;

use duet_auth::Operation;
use duet_model::Place;
use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_service::definition::{Collection, Mount, Mounts, UnindexedPolicy};

use super::*;
use crate::settings::GivenTexts;

fn environment(name: &str) -> Option<String> {
    (name == "SHOP_PASSWORD").then(|| "secret".to_owned())
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn read_in(folder: &Path, text: &str) -> Result<Application, Mistakes> {
    let source = SourceText { name: "app.toml".into(), text: text.into() };
    read(&Folder::Disk(folder.to_owned()), source, &environment)
}

fn mistakes(text: &str) -> String {
    let folder = folder(&[("views/a.sql", "")]);
    read_in(folder.path(), text).unwrap_err().render()
}

fn mount(application: &Application) -> &Mount {
    match &application.definition.mounts {
        Mounts::Declared(mount) => mount,
        _ => panic!("no mount"),
    }
}

#[test]
fn the_example_of_the_manual() {
    let manual = duet_testkit::golden::workspace().join("docs/app-toml.md");
    let manual = fs::read_to_string(manual).unwrap();
    let example = manual.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let files = [
        "views/b.sql",
        "views/a.graphql",
        "schema.sqlite.sql",
        "schema.postgres.sql",
        "data.sql",
        "more.sqlite.sql",
    ];
    let folder = folder(&files.map(|name| (name, "-- a file")));
    fs::create_dir(folder.path().join("services")).unwrap();
    fs::write(folder.path().join("services/one.sql"), "SELECT 1 AS one").unwrap();
    let application = match read_in(folder.path(), example) {
        Ok(application) => application,
        Err(mistakes) => panic!("{}", mistakes.render()),
    };
    let mount = mount(&application);
    assert_eq!(application.definition.name, "shop");
    assert_eq!((mount.path.as_str(), mount.schema.as_deref()), ("/ords/shop", Some("sales")));
    assert!(!mount.all_tables);
    let views: Vec<_> = mount.views.iter().map(|view| view.name.as_str()).collect();
    assert_eq!(views, ["views/b.sql", "views/a.graphql"]);
    let names: Vec<_> = mount.resources.iter().map(|resource| resource.name.as_str()).collect();
    assert_eq!(names, ["customer", "invoice_line", "monthly_sales"]);
    let line = &mount.resources[1];
    assert_eq!((line.table.as_str(), line.page_size), ("InvoiceLine", Some(100)));
    assert_eq!((line.rowstore, line.rowstore_populate), (8_000_000, true));
    assert_eq!(line.serve_stale, Some(Duration::from_secs(300)));
    assert_eq!(line.unindexed, UnindexedPolicy::Warn);
    assert_eq!(line.columns["UnitPrice"], "unit_price");
    assert_eq!(mount.resources[2].table, "monthly_sales");
    assert!(mount.resources[0].excluded);
    assert_eq!(mount.privileges[0].operations, [Operation::Read]);
    assert_eq!(mount.privileges[1].operations, Operation::ALL);
    let database = application.database.unwrap();
    assert!(database.value[0].starts_with("postgres://shop:secret@db.example/"));
    assert_eq!(database.origin.to_string(), "app.toml:5:12");
    let shown =
        |name| application.settings.get(name).map(|given: &GivenTexts| given.value.join(" "));
    let base = folder.path().display();
    let listen = format!("127.0.0.1:8080 unix:{base}/run/shop.sock");
    assert_eq!(shown("listen"), Some(listen));
    assert_eq!(shown("state"), Some(format!("{base}/shop-state.json")));
    assert_eq!(shown("max_page_size"), Some("1000".into()));
    assert_eq!(application.load.of("sqlite").unwrap().scale, ["more.sqlite.sql"]);
    assert_eq!(application.load.of("postgres").unwrap().functions, ["next_invoice_number"]);
}

#[test]
fn data_of_a_profile_are_the_usual_ones() {
    let folder = folder(&[("seed.sql", "-- {scale}")]);
    let app = |profile: &str| {
        let text = format!(
            "name = 'a'\nmount = '/a'\n[load.sqlite]\n{profile}\ntables = ['t']\n\
             [load.sqlite.profiles.seed]\nfiles = ['seed.sql']\nscale = 5\n"
        );
        read_in(folder.path(), &text)
    };
    let plan = app("profile = 'seed'").unwrap().load.of("sqlite").unwrap().clone();
    assert_eq!((plan.profile.as_deref(), plan.profiles["seed"].scale), (Some("seed"), 5));
    for (profile, mistake) in [
        ("", "needs `files` or a `profile`"),
        ("profile = 'sed'", "There is no profile \"sed\"; declared are: seed."),
        ("profile = 'seed'\nfiles = ['seed.sql']", "`profile` names data in place of `files`"),
    ] {
        let text = app(profile).unwrap_err().render();
        assert!(text.contains(mistake), "{text}");
    }
}

#[test]
fn the_smallest_one() {
    let folder = folder(&[]);
    let application = read_in(folder.path(), "name = 'a'\nmount = '/a/'").unwrap();
    let mount = mount(&application);
    assert_eq!(mount.path, "/a");
    assert!(mount.all_tables && mount.views.is_empty() && mount.resources.is_empty());
}

#[test]
fn unknown_keys_have_a_nearest_name() {
    let text = "name = 'a'\nmount = '/a'\n[resources.album]\ncolums = { A = 'b' }\n";
    let expected = "\
error: [resources.album] has no key `colums`.
 --> app.toml:4:1
  |
4 | colums = { A = 'b' }
  | ^^^^^^
  = hint: Did you mean `columns`?
";
    assert_eq!(mistakes(text), expected);
}

#[test]
fn every_mistake_is_reported() {
    let text = "nam = 'a'
mount = 'ords hr'
tables = 'some'
views = ['views/*.sql', 'nowhere/*.sql', 'views/x.sql']
database = '${NO_SUCH}'
workers = 2
[resources.'a/b']
page_size = 0
key = []
[resources.line]
key = ['id', 'id']
rowstore = '8 MBs'
serve_stale = 'long'
[settings]
statement_timeout = '1s'
acces_log = 'text'
open = 'al'
workers = 1.5
[limits]
filter_bytes = '1 mile'
[[privileges]]
name = 'p'
roles = ['duet.rad']
patterns = ['/x/*']
operations = ['reed']
[load.sqlite]
files = ['none.sql']
";
    let reported = mistakes(text);
    for expected in [
        "error: The file needs `name`.",
        "app.toml:1:1\n  |\n1 | nam = 'a'\n  | ^^^\n  = hint: Did you mean `name`?",
        "error: `mount` cannot be \"ords hr\".",
        "error: A key has at least 1 column.",
        "error: The key has the column \"id\" twice.",
        "error: `tables` cannot be \"some\".",
        "error: The files \"nowhere/*.sql\" cannot be read",
        "error: There is no file \"views/x.sql\".",
        "error: The environment has no variable NO_SUCH.",
        "has no key `workers`.\n --> app.toml:6:1",
        "= hint: It belongs in [settings].",
        "error: A resource cannot be called \"a/b\".",
        "error: A page has at least 1 item.",
        "error: `rowstore` cannot be \"8 MBs\": use a number of bytes",
        "error: `serve_stale` cannot be \"long\"",
        "error: [settings] has no key `statement_timeout`.",
        "= hint: It belongs in [limits].",
        "= hint: Did you mean `access_log`?",
        "error: `open` cannot be \"al\": use `no`, `read` or `all`.",
        "= hint: Did you mean `all`?",
        "error: `workers` must be a text, a number, a switch or a list, not float.",
        "error: `filter_bytes` cannot be \"1 mile\"",
        "names an invalid role. There is no role `duet.rad`.",
        "error: There is no operation \"reed\".",
        "error: \"none.sql\" cannot be read",
        "error: What is to be loaded needs `files` or a `profile`, and the names of the `tables` they make.",
    ] {
        assert!(reported.contains(expected), "{expected} is not in:\n{reported}");
    }
}

#[test]
fn collections_answer_as_another_system() {
    let of = |text: &str| {
        let folder = folder(&[
            (
                "c/a.toml",
                "schema = 'c/a.json'\nserver-choice = ['x']\n[arrays.l]\nsubfield = 'm'\nmodifiers = ['n']",
            ),
            (
                "c/a.json",
                r#"{"properties": {"id": {"type": "string"}, "x": {"type": "string"}, "l":
                {"type": "array", "items": {"properties": {"m": {}, "n": {}}}}}}"#,
            ),
        ]);
        let text = format!("name = 'a'\nmount = '/a'\ncollections = ['c/*.toml']\n{text}");
        read_in(folder.path(), &text).map_err(|found| found.render())
    };
    for (text, profile, tenant) in [
        ("", "native", None),
        ("compat = 'native'", "native", None),
        ("compat = 'ords'", "ords", None),
        ("compat = 'postgrest'", "postgrest", None),
        ("compat = 'rmb'\ntenant = 'other'", "rmb", Some("other")),
    ] {
        let application = of(text).unwrap();
        let mount = mount(&application);
        let search = &mount.collections[0].declaration().search;
        assert_eq!((mount.profile.name(), mount.tenant.as_deref()), (profile, tenant), "{text}");
        // ORDS has no collections: they answer as Duet's own.
        assert_eq!((search.profile, &search.server_choice), (mount.profile, &vec!["x".to_owned()]));
        assert_eq!((&*search.arrays[0].path, &*search.arrays[0].subfield), ("l", "m"));
    }
    assert!(of("compat = 'folio'").unwrap_err().contains("`rmb`"));
    assert!(of("compat = 'rmb'").unwrap_err().contains("needs a tenant"));
    assert!(of("tenant = 'diku'").unwrap_err().contains("`tenant` means nothing"));
}

#[test]
fn no_toml_at_all() {
    let reported = mistakes("name = \n[x");
    assert!(reported.starts_with("error: This is not TOML: "), "{reported}");
    assert!(reported.contains(" --> app.toml:1:"), "{reported}");
}

#[test]
fn two_columns_of_one_name() {
    let text = "name = 'a'\nmount = '/a'\n[resources.t.columns]\nA = 'x'\nB = 'x'\n";
    assert!(mistakes(text).starts_with(
        "error: The columns \"A\" and \"B\" would both be served as \"x\".\n --> app.toml:5:5\n"
    ));
}

#[test]
fn the_old_name_of_raised_messages() {
    let folder = folder(&[]);
    let text = |lines: &str| format!("name = 'a'\nmount = '/a'\n[resources.t]\n{lines}");
    for name in ["raised_messages", "trigger_messages"] {
        let application = read_in(folder.path(), &text(&format!("{name} = true"))).unwrap();
        assert!(mount(&application).resources[0].raised_messages, "{name}");
    }
    let both = mistakes(&text("raised_messages = true\ntrigger_messages = true"));
    let expected = "error: `trigger_messages` is the old name of `raised_messages`";
    assert!(both.starts_with(expected) && both.contains(" --> app.toml:5:"), "{both}");
}

#[test]
fn reserved_and_odd_mounts() {
    for (path, expected) in [
        ("/metrics/x", "cannot begin with `/metrics`"),
        ("//", "cannot be \"//\""),
        ("", "cannot be \"\""),
        ("a", "cannot be \"a\""),
        ("/a//b", "cannot be \"/a//b\""),
        ("/a/../b", "cannot be \"/a/../b\""),
        ("/ä", "cannot be \"/ä\""),
    ] {
        let reported = mistakes(&format!("name = 'a'\nmount = '{path}'"));
        assert!(reported.contains(expected), "{path}: {reported}");
    }
}

#[test]
fn a_mount_may_be_the_root() {
    let folder = folder(&[]);
    let text = "name = 'a'
mount = ['/', '/b']
[resources.account]
mount = '/'
";
    let application = read_in(folder.path(), text).unwrap();
    let mount = mount(&application);
    assert_eq!(mount.paths().collect::<Vec<_>>(), ["", "/b"]);
    assert_eq!(mount.resources[0].mount.as_deref(), Some(""));
    let twice = mistakes("name = 'a'\nmount = ['/', '/']");
    assert!(twice.contains("`mount` names / twice."), "{twice}");
}

#[test]
fn several_mounts() {
    let folder = folder(&[]);
    let text = "name = 'a'
mount = ['/orders-storage/', '/authn']
[resources.account]
mount = '/authn/'
[resources.orders]
[[privileges]]
name = 'first'
roles = ['fan']
patterns = ['/*']
[[privileges]]
name = 'both'
roles = ['fan']
patterns = ['/*']
mount = ['/orders-storage', '/authn']
";
    let application = read_in(folder.path(), text).unwrap();
    let mount = mount(&application);
    assert_eq!(mount.paths().collect::<Vec<_>>(), ["/orders-storage", "/authn"]);
    let of_resources: Vec<_> = mount.resources.iter().map(|one| one.mount.as_deref()).collect();
    assert_eq!(of_resources, [Some("/authn"), None]);
    let both = ["/authn".to_owned(), "/orders-storage".to_owned()].to_vec();
    assert_eq!(mount.privilege_mounts, [(1, both)].into());
}

#[test]
fn wrong_mounts_are_reported_with_their_position() {
    let wrong =
        "name = 'a'\nmount = ['/orders-storage', '/authn']\n[resources.account]\nmount = '/auth'\n";
    let expected = "\
error: The application has no mount \"/auth\".
 --> app.toml:4:9
  |
4 | mount = '/auth'
  |         ^^^^^^^
  = hint: Did you mean `/authn`?
";
    assert_eq!(mistakes(wrong), expected);
    for (text, expected) in [
        ("mount = []", "`mount` must not be empty.\n --> app.toml:2:9"),
        ("mount = ['/a', 2]", "`mount` must be a list of texts, not integer.\n --> app.toml:2:16"),
        ("mount = ['/a', '/a/']", "`mount` names /a twice.\n --> app.toml:2:16"),
        ("mount = ['/a', '/oauth']", "cannot begin with `/oauth`: Duet serves that path itself."),
        (
            "mount = '/a'\n[[privileges]]\nname = 'p'\nroles = ['fan']\npatterns = ['/*']\nmount = ['/a', '/zoo']",
            "The application has no mount \"/zoo\".\n --> app.toml:7:16",
        ),
        (
            "mount = '/a'\n[[privileges]]\nname = 'p'\nroles = ['fan']\npatterns = ['/*']\nmount = []",
            "`mount` must not be empty.\n --> app.toml:7:9",
        ),
    ] {
        let reported = mistakes(&format!("name = 'a'\n{text}"));
        assert!(reported.contains(expected), "{text}: {reported}");
    }
    // If the mounts are wrong, references to them are not reported too.
    let reported = mistakes("name = 'a'\nmount = 'a'\n[resources.t]\nmount = '/a'\n");
    assert_eq!(reported.matches("error: ").count(), 1, "{reported}");
}

#[test]
fn one_mistake_as_an_error() {
    let folder = folder(&[]);
    let error = read_in(folder.path(), "name = 'a'\nmount = '/a'\ntabels = 'all'\nx = 1");
    let error = CommandError::from(error.unwrap_err()).coded().unwrap();
    assert_eq!(error.message, "The file has no key `tabels`.");
    let place = Place::File { file: "app.toml".into(), line: 3, column: 1 };
    assert_eq!(error.place, Some(place));
    assert!(
        crate::report::render(&error).contains("app.toml:3:1"),
        "{}",
        crate::report::render(&error)
    );
    assert_eq!(
        error.hint.unwrap(),
        "Did you mean `tables`? `duet check` explains this and 1 more."
    );
}

#[test]
fn built_in_applications_are_complete() {
    let apps = duet_testkit::golden::workspace().join("apps");
    let mut demos = 0;
    assert!(built_in().len() >= 2);
    for (name, files) in built_in() {
        let application = match Location::built_in(name).unwrap().read(&environment) {
            Ok(application) => application,
            Err(mistakes) => panic!("{}", mistakes.render()),
        };
        demos += usize::from(application.load.demo == Some(true));
        let mount = mount(&application);
        let serves = !mount.views.is_empty() || !mount.resources.is_empty();
        assert!(serves || !mount.collections.is_empty(), "{name}");
        let plans = ["sqlite", "postgres"].map(|store| application.load.of(store));
        assert!(plans.iter().all(Option::is_some), "{name}");
        for (path, stored) in *files {
            let bytes = stored.bytes().unwrap();
            assert!(fs::read(apps.join(name).join(path)).unwrap() == *bytes, "{name}/{path}");
        }
    }
    assert_eq!(demos, 1);
}

/// The indexes of the published report's second table, at the paths that the records have. What lies in arrays has
/// an index of their elements.
const OF_THE_REPORT: &[(&str, &str, &str)] = &[
    (
        "purchase_order",
        "index",
        "assignedTo metadata.createdDate metadata.createdByUserId workflowStatus approved dateOrdered orderType \
         reEncumber renewal.manualRenewal renewal.renewalDate renewal.reviewPeriod",
    ),
    ("purchase_order", "unique", "poNumber"),
    ("purchase_order", "full-text", "closeReason.reason closeReason.note"),
    (
        "po_line",
        "index",
        "eresource.accessProvider eresource.activated eresource.expectedActivation eresource.trial \
         eresource.materialType details.subscriptionFrom details.subscriptionTo physical.receiptDue \
         physical.expectedReceiptDate physical.materialType collection receiptStatus paymentStatus orderFormat \
         receiptDate metadata.createdDate rush source",
    ),
    ("po_line", "array", "locations.locationId physical.volumes claims.grace claims.sent"),
    (
        "po_line",
        "trigram",
        "title vendorDetail.vendorAccount vendorDetail.refNumber poLineNumber requester",
    ),
    (
        "po_line",
        "array",
        "fundDistribution.code details.productIds.productId tags.tagList contributors.contributor",
    ),
    ("po_line", "full-text", "publisher donor selector"),
    (
        "pieces",
        "index",
        "format itemId locationId poLineId receivingStatus receivedDate supplement",
    ),
    ("pieces", "trigram", "caption"),
    ("pieces", "full-text", "comment caption"),
];

#[test]
fn the_sample_declares_the_indexes_of_the_report() {
    let application = Location::built_in("orders").unwrap().read(&environment);
    let application = application.unwrap_or_else(|mistakes| panic!("{}", mistakes.render()));
    let mount = mount(&application);
    for (table, kind, paths) in OF_THE_REPORT {
        let is_it = |one: &&std::sync::Arc<Collection>| one.declaration().table == *table;
        let declaration = mount.collections.iter().find(is_it).unwrap().declaration();
        let declares = |path: &str| {
            let named = |known: duet_model::IndexKind| {
                duet_model::IndexKind::NAMES.contains(&(*kind, known))
            };
            // A reference is a column with an index of its own.
            declaration.references.iter().any(|one| one.path == path)
                || declaration.indexes.iter().any(|one| one.path == path && named(one.kind))
        };
        let missing: Vec<&str> = paths.split_whitespace().filter(|path| !declares(path)).collect();
        assert!(missing.is_empty(), "{table} has no {kind} = {missing:?}");
    }
}

#[test]
fn unknown_applications_have_a_nearest_name() {
    let (name, _) = built_in()[0];
    let error = Location::find(&name[1..]).unwrap_err();
    assert_eq!(Error::from(error).hint, Some(format!("Did you mean `{name}`?")));
}

#[test]
fn no_text_panics() {
    let folder = folder(&[]);
    for text in [
        "",
        "=",
        "\u{0}",
        "[[[",
        "a = '''",
        "[resources]\nx = 1",
        "resources = 1",
        "privileges = {}",
        "[privileges]",
        "[load]\nsqlite = 1",
        "[resources.t]\ncolumns = 1",
        "views = [1, {}]",
        "name = 1\nmount = 1",
        "mount = '${'",
        "[settings]\nlisten = [1, [2]]",
        "é = 'é'\n\té = 1",
    ] {
        if let Err(mistakes) = read_in(folder.path(), text) {
            assert!(!mistakes.render().is_empty());
        }
    }
}

#[test]
fn commit_classes_are_read() {
    let text = "name = 'a'\nmount = '/a'\n[resources.log]\ncommit = 'async'\n\
                commit_allowed = ['memory', 'ingest']\n[resources.plain]\n";
    let application = read_in(folder(&[]).path(), text).unwrap();
    let resources = &mount(&application).resources;
    let allowed = Some(vec![CommitClass::Memory, CommitClass::Ingest]);
    assert_eq!(resources[0].commit, CommitPolicy { class: CommitClass::Async, allowed });
    assert_eq!(resources[1].commit, CommitPolicy::default());
}

#[test]
fn wrong_commit_classes_have_a_place() {
    let text = "name = 'a'\nmount = '/a'\n[resources.log]\ncommit = 'memory'\n\
                commit_allowed = ['async', 'never']\n";
    let expected = "\
error: `commit` is not \"memory\", because a power failure loses what was answered.
 --> app.toml:4:10
  |
4 | commit = 'memory'
  |          ^^^^^^^^
  = hint: Leave it out, and add `commit_allowed = [\"memory\"]`: requests then ask for it by name.

error: `commit_allowed` names commit classes (\"memory\", \"async\", \"ingest\", \"group\", \"sync\"), not \"never\".
 --> app.toml:5:28
  |
5 | commit_allowed = ['async', 'never']
  |                            ^^^^^^^
";
    assert_eq!(mistakes(text), expected);
}
