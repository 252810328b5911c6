//! `duet infer`: documents of several shapes through the whole round trip on SQLite, one set on PostgreSQL, and what
//! the drafts say.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use std::fs;
use std::path::Path;

use duet_testkit::command::Running;
use duet_testkit::golden::workspace;
use duet_testkit::http;
use duet_testkit::postgres::Server;
use duet_testkit::sqlite::Folder;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::{duet, duet_says};

/// Writes documents as a file of the test.
fn written(folder: &Folder, name: &str, documents: &[Value]) -> String {
    let path = folder.path().join(name);
    fs::write(&path, Value::from(documents.to_vec()).to_string()).unwrap();
    path.display().to_string()
}

/// Infers an application for files and expects that every sample comes back as it was. Gives the schema and the
/// views.
fn round_trip(folder: &Folder, files: &[String]) -> (String, String) {
    let into = folder.path().join("app");
    let mut arguments = vec!["infer"];
    arguments.extend(files.iter().map(String::as_str));
    let shown = into.display().to_string();
    arguments.extend(["--into", &shown]);
    let (code, out, errors) = duet(&arguments);
    assert_eq!(code, 0, "{out}\n{errors}");
    assert!(out.contains("read back without a difference"), "{out}\n{errors}");
    assert_eq!(errors, "");
    (fs::read_to_string(into.join("schema.sql")).unwrap(), views(&into))
}

