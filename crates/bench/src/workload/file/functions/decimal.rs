//! Numbers written by patterns such as `id-000`: what is before the digits, how many there are at least, and what follows.

/// Whether a text is such a pattern: one run of `#` and `0`, without fractions, groups and percents.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    let digits = |next: char| "#0".contains(next);
    let Some(start) = pattern.find(digits) else { return !pattern.contains(is_special) };
    let rest = pattern[start..].trim_start_matches('#').trim_start_matches('0');
    !pattern[..start].contains(is_special)
        && !rest.contains(|next| digits(next) || is_special(next))
}

fn is_special(next: char) -> bool {
    ".,;%E@'\u{2030}\u{a4}".contains(next)
}

/// A number by a pattern.
pub(crate) fn written(pattern: &str, number: i64) -> String {
    let digits = |next: char| "#0".contains(next);
    let Some(start) = pattern.find(digits) else { return format!("{pattern}{number}") };
    let run = pattern[start..].find(|next| !digits(next)).unwrap_or(pattern.len() - start);
    let (run, behind) = pattern[start..].split_at(run);
    let least = run.bytes().filter(|byte| *byte == b'0').count();
    let sign = if number < 0 { "-" } else { "" };
    let digits = match number.unsigned_abs() {
        0 if least == 0 => "0".to_owned(),
        number => format!("{number:0least$}"),
    };
    format!("{sign}{}{digits}{behind}", &pattern[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_form() {
        assert_eq!(written("id-000", 7), "id-007");
        assert_eq!(written("000", 1234), "1234");
        assert_eq!(written("#0x", 5), "5x");
        assert_eq!(written("00", -3), "-03");
        for (pattern, is_right) in [("000", true), ("a#b", true), ("0.00", false), ("0a0", false)] {
            assert_eq!(is_pattern(pattern), is_right, "{pattern}");
        }
    }
}
