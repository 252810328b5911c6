//! Rules between settings, and bounds that a type does not express.

use std::time::Duration;

use duet_auth::MAX_LIFETIME;
use duet_filter::{LIMITS, Limits};
use duet_http::{CorsOptions, HttpLimits};

use super::issuer;
use super::origin::{Origin, Sourced, refused};
use super::table::Settings;
use super::value::{ReadPosition, SchemaPoll};
use crate::configuration_error::{ConfigurationError, Result};

/// More threads than this have no benefit on any machine and cost memory.
const MOST_WORKERS: usize = 256;

/// Checks the settings against each other, and says all that is wrong.
pub(super) fn check(settings: &Settings) -> Result<()> {
    let checks: [fn(&Settings) -> Result<()>; 12] = [
        check_pages,
        check_heads,
        check_connections,
        check_filters,
        check_standbys,
        check_certificate,
        check_lifetime,
        check_cors,
        issuer::check,
        issuer::check_console_login,
        check_timeouts,
        check_nothing,
    ];
    ConfigurationError::all_of(checks.iter().filter_map(|check| check(settings).err()))
}

fn check_pages(settings: &Settings) -> Result<()> {
    let (page, most) = (&settings.page_size, &settings.max_page_size);
    if page.value > most.value {
        let why = format!("it is above max_page_size, which is {} ({})", most.value, most.origin);
        let wrong = refused("page_size", page.value, &page.origin, &why);
        return Err(wrong.about(&["max_page_size"]));
    }
    Ok(())
}

/// What the reader of HTTP/1.1 has room for in any case.
const LEAST_HEAD: usize = 8 << 10;

fn check_heads(settings: &Settings) -> Result<()> {
    let bytes = &settings.header_bytes;
    if bytes.value.0 < LEAST_HEAD {
        let why = format!("use {LEAST_HEAD} at least");
        return Err(refused("header_bytes", bytes.value.0, &bytes.origin, &why));
    }
    Ok(())
}

fn check_connections(settings: &Settings) -> Result<()> {
    if settings.workers.value.get() > MOST_WORKERS {
        let why = format!("use {MOST_WORKERS} at most");
        return Err(refused("workers", settings.workers.value, &settings.workers.origin, &why));
    }
    let (workers, connections) = (&settings.workers, &settings.db_connections);
    let shares = settings.shares();
    if connections.value.get() < workers.value.get() * shares {
        let mut why = format!(
            "every worker needs one, and workers is {} ({})",
            workers.value, workers.origin
        );
        if let Some(range) = settings.instances.value {
            let origin = &settings.instances.origin;
            why.push_str(&format!(
                " in each of {shares} processes: instances is {range} ({origin}), and one is being replaced"
            ));
        }
        let wrong = refused("db_connections", connections.value, &connections.origin, &why);
        return Err(wrong.about(&["workers", "instances"]));
    }
    Ok(())
}

/// No setting lifts a limit of filters above what its table says.
fn check_filters(settings: &Settings) -> Result<()> {
    let limits = settings.filter_limits();
    let origin = |name: &str| match name {
        "filter_bytes" => &settings.filter_bytes.origin,
        "filter_depth" => &settings.filter_depth.origin,
        "filter_nodes" => &settings.filter_nodes.origin,
        "filter_order" => &settings.filter_order.origin,
        "filter_list" => &settings.filter_list.origin,
        "filter_path" => &settings.filter_path.origin,
        "filter_pattern" => &settings.filter_pattern.origin,
        _ => &settings.filter_regex.origin,
    };
    let wrong = LIMITS.iter().filter(|row| row.given(&limits) > row.most).map(|row| {
        let why = format!("use {} at most", row.most);
        refused(row.setting, row.given(&limits), origin(row.setting), &why)
    });
    ConfigurationError::all_of(wrong)
}

