//! What is remembered of a database's relations, so that the next time only those are read that have changed.
//!
//! Beside the relations of which rows of the catalogs have changed, those are read whose description names them: the
//! targets of their foreign keys, tables with a default that takes a number from a sequence, and so on. Those with foreign
//! keys to a relation are read where its name or the names of its columns have changed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use duet_model::Relation;
use duet_model::catalog::{Effects, MediaAggregate, Placement, Routine, ViewKeys};
use duet_store::catalog::effects as graph;
use tokio_postgres::{Error, Row};

use super::effects::{self, Nodes};
use super::marks::Marks;
use super::placements::Placements;
use super::relations::{Entry, Relations};
use super::types::Types;
use super::{CatalogReader, keys, totals};

/// What was read of a database.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) known: Option<Known>,
    pub(super) read: usize,
}

impl Memory {
    /// How many relations were read the last time, rather than found unchanged.
    pub fn read(&self) -> usize {
        self.read
    }
}

/// The parts of a catalog, and how they were found.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) marks: Marks,
    pub(super) types: Types,
    pub(super) routines: Routines,
    /// By schema and name.
    pub(super) entries: Vec<Entry>,
    pub(super) nodes: Nodes,
    /// Of all views, read again where any relation has changed.
    pub(super) view_keys: Vec<ViewKeys>,
}

/// Functions and procedures, and aggregates whose results are answers.
#[derive(Debug, Default)]
pub(super) struct Routines {
    pub(super) all: Vec<Routine>,
    pub(super) media_aggregates: Vec<MediaAggregate>,
    pub(super) notes: Vec<String>,
    /// The relations whose rows these give or take.
    pub(super) relations: HashSet<u32>,
}

/// The relations whose description has something of these, besides foreign keys to them: `$2`; and 0 where something else
/// has, such as a function that takes their rows. Totals are a table and the function of its name.
const NAMING: &str = "
SELECT DISTINCT relid FROM (
  SELECT k.confrelid AS relid FROM pg_catalog.pg_constraint k WHERE k.contype = 'f' AND k.conrelid = ANY ($2)
  UNION ALL SELECT v.adrelid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_attrdef v ON v.oid = d.objid
    WHERE d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
      AND d.refobjid = ANY ($2)
  UNION ALL SELECT k.conrelid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_constraint k ON k.oid = d.objid
    WHERE d.classid = 'pg_catalog.pg_constraint'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
      AND d.refobjid = ANY ($2) AND k.contype <> 'f'
  UNION ALL SELECT x.indrelid FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_index x ON x.indexrelid = d.objid
    WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass
      AND d.refobjid = ANY ($2)
  UNION ALL SELECT g.tgrelid FROM pg_catalog.pg_class k
    JOIN pg_catalog.pg_proc p ON p.proname = k.relname AND p.pronamespace = k.relnamespace
    JOIN pg_catalog.pg_trigger g ON g.tgfoid = p.oid WHERE k.oid = ANY ($2)
  UNION ALL SELECT CASE WHEN d.classid = 'pg_catalog.pg_class'::regclass THEN coalesce(x.indrelid, d.objid) ELSE 0 END
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_type t ON t.oid = c.reltype
    JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_type'::regclass AND d.refobjid IN (t.oid, t.typarray)
    LEFT JOIN pg_catalog.pg_index x ON d.classid = 'pg_catalog.pg_class'::regclass AND x.indexrelid = d.objid
   WHERE c.oid = ANY ($2) AND d.classid <> 'pg_catalog.pg_rewrite'::regclass
     AND NOT (d.classid = 'pg_catalog.pg_type'::regclass AND d.objid = t.typarray)
) AS named WHERE $1::text[] IS NULL OR true";

/// The relations with foreign keys to these: `$2`.
const REFERRING: &str = "
SELECT DISTINCT k.conrelid FROM pg_catalog.pg_constraint k
 WHERE k.contype = 'f' AND k.confrelid = ANY ($2) AND ($1::text[] IS NULL OR true)";

/// Relations that were read.
#[derive(Default)]
pub(super) struct Part {
    pub(super) entries: Vec<Entry>,
    pub(super) nodes: Nodes,
}

