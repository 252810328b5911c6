//! From the messages of the change stream to the changes of a commit event. Pure.
//!
//! The stream names the table that holds a row, which may be a partition: the changed relations are that
//! table and all whose rows include its rows. Images have the values that are certain: without the old
//! row, those of the replica identity alone, since any other column may have changed.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use duet_model::catalog::{Relation, RelationName};
use duet_model::commit::{
    ChangedRelation, Extent, Image, MOST_ROWS, RelationChange, RowChange, key_of, set_value,
};
use duet_model::key::parse_text;
use duet_model::{Catalog, Type, Value};
use duet_pgconnect::pgoutput::{Field, Message, Old, RelationDescription, Tuple};

/// The relatives of the tables, by their numbers in the catalog.
pub(crate) type Lines = HashMap<u32, Line>;

/// The relatives of a table.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Line {
    /// The tables that its rows belong to: itself first.
    pub(crate) up: Vec<RelationName>,
    /// The tables whose rows a change may also concern, without saying which.
    pub(crate) heirs: Vec<RelationName>,
}

/// What a message is good for.
#[derive(Debug, PartialEq)]
pub(crate) enum Taken {
    /// It is part of a transaction.
    Part,
    /// A transaction is committed, and this is what it changed. The position is behind it in the log.
    Committed(Committed, u64),
    /// It is not to be understood: anything may have changed.
    Doubt(&'static str),
}

/// What a transaction changed.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Committed {
    /// By relation.
    pub(crate) relations: Vec<RelationChange>,
    /// Whether it has changed a table that is not known, so that anything may have changed.
    pub(crate) unknown: bool,
    /// The low 32 bits of its number, in the stream.
    pub(crate) xid: u32,
}

/// Gathers the changes of one transaction after the other.
#[derive(Debug, Default)]
pub(crate) struct Gatherer {
    catalog: Arc<Catalog>,
    lines: Lines,
    tables: BTreeMap<u32, Table>,
    in_transaction: bool,
    changes: Committed,
}

/// A table as the stream has described it. A description comes again only when the table was altered.
#[derive(Debug)]
struct Table {
    name: RelationName,
    columns: Vec<Column>,
    /// `None`: the table is not among the lines.
    targets: Option<Vec<Target>>,
}

/// A column of a described table.
#[derive(Debug)]
struct Column {
    name: String,
    is_key: bool,
}

/// A relation whose rows include those of a described table.
#[derive(Debug)]
struct Target {
    relation: ChangedRelation,
    columns: Vec<Linking>,
}

/// A linking column of a relation, with its place in the rows of the stream.
#[derive(Debug)]
struct Linking {
    field: usize,
    column: usize,
    ty: Type,
    /// Whether it is part of the replica identity.
    is_key: bool,
}

impl Gatherer {
    /// With these relations from now on.
    pub(crate) fn take(&mut self, catalog: &Arc<Catalog>, lines: Lines) {
        self.catalog = Arc::clone(catalog);
        self.lines = lines;
        for (id, table) in &mut self.tables {
            table.targets = targets(*id, table, &self.lines, &self.catalog);
        }
    }

    /// Whether a transaction is being received.
    pub(crate) fn in_transaction(&self) -> bool {
        self.in_transaction
    }

    /// Takes the next message.
    pub(crate) fn message(&mut self, message: &Message<'_>) -> Taken {
        match message {
            Message::Begin { xid } => {
                self.in_transaction = true;
                self.changes = Committed { xid: *xid, ..Committed::default() };
            }
            Message::Commit { end } => {
                self.in_transaction = false;
                return Taken::Committed(std::mem::take(&mut self.changes), *end);
            }
            Message::Relation(described) => self.describe(described),
            Message::Insert { relation, new } => return self.row(*relation, &Change::Insert(new)),
            Message::Update { relation, old, new } => {
                return self.row(*relation, &Change::Update(old.as_ref(), new));
            }
            Message::Delete { relation, old } => return self.row(*relation, &Change::Delete(old)),
            Message::Truncate { relations } => {
                let mut taken = relations.iter().map(|id| self.row(*id, &Change::Truncate));
                return taken.find(|taken| *taken != Taken::Part).unwrap_or(Taken::Part);
            }
            Message::Other => {}
        }
        Taken::Part
    }

    fn describe(&mut self, described: &RelationDescription<'_>) {
        // The protocol leaves the name of the system's schema out.
        let schema = if described.schema.is_empty() { "pg_catalog" } else { described.schema };
        let columns = described.columns.iter();
        let columns = columns.map(|it| Column { name: it.name.to_owned(), is_key: it.is_key });
        let mut table = Table {
            name: RelationName { schema: schema.to_owned(), name: described.name.to_owned() },
            columns: columns.collect(),
            targets: None,
        };
        table.targets = targets(described.id, &table, &self.lines, &self.catalog);
        self.tables.insert(described.id, table);
    }

