//! Merge patches of documents (RFC 7396), by the members of a shape: arrays are replaced as a unit, and
//! `null` makes a column NULL where the RFC would take the member out. Where a patch gives a shared
//! row another key, it means another row: nothing of the one before is said of that.

use duet_model::{MemberKind, NodeId, Shape, shape};
use duet_text::json::{Json, JsonKind, JsonMember, Members};

use super::same_value;

/// Applies a patch to a document that the writer has made.
#[must_use]
pub fn patched<'t>(shape: &Shape, document: Json<'t>, patch: Json<'t>) -> Json<'t> {
    match shape.whole_document() {
        Some(_) => document.merged(patch),
        None => object(shape, &shape.root().members, document, patch),
    }
}

fn object<'t>(
    shape: &Shape,
    members: &[shape::Member],
    document: Json<'t>,
    patch: Json<'t>,
) -> Json<'t> {
    let JsonKind::Object(changes) = patch.kind else { return patch };
    let Json { at, kind: JsonKind::Object(mut stored) } = document else {
        let kind = JsonKind::Object(changes);
        return Json::new(kind);
    };
    for member in members {
        if let MemberKind::Unnest(child) = member.kind
            && names_another(shape, child, &stored, &changes)
        {
            let inner = shape.visible_names(&shape.nodes[child].members);
            stored.retain(|member| !inner.contains(&&*member.name));
        }
    }
    let mut stored = Members::new(stored);
    for change in changes {
        let known = find(shape, members, &change.name);
        let Some(value) = stored.get_mut(&change.name) else {
            if known.is_some() {
                stored.push(change);
            } else if !change.value.is_null() {
                let value = Json::new(JsonKind::Null).merged(change.value);
                stored.push(JsonMember { value, ..change });
            }
            continue;
        };
        let old = std::mem::replace(value, Json::new(JsonKind::Null));
        match known {
            None if change.value.is_null() => stored.remove(&change.name),
            Some(Inside::Value) => *value = change.value,
            Some(Inside::Json) if change.value.is_null() => *value = change.value,
            Some(Inside::Members(inner)) => *value = object(shape, inner, old, change.value),
            Some(Inside::Row(child)) => *value = row(shape, child, old, change.value),
            None | Some(Inside::Json) => *value = old.merged(change.value),
        }
    }
    Json { at, kind: JsonKind::Object(stored.into_vec()) }
}

/// The object of a to-one row.
fn row<'t>(shape: &Shape, node: NodeId, stored: Json<'t>, patch: Json<'t>) -> Json<'t> {
    if let (JsonKind::Object(before), JsonKind::Object(changes)) = (&stored.kind, &patch.kind)
        && names_another(shape, node, before, changes)
    {
        return patch;
    }
    object(shape, &shape.nodes[node].members, stored, patch)
}

/// Whether changes of a shared row give it another key.
fn names_another(
    shape: &Shape,
    node: NodeId,
    stored: &[JsonMember<'_>],
    changes: &[JsonMember<'_>],
) -> bool {
    let about = &shape.nodes[node];
    shape.parent_refers(node)
        && about.members.iter().any(|member| {
            let MemberKind::Column(column) = &member.kind else { return false };
            let of = |members: &[JsonMember<'_>]| {
                members.iter().position(|known| known.name == member.name)
            };
            let (Some(before), Some(after)) = (of(stored), of(changes)) else { return false };
            let ty = &about.table.columns[column.column].ty;
            about.table.identity().contains(&column.column)
                && !same_value(ty, &stored[before].value, &changes[after].value)
        })
}

/// What a patch changes inside a member.
enum Inside<'s> {
    /// Nothing: it replaces the value.
    Value,
    /// Members of stored JSON.
    Json,
    /// Members of the shape.
    Members(&'s [shape::Member]),
    /// Members of a row of a node.
    Row(NodeId),
}

fn find<'s>(shape: &'s Shape, members: &'s [shape::Member], name: &str) -> Option<Inside<'s>> {
    members.iter().find_map(|member| match &member.kind {
        MemberKind::Unnest(child) => find(shape, &shape.nodes[*child].members, name),
        MemberKind::Flex(_) => None,
        _ if member.name != name => None,
        MemberKind::Group(inner) => Some(Inside::Members(inner)),
        MemberKind::Object(child) => Some(Inside::Row(*child)),
        // Only JSON has members to merge: any other value is replaced by merging too.
        MemberKind::Column(_) => Some(Inside::Json),
        _ => Some(Inside::Value),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use duet_model::{Column, ColumnMember, Node, Operations, Relation, RelationKind, Type};
    use duet_text::json::{BODY, read};

    use super::*;

    fn shape() -> Shape {
        let column = |name: &str, column| shape::Member {
            name: name.into(),
            kind: MemberKind::Column(ColumnMember::read_only(column)),
        };
        let relation = Relation {
            schema: "main".into(),
            name: "t".into(),
            alias: None,
            kind: RelationKind::Table,
            columns: vec![Column::new("a", Type::Text), Column::new("j", Type::Json)],
            primary_key: vec![0],
            unique_keys: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: Vec::new(),
            checks: Vec::new(),
            comment: None,
            estimated_rows: None,
            batchable: false,
            plain: false,
            links: Vec::new(),
            effects: duet_model::catalog::Effects::default(),
            query: None,
            withheld: duet_model::catalog::Withheld::default(),
            placement: duet_model::catalog::Placement::default(),
        };
        let members = vec![
            column("a", 0),
            shape::Member { name: "g".into(), kind: MemberKind::Group(vec![column("j", 1)]) },
        ];
        let node = Node {
            table: Arc::new(relation),
            link: None,
            members,
            filter: None,
            check_option: false,
            aggregates: Vec::new(),
            derived: Vec::new(),
            elements: shape::Elements::default(),
            operations: Operations::default(),
        };
        Shape {
            name: "t".into(),
            nodes: vec![node],
            key: vec![0],
            metadata: false,
            rules: Vec::new(),
            notice: None,
            style: duet_model::DocumentStyle::default(),
        }
    }

    #[test]
    fn null_is_only_accepted_for_columns() {
        let json = |text: &'static str| read(text, &BODY, 8).unwrap();
        for (patch, expected) in [
            (r#"{"a":null}"#, r#"{"a":null,"g":{"j":{"x":1,"y":2}},"more":1}"#),
            (r#"{"more":null}"#, r#"{"a":"b","g":{"j":{"x":1,"y":2}}}"#),
            (r#"{"g":{"j":{"x":null}}}"#, r#"{"a":"b","g":{"j":{"y":2}},"more":1}"#),
            (r#"{"g":{"j":null}}"#, r#"{"a":"b","g":{"j":null},"more":1}"#),
            (r#"{"new":{"z":1}}"#, r#"{"a":"b","g":{"j":{"x":1,"y":2}},"more":1,"new":{"z":1}}"#),
            (r#"{"new":{"z":null}}"#, r#"{"a":"b","g":{"j":{"x":1,"y":2}},"more":1,"new":{}}"#),
        ] {
            let stored = json(r#"{"a":"b","g":{"j":{"x":1,"y":2}},"more":1}"#);
            let mut out = String::new();
            patched(&shape(), stored, json(patch)).write(&mut out);
            assert_eq!(out, expected, "{patch}");
        }
    }
}