impl Part {
    /// Reads the relations that are looked at.
    pub(super) async fn read(source: &CatalogReader<'_>, types: &Types) -> Result<Self, Error> {
        let mut relations = Relations::read(source, types).await?;
        keys::read(source, &mut relations).await?;
        totals::read(source, &mut relations).await?;
        let nodes = effects::read(source).await?;
        Ok(Self { entries: relations.finish(), nodes })
    }
}

/// Numbers of relations, those of partitions replaced by those of their whole tables.
async fn numbers(
    source: &CatalogReader<'_>,
    query: &str,
    marks: &Marks,
) -> Result<HashSet<u32>, Error> {
    let mut found = HashSet::new();
    let take = |row: &Row| {
        found.insert(marks.whole(row.try_get(0)?));
        Ok(())
    };
    source.each(query, take).await?;
    Ok(found)
}

impl Known {
    /// Reads what depends on these relations, which have changed since; the rest stays as it was. Returns the numbers of
    /// all that was read; `None` where more depends on them than relations.
    pub(super) async fn read_again(
        &mut self,
        source: &CatalogReader<'_>,
        changed: &HashSet<u32>,
    ) -> Result<Option<HashSet<u32>>, Error> {
        let mut read = changed.clone();
        let naming = numbers(&source.only(changed), NAMING, &self.marks).await?;
        if naming.contains(&0) {
            return Ok(None);
        }
        read.extend(naming);
        read.extend(self.former_targets(changed));
        let part = Part::read(&source.only(&read), &self.types).await?;
        let renamed = self.renamed(changed, &part.entries);
        self.take(&read, part);
        if !renamed.is_empty() {
            let referring = numbers(&source.only(&renamed), REFERRING, &self.marks).await?;
            let referring: HashSet<u32> = referring.difference(&read).copied().collect();
            let part = Part::read(&source.only(&referring), &self.types).await?;
            self.take(&referring, part);
            read.extend(referring);
        }
        Ok(Some(read))
    }

    /// The tables to which keys of these led, as far as something of it is in their description.
    fn former_targets(&self, changed: &HashSet<u32>) -> HashSet<u32> {
        let by_name: HashMap<(&str, &str), u32> = (self.entries.iter())
            .map(|entry| ((entry.name.schema.as_str(), entry.name.name.as_str()), entry.id))
            .collect();
        let of_changed = self.entries.iter().filter(|entry| changed.contains(&entry.id));
        let keys = of_changed.filter_map(|entry| entry.relation.as_ref());
        let keys = keys.flat_map(|relation| &relation.foreign_keys);
        let linked = keys.filter_map(|key| {
            by_name.get(&(key.references_schema.as_str(), key.references_table.as_str())).copied()
        });
        let nodes = changed.iter().filter_map(|id| self.nodes.get(&u64::from(*id)));
        let parents = nodes.flat_map(|(node, _)| node.keys.iter().map(|(parent, _)| *parent));
        linked.chain(parents.filter_map(|parent| u32::try_from(parent).ok())).collect()
    }

