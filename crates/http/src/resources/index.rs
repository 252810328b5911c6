//! `/` and `{mount}/`: the resources that the caller may know, with links.

use std::sync::Arc;

use duet_auth::{Operation, Principal};
use duet_model::{Code, Error, steps};
use duet_service::{Applications, Mount, Resource, ResourceKind, ServiceKind, shown_path};
use hyper::header::ACCEPT;
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::answer::html::{self, escaped};
use crate::answer::refusal::Refusal;
use crate::answer::reply::Reply;
use crate::clients::remote::Remote;
use crate::describe::names::segment;
use crate::message::accept::preferred;
use crate::message::header::list;
use crate::message::media::JSON;
use crate::message::methods::Methods;
use crate::observe::event::Event;
use crate::request::arrived::ArrivedRequest;
use crate::request::credential::Credential;
use crate::request::principal::{KeyWait, now, principal};
use crate::worker::Worker;

/// `GET /`: the applications of which the caller may see something, and where to go on. A stranger
/// learns only of open resources: no version, no other name.
pub(crate) fn root(arrived: &ArrivedRequest) -> Result<Reply, Refusal> {
    let ArrivedRequest { worker, remote, request, .. } = arrived;
    match *request.method() {
        Method::GET | Method::HEAD => {}
        Method::OPTIONS => {
            return Ok(Reply::empty(hyper::StatusCode::NO_CONTENT).allow(Methods::READ));
        }
        _ => return Err(Refusal::method(Methods::READ)),
    }
    let accept = list(request.headers(), &ACCEPT);
    let Some(media) = preferred(accept.as_deref(), &[JSON, "text/html"], |media| media) else {
        let message = "This is served as application/json and text/html only.";
        return Err(Error::new(Code::NotAcceptable, message).into());
    };
    let callers = callers(worker, remote, request.headers())?;
    let base = arrived.origin()?.to_string();
    let index = of_process(&worker.shared.applications, &callers, &base);
    let mut reply = match *media {
        JSON => Reply::json(index.to_string().into_bytes()),
        _ => page(&index),
    };
    reply.varies = true;
    Ok(reply)
}

/// The caller, for each application: they may have different clients.
pub(crate) fn callers(
    worker: &Worker,
    remote: &Remote,
    headers: &HeaderMap,
) -> Result<Vec<Arc<Principal>>, Refusal> {
    let applications = &worker.shared.applications;
    let credential = Credential::of(headers, worker.shared.options.api_key_header.as_ref(), None);
    let mut known = false;
    let mut callers = Vec::new();
    for auth in applications.services().iter().map(|service| service.auth()) {
        let who = credential.ok().and_then(|it| it.verify(auth, now()).ok().flatten());
        known |= who.is_some();
        callers.push(who.unwrap_or_else(|| Arc::clone(auth.anonymous())));
    }
    if !known {
        // No token, or one that no application knows: the process's clients decide.
        let peer = worker.peer(remote, headers);
        let limiter = &worker.shared.bad_tokens;
        let who = principal(credential, applications.auth(), peer, limiter, KeyWait::Over);
        who.inspect_err(|refused| {
            let (peer, code) = (remote.text.as_str(), refused.error.code);
            worker.events.emit(&Event::TokenRefused { peer, code });
        })?;
    }
    Ok(callers)
}

fn of_process(applications: &Applications, callers: &[Arc<Principal>], base: &str) -> Value {
    let mut shown = Vec::new();
    for (service, who) in applications.services().iter().zip(callers) {
        let snapshot = service.snapshot();
        let visible = snapshot.mounts.iter().filter(|mount| !visible(mount, who).is_empty());
        let is_described_there = snapshot.application.profile().has_table_paths();
        let linked = |mount| match is_described_there {
            true => description_links(mount, base),
            false => links(mount, base),
        };
        let mounts: Vec<Value> = visible
            .map(|mount| json!({ "path": shown_path(&mount.path), "links": linked(mount) }))
            .collect();
        if !mounts.is_empty() || !who.is_anonymous() {
            shown.push(json!({ "name": service.name(), "mounts": mounts }));
        }
    }
    let mut index = json!({
        "name": "Duet",
        "applications": shown,
        "links": [
            { "rel": "self", "href": format!("{base}/") },
            { "rel": "status", "href": format!("{base}/health/ready") },
            { "rel": "token", "href": format!("{base}/oauth/token") },
        ],
    });
    if callers.iter().any(|who| !who.is_anonymous()) {
        index["version"] = env!("CARGO_PKG_VERSION").into();
    }
    index
}

/// `GET {mount}/`: the resources that the caller may use somehow, with their operations. `None`
/// where an anonymous caller may use nothing.
pub(crate) fn of_mount(mount: &Mount, who: &Principal, base: &str) -> Option<Value> {
    let visible = visible(mount, who);
    let has_services = services(mount, who, "").next().is_some();
    if visible.is_empty() && !has_services && who.is_anonymous() {
        return None;
    }
    let at = format!("{base}{}", mount.path);
    let entry = |entry: &Entry<'_>| {
        let (name, slash) = (segment(entry.name), if entry.is_routine { "" } else { "/" });
        let rel = if entry.is_routine { "execute" } else { "collection" };
        json!({
            "name": entry.name,
            "kind": entry.kind,
            "operations": entry.operations,
            "links": [
                { "rel": rel, "href": format!("{at}/{name}{slash}") },
                { "rel": "describedby", "href": format!("{at}/metadata-catalog/{name}/") },
                { "rel": "service-desc", "href": format!("{at}/open-api-catalog/{name}/") },
            ],
        })
    };
    let resources = visible.iter().map(entry).chain(services(mount, who, &at));
    Some(json!({
        "name": mount.name,
        "resources": resources.collect::<Vec<_>>(),
        "links": links(mount, base),
    }))
}

