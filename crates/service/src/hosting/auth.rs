//! Clients and tokens in force: a table in memory, read again when its source has changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use duet_auth::{
    ClientTable, DbRole, Fingerprint, Open, Principal, SessionId, State, StateFile, TokenError,
    USE_GRAIN, jwt,
};
use duet_model::{Code, Error, Result};
use duet_store::news::{News, NewsReader};
use duet_store::setup::state::StateTable;
use tokio::sync::Mutex;

use super::issuer::Issuer;

/// Where the clients are kept, and which version of them is in force.
#[derive(Debug)]
enum ClientStore {
    /// In memory, for this run.
    Memory,
    /// In a file.
    File(StateFile, Option<Fingerprint>),
    /// In the database.
    Database(Box<dyn StateTable>, Option<u64>),
}

/// Where the clients come from, and how far they can be relied on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientsHealth {
    /// `memory`, `file` or `database`.
    pub source: &'static str,
    /// Why the source could not be read when it was last looked at; the clients before then stay in
    /// force.
    pub error: Option<String>,
    /// How long ago the source was last found as the clients in force are.
    pub age: Duration,
    /// Whether the source tells by itself that it has changed.
    pub listening: bool,
}

/// What came of the looks at the source.
#[derive(Debug)]
struct Looks {
    error: Option<String>,
    /// When the source could last be read.
    good: Instant,
}

/// Clients and tokens in force.
#[derive(Debug)]
pub struct Auth {
    table: ArcSwap<ClientTable>,
    /// Another issuer whose tokens are taken too.
    issuer: Option<Arc<Issuer>>,
    open: Open,
    /// The principal of requests without a token.
    anonymous: Arc<Principal>,
    anonymous_role: Option<DbRole>,
    source: Mutex<ClientStore>,
    /// What the source tells of its changes.
    news: Option<Arc<News>>,
    /// Whether the source has no clients, and those of the run are in force.
    of_run: AtomicBool,
    /// What the source is, in a word.
    kind: &'static str,
    looks: std::sync::Mutex<Looks>,
    /// When uses of API keys were last to be stored, in seconds since the epoch.
    stored_uses: AtomicU64,
}

/// Seconds between two writes of the uses of API keys, whatever number of keys there are.
const STORE_USES: u64 = 60;

impl Auth {
    fn new(state: &State, of_run: bool, open: Open, source: ClientStore) -> Self {
        let table = ArcSwap::from_pointee(ClientTable::new(state, open));
        let anonymous = Arc::new(Principal::anonymous(open, None));
        let kind = match &source {
            ClientStore::Memory => "memory",
            ClientStore::File(..) => "file",
            ClientStore::Database(..) => "database",
        };
        let news = match &source {
            ClientStore::Memory | ClientStore::File(..) => None,
            ClientStore::Database(table, _) => table.news().cloned(),
        };
        let source = Mutex::new(source);
        let looks = std::sync::Mutex::new(Looks { error: None, good: Instant::now() });
        Self {
            table,
            issuer: None,
            open,
            anonymous,
            anonymous_role: None,
            source,
            news,
            of_run: AtomicBool::new(of_run),
            kind,
            looks,
            stored_uses: AtomicU64::new(0),
        }
    }

    /// Clients that live for this run only.
    pub fn in_memory(state: &State, open: Open) -> Self {
        Self::new(state, true, open, ClientStore::Memory)
    }

