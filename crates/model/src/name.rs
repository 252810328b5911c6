//! Names: how a database's spelling becomes a member or path name, and the nearest-name hint.

/// The name a table or column is served under when nobody gave it an alias: lower case, as ORDS
/// does it.
pub fn served(database_name: &str) -> String {
    database_name.to_lowercase()
}

/// The candidate closest to `wanted`, if it is close enough to be what somebody meant: an edit
/// distance of at most a third of the length, and at least one.
///
/// ```
/// use duet_model::name::nearest;
/// assert_eq!(nearest("nmae", ["team_id", "name"]), Some("name"));
/// assert_eq!(nearest("colour", ["team_id", "name"]), None);
/// ```
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = wanted.to_lowercase().chars().take(LONGEST).collect();
    let limit = (wanted.len() / 3).max(1) + usize::from(wanted.len() > 3);
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Longer names are compared by their beginning only, so that a hostile name costs nothing.
const LONGEST: usize = 64;

/// Levenshtein distance, case-insensitive on the candidate's side.
fn distance(wanted: &[char], candidate: &str) -> usize {
    let candidate: Vec<char> = candidate.to_lowercase().chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=candidate.len()).collect();
    for (i, a) in wanted.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in candidate.iter().enumerate() {
            let substituted = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[candidate.len()]
}