/// The services that a caller may use and that are not resources of their own name. The address of one is a
/// template (RFC 6570) where its path has parameters.
fn services<'m>(
    mount: &'m Mount,
    who: &'m Principal,
    at: &'m str,
) -> impl Iterator<Item = Value> + 'm {
    let others = mount.services().iter().filter(|service| match &service.kind {
        ServiceKind::Read(resource) => !resource.is_served_by_name(),
        ServiceKind::Write(_) | ServiceKind::Fixed => true,
    });
    let usable =
        others.filter(move |service| service.access.reaches(who, service.operation()).is_allowed());
    usable.map(move |service| {
        let file = &service.file;
        let mut link = json!({ "rel": "execute", "href": format!("{at}{}", file.path) });
        link["method"] = file.method.as_str().into();
        if file.path.parameters().next().is_some() {
            link["templated"] = true.into();
        }
        json!({
            "name": service.name(),
            "kind": "service",
            "operations": [service.operation().as_str()],
            "links": [link],
        })
    })
}

/// The links of a mount: itself, its catalog and its OpenAPI document (RFC 8631).
fn links(mount: &Mount, base: &str) -> Value {
    let at = format!("{base}{}", mount.path);
    json!([
        { "rel": "self", "href": format!("{at}/") },
        { "rel": "describedby", "href": format!("{at}/metadata-catalog/") },
        { "rel": "service-desc", "href": format!("{at}/open-api-catalog/") },
        { "rel": "up", "href": format!("{base}/") },
    ])
}

/// The links of a mount that is its own description.
fn description_links(mount: &Mount, base: &str) -> Value {
    json!([
        { "rel": "service-desc", "href": format!("{base}{}/", mount.path) },
        { "rel": "up", "href": format!("{base}/") },
    ])
}

/// Something below a mount that a caller may use.
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) kind: &'static str,
    pub(crate) operations: Vec<&'static str>,
    /// The comment on what it is made of.
    pub(crate) comment: Option<&'a str>,
    pub(crate) is_routine: bool,
}

/// What a caller may use below a mount, by name.
pub(crate) fn visible<'m>(mount: &'m Mount, who: &Principal) -> Vec<Entry<'m>> {
    let all = mount.resources().iter();
    let mut entries: Vec<Entry<'_>> = all.filter_map(|it| usable(it, who)).collect();
    entries.extend(mount.routines().into_iter().map(|routine| {
        let may = routine.access.reaches(who, Operation::Execute).is_allowed();
        let operations = if may { vec![Operation::Execute.as_str()] } else { Vec::new() };
        let comment = routine.routine.comment.as_deref();
        Entry { name: &routine.name, kind: "routine", operations, comment, is_routine: true }
    }));
    entries.retain(|entry| !entry.operations.is_empty());
    entries
}

/// What a caller may use of a resource that has a name of its own.
pub(crate) fn usable<'m>(resource: &'m Resource, who: &Principal) -> Option<Entry<'m>> {
    if !resource.is_served_by_name() {
        return None;
    }
    let kind = match resource.kind {
        ResourceKind::Table => "table",
        ResourceKind::View => "view",
        ResourceKind::DualityView => "duality view",
        ResourceKind::Service => "service",
        ResourceKind::Collection => "collection",
    };
    let operations = operations(resource, who);
    let comment = resource.comment.as_deref();
    let entry = Entry { name: &resource.name, kind, operations, comment, is_routine: false };
    Some(entry).filter(|entry| !entry.operations.is_empty())
}

/// What the resource and the caller's rights allow.
fn operations(resource: &Resource, who: &Principal) -> Vec<&'static str> {
    steps::step();
    let offered = [
        (Operation::Read, true),
        (Operation::Insert, resource.takes_inserts()),
        (Operation::Update, resource.takes_updates()),
        (Operation::Delete, resource.takes_deletes()),
    ];
    offered
        .into_iter()
        .filter(|(operation, offered)| {
            *offered && resource.access.reaches(who, *operation).is_allowed()
        })
        .map(|(operation, _)| operation.as_str())
        .collect()
}

/// The index of the process as a page without scripts and styles.
fn page(index: &Value) -> Reply {
    let mut html = html::begin("Duet");
    html.push_str("<h1>Duet</h1>\n");
    let text = |value: &Value| escaped(value.as_str().unwrap_or(""));
    let all = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let links = |html: &mut String, of: &Value| {
        html.push_str("<ul>\n");
        for link in all(&of["links"]) {
            let (href, rel) = (text(&link["href"]), text(&link["rel"]));
            html.push_str(&format!("<li>{rel}: <a href=\"{href}\">{href}</a>\n"));
        }
        html.push_str("</ul>\n");
    };
    for application in all(&index["applications"]) {
        html.push_str(&format!("<h2>{}</h2>\n", text(&application["name"])));
        for mount in all(&application["mounts"]) {
            html.push_str(&format!("<h3>{}</h3>\n", text(&mount["path"])));
            links(&mut html, &mount);
        }
    }
    html.push_str("<h2>This server</h2>\n");
    links(&mut html, index);
    let page = Reply::new(hyper::StatusCode::OK, Some(html::MEDIA), html.into_bytes());
    html::guards().into_iter().fold(page, |page, (name, value)| page.with(name, value))
}
