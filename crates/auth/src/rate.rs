//! Rate limits on invalid tokens and on failed logins: one token bucket per peer address, and one per
//! client id.
//!
//! A valid access token is never limited: the limiter only counts tokens that were refused as
//! suspicious ([`crate::TokenError::is_suspicious`]), so callers that share an address do not affect
//! each other. Tags of 128 bits cannot be guessed; the limit protects the log and the CPU.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// Buckets count thousandths of a token, so that slow refills are exact in integers.
const MILLI: u64 = 1_000;

/// The peer that is counted: an IPv4 address, a /64 IPv6 network (the smallest that one customer
/// gets), or all clients on Unix sockets together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Peer(Option<IpAddr>);

impl Peer {
    /// A client on a Unix socket.
    pub const LOCAL: Self = Self(None);
}

impl From<IpAddr> for Peer {
    fn from(address: IpAddr) -> Self {
        Self(Some(match address.to_canonical() {
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
            }
            v4 => v4,
        }))
    }
}

/// The client id that is counted: a hash of the id in a request, known or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShownId([u8; 16]);

impl ShownId {
    /// The key of a client id.
    pub fn of(id: &str) -> Self {
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(id.as_bytes()).as_bytes()[..16]);
        Self(key)
    }
}

/// The size of the buckets and of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// The number of requests in a burst.
    pub burst: u32,
    /// The sustained requests per minute.
    pub per_minute: u32,
    /// The maximum number of tracked peers; the oldest is evicted first.
    pub peers: usize,
}

impl RateSettings {
    /// For refused access tokens.
    pub const BAD_TOKENS: Self = Self { burst: 50, per_minute: 60, peers: 10_000 };

    /// For failed requests to the token endpoint.
    pub const TOKEN_ENDPOINT: Self = Self { burst: 100, per_minute: 120, peers: 10_000 };
}

/// Buckets by peer, or by another key.
#[derive(Debug)]
pub struct RateLimiter<K = Peer> {
    settings: RateSettings,
    table: Mutex<Table<K>>,
}

#[derive(Debug)]
struct Table<K> {
    buckets: HashMap<K, Bucket>,
    /// The keys in order of arrival.
    arrivals: VecDeque<K>,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    millis: u64,
    filled_at: u64,
}

impl<K: Copy + Eq + Hash> RateLimiter<K> {
    /// A limiter with no requests counted.
    pub fn new(settings: RateSettings) -> Self {
        let (buckets, arrivals) = (HashMap::new(), VecDeque::new());
        Self { settings, table: Mutex::new(Table { buckets, arrivals }) }
    }

    /// Counts one request of a peer.
    ///
    /// # Errors
    /// If the limit is exceeded: the seconds until the next request is allowed, for `Retry-After`.
    pub fn take(&self, peer: K, now: u64) -> Result<(), u32> {
        // A panic elsewhere cannot leave a bucket inconsistent, so a poisoned lock is usable.
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.bucket(peer, now, &self.settings).take(now, &self.settings)
    }
}

impl<K: Copy + Eq + Hash> Table<K> {
    /// The peer's bucket; a new peer starts with a full one.
    fn bucket(&mut self, peer: K, now: u64, settings: &RateSettings) -> &mut Bucket {
        if !self.buckets.contains_key(&peer) {
            while self.arrivals.len() >= settings.peers.max(1) {
                if let Some(oldest) = self.arrivals.pop_front() {
                    self.buckets.remove(&oldest);
                }
            }
            self.arrivals.push_back(peer);
        }
        let full = Bucket { millis: u64::from(settings.burst.max(1)) * MILLI, filled_at: now };
        self.buckets.entry(peer).or_insert(full)
    }
}

