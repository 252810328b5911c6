//! Another issuer of access tokens: its keys, from files or from its address, and the check of its
//! tokens against them. A request waits for keys only where its token names one that is not known, and keys may be fetched
//! again.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use duet_auth::jwt::{Cache, KeySet, Settings, VerifiedToken, Verifier};
use duet_auth::{Claims, DbRole, Fingerprint, Open, Principal, TokenError, role};
use duet_model::{Code, Error, Result};
use tokio::sync::{Notify, watch};

/// Verified tokens that are remembered.
const CACHED_TOKENS: usize = 10_000;

/// How long a request waits for the keys of an issuer.
const KEYS_PATIENCE: Duration = Duration::from_secs(3);

/// Bytes of a JWK Set, or of a secret, at most.
pub const MAX_KEYS_BYTES: u64 = 1 << 20;

/// Where an issuer's keys are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPlaces {
    /// The address of its JWK Set.
    pub url: Option<String>,
    /// A file with its JWK Set.
    pub file: Option<PathBuf>,
    /// A file with the secret for HS256.
    pub secret: Option<PathBuf>,
    /// How often keys are fetched from the address.
    pub refresh: Duration,
    /// The shortest time between two fetches, however many tokens name unknown keys.
    pub pause: Duration,
}

/// An issuer of access tokens.
#[derive(Debug)]
pub struct Issuer {
    verifier: Verifier,
    places: KeyPlaces,
    /// What is known of the files and the address; the lock is never held on a request's path.
    parts: Mutex<Parts>,
    in_force: ArcSwap<InForce>,
    cache: Cache,
    unknown_key: Notify,
    fetches: watch::Sender<KeyFetches>,
}

/// The fetches of an issuer's keys.
#[derive(Clone, Copy, Debug, Default)]
struct KeyFetches {
    /// How many have ended.
    ended: u64,
    /// Whether one is under way, or begins as soon as a token names an unknown key.
    may_end: bool,
}

#[derive(Debug, Default)]
struct Parts {
    published: KeySet,
    /// The bytes that `published` was read from.
    published_from: Vec<u8>,
    secret: KeySet,
    file_seen: Option<Fingerprint>,
    secret_seen: Option<Fingerprint>,
}

#[derive(Debug, Default)]
struct InForce {
    keys: KeySet,
    /// Grows with every change.
    version: u32,
}

/// Who has signed in, as the issuer's `id_token` says, and the nonce that the token answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuerSubject {
    /// The person at the issuer.
    pub subject: String,
    /// The nonce.
    pub nonce: String,
}

/// A claim of a token.
fn claim<'t>(verified: &'t VerifiedToken, name: &str) -> Option<&'t serde_json::Value> {
    verified.principal().claims().map(Claims::value)?.get(name)
}

/// A claim that is a text.
fn text_claim<'t>(verified: &'t VerifiedToken, name: &str) -> Option<&'t str> {
    claim(verified, name)?.as_str()
}

impl Issuer {
    /// An issuer; keys in files are read now, those at an address are fetched later.
    ///
    /// # Errors
    /// Where a file cannot be read, holds no key that can be used, or others can read the secret.
    pub fn new(settings: Settings, places: KeyPlaces, open: Open) -> Result<Self> {
        let issuer = Self {
            verifier: Verifier::new(settings, open),
            places,
            parts: Mutex::default(),
            in_force: ArcSwap::default(),
            cache: Cache::new(CACHED_TOKENS),
            unknown_key: Notify::new(),
            fetches: watch::Sender::default(),
        };
        issuer.refresh()?;
        Ok(issuer)
    }

    /// The roles of the database that its tokens may name.
    pub(crate) fn db_roles(&self) -> impl Iterator<Item = &DbRole> {
        self.verifier.settings().db_role.iter().flat_map(|claim| &claim.allowed)
    }

    /// Where its keys are.
    pub fn places(&self) -> &KeyPlaces {
        &self.places
    }

    /// Whose token this is. Without IO; a token that was checked a moment ago costs a hash.
    ///
    /// # Errors
    /// Why the token is not good.
    pub fn verify(&self, token: &str, now: u64) -> Result<Arc<Principal>, TokenError> {
        if token.len() > self.verifier.settings().max_bytes {
            return Err(TokenError::TooLong);
        }
        let in_force = self.in_force.load();
        // Cached tokens would lack roles that became known since.
        let version = u64::from(in_force.version) << 32 | role::count() as u64;
        let hash = Cache::hash(token);
        if let Some(verified) = self.cache.find(&hash, version, now) {
            verified.check_time(now)?;
            return Ok(Arc::clone(verified.principal()));
        }
        let verified = self.verifier.verify(&in_force.keys, token, now).inspect_err(|error| {
            if *error == TokenError::UnknownKey {
                self.request_refresh();
            }
        })?;
        let principal = Arc::clone(verified.principal());
        self.cache.keep(hash, verified, version, now);
        Ok(principal)
    }

