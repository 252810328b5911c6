//! What is stored for a body: its members, those that the server sets, and defaults, as canonical text.

use std::borrow::Cow;
use std::sync::Arc;

use duet_document::write_canonical;
use duet_model::key::parse_text;
use duet_model::row_tree::pointer;
use duet_model::{Code, Error, Place, Result, Type, Value};
use duet_text::json::{Json, JsonKind, JsonMember};
use duet_text::problem::quoted;

use crate::{Collection, conversions, fields};

/// The member with the number of changes.
const VERSION: &str = "_version";
/// The characters of a version at most that a refusal shows.
const SHOWN: usize = 40;
/// The members of the metadata with users.
const CREATED_BY: &str = "createdByUserId";
const UPDATED_BY: &str = "updatedByUserId";
/// The versions that there are before they begin again.
const VERSIONS: u64 = 1 << 31;

/// When and by whom a document is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time, as RFC 3339 with milliseconds.
    pub time: String,
    /// The user, where one is known. Documents whose schema has a UUID there name no other user.
    pub user: Option<Arc<str>>,
}

/// A document in its stored form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletedDocument {
    /// Its canonical text.
    pub text: String,
}

impl Collection {
    /// Completes a new document, which has this key where the body gives none.
    ///
    /// # Errors
    /// [`Code::DocumentSchema`] for a key or reference that is no UUID, and for what cannot be stored.
    pub fn created<'t>(
        &'t self,
        body: Json<'t>,
        key: &'t str,
        now: &'t Moment,
    ) -> Result<CompletedDocument> {
        self.completed(body, None, key, now)
    }

    /// Completes a document that takes the place of the stored one with this key.
    ///
    /// # Errors
    /// As [`Collection::created`], and [`Code::DocumentVersion`] where the body has another version than the
    /// stored document.
    pub fn replaced<'t>(
        &'t self,
        body: Json<'t>,
        stored: &'t Json<'t>,
        key: &'t str,
        now: &'t Moment,
    ) -> Result<CompletedDocument> {
        self.completed(body, Some(stored), key, now)
    }

    /// Refuses a patch that says nothing of the version that it changes: merged into the stored document, it would
    /// have that one's.
    ///
    /// # Errors
    /// [`Code::DocumentVersion`].
    pub fn check_patch(&self, patch: &Json<'_>, stored: &Json<'_>) -> Result<()> {
        let is_there = stored.get(VERSION).is_some_and(|value| !value.is_null());
        if !self.declaration.versioned || !is_there || patch.get(VERSION).is_some() {
            return Ok(());
        }
        let message = "The patch does not say which _version it changes. Nothing was changed.";
        Err(Error::new(Code::DocumentVersion, message)
            .at(Place::Pointer(format!("/{VERSION}")))
            .hint("Send the _version that was read, or its etag in If-Match."))
    }

    /// Whether the path alone says which document a body is.
    pub fn path_decides_id(&self) -> bool {
        self.declaration.search.profile.path_decides_id()
    }

    fn completed<'t>(
        &'t self,
        body: Json<'t>,
        stored: Option<&'t Json<'t>>,
        key: &'t str,
        now: &'t Moment,
    ) -> Result<CompletedDocument> {
        // Members that are made here live shorter than the body.
        let mut body: Json<'_> = body;
        if self.declaration.search.profile.converts_bodies() {
            conversions::convert(&self.parsed, &mut body);
        }
        let version = self.version(&body, stored)?;
        let JsonKind::Object(members) = &mut body.kind else {
            let message = format!("A document must be an object, not {}.", body.kind.noun());
            return Err(Error::new(Code::MemberValue, message).at(Place::Pointer(String::new())));
        };
        members.retain(|member| !self.declaration.ignored.iter().any(|name| *name == member.name));
        if self.declaration.metadata {
            set(members, "metadata", self.metadata(stored, now));
        }
        if let Some(version) = &version {
            set(members, VERSION, Json::new(JsonKind::Number(version)));
        }
        if stored.is_some() && self.declaration.search.profile.path_decides_id() {
            set(
                members,
                duet_model::collection::KEY,
                Json::new(JsonKind::Text(Cow::Borrowed(key))),
            );
        }
        give_key(members, key)?;
        for reference in &self.declaration.references {
            uuid_at(&mut body, &reference.path)?;
        }
        self.defaults.add(&mut body);
        let mut text = Vec::new();
        write_canonical(&body, &mut text).map_err(|wrong| {
            Error::new(Code::DocumentSchema, wrong.message).at(Place::Pointer(wrong.pointer))
        })?;
        let text = String::from_utf8(text).map_err(Error::internal)?;
        Ok(CompletedDocument { text })
    }

    /// The version that the document gets.
    fn version(&self, body: &Json<'_>, stored: Option<&Json<'_>>) -> Result<Option<String>> {
        if !self.declaration.versioned {
            return Ok(None);
        }
        let Some(stored) = stored else { return Ok(Some("1".to_owned())) };
        let given = body.get(VERSION).filter(|value| !value.is_null());
        let known = stored.get(VERSION).filter(|value| !value.is_null());
        if given != known {
            let shown = |version: Option<&Json<'_>>| {
                let Some(version) = version else { return "null".to_owned() };
                let mut text = String::new();
                version.write(&mut text);
                text.chars().take(SHOWN).collect::<String>()
            };
            let message = format!(
                "Stored _version is {}, _version of request is {}: the document has changed since it was read. Nothing was changed.",
                shown(known),
                shown(given)
            );
            return Err(Error::new(Code::DocumentVersion, message)
                .at(Place::Pointer(format!("/{VERSION}")))
                .hint("Read it again, repeat the change, and send the _version that was read."));
        }
        let number = match known.map(|value| &value.kind) {
            Some(JsonKind::Number(number)) => number.parse::<u64>().unwrap_or(0),
            _ => 0,
        };
        Ok(Some(((number + 1) % VERSIONS).to_string()))
    }

    /// The `metadata` that a document gets: who made it and when stays as it is stored.
    fn metadata<'t>(&self, stored: Option<&'t Json<'t>>, now: &'t Moment) -> Json<'t> {
        let text = |text: &'t str| Json::new(JsonKind::Text(Cow::Borrowed(text)));
        let before = stored.and_then(|stored| stored.get("metadata"));
        let created = |name| before.and_then(|before| before.get(name)).cloned();
        let first = stored.is_none();
        let made = created("createdDate").or_else(|| first.then(|| text(&now.time)));
        let by = || self.user_text(now, CREATED_BY).filter(|_| first);
        let pairs = [
            ("createdDate", made),
            (CREATED_BY, created(CREATED_BY).or_else(by)),
            ("updatedDate", Some(text(&now.time))),
            (UPDATED_BY, self.user_text(now, UPDATED_BY)),
        ];
        let mut members = Vec::new();
        for (name, value) in pairs {
            members.extend(value.map(|value| JsonMember {
                at: 0,
                name: Cow::Borrowed(name),
                value,
            }));
        }
        Json::new(JsonKind::Object(members))
    }

    /// The user as this member of the metadata names it: in canonical form where the schema has a UUID there.
    fn user_text<'t>(&self, now: &'t Moment, member: &str) -> Option<Json<'t>> {
        let user = now.user.as_deref()?;
        let user = match self.uuid_users.contains(&member) {
            false => Cow::Borrowed(user),
            true => match parse_text(&Type::Uuid, user).ok()? {
                Value::Text(user) => Cow::Owned(user),
                _ => return None,
            },
        };
        Some(Json::new(JsonKind::Text(user)))
    }
}

