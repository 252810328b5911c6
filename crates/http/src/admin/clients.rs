//! `/admin/clients`: the clients of the server, made, given roles and new secrets, and removed by an administrator, who gives no right
//! that it lacks.

use std::sync::Arc;

use duet_auth::{AccessLink, ApiKey, Operation, Principal, Privilege, RegisteredClient, Secret};
use duet_model::{Code, Error, Place, Result};
use duet_service::definition::Mounts;
use duet_service::query::Parameters;
use duet_service::{Auth, ClientSummary, LinkSummary, NewLink, Service};
use duet_text::time::moment::rfc3339;
use serde_json::{Value, json};

use crate::answer::reply::Reply;
use crate::observe::event::Event;
use crate::request::principal::now;
use crate::worker::Worker;

/// The answer to `GET /admin/clients`: those in force, those of applications that keep clients of their own, and the privileges
/// that applications declare for roles.
pub(crate) fn list(worker: &Worker) -> Reply {
    let applications = &worker.shared.applications;
    let auth = applications.auth();
    let clients = |auth: &Auth| -> Vec<Value> { auth.clients().iter().map(summary).collect() };
    let own = applications.services().iter().filter(|one| !Arc::ptr_eq(one.auth(), auth));
    let own = own.map(|one| {
        json!({ "application": one.name(), "source": one.auth().health().source, "clients": clients(one.auth()) })
    });
    let privileges = applications.services().iter().flat_map(privileges);
    let body = json!({
        "source": auth.health().source,
        "ofRun": auth.is_of_run(),
        "clients": clients(auth),
        "ofApplications": own.collect::<Vec<_>>(),
        "privileges": privileges.collect::<Vec<_>>(),
    });
    Reply::json(body.to_string().into_bytes())
}

/// The privileges that an application declares.
fn privileges(service: &Arc<Service>) -> Vec<Value> {
    let application = service.application();
    let Mounts::Declared(mount) = &application.mounts else { return Vec::new() };
    let privilege = |one: &Privilege| {
        json!({
            "application": service.name(), "name": one.name, "roles": one.roles, "patterns": one.patterns,
            "operations": one.operations.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
        })
    };
    mount.privileges.iter().map(privilege).collect()
}

/// The answer to `POST /admin/clients?add=NAME&roles=A,B`, `?link=NAME&of=ID&path=PATH&operations=A,B&seconds=N&uses=N`,
/// `?set=ID&roles=A,B`, `?rotate=ID` and `?remove=ID`. A secret is in it, and nowhere else.
///
/// # Errors
/// For wrong parameters, rights that the administrator lacks, and clients that cannot be changed.
pub(crate) async fn change(
    worker: &Worker,
    who: &Principal,
    parameters: &Parameters<'_>,
) -> Result<Reply> {
    let auth = worker.shared.applications.auth();
    if let Some(name) = parameters.text("link")? {
        return link(worker, who, &name, parameters).await;
    }
    let (add, rotate, remove) =
        (parameters.text("add")?, parameters.text("rotate")?, parameters.text("remove")?);
    let (set, roles) = (parameters.text("set")?, parameters.text("roles")?);
    if roles.is_some() && add.is_none() && set.is_none() {
        return Err(wrong("roles", "`roles` goes with `add` and `set`."));
    }
    if roles.is_none() && set.is_some() {
        return Err(wrong("roles", "`set` needs `roles`: those that the client has from now on."));
    }
    let roles = listed(roles.as_deref());
    let (done, client, secret) = match (add, set, rotate, remove) {
        (Some(name), None, None, None) => {
            let (client, secret) = auth.add_client(who, &name, &roles, now()).await?;
            ("added".to_owned(), client, Some(secret))
        }
        (None, Some(id), None, None) => {
            let client = auth.set_client_roles(who, &id, &roles).await?;
            (format!("given the roles {:?}", client.roles.join(", ")), client, None)
        }
        (None, None, Some(id), None) => {
            let (client, secret) = auth.rotate_client(who, &id).await?;
            ("given a new secret".to_owned(), client, Some(secret))
        }
        (None, None, None, Some(id)) => {
            ("removed".to_owned(), auth.remove_client(who, &id, now()).await?, None)
        }
        _ => {
            let ways =
                "Give one of `?add=NAME`, `?link=NAME`, `?set=ID`, `?rotate=ID` and `?remove=ID`.";
            return Err(wrong("add", ways));
        }
    };
    let what = format!("the client {} ({}) was {done}", client.name, client.id);
    worker.events.emit(&Event::Administered { by: who.name(), what: &what });
    Ok(Reply::json(changed(&client, secret.as_ref()).to_string().into_bytes()))
}

