//! The design of a file of an application: a service, a collection or its JSON Schema. The whole application is read with the
//! text as a reload would read it, and its mistakes stand at their places. Where the operator allows it, a service is tried
//! with the rights of the session, and the file is stored and served.

use std::sync::Arc;

use duet_console::address::{encoded, query};
use duet_console::design::{
    Advice, CollectionModel, DesignFile, DesignedFile, DesignedFilePart, FileLink, ServiceModel,
    ServiceTrial, Syntax,
};
use duet_console::page::Section;
use duet_service::advice::{Requests, wanted};
use duet_service::definition::{Mounts, ServiceFile};
use duet_service::{Draft, DraftResource, Service, Snapshot};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName};
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::access::{may_store, refused, service_of};
use super::model::{self, kind_name};
use super::storage::{self, hash, problem, put, stored};
use super::texts::{PART, downloaded, mistake};
use crate::answer::reply::Reply;
use crate::console::form::Form;
use crate::console::visit::{Visit, see, shown};
use crate::message::media::JSON;

/// Bytes of an answer that are shown.
const SHOWN: usize = 20_000;
/// The limit for a try.
const LIMIT: (HeaderName, &str) = (HeaderName::from_static("request-timeout"), "5s");
/// Bytes of a file at most.
const LARGEST: usize = 1 << 20;

/// The list of files, or the page of one.
pub(in crate::console) async fn page(visit: &Visit<'_>, path: &str, parameters: &Form) -> Reply {
    let Some(path) = path.strip_suffix('/') else { return visit.nothing() };
    if let Some(refused) = refused(visit).await {
        return refused;
    }
    let Some(service) = service_of(visit, path) else { return visit.nothing() };
    let name = parameters.text("file");
    let mut shown = ShownFile { path, name, before: String::new(), text: String::new() };
    let mut designed = DesignedFile::default();
    if name.is_empty() {
        designed.problem = service.files().err().map(|error| problem(&error));
        return shown.page(visit, service, &designed);
    }
    // Other files of the folder may hold secrets.
    let is_named = links(&service.snapshot()).iter().any(|link| link.name == name);
    let text = if is_named { stored(service, name).await } else { Ok(None) };
    match text {
        Ok(Some(text)) => (shown.before, shown.text) = (hash(&text), text),
        Ok(None) => {}
        Err(error) => designed.problem = Some(problem(&error)),
    }
    if designed.problem.is_none() && !shown.text.trim().is_empty() {
        designed = compiled(visit, service, name, &shown.text, None).await.0;
    }
    designed.syntax = syntax(name);
    designed.done = storage::done(parameters, name);
    shown.page(visit, service, &designed)
}

/// What a form asks for: a check, a change of the text, a try, a file to keep, or to store it.
pub(in crate::console) async fn done(
    visit: &Visit<'_>,
    path: &str,
    parameters: &Form,
    form: &Form,
) -> Reply {
    let Some(path) = path.strip_suffix('/') else { return visit.nothing() };
    if let Some(refused) = refused(visit).await {
        return refused;
    }
    let Some(service) = service_of(visit, path) else { return visit.nothing() };
    let name = parameters.text("file");
    // Browsers send every line's end as CR LF.
    let mut text = form.text("text").replace("\r\n", "\n");
    text.truncate(text.floor_char_boundary(LARGEST));
    if form.text("action") == "download" {
        return downloaded(name.rsplit('/').next().unwrap_or(name), &text);
    }
    let (mut designed, draft) = compiled(visit, service, name, &text, Some(form)).await;
    match form.text("action") {
        "try" => designed.trial = tried(visit, path, draft.as_ref(), form, &designed).await,
        "store" => match put(visit, service, name, &text, form, draft.as_ref()).await {
            Ok(stored) => {
                let query = query(&[("file", name), ("stored", stored)]);
                return see(&format!("{}/files{path}/{query}", visit.base()));
            }
            Err(problem) => designed.problem = Some(problem),
        },
        _ => {}
    }
    let accepts_part =
        visit.arrived.request.headers().get(ACCEPT).is_some_and(|accept| accept == PART);
    if accepts_part {
        return shown(StatusCode::OK, DesignedFilePart { designed: &designed }.html());
    }
    let text = designed.changed.clone().unwrap_or(text);
    let before = form.text("before").to_owned();
    ShownFile { path, name, before, text }.page(visit, service, &designed)
}

/// A file as its page shows it.
struct ShownFile<'a> {
    path: &'a str,
    name: &'a str,
    before: String,
    text: String,
}

