//! `duet webhook`: what webhooks need in a database, and their events.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use duet_auth::{Open, State};
use duet_http::HttpCourier;
use duet_model::{Error, Result};
use duet_service::webhooks::{Courier as _, EndpointState, EventFilter, OutboxEvent};
use duet_service::{Auth, RequestContext, Service};
use duet_store::OwnPart;
use serde_json::{Value, json};
use tokio::task::LocalSet;

use crate::args::{WebhookAction, WebhookOf};
use crate::columns::columns;
use crate::command_error::CommandError;
use crate::commands::sources::applications::{self, Asked, Resolved};
use crate::commands::sources::{database, server_role, webhooks};
use crate::database_url::warn_of;
use crate::report::{Outcome, print};
use crate::runtime::{now, runtime};

/// Events that a list counts at most.
const COUNTED: usize = 10_000;

/// Runs the command.
pub(crate) fn run(action: &WebhookAction) -> Outcome {
    match action {
        WebhookAction::Prepare { of, server_role, print: only_print } => {
            prepare(&resolved(of)?, server_role.as_deref(), *only_print)
        }
        WebhookAction::List { of, json } => list(&resolved(of)?, *json),
        WebhookAction::Show { name, only, id, limit, json, of } => {
            let filter = EventFilter { state: *only, id: id.clone(), since: None };
            show(&named(of, name)?, name, &filter, *limit, *json)
        }
        WebhookAction::Replay { name, id, since, of } => {
            replay(&named(of, name)?, name, id.clone(), *since)
        }
        WebhookAction::Discard { name, of } => {
            let resolved = named(of, name)?;
            let count = asking(&resolved, async |context| context.discard_dead_events(name).await)?;
            print(&format!("Removed {count} dead letters of {name}.\n"))
        }
        WebhookAction::Enable { name, of } => enable(&named(of, name)?, name),
        WebhookAction::Disable { name, of } => {
            let resolved = named(of, name)?;
            let reason = Some("by `duet webhook disable`");
            let changed =
                asking(&resolved, async |context| context.switch_endpoint(name, reason).await)?;
            print(&match changed {
                true => format!(
                    "{name} is disabled: it gets nothing, and changes are not recorded for it.\n"
                ),
                false => format!("{name} was disabled already.\n"),
            })
        }
        WebhookAction::Test { name, of } => test(&named(of, name)?, name),
    }
}

/// The application that is named.
fn resolved(of: &WebhookOf) -> Outcome<Resolved> {
    let WebhookOf { source, named, database, settings } = of;
    let asked = Asked { sources: source.as_slice(), named, database: database.as_deref() };
    let mut served = applications::resolve(&asked, settings, None)?;
    served.applications.pop().ok_or_else(|| Error::internal("no application").into())
}

/// The same, where it declares an endpoint of this name.
fn named(of: &WebhookOf, name: &str) -> Outcome<Resolved> {
    let resolved = resolved(of)?;
    let declared = webhooks::declared(&resolved.definition);
    if declared.iter().any(|webhook| webhook.name == name) {
        return Ok(resolved);
    }
    let names: Vec<&str> = declared.iter().map(|webhook| webhook.name.as_str()).collect();
    let hint = match names.is_empty() {
        true => "The application declares none.".to_owned(),
        false => format!("There are {}.", names.join(", ")),
    };
    let message = format!("{} has no webhook {name:?}.", resolved.definition.name);
    Err(CommandError::refusal(message).hint(hint))
}

/// Asks the database of an application.
fn asking<T>(
    resolved: &Resolved,
    work: impl AsyncFnOnce(&RequestContext<'_>) -> Result<T>,
) -> Outcome<T> {
    on_service(resolved, async |service| {
        let handle = service.attach()?;
        work(&handle.acting(None)).await
    })
}

fn on_service<T>(
    resolved: &Resolved,
    work: impl AsyncFnOnce(Arc<Service>) -> Result<T>,
) -> Outcome<T> {
    let opened = async {
        let store = database::open(&resolved.database, &resolved.settings).await?;
        let auth = Auth::in_memory(&State::new(now())?, Open::No);
        let service = Service::open(store, resolved.definition.clone(), auth).await?;
        work(service).await
    };
    Ok(blocking(opened)?)
}

/// Runs something that attaches to a store, to its end.
fn blocking<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let runtime = runtime()?;
    let done = LocalSet::new().block_on(&runtime, work);
    runtime.shutdown_background();
    done
}

