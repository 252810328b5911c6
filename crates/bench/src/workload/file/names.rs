//! The names of a file's values, and the slots that hold them during a transaction.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use duet_model::Value;

use super::functions::Function;
use super::pieces::Call;
use super::problem::Problem;

/// The placeholder for the user's number.
pub(super) const USER: &str = "user";
/// The prefix of placeholders for environment variables.
pub(crate) const ENVIRONMENT: &str = "env.";

/// Names with their slots.
#[derive(Debug, Default)]
pub(super) struct Names {
    slots: BTreeMap<String, usize>,
    /// Those of transactions that are compiled: what another transaction captures by this name has the same slot, so
    /// that a name is enough to find it.
    past: BTreeMap<String, usize>,
    /// The captures of setup and login, whether they have run or not.
    pub(super) later: BTreeSet<String>,
    /// The names of captures of all matches: `name_1`, `name_2` … and `name_matchNr`.
    pub(super) all: BTreeSet<String>,
    /// Whether a value that is not set yet stays as it is written.
    pub(super) keep_unset: bool,
    /// The environment of the machine that the workload comes from, as far as it names it.
    pub(super) given_environment: BTreeMap<String, String>,
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
    /// The values of captures of all matches, which placeholders name by number.
    numbered: BTreeMap<String, usize>,
    /// The calls of functions since the last [`Names::take_calls`].
    calls: Vec<Call>,
    /// The slots of numbers that expressions give.
    computed: BTreeSet<usize>,
    /// How many calls and limits there are.
    counted: usize,
}

impl Names {
    /// The slot of a name, which is added if it is new.
    pub(super) fn add(&mut self, name: &str) -> usize {
        if let Some(slot) = self.slots.get(name) {
            return *slot;
        }
        let past = self.past.remove(name);
        let slot = past.unwrap_or_else(|| self.table.get_mut().another());
        self.slots.insert(name.to_owned(), slot);
        slot
    }

    /// Removes names.
    pub(super) fn remove<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            self.past.extend(self.slots.remove_entry(name));
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
        if let Some(variable) = name.strip_prefix(ENVIRONMENT).filter(|_| !self.keep_unset) {
            if let Some((slot, _)) = table.environment.get(variable) {
                return Ok(*slot);
            }
            let given = self.given_environment.get(variable).cloned();
            let Some(value) = given.or_else(|| std::env::var(variable).ok()) else {
                return Err(Problem::new(key, format!("The environment has no {variable:?}.")));
            };
            let slot = table.another();
            table.environment.insert(variable.to_owned(), (slot, value));
            return Ok(slot);
        }
        if let Some(slot) = table.numbered.get(name) {
            return Ok(*slot);
        }
        if self.keep_unset || self.is_numbered(name) {
            let slot = table.another();
            table.numbered.insert(name.to_owned(), slot);
            return Ok(slot);
        }
        let message = format!("`${{{name}}}` is neither a feeder nor captured by a step before.");
        Err(Problem::unknown(key, message, name, self.slots.keys().map(String::as_str)))
    }

    /// Whether it is a value of a capture of all matches.
    fn is_numbered(&self, name: &str) -> bool {
        name.rsplit_once('_').is_some_and(|(of, last)| {
            let is_part = ["matchNr", "ALL"].contains(&last)
                || !last.is_empty()
                    && last.bytes().all(|byte| byte.is_ascii_digit() || byte == b'g');
            is_part
                && (self.all.contains(of)
                    || of.rsplit_once('_').is_some_and(|(of, _)| self.all.contains(of)))
        })
    }

    /// Adds a call of a function, by its slot and its number; its slot.
    pub(super) fn calls(&self, made: impl FnOnce(usize, usize) -> Call) -> usize {
        let mut table = self.table.borrow_mut();
        let slot = table.another();
        let number = table.counted;
        table.counted += 1;
        let call = made(slot, number);
        if call.function == Function::Compute {
            table.computed.insert(slot);
        }
        table.calls.push(call);
        slot
    }

    /// Whether a slot has a number that an expression gives.
    pub(super) fn is_computed(&self, slot: usize) -> bool {
        self.table.borrow().computed.contains(&slot)
    }

    /// Notes that a slot gets such a number.
    pub(super) fn note_computed(&mut self, slot: usize) {
        self.table.get_mut().computed.insert(slot);
    }

    /// Takes the calls since the last time, in the order in which they are computed.
    pub(super) fn take_calls(&mut self) -> Vec<Call> {
        std::mem::take(&mut self.table.get_mut().calls)
    }

    /// Gives calls back that were taken too early.
    pub(super) fn give_calls(&mut self, calls: Vec<Call>) {
        let later = std::mem::replace(&mut self.table.get_mut().calls, calls);
        self.table.get_mut().calls.extend(later);
    }

    /// The number of another thing that is counted.
    pub(super) fn another_count(&mut self) -> usize {
        self.table.get_mut().counted += 1;
        self.table.get_mut().counted - 1
    }

    /// All names with their slots, for those that are computed.
    pub(super) fn by_name(&self) -> BTreeMap<String, usize> {
        let mut all = self.past.clone();
        all.extend(self.slots.iter().map(|(name, slot)| (name.clone(), *slot)));
        all.extend(self.table.borrow().numbered.iter().map(|(name, slot)| (name.clone(), *slot)));
        all
    }

    /// Takes the slots that placeholders have used since the last call.
    pub(super) fn take_used(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.table.get_mut().used)
    }

    /// The initial values: those of the environment, and otherwise NULL.
    pub(super) fn initial(&self) -> Vec<Value> {
        let table = self.table.borrow();
        let mut values = vec![Value::Null; table.count];
        if self.keep_unset {
            for (name, slot) in self.slots.iter().chain(&table.numbered) {
                values[*slot] = Value::Text(unset(name));
            }
        }
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

/// A placeholder as it is written, which is the value of one that is not set yet.
pub(super) fn unset(name: &str) -> String {
    format!("${{{name}}}")
}

/// Rejects a text that cannot name a value that a step sets: it would end a placeholder.
pub(super) fn settable(name: &str, key: &str) -> Result<(), Problem> {
    let is_wrong = name.trim().is_empty()
        || name.trim() != name
        || name.contains(['$', '{', '}', '(', ')', ',']);
    match is_wrong {
        false => Ok(()),
        true => Err(Problem::new(key, "A name has no `$`, braces, parentheses and commas.")),
    }
}

/// Whether a text is a valid name: letters, digits, `_` and `-`, beginning with a letter.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_' || char == '-')
}