impl ShownFile<'_> {
    fn page(&self, visit: &Visit<'_>, service: &Service, designed: &DesignedFile) -> Reply {
        let title = if self.name.is_empty() { "Services and collections" } else { self.name };
        let page = DesignFile {
            frame: visit.frame(title, Section::Data),
            mount: self.path,
            path: &format!("{}/files{}/", visit.base(), self.path),
            file: self.name,
            before: &self.before,
            text: &self.text,
            files: &links(&service.snapshot()),
            may_store: may_store(visit),
            designed,
        };
        shown(StatusCode::OK, page.html())
    }
}

/// The files of services and collections in force.
fn links(snapshot: &Snapshot) -> Vec<FileLink> {
    let Mounts::Declared(mount) = &snapshot.application.mounts else { return Vec::new() };
    let link = |name: &str, kind| FileLink { name: name.to_owned(), kind };
    let services = mount.services.iter().map(|one| link(&one.file, "service"));
    let collections = mount.collection_files.iter().flat_map(|one| {
        [link(&one.name, "collection"), link(&one.schema.0, "JSON Schema of a collection")]
    });
    services.chain(collections).collect()
}

fn syntax(name: &str) -> Syntax {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("toml") => Syntax::Collection,
        Some("json") => Syntax::Schema,
        _ => Syntax::Service,
    }
}

/// What a text becomes, after what a form has changed in it.
async fn compiled(
    visit: &Visit<'_>,
    service: &Arc<Service>,
    name: &str,
    text: &str,
    form: Option<&Form>,
) -> (DesignedFile, Option<Draft>) {
    let (designed, draft) = described(visit, service, name, text, form).await;
    let sent = |asked: &str| form.and_then(|form| form.get(asked)).map(str::to_owned);
    let asks = ["form", "add"].contains(&&*sent("action").unwrap_or_default())
        || sent("drop").is_some()
        || sent("declare").is_some();
    let changed = match (&designed.service, &designed.collection) {
        (Some(model), _) if asks => model.changed(text, &sent),
        (_, Some(model)) if asks && designed.syntax == Syntax::Collection => {
            model.changed(text, &sent)
        }
        _ => return (designed, draft),
    };
    let (mut again, draft) = described(visit, service, name, &changed, form).await;
    again.changed = Some(changed);
    (again, draft)
}

async fn described(
    visit: &Visit<'_>,
    service: &Arc<Service>,
    name: &str,
    text: &str,
    form: Option<&Form>,
) -> (DesignedFile, Option<Draft>) {
    let mut designed =
        DesignedFile { syntax: syntax(name), words: model::words(), ..DesignedFile::default() };
    let draft = match service.draft(name, text).await {
        Ok(Ok(draft)) => draft,
        Ok(Err(mistakes)) => {
            for one in mistakes {
                match one.file == name {
                    true => designed.mistakes.push(mistake(text, one)),
                    false => designed.elsewhere.push(one.rendered),
                }
            }
            return (designed, None);
        }
        Err(error) => {
            designed.problem = Some(problem(&error));
            return (designed, None);
        }
    };
    match &draft.resource {
        Some(DraftResource::Service(resource)) => {
            let given =
                |name: &str| form.map_or("", |form| form.text(&format!("p-{name}"))).to_owned();
            let model = model::service(resource, draft.statements.clone(), &given);
            designed.no_trial = no_trial(visit, &model);
            designed.service = Some(model);
        }
        Some(DraftResource::Collection(collection)) => {
            let mut model =
                model::collection(collection, &draft.snapshot, draft.statements.clone());
            model.other = other_file(&draft.snapshot, name);
            if let Some(log) = form.map(|form| form.text("log")).filter(|log| !log.is_empty()) {
                advise(service, &draft, log, &mut model);
            }
            designed.collection = Some(model);
        }
        Some(DraftResource::Views) | None => designed.is_unnamed = true,
    }
    (designed, Some(draft))
}

/// The file beside that of a collection, encoded for an address.
fn other_file(snapshot: &Snapshot, name: &str) -> Option<String> {
    let Mounts::Declared(mount) = &snapshot.application.mounts else { return None };
    mount.collection_files.iter().find_map(|one| match name {
        _ if one.name == name => Some(encoded(&one.schema.0)),
        _ if one.schema.0 == name => Some(encoded(&one.name)),
        _ => None,
    })
}

