//! The rules of ARCHITECTURE.md, checked in the source files: which crate may use which, what only
//! one of them may name, what pure crates must not do, and that no code is written for a sample.

mod folders;
mod module_circles;
mod names;
mod parameters;
mod profiles;
mod shared_names;

use std::fs;
use std::path::{Path, PathBuf};

/// Which of the workspace's crates a crate may depend on.
const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("model", &["text"]),
    ("filter", &["model", "text"]),
    ("document", &["model", "text"]),
    ("duality", &["document", "model", "text"]),
    ("collection", &["document", "filter", "model", "text"]),
    ("sql", &["model", "text"]),
    ("auth", &["model", "text"]),
    ("admission", &[]),
    ("pgconnect", &[]),
    ("store", &["admission", "auth", "document", "model", "sql", "text"]),
    ("client", &["document", "model", "pgconnect", "store", "text"]),
    (
        "postgres",
        &["admission", "auth", "client", "document", "model", "pgconnect", "sql", "store", "text"],
    ),
    ("sqlite", &["admission", "auth", "document", "filter", "model", "sql", "store", "text"]),
    ("registry", &["model", "postgres", "sql", "sqlite", "store"]),
    ("rowstore", &["model"]),
    ("journal", &["model"]),
    (
        "service",
        &[
            "auth",
            "collection",
            "document",
            "duality",
            "filter",
            "journal",
            "model",
            "rowstore",
            "sql",
            "store",
            "text",
        ],
    ),
    ("console", &[]),
    ("mcp", &[]),
    ("http", &["auth", "console", "document", "filter", "mcp", "model", "service", "text"]),
    ("instances", &[]),
    ("throwaway", &[]),
    ("verdict", &["model", "text"]),
    ("report", &["model", "verdict"]),
    ("bench", &["client", "model", "text", "throwaway", "verdict"]),
    (
        "workloads",
        &[
            "auth", "bench", "client", "document", "model", "registry", "service", "store", "text",
            "verdict",
        ],
    ),
    ("testkit", &["throwaway"]),
    ("suite", &[]),
    (
        "duet",
        &[
            "auth",
            "bench",
            "collection",
            "client",
            "document",
            "duality",
            "filter",
            "http",
            "journal",
            "instances",
            "model",
            "service",
            "registry",
            "report",
            "sql",
            "store",
            "text",
            "verdict",
            "workloads",
        ],
    ),
];

/// Libraries that one crate hides from all others.
const HIDDEN: &[(&str, &[&str])] = &[
    ("tokio-postgres", &["client", "pgconnect", "postgres"]),
    ("postgres-types", &["client", "postgres"]),
    ("postgres-protocol", &["pgconnect", "postgres"]),
    ("rusqlite", &["client", "sqlite", "testkit"]),
    ("libsqlite3-sys", &["sqlite"]),
    ("hyper", &["http"]),
    ("hyper-util", &["http"]),
    ("http-body-util", &["http"]),
    ("clap", &["duet"]),
    ("toml", &["duet", "report"]),
    ("askama", &["console", "report"]),
    ("quick-xml", &["report", "bench"]),
    ("jsonschema", &["collection"]),
    ("rmcp", &["mcp"]),
];

/// Crates without IO, clocks, threads and tasks.
const PURE: &[&str] = &[
    "admission",
    "collection",
    "model",
    "filter",
    "document",
    "duality",
    "sql",
    "text",
    "verdict",
];

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

/// The folder of published reports.
const REPLAYS: &str = "duet/src/commands/bench/replay";

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
        file.ends_with("service/src/queries/selection.rs")
            || word == "ReadPlan::page("
                && file.ends_with("service/src/resources/representation.rs")
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

/// Commands and configuration have errors of their own: a conversion of each gives the code.
#[test]
fn the_binary_makes_errors_of_serving_by_conversion_alone() {
    let (mut checked, mut found) = (0, Vec::new());
    for file in product_files("duet") {
        checked += 1;
        let code = product_code(&file);
        let lines = errors_of_serving(&code).into_iter();
        found.extend(lines.map(|line| format!("{}: {}", file.display(), line.trim())));
    }
    assert!(checked > 200, "only {checked} files are found");
    assert!(
        found.is_empty(),
        "an error of the command or of the configuration:\n{}",
        found.join("\n")
    );
}

/// The lines of code that make an error of serving, and are in no conversion into one.
fn errors_of_serving(code: &str) -> Vec<&str> {
    let mut is_conversion = false;
    let is_made = |line: &&str| {
        if line.starts_with("impl From<") {
            is_conversion = line.ends_with(" for Error {");
        }
        is_conversion &= *line != "}";
        !is_conversion && has_word(&line.replace("io::Error::new", ""), "Error::new")
    };
    code.lines().filter(is_made).collect()
}