/// Makes the tables and triggers, unless they exist.
pub(in crate::commands) fn prepare(
    resolved: &Resolved,
    server_role: Option<&str>,
    only_print: bool,
) -> Outcome {
    let database = &resolved.database;
    server_role::check(database, server_role)?;
    if only_print {
        let script = on_service(resolved, async |service| service.webhook_script())?;
        return print(&script);
    }
    warn_of(database)?;
    let made = runtime()?.block_on(database.make_own(OwnPart::Webhooks))?;
    let (outbox, place) = (database.own_table("webhook_outbox"), database.describe()?);
    let mut text = match made {
        true => format!("Made the tables of webhooks, {outbox} and another, in {place}.\n"),
        false => format!("The tables of webhooks already exist in {place}.\n"),
    };
    let prepared = asking(resolved, async |context| context.prepared_webhooks().await)?;
    if prepared.script.is_empty() {
        text.push_str("Every change that the webhooks are about is recorded.\n");
    } else {
        runtime()?.block_on(database.run_script(&prepared.script))?;
        for step in &prepared.steps {
            text.push_str(&format!("Made {step}.\n"));
        }
    }
    text.push_str(&server_role::granted(database, OwnPart::Webhooks, server_role)?);
    print(&text)
}

fn list(resolved: &Resolved, as_json: bool) -> Outcome {
    let declared = webhooks::declared(&resolved.definition);
    let found = asking(resolved, async |context| {
        let state = context.webhook_state().await?;
        let mut all = Vec::new();
        let known = match state.has_tables {
            true => context.endpoint_states().await?,
            false => Vec::new(),
        };
        for webhook in declared {
            let of = known.iter().find(|it| it.name == webhook.name);
            let counts = match of {
                Some(_) => context.outbox_counts(&webhook.name, COUNTED).await?,
                None => [0; 3],
            };
            all.push(endpoint_json(&webhook.name, &webhook.url, of, counts));
        }
        Ok((all, state))
    })?;
    let (endpoints, state) = found;
    if as_json {
        let body =
            json!({ "endpoints": endpoints, "lacking": state.lacking, "outdated": state.outdated });
        return print(&format!("{body:#}\n"));
    }
    let heading = ["webhook", "state", "waiting", "delivered", "dead", "accepted last", "url"];
    let rows = endpoints.iter().map(|it| {
        let cell = |name: &str| match &it[name] {
            Value::String(text) => text.clone(),
            Value::Null => "-".to_owned(),
            other => other.to_string(),
        };
        ["name", "state", "waiting", "delivered", "dead", "acceptedAt", "url"].map(cell).to_vec()
    });
    let mut text = columns(&heading, &[0, 1, 5, 6], rows);
    for it in endpoints.iter().filter(|it| it["reason"].is_string()) {
        let (name, reason) =
            (it["name"].as_str().unwrap_or(""), it["reason"].as_str().unwrap_or(""));
        text.push_str(&format!("{name} is disabled: {reason}.\n"));
    }
    for lacking in &state.lacking {
        text.push_str(&format!("The database lacks {lacking}: run `duet webhook prepare`.\n"));
    }
    if !state.outdated.is_empty() {
        text.push_str(
            "There are triggers that nothing declares: `duet webhook prepare` removes them.\n",
        );
    }
    print(&text)
}

fn endpoint_json(name: &str, url: &str, of: Option<&EndpointState>, counts: [u64; 3]) -> Value {
    let state = match of {
        None => "not prepared",
        Some(known) if known.disabled_at.is_some() => "disabled",
        Some(_) => "enabled",
    };
    let [waiting, delivered, dead] = counts;
    json!({
        "name": name,
        "url": url,
        "state": state,
        "reason": of.and_then(|known| known.reason.clone()),
        "disabledAt": of.and_then(|known| moment(known.disabled_at?)),
        "acceptedAt": of.and_then(|known| moment(known.accepted_at).filter(|_| known.accepted_at > 0)),
        "waiting": waiting,
        "delivered": delivered,
        "dead": dead,
    })
}

/// A moment in milliseconds since 1970, as text.
fn moment(millis: i64) -> Option<String> {
    let since = Duration::from_millis(u64::try_from(millis).ok()?);
    Some(humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + since).to_string())
}

