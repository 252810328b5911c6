//! What a caller may not read cannot be found out by asking.
//!
//! Two servers have the same data but for values that a role must not learn. Every request of a
//! generated set (role × method × condition × parameter × body) goes to both. Unless the role may
//! read the resource, both must answer alike: status, headers (counts, etags, places), message and
//! body. Columns that are hidden are tested the same way with roles that may read.

use duet_auth::{Operation, Privilege};
use duet_service::definition::Resource;
use duet_testkit::http::{Client, Response};

use crate::support::{App, Database, Setup, on_both_stores, percent_encode};

on_both_stores! {
    nothing_stored_is_told_to_those_who_may_not_read
    hidden_columns_are_told_to_nobody
    readers_are_told
}

const TABLES: &str = "
CREATE TABLE owner (owner_id integer NOT NULL PRIMARY KEY, rank integer NOT NULL);
CREATE TABLE vault (vault_id integer NOT NULL PRIMARY KEY, secret varchar(40), label varchar(40),
    owner_id integer REFERENCES owner (owner_id));
CREATE TABLE coin (coin_id integer NOT NULL PRIMARY KEY, worth integer NOT NULL,
    vault_id integer NOT NULL REFERENCES vault (vault_id));
CREATE TABLE safe (safe_id integer NOT NULL PRIMARY KEY, pin integer, label varchar(40),
    owner_id integer REFERENCES owner (owner_id));
CREATE VIEW pins AS SELECT pin, label FROM safe;
";

const VIEW: &str = "CREATE JSON RELATIONAL DUALITY VIEW vault_dv AS
  SELECT JSON { '_id' : v.vault_id, 'secret' : v.secret WITH NOUPDATE, 'label' : v.label,
    'owner' : ( SELECT JSON { 'ownerId' : o.owner_id, 'rank' : o.rank }
                FROM owner o WHERE o.owner_id = v.owner_id ),
    'coins' : [ SELECT JSON { 'coinId' : c.coin_id, 'worth' : c.worth }
                FROM coin c WITH NOINSERT UPDATE NODELETE WHERE c.vault_id = v.vault_id ] }
  FROM vault v WITH INSERT UPDATE DELETE;";

/// What is different between the two worlds.
struct World {
    secret: &'static str,
    number: u8,
    /// A second coin of the vault.
    more: bool,
}

const ONE: World = World { secret: "alpha", number: 5, more: false };
const OTHER: World = World { secret: "omega", number: 6, more: true };

/// The data, as each request finds it.
fn data(world: &World) -> String {
    let World { secret, number, more } = world;
    let more = if *more { "INSERT INTO coin VALUES (11, 6, 1);" } else { "" };
    let other = 11 - number;
    format!(
        "DELETE FROM coin; DELETE FROM vault; DELETE FROM safe; DELETE FROM owner;
         INSERT INTO owner VALUES (1, {number}), (2, 9);
         INSERT INTO vault VALUES (1, '{secret}', 'open', 1), (2, '{secret}', 'shut', NULL);
         INSERT INTO coin VALUES (10, {number}, 1), (12, 1, 1);
         INSERT INTO safe VALUES (1, {number}, 'x', 1), (2, {other}, 'y', 1);
         {more}"
    )
}

/// Every set of rights, by the letters of its operations.
fn roles() -> Vec<String> {
    let letters = [('r', 1), ('i', 2), ('u', 4), ('d', 8)];
    let name = |bits: u8| {
        let held = letters.iter().filter(|(_, bit)| bits & bit != 0);
        format!("role_{}", held.map(|(letter, _)| letter).collect::<String>())
    };
    (0..16).map(name).collect()
}

fn operations(role: &str) -> Vec<Operation> {
    let of = |letter| match letter {
        'r' => Operation::Read,
        'i' => Operation::Insert,
        'u' => Operation::Update,
        _ => Operation::Delete,
    };
    role.trim_start_matches("role_").chars().map(of).collect()
}

/// Two servers and what tells them apart.
struct Worlds {
    sides: Vec<(Database, World, App)>,
}

impl Worlds {
    fn new(database: Database, name: &str) -> Self {
        let other = match database.is_sqlite() {
            true => Database::sqlite(),
            false => Database::postgres(&format!("other_{name}")),
        };
        Self { sides: vec![start(database, ONE), start(other, OTHER)] }
    }

    fn reset(&self) {
        self.sides.iter().for_each(|(database, world, _)| database.exec(&data(world)));
    }
}

