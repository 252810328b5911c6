//! What Duet itself keeps in a database, and in the file of clients.

use std::path::Path;

use duet_auth::{ClientId, State, StateFile};
use duet_document::{Datum, RowSet};
use duet_model::Result;
use duet_model::tenant::TenantName;
use duet_store::OwnPart;
use duet_store::setup::copy::{CopyDestination, CopySource};
use duet_store::setup::state::StateTable;

use crate::command_error::CommandError;
use crate::database_url::DatabaseUrl;
use crate::report::Outcome;
use crate::runtime::now;

/// A table of Duet's own: its name in a file, in the schema `duet`, and its columns.
struct OwnTable {
    part: OwnPart,
    from: &'static str,
    to: &'static str,
    columns: &'static [&'static str],
}

const TABLES: [OwnTable; 5] = [
    OwnTable {
        part: OwnPart::Keys,
        from: KEYS,
        to: "idempotency",
        columns: &[
            "caller",
            "resource",
            "idempotency_key",
            "fingerprint",
            "expires_at",
            "status",
            "headers",
            "body",
        ],
    },
    OwnTable {
        part: OwnPart::Journal,
        from: "duet_journal_marks",
        to: "journal_marks",
        columns: &["journal", "host", "epoch", "applied"],
    },
    OwnTable {
        part: OwnPart::Journal,
        from: "duet_journal_dead_letters",
        to: "journal_dead_letters",
        columns: &[
            "journal",
            "sequence_id",
            "resource",
            "caller",
            "accepted_at",
            "rejected_at",
            "code",
            "reason",
            "content",
            "entry",
        ],
    },
    OwnTable {
        part: OwnPart::Journal,
        from: HEADS,
        to: "journal_heads",
        columns: &["journal", "folder", "key", "written", "is_closed"],
    },
    OwnTable {
        part: OwnPart::Journal,
        from: "duet_journal_losses",
        to: "journal_losses",
        columns: &["journal", "first_id", "last_id", "accepted_at", "reason"],
    },
];

/// The table of idempotency keys in a file. Its first column is the caller.
const KEYS: &str = "duet_idempotency";
const HEADS: &str = "duet_journal_heads";
const MARKS: &str = "duet_journal_marks";

/// The callers of a tenant's keys: they begin with its name in its file, and with its schema in a database that it shares.
#[derive(Debug)]
pub(super) struct TenantCallers {
    from: String,
    to: String,
}

impl TenantCallers {
    pub(super) fn of(name: &TenantName, schema: &str) -> Self {
        Self { from: format!("/{name} "), to: format!("/{schema} ") }
    }

    /// Rows of a table as the shared database has them.
    pub(super) fn renamed(&self, table: &str, rows: RowSet) -> RowSet {
        if table != KEYS {
            return rows;
        }
        let mut renamed = RowSet::new(rows.width());
        for row in 0..rows.len() {
            for column in 0..rows.width() {
                match rows.get(row, column) {
                    Datum::Text(text) if column == 0 && text.starts_with(self.from.as_bytes()) => {
                        let caller = [self.to.as_bytes(), &text[self.from.len()..]].concat();
                        renamed.push(Datum::Text(&caller));
                    }
                    cell => renamed.push(cell),
                }
            }
        }
        renamed
    }
}

/// Those that a file has.
fn found(source: &dyn CopySource) -> Result<Vec<&'static OwnTable>> {
    let mut tables = Vec::new();
    for table in &TABLES {
        if source.has_table(table.from)? {
            tables.push(table);
        }
    }
    Ok(tables)
}

/// The parts that are to be made.
pub(super) fn parts(source: &dyn CopySource) -> Result<Vec<OwnPart>> {
    let mut parts: Vec<OwnPart> = found(source)?.into_iter().map(|table| table.part).collect();
    parts.dedup();
    Ok(parts)
}

