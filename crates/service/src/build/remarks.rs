//! What a client may miss, and what the operator can do about it: views and tables without keys,
//! columns that look like foreign keys and are none, routines that are left out.
//!
//! Remarks are no mistakes: everything is served as it is declared. `duet check` lists them; a start
//! counts them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use duet_model::catalog::{PartitionKey, RelationName};
use duet_model::{Column, Relation, Shape, Type, steps};
use foldhash::fast::RandomState;

/// Something that is served with less than it could be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// What is missing, and what adds it.
    pub text: String,
}

/// What a remark is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A view without a key.
    View,
    /// A table without a key.
    Table,
    /// A column that no foreign key leads away from, although it has the name of another table's key.
    Link,
    /// A foreign key that the partitions of a table have and the table has not.
    Partitions,
    /// A routine that is not served.
    Routine,
    /// Resources that the role of the database may not change as they are declared.
    Rights,
}

/// The remarks on the links of tables, by the names they are served under; those without any are left out.
pub(crate) type LinkRemarks = HashMap<String, Arc<[Remark]>, RandomState>;

/// A table or a view of the database, as it is served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServedRelation<'s> {
    pub(crate) name: &'s str,
    pub(crate) shape: &'s Shape,
    /// Whether it is a table.
    pub(crate) is_table: bool,
}

impl RemarkKind {
    const ALL: [Self; 6] =
        [Self::View, Self::Table, Self::Link, Self::Partitions, Self::Routine, Self::Rights];

    fn counted(self, count: usize) -> String {
        let s = if count == 1 { "" } else { "s" };
        match self {
            Self::View => format!("{count} view{s} without a key"),
            Self::Table => format!("{count} table{s} without a key"),
            Self::Link => format!("{count} column{s} without the foreign key of its name"),
            Self::Partitions => format!("{count} foreign key{s} of partitions alone"),
            Self::Routine => format!("{count} routine{s} not served"),
            Self::Rights => format!("{count} kind{s} of writes that the database does not grant"),
        }
    }
}

/// How many remarks there are of each kind; `None` where there are none.
pub fn counts(remarks: &[Remark]) -> Option<String> {
    let count = |kind: RemarkKind| {
        let count = remarks.iter().filter(|remark| remark.kind == kind).count();
        (count > 0).then(|| kind.counted(count))
    };
    let counts: Vec<String> = RemarkKind::ALL.into_iter().filter_map(count).collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// The remarks on tables and views that are served below one path; and those on links, table by table. What `known` gives
/// for a table is taken for it.
pub(crate) fn of_relations(
    relations: &[ServedRelation<'_>],
    of_partitions: &[PartitionKey],
    known: &dyn Fn(usize) -> Option<Arc<[Remark]>>,
) -> (Vec<Remark>, LinkRemarks) {
    let mut remarks: Vec<Remark> = relations.iter().filter_map(without_key).collect();
    let tables: Vec<_> = relations.iter().filter(|relation| relation.is_table).collect();
    let links = OnceCell::new();
    let mut of_links = LinkRemarks::default();
    for (at, own) in relations.iter().enumerate().filter(|(_, relation)| relation.is_table) {
        let found = known(at).unwrap_or_else(|| {
            links.get_or_init(|| ServedLinks::of(&tables, of_partitions)).remarks(own).into()
        });
        if !found.is_empty() {
            remarks.extend_from_slice(&found);
            of_links.insert(own.name.to_owned(), found);
        }
    }
    (remarks, of_links)
}

/// What decides whether columns of tables lead anywhere.
struct ServedLinks<'s> {
    keys: NamedKeys<'s>,
    by_name: HashMap<(&'s str, &'s str), &'s ServedRelation<'s>>,
    of_partitions: HashMap<(&'s str, &'s str), Vec<&'s PartitionKey>>,
}

impl<'s> ServedLinks<'s> {
    fn of(tables: &'s [&'s ServedRelation<'s>], of_partitions: &'s [PartitionKey]) -> Self {
        let by_name = tables.iter().map(|table| (table.name_of_table(), *table)).collect();
        let mut keys_of_partitions: HashMap<_, Vec<&PartitionKey>> = HashMap::new();
        for key in of_partitions {
            keys_of_partitions.entry(names(&key.table)).or_default().push(key);
        }
        Self { keys: NamedKeys::of(tables), by_name, of_partitions: keys_of_partitions }
    }

    fn remarks(&self, own: &ServedRelation<'_>) -> Vec<Remark> {
        let of_partitions = self.of_partitions.get(&own.name_of_table());
        let of_partitions = of_partitions.map_or(&[][..], Vec::as_slice);
        let mut remarks = without_link(own, &self.keys, of_partitions);
        remarks.extend(of_partitions.iter().filter_map(|key| {
            of_partition_key(own, key, self.by_name.get(&names(&key.references))?)
        }));
        remarks
    }
}

/// The keys of tables by the names that columns which lead to them have.
struct NamedKeys<'s> {
    tables: &'s [&'s ServedRelation<'s>],
    /// The name of a key alone, or that of its table, a NUL and that of the key; with the first two tables of each
    /// type: a column leads to another table than its own.
    first: HashMap<String, Vec<(Discriminant<Type>, usize)>>,
    /// The lengths of the keys' names.
    lengths: Vec<usize>,
}

