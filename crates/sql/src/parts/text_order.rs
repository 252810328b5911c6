//! The `CHECK` under which the texts of a SQLite column sort by their meaning, so that an
//! index serves an order by the column.
//!
//! Without one the same moment has several texts (`2022-03-20 10:00`, `2022-03-20T10:00:00.0`), and
//! pages are ordered by a function. Each condition here allows exactly one text for each moment:
//!
//! - The column **is** its own text by `strftime`, which has a fixed width and a date and
//!   time that exist. `IS` is never NULL; `=` would be for what is no moment, and a `CHECK` lets NULL
//!   pass.
//! - A fraction is digits without a zero at the end, and there is no point without it. It is the last
//!   part of the text, so `…:01` sorts before `…:01.25`, and that before `…:01.5`, as in time.
//! - A `Z` must not follow a fraction: it sorts after the point, so `…:01Z` would come after
//!   `…:01.5Z`. Moments in UTC therefore have whole seconds.
//!
//! All of them are the form in which Duet stores and shows values, so a page's marker is the stored text.

use duet_model::Type;

/// The conditions for columns of a type; `{}` is the column.
pub(crate) fn checks(ty: &Type) -> &'static [&'static str] {
    match ty {
        Type::Timestamp => &[MICROSECONDS, MILLISECONDS, "{} IS strftime('%Y-%m-%dT%H:%M:%S', {})"],
        Type::TimestampTz => &["{} IS strftime('%Y-%m-%dT%H:%M:%SZ', {})"],
        _ => &[],
    }
}

/// Seconds by `strftime`, whose own fractions have three digits; then the digits as a number
/// with six decimals, without the zero before the point and the zeros at the end.
const MICROSECONDS: &str = "{} IS strftime('%Y-%m-%dT%H:%M:%S', substr({}, 1, 19)) || \
                            rtrim(rtrim(substr(printf('%.6f', '0' || substr({}, 20)), 2), '0'), '.')";

const MILLISECONDS: &str = "{} IS rtrim(rtrim(strftime('%Y-%m-%dT%H:%M:%f', {}), '0'), '.')";
