//! Tables that Duet itself has in a database, on request alone: `serve` makes nothing in a user's database.

use duet_sql::Dialect;

/// Tables that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnPart {
    /// Idempotency keys.
    Keys,
    /// The ingest journal.
    Journal,
    /// Captured changes.
    Changes,
    /// Clients and keys.
    State,
    /// Webhooks.
    Webhooks,
}

/// The statements of tables that belong together.
#[derive(Clone, Copy, Debug)]
pub struct OwnTables {
    /// What messages call them: `The table duet.idempotency`.
    pub what: &'static str,
    /// Makes them, unless they exist.
    pub create: &'static str,
    /// A row if they exist, none if not.
    pub exists: &'static str,
    /// The same if the user may use them.
    pub usable: &'static str,
}

impl OwnTables {
    /// The tables that every store may have; `None` for those that have commands of their own.
    pub fn of(part: OwnPart, dialect: &dyn Dialect) -> Option<Self> {
        Some(match part {
            OwnPart::Keys => {
                let tables = dialect.key_table();
                let what = "The table of idempotency keys";
                Self::made(what, [tables.create, tables.exists, tables.usable])
            }
            OwnPart::Journal => {
                let tables = dialect.journal_tables();
                let what = "The tables of the journal";
                Self::made(what, [tables.create, tables.exists, tables.usable])
            }
            OwnPart::Webhooks => {
                let tables = dialect.webhook_tables();
                let what = "The tables of webhooks";
                Self::made(what, [tables.create, tables.exists, tables.usable])
            }
            OwnPart::Changes | OwnPart::State => return None,
        })
    }

    fn made(what: &'static str, [create, exists, usable]: [&'static str; 3]) -> Self {
        Self { what, create, exists, usable }
    }
}
