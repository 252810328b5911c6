//! The rules of ARCHITECTURE.md, checked in the source files: which crate may use which, what only
//! one of them may name, what pure crates must not do, and that no code is written for a sample.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of the workspace's crates a crate may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("filter", &["model"]),
    ("document", &["model"]),
    ("duality", &["document", "model"]),
    ("collection", &["document", "filter", "model"]),
    ("sql", &["model"]),
    ("auth", &["model"]),
    ("admission", &[]),
    ("pgconnect", &[]),
    ("db", &["admission", "auth", "document", "filter", "model", "pgconnect", "sql"]),
    ("rowstore", &["model"]),
    ("journal", &["model"]),
    (
        "service",
        &[
            "auth",
            "collection",
            "db",
            "document",
            "duality",
            "filter",
            "journal",
            "model",
            "rowstore",
            "sql",
        ],
    ),
    ("http", &["auth", "document", "filter", "model", "service"]),
    ("instances", &[]),
    ("throwaway", &[]),
    ("verdict", &["model"]),
    ("report", &["model", "verdict"]),
    ("bench", &["db", "model", "throwaway", "verdict"]),
    ("workloads", &["auth", "bench", "db", "document", "model", "service", "verdict"]),
    ("testkit", &["throwaway"]),
    ("suite", &[]),
    (
        "duet",
        &[
            "auth",
            "bench",
            "collection",
            "db",
            "document",
            "duality",
            "filter",
            "http",
            "journal",
            "instances",
            "model",
            "service",
            "report",
            "sql",
            "verdict",
            "workloads",
        ],
    ),
];

/// Libraries that one crate hides from all others.
const HIDDEN: &[(&str, &[&str])] = &[
    ("tokio-postgres", &["db", "pgconnect"]),
    ("postgres-types", &["db"]),
    ("postgres-protocol", &["db", "pgconnect"]),
    ("rusqlite", &["db", "testkit"]),
    ("libsqlite3-sys", &["db"]),
    ("hyper", &["http"]),
    ("hyper-util", &["http"]),
    ("http-body-util", &["http"]),
    ("clap", &["duet"]),
    ("toml", &["duet", "report"]),
    ("askama", &["report"]),
    ("quick-xml", &["report", "bench"]),
    ("jsonschema", &["collection"]),
];

/// Crates without IO, clocks, threads and tasks.
const PURE: &[&str] =
    &["admission", "collection", "model", "filter", "document", "duality", "sql", "verdict"];

/// What pure crates must not name.
const IMPURE: &[&str] = &[
    "tokio",
    "futures",
    "async fn",
    "std::fs",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::io",
    "SystemTime",
    "Instant::now",
];

/// Words that belong to the samples in `apps/`.
const OF_SAMPLES: &[&str] = &[
    "team_dv",
    "driver_dv",
    "race_dv",
    "artist_dv",
    "customer_dv",
    "car-racing",
    "car_racing",
    "chinook",
    "mercedes",
    "ferrari",
    "driver_race_map",
    "team_id",
    "driver_id",
    "race_id",
    "podium",
    "albumid",
    "album_id",
    "artist_id",
    "invoice_line",
    "playlist",
    "transactions_type",
    "transactions_touch",
    "transactions.teller",
    "purchase-orders",
    "po_line",
    "polinenumber",
    "diku",
];

/// The folders of workloads that run on a sample.
const OF_WORKLOADS: &[&str] = &["workloads/src/orders"];

/// How a command would name a built-in workload.
const WORKLOADS: &[&str] = &[
    "duet_workloads::soe",
    "duet_workloads::retail",
    "duet_workloads::lookup",
    "\"soe",
    "\"retail",
    "\"lookup\"",
    "duet_workloads::orders",
    "duet_workloads::txn",
    "duet_workloads::ingest",
    "\"txn\"",
];

/// A file may have so many lines.
const LONGEST_FILE: usize = 1_000;

#[test]
fn crates_know_only_those_below_them() {
    let mut known: Vec<_> = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.sort();
    assert_eq!(crate_names(), known, "a crate was added or removed: say what it may use");
    for (name, may_use) in MAY_USE {
        for dependency in dependencies(name) {
            if let Some(own) = dependency.strip_prefix("duet-") {
                assert!(may_use.contains(&own), "{name} must not depend on {own}");
            }
        }
    }
}

#[test]
fn the_page_lists_every_crate() {
    let page = fs::read_to_string(root().join("../ARCHITECTURE.md")).unwrap();
    for name in crate_names() {
        assert!(page.contains(&format!("\n| `{name}` |")), "ARCHITECTURE.md does not list {name}");
    }
}

