//! Statements on the tables of the ingest journal, which are Duet's own: made on request, never served.

use duet_model::{Column, Relation, Type, Value};

use crate::dialect::Dialect;
use crate::writer::{Statement, Writer};

/// A row that the database has refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeadLetter {
    /// The id of the journal.
    pub journal: String,
    /// The row's sequence id.
    pub sequence: u64,
    /// The path of the resource.
    pub resource: String,
    /// Who sent it.
    pub caller: String,
    /// When it was acknowledged, in milliseconds since 1970.
    pub accepted_at: u64,
    /// When the database refused it last, in milliseconds since 1970.
    pub rejected_at: u64,
    /// The code of the error.
    pub code: String,
    /// The message of the error.
    pub reason: String,
    /// The row as JSON.
    pub content: String,
    /// The row as an entry of a journal.
    pub entry: Vec<u8>,
}

/// The columns of a dead letter, in the order of its fields.
const LETTER: &str = "journal, sequence_id, resource, caller, accepted_at, rejected_at, code, reason, content, entry";

/// Looks whether the tables exist and may be used.
pub fn find_journal_tables(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.journal_tables().usable);
    writer.finish()
}

/// Looks whether all tables exist, also those that the role may not use.
pub fn find_made_journal_tables(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.journal_tables().exists);
    writer.finish()
}

/// Looks whether one of the tables exists, such as those that an earlier version has made.
pub fn find_some_journal_tables(dialect: &dyn Dialect) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text(dialect.journal_tables().exists_partly);
    writer.finish()
}

/// Makes a host the owner of a journal: every owner has a greater epoch than those before. Returns the epoch,
/// and the last sequence id that is applied.
pub fn own_journal(dialect: &dyn Dialect, journal: &str, host: &str) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(dialect.journal_tables().marks);
    writer.text(" AS m (journal, host, epoch, applied) VALUES (");
    text(&mut writer, journal);
    writer.text(", ");
    text(&mut writer, host);
    writer.text(
        ", 1, 0) ON CONFLICT (journal) DO UPDATE SET host = excluded.host, epoch = m.epoch + 1 \
         RETURNING epoch, applied",
    );
    writer.finish()
}

/// Notes that everything up to a sequence id is applied: affects one row where this epoch still owns the
/// journal and everything up to `from` is applied, else none.
pub fn advance_journal(
    dialect: &dyn Dialect,
    journal: &str,
    epoch: u64,
    from: u64,
    to: u64,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.journal_tables().marks);
    writer.text(" SET applied = ");
    number(&mut writer, to);
    writer.text(" WHERE journal = ");
    text(&mut writer, journal);
    writer.text(" AND epoch = ");
    number(&mut writer, epoch);
    writer.text(" AND applied = ");
    number(&mut writer, from);
    writer.finish()
}

/// Notes where an owner has a journal, and that it is open. Returns the key, which stays that of the first owner.
pub fn open_head(dialect: &dyn Dialect, journal: &str, folder: &str, key: &[u8]) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(dialect.journal_tables().heads);
    writer.text(" (journal, folder, key, written, is_closed) VALUES (");
    writer.list([journal, folder], ", ", text);
    writer.text(", ");
    writer.bind(Value::Bytes(key.to_vec()), &Type::Binary, "bytea");
    writer.text(
        ", 0, 0) ON CONFLICT (journal) DO UPDATE SET folder = excluded.folder, is_closed = 0 \
         RETURNING key",
    );
    writer.finish()
}

/// Notes up to where a journal is durable, and whether its owner, the one of this epoch, has ended with nothing
/// left to apply.
pub fn advance_head(
    dialect: &dyn Dialect,
    journal: &str,
    epoch: u64,
    written: u64,
    is_closed: bool,
) -> Statement {
    let tables = dialect.journal_tables();
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(tables.heads);
    writer.text(" SET written = ");
    number(&mut writer, written);
    writer.text(", is_closed = ");
    number(&mut writer, u64::from(is_closed));
    writer.text(" WHERE journal = ");
    text(&mut writer, journal);
    writer.text(" AND written <= ");
    number(&mut writer, written);
    writer.text(" AND EXISTS (SELECT 1 FROM ");
    writer.text(tables.marks);
    writer.text(" WHERE journal = ");
    text(&mut writer, journal);
    writer.text(" AND epoch = ");
    number(&mut writer, epoch);
    writer.text(")");
    writer.finish()
}

