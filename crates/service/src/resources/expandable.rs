//! What can be expanded of a table's rows, and under which names.
//!
//! A foreign key out of the table leads to one row, one into it to many. Each is called as the
//! table at its other end is served; where that name is a member already, or several keys would
//! have it, each has its long name instead: that of the key's own column without `_id` where it
//! leads out, `{table}_by_{column}` where it leads in. Out of a table into itself by a column without
//! `_id` it is `{column}_{table}`. The long name is always understood.
//!
//! A name is kept until the process ends, whatever keys are added, so
//! that no request that worked stops working. What the next start would call otherwise is noted,
//! with the line for app.toml that keeps it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use duet_model::catalog::{ForeignKey, same_name};
use duet_model::{Relation, Shape, steps};

/// A foreign key as a way to related rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expandable {
    /// Its name as a member.
    pub name: String,
    /// The name that it always has too.
    pub(crate) long: String,
    /// The resource at the other end.
    pub resource: String,
    /// Whether it leads to many rows.
    pub many: bool,
    /// Columns of this table.
    pub own_columns: Vec<usize>,
    /// Columns of the other one, in the same order.
    pub other_columns: Vec<usize>,
    /// How app.toml names the key: its columns, or `table.columns` where it leads here.
    spelling: String,
    /// The key itself, by the database's names.
    id: String,
}

impl Expandable {
    /// A way between the columns of two resources that `expand=` knows no name for.
    pub(crate) fn along(
        resource: &str,
        many: bool,
        [own_columns, other_columns]: [Vec<usize>; 2],
    ) -> Self {
        let (name, long) = (String::new(), String::new());
        let (spelling, id, resource) = (String::new(), String::new(), resource.to_owned());
        Self { name, long, resource, many, own_columns, other_columns, spelling, id }
    }

    /// How app.toml names its key.
    pub(crate) fn spelling(&self) -> &str {
        &self.spelling
    }

    /// Whether app.toml names its key so.
    pub(crate) fn is_spelled(&self, spelling: &str) -> bool {
        same_name(&self.spelling, &squeezed(spelling))
    }
}

/// A table that is served.
pub(crate) struct ServedShape<'a> {
    pub(crate) name: &'a str,
    pub(crate) shape: &'a Shape,
}

impl<'a> ServedShape<'a> {
    fn table(&self) -> &'a Arc<Relation> {
        &self.shape.root().table
    }
}

/// The foreign keys among tables that are served, from both of their ends.
pub(crate) struct ServedKeys<'a> {
    all: &'a [ServedShape<'a>],
    /// The first table of a schema and name.
    by_name: HashMap<(&'a str, &'a str), usize>,
    /// The keys that lead to a table, each with the table that has it.
    into: HashMap<(&'a str, &'a str), Vec<(usize, &'a ForeignKey)>>,
}

impl<'a> ServedKeys<'a> {
    pub(crate) fn of(all: &'a [ServedShape<'a>]) -> Self {
        let mut keys = Self { all, by_name: HashMap::new(), into: HashMap::new() };
        for (at, served) in all.iter().enumerate() {
            let table = served.table();
            keys.by_name.entry((&table.schema, &table.name)).or_insert(at);
            for key in &table.foreign_keys {
                keys.into.entry(target(key)).or_default().push((at, key));
            }
        }
        keys
    }

    /// The table that a key leads to.
    fn referenced(&self, key: &'a ForeignKey) -> Option<&'a ServedShape<'a>> {
        steps::step();
        self.by_name.get(&target(key)).map(|&at| &self.all[at])
    }

    /// The keys that lead to a table, with those that have them.
    fn leading_to(&self, table: &'a Relation) -> Vec<(&'a ServedShape<'a>, &'a ForeignKey)> {
        let found = self.into.get(&(table.schema.as_str(), table.name.as_str()));
        let found = found.into_iter().flatten().inspect(|_| steps::step());
        found.map(|&(at, key)| (&self.all[at], key)).collect()
    }
}

fn target(key: &ForeignKey) -> (&str, &str) {
    (&key.references_schema, &key.references_table)
}

