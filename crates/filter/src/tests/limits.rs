//! Every limit of the table: what is within it is taken, one more is refused with its place, and the manual and both
//! languages know it.

use duet_model::{Code, Error};
use duet_text::error::Place;

use super::sample;
use crate::limit_table::{LIMITS, LimitRow, ORDER, PATH, PATTERN};
use crate::{Limits, cql, parse};

/// More than any example needs beside what it counts.
const MANY: usize = 40;

#[track_caller]
fn refused_at(error: &Error, says: &str) -> usize {
    assert_eq!((error.code, error.code.status()), (Code::FilterLimit, 400), "{error}");
    assert!(error.to_string().contains(says), "{error}");
    let Some(Place::Offset(offset)) = error.place else { panic!("{error:?}") };
    offset
}

#[test]
fn one_more_than_a_limit_is_refused() {
    let fields = sample::fields();
    for row in LIMITS {
        let limits = row.set(Limits::default(), MANY);
        let within = (row.example)(MANY);
        assert!(parse(&within, &fields, &limits).is_ok(), "{}: {within}", row.setting);
        let beyond = (row.example)(MANY + 1);
        let error = parse(&beyond, &fields, &limits).err().unwrap_or_else(|| panic!("{beyond}"));
        refused_at(&error, &MANY.to_string());
    }
}

#[test]
fn no_setting_lifts_a_limit_above_its_most() {
    for row in LIMITS {
        let most = |value| row.of(&row.set(Limits::default(), value));
        assert_eq!((most(5), most(usize::MAX)), (5, row.most), "{}", row.setting);
        assert_eq!(row.of(&Limits::default()), row.default, "{}", row.setting);
    }
}

/// Patterns, paths and orders of CQL and of `$group` have the same limits, at their place.
#[test]
fn other_languages_have_the_same_limits() {
    let fields = sample::fields();
    let small = |row: &LimitRow| row.set(Limits::default(), 3);
    let compiled = |text: &str, limits: &Limits| cql::parse(text, &fields, limits).map(drop);
    for (row, text, place) in [
        (&PATTERN, "points = 1 and name == abc*", "abc*"),
        (&PATTERN, "name == \"*abc*\"", "\"*abc"),
        (&PATH, "points = 1 and extra.a.b.c.d = 1", "1"),
        (&ORDER, "points = 1 sortBy points name extra.a extra.b", "extra.b"),
    ] {
        let error = compiled(text, &small(row)).err().unwrap_or_else(|| panic!("{text}"));
        let at = refused_at(&error, row.setting);
        assert!(text[at..].starts_with(place), "{text}: {at}");
        assert!(compiled(text, &Limits::default()).is_ok(), "{text}");
    }
}

#[test]
fn the_manual_lists_every_limit() {
    let page = include_str!("../../../../docs/settings.md");
    for limit in LIMITS {
        let start = format!("| `--{}` |", limit.setting.replace('_', "-"));
        let row = page.lines().find(|line| line.starts_with(&start)).unwrap_or_default();
        let number = match limit.default {
            1_048_576 => "1MiB".to_owned(),
            value => value.to_string(),
        };
        assert!(row.contains(&format!("| `{number}`")), "{start} {row}");
        let most = format!("at most {}.", limit.most);
        assert_eq!(row.contains(&most), limit.most < usize::MAX, "{row}");
    }
}
