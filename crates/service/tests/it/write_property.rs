//! Whatever the shape, a document that is put is the document that is read, written by as few row
//! operations as there are rows that differ.
//!
//! Shapes are trees of tables made at random: arrays whose rows may be deleted, unlinked, or neither,
//! rows of their own below rows, and references to shared rows. What must come out follows from the
//! two documents alone; triggers count what the database was told to do.

use std::collections::BTreeMap;

use duet_service::definition::{Mount, ViewFile};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};
use serde_json::{Value, json};

use crate::application::{Application, MOUNT, of_mount};
use crate::served::{Data, Kind, Served};

/// What random choices are made of, so that a failure is made smaller by making this smaller.
struct Tape<'t> {
    bytes: std::slice::Iter<'t, u8>,
}

impl Tape<'_> {
    fn below(&mut self, limit: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % limit.max(1)
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == of - 1
    }
}

/// A table and how it hangs below another one.
struct Table {
    parent: usize,
    kind: Below,
    delete: bool,
    not_null: bool,
    refers: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    /// An array of rows.
    Array,
    /// One row with the key of its parent.
    Own,
}

struct Tables(Vec<Table>);

impl Tables {
    /// The root is number 0; every other table hangs below one before it.
    fn random(tape: &mut Tape<'_>) -> Self {
        let count = 1 + tape.below(6);
        let mut tables = Self(Vec::new());
        for number in 0..count {
            let arrays: Vec<usize> =
                (0..number).filter(|&at| at == 0 || tables.0[at].kind == Below::Array).collect();
            let own = number > 0 && tape.chance(4);
            tables.0.push(Table {
                parent: arrays.get(tape.below(arrays.len())).copied().unwrap_or(0),
                kind: if own { Below::Own } else { Below::Array },
                delete: !tape.chance(3),
                not_null: tape.chance(3),
                refers: tape.chance(2),
            });
        }
        tables
    }

    fn below(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        (1..self.0.len()).filter(move |&at| self.0[at].parent == parent)
    }

    fn schema(&self) -> String {
        let mut sql = String::from(
            "BEGIN; CREATE TABLE log (what TEXT); CREATE TABLE shared (id INTEGER PRIMARY KEY, name TEXT);
             INSERT INTO shared VALUES (1, 'one'), (2, 'two'), (3, 'three');",
        );
        for (at, table) in self.0.iter().enumerate() {
            let up = match (at, table.kind) {
                (0, _) => String::new(),
                (_, Below::Own) => format!(", FOREIGN KEY (id) REFERENCES t{} (id)", table.parent),
                (_, Below::Array) => {
                    let not_null = if table.not_null { "NOT NULL" } else { "" };
                    format!(", up INTEGER {not_null} REFERENCES t{} (id)", table.parent)
                }
            };
            let (up, constraint) =
                if up.contains("FOREIGN") { ("", up.as_str()) } else { (up.as_str(), "") };
            sql += &format!(
                "CREATE TABLE t{at} (id INTEGER PRIMARY KEY, s TEXT, n INTEGER, shared_id INTEGER REFERENCES shared (id){up}{constraint});"
            );
            for event in ["INSERT", "UPDATE", "DELETE"] {
                sql += &format!(
                    "CREATE TRIGGER t{at}_{event} AFTER {event} ON t{at} BEGIN INSERT INTO log VALUES ('{event} t{at}'); END;"
                );
            }
        }
        sql + "COMMIT"
    }

    fn view(&self) -> String {
        format!("view doc_dv as t0 @insert @update @delete {{ _id: id {} }}", self.members(0))
    }

    fn members(&self, at: usize) -> String {
        let mut members = String::from("s n ");
        if self.0[at].refers {
            members += "shared { id name } ";
        }
        for child in self.below(at) {
            let inner = self.members(child);
            let table = &self.0[child];
            let delete = if table.delete { "@delete" } else { "" };
            members += &match table.kind {
                Below::Array => format!("t{child} @insert @update {delete} [ {{ id {inner} }} ] "),
                Below::Own => format!("t{child} @object @insert @update {delete} {{ {inner} }} "),
            };
        }
        members
    }
}

/// A row of a document.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: usize,
    s: Option<&'static str>,
    n: Option<usize>,
    shared: usize,
    below: BTreeMap<usize, Vec<Row>>,
}

