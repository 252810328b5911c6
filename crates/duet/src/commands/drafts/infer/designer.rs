//! The decisions: which member becomes a column, a group, a table of its own, a shared table or JSON.
//!
//! A type, a key or a table is chosen only where every sample is read back unchanged: a timestamp
//! only in its canonical form, a key only where lists are in its order, JSON otherwise.

use std::collections::{HashMap, HashSet};

use super::super::init::names::snake_case;
use super::design::{Design, Form, Member, Node, Reference, Table, View};
use super::entities::{Entities, HomeOf, Homes};
use super::input::Collection;
use super::keys::{self, Reach};
use super::names::{Names, singular};
use super::relations::{ContainedCollection, KeptRelations, Relations, root_collections};
use super::samples::{Kind, MemberSamples, Sample, are_maps, members};
use super::values::ColumnType;

/// Tables below each other; what lies deeper is JSON.
pub(super) const DEEPEST: usize = 12;

/// Groups in each other in one table. With the tables around them they stay below the limit of views.
const DEEPEST_GROUPS: usize = 16;

/// Members that views cannot have: the server's own at the top of a document, and one beside a flex
/// column.
pub(super) const RESERVED: [&str; 3] = ["_metadata", "links", "_nameConflicts"];

/// Where a member is.
#[derive(Clone)]
pub(super) struct Place<'p> {
    /// The table of the object.
    pub(super) table: usize,
    /// The names from the collection to the object.
    pub(super) path: String,
    /// In front of the names of columns: those of the groups around.
    pub(super) prefix: String,
    /// Tables around it.
    pub(super) level: usize,
    /// What the objects are called in comments.
    pub(super) noun: &'p str,
    /// Whether other tables and a flex column are possible here.
    pub(super) may_nest: bool,
    /// Whether every row has the object.
    pub(super) is_required: bool,
}

/// What becomes of a member.
enum Decision {
    Member(Member),
    /// It goes to the flex column, for this reason.
    Flex(String),
    LeftOut,
}

/// Designs the tables and views of collections.
pub(super) fn design(collections: &[Collection]) -> Design {
    let samples = samples(collections);
    let roots = root_collections(&samples);
    let entities = Entities::find(&samples, &Homes::new(), &roots);
    let mut designer = Designer::new(Design::default(), Names::default(), entities);
    designer.contained(&samples, &roots);
    for (name, documents) in &samples {
        designer.collection(name, documents, None);
    }
    designer.design
}

/// The documents of each collection.
pub(super) fn samples(collections: &[Collection]) -> Vec<(&str, Vec<Sample<'_>>)> {
    let mut all = Vec::new();
    for collection in collections {
        let documents = collection.documents.iter().enumerate();
        let documents = documents.map(|(parent, document)| sample(parent, document)).collect();
        all.push((collection.name.as_str(), documents));
    }
    all
}

fn sample(parent: usize, document: &super::input::Document) -> Sample<'_> {
    Sample { members: &document.members, parent }
}

/// Designs views one after the other, over tables that they share.
pub(super) struct Designer<'d> {
    pub(super) design: Design,
    /// The names of tables that are taken.
    names: Names,
    pub(super) entities: Entities<'d>,
    /// The tables of shared sub-objects, with their members.
    shared: HashMap<usize, Node>,
    /// Names of invented members of the current view.
    pub(super) invented: HashSet<String>,
    /// The collections whose documents are sub-objects of others too, by their positions.
    pub(super) contained: HashMap<usize, ContainedCollection>,
    /// Which documents they have in each other.
    pub(super) relations: Relations,
    /// The columns and tables of these relations.
    pub(super) kept: KeptRelations,
    /// Lists that would get a table beside the one that is there for them: a line each.
    pub(super) doubled: Vec<String>,
}

impl<'d> Designer<'d> {
    /// Over tables that are there, whose names are taken.
    pub(super) fn new(design: Design, names: Names, entities: Entities<'d>) -> Self {
        Self {
            design,
            names,
            entities,
            shared: HashMap::new(),
            invented: HashSet::new(),
            contained: HashMap::new(),
            relations: Relations::default(),
            kept: KeptRelations::default(),
            doubled: Vec::new(),
        }
    }

