//! The issuer's answers of the last minute to sessions of the console that are renewed: several requests of a browser come with
//! the same refresh token, and an issuer may take each only once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::sync::OnceCell;

/// How long an answer of the issuer is kept for requests that come with the same refresh token.
const KEPT: Duration = Duration::from_secs(60);
/// The issuer's answer for one refresh token, asked for once.
type Answer = Arc<OnceCell<Option<Arc<Value>>>>;

/// The issuer's answers of the last minute, by the hash of the refresh token.
#[derive(Debug, Default)]
pub(crate) struct Renewals(Mutex<HashMap<blake3::Hash, (Instant, Answer)>>);

impl Renewals {
    /// What the issuer answers to a refresh token: the first request asks, the others wait for the same answer.
    pub(crate) async fn once(
        &self,
        refresh: &str,
        ask: impl Future<Output = Option<Value>>,
    ) -> Option<Arc<Value>> {
        let answer = self.of(blake3::hash(refresh.as_bytes()));
        answer.get_or_init(|| async { ask.await.map(Arc::new) }).await.clone()
    }

    fn of(&self, key: blake3::Hash) -> Answer {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, (begun, _)| begun.elapsed() < KEPT);
        Arc::clone(&answers.entry(key).or_insert_with(|| (Instant::now(), Answer::default())).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_serves_all_requests_with_a_token() {
        let renewals = Renewals::default();
        let of = |text: &str| renewals.of(blake3::hash(text.as_bytes()));
        let (one, same, other) = (of("a"), of("a"), of("b"));
        assert!(Arc::ptr_eq(&one, &same) && !Arc::ptr_eq(&one, &other));
    }
}