const TEXTS: [Option<&str>; 6] =
    [None, Some("a"), Some("b"), Some(""), Some("it's \"q\" \\ \u{1F3CE}"), Some("null")];

struct Documents<'t> {
    tables: &'t Tables,
    next: usize,
}

impl Documents<'_> {
    fn row(&mut self, at: usize, parent: usize, tape: &mut Tape<'_>, depth: usize) -> Row {
        let id = match (at, self.tables.0[at].kind) {
            (0, _) => 1,
            (_, Below::Own) => parent,
            _ => {
                self.next += 1;
                self.next
            }
        };
        let shared = if self.tables.0[at].refers { tape.below(4) } else { 0 };
        let (s, n) = (TEXTS[tape.below(6)], Some(tape.below(4)).filter(|n| *n > 0));
        let mut below = BTreeMap::new();
        for child in self.tables.below(at).collect::<Vec<_>>() {
            let most = match self.tables.0[child].kind {
                Below::Own => 2,
                Below::Array => 4_usize.saturating_sub(depth).max(2),
            };
            let count = tape.below(most);
            let rows = (0..count).map(|_| self.row(child, id, tape, depth + 1)).collect();
            below.insert(child, rows);
        }
        Row { id, s, n, shared, below }
    }

    /// Changes a document in one place.
    fn mutate(&mut self, root: &mut Row, tape: &mut Tape<'_>) {
        let places = places(root, 0);
        let (table, path) = places[tape.below(places.len())].clone();
        let what = tape.below(12);
        let row = find(root, &path);
        match what {
            0 => row.s = TEXTS[tape.below(6)],
            1 => row.n = Some(tape.below(4)),
            2 if self.tables.0[table].refers => row.shared = tape.below(4),
            3 | 4 => {
                let children: Vec<usize> = row.below.keys().copied().collect();
                let Some(&child) = children.get(tape.below(children.len())) else { return };
                let own = self.tables.0[child].kind == Below::Own;
                let id = row.id;
                let rows = &row.below[&child];
                if what == 3 && (!own || rows.is_empty()) {
                    let new = self.row(child, id, tape, 2);
                    find(root, &path).below.entry(child).or_default().insert(0, new);
                } else if !rows.is_empty() {
                    let gone = tape.below(rows.len());
                    find(root, &path).below.entry(child).or_default().remove(gone);
                }
            }
            6..=8 => self.dissolve(root, table, &path, tape),
            5 => row.below.values_mut().for_each(|rows| rows.reverse()),
            _ => self.move_row(root, &places, table, &path, tape),
        }
    }

    /// A row goes, and those below it move to a new one beside it or to another that is there.
    fn dissolve(&mut self, root: &mut Row, table: usize, path: &Path, tape: &mut Tape<'_>) {
        let Some((&(_, index), above)) = path.split_last() else { return };
        if self.tables.0[table].kind == Below::Own {
            return;
        }
        let parent = find(root, above);
        let gone = parent.below.get_mut(&table).unwrap().remove(index);
        if tape.chance(2) {
            let id = parent.id;
            let new = self.row(table, id, tape, 3);
            find(root, above).below.get_mut(&table).unwrap().push(new);
        }
        let others = places_of(root, table);
        let Some((_, heir)) = others.get(tape.below(others.len())) else { return };
        for (child, rows) in gone.below {
            if self.tables.0[child].kind == Below::Array {
                find(root, heir).below.get_mut(&child).unwrap().extend(rows);
            }
        }
    }

    /// Takes a row out of its array and puts it into another one of its table.
    fn move_row(
        &self,
        root: &mut Row,
        places: &[(usize, Path)],
        table: usize,
        path: &Path,
        tape: &mut Tape<'_>,
    ) {
        if table == 0 || self.tables.0[table].kind == Below::Own {
            return;
        }
        let parent = self.tables.0[table].parent;
        let others: Vec<&Path> = places
            .iter()
            .filter(|(at, place)| *at == parent && !place.starts_with(path))
            .map(|(_, place)| place)
            .collect();
        let Some(&target) = others.get(tape.below(others.len())) else { return };
        let target_id = find(root, target).id;
        let (&(_, index), above) = path.split_last().unwrap();
        let moved = find(root, above).below.get_mut(&table).unwrap().remove(index);
        // The place of the target may have moved up by what was taken out.
        let target =
            places_of(root, parent).into_iter().find(|(id, _)| *id == target_id).unwrap().1;
        find(root, &target).below.get_mut(&table).unwrap().push(moved);
    }
}