/// The page is a map: read in one sitting, and in any editor.
#[test]
fn the_page_stays_short() {
    let page = fs::read_to_string(root().join("../ARCHITECTURE.md")).unwrap();
    assert!(page.lines().count() <= 250, "{} lines", page.lines().count());
    for line in page.lines() {
        assert!(line.chars().count() <= 120, "ARCHITECTURE.md: longer than 120 characters: {line}");
    }
}

#[test]
fn heavy_libraries_stay_where_they_are() {
    for name in crate_names() {
        for dependency in dependencies(&name) {
            let hidden = HIDDEN.iter().find(|(library, _)| *library == dependency);
            if let Some((library, allowed)) = hidden {
                assert!(allowed.contains(&&*name), "{name} must not depend on {library}");
            }
            let is_pure = PURE.contains(&&*name);
            assert!(!is_pure || dependency != "tokio", "{name} is pure and must not use tokio");
        }
    }
}

#[test]
fn pure_crates_have_no_io() {
    for name in PURE {
        for file in product_files(name) {
            let code = product_code(&file);
            for word in IMPURE {
                assert!(!code.contains(word), "{} names {word}", file.display());
            }
        }
    }
}

/// Filters become plans in one file of `service`, which asks for the right to read. The plan that
/// compiles a representation has no filter.
#[test]
fn a_filter_needs_the_right_to_read() {
    let allowed = |word: &str, file: &Path| {
        file.ends_with("service/src/selection.rs")
            || word == "ReadPlan::page(" && file.ends_with("service/src/representation.rs")
    };
    for name in ["service", "http", "duet"] {
        for file in product_files(name) {
            let code = product_code(&file);
            for word in ["duet_filter::parse", "cql::parse", "ReadPlan::page("] {
                let named = code.contains(word);
                assert!(!named || allowed(word, &file), "{} names {word}", file.display());
            }
        }
    }
}

/// What differs between databases is a question to the dialect, or in the drivers.
#[test]
fn dialect_names_are_never_compared() {
    let free = ["model", "filter", "document", "duality", "sql", "auth", "admission", "service"];
    for file in free.into_iter().chain(["http"]).flat_map(product_files) {
        let code = product_code(&file);
        let of_dialects = [
            "dialect.rs",
            "postgres_dialect.rs",
            "sqlite_dialect.rs",
            "sqlite_search.rs",
            "lib.rs",
        ];
        let is_dialect = of_dialects.iter().any(|name| file.ends_with(format!("sql/src/{name}")));
        for word in ["Sqlite", "Postgres"] {
            assert!(is_dialect || !code.contains(word), "{} names {word}", file.display());
        }
    }
}

#[test]
fn no_code_names_a_sample() {
    for name in crate_names() {
        for file in product_files(&name) {
            // A workload requests what a sample serves.
            if OF_WORKLOADS.iter().any(|folder| file.starts_with(root().join(folder))) {
                continue;
            }
            let code = product_code(&file).to_lowercase();
            for word in OF_SAMPLES {
                assert!(!code.contains(word), "{} names {word}", file.display());
            }
        }
    }
}

/// A workload is added by its folder: engine and commands find it in the registry. Published reports are
/// about certain workloads.
#[test]
fn only_replays_name_a_workload() {
    for file in ["bench", "verdict", "duet"].into_iter().flat_map(product_files) {
        let name = file.file_name().unwrap().to_string_lossy();
        let code = product_code(&file);
        for word in WORKLOADS {
            let is_replay = name.starts_with("replay");
            assert!(is_replay || !code.contains(word), "{} names {word}", file.display());
        }
    }
}

