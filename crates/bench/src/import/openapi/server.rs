//! The target that a document names (OpenAPI 3.1 §4.8.5).

use serde_json::Value;

use super::super::Problem;
use super::api::Api;

/// The first server of a document.
#[derive(Debug, Default)]
pub(super) struct Server {
    /// Its URL, where it is a whole one.
    pub(super) target: Option<String>,
    /// What the user has to know of servers.
    pub(super) note: Option<String>,
    pub(super) problems: Vec<Problem>,
}

impl Server {
    pub(super) fn of(api: &Api<'_>) -> Self {
        let mut server = Self::default();
        let all = api.at("/servers").and_then(Value::as_array).map(Vec::as_slice);
        let Some([first, others @ ..]) = all else { return server };
        let url =
            |one: &Value| one.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut first_url = url(first);
        let variables = first.get("variables").and_then(Value::as_object);
        for (name, variable) in variables.into_iter().flatten() {
            let default = variable.get("default").and_then(Value::as_str).unwrap_or_default();
            first_url = first_url.replace(&format!("{{{name}}}"), default);
        }
        if first_url.contains('{') {
            let message = format!("The server {first_url:?} has a variable without a default.");
            server.problems.push(api.problem("/servers/0/url", message));
            return server;
        }
        let others: Vec<String> = others.iter().map(url).collect();
        match first_url.starts_with("http://") || first_url.starts_with("https://") {
            true => {
                server.target = Some(first_url.trim_end_matches('/').to_owned());
                server.note = (!others.is_empty()).then(|| {
                    format!("The target is the first server; there is also {}.", others.join(", "))
                });
            }
            false => {
                server.note = Some(format!(
                    "The server is {first_url:?}, below the address that the document came from: give --target."
                ));
            }
        }
        server
    }
}
