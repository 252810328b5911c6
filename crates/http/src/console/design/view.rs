//! The design of a duality view: its text is compiled as a start would compile it, and shown as a tree with a switch for each
//! right, with its first documents and what a write would do. For clients with `duet.admin`: a definition names tables,
//! whatever is served of them. Nothing is served by it.

use std::collections::BTreeSet;
use std::sync::Arc;

use duet_console::address::query;
use duet_console::design::{Attempt, Design, Designed, DesignedPart, FileStore, Node, View};
use duet_console::page::{Problem, Section};
use duet_model::{Cardinality, Member, MemberKind, Shape};
use duet_service::definition::DesignMistake;
use duet_service::{DesignedView, Resource, printed};
use hyper::StatusCode;
use hyper::header::ACCEPT;

use super::access::{may_store, refused, service_of};
use super::diagram::around;
use super::storage::{self, hash, put};
use super::texts::{PART, downloaded, mistake};
use super::trial::{samples, trial};
use crate::answer::reply::Reply;
use crate::console::form::Form;
use crate::console::visit::{Visit, see, shown};

/// Views of a text whose documents are read.
const VIEWS: usize = 4;
/// The names of rights, as definitions have them.
const RIGHTS: [&str; 3] = ["insert", "update", "delete"];

/// The page, with a definition that is served if one is named.
pub(in crate::console) async fn page(visit: &Visit<'_>, path: &str, parameters: &Form) -> Reply {
    let Some(path) = path.strip_suffix('/') else { return visit.nothing() };
    if let Some(refused) = refused(visit).await {
        return refused;
    }
    let Some(number) = visit.arrived.worker.shared.applications.find(path) else {
        return visit.nothing();
    };
    let service = &visit.arrived.worker.shared.applications.services()[number];
    let files = service.definitions(path);
    let file = files.iter().find(|(name, _)| name == parameters.text("file"));
    let (name, text) = file.map_or(("", ""), |(name, text)| (name, text));
    let Some(mut compiled) = compiled(visit, path, text, "").await else {
        return visit.nothing();
    };
    compiled.read(visit, path).await;
    compiled.designed.done = storage::done(parameters, name);
    let before = file.map(|(_, text)| hash(text)).unwrap_or_default();
    show(visit, path, name, &before, text, &compiled.designed)
}

/// Compiles the text of a form, after a switch of it, and tries a write; or gives it as a file.
pub(in crate::console) async fn done(visit: &Visit<'_>, path: &str, form: &Form) -> Reply {
    let Some(path) = path.strip_suffix('/') else { return visit.nothing() };
    if let Some(refused) = refused(visit).await {
        return refused;
    }
    // Browsers send every line's end as CR LF.
    let text = form.text("text").replace("\r\n", "\n");
    let Some(mut compiled) = compiled(visit, path, &text, form.text("switch")).await else {
        return visit.nothing();
    };
    if form.text("action") == "download" {
        return file(&text, &compiled.designed);
    }
    if form.text("action") == "store" {
        match stored(visit, path, &text, form).await {
            Ok(reply) => return reply,
            Err(problem) => compiled.designed.problem = Some(problem),
        }
    }
    compiled.designed.attempt = attempt(form);
    if form.text("action") == "try" {
        compiled.try_write(visit, path).await;
    }
    compiled.read(visit, path).await;
    let designed = &compiled.designed;
    let headers = visit.arrived.request.headers();
    if headers.get(ACCEPT).is_some_and(|accept| accept == PART) {
        let part = DesignedPart { designed }.html();
        return shown(StatusCode::OK, part);
    }
    let text = designed.changed.clone().unwrap_or(text);
    show(visit, path, form.text("file"), form.text("before"), &text, designed)
}

/// Stores the text as the file of the form.
async fn stored(visit: &Visit<'_>, path: &str, text: &str, form: &Form) -> Result<Reply, Problem> {
    let Some(service) = service_of(visit, path) else { return Ok(visit.nothing()) };
    let name = form.text("file").trim();
    // Its mistakes beside others of the application are said by the page.
    let draft = service.draft(name, text).await.ok().and_then(Result::ok);
    let stored = put(visit, service, name, text, form, draft.as_ref()).await?;
    let query = query(&[("file", name), ("stored", stored)]);
    Ok(see(&format!("{}/design{path}/{query}", visit.base())))
}

