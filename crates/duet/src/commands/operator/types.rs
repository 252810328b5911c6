//! `duet types`: asks a server for the OpenAPI documents of its resources, and writes them as TypeScript.

use duet_bench::record::TransactionCost;
use duet_bench::targets::http::{HttpConnection, Url};
use duet_bench::whole_file;
use serde_json::{Map, Value};

use super::admin::{TIMEOUT, unreachable};
use super::found_server::FoundServer;
use super::typescript;
use crate::args::Types;
use crate::command_error::CommandError;
use crate::report::{Outcome, print};

/// The roles of schemas in the map of resources, by what the names of theirs end with.
const ROLES: [(&str, &str); 5] = [
    ("item", "Item"),
    ("page", "Page"),
    ("insert", "New"),
    ("replace", "Whole"),
    ("merge", "Patch"),
];

pub(in crate::commands) fn run(arguments: &Types) -> Outcome {
    let found = FoundServer::of(&arguments.server, &[])?;
    let mount = arguments.mount.as_deref();
    let text = crate::runtime::runtime()?.block_on(async {
        let mut server = Server::connect(&found).await?;
        types(&mut server, mount).await
    })?;
    let Some(file) = &arguments.out else { return print(&text) };
    whole_file::write(file, text).map_err(|error| CommandError::unwritable(file, error))
}

/// A connection with the caller's credentials.
struct Server {
    url: Url,
    connection: HttpConnection,
    authorization: String,
}

impl Server {
    async fn connect(server: &FoundServer) -> Outcome<Self> {
        let (url, access) = (server.url.clone(), &server.access);
        let failed = |failed| unreachable(&url, &failed);
        let mut connection = HttpConnection::open(&url, TIMEOUT).await.map_err(failed)?;
        let header = access.authorization(&mut connection, &url, "").await.map_err(failed)?;
        let authorization = header.map(|it| format!("Authorization: {it}\r\n")).unwrap_or_default();
        Ok(Self { url, connection, authorization })
    }

    /// The JSON at a path, which the server itself has named.
    async fn get(&mut self, path: &str) -> Outcome<Value> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\n{}\r\n",
            self.url.host, self.authorization
        );
        let mut work = TransactionCost::default();
        let answer = self.connection.exchange(request.as_bytes(), &mut work).await;
        let answer = answer.map_err(|failed| unreachable(&self.url, &failed))?;
        let body: Value = serde_json::from_slice(answer.body).unwrap_or_default();
        if answer.status == 200 {
            return Ok(body);
        }
        let detail = body["detail"].as_str().map(str::to_owned);
        let message = detail.unwrap_or_else(|| format!("The server answers {}.", answer.status));
        Err(CommandError::server(message)
            .hint("Give --token or --client (DUET_TOKEN, DUET_CLIENT) of a client that may read."))
    }
}

