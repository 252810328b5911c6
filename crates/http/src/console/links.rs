//! The links of the server, for people with `duet.admin`: what `/admin/clients` lists and changes of them, each change after
//! a question. Who makes one needs the rights of the client that it acts for, as `/admin/clients` asks.

use bytes::Bytes;
use duet_auth::Operation;
use duet_console::address::query;
use duet_console::operate::links::{LinkDraft, LinkRow, Links, LinksPage};
use duet_console::operate::question::{Question, ShownSecret};
use duet_console::page::Section;
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::call::CallAnswer;
use super::clients::PATH;
use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The page, with a question about a link if one is named.
pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let mut links = match listed(visit).await {
        Ok(links) => links,
        Err(called) => return visit.refused(&called),
    };
    let (rotate, remove) = (parameters.text("rotate"), parameters.text("remove"));
    let named = links.links.iter().find(|it| it.id == rotate || it.id == remove);
    links.question = named.map(|link| match remove.is_empty() {
        true => rotation(link),
        false => removal(link),
    });
    show(visit, &links)
}

/// What the form asks for: a question about a new link, or what was asked.
pub(super) async fn done(visit: &Visit<'_>, form: &Form) -> Reply {
    let mut links = match listed(visit).await {
        Ok(links) => links,
        Err(called) => return visit.refused(&called),
    };
    let link = form.text("link");
    let asked = match form.text("action") {
        "ask" => {
            links.draft = draft(form);
            links.question = Some(addition(&links.draft, &links.clients));
            return show(visit, &links);
        }
        "link" => {
            links.draft = draft(form);
            let sent = fields(&links.draft);
            let sent: Vec<(&str, &str)> =
                sent.iter().map(|(name, text)| (*name, &**text)).collect();
            query(&[&sent[..], &[("seconds", &links.draft.seconds())]].concat())
        }
        // A client that is no link is changed on its own page.
        "rotate" | "remove" if !links.links.iter().any(|it| it.id == link) => {
            return visit.nothing();
        }
        "rotate" => query(&[("rotate", link)]),
        "remove" => query(&[("remove", link)]),
        _ => return visit.nothing(),
    };
    let called = visit.api().send(Method::POST, &format!("{PATH}{asked}"), &[], Bytes::new()).await;
    if !called.status.is_success() {
        links.problem = Some(called.problem());
        return show(visit, &links);
    }
    let mut after = listed(visit).await.unwrap_or(links);
    tell(&mut after, &called.json(), form.text("action"));
    show(visit, &after)
}

/// Says what was done, and the address.
fn tell(links: &mut Links, answer: &Value, action: &str) {
    let text = |name: &str| answer["client"][name].as_str().unwrap_or_default().to_owned();
    let (id, name) = (text("id"), text("name"));
    links.done = Some(match action {
        "link" => format!("{name} was made."),
        "rotate" => format!("{name} has a new address."),
        _ => format!("{name} was revoked."),
    });
    let address = answer["address"].as_str();
    links.secret =
        address.map(|address| ShownSecret { id, label: "Address", text: address.to_owned() });
}

async fn listed(visit: &Visit<'_>) -> Result<Links, CallAnswer> {
    let called = visit.api().get(PATH).await;
    if !called.status.is_success() {
        return Err(called);
    }
    let json = called.json();
    let all = || json["clients"].as_array().into_iter().flatten();
    let client = |it: &Value| {
        let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
        it.get("link").is_none().then(|| (text("id"), text("name")))
    };
    Ok(Links {
        source: json["source"].as_str().unwrap_or_default().to_owned(),
        links: all().filter_map(LinkRow::of).collect(),
        clients: all().filter_map(client).collect(),
        operations: Operation::ALL.map(Operation::as_str).into(),
        draft: LinkDraft {
            operations: vec![Operation::Read.as_str().to_owned()],
            duration: "7".to_owned(),
            ..LinkDraft::default()
        },
        is_read_only: visit.options.read_only,
        ..Links::default()
    })
}

/// What the form has, or the answer to its question.
fn draft(form: &Form) -> LinkDraft {
    let text = |name: &str| form.text(name).trim().to_owned();
    let operations = form.all("operation").flat_map(|it| it.split(','));
    LinkDraft {
        name: text("name"),
        of: text("of"),
        path: text("path"),
        operations: operations.filter(|it| !it.is_empty()).map(str::to_owned).collect(),
        duration: text("duration"),
        unit: text("unit"),
        uses: text("uses"),
    }
}

/// The parameters of the API that the draft has as they are.
fn fields(draft: &LinkDraft) -> [(&'static str, String); 5] {
    [
        ("link", draft.name.clone()),
        ("of", draft.of.clone()),
        ("path", draft.path.clone()),
        ("operations", draft.operations.join(",")),
        ("uses", draft.uses.clone()),
    ]
}

fn show(visit: &Visit<'_>, links: &Links) -> Reply {
    let status = match &links.problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let frame = visit.frame("Links", Section::Operate);
    shown(status, LinksPage { frame, shown: links }.html())
}

fn addition(draft: &LinkDraft, clients: &[(String, String)]) -> Question {
    let of = clients.iter().find(|(id, _)| *id == draft.of).map_or("no client", |(_, name)| name);
    let uses = match draft.uses.as_str() {
        "" => "any number of requests".to_owned(),
        "1" => "1 request".to_owned(),
        uses => format!("{uses} requests"),
    };
    let LinkDraft { name, path, duration, unit, .. } = draft;
    let operations = draft.operations.join(", ");
    let words = format!(
        "This makes 1 link, {name}, to {path} for {of}: {operations}, for {duration} {unit} and {uses}. Anyone with its address has this right."
    );
    Question {
        action: "link",
        fields: vec![
            ("name", name.clone()),
            ("of", draft.of.clone()),
            ("path", path.clone()),
            ("operation", draft.operations.join(",")),
            ("duration", duration.clone()),
            ("unit", unit.clone()),
            ("uses", draft.uses.clone()),
        ],
        words,
        button: "Make it",
    }
}

fn rotation(link: &LinkRow) -> Question {
    Question {
        action: "rotate",
        fields: vec![("link", link.id.clone())],
        words: format!(
            "This gives 1 link, {}, a new address. The one that it has ends at once.",
            link.name
        ),
        button: "Give a new address",
    }
}

fn removal(link: &LinkRow) -> Question {
    Question {
        action: "remove",
        fields: vec![("link", link.id.clone())],
        words: format!(
            "This revokes 1 link, {}. Requests by its address get 401 from now on. It cannot be undone.",
            link.name
        ),
        button: "Revoke it",
    }
}
