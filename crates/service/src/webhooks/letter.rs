//! The body of an event: `{"type":…,"timestamp":…,"data":{…}}`.

use duet_document::{DocumentText, Links};
use duet_model::{Code, Result};
use duet_sql::{RowEvent, TRUNCATED};
use duet_text::time::moment::moment_text;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json, value::RawValue};

use super::events::OutboxEvent;
use crate::build::snapshot::Snapshot;
use crate::hosting::context::RequestContext;
use crate::outbox::declaration::Webhook;
use crate::read::pages::ItemQuery;
use crate::resources::resource::Resource;

/// The row of an event as it is now.
struct CurrentRow {
    etag: String,
    document: Vec<u8>,
}

impl RequestContext<'_> {
    /// The body of an event. The etag, and the document where it is wanted and not too large, are those of the moment of
    /// the first attempt: what changed later has events of its own. A row that is gone by then has neither.
    pub(super) async fn letter(
        &self,
        snapshot: &Snapshot,
        webhook: &Webhook,
        event: &OutboxEvent,
        most: usize,
    ) -> Result<String> {
        let (subject, what) = event.kind.rsplit_once('.').unwrap_or((&event.kind, ""));
        let resource = snapshot.watched_resource(subject);
        let mut data = Map::new();
        data.insert("resource".into(), subject.into());
        if let Some(key) = resource.and_then(|resource| key_object(resource, &event.key)) {
            data.insert("key".into(), key);
        } else if what != TRUNCATED {
            // The resource is gone, or its key is another one.
            data.insert("key".into(), serde_json::from_str(&event.key).unwrap_or_default());
        }
        let is_gone = [RowEvent::Deleted.name(), TRUNCATED].contains(&what);
        let row = match resource.filter(|_| !is_gone) {
            Some(resource) => self.current_row(resource, &event.key, webhook.document).await?,
            None => None,
        };
        if let Some(row) = &row {
            data.insert("etag".into(), row.etag.as_str().into());
        }
        let mut letter = json!({
            "type": event.kind,
            "timestamp": format!("{}Z", moment_text(event.created_at.saturating_mul(1_000))),
            "data": data,
        });
        let thin = letter.to_string();
        let document = row.filter(|_| webhook.document).map(|row| row.document);
        let Some(document) = document.filter(|it| thin.len() + it.len() + 12 <= most) else {
            return Ok(thin);
        };
        let document: Option<Box<RawValue>> = serde_json::from_slice(&document).ok();
        letter["data"]["document"] = serde_json::to_value(document).unwrap_or_default();
        Ok(letter.to_string())
    }

    /// Reads the row of an event; `None` where it is gone.
    async fn current_row(
        &self,
        resource: &Resource,
        key: &str,
        with_document: bool,
    ) -> Result<Option<CurrentRow>> {
        let Some(key) = path_segment(key) else { return Ok(None) };
        let links = Links { collection: "", described_by: "", writable: false, plain: true };
        let query = ItemQuery { key: &key, fields: None, expansion: None, fresh: true };
        let item = match self.item(resource, query, &links).await {
            Ok(item) => item,
            Err(error) if matches!(error.code, Code::NoSuchItem | Code::BadKey) => return Ok(None),
            Err(error) => return Err(error),
        };
        let document = match item.document.body {
            DocumentText::Whole(text) if with_document => text.text,
            // A large one is written piece by piece, and is left out.
            DocumentText::Whole(_) | DocumentText::Pieces(_) => Vec::new(),
        };
        Ok(Some(CurrentRow { etag: item.document.etag, document }))
    }
}

/// The key as an object with the names that clients know.
fn key_object(resource: &Resource, key: &str) -> Option<Value> {
    let Value::Array(parts) = serde_json::from_str(key).ok()? else { return None };
    let table = &resource.shape.root().table;
    let names = resource.shape.key.iter().map(|at| table.columns[*at].served_name());
    (parts.len() == resource.shape.key.len()).then(|| names.zip(parts).collect())
}

/// The key as a segment of a path; `None` where a part is no key.
fn path_segment(key: &str) -> Option<String> {
    let Value::Array(parts) = serde_json::from_str(key).ok()? else { return None };
    let part = |part: &Value| match part {
        Value::String(text) if text.is_empty() => Some(duet_model::key::EMPTY.to_owned()),
        Value::String(text) => Some(utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let parts: Option<Vec<String>> = parts.iter().map(part).collect();
    Some(parts?.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_segments_of_paths() {
        for (key, expected) in [
            ("[7]", Some("7")),
            ("[-9223372036854775808]", Some("%2D9223372036854775808")),
            ("[\"a,b/c\"]", Some("a%2Cb%2Fc")),
            ("[1, \"\"]", Some("1,''")),
            ("null", None),
            ("[null]", None),
            ("[", None),
        ] {
            let expected = expected.map(|it| it.replace("%2D", "-"));
            assert_eq!(path_segment(key), expected, "{key}");
        }
    }
}
