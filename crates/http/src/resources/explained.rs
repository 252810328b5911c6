//! What a page would do, as JSON: what `explain=1` answers.

use duet_filter::{FilterText, Limits, cql};
use duet_service::{ExplainedStatement, Explanation, PageQuery};
use serde_json::{Value as Json, json};

use crate::answer::reply::Reply;

/// The plan of a page, the indexes that serve it or what to declare, and the estimated number of documents;
/// `with_sql` also the statements.
pub(crate) fn reply(
    query: &PageQuery<'_>,
    (explanation, estimated): (Explanation, Option<u64>),
    with_sql: bool,
) -> Reply {
    let Explanation { plan, indexes, statements } = explanation;
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
        out["statements"] = statements.iter().map(statement).collect();
    }
    Reply::plan(out.to_string().into_bytes())
}

fn statement(statement: &ExplainedStatement) -> Json {
    let ExplainedStatement { title, sql, parameters } = statement;
    json!({ "reads": title, "sql": sql, "parameters": parameters })
}
