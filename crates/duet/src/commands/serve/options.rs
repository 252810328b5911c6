//! The settings of a process in the server's form.

use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use duet_auth::{RateSettings, Secret, StateFile};
use duet_http::load_tests::LoadTests;
use duet_http::{
    AgentOptions, ConsoleOptions, HttpLimits, IssuerLogin, LiveOptions, ServeOptions, TlsFiles,
};
use duet_model::memory::Budget;
use duet_model::{Error, Result};
use duet_service::Applications;

use super::super::client;
use super::super::sources::webhooks;
use super::activated;
use super::load_tests::RunsOfConsole;
use super::places;
use crate::configuration_error::{self, ConfigurationError};
use crate::database_url::DatabaseUrl;
use crate::serving::FixedCredentials;
use crate::settings::{
    AccessLog, Agents, CONSOLE, Console, KeysUrl, Listen, Memory, Origin, PerAddress, Settings,
};

/// The credentials of the run's client that the operator has fixed.
///
/// # Errors
/// `Setting` if the file of the secret cannot be read.
pub(super) fn fixed_credentials(settings: &Settings) -> Result<FixedCredentials> {
    let file = settings.run_client_secret_file.value.as_deref();
    let secret = file.map(client::read_secret).transpose()?;
    Ok(FixedCredentials { id: settings.run_client_id.value.clone(), secret })
}

/// The sign-in to the console at the issuer of tokens.
///
/// # Errors
/// `Setting` if the file of the secret cannot be read.
pub(super) fn console_login(settings: &Settings) -> Result<Option<IssuerLogin>> {
    let url = |url: &Option<KeysUrl>| url.as_ref().map(|url| url.0.clone());
    let urls =
        url(&settings.console_login_url.value).zip(url(&settings.console_login_token_url.value));
    let Some(((authorize_url, token_url), client)) =
        urls.zip(settings.console_login_client.value.clone())
    else {
        return Ok(None);
    };
    let file = settings.console_login_secret_file.value.as_deref();
    let secret = file.map(client::read_secret).transpose()?;
    let secret = secret.map(|text| Secret::given_or_random(Some(&text))).transpose()?;
    let scope = settings.console_login_scope.value.clone().unwrap_or_default();
    Ok(Some(IssuerLogin { client, secret, authorize_url, token_url, scope }))
}

/// Reads the files that settings name as a start does, and looks at the places to which it writes, for a
/// check: all that would end it are said.
///
/// # Errors
/// Where one of them cannot be read or written, or is not what the setting wants.
pub(in crate::commands) fn check_files(settings: &Settings) -> Result<()> {
    let clients = settings.state.value.as_deref();
    let read = [
        fixed_credentials(settings).map(drop),
        console_login(settings).map(drop),
        tls(settings).map_or(Ok(()), TlsFiles::check),
        clients.map_or(Ok(()), |path| StateFile::open_existing(path).map(drop)),
    ];
    let mut wrong: Vec<Error> = read.into_iter().filter_map(Result::err).collect();
    let places = places::check(settings).err();
    wrong.extend(places.into_iter().flat_map(ConfigurationError::into_errors));
    Error::all_of(wrong).map_or(Ok(()), Err)
}

/// Checks that the console and agents hide nothing of applications, as a start does.
///
/// # Errors
/// Where they do.
pub(in crate::commands) fn check_paths(
    settings: &Settings,
    applications: &Applications,
) -> Result<()> {
    // A name that only the machine of the service knows says nothing of where the console is.
    let listen = listen(settings).unwrap_or_default();
    options(settings, listen, None).keep_paths(applications)
}

