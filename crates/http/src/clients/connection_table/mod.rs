//! The table of open connections, all workers together: how many there may be, how many of one
//! address, and which idle one is closed when the table is full.
//!
//! A full table makes room for a new connection: it closes the longest-idle connection of the
//! address that holds the most. A connection is idle while no request of it is being answered, so
//! clients that connect and send nothing, or half a head, are closed like any other idle one.
//!
//! So those who hoard connections pay for them, not those who come next. Queues by address hold
//! lower bounds of the times, so a request takes no lock; the search corrects those that it meets,
//! and looks at a bounded number.

use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use duet_auth::Peer;
use ipnet::IpNet;
use tokio::sync::Notify;

use crate::message::forwarded::is_among;
use crate::observe::event::ConnectionRefusal;
use crate::options::ServeOptions;

/// Connections that are looked at for one new connection. Busy ones go to the end of their queue,
/// so the next search looks at others.
const LOOKS: usize = 1_000;

/// Stands for a time while a request is under way.
const BUSY: u64 = u64::MAX;

/// The open connections.
#[derive(Debug)]
pub(crate) struct ConnectionTable {
    begun: Instant,
    most: usize,
    /// Bytes that all may hold, and those that each holds.
    bytes: usize,
    bytes_of_each: usize,
    most_per_address: usize,
    /// Whether connections of this machine count like others.
    counts_loopback: bool,
    proxies: Vec<IpNet>,
    open: Mutex<OpenConnections>,
}

/// The state behind the lock.
#[derive(Debug, Default)]
struct OpenConnections {
    /// All connections, those of exempt addresses too.
    count: usize,
    /// Bytes that they hold beside those of each.
    more_bytes: usize,
    /// The same of each address that has some.
    more_of: HashMap<Peer, usize>,
    next: u64,
    /// Size and last change of each address's holding.
    holders: HashMap<Peer, (usize, u64)>,
    /// The same by size; of equal ones, that which changed first comes last.
    by_size: BTreeSet<(usize, Reverse<u64>, Peer)>,
    /// Connections by address, then by a time before which they were not idle for the last time.
    queue: BTreeMap<(Peer, u64, u64), Arc<ConnectionEntry>>,
}

/// What the table and a connection's own thread know of a connection.
#[derive(Debug)]
struct ConnectionEntry {
    number: u64,
    ip: Option<IpAddr>,
    /// Whose it is; none where its address is exempt.
    peer: Option<Peer>,
    /// The time in its key of the queue; changed under the table's lock only.
    queued: AtomicU64,
    /// Since when no request is under way, in nanoseconds of the table's clock; or [`BUSY`].
    idle_since: AtomicU64,
    is_evicted: AtomicBool,
    evict: Notify,
    /// Bytes that it holds beside those of each; changed under the table's lock only.
    more_bytes: AtomicUsize,
}

impl ConnectionTable {
    pub(crate) fn new(options: &ServeOptions) -> Self {
        let limits = &options.limits;
        let most = options.connections();
        let half = (most / 2).max(1);
        Self {
            begun: Instant::now(),
            most,
            bytes: options.memory.usage().limit / 2,
            bytes_of_each: options.connection_bytes(),
            most_per_address: limits.connections_per_address.unwrap_or(half),
            counts_loopback: limits.counts_loopback,
            proxies: options.trusted_proxies.clone(),
            open: Mutex::default(),
        }
    }

    /// Takes a connection from an address into the table, or none of a Unix socket. Where the table
    /// is full, an idle connection is closed for it: from the returned address.
    ///
    /// # Errors
    /// Why there is no place for it.
    pub(crate) fn admit(
        self: &Arc<Self>,
        ip: Option<IpAddr>,
    ) -> Result<(Seat, Option<IpAddr>), ConnectionRefusal> {
        let counted = ip.map(|ip| ip.to_canonical()).filter(|ip| !self.is_exempt(*ip));
        let peer = counted.map(Peer::from);
        let now = self.now();
        let mut open = self.lock();
        if peer.is_some_and(|peer| open.held_by(peer) >= self.most_per_address) {
            return Err(ConnectionRefusal::Address);
        }
        let mut evicted = None;
        if open.count >= self.most || !self.has_room(&open, self.bytes_of_each) {
            evicted = open.evict(now).ok_or(ConnectionRefusal::Full)?;
        }
        let place = open.insert(ip, peer, now);
        drop(open);
        Ok((Seat { table: Arc::clone(self), place, state: Cell::new(State::Idle) }, evicted))
    }

