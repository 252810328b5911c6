//! Requests of one shape: what they filter and order by without the values, and the indexes that they lack.

use duet_model::IndexKind;
use duet_model::key::percent_decode;

use super::log::LoggedRequest;
use crate::definition::DeclaredIndex;
use crate::explanation::Explanation;
use crate::hosting::service::Service;

/// Requests of one shape that are run in trials.
const KEPT: usize = 3;
/// Distinct shapes.
const MOST: usize = 1_000;

/// Requests that run the same statement.
#[derive(Debug)]
pub struct RequestShape {
    /// The collection.
    pub collection: String,
    /// How many there are.
    pub count: u64,
    /// How long all of them took, in microseconds.
    pub micros: u64,
    /// The slowest of them.
    pub slowest: Vec<LoggedRequest>,
    /// What each of them does.
    pub explanation: Explanation,
}

/// The requests of a log.
#[derive(Debug, Default)]
pub struct Requests {
    /// Those of collections, by their statement.
    pub shapes: Vec<RequestShape>,
    /// Lines that are no requests.
    pub unreadable: u64,
    /// Requests of other resources, other methods, or that failed.
    pub others: u64,
}

impl Requests {
    /// Adds a line of a log.
    pub fn add(&mut self, line: &str, service: &Service, collections: &[String]) {
        let Some(logged) = super::log::read(line) else {
            self.unreadable += 1;
            return;
        };
        let of = (logged.method == "GET" && logged.status == 200)
            .then(|| collection_of(&logged.target, service, collections))
            .flatten();
        let explained = of.and_then(|collection| {
            let explanation = service.explanation("GET", &logged.target).ok()?;
            (!explanation.statements.is_empty()).then_some((collection, explanation))
        });
        let Some((collection, explanation)) = explained else {
            self.others += 1;
            return;
        };
        let sql = |of: &Explanation| of.statements.first().map(|it| it.sql.clone());
        let is_same = |shape: &&mut RequestShape| {
            shape.collection == collection && sql(&shape.explanation) == sql(&explanation)
        };
        if let Some(shape) = self.shapes.iter_mut().find(is_same) {
            shape.count += 1;
            shape.micros = shape.micros.saturating_add(logged.micros);
            shape.slowest.push(logged);
            shape.slowest.sort_by_key(|one| std::cmp::Reverse(one.micros));
            shape.slowest.truncate(KEPT);
        } else if self.shapes.len() < MOST {
            let micros = logged.micros;
            let slowest = vec![logged];
            self.shapes.push(RequestShape { collection, count: 1, micros, slowest, explanation });
        } else {
            self.others += 1;
        }
    }
}

/// The collection whose list a target is.
fn collection_of(target: &str, service: &Service, collections: &[String]) -> Option<String> {
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    let snapshot = service.snapshot();
    let (_, below) = snapshot.route(path)?;
    let name = percent_decode(below.trim_matches('/')).ok()?;
    collections.iter().find(|known| **known == name).cloned()
}

/// The indexes that a shape lacks. `declared` names those of its collection, with the path of each.
pub(super) fn lacking(shape: &RequestShape, declared: &[(String, String)]) -> Vec<DeclaredIndex> {
    let mut found = Vec::new();
    let (mut equal, mut unordered) = (None, false);
    for line in &shape.explanation.indexes {
        if line.starts_with("order by ") {
            unordered = line.contains(": no index");
            continue;
        }
        let Some((condition, served)) = line.rsplit_once(": ") else { continue };
        // A value may have the text of a note: only the end of a line is one.
        let Some((node, _)) = condition.split_once('.') else { continue };
        if !node.ends_with("t0") {
            continue;
        }
        let lacks = served.strip_prefix("no index; declare ");
        let index =
            lacks.and_then(|it| it.strip_suffix(" for the collection")).and_then(declaration);
        let of_served = || {
            let name = served.strip_prefix("index ")?.split(' ').next()?;
            declared.iter().find(|(known, _)| known == name).map(|(_, path)| path.clone())
        };
        if condition.contains(" = ") && equal.is_none() {
            equal = index.as_ref().map(|index| index.path.clone()).or_else(of_served);
        }
        found.extend(index);
    }
    let order = shape.slowest.first().and_then(|one| order_of(&one.target));
    if let Some(order) = order.filter(|_| unordered) {
        found.push(match equal {
            Some(path) if path != order => {
                DeclaredIndex { then: vec![order], ..DeclaredIndex::new(&path, IndexKind::Ordered) }
            }
            _ => DeclaredIndex::new(&order, IndexKind::Ordered),
        });
    }
    found
}

/// `like = ["vendor"]`.
fn declaration(text: &str) -> Option<DeclaredIndex> {
    let (name, list) = text.split_once(" = ")?;
    let (_, kind) = IndexKind::NAMES.into_iter().find(|(known, _)| *known == name)?;
    let paths: Vec<String> = serde_json::from_str(list).ok()?;
    paths.first().map(|path| DeclaredIndex::new(path, kind))
}

/// The path by which a CQL query orders first.
fn order_of(target: &str) -> Option<String> {
    let (_, query) = target.split_once('?')?;
    let given = query.split('&').find_map(|pair| pair.strip_prefix("query="))?;
    let query = percent_decode(&given.replace('+', " ")).ok()?;
    let at = query.to_ascii_lowercase().rfind(" sortby ")?;
    let term = query[at + " sortby ".len()..].split_whitespace().next()?;
    Some(term.split('/').next().unwrap_or(term).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(lines: &[&str], target: &str) -> RequestShape {
        let indexes = lines.iter().map(|&line| line.to_owned()).collect();
        let explanation = Explanation {
            plan: String::new(),
            indexes,
            statements: Vec::new(),
            database: Vec::new(),
        };
        let one =
            LoggedRequest { method: "GET".into(), target: target.into(), status: 200, micros: 1 };
        RequestShape {
            collection: "a".into(),
            count: 1,
            micros: 1,
            slowest: vec![one],
            explanation,
        }
    }

    #[test]
    fn conditions_and_orders_name_their_indexes() {
        let order = "order by t0.jsonb.due: no index: every selected row is sorted";
        let declared = [("a_status_idx".to_owned(), "status".to_owned())];
        let of = |kind, path: &str| DeclaredIndex::new(path, kind);
        let pair = DeclaredIndex { then: vec!["due".into()], ..of(IndexKind::Ordered, "status") };
        for (lines, target, expected) in [
            (
                vec![
                    r#"t0.jsonb.title LIKE "%x%": no index; declare trigram = ["title"] for the collection"#,
                ],
                "/a?query=title==*x*",
                vec![of(IndexKind::Trigram, "title")],
            ),
            (
                vec![r#"t0.status = "x": index a_status_idx"#, order],
                "/a?query=status==x+sortBy+due/sort.descending+id",
                vec![pair],
            ),
            (
                vec![order],
                "/a?query=cql.allRecords=1%20sortBy%20due",
                vec![of(IndexKind::Ordered, "due")],
            ),
            (
                vec![r#"t1.jsonb.x = "x": no index; declare index = ["x"] for the collection"#],
                "/a?query=b.x==x",
                vec![],
            ),
            (
                vec![
                    r#"t0.jsonb.x = "no index; declare index = [\"y\"] for the collection": index other"#,
                ],
                "/a",
                vec![],
            ),
        ] {
            assert_eq!(lacking(&shape(&lines, target), &declared), expected, "{lines:?}");
        }
    }
}
