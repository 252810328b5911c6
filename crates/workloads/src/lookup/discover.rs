//! Reads which tables exist, and how many keys they have.

use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::targets::sql::DatabaseAddress;
use duet_bench::workload::Failed;
pub use duet_bench::workload::rest::Access;
use duet_bench::workload::rest::authorize;
use duet_verdict::outcome::Outcome;
use serde_json::Value;

use super::TABLES;
use super::endpoint::Endpoint;
use super::reader::Reader;
use super::workload::Facts;
use crate::generate::Engine;

/// Reads what the users of a table need: its number of keys, and for a service the authorization. A
/// service's endpoint is the URL of one table; its siblings are used too.
///
/// # Errors
/// If there are no such tables, or they cannot be read.
pub async fn discover(
    endpoint: Endpoint,
    weights: Option<[f64; TABLES.len()]>,
    access: &Access,
    timeout: Duration,
) -> Result<Facts, Failed> {
    let usual = [1.0, 0.0, 0.0, 0.0];
    if let Endpoint::Http { mount, .. } = &endpoint {
        let url: Url =
            mount.parse().map_err(|message: String| Failed::new(Outcome::Connection, message))?;
        return of_service(&url, weights, access, timeout).await;
    }
    let weights = weights.unwrap_or(usual);
    // The database itself is asked for the number of keys.
    let plain = match &endpoint {
        Endpoint::Process(DatabaseAddress::Sqlite { path, .. }) => Endpoint::Sqlite(path.clone()),
        Endpoint::Process(DatabaseAddress::Postgres(url)) => Endpoint::Postgres(url.clone()),
        endpoint => endpoint.clone(),
    };
    let mut reader = Reader::open(&plain, timeout).await?;
    let mut keys = u64::MAX;
    if let (Some(connection), Some(target)) = (reader.connection(), endpoint.target()?) {
        for (table, _) in TABLES.iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
            let name = Engine::of(&target).name("lookup", table);
            let found = connection.ask(&format!("SELECT max(key) FROM {name}"), &[]).await;
            let found = found.map_err(|failure| {
                let message = failure.message;
                Failed::new(
                    Outcome::Other,
                    format!("{name} cannot be read ({message}); `duet bench load lookup` makes it"),
                )
            })?;
            keys = keys.min(found.first_int(0).map_or(0, i64::unsigned_abs));
        }
    }
    reader.close().await;
    facts(endpoint, keys, weights, timeout)
}

fn facts(
    endpoint: Endpoint,
    keys: u64,
    weights: [f64; TABLES.len()],
    timeout: Duration,
) -> Result<Facts, Failed> {
    match keys {
        0 => Err(Failed::check("the table is empty; `duet bench load lookup` fills it")),
        _ => Ok(Facts { endpoint, keys, weights, timeout }),
    }
}

async fn of_service(
    url: &Url,
    weights: Option<[f64; TABLES.len()]>,
    access: &Access,
    timeout: Duration,
) -> Result<Facts, Failed> {
    let path = url.path.trim_end_matches('/');
    let (mount, table) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(place) = TABLES.iter().position(|name| *name == table) else {
        let message = format!("{url} is not the URL of t1, t2, t3 or t4");
        return Err(Failed::new(Outcome::Other, message));
    };
    let weights = weights.unwrap_or_else(|| {
        let mut weights = [0.0; TABLES.len()];
        weights[place] = 1.0;
        weights
    });
    let authorization = authorize(url, access, timeout).await?;
    let keys = greatest(url, path, authorization.as_deref(), timeout).await?;
    let mount = Url { path: mount.to_owned(), ..url.clone() };
    let mount = if mount.path.is_empty() { mount.at("/") } else { mount }.to_string();
    facts(Endpoint::Http { mount, authorization }, keys, weights, timeout)
}

/// The greatest key, from a page of one item.
async fn greatest(
    url: &Url,
    path: &str,
    authorization: Option<&str>,
    timeout: Duration,
) -> Result<u64, Failed> {
    let authorization =
        authorization.map_or(String::new(), |value| format!("Authorization: {value}\r\n"));
    // {"$orderby":{"key":"DESC"}}
    let query = "limit=1&q=%7B%22$orderby%22:%7B%22key%22:%22DESC%22%7D%7D";
    let host = &url.host;
    let request = format!("GET {path}/?{query} HTTP/1.1\r\nHost: {host}\r\n{authorization}\r\n");
    let mut connection = HttpConnection::open(url, timeout).await?;
    let answer = connection.exchange(request.as_bytes(), &mut TransactionCost::default()).await?;
    if answer.status != 200 {
        let hint = match answer.status {
            401 | 403 => "; give --token or --client",
            _ => "",
        };
        return Err(Failed::check(format!("{path}: it is {}{hint}", answer.status)));
    }
    let page: Option<Value> = serde_json::from_slice(answer.body).ok();
    let key = page.as_ref().and_then(|page| page["items"][0]["key"].as_u64());
    Ok(key.unwrap_or(0))
}
