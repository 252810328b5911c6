//! Folding of text in PostgreSQL with functions that every installation has: the extension `unaccent` is
//! not needed, and all of them are immutable, so that indexes of the same expression serve. Folded texts
//! compare by code point.

use duet_text::Fold;

/// Lower case by Unicode's mapping, and its end; a final sigma is a sigma.
const LOWER: [&str; 2] =
    ["(translate(lower((", ")::text COLLATE \"und-x-icu\"), 'ς', 'σ') COLLATE \"C\")"];

/// Lower case by the collation of the database, where PostgreSQL is built without ICU.
const LOWER_PLAIN: [&str; 2] = ["(translate(lower((", ")::text), 'ς', 'σ') COLLATE \"C\")"];

/// What is before and behind a value to fold it.
pub(crate) fn postgres(fold: Fold, icu: bool) -> [&'static str; 2] {
    match (fold, icu) {
        (Fold::Case, true) => LOWER,
        (Fold::Case, false) => LOWER_PLAIN,
        (Fold::Accents, _) => ACCENTS,
        (Fold::Both, true) => BOTH,
        (Fold::Both, false) => BOTH_PLAIN,
    }
}

macro_rules! before {
    () => {
        "(replace(replace(replace(replace(replace(replace(replace(replace(translate(\
         normalize(regexp_replace(normalize("
    };
}

macro_rules! behind {
    () => {
        ", NFD), '[\\u0300-\\u036F]', '', 'g'), NFC), 'ØøŁłĐđÐðĦħŦŧıſŊŋ', 'OoLlDdDdHhTtisNn'), \
         'Æ', 'AE'), 'æ', 'ae'), 'Œ', 'OE'), 'œ', 'oe'), 'Þ', 'TH'), 'þ', 'th'), 'ẞ', 'SS'), \
         'ß', 'ss') COLLATE \"C\")"
    };
}

/// Without accents.
const ACCENTS: [&str; 2] = [concat!(before!(), "("), concat!(")::text COLLATE \"C\"", behind!())];

/// Lower case, then without accents.
const BOTH: [&str; 2] = [
    concat!(before!(), "translate(lower(("),
    concat!(")::text COLLATE \"und-x-icu\"), 'ς', 'σ') COLLATE \"C\"", behind!()),
];
const BOTH_PLAIN: [&str; 2] = [
    concat!(before!(), "translate(lower(("),
    concat!(")::text), 'ς', 'σ') COLLATE \"C\"", behind!()),
];

#[cfg(test)]
mod tests {
    use duet_text::fold::{MANY, ONE};

    use super::*;

    #[test]
    fn the_letters_are_those_of_the_model() {
        for fold in [Fold::Accents, Fold::Both] {
            for icu in [true, false] {
                let [before, behind] = postgres(fold, icu);
                assert!(behind.contains(&format!("'{}', '{}'", ONE.0, ONE.1)));
                for (from, to) in MANY {
                    assert!(behind.contains(&format!("'{from}', '{to}'")), "{from}");
                }
                assert_eq!(before.matches("replace(").count(), MANY.len() + 1);
                let count = |text: &str, sign| text.matches(sign).count();
                let open = count(before, '(') + count(behind, '(');
                assert_eq!(open, count(before, ')') + count(behind, ')'), "{fold:?}");
            }
        }
    }
}
