//! Triggers that fill the outbox of webhooks, in the transaction of whatever changes a table.
//!
//! Their names carry a hash of what they do: where the trigger of a name is there and enabled, it does what the
//! application declares.

mod postgres;
mod sqlite;

pub(crate) use postgres::{drop_script as postgres_drop, script as postgres_script};
pub(crate) use sqlite::{drop_script as sqlite_drop, script as sqlite_script};

use crate::parts::quotes::literal;

/// The beginning of the names of all triggers of webhooks.
pub const WEBHOOK_TRIGGERS: &str = "duet_webhook_";

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RowEvent {
    /// It is new.
    Created,
    /// It has changed, and kept its key.
    Updated,
    /// It is gone. A change of its key is one row gone and another one made.
    Deleted,
}

impl RowEvent {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Created, Self::Updated, Self::Deleted];

    /// Its name in `app.toml` and in the types of events.
    pub fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
        }
    }
}

/// The end of the type of the event that all rows of a table are gone.
pub const TRUNCATED: &str = "truncated";

/// An endpoint, and what it is told of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchingEndpoint {
    /// Its name.
    pub name: String,
    /// The events that it gets.
    pub events: Vec<RowEvent>,
}

/// A table whose changes become events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedTable {
    /// The application.
    pub application: String,
    /// The schema.
    pub schema: String,
    /// The table.
    pub table: String,
    /// The columns of its key.
    pub key: Vec<String>,
    /// What its events are called after: the name of the resource.
    pub subject: String,
    /// Who gets them.
    pub endpoints: Vec<WatchingEndpoint>,
}

/// The triggers of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchScript {
    /// Their names.
    pub triggers: Vec<String>,
    /// The statements that make them.
    pub create: String,
}

/// The beginning of the names of the triggers of an application.
pub fn webhook_prefix(application: &str) -> String {
    format!("{WEBHOOK_TRIGGERS}{:08x}_", hash(application) as u32)
}

/// FNV-1a: the same in every build, on every machine.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

impl WatchedTable {
    /// The name of the triggers, without the end that each has for its statement. `text` is what they do.
    fn trigger_name(&self, text: &str) -> String {
        let Self { schema, table, .. } = self;
        let hash = hash(&format!("{schema}\0{table}\0{text}"));
        format!("{}{hash:016x}", webhook_prefix(&self.application))
    }

    /// The endpoints that get an event, as a list of literals; `None` where no endpoint does.
    fn listening(&self, event: RowEvent) -> Option<String> {
        let names = self.endpoints.iter().filter(|endpoint| endpoint.events.contains(&event));
        let names: Vec<String> = names.map(|endpoint| literal(&endpoint.name)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The type of an event, as a literal.
    fn type_of(&self, event: &str) -> String {
        literal(&format!("{}.{event}", self.subject))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dialect, Postgres, Sqlite};

    fn watched() -> WatchedTable {
        let endpoint = |name: &str, events: &[RowEvent]| WatchingEndpoint {
            name: name.to_owned(),
            events: events.to_vec(),
        };
        WatchedTable {
            application: "shop".into(),
            schema: "public".into(),
            table: "it's \"a\" table".into(),
            key: vec!["id".into(), "na\"me".into()],
            subject: "o'rders".into(),
            endpoints: vec![endpoint("erp", &RowEvent::ALL), endpoint("crm", &[RowEvent::Deleted])],
        }
    }

    #[test]
    fn names_say_what_triggers_do() {
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let one = dialect.watch_script(&watched());
            assert_eq!(one, dialect.watch_script(&watched()));
            let prefix = webhook_prefix("shop");
            for trigger in &one.triggers {
                assert!(trigger.starts_with(&prefix) && trigger.len() < 64, "{trigger}");
                assert!(one.create.contains(trigger), "{}", one.create);
            }
            let others: [fn(&mut WatchedTable); 6] = [
                |it| it.application.push('s'),
                |it| it.schema.push('s'),
                |it| it.table.push('s'),
                |it| it.key.truncate(1),
                |it| it.subject.push('s'),
                |it| it.endpoints[1].events.clear(),
            ];
            for change in others {
                let mut other = watched();
                change(&mut other);
                assert_ne!(one.triggers, dialect.watch_script(&other).triggers, "{other:?}");
            }
        }
    }

    #[test]
    fn names_are_quoted() {
        for dialect in [&Postgres { icu: true } as &dyn Dialect, &Sqlite] {
            let script = dialect.watch_script(&watched()).create;
            assert!(script.contains("\"it's \"\"a\"\" table\""), "{script}");
            assert!(script.contains("'o''rders.created'"), "{script}");
            assert!(script.contains("\"na\"\"me\""), "{script}");
        }
    }
}
