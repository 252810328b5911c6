//! Code asks a profile what it needs to know, never which one it is: each profile is one file in `model/src/profiles`
//! and one in `http/src/profiles`, and to add one is to add these two.

use super::{has_word, is_part_of_name, product_code, product_files, root};

/// The crates that profiles have a meaning in.
const CRATES: [&str; 12] = [
    "text",
    "model",
    "filter",
    "document",
    "duality",
    "collection",
    "sql",
    "auth",
    "service",
    "http",
    "instances",
    "duet",
];

/// The names of profiles but of Duet's own, those to come included.
const NAMES: [&str; 3] = ["ords", "rmb", "postgrest"];

/// Files that ask which profile it is; the list becomes shorter only.
const EXCEPTIONS: &[&str] = &[];

#[test]
fn no_code_asks_which_profile_it_is() {
    let (mut checked, mut found) = (0, Vec::new());
    for file in CRATES.into_iter().flat_map(product_files) {
        let name = file.strip_prefix(root()).unwrap().display().to_string();
        if name.contains("src/profiles/") || EXCEPTIONS.contains(&name.as_str()) {
            continue;
        }
        checked += 1;
        let code = product_code(&file);
        // A plan of load tests has profiles too.
        if name.starts_with("duet/") && !code.contains("ProfileRef") {
            continue;
        }
        found.extend(code.lines().filter(|line| asks(line)).map(|line| format!("{name}: {line}")));
    }
    assert!(checked > 500, "only {checked} files are found");
    assert!(found.is_empty(), "a method of `Profile` should answer this:\n{}", found.join("\n"));
}

/// Whether a line of code compares profiles, matches over them, or has a question for one of them in a name.
fn asks(line: &str) -> bool {
    let is_profile = |text: &str| {
        let calls = ['(', ')'];
        let text = text.trim().trim_end_matches(calls).trim_end_matches(".name");
        let text = text.trim_end_matches(calls);
        text.rsplit(|char| !is_part_of_name(char)).next().is_some_and(|word| word == "profile")
    };
    let sides = ["==", "!="].into_iter().flat_map(|sign| line.match_indices(sign));
    let compares = sides.into_iter().any(|(at, sign)| {
        let right =
            line[at + sign.len()..].split([' ', ',', ';', ')', '{']).find(|it| !it.is_empty());
        is_profile(&line[..at]) || right.is_some_and(is_profile)
    });
    let matched = line.split("match ").nth(1).and_then(|rest| rest.split('{').next());
    let named = NAMES.iter().flat_map(|name| {
        ["is", "as", "if", "for", "answers_as"].map(|word| format!("{word}_{name}"))
    });
    compares
        || matched.is_some_and(is_profile)
        || line.contains("ProfileRef::named(\"")
        || named.into_iter().any(|word| has_word(line, &word))
}

#[test]
fn questions_are_found() {
    for line in [
        "if self.profile == other {",
        "if ProfileRef::native() != service.profile() {",
        "match scope.service().profile() {",
        "match profile.name() {",
        "profile.name() == \"ords\"",
        "shape.style.is_ords()",
        "let it = ProfileRef::named(\"rmb\");",
    ] {
        assert!(asks(line), "{line}");
    }
    for line in [
        "if shape.style.profile.path_decides_key() {",
        "let date = profile.dates(of_view) == DateForm::Day;",
        "match profiles::of(profile).errors(false).status(code) {",
        "(&self.name, self.profile)",
    ] {
        assert!(!asks(line), "{line}");
    }
}
