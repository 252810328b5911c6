//! The routes of resources by their templates: what latencies are counted by.

use super::event::Exchange;

/// Requests for a resource that have one template.
struct RouteForm {
    /// The name of their feature.
    feature: &'static str,
    /// Their methods.
    methods: &'static [&'static str],
    /// What is shown as the method.
    method: &'static str,
    /// What follows the path of the resource.
    tail: &'static str,
}

const fn route(
    feature: &'static str,
    methods: &'static [&'static str],
    tail: &'static str,
) -> RouteForm {
    RouteForm { feature, methods, method: methods[0], tail }
}

/// How many routes a resource has.
pub(crate) const ROUTES: usize = FORMS.len();

/// The path of an item.
const ITEM: &str = "/{key}";

/// The routes, those first that are called most. A write of an item precedes that of a whole resource with its method.
const FORMS: [RouteForm; 28] = [
    route("item", &["GET", "HEAD"], ITEM),
    route("page", &["GET", "HEAD"], "/"),
    route("write", &["PUT"], ITEM),
    route("write", &["POST"], "/"),
    route("write", &["PATCH"], ITEM),
    route("write", &["DELETE"], ITEM),
    route("write", &["PUT"], "/"),
    route("write", &["PATCH"], "/"),
    route("write", &["DELETE"], "/"),
    route("items", &["GET", "HEAD"], "/ of several keys"),
    route("search", &["POST", "QUERY"], "/search"),
    route("stream", &["GET", "HEAD", "POST", "QUERY"], "/ as a stream"),
    route("live", &["GET", "HEAD"], "/ as live changes"),
    route("load", &["POST", "PUT"], "/batchload"),
    route("batch", &["POST", "PUT", "PATCH", "DELETE"], "/_/batch"),
    route("rows", &["GET", "HEAD"], "/_/journal/{id}"),
    route("view_events", &["GET", "HEAD"], "/_/events"),
    route("service", &["GET", "HEAD"], ""),
    route("service", &["POST"], ""),
    route("service", &["PUT"], ""),
    route("service", &["PATCH"], ""),
    route("service", &["DELETE"], ""),
    route("service_batch", &["POST"], "/_/batch"),
    route("service_batch", &["PUT"], "/_/batch"),
    route("service_batch", &["PATCH"], "/_/batch"),
    route("service_batch", &["DELETE"], "/_/batch"),
    route("routine", &["GET", "HEAD"], ""),
    route("routine", &["POST"], ""),
];

/// The number of a request's route; `None` for what has no figures by route, such as OPTIONS.
pub(crate) fn number(exchange: &Exchange<'_>) -> Option<usize> {
    let is_it = |form: &&RouteForm| {
        form.feature == exchange.feature && form.methods.contains(&exchange.method)
    };
    let at = FORMS.iter().position(|form| is_it(&form))?;
    // Writes of an item and of the whole resource differ by their paths.
    if FORMS[at].feature == "write" && FORMS[at].tail == ITEM && !is_item(exchange) {
        let whole = FORMS[at + 1..].iter().position(|form| is_it(&form))?;
        return Some(at + 1 + whole);
    }
    Some(at)
}

/// Whether something follows the resource in the path.
fn is_item(exchange: &Exchange<'_>) -> bool {
    let segments = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let own = exchange.resource.map_or(0, |resource| segments(resource.mount) + 1);
    segments(exchange.target.path()) > own
}

/// The template of a route of the resource at this path.
pub(crate) fn template(number: usize, resource: &str) -> String {
    let RouteForm { method, tail, .. } = FORMS[number];
    format!("{method} {resource}{tail}")
}

/// The features that have routes.
#[cfg(test)]
pub(crate) fn features() -> impl Iterator<Item = &'static str> {
    FORMS.iter().map(|form| form.feature)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::event::{RequestTarget, ServedKind, ServedResource};
    use crate::observe::stage::Stages;

    fn shown(method: &'static str, path: &'static str, feature: &'static str) -> Option<String> {
        let (mount, name) = ("/ords/hr", "team");
        let resource =
            ServedResource { mount, name, application: 0, generation: 1, of: ServedKind::Rows(0) };
        let exchange = Exchange {
            method,
            target: RequestTarget::text(path),
            resource: Some(resource),
            feature,
            ..Exchange::sample(200, Stages::default())
        };
        Some(template(number(&exchange)?, "/ords/hr/team"))
    }

    #[test]
    fn requests_are_known_by_their_templates() {
        for (method, path, feature, expected) in [
            ("GET", "/ords/hr/team/7", "item", "GET /ords/hr/team/{key}"),
            ("HEAD", "/ords/hr/team/8", "item", "GET /ords/hr/team/{key}"),
            ("GET", "/ords/hr/team/", "page", "GET /ords/hr/team/"),
            ("POST", "/ords/hr/team/", "write", "POST /ords/hr/team/"),
            ("PUT", "/ords/hr/team/7", "write", "PUT /ords/hr/team/{key}"),
            ("DELETE", "/ords/hr/team/7?x=1", "write", "DELETE /ords/hr/team/{key}"),
            ("DELETE", "/ords/hr/team/?q=%7B%7D", "write", "DELETE /ords/hr/team/"),
            ("PATCH", "/ords/hr/team", "write", "PATCH /ords/hr/team/"),
            ("QUERY", "/ords/hr/team/", "search", "POST /ords/hr/team/search"),
            ("PUT", "/ords/hr/team/batchload", "load", "POST /ords/hr/team/batchload"),
        ] {
            assert_eq!(shown(method, path, feature).as_deref(), Some(expected), "{method} {path}");
        }
        assert_eq!(shown("OPTIONS", "/ords/hr/team/", "options"), None);
    }
}
