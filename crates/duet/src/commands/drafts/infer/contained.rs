//! Documents that are sub-objects of other collections' documents too: rows of one table, whichever document shows
//! them, and relations between two collections that both of them show.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::design::{Form, Member, Node};
use super::designer::{Designer, Place, clean};
use super::entities::HomeOf;
use super::keys;
use super::relations::{
    ContainedCollection, KeyPair, MappingTable, Relation, Relations, RootCollections,
};
use super::samples::{Kind, MemberSamples, Sample, members};
use super::values::ColumnType;

impl<'d> Designer<'d> {
    /// Makes the tables of collections whose documents others contain, and finds how they contain each other.
    pub(super) fn contained(
        &mut self,
        samples: &[(&'d str, Vec<Sample<'d>>)],
        roots: &RootCollections<'d>,
    ) {
        let homes: HashSet<usize> = self
            .entities
            .all
            .iter()
            .filter_map(|entity| match entity.home {
                Some(HomeOf::Collection(collection)) => Some(collection),
                _ => None,
            })
            .collect();
        for (collection, (name, documents)) in samples.iter().enumerate() {
            if homes.contains(&collection) {
                self.contain(collection, name, documents);
            }
        }
        self.relations = Relations::of(roots);
        let keys: HashMap<usize, &str> =
            roots.values().map(|root| (root.collection, root.key)).collect();
        for (collection, (name, documents)) in samples.iter().enumerate() {
            if let Some(key) = keys.get(&collection) {
                self.relate(collection, name, key, documents);
            }
        }
        self.single_objects(samples);
    }