fn start(database: Database, world: World) -> (Database, World, App) {
    database.exec(TABLES);
    database.exec(&data(&world));
    let mut setup = Setup::new(&database).view("vault_dv", VIEW).without_poll();
    setup.holders = roles();
    let mount = setup.mount();
    for role in roles().into_iter().filter(|role| role != "role_") {
        mount.privileges.push(Privilege {
            name: role.clone(),
            operations: operations(&role),
            roles: vec![role],
            patterns: vec!["/*".into()],
        });
    }
    let hides = |name: &str| Resource {
        name: name.into(),
        table: name.into(),
        hidden: vec!["pin".into()],
        ..Resource::default()
    };
    mount.resources = vec![hides("safe"), hides("pins")];
    let app = setup.start();
    (database, world, app)
}

/// A request of the generated set.
#[derive(Clone, Debug)]
struct Ask {
    method: &'static str,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Ask {
    fn new(method: &'static str, path: &str) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: String::new() }
    }

    fn with(&self, name: &'static str, value: &str) -> Self {
        let mut ask = self.clone();
        ask.headers.push((name, value.into()));
        ask
    }

    fn body(&self, media: &str, body: &str) -> Self {
        let ask = self.with("Content-Type", media);
        Self { body: body.into(), ..ask }
    }

    fn send(&self, client: &mut Client, bearer: &str) -> Response {
        let mut headers: Vec<(&str, &str)> = vec![("Authorization", bearer)];
        headers.extend(self.headers.iter().map(|(name, value)| (*name, value.as_str())));
        client.request(self.method, &self.path, &headers, self.body.as_bytes())
    }
}

const PATCH: &str = "application/merge-patch+json";

/// Filters that guess a value of the first world, by the column that they name.
fn filters(column: &str, guess: &str) -> Vec<String> {
    let texts = [
        format!("{{\"{column}\":{guess}}}"),
        format!("{{\"{column}\":{{\"$gt\":{guess}}}}}"),
        format!("{{\"$or\":[{{\"{column}\":{guess}}},{{\"{column}\":null}}]}}"),
        format!("{{\"$orderby\":[{{\"{column}\":\"asc\"}}]}}"),
    ];
    texts.iter().map(|text| percent_encode(text)).collect()
}

/// Pages, searches and items of a resource.
fn reads(path: &str, item: &str, column: &str, guess: &str) -> Vec<Ask> {
    let mut asks = Vec::new();
    let mut queries: Vec<String> =
        ["", "?count=exact", "?limit=1", "?explain=1"].map(String::from).into();
    queries.push(format!("?fields={column}"));
    queries.extend(filters(column, guess).iter().map(|q| format!("?q={q}&count=exact")));
    for query in queries {
        for method in ["GET", "HEAD"] {
            asks.push(Ask::new(method, &format!("{path}{query}")));
        }
        asks.push(Ask::new("GET", &format!("{path}{query}")).with("Accept", "text/csv"));
    }
    let search = format!("{{\"q\":{{\"{column}\":{guess}}}}}");
    for (method, below) in [("POST", "search"), ("QUERY", "")] {
        let ask = Ask::new(method, &format!("{path}{below}"));
        asks.push(ask.body("application/json", &search));
    }
    for item in [format!("{path}{item}"), format!("{path}{item}?fields={column}")] {
        for method in ["GET", "HEAD", "OPTIONS"] {
            asks.push(Ask::new(method, &item));
            asks.push(Ask::new(method, &item).with("If-None-Match", "*"));
        }
    }
    asks
}

/// Writes of an item, of what a filter selects, in a transaction and in bulk. `bodies` are patches.
fn writes(path: &str, item: &str, column: &str, guess: &str, bodies: &[&str]) -> Vec<Ask> {
    let mut asks = Vec::new();
    let (at, missing) = (format!("{path}{item}"), format!("{path}99"));
    for place in [&at, &missing, &format!("{at}?explain=1")] {
        asks.push(Ask::new("DELETE", place));
        for body in bodies {
            asks.push(Ask::new("PATCH", place).body(PATCH, body));
            asks.push(Ask::new("PUT", place).body("application/json", body));
        }
    }
    for body in bodies {
        let fresh = body.replacen('{', "{\"_id\":50,", 1);
        asks.push(Ask::new("POST", path).body("application/json", &fresh));
        asks.push(Ask::new("POST", path).body("application/json", body));
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap();
        let load = Ask::new("POST", &format!("{path}batchload?responseFormat=json"));
        asks.push(load.body("application/x-ndjson", &fresh));
        for (method, below) in [("PATCH", item), ("PUT", item), ("POST", "")] {
            let operation = format!(
                "[{{\"method\":\"{method}\",\"path\":\"/{name}/{below}\",\"body\":{body}}},\
                  {{\"method\":\"DELETE\",\"path\":\"/{name}/{item}\",\"ifMatch\":\"*\"}}]"
            );
            let ask = Ask::new("POST", "/ords/hr/_/transaction");
            asks.push(ask.body("application/json", &operation));
        }
    }
    for q in filters(column, guess) {
        asks.push(Ask::new("DELETE", &format!("{path}?q={q}")));
        asks.push(Ask::new("DELETE", &format!("{path}?q={q}&explain=1")));
        asks.push(Ask::new("PATCH", &format!("{path}?q={q}")).body(PATCH, bodies[0]));
    }
    asks
}