    /// Checks the token that says who has signed in (OpenID Connect Core §3.1.3.7): it is of this issuer, for this client, in
    /// time, and answers the request with this nonce.
    ///
    /// # Errors
    /// Why it is not good.
    pub fn verify_id_token(
        &self,
        token: &str,
        client: &str,
        nonce: &str,
        now: u64,
    ) -> Result<IssuerSubject, TokenError> {
        let verified = self.id_token(token, client, now)?;
        let subject = text_claim(&verified, "sub").ok_or(TokenError::MissingClaim)?;
        match text_claim(&verified, "nonce") == Some(nonce) {
            true => Ok(IssuerSubject { subject: subject.to_owned(), nonce: nonce.to_owned() }),
            false => Err(TokenError::MissingClaim),
        }
    }

    /// Checks the token that comes when an access token is renewed (OpenID Connect Core §12.2): it is of the same issuer, for
    /// this client, in time, and says that the same person has signed in. It need not have a nonce.
    ///
    /// # Errors
    /// Why it is not good.
    pub fn verify_renewed_id_token(
        &self,
        token: &str,
        client: &str,
        before: &IssuerSubject,
        now: u64,
    ) -> Result<(), TokenError> {
        let verified = self.id_token(token, client, now)?;
        let claim = |name: &str| text_claim(&verified, name);
        let is_same = claim("sub") == Some(&before.subject)
            && claim("nonce").is_none_or(|nonce| nonce == before.nonce);
        if is_same { Ok(()) } else { Err(TokenError::MissingClaim) }
    }

    /// What says who has signed in, verified but for the nonce.
    fn id_token(&self, token: &str, client: &str, now: u64) -> Result<VerifiedToken, TokenError> {
        let settings = Settings {
            audiences: vec![client.to_owned()],
            roles: None,
            db_role: None,
            tenant: None,
            ..self.verifier.settings().clone()
        };
        let in_force = self.in_force.load();
        let verified = Verifier::new(settings, Open::No).verify(&in_force.keys, token, now);
        let verified = verified.inspect_err(|error| {
            if *error == TokenError::UnknownKey {
                self.request_refresh();
            }
        })?;
        // Where there are several audiences, the authorized party is this client.
        let is_party = text_claim(&verified, "azp").is_none_or(|party| party == client);
        // OpenID Connect Core 1.0 §2: both are required.
        let is_whole = text_claim(&verified, "sub").is_some()
            && claim(&verified, "iat").is_some_and(serde_json::Value::is_number);
        if is_party && is_whole { Ok(verified) } else { Err(TokenError::MissingClaim) }
    }

    /// What the issuer calls itself.
    pub fn name(&self) -> &str {
        &self.verifier.settings().issuer
    }

    /// Asks for the keys to be fetched again, if there is an address and as soon as may be.
    pub fn request_refresh(&self) {
        self.unknown_key.notify_one();
    }

    /// Waits until the keys were requested.
    pub async fn refresh_requested(&self) {
        self.fetches.send_modify(|fetches| fetches.may_end = true);
        self.unknown_key.notified().await;
    }

    /// The keys are fetched from now on.
    pub fn fetch_begins(&self) {
        self.fetches.send_modify(|fetches| fetches.may_end = true);
    }

    /// The keys were fetched, or could not be: the next fetch may be a while off.
    pub fn fetch_ended(&self) {
        self.fetches.send_modify(|fetches| {
            fetches.ended += 1;
            fetches.may_end = false;
        });
    }

    /// Waits for the fetch that was requested for an unknown key, unless keys were fetched a moment ago.
    pub async fn newest_keys(&self) {
        let mut fetches = self.fetches.subscribe();
        let KeyFetches { ended, may_end } = *fetches.borrow();
        if may_end {
            let next = fetches.wait_for(|fetches| fetches.ended > ended);
            // Whatever became of it, the token is checked again.
            drop(tokio::time::timeout(KEYS_PATIENCE, next).await);
        }
    }

    /// The same, where this token names a key that is not known.
    pub async fn keys_for(&self, token: &str, now: u64) {
        let keys = self.in_force.load_full();
        if self
            .verifier
            .verify(&keys.keys, token, now)
            .is_err_and(|it| it == TokenError::UnknownKey)
        {
            self.request_refresh();
            self.newest_keys().await;
        }
    }

