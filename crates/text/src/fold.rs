//! Text without case, without accents, or without both, the same on every store.
//!
//! Lower case is Unicode's full mapping without context: a final sigma becomes `σ`. Accents are the
//! combining marks U+0300 to U+036F of the decomposed text; letters such as `ø`, `ł`, `ß` and `æ` become
//! the letters of [`ONE`] and [`MANY`]. The result is composed again (NFC).

use unicode_normalization::UnicodeNormalization;

use super::effort::{Effort, Interruption};

/// What is ignored when texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Upper and lower case.
    Case,
    /// Accents.
    Accents,
    /// Both.
    Both,
}

/// Letters that no decomposition turns into plain ones, and the letters for them.
pub const ONE: (&str, &str) = ("ØøŁłĐđÐðĦħŦŧıſŊŋ", "OoLlDdDdHhTtisNn");

/// Letters that become several.
pub const MANY: [(&str, &str); 8] = [
    ("Æ", "AE"),
    ("æ", "ae"),
    ("Œ", "OE"),
    ("œ", "oe"),
    ("Þ", "TH"),
    ("þ", "th"),
    ("ẞ", "SS"),
    ("ß", "ss"),
];

impl Fold {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Case, Self::Accents, Self::Both];

    /// The name of the function in expressions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Case => "fold_case",
            Self::Accents => "fold_accents",
            Self::Both => "fold",
        }
    }

    /// The function of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fold| fold.name() == name)
    }

    /// The differences to ignore; `None` for none.
    pub fn of(case: bool, accents: bool) -> Option<Self> {
        match (case, accents) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Case),
            (false, true) => Some(Self::Accents),
            (false, false) => None,
        }
    }

    /// Whether it ignores case, and whether it ignores accents.
    pub fn ignores(self) -> (bool, bool) {
        (self != Self::Accents, self != Self::Case)
    }

    /// Folds a text.
    ///
    /// ```
    /// use duet_text::Fold;
    /// assert_eq!(Fold::Both.apply("Søren Æ"), "soren ae");
    /// assert_eq!(Fold::Case.apply("ΟΔΟΣ"), "οδοσ");
    /// assert_eq!(Fold::Accents.apply("École"), "Ecole");
    /// ```
    pub fn apply(self, text: &str) -> String {
        self.apply_within(text, &Effort::unlimited()).unwrap_or_default()
    }

    /// As [`Self::apply`].
    ///
    /// # Errors
    /// [`Interruption`] where the effort is over.
    pub fn apply_within(self, text: &str, effort: &Effort<'_>) -> Result<String, Interruption> {
        match self {
            Self::Case => lower(text, effort),
            Self::Accents => without_accents(text, effort),
            Self::Both => without_accents(&lower(text, effort)?, effort),
        }
    }
}

fn lower(text: &str, effort: &Effort<'_>) -> Result<String, Interruption> {
    if text.is_ascii() {
        effort.spend(text.len())?;
        return Ok(text.to_ascii_lowercase());
    }
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        effort.spend(1)?;
        out.extend(char.to_lowercase().map(|char| if char == 'ς' { 'σ' } else { char }));
    }
    Ok(out)
}

fn without_accents(text: &str, effort: &Effort<'_>) -> Result<String, Interruption> {
    if text.is_ascii() {
        effort.spend(text.len())?;
        return Ok(text.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    for char in text.nfd().filter(|char| !('\u{300}'..='\u{36f}').contains(char)).nfc() {
        effort.spend(1)?;
        if char.is_ascii() {
            out.push(char);
            continue;
        }
        let one = ONE.0.chars().zip(ONE.1.chars()).find(|(from, _)| *from == char);
        let many = MANY.iter().find(|(from, _)| from.starts_with(char));
        match (one, many) {
            (Some((_, to)), _) => out.push(to),
            (None, Some((_, to))) => out.push_str(to),
            (None, None) => out.push(char),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_have_counterparts() {
        assert_eq!(ONE.0.chars().count(), ONE.1.chars().count());
        for fold in Fold::ALL {
            assert_eq!(Fold::named(fold.name()), Some(fold));
        }
        assert_eq!(Fold::named("lower"), None);
    }

    #[test]
    fn folds() {
        for (text, case, accents, both) in [
            ("Café", "café", "Cafe", "cafe"),
            ("cafe\u{301}", "cafe\u{301}", "cafe", "cafe"),
            ("STRAẞE", "straße", "STRASSE", "strasse"),
            ("İ", "i\u{307}", "I", "i"),
            ("한글", "한글", "한글", "한글"),
            ("Łódź", "łódź", "Lodz", "lodz"),
        ] {
            let folded = Fold::ALL.map(|fold| fold.apply(text));
            assert_eq!(folded, [case, accents, both], "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_folded_text_stays(text in "\\PC{0,12}") {
            for fold in Fold::ALL {
                let once = fold.apply(&text);
                prop_assert_eq!(fold.apply(&once), once);
            }
        }
    }
}