/// The same under conditions: etags of the first world, others, and any.
fn conditional(asks: &[Ask], etags: &[String]) -> Vec<Ask> {
    let mut all = Vec::new();
    for ask in asks.iter().filter(|ask| ask.method != "POST" && !ask.path.contains('?')) {
        for name in ["If-Match", "If-None-Match"] {
            all.push(ask.with(name, "*"));
            all.push(ask.with(name, "\"0\""));
            all.extend(etags.iter().map(|etag| ask.with(name, etag)));
        }
    }
    all
}

/// An answer without what differs by chance.
fn told(response: &Response) -> String {
    let by_chance = ["date", "content-length"];
    let headers: Vec<String> = response
        .headers
        .iter()
        .filter(|(name, _)| !by_chance.contains(&name.to_lowercase().as_str()))
        .map(|(name, value)| format!("{name}: {value}"))
        .collect();
    let body = String::from_utf8_lossy(&response.body).into_owned();
    let instance =
        body.split("tag:duet,2026:request/").nth(1).and_then(|rest| rest.split('"').next());
    let body = instance.map_or(body.clone(), |id| body.replace(id, ""));
    format!("{} {headers:?} {body}", response.status)
}

/// A role's connection and token in each world.
struct Caller<'w> {
    sides: Vec<(&'w App, Client, String)>,
}

impl<'w> Caller<'w> {
    fn new(worlds: &'w Worlds, role: &str) -> Self {
        let side =
            |(_, _, app): &'w (Database, World, App)| (app, app.connect(), app.bearer_of(role));
        Self { sides: worlds.sides.iter().map(side).collect() }
    }

    /// The answers of both worlds, and whether either did what was asked.
    fn ask(&mut self, ask: &Ask) -> ([String; 2], bool) {
        let answers = self.sides.iter_mut().map(|(app, client, bearer)| {
            let response = ask.send(client, bearer);
            (told(&response).replace(app.url(), "http://here"), response.status < 400)
        });
        let answers: Vec<(String, bool)> = answers.collect();
        let done = answers.iter().any(|(_, done)| *done);
        (std::array::from_fn(|side| answers[side].0.clone()), done)
    }
}

/// Sends everything to both worlds, undone, then some of the writes to be kept.
fn expect_alike(worlds: &Worlds, role: &str, asks: &[Ask]) {
    let mut caller = Caller::new(worlds, role);
    let mut differing = Vec::new();
    let mut check = |one: &Ask, is_kept: bool| {
        let ([here, there], done) = caller.ask(one);
        if here != there {
            differing.push(format!("{role}: {one:?}\n  {here}\n  {there}"));
        }
        if is_kept && done {
            worlds.reset();
        }
    };
    for one in asks {
        // A load is not undone by a preference.
        check(&one.with("Prefer", "tx=rollback"), one.path.contains("batchload"));
    }
    let kept = asks.iter().filter(|one| !["GET", "HEAD", "OPTIONS", "QUERY"].contains(&one.method));
    kept.step_by(7).for_each(|one| check(one, true));
    let count = differing.len();
    differing.truncate(5);
    assert!(differing.is_empty(), "{count} of {}:\n{}", asks.len(), differing.join("\n"));
}

/// The etags that a reader of the first world sees.
fn etags(worlds: &Worlds, paths: &[&str]) -> Vec<String> {
    let (_, _, app) = &worlds.sides[0];
    let etag = |path: &&str| {
        let answer = app.connect().get(path, &[("Authorization", &app.bearer_of("role_r"))]);
        answer.header("etag").unwrap().to_owned()
    };
    paths.iter().map(etag).collect()
}

