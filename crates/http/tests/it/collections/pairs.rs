//! Ranges and points of collections: on both stores searches find what the meaning of the values says, whatever is stored,
//! and PostgreSQL reads them from their index.

use std::sync::Arc;

use duet_model::{CollectionTable, IndexKind, Point, RangeRelation};
use duet_service::definition::{Collection, Declaration, DeclaredIndex};
use duet_text::time::moment::civil_from_days;
use serde_json::{Value, json};

use super::index_kinds::{DOCUMENTS, are_used, found, start_with};
use crate::support::{App, Database, on_both_stores, percent_encode};

on_both_stores! {
    ranges_are_found
    ranges_and_points_are_refused
    points_are_found_and_the_nearest_come_first
    the_description_lists_what_fields_take
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string", "format": "uuid"},
  "from": {"type": "string"}, "to": {"type": ["string", "null"]}, "title": {"type": "string"},
  "price": {"type": "object", "properties": {"low": {"type": "number"}, "high": {"type": "number"}}},
  "place": {"type": "object", "properties": {"lon": {"type": "number"}, "lat": {"type": "number"}}}}}"#;

fn index(kind: IndexKind, name: &str, members: [&str; 2]) -> DeclaredIndex {
    DeclaredIndex { then: members.map(str::to_owned).into(), ..DeclaredIndex::new(name, kind) }
}

fn collection(name: &str) -> Arc<Collection> {
    let indexes = vec![
        index(IndexKind::Range, "period", ["from", "to"]),
        index(IndexKind::Range, "prices", ["price.low", "price.high"]),
        index(IndexKind::Point, "spot", ["place.lon", "place.lat"]),
        // A member of a range may have an index of its own.
        DeclaredIndex::new("from", IndexKind::Ordered),
    ];
    let declaration = Declaration { indexes, ..Declaration::new(name) };
    Arc::new(Collection::new(declaration, SCHEMA).unwrap())
}

fn id(number: usize) -> String {
    format!("{number:08x}-0000-4000-8000-000000000000")
}

