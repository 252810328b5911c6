//! `GET /admin/database`: what the database of each application says of itself, as far as the server's role may read it.

use duet_model::Result;
use duet_service::{InstanceView, SessionView};
use serde_json::{Map, Value, json};

use crate::answer::reply::Reply;
use crate::worker::ServerState;

/// The state of each database; of one that cannot be asked, why.
pub(crate) async fn views(shared: &ServerState) -> Reply {
    let mut databases = Vec::new();
    for service in shared.applications.services() {
        let store = service.store();
        let mut view = written(store.instance().await);
        view["application"] = service.name().into();
        view["database"] = store.describe().into();
        view["kind"] = store.kind().into();
        databases.push(view);
    }
    Reply::json(json!({ "databases": databases }).to_string().into_bytes())
}

fn written(view: Result<InstanceView>) -> Value {
    let view = match view {
        Ok(view) => view,
        // The cause of an error is for the log alone.
        Err(error) => return json!({ "error": error.message }),
    };
    let figures = |list: &[(&'static str, f64)]| -> Map<String, Value> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect()
    };
    json!({
        "sessions": view.sessions.iter().map(session).collect::<Vec<_>>(),
        "counters": figures(&view.counters),
        "gauges": figures(&view.gauges),
        "unread": view.unread,
    })
}

fn session(it: &SessionView) -> Value {
    json!({
        "process": it.process,
        "user": it.user,
        "program": it.program,
        "state": it.state,
        "wait": it.wait,
        "blockedBy": it.blocked_by,
        "seconds": (it.seconds * 10.0).round() / 10.0,
        "verb": it.verb,
    })
}
