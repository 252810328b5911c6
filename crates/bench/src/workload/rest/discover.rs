//! Discovers the members of a resource, and the allowed operations, before the run.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::resource::RestFacts;
use crate::record::TransactionCost;
use crate::targets::http::{HttpConnection, Url};
use crate::workload::Failed;

/// Items per page while listing the addresses.
const PAGE: usize = 500;

/// The credentials of users.
#[derive(Clone, Default)]
pub struct Access {
    /// A bearer token.
    pub token: Option<String>,
    /// A client of OAuth 2.0's client credentials (RFC 6749 §4.4): its id and its secret.
    pub client: Option<(String, String)>,
    /// The token endpoint; by default `oauth/token` beside the resource.
    pub token_path: Option<String>,
}

impl Access {
    /// The value of `Authorization`, if there is one; a client gets its token below `mount`.
    ///
    /// # Errors
    /// If the client gets no token.
    pub async fn authorization(
        &self,
        connection: &mut HttpConnection,
        url: &Url,
        mount: &str,
    ) -> Result<Option<String>, Failed> {
        if let Some(token) = &self.token {
            return Ok(Some(format!("Bearer {token}")));
        }
        let Some((id, secret)) = &self.client else { return Ok(None) };
        let basic = STANDARD.encode(format!("{id}:{secret}"));
        let path = self.token_path.clone().unwrap_or_else(|| format!("{mount}/oauth/token"));
        let content = "grant_type=client_credentials";
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Basic {basic}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{content}",
            url.host,
            content.len()
        );
        let mut work = TransactionCost::default();
        let answer = connection.exchange(request.as_bytes(), &mut work).await?;
        let parsed: Option<Value> = serde_json::from_slice(answer.body).ok();
        let token = parsed.as_ref().and_then(|body| body["access_token"].as_str());
        match token {
            Some(token) => Ok(Some(format!("Bearer {token}"))),
            None => Err(Failed::check(format!("no token at {path}: it is {}", answer.status))),
        }
    }
}

/// The requirements on the resource.
#[derive(Clone, Debug)]
pub struct DiscoverOptions {
    /// Weights of GET, PAGE, PUT, CYCLE.
    pub weights: [f64; 4],
    /// The most items that are requested.
    pub items: usize,
    /// The timeout of responses, which fail after it.
    pub timeout: Duration,
}

/// Discovers the data that users need.
///
/// # Errors
/// If the service is unreachable, refuses a request, or lacks a required operation.
pub async fn discover(
    url: &Url,
    access: &Access,
    wanted: &DiscoverOptions,
) -> Result<RestFacts, Failed> {
    let mut discovery = DiscoveryClient {
        url,
        connection: HttpConnection::open(url, wanted.timeout).await?,
        authorization: None,
    };
    discovery.authorization =
        access.authorization(&mut discovery.connection, url, mount(url)).await?;
    let mut facts = RestFacts {
        url: url.to_string(),
        authorization: None,
        items: Vec::new(),
        is_collection: false,
        is_duet: false,
        content_type: String::new(),
        changeable: None,
        key: None,
        weights: wanted.weights,
        timeout: wanted.timeout,
    };
    let (first, content_type) = discovery.get(&url.path).await?;
    facts.content_type = content_type;
    match first.as_ref().is_some_and(|page| page.get("items").is_some_and(Value::is_array)) {
        true => {
            discovery.items(&mut facts, wanted.items).await?;
            discovery.description(&mut facts).await?;
        }
        false => facts.items.push(url.path.clone()),
    }
    facts.authorization = discovery.authorization;
    allowed(&facts)?;
    Ok(facts)
}

/// The value of `Authorization` for a resource's requests, if there is one.
///
/// # Errors
/// If the service gives the client no token.
pub async fn authorize(
    url: &Url,
    access: &Access,
    timeout: Duration,
) -> Result<Option<String>, Failed> {
    let mut connection = HttpConnection::open(url, timeout).await?;
    access.authorization(&mut connection, url, mount(url)).await
}