impl Bucket {
    fn take(&mut self, now: u64, settings: &RateSettings) -> Result<(), u32> {
        let per_second = (u64::from(settings.per_minute) * MILLI / 60).max(1);
        let capacity = u64::from(settings.burst.max(1)) * MILLI;
        // If the clock steps back, the bucket neither fills nor drains.
        let passed = now.saturating_sub(self.filled_at);
        self.filled_at = now;
        let refill = passed.saturating_mul(per_second);
        self.millis = self.millis.saturating_add(refill).min(capacity);
        if let Some(rest) = self.millis.checked_sub(MILLI) {
            self.millis = rest;
            return Ok(());
        }
        let seconds = (MILLI - self.millis).div_ceil(per_second);
        Err(u32::try_from(seconds).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: u64 = 1_700_000_000;
    const SETTINGS: RateSettings = RateSettings { burst: 3, per_minute: 6, peers: 4 };

    fn peer(text: &str) -> Peer {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[test]
    fn a_burst_then_a_steady_rate() {
        let limiter = RateLimiter::new(SETTINGS);
        let peer = peer("192.0.2.1");
        for _ in 0..3 {
            limiter.take(peer, NOW).unwrap();
        }
        assert_eq!(limiter.take(peer, NOW), Err(10));
        assert_eq!(limiter.take(peer, NOW + 4), Err(6));
        assert_eq!(limiter.take(peer, NOW + 9), Err(1));
        limiter.take(peer, NOW + 10).unwrap();
        assert_eq!(limiter.take(peer, NOW + 10), Err(10));
        for _ in 0..3 {
            limiter.take(peer, NOW + 100_000).unwrap();
        }
        assert!(limiter.take(peer, NOW + 100_000).is_err());
    }

    #[test]
    fn each_peer_has_its_own_bucket() {
        let limiter = RateLimiter::new(RateSettings { burst: 1, ..SETTINGS });
        limiter.take(peer("192.0.2.1"), NOW).unwrap();
        limiter.take(peer("192.0.2.2"), NOW).unwrap();
        limiter.take(Peer::LOCAL, NOW).unwrap();
        assert!(limiter.take(peer("192.0.2.1"), NOW).is_err());
        assert!(limiter.take(Peer::LOCAL, NOW).is_err());
    }

    #[test]
    fn an_ipv6_network_is_one_peer() {
        assert_eq!(peer("2001:db8:1:2::1"), peer("2001:db8:1:2:ffff::9"));
        assert_ne!(peer("2001:db8:1:2::1"), peer("2001:db8:1:3::1"));
        assert_eq!(peer("::ffff:192.0.2.1"), peer("192.0.2.1"));
        assert_ne!(peer("::ffff:192.0.2.1"), peer("::ffff:192.0.2.2"));
    }

    #[test]
    fn the_table_is_bounded_and_evicts_the_oldest() {
        let limiter = RateLimiter::new(RateSettings { burst: 1, ..SETTINGS });
        for i in 1..=5 {
            limiter.take(peer(&format!("192.0.2.{i}")), NOW).unwrap();
        }
        assert!(limiter.take(peer("192.0.2.2"), NOW).is_err());
        limiter.take(peer("192.0.2.1"), NOW).unwrap();
        let table = limiter.table.lock().unwrap();
        assert_eq!((table.buckets.len(), table.arrivals.len()), (4, 4));
    }

    #[test]
    fn a_clock_step_back_blocks_no_peer() {
        let limiter = RateLimiter::new(RateSettings { burst: 1, ..SETTINGS });
        let peer = peer("192.0.2.1");
        limiter.take(peer, NOW).unwrap();
        assert_eq!(limiter.take(peer, 1_000), Err(10));
        limiter.take(peer, 1_010).unwrap();
    }

    proptest! {
        #[test]
        fn never_panics_and_never_says_zero(
            (burst, per_minute, peers) in (any::<u32>(), any::<u32>(), 0usize..3),
            calls in prop::collection::vec((any::<u32>(), any::<u64>()), 0..50),
        ) {
            let limiter = RateLimiter::new(RateSettings { burst, per_minute, peers });
            for (address, now) in calls {
                let peer = Peer::from(IpAddr::from(address.to_be_bytes()));
                prop_assert_ne!(limiter.take(peer, now), Err(0));
            }
        }

        #[test]
        fn no_more_than_the_rate_passes(steps in prop::collection::vec(0u64..5, 0..300)) {
            let limiter = RateLimiter::new(SETTINGS);
            let mut now = NOW;
            let mut passed = 0;
            for step in steps {
                now += step;
                passed += u64::from(limiter.take(Peer::LOCAL, now).is_ok());
            }
            prop_assert!(passed <= 3 + (now - NOW) / 10);
        }
    }
}
