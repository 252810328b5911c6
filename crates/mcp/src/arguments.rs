//! The arguments of a call, read strictly: a mistyped name that is ignored would do something else than was meant.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::tools::{ArgumentRow, TOOLS, ToolRow};

/// What a number may be at most, and what it is where it is not given.
#[derive(Clone, Copy)]
struct Bound {
    most: u64,
    default: u64,
}

/// The most rows of a query, and how many without a limit.
const LIMITS: Bound = Bound { most: 500, default: 25 };

/// The most users of a load test, and how many without a number.
const USERS: Bound = Bound { most: 64, default: 4 };

/// The longest load test in seconds, and how long it is without a number.
const SECONDS: Bound = Bound { most: 30, default: 5 };

/// Everything that is wrong with a call, in a sentence each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong(pub String);

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCall {
    /// `list`
    List(List),
    /// `describe`
    Describe(Describe),
    /// `query`
    Query(Query),
    /// `get`
    Get(Get),
    /// `explain`
    Explain(Query),
    /// `write`
    Write(Change),
    /// `measure`
    Measure(Load),
}

/// Which resources to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// Those with this word.
    pub search: Option<String>,
    /// Those after this path.
    pub after: Option<String>,
}

/// What to describe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Describe {
    /// The path of the resource.
    pub resource: String,
}

/// Which rows to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The path of the resource.
    pub resource: String,
    /// The conditions.
    pub filter: Option<Value>,
    /// The fields; all of them if there are none.
    pub fields: Vec<String>,
    /// The most rows.
    pub limit: u64,
    /// Rows before the first one.
    pub offset: u64,
}

/// Which row to read.
#[derive(Clone, Debug, PartialEq)]
pub struct Get {
    /// The path of the resource.
    pub resource: String,
    /// The values of the key.
    pub key: Vec<String>,
    /// The fields; all of them if there are none.
    pub fields: Vec<String>,
}

/// What to write.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The path of the resource.
    pub resource: String,
    /// What to do.
    pub operation: WriteOperation,
    /// The values of the key; none of an insertion.
    pub key: Vec<String>,
    /// The document; none of a deletion.
    pub document: Option<Value>,
    /// What the row must have as its etag.
    pub etag: Option<String>,
    /// What a dry run has returned.
    pub token: Option<String>,
}

/// What `write` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOperation {
    /// `insert`
    Insert,
    /// `replace`
    Replace,
    /// `merge`
    Merge,
    /// `delete`
    Delete,
}

impl WriteOperation {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Insert, "insert"),
        (Self::Replace, "replace"),
        (Self::Merge, "merge"),
        (Self::Delete, "delete"),
    ];

    /// Its name.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(known, _)| *known == self).map_or("", |(_, word)| word)
    }
}

/// What to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The path of the resource.
    pub resource: String,
    /// `items` or `pages`.
    pub mix: String,
    /// Users at the same time.
    pub users: u32,
    /// Measured seconds.
    pub seconds: u64,
}

impl ToolCall {
    /// Reads a call; `None` where there is no such tool.
    ///
    /// ```
    /// use duet_mcp::{ToolCall, Wrong};
    /// let read = |name: &str, arguments: serde_json::Value| ToolCall::read(name, arguments.as_object()?);
    /// assert!(matches!(read("list", serde_json::json!({})), Some(Ok(ToolCall::List(_)))));
    /// let Some(Err(Wrong(why))) = read("list", serde_json::json!({ "serch": 1 })) else { panic!("taken") };
    /// assert_eq!(why, "`list` has no argument `serch`: it has search, after.");
    /// assert!(read("drop", serde_json::json!({})).is_none());
    /// ```
    pub fn read(name: &str, arguments: &JsonObject) -> Option<Result<Self, Wrong>> {
        let row = TOOLS.iter().find(|row| row.name == name)?;
        Some(check(row, arguments).and_then(|()| Arguments(arguments).call(name)))
    }

    /// The path of the resource that it is about.
    pub fn resource(&self) -> Option<&str> {
        match self {
            Self::List(_) => None,
            Self::Describe(it) => Some(&it.resource),
            Self::Query(it) | Self::Explain(it) => Some(&it.resource),
            Self::Get(it) => Some(&it.resource),
            Self::Write(it) => Some(&it.resource),
            Self::Measure(it) => Some(&it.resource),
        }
    }
}

/// Checks names and types.
fn check(row: &ToolRow, arguments: &JsonObject) -> Result<(), Wrong> {
    let mut wrong = Vec::new();
    for (name, value) in arguments {
        match row.arguments.iter().find(|it| it.name == name) {
            None => {
                let all: Vec<&str> = row.arguments.iter().map(|it| it.name).collect();
                let has = format!("it has {}", all.join(", "));
                wrong.push(format!("`{}` has no argument `{name}`: {has}.", row.name));
            }
            Some(argument) if !fits(argument, value) => {
                wrong.push(format!("`{name}` must be of the type {}.", type_of(argument)));
            }
            Some(_) => {}
        }
    }
    for missing in row.arguments.iter().filter(|it| it.required && !arguments.contains_key(it.name))
    {
        wrong.push(format!("`{}` needs `{}`: {}", row.name, missing.name, missing.about));
    }
    if wrong.is_empty() { Ok(()) } else { Err(Wrong(wrong.join(" "))) }
}

fn type_of(argument: &ArgumentRow) -> &'static str {
    if argument.ty.is_empty() { "string or number, or array of them" } else { argument.ty }
}

fn fits(argument: &ArgumentRow, value: &Value) -> bool {
    let is_scalar = |it: &Value| it.is_string() || it.is_number() || it.is_boolean();
    match argument.ty {
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "object" => value.is_object(),
        "array" => value.as_array().is_some_and(|list| list.iter().all(Value::is_string)),
        _ => is_scalar(value) || value.as_array().is_some_and(|list| list.iter().all(is_scalar)),
    }
}

