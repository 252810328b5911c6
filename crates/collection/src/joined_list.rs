//! Joined lists: the documents of a collection, found by their own values and by those of related documents
//! as if these were their own.

use std::sync::Arc;

use duet_model::{DocumentField, Type};
use duet_text::name::nearest;
use duet_text::problem::{did_you_mean, quoted};
use serde_json::{Map, json};

use crate::{Collection, Mistake, RelatedDocuments};

/// A list over several collections, as it is declared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinedList {
    /// Its name in the path.
    pub name: String,
    /// The path of its mount; the application's first by default.
    pub mount: Option<String>,
    /// The collection whose documents it lists.
    pub of: String,
    /// The member of the list that holds them; without it that of the collection.
    pub list: Option<String>,
    /// The related documents whose values count as the document's own: names joined by dots.
    pub join: Vec<String>,
    /// The listed members, each with the path of its value; if empty, documents are listed unchanged.
    pub members: Vec<(String, String)>,
}

/// A value of a joined list.
#[derive(Clone, Debug)]
pub struct JoinedField<'c> {
    /// The names of the related documents, joined by dots; empty for the collection's own.
    pub join: String,
    /// The value in the document.
    pub field: &'c DocumentField,
}

impl JoinedList {
    /// Whether it is the collection itself under another name: it joins nothing and shows whole documents, which
    /// can be written there too.
    pub fn is_alias(&self) -> bool {
        self.join.is_empty() && self.members.is_empty()
    }

    /// The collection whose documents are listed.
    pub fn collection<'c>(&self, all: &'c [Arc<Collection>]) -> Option<&'c Arc<Collection>> {
        all.iter().find(|one| one.declaration().name == self.of)
    }

    /// The documents that a name leads to, one relation after the other.
    pub fn path<'c>(
        &self,
        all: &'c [Arc<Collection>],
        join: &str,
    ) -> Option<Vec<RelatedDocuments<'c>>> {
        let mut at = self.collection(all)?;
        let mut path = Vec::new();
        for step in join.split('.') {
            let found = at.related(all).into_iter().find(|related| related.name() == step)?;
            at = found.collection;
            path.push(found);
        }
        Some(path)
    }

    /// The value that a path of `members` leads to.
    pub fn field<'c>(&self, all: &'c [Arc<Collection>], path: &str) -> Option<JoinedField<'c>> {
        let of = |join: &str, collection: &'c Collection, rest: &str| {
            let field = collection.fields().iter().find(|field| field.path == rest)?;
            Some(JoinedField { join: join.to_owned(), field })
        };
        let mut joins: Vec<&String> = self.join.iter().collect();
        joins.sort_by_key(|join| std::cmp::Reverse(join.len()));
        let joined = joins.into_iter().find_map(|join| {
            let rest = path.strip_prefix(join.as_str())?.strip_prefix('.')?;
            of(join, self.path(all, join)?.last()?.collection, rest)
        });
        joined.or_else(|| of("", self.collection(all)?, path))
    }

    /// The JSON Schema of a listed element, by `members`: a member without a value is `null`.
    pub fn schema(&self, all: &[Arc<Collection>]) -> String {
        let member = |(name, path): &(String, String)| {
            let field = self.field(all, path)?.field;
            let ty = match &field.ty {
                Type::Boolean => json!({ "type": ["boolean", "null"] }),
                Type::Integer { .. } => json!({ "type": ["integer", "null"] }),
                ty if ty.is_number() => json!({ "type": ["number", "null"] }),
                Type::Json => json!({}),
                _ => json!({ "type": ["string", "null"] }),
            };
            Some((name.clone(), ty))
        };
        let members: Map<_, _> = self.members.iter().filter_map(member).collect();
        json!({ "type": "object", "properties": members, "additionalProperties": false })
            .to_string()
    }

    /// What is wrong with it. `path` of a mistake is the name that it is about.
    pub fn mistakes(&self, all: &[Arc<Collection>]) -> Vec<Mistake> {
        let Some(collection) = self.collection(all) else {
            let near = nearest(&self.of, all.iter().map(|one| one.declaration().name.as_str()));
            let message = format!("There is no collection {}.", quoted(&self.of));
            return vec![mistake(&self.of, message, near.map(did_you_mean))];
        };
        let joins = self.join.iter().filter_map(|join| self.join_mistake(all, collection, join));
        let members = self.members.iter().filter_map(|(_, path)| self.member_mistake(all, path));
        joins.chain(members).collect()
    }

    fn join_mistake(
        &self,
        all: &[Arc<Collection>],
        collection: &Collection,
        join: &str,
    ) -> Option<Mistake> {
        let Some(path) = self.path(all, join) else {
            let names: Vec<_> =
                collection.related(all).iter().map(RelatedDocuments::name).collect();
            let hint = format!("Related to {} are: {}.", self.of, names.join(", "));
            let message = format!("No documents are related as {}.", quoted(join));
            return Some(mistake(join, message, Some(hint)));
        };
        let before = join.rsplit_once('.').map(|(before, _)| before);
        if let Some(before) = before.filter(|it| self.join.iter().all(|join| join != it)) {
            let message = format!("{} is joined by way of {}.", quoted(join), quoted(before));
            return Some(mistake(join, message, Some("Join that too.".into())));
        }
        let is_many =
            |join: &str| self.path(all, join).is_some_and(|path| path.iter().any(|it| it.many));
        let others = self.join.iter().take_while(|other| *other != join);
        let is_second = others.into_iter().any(|other| is_many(other));
        let several = path.last().is_some_and(|last| last.many);
        (several && (is_second || !self.members.is_empty())).then(|| {
            let hint = "A list joins documents that others refer to, and one kind of those that refer to \
                        them. `members` are for single documents.";
            let message = format!("{} are several documents.", quoted(join));
            mistake(join, message, Some(hint.into()))
        })
    }

    fn member_mistake(&self, all: &[Arc<Collection>], path: &str) -> Option<Mistake> {
        let Some(found) = self.field(all, path) else {
            return Some(mistake(path, format!("There is no value {}.", quoted(path)), None));
        };
        if matches!(found.field.ty, Type::Pair(_)) {
            let message = format!("{} is made of two members.", quoted(path));
            return Some(mistake(path, message, Some("List these instead.".into())));
        }
        found.field.repeated.then(|| {
            let message = format!("{} lies in an array.", quoted(path));
            mistake(path, message, Some("Members are single values.".into()))
        })
    }
}

