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
    /// What the issuer answers to a refresh token: the first request asks, the others wait for the same answer. The next
    /// one asks again where the issuer did not answer, and where the answer is good no more.
    ///
    /// # Errors
    /// As `ask`.
    pub(crate) async fn once<E>(
        &self,
        refresh: &str,
        is_good: impl Fn(&Value) -> bool,
        ask: impl Future<Output = Result<Option<Value>, E>>,
    ) -> Result<Option<Arc<Value>>, E> {
        let answer = self.of(blake3::hash(refresh.as_bytes()), is_good);
        answer.get_or_try_init(|| async { Ok(ask.await?.map(Arc::new)) }).await.cloned()
    }

    fn of(&self, key: blake3::Hash, is_good: impl Fn(&Value) -> bool) -> Answer {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|_, (begun, _)| begun.elapsed() < KEPT);
        let is_over = |(_, answer): &(Instant, Answer)| {
            answer.get().and_then(Option::as_ref).is_some_and(|answer| !is_good(answer))
        };
        if answers.get(&key).is_some_and(is_over) {
            answers.remove(&key);
        }
        Arc::clone(&answers.entry(key).or_insert_with(|| (Instant::now(), Answer::default())).1)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn one_answer_serves_all_requests_with_a_token() {
        let renewals = Renewals::default();
        let once = async |refresh: &str, asked: Result<Option<Value>, &'static str>| {
            let answer = renewals.once(refresh, |answer| *answer != json!(2), async { asked });
            answer.await.map(|answer| answer.map(|answer| (*answer).clone()))
        };
        assert_eq!(once("a", Err("silent")).await, Err("silent"), "it is asked again");
        assert_eq!(once("a", Ok(Some(json!(1)))).await, Ok(Some(json!(1))));
        assert_eq!(once("a", Ok(Some(json!(3)))).await, Ok(Some(json!(1))), "it was asked");
        assert_eq!(once("b", Ok(Some(json!(2)))).await, Ok(Some(json!(2))));
        assert_eq!(once("b", Ok(Some(json!(3)))).await, Ok(Some(json!(3))), "2 is over");
        assert_eq!(once("c", Ok(None)).await, Ok(None));
        assert_eq!(once("c", Ok(Some(json!(3)))).await, Ok(None), "a refusal is an answer");
    }
}
