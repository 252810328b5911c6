//! The same insert by SQL, and the values of a new transaction in both of its forms.

use duet_bench::workload::TransactionContext;
use duet_model::Value;
use serde_json::json;

use super::data::CURRENCIES;
use crate::generate::Engine;

/// A transaction that is created.
pub(super) struct New {
    id: String,
    account: String,
    amount: i64,
    currency: &'static str,
}

impl New {
    /// With an id of its own and random values.
    pub(super) fn draw(id: String, context: &mut TransactionContext) -> Self {
        Self {
            id,
            account: format!("ACC{:06}", context.random.u32(..1000)),
            amount: context.random.i64(1..=100_000),
            currency: CURRENCIES[context.random.usize(..CURRENCIES.len())],
        }
    }

    /// As a body of JSON.
    pub(super) fn json(&self) -> serde_json::Value {
        json!({
            "id": self.id,
            "transaction_type": "sale",
            "account": self.account,
            "amount": self.amount,
            "currency": self.currency,
            "description": "Load test",
        })
    }

    /// As parameters of [`insert_sql`].
    pub(super) fn values(&self) -> [Value; 6] {
        let text = |text: &str| Value::Text(text.to_owned());
        [
            text(&self.id),
            text("sale"),
            text(&self.account),
            Value::Int(self.amount),
            text(self.currency),
            text("Load test"),
        ]
    }
}

/// The insert.
pub(super) fn insert_sql(store: Engine) -> String {
    store.statement("txn", include_str!("insert.sql"))
}