/// The way from the root to a row: tables and positions.
type Path = Vec<(usize, usize)>;

fn places(row: &Row, table: usize) -> Vec<(usize, Path)> {
    let mut all = vec![(table, Vec::new())];
    for (&child, rows) in &row.below {
        for (index, inner) in rows.iter().enumerate() {
            for (at, path) in places(inner, child) {
                all.push((at, [vec![(child, index)], path].concat()));
            }
        }
    }
    all
}

fn places_of(root: &mut Row, table: usize) -> Vec<(usize, Path)> {
    let paths = places(root, 0).into_iter().filter(|(at, _)| *at == table);
    paths.map(|(_, path)| (find(root, &path).id, path)).collect()
}

fn find<'r>(root: &'r mut Row, path: &[(usize, usize)]) -> &'r mut Row {
    path.iter().fold(root, |row, (table, index)| &mut row.below.get_mut(table).unwrap()[*index])
}

/// The JSON of a row. `sorted` as it is read; else in the order that it is in.
fn document(tables: &Tables, at: usize, row: &Row, sorted: bool) -> Value {
    let mut json = json!({"s": row.s, "n": row.n});
    match (at, tables.0[at].kind) {
        (0, _) => json["_id"] = json!(row.id),
        (_, Below::Array) => json["id"] = json!(row.id),
        _ => {}
    }
    if tables.0[at].refers {
        let name = ["", "one", "two", "three"][row.shared];
        json["shared"] =
            if row.shared == 0 { json!({}) } else { json!({"id": row.shared, "name": name}) };
    }
    for (&child, rows) in &row.below {
        let mut rows: Vec<&Row> = rows.iter().collect();
        if sorted {
            rows.sort_by_key(|row| row.id);
        }
        let rows: Vec<Value> =
            rows.into_iter().map(|row| document(tables, child, row, sorted)).collect();
        json[format!("t{child}")] = match tables.0[child].kind {
            Below::Array => json!(rows),
            Below::Own => rows.into_iter().next().unwrap_or(json!({})),
        };
    }
    json
}

