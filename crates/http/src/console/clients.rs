//! The clients of the server, for people with `duet.admin`: what `/admin/clients` lists and changes, each change after a
//! question.

use bytes::Bytes;
use duet_console::address::{encoded, query};
use duet_console::operate::clients::{
    ApplicationClients, Client, Clients, ClientsPage, PrivilegeRow, RoleChoice,
};
use duet_console::operate::question::{Question, ShownSecret};
use duet_console::page::Section;
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::call::CallAnswer;
use super::form::Form;
use super::visit::{Visit, shown};
use crate::answer::reply::Reply;

/// The API's own path.
pub(super) const PATH: &str = "/admin/clients";

/// The page, with a question about a client if one is named.
pub(super) async fn page(visit: &Visit<'_>, parameters: &Form) -> Reply {
    let mut clients = match listed(visit).await {
        Ok(clients) => clients,
        Err(called) => return visit.refused(&called),
    };
    let (rotate, remove) = (parameters.text("rotate"), parameters.text("remove"));
    let changed = clients.clients.iter().find(|it| it.id == parameters.text("roles") && !it.is_own);
    clients.changed = changed.map(|client| {
        let has = |role: &String| client.roles.contains(role);
        let others = clients.roles.iter().filter(|role| !has(role)).map(|it| (it.clone(), false));
        let own = client.roles.iter().map(|role| (role.clone(), true));
        let (id, name) = (client.id.clone(), client.name.clone());
        RoleChoice { id, name, roles: own.chain(others).collect() }
    });
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
    if form.text("action") == "roles" {
        let roles: Vec<String> = form.all("role").map(str::to_owned).collect();
        let named = clients.clients.iter().find(|it| it.id == client);
        clients.question = named.map(|client| other_roles(client, &roles));
        return show(visit, &clients);
    }
    let asked = match form.text("action") {
        "add" => query(&[("add", client), ("roles", form.text("roles"))]),
        // Without a role too: an empty value is left out of other queries.
        "set" => format!("{}&roles={}", query(&[("set", client)]), encoded(form.text("roles"))),
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
    let client = &answer["client"];
    let secret = answer["secret"].as_str();
    let (id, name) =
        (client["id"].as_str().unwrap_or_default(), client["name"].as_str().unwrap_or_default());
    clients.done = Some(match action {
        "add" => format!("{name} was made."),
        "set" => format!("{name} has other roles."),
        "rotate" => format!("{name} has a new secret."),
        _ => format!("{name} was removed."),
    });
    let shown =
        |secret: &str| ShownSecret { id: id.to_owned(), label: "Secret", text: secret.to_owned() };
    clients.secret = secret.map(shown);
}

async fn listed(visit: &Visit<'_>) -> Result<Clients, CallAnswer> {
    let called = visit.api().get(PATH).await;
    if !called.status.is_success() {
        return Err(called);
    }
    let json = called.json();
    let own = visit.session.as_ref().map_or("", |session| session.client());
    // Links have a page of their own.
    let clients = list(&json["clients"]).filter(|it| it.get("link").is_none());
    let clients: Vec<Client> = clients.map(|it| Client::of(it, own)).collect();
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
        of_applications: list(&json["ofApplications"]).map(of_application).collect(),
        privileges: list(&json["privileges"]).map(PrivilegeRow::of).collect(),
        is_read_only: visit.options.read_only,
        ..Clients::default()
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The clients that an application keeps itself; none of them has signed in here.
fn of_application(it: &Value) -> ApplicationClients {
    let text = |name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let client = |it: &Value| Client { is_own: false, ..Client::of(it, "") };
    ApplicationClients {
        application: text("application"),
        source: text("source"),
        clients: list(&it["clients"]).map(client).collect(),
    }
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
        fields: vec![("client", name.to_owned()), ("roles", roles.join(","))],
        words: format!("This makes 1 client, {name}, {given}."),
        button: "Make it",
    }
}

fn other_roles(client: &Client, roles: &[String]) -> Question {
    let lost: Vec<&str> =
        client.roles.iter().filter(|role| !roles.contains(role)).map(String::as_str).collect();
    let added: Vec<&str> =
        roles.iter().filter(|role| !client.roles.contains(role)).map(String::as_str).collect();
    let part = |verb: &str, list: &[&str]| match list {
        [] => String::new(),
        list => format!(" {verb} {}.", list.join(", ")),
    };
    let change = match lost.len() + added.len() {
        0 => " It has these already.".to_owned(),
        _ => part("It loses", &lost) + &part("It gets", &added),
    };
    Question {
        action: "set",
        fields: vec![("client", client.id.clone()), ("roles", roles.join(","))],
        words: format!(
            "This changes the roles of 1 client, {}, at once, also for its tokens.{change}",
            client.name
        ),
        button: "Change its roles",
    }
}

fn rotation(client: &Client) -> Question {
    Question {
        action: "rotate",
        fields: vec![("client", client.id.clone())],
        words: format!(
            "This gives 1 client, {}, a new secret. Its secret and all its tokens end at once: programs that use them fail until they have the new one.",
            client.name
        ),
        button: "Give a new secret",
    }
}

fn removal(client: &Client, all: usize) -> Question {
    Question {
        action: "remove",
        fields: vec![("client", client.id.clone())],
        words: format!(
            "This removes 1 of {all} clients, {}. Its secret and all its tokens end at once. It cannot be undone.",
            client.name
        ),
        button: "Remove it",
    }
}