    /// Describes a table by the names of the columns that its next rows have; whether it is known.
    pub(crate) fn describe_by_names(&mut self, id: u32, names: &[&str]) -> bool {
        let Some(name) = self.lines.get(&id).and_then(|line| line.up.first()) else {
            self.changes.unknown = true;
            return false;
        };
        let is_described = self.tables.get(&id).is_some_and(|table| {
            table.targets.is_some()
                && table.columns.len() == names.len()
                && table.columns.iter().zip(names).all(|(column, name)| column.name == *name)
        });
        if !is_described {
            let columns =
                names.iter().map(|name| Column { name: (*name).to_owned(), is_key: true });
            let mut table = Table { name: name.clone(), columns: columns.collect(), targets: None };
            table.targets = targets(id, &table, &self.lines, &self.catalog);
            self.tables.insert(id, table);
        }
        true
    }

    fn row(&mut self, id: u32, change: &Change<'_, '_>) -> Taken {
        match self.tables.get(&id) {
            None => return Taken::Doubt("a change of a table without a description"),
            Some(Table { targets: None, .. }) => self.changes.unknown = true,
            Some(Table { targets: Some(targets), .. }) => {
                targets.iter().for_each(|it| it.note(&mut self.changes.relations, change));
            }
        }
        Taken::Part
    }
}

/// The relations that a described table belongs to; `None` where its line is not known, or is that of
/// another table, since it was renamed or replaced.
fn targets(id: u32, table: &Table, lines: &Lines, catalog: &Catalog) -> Option<Vec<Target>> {
    let line = lines.get(&id).filter(|line| line.up.first() == Some(&table.name))?;
    let up = line.up.iter().map(|name| Target::new(catalog, name, &table.columns));
    // Without columns, no row can be named.
    let heirs = line.heirs.iter().map(|name| Target::new(catalog, name, &[]));
    Some(up.chain(heirs).collect())
}

/// A change of a row, or of all.
enum Change<'c, 'm> {
    Insert(&'c Tuple<'m>),
    Update(Option<&'c Old<'m>>, &'c Tuple<'m>),
    Delete(&'c Old<'m>),
    Truncate,
}

impl Target {
    fn new(catalog: &Catalog, name: &RelationName, described: &[Column]) -> Self {
        let Some(table) = catalog.relation(&name.schema, &name.name) else {
            let relation = ChangedRelation::Named(Arc::new(name.clone()));
            return Self { relation, columns: Vec::new() };
        };
        let mut columns: Vec<usize> = table.links.clone();
        columns.extend(table.identity());
        columns.sort_unstable();
        columns.dedup();
        let linking = columns.into_iter().filter_map(|column| linking(table, column, described));
        Self { columns: linking.collect(), relation: ChangedRelation::Table(Arc::clone(table)) }
    }

    /// Notes a change.
    fn note(&self, changes: &mut Vec<RelationChange>, change: &Change<'_, '_>) {
        let noted = change_of(changes, &self.relation);
        noted.count = noted.count.saturating_add(1);
        let Extent::Rows(rows) = &mut noted.extent else { return };
        let row = match &self.relation {
            ChangedRelation::Table(table) if noted.count <= MOST_ROWS => self.row(table, change),
            _ => None,
        };
        match row {
            Some(row) => rows.push(row),
            None => noted.extent = Extent::Any,
        }
    }

    /// A changed row; `None` where it cannot be named, before or after the change.
    fn row(&self, table: &Relation, change: &Change<'_, '_>) -> Option<RowChange> {
        let before = match change {
            Change::Insert(_) => None,
            Change::Update(Some(old), _) | Change::Delete(old) => Some(self.old_image(old)),
            // Without an old row, the replica identity has not changed.
            Change::Update(None, new) => Some(self.image(new, true)),
            Change::Truncate => return None,
        };
        let after = match change {
            Change::Insert(new) | Change::Update(_, new) => {
                let mut image = self.image(new, false);
                for (column, value) in before.iter().flatten() {
                    if self.field(*column, new) == Some(&Field::Unchanged) {
                        set_value(&mut image, *column, value.clone());
                    }
                }
                Some(image)
            }
            Change::Delete(_) | Change::Truncate => None,
        };
        let is_named = |image: &Option<Image>| {
            image.as_ref().is_none_or(|it| key_of(table.identity(), it).is_some())
        };
        (is_named(&before) && is_named(&after)).then_some(RowChange { before, after })
    }

    fn old_image(&self, old: &Old<'_>) -> Image {
        match old {
            Old::Key(tuple) => self.image(tuple, true),
            Old::Whole(tuple) => self.image(tuple, false),
        }
    }

