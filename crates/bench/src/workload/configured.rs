//! The interface of workloads in other crates.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::{Failed, Local, Workload};

/// The data that the users of a workload need. Every implementation is [`Configured`]. Its `Debug`
/// form must hold no secret.
pub trait WorkloadFacts: Clone + fmt::Debug + Serialize + Send + Sync + 'static {
    /// The name by which other processes find the workload in their
    /// [registry](crate::run::Registry).
    const NAME: &'static str;

    /// Reads the state that earlier runs left in the data; called before every run.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The workload itself.
    ///
    /// # Errors
    /// If the facts are inconsistent.
    fn workload(&self) -> Result<Arc<dyn Workload>, Failed>;
}

/// [`WorkloadFacts`] of any workload, ready to run here and to be sent to other processes.
pub trait Configured: fmt::Debug + Send + Sync {
    /// [`WorkloadFacts::NAME`].
    fn name(&self) -> &'static str;

    /// As [`WorkloadFacts::renew`].
    ///
    /// # Errors
    /// As [`WorkloadFacts::renew`].
    fn renew(&mut self) -> Local<'_, Result<(), Failed>>;

    /// As [`WorkloadFacts::workload`].
    ///
    /// # Errors
    /// As [`WorkloadFacts::workload`].
    fn workload(&self) -> Result<Arc<dyn Workload>, Failed>;

    /// The serialized form for other processes, including secrets.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    fn json(&self) -> serde_json::Result<Box<RawValue>>;

    /// A copy.
    fn boxed(&self) -> Box<dyn Configured>;
}

impl<T: WorkloadFacts> Configured for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        WorkloadFacts::renew(self)
    }

    fn workload(&self) -> Result<Arc<dyn Workload>, Failed> {
        WorkloadFacts::workload(self)
    }

    fn json(&self) -> serde_json::Result<Box<RawValue>> {
        to_raw_value(self)
    }

    fn boxed(&self) -> Box<dyn Configured> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Configured> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