/// A row of the table "Adding things": where it begins, the number of files that it says, words of an example of its
/// kind, the source files that name the example, and further files that need something for it.
type AddedThing = (&'static str, usize, &'static [&'static str], &'static [&'static str], usize);

const ADDED: &[AddedThing] = &[
    // Beside them a file of its own.
    (
        "a command",
        3,
        &["Command::Apps", " Apps,"],
        &["duet/src/args/mod.rs", "duet/src/commands/mod.rs"],
        1,
    ),
    // A writer of its own, and the manual.
    ("an export of results", 3, &["Self::K6"], &["report/src/export/mod.rs"], 2),
    // The manual.
    (
        "a type whose values are texts",
        3,
        &["\"inet\""],
        &["model/src/text_form.rs", "sql/src/postgres_dialect.rs"],
        1,
    ),
    // The manual.
    (
        "a filter operator that existing predicates express",
        2,
        &["\"$ninstr\""],
        &["filter/src/search.rs"],
        1,
    ),
    // The manual.
    (
        "a filter operator with a predicate of its own",
        4,
        &["TextTest::Regex", "Self::Regex"],
        &["filter/src/search.rs", "model/src/text_test.rs", "sql/src/text_test.rs"],
        1,
    ),
    // A writer of its own, and the manual.
    (
        "a form of streams",
        4,
        &["Stream(Format::Csv)", "FormatWriter::Csv"],
        &["document/src/lines/mod.rs", "http/src/media.rs"],
        2,
    ),
    (
        "a built-in workload",
        2,
        &["retail::Entry", "mod retail;"],
        &["workloads/src/lib.rs", "workloads/src/registry.rs"],
        0,
    ),
];

/// Files that use an existing example, and need not know another one: CQL, which has operators of its own, the limit
/// on regular expressions, and replays of reports about certain workloads.
const USERS: &[&str] = &["filter/src/cql/", "filter/src/limits.rs", "bench/replay"];

/// What the table "Adding things" says of one thing is true of another of its kind: the files that must name it are in
/// the row, and no other file names it.
#[test]
fn rows_of_the_page_name_every_file() {
    for (row, number, words, files, further) in ADDED {
        let line = row_of_the_page(row);
        assert!(line.contains(&format!("{number} files: ")), "{row}: {line}");
        assert_eq!(files.len() + further, *number, "{row}");
        for file in *files {
            let (folder, name) = file.rsplit_once('/').unwrap();
            let folder = if name == "mod.rs" { folder } else { name };
            assert!(line.contains(folder), "{row} does not name {file}: {line}");
        }
        let is_named = |file: &str| !USERS.iter().any(|user| file.contains(user));
        let mut found = files_naming(|code| words.iter().any(|word| code.contains(word)));
        found.retain(|file| is_named(file));
        assert_eq!(found, *files, "{row}: who names {words:?}");
    }
}

/// How many files of each crate name both stores, and so need an arm for a third.
#[test]
fn the_row_of_dialects_counts_the_files_with_arms() {
    let line = row_of_the_page("a dialect");
    let naming = files_naming(|code| has_word(code, "Postgres") && has_word(code, "Sqlite"));
    for name in crate_names() {
        let of_crate = |file: &&String| file.starts_with(&format!("{name}/"));
        let files: Vec<&String> = naming.iter().filter(of_crate).collect();
        let said =
            line.split(&format!(" in `{name}`")).next().filter(|before| before.len() < line.len());
        let said: usize =
            said.and_then(|before| before.rsplit(' ').next()?.parse().ok()).unwrap_or_default();
        assert!(files.len() <= said, "{name}: {said} in the row of dialects, not {files:#?}");
    }
}

fn row_of_the_page(start: &str) -> String {
    let page = fs::read_to_string(root().join("../ARCHITECTURE.md")).unwrap();
    page.lines().find(|line| line.starts_with(&format!("| {start}"))).unwrap().to_owned()
}

/// The product's files with code of a kind, in order.
fn files_naming(is_named: impl Fn(&str) -> bool) -> Vec<String> {
    let all = crate_names().into_iter().flat_map(|name| product_files(&name));
    let naming = all.filter(|file| is_named(&product_code(file)));
    let mut found: Vec<String> = naming
        .map(|file| file.strip_prefix(root()).unwrap().to_string_lossy().into_owned())
        .collect();
    found.sort();
    found
}

fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let after = code[at + word.len()..].chars().next();
        !code[..at].ends_with(is_part_of_name) && !after.is_some_and(is_part_of_name)
    })
}

#[test]
fn files_open_with_their_purpose_and_stay_short() {
    for name in crate_names() {
        for file in rust_files(&root().join(&name)) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.starts_with("//!"), "{} does not open with `//!`", file.display());
            let lines = text.lines().count();
            assert!(lines <= LONGEST_FILE, "{} has {lines} lines", file.display());
        }
    }
}

