//! The operators that search text: what each makes of its operand, on a column and inside JSON, and when it holds.
//!
//! A new one is a row of [`OPERATORS`] and, where no predicate expresses it yet, a variant of
//! [`TextTest`] with its SQL. Parser, errors, OpenAPI and the check of the docs read the table.

use duet_model::{DocumentStyle, JsonTest, Point, Range, RangeRelation, TextTest};
use duet_text::effort::Effort;
use duet_text::like;

use crate::operand::misfit_inside;
use crate::operator_row::{Fields, OperatorRow, Takes, Test};
use crate::text_search::Search;
use crate::{regex, similarity};

const LIKE: Search = Search {
    name: "$like",
    column: |pattern| pattern.liked(pattern.complete()?.to_owned(), false),
    inside: Ok(|pattern| {
        if like::is_complete(pattern.text) {
            return Ok(JsonTest::Like(pattern.text.to_owned()));
        }
        Err(misfit_inside(pattern.field, pattern.at, "the pattern ends with a lone `\\`"))
    }),
    unfit: "cannot be searched as text",
    negated: false,
};
const ILIKE: Search = Search {
    name: "$ilike",
    column: |pattern| pattern.liked(pattern.complete()?.to_owned(), true),
    inside: Err("Use `$like`."),
    ..LIKE
};
const STARTS_WITH: Search = Search {
    name: "$startsWith",
    column: |pattern| pattern.liked(like::escape(pattern.text) + "%", false),
    inside: Ok(|pattern| Ok(JsonTest::Like(like::escape(pattern.text) + "%"))),
    ..LIKE
};
const CONTAINS: Search = Search {
    name: "$instr",
    column: |pattern| pattern.tested(TextTest::Contains(pattern.text.to_owned())),
    inside: Ok(|pattern| Ok(JsonTest::Contains(pattern.text.to_owned()))),
    ..LIKE
};
const REGEX: Search = Search {
    name: "$regex",
    column: |pattern| pattern.tested(TextTest::Regex(pattern.regex()?)),
    inside: Ok(|pattern| Ok(JsonTest::Regex(pattern.regex()?))),
    ..LIKE
};
const WORDS: Search = Search {
    name: "$text",
    column: |pattern| pattern.tested(TextTest::Words(pattern.words()?)),
    inside: Err("Use `$instr` or `$regex`, or copy the text into a column."),
    unfit: "has no words that `$text` could look for",
    ..LIKE
};

/// The name of the operator of similar texts.
pub(crate) const SIMILAR: &str = "$similar";
const SIMILAR_TO: Search = Search {
    name: SIMILAR,
    column: |pattern| Ok(similarity::condition(pattern.field, pattern.text)),
    inside: Err("Similar texts are found in members of collections that are not in an array."),
    unfit: "has no texts that could be similar",
    ..LIKE
};

/// The operators, in the order in which errors list them, with their neighbours `$contains` and those of ranges.
pub(crate) static OPERATORS: &[OperatorRow] = &[
    row(LIKE).described("`%` matches any text, `_` any character; `\\` escapes them."),
    row(ILIKE).described("As `$like`, without case."),
    row(STARTS_WITH),
    row(Search { name: "$hasSubstring", ..CONTAINS }),
    row(CONTAINS),
    row(Search { name: "$ninstr", negated: true, ..CONTAINS }),
    OperatorRow::test("$contains", Test::HasElement, Fields::Special, Takes::Value),
    OperatorRow::test("$size", Test::Size, Fields::Special, Takes::Other)
        .described("The number of elements of an array inside JSON, or comparisons with it."),
    row(REGEX),
    row(WORDS),
    row(SIMILAR_TO).described("Similar by trigrams, as pg_trgm defines it."),
    range(RangeRelation::Overlaps),
    range(RangeRelation::Within)
        .described("For a point `[x, y, x, y]`: a box, by the least and the greatest coordinates."),
    range(RangeRelation::Encloses),
];

const fn range(relation: RangeRelation) -> OperatorRow {
    OperatorRow::test(relation.operator(), Test::Range(relation), Fields::Special, Takes::Value)
}

const fn row(search: Search) -> OperatorRow {
    OperatorRow::test(search.name, Test::Search(search), Fields::Text, Takes::Value)
}

/// Whether a text satisfies a test; `None` for tests that only the database supports.
pub(crate) fn holds(test: &TextTest, text: &str) -> Option<bool> {
    let effort = &Effort::unlimited();
    match test {
        TextTest::Contains(part) => Some(text.contains(part.as_str())),
        TextTest::Regex(pattern) => {
            regex::compile(pattern).map_or(Some(false), |regex| regex.matches(text, effort).ok())
        }
        TextTest::Words(query) => query.matches(text, effort).ok(),
        TextTest::Lexemes(query) => query.matches(text, effort).ok(),
        TextTest::Similar(other) => Some(duet_text::trigram::is_similar(text, other)),
        // How the ranges of a column relate is known to PostgreSQL alone.
        TextTest::Range(relation, other) => {
            Some(Range::parse(text)?.holds(*relation, &Range::parse(other)?))
        }
        TextTest::InArea(area) => Some(area.has(Point::parse(text)?)),
        TextTest::Native(..) => None,
    }
}

impl Test {
    /// The same as documents of this form mean it.
    pub(crate) fn in_style(self, style: DocumentStyle) -> Self {
        match self {
            Self::Search(search) if style.profile.contains_in_any_case() => {
                Self::Search(search.in_any_case())
            }
            other => other,
        }
    }
}

impl Search {
    /// The same where `$instr` and `$ninstr` pass over case.
    pub(crate) fn in_any_case(self) -> Self {
        if !matches!(self.name, "$instr" | "$ninstr") {
            return self;
        }
        Self {
            column: |pattern| pattern.liked(format!("%{}%", like::escape(pattern.text)), true),
            inside: Ok(|pattern| {
                let text = any_case(pattern.text);
                Ok(JsonTest::Regex(pattern.limits.check_regex(&text, pattern.at)?))
            }),
            ..self
        }
    }
}

/// A regular expression for a text in any case.
fn any_case(text: &str) -> String {
    let mut pattern = String::new();
    for char in text.chars() {
        let (lower, upper) = (char.to_lowercase(), char.to_uppercase());
        let is_letter = lower.len() == 1 && upper.len() == 1 && !lower.clone().eq(upper.clone());
        if is_letter {
            pattern.push('[');
            pattern.extend(lower.chain(upper));
            pattern.push(']');
            continue;
        }
        if char.is_ascii_punctuation() {
            pattern.push('\\');
        }
        pattern.push(char);
    }
    pattern
}
