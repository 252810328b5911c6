//! Which workload a process runs, as data: it goes to every process of the layout.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::plan::{Plan, Share};
use crate::workload::{Configured, Facts, Failed, Workload, file};

/// A workload with all that its users need to know.
#[derive(Clone, Debug)]
pub enum Job {
    /// A user's own workload.
    File(Box<file::Facts>),
    /// One that the engine does not know.
    BuiltIn(Box<dyn Configured>),
}

impl Job {
    /// A job of a workload that the engine does not know.
    pub fn built_in(workload: impl Facts) -> Self {
        Self::BuiltIn(Box::new(workload))
    }

    /// Takes into account what runs before have left in the data; every run begins with it.
    ///
    /// # Errors
    /// Where the data cannot be asked.
    pub async fn renew(&mut self) -> Result<(), Failed> {
        match self {
            Self::BuiltIn(workload) => workload.renew().await,
            Self::File(_) => Ok(()),
        }
    }

    /// The workload itself.
    ///
    /// # Errors
    /// Where the facts do not fit together.
    pub fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(match self {
            Self::File(facts) => Arc::new(file::File::new(facts.as_ref().clone())?),
            Self::BuiltIn(workload) => return workload.workload(),
        })
    }

    /// As it goes to another process.
    ///
    /// # Errors
    /// Where a workload cannot be written as JSON.
    pub(super) fn sent(&self) -> serde_json::Result<Sent> {
        Ok(match self {
            Self::File(facts) => Sent::File(facts.clone()),
            Self::BuiltIn(workload) => {
                Sent::BuiltIn { name: workload.name().to_owned(), facts: workload.json()? }
            }
        })
    }
}

/// Finds a built-in workload by its name and what [`Configured::json`] made of it.
pub type Registry = fn(&str, &str) -> Result<Box<dyn Configured>, Failed>;

/// A [`Job`] as it goes to another process. It may hold a password or a token.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sent {
    File(Box<file::Facts>),
    BuiltIn { name: String, facts: Box<RawValue> },
}

impl Sent {
    /// The job that it was.
    ///
    /// # Errors
    /// Where the registry does not know the workload.
    pub(super) fn job(self, registry: Registry) -> Result<Job, Failed> {
        Ok(match self {
            Self::File(facts) => Job::File(facts),
            Self::BuiltIn { name, facts } => Job::BuiltIn(registry(&name, facts.get())?),
        })
    }
}

impl fmt::Debug for Sent {
    /// Without what may be secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::File(_) => "file",
            Self::BuiltIn { name, .. } => name,
        })
    }
}

/// The message that starts a process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The run.
    pub(super) plan: Plan,
    /// The process's part of it.
    pub(super) share: Share,
    /// The workload.
    pub(super) job: Sent,
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use duet_verdict::outcome::Outcome;

    use super::*;

    #[derive(Clone, Debug, Serialize)]
    struct Mine(u64);

    impl Facts for Mine {
        const NAME: &'static str = "mine";

        fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
            Err(Failed::new(Outcome::Other, format!("mine of {}", self.0)))
        }
    }

    fn registry(name: &str, facts: &str) -> Result<Box<dyn Configured>, Failed> {
        let wrong = |said: &str| Failed::new(Outcome::Other, said);
        let number = facts.parse().map_err(|_| wrong("no number"))?;
        if name == "mine" { Ok(Box::new(Mine(number))) } else { Err(wrong("unknown")) }
    }

    /// The engine runs a workload that it has never heard of, in another process too.
    #[test]
    fn a_workload_of_another_crate_is_sent_and_found() {
        let mut job = Job::built_in(Mine(7));
        let renewed = pin!(job.renew()).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(renewed, Poll::Ready(Ok(())));
        let text = serde_json::to_string(&job.clone().sent().unwrap()).unwrap();
        assert_eq!(text, r#"{"built-in":{"name":"mine","facts":7}}"#);
        let sent: Sent = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{sent:?}"), "mine");
        let back = sent.job(registry).unwrap();
        assert_eq!(back.workload().map(drop).unwrap_err().said, "mine of 7");
        let other: Sent = serde_json::from_str(&text.replace("mine", "other")).unwrap();
        assert_eq!(other.job(registry).map(drop).unwrap_err().said, "unknown");
    }
}
