//! The table of `docs/types.md` of what is refused, written from the cells.

use std::collections::BTreeMap;
use std::path::Path;

use super::Verdict;

/// The table: types that refuse the same in one row.
fn table(lines: &[(&str, Vec<(&str, Verdict)>)]) -> String {
    let mut rows: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for (declared, verdicts) in lines {
        let refused = |(cell, verdict): &(&str, Verdict)| match verdict {
            Verdict::Refused(code) => Some(format!("{cell} ({code})")),
            Verdict::Right | Verdict::Inside => None,
        };
        let refused: Vec<String> = verdicts.iter().filter_map(refused).collect();
        rows.entry(refused).or_default().push(format!("`{declared}`"));
    }
    rows.remove(&Vec::new());
    let mut text = String::from("| type | refused |\n|---|---|\n");
    for (refused, types) in rows {
        text += &format!("| {} | {} |\n", types.join(", "), refused.join("; "));
    }
    text
}

/// Compares the page with the table, or writes it.
pub(super) fn check(store: &str, lines: &[(&str, Vec<(&str, Verdict)>)]) {
    let begin = format!(
        "<!-- refused on {store}: written by crates/http/tests/it/type_matrix; `DUET_ACCEPT=1` rewrites it -->"
    );
    let end = format!("<!-- end of refused on {store} -->");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/types.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) =
        page.split_once(&begin).expect("docs/types.md has no table of what is refused");
    let (_, after) = rest.split_once(&end).expect("the table of what is refused has no end");
    let written = format!("{before}{begin}\n{}{end}{after}", table(lines));
    if page == written {
        return;
    }
    assert!(
        std::env::var_os("DUET_ACCEPT").is_some(),
        "docs/types.md differs from the cells; DUET_ACCEPT=1 rewrites it"
    );
    std::fs::write(path, written).unwrap();
}
