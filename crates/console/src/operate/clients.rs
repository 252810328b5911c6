//! The page of a server's clients: made, given new secrets and removed, after a question that says what it does.

use askama::Template;
use serde_json::Value;

use super::question::{Question, ShownSecret};
use crate::address::encoded;
use crate::page::{Frame, Problem, rendered};

/// A client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its roles.
    pub roles: Vec<String>,
    /// The role of the database, and the tenant, in words.
    pub limits: String,
    /// What it is if it is no plain client: an API key or a link, with its limits.
    pub credential: Option<String>,
    /// Whether it has signed in here.
    pub is_own: bool,
}

impl Client {
    /// Reads a client of the API; `own` is the name of that which has signed in.
    ///
    /// ```
    /// use duet_console::operate::clients::Client;
    /// let it = serde_json::json!({ "id": "a", "name": "till", "roles": ["duet.read"], "dbRole": "clerk", "tenant": null });
    /// let client = Client::of(&it, "till");
    /// assert_eq!((&*client.limits, client.is_own), ("as clerk", true));
    /// ```
    pub fn of(it: &Value, own: &str) -> Self {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        let roles = it["roles"].as_array().into_iter().flatten();
        let limits = [("dbRole", "as"), ("tenant", "of")];
        let limits = limits.iter().filter_map(|(member, word)| {
            it[*member].as_str().map(|value| format!("{word} {value}"))
        });
        Self {
            id: text("id"),
            name: text("name"),
            roles: roles.filter_map(Value::as_str).map(str::to_owned).collect(),
            limits: limits.collect::<Vec<_>>().join(", "),
            credential: match (it.get("apiKey"), it.get("link")) {
                (Some(key), _) => Some(key_in_words(key)),
                (None, link) => link.map(link_in_words),
            },
            is_own: text("name") == own,
        }
    }
}

/// An API key in words: the days, as the table has little room.
fn key_in_words(it: &Value) -> String {
    let day = |name: &str| it[name].as_str().map(|text| text.get(..10).unwrap_or(text));
    let expires = match (day("expires"), it["expired"] == true) {
        (Some(day), true) => format!("expired {day}"),
        (Some(day), false) => format!("until {day}"),
        (None, _) => "does not expire".to_owned(),
    };
    let used = day("lastUsed").map_or("never used".to_owned(), |day| format!("last used {day}"));
    format!("API key: {expires}, {used}")
}

/// A link in words.
fn link_in_words(it: &Value) -> String {
    let text = |name: &str| it[name].as_str().unwrap_or_default();
    let operations = it["operations"].as_array().into_iter().flatten();
    let operations: Vec<_> = operations.filter_map(Value::as_str).collect();
    let day = text("expires").get(..10).unwrap_or_default();
    let end = if it["ended"] == true { "ended, valid until" } else { "until" };
    let of = it["of"].as_str().unwrap_or("a removed client");
    let uses = it["uses"].as_u64().map(|uses| format!(", {} of {uses} uses", it["used"]));
    let (path, uses) = (text("path"), uses.unwrap_or_default());
    format!("link to {path} for {of}: {}, {end} {day}{uses}", operations.join(" "))
}

/// The roles of a client that are changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleChoice {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The roles to choose from, each with whether it has it.
    pub roles: Vec<(String, bool)>,
}

/// Clients that an application keeps itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplicationClients {
    /// The application.
    pub application: String,
    /// Where it keeps them: `memory`, `file` or `database`.
    pub source: String,
    /// They.
    pub clients: Vec<Client>,
}

/// A privilege that an application declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivilegeRow {
    /// The application.
    pub application: String,
    /// Its name.
    pub name: String,
    /// The roles that have it, the operations that it allows, and the paths that these are for.
    pub lists: [String; 3],
}

impl PrivilegeRow {
    /// Reads one of the API.
    ///
    /// ```
    /// use duet_console::operate::clients::PrivilegeRow;
    /// let it = serde_json::json!({ "application": "shop", "name": "edit", "roles": ["a", "b"], "operations": ["read"],
    ///     "patterns": ["/x/*"] });
    /// assert_eq!(PrivilegeRow::of(&it).lists, ["a, b", "read", "/x/*"].map(str::to_owned));
    /// ```
    pub fn of(it: &Value) -> Self {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        let lists = ["roles", "operations", "patterns"].map(|name| {
            let items = it[name].as_array().into_iter().flatten().filter_map(Value::as_str);
            items.collect::<Vec<_>>().join(", ")
        });
        Self { application: text("application"), name: text("name"), lists }
    }
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Clients {
    /// Where they are kept: `memory`, `file` or `database`.
    pub source: String,
    /// Whether they are those of the run, which end with the first that is added.
    pub of_run: bool,
    /// The clients in force.
    pub clients: Vec<Client>,
    /// Those of applications that keep clients of their own.
    pub of_applications: Vec<ApplicationClients>,
    /// The privileges that applications declare for roles.
    pub privileges: Vec<PrivilegeRow>,
    /// Roles that may be given.
    pub roles: Vec<String>,
    /// The client whose roles are changed.
    pub changed: Option<RoleChoice>,
    /// The name and the roles in the form.
    pub typed: (String, Vec<String>),
    /// What is asked.
    pub question: Option<Question>,
    /// What was done.
    pub done: Option<String>,
    /// The secret that is shown this once.
    pub secret: Option<ShownSecret>,
    /// What went wrong.
    pub problem: Option<Problem>,
    /// Whether the console only looks.
    pub is_read_only: bool,
}

impl Clients {
    /// Whether clients can be changed.
    fn may_change(&self) -> bool {
        !self.is_read_only && self.source != "memory"
    }

    fn is_typed(&self, role: &str) -> bool {
        self.typed.1.iter().any(|typed| typed == role)
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "operate/clients.html")]
pub struct ClientsPage<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub shown: &'a Clients,
}

impl ClientsPage<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    fn encoded(&self, text: &str) -> String {
        encoded(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_are_shown_with_their_limits() {
        let key = json!({ "expires": "2027-01-02T00:00:00Z", "expired": false, "lastUsed": null });
        let mut link = json!({
            "path": "/api/main/t/", "operations": ["read", "update"], "of": "etl", "ended": false,
            "expires": "2027-01-02T00:00:00Z", "uses": 3, "used": 1,
        });
        let words = |it: &Value| Client::of(it, "").credential.unwrap_or_default();
        assert_eq!(words(&json!({ "apiKey": key })), "API key: until 2027-01-02, never used");
        let expected = "link to /api/main/t/ for etl: read update, until 2027-01-02, 1 of 3 uses";
        assert_eq!(words(&json!({ "link": link })), expected);
        (link["uses"], link["of"], link["ended"]) = (Value::Null, Value::Null, true.into());
        let expected =
            "link to /api/main/t/ for a removed client: read update, ended, valid until 2027-01-02";
        assert_eq!(words(&json!({ "link": link })), expected);
    }
}
