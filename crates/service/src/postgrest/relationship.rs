//! What leads from a table to another one: foreign keys out of it, into it, and through a junction.
//!
//! The keys of a table are known from both of their ends ([`Expandable`]), so a search costs what the table has of
//! them, however many tables there are.

use std::sync::Arc;

use duet_filter::postgrest::Embed;
use duet_model::catalog::ForeignKey;
use duet_model::profiles::{PostgrestCode, PostgrestGap};
use duet_model::{Place, Relation, Result};
use serde_json::json;

use crate::build::mount::Mount;
use crate::resources::expandable::Expandable;
use crate::resources::key_ways::KeyWay;
use crate::resources::resource::{Resource, ResourceKind};

/// A way from a table to another one.
#[derive(Debug)]
pub(super) struct Relationship<'m> {
    /// The first step: to the other table, or to the junction.
    pub(super) first: Step<'m>,
    /// From the junction to the other table.
    pub(super) second: Option<Step<'m>>,
}

/// A foreign key as a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'m> {
    pub(super) expandable: &'m Expandable,
    pub(super) resource: &'m Arc<Resource>,
    /// The name of the key, where it has one.
    key: Option<&'m str>,
    /// The table that has the key.
    holder: &'m Relation,
}

impl<'m> Step<'m> {
    fn of(mount: &'m Mount, origin: &'m Resource, expandable: &'m Expandable) -> Option<Self> {
        let resource = mount.resource(&expandable.resource).ok()?;
        let (own, other) = (&*origin.shape.root().table, &*resource.shape.root().table);
        let (holder, columns, target) = match expandable.many {
            true => (other, &expandable.other_columns, own),
            false => (own, &expandable.own_columns, other),
        };
        let key = holder.foreign_keys.iter().find(|key| {
            key.columns == *columns
                && (&key.references_schema, &key.references_table) == (&target.schema, &target.name)
        });
        let key = key.map(|key: &ForeignKey| key.name.as_str());
        Some(Self { expandable, resource, key, holder })
    }

    /// Along a key of tables that views read.
    fn through_views(mount: &'m Mount, origin: &'m Resource, known: &'m KeyWay) -> Option<Self> {
        let resource = mount.resource(&known.way.resource).ok()?;
        let holder = if known.way.many { resource } else { origin };
        let (expandable, holder) = (&known.way, &*holder.shape.root().table);
        Some(Self { expandable, resource, key: Some(&known.key), holder })
    }

    /// All steps out of a resource.
    fn all(mount: &'m Mount, origin: &'m Resource) -> impl Iterator<Item = Self> {
        let own = origin.expandables.iter().filter_map(|way| Self::of(mount, origin, way));
        let ways = mount.key_ways(&origin.name).iter();
        own.chain(ways.filter_map(|way| Self::through_views(mount, origin, way)))
    }

    /// Whether it leads to a view.
    fn is_to_view(&self) -> bool {
        self.resource.kind == ResourceKind::View
    }

    /// Whether it leads to one row at most.
    pub(super) fn is_one(&self) -> bool {
        let other = &self.resource.shape.root().table;
        !self.expandable.many || other.is_key(&self.expandable.other_columns)
    }

    /// The name of the key, or of its columns where it has none.
    fn key_name(&self) -> String {
        match self.key {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => self.key_columns().join("_"),
        }
    }

    /// The names of the columns of the key.
    fn key_columns(&self) -> Vec<String> {
        let columns = match self.expandable.many {
            true => &self.expandable.other_columns,
            false => &self.expandable.own_columns,
        };
        columns.iter().map(|&column| self.holder.columns[column].served_name()).collect()
    }

    /// Whether its only column in the table that it leads from has this name.
    fn has_own_column(&self, origin: &Resource, name: &str) -> bool {
        let columns = &origin.shape.root().table.columns;
        matches!(&self.expandable.own_columns[..], [only] if columns[*only].served_name() == name)
    }

    /// The names of the columns that the key refers to.
    fn referenced_columns(&self, origin: &Resource) -> Vec<String> {
        let (of, columns) = match self.expandable.many {
            true => (origin, &self.expandable.own_columns),
            false => (&**self.resource, &self.expandable.other_columns),
        };
        let table = &of.shape.root().table;
        columns.iter().map(|&column| table.columns[column].served_name()).collect()
    }

