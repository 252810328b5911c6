//! Load tests that the console starts and shows. The program provides them: serving does not know what measures it.

pub use duet_console::measure::{Limits, Mix, Order, Report, Run, State};
pub use duet_console::page::Problem;

/// What runs load tests, and keeps their results. All of it may block.
pub trait LoadTests: std::fmt::Debug + Send + Sync {
    /// The most that a run may be given.
    fn limits(&self) -> Limits;

    /// Services that may be loaded besides this one, as addresses without a slash at the end.
    fn targets(&self) -> Vec<String>;

    /// The runs, newest first.
    ///
    /// # Errors
    /// Where they cannot be read.
    fn runs(&self) -> Result<Vec<Run>, Problem>;

    /// One of them.
    ///
    /// # Errors
    /// Where there is none of this name.
    fn run(&self, id: &str) -> Result<Run, Problem>;

    /// Starts one, and says what it is called.
    ///
    /// # Errors
    /// Where another one goes on, what is asked for is beyond the limits, or it cannot be started.
    fn start(&self, order: &Order) -> Result<String, Problem>;

    /// Ends one as Ctrl-C does: what was measured is its result.
    ///
    /// # Errors
    /// Where it does not go on.
    fn stop(&self, id: &str) -> Result<(), Problem>;

    /// Adds a note at a second from the beginning; without one, at the last second of a run that goes on.
    ///
    /// # Errors
    /// Where the note cannot be kept.
    fn note(&self, id: &str, at_s: Option<u64>, text: &str) -> Result<(), Problem>;

    /// The report of a run; `events` is the address that a run that goes on is followed at.
    ///
    /// # Errors
    /// Where nothing of it was measured.
    fn report(&self, id: &str, events: &str) -> Result<Report, Problem>;

    /// The report of two runs side by side, of which the first is the base.
    ///
    /// # Errors
    /// Where one of them has no result.
    fn comparison(&self, base: &str, id: &str) -> Result<Report, Problem>;
}
