//! Lists in the manual against what the program knows.

use std::collections::BTreeSet;

use duet_duality::{DefinitionFile, Options, compile, render};
use duet_model::Catalog;
use duet_testkit::command::Running;
use duet_testkit::postgres::Server;
use duet_testkit::{http, sqlite};

use super::{duet, duet_says, page, read};

/// The words in a text that begin with this character.
fn words(text: &str, first: char) -> BTreeSet<String> {
    text.split(|char: char| char.is_whitespace() || ",;.`".contains(char))
        .filter(|word| word.starts_with(first) && word.len() > 1)
        .map(str::to_owned)
        .collect()
}

/// All codes in backquotes in the first column of the tables of a page.
fn first_cells(text: &str) -> BTreeSet<String> {
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.flat_map(|row| page::quoted(row.split('|').nth(1).unwrap_or_default())).collect()
}

#[test]
fn every_operator_is_described() {
    let folder = sqlite::Folder::new();
    let file = folder.load("a.db", &["CREATE TABLE t (id INTEGER PRIMARY KEY)"]);
    let target = "/api/main/t/?q={\"id\":{\"$zzzzzzzzzzzz\":1}}";
    let (_, _, errors) = duet(&["explain", "GET", target, &file.display().to_string()]);
    let hint = errors.split("The operators are ").nth(1).unwrap();
    let known = words(hint, '$');
    assert!(known.len() > 20, "{known:?}");
    let described = first_cells(&read("docs/filters.md"));
    let missing: Vec<_> = known.difference(&described).collect();
    assert!(missing.is_empty(), "docs/filters.md lacks {missing:?}");
    let invented: Vec<_> =
        described.iter().filter(|word| word.starts_with('$') && !known.contains(*word)).collect();
    assert!(invented.is_empty(), "there is no {invented:?}");
}

#[test]
fn every_annotation_is_described() {
    let source = DefinitionFile::new("v", "view v as t @zzzzzzzzz { a }");
    let diagnostics = compile(&source, &Catalog::default(), &Options::default()).unwrap_err();
    let texts: String = diagnostics.iter().map(|found| render(found, &source)).collect();
    let known = words(&texts, '@');
    let known: BTreeSet<_> = known.into_iter().filter(|word| word != "@zzzzzzzzz").collect();
    assert!(known.len() > 12, "{known:?}");
    let described = words(&read("docs/duality-views.md"), '@');
    let missing: Vec<_> = known.difference(&described).collect();
    assert!(missing.is_empty(), "docs/duality-views.md lacks {missing:?}");
}

#[test]
fn every_rule_is_quoted() {
    let cases = read("crates/duality/tests/definitions/rules.txt");
    let page = read("docs/duality-views.md").replace(['`', '\n'], " ");
    let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let page = squeeze(&page);
    let rules: BTreeSet<&str> =
        cases.lines().filter_map(|line| line.trim().strip_prefix("= rule: ")).collect();
    assert!(rules.len() > 30, "{rules:?}");
    for rule in rules {
        let wanted = squeeze(&rule.replace('`', " "));
        assert!(page.contains(&wanted), "docs/duality-views.md lacks the rule: {rule}");
    }
}

/// The rows of all tables that say what a parameter finds: the resource, its value, a count or a code.
fn findings(markdown: &str, parameter: &str) -> Vec<[String; 3]> {
    let mut rows = Vec::new();
    let mut resource = None;
    let head = format!("| `{parameter}` on `");
    for line in markdown.lines() {
        if let Some(head) = line.strip_prefix(&head) {
            resource = head.split('`').next();
        } else if !line.starts_with('|') {
            resource = None;
        } else if let (Some(resource), Some(row)) = (resource, line.strip_prefix("| `")) {
            let (q, rest) = row.split_once("` | ").expect("two cells");
            let finds = rest.split('|').next().unwrap_or_default().trim();
            rows.push([resource, q, finds].map(str::to_owned));
        }
    }
    rows
}

fn percent_encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[test]
fn filters_find_what_the_manual_says() {
    find_what_is_said("docs/filters.md", ("q", 40));
}

#[test]
fn queries_find_what_the_manual_says() {
    find_what_is_said("docs/cql.md", ("query", 40));
}

/// Compares the tables of a page, of which there are more rows than this, with what is found.
fn find_what_is_said(page: &str, (parameter, least): (&str, usize)) {
    let rows = findings(&read(page), parameter);
    assert!(rows.len() > least, "{rows:?}");
    let folder = sqlite::Folder::new();
    let file = folder.path().join("music.sqlite").display().to_string();
    for database in [file, Server::shared().database(&format!("manual_{parameter}")).url()] {
        duet_says(&["load", "chinook", "--database", &database]);
        let arguments = ["--app", "chinook", "--open", "read", "--listen", "127.0.0.1:0"];
        let server = Running::start(&[&["serve", &database], &arguments[..]].concat());
        for [resource, q, finds] in &rows {
            let encoded = percent_encoded(q);
            let path =
                format!("/ords/chinook/{resource}?limit=1&count=exact&{parameter}={encoded}");
            let answer = http::get(&format!("{}{path}", server.url()), &[]).json();
            let found = match answer["errors"][0]["code"].as_str() {
                Some(code) => code.to_owned(),
                None => answer["total"].to_string(),
            };
            assert_eq!(found, *finds, "{database}: {resource} {q}: {answer}");
        }
    }
}