    /// Takes a JWK Set that was fetched. Says how many keys there are now, if they have changed.
    ///
    /// # Errors
    /// Where it holds no key that can be used; the keys before then stay in force.
    pub fn offer(&self, json: &[u8]) -> Result<Option<usize>> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if parts.published_from == json {
            return Ok(None);
        }
        parts.published = KeySet::parse(json, &self.verifier.settings().algorithms)?;
        parts.published_from = json.to_vec();
        Ok(Some(self.put(&parts)))
    }

    /// Reads the files again if they have changed.
    ///
    /// # Errors
    /// Where a file cannot be read or used; the keys before then stay in force.
    pub fn refresh(&self) -> Result<()> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.places.file
            && let Some((bytes, seen)) = read(path, parts.file_seen.as_ref(), false)?
        {
            let algorithms = &self.verifier.settings().algorithms;
            // What was seen is not read again, so a broken file is reported once.
            parts.file_seen = Some(seen);
            parts.published =
                KeySet::parse(&bytes, algorithms).map_err(|error| named(path, error))?;
            self.put(&parts);
        }
        if let Some(path) = &self.places.secret
            && let Some((bytes, seen)) = read(path, parts.secret_seen.as_ref(), true)?
        {
            parts.secret_seen = Some(seen);
            let secret = without_newline(&bytes);
            if secret.len() < bytes.len() {
                let file = path.display().to_string();
                tracing::info!(file, "the newline at the end of the file is no part of the secret");
            }
            parts.secret = KeySet::of_secret(secret).map_err(|error| named(path, error))?;
            self.put(&parts);
        }
        Ok(())
    }

    /// Reads the files again whether or not they have changed, so that one which was broken before is reported again.
    ///
    /// # Errors
    /// As [`Self::refresh`].
    pub fn reread(&self) -> Result<()> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        (parts.file_seen, parts.secret_seen) = (None, None);
        drop(parts);
        self.refresh()
    }

    /// Whether there are keys by which tokens are checked.
    pub fn has_keys(&self) -> bool {
        !self.in_force.load().keys.is_empty()
    }

    /// Brings the keys into force.
    fn put(&self, parts: &Parts) -> usize {
        let keys = parts.published.clone().and(parts.secret.clone());
        let (count, version) = (keys.len(), self.in_force.load().version.wrapping_add(1));
        self.in_force.store(Arc::new(InForce { keys, version }));
        count
    }
}

