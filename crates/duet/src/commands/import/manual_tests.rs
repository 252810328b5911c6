//! The table of keys in the manual, which is that of the code.

use duet_service::definition::RMB_KEYS;

const BEGIN: &str = "by DUET_ACCEPT=1 -->\n";
const END: &str = "<!-- end of keys -->";

fn table() -> String {
    let rows = RMB_KEYS.iter().map(|key| {
        let (level, outcome) = (key.level.name(), key.outcome.word());
        format!("| {level} | `{}` | {outcome} | {} |\n", key.name, key.meaning)
    });
    let head = "| in | key | | here |\n|---|---|---|---|\n".to_owned();
    std::iter::once(head).chain(rows).collect()
}

#[test]
fn the_manual_has_every_key() {
    let path = duet_testkit::golden::workspace().join("docs/folio.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, behind) = rest.split_once(END).unwrap();
    let wanted = format!("{before}{BEGIN}{}{END}{behind}", table());
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == wanted, "docs/folio.md differs from the table: DUET_ACCEPT=1 rewrites it");
}
