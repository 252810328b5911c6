//! Names in addresses, and names that code generators turn into identifiers.
//!
//! A generated name depends on the resource's own name alone, so that a client's code does not
//! change because another resource came or went. Two resources never share one.

use duet_service::services::ServiceFile;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986 §2.3.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A name or value as one segment of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// The path below the mount, with parameters in braces.
pub(super) fn template(file: &ServiceFile) -> String {
    let segments = file.path.to_string();
    let encoded = segments.split('/').map(|part| match part.starts_with('{') {
        true => part.to_owned(),
        false => segment(part),
    });
    encoded.collect::<Vec<_>>().join("/")
}

/// The resource's name in operation ids and schema names: `team_dv` is `TeamDv`, `team_2` is
/// `Team_2`. A name that does not consist of lower-case words joined by single underscores could
/// meet another one there, so it gets a hash of its exact spelling behind it.
pub(super) fn pascal(name: &str) -> String {
    let words: Vec<&str> =
        name.split(|char: char| !char.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let lower = !name.contains(|char: char| char.is_ascii_uppercase());
    let plain = lower && !name.is_empty() && words.join("_") == name;
    let mut out = String::with_capacity(name.len() + 10);
    for word in words {
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            out.push('_');
        }
        let (first, rest) = word.split_at(1);
        out.push_str(&first.to_ascii_uppercase());
        out.push_str(rest);
    }
    if !plain {
        out.push_str(&format!("_{:08x}", hash(name)));
    }
    out
}

/// The parameter names for parts of a key, each an identifier and each different.
pub(super) fn parameters<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in paths {
        let last = path.rsplit('.').next().unwrap_or(path);
        let identifier = |char: char| if char.is_ascii_alphanumeric() { char } else { '_' };
        let mut name: String = last.chars().map(identifier).collect();
        if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            name.insert(0, '_');
        }
        while names.contains(&name) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// FNV-1a of 32 bits: the same on every machine and in every version.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn plain_names_become_pascal_case() {
        assert_eq!(pascal("team"), "Team");
        assert_eq!(pascal("driver_race_map"), "DriverRaceMap");
        assert_eq!(pascal("team_2"), "Team_2");
        assert_eq!(pascal("2team"), "_2team");
    }

    #[test]
    fn names_never_meet() {
        let names = [
            "team_dv", "teamdv", "teamDv", "TeamDv", "team__dv", "_team_dv", "team dv", "team-dv",
            "team_dv_", "team2", "team_2", "équipe", "quipe", "日本", "", "_",
        ];
        let generated: BTreeSet<_> = names.iter().map(|name| pascal(name)).collect();
        assert_eq!(generated.len(), names.len(), "{generated:?}");
        let fits = |char: char| char.is_ascii_alphanumeric() || char == '_';
        assert!(generated.iter().all(|name| name.chars().all(fits)), "{generated:?}");
    }

    #[test]
    fn parameters_are_identifiers() {
        let names = parameters(["_id.race id", "x.race_id", "1st", "été"].into_iter());
        assert_eq!(names, ["race_id", "race_id_", "_1st", "_t_"]);
    }

    #[test]
    fn segments_are_escaped() {
        assert_eq!(segment("order details/é,1"), "order%20details%2F%C3%A9%2C1");
    }
}