/// The modules of a folder that still import each other in a circle, directly or over others. None may be added: one
/// that is in no circle any more is removed here.
const CIRCLES: &[(&str, &[&str])] = &[
    ("collection/src", &["declaration", "rmb"]),
    (
        "db/src",
        &["describe", "insert", "introspect", "postgres", "row_write", "sqlite", "store", "write"],
    ),
    ("db/src/postgres/changes", &["prepare", "triggers"]),
    ("document/src", &["pieces", "program", "run", "text"]),
    ("duality/src", &["check", "print"]),
    ("duality/src/check", &["link", "table"]),
    ("duet/src/commands", &["data_set", "hosting", "load", "serve", "source"]),
    (
        "duet/src/commands/bench",
        &[
            "file",
            "replay",
            "replay_orders",
            "replay_rowstore",
            "replay_stores",
            "replay_swingbench",
            "replay_transactions",
            "run",
            "series",
        ],
    ),
    ("duet/src/settings", &["check", "issuer"]),
    ("filter/src", &["json", "operator", "search"]),
    (
        "filter/src/cql",
        &["condition", "inside", "lexer", "moments", "text", "tree", "typed", "words"],
    ),
    (
        "http/src",
        &[
            "addresses",
            "admin",
            "arrived",
            "authenticated",
            "catalog",
            "commit_metrics",
            "database_health",
            "declared",
            "describe",
            "events",
            "journal_admin",
            "lines",
            "metrics",
            "options",
            "planned",
            "problem",
            "processes",
            "reply",
            "routed",
            "routine",
            "rowstore",
            "scope",
            "service",
            "service_batch",
            "service_times",
            "site",
            "sockets",
            "tenant_job_question",
            "worker",
        ],
    ),
    ("http/src/describe/openapi", &["body", "declared", "example", "routine", "service", "write"]),
    ("instances/src", &["process", "seat", "supervisor"]),
    ("journal/src", &["journal", "writer"]),
    ("model/src", &["catalog", "collection", "json", "json_cursor", "json_tape", "shape"]),
    ("pgconnect/src", &["aim", "canceller", "failure", "gated", "handover", "socket", "tls"]),
    (
        "service/src",
        &[
            "currency",
            "definition",
            "expand",
            "explain",
            "invalidation",
            "journal",
            "mistakes",
            "mount",
            "naming",
            "page",
            "populate",
            "query",
            "read",
            "resource",
            "routes",
            "routine",
            "rowstore",
            "selection",
            "service",
            "services",
            "snapshot",
            "table_shape",
            "write",
        ],
    ),
    ("service/src/services", &["answer", "arguments", "file", "items"]),
    (
        "sql/src",
        &[
            "collection_table",
            "dialect",
            "expr",
            "form",
            "idempotency",
            "index_range",
            "journal",
            "json_range",
            "sqlite_dialect",
            "sqlite_search",
            "totals",
            "writer",
        ],
    ),
    ("testkit/src", &["http", "tls"]),
    ("throwaway/src", &["options", "tls"]),
];

/// The modules of a folder import each other in one direction: each can be read with those that it imports, and without
/// any that imports it.
#[test]
fn modules_of_a_folder_import_in_one_direction() {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut checked = 0;
    for name in crate_names() {
        for (folder, imports) in imports_by_folder(&name) {
            checked += imports.len();
            let circle = in_circles(&imports);
            if !circle.is_empty() {
                found.push((
                    [&name, "src"]
                        .into_iter()
                        .chain(folder.iter().map(String::as_str))
                        .collect::<Vec<_>>()
                        .join("/"),
                    circle,
                ));
            }
        }
    }
    assert!(checked > 1_000, "only {checked} imports are found");
    for (folder, circle) in &found {
        let known = CIRCLES.iter().find(|(known, _)| known == folder).map_or(&[][..], |it| it.1);
        let new: Vec<&String> = circle.iter().filter(|it| !known.contains(&it.as_str())).collect();
        assert!(new.is_empty(), "{folder}: {new:?} import each other in a circle");
    }
    for (folder, known) in CIRCLES {
        let circle = found.iter().find(|(found, _)| found == folder);
        let is_left =
            |it: &&&str| circle.is_some_and(|(_, left)| left.iter().any(|one| one == **it));
        let gone: Vec<&&str> = known.iter().filter(|it| !is_left(it)).collect();
        assert!(gone.is_empty(), "{folder}: {gone:?} are in no circle any more, remove them");
    }
}

#[test]
fn circles_of_imports_are_found() {
    let code =
        "use super::{b::{self, C}, d};\nlet e = crate::x::e::<f>(self::g::H, *super::super::y);";
    let listed: Vec<String> = imported_paths(code).iter().map(|path| path.join("::")).collect();
    let expected = [
        "crate::x::e::",
        "super::b::self",
        "super::b::C",
        "super::d",
        "super::super::y",
        "self::g::H",
    ];
    assert_eq!(listed, expected);
    let imports: Imports = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")]
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .into();
    assert_eq!(in_circles(&imports), ["b", "c"]);
}

