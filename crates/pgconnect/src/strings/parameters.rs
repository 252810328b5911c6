//! The connection parameters of libpq, the environment variable of each, and whether this crate
//! supports, ignores or rejects it.
//!
//! Names and variables are those of PostgreSQL 18's manual, chapters "Parameter Key Words" and
//! "Environment Variables". A parameter that would make a connection safer is never ignored: if the
//! driver does not support it, it is rejected.

use crate::{Error, Result};

/// The support for a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Support {
    /// Works as in libpq.
    Honoured,
    /// Has no effect without its authentication method or compression, which libpq may be built
    /// without too.
    Ignored,
    /// Rejected with this advice, unless it has one of these values, which disable it.
    Refused(&'static [&'static str], &'static str),
}

/// A connection parameter.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) variable: Option<&'static str>,
    pub(crate) support: Support,
}

const fn honoured(name: &'static str, variable: &'static str) -> Parameter {
    Parameter { name, variable: Some(variable), support: Support::Honoured }
}

const fn unnamed(name: &'static str) -> Parameter {
    Parameter { name, variable: None, support: Support::Honoured }
}

const fn ignored(name: &'static str, variable: Option<&'static str>) -> Parameter {
    Parameter { name, variable, support: Support::Ignored }
}

const fn refused(
    name: &'static str,
    variable: Option<&'static str>,
    harmless: &'static [&'static str],
    advice: &'static str,
) -> Parameter {
    Parameter { name, variable, support: Support::Refused(harmless, advice) }
}

const NO_GSS: &str = "GSSAPI is not offered: use a password or a client certificate.";
const NO_OAUTH: &str = "OAuth is not offered: use a password or a client certificate.";
const NO_KEYS: &str = "Give the password itself, preferably in a password file.";

/// All parameters, in the order of the manual.
pub(crate) const ALL: &[Parameter] = &[
    honoured("host", "PGHOST"),
    honoured("hostaddr", "PGHOSTADDR"),
    honoured("port", "PGPORT"),
    honoured("dbname", "PGDATABASE"),
    honoured("user", "PGUSER"),
    honoured("password", "PGPASSWORD"),
    honoured("passfile", "PGPASSFILE"),
    refused(
        "require_auth",
        Some("PGREQUIREAUTH"),
        &[""],
        "The driver cannot restrict it: use `channel_binding=require` or `sslmode=verify-full`.",
    ),
    honoured("channel_binding", "PGCHANNELBINDING"),
    honoured("connect_timeout", "PGCONNECT_TIMEOUT"),
    honoured("client_encoding", "PGCLIENTENCODING"),
    honoured("options", "PGOPTIONS"),
    honoured("application_name", "PGAPPNAME"),
    unnamed("fallback_application_name"),
    unnamed("keepalives"),
    unnamed("keepalives_idle"),
    unnamed("keepalives_interval"),
    unnamed("keepalives_count"),
    unnamed("tcp_user_timeout"),
    refused(
        "replication",
        None,
        &["", "false", "off", "no", "0"],
        "A replication connection cannot run queries: leave it out.",
    ),
    refused("gssencmode", Some("PGGSSENCMODE"), &["", "disable", "prefer"], NO_GSS),
    honoured("sslmode", "PGSSLMODE"),
    honoured("sslnegotiation", "PGSSLNEGOTIATION"),
    ignored("sslcompression", Some("PGSSLCOMPRESSION")),
    honoured("sslcert", "PGSSLCERT"),
    honoured("sslkey", "PGSSLKEY"),
    refused(
        "sslpassword",
        None,
        &[""],
        "Encrypted keys are not read: store the key unencrypted, readable by its owner alone \
         (`openssl pkey -in old.key -out new.key`).",
    ),
    honoured("sslcertmode", "PGSSLCERTMODE"),
    honoured("sslrootcert", "PGSSLROOTCERT"),
    honoured("sslcrl", "PGSSLCRL"),
    honoured("sslcrldir", "PGSSLCRLDIR"),
    honoured("sslsni", "PGSSLSNI"),
    refused(
        "requirepeer",
        Some("PGREQUIREPEER"),
        &[""],
        "The driver cannot see who owns the socket: use `sslmode=verify-full` over TCP.",
    ),
    honoured("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION"),
    honoured("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION"),
    refused(
        "min_protocol_version",
        Some("PGMINPROTOCOLVERSION"),
        &["", "3.0"],
        "The driver speaks version 3.0 of the protocol.",
    ),
    ignored("max_protocol_version", Some("PGMAXPROTOCOLVERSION")),
    ignored("krbsrvname", Some("PGKRBSRVNAME")),
    ignored("gsslib", Some("PGGSSLIB")),
    ignored("gssdelegation", Some("PGGSSDELEGATION")),
    refused("scram_client_key", None, &[""], NO_KEYS),
    refused("scram_server_key", None, &[""], NO_KEYS),
    honoured("service", "PGSERVICE"),
    honoured("servicefile", "PGSERVICEFILE"),
    honoured("target_session_attrs", "PGTARGETSESSIONATTRS"),
    honoured("load_balance_hosts", "PGLOADBALANCEHOSTS"),
    refused("sslkeylogfile", None, &[""], "TLS keys are never written to a file."),
    refused("oauth_issuer", None, &[""], NO_OAUTH),
    refused("oauth_client_id", None, &[""], NO_OAUTH),
    refused("oauth_client_secret", None, &[""], NO_OAUTH),
    refused("oauth_scope", None, &[""], NO_OAUTH),
];

/// The parameter with a name; the error for an unknown one suggests the nearest.
pub(crate) fn find(name: &str) -> Result<&'static Parameter> {
    if let Some(parameter) = ALL.iter().find(|parameter| parameter.name == name) {
        return Ok(parameter);
    }
    Err(Error::parameter(name, format!("`{name}` is not a connection parameter."))
        .suggest(name, ALL.iter().map(|parameter| parameter.name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, SettingPlace};

    #[test]
    fn every_name_and_variable_is_unique() {
        for (index, parameter) in ALL.iter().enumerate() {
            let twin = |other: &Parameter| {
                other.name == parameter.name
                    || (other.variable.is_some() && other.variable == parameter.variable)
            };
            assert!(!ALL[index + 1..].iter().any(twin), "{}", parameter.name);
        }
    }

    #[test]
    fn an_unknown_parameter_names_the_nearest() {
        let error = find("sslmod").unwrap_err();
        assert_eq!(error.kind, ErrorKind::Setting);
        assert_eq!(error.message, "`sslmod` is not a connection parameter.");
        assert_eq!(error.hint.as_deref(), Some("Did you mean `sslmode`?"));
        assert_eq!(error.place, Some(SettingPlace::Parameter("sslmod".into())));
        assert_eq!(find("wallet_of_oracle").unwrap_err().hint, None);
    }
}
