//! Names of tables and columns that are not taken.

use std::collections::HashSet;

use super::super::init::names::snake_case;

/// The longest name, so that a number fits behind it: PostgreSQL cuts names at 63 bytes.
const LONGEST: usize = 55;

/// Columns that every table of PostgreSQL has (PostgreSQL's manual, "System Columns").
const SYSTEM_COLUMNS: [&str; 6] = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"];

/// The names that are taken at one place.
#[derive(Debug, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Takes a name that is there already.
    pub(super) fn take(&mut self, name: &str) {
        self.0.insert(name.to_lowercase());
    }

    /// A name that is not taken, in lower case with underscores; it is taken from now on.
    pub(super) fn free(&mut self, wanted: &str) -> String {
        let base = match snake_case(wanted).as_str() {
            "" => "member".to_owned(),
            name => shortened(name).to_owned(),
        };
        let mut name = base.clone();
        let mut number = 2;
        while SYSTEM_COLUMNS.contains(&&*name) || !self.0.insert(name.clone()) {
            name = format!("{base}_{number}");
            number += 1;
        }
        name
    }
}

/// The beginning of a name that is too long.
fn shortened(name: &str) -> &str {
    let mut end = name.len().min(LONGEST);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// The singular of an English plural, as far as endings tell; other words as they are.
pub(super) fn singular(name: &str) -> String {
    let cut = |ending: &str, by: &str| {
        name.strip_suffix(ending).filter(|stem| stem.len() > 1).map(|stem| format!("{stem}{by}"))
    };
    if name.ends_with("ss") || name.ends_with("us") || name.ends_with("is") {
        return name.to_owned();
    }
    cut("ies", "y")
        .or_else(|| cut("sses", "ss"))
        .or_else(|| cut("xes", "x"))
        .or_else(|| cut("ches", "ch"))
        .or_else(|| cut("s", ""))
        .unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_and_short() {
        let mut names = Names::default();
        assert_eq!(names.free("poNumber"), "po_number");
        assert_eq!(names.free("po number"), "po_number_2");
        assert_eq!(names.free("$"), "member");
        assert_eq!([names.free("tableoid"), names.free("xMin")], ["tableoid_2", "x_min"]);
        assert_eq!(names.free("CTID"), "ctid_2");
        assert!(names.free(&"é".repeat(90)).len() <= LONGEST);
    }

    #[test]
    fn singulars() {
        for (plural, expected) in [
            ("lines", "line"),
            ("categories", "category"),
            ("boxes", "box"),
            ("addresses", "address"),
            ("status", "status"),
            ("address", "address"),
            ("batches", "batch"),
            ("s", "s"),
        ] {
            assert_eq!(singular(plural), expected);
        }
    }
}
