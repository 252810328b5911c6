//! The operator's log: failures with their causes, and what changes while the server runs.

use crate::observe::event::{Event, Exchange};

/// Logs an event, if it is worth a line.
pub(crate) fn observe(event: &Event<'_>) {
    match event {
        Event::Answered(exchange) => failure(exchange),
        Event::StreamBroken(exchange) => broken(exchange),
        Event::LoginRefused { cause: Some(cause), .. } => {
            tracing::error!(cause, "a token could not be issued");
        }
        Event::SchemaChanged(application, reloaded) => {
            let generation = reloaded.generation;
            tracing::info!(application, generation, "the schema has changed");
            reloaded.notes.iter().for_each(|note| tracing::warn!(application, "{note}"));
        }
        Event::SchemaUnreadable(application, error) => {
            let code = error.code.as_str();
            tracing::warn!(application, code, cause = error.cause, "the schema cannot be read");
        }
        Event::DatabaseDown(application, reason) => {
            tracing::warn!(application, reason, "not ready: the database is down");
        }
        Event::DatabaseUp(application) => {
            tracing::info!(application, "ready again: the database is up");
        }
        Event::ClientsUnreadable(error) => {
            let (code, cause) = (error.code.as_str(), &error.cause);
            tracing::warn!(code, message = %error, cause, "the clients cannot be read");
        }
        Event::KeyUsesUnstored(error) => {
            let (code, cause) = (error.code.as_str(), &error.cause);
            tracing::warn!(code, message = %error, cause, "the last uses of API keys cannot be stored");
        }
        Event::AgentCalled { by, tool, resource, outcome } => {
            tracing::info!(by, tool, resource, outcome, "an agent called a tool");
        }
        Event::Administered { by, what } => tracing::info!(by, "{what}"),
        Event::AccessLogLost { cause, is_first: true, .. } => {
            tracing::error!(%cause, "the access log cannot be written to standard output: its lines are lost, and counted in duet_access_log_lost_lines_total");
        }
        Event::Reloaded(reloads) => reloads.log(),
        Event::ClientsNote(note) => tracing::warn!("{note}"),
        Event::CertificateChanged => tracing::info!("the new certificate is in force"),
        Event::CertificateUnusable(error) => tracing::warn!(
            code = error.code.as_str(),
            message = %error,
            cause = error.cause,
            "the certificate before stays in force"
        ),
        Event::Stopped { in_time: false } => {
            tracing::warn!("some requests were still under way at the end");
        }
        _ => {}
    }
}

/// Logs the cause of a failure, which no client sees.
fn failure(exchange: &Exchange<'_>) {
    let Some(error) = exchange.error else { return };
    let (Exchange { id, application, .. }, code) = (exchange, error.code.as_str());
    match &error.cause {
        None => {}
        Some(cause) if exchange.status >= 500 => {
            tracing::error!(request = %id, application, code, cause, "request failed");
        }
        Some(cause) => {
            tracing::warn!(request = %id, application, code, cause, "request refused");
        }
    }
}

fn broken(exchange: &Exchange<'_>) {
    let Some(error) = exchange.error else { return };
    let (code, bytes) = (error.code.as_str(), exchange.bytes);
    let cause = error.cause.as_deref().unwrap_or(&error.message);
    tracing::error!(request = %exchange.id, code, cause, bytes, "a stream was broken off");
}
