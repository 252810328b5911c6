//! How a measurement ends that did not go well: the exit status of each ending.

use duet_verdict::compare::Ending;

use crate::command_error::{CommandError, ExitStatus};
use crate::report::Outcome;

/// What is said where a comparison has no verdict.
pub(super) const NO_VERDICT: &str = "error: a figure has no verdict\n";

/// An ending of a run, a series, a comparison or a check of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MeasurementEnding {
    /// Nothing succeeded.
    NoResult,
    /// The results are of different loads.
    Incomparable,
    /// A figure is slower.
    Slower,
    /// A threshold was missed, or a figure is in doubt or has no verdict.
    Unmet,
    /// Counts, data or figures do not agree.
    Disagreement,
    /// A signal stopped it.
    Stopped(ExitStatus),
}

impl MeasurementEnding {
    fn status(self) -> ExitStatus {
        match self {
            Self::NoResult | Self::Incomparable => ExitStatus::Failed,
            Self::Slower => ExitStatus::Usage,
            Self::Unmet => ExitStatus::Unmet,
            Self::Disagreement => ExitStatus::Disagreement,
            Self::Stopped(signal) => signal,
        }
    }

    /// The end of the command, with a complete text.
    pub(super) fn saying(self, text: impl Into<String>) -> CommandError {
        CommandError::Ended(self.status(), text.into())
    }
}

/// Ends a comparison, whose table says which figure is slower; `why` says which is in doubt or has no verdict. A figure
/// without a verdict is wrong only where it is `strict`.
pub(super) fn end_comparison(
    ending: Ending,
    strict: bool,
    why: impl FnOnce() -> String,
) -> Outcome {
    let (ended, text) = match ending {
        Ending::Fine => return Ok(()),
        Ending::CannotTell if !strict => return Ok(()),
        Ending::Refused => (MeasurementEnding::Incomparable, String::new()),
        Ending::Slower => (MeasurementEnding::Slower, String::new()),
        Ending::Unsound | Ending::CannotTell => (MeasurementEnding::Unmet, why()),
    };
    Err(ended.saying(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_keep_their_statuses() {
        for (ending, status) in [
            (MeasurementEnding::NoResult, 1),
            (MeasurementEnding::Incomparable, 1),
            (MeasurementEnding::Slower, 2),
            (MeasurementEnding::Unmet, 3),
            (MeasurementEnding::Disagreement, 4),
            (MeasurementEnding::Stopped(ExitStatus::Interrupted), 130),
        ] {
            assert_eq!(ending.saying("").status().number(), status, "{ending:?}");
        }
    }

    #[test]
    fn comparisons_end_as_the_manual_says() {
        let end = |ending, strict| match end_comparison(ending, strict, || "why".to_owned()) {
            Ok(()) => (0, String::new()),
            Err(ended) => (ended.status().number(), ended.message().to_owned()),
        };
        let silent = |status| (status, String::new());
        for strict in [false, true] {
            assert_eq!(end(Ending::Fine, strict), silent(0));
            assert_eq!(end(Ending::Refused, strict), silent(1));
            assert_eq!(end(Ending::Slower, strict), silent(2));
            assert_eq!(end(Ending::Unsound, strict), (3, "why".to_owned()));
        }
        assert_eq!(end(Ending::CannotTell, false), silent(0));
        assert_eq!(end(Ending::CannotTell, true), (3, "why".to_owned()));
    }
}