/// The members of the metadata that name users and must be UUIDs by the schema.
pub(crate) fn uuid_users(schema: &serde_json::Value) -> Vec<&'static str> {
    let is_uuid = |member: &&str| fields::takes_uuid(schema, &["metadata", member]);
    [CREATED_BY, UPDATED_BY].into_iter().filter(is_uuid).collect()
}

/// Sets a member.
fn set<'t>(members: &mut Vec<JsonMember<'t>>, name: &'t str, value: Json<'t>) {
    members.retain(|member| member.name != name);
    members.push(JsonMember { at: 0, name: Cow::Borrowed(name), value });
}

/// Gives a document its key, unless it has one.
fn give_key<'t>(members: &mut Vec<JsonMember<'t>>, key: &'t str) -> Result<()> {
    let name = duet_model::collection::KEY;
    match members.iter_mut().find(|member| member.name == name) {
        Some(member) if !member.value.is_null() => as_uuid(&mut member.value, name),
        _ => {
            set(members, name, Json::new(JsonKind::Text(Cow::Borrowed(key))));
            Ok(())
        }
    }
}

/// Brings the UUID at a path into its canonical form.
fn uuid_at(body: &mut Json<'_>, path: &str) -> Result<()> {
    let mut at = body;
    for step in path.split('.') {
        let JsonKind::Object(members) = &mut at.kind else { return Ok(()) };
        let Some(member) = members.iter_mut().find(|member| member.name == step) else {
            return Ok(());
        };
        at = &mut member.value;
    }
    if at.is_null() { Ok(()) } else { as_uuid(at, path) }
}

