//! Live changes: a read that goes on, on both stores.

mod changes;
mod collections;
mod events;
mod limits;
mod rights;
mod view_events;

use serde_json::Value;

use self::events::{Event, Events};
use crate::support::{App, Database};

const TABLES: &str = "
CREATE TABLE team (team_id integer NOT NULL PRIMARY KEY, name varchar(40) NOT NULL, points integer);
CREATE TABLE driver (driver_id integer NOT NULL PRIMARY KEY, team_id integer REFERENCES team (team_id), name varchar(40));
CREATE TABLE note (note_id integer NOT NULL PRIMARY KEY, driver_id integer NOT NULL REFERENCES driver (driver_id), text varchar(40));
CREATE TABLE bare (label varchar(10));
INSERT INTO team VALUES (1, 'Reds', 10), (2, 'Blues', 20), (3, 'Greens', 10);
INSERT INTO driver VALUES (11, 1, 'Ann'), (12, 1, 'Bob'), (21, 2, 'Cid');
INSERT INTO note VALUES (111, 11, 'first');
";

const VIEW: &str = "
CREATE JSON RELATIONAL DUALITY VIEW team_dv AS
SELECT JSON {'_id': t.team_id, 'name': t.name,
    'drivers': [SELECT JSON {'driver_id': d.driver_id, 'name': d.name,
        'notes': [SELECT JSON {'note_id': n.note_id, 'text': n.text} FROM note n WITH INSERT UPDATE DELETE WHERE n.driver_id = d.driver_id]}
        FROM driver d WITH INSERT UPDATE DELETE WHERE d.team_id = t.team_id]}
FROM team t WITH INSERT UPDATE DELETE;
";

/// Writes through the server.
#[track_caller]
fn write(app: &App, method: &str, path: &str, body: &str) -> Value {
    let bearer = app.bearer();
    let headers = [("Authorization", bearer.as_str()), ("Content-Type", "application/json")];
    let response = app.connect().request(method, path, &headers, body.as_bytes());
    assert!(response.status < 300, "{method} {path}: {response:?}");
    serde_json::from_slice(&response.body).unwrap_or_default()
}

fn team(id: u32, name: &str, points: u32) -> String {
    format!(r#"{{"team_id":{id},"name":"{name}","points":{points}}}"#)
}

/// What an event says of which document.
fn told(event: &Event) -> (String, String) {
    (event.name.clone(), event.data["key"].as_str().unwrap_or_default().to_owned())
}

fn with_tables(database: &Database) -> crate::support::Setup {
    database.exec(TABLES);
    crate::support::Setup::new(database)
        .with(|setup| setup.roles = vec!["duet.read", "duet.write", "duet.admin"])
        .view("teams", VIEW)
}
