//! Many items by their keys in one answer.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use duet_document::{DocumentText, Etag, Links, TextBuffer};
use duet_model::key::{EMPTY, parse_key};
use duet_model::{Code, Error, Place, Result, Value};
use duet_rowstore::KeyBytes;
use futures_util::future::join_all;

use super::pages::{ItemQuery, no_items};
use crate::documents::{Document, ItemDocument};
use crate::hosting::context::RequestContext;
use crate::parameters::declared;
use crate::queries::expand::Expansion;
use crate::resources::resource::Resource;
use crate::rowstore::CacheStatus;

/// How many items are read together: those that are not in memory share a statement.
const AT_ONCE: usize = 256;

/// The name of the parameter.
pub const IDS: &str = declared::IDS.name;

/// A request for items.
#[derive(Clone, Copy, Debug)]
pub struct ItemsQuery<'a> {
    /// The keys, each as a path segment has it.
    pub keys: &'a [String],
    /// Which members.
    pub fields: Option<&'a str>,
    /// Which related rows.
    pub expansion: Option<&'a Expansion>,
    /// Whether they must come from the database.
    pub fresh: bool,
}

/// The items that there are, and where they came from.
#[derive(Debug)]
pub struct ItemsDocument {
    /// The answer.
    pub document: Document,
    /// Where they came from, as the one that came furthest; `None` where the resource has no rowstore.
    pub source: Option<CacheStatus>,
    /// How far those from memory may be behind the database, where that is known.
    pub age: Option<Duration>,
}

/// Takes the value of `ids` apart: keys joined by commas, composite ones by semicolons. The same key
/// again counts once; what the database alone takes for the same is found by [`RequestContext::items`].
///
/// # Errors
/// [`Code::BadParameter`] for an empty key and more than `most`, [`Code::BadRequest`] and [`Code::NulCharacter`] for the
/// first that is no text. Those that cannot be keys are missing, like those of no item.
pub fn keys_of(resource: &Resource, ids: &str, most: u64) -> Result<Vec<String>> {
    if !resource.has_items() {
        return Err(no_items(resource));
    }
    let between = if resource.shape.key.len() > 1 { ';' } else { ',' };
    let mut known = HashSet::new();
    let mut keys = Vec::new();
    for key in ids.split(between) {
        let place = || Place::Parameter(IDS.to_owned());
        if key.is_empty() {
            let message = format!("`ids` has an empty key. That of an empty text is `{EMPTY}`.");
            return Err(Error::new(Code::BadParameter, message).at(place()));
        }
        let known_as = match parse_key(&resource.shape, key) {
            Ok(values) => KeyBytes::of(&values),
            // No item has it: it is missing.
            Err(error) if error.code == Code::BadKey => {
                KeyBytes::of(&[Value::Null, Value::Text(key.to_owned())])
            }
            Err(mut error) => {
                let shown: String = key.chars().take(64).collect();
                error.message = format!("`ids` has {shown:?}. {}", error.message);
                return Err(error.at(place()));
            }
        };
        if !known.insert(known_as) {
            continue;
        }
        if keys.len() as u64 >= most {
            let message = format!("`ids` may have {most} different keys (max_page_size).");
            return Err(Error::new(Code::BadParameter, message).at(place()));
        }
        keys.push(key.to_owned());
    }
    Ok(keys)
}

/// Items as they are gathered.
#[derive(Default)]
struct Gathered {
    items: Vec<TextBuffer>,
    missing: Vec<String>,
    /// The stored keys of items that are found by several.
    stored_keys: HashSet<Vec<u8>>,
    /// The etags of the items and the keys that are missing, in the order of the answer.
    covered: Vec<u8>,
    count: usize,
    bytes: usize,
    source: Option<CacheStatus>,
    age: Option<Duration>,
}

