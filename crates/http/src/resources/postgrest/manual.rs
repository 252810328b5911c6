//! The tables of `docs/postgrest.md`, which are written from the lists in code: `DUET_ACCEPT=1` writes them.

use std::fmt::Write as _;
use std::path::Path;

use duet_filter::postgrest::{CASTS, OPERATORS, Stores};
use duet_model::profiles::{PostgrestCode, PostgrestGap};

use super::differences::DIFFERENCES;
use super::form::FORMS;
use super::preferences::PREFERENCES;

fn operators() -> String {
    let mut out = String::from(
        "| operator | SQL | `(any)`, `(all)` | SQLite | PostgreSQL |\n|---|---|---|---|---|\n",
    );
    for row in OPERATORS {
        let (sqlite, postgres) = match row.stores {
            Stores::Both => ("yes", "yes"),
            Stores::Native(columns) => ("refused", columns),
        };
        let sql = row.sql.replace('|', "\\|");
        let quantified = if row.quantified { "yes" } else { "" };
        let _ =
            writeln!(out, "| `{}` | `{sql}` | {quantified} | {sqlite} | {postgres} |", row.name);
    }
    out
}

fn casts() -> String {
    let names = |row: &duet_filter::postgrest::CastRow| {
        row.names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
    };
    let all: Vec<String> = CASTS.iter().map(names).collect();
    format!("On PostgreSQL `select` casts to {}.\n", all.join(", "))
}

fn forms() -> String {
    let mut out = String::from(
        "| `Accept` | `Content-Type` | the same with `;nulls=stripped` |\n|---|---|---|\n",
    );
    for row in FORMS {
        let stripped = row.stripped.map_or(String::new(), |name| format!("`{name}`"));
        let _ = writeln!(out, "| `{}` | `{}` | {stripped} |", row.name, row.content_type);
    }
    out.push_str("\n| `Prefer` | |\n|---|---|\n");
    for row in PREFERENCES {
        let value = if row.value.is_empty() { "…" } else { row.value };
        let taken = if row.of_reads { "on PostgreSQL, of what only reads" } else { "taken" };
        let _ = writeln!(out, "| `{}={value}` | {taken} |", row.name);
    }
    out
}

fn gaps() -> String {
    PostgrestGap::ALL.iter().map(|gap| format!("- {}\n", gap.what())).collect()
}

fn differences() -> String {
    let mut out = String::from("| | PostgREST | Duet |\n|---|---|---|\n");
    for row in DIFFERENCES {
        let _ = writeln!(out, "| {} | {} | {} |", row.about, row.theirs, row.ours);
    }
    out
}

fn codes() -> String {
    let mut out = String::from("| code | status | when |\n|---|---|---|\n");
    for row in PostgrestCode::ALL.iter().map(|code| code.row()) {
        let _ = writeln!(out, "| `{}` | {} | {} |", row.code, row.status, row.when);
    }
    out
}

#[test]
fn the_manual_lists_what_is_taken() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/postgrest.md");
    let mut page = std::fs::read_to_string(&path).unwrap();
    let known = page.clone();
    let blocks = [
        ("operators", operators()),
        ("casts", casts()),
        ("forms", forms()),
        ("gaps", gaps()),
        ("differences", differences()),
        ("codes", codes()),
    ];
    for (name, table) in blocks {
        let begin = format!("<!-- {name}: written by a test -->\n");
        let from = page.find(&begin).unwrap_or_else(|| panic!("no block {name}")) + begin.len();
        let to = from + page[from..].find("<!-- end -->").unwrap();
        page.replace_range(from..to, &format!("\n{table}\n"));
    }
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, &page).unwrap();
    } else {
        assert_eq!(known, page, "DUET_ACCEPT=1 writes docs/postgrest.md");
    }
}