    /// Those that are called otherwise than before, or have other columns, or of which this is not known.
    fn renamed(&self, changed: &HashSet<u32>, entries: &[Entry]) -> HashSet<u32> {
        let now: HashMap<u32, &Entry> = entries.iter().map(|entry| (entry.id, entry)).collect();
        let before: HashMap<u32, &Entry> =
            self.entries.iter().map(|entry| (entry.id, entry)).collect();
        let is_same = |id: &u32| {
            let (Some(before), Some(now)) = (before.get(id), now.get(id)) else { return false };
            let names = |relation: &'_ Arc<Relation>| {
                relation.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()
            };
            // Columns that may not be read are in keys all the same.
            let is_whole = before.notes.is_empty() && now.notes.is_empty();
            is_whole
                && before.name == now.name
                && before.relation.as_ref().zip(now.relation.as_ref()).is_some_and(
                    |(one, other)| {
                        one.columns.len() <= other.columns.len()
                            && names(one)[..] == names(other)[..one.columns.len()]
                    },
                )
        };
        changed.iter().filter(|id| !is_same(id)).copied().collect()
    }

    /// Takes what was read of these in place of what was known.
    fn take(&mut self, read: &HashSet<u32>, part: Part) {
        let known: HashMap<u32, Effects> = (self.entries.iter())
            .filter(|entry| read.contains(&entry.id))
            .filter_map(|entry| Some((entry.id, entry.relation.as_ref()?.effects.clone())))
            .collect();
        self.entries.retain(|entry| !read.contains(&entry.id));
        self.nodes.retain(|id, _| u32::try_from(*id).is_ok_and(|id| !read.contains(&id)));
        for mut entry in part.entries {
            // Until those are found that have changed.
            if let (Some(relation), Some(effects)) = (&mut entry.relation, known.get(&entry.id)) {
                Arc::make_mut(relation).effects = effects.clone();
            }
            self.entries.push(entry);
        }
        self.nodes.extend(part.nodes);
        self.entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    }

    /// Finds what the relations are among others, after these were read; `before` are the nodes of the last time.
    pub(super) fn join(&mut self, read: &HashSet<u32>, before: &Nodes) {
        self.link(read);
        let outdated = effects::outdated(before, &self.nodes);
        for entry in &mut self.entries {
            let Some(relation) = &mut entry.relation else { continue };
            let effects = outdated.get(&u64::from(entry.id));
            if let Some(effects) = effects.filter(|effects| **effects != relation.effects) {
                Arc::make_mut(relation).effects = effects.clone();
            }
        }
    }

    /// Names the columns of the relations of these numbers that link rows.
    fn link(&mut self, read: &HashSet<u32>) {
        let of = |entry: &'_ Entry| read.contains(&entry.id) && entry.relation.is_some();
        let mut referred: HashMap<(String, String), BTreeSet<String>> = self
            .entries
            .iter()
            .filter(|entry| of(entry))
            .map(|entry| ((entry.name.schema.clone(), entry.name.name.clone()), BTreeSet::new()))
            .collect();
        let mut name = (String::new(), String::new());
        for relation in self.entries.iter().filter_map(|entry| entry.relation.as_ref()) {
            for key in &relation.foreign_keys {
                name.0.clone_from(&key.references_schema);
                name.1.clone_from(&key.references_table);
                if let Some(referred) = referred.get_mut(&name) {
                    referred.extend(key.references_columns.iter().cloned());
                }
            }
        }
        for entry in self.entries.iter_mut().filter(|entry| read.contains(&entry.id)) {
            let Some(relation) = &mut entry.relation else { continue };
            name.0.clone_from(&entry.name.schema);
            name.1.clone_from(&entry.name.name);
            let names = referred.get(&name).into_iter().flatten();
            let links = graph::links(relation, names);
            if relation.links != links {
                Arc::make_mut(relation).links = links;
            }
        }
    }

    /// Notes where the rows of each table are. Of those that are spread the server that is asked has none, and its
    /// statistics say nothing of them.
    pub(super) fn place(&mut self, placements: &Placements) {
        for entry in &mut self.entries {
            let Some(relation) = &mut entry.relation else { continue };
            let placement = placements.get(&entry.id).unwrap_or(&Placement::Local);
            if relation.placement != *placement {
                Arc::make_mut(relation).placement = placement.clone();
            }
            if placement.is_spread() && relation.estimated_rows.is_some() {
                Arc::make_mut(relation).estimated_rows = None;
            }
        }
    }

    /// Takes the estimates of rows, and the relations before where nothing of them has changed.
    pub(super) fn share(
        &mut self,
        before: &HashMap<u32, Arc<Relation>>,
        estimates: &HashMap<u32, Option<u64>>,
    ) {
        for entry in &mut self.entries {
            let Some(relation) = &mut entry.relation else { continue };
            let rows = estimates.get(&entry.id).copied().flatten();
            let rows = rows.filter(|_| !relation.placement.is_spread());
            if relation.estimated_rows != rows {
                Arc::make_mut(relation).estimated_rows = rows;
            }
            let Some(before) = before.get(&entry.id) else { continue };
            if !Arc::ptr_eq(before, relation) && before == relation {
                *relation = Arc::clone(before);
            }
        }
    }
}
