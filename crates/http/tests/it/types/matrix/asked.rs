//! The server and the database that a cell asks.

use std::cell::RefCell;

use duet_testkit::http::{Client, Response};
use duet_testkit::postgres::PsqlSession;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Row};
use serde_json::Value;

use super::subject::Subject;
use crate::support::{App, Database, Setup, percent_encode};

/// A connection to the server, and the database behind it.
pub(super) struct Asked<'a> {
    client: Client,
    bearer: String,
    database: &'a Database,
    direct: Direct,
}

/// A session of the database that does without the server: with a program that is not ours on PostgreSQL. There is one, as
/// a new one reads the schema of all types first.
enum Direct {
    Psql(RefCell<PsqlSession>),
    Sqlite(Connection),
}

/// A row of an answer of the database.
pub(super) type Cells = Vec<String>;

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";
/// That of a merge patch (RFC 7396).
pub(super) const MERGE_PATCH: &str = "application/merge-patch+json";

impl<'a> Asked<'a> {
    pub(super) fn new(app: &App, database: &'a Database) -> Self {
        let direct = match database {
            Database::Postgres(database) => Direct::Psql(RefCell::new(database.session())),
            Database::Sqlite(_) => Direct::Sqlite(duet_testkit::sqlite::open(&database.file())),
        };
        Self { client: app.connect(), bearer: app.bearer(), database, direct }
    }

    /// A request; `path` begins behind the mount.
    pub(super) fn send(
        &mut self,
        method: &str,
        path: &str,
        (media, body): (&str, &str),
    ) -> Response {
        let bearer = self.bearer.clone();
        let headers = [("Authorization", bearer.as_str()), ("Content-Type", media)];
        self.client.request(method, &format!("/ords/hr/{path}"), &headers, body.as_bytes())
    }

    /// A `GET` of a representation.
    pub(super) fn get_as(&mut self, path: &str, accept: &str) -> Response {
        let bearer = self.bearer.clone();
        let headers = [("Authorization", bearer.as_str()), ("Accept", accept)];
        self.client.get(&format!("/ords/hr/{path}"), &headers)
    }

    /// The JSON of a `GET` that must succeed.
    pub(super) fn get(&mut self, path: &str) -> Result<Value, String> {
        let response = self.get_as(path, JSON);
        match response.status {
            200 => Ok(response.json()),
            status => Err(format!("GET {path}: {status} {}", problem(&response))),
        }
    }

    /// The items of a list.
    pub(super) fn items(&mut self, path: &str) -> Result<Vec<Value>, String> {
        Ok(self.get(path)?["items"].as_array().cloned().unwrap_or_default())
    }

    /// The items that a parameter selects; or the code with which it is refused.
    pub(super) fn list(
        &mut self,
        table: &str,
        parameter: &str,
    ) -> Result<Result<Value, String>, String> {
        let response = self.get_as(&format!("{table}/?limit=500&{parameter}"), JSON);
        match response.status {
            200 => Ok(Ok(response.json()["items"].clone())),
            400 => Ok(Err(code(&response))),
            status => Err(format!("GET {table} {parameter}: {status} {}", problem(&response))),
        }
    }

    /// The ids of these items.
    pub(super) fn selected(
        &mut self,
        table: &str,
        parameter: &str,
    ) -> Result<Result<Vec<i64>, String>, String> {
        Ok(self.list(table, parameter)?.map(|items| numbers(&items, "id")))
    }

    /// Follows `next` from the first page, and returns a member of all items.
    pub(super) fn paged(&mut self, first: &str, member: &str) -> Result<Vec<i64>, String> {
        let (mut found, mut path) = (Vec::new(), first.to_owned());
        for _ in 0..200 {
            let page = self.get(&path)?;
            found.extend(numbers(&page["items"], member));
            let links = page["links"].as_array().cloned().unwrap_or_default();
            let next = links.iter().find(|link| link["rel"] == "next");
            let Some(next) = next.and_then(|link| link["href"].as_str()) else { return Ok(found) };
            path = next.split_once("/ords/hr/").map_or(next, |(_, path)| path).to_owned();
        }
        Err(format!("pages of {first} do not end: {found:?}"))
    }

