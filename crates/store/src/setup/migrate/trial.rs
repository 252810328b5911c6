//! Trials of a migration: its steps, carried out and undone again.

use std::sync::Arc;

use duet_model::Error;

use super::{Plan, Step};

/// A plan, and what came of trying it. The database is as it was before.
#[derive(Clone, Debug, Default)]
pub struct TriedPlan {
    /// The plan.
    pub plan: Plan,
    /// What came of each of its steps.
    pub trials: Vec<StepTrial>,
}

/// What came of trying a step.
#[derive(Clone, Debug)]
pub enum StepTrial {
    /// It was done, and undone.
    Done,
    /// It was not tried, or not to its end; the reason is the end of a sentence.
    NotTried(String),
    /// It fails, as it would in earnest.
    Failed(Arc<Error>),
}

impl StepTrial {
    /// The word for it in plans.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::NotTried(_) => "not tried",
            Self::Failed(_) => "failed",
        }
    }
}

impl TriedPlan {
    /// The steps, each with what came of it.
    pub fn steps(&self) -> impl Iterator<Item = (&Step, &StepTrial)> {
        self.plan.steps.iter().zip(&self.trials)
    }

    /// The error of the first step that fails.
    pub fn failure(&self) -> Option<&Error> {
        self.trials.iter().find_map(|trial| match trial {
            StepTrial::Failed(error) => Some(&**error),
            _ => None,
        })
    }
}