/// Makes a link.
async fn link(
    worker: &Worker,
    who: &Principal,
    name: &str,
    parameters: &Parameters<'_>,
) -> Result<Reply> {
    for other in ["add", "set", "rotate", "remove", "roles"] {
        if parameters.text(other)?.is_some() {
            return Err(wrong(other, &format!("`{other}` does not go with `link`.")));
        }
    }
    let needed = |name: &str, what: &str| -> Result<_> {
        parameters
            .text(name)?
            .ok_or_else(|| wrong(name, &format!("`link` needs `{name}`: {what}.")))
    };
    let of = needed("of", "the client that it acts for")?;
    let path = needed("path", "the resource or item that it leads to")?;
    let operations = needed("operations", "what it allows, such as `read`")?;
    let seconds = needed("seconds", "how long it is valid")?;
    let count = |name: &str, text: &str| {
        text.parse::<u32>().map_err(|_| wrong(name, &format!("`{name}` is a number.")))
    };
    let uses = parameters.text("uses")?.map(|text| count("uses", &text)).transpose()?;
    let applications = &worker.shared.applications;
    let is_served = applications
        .find(&path)
        .is_some_and(|number| worker.service(number).snapshot().route(&path).is_some());
    if !is_served {
        return Err(wrong("path", "No application of this server has this path."));
    }
    let operations = listed(Some(&operations)).into_iter().map(operation).collect::<Result<_>>()?;
    let new = NewLink {
        name,
        of: &of,
        path: &path,
        operations,
        expires: now().saturating_add(count("seconds", &seconds)?.into()),
        uses,
    };
    let (client, token) = applications.auth().add_link(who, new, now()).await?;
    let what = format!("the link {} ({}) to {path} was added", client.name, client.id);
    worker.events.emit(&Event::Administered { by: who.name(), what: &what });
    Ok(Reply::json(changed(&client, Some(&token)).to_string().into_bytes()))
}

/// The operation of this name.
fn operation(name: &str) -> Result<Operation> {
    Operation::of_name(name).ok_or_else(|| {
        let all = Operation::ALL.map(Operation::as_str).join(", ");
        wrong("operations", &format!("There is no operation {name:?}: there is {all}."))
    })
}

/// The roles of a list.
fn listed(roles: Option<&str>) -> Vec<&str> {
    roles.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty()).collect()
}

fn summary(client: &ClientSummary) -> Value {
    let ClientSummary { id, name, roles, db_role, tenant, key, link } = client;
    let mut out =
        json!({ "id": id, "name": name, "roles": roles, "dbRole": db_role, "tenant": tenant });
    if let Some(key) = key {
        out["apiKey"] = api_key(*key);
    }
    if let Some(LinkSummary { link, of }) = link {
        out["link"] = of_link(link);
        out["link"]["of"] = of.as_deref().into();
    }
    out
}

/// What a link leads to.
fn of_link(link: &AccessLink) -> Value {
    json!({
        "path": link.path, "operations": link.operations, "expires": rfc3339(link.expires),
        "ended": !link.is_valid_at(now()), "uses": link.uses, "used": link.used,
    })
}

/// An API key without its secret: the id is the part of it that anybody may see.
fn api_key(key: ApiKey) -> Value {
    let is_expired = !key.is_valid_at(now());
    json!({ "expires": key.expires.map(rfc3339), "expired": is_expired, "lastUsed": key.last_used.map(rfc3339) })
}

fn changed(client: &RegisteredClient, secret: Option<&Secret>) -> Value {
    let db_role = client.db_role.as_ref().map(ToString::to_string);
    let mut out = json!({ "client": {
        "id": client.id.as_str(), "name": client.name, "roles": client.roles, "dbRole": db_role, "tenant": client.tenant,
    } });
    if let Some(key) = client.key {
        out["client"]["apiKey"] = api_key(key);
    }
    match (&client.link, secret) {
        (Some(link), secret) => {
            out["client"]["link"] = of_link(link);
            if let Some(token) = secret {
                out["address"] = link.address(token).expose().into();
            }
        }
        (None, Some(secret)) => out["secret"] = secret.expose().into(),
        (None, None) => {}
    }
    out
}

fn wrong(name: &str, message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}
