//! `[[webhook]]`: endpoints that learn of changes.

use std::collections::BTreeSet;

use duet_service::definition::{Webhook, WebhookKey};
use duet_service::webhooks::{ATTEMPTS, RowEvent};
use duet_text::name;
use toml::de::DeValue;

use super::expand;
use super::folder::Folder;
use super::reader::{At, Table};

/// The longest name of an endpoint.
const NAME: usize = 64;
/// Keys of an endpoint at most: each signs every attempt.
const KEYS: usize = 8;

/// Reads all of them.
pub(super) fn read(tables: Vec<Table<'_>>, folder: &Folder) -> Vec<Webhook> {
    let mut names = BTreeSet::new();
    tables.into_iter().filter_map(|table| one(table, folder, &mut names)).collect()
}

fn one(mut table: Table<'_>, folder: &Folder, names: &mut BTreeSet<String>) -> Option<Webhook> {
    let name = table.required_text("name").and_then(|name| checked_name(&table, name, names));
    let url = table.required_text("url");
    let resources = resources(&mut table);
    let events = events(&mut table);
    let document = table.switch("document").is_some_and(|document| document.value);
    let attempts = attempts(&mut table);
    let keys = keys(&mut table, folder);
    table.finish(|_| None);
    let (url, resources) = (url?.value, resources?);
    Some(Webhook { name: name?, url, resources, events, document, keys: keys?, attempts })
}

/// It stands in SQL, in labels of metrics and on command lines.
fn checked_name(
    table: &Table<'_>,
    At { value, span }: At<String>,
    names: &mut BTreeSet<String>,
) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if value.len() > NAME || !value.bytes().all(is_plain) {
        let hint =
            format!("Use lower-case letters, digits and hyphens, {NAME} at most, such as `erp`.");
        table.wrong(span, format!("`name` cannot be {value:?}."), Some(hint));
        return None;
    }
    if !names.insert(value.clone()) {
        table.wrong(span, format!("There are two webhooks {value:?}."), None);
        return None;
    }
    Some(value)
}

fn resources(table: &mut Table<'_>) -> Option<Vec<String>> {
    let At { value, span } = table.required_texts("resources")?;
    if value.is_empty() {
        let hint = "Name resources as they are served, such as `resources = [\"orders\"]`.";
        table.wrong(span, "`resources` must not be empty.", Some(hint.into()));
        return None;
    }
    let mut known = BTreeSet::new();
    for At { value, span } in &value {
        if !known.insert(value.clone()) {
            table.wrong(span.clone(), format!("`resources` names {value:?} twice."), None);
        }
    }
    Some(value.into_iter().map(|text| text.value).collect())
}

/// `operations`; all of them by default.
fn events(table: &mut Table<'_>) -> Vec<RowEvent> {
    let Some(list) = table.texts("operations") else { return RowEvent::ALL.into() };
    if list.value.is_empty() {
        table.wrong(list.span, "`operations` must not be empty.", None);
    }
    let mut events = BTreeSet::new();
    for At { value, span } in list.value {
        match RowEvent::ALL.into_iter().find(|event| event.name() == value) {
            Some(event) => drop(events.insert(event)),
            None => {
                let words = RowEvent::ALL.map(RowEvent::name);
                let near =
                    name::nearest(&value, words).map(|near| format!("Did you mean `{near}`?"));
                let hint = near.unwrap_or_else(|| format!("There are {}.", words.join(", ")));
                table.wrong(span, format!("There is no operation {value:?}."), Some(hint));
            }
        }
    }
    events.into_iter().collect()
}

fn attempts(table: &mut Table<'_>) -> usize {
    let Some(At { value, span }) = table.number("attempts") else { return ATTEMPTS };
    match usize::try_from(value) {
        Ok(attempts @ 1..=ATTEMPTS) => attempts,
        _ => {
            let hint = format!("Use a number from 1 to {ATTEMPTS}.");
            table.wrong(span, format!("`attempts` cannot be {value}."), Some(hint));
            ATTEMPTS
        }
    }
}

/// `secret`, a variable or several, and `secret_file`, a file or several with a key in each line. All of them sign, so that
/// a key can be replaced while the endpoint takes both.
fn keys(table: &mut Table<'_>, folder: &Folder) -> Option<Vec<WebhookKey>> {
    let mut texts: Vec<(At<String>, String)> = Vec::new();
    let mut complete = variables(table, &mut texts);
    let files = table.texts("secret_file").map(|files| files.value).unwrap_or_default();
    for At { value: file, span } in files {
        let read = std::fs::read_to_string(folder.base().join(&file));
        match read {
            Ok(text) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                for line in lines {
                    let place = At { value: file.clone(), span: span.clone() };
                    texts.push((place, line.to_owned()));
                }
            }
            Err(error) => {
                complete = false;
                table.wrong(span, format!("The secret in {file:?} cannot be read: {error}."), None);
            }
        }
    }
    let mut keys: Vec<WebhookKey> = Vec::new();
    for (At { value: place, span }, text) in texts {
        match WebhookKey::read(&text) {
            Ok(key) if keys.contains(&key) => {
                complete = false;
                table.wrong(span, format!("{place} has a secret that is given twice."), None);
            }
            Ok(key) => keys.push(key),
            Err(why) => {
                complete = false;
                let message = format!("{place} holds no secret of webhooks.");
                table.wrong(span, message, Some(format!("Give another one: {why}.")));
            }
        }
    }
    if complete && !(1..=KEYS).contains(&keys.len()) {
        let hint = "Add `secret = \"${ERP_SECRET}\"`, or `secret_file`.";
        let message = format!("A webhook has 1 to {KEYS} secrets, and this one {}.", keys.len());
        table.wrong(table.span(), message, Some(hint.into()));
        return None;
    }
    complete.then_some(keys)
}

/// The values of the variables in `secret`, with their places; whether all are right. A secret in the file itself would
/// be in its history, and in the console.
fn variables(table: &mut Table<'_>, texts: &mut Vec<(At<String>, String)>) -> bool {
    let Some(value) = table.value("secret") else { return true };
    let items = match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    };
    let mut complete = true;
    for item in items {
        let span = item.span();
        let text = item.get_ref().as_str().unwrap_or_default();
        let variable = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let Some(variable) = variable.filter(|name| !name.contains(['$', '{', '}'])) else {
            let hint = "Write `secret = \"${VARIABLE}\"`, or name a file by `secret_file`.";
            table.wrong(span, "`secret` names a variable of the environment.", Some(hint.into()));
            complete = false;
            continue;
        };
        match expand::expand(text, table.environment()) {
            Ok(secret) => {
                texts.push((At { value: format!("The variable {variable}"), span }, secret));
            }
            Err(problem) => {
                complete = false;
                table.wrong(span, problem.to_string(), problem.hint());
            }
        }
    }
    complete
}
