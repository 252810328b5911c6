//! `duet load` on both stores.

use duet_testkit::postgres::Server;
use duet_testkit::sqlite;

use crate::{duet, duet_says};

/// Sums over everything that is loaded: equal on both stores.
const CHECKSUM: &str = "SELECT (SELECT count(*) FROM team), (SELECT count(*) FROM driver), \
    (SELECT count(*) FROM race), (SELECT count(*) FROM driver_race_map), \
    (SELECT sum(driver_id * team_id) FROM driver), (SELECT sum(points * team_id) FROM team), \
    (SELECT coalesce(sum(race_id * driver_id * position), 0) FROM driver_race_map), \
    (SELECT max(laps) FROM race)";

fn sqlite_checksum(path: &std::path::Path) -> String {
    let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<String> {
        let values: rusqlite::Result<Vec<String>> =
            (0..8).map(|index| Ok(row.get::<_, i64>(index)?.to_string())).collect();
        Ok(values?.join("|"))
    };
    sqlite::open(path).query_row(CHECKSUM, [], row).expect("sums")
}

#[test]
fn the_same_on_both_stores_and_twice() {
    let folder = sqlite::Folder::new();
    let path = folder.path().join("a.db");
    let url = format!("sqlite:{}", path.display());
    let postgres = Server::shared().database("load_scaled");
    let sizes = [(&[][..], 3), (&["--scale", "1"], 10), (&["--scale", "40"], 400)];
    for (scale, teams) in sizes {
        let mut checksums = Vec::new();
        for database in [url.as_str(), &postgres.url()] {
            let mut arguments = vec!["load", "car-racing", "--database", database, "--replace"];
            arguments.extend(scale);
            let said = duet_says(&arguments);
            assert!(said.starts_with("Loaded car-racing:\n  team "), "{said}");
            assert!(said.contains(" rows/s\n"), "{said}");
        }
        checksums.push(sqlite_checksum(&path));
        checksums.push(postgres.query(CHECKSUM));
        assert_eq!(checksums[0], checksums[1], "{scale:?}");
        assert!(checksums[0].starts_with(&format!("{teams}|{}|", teams * 2)), "{checksums:?}");
    }
    // Keys without gaps, and the next one free.
    assert_eq!(postgres.query("SELECT min(team_id), max(team_id) FROM team"), "1|400");
    postgres.exec("INSERT INTO team (name, points) VALUES ('next', 0)");
    assert_eq!(postgres.query("SELECT max(team_id) FROM team"), "1000");
    assert_eq!(
        postgres.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"),
        "driver\ndriver_race_map\nrace\nteam",
    );
}

#[test]
fn existing_tables_are_not_overwritten() {
    let folder = sqlite::Folder::new();
    let path = folder.load("a.db", &["CREATE TABLE Team (mine)", "INSERT INTO Team VALUES (1)"]);
    let postgres = Server::shared().database("load_refused");
    postgres.exec("CREATE TABLE team (mine int); INSERT INTO team VALUES (1)");
    for database in [path.display().to_string(), postgres.url()] {
        let (code, _, errors) = duet(&["load", "car-racing", "--database", &database]);
        assert_eq!(code, 1);
        assert!(errors.to_lowercase().starts_with("error: `team` is already in "), "{errors}");
        assert!(errors.contains("hint: `--replace` drops it first"), "{errors}");
    }
    assert_eq!(postgres.query("SELECT mine FROM team"), "1");
    let mine: i64 =
        sqlite::open(&path).query_row("SELECT mine FROM Team", [], |row| row.get(0)).unwrap();
    assert_eq!(mine, 1);
}

#[test]
fn the_record_shop_on_both_stores() {
    let folder = sqlite::Folder::new();
    let path = folder.path().join("shop.db").display().to_string();
    let postgres = Server::shared().database("load_shop");
    let counts = |said: String| -> Vec<String> {
        said.lines()
            .skip(1)
            .take(11)
            .filter_map(|line| Some(line.split_whitespace().last()?.to_owned()))
            .collect()
    };
    let on_sqlite = counts(duet_says(&["load", "chinook", "--database", &path]));
    let on_postgres = counts(duet_says(&["load", "chinook", "--database", &postgres.url()]));
    assert_eq!(on_sqlite, on_postgres);
    let expected = ["347", "275", "59", "8", "25", "412", "2,240", "5", "18", "8,715", "3,503"];
    assert_eq!(on_sqlite, expected);
    for database in [path, postgres.url()] {
        let said = duet_says(&["check", "chinook", "--database", &database]);
        assert!(said.ends_with(": 13 resources.\n") && said.starts_with("chinook fits "), "{said}");
    }
}

#[test]
fn data_sets_of_the_bench() {
    let folder = sqlite::Folder::new();
    let path = folder.path().join("d.db").display().to_string();
    let postgres = Server::shared().database("load_data_set");
    for database in [path.as_str(), &postgres.url()] {
        let load =
            ["bench", "load", "soe", "--database", database, "--scale", "0.0002", "--threads", "2"];
        let (code, said, progress) = duet(&load);
        assert_eq!(code, 0, "{progress}");
        assert!(said.starts_with("Loaded soe, scale 0.0002, seed 42:\n  customers"), "{said}");
        assert!(said.contains("\nRows inserted per second  "), "{said}");
        assert!(progress.contains("\norders: 286 of 286 rows, "), "{progress}");
        assert!(duet_says(&load).contains("is already loaded, at scale 0.0002 with seed 42"));
        let (code, _, errors) =
            duet(&["bench", "load", "soe", "--database", database, "--scale", "0.0004"]);
        assert_eq!(code, 1);
        assert!(errors.starts_with("error: Other data exist: scale 0.0002, seed 42."), "{errors}");
        assert!(errors.contains("hint: `--replace` drops it first"), "{errors}");
        let said = duet_says(&["bench", "load", "soe", "--database", database, "--validate"]);
        assert!(said.ends_with(" checks passed.\n") && !said.contains("FAILED"), "{said}");
        let (code, _, errors) =
            duet(&["bench", "load", "retail", "--database", database, "--validate"]);
        assert_eq!(code, 1);
        assert!(
            errors.starts_with("FAILED retail is loaded completely: it is not loaded"),
            "{errors}"
        );
    }
    for (wrong, code) in [
        (&["load", "car-racing", "--database", &path, "--seed", "1"][..], 2),
        (&["load", "car-racing", "--database", &path, "--scale", "0.5"], 2),
        (&["bench", "load", "lookup", "--database", &path, "--scale", "0.5"], 1),
        (&["bench", "load", "soe", "--database", &path, "--inventory"], 1),
    ] {
        assert_eq!(duet(wrong).0, code, "{wrong:?}");
    }
}