    /// Clients of a state file. While it has none, those of `meanwhile` count.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn from_file(file: StateFile, open: Open, meanwhile: Option<&State>) -> Result<Self> {
        let (state, seen) = file.load()?;
        let source = ClientStore::File(file, Some(seen));
        let (state, of_run) = in_force(&state, meanwhile);
        Ok(Self::new(state, of_run, open, source))
    }

    /// Clients of the database. While it has none, or no table for them, those of `meanwhile`
    /// count.
    ///
    /// # Errors
    /// Where the table cannot be read.
    pub async fn from_database(
        table: Box<dyn StateTable>,
        open: Open,
        meanwhile: Option<&State>,
    ) -> Result<Self> {
        let loaded = table.load_version().await?;
        let (state, version) = loaded.unzip();
        let source = ClientStore::Database(table, version);
        Ok(match (&state, meanwhile) {
            (Some(state), meanwhile) => {
                let (state, of_run) = in_force(state, meanwhile);
                Self::new(state, of_run, open, source)
            }
            (None, Some(meanwhile)) => Self::new(meanwhile, true, open, source),
            (None, None) => Self::new(&State::new(0)?, false, open, source),
        })
    }

    /// Takes the tokens of another issuer too.
    #[must_use]
    pub fn with_issuer(mut self, issuer: Option<Arc<Issuer>>) -> Self {
        self.issuer = issuer;
        self
    }

    /// Lets requests without a token run under a role of the database.
    #[must_use]
    pub fn with_anonymous_role(mut self, role: Option<DbRole>) -> Self {
        self.anonymous = Arc::new(Principal::anonymous(self.open, role.as_ref()));
        self.anonymous_role = role;
        self
    }

    /// The principal of requests without a token.
    pub fn anonymous(&self) -> &Arc<Principal> {
        &self.anonymous
    }

    /// The roles of the database that settings name.
    pub(crate) fn named_roles(&self) -> impl Iterator<Item = &DbRole> {
        let issuers = self.issuer.iter().flat_map(|issuer| issuer.db_roles());
        self.anonymous_role.iter().chain(issuers)
    }

    /// The other issuer whose tokens are taken.
    pub fn issuer(&self) -> Option<&Arc<Issuer>> {
        self.issuer.as_ref()
    }

    /// Whose token this is. Its form alone decides who checks it: one with dots goes to the other
    /// issuer, if there is one; every other one is Duet's own. Neither is tried after the other.
    ///
    /// # Errors
    /// Why the token is not good.
    pub fn verify(&self, token: &str, now: u64) -> Result<Arc<Principal>, TokenError> {
        match &self.issuer {
            Some(issuer) if jwt::has_form(token) => issuer.verify(token, now),
            _ => self.table().verify(token, now).map(Arc::clone),
        }
    }

    /// Whose API key this is, of a text that must be one.
    ///
    /// # Errors
    /// Why the key is not good.
    pub fn verify_api_key(&self, text: &str, now: u64) -> Result<Arc<Principal>, TokenError> {
        self.table().verify_api_key(text, now).map(Arc::clone)
    }

    /// Whose link this is, of the token in its path.
    ///
    /// # Errors
    /// Why it is not good.
    pub fn verify_link(&self, token: &str, now: u64) -> Result<Arc<Principal>, TokenError> {
        self.table().verify_link(token, now).map(Arc::clone)
    }

    /// Counts a request by a link whose uses are limited, where the clients are kept, so that all servers count together;
    /// whether it may be made.
    ///
    /// # Errors
    /// Where the place cannot be written.
    pub async fn use_link(&self, number: u32, now: u64) -> Result<bool> {
        self.change(move |state: &mut State| Ok(state.use_link(number, now))).await
    }

    /// Notes where the clients are kept that a session of a browser has ended, so that all servers know it. Says whether it
    /// was noted: not where the clients live for the run only.
    ///
    /// # Errors
    /// Where the place cannot be written.
    pub async fn end_session(&self, id: SessionId, now: u64) -> Result<bool> {
        if self.is_of_run() {
            return Ok(false);
        }
        let ended = self.change(move |state: &mut State| state.end_session(id, now));
        ended.await.map(|()| true)
    }

    /// Stores the last uses of API keys where the clients are kept: each once an hour, and all in one write a minute at
    /// most. Says whether something was stored.
    ///
    /// # Errors
    /// Where the place cannot be written; it is tried again an hour later.
    pub async fn store_uses(&self, now: u64) -> Result<bool> {
        if now < self.stored_uses.load(Ordering::Relaxed) + STORE_USES || self.is_of_run() {
            return Ok(false);
        }
        let uses = self.table().unstored_uses();
        if uses.is_empty() {
            return Ok(false);
        }
        let stored = self.change(|state: &mut State| {
            state.note_uses(&uses);
            Ok(())
        });
        let stored = stored.await;
        let pause = if stored.is_ok() { 0 } else { USE_GRAIN };
        self.stored_uses.store(now + pause, Ordering::Relaxed);
        stored.map(|()| true)
    }

    /// The table in force.
    pub fn table(&self) -> arc_swap::Guard<Arc<ClientTable>> {
        self.table.load()
    }

    /// What requests without a token may do.
    pub fn open(&self) -> Open {
        self.open
    }

    /// Reads the source and the files of the other issuer again if they have changed. Says whether the clients have
    /// changed.
    ///
    /// # Errors
    /// Where the source cannot be read; the table in memory then stays in force.
    pub async fn refresh(&self) -> Result<bool> {
        let clients = self.refresh_clients().await;
        self.refresh_issuer().and(clients)
    }

    /// Reads the files of the other issuer again if they have changed.
    ///
    /// # Errors
    /// Where they cannot be read; the keys in memory then stay in force.
    pub fn refresh_issuer(&self) -> Result<()> {
        self.issuer.as_ref().map_or(Ok(()), |issuer| issuer.refresh())
    }

    /// What the source of the clients tells of its changes.
    pub fn news(&self) -> NewsReader {
        NewsReader::of(self.news.as_ref())
    }

    /// Reads the source of the clients again if it has changed; says whether it has. To be called every second, or
    /// where it tells of its changes when it does so and every few seconds: so long may a removed client's tokens
    /// still be good.
    ///
    /// # Errors
    /// As [`Auth::refresh`].
    pub async fn refresh_clients(&self) -> Result<bool> {
        let clients = self.look_at_source().await;
        let mut looks = self.looks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        looks.error = clients.as_ref().err().map(ToString::to_string);
        if looks.error.is_none() {
            looks.good = Instant::now();
        }
        drop(looks);
        clients
    }

    /// Where the clients come from, and when they could last be read.
    pub fn health(&self) -> ClientsHealth {
        let looks = self.looks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        ClientsHealth {
            source: self.kind,
            error: looks.error.clone(),
            age: looks.good.elapsed(),
            listening: self.news.as_ref().is_some_and(|news| news.is_listening()),
        }
    }

    async fn look_at_source(&self) -> Result<bool> {
        let mut source = self.source.lock().await;
        let changed = match &mut *source {
            ClientStore::Memory => None,
            ClientStore::File(file, seen) => {
                let unchanged = match &*seen {
                    Some(seen) => !file.changed_since(seen)?,
                    None => false,
                };
                if unchanged {
                    return Ok(false);
                }
                let (state, fingerprint) = file.load()?;
                *seen = Some(fingerprint);
                Some(state)
            }
            ClientStore::Database(table, seen) => {
                let version = table.version().await?;
                match (version, &*seen) {
                    // Somebody has removed what was there.
                    (None, Some(_)) => return Err(table.missing()),
                    (None, None) => return Ok(false),
                    (Some(_), seen) if version == *seen => return Ok(false),
                    (Some(_), _) => {}
                }
                let (state, version) = table.load_version().await?.unzip();
                *seen = version.or(*seen);
                state
            }
        };
        let has_changed = changed.is_some();
        if let Some(state) = changed {
            self.take(&state);
        }
        Ok(has_changed)
    }

    fn take(&self, state: &State) {
        let table = ClientTable::new(state, self.open).following(&self.table());
        self.table.store(Arc::new(table));
        self.of_run.store(false, Ordering::Relaxed);
    }

    /// Whether the clients in force are those of the run, which end when the first one is added.
    pub fn is_of_run(&self) -> bool {
        self.of_run.load(Ordering::Relaxed)
    }

    /// Changes the clients where they are kept, and takes the change at once; other processes notice it as ever.
    ///
    /// # Errors
    /// What `change` returns; [`Code::BadRequest`] where the clients live for this run only; others where the place cannot
    /// be written.
    pub(crate) async fn change<T: Send>(
        &self,
        change: impl FnOnce(&mut State) -> Result<T> + Send,
    ) -> Result<T> {
        let mut source = self.source.lock().await;
        match &mut *source {
            ClientStore::Memory => {
                let message = "The clients of this server live for its run only, so none can be added, rotated or removed.";
                Err(Error::new(Code::BadRequest, message)
                    .hint("Start it with `--state FILE`, or keep clients in PostgreSQL: `duet client add NAME --in-database URL`."))
            }
            ClientStore::File(file, seen) => {
                let changed = file.update(change)?;
                let (state, fingerprint) = file.load()?;
                *seen = Some(fingerprint);
                self.take(&state);
                Ok(changed)
            }
            ClientStore::Database(table, seen) => {
                let changed = table.update(change).await?;
                if let Some((state, version)) = table.load_version().await? {
                    *seen = Some(version);
                    self.take(&state);
                }
                Ok(changed)
            }
        }
    }
}

