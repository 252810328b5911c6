//! Parameters of the queries: each execution draws its own from the data's domain.

use duet_model::Value;
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::retail::dimensions::EDUCATIONS;

/// Whole years of sales.
const YEARS: [i64; 2] = [1998, 2002];

/// The domain of parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Domain {
    /// Distinct counties of the stores.
    pub counties: Vec<String>,
    /// Distinct time zones of the stores.
    pub offsets: Vec<i64>,
    /// Distinct names of the stores.
    pub stores: Vec<String>,
    /// The keys of the first and the last day of sales.
    pub sold: [i64; 2],
    /// The first and the last day of the inventory.
    pub stocked: [i64; 2],
}

fn between(random: &mut Rng, low: i64, high: i64) -> Value {
    Value::Int(random.i64(low..=high.max(low)))
}

fn any_year(random: &mut Rng) -> Value {
    between(random, YEARS[0], YEARS[1])
}

fn any_month(random: &mut Rng) -> Value {
    between(random, 1, 12)
}

fn any_manager(random: &mut Rng) -> Value {
    between(random, 1, 100)
}

fn one_of<T: AsRef<str>>(random: &mut Rng, of: &[T]) -> Value {
    let one = random.choice(of).map(AsRef::as_ref).unwrap_or_default();
    Value::Text(one.to_owned())
}

/// `count` of the texts, distinct as far as possible.
fn some_of(random: &mut Rng, of: &[String], count: usize) -> Vec<Value> {
    let mut of = of.to_vec();
    random.shuffle(&mut of);
    let last = of.last().cloned().unwrap_or_default();
    of.resize(of.len().max(count), last);
    of.into_iter().take(count).map(Value::Text).collect()
}

/// Distinct numbers between two bounds.
fn some_between(random: &mut Rng, low: i64, high: i64, count: usize) -> Vec<Value> {
    let mut all: Vec<i64> = (low..=high).collect();
    random.shuffle(&mut all);
    all.into_iter().take(count).map(Value::Int).collect()
}

/// The number of a month, counted from 1900.
fn month_number(year: i64, month: i64) -> i64 {
    (year - 1900) * 12 + month - 1
}

pub(super) fn month_manager(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![any_month(random), any_manager(random)]
}

pub(super) fn year_month(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![any_year(random), any_month(random)]
}

pub(super) fn manager_month_year(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![any_manager(random), any_month(random), any_year(random)]
}

pub(super) fn year_offset(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let offset = random.choice(&domain.offsets).copied().unwrap_or_default();
    vec![any_year(random), Value::Int(offset)]
}

pub(super) fn people_year(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![
        one_of(random, &["F", "M"]),
        one_of(random, &["M", "S", "D", "W", "U"]),
        one_of(random, &EDUCATIONS),
        any_year(random),
    ]
}

/// A store name, and three numbers of dependents.
pub(super) fn store_households(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let mut drawn = vec![one_of(random, &domain.stores)];
    drawn.extend(some_between(random, 0, 4, 3));
    drawn
}

/// The first of three years, and three counties.
pub(super) fn year_counties(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let mut drawn = vec![between(random, YEARS[0], YEARS[1] - 2)];
    drawn.extend(some_of(random, &domain.counties, 3));
    drawn
}

pub(super) fn year_household(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![any_year(random), between(random, 0, 9), between(random, -1, 4)]
}

/// The first of twelve months.
pub(super) fn first_month(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![between(random, month_number(YEARS[0], 1), month_number(YEARS[1], 1))]
}

/// The first of 30 days, and three categories.
pub(super) fn days_categories(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let mut drawn = vec![between(random, domain.sold[0], domain.sold[1] - 30)];
    drawn.extend(some_between(random, 1, 10, 3));
    drawn
}

/// The first of twelve months, and two categories.
pub(super) fn months_categories(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let mut drawn = first_month(domain, random);
    drawn.extend(some_between(random, 1, 10, 2));
    drawn
}

/// The first month of a year.
pub(super) fn months_of_year(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![Value::Int(month_number(random.i64(YEARS[0]..=YEARS[1]), 1))]
}

/// The first of two years.
pub(super) fn two_years(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![between(random, YEARS[0], YEARS[1] - 1)]
}

/// The first day of a week, its other days, the allowed difference of revenues in percent.
pub(super) fn week(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![between(random, domain.sold[0], domain.sold[1] - 6), Value::Int(6), Value::Int(10)]
}

pub(super) fn year(_: &Domain, random: &mut Rng) -> Vec<Value> {
    vec![any_year(random)]
}

/// A day with the 30 days before and after it, and the lowest price.
pub(super) fn day_price(domain: &Domain, random: &mut Rng) -> Vec<Value> {
    let [first, last] = domain.stocked;
    vec![between(random, first + 30, last - 30), between(random, 99, 9_499)]
}
