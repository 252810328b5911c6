//! Types are nouns: a bare participle says what happened to something, and not what it is.

use super::{is_part_of_name, product_code, product_files, root};

/// The crates whose types are looked at; the list becomes longer only.
const CRATES: &[&str] = &[
    "admission",
    "auth",
    "client",
    "collection",
    "document",
    "duality",
    "filter",
    "http",
    "instances",
    "journal",
    "mcp",
    "model",
    "pgconnect",
    "registry",
    "report",
    "rowstore",
    "service",
    "sql",
    "store",
    "text",
    "verdict",
];

/// Participles that do not end in `ed`, as names of types.
const IRREGULAR: &[&str] = &[
    "Absent",
    "Asked",
    "Begun",
    "Bound",
    "Broken",
    "Built",
    "Chosen",
    "Driven",
    "Drawn",
    "Found",
    "Given",
    "Gone",
    "Held",
    "Hidden",
    "Kept",
    "Known",
    "Left",
    "Lost",
    "Made",
    "Met",
    "Put",
    "Read",
    "Redriven",
    "Seen",
    "Sent",
    "Set",
    "Shown",
    "Stolen",
    "Taken",
    "Thrown",
    "Told",
    "Torn",
    "Unknown",
    "Unwritten",
    "Written",
];

/// Nouns that end as participles do.
const NOUNS: &[&str] = &["Embed", "Feed", "Need", "Seed", "Speed"];

/// Types that have another name when their room has been moved or rewritten; the list becomes shorter only.
const EXCEPTIONS: &[(&str, &str)] = &[
    // Named by the bench too.
    ("client", "Metered"),
    ("client", "Moved"),
    ("pgconnect", "Unverified"),
    ("verdict", "Damaged"),
];

#[test]
fn types_that_others_see_are_nouns() {
    let (mut checked, mut found) = (0, Vec::new());
    for &name in CRATES {
        for file in product_files(name) {
            for declared in product_code(&file).lines().filter_map(visible_type) {
                checked += 1;
                if is_participle(&declared) && !EXCEPTIONS.contains(&(name, declared.as_str())) {
                    let file = file.strip_prefix(root()).unwrap().display();
                    found.push(format!("{file}: {declared}"));
                }
            }
        }
    }
    assert!(checked > 1_500, "only {checked} types are found");
    assert!(found.is_empty(), "say what it is, as in `RequestPlan`:\n{}", found.join("\n"));
}

/// The name of the type that a line declares for other modules.
fn visible_type(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let (kind, rest) = rest.trim_start().split_once(' ')?;
    let is_type = matches!(kind, "struct" | "enum" | "trait" | "type" | "union");
    is_type.then(|| rest.chars().take_while(|char| is_part_of_name(*char)).collect())
}

/// Whether a name is one word that is a participle.
fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    let ends = name.ends_with("ed") && !NOUNS.contains(&name);
    is_one_word && (ends || IRREGULAR.contains(&name))
}

#[test]
fn participles_are_found() {
    for line in
        ["pub struct Shared {", "    pub(crate) enum Made {", "pub(super) type Planned = ();"]
    {
        assert!(is_participle(&visible_type(line).unwrap()), "{line}");
    }
    for line in ["pub struct RequestPlan<'r> {", "pub enum SharedState {", "pub trait Feed {"] {
        assert!(!is_participle(&visible_type(line).unwrap()), "{line}");
    }
    assert_eq!(visible_type("struct Made;"), None);
    assert_eq!(visible_type("pub fn made() {"), None);
}
