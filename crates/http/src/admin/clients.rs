//! `/admin/clients`: the clients of the server, made, given new secrets and removed by an administrator, who gives no right
//! that it lacks.

use duet_auth::{Client, Principal, Secret};
use duet_model::{Code, Error, Place, Result};
use duet_service::query::Parameters;
use duet_service::{Auth, ClientSummary};
use serde_json::{Value, json};

use crate::answer::reply::Reply;
use crate::observe::event::Event;
use crate::request::principal::now;
use crate::worker::Worker;

/// The answer to `GET /admin/clients`: those in force.
pub(crate) fn list(worker: &Worker) -> Reply {
    let auth = worker.shared.applications.auth();
    let clients: Vec<Value> = auth.clients().iter().map(summary).collect();
    let body =
        json!({ "source": auth.health().source, "ofRun": auth.is_of_run(), "clients": clients });
    Reply::json(body.to_string().into_bytes())
}

/// The answer to `POST /admin/clients?add=NAME&roles=A,B`, `?rotate=ID` and `?remove=ID`. A secret is in it, and nowhere
/// else.
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
    let roles = parameters.text("roles")?;
    if roles.is_some() && add.is_none() {
        return Err(wrong("roles", "`roles` goes with `add`."));
    }
    let (done, client, secret) = match (add, rotate, remove) {
        (Some(name), None, None) => {
            let (client, secret) = added(auth, who, &name, roles.as_deref()).await?;
            ("added", client, Some(secret))
        }
        (None, Some(id), None) => {
            let (client, secret) = auth.rotate_client(who, &id).await?;
            ("given a new secret", client, Some(secret))
        }
        (None, None, Some(id)) => ("removed", auth.remove_client(who, &id, now()).await?, None),
        _ => return Err(wrong("add", "Give one of `?add=NAME`, `?rotate=ID` and `?remove=ID`.")),
    };
    let what = format!("the client {} ({}) was {done}", client.name, client.id);
    worker.events.emit(&Event::Administered { by: who.name(), what: &what });
    Ok(Reply::json(changed(&client, secret.as_ref()).to_string().into_bytes()))
}

async fn added(
    auth: &Auth,
    who: &Principal,
    name: &str,
    roles: Option<&str>,
) -> Result<(Client, Secret)> {
    let roles: Vec<&str> =
        roles.unwrap_or_default().split(',').map(str::trim).filter(|it| !it.is_empty()).collect();
    auth.add_client(who, (name, &roles), now()).await
}

fn summary(client: &ClientSummary) -> Value {
    let ClientSummary { id, name, roles, db_role, tenant } = client;
    json!({ "id": id, "name": name, "roles": roles, "dbRole": db_role, "tenant": tenant })
}

fn changed(client: &Client, secret: Option<&Secret>) -> Value {
    let db_role = client.db_role.as_ref().map(ToString::to_string);
    let mut out = json!({ "client": {
        "id": client.id.as_str(), "name": client.name, "roles": client.roles, "dbRole": db_role, "tenant": client.tenant,
    } });
    if let Some(secret) = secret {
        out["secret"] = secret.expose().into();
    }
    out
}

fn wrong(name: &str, message: &str) -> Error {
    Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
}
