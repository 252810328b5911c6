//! Large schemas and tables in the console, by counts: a page does not grow with the tables and columns that there are, and
//! rows are seen without reading more than the page has.

use std::fmt::Write as _;
use std::fs;

use duet_testkit::command::{Running, wait_until};
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;

use crate::serving::console::{Site, cookie};

/// The sizes of the first page, of those of a wide table, and of a search, for a schema with this many tables and columns.
fn sizes(tables: usize, columns: usize) -> [usize; 4] {
    let mut schema = String::new();
    for at in 0..tables {
        // Writing to a String cannot fail.
        let _ = writeln!(schema, "CREATE TABLE t{at:04} (id integer PRIMARY KEY);");
    }
    let names: Vec<String> = (0..columns).map(|at| format!("c{at:03}")).collect();
    let _ = writeln!(
        schema,
        "CREATE TABLE a_wide (id integer PRIMARY KEY, {});",
        names.join(" integer, ") + " integer"
    );
    for id in 0..60 {
        let _ = writeln!(schema, "INSERT INTO a_wide (id, c000, c041) VALUES ({id}, 1, 2);");
    }
    let folder = Folder::new();
    let file = folder.load("large.db", &[&schema]).display().to_string();
    let server = Running::start(&["serve", &file]);
    let site = Site::of(&server);
    let signed_in = cookie(&site.url, site.id, site.secret);
    let page = |path: &str| {
        let page = http::get(&format!("{}/console{path}", site.url), &[("Cookie", &signed_in)]);
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        page.text().to_owned()
    };
    let first = page("/");
    assert!(first.contains(">a_wide</a>") && first.contains("t0098"), "{first}");
    assert!(first.contains(&format!("1 to 100 of {}", tables + 1)), "{first}");
    let behind = page(&format!("/?mount={}&from=100", site.mount));
    assert!(behind.contains("t0099") && !behind.contains("t0098"), "{behind}");
    let found = page("/?find=T00+49");
    assert!(found.contains("t0049") && !found.contains("t0050"), "{found}");
    let wide = page(&format!("/data{}/a_wide/", site.mount));
    assert!(wide.contains(&format!("Columns 1 to 40 of {}.", columns + 1)), "{wide}");
    let next = page(&format!("/data{}/a_wide/?columns=40", site.mount));
    assert!(next.contains("data-name=\"c041\"") && !next.contains("data-name=\"c000\""), "{next}");
    assert!(next.contains("<td role=\"gridcell\" class=\"number\"><span>2</span>"), "{next}");
    [first.len(), found.len(), rows_of(&wide), rows_of(&next)]
}

/// The bytes of the table: the form above it lists all columns by name.
fn rows_of(page: &str) -> usize {
    page.split("role=\"grid\"").nth(1).map_or(0, str::len)
}

#[test]
fn pages_do_not_grow_with_the_schema() {
    let (once, twice) = (sizes(500, 300), sizes(1_000, 600));
    for (once, twice) in once.into_iter().zip(twice) {
        assert!(once.abs_diff(twice) < 200, "{once} bytes, then {twice}");
    }
}

/// Opens the first page of a table in the console, as a person does.
fn open(server: &Running, query: &str) {
    let site = Site::of(server);
    let signed_in = cookie(&site.url, site.id, site.secret);
    let page = format!("{}?{query}", site.page("/big/"));
    let page = http::get(&page, &[("Cookie", &signed_in)]);
    assert!(page.text().contains("Next page"), "{}", page.text());
}

#[test]
fn a_page_reads_its_rows_alone_on_postgres() {
    let reads = |rows: u32, query: &str| {
        let database = Server::shared().database(&format!("console_large_{rows}_{}", query.len()));
        database.exec(&format!(
            "CREATE TABLE big (id integer PRIMARY KEY, name text); INSERT INTO big SELECT i, 'name ' || i FROM generate_series(1, {rows}) i; ANALYZE big;"
        ));
        let read = "SELECT coalesce(sum(seq_tup_read), 0) + coalesce(sum(idx_tup_fetch), 0) + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes) FROM pg_stat_user_tables";
        let count = || database.query(read).parse::<u64>().unwrap_or_default();
        let sessions = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()";
        let before = count();
        let server = Running::start(&["serve", &database.url()]);
        open(&server, query);
        // Sessions report what they have read when they end.
        drop(server);
        wait_until("the server's sessions have ended", || database.query(sessions) == "1");
        count() - before
    };
    let [once, twice] = [20_000, 40_000].map(|rows| reads(rows, ""));
    assert!(once == twice && once <= 200, "{once} rows, then {twice}");
    assert!(reads(20_000, "count=1") >= 20_000, "the figures show what is read");
}

/// How many KiB of a file a process has looked at, by its map of memory, through which SQLite reads.
fn mapped(process: u32, file: &str) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{process}/smaps")).unwrap_or_default();
    let (mut is_of_file, mut sum) = (false, 0);
    for line in maps.lines() {
        if line.contains('-') && !line.contains(" kB") {
            is_of_file = line.ends_with(file);
        }
        let resident = line.strip_prefix("Rss:").filter(|_| is_of_file);
        let number = resident.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
        sum += number.unwrap_or_default();
    }
    sum
}

#[test]
fn a_page_reads_its_rows_alone_on_sqlite() {
    let reads = |rows: u32, query: &str| {
        let folder = Folder::new();
        let schema = format!(
            "CREATE TABLE big (id INTEGER PRIMARY KEY, name TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows}) INSERT INTO big SELECT i, printf('%0100d', i) FROM n;"
        );
        let file = folder.load("large.db", &[&schema]).display().to_string();
        let server = Running::start(&["serve", &file]);
        open(&server, query);
        mapped(server.process(), "large.db")
    };
    let [once, twice] = [20_000, 40_000].map(|rows| reads(rows, ""));
    assert!(once.max(twice) < 1_000, "{once} KiB, then {twice}");
    assert!(reads(40_000, "count=1") > 3_000, "the figures show what is read");
}