/// A resource, with the names of its types by what they are for.
struct ResourceTypes {
    path: String,
    roles: Vec<(&'static str, String)>,
}

async fn types(server: &mut Server, wanted: Option<&str>) -> Outcome<String> {
    let index = server.get("/").await?;
    let mount = chosen(&mounts(&index), wanted)?;
    let resources = server.get(&format!("{}/", mount.trim_end_matches('/'))).await?;
    let (mut schemas, mut paths) = (Map::new(), Vec::new());
    for resource in resources["resources"].as_array().into_iter().flatten() {
        let Some(address) = link(resource, "service-desc") else { continue };
        let Some(collection) = link(resource, "collection") else { continue };
        let mut document = server.get(&address).await?;
        let Some(Value::Object(all)) = document.pointer_mut("/components/schemas").map(Value::take)
        else {
            continue;
        };
        paths.push(ResourceTypes { path: collection, roles: roles(&all) });
        for (name, schema) in all {
            schemas.entry(name).or_insert(schema);
        }
    }
    if paths.is_empty() {
        return Err(CommandError::server(format!("{mount} has no resource that you may read."))
            .hint("Give --token or --client (DUET_TOKEN, DUET_CLIENT) of a client that may."));
    }
    let mut text = format!("// Written by `duet types` for {mount}. Do not edit.\n\n");
    text.push_str(&typescript::declarations(&schemas));
    text.push_str(&map(&paths));
    Ok(text)
}

/// The paths of the mounts that the caller may see.
fn mounts(index: &Value) -> Vec<String> {
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let applications = all(&index["applications"]).into_iter();
    let mounts = applications.flat_map(|application| all(&application["mounts"]));
    mounts.filter_map(|mount| link(&mount, "self")).collect()
}

/// The mount that is named, or the only one.
fn chosen(mounts: &[String], wanted: Option<&str>) -> Outcome<String> {
    let names: Vec<&str> = mounts.iter().map(|it| it.trim_end_matches('/')).collect();
    let found = match (wanted, &*names) {
        (Some(wanted), names) => names.iter().find(|it| **it == wanted.trim_end_matches('/')),
        (None, [only]) => Some(only),
        (None, _) => None,
    };
    found.map(|it| (*it).to_owned()).ok_or_else(|| {
        let all = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = match wanted {
            Some(wanted) => format!("There is no mount {wanted:?}: there is {all}."),
            None => format!("Which mount? There is {all}."),
        };
        CommandError::server(message).hint("Name one with --mount, and a client that may read it.")
    })
}

/// The path of a link; addresses of the index are absolute. What is no path of this server is none.
fn link(of: &Value, rel: &str) -> Option<String> {
    let links = of["links"].as_array()?;
    let href = links.iter().find(|it| it["rel"] == rel)?["href"].as_str()?;
    let rest = href.split_once("://").map_or(href, |(_, rest)| rest);
    let path = &rest[rest.find('/')?..];
    path.bytes().all(|byte| byte.is_ascii_graphic()).then(|| path.to_owned())
}

/// The schemas of a document's own resource, which come first in it.
fn roles(schemas: &Map<String, Value>) -> Vec<(&'static str, String)> {
    let Some(stem) = schemas.keys().find_map(|name| name.strip_suffix("Item")) else {
        return Vec::new();
    };
    let named = ROLES.iter().map(|(role, ending)| (*role, format!("{stem}{ending}")));
    named.filter(|(_, name)| schemas.contains_key(name)).collect()
}

/// An interface that leads from the path of a resource to its types.
fn map(paths: &[ResourceTypes]) -> String {
    let mut text =
        "/** The types of each resource, by its path. */\nexport interface Resources {\n"
            .to_owned();
    for ResourceTypes { path, roles } in paths {
        let all: Vec<String> = roles.iter().map(|(role, name)| format!("{role}: {name}")).collect();
        text.push_str(&format!("  {}: {{ {} }};\n", Value::from(path.as_str()), all.join("; ")));
    }
    text.push_str("}\n");
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn links_lead_to_this_server_alone() {
        let of = |href: &str| link(&json!({ "links": [{ "rel": "self", "href": href }] }), "self");
        assert_eq!(of("http://h:1/a/b/").as_deref(), Some("/a/b/"));
        assert_eq!(of("/a/").as_deref(), Some("/a/"));
        assert_eq!(of("http://h:1/a\r\nX: y"), None);
        assert_eq!(of("http://h:1"), None);
    }

    #[test]
    fn one_mount_is_chosen() {
        let all = ["/a/".to_owned(), "/b/".to_owned()];
        assert_eq!(chosen(&all, Some("/b")).unwrap(), "/b");
        assert_eq!(chosen(&all[..1], None).unwrap(), "/a");
        let refused = chosen(&all, None).unwrap_err();
        assert_eq!(refused.message(), "Which mount? There is /a, /b.");
        assert!(chosen(&all, Some("/c")).is_err() && chosen(&[], None).is_err());
    }
}
