//! `/admin/rowstore`: the items in memory, by resource, of all processes.

use duet_model::{Code, Error, Place, Result};
use duet_service::query::Parameters;
use serde_json::{Value, json};

use super::paths;
use crate::answer::reply::Reply;
use crate::processes::reports;
use crate::processes::rowstore::of;
use crate::worker::ServerState;

/// The answer to `GET /admin/rowstore`: the resources that keep items, of all processes.
pub(crate) async fn list(shared: &ServerState) -> Reply {
    Reply::json(all(shared).await.to_string().into_bytes())
}

/// What every process keeps, with its number where there are several.
async fn all(shared: &ServerState) -> Value {
    let processes = reports::rowstores(shared).await;
    let several = processes.len() > 1;
    let of = |list: &str| -> Vec<Value> {
        let each = processes.iter().flat_map(|process| {
            let entries = process["report"][list].as_array().into_iter().flatten();
            entries.map(|entry| {
                let mut entry = entry.clone();
                if several {
                    entry["instance"] = process["instance"].clone();
                }
                entry
            })
        });
        each.collect()
    };
    let (rowstores, captures) = (of("rowstores"), of("captures"));
    let mut all = json!({ "rowstores": rowstores });
    if !captures.is_empty() {
        all["captures"] = captures.into();
    }
    all
}

/// `POST /admin/rowstore?resource=PATH`, with `&bytes=N` to set the room of one resource (0 drops its items
/// and switches it off), with `&populate` to bring its items into memory; in all processes.
///
/// # Errors
/// As for [`change`].
pub(crate) async fn change_everywhere(shared: &ServerState, query: Option<&str>) -> Result<Reply> {
    change(shared, query).await?;
    let others = reports::change_rowstores(shared, query.unwrap_or_default()).await;
    let mut all = all(shared).await;
    if let Some(others) = others {
        all["instances"] = others.into();
    }
    Ok(Reply::json(all.to_string().into_bytes()))
}

/// The same in this process.
///
/// # Errors
/// Where there is no such resource, and for wrong parameters.
pub(crate) async fn change(shared: &ServerState, query: Option<&str>) -> Result<()> {
    let parameters = Parameters::parse(query, paths::of_change("/admin/rowstore"))?;
    let wrong = |name: &str, message: &str| {
        Error::new(Code::BadParameter, message).at(Place::Parameter(name.to_owned()))
    };
    let missing =
        |name| wrong(name, "Give `?resource=PATH` with `&bytes=NUMBER`, `&populate`, or both.");
    let path = parameters.text("resource")?.ok_or_else(|| missing("resource"))?;
    let populate = match parameters.text("populate")?.as_deref() {
        None => false,
        Some("" | "1" | "true") => true,
        Some(_) => return Err(wrong("populate", "`populate` takes no value.")),
    };
    let whole = "`bytes` must be a whole number; 0 switches the rowstore off.";
    let bytes = parameters.text("bytes")?.map(|bytes| bytes.parse());
    let bytes = bytes.transpose().map_err(|_| wrong("bytes", whole))?;
    if bytes.is_none() && !populate {
        return Err(missing("bytes"));
    }
    for service in shared.applications.services() {
        let named = of(service).into_iter().find(|kept| kept.path == path.trim_end_matches('/'));
        let Some(kept) = named else { continue };
        if let Some(bytes) = bytes {
            service.resize_rowstore(&kept.resource, bytes).await?;
        }
        if populate {
            service.populate(&kept.resource)?;
        }
        return Ok(());
    }
    let message = "There is no resource with items at this path.";
    Err(Error::new(Code::NotServed, message).at(Place::Parameter("resource".to_owned())))
}
