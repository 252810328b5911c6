//! The page of a resource's rows.

use std::collections::BTreeMap;

use duet_console::address::{Place, query, shell_word};
use duet_console::cell::{Cell, label_of};
use duet_console::filter::{ColumnKind, Filter, Order};
use duet_console::grid::{Column, Grid, Row, Rows, Term};
use duet_console::page::Section;
use hyper::StatusCode;
use serde_json::Value;

use super::call::CallAnswer;
use super::form::Form;
use super::place::{At, Facts};
use super::visit::{Visit, see, shown};
use crate::answer::reply::Reply;

/// Rows of a page.
const ROWS: &str = "50";
/// Columns of a page.
const COLUMNS: usize = 40;

pub(super) async fn page(visit: &Visit<'_>, at: &At, parameters: &Form) -> Reply {
    let facts = match Facts::of(visit, &at.mount, &at.resource).await {
        Ok(facts) => facts,
        Err(called) => return visit.refused(&called),
    };
    let (q, hide) = (parameters.text("q"), parameters.text("hide"));
    let path = at.place(visit).rows();
    let filter = Filter::of(q);
    if let Some(column) = parameters.get("column") {
        // The form's condition becomes a part of the address.
        let is_number = facts.members.iter().any(|(name, ty)| name == column && is_of_numbers(ty));
        let (operator, value) = (parameters.text("operator"), parameters.text("value"));
        let q = filter.unwrap_or_default().with(column, operator, value, is_number).q();
        let columns = parameters.text("columns");
        let own = [("q", &*q), ("hide", hide), ("columns", columns)];
        return see(&format!("{path}{}", query(&own)));
    }
    let (filter, columns) = (&filter.unwrap_or_default(), parameters.text("columns"));
    let view = View { at, facts: &facts, q, hide, columns, filter, path: &path };
    let rows = view.rows(visit, parameters).await;
    let status = if rows.problem.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let frame = visit.frame(&at.resource, Section::Data);
    shown(status, Grid { frame, rows: &rows }.html())
}

fn is_of_numbers(ty: &str) -> bool {
    matches!(
        ty,
        "INTEGER"
            | "NUMBER"
            | "DECIMAL"
            | "FLOAT"
            | "REAL"
            | "DOUBLE"
            | "SMALLINT"
            | "BIGINT"
            | "NUMERIC"
    )
}

/// Whether a page can be ordered by members of this type.
fn has_order(ty: &str) -> bool {
    !matches!(ty, "OBJECT" | "ARRAY" | "JSON")
}

/// A resource with what the address says of its rows.
struct View<'v> {
    at: &'v At,
    facts: &'v Facts,
    q: &'v str,
    hide: &'v str,
    /// The number of the first column, as the address has it.
    columns: &'v str,
    filter: &'v Filter,
    path: &'v str,
}

