//! `duet explain`: the plan and the SQL that a request would run.

use duet_model::{Code, Error};

use crate::args;
use crate::report::Outcome;

pub(super) fn run(_arguments: &args::Explain) -> Outcome {
    Err(Error::new(Code::Setting, "not yet").into())
}