fn as_uuid(value: &mut Json<'_>, path: &str) -> Result<()> {
    let canonical = match &value.kind {
        JsonKind::Text(text) => parse_text(&Type::Uuid, text).ok(),
        _ => None,
    };
    let Some(Value::Text(canonical)) = canonical else {
        let place = path.split('.').fold(String::new(), |at, step| pointer(&at, step));
        let message = format!("{} must be a UUID.", quoted(path));
        return Err(Error::new(Code::DocumentSchema, message).at(Place::Pointer(place)));
    };
    if !matches!(&value.kind, JsonKind::Text(text) if **text == canonical) {
        value.kind = JsonKind::Text(Cow::Owned(canonical));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use duet_text::json::{BODY, STORED, read};

    use super::*;
    use crate::{Declaration, Reference};

    const KEY: &str = "11111111-1111-4111-8111-111111111111";

    fn collection() -> Collection {
        let schema = r#"{"properties": {"id": {"type": "string"}, "order": {"type": "string"},
            "status": {"type": "string", "default": "Pending"}}}"#;
        let references = vec![Reference::new("order", "orders")];
        let declaration =
            Declaration { metadata: true, versioned: true, references, ..Declaration::new("a") };
        Collection::new(declaration, schema).unwrap()
    }

    fn moment(time: &str, user: Option<&str>) -> Moment {
        Moment { time: time.to_owned(), user: user.map(Arc::from) }
    }

    #[test]
    fn the_server_sets_its_members() {
        let collection = collection();
        let body = read(r#"{"b": 1e1, "metadata": {"x": 1}}"#, &BODY, 8).unwrap();
        let now = moment("T1", Some("u"));
        let made = collection.created(body, KEY, &now).unwrap().text;
        assert_eq!(
            made,
            format!(
                r#"{{"b":10,"id":"{KEY}","status":"Pending","_version":1,"metadata":{{"createdDate":"T1","updatedDate":"T1","createdByUserId":"u","updatedByUserId":"u"}}}}"#
            )
        );
        let stored = read(&made, &STORED, 8).unwrap();
        let body = read(r#"{"_version": 1, "status": "Open"}"#, &BODY, 8).unwrap();
        let later = moment("T2", None);
        let changed = collection.replaced(body, &stored, KEY, &later).unwrap().text;
        assert_eq!(
            changed,
            format!(
                r#"{{"id":"{KEY}","status":"Open","_version":2,"metadata":{{"createdDate":"T1","updatedDate":"T2","createdByUserId":"u"}}}}"#
            )
        );
        for body in ["{}", r#"{"_version": 2}"#] {
            let body = read(body, &BODY, 8).unwrap();
            let error = collection.replaced(body, &stored, KEY, &later).unwrap_err();
            assert_eq!(error.code, Code::DocumentVersion);
        }
    }

    #[test]
    fn keys_are_uuids() {
        let collection = collection();
        let now = Moment::default();
        let made = |body: &'static str| {
            let body = read(body, &BODY, 8).unwrap();
            collection.created(body, KEY, &now).map(|completed| completed.text)
        };
        let upper = made(r#"{"id": "AAAAAAAA-1111-4111-8111-111111111111"}"#).unwrap();
        assert!(upper.contains("\"id\":\"aaaaaaaa-1111"), "{upper}");
        for (body, place) in [(r#"{"id": "7"}"#, "/id"), (r#"{"order": 7}"#, "/order")] {
            let error = made(body).unwrap_err();
            assert_eq!(
                (error.code, error.place),
                (Code::DocumentSchema, Some(Place::Pointer(place.into())))
            );
        }
    }
}
