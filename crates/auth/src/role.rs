//! Roles: names in settings and tokens, bit sets internally.
//!
//! A decision intersects two sets of roles, so names are interned to small integers when clients or
//! privileges are built. The numbers are process-wide: a client table and a policy that were built at
//! different times agree on the meaning of each bit.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use duet_model::{Code, Error, Result};
use duet_text::name;

/// Reads every resource of every mount.
pub const READ: &str = "duet.read";
/// Reads and writes every resource of every mount.
pub const WRITE: &str = "duet.write";
/// Executes every service and routine of every mount.
pub const EXECUTE: &str = "duet.execute";
/// May use `/metrics` and `/admin`; gives no access to data.
pub const ADMIN: &str = "duet.admin";
/// All callers have it, with or without a token: a privilege that names it makes a resource public.
pub const ANYONE: &str = "duet.anyone";

/// The built-in roles; the position is the role's number.
pub const BUILT_IN: [&str; 5] = [READ, WRITE, EXECUTE, ADMIN, ANYONE];

/// The prefix reserved for built-in roles.
const RESERVED_PREFIX: &str = "duet.";

/// The longest role name, in bytes.
pub const MAX_NAME_BYTES: usize = 100;

/// The numbers of names that are not built in. It only grows, by names from settings and from the
/// list of clients, never by a name from a request.
static INTERNED: RwLock<Interned> = RwLock::new(Interned::new());

/// Names with their numbers.
struct Interned {
    numbers: BTreeMap<Arc<str>, usize>,
    /// The names by their numbers, from that behind the built-in ones on.
    names: Vec<Arc<str>>,
}

impl Interned {
    const fn new() -> Self {
        Self { numbers: BTreeMap::new(), names: Vec::new() }
    }
}

/// Checks a role name from settings or the command line.
///
/// # Errors
/// `Setting` if the name is empty, too long, has characters outside of OAuth's scope tokens
/// (RFC 6749 §3.3), or begins with `duet.` and is not built in.
pub fn check(role: &str) -> Result<()> {
    let fits = !role.is_empty() && role.len() <= MAX_NAME_BYTES && role.bytes().all(is_scope_char);
    if !fits {
        let message = format!(
            "The role {role:?} is not a role name: use 1 to {MAX_NAME_BYTES} printable ASCII \
             characters without blanks, quotes and backslashes."
        );
        return Err(Error::new(Code::Setting, message));
    }
    if role.starts_with(RESERVED_PREFIX) && !BUILT_IN.contains(&role) {
        let nearest = name::nearest(role, BUILT_IN).map(|near| format!("Did you mean `{near}`?"));
        let message = format!(
            "There is no role `{role}`. Names with `duet.` are built in: {}.",
            BUILT_IN.join(", ")
        );
        return Err(Error::new(Code::Setting, message).maybe_hint(nearest));
    }
    Ok(())
}

/// RFC 6749 §3.3: `%x21 / %x23-5B / %x5D-7E`.
fn is_scope_char(byte: u8) -> bool {
    matches!(byte, 0x21 | 0x23..=0x5B | 0x5D..=0x7E)
}

/// The number of a name; assigns one to a new name.
fn intern(role: &str) -> usize {
    if let Some(number) = BUILT_IN.iter().position(|built_in| *built_in == role) {
        return number;
    }
    // A panic elsewhere cannot leave the map inconsistent, so a poisoned lock is usable.
    let known = INTERNED.read().unwrap_or_else(PoisonError::into_inner).numbers.get(role).copied();
    known.unwrap_or_else(|| {
        let mut interned = INTERNED.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = interned.numbers.get(role) {
            return *number;
        }
        let (name, next) = (Arc::<str>::from(role), BUILT_IN.len() + interned.names.len());
        interned.names.push(Arc::clone(&name));
        interned.numbers.insert(name, next);
        next
    })
}

/// The number of a name, if a privilege or client uses it.
fn known(role: &str) -> Option<usize> {
    if let Some(number) = BUILT_IN.iter().position(|built_in| *built_in == role) {
        return Some(number);
    }
    INTERNED.read().unwrap_or_else(PoisonError::into_inner).numbers.get(role).copied()
}

/// The number of known names, including the built-in ones; it only grows. A set made by
/// [`RoleSet::known`] may lack names that were added later.
pub fn count() -> usize {
    BUILT_IN.len() + INTERNED.read().unwrap_or_else(PoisonError::into_inner).names.len()
}

/// A set of roles. The built-in ones and the first few others fit without allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct RoleSet {
    first: u64,
    /// Further words that are not zero, each with its position, in ascending order: a set of few roles takes little
    /// room, however many roles there are.
    more: Vec<(usize, u64)>,
}

