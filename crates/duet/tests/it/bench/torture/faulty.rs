//! A small HTTP server over items in memory, with one fault at a time.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Value, json};

/// How long a fault waits for the other request that it needs.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long a heavy request takes.
const HEAVY: Duration = Duration::from_millis(5);

/// What a server does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A change is made whatever version it gives.
    IgnoresVersions,
    /// The version is compared before another request may change the item.
    ChecksVersionsLate,
    /// A list reads its items one after the other, with changes between them.
    ListsTwoMoments,
    /// A list has an item twice.
    ListsTwice,
    /// Idempotency keys are ignored.
    ForgetsKeys,
    /// A repeated request gets the first answer, and takes effect again.
    RepeatsEffects,
    /// A repeated request is refused.
    RefusesRepeats,
    /// Another request with a used key takes effect.
    TakesOtherRequests,
    /// A read over another connection than the change's has the item as it was before.
    ReadsOld,
    /// A heavy request keeps all others waiting.
    Blocks,
    /// A kill takes changes back.
    LosesChanges,
    /// A kill takes new items back.
    LosesItems,
    /// A kill leaves items half written.
    WritesHalf,
}

#[derive(Clone, Debug, Default)]
struct State {
    items: BTreeMap<u64, Value>,
    versions: BTreeMap<u64, u64>,
    /// Items as they were before their last change, until they are read so.
    old: BTreeMap<u64, Value>,
    /// The request and its answer, by key.
    keys: BTreeMap<String, (String, u64)>,
    last: u64,
    /// Changes so far, of all items.
    changes: u64,
    /// Changes between the comparison of their version and their end.
    pending: u32,
    kills: u64,
}

struct Shared {
    fault: Option<Fault>,
    state: Mutex<State>,
    changed: Condvar,
    connections: Mutex<Vec<TcpStream>>,
}

/// A running server; its thread ends with the test's process.
pub(crate) struct FaultyServer {
    shared: Arc<Shared>,
    address: SocketAddr,
}

struct Request {
    /// How often the server had been killed when its connection began.
    kills: u64,
    method: String,
    path: String,
    version: Option<u64>,
    key: Option<String>,
    body: Value,
}

type Reply = (u16, Option<u64>, Value);