fn attempt(form: &Form) -> Attempt {
    let text = |name: &str| form.text(name).to_owned();
    let document = form.text("document").replace("\r\n", "\n");
    Attempt { view: text("view"), method: text("method"), key: text("key"), document }
}

/// What a text has become.
struct CompiledText {
    designed: Designed,
    /// The views, as they would be served.
    resources: Vec<Arc<Resource>>,
}

impl CompiledText {
    /// Reads the first documents of each view.
    async fn read(&mut self, visit: &Visit<'_>, path: &str) {
        self.designed.is_read_only = visit.options.read_only;
        let tables = self.resources.iter().flat_map(|view| &view.shape.nodes);
        let names: BTreeSet<&str> = tables.map(|node| node.table.name.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        self.designed.diagram =
            service_of(visit, path).and_then(|service| around(service, visit.base(), path, &names));
        for (view, resource) in self.designed.views.iter_mut().zip(&self.resources).take(VIEWS) {
            match samples(visit, path, resource).await {
                Ok(samples) => view.samples = samples,
                Err(problem) => view.problem = Some(problem),
            }
        }
    }

    /// Writes the document of the form, as far as it can be undone.
    async fn try_write(&mut self, visit: &Visit<'_>, path: &str) {
        let attempt = &self.designed.attempt;
        let named = self.designed.views.iter().position(|view| view.name == attempt.view);
        let Some(resource) = self.resources.get(named.unwrap_or(0)) else { return };
        self.designed.trial = Some(trial(visit, path, resource, attempt).await);
    }
}

fn show(
    visit: &Visit<'_>,
    path: &str,
    name: &str,
    before: &str,
    text: &str,
    designed: &Designed,
) -> Reply {
    let applications = &visit.arrived.worker.shared.applications;
    let service = applications.find(path).map(|number| &applications.services()[number]);
    let files: Vec<String> = service
        .map(|service| service.definitions(path))
        .unwrap_or_default()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let own = format!("{}/design{path}/", visit.base());
    let frame = visit.frame("Design", Section::Data);
    let store = match service.map(|service| service.files()) {
        _ if !may_store(visit) => FileStore::Off,
        Some(Ok(_)) => FileStore::On,
        _ => FileStore::NoApplication,
    };
    let file = (name, before, store);
    let page = Design { frame, mount: path, path: &own, text, files: &files, file, designed };
    shown(StatusCode::OK, page.html())
}

/// The text as a file, by the name of its first view.
fn file(text: &str, designed: &Designed) -> Reply {
    let name = designed.views.first().map_or("view", |view| &view.name);
    downloaded(&format!("{name}.sql"), text)
}

/// What a text becomes, after a switch; `None` where there is no mount at this path.
async fn compiled(visit: &Visit<'_>, path: &str, text: &str, switch: &str) -> Option<CompiledText> {
    let shared = &visit.arrived.worker.shared;
    let number = shared.applications.find(path)?;
    let service = Arc::clone(&shared.applications.services()[number]);
    let (path, text, switch) = (path.to_owned(), text.to_owned(), switch.to_owned());
    if text.trim().is_empty() {
        let nothing = CompiledText { designed: Designed::default(), resources: Vec::new() };
        return service.design(&path, "").map(|_| nothing);
    }
    // A large schema takes its time, which delays no request.
    let compiled = tokio::task::spawn_blocking(move || {
        let found = service.design(&path, &text)?;
        Some(match switched(&found, &switch) {
            None => described(&text, found),
            Some(changed) => {
                let mut again = described(&changed, service.design(&path, &changed)?);
                again.designed.changed = Some(changed);
                again
            }
        })
    });
    compiled.await.ok().flatten()
}

/// The definition with a right of a node changed; `None` without a switch, or where the text has mistakes.
fn switched(found: &Result<Vec<DesignedView>, Vec<DesignMistake>>, switch: &str) -> Option<String> {
    let views = found.as_ref().ok()?;
    let mut words = switch.rsplitn(3, ' ');
    let (right, number, name) = (words.next()?, words.next()?, words.next()?);
    let number: usize = number.parse().ok()?;
    let texts = views.iter().map(|view| {
        let mut shape = Shape::clone(&view.shape);
        if shape.name != name {
            return Some(view.text.clone());
        }
        let operations = &mut shape.nodes.get_mut(number)?.operations;
        let right = match RIGHTS.iter().position(|known| *known == right)? {
            0 => &mut operations.insert,
            1 => &mut operations.update,
            _ => &mut operations.delete,
        };
        *right = !*right;
        Some(printed(&shape))
    });
    texts.collect::<Option<Vec<_>>>().map(|texts| texts.join("\n"))
}

fn described(text: &str, found: Result<Vec<DesignedView>, Vec<DesignMistake>>) -> CompiledText {
    let mut designed = Designed::default();
    let mut resources = Vec::new();
    match found {
        Ok(views) => {
            designed.views = views.iter().map(view).collect();
            resources = views.into_iter().map(|view| view.resource).collect();
        }
        Err(mistakes) => {
            designed.mistakes = mistakes.into_iter().map(|it| mistake(text, it)).collect();
        }
    }
    CompiledText { designed, resources }
}

fn view(it: &DesignedView) -> View {
    let shape = &it.shape;
    let root = shape.root();
    let key = shape.key.iter().map(|column| column_of(&root.members, *column));
    let statements = it.explanation.iter().flat_map(|explained| &explained.statements);
    View {
        name: shape.name.clone(),
        nodes: (0..shape.nodes.len()).map(|number| node(shape, number)).collect(),
        key: key.collect(),
        statements: statements.map(|it| (it.title.clone(), it.sql.clone())).collect(),
        text: it.text.clone(),
        ..View::default()
    }
}

/// The name of the member that is a column.
fn column_of(members: &[Member], column: usize) -> String {
    let is_it =
        |member: &&Member| matches!(&member.kind, MemberKind::Column(it) if it.column == column);
    members.iter().find(is_it).map_or_else(|| "…".to_owned(), |member| member.name.clone())
}

fn node(shape: &Shape, number: usize) -> Node {
    let own = &shape.nodes[number];
    let parent = own.link.as_ref().map(|link| &shape.nodes[link.parent]);
    let columns = |relation: &duet_model::Relation, list: &[usize]| -> String {
        let names = list.iter().map(|column| relation.columns[*column].name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    let link = own.link.as_ref().zip(parent).map(|(link, parent)| {
        let (theirs, mine) = (
            columns(&parent.table, &link.parent_columns),
            columns(&own.table, &link.child_columns),
        );
        format!("{}.{theirs} = {}.{mine}", parent.table.name, own.table.name)
    });
    let mut depth = 0;
    let mut above = own.link.as_ref();
    while let Some(link) = above {
        depth += 1;
        above = shape.nodes[link.parent].link.as_ref();
    }
    let member = parent.and_then(|parent| member_of(&parent.members, number));
    let operations = own.operations;
    Node {
        number,
        depth: depth.min(6),
        member: member.unwrap_or_else(|| shape.name.clone()),
        table: own.table.name.clone(),
        cardinality: match own.link.as_ref().map(|link| link.cardinality) {
            None => "",
            Some(Cardinality::One) => "one",
            Some(Cardinality::Many) => "many",
        },
        link: link.unwrap_or_default(),
        members: own_members(&own.members),
        rights: [
            (RIGHTS[0], operations.insert),
            (RIGHTS[1], operations.update),
            (RIGHTS[2], operations.delete),
        ],
    }
}

/// The name of the member that holds a node.
fn member_of(members: &[Member], node: usize) -> Option<String> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Object(it) | MemberKind::Array(it) | MemberKind::Scalars(it) if *it == node => {
            Some(member.name.clone())
        }
        MemberKind::Unnest(it) if *it == node => Some("(unnested)".to_owned()),
        MemberKind::Group(members) => member_of(members, node),
        _ => None,
    })
}

/// The names of the members that are no other tables.
fn own_members(members: &[Member]) -> Vec<String> {
    let names = members.iter().flat_map(|member| match &member.kind {
        MemberKind::Group(members) => own_members(members),
        MemberKind::Column(_) | MemberKind::Generated { .. } | MemberKind::Document(_) => {
            vec![member.name.clone()]
        }
        MemberKind::Flex(_) => vec!["(flexible members)".to_owned()],
        _ => Vec::new(),
    });
    names.collect()
}
