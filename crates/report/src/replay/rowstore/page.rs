//! The page of the repeated report.

use duet_verdict::text::Table;

use super::measured::{Measured, Series};
use super::paths::{PATHS, Path};
use super::published::{Published, percent};
use super::ratio::trimmed_mean;
use super::{Size, claims};
use crate::replay::page::{Condition, Page};

/// What the page says besides figures.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The databases with their versions.
    pub databases: Vec<String>,
    /// How each database reads each table, in its own words: store, table, words.
    pub plans: Vec<(&'static str, &'static str, String)>,
    /// Whether the program was built to be fast.
    pub is_optimized: bool,
}

/// The page of the repeated report.
///
/// # Errors
/// Where the published figures cannot be read: they are part of the program.
pub fn page(measured: &Measured, environment: &Environment) -> serde_json::Result<Page> {
    let published = Published::read()?;
    Ok(Page {
        title: format!("{}, repeated", published.title),
        notes: notes(measured, environment),
        tables: vec![theirs(&published), ours(&published, measured), beside(&published, measured)],
        conditions: conditions(&published, measured, environment),
        claims: claims::claims(),
        remarks: claims::remarks(&published, measured),
    })
}

fn notes(measured: &Measured, environment: &Environment) -> Vec<String> {
    let runs: usize = measured.series.iter().map(|series| series.seconds.len()).sum();
    let reads = runs as u64 * measured.size.keys;
    let mut notes = vec![format!(
        "{reads} reads in {runs} processes, every value checked, none wrong; begun {}. Averages leave \
         out the fastest and the slowest run.",
        measured.started
    )];
    notes.push(
        "Ratios are of runs of the same round: Student's t over their logarithms. The value in brackets \
         holds for all figures of a remark together with 95 % confidence. The published times are of another \
         machine: they are not compared with ours."
            .into(),
    );
    notes.extend(restless(measured));
    if measured.size != Size::FULL {
        notes.push("This was a short measurement: too short to judge.".into());
    }
    if measured.interrupted {
        notes.push("It was interrupted: rounds that were not whole are left out.".into());
    }
    if !environment.is_optimized {
        notes.push(
            "The program was built without optimization: paths through it are several times slower than \
             they could be."
                .into(),
        );
    }
    notes
}

/// Runs of a variant whose times differ by more than this factor were not made under one condition.
const RESTLESS: f64 = 1.5;

/// Says where runs of one variant differ so much that something else than the variant was measured.
fn restless(measured: &Measured) -> Option<String> {
    let spread = |series: &Series| {
        let most = series.seconds.iter().copied().fold(f64::MIN, f64::max);
        let least = series.seconds.iter().copied().fold(f64::MAX, f64::min);
        (most / least, least, most)
    };
    let all = measured.series.iter().map(|series| (series, spread(series)));
    let restless: Vec<_> = all.filter(|(_, (factor, ..))| *factor > RESTLESS).collect();
    let (series, (factor, least, most)) =
        restless.iter().max_by(|a, b| f64::total_cmp(&a.1.0, &b.1.0))?;
    Some(format!(
        "Runs of one variant took {least:.3} and {most:.3} seconds, {factor:.1} times as long ({}, {}); in {} of {} \
         variants they differ by more than {RESTLESS} times. The usual reason, with one connection, is a \
         processor that sleeps while it waits for each answer: on a machine that is busy with something \
         else it stays awake, and each read is faster. Averages of such runs say as much of the machine as \
         of the path.",
        series.path.name,
        series.table,
        restless.len(),
        measured.series.len()
    ))
}

fn heading(runs: usize) -> Vec<String> {
    let mut head = vec!["path".to_owned(), "table".to_owned()];
    head.extend((1..=runs).map(|run| format!("run {run}")));
    head.extend(["average", "µs/query", "queries/s", "to t1"].map(str::to_owned));
    head
}

/// A row of seconds with what follows from them; `base` is the average of `t1`.
fn row(path: &str, table: &str, seconds: &[f64], keys: u64, base: Option<f64>) -> Vec<String> {
    let texts = seconds.iter().map(|seconds| format!("{seconds:.3}")).collect();
    row_of(path, table, texts, seconds, keys, base)
}

/// The same of seconds that were written already.
fn row_of(
    path: &str,
    table: &str,
    texts: Vec<String>,
    seconds: &[f64],
    keys: u64,
    base: Option<f64>,
) -> Vec<String> {
    let mut row = vec![path.to_owned(), table.to_owned()];
    row.extend(texts);
    let average = trimmed_mean(seconds).unwrap_or(f64::NAN);
    row.push(format!("{average:.3}"));
    row.push(micros(average, keys));
    row.push(format!("{:.0}", keys as f64 / average));
    row.push(change(table, Some(average), base));
    row
}

