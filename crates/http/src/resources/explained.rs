//! What a page would do, as JSON: what `explain=1` answers.

use duet_filter::{FilterText, Limits, cql};
use duet_service::{DatabasePlan, DatabaseStep, ExplainedStatement, Explanation, PageQuery};
use serde_json::{Value as Json, json};

use crate::answer::reply::Reply;

/// The plan of a page, the indexes that serve it or what to declare, and the estimated number of documents;
/// `with_sql` also the statements.
pub(crate) fn reply(
    query: &PageQuery<'_>,
    explanation: Explanation,
    estimated: Option<u64>,
    with_sql: bool,
) -> Reply {
    let Explanation { plan, indexes, statements, database } = explanation;
    let lines: Vec<&str> = plan.lines().collect();
    let mut out = json!({});
    if let Some(FilterText::Cql(text)) = query.filter
        && let Ok(tree) = cql::read(text, &Limits::default())
    {
        out["query"] = tree.to_string().into();
    }
    out["plan"] = lines.into();
    out["indexes"] = indexes.into();
    if let Some(rows) = estimated {
        out["estimatedRows"] = rows.into();
    }
    if with_sql {
        let plans = database.iter().map(Some).chain(std::iter::repeat(None));
        let statements = statements.iter().zip(plans);
        out["statements"] = statements.map(|(one, plan)| statement(one, plan)).collect();
    }
    Reply::plan(out.to_string().into_bytes())
}

/// The database's plan of a statement. What was not measured is left out.
fn of_database(plan: &DatabasePlan) -> Json {
    let steps: Vec<Json> = plan.steps.iter().map(step).collect();
    let whole = json!({
        "rowsRead": plan.rows_read, "rowsReturned": plan.rows_returned, "milliseconds": plan.millis, "steps": steps,
    });
    known(whole)
}

fn step(step: &DatabaseStep) -> Json {
    known(json!({
        "depth": step.depth,
        "does": step.text,
        "expectedRows": step.expected,
        "rows": step.rows,
        "rowsLookedAt": step.looked_at,
        "milliseconds": step.millis,
        "slowest": step.is_slowest.then_some(true),
    }))
}

/// An object without what is null.
fn known(mut object: Json) -> Json {
    if let Some(members) = object.as_object_mut() {
        members.retain(|_, value| !value.is_null());
    }
    object
}

fn statement(statement: &ExplainedStatement, plan: Option<&DatabasePlan>) -> Json {
    let ExplainedStatement { title, sql, parameters } = statement;
    known(json!({
        "reads": title, "sql": sql, "parameters": parameters, "database": plan.map(of_database),
    }))
}
