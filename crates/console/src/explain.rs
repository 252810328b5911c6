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
    /// What the database says.
    pub database: Option<DatabasePlan>,
}

/// A step of the database's plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// How deep it is, six at most.
    pub depth: u64,
    /// What it does.
    pub does: String,
    /// Rows expected, given and looked at, and milliseconds; empty where they are not known.
    pub figures: [String; 4],
    /// Whether it is the slowest.
    pub is_slowest: bool,
}

/// What the database says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabasePlan {
    /// Its steps.
    pub steps: Vec<Step>,
    /// Rows read and returned and the time, in words; empty where that was not measured.
    pub measured: String,
}

impl DatabasePlan {
    /// Reads that of the API; `None` where there is none.
    ///
    /// ```
    /// use duet_console::explain::DatabasePlan;
    /// let plan = serde_json::json!({ "rowsRead": 200.0, "rowsReturned": 2.0, "milliseconds": 1.25, "steps": [] });
    /// let words = "200 rows read, 2 returned: 100 for each. 1.25 ms.";
    /// assert_eq!(DatabasePlan::of(&plan).unwrap().measured, words);
    /// ```
    pub fn of(plan: &Value) -> Option<Self> {
        let steps = plan["steps"].as_array()?.iter().map(|it| Step {
            depth: it["depth"].as_u64().unwrap_or_default().min(6),
            does: it["does"].as_str().unwrap_or_default().to_owned(),
            figures: ["expectedRows", "rows", "rowsLookedAt", "milliseconds"]
                .map(|name| it[name].as_f64().map(figure).unwrap_or_default()),
            is_slowest: it["slowest"] == true,
        });
        let number = |name: &str| plan[name].as_f64();
        let rows = number("rowsRead").zip(number("rowsReturned")).map(|(read, returned)| {
            let each = if returned > 0.0 {
                format!(": {} for each", figure(read / returned))
            } else {
                String::new()
            };
            format!("{} rows read, {} returned{each}.", figure(read), figure(returned))
        });
        let time = number("milliseconds").map(|it| format!("{} ms.", figure(it)));
        let measured = rows.into_iter().chain(time).collect::<Vec<_>>().join(" ");
        Some(Self { steps: steps.collect(), measured })
    }
}

/// A number with at most three decimals.
fn figure(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What the page shows of a request.
#[derive(Clone, Debug, Default)]
pub struct Explained {
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
            database: DatabasePlan::of(&it["database"]),
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
    /// The resource's name, and the page of its rows.
    pub resource: (&'a str, &'a str),
    /// The page itself, without its query.
    pub path: &'a str,
    /// What the database is asked for: nothing, `plan` or `analyze`.
    pub database: &'a str,
    /// Whether the rows are counted too.
    pub counts: bool,
    /// One request, or two beside each other.
    pub all: &'a [Explained],
}

impl Explain<'_> {
    /// The page.
    pub fn html(&self) -> String {
        rendered(self)
    }

    /// What the database can be asked for, each in words.
    fn choices(&self) -> [(&'static str, &'static str); 3] {
        [
            ("", "nothing"),
            ("plan", "its plan, with estimates"),
            ("analyze", "its plan, measured: the request runs"),
        ]
    }

    fn is_asked(&self, choice: &str) -> bool {
        self.database == choice
    }

    /// The filter of the second request; none where there is one request.
    fn second(&self) -> Option<&str> {
        self.all.get(1).map(|explained| &*explained.q)
    }

    fn first(&self) -> &str {
        self.all.first().map_or("", |explained| &explained.q)
    }
}
