//! `duet rowstore`: reads and changes a running server's items in memory, and prepares a database for them.

use std::fmt::Write as _;
use std::path::Path;

use duet_store::{Capture, Means, OwnPart};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::admin::{Admin, printable_text};
use crate::args::{Rowstore, RowstoreAction};
use crate::commands::sources::server_role;
use crate::database_url::{DatabaseUrl, warn_of};
use crate::report::{Outcome, print};
use crate::runtime::runtime;

/// Runs the command, and prints the resulting state.
pub(crate) fn run(arguments: &Rowstore) -> Outcome {
    let (server, resource, change) = match &arguments.action {
        RowstoreAction::List { server } => (server, None, String::new()),
        RowstoreAction::Resize { resource, bytes, server } => {
            (server, Some(resource), format!("bytes={}", bytes.0))
        }
        RowstoreAction::Drop { resource, server } => (server, Some(resource), "bytes=0".to_owned()),
        RowstoreAction::Populate { resource, server } => {
            (server, Some(resource), "populate".to_owned())
        }
        RowstoreAction::Prepare { database, means, remove, server_role } => {
            let database = DatabaseUrl::read(database, Path::new(""))?;
            return prepare(&database, *means, *remove, server_role.as_deref());
        }
    };
    let (method, query) = match resource {
        None => ("GET", String::new()),
        Some(resource) => {
            let resource = utf8_percent_encode(resource, NON_ALPHANUMERIC);
            ("POST", format!("?resource={resource}&{change}"))
        }
    };
    let path = format!("/admin/rowstore{query}");
    let answer =
        runtime()?.block_on(async { Admin::connect(server).await?.ask(method, &path).await })?;
    match server.json {
        true => print(&format!("{answer:#}\n")),
        false => print(&table(&answer)),
    }
}

/// Makes what captures the commits of others, or removes it.
pub(in crate::commands) fn prepare(
    database: &DatabaseUrl,
    means: Capture,
    remove: bool,
    server_role: Option<&str>,
) -> Outcome {
    if database.notices_commits() {
        server_role::check(database, server_role)?;
        return print(&format!(
            "{} needs no preparation: `duet serve` notices the commits of other programs by itself.\n",
            database.title()
        ));
    }
    warn_of(database)?;
    let place = database.describe()?;
    if remove {
        let removed = runtime()?.block_on(database.remove_changes())?;
        return print(&match removed.is_empty() {
            true => format!("There was nothing to remove in {place}.\n"),
            false => format!("Removed {} in {place}.\n", removed.join(" and ")),
        });
    }
    let prepared = runtime()?.block_on(database.prepare_changes(means))?;
    let what = match prepared.means {
        Some(Means::Table) => "change table duet.change",
        _ => "publication duet_rowstore",
    };
    let did = if prepared.is_new { "Made" } else { "Completed" };
    let mut text = format!("{did} the {what} of {} tables in {place}.\n", prepared.tables);
    for note in &prepared.notes {
        text.push_str(note);
        text.push('\n');
    }
    if prepared.means == Some(Means::Table) {
        text.push_str(&server_role::granted(database, OwnPart::Changes, server_role)?);
    } else if server_role.is_some() {
        text.push_str(
            "A publication needs no grant; the role of `duet serve` needs REPLICATION.\n",
        );
    }
    print(&text)
}

/// A line for each resource, and one with the reason if it is degraded.
fn table(answer: &Value) -> String {
    let none = Vec::new();
    let kept = answer["rowstores"].as_array().unwrap_or(&none);
    if kept.is_empty() {
        return "No resource keeps items in memory.\n".to_owned();
    }
    let text = |value: &Value| printable_text(value.as_str().unwrap_or_default());
    // With several instances, each has its own line.
    let named = |one: &Value| match one["instance"].as_u64() {
        Some(instance) => format!("{} ({instance})", text(&one["resource"])),
        None => text(&one["resource"]),
    };
    let width = kept.iter().map(|one| named(one).chars().count()).max();
    let width = width.unwrap_or(0).max("resource".len());
    let mut out = format!(
        "{:width$}  {:11} {:>9} {:>9} {:>5} {:>10} {:>7}\n",
        "resource", "state", "items", "bytes", "full", "lookups", "hits"
    );
    for one in kept {
        let number = |name: &str| one[name].as_u64().unwrap_or_default();
        let lookups = number("lookups");
        let hits = if lookups == 0 { "-".to_owned() } else { percent(number("hits"), lookups) };
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "{:width$}  {:11} {:>9} {:>9} {:>5} {:>10} {:>7}",
            named(one),
            text(&one["state"]),
            number("entries"),
            number("bytes"),
            percent(number("bytes"), number("capacityBytes")),
            lookups,
            hits,
        );
        let populate = &one["populate"];
        match one["state"].as_str() {
            Some("populating") => {
                let rows = populate["rows"].as_u64().unwrap_or_default();
                let total = populate["total"].as_u64().map_or("?".to_owned(), |it| it.to_string());
                let _ = writeln!(out, "{:width$}  {rows} of {total} items", "");
            }
            Some("degraded") => {
                let _ = writeln!(out, "{:width$}  {}", "", text(&one["reason"]));
            }
            _ => {}
        }
    }
    out
}

fn percent(part: u64, whole: u64) -> String {
    format!("{}%", u128::from(part) * 100 / u128::from(whole.max(1)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_line_for_each() {
        assert_eq!(table(&json!({ "rowstores": [] })), "No resource keeps items in memory.\n");
        let one = |state: &str, lookups: u64| {
            json!({
                "resource": "/ords/hr/team", "state": state, "reason": "why", "entries": 12, "bytes": 500,
                "capacityBytes": 1_000, "lookups": lookups, "hits": lookups / 4,
                "populate": { "rows": 3, "total": 9 },
            })
        };
        let all =
            json!({ "rowstores": [one("ready", 0), one("populating", 8), one("degraded", 8)] });
        assert_eq!(
            table(&all),
            "resource       state           items     bytes  full    lookups    hits
/ords/hr/team  ready              12       500   50%          0       -
/ords/hr/team  populating         12       500   50%          8     25%
               3 of 9 items
/ords/hr/team  degraded           12       500   50%          8     25%
               why
"
        );
    }
}
