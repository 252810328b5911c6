//! `[resources.NAME]`: how a table or view is served.

use std::collections::BTreeMap;
use std::time::Duration;

use duet_model::commit_class::{CommitClass, CommitPolicy};
use duet_service::definition::{CLASSES, RequestClass, Resource, UnindexedPolicy};

use super::mounts;
use super::reader::{At, Table};
use crate::settings::{ByteSize, Value as _};

/// Reads all resources; `known` are the paths of the application.
pub(super) fn read(table: Table<'_>, known: Option<&[String]>) -> Vec<Resource> {
    table.named_tables().into_iter().map(|(name, table)| resource(name, table, known)).collect()
}

fn resource(name: At<String>, mut table: Table<'_>, known: Option<&[String]>) -> Resource {
    check_name(&name, &table);
    let texts = |list: Option<At<Vec<At<String>>>>| {
        let items = list.map(|list| list.value).unwrap_or_default();
        items.into_iter().map(|text| text.value).collect::<Vec<_>>()
    };
    let own = table.text("table").map(|text| text.value);
    let resource = Resource {
        table: own.unwrap_or_else(|| name.value.clone()),
        mount: mounts::one(&mut table, known),
        key: key(&mut table),
        columns: columns(&mut table),
        hidden: texts(table.texts("hidden")),
        excluded: table.switch("excluded").is_some_and(|switch| switch.value),
        expand: expand(&mut table),
        page_size: page_size(&mut table),
        rowstore: rowstore(&mut table),
        rowstore_populate: table.switch("rowstore_populate").is_some_and(|switch| switch.value),
        serve_stale: serve_stale(&mut table),
        raised_messages: raised_messages(&mut table),
        unindexed: unindexed(&mut table),
        class: class(&mut table),
        commit: commit(&mut table),
        assign: assign(&mut table),
        name: name.value,
    };
    table.finish(|_| None);
    resource
}

/// Whether clients read what code of the database raises. The setting had another name while it was for triggers alone.
fn raised_messages(table: &mut Table<'_>) -> bool {
    let own = table.switch("raised_messages");
    let old = table.switch("trigger_messages");
    if let (Some(_), Some(At { span, .. })) = (&own, &old) {
        let message =
            "`trigger_messages` is the old name of `raised_messages`, which is given too.";
        table.wrong(span.clone(), message, Some("Remove it.".into()));
    }
    own.or(old).is_some_and(|switch| switch.value)
}

/// A name is a path segment: it must not contain a slash.
fn check_name(name: &At<String>, table: &Table<'_>) {
    if name.value.is_empty() || name.value.contains(['/', '?', '#', '%']) {
        let message = format!("A resource cannot be called {:?}.", name.value);
        let hint = "Its name is a part of the path: leave out `/`, `?`, `#` and `%`.";
        table.wrong(name.span.clone(), message, Some(hint.into()));
    }
}

fn columns(table: &mut Table<'_>) -> BTreeMap<String, String> {
    let Some(aliases) = table.table("columns") else { return BTreeMap::new() };
    let mut columns: BTreeMap<String, String> = BTreeMap::new();
    for (column, alias) in aliases.named_texts() {
        if alias.value.is_empty() {
            table.wrong(alias.span, "A column needs a name.", None);
        } else if let Some((other, _)) = columns.iter().find(|(_, name)| **name == alias.value) {
            let message = format!(
                "The columns {other:?} and {:?} would both be served as {:?}.",
                column.value, alias.value
            );
            table.wrong(alias.span, message, None);
        } else {
            columns.insert(column.value, alias.value);
        }
    }
    columns
}

fn expand(table: &mut Table<'_>) -> BTreeMap<String, String> {
    let Some(names) = table.table("expand") else { return BTreeMap::new() };
    let mut keys = BTreeMap::new();
    for (name, key) in names.named_texts() {
        if name.value.is_empty() || name.value.contains(['.', ',']) {
            let message = format!("Related rows cannot be called {:?}.", name.value);
            let hint = "`expand` separates names by commas and steps by dots.";
            table.wrong(name.span, message, Some(hint.into()));
        } else {
            keys.insert(name.value, key.value);
        }
    }
    keys
}

/// The members that services assign, with the services' names.
fn assign(table: &mut Table<'_>) -> BTreeMap<String, String> {
    let Some(members) = table.table("assign") else { return BTreeMap::new() };
    let pairs = members.named_texts().into_iter();
    pairs.map(|(member, service)| (member.value, service.value)).collect()
}

