//! The table `transactions` and its rows: a function of their number, a second apart.

use crate::generate::moment::Moment;
use crate::generate::schema::{ColumnDefinition, Table, big, index, text, timestamp};
use crate::generate::{DataSet, Filled, DataRule};

/// The table that says what was loaded.
pub const METADATA: &str = "txn_metadata";

/// Creating sends no moment: the database dates the row.
const fn dated(name: &'static str) -> ColumnDefinition {
    timestamp(name).required().defaulting("{now}")
}

/// The columns, as those of the published transaction server.
const COLUMNS: &[ColumnDefinition] = &[
    text("id").required(),
    text("transaction_type").required(),
    text("account").required(),
    big("amount").required(),
    text("currency").required(),
    text("description"),
    text("status").required().defaulting("'SUCCESS'"),
    text("message").defaulting("'Transaction processed successfully'"),
    text("error_code"),
    text("error_message"),
    dated("created_at").in_order(),
    dated("updated_at"),
];

const TRANSACTIONS: Table = Table {
    checks: &["lower(transaction_type) = 'sale'"],
    ..Table::new("transactions", COLUMNS, &["id"]).indexed(&[
        index("transaction_types_ix", "(transaction_type)"),
        index("transactions_status_ix", "(status)"),
        index("transactions_created_ix", "(created_at DESC)"),
    ])
};

/// What must hold after any number of runs.
const RULES: &[DataRule] = &[
    DataRule {
        name: "every transaction is a sale that succeeded",
        sql: "SELECT count(*) FROM {s}transactions WHERE transaction_type <> 'sale' OR status <> 'SUCCESS'",
    },
    DataRule {
        name: "every amount is positive",
        sql: "SELECT count(*) FROM {s}transactions WHERE amount <= 0",
    },
];

/// 2025-11-01, in seconds from 1970-01-01.
const FIRST_SECOND: i64 = 1_761_955_200;

pub(super) const CURRENCIES: [&str; 3] = ["EUR", "USD", "GBP"];

/// The data set; its scale is the number of rows. No row depends on the seed.
pub fn data_set(scale: f64, seed: u64) -> DataSet {
    let rows = scale as u64;
    let make = |row: u64, sink: &mut dyn crate::generate::RowSink| {
        let number = row as i64 + 1;
        sink.text(&[&format!("TXN-{number:08}")]);
        sink.text(&["sale"]);
        sink.text(&[&format!("ACC{:06}", number * 37 % 1000)]);
        sink.int(100 + number * 7919 % 100_000);
        sink.text(&[CURRENCIES[(row % 3) as usize]]);
        sink.text(&["Sale ", itoa::Buffer::new().format(number)]);
        sink.text(&["SUCCESS"]);
        sink.text(&["Transaction processed successfully"]);
        sink.null();
        sink.null();
        let moment = Moment::second(FIRST_SECOND + number);
        let (date, time) = moment.as_str().split_at("YYYY-MM-DD".len());
        for _ in ["created_at", "updated_at"] {
            sink.text(&[date, "T", time.trim_start()]);
        }
    };
    DataSet {
        name: "txn",
        metadata: METADATA,
        scale,
        seed,
        choices: Vec::new(),
        unasked: Vec::new(),
        tables: vec![Filled::rows(&TRANSACTIONS, rows, make)],
        views: &[],
        sequences: Vec::new(),
        bounds: vec![("TXN_ROWS", rows as i64)],
        rules: RULES,
    }
}
