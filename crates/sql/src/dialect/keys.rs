//! How documents are found by their keys, and the tables of Duet's own that are found so.

use crate::parts::affixes::Affixes;
use duet_model::Type;

use crate::dialect::values::ValueSyntax;
use crate::parts::journal_tables::JournalTables;
use crate::parts::key_table::KeyTable;
use crate::parts::webhook_tables::WebhookTables;
use crate::webhooks::{WatchScript, WatchedTable};

/// How a statement that reads documents by key receives the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyStyle {
    /// Many at a time, each part of the key as one array.
    Arrays,
    /// One document at a time: the engine runs in the process, so there are no round trips to save.
    Single,
}

/// How documents are found by their keys, and the tables of Duet's own that are found so.
pub trait KeySyntax: ValueSyntax {
    /// How keys are given.
    fn key_style(&self) -> KeyStyle {
        KeyStyle::Single
    }

    /// The placeholder of a part of the key, an array where [`Dialect::key_style`](super::Dialect) says so.
    fn key_placeholder(&self, number: usize, ty: &Type, declared: &str, out: &mut String) {
        self.placeholder(number, ty, declared, out);
    }

    /// Appends what makes a value of the table of keys one of the key's type, where it is not.
    fn key_of_table(&self, _ty: &Type, _declared: &str, _out: &mut String) {}

    /// The table of keys for matching by ordinal, with columns `k0…` and `ord`; only for
    /// [`KeyStyle::Arrays`].
    fn keys_table(&self) -> [&'static str; 2] {
        ["unnest(", ") WITH ORDINALITY AS k"]
    }

    /// The forms in which a key of this type may be stored, written around its placeholder; empty
    /// where there is but one. Only for [`KeyStyle::Single`].
    fn key_forms(&self, _ty: &Type) -> &'static [Affixes] {
        &[]
    }

    /// The names of the row number in tables whose primary key may be NULL; the first that is not a
    /// column's name is used. Empty if primary keys are never NULL.
    fn row_numbers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The table of idempotency keys.
    fn key_table(&self) -> KeyTable;

    /// The tables of the ingest journal.
    fn journal_tables(&self) -> JournalTables;

    /// The tables of webhooks.
    fn webhook_tables(&self) -> WebhookTables;

    /// The triggers that make events of the changes of a table.
    fn watch_script(&self, watched: &WatchedTable) -> WatchScript;

    /// The statement that removes such a trigger.
    fn drop_watch(&self, trigger: &str) -> String;
}
