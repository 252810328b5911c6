//! Statements on the journal's own tables, each in a transaction of its own.

use std::sync::Arc;

use duet_document::Codec;
use duet_model::{ColumnRef, Error, LevelColumn, Result, Value};
use duet_sql::{
    Statement, find_journal_tables, find_made_journal_tables, find_some_journal_tables, open_head,
    own_journal, read_head, read_heads,
};
use duet_store::KeyedRead;

use crate::hosting::context::RequestContext;
pub(super) use crate::hosting::own_statements::{Rows, own, run, run_all};
use crate::ingest::IngestJournal;
use crate::ingest::own_reads::OwnReads;
use crate::ingest::sealed_id::Key;

/// Whether the tables exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Preparation {
    No,
    /// Some of them, such as those that an earlier version has made.
    Partly,
    /// All of them, and the server's user may not use them.
    Denied,
    Yes,
}

/// Whether the tables exist.
pub(super) async fn prepared(context: &RequestContext<'_>) -> Result<Preparation> {
    let dialect = context.dialect();
    if finds(context, find_journal_tables(dialect)).await? {
        return Ok(Preparation::Yes);
    }
    if finds(context, find_made_journal_tables(dialect)).await? {
        return Ok(Preparation::Denied);
    }
    Ok(match finds(context, find_some_journal_tables(dialect)).await? {
        true => Preparation::Partly,
        false => Preparation::No,
    })
}

/// Why tables that exist cannot be used.
pub(super) const DENIED: &str =
    "the server's user of the database has no rights on the tables of the journal";
/// What grants them.
pub(super) const GRANTED_BY: &str =
    "Let their owner run `duet journal prepare --server-role ROLE` for the database.";

async fn finds(context: &RequestContext<'_>, statement: Statement) -> Result<bool> {
    let (_, rows) = run(context, own(statement, vec![Codec::Text])).await?;
    Ok(rows.first().and_then(|row| row.first()).is_some_and(|name| *name != Value::Null))
}

/// What the database says to the new owner of a journal.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenOver {
    pub(super) epoch: u64,
    /// The last sequence id that is applied.
    pub(super) applied: u64,
    pub(super) key: Key,
}

/// Makes this host the owner of a journal in a folder.
pub(super) async fn take_over(
    context: &RequestContext<'_>,
    journal: &str,
    host: &str,
    folder: &str,
) -> Result<TakenOver> {
    let dialect = context.dialect();
    let mut fresh = Key::default();
    getrandom::fill(&mut fresh).map_err(Error::internal)?;
    let calls = vec![
        own(own_journal(dialect, journal, host), vec![Codec::Integer; 2]),
        own(open_head(dialect, journal, folder, &fresh), vec![Codec::Binary]),
    ];
    let done = run_all(context, calls).await?;
    let row = |at: usize| done.get(at).and_then(|rows| rows.first()).map(Vec::as_slice);
    let (Some([epoch, applied]), Some([key])) = (row(0), row(1)) else {
        return Err(Error::internal("the mark of a journal was not returned"));
    };
    let key = key_of(key).ok_or_else(|| Error::internal("the key of a journal is none"))?;
    Ok(TakenOver { epoch: number(epoch), applied: number(applied), key })
}

fn key_of(value: &Value) -> Option<Key> {
    match value {
        Value::Bytes(bytes) => bytes.as_slice().try_into().ok(),
        _ => None,
    }
}

/// What the database knows of a journal.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) journal: String,
    pub(super) applied: u64,
    /// Where it was; empty where that is not known.
    pub(super) folder: String,
    pub(super) written: u64,
    pub(super) is_closed: bool,
}

/// What the database knows of all journals of a host.
pub(super) async fn heads(context: &RequestContext<'_>, host: &str) -> Result<Vec<Head>> {
    use Codec::{Integer, Text};
    let codecs = vec![Text, Integer, Text, Integer, Integer];
    let (_, rows) = run(context, own(read_heads(context.dialect(), host), codecs)).await?;
    Ok(rows.iter().filter_map(|row| head_of(row, None)).collect())
}

