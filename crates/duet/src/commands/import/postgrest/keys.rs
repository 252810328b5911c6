//! The keys of PostgREST's configuration: the one list from which lines are taken and refused, and that the manual
//! prints.

use super::plan::{KeyOutcome, Plan};

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is a setting.
    Setting,
    /// It is a line of app.toml.
    AppToml,
    /// Nothing has to be said.
    NotNeeded,
    /// Its default is what Duet does; another value is refused.
    DefaultOnly,
    /// Nothing is like it.
    Refused,
}

impl Fate {
    /// The word of the manual.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Setting => "setting",
            Self::AppToml => "app.toml",
            Self::NotNeeded => "not needed",
            Self::DefaultOnly => "by its default",
            Self::Refused => "refused",
        }
    }
}

/// A key.
pub(super) struct KeyRow {
    pub(super) name: &'static str,
    /// An older name.
    pub(super) alias: Option<&'static str>,
    pub(super) fate: Fate,
    /// What is there in its place, or why nothing is.
    pub(super) here: &'static str,
    /// Takes a value.
    pub(super) take: fn(&str, &mut Plan) -> KeyOutcome,
}

const fn row(
    name: &'static str,
    fate: Fate,
    here: &'static str,
    take: fn(&str, &mut Plan) -> KeyOutcome,
) -> KeyRow {
    KeyRow { name, alias: None, fate, here, take }
}

impl KeyRow {
    const fn or(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    /// The row of a key.
    pub(super) fn named(key: &str) -> Option<&'static Self> {
        let is_it = |row: &&Self| {
            let all = row.name.strip_suffix('*').is_some_and(|start| key.starts_with(start));
            row.name == key || row.alias == Some(key) || all
        };
        KEYS.iter().find(is_it)
    }
}

const fn not_needed(name: &'static str, here: &'static str) -> KeyRow {
    row(name, Fate::NotNeeded, here, |_, _| KeyOutcome::NotNeeded)
}

const fn refused(name: &'static str, here: &'static str) -> KeyRow {
    row(name, Fate::Refused, here, |_, _| KeyOutcome::Refused)
}

/// A value that means what Duet does.
fn only(value: &str, known: &[&str]) -> KeyOutcome {
    if known.contains(&value) { KeyOutcome::NotNeeded } else { KeyOutcome::Refused }
}

const OFF: &[&str] = &["false", "0", "no", "off"];
const ON: &[&str] = &["true", "1", "yes", "on"];

use Fate::{AppToml, DefaultOnly, Setting};