    /// Whether a name means it: that of the key, or of its only column.
    fn is_key(&self, name: &str) -> bool {
        self.key_name() == name || matches!(&self.key_columns()[..], [column] if column == name)
    }
}

impl Relationship<'_> {
    fn target(&self) -> &Resource {
        self.second.as_ref().unwrap_or(&self.first).resource
    }

    /// Whether a hint means it.
    fn is_meant(&self, origin: &Resource, hint: &str) -> bool {
        let is_referenced = || {
            let columns = self.first.referenced_columns(origin);
            matches!(&columns[..], [column] if column == hint)
        };
        match &self.second {
            None => self.first.is_key(hint) || self.first.resource.name == hint || is_referenced(),
            Some(_) => self.first.resource.name == hint || self.first.key_name() == hint,
        }
    }

    /// Refuses what would read rows more than once: those below a view without a key, and those of one where there is
    /// but one for each.
    fn checked(self, origin: &Resource, embed: &Embed) -> Result<Self> {
        let is_without_key = |resource: &Resource| {
            resource.kind == ResourceKind::View && resource.shape.root().table.identity().is_empty()
        };
        let is_key = |step: &Step<'_>| {
            let table = &step.resource.shape.root().table;
            step.expandable.many
                || !step.is_to_view()
                || table.is_key(&step.expandable.other_columns)
        };
        let below = self.is_many() && is_without_key(origin) && origin.shape.key.is_empty();
        let through = self.second.is_some() && is_without_key(self.first.resource);
        let steps = [Some(&self.first), self.second.as_ref()];
        match below || through || !steps.into_iter().flatten().all(is_key) {
            true => Err(PostgrestGap::ViewWithoutKey.refusal(embed.key()).at(place())),
            false => Ok(self),
        }
    }

    /// Whether there are many rows for one.
    pub(super) fn is_many(&self) -> bool {
        self.second.is_some() || !self.first.is_one()
    }

    /// Whether the columns of the foreign key are a key of the table that has it.
    fn is_of_key(&self, origin: &Resource) -> bool {
        origin.shape.root().table.is_key(&self.first.expandable.own_columns)
    }

    fn cardinality(&self, origin: &Resource) -> &'static str {
        match (&self.second, self.first.expandable.many, self.first.is_one()) {
            (Some(_), ..) => "many-to-many",
            (None, true, true) => "one-to-one",
            (None, true, false) => "one-to-many",
            (None, false, _) if self.is_of_key(origin) => "one-to-one",
            (None, false, _) => "many-to-one",
        }
    }

    /// How the tables are related: `fk using driver(team_id) and team(id)`.
    fn described(&self, origin: &Resource) -> String {
        let Self { first, second } = self;
        match second {
            None => format!(
                "{} using {} and {}",
                first.key_name(),
                columns(origin, &first.expandable.own_columns),
                columns(first.resource, &first.expandable.other_columns)
            ),
            Some(second) => format!(
                "{} using {}({}) and {}({})",
                first.resource.name,
                first.key_name(),
                names(first.resource, &first.expandable.other_columns),
                second.key_name(),
                names(first.resource, &second.expandable.own_columns)
            ),
        }
    }

    /// What decides for it in a hint.
    fn hint(&self) -> String {
        match &self.second {
            Some(_) => self.first.resource.name.clone(),
            None => self.first.key_name(),
        }
    }
}

/// `team(id)`.
fn columns(resource: &Resource, columns: &[usize]) -> String {
    format!("{}({})", resource.name, names(resource, columns))
}

fn names(resource: &Resource, columns: &[usize]) -> String {
    let table = &resource.shape.root().table;
    let names: Vec<String> = columns.iter().map(|&at| table.columns[at].served_name()).collect();
    names.join(", ")
}

/// The relationship that an embed means.
///
/// # Errors
/// [`PostgrestCode::NoRelationship`], [`PostgrestCode::ManyRelationships`].
pub(super) fn find<'m>(
    mount: &'m Mount,
    origin: &'m Resource,
    embed: &Embed,
) -> Result<Relationship<'m>> {
    let steps: Vec<Step<'m>> = Step::all(mount, origin).collect();
    let mut found = direct(origin, &steps, &embed.name);
    found.extend(through_junctions(mount, &steps, &embed.name));
    if let Some(hint) = &embed.hint {
        found.retain(|one| one.is_meant(origin, hint));
    }
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => only.checked(origin, embed),
        (Some(last), false) => {
            found.push(last);
            Err(several(origin, embed, &found))
        }
        (None, _) => Err(none_found(mount, origin, embed)),
    }
}