impl<'s> NamedKeys<'s> {
    fn of(tables: &'s [&'s ServedRelation<'s>]) -> Self {
        let (mut first, mut lengths) = (HashMap::new(), HashSet::new());
        for (at, relation) in tables.iter().enumerate() {
            let table = relation.table();
            let [key] = table.primary_key[..] else { continue };
            let key = &table.columns[key];
            let (of_key, of_table) = (key.name.to_lowercase(), table.name.to_lowercase());
            let mut names = vec![format!("{of_table}\0{of_key}")];
            names.extend(of_table.strip_suffix('s').map(|table| format!("{table}\0{of_key}")));
            lengths.insert(of_key.len());
            // A name that is short is that of many keys.
            names.extend((of_key.len() > "code".len()).then_some(of_key));
            for name in names {
                let known: &mut Vec<_> = first.entry(name).or_default();
                let ty = discriminant(&key.ty);
                if known.iter().filter(|(known, _)| *known == ty).count() < 2 {
                    known.push((ty, at));
                }
            }
        }
        let mut lengths: Vec<usize> = lengths.into_iter().collect();
        lengths.sort_unstable();
        Self { tables, first, lengths }
    }

    /// The first table other than its own of whose key a column has the name, or that with the name of the table in
    /// front, and the type.
    fn named_like(&self, column: &Column, own: &str) -> Option<&'s ServedRelation<'s>> {
        let name = column.name.to_lowercase();
        let mut found = self.first_but(&name, column, own);
        let mut key = String::new();
        for length in self.lengths.iter().take_while(|length| **length <= name.len()) {
            let Some((mut table, of_key)) = name.split_at_checked(name.len() - length) else {
                continue;
            };
            // What is between the two names are underscores, which may be the end of the table's name too.
            if of_key.starts_with('_') {
                continue;
            }
            loop {
                key.clear();
                key.extend([table, "\0", of_key]);
                let with_table = self.first_but(&key, column, own);
                found = found.into_iter().chain(with_table).min();
                match table.strip_suffix('_') {
                    Some(shorter) => table = shorter,
                    None => break,
                }
            }
        }
        found.map(|at| self.tables[at])
    }

    fn first_but(&self, name: &str, column: &Column, own: &str) -> Option<usize> {
        steps::step();
        let ty = discriminant(&column.ty);
        let mut known = self.first.get(name)?.iter();
        known.find(|(known, at)| *known == ty && self.tables[*at].name != own).map(|(_, at)| *at)
    }
}

fn names(name: &RelationName) -> (&str, &str) {
    (&name.schema, &name.name)
}

/// The remarks on routines with their owner's rights.
pub(crate) fn of_owners(schema: &str, routines: &[String]) -> Vec<Remark> {
    let remark = |name: &String| Remark {
        kind: RemarkKind::Routine,
        text: format!(
            "{schema}.{name} is not served, because it runs with its owner's rights (SECURITY DEFINER); `routines = [\"{name}\"]` in app.toml serves it"
        ),
    };
    routines.iter().map(remark).collect()
}