/// What the database knows of a journal; `None` where it does not know it.
pub(super) async fn head(context: &RequestContext<'_>, journal: &str) -> Result<Option<Head>> {
    use Codec::{Integer, Text};
    let codecs = vec![Text, Integer, Text, Integer, Integer];
    let (_, rows) = run(context, own(read_head(context.dialect(), journal), codecs)).await?;
    Ok(rows.first().and_then(|row| head_of(row, Some(journal))))
}

fn head_of(row: &[Value], journal: Option<&str>) -> Option<Head> {
    let [first, applied, folder, written, is_closed] = row else { return None };
    Some(Head {
        journal: journal.map_or_else(|| first.to_string(), str::to_owned),
        applied: number(applied),
        folder: if *folder == Value::Null { String::new() } else { folder.to_string() },
        written: number(written),
        is_closed: number(is_closed) > 0,
    })
}

/// The key of the ids of a journal that this database knows, whichever process owns it. It never changes.
pub(super) async fn journal_key(
    context: &RequestContext<'_>,
    ingest: &IngestJournal,
    journal: &str,
) -> Result<Option<Key>> {
    if let Some(known) = ingest.known_key(journal) {
        return Ok(Some(known));
    }
    let reads = ingest.own_reads.get_or_init(|| OwnReads::of(context.dialect()));
    let value = match by_key(context, &reads.key, journal, &[(1, Codec::Binary)]).await {
        // Without its tables, no journal is known.
        Err(_) if prepared(context).await? != Preparation::Yes => return Ok(None),
        value => value?,
    };
    let key = value.and_then(|values| key_of(values.first()?));
    if let Some(key) = key {
        ingest.knows_key(journal, key);
    }
    Ok(key)
}

/// Whether the table of heads can be read. It is not there where nothing is prepared, and where the database cannot be
/// reached it is looked at when the journal is opened.
pub(super) async fn has_heads(context: &RequestContext<'_>, ingest: &IngestJournal) -> bool {
    let reads = ingest.own_reads.get_or_init(|| OwnReads::of(context.dialect()));
    by_key(context, &reads.key, "", &[(1, Codec::Binary)]).await.is_ok()
}

/// Values of a row of the journal's own tables, by their columns. A read like any other: it waits for no lock of
/// writers.
async fn by_key(
    context: &RequestContext<'_>,
    read: &Arc<KeyedRead>,
    journal: &str,
    columns: &[(usize, Codec)],
) -> Result<Option<Vec<Value>>> {
    let answer =
        context.at_primary().handle().by_key(read, vec![Value::Text(journal.to_owned())]).await?;
    let Some(row) = answer.row else { return Ok(None) };
    let level = &read.plan.levels[0];
    let value = |(column, codec): &(usize, Codec)| {
        let position = level.position(&LevelColumn::Column(ColumnRef { node: 0, column: *column }));
        position.map_or(Value::Null, |at| codec.value(answer.fetched.roots().get(row, at)))
    };
    Ok(Some(columns.iter().map(value).collect()))
}

/// Host, epoch and last applied sequence id of a journal that this database knows.
pub(super) async fn mark(
    context: &RequestContext<'_>,
    ingest: &IngestJournal,
    journal: &str,
) -> Result<Option<(String, u64, u64)>> {
    let reads = ingest.own_reads.get_or_init(|| OwnReads::of(context.dialect()));
    let columns = [(1, Codec::Text), (2, Codec::Integer), (3, Codec::Integer)];
    let values = by_key(context, &reads.mark, journal, &columns).await?;
    let Some([host, epoch, applied]) = values.as_deref() else { return Ok(None) };
    Ok(Some((host.to_string(), number(epoch), number(applied))))
}

pub(super) fn number(value: &Value) -> u64 {
    match value {
        Value::Int(value) => u64::try_from(*value).unwrap_or(0),
        _ => 0,
    }
}
