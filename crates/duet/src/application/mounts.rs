//! `mount`: the base paths of an application, and those that a table refers to.

use std::ops::Range;

use duet_service::{RESERVED_PATHS, shown_path};
use duet_text::name;

use super::reader::{At, Table};

/// The paths of an application, without trailing slashes (`/` is empty), at least one; `None` if
/// there is a mistake in them.
pub(super) fn paths(root: &mut Table<'_>) -> Option<Vec<String>> {
    let At { value: texts, span } = root.required_texts("mount")?;
    let count = texts.len();
    let mut paths: Vec<String> = Vec::new();
    for text in texts {
        let span = text.span.clone();
        let Some(path) = path(root, text) else { continue };
        if paths.contains(&path) {
            root.wrong(span, format!("`mount` names {} twice.", shown_path(&path)), None);
        } else {
            paths.push(path);
        }
    }
    if count == 0 {
        let hint = "Name a path, such as `/ords/hr`.";
        root.wrong(span, "`mount` must not be empty.", Some(hint.into()));
    }
    (count > 0 && paths.len() == count).then_some(paths)
}

fn path(root: &Table<'_>, At { value, span }: At<String>) -> Option<String> {
    let path = trimmed(&value);
    if value == "/" {
        return Some(String::new());
    }
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let fits = |segment: &&str| {
        !segment.is_empty()
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte))
            && !matches!(*segment, "." | "..")
    };
    if !path.starts_with('/') || !segments.iter().all(fits) {
        let message = format!("`mount` cannot be {value:?}.");
        let hint = "It is a path such as `/ords/hr`, of letters, digits, `-`, `_`, `.` and `~`.";
        root.wrong(span, message, Some(hint.into()));
        return None;
    }
    if let Some(first) = segments.first().filter(|first| RESERVED_PATHS.contains(first)) {
        let message =
            format!("`mount` cannot begin with `/{first}`: Duet serves that path itself.");
        root.wrong(span, message, None);
        return None;
    }
    Some(path.to_owned())
}

fn trimmed(path: &str) -> &str {
    path.strip_suffix('/').unwrap_or(path)
}

/// The path that a table refers to with `mount`, one of the application's; `known` is `None` if
/// those contain mistakes.
pub(super) fn one(table: &mut Table<'_>, known: Option<&[String]>) -> Option<String> {
    let At { value, span } = table.text("mount")?;
    find(table, &value, span, known)
}

/// The same for a table that may refer to several; empty if it refers to none.
pub(super) fn several(table: &mut Table<'_>, known: Option<&[String]>) -> Vec<String> {
    let Some(At { value: texts, span }) = table.texts("mount") else { return Vec::new() };
    if texts.is_empty() {
        let hint = "Leave `mount` out for the application's first.";
        table.wrong(span, "`mount` must not be empty.", Some(hint.into()));
    }
    let mut paths: Vec<String> =
        texts.into_iter().filter_map(|text| find(table, &text.value, text.span, known)).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn find(
    table: &Table<'_>,
    wanted: &str,
    span: Range<usize>,
    known: Option<&[String]>,
) -> Option<String> {
    let (known, wanted) = (known?, trimmed(wanted));
    if known.iter().any(|path| path == wanted) {
        return Some(wanted.to_owned());
    }
    let hint = match name::nearest(wanted, known.iter().map(String::as_str)) {
        Some(nearest) => format!("Did you mean `{nearest}`?"),
        None => {
            let known: Vec<&str> = known.iter().map(|path| shown_path(path)).collect();
            format!("`mount` of the application has {}.", known.join(", "))
        }
    };
    table.wrong(span, format!("The application has no mount {wanted:?}."), Some(hint));
    None
}
