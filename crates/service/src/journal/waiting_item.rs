//! Items that are acknowledged and not applied yet, on request (`Prefer: read=journal`).
//!
//! The rows that wait are looked at first, then the database, then the journal's mark behind that
//! read: what was not applied by then was not in the database.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use duet_document::{Codec, Datum, DocumentText, FetchedRows, Links, Program, RowSet, TextBuffer};
use duet_model::catalog::GeneratedValue;
use duet_model::key::parse_key;
use duet_model::{
    Code, Error, LevelColumn, Member, MemberKind, Relation, Result, Shape, Type, Value,
};
use duet_store::KeyedRead;

use super::statements::mark;
use crate::documents::{Document, ItemDocument};
use crate::hosting::context::RequestContext;
use crate::hosting::service::Service;
use crate::ingest::IngestJournal;
use crate::ingest::queued_row::QueuedRow;
use crate::ingest::queued_row::is_single_row;
use crate::ingest::sealed_id::SequenceId;
use crate::ingest::waiting_rows::{Sought, WantedKey, has_waiting_items};
use crate::read::pages::ItemQuery;
use crate::resources::representation::Representation;
use crate::resources::resource::Resource;

/// How often a row is looked for that is applied meanwhile.
const TRIES: usize = 4;

/// An item, wherever it is.
#[derive(Debug)]
pub struct AnyItem {
    /// The item.
    pub item: ItemDocument,
    /// Whether it was looked for in a journal.
    pub looked: bool,
    /// The row of the journal that it is, where it is not in the database.
    pub waiting: Option<SequenceId>,
}

impl Service {
    /// Whether new documents of a resource may be acknowledged from a journal, if it is prepared.
    pub fn acknowledges_rows(&self, resource: &Resource) -> bool {
        self.ingest().is_some() && is_single_row(resource)
    }

    /// Whether items of a resource may be rows of a journal that are not in the database yet.
    pub fn reads_journal(&self, resource: &Resource) -> bool {
        self.ingest().is_some() && has_waiting_items(resource)
    }
}

impl RequestContext<'_> {
    /// Reads an item, also one that is in the journal and not in the database yet. Where that is not offered,
    /// it is that of the database: without a journal, with `expand`, under a role of the database, and for
    /// documents of several tables.
    ///
    /// # Errors
    /// As [`RequestContext::item`]; [`Code::JournalUnavailable`] where the database does not have the item, and
    /// the journal cannot be searched.
    pub async fn item_or_waiting(
        &self,
        resource: &Resource,
        query: ItemQuery<'_>,
        links: &Links<'_>,
    ) -> Result<AnyItem> {
        // A standby may not have yet what the journal has already given away.
        let context = &self.at_primary();
        let offered =
            self.identity().is_none() && query.expansion.is_none() && has_waiting_items(resource);
        let ingest = self.service().ingest().filter(|_| offered).cloned();
        let wanted = match &ingest {
            Some(ingest) => {
                // After a restart this process may be the one that finds out what is durable.
                ingest.open(self).await?;
                Some(WantedKey::of(resource, &parse_key(&resource.shape, query.key)?))
            }
            None => None,
        };
        let (Some(ingest), Some(wanted)) = (ingest, wanted) else {
            let item = context.item(resource, query, links).await?;
            return Ok(AnyItem { item, looked: false, waiting: None });
        };
        for _ in 0..TRIES {
            // Before the database is read: a row that is applied from now on is found there.
            let sought = self.seek(&ingest, &wanted).await;
            let absent = match context.item(resource, query, links).await {
                // Memory may not know yet what another process has applied.
                Err(error) if error.code == Code::NoSuchItem && !query.fresh => {
                    context.item(resource, ItemQuery { fresh: true, ..query }, links).await
                }
                item => item,
            };
            let absent = match absent {
                Err(error) if error.code == Code::NoSuchItem => error,
                item => {
                    let looked = !matches!(sought, Ok(Sought::NoJournal));
                    return Ok(AnyItem { item: item?, looked, waiting: None });
                }
            };
            let Sought::Row(id, row) = sought? else { return Err(absent) };
            let journal = id.to_string();
            if self.waits(&ingest, &journal, row.sequence).await? {
                let item = self.waiting_item(resource, query, &row, links)?;
                let (first, last) = (row.sequence, row.sequence);
                let waiting = Some(SequenceId { journal, first, last });
                return Ok(AnyItem { item, looked: true, waiting });
            }
        }
        let message = "Rows with this key are written to the database one after the other.";
        Err(Error::new(Code::JournalUnavailable, message).retry_after(1))
    }

    async fn seek(&self, ingest: &Arc<IngestJournal>, wanted: &WantedKey) -> Result<Sought> {
        let (ingest, wanted) = (Arc::clone(ingest), wanted.clone());
        let snapshot = self.service().snapshot();
        let seek = move || {
            let applied = ingest.known_applied();
            let mut rows = ingest.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            rows.find(&ingest.options.folder, applied, &snapshot, &wanted)
        };
        tokio::task::spawn_blocking(seek).await.map_err(Error::internal)?
    }

    /// Whether a row is not in the database yet, at a moment behind the last read.
    async fn waits(&self, ingest: &IngestJournal, journal: &str, sequence: u64) -> Result<bool> {
        let is_own = ingest.opened().is_some_and(|opened| opened.id == journal);
        if is_own && sequence > ingest.applying.load(Ordering::Acquire) {
            return Ok(true);
        }
        let applied =
            mark(self, ingest, journal).await?.map_or(u64::MAX, |(_, _, applied)| applied);
        if !is_own && applied < u64::MAX {
            ingest.seen_applied.fetch_max(applied, Ordering::AcqRel);
        }
        Ok(applied < sequence)
    }

    /// The item that a row will be, as far as that is known.
    fn waiting_item(
        &self,
        resource: &Resource,
        query: ItemQuery<'_>,
        row: &QueuedRow,
        links: &Links<'_>,
    ) -> Result<ItemDocument> {
        let limits = self.service().limits();
        let known =
            resource.representation(query.fields, None, self.dialect(), limits.projections)?;
        let shape = known_part(&known.shape, row);
        let known = Representation::new(shape, &resource.name, self.dialect());
        let Some((read, program)) = known.item() else {
            return Err(Error::internal("an item without a key"));
        };
        let fetched = fetched(read, &known.shape.root().table, row);
        let body = document(program, &fetched, links)?;
        Ok(ItemDocument { document: body, source: None, age: None, stored_key: None })
    }
}

