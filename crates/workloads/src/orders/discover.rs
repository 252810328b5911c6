//! Asks the service, before the run, for orders and lines that are there, and for what each list finds.

use std::time::Duration;

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::Url;
use duet_bench::workload::Failed;
use duet_bench::workload::rest::{Access, authorize};
use serde_json::Value;

use super::facts::{Facts, KINDS, OrderLine, Order};
use super::list::total;
use super::queries::{QUERIES, Seek};
use super::session::path;
use crate::http_client::{HttpClient, percent_encoded, refused};

/// Places in the data from which documents are read, and documents of each.
const PLACES: u64 = 20;
const EACH: u64 = 50;

/// What is asked for.
pub(super) struct DiscoverOptions<'a> {
    pub(super) access: &'a Access,
    pub(super) tenant: String,
    pub(super) total_records: String,
    pub(super) weights: Vec<f64>,
    pub(super) in_order: bool,
    pub(super) timeout: Duration,
}

/// What users need to know of a service, by the URL that its collections are below.
///
/// # Errors
/// If it is unreachable, refuses a request, or lacks data that a type with a weight needs.
pub(super) async fn discover(url: &Url, wanted: DiscoverOptions<'_>) -> Result<Facts, Failed> {
    // Tokens are issued beside the collections.
    let beside = Url { path: format!("{}/any", url.path.trim_end_matches('/')), ..url.clone() };
    let authorization = authorize(&beside, wanted.access, wanted.timeout).await?;
    let tenant = format!("X-Okapi-Tenant: {}\r\n", wanted.tenant);
    let url = url.to_string();
    let client = HttpClient::open(&url, authorization.as_deref(), &tenant, wanted.timeout).await?;
    let mut service = Service { client };
    let orders = service.sample("purchase-orders", order).await?;
    let lines = service.sample("po-lines", line).await?;
    let facts = Facts {
        url,
        authorization,
        tenant: wanted.tenant,
        total_records: wanted.total_records,
        orders,
        lines,
        totals: vec![None; QUERIES.len()],
        weights: wanted.weights,
        in_order: wanted.in_order,
        run: Facts::new_run(),
        timeout: wanted.timeout,
    };
    fits(&facts)?;
    service.totals(facts).await
}

/// Whether there are documents that the types with a weight look for.
fn fits(facts: &Facts) -> Result<(), Failed> {
    let lacks = |kind: usize| match QUERIES.get(kind).map(|query| query.seek) {
        Some(Seek::Line) => facts.lines.is_empty(),
        Some(Seek::Values) => false,
        Some(Seek::Order) | None => facts.orders.is_empty(),
    };
    match (0..KINDS).any(|kind| facts.weights[kind] > 0.0 && lacks(kind)) {
        true => Err(Failed::check("it has no orders, or no lines with a title, to look for")),
        false => Ok(()),
    }
}

struct Service {
    client: HttpClient,
}

impl Service {
    /// The content of a list.
    async fn get(&mut self, path: &str) -> Result<Vec<u8>, Failed> {
        let answer = self.client.ask(&mut TransactionCost::default(), ["GET", path]).await?;
        match answer.status {
            200 => Ok(answer.body.to_vec()),
            401 | 403 => Err(refused(&answer, path, "; give --token or --client")),
            404 => Err(refused(&answer, path, "; the collections must be below the target's URL")),
            _ => Err(refused(&answer, path, "")),
        }
    }

    /// Documents of a collection, from places all over it.
    async fn sample<T>(
        &mut self,
        collection: &str,
        of: fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, Failed> {
        let whole = self.get(&format!("{collection}?limit=1")).await?;
        let whole = total(&whole).ok_or_else(|| Failed::check("a list has no totalRecords"))?;
        let mut found = Vec::new();
        for place in 0..PLACES.min(whole.div_ceil(EACH)) {
            let offset = place * whole / PLACES.min(whole.div_ceil(EACH));
            let page = self.get(&format!("{collection}?limit={EACH}&offset={offset}")).await?;
            let page: Value = serde_json::from_slice(&page)
                .map_err(|_| Failed::check(format!("the list {collection} is not JSON")))?;
            let lists = page.as_object().into_iter().flat_map(|page| page.values());
            found.extend(lists.filter_map(Value::as_array).flatten().filter_map(of));
        }
        Ok(found)
    }

    /// What each list of fixed values finds. It is expected of every answer where it is exact and no type of the run
    /// creates documents.
    async fn totals(&mut self, mut facts: Facts) -> Result<Facts, Failed> {
        let is_fixed = !Facts::writes(&facts.weights);
        for (kind, query) in QUERIES.iter().enumerate() {
            if facts.weights[kind] <= 0.0 || query.seek != Seek::Values {
                continue;
            }
            let exact =
                format!("{}?query={}&totalRecords=exact", query.path, percent_encoded(query.cql));
            let exact = total(&self.get(&exact).await?);
            if exact == Some(0) {
                let message = format!("{} finds nothing: {}", query.short, query.cql);
                return Err(Failed::check(message));
            }
            let usual = total(&self.get(&path(query, query.cql, &facts.total_records)).await?);
            facts.totals[kind] = usual.filter(|_| is_fixed && usual == exact);
        }
        Ok(facts)
    }
}

fn order(document: &Value) -> Option<Order> {
    Some(Order {
        id: plain(&document["id"])?,
        number: plain(&document["poNumber"])?,
        order_type: plain(&document["orderType"])?,
        status: plain(&document["workflowStatus"])?,
    })
}

fn line(document: &Value) -> Option<OrderLine> {
    let number = plain(&document["poLineNumber"])?;
    let is_word = |word: &&str| word.len() > 2 && word.bytes().all(|it| it.is_ascii_alphanumeric());
    let word = document["title"].as_str()?.split_ascii_whitespace().find(is_word)?.to_owned();
    Some(OrderLine {
        order: number.rsplit_once('-')?.0.to_owned(),
        number,
        format: plain(&document["orderFormat"])?,
        payment: plain(&document["paymentStatus"])?,
        word,
    })
}

/// A text that is the same in CQL, where other characters are signs.
fn plain(value: &Value) -> Option<String> {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '-' | ' ' | '/');
    value.as_str().filter(|text| !text.is_empty() && text.chars().all(is_plain)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_that_can_be_searched() {
        let document = json!({
            "poLineNumber": "A-1-2", "title": "Ça va 20% kayak", "orderFormat": "P/E Mix", "paymentStatus": "Pending"
        });
        let found = line(&document).unwrap();
        assert_eq!((found.order.as_str(), found.word.as_str()), ("A-1", "kayak"));
        let mut other = document.clone();
        other["title"] = "Ça".into();
        assert_eq!(line(&other), None);
        other = document;
        other["orderFormat"] = "a*".into();
        assert_eq!(line(&other), None);
        assert_eq!(order(&json!({ "id": "1", "poNumber": "2" })), None);
    }
}