#[test]
fn errors_of_serving_are_found() {
    let code = "impl From<Own> for Error {\n    Error::new(code, 1)\n}\nfn one() {\n    Error::new(code, 2)\n}\n\
        impl From<Own> for Other {\n    duet_model::Error::new(code, 3)\n}\nio::Error::new(4); OwnError::new(5)";
    let found: Vec<&str> = errors_of_serving(code).into_iter().map(str::trim).collect();
    assert_eq!(found, ["Error::new(code, 2)", "duet_model::Error::new(code, 3)"]);
}

/// What differs between databases is a question to the dialect, or in the drivers.
#[test]
fn dialect_names_are_never_compared() {
    let free = ["text", "model", "filter", "document", "duality", "sql", "auth", "admission"];
    for file in free.into_iter().chain(["store", "service", "http"]).flat_map(product_files) {
        // PostgREST is another product.
        let code = product_code(&file).replace("Postgrest", "");
        let of_dialects = ["dialect.rs", "postgres_dialect.rs", "sqlite_dialect.rs", "lib.rs"];
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
        let code = product_code(&file);
        for word in WORKLOADS {
            let is_replay = file.starts_with(root().join(REPLAYS));
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
        &["model/src/values/text_form.rs", "sql/src/postgres_dialect.rs"],
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
        &[
            "filter/src/search.rs",
            "model/src/expressions/text_test.rs",
            "sql/src/expressions/text_test.rs",
        ],
        1,
    ),
    // A writer of its own, and the manual.
    ("a form of streams", 3, &["= csv;"], &["document/src/lines/mod.rs"], 2),
    ("a built-in workload", 1, &[", retail,"], &["workloads/src/lib.rs"], 0),
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
        assert!(line.contains(&format!("{number} file")), "{row}: {line}");
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
    let line = row_of_the_page("a store");
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

/// Where code may name both stores: what is written for each of them, and the registry.
const NAMES_STORES: &[(&str, &str)] = &[
    ("client/src/", "plain connections of the bench"),
    ("bench/src/", "reads the counters of each server"),
    ("report/src/", "says what was measured"),
    ("workloads/src/", "has statements for each"),
    ("duet/src/args/bench/mod.rs", "the option of the bench"),
    ("duet/src/args/infer.rs", "the option of `duet infer`"),
    ("duet/src/commands/bench/", "starts servers of its own"),
    ("duet/src/commands/drafts/infer/", "writes statements for each"),
    ("sql/src/lib.rs", "exports the dialects"),
];

/// The crates of stores, each of which one line of the registry names.
const STORES: &[&str] = &["postgres", "sqlite"];

/// A third store is a crate and a line.
#[test]
fn a_store_is_named_in_one_line() {
    for store in STORES {
        let word = format!("duet_{store}");
        let named = |file: &PathBuf| product_code(file).matches(&word).count();
        for name in crate_names().iter().filter(|name| name != store) {
            let count: usize = product_files(name).iter().map(named).sum();
            let wanted = usize::from(name == "registry");
            assert_eq!(count, wanted, "{name} names the crate {store}");
        }
    }
}

/// A store is a line of the registry: no code decides by which one it has.
#[test]
fn no_code_matches_over_stores() {
    let naming = files_naming(|code| has_word(code, "Postgres") && has_word(code, "Sqlite"));
    let is_elsewhere = |file: &String| !NAMES_STORES.iter().any(|(at, _)| file.starts_with(at));
    let found: Vec<&String> = naming.iter().filter(|file| is_elsewhere(file)).collect();
    assert!(found.is_empty(), "these files name both stores: {found:#?}");
    for (at, why) in NAMES_STORES {
        let is_there = root().join(at).exists();
        assert!(is_there, "{at}, which {why}, is no more");
    }
    let comparisons = ["== \"sqlite\"", "== \"postgres\"", "\"sqlite\" =>", "\"postgres\" =>"];
    let mut found = files_naming(|code| comparisons.iter().any(|word| code.contains(word)));
    found.retain(|file| is_elsewhere(file));
    assert!(found.is_empty(), "these files compare the names of stores: {found:#?}");
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

pub(crate) fn is_part_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(crate) fn crate_names() -> Vec<String> {
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
pub(crate) fn product_files(name: &str) -> Vec<PathBuf> {
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
pub(crate) fn product_code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let without_comment = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    code.lines().map(without_comment).collect::<Vec<_>>().join("\n")
}
