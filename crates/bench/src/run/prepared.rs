//! A workload that is ready to run, with every value that its runs keep alive.

use std::any::Any;
use std::collections::BTreeMap;

use duet_verdict::result::{Figure, Invariant, RunResult, TargetFacts};

use super::collect::Merged;
use super::job::Job;
use super::plan::Plan;
use crate::observe::Watched;
use crate::workload::Failed;

/// A workload and its target, ready for any number of runs.
pub struct Prepared {
    /// The workload's name in results.
    pub workload: String,
    /// The job that every process of a run gets.
    pub job: Job,
    /// The target, for the result.
    pub target: TargetFacts,
    /// The workload's options, for the result. They hold no secret.
    pub options: BTreeMap<String, String>,
    /// The observed target.
    pub watched: Watched,
    /// The invariants of the data, which are checked after a run.
    pub proof: Option<Box<dyn Proof>>,
    /// The plan of a workload that ends by itself, which replaces the requested one.
    pub plan: Option<Plan>,
    /// Servers and folders that live as long as the runs.
    pub kept: Option<Box<dyn Any>>,
}

impl Prepared {
    /// A workload without observation, invariants and kept values.
    pub fn new(workload: impl Into<String>, job: Job, target: TargetFacts) -> Self {
        Self {
            workload: workload.into(),
            job,
            target,
            options: BTreeMap::new(),
            watched: Watched::default(),
            proof: None,
            plan: None,
            kept: None,
        }
    }

    /// Keeps a value alive until this one is dropped. Values are dropped in reverse order.
    pub fn keep(&mut self, value: impl Any) {
        let earlier = self.kept.take();
        self.kept = Some(Box::new((value, earlier)));
    }
}

/// Invariants of the data that must be true after a run.
pub trait Proof {
    /// Reads the initial state before the run.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn before(&mut self) -> Result<(), Failed>;

    /// Takes a second of the run into account.
    fn second(&mut self, merged: &Merged);

    /// Compares the data with the run's work. With other writers (`shared`), only the invariants
    /// that allow for them.
    ///
    /// # Errors
    /// If the data cannot be read.
    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed>;

    /// The figures that it has measured beside the run's own, after [`Self::after`].
    fn figures(&self, _result: &RunResult) -> Vec<Figure> {
        Vec::new()
    }
}