/// All keys.
pub(super) const KEYS: &[KeyRow] = &[
    row("db-uri", Setting, "`DUET_DATABASE`", |_, plan| plan.database()),
    row("db-schemas", AppToml, "`schema`: one for each application", |value, plan| {
        plan.schemas(value)
    })
    .or("db-schema"),
    row("db-anon-role", Setting, "`--anonymous-db-role` with `--open all`", |value, plan| {
        plan.flag("--open", "all");
        plan.flag("--anonymous-db-role", value)
    }),
    row("db-pool", Setting, "`--db-connections`", |value, plan| {
        plan.number("--db-connections", value, "")
    }),
    row("db-pool-acquisition-timeout", Setting, "`--queue-timeout`", |value, plan| {
        plan.number("--queue-timeout", value, "s")
    }),
    not_needed("db-pool-max-lifetime", "connections are kept while they work"),
    not_needed("db-pool-max-idletime", "connections are kept while they work")
        .or("db-pool-timeout"),
    row(
        "db-pool-automatic-recovery",
        DefaultOnly,
        "lost connections are opened again",
        |value, _| only(value, ON),
    ),
    row("db-max-rows", Setting, "`--max-page-size`", |value, plan| {
        plan.number("--max-page-size", value, "")
    })
    .or("max-rows"),
    row("db-aggregates-enabled", AppToml, "`aggregates`", |value, plan| plan.aggregates(value)),
    row("db-plan-enabled", DefaultOnly, "plans are shown by `duet explain` alone", |value, _| {
        only(value, OFF)
    }),
    row("db-tx-end", DefaultOnly, "`Prefer: tx=rollback` is always taken", |value, _| {
        only(value, &["commit", "commit-allow-override"])
    }),
    row(
        "db-extra-search-path",
        DefaultOnly,
        "`options=-csearch_path=…` in the database's address",
        |value, _| only(value, &["public"]),
    ),
    refused("db-hoisted-tx-settings", "settings of functions count inside them"),
    refused("db-pre-request", "no function runs before each request").or("pre-request"),
    refused("db-root-spec", "no function answers at the mount").or("root-spec"),
    row(
        "db-config",
        DefaultOnly,
        "`pgrst.*` settings of database roles are not read: name them here",
        |value, _| only(value, OFF),
    ),
    refused("db-pre-config", "no function gives settings"),
    not_needed("db-channel", "the schema is looked at every `--schema-poll`"),
    not_needed("db-channel-enabled", "the schema is looked at every `--schema-poll`"),
    row("db-prepared-statements", DefaultOnly, "statements are prepared", |value, _| {
        only(value, ON)
    }),
    row(
        "jwt-secret",
        Setting,
        "`--jwt-secret-file` or `--jwt-keys-file`, with `--jwt-issuer`",
        |value, plan| plan.secret(value),
    ),
    row("jwt-secret-is-base64", DefaultOnly, "decode the secret into its file", |value, _| {
        only(value, OFF)
    })
    .or("secret-is-base64"),
    row("jwt-aud", Setting, "`--jwt-audience`", |value, plan| plan.flag("--jwt-audience", value)),
    row("jwt-role-claim-key", Setting, "`--jwt-db-role`, with `--jwt-db-roles`", |value, plan| {
        plan.role_claim(value)
    })
    .or("role-claim-key"),
    not_needed("jwt-cache-max-entries", "tokens are checked each time"),
    row("log-level", Setting, "`--access-log` for `info` and `debug`", |value, plan| match value {
        "info" | "debug" => plan.flag("--access-log", "text"),
        _ => KeyOutcome::NotNeeded,
    }),
    row("log-query", DefaultOnly, "`--slow-log` has statements", |value, _| only(value, OFF)),
    row(
        "openapi-mode",
        DefaultOnly,
        "OpenAPI at the mount has what the roles of Duet allow",
        |value, _| only(value, &["follow-privileges"]),
    ),
    row("openapi-security-active", DefaultOnly, "", |value, _| only(value, OFF)),
    refused("openapi-server-proxy-uri", "`--trusted-proxies` tells addresses of proxies"),
    row(
        "server-cors-allowed-origins",
        Setting,
        "`--cors-origins` with `--cors-credentials`; headers of your own in `--cors-headers`",
        |value, plan| {
            plan.flag("--cors-credentials", "true");
            plan.flag("--cors-origins", value)
        },
    ),
    row("server-host", Setting, "`--listen`", |value, plan| plan.host(value)),
    row("server-port", Setting, "`--listen`", |value, plan| plan.port(value)),
    row("server-unix-socket", Setting, "`--listen unix:PATH`", |value, plan| {
        plan.flag("--listen", &format!("unix:{value}"))
    }),
    refused("server-unix-socket-mode", "the folder of the socket decides"),
    not_needed("server-reuseport", "`--instances` share an address"),
    refused("server-trace-header", "answers have no header of the request"),
    row("server-timing-enabled", Setting, "`--server-timing`", |value, plan| {
        plan.switch("--server-timing", value)
    }),
    not_needed("admin-server-port", "`/health/live` and `/health/ready` are at the same address"),
    not_needed("admin-server-host", "`/health/live` and `/health/ready` are at the same address"),
    not_needed("admin-server-unix-socket", "the same"),
    not_needed("admin-server-unix-socket-mode", "the same"),
    refused("app.settings.*", "`current_setting('app.settings.…')` is not set"),
    row(
        "url-use-legacy-target-names",
        DefaultOnly,
        "parameters name an embed by its alias",
        |value, _| only(value, OFF),
    ),
    row("client-error-verbosity", DefaultOnly, "errors have all members", |value, _| {
        only(value, &["verbose"])
    }),
    not_needed("internal-schema-cache-query-sleep", "for tests of PostgREST"),
    not_needed("internal-schema-cache-query-sleep-before-queries", "for tests of PostgREST"),
];