    /// The names of keys that were invented since the last view.
    pub(super) fn take_invented(&mut self) -> HashSet<String> {
        std::mem::take(&mut self.invented)
    }

    /// Designs the view of a collection, whose documents are rows of `home` if that table has them already.
    pub(super) fn collection(
        &mut self,
        name: &str,
        documents: &[Sample<'d>],
        home: Option<(usize, &str)>,
    ) {
        let contained = self.contained.values().find(|one| one.name == name);
        let contained = contained.map(|one| (one.table, one.key.clone()));
        let is_contained = contained.is_some();
        let comments = || vec![format!("The documents of {name}: {}.", documents.len())];
        let known = home.map(|(table, _)| table).or(contained.as_ref().map(|(table, _)| *table));
        let table = known.unwrap_or_else(|| self.table(name, comments()));
        let place = Place {
            table,
            path: name.to_owned(),
            prefix: String::new(),
            level: 0,
            noun: "documents",
            may_nest: true,
            is_required: known.is_none(),
        };
        let found = keys::find(documents, name, false).filter(|(_, reach)| *reach == Reach::All);
        let key = match contained {
            Some((_, key)) => key,
            None => match (&found, home) {
                (Some((key, _)), Some((_, column))) => {
                    Member::Column { name: key.name.to_owned(), column: column.to_owned() }
                }
                (Some((key, _)), None) => self.key_member(table, key, "unique in all documents"),
                (None, _) => self.invented_key(table, documents, "no member identifies a document"),
            },
        };
        let own = found.map(|(key, _)| key.name);
        let mut all = vec![key];
        let mut comments = vec![format!("The documents of {name}, over {{tables}}.")];
        let rest = members(documents).into_iter().filter(|member| Some(member.name) != own);
        let (reserved, rest): (Vec<_>, Vec<_>) =
            rest.partition(|member| RESERVED.contains(&member.name));
        comments.extend(reserved.iter().map(|member| {
            format!("`{}` is the server's own name here and is left out.", clean(member.name))
        }));
        all.extend(self.object(&place, rest));
        let root = Node { table, members: all, is_owned: true };
        let listed = self.design.tables_of(&root).join(", ");
        comments[0] = comments[0].replace("{tables}", &listed);
        let invented = self.take_invented();
        // A collection is served under its own name.
        let name = name.to_owned();
        self.design.views.push(View { name, comments, root, invented, is_contained });
    }

    pub(super) fn table(&mut self, wanted: &str, comments: Vec<String>) -> usize {
        let name = self.names.free(wanted);
        self.design.tables.push(Table { name, comments, ..Table::default() });
        self.design.tables.len() - 1
    }

    /// The key that the objects have.
    pub(super) fn key_member(
        &mut self,
        table: usize,
        key: &MemberSamples<'_>,
        why: &str,
    ) -> Member {
        let Kind::Scalar(ty) = key.kind() else { return self.generated(table, "_id", why) };
        let comment = format!("`{}`: the key, {why}", clean(key.name));
        let table = &mut self.design.tables[table];
        let column = table.add(key.name, ty, true, comment);
        table.key.push(column.clone());
        Member::Column { name: key.name.to_owned(), column }
    }

    /// A key that the database makes, as a member of a name that no object has.
    pub(super) fn invented_key(
        &mut self,
        table: usize,
        objects: &[Sample<'_>],
        why: &str,
    ) -> Member {
        let taken: HashSet<&str> = members(objects).iter().map(|member| member.name).collect();
        let names = ["_id", "_row", "_rowId", "_key"];
        let free = names.into_iter().find(|name| !taken.contains(name)).unwrap_or("_generated");
        self.generated(table, free, why)
    }

    fn generated(&mut self, table: usize, member: &str, why: &str) -> Member {
        self.invented.insert(member.to_owned());
        let table = &mut self.design.tables[table];
        let comment = format!("invented, because {why}");
        let column = table.add("id", ColumnType::BigInteger, true, comment);
        table.key.push(column.clone());
        table.is_generated = true;
        Member::Column { name: member.to_owned(), column }
    }

    /// The members of objects, those of the flex column last.
    pub(super) fn object(&mut self, place: &Place<'_>, all: Vec<MemberSamples<'d>>) -> Vec<Member> {
        let mut found = Vec::new();
        let mut flexible = Vec::new();
        for member in all {
            match self.member(place, &member) {
                Decision::Member(member) => found.push(member),
                Decision::Flex(why) => {
                    flexible.push(format!("`{}` ({why})", clean(member.name)));
                }
                Decision::LeftOut => {}
            }
        }
        if !flexible.is_empty() {
            let comment = format!("members of any name; in the samples {}", flexible.join(", "));
            let table = &mut self.design.tables[place.table];
            let column = table.add("extras", ColumnType::Json, false, comment);
            found.push(Member::Flex { column });
        }
        found
    }

    fn member(&mut self, place: &Place<'_>, member: &MemberSamples<'d>) -> Decision {
        let path = format!("{}/{}", place.path, member.name);
        if let Some(column) = self.contained_column(place, member.name) {
            return Decision::Member(Member::Column { name: member.name.to_owned(), column });
        }
        let count = format!("in {} of {} {}", member.present(), member.objects, place.noun);
        if member.name == RESERVED[2] || (!is_writable(member.name) && !place.may_nest) {
            return Decision::LeftOut;
        }
        if !is_writable(member.name) {
            return Decision::Flex(format!("a name that no view can have; {count}"));
        }
        if place.may_nest && member.is_rare() {
            return Decision::Flex(count);
        }
        let as_json = |why: &str| format!("{why}; {count}");
        match member.kind() {
            // A number alone in a JSON column would become a float on SQLite.
            Kind::Scalar(ColumnType::Json) if place.may_nest => {
                Decision::Flex(format!("numbers whose digits a column would change; {count}"))
            }
            _ if self.stored_column(place, member.name).is_some() => {
                let column = self.stored_column(place, member.name).unwrap_or_default();
                Decision::Member(Member::Column { name: member.name.to_owned(), column })
            }
            Kind::Scalar(ty) => Decision::Member(self.column(place, member, ty, &count)),
            Kind::Mixed if place.may_nest => Decision::Flex(member.counts()),
            Kind::Mixed => self.json(place, member, &as_json(&member.counts())),
            Kind::Nothing => self.json(place, member, &as_json("always null")),
            Kind::Array => {
                self.json(place, member, &as_json("an array that is no list of objects"))
            }
            Kind::Objects if !place.may_nest || place.level >= DEEPEST => {
                self.json(place, member, &as_json("a list where no table can be"))
            }
            Kind::Objects if member.has_null() => {
                self.json(place, member, &as_json("a list that is null somewhere"))
            }
            Kind::Objects => Decision::Member(self.list(place, member, &path)),
            Kind::Object => self.one(place, member, &path, &count),
        }
    }

    /// The column of a table that is there that a member of this name is.
    fn stored_column(&self, place: &Place<'_>, member: &str) -> Option<String> {
        let stored = self.design.tables[place.table].stored.as_ref()?;
        let wanted = snake_case(&format!("{}{member}", place.prefix));
        let at = stored.relation.column_index(&wanted)?;
        let is_free = !stored.shown.contains(&at);
        is_free.then(|| stored.relation.columns[at].name.clone())
    }

    fn column(
        &mut self,
        place: &Place<'_>,
        member: &MemberSamples<'_>,
        ty: ColumnType,
        count: &str,
    ) -> Member {
        let not_null = place.is_required && member.is_required();
        let wanted = format!("{}{}", place.prefix, member.name);
        let comment = format!("`{}`: {count}", clean(member.name));
        let column = self.design.tables[place.table].add_member(&wanted, ty, not_null, comment);
        Member::Column { name: member.name.to_owned(), column }
    }

    fn json(&mut self, place: &Place<'_>, member: &MemberSamples<'_>, why: &str) -> Decision {
        let wanted = format!("{}{}", place.prefix, member.name);
        let comment = format!("`{}`: {why}", clean(member.name));
        let table = &mut self.design.tables[place.table];
        let column = table.add_member(&wanted, ColumnType::Json, false, comment);
        Decision::Member(Member::Column { name: member.name.to_owned(), column })
    }

    /// An object: a shared row, columns of the same table, a row of its own, or JSON.
    fn one(
        &mut self,
        place: &Place<'_>,
        member: &MemberSamples<'d>,
        path: &str,
        count: &str,
    ) -> Decision {
        let objects = member.objects();
        if are_maps(&objects) || objects.iter().all(|object| object.members.is_empty()) {
            let why = format!("an object whose names are data; {count}");
            return self.json(place, member, &why);
        }
        if let Some(entity) = self.entities.at(path).filter(|_| place.may_nest) {
            let node = self.entity(entity);
            let column = match self.kept.columns.get(path) {
                Some(column) => column.clone(),
                None => {
                    let required = place.is_required && member.is_required();
                    self.refer(place.table, &node, member.name, required, count)
                }
            };
            let name = member.name.to_owned();
            return Decision::Member(Member::Nested { name, node, form: Form::Shared(column) });
        }
        if self.is_flat(&objects, path, DEEPEST_GROUPS) && !member.has_null() {
            let inner = Place {
                path: path.to_owned(),
                prefix: format!("{}{}_", place.prefix, member.name),
                may_nest: false,
                is_required: place.is_required && member.is_required(),
                ..place.clone()
            };
            let members = self.object(&inner, members(&objects));
            return Decision::Member(Member::Group { name: member.name.to_owned(), members });
        }
        if !place.may_nest || place.level >= DEEPEST {
            return self.json(place, member, &format!("an object where no table can be; {count}"));
        }
        let comments = vec![format!(
            "`{}` of {}: an object with lists, null or members of several types; {count}.",
            clean(member.name),
            self.design.tables[place.table].name
        )];
        let table = self.child(place, member.name, comments);
        let own = self.refer_to_parent(table, place.table);
        self.design.tables[table].key = own;
        let inner = below(place, table, path, "objects");
        let members = self.object(&inner, members(&objects));
        let node = Node { table, members, is_owned: true };
        let name = member.name.to_owned();
        Decision::Member(Member::Nested { name, node, form: Form::Own })
    }

    /// Whether objects can be columns of the table around them, with so many groups in each other.
    fn is_flat(&self, objects: &[Sample<'d>], path: &str, groups: usize) -> bool {
        let Some(groups) = groups.checked_sub(1) else { return false };
        members(objects).iter().all(|member| match member.kind() {
            _ if !is_writable(member.name) => false,
            // It belongs to a flex column, which groups do not have.
            Kind::Scalar(ColumnType::Json) => false,
            Kind::Scalar(_) | Kind::Nothing | Kind::Array => true,
            Kind::Objects | Kind::Mixed => false,
            Kind::Object => {
                let inner = member.objects();
                let path = format!("{path}/{}", member.name);
                !member.has_null()
                    && self.entities.at(&path).is_none()
                    && (are_maps(&inner) || self.is_flat(&inner, &path, groups))
            }
        })
    }

    /// A list of objects: rows of a table of its own, or of a mapping table where the objects are
    /// shared.
    fn list(&mut self, place: &Place<'_>, member: &MemberSamples<'d>, path: &str) -> Member {
        let objects = member.objects();
        let (node, form) = match self.entities.at(path) {
            Some(entity) => self.shared_list(place, member, path, entity),
            None => (self.children(place, member, &objects, path), Form::Array),
        };
        Member::Nested { name: member.name.to_owned(), node, form }
    }

    fn children(
        &mut self,
        place: &Place<'_>,
        member: &MemberSamples<'d>,
        objects: &[Sample<'d>],
        path: &str,
    ) -> Node {
        let parent = self.design.tables[place.table].name.clone();
        let comments = vec![format!(
            "The elements of `{}` of {parent}: {} in {} lists.",
            clean(member.name),
            objects.len(),
            member.present()
        )];
        self.note_doubled(place.table, member.name);
        let table = self.child(place, &singular(member.name), comments);
        let found = keys::find(objects, member.name, true).map(|(key, reach)| {
            let reach = if keys::is_global(key.name) { reach } else { Reach::Parent };
            (key, reach)
        });
        let own = found.as_ref().map(|(key, _)| key.name);
        let key = match &found {
            Some((key, Reach::All)) => {
                let key = self.key_member(table, key, "unique, and the lists are in its order");
                self.refer_to_parent(table, place.table);
                key
            }
            Some((key, Reach::Parent)) => {
                let columns = self.refer_to_parent(table, place.table);
                self.design.tables[table].key = columns;
                self.key_member(table, key, "unique in each list, which is in its order")
            }
            None => {
                let why = "no member identifies an element in the order of the lists";
                let key = self.invented_key(table, objects, why);
                self.refer_to_parent(table, place.table);
                key
            }
        };
        let inner = below(place, table, path, "elements");
        let rest = members(objects).into_iter().filter(|member| Some(member.name) != own);
        let mut all = vec![key];
        all.extend(self.object(&inner, rest.collect()));
        Node { table, members: all, is_owned: true }
    }

    /// Notes a list of a table that is there, for which another table is there too: it refers to the first, and has the
    /// name that the list's would have.
    fn note_doubled(&mut self, parent: usize, member: &str) {
        let parent = &self.design.tables[parent];
        let Some(stored) = &parent.stored else { return };
        let own = singular(&snake_case(member));
        let whole = format!("{}_{own}", singular(&snake_case(&parent.name)));
        let found = stored.children.get(&whole).or_else(|| stored.children.get(&own));
        if let Some(child) = found {
            let (member, parent) = (clean(member), &parent.name);
            self.doubled.push(format!("`{member}` of {parent}: {child} refers to {parent}"));
        }
    }

    /// A mapping table between a document and the shared rows in its list.
    pub(super) fn mapping(
        &mut self,
        place: &Place<'_>,
        member: &MemberSamples<'d>,
        path: &str,
        entity: usize,
    ) -> Node {
        let objects = &member.objects()[..];
        let parent = self.design.tables[place.table].name.clone();
        let shared = self.entity(entity);
        let other = self.design.tables[shared.table].name.clone();
        let comments = vec![format!(
            "Which rows of {other} are in `{}` of {parent}: {} in {} lists.",
            clean(member.name),
            objects.len(),
            member.present()
        )];
        let table = self.child(place, &singular(member.name), comments);
        let key = self.entities.all[entity].key.clone();
        let same = members(objects).into_iter().find(|one| one.name == key);
        let in_order = same.is_some_and(|same| keys::is_ascending(objects, &same));
        let mut all = Vec::new();
        if !in_order {
            let why = "the lists are not in the order of the shared key";
            all.push(self.invented_key(table, objects, why));
        }
        let columns = self.refer_to_parent(table, place.table);
        let column = self.refer(table, &shared, &other, true, "one for each element");
        if in_order {
            self.design.tables[table].key = columns;
            self.design.tables[table].key.push(column.clone());
        }
        let form = Form::Merged(column);
        all.push(Member::Nested { name: String::new(), node: shared, form });
        // The other side may make a row without them.
        let is_required = self.relations.inverse(path).is_none();
        let inner = Place { is_required, ..below(place, table, path, "elements") };
        let varying = &self.entities.all[entity].varying;
        let own = members(objects).into_iter().filter(|one| varying.contains(one.name)).collect();
        let members = self.object(&inner, own);
        self.keep(path, table, place.table, &members);
        all.extend(members);
        Node { table, members: all, is_owned: true }
    }

    pub(super) fn child(
        &mut self,
        place: &Place<'_>,
        member: &str,
        comments: Vec<String>,
    ) -> usize {
        let parent = singular(&self.design.tables[place.table].name);
        self.table(&format!("{parent}_{}", snake_case(member)), comments)
    }

    /// The columns by which rows refer to those of their parent.
    pub(super) fn refer_to_parent(&mut self, table: usize, parent: usize) -> Vec<String> {
        let (name, key) =
            (self.design.tables[parent].name.clone(), self.design.tables[parent].key_columns());
        let own = &mut self.design.tables[table];
        let columns: Vec<String> = key
            .iter()
            .map(|column| {
                let wanted = reference_name(&singular(&name), &column.name);
                let comment = format!("the row of {name} that it belongs to");
                own.add_reference(&wanted, column, true, comment)
            })
            .collect();
        own.references.push(Reference { columns: columns.clone(), table: parent });
        columns
    }

    /// The column by which rows refer to a shared row.
    pub(super) fn refer(
        &mut self,
        table: usize,
        shared: &Node,
        member: &str,
        required: bool,
        count: &str,
    ) -> String {
        let key = self.design.tables[shared.table].key_columns();
        let Some(key) = key.first() else { return String::new() };
        let comment = format!("`{}`: a shared row; {count}", clean(member));
        let wanted = reference_name(&snake_case(member), &key.name);
        let own = &mut self.design.tables[table];
        if let Some(column) = own.stored_reference(&wanted, shared.table) {
            return column;
        }
        let column = own.add_reference(&wanted, key, required, comment);
        // A second foreign key between two tables would make the links of views that are there ambiguous.
        let refers = |from: usize, to: usize| {
            self.design.tables[from].stored_references().iter().any(|one| one.table == to)
        };
        if !refers(table, shared.table) && !refers(shared.table, table) {
            let reference = Reference { columns: vec![column.clone()], table: shared.table };
            self.design.tables[table].references.push(reference);
        }
        column
    }

    /// The table of a kind of shared sub-objects, made when it is first needed.
    pub(super) fn entity(&mut self, entity: usize) -> Node {
        if let Some(known) = self.shared.get(&entity) {
            return known.clone();
        }
        let kind = &self.entities.all[entity];
        let (rows, occurrences) = (kind.rows.len(), kind.occurrences);
        let objects: Vec<Sample<'d>> = kind
            .rows
            .iter()
            .enumerate()
            .map(|(parent, members)| Sample { members, parent })
            .collect();
        let (name, key) = (kind.name.clone(), kind.key.clone());
        let comments = vec![format!(
            "Shared: {occurrences} sub-objects with {rows} keys, equal wherever the key is equal."
        )];
        let home = kind.home;
        let varying = kind.varying.clone();
        if let Some(HomeOf::Collection(collection)) = home {
            let node = self.contained_node(collection, &key, &varying, &objects);
            self.shared.insert(entity, node.clone());
            return node;
        }
        let table = match home {
            Some(HomeOf::Table(table)) => table,
            _ => self.table(&name, comments),
        };
        let mut all = Vec::new();
        let own = members(&objects).into_iter().filter(|member| !varying.contains(member.name));
        let (keys, rest): (Vec<_>, Vec<_>) = own.partition(|member| member.name == key);
        for key in &keys {
            let stored = self.design.tables[table].key.first().filter(|_| home.is_some());
            all.push(match stored {
                Some(column) => {
                    Member::Column { name: key.name.to_owned(), column: column.clone() }
                }
                None => self.key_member(table, key, "equal sub-objects have the same"),
            });
        }
        let place = Place {
            table,
            path: format!("/{name}"),
            prefix: String::new(),
            level: DEEPEST,
            noun: "rows",
            may_nest: false,
            is_required: home.is_none(),
        };
        all.extend(self.object(&place, rest));
        let node = Node { table, members: all, is_owned: false };
        self.shared.insert(entity, node.clone());
        node
    }
}

/// The place of objects in a table of their own.
fn below<'p>(place: &Place<'_>, table: usize, path: &str, noun: &'p str) -> Place<'p> {
    Place {
        table,
        path: path.to_owned(),
        prefix: String::new(),
        level: place.level + 1,
        noun,
        may_nest: true,
        is_required: true,
    }
}

/// The name of a column that refers to the key of another table: `customer_id`.
fn reference_name(table: &str, key: &str) -> String {
    if key.starts_with(table) { key.to_owned() } else { format!("{table}_{key}") }
}

/// Whether a view can name a member so.
fn is_writable(name: &str) -> bool {
    !name.is_empty() && !name.contains(char::is_control)
}

/// A name as a comment may hold it: on one line.
pub(super) fn clean(name: &str) -> String {
    name.chars()
        .map(|char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char })
        .collect()
}