fn show(
    resolved: &Resolved,
    name: &str,
    filter: &EventFilter,
    limit: usize,
    as_json: bool,
) -> Outcome {
    let events =
        asking(resolved, async |context| context.outbox_events(name, filter, limit).await)?;
    check_id(filter, name, events.is_empty())?;
    if as_json {
        let all: Vec<Value> = events.iter().map(event_json).collect();
        return print(&format!("{:#}\n", json!({ "events": all })));
    }
    let heading = ["id", "type", "key", "state", "attempts", "recorded", "status", "last failure"];
    let rows = events.iter().map(|event| {
        vec![
            event.id.clone(),
            event.kind.clone(),
            event.key.clone(),
            event.state_name().to_owned(),
            event.attempts.to_string(),
            moment(event.created_at).unwrap_or_default(),
            event.last_status.map_or_else(|| "-".to_owned(), |status| status.to_string()),
            event.last_error.clone().unwrap_or_else(|| "-".to_owned()),
        ]
    });
    print(&columns(&heading, &[0, 1, 2, 3, 5, 7], rows))
}

/// Refuses the id of an event that is not there: nothing done is no success.
fn check_id(filter: &EventFilter, name: &str, is_missing: bool) -> Outcome {
    match filter.id.as_ref().filter(|_| is_missing) {
        Some(id) => {
            let message = format!("The outbox has no such event {id:?} for {name}.");
            let hint = format!("`duet webhook show {name}` has those that it keeps.");
            Err(CommandError::refusal(message).hint(hint))
        }
        None => Ok(()),
    }
}

fn event_json(event: &OutboxEvent) -> Value {
    let key: Value = serde_json::from_str(&event.key).unwrap_or_default();
    json!({
        "id": event.id,
        "type": event.kind,
        "key": key,
        "state": event.state_name(),
        "attempts": event.attempts,
        "recordedAt": moment(event.created_at),
        "endedAt": event.done_at.and_then(moment),
        "dueAt": if event.next_at > 0 { moment(event.next_at) } else { None },
        "lastStatus": event.last_status,
        "lastFailure": event.last_error,
        "payload": event.payload,
    })
}

fn replay(resolved: &Resolved, name: &str, id: Option<String>, since: Option<Duration>) -> Outcome {
    let since = since.map(|since| {
        let moment = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        i64::try_from(moment.saturating_sub(since).as_millis()).unwrap_or(i64::MAX)
    });
    // Nothing said: the dead letters.
    let state = (id.is_none() && since.is_none()).then_some(2);
    let filter = EventFilter { state, id, since };
    let count = asking(resolved, async |context| context.replay_events(name, &filter).await)?;
    check_id(&filter, name, count == 0)?;
    print(&format!("{count} events are sent to {name} again.\n"))
}

fn enable(resolved: &Resolved, name: &str) -> Outcome {
    let before = asking(resolved, async |context| {
        let known = context.endpoint_states().await?.into_iter().find(|it| it.name == name);
        context.switch_endpoint(name, None).await?;
        Ok(known)
    })?;
    let Some(before) = before else {
        let message = format!("The database does not know {name} yet.");
        return Err(CommandError::refusal(message).hint("Run `duet webhook prepare`."));
    };
    print(&match before.disabled_at.and_then(moment) {
        Some(since) => format!(
            "{name} is enabled. Changes since {since} were not recorded for it: have it read what it may have missed.\n"
        ),
        None => format!("{name} was enabled already.\n"),
    })
}

fn test(resolved: &Resolved, name: &str) -> Outcome {
    let declared = webhooks::declared(&resolved.definition);
    let Some(webhook) = declared.iter().find(|webhook| webhook.name == name) else { return Ok(()) };
    let delivery = webhook.trial(resolved.settings.webhook_timeout.value)?;
    let courier = HttpCourier::new(webhooks::reach(&resolved.settings))?;
    let answer = blocking(async { Ok(courier.deliver(&delivery).await) })?;
    let said = format!("{name} has answered {} to {}", answer.words(), delivery.id);
    match answer.is_accepted() {
        true => print(&format!("{said}: accepted.\n")),
        false => Err(CommandError::failed(format!("error: {said}: not accepted.\n"))),
    }
}