fn micros(seconds: f64, keys: u64) -> String {
    format!("{:.1}", seconds * 1e6 / keys as f64)
}

fn change(table: &str, average: Option<f64>, base: Option<f64>) -> String {
    match (average, base) {
        (Some(average), Some(base)) if table != "t1" => {
            format!("{:+.1} %", percent(average, base))
        }
        _ => String::new(),
    }
}

fn theirs(published: &Published) -> Table {
    let runs = published.paths.iter().flat_map(|path| path.seconds.values().map(Vec::len)).max();
    let rows = published.paths.iter().flat_map(|path| {
        path.seconds.iter().map(|(table, seconds)| {
            // As it was published: 13.14, not 13.140.
            let texts = seconds.iter().map(f64::to_string).collect();
            row_of(&path.name, table, texts, seconds, published.keys, path.mean("t1"))
        })
    });
    Table {
        caption: format!("Published: seconds for {} reads", published.keys),
        head: heading(runs.unwrap_or(0)),
        rows: rows.collect(),
    }
}

fn ours(published: &Published, measured: &Measured) -> Table {
    let runs = measured.series.iter().map(|series| series.seconds.len()).max().unwrap_or(0);
    let head = heading(runs);
    let mut rows = Vec::new();
    for path in measured.paths() {
        let base = measured.of(path, "t1").and_then(Series::mean);
        for table in published.tables.keys() {
            match (measured.of(path, table), path.misses(table)) {
                (Some(series), _) => {
                    let keys = measured.size.keys;
                    rows.push(row(path.name, table, &series.seconds, keys, base));
                }
                (None, Some(why)) => {
                    let mut row = vec![path.name.to_owned(), table.to_owned()];
                    row.resize(head.len() - 1, String::new());
                    row.push(why.to_owned());
                    rows.push(row);
                }
                (None, None) => {}
            }
        }
    }
    Table { caption: format!("Here: seconds for {} reads", measured.size.keys), head, rows }
}

fn beside(published: &Published, measured: &Measured) -> Table {
    let head = [
        "here",
        "published",
        "table",
        "µs/query published",
        "µs/query here",
        "to t1 published",
        "to t1 here",
    ];
    let mut rows = Vec::new();
    for path in measured.paths() {
        let Some(theirs) = published.path(path.like) else { continue };
        for table in published.tables.keys() {
            let there = theirs.mean(table);
            let here = measured.of(path, table).and_then(Series::mean);
            let base = measured.of(path, "t1").and_then(Series::mean);
            let keys = measured.size.keys;
            rows.push(vec![
                path.name.to_owned(),
                theirs.name.clone(),
                table.to_owned(),
                there.map_or_else(String::new, |mean| micros(mean, published.keys)),
                here.map_or_else(
                    || path.misses(table).unwrap_or_default().to_owned(),
                    |mean| micros(mean, keys),
                ),
                change(table, there, theirs.mean("t1")),
                change(table, here, base),
            ]);
        }
    }
    Table { caption: "Beside each other".into(), head: head.map(str::to_owned).into(), rows }
}

fn conditions(
    published: &Published,
    measured: &Measured,
    environment: &Environment,
) -> Vec<Condition> {
    let condition = |what: &str, published: &str, here: String| Condition {
        what: what.into(),
        published: published.into(),
        here,
    };
    let (host, theirs) = (&measured.host, &published.conditions);
    let machine = format!(
        "{} processors ({}), {} MB, {}, load {:.1} before; client, service and database on it, no container",
        host.cpus, host.cpu, host.memory_mb, host.kernel, host.load_before
    );
    let Size { keys, runs } = measured.size;
    let published_runs = published.paths.first().and_then(|path| path.seconds.values().next());
    let published_runs = published_runs.map_or(0, Vec::len);
    let build = if environment.is_optimized { "optimized" } else { "not optimized" };
    let mut conditions = vec![
        condition("machine", &theirs.machine, machine),
        condition("database", &theirs.database, environment.databases.join(", ")),
        condition(
            "client",
            &theirs.client,
            format!(
                "Duet's bench ({build}), a process per run, no virtual machine to warm up; statements \
                 prepared once, on SQLite found by their text at each read"
            ),
        ),
        condition(
            "reads and runs",
            &format!("{} reads, {published_runs} runs", published.keys),
            format!("{keys} reads, {runs} runs"),
        ),
        condition(
            "order of runs",
            &theirs.order,
            "in rounds over all variants, every other round backwards".into(),
        ),
        condition(
            "transaction",
            &theirs.transaction,
            "one for all reads; by HTTP one for each request".into(),
        ),
        condition(
            "processors while they wait",
            "not said",
            "asleep where nothing else runs; waking is part of each read but those in process"
                .into(),
        ),
        condition("values", &theirs.rows, format!("`value 1` to `value {keys}`")),
        condition(
            "HTTP",
            "none",
            "one connection that is kept, a token for all requests, an ETag in each answer".into(),
        ),
    ];
    let tables = published.tables.iter();
    conditions.extend(tables.map(|(table, kind)| condition(table, kind, kept(table, environment))));
    conditions.extend(
        stand_ins(published, measured).map(|(theirs, ours)| condition("path", &theirs, ours)),
    );
    conditions
}

