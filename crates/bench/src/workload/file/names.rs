//! The names of a file's values, and the slots that hold them during a transaction.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use duet_model::Value;

use super::problem::Problem;

/// The placeholder for the user's number.
pub(super) const USER: &str = "user";
/// The prefix of placeholders for environment variables.
const ENVIRONMENT: &str = "env.";

/// Names with their slots.
#[derive(Debug, Default)]
pub(super) struct Names {
    slots: BTreeMap<String, usize>,
    /// The captures of setup and login, whether they have run or not.
    pub(super) later: BTreeSet<String>,
    /// The names that placeholders use; compiling shares the names immutably.
    table: RefCell<SlotTable>,
}

#[derive(Debug, Default)]
struct SlotTable {
    /// The number of slots.
    count: usize,
    /// Slots in use since the last [`Names::take_used`].
    used: BTreeSet<usize>,
    /// Environment variables, with their values.
    environment: BTreeMap<String, (usize, String)>,
}

impl Names {
    /// The slot of a name, which is added if it is new.
    pub(super) fn add(&mut self, name: &str) -> usize {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let slot = self.table.get_mut().another();
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    /// Removes names.
    pub(super) fn remove<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            self.slots.remove(name);
        }
    }

    /// Whether a text has a placeholder for a value that is not captured yet.
    pub(super) fn is_early(&self, text: &str) -> bool {
        let inside = text.split("${").skip(1).filter_map(|rest| rest.split('}').next());
        inside.map(str::trim).any(|name| self.later.contains(name) && !self.has(name))
    }

    /// Whether it is taken.
    pub(super) fn has(&self, name: &str) -> bool {
        self.slots.contains_key(name)
    }

    /// The slot of a placeholder's name.
    ///
    /// # Errors
    /// If the name is unknown, with the nearest name.
    pub(super) fn find(&self, name: &str, key: &str) -> Result<usize, Problem> {
        let mut table = self.table.borrow_mut();
        if let Some(slot) = self.slots.get(name) {
            table.used.insert(*slot);
            return Ok(*slot);
        }
        if let Some(variable) = name.strip_prefix(ENVIRONMENT) {
            if let Some((slot, _)) = table.environment.get(variable) {
                return Ok(*slot);
            }
            let Ok(value) = std::env::var(variable) else {
                return Err(Problem::new(key, format!("The environment has no {variable:?}.")));
            };
            let slot = table.another();
            table.environment.insert(variable.to_owned(), (slot, value));
            return Ok(slot);
        }
        let message = format!("`${{{name}}}` is neither a feeder nor captured by a step before.");
        Err(Problem::unknown(key, message, name, self.slots.keys().map(String::as_str)))
    }

    /// Takes the slots that placeholders have used since the last call.
    pub(super) fn take_used(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.table.get_mut().used)
    }

    /// The initial values: those of the environment, and otherwise NULL.
    pub(super) fn initial(&self) -> Vec<Value> {
        let table = self.table.borrow();
        let mut values = vec![Value::Null; table.count];
        for (slot, value) in table.environment.values() {
            values[*slot] = Value::Text(value.clone());
        }
        values
    }

    /// The slots of environment variables.
    pub(super) fn environment(&self) -> Vec<usize> {
        self.table.borrow().environment.values().map(|(slot, _)| *slot).collect()
    }
}

impl SlotTable {
    fn another(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
}

/// Whether a text is a valid name: letters, digits, `_` and `-`, beginning with a letter.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_' || char == '-')
}