    fn field<'t, 'm>(&self, column: usize, tuple: &'t Tuple<'m>) -> Option<&'t Field<'m>> {
        let linking = self.columns.iter().find(|it| it.column == column)?;
        tuple.get(linking.field)
    }

    /// The linking values of a row; `keys`: those of the replica identity alone.
    fn image(&self, tuple: &Tuple<'_>, keys: bool) -> Image {
        let columns = self.columns.iter().filter(|it| it.is_key || !keys);
        let known = columns.filter_map(|it| {
            let value = match tuple.get(it.field)? {
                Field::Null => Value::Null,
                Field::Unchanged => return None,
                Field::Text(text) => parse_text(&it.ty, text).ok()?,
            };
            Some((it.column, value))
        });
        known.collect()
    }
}

fn linking(table: &Relation, column: usize, described: &[Column]) -> Option<Linking> {
    let known = table.columns.get(column)?;
    let field = described.iter().position(|it| it.name == known.name)?;
    let is_key = described[field].is_key;
    Some(Linking { field, column, ty: known.ty.clone(), is_key })
}

fn change_of<'c>(
    changes: &'c mut Vec<RelationChange>,
    relation: &ChangedRelation,
) -> &'c mut RelationChange {
    let at = changes.iter().position(|change| change.relation == *relation);
    let at = at.unwrap_or_else(|| {
        let (relation, extent) = (relation.clone(), Extent::Rows(Vec::new()));
        changes.push(RelationChange { relation, count: 0, extent });
        changes.len() - 1
    });
    &mut changes[at]
}

#[cfg(test)]
mod tests {
    use duet_model::Column as ModelColumn;
    use duet_pgconnect::pgoutput::DescribedColumn;

    use super::*;

    const DRIVER: u32 = 10;

    fn name(name: &str) -> RelationName {
        RelationName { schema: "s".into(), name: name.into() }
    }

    /// `driver (id, name, team_id)`, linked by `id` and `team_id`; and a parent of it with the columns in
    /// another order.
    fn catalog() -> Arc<Catalog> {
        let column = |name: &str| ModelColumn::new(name, Type::Integer { bits: 64 });
        let text = ModelColumn::new("name", Type::Text);
        let columns = vec![column("id"), text.clone(), column("team_id")];
        let driver = Relation { links: vec![0, 2], ..Relation::table("s", "driver", columns) };
        let columns = vec![text, column("team_id"), column("id")];
        let primary_key = vec![2];
        let person =
            Relation { links: vec![2], primary_key, ..Relation::table("s", "person", columns) };
        Arc::new(Catalog { relations: vec![driver.into(), person.into()], ..Catalog::default() })
    }

    fn gatherer(line: &[&str]) -> Gatherer {
        let mut gatherer = Gatherer::default();
        let up = line.iter().map(|it| name(it)).collect();
        let line = Line { up, ..Line::default() };
        gatherer.take(&catalog(), Lines::from([(DRIVER, line)]));
        gatherer
    }