fn views(into: &Path) -> String {
    let mut paths: Vec<_> =
        fs::read_dir(into.join("views")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Invoices of the Chinook sample, each with its customer and lines.
fn invoices() -> Vec<Value> {
    let file = workspace().join("apps/chinook/chinook.sqlite");
    let connection =
        Connection::open_with_flags(file, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT json_object('invoiceId', i.InvoiceId, 'date', replace(i.InvoiceDate, ' ', 'T'),
        'total', i.Total, 'billing', json_object('city', i.BillingCity, 'country', i.BillingCountry),
        'customer', json_object('customerId', c.CustomerId, 'name', c.LastName, 'company', c.Company),
        'lines', json((SELECT json_group_array(json_object('invoiceLineId', l.InvoiceLineId, 'quantity', l.Quantity,
          'unitPrice', l.UnitPrice, 'track', json_object('trackId', t.TrackId, 'name', t.Name)))
          FROM (SELECT * FROM InvoiceLine WHERE InvoiceId = i.InvoiceId ORDER BY InvoiceLineId) l
          JOIN Track t ON t.TrackId = l.TrackId)))
      FROM Invoice i JOIN Customer c ON c.CustomerId = i.CustomerId ORDER BY i.InvoiceId LIMIT 200";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    rows.map(|row| serde_json::from_str(&row.unwrap()).unwrap()).collect()
}

#[test]
fn invoices_with_lines() {
    let folder = Folder::new();
    let file = written(&folder, "invoices.json", &invoices());
    let (schema, views) = round_trip(&folder, &[file]);
    for table in ["invoices", "invoice_line", "customer"] {
        assert!(schema.contains(&format!("CREATE TABLE \"{table}\"")), "{schema}");
    }
    // The key is found, the customer is shared, the address is a part of the invoice.
    assert!(schema.contains("PRIMARY KEY (\"invoice_id\")"), "{schema}");
    assert!(schema.contains("FOREIGN KEY (\"customer_id\") REFERENCES \"customer\""), "{schema}");
    assert!(schema.contains("\"billing_city\" text NOT NULL"), "{schema}");
    // Only some customers have a company.
    assert!(schema.contains("\"company\" text, -- `company`: in "), "{schema}");
    assert!(schema.contains("\"date\" timestamp NOT NULL"), "{schema}");
    assert!(schema.contains("\"total\" numeric NOT NULL"), "{schema}");
    assert!(views.contains("view invoices as \"invoices\" @insert @update @delete"), "{views}");
}

/// The documents of the racing season: teams with drivers, drivers with results, races.
#[test]
fn the_racing_season() {
    let folder = Folder::new();
    let driver =
        |id: u32, name: &str, points: u32| json!({"driverId": id, "name": name, "points": points});
    let teams = [
        json!({"_id": 2, "name": "Mercedes", "points": 27,
            "driver": [driver(105, "George Russell", 12), driver(106, "Lewis Hamilton", 15)]}),
        json!({"_id": 301, "name": "Red Bull", "points": 0, "driver": []}),
        json!({"_id": 302, "name": "Ferrari", "points": 43,
            "driver": [driver(103, "Charles Leclerc", 25), driver(104, "Carlos Sainz Jr", 18)]}),
    ];
    let result = |map: u32, position: u32, driver: u32, name: &str| json!({"driverRaceMapId": map, "position": position, "driverId": driver, "name": name});
    let podium = json!({"winner": {"name": "Charles Leclerc", "time": "01:37:33.584"},
        "firstRunnerUp": {"name": "Carlos Sainz Jr", "time": "01:37:39.182"}});
    let races = [
        json!({"_id": 201, "name": "Bahrain Grand Prix", "laps": 57, "date": "2022-03-20T00:00:00",
            "podium": podium, "result": [result(3, 1, 103, "Charles Leclerc"),
            result(4, 2, 104, "Carlos Sainz Jr"), result(9, 3, 106, "Lewis Hamilton")]}),
        json!({"_id": 202, "name": "Saudi Arabian Grand Prix", "laps": 50, "date": "2022-03-27T00:00:00",
            "podium": {}, "result": []}),
    ];
    let drivers = [
        json!({"_id": 103, "name": "Charles Leclerc", "points": 25, "team": {"teamId": 302, "name": "Ferrari"},
            "race": [{"raceId": 201, "name": "Bahrain Grand Prix", "finalPosition": 1}]}),
        json!({"_id": 104, "name": "Carlos Sainz Jr", "points": 18, "team": {"teamId": 302, "name": "Ferrari"},
            "race": [{"raceId": 201, "name": "Bahrain Grand Prix", "finalPosition": 2}]}),
        json!({"_id": 107, "name": "Nyck de Vries", "points": 0, "team": null, "race": []}),
    ];
    let files = [
        written(&folder, "team.json", &teams),
        written(&folder, "race.json", &races),
        written(&folder, "driver.json", &drivers),
    ];
    let (schema, views) = round_trip(&folder, &files);
    let tables: Vec<&str> =
        schema.lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")).collect();
    let expected = ["team", "race", "driver", "race_result", "driver_race"];
    assert_eq!(tables, expected.map(|name| format!("\"{name}\" (")), "{schema}");
    // What a driver's race has besides is of both.
    assert!(schema.contains("\"final_position\" integer NOT NULL"), "{schema}");
    // A team's drivers are those that name it.
    let drivers =
        "\"driver\": \"driver\" @insert @update @link(from: [\"id\"], to: [\"team_id\"]) [ {";
    assert!(views.contains(drivers), "{views}");
    assert!(views.contains("\"podium\": {"), "{views}");
}

/// Students, teachers and courses that contain each other.
fn school() -> [(&'static str, Vec<Value>); 3] {
    let course = |number: &str, name: &str| json!({"courseNumber": number, "name": name});
    let student = |id: u32, name: &str| json!({"studentId": id, "name": name});
    let with = |mut document: Value, more: Value| {
        let more = more.as_object().cloned().unwrap();
        document.as_object_mut().unwrap().extend(more);
        document
    };
    let graded =
        |number: &str, name: &str, grade: &str| with(course(number, name), json!({"grade": grade}));
    let students = vec![
        with(
            student(1, "Donald"),
            json!({"age": 20, "advisor": {"teacherId": 101, "name": "Abdul"},
            "courses": [graded("CS101", "Computers", "A"), graded("MATH101", "Algebra", "B")]}),
        ),
        with(
            student(2, "Elena"),
            json!({"age": 22, "advisor": {"teacherId": 102, "name": "Betty"},
            "courses": [graded("CS101", "Computers", "C")]}),
        ),
    ];
    let teachers = vec![
        json!({"_id": 101, "name": "Abdul", "salary": 200000, "coursesTaught": [{"courseNumber": "MATH101", "name": "Algebra"}]}),
        json!({"_id": 102, "name": "Betty", "salary": 300000, "coursesTaught": [{"courseNumber": "CS101", "name": "Computers"}]}),
    ];
    let courses = vec![
        with(
            course("CS101", "Computers"),
            json!({"creditHours": 5, "teacher": {"teacherId": 102, "name": "Betty"},
            "students": [student(1, "Donald"), student(2, "Elena")]}),
        ),
        with(
            course("MATH101", "Algebra"),
            json!({"creditHours": 3, "teacher": {"teacherId": 101, "name": "Abdul"},
            "students": [student(1, "Donald")]}),
        ),
    ];
    [("students", students), ("teachers", teachers), ("courses", courses)]
}

/// The column that closes a circle of tables is made when both are there.
#[test]
fn tables_that_refer_to_each_other() {
    let person = |id: u64, team: u64| {
        let team = json!({ "teamId": team, "title": format!("T{team}") });
        json!({ "id": id, "name": format!("P{id}"), "team": team })
    };
    let team = |id: u64, person: u64| {
        let person = json!({ "id": person, "name": format!("P{person}") });
        json!({ "teamId": id, "title": format!("T{id}"), "person": person })
    };
    let people = [person(1, 10), person(2, 20), person(3, 10)];
    let teams = [team(10, 1), team(20, 2), team(30, 1)];
    for store in ["sqlite", "postgres"] {
        let folder = Folder::new();
        let (people, teams) =
            (written(&folder, "person.json", &people), written(&folder, "team.json", &teams));
        let into = folder.path().join("app").display().to_string();
        let said = duet_says(&["infer", &people, &teams, "--into", &into, "--for", store]);
        assert!(said.contains("Checked: 6 documents written"), "{said}");
        let database = match store {
            "sqlite" => format!("sqlite:{}", folder.path().join("a.db").display()),
            _ => Server::shared().database("infer_circle").url(),
        };
        let loaded = duet_says(&["load", &into, "--database", &database]);
        assert!(loaded.contains("0 rows"), "{loaded}");
    }
}

/// One table for each entity, a mapping table between students and courses, and one name of each of them.
#[test]
fn documents_that_contain_each_other() {
    for store in ["sqlite", "postgres"] {
        let folder = Folder::new();
        let files: Vec<String> = school()
            .iter()
            .map(|(name, documents)| written(&folder, &format!("{name}.json"), documents))
            .collect();
        let into = folder.path().join("app").display().to_string();
        let names: Vec<&str> = files.iter().map(String::as_str).collect();
        let said =
            duet_says(&[&["infer"], &names[..], &["--into", &into, "--for", store]].concat());
        assert!(said.contains("Checked: 6 documents written"), "{said}");
        let schema = fs::read_to_string(folder.path().join("app/schema.sql")).unwrap();
        let tables: Vec<&str> =
            schema.lines().filter_map(|line| line.strip_prefix("CREATE TABLE ")).collect();
        assert_eq!(tables.len(), 4, "{schema}");
        let database = match store {
            "sqlite" => format!("sqlite:{}", folder.path().join("a.db").display()),
            _ => Server::shared().database("infer_school").url(),
        };
        duet_says(&["load", &into, "--database", &database]);
        let serve = ["serve", database.as_str(), "--config", &into, "--open", "all"];
        let server = Running::start(&[&serve[..], &["--listen", "127.0.0.1:0"]].concat());
        let headers = [("Content-Type", "application/json")];
        let key = |name: &str| match name {
            "students" => "studentId",
            "teachers" => "_id",
            _ => "courseNumber",
        };
        for (name, documents) in school() {
            for document in documents {
                let id = document[key(name)].to_string();
                let url = format!("{}/app/{name}/{}", server.url(), id.trim_matches('"'));
                let put = http::request("PUT", &url, &headers, document.to_string().as_bytes());
                assert!(matches!(put.status, 200 | 201), "{document}\n{put:?}");
            }
        }
        let url = |path: &str| format!("{}/app/{path}", server.url());
        let patch = [("Content-Type", "application/merge-patch+json")];
        let name = http::request("PATCH", &url("students/1"), &patch, br#"{"name":"Don"}"#);
        assert_eq!(name.status, 200, "{name:?}");
        for course in ["CS101", "MATH101"] {
            let read = http::get(&url(&format!("courses/{course}")), &[]).json();
            assert_eq!(read["students"][0], json!({"studentId": 1, "name": "Don"}), "{read}");
        }
        // Who teaches a course is said once.
        let moved = br#"{"teacher":{"teacherId":101,"name":"Abdul"}}"#;
        let moved = http::request("PATCH", &url("courses/CS101"), &patch, moved);
        assert_eq!(moved.status, 200, "{moved:?}");
        let taught = http::get(&url("teachers/101"), &[]).json();
        assert_eq!(taught["coursesTaught"].as_array().unwrap().len(), 2, "{taught}");
    }
}

/// Purchase orders and their lines, as the generator of the sample `orders` makes them.
#[test]
fn orders_of_the_generator() {
    let folder = Folder::new();
    let database = folder.path().join("orders.db");
    let url = format!("sqlite:{}", database.display());
    duet_says(&["load", "orders", "--database", &url, "--profile", "realistic", "--scale", "1"]);
    let connection = Connection::open(&database).unwrap();
    let documents = |table: &str| -> Vec<Value> {
        let sql = format!("SELECT jsonb FROM {table} ORDER BY id LIMIT 150");
        let mut statement = connection.prepare(&sql).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(|row| serde_json::from_str(&row.unwrap()).unwrap()).collect()
    };
    let (orders, lines) = (documents("purchase_order"), documents("po_line"));
    assert!(orders.len() > 100 && lines.len() > 100, "{} {}", orders.len(), lines.len());
    let files = [
        written(&folder, "purchase_orders.json", &orders),
        written(&folder, "po_lines.json", &lines),
    ];
    let (schema, views) = round_trip(&folder, &files);
    assert!(schema.contains("CREATE TABLE \"purchase_orders\""), "{schema}");
    assert!(views.contains("view po_lines as \"po_lines\""), "{views}");
}

/// Objects in lists in objects, keys that begin anew in each list, and lists without keys.
fn nested() -> Vec<Value> {
    let chapter = |no: u32, pages: &[u32]| {
        let pages: Vec<Value> = pages
            .iter()
            .map(|page| json!({"page": page, "lines": [{"text": "a"}, {"text": "b"}]}))
            .collect();
        json!({"chapterNo": no, "meta": {"title": format!("Chapter {no}"), "marks": {"bold": no == 1}}, "pages": pages})
    };
    let tag = |id: &str| json!({"id": id, "label": id.to_uppercase()});
    vec![
        json!({"isbn": "a", "title": "One", "tags": [tag("x"), tag("y")], "scores": [1, 2.5, 3],
            "chapters": [chapter(1, &[3, 1]), chapter(2, &[])], "cover": {"images": [{"url": "u"}], "size": null}}),
        json!({"isbn": "b", "title": "Two", "tags": [tag("y")], "scores": [],
            "chapters": [chapter(1, &[9])], "cover": null}),
        json!({"isbn": "c", "title": "Three", "tags": [], "chapters": []}),
    ]
}

#[test]
fn deeply_nested_documents() {
    let folder = Folder::new();
    let file = written(&folder, "books.json", &nested());
    let (schema, views) = round_trip(&folder, &[file]);
    // No member of a book is called like a key, those of chapters begin anew in each book.
    assert!(schema.contains("invented, because no member identifies a document"), "{schema}");
    assert!(schema.contains("unique in each list"), "{schema}");
    // Tags are shared through a mapping table; lists of scalars are JSON.
    assert!(schema.contains("Which rows of tag are in `tags` of books"), "{schema}");
    assert!(schema.contains("\"scores\" json"), "{schema}");
    assert!(
        views.contains("@unnest") && views.contains("@object") && views.contains("@nest"),
        "{views}"
    );
}

/// Views have a limit of objects in each other, and a number alone in a JSON column of SQLite loses digits.
#[test]
fn deep_groups_and_long_numbers() {
    let folder = Folder::new();
    let mut deep = json!({"n": 1});
    for _ in 0..45 {
        deep = json!({ "a": deep });
    }
    let long: Value = serde_json::from_str("[9223372036854775808, 0.1234567890123456789]").unwrap();
    let documents = [
        json!({"id": 1, "deep": deep, "big": long[0], "in": {"exact": long[1], "plain": 1}}),
        json!({"id": 2, "deep": {"a": {"n": 2}}, "big": 1, "in": {"exact": 1e5, "plain": 2}}),
    ];
    let file = written(&folder, "deep.json", &documents);
    let (schema, views) = round_trip(&folder, &[file]);
    assert!(schema.contains("`big` (numbers whose digits a column would change; "), "{schema}");
    assert!(views.contains("\"plain\": \"plain\""), "{views}");
}

#[test]
fn names_that_are_given_twice_are_refused() {
    let folder = Folder::new();
    let path = folder.path().join("twice.json");
    fs::write(&path, "[{\"id\": 1},\n {\"id\": 2, \"a\": 1, \"a\": 2}]").unwrap();
    let into = folder.path().join("app");
    let (code, out, errors) =
        duet(&["infer", &path.display().to_string(), "--into", &into.display().to_string()]);
    assert_eq!((code, out.as_str()), (1, ""), "{errors}");
    assert!(errors.contains("twice.json: the member `a` is given twice at line 2"), "{errors}");
    assert!(!into.exists());
}

#[test]
fn mixed_types_and_rare_members() {
    let folder = Folder::new();
    let documents: Vec<Value> = (0..60)
        .map(|number| {
            let mut one = json!({"id": format!("k{number}"), "n": number, "exact": 0.1});
            one["any"] = if number % 2 == 0 { json!(number) } else { json!(["x", {"y": null}]) };
            if number == 7 {
                one["rare"] = json!({"a": [1, "2"]});
            }
            if number % 3 == 0 {
                one["sometimes"] = json!("text");
            }
            one["when"] = json!("2024-02-29T12:00:00Z");
            one["odd name \"x\""] = json!(number % 2 == 0);
            one[""] = json!("empty");
            one["inner"] = json!({"$a.b/c": number, "line\nbreak": [], "Same": 1, "same": 2});
            one
        })
        .collect();
    let file = written(&folder, "things.json", &documents);
    let (schema, views) = round_trip(&folder, &[file]);
    assert!(schema.contains("`any` (array 30, number 30)"), "{schema}");
    assert!(schema.contains("`rare` (in 1 of 60 documents)"), "{schema}");
    assert!(
        schema.contains("\"sometimes\" text, -- `sometimes`: in 20 of 60 documents"),
        "{schema}"
    );
    assert!(schema.contains("\"when\" timestamp with time zone NOT NULL"), "{schema}");
    assert!(views.contains("\"extras\" @flex"), "{views}");
}

#[test]
fn differences_are_listed() {
    let folder = Folder::new();
    // `links` at the top of a document is the server's own member.
    let documents = [json!({"id": 1, "links": ["mine"]}), json!({"id": 2})];
    let file = written(&folder, "pages.json", &documents);
    let into = folder.path().join("app").display().to_string();
    let (code, out, errors) = duet(&["infer", &file, "--into", &into]);
    assert_eq!(code, 1, "{out}\n{errors}");
    assert!(errors.contains("pages.json document 1: /links: "), "{errors}");
    // The files are there, and are not written over.
    let (code, _, errors) = duet(&["infer", &file, "--into", &into, "--no-check"]);
    assert!(code == 1 && errors.contains("exists; it is not changed"), "{errors}");
    let other = folder.path().join("other").display().to_string();
    let said = duet_says(&["infer", &file, "--into", &other, "--no-check"]);
    assert!(said.contains("pages: 2 documents in 1 table: pages"), "{said}");
}

/// The same views over PostgreSQL's tables hold the documents too.
#[test]
fn postgres_holds_them() {
    let folder = Folder::new();
    let files = [
        written(&folder, "books.json", &nested()),
        written(&folder, "invoices.json", &invoices()[..40]),
    ];
    let into = folder.path().join("app").display().to_string();
    let for_postgres = ["--into", into.as_str(), "--for", "postgres"];
    duet_says(&[&["infer", &files[0], &files[1]], &for_postgres[..]].concat());
    let database = Server::shared().database("infer").url();
    duet_says(&["load", &into, "--database", &database]);
    let serve = ["serve", database.as_str(), "--config", &into, "--open", "all"];
    let server = Running::start(&[&serve[..], &["--listen", "127.0.0.1:0"]].concat());
    let all = [("books", nested()), ("invoices", invoices()[..40].to_vec())];
    let mut stored = Vec::new();
    for (name, documents) in all {
        for document in documents {
            let url = format!("{}/app/{name}/", server.url());
            let headers = [("Content-Type", "application/json")];
            let made = http::request("POST", &url, &headers, document.to_string().as_bytes());
            assert_eq!(made.status, 201, "{document}\n{made:?}");
            stored.push((made.header("location").unwrap().to_owned(), document));
        }
    }
    for (url, document) in stored {
        let read = http::get(&url, &[]).json();
        for (name, value) in document.as_object().unwrap() {
            assert!(holds(&read[name], value), "{url} {name}: {} for {value}", read[name]);
        }
    }
}

/// Whether what was read has everything of a sample.
fn holds(read: &Value, sample: &Value) -> bool {
    match (read, sample) {
        (Value::Object(read), Value::Object(sample)) => sample
            .iter()
            .all(|(name, value)| read.get(name).map_or(value.is_null(), |read| holds(read, value))),
        (Value::Array(read), Value::Array(sample)) => {
            read.len() == sample.len()
                && read.iter().zip(sample).all(|(read, one)| holds(read, one))
        }
        (Value::Number(read), Value::Number(sample)) => read.as_f64() == sample.as_f64(),
        (Value::Object(read), Value::Null) => read.is_empty(),
        (read, sample) => read == sample,
    }
}
