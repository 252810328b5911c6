//! The diagram of a mount's tables, around one of them or around the tables of views. For clients with `duet.admin`, as the
//! design is: it names tables, whatever is served of them.

use duet_console::address::query;
use duet_console::design::{Diagram, DiagramPage, MOST_TABLES, Table};
use duet_console::page::Section;
use duet_service::{SchemaTable, Service};
use hyper::StatusCode;

use super::access::{refused, service_of};
use crate::answer::reply::Reply;
use crate::console::form::Form;
use crate::console::visit::{Visit, shown};

/// The page: around a table, around the first ones of a schema that has few, or a list of those with some words.
pub(in crate::console) async fn page(visit: &Visit<'_>, path: &str, parameters: &Form) -> Reply {
    let Some(path) = path.strip_suffix('/') else { return visit.nothing() };
    if let Some(refused) = refused(visit).await {
        return refused;
    }
    let tables = service_of(visit, path).and_then(|service| tables(service, path));
    let Some(tables) = tables else { return visit.nothing() };
    let (own, table) =
        (format!("{}/diagram{path}/", visit.base()), parameters.text("table").trim());
    let words = table.to_lowercase();
    let named = tables.iter().find(|it| it.name == table);
    let focus: Vec<&str> = match named {
        Some(table) => vec![&table.name],
        None if table.is_empty() && tables.len() <= MOST_TABLES => {
            tables.iter().map(|it| &*it.name).collect()
        }
        None => Vec::new(),
    };
    let is_found = |it: &&Table| {
        let name = it.name.to_lowercase();
        named.is_none() && words.split_whitespace().all(|word| name.contains(word))
    };
    let link = |it: &Table| (it.name.clone(), format!("{own}{}", query(&[("table", &it.name)])));
    let found: Vec<(String, String)> = tables.iter().filter(is_found).map(link).take(100).collect();
    let diagram = Diagram::around(&focus, &tables, &own);
    let diagram = Diagram { all: tables.len(), ..diagram };
    let frame = visit.frame("Diagram of tables", Section::Data);
    let page =
        DiagramPage { frame, mount: path, path: &own, table, found: &found, diagram: &diagram };
    shown(StatusCode::OK, page.html())
}

/// The diagram around the tables of views.
pub(super) fn around(service: &Service, base: &str, path: &str, names: &[&str]) -> Option<Diagram> {
    let tables = tables(service, path)?;
    let diagram = Diagram::around(names, &tables, &format!("{base}/diagram{path}/"));
    (!diagram.boxes.is_empty()).then_some(diagram)
}

fn tables(service: &Service, path: &str) -> Option<Vec<Table>> {
    let table = |it: SchemaTable| Table {
        name: it.name,
        key: it.key,
        references: it
            .references
            .into_iter()
            .map(|it| (it.columns, it.table, it.references))
            .collect(),
    };
    Some(service.schema_tables(path)?.into_iter().map(table).collect())
}
