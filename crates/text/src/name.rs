//! Names: served names derived from database names, and nearest-name hints.

/// The served name of a table or column without an alias: lower case, as in ORDS.
pub fn served(database_name: &str) -> String {
    database_name.to_lowercase()
}

/// The candidate closest to `wanted`, if it is close enough to be a misspelling: an edit
/// distance of at most a third of the length, and at least one.
///
/// ```
/// use duet_text::name::nearest;
/// assert_eq!(nearest("nmae", ["team_id", "name"]), Some("name"));
/// assert_eq!(nearest("colour", ["team_id", "name"]), None);
/// ```
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = beginning(wanted);
    let length = wanted.chars().count();
    let limit = (length / 3).max(1) + usize::from(length > 3);
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(&wanted, &beginning(candidate)), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Only this many leading characters are compared, which bounds the cost of hostile names.
const LONGEST: usize = 64;

/// The lower-case beginning of a name, as it is compared.
fn beginning(name: &str) -> String {
    name.to_lowercase().chars().take(LONGEST).collect()
}
