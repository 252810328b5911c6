//! The paths of administration, each with its methods and their query parameters: what is routed, what is refused by name,
//! and what the manual lists.

use duet_model::{Code, Error};
use duet_service::query::Parameters;
use hyper::Method;

use crate::answer::refusal::Refusal;
use crate::message::methods::Methods;

/// Whom a path of administration is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdminReach {
    /// The whole server: who administrates one tenant may not use it.
    Server,
    /// The tenant that the header names: who administrates one tenant has no other.
    Tenant,
}

/// A path of administration. It needs the role `duet.admin`.
#[derive(Clone, Copy, Debug)]
pub struct AdminPath {
    /// The whole path.
    pub path: &'static str,
    /// Its methods, each with the query parameters that it takes.
    pub methods: &'static [(&'static str, &'static [&'static str])],
    /// Whom it is about.
    pub reach: AdminReach,
}

/// A path about the whole server.
const fn server(
    path: &'static str,
    methods: &'static [(&'static str, &'static [&'static str])],
) -> AdminPath {
    AdminPath { path, methods, reach: AdminReach::Server }
}

/// The query parameters that change clients.
const CLIENT_CHANGES: [&str; 11] = [
    "add",
    "set",
    "roles",
    "rotate",
    "remove",
    "link",
    "of",
    "path",
    "operations",
    "seconds",
    "uses",
];

/// The paths of administration.
pub const ADMIN_PATHS: [AdminPath; 15] = [
    server("/metrics", &[("GET", &[])]),
    server("/admin/status", &[("GET", &[])]),
    server("/admin/instances", &[("GET", &[])]),
    server("/admin/services", &[("GET", &[])]),
    server("/admin/queues", &[("GET", &[])]),
    server("/admin/latencies", &[("GET", &[])]),
    server("/admin/schema-changes", &[("GET", &[])]),
    server("/admin/clients", &[("GET", &[]), ("POST", &CLIENT_CHANGES)]),
    server("/admin/database", &[("GET", &[])]),
    server("/admin/log", &[("GET", &["level", "words"])]),
    server("/admin/rowstore", &[("GET", &[]), ("POST", &["resource", "bytes", "populate"])]),
    server(
        "/admin/journal",
        &[
            ("GET", &["application", "wait_for", "timeout"]),
            ("POST", &["application", "flush", "timeout"]),
        ],
    ),
    server(
        "/admin/journal/dead-letters",
        &[
            ("GET", &["application", "journal", "from", "to", "resource", "limit"]),
            (
                "POST",
                &["application", "journal", "from", "to", "resource", "redrive", "discard", "all"],
            ),
        ],
    ),
    server("/admin/reload", &[("POST", &[])]),
    AdminPath { path: "/_/tenant", methods: &[("POST", &[])], reach: AdminReach::Tenant },
];

impl AdminPath {
    /// The parameters of a method; HEAD has those of GET.
    fn parameters(&self, method: &Method) -> Option<&'static [&'static str]> {
        let name = if *method == Method::HEAD { "GET" } else { method.as_str() };
        self.methods.iter().find(|(method, _)| *method == name).map(|(_, parameters)| *parameters)
    }

    fn allowed(&self) -> Methods {
        match self.methods {
            [_, _, ..] => Methods::LOOK_AND_POST,
            [("POST", _)] => Methods::POST,
            _ => Methods::LOOK,
        }
    }
}

/// The query parameters of a request to a path.
///
/// # Errors
/// Where there is no such path, and where it does not take the method or a parameter.
pub(crate) fn asked<'q>(
    path: &str,
    method: &Method,
    query: Option<&'q str>,
) -> Result<Parameters<'q>, Refusal> {
    let row = ADMIN_PATHS.iter().find(|row| row.path == path).ok_or_else(no_such_path)?;
    let known = row.parameters(method).ok_or_else(|| Refusal::method(row.allowed()))?;
    Ok(Parameters::parse(query, known)?)
}

/// The parameters that a change of a path takes.
pub(crate) fn of_change(path: &str) -> &'static [&'static str] {
    let row = ADMIN_PATHS.iter().find(|row| row.path == path);
    row.and_then(|row| row.parameters(&Method::POST)).unwrap_or_default()
}

/// The paths below `/admin`, for who looks for another one.
fn no_such_path() -> Error {
    let below = ADMIN_PATHS.iter().filter(|row| row.path.starts_with("/admin/"));
    let paths: Vec<String> = below
        .map(|row| {
            let methods: Vec<&str> = row.methods.iter().map(|(method, _)| *method).collect();
            format!("{} {}", methods.join(" and "), row.path)
        })
        .collect();
    Error::new(Code::NotServed, format!("There are {}.", paths.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manual_names_each_path_and_parameter() {
        let manual = [
            include_str!("../../../../docs/operations.md"),
            include_str!("../../../../docs/journal.md"),
            include_str!("../../../../docs/rowstore.md"),
            include_str!("../../../../docs/clients.md"),
            include_str!("../../../../docs/console.md"),
            include_str!("../../../../docs/tenants.md"),
        ]
        .concat();
        for row in ADMIN_PATHS {
            assert!(manual.contains(row.path), "{}", row.path);
            for parameter in row.methods.iter().flat_map(|(_, parameters)| *parameters) {
                let forms = [
                    format!("?{parameter}"),
                    format!("&{parameter}"),
                    format!("`{parameter}`"),
                    format!("`{parameter}="),
                ];
                let is_named = forms.iter().any(|form| manual.contains(form));
                assert!(is_named, "{}: {parameter}", row.path);
            }
        }
    }
}