/// Where their rows go.
pub(super) fn destinations(
    source: &dyn CopySource,
    is_shared: bool,
) -> Result<Vec<CopyDestination>> {
    let destination = |table: &OwnTable| CopyDestination {
        from: table.from.to_owned(),
        schema: Some("duet".to_owned()),
        table: table.to.to_owned(),
        columns: table.columns.iter().map(|&name| name.to_owned()).collect(),
        is_shared,
        is_own: true,
    };
    Ok(found(source)?.into_iter().map(destination).collect())
}

/// Refuses a database to which rows of a journal have not come yet: they would be written to the file.
///
/// # Errors
/// `Setting` with their number.
pub(super) fn check(source: &dyn CopySource) -> Outcome {
    if !source.has_table(HEADS)? {
        return Ok(());
    }
    let (written, applied) =
        (numbers(source, HEADS, "written")?, numbers(source, MARKS, "applied")?);
    let waiting = written.iter().map(|(journal, written)| {
        let applied = applied.iter().find(|(known, _)| known == journal).map_or(0, |(_, it)| *it);
        written.saturating_sub(applied).max(0)
    });
    let waiting: i64 = waiting.sum();
    if waiting == 0 {
        return Ok(());
    }
    let message =
        format!("{waiting} rows of the journal are not in the database yet. Nothing was copied.");
    Err(CommandError::refusal(message)
        .hint("Empty the journal first: `POST /admin/journal?flush`, then stop the server."))
}

/// A number for each journal.
fn numbers(source: &dyn CopySource, table: &str, column: &str) -> Result<Vec<(Vec<u8>, i64)>> {
    let mut found = Vec::new();
    let mut rows = source.rows(table, &["journal".to_owned(), column.to_owned()], 0)?;
    while let Some(batch) = rows.next()? {
        for row in 0..batch.len() {
            if let (Datum::Text(journal), Datum::Int(number)) =
                (batch.get(row, 0), batch.get(row, 1))
            {
                found.push((journal.to_vec(), number));
            }
        }
    }
    Ok(found)
}

/// The clients and keys of a file, and the table that takes them.
fn opened(path: &Path, target: &DatabaseUrl) -> Outcome<(State, Box<dyn StateTable>)> {
    let file = StateFile::open_existing(path)?.ok_or_else(|| {
        CommandError::file(format!("There is no file of clients {}.", path.display()))
    })?;
    let table = target
        .state_table()?
        .ok_or_else(|| CommandError::refusal("This database has no place for clients and keys."))?;
    Ok((file.load()?.0, table))
}

/// Refuses clients that would not stay: a copy that is repeated finds those that it has brought.
fn check_others(path: &Path, place: &str, state: &State, kept: &State) -> Outcome {
    let is_known = |id: &ClientId| state.clients().any(|one| one.id == *id);
    if kept.clients().all(|one| is_known(&one.id)) {
        return Ok(());
    }
    let message =
        format!("{place} has clients already; those of {} were not copied.", path.display());
    let hint = "Leave --state out, and serve with --state FILE; or remove its clients.";
    Err(CommandError::refusal(message).hint(hint))
}

/// Refuses what [`copy_state`] would refuse, before anything is copied.
///
/// # Errors
/// As [`copy_state`].
pub(super) async fn check_state(path: &Path, target: &DatabaseUrl) -> Outcome {
    let (state, table) = opened(path, target)?;
    match table.load().await? {
        Some(kept) => check_others(path, table.describe(), &state, &kept),
        None => Ok(()),
    }
}

/// Copies clients and keys into the table of a database that has none.
///
/// # Errors
/// `Setting` where there is no such file, or the database has clients.
pub(super) async fn copy_state(path: &Path, target: &DatabaseUrl) -> Outcome {
    let (state, table) = opened(path, target)?;
    let is_new = table.create(now()).await?;
    let place = table.describe().to_owned();
    let updated = table
        .update(|kept| {
            if !is_new {
                check_others(path, &place, &state, kept)?;
            }
            *kept = state.clone();
            Ok(())
        })
        .await;
    Ok(updated?)
}
