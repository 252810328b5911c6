//! A workload that the engine does not know, with all that its users need to know.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Failed, Local, Workload};

/// A workload as data, ready to be run here and to be sent to other processes. Its `Debug` form holds no secret.
pub trait Configured: fmt::Debug + Send + Sync {
    /// The name by which other processes find it in their [registry](crate::run::Registry).
    fn name(&self) -> &'static str;

    /// Takes into account what runs before have left in the data; every run begins with it.
    ///
    /// # Errors
    /// Where the data cannot be asked.
    fn renew(&mut self) -> Local<'_, Result<(), Failed>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// The workload itself.
    ///
    /// # Errors
    /// Where the data do not fit together.
    fn workload(&self) -> Result<Arc<dyn Workload>, Failed>;

    /// As it goes to other processes, secrets included.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    fn json(&self) -> serde_json::Result<Box<RawValue>>;

    /// The same once more.
    fn boxed(&self) -> Box<dyn Configured>;
}

impl Clone for Box<dyn Configured> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}