/// The keys that lead to a table of this name, or that the name means itself.
fn direct<'m>(origin: &Resource, steps: &[Step<'m>], name: &str) -> Vec<Relationship<'m>> {
    let is_meant = |step: &&Step<'m>| {
        let is_itself = step.resource.name == origin.name;
        // Within one table its name means the children.
        let by_table = step.resource.name == name && (step.expandable.many || !is_itself);
        // Columns and keys mean tables alone.
        let by_column = !step.expandable.many && step.is_key(name);
        let by_own_column = !is_itself && step.has_own_column(origin, name);
        let by_key = by_column || by_own_column || step.key.is_some_and(|key| key == name);
        by_table || by_key && (!step.is_to_view() || is_itself)
    };
    let found = steps.iter().filter(is_meant);
    found.map(|step| Relationship { first: *step, second: None }).collect()
}

/// The tables of this name behind a junction, whose primary key has the columns of both keys.
fn through_junctions<'m>(
    mount: &'m Mount,
    steps: &[Step<'m>],
    name: &str,
) -> Vec<Relationship<'m>> {
    let mut found = Vec::new();
    for first in steps.iter().filter(|step| step.expandable.many && !step.is_one()) {
        let junction = first.resource;
        let key = &junction.shape.root().table.primary_key;
        let has = |columns: &[usize]| columns.iter().all(|column| key.contains(column));
        let own = &first.expandable.other_columns;
        let seconds = Step::all(mount, junction).filter(|step| {
            let way = step.expandable;
            let leads_there = !way.many && way.resource == name;
            leads_there && way.own_columns != *own && has(&way.own_columns) && has(own)
        });
        found.extend(seconds.map(|second| Relationship { first: *first, second: Some(second) }));
    }
    found
}

fn place() -> Place {
    Place::Parameter("select".to_owned())
}

fn none_found(mount: &Mount, origin: &Resource, embed: &Embed) -> duet_model::Error {
    let (from, to) = (&origin.name, &embed.name);
    let is_view = |one: &Resource| one.kind == ResourceKind::View;
    let leads_to_view = || mount.resource(to).is_ok_and(|other| is_view(other));
    if !origin.dialect().knows_origins() && (is_view(origin) || leads_to_view()) {
        return PostgrestGap::View.refusal(to).at(place());
    }
    let with_hint =
        embed.hint.as_ref().map_or(String::new(), |hint| format!(" using the hint '{hint}'"));
    let message =
        format!("Could not find a relationship between '{from}' and '{to}' in the schema cache");
    let schema = mount.schema_name();
    let details = format!(
        "Searched for a foreign key relationship between '{from}' and '{to}'{with_hint} in the schema '{schema}', but no matches were found."
    );
    let known = origin.expandables.iter().map(|way| way.resource.as_str());
    let near = duet_text::name::nearest(to, known).filter(|near| *near != to.as_str());
    let hint = near.map(|near| format!("Perhaps you meant '{near}' instead of '{to}'."));
    let error = PostgrestCode::NoRelationship.with_details(message, json!(details).to_string());
    error.maybe_hint(hint).at(place())
}

fn several(origin: &Resource, embed: &Embed, found: &[Relationship<'_>]) -> duet_model::Error {
    let (from, to) = (&origin.name, &embed.name);
    let message = format!(
        "Could not embed because more than one relationship was found for '{from}' and '{to}'"
    );
    let entry = |one: &Relationship<'_>| {
        json!({
            "cardinality": one.cardinality(origin),
            "embedding": format!("{from} with {}", one.target().name),
            "relationship": one.described(origin),
        })
    };
    let details: Vec<_> = found.iter().map(entry).collect();
    let hints: Vec<String> =
        found.iter().map(|one| format!("'{}!{}'", one.target().name, one.hint())).collect();
    let hint = format!(
        "Try changing '{to}' to one of the following: {}. Find the desired relationship in the 'details' key.",
        hints.join(", ")
    );
    let details = serde_json::Value::from(details).to_string();
    PostgrestCode::ManyRelationships.with_details(message, details).hint(hint).at(place())
}