/// The path of the collection's parent.
fn mount(resource: &Url) -> &str {
    resource.path.trim_end_matches('/').rsplit_once('/').map_or("", |(mount, _)| mount)
}

/// Checks that the required operations are possible.
fn allowed(facts: &RestFacts) -> Result<(), Failed> {
    let [_, page, put, cycle] = facts.weights;
    let wanted = [
        (page > 0.0 && !facts.is_collection, "PAGE needs the URL of a collection"),
        (
            put > 0.0 && facts.changeable.is_none(),
            "PUT needs a number that may be updated and is no key",
        ),
        (
            cycle > 0.0 && facts.key.is_none(),
            "CYCLE needs a key that is one whole number, insert and delete",
        ),
        (facts.items.is_empty(), "the collection is empty"),
    ];
    match wanted.iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, message)) => Err(Failed::check(*message)),
        None => Ok(()),
    }
}

struct DiscoveryClient<'a> {
    url: &'a Url,
    connection: HttpConnection,
    authorization: Option<String>,
}

impl DiscoveryClient<'_> {
    /// A response's JSON content, if it is JSON, and its type.
    async fn get(&mut self, path: &str) -> Result<(Option<Value>, String), Failed> {
        let authorization = match &self.authorization {
            Some(value) => format!("Authorization: {value}\r\n"),
            None => String::new(),
        };
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{authorization}\r\n", self.url.host);
        let mut work = TransactionCost::default();
        let answer = self.connection.exchange(request.as_bytes(), &mut work).await?;
        if answer.status != 200 {
            let hint = match answer.status {
                401 | 403 => "; give --token or --client",
                _ => "",
            };
            return Err(Failed::check(format!("{path}: it is {}{hint}", answer.status)));
        }
        let content_type = answer.field("content-type").unwrap_or_default();
        Ok((serde_json::from_slice(answer.body).ok(), content_type.into_owned()))
    }

    /// The addresses of the items, from their links.
    async fn items(&mut self, facts: &mut RestFacts, most: usize) -> Result<(), Failed> {
        facts.is_collection = true;
        let collection = format!("{}/", self.url.path.trim_end_matches('/'));
        while facts.items.len() < most {
            let limit = PAGE.min(most - facts.items.len());
            let path = format!("{collection}?limit={limit}&offset={}", facts.items.len());
            let (page, _) = self.get(&path).await?;
            let page = page.unwrap_or_default();
            let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            for item in items {
                let links = item["links"].as_array().map(Vec::as_slice).unwrap_or_default();
                let own = links.iter().find(|link| link["rel"] == "self");
                let own = own.and_then(|link| link["href"].as_str());
                let own = own.ok_or_else(|| Failed::check("the items have no `self` links"))?;
                facts.items.push(self.url.at(own).path);
            }
            if items.is_empty() || page["hasMore"] != true {
                break;
            }
        }
        Ok(())
    }

    /// Whether members may be written, from the resource's description.
    async fn description(&mut self, facts: &mut RestFacts) -> Result<(), Failed> {
        let path = self.url.path.trim_end_matches('/');
        let Some((mount, name)) = path.rsplit_once('/') else { return Ok(()) };
        let Ok((Some(described), _)) = self.get(&format!("{mount}/metadata-catalog/{name}/")).await
        else {
            return Ok(());
        };
        facts.is_duet = described["operations"].is_array();
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let (keys, operations) = (list(&described["primarykey"]), list(&described["operations"]));
        let allows = |operation: &str| operations.iter().any(|allowed| allowed == operation);
        let numbers: Vec<Value> = list(&described["members"])
            .into_iter()
            .filter(|member| member["type"] == "INTEGER" || member["type"] == "NUMBER")
            .map(|member| member["name"].clone())
            .collect();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if allows("update") {
            facts.changeable = numbers.iter().find(|name| !keys.contains(name)).and_then(text);
        }
        if allows("insert") && allows("delete") && keys.len() == 1 && numbers.contains(&keys[0]) {
            facts.key = text(&keys[0]);
        }
        Ok(())
    }
}
