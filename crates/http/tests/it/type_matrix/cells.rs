//! The columns of the matrix: what a request can do with a value.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Verdict;
pub(super) use super::asked::Asked;
use super::asked::{JSON, numbers, problem, q};
use super::postgres_types::Compares;
use super::subject::Subject;
use crate::support::percent_encode;

/// A column of the matrix.
pub(super) struct Cell {
    pub(super) name: &'static str,
    /// What values must compare by, and the code that refuses others.
    pub(super) needs: Option<(Compares, &'static str)>,
    /// Whether it is a condition.
    pub(super) is_filter: bool,
    pub(super) run: fn(&mut Asked<'_>, &Subject) -> Result<Verdict, String>,
}

const FILTER_OPERAND: &str = "DUET-2005";
const UNSUPPORTED: &str = "DUET-2008";

pub(super) const CELLS: &[Cell] = &[
    Cell { name: "read", needs: None, is_filter: false, run: read },
    Cell { name: "POST", needs: None, is_filter: false, run: post },
    Cell { name: "POST of an array", needs: None, is_filter: false, run: post_array },
    Cell { name: "PUT", needs: None, is_filter: false, run: put },
    Cell { name: "PATCH", needs: None, is_filter: false, run: patch },
    Cell { name: "batchload of CSV", needs: None, is_filter: false, run: load_csv },
    Cell { name: "batchload of NDJSON", needs: None, is_filter: false, run: load_lines },
    Cell {
        name: "`$eq` `$ne` `$in`",
        needs: Some((Compares::Equality, FILTER_OPERAND)),
        is_filter: true,
        run: equal,
    },
    Cell {
        name: "`$lt` `$gte` `$between`",
        needs: Some((Compares::Order, FILTER_OPERAND)),
        is_filter: true,
        run: less,
    },
    Cell {
        name: "`$orderby`, pages",
        needs: Some((Compares::Order, UNSUPPORTED)),
        is_filter: false,
        run: order,
    },
    Cell {
        name: "CQL `==`",
        needs: Some((Compares::Equality, FILTER_OPERAND)),
        is_filter: true,
        run: cql,
    },
    Cell { name: "key", needs: None, is_filter: false, run: key },
    Cell { name: "composite key", needs: None, is_filter: false, run: composite_key },
    Cell { name: "function", needs: None, is_filter: false, run: function },
];

/// The items of a subject's table that were made by SQL.
fn originals(asked: &mut Asked<'_>, subject: &Subject) -> Result<Vec<Value>, String> {
    asked.items(&format!("{}/?limit=500&{}", subject.name, q(&json!({ "id": { "$lt": 1000 } }))))
}

/// An item as it was read, with another id.
fn as_read(subject: &Subject, item: &Value, id: i64) -> Value {
    let members = subject.columns.iter().map(|name| ((*name).to_owned(), item[*name].clone()));
    let mut body: Map<String, Value> = members.collect();
    body.insert("id".to_owned(), id.into());
    Value::Object(body)
}

fn id_of(item: &Value) -> i64 {
    item["id"].as_i64().unwrap_or_default()
}

/// Compares the rows of a table that are `shift` above those of the subject with these.
fn differing(
    asked: &Asked<'_>,
    subject: &Subject,
    table: &str,
    shift: i64,
) -> Result<Verdict, String> {
    let name = &subject.name;
    let exact = |of: &str, column: &str| match subject.row.is_json() && subject.has_functions() {
        // JSON's null is sent back as NULL, and other values without their blanks.
        true => format!("nullif(to_jsonb({of}.{column})::text, 'null')"),
        false => asked.exact(&format!("{of}.{column}")),
    };
    let of_column = |column: &&str| {
        let (old, new) = (exact("o", column), exact("n", column));
        format!(
            "SELECT '{column}', o.id, {old}, {new} FROM {name} o LEFT JOIN {table} n ON n.id = o.id + {shift}
              WHERE o.id < 1000 AND (n.id IS NULL OR coalesce({old}, 'NULL') <> coalesce({new}, 'NULL'))"
        )
    };
    let queries: Vec<String> = subject.columns.iter().map(of_column).collect();
    let found = asked.rows(&queries.join(" UNION ALL "));
    if found.is_empty() { Ok(Verdict::Right) } else { Err(format!("stored otherwise: {found:?}")) }
}

/// All columns have the same value.
fn read(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    // A row of NULLs is no NULL, although `IS NULL` holds of it.
    let text = if subject.has_functions() { "v::text" } else { "v" };
    let nulls = asked.numbers(&format!("SELECT id FROM {} WHERE {text} IS NULL", subject.name));
    for item in originals(asked, subject)? {
        let value = &item["v"];
        let array =
            if value.is_null() { json!([null, null, null]) } else { json!([value, null, value]) };
        let expected = |column: &str| if column.starts_with('a') { &array } else { value };
        if subject.columns.iter().any(|column| item[*column] != *expected(column)) {
            return Err(format!("columns differ: {item}"));
        }
        if value.is_null() != nulls.contains(&id_of(&item)) && !subject.row.is_json() {
            return Err(format!("NULL is something else: {item}"));
        }
    }
    Ok(Verdict::Right)
}

fn post(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    for item in originals(asked, subject)? {
        let body = as_read(subject, &item, id_of(&item) + 1000).to_string();
        let made = asked.send("POST", &format!("{}/", subject.name), (JSON, &body));
        if made.status != 201 {
            return Err(format!("{} {body}: {}", made.status, problem(&made)));
        }
        let shown = as_read(subject, &made.json(), id_of(&item));
        if shown != as_read(subject, &item, id_of(&item)) {
            return Err(format!("{body} is answered {shown}"));
        }
    }
    differing(asked, subject, &subject.name, 1000)
}

fn post_array(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    let items = originals(asked, subject)?;
    let bodies: Vec<Value> =
        items.iter().map(|item| as_read(subject, item, id_of(item) + 2000)).collect();
    let made =
        asked.send("POST", &format!("{}/", subject.name), (JSON, &Value::from(bodies).to_string()));
    if made.status != 201 && made.status != 200 {
        return Err(format!("{}: {}", made.status, problem(&made)));
    }
    differing(asked, subject, &subject.name, 2000)
}

/// Gives each row of `POST` the values of the next row.
fn put(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    let items = originals(asked, subject)?;
    for (item, next) in items.iter().zip(items.iter().cycle().skip(1)) {
        for from in [next, item] {
            let id = id_of(item) + 1000;
            let body = as_read(subject, from, id).to_string();
            let put = asked.send("PUT", &format!("{}/{id}", subject.name), (JSON, &body));
            if put.status != 200 {
                return Err(format!("{} {body}: {}", put.status, problem(&put)));
            }
            if as_read(subject, &put.json(), id) != as_read(subject, from, id) {
                return Err(format!("{body} is answered {}", problem(&put)));
            }
        }
    }
    differing(asked, subject, &subject.name, 1000)
}

fn patch(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    let items = originals(asked, subject)?;
    for (item, next) in items.iter().zip(items.iter().cycle().skip(1)) {
        for from in [next, item] {
            let id = id_of(item) + 1000;
            let body = as_read(subject, from, id).to_string();
            let media = "application/merge-patch+json";
            let patched = asked.send("PATCH", &format!("{}/{id}", subject.name), (media, &body));
            if patched.status != 200 {
                return Err(format!("{} {body}: {}", patched.status, problem(&patched)));
            }
        }
    }
    differing(asked, subject, &subject.name, 1000)
}

/// Loads what a stream of the table gives into another one.
fn load(
    asked: &mut Asked<'_>,
    subject: &Subject,
    media: &str,
    target: &str,
) -> Result<Verdict, String> {
    let of_table = format!("{}/?{}", subject.name, q(&json!({ "id": { "$lt": 1000 } })));
    let stream = asked.get_as(&of_table, media);
    if stream.status != 200 {
        return Err(format!("{media}: {} {}", stream.status, problem(&stream)));
    }
    let text = stream.text().to_owned();
    let loaded =
        asked.send("POST", &format!("{}_{target}/batchload", subject.name), (media, &text));
    if loaded.status != 200 || !loaded.text().contains("SUCCESS: Processed without errors") {
        return Err(format!("{} {text}: {}", loaded.status, problem(&loaded)));
    }
    differing(asked, subject, &format!("{}_{target}", subject.name), 0)
}

fn load_csv(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    load(asked, subject, "text/csv", "csv")
}

fn load_lines(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    load(asked, subject, "application/x-ndjson", "lines")
}

/// The ids of the rows of which an operator holds for the value of each row, by the database.
type Holds = BTreeMap<(String, i64), Vec<i64>>;

fn by_oracle(asked: &Asked<'_>, subject: &Subject, operators: &[&str]) -> Holds {
    let name = &subject.name;
    let of_operator = |operator: &&str| {
        // Not every type with an equality has `<>`.
        let condition = match *operator {
            "<>" => "NOT (x.v = y.v)".to_owned(),
            operator => format!("x.v {operator} y.v"),
        };
        format!(
            "SELECT '{operator}', y.id, x.id FROM {name} y, {name} x
              WHERE x.id < 1000 AND y.id < 1000 AND {condition}"
        )
    };
    let mut found = Holds::new();
    if operators.is_empty() {
        return found;
    }
    let queries: Vec<String> = operators.iter().map(of_operator).collect();
    for row in asked.rows(&format!("{} ORDER BY 1, 2, 3", queries.join(" UNION "))) {
        let key = (row[0].clone(), row[1].parse().unwrap());
        found.entry(key).or_default().push(row[2].parse().unwrap());
    }
    found
}

/// Compares what filters select with what the database does; each operator is that of `q` and that of SQL.
fn filters(
    asked: &mut Asked<'_>,
    subject: &Subject,
    operators: &[(&str, &str)],
) -> Result<Verdict, String> {
    let items = originals(asked, subject)?;
    if subject.row.is_json() {
        return Ok(Verdict::Inside);
    }
    let refuses = subject.row.filtered();
    let mut refused = None;
    let is_taken = |sql: &str| match refuses {
        Compares::Nothing => false,
        Compares::Equality => matches!(sql, "=" | "<>"),
        Compares::Order => true,
    };
    let taken: Vec<&str> =
        operators.iter().map(|(_, sql)| *sql).filter(|sql| is_taken(sql)).collect();
    let expected = by_oracle(asked, subject, &taken);
    for (operator, sql) in operators {
        // `$between` is an order, whose oracle is equality here.
        let is_refused = !is_taken(sql) || *operator == "$between" && refuses < Compares::Order;
        for item in items.iter().filter(|item| !item["v"].is_null()) {
            for column in subject.values() {
                let value = &item["v"];
                let operand = match *operator {
                    "$in" => json!([value]),
                    "$between" => json!([value, value]),
                    _ => value.clone(),
                };
                let filter = json!({ "id": { "$lt": 1000 }, (*column): { (*operator): operand }, "$orderby": { "id": 1 } });
                match asked.selected(&subject.name, &q(&filter))? {
                    Err(code) => refused = Some((code, filter)),
                    Ok(_) if is_refused => return Err(format!("{filter} is not refused")),
                    Ok(found) => {
                        let wanted = held(&expected, sql, id_of(item));
                        if found != wanted {
                            return Err(format!(
                                "{filter} selects {found:?}, the database {wanted:?}"
                            ));
                        }
                    }
                }
            }
        }
        if let Some((code, filter)) = refused.as_ref().filter(|_| !is_refused) {
            return Err(format!("{filter} is refused: {code}"));
        }
    }
    Ok(refused.map_or(Verdict::Right, |(code, _)| Verdict::Refused(known(&code))))
}

fn held(expected: &Holds, operator: &str, id: i64) -> Vec<i64> {
    expected.get(&(operator.to_owned(), id)).cloned().unwrap_or_default()
}

/// The code as the table has it.
fn known(code: &str) -> &'static str {
    [FILTER_OPERAND, UNSUPPORTED].into_iter().find(|known| *known == code).unwrap_or("another code")
}

fn equal(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    filters(asked, subject, &[("$eq", "="), ("$ne", "<>"), ("$in", "=")])
}

fn less(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    let operators = [("$lt", "<"), ("$lte", "<="), ("$gt", ">"), ("$gte", ">="), ("$between", "=")];
    filters(asked, subject, &operators)
}

/// Follows `next` from the first page, and returns a member of all items.
fn paged(asked: &mut Asked<'_>, first: &str, member: &str) -> Result<Vec<i64>, String> {
    let (mut found, mut path) = (Vec::new(), first.to_owned());
    for _ in 0..200 {
        let page = asked.get(&path)?;
        found.extend(numbers(&page["items"], member));
        let links = page["links"].as_array().cloned().unwrap_or_default();
        let next = links.iter().find(|link| link["rel"] == "next");
        let Some(next) = next.and_then(|link| link["href"].as_str()) else { return Ok(found) };
        path = next.split_once("/ords/hr/").map_or(next, |(_, path)| path).to_owned();
    }
    Err(format!("pages of {first} do not end: {found:?}"))
}

fn order(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    if subject.row.is_json() {
        return Ok(Verdict::Inside);
    }
    for column in subject.values() {
        for direction in ["ASC", "DESC"] {
            let filter = json!({ "id": { "$lt": 1000 }, "$orderby": { (column): direction } });
            if let Err(code) = asked.selected(&subject.name, &q(&filter))? {
                return Ok(Verdict::Refused(known(&code)));
            }
            let found =
                paged(asked, &format!("{}/?after=&limit=2&{}", subject.name, q(&filter)), "id")?;
            let expected = asked.numbers(&format!(
                "SELECT id FROM {} WHERE id < 1000 ORDER BY {column} {direction} NULLS LAST, id",
                subject.name
            ));
            if found != expected {
                return Err(format!("{filter} gives {found:?}, the database {expected:?}"));
            }
        }
    }
    Ok(Verdict::Right)
}

/// The term of CQL that is a text, with nothing masked.
fn term(text: &str) -> String {
    let mut term = String::from("\"");
    for char in text.chars() {
        if matches!(char, '"' | '\\' | '*' | '?' | '^') {
            term.push('\\');
        }
        term.push(char);
    }
    term.push('"');
    term
}

fn cql(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    if subject.row.is_json() {
        return Ok(Verdict::Inside);
    }
    // Texts compare by CQL's own rules there.
    if subject.row.is_text() {
        return Ok(Verdict::Right);
    }
    let items = originals(asked, subject)?;
    let can_compare = subject.row.filtered() >= Compares::Equality;
    let compared: &[&str] = if can_compare { &["="] } else { &[] };
    let expected = by_oracle(asked, subject, compared);
    let mut refused = None;
    for item in items.iter().filter(|item| !item["v"].is_null()) {
        let text = match &item["v"] {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if text.is_empty() {
            continue;
        }
        let query = format!("id < 1000 and v == {} sortBy id", term(&text));
        match asked.selected(&subject.name, &format!("query={}", percent_encode(&query)))? {
            Err(code) => refused = Some(known(&code)),
            Ok(found) => {
                let wanted = held(&expected, "=", id_of(item));
                if found != wanted {
                    return Err(format!("{query} selects {found:?}, the database {wanted:?}"));
                }
            }
        }
    }
    Ok(refused.map_or(Verdict::Right, Verdict::Refused))
}

/// The path of an item behind the mount, from its links.
fn self_link(item: &Value) -> Result<String, String> {
    let links = item["links"].as_array().cloned().unwrap_or_default();
    let own = links.iter().find(|link| link["rel"] == "self");
    let href =
        own.and_then(|link| link["href"].as_str()).ok_or_else(|| format!("no link: {item}"))?;
    Ok(href.split_once("/ords/hr/").map_or(href, |(_, path)| path).to_owned())
}

/// Follows the link of each item, puts the item there as it is, and asks for it by `ids`.
fn items_by_key(asked: &mut Asked<'_>, table: &str, count: &str) -> Result<(), String> {
    for item in asked.items(&format!("{table}/?limit=500"))? {
        let path = self_link(&item)?;
        let found = asked.get(&path)?;
        let without_links = |item: &Value| {
            let mut members = item.as_object().cloned().unwrap_or_default();
            members.remove("links");
            Value::Object(members)
        };
        if without_links(&found) != without_links(&item) {
            return Err(format!("{path} is {found}, not {item}"));
        }
        for method in ["PUT", "PATCH"] {
            let media = if method == "PUT" { JSON } else { "application/merge-patch+json" };
            let body = without_links(&item).to_string();
            let put = asked.send(method, &path, (media, &body));
            if put.status != 200 {
                return Err(format!("{method} {path} {body}: {} {}", put.status, problem(&put)));
            }
        }
        let key = path.rsplit('/').next().unwrap_or_default();
        let found = asked.items(&format!("{table}/?ids={}", percent_encode(key)))?;
        if found.len() != 1 || without_links(&found[0]) != without_links(&item) {
            return Err(format!("ids={key} gives {found:?}"));
        }
    }
    let rows = asked.numbers(&format!("SELECT count(*) FROM {table}"));
    let expected = asked.numbers(count);
    if rows == expected { Ok(()) } else { Err(format!("{rows:?} rows, of {expected:?}")) }
}

fn key(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    if subject.row.compares < Compares::Order || subject.row.is_json() {
        // The database has no such keys, or pages have no markers of them.
        return Ok(Verdict::Right);
    }
    let (name, table) = (&subject.name, format!("{}_key", subject.name));
    items_by_key(asked, &table, &format!("SELECT count(DISTINCT v) FROM {name} WHERE id < 1000"))?;
    let found = paged(asked, &format!("{table}/?after=&limit=2"), "n")?;
    let expected = asked.numbers(&format!("SELECT n FROM {table} ORDER BY v"));
    if found == expected {
        Ok(Verdict::Right)
    } else {
        Err(format!("pages by key give {found:?}, the database {expected:?}"))
    }
}

fn composite_key(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    if subject.row.compares < Compares::Order {
        return Ok(Verdict::Right);
    }
    let table = format!("{}_two", subject.name);
    items_by_key(asked, &table, &format!("SELECT count(*) FROM {table}"))?;
    Ok(Verdict::Right)
}

/// A function that returns what it is given; SQLite has none.
fn function(asked: &mut Asked<'_>, subject: &Subject) -> Result<Verdict, String> {
    if !subject.has_functions() {
        return Ok(Verdict::Right);
    }
    for item in originals(asked, subject)? {
        let body = json!({ "given": item["v"] }).to_string();
        let called = asked.send("POST", &format!("{}_f", subject.name), (JSON, &body));
        if called.status != 200 {
            return Err(format!("{body}: {} {}", called.status, problem(&called)));
        }
        if subject.row.is_composite() {
            // A row is an object with a member for each of its attributes.
            let row = format!(
                "SELECT coalesce(row_to_json(v)::text, '{{}}') FROM {} WHERE id = {}",
                subject.name,
                id_of(&item)
            );
            let expected: Value = serde_json::from_str(&asked.rows(&row)[0][0]).unwrap();
            let members = expected.as_object().unwrap();
            if members.iter().any(|(name, value)| called.json()[name] != *value) {
                return Err(format!("{body} returns {}, not {expected}", called.text()));
            }
            continue;
        }
        let returned = called.json()["~ret"].clone();
        // Arguments and results have no scale: 0.00 is 0 there.
        let is_same = match (returned.as_f64(), item["v"].as_f64()) {
            (Some(returned), Some(given)) => returned.to_bits() == given.to_bits(),
            _ => returned == item["v"],
        };
        if !is_same {
            return Err(format!("{body} returns {returned}"));
        }
    }
    Ok(Verdict::Right)
}
