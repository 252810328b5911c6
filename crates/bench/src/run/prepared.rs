//! A workload that is ready to run, with everything that must live as long as its runs.

use std::any::Any;
use std::collections::BTreeMap;

use duet_verdict::result::{Invariant, TargetFacts};

use super::collect::Merged;
use super::job::Job;
use super::plan::Plan;
use crate::observe::Watched;
use crate::workload::Failed;

/// A workload and its target, ready for any number of runs.
pub struct Prepared {
    /// The workload's name, as results have it.
    pub workload: String,
    /// What every process of a run gets.
    pub job: Job,
    /// What is measured.
    pub target: TargetFacts,
    /// Options of the workload, for the result. They hold no secret.
    pub options: BTreeMap<String, String>,
    /// What is observed beside the machine.
    pub watched: Watched,
    /// What must be true of the data after a run.
    pub proof: Option<Box<dyn Proof>>,
    /// The plan of a workload that ends by itself, in place of the one that was asked for.
    pub plan: Option<Plan>,
    /// Servers and folders that live as long as the runs.
    pub kept: Option<Box<dyn Any>>,
}

impl Prepared {
    /// A workload that observes, proves and keeps nothing yet.
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

    /// Keeps a value until this one is dropped, and drops it before all that was kept earlier.
    pub fn keep(&mut self, value: impl Any) {
        let earlier = self.kept.take();
        self.kept = Some(Box::new((value, earlier)));
    }
}

/// Statements about the data that a run must leave true.
pub trait Proof {
    /// Reads what is needed before the run.
    ///
    /// # Errors
    /// Where the data cannot be read.
    fn before(&mut self) -> Result<(), Failed>;

    /// Takes a second of the run into account.
    fn second(&mut self, merged: &Merged);

    /// Compares the data with what was done. Where others write meanwhile (`shared`), only what holds all the same.
    ///
    /// # Errors
    /// Where the data cannot be read.
    fn after(&mut self, shared: bool) -> Result<Vec<Invariant>, Failed>;
}