    /// An item, and where it came from.
    pub(super) fn cached(&mut self, path: &str) -> Result<(Value, String), String> {
        let response = self.get_as(path, JSON);
        let source = response.header("x-cache").unwrap_or("none").to_owned();
        match response.status {
            200 => Ok((response.json(), source)),
            status => Err(format!("GET {path}: {status} {}", problem(&response))),
        }
    }

    /// A `POST` that may be acknowledged from the journal.
    pub(super) fn post_later(&mut self, path: &str, body: &Value) -> Response {
        let bearer = self.bearer.clone();
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", JSON),
            ("Prefer", "respond-async"),
        ];
        let body = body.to_string();
        self.client.request("POST", &format!("/ords/hr/{path}"), &headers, body.as_bytes())
    }

    /// Waits until everything that was acknowledged is in the database.
    pub(super) fn flush(&mut self) -> Result<(), String> {
        let bearer = self.bearer.clone();
        let headers = [("Authorization", bearer.as_str())];
        let flushed = self.client.request("POST", "/admin/journal?flush", &headers, b"");
        let waiting = |journal: &Value| journal["state"] != "ready";
        let state = flushed.json();
        let all = state["journals"].as_array().cloned().unwrap_or_default();
        match flushed.status == 200 && !all.iter().any(waiting) {
            true => Ok(()),
            false => Err(format!("flush: {} {}", flushed.status, problem(&flushed))),
        }
    }

    /// The code with which a server refuses the view over a subject's columns; `None` where it is served already.
    pub(super) fn refused_view(&self, subject: &Subject) -> Result<Option<&'static str>, String> {
        if subject.row.name != "xml" {
            return Ok(None);
        }
        let setup = Setup::new(self.database).without_poll();
        match setup.view("refused", &subject.member_view()).try_start() {
            Ok(_) => Err("the view is served".to_owned()),
            Err(error) => Ok(Some(error.code.as_str())),
        }
    }

    /// The rows of a query of which no cell has a line end or a bar, by a program that is not ours.
    pub(super) fn rows(&self, sql: &str) -> Vec<Cells> {
        match &self.direct {
            Direct::Psql(psql) => {
                let said = psql.borrow_mut().query(sql);
                said.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect()
            }
            Direct::Sqlite(connection) => {
                let mut statement =
                    connection.prepare(sql).unwrap_or_else(|error| panic!("{error}: {sql}"));
                let width = statement.column_count();
                let cell =
                    |row: &Row<'_>, at| row.get::<_, SqlValue>(at).map(|value| shown(&value));
                let rows =
                    statement.query_map([], |row| (0..width).map(|at| cell(row, at)).collect());
                rows.unwrap().collect::<Result<_, _>>().unwrap()
            }
        }
    }

    /// The whole numbers of a query of one column.
    pub(super) fn numbers(&self, sql: &str) -> Vec<i64> {
        self.rows(sql).iter().filter_map(|row| row[0].parse().ok()).collect()
    }

    /// What is stored in a column, as an expression that tells apart all that are not the same.
    pub(super) fn exact(&self, column: &str) -> String {
        match self.database {
            Database::Postgres(_) => format!("{column}::text"),
            Database::Sqlite(_) => format!("typeof({column}) || quote({column})"),
        }
    }
}

fn shown(value: &SqlValue) -> String {
    match value {
        SqlValue::Null => String::new(),
        SqlValue::Integer(value) => value.to_string(),
        SqlValue::Real(value) => value.to_string(),
        SqlValue::Text(text) => text.clone(),
        SqlValue::Blob(_) => "a blob".to_owned(),
    }
}

/// `q=` with a filter.
pub(super) fn q(filter: &Value) -> String {
    format!("q={}", percent_encode(&filter.to_string()))
}

/// A member of items, as whole numbers.
pub(super) fn numbers(items: &Value, member: &str) -> Vec<i64> {
    let items = items.as_array().into_iter().flatten();
    items.filter_map(|item| item[member].as_i64()).collect()
}

pub(super) fn code(response: &Response) -> String {
    response.json()["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
}

pub(super) fn problem(response: &Response) -> String {
    response.text().chars().take(300).collect()
}
