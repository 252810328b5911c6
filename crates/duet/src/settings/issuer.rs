//! The settings of external JWTs: the rules between them, and the resulting configuration.

use std::time::Duration;

use duet_auth::RoleClaim;
use duet_auth::jwt::{self, Algorithm, MAX_SKEW};
use duet_service::KeyPlaces;

use super::origin::refused;
use super::{Origin, Settings};
use crate::configuration_error::{ConfigurationError, Result};

/// The shortest interval between two fetches of keys, however many tokens name unknown ones.
const PAUSE: Duration = Duration::from_secs(10);

impl Settings {
    /// The requirements on external tokens and the location of their keys, if there is an issuer.
    pub(crate) fn issuer(&self) -> Option<(jwt::Settings, KeyPlaces)> {
        let issuer_settings = jwt::Settings {
            issuer: self.jwt_issuer.value.clone()?,
            audiences: self.jwt_audience.value.clone(),
            algorithms: self.jwt_algorithms.value.clone(),
            skew: self.jwt_skew.value.as_secs(),
            max_age: self.jwt_max_age.value.map(|age| age.as_secs()),
            roles: self.jwt_roles.value.clone(),
            db_role: self
                .jwt_db_role
                .value
                .clone()
                .map(|at| RoleClaim { at, allowed: self.jwt_db_roles.value.clone() }),
            tenant: self.jwt_tenant.value.clone(),
            max_bytes: self.jwt_bytes.value.0,
        };
        let places = KeyPlaces {
            url: self.jwt_keys_url.value.as_ref().map(|url| url.0.clone()),
            file: self.jwt_keys_file.value.clone(),
            secret: self.jwt_secret_file.value.clone(),
            refresh: self.jwt_refresh.value,
            pause: PAUSE,
        };
        Some((issuer_settings, places))
    }
}

/// Checks the settings of an issuer against each other.
pub(super) fn check(settings: &Settings) -> Result<()> {
    let Some(issuer) = &settings.jwt_issuer.value else { return check_without(settings) };
    let mut wrong = Vec::new();
    if settings.jwt_audience.value.is_empty() {
        let why = "set `jwt_audience` to the audience of its tokens: others are refused";
        let audience = refused("jwt_issuer", issuer, &settings.jwt_issuer.origin, why);
        wrong.push(audience.about(&["jwt_audience"]));
    }
    let (url, file) = (&settings.jwt_keys_url, &settings.jwt_keys_file);
    if let (Some(_), Some(path)) = (&url.value, &file.value) {
        let why = format!("`jwt_keys_url` is given too ({})", url.origin);
        let both = refused("jwt_keys_file", path.display(), &file.origin, &why);
        wrong.push(both.about(&["jwt_keys_url"]));
    }
    let (skew, refresh) = (&settings.jwt_skew, &settings.jwt_refresh);
    let shown = |time: &Duration| format!("{}s", time.as_secs());
    if skew.value > Duration::from_secs(MAX_SKEW) {
        wrong.push(refused("jwt_skew", shown(&skew.value), &skew.origin, "use 60s at most"));
    }
    if refresh.value < PAUSE {
        let shown = shown(&refresh.value);
        wrong.push(refused("jwt_refresh", shown, &refresh.origin, "use 10s at least"));
    }
    let parts = [check_roles(settings), check_algorithms(settings)];
    wrong.extend(parts.into_iter().filter_map(Result::err));
    ConfigurationError::all_of(wrong)
}

/// The console's sign-in needs all of its parts, and the issuer.
pub(super) fn check_console_login(settings: &Settings) -> Result<()> {
    let (client, issuer) = (&settings.console_login_client, &settings.jwt_issuer.value);
    let urls = [
        ("console_login_url", &settings.console_login_url),
        ("console_login_token_url", &settings.console_login_token_url),
    ];
    let Some(id) = &client.value else {
        let secret = &settings.console_login_secret_file.origin;
        let others = urls.map(|(name, url)| (name, &url.origin));
        let given = others.into_iter().chain([("console_login_secret_file", secret)]);
        let given = given.filter(|(_, origin)| **origin != Origin::Default);
        let idle = given.map(|(name, origin)| idle(name, origin, "console_login_client"));
        return ConfigurationError::all_of(idle);
    };
    let missing = urls.iter().filter(|(_, url)| url.value.is_none()).map(|(name, _)| *name);
    let missing = missing.chain(issuer.is_none().then_some("jwt_issuer"));
    ConfigurationError::all_of(missing.map(|name| {
        let why = format!("set `{name}` too: people sign in at that issuer");
        refused("console_login_client", id, &client.origin, &why).about(&[name])
    }))
}