/// Arguments of the right names and types.
struct Arguments<'a>(&'a JsonObject);

impl Arguments<'_> {
    fn call(&self, name: &str) -> Result<ToolCall, Wrong> {
        Ok(match name {
            "list" => {
                ToolCall::List(List { search: self.maybe("search"), after: self.maybe("after") })
            }
            "describe" => ToolCall::Describe(Describe { resource: self.text("resource") }),
            "query" => ToolCall::Query(self.query()?),
            "get" => ToolCall::Get(Get {
                resource: self.text("resource"),
                key: self.key(),
                fields: self.list("fields"),
            }),
            "explain" => ToolCall::Explain(self.query()?),
            "write" => ToolCall::Write(self.change()?),
            _ => ToolCall::Measure(self.load()?),
        })
    }

    fn query(&self) -> Result<Query, Wrong> {
        Ok(Query {
            resource: self.text("resource"),
            filter: self.0.get("filter").cloned(),
            fields: self.list("fields"),
            limit: self.number("limit", LIMITS)?,
            offset: self.0.get("offset").and_then(Value::as_u64).unwrap_or(0),
        })
    }

    fn change(&self) -> Result<Change, Wrong> {
        let word = self.text("operation");
        let known = WriteOperation::ALL.iter().find(|(_, known)| *known == word);
        let operation = known.map(|(operation, _)| *operation).ok_or_else(|| {
            Wrong("`operation` must be insert, replace, merge or delete.".to_owned())
        })?;
        let (has_key, has_document) = (self.0.contains_key("key"), self.0.contains_key("document"));
        let mut wrong = Vec::new();
        if has_key == (operation == WriteOperation::Insert) {
            let verb = if has_key { "takes no" } else { "needs a" };
            wrong.push(format!("`{word}` {verb} `key`."));
        }
        if has_document == (operation == WriteOperation::Delete) {
            let verb = if has_document { "takes no" } else { "needs a" };
            wrong.push(format!("`{word}` {verb} `document`."));
        }
        if self.0.contains_key("etag") && operation == WriteOperation::Insert {
            wrong.push("`insert` takes no `etag`.".to_owned());
        }
        if !wrong.is_empty() {
            return Err(Wrong(wrong.join(" ")));
        }
        Ok(Change {
            resource: self.text("resource"),
            operation,
            key: self.key(),
            document: self.0.get("document").cloned(),
            etag: self.maybe("etag"),
            token: self.maybe("token"),
        })
    }

    fn load(&self) -> Result<Load, Wrong> {
        let mix = self.maybe("mix").unwrap_or_else(|| "items".to_owned());
        if mix != "items" && mix != "pages" {
            return Err(Wrong("`mix` must be items or pages.".to_owned()));
        }
        let users = self.number("users", USERS)?;
        Ok(Load {
            resource: self.text("resource"),
            mix,
            users: u32::try_from(users).unwrap_or(u32::MAX),
            seconds: self.number("seconds", SECONDS)?,
        })
    }

    /// A number from 1 to the most, or the default.
    fn number(&self, name: &str, bound: Bound) -> Result<u64, Wrong> {
        let Bound { most, default } = bound;
        let number = self.0.get(name).and_then(Value::as_u64).unwrap_or(default);
        match (1..=most).contains(&number) {
            true => Ok(number),
            false => Err(Wrong(format!("`{name}` must be a number from 1 to {most}."))),
        }
    }

    fn maybe(&self, name: &str) -> Option<String> {
        self.0.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    fn text(&self, name: &str) -> String {
        self.maybe(name).unwrap_or_default()
    }

    fn list(&self, name: &str) -> Vec<String> {
        let list = self.0.get(name).and_then(Value::as_array).into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn key(&self) -> Vec<String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match self.0.get("key") {
            None => Vec::new(),
            Some(Value::Array(parts)) => parts.iter().map(text).collect(),
            Some(one) => vec![text(one)],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(name: &str, arguments: &Value) -> Result<ToolCall, Wrong> {
        ToolCall::read(name, arguments.as_object().unwrap()).unwrap()
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let Wrong(why) =
            read("query", &json!({ "filter": "x", "Limit": 5, "limit": -1 })).unwrap_err();
        for part in [
            "`filter` must be of the type object.",
            "`query` has no argument `Limit`",
            "`limit` must be of the type integer.",
            "`query` needs `resource`",
        ] {
            assert!(why.contains(part), "{part}: {why}");
        }
        assert!(read("query", &json!({ "resource": "/a", "limit": 501 })).is_err());
    }

    #[test]
    fn each_operation_has_its_own_arguments() {
        let write = |operation: &str, more: Value| {
            let mut all = json!({ "resource": "/a", "operation": operation });
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            read("write", &all)
        };
        let (key, both) = (json!({ "key": [1, "b"] }), json!({ "key": 1, "document": {} }));
        let document = json!({ "document": {} });
        for (operation, taken) in [
            ("insert", [false, false, true]),
            ("replace", [false, true, false]),
            ("merge", [false, true, false]),
            ("delete", [true, false, false]),
        ] {
            for (more, taken) in [&key, &both, &document].into_iter().zip(taken) {
                assert_eq!(write(operation, more.clone()).is_ok(), taken, "{operation} {more}");
            }
        }
        assert!(write("upsert", document).is_err());
        let ToolCall::Write(change) = write("delete", key).unwrap() else { panic!("no write") };
        assert_eq!(
            (change.key, change.operation.word()),
            (vec!["1".to_owned(), "b".to_owned()], "delete")
        );
    }
}
