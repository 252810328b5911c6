//! What must be corrected in an application before it is served.

use duet_model::{Error, Result};

use crate::definition;

/// Files of views that do not compile and must be corrected.
#[derive(Debug, Default)]
pub(super) struct Mistakes {
    found: Vec<Error>,
    /// The same for people at a terminal.
    pub(super) rendered: Vec<String>,
}

impl Mistakes {
    pub(super) fn add(&mut self, error: Error, rendered: String) {
        self.found.push(error);
        self.rendered.push(rendered);
    }

    /// At a start, the error of the first mistake; at a reload, that of an application.
    pub(super) fn into_result(self, reload: bool) -> Result<()> {
        let Some(first) = self.found.first() else { return Ok(()) };
        if reload {
            return Err(definition::mistaken(self.found));
        }
        Err(Error::new(first.code, self.rendered.join("\n")))
    }
}
