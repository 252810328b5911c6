//! Parts of texts by the positions of their characters, as standard SQL counts them.

/// A part of a text was asked for whose end is before its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NegativeLength;

/// The characters from a position on, which begins at 1. Positions before the text count, and have no characters.
///
/// # Errors
/// [`NegativeLength`]
///
/// ```
/// use duet_text::substring::substring;
///
/// assert_eq!(substring("naïve", 3, Some(2)), Ok("ïv"));
/// assert_eq!(substring("naïve", -1, Some(3)), Ok("n"));
/// assert_eq!(substring("naïve", -2, None), Ok("naïve"));
/// ```
pub fn substring(text: &str, from: i32, length: Option<i32>) -> Result<&str, NegativeLength> {
    let from = i64::from(from);
    let end = length.map(|length| from + i64::from(length));
    if end.is_some_and(|end| end < from) {
        return Err(NegativeLength);
    }
    // The byte at which the character of a position begins.
    let byte = |position: i64| {
        let before = usize::try_from(position - 1).unwrap_or(0);
        text.char_indices().nth(before).map_or(text.len(), |(at, _)| at)
    };
    let start = byte(from);
    let end = end.map_or(text.len(), byte).max(start);
    Ok(text.get(start..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_before_the_text_count() {
        for (from, length, expected) in [
            (1, None, "héllo"),
            (0, None, "héllo"),
            (-2, None, "héllo"),
            (0, Some(2), "h"),
            (-5, Some(3), ""),
            (2, Some(0), ""),
            (2, Some(2), "él"),
            (5, Some(9), "o"),
            (6, None, ""),
            (9, Some(1), ""),
            (i32::MIN, Some(i32::MAX), ""),
            (2, Some(i32::MAX), "éllo"),
        ] {
            assert_eq!(substring("héllo", from, length), Ok(expected), "{from} {length:?}");
        }
        assert_eq!(substring("héllo", 1, Some(-1)), Err(NegativeLength));
        assert_eq!(substring("", i32::MAX, Some(-1)), Err(NegativeLength));
    }
}
