//! The reference page of the settings, `docs/settings.md`: generated from the table by the test
//! that checks it.

use std::fmt::Write as _;

use super::one_line;
use crate::settings::{Group, Setting, TABLE};

/// The text above the tables.
const HEAD: &str = "\
# Settings

<!-- Written from the table in crates/duet/src/settings/table.rs; `DUET_ACCEPT=1` rewrites it. -->

```sh
duet bench load lookup --database sqlite:numbers.sqlite --scale 10
```

```sh
duet serve numbers.sqlite --open read --page-size 2
```

```sh
curl -s 'http://127.0.0.1:8080/api/main/t1/?fields=value'
```

```json
{
  \"items\": [{ \"value\": \"value 1\", \"links\": [\"…\"] }, { \"value\": \"value 2\", \"links\": [\"…\"] }],
  \"hasMore\": true, \"limit\": 2, \"offset\": 0, \"count\": 2,
  \"links\": [\"…\"]
}
```

Every setting can be given in four places; a place further left wins:

flag on the command line → environment variable → `app.toml` → default

The flag `--page-size` is the variable `DUET_PAGE_SIZE` and the key `page_size` of `app.toml`, in the table that is named above the settings. Beside the settings, `DUET_DATABASE` names the database, `DUET_CONFIG` the `app.toml` and `DUET_APP` the built-in application to serve.

| type | form |
|---|---|
| duration | a whole number with `ms`, `s`, `m`, `h` or `d` |
| size | a number of bytes, or one with `KiB`, `MiB`, `GiB`, `kB`, `MB` or `GB` |
| list | separated by commas; or a repeated flag, or an array in `app.toml` |
| switch | `true` or `false`; as a flag it needs no value |
| path | in `app.toml` relative to its folder |

Where one process serves [several applications](app-toml.md#several-applications-in-one-process), settings with † are the process's: give them as flags or variables, not in an `app.toml`. All others are each application's own: its `app.toml` may give them, and a flag or variable gives them to all; but `--state` is the clients of the process, and an application with `state` keeps [its own](app-toml.md#several-applications-in-one-process).

A [reload](operations.md#changes-of-the-application) applies those with ‡; the others take effect at the next start.
";

/// The whole page, in Markdown.
pub(crate) fn page() -> String {
    let mut page = HEAD.to_owned();
    for group in Group::ALL {
        // Writing to a String cannot fail.
        let _ = write!(
            page,
            "\n## {}\n\nIn `app.toml`: `[{}]`.\n\n| flag | type | default | what it does |\n|---|---|---|---|\n",
            group.heading(),
            group.section()
        );
        TABLE.iter().filter(|setting| setting.group == group).for_each(|setting| {
            page.push_str(&row(setting));
        });
    }
    page
}

fn row(setting: &Setting) -> String {
    let default = match setting.default {
        "" => "–".to_owned(),
        text => format!("`{text}`"),
    };
    let mark = if setting.is_of_process() { "†" } else { "" };
    let reloaded = if setting.is_reloaded() { "‡" } else { "" };
    let kind = if setting.words.is_empty() || setting.is_switch() {
        setting.kind.to_owned()
    } else {
        setting.words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    };
    let (flag, doc) = (setting.flag(), one_line(setting.doc));
    format!("| `--{flag}` | {kind} | {default}{mark}{reloaded} | {doc} |\n")
}

#[test]
fn the_reference_page_is_written_from_the_table() {
    let path = duet_testkit::golden::workspace().join("docs/settings.md");
    if std::env::var_os("DUET_ACCEPT").is_some_and(|value| value == "1") {
        std::fs::write(&path, page()).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let hint = "docs/settings.md differs from the table: DUET_ACCEPT=1 rewrites it";
    assert!(found == page(), "{hint}");
}
