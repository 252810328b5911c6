//! `/admin/clients`: the clients of the server, made, given roles and new secrets, and removed by an administrator, who gives no right
//! that it lacks.

use std::sync::Arc;

use duet_auth::{ApiKey, Client, Operation, Principal, Privilege, Secret};
use duet_model::{Code, Error, Place, Result};
use duet_service::definition::Mounts;
use duet_service::query::Parameters;
use duet_service::{Auth, ClientSummary, Service};
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
            "operations": one.operations.iter().map(|operation| word(*operation)).collect::<Vec<_>>(),
        })
    };
    mount.privileges.iter().map(privilege).collect()
}

/// An operation as privileges name it.
fn word(operation: Operation) -> &'static str {
    match operation {
        Operation::Read => "read",
        Operation::Insert => "insert",
        Operation::Update => "update",
        Operation::Delete => "delete",
        Operation::Execute => "execute",
    }
}

/// The answer to `POST /admin/clients?add=NAME&roles=A,B`, `?set=ID&roles=A,B`, `?rotate=ID` and `?remove=ID`. A secret is in
/// it, and nowhere else.
///
/// # Errors
/// For wrong parameters, rights that the administrator lacks, and clients that cannot be changed.
pub(crate) async fn change(
    worker: &Worker,
    who: &Principal,
    parameters: &Parameters<'_>,
) -> Result<Reply> {
    let auth = worker.shared.applications.auth();
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
            let (client, secret) = auth.add_client(who, (&name, &roles), now()).await?;
            ("added".to_owned(), client, Some(secret))
        }
        (None, Some(id), None, None) => {
            let client = auth.set_client_roles(who, (&id, &roles)).await?;
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
            let ways = "Give one of `?add=NAME`, `?set=ID`, `?rotate=ID` and `?remove=ID`.";
            return Err(wrong("add", ways));
        }
    };
    let what = format!("the client {} ({}) was {done}", client.name, client.id);
    worker.events.emit(&Event::Administered { by: who.name(), what: &what });
    Ok(Reply::json(changed(&client, secret.as_ref()).to_string().into_bytes()))
}

/// The roles of a list.
fn listed(roles: Option<&str>) -> Vec<&str> {
    roles.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty()).collect()
}

fn summary(client: &ClientSummary) -> Value {
    let ClientSummary { id, name, roles, db_role, tenant, key } = client;
    let mut out =
        json!({ "id": id, "name": name, "roles": roles, "dbRole": db_role, "tenant": tenant });
    if let Some(key) = key {
        out["apiKey"] = api_key(*key);
    }
    out
}

/// An API key without its secret: the id is the part of it that anybody may see.
fn api_key(key: ApiKey) -> Value {
    let is_expired = !key.is_valid_at(now());
    json!({ "expires": key.expires.map(rfc3339), "expired": is_expired, "lastUsed": key.last_used.map(rfc3339) })
}

fn changed(client: &Client, secret: Option<&Secret>) -> Value {
    let db_role = client.db_role.as_ref().map(ToString::to_string);
    let mut out = json!({ "client": {
        "id": client.id.as_str(), "name": client.name, "roles": client.roles, "dbRole": db_role, "tenant": client.tenant,
    } });
    if let Some(key) = client.key {
        out["client"]["apiKey"] = api_key(key);
    }
    if let Some(secret) = secret {
        out["secret"] = secret.expose().into();
    }
    out
}

fn wrong(name: &str, message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}