/// Tokens name a database role exactly if such roles are listed.
fn check_roles(settings: &Settings) -> Result<()> {
    let (at, roles) = (&settings.jwt_db_role, &settings.jwt_db_roles);
    match (&at.value, roles.value.first()) {
        (Some(pointer), None) => {
            let why = "list in `jwt_db_roles` the roles that tokens may name";
            Err(refused("jwt_db_role", pointer, &at.origin, why).about(&["jwt_db_roles"]))
        }
        (None, Some(role)) => {
            let why = "set `jwt_db_role` to the role's location in a token";
            Err(refused("jwt_db_roles", role, &roles.origin, why).about(&["jwt_db_role"]))
        }
        _ => Ok(()),
    }
}

/// Every algorithm needs keys, and every key an algorithm. The secret of HS256 is shared by a
/// person; it never comes from a published set.
fn check_algorithms(settings: &Settings) -> Result<()> {
    let algorithms = &settings.jwt_algorithms;
    let refuse = |algorithm: &Algorithm, why: &str| {
        let wrong = refused("jwt_algorithms", algorithm, &algorithms.origin, why);
        Err(wrong.about(&["jwt_keys_url", "jwt_keys_file", "jwt_secret_file"]))
    };
    let published = settings.jwt_keys_url.value.is_some() || settings.jwt_keys_file.value.is_some();
    let secret = &settings.jwt_secret_file;
    let shared = algorithms.value.contains(&Algorithm::Hs256);
    if shared && secret.value.is_none() {
        return refuse(&Algorithm::Hs256, "it needs `jwt_secret_file`");
    }
    let other = algorithms.value.iter().find(|algorithm| **algorithm != Algorithm::Hs256);
    match (other, &secret.value) {
        (Some(other), _) if !published => {
            refuse(other, "it needs `jwt_keys_url` or `jwt_keys_file`")
        }
        (_, Some(path)) if !shared => {
            let why = "it is for HS256, which `jwt_algorithms` does not name";
            let wrong = refused("jwt_secret_file", path.display(), &secret.origin, why);
            Err(wrong.about(&["jwt_algorithms"]))
        }
        _ => Ok(()),
    }
}

/// Without an issuer, its other settings are errors.
fn check_without(settings: &Settings) -> Result<()> {
    let given = [
        ("jwt_audience", &settings.jwt_audience.origin),
        ("jwt_keys_url", &settings.jwt_keys_url.origin),
        ("jwt_keys_file", &settings.jwt_keys_file.origin),
        ("jwt_secret_file", &settings.jwt_secret_file.origin),
        ("jwt_algorithms", &settings.jwt_algorithms.origin),
        ("jwt_roles", &settings.jwt_roles.origin),
        ("jwt_db_role", &settings.jwt_db_role.origin),
        ("jwt_db_roles", &settings.jwt_db_roles.origin),
        ("jwt_tenant", &settings.jwt_tenant.origin),
    ];
    let given = given.into_iter().filter(|(_, origin)| **origin != Origin::Default);
    ConfigurationError::all_of(given.map(|(name, origin)| idle(name, origin, "jwt_issuer")))
}