/// Notes that nothing of a journal is missed any more: its loss was accepted.
pub fn close_head(dialect: &dyn Dialect, journal: &str) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("UPDATE ");
    writer.text(dialect.journal_tables().heads);
    writer.text(" SET is_closed = 1 WHERE journal = ");
    text(&mut writer, journal);
    writer.finish()
}

/// Reads what is known of the journals of a host: journal, last applied sequence id, folder, last sequence id that
/// was known to be durable, and 1 where the last owner has ended with nothing left to apply.
pub fn read_heads(dialect: &dyn Dialect, host: &str) -> Statement {
    let tables = dialect.journal_tables();
    let mut writer = Writer::new(dialect);
    writer.text("SELECT m.journal, m.applied, h.folder, h.written, h.is_closed FROM ");
    writer.text(tables.marks);
    writer.text(" AS m JOIN ");
    writer.text(tables.heads);
    writer.text(" AS h ON h.journal = m.journal WHERE m.host = ");
    text(&mut writer, host);
    writer.text(" ORDER BY m.journal");
    writer.finish()
}

/// Reads what is known of one journal, whichever its host is: host, last applied sequence id, folder, last sequence
/// id that was known to be durable, and 1 where the last owner has ended with nothing left to apply.
pub fn read_head(dialect: &dyn Dialect, journal: &str) -> Statement {
    let tables = dialect.journal_tables();
    let mut writer = Writer::new(dialect);
    writer.text("SELECT m.host, m.applied, h.folder, h.written, h.is_closed FROM ");
    writer.text(tables.marks);
    writer.text(" AS m LEFT JOIN ");
    writer.text(tables.heads);
    writer.text(" AS h ON h.journal = m.journal WHERE m.journal = ");
    text(&mut writer, journal);
    writer.finish()
}

/// The table of heads as a relation, whose key is the id of the journal; its second column is the key of the
/// journal's status addresses.
pub fn journal_heads(dialect: &dyn Dialect) -> Relation {
    let (schema, name) = dialect.journal_tables().heads_name;
    let columns = [("journal", Type::Text), ("key", Type::Binary)];
    Relation::table(schema, name, columns.map(|(name, ty)| Column::new(name, ty)).into())
}

/// Rows whose loss the operator has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostRows {
    /// The first sequence id of them.
    pub first: u64,
    /// The last sequence id that they may have had.
    pub last: u64,
    /// When it was accepted, in milliseconds since 1970.
    pub accepted_at: u64,
    /// What was missing or damaged.
    pub reason: String,
}

/// Adds an accepted loss, unless it is there.
pub fn add_loss(dialect: &dyn Dialect, journal: &str, loss: &LostRows) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(dialect.journal_tables().losses);
    writer.text(" (journal, first_id, last_id, accepted_at, reason) VALUES (");
    text(&mut writer, journal);
    writer.text(", ");
    writer.list([loss.first, loss.last, loss.accepted_at], ", ", number);
    writer.text(", ");
    text(&mut writer, &loss.reason);
    writer.text(") ON CONFLICT (journal, first_id) DO NOTHING");
    writer.finish()
}

/// Reads the accepted losses of a journal that have one of these sequence ids: the fields of [`LostRows`], in their
/// order.
pub fn read_losses(
    dialect: &dyn Dialect,
    journal: &str,
    first: u64,
    last: u64,
    most: usize,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT first_id, last_id, accepted_at, reason FROM ");
    writer.text(dialect.journal_tables().losses);
    writer.text(" WHERE journal = ");
    text(&mut writer, journal);
    writer.text(" AND first_id <= ");
    number(&mut writer, last);
    writer.text(" AND last_id >= ");
    number(&mut writer, first);
    writer.text(" ORDER BY first_id LIMIT ");
    writer.number(most);
    writer.finish()
}

/// The table of marks as a relation, whose key is the id of the journal: host, epoch and the last sequence id
/// that is applied.
pub fn journal_marks(dialect: &dyn Dialect) -> Relation {
    let (schema, name) = dialect.journal_tables().marks_name;
    let number = || Type::Integer { bits: 64 };
    let columns =
        [("journal", Type::Text), ("host", Type::Text), ("epoch", number()), ("applied", number())];
    Relation::table(schema, name, columns.map(|(name, ty)| Column::new(name, ty)).into())
}

