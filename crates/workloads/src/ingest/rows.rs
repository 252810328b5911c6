//! New rows in both of their forms: an array of JSON, and rows of a bulk load.

use std::fmt::Write as _;

use duet_client::RowBuffer;
use fastrand::Rng;

/// The columns that rows give; the others have defaults.
pub(super) const COLUMNS: [&str; 6] =
    ["id", "transaction_type", "account", "amount", "currency", "description"];

/// The ids of a user, and the values of its rows.
#[derive(Debug)]
pub(super) struct NewRows {
    /// The beginning of the ids.
    prefix: String,
    /// How many ids were given.
    given: u64,
}

impl NewRows {
    /// Of a user, whose ids begin with this.
    pub(super) fn new(prefix: String) -> Self {
        Self { prefix, given: 0 }
    }

    /// Appends so many rows as an array of JSON.
    pub(super) fn json(&mut self, rows: usize, random: &mut Rng, out: &mut String) {
        out.push('[');
        for row in 0..rows {
            out.push_str(if row == 0 { "" } else { "," });
            let (account, amount) = self.next(random);
            // Writing to a string cannot fail. No value needs escaping.
            let _ = write!(
                out,
                "{{\"id\":\"{}-{}\",\"transaction_type\":\"sale\",\"account\":\"ACC{account:06}\",\
                 \"amount\":{amount},\"currency\":\"EUR\",\"description\":\"Load test\"}}",
                self.prefix, self.given
            );
        }
        out.push(']');
    }

    /// Adds so many rows for a bulk load of [`COLUMNS`].
    pub(super) fn buffered(&mut self, rows: usize, random: &mut Rng, out: &mut RowBuffer) {
        for _ in 0..rows {
            let (account, amount) = self.next(random);
            out.text(&[&self.prefix, "-", itoa::Buffer::new().format(self.given)]);
            out.text(&["sale"]);
            out.text(&[&format!("ACC{account:06}")]);
            out.int(amount);
            out.text(&["EUR"]);
            out.text(&["Load test"]);
            out.end_row();
        }
    }

    fn next(&mut self, random: &mut Rng) -> (u32, i64) {
        self.given += 1;
        (random.u32(..1000), random.i64(1..=100_000))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn no_id_is_given_twice() {
        let (mut rows, mut random) = (NewRows::new("a-1".into()), Rng::with_seed(1));
        let mut text = String::new();
        rows.json(2, &mut random, &mut text);
        let first: Value = serde_json::from_str(&text).unwrap();
        text.clear();
        rows.json(1, &mut random, &mut text);
        let second: Value = serde_json::from_str(&text).unwrap();
        let ids = [&first[0]["id"], &first[1]["id"], &second[0]["id"]];
        assert_eq!(ids, ["a-1-1", "a-1-2", "a-1-3"]);
        let columns: Vec<&String> = second[0].as_object().unwrap().keys().collect();
        assert!(COLUMNS.iter().all(|name| columns.iter().any(|it| it == name)), "{columns:?}");
    }
}