/// What the rows of a document hold, by table and key; the last is the parent.
type Held = (Option<&'static str>, Option<usize>, usize, usize);

fn held(row: &Row, table: usize, parent: usize, out: &mut BTreeMap<(usize, usize), Held>) {
    out.insert((table, row.id), (row.s, row.n, row.shared, parent));
    for (&child, rows) in &row.below {
        rows.iter().for_each(|inner| held(inner, child, row.id, out));
    }
}

/// How many row operations make `b` of `a`; `None` where the shape does not allow it.
fn operations(tables: &Tables, a: &Row, b: &Row) -> Option<usize> {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    held(a, 0, 0, &mut before);
    held(b, 0, 0, &mut after);
    let written = after.iter().filter(|(key, row)| before.get(key) != Some(row)).count();
    Some(written + removed(tables, a, &after)?)
}

/// How many rows below a row are deleted or unlinked.
fn removed(tables: &Tables, row: &Row, after: &BTreeMap<(usize, usize), Held>) -> Option<usize> {
    let mut count = 0;
    for (&child, rows) in &row.below {
        let table = &tables.0[child];
        for inner in rows {
            count += if after.contains_key(&(child, inner.id)) || table.delete {
                let gone = usize::from(!after.contains_key(&(child, inner.id)));
                gone + removed(tables, inner, after)?
            } else if table.not_null || table.kind == Below::Own {
                return None;
            } else {
                // What hangs below it goes with it, but for what stands elsewhere now.
                1 + left(tables, inner, after)?
            };
        }
    }
    Some(count)
}

/// How many rows are deleted or unlinked below those that have left a row.
fn left(tables: &Tables, row: &Row, after: &BTreeMap<(usize, usize), Held>) -> Option<usize> {
    let below = row.below.iter().flat_map(|(child, rows)| rows.iter().map(|row| (*child, row)));
    below
        .map(|(child, inner)| match after.contains_key(&(child, inner.id)) {
            true => removed(tables, inner, after),
            false => left(tables, inner, after),
        })
        .sum()
}

fn check(tape: &[u8]) {
    let mut tape = Tape { bytes: tape.iter() };
    let tables = Tables::random(&mut tape);
    let view = ViewFile { name: "doc_dv.graphql".into(), text: tables.view() };
    let mount =
        Mount { path: MOUNT.into(), all_tables: true, views: vec![view], ..Mount::default() };
    let application: Application = of_mount(mount);
    let data = Data::empty(Kind::Sqlite, "write-property");
    data.exec(&tables.schema());
    let served = Served::over_open(data, &application);
    let mut documents = Documents { tables: &tables, next: 100 };
    let mut stored = documents.row(0, 1, &mut tape, 0);
    let body = document(&tables, 0, &stored, false);
    let answer = put(&served, &body);
    assert_eq!(answer.0, 201, "{body} {}", answer.1);
    for _ in 0..6 {
        let mut wanted = stored.clone();
        for _ in 0..tape.below(9) {
            documents.mutate(&mut wanted, &mut tape);
        }
        if step(&served, &tables, &stored, &wanted) {
            stored = wanted;
        }
    }
}

/// Puts a document in the place of another; whether that is allowed.
fn step(served: &Served, tables: &Tables, stored: &Row, wanted: &Row) -> bool {
    let before = read(served);
    assert_eq!(before.0, document(tables, 0, stored, true), "{}", tables.view());
    let body = document(tables, 0, wanted, false);
    let about = || format!("{}\nfrom {}\nto   {body}", tables.view(), before.0);
    let expected = operations(tables, stored, wanted);
    let plan = served.ask("PUT", "/t/doc_dv/1?explain=1", &[JSON], body.to_string().as_bytes());
    let plan = plan.json();
    assert_eq!(plan["allowed"], json!(expected.is_some()), "{plan} {}", about());
    for operation in plan["operations"].as_array().unwrap() {
        let pointer = operation["pointer"].as_str().unwrap();
        assert!(body.pointer(pointer).is_some(), "{pointer} {}", about());
    }
    let logged = rows(served);
    let (status, answer) = put(served, &body);
    let Some(expected) = expected else {
        assert_eq!(
            (status, &answer["errors"][0]["code"]),
            (409, &json!("DUET-7010")),
            "{}",
            about()
        );
        assert_eq!((read(served), rows(served)), (before, logged));
        return false;
    };
    assert_eq!(status, 200, "{answer} {}", about());
    assert_eq!(plain(answer), document(tables, 0, wanted, true), "{}", about());
    assert_eq!(rows(served) - logged, expected, "{plan} {}", about());
    let after = read(served);
    assert_eq!(after.0, document(tables, 0, wanted, true), "{}", about());
    assert_eq!(after.1 == before.1, after.0 == before.0, "the etag of {}", about());
    true
}

const JSON: (&str, &str) = ("Content-Type", "application/json");

fn put(served: &Served, body: &Value) -> (u16, Value) {
    let response = served.ask("PUT", "/t/doc_dv/1", &[JSON], body.to_string().as_bytes());
    (response.status, response.json())
}

fn read(served: &Served) -> (Value, String) {
    let response = served.get("/t/doc_dv/1");
    (plain(response.json()), response.header("etag").unwrap().to_owned())
}

fn plain(mut document: Value) -> Value {
    for ours in ["_metadata", "links"] {
        document.as_object_mut().unwrap().remove(ours);
    }
    document
}

/// How many row operations there have been.
fn rows(served: &Served) -> usize {
    let Data::Sqlite { connection, .. } = &served.data else { panic!("not SQLite") };
    let count = connection.query_row("SELECT count(*) FROM log", [], |row| row.get::<_, i64>(0));
    usize::try_from(count.unwrap()).unwrap()
}

#[test]
fn a_put_document_is_read_back() {
    let config = Config {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60),
        max_shrink_iters: 2_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..Config::default()
    };
    let tape = prop::collection::vec(any::<u8>(), 40..400);
    let run = TestRunner::new(config).run(&tape, |tape| {
        check(&tape);
        Ok(())
    });
    run.unwrap_or_else(|error| panic!("{error}"));
}