/// A day of 2024, or one near to it, as a date.
fn date(day: i64) -> String {
    let (year, month, day) = civil_from_days(19_723 + day);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The same moment in one of several forms.
fn spelled(day: i64, form: usize) -> String {
    match form % 5 {
        0 => date(day),
        1 => format!("{}T00:00:00Z", date(day)),
        2 => format!("{}T05:30+05:30", date(day)),
        3 => format!("{}T22:30:00.000-0130", date(day - 1)),
        _ => format!("{} 00:00", date(day)),
    }
}

/// The ends of a range, if the document has one.
type Ends = Option<(Option<i64>, Option<i64>)>;

/// The days of a document's period, and of a price as it is stored.
fn ends(number: usize) -> Ends {
    let low = (number * 37 % 300) as i64;
    let low = (!number.is_multiple_of(7)).then_some(low);
    let high = (!number.is_multiple_of(5)).then_some(low.unwrap_or(40) + (number % 23) as i64 - 3);
    match (low, high) {
        (None, None) => None,
        (Some(low), Some(high)) if low > high => None,
        ends => Some(ends),
    }
}

/// A document of each kind of ends, also of ends that are no range.
fn document(number: usize) -> Value {
    let mut document = json!({"id": id(number), "title": format!("T{}", number % 3)});
    let low = (!number.is_multiple_of(7)).then_some((number * 37 % 300) as i64);
    let high = (!number.is_multiple_of(5)).then_some(low.unwrap_or(40) + (number % 23) as i64 - 3);
    if let Some(low) = low {
        document["from"] = json!(spelled(low, number));
        document["price"]["low"] = json!(low);
    }
    if let Some(high) = high {
        document["to"] = json!(spelled(high, number + 2));
        document["price"]["high"] = json!(high);
    } else if number.is_multiple_of(2) {
        document["to"] = Value::Null;
    }
    if let Some(Point { x, y }) = point(number) {
        document["place"] = json!({"lon": x, "lat": y});
    }
    document
}

/// Many points are equally far from others, and some documents have none.
fn point(number: usize) -> Option<Point> {
    let coordinate = |factor: usize, step: usize| (number * factor % step) as f64 / 8.0 - 2.0;
    let point = Point { x: coordinate(7, 31), y: coordinate(11, 17) };
    (!number.is_multiple_of(9)).then_some(point)
}

/// What another program may have stored, with keys behind all others.
fn store_what_is_none(database: &Database, table: &str) {
    let texts = [
        r#"{"from": "2024-02-30", "to": "2024-03-01", "price": {"low": "x", "high": 5}}"#,
        r#"{"from": 7, "to": {"a": 1}, "price": {"low": [1], "high": 1e999}, "place": {"lon": 1, "lat": "north"}}"#,
        r#"{"from": "0001-01-01T00:00:00+01:00", "price": 5, "place": {"lon": 1e200, "lat": 0}}"#,
        r#"{"to": "9999-12-31T23:59:59-01:00", "place": {"lon": 1, "lat": 1e-200}}"#,
        r#"{"from": "2024-01-01T24:00:00Z", "to": "2024-01-01T00:00:00+16:00", "place": [1, 2]}"#,
        r#"{"from": true, "to": false, "place": {"lon": null, "lat": 1}}"#,
    ];
    for (number, text) in texts.iter().enumerate() {
        let id = id(usize::from(u16::MAX) + number);
        let text = text.replacen('{', &format!("{{\"id\": \"{id}\", "), 1);
        database.exec(&format!("INSERT INTO {table} (id, jsonb) VALUES ('{id}', '{text}');"));
    }
}

/// How many documents a search finds.
fn total(app: &App, parameter: &str, search: &str) -> Value {
    let target =
        format!("/ords/hr/items?limit=0&totalRecords=exact&{parameter}={}", percent_encode(search));
    let answer = app.get(&target);
    assert_eq!(answer.status, 200, "{target}: {answer:?}");
    answer.json()["totalRecords"].clone()
}

fn explained(app: &App, search: &str) -> String {
    let target = format!("/ords/hr/items?limit=3&query={}", percent_encode(search));
    app.service.explanation("GET", &target).unwrap().indexes.join("\n")
}

fn started(database: &Database) -> App {
    let items = collection("items");
    // The indexes are built over these documents too.
    database
        .prepare_collections(vec![CollectionTable { indexes: Vec::new(), ..items.table(None) }]);
    store_what_is_none(database, "items");
    start_with(database, vec![items], document)
}

fn ranges_are_found(database: Database) {
    type Relation = fn((i64, i64), (i64, i64)) -> bool;
    let relations: [(&str, &str, Relation); 3] = [
        ("within/partial", "$overlaps", |(low, high), (from, to)| low <= to && from <= high),
        ("within", "$within", |(low, high), (from, to)| from <= low && high <= to),
        ("encloses", "$encloses", |(low, high), (from, to)| low <= from && to <= high),
    ];
    let app = started(&database);
    for (relation, operator, holds) in relations {
        for (from, to) in [
            (Some(50), Some(80)),
            (Some(100), Some(100)),
            (None, Some(20)),
            (Some(290), None),
            (None, None),
            (Some(400), Some(500)),
            (Some(-90), Some(0)),
        ] {
            let inside = |range: (Option<i64>, Option<i64>)| {
                (range.0.unwrap_or(i64::MIN), range.1.unwrap_or(i64::MAX))
            };
            let is_it =
                |ends: Ends| ends.is_some_and(|ends| holds(inside(ends), inside((from, to))));
            let expected: Vec<_> =
                (0..DOCUMENTS).filter(|number| is_it(ends(*number))).map(id).collect();
            let end =
                |end: Option<i64>, form: &dyn Fn(i64) -> String| end.map_or("*".to_owned(), form);
            let spelled = |day: i64| spelled(day, 1);
            for (name, form) in
                [("period", &spelled as &dyn Fn(i64) -> String), ("prices", &|day| day.to_string())]
            {
                let cql = format!("{name} {relation} \"{} {}\"", end(from, form), end(to, form));
                assert_eq!(found(&app, "items", &cql), expected, "{cql}");
                let mut operand = json!({});
                for (member, end) in [("from", from), ("to", to)] {
                    if let Some(end) = end {
                        operand[member] =
                            if name == "prices" { json!(end) } else { json!(form(end)) };
                    }
                }
                let q = json!({name: {operator: operand}}).to_string();
                assert_eq!(total(&app, "q", &q), json!(expected.len()), "{q}");
            }
        }
    }
    one_value_is_enclosed(&app);
    let has_range = (0..DOCUMENTS).filter(|number| ends(*number).is_some()).count();
    assert_eq!(total(&app, "query", "period=\"\""), json!(has_range));
    assert_eq!(total(&app, "q", r#"{"period": {"$notnull": null}}"#), json!(has_range));
    let without = "cql.allRecords=1 not period within/partial \"* *\"";
    assert_eq!(total(&app, "query", without), json!(DOCUMENTS + 6 - has_range));
    for (name, ends) in [("period", "2024-01-01 2024-02-01"), ("prices", "1 9")] {
        let explained = explained(&app, &format!("title==T1 and {name} within \"{ends}\""));
        let expected = format!("index items_{name}_idx_range");
        assert!(explained.lines().last().unwrap().ends_with(&expected), "{explained}");
    }
    let used = ["period", "prices"].map(|name| format!("items_{name}_idx_range"));
    are_used(&database, app, &used);
}

/// A value alone is the range of it.
fn one_value_is_enclosed(app: &App) {
    let around = |day: i64| {
        let has = |ends: Ends| {
            ends.is_some_and(|(low, high)| {
                low.is_none_or(|low| low <= day) && high.is_none_or(|high| day <= high)
            })
        };
        json!((0..DOCUMENTS).filter(|number| has(ends(*number))).count())
    };
    let day = date(60);
    assert_ne!(around(60), json!(0));
    for (parameter, search) in [
        ("query", format!("period encloses {day}")),
        ("query", format!("period encloses/partial {day}")),
        ("q", json!({"period": {"$encloses": day}}).to_string()),
        ("q", json!({"period": {"$encloses": {"$date": day}}}).to_string()),
        ("query", "prices encloses 60.0".to_owned()),
        ("q", json!({"prices": {"$encloses": 60}}).to_string()),
    ] {
        assert_eq!(total(app, parameter, &search), around(60), "{search}");
    }
}

fn ranges_and_points_are_refused(database: Database) {
    let app = start_with(&database, vec![collection("items")], document);
    for (parameter, search, code, at) in [
        ("query", "period within \"2024-01-01\"", "DUET-2005", "\"2024"),
        ("query", "period within \"2024-01-01 soon\"", "DUET-2005", "\"2024"),
        ("query", "prices within \"9 1\"", "DUET-2005", "\"9"),
        ("query", "prices within \"1 x\"", "DUET-2005", "\"1"),
        ("query", "period encloses \"a b c\"", "DUET-2005", "\"a"),
        ("query", "period == 2024-01-01", "DUET-2008", "=="),
        ("query", "period within/word \"1 2\"", "DUET-2008", "within"),
        ("query", "title within/partial \"a b\"", "DUET-2008", "within"),
        ("query", "title encloses a", "DUET-2008", "encloses"),
        ("query", "cql.allRecords=1 sortBy period", "DUET-2008", "period"),
        ("query", "cql.allRecords=1 sortBy spot", "DUET-2008", "spot"),
        ("query", "cql.allRecords=1 sortBy period/nearest=\"1 2\"", "DUET-2008", "period"),
        ("query", "cql.allRecords=1 sortBy spot/nearest=\"1\"", "DUET-2005", "spot"),
        ("query", "spot within \"1 2 3\"", "DUET-2005", "\"1"),
        ("query", "spot within \"1 2 0 4\"", "DUET-2005", "\"1"),
        ("query", "spot within \"1 2 a 4\"", "DUET-2005", "\"1"),
        ("query", "spot within/partial \"1 2 3 4\"", "DUET-2008", "within"),
        ("query", "spot encloses 1", "DUET-2008", "encloses"),
        ("q", r#"{"period": {"$overlaps": {"since": 1}}}"#, "DUET-2005", "\"since"),
        ("q", r#"{"period": {"$overlaps": {"from": 1}}}"#, "DUET-2005", "1}"),
        ("q", r#"{"period": {"$within": {"from": "soon"}}}"#, "DUET-2005", "\"soon"),
        ("q", r#"{"period": {"$within": "2024-01-01"}}"#, "DUET-2005", "\"2024"),
        ("q", r#"{"prices": {"$encloses": {"from": 2, "to": 1}}}"#, "DUET-2005", "{\"from"),
        ("q", r#"{"prices": {"$encloses": {"from": true}}}"#, "DUET-2005", "true"),
        ("q", r#"{"prices": 5}"#, "DUET-2005", "5"),
        ("q", r#"{"title": {"$within": {"from": 1}}}"#, "DUET-2008", "{\"from"),
        ("q", r#"{"spot": {"$within": [1, 2, 3]}}"#, "DUET-2005", "[1"),
        ("q", r#"{"spot": {"$within": [1, 2, 0, 4]}}"#, "DUET-2005", "[1"),
        ("q", r#"{"spot": {"$within": {"from": 1}}}"#, "DUET-2005", "{\"from"),
        ("q", r#"{"spot": {"$overlaps": [1, 2, 3, 4]}}"#, "DUET-2008", "[1"),
        ("q", r#"{"$orderby": {"spot": {"$nearest": [1]}}}"#, "DUET-2005", "\"spot"),
        ("q", r#"{"$orderby": {"title": {"$nearest": [1, 2]}}}"#, "DUET-2008", "\"title"),
    ] {
        let answer = app.get(&format!("/ords/hr/items?{parameter}={}", percent_encode(search)));
        assert_eq!(answer.status, 400, "{search}: {answer:?}");
        let problem = answer.json();
        assert!(answer.text().contains(code), "{search}: {answer:?}");
        let position = usize::try_from(problem["errors"][0]["position"].as_u64().unwrap()).unwrap();
        assert!(search[position..].starts_with(at), "{search}: {position} {problem}");
    }
}

fn points_are_found_and_the_nearest_come_first(database: Database) {
    let app = started(&database);
    for [x, y, to_x, to_y] in
        [[-1.0, -1.5, 0.5, 1.25], [0.25, -2.0, 0.25, 2.0], [5.0, 5.0, 6.0, 7.0]]
    {
        let is_in = |Point { x: at_x, y: at_y }: Point| {
            x <= at_x && at_x <= to_x && y <= at_y && at_y <= to_y
        };
        let expected: Vec<_> =
            (0..DOCUMENTS).filter(|number| point(*number).is_some_and(is_in)).map(id).collect();
        let search = format!("spot within \"{x} {y} {to_x} {to_y}\"");
        assert_eq!(found(&app, "items", &search), expected, "{search}");
        let q = json!({"spot": {"$within": [x, y, to_x, to_y]}}).to_string();
        assert_eq!(total(&app, "q", &q), json!(expected.len()), "{q}");
    }
    for from in [Point { x: 0.1, y: 0.3 }, Point { x: -2.0, y: 1.0 }, Point { x: 100.0, y: -7.5 }] {
        let distance = |number: &usize| point(*number).map(|point| point.distance(from));
        let mut all: Vec<usize> = (0..DOCUMENTS).collect();
        all.sort_by(|a, b| match (distance(a), distance(b)) {
            (Some(one), Some(other)) => one.total_cmp(&other).then(a.cmp(b)),
            (one, other) => one.is_none().cmp(&other.is_none()).then(a.cmp(b)),
        });
        let mut ordered: Vec<String> = all.into_iter().map(id).collect();
        ordered.extend((0..6).map(|number| id(usize::from(u16::MAX) + number)));
        let search = format!("cql.allRecords=1 sortBy spot/nearest=\"{},{}\"", from.x, from.y);
        assert_eq!(found(&app, "items", &search), ordered, "{search}");
        let q = json!({"$orderby": {"spot": {"$nearest": [from.x, from.y]}}}).to_string();
        // Many are equally far away, also across the ends of a page.
        for (limit, offset) in [(7, 0), (7, 5), (100, 390), (10, 440)] {
            for (parameter, search) in [("query", &search), ("q", &q)] {
                let window = format!("limit={limit}&offset={offset}");
                let search = percent_encode(search);
                let page = app.get(&format!("/ords/hr/items?{window}&{parameter}={search}")).json();
                let page = page["items"].as_array().unwrap().iter().map(|it| it["id"].clone());
                let expected = ordered[offset..offset + limit].iter().map(|id| json!(id));
                assert_eq!(page.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{search}");
            }
        }
        let selected =
            format!("title==T1 sortBy spot/nearest=\"{} {}\"/descending", from.x, from.y);
        assert_eq!(found(&app, "items", &selected).len(), DOCUMENTS.div_ceil(3));
    }
    const INDEX: &str = "index items_spot_idx_point";
    assert!(explained(&app, "spot within \"1 1 2 2\"").ends_with(INDEX));
    let nearest = explained(&app, "cql.allRecords=1 sortBy spot/nearest=\"1 1\"");
    assert_eq!(nearest.ends_with(INDEX), !database.is_sqlite(), "{nearest}");
    are_used(&database, app, &["items_spot_idx_point".to_owned()]);
}

fn the_description_lists_what_fields_take(database: Database) {
    let mut indexes = vec![
        index(IndexKind::Range, "period", ["from", "to"]),
        index(IndexKind::Point, "spot", ["place.lon", "place.lat"]),
    ];
    let kinds = [IndexKind::Nearest, IndexKind::FullText];
    indexes.extend(kinds.map(|kind| DeclaredIndex::new("title", kind)));
    let declaration = Declaration { indexes, ..Declaration::new("items") };
    let items = Arc::new(Collection::new(declaration, SCHEMA).unwrap());
    let app = start_with(&database, vec![items], document);
    let schemas = app.get("/ords/hr/open-api-catalog/").json()["components"]["schemas"].clone();
    let names = |schema: &Value| -> Vec<String> {
        schema["properties"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    };
    let order = &schemas["ItemsOrder"]["properties"];
    let takes = |name: &str| -> Vec<String> {
        let any = order[name]["anyOf"].as_array().cloned();
        any.unwrap_or_else(|| vec![order[name].clone()]).iter().flat_map(names).collect()
    };
    assert_eq!(takes("title"), ["$similar", "$relevant"]);
    assert_eq!(order["title"]["anyOf"][0]["$ref"], json!("#/components/schemas/Direction"));
    assert_eq!(takes("spot"), ["$nearest"]);
    assert_eq!(order["from"]["$ref"], json!("#/components/schemas/Direction"));
    assert!(order.get("period").is_none());
    for (field, condition, operators) in [
        ("period", "Range", vec!["$overlaps", "$within", "$encloses"]),
        ("spot", "Point", vec!["$within"]),
    ] {
        let reference = format!("#/components/schemas/{condition}Condition");
        assert_eq!(schemas["ItemsFilter"]["properties"][field]["$ref"], json!(reference));
        let mut found = names(&schemas[format!("{condition}Operators")]);
        found.retain(|name| RangeRelation::NAMES.iter().any(|(known, _)| known == name));
        found.sort_by_key(|name| operators.iter().position(|known| known == name));
        assert_eq!(found, operators);
    }
}
