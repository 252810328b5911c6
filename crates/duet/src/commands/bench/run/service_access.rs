//! How a service is reached that a command line names: its URL with the trust in its certificate, the credentials of users,
//! and the requests that they send.

use std::path::Path;

use duet_bench::targets::http::{Trust, Url};
use duet_bench::workload::MixOptions;
use duet_bench::workload::rest::Access;
use duet_model::{Code, Error};

use crate::args::BenchRun;
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

/// The URL of a service, with the trust settings of its certificate.
///
/// # Errors
/// If it is invalid, or trust settings are given for a URL without certificates.
pub(in crate::commands::bench) fn service_url(arguments: &BenchRun, text: &str) -> Outcome<Url> {
    trusted(text, arguments.cacert.as_deref(), arguments.insecure)
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
    let mut url: Url =
        text.parse().map_err(|message: String| Error::new(Code::CommandLine, message))?;
    let (flag, trust) = match (cacert, insecure) {
        (Some(file), _) => ("--cacert", Trust::File(std::path::absolute(file)?)),
        (None, true) => ("--insecure", Trust::Anything),
        (None, false) => return Ok(url),
    };
    if url.trust.is_none() {
        let message = format!("`{flag}` is for services by https://, and {url} is none.");
        return Err(Error::new(Code::CommandLine, message).into());
    }
    url.trust = Some(trust);
    Ok(url)
}

fn split_client(client: &str) -> Outcome<(String, String)> {
    match client.split_once(':') {
        Some((id, secret)) => Ok((id.to_owned(), secret.to_owned())),
        None => Err(Error::new(Code::CommandLine, "The client is not ID:SECRET.").into()),
    }
}