/// Adds a dead letter, or gives one that is there the new error.
pub fn add_dead_letter(dialect: &dyn Dialect, letter: &DeadLetter) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("INSERT INTO ");
    writer.text(dialect.journal_tables().dead_letters);
    writer.text(" (");
    writer.text(LETTER);
    writer.text(") VALUES (");
    text(&mut writer, &letter.journal);
    writer.text(", ");
    number(&mut writer, letter.sequence);
    writer.text(", ");
    writer.list([&letter.resource, &letter.caller], ", ", |writer, value| text(writer, value));
    writer.text(", ");
    writer.list([letter.accepted_at, letter.rejected_at], ", ", number);
    writer.text(", ");
    writer.list([&letter.code, &letter.reason, &letter.content], ", ", |writer, value| {
        text(writer, value);
    });
    writer.text(", ");
    writer.bind(Value::Bytes(letter.entry.clone()), &Type::Binary, "bytea");
    writer.text(
        ") ON CONFLICT (journal, sequence_id) DO UPDATE SET \
         rejected_at = excluded.rejected_at, code = excluded.code, reason = excluded.reason",
    );
    writer.finish()
}

/// Which dead letters are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Letters {
    /// Those of this journal.
    pub journal: Option<String>,
    /// Those with a sequence id from here on.
    pub from: u64,
    /// Those with a sequence id up to here.
    pub to: u64,
    /// Those of this resource.
    pub resource: Option<String>,
}

impl Letters {
    /// All of them.
    pub fn all() -> Self {
        Self { from: 0, to: i64::MAX.unsigned_abs(), ..Self::default() }
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.text(" WHERE sequence_id >= ");
        number(writer, self.from);
        writer.text(" AND sequence_id <= ");
        number(writer, self.to);
        for (column, value) in
            [(" AND journal = ", &self.journal), (" AND resource = ", &self.resource)]
        {
            if let Some(value) = value {
                writer.text(column);
                text(writer, value);
            }
        }
    }
}

/// Reads dead letters in the order of their journals and sequence ids, those behind a pair of these. The
/// columns are the fields of [`DeadLetter`], in their order.
pub fn read_dead_letters(
    dialect: &dyn Dialect,
    letters: &Letters,
    after: Option<(&str, u64)>,
    most: usize,
) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT ");
    writer.text(LETTER);
    writer.text(" FROM ");
    writer.text(dialect.journal_tables().dead_letters);
    letters.write(&mut writer);
    if let Some((journal, sequence)) = after {
        writer.text(" AND (journal, sequence_id) > (");
        text(&mut writer, journal);
        writer.text(", ");
        number(&mut writer, sequence);
        writer.text(")");
    }
    writer.text(" ORDER BY journal, sequence_id LIMIT ");
    writer.number(most);
    writer.finish()
}

/// Counts dead letters.
pub fn count_dead_letters(dialect: &dyn Dialect, letters: &Letters) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("SELECT count(*) FROM ");
    writer.text(dialect.journal_tables().dead_letters);
    letters.write(&mut writer);
    writer.finish()
}

/// Removes dead letters.
pub fn remove_dead_letters(dialect: &dyn Dialect, letters: &Letters) -> Statement {
    let mut writer = Writer::new(dialect);
    writer.text("DELETE FROM ");
    writer.text(dialect.journal_tables().dead_letters);
    letters.write(&mut writer);
    writer.finish()
}

fn text(writer: &mut Writer<'_>, value: &str) {
    writer.bind(Value::Text(value.to_owned()), &Type::Text, "text");
}

fn number(writer: &mut Writer<'_>, value: u64) {
    let value = Value::Int(i64::try_from(value).unwrap_or(i64::MAX));
    writer.bind(value, &Type::Integer { bits: 64 }, "bigint");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Postgres, Sqlite};

    #[test]
    fn values_are_parameters() {
        let letter = DeadLetter { resource: "ann".to_owned(), ..DeadLetter::default() };
        let letters = Letters { journal: Some("ann".to_owned()), ..Letters::all() };
        let loss = LostRows { first: 1, last: 2, accepted_at: 3, reason: "ann".to_owned() };
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            for statement in [
                own_journal(dialect, "ann", "ann"),
                advance_journal(dialect, "ann", 1, 2, 3),
                open_head(dialect, "ann", "ann", b"ann"),
                advance_head(dialect, "ann", 1, 2, true),
                close_head(dialect, "ann"),
                read_heads(dialect, "ann"),
                read_head(dialect, "ann"),
                add_loss(dialect, "ann", &loss),
                read_losses(dialect, "ann", 1, 2, 9),
                add_dead_letter(dialect, &letter),
                read_dead_letters(dialect, &letters, Some(("ann", 1)), 9),
                count_dead_letters(dialect, &letters),
                remove_dead_letters(dialect, &letters),
            ] {
                assert!(!statement.sql.contains("ann"), "{}", statement.sql);
                assert!(!statement.parameters.is_empty(), "{}", statement.sql);
            }
        }
    }
}