/// The ways out of a table, named. `before` are those of the snapshot before, if there was one.
pub(crate) fn expandables(
    own: usize,
    keys: &ServedKeys<'_>,
    declared: &BTreeMap<String, String>,
    before: &[Expandable],
    notes: &mut Vec<String>,
) -> Vec<Expandable> {
    let own = &keys.all[own];
    let mut found = Vec::new();
    for key in &own.table().foreign_keys {
        found.extend(keys.referenced(key).and_then(|other| way_out(own, other, key)));
    }
    // Arrays are read by the keys of what they belong to, and ordered by their own.
    let keyed = |served: &ServedShape<'_>| !served.table().identity().is_empty();
    if !own.shape.key.is_empty() {
        let ways = keys.leading_to(own.table()).into_iter().filter(|(other, _)| keyed(other));
        found.extend(ways.filter_map(|(other, key)| way_in(own, other, key)));
    }
    found.sort_by(|a, b| (a.many, &a.id).cmp(&(b.many, &b.id)));
    found.dedup_by(|a, b| (a.many, &a.id) == (b.many, &b.id));
    name(own, &mut found, declared, before, notes);
    found
}

/// The columns of the referenced table; `None` where one of them is not known.
fn referenced(key: &ForeignKey, table: &Relation) -> Option<Vec<usize>> {
    let find = |name: &String| table.columns.iter().position(|column| column.name == *name);
    let columns: Option<Vec<usize>> = key.references_columns.iter().map(find).collect();
    columns.filter(|columns| !columns.is_empty() && columns.len() == key.columns.len())
}

fn way_out(own: &ServedShape<'_>, other: &ServedShape<'_>, key: &ForeignKey) -> Option<Expandable> {
    let columns = column_names(own.table(), key);
    let stem = columns[0].strip_suffix("_id").filter(|stem| columns.len() == 1 && !stem.is_empty());
    let long = match stem {
        Some(stem) => stem.to_owned(),
        // `{table}_by_{column}` is what leads the other way along the same key.
        None if Arc::ptr_eq(own.table(), other.table()) => {
            format!("{}_{}", columns.join("_"), other.name)
        }
        None => by(other.name, &columns),
    };
    Some(Expandable {
        name: String::new(),
        long,
        resource: other.name.to_owned(),
        many: false,
        own_columns: key.columns.clone(),
        other_columns: referenced(key, other.table())?,
        spelling: columns.join(","),
        id: id_of(own.table(), key),
    })
}

fn way_in(own: &ServedShape<'_>, other: &ServedShape<'_>, key: &ForeignKey) -> Option<Expandable> {
    let columns = column_names(other.table(), key);
    Some(Expandable {
        name: String::new(),
        long: by(other.name, &columns),
        resource: other.name.to_owned(),
        many: true,
        own_columns: referenced(key, own.table())?,
        other_columns: key.columns.clone(),
        spelling: format!("{}.{}", other.name, columns.join(",")),
        id: id_of(other.table(), key),
    })
}

fn by(table: &str, columns: &[String]) -> String {
    format!("{table}_by_{}", columns.join("_"))
}

fn column_names(table: &Relation, key: &ForeignKey) -> Vec<String> {
    key.columns.iter().map(|&column| table.columns[column].served_name()).collect()
}

fn id_of(table: &Relation, key: &ForeignKey) -> String {
    let columns: Vec<&str> =
        key.columns.iter().map(|&column| table.columns[column].name.as_str()).collect();
    format!("{:?}.{:?}{columns:?}{:?}", table.schema, table.name, key.references_columns)
}