    /// Whether connections from there have no limit of their own and are never closed for others:
    /// they are the operator's, or those of many clients.
    fn is_exempt(&self, ip: IpAddr) -> bool {
        (ip.is_loopback() && !self.counts_loopback) || is_among(&self.proxies, ip)
    }

    /// Whether connections may hold so many bytes more.
    fn has_room(&self, open: &OpenConnections, bytes: usize) -> bool {
        let held = open.count.saturating_mul(self.bytes_of_each);
        // One connection is always possible.
        open.count <= 1 || held.saturating_add(open.more_bytes).saturating_add(bytes) <= self.bytes
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(BUSY - 1)
    }

    fn lock(&self) -> MutexGuard<'_, OpenConnections> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenConnections {
    fn held_by(&self, peer: Peer) -> usize {
        self.holders.get(&peer).map_or(0, |(size, _)| *size)
    }

    fn more_of(&self, peer: Peer) -> usize {
        self.more_of.get(&peer).copied().unwrap_or_default()
    }

    fn insert(&mut self, ip: Option<IpAddr>, peer: Option<Peer>, now: u64) -> Arc<ConnectionEntry> {
        self.count += 1;
        self.next += 1;
        let place = Arc::new(ConnectionEntry {
            number: self.next,
            ip,
            peer,
            queued: AtomicU64::new(now),
            idle_since: AtomicU64::new(now),
            is_evicted: AtomicBool::new(false),
            evict: Notify::new(),
            more_bytes: AtomicUsize::new(0),
        });
        if let Some(peer) = peer {
            self.queue.insert((peer, now, place.number), Arc::clone(&place));
            self.resize(peer, |size| size + 1);
        }
        place
    }

    /// Takes a connection out, unless it has been taken out for another.
    fn remove(&mut self, place: &ConnectionEntry) {
        let Some(peer) = place.peer else {
            self.forget(place);
            return;
        };
        let key = (peer, place.queued.load(Ordering::Relaxed), place.number);
        if self.queue.remove(&key).is_some() {
            self.forget(place);
            self.resize(peer, |size| size - 1);
        }
    }

    fn forget(&mut self, place: &ConnectionEntry) {
        self.count -= 1;
        let more = place.more_bytes.swap(0, Ordering::Relaxed);
        self.more_bytes -= more;
        if let Some(peer) = place.peer {
            let rest = self.more_of(peer) - more;
            match rest {
                0 => drop(self.more_of.remove(&peer)),
                rest => drop(self.more_of.insert(peer, rest)),
            }
        }
    }

    /// Takes out the longest-idle connection, which is then closed, and returns its address.
    fn evict(&mut self, now: u64) -> Option<Option<IpAddr>> {
        let place = self.longest_idle(now)?;
        self.remove(&place);
        place.is_evicted.store(true, Ordering::Release);
        place.evict.notify_one();
        Some(place.ip)
    }

    fn resize(&mut self, peer: Peer, change: impl FnOnce(usize) -> usize) {
        let before = self.holders.remove(&peer);
        if let Some((size, changed)) = before {
            self.by_size.remove(&(size, Reverse(changed), peer));
        }
        let size = change(before.map_or(0, |(size, _)| size));
        if size > 0 {
            self.next += 1;
            self.holders.insert(peer, (size, self.next));
            self.by_size.insert((size, Reverse(self.next), peer));
        }
    }

    /// The longest-idle connection of the largest holder that has an idle one.
    fn longest_idle(&mut self, now: u64) -> Option<Arc<ConnectionEntry>> {
        let mut looks = LOOKS;
        let mut holder = self.by_size.last().copied();
        while let Some(key) = holder
            && looks > 0
        {
            if let Some(place) = self.longest_idle_of(key.2, now, &mut looks) {
                return Some(place);
            }
            holder = self.by_size.range(..key).next_back().copied();
        }
        None
    }

