//! What captures the commits of others in a database, after it was prepared for that.

use super::freshness::Means;

/// What was made, and what the operator should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureSetup {
    /// What captures changes from now on.
    pub means: Option<Means>,
    /// Whether it is new.
    pub is_new: bool,
    /// How many tables it captures.
    pub tables: usize,
    /// What is left to do, in whole sentences.
    pub notes: Vec<String>,
}

impl CaptureSetup {
    /// Notes tables that are not captured.
    pub fn left_out(&mut self, why: &str, tables: &[String]) {
        if !tables.is_empty() {
            self.notes.push(format!("Not captured, because {why}. {}", tables.join(", ")));
        }
    }
}