impl FaultyServer {
    pub(crate) fn start(fault: Option<Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            fault,
            state: Mutex::default(),
            changed: Condvar::new(),
            connections: Mutex::default(),
        });
        let serving = shared.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = serving.clone();
                serving.connections.lock().unwrap().push(stream.try_clone().unwrap());
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { shared, address }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The command that kills it: all connections break, and it goes on with what it has kept.
    pub(crate) fn kill(&self) -> String {
        format!("curl -s -X POST http://{}/kill", self.address)
    }

    pub(crate) fn items(&self) -> usize {
        self.shared.state.lock().unwrap().items.len()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn serve(&self, stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut writer = stream;
        let kills = self.state().kills;
        while let Some(request) = read(&mut reader, kills) {
            if request.path == "/kill" {
                self.kill(&writer);
            }
            let (status, version, body) = self.answer(&request);
            let body = if body.is_null() { String::new() } else { body.to_string() };
            let etag = version.map(|it| format!("ETag: \"{it}\"\r\n")).unwrap_or_default();
            let head =
                format!("HTTP/1.1 {status} X\r\n{etag}Content-Length: {}\r\n\r\n", body.len());
            if writer.write_all(format!("{head}{body}").as_bytes()).is_err() {
                return;
            }
        }
    }

    /// Breaks all other connections, and forgets what the fault forgets.
    fn kill(&self, own: &TcpStream) {
        let mut state = self.state();
        state.kills += 1;
        for item in state.items.values_mut() {
            match self.fault {
                Some(Fault::LosesChanges) => {
                    item["n"] = 0.into();
                    item["twin"] = 0.into();
                }
                Some(Fault::WritesHalf) => item["twin"] = 1_000_000.into(),
                _ => {}
            }
        }
        if self.has(Fault::LosesItems) {
            // Those that were never changed.
            let State { items, versions, .. } = &mut *state;
            items.retain(|id, item| item["n"] != 7 || versions[id] > 1);
        }
        let mut connections = self.connections.lock().unwrap();
        let own = own.peer_addr().ok();
        for stream in connections.drain(..).filter(|it| it.peer_addr().ok() != own) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn answer(&self, request: &Request) -> Reply {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let id = path.strip_prefix("/item/").and_then(|id| id.parse().ok());
        match (&*request.method, id) {
            ("POST", None) if path == "/item/" => self.create(request),
            ("GET", None) if path == "/item/" && query == "heavy" => {
                let state = self.has(Fault::Blocks).then(|| self.state());
                std::thread::sleep(HEAVY);
                drop(state);
                (200, None, Value::Null)
            }
            ("GET", None) if path == "/item/" => self.list(query),
            ("GET", Some(id)) => {
                let mut state = self.state();
                if let Some(old) = state.old.remove(&id).filter(|_| self.has(Fault::ReadsOld)) {
                    return (200, state.versions.get(&id).copied(), old);
                }
                match state.items.get(&id) {
                    Some(item) => (200, state.versions.get(&id).copied(), item.clone()),
                    None => (404, None, Value::Null),
                }
            }
            ("PUT" | "PATCH", Some(id)) => self.change(request, id),
            ("DELETE", Some(id)) => {
                self.state().items.remove(&id);
                (204, None, Value::Null)
            }
            ("POST", None) if path == "/kill" => (204, None, Value::Null),
            _ => (404, None, Value::Null),
        }
    }

    /// The state, for a change. What was sent to a server that was killed has no effect on the next one.
    fn state_for(&self, request: &Request) -> Option<MutexGuard<'_, State>> {
        Some(self.state()).filter(|state| state.kills == request.kills)
    }

    fn create(&self, request: &Request) -> Reply {
        let Some(mut state) = self.state_for(request) else { return (503, None, Value::Null) };
        let text = request.body.to_string();
        let key = request.key.clone().filter(|_| !self.has(Fault::ForgetsKeys));
        if let Some((first, id)) = key.as_ref().and_then(|key| state.keys.get(key)).cloned() {
            if self.has(Fault::RefusesRepeats) {
                return (400, None, json!({ "title": "used" }));
            }
            if first != text && !self.has(Fault::TakesOtherRequests) {
                return (422, None, json!({ "title": "another request" }));
            }
            if first == text {
                if self.has(Fault::RepeatsEffects) {
                    state.add(&request.body);
                }
                return (201, None, state.items.get(&id).cloned().unwrap_or_default());
            }
        }
        let id = state.add(&request.body);
        if let Some(key) = key {
            state.keys.insert(key, (text, id));
        }
        (201, None, state.items[&id].clone())
    }

    fn change(&self, request: &Request, id: u64) -> Reply {
        let Some(mut state) = self.state_for(request) else { return (503, None, Value::Null) };
        let current = state.versions.get(&id).copied();
        let Some(current) = current.filter(|_| state.items.contains_key(&id)) else {
            return (404, None, Value::Null);
        };
        let ignores = self.has(Fault::IgnoresVersions) || request.version.is_none();
        if !ignores && request.version != Some(current) {
            return (412, None, json!({ "title": "changed meanwhile" }));
        }
        if self.has(Fault::ChecksVersionsLate) {
            state.pending += 1;
            self.changed.notify_all();
            let alone = |state: &mut State| state.pending < 2;
            state = self.changed.wait_timeout_while(state, PATIENCE, alone).unwrap().0;
        }
        let before = state.items[&id].clone();
        state.old.insert(id, before);
        for (name, value) in request.body.as_object().into_iter().flatten() {
            state.items.get_mut(&id).unwrap()[name] = value.clone();
        }
        state.versions.insert(id, current + 1);
        state.pending = state.pending.saturating_sub(1);
        state.changes += 1;
        drop(state);
        self.changed.notify_all();
        (200, Some(current + 1), Value::Null)
    }

    /// Items of the mark in the query; the fault lets changes happen between the first and the others.
    fn list(&self, query: &str) -> Reply {
        let mark = query.split('"').nth(3).unwrap_or_default().to_owned();
        let mut state = self.state();
        let is_of = |item: &Value| item["mark"] == *mark;
        let ids: Vec<u64> =
            state.items.iter().filter(|(_, item)| is_of(item)).map(|(id, _)| *id).collect();
        let mut items = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            if at == 1 && self.has(Fault::ListsTwoMoments) {
                let before = state.changes;
                let few = |state: &mut State| state.changes < before + 4;
                state = self.changed.wait_timeout_while(state, PATIENCE, few).unwrap().0;
            }
            let item = state.items.get(id).cloned().unwrap_or_default();
            if at == 0 && self.has(Fault::ListsTwice) && item["n"] != 0 {
                items.push(item.clone());
            }
            items.push(item);
        }
        (200, None, json!({ "items": items }))
    }
}

impl State {
    fn add(&mut self, body: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let mut item = body.clone();
        item["id"] = id.into();
        self.items.insert(id, item);
        self.versions.insert(id, 1);
        id
    }
}

/// The next request; `None` at the end of the connection.
fn read(reader: &mut BufReader<TcpStream>, kills: u64) -> Option<Request> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let (version, key, body) = (None, None, Value::Null);
    let mut request = Request { kills, method, path, version, key, body };
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        let Some((name, value)) = line.trim().split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "content-length" => length = value.parse().ok()?,
            "if-match" => request.version = value.trim_matches('"').parse().ok(),
            "idempotency-key" => request.key = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Some(request)
}
