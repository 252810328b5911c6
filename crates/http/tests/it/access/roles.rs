//! Database roles of clients: row security decides what each of them sees and writes, on every way
//! to rows, and no role is left behind on a connection.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use duet_auth::RoleClaim;
use duet_model::commit::{CommitConsumer, CommitEvent, RowChange};
use duet_model::{Code, Piece, QueryParameter, ServiceQuery, Type};
use duet_service::definition::{
    PathTemplate, Resource, ServiceFile, ServiceParameter, ServiceResult, ValueLimits,
};
use duet_store::Limits;
use duet_testkit::http::{Client, Response};
use duet_testkit::jwt::Issuer;
use serde_json::{Value, json};

use super::issuer;
use crate::support::{App, Database, Setup, Source, eventually};

/// Rows of `OWNER_A`, `OWNER_B` and of no caller. A's have odd keys.
const SCHEMA: &str = r#"
CREATE ROLE OWNER_A; CREATE ROLE OWNER_B; CREATE ROLE NO_ONE;
CREATE TABLE team (team_id int PRIMARY KEY, owner text NOT NULL DEFAULT current_user, name text NOT NULL);
CREATE TABLE driver (driver_id int PRIMARY KEY, owner text NOT NULL DEFAULT current_user,
    name text NOT NULL, team_id int REFERENCES team (team_id));
CREATE TABLE log (log_id int PRIMARY KEY, said text);
CREATE SEQUENCE ran;
CREATE FUNCTION run() RETURNS bigint LANGUAGE sql AS $$SELECT nextval('ran')$$;
CREATE FUNCTION who() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT current_user || ' ' || coalesce(current_setting('request.jwt.claims', true)::json ->> 'sub', '-')$$;
INSERT INTO team SELECT i, CASE i % 2 WHEN 1 THEN 'NAME_A' ELSE 'NAME_B' END, 'Team ' || i
    FROM generate_series(1, 40) i;
INSERT INTO team VALUES (100, 'nobody', 'Hidden');
INSERT INTO driver SELECT i, CASE i % 2 WHEN 1 THEN 'NAME_A' ELSE 'NAME_B' END, 'Driver ' || i, CASE WHEN i <= 20 THEN i - 1 ELSE i END % 4 + 1
    FROM generate_series(1, 40) i;
ALTER TABLE team ENABLE ROW LEVEL SECURITY;
ALTER TABLE driver ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON team USING (owner = current_user);
CREATE POLICY own ON driver USING (owner = current_user);
GRANT SELECT, INSERT, UPDATE, DELETE ON team, driver TO OWNER_A, OWNER_B;
GRANT USAGE ON SEQUENCE ran TO OWNER_A, OWNER_B;
ANALYZE;
"#;

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW team_dv AS SELECT JSON {
    'team_id': t.team_id, 'owner': t.owner, 'name': t.name,
    'drivers': [ SELECT JSON { 'driver_id': d.driver_id, 'owner': d.owner, 'name': d.name }
        FROM driver d WITH INSERT UPDATE DELETE WHERE d.team_id = t.team_id ] }
    FROM team t WITH INSERT UPDATE DELETE";

/// A database with the schema, and the names of its two roles: one of them needs quotes, and both are
/// of this test alone, for roles are of the whole server.
struct World {
    database: Database,
    name: &'static str,
}

impl World {
    fn new(name: &'static str) -> Self {
        let world = Self { database: Database::postgres(&format!("roles_{name}")), name };
        let quoted = |role: String| format!("\"{}\"", role.replace('"', "\"\""));
        let schema = SCHEMA
            .replace("OWNER_A", &quoted(world.a()))
            .replace("OWNER_B", &quoted(world.b()))
            .replace("NO_ONE", &quoted(world.no_one()))
            .replace("NAME_A", &world.a())
            .replace("NAME_B", &world.b());
        world.database.exec(&schema);
        world
    }

    fn a(&self) -> String {
        format!("{} \"Ann\"; RESET ROLE", self.name)
    }

    fn b(&self) -> String {
        format!("{}_bob", self.name)
    }

    /// A role that may not do anything.
    fn no_one(&self) -> String {
        format!("{}_no_one", self.name)
    }

    fn setup(&self) -> Setup {
        Setup::new(&self.database).view("teams", VIEW).with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.execute", "duet.admin"];
            setup.clients = vec![
                ("a", Some(self.a())),
                ("b", Some(self.b())),
                ("no one", Some(self.no_one())),
                ("ghost", Some(format!("{}_ghost", self.name))),
                ("plain", None),
            ];
        })
    }

    fn query(&self, sql: &str) -> String {
        match &self.database {
            Database::Postgres(database) => database.query(sql),
            Database::Sqlite(_) => panic!("no roles there"),
        }
    }
}

/// What is sent as a client.
struct As {
    connection: Client,
    bearer: String,
}

impl As {
    fn new(app: &App, client: &str) -> Self {
        Self { connection: app.connect(), bearer: app.bearer_of(client) }
    }

    fn send(&mut self, method: &str, path: &str, more: (&str, &str), body: &str) -> Response {
        let headers =
            [("Authorization", self.bearer.as_str()), ("Content-Type", "application/json"), more];
        self.connection.request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
    }

    fn get(&mut self, path: &str) -> Response {
        self.send("GET", path, ("X-Nothing", ""), "")
    }

