//! The table of what is not taken in the manual, which is that of the code.

use duet_store::setup::copy::remainder::REMAINDERS;

const BEGIN: &str = "by DUET_ACCEPT=1 -->\n";
const END: &str = "<!-- end of kinds -->";

#[test]
fn the_manual_has_every_kind() {
    let path = duet_testkit::golden::workspace().join("docs/copy.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, behind) = rest.split_once(END).unwrap();
    let rows = REMAINDERS.iter().map(|row| {
        let without = row.without.unwrap_or("cannot be left out");
        format!("| `{}` | {} | {without} |\n", row.name, row.what)
    });
    let rows: String = rows.collect();
    let head = "| kind | what is refused | without it |\n|---|---|---|\n";
    let wanted = format!("{before}{BEGIN}{head}{rows}{END}{behind}");
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap();
    assert!(found == wanted, "docs/copy.md differs from the table: DUET_ACCEPT=1 rewrites it");
}
