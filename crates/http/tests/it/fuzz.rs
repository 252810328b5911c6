//! To come.
#[test]
fn dbg_it() {
    use crate::support::*;
    let database = Database::postgres("stress");
    database.exec("create table team(team_id integer primary key, name text); insert into team values (301,'x')");
    let app = Setup::new(&database).start();
    let paths = ["/ords/hr/race/1", "/ords/hr/team/301", "/ords/hr/race/"];
    let load = Load::start(&app, 4, &paths, |path, response| {
        match (response.status, path.contains("race")) {
            (200, _) | (404, true) => Ok(()),
            _ => Err("neither there nor gone".into()),
        }
    });
    let status = |app: &App, p: &str| app.get(p).status;
    for round in 0..40 {
        let t = std::time::Instant::now();
        database.exec("CREATE TABLE race (race_id integer NOT NULL PRIMARY KEY, laps integer); INSERT INTO race VALUES (1, 7);");
        eventually("the table is served", || status(&app, "/ords/hr/race/1") == 200);
        let a = t.elapsed();
        load.more(20);
        if round % 2 == 0 {
            database.exec("DROP TABLE race");
        } else {
            database.exec("ALTER TABLE race RENAME TO old_race; DROP TABLE old_race;");
        }
        eventually("the table is gone", || status(&app, "/ords/hr/race/1") == 404);
        eprintln!("{round} {a:?} {:?} gen {}", t.elapsed(), app.generation());
        load.more(20);
    }
    load.stop();
}
