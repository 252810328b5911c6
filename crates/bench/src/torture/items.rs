//! The service as its description says it: items are created, read, changed and listed.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::client::{Answer, Client};
use super::description::{Description, Resource, split};
use super::template::{filled, has};
use super::trial::{Stop, TrialOptions, sentence};
use crate::workload::Failed;

/// The range of keys: above what applications use, and in 32 bits.
const KEYS: std::ops::Range<u64> = 1_000_000_000..2_000_000_000;

/// A service under trial.
pub(super) struct Service<'a> {
    pub(super) description: &'a Description,
    pub(super) options: &'a TrialOptions,
    headers: String,
    /// The key of the next item. Keys begin at random, so that trials can be repeated.
    next_key: AtomicU64,
    /// The items that were made.
    made: Mutex<Vec<Item>>,
}

/// An item of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) id: String,
    key: u64,
    pub(super) mark: String,
}

/// An item that is not created yet.
#[derive(Clone, Debug)]
pub(super) struct NewItem {
    key: u64,
    pub(super) mark: String,
    pub(super) count: u64,
}

/// An item as it was read.
#[derive(Clone, Debug)]
pub(super) struct Document {
    value: Value,
    version: Option<String>,
    pub(super) count: u64,
}

impl<'a> Service<'a> {
    /// A service; nothing is sent.
    pub(super) fn new(
        description: &'a Description,
        options: &'a TrialOptions,
    ) -> Result<Self, Failed> {
        let own = description.resource.headers.iter().map(|(name, value)| (&**name, &**value));
        let authorization = options.authorization.as_deref().map(|value| ("Authorization", value));
        let headers: String =
            own.chain(authorization).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        if headers.matches("\r\n").count() != headers.matches('\n').count() {
            return Err(Failed::check("a header has a line break in it"));
        }
        let next_key = AtomicU64::new(fastrand::u64(KEYS));
        Ok(Self { description, options, headers, next_key, made: Mutex::default() })
    }

    pub(super) fn resource(&self) -> &Resource {
        &self.description.resource
    }

    /// A user's connection.
    pub(super) fn client(&self) -> Result<Client, Failed> {
        Client::open(&self.options.url, &self.headers, self.options.timeout)
    }

    /// Creates an item and reads it.
    ///
    /// # Errors
    /// If the description does not fit the service.
    pub(super) fn try_out(&self) -> Result<(), Failed> {
        let mut client = self.client()?;
        let item = self.create(&mut client, &self.new_item(0)).map_err(message)?;
        let count = self.read(&mut client, &item).map_err(message)?.count;
        match count {
            0 => Ok(()),
            count => Err(Failed::check(format!("a new item has the count {count}, not 0"))),
        }
    }

    /// A new item with a mark of its own.
    pub(super) fn new_item(&self, count: u64) -> NewItem {
        let key = self.next_key.fetch_add(1, Ordering::Relaxed);
        NewItem { key, mark: format!("torture-{key}"), count }
    }

    /// Creates an item.
    pub(super) fn create(&self, client: &mut Client, new: &NewItem) -> Result<Item, Stop> {
        let answer = self.send_create(client, new, "")?;
        self.created(new, &answer)
    }

    /// Sends the request that creates an item.
    pub(super) fn send_create(
        &self,
        client: &mut Client,
        new: &NewItem,
        headers: &str,
    ) -> Result<Answer, Failed> {
        let values = [
            ("key", new.key.to_string()),
            ("mark", new.mark.clone()),
            ("count", new.count.to_string()),
        ];
        let (method, path) = split(&self.resource().create);
        let body = filled(&self.resource().body, &values);
        client.send(method, &filled(path, &values), headers, &body)
    }

    /// The item that a response created.
    pub(super) fn created(&self, new: &NewItem, answer: &Answer) -> Result<Item, Stop> {
        if !answer.is_success() {
            let text = format!("{} answered {}", self.resource().create, answer.shown());
            return Err(Stop::Wrong(sentence(&text)));
        }
        let id = match self.resource().id.as_str() {
            "key" => Some(new.key.to_string()),
            "location" => answer.location.as_deref().map(last_segment),
            pointer => answer.json().and_then(|body| body.pointer(pointer).map(as_text)),
        };
        let Some(id) = id else {
            let place = &self.resource().id;
            let text = format!("the new item has no id at {place}: {}", answer.shown());
            return Err(Stop::Wrong(sentence(&text)));
        };
        let item = Item { id, key: new.key, mark: new.mark.clone() };
        self.made.lock().unwrap_or_else(PoisonError::into_inner).push(item.clone());
        Ok(item)
    }

