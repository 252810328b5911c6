//! The page that explains a request for rows: its plan, the index of each condition, and the SQL, as the API says them.

use askama::Template;
use serde_json::Value;

use crate::page::{Frame, Problem, rendered};

/// What serves a condition, or an order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// The condition.
    pub condition: String,
    /// What serves it, in words.
    pub words: String,
    /// The statement that makes the index which is missing. It is shown, never run.
    pub declare: Option<String>,
}

/// What precedes the statement that makes a missing index.
const DECLARE: &str = "; declare ";

impl Index {
    /// Reads a line of a plan.
    ///
    /// ```
    /// use duet_console::explain::Index;
    /// let index = Index::of("t0.a > 3: no index; declare CREATE INDEX i ON t (a)");
    /// assert_eq!((&*index.condition, &*index.words), ("t0.a > 3", "no index"));
    /// assert_eq!(index.declare.as_deref(), Some("CREATE INDEX i ON t (a)"));
    /// ```
    pub fn of(line: &str) -> Self {
        let (line, declare) = match line.split_once(DECLARE) {
            Some((line, declare)) => (line, Some(declare.to_owned())),
            None => (line, None),
        };
        let (condition, words) = line.rsplit_once(": ").unwrap_or(("", line));
        Self { condition: condition.to_owned(), words: words.to_owned(), declare }
    }
}

/// A statement that the request sends to the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statement {
    /// What it reads.
    pub reads: String,
    /// Its SQL.
    pub sql: String,
    /// Its parameters.
    pub parameters: Vec<String>,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct Explained {
    /// The resource's name, and the page of its rows.
    pub resource: (String, String),
    /// The page itself, without its query.
    pub path: String,
    /// The filter.
    pub q: String,
    /// The lines of the plan.
    pub plan: Vec<String>,
    /// What serves each condition.
    pub indexes: Vec<Index>,
    /// How many rows the database expects; none where it was not asked.
    pub estimated: Option<u64>,
    /// The statements, for those who may see them.
    pub statements: Vec<Statement>,
    /// Why there is no plan.
    pub problem: Option<Problem>,
    /// The same at a command line.
    pub command: String,
}

impl Explained {
    /// Reads a plan of the API.
    pub fn read(&mut self, plan: &Value) {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        self.plan = list(&plan["plan"]).iter().map(text).collect();
        self.indexes = list(&plan["indexes"]).iter().map(|line| Index::of(&text(line))).collect();
        self.estimated = plan["estimatedRows"].as_u64();
        let statement = |it: &Value| Statement {
            reads: text(&it["reads"]),
            sql: text(&it["sql"]),
            parameters: list(&it["parameters"]).iter().map(Value::to_string).collect(),
        };
        self.statements = list(&plan["statements"]).iter().map(statement).collect();
    }

    fn missing(&self) -> usize {
        self.indexes.iter().filter(|it| it.declare.is_some()).count()
    }
}

/// The page.
#[derive(Clone, Copy, Debug, Template)]
#[template(path = "explain.html")]
pub struct Explain<'a> {
    /// Its surroundings.
    pub frame: Frame<'a>,
    /// What it shows.
    pub explained: &'a Explained,
}

impl Explain<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }
}