    fn described(table: &'static str, keys: &[&str]) -> Message<'static> {
        let columns = ["id", "name", "team_id"]
            .map(|name| DescribedColumn { name, is_key: keys.contains(&name) });
        let columns = columns.to_vec();
        Message::Relation(RelationDescription { id: DRIVER, schema: "s", name: table, columns })
    }

    /// A row of texts; `-` is NULL, `u` a value that is not repeated.
    fn tuple(text: &'static str) -> Tuple<'static> {
        let field = |text| match text {
            "-" => Field::Null,
            "u" => Field::Unchanged,
            text => Field::Text(text),
        };
        text.split(' ').map(field).collect()
    }

    fn insert(new: &'static str) -> Message<'static> {
        Message::Insert { relation: DRIVER, new: tuple(new) }
    }

    fn update(old: Option<Old<'static>>, new: &'static str) -> Message<'static> {
        Message::Update { relation: DRIVER, old, new: tuple(new) }
    }

    fn key(text: &'static str) -> Option<Old<'static>> {
        Some(Old::Key(tuple(text)))
    }

    fn whole(text: &'static str) -> Option<Old<'static>> {
        Some(Old::Whole(tuple(text)))
    }

    fn delete(old: Option<Old<'static>>) -> Message<'static> {
        Message::Delete { relation: DRIVER, old: old.unwrap() }
    }

    /// What a transaction changes, as text.
    fn told(gatherer: &mut Gatherer, messages: &[Message<'static>]) -> String {
        assert_eq!(gatherer.message(&Message::Begin { xid: 5 }), Taken::Part);
        assert!(gatherer.in_transaction());
        for message in messages {
            match gatherer.message(message) {
                Taken::Part => {}
                other => return format!("{other:?}"),
            }
        }
        let Taken::Committed(committed, 7) = gatherer.message(&Message::Commit { end: 7 }) else {
            panic!("not committed")
        };
        assert!(!gatherer.in_transaction() && committed.xid == 5);
        let image = |image: &Option<Image>| {
            let values = image.iter().flatten().map(|(at, value)| format!("{at}={value}"));
            values.collect::<Vec<_>>().join(",")
        };
        let row = |row: &RowChange| format!("{}>{}", image(&row.before), image(&row.after));
        let relation = |change: &RelationChange| {
            let extent = match &change.extent {
                Extent::Rows(rows) => rows.iter().map(row).collect::<Vec<_>>().join(" "),
                other => format!("{other:?}"),
            };
            format!("{}: {extent}", change.relation.name())
        };
        let unknown = if committed.unknown { "unknown" } else { "" };
        let relations = committed.relations.iter().map(relation);
        relations.chain([unknown.to_owned()]).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn rows_have_the_values_that_are_certain() {
        for (keys, message, expected) in [
            (&["id"][..], insert("1 a 2"), ">0=1,2=2"),
            // The key has not changed, the team may have.
            (&["id"], update(None, "1 a 3"), "0=1>0=1,2=3"),
            (&["id"], update(key("1 - -"), "9 a 3"), "0=1>0=9,2=3"),
            (&["id"], delete(key("1 - -")), "0=1>"),
            (&["id", "name", "team_id"], update(whole("1 a 2"), "1 a 3"), "0=1,2=2>0=1,2=3"),
            (&["id", "name", "team_id"], delete(whole("1 a -")), "0=1,2=>"),
            // A linking value that is not repeated is the old one, where that is known.
            (&["id", "name", "team_id"], update(whole("1 a 2"), "1 b u"), "0=1,2=2>0=1,2=2"),
            (&["id"], update(None, "1 b u"), "0=1>0=1"),
        ] {
            let mut gatherer = gatherer(&["driver"]);
            // NULL has no text.
            let expected = format!("driver: {expected}; ");
            let told = told(&mut gatherer, &[described("driver", keys), message.clone()]);
            assert_eq!(told, expected, "{message:?}");
        }
    }

    #[test]
    fn rows_that_cannot_be_named_may_be_any() {
        for (keys, message) in [
            // The replica identity is another key.
            (&["name"][..], update(None, "1 a 2")),
            (&["name"], delete(key("- a -"))),
            (&["id"], insert("wrong a 2")),
            (&["id"], Message::Truncate { relations: vec![DRIVER] }),
        ] {
            let mut gatherer = gatherer(&["driver"]);
            let messages = [described("driver", keys), message.clone(), insert("1 a 2")];
            assert_eq!(told(&mut gatherer, &messages), "driver: Any; ", "{message:?}");
        }
        let mut gatherer = gatherer(&["driver"]);
        let mut many = vec![described("driver", &["id"])];
        many.extend((0..=MOST_ROWS).map(|_| insert("1 a 2")));
        assert_eq!(told(&mut gatherer, &many), "driver: Any; ");
    }

    #[test]
    fn rows_of_a_partition_are_those_of_its_parents() {
        let mut gatherer = gatherer(&["driver_1", "driver", "person"]);
        let messages = [described("driver_1", &["id"]), insert("1 a 2")];
        let expected = "driver_1: Any; driver: >0=1,2=2; person: >2=1; ";
        assert_eq!(told(&mut gatherer, &messages), expected);
    }

    #[test]
    fn heirs_may_have_any_change() {
        let mut gatherer = Gatherer::default();
        let line = Line { up: vec![name("person")], heirs: vec![name("driver")] };
        gatherer.take(&catalog(), Lines::from([(DRIVER, line)]));
        assert!(gatherer.describe_by_names(DRIVER, &["id"]));
        assert_eq!(told(&mut gatherer, &[insert("1")]), "person: >2=1; driver: Any; ");
    }

    #[test]
    fn tables_that_are_not_known_are_noticed() {
        // Renamed since the line was read.
        let mut gatherer = gatherer(&["driver"]);
        let messages = [described("pilot", &["id"]), insert("1 a 2")];
        assert_eq!(told(&mut gatherer, &messages), "unknown");
        // From then on its line is known, without another description.
        let line = Line { up: vec![name("pilot")], ..Line::default() };
        gatherer.take(&catalog(), Lines::from([(DRIVER, line)]));
        assert_eq!(told(&mut gatherer, &[insert("1 a 2")]), "pilot: Any; ");
        assert!(gatherer.describe_by_names(DRIVER, &["id"]));
        assert!(!gatherer.describe_by_names(99, &["id"]));
        let undescribed = Message::Insert { relation: 99, new: tuple("1 a 2") };
        assert!(told(&mut gatherer, &[undescribed]).starts_with("Doubt"));
    }
}