    fn post(&mut self, path: &str, body: &Value) -> Response {
        self.send("POST", path, ("X-Nothing", ""), &body.to_string())
    }
}

fn code(response: &Response) -> (u16, String) {
    let code = response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned();
    (response.status, code)
}

/// With items in memory, each still sees its own rows alone, read from the database.
#[test]
fn nothing_from_memory_under_a_role() {
    let world = World::new("memory");
    let app = world.setup().start();
    for name in ["team", "team_dv"] {
        let path = format!("/admin/rowstore?resource=/ords/hr/{name}&bytes=1000000");
        let headers = [("Authorization", &*app.bearer_of("plain"))];
        let set = app.connect().request("POST", &path, &headers, b"");
        assert_eq!(set.status, 200, "{}", set.text());
    }
    let (mut plain, mut ann, mut bob) =
        (As::new(&app, "plain"), As::new(&app, "a"), As::new(&app, "b"));
    for path in ["team/1", "team_dv/1"] {
        let seen = |response: Response| {
            (response.status, response.header("x-cache").unwrap_or("none").to_owned())
        };
        assert_eq!(seen(plain.get(path)), (200, "miss".into()));
        for _ in 0..2 {
            assert_eq!(seen(plain.get(path)), (200, "hit".into()));
            assert_eq!(seen(ann.get(path)), (200, "bypass".into()));
            assert_eq!(seen(bob.get(path)).0, 404);
        }
        assert_eq!(seen(bob.get("team/2")), (200, "bypass".into()));
    }
    for path in ["team/?ids=1,2", "team_dv/?ids=1,2"] {
        assert_eq!(plain.get(path).json()["missing"], json!([]), "{path}");
        for (caller, missing) in [(&mut ann, "2"), (&mut bob, "1")] {
            let response = caller.get(path);
            assert_eq!(response.header("x-cache"), Some("bypass"), "{path}");
            assert_eq!(response.json()["missing"], json!([missing]), "{path}");
            assert_eq!(response.json()["count"], 1, "{path}");
        }
    }
}

/// The log's warnings on clients whose roles cannot be used.
fn unusable(app: &App) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(app.service.check_clients())
}

/// The values of a member in a page's items.
fn column(response: &Response, name: &str) -> Vec<Value> {
    assert_eq!(response.status, 200, "{response:?}");
    let page = response.json();
    page["items"].as_array().unwrap().iter().map(|item| item[name].clone()).collect()
}

#[test]
fn roles_see_their_own_rows() {
    let world = World::new("sees");
    let app = world.setup().start();
    for (client, role, rest, other) in [("a", world.a(), 1, 2), ("b", world.b(), 0, 1)] {
        let mut it = As::new(&app, client);
        let (own, foreign) = (rest + 2, other + 2);
        assert_eq!(it.get(&format!("team/{own}")).json()["owner"], json!(role));
        assert_eq!(it.get(&format!("team/{foreign}")).status, 404);
        assert_eq!(it.get("team/100").status, 404);
        let owners = column(&it.get("team/?limit=1000"), "owner");
        assert_eq!(owners, vec![json!(role); 20]);
        // No client learns from a count, also not from an estimate, what others have.
        for count in ["exact", "estimated"] {
            let page = it.get(&format!("team/?limit=2&count={count}")).json();
            assert_eq!((&page["total"], &page["totalExact"]), (&json!(20), &json!(true)));
        }
        let filtered = it.get("team/?q=%7B%22team_id%22:%7B%22$lte%22:4%7D%7D&count=exact");
        assert_eq!(column(&filtered, "owner"), vec![json!(role); 2]);
        let found = it.post("team/search", &json!({"q": {"team_id": {"$gte": 39}}}));
        assert_eq!(column(&found, "owner"), [json!(role)]);
        // Levels below the root are other tables with policies of their own.
        for path in [format!("team_dv/{own}"), format!("team/{own}?expand=driver")] {
            let document = it.get(&path).json();
            let drivers = document.get("drivers").or(document.get("driver")).unwrap();
            for driver in drivers.as_array().unwrap() {
                assert_eq!(driver["owner"], json!(role), "{document}");
            }
        }
        // Team 1 is A's, and driver 4 is B's: each sees its own alone.
        let drivers = it.get("driver/?expand=team&limit=100");
        for (id, team) in column(&drivers, "driver_id").iter().zip(column(&drivers, "team")) {
            let id = id.as_i64().unwrap();
            let of = if id <= 20 { id - 1 } else { id } % 4 + 1;
            assert_eq!(team == json!({}), of % 2 != rest, "driver {id} of team {of}");
        }
        assert_eq!(
            it.post("who", &json!({})).json()["~ret"].as_str().unwrap().split(' ').next(),
            role.split(' ').next()
        );
    }
    let mut plain = As::new(&app, "plain");
    assert_eq!(plain.get("team/100").status, 200, "Duet's own user");
    assert_eq!(plain.get("team/?count=exact").json()["total"], 41);
    assert_eq!(plain.get("team/?count=estimated").json()["totalExact"], json!(false));
}

