//! Pages of a view's events, for those who may read the view.
//!
//! A caller with a role of the database gets events of the documents that it sees now, by a read of their keys under
//! its role. Where row security decides on rows, the documents as they were may have what the caller must not see, so
//! they are left out; and of a document that is gone, no one can say who has seen it.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use duet_document::Codec;
use duet_model::key::parse_key;
use duet_model::{Code, Error, Result, Value};
use duet_sql::{
    EventPosition, RowEvent, Statement, last_view_event, read_endpoints, read_view_events,
};
use duet_text::time::moment::moment_text;
use futures_util::future::join_all;

use crate::hosting::context::RequestContext;
use crate::hosting::own_statements::{Rows, own, run};
use crate::outbox::view_events::{not_prepared, nowhere};
use crate::resources::resource::Resource;

/// Where a page of events begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStart {
    /// With the oldest event that is kept.
    Oldest,
    /// Behind an event.
    After(EventPosition),
    /// Behind the newest one: the page has no events.
    End,
}

/// An event of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewEvent {
    /// Its position.
    pub id: EventPositionText,
    /// What has happened to the document.
    pub operation: RowEvent,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The key of the document, as a path segment.
    pub key: String,
    /// The members `etag` and `document` as JSON; `None` where the caller may not see them.
    pub document: Option<String>,
}

impl ViewEvent {
    /// The event as JSON; with its `id` and `operation`, where nothing around it says them.
    pub fn json(&self, whole: bool) -> String {
        let mut out = Vec::with_capacity(128);
        out.push(b'{');
        if whole {
            let name = self.operation.name();
            out.extend_from_slice(
                format!("\"id\":\"{}\",\"operation\":\"{name}\",", self.id).as_bytes(),
            );
        }
        let at = moment_text(self.at.saturating_mul(1_000));
        out.extend_from_slice(format!("\"at\":\"{at}Z\",\"key\":").as_bytes());
        duet_document::write_string(self.key.as_bytes(), &mut out);
        if let Some(document) = &self.document {
            out.push(b',');
            out.extend_from_slice(document.as_bytes());
        }
        out.push(b'}');
        String::from_utf8(out).unwrap_or_default()
    }
}

/// A page of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewEventPage {
    /// The events, in the order of their commits.
    pub events: Vec<ViewEvent>,
    /// Where the next page begins.
    pub end: EventPositionText,
    /// Whether there are more.
    pub has_more: bool,
}

/// A position as clients have it: `transaction-number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPositionText(pub EventPosition);

impl fmt::Display for EventPositionText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0.transaction, self.0.sequence)
    }
}

impl FromStr for EventPositionText {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| {
            let are_digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|_| are_digits)
        };
        let parts = text.split_once('-');
        let position = parts.and_then(|(transaction, sequence)| {
            Some(EventPosition { transaction: number(transaction)?, sequence: number(sequence)? })
        });
        position.map(Self).ok_or_else(|| {
            let message =
                "This is the id of no event: it is two numbers with a hyphen between them.";
            Error::new(Code::BadParameter, message)
        })
    }
}

/// An event as the outbox has it.
struct StoredEvent {
    position: EventPosition,
    /// `None` for the first one, which is about no document.
    event: Option<ViewEvent>,
}

impl StoredEvent {
    const CODECS: [Codec; 6] =
        [Codec::Integer, Codec::Integer, Codec::Text, Codec::Text, Codec::Integer, Codec::Text];

    fn of(row: &[Value]) -> Option<Self> {
        let position = position(row)?;
        let [_, _, Value::Text(kind), Value::Text(key), Value::Int(at), payload] = row else {
            return None;
        };
        let operation = kind
            .rsplit_once('.')
            .and_then(|(_, word)| RowEvent::ALL.into_iter().find(|event| event.name() == word));
        let event = operation.map(|operation| ViewEvent {
            id: EventPositionText(position),
            operation,
            at: *at,
            key: key.clone(),
            document: match payload {
                Value::Text(payload) => Some(members(payload).to_owned()),
                _ => None,
            },
        });
        Some(Self { position, event })
    }
}

/// The members of a stored object, without its braces.
fn members(payload: &str) -> &str {
    payload.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or_default()
}

fn position(row: &[Value]) -> Option<EventPosition> {
    match row {
        [Value::Int(transaction), Value::Int(sequence), ..] => {
            Some(EventPosition { transaction: *transaction, sequence: *sequence })
        }
        _ => None,
    }
}