/// Everything about the resources whose rows are secret.
fn about_secrets(worlds: &Worlds) -> Vec<Ask> {
    let mut asks = reads("/ords/hr/vault/", "1", "secret", "\"alpha\"");
    asks.extend(reads("/ords/hr/vault_dv/", "1", "secret", "\"alpha\""));
    let rows = writes(
        "/ords/hr/vault/",
        "1",
        "secret",
        "\"alpha\"",
        &[
            r#"{"secret":"alpha","label":"new"}"#,
            r#"{"label":"new"}"#,
            r#"{"vault_id":1,"owner_id":2}"#,
        ],
    );
    let documents = writes(
        "/ords/hr/vault_dv/",
        "1",
        "secret",
        "\"alpha\"",
        &[
            r#"{"label":"new"}"#,
            r#"{"secret":"alpha","label":"new","owner":null,"coins":[]}"#,
            r#"{"secret":"alpha"}"#,
            r#"{"owner":{"ownerId":1,"rank":5}}"#,
            r#"{"owner":{"ownerId":1}}"#,
            r#"{"owner":{"ownerId":2,"rank":9},"coins":[{"coinId":10,"worth":5}]}"#,
            r#"{"coins":[{"coinId":10,"worth":7}]}"#,
            r#"{"_metadata":{"etag":"0"},"label":"new"}"#,
        ],
    );
    let etags = etags(worlds, &["/ords/hr/vault/1", "/ords/hr/vault_dv/1"]);
    let bare = [Ask::new("DELETE", "/ords/hr/vault/2"), Ask::new("DELETE", "/ords/hr/vault_dv/2")];
    let conditions = conditional(&[&rows[..], &documents[..], &bare[..]].concat(), &etags);
    let metadata = format!("{{\"_metadata\":{{\"etag\":{}}},\"label\":\"n\"}}", etags[1]);
    asks.push(Ask::new("PATCH", "/ords/hr/vault_dv/1").body(PATCH, &metadata));
    asks.extend(bare);
    [asks, rows, documents, conditions].concat()
}

fn nothing_stored_is_told_to_those_who_may_not_read(database: Database) {
    let worlds = Worlds::new(database, "secrets");
    let asks = about_secrets(&worlds);
    for role in roles().iter().filter(|role| !operations(role).contains(&Operation::Read)) {
        expect_alike(&worlds, role, &asks);
    }
}

fn hidden_columns_are_told_to_nobody(database: Database) {
    let worlds = Worlds::new(database, "hidden");
    let mut asks = reads("/ords/hr/safe/", "1", "pin", "5");
    asks.extend(reads("/ords/hr/pins/", "1", "pin", "5"));
    asks.push(Ask::new("GET", "/ords/hr/safe/?limit=1&after="));
    asks.push(Ask::new("GET", "/ords/hr/safe/1?expand=*"));
    asks.push(Ask::new("GET", "/ords/hr/owner/2?expand=safe"));
    asks.extend(writes(
        "/ords/hr/safe/",
        "1",
        "pin",
        "5",
        &[r#"{"label":"new"}"#, r#"{"pin":5,"label":"new"}"#, r#"{"safe_id":1,"pin":6}"#],
    ));
    let etags = etags(&worlds, &["/ords/hr/safe/1"]);
    let conditions = conditional(&asks, &etags);
    asks.extend(conditions);
    for role in ["role_r", "role_ru", "role_riud", "role_iud"] {
        expect_alike(&worlds, role, &asks);
    }
}

/// The same requests tell readers something: the comparison above can fail.
fn readers_are_told(database: Database) {
    let worlds = Worlds::new(database, "readers");
    let differ = |role: &str, one: &Ask| {
        let ([here, there], _) = Caller::new(&worlds, role).ask(&one.with("Prefer", "tx=rollback"));
        assert_ne!(here, there, "{role}: {one:?}");
    };
    let by_filter = format!("/ords/hr/vault/?q={}", filters("secret", "\"alpha\"")[0]);
    let etag = &etags(&worlds, &["/ords/hr/vault/1"])[0];
    let patch = Ask::new("PATCH", "/ords/hr/vault/1").body(PATCH, "{}");
    differ("role_r", &Ask::new("GET", "/ords/hr/vault/1"));
    differ("role_rd", &Ask::new("DELETE", &by_filter));
    differ("role_ru", &Ask::new("PATCH", &by_filter).body(PATCH, "{}"));
    differ("role_ru", &patch);
    differ("role_ru", &patch.with("If-Match", etag));
    let guess = Ask::new("PATCH", "/ords/hr/vault_dv/1").body(PATCH, r#"{"secret":"alpha"}"#);
    differ("role_ru", &guess);
}
