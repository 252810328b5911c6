//! The queries, D01 to D18: one SQL text each for both stores, and parameters drawn from the data's
//! domain.
//!
//! The texts use what PostgreSQL and SQLite 3.25 share: money stays in whole cents, sums are cast
//! to `bigint` and ratios to `double precision`, nothing is sorted by a text (collations differ),
//! and each order is total, so that hashes of results can be compared.

mod parameters;

use duet_model::Value;
use fastrand::Rng;

use parameters as draw;
pub use parameters::Domain;

/// The cost class of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Light.
    Light,
    /// Medium.
    Medium,
    /// Heavy.
    Heavy,
}

impl Class {
    /// The default weight of each of its queries.
    pub fn weight(self) -> f64 {
        match self {
            Self::Light => 10.0,
            Self::Medium => 4.0,
            Self::Heavy => 1.0,
        }
    }
}

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its number, `D01` to `D18`.
    pub short: &'static str,
    /// What it computes.
    pub name: &'static str,
    /// Its cost class.
    pub class: Class,
    /// Its SQL, with parameters `$1`, `$2` and so on.
    pub sql: &'static str,
    /// Draws its parameters.
    pub draw: fn(&Domain, &mut Rng) -> Vec<Value>,
}

/// The query over the inventory, which is loaded only on request.
pub(super) const INVENTORY: &str = "D18";

macro_rules! query {
    ($short:literal, $name:literal, $class:ident, $file:literal, $draw:ident) => {
        Query {
            short: $short,
            name: $name,
            class: Class::$class,
            sql: include_str!($file),
            draw: draw::$draw,
        }
    };
}

/// All queries, in the order of a power run.
pub const QUERIES: [Query; 18] = [
    query!("D01", "brand by month", Light, "d01.sql", month_manager),
    query!("D02", "category by day", Light, "d02.sql", year_month),
    query!("D03", "brand of a manager", Light, "d03.sql", manager_month_year),
    query!("D04", "weekday by store", Medium, "d04.sql", year_offset),
    query!("D05", "promoted items in stores", Medium, "d05.sql", people_year),
    query!("D06", "promoted items in catalog", Medium, "d06.sql", people_year),
    query!("D07", "brands bought from afar", Medium, "d07.sql", month_manager),
    query!("D08", "half hours of the morning", Medium, "d08.sql", store_households),
    query!("D09", "frequent buyers", Medium, "d09.sql", year_counties),
    query!("D10", "shoppers who moved", Medium, "d10.sql", year_household),
    query!("D11", "underperforming items", Medium, "d11.sql", first_month),
    query!("D12", "shares of a class", Medium, "d12.sql", days_categories),
    query!("D13", "deviating months", Medium, "d13.sql", months_categories),
    query!("D14", "moving mean of months", Medium, "d14.sql", months_of_year),
    query!("D15", "growth by customer", Heavy, "d15.sql", two_years),
    query!("D16", "items of all channels", Heavy, "d16.sql", week),
    query!("D17", "shares returned", Heavy, "d17.sql", year),
    query!("D18", "stock before and after", Heavy, "d18.sql", day_price),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_as_many_parameters_as_are_drawn() {
        let domain = Domain {
            counties: vec!["a".into()],
            offsets: vec![-5],
            stores: vec!["b".into()],
            sold: [2_450_816, 2_452_642],
            stocked: [2_452_278, 2_452_642],
        };
        for (number, query) in QUERIES.iter().enumerate() {
            assert_eq!(query.short, format!("D{:02}", number + 1));
            assert!(query.sql.starts_with(&format!("-- {}: ", query.short)), "{}", query.short);
            assert!(query.sql.trim_end().ends_with("LIMIT 100"), "{}", query.short);
            let drawn = (query.draw)(&domain, &mut Rng::with_seed(1));
            let has = |number: usize| query.sql.contains(&format!("${number}"));
            assert!((1..=drawn.len()).all(has) && !has(drawn.len() + 1), "{}", query.short);
        }
    }
}
