//! Names and places of new customers, sampled from the data.

use duet_bench::workload::Failed;
use duet_client::Connection;
use duet_model::Value;
use fastrand::Rng;
use serde::{Deserialize, Serialize};

use super::dialect::SET;
use crate::generate::Engine;

/// The number of customers and addresses that are sampled.
const SAMPLE: usize = 1_000;

/// The e-mail providers of new customers.
pub(super) const PROVIDER: &str = "oracle.com";

/// Names and places. None of the lists is ever empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    first_names: Vec<String>,
    last_names: Vec<String>,
    /// Language and territory.
    regions: Vec<[String; 2]>,
    /// Town, county, country.
    places: Vec<[String; 3]>,
    /// The customers' e-mail providers.
    providers: Vec<String>,
}

/// The local part of a customer's e-mail address.
pub(super) fn mailbox(first: &str, last: &str) -> String {
    format!("{}.{}", first.to_lowercase(), last.to_lowercase())
}

impl People {
    /// Reads the first customers and addresses.
    pub(super) async fn read(connection: &mut Connection) -> Result<Self, Failed> {
        let dialect = Engine::spoken_by(connection);
        let sql = format!(
            "SELECT cust_first_name, cust_last_name, nls_language, nls_territory, \
             cust_email FROM {{s}}customers ORDER BY customer_id LIMIT {SAMPLE}"
        );
        let customers = connection.ask(&dialect.statement(SET, &sql), &[]).await?.rows;
        let sql = format!(
            "SELECT town, county, country FROM {{s}}addresses ORDER BY address_id LIMIT {SAMPLE}"
        );
        let addresses = connection.ask(&dialect.statement(SET, &sql), &[]).await?.rows;
        if customers.is_empty() || addresses.is_empty() {
            return Err(Failed::check("order entry has no customers and addresses: load its data"));
        }
        let column = |place: usize| distinct(customers.iter().map(|row| text(row.get(place))));
        let regions = customers.iter().map(|row| [text(row.get(2)), text(row.get(3))]);
        let places = addresses.iter().map(|row| [0, 1, 2].map(|place| text(row.get(place))));
        let emails = customers.iter().map(|row| text(row.get(4)));
        let providers = emails.filter_map(|email| Some(email.split_once('@')?.1.to_owned()));
        Ok(Self {
            first_names: column(0),
            last_names: column(1),
            regions: distinct(regions),
            places: distinct(places),
            providers: distinct(providers.chain([PROVIDER.to_owned()])),
        })
    }

    /// A first and a last name.
    pub(super) fn name(&self, random: &mut Rng) -> (&str, &str) {
        (any(random, &self.first_names), any(random, &self.last_names))
    }

    /// All e-mail addresses that a customer with a name can have.
    pub(super) fn emails(&self, first: &str, last: &str) -> Vec<String> {
        let mailbox = mailbox(first, last);
        self.providers.iter().map(|provider| format!("{mailbox}@{provider}")).collect()
    }

    /// A language and a territory.
    pub(super) fn region(&self, random: &mut Rng) -> (&str, &str) {
        let region = random.choice(&self.regions);
        region.map_or(("", ""), |[language, territory]| (language, territory))
    }

    /// A town, its county, its country.
    pub(super) fn place(&self, random: &mut Rng) -> [&str; 3] {
        let place = random.choice(&self.places);
        place.map_or([""; 3], |place| place.each_ref().map(String::as_str))
    }
}

fn any<'a>(random: &mut Rng, names: &'a [String]) -> &'a str {
    random.choice(names).map_or("", String::as_str)
}

fn text(value: Option<&Value>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}

fn distinct<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort();
    all.dedup();
    all
}
