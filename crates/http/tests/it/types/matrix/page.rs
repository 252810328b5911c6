//! The tables of `docs/types.md` of what is refused and what does not apply, written from the cells.

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

/// Reasons with their cells and types: a row for each reason.
fn reasons(lines: &[Line]) -> String {
    let mut rows: BTreeMap<&str, (Vec<&str>, Vec<&str>)> = BTreeMap::new();
    for (ty, verdicts) in lines {
        for (cell, verdict) in verdicts {
            let Verdict::Not(why) = verdict else { continue };
            let (cells, types) = rows.entry(why).or_default();
            for (list, name) in [(cells, *cell), (types, ty.as_str())] {
                if !list.contains(&name) {
                    list.push(name);
                }
            }
        }
    }
    let mut text = String::from("| does not apply | to | because |\n|---|---|---|\n");
    for (why, (cells, types)) in rows {
        let types = match types.len() * 2 > lines.len() {
            true => others(lines, &types),
            false => types.join(", "),
        };
        text += &format!("| {} | {types} | {why} |\n", cells.join(", "));
    }
    text
}

/// All types but those that are left.
fn others(lines: &[Line], types: &[&str]) -> String {
    let left = lines.iter().map(|(ty, _)| ty.as_str()).filter(|ty| !types.contains(ty));
    let left: Vec<&str> = left.collect();
    if left.is_empty() { "all types".to_owned() } else { format!("all but {}", left.join(", ")) }
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
    let tables = format!("{}\n{}", table(lines, "refused", refused), reasons(lines));
    let written = format!("{before}{begin}\n{tables}{end}{after}");
    if page == written {
        return;
    }
    assert!(
        std::env::var_os("DUET_ACCEPT").is_some(),
        "docs/types.md differs from the cells; DUET_ACCEPT=1 rewrites it"
    );
    std::fs::write(path, written).unwrap();
}