    /// The same of one holder. Times in the queue are lower bounds: a connection used since then is put
    /// where it belongs, so the first whose time is exact is the longest idle.
    fn longest_idle_of(
        &mut self,
        peer: Peer,
        now: u64,
        looks: &mut usize,
    ) -> Option<Arc<ConnectionEntry>> {
        while *looks > 0 {
            *looks -= 1;
            let (key, place) = self.queue.range((peer, 0, 0)..).next()?;
            let (key, place) = (*key, Arc::clone(place));
            let since = place.idle_since.load(Ordering::Relaxed);
            if key.0 != peer {
                return None;
            }
            if since == key.1 {
                return Some(place);
            }
            // All that are left have been looked at, and are busy.
            if key.1 >= now {
                return None;
            }
            self.queue.remove(&key);
            let queued = since.min(now);
            place.queued.store(queued, Ordering::Relaxed);
            self.queue.insert((peer, queued, key.2), place);
        }
        None
    }
}

/// What a connection is doing, as its own thread knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    /// A request is being answered.
    Busy,
    /// The response has been handed to hyper, which may not have written all of it.
    Answered,
}

/// A connection's place in the table, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Seat {
    table: Arc<ConnectionTable>,
    place: Arc<ConnectionEntry>,
    state: Cell<State>,
}

impl Seat {
    /// A request has arrived.
    pub(crate) fn begin(&self) {
        self.state.set(State::Busy);
        self.place.idle_since.store(BUSY, Ordering::Relaxed);
    }

    /// Its response is complete, but perhaps not written.
    pub(crate) fn answered(&self) {
        if self.state.get() == State::Busy {
            self.state.set(State::Answered);
        }
    }

    /// All that there was to write has been written.
    pub(crate) fn written(&self) {
        if self.state.get() == State::Answered {
            self.state.set(State::Idle);
            self.place.idle_since.store(self.table.now(), Ordering::Relaxed);
        }
    }

    /// Counts so many bytes more that the connection holds. Where all connections would hold too many, idle ones
    /// are closed, whose addresses are returned; `None` where that does not suffice, or where those of one address
    /// would hold more than half.
    pub(crate) fn enlarge(&self, bytes: usize) -> Option<Vec<Option<IpAddr>>> {
        // It is not idle while it is looked for those that are.
        let since = self.place.idle_since.swap(BUSY, Ordering::Relaxed);
        let mut open = self.table.lock();
        let (mut evicted, now) = (Vec::new(), self.table.now());
        let peer = self.place.peer;
        let is_too_much = peer.is_some_and(|peer| {
            let own = open.held_by(peer) * self.table.bytes_of_each + open.more_of(peer) + bytes;
            open.held_by(peer) > 1 && own > self.table.bytes / 2
        });
        let mut has_room = !is_too_much && self.table.has_room(&open, bytes);
        while !has_room && !is_too_much {
            let Some(ip) = open.evict(now) else { break };
            evicted.push(ip);
            has_room = self.table.has_room(&open, bytes);
        }
        // One that was evicted itself is not counted any more.
        if has_room && !self.is_evicted() {
            self.place.more_bytes.fetch_add(bytes, Ordering::Relaxed);
            open.more_bytes += bytes;
            if let Some(peer) = peer {
                *open.more_of.entry(peer).or_default() += bytes;
            }
        }
        drop(open);
        self.place.idle_since.store(since, Ordering::Relaxed);
        has_room.then_some(evicted)
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.state.get() == State::Idle
    }

    /// Since when no request is under way; `None` where one is.
    pub(crate) fn idle_since(&self) -> Option<Instant> {
        let since = self.place.idle_since.load(Ordering::Relaxed);
        self.is_idle().then(|| self.table.begun + Duration::from_nanos(since))
    }

    /// Whether the place has been given to another connection.
    pub(crate) fn is_evicted(&self) -> bool {
        self.place.is_evicted.load(Ordering::Acquire)
    }

    /// Waits until the place is given to another connection.
    pub(crate) async fn evicted(&self) {
        self.place.evict.notified().await;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.table.lock().remove(&self.place);
    }
}

#[cfg(test)]
mod tests;