impl RequestContext<'_> {
    /// Reads events of a view, up to `most`. The caller's right to read the view has been checked.
    ///
    /// # Errors
    /// [`Code::ViewEventsGone`] where events behind the start are not kept any more, [`Code::ViewEventsNotPrepared`],
    /// and whatever the database says.
    pub async fn view_events(
        &self,
        resource: &Resource,
        start: EventStart,
        most: usize,
    ) -> Result<ViewEventPage> {
        let Some(endpoint) = &resource.view_endpoint else { return Err(no_events(resource)) };
        let start = match start {
            // The place of those who came before the first event.
            EventStart::After(position) if position == EventPosition::default() => {
                EventStart::Oldest
            }
            EventStart::End => return self.end_of_events(endpoint).await,
            start => start,
        };
        let from = match start {
            EventStart::After(position) => position,
            EventStart::Oldest | EventStart::End => EventPosition::default(),
        };
        // The event where the page begins, and one that says whether there are more.
        let read = read_view_events(self.dialect(), endpoint, from, most.saturating_add(2));
        let rows = self.own_rows(read, StoredEvent::CODECS.to_vec()).await?;
        let mut stored: Vec<StoredEvent> =
            rows.iter().filter_map(|row| StoredEvent::of(row)).collect();
        let begins = match stored.first() {
            Some(first) if start == EventStart::Oldest => first.event.is_none(),
            Some(first) if first.position == from => true,
            None if start == EventStart::Oldest => return self.no_event_yet(endpoint).await,
            _ => return Err(gone()),
        };
        let mut end = from;
        if begins {
            end = stored.remove(0).position;
        }
        let has_more = stored.len() > most;
        stored.truncate(most);
        end = stored.last().map_or(end, |last| last.position);
        let events = stored.into_iter().filter_map(|one| one.event).collect();
        let events = self.shown_events(resource, events).await?;
        Ok(ViewEventPage { events, end: EventPositionText(end), has_more })
    }

    async fn end_of_events(&self, endpoint: &str) -> Result<ViewEventPage> {
        let read = last_view_event(self.dialect(), endpoint);
        let rows = self.own_rows(read, vec![Codec::Integer; 2]).await?;
        let Some(last) = rows.first().and_then(|row| position(row)) else {
            return self.no_event_yet(endpoint).await;
        };
        let end = EventPositionText(last);
        Ok(ViewEventPage { events: Vec::new(), end, has_more: false })
    }

    /// The page where no event is shown: even the first one waits for transactions that began before it.
    async fn no_event_yet(&self, endpoint: &str) -> Result<ViewEventPage> {
        use Codec::{Integer, Text};
        let codecs = vec![Text, Integer, Text, Integer, Integer, Text];
        let rows = self.own_rows(read_endpoints(self.dialect()), codecs).await?;
        let is_it =
            |row: &Vec<Value>| matches!(row.first(), Some(Value::Text(name)) if name == endpoint);
        if !rows.iter().any(is_it) {
            return Err(nowhere());
        }
        let end = EventPositionText(EventPosition::default());
        Ok(ViewEventPage { events: Vec::new(), end, has_more: false })
    }

    async fn own_rows(&self, read: Statement, codecs: Vec<Codec>) -> Result<Rows> {
        let (_, rows) = run(self, own(read, codecs)).await.map_err(not_prepared)?;
        Ok(rows)
    }

    /// The events that the caller may see, and of each what it may see.
    async fn shown_events(
        &self,
        resource: &Resource,
        events: Vec<ViewEvent>,
    ) -> Result<Vec<ViewEvent>> {
        if self.identity().is_none() || events.is_empty() {
            return Ok(events);
        }
        let seen = self.seen_keys(resource, &events).await?;
        if resource.shape.nodes.iter().all(|node| node.table.plain) {
            return Ok(events);
        }
        let shown = events.into_iter().filter(|event| seen.contains(&event.key));
        Ok(shown.map(|event| ViewEvent { document: None, ..event }).collect())
    }

    /// The keys of events whose documents the caller sees now.
    ///
    /// # Errors
    /// Where its role may not read the tables of the view, and whatever else the database says.
    async fn seen_keys(
        &self,
        resource: &Resource,
        events: &[ViewEvent],
    ) -> Result<HashSet<String>> {
        let Some((read, _)) = resource.whole.item() else { return Ok(HashSet::new()) };
        let keys: HashSet<&str> = events.iter().map(|event| event.key.as_str()).collect();
        let handle = self.handle();
        let looks = keys.into_iter().map(async |segment| {
            // A key that no longer fits the schema is the key of nothing.
            let Ok(key) = parse_key(&resource.shape, segment) else { return Ok(None) };
            let answer = handle.by_key(read, key).await?;
            Ok(answer.row.map(|_| segment.to_owned()))
        });
        let found: Result<Vec<Option<String>>> = join_all(looks).await.into_iter().collect();
        Ok(found?.into_iter().flatten().collect())
    }
}

fn no_events(resource: &Resource) -> Error {
    let message = format!("{} has no events: only a view with NOTIFY has.", resource.name);
    Error::new(Code::NotServed, message)
}

fn gone() -> Error {
    let message =
        "The events behind this one are not kept any more, or it was never an event of this view.";
    Error::new(Code::ViewEventsGone, message).hint(
        "Ask with `after=end` where the events are now, read the view anew, and go on from there.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_two_numbers() {
        let position = EventPosition { transaction: 17, sequence: 4 };
        let text = EventPositionText(position).to_string();
        assert_eq!(text, "17-4");
        assert_eq!(text.parse::<EventPositionText>().unwrap().0, position);
        for wrong in
            ["", "-", "1", "1-", "-1", "1-2-3", "+1-2", "1--2", "a-1", "99999999999999999999-1"]
        {
            let error = wrong.parse::<EventPositionText>().unwrap_err();
            assert_eq!(error.code, Code::BadParameter, "{wrong}");
        }
    }

    #[test]
    fn stored_events_are_read() {
        let row = |kind: &str, payload: Value| {
            let text = |text: &str| Value::Text(text.to_owned());
            vec![Value::Int(3), Value::Int(9), text(kind), text("302"), Value::Int(5), payload]
        };
        let payload = Value::Text(r#"{"etag":"A","document":{}}"#.to_owned());
        let event = StoredEvent::of(&row("my.view.deleted", payload)).unwrap().event.unwrap();
        assert_eq!((event.operation, event.key.as_str()), (RowEvent::Deleted, "302"));
        assert_eq!(event.document.as_deref(), Some(r#""etag":"A","document":{}"#));
        let begin = StoredEvent::of(&row("begin", Value::Null)).unwrap();
        assert!(begin.event.is_none() && begin.position.sequence == 9);
    }
}
