//! The modifiers of relations and of sort keys.

use duet_model::{Code, Direction, Error, Folding, Result};
use duet_text::Fold;
use duet_text::problem::{fault, quoted};

use super::sign::Sign;
use super::tree::Modifier;
use crate::orders::ranking::Rank;

/// How a term is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Masking {
    /// `*` and `?` mask characters.
    #[default]
    Masked,
    /// Every character is itself.
    Unmasked,
    /// The value contains the term, whose characters are themselves.
    Substring,
    /// The term is a regular expression.
    Regexp,
}

/// How values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ComparedAs {
    Text,
    Number,
    Date,
    /// Words of a text.
    Words,
}

/// The modifiers of a relation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Modifiers {
    pub(super) masking: Masking,
    pub(super) kind: Option<ComparedAs>,
    /// Whether texts that are similar to the term are found.
    pub(super) fuzzy: bool,
    /// Whether a common part of two ranges is enough.
    pub(super) partial: bool,
    case: Option<bool>,
    accents: Option<bool>,
}

/// The modifiers of relations, for messages.
const OF_RELATIONS: &str = "ignoreCase, respectCase, ignoreAccents, respectAccents, masked, unmasked, \
                            substring, regexp, fuzzy, partial, string, word, number and isoDate";

/// Modifiers of relations of which one excludes the others.
const ALTERNATIVES_OF_RELATIONS: [&[&str]; 4] = [
    &["ignorecase", "respectcase"],
    &["ignoreaccents", "respectaccents"],
    &["masked", "unmasked", "substring", "regexp"],
    &["string", "word", "number", "isodate"],
];
/// The same of sort keys.
const ALTERNATIVES_OF_SORT_KEYS: [&[&str]; 3] = [
    &["ignorecase", "respectcase"],
    &["ignoreaccents", "respectaccents"],
    &["ascending", "descending"],
];

/// Refuses a modifier behind one that says something else.
fn refuse_contradiction(
    modifier: &Modifier,
    before: &[Modifier],
    set: &str,
    alternatives: &[&[&str]],
) -> Result<()> {
    let name = without_set(&modifier.name, set);
    let Some(names) = alternatives.iter().find(|names| names.contains(&name)) else {
        return Ok(());
    };
    let mut other = before.iter().filter(|one| {
        let one = without_set(&one.name, set);
        one != name && names.contains(&one)
    });
    let Some(other) = other.next() else { return Ok(()) };
    let message = format!(
        "The modifier {} contradicts {}: leave one out.",
        quoted(&modifier.name),
        quoted(&other.name)
    );
    Err(fault(Code::FilterUnsupported, modifier.at.0, message))
}

impl Modifiers {
    /// Reads the modifiers of a relation.
    pub(super) fn read(modifiers: &[Modifier]) -> Result<Self> {
        let mut read = Self::default();
        for (at, modifier) in modifiers.iter().enumerate() {
            let before = &modifiers[..at];
            refuse_contradiction(modifier, before, "cql.", &ALTERNATIVES_OF_RELATIONS)?;
            match without_set(plain_name(modifier)?, "cql.") {
                "ignorecase" => read.case = Some(true),
                "respectcase" => read.case = Some(false),
                "ignoreaccents" => read.accents = Some(true),
                "respectaccents" => read.accents = Some(false),
                "masked" => read.masking = Masking::Masked,
                "unmasked" => read.masking = Masking::Unmasked,
                "substring" => read.masking = Masking::Substring,
                "regexp" => read.masking = Masking::Regexp,
                "fuzzy" => read.fuzzy = true,
                "partial" => read.partial = true,
                "string" => read.kind = Some(ComparedAs::Text),
                "number" => read.kind = Some(ComparedAs::Number),
                "isodate" => read.kind = Some(ComparedAs::Date),
                "word" => read.kind = Some(ComparedAs::Words),
                _ => return Err(unsupported(modifier, OF_RELATIONS)),
            }
        }
        Ok(read)
    }

    /// What is ignored where a modifier does not say.
    pub(super) fn fold(&self, case: bool, accents: bool) -> Option<Fold> {
        Fold::of(self.case.unwrap_or(case), self.accents.unwrap_or(accents))
    }

    /// Whether case and accents count, whatever a column's collation says.
    pub(super) fn is_exact(&self) -> bool {
        (self.case, self.accents) == (Some(false), Some(false))
    }

    /// What is said about accents.
    pub(super) fn accents(&self) -> Option<bool> {
        self.accents
    }
}

/// What the modifiers of a sort key say.
#[derive(Clone, Copy, Debug)]
pub(super) struct SortModifiers<'m> {
    pub(super) direction: Direction,
    /// The order by a comparison with a text, instead of by the values.
    pub(super) rank: Option<Rank<'m>>,
    case: Option<bool>,
    accents: Option<bool>,
}