    /// Reads an item.
    pub(super) fn read(&self, client: &mut Client, item: &Item) -> Result<Document, Stop> {
        match self.find(client, item)? {
            Some(document) => Ok(document),
            None => Err(Stop::Wrong(format!("The item {} is not there any more.", item.id))),
        }
    }

    /// Reads an item, `None` if it does not exist.
    pub(super) fn find(&self, client: &mut Client, item: &Item) -> Result<Option<Document>, Stop> {
        let (method, path) = split(&self.resource().read);
        let path = filled(path, &values_of(item));
        let answer = client.send(method, &path, "", "")?;
        match answer.status {
            404 | 410 => Ok(None),
            200 => self.document(&answer).map(Some),
            500.. => {
                Err(Stop::Broken(sentence(&format!("{method} {path} answered {}", answer.shown()))))
            }
            _ => {
                Err(Stop::Wrong(sentence(&format!("{method} {path} answered {}", answer.shown()))))
            }
        }
    }

    fn document(&self, answer: &Answer) -> Result<Document, Stop> {
        let Some(value) = answer.json() else {
            return Err(Stop::Wrong(sentence(&format!("an item is no JSON: {}", answer.shown()))));
        };
        let count = self.count(&value)?;
        let version = match self.resource().version.as_deref() {
            None => None,
            Some("etag") => answer.etag.clone(),
            Some(pointer) => value.pointer(pointer).map(as_text),
        };
        if self.resource().version.is_some() && version.is_none() {
            return Err(Stop::Wrong("An item has no version where the description says.".into()));
        }
        Ok(Document { value, version, count })
    }

    /// The count of an item. Members that are written together must be equal.
    pub(super) fn count(&self, item: &Value) -> Result<u64, Stop> {
        let resource = self.resource();
        let number = |pointer: &str| item.pointer(pointer).and_then(whole);
        let Some(count) = number(&resource.counts) else {
            let text = format!("an item has no whole number at {}", resource.counts);
            return Err(Stop::Wrong(sentence(&text)));
        };
        match resource.twin.as_deref() {
            Some(twin) if number(twin) != Some(count) => Err(Stop::Wrong(format!(
                "An item was half written: {count} at {} and {} at {twin}.",
                resource.counts,
                item.pointer(twin).map(as_text).unwrap_or_default()
            ))),
            _ => Ok(count),
        }
    }

    /// Sends a change of an item that was read before: it gets this count.
    pub(super) fn update(
        &self,
        client: &mut Client,
        item: &Item,
        read: &Document,
        count: u64,
    ) -> Result<Answer, Stop> {
        let Some(update) = &self.resource().update else {
            return Err(Stop::Needs("The description has no `update`.".into()));
        };
        let (method, path) = split(update);
        let body = self.change(method, item, read, count);
        let header = match (self.resource().version.as_deref(), &read.version) {
            (Some("etag"), Some(version)) => format!("If-Match: {version}\r\n"),
            _ => String::new(),
        };
        Ok(client.send(method, &filled(path, &values_of(item)), &header, &body)?)
    }

    fn change(&self, method: &str, item: &Item, read: &Document, count: u64) -> String {
        let resource = self.resource();
        if let Some(change) = &resource.change {
            let more = [
                ("count", count.to_string()),
                ("version", read.version.clone().unwrap_or_default()),
            ];
            return filled(&filled(change, &values_of(item)), &more);
        }
        let mut body = match method {
            "PATCH" => Value::Object(Map::new()),
            _ => read.value.clone(),
        };
        for pointer in [Some(&resource.counts), resource.twin.as_ref()].into_iter().flatten() {
            put(&mut body, pointer, count.into());
        }
        let version = resource.version.as_deref().filter(|version| *version != "etag");
        if let Some((pointer, version)) = version.and_then(|it| Some((it, read.value.pointer(it)?)))
        {
            put(&mut body, pointer, version.clone());
        }
        body.to_string()
    }

