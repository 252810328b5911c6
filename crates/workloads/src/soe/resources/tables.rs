//! Order entry's tables as resources of a service: reads and writes, and their expected statuses.

use duet_bench::targets::http::Response;
use duet_bench::workload::{Failed, TransactionContext};
use serde_json::{Map, Value as Json};

use super::super::checks::Check;
use super::super::service_client::ServiceClient;
use crate::http_client::{percent_encoded, refused};

/// A row, as the service shows it.
pub(super) type Row = Map<String, Json>;

/// A row with its etag, the condition of a change.
pub(super) struct Item {
    pub(super) row: Row,
    etag: String,
}

/// The page size for reading all rows.
const PAGE: usize = 1_000;

/// Asks for no representation: a writer does not need the stored row.
const MINIMAL: &str = "Prefer: return=minimal\r\nContent-Type: application/json\r\n";
const MINIMAL_PATCH: &str =
    "Prefer: return=minimal\r\nContent-Type: application/merge-patch+json\r\n";

/// An operation of a transaction.
fn operation(method: &str, path: &str, body: Json) -> Row {
    let members = [("method", Json::from(method)), ("path", Json::from(path)), ("body", body)];
    members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()
}

/// Inserts a row, as an operation of a transaction.
pub(super) fn create(table: &str, body: Json) -> Json {
    Json::Object(operation("POST", &format!("{table}/"), body))
}

/// Updates a row unconditionally.
pub(super) fn change(path: &str, body: Json) -> Json {
    Json::Object(operation("PATCH", path, body))
}

impl Item {
    /// Updates the row on condition of its etag.
    pub(super) fn change(&self, path: &str, body: Json) -> Json {
        let mut operation = operation("PATCH", path, body);
        operation.insert("ifMatch".into(), Json::from(self.etag.as_str()));
        Json::Object(operation)
    }
}

/// A member that is a whole number.
pub(super) fn int(row: &Row, name: &str) -> Result<i64, Failed> {
    let number = row.get(name).and_then(Json::as_i64);
    number.ok_or_else(|| Failed::check(format!("{name} of a row is not a whole number")))
}

