//! The table of keys in `docs/postgrest.md`: `DUET_ACCEPT=1` writes it.

use super::keys::KEYS;

const BEGIN: &str = "<!-- keys: written by a test -->\n";
const END: &str = "<!-- end -->";

fn table() -> String {
    let rows = KEYS.iter().map(|row| {
        let alias = row.alias.map_or_else(String::new, |alias| format!(", `{alias}`"));
        format!("| `{}`{alias} | {} | {} |\n", row.name, row.fate.word(), row.here)
    });
    let head = "| key | | here |\n|---|---|---|\n".to_owned();
    std::iter::once(head).chain(rows).collect()
}

#[test]
fn the_manual_has_every_key() {
    let path = duet_testkit::golden::workspace().join("docs/postgrest.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, behind) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}\n{}\n{END}{behind}", table());
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == wanted, "docs/postgrest.md differs from the table: DUET_ACCEPT=1 rewrites it");
}