/// The bytes of memory for its items.
fn rowstore(table: &mut Table<'_>) -> u64 {
    let Some(At { value, span }) = table.text("rowstore") else { return 0 };
    match ByteSize::read(&value) {
        Ok(size) => u64::try_from(size.0).unwrap_or(u64::MAX),
        Err(problem) => {
            table.wrong(span, format!("`rowstore` cannot be {value:?}: {problem}."), None);
            0
        }
    }
}

/// How old an item may be that is served while the database is down; zero for `off`.
fn serve_stale(table: &mut Table<'_>) -> Option<Duration> {
    let At { value, span } = table.text("serve_stale")?;
    match Option::<Duration>::read(&value) {
        Ok(limit) => Some(limit.unwrap_or_default()),
        Err(problem) => {
            table.wrong(span, format!("`serve_stale` cannot be {value:?}: {problem}."), None);
            None
        }
    }
}

/// What is done with filters that no index serves.
fn unindexed(table: &mut Table<'_>) -> UnindexedPolicy {
    let Some(At { value, span }) = table.text("unindexed") else {
        return UnindexedPolicy::default();
    };
    let known = UnindexedPolicy::NAMES.iter().find(|(name, _)| *name == value);
    if let Some((_, policy)) = known {
        return *policy;
    }
    let names = UnindexedPolicy::NAMES.map(|(name, _)| format!("{name:?}")).join(", ");
    table.wrong(span, format!("`unindexed` is one of {names}, not {value:?}."), None);
    UnindexedPolicy::default()
}

/// The class of requests, of a resource or a service.
pub(super) fn class(table: &mut Table<'_>) -> RequestClass {
    let Some(At { value, span }) = table.text("class") else { return RequestClass::default() };
    if let Some((_, class)) = CLASSES.iter().find(|(name, _)| *name == value) {
        return *class;
    }
    let names = CLASSES.map(|(name, _)| format!("{name:?}")).join(" or ");
    table.wrong(span, format!("`class` is {names}, not {value:?}."), None);
    RequestClass::default()
}

/// The commit classes of its writes. `memory` is no class of a resource: each request has to name it.
fn commit(table: &mut Table<'_>) -> CommitPolicy {
    let class = match table.text("commit") {
        None => CommitClass::default(),
        Some(At { value, span }) => match CommitClass::named(&value) {
            Some(CommitClass::Memory) => {
                let message =
                    "`commit` is not \"memory\", because a power failure loses what was answered.";
                let hint = "Leave it out, and add `commit_allowed = [\"memory\"]`: requests then ask for it by name.";
                table.wrong(span, message, Some(hint.into()));
                CommitClass::default()
            }
            class => known(table, "commit", At { value, span }, class).unwrap_or_default(),
        },
    };
    let allowed = table.texts("commit_allowed").map(|list| {
        let each = list.value.into_iter().filter_map(|text| {
            let class = CommitClass::named(&text.value);
            known(table, "commit_allowed", text, class)
        });
        each.collect()
    });
    CommitPolicy { class, allowed }
}

/// A commit class that was found by its name.
fn known(
    table: &Table<'_>,
    key: &str,
    At { value, span }: At<String>,
    class: Option<CommitClass>,
) -> Option<CommitClass> {
    if class.is_none() {
        let names = CommitClass::ALL.map(|class| format!("{:?}", class.name())).join(", ");
        table.wrong(span, format!("`{key}` names commit classes ({names}), not {value:?}."), None);
    }
    class
}

/// The columns of a key, each named once.
fn key(table: &mut Table<'_>) -> Vec<String> {
    let Some(At { value, span }) = table.texts("key") else { return Vec::new() };
    if value.is_empty() {
        table.wrong(span, "A key has at least 1 column.", Some("Remove `key`.".into()));
    }
    let mut names: Vec<String> = Vec::with_capacity(value.len());
    for At { value, span } in value {
        if names.contains(&value) {
            table.wrong(span, format!("The key has the column {value:?} twice."), None);
        }
        names.push(value);
    }
    names
}

fn page_size(table: &mut Table<'_>) -> Option<u64> {
    let At { value, span } = table.number("page_size")?;
    if value == 0 {
        table.wrong(span, "A page has at least 1 item.", None);
        return None;
    }
    Some(value)
}
