//! Rows of the dimensions. `at` counts from 0; keys count from 1, except for days and times.

use super::distributions::{Distributions, HOUSEHOLDS, SITES, date_sk, promotion_window};
use crate::generate::random::RowRandom;
use crate::generate::sink::RowSink;
use duet_text::time::moment::{civil_from_days, days_from_civil};

const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const CATEGORIES: [&str; 10] = [
    "Books",
    "Children",
    "Electronics",
    "Home",
    "Jewelry",
    "Men",
    "Music",
    "Shoes",
    "Sports",
    "Women",
];
const SIZES: [&str; 7] = ["N/A", "economy", "extra large", "large", "medium", "petite", "small"];
/// Levels of education.
pub(super) const EDUCATIONS: [&str; 7] =
    ["Primary", "Secondary", "College", "2 yr Degree", "4 yr Degree", "Advanced Degree", "Unknown"];
const CREDITS: [&str; 4] = ["Good", "Low Risk", "High Risk", "Unknown"];
const POTENTIALS: [&str; 6] = ["0-500", "501-1000", "1001-5000", "5001-10000", ">10000", "Unknown"];
const LOCATIONS: [&str; 3] = ["apartment", "condo", "single family"];

/// Few cities, so that customers and stores share some.
const CITIES: usize = 60;

/// Few counties, for the same reason.
const COUNTIES: usize = 30;

/// A number as digits, on the stack.
macro_rules! digits {
    ($number:expr) => {
        itoa::Buffer::new().format($number)
    };
}

fn yes(sink: &mut dyn RowSink, truth: bool) {
    sink.text(&[if truth { "Y" } else { "N" }]);
}

pub(super) fn date(source: &Distributions, _: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let first = source.sizes.first_day();
    let day = first + at;
    let (year, month, of_month) = civil_from_days(day);
    // 1970-01-01 was a Thursday.
    let of_week = (day + 4).rem_euclid(7);
    sink.int(date_sk(day));
    sink.date(day);
    for number in [year, month, of_month, (month + 2) / 3, of_week] {
        sink.int(number);
    }
    // Weeks begin on Sundays; the first one counted contains 1900-01-02, a Tuesday.
    sink.int((day - days_from_civil(1899, 12, 31)) / 7 + 1);
    sink.int((year - 1900) * 12 + month - 1);
    sink.text(&[DAYS[of_week as usize]]);
    let holidays = [(1, 1), (7, 4), (11, 11), (12, 24), (12, 25), (12, 31)];
    yes(sink, holidays.contains(&(month, of_month)));
    yes(sink, of_week == 0 || of_week == 6);
}

pub(super) fn time(source: &Distributions, _: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let second = if source.sizes.full { at } else { at * 60 };
    let hour = second / 3_600;
    sink.int(second);
    sink.int(hour);
    sink.int(second / 60 % 60);
    sink.text(&[["third", "first", "second"][(hour / 8) as usize]]);
    match hour {
        6..=8 => sink.text(&["breakfast"]),
        11..=13 => sink.text(&["lunch"]),
        17..=20 => sink.text(&["dinner"]),
        _ => sink.null(),
    }
}

pub(super) fn item(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    let category = row.between(0, 0, 9);
    let class = row.between(1, 0, 9);
    let brand = row.between(2, 0, 9);
    sink.int(at + 1);
    sink.text(&["ITEM", digits!(at + 1)]);
    sink.text(&[&words.sentence(row.part(0), 30, 120)]);
    sink.int((category + 1) * 1_000_000 + (class + 1) * 1_000 + brand + 1);
    // A brand belongs to a class of a category.
    let beginning = words.brands[brand as usize];
    sink.text(&[beginning, " #", digits!(category * 10 + class + 1)]);
    sink.int(class + 1);
    sink.text(&[CATEGORIES[category as usize], " class ", digits!(class + 1)]);
    sink.int(category + 1);
    sink.text(&[CATEGORIES[category as usize]]);
    sink.int(row.between(3, 1, 1_000));
    sink.int(row.between(4, 1, 100));
    sink.text(&[row.pick(5, &words.colors)]);
    sink.text(&[row.pick(6, &SIZES)]);
    sink.int(row.between(7, 99, 9_999));
}

/// City, county, state, zip: the consistent parts of an address.
fn place(source: &Distributions, row: RowRandom, sink: &mut dyn RowSink) -> i64 {
    let words = source.words;
    let state = row.below(2, words.states.len() as u64);
    sink.text(&[&words.towns[row.bell(0, 0, CITIES as i64 - 1) as usize]]);
    sink.text(&[&words.counties[row.bell(1, 0, COUNTIES as i64 - 1) as usize], " County"]);
    sink.text(&[words.states[state as usize]]);
    // The zip's first digits depend on the state.
    sink.text(&[digits!(10_000 + state as i64 * 2_000 + row.between(3, 0, 1_999))]);
    -5 - (state % 4) as i64
}