/// The modifiers of sort keys, for messages.
const OF_SORT_KEYS: &str = "ascending, descending, ignoreCase, respectCase, ignoreAccents, \
                            respectAccents, number, similar=\"text\", relevant=\"words\" and nearest=\"x y\"";

impl<'m> SortModifiers<'m> {
    /// Reads the modifiers of a sort key.
    pub(super) fn read(modifiers: &'m [Modifier]) -> Result<Self> {
        let mut direction = Direction::Ascending;
        let (mut case, mut accents) = (None, None);
        let (mut missing, mut rank) = (None, None);
        for (at, modifier) in modifiers.iter().enumerate() {
            if let Some(named) = ranked(modifier) {
                rank = Some(named);
                continue;
            }
            let before = &modifiers[..at];
            refuse_contradiction(modifier, before, "sort.", &ALTERNATIVES_OF_SORT_KEYS)?;
            match without_set(plain_name(modifier)?, "sort.") {
                "ascending" => direction = Direction::Ascending,
                "descending" => direction = Direction::Descending,
                "ignorecase" => case = Some(true),
                "respectcase" => case = Some(false),
                "ignoreaccents" => accents = Some(true),
                "respectaccents" => accents = Some(false),
                "missinghigh" => missing = Some((Direction::Ascending, modifier)),
                "missinglow" => missing = Some((Direction::Descending, modifier)),
                // Values are ordered by their type: numbers are ordered as numbers.
                "number" => {}
                _ => return Err(unsupported(modifier, OF_SORT_KEYS)),
            }
        }
        match missing {
            Some((last_in, modifier)) if last_in != direction => {
                Err(unsupported(modifier, OF_SORT_KEYS)
                    .hint("Missing values come last in both directions."))
            }
            _ => Ok(Self { direction, rank, case, accents }),
        }
    }

    /// What is ignored: by the modifier, else by the field's declaration.
    pub(super) fn fold(&self, declared: Folding) -> Option<Fold> {
        let (case, accents) = match declared {
            Folding::Always(fold) => fold.ignores(),
            Folding::ByRelation | Folding::Never => (false, false),
        };
        Fold::of(self.case.unwrap_or(case), self.accents.unwrap_or(accents))
    }
}

/// The order of `/similar="text"`, `/relevant="words"` and `/nearest="x y"`.
fn ranked(modifier: &Modifier) -> Option<Rank<'_>> {
    let (sign, text) = modifier.value.as_ref()?;
    Rank::named(&modifier.name, &text.text).filter(|_| *sign == Sign::Equal)
}

/// The name of a modifier that takes no value.
fn plain_name(modifier: &Modifier) -> Result<&str> {
    if modifier.value.is_some() {
        let message = format!("The modifier {} takes no value here.", quoted(&modifier.name));
        return Err(fault(Code::FilterUnsupported, modifier.at.0, message));
    }
    Ok(&modifier.name)
}

/// A name without the name of its context set, which may be left out.
pub(super) fn without_set<'n>(name: &'n str, set: &str) -> &'n str {
    name.strip_prefix(set).unwrap_or(name)
}

pub(super) fn unsupported(modifier: &Modifier, known: &str) -> Error {
    let message = format!("The modifier {} is not supported.", quoted(&modifier.name));
    fault(Code::FilterUnsupported, modifier.at.0, message)
        .hint(format!("The modifiers are {known}."))
}

#[cfg(test)]
mod tests {
    use super::super::tree::At;
    use super::*;

    fn modifiers(names: &[&str]) -> Vec<Modifier> {
        let named = |(at, name): (usize, &&str)| Modifier {
            name: (*name).to_owned(),
            value: None,
            at: At(at),
        };
        names.iter().enumerate().map(named).collect()
    }

    #[test]
    fn contradictions_are_refused() {
        for names in [
            ["respectcase", "ignorecase"],
            ["masked", "cql.unmasked"],
            ["substring", "regexp"],
            ["string", "word"],
        ] {
            let error = Modifiers::read(&modifiers(&names)).unwrap_err();
            assert_eq!(error.code, Code::FilterUnsupported);
            assert!(error.message.contains("contradicts"), "{}", error.message);
        }
        let both = modifiers(&["sort.ascending", "descending"]);
        assert!(SortModifiers::read(&both).unwrap_err().message.contains("contradicts"));
        let fitting = modifiers(&["ignorecase", "ignoreaccents", "ignorecase", "substring"]);
        assert!(Modifiers::read(&fitting).is_ok());
    }
}
