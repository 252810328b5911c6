//! How long pure code may work: it counts what it does, and asks now and then whether to go on.
//!
//! A database asks between the steps of a statement whether it is to stop. It does not ask within a function, so a
//! function whose argument may be long counts its own steps here. The caller brings the clock.

use std::cell::Cell;

/// How many units of work pass between two questions. A unit is about a byte that is read once, or an element that is
/// compared; the dearest takes less than 200 ns, so a question comes at least every 7 ms.
pub const UNITS_PER_QUESTION: usize = 32 << 10;

/// What it takes to make a word of its own of a text, or to look one up, beside its bytes.
pub const WORD: usize = 8;

/// The work was told to stop; it has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interruption;

/// Counts the units of some work.
///
/// ```
/// use duet_text::effort::{Effort, Interruption, UNITS_PER_QUESTION};
///
/// let effort = Effort::until(&|| true);
/// assert_eq!(effort.spend(1), Ok(()));
/// assert_eq!(effort.spend(UNITS_PER_QUESTION), Err(Interruption));
/// assert_eq!(Effort::unlimited().spend(usize::MAX), Ok(()));
/// ```
pub struct Effort<'a> {
    /// The units until the next question.
    left: Cell<usize>,
    is_over: Option<&'a dyn Fn() -> bool>,
}

impl std::fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Effort").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<'a> Effort<'a> {
    /// Work that is never stopped.
    pub fn unlimited() -> Effort<'static> {
        Effort { left: Cell::new(UNITS_PER_QUESTION), is_over: None }
    }

    /// Work that goes on until this says that it is over.
    pub fn until(is_over: &'a dyn Fn() -> bool) -> Self {
        Self::going_on(is_over, UNITS_PER_QUESTION)
    }

    /// Work that goes on where other work has left off, with so many units until the next question.
    pub fn going_on(is_over: &'a dyn Fn() -> bool, left: usize) -> Self {
        Self { left: Cell::new(left.min(UNITS_PER_QUESTION)), is_over: Some(is_over) }
    }

    /// The units until the next question.
    pub fn left(&self) -> usize {
        self.left.get()
    }

    /// Counts units, and asks where it is time to.
    ///
    /// # Errors
    /// [`Interruption`] where the work is over.
    #[inline]
    pub fn spend(&self, units: usize) -> Result<(), Interruption> {
        match self.left.get().checked_sub(units) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    #[cold]
    fn ask(&self) -> Result<(), Interruption> {
        self.left.set(UNITS_PER_QUESTION);
        match self.is_over {
            Some(is_over) if is_over() => Err(Interruption),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_work_adds_up_to_a_question() {
        let asked = Cell::new(0);
        let is_over = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let mut left = UNITS_PER_QUESTION;
        let mut calls = 0;
        // Each call is a piece of work of its own, as those of a function in a statement are.
        let stopped = loop {
            let effort = Effort::going_on(&is_over, left);
            if let Err(stopped) = effort.spend(1_000) {
                break stopped;
            }
            left = effort.left();
            calls += 1;
        };
        assert_eq!(
            (stopped, asked.get(), calls),
            (Interruption, 3, 3 * (UNITS_PER_QUESTION / 1_000) + 2)
        );
    }
}
