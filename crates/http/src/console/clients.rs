//! The clients of the server, for people with `duet.admin`: what `/admin/clients` lists and changes, each change after a
//! question.

use bytes::Bytes;
use duet_console::address::query;
use duet_console::clients::{Client, Clients, ClientsPage, Question};
use duet_console::page::Section;
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::call::Called;
use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The API's own path.
const PATH: &str = "/admin/clients";

/// The page, with a question about a client if one is named.
pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let mut clients = match listed(visit).await {
        Ok(clients) => clients,
        Err(called) => return visit.refused(&called),
    };
    let (rotate, remove) = (parameters.text("rotate"), parameters.text("remove"));
    let named = clients.clients.iter().find(|it| it.id == rotate || it.id == remove);
    clients.question = named.map(|client| match remove.is_empty() {
        true => rotation(client),
        false => removal(client, clients.clients.len()),
    });
    show(visit, &clients)
}

/// What the form asks for: a question about a new client, or what was asked.
pub(super) async fn done(visit: &Visit<'_>, form: &Form) -> Reply {
    let mut clients = match listed(visit).await {
        Ok(clients) => clients,
        Err(called) => return visit.refused(&called),
    };
    if form.text("action") == "ask" {
        let roles: Vec<String> = form.all("role").map(str::to_owned).collect();
        clients.question = Some(addition(form.text("name"), &roles));
        clients.typed = (form.text("name").to_owned(), roles);
        return show(visit, &clients);
    }
    let client = form.text("client");
    let asked = match form.text("action") {
        "add" => query(&[("add", client), ("roles", form.text("roles"))]),
        "rotate" => query(&[("rotate", client)]),
        "remove" => query(&[("remove", client)]),
        _ => return visit.nothing(),
    };
    let called = visit.api().send(Method::POST, &format!("{PATH}{asked}"), &[], Bytes::new()).await;
    if !called.status.is_success() {
        clients.problem = Some(called.problem());
        return show(visit, &clients);
    }
    // A session whose own client has a new secret has ended, and sees the secret all the same.
    let mut after = listed(visit).await.unwrap_or(clients);
    tell(&mut after, &called.json(), form.text("action"));
    show(visit, &after)
}

/// Says what was done, and the secret.
fn tell(clients: &mut Clients, answer: &Value, action: &str) {
    let (client, secret) = (&answer["client"], answer["secret"].as_str());
    let (id, name) =
        (client["id"].as_str().unwrap_or_default(), client["name"].as_str().unwrap_or_default());
    clients.done = Some(match action {
        "add" => format!("{name} was made."),
        "rotate" => format!("{name} has a new secret."),
        _ => format!("{name} was removed."),
    });
    clients.secret = secret.map(|secret| (id.to_owned(), secret.to_owned()));
}

async fn listed(visit: &Visit<'_>) -> Result<Clients, Called> {
    let called = visit.api().get(PATH).await;
    if !called.status.is_success() {
        return Err(called);
    }
    let json = called.json();
    let own = visit.session.as_ref().map_or("", |session| session.client());
    let all = json["clients"].as_array().into_iter().flatten();
    let clients: Vec<Client> = all.map(|it| Client::of(it, own)).collect();
    let mut roles = clients.iter().find(|it| it.is_own).map(|it| it.roles.clone());
    if let Some(roles) = roles.as_mut().filter(|it| it.iter().any(|role| role == "duet.write"))
        && !roles.iter().any(|role| role == "duet.read")
    {
        roles.push("duet.read".to_owned());
    }
    Ok(Clients {
        source: json["source"].as_str().unwrap_or_default().to_owned(),
        of_run: json["ofRun"] == true,
        clients,
        roles: roles.unwrap_or_default(),
        is_read_only: visit.options.read_only,
        ..Clients::default()
    })
}

fn show(visit: &Visit<'_>, clients: &Clients) -> Reply {
    let status = match &clients.problem {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let frame = visit.frame("Clients", Section::Operate);
    shown(status, ClientsPage { frame, shown: clients }.html())
}

fn addition(name: &str, roles: &[String]) -> Question {
    let given = match roles {
        [] => "without a role, so with the rights of everybody".to_owned(),
        [one] => format!("with the role {one}"),
        several => format!("with the {} roles {}", several.len(), several.join(", ")),
    };
    Question {
        action: "add",
        client: name.to_owned(),
        roles: roles.join(","),
        words: format!("This makes 1 client, {name}, {given}."),
        button: "Make it",
    }
}

fn rotation(client: &Client) -> Question {
    Question {
        action: "rotate",
        client: client.id.clone(),
        words: format!(
            "This gives 1 client, {}, a new secret. Its secret and all its tokens end at once: programs that use them fail until they have the new one.",
            client.name
        ),
        button: "Give a new secret",
        ..Question::default()
    }
}

fn removal(client: &Client, all: usize) -> Question {
    Question {
        action: "remove",
        client: client.id.clone(),
        words: format!(
            "This removes 1 of {all} clients, {}. Its secret and all its tokens end at once. It cannot be undone.",
            client.name
        ),
        button: "Remove it",
        ..Question::default()
    }
}
