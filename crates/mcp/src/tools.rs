//! The tools: few, whatever number of tables there is, because their list is read before every conversation.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

/// What the server lets its agents do, beyond reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgentRights {
    /// Whether they may write, where the caller may.
    pub write: bool,
    /// Whether they may start load tests.
    pub measure: bool,
}

/// What a tool needs to be offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: it reads.
    Read,
    /// [`AgentRights::write`]
    Write,
    /// [`AgentRights::measure`]
    Measure,
}

/// A tool.
#[derive(Debug)]
pub struct ToolRow {
    /// Its name.
    pub name: &'static str,
    /// What it needs.
    pub need: Need,
    /// What it does, for the agent.
    pub about: &'static str,
    /// Its arguments.
    pub arguments: &'static [ArgumentRow],
}

/// An argument of a tool.
#[derive(Debug)]
pub struct ArgumentRow {
    /// Its name.
    pub name: &'static str,
    /// The JSON Schema's type, or nothing for any value.
    pub ty: &'static str,
    /// Whether a call must have it.
    pub required: bool,
    /// What it is.
    pub about: &'static str,
}

const fn needed(name: &'static str, ty: &'static str, about: &'static str) -> ArgumentRow {
    ArgumentRow { name, ty, required: true, about }
}

const fn optional(name: &'static str, ty: &'static str, about: &'static str) -> ArgumentRow {
    ArgumentRow { name, ty, required: false, about }
}

const RESOURCE: ArgumentRow = needed("resource", "string", "Its path, as `list` has it.");
const FILTER: ArgumentRow = optional(
    "filter",
    "object",
    "Conditions by field, such as {\"points\":{\"$gte\":10},\"team.name\":\"Reds\"}; also $ne, $lt, $lte, $gt, $in, $like, $null, \
     $and, $or, $not; \"$orderby\":{\"points\":\"DESC\"}.",
);
const FIELDS: ArgumentRow =
    optional("fields", "array", "The fields to return, as dotted paths. Fewer fields, more rows.");
const OFFSET: ArgumentRow = optional("offset", "integer", "Rows before the first one.");
const LIMIT: ArgumentRow = optional("limit", "integer", "The most rows, 1 to 500; by default 25.");

/// The tools, in the order in which they are offered.
pub const TOOLS: [ToolRow; 7] = [
    ToolRow {
        name: "list",
        need: Need::Read,
        about: "Lists what you may use, one line each: path, kind, what you may do, comment.",
        arguments: &[
            optional("search", "string", "Only those with this word in path or comment."),
            optional("after", "string", "Begin after this path: `next` of the answer before."),
        ],
    },
    ToolRow {
        name: "describe",
        need: Need::Read,
        about: "Describes a resource: its key, fields with types, and what you may do.",
        arguments: &[RESOURCE],
    },
    ToolRow {
        name: "query",
        need: Need::Read,
        about: "Returns rows of a resource, in a stable order.",
        arguments: &[RESOURCE, FILTER, FIELDS, LIMIT, OFFSET],
    },
    ToolRow {
        name: "get",
        need: Need::Read,
        about: "Returns one row or document by its key, with the etag that `write` takes.",
        arguments: &[
            RESOURCE,
            needed("key", "", "Its key; of several columns, an array in the order of `describe`."),
            FIELDS,
        ],
    },
    ToolRow {
        name: "explain",
        need: Need::Read,
        about: "Says how a query would be answered, and which indexes serve it, without running it.",
        arguments: &[RESOURCE, FILTER, FIELDS, LIMIT, OFFSET],
    },
    ToolRow {
        name: "write",
        need: Need::Write,
        about: "Changes one row or document. Without `token` nothing is changed: the answer has the row operations and a token. \
                Show them, then call again with the same arguments and the token to commit.",
        arguments: &[
            RESOURCE,
            needed(
                "operation",
                "string",
                "`insert`; `replace` with a whole document; `merge` with the fields to change; `delete`.",
            ),
            optional("key", "", "Its key, except for `insert`."),
            optional("document", "object", "The document, except for `delete`."),
            optional(
                "etag",
                "string",
                "What `get` returned: fails if somebody has changed it since.",
            ),
            optional("token", "string", "Of the answer before."),
        ],
    },
    ToolRow {
        name: "measure",
        need: Need::Measure,
        about: "Runs a short load test of a resource on this server, reading only, and returns its figures.",
        arguments: &[
            RESOURCE,
            optional("mix", "string", "`items` by key, or `pages`; by default `items`."),
            optional("users", "integer", "Users at the same time; by default 4."),
            optional("seconds", "integer", "Measured seconds, 1 to 30; by default 5."),
        ],
    },
];

impl ToolRow {
    /// Whether it is offered.
    pub fn is_offered(&self, allowed: AgentRights) -> bool {
        match self.need {
            Need::Read => true,
            Need::Write => allowed.write,
            Need::Measure => allowed.measure,
        }
    }

    fn tool(&self) -> Tool {
        let changes = self.need == Need::Write;
        let hints =
            ToolAnnotations::new().read_only(!changes).destructive(changes).open_world(false);
        Tool::new(self.name, self.about, self.schema()).with_annotations(hints)
    }

    fn schema(&self) -> JsonObject {
        let mut properties = JsonObject::new();
        for argument in self.arguments {
            let mut property = json!({ "description": argument.about });
            if !argument.ty.is_empty() {
                property["type"] = argument.ty.into();
            }
            if argument.ty == "array" {
                property["items"] = json!({ "type": "string" });
            }
            properties.insert(argument.name.to_owned(), property);
        }
        let required =
            self.arguments.iter().filter(|it| it.required).map(|it| Value::from(it.name));
        let mut schema = JsonObject::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        schema.insert("required".into(), required.collect::<Vec<_>>().into());
        schema.insert("additionalProperties".into(), false.into());
        schema
    }
}

/// The tools that are offered.
pub(crate) fn offered(allowed: AgentRights) -> Vec<Tool> {
    TOOLS.iter().filter(|row| row.is_offered(allowed)).map(ToolRow::tool).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token is about four bytes.
    #[test]
    fn all_tools_take_few_tokens() {
        let all = offered(AgentRights { write: true, measure: true });
        assert_eq!(all.len(), TOOLS.len());
        let bytes = serde_json::to_string(&all).unwrap().len();
        assert!(bytes / 4 < 3_000, "{} tokens", bytes / 4);
    }

    #[test]
    fn only_what_is_allowed_is_offered() {
        let names = |allowed| offered(allowed).into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names(AgentRights::default()), ["list", "describe", "query", "get", "explain"]);
        assert!(names(AgentRights { write: true, measure: false }).contains(&"write".into()));
        let read_only = |row: &ToolRow| row.tool().annotations.unwrap().read_only_hint.unwrap();
        assert!(TOOLS.iter().all(|row| read_only(row) == (row.name != "write")));
    }
}