impl IngestJournal {
    /// The last sequence id of which this process knows that it is applied.
    fn known_applied(&self) -> u64 {
        match self.opened() {
            Some(_) => *self.applied.borrow(),
            None => self.seen_applied.load(Ordering::Acquire),
        }
    }
}

/// The text of a row that waits. Its etag is weak: it is not that of a row of the database, so it is no
/// condition of a change.
fn document(
    program: &Program,
    fetched: &FetchedRows,
    links: &Links<'_>,
) -> Result<Document<DocumentText>> {
    let mut body = TextBuffer::default();
    let written = program.write_item(fetched, 0, links, &mut body.text)?;
    let etag = format!("W/{}", written.header());
    Ok(Document { body: DocumentText::Whole(body), etag, fetched_at: None })
}

/// The shape without the members that only the database knows: defaults, and what it computes.
fn known_part(shape: &Shape, row: &QueuedRow) -> Shape {
    let mut known = shape.clone();
    let table = Arc::clone(&shape.root().table);
    keep_known(&mut known.nodes[0].members, &table, row);
    // `asof` is a snapshot of the database.
    known.metadata = false;
    known
}

fn keep_known(members: &mut Vec<Member>, table: &Relation, row: &QueuedRow) {
    let is_known = |column: usize| {
        let column = &table.columns[column];
        let gets_none = column.default.is_none() && column.generated == GeneratedValue::No;
        gets_none || row.column(&column.name).is_some()
    };
    members.retain_mut(|member| match &mut member.kind {
        MemberKind::Column(member) => is_known(member.column),
        MemberKind::Flex(flex) => is_known(flex.column),
        MemberKind::Document(document) => is_known(document.column),
        MemberKind::Group(inner) => {
            keep_known(inner, table, row);
            !inner.is_empty()
        }
        _ => false,
    });
}

/// The row as the cells of the statement that would read it.
fn fetched(read: &KeyedRead, table: &Relation, row: &QueuedRow) -> FetchedRows {
    let plan = &read.plan;
    let columns = &plan.levels[0].columns;
    let mut cells = RowSet::with_capacity(columns.len(), 1);
    for column in columns {
        match column {
            LevelColumn::Column(own) => {
                let column = &table.columns[own.column];
                push(&mut cells, &column.ty, row.column(&column.name));
            }
            LevelColumn::Ordinal => cells.push(Datum::Int(1)),
            _ => cells.push(Datum::Null),
        }
    }
    FetchedRows::of_root(cells, 0)
}

/// Appends a value in a form that the codec of its type prints as it prints the stored value.
fn push(cells: &mut RowSet, ty: &Type, value: Option<&Value>) {
    match value {
        None | Some(Value::Null) => cells.push(Datum::Null),
        Some(Value::Bool(value)) => cells.push(Datum::Int(i64::from(*value))),
        Some(Value::Int(value)) => cells.push(Datum::Int(*value)),
        Some(Value::Float(value)) => cells.push(Datum::Real(*value)),
        Some(Value::Bytes(bytes)) => cells.push(Datum::Blob(bytes)),
        Some(Value::RawText(text)) => cells.push(Datum::Text(text)),
        Some(Value::Text(text)) => match (Codec::of(ty), text.parse::<f64>()) {
            (Codec::Float32 | Codec::Float64, Ok(value)) => cells.push(Datum::Real(value)),
            (Codec::Decimal(Some(scale)), Ok(value)) if value.is_finite() => {
                cells.push(Datum::Text(scaled(text, usize::from(scale)).as_bytes()));
            }
            _ => cells.push(Datum::Text(text.as_bytes())),
        },
    }
}

/// A decimal number with its declared digits behind the point.
fn scaled(text: &str, scale: usize) -> String {
    let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
    let point = if digits == 0 && scale > 0 { "." } else { "" };
    format!("{text}{point}{}", "0".repeat(scale.saturating_sub(digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_get_their_declared_digits() {
        let cases = [("1", 2, "1.00"), ("1.5", 2, "1.50"), ("-0.125", 2, "-0.125"), ("7", 0, "7")];
        for (text, scale, expected) in cases {
            assert_eq!(scaled(text, scale), expected);
        }
    }
}
