//! Which workload a process runs, as data: it goes to every process of the layout.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::workload::{Configured, Failed, Workload, WorkloadFacts, file};

/// A workload with everything that its users need.
#[derive(Clone, Debug)]
pub enum Job {
    /// A user's own workload.
    File(Box<file::FileFacts>),
    /// A workload of another crate.
    BuiltIn(Box<dyn Configured>),
}

impl Job {
    /// A job of a workload of another crate.
    pub fn built_in(workload: impl WorkloadFacts) -> Self {
        Self::BuiltIn(Box::new(workload))
    }

    /// Reads the state that earlier runs left in the data; called before every run.
    ///
    /// # Errors
    /// If the data cannot be read.
    pub async fn renew(&mut self) -> Result<(), Failed> {
        match self {
            Self::BuiltIn(workload) => workload.renew().await,
            Self::File(_) => Ok(()),
        }
    }

    /// The workload itself.
    ///
    /// # Errors
    /// If the facts are inconsistent.
    pub fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        Ok(match self {
            Self::File(facts) => Arc::new(file::File::new(facts.as_ref().clone())?),
            Self::BuiltIn(workload) => return workload.workload(),
        })
    }

    /// Its serialized form, for another process.
    ///
    /// # Errors
    /// If a workload cannot be written as JSON.
    pub(super) fn sent(&self) -> serde_json::Result<Sent> {
        Ok(match self {
            Self::File(facts) => Sent::File(facts.clone()),
            Self::BuiltIn(workload) => {
                Sent::BuiltIn { name: workload.name().to_owned(), facts: workload.json()? }
            }
        })
    }
}

/// Finds a built-in workload by its name and the text from [`Configured::json`].
pub type Registry = fn(&str, &str) -> Result<Box<dyn Configured>, Failed>;

/// A serialized [`Job`]. It may hold a password or a token.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sent {
    File(Box<file::FileFacts>),
    BuiltIn { name: String, facts: Box<RawValue> },
}

impl Sent {
    /// Deserializes the job. Its files are in `folder`, if it came from another machine.
    ///
    /// # Errors
    /// If the registry does not contain the workload.
    pub(super) fn job(self, registry: Registry, folder: Option<&Path>) -> Result<Job, Failed> {
        Ok(match self {
            Self::File(mut facts) => {
                if let Some(folder) = folder {
                    folder.clone_into(&mut facts.folder);
                }
                Job::File(facts)
            }
            Self::BuiltIn { name, facts } => Job::BuiltIn(registry(&name, facts.get())?),
        })
    }
}

impl fmt::Debug for Sent {
    /// Omits fields that may be secret.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::File(_) => "file",
            Self::BuiltIn { name, .. } => name,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use duet_verdict::outcome::Outcome;

    use super::*;

    #[derive(Clone, Debug, Serialize)]
    struct Mine(u64);

    impl WorkloadFacts for Mine {
        const NAME: &'static str = "mine";

        fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
            Err(Failed::new(Outcome::Other, format!("mine of {}", self.0)))
        }
    }

    fn registry(name: &str, facts: &str) -> Result<Box<dyn Configured>, Failed> {
        let wrong = |message: &str| Failed::new(Outcome::Other, message);
        let number = facts.parse().map_err(|_| wrong("no number"))?;
        if name == "mine" { Ok(Box::new(Mine(number))) } else { Err(wrong("unknown")) }
    }

    /// The engine runs a workload of another crate, in another process too.
    #[test]
    fn a_workload_of_another_crate_is_sent_and_found() {
        let mut job = Job::built_in(Mine(7));
        let renewed = pin!(job.renew()).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(renewed, Poll::Ready(Ok(())));
        let text = serde_json::to_string(&job.clone().sent().unwrap()).unwrap();
        assert_eq!(text, r#"{"built-in":{"name":"mine","facts":7}}"#);
        let sent: Sent = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{sent:?}"), "mine");
        let back = sent.job(registry, None).unwrap();
        assert_eq!(back.workload().map(drop).unwrap_err().message, "mine of 7");
        let other: Sent = serde_json::from_str(&text.replace("mine", "other")).unwrap();
        assert_eq!(other.job(registry, None).map(drop).unwrap_err().message, "unknown");
    }
}
