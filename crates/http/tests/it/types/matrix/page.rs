//! The tables of `docs/types.md` of what is refused, written from the cells.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Line, Verdict};

/// A table: types with the same cells in one row.
fn table(lines: &[Line], heading: &str, shown: fn(&str, Verdict) -> Option<String>) -> String {
    let mut rows: BTreeMap<Vec<String>, Vec<&str>> = BTreeMap::new();
    for (ty, verdicts) in lines {
        let cells = verdicts.iter().filter_map(|(cell, verdict)| shown(cell, *verdict));
        rows.entry(cells.collect()).or_default().push(ty);
    }
    rows.remove(&Vec::new());
    let mut text = format!("| type | {heading} |\n|---|---|\n");
    for (cells, types) in rows {
        text += &format!("| {} | {} |\n", types.join(", "), cells.join("; "));
    }
    text
}

fn refused(cell: &str, verdict: Verdict) -> Option<String> {
    match verdict {
        Verdict::Refused(code) => Some(format!("{cell} ({code})")),
        Verdict::Right | Verdict::Not(_) => None,
    }
}

/// Compares the page with the tables, or writes them.
pub(super) fn check(store: &str, lines: &[Line]) {
    let begin = format!(
        "<!-- refused on {store}: written by crates/http/tests/it/types/matrix; `DUET_ACCEPT=1` rewrites it -->"
    );
    let end = format!("<!-- end of refused on {store} -->");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/types.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) =
        page.split_once(&begin).expect("docs/types.md has no table of what is refused");
    let (_, after) = rest.split_once(&end).expect("the table of what is refused has no end");
    let written = format!("{before}{begin}\n{}{end}{after}", table(lines, "refused", refused));
    if page == written {
        return;
    }
    assert!(
        std::env::var_os("DUET_ACCEPT").is_some(),
        "docs/types.md differs from the cells; DUET_ACCEPT=1 rewrites it"
    );
    std::fs::write(path, written).unwrap();
}