    fn contain(&mut self, collection: usize, name: &str, documents: &[Sample<'d>]) {
        let Some((key, _)) = keys::find(documents, name, false) else { return };
        let comments = vec![
            format!("The documents of {name}: {}.", documents.len()),
            "Columns may be NULL, because a row is made where another document has it first."
                .into(),
        ];
        let table = self.table(name, comments);
        let member = self.key_member(table, &key, "unique in all documents");
        let contained = ContainedCollection {
            name: name.to_owned(),
            table,
            key: member,
            columns: HashMap::new(),
        };
        self.contained.insert(collection, contained);
        // The documents' own values say the types.
        for member in members(documents) {
            if member.name != key.name && self.is_contained(collection, member.name) {
                self.contained_scalar(collection, &member);
            }
        }
    }

    /// Whether sub-objects have a member of the documents.
    fn is_contained(&self, collection: usize, member: &str) -> bool {
        let home = Some(HomeOf::Collection(collection));
        let of_home = self.entities.all.iter().filter(|entity| entity.home == home);
        let mut shown = of_home.filter(|entity| !entity.varying.contains(member));
        shown.any(|entity| entity.rows.iter().any(|row| row.contains_key(member)))
    }

    /// The column of a scalar of documents or sub-objects.
    fn contained_scalar(
        &mut self,
        collection: usize,
        member: &MemberSamples<'d>,
    ) -> Option<String> {
        let known = self.contained.get(&collection)?;
        if let Some(column) = known.columns.get(member.name) {
            return Some(column.clone());
        }
        let ty = match member.kind() {
            Kind::Scalar(ty) => ty,
            _ => ColumnType::Json,
        };
        let comment =
            format!("`{}`: also where other documents have a row of it", clean(member.name));
        let column = self.design.tables[known.table].add(member.name, ty, false, comment);
        let known = self.contained.get_mut(&collection)?;
        known.columns.insert(member.name.to_owned(), column.clone());
        Some(column)
    }

    /// The column of a member at the top of a document that sub-objects have too.
    pub(super) fn contained_column(&self, place: &Place<'_>, member: &str) -> Option<String> {
        if place.level > 0 || !place.prefix.is_empty() {
            return None;
        }
        let of_table = self.contained.values().find(|one| one.table == place.table)?;
        of_table.columns.get(member).cloned()
    }

    /// The rows of a collection as sub-objects, without what belongs to the place where they are.
    pub(super) fn contained_node(
        &mut self,
        collection: usize,
        key: &str,
        varying: &HashSet<String>,
        objects: &[Sample<'d>],
    ) -> Node {
        let Some(home) = self.contained.get(&collection) else {
            return Node { table: 0, members: Vec::new(), is_owned: false };
        };
        let (table, column) = (
            home.table,
            match &home.key {
                Member::Column { column, .. } => column.clone(),
                _ => String::new(),
            },
        );
        let mut all = vec![Member::Column { name: key.to_owned(), column }];
        for member in members(objects) {
            if member.name == key || varying.contains(member.name) {
                continue;
            }
            let column = self.contained_scalar(collection, &member);
            let name = member.name.to_owned();
            all.extend(column.map(|column| Member::Column { name, column }));
        }
        Node { table, members: all, is_owned: false }
    }

    /// Finds the members of a collection's documents that are documents of others.
    fn relate(&mut self, from: usize, name: &str, key: &str, documents: &[Sample<'d>]) {
        for member in members(documents) {
            let path = format!("{name}/{}", member.name);
            let Some(entity) = self.entities.at(&path).map(|at| &self.entities.all[at]) else {
                continue;
            };
            let Some(HomeOf::Collection(to)) = entity.home else { continue };
            let objects = member.objects();
            let text = |members: &serde_json::Map<String, Value>, key: &str| {
                members.get(key).map(ToString::to_string)
            };
            let pair = |object: &Sample<'_>| {
                let document = text(documents[object.parent].members, key)?;
                Some(KeyPair { document, object: text(object.members, &entity.key)? })
            };
            let same = members(&objects).into_iter().find(|one| one.name == entity.key);
            let relation = Relation {
                from,
                to,
                path,
                is_list: member.kind() == Kind::Objects,
                in_order: same.is_some_and(|same| keys::is_ascending(&objects, &same)),
                has_members: !entity.varying.is_empty(),
                pairs: objects.iter().filter_map(pair).collect(),
            };
            self.relations.add(relation);
        }
    }

    /// Makes the columns of single objects first: lists of other collections may be read by them.
    fn single_objects(&mut self, samples: &[(&'d str, Vec<Sample<'d>>)]) {
        for (collection, (name, documents)) in samples.iter().enumerate() {
            let Some(table) = self.contained.get(&collection).map(|one| one.table) else {
                continue;
            };
            for member in members(documents) {
                let path = format!("{name}/{}", member.name);
                let is_single = self.relations.at(&path).is_some_and(|one| !one.is_list);
                let Some(entity) = self.entities.at(&path).filter(|_| is_single) else { continue };
                let node = self.entity(entity);
                let count = format!("in {} of {} documents", member.present(), member.objects);
                let column = self.refer(table, &node, member.name, false, &count);
                self.kept.columns.insert(path, column);
            }
        }
    }

    /// A list of shared rows: by the column in which they refer to their document, by the mapping table of the other
    /// side, or by one of its own.
    pub(super) fn shared_list(
        &mut self,
        place: &Place<'_>,
        member: &MemberSamples<'d>,
        path: &str,
        entity: usize,
    ) -> (Node, Form) {
        let inverse = self.relations.inverse(path).map(|inverse| inverse.path.clone());
        if let Some(inverse) = inverse {
            if let Some(column) = self.kept.columns.get(&inverse).cloned() {
                return (self.entity(entity), Form::Inverse(column));
            }
            if let Some(table) = self.kept.tables.get(&inverse).cloned() {
                return (self.turned(&table, member, entity), Form::Array);
            }
        }
        (self.mapping(place, member, path, entity), Form::Array)
    }

    /// Remembers a mapping table for the other side of its relation.
    pub(super) fn keep(&mut self, path: &str, table: usize, parent: usize, members: &[Member]) {
        let to_parent = self.design.tables[table].references.iter().find(|one| one.table == parent);
        let document = match to_parent.map(|reference| reference.columns.as_slice()) {
            Some([column]) => column.clone(),
            _ => return,
        };
        let columns = members.iter().filter_map(|member| match member {
            Member::Column { name, column } => Some((name.clone(), column.clone())),
            _ => None,
        });
        let kept = MappingTable { table, document, members: columns.collect() };
        self.kept.tables.insert(path.to_owned(), kept);
    }

    /// A mapping table, seen from the documents that are elements of the other lists.
    fn turned(
        &mut self,
        mapping: &MappingTable,
        member: &MemberSamples<'d>,
        entity: usize,
    ) -> Node {
        let node = self.entity(entity);
        let varying = self.entities.all[entity].varying.clone();
        let form = Form::Merged(mapping.document.clone());
        let mut all = vec![Member::Nested { name: String::new(), node, form }];
        for own in members(&member.objects()) {
            if !varying.contains(own.name) {
                continue;
            }
            let column = mapping.members.get(own.name).cloned().unwrap_or_else(|| {
                let ty = match own.kind() {
                    Kind::Scalar(ty) => ty,
                    _ => ColumnType::Json,
                };
                let comment = format!("`{}`: of each element", clean(own.name));
                self.design.tables[mapping.table].add(own.name, ty, false, comment)
            });
            all.push(Member::Column { name: own.name.to_owned(), column });
        }
        Node { table: mapping.table, members: all, is_owned: true }
    }
}
