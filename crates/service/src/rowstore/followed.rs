//! By what a process follows changes to the documents that show them, as a text: processes with the same text make the
//! same of every change.

use std::fmt::Write as _;

use duet_model::catalog::{Reach, Relation};

use crate::build::snapshot::Snapshot;
use crate::resources::resource::Resource;

/// The text of what a snapshot serves: of each resource its name, its key and the tables below it with their links, and
/// what writing a row of each table does to others.
pub(crate) fn followed(snapshot: &Snapshot) -> String {
    let mut lines = Vec::new();
    for mount in &snapshot.mounts {
        lines.extend(mount.resources().iter().map(|resource| of_resource(&mount.path, resource)));
    }
    lines.sort_unstable();
    lines.join("\n")
}

fn of_resource(mount: &str, resource: &Resource) -> String {
    let (shape, unlinked) = resource.shape.with_aggregated_rows();
    let mut text = format!("{mount} {} {:?}", resource.name, shape.key);
    for node in &shape.nodes {
        push(&mut text, &of_relation(&node.table));
        if let Some(link) = &node.link {
            let columns = (&link.parent_columns, &link.child_columns);
            push(&mut text, &format!("{} {columns:?}", link.parent));
        }
    }
    let mut unlinked: Vec<_> = unlinked.into_iter().map(of_relation).collect();
    unlinked.sort_unstable();
    unlinked.iter().for_each(|relation| push(&mut text, relation));
    text
}

fn push(text: &mut String, part: &str) {
    // Writing to a text cannot fail.
    let _ = write!(text, "\t{part:?}");
}

fn of_relation(relation: &Relation) -> String {
    let Relation { schema, name, kind, effects, .. } = relation;
    let reaches = [&effects.insert, &effects.update, &effects.follow, &effects.delete].map(reach);
    let (identity, links) = (relation.identity(), &relation.links);
    format!("{schema:?}.{name:?} {kind:?} {identity:?} {links:?} {reaches:?}")
}

fn reach(reach: &Reach) -> String {
    match reach {
        Reach::Own => "own".to_owned(),
        Reach::Everything => "everything".to_owned(),
        Reach::Relations(relations) => {
            let mut names: Vec<_> =
                relations.iter().map(|name| format!("{:?}.{:?}", name.schema, name.name)).collect();
            names.sort_unstable();
            names.join(" ")
        }
    }
}