/// Gives the names: those of app.toml, those given before, and then by the rule.
fn name(
    own: &ServedShape<'_>,
    found: &mut [Expandable],
    declared: &BTreeMap<String, String>,
    before: &[Expandable],
    notes: &mut Vec<String>,
) {
    let members = own.shape.root().members.iter().map(|member| member.name.clone());
    let mut taken: BTreeSet<String> = members.collect();
    taken.extend(["links", "_metadata"].map(str::to_owned));
    for (name, spelling) in declared {
        let expandable = found.iter_mut().find(|expandable| expandable.is_spelled(spelling));
        match expandable {
            Some(expandable) if taken.insert(name.clone()) => expandable.name.clone_from(name),
            Some(_) => notes.push(format!(
                "[resources.{}.expand] {name}: that is a member of {} already. Choose another name.",
                own.name, own.name
            )),
            None => notes.push(format!(
                "[resources.{}.expand] {name}: there is no foreign key {spelling:?} to or from a table that is served. Write its columns, or `table.columns` for one that leads here.",
                own.name
            )),
        }
    }
    let known_keys: HashMap<_, _> =
        before.iter().map(|known| ((known.many, known.id.as_str()), known)).collect();
    for expandable in found.iter_mut().filter(|expandable| expandable.name.is_empty()) {
        let known = known_keys.get(&(expandable.many, expandable.id.as_str()));
        if let Some(known) = known.filter(|known| taken.insert(known.name.clone())) {
            expandable.name.clone_from(&known.name);
        }
    }
    let undeclared = |expandable: &Expandable| !declared.contains_key(&expandable.name);
    let mut wanting: BTreeMap<String, usize> = BTreeMap::new();
    for expandable in found.iter().filter(|expandable| undeclared(expandable)) {
        *wanting.entry(expandable.resource.clone()).or_default() += 1;
    }
    for expandable in found.iter_mut().filter(|expandable| expandable.name.is_empty()) {
        if wanting[&expandable.resource] == 1 && taken.insert(expandable.resource.clone()) {
            expandable.name.clone_from(&expandable.resource);
        }
    }
    for expandable in found.iter_mut().filter(|expandable| expandable.name.is_empty()) {
        let mut name = expandable.long.clone();
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        expandable.name = name;
    }
    let short = |expandable: &&Expandable| {
        expandable.name == expandable.resource && expandable.name != expandable.long
    };
    for expandable in found.iter().filter(|expandable| undeclared(expandable)).filter(short) {
        if wanting[&expandable.resource] > 1 {
            notes.push(format!(
                "Another foreign key joins {} and {}: `expand={}` stays what it is until the next start, and is {:?} from then on. To keep it, add to app.toml:\n[resources.{}.expand]\n{:?} = {:?}",
                own.name, expandable.resource, expandable.name, expandable.long, own.name, expandable.name, expandable.spelling
            ));
        }
    }
}