/// Indexes that the requests of a log lack, as the collections are declared now.
fn advise(service: &Service, draft: &Draft, log: &str, model: &mut CollectionModel) {
    let Mounts::Declared(mount) = &draft.snapshot.application.mounts else { return };
    let names = [model.name.clone()];
    let mut requests = Requests::default();
    for line in log.lines().map(str::trim).filter(|line| !line.is_empty()) {
        requests.add(line, service, &names);
    }
    let shapes = &requests.shapes;
    let declared = mount.collections.iter().find(|one| one.declaration().name == model.name);
    let has = |index: &duet_service::definition::DeclaredIndex| {
        declared.is_some_and(|one| one.declaration().indexes.contains(index))
    };
    let lacking = wanted(&mount.collections, shapes).into_iter().filter(|one| !has(&one.index));
    let advice = lacking.map(|one| Advice {
        kind: kind_name(one.index.kind).to_owned(),
        paths: std::iter::once(&one.index.path).chain(&one.index.then).cloned().collect(),
        count: one.shapes.iter().map(|at| shapes[*at].count).sum(),
        millis: one.shapes.iter().map(|at| shapes[*at].micros).sum::<u64>() / 1_000,
        example: one
            .shapes
            .first()
            .and_then(|at| shapes[*at].slowest.first())
            .map_or_else(String::new, |it| it.target.clone()),
    });
    model.advice = advice.collect();
    let count: u64 = shapes.iter().map(|shape| shape.count).sum();
    let lacks = match model.advice.len() {
        0 => "They lack no index.".to_owned(),
        1 => "They lack an index.".to_owned(),
        several => format!("They lack {several} indexes."),
    };
    model.found = format!(
        "{count} requests of {}, {} others, {} lines that are no requests. {lacks}",
        model.name, requests.others, requests.unreadable
    );
    log.clone_into(&mut model.log);
}

/// Why a service is not tried.
fn no_trial(visit: &Visit<'_>, model: &ServiceModel) -> Option<&'static str> {
    if !visit.options.files {
        return Some(
            "The server runs no SQL that is not served yet: start it with `--console-files`, or store the file and use its API page.",
        );
    }
    (visit.options.read_only && !model.reads)
        .then_some("The console was started with `--console-read-only`: it tries no write.")
}

/// Runs a service with the values of the form, as the session's client.
async fn tried(
    visit: &Visit<'_>,
    path: &str,
    draft: Option<&Draft>,
    form: &Form,
    designed: &DesignedFile,
) -> Option<ServiceTrial> {
    let draft = draft?;
    let Some(DraftResource::Service(resource)) = &draft.resource else { return None };
    if designed.no_trial.is_some() {
        return None;
    }
    let (method, target, body) = request(path, &resource.file, form)?;
    let prefer = (HeaderName::from_static("prefer"), "tx=rollback");
    let mut headers = vec![LIMIT];
    headers.extend((!body.is_empty()).then_some((CONTENT_TYPE, JSON)));
    headers.extend((!resource.file.reads()).then_some(prefer));
    let shown = format!("{method} {target}");
    let called = visit.api().send_in(&draft.snapshot, method, &target, &headers, body.into()).await;
    let is_json = called.header(CONTENT_TYPE).contains("json") && called.body.len() <= SHOWN;
    let mut body = match is_json && !called.body.is_empty() {
        true => serde_json::to_string_pretty(&called.json()).unwrap_or_default(),
        false => String::from_utf8_lossy(&called.body).into_owned(),
    };
    body.truncate(body.floor_char_boundary(SHOWN));
    let applied = called.header(HeaderName::from_static("preference-applied"));
    Some(ServiceTrial {
        request: shown,
        status: called.status.to_string(),
        is_success: called.status.is_success(),
        body,
        undone: applied.contains("tx=rollback"),
    })
}

/// The request of a service with the values of a form.
fn request(path: &str, file: &ServiceFile, form: &Form) -> Option<(Method, String, String)> {
    let method = Method::from_bytes(file.method.as_bytes()).ok()?;
    let (mut below, mut pairs, mut members) =
        (file.path.to_string(), Vec::new(), serde_json::Map::new());
    let in_path: Vec<&str> = file.path.parameters().collect();
    for one in &file.parameters {
        let given = form.text(&format!("p-{}", one.name));
        if in_path.contains(&one.name.as_str()) {
            below = below.replace(&format!("{{{}}}", one.name), &encoded(given));
        } else if !given.is_empty() {
            pairs.push((one.name.as_str(), given));
            members.insert(one.name.clone(), json_value(&one.ty, given));
        }
    }
    let by_query = file.method == "GET";
    let query = if by_query { query(&pairs) } else { String::new() };
    let has_body = !by_query && file.parameters.len() > in_path.len();
    let body = if has_body { Value::Object(members).to_string() } else { String::new() };
    Some((method, format!("{path}{below}{query}"), body))
}

/// A value as the body has it: numbers, booleans and JSON as they are typed, others as texts.
fn json_value(ty: &duet_model::Type, given: &str) -> Value {
    let is_json =
        ty.is_number() || matches!(ty, duet_model::Type::Boolean | duet_model::Type::Json);
    let parsed = is_json.then(|| serde_json::from_str(given).ok()).flatten();
    parsed.unwrap_or_else(|| given.into())
}