/// How many resources a remark names.
const NAMED: usize = 10;

/// The remarks on resources by the privileges that the database's role lacks: one for each set of privileges.
pub(crate) fn of_rights<'r>(
    lacking: impl Iterator<Item = (&'r str, Vec<&'static str>)>,
) -> Vec<Remark> {
    let mut by_privileges: BTreeMap<Vec<&str>, Vec<&str>> = BTreeMap::new();
    for (name, privileges) in lacking.filter(|(_, privileges)| !privileges.is_empty()) {
        by_privileges.entry(privileges).or_default().push(name);
    }
    let remark = |(privileges, names): (Vec<&str>, Vec<&str>)| {
        let (privileges, count) = (privileges.join(", "), names.len());
        let mut listed = names[..count.min(NAMED)].join(", ");
        if count > NAMED {
            listed.push_str(&format!(" and {} more", count - NAMED));
        }
        let text = format!(
            "the database grants Duet's role no {privileges} on {listed}: these writes are not offered, and get 403; GRANT {privileges} adds them"
        );
        Remark { kind: RemarkKind::Rights, text }
    };
    by_privileges.into_iter().map(remark).collect()
}

fn without_key(relation: &ServedRelation<'_>) -> Option<Remark> {
    if !relation.shape.key.is_empty() {
        return None;
    }
    let name = relation.name;
    let lines = format!("[resources.{}]\nkey = [\"COLUMN\"]", quoted(name));
    let (kind, text) = match relation.is_table {
        false => (
            RemarkKind::View,
            format!(
                "the view {name} has no key: it has no items, and its pages go by offset. A key in app.toml adds items and pages by key; a duality view over its tables can be written too\n{lines}"
            ),
        ),
        true => (
            RemarkKind::Table,
            format!(
                "the table {name} has no key: rows can be added and listed, not read or changed singly. A primary key adds that, or a unique column in app.toml\n{lines}"
            ),
        ),
    };
    Some(Remark { kind, text })
}

/// A name as TOML has it in a header.
fn quoted(name: &str) -> String {
    let is_bare = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => format!("{name:?}"),
    }
}

/// The columns of a table that have the name and type of another table's key, and lead nowhere.
fn without_link(
    own: &ServedRelation<'_>,
    keys: &NamedKeys<'_>,
    of_partitions: &[&PartitionKey],
) -> Vec<Remark> {
    let table = own.table();
    let leading: HashSet<usize> =
        table.foreign_keys.iter().flat_map(|key| key.columns.iter().copied()).collect();
    let in_partitions: HashSet<&String> =
        of_partitions.iter().flat_map(|key| &key.columns).collect();
    let leads =
        |at: usize, column: &Column| leading.contains(&at) || in_partitions.contains(&column.name);
    let mut remarks = Vec::new();
    for (at, column) in table.columns.iter().enumerate().filter(|(at, one)| !leads(*at, one)) {
        let Some(other) = keys.named_like(column, own.name) else { continue };
        // A key that two tables share is one of both.
        if table.primary_key == [at] {
            continue;
        }
        let key = &other.table().columns[other.table().primary_key[0]];
        let (from, to) = (column.served_name(), key.served_name());
        remarks.push(Remark {
            kind: RemarkKind::Link,
            text: format!(
                "{}.{from} has no foreign key: neither `expand` nor views follow it to {}. A FOREIGN KEY in the database adds both; a view does without by\n{} @link(from: [{from}], to: [{to}]) {{ {to} }}",
                own.name, other.name, other.name
            ),
        });
    }
    remarks
}

/// The remark on a foreign key of partitions, where both tables and their columns are served.
fn of_partition_key(
    own: &ServedRelation<'_>,
    key: &PartitionKey,
    other: &ServedRelation<'_>,
) -> Option<Remark> {
    let (from, to) = (own.served(&key.columns)?, other.served(&key.references_columns)?);
    let name = other.name;
    Some(Remark {
        kind: RemarkKind::Partitions,
        text: format!(
            "{}: partitions have a foreign key from {from} to {name}, the table itself has none: neither `expand` nor views follow it. A FOREIGN KEY of the table adds both; a view does without by\n{name} @link(from: [{from}], to: [{to}]) {{ {to} }}",
            own.name
        ),
    })
}