/// The bytes of a file, unless it is as it was seen.
fn read(
    path: &Path,
    seen: Option<&Fingerprint>,
    secret: bool,
) -> Result<Option<(zeroize::Zeroizing<Vec<u8>>, Fingerprint)>> {
    let failed = |error| {
        let message = format!("{} cannot be read.", path.display());
        Error::new(Code::IssuerKeys, message).cause(error)
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if seen.is_some_and(|seen| *seen == Fingerprint::of(&metadata)) {
        return Ok(None);
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if secret && metadata.mode() & 0o077 != 0 {
        let message = format!("{} can be read by others, and it holds a secret.", path.display());
        return Err(Error::new(Code::IssuerKeys, message)
            .hint(format!("Run `chmod 600 {}`.", path.display())));
    }
    let mut bytes = zeroize::Zeroizing::new(Vec::new());
    file.take(MAX_KEYS_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some((bytes, Fingerprint::of(&metadata))))
}

fn named(path: &Path, mut error: Error) -> Error {
    error.message = format!("{}: {}", path.display(), error.message);
    error
}

/// A secret without the newline that editors put at the end of a file.
fn without_newline(secret: &[u8]) -> &[u8] {
    let line = secret.strip_suffix(b"\n").unwrap_or(secret);
    if line.len() < secret.len() { line.strip_suffix(b"\r").unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use duet_auth::jwt::Algorithm;
    use duet_testkit::jwt;
    use serde_json::json;

    use super::*;

    const NOW: u64 = 1_700_000_000;

    #[test]
    fn the_newline_at_the_end_is_no_part_of_a_secret() {
        for (file, secret) in
            [("a\n", "a"), ("a\r\n", "a"), ("a", "a"), ("a\r", "a\r"), ("a\n\n", "a\n"), ("\n", "")]
        {
            assert_eq!(without_newline(file.as_bytes()), secret.as_bytes(), "{file:?}");
        }
    }

    fn settings(algorithms: &[Algorithm]) -> Settings {
        Settings {
            issuer: "i".into(),
            audiences: vec!["a".into()],
            algorithms: algorithms.into(),
            skew: 0,
            max_age: None,
            roles: None,
            db_role: None,
            tenant: None,
            max_bytes: 1_000,
        }
    }

    fn token(issuer: &jwt::Issuer) -> String {
        issuer.token(&json!({ "iss": "i", "aud": "a", "exp": NOW + 30, "scope": "later-role" }))
    }

    #[test]
    fn keys_are_added_removed_and_requested() {
        let (first, second) = (jwt::Issuer::new("1"), jwt::Issuer::new("2"));
        let modern = [Algorithm::EdDsa, Algorithm::Es256];
        let issuer = Issuer::new(settings(&modern), KeyPlaces::default(), Open::No).unwrap();
        let judge = |who: &jwt::Issuer, now| issuer.verify(&token(who), now).map(drop);
        assert_eq!(judge(&first, NOW), Err(TokenError::NoKeys));
        let offer = |who: &jwt::Issuer| issuer.offer(who.jwks().to_string().as_bytes());
        assert_eq!(offer(&first), Ok(Some(2)));
        assert_eq!(offer(&first), Ok(None), "nothing new");
        assert_eq!(judge(&first, NOW), Ok(()));
        let refresh_requested = || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(async {
                tokio::select! { biased; () = issuer.refresh_requested() => true, () = std::future::ready(()) => false }
            })
        };
        assert!(!refresh_requested());
        // However many tokens name the unknown key, it is requested once.
        for _ in 0..5 {
            assert_eq!(judge(&second, NOW), Err(TokenError::UnknownKey));
        }
        assert!(refresh_requested() && !refresh_requested());
        assert!(issuer.offer(b"{}").is_err());
        assert_eq!(judge(&first, NOW), Ok(()), "the keys before stay");
        assert_eq!(offer(&second), Ok(Some(2)));
        // What is remembered ends with its key, and with its time.
        assert_eq!(judge(&first, NOW), Err(TokenError::UnknownKey));
        assert_eq!(judge(&second, NOW + 29), Ok(()));
        assert_eq!(judge(&second, NOW + 30), Err(TokenError::Expired));
    }

    #[test]
    fn a_role_that_becomes_known_later_counts() {
        let other = jwt::Issuer::new("1");
        let issuer =
            Issuer::new(settings(&[Algorithm::EdDsa]), KeyPlaces::default(), Open::No).unwrap();
        issuer.offer(other.jwks().to_string().as_bytes()).unwrap();
        let token = token(&other);
        assert_eq!(issuer.verify(&token, NOW).unwrap().role_names(), ["later-role"]);
        let role = duet_auth::RoleSet::of(["later-role"]);
        assert!(issuer.verify(&token, NOW).unwrap().roles().meets(&role));
    }

    #[test]
    fn files_are_read_again_when_they_change() {
        let (first, second) = (jwt::Issuer::new("1"), jwt::Issuer::new("2"));
        let folder = tempfile::tempdir().unwrap();
        let places = KeyPlaces {
            file: Some(folder.path().join("keys.json")),
            secret: Some(folder.path().join("secret")),
            ..KeyPlaces::default()
        };
        let all = [Algorithm::EdDsa, Algorithm::Hs256];
        let open = || Issuer::new(settings(&all), places.clone(), Open::No);
        let (file, secret) = (places.file.clone().unwrap(), places.secret.clone().unwrap());
        assert!(open().unwrap_err().message.contains("keys.json cannot be read"));
        std::fs::write(&file, first.jwks().to_string()).unwrap();
        std::fs::write(&secret, [b'x'; 40]).unwrap();
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(open().unwrap_err().hint.unwrap().starts_with("Run `chmod 600"));
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
        let issuer = open().unwrap();
        let judge = |who: &jwt::Issuer| issuer.verify(&token(who), NOW).map(drop);
        assert_eq!((judge(&first), judge(&second)), (Ok(()), Err(TokenError::UnknownKey)));
        std::fs::write(&file, "broken").unwrap();
        assert!(issuer.refresh().unwrap_err().message.contains("keys.json: This is no JWK Set"));
        issuer.refresh().unwrap();
        for _ in 0..2 {
            assert!(issuer.reread().unwrap_err().message.contains("keys.json: This is no JWK Set"));
        }
        assert!(judge(&first) == Ok(()) && issuer.has_keys());
        std::fs::write(&file, second.jwks().to_string() + " ").unwrap();
        issuer.refresh().unwrap();
        assert_eq!((judge(&first), judge(&second)), (Err(TokenError::UnknownKey), Ok(())));
    }
}