impl RequestContext<'_> {
    /// Reads items, in the order of their keys, each once. Absent ones are listed in `missing`. Each is
    /// as an item request gives it at its moment: together they are no snapshot.
    ///
    /// # Errors
    /// As [`RequestContext::item`], but not for absent items; [`Code::AnswerTooLarge`].
    pub async fn items(
        &self,
        resource: &Resource,
        query: ItemsQuery<'_>,
        links: &Links<'_>,
        page_links: &str,
    ) -> Result<ItemsDocument> {
        let most = self.service().store().answer_bytes();
        let mut gathered = Gathered::default();
        for keys in query.keys.chunks(AT_ONCE) {
            let ItemsQuery { fields, expansion, fresh, .. } = query;
            let queries = keys.iter().map(|key| ItemQuery { key, fields, expansion, fresh });
            // Boxed: there are many, each with the future of a whole item.
            let read = queries.map(|query| Box::pin(self.item(resource, query, links)));
            let read = join_all(read).await;
            for (key, item) in keys.iter().zip(read) {
                gathered.add(key, item, most)?;
            }
        }
        let etag = Etag::of(&resource.name, &gathered.covered);
        let (source, age) = (gathered.source, gathered.age);
        let body = gathered.text(query.keys.len(), page_links)?;
        let fetched_at = (source != Some(CacheStatus::Hit)).then(Instant::now);
        let document = Document { body, etag: format!("\"{etag}\""), fetched_at };
        Ok(ItemsDocument { document, source, age })
    }
}

impl Gathered {
    fn add(&mut self, key: &str, item: Result<ItemDocument>, most: usize) -> Result<()> {
        let item = match item {
            Err(error) if matches!(error.code, Code::NoSuchItem | Code::BadKey) => {
                self.covered.extend_from_slice(key.as_bytes());
                self.covered.push(b'/');
                self.missing.push(key.to_owned());
                return Ok(());
            }
            item => item?,
        };
        if item.stored_key.is_some_and(|key| !self.stored_keys.insert(key)) {
            return Ok(());
        }
        self.source = self.source.max(item.source);
        self.age = self.age.max(item.age);
        self.covered.extend_from_slice(item.document.etag.as_bytes());
        let buffers = match item.document.body {
            DocumentText::Whole(text) => vec![text],
            DocumentText::Pieces(pieces) if self.bytes + pieces.length() > most => {
                return Err(too_large(most));
            }
            DocumentText::Pieces(mut pieces) => {
                let next = std::iter::from_fn(move || pieces.next_piece());
                next.collect()
            }
        };
        if self.count > 0 {
            self.items.push(TextBuffer { text: b",".to_vec(), lease: None });
        }
        self.count += 1;
        self.bytes += buffers.iter().map(|buffer| buffer.text.len()).sum::<usize>();
        self.items.extend(buffers);
        if self.bytes > most { Err(too_large(most)) } else { Ok(()) }
    }

    /// The answer, in the form of a page.
    fn text(self, limit: usize, page_links: &str) -> Result<TextBuffer> {
        let count = self.count;
        let missing: Vec<String> = self.missing.iter().map(|key| json_text(key)).collect();
        let room = self.bytes
            + missing.iter().map(|key| key.len() + 1).sum::<usize>()
            + self.items.len()
            + page_links.len()
            + 256;
        let lease = self.items.iter().find_map(|item| item.lease.as_ref());
        let lease = lease.map(|lease| lease.beside(room)).transpose()?;
        let mut text = Vec::with_capacity(room);
        text.extend_from_slice(b"{\"items\":[");
        for item in self.items {
            text.extend_from_slice(&item.text);
        }
        let tail = format!(
            "],\"missing\":[{}],\"hasMore\":false,\"limit\":{limit},\"offset\":0,\"count\":{count},\"links\":{page_links}}}",
            missing.join(","),
        );
        text.extend_from_slice(tail.as_bytes());
        Ok(TextBuffer { text, lease })
    }
}

/// A key as a JSON string.
fn json_text(key: &str) -> String {
    let mut out = Vec::with_capacity(key.len() + 2);
    duet_document::write_string(key.as_bytes(), &mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn too_large(most: usize) -> Error {
    let message = format!("The items together have more than {most} bytes (answer_bytes).");
    Error::new(Code::AnswerTooLarge, message)
        .hint("Ask for fewer items, or for less of each with `fields`.")
}