/// What clients have written is known to the process that took it alone.
fn check_standbys(settings: &Settings) -> Result<()> {
    let standbys = &settings.read_database;
    if standbys.value.0.is_empty() {
        return Ok(());
    }
    let beat = settings.position_beat.value.is_zero().then(|| {
        let origin = &settings.position_beat.origin;
        refused("position_beat", "0s", origin, "use 1ms at least").about(&["read_database"])
    });
    let (position, instances) = (&settings.read_position, &settings.instances);
    let range = instances.value.filter(|_| position.value == ReadPosition::Auto);
    let auto = range.map(|range| {
        let why = format!(
            "with several processes (instances is {range}, {}) a client's next request may meet another one: use `header`",
            instances.origin
        );
        let wrong = refused("read_position", "auto", &position.origin, &why);
        wrong.about(&["read_database", "instances"])
    });
    ConfigurationError::all_of(beat.into_iter().chain(auto))
}

/// A certificate and its key must be given together.
fn check_certificate(settings: &Settings) -> Result<()> {
    let empty = |name, setting: &Sourced<Option<_>>| {
        let is_given = setting.value.is_none() && setting.origin != Origin::Default;
        is_given.then(|| refused(name, "empty", &setting.origin, "leave it out, or name a file"))
    };
    let both = [empty("tls_cert", &settings.tls_cert), empty("tls_key", &settings.tls_key)];
    // A certificate is named for TLS alone.
    ConfigurationError::all_of(both.into_iter().flatten())?;
    match (&settings.tls_cert, &settings.tls_key) {
        (Sourced { value: Some(path), origin }, Sourced { value: None, .. }) => {
            let wrong = refused("tls_cert", path.display(), origin, "it needs `tls_key`");
            Err(wrong.about(&["tls_key"]))
        }
        (Sourced { value: None, .. }, Sourced { value: Some(path), origin }) => {
            let wrong = refused("tls_key", path.display(), origin, "it needs `tls_cert`");
            Err(wrong.about(&["tls_cert"]))
        }
        _ => Ok(()),
    }
}

fn check_cors(settings: &Settings) -> Result<()> {
    let wrong = settings.cors().mistakes().into_iter().map(|(name, value, why)| {
        let origin = match name {
            "cors_methods" => &settings.cors_methods.origin,
            "cors_headers" => &settings.cors_headers.origin,
            "cors_exposed" => &settings.cors_exposed.origin,
            "cors_credentials" => &settings.cors_credentials.origin,
            _ => &settings.cors_origins.origin,
        };
        let is_all = value == "*" || name == "cors_credentials";
        let others: &[&str] = if is_all { &["cors_credentials", "cors_origins"] } else { &[] };
        refused(name, value, origin, &why).about(others)
    });
    ConfigurationError::all_of(wrong)
}

impl Settings {
    /// The limits of filters, as they are given.
    pub(crate) fn filter_limits(&self) -> Limits {
        Limits {
            bytes: self.filter_bytes.value.0,
            depth: self.filter_depth.value.get(),
            nodes: self.filter_nodes.value.get(),
            order: self.filter_order.value.get(),
            list: self.filter_list.value.get(),
            path: self.filter_path.value.get(),
            pattern: self.filter_pattern.value.get(),
            regex: self.filter_regex.value.get(),
        }
    }

    /// The CORS settings.
    pub(crate) fn cors(&self) -> CorsOptions {
        CorsOptions {
            origins: self.cors_origins.value.clone(),
            methods: self.cors_methods.value.clone(),
            headers: self.cors_headers.value.clone(),
            exposed: self.cors_exposed.value.clone(),
            max_age: self.cors_max_age.value,
            credentials: self.cors_credentials.value,
        }
    }
}

fn check_lifetime(settings: &Settings) -> Result<()> {
    let lifetime = &settings.token_lifetime;
    let seconds = lifetime.value.as_secs();
    if (1..=u64::from(MAX_LIFETIME)).contains(&seconds) {
        return Ok(());
    }
    let shown = format!("{seconds}s");
    Err(refused("token_lifetime", shown, &lifetime.origin, "use 1s to 30d"))
}