impl RoleSet {
    /// The set of these names.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set = Self::default();
        for name in names {
            set.insert(name);
        }
        set
    }

    /// The set of those names that a privilege or client uses. Other names from a token allow nothing
    /// and must not be interned.
    pub fn known<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut set = Self::default();
        names.into_iter().filter_map(known).for_each(|number| set.set(number));
        set
    }

    /// Adds a role.
    pub fn insert(&mut self, name: &str) {
        self.set(intern(name));
    }

    fn set(&mut self, number: usize) {
        let (word, bit) = (number / 64, 1 << (number % 64));
        if word == 0 {
            self.first |= bit;
            return;
        }
        self.add(word, bit);
    }

    fn add(&mut self, word: usize, bits: u64) {
        match self.more.binary_search_by_key(&word, |(word, _)| *word) {
            Ok(at) => self.more[at].1 |= bits,
            Err(at) => self.more.insert(at, (word, bits)),
        }
    }

    /// Adds all roles of another set.
    pub fn extend(&mut self, other: &Self) {
        self.first |= other.first;
        other.more.iter().for_each(|&(word, bits)| self.add(word, bits));
    }

    /// Whether the two sets have a role in common.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.first & other.first != 0 || self.meets_beyond(other)
    }

    /// Looks up the words of the smaller set in the larger one.
    fn meets_beyond(&self, other: &Self) -> bool {
        let (few, many) = match self.more.len() < other.more.len() {
            true => (&self.more, &other.more),
            false => (&other.more, &self.more),
        };
        few.iter().any(|(word, bits)| {
            let at = many.binary_search_by_key(word, |(word, _)| *word);
            at.is_ok_and(|at| many[at].1 & bits != 0)
        })
    }

    /// The names of the roles: the built-in ones first, then the others in alphabetical order.
    pub fn names(&self) -> Vec<String> {
        let interned = INTERNED.read().unwrap_or_else(PoisonError::into_inner);
        let words = std::iter::once((0, self.first)).chain(self.more.iter().copied());
        let numbers = words.flat_map(|(word, bits)| {
            (0..64).filter(move |bit| bits & (1 << bit) != 0).map(move |bit| word * 64 + bit)
        });
        let name = |number: usize| match BUILT_IN.get(number) {
            Some(name) => Some((*name).to_owned()),
            None => interned.names.get(number - BUILT_IN.len()).map(ToString::to_string),
        };
        let mut names: Vec<String> = numbers.filter_map(name).collect();
        let built_in = names.iter().take_while(|name| BUILT_IN.contains(&name.as_str())).count();
        names[built_in..].sort_unstable();
        names
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.first == 0 && self.more.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_meet_only_with_a_common_role() {
        let names: Vec<String> = (0..300).map(|i| format!("meeting-{i}")).collect();
        for (i, a) in names.iter().enumerate().step_by(7) {
            for (j, b) in names.iter().enumerate().step_by(11) {
                assert_eq!(RoleSet::of([a.as_str()]).meets(&RoleSet::of([b.as_str()])), i == j);
            }
        }
        assert!(!RoleSet::default().meets(&RoleSet::of(BUILT_IN)));
        assert!(RoleSet::of([READ]).meets(&RoleSet::of(BUILT_IN)));
    }

    #[test]
    fn names_from_tokens_are_not_interned() {
        let before = RoleSet::known([READ, "looked-up-1"]);
        assert_eq!(before, RoleSet::of([READ]));
        let count_before = count();
        let set = RoleSet::of(["looked-up-1"]);
        assert!(count() > count_before);
        assert_eq!(RoleSet::known(["looked-up-1", "looked-up-2"]), set);
    }

    #[test]
    fn extend_is_a_union() {
        let mut set = RoleSet::of([READ]);
        set.extend(&RoleSet::of(["extending-1", "extending-2"]));
        for name in [READ, "extending-1", "extending-2"] {
            assert!(set.meets(&RoleSet::of([name])), "{name}");
        }
        assert!(!set.meets(&RoleSet::of([WRITE])));
        assert!(RoleSet::default().is_empty() && !set.is_empty());
        assert_eq!(set.names(), [READ, "extending-1", "extending-2"]);
    }

    #[test]
    fn names_are_checked() {
        for good in ["driver", "duet.read", "pit-crew", "hr:edit", "a/b"] {
            check(good).unwrap();
        }
        for bad in ["", "two words", "quote\"", "back\\slash", "ü", "tab\t", &"x".repeat(101)] {
            assert_eq!(check(bad).unwrap_err().code, Code::Setting, "{bad}");
        }
        let error = check("duet.raed").unwrap_err();
        assert_eq!(error.hint.as_deref(), Some("Did you mean `duet.read`?"));
    }
}