/// The state itself, unless it has no clients and another one counts meanwhile; and whether that is so.
fn in_force<'a>(state: &'a State, meanwhile: Option<&'a State>) -> (&'a State, bool) {
    match meanwhile {
        Some(meanwhile) if state.clients().next().is_none() => (meanwhile, true),
        _ => (state, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000;

    /// However many requests and keys there are, the file is written once a minute, and once an hour for each key.
    #[tokio::test]
    async fn uses_of_keys_are_few_writes() {
        for keys in [3_u64, 6] {
            let folder = tempfile::tempdir().unwrap();
            let file = StateFile::open(&folder.path().join("s"), NOW).unwrap();
            let add = |number| {
                let name = format!("k{number}");
                file.update(|state| state.add_key(&name, &[], NOW, None)).unwrap().1
            };
            let all: Vec<_> = (0..keys).map(add).collect();
            let auth = Auth::from_file(file.clone(), Open::No, None).unwrap();
            let mut writes = 0;
            for second in 0..7_200 {
                let now = NOW + second;
                for key in &all {
                    assert!(auth.verify_api_key(key.expose(), now).is_ok());
                }
                writes += u64::from(auth.store_uses(now).await.unwrap());
            }
            assert_eq!(writes, 2);
            let (state, _) = file.load().unwrap();
            assert_eq!(state.revision(), keys + writes);
            let used = state.clients().map(|client| client.key.unwrap().last_used);
            assert!(used.eq((0..keys).map(|_| Some(NOW + 3_600))));
            let summary = &auth.clients()[0];
            assert_eq!(summary.key.unwrap().last_used, Some(NOW + 7_199), "to the second");
        }
    }
}
