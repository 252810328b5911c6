//! How a service is reached that a command line names: its URL with the trust in its certificate, the credentials of users,
//! and the requests that they send.

use std::path::Path;

use duet_bench::targets::http::{Trust, Url, proxy};
use duet_bench::workload::MixOptions;
use duet_bench::workload::rest::Access;

use crate::args::BenchRun;
use crate::command_error::CommandError;
use crate::report::Outcome;

/// The credentials of users for a service.
pub(in crate::commands::bench) fn access(arguments: &BenchRun) -> Outcome<Access> {
    let client = arguments.client.as_deref();
    access_of(arguments.token.clone(), client, arguments.token_path.clone())
}

/// Credentials, with a client as ID:SECRET.
pub(in crate::commands::bench) fn access_of(
    token: Option<String>,
    client: Option<&str>,
    token_path: Option<String>,
) -> Outcome<Access> {
    Ok(Access { token, client: client.map(split_client).transpose()?, token_path })
}

/// The requested weights.
pub(in crate::commands::bench) fn wanted(arguments: &BenchRun) -> MixOptions {
    MixOptions {
        preset: arguments.preset.clone(),
        mix: arguments.mix.clone(),
        enable: arguments.enable.clone(),
        disable: arguments.disable.clone(),
    }
}

/// The URL of a service, with the trust in its certificate, and how it is reached.
///
/// # Errors
/// If it is invalid, or settings of certificates are given for a URL without TLS.
pub(in crate::commands::bench) fn service_url(arguments: &BenchRun, text: &str) -> Outcome<Url> {
    let mut url = trusted(text, arguments.cacert.as_deref(), arguments.insecure)?;
    let BenchRun { cert, key, proxy: through, http2, streams, .. } = arguments;
    if let Some(file) = cert {
        if url.trust.is_none() {
            let message =
                format!("`--cert` is for services by https://, and {} is none.", url.place());
            return Err(CommandError::usage(message));
        }
        url.route.certificate = Some(std::path::absolute(file)?);
        url.route.key = key.as_ref().map(std::path::absolute).transpose()?;
    }
    if let Some(text) = through {
        let wrong = |why: String| CommandError::usage(format!("`--proxy`: {why}."));
        url.route.proxy = Some(proxy(text).map_err(wrong)?);
    }
    if *http2 {
        url.route.http2 = Some(streams.unwrap_or(1));
    }
    // Refuses what cannot be together, such as a proxy of a socket.
    url.to_string().parse::<Url>().map_err(CommandError::usage)?;
    Ok(url)
}

/// The same with the trust settings alone.
///
/// # Errors
/// As [`service_url`].
pub(in crate::commands::bench) fn trusted(
    text: &str,
    cacert: Option<&Path>,
    insecure: bool,
) -> Outcome<Url> {
    let mut url: Url = text.parse().map_err(CommandError::usage)?;
    let (flag, trust) = match (cacert, insecure) {
        (Some(file), _) => ("--cacert", Trust::File(std::path::absolute(file)?)),
        (None, true) => ("--insecure", Trust::Anything),
        (None, false) => return Ok(url),
    };
    if url.trust.is_none() {
        let message = format!("`{flag}` is for services by https://, and {} is none.", url.place());
        return Err(CommandError::usage(message));
    }
    url.trust = Some(trust);
    Ok(url)
}

fn split_client(client: &str) -> Outcome<(String, String)> {
    match client.split_once(':') {
        Some((id, secret)) => Ok((id.to_owned(), secret.to_owned())),
        None => Err(CommandError::usage("The client is not ID:SECRET.")),
    }
}