#[test]
fn streams_bring_own_rows_alone() {
    let world = World::new("streams");
    let app = world.setup().with(|setup| setup.limits.streams = 1).start();
    // One connection for all streams: the next caller gets it as it was left.
    for (client, expected) in
        [("a", 20), ("plain", 41), ("b", 20), ("no one", 0), ("a", 20), ("plain", 41)]
    {
        let mut it = As::new(&app, client);
        for path in ["team/", "team_dv/"] {
            let lines = it.send("GET", path, ("Accept", "application/x-ndjson"), "");
            if expected == 0 {
                assert_eq!(code(&lines), (403, "DUET-4012".to_owned()));
                continue;
            }
            assert_eq!(lines.text().lines().count(), expected, "{client} {path}");
            let drivers = lines.text().matches("driver_id").count();
            let all = if expected == 41 { 40 } else { 10 };
            assert_eq!(drivers, if path == "team/" { 0 } else { all }, "{client}");
            let csv = it.send("GET", path, ("Accept", "text/csv"), "");
            if path == "team/" {
                assert_eq!(csv.text().lines().count(), expected + 1);
            }
        }
    }
}

#[test]
fn a_representation_of_another_is_never_confirmed() {
    let world = World::new("etags");
    let app = world.setup().start();
    let (mut a, mut b) = (As::new(&app, "a"), As::new(&app, "b"));
    for path in ["team/?limit=5", "team_dv/?limit=5"] {
        let first = a.get(path);
        let etag = first.header("etag").unwrap();
        assert_eq!(a.send("GET", path, ("If-None-Match", etag), "").status, 304);
        let other = b.send("GET", path, ("If-None-Match", etag), "");
        assert_eq!(other.status, 200);
        assert_eq!(column(&other, "owner"), vec![json!(world.b()); 5]);
    }
}

/// What routines and triggers set in their session.
const LEAVES: &str = r#"
CREATE FUNCTION leave() RETURNS text LANGUAGE plpgsql AS $$BEGIN
    PERFORM set_config('request.jwt.claims', '{"sub":"left"}', false), set_config('role', 'OWNER_A', false),
        set_config('search_path', 'pg_catalog', false), set_config('TimeZone', 'Asia/Tokyo', false),
        set_config('app.user', 'left', false), set_config('statement_timeout', '7777ms', false),
        pg_catalog.pg_try_advisory_lock(pg_catalog.pg_backend_pid());
    RETURN 'left'; END$$;
CREATE FUNCTION leaves() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
    PERFORM set_config('request.jwt.claims', '{"sub":"left"}', false), set_config('app.user', 'left', false);
    RETURN new; END$$;
CREATE TRIGGER leaves AFTER INSERT ON log FOR EACH ROW EXECUTE FUNCTION leaves();
CREATE FUNCTION found() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', current_user, current_setting('request.jwt.claims'), current_setting('search_path'),
        current_setting('TimeZone'), nullif(current_setting('app.user', true), ''), current_setting('statement_timeout'),
        (SELECT count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()))$$;
"#;

/// What code of the database sets for its session reaches no other client, nor a later request of the same one.
#[test]
fn nothing_that_code_sets_is_left_on_a_connection() {
    let world = World::new("leaves");
    world.database.exec(&LEAVES.replace("OWNER_A", &world.a()));
    let app = world.setup().start();
    let mut plain = As::new(&app, "plain");
    let mut found = || plain.post("found", &json!({})).json()["~ret"].as_str().unwrap().to_owned();
    let first = found();
    assert!(first.starts_with("postgres {} "), "{first}");
    let mut others = As::new(&app, "plain");
    // More often than there are connections.
    for number in 0..12 {
        assert_eq!(others.post("leave", &json!({})).status, 200);
        assert_eq!(found(), first, "behind routine {number}");
        assert_eq!(others.post("log", &json!({ "log_id": number })).status, 201);
        assert_eq!(found(), first, "behind trigger {number}");
    }
    let both = json!([{ "log_id": 100 }, { "log_id": 101 }]);
    assert_eq!(others.post("log", &both).status, 201);
    assert_eq!(found(), first, "behind rows");
}

/// Few connections, many who use them at once: items of several clients queue for the same
/// statement at the same time, beside pages, counts and writes.
#[test]
fn no_role_is_left_on_a_connection() {
    const THREADS: usize = 4;
    const ROUNDS: i64 = 60;
    let world = World::new("leaks");
    let few = Limits { connections: 3, ..Limits::default() };
    let app = world.setup().with(|setup| setup.limits = few).start();
    let next = AtomicUsize::new(1_000);
    let ask = |client: &str, role: Option<&str>| {
        let mut it = As::new(&app, client);
        for round in 0..ROUNDS {
            let id = round % 40 + 1;
            let own = role.is_none_or(|role| (id % 2 == 1) == (role == world.a()));
            for path in
                [format!("team/{id}"), format!("team_dv/{id}"), format!("driver/{id}?expand=team")]
            {
                let got = it.get(&path);
                assert_eq!(got.status, if own { 200 } else { 404 }, "{client}: {path} {got:?}");
            }
            let owners = column(
                &it.get(&format!("team/?limit=1&q=%7B%22team_id%22:{id}%7D&count=exact")),
                "owner",
            );
            assert_eq!(owners.len(), usize::from(own), "{client}: {id}");
            let new = next.fetch_add(1, Ordering::SeqCst);
            let made = it.post("team/", &json!({"team_id": new, "name": "new"}));
            assert_eq!(made.json()["owner"], json!(role.unwrap_or("postgres")), "{made:?}");
            let who = it.post("who", &json!({})).json()["~ret"].as_str().unwrap().to_owned();
            assert!(who.starts_with(role.unwrap_or("postgres")), "{who}");
            if round % 7 == 0 {
                let refused = it.get("log/1");
                assert_eq!(refused.status, if role.is_some() { 403 } else { 404 }, "{refused:?}");
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| ask("a", Some(&world.a())));
            scope.spawn(|| ask("b", Some(&world.b())));
            scope.spawn(|| ask("plain", None));
        }
    });
    assert!(app.service.store_counted().batches > 0);
    let made =
        world.query("SELECT owner, count(*) FROM team WHERE team_id >= 1000 GROUP BY 1 ORDER BY 1");
    assert_eq!(made.lines().count(), 3, "{made}");
    for line in made.lines() {
        assert!(line.ends_with(&format!("|{}", THREADS as i64 * ROUNDS)), "{made}");
    }
}