impl View<'_> {
    /// Asks for a page of the rows.
    async fn asked(&self, visit: &Visit<'_>, parameters: &Form) -> CallAnswer {
        let (expand, fields) = self.asked_for();
        // Pages by marker need a key; their first one has an empty marker.
        let (after, offset) = (parameters.text("after"), parameters.text("offset"));
        let by_marker = !self.facts.key.is_empty() && offset.is_empty();
        let counts = if parameters.text("count").is_empty() { "" } else { "exact" };
        let target = |expand: &str| {
            let given = [
                ("q", self.q),
                ("limit", ROWS),
                ("expand", expand),
                ("fields", &self.fields(&fields, expand)),
                ("offset", offset),
                ("count", counts),
            ];
            let marker = match by_marker {
                true => format!("&after={}", duet_console::address::encoded(after)),
                false => String::new(),
            };
            format!("{}{}{marker}", self.at.api(), query(&given))
        };
        let called = visit.api().get(&target(&expand)).await;
        if called.status == StatusCode::BAD_REQUEST && !expand.is_empty() {
            // Fewer related rows may be allowed at a time. What else is wrong is said of the request without them.
            return visit.api().get(&target("")).await;
        }
        called
    }

    async fn rows(&self, visit: &Visit<'_>, parameters: &Form) -> Rows {
        let facts = self.facts;
        let called = self.asked(visit, parameters).await;
        let json = called.json();
        let items = json["items"].as_array().cloned().unwrap_or_default();
        let is_first = ["after", "offset"].iter().all(|name| parameters.text(name).is_empty());
        Rows {
            resource: self.at.resource.clone(),
            path: self.path.to_owned(),
            columns: self.columns(),
            columns_from: self.from(),
            part: self.part(),
            hidden: self.hidden(),
            rows: self.cells(visit, &items).await,
            terms: self.terms(),
            choices: facts.members.iter().map(|(name, _)| name.clone()).collect(),
            q: self.q.to_owned(),
            hide: self.hide.to_owned(),
            total: total(&json),
            count_href: format!(
                "{}{}",
                self.path,
                query(&[
                    ("q", self.q),
                    ("hide", self.hide),
                    ("columns", self.columns),
                    ("count", "1")
                ])
            ),
            first: (!is_first).then(|| self.page(&[])),
            next: self.next(&json),
            // Documents are changed as JSON, on their own page.
            may_edit: facts.may("update")
                && !facts.key.is_empty()
                && items.iter().all(|item| item.get("_metadata").is_none()),
            new_href: facts.may("insert").then(|| self.at.place(visit).new_item()),
            exports: self.exports(visit),
            files: self.files(visit),
            measure_href: visit.may_measure().then(|| self.at.place(visit).page("measure")),
            api_href: self.at.place(visit).page("api"),
            explain_href: format!(
                "{}{}",
                self.at.place(visit).page("explain"),
                query(&[("q", self.q), ("count", parameters.text("count"))])
            ),
            import_href: facts.may("insert").then(|| self.at.place(visit).page("import")),
            curl: self.curl(visit, &[("q", self.q), ("limit", ROWS)], &[]),
            cql: self.cql(visit),
            problem: (!called.status.is_success()).then(|| called.problem()),
            ..Rows::default()
        }
    }

    /// The page with other parameters.
    fn page(&self, more: &[(&str, &str)]) -> String {
        let own = [("q", self.q), ("hide", self.hide), ("columns", self.columns)];
        format!("{}{}", self.path, query(&[&own, more].concat()))
    }

    fn from(&self) -> usize {
        let last = self.unhidden().count().saturating_sub(1);
        self.columns.parse().unwrap_or(0).min(last)
    }

    /// The members that have room on a page.
    fn shown_members(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.unhidden().skip(self.from()).take(COLUMNS)
    }

    /// Which columns are shown, where that is not all.
    fn part(&self) -> Option<(String, [Option<String>; 2])> {
        let (from, all) = (self.from(), self.unhidden().count());
        let end = all.min(from + COLUMNS);
        if end - from == all {
            return None;
        }
        let page = |from: usize| {
            let own = [("q", self.q), ("hide", self.hide), ("columns", &*from.to_string())];
            format!("{}{}", self.path, query(&own))
        };
        let before = (from > 0).then(|| page(from.saturating_sub(COLUMNS)));
        let behind = (end < all).then(|| page(end));
        Some((format!("Columns {} to {end} of {all}.", from + 1), [before, behind]))
    }

    /// The rows that the page's rows refer to, and the members that it shows, where that is not all: of a wide table only
    /// these are read.
    fn asked_for(&self) -> (String, Vec<&str>) {
        let shown: Vec<(&str, Option<&str>)> = self.shown_members().collect();
        let refers = shown.iter().filter(|(_, ty)| ty.is_none()).map(|(name, _)| *name);
        let expand = refers.collect::<Vec<_>>().join(",");
        // Dots and commas have a meaning in `fields`.
        let is_plain = shown.iter().all(|(name, _)| !name.contains(['.', ',']));
        let fields = match self.part() {
            Some(_) if is_plain => {
                shown.iter().filter(|(_, ty)| ty.is_some()).map(|(name, _)| *name).collect()
            }
            _ => Vec::new(),
        };
        (expand, fields)
    }

    /// The parameter with these members, and those that are expanded.
    fn fields(&self, fields: &[&str], expand: &str) -> String {
        match (fields, expand) {
            ([], _) => String::new(),
            (fields, "") => fields.join(","),
            (fields, expand) => format!("{},{expand}", fields.join(",")),
        }
    }

    fn unhidden(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let hidden: Vec<&str> = self.hide.split(',').collect();
        let members =
            self.facts.members.iter().map(|(name, ty)| (name.as_str(), Some(ty.as_str())));
        let refers = self.facts.refers.iter().map(|(name, _)| (name.as_str(), None));
        members.chain(refers).filter(move |(name, _)| !hidden.contains(name))
    }

    fn columns(&self) -> Vec<Column> {
        let column = |(name, ty): (&str, Option<&str>)| {
            let order = self.filter.order_of(name);
            let next = match order {
                None => Some((name, Order::Ascending)),
                Some(Order::Ascending) => Some((name, Order::Descending)),
                Some(Order::Descending) => None,
            };
            let q = self.filter.clone().ordered(next).q();
            let hide = if self.hide.is_empty() {
                name.to_owned()
            } else {
                format!("{},{name}", self.hide)
            };
            let with = |q: &str, hide: &str| {
                let own = [("q", q), ("hide", hide), ("columns", self.columns)];
                format!("{}{}", self.path, query(&own))
            };
            Column {
                name: name.to_owned(),
                sort: match order {
                    None => "none",
                    Some(Order::Ascending) => "ascending",
                    Some(Order::Descending) => "descending",
                },
                sort_href: ty.is_some_and(has_order).then(|| with(&q, self.hide)),
                hide_href: with(self.q, &hide),
                is_own: ty.is_some(),
            }
        };
        self.shown_members().map(column).collect()
    }

    fn hidden(&self) -> Vec<(String, String)> {
        let all: Vec<&str> = self.hide.split(',').filter(|name| !name.is_empty()).collect();
        let without = |name: &&str| {
            let left: Vec<&str> = all.iter().filter(|it| *it != name).copied().collect();
            let own = [("q", self.q), ("hide", &left.join(",")), ("columns", self.columns)];
            format!("{}{}", self.path, query(&own))
        };
        all.iter().map(|name| ((*name).to_owned(), without(name))).collect()
    }

    fn terms(&self) -> Vec<Term> {
        let terms = self.filter.terms().into_iter();
        let term = |(words, left): (String, Filter)| {
            let without = format!(
                "{}{}",
                self.path,
                query(&[("q", &*left.q()), ("hide", self.hide), ("columns", self.columns)])
            );
            Term { words, without }
        };
        terms.map(term).collect()
    }

    async fn cells(&self, visit: &Visit<'_>, items: &[Value]) -> Vec<Row> {
        let place = self.at.place(visit);
        let mut targets = BTreeMap::new();
        for (_, resource) in &self.facts.refers {
            if !targets.contains_key(resource)
                && let Ok(facts) = Facts::of(visit, &self.at.mount, resource).await
            {
                targets.insert(resource.clone(), facts);
            }
        }
        let row = |item: &Value| {
            let cells = self.shown_members().map(|(name, ty)| match ty {
                Some(_) => Cell::of(item.get(name)),
                None => self.referred(visit, name, item.get(name), &targets),
            });
            let own = item["links"]
                .as_array()
                .and_then(|links| links.iter().find(|link| link["rel"] == "self"));
            Row {
                href: own.and_then(|link| place.item(link["href"].as_str()?)),
                cells: cells.collect(),
            }
        };
        items.iter().map(row).collect()
    }

    /// The cell of a row that is referred to: what that is called, and its page.
    fn referred(
        &self,
        visit: &Visit<'_>,
        name: &str,
        row: Option<&Value>,
        targets: &BTreeMap<String, Facts>,
    ) -> Cell {
        let resource = self.facts.refers.iter().find(|(known, _)| known == name).map(|(_, it)| it);
        let (Some(resource), Some(row)) = (resource, row.filter(|row| !row.is_null())) else {
            return Cell::of(row);
        };
        let place = Place { base: visit.base(), mount: &self.at.mount, resource };
        let href = targets.get(resource).and_then(|facts| facts.page_of(place, row));
        match (href, label_of(row)) {
            (Some(href), label) => {
                Cell { kind: "text", ..Cell::default() }.leading(Some(href), label)
            }
            (None, Some(label)) => Cell::of(Some(&label.into())),
            (None, None) => Cell::of(Some(row)),
        }
    }

    /// The next page, by the marker or the offset of the API's own link.
    fn next(&self, json: &Value) -> Option<String> {
        let links = json["links"].as_array()?;
        let next = links.iter().find(|link| link["rel"] == "next")?["href"].as_str()?;
        let given = super::form::parameters(next.split_once('?')?.1.as_bytes());
        Some(self.page(&[("after", given.text("after")), ("offset", given.text("offset"))]))
    }

    /// The request for a shell.
    fn curl(&self, visit: &Visit<'_>, parameters: &[(&str, &str)], headers: &[&str]) -> String {
        let origin = visit.origin();
        let mut line = format!(
            "curl -sG {} -H \"Authorization: Bearer $TOKEN\"",
            shell_word(&format!("{origin}{}", self.at.api()))
        );
        for (name, value) in parameters.iter().filter(|(_, value)| !value.is_empty()) {
            line.push_str(&format!(" --data-urlencode {}", shell_word(&format!("{name}={value}"))));
        }
        for header in headers {
            line.push_str(&format!(" -H {}", shell_word(header)));
        }
        line
    }

    /// The filter as CQL, and the request with it.
    fn cql(&self, visit: &Visit<'_>) -> Option<(String, String)> {
        let kind_of = |name: &str| {
            let known = self.facts.members.iter().find(|(known, _)| known == name);
            match known.map(|(_, ty)| ty.as_str()) {
                Some("VARCHAR") => ColumnKind::Text,
                Some(ty) if is_of_numbers(ty) => ColumnKind::Plain,
                Some("DATE" | "TIMESTAMP" | "BOOLEAN") => ColumnKind::Plain,
                _ => ColumnKind::Other,
            }
        };
        let cql = self.filter.cql(&kind_of)?;
        let curl = self.curl(visit, &[("query", &cql), ("limit", ROWS)], &[]);
        Some((cql, curl))
    }

    fn files(&self, visit: &Visit<'_>) -> Vec<(String, String)> {
        let page = self.at.place(visit).page("export");
        let one = |file: &super::export::File| {
            let query = query(&[("as", file.ending), ("q", self.q)]);
            (file.words.to_owned(), format!("{page}{query}"))
        };
        super::export::FILES.iter().map(one).collect()
    }

    fn exports(&self, visit: &Visit<'_>) -> Vec<(String, String)> {
        let one = |words: &str, media: &str| {
            let header = format!("Accept: {media}");
            (words.to_owned(), self.curl(visit, &[("q", self.q)], &[&header]))
        };
        vec![one("as CSV", "text/csv"), one("as NDJSON", "application/x-ndjson")]
    }
}

/// How many rows there are, in words.
fn total(json: &Value) -> String {
    match (&json["total"], json["totalExact"].as_bool()) {
        (Value::Number(total), Some(true)) => format!("{total} rows"),
        (Value::Number(total), _) => format!("about {total} rows"),
        _ => String::new(),
    }
}