/// Without blanks, as spellings are compared.
fn squeezed(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

#[cfg(test)]
mod tests {
    use duet_model::catalog::RelationKind;
    use duet_model::{Column, Type};

    use super::*;
    use crate::build::table_shape::table_shape;

    /// A table with an `id` and the columns of these keys: column, table that it leads to.
    fn table(name: &str, keys: &[(&str, &str)]) -> Shape {
        let mut columns = vec![Column::new("id", Type::Integer { bits: 64 })];
        let mut foreign_keys = Vec::new();
        for (index, (column, to)) in keys.iter().enumerate() {
            columns.push(Column::new(*column, Type::Integer { bits: 64 }));
            foreign_keys.push(ForeignKey {
                name: String::new(),
                columns: vec![index + 1],
                references_schema: "main".into(),
                references_table: (*to).to_owned(),
                references_columns: vec!["id".into()],
                on_delete: duet_model::catalog::OnDelete::Refuse,
            });
        }
        let relation = Relation {
            schema: "main".into(),
            name: name.into(),
            alias: None,
            kind: RelationKind::Table,
            columns,
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys,
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: true,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        };
        table_shape(&Arc::new(relation), None)
    }

    type Keys<'a> = &'a [(&'a str, &'a [(&'a str, &'a str)])];

    /// The ways out of the first table: name, and whether it leads to many.
    fn ways(
        tables: Keys<'_>,
        declared: &[(&str, &str)],
        before: &[Expandable],
    ) -> (Vec<Expandable>, Vec<String>) {
        let shapes: Vec<Shape> = tables.iter().map(|(name, keys)| table(name, keys)).collect();
        let all: Vec<ServedShape<'_>> =
            shapes.iter().map(|shape| ServedShape { name: &shape.name, shape }).collect();
        let declared = declared.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let mut notes = Vec::new();
        let found = expandables(0, &ServedKeys::of(&all), &declared, before, &mut notes);
        (found, notes)
    }

    fn names(found: &[Expandable]) -> Vec<(&str, bool)> {
        found.iter().map(|expandable| (expandable.name.as_str(), expandable.many)).collect()
    }

    const PLAIN: Keys<'_> =
        &[("game", &[("home_id", "team")]), ("team", &[]), ("goal", &[("game_id", "game")])];

    #[test]
    fn by_the_name_of_the_table() {
        let (found, notes) = ways(PLAIN, &[], &[]);
        assert_eq!(names(&found), [("team", false), ("goal", true)]);
        assert!(notes.is_empty());
    }

    #[test]
    fn two_keys_to_one_table() {
        let two: Keys<'_> = &[("game", &[("home_id", "team"), ("guest", "team")]), ("team", &[])];
        assert_eq!(names(&ways(two, &[], &[]).0), [("team_by_guest", false), ("home", false)]);
        let back: Keys<'_> = &[("team", &[]), ("game", &[("home_id", "team"), ("guest", "team")])];
        let expected = [("game_by_guest", true), ("game_by_home_id", true)];
        assert_eq!(names(&ways(back, &[], &[]).0), expected);
        let itself: Keys<'_> = &[("person", &[("boss_id", "person")])];
        let expected = [("boss", false), ("person_by_boss_id", true)];
        assert_eq!(names(&ways(itself, &[], &[]).0), expected);
        let itself: Keys<'_> = &[("employees", &[("reportsto", "employees")])];
        let expected = [("reportsto_employees", false), ("employees_by_reportsto", true)];
        assert_eq!(names(&ways(itself, &[], &[]).0), expected);
    }

    #[test]
    fn a_member_of_that_name() {
        let keys: Keys<'_> = &[("game", &[("team", "team")]), ("team", &[])];
        assert_eq!(names(&ways(keys, &[], &[]).0), [("team_by_team", false)]);
    }

    #[test]
    fn a_new_key_takes_no_name_away() {
        let (before, _) = ways(PLAIN, &[], &[]);
        let more: Keys<'_> = &[
            ("game", &[("home_id", "team"), ("guest_id", "team")]),
            ("team", &[]),
            ("goal", &[("game_id", "game"), ("next_game_id", "game")]),
        ];
        let (after, notes) = ways(more, &[], &before);
        let expected =
            [("guest", false), ("team", false), ("goal", true), ("goal_by_next_game_id", true)];
        assert_eq!(names(&after), expected);
        assert_eq!(notes.len(), 2, "{notes:?}");
        assert!(notes[0].ends_with("[resources.game.expand]\n\"team\" = \"home_id\""), "{notes:?}");
        assert!(notes[1].ends_with("\"goal\" = \"goal.game_id\""), "{notes:?}");
        // The lines have the effect that the notes describe, at the next start too.
        let declared = [("team", "home_id"), ("goal", "goal.game_id")];
        for known in [&after[..], &[]] {
            let (kept, notes) = ways(more, &declared, known);
            assert!(notes.is_empty(), "{notes:?}");
            let of = |name: &str| {
                kept.iter().find(|expandable| expandable.name == name).unwrap().id.clone()
            };
            for expandable in &before {
                assert_eq!(of(&expandable.name), expandable.id);
            }
        }
    }

    #[test]
    fn names_of_the_application() {
        let (found, notes) = ways(PLAIN, &[("host", "home_id"), ("scored", "goal . game_id")], &[]);
        assert_eq!(names(&found), [("host", false), ("scored", true)]);
        assert!(notes.is_empty());
        let (found, notes) = ways(PLAIN, &[("id", "home_id"), ("x", "nothing")], &[]);
        assert_eq!(names(&found), [("team", false), ("goal", true)]);
        assert_eq!(notes.len(), 2, "{notes:?}");
    }
}