/// The settings in the server's form.
pub(super) fn options(
    settings: &Settings,
    listen: Vec<duet_http::Listen>,
    database: Option<&DatabaseUrl>,
) -> ServeOptions {
    let load_tests = RunsOfConsole::of(settings)
        .map(|tests| Arc::new(tests.over(database)) as Arc<dyn LoadTests>);
    let rate = |burst, per_minute| RateSettings { burst, per_minute, ..RateSettings::BAD_TOKENS };
    ServeOptions {
        agents: agents(settings, load_tests.as_ref()),
        console: console(settings, &listen, load_tests),
        listen,
        tls: tls(settings),
        cors: settings.cors(),
        workers: settings.workers.value.get(),
        limits: HttpLimits {
            uri_bytes: settings.uri_bytes.value.0,
            header_bytes: settings.header_bytes.value.0,
            body_bytes: settings.body_bytes.value.0,
            parse_threads: settings.parse_threads.value.get(),
            queue_timeout: settings.queue_timeout.value,
            load_bytes: settings.load_bytes.value.0 as u64,
            load_timeout: settings.load_timeout.value,
            connections: settings.max_connections.value.get(),
            connections_per_address: match settings.max_connections_per_address.value {
                PerAddress::Half => None,
                PerAddress::Most(most) => Some(most.get()),
            },
            tls_handshakes: settings.tls_handshakes.value.get(),
            http2: settings.http2.value,
            http2_streams: settings.http2_streams.value.get(),
            http2_streams_unauthenticated: settings.http2_streams_unauthenticated.value.get(),
            unauthenticated_bytes: settings.memory_unauthenticated.value.0,
            http2_resets: settings.http2_resets.value.get(),
            header_timeout: settings.header_timeout.value,
            drain_delay: settings.drain_delay.value,
            drain_timeout: settings.drain_timeout.value,
            ..HttpLimits::default()
        },
        memory: Budget::new(match settings.memory.value {
            Memory::Auto => crate::memory::for_requests(),
            Memory::Bytes(bytes) => bytes.0,
        }),
        give_back: Some(crate::allocator::give_back),
        trusted_proxies: settings.trusted_proxies.value.clone(),
        proxy_headers: settings.proxy_headers.value,
        compress_above: settings.compress_above.value.map(|size| size.0),
        trial_endpoints: settings.trial_endpoints.value,
        access_log: match settings.access_log.value {
            AccessLog::Off => duet_http::AccessLog::Off,
            AccessLog::Text => duet_http::AccessLog::Text,
            AccessLog::Json => duet_http::AccessLog::Json,
        },
        // A threshold that is never reached: no slow log.
        slow: settings.slow_log.value.unwrap_or(Duration::MAX),
        recent_log: None,
        observer: None,
        server_timing: settings.server_timing.value,
        // The settings have checked that it fits.
        token_lifetime: u32::try_from(settings.token_lifetime.value.as_secs()).unwrap_or(u32::MAX),
        // The setting has checked the name; an empty one is none.
        api_key_header: settings.api_key_header.value.0.parse().ok(),
        schema_poll: settings.schema_poll.value.pace(),
        bad_tokens: rate(settings.bad_token_burst.value, settings.bad_token_rate.value),
        token_requests: rate(settings.token_burst.value, settings.token_rate.value),
        instances: None,
        webhooks: webhooks::reach(settings),
        live: LiveOptions {
            subscriptions: settings.live_subscriptions.value.get(),
            of_client: settings.live_client_subscriptions.value.get(),
            heartbeat: settings.live_heartbeat.value,
        },
    }
}

/// What agents may do.
fn agents(settings: &Settings, load_tests: Option<&Arc<dyn LoadTests>>) -> Option<AgentOptions> {
    let write = match settings.mcp.value {
        Agents::Off => return None,
        Agents::Read => false,
        Agents::Write => true,
    };
    let tokens = settings.mcp_tokens.value.get();
    Some(AgentOptions::new(write, tokens, load_tests.cloned()))
}

/// The console: where only this machine can connect, it answers to the machine's own names alone.
fn console(
    settings: &Settings,
    listen: &[duet_http::Listen],
    load_tests: Option<Arc<dyn LoadTests>>,
) -> Option<ConsoleOptions> {
    let (base, only_local) = match &settings.console.value {
        Console::Off => return None,
        Console::Auto if listen.iter().all(duet_http::Listen::is_local) => (CONSOLE, true),
        Console::Auto => return None,
        Console::At(path) => (path.as_str(), false),
    };
    let read_only = settings.console_read_only.value;
    let files = settings.console_files.value;
    Some(ConsoleOptions {
        base: base.into(),
        only_local,
        read_only,
        files,
        login: None,
        link: None,
        load_tests,
    })
}

/// Where to listen: the sockets that systemd has opened, and the addresses of the setting. Its default
/// is for processes without such sockets.
pub(super) fn listen(settings: &Settings) -> Result<Vec<duet_http::Listen>> {
    let mut listen = activated::sockets()?;
    if !listen.is_empty() && settings.listen.origin == Origin::Default {
        return Ok(listen);
    }
    for wanted in &settings.listen.value {
        match wanted {
            Listen::Unix(path) => listen.push(duet_http::Listen::Unix(path.clone())),
            Listen::Tcp(address) => listen.extend(resolve(address)?.map(duet_http::Listen::Tcp)),
        }
    }
    Ok(listen)
}

/// The files of the certificate; the settings have checked that both or none are given.
fn tls(settings: &Settings) -> Option<TlsFiles> {
    let (certificate, key) = (settings.tls_cert.value.clone()?, settings.tls_key.value.clone()?);
    Some(TlsFiles { certificate, key })
}

/// The addresses of `host:port`; a name such as `localhost` may have several, of which this
/// machine's are used.
fn resolve(address: &str) -> configuration_error::Result<impl Iterator<Item = SocketAddr>> {
    let wrong = |why: String| {
        ConfigurationError::setting(format!("`listen` cannot be {address:?}: {why}."))
            .hint("Give an address of this machine, such as `127.0.0.1:8080`.")
    };
    let mut found: Vec<SocketAddr> =
        address.to_socket_addrs().map_err(|error| wrong(error.to_string()))?.collect();
    found.sort_unstable();
    found.dedup();
    // Port 0 would be a different one for each address of a name.
    if found.first().is_some_and(|first| first.port() == 0) {
        found.truncate(1);
    }
    match found.is_empty() {
        true => Err(wrong("the name has no address".into())),
        false => Ok(found.into_iter()),
    }
}