/// A limit of zero would reject everything.
fn check_timeouts(settings: &Settings) -> Result<()> {
    let timeouts = [
        ("statement_timeout", &settings.statement_timeout),
        ("schema_timeout", &settings.schema_timeout),
        ("queue_timeout", &settings.queue_timeout),
        ("header_timeout", &settings.header_timeout),
        ("stream_timeout", &settings.stream_timeout),
        ("load_timeout", &settings.load_timeout),
        ("webhook_timeout", &settings.webhook_timeout),
        ("instance_timeout", &settings.instance_timeout),
        ("instance_start_timeout", &settings.instance_start_timeout),
    ];
    let never = "nothing would ever be in time";
    let poll = &settings.schema_poll;
    let poll = Some(poll).filter(|poll| poll.value == SchemaPoll::Every(Duration::ZERO));
    let poll = poll.map(|poll| refused("schema_poll", "0s", &poll.origin, never));
    let wrong = timeouts.into_iter().filter(|(_, timeout)| timeout.value == Duration::ZERO);
    let wrong = wrong.map(|(name, timeout)| refused(name, "0s", &timeout.origin, never));
    ConfigurationError::all_of(poll.into_iter().chain(wrong))
}

/// Times and sizes of which none at all would undo what they bound.
fn check_nothing(settings: &Settings) -> Result<()> {
    let times = [
        ("idempotency_ttl", &settings.idempotency_ttl, "a repeated request would act again"),
        ("live_heartbeat", &settings.live_heartbeat, "subscriptions would get nothing else"),
    ];
    let times = times.into_iter().filter(|(_, time, _)| time.value.is_zero());
    let times = times.map(|(name, time, why)| refused(name, "0s", &time.origin, why));
    let sizes = [
        ("uri_bytes", &settings.uri_bytes, "no request would be short enough"),
        ("answer_bytes", &settings.answer_bytes, "no answer would be small enough"),
    ];
    let sizes = sizes.into_iter().filter(|(_, size, _)| size.value.0 == 0);
    let sizes = sizes.map(|(name, size, why)| refused(name, 0, &size.origin, why));
    let (target, most) = (&settings.uri_bytes, HttpLimits::LONGEST_TARGET);
    let target = Some(target).filter(|it| it.value.0 > most).map(|it| {
        let why = format!(
            "no longer target than {most} bytes is read; send long filters in a `POST` search"
        );
        refused("uri_bytes", it.value.0, &it.origin, &why)
    });
    ConfigurationError::all_of(times.chain(sizes).chain(target))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use duet_model::Error;

    use super::super::{GivenTexts, Origin, Sources};
    use super::*;

    fn refused(pairs: &[(&'static str, &str)]) -> Error {
        let given = |text: &str, name: &str| GivenTexts {
            value: vec![text.to_owned()],
            origin: Origin::Flag(format!("--{}", name.replace('_', "-"))),
        };
        let flags: BTreeMap<_, _> =
            pairs.iter().map(|(name, text)| (*name, given(text, name))).collect();
        let sources = Sources { flags: &flags, environment: &|_| None, file: &BTreeMap::default() };
        Settings::resolve(&sources).unwrap_err().into()
    }

    #[test]
    fn cors_has_the_defaults_of_the_library() {
        let flags = BTreeMap::default();
        let sources = Sources { flags: &flags, environment: &|_| None, file: &BTreeMap::default() };
        assert_eq!(Settings::resolve(&sources).unwrap().cors(), CorsOptions::default());
    }

    #[test]
    fn all_contradictions_are_said_at_once() {
        let found = refused(&[
            ("workers", "999"),
            ("filter_path", "1000"),
            ("filter_order", "200"),
            ("queue_timeout", "0s"),
            ("header_timeout", "0s"),
        ]);
        let about = |error: &Error| error.message.split('`').nth(1).map(str::to_owned);
        let names: Vec<_> = found.mistakes().filter_map(about).collect();
        assert_eq!(
            names,
            ["workers", "filter_order", "filter_path", "queue_timeout", "header_timeout"]
        );
    }

    #[test]
    fn nothing_is_no_limit() {
        for (name, text) in [
            ("stream_timeout", "0s"),
            ("load_timeout", "0s"),
            ("webhook_timeout", "0s"),
            ("idempotency_ttl", "0s"),
            ("live_heartbeat", "0s"),
            ("uri_bytes", "0"),
            ("uri_bytes", "65536"),
            ("answer_bytes", "0"),
        ] {
            let message = refused(&[(name, text)]).message;
            assert!(message.contains(&format!("`{name}` cannot be {text}: ")), "{message}");
        }
    }

    /// No one has to count the connections of processes and workers.
    #[test]
    fn connections_that_nobody_set_are_enough_for_every_worker() {
        let given = |text: &str| {
            let origin = Origin::Flag("--it".to_owned());
            GivenTexts { value: vec![text.to_owned()], origin }
        };
        for (workers, instances, connections) in
            [("16", Some("5"), 96), ("16", None, 20), ("32", None, 32), ("1", Some("2..10"), 20)]
        {
            let mut flags = BTreeMap::from([("workers", given(workers))]);
            flags.extend(instances.map(|instances| ("instances", given(instances))));
            let sources =
                Sources { flags: &flags, environment: &|_| None, file: &BTreeMap::default() };
            let settings = Settings::resolve(&sources).unwrap();
            assert_eq!(settings.db_connections.value.get(), connections, "{workers} {instances:?}");
        }
    }

    #[test]
    fn contradictions_are_refused() {
        for (pairs, expected) in [
            (
                &[("page_size", "50"), ("max_page_size", "40")][..],
                "--page-size: `page_size` cannot be 50: it is above max_page_size, which is 40 (--max-page-size).",
            ),
            (
                &[("workers", "4"), ("db_connections", "2")],
                "--db-connections: `db_connections` cannot be 2: every worker needs one, and workers is 4 (--workers).",
            ),
            (
                &[("instances", "2..10"), ("db_connections", "10")],
                "--db-connections: `db_connections` cannot be 10: every worker needs one, and workers is 1 (default) in each of 11 processes: instances is 2..10 (--instances), and one is being replaced.",
            ),
            (
                &[("tls_cert", ""), ("tls_key", "k")],
                "--tls-cert: `tls_cert` cannot be empty: leave it out, or name a file.",
            ),
            (&[("tls_cert", "c")], "--tls-cert: `tls_cert` cannot be c: it needs `tls_key`."),
            (&[("tls_key", "k")], "--tls-key: `tls_key` cannot be k: it needs `tls_cert`."),
            (
                &[("cors_origins", "https://a.example/")],
                "--cors-origins: `cors_origins` cannot be https://a.example/: leave out whatever is not scheme, host and port.",
            ),
            (
                &[("cors_origins", "*"), ("cors_credentials", "true")],
                "--cors-credentials: `cors_credentials` cannot be true: name the origins in `cors_origins`: a browser sends no cookies to `*`.",
            ),
            (
                &[("cors_methods", "GET,patch")],
                "--cors-methods: `cors_methods` cannot be patch: use GET, HEAD, QUERY, POST, PUT, PATCH, DELETE, OPTIONS, in capitals.",
            ),
            (&[("workers", "999")], "--workers: `workers` cannot be 999: use 256 at most."),
            (
                &[("filter_depth", "200")],
                "--filter-depth: `filter_depth` cannot be 200: use 128 at most.",
            ),
            (
                &[("filter_regex", "1001")],
                "--filter-regex: `filter_regex` cannot be 1001: use 1000 at most.",
            ),
            (
                &[("token_lifetime", "31d")],
                "--token-lifetime: `token_lifetime` cannot be 2678400s: use 1s to 30d.",
            ),
            (
                &[("queue_timeout", "0s")],
                "--queue-timeout: `queue_timeout` cannot be 0s: nothing would ever be in time.",
            ),
        ] {
            assert_eq!(refused(pairs).message, expected);
        }
    }
}