    /// The count of each listed item, by its place among `items`; of others, nothing.
    pub(super) fn list(
        &self,
        client: &mut Client,
        items: [&Item; 2],
    ) -> Result<[Vec<u64>; 2], Stop> {
        let Some(list) = &self.resource().list else {
            return Err(Stop::Needs("The description has no `list`.".into()));
        };
        let (method, path) = split(list);
        let values = [
            ("a", items[0].id.clone()),
            ("b", items[1].id.clone()),
            ("mark", items[0].mark.clone()),
        ];
        let path = filled(path, &values);
        let answer = client.send(method, &path, "", "")?;
        let body = answer.json().filter(|_| answer.status == 200);
        let listed = body.as_ref().and_then(|body| body.pointer(&self.resource().items));
        let Some(listed) = listed.and_then(Value::as_array) else {
            let text = format!("{method} {path} answered {}", answer.shown());
            return Err(Stop::Wrong(sentence(&text)));
        };
        let mut counts = [Vec::new(), Vec::new()];
        for value in listed {
            for (item, counts) in items.iter().zip(&mut counts) {
                if self.is_of(value, item) {
                    counts.push(self.count(value)?);
                }
            }
        }
        Ok(counts)
    }

    /// How many items of this mark are listed; `None` if lists do not choose by mark.
    pub(super) fn count_of_mark(
        &self,
        client: &mut Client,
        item: &Item,
    ) -> Result<Option<usize>, Stop> {
        match &self.resource().list {
            Some(list) if has(list, "mark") => {
                let (method, path) = split(list);
                let path = filled(path, &[("mark", item.mark.clone())]);
                let answer = client.send(method, &path, "", "")?;
                let body = answer.json().unwrap_or_default();
                let listed = body.pointer(&self.resource().items).and_then(Value::as_array);
                Ok(listed.map(Vec::len))
            }
            _ => Ok(None),
        }
    }

    /// Whether a listed value is this item: it has its id where a new one has it, or its mark or key
    /// in one of its members.
    fn is_of(&self, value: &Value, item: &Item) -> bool {
        match self.resource().id.as_str() {
            "location" | "key" => {
                let texts = value.as_object().into_iter().flat_map(Map::values).map(as_text);
                let mut texts =
                    texts.filter(|text| *text == item.id || *text == item.key.to_string());
                texts.next().is_some()
            }
            pointer => value.pointer(pointer).map(as_text).is_some_and(|id| id == item.id),
        }
    }

    /// Deletes the items of the trials, where the description says how. What is not deleted stays.
    pub(super) fn clean_up(&self) {
        let (Some(delete), Ok(mut client)) = (&self.resource().delete, self.client()) else {
            return;
        };
        let (method, path) = split(delete);
        let made = std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner));
        for item in made {
            if client.send(method, &filled(path, &values_of(&item)), "", "").is_err() {
                return;
            }
        }
    }
}

fn values_of(item: &Item) -> [(&'static str, String); 3] {
    [("id", item.id.clone()), ("key", item.key.to_string()), ("mark", item.mark.clone())]
}

fn message(stop: Stop) -> Failed {
    match stop {
        Stop::Wrong(text) | Stop::Needs(text) | Stop::Broken(text) => Failed::check(text),
    }
}

/// A whole number; databases may write it as `7.0`.
fn whole(value: &Value) -> Option<u64> {
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0).map(|it| it as u64))
}

/// A text without its quotes, anything else as JSON.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn last_segment(location: &str) -> String {
    let path = location.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned()
}

/// Sets the member at a pointer, with the objects above it.
fn put(value: &mut Value, pointer: &str, number: Value) {
    let mut place = value;
    for name in pointer.split('/').skip(1) {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        let Some(members) = place.as_object_mut() else { return };
        place = members.entry(name.replace("~1", "/").replace("~0", "~")).or_insert(Value::Null);
    }
    *place = number;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_set_by_their_pointers() {
        let mut value = serde_json::json!({"a": 1, "b": {"c": 2}});
        put(&mut value, "/b/c", 3.into());
        put(&mut value, "/d/e", 4.into());
        assert_eq!(value, serde_json::json!({"a": 1, "b": {"c": 3}, "d": {"e": 4}}));
        assert_eq!(last_segment("http://h/a/7/?x"), "7");
        assert_eq!(
            [whole(&7.into()), whole(&serde_json::json!(7.0)), whole(&serde_json::json!(7.5))],
            [Some(7), Some(7), None]
        );
    }
}