impl<'s> ServedRelation<'s> {
    fn table(&self) -> &'s Relation {
        &self.shape.root().table
    }

    /// Its schema and its name in the database.
    fn name_of_table(&self) -> (&'s str, &'s str) {
        (&self.table().schema, &self.table().name)
    }

    /// The names under which columns are served, as a list; `None` if one is not.
    fn served(&self, columns: &[String]) -> Option<String> {
        let table = &self.shape.root().table;
        let name = |column: &String| {
            Some(table.columns.iter().find(|one| one.name == *column)?.served_name())
        };
        Some(columns.iter().map(name).collect::<Option<Vec<_>>>()?.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use duet_model::Type;

    use super::*;

    fn table(name: &str, columns: &[&str]) -> Relation {
        let column = |name: &&str| Column::new(*name, Type::Integer { bits: 64 });
        Relation::table("main", name, columns.iter().map(column).collect())
    }

    #[test]
    fn each_kind_says_what_adds_what_is_missing() {
        let keyless = |name: &str| Relation { primary_key: Vec::new(), ..table(name, &["n"]) };
        let relations = [
            (true, table("artists", &["id", "name"])),
            (true, table("album", &["album_id", "artist_id", "id"])),
            (true, table("track", &["track_id", "album_id"])),
            (false, keyless("top ten")),
            (true, keyless("log")),
        ];
        let shapes = relations.map(|(is_table, one)| (is_table, Shape::of_relation(&one.into())));
        let served: Vec<_> = shapes
            .iter()
            .map(|(is_table, shape)| ServedRelation {
                name: &shape.name,
                shape,
                is_table: *is_table,
            })
            .collect();
        let (mut remarks, _) = of_relations(&served, &[], &|_| None);
        remarks.extend(of_owners("hr", &["pay".to_owned()]));
        let texts: Vec<&str> = remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert!(texts[0].ends_with("[resources.\"top ten\"]\nkey = [\"COLUMN\"]"), "{texts:?}");
        assert!(texts[1].starts_with("the table log has no key"), "{texts:?}");
        assert!(
            texts[2].ends_with("\nartists @link(from: [artist_id], to: [id]) { id }"),
            "{texts:?}"
        );
        assert!(
            texts[3].ends_with("\nalbum @link(from: [album_id], to: [album_id]) { album_id }"),
            "{texts:?}"
        );
        assert!(texts[4].contains("SECURITY DEFINER"), "{texts:?}");
        assert_eq!(
            counts(&remarks).unwrap(),
            "1 view without a key, 1 table without a key, 2 columns without the foreign key of its name, 1 routine not served"
        );
        assert_eq!(counts(&[]), None);
    }

    #[test]
    fn what_the_database_does_not_grant_is_one_remark_for_many_resources() {
        let names: Vec<String> = (1..=12).map(|at| format!("t{at:02}")).collect();
        let lacking = names.iter().map(|name| (name.as_str(), vec!["INSERT", "DELETE"]));
        let others = [("log", vec!["DELETE"]), ("free", Vec::new())];
        let remarks = of_rights(lacking.chain(others));
        let texts: Vec<&str> = remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(texts.len(), 2, "{texts:?}");
        assert!(texts[0].contains("no DELETE on log:"), "{texts:?}");
        assert!(texts[1].contains("no INSERT, DELETE on t01, t02, "), "{texts:?}");
        assert!(texts[1].contains(", t10 and 2 more:"), "{texts:?}");
        let counted = "2 kinds of writes that the database does not grant";
        assert_eq!(counts(&remarks).unwrap(), counted);
    }

    /// The rule, said of one column and one table.
    fn is_named_after(column: &Column, table: &Relation) -> bool {
        let key = &table.columns[table.primary_key[0]];
        let (name, of_key) = (column.name.to_lowercase(), key.name.to_lowercase());
        let of_table = table.name.to_lowercase();
        let singular = of_table.strip_suffix('s').unwrap_or(&of_table);
        // A name that is short is that of many keys.
        let is_same = name == of_key && of_key.len() > "code".len();
        let is_prefixed = [&*of_table, singular].iter().any(|table| {
            name.strip_prefix(table).is_some_and(|rest| rest.trim_start_matches('_') == of_key)
        });
        (is_same || is_prefixed) && discriminant(&column.ty) == discriminant(&key.ty)
    }

    fn shapes(tables: Vec<Relation>) -> Vec<Shape> {
        tables.into_iter().map(|table| Shape::of_relation(&table.into())).collect()
    }

    fn served(shapes: &[Shape]) -> Vec<ServedRelation<'_>> {
        let one = shapes.iter();
        one.map(|shape| ServedRelation { name: &shape.name, shape, is_table: true }).collect()
    }

    proptest::proptest! {
        #[test]
        fn the_first_table_that_a_column_is_named_after_is_found(
            names in proptest::collection::vec(("[as_]{1,3}", "(code|Codes|_?s{1,2}|as)", "[as_]{0,3}_{0,2}(code|codes|s|as)"), 1..6)
        ) {
            let tables = names.iter().enumerate().map(|(at, (name, key, other))| {
                let mut table = table(name, &[key, other]);
                // Two tables of one name are of two schemas, and are served under two names.
                table.alias = Some(format!("{name}{at}"));
                if at % 3 == 2 {
                    table.columns[1].ty = Type::Text;
                }
                table
            });
            let shapes = shapes(tables.collect());
            let served = served(&shapes);
            let all: Vec<_> = served.iter().collect();
            let keys = NamedKeys::of(&all);
            for own in &served {
                for column in &own.table().columns {
                    let found = keys.named_like(column, own.name).map(|found| found.name);
                    let mut others = served.iter().filter(|other| other.name != own.name);
                    let first = others.find(|other| is_named_after(column, other.table()));
                    proptest::prop_assert_eq!(found, first.map(|first| first.name));
                }
            }
        }
    }

    #[test]
    fn twice_as_many_tables_take_twice_as_many_steps() {
        let steps_for = |tables: usize| {
            let name = |at: usize| format!("table_{at}s");
            let tables = (0..tables).map(|at| {
                let mut columns = vec!["identifier".to_owned()];
                columns.extend((1..20).map(|other| format!("table_{}_identifier", at + other)));
                table(&name(at), &columns.iter().map(String::as_str).collect::<Vec<_>>())
            });
            let shapes = shapes(tables.collect());
            let served = served(&shapes);
            let partitions: Vec<_> = (0..served.len())
                .map(|at| PartitionKey {
                    table: RelationName { schema: "main".into(), name: name(at) },
                    columns: vec![format!("table_{}_identifier", at + 1)],
                    references: RelationName { schema: "main".into(), name: name(at / 2) },
                    references_columns: vec!["identifier".into()],
                })
                .collect();
            let (remarks, steps) =
                steps::counted(|| of_relations(&served, &partitions, &|_| None).0);
            assert!(remarks.len() >= 18 * served.len() - 400, "{}", remarks.len());
            steps
        };
        let (once, twice) = (steps_for(200), steps_for(400));
        assert!(twice * 10 <= once * 22, "{once} steps, then {twice}");
    }

    #[test]
    fn keys_of_partitions_are_remarked_once_where_both_tables_are_served() {
        let name = |name: &str| RelationName { schema: "main".into(), name: name.into() };
        let key = |to: &str| PartitionKey {
            table: name("payment"),
            columns: vec!["artist_id".into()],
            references: name(to),
            references_columns: vec!["id".into()],
        };
        let tables = [table("artist", &["id"]), table("payment", &["n", "artist_id"])];
        let shapes = tables.map(|one| Shape::of_relation(&one.into()));
        let served: Vec<_> = shapes
            .iter()
            .map(|shape| ServedRelation { name: &shape.name, shape, is_table: true })
            .collect();
        let (remarks, _) = of_relations(&served, &[key("artist"), key("hidden")], &|_| None);
        let texts: Vec<&str> = remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "payment: partitions have a foreign key from artist_id to artist, the table itself has none: neither `expand` nor views follow it. A FOREIGN KEY of the table adds both; a view does without by\nartist @link(from: [artist_id], to: [id]) { id }"
            ]
        );
        assert_eq!(counts(&remarks).unwrap(), "1 foreign key of partitions alone");
    }
}
