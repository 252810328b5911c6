//! The description of a service: the paths of one resource, the member that counts, how versions are
//! sent, the header of idempotency keys, heavy requests, and a command that kills and restarts it.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::template::{filled, has, names};
use crate::workload::file::Problem;

/// A service.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The resource that the trials use.
    pub resource: Resource,
    /// Idempotency keys, if the service takes them.
    pub idempotency: Option<Idempotency>,
    /// What burdens the service, and how long others may wait meanwhile.
    pub bystander: Option<Bystander>,
    /// How the service is killed and started again.
    pub kill: Option<Kill>,
}

/// A resource. Requests are a method and a path below the base URL, such as `POST /team/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// Creates an item.
    pub create: String,
    /// The JSON of a new item, with `${key}`, `${mark}` and `${count}`.
    pub body: String,
    /// Where the id of a new item is found: a JSON pointer into the response, `location` (the last
    /// segment of the header) or `key`, where the client chooses it.
    #[serde(default = "location")]
    pub id: String,
    /// Reads an item, by `${id}`.
    pub read: String,
    /// Changes an item, by `${id}`: PUT sends the document as it was read with another count, PATCH
    /// the changed members alone.
    pub update: Option<String>,
    /// The JSON of a change, where it is neither; with `${count}`, `${id}`, `${key}`, `${mark}`,
    /// `${version}`.
    pub change: Option<String>,
    /// Lists items, by `${a}` and `${b}`, the ids of two, or by `${mark}`.
    pub list: Option<String>,
    /// The JSON pointer of the items in a list; an empty text for the whole response.
    #[serde(default = "items")]
    pub items: String,
    /// Deletes an item, by `${id}`; without it, the items of the trials stay.
    pub delete: Option<String>,
    /// The JSON pointer of a whole number in an item.
    pub counts: String,
    /// The JSON pointer of another number that is written with the same value.
    pub twin: Option<String>,
    /// How a version is sent: `etag` (in `If-Match`), or the JSON pointer of a member.
    pub version: Option<String>,
    /// The statuses of a write with a version that is not current.
    #[serde(default = "conflicts")]
    pub conflict: Vec<u16>,
    /// More headers of each request.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

/// Idempotency keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Idempotency {
    /// The header, such as `Idempotency-Key`.
    pub header: String,
}

/// Heavy requests, and how long a small read of another user may take meanwhile.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bystander {
    /// Requests without a body, such as searches that no index serves.
    pub heavy: Vec<String>,
    /// How much longer than twice as long as alone 99 of 100 reads may take.
    #[serde(default = "within", deserialize_with = "duration")]
    pub within: Duration,
    /// How long the longest may take.
    #[serde(default = "most", deserialize_with = "duration")]
    pub most: Duration,
}

/// The end of a service, and its next start.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kill {
    /// A command of the shell that kills the service and starts it again.
    pub command: String,
}

fn within() -> Duration {
    Duration::from_millis(50)
}

fn most() -> Duration {
    Duration::from_millis(250)
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    humantime::parse_duration(&text).map_err(serde::de::Error::custom)
}

fn location() -> String {
    "location".to_owned()
}

fn items() -> String {
    "/items".to_owned()
}

fn conflicts() -> Vec<u16> {
    vec![409, 412]
}

/// The names of each template.
const OF_BODY: &[&str] = &["key", "mark", "count"];
const OF_ITEM: &[&str] = &["id", "key", "mark"];
const OF_CHANGE: &[&str] = &["id", "key", "mark", "count", "version"];
const OF_LIST: &[&str] = &["a", "b", "mark"];

impl Description {
    /// Checks what the form alone does not say.
    ///
    /// # Errors
    /// The first mistake, with its key.
    pub fn check(&self) -> Result<(), Problem> {
        let resource = &self.resource;
        request("create", &resource.create, &["POST", "PUT"], OF_BODY)?;
        request("read", &resource.read, &["GET"], OF_ITEM)?;
        let others = [
            ("update", &resource.update, &["PUT", "PATCH", "POST"][..], OF_ITEM),
            ("list", &resource.list, &["GET"], OF_LIST),
            ("delete", &resource.delete, &["DELETE"], OF_ITEM),
        ];
        for (key, text, methods, known) in others {
            if let Some(text) = text {
                request(key, text, methods, known)?;
            }
        }
        known("resource.body", &resource.body, OF_BODY)?;
        known("resource.change", resource.change.as_deref().unwrap_or_default(), OF_CHANGE)?;
        let pointers = [
            ("counts", Some(&resource.counts)),
            ("twin", resource.twin.as_ref()),
            ("version", resource.version.as_ref().filter(|version| *version != "etag")),
            ("id", Some(&resource.id).filter(|id| !["location", "key"].contains(&&***id))),
            ("items", Some(&resource.items).filter(|items| !items.is_empty())),
        ];
        for (key, pointer) in pointers {
            if pointer.is_some_and(|pointer| !pointer.starts_with('/')) {
                let message = "it is a JSON pointer, which begins with `/`";
                return Err(problem(&format!("resource.{key}"), message, None));
            }
        }
        self.check_heavy()?;
        self.check_body()
    }

