//! What a page of the data is about: a mount, a resource of it, and a key.

use duet_console::address::{Place, encoded};
use duet_model::key::percent_decode;
use serde_json::Value;

use super::call::CallAnswer;
use super::visit::Visit;

/// A resource, and an item of it.
pub(super) struct At {
    /// The path of the mount.
    pub(super) mount: String,
    /// The resource's name.
    pub(super) resource: String,
    /// The key as it is encoded in addresses; empty for the resource itself.
    pub(super) key: String,
    /// Which page of it.
    pub(super) view: View,
}

/// A page of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// Its rows, or an item of it.
    Data,
    /// A new item.
    New,
    /// Its rows as a file.
    Export,
    /// Rows for it.
    Import,
    /// Its operations.
    Api,
    /// A load test.
    Measure,
    /// What a page of its rows does.
    Explain,
}

/// The pages of a resource, by the beginning of their paths.
const VIEWS: [(&str, View); 7] = [
    ("/data", View::Data),
    ("/new", View::New),
    ("/export", View::Export),
    ("/import", View::Import),
    ("/api", View::Api),
    ("/measure", View::Measure),
    ("/explain", View::Explain),
];

impl At {
    /// Reads the path of a page, such as `/data{mount}/{resource}/{key}`.
    pub(super) fn of(visit: &Visit<'_>, below: &str) -> Option<Self> {
        let mut views = VIEWS.iter();
        let (path, view) =
            views.find_map(|(start, view)| Some((below.strip_prefix(start)?, *view)))?;
        let worker = &visit.arrived.worker;
        let number = worker.shared.applications.find(path)?;
        let snapshot = worker.readers[number].snapshot();
        let (mount, tail) = snapshot.route(path)?;
        let (resource, key) = tail.trim_start_matches('/').split_once('/').unwrap_or((tail, ""));
        let resource = percent_decode(resource).ok().filter(|name| !name.is_empty())?;
        Some(Self { mount: mount.path.clone(), resource, key: key.to_owned(), view })
    }

    /// Its pages.
    pub(super) fn place<'p>(&'p self, visit: &'p Visit<'_>) -> Place<'p> {
        Place { base: visit.base(), mount: &self.mount, resource: &self.resource }
    }

    /// Its path in the API.
    pub(super) fn api(&self) -> String {
        format!("{}/{}/", self.mount, encoded(&self.resource))
    }

    /// The path of its item in the API.
    pub(super) fn item(&self) -> String {
        format!("{}{}", self.api(), self.key)
    }
}

/// Rows that are looked up beside one: as many as the API expands by default (`expand_relations`).
const REFERENCES: usize = 8;

/// What the catalog says of a resource.
pub(super) struct Facts {
    /// Its members, each with its type.
    pub(super) members: Vec<(String, String)>,
    /// The members of its key.
    pub(super) key: Vec<String>,
    /// `insert`, `update`, `delete`: what the caller may do.
    pub(super) operations: Vec<String>,
    /// Rows that it refers to, the first eight: the member that holds one where it is asked for, and the name of its resource.
    pub(super) refers: Vec<(String, String)>,
}

impl Facts {
    /// Asks for them.
    ///
    /// # Errors
    /// The answer, where it is no success.
    pub(super) async fn of(
        visit: &Visit<'_>,
        mount: &str,
        resource: &str,
    ) -> Result<Self, CallAnswer> {
        let target = format!("{mount}/metadata-catalog/{}/", encoded(resource));
        let called = visit.api().get(&target).await;
        if !called.status.is_success() {
            return Err(called);
        }
        let json = called.json();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let texts = |value: &Value| list(value).iter().map(text).collect();
        let members = list(&json["members"]);
        let refers = list(&json["expand"]);
        let resource_of = |it: &Value| {
            let described = text(&it["describedby"]);
            let name =
                described.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
            percent_decode(&name).unwrap_or(name)
        };
        let to_one = refers.iter().filter(|it| it["type"] == "OBJECT").take(REFERENCES);
        Ok(Self {
            members: members.iter().map(|it| (text(&it["name"]), text(&it["type"]))).collect(),
            key: texts(&json["primarykey"]),
            operations: match visit.options.read_only {
                true => Vec::new(),
                false => texts(&json["operations"]),
            },
            refers: to_one.map(|it| (text(&it["name"]), resource_of(it))).collect(),
        })
    }

    /// Whether the caller may do this.
    pub(super) fn may(&self, operation: &str) -> bool {
        self.operations.iter().any(|it| it == operation)
    }

    /// The parameter that has the rows sent to which it refers.
    pub(super) fn expand(&self) -> String {
        self.refers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(",")
    }

    /// The page of a row of this resource, by the row's members.
    pub(super) fn page_of(&self, place: Place<'_>, row: &Value) -> Option<String> {
        let part = |name: &String| match &row[name] {
            Value::Null | Value::Array(_) | Value::Object(_) => None,
            Value::String(text) if text.is_empty() => Some("''".to_owned()),
            Value::String(text) => Some(encoded(text)),
            other => Some(encoded(&other.to_string())),
        };
        let parts: Option<Vec<String>> = self.key.iter().map(part).collect();
        parts
            .filter(|parts| !parts.is_empty())
            .map(|parts| format!("{}{}", place.rows(), parts.join(",")))
    }
}