/// Which modules of a folder import which others, with those below them.
type Imports = BTreeSet<(String, String)>;

/// The imports between the modules of each folder of a crate.
fn imports_by_folder(name: &str) -> BTreeMap<Vec<String>, Imports> {
    let source = root().join(name).join("src");
    let modules: BTreeMap<Vec<String>, PathBuf> =
        product_files(name).into_iter().map(|file| (module_of(&source, &file), file)).collect();
    let mut all: BTreeMap<Vec<String>, Imports> = BTreeMap::new();
    for (module, file) in &modules {
        for path in imported_paths(&product_code(file)) {
            let mut target = absolute(module, &path);
            while !modules.contains_key(&target) && target.pop().is_some() {}
            let same = target.iter().zip(module).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to)) = (module.get(same), target.get(same)) {
                let folder = module[..same].to_vec();
                all.entry(folder).or_default().insert((from.clone(), to.clone()));
            }
        }
    }
    all
}

/// The path of a file's module below its crate.
fn module_of(source: &Path, file: &Path) -> Vec<String> {
    let below = file.strip_prefix(source).unwrap().with_extension("");
    let mut module: Vec<String> =
        below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    module.pop_if(|last| matches!(last.as_str(), "mod" | "lib" | "main"));
    module
}

/// A path as seen from the crate.
fn absolute(module: &[String], path: &[&str]) -> Vec<String> {
    let ups = path.iter().take_while(|part| **part == "super").count();
    let base = match path.first() {
        Some(&"crate") => &[],
        _ => &module[..module.len().saturating_sub(ups)],
    };
    let below = path.iter().filter(|part| !matches!(**part, "crate" | "super" | "self"));
    base.iter().cloned().chain(below.map(|part| (*part).to_owned())).collect()
}

/// The paths in some code that begin in its crate, each of those in braces.
fn imported_paths(code: &str) -> Vec<Vec<&str>> {
    let mut paths = Vec::new();
    for first in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{first}::")) {
            let is_inside = |char: char| is_part_of_name(char) || char == ':';
            if !code[..at].ends_with(is_inside) {
                read_paths(&code[at..], &[], &mut paths);
            }
        }
    }
    paths
}

/// Adds the path that a text begins with, and returns what follows it.
fn read_paths<'c>(text: &'c str, before: &[&'c str], paths: &mut Vec<Vec<&'c str>>) -> &'c str {
    let mut rest = text.trim_start();
    if let Some(list) = rest.strip_prefix('{') {
        rest = list;
        while !rest.trim_start().starts_with('}') && !rest.is_empty() {
            rest = read_paths(rest, before, paths);
            // Behind a name there may be `as` and another.
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        return rest.trim_start().strip_prefix('}').unwrap_or_default();
    }
    let end = rest.find(|char| !is_part_of_name(char)).unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let path = [before, &[name]].concat();
    match after.strip_prefix("::") {
        Some(more) => read_paths(more, &path, paths),
        None => {
            paths.push(path);
            after
        }
    }
}

/// The modules that import themselves over others.
fn in_circles(imports: &Imports) -> Vec<String> {
    let imports_itself = |start: &str| {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![start];
        while let Some(module) = open.pop() {
            let next = imports.iter().filter(|(from, _)| from == module);
            open.extend(next.map(|(_, to)| to.as_str()).filter(|to| reached.insert(to)));
        }
        reached.contains(start)
    };
    let modules: BTreeSet<&String> = imports.iter().map(|(from, _)| from).collect();
    modules.into_iter().filter(|it| imports_itself(it)).cloned().collect()
}

fn is_part_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn crate_names() -> Vec<String> {
    let folders = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    let folders = folders.filter(|path| path.join("Cargo.toml").exists());
    let mut names: Vec<_> =
        folders.map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What a crate depends on, without what only its tests use.
fn dependencies(name: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(name).join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let table = manifest.get("dependencies").and_then(toml::Value::as_table);
    table.into_iter().flatten().map(|(name, _)| name.clone()).collect()
}

/// All Rust files below a folder, without those that other people's tools made.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The files that become the product: sources without those that hold only tests.
fn product_files(name: &str) -> Vec<PathBuf> {
    let source = root().join(name).join("src");
    let is_test = |path: &PathBuf| {
        let below = path.strip_prefix(&source).unwrap();
        below
            .components()
            .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs")))
    };
    rust_files(&source).into_iter().filter(|path| !is_test(path)).collect()
}

/// A file's code: without comments, and without the tests at its end.
fn product_code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    code.lines().map(without_comment).collect::<Vec<_>>().join("\n")
}