impl ServiceClient {
    /// Sends a request, with further header fields and content if given, and checks the status of
    /// its response. `what` describes the request.
    async fn answered(
        &mut self,
        context: &mut TransactionContext,
        [method, path]: [&str; 2],
        content: Option<(&str, &Json)>,
        right: &[u16],
        what: &str,
    ) -> Result<Response<'_>, Failed> {
        let checks = self.checks.clone();
        let answer = match content {
            None => self.get(context, path).await?,
            Some((fields, content)) => self.send(context, [method, path], fields, content).await?,
        };
        match checks.note(Check::Status, right.contains(&answer.status)) {
            true => Ok(answer),
            false => Err(refused_by(&answer, what)),
        }
    }

    /// A row by its path; `None` if it does not exist.
    pub(super) async fn item(
        &mut self,
        context: &mut TransactionContext,
        path: &str,
    ) -> Result<Option<Item>, Failed> {
        let answer = self.answered(context, ["GET", path], None, &[200, 404], path).await?;
        let found = match answer.status {
            404 => None,
            _ => {
                let etag =
                    answer.field("etag").ok_or_else(|| Failed::check("a row has no etag"))?;
                Some(Item { row: object(&answer)?, etag: etag.into_owned() })
            }
        };
        context.work.dml.selects += 1;
        Ok(found)
    }

    /// The first rows that a filter selects; `more` are parameters.
    pub(super) async fn some(
        &mut self,
        context: &mut TransactionContext,
        table: &str,
        filter: &Json,
        more: &str,
    ) -> Result<Vec<Row>, Failed> {
        Ok(self.page(context, table, filter, more).await?.0)
    }

    /// All rows that a filter selects, page by page.
    pub(super) async fn all(
        &mut self,
        context: &mut TransactionContext,
        table: &str,
        filter: &Json,
        more: &str,
    ) -> Result<Vec<Row>, Failed> {
        let mut rows = Vec::new();
        loop {
            let place = format!("limit={PAGE}&offset={}&{more}", rows.len());
            let (page, has_more) = self.page(context, table, filter, &place).await?;
            let is_last = page.is_empty() || !has_more;
            rows.extend(page);
            if is_last {
                return Ok(rows);
            }
        }
    }

    /// A page, and whether another one follows.
    async fn page(
        &mut self,
        context: &mut TransactionContext,
        table: &str,
        filter: &Json,
        more: &str,
    ) -> Result<(Vec<Row>, bool), Failed> {
        let path = format!("{table}/?q={}&{more}", percent_encoded(&filter.to_string()));
        let answer = self.answered(context, ["GET", &path], None, &[200], table).await?;
        let mut page = object(&answer)?;
        let (Some(Json::Array(items)), Some(Json::Bool(has_more))) =
            (page.remove("items"), page.remove("hasMore"))
        else {
            return Err(Failed::check(format!("{table} did not return a page")));
        };
        context.work.dml.selects += 1;
        let row = |item| match item {
            Json::Object(row) => Ok(row),
            _ => Err(Failed::check(format!("{table} has an item that is not a row"))),
        };
        Ok((items.into_iter().map(row).collect::<Result<_, _>>()?, has_more))
    }

    /// Inserts a row.
    pub(super) async fn add(
        &mut self,
        context: &mut TransactionContext,
        table: &str,
        body: &Json,
    ) -> Result<(), Failed> {
        let line = ["POST", &format!("{table}/")];
        self.answered(context, line, Some((MINIMAL, body)), &[201], table).await?;
        context.work.dml.inserts += 1;
        context.work.dml.commits += 1;
        Ok(())
    }

    /// Updates a row unconditionally.
    pub(super) async fn patch(
        &mut self,
        context: &mut TransactionContext,
        path: &str,
        body: &Json,
    ) -> Result<(), Failed> {
        let content = Some((MINIMAL_PATCH, body));
        self.answered(context, ["PATCH", path], content, &[204], path).await?;
        context.work.dml.updates += 1;
        context.work.dml.commits += 1;
        Ok(())
    }

    /// Executes all operations or none.
    pub(super) async fn together(
        &mut self,
        context: &mut TransactionContext,
        operations: Vec<Json>,
    ) -> Result<(), Failed> {
        let created = operations.iter().filter(|operation| operation["method"] == "POST").count();
        let (all, content) = (operations.len(), Json::Array(operations));
        let checks = self.checks.clone();
        let (line, content) = (["POST", "_/transaction"], Some((MINIMAL, &content)));
        let answer = self.answered(context, line, content, &[200], "a transaction").await?;
        let answers: Vec<Json> = serde_json::from_slice(answer.body).unwrap_or_default();
        let is_done = |answer: &Json| matches!(answer["status"].as_u64(), Some(200..300));
        let is_whole = answers.len() == all && answers.iter().all(is_done);
        checks.hold(Check::AllDone, is_whole, || {
            "a transaction does not report all of its operations".to_owned()
        })?;
        let dml = &mut context.work.dml;
        dml.inserts += created as u64;
        dml.updates += (all - created) as u64;
        dml.commits += 1;
        Ok(())
    }
}

fn object(answer: &Response<'_>) -> Result<Row, Failed> {
    serde_json::from_slice(answer.body).map_err(|_| Failed::check("a response is not an object"))
}

fn refused_by(answer: &Response<'_>, what: &str) -> Failed {
    let hint = match answer.status {
        401 | 403 => "; the client needs the roles duet.read and duet.write",
        404 => "; the tables of order entry must be below the service's URL",
        405 => "; it must have a key, which app.toml can give it",
        _ => "",
    };
    refused(answer, what, hint)
}
