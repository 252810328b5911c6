//! The query parameters of bulk loads.

use super::declaration::{ParameterDeclaration, names};

/// Those of every load.
pub const COMMON: [ParameterDeclaration; 4] = [
    ParameterDeclaration::new(
        ["batchRows", "LoadBatchRows"],
        "Rows of a batch.",
        r#"{"type":"integer","format":"int32","minimum":1,"maximum":100000}"#,
    ),
    ParameterDeclaration::new(
        ["batchesPerCommit", "LoadBatchesPerCommit"],
        "Batches of a transaction; 0 makes the whole load one transaction.",
        r#"{"type":"integer","format":"int64","minimum":0,"default":10}"#,
    ),
    ParameterDeclaration::new(
        ["errors", "LoadErrors"],
        "How many rows may be refused before the load is stopped; `UNLIMITED` or `-1` for any number. 50 where it is not given, 0 where the whole load is one transaction.",
        r#"{"type":"string","pattern":"^([0-9]+|-1|UNLIMITED)$"}"#,
    ),
    ParameterDeclaration::new(
        ["responseFormat", "LoadResponseFormat"],
        "The form of the report: lines of text, or the object `LoadReport`. By `Accept` where it is not given.",
        r#"{"type":"string","enum":["RAW","JSON"]}"#,
    ),
];

/// Those beside them where the profile has them.
pub const FURTHER: [ParameterDeclaration; 3] = [
    ParameterDeclaration::new(
        ["errorsMax", "LoadErrorsMax"],
        "The most that `errors` may allow, whatever it says.",
        r#"{"type":"integer","format":"int64","minimum":0}"#,
    ),
    ParameterDeclaration::new(
        ["locale", "LoadLocale"],
        "A locale of English, which masks have the names of months in.",
        r#"{"type":"string","pattern":"^[eE][nN]"}"#,
    ),
    ParameterDeclaration::new(
        ["responseEncoding", "LoadResponseEncoding"],
        "The encoding of the report.",
        r#"{"type":"string","pattern":"^[uU][tT][fF]-?8$","default":"UTF-8"}"#,
    ),
];

/// The form of the report, where comments of SQL are one too.
pub const REPORT_WITH_SQL: ParameterDeclaration = ParameterDeclaration {
    schema: r#"{"type":"string","enum":["RAW","SQL","JSON"],"default":"RAW"}"#,
    ..COMMON[3]
};

/// Those of loads of CSV.
pub const OF_CSV: [ParameterDeclaration; 7] = [
    ParameterDeclaration::new(
        ["delimiter", "LoadDelimiter"],
        "CSV: the separator of fields, one ASCII character, or `tab`.",
        r#"{"type":"string","default":","}"#,
    ),
    ParameterDeclaration::new(
        ["enclosures", "LoadEnclosures"],
        "CSV: the quote around fields, one ASCII character, or `none`.",
        r#"{"type":"string","default":"\""}"#,
    ),
    ParameterDeclaration::new(
        ["lineEnd", "LoadLineEnd"],
        "CSV: what ends a line.",
        r#"{"type":"string","enum":["auto","lf","cr","crlf"],"default":"auto"}"#,
    ),
    ParameterDeclaration::new(
        ["lineMax", "LoadLineMax"],
        "CSV: bytes of one row at most.",
        r#"{"type":"integer","format":"int64","minimum":0}"#,
    ),
    ParameterDeclaration::new(
        ["dateFormat", "LoadDateFormat"],
        "CSV: a mask of dates.",
        r#"{"type":"string"}"#,
    ),
    ParameterDeclaration::new(
        ["timestampFormat", "LoadTimestampFormat"],
        "CSV: a mask of times of a day.",
        r#"{"type":"string"}"#,
    ),
    ParameterDeclaration::new(
        ["timestampTZFormat", "LoadTimestampTZFormat"],
        "CSV: a mask of moments.",
        r#"{"type":"string"}"#,
    ),
];

/// Whether rows replace others, which needs the right to update.
pub const UPSERT: ParameterDeclaration = ParameterDeclaration::new(
    ["upsert", "LoadUpsert"],
    "Whether a row replaces the one of the same key in the columns that it gives.",
    r#"{"type":"boolean","default":false}"#,
);

/// Whether all rows are deleted first, which needs the right to delete.
pub const TRUNCATE: ParameterDeclaration = ParameterDeclaration::new(
    ["truncate", "LoadTruncate"],
    "`true` deletes all rows first, `truncate` does so by `TRUNCATE` where the database has it.",
    r#"{"type":"string","enum":["false","true","truncate"],"default":"false"}"#,
);

/// All of them that do not depend on the profile.
pub fn all() -> impl Iterator<Item = ParameterDeclaration> {
    COMMON.into_iter().chain([UPSERT, TRUNCATE]).chain(OF_CSV)
}

/// The names of those that every load takes, in the order in which a refusal names them.
pub(crate) const NAMES: [&str; 6] =
    names([&COMMON[0], &COMMON[1], &COMMON[2], &TRUNCATE, &UPSERT, &COMMON[3]]);

/// The names of those of CSV.
pub(crate) const NAMES_OF_CSV: [&str; 7] = all_names(&OF_CSV);

/// The names of those that the profile may have.
pub(crate) const FURTHER_NAMES: [&str; 3] = all_names(&FURTHER);

const fn all_names<const N: usize>(parameters: &[ParameterDeclaration; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = parameters[at].name;
        at += 1;
    }
    names
}