    /// Heavy requests are requests, and there is one.
    fn check_heavy(&self) -> Result<(), Problem> {
        let Some(bystander) = &self.bystander else { return Ok(()) };
        if bystander.heavy.is_empty() {
            let hint = "Such as: heavy = ['GET /items/?name=a']".to_owned();
            return Err(problem("bystander.heavy", "it has no request", Some(hint)));
        }
        bystander.heavy.iter().try_for_each(|text| request("bystander.heavy", text, &["GET"], &[]))
    }

    /// The body is an object with the counting members.
    fn check_body(&self) -> Result<(), Problem> {
        let resource = &self.resource;
        let sample = OF_BODY.iter().map(|name| (*name, "1".to_owned())).collect::<Vec<_>>();
        let body: Value = serde_json::from_str(&filled(&resource.body, &sample))
            .map_err(|error| problem("resource.body", &format!("it is not JSON: {error}"), None))?;
        for (key, pointer) in [("counts", Some(&resource.counts)), ("twin", resource.twin.as_ref())]
        {
            let Some(pointer) = pointer else { continue };
            if !body.pointer(pointer).is_some_and(Value::is_number) {
                let message = format!("`body` has no number at {pointer}");
                let hint = format!("Such as: body = '{{\"{}\": ${{count}}}}'", &pointer[1..]);
                return Err(problem(&format!("resource.{key}"), &message, Some(hint)));
            }
        }
        if resource.id == "key"
            && ![&resource.create, &resource.body].iter().any(|text| has(text, "key"))
        {
            let message = "the client chooses the id, and neither `create` nor `body` has ${key}";
            return Err(problem("resource.id", message, None));
        }
        if !has(&resource.read, "id") {
            return Err(problem("resource.read", "it has no ${id}", None));
        }
        Ok(())
    }
}

/// Method and path of a request.
pub(super) fn split(request: &str) -> (&str, &str) {
    request.split_once(' ').map_or((request, "/"), |(method, path)| (method, path.trim()))
}

fn request(key: &str, text: &str, methods: &[&str], names: &[&str]) -> Result<(), Problem> {
    let (method, path) = split(text);
    let key = if key.contains('.') { key.to_owned() } else { format!("resource.{key}") };
    if !methods.contains(&method) || !path.starts_with('/') {
        let message = format!("it is {} and a path, such as {:?}", methods.join(" or "), {
            format!("{} /items/", methods[0])
        });
        return Err(problem(&key, &message, None));
    }
    known(&key, text, names)
}

fn known(key: &str, text: &str, allowed: &[&str]) -> Result<(), Problem> {
    match names(text).find(|name| !allowed.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let all: Vec<String> = allowed.iter().map(|name| format!("${{{name}}}")).collect();
            let hint = format!("There are {}.", all.join(", "));
            Err(problem(key, &format!("there is no ${{{name}}}"), Some(hint)))
        }
    }
}

fn problem(key: &str, message: &str, hint: Option<String>) -> Problem {
    Problem { key: key.to_owned(), message: message.to_owned(), hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(more: &[(&str, &str)]) -> Description {
        let mut resource = serde_json::json!({
            "create": "POST /team/", "body": "{\"id\": ${key}, \"n\": ${count}}", "id": "/id",
            "read": "GET /team/${id}", "counts": "/n",
        });
        for (name, value) in more {
            resource[*name] = (*value).into();
        }
        serde_json::from_value(serde_json::json!({ "resource": resource })).unwrap()
    }

    #[test]
    fn mistakes_have_their_keys() {
        description(&[]).check().unwrap();
        for (name, value, said) in [
            ("create", "DELETE /team/", "it is POST or PUT and a path"),
            ("read", "GET /team/", "it has no ${id}"),
            ("update", "PUT /team/${idd}", "there is no ${idd}"),
            ("body", "{", "it is not JSON"),
            ("body", "{\"id\": ${key}}", "`body` has no number at /n"),
            ("counts", "n", "it is a JSON pointer"),
            ("version", "_version", "it is a JSON pointer"),
        ] {
            let problem = description(&[(name, value)]).check().unwrap_err();
            assert!(problem.message.contains(said), "{name}: {problem:?}");
        }
        assert_eq!(split("PUT /a/${id}"), ("PUT", "/a/${id}"));
        for (heavy, said) in [(&[][..], "it has no request"), (&["/a"][..], "it is GET and a path")]
        {
            let mut wrong = description(&[]);
            let heavy = heavy.iter().map(|text| (*text).to_owned()).collect();
            wrong.bystander = Some(Bystander { heavy, within: within(), most: most() });
            let problem = wrong.check().unwrap_err();
            assert!(
                problem.key == "bystander.heavy" && problem.message.contains(said),
                "{problem:?}"
            );
        }
    }
}