fn idle(name: &str, origin: &Origin, without: &str) -> ConfigurationError {
    let message = format!("{origin}: `{name}` means nothing without `{without}`.");
    ConfigurationError::setting(message).about(&[name, without])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{GivenTexts, Sources};
    use super::*;

    fn resolve(pairs: &[(&'static str, &str)]) -> duet_model::Result<Settings> {
        let given = |text: &str, name: &str| GivenTexts {
            value: vec![text.to_owned()],
            origin: Origin::Flag(format!("--{}", name.replace('_', "-"))),
        };
        let flags: BTreeMap<_, _> =
            pairs.iter().map(|(name, text)| (*name, given(text, name))).collect();
        let file = BTreeMap::default();
        Ok(Settings::resolve(&Sources { flags: &flags, environment: &|_| None, file: &file })?)
    }

    #[test]
    fn contradictions_are_refused() {
        let issuer = [("jwt_issuer", "https://id.example"), ("jwt_audience", "shop")];
        let url = ("jwt_keys_url", "https://id.example/keys");
        for (more, expected) in [
            (
                &[][..],
                "default: `jwt_algorithms` cannot be RS256: it needs `jwt_keys_url` or `jwt_keys_file`",
            ),
            (
                &[("jwt_algorithms", "RS256,HS256"), url],
                "`jwt_algorithms` cannot be HS256: it needs `jwt_secret_file`",
            ),
            (
                &[("jwt_secret_file", "s"), url],
                "--jwt-secret-file: `jwt_secret_file` cannot be s: it is for HS256",
            ),
            (
                &[("jwt_algorithms", "none"), url],
                "--jwt-algorithms: `jwt_algorithms` cannot be \"none\": use some of `RS256`",
            ),
            (
                &[("jwt_keys_file", "k"), url],
                "`jwt_keys_file` cannot be k: `jwt_keys_url` is given too (--jwt-keys-url).",
            ),
            (&[("jwt_skew", "61s"), url], "--jwt-skew: `jwt_skew` cannot be 61s: use 60s at most."),
            (
                &[("jwt_refresh", "1s"), url],
                "--jwt-refresh: `jwt_refresh` cannot be 1s: use 10s at least.",
            ),
            (
                &[("jwt_keys_url", "http://id.example/keys")],
                "use `https`; `http` is for addresses of this machine.",
            ),
            (
                &[("jwt_roles", "roles"), url],
                "`jwt_roles` cannot be \"roles\": use a JSON pointer such as",
            ),
            (
                &[("jwt_db_role", "/role"), url],
                "`jwt_db_role` cannot be /role: list in `jwt_db_roles` the roles that tokens may name.",
            ),
            (
                &[("jwt_db_roles", "shop"), url],
                "`jwt_db_roles` cannot be shop: set `jwt_db_role` to the role's location in a token.",
            ),
            (
                &[("jwt_db_role", "/role"), ("jwt_db_roles", "shop,none"), url],
                "`jwt_db_roles` cannot be \"shop,none\": use the name of a role",
            ),
            (&[("jwt_audience", ""), url], "set `jwt_audience` to the audience of its tokens"),
        ] {
            let pairs: Vec<_> = issuer.iter().chain(more).copied().collect();
            let message = resolve(&pairs).unwrap_err().message;
            assert!(message.contains(expected), "{message}\n{expected}");
        }
        let message = resolve(&[url]).unwrap_err().message;
        assert_eq!(message, "--jwt-keys-url: `jwt_keys_url` means nothing without `jwt_issuer`.");
    }

    #[test]
    fn settings_resolve_to_their_values() {
        assert_eq!(resolve(&[]).unwrap().issuer(), None);
        let settings = resolve(&[
            ("jwt_issuer", "i"),
            ("jwt_audience", "a, b"),
            ("jwt_algorithms", "HS256"),
            ("jwt_secret_file", "s"),
            ("jwt_max_age", "1h"),
        ]);
        let (issuer_settings, places) = settings.unwrap().issuer().unwrap();
        assert_eq!(
            (issuer_settings.audiences.len(), issuer_settings.skew, issuer_settings.max_age),
            (2, 60, Some(3_600))
        );
        assert_eq!(
            (issuer_settings.algorithms, issuer_settings.max_bytes),
            (vec![Algorithm::Hs256], 8_192)
        );
        assert_eq!((places.url, places.secret), (None, Some("s".into())));
    }
}
