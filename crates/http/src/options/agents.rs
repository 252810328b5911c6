//! What agents may do here, and which of their changes were committed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use duet_mcp::Budget;
use duet_model::{Code, Error, Result};

use crate::load_tests::LoadTests;

/// The most texts that are remembered as used; none is taken while there are more.
const USED: usize = 10_000;

/// What agents may do.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    /// Whether they may write, where their caller may.
    pub write: bool,
    /// How large an answer may be.
    pub budget: Budget,
    /// What runs their load tests; without it there are none.
    pub load_tests: Option<Arc<dyn LoadTests>>,
    /// The changes that were committed.
    pub used_tokens: Arc<UsedTokens>,
}

impl AgentOptions {
    /// The rights of agents, the most tokens of an answer, and what runs their load tests.
    pub fn new(write: bool, tokens: usize, load_tests: Option<Arc<dyn LoadTests>>) -> Self {
        let budget = Budget::of_tokens(tokens);
        Self { write, budget, load_tests, used_tokens: Arc::default() }
    }
}

/// The texts that committed a change of an agent, until they end.
#[derive(Debug, Default)]
pub struct UsedTokens(Mutex<BTreeMap<String, u64>>);

impl UsedTokens {
    /// Uses one up that is good until `end`, in seconds since the epoch; says whether it was unused.
    ///
    /// # Errors
    /// `TooManyRequests` where too many are remembered.
    pub(crate) fn take(&self, token: &str, end: u64, now: u64) -> Result<bool> {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= USED {
            used.retain(|_, end| now < *end);
        }
        if used.len() >= USED {
            let message =
                "Too many changes of agents were committed in the last minutes: try again later.";
            return Err(Error::new(Code::TooManyRequests, message).retry_after(60));
        }
        Ok(used.insert(token.to_owned(), end).is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000;

    #[test]
    fn a_text_is_used_once_and_few_are_remembered() {
        let used = UsedTokens::default();
        assert!(used.take("a", NOW + 600, NOW).unwrap());
        assert!(!used.take("a", NOW + 600, NOW).unwrap());
        for number in 1..USED {
            assert!(used.take(&number.to_string(), NOW + 600, NOW).unwrap());
        }
        assert!(used.take("one more", NOW + 600, NOW).is_err());
        assert!(used.take("one more", NOW + 1_200, NOW + 601).unwrap());
    }
}