pub(super) fn address(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    sink.int(at + 1);
    let offset = place(source, row, sink);
    sink.text(&["United States"]);
    sink.int(offset);
    sink.text(&[row.pick(4, &LOCATIONS)]);
}

/// All combinations; the first attribute varies fastest.
pub(super) fn demographics(_: &Distributions, _: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let mut rest = at;
    let mut next = |count: i64| {
        let place = rest % count;
        rest /= count;
        place
    };
    sink.int(at + 1);
    sink.text(&[["F", "M"][next(2) as usize]]);
    sink.text(&[["M", "S", "D", "W", "U"][next(5) as usize]]);
    sink.text(&[EDUCATIONS[next(7) as usize]]);
    sink.int((next(20) + 1) * 500);
    sink.text(&[CREDITS[next(4) as usize]]);
    sink.int(next(7));
    sink.int(next(7));
    sink.int(next(7));
}

pub(super) fn household(_: &Distributions, _: RowRandom, at: i64, sink: &mut dyn RowSink) {
    sink.int(at + 1);
    sink.int(at % 20 + 1);
    sink.text(&[POTENTIALS[(at / 20 % 6) as usize]]);
    sink.int(at / 120 % 10);
    sink.int(at / 1_200 - 1);
}

/// Address and demographics of a customer, counted from 1.
pub(super) fn home(source: &Distributions, customer: i64) -> [i64; 3] {
    let row = source.key("customer").row(customer as u64 - 1);
    let sizes = &source.sizes;
    let limits = [sizes.addresses, sizes.demographics, HOUSEHOLDS];
    [0, 1, 2].map(|column| row.between(column as u64, 1, limits[column] as i64))
}

pub(super) fn customer(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    sink.int(at + 1);
    for key in home(source, at + 1) {
        sink.int(key);
    }
    sink.text(&["CUSTOMER", digits!(at + 1)]);
    let first = row.bell(3, 0, words.first_names.len() as i64 - 1) as usize;
    let last = row.bell(4, 0, words.last_names.len() as i64 - 1) as usize;
    sink.text(&[&words.first_names[first]]);
    sink.text(&[&words.last_names[last]]);
    sink.int(row.between(5, 1924, 1992));
    sink.int(row.between(6, 1, 12));
    sink.text(&[row.pick(7, &words.countries)]);
    yes(sink, row.chance(8, 500));
    let provider = row.pick(9, &words.providers);
    sink.text(&[&words.first_lower[first], ".", &words.last_lower[last], "@", provider]);
}

pub(super) fn store(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    const NAMES: [&str; 10] =
        ["ought", "able", "pri", "ese", "anti", "cally", "ation", "eing", "bar", "ought two"];
    sink.int(at + 1);
    sink.text(&[NAMES[(at % 10) as usize]]);
    let offset = place(source, row, sink);
    sink.int(row.between(4, 200, 300));
    sink.int(row.between(5, 5_000_000, 10_000_000));
    sink.int(row.between(6, 1, 10));
    sink.int(row.between(7, 0, 9));
    sink.int(offset);
}

pub(super) fn promotion(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let (start, end) = promotion_window(row);
    sink.int(at + 1);
    sink.int(row.between(2, 1, source.sizes.items as i64));
    sink.int(date_sk(start));
    sink.int(date_sk(end));
    sink.int(100_000);
    for column in 3..7 {
        yes(sink, row.chance(column, 500));
    }
}

pub(super) fn warehouse(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    sink.int(at + 1);
    sink.text(&["Warehouse ", digits!(at + 1)]);
    sink.int(row.between(0, 50_000, 1_000_000));
    sink.text(&[&words.towns[row.below(1, CITIES as u64) as usize]]);
    sink.text(&[row.pick(2, &words.states)]);
}

pub(super) fn web_site(source: &Distributions, row: RowRandom, at: i64, sink: &mut dyn RowSink) {
    let words = source.words;
    sink.int(at + 1);
    sink.text(&["site_", digits!(at % (SITES as i64 / 5))]);
    let first = row.below(0, words.first_names.len() as u64) as usize;
    let last = row.below(1, words.last_names.len() as u64) as usize;
    sink.text(&[&words.first_names[first], " ", &words.last_names[last]]);
    sink.text(&[row.pick(2, &words.brands)]);
}
