//! Texts with placeholders for figures and facts: `{rounds}, every variant in each`.

/// A part of a text.
enum Part<'a> {
    Text(&'a str),
    Place(&'a str),
}

/// The parts of a text. An unpaired brace is plain text.
fn parts(mut text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    while let Some((before, rest)) = text.split_once('{') {
        let Some((place, after)) = rest.split_once('}') else { break };
        parts.extend([Part::Text(before), Part::Place(place)]);
        text = after;
    }
    parts.push(Part::Text(text));
    parts
}

/// The names of a text's placeholders.
pub(super) fn places(text: &str) -> impl Iterator<Item = &str> {
    parts(text).into_iter().filter_map(|part| match part {
        Part::Place(name) => Some(name),
        Part::Text(_) => None,
    })
}

/// Fills each placeholder.
///
/// # Errors
/// The name of a placeholder without a value.
pub(super) fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let part = |part| match part {
        Part::Text(text) => Ok(text.to_owned()),
        Part::Place(name) => value(name).ok_or_else(|| name.to_owned()),
    };
    parts(text).into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled() {
        let value = |name: &str| (name != "c").then(|| name.to_uppercase());
        assert_eq!(fill("{a} and {b}.", value).as_deref(), Ok("A and B."));
        assert_eq!(fill("{a} and {c}", value), Err("c".to_owned()));
        assert_eq!(fill("{a} {b", value).as_deref(), Ok("A {b"));
        assert_eq!(places("{a}, {like.b}").collect::<Vec<_>>(), ["a", "like.b"]);
    }
}
