//! Folding by PostgreSQL's functions against that of the model, which SQLite's connections call, over all
//! letters. Letters that only a newer version of Unicode than the database's has are left out.

use duet_sql::{Postgres, TextSyntax as _};
use duet_testkit::postgres::Server;
use duet_text::Fold;

/// All characters but those that no case and no accent belongs to: ideographs, surrogates, private use.
fn characters() -> impl Iterator<Item = char> {
    let numbers = (1..0x3400_u32).chain(0xa000..0xd800).chain(0xf900..0x2_0000);
    numbers.filter_map(char::from_u32)
}

/// A literal of SQL.
fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether the database knows the letter: it has another case, or a decomposition.
const KNOWN: &str = "(lower(text COLLATE \"und-x-icu\"), upper(text COLLATE \"und-x-icu\"), \
                     normalize(text, NFD)) IS DISTINCT FROM (text, upper('x') || substr(text, 2), text)";

#[test]
fn postgresql_folds_every_letter_as_the_model_does() {
    let database = Server::shared().database("fold");
    database.exec("CREATE TABLE letter (text text, folded_case text, accents text, folded text)");
    let letters: Vec<char> = characters().collect();
    for part in letters.chunks(5_000) {
        let row = |letter: &char| {
            let text = format!("x{letter}");
            let folded = Fold::ALL.map(|fold| literal(&fold.apply(&text)));
            format!("({}, {})", literal(&text), folded.join(", "))
        };
        let rows: Vec<_> = part.iter().map(row).collect();
        database.exec(&format!("INSERT INTO letter VALUES {}", rows.join(", ")));
    }
    for (fold, column) in Fold::ALL.into_iter().zip(["folded_case", "accents", "folded"]) {
        let [before, behind] = Postgres { icu: true }.fold(fold);
        let differing = database.query(&format!(
            "SELECT string_agg(to_hex(ascii(substr(text, 2))), ' ' ORDER BY ascii(substr(text, 2))) \
             FROM letter WHERE {before}text{behind} <> {column} COLLATE \"C\" AND {KNOWN}"
        ));
        assert_eq!(differing.trim(), "", "{fold:?}");
    }
    let known = database.query(&format!("SELECT count(*) FROM letter WHERE {KNOWN}"));
    assert!(known.trim().parse::<u32>().unwrap() > 10_000, "{known}");
    // Letters in a word, and what depends on its neighbours.
    for text in
        ["ΟΔΟΣ", "Ǆungla ǅ", "cafe\u{301} ÅNGSTRÖM", "İstanbul I", "STRAẞE", "각\u{1100}\u{1161}"]
    {
        for fold in Fold::ALL {
            let [before, behind] = Postgres { icu: true }.fold(fold);
            let found = database.query(&format!("SELECT {before}{}{behind}", literal(text)));
            assert_eq!(found.trim_end_matches('\n'), fold.apply(text), "{fold:?}");
        }
    }
}