fn mistake(path: &str, message: String, hint: Option<String>) -> Mistake {
    Mistake { path: Some(path.to_owned()), message, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Declaration, Reference};

    fn all() -> Vec<Arc<Collection>> {
        let schema = r#"{"properties": {"id": {"type": "string"}, "orderId": {"type": "string"},
            "lineId": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}}"#;
        let refer = |name: &str, path: &str, table: &str| Declaration {
            references: vec![Reference::new(path, table)],
            ..Declaration::new(name)
        };
        let declared = [
            Declaration::new("orders"),
            refer("lines", "orderId", "orders"),
            refer("pieces", "lineId", "lines"),
        ];
        declared.map(|one| Arc::new(Collection::new(one, schema).unwrap())).into()
    }

    fn list(of: &str, join: &[&str], members: &[&str]) -> JoinedList {
        JoinedList {
            name: "list".into(),
            of: of.into(),
            join: join.iter().map(|&join| join.into()).collect(),
            members: members.iter().map(|&path| ("m".into(), path.into())).collect(),
            ..JoinedList::default()
        }
    }

    #[test]
    fn values_are_found_along_references() {
        let all = all();
        let list = list("pieces", &["line", "line.order"], &["tags"]);
        let found =
            |path: &str| list.field(&all, path).map(|found| (found.join, found.field.path.clone()));
        let of = |join: &str, path: &str| Some((join.to_owned(), path.to_owned()));
        assert_eq!(found("line.order.id"), of("line.order", "id"));
        assert_eq!(found("line.orderId"), of("line", "orderId"));
        assert_eq!((found("id"), found("order.id")), (of("", "id"), None));
    }

    #[test]
    fn mistakes_name_what_is_wrong() {
        let all = all();
        let first = |list: JoinedList| list.mistakes(&all).first().map(|it| it.message.clone());
        assert_eq!(
            first(list("orders", &["lines", "lines.pieces"], &[])),
            Some("`lines.pieces` are several documents.".into())
        );
        assert_eq!(first(list("pieces", &["line", "line.order"], &["line.id"])), None);
        assert_eq!(first(list("piece", &[], &[])), Some("There is no collection `piece`.".into()));
        assert_eq!(
            first(list("pieces", &["lien"], &[])),
            Some("No documents are related as `lien`.".into())
        );
        assert!(first(list("pieces", &["line.order"], &[])).unwrap().contains("by way of `line`"));
        assert!(first(list("pieces", &[], &["tags"])).unwrap().contains("in an array"));
        assert!(first(list("orders", &["lines"], &["id"])).unwrap().contains("several"));
    }
}
