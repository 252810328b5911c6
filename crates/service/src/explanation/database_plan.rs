//! What the database says of a statement: its steps, with estimates, and with rows and times where it has measured them.

use duet_model::{Error, Result};
use duet_store::ExplainedPlan;
use serde_json::Value;

/// The plan of the database.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatabasePlan {
    /// Its steps, each before those that it takes rows from.
    pub steps: Vec<DatabaseStep>,
    /// Rows that the steps have read from tables and indexes; none where that was not measured.
    pub rows_read: Option<f64>,
    /// Rows that the statement has given.
    pub rows_returned: Option<f64>,
    /// Milliseconds that it took.
    pub millis: Option<f64>,
}

/// A step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DatabaseStep {
    /// How many steps are around it.
    pub depth: usize,
    /// What it does.
    pub text: String,
    /// Rows that the planner expects, of all its runs.
    pub expected: Option<f64>,
    /// Rows that it gave.
    pub rows: Option<f64>,
    /// Rows that it looked at: those that it gave, and those that its conditions removed.
    pub looked_at: Option<f64>,
    /// Milliseconds of its own, without the steps below it.
    pub millis: Option<f64>,
    /// Whether it is the slowest: by time, or by the planner's costs.
    pub is_slowest: bool,
}

/// What is shown of a step beside its kind, in this order.
const DETAILS: [&str; 10] = [
    "Index Cond",
    "Recheck Cond",
    "TID Cond",
    "Filter",
    "Hash Cond",
    "Merge Cond",
    "Join Filter",
    "Sort Key",
    "Group Key",
    "Presorted Key",
];

/// Rows that conditions of a step removed.
const REMOVED: [&str; 3] =
    ["Rows Removed by Filter", "Rows Removed by Index Recheck", "Rows Removed by Join Filter"];

impl DatabasePlan {
    /// Reads what a store has answered.
    ///
    /// # Errors
    /// Where it is not what the database documents.
    pub(crate) fn of(explained: ExplainedPlan) -> Result<Self> {
        let text = match explained {
            ExplainedPlan::Json(text) => text,
            ExplainedPlan::Steps(steps) => {
                let steps = steps.into_iter().map(|step| DatabaseStep {
                    depth: step.depth,
                    text: step.text,
                    ..DatabaseStep::default()
                });
                return Ok(Self { steps: steps.collect(), ..Self::default() });
            }
        };
        let plan: Value = serde_json::from_str(&text)
            .map_err(|error| Error::internal(format!("a plan that is no JSON: {error}")))?;
        let (root, mut out) = (&plan[0], Self::default());
        out.millis = root["Execution Time"].as_f64();
        let mut costs = Vec::new();
        out.add(&root["Plan"], 0, &mut costs);
        out.rows_returned = out.steps.first().and_then(|step| step.rows);
        let slowest = costs.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        if let Some((slowest, _)) = slowest {
            out.steps[slowest].is_slowest = true;
        }
        Ok(out)
    }

    /// Adds a step and those below it. Gives its whole time, or cost.
    fn add(&mut self, node: &Value, depth: usize, costs: &mut Vec<f64>) -> f64 {
        let number = |name: &str| node[name].as_f64();
        let loops = number("Actual Loops");
        let times = |value: Option<f64>| Some(value? * loops?);
        let removed: f64 = REMOVED.iter().filter_map(|name| number(name)).sum();
        let rows = times(number("Actual Rows"));
        let at = self.steps.len();
        self.steps.push(DatabaseStep {
            depth,
            text: words(node),
            expected: number("Plan Rows").map(|rows| rows * loops.unwrap_or(1.0)),
            rows,
            looked_at: rows.zip(times(Some(removed))).map(|(given, removed)| given + removed),
            ..DatabaseStep::default()
        });
        let time = times(number("Actual Total Time"));
        let whole = time.or(number("Total Cost")).unwrap_or_default();
        costs.push(0.0);
        let below = node["Plans"].as_array().map_or(&[][..], Vec::as_slice);
        let inner: f64 = below.iter().map(|node| self.add(node, depth + 1, costs)).sum();
        costs[at] = (whole - inner).max(0.0);
        self.steps[at].millis = time.map(|_| costs[at]);
        if below.is_empty()
            && let Some(read) = self.steps[at].looked_at
        {
            *self.rows_read.get_or_insert(0.0) += read;
        }
        whole
    }
}

/// A step in words.
fn words(node: &Value) -> String {
    let text = |name: &str| node[name].as_str();
    let mut out = text("Node Type").unwrap_or("step").to_owned();
    for (word, name) in [("using", "Index Name"), ("on", "Relation Name"), ("", "Alias")] {
        match (word, text(name)) {
            ("", Some(alias)) if text("Relation Name").is_some() => {
                out.push_str(&format!(" {alias}"));
            }
            ("", _) | (_, None) => {}
            (word, Some(name)) => out.push_str(&format!(" {word} {name}")),
        }
    }
    for name in DETAILS {
        match &node[name] {
            Value::String(detail) => out.push_str(&format!("; {name}: {detail}")),
            Value::Array(keys) => {
                let keys: Vec<&str> = keys.iter().filter_map(Value::as_str).collect();
                out.push_str(&format!("; {name}: {}", keys.join(", ")));
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_times_are_those_of_all_runs() {
        let plan = r#"[{"Plan": {"Node Type": "Limit", "Plan Rows": 2, "Actual Rows": 2, "Actual Loops": 1,
            "Actual Total Time": 9.0, "Total Cost": 1, "Plans": [
                {"Node Type": "Index Scan", "Index Name": "i", "Relation Name": "t", "Alias": "t0", "Filter": "(a = 1)",
                 "Plan Rows": 5, "Actual Rows": 1, "Actual Loops": 2, "Actual Total Time": 4.0, "Total Cost": 1,
                 "Rows Removed by Filter": 10}]}, "Execution Time": 9.5}]"#;
        let plan = DatabasePlan::of(ExplainedPlan::Json(plan.to_owned())).unwrap();
        assert_eq!(
            (plan.rows_read, plan.rows_returned, plan.millis),
            (Some(22.0), Some(2.0), Some(9.5))
        );
        let scan = &plan.steps[1];
        assert_eq!(scan.text, "Index Scan using i on t t0; Filter: (a = 1)");
        assert_eq!((scan.depth, scan.expected, scan.looked_at), (1, Some(10.0), Some(22.0)));
        assert_eq!((scan.millis, plan.steps[0].millis), (Some(8.0), Some(1.0)));
        assert!(scan.is_slowest && !plan.steps[0].is_slowest);
    }
}