#[test]
fn writes_against_a_policy_change_nothing() {
    let world = World::new("writes");
    let app = world.setup().start();
    let before = world.query("SELECT count(*), sum(team_id), min(owner), max(name) FROM team");
    let drivers = world.query("SELECT string_agg(d::text, ';' ORDER BY driver_id) FROM driver d");
    let mut a = As::new(&app, "a");
    let theirs = json!({"team_id": 500, "owner": world.b(), "name": "x"});
    let row_security = (403, "DUET-7110".to_owned());
    assert_eq!(code(&a.post("team/", &theirs)), row_security);
    assert_eq!(code(&a.post("team_dv/", &theirs)), row_security);
    let patch = json!({"owner": world.b()}).to_string();
    let media = "application/merge-patch+json";
    let patched = |it: &mut As, path: &str, body: &str| {
        let headers = [("Authorization", it.bearer.as_str()), ("Content-Type", media)];
        it.connection.request("PATCH", &format!("/ords/hr/{path}"), &headers, body.as_bytes())
    };
    assert_eq!(code(&patched(&mut a, "team/1", &patch)), row_security);
    assert_eq!(code(&patched(&mut a, "team/?q=%7B%22team_id%22:1%7D", &patch)), row_security);
    // What a client does not see is not there, for writes too.
    assert_eq!(patched(&mut a, "team/2", r#"{"name":"x"}"#).status, 404);
    assert_eq!(a.send("DELETE", "team/2", ("X-Nothing", ""), "").status, 404);
    let all = "team/?q=%7B%22team_id%22:%7B%22$gte%22:2%7D%7D";
    let dry = a.send("DELETE", "driver/?q=%7B%7D", ("Prefer", "tx=rollback"), "");
    assert_eq!(dry.json()["rowsDeleted"], 20);
    let planned = patched(&mut a, &format!("{all}&explain=true"), r#"{"name":"x"}"#);
    assert_eq!(planned.json().as_array().unwrap().len(), 19);
    let operations = json!([
        {"method": "PATCH", "path": "team/1", "body": {"name": "changed"}},
        {"method": "POST", "path": "team", "body": theirs},
    ]);
    assert_eq!(code(&a.post("_/transaction", &operations)), row_security);
    for (media, body) in [
        ("text/csv", format!("team_id,owner,name\n501,\"{}\",x\n", world.b())),
        ("application/json", json!([theirs]).to_string()),
    ] {
        let headers = [
            ("Authorization", a.bearer.as_str()),
            ("Content-Type", media),
            ("Accept", "application/json"),
        ];
        let report =
            a.connection.request("POST", "/ords/hr/team/batchload", &headers, body.as_bytes());
        assert!(report.text().contains("DUET-7110"), "{report:?}");
    }
    let report = a.post("team_dv/batchload", &json!([theirs]));
    assert!(report.text().contains("DUET-7110"), "{report:?}");
    // Replacing by key would update another's row.
    let headers = [
        ("Authorization", a.bearer.as_str()),
        ("Content-Type", "text/csv"),
        ("Accept", "application/json"),
    ];
    let upsert = format!("team_id,owner,name\n2,\"{}\",stolen\n", world.a().replace('"', "\"\""));
    let report = a.connection.request(
        "POST",
        "/ords/hr/team/batchload?upsert=true",
        &headers,
        upsert.as_bytes(),
    );
    assert!(report.text().contains("DUET-7110"), "{report:?}");
    assert_eq!(
        world.query("SELECT count(*), sum(team_id), min(owner), max(name) FROM team"),
        before
    );
    assert_eq!(
        world.query("SELECT string_agg(d::text, ';' ORDER BY driver_id) FROM driver d"),
        drivers
    );
}

#[test]
fn roles_write_their_own_rows() {
    let world = World::new("own");
    let app = world.setup().start();
    let (mut a, mut b) = (As::new(&app, "a"), As::new(&app, "b"));
    let owner = |id: u32| world.query(&format!("SELECT owner FROM team WHERE team_id = {id}"));
    assert_eq!(a.post("team/", &json!({"team_id": 601, "name": "n"})).status, 201);
    let document =
        json!({"team_id": 602, "name": "n", "drivers": [{"driver_id": 602, "name": "d"}]});
    assert_eq!(b.post("team_dv/", &document).status, 201);
    assert_eq!((owner(601), owner(602)), (world.a(), world.b()));
    let operations = json!([
        {"method": "POST", "path": "team", "body": {"team_id": 603, "name": "n"}},
        {"method": "PATCH", "path": "team/1", "body": {"name": "by a"}},
    ]);
    let done = a.post("_/transaction", &operations);
    assert_eq!((done.status, owner(603)), (200, world.a()), "{done:?}");
    // A load by COPY, which row security does not allow, falls back to INSERT; and clears own rows alone.
    let headers = [
        ("Authorization", b.bearer.as_str()),
        ("Content-Type", "text/csv"),
        ("Accept", "application/json"),
    ];
    let rows = "driver_id,name\n701,x\n702,y\n";
    let report = b.connection.request(
        "POST",
        "/ords/hr/driver/batchload?batchesPerCommit=1&batchRows=1",
        &headers,
        rows.as_bytes(),
    );
    assert_eq!(report.status, 200, "{report:?}");
    assert_eq!(
        world.query(&format!(
            "SELECT count(*) FROM driver WHERE driver_id > 700 AND owner = '{}'",
            world.b()
        )),
        "2"
    );
    let cleared = b.connection.request(
        "POST",
        "/ords/hr/driver/batchload?truncate=true",
        &headers,
        b"driver_id,name\n703,z\n",
    );
    assert_eq!(cleared.status, 200, "{cleared:?}");
    assert_eq!(
        world.query("SELECT count(*) FROM driver WHERE driver_id % 2 = 1 AND driver_id < 100"),
        "20"
    );
    assert_eq!(world.query("SELECT string_agg(driver_id::text, ',') FROM driver WHERE driver_id % 2 = 0 OR driver_id > 100"), "703");
    assert_eq!(
        a.send("DELETE", "driver/?q=%7B%7D", ("X-Nothing", ""), "").json()["rowsDeleted"],
        20
    );
    assert_eq!(world.query("SELECT count(*) FROM driver"), "1");
}

/// Every way to rows, asked in the same words.
fn every_way(it: &mut As) -> Vec<(&'static str, Response)> {
    let item = json!({"team_id": 900, "name": "n"});
    let stream = ("Accept", "application/x-ndjson");
    vec![
        ("item", it.get("team/1")),
        ("document", it.get("team_dv/1")),
        ("page", it.get("team/")),
        ("count", it.get("team/?count=estimated&limit=1")),
        ("documents", it.get("team_dv/")),
        ("search", it.post("team/search", &json!({}))),
        ("expand", it.get("team/1?expand=driver")),
        ("stream", it.send("GET", "team/", stream, "")),
        ("stream of documents", it.send("GET", "team_dv/", stream, "")),
        ("insert", it.post("team/", &item)),
        ("insert of a document", it.post("team_dv/", &item)),
        ("put", it.send("PUT", "team/900", ("X-Nothing", ""), &item.to_string())),
        ("delete", it.send("DELETE", "team/1", ("X-Nothing", ""), "")),
        ("delete by filter", it.send("DELETE", "team/?q=%7B%7D", ("X-Nothing", ""), "")),
        (
            "transaction",
            it.post("_/transaction", &json!([{"method": "POST", "path": "team", "body": item}])),
        ),
        ("load", it.post("team/batchload", &json!([item]))),
        ("load that clears", it.post("team/batchload?truncate=true", &json!([item]))),
        ("load of documents", it.post("team_dv/batchload", &json!([item]))),
        ("routine", it.post("run", &json!({}))),
    ]
}

#[test]
fn a_role_without_the_privilege_is_refused() {
    let world = World::new("privilege");
    let app = world.setup().start();
    for (way, response) in every_way(&mut As::new(&app, "no one")) {
        assert_eq!(code(&response), (403, "DUET-4012".to_owned()), "{way}: {response:?}");
        assert!(!response.text().contains("no_one"), "{response:?}");
    }
    assert_eq!(world.query("SELECT count(*) FROM team; SELECT is_called FROM ran"), "41\nf");
    // The same of a client without a role, which may: some are in each other's way.
    for (way, response) in every_way(&mut As::new(&app, "plain")) {
        let well = response.status < 300 || matches!(response.status, 409 | 422);
        assert!(well, "{way}: {response:?}");
    }
}

/// What follows in the flush of a role that cannot be taken, or of claims that cannot be set, does
/// not run.
#[test]
fn nothing_runs_without_its_role() {
    let world = World::new("ghost");
    let app = world.setup().start();
    let untouched =
        || world.query("SELECT count(*) FROM team; SELECT is_called FROM ran") == "41\nf";
    for (way, response) in every_way(&mut As::new(&app, "ghost")) {
        assert_eq!(code(&response), (500, "DUET-5013".to_owned()), "{way}: {response:?}");
    }
    assert!(untouched());
    // A role that is taken away while it is in use.
    let mut a = As::new(&app, "a");
    assert_eq!(a.get("team/1").status, 200);
    let role = world.a().replace('"', "\"\"");
    world.database.exec(&format!("ALTER ROLE \"{role}\" RENAME TO \"{}_away\"", world.name));
    for (way, response) in every_way(&mut a) {
        assert_eq!(code(&response), (500, "DUET-5013".to_owned()), "{way}: {response:?}");
    }
    assert!(untouched());
    world.database.exec(&format!("ALTER ROLE \"{}_away\" RENAME TO \"{role}\"", world.name));
    assert_eq!(a.get("team/1").status, 200);
    // Claims that cannot be set.
    let revoke =
        "REVOKE EXECUTE ON FUNCTION pg_catalog.set_config(text, text, boolean) FROM PUBLIC";
    world.database.exec(revoke);
    for (way, response) in every_way(&mut a) {
        assert_eq!(code(&response), (403, "DUET-4012".to_owned()), "{way}: {response:?}");
    }
    assert!(untouched());
    assert_eq!(As::new(&app, "plain").get("team/1").status, 200);
}

/// Duet's own user need not be a superuser, and may then take only the roles that it was granted.
#[test]
fn only_granted_roles_are_taken() {
    let world = World::new("granted");
    let user = format!("{}_duet", world.name);
    world.database.exec(&format!(
        "CREATE ROLE {user} LOGIN; GRANT {} TO {user}; GRANT SELECT ON team, driver TO {user};",
        world.b()
    ));
    let Source::Url(url) = world.database.source() else { panic!("no URL") };
    let source = Source::Url(url.replace("user=postgres", &format!("user={user}")));
    let setup = || {
        let usual = world.setup();
        Setup::of(source.clone()).with(|setup| {
            setup.roles = usual.roles;
            setup.clients = usual.clients;
            setup.clients.push(("root", Some("postgres".to_owned())));
        })
    };
    let app = setup().start();
    assert_eq!(app.service.superuser(), None);
    assert_eq!(As::new(&app, "b").get("team/2").status, 200);
    assert_eq!(code(&As::new(&app, "a").get("team/1")), (500, "DUET-5013".to_owned()));
    let notes = unusable(&app);
    let told =
        |name: &str| notes.iter().find(|note| note.starts_with(&format!("the client {name:?}")));
    assert!(told("b").is_none() && told("plain").is_none(), "{notes:?}");
    let expected = format!("does not let its user \"{user}\" take the role");
    assert!(told("a").unwrap().contains(&expected), "{notes:?}");
    assert!(told("ghost").unwrap().contains("has no role \"granted_ghost\""), "{notes:?}");
    // No message suggests a superuser's role for clients.
    let root = told("root").unwrap();
    assert!(root.contains("a superuser's") && !root.contains("GRANT"), "{root}");
    // A reload says so too, and what is granted counts at once.
    let reload =
        app.connect().request("POST", "/admin/reload", &[("Authorization", &app.bearer())], b"");
    assert!(
        reload.json()["notes"].to_string().contains("the client \\\"a\\\" cannot be served"),
        "{reload:?}"
    );
    world.database.exec(&format!("GRANT \"{}\" TO {user}", world.a().replace('"', "\"\"")));
    assert_eq!(As::new(&app, "a").get("team/1").status, 200);
    world.database.exec(&format!("REVOKE {} FROM {user}", world.b()));
    eventually("the role is lost", || As::new(&app, "b").get("team/2").status == 500);
    let refused = setup()
        .with(|setup| setup.anonymous_db_role = Some(world.no_one().parse().unwrap()))
        .try_start();
    assert_eq!(refused.err().unwrap().code, Code::RoleUnusable);
}

#[test]
fn policies_see_the_claims() {
    let world = World::new("claims");
    let a = world.a().replace('"', "\"\"");
    world.database.exec(&format!(
        "CREATE TABLE note (note_id int PRIMARY KEY, subject text NOT NULL);
        ALTER TABLE note ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON note USING (subject = current_setting('request.jwt.claims', true)::json ->> 'sub');
        GRANT SELECT, INSERT ON note TO \"{a}\";
        INSERT INTO note VALUES (1, 'ann'), (2, 'bea');"
    ));
    let keys = Issuer::new("k");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.json");
    std::fs::write(&file, keys.jwks().to_string()).unwrap();
    let mut asked = issuer::asked();
    let allowed = vec![world.a().parse().unwrap()];
    asked.db_role = Some(RoleClaim { at: "/db_role".parse().unwrap(), allowed });
    let few = Limits { connections: 2, ..Limits::default() };
    let app = world
        .setup()
        .with(|setup| (setup.issuer, setup.limits) = (Some((asked, issuer::by_file(file))), few))
        .start();
    let token = |subject: &str, role: Value| {
        let claims = issuer::with(
            &issuer::claims(&["duet.read", "duet.write", "duet.execute"]),
            "sub",
            json!(subject),
        );
        format!("Bearer {}", keys.token(&issuer::with(&claims, "db_role", role)))
    };
    let of =
        |subject: &str| As { connection: app.connect(), bearer: token(subject, json!(world.a())) };
    // Two with the same role and other claims, at the same time.
    std::thread::scope(|scope| {
        for (subject, own, other) in [("ann", 1, 2), ("bea", 2, 1)].repeat(3) {
            let mut it = of(subject);
            scope.spawn(move || {
                for _ in 0..40 {
                    assert_eq!(it.get(&format!("note/{own}")).status, 200);
                    assert_eq!(it.get(&format!("note/{other}")).status, 404);
                    assert_eq!(column(&it.get("note/"), "subject"), [json!(subject)]);
                    let who =
                        it.post("who", &json!({})).json()["~ret"].as_str().unwrap().to_owned();
                    assert!(who.ends_with(&format!(" {subject}")), "{who}");
                }
            });
        }
    });
    assert_eq!(
        code(&of("ann").post("note/", &json!({"note_id": 3, "subject": "bea"}))),
        (403, "DUET-7110".to_owned())
    );
    assert_eq!(of("ann").post("note/", &json!({"note_id": 3, "subject": "ann"})).status, 201);
    // Duet's own clients have claims too; who has no role has none, on a used connection as on a new one.
    let mut client = As::new(&app, "a");
    let who = client.post("who", &json!({})).json()["~ret"].as_str().unwrap().to_owned();
    assert_eq!(who.rsplit(' ').next().unwrap().len(), 22, "{who}");
    for _ in 0..4 {
        assert_eq!(As::new(&app, "plain").post("who", &json!({})).json()["~ret"], "postgres -");
    }
    // A token names one of the roles allowed, or gets nothing at all.
    for role in
        [Value::Null, json!(world.b()), json!("postgres"), json!([world.a()]), json!("none")]
    {
        let mut it = As { connection: app.connect(), bearer: token("ann", role.clone()) };
        for (way, response) in every_way(&mut it) {
            assert_eq!(code(&response), (403, "DUET-4013".to_owned()), "{way} {role}");
        }
    }
}

#[test]
fn anonymous_callers_have_a_role() {
    let world = World::new("strangers");
    let app = world
        .setup()
        .privilege(&["duet.anyone"], &["/*"])
        .with(|setup| setup.anonymous_db_role = Some(world.b().parse().unwrap()))
        .start();
    let get = |path: &str| app.connect().get(&format!("/ords/hr/{path}"), &[]);
    assert_eq!((get("team/2").status, get("team/1").status), (200, 404));
    assert_eq!(column(&get("team/?limit=100"), "owner"), vec![json!(world.b()); 20]);
    assert_eq!(As::new(&app, "a").get("team/1").status, 200);
    assert_eq!(As::new(&app, "plain").get("team/?count=exact").json()["total"], 41);
}

#[test]
fn sqlite_has_no_roles() {
    let database = Database::sqlite();
    database.exec(
        "CREATE TABLE team (team_id integer PRIMARY KEY, name text NOT NULL);
        CREATE TABLE driver (driver_id integer PRIMARY KEY, team_id integer REFERENCES team);
        INSERT INTO team VALUES (1, 'x');",
    );
    let setup = || {
        Setup::new(&database).with(|setup| {
            setup.roles = vec!["duet.read", "duet.write", "duet.execute"];
            setup.clients = vec![("a", Some("shop".into())), ("plain", None)];
        })
    };
    let app = setup().start();
    let mut a = As::new(&app, "a");
    let ways = every_way(&mut a);
    for (way, response) in
        ways.iter().filter(|(way, _)| !way.contains("document") && *way != "routine")
    {
        assert_eq!(code(response), (500, "DUET-5013".to_owned()), "{way}: {response:?}");
    }
    let mut plain = As::new(&app, "plain");
    assert_eq!(plain.get("team/?count=exact").json()["total"], 1, "nothing was written");
    let notes = unusable(&app);
    assert!(
        notes[0].starts_with("the client \"a\" cannot be served: DUET-5013: SQLite has no roles")
    );
    let refused =
        setup().with(|setup| setup.anonymous_db_role = Some("shop".parse().unwrap())).try_start();
    assert_eq!(refused.err().unwrap().code, Code::RoleUnusable);
}

/// Commit events need the columns that link rows, but a role may not be allowed to read them: its writes
/// say what is known without them.
#[test]
fn events_read_nothing_that_a_role_may_not_read() {
    struct Rows(Mutex<Vec<(String, Vec<RowChange>)>>);
    impl CommitConsumer for Rows {
        fn committed(&self, event: &CommitEvent<'_>) {
            let rows = event.relations.iter().map(|change| {
                let rows = change.extent.rows().expect("the rows are known");
                (change.relation.name().to_owned(), rows.to_vec())
            });
            self.0.lock().unwrap().extend(rows);
        }
    }
    let world = World::new("linking");
    let role = world.no_one();
    world.database.exec(&format!(
        "CREATE TABLE seat (id int PRIMARY KEY, name text, team_id int REFERENCES team (team_id));
         INSERT INTO seat VALUES (1, 'one', 1), (2, 'two', 2);
         GRANT SELECT (id, name), INSERT (id, name), UPDATE (name), DELETE ON seat TO {role}"
    ));
    let view = "CREATE JSON RELATIONAL DUALITY VIEW seat_dv AS
        SELECT JSON { '_id': s.id, 'name': s.name } FROM seat s WITH INSERT UPDATE DELETE";
    let app = world.setup().view("seats", view).start();
    let rows = Arc::new(Rows(Mutex::default()));
    app.service.store().commits().subscribe(Arc::clone(&rows) as _);
    let (mut client, none) = (As::new(&app, "no one"), ("X-Nothing", ""));
    let changed = client.send("PATCH", "seat_dv/1", none, r#"{"name":"first"}"#);
    assert_eq!(changed.status, 200, "{changed:?}");
    let made = client.send("POST", "seat_dv/", none, r#"{"_id":3,"name":"three"}"#);
    assert_eq!(made.status, 201, "{made:?}");
    let gone = client.send("DELETE", "seat_dv/2", none, "");
    assert_eq!(gone.status, 200, "{gone:?}");
    let id = |id| Some(vec![(0, duet_model::Value::Int(id))]);
    let change = |before, after| ("seat".to_owned(), vec![RowChange { before, after }]);
    let expected = [change(id(1), id(1)), change(None, id(3)), change(id(2), None)];
    assert_eq!(*rows.0.lock().unwrap(), expected);
}

/// A service at `/NAME` whose statement is this, with the parameters `:id` and `:name` in this order.
fn service(name: &str, method: &str, result: ServiceResult, statement: &str) -> ServiceFile {
    let mut pieces = Vec::new();
    let parameters = [("id", Type::Integer { bits: 64 }, "int8"), ("name", Type::Text, "text")];
    let mut rest = statement;
    let mut used = 0;
    for (index, (name, ..)) in parameters.iter().enumerate() {
        let Some((before, behind)) = rest.split_once(&format!(":{name}")) else { break };
        pieces.push(Piece::Text { text: before.to_owned(), at: 0 });
        pieces.push(Piece::Parameter { index, at: 0 });
        (rest, used) = (behind, index + 1);
    }
    pieces.push(Piece::Text { text: rest.to_owned(), at: 0 });
    let declared = |(name, ty, declared): &(&str, Type, &str)| QueryParameter {
        name: (*name).to_owned(),
        ty: ty.clone(),
        declared: (*declared).to_owned(),
    };
    let parameters: Vec<_> = parameters[..used].iter().map(declared).collect();
    let own = |parameter: &QueryParameter| ServiceParameter {
        name: parameter.name.clone(),
        ty: parameter.ty.clone(),
        optional: false,
        default: None,
        limits: ValueLimits::default(),
        answer: None,
        items: None,
    };
    ServiceFile {
        name: name.to_owned(),
        file: format!("{name}.sql"),
        method: method.to_owned(),
        path: PathTemplate::read(&format!("/{name}")).unwrap(),
        result,
        parameters: parameters.iter().map(own).collect(),
        statements: vec![ServiceQuery { pieces, parameters }],
        ..ServiceFile::default()
    }
}

/// Services that read teams, say who runs them and write teams.
fn with_services(world: &World) -> Setup {
    let owned = ServiceFile {
        key: vec!["team_id".to_owned()],
        ..service("owned", "GET", ServiceResult::Rows, "SELECT team_id, owner FROM team")
    };
    let rename = "WITH of AS (SELECT :id AS id, :name AS name) UPDATE team t SET name = of.name FROM of \
                  WHERE t.team_id = of.id RETURNING t.team_id, t.owner";
    let files = [
        owned,
        service("caller", "GET", ServiceResult::Row, "SELECT current_user::text AS caller"),
        service("rename", "POST", ServiceResult::Row, rename),
        service("remove", "POST", ServiceResult::Count, "DELETE FROM team WHERE team_id = :id"),
    ];
    let rowstore = Resource {
        name: "owned".to_owned(),
        table: "owned".to_owned(),
        rowstore: 1_000_000,
        ..Resource::default()
    };
    world.setup().with(|setup| {
        setup.mount().services = files.map(Arc::new).into();
        setup.mount().resources.push(rowstore);
    })
}

/// What a service reads and writes is what the row security of the caller's role shows.
#[test]
fn services_run_under_the_role_of_their_caller() {
    let world = World::new("services");
    let app = with_services(&world).start();
    for (client, role, own, foreign) in [("a", world.a(), 1, 2), ("b", world.b(), 2, 1)] {
        let (mut it, mut plain) = (As::new(&app, client), As::new(&app, "plain"));
        assert_eq!(it.get("caller").json()["caller"], json!(role));
        assert_ne!(plain.get("caller").json()["caller"], json!(role), "no role is left behind");
        assert_eq!(column(&it.get("owned/?limit=1000"), "owner"), vec![json!(role); 20]);
        assert_eq!(column(&plain.get("owned/?limit=1000"), "owner").len(), 41);
        let stream = it.send("GET", "owned/", ("Accept", "application/x-ndjson"), "");
        assert_eq!(stream.text().lines().count(), 20);
        // Items in memory are those of callers without a role.
        assert_eq!(plain.get(&format!("owned/{foreign}")).status, 200);
        assert_eq!(plain.get(&format!("owned/{foreign}")).header("x-cache"), Some("hit"));
        assert_eq!(it.get(&format!("owned/{foreign}")).status, 404);
        assert_eq!(it.get(&format!("owned/{own}")).header("x-cache"), Some("bypass"));
        let renamed = it.post("rename", &json!({"id": own, "name": "New"}));
        assert_eq!(renamed.json(), json!({"team_id": own, "owner": role}));
        assert_eq!(it.post("rename", &json!({"id": foreign, "name": "New"})).status, 404);
        let both = json!([{"id": foreign, "name": "Newer"}, {"id": own, "name": "Newer"}]);
        let results = it.post("rename/_/batch", &both).json();
        assert_eq!((&results[0]["status"], &results[1]["status"]), (&json!(404), &json!(200)));
        assert_eq!(it.post("remove", &json!({"id": foreign})).json(), json!({"count": 0}));
    }
    assert_eq!(
        world.query("SELECT count(*), count(*) FILTER (WHERE name = 'Newer') FROM team"),
        "41|2"
    );
    let mut none = As::new(&app, "no one");
    for response in [none.get("owned/"), none.post("remove", &json!({"id": 1}))] {
        assert_eq!(code(&response), (403, "DUET-4012".to_owned()), "{response:?}");
    }
}