/// How a table is kept and read here.
fn kept(table: &str, environment: &Environment) -> String {
    let in_memory = |store: &str| table == "t3" && store == "SQLite";
    let plans = environment.plans.iter().filter(|(_, name, _)| *name == table);
    let mut words: Vec<String> = plans
        .map(|(store, _, plan)| match in_memory(store) {
            true => {
                "SQLite: as t1, in the memory of the process that reads, filled before the clock \
                     starts; so it cannot be served"
                    .to_owned()
            }
            false => format!("{store}: {plan}"),
        })
        .collect();
    if table == "t4" {
        words = vec!["as t1; for the service's rowstore, which is not there yet".to_owned()];
    }
    words.join("; ")
}

/// The published paths, each with those here that stand for it.
fn stand_ins<'a>(
    published: &'a Published,
    measured: &'a Measured,
) -> impl Iterator<Item = (String, String)> + 'a {
    published.paths.iter().map(|theirs| {
        let is_one = |path: &&Path| path.like == theirs.id && measured.paths().contains(path);
        let ours: Vec<&str> = PATHS.iter().filter(is_one).map(|path| path.name).collect();
        let ours = if ours.is_empty() { "not measured".into() } else { ours.join("; ") };
        (theirs.name.clone(), ours)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_every_table_of_the_report() {
        let series = |path: usize, table, seconds: [f64; 5]| Series {
            path: &PATHS[path],
            table,
            seconds: seconds.into(),
        };
        let measured = Measured {
            size: Size::FULL,
            series: vec![
                series(5, "t1", [5.0, 1.0, 2.0, 3.0, 9.0]),
                series(5, "t2", [2.5, 2.5, 2.5, 2.5, 2.5]),
            ],
            started: "2030-01-01T00:00:00Z".into(),
            host: duet_verdict::result::HostFacts::default(),
            interrupted: false,
        };
        let environment = Environment {
            plans: vec![("SQLite", "t2", "SEARCH".into())],
            is_optimized: true,
            ..Environment::default()
        };
        let page = page(&measured, &environment).unwrap();
        let [theirs, ours, beside] = &page.tables[..] else { panic!("{:?}", page.tables) };
        assert_eq!((theirs.rows.len(), ours.rows.len(), beside.rows.len()), (12, 4, 4));
        let joined: Vec<String> = ours.rows.iter().map(|row| row[1..].join(" ")).collect();
        assert_eq!(joined[0], "t1 5.000 1.000 2.000 3.000 9.000 3.333 33.3 30000 ");
        assert!(joined[1].ends_with(" 2.500 25.0 40000 -25.0 %"), "{joined:?}");
        assert!(joined[2].ends_with(" not served"), "{joined:?}");
        assert!(joined[3].ends_with(" not there yet"), "{joined:?}");
        assert!(ours.rows.iter().all(|row| row.len() == ours.head.len()));
        let line = "Duet on SQLite, TCP JDBC OCI, with network t4 114.5 not there yet -11.8 % ";
        assert_eq!(beside.rows[3].join(" "), line);
        assert!(theirs.rows.iter().any(|row| row[4] == "13.14"), "{theirs:?}");
        let here = |what: &str| page.conditions.iter().find(|row| row.what == what).unwrap();
        assert_eq!(here("t2").here, "SQLite: SEARCH");
        assert!(page.text().contains("cannot tell"));
        // One to nine seconds of the same are no measurement of a table.
        let told = |page: &Page| page.notes.iter().any(|note| note.contains("9.0 times as long"));
        assert!(told(&page));
        let mut steady = measured;
        steady.series.remove(0);
        assert!(!told(&super::page(&steady, &environment).unwrap()));
        assert_eq!(restless(&steady), None);
    }
}
